/* Writing MPS, fixed and free.
 *
 * Both forms have the fields in the same columns, so that a fixed file reads as free too; fixed MPS demands names of at
 * most 8 characters and numbers of at most 12 besides. MPS has no sense that all readers honour, so a maximisation is
 * written with negated costs. The constant of the objective is the negated right side of its row, as CPLEX, Clp and
 * most others have it (GLPK itself takes the opposite sign). */
#include "formats/problem_formats.h"

#include "base/numeric.h"
#include "formats/problem_names.h"
#include "formats/problem_text.h"

#include <math.h>
#include <string.h>

enum { FIXED_NAME = 8, FIXED_NUMBER = 12, LONGEST_NAME = 255 };

/* A row of the problem as one or two rows of the file. */
typedef struct mps_row {
    const char *name;
    char type; /* 'G', 'L', 'E' */
    double side, range;
    bool has_range;
} mps_row;

typedef struct mps_writer {
    const berth_problem *problem;
    bool is_free;
    berth__text text;
    berth__unique_names unique;
    const char *objective;
    size_t n_rows;     /* of the file */
    mps_row *rows;     /* [n_rows] */
    size_t *first_row; /* [problem->n_rows + 1] the file's rows of each row */
    size_t *col_start; /* [n_vars + 1] the matrix by columns, rows of the problem */
    int *row_of;
    double *value;
    berth_error *error;
    berth_status status;
} mps_writer;

static bool refuse(mps_writer *w, const char *where, const char *why) {
    if (w->status == BERTH_OK) {
        w->status = berth__fail(w->error, BERTH_E_UNSUPPORTED, where, "%s", why);
    }
    return false;
}

static bool out_of_memory(mps_writer *w) {
    if (w->status == BERTH_OK) {
        w->status = berth__fail_memory(w->error);
    }
    return false;
}

/* ---- what the format can hold ---- */

static bool check_name(mps_writer *w, const char *name) {
    size_t length = strlen(name);
    for (const char *c = name; *c != '\0'; c++) {
        if ((unsigned char)*c <= ' ' || *c == 0x7F) {
            return refuse(w, name, "MPS cannot hold a name with a blank in it");
        }
        if ((unsigned char)*c >= 0x80 && !w->is_free) {
            return refuse(w, name, "fixed MPS holds names of ASCII characters only; free MPS (mps-free) takes more");
        }
    }
    if (*name == '$' || *name == '*' || strcmp(name, "'MARKER'") == 0) {
        return refuse(w, name, "MPS cannot hold this name, which has a meaning of its own there");
    }
    if (length > FIXED_NAME && !w->is_free) {
        return refuse(w, name, "fixed MPS holds names of at most 8 characters; free MPS (mps-free) takes more");
    }
    return length <= LONGEST_NAME ? true : refuse(w, name, "MPS holds names of at most 255 characters");
}

static bool check_number(mps_writer *w, const char *where, double value, bool is_bound) {
    char number[BERTH__NUMBER_ROOM];
    if (!berth__fits_file(value, is_bound)) {
        return refuse(w, where,
                      is_bound ? "MPS cannot hold a bound or right side of 1e30 or more, nor numbers below "
                                 "2.2e-308"
                               : "MPS cannot hold numbers below 2.2e-308");
    }
    if (w->is_free || isinf(value)) {
        return true;
    }
    berth__number_text(value, number);
    if (strlen(number) <= FIXED_NUMBER) {
        return true;
    }
    if (w->status == BERTH_OK) {
        w->status = berth__fail(w->error, BERTH_E_UNSUPPORTED, where,
                                "fixed MPS holds numbers of at most 12 characters, and %s is longer; free MPS "
                                "(mps-free) takes it",
                                number);
    }
    return false;
}

static bool check_all(mps_writer *w) {
    const berth_problem *p = w->problem;
    if (!check_number(w, "", -p->offset, false)) {
        return false;
    }
    for (size_t j = 0; j < p->n_vars; j++) {
        if (!check_name(w, p->var_names[j]) || !check_number(w, p->var_names[j], -p->cost[j], false) ||
            !check_number(w, p->var_names[j], p->lower[j], true) ||
            !check_number(w, p->var_names[j], p->upper[j], true)) {
            return false;
        }
    }
    for (size_t i = 0; i < p->n_rows; i++) {
        if (!check_name(w, p->row_names[i]) || !check_number(w, p->row_names[i], p->row_lower[i], true) ||
            !check_number(w, p->row_names[i], p->row_upper[i], true)) {
            return false;
        }
        for (size_t e = p->row_start[i]; e < p->row_start[i + 1]; e++) {
            if (!check_number(w, p->row_names[i], p->value[e], false)) {
                return false;
            }
        }
    }
    for (const char *c = p->name; *c != '\0'; c++) {
        if ((unsigned char)*c < ' ' || *c == 0x7F) {
            return refuse(w, "name", "MPS cannot hold a problem's name with a line break or control character in it");
        }
    }
    return true;
}

/* ---- rows ---- */

static void add_row(mps_writer *w, const char *name, char type, double side) {
    w->rows[w->n_rows++] = (mps_row){.name = name, .type = type, .side = side};
}

/* A range whose other side a reader computes: only where it comes out the same. */
static bool as_range(mps_writer *w, size_t i) {
    double lower = w->problem->row_lower[i], upper = w->problem->row_upper[i];
    /* volatile: the sums that a reader gets, in double precision. */
    volatile double range = upper - lower, from_lower = lower + range, from_upper = upper - range;
    char number[BERTH__NUMBER_ROOM];
    if (!berth__fits_file(range, false) || !isfinite(range) || range <= 0) {
        return false;
    }
    berth__number_text(range, number);
    if ((!w->is_free && strlen(number) > FIXED_NUMBER) || (from_lower != upper && from_upper != lower)) {
        return false;
    }
    if (from_lower == upper) {
        add_row(w, w->problem->row_names[i], 'G', lower);
    } else {
        add_row(w, w->problem->row_names[i], 'L', upper);
    }
    w->rows[w->n_rows - 1].range = range;
    w->rows[w->n_rows - 1].has_range = true;
    return true;
}

static bool add_rows_of(mps_writer *w, size_t i) {
    const char *name = w->problem->row_names[i];
    double lower = w->problem->row_lower[i], upper = w->problem->row_upper[i];
    if (isinf(lower) && isinf(upper)) {
        add_row(w, name, 'G', -BERTH__FILE_INFINITY); /* readers drop rows of kind N */
    } else if (isinf(upper)) {
        add_row(w, name, 'G', lower);
    } else if (isinf(lower)) {
        add_row(w, name, 'L', upper);
    } else if (lower == upper) {
        add_row(w, name, 'E', lower);
    } else if (!as_range(w, i)) {
        const char *low = berth__unique_name(&w->unique, name, ".lo"),
                   *up = berth__unique_name(&w->unique, name, ".up");
        if (low == NULL || up == NULL) {
            return out_of_memory(w);
        }
        add_row(w, low, 'G', lower);
        add_row(w, up, 'L', upper);
        return check_name(w, low) && check_name(w, up);
    }
    return true;
}

static bool collect_rows(mps_writer *w) {
    size_t m = w->problem->n_rows;
    w->rows = BERTH__NEW_ARRAY(mps_row, 2 * m);
    w->first_row = BERTH__NEW_ARRAY(size_t, m + 1);
    if (w->rows == NULL || w->first_row == NULL || !berth__unique_names_init(&w->unique, w->problem)) {
        return out_of_memory(w);
    }
    w->objective = berth__unique_name(&w->unique, "obj", "");
    if (w->objective == NULL) {
        return out_of_memory(w);
    }
    for (size_t i = 0; i < m; i++) {
        w->first_row[i] = w->n_rows;
        if (!add_rows_of(w, i)) {
            return false;
        }
    }
    w->first_row[m] = w->n_rows;
    return true;
}

/* ---- columns ---- */

static bool transpose(mps_writer *w) {
    const berth_problem *p = w->problem;
    size_t n_entries = p->row_start[p->n_rows];
    w->col_start = BERTH__NEW_ARRAY(size_t, p->n_vars + 2);
    w->row_of = BERTH__NEW_ARRAY(int, n_entries);
    w->value = BERTH__NEW_ARRAY(double, n_entries);
    if (w->col_start == NULL || w->row_of == NULL || w->value == NULL) {
        return out_of_memory(w);
    }
    /* Counted two places on, so that filling moves each start to where it belongs. */
    for (size_t e = 0; e < n_entries; e++) {
        w->col_start[(size_t)p->var_of[e] + 2]++;
    }
    for (size_t j = 0; j < p->n_vars; j++) {
        w->col_start[j + 2] += w->col_start[j + 1];
    }
    for (size_t i = 0; i < p->n_rows; i++) {
        for (size_t e = p->row_start[i]; e < p->row_start[i + 1]; e++) {
            size_t at = w->col_start[(size_t)p->var_of[e] + 1]++;
            w->row_of[at] = (int)i;
            w->value[at] = p->value[e];
        }
    }
    return true;
}

/* Fields 2, 3 and 4 in their columns. */
static void put_fields(mps_writer *w, const char *first, const char *second, double value) {
    char number[BERTH__NUMBER_ROOM];
    berth__number_text(value, number);
    berth__text_add(&w->text, "    %-8s  %-8s  %12s\n", first, second, number);
}

static void put_column(mps_writer *w, size_t j) {
    const berth_problem *p = w->problem;
    const char *name = p->var_names[j];
    double cost = p->maximize ? -p->cost[j] : p->cost[j];
    /* A column without any entry is known by its cost of 0. */
    if (cost != 0 || w->col_start[j] == w->col_start[j + 1]) {
        put_fields(w, name, w->objective, cost);
    }
    for (size_t e = w->col_start[j]; e < w->col_start[j + 1]; e++) {
        for (size_t row = w->first_row[w->row_of[e]]; row < w->first_row[w->row_of[e] + 1]; row++) {
            put_fields(w, name, w->rows[row].name, w->value[e]);
        }
    }
}

static void put_columns(mps_writer *w) {
    const berth_problem *p = w->problem;
    bool in_integers = false;
    int markers = 0;
    berth__text_add(&w->text, "COLUMNS\n");
    for (size_t j = 0; j < p->n_vars; j++) {
        if (p->is_integer[j] != in_integers) {
            in_integers = p->is_integer[j];
            berth__text_add(&w->text, "    M%07d  'MARKER'                 '%s'\n", ++markers,
                            in_integers ? "INTORG" : "INTEND");
        }
        put_column(w, j);
    }
    if (in_integers) {
        berth__text_add(&w->text, "    M%07d  'MARKER'                 'INTEND'\n", ++markers);
    }
}

/* ---- the other sections ---- */

static void put_rows(mps_writer *w) {
    berth__text_add(&w->text, "ROWS\n N  %s\n", w->objective);
    for (size_t i = 0; i < w->n_rows; i++) {
        berth__text_add(&w->text, " %c  %s\n", w->rows[i].type, w->rows[i].name);
    }
}

static void put_sides(mps_writer *w) {
    double constant = w->problem->maximize ? w->problem->offset : -w->problem->offset;
    bool has_ranges = false;
    berth__text_add(&w->text, "RHS\n");
    if (constant != 0) {
        put_fields(w, "RHS", w->objective, constant);
    }
    for (size_t i = 0; i < w->n_rows; i++) {
        has_ranges |= w->rows[i].has_range;
        if (w->rows[i].side != 0) {
            put_fields(w, "RHS", w->rows[i].name, w->rows[i].side);
        }
    }
    if (has_ranges) {
        berth__text_add(&w->text, "RANGES\n");
    }
    for (size_t i = 0; i < w->n_rows; i++) {
        if (w->rows[i].has_range) {
            put_fields(w, "RNG", w->rows[i].name, w->rows[i].range);
        }
    }
}

static void put_bound(mps_writer *w, const char *type, const char *name, double value) {
    char number[BERTH__NUMBER_ROOM] = "";
    if (!isnan(value)) {
        berth__number_text(value, number);
    }
    berth__text_add(&w->text, isnan(value) ? " %s BND       %s%s\n" : " %s BND       %-8s  %12s\n", type, name, number);
}

/* Readers differ on an integer without bounds (0 to 1 or to infinity), so those of integers are always there. */
static void put_bounds_of(mps_writer *w, size_t j) {
    const berth_problem *p = w->problem;
    const char *name = p->var_names[j];
    double lower = p->lower[j], upper = p->upper[j];
    if (isinf(lower) && isinf(upper)) {
        put_bound(w, "FR", name, (double)NAN);
        return;
    }
    if (lower == upper) {
        put_bound(w, "FX", name, lower);
        return;
    }
    if (isinf(lower)) {
        put_bound(w, "MI", name, (double)NAN);
    } else if (lower != 0) {
        put_bound(w, "LO", name, lower);
    }
    if (isfinite(upper)) {
        put_bound(w, "UP", name, upper);
    } else if (p->is_integer[j]) {
        put_bound(w, "PL", name, (double)NAN);
    }
}

static void put_all(mps_writer *w) {
    const berth_problem *p = w->problem;
    if (p->maximize) {
        berth__text_add(&w->text, "* maximisation written as minimisation: all costs are negated\n");
    }
    /* The name may be long. */
    berth__text_add(&w->text, *p->name != '\0' ? "NAME          " : "NAME");
    berth__text_put(&w->text, p->name, strlen(p->name));
    berth__text_add(&w->text, "\n");
    put_rows(w);
    put_columns(w);
    put_sides(w);
    berth__text_add(&w->text, "BOUNDS\n");
    for (size_t j = 0; j < p->n_vars; j++) {
        put_bounds_of(w, j);
    }
    berth__text_add(&w->text, "ENDATA\n");
}

berth_status berth__problem_write_mps(const berth_problem *problem, bool is_free, char **out, size_t *length,
                                      berth_error *error) {
    mps_writer w = {.problem = problem, .is_free = is_free, .error = error};
    *out = NULL;
    if (check_all(&w) && collect_rows(&w) && transpose(&w)) {
        put_all(&w);
        w.status = berth__text_finish(&w.text, out, length, error);
    }
    berth__text_clear(&w.text);
    berth__unique_names_free(&w.unique);
    berth__free(w.rows);
    berth__free(w.first_row);
    berth__free(w.col_start);
    berth__free(w.row_of);
    berth__free(w.value);
    return w.status;
}
