#include "workload/instance_builder.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "formats/instance_json.h"

struct berth__builder {
    berth__arena *arena;
    berth_instance *instance; /* in the arena; lists are attached by finish */
    bool failed;
    /* growing lists, on the heap until finish */
    berth_machine_group *groups;
    berth_job *jobs;
    berth_quota *quotas;
    size_t groups_capacity, jobs_capacity, quotas_capacity;
};

static const double *copy_amounts(berth__builder *b, const double *amounts) {
    double *copy = BERTH__ARENA_ARRAY(b->arena, double, b->instance->n_resources);
    if (copy == NULL) {
        b->failed = true;
        return NULL;
    }
    memcpy(copy, amounts, b->instance->n_resources * sizeof *copy);
    return copy;
}

static const char *copy_text(berth__builder *b, const char *text) {
    char *copy = berth__arena_strdup(b->arena, text);
    b->failed = b->failed || copy == NULL;
    return copy;
}

static const char *const *copy_texts(berth__builder *b, size_t n, const char *const *texts) {
    if (n == 0) {
        return NULL;
    }
    const char **copy = BERTH__ARENA_ARRAY(b->arena, const char *, n);
    if (copy == NULL) {
        b->failed = true;
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        copy[i] = copy_text(b, texts[i]);
    }
    return copy;
}

berth__builder *berth__builder_new(const char *name, double slot_seconds, int horizon_slots, size_t n_resources,
                                   const char *const *resources) {
    berth__builder *b = BERTH__NEW_ARRAY(berth__builder, 1);
    if (b == NULL) {
        return NULL;
    }
    b->arena = berth__arena_new();
    b->instance = b->arena == NULL ? NULL : BERTH__ARENA_ARRAY(b->arena, berth_instance, 1);
    if (b->instance == NULL) {
        berth__builder_free(b);
        return NULL;
    }
    b->instance->memory = b->arena;
    b->instance->slot_seconds = slot_seconds;
    b->instance->horizon_slots = horizon_slots;
    b->instance->n_resources = n_resources;
    b->instance->price_floor = (double)NAN;
    b->instance->source = "";
    b->instance->name = copy_text(b, name);
    b->instance->resources = copy_texts(b, n_resources, resources);
    return b;
}

void berth__builder_free(berth__builder *b) {
    if (b == NULL) {
        return;
    }
    berth__free(b->groups);
    berth__free(b->jobs);
    berth__free(b->quotas);
    berth__arena_free(b->arena);
    berth__free(b);
}

void berth__builder_source(berth__builder *b, const char *source) {
    b->instance->source = copy_text(b, source);
}

/* Room for one more element of a list; NULL once anything failed. */
static void *next_element(berth__builder *b, void **list, size_t *capacity, size_t count, size_t size) {
    if (b->failed || !berth__grow(list, capacity, count, size)) {
        b->failed = true;
        return NULL;
    }
    return (char *)*list + count * size;
}

void berth__builder_group(berth__builder *b, const char *name, size_t count, const double *capacity) {
    size_t n = b->instance->n_groups;
    void *list = b->groups;
    berth_machine_group *group = next_element(b, &list, &b->groups_capacity, n, sizeof *group);
    b->groups = list;
    if (group != NULL) {
        *group =
            (berth_machine_group){.name = copy_text(b, name), .count = count, .capacity = copy_amounts(b, capacity)};
        b->instance->n_groups++;
        b->instance->n_machines += count;
    }
}

static berth_utility copy_utility(berth__builder *b, const berth_utility *utility) {
    berth_utility copy = *utility;
    copy.steps = NULL;
    if (utility->n_steps > 0) {
        berth_step *steps = BERTH__ARENA_ARRAY(b->arena, berth_step, utility->n_steps);
        if (steps == NULL) {
            b->failed = true;
        } else {
            memcpy(steps, utility->steps, utility->n_steps * sizeof *steps);
        }
        copy.steps = steps;
    }
    return copy;
}

void berth__builder_job(berth__builder *b, const berth_job *job) {
    void *list = b->jobs;
    berth_job *copy = next_element(b, &list, &b->jobs_capacity, b->instance->n_jobs, sizeof *copy);
    b->jobs = list;
    if (copy == NULL) {
        return;
    }
    *copy = *job;
    copy->id = copy_text(b, job->id);
    copy->tenant = job->tenant == NULL ? NULL : copy_text(b, job->tenant);
    copy->max_workers = job->max_workers == 0 ? (int)fmin(floor(job->batch), INT_MAX) : job->max_workers;
    copy->worker = copy_amounts(b, job->worker);
    copy->ps = job->all_reduce ? NULL : copy_amounts(b, job->ps);
    copy->utility = copy_utility(b, &job->utility);
    copy->allow = copy_texts(b, job->n_allow, job->allow);
    copy->avoid = copy_texts(b, job->n_avoid, job->avoid);
    b->instance->n_jobs++;
}

void berth__builder_quota(berth__builder *b, const char *tenant, const double *amount) {
    void *list = b->quotas;
    berth_quota *quota = next_element(b, &list, &b->quotas_capacity, b->instance->n_quotas, sizeof *quota);
    b->quotas = list;
    if (quota != NULL) {
        *quota = (berth_quota){.tenant = copy_text(b, tenant), .amount = copy_amounts(b, amount)};
        b->instance->n_quotas++;
    }
}

void berth__builder_prices(berth__builder *b, const double *upper, const double *lower, double floor) {
    b->instance->price_upper = copy_amounts(b, upper);
    b->instance->price_lower = copy_amounts(b, lower);
    b->instance->price_floor = floor;
}

/* Names, groups and capacities of the single machines. */
static bool expand_machines(berth__builder *b) {
    berth_instance *instance = b->instance;
    size_t n = instance->n_machines, n_resources = instance->n_resources;
    const char **names = BERTH__ARENA_ARRAY(b->arena, const char *, n);
    int *group_of = BERTH__ARENA_ARRAY(b->arena, int, n);
    double *capacity =
        n_resources > 0 && n > SIZE_MAX / n_resources ? NULL : BERTH__ARENA_ARRAY(b->arena, double, n *n_resources);
    if (names == NULL || group_of == NULL || capacity == NULL) {
        return false;
    }
    size_t machine = 0;
    for (size_t g = 0; g < instance->n_groups; g++) {
        const berth_machine_group *group = &b->groups[g];
        for (size_t i = 0; i < group->count; i++, machine++) {
            names[machine] = group->count == 1 ? group->name : berth__arena_printf(b->arena, "%s-%zu", group->name, i);
            if (names[machine] == NULL) {
                return false;
            }
            group_of[machine] = (int)g;
            memcpy(&capacity[machine * n_resources], group->capacity, n_resources * sizeof *capacity);
        }
    }
    instance->machines = names;
    instance->machine_group = group_of;
    instance->capacity = capacity;
    return true;
}

/* A list's final copy in the arena; NULL for an empty one too, which is no failure. */
static const void *keep(berth__builder *b, const void *list, size_t count, size_t size) {
    void *copy = count == 0 ? NULL : berth__arena_calloc(b->arena, count, size);
    if (copy != NULL) {
        memcpy(copy, list, count * size);
    }
    b->failed = b->failed || (count > 0 && copy == NULL);
    return copy;
}

berth_status berth__builder_finish(berth__builder *b, berth_instance **out, berth_error *error) {
    *out = NULL;
    berth_instance *instance = b->instance;
    instance->groups = keep(b, b->groups, instance->n_groups, sizeof *b->groups);
    instance->jobs = keep(b, b->jobs, instance->n_jobs, sizeof *b->jobs);
    instance->quotas = keep(b, b->quotas, instance->n_quotas, sizeof *b->quotas);
    berth_status status = BERTH_OK;
    if (b->failed || !expand_machines(b)) {
        status = berth__fail_memory(error);
        goto done;
    }
    status = berth__instance_crc32(instance, &instance->crc32, error);
    if (status != BERTH_OK) {
        goto done;
    }
    b->arena = NULL; /* now the instance's */
    *out = instance;
done:
    berth__builder_free(b);
    return status;
}
