#include "formulations/job_bytes.h"

#include <limits.h>

/* ---- writing ---- */

static void put_globs(berth__writer *to, size_t n, const char *const *globs) {
    berth__put_count(to, n);
    for (size_t i = 0; i < n; i++) {
        berth__put_text(to, globs[i]);
    }
}

void berth__utility_put(berth__writer *to, const berth_utility *u) {
    berth__put_u8(to, (unsigned)u->kind);
    switch (u->kind) {
    case BERTH_UTILITY_SIGMOID:
        berth__put_reals(to, u->theta, 3);
        break;
    case BERTH_UTILITY_CONSTANT:
        berth__put_real(to, u->value);
        break;
    case BERTH_UTILITY_LINEAR:
    case BERTH_UTILITY_DEADLINE:
        berth__put_real(to, u->value);
        berth__put_real(to, u->deadline_slots);
        break;
    case BERTH_UTILITY_STEPS:
        berth__put_count(to, u->n_steps);
        for (size_t i = 0; i < u->n_steps; i++) {
            berth__put_real(to, u->steps[i].delay_slots);
            berth__put_real(to, u->steps[i].value);
        }
        break;
    }
}

void berth__job_put(berth__writer *to, size_t n_resources, const berth__job *job) {
    const berth_job *spec = job->spec;
    const double numbers[] = {spec->epochs,
                              spec->samples,
                              spec->batch,
                              spec->sample_seconds,
                              spec->gradient_mb,
                              spec->bandwidth_internal_mb_s,
                              spec->bandwidth_external_mb_s};
    berth__put_text(to, spec->id);
    berth__put_text(to, spec->tenant);
    berth__put_int(to, job->arrival);
    berth__put_int(to, spec->max_workers);
    berth__put_reals(to, numbers, sizeof numbers / sizeof *numbers);
    berth__put_bool(to, spec->all_reduce);
    berth__put_reals(to, spec->worker, n_resources);
    if (!spec->all_reduce) {
        berth__put_real(to, spec->workers_per_ps);
        berth__put_reals(to, spec->ps, n_resources);
    }
    berth__utility_put(to, &spec->utility);
    put_globs(to, spec->n_allow, spec->allow);
    put_globs(to, spec->n_avoid, spec->avoid);
}

/* ---- reading ---- */

static const double *take_demand(berth__byte_reader *from, berth__arena *arena, size_t n) {
    double *demand = BERTH__ARENA_ARRAY(arena, double, n);
    if (demand == NULL) {
        berth__refuse_memory(from);
        return NULL;
    }
    for (size_t r = 0; r < n; r++) {
        demand[r] = berth__take_real(from);
    }
    return demand;
}

static const char *const *take_globs(berth__byte_reader *from, berth__arena *arena, const char *name, size_t *n) {
    *n = berth__take_count(from, SIZE_MAX, 4, name);
    const char **globs = *n == 0 ? NULL : BERTH__ARENA_ARRAY(arena, const char *, *n);
    if (*n > 0 && globs == NULL) {
        berth__refuse_memory(from);
    }
    for (size_t i = 0; i < *n && berth__byte_reader_good(from); i++) {
        globs[i] = berth__take_text(from, arena, false, name);
    }
    return globs;
}

static void take_steps(berth__byte_reader *from, berth__arena *arena, berth_utility *u) {
    u->n_steps = berth__take_count(from, SIZE_MAX, 16, "steps of the utility");
    berth_step *steps = BERTH__ARENA_ARRAY(arena, berth_step, u->n_steps);
    if (steps == NULL) {
        berth__refuse_memory(from);
    }
    for (size_t i = 0; i < u->n_steps && berth__byte_reader_good(from); i++) {
        steps[i].delay_slots = berth__take_real(from);
        steps[i].value = berth__take_real(from);
    }
    u->steps = steps;
}

void berth__utility_take(berth__byte_reader *from, berth__arena *arena, berth_utility *u) {
    unsigned kind = berth__take_u8(from);
    if (kind > BERTH_UTILITY_STEPS) {
        berth__refuse(from, "the utility's kind is %u; expected 0 to %d", kind, (int)BERTH_UTILITY_STEPS);
    }
    u->kind = (berth_utility_kind)kind;
    switch (u->kind) {
    case BERTH_UTILITY_SIGMOID:
        for (int k = 0; k < 3; k++) {
            u->theta[k] = berth__take_real(from);
        }
        break;
    case BERTH_UTILITY_CONSTANT:
        u->value = berth__take_real(from);
        break;
    case BERTH_UTILITY_LINEAR:
    case BERTH_UTILITY_DEADLINE:
        u->value = berth__take_real(from);
        u->deadline_slots = berth__take_real(from);
        break;
    case BERTH_UTILITY_STEPS:
        take_steps(from, arena, u);
        break;
    }
}

/* Numbers as they are: whether they are what a job can have, is asked where jobs are made. */
static void take_spec(berth__byte_reader *from, berth__arena *arena, size_t n_resources, berth_job *spec) {
    double *const numbers[] = {&spec->epochs,
                               &spec->samples,
                               &spec->batch,
                               &spec->sample_seconds,
                               &spec->gradient_mb,
                               &spec->bandwidth_internal_mb_s,
                               &spec->bandwidth_external_mb_s};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        *numbers[i] = berth__take_real(from);
    }
    spec->all_reduce = berth__take_bool(from, "all_reduce");
    spec->worker = take_demand(from, arena, n_resources);
    if (!spec->all_reduce) {
        spec->workers_per_ps = berth__take_real(from);
        spec->ps = take_demand(from, arena, n_resources);
    }
    berth__utility_take(from, arena, &spec->utility);
    spec->allow = take_globs(from, arena, "patterns to allow", &spec->n_allow);
    spec->avoid = take_globs(from, arena, "patterns to avoid", &spec->n_avoid);
}

berth__job *berth__job_take(berth__byte_reader *from, const berth__cluster *cluster, int earliest, int latest) {
    berth__arena *arena = berth__arena_new();
    if (arena == NULL) {
        berth__refuse_memory(from);
        return NULL;
    }
    berth_job spec;
    berth_job_init(&spec);
    spec.id = berth__take_text(from, arena, false, "the job's id");
    spec.tenant = berth__take_text(from, arena, true, "the job's tenant");
    int arrival = berth__take_int(from, earliest, latest, "the job's arrival");
    spec.max_workers = berth__take_int(from, 0, INT_MAX, "max_workers");
    take_spec(from, arena, (size_t)cluster->n_resources, &spec);
    berth__job *job = NULL;
    if (berth__byte_reader_good(from) &&
        berth__byte_reader_adopt(from, berth__job_new(cluster, &spec, &job, from->error))) {
        job->arrival = arrival;
    }
    berth__arena_free(arena);
    return job;
}
