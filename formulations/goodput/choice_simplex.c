/* The simplex method for multiple choice: each job has a key column, the working basis has one column a row. */
#include <math.h>
#include <string.h>

#include "formulations/goodput/choice.h"

static const double least_pivot = 1e-9;

enum { BLOCK = 64 /* jobs priced at a time */, POLL = 64 };

struct berth__choice_basis {
    berth__choice *choice;
    size_t m;
    size_t *extra;     /* [m] point; SIZE_MAX - r: slack of row r */
    size_t *job;       /* [m] of the point; SIZE_MAX */
    double *x;         /* [m] */
    double *residual;  /* [m] capacity less keys */
    double *price;     /* [m] free of sign */
    double *direction; /* [m] */
    double *work;      /* [m * m] factors of the columns */
    double *copy;      /* [m] */
    size_t *pivot;     /* [m] */
    bool *is_basic;    /* [m] slack of a row */
    size_t at;         /* job where pricing goes on */
};
typedef struct berth__choice_basis basis;

static bool is_slack(const basis *b, size_t column) {
    return column > SIZE_MAX - b->m;
}
static size_t slack(size_t row) {
    return SIZE_MAX - row;
}
static size_t row_of_slack(size_t column) {
    return SIZE_MAX - column;
}

/* NULL: out of memory. */
static basis *basis_open(berth__choice *choice) {
    const size_t m = choice->n_rows;
    berth__arena *arena = choice->arena;
    basis *b = BERTH__ARENA_ARRAY(arena, basis, 1);
    if (b == NULL)
        return NULL;
    *b = (basis){.choice = choice, .m = m};
    b->extra = BERTH__ARENA_ARRAY(arena, size_t, m);
    b->job = BERTH__ARENA_ARRAY(arena, size_t, m);
    b->x = BERTH__ARENA_ARRAY(arena, double, m);
    b->residual = BERTH__ARENA_ARRAY(arena, double, m);
    b->price = BERTH__ARENA_ARRAY(arena, double, m);
    b->direction = BERTH__ARENA_ARRAY(arena, double, m);
    b->work = BERTH__ARENA_ARRAY(arena, double, m *m);
    b->copy = BERTH__ARENA_ARRAY(arena, double, m);
    b->pivot = BERTH__ARENA_ARRAY(arena, size_t, m);
    b->is_basic = BERTH__ARENA_ARRAY(arena, bool, m);
    const bool complete = b->extra && b->job && b->x && b->residual && b->price && b->direction && b->work && b->copy &&
                          b->pivot && b->is_basic;
    for (size_t i = 0; complete && i < m; i++) {
        b->extra[i] = slack(i);
        b->job[i] = SIZE_MAX;
        b->is_basic[i] = true;
    }
    return complete ? b : NULL;
}

static void set_residual(basis *b) {
    const berth__choice *c = b->choice;
    memcpy(b->residual, c->capacity, b->m * sizeof *b->residual);
    for (size_t j = 0; j < c->n_jobs; j++) {
        b->residual[c->points[c->key[j]].row] -= c->points[c->key[j]].amount;
    }
}

/* A column relative to its job's key. */
static void column(const basis *b, size_t col, size_t job, double *out) {
    const berth__choice *c = b->choice;
    memset(out, 0, b->m * sizeof *out);
    if (is_slack(b, col)) {
        out[row_of_slack(col)] = 1;
        return;
    }
    out[c->points[col].row] += c->points[col].amount;
    out[c->points[c->key[job]].row] -= c->points[c->key[job]].amount;
}

/* Factors the working basis, rows pivoted. False: singular. work[r * m + i] */
static bool factor(basis *b) {
    const size_t m = b->m;
    double *w = b->work;
    for (size_t i = 0; i < m; i++) {
        column(b, b->extra[i], b->job[i], b->copy);
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
            w[r * m + k] /= w[k * m + k];
            for (size_t i = k + 1; w[r * m + k] != 0 && i < m; i++) {
                w[r * m + i] -= w[r * m + k] * w[k * m + i];
            }
        }
    }
    return true;
}

/* W y = v, in place. */
static void solve(const basis *b, double *v) {
    const size_t m = b->m;
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
    const size_t m = b->m;
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

static double worth(const basis *b, size_t point) {
    const berth__choice_point *p = &b->choice->points[point];
    return p->weight - b->price[p->row] * p->amount;
}

static void set_prices(basis *b) {
    const berth__choice *c = b->choice;
    for (size_t i = 0; i < b->m; i++) {
        b->price[i] =
            is_slack(b, b->extra[i]) ? 0 : c->points[b->extra[i]].weight - c->points[c->key[b->job[i]]].weight;
    }
    solve_transposed(b, b->price);
}

/* The column to enter; false: none. Slacks first, then the best of the next block of jobs that has one. */
static bool choose_entering(basis *b, double tolerance, size_t *col, size_t *job) {
    const berth__choice *c = b->choice;
    double best = tolerance;
    *job = SIZE_MAX;
    for (size_t r = 0; r < b->m; r++) {
        const double amount = c->capacity[r] > 1 ? c->capacity[r] : 1; /* what a price can bring in all */
        if (!b->is_basic[r] && -b->price[r] * amount > best) {
            best = -b->price[r] * amount;
            *col = slack(r);
        }
    }
    if (best > tolerance)
        return true;
    for (size_t seen = 0; seen < c->n_jobs && best <= tolerance;) {
        for (size_t k = 0; k < BLOCK && seen < c->n_jobs; k++, seen++) {
            const size_t j = b->at;
            const double now = worth(b, c->key[j]);
            b->at = j + 1 < c->n_jobs ? j + 1 : 0;
            for (size_t p = c->start[j]; p < c->start[j + 1]; p++) {
                const double gain = worth(b, p) - now;
                if (gain > best) {
                    best = gain;
                    *col = p;
                    *job = j;
                }
            }
        }
    }
    return best > tolerance;
}

/* What the key of a job has left, and how fast the entering column takes it. */
static double key_value(const basis *b, size_t job, size_t entering, double *rate) {
    double x = 1;
    *rate = job == entering ? 1 : 0;
    for (size_t i = 0; i < b->m; i++) {
        if (b->job[i] == job) {
            x -= b->x[i];
            *rate -= b->direction[i];
        }
    }
    return x;
}

typedef struct leaving {
    size_t extra, job; /* one of them is SIZE_MAX */
    double step, rate;
} leaving;

static void consider(leaving *best, size_t extra, size_t job, double x, double rate) {
    if (rate <= least_pivot)
        return;
    const double step = fmax(x, 0) / rate;
    if (step < best->step - 1e-12 || (step < best->step + 1e-12 && rate > best->rate))
        *best = (leaving){extra, job, step, rate};
}

static leaving choose_leaving(const basis *b, size_t entering_job) {
    leaving best = {SIZE_MAX, SIZE_MAX, (double)INFINITY, 0};
    double rate, x;
    for (size_t i = 0; i < b->m; i++) {
        consider(&best, i, SIZE_MAX, b->x[i], b->direction[i]);
        if (b->job[i] != SIZE_MAX) {
            x = key_value(b, b->job[i], entering_job, &rate);
            consider(&best, SIZE_MAX, b->job[i], x, rate);
        }
    }
    if (entering_job != SIZE_MAX) {
        x = key_value(b, entering_job, entering_job, &rate);
        consider(&best, SIZE_MAX, entering_job, x, rate);
    }
    return best;
}

static void set_key(basis *b, size_t job, size_t point) {
    berth__choice *c = b->choice;
    b->residual[c->points[c->key[job]].row] += c->points[c->key[job]].amount;
    c->key[job] = point;
    b->residual[c->points[point].row] -= c->points[point].amount;
}

static void enter(basis *b, size_t i, size_t col, size_t job) {
    if (is_slack(b, b->extra[i]))
        b->is_basic[row_of_slack(b->extra[i])] = false;
    b->extra[i] = col;
    b->job[i] = job;
    if (is_slack(b, col))
        b->is_basic[row_of_slack(col)] = true;
}

static void pivot(basis *b, leaving out, size_t col, size_t job) {
    if (out.job == SIZE_MAX) {
        enter(b, out.extra, col, job);
        return;
    }
    size_t i = 0;
    while (i < b->m && b->job[i] != out.job) {
        i++;
    }
    if (i == b->m) { /* the entering column is of that job */
        set_key(b, job, col);
        return;
    }
    set_key(b, out.job, b->extra[i]);
    enter(b, i, col, job);
}

/* Relative to what the sum is made of; far below what F is told apart by. */
static double tolerance_of(const basis *b) {
    double sum = 0;
    for (size_t j = 0; j < b->choice->n_jobs; j++) {
        sum += fabs(b->choice->points[b->choice->key[j]].weight);
    }
    return 1e-13 * sum;
}

static void finish(basis *b) {
    berth__choice *c = b->choice;
    for (size_t r = 0; r < b->m; r++) {
        c->price[r] = fmax(b->price[r], 0);
    }
    memset(c->split, 0, c->n_jobs * sizeof *c->split);
    for (size_t i = 0; i < b->m; i++) {
        if (b->job[i] != SIZE_MAX && b->x[i] > 1e-9)
            c->split[b->job[i]] = true;
    }
}

bool berth__choice_simplex(berth__choice *choice, const berth__budget *budget) {
    const long most = 100 * (long)(choice->n_jobs + choice->n_rows) + 1000;
    if (choice->basis == NULL)
        choice->basis = basis_open(choice);
    basis *b = choice->basis;
    if (b == NULL)
        return false;
    set_residual(b);
    double tolerance = tolerance_of(b);
    choice->is_optimal = false;
    for (choice->pivots = 0; choice->pivots < most && factor(b); choice->pivots++) {
        size_t col = 0, job = SIZE_MAX;
        if (choice->pivots % POLL == POLL - 1) {
            if (berth__budget_spent(budget))
                break;
            tolerance = tolerance_of(b);
        }
        memcpy(b->x, b->residual, b->m * sizeof *b->x);
        solve(b, b->x);
        set_prices(b);
        if (!choose_entering(b, tolerance, &col, &job)) {
            choice->is_optimal = true;
            break;
        }
        column(b, col, job, b->direction);
        solve(b, b->direction);
        const leaving out = choose_leaving(b, job);
        if (out.extra == SIZE_MAX && out.job == SIZE_MAX)
            break; /* cannot be: all columns are bounded */
        pivot(b, out, col, job);
    }
    finish(b);
    return true;
}
