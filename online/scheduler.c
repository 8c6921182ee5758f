#include "online/scheduler.h"

#include "base/error.h"
#include "base/numeric.h"
#include "online/restart.h"

#include <limits.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

/* ---- options ---- */

void berth_options_init(berth_options *options) {
    *options = (berth_options){
        .struct_size = sizeof *options,
        .policy = "bidlp",
        .solver = "auto",
        .seed = 1,
        .time_limit_s = HUGE_VAL,
        .levels = 200,
        .delta = 0.1,
        .favour = BERTH_FAVOUR_COVER,
        .scale_rule = BERTH_SCALE_AUTO,
        .scale = 1,
        .trials = 16,
        .dorm_fairness = 0.1,
        .dorm_adjust = 0.1,
        .bound = BERTH_BOUND_DUAL,
        .bound_gap = 0.005,
        .effort = BERTH_EFFORT_MEDIUM,
    };
    berth_hooks_init(&options->hooks);
}

/* Known policy and solver, ranges. E_ARGUMENT with where = the option's name. */
static berth_status check_options(const berth_options *o, berth_error *error) {
    if (o->struct_size != sizeof *o || o->hooks.struct_size != sizeof o->hooks) {
        return berth__fail(error, BERTH_E_ARGUMENT, "options", "not initialised: call berth_options_init first");
    }
    if (o->policy == NULL || berth_policy_about(o->policy) == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "policy", "unknown policy \"%s\"; expected one of: %s",
                           o->policy == NULL ? "" : o->policy, berth__policy_names());
    }
    if (o->levels < 1 || o->levels > 10000) {
        return berth__fail(error, BERTH_E_ARGUMENT, "levels", "levels is %d; expected 1 to 10000", o->levels);
    }
    if (!(o->delta > 0 && o->delta < 1)) {
        return berth__fail(error, BERTH_E_ARGUMENT, "delta", "delta is %g; expected a number in (0, 1)", o->delta);
    }
    if (o->scale_rule == BERTH_SCALE_GIVEN && !(o->scale > 0 && o->scale < HUGE_VAL)) {
        return berth__fail(error, BERTH_E_ARGUMENT, "scale", "scale is %g; expected a number > 0", o->scale);
    }
    if ((o->favour != BERTH_FAVOUR_COVER && o->favour != BERTH_FAVOUR_PACKING) ||
        (o->scale_rule != BERTH_SCALE_AUTO && o->scale_rule != BERTH_SCALE_PAPER &&
         o->scale_rule != BERTH_SCALE_GIVEN)) {
        return berth__fail(error, BERTH_E_ARGUMENT, "favour",
                           "favour and scale_rule are %d and %d; expected the names' values", (int)o->favour,
                           (int)o->scale_rule);
    }
    if ((int)o->bound < BERTH_BOUND_NONE || o->bound > BERTH_BOUND_EXACT) {
        return berth__fail(error, BERTH_E_ARGUMENT, "bound", "bound is %d; expected the names' values", (int)o->bound);
    }
    if ((int)o->effort < BERTH_EFFORT_LOW || o->effort > BERTH_EFFORT_HIGH) {
        return berth__fail(error, BERTH_E_ARGUMENT, "effort", "effort is %d; expected the names' values",
                           (int)o->effort);
    }
    if (!(o->bound_gap >= 0 && o->bound_gap < 1)) {
        return berth__fail(error, BERTH_E_ARGUMENT, "bound_gap", "bound_gap is %g; expected a number in [0, 1)",
                           o->bound_gap);
    }
    if (o->trials < 1 || o->trials > 1000000) {
        return berth__fail(error, BERTH_E_ARGUMENT, "trials", "trials is %d; expected 1 to 1000000", o->trials);
    }
    if (o->fifo_workers < 0 || o->fifo_workers > 1000000) {
        return berth__fail(error, BERTH_E_ARGUMENT, "fifo_workers", "fifo_workers is %d; expected 0 to 1000000",
                           o->fifo_workers);
    }
    if (!(o->dorm_fairness >= 0 && o->dorm_fairness <= 1)) {
        return berth__fail(error, BERTH_E_ARGUMENT, "dorm_fairness", "dorm_fairness is %g; expected a number in [0, 1]",
                           o->dorm_fairness);
    }
    if (!(o->dorm_adjust >= 0 && o->dorm_adjust <= 1)) {
        return berth__fail(error, BERTH_E_ARGUMENT, "dorm_adjust", "dorm_adjust is %g; expected a number in [0, 1]",
                           o->dorm_adjust);
    }
    if (o->threads < 0 || o->threads > 4096) {
        return berth__fail(error, BERTH_E_ARGUMENT, "threads", "threads is %d; expected 0 to 4096", o->threads);
    }
    if (!(o->time_limit_s >= 0)) {
        return berth__fail(error, BERTH_E_ARGUMENT, "time_limit_s", "time limit is %g s; expected a number >= 0",
                           o->time_limit_s);
    }
    if (!(o->restart_delay_s >= 0 && o->restart_delay_s < HUGE_VAL)) {
        return berth__fail(error, BERTH_E_ARGUMENT, "restart_delay_s", "restart delay is %g s; expected a number >= 0",
                           o->restart_delay_s);
    }
    if (!(o->noise >= 0 && o->noise <= 2)) {
        return berth__fail(error, BERTH_E_ARGUMENT, "noise", "noise is %g; expected a number in [0, 2]", o->noise);
    }
    return BERTH_OK;
}

static int thread_count(const berth_options *options) {
    return options->threads > 0 ? options->threads : omp_get_num_procs();
}

/* ---- life cycle ---- */

/* options.solver by name: the policy's own choice for "auto", else the fast slot solver or an LP backend. */
static berth_status choose_solver(berth_scheduler *s, berth_error *error) {
    const char *name = s->options.solver == NULL ? "auto" : s->options.solver;
    bool automatic = strcmp(name, "auto") == 0;
    const char *own = s->slot_policy != NULL ? s->slot_policy->solver : s->policy->solver;
    if (own != NULL && (automatic || strcmp(name, own) == 0)) {
        s->options.solver = own;
        return BERTH_OK;
    }
    if (own != NULL && strcmp(own, "none") == 0) {
        return berth__fail(error, BERTH_E_ARGUMENT, "solver", "policy \"%s\" works without a solver; expected auto",
                           s->options.policy);
    }
    bool integers = s->slot_policy != NULL;
    const berth_backend *backend =
        berth__backend_find(s->options.backends, name, integers ? BERTH__BACKEND_MIP : BERTH__BACKEND_LP);
    if (backend == NULL && integers) {
        return berth__fail(error, BERTH_E_BACKEND, "solver",
                           "policy \"%s\" needs a solver of integer programmes, like glpk: %s%s%s", s->options.policy,
                           automatic ? "there is none in this build" : "\"", automatic ? "" : name,
                           automatic ? "" : "\" is none in this build");
    }
    if (backend == NULL) {
        return berth__fail(error, BERTH_E_BACKEND, "solver", "policy \"%s\" has no solver \"%s\" in this build",
                           s->policy->name, name);
    }
    s->options.solver = backend->name;
    return BERTH_OK;
}

berth_status berth_scheduler_new(const berth_cluster *cluster, const berth_price_bounds *bounds,
                                 const berth_options *options, berth_scheduler **out, berth_error *error) {
    if (out == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "out", "out must not be NULL");
    }
    *out = NULL;
    berth_options defaults;
    berth_options_init(&defaults);
    options = options == NULL ? &defaults : options;
    if (options->struct_size == sizeof *options && options->policy != NULL &&
        berth__slot_policy_find(options->policy) != NULL) {
        return berth__fail(error, BERTH_E_UNSUPPORTED, "policy",
                           "policy \"%s\" decides slot by slot, not at arrival: only whole runs can have it",
                           options->policy);
    }
    return berth__scheduler_new(cluster, bounds, options, out, error);
}

berth_status berth__scheduler_new(const berth_cluster *cluster, const berth_price_bounds *bounds,
                                  const berth_options *options, berth_scheduler **out, berth_error *error) {
    *out = NULL;
    berth_status status = check_options(options, error);
    if (status != BERTH_OK) {
        return status;
    }
    if (cluster == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "cluster", "cluster must not be NULL");
    }
    berth_scheduler *s = berth__calloc(1, sizeof *s);
    if (s == NULL) {
        return berth__fail_memory(error);
    }
    s->options = *options;
    s->options.threads = thread_count(options);
    s->policy = berth__policy_find(options->policy);
    s->slot_policy = berth__slot_policy_find(options->policy);
    s->options.policy = s->policy != NULL ? s->policy->name : s->slot_policy->name;
    if (options->backends == NULL) {
        status = berth_backends_new(&s->built_in) == BERTH_OK ? BERTH_OK : berth__fail_memory(error);
        s->options.backends = s->built_in;
    }
    if (status == BERTH_OK) {
        s->workspaces = berth__workspaces_new(s->options.threads);
        status = s->workspaces == NULL ? berth__fail_memory(error) : choose_solver(s, error);
    }
    if (status == BERTH_OK) {
        status = berth__cluster_new(cluster, &s->cluster, error);
    }
    if (status == BERTH_OK && s->policy != NULL && !(berth__moved_worth(&s->options, s->cluster) > 0)) {
        status = berth__fail(error, BERTH_E_ARGUMENT, "restart_delay_s",
                             "restart delay is %g s; policy \"%s\" needs less than a slot, %g s",
                             s->options.restart_delay_s, s->policy->name, s->cluster->slot_seconds);
    }
    if (status == BERTH_OK && s->policy != NULL && s->policy->batches) {
        const berth__bidlp_setting setting = {.cluster = s->cluster,
                                              .policy = s->policy,
                                              .options = &s->options,
                                              .workspaces = s->workspaces,
                                              .stats = &s->stats};
        status = berth__bidlp_new(&setting, &s->bidlp, error);
    } else if (status == BERTH_OK) {
        status = berth__scheduler_set_prices(s, bounds, error);
    }
    if (status != BERTH_OK) {
        berth_scheduler_free(s);
        return status;
    }
    *out = s;
    return BERTH_OK;
}

void berth_scheduler_free(berth_scheduler *s) {
    if (s != NULL) {
        berth__bidlp_free(s->bidlp);
        berth__ledger_free(s->ledger);
        berth__prices_free(s->prices);
        berth__cluster_free(s->cluster);
        berth_backends_free(s->built_in);
        berth__workspaces_free(s->workspaces, s->options.threads);
        berth__free(s);
    }
}

bool berth__scheduler_priced(const berth_scheduler *s) {
    return s->policy != NULL && !s->policy->batches;
}

const berth__ledger *berth__scheduler_ledger(const berth_scheduler *s) {
    return s->bidlp != NULL ? berth__bidlp_ledger(s->bidlp) : s->ledger;
}

berth_status berth__scheduler_set_prices(berth_scheduler *s, const berth_price_bounds *bounds, berth_error *error) {
    berth__prices *prices = NULL;
    berth__ledger *ledger = NULL;
    berth_status status = berth__prices_new(bounds, (size_t)s->cluster->n_resources, &prices, error);
    if (status == BERTH_OK) {
        status = berth__ledger_new(s->cluster, prices, &ledger, error);
    }
    if (status != BERTH_OK) {
        berth__prices_free(prices);
        return status;
    }
    berth__ledger_free(s->ledger);
    berth__prices_free(s->prices);
    s->prices = prices;
    s->ledger = ledger;
    return BERTH_OK;
}

/* ---- a decision's memory ---- */

typedef struct owned_decision {
    berth_decision decision; /* first: the public pointer is this one */
    berth__arena *arena;
} owned_decision;

static berth_decision *decision_new(void) {
    owned_decision *owned = berth__calloc(1, sizeof *owned);
    if (owned == NULL) {
        return NULL;
    }
    owned->arena = berth__arena_new();
    if (owned->arena == NULL) {
        berth__free(owned);
        return NULL;
    }
    owned->decision.promised_slot = -1;
    owned->decision.completion_slot = -1;
    owned->decision.payoff = (double)NAN;
    owned->decision.payoff_bound = (double)NAN;
    return &owned->decision;
}

static berth__arena *decision_arena(berth_decision *decision) {
    return ((owned_decision *)(void *)decision)->arena;
}

void berth_decision_free(berth_decision *decision) {
    if (decision != NULL) {
        berth__arena_free(decision_arena(decision));
        berth__free(decision);
    }
}

static bool keep_plan(berth_decision *decision, size_t n_slots, const berth_slot_plan *slots) {
    berth__arena *arena = decision_arena(decision);
    decision->slots = BERTH__ARENA_ARRAY(arena, berth_slot_plan, n_slots);
    if (decision->slots == NULL) {
        return false;
    }
    for (size_t k = 0; k < n_slots; k++) {
        decision->slots[k] = slots[k];
        decision->slots[k].placements = BERTH__ARENA_ARRAY(arena, berth_placement, slots[k].n_placements);
        if (decision->slots[k].placements == NULL) {
            return false;
        }
        memcpy(decision->slots[k].placements, slots[k].placements, slots[k].n_placements * sizeof *slots[k].placements);
    }
    decision->n_slots = n_slots;
    return true;
}

/* ---- deciding ---- */

static void price_plan(const berth_scheduler *s, const berth__job *job, berth_decision *decision) {
    decision->completion_slot = decision->slots[decision->n_slots - 1].slot;
    decision->utility = berth__utility_at(&job->utility, decision->completion_slot - job->arrival);
    decision->price_paid = berth__ledger_plan_price(s->ledger, job, decision->n_slots, decision->slots);
    decision->payoff = decision->utility - decision->price_paid;
    decision->admitted = decision->payoff > 0;
    if (decision->payoff > decision->payoff_bound) { /* equal up to rounding error */
        decision->payoff_bound = decision->payoff;
    }
}

static void reject(berth_decision *decision) {
    decision->admitted = false;
    decision->promised_slot = -1;
    decision->completion_slot = -1;
    decision->utility = 0;
    decision->price_paid = 0;
    decision->n_slots = 0;
    decision->slots = NULL;
}

static berth_status plan(berth_scheduler *s, const berth__job *job, const berth__budget *budget,
                         berth_decision *decision, berth_error *error) {
    berth__plan found;
    double worth = berth__moved_worth(&s->options, s->cluster);
    berth__job slow = berth__job_slowed(job, worth);
    const berth__plan_request request = {
        .job = &slow, .number = s->n_submitted, .last_slot = s->cluster->horizon - 1, .bounded = true};
    berth_status status =
        berth__plan_job(s->policy, s->ledger, &s->options, budget, s->workspaces, &request, &s->stats, &found, error);
    if (status != BERTH_OK) {
        return status;
    }
    if (worth < 1) {
        found.n_slots = berth__count_moves(job, worth, NULL, found.n_slots, found.slots);
    }
    decision->payoff_bound = found.payoff_bound;
    if (found.too_long) {
        snprintf(decision->reason, sizeof decision->reason, "too long to schedule: it takes %d slots at full width",
                 job->fastest_slots);
    }
    if (found.n_slots > 0) {
        if (keep_plan(decision, found.n_slots, found.slots)) {
            price_plan(s, job, decision);
        } else {
            status = berth__fail_memory(error);
        }
    }
    berth__plan_clear(&found);
    return status;
}

static const char *hopeless_reason(int hopeless) {
    switch (hopeless) {
    case BERTH__FITS_NOWHERE:
        return "a worker or a parameter server fits on no machine it may use";
    case BERTH__CANNOT_FINISH:
        return "cannot finish before the horizon even at full width on an empty cluster";
    default:
        return "earns nothing at any slot in which it could complete";
    }
}

/* Why a job was rejected, or that it pays. */
static void give_reason(berth_decision *decision, int hopeless) {
    if (hopeless != 0) {
        snprintf(decision->reason, sizeof decision->reason, "%s", hopeless_reason(hopeless));
    } else if (decision->reason[0] != '\0') {
        /* planning has said why not */
    } else if (isnan(decision->payoff_bound)) {
        snprintf(decision->reason, sizeof decision->reason, "no plan completes it before the horizon");
    } else if (decision->payoff_bound <= 0) {
        snprintf(decision->reason, sizeof decision->reason, "no plan can pay: payoff bound %.6g <= 0",
                 decision->payoff_bound);
    } else if (isnan(decision->payoff)) {
        snprintf(decision->reason, sizeof decision->reason, "no plan found in the free capacity");
    } else {
        snprintf(decision->reason, sizeof decision->reason, "payoff %.6g %s 0", decision->payoff,
                 decision->admitted ? ">" : "<=");
    }
}

static berth_status check_slot(const berth_scheduler *s, int slot, size_t n, berth_error *error) {
    return slot >= s->now ? BERTH_OK
                          : berth__fail(error, BERTH_E_ARGUMENT, n == 0 ? "slot" : "/arrival_slot",
                                        "is %d; expected %d or later, the slot of the last submission", slot, s->now);
}

/* By a policy that decides job by job. */
static berth_status decide_one(berth_scheduler *s, const berth__job *job, bool commit, berth_decision **out,
                               berth_error *error) {
    *out = NULL;
    berth_decision *decision = decision_new();
    if (decision == NULL) {
        return berth__fail_memory(error);
    }
    berth__budget own = berth__budget_start(s->options.time_limit_s, &s->options.hooks);
    berth__job slow = berth__job_slowed(job, berth__moved_worth(&s->options, s->cluster));
    int hopeless = berth__job_hopeless(s->cluster, &slow);
    berth_status status = BERTH_OK;
    decision->number = s->n_submitted;
    if (hopeless == 0) {
        status = plan(s, job, s->outer != NULL ? s->outer : &own, decision, error);
    }
    if (status == BERTH_OK) {
        give_reason(decision, hopeless);
        decision->promised_slot = decision->completion_slot;
    }
    if (status == BERTH_OK && decision->admitted && commit) {
        status = berth__ledger_commit(s->ledger, job, decision->n_slots, decision->slots, error);
    }
    if (status != BERTH_OK) {
        berth_decision_free(decision);
        return status;
    }
    if (!decision->admitted) {
        reject(decision);
    }
    if (commit) {
        s->now = job->arrival;
        s->n_submitted++;
    }
    *out = decision;
    return BERTH_OK;
}

/* ---- batches ---- */

static berth_decision *decision_of_tenure(const berth__tenure *tenure) {
    berth_decision *decision = decision_new();
    if (decision == NULL || !keep_plan(decision, tenure->plan.n_slots, tenure->plan.slots)) {
        berth_decision_free(decision);
        return NULL;
    }
    decision->number = tenure->number;
    decision->admitted = true;
    decision->completion_slot = decision->slots[decision->n_slots - 1].slot;
    decision->promised_slot = tenure->announced ? tenure->promised : decision->completion_slot;
    decision->utility = berth__utility_at(&tenure->job->utility, decision->completion_slot - tenure->job->arrival);
    decision->price_paid = (double)NAN;
    return decision;
}

static berth_decision *decision_of_verdict(const berth__bidlp_verdict *verdict, const berth__job *job,
                                           uint64_t number) {
    berth_decision *decision = verdict->tenure != NULL ? decision_of_tenure(verdict->tenure) : decision_new();
    if (decision == NULL) {
        return NULL;
    }
    decision->number = number;
    decision->payoff = verdict->payoff;
    decision->payoff_bound = fmax(verdict->payoff_bound, verdict->payoff); /* equal up to rounding error */
    decision->price_paid = verdict->tenure != NULL ? verdict->price_paid : 0;
    if (verdict->too_long) {
        snprintf(decision->reason, sizeof decision->reason, "too long to schedule: it takes %d slots at full width",
                 job->fastest_slots);
    }
    if (decision->admitted && !(verdict->payoff > 0)) {
        snprintf(decision->reason, sizeof decision->reason, "room was found by moving others");
    } else if (!decision->admitted && verdict->payoff > 0) {
        snprintf(decision->reason, sizeof decision->reason, "others of its slot pay more for the room");
    }
    give_reason(decision, verdict->hopeless);
    return decision;
}

static void free_decisions(size_t n, berth_decision **decisions) {
    for (size_t i = 0; i < n; i++) {
        berth_decision_free(decisions[i]);
        decisions[i] = NULL;
    }
}

static berth_status decide_together(berth_scheduler *s, int slot, size_t n, berth__job *const *jobs, bool own,
                                    bool commit, berth_decision **out, berth_error *error) {
    berth__budget budget = berth__budget_start(s->options.time_limit_s, &s->options.hooks);
    berth__bidlp_verdict *verdicts = BERTH__NEW_ARRAY(berth__bidlp_verdict, n);
    if (verdicts == NULL) {
        return berth__fail_memory(error);
    }
    berth_status status = berth__bidlp_decide(s->bidlp, slot, n, jobs, s->n_submitted,
                                              s->outer != NULL ? s->outer : &budget, verdicts, error);
    bool decided = status == BERTH_OK;
    for (size_t i = 0; i < n && status == BERTH_OK; i++) {
        out[i] = decision_of_verdict(&verdicts[i], jobs[i], s->n_submitted + i);
        status = out[i] == NULL ? berth__fail_memory(error) : BERTH_OK;
    }
    if (decided && commit && status == BERTH_OK) {
        berth__bidlp_keep(s->bidlp, own);
    } else if (decided) {
        berth__bidlp_undo(s->bidlp);
    }
    berth__free(verdicts);
    return status;
}

/* One by one; everything is as before if one fails. */
static berth_status decide_in_turn(berth_scheduler *s, int slot, size_t n, berth__job *const *jobs,
                                   berth_decision **out, berth_error *error) {
    int now = s->now;
    uint64_t submitted = s->n_submitted;
    berth__ledger_copy before = {0};
    berth_status status = n < 2 ? BERTH_OK : berth__ledger_save(s->ledger, slot, &before, error);
    for (size_t i = 0; i < n && status == BERTH_OK; i++) {
        status = decide_one(s, jobs[i], true, &out[i], error);
    }
    if (status != BERTH_OK) {
        s->now = now;
        s->n_submitted = submitted;
        if (before.arena != NULL) { /* one that fails alone has booked nothing */
            berth__ledger_restore(s->ledger, &before);
        }
    }
    berth__ledger_copy_clear(&before);
    return status;
}

berth_status berth__scheduler_decide_batch(berth_scheduler *s, int slot, size_t n, berth__job *const *jobs, bool own,
                                           bool commit, berth_decision **out, berth_error *error) {
    berth_status status = check_slot(s, slot, n, error);
    for (size_t i = 0; i < n; i++) {
        out[i] = NULL;
    }
    if (status == BERTH_OK && s->bidlp != NULL) {
        status = decide_together(s, slot, n, jobs, own, commit, out, error);
    } else if (status == BERTH_OK) {
        status = commit ? decide_in_turn(s, slot, n, jobs, out, error) : decide_one(s, jobs[0], false, out, error);
    }
    if (status != BERTH_OK) {
        free_decisions(n, out);
    } else if (commit) {
        s->now = slot;
        s->n_submitted += s->bidlp != NULL ? n : 0;
    }
    return status;
}

berth_status berth__scheduler_decide(berth_scheduler *s, const berth__job *job, bool commit, berth_decision **out,
                                     berth_error *error) {
    berth__job *const jobs[] = {(berth__job *)(uintptr_t)job};
    return berth__scheduler_decide_batch(s, job->arrival, 1, jobs, false, commit, out, error);
}

static berth_status take_in(berth_scheduler *s, int slot, size_t n, const berth_job *specs, berth__job **jobs,
                            berth_error *error) {
    for (size_t i = 0; i < n; i++) {
        berth_status status = berth__job_new(s->cluster, &specs[i], &jobs[i], error);
        if (status == BERTH_OK && jobs[i]->arrival != slot) {
            status = berth__fail(error, BERTH_E_ARGUMENT, "/arrival_slot", "is %d; expected the batch's slot, %d",
                                 jobs[i]->arrival, slot);
        }
        if (status != BERTH_OK) {
            char prefix[32];
            snprintf(prefix, sizeof prefix, "/jobs/%zu", i);
            berth__error_prefix(error, n == 1 ? "" : prefix);
            return status;
        }
    }
    return BERTH_OK;
}

static berth_status submit(berth_scheduler *s, int slot, size_t n, const berth_job *specs, bool commit,
                           berth_decision **out, berth_error *error) {
    berth__c_locale locale; /* reasons and errors hold numbers, whatever the host's locale */
    if (!berth__c_locale_enter(&locale)) {
        return berth__fail_memory(error);
    }
    berth__job **jobs = BERTH__NEW_ARRAY(berth__job *, n);
    berth_status status = jobs == NULL ? berth__fail_memory(error) : take_in(s, slot, n, specs, jobs, error);
    if (status == BERTH_OK) {
        status = berth__scheduler_decide_batch(s, slot, n, jobs, true, commit, out, error);
    }
    bool given_away = status == BERTH_OK && commit && s->bidlp != NULL;
    for (size_t i = 0; i < n && jobs != NULL && !given_away; i++) {
        berth__job_free(jobs[i]);
    }
    berth__free(jobs);
    berth__c_locale_leave(&locale);
    return status;
}

static berth_status submit_one(berth_scheduler *s, const berth_job *job, bool commit, berth_decision **out,
                               berth_error *error) {
    if (out == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "out", "out must not be NULL");
    }
    *out = NULL;
    if (s == NULL || job == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, NULL, "scheduler and job must not be NULL");
    }
    return submit(s, job->arrival_slot, 1, job, commit, out, error);
}

berth_status berth_submit(berth_scheduler *scheduler, const berth_job *job, berth_decision **out, berth_error *error) {
    return submit_one(scheduler, job, true, out, error);
}

berth_status berth_what_if(berth_scheduler *scheduler, const berth_job *job, berth_decision **out, berth_error *error) {
    return submit_one(scheduler, job, false, out, error);
}

berth_status berth_submit_batch(berth_scheduler *scheduler, int slot, size_t n, const berth_job *jobs,
                                berth_decision **out, berth_error *error) {
    if (n > 0 && out == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "out", "out must not be NULL");
    }
    for (size_t i = 0; i < n; i++) {
        out[i] = NULL;
    }
    if (scheduler == NULL || (jobs == NULL && n > 0)) {
        return berth__fail(error, BERTH_E_ARGUMENT, NULL, "scheduler and jobs must not be NULL");
    }
    if (slot < 0 || slot >= scheduler->cluster->horizon) {
        return berth__fail(error, BERTH_E_ARGUMENT, "slot", "slot is %d; expected 0 to %d", slot,
                           scheduler->cluster->horizon - 1);
    }
    return submit(scheduler, slot, n, jobs, true, out, error);
}

berth_status berth_present_plan(berth_scheduler *scheduler, uint64_t number, berth_decision **out, berth_error *error) {
    if (out == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "out", "out must not be NULL");
    }
    *out = NULL;
    if (scheduler == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "scheduler", "scheduler must not be NULL");
    }
    if (scheduler->bidlp == NULL) {
        return berth__fail(error, BERTH_E_UNSUPPORTED, "policy",
                           "policy \"%s\" never changes a plan: the decision has it", scheduler->options.policy);
    }
    const berth__tenure *tenure = berth__bidlp_tenure(scheduler->bidlp, number);
    if (tenure == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "number", "no job of number %llu was admitted",
                           (unsigned long long)number);
    }
    *out = decision_of_tenure(tenure);
    return *out == NULL ? berth__fail_memory(error) : BERTH_OK;
}

/* ---- looking ---- */

static bool in_range(const berth_scheduler *s, int slot, int machine, int resource) {
    return s != NULL && slot >= 0 && slot < s->cluster->horizon && machine >= 0 && machine < s->cluster->n_machines &&
           resource >= 0 && resource < s->cluster->n_resources;
}

double berth_price(const berth_scheduler *s, int slot, int machine, int resource) {
    if (!in_range(s, slot, machine, resource) || !(s->cluster->total[resource] > 0)) {
        return 0;
    }
    return berth__ledger_price(berth__scheduler_ledger(s), slot, machine, resource) / s->cluster->total[resource];
}

double berth_used(const berth_scheduler *s, int slot, int machine, int resource) {
    if (!in_range(s, slot, machine, resource)) {
        return 0;
    }
    return berth__ledger_used(berth__scheduler_ledger(s), slot, machine, resource) * s->cluster->total[resource];
}
