#include "bench/cases/theta_clp.h"

#include <Clp_C_Interface.h>

#include "base/alloc.h"

#include <float.h>
#include <math.h>

enum { SCALING_OFF = 0, SCALING_AUTO = 3, PERTURBATION_OFF = 100 };

/* Of a sample. */
static const size_t n_stretches = 3, stretch = 3;

struct theta_clp {
    const theta_instance *instance;
    Clp_Simplex *model;
    bool scaling, rising, sampled;
};

/* ---- the model: columns w_h, then s_h; rows (h, r), then sum w >= W, sum s >= S ---- */

typedef struct matrix {
    int *start, *row;
    double *value, *col_lower, *col_upper, *cost, *row_lower, *row_upper;
} matrix;

static bool matrix_new(size_t n_cols, size_t n_rows, size_t n_entries, matrix *m) {
    *m = (matrix){.start = BERTH__NEW_ARRAY(int, n_cols + 1),
                  .row = BERTH__NEW_ARRAY(int, n_entries),
                  .value = BERTH__NEW_ARRAY(double, n_entries),
                  .col_lower = BERTH__NEW_ARRAY(double, n_cols),
                  .col_upper = BERTH__NEW_ARRAY(double, n_cols),
                  .cost = BERTH__NEW_ARRAY(double, n_cols),
                  .row_lower = BERTH__NEW_ARRAY(double, n_rows),
                  .row_upper = BERTH__NEW_ARRAY(double, n_rows)};
    return m->start != NULL && m->row != NULL && m->value != NULL && m->col_lower != NULL && m->col_upper != NULL &&
           m->cost != NULL && m->row_lower != NULL && m->row_upper != NULL;
}

static void matrix_free(matrix *m) {
    berth__free(m->start);
    berth__free(m->row);
    berth__free(m->value);
    berth__free(m->col_lower);
    berth__free(m->col_upper);
    berth__free(m->cost);
    berth__free(m->row_lower);
    berth__free(m->row_upper);
}

static void fill(const berth__theta_problem *p, matrix *m) {
    int H = p->n_groups, R = p->n_resources, n = 0;
    for (int j = 0; j < 2 * H; j++) {
        int h = j % H;
        const double *demand = j < H ? p->worker : p->ps;
        for (int r = 0; r < R; r++) {
            if (demand[r] > 0) {
                m->row[n] = h * R + r;
                m->value[n++] = demand[r];
            }
        }
        m->row[n] = H * R + (j < H ? 0 : 1);
        m->value[n++] = 1;
        m->start[j + 1] = n;
        m->cost[j] = j < H ? p->price_worker[h] : p->price_ps[h];
        m->col_upper[j] = DBL_MAX;
    }
    for (int i = 0; i < H * R; i++) {
        m->row_lower[i] = -DBL_MAX;
        m->row_upper[i] = p->capacity[i] * p->count[i / R];
    }
    double *cover = m->row_upper + (size_t)H * (size_t)R;
    cover[0] = cover[1] = DBL_MAX;
}

static Clp_Simplex *load(const berth__theta_problem *p, bool scaling) {
    int n_cols = 2 * p->n_groups, n_rows = p->n_groups * p->n_resources + 2;
    matrix m;
    Clp_Simplex *model = NULL;
    if (matrix_new((size_t)n_cols, (size_t)n_rows, (size_t)n_cols * ((size_t)p->n_resources + 1), &m)) {
        fill(p, &m);
        model = Clp_newModel();
        Clp_setLogLevel(model, 0);
        Clp_scaling(model, scaling ? SCALING_AUTO : SCALING_OFF);
        Clp_setPerturbation(model, PERTURBATION_OFF);
        Clp_loadProblem(model, n_cols, n_rows, m.start, m.row, m.value, m.col_lower, m.col_upper, m.cost, m.row_lower,
                        m.row_upper);
    }
    matrix_free(&m);
    return model;
}

/* ---- solving ---- */

static bool solve(const theta_clp *clp, size_t i, double *cost) {
    const berth__theta_problem *p = &clp->instance->problem;
    double *cover = Clp_rowLower(clp->model) + (size_t)p->n_groups * (size_t)p->n_resources;
    cover[0] = clp->instance->W[i];
    cover[1] = clp->instance->S[i];
    Clp_dual(clp->model, 0);
    *cost = Clp_objectiveValue(clp->model);
    return Clp_status(clp->model) == 0;
}

/* Values first .. first + count - 1 in this direction, from the basis of the one before the first. */
static bool solve_stretch(const theta_clp *clp, size_t first, size_t count, bench_clock *clock, double *cost) {
    size_t n = clp->instance->n, last = first + count - 1;
    size_t before = clp->rising ? first - (first > 0) : last + (last + 1 < n);
    double unused;
    bench_clock_pause(clock);
    bool good = solve(clp, before, &unused);
    bench_clock_resume(clock);
    for (size_t k = 0; good && k < count; k++) {
        size_t i = clp->rising ? first + k : last - k;
        good = solve(clp, i, &cost[i]);
    }
    return good;
}

bool theta_clp_sweep(theta_clp *clp, bench_clock *clock, double *cost) {
    size_t n = clp->instance->n;
    for (size_t i = 0; i < n; i++) {
        cost[i] = (double)NAN;
    }
    if (!clp->sampled || n < n_stretches * stretch) {
        return solve_stretch(clp, 0, n, clock, cost);
    }
    bool good = true;
    for (size_t k = 0; good && k < n_stretches; k++) {
        size_t middle = n * (2 * k + 1) / (2 * n_stretches);
        good = solve_stretch(clp, middle - stretch / 2, stretch, clock, cost);
    }
    clock->factor = (double)n / (double)(n_stretches * stretch);
    return good;
}

/* ---- choosing how ---- */

/* Seconds of the second sweep, the first being cold; INFINITY if it fails. */
static double try_out(theta_clp *clp, double *cost) {
    bench_clock clock = {0};
    for (int i = 0; i < 2; i++) {
        clock = (bench_clock){.factor = 1, .share = 1};
        bench_clock_resume(&clock);
        if (clp->model == NULL || !theta_clp_sweep(clp, &clock, cost)) {
            return (double)INFINITY;
        }
        bench_clock_pause(&clock);
    }
    return clock.elapsed_s;
}

theta_clp *theta_clp_new(const theta_instance *instance, bool sampled) {
    theta_clp *best = berth__calloc(1, sizeof *best);
    double *cost = BERTH__NEW_ARRAY(double, instance->n);
    double best_s = (double)INFINITY;
    for (int way = 0; best != NULL && cost != NULL && way < 4; way++) {
        theta_clp clp = {.instance = instance, .scaling = way % 2 > 0, .rising = way / 2 > 0, .sampled = sampled};
        clp.model = load(&instance->problem, clp.scaling);
        double seconds = try_out(&clp, cost);
        if (seconds < best_s) {
            best_s = seconds;
            Clp_Simplex *worse = best->model;
            *best = clp;
            clp.model = worse;
        }
        if (clp.model != NULL) {
            Clp_deleteModel(clp.model);
        }
    }
    berth__free(cost);
    if (best != NULL && best->model == NULL) {
        berth__free(best);
        best = NULL;
    }
    return best;
}

void theta_clp_free(theta_clp *clp) {
    if (clp != NULL) {
        Clp_deleteModel(clp->model);
        berth__free(clp);
    }
}

bool theta_clp_scaling(const theta_clp *clp) {
    return clp->scaling;
}

bool theta_clp_rising(const theta_clp *clp) {
    return clp->rising;
}
