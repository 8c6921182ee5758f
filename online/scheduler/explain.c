/* Why a job is rejected: what each machine has for it, and the least changes with which it would be admitted, found by
 * dry runs of altered jobs. */
#include "online/scheduler/scheduler.h"

#include "base/error.h"
#include "base/numeric.h"
#include "formulations/slot.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct inquiry {
    berth_scheduler *s;
    const berth_job *spec; /* as it was given */
    berth__job *job;       /* taken in */
    berth_explanation *out;
    berth_step *steps; /* room for the table of an altered utility */
    berth_error *error;
    bool stopped; /* by the time limit or the cancel hook */
} inquiry;

/* Behind the reason there is, as far as there is room. */
static void add_reason(berth_explanation *out, const char *format, ...) BERTH__PRINTF(2, 3);

static void add_reason(berth_explanation *out, const char *format, ...) {
    size_t n = strlen(out->reason);
    n += (size_t)snprintf(out->reason + n, sizeof out->reason - n, n > 0 ? "; " : "");
    if (n < sizeof out->reason) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(out->reason + n, sizeof out->reason - n, format, arguments);
        va_end(arguments);
    }
}

/* ---- machines ---- */

const char *berth_machine_verdict_text(berth_machine_verdict verdict) {
    static const char *const texts[] = {[BERTH_VERDICT_FREE] = "has room",
                                        [BERTH_VERDICT_FORBIDDEN] = "forbidden by the job's allow or avoid",
                                        [BERTH_VERDICT_CLOSED] = "closed: draining or down",
                                        [BERTH_VERDICT_TOO_SMALL] = "too small even when empty",
                                        [BERTH_VERDICT_FULL] = "full in every slot until the horizon"};
    return (int)verdict >= 0 && (size_t)verdict < sizeof texts / sizeof *texts ? texts[verdict] : NULL;
}

/* What has to find room for a job to make any progress in a slot. A worker without its server, or a server without a
 * worker, does not help. */
typedef enum kind { WORKER = 0, SERVER, BOTH, KINDS } kind;

static const char *const kind_texts[] = {"a worker", "a parameter server", "a worker together with a parameter server"};

typedef struct survey {
    const inquiry *q;
    double *free;                    /* [n_machines][n_resources] in the slot in hand */
    double *worker_price, *ps_price; /* [n_machines] */
    int *short_in;                   /* [n_machines][n_resources] slots in which it has too little for a worker */
    bool when_empty[KINDS];
    int slots, slots_with[KINDS]; /* from the job's arrival to the horizon; those with room */
    int quota_slots;              /* those in which the tenant's quota has room for a worker */
} survey;

static bool may_use(const berth__job *job, int machine) {
    return job->eligible == NULL || job->eligible[machine];
}

/* free: [n_machines][n_resources]. */
static void find_room(const inquiry *q, const double *free, bool found[KINDS]) {
    const berth__job *job = q->job;
    int R = q->s->decider->cluster->n_resources, workers = 0, servers = 0, either = 0;
    bool together = false, serves = berth__ps_needed(job, 1) > 0;
    for (int h = 0; h < q->s->decider->cluster->n_machines; h++) {
        const double *row = free + (size_t)h * (size_t)R;
        bool worker = may_use(job, h) && berth__fits(row, job, R, 1, 0);
        bool server = may_use(job, h) && berth__fits(row, job, R, 0, 1);
        workers += worker;
        servers += server;
        either += worker || server;
        together = together || (worker && server && berth__fits(row, job, R, 1, 1));
    }
    found[WORKER] = workers > 0;
    found[SERVER] = servers > 0 || !serves;
    found[BOTH] = serves ? together || (workers > 0 && servers > 0 && either > 1) : workers > 0;
}

static void judge_empty(const survey *v, int machine) {
    const berth_scheduler *s = v->q->s;
    const berth__job *job = v->q->job;
    size_t R = s->fleet.n_resources, at = (size_t)machine * R;
    berth_machine_reason *reason = &v->q->out->machines[machine];
    *reason = (berth_machine_reason){
        .machine = machine, .resource = -1, .needed = (double)NAN, .most = (double)NAN, .price = (double)NAN};
    if (!berth__job_allows(v->q->spec, s->fleet.machines[machine])) {
        reason->verdict = BERTH_VERDICT_FORBIDDEN;
        return;
    }
    if (s->fleet.state[machine] != BERTH_MACHINE_UP) {
        reason->verdict = BERTH_VERDICT_CLOSED;
        return;
    }
    reason->verdict = BERTH_VERDICT_FULL;
    double worst = 1;
    for (size_t r = 0; r < R; r++) {
        double capacity = s->decider->cluster->capacity[at + r];
        if (berth__fit_count(&capacity, &job->worker[r], 1, 1) == 0 && job->worker[r] / capacity > worst) {
            worst = job->worker[r] / capacity;
            reason->verdict = BERTH_VERDICT_TOO_SMALL;
            reason->resource = (int)r;
            reason->needed = v->q->spec->worker[r];
            reason->most = s->fleet.capacity[at + r];
        }
    }
}

/* A slot of a machine that holds a worker when it is empty. */
static void judge_slot(const survey *v, int machine) {
    const berth__job *job = v->q->job;
    size_t R = v->q->s->fleet.n_resources, at = (size_t)machine * R;
    berth_machine_reason *reason = &v->q->out->machines[machine];
    if (berth__fits(v->free + at, job, (int)R, 1, 0)) {
        reason->free_slots++;
        reason->price = fmin(reason->price, v->worker_price[machine]); /* NAN gives way */
    }
    for (size_t r = 0; r < R; r++) {
        v->short_in[at + r] += berth__fit_count(v->free + at + r, &job->worker[r], 1, 1) == 0;
    }
}

static void survey_slot(survey *v, int slot) {
    const berth_scheduler *s = v->q->s;
    const berth__ledger *ledger = berth__decider_ledger(s->decider);
    berth__ledger_free_capacity(ledger, slot, v->q->job, v->free);
    berth__ledger_unit_prices(ledger, slot, v->q->job, v->worker_price, v->ps_price);
    bool found[KINDS];
    find_room(v->q, v->free, found);
    for (int k = 0; k < KINDS; k++) {
        v->slots_with[k] += found[k];
    }
    v->slots++;
    v->quota_slots += berth__ledger_quota_room(ledger, slot, v->q->job, 1);
    for (size_t h = 0; h < s->fleet.n_machines; h++) {
        if (v->q->out->machines[h].verdict == BERTH_VERDICT_FULL) {
            judge_slot(v, (int)h);
        }
    }
}

/* The most of a resource that is free on a machine from the job's arrival on, in the user's units. */
static double most_free(const survey *v, int machine, int resource) {
    const berth_scheduler *s = v->q->s;
    const berth__ledger *ledger = berth__decider_ledger(s->decider);
    double least = HUGE_VAL;
    for (int t = v->q->job->arrival; t < s->fleet.horizon; t++) {
        least = fmin(least, berth__ledger_used(ledger, t, machine, resource));
    }
    double capacity = s->fleet.capacity[(size_t)machine * s->fleet.n_resources + (size_t)resource];
    return fmax(0, capacity - least * s->decider->cluster->total[resource]);
}

/* Free after all, or what is short in most slots. */
static void conclude(const survey *v, int machine) {
    berth_machine_reason *reason = &v->q->out->machines[machine];
    size_t R = v->q->s->fleet.n_resources, at = (size_t)machine * R;
    if (reason->verdict != BERTH_VERDICT_FULL) {
        return;
    }
    if (reason->free_slots > 0) {
        reason->verdict = BERTH_VERDICT_FREE;
        return;
    }
    reason->resource = 0;
    for (size_t r = 1; r < R; r++) {
        if (v->short_in[at + r] > v->short_in[at + (size_t)reason->resource]) {
            reason->resource = (int)r;
        }
    }
    reason->needed = v->q->spec->worker[reason->resource];
    reason->most = most_free(v, machine, reason->resource);
}

/* The resource of which a server demands more than any machine that it may use has; -1: there is none. */
static int server_lacks(const inquiry *q, double *most) {
    const berth_scheduler *s = q->s;
    for (size_t r = 0; r < s->fleet.n_resources; r++) {
        bool held = false;
        *most = 0;
        for (size_t h = 0; h < s->fleet.n_machines; h++) {
            const double *capacity = s->decider->cluster->capacity + h * s->fleet.n_resources + r;
            if (may_use(q->job, (int)h)) {
                held = held || berth__fit_count(capacity, &q->job->ps[r], 1, 1) > 0;
                *most = fmax(*most, s->fleet.capacity[h * s->fleet.n_resources + r]);
            }
        }
        if (!held) {
            return (int)r;
        }
    }
    return -1;
}

/* What the machines' verdicts, which are about workers, do not say. */
static void tell_room(const survey *v) {
    const inquiry *q = v->q;
    if (berth__job_hopeless(q->s->decider->cluster, q->job) == BERTH__LEFT_NO_MACHINE) {
        return; /* the decision's reason says it */
    }
    for (int k = 0; k < KINDS; k++) {
        double most;
        int lacks = k == SERVER && !v->when_empty[k] ? server_lacks(q, &most) : -1;
        if (lacks >= 0) {
            add_reason(q->out, "a parameter server needs %g %.40s, no machine it may use has more than %g",
                       q->spec->ps[lacks], q->s->fleet.resources[lacks], most);
        } else if (!v->when_empty[k]) {
            add_reason(q->out, "no machine it may use has room for %s, even empty", kind_texts[k]);
        } else if (v->slots_with[k] == 0) {
            add_reason(q->out, "no slot has room for %s", kind_texts[k]);
        } else {
            continue;
        }
        return;
    }
}

static berth_status survey_machines(inquiry *q, survey *v) {
    const berth_scheduler *s = q->s;
    size_t H = s->fleet.n_machines, R = s->fleet.n_resources;
    *v = (survey){.q = q,
                  .free = BERTH__NEW_ARRAY(double, H *R),
                  .worker_price = BERTH__NEW_ARRAY(double, H),
                  .ps_price = BERTH__NEW_ARRAY(double, H),
                  .short_in = BERTH__NEW_ARRAY(int, H *R)};
    bool good = v->free != NULL && v->worker_price != NULL && v->ps_price != NULL && v->short_in != NULL;
    for (size_t h = 0; h < H && good; h++) {
        judge_empty(v, (int)h);
    }
    if (good) {
        find_room(q, s->decider->cluster->capacity, v->when_empty);
    }
    for (int t = q->job->arrival; t < s->fleet.horizon && good; t++) {
        survey_slot(v, t);
    }
    for (size_t h = 0; h < H && good; h++) {
        conclude(v, (int)h);
    }
    berth__free(v->free);
    berth__free(v->worker_price);
    berth__free(v->ps_price);
    berth__free(v->short_in);
    return good ? BERTH_OK : berth__fail_memory(q->error);
}

/* ---- dry runs ---- */

/* *completion: the slot, -1 if the job is rejected, or if it is none that can be taken in. Nothing once time is up. */
static berth_status dry_run(inquiry *q, const berth_job *altered, int *completion) {
    berth_error error;
    berth__error_clear(&error);
    berth_decision *decision = NULL;
    *completion = -1;
    berth_status status = berth_what_if(q->s, altered, &decision, &error);
    q->out->dry_runs++;
    if (status == BERTH_OK) {
        *completion = decision->completion_slot;
    } else if (status == BERTH_E_CANCELLED) {
        q->stopped = true;
    } else if (status != BERTH_E_INPUT) {
        return berth__fail(q->error, status, error.where, "%s", error.message);
    }
    berth_decision_free(decision);
    return BERTH_OK;
}

/* ---- changes ---- */

/* A way to change a job by steps: alter makes step i, 1 <= i <= n, of the spec in `job`, and returns its value. */
typedef double alteration(const inquiry *q, int i, berth_job *job);

/* The utility i slots later: a delay d counts as max(0, d - i). No kind of utility but STEPS can say so exactly, as
 * none but CONSTANT is level up to i and goes on from there as it began; and delays are whole slots before the horizon,
 * so a table of them leaves nothing out. (Values that are too small to be taken in count as 0.) */
static double fall_later(const inquiry *q, int i, berth_job *job) {
    size_t n = 0;
    for (int delay = 0; delay < q->s->fleet.horizon; delay++) {
        double value = berth__utility_at(&q->spec->utility, delay > i ? delay - i : 0);
        if (n > 0 && value == q->steps[n - 1].value) {
            q->steps[n - 1].delay_slots = delay;
        } else if (n == 0 || q->steps[n - 1].value > 0) {
            q->steps[n++] = (berth_step){.delay_slots = delay, .value = value >= 1e-100 ? value : 0};
        }
    }
    job->utility = (berth_utility){.kind = BERTH_UTILITY_STEPS, .n_steps = n, .steps = q->steps};
    return i;
}

/* Factors are numbers of three digits: 1.01, 1.02, ..., 9.99, 10, 10.1, ... */
enum { FACTORS_A_DECADE = 900, MOST_FACTORS = 6 * FACTORS_A_DECADE };

static double be_worth_more(const inquiry *q, int i, berth_job *job) {
    double factor = 100 + i % FACTORS_A_DECADE;
    for (int decade = 0; decade < i / FACTORS_A_DECADE; decade++) {
        factor *= 10;
    }
    factor /= 100; /* the only step that rounds */
    job->utility.value *= factor;
    job->utility.theta[0] *= factor;
    for (size_t k = 0; k < job->utility.n_steps && job->utility.kind == BERTH_UTILITY_STEPS; k++) {
        q->steps[k] = job->utility.steps[k];
        q->steps[k].value *= factor;
    }
    job->utility.steps = q->steps;
    return factor;
}

static double be_wider(const inquiry *q, int i, berth_job *job) {
    job->max_workers = q->job->max_workers + i;
    return job->max_workers;
}

/* The least step with which the job is admitted, if with every further one it is, too: doubling thrice a time until one
 * is, then bisection. What is found was admitted in a dry run, whatever. Nothing is found once time is up. */
static berth_status find_least(inquiry *q, alteration *alter, int n, berth_least_change *out) {
    enum { STRIDE = 8 };
    int refused = 0, admitted = 0; /* steps; admitted 0: none is known */
    berth_least_change found = {.value = (double)NAN, .completion_slot = -1};
    *out = found;
    while (admitted == 0 ? refused < n : admitted - refused > 1) {
        int i = refused == 0 ? 1 : refused < n / STRIDE ? STRIDE * refused : n;
        i = admitted > 0 ? refused + (admitted - refused) / 2 : i;
        berth_job altered = *q->spec;
        double value = alter(q, i, &altered);
        int completion;
        berth_status status = dry_run(q, &altered, &completion);
        if (status != BERTH_OK || q->stopped) {
            return status;
        }
        if (completion >= 0) {
            admitted = i;
            found = (berth_least_change){.found = true, .value = value, .completion_slot = completion};
        } else {
            refused = i;
        }
    }
    *out = found;
    return BERTH_OK;
}

/* No more workers are of use than do all in a slot, find room in an empty cluster, or are within the quota. (All and an
 * eighth: planning counts whole quanta, which are an eighth of a slot's work or less.) */
static int most_width(const inquiry *q) {
    const berth__cluster *cluster = q->s->decider->cluster;
    const berth__job *job = q->job;
    int R = cluster->n_resources;
    double most = fmin(ceil(1.125 * job->worker_slots), INT_MAX - 1), room = 0;
    for (int h = 0; h < cluster->n_machines; h++) {
        const double *capacity = cluster->capacity + (size_t)h * (size_t)R;
        room += may_use(job, h) ? berth__fit_count(capacity, job->worker, R, (int)most) : 0;
    }
    most = fmin(most, room);
    return job->quota < 0
               ? (int)most
               : berth__fit_count(cluster->quota + (size_t)job->quota * (size_t)R, job->worker, R, (int)most);
}

static berth_status find_changes(inquiry *q) {
    int T = q->s->fleet.horizon, wider = most_width(q) - q->job->max_workers;
    size_t room = q->spec->utility.kind == BERTH_UTILITY_STEPS ? q->spec->utility.n_steps : 0;
    q->steps = BERTH__NEW_ARRAY(berth_step, room > (size_t)T ? room : (size_t)T);
    if (q->steps == NULL) {
        return berth__fail_memory(q->error);
    }
    const struct {
        alteration *alter;
        int n;
        berth_least_change *out;
    } changes[] = {
        {fall_later, q->spec->utility.kind == BERTH_UTILITY_CONSTANT ? 0 : T - 1 - q->job->arrival,
         &q->out->later_slots},
        {be_worth_more, MOST_FACTORS, &q->out->utility_factor},
        {be_wider, wider > 0 ? wider : 0, &q->out->max_workers},
    };
    berth_status status = BERTH_OK;
    for (size_t i = 0; i < sizeof changes / sizeof *changes && status == BERTH_OK; i++) {
        status = find_least(q, changes[i].alter, q->stopped ? 0 : changes[i].n, changes[i].out);
    }
    berth__free(q->steps);
    return status;
}

/* ---- the quota ---- */

static berth_status tell_quota(inquiry *q, const survey *v) {
    if (q->job->quota < 0) {
        return BERTH_OK;
    }
    if (v->quota_slots == 0) {
        add_reason(q->out, "the quota of tenant \"%.40s\" has no room for a worker in any slot", q->spec->tenant);
        return BERTH_OK;
    }
    berth_job free = *q->spec;
    free.tenant = NULL;
    int completion;
    berth_status status = dry_run(q, &free, &completion);
    if (completion >= 0) {
        add_reason(q->out, "but for the quota of tenant \"%.40s\" it would be admitted", q->spec->tenant);
    }
    return status;
}

/* ---- explaining ---- */

static berth_status ask(inquiry *q) {
    berth_decision *decision = NULL;
    berth_status status = berth_what_if(q->s, q->spec, &decision, q->error);
    if (status == BERTH_OK) {
        q->out->dry_runs = 1;
        q->out->admitted = decision->admitted;
        q->out->payoff = decision->payoff;
        q->out->payoff_bound = decision->payoff_bound;
        memcpy(q->out->reason, decision->reason, sizeof decision->reason);
    }
    berth_decision_free(decision);
    return status;
}

static berth_status explain(inquiry *q) {
    static const berth_least_change none = {.value = (double)NAN, .completion_slot = -1};
    q->out->later_slots = q->out->utility_factor = q->out->max_workers = none;
    berth_status status = ask(q);
    berth_job spec = *q->spec;
    spec.arrival_slot -= q->s->base;
    if (status == BERTH_OK) {
        status = berth__job_new(q->s->decider->cluster, &spec, &q->job, q->error);
    }
    survey v;
    if (status == BERTH_OK) {
        status = survey_machines(q, &v);
    }
    if (status == BERTH_OK && !q->out->admitted) {
        tell_room(&v);
        status = tell_quota(q, &v);
    }
    if (status == BERTH_OK && !q->out->admitted) {
        status = find_changes(q);
    }
    berth__job_free(q->job);
    return status;
}

static berth_explanation *explanation_new(size_t n_machines) {
    berth__arena *arena = berth__arena_new();
    berth_explanation *out = arena == NULL ? NULL : BERTH__ARENA_ARRAY(arena, berth_explanation, 1);
    berth_machine_reason *machines = out == NULL ? NULL : BERTH__ARENA_ARRAY(arena, berth_machine_reason, n_machines);
    if (machines == NULL) {
        berth__arena_free(arena);
        return NULL;
    }
    *out = (berth_explanation){.n_machines = n_machines, .machines = machines, .memory = arena};
    return out;
}

void berth_explanation_free(berth_explanation *explanation) {
    if (explanation != NULL) {
        berth__arena_free(explanation->memory);
    }
}

berth_status berth_explain(berth_scheduler *s, const berth_job *job, berth_explanation **out, berth_error *error) {
    if (out == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "out", "out must not be NULL");
    }
    *out = NULL;
    if (s == NULL || job == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, NULL, "scheduler and job must not be NULL");
    }
    berth__c_locale locale;
    if (!berth__c_locale_enter(&locale)) {
        return berth__fail_memory(error);
    }
    inquiry q = {.s = s, .spec = job, .out = explanation_new(s->fleet.n_machines), .error = error};
    berth_status status = q.out == NULL ? berth__fail_memory(error) : BERTH_OK;
    if (status == BERTH_OK) {
        /* The time limit is that of all dry runs together. */
        berth__budget budget = berth__budget_start(s->decider->options.time_limit_s, &s->decider->options.hooks);
        s->decider->outer = &budget;
        status = explain(&q);
        s->decider->outer = NULL;
    }
    if (status == BERTH_OK) {
        *out = q.out;
    } else {
        berth_explanation_free(q.out);
    }
    berth__c_locale_leave(&locale);
    return status;
}
