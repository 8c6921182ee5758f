#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define STRINGIFY_(x) #x
#define STRINGIFY(x)  STRINGIFY_(x)

const char *berth_version(void) {
    return STRINGIFY(BERTH_VERSION_MAJOR) "." STRINGIFY(BERTH_VERSION_MINOR) "." STRINGIFY(BERTH_VERSION_PATCH);
}

const char *berth_status_name(berth_status status) {
    switch (status) {
#define STATUS_NAME(name, value, text)                                                                                 \
    case BERTH_##name:                                                                                                 \
        return "BERTH_" #name;
        BERTH_STATUS_TABLE(STATUS_NAME)
#undef STATUS_NAME
    }
    return "BERTH_E_UNKNOWN";
}

const char *berth_status_text(berth_status status) {
    switch (status) {
#define STATUS_TEXT(name, value, text)                                                                                 \
    case BERTH_##name:                                                                                                 \
        return text;
        BERTH_STATUS_TABLE(STATUS_TEXT)
#undef STATUS_TEXT
    }
    return "unknown status";
}

const char *berth_outcome_name(berth_outcome outcome) {
    switch (outcome) {
#define OUTCOME_NAME(name, value, text)                                                                                \
    case BERTH_##name:                                                                                                 \
        return #name;
        BERTH_OUTCOME_TABLE(OUTCOME_NAME)
#undef OUTCOME_NAME
    }
    return "UNKNOWN";
}

void berth_hooks_init(berth_hooks *hooks) {
    *hooks = (berth_hooks){.struct_size = sizeof *hooks};
}

void berth__error_clear(berth_error *error) {
    if (error != NULL) {
        memset(error, 0, sizeof *error);
    }
}

static berth_status fill(berth_error *error, berth_status status, const char *where, long line, long column,
                         const char *format, va_list args) BERTH__PRINTF(6, 0);
static berth_status fill(berth_error *error, berth_status status, const char *where, long line, long column,
                         const char *format, va_list args) {
    if (error == NULL) {
        return status;
    }
    char message[sizeof error->message];
    vsnprintf(message, sizeof message, format, args);
    char place[sizeof error->where];
    snprintf(place, sizeof place, "%s", where == NULL ? "" : where);
    memset(error, 0, sizeof *error);
    error->status = status;
    error->line = line;
    error->column = column;
    memcpy(error->where, place, sizeof place);
    memcpy(error->message, message, sizeof message);
    return status;
}

berth_status berth__fail(berth_error *error, berth_status status, const char *where, const char *format, ...) {
    va_list args;
    va_start(args, format);
    fill(error, status, where, 0, 0, format, args);
    va_end(args);
    return status;
}

berth_status berth__fail_at(berth_error *error, berth_status status, const char *where, long line, long column,
                            const char *format, ...) {
    va_list args;
    va_start(args, format);
    fill(error, status, where, line, column, format, args);
    va_end(args);
    return status;
}

berth_status berth__fail_memory(berth_error *error) {
    return berth__fail(error, BERTH_E_MEMORY, NULL, "%s", berth_status_text(BERTH_E_MEMORY));
}

void berth__error_prefix(berth_error *error, const char *prefix) {
    if (error == NULL) {
        return;
    }
    char place[2 * sizeof error->where];
    snprintf(place, sizeof place, "%s%s", prefix, error->where);
    snprintf(error->where, sizeof error->where, "%.*s", (int)sizeof error->where - 1, place);
}

berth_status berth__error_in_file(berth_error *error, berth_status status, const char *path) {
    if (error == NULL || status != BERTH_E_INPUT || strcmp(error->where, path) == 0) {
        return status;
    }
    const berth_error from = *error;
    return berth__fail(error, status, path, "%s: %s", from.where, from.message);
}

void berth__log(const berth_hooks *hooks, berth_log_level level, const char *format, ...) {
    if (hooks == NULL || hooks->log == NULL) {
        return;
    }
    char message[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    hooks->log(hooks->user, level, message);
}
