/* Logs of a selector's events, berth-selector-log-1: JSON, an event a line. */
#include <berth_cohort.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/numeric.h"
#include "formats/growing_names.h"
#include "formats/json_read.h"
#include "formats/lines.h"

enum { POLL_LINES = 1024 };
static const char format_name[] = "berth-selector-log-1";

typedef struct replay {
    berth_selector *selector;
    const berth_hooks *hooks; /* may be NULL */
    berth_selector_selected *selected;
    void *user;
    berth__lines lines;
    berth__growing_names clients; /* numbered like the selector's */
    berth_error *error;           /* the caller's */
    berth_error of_line;          /* without the place in the file */
} replay;

/* ---- clients ---------------------------------------------------------------------------------------------------- */

/* The selector's own clients by id, or by number. */
static berth_status know_clients(replay *p) {
    berth_selector_state state;
    berth_selector_present(p->selector, &state);
    for (size_t k = 0; k < state.n_clients; k++) {
        berth_selector_client client;
        char number[32];
        size_t at;
        bool is_new;
        berth_status status = berth_selector_present_client(p->selector, k, &client, p->error);
        if (status != BERTH_OK) {
            return status;
        }
        snprintf(number, sizeof number, "%zu", k);
        const char *name = client.id != NULL ? client.id : number;
        if (!berth__growing_names_add(&p->clients, name, &at, &is_new)) {
            return berth__fail_memory(p->error);
        }
        if (!is_new) {
            return berth__fail(p->error, BERTH_E_ARGUMENT, "selector", "two of its clients are called '%.80s'", name);
        }
    }
    return BERTH_OK;
}

static bool find_client(const replay *p, berth__reader *r, const berth__node *node, const char *name, size_t *out) {
    *out = berth__growing_names_find(&p->clients, name);
    return *out != BERTH__NO_NAME ||
           berth__node_fail(r, node, BERTH_E_INPUT, "client '%.80s' has not registered", name);
}

static bool read_client(const replay *p, berth__reader *r, const berth__node *event, size_t *out) {
    berth__node node;
    const char *name;
    return berth__node_member(r, event, "client", BERTH__REQUIRED, &node) && berth__node_string(r, &node, &name) &&
           find_client(p, r, &node, name, out);
}

/* ---- events ----------------------------------------------------------------------------------------------------- */

/* What the library says of a value is about the line. */
static bool take(berth__reader *r, berth_status status) {
    if (status != BERTH_OK && r->status == BERTH_OK) {
        r->status = status == BERTH_E_ARGUMENT ? BERTH_E_INPUT : status;
    }
    return status == BERTH_OK;
}

static bool do_register(replay *p, berth__reader *r, const berth__node *event) {
    static const char *const known[] = {"event", "client", "duration_s"};
    const char *name = NULL;
    double declared = (double)NAN;
    size_t client;
    bool is_new;
    if (!BERTH__ONLY_FIELDS(r, event, known) || !berth__read_string(r, event, "client", BERTH__REQUIRED, &name) ||
        (!berth__read_number(r, event, "duration_s", BERTH__NULLABLE, &declared) && r->status != BERTH_OK)) {
        return false;
    }
    if (!isnan(declared) && !(declared > 0)) {
        return berth__member_fail(r, event, "duration_s", BERTH_E_INPUT, "expected a number > 0, or null");
    }
    client = berth__growing_names_find(&p->clients, name);
    if (client != BERTH__NO_NAME) {
        return take(r, berth_selector_declare(p->selector, client, declared, r->error));
    }
    /* The name first: without it the selector's client could not be found. */
    if (!berth__growing_names_add(&p->clients, name, &client, &is_new)) {
        return berth__reader_memory(r);
    }
    return take(r, berth_selector_register(p->selector, name, declared, &client, r->error));
}

static bool do_result(replay *p, berth__reader *r, const berth__node *event) {
    static const char *const known[] = {"event", "client", "samples", "mean_squared_loss", "duration_s"};
    berth_selector_result result = {.mean_squared_loss = (double)NAN};
    size_t client, samples;
    if (!BERTH__ONLY_FIELDS(r, event, known) || !read_client(p, r, event, &client) ||
        !berth__read_size(r, event, "samples", BERTH__REQUIRED, &samples) ||
        !berth__read_number(r, event, "mean_squared_loss", BERTH__REQUIRED, &result.mean_squared_loss) ||
        !berth__read_number(r, event, "duration_s", BERTH__REQUIRED, &result.duration_s)) {
        return false;
    }
    result.samples = samples;
    return take(r, berth_selector_report(p->selector, client, &result, r->error));
}

/* *available NULL: all. */
static bool read_available(const replay *p, berth__reader *r, const berth__node *event, size_t *n, size_t **available) {
    berth__node list;
    if (!berth__node_member(r, event, "available", BERTH__NULLABLE, &list)) {
        return r->status == BERTH_OK;
    }
    if (!berth__node_array(r, &list, n)) {
        return false;
    }
    *available = BERTH__ARENA_ARRAY(r->arena, size_t, *n + 1);
    if (*available == NULL) {
        return berth__reader_memory(r);
    }
    for (size_t k = 0; k < *n; k++) {
        berth__node element = berth__node_element(&list, k);
        const char *name;
        if (!berth__node_string(r, &element, &name) || !find_client(p, r, &element, name, &(*available)[k])) {
            return false;
        }
    }
    return true;
}

static bool do_select(replay *p, berth__reader *r, const berth__node *event) {
    static const char *const known[] = {"event", "participants", "available"};
    size_t participants = 0, n = 0, *available = NULL;
    berth_selection *selection;
    if (!BERTH__ONLY_FIELDS(r, event, known) ||
        !berth__read_size(r, event, "participants", BERTH__REQUIRED, &participants) ||
        !read_available(p, r, event, &n, &available)) {
        return false;
    }
    if (!take(r, berth_selector_select(p->selector, participants, available, n, &selection, r->error))) {
        return false;
    }
    bool goes_on = p->selected == NULL || p->selected(p->user, p->selector, selection);
    berth_selection_free(selection);
    return goes_on || take(r, berth__fail(r->error, BERTH_E_CANCELLED, NULL, "the replay was ended"));
}

static bool do_event(replay *p, berth__reader *r, const berth__node *event) {
    static const char *const names[] = {"register", "result", "select"};
    static bool (*const actions[])(replay *, berth__reader *, const berth__node *) = {do_register, do_result,
                                                                                      do_select};
    const char *name = NULL;
    if (!berth__read_string(r, event, "event", BERTH__REQUIRED, &name)) {
        return false;
    }
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        if (strcmp(name, names[k]) == 0) {
            return actions[k](p, r, event);
        }
    }
    return berth__member_fail(r, event, "event", BERTH_E_INPUT, "expected register, result or select, not '%.40s'",
                              name);
}

/* ---- lines ------------------------------------------------------------------------------------------------------ */

/* What is wrong with the present line, with its number. */
static berth_status fail_line(replay *p, berth_status status) {
    const berth_error *e = &p->of_line;
    if (status == BERTH_E_MEMORY) {
        return berth__fail_memory(p->error);
    }
    return berth__fail_at(p->error, status, p->lines.path, p->lines.line, e->column, "%s%s%s", e->where,
                          e->where[0] != '\0' ? ": " : "", e->message);
}

static berth_status do_line(replay *p, const char *line, bool is_first) {
    json_t *root = NULL;
    berth_status status = berth__json_parse(line, strlen(line), NULL, &root, &p->of_line);
    if (status != BERTH_OK) {
        return fail_line(p, status);
    }
    berth__reader r = {.arena = berth__arena_new(), .error = &p->of_line, .status = BERTH_OK};
    berth__node event = berth__node_root(root);
    static const char *const known[] = {"format"};
    bool good = r.arena == NULL ? berth__reader_memory(&r)
                : is_first      ? berth__read_format(&r, &event, format_name) && BERTH__ONLY_FIELDS(&r, &event, known)
                                : do_event(p, &r, &event);
    berth__arena_free(r.arena);
    json_decref(root);
    return good ? BERTH_OK : fail_line(p, r.status);
}

static berth_status poll(const replay *p) {
    const berth_hooks *hooks = p->hooks;
    if (hooks == NULL || p->lines.line % POLL_LINES != 0) {
        return BERTH_OK;
    }
    if (hooks->progress != NULL) {
        hooks->progress(hooks->user, berth__lines_position(&p->lines), p->lines.size);
    }
    return hooks->cancel != NULL && hooks->cancel(hooks->user)
               ? berth__fail_at(p->error, BERTH_E_CANCELLED, p->lines.path, p->lines.line, 0,
                                "the replay was cancelled")
               : BERTH_OK;
}

static berth_status replay_lines(replay *p) {
    bool is_first = true;
    for (;;) {
        char *line;
        berth_status status = berth__lines_next(&p->lines, &line, p->error);
        status = status == BERTH_OK ? poll(p) : status;
        if (status != BERTH_OK) {
            return status;
        }
        if (line == NULL) {
            break;
        }
        if (line[strspn(line, " \t")] == '\0') {
            continue;
        }
        status = do_line(p, line, is_first);
        if (status != BERTH_OK) {
            return status;
        }
        is_first = false;
    }
    return is_first ? berth__fail_at(p->error, BERTH_E_INPUT, p->lines.path, 1, 0,
                                     "the log is empty; expected {\"format\": \"%s\"}", format_name)
                    : BERTH_OK;
}

berth_status berth_selector_replay(berth_selector *selector, const char *path, const berth_hooks *hooks,
                                   berth_selector_selected *selected, void *user, berth_error *error) {
    berth__c_locale locale;
    berth__error_clear(error);
    if (selector == NULL || path == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, NULL, "selector and path must not be NULL");
    }
    replay p = {.selector = selector, .hooks = hooks, .selected = selected, .user = user, .error = error};
    if (!berth__c_locale_enter(&locale)) {
        return berth__fail_memory(error);
    }
    berth_status status = know_clients(&p);
    status = status == BERTH_OK ? berth__lines_open(&p.lines, path, error) : status;
    status = status == BERTH_OK ? replay_lines(&p) : status;
    berth__lines_close(&p.lines);
    berth__growing_names_free(&p.clients);
    berth__c_locale_leave(&locale);
    return status;
}
