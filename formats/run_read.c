/* Reading results of runs, berth-run-1. What has no meaning without the instance (unknown jobs and machines) is an
 * error here; what is only untrue (too many workers, a slot beyond the horizon) is left to the checker. */
#include "formats/run_json.h"

#include "base/error.h"
#include "formats/result_json.h"

#include <math.h>
#include <string.h>

/* Where a result says none. */
#define USUAL_FLOOR 1e-12

/* What reading a result goes by. */
typedef struct context {
    const berth_instance *instance;
    berth__names machines, jobs;
    bool external; /* anybody's schedule: what only berth knows may be missing */
} context;

static berth__presence unless_external(const context *c) {
    return c->external ? BERTH__NULLABLE : BERTH__REQUIRED;
}

/* ---- one job ---- */

static bool read_placement(berth__reader *r, const berth__node *node, const context *c, berth_placement *out) {
    static const char *const fields[] = {"machine", "workers", "ps"};
    const char *name = NULL;
    if (!BERTH__ONLY_FIELDS(r, node, fields) || !berth__read_string(r, node, "machine", BERTH__REQUIRED, &name)) {
        return false;
    }
    size_t machine = berth__names_find(&c->machines, name);
    if (machine == BERTH__NO_NAME) {
        return berth__member_fail(r, node, "machine", BERTH_E_INPUT, "the instance has no machine \"%.60s\"", name);
    }
    out->machine = (int)machine;
    berth__read_int(r, node, "workers", BERTH__REQUIRED, &out->workers);
    berth__read_int(r, node, "ps", c->external ? BERTH__OPTIONAL : BERTH__REQUIRED, &out->ps);
    return r->status == BERTH_OK;
}

/* For a slot that does not say: internal if everything placed sits on one machine. */
static berth_locality locality_of(const berth_slot_plan *plan) {
    int machine = -1;
    for (size_t k = 0; k < plan->n_placements; k++) {
        const berth_placement *placement = &plan->placements[k];
        if (placement->workers == 0 && placement->ps == 0) {
            continue;
        }
        if (machine >= 0 && machine != placement->machine) {
            return BERTH_EXTERNAL;
        }
        machine = placement->machine;
    }
    return BERTH_INTERNAL;
}

static bool read_locality(berth__reader *r, const berth__node *node, const context *c, berth_slot_plan *plan) {
    const char *name = NULL;
    plan->locality = locality_of(plan);
    if (!berth__read_text(r, node, "locality", unless_external(c), &name)) {
        return r->status == BERTH_OK;
    }
    plan->locality = strcmp(name, "internal") == 0 ? BERTH_INTERNAL : BERTH_EXTERNAL;
    if (plan->locality == BERTH_EXTERNAL && strcmp(name, "external") != 0) {
        return berth__member_fail(r, node, "locality", BERTH_E_INPUT,
                                  "expected \"internal\" or \"external\", found \"%.60s\"", name);
    }
    return true;
}

static bool read_slot(berth__reader *r, const berth__node *node, const context *c, berth_slot_plan *plan) {
    static const char *const fields[] = {"slot", "locality", "samples", "placements"};
    berth__node list;
    plan->samples = (double)NAN;
    if (!BERTH__ONLY_FIELDS(r, node, fields) || !berth__read_int(r, node, "slot", BERTH__REQUIRED, &plan->slot) ||
        !berth__node_member(r, node, "placements", BERTH__REQUIRED, &list) ||
        !berth__node_array(r, &list, &plan->n_placements)) {
        return false;
    }
    berth__read_number(r, node, "samples", BERTH__NULLABLE, &plan->samples);
    plan->placements = BERTH__ARENA_ARRAY(r->arena, berth_placement, plan->n_placements);
    if (plan->placements == NULL) {
        return berth__reader_memory(r);
    }
    for (size_t k = 0; k < plan->n_placements; k++) {
        berth__node item = berth__node_element(&list, k);
        if (!read_placement(r, &item, c, &plan->placements[k])) {
            return false;
        }
    }
    return read_locality(r, node, c, plan);
}

static bool read_slots(berth__reader *r, const berth__node *node, const context *c, berth_run_job *job) {
    berth__node list;
    if (!berth__node_member(r, node, "slots", unless_external(c), &list)) {
        return r->status == BERTH_OK;
    }
    if (!berth__node_array(r, &list, &job->n_slots)) {
        return false;
    }
    berth_slot_plan *slots = BERTH__ARENA_ARRAY(r->arena, berth_slot_plan, job->n_slots);
    if (slots == NULL) {
        return berth__reader_memory(r);
    }
    job->slots = slots;
    for (size_t k = 0; k < job->n_slots; k++) {
        berth__node item = berth__node_element(&list, k);
        if (!read_slot(r, &item, c, &slots[k])) {
            return false;
        }
    }
    return true;
}

static bool read_outcome(berth__reader *r, const berth__node *node, const context *c, berth_run_job *job) {
    static const struct {
        const char *text;
        berth_job_outcome outcome;
    } outcomes[] = {
#define OUTCOME_ENTRY(name, value, text) {(text), BERTH_JOB_##name},
        BERTH_JOB_OUTCOME_TABLE(OUTCOME_ENTRY)
#undef OUTCOME_ENTRY
    };
    const char *name = NULL;
    job->admitted = job->n_slots > 0;
    berth__read_bool(r, node, "admitted", unless_external(c), &job->admitted);
    job->outcome = job->admitted ? BERTH_JOB_COMPLETED : BERTH_JOB_REJECTED;
    if (!berth__read_text(r, node, "outcome", unless_external(c), &name)) {
        return r->status == BERTH_OK;
    }
    for (size_t k = 0; k < sizeof outcomes / sizeof outcomes[0]; k++) {
        if (strcmp(outcomes[k].text, name) == 0) {
            job->outcome = outcomes[k].outcome;
            return true;
        }
    }
    return berth__member_fail(r, node, "outcome", BERTH_E_INPUT,
                              "unknown outcome \"%.60s\"; known: completed, rejected, unfinished, undecided", name);
}

/* Absent factors are 1; truth: of the run, made with the first factor. */
static bool read_truth(berth__reader *r, const berth__node *node, const context *c, size_t index, berth_truth **truth) {
    berth_truth own = {(double)NAN, (double)NAN};
    berth__read_number(r, node, "speed_factor", BERTH__NULLABLE, &own.speed);
    berth__read_number(r, node, "work_factor", BERTH__NULLABLE, &own.work);
    if (r->status != BERTH_OK || (isnan(own.speed) && isnan(own.work))) {
        return r->status == BERTH_OK;
    }
    if (*truth == NULL) {
        *truth = BERTH__ARENA_ARRAY(r->arena, berth_truth, c->instance->n_jobs);
        for (size_t k = 0; *truth != NULL && k < c->instance->n_jobs; k++) {
            (*truth)[k] = (berth_truth){1, 1};
        }
    }
    if (*truth == NULL) {
        return berth__reader_memory(r);
    }
    (*truth)[index].speed = isnan(own.speed) ? 1 : own.speed;
    (*truth)[index].work = isnan(own.work) ? 1 : own.work;
    return true;
}

static bool read_job(berth__reader *r, const berth__node *node, const context *c, berth_run_job *jobs,
                     berth_truth **truth) {
    static const char *const fields[] = {
        "id",      "admitted", "outcome",      "reason",     "promised_slot", "completion_slot", "delay_slots",
        "utility", "payoff",   "payoff_bound", "price_paid", "slots",         "speed_factor",    "work_factor"};
    const char *id = NULL;
    if (!BERTH__ONLY_FIELDS(r, node, fields) || !berth__read_string(r, node, "id", BERTH__REQUIRED, &id)) {
        return false;
    }
    size_t index = berth__names_find(&c->jobs, id);
    if (index == BERTH__NO_NAME) {
        return berth__member_fail(r, node, "id", BERTH_E_INPUT, "the instance has no job \"%.60s\"", id);
    }
    berth_run_job *job = &jobs[index];
    if (job->id != NULL) {
        return berth__member_fail(r, node, "id", BERTH_E_INPUT, "a second entry for job \"%.60s\"", id);
    }
    *job = (berth_run_job){.id = id,
                           .reason = "",
                           .promised_slot = -1,
                           .completion_slot = -1,
                           .delay_slots = -1,
                           .utility = (double)NAN,
                           .payoff = (double)NAN,
                           .payoff_bound = (double)NAN,
                           .price_paid = (double)NAN};
    berth__read_text(r, node, "reason", BERTH__NULLABLE, &job->reason);
    berth__read_int(r, node, "promised_slot", BERTH__NULLABLE, &job->promised_slot);
    berth__read_int(r, node, "completion_slot", BERTH__NULLABLE, &job->completion_slot);
    berth__read_int(r, node, "delay_slots", BERTH__NULLABLE, &job->delay_slots);
    berth__read_number(r, node, "utility", BERTH__NULLABLE, &job->utility);
    berth__read_number(r, node, "payoff", BERTH__NULLABLE, &job->payoff);
    berth__read_number(r, node, "payoff_bound", BERTH__NULLABLE, &job->payoff_bound);
    berth__read_number(r, node, "price_paid", BERTH__NULLABLE, &job->price_paid);
    return read_truth(r, node, c, index, truth) && read_slots(r, node, c, job) && read_outcome(r, node, c, job);
}

static bool read_jobs(berth__reader *r, const berth__node *root, const context *c, berth_run *run) {
    berth__node list;
    size_t n = 0;
    if (!berth__node_member(r, root, "jobs", BERTH__REQUIRED, &list) || !berth__node_array(r, &list, &n)) {
        return false;
    }
    berth_run_job *jobs = BERTH__ARENA_ARRAY(r->arena, berth_run_job, c->instance->n_jobs);
    if (jobs == NULL) {
        return berth__reader_memory(r);
    }
    berth_truth *truth = NULL;
    for (size_t k = 0; k < n; k++) {
        berth__node item = berth__node_element(&list, k);
        if (!read_job(r, &item, c, jobs, &truth)) {
            return false;
        }
    }
    for (size_t k = 0; k < c->instance->n_jobs; k++) {
        if (jobs[k].id == NULL) {
            return berth__node_fail(r, &list, BERTH_E_INPUT, "job \"%.60s\" of the instance is missing",
                                    c->instance->jobs[k].id);
        }
    }
    run->jobs = jobs;
    run->truth = truth;
    run->n_jobs = c->instance->n_jobs;
    return true;
}

/* ---- figures ---- */

static bool read_effort(berth__reader *r, const berth__node *options, berth_run *run) {
    const char *name = NULL;
    run->effort = BERTH_EFFORT_MEDIUM;
    if (!berth__read_text(r, options, "effort", BERTH__NULLABLE, &name) || name == NULL) {
        return r->status == BERTH_OK;
    }
    for (int effort = BERTH_EFFORT_LOW; effort <= BERTH_EFFORT_HIGH; effort++) {
        if (strcmp(berth_effort_name((berth_effort)effort), name) == 0) {
            run->effort = (berth_effort)effort;
            return true;
        }
    }
    return berth__member_fail(r, options, "effort", BERTH_E_INPUT, "unknown effort \"%.60s\"; known: low, medium, high",
                              name);
}

static bool read_options(berth__reader *r, const berth__node *root, berth_run *run) {
    static const char *const fields[] = {
        "solver",          "levels",       "delta",         "favour",      "scale",  "trials", "repair",
        "restart_delay_s", "fifo_workers", "dorm_fairness", "dorm_adjust", "effort", "noise"};
    berth__node node;
    run->delta = run->dorm_fairness = run->dorm_adjust = (double)NAN;
    if (!berth__node_member(r, root, "options", BERTH__NULLABLE, &node) || !BERTH__ONLY_FIELDS(r, &node, fields)) {
        return r->status == BERTH_OK;
    }
    berth__read_text(r, &node, "solver", BERTH__NULLABLE, &run->solver);
    berth__read_int(r, &node, "levels", BERTH__NULLABLE, &run->levels);
    berth__read_number(r, &node, "delta", BERTH__NULLABLE, &run->delta);
    berth__read_rounding(r, &node, &run->favour, &run->scale);
    berth__read_int(r, &node, "trials", BERTH__NULLABLE, &run->trials);
    berth__read_bool(r, &node, "repair", BERTH__NULLABLE, &run->repair);
    berth__read_number(r, &node, "restart_delay_s", BERTH__NULLABLE, &run->restart_delay_s);
    berth__read_number(r, &node, "noise", BERTH__NULLABLE, &run->noise);
    berth__read_int(r, &node, "fifo_workers", BERTH__NULLABLE, &run->fifo_workers);
    berth__read_number(r, &node, "dorm_fairness", BERTH__NULLABLE, &run->dorm_fairness);
    berth__read_number(r, &node, "dorm_adjust", BERTH__NULLABLE, &run->dorm_adjust);
    return r->status == BERTH_OK && read_effort(r, &node, run);
}

/* An object {resource: number}, absent ones `initial`, null NAN. */
static const double *read_figures(berth__reader *r, const berth__node *object, const char *key,
                                  const berth_instance *instance, double initial) {
    berth__node node;
    double *figures = BERTH__ARENA_ARRAY(r->arena, double, instance->n_resources);
    if (figures == NULL) {
        berth__reader_memory(r);
        return NULL;
    }
    for (size_t k = 0; k < instance->n_resources; k++) {
        figures[k] = initial;
    }
    bool read = berth__node_member(r, object, key, BERTH__REQUIRED, &node) &&
                berth__node_amounts(r, &node, "resource", instance->n_resources, instance->resources, true, figures);
    return read ? figures : NULL;
}

static bool read_prices(berth__reader *r, const berth__node *root, const berth_instance *instance, berth_run *run) {
    static const char *const fields[] = {
        "upper", "lower", "floor", "floored", "oracle", "closed_form_ratio", "closed_form_why_not"};
    berth__node node;
    run->closed_form_ratio = (double)NAN;
    run->price_floor = isnan(instance->price_floor) ? USUAL_FLOOR : instance->price_floor;
    if (!berth__node_member(r, root, "prices", BERTH__NULLABLE, &node) || !BERTH__ONLY_FIELDS(r, &node, fields)) {
        return r->status == BERTH_OK;
    }
    run->price_upper = read_figures(r, &node, "upper", instance, 0);
    run->price_lower = read_figures(r, &node, "lower", instance, 0);
    berth__read_number(r, &node, "floor", BERTH__NULLABLE, &run->price_floor);
    berth__read_bool(r, &node, "floored", BERTH__NULLABLE, &run->price_floored);
    berth__read_bool(r, &node, "oracle", BERTH__NULLABLE, &run->price_oracle);
    berth__read_number(r, &node, "closed_form_ratio", BERTH__NULLABLE, &run->closed_form_ratio);
    berth__read_text(r, &node, "closed_form_why_not", BERTH__NULLABLE, &run->closed_form_why_not);
    return r->status == BERTH_OK;
}

static bool read_bounds(berth__reader *r, const berth__node *root, berth_run_bounds *bounds) {
    static const char *const fields[] = {"dual", "arrival_dual", "lp", "exact", "best", "ratio", "void_because"};
    berth__node node;
    double none = (double)NAN;
    *bounds =
        (berth_run_bounds){.dual = none, .arrival_dual = none, .lp = none, .exact = none, .best = none, .ratio = none};
    if (!berth__node_member(r, root, "bounds", BERTH__NULLABLE, &node) || !BERTH__ONLY_FIELDS(r, &node, fields)) {
        return r->status == BERTH_OK;
    }
    berth__read_number(r, &node, "dual", BERTH__NULLABLE, &bounds->dual);
    berth__read_number(r, &node, "arrival_dual", BERTH__NULLABLE, &bounds->arrival_dual);
    berth__read_number(r, &node, "lp", BERTH__NULLABLE, &bounds->lp);
    berth__read_number(r, &node, "exact", BERTH__NULLABLE, &bounds->exact);
    berth__read_number(r, &node, "best", BERTH__NULLABLE, &bounds->best);
    berth__read_number(r, &node, "ratio", BERTH__NULLABLE, &bounds->ratio);
    berth__read_text(r, &node, "void_because", BERTH__NULLABLE, &bounds->void_because);
    return r->status == BERTH_OK;
}

static bool read_promise(berth__reader *r, const berth__node *rounding, berth_rounding_promise *promise) {
    static const char *const fields[] = {"scale", "cost_factor", "cover_factor", "pack_factor", "probability"};
    const double nan = (double)NAN;
    berth__node node;
    *promise = (berth_rounding_promise){nan, nan, nan, nan, nan};
    if (!berth__node_member(r, rounding, "promise", BERTH__NULLABLE, &node) || !BERTH__ONLY_FIELDS(r, &node, fields)) {
        return r->status == BERTH_OK;
    }
    berth__read_number(r, &node, "scale", BERTH__NULLABLE, &promise->scale);
    berth__read_number(r, &node, "cost_factor", BERTH__NULLABLE, &promise->cost_factor);
    berth__read_number(r, &node, "cover_factor", BERTH__NULLABLE, &promise->cover_factor);
    berth__read_number(r, &node, "pack_factor", BERTH__NULLABLE, &promise->pack_factor);
    berth__read_number(r, &node, "probability", BERTH__NULLABLE, &promise->probability);
    return r->status == BERTH_OK;
}

static bool read_rounding(berth__reader *r, const berth__node *root, berth_run *run) {
    static const char *const fields[] = {"problems",       "solved",  "repaired", "draws",
                                         "guarantee_held", "why_not", "promise"};
    berth__node node;
    if (!berth__node_member(r, root, "rounding", BERTH__NULLABLE, &node) || !BERTH__ONLY_FIELDS(r, &node, fields)) {
        return r->status == BERTH_OK;
    }
    berth_rounding_summary *rounding = BERTH__ARENA_ARRAY(r->arena, berth_rounding_summary, 1);
    if (rounding == NULL) {
        return berth__reader_memory(r);
    }
    berth__read_number(r, &node, "problems", BERTH__REQUIRED, &rounding->problems);
    berth__read_number(r, &node, "solved", BERTH__REQUIRED, &rounding->solved);
    berth__read_number(r, &node, "repaired", BERTH__OPTIONAL, &rounding->repaired);
    berth__read_number(r, &node, "draws", BERTH__REQUIRED, &rounding->draws);
    berth__read_number(r, &node, "guarantee_held", BERTH__REQUIRED, &rounding->guarantee_held);
    berth__read_text(r, &node, "why_not", BERTH__NULLABLE, &rounding->why_not);
    run->rounding = rounding;
    return read_promise(r, &node, &rounding->promise);
}

static bool read_placement_summary(berth__reader *r, const berth__node *root, berth_run *run) {
    static const char *const fields[] = {"slots", "proved", "worst_gap", "mean_gap"};
    berth__node node;
    if (!berth__node_member(r, root, "placement", BERTH__NULLABLE, &node) || !BERTH__ONLY_FIELDS(r, &node, fields)) {
        return r->status == BERTH_OK;
    }
    berth_placement_summary *placement = BERTH__ARENA_ARRAY(r->arena, berth_placement_summary, 1);
    if (placement == NULL) {
        return berth__reader_memory(r);
    }
    placement->worst_gap = placement->mean_gap = (double)NAN;
    berth__read_number(r, &node, "slots", BERTH__REQUIRED, &placement->slots);
    berth__read_number(r, &node, "proved", BERTH__REQUIRED, &placement->proved);
    berth__read_number(r, &node, "worst_gap", BERTH__NULLABLE, &placement->worst_gap);
    berth__read_number(r, &node, "mean_gap", BERTH__NULLABLE, &placement->mean_gap);
    run->placement = placement;
    return r->status == BERTH_OK;
}

static bool read_estimation(berth__reader *r, const berth__node *root, berth_run *run) {
    static const char *const fields[] = {
        "early", "late", "unfinished", "promises_kept", "promises_broken", "mean_overrun_slots", "worst_overrun_slots"};
    berth__node node;
    if (!berth__node_member(r, root, "estimation", BERTH__NULLABLE, &node) || !BERTH__ONLY_FIELDS(r, &node, fields)) {
        return r->status == BERTH_OK;
    }
    berth_estimation_summary *estimation = BERTH__ARENA_ARRAY(r->arena, berth_estimation_summary, 1);
    if (estimation == NULL) {
        return berth__reader_memory(r);
    }
    estimation->mean_overrun_slots = estimation->worst_overrun_slots = (double)NAN;
    berth__read_size(r, &node, "early", BERTH__REQUIRED, &estimation->early);
    berth__read_size(r, &node, "late", BERTH__REQUIRED, &estimation->late);
    berth__read_size(r, &node, "unfinished", BERTH__REQUIRED, &estimation->unfinished);
    berth__read_size(r, &node, "promises_kept", BERTH__REQUIRED, &estimation->promises_kept);
    berth__read_size(r, &node, "promises_broken", BERTH__REQUIRED, &estimation->promises_broken);
    berth__read_number(r, &node, "mean_overrun_slots", BERTH__NULLABLE, &estimation->mean_overrun_slots);
    berth__read_number(r, &node, "worst_overrun_slots", BERTH__NULLABLE, &estimation->worst_overrun_slots);
    run->estimation = estimation;
    return r->status == BERTH_OK;
}

static bool read_certificate(berth__reader *r, const berth__node *root, const context *c, berth_run *run) {
    static const char *const fields[] = {"classes", "prices"};
    static const char *const elsewhere[] = {"numbers"};
    berth__node node;
    size_t numbers = 0;
    if (!berth__node_member(r, root, "certificate", BERTH__NULLABLE, &node)) {
        return r->status == BERTH_OK;
    }
    if (berth__read_size(r, &node, "numbers", BERTH__OPTIONAL, &numbers)) {
        return BERTH__ONLY_FIELDS(r, &node, elsewhere);
    }
    return BERTH__ONLY_FIELDS(r, &node, fields) &&
           berth__read_certificate(r, &node, c->instance, &c->machines, &run->certificate);
}

static bool read_summary(berth__reader *r, const berth__node *root, const berth_instance *instance,
                         berth_run_summary *summary) {
    static const char *const fields[] = {"jobs",           "admitted",         "completed",
                                         "utility",        "mean_delay_slots", "median_delay_slots",
                                         "makespan_slots", "utilisation"};
    berth__node node;
    double none = (double)NAN;
    *summary = (berth_run_summary){.utility = none, .mean_delay_slots = none, .median_delay_slots = none};
    if (!berth__node_member(r, root, "summary", BERTH__NULLABLE, &node) || !BERTH__ONLY_FIELDS(r, &node, fields)) {
        return r->status == BERTH_OK;
    }
    berth__read_size(r, &node, "jobs", BERTH__REQUIRED, &summary->jobs);
    berth__read_size(r, &node, "admitted", BERTH__REQUIRED, &summary->admitted);
    berth__read_size(r, &node, "completed", BERTH__REQUIRED, &summary->completed);
    berth__read_number(r, &node, "utility", BERTH__REQUIRED, &summary->utility);
    berth__read_number(r, &node, "mean_delay_slots", BERTH__NULLABLE, &summary->mean_delay_slots);
    berth__read_number(r, &node, "median_delay_slots", BERTH__NULLABLE, &summary->median_delay_slots);
    berth__read_int(r, &node, "makespan_slots", BERTH__REQUIRED, &summary->makespan_slots);
    summary->utilisation = read_figures(r, &node, "utilisation", instance, (double)NAN);
    return r->status == BERTH_OK;
}

/* ---- the whole ---- */

static bool is_policy(const char *word) {
    const char *const *name = berth_policy_names();
    while (*name != NULL && strcmp(*name, word) != 0) {
        name++;
    }
    return *name != NULL;
}

static bool read_root(berth__reader *r, const berth__node *root, context *c, berth_run *run) {
    static const char *const fields[] = {
        "format", "instance", "instance_crc32", "policy",      "seed", "stopped", "options",  "prices",    "utility",
        "bounds", "rounding", "placement",      "certificate", "jobs", "summary", "versions", "estimation"};
    if (!berth__read_format(r, root, "berth-run-1") || !BERTH__ONLY_FIELDS(r, root, fields) ||
        !berth__read_string(r, root, "policy", BERTH__REQUIRED, &run->policy)) {
        return false;
    }
    c->external = strcmp(run->policy, "external") == 0;
    if (!c->external && !is_policy(run->policy)) {
        return berth__member_fail(r, root, "policy", BERTH_E_INPUT,
                                  "there is no policy \"%.60s\"; that of anybody else is \"external\"", run->policy);
    }
    run->utility = (double)NAN;
    berth__read_instance_of(r, root, c->instance, unless_external(c), &run->instance, &run->instance_crc32);
    berth__read_seed(r, root, unless_external(c), &run->seed);
    berth__read_bool(r, root, "stopped", BERTH__NULLABLE, &run->stopped);
    berth__read_number(r, root, "utility", unless_external(c), &run->utility);
    return r->status == BERTH_OK && read_options(r, root, run) && read_prices(r, root, c->instance, run) &&
           read_bounds(r, root, &run->bounds) && read_rounding(r, root, run) && read_placement_summary(r, root, run) &&
           read_estimation(r, root, run) && read_certificate(r, root, c, run) && read_jobs(r, root, c, run) &&
           read_summary(r, root, c->instance, &run->summary) &&
           berth__read_versions(r, root, &run->n_versions, &run->version_names, &run->version_numbers);
}

static bool index_names(berth__reader *r, context *c) {
    if (!berth__machine_names(c->instance, &c->machines) || !berth__names_init(&c->jobs, c->instance->n_jobs)) {
        return berth__reader_memory(r);
    }
    for (size_t k = 0; k < c->instance->n_jobs; k++) {
        berth__names_add(&c->jobs, c->instance->jobs[k].id, k);
    }
    return true;
}

static berth_status run_from(json_t *document, const berth_instance *instance, berth_run **out, berth_error *error) {
    context c = {.instance = instance};
    berth__reader r = {.arena = berth__arena_new(), .error = error};
    berth_run *run = r.arena == NULL ? NULL : BERTH__ARENA_ARRAY(r.arena, berth_run, 1);
    if (run == NULL) {
        berth__reader_memory(&r);
        goto done;
    }
    run->n_resources = instance->n_resources;
    run->memory = r.arena;
    berth__node root = berth__node_root(document);
    if (index_names(&r, &c) && read_root(&r, &root, &c, run)) {
        *out = run;
    }
done:
    berth__names_free(&c.machines);
    berth__names_free(&c.jobs);
    if (r.status != BERTH_OK) {
        berth__arena_free(r.arena);
    }
    return r.status;
}

berth_status berth_run_read(const char *path, const berth_instance *instance, berth_run **out, berth_error *error) {
    *out = NULL;
    berth__error_clear(error);
    if (path == NULL || instance == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, path == NULL ? "path" : "instance", "must not be NULL");
    }
    berth__c_locale locale;
    json_t *document = NULL;
    if (!berth__c_locale_enter(&locale)) {
        return berth__fail_memory(error);
    }
    berth_status status = berth__json_read_file(path, &document, error);
    if (status == BERTH_OK) {
        status = run_from(document, instance, out, error);
    }
    json_decref(document);
    berth__c_locale_leave(&locale);
    return status;
}
