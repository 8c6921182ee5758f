/* Policy `pdors`, faithful to Yu et al. 2022, Algorithms 2-4: for every slot and every amount of progress, the cheaper
 * of the internal case (one machine) and the external one (LP relaxation by a backend, independent randomised rounding
 * with factor G, up to `trials` draws; no offer if all fail).
 *
 * Two shortcuts change no decision: equal worker counts are solved once, and the external case is not rounded (or not
 * even solved) where its lower bound already exceeds an internal offer that makes as much progress. */
#include "formulations/slot.h"
#include "online/policy.h"

#include "base/error.h"

#include <limits.h>
#include <math.h>
#include <string.h>

typedef struct slot_view {
    const berth__offer_context *context;
    const berth__cluster *cluster;
    int slot, most_workers;
    berth__slot_problem problem;
    double least_worker, least_ps; /* least price of one on any machine where one fits */
    int *w, *s;                    /* [n_machines] scratch */
    int capacity;                  /* of out->offers and out->plans */
    berth__slot_offers *out;
} slot_view;

static bool view_slot(slot_view *v) {
    const berth__cluster *cluster = v->cluster;
    const berth__job *job = v->context->job;
    size_t H = (size_t)cluster->n_machines, R = (size_t)cluster->n_resources;
    berth__arena *arena = v->out->arena;
    double *free = BERTH__ARENA_ARRAY(arena, double, H *R);
    double *worker = BERTH__ARENA_ARRAY(arena, double, H);
    double *ps = BERTH__ARENA_ARRAY(arena, double, H);
    v->w = BERTH__ARENA_ARRAY(arena, int, H);
    v->s = BERTH__ARENA_ARRAY(arena, int, H);
    /* an offer for each useful worker count and locality */
    v->capacity = 2 * (v->context->quanta.needed < job->max_workers ? v->context->quanta.needed : job->max_workers);
    v->out->offers = BERTH__ARENA_ARRAY(arena, berth__offer, (size_t)v->capacity);
    v->out->plans = BERTH__ARENA_ARRAY(arena, berth_slot_plan, (size_t)v->capacity);
    if (free == NULL || worker == NULL || ps == NULL || v->w == NULL || v->s == NULL || v->out->offers == NULL ||
        v->out->plans == NULL) {
        return false;
    }
    berth__ledger_free_capacity(v->context->ledger, v->slot, job, free);
    berth__ledger_unit_prices(v->context->ledger, v->slot, job, worker, ps);
    v->problem = (berth__slot_problem){.n_machines = cluster->n_machines,
                                       .n_resources = cluster->n_resources,
                                       .free = free,
                                       .price_worker = worker,
                                       .price_ps = ps,
                                       .job = job};
    v->least_worker = v->least_ps = HUGE_VAL;
    long room = 0;
    for (size_t h = 0; h < H; h++) {
        int fit = berth__fit_count(free + h * R, job->worker, (int)R, job->max_workers);
        room += fit;
        if (fit > 0) {
            v->least_worker = fmin(v->least_worker, worker[h]);
        }
        if (berth__fit_count(free + h * R, job->ps, (int)R, 1) > 0) {
            v->least_ps = fmin(v->least_ps, ps[h]);
        }
    }
    int most = room < job->max_workers ? (int)room : job->max_workers;
    v->most_workers = berth__ledger_quota_room(v->context->ledger, v->slot, job, most);
    return true;
}

static berth_status add_offer(slot_view *v, int quanta, double cost, const int *w, const int *s, berth_error *error) {
    berth__slot_offers *out = v->out;
    if (!berth__slot_plan_from_counts(out->arena, v->cluster, v->context->job, v->slot, w, s, &out->plans[out->n])) {
        return berth__fail_memory(error);
    }
    out->offers[out->n] = (berth__offer){.quanta = quanta, .cost = cost, .index = out->n};
    out->n++;
    return BERTH_OK;
}

/* Cheapest internal offer so far with at least `quanta` of progress; internal offers come first and by quanta. */
static double internal_cost(const slot_view *v, int n_internal, int quanta) {
    double least = HUGE_VAL;
    for (int i = n_internal - 1; i >= 0 && v->out->offers[i].quanta >= quanta; i--) {
        least = fmin(least, v->out->offers[i].cost);
    }
    return least;
}

/* Worker count for the next amount of progress beyond `quanta` at a locality, and that count's full progress; 0 when
 * more workers than allowed would be needed. */
static int next_workers(const slot_view *v, berth_locality locality, int *quanta) {
    const berth__quanta *q = &v->context->quanta;
    if (*quanta >= q->needed) {
        return 0;
    }
    int workers = berth__quanta_workers(q, v->context->job, *quanta + 1, locality);
    if (workers > v->most_workers) {
        return 0;
    }
    *quanta = berth__quanta_down(q, v->context->job, workers, locality);
    return workers;
}

static berth_status offer_internal(slot_view *v, berth_error *error) {
    int quanta = 0, machine = 0;
    double cost = 0;
    for (int workers; (workers = next_workers(v, BERTH_INTERNAL, &quanta)) > 0;) {
        if (!berth__slot_internal(&v->problem, workers, &machine, &cost)) {
            break; /* more workers do not fit either */
        }
        v->w[machine] = workers;
        v->s[machine] = berth__ps_needed(v->context->job, workers);
        berth_status status = add_offer(v, quanta, cost, v->w, v->s, error);
        v->w[machine] = v->s[machine] = 0;
        if (status != BERTH_OK) {
            return status;
        }
    }
    return BERTH_OK;
}

static void count_rounding(berth__rounding_stats *stats, const berth__slot_rounding *r) {
    stats->problems++;
    stats->solved += r->feasible && !r->repaired;
    stats->repaired += r->repaired;
    stats->draws += r->draws;
    const berth_rounding_promise promise = {.scale = r->guarantee.scale,
                                            .cost_factor = r->guarantee.cost_factor,
                                            .cover_factor = r->guarantee.cover_factor,
                                            .pack_factor = r->guarantee.pack_factor,
                                            .probability = r->guarantee.probability};
    berth__rounding_stats_promise(stats, r->guarantee.holds, &promise);
    stats->largest_scale = fmax(stats->largest_scale, r->guarantee.scale);
    if (stats->why_not == NULL) {
        stats->why_not = r->guarantee.why_not;
    }
}

static berth_status offer_external(slot_view *v, berth_error *error) {
    const berth__offer_context *context = v->context;
    const berth_options *options = context->options;
    const berth__scale_choice choice = {
        .rule = options->scale_rule, .favour = options->favour, .delta = options->delta, .given = options->scale};
    berth__rounding_stats *stats = &v->out->stats;
    berth__slot_lp *lp = NULL;
    berth_status status = BERTH_OK;
    int n_internal = v->out->n, quanta = 0;
    for (int workers; status == BERTH_OK && (workers = next_workers(v, BERTH_EXTERNAL, &quanta)) > 0;) {
        int ps = berth__ps_needed(context->job, workers);
        if (workers + ps < 2) {
            continue; /* one worker alone sits on one machine: the internal case */
        }
        double rival = internal_cost(v, n_internal, quanta), value = 0;
        if (workers * v->least_worker + (ps > 0 ? ps * v->least_ps : 0) >= rival) {
            continue;
        }
        if (berth__budget_spent(context->budget)) {
            status = berth__fail(error, BERTH_E_CANCELLED, NULL, "%s", berth_status_text(BERTH_E_CANCELLED));
            break;
        }
        double start = berth__now_s();
        if (lp == NULL) {
            status = berth__slot_lp_new(&v->problem, options->backends, options->solver, &lp, error);
        }
        const double *x = NULL;
        if (status == BERTH_OK) {
            status = berth__slot_lp_solve(lp, workers, context->budget, &value, &x, error);
        }
        double solved = berth__now_s();
        stats->relaxation_s += solved - start;
        if (status == BERTH_E_NUMERIC) { /* no offer is always valid; the count of unsolved problems shows it */
            stats->problems++;
            stats->why_not = stats->why_not != NULL ? stats->why_not : "a relaxation could not be solved reliably";
            berth__error_clear(error);
            status = BERTH_OK;
            continue;
        }
        if (status != BERTH_OK || !(value < HUGE_VAL)) {
            break; /* infeasible for these workers, so for more */
        }
        if (value >= rival) {
            continue;
        }
        const uint64_t key[] = {options->seed, context->job_number, (uint64_t)v->slot, (uint64_t)quanta};
        berth__pcg stream = berth__pcg_key(4, key);
        berth__slot_rounding rounding;
        status = berth__slot_lp_round(lp, &choice, options->trials, options->repair, context->budget, &stream, v->w,
                                      v->s, &rounding, error);
        stats->rounding_s += berth__now_s() - solved;
        if (status == BERTH_OK) {
            count_rounding(stats, &rounding);
            status = rounding.feasible ? add_offer(v, quanta, rounding.cost, v->w, v->s, error) : BERTH_OK;
        }
    }
    berth__slot_lp_free(lp);
    return status;
}

static berth_status offer(const berth__offer_context *context, berth__workspace *workspace, int slot,
                          berth__slot_offers *out, berth_error *error) {
    (void)workspace; /* an LP of its own in every slot */
    slot_view view = {.context = context, .cluster = context->ledger->cluster, .slot = slot, .out = out};
    if (!view_slot(&view)) {
        return berth__fail_memory(error);
    }
    berth_status status = offer_internal(&view, error);
    if (status == BERTH_OK) {
        status = offer_external(&view, error);
    }
    out->n = berth__offers_prune(out->offers, out->n);
    return status;
}

const berth__policy berth__policy_pdors = {
    .name = "pdors",
    .about = "primal-dual admission at exponential prices, LP and randomised rounding (Yu et al. 2022)",
    .price_floor = 1e-12, /* for the numbers' sake only */
    .parallel_machines = 48,
    .offer = offer,
};
