#include "formulations/goodput/result.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "formulations/goodput/model.h"
#include "formulations/goodput/pieces.h"

static const double optimal_within = 1e-9;

static berth_goodput_point point_of(const berth__allocate_problem *p, const berth_goodput_job *given, size_t type,
                                    size_t n, uint32_t gpus) {
    const berth_goodput_profile *profile = given->profile != NULL ? given->profile : &given->typed[type];
    if (given->profile == NULL && profile->alpha_c == 0 && profile->beta_c == 0)
        return (berth_goodput_point){0}; /* pinned where it cannot run */
    return berth__goodput_best(profile, p->options->mode, n > 1, gpus);
}

static void fill_figures(const berth__allocate_run *run, size_t j, berth_allocated_job *out) {
    const berth__allocate_problem *p = run->problem;
    const berth_goodput_job *given = &p->instance->jobs[j];
    const berth__allocate_option *option = berth__placement_option(&run->best, j);
    const size_t type = p->type[out->nodes[0].node];
    out->kept = option->keep;
    out->speedup = option->value;
    if (given->n_options > 0) {
        for (size_t k = 0; k < given->n_options; k++) {
            const berth_goodput_option *o = &given->options[k];
            if (o->gpu_type == type && o->nodes == out->n_nodes && o->gpus == out->replicas)
                out->goodput = o->value;
        }
        return;
    }
    const berth_goodput_point point = point_of(p, given, type, out->n_nodes, out->replicas);
    out->goodput = point.goodput;
    out->local = point.local;
    out->accumulation = point.accumulation;
}

static bool is_sound(const berth__allocate_run *run) {
    for (size_t j = 0; j < run->problem->n_jobs; j++) {
        if (berth__placement_option(&run->best, j) == NULL)
            return false;
    }
    return true;
}

static bool fill_jobs(const berth__allocate_run *run, berth__arena *arena, berth_allocated_job *jobs) {
    for (size_t j = 0; j < run->problem->n_jobs; j++) {
        const berth__holding *holding = &run->best.holding[j];
        berth_node_gpus *nodes = BERTH__ARENA_ARRAY(arena, berth_node_gpus, holding->n);
        if (nodes == NULL)
            return false;
        memcpy(nodes, holding->nodes, holding->n * sizeof *nodes);
        jobs[j].n_nodes = holding->n;
        jobs[j].nodes = nodes;
        for (size_t k = 0; k < holding->n; k++) {
            jobs[j].replicas += nodes[k].gpus;
        }
        if (holding->n > 0)
            fill_figures(run, j, &jobs[j]);
    }
    return true;
}

static bool fill_pieces(const berth__pieces *pieces, berth__arena *arena, berth_allocation *out) {
    const berth__allocate_problem *p = pieces->problem;
    const size_t n = p->n_types * pieces->n_sizes;
    double *local = BERTH__ARENA_ARRAY(arena, double, n), *spread = BERTH__ARENA_ARRAY(arena, double, n);
    if (local == NULL || spread == NULL)
        return false;
    for (size_t k = 0; k < n; k++) {
        const bool exists = k % pieces->n_sizes < p->largest[k / pieces->n_sizes];
        local[k] = exists ? pieces->local[k] : 0;
        spread[k] = exists ? pieces->spread[k] : 0;
    }
    out->n_sizes = pieces->n_sizes;
    out->local_prices = local;
    out->spread_prices = spread;
    out->starve_price = pieces->starve_price;
    return true;
}

static bool fill_prices(const berth__allocate_run *run, berth__arena *arena, berth_allocation *out) {
    const size_t n = run->problem->n_types;
    double *prices = BERTH__ARENA_ARRAY(arena, double, n), *serve = BERTH__ARENA_ARRAY(arena, double, n);
    if (prices == NULL || serve == NULL)
        return false;
    memcpy(prices, run->bound.price, n * sizeof *prices);
    memcpy(serve, run->bound.serve_price, n * sizeof *serve);
    out->prices = prices;
    out->serve_prices = serve;
    out->starve_price = run->bound.starve_price;
    return run->bound.pieces == NULL || fill_pieces(run->bound.pieces, arena, out);
}

static void set_claims(const berth__allocate_run *run, berth_allocation *out) {
    const berth__allocate_problem *p = run->problem;
    out->starved = berth__placement_starved(&run->best);
    out->fitness = berth__allocate_fitness(p, berth__placement_sum(&run->best));
    if (!p->is_partial) {
        out->bound = berth__allocate_fitness(p, berth__allocate_bound_sum(run, out->starved));
        out->bound = fmax(out->bound, out->fitness); /* they are sums of the same numbers in another order */
    }
    out->ratio = p->n_jobs == 0 || p->is_partial ? (double)NAN
                 : out->fitness > 0              ? out->bound / out->fitness
                                                 : (double)INFINITY;
    out->stopped = berth__budget_spent(run->budget) || p->is_partial;
    const bool fewest = !p->options->starve_last || out->starved <= out->starved_bound;
    const bool optimal =
        p->n_jobs == 0 ||
        (!p->is_partial && (run->is_optimal || (fewest && out->bound <= out->fitness * (1 + optimal_within))));
    out->outcome = optimal ? BERTH_OPTIMAL : out->stopped ? BERTH_LIMIT : BERTH_FEASIBLE;
    out->stopped = out->stopped && !optimal;
    if (run->is_optimal && !p->is_partial)
        out->search_bound = out->fitness;
}

berth_status berth__allocate_result(const berth__allocate_run *run, bool infeasible, berth_allocation **out,
                                    berth_error *error) {
    const berth__allocate_problem *p = run->problem;
    berth__arena *arena = berth__arena_new();
    berth_allocation *result = arena != NULL ? BERTH__ARENA_ARRAY(arena, berth_allocation, 1) : NULL;
    berth_allocated_job *jobs = arena != NULL ? BERTH__ARENA_ARRAY(arena, berth_allocated_job, p->n_jobs) : NULL;
    bool complete = result != NULL && jobs != NULL;
    if (complete) {
        *result = (berth_allocation){.outcome = BERTH_INFEASIBLE,
                                     .n_jobs = p->n_jobs,
                                     .jobs = jobs,
                                     .fitness = (double)NAN,
                                     .bound = (double)NAN,
                                     .search_bound = p->is_partial ? (double)NAN : run->bound.search,
                                     .ratio = (double)NAN,
                                     .starved = p->n_jobs,
                                     .starved_bound = p->is_partial ? 0 : run->bound.starved,
                                     .n_types = p->n_types,
                                     .allocator = p->options->allocator,
                                     .mode = p->options->mode,
                                     .p = p->instance->p,
                                     .seed = p->options->seed,
                                     .starve_last = p->options->starve_last,
                                     .node_level = run->node_level,
                                     .memory = arena};
        complete = infeasible || !is_sound(run) ||
                   (fill_jobs(run, arena, jobs) && (p->is_partial || fill_prices(run, arena, result)));
    }
    if (!complete) {
        berth__arena_free(arena);
        return berth__fail_memory(error);
    }
    if (!infeasible && !is_sound(run)) {
        berth__arena_free(arena);
        return berth__fail(error, BERTH_E_INTERNAL, NULL, "a job is left with GPUs that it cannot run on");
    }
    if (!infeasible)
        set_claims(run, result);
    *out = result;
    return BERTH_OK;
}

void berth_allocation_free(berth_allocation *allocation) {
    if (allocation != NULL)
        berth__arena_free(allocation->memory);
}
