/* Clusters with adaptive jobs: each is one of the applications of goodput_models.h at a random point of its training,
 * with the replicas that it has tried so far as its limit (a power of two), a random age and number of restarts, and
 * some hold GPUs already, on one node if one has room for them. With several types of GPU, gradients take less time on
 * the later types, by factors in geometric progression up to 4. */
#include <berth_goodput.h>

#include <math.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/pcg.h"
#include "formats/goodput_instance_json.h"
#include "formulations/goodput/model.h"
#include "workload/goodput_models.h"

enum { MOST_JOB_NODES = 16, MOST_REPLICAS = 64, MOST_TYPES = 8, MOST_NODE_GPUS = 64, MOST_RESTARTS = 4 };
enum { MOST_NODES = 10000, MOST_JOBS = 100000 };
static const double least_age_s = 60, most_age_s = 4 * 3600, most_hours = 20, fastest = 4, jobs_a_node = 2.5;

void berth_generate_goodput_options_init(berth_generate_goodput_options *options) {
    *options = (berth_generate_goodput_options){
        .struct_size = sizeof *options, .seed = 1, .nodes = 16, .gpus = 4, .types = 1, .warm = 0.5, .p = -1};
}

static berth_status check_count(const char *field, size_t value, size_t least, size_t most, berth_error *error) {
    if (value >= least && value <= most) {
        return BERTH_OK;
    }
    return berth__fail(error, BERTH_E_ARGUMENT, field, "%s is %zu; expected a number from %zu to %zu", field, value,
                       least, most);
}

static berth_status check_real(const char *field, double value, double least, double most, berth_error *error) {
    if (value >= least && value <= most) {
        return BERTH_OK;
    }
    return berth__fail(error, BERTH_E_ARGUMENT, field, "%s is %g; expected a number from %g to %g", field, value, least,
                       most);
}

static berth_status check_options(const berth_generate_goodput_options *o, berth_error *error) {
    if (o->struct_size != sizeof *o) {
        return berth__fail(error, BERTH_E_ARGUMENT, "options",
                           "not initialised: call berth_generate_goodput_options_init first");
    }
    berth_status status = check_count("nodes", o->nodes, 1, MOST_NODES, error);
    if (!status)
        status = check_count("gpus", o->gpus, 1, MOST_NODE_GPUS, error);
    if (!status)
        status = check_count("types", o->types, 1, o->nodes < MOST_TYPES ? o->nodes : MOST_TYPES, error);
    if (!status)
        status = check_count("jobs", o->jobs, 0, MOST_JOBS, error);
    if (!status)
        status = check_real("warm", o->warm, 0, 1, error);
    if (!status)
        status = check_real("pinned", o->pinned, 0, 1, error);
    if (!status)
        status = check_real("p", o->p, -64, 64, error);
    return status;
}

typedef struct draft {
    const berth_generate_goodput_options *options;
    berth_goodput_instance *instance;
    berth__arena *arena;
    berth_goodput_job *jobs;
    uint32_t *free;  /* [n_nodes] */
    bool *is_shared; /* [n_nodes] has a part of a job of several nodes */
} draft;

/* ---- nodes ---- */

static bool draw_nodes(draft *d) {
    const berth_generate_goodput_options *o = d->options;
    const bool typed = o->types > 1;
    uint32_t *gpus = BERTH__ARENA_ARRAY(d->arena, uint32_t, o->nodes);
    size_t *type = BERTH__ARENA_ARRAY(d->arena, size_t, o->nodes);
    const char **names = BERTH__ARENA_ARRAY(d->arena, const char *, o->nodes);
    const char **types = BERTH__ARENA_ARRAY(d->arena, const char *, o->types);
    if (gpus == NULL || type == NULL || names == NULL || types == NULL) {
        return false;
    }
    for (size_t t = 0; t < o->types; t++) {
        types[t] = berth__arena_printf(d->arena, "type%zu", t);
        if (types[t] == NULL) {
            return false;
        }
    }
    size_t first = 0; /* of the type */
    for (size_t node = 0; node < o->nodes; node++) {
        gpus[node] = d->free[node] = o->gpus;
        type[node] = node * o->types / o->nodes;
        first = node > 0 && type[node] == type[node - 1] ? first : node;
        const char *kind = typed ? types[type[node]] : "node";
        const bool alone = first == node && (node + 1) * o->types / o->nodes != type[node];
        names[node] = alone ? kind : berth__arena_printf(d->arena, "%s-%zu", kind, node - first);
        if (names[node] == NULL) {
            return false;
        }
    }
    d->instance->n_nodes = o->nodes;
    d->instance->gpus = gpus;
    d->instance->gpu_type = type;
    d->instance->node_names = names;
    d->instance->n_types = o->types;
    d->instance->type_names = typed ? types : NULL;
    return true;
}

/* ---- jobs ---- */

static double between(berth__pcg *stream, double low, double high) {
    return low + (high - low) * berth__pcg_uniform(stream);
}

/* Noise between two phases, in proportion. */
static void draw_noise(berth__pcg *stream, const berth__goodput_model *model, berth_goodput_profile *profile) {
    const double at = between(stream, 0, BERTH__GOODPUT_PHASES - 1);
    const int phase = (int)floor(at) < BERTH__GOODPUT_PHASES - 1 ? (int)floor(at) : BERTH__GOODPUT_PHASES - 2;
    const double *a = model->noise[phase], *b = model->noise[phase + 1], part = at - phase;
    profile->grad_sqr = a[0] * pow(b[0] / a[0], part);
    profile->grad_var = a[1] * pow(b[1] / a[1], part);
}

static bool draw_profile(draft *d, berth__pcg *stream, const berth__goodput_model *model, berth_goodput_job *job) {
    const size_t n = d->options->types;
    berth_goodput_profile *profiles = BERTH__ARENA_ARRAY(d->arena, berth_goodput_profile, n);
    if (profiles == NULL) {
        return false;
    }
    profiles[0] = model->profile;
    draw_noise(stream, model, &profiles[0]);
    for (size_t t = 1; t < n; t++) {
        const double factor = pow(fastest, (double)t / (double)(n - 1));
        profiles[t] = profiles[0];
        profiles[t].alpha_c /= factor;
        profiles[t].beta_c /= factor;
    }
    job->profile = n == 1 ? profiles : NULL;
    job->typed = n == 1 ? NULL : profiles;
    return true;
}

/* k GPUs for a job, from a random node on: on the first node with room, or over nodes of one type. 0: no room. */
static size_t find_room(const draft *d, size_t start, uint32_t k, berth_node_gpus nodes[MOST_JOB_NODES]) {
    const berth_goodput_instance *in = d->instance;
    for (size_t step = 0; step < in->n_nodes; step++) {
        const size_t node = (start + step) % in->n_nodes;
        if (d->free[node] >= k) {
            nodes[0] = (berth_node_gpus){.node = node, .gpus = k};
            return 1;
        }
    }
    size_t n = 0;
    for (size_t node = start; node < in->n_nodes && k > 0 && n < MOST_JOB_NODES; node++) {
        if (d->free[node] > 0 && !d->is_shared[node] && in->gpu_type[node] == in->gpu_type[start]) {
            nodes[n].node = node;
            nodes[n].gpus = d->free[node] < k ? d->free[node] : k;
            k -= nodes[n++].gpus;
        }
    }
    return k == 0 ? n : 0;
}

/* GPUs that the job holds, half as many until there is room. False: out of memory. */
static bool draw_current(draft *d, berth__pcg *stream, berth_goodput_job *job) {
    const size_t start = (size_t)berth__pcg_integer(stream, 0, (int64_t)d->instance->n_nodes - 1);
    const int64_t most = (int64_t)log2(job->max_replicas);
    uint32_t k = 1u << berth__pcg_integer(stream, 0, most);
    berth_node_gpus *nodes = BERTH__ARENA_ARRAY(d->arena, berth_node_gpus, MOST_JOB_NODES);
    if (nodes == NULL) {
        return false;
    }
    for (; k > 0 && job->n_current == 0; k /= 2) {
        job->n_current = find_room(d, start, k, nodes);
    }
    for (size_t n = 0; n < job->n_current; n++) {
        d->free[nodes[n].node] -= nodes[n].gpus;
        d->is_shared[nodes[n].node] |= job->n_current > 1;
    }
    job->current = nodes;
    return true;
}

static void draw_history(berth__pcg *stream, berth_goodput_job *job) {
    const berth_goodput_profile *profile = job->profile != NULL ? job->profile : job->typed;
    uint32_t held = 0;
    for (size_t n = 0; n < job->n_current; n++) {
        held += job->current[n].gpus;
    }
    const double hours = between(stream, 0.5, most_hours), part = berth__pcg_uniform(stream);
    job->attained_gpu_s = floor(part * job->age_s * (held > 0 ? held : 0.5));
    job->remaining_samples = floor(3600 * hours * berth__goodput_best(profile, BERTH_BATCH_GRID, false, 1).goodput) + 1;
}

static bool draw_job(draft *d, size_t number) {
    const uint64_t key[] = {d->options->seed, 0x676f6f64u, number};
    berth__pcg stream = berth__pcg_key(3, key);
    berth_goodput_job *job = &d->jobs[number];
    const berth__goodput_model *model =
        &berth__goodput_models[berth__pcg_integer(&stream, 0, BERTH__N_GOODPUT_MODELS - 1)];
    berth_goodput_job_init(job);
    job->id = berth__arena_printf(d->arena, "%s-%zu", model->name, number);
    job->age_s = floor(between(&stream, least_age_s, most_age_s));
    job->restarts = (uint32_t)berth__pcg_integer(&stream, 0, MOST_RESTARTS);
    if (job->id == NULL || !draw_profile(d, &stream, model, job)) {
        return false;
    }
    const double most = fmin(MOST_REPLICAS, model->profile.max_batch / model->profile.min_local);
    job->max_replicas = 2u << berth__pcg_integer(&stream, 0, (int64_t)log2(most) - 1);
    job->requested = 1u << berth__pcg_integer(&stream, 0, (int64_t)log2(job->max_replicas));
    const bool warm = berth__pcg_uniform(&stream) < d->options->warm;
    const bool pinned = berth__pcg_uniform(&stream) < d->options->pinned;
    if (warm && !draw_current(d, &stream, job)) {
        return false;
    }
    job->pinned = pinned && job->n_current > 0;
    draw_history(&stream, job);
    return true;
}

static bool draw_all(draft *d, size_t n_jobs) {
    const berth_generate_goodput_options *o = d->options;
    d->jobs = BERTH__ARENA_ARRAY(d->arena, berth_goodput_job, n_jobs);
    d->free = BERTH__ARENA_ARRAY(d->arena, uint32_t, o->nodes);
    d->is_shared = BERTH__ARENA_ARRAY(d->arena, bool, o->nodes);
    if (d->jobs == NULL || d->free == NULL || d->is_shared == NULL || !draw_nodes(d)) {
        return false;
    }
    for (size_t job = 0; job < n_jobs; job++) {
        if (!draw_job(d, job)) {
            return false;
        }
    }
    d->instance->jobs = d->jobs;
    d->instance->n_jobs = n_jobs;
    d->instance->p = o->p;
    d->instance->name = berth__arena_printf(d->arena, "goodput-%zux%u-%zu-%llu", o->nodes, o->gpus, n_jobs,
                                            (unsigned long long)o->seed);
    d->instance->source = berth__arena_printf(
        d->arena,
        "berth generate goodput, seed %llu: applications of the artifact of Pollux (Qiao et al., OSDI 2021; "
        "Apache-2.0), "
        "their speeds fitted; phases of training, limits, ages, restarts and what jobs hold are random",
        (unsigned long long)o->seed);
    return d->instance->name != NULL && d->instance->source != NULL;
}

berth_status berth_generate_goodput(const berth_generate_goodput_options *options, berth_goodput_instance **out,
                                    berth_error *error) {
    *out = NULL;
    berth__error_clear(error);
    berth_status status = check_options(options, error);
    if (status != BERTH_OK) {
        return status;
    }
    const size_t n_jobs = options->jobs > 0 ? options->jobs : (size_t)ceil(jobs_a_node * (double)options->nodes);
    draft d = {.options = options, .arena = berth__arena_new()};
    d.instance = d.arena != NULL ? BERTH__ARENA_ARRAY(d.arena, berth_goodput_instance, 1) : NULL;
    if (d.instance == NULL) {
        status = berth__fail_memory(error);
    } else {
        berth_goodput_instance_init(d.instance);
        status = draw_all(&d, n_jobs) ? berth__goodput_instance_crc32(d.instance, &d.instance->crc32, error)
                                      : berth__fail_memory(error);
    }
    if (status != BERTH_OK) {
        berth__arena_free(d.arena);
        return status;
    }
    d.instance->memory = d.arena;
    *out = d.instance;
    return BERTH_OK;
}
