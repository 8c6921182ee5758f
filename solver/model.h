/* A sparse LP or MIP, row bounds on both sides, checked before any backend sees it.
 *
 *     min or max  offset + cost . x   s.t.  row_lower <= A x <= row_upper,  col_lower <= x <= col_upper,
 *     x_j integer where is_integer[j]
 *
 * Built row by row or column by column from triplets, then finished: entries sorted by column and row,
 * explicit zeros dropped, and rejected with the row's and column's name: NaN or infinite coefficients,
 * duplicate entries, indices out of range, lower > upper, a lower bound of +inf or an upper of -inf.
 * Infinity is INFINITY here; backends map it. */
#ifndef BERTH_SOLVER_MODEL_H
#define BERTH_SOLVER_MODEL_H

#include <berth.h>

typedef struct berth__model {
    /* Readable after berth__model_finish. All arrays are owned. */
    bool maximize;
    double offset;
    int n_cols, n_rows;
    size_t n_entries;
    double *cost, *col_lower, *col_upper; /* [n_cols] */
    bool *is_integer;                     /* [n_cols] */
    double *row_lower, *row_upper;        /* [n_rows] */
    size_t *col_start;                    /* [n_cols + 1] into row_of, value */
    int *row_of;                          /* [n_entries], 0-based, increasing within a column */
    double *value;                        /* [n_entries] */
    size_t *row_start;                    /* [n_rows + 1] the same matrix by rows */
    int *col_of;
    double *row_value;
    char **col_name, **row_name; /* entries may be NULL; the arrays themselves too */
    int n_integer;
    struct berth__model_builder *builder; /* NULL once finished */
} berth__model;

berth_status berth__model_new(berth__model **out, berth_error *error);
void berth__model_free(berth__model *model);
/* `name` may be NULL. Returns the index through *col / *row (may be NULL). */
berth_status berth__model_add_col(berth__model *model, const char *name, double cost, double lower, double upper,
                                  bool is_integer, int *col, berth_error *error);
berth_status berth__model_add_row(berth__model *model, const char *name, double lower, double upper, int *row,
                                  berth_error *error);
berth_status berth__model_add_entry(berth__model *model, int row, int col, double value, berth_error *error);
berth_status berth__model_finish(berth__model *model, berth_error *error);
/* A finished model's row bounds may change (the same checks apply); nothing else may. */
berth_status berth__model_set_row_bounds(berth__model *model, int row, double lower, double upper, berth_error *error);

/* The best value of a column apart from all rows, in [col_lower, col_upper] and integral if `integers` and the
 * column is: infinite if there is no best, NAN if there is no such value. 0 or the nearest to it at cost 0. */
double berth__model_best_alone(const berth__model *model, int col, bool integers);

/* ---- Row classes (spec: covering a.x >= b, packing a.x <= b, all of it non-negative) ----
 * Right sides are those left when every column is counted from its lower bound: lower - A l, upper - A l. One that is 0
 * but for the rounding of that difference counts as 0. */

typedef enum berth__row_class {
    BERTH__ROW_FREE,    /* no finite bound, or only that of a cover row with a right side < 0: it always holds */
    BERTH__ROW_COVER,   /* a >= 0, lower >= 0 finite, upper infinite; or its negation */
    BERTH__ROW_PACKING, /* a >= 0, upper >= 0 finite, lower <= 0 or infinite; or its negation */
    BERTH__ROW_BOTH,    /* a range or equality of one sign: one cover and one packing row */
    BERTH__ROW_MIXED    /* coefficients of both signs, an infinite lower bound among its columns, or a packing row with
                         * a right side < 0, which nothing satisfies */
} berth__row_class;

/* A row as packing and covering see it: sign * row has coefficients >= 0, and cover <= sign * A (x - l) <= packing. */
typedef struct berth__row_view {
    berth__row_class class;
    double sign;           /* 1 or -1 */
    double cover, packing; /* right sides; -INFINITY, INFINITY: none. Of a MIXED row for its right side alone: as
                            * computed; of other MIXED rows: none */
} berth__row_view;
berth__row_view berth__model_view_row(const berth__model *model, int row);

/* classes: [n_rows], may be NULL. *is_packing_covering: no mixed row, finite lower bounds, costs of one sign (those of a
 * minimisation <= 0 are profits). *reason gets static text if not (may be NULL). */
void berth__model_classify(const berth__model *model, berth__row_class *classes, bool *is_packing_covering,
                           const char **reason);

#endif
