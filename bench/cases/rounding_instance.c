#include "bench/cases/rounding_instance.h"

#include "base/alloc.h"
#include "base/pcg.h"
#include "solver/solve.h"

#include <math.h>
#include <string.h>

static double between(berth__pcg *stream, double low, double high) {
    return low + (high - low) * berth__pcg_uniform(stream);
}

/* ---- a row at a time; what fails is remembered ---------------------------------------------------------- */

typedef struct draft {
    berth__mpc *mpc;
    int n_vars;
    int n; /* terms of the row so far */
    int *var;
    double *value;
    bool good;
} draft;

static void add_var(draft *d, double cost, double upper) {
    d->good = d->good && berth__mpc_add_var(d->mpc, NULL, cost, upper, true, -1, NULL, NULL) == BERTH_OK;
}

static void add_term(draft *d, int var, double value) {
    d->var[d->n] = var;
    d->value[d->n++] = value;
}

static void end_row(draft *d, bool cover, double rhs) {
    d->good = d->good && (cover ? berth__mpc_add_cover : berth__mpc_add_pack)(d->mpc, NULL, rhs, d->n, d->var, d->value,
                                                                              NULL) == BERTH_OK;
    d->n = 0;
}

/* ---- kinds ------------------------------------------------------------------------------------------------ */

static void draw_mixed(draft *d, berth__pcg *stream) {
    int n = d->n_vars, n_cover = 2 + n / 20, n_pack = 2 + n / 20;
    for (int j = 0; j < n; j++) {
        add_var(d, between(stream, 1, 5), HUGE_VAL);
    }
    for (int i = 0; i < n_cover + n_pack; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++) {
            if (j % (n_cover + n_pack) == i || berth__pcg_uniform(stream) < 0.5) {
                add_term(d, j, between(stream, 0.3, 1));
                sum += d->value[d->n - 1];
            }
        }
        end_row(d, i < n_cover, i < n_cover ? 0.5 * sum : 0.75 * sum); /* all variables at .5 and at .75 */
    }
}

static void draw_just_below(draft *d, berth__pcg *stream) {
    int machines = d->n_vars / 2;
    for (int j = 0; j < 2 * machines; j++) {
        add_var(d, between(stream, 1, 5), HUGE_VAL);
    }
    for (int kind = 0; kind < 2; kind++) {
        for (int h = 0; h < machines; h++) {
            add_term(d, 2 * h + kind, 1);
        }
        end_row(d, true, floor(machines * (kind == 0 ? 1.5 : 0.75)));
    }
    for (int h = 0; h < machines; h++) {
        add_term(d, 2 * h, 0.3334);
        add_term(d, 2 * h + 1, 0.3334);
        end_row(d, false, 0.3334 * 2.9994);
    }
}

static void draw_slot(draft *d, berth__pcg *stream) {
    enum { RESOURCES = 3 };
    static const double worker[RESOURCES] = {1, 4, 20}, ps[RESOURCES] = {0, 2, 8}, capacity[RESOURCES] = {4, 24, 120};
    int machines = d->n_vars / 2;
    for (int h = 0; h < machines; h++) {
        double dear = between(stream, 1, 5);
        add_var(d, dear * between(stream, 0.9, 1.1), HUGE_VAL);
        add_var(d, 0.3 * dear, HUGE_VAL);
    }
    for (int kind = 0; kind < 2; kind++) {
        for (int h = 0; h < machines; h++) {
            add_term(d, 2 * h + kind, 1);
        }
        end_row(d, true, kind == 0 ? floor(1.3 * machines) : ceil(0.4 * machines));
    }
    for (int h = 0; h < machines; h++) {
        double level = between(stream, 0.3, 1);
        for (int r = 0; r < RESOURCES; r++) {
            add_term(d, 2 * h, worker[r]);
            if (ps[r] > 0) {
                add_term(d, 2 * h + 1, ps[r]);
            }
            end_row(d, false, r == 0 ? ceil(capacity[r] * level) : capacity[r] * level + worker[r] + ps[r]);
        }
    }
}

static void draw_set_cover(draft *d, berth__pcg *stream) {
    int elements = d->n_vars / 2;
    for (int j = 0; j < d->n_vars; j++) {
        add_var(d, between(stream, 1, 3), HUGE_VAL);
    }
    for (int i = 0; i < elements; i++) {
        for (int j = 0; j < d->n_vars; j++) {
            if (j % elements == i || berth__pcg_uniform(stream) < 6.0 / d->n_vars) {
                add_term(d, j, 1);
            }
        }
        end_row(d, true, (double)berth__pcg_integer(stream, 1, 3));
    }
}

static void draw_wide(draft *d, berth__pcg *stream) {
    int n = d->n_vars;
    for (int j = 0; j < n; j++) {
        add_var(d, between(stream, 1, 2), 1 + (double)(120 / n));
    }
    for (int i = 0; i < 3; i++) {
        for (int j = i; j < n; j += 1 + (i > 0)) {
            add_term(d, j, 1);
        }
        end_row(d, true, i == 0 ? 60 : 30 + i);
    }
    for (int j = 0; j < n; j++) {
        add_term(d, j, 1);
    }
    end_row(d, false, 100);
}

static void draw_knapsack(draft *d, berth__pcg *stream) {
    enum { ROWS = 5 };
    for (int j = 0; j < d->n_vars; j++) {
        add_var(d, between(stream, 20, 100), 1);
    }
    for (int i = 0; i < ROWS; i++) {
        double sum = 0;
        for (int j = 0; j < d->n_vars; j++) {
            add_term(d, j, (double)berth__pcg_integer(stream, 1, 100));
            sum += d->value[j];
        }
        end_row(d, false, floor(sum * 0.4));
    }
}

typedef struct recipe {
    bool maximize;
    void (*draw)(draft *d, berth__pcg *stream);
} recipe;

static const recipe kinds[ROUNDING_N_KINDS] = {
    [ROUNDING_MIXED] = {false, draw_mixed}, [ROUNDING_JUST_BELOW] = {false, draw_just_below},
    [ROUNDING_SLOT] = {false, draw_slot},   [ROUNDING_SET_COVER] = {false, draw_set_cover},
    [ROUNDING_WIDE] = {false, draw_wide},   [ROUNDING_KNAPSACK] = {true, draw_knapsack}};

/* ---- the relaxation -------------------------------------------------------------------------------------- */

/* All backends of this build. */
static berth_backends *all_backends(void) {
    berth_backends *set = NULL;
    if (berth_backends_new(&set) != BERTH_OK) {
        return NULL;
    }
#ifdef BERTH_WITH_GLPK
    if (berth_add_backend(set, berth_glpk_backend()) != BERTH_OK) {
        berth_backends_free(set);
        return NULL;
    }
#endif
    return set;
}

bool rounding_relax(const berth__mpc *mpc, double *x, double *lp) {
    berth_backends *set = all_backends();
    berth__model *model = NULL;
    berth__lp *solver = NULL;
    const berth__lp_result *result = NULL;
    berth__lp_options options;
    berth__lp_options_init(&options);
    options.integers = false;
    bool good = set != NULL && berth__mpc_model(mpc, &model, NULL) == BERTH_OK &&
                berth__lp_open(model, set, "auto", &solver, NULL) == BERTH_OK &&
                berth__lp_solve(solver, &options, &result, NULL) == BERTH_OK && result->outcome == BERTH_OPTIMAL;
    if (good) {
        memcpy(x, result->x, (size_t)model->n_cols * sizeof *x);
        *lp = result->objective;
    }
    berth__lp_close(solver);
    berth__model_free(model);
    berth_backends_free(set);
    return good;
}

rounding_instance *rounding_instance_new(rounding_kind kind, int n_vars, uint64_t seed) {
    rounding_instance *instance = BERTH__NEW_ARRAY(rounding_instance, 1);
    draft d = {.n_vars = n_vars};
    d.var = BERTH__NEW_ARRAY(int, (size_t)n_vars);
    d.value = BERTH__NEW_ARRAY(double, (size_t)n_vars);
    d.good = instance != NULL && d.var != NULL && d.value != NULL &&
             berth__mpc_new(kinds[kind].maximize, &instance->mpc, NULL) == BERTH_OK;
    if (d.good) {
        berth__pcg stream = berth__pcg_key(3, (uint64_t[]){(uint64_t)kind, (uint64_t)n_vars, seed});
        d.mpc = instance->mpc;
        kinds[kind].draw(&d, &stream);
        instance->view = berth__mpc_view(instance->mpc);
        instance->x = BERTH__NEW_ARRAY(double, (size_t)instance->view.n_vars);
        d.good = d.good && instance->x != NULL && rounding_relax(instance->mpc, instance->x, &instance->lp);
    }
    berth__free(d.var);
    berth__free(d.value);
    if (!d.good) {
        rounding_instance_free(instance);
        return NULL;
    }
    return instance;
}

void rounding_instance_free(rounding_instance *instance) {
    if (instance == NULL) {
        return;
    }
    berth__mpc_free(instance->mpc);
    berth__free(instance->x);
    berth__free(instance);
}
