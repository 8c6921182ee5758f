/* Writing CPLEX LP.
 *
 * Only what readers agree on is used: each row has one sense (Clp misreads a row between two sides; a range is two
 * rows), keywords stand in the first column, names do not, and lines are short. As readers number variables by their
 * first appearance, the objective names all of them, with 0 where need be, unless the order comes out right by
 * itself. */
#define _POSIX_C_SOURCE 200809L
#include "formats/problem_formats.h"

#include "base/numeric.h"
#include "formats/problem_names.h"
#include "formats/problem_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { LINE = 80, LONGEST_NAME = 255 };

typedef struct lp_writer {
    const berth_problem *problem;
    berth__text text;
    berth__unique_names unique;
    berth_error *error;
    berth_status status;
} lp_writer;

static bool refuse(lp_writer *w, const char *where, const char *why) {
    if (w->status == BERTH_OK) {
        w->status = berth__fail(w->error, BERTH_E_UNSUPPORTED, where, "%s", why);
    }
    return false;
}

/* ---- what the format can hold ---- */

static bool is_keyword(const char *name) {
    static const char *const keywords[] = {"min",      "minimum",  "minimize",
                                           "minimise", "max",      "maximum",
                                           "maximize", "maximise", "subject",
                                           "such",     "st",       "s.t.",
                                           "st.",      "bound",    "bounds",
                                           "general",  "generals", "gen",
                                           "integer",  "integers", "int",
                                           "binary",   "binaries", "bin",
                                           "semi",     "semis",    "semi-continuous",
                                           "sos",      "sos1",     "sos2",
                                           "free",     "inf",      "infinity",
                                           "end",      "lazy",     "user",
                                           "pwlobj"};
    for (size_t k = 0; k < sizeof keywords / sizeof keywords[0]; k++) {
        if (strcasecmp(name, keywords[k]) == 0) {
            return true;
        }
    }
    return false;
}

static bool check_name(lp_writer *w, const char *name) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ!\"#$%&()/,;?@_`'{}|~";
    static const char others[] = "0123456789.";
    size_t length = strlen(name);
    size_t good = strspn(name, letters) > 0 ? 1 : 0;
    while (good > 0 && name[good] != '\0' &&
           (strchr(letters, name[good]) != NULL || strchr(others, name[good]) != NULL)) {
        good++;
    }
    if (good < length) {
        return refuse(w, name,
                      "LP holds names of letters, digits and !\"#$%&()/,.;?@_`'{}|~ only, not beginning with a "
                      "digit or a point");
    }
    if ((name[0] == 'e' || name[0] == 'E') && (name[1] == '\0' || strchr(others, name[1]) != NULL)) {
        return refuse(w, name, "LP cannot hold this name, which reads as the exponent of a number");
    }
    if (is_keyword(name) || strcmp(name, BERTH__PLACEHOLDER) == 0) {
        return refuse(w, name, "LP cannot hold this name, which has a meaning of its own there");
    }
    return length <= LONGEST_NAME ? true : refuse(w, name, "LP holds names of at most 255 characters");
}

static bool check_number(lp_writer *w, const char *where, double value, bool is_bound) {
    return berth__fits_file(value, is_bound)
               ? true
               : refuse(w, where,
                        is_bound ? "LP cannot hold a bound or right side of 1e30 or more, nor numbers below 2.2e-308"
                                 : "LP cannot hold numbers below 2.2e-308");
}

static bool check_all(lp_writer *w) {
    const berth_problem *p = w->problem;
    if (!check_number(w, "", p->offset, false)) {
        return false;
    }
    for (size_t j = 0; j < p->n_vars; j++) {
        if (!check_name(w, p->var_names[j]) || !check_number(w, p->var_names[j], p->cost[j], false) ||
            !check_number(w, p->var_names[j], p->lower[j], true) ||
            !check_number(w, p->var_names[j], p->upper[j], true)) {
            return false;
        }
    }
    for (size_t i = 0; i < p->n_rows; i++) {
        const char *name = p->row_names[i];
        if (!check_name(w, name) || !check_number(w, name, p->row_lower[i], true) ||
            !check_number(w, name, p->row_upper[i], true)) {
            return false;
        }
        if (p->n_vars == 0) {
            return refuse(w, name, "LP cannot hold a row where there are no variables");
        }
        for (size_t e = p->row_start[i]; e < p->row_start[i + 1]; e++) {
            if (!check_number(w, name, p->value[e], false)) {
                return false;
            }
        }
    }
    for (const char *c = p->name; *c != '\0'; c++) {
        if ((unsigned char)*c < ' ' || *c == 0x7F) {
            return refuse(w, "name", "LP cannot hold a problem's name with a line break or control character in it");
        }
    }
    return true;
}

/* Would a reader that meets the costs that are not 0, then the rows, number the variables as we do? */
static bool in_order_of_appearance(const berth_problem *p) {
    size_t next = 0;
    for (size_t j = 0; j < p->n_vars; j++) {
        next += p->cost[j] != 0 && j == next;
        if (p->cost[j] != 0 && j >= next) {
            return false;
        }
    }
    for (size_t i = 0; i < p->n_rows; i++) {
        for (size_t e = p->row_start[i]; e < p->row_start[i + 1]; e++) {
            size_t j = (size_t)p->var_of[e];
            next += j == next;
            if (j >= next) {
                return false;
            }
        }
        /* An empty row is written with the first variable. */
        next += p->row_start[i] == p->row_start[i + 1] && next == 0;
    }
    return next == p->n_vars;
}

/* ---- writing ---- */

/* A piece of a linear form; a new line begins where it would get too long. */
static void put_piece(lp_writer *w, const char *piece, size_t length) {
    if (w->text.length - w->text.line + length > LINE && w->text.length > w->text.line + 1) {
        berth__text_add(&w->text, "\n ");
    }
    berth__text_put(&w->text, piece, length);
}

static void put_term(lp_writer *w, double value, const char *name) {
    char piece[BERTH__NUMBER_ROOM + LONGEST_NAME + 8], number[BERTH__NUMBER_ROOM];
    berth__number_text(fabs(value), number);
    int length = snprintf(piece, sizeof piece, value == 1 || value == -1 ? " %c %.0s%s" : " %c %s %s",
                          value < 0 ? '-' : '+', number, name);
    put_piece(w, piece, (size_t)length);
}

static void put_objective(lp_writer *w) {
    const berth_problem *p = w->problem;
    bool all = !in_order_of_appearance(p);
    berth__text_add(&w->text, p->maximize ? "Maximize\n obj:" : "Minimize\n obj:");
    for (size_t j = 0; j < p->n_vars; j++) {
        if (all || p->cost[j] != 0) {
            put_term(w, p->cost[j], p->var_names[j]);
        }
    }
    if (p->offset != 0) {
        char piece[BERTH__NUMBER_ROOM + 8], number[BERTH__NUMBER_ROOM];
        berth__number_text(fabs(p->offset), number);
        int length = snprintf(piece, sizeof piece, " %c %s", p->offset < 0 ? '-' : '+', number);
        put_piece(w, piece, (size_t)length);
    }
    berth__text_add(&w->text, "\n");
}

static void put_row(lp_writer *w, size_t i, const char *name, const char *sense, double side) {
    const berth_problem *p = w->problem;
    char piece[BERTH__NUMBER_ROOM + 8], number[BERTH__NUMBER_ROOM];
    berth__text_add(&w->text, " %s:", name);
    for (size_t e = p->row_start[i]; e < p->row_start[i + 1]; e++) {
        put_term(w, p->value[e], p->var_names[p->var_of[e]]);
    }
    if (p->row_start[i] == p->row_start[i + 1]) {
        put_term(w, 0, p->var_names[0]);
    }
    berth__number_text(side, number);
    int length = snprintf(piece, sizeof piece, " %s %s", sense, number);
    put_piece(w, piece, (size_t)length);
    berth__text_add(&w->text, "\n");
}

static void put_split_row(lp_writer *w, size_t i) {
    const berth_problem *p = w->problem;
    const char *low = berth__unique_name(&w->unique, p->row_names[i], ".lo");
    const char *up = berth__unique_name(&w->unique, p->row_names[i], ".up");
    if (low == NULL || up == NULL) {
        w->status = w->status == BERTH_OK ? berth__fail_memory(w->error) : w->status;
    } else if (check_name(w, low) && check_name(w, up)) {
        put_row(w, i, low, ">=", p->row_lower[i]);
        put_row(w, i, up, "<=", p->row_upper[i]);
    }
}

static void put_rows(lp_writer *w) {
    const berth_problem *p = w->problem;
    berth__text_add(&w->text, "Subject To\n");
    for (size_t i = 0; i < p->n_rows && w->status == BERTH_OK; i++) {
        double lower = p->row_lower[i], upper = p->row_upper[i];
        if (lower == upper) {
            put_row(w, i, p->row_names[i], "=", lower);
        } else if (isinf(upper)) { /* a free row: above what stands for -infinity */
            put_row(w, i, p->row_names[i], ">=", isinf(lower) ? -BERTH__FILE_INFINITY : lower);
        } else if (isinf(lower)) {
            put_row(w, i, p->row_names[i], "<=", upper);
        } else {
            put_split_row(w, i);
        }
    }
}

static void put_bounds(lp_writer *w) {
    const berth_problem *p = w->problem;
    berth__text_add(&w->text, "Bounds\n");
    for (size_t j = 0; j < p->n_vars; j++) {
        char low[BERTH__NUMBER_ROOM] = "-inf", up[BERTH__NUMBER_ROOM] = "";
        double lower = p->lower[j], upper = p->upper[j];
        const char *name = p->var_names[j];
        if (isfinite(lower)) {
            berth__number_text(lower, low);
        }
        if (isfinite(upper)) {
            berth__number_text(upper, up);
        }
        if (isinf(lower) && isinf(upper)) {
            berth__text_add(&w->text, " %s free\n", name);
        } else if (lower == upper) {
            berth__text_add(&w->text, " %s = %s\n", name, low);
        } else if (isfinite(upper)) {
            berth__text_add(&w->text, " %s <= %s <= %s\n", low, name, up);
        } else if (lower != 0) {
            berth__text_add(&w->text, " %s >= %s\n", name, low);
        }
    }
}

static void put_integers(lp_writer *w) {
    const berth_problem *p = w->problem;
    bool any = false;
    for (size_t j = 0; j < p->n_vars; j++) {
        if (p->is_integer[j]) {
            berth__text_add(&w->text, "%s", any ? "" : "General\n");
            put_piece(w, " ", 1);
            put_piece(w, p->var_names[j], strlen(p->var_names[j]));
            any = true;
        }
    }
    berth__text_add(&w->text, any ? "\nEnd\n" : "End\n");
}

berth_status berth__problem_write_lp(const berth_problem *problem, char **out, size_t *length, berth_error *error) {
    lp_writer w = {.problem = problem, .error = error};
    *out = NULL;
    if (!berth__unique_names_init(&w.unique, problem)) {
        w.status = berth__fail_memory(error);
    }
    if (w.status == BERTH_OK && check_all(&w)) {
        if (*problem->name != '\0') {
            berth__text_add(&w.text, "\\ Problem name: ");
            berth__text_put(&w.text, problem->name, strlen(problem->name));
            berth__text_add(&w.text, "\n");
        }
        put_objective(&w);
        put_rows(&w);
        put_bounds(&w);
        put_integers(&w);
    }
    if (w.status == BERTH_OK) {
        w.status = berth__text_finish(&w.text, out, length, error);
    }
    berth__text_clear(&w.text);
    berth__unique_names_free(&w.unique);
    return w.status;
}
