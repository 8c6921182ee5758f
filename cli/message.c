/* S_ISREG is POSIX's. */
#define _POSIX_C_SOURCE 200809L

#include "cli/cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { LONGEST_WORD = 63 };

static void print_message(const char *verb, const char *format, va_list arguments) CLI_PRINTF(2, 0);

static void print_message(const char *verb, const char *format, va_list arguments) {
    fprintf(stderr, "berth%s%s: ", verb == NULL ? "" : " ", verb == NULL ? "" : verb);
    cli_print_safely(stderr, format, arguments);
    fputc('\n', stderr);
}

int cli_fail(const char *verb, cli_exit code, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_message(verb, format, arguments);
    va_end(arguments);
    return (int)code;
}

int cli_usage(const char *verb, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_message(verb, format, arguments);
    va_end(arguments);
    fprintf(stderr, "try 'berth help%s%s'\n", verb == NULL ? "" : " ", verb == NULL ? "" : verb);
    return CLI_USAGE;
}

int cli_unknown(const char *verb, const char *kind, const char *word, const char *const *list) {
    const char *nearest = cli_nearest(word, list);
    char names[512] = "";
    if (nearest != NULL) {
        return cli_usage(verb, "no %s '%s'; did you mean '%s'?", kind, word, nearest);
    }
    for (size_t i = 0, used = 0; list[i] != NULL && used < sizeof names; i++) {
        const char *between = i == 0 ? "" : list[i + 1] == NULL ? " and " : ", ";
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", between, list[i]);
    }
    return cli_usage(verb, "no %s '%s'; there %s %s", kind, word, list[0] != NULL && list[1] != NULL ? "are" : "is",
                     names);
}

void cli_note(const char *verb, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_message(verb, format, arguments);
    va_end(arguments);
}

void cli_warn(const char *verb, const char *format, ...) {
    va_list arguments;
    fprintf(stderr, "berth %s: warning: ", verb);
    va_start(arguments, format);
    cli_print_safely(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

static cli_exit exit_of(cli_doing doing, berth_status status) {
    switch (status) {
    case BERTH_OK:
        return CLI_DONE;
    case BERTH_E_ARGUMENT:
        return doing == CLI_WRITING ? CLI_INTERNAL : doing == CLI_JUDGING ? CLI_BAD_INPUT : CLI_USAGE;
    case BERTH_E_UNSUPPORTED:
        return doing == CLI_READING || doing == CLI_JUDGING ? CLI_BAD_INPUT : CLI_USAGE;
    case BERTH_E_INPUT:
    case BERTH_E_MISMATCH:
        return CLI_BAD_INPUT;
    case BERTH_E_IO:
        return doing == CLI_READING ? CLI_BAD_INPUT : CLI_INTERNAL;
    case BERTH_E_CANCELLED:
        return CLI_LIMIT;
    case BERTH_E_MEMORY:
    case BERTH_E_BACKEND:
    case BERTH_E_NUMERIC:
    case BERTH_E_INTERNAL:
        break;
    }
    return CLI_INTERNAL;
}

/* The option behind a wrong argument of a library call, or NULL. */
static const char *option_behind(const char *verb, const berth_error *error) {
    for (size_t i = 0; cli_verbs[i] != NULL && error->status == BERTH_E_ARGUMENT; i++) {
        if (strcmp(cli_verbs[i]->name, verb) == 0) {
            return cli_option_of(cli_verbs[i], error->where);
        }
    }
    return NULL;
}

/* The file in which it is wrong: of several that belong together, and of those found beside them, the library names one
 * where it tells a line or that it cannot be read, if the name is not cut. */
static const char *file_at_fault(cli_doing doing, const char *subject, const berth_error *error) {
    const size_t length = strlen(error->where);
    const bool named = error->status == BERTH_E_IO || error->line > 0;
    return doing == CLI_READING && named && length > 0 && length + 1 < sizeof error->where ? error->where : subject;
}

int cli_fail_status(const char *verb, cli_doing doing, const char *subject, const berth_error *error) {
    const char *message = error->message[0] != '\0' ? error->message : berth_status_text(error->status);
    subject = file_at_fault(doing, subject, error);
    const char *file = subject != NULL && strcmp(subject, "-") == 0
                           ? (doing == CLI_WRITING ? "standard output" : "standard input")
                           : subject;
    cli_exit code = exit_of(doing, error->status);
    const bool is_subject = subject != NULL && strcmp(error->where, subject) == 0;
    const char *where = error->status == BERTH_E_IO || is_subject ? "" : error->where;
    const char *option = option_behind(verb, error);
    char place[300] = "";
    if (option != NULL) {
        return cli_usage(verb, "--%s: %s", option, message);
    }
    if (error->line > 0 && error->column > 0) {
        snprintf(place, sizeof place, ":%ld:%ld", error->line, error->column);
    } else if (error->line > 0) {
        snprintf(place, sizeof place, ":%ld", error->line);
    } else if (where[0] != '\0') {
        /* Names of fields become pointers to them. */
        const char *slash = doing == CLI_JUDGING && where[0] != '/' ? "/" : "";
        snprintf(place, sizeof place, "%s%s%s", file != NULL ? ": " : "", slash, where);
    }
    return cli_fail(verb, code, "%s%s%s%s", file != NULL ? file : "", place,
                    file != NULL || place[0] != '\0' ? ": " : "", message);
}

int cli_fail_data(const char *verb, const char *counts, const char *profiles, const berth_error *error) {
    const bool other = profiles != NULL && strcmp(profiles, error->where) == 0;
    return cli_fail_status(verb, CLI_READING, other ? profiles : counts, error);
}

int cli_fail_format(const char *verb, const char *path, berth_error *error, const char *also) {
    const size_t used = strlen(error->message);
    if (strcmp(error->where, "/format") == 0) {
        snprintf(error->message + used, sizeof error->message - used, "; 'berth %s' also takes %s", verb, also);
    }
    return cli_fail_status(verb, CLI_READING, path, error);
}

/* Edit distance with insertions, deletions, substitutions and swaps of neighbours. */
static size_t distance(const char *a, const char *b) {
    size_t rows[3][LONGEST_WORD + 2];
    size_t length_a = strlen(a);
    size_t length_b = strlen(b);
    size_t *before = rows[0];
    size_t *last = rows[1];
    size_t *row = rows[2];
    for (size_t j = 0; j <= length_b; j++) {
        before[j] = 0;
        last[j] = j;
    }
    for (size_t i = 1; i <= length_a; i++) {
        row[0] = i;
        for (size_t j = 1; j <= length_b; j++) {
            size_t best = last[j - 1] + (a[i - 1] != b[j - 1]);
            best = last[j] + 1 < best ? last[j] + 1 : best;
            best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < best) {
                best = before[j - 2] + 1;
            }
            row[j] = best;
        }
        size_t *spare = before;
        before = last;
        last = row;
        row = spare;
    }
    return last[length_b];
}

const char *cli_nearest(const char *word, const char *const *list) {
    size_t length = strlen(word);
    size_t allowed = 2;
    const char *best = NULL;
    if (length == 0 || length > LONGEST_WORD) {
        return NULL;
    }
    for (; *list != NULL; list++) {
        size_t far = strlen(*list) > LONGEST_WORD ? LONGEST_WORD : distance(word, *list);
        /* Half a word is a good hint too. */
        if (length >= 3 && strncmp(word, *list, length) == 0) {
            far = 1;
        }
        if (far <= allowed && 2 * far < length) {
            best = *list;
            allowed = far - (far > 0);
        }
    }
    return best;
}

bool cli_is_no_file(const char *path) {
    struct stat there;
    return stat(path, &there) == 0 && !S_ISREG(there.st_mode);
}

bool cli_same_file(const char *a, const char *b) {
    struct stat stat_a;
    struct stat stat_b;
    if (a == NULL || b == NULL || strcmp(a, "-") == 0 || strcmp(b, "-") == 0) {
        return false;
    }
    if (strcmp(a, b) == 0) {
        return true;
    }
    return stat(a, &stat_a) == 0 && stat(b, &stat_b) == 0 && stat_a.st_dev == stat_b.st_dev &&
           stat_a.st_ino == stat_b.st_ino;
}
