/* The canonical text of an instance: fields in a fixed order, zeros and defaults left out. */
#include "formats/instance_json.h"

#include "base/alloc.h"
#include "base/atomic_file.h"
#include "base/error.h"
#include "formats/json_write.h"

#include <math.h>
#include <zlib.h>

static bool skip_infinite(double value) {
    return isinf(value);
}

/* Given price bounds are positive; anything else stands for "not given". */
static bool skip_not_positive(double value) {
    return !(value > 0);
}

static void write_machines(berth__json_writer *w, const berth_instance *instance) {
    berth__json_list(w, "machines");
    for (size_t g = 0; g < instance->n_groups; g++) {
        const berth_machine_group *group = &instance->groups[g];
        berth__json_object(w, NULL);
        berth__json_string(w, "name", group->name);
        if (group->count != 1) {
            berth__json_integer(w, "count", (long long)group->count);
        }
        berth__json_amounts(w, "capacity", instance->n_resources, instance->resources, group->capacity,
                            berth__json_skip_zero);
        berth__json_close(w);
    }
    berth__json_close(w);
}

static void write_utility(berth__json_writer *w, const berth_utility *utility) {
    static const char *const kinds[] = {[BERTH_UTILITY_SIGMOID] = "sigmoid",
                                        [BERTH_UTILITY_CONSTANT] = "constant",
                                        [BERTH_UTILITY_LINEAR] = "linear",
                                        [BERTH_UTILITY_DEADLINE] = "deadline",
                                        [BERTH_UTILITY_STEPS] = "steps"};
    berth__json_object(w, "utility");
    berth__json_string(w, "kind", kinds[utility->kind]);
    switch (utility->kind) {
    case BERTH_UTILITY_SIGMOID:
        berth__json_list(w, "theta");
        for (int k = 0; k < 3; k++) {
            berth__json_number(w, NULL, utility->theta[k]);
        }
        berth__json_close(w);
        break;
    case BERTH_UTILITY_CONSTANT:
        berth__json_number(w, "value", utility->value);
        break;
    case BERTH_UTILITY_LINEAR:
    case BERTH_UTILITY_DEADLINE:
        berth__json_number(w, "value", utility->value);
        berth__json_number(w, "deadline_slots", utility->deadline_slots);
        break;
    case BERTH_UTILITY_STEPS:
        berth__json_list(w, "table");
        for (size_t k = 0; k < utility->n_steps; k++) {
            berth__json_list(w, NULL);
            berth__json_number(w, NULL, utility->steps[k].delay_slots);
            berth__json_number(w, NULL, utility->steps[k].value);
            berth__json_close(w);
        }
        berth__json_close(w);
        break;
    }
    berth__json_close(w);
}

static void write_job(berth__json_writer *w, const berth_instance *instance, const berth_job *job) {
    berth__json_object(w, NULL);
    berth__json_string(w, "id", job->id);
    if (job->tenant != NULL) {
        berth__json_string(w, "tenant", job->tenant);
    }
    berth__json_integer(w, "arrival_slot", job->arrival_slot);
    berth__json_number(w, "epochs", job->epochs);
    berth__json_number(w, "samples", job->samples);
    berth__json_number(w, "batch", job->batch);
    if (job->max_workers != 0) { /* 0 in a job that was not read: the default */
        berth__json_integer(w, "max_workers", job->max_workers);
    }
    berth__json_number(w, "sample_seconds", job->sample_seconds);
    berth__json_number(w, "gradient_mb", job->gradient_mb);
    if (!job->all_reduce) {
        berth__json_number(w, "workers_per_ps", job->workers_per_ps);
    }
    berth__json_number(w, "bandwidth_internal_mb_s", job->bandwidth_internal_mb_s);
    berth__json_number(w, "bandwidth_external_mb_s", job->bandwidth_external_mb_s);
    berth__json_amounts(w, "worker", instance->n_resources, instance->resources, job->worker, berth__json_skip_zero);
    if (job->all_reduce) {
        berth__json_null(w, "ps");
    } else {
        berth__json_amounts(w, "ps", instance->n_resources, instance->resources, job->ps, berth__json_skip_zero);
    }
    write_utility(w, &job->utility);
    if (job->n_allow > 0) {
        berth__json_strings(w, "allow", job->n_allow, job->allow);
    }
    if (job->n_avoid > 0) {
        berth__json_strings(w, "avoid", job->n_avoid, job->avoid);
    }
    berth__json_close(w);
}

static void write_quotas(berth__json_writer *w, const berth_instance *instance) {
    berth__json_object(w, "quotas");
    for (size_t k = 0; k < instance->n_quotas; k++) {
        berth__json_amounts(w, instance->quotas[k].tenant, instance->n_resources, instance->resources,
                            instance->quotas[k].amount, skip_infinite);
    }
    berth__json_close(w);
}

static void write_prices(berth__json_writer *w, const berth_instance *instance) {
    berth__json_object(w, "prices");
    if (instance->price_upper != NULL) {
        berth__json_amounts(w, "upper", instance->n_resources, instance->resources, instance->price_upper,
                            skip_not_positive);
    }
    if (instance->price_lower != NULL) {
        berth__json_amounts(w, "lower", instance->n_resources, instance->resources, instance->price_lower,
                            skip_not_positive);
    }
    if (!isnan(instance->price_floor)) {
        berth__json_number(w, "floor", instance->price_floor);
    }
    berth__json_close(w);
}

berth_status berth__instance_text(const berth_instance *instance, char **out, size_t *length, berth_error *error) {
    berth__json_writer w;
    berth__json_begin(&w);
    berth__json_object(&w, NULL);
    berth__json_string(&w, "format", "berth-jobs-1");
    berth__json_string(&w, "name", instance->name);
    if (instance->source != NULL && instance->source[0] != '\0') {
        berth__json_string(&w, "source", instance->source);
    }
    berth__json_number(&w, "slot_seconds", instance->slot_seconds);
    berth__json_integer(&w, "horizon_slots", instance->horizon_slots);
    berth__json_strings(&w, "resources", instance->n_resources, instance->resources);
    write_machines(&w, instance);
    if (instance->n_quotas > 0) {
        write_quotas(&w, instance);
    }
    berth__json_list(&w, "jobs");
    for (size_t k = 0; k < instance->n_jobs; k++) {
        write_job(&w, instance, &instance->jobs[k]);
    }
    berth__json_close(&w);
    if (instance->price_upper != NULL || instance->price_lower != NULL || !isnan(instance->price_floor)) {
        write_prices(&w, instance);
    }
    berth__json_close(&w);
    return berth__json_finish(&w, out, length, error);
}

berth_status berth__instance_crc32(const berth_instance *instance, uint32_t *out, berth_error *error) {
    char *text = NULL;
    size_t length = 0;
    berth_status status = berth__instance_text(instance, &text, &length, error);
    if (status == BERTH_OK) {
        *out = (uint32_t)crc32_z(crc32_z(0, NULL, 0), (const unsigned char *)text, length);
    }
    berth__free(text);
    return status;
}

berth_status berth_instance_write(const berth_instance *instance, const char *path, berth_error *error) {
    if (instance == NULL || path == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, instance == NULL ? "instance" : "path", "must not be NULL");
    }
    char *text = NULL;
    size_t length = 0;
    berth_status status = berth__instance_text(instance, &text, &length, error);
    if (status == BERTH_OK) {
        status = berth__write_file(path, text, length, error);
    }
    berth__free(text);
    return status;
}
