#include "formats/problem_build.h"

#include <berth_io.h>

#include "base/error.h"
#include "formats/bytes.h"
#include "formats/names.h"
#include "formulations/general/defaults.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* ---- collecting ---- */

void berth__problem_begin(berth__problem_builder *b, berth_error *error) {
    *b = (berth__problem_builder){.arena = berth__arena_new(), .error = error, .name = ""};
    if (b->arena == NULL) {
        berth__problem_memory(b);
    }
}

void berth__problem_clear(berth__problem_builder *b) {
    berth__arena_free(b->arena);
    berth__free(b->vars);
    berth__free(b->rows);
    berth__free(b->entries);
    berth__free(b->groups);
    *b = (berth__problem_builder){0};
}

bool berth__problem_memory(berth__problem_builder *b) {
    if (b->status == BERTH_OK) {
        b->status = berth__fail_memory(b->error);
    }
    return false;
}

/* Room for one more element, within what an int can count. */
static bool grow(berth__problem_builder *b, void **array, size_t *capacity, size_t count, size_t size,
                 const char *what) {
    if (b->status != BERTH_OK) {
        return false;
    }
    if (count >= INT_MAX - 1) {
        b->status = berth__fail(b->error, BERTH_E_UNSUPPORTED, NULL, "more than %d %s", INT_MAX - 1, what);
        return false;
    }
    return berth__grow(array, capacity, count, size) || berth__problem_memory(b);
}

/* A copy in the arena; NULL: LETTER and the position, counted from 1. */
static const char *keep_name(berth__problem_builder *b, const char *name, char letter, size_t position) {
    const char *copy = name != NULL ? berth__arena_strdup(b->arena, name)
                                    : berth__arena_printf(b->arena, "%c%zu", letter, position + 1);
    if (copy == NULL) {
        berth__problem_memory(b);
    }
    return copy;
}

bool berth__problem_name(berth__problem_builder *b, const char *name) {
    if (b->status != BERTH_OK) {
        return false;
    }
    const char *copy = berth__arena_strdup(b->arena, name);
    if (copy == NULL) {
        return berth__problem_memory(b);
    }
    b->name = copy;
    return true;
}

bool berth__problem_add_var(berth__problem_builder *b, const char *name, double cost, double lower, double upper,
                            bool is_integer, int group) {
    void *vars = b->vars;
    if (!grow(b, &vars, &b->vars_capacity, b->n_vars, sizeof *b->vars, "variables")) {
        return false;
    }
    b->vars = vars;
    const char *kept = keep_name(b, name, 'x', b->n_vars);
    /* + 0: no number is -0. */
    b->vars[b->n_vars++] = (berth__problem_var){.name = kept,
                                                .cost = cost + 0,
                                                .lower = lower + 0,
                                                .upper = upper + 0,
                                                .is_integer = is_integer,
                                                .group = group};
    return kept != NULL;
}

bool berth__problem_add_row(berth__problem_builder *b, const char *name, double lower, double upper) {
    void *rows = b->rows;
    if (!grow(b, &rows, &b->rows_capacity, b->n_rows, sizeof *b->rows, "rows")) {
        return false;
    }
    b->rows = rows;
    const char *kept = keep_name(b, name, 'r', b->n_rows);
    b->rows[b->n_rows++] =
        (berth__problem_row){.name = kept, .lower = lower + 0, .upper = upper + 0, .start = b->n_entries};
    return kept != NULL;
}

bool berth__problem_add_group(berth__problem_builder *b, const char *name) {
    void *groups = b->groups;
    if (!grow(b, &groups, &b->groups_capacity, b->n_groups, sizeof *b->groups, "groups")) {
        return false;
    }
    b->groups = groups;
    const char *kept = keep_name(b, name, 'g', b->n_groups);
    b->groups[b->n_groups++] = kept;
    return kept != NULL;
}

bool berth__problem_add_entry(berth__problem_builder *b, size_t var, double value) {
    void *entries = b->entries;
    if (b->status != BERTH_OK) {
        return false;
    }
    const char *row = b->rows[b->n_rows - 1].name;
    if (var >= b->n_vars) {
        b->status = berth__fail(b->error, BERTH_E_INTERNAL, row, "entry of variable %zu of %zu", var, b->n_vars);
        return false;
    }
    if (!isfinite(value)) {
        b->status =
            berth__fail(b->error, BERTH_E_INPUT, row, "the coefficient of \"%.100s\" is not finite", b->vars[var].name);
        return false;
    }
    if (b->vars[var].last_in == b->n_rows) {
        b->status =
            berth__fail(b->error, BERTH_E_INPUT, row, "the variable \"%.100s\" is there twice", b->vars[var].name);
        return false;
    }
    b->vars[var].last_in = b->n_rows;
    if (value == 0) {
        return true;
    }
    if (!grow(b, &entries, &b->entries_capacity, b->n_entries, sizeof *b->entries, "entries")) {
        return false;
    }
    b->entries = entries;
    b->entries[b->n_entries++] = (berth__problem_entry){.var = (int)var, .value = value};
    return true;
}

/* ---- checking ---- */

static bool fail_at(berth__problem_builder *b, const char *where, const char *what, const char *problem) {
    if (b->status == BERTH_OK) {
        b->status = berth__fail(b->error, BERTH_E_INPUT, where, "%s %s", what, problem);
    }
    return false;
}

static bool check_bounds(berth__problem_builder *b, const char *where, double lower, double upper) {
    if (isnan(lower) || isnan(upper)) {
        return fail_at(b, where, "a bound", "is not a number");
    }
    if (lower == (double)INFINITY) {
        return fail_at(b, where, "the lower bound", "is +infinity");
    }
    if (upper == -(double)INFINITY) {
        return fail_at(b, where, "the upper bound", "is -infinity");
    }
    if (lower > upper && b->status == BERTH_OK) {
        b->status = berth__fail(b->error, BERTH_E_INPUT, where, "the lower bound, %.17g, is above the upper one, %.17g",
                                lower, upper);
    }
    return b->status == BERTH_OK;
}

static bool check_numbers(berth__problem_builder *b) {
    if (!isfinite(b->offset)) {
        return fail_at(b, "", "the constant of the objective", "is not finite");
    }
    for (size_t j = 0; j < b->n_vars; j++) {
        if (!isfinite(b->vars[j].cost)) {
            return fail_at(b, b->vars[j].name, "the cost", "is not finite");
        }
        if (!check_bounds(b, b->vars[j].name, b->vars[j].lower, b->vars[j].upper)) {
            return false;
        }
    }
    for (size_t i = 0; i < b->n_rows; i++) {
        if (!check_bounds(b, b->rows[i].name, b->rows[i].lower, b->rows[i].upper)) {
            return false;
        }
    }
    return true;
}

/* Names at `first`, `stride` bytes apart. */
static bool check_unique(berth__problem_builder *b, const void *first, size_t stride, size_t n, const char *what) {
    berth__names seen = {0};
    if (!berth__names_init(&seen, n)) {
        return berth__problem_memory(b);
    }
    for (size_t k = 0; k < n && b->status == BERTH_OK; k++) {
        const char *name = *(const char *const *)(const void *)((const char *)first + k * stride);
        if (berth__names_add(&seen, name, k) != BERTH__NO_NAME) {
            b->status = berth__fail(b->error, BERTH_E_INPUT, name, "two %s have this name", what);
        }
    }
    berth__names_free(&seen);
    return b->status == BERTH_OK;
}

/* ---- finishing ---- */

static int by_var(const void *a, const void *b) {
    int x = ((const berth__problem_entry *)a)->var, y = ((const berth__problem_entry *)b)->var;
    return (x > y) - (x < y);
}

static void sort_row(berth__problem_entry *entries, size_t n) {
    for (size_t k = 1; k < n; k++) {
        if (entries[k - 1].var > entries[k].var) {
            qsort(entries, n, sizeof *entries, by_var);
            return;
        }
    }
}

static bool copy_vars(berth__problem_builder *b, berth_problem *problem) {
    size_t n = problem->n_vars = b->n_vars;
    const char **names = BERTH__ARENA_ARRAY(b->arena, const char *, n);
    double *cost = BERTH__ARENA_ARRAY(b->arena, double, n);
    double *lower = BERTH__ARENA_ARRAY(b->arena, double, n);
    double *upper = BERTH__ARENA_ARRAY(b->arena, double, n);
    bool *is_integer = BERTH__ARENA_ARRAY(b->arena, bool, n);
    int *group = BERTH__ARENA_ARRAY(b->arena, int, n);
    if (names == NULL || cost == NULL || lower == NULL || upper == NULL || is_integer == NULL || group == NULL) {
        return berth__problem_memory(b);
    }
    for (size_t j = 0; j < n; j++) {
        names[j] = b->vars[j].name;
        cost[j] = b->vars[j].cost;
        lower[j] = b->vars[j].lower;
        upper[j] = b->vars[j].upper;
        is_integer[j] = b->vars[j].is_integer;
        group[j] = b->vars[j].group;
    }
    problem->var_names = names;
    problem->cost = cost;
    problem->lower = lower;
    problem->upper = upper;
    problem->is_integer = is_integer;
    problem->group = b->n_groups > 0 ? group : NULL;
    return true;
}

static bool copy_rows(berth__problem_builder *b, berth_problem *problem) {
    size_t m = problem->n_rows = b->n_rows;
    const char **names = BERTH__ARENA_ARRAY(b->arena, const char *, m);
    double *lower = BERTH__ARENA_ARRAY(b->arena, double, m);
    double *upper = BERTH__ARENA_ARRAY(b->arena, double, m);
    size_t *start = BERTH__ARENA_ARRAY(b->arena, size_t, m + 1);
    int *var_of = BERTH__ARENA_ARRAY(b->arena, int, b->n_entries);
    double *value = BERTH__ARENA_ARRAY(b->arena, double, b->n_entries);
    if (names == NULL || lower == NULL || upper == NULL || start == NULL || var_of == NULL || value == NULL) {
        return berth__problem_memory(b);
    }
    for (size_t i = 0; i < m; i++) {
        names[i] = b->rows[i].name;
        lower[i] = b->rows[i].lower;
        upper[i] = b->rows[i].upper;
        start[i] = b->rows[i].start;
        size_t end = i + 1 < m ? b->rows[i + 1].start : b->n_entries;
        if (end > start[i]) {
            sort_row(b->entries + start[i], end - start[i]);
        }
    }
    start[m] = b->n_entries;
    for (size_t e = 0; e < b->n_entries; e++) {
        var_of[e] = b->entries[e].var;
        value[e] = b->entries[e].value;
    }
    problem->row_names = names;
    problem->row_lower = lower;
    problem->row_upper = upper;
    problem->row_start = start;
    problem->var_of = var_of;
    problem->value = value;
    return true;
}

static bool copy_groups(berth__problem_builder *b, berth_problem *problem) {
    const char **names = BERTH__ARENA_ARRAY(b->arena, const char *, b->n_groups);
    if (names == NULL) {
        return berth__problem_memory(b);
    }
    for (size_t g = 0; g < b->n_groups; g++) {
        names[g] = b->groups[g];
    }
    problem->n_groups = b->n_groups;
    problem->group_names = names;
    return true;
}

berth_status berth__problem_finish(berth__problem_builder *b, berth_problem **out) {
    *out = NULL;
    if (b->status != BERTH_OK || !check_numbers(b) ||
        !check_unique(b, b->vars, sizeof *b->vars, b->n_vars, "variables") ||
        !check_unique(b, b->rows, sizeof *b->rows, b->n_rows, "rows") ||
        !check_unique(b, b->groups, sizeof *b->groups, b->n_groups, "groups")) {
        return b->status;
    }
    berth_problem *problem = BERTH__ARENA_ARRAY(b->arena, berth_problem, 1);
    if (problem == NULL) {
        berth__problem_memory(b);
        return b->status;
    }
    berth_problem_init(problem);
    problem->name = b->name;
    problem->maximize = b->maximize;
    problem->offset = b->offset + 0;
    if (!copy_vars(b, problem) || !copy_rows(b, problem) || !copy_groups(b, problem)) {
        return b->status;
    }
    problem->crc32 = berth__problem_crc32(problem);
    problem->memory = b->arena;
    b->arena = NULL;
    *out = problem;
    return BERTH_OK;
}

/* ---- copying ---- */

/* Rows that begin where the last one ended, variables that exist, groups likewise. */
static bool check_shape(berth__problem_builder *b, const berth_problem *problem) {
    bool has_arrays = (problem->n_vars == 0 || problem->cost != NULL) && problem->row_start != NULL &&
                      (problem->n_rows == 0 || (problem->row_lower != NULL && problem->row_upper != NULL)) &&
                      problem->n_vars < INT_MAX && problem->n_rows < INT_MAX && problem->n_groups < INT_MAX;
    if (!has_arrays) {
        return fail_at(b, "problem", "an array", "is missing, or there are more variables or rows than an int counts");
    }
    for (size_t i = 0; i < problem->n_rows; i++) {
        if (problem->row_start[0] != 0 || problem->row_start[i] > problem->row_start[i + 1]) {
            return fail_at(b, "row_start", "the array", "does not begin with 0 or is not ascending");
        }
    }
    for (size_t e = 0; e < problem->row_start[problem->n_rows]; e++) {
        if (problem->var_of[e] < 0 || (size_t)problem->var_of[e] >= problem->n_vars) {
            return fail_at(b, "var_of", "an entry", "is of no variable");
        }
    }
    for (size_t j = 0; j < problem->n_vars; j++) {
        if (berth__var_group(problem, j) >= (int)problem->n_groups) {
            return fail_at(b, "group", "a variable", "is of no group");
        }
    }
    return true;
}

static bool check_name(berth__problem_builder *b, const char *name, const char *what) {
    if (name == NULL || *name == '\0') {
        return fail_at(b, "", what, "has an empty name");
    }
    for (size_t left = strlen(name), step; left > 0; left -= step, name += step) {
        step = berth__utf8_length(name, left);
        if (step == 0) {
            return fail_at(b, name, what, "has a name that is not UTF-8");
        }
    }
    return true;
}

static bool copy_into(berth__problem_builder *b, const berth_problem *problem) {
    char buffer[BERTH__NAME_ROOM];
    b->maximize = problem->maximize;
    b->offset = problem->offset;
    for (size_t j = 0; j < problem->n_vars; j++) {
        const char *name = berth__var_name(problem, j, buffer);
        if (!check_name(b, name, "a variable") ||
            !berth__problem_add_var(b, name, problem->cost[j], berth__var_lower(problem, j),
                                    berth__var_upper(problem, j), berth__var_is_integer(problem, j),
                                    berth__var_group(problem, j))) {
            return false;
        }
    }
    for (size_t g = 0; g < problem->n_groups; g++) {
        const char *name = berth__group_name(problem, g, buffer);
        if (!check_name(b, name, "a group") || !berth__problem_add_group(b, name)) {
            return false;
        }
    }
    for (size_t i = 0; i < problem->n_rows; i++) {
        const char *name = berth__row_name(problem, i, buffer);
        if (!check_name(b, name, "a row") ||
            !berth__problem_add_row(b, name, problem->row_lower[i], problem->row_upper[i])) {
            return false;
        }
        for (size_t e = problem->row_start[i]; e < problem->row_start[i + 1]; e++) {
            if (!berth__problem_add_entry(b, (size_t)problem->var_of[e], problem->value[e])) {
                return false;
            }
        }
    }
    return berth__problem_name(b, problem->name != NULL ? problem->name : "");
}

berth_status berth__problem_copy(const berth_problem *problem, berth_problem **out, berth_error *error) {
    *out = NULL;
    if (problem == NULL || problem->struct_size != sizeof *problem) {
        return berth__fail(error, BERTH_E_ARGUMENT, "problem", "not initialised: call berth_problem_init first");
    }
    berth__problem_builder b;
    berth__problem_begin(&b, error);
    if (b.status == BERTH_OK && check_shape(&b, problem) && copy_into(&b, problem)) {
        berth__problem_finish(&b, out);
    }
    berth_status status = b.status;
    berth__problem_clear(&b);
    if (status == BERTH_E_INPUT) { /* a file's fault elsewhere, here the caller's */
        status = BERTH_E_ARGUMENT;
        if (error != NULL) {
            error->status = status;
        }
    }
    return status;
}

void berth_problem_free(berth_problem *problem) {
    if (problem != NULL) {
        berth__arena_free(problem->memory);
    }
}

/* ---- checksum ---- */

typedef struct checksum {
    uLong crc;
    size_t n;
    unsigned char bytes[4096];
} checksum;

static void flush(checksum *sum) {
    sum->crc = crc32(sum->crc, sum->bytes, (uInt)sum->n);
    sum->n = 0;
}

static void add_byte(checksum *sum, unsigned byte) {
    if (sum->n == sizeof sum->bytes) {
        flush(sum);
    }
    sum->bytes[sum->n++] = (unsigned char)byte;
}

/* Least significant byte first, whatever the machine does. */
static void add_integer(checksum *sum, uint64_t value) {
    for (int k = 0; k < 8; k++) {
        add_byte(sum, (unsigned)(value >> (8 * k)) & 0xFF);
    }
}

static void add_number(checksum *sum, double value) {
    uint64_t bits;
    double plain = value + 0; /* -0 is 0 */
    memcpy(&bits, &plain, sizeof bits);
    add_integer(sum, bits);
}

static void add_text(checksum *sum, const char *text) {
    for (; *text != '\0'; text++) {
        add_byte(sum, (unsigned char)*text);
    }
    add_byte(sum, 0);
}

uint32_t berth__problem_crc32(const berth_problem *problem) {
    char buffer[BERTH__NAME_ROOM];
    checksum sum = {.crc = crc32(0, NULL, 0)};
    add_text(&sum, problem->name != NULL ? problem->name : "");
    add_byte(&sum, problem->maximize);
    add_number(&sum, problem->offset);
    add_integer(&sum, problem->n_vars);
    add_integer(&sum, problem->n_rows);
    add_integer(&sum, problem->n_groups);
    for (size_t j = 0; j < problem->n_vars; j++) {
        add_text(&sum, berth__var_name(problem, j, buffer));
        add_number(&sum, problem->cost[j]);
        add_number(&sum, berth__var_lower(problem, j));
        add_number(&sum, berth__var_upper(problem, j));
        add_byte(&sum, berth__var_is_integer(problem, j));
        add_integer(&sum, (uint64_t)(int64_t)berth__var_group(problem, j));
    }
    for (size_t g = 0; g < problem->n_groups; g++) {
        add_text(&sum, berth__group_name(problem, g, buffer));
    }
    for (size_t i = 0; i < problem->n_rows; i++) {
        add_text(&sum, berth__row_name(problem, i, buffer));
        add_number(&sum, problem->row_lower[i]);
        add_number(&sum, problem->row_upper[i]);
        add_integer(&sum, problem->row_start[i + 1] - problem->row_start[i]);
        for (size_t e = problem->row_start[i]; e < problem->row_start[i + 1]; e++) {
            add_integer(&sum, (uint64_t)(int64_t)problem->var_of[e]);
            add_number(&sum, problem->value[e]);
        }
    }
    flush(&sum);
    return (uint32_t)sum.crc;
}
