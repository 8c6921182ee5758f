#include "online/prices.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/tolerance.h"
#include "formulations/slot.h"

#include <math.h>
#include <string.h>

#define DEFAULT_FLOOR 1e-12

/* ln u(d), -HUGE_VAL where u(d) = 0. The sigmoid is positive everywhere, also where a double underflows. */
static double log_utility(const berth_utility *utility, double delay) {
    if (utility->kind != BERTH_UTILITY_SIGMOID) {
        return log(berth__utility_at(utility, delay));
    }
    double z = utility->theta[1] * (delay - utility->theta[2]);
    double log_denominator = z > 36 ? z : log1p(exp(z));
    return log(utility->theta[0]) - log_denominator;
}

static bool fits_somewhere(const berth__cluster *cluster, const berth__job *job) {
    int R = cluster->n_resources;
    bool worker = false, ps = job->workers_per_ps == HUGE_VAL;
    for (int h = 0; h < cluster->n_machines && !(worker && ps); h++) {
        if (job->eligible != NULL && !job->eligible[h]) {
            continue;
        }
        const double *capacity = cluster->capacity + (size_t)h * (size_t)R;
        worker = worker || berth__fit_count(capacity, job->worker, R, 1) > 0;
        ps = ps || berth__fit_count(capacity, job->ps, R, 1) > 0;
    }
    return worker && ps;
}

/* By its allow and avoid: some machine takes jobs, and none of those this one. */
static bool is_left_no_machine(const berth__cluster *cluster, const berth__job *job) {
    bool any_open = false;
    for (int h = 0; h < cluster->n_machines; h++) {
        if (job->eligible == NULL || job->eligible[h]) {
            return false;
        }
        any_open = any_open || cluster->closed == NULL || !cluster->closed[h];
    }
    return any_open;
}

const char *berth__hopeless_text(int hopeless) {
    switch (hopeless) {
    case BERTH__LEFT_NO_MACHINE:
        return "allow and avoid leave it no machine";
    case BERTH__FITS_NOWHERE:
        return "a worker or a parameter server fits on no machine it may use";
    case BERTH__CANNOT_FINISH:
        return "cannot finish before the horizon even at full width on an empty cluster";
    default:
        return "earns nothing at any slot in which it could complete";
    }
}

int berth__job_hopeless(const berth__cluster *cluster, const berth__job *job) {
    if (is_left_no_machine(cluster, job)) {
        return BERTH__LEFT_NO_MACHINE;
    }
    if (!fits_somewhere(cluster, job)) {
        return BERTH__FITS_NOWHERE;
    }
    if (job->fastest_slots > cluster->horizon - job->arrival) {
        return BERTH__CANNOT_FINISH;
    }
    return log_utility(&job->utility, job->fastest_slots - 1) > -HUGE_VAL ? 0 : BERTH__WORTHLESS;
}

/* ln of the smallest positive utility at a feasible completion slot. */
static double log_lowest_utility(const berth__cluster *cluster, const berth__job *job) {
    for (int delay = cluster->horizon - 1 - job->arrival; delay >= job->fastest_slots - 1; delay--) {
        double u = log_utility(&job->utility, delay);
        if (u > -HUGE_VAL) {
            return u;
        }
    }
    return HUGE_VAL;
}

static double demand_sum(const berth__job *job, int R) {
    double sum = 0;
    for (int r = 0; r < R; r++) {
        sum += job->worker[r] + job->ps[r];
    }
    return sum;
}

static void clear_bounds(berth_price_bounds *bounds) {
    berth__free(bounds->upper);
    berth__free(bounds->lower);
    bounds->upper = bounds->lower = NULL;
    bounds->n_resources = 0;
}

void berth_price_bounds_clear(berth_price_bounds *bounds) {
    if (bounds != NULL) {
        clear_bounds(bounds);
    }
}

berth_status berth__price_bounds(const berth__cluster *cluster, size_t n_jobs, berth__job *const *jobs, double floor,
                                 berth_price_bounds *out, berth_error *error) {
    int R = cluster->n_resources;
    *out = (berth_price_bounds){.struct_size = sizeof *out, .n_resources = (size_t)R};
    out->floor = floor > 0 || isnan(floor) ? floor : DEFAULT_FLOOR;
    if (!(out->floor < 1)) {
        return berth__fail(error, BERTH_E_ARGUMENT, "/prices/floor", "floor is %g; expected a number in (0, 1)", floor);
    }
    out->upper = BERTH__NEW_ARRAY(double, (size_t)R);
    out->lower = BERTH__NEW_ARRAY(double, (size_t)R);
    if (out->upper == NULL || out->lower == NULL) {
        clear_bounds(out);
        return berth__fail_memory(error);
    }

    double capacity = 0; /* the sum over machines and resources, in shares: 1 for each resource there is */
    for (int r = 0; r < R; r++) {
        capacity += cluster->total[r] > 0 ? 1 : 0;
    }
    double least_inverse_mu = HUGE_VAL, least_value = HUGE_VAL; /* logarithms */
    for (size_t i = 0; i < n_jobs; i++) {
        const berth__job *job = jobs[i];
        if (berth__job_hopeless(cluster, job) != 0) {
            continue;
        }
        double best = exp(log_utility(&job->utility, job->fastest_slots - 1));
        for (int r = 0; r < R; r++) {
            double demand = job->worker[r] + job->ps[r];
            if (demand > 0) {
                out->upper[r] = fmax(out->upper[r], best / demand);
            }
        }
        double volume = log(ceil(job->worker_slots * (1 - BERTH__FEASIBILITY))) + log(demand_sum(job, R));
        least_inverse_mu = fmin(least_inverse_mu, volume - log(cluster->horizon) - log(capacity));
        least_value = fmin(least_value, log_lowest_utility(cluster, job) - volume);
    }
    double lower = exp(least_inverse_mu + least_value - log(2));
    for (int r = 0; r < R; r++) {
        double least = out->floor * out->upper[r];
        if (out->upper[r] > 0 && !(lower >= least)) {
            out->floored = true;
        }
        out->lower[r] = out->upper[r] > 0 ? fmax(lower, least) : 0;
    }
    return BERTH_OK;
}

berth_status berth_price_bounds_compute(const berth_cluster *spec, const berth_job *specs, size_t n_jobs, double floor,
                                        berth_price_bounds *out, berth_error *error) {
    if (out == NULL || spec == NULL || (specs == NULL && n_jobs > 0)) {
        return berth__fail(error, BERTH_E_ARGUMENT, NULL, "cluster, jobs and out must not be NULL");
    }
    *out = (berth_price_bounds){.struct_size = sizeof *out};
    berth__cluster *cluster = NULL;
    berth__job **jobs = BERTH__NEW_ARRAY(berth__job *, n_jobs);
    berth_status status = jobs == NULL ? berth__fail_memory(error) : berth__cluster_new(spec, &cluster, error);
    status = status == BERTH_OK ? berth__jobs_new(cluster, n_jobs, specs, jobs, error) : status;
    if (status == BERTH_OK) {
        status = berth__price_bounds(cluster, n_jobs, jobs, floor, out, error);
    }
    for (size_t i = 0; jobs != NULL && i < n_jobs; i++) {
        berth__job_free(jobs[i]);
    }
    berth__free(jobs);
    berth__cluster_free(cluster);
    return status;
}

berth__prices *berth__prices_blank(size_t n_resources) {
    berth__prices *prices = berth__calloc(1, sizeof *prices);
    if (prices == NULL) {
        return NULL;
    }
    prices->n_resources = (int)n_resources;
    prices->log_upper = BERTH__NEW_ARRAY(double, n_resources);
    prices->log_span = BERTH__NEW_ARRAY(double, n_resources);
    if (prices->log_upper == NULL || prices->log_span == NULL) {
        berth__prices_free(prices);
        return NULL;
    }
    return prices;
}

berth_status berth__prices_new(const berth_price_bounds *bounds, size_t n_resources, berth__prices **out,
                               berth_error *error) {
    *out = NULL;
    if (bounds == NULL || bounds->struct_size != sizeof *bounds || bounds->n_resources != n_resources ||
        bounds->upper == NULL || bounds->lower == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "/prices",
                           "price bounds for all %zu resources are needed, struct_size set", n_resources);
    }
    for (size_t r = 0; r < n_resources; r++) {
        double upper = bounds->upper[r], lower = bounds->lower[r];
        bool unused = upper == 0 && lower >= 0 && lower < HUGE_VAL;
        if (!unused && !(lower > 0 && upper > lower && upper < HUGE_VAL)) {
            return berth__fail(error, BERTH_E_INPUT, "/prices",
                               "resource %zu has lower %g and upper %g; expected 0 < lower < upper", r, lower, upper);
        }
    }
    berth__prices *prices = berth__prices_blank(n_resources);
    if (prices == NULL) {
        return berth__fail_memory(error);
    }
    prices->floored = bounds->floored;
    for (size_t r = 0; r < n_resources; r++) {
        prices->log_upper[r] = log(bounds->upper[r]);
        prices->log_span[r] = bounds->upper[r] > 0 ? prices->log_upper[r] - log(bounds->lower[r]) : 0;
    }
    *out = prices;
    return BERTH_OK;
}

berth__prices *berth__prices_copy(const berth__prices *prices) {
    size_t n = (size_t)prices->n_resources;
    berth__prices *copy = berth__prices_blank(n);
    if (copy != NULL) {
        copy->floored = prices->floored;
        memcpy(copy->log_upper, prices->log_upper, n * sizeof(double));
        memcpy(copy->log_span, prices->log_span, n * sizeof(double));
    }
    return copy;
}

void berth__prices_free(berth__prices *prices) {
    if (prices != NULL) {
        berth__free(prices->log_upper);
        berth__free(prices->log_span);
        berth__free(prices);
    }
}

double berth__price_at(const berth__prices *prices, int r, double utilisation) {
    /* log U + (x - 1) log(U/L) = log L + x log(U/L); exp(-inf) = 0 is the price of what nobody demands */
    return exp(prices->log_upper[r] + (utilisation - 1) * prices->log_span[r]);
}
