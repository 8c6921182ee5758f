#include "online/policy.h"

#include <math.h>
#include <string.h>

/* How it decides (job: for a job, at arrival; slot: slot by slot), suffix of its object, name; the default first. */
#define POLICY_TABLE(X)                                                                                                \
    X(job, bidlp, "bidlp")                                                                                             \
    X(job, pdors_ci, "pdors-ci")                                                                                       \
    X(job, pdors, "pdors")                                                                                             \
    X(job, oasis, "oasis")                                                                                             \
    X(slot, fifo, "fifo")                                                                                              \
    X(slot, drf, "drf")                                                                                                \
    X(slot, dorm, "dorm")                                                                                              \
    X(slot, srtf, "srtf")                                                                                              \
    X(slot, optimus, "optimus")                                                                                        \
    X(slot, las, "las")

#define POLICY_OBJECT(by, suffix, name)  {.by = &berth__policy_##suffix},
#define POLICY_NAME(by, suffix, name)    name,
#define POLICY_IN_LIST(by, suffix, name) ", " name

static const struct {
    const berth__policy *job; /* one of them is NULL */
    const berth__slot_policy *slot;
} policies[] = {POLICY_TABLE(POLICY_OBJECT)};
static const char *const names[] = {POLICY_TABLE(POLICY_NAME) NULL};
static const char list_of_names[] = POLICY_TABLE(POLICY_IN_LIST);

/* Its number; that of the terminating NULL if unknown. */
static size_t number_of(const char *name) {
    size_t i = 0;
    while (names[i] != NULL && strcmp(names[i], name) != 0) {
        i++;
    }
    return i;
}

const berth__policy *berth__policy_find(const char *name) {
    size_t i = number_of(name);
    return names[i] == NULL ? NULL : policies[i].job;
}

const berth__slot_policy *berth__slot_policy_find(const char *name) {
    size_t i = number_of(name);
    return names[i] == NULL ? NULL : policies[i].slot;
}

const char *berth__policy_names(void) {
    return &list_of_names[strlen(", ")];
}

const char *berth_effort_name(berth_effort effort) {
    static const char *const efforts[] = {"low", "medium", "high"};
    return (unsigned)effort < sizeof efforts / sizeof *efforts ? efforts[effort] : NULL;
}

const char *const *berth_policy_names(void) {
    return names;
}

const char *berth_policy_about(const char *name) {
    const berth__policy *policy = name == NULL ? NULL : berth__policy_find(name);
    const berth__slot_policy *slot_policy = name == NULL ? NULL : berth__slot_policy_find(name);
    return policy != NULL ? policy->about : slot_policy != NULL ? slot_policy->about : NULL;
}

bool berth_policy_promises(const char *name) {
    return name != NULL && berth__policy_find(name) != NULL;
}

void berth__rounding_stats_promise(berth__rounding_stats *stats, long held, const berth_rounding_promise *promise) {
    if (held == 0) {
        return;
    }
    berth_rounding_promise *worst = &stats->promise;
    bool first = stats->guarantee_held == 0;
    stats->guarantee_held += held;
    worst->scale = first ? promise->scale : fmax(worst->scale, promise->scale);
    worst->cost_factor = first ? promise->cost_factor : fmax(worst->cost_factor, promise->cost_factor);
    worst->cover_factor = first ? promise->cover_factor : fmin(worst->cover_factor, promise->cover_factor);
    worst->pack_factor = first ? promise->pack_factor : fmax(worst->pack_factor, promise->pack_factor);
    worst->probability = first ? promise->probability : fmin(worst->probability, promise->probability);
}

void berth__rounding_stats_add(berth__rounding_stats *total, const berth__rounding_stats *part) {
    total->problems += part->problems;
    total->solved += part->solved;
    total->repaired += part->repaired;
    total->draws += part->draws;
    berth__rounding_stats_promise(total, part->guarantee_held, &part->promise);
    total->largest_scale = fmax(total->largest_scale, part->largest_scale);
    total->why_not = total->why_not != NULL ? total->why_not : part->why_not;
    total->relaxation_s += part->relaxation_s;
    total->rounding_s += part->rounding_s;
}

bool berth__slot_plan_from_counts(berth__arena *arena, const berth__cluster *cluster, const berth__job *job, int slot,
                                  const int *w, const int *s, berth_slot_plan *out) {
    size_t n = 0;
    int workers = 0;
    for (int h = 0; h < cluster->n_machines; h++) {
        n += w[h] > 0 || s[h] > 0;
        workers += w[h];
    }
    berth_locality locality = n > 1 ? BERTH_EXTERNAL : BERTH_INTERNAL;
    *out = (berth_slot_plan){.slot = slot,
                             .locality = locality,
                             .samples = workers * job->slot_samples[locality],
                             .n_placements = n,
                             .placements = BERTH__ARENA_ARRAY(arena, berth_placement, n)};
    if (out->placements == NULL) {
        return false;
    }
    size_t i = 0;
    for (int h = 0; h < cluster->n_machines; h++) {
        if (w[h] > 0 || s[h] > 0) {
            out->placements[i++] = (berth_placement){.machine = h, .workers = w[h], .ps = s[h]};
        }
    }
    return true;
}
