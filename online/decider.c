#include "online/decider.h"

#include "base/error.h"
#include "online/decision.h"
#include "online/restart.h"

#include <limits.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

static int thread_count(const berth_options *options) {
    return options->threads > 0 ? options->threads : omp_get_num_procs();
}

/* ---- life cycle ---- */

/* options.solver by name: the policy's own choice for "auto", else the fast slot solver or an LP backend. */
static berth_status choose_solver(berth__decider *s, berth_error *error) {
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

berth__bidlp_setting berth__decider_setting(berth__decider *s, berth__cluster *cluster) {
    return (berth__bidlp_setting){.cluster = cluster,
                                  .policy = s->policy,
                                  .options = &s->options,
                                  .workspaces = s->workspaces,
                                  .stats = &s->stats};
}

static berth_status check_restart_delay(const berth__decider *s, const berth__cluster *cluster, berth_error *error) {
    if (s->policy == NULL || berth__moved_worth(&s->options, cluster) > 0) {
        return BERTH_OK;
    }
    return berth__fail(error, BERTH_E_ARGUMENT, "restart_delay_s",
                       "restart delay is %g s; policy \"%s\" needs less than a slot, %g s", s->options.restart_delay_s,
                       s->policy->name, cluster->slot_seconds);
}

berth_status berth__decider_open(const berth_options *options, berth__cluster *cluster, berth__decider **out,
                                 berth_error *error) {
    *out = NULL;
    berth__decider *s = berth__calloc(1, sizeof *s);
    if (s == NULL) {
        return berth__fail_memory(error);
    }
    s->options = *options;
    s->options.threads = thread_count(options);
    s->policy = berth__policy_find(options->policy);
    s->slot_policy = berth__slot_policy_find(options->policy);
    s->options.policy = s->policy != NULL ? s->policy->name : s->slot_policy->name;
    berth_status status = BERTH_OK;
    if (options->backends == NULL) {
        status = berth_backends_new(&s->built_in) == BERTH_OK ? BERTH_OK : berth__fail_memory(error);
        s->options.backends = s->built_in;
    }
    if (status == BERTH_OK) {
        s->workspaces = berth__workspaces_new(s->options.threads);
        status = s->workspaces == NULL ? berth__fail_memory(error) : choose_solver(s, error);
    }
    if (status == BERTH_OK) {
        status = check_restart_delay(s, cluster, error);
    }
    if (status != BERTH_OK) {
        berth__decider_free(s);
        return status;
    }
    s->cluster = cluster;
    *out = s;
    return BERTH_OK;
}

berth_status berth__decider_new(const berth_cluster *spec, const berth_price_bounds *bounds,
                                const berth_options *options, berth__decider **out, berth_error *error) {
    *out = NULL;
    berth_status status = berth__check_options(options, error);
    if (status != BERTH_OK) {
        return status;
    }
    if (spec == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "cluster", "cluster must not be NULL");
    }
    berth__cluster *cluster = NULL;
    berth__decider *s = NULL;
    status = berth__cluster_new(spec, &cluster, error);
    if (status == BERTH_OK) {
        status = berth__decider_open(options, cluster, &s, error);
    }
    if (status != BERTH_OK) {
        berth__cluster_free(cluster);
        return status;
    }
    if (s->policy != NULL && s->policy->batches) {
        const berth__bidlp_setting setting = berth__decider_setting(s, cluster);
        status = berth__bidlp_new(&setting, &s->bidlp, error);
    } else {
        status = berth__decider_set_prices(s, bounds, error);
    }
    if (status != BERTH_OK) {
        berth__decider_free(s);
        return status;
    }
    *out = s;
    return BERTH_OK;
}

void berth__decider_free(berth__decider *s) {
    if (s != NULL) {
        berth__bidlp_free(s->bidlp);
        berth__ledger_copy_clear(&s->before);
        berth__ledger_free(s->ledger);
        berth__prices_free(s->prices);
        berth__cluster_free(s->cluster);
        berth_backends_free(s->built_in);
        berth__workspaces_free(s->workspaces, s->options.threads);
        berth__free(s);
    }
}

bool berth__decider_priced(const berth__decider *s) {
    return s->policy != NULL && !s->policy->batches;
}

const berth__ledger *berth__decider_ledger(const berth__decider *s) {
    return s->bidlp != NULL ? berth__bidlp_ledger(s->bidlp) : s->ledger;
}

berth__arena *berth__decider_scratch(const berth__decider *s) {
    return s->workspaces[0].scratch;
}

berth_status berth__decider_set_prices(berth__decider *s, const berth_price_bounds *bounds, berth_error *error) {
    berth__prices *prices = NULL;
    berth__ledger *ledger = NULL;
    if (bounds == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "bounds",
                           "policy \"%s\" needs price bounds: berth_price_bounds_compute, or choose bidlp",
                           s->options.policy);
    }
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

/* ---- deciding ---- */

static void price_plan(const berth__decider *s, const berth__job *job, const berth__plan *found,
                       berth_decision *decision) {
    decision->completion_slot = found->slots[found->n_slots - 1].slot;
    decision->utility = berth__utility_at(&job->utility, decision->completion_slot - job->arrival);
    decision->price_paid = berth__ledger_plan_price(s->ledger, job, found->n_slots, found->slots);
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

static berth_status plan(berth__decider *s, const berth__job *job, const berth__budget *budget,
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
        price_plan(s, job, &found, decision);
    }
    if (decision->admitted && !berth__decision_keep(decision, found.n_slots, found.slots)) {
        status = berth__fail_memory(error);
    }
    berth__plan_clear(&found);
    return status;
}

/* Why a job was rejected, or that it pays. */
static void give_reason(berth_decision *decision, int hopeless) {
    if (hopeless != 0) {
        snprintf(decision->reason, sizeof decision->reason, "%s", berth__hopeless_text(hopeless));
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

static berth_status check_slot(const berth__decider *s, int slot, size_t n, berth_error *error) {
    return slot >= s->now ? BERTH_OK
                          : berth__fail(error, BERTH_E_ARGUMENT, n == 0 ? "slot" : "/arrival_slot",
                                        "is %d; expected %d or later, the slot of the last submission", slot, s->now);
}

static bool all_admitted(size_t n, berth_decision *const *decisions) {
    bool all = true;
    for (size_t i = 0; i < n; i++) {
        all = all && decisions[i]->admitted;
    }
    return all;
}

static berth_status record(const berth__batch *batch, berth_decision *const *decisions, berth_error *error) {
    if (batch->record == NULL || (batch->gang && !all_admitted(batch->n, decisions))) {
        return BERTH_OK;
    }
    return batch->record(batch->user, decisions, error);
}

/* By a policy that decides job by job. recorded: a batch of this job alone; NULL: it is recorded otherwise. */
static berth_status decide_one(berth__decider *s, const berth__job *job, bool commit, const berth__batch *recorded,
                               berth_decision **out, berth_error *error) {
    *out = NULL;
    berth_decision *decision = berth__decision_new();
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
    if (status == BERTH_OK && decision->admitted && recorded != NULL) {
        status = record(recorded, &decision, error);
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
    berth_decision *decision = berth__decision_new();
    if (decision == NULL || !berth__decision_keep(decision, tenure->plan.n_slots, tenure->plan.slots)) {
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
    berth_decision *decision = verdict->tenure != NULL ? decision_of_tenure(verdict->tenure) : berth__decision_new();
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

static void reject_gang(size_t n, berth_decision *const *decisions) {
    const berth_decision *first = NULL;
    for (size_t i = 0; i < n && first == NULL; i++) {
        first = decisions[i]->admitted ? NULL : decisions[i];
    }
    if (first == NULL) {
        return;
    }
    for (size_t i = 0; i < n; i++) {
        if (decisions[i]->admitted) {
            reject(decisions[i]);
            snprintf(decisions[i]->reason, sizeof decisions[i]->reason, "its gang is rejected: job %llu of it, %.100s",
                     (unsigned long long)first->number, first->reason);
        }
    }
}

static berth_status decide_together(berth__decider *s, const berth__batch *batch, bool *kept, berth_decision **out,
                                    berth_error *error) {
    berth__budget budget = berth__budget_start(s->options.time_limit_s, &s->options.hooks);
    size_t n = batch->n;
    berth__arena *scratch = berth__decider_scratch(s);
    berth__arena_mark before = berth__arena_here(scratch);
    berth__bidlp_verdict *verdicts = BERTH__ARENA_ARRAY(scratch, berth__bidlp_verdict, n);
    if (verdicts == NULL) {
        return berth__fail_memory(error);
    }
    berth__bidlp_set_steady(s->bidlp, s->steady);
    berth_status status = berth__bidlp_decide(s->bidlp, batch->slot, n, batch->jobs, s->n_submitted,
                                              s->outer != NULL ? s->outer : &budget, verdicts, error);
    bool decided = status == BERTH_OK;
    for (size_t i = 0; i < n && status == BERTH_OK; i++) {
        out[i] = decision_of_verdict(&verdicts[i], batch->jobs[i], s->n_submitted + i);
        status = out[i] == NULL ? berth__fail_memory(error) : BERTH_OK;
    }
    if (status == BERTH_OK && batch->commit) {
        status = record(batch, out, error);
    }
    *kept = decided && batch->commit && status == BERTH_OK && (!batch->gang || all_admitted(n, out));
    if (*kept) {
        berth__bidlp_keep(s->bidlp, batch->own);
    } else if (decided) {
        berth__bidlp_undo(s->bidlp);
    }
    berth__arena_back(scratch, before);
    return status;
}

/* One by one; everything is as before if one fails, or if one of a gang is rejected. */
static berth_status decide_in_turn(berth__decider *s, const berth__batch *batch, berth_decision **out,
                                   berth_error *error) {
    int now = s->now;
    uint64_t submitted = s->n_submitted;
    size_t n = batch->n;
    berth_status status = n < 2 ? BERTH_OK : berth__ledger_save(s->ledger, batch->slot, &s->before, error);
    for (size_t i = 0; i < n && status == BERTH_OK; i++) {
        status = decide_one(s, batch->jobs[i], true, n == 1 ? batch : NULL, &out[i], error);
    }
    if (status == BERTH_OK && n > 1) {
        status = record(batch, out, error);
    }
    if (status != BERTH_OK) {
        s->now = now;
        s->n_submitted = submitted;
    }
    bool back = status != BERTH_OK || (batch->gang && !all_admitted(n, out));
    if (back && s->before.taken) { /* one that fails alone, or is rejected, has booked nothing */
        berth__ledger_restore(s->ledger, &s->before);
    }
    berth__ledger_copy_drop(&s->before);
    return status;
}

berth_status berth__decide_batch(berth__decider *s, const berth__batch *batch, bool *kept, berth_decision **out,
                                 berth_error *error) {
    bool taken = false;
    berth_status status = check_slot(s, batch->slot, batch->n, error);
    for (size_t i = 0; i < batch->n; i++) {
        out[i] = NULL;
    }
    if (status == BERTH_OK && s->bidlp != NULL) {
        status = decide_together(s, batch, &taken, out, error);
    } else if (status == BERTH_OK) {
        status = batch->commit ? decide_in_turn(s, batch, out, error)
                               : decide_one(s, batch->jobs[0], false, NULL, out, error);
    }
    if (status != BERTH_OK) {
        free_decisions(batch->n, out);
    } else if (batch->commit) {
        s->now = batch->slot;
        s->n_submitted += s->bidlp != NULL ? batch->n : 0;
    }
    if (status == BERTH_OK && batch->gang) {
        reject_gang(batch->n, out);
    }
    if (kept != NULL) {
        *kept = taken;
    }
    return status;
}

berth_status berth__decide(berth__decider *s, const berth__job *job, bool commit, berth_decision **out,
                           berth_error *error) {
    berth__job *const jobs[] = {(berth__job *)(uintptr_t)job};
    const berth__batch batch = {.slot = job->arrival, .n = 1, .jobs = jobs, .commit = commit};
    return berth__decide_batch(s, &batch, NULL, out, error);
}

berth_status berth__decider_present(const berth__decider *s, uint64_t number, berth_decision **out,
                                    berth_error *error) {
    *out = NULL;
    const berth__tenure *tenure = berth__bidlp_tenure(s->bidlp, number);
    if (tenure == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "number", "no job of number %llu was admitted",
                           (unsigned long long)number);
    }
    *out = decision_of_tenure(tenure);
    return *out == NULL ? berth__fail_memory(error) : BERTH_OK;
}

/* ---- for schedulers ---- */

berth_status berth__decider_renew(const berth__decider *old, berth__cluster *cluster, berth__decider **out,
                                  berth_error *error) {
    *out = NULL;
    berth__decider *s = berth__calloc(1, sizeof *s);
    if (s == NULL) {
        return berth__fail_memory(error);
    }
    *s = (berth__decider){.policy = old->policy,
                          .options = old->options,
                          .n_submitted = old->n_submitted,
                          .now = old->now,
                          .steady = old->steady,
                          .stats = old->stats};
    berth_status status = BERTH_OK;
    if (old->built_in != NULL) {
        status = berth_backends_new(&s->built_in) == BERTH_OK ? BERTH_OK : berth__fail_memory(error);
        s->options.backends = s->built_in;
    }
    s->workspaces = status == BERTH_OK ? berth__workspaces_new(s->options.threads) : NULL;
    if (status == BERTH_OK && s->workspaces == NULL) {
        status = berth__fail_memory(error);
    }
    if (status == BERTH_OK && old->bidlp != NULL) {
        const berth__bidlp_setting setting = berth__decider_setting(s, cluster);
        status = berth__bidlp_renew(old->bidlp, &setting, &s->bidlp, error);
    } else if (status == BERTH_OK) {
        s->prices = berth__prices_copy(old->prices);
        status =
            s->prices == NULL ? berth__fail_memory(error) : berth__ledger_new(cluster, s->prices, &s->ledger, error);
    }
    if (status != BERTH_OK) {
        berth__decider_free(s);
        return status;
    }
    s->cluster = cluster;
    *out = s;
    return BERTH_OK;
}

berth_status berth__decider_adopt(berth__decider *s, uint64_t number, const berth__job *job, int promised, int now,
                                  berth__plan *plan, berth_error *error) {
    if (s->bidlp != NULL) {
        return berth__bidlp_adopt(s->bidlp, number, job, promised, now, plan, error);
    }
    size_t from = berth__plan_to_come(plan, now);
    berth_status status = berth__ledger_adopt(s->ledger, job, plan->n_slots - from, plan->slots + from, error);
    if (status == BERTH_OK) {
        berth__plan_clear(plan);
    }
    return status;
}

void berth__decider_release(berth__decider *s, uint64_t number, const berth__job *job, int now, size_t n_slots,
                            const berth_slot_plan *slots) {
    if (s->bidlp != NULL) {
        berth__bidlp_remove(s->bidlp, number, now);
        return;
    }
    size_t from = 0;
    while (from < n_slots && slots[from].slot < now) {
        from++;
    }
    berth__ledger_release(s->ledger, job, n_slots - from, slots + from);
}

berth_status berth__decider_plan_rest(berth__decider *s, const berth__rest *rest, berth__plan *found,
                                      berth_error *error) {
    berth__budget budget = berth__budget_start(s->options.time_limit_s, &s->options.hooks);
    const berth__planning with = {.policy = s->policy,
                                  .cluster = s->cluster,
                                  .ledger = berth__decider_ledger(s),
                                  .options = &s->options,
                                  .budget = &budget,
                                  .workspaces = s->workspaces,
                                  .stats = &s->stats};
    return berth__plan_rest(&with, rest, found, error);
}

void berth__decider_shift(berth__decider *s, int slots) {
    if (s->bidlp != NULL) {
        berth__bidlp_shift(s->bidlp, slots);
    } else {
        berth__ledger_shift(s->ledger, slots);
    }
    s->now = s->now > slots ? s->now - slots : 0;
}
