/* The canonical text of an instance of allocation: fields in a fixed order, defaults of jobs left out. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "base/error.h"
#include "formats/goodput_instance_json.h"
#include "formats/goodput_names.h"
#include "formats/goodput_profile_json.h"

static size_t type_of(const berth_goodput_instance *instance, size_t node) {
    return instance->gpu_type != NULL ? instance->gpu_type[node] : 0;
}

static bool types_are_named(const berth_goodput_instance *instance) {
    return instance->n_types > 1 || instance->type_names != NULL;
}

/* Length of the prefix of names "prefix-0", "prefix-1", ... that begin at a node; *count is how many follow each other
 * and are alike. One that is alone keeps its whole name. */
static size_t find_group(const berth_goodput_instance *instance, size_t first, size_t *count) {
    char buffer[BERTH__GOODPUT_NAME_ROOM], next_buffer[BERTH__GOODPUT_NAME_ROOM], number[32];
    const char *name = berth__goodput_node_name(instance, first, buffer);
    const size_t length = strlen(name);
    *count = 1;
    if (length < 3 || strcmp(name + length - 2, "-0") != 0) {
        return length;
    }
    for (size_t k = 1; first + k < instance->n_nodes; k++, ++*count) {
        const size_t node = first + k;
        const char *next = berth__goodput_node_name(instance, node, next_buffer);
        snprintf(number, sizeof number, "%zu", k);
        if (strncmp(next, name, length - 1) != 0 || strcmp(next + length - 1, number) != 0 ||
            instance->gpus[node] != instance->gpus[first] || type_of(instance, node) != type_of(instance, first)) {
            break;
        }
    }
    return *count > 1 ? length - 2 : length;
}

static void write_group(berth__json_writer *w, const berth_goodput_instance *instance, size_t first, size_t length,
                        size_t count) {
    char buffer[BERTH__GOODPUT_NAME_ROOM];
    const char *name = berth__goodput_node_name(instance, first, buffer);
    char *prefix = berth__calloc(length + 1, 1);
    if (prefix == NULL) {
        w->status = BERTH_E_MEMORY;
        return;
    }
    memcpy(prefix, name, length);
    berth__json_object(w, NULL);
    berth__json_string(w, "name", prefix);
    if (count > 1) {
        berth__json_integer(w, "count", (long long)count);
    }
    berth__json_integer(w, "gpus", instance->gpus[first]);
    if (types_are_named(instance)) {
        berth__json_string(w, "gpu_type", berth__goodput_type_name(instance, type_of(instance, first), buffer));
    }
    berth__json_close(w);
    berth__free(prefix);
}

static void write_nodes(berth__json_writer *w, const berth_goodput_instance *instance) {
    size_t count = 0;
    berth__json_list(w, "nodes");
    for (size_t node = 0; node < instance->n_nodes; node += count) {
        const size_t length = find_group(instance, node, &count);
        write_group(w, instance, node, length, count);
    }
    berth__json_close(w);
}

static void write_types(berth__json_writer *w, const berth_goodput_instance *instance) {
    char buffer[BERTH__GOODPUT_NAME_ROOM];
    berth__json_list(w, "gpu_types");
    for (size_t type = 0; type < instance->n_types; type++) {
        berth__json_string(w, NULL, berth__goodput_type_name(instance, type, buffer));
    }
    berth__json_close(w);
}

static void write_current(berth__json_writer *w, const berth_goodput_instance *instance, const berth_goodput_job *job) {
    char buffer[BERTH__GOODPUT_NAME_ROOM];
    berth__json_object(w, "current");
    for (size_t k = 0; k < job->n_current; k++) {
        berth__json_integer(w, berth__goodput_node_name(instance, job->current[k].node, buffer), job->current[k].gpus);
    }
    berth__json_close(w);
}

static void write_options(berth__json_writer *w, const berth_goodput_instance *instance, const berth_goodput_job *job) {
    char buffer[BERTH__GOODPUT_NAME_ROOM];
    berth__json_list(w, "options");
    for (size_t k = 0; k < job->n_options; k++) {
        const berth_goodput_option *option = &job->options[k];
        berth__json_object(w, NULL);
        if (types_are_named(instance)) {
            berth__json_string(w, "gpu_type", berth__goodput_type_name(instance, option->gpu_type, buffer));
        }
        berth__json_integer(w, "nodes", option->nodes);
        berth__json_integer(w, "gpus", option->gpus);
        berth__json_number(w, "value", option->value);
        berth__json_close(w);
    }
    berth__json_close(w);
}

static void write_typed(berth__json_writer *w, const berth_goodput_instance *instance, const berth_goodput_job *job) {
    char buffer[BERTH__GOODPUT_NAME_ROOM];
    berth__json_object(w, "profiles");
    for (size_t type = 0; type < instance->n_types; type++) {
        const berth_goodput_profile *profile = &job->typed[type];
        if (profile->alpha_c > 0 || profile->beta_c > 0) {
            berth__json_object(w, berth__goodput_type_name(instance, type, buffer));
            berth__write_goodput_times(w, profile);
            berth__write_goodput_batches(w, profile);
            berth__json_close(w);
        }
    }
    berth__json_close(w);
}

static void write_job(berth__json_writer *w, const berth_goodput_instance *instance, size_t number) {
    char buffer[BERTH__GOODPUT_NAME_ROOM];
    const berth_goodput_job *job = &instance->jobs[number];
    berth__json_object(w, NULL);
    berth__json_string(w, "id", berth__goodput_job_name(instance, number, buffer));
    berth__json_number(w, "age_s", job->age_s);
    berth__json_integer(w, "restarts", job->restarts);
    if (job->n_current > 0) {
        write_current(w, instance, job);
    }
    if (job->min_replicas > 0) {
        berth__json_integer(w, "min_replicas", job->min_replicas);
    }
    if (job->max_replicas > 0) {
        berth__json_integer(w, "max_replicas", job->max_replicas);
    }
    if (job->pinned) {
        berth__json_bool(w, "pinned", true);
    }
    if (job->attained_gpu_s > 0) {
        berth__json_number(w, "attained_gpu_s", job->attained_gpu_s);
    }
    if (job->requested > 0) {
        berth__json_integer(w, "requested", job->requested);
    }
    if (job->remaining_samples > 0) {
        berth__json_number(w, "remaining_samples", job->remaining_samples);
    }
    if (job->profile != NULL) {
        berth__json_object(w, "profile");
        berth__write_goodput_times(w, job->profile);
        berth__json_close(w);
        berth__write_goodput_batches(w, job->profile);
    } else if (job->typed != NULL) {
        write_typed(w, instance, job);
    } else {
        write_options(w, instance, job);
    }
    berth__json_close(w);
}

static void write_objective(berth__json_writer *w, const berth_goodput_instance *instance) {
    static const char *const fair[] = {"node", "spread"};
    const bool sia = instance->rules == BERTH_RULES_SIA;
    berth__json_string(w, "rules", sia ? "sia" : "pollux");
    berth__json_number(w, "p", instance->p);
    berth__json_string(w, "fair", fair[instance->fair == BERTH_FAIR_SPREAD]);
    berth__json_number(w, "restart_s", instance->restart_s);
    if (sia) {
        berth__json_number(w, "round_s", instance->round_s);
        berth__json_number(w, "lambda_none", instance->lambda_none);
    }
}

static void write_instance(berth__json_writer *w, const berth_goodput_instance *instance) {
    berth__json_begin(w);
    berth__json_object(w, NULL);
    berth__json_string(w, "format", "berth-goodput-1");
    if (instance->name != NULL) {
        berth__json_string(w, "name", instance->name);
    }
    if (instance->source != NULL) {
        berth__json_string(w, "source", instance->source);
    }
    write_objective(w, instance);
    if (types_are_named(instance)) {
        write_types(w, instance);
    }
    write_nodes(w, instance);
    berth__json_list(w, "jobs");
    for (size_t job = 0; job < instance->n_jobs; job++) {
        write_job(w, instance, job);
    }
    berth__json_close(w);
    berth__json_close(w);
}

berth_status berth__goodput_instance_crc32(const berth_goodput_instance *instance, uint32_t *out, berth_error *error) {
    berth__json_writer w;
    char *text = NULL;
    size_t length = 0;
    write_instance(&w, instance);
    const berth_status status = berth__json_finish(&w, &text, &length, error);
    if (status == BERTH_OK) {
        *out = (uint32_t)crc32_z(crc32_z(0, NULL, 0), (const unsigned char *)text, length);
    }
    berth__free(text);
    return status;
}

berth_status berth_goodput_instance_write(const berth_goodput_instance *instance, const char *path,
                                          berth_error *error) {
    berth__json_writer w;
    berth__error_clear(error);
    if (instance == NULL || path == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, NULL, "instance and path must not be NULL");
    }
    write_instance(&w, instance);
    return berth__json_finish_file(&w, path, error);
}
