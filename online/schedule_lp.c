#include "online/schedule_lp.h"

#include "base/alloc.h"
#include "base/error.h"
#include "online/schedule_master.h"

#include <math.h>
#include <string.h>

/* Weight of the best prices seen in those of the next pass; less after each pass that found no column (a mispricing:
 * the smoothed prices then gave a better bound, or the weight is too large). */
static const double smoothing = 0.8;
static const double smoothing_step = 0.4;

/* A column that would add less than this part of its utility is not worth a pass: the master's duals are no more
 * precise. */
#define LEAST_GAIN 1e-8

typedef struct generation {
    const berth__cluster *cluster;
    size_t n_jobs;
    berth__job *const *jobs;
    const int *class_of;
    const berth__schedule_lp_options *options;
    size_t n_rows;
    double *capacity; /* [n_rows] of a class, as shares; rows are (slot, class, resource) */
    double *best;     /* [n_rows] prices of the least bound: the caller's */
    double *prices;   /* [n_rows] of the pass */
    berth__class_view view;
    double *theta;              /* [n_jobs][horizon] */
    berth__bound_trace *traces; /* [n_jobs] */
    berth__schedule_master master;
    bool has_master;
    berth__schedule_lp_result *result;
} generation;

static bool generation_init(generation *g, berth_error *error) {
    size_t T = (size_t)g->cluster->horizon, R = (size_t)g->cluster->n_resources, K = (size_t)g->view.n_classes;
    g->n_rows = T * K * R;
    g->capacity = BERTH__NEW_ARRAY(double, g->n_rows);
    g->prices = BERTH__NEW_ARRAY(double, g->n_rows);
    g->theta = berth__calloc(g->n_jobs, T * sizeof *g->theta);
    g->traces = BERTH__NEW_ARRAY(berth__bound_trace, g->n_jobs);
    if (g->capacity == NULL || g->prices == NULL || g->theta == NULL || g->traces == NULL) {
        berth__fail_memory(error);
        return false;
    }
    for (size_t row = 0; row < g->n_rows; row++) {
        size_t k = row / R % K, r = row % R;
        g->capacity[row] = g->view.count[k] * g->cluster->capacity[(size_t)g->view.machine[k] * R + r];
    }
    memcpy(g->prices, g->best, g->n_rows * sizeof *g->prices);
    g->view.prices = g->prices;
    return true;
}

static void generation_clear(generation *g) {
    for (size_t i = 0; i < g->n_jobs && g->traces != NULL; i++) {
        berth__bound_trace_clear(&g->traces[i]);
    }
    berth__free(g->capacity);
    berth__free(g->prices);
    berth__free(g->theta);
    berth__free(g->traces);
    berth__class_view_clear(&g->view);
    berth__schedule_master_clear(&g->master);
}

/* ---- a pass ---- */

/* B along the ray of the pass's prices. True if it is the least so far, whose prices are then kept. */
static bool keep_bound(generation *g, double *kappa) {
    double value = berth__class_view_value(&g->view);
    berth__dual_bound_result found = berth__search_kappa(g->cluster, g->n_jobs, g->jobs, g->theta, value);
    *kappa = found.kappa;
    if (!(found.value < g->result->bound) && !isnan(g->result->bound)) {
        return false;
    }
    g->result->bound = found.value;
    for (size_t row = 0; row < g->n_rows; row++) {
        g->best[row] = found.kappa * g->prices[row];
    }
    return true;
}

/* The completion slot of the largest payoff at kappa times the prices; -1: no schedule completes. */
static int best_slot(const generation *g, size_t i, double kappa) {
    const berth__job *job = g->jobs[i];
    const double *theta = g->theta + i * (size_t)g->cluster->horizon;
    int best = -1;
    double most = -HUGE_VAL;
    for (int t = job->arrival; t < g->cluster->horizon; t++) {
        double payoff = berth__utility_at(&job->utility, t - job->arrival) - kappa * theta[t];
        if (theta[t] < HUGE_VAL && payoff > most) {
            most = payoff;
            best = t;
        }
    }
    return best;
}

static berth_status add_column(generation *g, size_t i, int slot, bool *added, berth_error *error) {
    berth__schedule_column column;
    bool made = false;
    berth_status status = berth__schedule_column_new(&g->view, g->jobs[i], (int)i, slot, g->class_of, &g->traces[i],
                                                     g->options->backends, &column, &made, error);
    if (status != BERTH_OK || !made) {
        return status;
    }
    bool gains = !g->has_master || berth__schedule_master_gain(&g->master, &column) > LEAST_GAIN * column.utility;
    if (!gains || !(column.utility > 0) || berth__schedule_master_has(&g->master, &column)) {
        berth__schedule_column_clear(&column);
        return BERTH_OK;
    }
    *added = true;
    if (!berth__schedule_master_add(&g->master, &column)) {
        berth__schedule_column_clear(&column);
        return berth__fail_memory(error);
    }
    return BERTH_OK;
}

/* Each job's best answers to the pass's prices, and to the best multiple of them. */
static berth_status add_columns(generation *g, double kappa, bool *added, berth_error *error) {
    berth_status status = BERTH_OK;
    for (size_t i = 0; i < g->n_jobs && status == BERTH_OK; i++) {
        int slot = best_slot(g, i, 1), other = best_slot(g, i, kappa);
        if (slot >= 0) {
            status = add_column(g, i, slot, added, error);
        }
        if (other >= 0 && other != slot && status == BERTH_OK) {
            status = add_column(g, i, other, added, error);
        }
    }
    return status;
}

static void mix_prices(generation *g, double weight) {
    for (size_t row = 0; row < g->n_rows; row++) {
        double ours = g->capacity[row] > 0 ? g->master.row_dual[row] / g->capacity[row] : 0;
        g->prices[row] = weight * g->best[row] + (1 - weight) * ours;
    }
}

/* ---- all passes ---- */

static bool close_enough(const generation *g) {
    return g->has_master && g->result->bound - g->result->master <= g->options->gap * g->result->bound;
}

static bool over(const generation *g) {
    return (g->options->most_passes > 0 && g->result->passes >= g->options->most_passes) ||
           berth__budget_spent(g->options->budget);
}

static void tell(const generation *g) {
    const berth_hooks *hooks = g->options->hooks;
    if (hooks != NULL && hooks->progress != NULL && g->result->bound > 0) {
        hooks->progress(hooks->user, fmax(0, g->result->master) / g->result->bound, 1);
    }
}

static berth_status generate(generation *g, berth_error *error) {
    const berth__schedule_lp_options *options = g->options;
    double weight = smoothing;
    while (!over(g)) {
        double kappa = 1;
        bool added = false;
        berth_status status = berth__class_thetas(&g->view, g->n_jobs, g->jobs, options->levels, options->threads,
                                                  options->budget, g->theta, g->traces, error);
        if (status != BERTH_OK) {
            return status;
        }
        g->result->passes++;
        keep_bound(g, &kappa);
        tell(g);
        if (close_enough(g)) {
            g->result->reached = true;
            return BERTH_OK;
        }
        status = add_columns(g, kappa, &added, error);
        if (status != BERTH_OK) {
            return status;
        }
        if (!added && (!g->has_master || weight <= 0)) {
            g->result->reached = true;
            return BERTH_OK;
        }
        if (added && g->master.n > 0) {
            bool solved = false;
            status = berth__schedule_master_solve(&g->master, options->backends, options->budget, &solved, error);
            if (status != BERTH_OK || !solved) {
                return status;
            }
            g->has_master = true;
            g->result->master = fmax(g->result->master, g->master.value);
            weight = smoothing;
        } else {
            weight = fmax(0, weight - smoothing_step);
        }
        if (close_enough(g)) {
            g->result->reached = true;
            return BERTH_OK;
        }
        mix_prices(g, weight);
    }
    return BERTH_OK;
}

berth_status berth__schedule_lp(const berth__cluster *cluster, size_t n_jobs, berth__job *const *jobs, int n_classes,
                                const int *class_of, const berth__schedule_lp_options *options, double *prices,
                                berth__schedule_lp_result *out, berth_error *error) {
    *out = (berth__schedule_lp_result){.bound = options->known > 0 ? options->known : (double)NAN};
    generation g = {.cluster = cluster,
                    .n_jobs = n_jobs,
                    .jobs = jobs,
                    .class_of = class_of,
                    .options = options,
                    .best = prices,
                    .result = out};
    if (berth__backend_find(options->backends, NULL, BERTH__BACKEND_LP) == NULL) {
        return berth__fail(error, BERTH_E_BACKEND, NULL, "the LP bound needs an LP solver, and there is none");
    }
    berth_status status = berth__class_view_new(cluster, n_classes, class_of, NULL, &g.view, error);
    if (status == BERTH_OK) {
        status = generation_init(&g, error) ? BERTH_OK : BERTH_E_MEMORY;
    }
    if (status == BERTH_OK) {
        status = berth__schedule_master_init(&g.master, g.n_rows, n_jobs, error);
    }
    if (status == BERTH_OK) {
        status = generate(&g, error);
    }
    if (status == BERTH_E_CANCELLED) { /* in the midst of a pass: what there is stays valid */
        berth__error_clear(error);
        status = BERTH_OK;
    }
    generation_clear(&g);
    return status;
}
