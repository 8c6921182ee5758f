#include "tests/support/packcover_brute.h"

#include "tests/support/check.h"

#include <string.h>

/* ---- random instances ------------------------------------------------------------------------------ */

typedef struct draft {
    int n_vars, n_cover, n_pack;
    double matrix[PACKCOVER_MOST_ROWS][PACKCOVER_MOST_VARS]; /* -1: no entry */
    double rhs[PACKCOVER_MOST_ROWS], cost[PACKCOVER_MOST_VARS], upper[PACKCOVER_MOST_VARS];
} draft;

static bool one_in(int n, berth__pcg *stream) {
    return berth__pcg_integer(stream, 1, n) == 1;
}

static double tenths(berth__pcg *stream, int low, int high) {
    return (double)berth__pcg_integer(stream, low, high) / 10;
}

static double coefficient(int style, berth__pcg *stream) {
    switch (style) {
    case 0:
        return 1;
    case 1:
        return tenths(stream, 0, 20);
    case 2:
        return (double)berth__pcg_integer(stream, 1, 9);
    default:
        return pow(10, -2 + 4 * berth__pcg_uniform(stream));
    }
}

static void draw_matrix(draft *d, berth__pcg *stream) {
    int style = (int)berth__pcg_integer(stream, 0, 3), density = (int)berth__pcg_integer(stream, 1, 3);
    for (int i = 0; i < d->n_cover + d->n_pack; i++) {
        for (int j = 0; j < d->n_vars; j++) {
            d->matrix[i][j] = berth__pcg_integer(stream, 1, 4) > density ? -1 : coefficient(style, stream);
        }
    }
}

static void draw_columns(draft *d, int most_units, berth__pcg *stream) {
    int style = (int)berth__pcg_integer(stream, 0, 3);
    for (int j = 0; j < d->n_vars; j++) {
        double sum = 0;
        for (int i = 0; i < d->n_cover + d->n_pack; i++) {
            sum += fmax(0, d->matrix[i][j]);
        }
        double cost[] = {1, tenths(stream, 1, 50), one_in(3, stream) ? 0 : tenths(stream, 1, 20),
                         sum + tenths(stream, 0, 5)};
        d->cost[j] = cost[style];
        d->upper[j] = (double)berth__pcg_integer(stream, one_in(10, stream) ? 0 : 1, most_units);
        d->upper[j] += one_in(6, stream) ? 0.5 : 0;
        d->upper[j] = one_in(5, stream) ? HUGE_VAL : d->upper[j];
    }
}

static void draw_right_sides(draft *d, int most_units, berth__pcg *stream) {
    double point[PACKCOVER_MOST_VARS];
    bool solvable = !one_in(5, stream);
    for (int j = 0; j < d->n_vars; j++) {
        point[j] = floor((fmin(d->upper[j], most_units) + 1) * berth__pcg_uniform(stream));
        point[j] = fmin(point[j], floor(fmin(d->upper[j], most_units)));
    }
    for (int i = 0; i < d->n_cover + d->n_pack; i++) {
        double activity = 0,
               factor = i < d->n_cover ? 0.4 + 0.6 * berth__pcg_uniform(stream) : 1 + 0.5 * berth__pcg_uniform(stream);
        for (int j = 0; j < d->n_vars; j++) {
            activity += fmax(0, d->matrix[i][j]) * point[j];
        }
        factor = one_in(3, stream) ? 1 : factor;
        d->rhs[i] = activity * (solvable ? factor : 2 * berth__pcg_uniform(stream));
        d->rhs[i] = one_in(15, stream) && (i < d->n_cover || !solvable) ? 0 : d->rhs[i];
    }
}

static void repeat_something(draft *d, berth__pcg *stream) {
    int n_rows = d->n_cover + d->n_pack;
    if (one_in(5, stream) && d->n_vars > 1) {
        for (int i = 0; i < n_rows; i++) {
            d->matrix[i][1] = d->matrix[i][0];
        }
        d->cost[1] = d->cost[0];
    }
    if (one_in(5, stream) && d->n_cover > 1) {
        memcpy(d->matrix[1], d->matrix[0], sizeof d->matrix[0]);
        d->rhs[1] = d->rhs[0];
    }
    if (one_in(5, stream) && d->n_pack > 1) {
        memcpy(d->matrix[n_rows - 1], d->matrix[n_rows - 2], sizeof d->matrix[0]);
        d->rhs[n_rows - 1] = d->rhs[n_rows - 2];
    }
}

static packcover_case *build(const draft *d, bool maximize) {
    packcover_case *c = packcover_case_new(d->n_vars);
    c->view.maximize = maximize;
    memcpy(c->cost, d->cost, (size_t)d->n_vars * sizeof *c->cost);
    memcpy(c->upper, d->upper, (size_t)d->n_vars * sizeof *c->upper);
    for (int i = 0; i < d->n_cover + d->n_pack; i++) {
        (i < d->n_cover ? packcover_case_cover : packcover_case_pack)(c, d->rhs[i]);
        for (int j = 0; j < d->n_vars; j++) {
            if (d->matrix[i][j] >= 0) {
                packcover_case_entry(c, j, d->matrix[i][j]);
            }
        }
    }
    return c;
}

/* Most units that can be of use: the bound, what a packing row leaves, and what the cover rows can need when costs are
 * paid. */
static double useful_units(const berth__packcover *p, int j) {
    double most = HUGE_VAL, need = 0;
    for (int i = 0; i < p->n_cover + p->n_pack; i++) {
        for (size_t k = p->row_start[i]; k < p->row_start[i + 1]; k++) {
            if (p->col[k] == j && p->value[k] > 0) {
                double units = p->rhs[i] / p->value[k];
                need = i < p->n_cover ? fmax(need, ceil(units)) : need;
                most = i < p->n_cover ? most : fmin(most, floor(units * (1 + 1e-8) + 1e-8));
            }
        }
    }
    return fmin(berth__packcover_top(p, j), p->maximize ? most : fmin(most, need));
}

/* No bound where more than a few units could be of use would make enumeration hopeless, or a maximisation unbounded. */
static void bound(packcover_case *c, int most_units) {
    for (int j = 0; j < c->view.n_vars; j++) {
        if (useful_units(&c->view, j) > 3 * most_units) {
            c->upper[j] = most_units;
        }
    }
}

packcover_case *packcover_random(const packcover_shape *shape, berth__pcg *stream) {
    assert_true(shape->most_vars <= PACKCOVER_MOST_VARS);
    assert_true(shape->most_cover + shape->most_pack <= PACKCOVER_MOST_ROWS);
    bool maximize = one_in(2, stream);
    draft d = {.n_vars = (int)berth__pcg_integer(stream, 1, shape->most_vars),
               .n_cover = (int)berth__pcg_integer(stream, 0, shape->most_cover),
               .n_pack = (int)berth__pcg_integer(stream, 0, shape->most_pack)};
    draw_matrix(&d, stream);
    draw_columns(&d, shape->most_units, stream);
    draw_right_sides(&d, shape->most_units, stream);
    repeat_something(&d, stream);
    packcover_case *c = build(&d, maximize);
    bound(c, shape->most_units);
    return c;
}

/* ---- enumeration ----------------------------------------------------------------------------------- */

typedef struct search {
    const berth__packcover *p;
    const bool *skip;
    double top[PACKCOVER_MOST_VARS];
    double x[PACKCOVER_MOST_VARS], best_x[PACKCOVER_MOST_VARS];
    double best; /* NAN: none yet */
} search;

/* Can a completion of x[0 .. from) still hold the rows? Loose: the leaves are measured. */
static bool hopeful(const search *s, int from) {
    const berth__packcover *p = s->p;
    for (int i = 0; i < p->n_cover + p->n_pack; i++) {
        double sum = 0;
        for (size_t k = p->row_start[i]; k < p->row_start[i + 1]; k++) {
            int j = p->col[k];
            sum += p->value[k] * (j < from ? s->x[j] : i < p->n_cover ? s->top[j] : 0);
        }
        if (i < p->n_cover ? sum < p->rhs[i] * (1 - 1e-7) : sum > p->rhs[i] * (1 + 1e-7) + 1e-300) {
            return false;
        }
    }
    return true;
}

static void descend(search *s, int j) {
    if (!hopeful(s, j)) {
        return;
    }
    if (j == s->p->n_vars) {
        berth__violation v = berth__packcover_measure(s->p, s->x);
        if (v.feasible && (isnan(s->best) || berth__packcover_better(s->p, v.cost, s->best))) {
            s->best = v.cost;
            memcpy(s->best_x, s->x, sizeof s->x);
        }
        return;
    }
    for (double units = 0; units <= s->top[j]; units++) {
        s->x[j] = units;
        descend(s, j + 1);
    }
}

double packcover_brute(const berth__packcover *p, const bool *skip, double *x) {
    assert_true(p->n_vars <= PACKCOVER_MOST_VARS);
    search s = {.p = p, .skip = skip, .best = (double)NAN};
    for (int j = 0; j < p->n_vars; j++) {
        s.top[j] = skip != NULL && skip[j] ? 0 : useful_units(p, j);
        assert_true(s.top[j] < 1e3);
    }
    descend(&s, 0);
    if (x != NULL && !isnan(s.best)) {
        memcpy(x, s.best_x, (size_t)p->n_vars * sizeof *x);
    }
    return s.best;
}
