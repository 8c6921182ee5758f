/* Putting a berth_problem together, whatever the file was.
 *
 * Variables first or in between, rows one after the other, each followed by its entries; then finish, which checks
 * everything that holds for any format: finite costs and entries, lower <= upper, unique names, no variable twice in
 * a row. Entries come out by increasing variable, zeros dropped, and no number is -0, so that the same programme is
 * the same bytes whatever it was read from.
 *
 * The builder keeps its first failure: after it all calls do nothing and return false. */
#ifndef BERTH_FORMATS_PROBLEM_BUILD_H
#define BERTH_FORMATS_PROBLEM_BUILD_H

#include <berth.h>

#include "base/alloc.h"

/* A finite number of this size or more stands for infinity as a bound or right side of an MPS or LP file, as other
 * solvers take it. */
#define BERTH__FILE_INFINITY 1e30

typedef struct berth__problem_var {
    const char *name; /* in the arena */
    double cost, lower, upper;
    bool is_integer;
    int group;      /* -1: none */
    size_t last_in; /* 1 + the row that had it last */
} berth__problem_var;

typedef struct berth__problem_row {
    const char *name;
    double lower, upper;
    size_t start; /* of its entries */
} berth__problem_row;

typedef struct berth__problem_entry {
    int var;
    double value;
} berth__problem_entry;

typedef struct berth__problem_builder {
    berth__arena *arena; /* becomes the problem's */
    berth_error *error;  /* may be NULL */
    berth_status status;
    const char *name;
    bool maximize;
    double offset;
    berth__problem_var *vars;
    size_t n_vars, vars_capacity;
    berth__problem_row *rows;
    size_t n_rows, rows_capacity;
    berth__problem_entry *entries;
    size_t n_entries, entries_capacity;
    const char **groups;
    size_t n_groups, groups_capacity;
} berth__problem_builder;

/* Clear in any case. */
void berth__problem_begin(berth__problem_builder *builder, berth_error *error);
void berth__problem_clear(berth__problem_builder *builder);

bool berth__problem_name(berth__problem_builder *builder, const char *name);
/* `name` is copied; NULL: x1, x2, ... by position, likewise r1, ... and g1, ..., as files count. */
bool berth__problem_add_var(berth__problem_builder *builder, const char *name, double cost, double lower, double upper,
                            bool is_integer, int group);
bool berth__problem_add_row(berth__problem_builder *builder, const char *name, double lower, double upper);
/* Of the row added last. */
bool berth__problem_add_entry(berth__problem_builder *builder, size_t var, double value);
bool berth__problem_add_group(berth__problem_builder *builder, const char *name);
bool berth__problem_memory(berth__problem_builder *builder); /* records E_MEMORY; returns false */

/* The problem, with its crc32; what is wrong with it is told with the name of the variable or row as `where`. */
berth_status berth__problem_finish(berth__problem_builder *builder, berth_problem **out);

/* A copy with everything filled in and checked, entries sorted: what the writers write. E_ARGUMENT: not a problem. */
berth_status berth__problem_copy(const berth_problem *problem, berth_problem **out, berth_error *error);

/* zlib's crc32 of everything in the problem, defaults filled in; the same on every machine. */
uint32_t berth__problem_crc32(const berth_problem *problem);

#endif
