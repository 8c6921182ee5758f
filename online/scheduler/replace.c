/* Another decider under the same jobs: after a machine came, went or changed, or a job turned out to be longer. The new
 * one is made beside the old one, so that a failure on the way changes nothing. */
#include "online/scheduler/scheduler.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A live job on its way into the new decider. */
typedef struct passenger {
    berth__live *live;
    berth__job *job;
    berth__plan plan;       /* of all its slots */
    bool hit, lost;         /* to be planned anew; that failed */
    double stake;           /* utility that is promised, for what the rest demands */
    size_t n_slots;         /* the plan as it is told */
    berth_slot_plan *slots; /* a block */
    char reason[160];
} passenger;

typedef struct replacement {
    berth_scheduler *s;
    const berth__replacement *with;
    berth__decider *decider; /* the new one */
    size_t n;
    passenger *all; /* [n] by number */
} replacement;

/* ---- getting aboard ---- */

static bool holds_from(const berth__plan *plan, int machine, int now) {
    for (size_t k = berth__plan_to_come(plan, now); k < plan->n_slots; k++) {
        for (size_t i = 0; i < plan->slots[k].n_placements; i++) {
            if (plan->slots[k].placements[i].machine == machine) {
                return true;
            }
        }
    }
    return false;
}

static bool copy_plan(const berth_slot_plan *slots, size_t n_slots, berth__plan *out) {
    *out = (berth__plan){.arena = berth__arena_new(), .n_slots = n_slots, .payoff_bound = (double)NAN};
    out->slots = out->arena == NULL ? NULL : BERTH__ARENA_ARRAY(out->arena, berth_slot_plan, n_slots);
    for (size_t k = 0; k < n_slots && out->slots != NULL; k++) {
        size_t n = slots[k].n_placements;
        out->slots[k] = slots[k];
        out->slots[k].placements = BERTH__ARENA_ARRAY(out->arena, berth_placement, n);
        if (out->slots[k].placements == NULL) {
            return false;
        }
        memcpy(out->slots[k].placements, slots[k].placements, n * sizeof *slots[k].placements);
    }
    return out->slots != NULL;
}

/* The job of another amount of work. */
static berth_status rework(const berth__cluster *cluster, const berth__job *job, double work, berth__job **out,
                           berth_error *error) {
    berth_job spec = *job->spec;
    spec.arrival_slot = 0;
    spec.epochs = work / spec.samples;
    berth_status status = berth__job_new(cluster, &spec, out, error);
    if (status == BERTH_OK) {
        (*out)->arrival = job->arrival;
    } else if (status != BERTH_E_MEMORY) { /* that of its fields which has changed is none of the caller's */
        status = berth__fail(error, BERTH_E_ARGUMENT, "samples",
                             "with what is done it is %g samples of work, %g epochs; expected a finite number > 0",
                             work, spec.epochs);
    }
    return status;
}

static berth_status board(replacement *r, passenger *p, berth_error *error) {
    const berth_scheduler *s = r->s;
    size_t n_slots;
    const berth_slot_plan *slots = berth__live_plan(s, p->live, &n_slots);
    bool worked = p->live == r->with->worked;
    berth_status status = worked ? rework(r->decider->cluster, p->live->job, r->with->work, &p->job, error)
                                 : berth__job_renew(r->decider->cluster, p->live->job, &p->job, error);
    if (status == BERTH_OK && !copy_plan(slots, n_slots, &p->plan)) {
        status = berth__fail_memory(error);
    }
    if (status != BERTH_OK) {
        return status;
    }
    int now = berth__now(s);
    size_t from = berth__plan_to_come(&p->plan, now);
    p->hit = worked || (r->with->gone >= 0 && holds_from(&p->plan, r->with->gone, now)) ||
             (r->with->refit && !berth__ledger_fits(berth__decider_ledger(r->decider), p->job, p->plan.n_slots - from,
                                                    p->plan.slots + from));
    return status;
}

/* Makes it a job of the new decider, by its plan, which is the promise now if it ends later than the old one. */
static berth_status settle(replacement *r, passenger *p, berth_error *error) {
    p->n_slots = p->plan.n_slots;
    p->slots = berth__plan_block(p->plan.n_slots, p->plan.slots);
    if (p->slots == NULL) {
        return berth__fail_memory(error);
    }
    int promised = p->live->promised - r->s->base, completion = p->slots[p->n_slots - 1].slot;
    return berth__decider_adopt(r->decider, p->live->number, p->job, promised > completion ? promised : completion,
                                berth__now(r->s), &p->plan, error);
}

/* ---- planning anew ---- */

static double rest_of(const replacement *r, const passenger *p) {
    double left = p->job->work;
    size_t from = berth__plan_to_come(&p->plan, berth__now(r->s));
    for (size_t k = 0; k < from; k++) {
        left -= p->plan.slots[k].samples;
    }
    return fmax(left, 0) / p->job->work;
}

static double stake_of(const replacement *r, const passenger *p) {
    const berth__cluster *cluster = r->decider->cluster;
    int promised = p->live->promised - r->s->base - p->job->arrival;
    double utility = berth__utility_at(&p->job->utility, promised), share = 0;
    for (int k = 0; k < cluster->n_resources; k++) {
        double server = isinf(p->job->workers_per_ps) ? 0 : p->job->ps[k] / p->job->workers_per_ps;
        share = fmax(share, p->job->worker[k] + server);
    }
    return utility / fmax(p->job->worker_slots * rest_of(r, p) * fmin(share, 1e100), 1e-300);
}

static int by_stake(const void *a, const void *b) {
    const passenger *x = *(passenger *const *)a, *y = *(passenger *const *)b;
    if (x->stake != y->stake) {
        return x->stake > y->stake ? -1 : 1;
    }
    return (x->live->number > y->live->number) - (x->live->number < y->live->number);
}

static berth_status try_plan(replacement *r, const passenger *p, const berth__job *job, int last_slot,
                             berth__plan *found, berth_error *error) {
    const berth__rest rest = {
        .job = job, .number = p->live->number, .now = berth__now(r->s), .plan = &p->plan, .last_slot = last_slot};
    return berth__decider_plan_rest(r->decider, &rest, found, error);
}

/* The job as if it were worth so much that no price matters, and the more the sooner it is done. */
static berth__job at_any_price(const replacement *r, const passenger *p) {
    berth__job job = *p->job;
    double most = fmax(1, berth__utility_at(&job.utility, 0));
    double slots = r->s->fleet.horizon + 1.0 + (berth__now(r->s) - job.arrival);
    job.utility =
        (berth_utility){.kind = BERTH_UTILITY_LINEAR, .value = fmin(1e12 * most, 1e200), .deadline_slots = slots};
    return job;
}

/* Its own utility weighs prices first; what was promised is kept at any price; else as early as can be. */
static berth_status plan_anew(replacement *r, passenger *p, berth_error *error) {
    int last = r->s->fleet.horizon - 1, promised = p->live->promised - r->s->base;
    promised = promised < last ? promised : last;
    berth__plan found = {.payoff_bound = (double)NAN};
    berth__job eager = at_any_price(r, p);
    berth_status status = try_plan(r, p, p->job, promised, &found, error);
    if (status == BERTH_OK && found.n_slots == 0) {
        status = try_plan(r, p, &eager, promised, &found, error);
    }
    if (status == BERTH_OK && found.n_slots == 0 && promised < last) {
        status = try_plan(r, p, &eager, last, &found, error);
    }
    if (status != BERTH_OK) {
        return status;
    }
    if (found.n_slots == 0) {
        p->lost = true;
        snprintf(p->reason, sizeof p->reason, "%.80s, and no plan completes the rest before the horizon",
                 r->with->cause);
    } else if (!(berth__utility_at(&p->job->utility, found.slots[found.n_slots - 1].slot - p->job->arrival) > 0)) {
        p->lost = true;
        snprintf(p->reason, sizeof p->reason, "%.60s, and by slot %d, when it could be complete, it is worth nothing",
                 r->with->cause, found.slots[found.n_slots - 1].slot + r->s->base);
    } else {
        berth__plan_clear(&p->plan);
        p->plan = found;
        return settle(r, p, error);
    }
    berth__plan_clear(&found);
    return BERTH_OK;
}

static berth_status plan_hit(replacement *r, berth_error *error) {
    passenger **hit = BERTH__NEW_ARRAY(passenger *, r->n);
    if (hit == NULL) {
        return berth__fail_memory(error);
    }
    size_t n = 0;
    for (size_t i = 0; i < r->n; i++) {
        if (r->all[i].hit) {
            r->all[i].stake = stake_of(r, &r->all[i]);
            hit[n++] = &r->all[i];
        }
    }
    if (n > 1) {
        qsort(hit, n, sizeof *hit, by_stake);
    }
    berth_status status = BERTH_OK;
    for (size_t i = 0; i < n && status == BERTH_OK; i++) {
        status = plan_anew(r, hit[i], error);
    }
    berth__free(hit);
    return status;
}

/* With one of a gang all are lost. */
static void lose_gangs(replacement *r) {
    for (size_t i = 0; i < r->n; i++) {
        const passenger *first = &r->all[i];
        for (size_t k = 0; k < r->n && first->lost; k++) {
            passenger *mate = &r->all[k];
            if (mate->live->gang == first->live->gang && !mate->lost) {
                berth__decider_release(r->decider, mate->live->number, mate->job, berth__now(r->s), mate->n_slots,
                                       mate->slots);
                mate->lost = true;
                snprintf(mate->reason, sizeof mate->reason, "its gang is lost: job %llu of it, %.100s",
                         (unsigned long long)first->live->number, first->reason);
            }
        }
    }
}

/* ---- taking over ---- */

static void tell(berth_scheduler *s, const passenger *p, uint64_t fingerprint) {
    berth__live *live = p->live;
    int completion = p->slots[p->n_slots - 1].slot + s->base;
    if (completion > live->promised) {
        live->promised = completion;
        s->counts.delayed++;
        berth__changes_add(&s->changes, live->number, BERTH_CHANGE_DELAYED, s->now, NULL);
    } else if (fingerprint != live->fingerprint) {
        s->counts.moved++;
        berth__changes_add_move(&s->changes, live->number, s->now);
    }
    live->fingerprint = fingerprint;
}

static void take_over(replacement *r) {
    berth_scheduler *s = r->s;
    size_t told = s->changes.n;
    for (size_t i = 0; i < r->n; i++) {
        passenger *p = &r->all[i];
        if (p->lost) {
            s->counts.lost++;
            berth__change *change =
                berth__changes_add(&s->changes, p->live->number, BERTH_CHANGE_LOST, s->now, p->reason);
            change->promised = p->live->promised;
            berth__live_take(&s->live, p->live);
            change->job = p->job;
            berth__live_free(p->live);
            berth__free(p->slots);
        }
        p->job = p->lost ? NULL : p->job;
    }
    berth__decider_free(s->decider);
    s->decider = r->decider;
    for (size_t i = 0; i < r->n; i++) {
        passenger *p = &r->all[i];
        if (!p->lost) {
            tell(s, p, berth__plan_fingerprint(p->n_slots, p->slots, s->base));
            berth__job_free(p->live->job);
            p->live->job = p->job;
            berth__free(p->live->slots);
            p->live->slots = s->decider->bidlp == NULL ? p->slots : NULL;
            p->live->n_slots = s->decider->bidlp == NULL ? p->n_slots : 0;
            if (s->decider->bidlp != NULL) {
                berth__free(p->slots);
            }
        }
    }
    berth__changes_order(&s->changes, told);
    if (r->with->fleet != NULL) {
        berth__fleet_clear(&s->fleet);
        s->fleet = *r->with->fleet;
        *r->with->fleet = (berth__fleet){0};
    }
}

static void abandon(replacement *r) {
    for (size_t i = 0; i < r->n; i++) { /* plans that the decider found go back to it */
        berth__plan_clear(&r->all[i].plan);
    }
    berth__decider_free(r->decider);
    for (size_t i = 0; i < r->n; i++) {
        berth__job_free(r->all[i].job);
        berth__free(r->all[i].slots);
    }
}

static berth_status make_decider(replacement *r, berth_error *error) {
    berth__cluster *cluster = NULL;
    berth_status status = berth__fleet_cluster(r->with->fleet != NULL ? r->with->fleet : &r->s->fleet, &cluster, error);
    if (status == BERTH_OK) {
        status = berth__decider_renew(r->s->decider, cluster, &r->decider, error);
    }
    if (status != BERTH_OK) {
        berth__cluster_free(cluster);
    }
    return status;
}

berth_status berth__scheduler_replace(berth_scheduler *s, const berth__replacement *with, berth_error *error) {
    replacement r = {.s = s, .with = with, .n = s->live.n, .all = BERTH__NEW_ARRAY(passenger, s->live.n)};
    berth_status status = BERTH_OK;
    if (r.all == NULL || !berth__changes_reserve(&s->changes, 2 * s->live.n)) {
        status = berth__fail_memory(error);
        r.n = r.all == NULL ? 0 : r.n;
    }
    if (status == BERTH_OK) {
        status = make_decider(&r, error);
    }
    for (size_t i = 0; i < r.n; i++) {
        r.all[i].live = s->live.jobs[i];
        status = status == BERTH_OK ? board(&r, &r.all[i], error) : status;
        if (status == BERTH_OK && !r.all[i].hit) {
            status = settle(&r, &r.all[i], error);
        }
    }
    if (status == BERTH_OK) {
        status = plan_hit(&r, error);
    }
    if (status == BERTH_OK) {
        lose_gangs(&r);
        take_over(&r);
    } else {
        abandon(&r);
    }
    for (size_t i = 0; i < r.n; i++) {
        berth__plan_clear(&r.all[i].plan);
    }
    berth__free(r.all);
    return status;
}
