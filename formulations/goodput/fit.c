/* The seven parameters of time from measured steps.
 *
 * Minimises, over alphas and betas >= 1e-8 and gamma in [1, 10],
 *
 *     rms(ln (fitted step / step)) + rms(ln (fitted gradient / (step - synchronisation)))
 *         + 1e-3 (gamma - 1)^2 + 1e-2 ((beta_n / alpha_n)^2 + (beta_r / alpha_r)^2)
 *
 * as the artifact of Qiao et al. (OSDI 2021) does, rms the root of the mean square. The roots have a kink where the fit
 * is perfect, which is where data without noise lead: so there is a series of smooth functions, sqrt(mean + e^2) less
 * e, with e falling, each minimised from the minimum of the one before by SLSQP (NLopt) with exact derivatives. The
 * first is minimised from several starts.
 *
 * A parameter that no measurement touches is pinned, and its prior left out. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <berth_goodput.h>
#include <nlopt.h>

#include "base/alloc.h"
#include "base/error.h"

enum { ALPHA_C, BETA_C, ALPHA_N, BETA_N, ALPHA_R, BETA_R, GAMMA, PARAMETERS };
enum { STARTS = 4, STAGES = 5, MOST_ROUNDS = 500 };

static const double least = 1e-8, most_gamma = 10; /* what is pinned is pinned at the least */
static const double prior_gamma = 1e-3, prior_beta = 1e-2;
static const double smoothing[STAGES] = {3e-2, 1e-3, 1e-5, 1e-7, 1e-9};

typedef struct fitting {
    const berth_measurement *measurements;
    size_t n;
    const berth_hooks *hooks;
    nlopt_opt optimiser;
    double x[PARAMETERS];     /* those that are pinned keep their value */
    double scale[PARAMETERS]; /* of the optimiser's variables: x = scale y */
    int free[PARAMETERS];     /* which are not pinned, n_free of them */
    unsigned n_free;
    double smooth;
    double best, best_x[PARAMETERS]; /* seen in this stage */
    bool cancelled;
} fitting;

/* ---- model ---- */

/* T_grad, T_iter and the derivatives of the logarithm of T_iter. */
typedef struct prediction {
    double gradient, step;
    double by[PARAMETERS];
} prediction;

static prediction predict(const double x[PARAMETERS], const berth_measurement *m) {
    const double more = fmax((double)m->replicas - 2, least), gamma = x[GAMMA];
    const bool alone = m->replicas == 1;
    const int alpha = m->nodes > 1 ? ALPHA_N : ALPHA_R;
    prediction p = {.gradient = x[ALPHA_C] + x[BETA_C] * m->local};
    const double sync = alone ? least : x[alpha] + x[alpha + 1] * more;
    const double ratio = fmin(p.gradient, sync) / fmax(p.gradient, sync), part = pow(ratio, gamma);
    const double share = (p.gradient < sync ? part : 1) / (1 + part); /* of the gradient in the sum of powers */
    p.step = fmax(p.gradient, sync) * pow(1 + part, 1 / gamma);
    p.by[ALPHA_C] = share / p.gradient;
    p.by[BETA_C] = p.by[ALPHA_C] * m->local;
    if (!alone) {
        p.by[alpha] = (1 - share) / sync;
        p.by[alpha + 1] = p.by[alpha] * more;
    }
    p.by[GAMMA] = (share * log(p.gradient / p.step) + (1 - share) * log(sync / p.step)) / gamma;
    return p;
}

/* ---- objective ---- */

/* Adds the smoothed root of mean to the sum and its derivatives: `by` are half those of the mean. */
static double add_root(double mean, const double by[PARAMETERS], double smooth, double gradient[PARAMETERS]) {
    const double root = sqrt(mean + smooth * smooth);
    for (int k = 0; k < PARAMETERS && root > 0; k++) {
        gradient[k] += by[k] / root;
    }
    return root - smooth;
}

static double add_priors(const fitting *f, const double x[PARAMETERS], double gradient[PARAMETERS]) {
    double sum = 0;
    for (unsigned k = 0; k < f->n_free; k++) {
        const int at = f->free[k];
        if (at == GAMMA) {
            sum += prior_gamma * (x[GAMMA] - 1) * (x[GAMMA] - 1);
            gradient[GAMMA] += 2 * prior_gamma * (x[GAMMA] - 1);
        } else if (at == ALPHA_N || at == ALPHA_R) {
            const double ratio = x[at + 1] / x[at];
            sum += prior_beta * ratio * ratio;
            gradient[at] -= 2 * prior_beta * ratio * ratio / x[at];
            gradient[at + 1] += 2 * prior_beta * ratio / x[at];
        }
    }
    return sum;
}

static double objective(const fitting *f, const double x[PARAMETERS], double smooth, double gradient[PARAMETERS]) {
    double of_steps = 0, of_gradients = 0, by_steps[PARAMETERS] = {0}, by_gradients[PARAMETERS] = {0};
    const double weight = 1 / (double)f->n;
    for (size_t k = 0; k < f->n; k++) {
        const berth_measurement *m = &f->measurements[k];
        const prediction p = predict(x, m);
        const double step = log(p.step / m->step_s), alone = log(p.gradient / (m->step_s - m->sync_s));
        of_steps += weight * step * step;
        of_gradients += weight * alone * alone;
        for (int i = 0; i < PARAMETERS; i++) {
            by_steps[i] += weight * step * p.by[i];
        }
        by_gradients[ALPHA_C] += weight * alone / p.gradient;
        by_gradients[BETA_C] += weight * alone * m->local / p.gradient;
    }
    for (int i = 0; i < PARAMETERS; i++) {
        gradient[i] = 0;
    }
    return add_root(of_steps, by_steps, smooth, gradient) + add_root(of_gradients, by_gradients, smooth, gradient) +
           add_priors(f, x, gradient);
}

/* The objective of the optimiser's variables, which also keeps the best point seen. */
static double evaluate(unsigned n, const double *y, double *by, void *data) {
    fitting *f = data;
    double x[PARAMETERS], gradient[PARAMETERS];
    memcpy(x, f->x, sizeof x);
    for (unsigned k = 0; k < n; k++) {
        x[f->free[k]] = y[k] * f->scale[f->free[k]];
    }
    if (f->hooks != NULL && f->hooks->cancel != NULL && f->hooks->cancel(f->hooks->user)) {
        f->cancelled = true;
        nlopt_force_stop(f->optimiser);
    }
    const double value = objective(f, x, f->smooth, gradient);
    for (unsigned k = 0; by != NULL && k < n; k++) {
        by[k] = gradient[f->free[k]] * f->scale[f->free[k]];
    }
    if (value < f->best) {
        f->best = value;
        memcpy(f->best_x, x, sizeof x);
    }
    return value;
}

/* ---- what can be told ---- */

typedef struct kinds {
    size_t single, local, spread, many_local, many_spread;
    bool one_batch;
} kinds;

static kinds kinds_of(const berth_measurement *all, size_t n) {
    kinds have = {.one_batch = true};
    for (size_t k = 0; k < n; k++) {
        const berth_measurement *m = &all[k];
        have.single += m->replicas == 1;
        have.local += m->replicas > 1 && m->nodes == 1;
        have.spread += m->nodes > 1;
        have.many_local += m->replicas > 2 && m->nodes == 1;
        have.many_spread += m->replicas > 2 && m->nodes > 1;
        have.one_batch = have.one_batch && m->local == all[0].local;
    }
    return have;
}

static unsigned warnings_of(const kinds *have) {
    return (have->single == 0 ? BERTH_FIT_NO_SINGLE : 0U) | (have->local == 0 ? BERTH_FIT_NO_LOCAL : 0U) |
           (have->spread == 0 ? BERTH_FIT_NO_SPREAD : 0U) | (have->one_batch ? BERTH_FIT_ONE_LOCAL : 0U) |
           (have->local > 0 && have->many_local == 0 ? BERTH_FIT_FEW_LOCAL : 0U) |
           (have->spread > 0 && have->many_spread == 0 ? BERTH_FIT_FEW_SPREAD : 0U);
}

/* Pins what nothing touches; scales of what is left, from means of the measurements. */
static void set_up(fitting *f, const kinds *have) {
    const bool touched[PARAMETERS] = {[ALPHA_C] = !have->one_batch,
                                      [BETA_C] = true,
                                      [ALPHA_N] = have->spread > 0,
                                      [BETA_N] = have->many_spread > 0,
                                      [ALPHA_R] = have->local > 0,
                                      [BETA_R] = have->many_local > 0,
                                      [GAMMA] = have->local + have->spread > 0};
    double gradient = 0, batch = 0, sync[2] = {0}, more[2] = {0};
    for (size_t k = 0; k < f->n; k++) {
        const berth_measurement *m = &f->measurements[k];
        gradient += (m->step_s - m->sync_s) / (double)f->n;
        batch += m->local / (double)f->n;
        sync[m->nodes > 1] += m->replicas > 1 ? m->sync_s : 0;
        more[m->nodes > 1] += m->replicas > 2 ? m->replicas - 2.0 : 0;
    }
    const double count[2] = {(double)have->local, (double)have->spread};
    f->scale[ALPHA_C] = gradient;
    f->scale[BETA_C] = gradient / batch;
    f->scale[GAMMA] = 1;
    for (int spread = 0; spread < 2; spread++) {
        const double mean = fmax(sync[spread] / fmax(count[spread], 1), 1e-3 * gradient);
        f->scale[spread ? ALPHA_N : ALPHA_R] = mean;
        f->scale[spread ? BETA_N : BETA_R] = mean / fmax(more[spread] / fmax(count[spread], 1), 1);
    }
    for (int k = 0; k < PARAMETERS; k++) {
        f->x[k] = k == GAMMA ? 1 : least;
        if (touched[k]) {
            f->free[f->n_free++] = k;
        }
    }
}

/* ---- minimising ---- */

/* Where the first stage begins: parts of the scales, and gamma. */
static void start_at(const fitting *f, int start, double x[PARAMETERS]) {
    static const double part[STARTS] = {0.5, 0.1, 0.9, 0.5}, gamma[STARTS] = {1.5, 1.1, 3, 6};
    memcpy(x, f->x, sizeof f->x);
    for (unsigned k = 0; k < f->n_free; k++) {
        const int at = f->free[k];
        const bool beta = at % 2 == 1;
        x[at] = at == GAMMA ? gamma[start] : fmax(f->scale[at] * (beta ? 1 - part[start] : part[start]), least);
    }
}

/* A stage from x, which it replaces by the best that it sees. NLopt's failures other than of memory leave what it got
 * to. */
static berth_status minimise(fitting *f, double x[PARAMETERS], bool *converged, berth_error *error) {
    double y[PARAMETERS], value;
    nlopt_set_maxeval(f->optimiser, MOST_ROUNDS);
    for (unsigned k = 0; k < f->n_free; k++) {
        y[k] = fmax(x[f->free[k]], f->free[k] == GAMMA ? 1 : least) / f->scale[f->free[k]];
    }
    f->best = (double)INFINITY;
    memcpy(f->best_x, x, sizeof f->best_x);
    const nlopt_result result = nlopt_optimize(f->optimiser, y, &value);
    if (result == NLOPT_OUT_OF_MEMORY) {
        return berth__fail_memory(error);
    }
    if (f->cancelled) {
        return berth__fail(error, BERTH_E_CANCELLED, NULL, "the fit was cancelled");
    }
    *converged = (result > 0 && result != NLOPT_MAXEVAL_REACHED) || result == NLOPT_ROUNDOFF_LIMITED;
    memcpy(x, f->best_x, sizeof f->best_x);
    return BERTH_OK;
}

static berth_status open_optimiser(fitting *f, berth_error *error) {
    double low[PARAMETERS], high[PARAMETERS];
    f->optimiser = nlopt_create(NLOPT_LD_SLSQP, f->n_free);
    if (f->optimiser == NULL) {
        return berth__fail_memory(error);
    }
    for (unsigned k = 0; k < f->n_free; k++) {
        const bool gamma = f->free[k] == GAMMA;
        low[k] = gamma ? 1 : least / f->scale[f->free[k]];
        high[k] = gamma ? most_gamma : 1e12 / f->scale[f->free[k]];
    }
    nlopt_result result = nlopt_set_lower_bounds(f->optimiser, low);
    result = result > 0 ? nlopt_set_upper_bounds(f->optimiser, high) : result;
    result = result > 0 ? nlopt_set_min_objective(f->optimiser, evaluate, f) : result;
    result = result > 0 ? nlopt_set_ftol_rel(f->optimiser, 1e-12) : result;
    result = result > 0 ? nlopt_set_xtol_rel(f->optimiser, 1e-12) : result;
    return result > 0 ? BERTH_OK
                      : berth__fail(error, result == NLOPT_OUT_OF_MEMORY ? BERTH_E_MEMORY : BERTH_E_INTERNAL, NULL,
                                    "NLopt refused the problem (%d)", (int)result);
}

static berth_status minimise_all(fitting *f, bool *converged, berth_error *error) {
    double best = (double)INFINITY, x[PARAMETERS];
    berth_status status = BERTH_OK;
    f->smooth = smoothing[0];
    for (int start = 0; start < STARTS && status == BERTH_OK; start++) {
        start_at(f, start, x);
        status = minimise(f, x, converged, error);
        if (status == BERTH_OK && f->best < best) {
            best = f->best;
            memcpy(f->x, x, sizeof x);
        }
    }
    for (int stage = 1; stage < STAGES && status == BERTH_OK; stage++) {
        f->smooth = smoothing[stage];
        status = minimise(f, f->x, converged, error);
    }
    return status;
}

/* ---- interface ---- */

static berth_status check_measurement(const berth_measurement *m, size_t k, berth_error *error) {
    const char *field = NULL, *expected = NULL;
    if (m->nodes < 1) {
        field = "nodes", expected = "at least 1";
    } else if (m->replicas < m->nodes) {
        field = "replicas", expected = "at least one a node";
    } else if (m->local < 1 || m->local > 1e9) {
        field = "local", expected = "from 1 to 1e9";
    } else if (!(m->step_s > 1e-12 && m->step_s <= 1e12)) {
        field = "step_s", expected = "from 1e-12 to 1e12";
    } else if (!(m->sync_s >= 0 && m->sync_s < m->step_s)) {
        field = "sync_s", expected = "from 0 to less than step_s";
    }
    if (field == NULL) {
        return BERTH_OK;
    }
    char where[48];
    snprintf(where, sizeof where, "/%zu/%s", k, field);
    return berth__fail(error, BERTH_E_ARGUMENT, where, "%s is out of range; expected %s", field, expected);
}

/* Errors of step times. */
static void measure_errors(const fitting *f, berth_goodput_fit *fit, double *fitted) {
    for (size_t k = 0; k < f->n; k++) {
        fitted[k] = predict(f->x, &f->measurements[k]).step;
        const double error = fabs(fitted[k] / f->measurements[k].step_s - 1);
        fit->step_error += error / (double)f->n;
        if (error > fit->worst_error) {
            fit->worst_error = error;
            fit->worst = k;
        }
    }
    fit->fitted = fitted;
}

static void fill(const fitting *f, const kinds *have, bool converged, berth_goodput_fit *fit, double *fitted) {
    double gradient[PARAMETERS];
    fit->alpha_c = f->x[ALPHA_C];
    fit->beta_c = f->x[BETA_C];
    fit->alpha_n = f->x[ALPHA_N];
    fit->beta_n = f->x[BETA_N];
    fit->alpha_r = f->x[ALPHA_R];
    fit->beta_r = f->x[BETA_R];
    fit->gamma = f->x[GAMMA];
    fit->objective = objective(f, f->x, 0, gradient);
    measure_errors(f, fit, fitted);
    fit->warnings = warnings_of(have);
    if (have->local + have->spread > 0 && (fit->gamma <= 1 + 1e-6 || fit->gamma >= most_gamma - 1e-6)) {
        fit->warnings |= BERTH_FIT_AT_BOUND;
    }
    fit->warnings |= (fit->step_error > 0.25 ? BERTH_FIT_POOR : 0U) | (converged ? 0U : BERTH_FIT_UNCONVERGED);
}

berth_status berth_goodput_fit_new(const berth_measurement *measurements, size_t n, const berth_hooks *hooks,
                                   berth_goodput_fit **out, berth_error *error) {
    berth__error_clear(error);
    if (out == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "out", "out must not be NULL");
    }
    *out = NULL;
    if (measurements == NULL || n == 0) {
        return berth__fail(error, BERTH_E_ARGUMENT, "measurements", "there are none; expected at least one");
    }
    berth_status status = BERTH_OK;
    for (size_t k = 0; k < n && status == BERTH_OK; k++) {
        status = check_measurement(&measurements[k], k, error);
    }
    if (status != BERTH_OK) {
        return status;
    }
    fitting f = {.measurements = measurements, .n = n, .hooks = hooks};
    const kinds have = kinds_of(measurements, n);
    bool converged = false;
    berth__arena *arena = berth__arena_new();
    berth_goodput_fit *fit = arena != NULL ? BERTH__ARENA_ARRAY(arena, berth_goodput_fit, 1) : NULL;
    double *fitted = fit != NULL ? BERTH__ARENA_ARRAY(arena, double, n) : NULL;
    if (fitted == NULL) {
        berth__arena_free(arena);
        return berth__fail_memory(error);
    }
    set_up(&f, &have);
    status = open_optimiser(&f, error);
    status = status == BERTH_OK ? minimise_all(&f, &converged, error) : status;
    nlopt_destroy(f.optimiser);
    if (status != BERTH_OK) {
        berth__arena_free(arena);
        return status;
    }
    fill(&f, &have, converged, fit, fitted);
    fit->memory = arena;
    *out = fit;
    return BERTH_OK;
}

void berth_goodput_fit_free(berth_goodput_fit *fit) {
    if (fit != NULL) {
        berth__arena_free(fit->memory);
    }
}
