#include "online/planner.h"

#include "base/error.h"
#include "base/tolerance.h"
#include "online/bound.h"

#include <math.h>
#include <omp.h>
#include <string.h>

/* Slots whose offers are made before asking whether a later completion could still win. Fixed, so that the work, not
 * only the result, is the same on any number of threads. */
enum { SLOT_BATCH = 8 };

typedef struct planning {
    const berth__policy *policy;
    berth__offer_context context;
    berth__workspace *workspaces; /* [threads] */
    berth__arena *scratch;        /* the first one's: what follows is from it, and gone with the planning */
    berth__plan_stats *stats;
    int waited;                  /* before arrival */
    int n_slots;                 /* from arrival to the last slot in which the job may complete */
    berth__price_limits *limits; /* [horizon] */
    double *ceiling;             /* [n_slots] most that completing in this slot or later can pay */
    int *chosen;                 /* [n_slots] offer of the slot, -1: none */
    berth__slot_offers *offers;  /* [n_slots], made for the first n_made */
    int n_made;
    int most_groups, n_resources; /* what a workspace has to hold */
    int n_failures;               /* offers that did not stand */
    bool distrust;                /* too many: no more offers of their kind in any slot */
    berth__schedule *schedule;    /* the first workspace's, over the first n_scheduled */
    int n_scheduled;
    double best_payoff; /* -INFINITY: no plan completes */
    int best_last;      /* completion slot, relative to arrival; -1: none */
} planning;

static double utility_of(const planning *p, int slot) {
    return berth__utility_at(&p->context.job->utility, p->waited + slot);
}

/* Most that any plan completing in slot k or later can pay, from the relaxed costs; and over all k, the payoff bound.
 */
static berth_status find_ceiling(planning *p, double *payoff_bound, berth_error *error) {
    const berth__job *job = p->context.job;
    const berth__ledger *ledger = p->context.ledger;
    double start = berth__now_s();
    double *theta = BERTH__ARENA_ARRAY(p->scratch, double, (size_t)ledger->cluster->horizon);
    p->limits = BERTH__ARENA_ARRAY(p->scratch, berth__price_limits, (size_t)ledger->cluster->horizon);
    p->context.limits = p->limits;
    berth_status status = theta == NULL || p->limits == NULL
                              ? berth__fail_memory(error)
                              : berth__ledger_theta(ledger, job, p->context.options->levels, &p->workspaces[0],
                                                    p->context.budget, theta, p->limits, error);
    if (status == BERTH_OK) {
        double most = -HUGE_VAL;
        for (int k = p->n_slots - 1; k >= 0; k--) {
            most = fmax(most, utility_of(p, k) - theta[job->arrival + k]);
            p->ceiling[k] = most;
        }
        *payoff_bound = most > -HUGE_VAL ? most : (double)NAN;
    }
    p->stats->payoff_bound_s += berth__now_s() - start;
    return status;
}

/* The same from the utility alone: weaker, and at once. */
static void find_plain_ceiling(planning *p) {
    for (int k = 0; k < p->n_slots; k++) {
        p->ceiling[k] = utility_of(p, k);
    }
}

/* So many failures in a slot, or in all, and no offer of that kind is trusted any more there: each failure costs a
 * search. */
enum { SLOT_FAILURES = 3, ALL_FAILURES = 24 };

/* Takes back an offer that did not stand, those that would not stand either, and brings back what they pushed out. */
static void withdraw(const planning *p, berth__slot_offers *offers, int failed, bool all) {
    int kept = 0;
    for (int i = 0; i < offers->n_all; i++) {
        if (!p->policy->falls_with(offers, failed, offers->all[i].index, all)) {
            offers->all[kept++] = offers->all[i];
        }
    }
    offers->n_all = kept;
    memcpy(offers->offers, offers->all, (size_t)kept * sizeof *offers->all);
    offers->n = berth__offers_prune(offers->offers, kept);
}

static void withdraw_failed(planning *p, int k, int failed) {
    berth__slot_offers *offers = &p->offers[k];
    offers->failures++;
    p->n_failures++;
    p->distrust = p->distrust || p->n_failures >= ALL_FAILURES;
    withdraw(p, offers, failed, p->distrust || offers->failures >= SLOT_FAILURES);
    for (int t = 0; p->distrust && t < p->n_made; t++) {
        withdraw(p, &p->offers[t], -1, true);
    }
}

static berth_status offer_slot(planning *p, int k, berth__workspace *workspace, berth_error *error) {
    berth__slot_offers *offers = &p->offers[k];
    offers->arena = workspace->offers;
    if (!berth__workspace_reserve(workspace, p->most_groups, p->n_resources)) {
        return berth__fail_memory(error);
    }
    berth_status status = p->policy->offer(&p->context, workspace, p->context.job->arrival + k, offers, error);
    if (status == BERTH_OK && p->distrust) {
        withdraw(p, offers, -1, true);
    }
    return status;
}

/* Machines that the offers of a slot of [first, last) look at, on average. */
static double machines_at_work(const planning *p, int first, int last) {
    const berth__ledger *ledger = p->context.ledger;
    double sum = 0;
    for (int k = first; k < last; k++) {
        sum +=
            p->policy->by_touched ? ledger->slots[p->context.job->arrival + k].n_touched : ledger->cluster->n_machines;
    }
    return sum / fmax(1, last - first);
}

/* The same of slots [first, last), in parallel. The earliest slot's failure is reported, whatever the order of threads.
 */
static berth_status offer_together(planning *p, int first, int last, berth_error *error) {
    berth_status status = BERTH_OK;
    int failed_at = last;
#pragma omp parallel for schedule(dynamic, 1) num_threads(p->context.options->threads)
    for (int k = first; k < last; k++) {
        berth_error failure;
        berth__error_clear(&failure);
        berth_status got = offer_slot(p, k, &p->workspaces[omp_get_thread_num()], &failure);
        if (got != BERTH_OK) {
#pragma omp critical(berth_offer_failure)
            if (k < failed_at) {
                failed_at = k;
                status = berth__fail(error, got, failure.where, "%s", failure.message);
            }
        }
    }
    return status;
}

/* One by one: without a parallel region, for which even one thread is given memory. */
static berth_status offer_in_turn(planning *p, int first, int last, berth_error *error) {
    berth_status status = BERTH_OK;
    for (int k = first; k < last && status == BERTH_OK; k++) {
        status = offer_slot(p, k, &p->workspaces[0], error);
    }
    return status;
}

/* Offers of slots [n_made, last) of the job. */
static berth_status make_offers(planning *p, int last, berth_error *error) {
    int first = p->n_made;
    bool parallel = p->context.options->threads > 1 && machines_at_work(p, first, last) >= p->policy->parallel_machines;
    berth_status status = parallel ? offer_together(p, first, last, error) : offer_in_turn(p, first, last, error);
    for (int k = first; k < last; k++) {
        p->stats->work += 32 + p->context.ledger->slots[p->context.job->arrival + k].n_touched;
        berth__rounding_stats_add(&p->stats->rounding, &p->offers[k].stats);
    }
    p->n_made = last;
    return status;
}

/* The schedule programme over slots [n_scheduled, last). */
static berth_status schedule_slots(planning *p, int last, berth_error *error) {
    double start = berth__now_s();
    for (; p->n_scheduled < last; p->n_scheduled++) {
        const berth__slot_offers *offers = &p->offers[p->n_scheduled];
        double price = berth__schedule_add_slot(p->schedule, offers->offers, offers->n);
        if (isnan(price)) {
            return berth__fail_memory(error);
        }
        double payoff = utility_of(p, p->n_scheduled) - price;
        if (payoff > p->best_payoff) { /* strictly: ties go to the earliest completion */
            p->best_payoff = payoff;
            p->best_last = p->n_scheduled;
        }
    }
    p->stats->schedule_s += berth__now_s() - start;
    return BERTH_OK;
}

/* From the first slot on, until no later completion can win. */
static berth_status search(planning *p, berth_error *error) {
    p->n_scheduled = 0;
    p->best_payoff = -HUGE_VAL;
    p->best_last = -1;
    berth_status status = berth__schedule_start(p->schedule, p->context.quanta.needed, p->n_slots, true, error);
    while (status == BERTH_OK && p->n_scheduled < p->n_slots &&
           p->ceiling[p->n_scheduled] > fmax(0, p->best_payoff) * (1 + p->policy->search_gap)) {
        int last = p->n_scheduled + SLOT_BATCH < p->n_slots ? p->n_scheduled + SLOT_BATCH : p->n_slots;
        if (p->n_made < last) {
            status = make_offers(p, last, error);
        }
        if (status == BERTH_OK) {
            status = schedule_slots(p, last, error);
        }
    }
    return status;
}

/* The plan of a chosen offer into *out. */
static berth_status place(planning *p, int k, int index, berth__arena *arena, berth_slot_plan *out, bool *placed,
                          berth_error *error) {
    const berth__slot_offers *offers = &p->offers[k];
    *placed = true;
    if (p->policy->place != NULL) {
        return p->policy->place(&p->context, &p->workspaces[0], p->context.job->arrival + k, offers, index, arena, out,
                                &p->stats->placement, placed, error);
    }
    *out = offers->plans[index];
    out->placements = BERTH__ARENA_ARRAY(arena, berth_placement, out->n_placements);
    if (out->placements == NULL) {
        return berth__fail_memory(error);
    }
    memcpy(out->placements, offers->plans[index].placements, out->n_placements * sizeof *out->placements);
    return BERTH_OK;
}

/* Places the chosen offers; trailing slots that are not needed are dropped: placements can run faster than they were
 * priced, and progress was rounded down. *complete false: an offer did not stand and was withdrawn. */
static berth_status collect(planning *p, berth__plan *plan, bool *complete, berth_error *error) {
    const berth__job *job = p->context.job;
    double samples = 0, enough = job->work * (1 - 0.5 * BERTH__PROGRESS);
    int *index = p->chosen;
    berth_status status = BERTH_OK;
    plan->n_slots = 0;
    *complete = true;
    berth__schedule_trace(p->schedule, p->best_last, index);
    for (int k = 0; status == BERTH_OK && *complete && k <= p->best_last && samples < enough; k++) {
        if (index[k] < 0) {
            continue;
        }
        status = place(p, k, index[k], plan->arena, &plan->slots[plan->n_slots], complete, error);
        if (status == BERTH_OK && *complete) {
            samples += plan->slots[plan->n_slots++].samples;
        } else if (status == BERTH_OK) {
            withdraw_failed(p, k, index[k]);
        }
    }
    if (status == BERTH_OK && *complete && samples < enough) {
        status =
            berth__fail(error, BERTH_E_INTERNAL, NULL, "a plan of %g samples was taken for %g", samples, job->work);
    }
    return status;
}

/* Searches and places until all chosen offers stand. Each round withdraws an offer, and few rounds all of a kind. */
static berth_status find_plan(planning *p, berth__plan *plan, berth_error *error) {
    for (;;) {
        berth_status status = search(p, error);
        if (status != BERTH_OK || p->best_last < 0) {
            return status;
        }
        bool complete = false;
        status = collect(p, plan, &complete, error);
        if (status != BERTH_OK || complete) {
            return status;
        }
        plan->n_slots = 0;
        if (berth__budget_spent(p->context.budget)) {
            return berth__fail(error, BERTH_E_CANCELLED, NULL, "%s", berth_status_text(BERTH_E_CANCELLED));
        }
    }
}

static bool make_room(planning *p, berth__plan *out) {
    size_t n = (size_t)p->n_slots;
    p->offers = BERTH__ARENA_ARRAY(p->scratch, berth__slot_offers, n);
    p->ceiling = BERTH__ARENA_ARRAY(p->scratch, double, n);
    p->chosen = BERTH__ARENA_ARRAY(p->scratch, int, n);
    out->arena = berth__arena_from(out->pool);
    out->slots = out->arena == NULL ? NULL : BERTH__ARENA_ARRAY(out->arena, berth_slot_plan, n);
    return p->offers != NULL && p->ceiling != NULL && p->chosen != NULL && out->slots != NULL;
}

berth_status berth__plan_job(const berth__policy *policy, const berth__ledger *ledger, const berth_options *options,
                             const berth__budget *budget, berth__workspace *workspaces,
                             const berth__plan_request *request, berth__plan_stats *stats, berth__plan *out,
                             berth_error *error) {
    *out = (berth__plan){.payoff_bound = (double)NAN, .pool = &workspaces[0].plans};
    const berth__job *job = request->job;
    planning p = {.policy = policy,
                  .workspaces = workspaces,
                  .scratch = workspaces[0].scratch,
                  .schedule = workspaces[0].schedule,
                  .stats = stats,
                  .waited = request->waited,
                  .n_slots = request->last_slot + 1 - job->arrival,
                  .most_groups = berth__slot_groups_most(ledger, job->arrival),
                  .n_resources = ledger->cluster->n_resources};
    p.context = (berth__offer_context){
        .ledger = ledger, .options = options, .budget = budget, .job = job, .job_number = request->number};
    out->too_long = !berth__quanta_of(job, options->levels, ledger->cluster->horizon - job->arrival, &p.context.quanta);
    berth__arena_mark before = berth__arena_here(p.scratch);
    berth_status status = BERTH_OK;
    if (!make_room(&p, out)) {
        status = berth__fail_memory(error);
    } else if (request->bounded) {
        status = find_ceiling(&p, &out->payoff_bound, error);
    } else {
        find_plain_ceiling(&p);
    }
    if (status == BERTH_OK && !out->too_long) {
        status = find_plan(&p, out, error);
    }
    for (int i = 0; i < options->threads; i++) {
        berth__arena_reset(workspaces[i].offers);
    }
    berth__arena_back(p.scratch, before);
    if (status != BERTH_OK) {
        berth__plan_clear(out);
    }
    return status;
}

void berth__plan_clear(berth__plan *plan) {
    berth__arena_give(plan->pool, plan->arena);
    *plan = (berth__plan){.payoff_bound = (double)NAN};
}
