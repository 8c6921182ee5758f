/* What the baselines have in common. */
#include "formulations/goodput/baselines.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "formulations/goodput/model.h"

berth_status berth__baseline_open(const berth__allocate_run *run, berth__placement *placement, berth_error *error) {
    if (!berth__placement_open(placement, run->problem)) {
        return berth__fail_memory(error);
    }
    berth__placement_copy(placement, &run->best);
    return BERTH_OK;
}

uint32_t berth__baseline_request(const berth__allocate_problem *problem, size_t job) {
    const berth__allocate_job *limits = &problem->jobs[job];
    uint32_t request = problem->instance->jobs[job].requested;
    request = request > 0 ? request : problem->fair_gpus;
    request = request > limits->most_gpus ? limits->most_gpus : request;
    return request < limits->least_gpus ? limits->least_gpus : request;
}

static double goodput_on(const berth__allocate_problem *problem, size_t job, size_t type, uint32_t gpus) {
    const berth_goodput_job *given = &problem->instance->jobs[job];
    const uint32_t largest = problem->largest[type];
    if (gpus == 0 || gpus > problem->capacity[type]) {
        return 0;
    }
    const size_t nodes = (gpus + (size_t)largest - 1) / largest;
    if (given->options != NULL) {
        const berth__allocate_option *option = berth__allocate_find(problem, job, type, nodes, gpus);
        return option != NULL ? option->value : 0;
    }
    const berth_goodput_profile *profile = given->profile != NULL ? given->profile : &given->typed[type];
    if (profile->alpha_c + profile->beta_c <= 0) {
        return 0;
    }
    return berth__goodput_best(profile, problem->options->mode, nodes > 1, gpus).goodput;
}

double berth__baseline_goodput(const berth__allocate_problem *problem, size_t job, uint32_t gpus) {
    const bool same = problem->instance->jobs[job].profile != NULL;
    double best = 0;
    for (size_t type = 0; type < problem->n_types; type++) {
        best = fmax(best, goodput_on(problem, job, type, gpus));
        if (same && best > 0) {
            break;
        }
    }
    return best;
}

bool berth__baseline_keep(berth__placement *placement, size_t job) {
    const berth__allocate_job *j = &placement->problem->jobs[job];
    return j->keep < j->n_options && berth__placement_choose(placement, job, &j->options[j->keep]);
}

/* ---- freest node first ---- */

static uint64_t free_of_type(const berth__placement *placement, size_t type) {
    const berth__allocate_problem *problem = placement->problem;
    uint64_t sum = 0;
    for (size_t k = problem->node_start[type]; k < problem->node_start[type + 1]; k++) {
        sum += placement->free[problem->nodes_of[k]];
    }
    return sum;
}

/* The freest node of a type that is not taken, without a job of several nodes if this is one; SIZE_MAX: none. */
static size_t freest(const berth__placement *placement, size_t type, const berth_node_gpus *taken, size_t n,
                     bool several) {
    const berth__allocate_problem *problem = placement->problem;
    size_t best = SIZE_MAX;
    for (size_t k = problem->node_start[type]; k < problem->node_start[type + 1]; k++) {
        const size_t node = problem->nodes_of[k];
        bool usable = placement->free[node] > 0 && !(several && placement->spread[node] != SIZE_MAX);
        for (size_t t = 0; usable && t < n; t++) {
            usable = taken[t].node != node;
        }
        if (usable && (best == SIZE_MAX || placement->free[node] > placement->free[best])) {
            best = node;
        }
    }
    return best;
}

static int by_node(const void *a, const void *b) {
    const berth_node_gpus *x = a, *y = b;
    return (x->node > y->node) - (x->node < y->node);
}

bool berth__baseline_place_on(berth__placement *placement, size_t job, size_t type, uint32_t gpus) {
    berth_node_gpus nodes[BERTH__MOST_NODES] = {{0, 0}};
    size_t n = 0;
    uint32_t left = gpus;
    const size_t first = freest(placement, type, nodes, 0, false);
    const bool several = first == SIZE_MAX || placement->free[first] < gpus;
    while (left > 0 && n < BERTH__MOST_NODES) {
        const size_t node = freest(placement, type, nodes, n, several);
        if (node == SIZE_MAX) {
            return false;
        }
        const uint32_t part = placement->free[node] < left ? placement->free[node] : left;
        nodes[n++] = (berth_node_gpus){.node = node, .gpus = part};
        left -= part;
    }
    qsort(nodes, n, sizeof *nodes, by_node);
    if (left > 0 || !berth__placement_fits(placement, nodes, n)) {
        return false;
    }
    berth__placement_put(placement, job, nodes, n);
    if (berth__placement_option(placement, job) == NULL) {
        berth__placement_take(placement, job);
        return false;
    }
    return true;
}

bool berth__baseline_place(berth__placement *placement, size_t job, uint32_t gpus) {
    const berth__allocate_problem *problem = placement->problem;
    uint64_t before = UINT64_MAX;
    size_t last = SIZE_MAX;
    for (size_t tried = 0; gpus > 0 && tried < problem->n_types; tried++) {
        /* types by descending number of free GPUs, of those alike the first */
        uint64_t most = 0;
        size_t next = SIZE_MAX;
        for (size_t type = 0; type < problem->n_types; type++) {
            const uint64_t left = free_of_type(placement, type);
            const bool later = left < before || (left == before && last != SIZE_MAX && type > last);
            if (later && (next == SIZE_MAX || left > most)) {
                most = left;
                next = type;
            }
        }
        if (next == SIZE_MAX || most < gpus) {
            return false;
        }
        if (berth__baseline_place_on(placement, job, next, gpus)) {
            return true;
        }
        before = most;
        last = next;
    }
    return false;
}
