#include "online/goodput/rest.h"

#include <math.h>
#include <stdlib.h>

#include "formulations/goodput/model.h"

enum { MORE_NODES = 2, MOST_NODES = 16 };

/* What berth_allocate takes for a value. */
static const double least = 1e-9, most = 1e12;

typedef struct ranked {
    size_t job;
    double rest_s, unit; /* goodput a GPU; 0: runs on none */
} ranked;

/* Longest first. */
static int compare(const void *left, const void *right) {
    const ranked *a = left, *b = right;
    if (a->rest_s != b->rest_s)
        return a->rest_s > b->rest_s ? -1 : 1;
    return (a->job > b->job) - (a->job < b->job);
}

/* Goodput a GPU on the fewest GPUs that the first type of GPU it can run on needs. */
static double unit_of(const berth_goodput_job *job, size_t n_types, const berth_goodput_profile *profiles,
                      berth_batch_mode mode) {
    for (uint32_t k = 1; k <= job->max_replicas; k++)
        for (size_t t = 0; t < n_types; t++) {
            const double goodput = berth__goodput_best(&profiles[t], mode, false, k).goodput;
            if (goodput > 0)
                return goodput / k;
        }
    return 0;
}

static uint32_t held_by(const berth_goodput_job *job) {
    uint32_t sum = 0;
    for (size_t k = 0; k < job->n_current; k++)
        sum += job->current[k].gpus;
    return sum;
}

/* A table being made. */
typedef struct table {
    const berth_goodput_profile *profiles;
    berth_batch_mode mode;
    double unit, weight;
    size_t n;
    berth_goodput_option *options;
} table;

static void add(table *t, size_t type, uint32_t nodes, uint32_t gpus, double goodput) {
    if (goodput > 0)
        t->options[t->n++] =
            (berth_goodput_option){type, nodes, gpus, fmin(fmax(pow(goodput / t->unit, t->weight), least), most)};
}

static void add_gpus(table *t, const berth_goodput_job *job, size_t type, uint32_t gpus, uint32_t largest) {
    const uint32_t fewest = (gpus + largest - 1) / largest, first = fewest < 2 ? 2 : fewest;
    if (fewest == 1)
        add(t, type, 1, gpus, berth__goodput_best(&t->profiles[type], t->mode, false, gpus).goodput);
    if (gpus < 2)
        return;
    const double goodput = berth__goodput_best(&t->profiles[type], t->mode, true, gpus).goodput;
    const uint32_t has = (uint32_t)job->n_current;
    for (uint32_t n = first; n <= first + MORE_NODES && n <= gpus && n <= MOST_NODES; n++)
        add(t, type, n, gpus, goodput);
    if (gpus == held_by(job) && has > first + MORE_NODES && has <= MOST_NODES)
        add(t, type, has, gpus, goodput);
}

static bool make_table(berth__arena *arena, berth_goodput_job *job, size_t n_types, table *t, uint32_t largest) {
    t->options = BERTH__ARENA_ARRAY(arena, berth_goodput_option, n_types * ((MORE_NODES + 2) * job->max_replicas + 1));
    if (!t->options)
        return false;
    for (size_t type = 0; type < n_types; type++)
        for (uint32_t k = 1; k <= job->max_replicas; k++)
            add_gpus(t, job, type, k, largest);
    job->n_options = t->n;
    job->options = t->options;
    job->profile = job->typed = NULL;
    return true;
}

bool berth__weigh_by_rest(berth__arena *arena, size_t n, berth_goodput_job *jobs, size_t n_types,
                          const berth_goodput_profile *profiles, const double *rest, berth_batch_mode mode,
                          uint32_t largest) {
    ranked *order = BERTH__ARENA_ARRAY(arena, ranked, n);
    if (!order)
        return false;
    for (size_t k = 0; k < n; k++) {
        const double unit = unit_of(&jobs[k], n_types, &profiles[k * n_types], mode);
        order[k] = (ranked){k, rest[k] < 0 || unit <= 0 ? -1 : rest[k] / unit, unit};
    }
    qsort(order, n, sizeof *order, compare);
    for (size_t i = 0; i < n; i++) {
        const size_t k = order[i].job;
        table t = {.profiles = &profiles[k * n_types],
                   .mode = mode,
                   .unit = order[i].unit,
                   .weight = (2 * (double)i + 1) / (double)n};
        if (t.unit > 0 && !make_table(arena, &jobs[k], n_types, &t, largest))
            return false;
    }
    return true;
}
