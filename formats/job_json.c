/* Reading a job of an instance or of an event. What it may hold is checked by berth__job_validate. */
#include "formats/job_json.h"

#include "formulations/placement.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* ---- amounts ---- */

static double *amounts_of(berth__reader *r, const berth_instance *instance, double initial) {
    double *amounts = BERTH__ARENA_ARRAY(r->arena, double, instance->n_resources);
    if (amounts == NULL) {
        berth__reader_memory(r);
        return NULL;
    }
    for (size_t k = 0; k < instance->n_resources; k++) {
        amounts[k] = initial;
    }
    return amounts;
}

double *berth__read_amounts(berth__reader *r, const berth_instance *instance, const berth__node *node, double initial) {
    double *amounts = amounts_of(r, instance, initial);
    bool read = amounts != NULL &&
                berth__node_amounts(r, node, "resource", instance->n_resources, instance->resources, false, amounts);
    return read ? amounts : NULL;
}

berth__node berth__amount_node(const berth_instance *instance, const berth__node *amounts, size_t resource) {
    return (berth__node){.parent = amounts, .key = instance->resources[resource]};
}

double *berth__read_capacity(berth__reader *r, const berth_instance *instance, const berth__node *node) {
    double *amounts = berth__read_amounts(r, instance, node, 0);
    for (size_t k = 0; k < instance->n_resources && amounts != NULL; k++) {
        if (amounts[k] != 0 && !(amounts[k] >= 1e-100 && amounts[k] <= 1e100)) {
            berth__node at = berth__amount_node(instance, node, k);
            berth__node_fail(r, &at, BERTH_E_INPUT, "a capacity is %g; expected 0 or a number from 1e-100 to 1e100",
                             amounts[k]);
            return NULL;
        }
    }
    return amounts;
}

/* ---- fields ---- */

static bool read_pair(berth__reader *r, const berth__node *node, berth_step *step) {
    size_t n = 0;
    if (!berth__node_array(r, node, &n)) {
        return false;
    }
    if (n != 2) {
        return berth__node_fail(r, node, BERTH_E_INPUT, "expected a pair [delay, value], found %zu element%s", n,
                                n == 1 ? "" : "s");
    }
    berth__node delay = berth__node_element(node, 0), value = berth__node_element(node, 1);
    return berth__node_number(r, &delay, &step->delay_slots) && berth__node_number(r, &value, &step->value);
}

static bool read_steps(berth__reader *r, const berth__node *node, berth_utility *utility) {
    berth__node table;
    if (!berth__node_member(r, node, "table", BERTH__REQUIRED, &table) ||
        !berth__node_array(r, &table, &utility->n_steps)) {
        return false;
    }
    berth_step *steps = BERTH__ARENA_ARRAY(r->arena, berth_step, utility->n_steps);
    if (steps == NULL) {
        return berth__reader_memory(r);
    }
    utility->steps = steps;
    for (size_t k = 0; k < utility->n_steps; k++) {
        berth__node pair = berth__node_element(&table, k);
        if (!read_pair(r, &pair, &steps[k])) {
            return false;
        }
    }
    return true;
}

static bool read_theta(berth__reader *r, const berth__node *node, berth_utility *utility) {
    berth__node theta;
    size_t n = 0;
    if (!berth__node_member(r, node, "theta", BERTH__REQUIRED, &theta) || !berth__node_array(r, &theta, &n)) {
        return false;
    }
    if (n != 3) {
        return berth__node_fail(r, &theta, BERTH_E_INPUT, "expected 3 numbers, found %zu", n);
    }
    for (size_t k = 0; k < 3; k++) {
        berth__node item = berth__node_element(&theta, k);
        berth__node_number(r, &item, &utility->theta[k]);
    }
    return r->status == BERTH_OK;
}

static bool read_utility(berth__reader *r, const berth__node *job, berth_utility *utility) {
    static const struct {
        const char *name;
        berth_utility_kind kind;
        size_t n_fields;
        const char *fields[3];
    } kinds[] = {{"sigmoid", BERTH_UTILITY_SIGMOID, 2, {"kind", "theta"}},
                 {"constant", BERTH_UTILITY_CONSTANT, 2, {"kind", "value"}},
                 {"linear", BERTH_UTILITY_LINEAR, 3, {"kind", "value", "deadline_slots"}},
                 {"deadline", BERTH_UTILITY_DEADLINE, 3, {"kind", "value", "deadline_slots"}},
                 {"steps", BERTH_UTILITY_STEPS, 2, {"kind", "table"}}};
    enum { N_KINDS = sizeof kinds / sizeof kinds[0] };
    berth__node node;
    const char *name = NULL;
    if (!berth__node_member(r, job, "utility", BERTH__REQUIRED, &node) ||
        !berth__read_text(r, &node, "kind", BERTH__REQUIRED, &name)) {
        return false;
    }
    size_t k = 0;
    while (k < N_KINDS && strcmp(kinds[k].name, name) != 0) {
        k++;
    }
    if (k == N_KINDS) {
        return berth__member_fail(r, &node, "kind", BERTH_E_INPUT,
                                  "unknown kind \"%.60s\"; known: sigmoid, constant, linear, deadline, steps", name);
    }
    utility->kind = kinds[k].kind;
    if (!berth__only_fields(r, &node, kinds[k].fields, kinds[k].n_fields)) {
        return false;
    }
    if (utility->kind == BERTH_UTILITY_SIGMOID) {
        return read_theta(r, &node, utility);
    }
    if (utility->kind == BERTH_UTILITY_STEPS) {
        return read_steps(r, &node, utility);
    }
    return berth__read_number(r, &node, "value", BERTH__REQUIRED, &utility->value) &&
           (utility->kind == BERTH_UTILITY_CONSTANT ||
            berth__read_number(r, &node, "deadline_slots", BERTH__REQUIRED, &utility->deadline_slots));
}

static bool read_demands(berth__reader *r, const berth__node *node, const berth_instance *instance, berth_job *job) {
    berth__node worker, ps;
    if (!berth__node_member(r, node, "worker", BERTH__REQUIRED, &worker)) {
        return false;
    }
    job->worker = berth__read_amounts(r, instance, &worker, 0);
    if (!berth__node_member(r, node, "ps", BERTH__OPTIONAL, &ps)) {
        return berth__member_fail(r, node, "ps", BERTH_E_INPUT,
                                  "missing; null is a job without parameter servers (all-reduce)");
    }
    job->all_reduce = json_is_null(ps.value);
    if (job->all_reduce) {
        berth__read_number(r, node, "workers_per_ps", BERTH__OPTIONAL, &job->workers_per_ps);
        job->workers_per_ps = 1;
    } else {
        job->ps = berth__read_amounts(r, instance, &ps, 0);
        berth__read_number(r, node, "workers_per_ps", BERTH__REQUIRED, &job->workers_per_ps);
    }
    return r->status == BERTH_OK;
}

/* max_workers given as 0 must not pass for the default of berth_job. */
static bool read_width(berth__reader *r, const berth__node *node, berth_job *job) {
    if (berth__read_int(r, node, "max_workers", BERTH__OPTIONAL, &job->max_workers) && job->max_workers < 1) {
        return berth__member_fail(r, node, "max_workers", BERTH_E_INPUT, "must be at least 1, is %d", job->max_workers);
    }
    return r->status == BERTH_OK;
}

static bool read_job_fields(berth__reader *r, const berth__node *node, const berth_instance *instance,
                            berth__presence arrival, berth_job *job) {
    static const char *const fields[] = {"id",
                                         "tenant",
                                         "arrival_slot",
                                         "epochs",
                                         "samples",
                                         "batch",
                                         "max_workers",
                                         "sample_seconds",
                                         "gradient_mb",
                                         "workers_per_ps",
                                         "bandwidth_internal_mb_s",
                                         "bandwidth_external_mb_s",
                                         "worker",
                                         "ps",
                                         "utility",
                                         "allow",
                                         "avoid",
                                         "goodput"};
    if (!BERTH__ONLY_FIELDS(r, node, fields)) {
        return false;
    }
    if (json_object_get(node->value, "goodput") != NULL) {
        return berth__member_fail(r, node, "goodput", BERTH_E_UNSUPPORTED, "this version has no goodput jobs");
    }
    berth__read_string(r, node, "id", BERTH__REQUIRED, &job->id);
    berth__read_string(r, node, "tenant", BERTH__OPTIONAL, &job->tenant);
    berth__read_int(r, node, "arrival_slot", arrival, &job->arrival_slot);
    berth__read_number(r, node, "epochs", BERTH__REQUIRED, &job->epochs);
    berth__read_number(r, node, "samples", BERTH__REQUIRED, &job->samples);
    berth__read_number(r, node, "batch", BERTH__REQUIRED, &job->batch);
    berth__read_number(r, node, "sample_seconds", BERTH__REQUIRED, &job->sample_seconds);
    berth__read_number(r, node, "gradient_mb", BERTH__REQUIRED, &job->gradient_mb);
    berth__read_number(r, node, "bandwidth_internal_mb_s", BERTH__REQUIRED, &job->bandwidth_internal_mb_s);
    berth__read_number(r, node, "bandwidth_external_mb_s", BERTH__REQUIRED, &job->bandwidth_external_mb_s);
    berth__read_strings(r, node, "allow", BERTH__OPTIONAL, &job->n_allow, &job->allow);
    berth__read_strings(r, node, "avoid", BERTH__OPTIONAL, &job->n_avoid, &job->avoid);
    return read_width(r, node, job) && read_demands(r, node, instance, job) && read_utility(r, node, &job->utility);
}

bool berth__read_job(berth__reader *r, const berth__node *node, const berth_instance *instance, berth__presence arrival,
                     berth_job *job) {
    berth_job_init(job);
    if (!read_job_fields(r, node, instance, arrival, job)) {
        return false;
    }
    bool absent = json_object_get(node->value, "arrival_slot") == NULL;
    r->status = berth__job_validate(job, instance->n_resources, instance->resources, instance->horizon_slots, r->error);
    if (r->status != BERTH_OK) {
        char pointer[sizeof r->error->where];
        berth__node_pointer(node, pointer, sizeof pointer);
        berth__error_prefix(r->error, pointer);
        return false;
    }
    if (job->max_workers == 0) {
        job->max_workers = job->batch >= INT_MAX ? INT_MAX : (int)floor(job->batch);
    }
    job->arrival_slot = absent ? -1 : job->arrival_slot;
    return true;
}
