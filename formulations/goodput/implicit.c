/* The simplex method for multiple choice: each set has a key column, the working basis has one column a row. */
#include "formulations/goodput/implicit.h"

#include <math.h>
#include <string.h>

static const double least_pivot = 1e-9;

enum { POLL = 64, MANY = 1000 /* sets: then more often */ };

typedef berth__implicit basis;

static bool is_slack(const basis *b, size_t column) {
    return column > SIZE_MAX - b->n_rows;
}
static size_t slack(size_t row) {
    return SIZE_MAX - row;
}
static size_t row_of_slack(size_t column) {
    return SIZE_MAX - column;
}

bool berth__implicit_open(basis *b, berth__arena *arena, size_t n_rows, size_t n_sets,
                          berth__implicit_columns columns) {
    const size_t m = n_rows;
    *b = (basis){.columns = columns, .n_rows = n_rows, .n_sets = n_sets, .precision = 1e-13};
    b->capacity = BERTH__ARENA_ARRAY(arena, double, m);
    b->key = BERTH__ARENA_ARRAY(arena, size_t, n_sets);
    b->extra = BERTH__ARENA_ARRAY(arena, size_t, m);
    b->set = BERTH__ARENA_ARRAY(arena, size_t, m);
    b->x = BERTH__ARENA_ARRAY(arena, double, m);
    b->residual = BERTH__ARENA_ARRAY(arena, double, m);
    b->price = BERTH__ARENA_ARRAY(arena, double, m);
    b->direction = BERTH__ARENA_ARRAY(arena, double, m);
    b->work = BERTH__ARENA_ARRAY(arena, double, m *m);
    b->copy = BERTH__ARENA_ARRAY(arena, double, m);
    b->pivot = BERTH__ARENA_ARRAY(arena, size_t, m);
    b->is_basic = BERTH__ARENA_ARRAY(arena, bool, m);
    const bool complete = b->capacity && b->key && b->extra && b->set && b->x && b->residual && b->price &&
                          b->direction && b->work && b->copy && b->pivot && b->is_basic;
    for (size_t i = 0; complete && i < m; i++) {
        b->extra[i] = slack(i);
        b->set[i] = SIZE_MAX;
        b->is_basic[i] = true;
    }
    return complete;
}

void berth__implicit_start_with(basis *b, size_t row, size_t column) {
    b->extra[row] = column;
    b->is_basic[row] = false;
}

static void add_column(const basis *b, size_t column, double sign, double *out) {
    b->columns.add(b->columns.user, column, sign, out);
}

static double weight_of(const basis *b, size_t column) {
    return b->columns.weight(b->columns.user, column);
}

static void set_residual(basis *b) {
    memcpy(b->residual, b->capacity, b->n_rows * sizeof *b->residual);
    for (size_t j = 0; j < b->n_sets; j++) {
        add_column(b, b->key[j], -1, b->residual);
    }
}

/* A column relative to its set's key. */
static void relative(const basis *b, size_t column, size_t set, double *out) {
    memset(out, 0, b->n_rows * sizeof *out);
    if (is_slack(b, column)) {
        out[row_of_slack(column)] = 1;
        return;
    }
    add_column(b, column, 1, out);
    if (set != SIZE_MAX)
        add_column(b, b->key[set], -1, out);
}

/* Factors the working basis, rows pivoted. False: singular. work[r * m + i] */
static bool factor(basis *b) {
    const size_t m = b->n_rows;
    double *w = b->work;
    for (size_t i = 0; i < m; i++) {
        relative(b, b->extra[i], b->set[i], b->copy);
        for (size_t r = 0; r < m; r++) {
            w[r * m + i] = b->copy[r];
        }
    }
    for (size_t k = 0; k < m; k++) {
        size_t best = k;
        for (size_t r = k + 1; r < m; r++) {
            best = fabs(w[r * m + k]) > fabs(w[best * m + k]) ? r : best;
        }
        if (fabs(w[best * m + k]) < 1e-12)
            return false;
        b->pivot[k] = best;
        for (size_t i = 0; best != k && i < m; i++) {
            const double moved = w[k * m + i];
            w[k * m + i] = w[best * m + i];
            w[best * m + i] = moved;
        }
        for (size_t r = k + 1; r < m; r++) {
            if (w[r * m + k] == 0)
                continue;
            w[r * m + k] /= w[k * m + k];
            for (size_t i = k + 1; i < m; i++) {
                w[r * m + i] -= w[r * m + k] * w[k * m + i];
            }
        }
    }
    return true;
}

/* W y = v, in place. */
static void solve(const basis *b, double *v) {
    const size_t m = b->n_rows;
    for (size_t k = 0; k < m; k++) {
        const double moved = v[k];
        v[k] = v[b->pivot[k]];
        v[b->pivot[k]] = moved;
    }
    for (size_t k = 0; k < m; k++) {
        for (size_t r = k + 1; r < m; r++) {
            v[r] -= b->work[r * m + k] * v[k];
        }
    }
    for (size_t k = m; k-- > 0;) {
        for (size_t i = k + 1; i < m; i++) {
            v[k] -= b->work[k * m + i] * v[i];
        }
        v[k] /= b->work[k * m + k];
    }
}

/* y W = v, in place. */
static void solve_transposed(const basis *b, double *v) {
    const size_t m = b->n_rows;
    for (size_t k = 0; k < m; k++) {
        for (size_t i = 0; i < k; i++) {
            v[k] -= b->work[i * m + k] * v[i];
        }
        v[k] /= b->work[k * m + k];
    }
    for (size_t k = m; k-- > 0;) {
        for (size_t r = k + 1; r < m; r++) {
            v[k] -= b->work[r * m + k] * v[r];
        }
    }
    for (size_t k = m; k-- > 0;) {
        const double moved = v[k];
        v[k] = v[b->pivot[k]];
        v[b->pivot[k]] = moved;
    }
}

static void set_prices(basis *b) {
    for (size_t i = 0; i < b->n_rows; i++) {
        b->price[i] = is_slack(b, b->extra[i]) ? 0 : weight_of(b, b->extra[i]);
        if (b->set[i] != SIZE_MAX)
            b->price[i] -= weight_of(b, b->key[b->set[i]]);
    }
    solve_transposed(b, b->price);
}

/* The column to enter: slacks first. False: none. */
static bool choose_entering(basis *b, bool changed, double tolerance, size_t *column, size_t *set) {
    double best = tolerance;
    *set = SIZE_MAX;
    for (size_t r = 0; r < b->n_rows; r++) {
        const double amount = b->capacity[r] > 1 ? b->capacity[r] : 1; /* what a price can bring in all */
        if (!b->is_basic[r] && -b->price[r] * amount > best) {
            best = -b->price[r] * amount;
            *column = slack(r);
        }
    }
    return best > tolerance || b->columns.choose(b->columns.user, b->price, changed, tolerance, column, set);
}

/* What the key of a set has left, and how fast the entering column takes it. */
static double key_value(const basis *b, size_t set, size_t entering, double *rate) {
    double x = 1;
    *rate = set == entering ? 1 : 0;
    for (size_t i = 0; i < b->n_rows; i++) {
        if (b->set[i] == set) {
            x -= b->x[i];
            *rate -= b->direction[i];
        }
    }
    return x;
}

double berth__implicit_key_value(const basis *b, size_t set) {
    double rate;
    return key_value(b, set, SIZE_MAX, &rate);
}

typedef struct leaving {
    size_t extra, set; /* one of them is SIZE_MAX */
    double step, rate;
} leaving;

static void consider(leaving *best, size_t extra, size_t set, double x, double rate) {
    if (rate <= least_pivot)
        return;
    const double step = fmax(x, 0) / rate;
    if (step < best->step - 1e-12 || (step < best->step + 1e-12 && rate > best->rate))
        *best = (leaving){extra, set, step, rate};
}

static leaving choose_leaving(const basis *b, size_t entering_set) {
    leaving best = {SIZE_MAX, SIZE_MAX, (double)INFINITY, 0};
    double rate, x;
    for (size_t i = 0; i < b->n_rows; i++) {
        consider(&best, i, SIZE_MAX, b->x[i], b->direction[i]);
        if (b->set[i] != SIZE_MAX) {
            x = key_value(b, b->set[i], entering_set, &rate);
            consider(&best, SIZE_MAX, b->set[i], x, rate);
        }
    }
    if (entering_set != SIZE_MAX) {
        x = key_value(b, entering_set, entering_set, &rate);
        consider(&best, SIZE_MAX, entering_set, x, rate);
    }
    return best;
}

static void set_key(basis *b, size_t set, size_t column) {
    add_column(b, b->key[set], 1, b->residual);
    b->key[set] = column;
    add_column(b, column, -1, b->residual);
}

static void enter(basis *b, size_t i, size_t column, size_t set) {
    if (is_slack(b, b->extra[i]))
        b->is_basic[row_of_slack(b->extra[i])] = false;
    b->extra[i] = column;
    b->set[i] = set;
    if (is_slack(b, column))
        b->is_basic[row_of_slack(column)] = true;
    b->factored = false;
}

static void pivot(basis *b, leaving out, size_t column, size_t set) {
    if (out.set == SIZE_MAX) {
        enter(b, out.extra, column, set);
        return;
    }
    size_t i = 0;
    while (i < b->n_rows && b->set[i] != out.set) {
        i++;
    }
    if (i == b->n_rows) { /* the entering column is of that set: the working basis stays as it is */
        set_key(b, set, column);
        return;
    }
    set_key(b, out.set, b->extra[i]);
    enter(b, i, column, set);
}

/* Relative to what the sum is made of; far below what results are told apart by. */
static double tolerance_of(const basis *b) {
    double sum = 0;
    for (size_t j = 0; j < b->n_sets; j++) {
        sum += fabs(weight_of(b, b->key[j]));
    }
    return b->precision * sum;
}

void berth__implicit_run(basis *b, const berth__budget *budget) {
    const long most = 100 * (long)(b->n_sets + b->n_rows) + 1000;
    const long poll = b->n_sets < MANY ? POLL : b->n_sets < POLL * MANY ? (long)(POLL * MANY / b->n_sets) : 1;
    set_residual(b);
    double tolerance = tolerance_of(b);
    b->factored = b->is_optimal = false;
    for (b->pivots = 0; b->pivots < most; b->pivots++) {
        size_t column = 0, set = SIZE_MAX;
        if (b->pivots % poll == poll - 1) {
            if (berth__budget_spent(budget))
                break;
            if (b->pivots % POLL == POLL - 1)
                tolerance = tolerance_of(b);
        }
        const bool changed = !b->factored;
        if (changed) {
            b->factored = factor(b);
            if (!b->factored)
                break;
            set_prices(b);
        }
        memcpy(b->x, b->residual, b->n_rows * sizeof *b->x);
        solve(b, b->x);
        if (!choose_entering(b, changed, tolerance, &column, &set)) {
            const double before = tolerance; /* keys may have weighed much more when that was set */
            tolerance = tolerance_of(b);
            if (!(tolerance < 0.5 * before) || !choose_entering(b, changed, tolerance, &column, &set)) {
                b->is_optimal = true;
                break;
            }
        }
        relative(b, column, set, b->direction);
        solve(b, b->direction);
        const leaving out = choose_leaving(b, set);
        if (out.extra == SIZE_MAX && out.set == SIZE_MAX)
            break; /* cannot be: all columns are bounded */
        pivot(b, out, column, set);
    }
}
