/* GPUs of nodes and jobs. */
#include <stdlib.h>
#include <string.h>

#include "formulations/goodput/allocate.h"

bool berth__placement_open(berth__placement *p, const berth__allocate_problem *problem) {
    *p = (berth__placement){.problem = problem, .arena = berth__arena_new()};
    if (p->arena == NULL)
        return false;
    p->free = BERTH__ARENA_ARRAY(p->arena, uint32_t, problem->n_nodes);
    p->spread = BERTH__ARENA_ARRAY(p->arena, size_t, problem->n_nodes);
    p->order = BERTH__ARENA_ARRAY(p->arena, size_t, problem->n_nodes);
    p->holding = BERTH__ARENA_ARRAY(p->arena, berth__holding, problem->n_jobs);
    p->type_free = BERTH__ARENA_ARRAY(p->arena, uint64_t, problem->n_types);
    if (!p->type_free || !p->free || !p->spread || !p->order || !p->holding)
        return false;
    size_t room = 0;
    for (size_t j = 0; j < problem->n_jobs; j++) {
        const size_t n_current = problem->jobs[j].pinned ? problem->instance->jobs[j].n_current : 0;
        p->holding[j].room = n_current > BERTH__MOST_NODES ? n_current : BERTH__MOST_NODES;
        room += p->holding[j].room;
    }
    berth_node_gpus *nodes = BERTH__ARENA_ARRAY(p->arena, berth_node_gpus, room);
    if (nodes == NULL)
        return false;
    for (size_t j = 0; j < problem->n_jobs; j++) {
        p->holding[j].nodes = nodes;
        nodes += p->holding[j].room;
    }
    for (size_t n = 0; n < problem->n_nodes; n++) {
        p->free[n] = problem->gpus[n];
        p->type_free[problem->type[n]] += problem->gpus[n];
        p->spread[n] = SIZE_MAX;
    }
    return true;
}

void berth__placement_close(berth__placement *p) {
    berth__arena_free(p->arena);
    *p = (berth__placement){0};
}

void berth__placement_copy(berth__placement *to, const berth__placement *from) {
    const size_t n_nodes = from->problem->n_nodes;
    if (n_nodes > 0) {
        memcpy(to->free, from->free, n_nodes * sizeof *to->free);
        memcpy(to->spread, from->spread, n_nodes * sizeof *to->spread);
    }
    memcpy(to->type_free, from->type_free, from->problem->n_types * sizeof *to->type_free);
    for (size_t j = 0; j < from->problem->n_jobs; j++) {
        to->holding[j].n = from->holding[j].n;
        memcpy(to->holding[j].nodes, from->holding[j].nodes, from->holding[j].n * sizeof *to->holding[j].nodes);
    }
}

/* ---- give and take ---- */

bool berth__placement_fits(const berth__placement *p, const berth_node_gpus *nodes, size_t n) {
    for (size_t k = 0; k < n; k++) {
        if (nodes[k].gpus > p->free[nodes[k].node] || (n > 1 && p->spread[nodes[k].node] != SIZE_MAX))
            return false;
    }
    return true;
}

void berth__placement_put(berth__placement *p, size_t job, const berth_node_gpus *nodes, size_t n) {
    berth__holding *holding = &p->holding[job];
    for (size_t k = 0; k < n; k++) {
        holding->nodes[k] = nodes[k];
        p->free[nodes[k].node] -= nodes[k].gpus;
        p->type_free[p->problem->type[nodes[k].node]] -= nodes[k].gpus;
        if (n > 1)
            p->spread[nodes[k].node] = job;
    }
    holding->n = n;
}

void berth__placement_take(berth__placement *p, size_t job) {
    berth__holding *holding = &p->holding[job];
    for (size_t k = 0; k < holding->n; k++) {
        p->free[holding->nodes[k].node] += holding->nodes[k].gpus;
        p->type_free[p->problem->type[holding->nodes[k].node]] += holding->nodes[k].gpus;
        if (holding->n > 1)
            p->spread[holding->nodes[k].node] = SIZE_MAX;
    }
    holding->n = 0;
}

/* ---- finding nodes ---- */

enum { MOST_SORTED = 512 };

static bool place_on_one(berth__placement *p, size_t job, size_t type, uint32_t gpus) {
    const berth__allocate_problem *problem = p->problem;
    size_t best = SIZE_MAX;
    for (size_t k = problem->node_start[type]; k < problem->node_start[type + 1]; k++) {
        const size_t node = problem->nodes_of[k];
        if (p->free[node] < gpus || (best != SIZE_MAX && p->free[node] >= p->free[best]))
            continue;
        best = node;
        if (p->free[node] == gpus)
            break;
    }
    if (best == SIZE_MAX)
        return false;
    berth__placement_put(p, job, &(berth_node_gpus){best, gpus}, 1);
    return true;
}

/* Moves the node of largest free capacity among order[k ..] to order[k]; of those alike the first. */
static void select_largest(berth__placement *p, size_t k, size_t n) {
    size_t best = k;
    for (size_t i = k + 1; i < n; i++) {
        if (p->free[p->order[i]] > p->free[p->order[best]] ||
            (p->free[p->order[i]] == p->free[p->order[best]] && p->order[i] < p->order[best]))
            best = i;
    }
    const size_t node = p->order[best];
    p->order[best] = p->order[k];
    p->order[k] = node;
}

/* Full nodes first, the rest where it fits best; `taken` nodes from order[0] on, `rest` GPUs on the last. */
static void fit_rest(berth__placement *p, size_t taken, size_t n, uint32_t rest) {
    for (size_t i = taken; i < n; i++) {
        const uint32_t now = p->free[p->order[taken - 1]], other = p->free[p->order[i]];
        if (other >= rest && (other < now || (other == now && p->order[i] < p->order[taken - 1]))) {
            const size_t node = p->order[taken - 1];
            p->order[taken - 1] = p->order[i];
            p->order[i] = node;
        }
    }
}

static void put_sorted(berth__placement *p, size_t job, berth_node_gpus *nodes, size_t n) {
    for (size_t k = 1; k < n; k++) {
        const berth_node_gpus moved = nodes[k];
        size_t at = k;
        for (; at > 0 && nodes[at - 1].node > moved.node; at--) {
            nodes[at] = nodes[at - 1];
        }
        nodes[at] = moved;
    }
    berth__placement_put(p, job, nodes, n);
}

/* More nodes than it takes: the n of order (by free capacity, descending) that are together just large enough. */
static bool place_on_more(berth__placement *p, size_t job, uint32_t gpus, size_t n, size_t n_order) {
    berth_node_gpus nodes[BERTH__MOST_NODES];
    if (n > gpus || n > n_order)
        return false;
    size_t from = n_order - n; /* the smallest first */
    for (;; from--) {
        uint64_t sum = 0;
        for (size_t k = from; k < from + n; k++) {
            sum += p->free[p->order[k]];
        }
        if (sum >= gpus)
            break;
        if (from == 0)
            return false;
    }
    uint32_t rest = gpus;
    for (size_t k = n; k-- > 0;) { /* the smallest full, but one GPU at least for each that follows */
        const size_t node = p->order[from + k];
        const uint32_t most = rest - (uint32_t)k;
        const uint32_t given = p->free[node] < most ? p->free[node] : most;
        nodes[k] = (berth_node_gpus){node, given};
        rest -= given;
    }
    put_sorted(p, job, nodes, n);
    return true;
}

static bool place_on_several(berth__placement *p, size_t job, size_t type, uint32_t gpus, size_t least, size_t most) {
    const berth__allocate_problem *problem = p->problem;
    berth_node_gpus nodes[BERTH__MOST_NODES];
    size_t n = 0, taken = 0;
    for (size_t k = problem->node_start[type]; k < problem->node_start[type + 1]; k++) {
        const size_t node = problem->nodes_of[k];
        if (p->free[node] > 0 && p->spread[node] == SIZE_MAX)
            p->order[n++] = node;
    }
    const size_t n_all = n;
    uint32_t rest = gpus;
    while (taken < n && taken < most) {
        select_largest(p, taken++, n);
        if (p->free[p->order[taken - 1]] >= rest)
            break;
        rest -= p->free[p->order[taken - 1]];
        if (taken == most || taken == n)
            return false;
    }
    if (taken == 0)
        return false;
    if (taken < least) {
        if (n > MOST_SORTED && n > least)
            n = least; /* the largest: not the best fit, but soon found */
        for (size_t k = taken; k < n; k++) {
            select_largest(p, k, n_all);
        }
        return place_on_more(p, job, gpus, least, n);
    }
    fit_rest(p, taken, n, rest);
    for (size_t k = 0; k < taken; k++) {
        nodes[k] = (berth_node_gpus){p->order[k], k + 1 < taken ? p->free[p->order[k]] : rest};
    }
    put_sorted(p, job, nodes, taken);
    return true;
}

bool berth__placement_place(berth__placement *p, size_t job, size_t type, uint32_t gpus, size_t least, size_t most) {
    if (most > 1)
        return place_on_several(p, job, type, gpus, least, most < BERTH__MOST_NODES ? most : BERTH__MOST_NODES);
    return place_on_one(p, job, type, gpus);
}

bool berth__placement_choose(berth__placement *p, size_t job, const berth__allocate_option *option) {
    const berth_goodput_job *given = &p->problem->instance->jobs[job];
    if (option->gpus == 0)
        return true;
    if (!option->keep)
        return berth__placement_place(p, job, option->type, option->gpus, option->least, option->most);
    if (!berth__placement_fits(p, given->current, given->n_current))
        return false;
    berth__placement_put(p, job, given->current, given->n_current);
    return true;
}

/* ---- what it is worth ---- */

static bool is_current(const berth__placement *p, size_t job) {
    const berth_goodput_job *given = &p->problem->instance->jobs[job];
    const berth__holding *holding = &p->holding[job];
    if (holding->n != given->n_current)
        return false;
    for (size_t k = 0; k < holding->n; k++) {
        if (holding->nodes[k].node != given->current[k].node || holding->nodes[k].gpus != given->current[k].gpus)
            return false;
    }
    return true;
}

const berth__allocate_option *berth__placement_option(const berth__placement *p, size_t job) {
    const berth__allocate_job *of = &p->problem->jobs[job];
    const berth__holding *holding = &p->holding[job];
    if (holding->n == 0)
        return of->pinned ? NULL : &of->options[0];
    if (of->keep < of->n_options && is_current(p, job))
        return &of->options[of->keep];
    uint32_t gpus = 0;
    const size_t type = p->problem->type[holding->nodes[0].node];
    for (size_t k = 0; k < holding->n; k++) {
        gpus += holding->nodes[k].gpus;
        if (p->problem->type[holding->nodes[k].node] != type)
            return NULL;
    }
    return berth__allocate_find(p->problem, job, type, holding->n, gpus);
}

size_t berth__placement_starved(const berth__placement *p) {
    size_t n = 0;
    for (size_t j = 0; j < p->problem->n_jobs; j++) {
        n += p->holding[j].n == 0;
    }
    return n;
}

double berth__placement_sum(const berth__placement *p) {
    double sum = 0;
    for (size_t j = 0; j < p->problem->n_jobs; j++) {
        const berth__allocate_option *option = berth__placement_option(p, j);
        sum += option != NULL ? option->weight : p->problem->none_weight;
    }
    return sum;
}

bool berth__placement_better(const berth__placement *a, const berth__placement *b) {
    const size_t x = berth__placement_starved(a), y = berth__placement_starved(b);
    if (a->problem->options->starve_last && x != y)
        return x < y;
    return berth__placement_sum(a) > berth__placement_sum(b);
}

bool berth__allocate_offer(berth__allocate_run *run, const berth__placement *found) {
    const bool better = berth__placement_better(found, &run->best);
    if (better)
        berth__placement_copy(&run->best, found);
    return better;
}
