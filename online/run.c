/* An online run over an instance: jobs in order of arrival through a decider, then the certificate. */
#include "base/error.h"
#include "base/numeric.h"
#include "base/sort.h"
#include "online/bound.h"
#include "online/class_prices.h"
#include "online/decider.h"
#include "online/exact_bound.h"
#include "online/execution.h"
#include "online/instance_prices.h"
#include "online/run_record.h"
#include "online/schedule_lp.h"
#include "online/simulate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Why a run with noise has no certificate. */
static const char noise_voids[] = "true speed and work differ from the declared";
/* Over all jobs, for the prices of the certificate. */
enum { SHARPENING_PASSES = 200 };
static const double sharpening_work = 1e9;

typedef struct online_run {
    const berth_instance *instance;
    berth__decider *decider;
    berth_run *run;
    berth__budget budget;
    berth__job **jobs; /* [n_jobs] */
    size_t *order;     /* [n_jobs] by arrival, ties by file order */
    double *decision_us;
} online_run;

/* ---- price bounds ---- */

static bool record_prices(online_run *o, const berth_price_bounds *bounds, bool oracle) {
    size_t R = o->instance->n_resources;
    double *upper = BERTH__ARENA_ARRAY(berth__run_arena(o->run), double, R);
    double *lower = BERTH__ARENA_ARRAY(berth__run_arena(o->run), double, R);
    if (upper == NULL || lower == NULL) {
        return false;
    }
    for (size_t r = 0; r < R; r++) {
        double total = o->decider->cluster->total[r];
        upper[r] = total > 0 ? bounds->upper[r] / total : 0;
        lower[r] = total > 0 ? bounds->lower[r] / total : 0;
    }
    o->run->price_upper = upper;
    o->run->price_lower = lower;
    o->run->price_floor = bounds->floor;
    o->run->price_floored = bounds->floored;
    o->run->price_oracle = oracle;
    return true;
}

/* ---- deciding ---- */

static berth_status take_jobs(online_run *o, berth_error *error) {
    berth_status status = berth__jobs_new(o->decider->cluster, o->instance->n_jobs, o->instance->jobs, o->jobs, error);
    if (status != BERTH_OK) {
        return status;
    }
    /* Stable counting by arrival: file order breaks ties. */
    size_t T = (size_t)o->instance->horizon_slots;
    size_t *next = BERTH__NEW_ARRAY(size_t, T + 1);
    if (next == NULL) {
        return berth__fail_memory(error);
    }
    for (size_t i = 0; i < o->instance->n_jobs; i++) {
        next[o->jobs[i]->arrival + 1]++;
    }
    for (size_t t = 0; t < T; t++) {
        next[t + 1] += next[t];
    }
    for (size_t i = 0; i < o->instance->n_jobs; i++) {
        o->order[next[o->jobs[i]->arrival]++] = i;
    }
    berth__free(next);
    return BERTH_OK;
}

/* A decision whose prices the result does not have, or not as they were. */
static void leave_prices_out(berth_decision *decision) {
    decision->payoff = decision->payoff_bound = (double)NAN;
    decision->price_paid = decision->admitted ? (double)NAN : 0;
}

/* Decides a job by itself. Sets run->stopped if the budget was spent. */
static berth_status decide_job(online_run *o, size_t i, berth_error *error) {
    double start = berth__now_s();
    berth_decision *decision = NULL;
    berth_status status = berth__budget_spent(&o->budget)
                              ? BERTH_E_CANCELLED
                              : berth__decide(o->decider, o->jobs[i], true, &decision, error);
    if (status == BERTH_E_CANCELLED) {
        berth__error_clear(error);
        o->run->stopped = true;
        return BERTH_OK;
    }
    if (status == BERTH_OK) {
        o->decision_us[i] = 1e6 * (berth__now_s() - start);
        if (o->run->noise > 0) {
            leave_prices_out(decision);
        }
        bool kept = berth__run_set_decision(o->run, o->instance, i, decision);
        status = kept ? BERTH_OK : berth__fail_memory(error);
    }
    berth_decision_free(decision);
    return status;
}

static berth_status decide_all(online_run *o, berth_error *error) {
    const berth_hooks *hooks = &o->decider->options.hooks;
    for (size_t k = 0; k < o->instance->n_jobs; k++) {
        if (hooks->progress != NULL) {
            hooks->progress(hooks->user, (double)k, (double)o->instance->n_jobs);
        }
        berth_status status = decide_job(o, o->order[k], error);
        if (status != BERTH_OK || o->run->stopped) {
            return status;
        }
    }
    if (hooks->progress != NULL) {
        hooks->progress(hooks->user, (double)o->instance->n_jobs, (double)o->instance->n_jobs);
    }
    return BERTH_OK;
}

/* ---- deciding slot by slot ---- */

/* The arrivals of a slot: jobs order[from .. from + n). */
static berth_status decide_slot(online_run *o, int slot, size_t from, size_t n, berth_error *error) {
    berth__job **jobs = BERTH__NEW_ARRAY(berth__job *, n);
    berth_decision **decisions = BERTH__NEW_ARRAY(berth_decision *, n);
    berth_status status = jobs == NULL || decisions == NULL ? berth__fail_memory(error) : BERTH_OK;
    double start = berth__now_s();
    for (size_t k = 0; k < n && status == BERTH_OK; k++) {
        jobs[k] = o->jobs[o->order[from + k]];
    }
    if (status == BERTH_OK) {
        const berth__batch batch = {.slot = slot, .n = n, .jobs = jobs, .commit = true};
        status = berth__decide_batch(o->decider, &batch, NULL, decisions, error);
    }
    double micros = 1e6 * (berth__now_s() - start);
    for (size_t k = 0; k < n && decisions != NULL; k++) {
        size_t i = o->order[from + k];
        if (status == BERTH_OK) {
            leave_prices_out(decisions[k]); /* they are bids */
            o->decision_us[i] = micros;
            status =
                berth__run_set_decision(o->run, o->instance, i, decisions[k]) ? BERTH_OK : berth__fail_memory(error);
        }
        berth_decision_free(decisions[k]);
    }
    berth__free(jobs);
    berth__free(decisions);
    return status;
}

/* What became of the plans. Jobs are numbered in the order of arrival. */
static berth_status record_plans(online_run *o, berth_error *error) {
    berth_status status = BERTH_OK;
    for (size_t k = 0; k < o->instance->n_jobs && status == BERTH_OK; k++) {
        size_t i = o->order[k];
        berth_decision *decision = NULL;
        if (o->run->jobs[i].admitted) {
            status = berth__decider_present(o->decider, k, &decision, error);
        }
        if (decision != NULL && !berth__run_set_plan(o->run, o->instance, i, decision)) {
            status = berth__fail_memory(error);
        }
        berth_decision_free(decision);
    }
    return status;
}

/* Of the jobs from order[at] on. */
static size_t count_arrivals(const online_run *o, int slot, size_t at) {
    size_t n = 0;
    while (at + n < o->instance->n_jobs && o->jobs[o->order[at + n]]->arrival == slot) {
        n++;
    }
    return n;
}

static berth_status decide_by_slot(online_run *o, berth_error *error) {
    const berth_hooks *hooks = &o->decider->options.hooks;
    int horizon = o->decider->cluster->horizon;
    size_t at = 0;
    berth_status status = BERTH_OK;
    for (int slot = 0; slot < horizon && status == BERTH_OK; slot++) {
        if (hooks->progress != NULL) {
            hooks->progress(hooks->user, slot, horizon);
        }
        size_t n = count_arrivals(o, slot, at);
        status = berth__budget_spent(&o->budget) ? BERTH_E_CANCELLED : decide_slot(o, slot, at, n, error);
        at += n;
    }
    if (status == BERTH_E_CANCELLED) {
        berth__error_clear(error);
        o->run->stopped = true;
        status = BERTH_OK;
    } else if (status == BERTH_OK && hooks->progress != NULL) {
        hooks->progress(hooks->user, horizon, horizon);
    }
    return status == BERTH_OK ? record_plans(o, error) : status;
}

/* ---- deciding while jobs take less or more than declared ---- */

/* The arrivals of a slot: jobs order[from .. from + n). Those that the budget leaves no time for stay undecided. */
static berth_status decide_arrivals(online_run *o, int slot, size_t from, size_t n, berth_error *error) {
    berth_status status = BERTH_OK;
    if (o->decider->bidlp != NULL) {
        status = berth__budget_spent(&o->budget) ? BERTH_E_CANCELLED : decide_slot(o, slot, from, n, error);
    }
    for (size_t k = from; k < from + n && o->decider->bidlp == NULL && !o->run->stopped && status == BERTH_OK; k++) {
        status = decide_job(o, o->order[k], error);
    }
    if (status == BERTH_E_CANCELLED) {
        berth__error_clear(error);
        o->run->stopped = true;
        status = BERTH_OK;
    }
    return status;
}

/* What was decided is carried out to the end, also if the run is stopped. */
static berth_status carry_out(online_run *o, berth__execution *execution, berth_error *error) {
    const berth_hooks *hooks = &o->decider->options.hooks;
    int horizon = o->decider->cluster->horizon;
    size_t at = 0;
    berth_status status = BERTH_OK;
    for (int slot = 0; slot < horizon && status == BERTH_OK; slot++) {
        size_t n = count_arrivals(o, slot, at);
        if (hooks->progress != NULL) {
            hooks->progress(hooks->user, slot, horizon);
        }
        status = berth__execution_open(execution, slot, error);
        if (status == BERTH_OK && !o->run->stopped) {
            status = decide_arrivals(o, slot, at, n, error);
        }
        for (size_t k = at; k < at + n && status == BERTH_OK; k++) { /* jobs are numbered in the order of arrival */
            if (o->run->jobs[o->order[k]].admitted) {
                status = berth__execution_admit(execution, o->order[k], k, error);
            }
        }
        if (status == BERTH_OK) {
            status = berth__execution_run(execution, slot, error);
        }
        at += n;
    }
    if (status == BERTH_OK && hooks->progress != NULL) {
        hooks->progress(hooks->user, horizon, horizon);
    }
    return status == BERTH_OK ? berth__execution_record(execution, error) : status;
}

static berth_status decide_and_carry_out(online_run *o, berth_error *error) {
    berth__execution *execution = NULL;
    berth_status status = berth__execution_new(o->decider, o->instance, o->jobs, o->run, &execution, error);
    if (status == BERTH_OK) {
        status = carry_out(o, execution, error);
    }
    berth__execution_free(execution);
    return status;
}

/* ---- certificate ---- */

/* Final prices averaged over classes: by symmetry never worse for the bound than the prices themselves. */
static void average_prices(const berth__ledger *ledger, int n_classes, const int *class_of, const double *size,
                           double *out) {
    size_t R = (size_t)ledger->cluster->n_resources, K = (size_t)n_classes;
    for (int t = 0; t < ledger->cluster->horizon; t++) {
        double *row = out + (size_t)t * K * R;
        for (int h = 0; h < ledger->cluster->n_machines; h++) {
            for (size_t r = 0; r < R; r++) {
                row[(size_t)class_of[h] * R + r] += berth__ledger_price(ledger, t, h, (int)r) / size[class_of[h]];
            }
        }
    }
}

static double capacity_value(const berth__ledger *ledger) {
    const berth__cluster *cluster = ledger->cluster;
    double sum = 0;
    for (int t = 0; t < cluster->horizon; t++) {
        for (int h = 0; h < cluster->n_machines; h++) {
            for (int r = 0; r < cluster->n_resources; r++) {
                sum += cluster->capacity[h * cluster->n_resources + r] * berth__ledger_price(ledger, t, h, r);
            }
        }
    }
    return sum;
}

static double arrival_dual(const online_run *o) {
    double sum = capacity_value(o->decider->ledger);
    for (size_t i = 0; i < o->run->n_jobs; i++) {
        sum += o->run->jobs[i].payoff_bound > 0 ? o->run->jobs[i].payoff_bound : 0; /* false for NAN */
    }
    return sum;
}

/* prices: from those of the dual bound, whose value is known, to those of the LP bound. */
static berth_status bound_by_lp(online_run *o, int n_classes, const int *class_of, double known, double *prices,
                                berth_error *error) {
    const berth_options *options = &o->decider->options;
    berth__schedule_lp_options how = {.levels = options->levels,
                                      .threads = options->threads,
                                      .known = known,
                                      .gap = options->bound_gap,
                                      .backends = options->backends,
                                      .budget = &o->budget,
                                      .hooks = &options->hooks};
    berth__schedule_lp_result found;
    berth_status status = berth__schedule_lp(o->decider->cluster, o->instance->n_jobs, o->jobs, n_classes, class_of,
                                             &how, prices, &found, error);
    o->run->bounds.lp = found.bound;
    if (status == BERTH_OK && !found.reached) {
        berth__log(&options->hooks, BERTH_LOG_WARNING,
                   "the LP bound is valid but not as tight as asked: it is %.9g, the LP's value at least %.9g",
                   found.bound, found.master);
    }
    return status;
}

/* Also at the prices of the schedule LP, or near them, from those at hand on; the better prices stay, multiplied by
 * their kappa. */
static berth_status sharpen(online_run *o, int n_classes, const int *class_of, berth__dual_bound_result *bound,
                            double *prices, berth_error *error) {
    const berth__cluster *cluster = o->decider->cluster;
    size_t rows = (size_t)cluster->horizon * (size_t)n_classes * (size_t)cluster->n_resources;
    double *other = BERTH__NEW_ARRAY(double, rows);
    if (other == NULL) {
        return berth__fail_memory(error);
    }
    for (size_t k = 0; k < rows; k++) {
        prices[k] *= bound->kappa;
        other[k] = prices[k];
    }
    berth__dual_bound_result found = {.value = HUGE_VAL};
    berth_status status = berth__class_prices_of_jobs(cluster, o->instance->n_jobs, o->jobs, n_classes, class_of,
                                                      SHARPENING_PASSES, sharpening_work, &o->budget, other, error);
    if (status == BERTH_OK) {
        status = berth__dual_bound_ray(cluster, o->instance->n_jobs, o->jobs, o->decider->options.levels, n_classes,
                                       class_of, other, o->decider->options.threads, &o->budget, &found, error);
    }
    if (status == BERTH_E_CANCELLED) { /* the bound at hand stays valid */
        berth__error_clear(error);
        status = BERTH_OK;
    } else if (status == BERTH_OK && found.value < bound->value) {
        bound->value = found.value;
        for (size_t k = 0; k < rows; k++) {
            prices[k] = found.kappa * other[k];
        }
    }
    berth__free(other);
    return status;
}

static berth_status bound_exactly(online_run *o, berth_error *error) {
    const berth_options *options = &o->decider->options;
    berth_run_bounds *bounds = &o->run->bounds;
    berth_status status = berth__exact_optimum(o->decider->cluster, o->instance->n_jobs, o->jobs, options->backends,
                                               &o->budget, &bounds->exact, error);
    if (status == BERTH_OK && isnan(bounds->exact)) {
        berth__log(&options->hooks, BERTH_LOG_WARNING,
                   "no exact bound: branch and bound was stopped before it proved an optimum");
    }
    return status;
}

/* A solver's optimum that contradicts what is proved is not an optimum. */
static berth_status check_exact(const berth_run *run, berth_error *error) {
    const berth_run_bounds *b = &run->bounds;
    double least = fmin(b->dual, b->lp);
    if (b->exact < run->utility - 1e-6 * fabs(run->utility) || b->exact > least + 1e-6 * fabs(least)) {
        return berth__fail(error, BERTH_E_NUMERIC, "bound",
                           "the solver's optimum %.9g is not between the utility %.9g and the bound %.9g", b->exact,
                           run->utility, least);
    }
    return BERTH_OK;
}

static berth_status certify(online_run *o, double *seconds, berth_error *error) {
    const berth__cluster *cluster = o->decider->cluster;
    size_t H = (size_t)cluster->n_machines, R = (size_t)cluster->n_resources, T = (size_t)cluster->horizon;
    berth__arena *arena = berth__run_arena(o->run);
    double start = berth__now_s();
    berth_certificate *certificate = BERTH__ARENA_ARRAY(arena, berth_certificate, 1);
    int *class_of = BERTH__ARENA_ARRAY(arena, int, H);
    int n_classes = class_of == NULL ? 0 : berth__machine_classes(cluster, o->instance->n_jobs, o->jobs, class_of);
    double *size = BERTH__NEW_ARRAY(double, (size_t)n_classes);
    double *prices = n_classes == 0 ? NULL : BERTH__ARENA_ARRAY(arena, double, T *(size_t)n_classes *R);
    berth__dual_bound_result bound = {.value = (double)NAN, .kappa = 0};
    berth_status status = BERTH_OK;
    if (certificate == NULL || n_classes == 0 || size == NULL || prices == NULL) {
        status = berth__fail_memory(error);
        goto done;
    }
    for (size_t h = 0; h < H; h++) {
        size[class_of[h]] += 1;
    }
    average_prices(berth__decider_ledger(o->decider), n_classes, class_of, size, prices);
    status = berth__dual_bound_ray(cluster, o->instance->n_jobs, o->jobs, o->decider->options.levels, n_classes,
                                   class_of, prices, o->decider->options.threads, &o->budget, &bound, error);
    if (status == BERTH_E_CANCELLED) {
        berth__error_clear(error);
        o->run->stopped = true;
        o->run->bounds.void_because = "the run was stopped before the bound was computed";
        status = BERTH_OK;
        goto done;
    }
    if (status == BERTH_OK) {
        status = sharpen(o, n_classes, class_of, &bound, prices, error);
    }
    if (status == BERTH_OK && o->decider->options.bound >= BERTH_BOUND_LP) {
        status = bound_by_lp(o, n_classes, class_of, bound.value, prices, error);
    }
    if (status == BERTH_OK) {
        for (size_t k = 0; k < T * (size_t)n_classes * R; k++) {
            double total = cluster->total[k % R];
            prices[k] = total > 0 ? prices[k] / total : 0;
        }
        status = o->decider->options.bound >= BERTH_BOUND_EXACT ? bound_exactly(o, error) : BERTH_OK;
        *certificate =
            (berth_certificate){.n_classes = (size_t)n_classes, .class_of_machine = class_of, .prices = prices};
        o->run->certificate = certificate;
        o->run->bounds.dual = bound.value;
    }
done:
    berth__free(size);
    *seconds = berth__now_s() - start;
    return status;
}

/* ---- what was promised ---- */

/* The paper's competitive ratio, 6 G / delta max(1, ln U/L), with the largest G used; it needs every rounding's
 * guarantee and prices no floor touched. */
static void state_closed_form(online_run *o, const berth_price_bounds *bounds) {
    const berth__rounding_stats *stats = &o->decider->stats.rounding;
    berth_run *run = o->run;
    if (run->noise > 0) {
        run->closed_form_why_not = noise_voids;
    } else if (!run->price_oracle) {
        run->closed_form_why_not = "the prices were given, not computed from the jobs";
    } else if (bounds->floored) {
        run->closed_form_why_not = "a lower price was raised to the floor";
    } else if (stats->why_not != NULL) {
        run->closed_form_why_not = stats->why_not;
    } else if (stats->problems == 0) {
        run->closed_form_why_not = "nothing was rounded";
    } else if (stats->solved + stats->repaired < stats->problems) {
        run->closed_form_why_not = "some slot problems found no feasible rounding";
    } else {
        double span = 1;
        for (size_t r = 0; r < bounds->n_resources; r++) {
            if (bounds->upper[r] > 0) {
                span = fmax(span, log(bounds->upper[r] / bounds->lower[r]));
            }
        }
        double ratio = 6 * stats->largest_scale / o->decider->options.delta * span;
        run->closed_form_ratio = isfinite(ratio) ? ratio : (double)NAN;
        run->closed_form_why_not = isfinite(ratio) ? NULL : "it is beyond the range of numbers";
    }
}

/* For policies that place on demand. */
static bool record_placement(online_run *o) {
    const berth__placement_stats *stats = &o->decider->stats.placement;
    berth_placement_summary *summary = BERTH__ARENA_ARRAY(berth__run_arena(o->run), berth_placement_summary, 1);
    if (summary == NULL) {
        return false;
    }
    bool any = stats->slots > 0;
    *summary = (berth_placement_summary){.slots = (double)stats->slots,
                                         .proved = (double)stats->proved,
                                         .worst_gap = any ? stats->gap_worst : (double)NAN,
                                         .mean_gap = any ? stats->gap_sum / (double)stats->slots : (double)NAN};
    o->run->placement = summary;
    return true;
}

/* For policies that round at random. */
static bool record_rounding(online_run *o) {
    const double nan = (double)NAN;
    const berth_rounding_promise none = {nan, nan, nan, nan, nan};
    const berth_rounding_promise *promise = &o->decider->stats.rounding.promise;
    bool promised = o->decider->stats.rounding.guarantee_held > 0 && isfinite(promise->scale) &&
                    isfinite(promise->cost_factor) && isfinite(promise->cover_factor) && isfinite(promise->pack_factor);
    const berth__rounding_stats *stats = &o->decider->stats.rounding;
    berth_rounding_summary *summary = BERTH__ARENA_ARRAY(berth__run_arena(o->run), berth_rounding_summary, 1);
    if (summary == NULL) {
        return false;
    }
    *summary = (berth_rounding_summary){.problems = (double)stats->problems,
                                        .solved = (double)stats->solved,
                                        .repaired = (double)stats->repaired,
                                        .draws = (double)stats->draws,
                                        .guarantee_held = (double)stats->guarantee_held,
                                        .why_not = stats->why_not,
                                        .promise = promised ? stats->promise : none};
    o->run->rounding = summary;
    return true;
}

static bool record_versions(online_run *o) {
    const berth_backends *set = o->decider->options.backends;
    bool complete = berth__run_add_version(o->run, "berth", berth_version());
    for (size_t i = 0; i < berth_backends_count(set); i++) {
        complete =
            complete && berth__run_add_version(o->run, berth_backends_name(set, i), berth_backends_version(set, i));
    }
    return complete;
}

/* ---- timings ---- */

static berth_status record_timings(online_run *o, double total_s, double dual_bound_s, berth_timings *out,
                                   berth_error *error) {
    size_t n = o->instance->n_jobs, decided = 0;
    double *sorted = BERTH__NEW_ARRAY(double, n);
    out->decision_us = BERTH__NEW_ARRAY(double, n);
    if (sorted == NULL || out->decision_us == NULL) {
        berth__free(sorted);
        berth_timings_clear(out);
        return berth__fail_memory(error);
    }
    out->n_jobs = n;
    for (size_t i = 0; i < n; i++) {
        out->decision_us[i] = o->decision_us[i];
        if (!isnan(o->decision_us[i])) {
            sorted[decided++] = o->decision_us[i];
        }
    }
    berth__sort(sorted, decided);
    out->p50_us = berth__quantile(sorted, decided, 0.5);
    out->p99_us = berth__quantile(sorted, decided, 0.99);
    out->max_us = berth__quantile(sorted, decided, 1);
    out->total_s = total_s;
    out->relaxation_s = o->decider->stats.rounding.relaxation_s;
    out->rounding_s = o->decider->stats.rounding.rounding_s;
    out->schedule_s = o->decider->stats.schedule_s;
    out->payoff_bound_s = o->decider->stats.payoff_bound_s;
    out->dual_bound_s = dual_bound_s;
    berth__free(sorted);
    return BERTH_OK;
}

void berth_timings_clear(berth_timings *timings) {
    if (timings != NULL) {
        berth__free(timings->decision_us);
        *timings = (berth_timings){0};
    }
}

/* ---- the whole ---- */

/* A scheduler needs price bounds, which need the cluster and the jobs: it starts with bounds of no price at all and
 * gets its prices once the jobs are known. */
static berth_status start(online_run *o, const berth_options *options, berth_price_bounds *bounds, bool *oracle,
                          berth_error *error) {
    size_t n = o->instance->n_jobs, R = o->instance->n_resources;
    o->jobs = BERTH__NEW_ARRAY(berth__job *, n);
    o->order = BERTH__NEW_ARRAY(size_t, n);
    o->decision_us = BERTH__NEW_ARRAY(double, n);
    double *nothing = BERTH__NEW_ARRAY(double, R);
    berth_status status = BERTH_OK;
    if (o->jobs == NULL || o->order == NULL || o->decision_us == NULL || nothing == NULL) {
        status = berth__fail_memory(error);
        goto done;
    }
    for (size_t i = 0; i < n; i++) {
        o->decision_us[i] = (double)NAN;
    }
    berth_cluster cluster;
    berth_instance_cluster(o->instance, &cluster);
    berth_price_bounds none = {.struct_size = sizeof none, .n_resources = R, .upper = nothing, .lower = nothing};
    status = berth__decider_new(&cluster, &none, options, &o->decider, error);
    if (status == BERTH_OK) {
        status = take_jobs(o, error);
    }
    if (status == BERTH_OK) {
        status = berth__instance_price_bounds(o->instance, o->decider->cluster, o->jobs, o->decider->policy, bounds,
                                              oracle, error);
    }
    if (status == BERTH_OK && o->decider->bidlp == NULL) {
        status = berth__decider_set_prices(o->decider, bounds, error);
    }
    if (status == BERTH_OK) {
        o->decider->outer = &o->budget;
        o->run = berth__run_new(o->instance, &o->decider->options);
        bool priced = berth__decider_priced(o->decider);
        bool complete =
            o->run != NULL && (!priced || record_prices(o, bounds, *oracle)) && berth__run_set_truth(o->run);
        status = complete ? BERTH_OK : berth__fail_memory(error);
    }
done:
    berth__free(nothing);
    return status;
}

static berth_status run_policy(online_run *o, berth_error *error) {
    if (o->decider->slot_policy != NULL) {
        return berth__simulate(o->decider, o->instance, o->jobs, o->order, &o->budget, o->run, error);
    }
    if (o->run->noise > 0) {
        return decide_and_carry_out(o, error);
    }
    return o->decider->bidlp != NULL ? decide_by_slot(o, error) : decide_all(o, error);
}

static berth_status run_online(const berth_instance *instance, const berth_options *options, berth_run **out,
                               berth_timings *timings, berth_error *error) {
    online_run o = {.instance = instance, .budget = berth__budget_start(options->time_limit_s, &options->hooks)};
    berth_price_bounds bounds = {0};
    bool oracle = false;
    double began = berth__now_s(), dual_bound_s = 0;
    berth_status status = start(&o, options, &bounds, &oracle, error);
    if (status == BERTH_OK && options->bound >= BERTH_BOUND_EXACT && !(options->noise > 0)) {
        status = berth__exact_check(o.decider->cluster, instance->n_jobs, o.jobs, options->backends, error);
    }
    if (status == BERTH_OK) {
        status = run_policy(&o, error);
    }
    if (status == BERTH_OK && o.run->stopped) {
        o.run->bounds.void_because = "the run was stopped before the bound was computed";
    } else if (status == BERTH_OK && o.run->noise > 0) {
        o.run->bounds.void_because = noise_voids;
    } else if (status == BERTH_OK) {
        o.run->bounds.arrival_dual = berth__decider_priced(o.decider) && !(o.decider->options.restart_delay_s > 0)
                                         ? arrival_dual(&o)
                                         : (double)NAN;
        status = options->bound != BERTH_BOUND_NONE ? certify(&o, &dual_bound_s, error) : BERTH_OK;
    }
    if (status == BERTH_OK) {
        bool complete = berth__run_summarise(o.run, instance) && berth__run_summarise_estimation(o.run, o.jobs) &&
                        record_versions(&o);
        if (complete && berth__decider_priced(o.decider)) {
            state_closed_form(&o, &bounds);
        } else {
            o.run->closed_form_why_not = "the policy's prices are not the paper's";
        }
        if (complete && o.decider->policy != NULL) {
            complete = o.decider->policy->place != NULL ? record_placement(&o) : record_rounding(&o);
        }
        status = complete ? BERTH_OK : berth__fail_memory(error);
    }
    if (status == BERTH_OK) {
        berth__run_set_best_bound(o.run);
        status = check_exact(o.run, error);
    }
    if (status == BERTH_OK && timings != NULL) {
        status = record_timings(&o, berth__now_s() - began, dual_bound_s, timings, error);
    }
    for (size_t i = 0; o.jobs != NULL && i < instance->n_jobs; i++) {
        berth__job_free(o.jobs[i]);
    }
    berth__free(o.jobs);
    berth__free(o.order);
    berth__free(o.decision_us);
    berth_price_bounds_clear(&bounds);
    berth__decider_free(o.decider);
    if (status == BERTH_OK) {
        *out = o.run;
    } else {
        berth_run_free(o.run);
    }
    return status;
}

berth_status berth_run_online(const berth_instance *instance, const berth_options *options, berth_run **out,
                              berth_timings *timings, berth_error *error) {
    if (out == NULL || instance == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, NULL, "instance and out must not be NULL");
    }
    *out = NULL;
    if (timings != NULL) {
        *timings = (berth_timings){0};
    }
    berth_options defaults;
    berth_options_init(&defaults);
    berth__c_locale locale; /* a result's texts hold numbers, whatever the host's locale */
    if (!berth__c_locale_enter(&locale)) {
        return berth__fail_memory(error);
    }
    berth_status status = run_online(instance, options == NULL ? &defaults : options, out, timings, error);
    berth__c_locale_leave(&locale);
    return status;
}
