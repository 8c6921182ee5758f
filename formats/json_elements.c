#include "formats/json_elements.h"

#include "formats/bytes.h"

static void skip_blanks(berth__json_elements *e) {
    for (; e->next < e->end && (*e->next == ' ' || *e->next == '\t' || *e->next == '\r' || *e->next == '\n');
         e->next++) {
        e->line += *e->next == '\n';
    }
}

static bool take(berth__json_elements *e, char c) {
    skip_blanks(e);
    if (e->next < e->end && *e->next == c) {
        e->next++;
        return true;
    }
    return false;
}

static berth_status fail_here(const berth__json_elements *e, const char *expected, berth_error *error) {
    return berth__fail_at(error, BERTH_E_INPUT, e->where, e->line, 0, "expected %s", expected);
}

berth_status berth__json_elements_start(berth__json_elements *e, const char *text, size_t length, const char *where,
                                        berth_error *error) {
    berth_status status = berth__text_check(&text, &length, where, error);
    if (status != BERTH_OK) {
        return status;
    }
    *e = (berth__json_elements){.next = text, .end = text + length, .where = where, .line = 1};
    return take(e, '[') ? BERTH_OK : fail_here(e, "a JSON array, '['", error);
}

/* After the last element nothing but blanks may follow. */
static berth_status finish(berth__json_elements *e, berth_error *error) {
    e->done = true;
    skip_blanks(e);
    return e->next == e->end ? BERTH_OK : fail_here(e, "nothing after the array", error);
}

berth_status berth__json_elements_next(berth__json_elements *e, json_t **out, long *line, berth_error *error) {
    *out = NULL;
    if (e->done) {
        return BERTH_OK;
    }
    if (take(e, ']')) {
        return finish(e, error);
    }
    if (e->n > 0 && !take(e, ',')) {
        return fail_here(e, "',' or ']' after an element of the array", error);
    }
    skip_blanks(e);
    *line = e->line;
    json_error_t syntax;
    *out = json_loadb(e->next, (size_t)(e->end - e->next),
                      JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_DISABLE_EOF_CHECK, &syntax);
    if (*out == NULL) {
        return json_error_code(&syntax) == json_error_out_of_memory
                   ? berth__fail_memory(error)
                   : berth__fail_at(error, BERTH_E_INPUT, e->where, e->line + syntax.line - 1, syntax.column, "%s",
                                    syntax.text);
    }
    for (const char *stop = e->next + syntax.position; e->next < stop; e->next++) {
        e->line += *e->next == '\n';
    }
    e->n++;
    return BERTH_OK;
}
