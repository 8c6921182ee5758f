/* berth_allocate: the problem, the pinned jobs, the bound, one allocator, the result. */
#include "formulations/goodput/allocate.h"

#include <math.h>

#include "base/error.h"
#include "formulations/goodput/baselines.h"
#include "formulations/goodput/bound.h"
#include "formulations/goodput/result.h"

static const double for_relaxation = 0.5;

typedef berth_status (*allocator)(berth__allocate_run *run, berth_error *error);

static allocator allocator_of(berth_allocator which) {
    switch (which) {
    case BERTH_ALLOCATOR_BERTH:
        return berth__allocate_berth;
    case BERTH_ALLOCATOR_GENETIC:
        return berth__allocate_genetic;
    case BERTH_ALLOCATOR_OPTIMUS:
        return berth__allocate_optimus;
    case BERTH_ALLOCATOR_TIRESIAS:
        return berth__allocate_tiresias;
    case BERTH_ALLOCATOR_GAVEL_MAXSUM:
        return berth__allocate_gavel;
    case BERTH_ALLOCATOR_SIA:
        return berth__allocate_sia;
    }
    return berth__allocate_berth; /* checked before */
}

/* False: they do not fit. */
static bool place_pinned(const berth__allocate_problem *p, berth__placement *placement) {
    for (size_t j = 0; j < p->n_jobs; j++) {
        if (p->jobs[j].pinned && !berth__placement_choose(placement, j, &p->jobs[j].options[0]))
            return false;
    }
    return true;
}

static bool open_bound(const berth__allocate_problem *p, berth__allocate_bound *b) {
    b->search = (double)NAN;
    b->price = BERTH__ARENA_ARRAY(p->arena, double, p->n_types);
    b->serve_price = BERTH__ARENA_ARRAY(p->arena, double, p->n_types);
    b->wanted = BERTH__ARENA_ARRAY(p->arena, size_t, p->n_jobs);
    b->split = BERTH__ARENA_ARRAY(p->arena, bool, p->n_jobs);
    return b->price && b->serve_price && b->wanted && b->split;
}

/* The option of fewest GPUs of some type that has room and weighs most. */
static const berth__allocate_option *least_for(const berth__placement *placement, size_t job) {
    const berth__allocate_job *of = &placement->problem->jobs[job];
    const berth__allocate_option *best = NULL;
    for (size_t k = of->first; k < of->n_options; k++) {
        const berth__allocate_option *o = &of->options[k];
        if ((k == of->first || o[-1].type != o->type) && o->gpus <= placement->type_free[o->type] &&
            (best == NULL || o->weight > best->weight))
            best = o;
    }
    return best;
}

/* Something to have when time runs out: what jobs hold, then a few GPUs for as many as there are. */
static void serve(berth__allocate_run *run) {
    const berth__allocate_problem *p = run->problem;
    for (size_t j = 0; j < p->n_jobs; j++) {
        if (run->best.holding[j].n == 0 && p->jobs[j].keep < p->jobs[j].n_options)
            berth__placement_choose(&run->best, j, &p->jobs[j].options[p->jobs[j].keep]);
    }
    for (size_t j = 0; j < p->n_jobs && !berth__budget_spent(run->budget); j++) {
        const berth__allocate_option *o = run->best.holding[j].n == 0 ? least_for(&run->best, j) : NULL;
        if (o != NULL)
            berth__placement_choose(&run->best, j, o);
    }
}

/* In a part of the time that is left. */
static berth_status relax(berth__allocate_run *run, berth_error *error) {
    const berth__budget *whole = run->budget, part = berth__budget_part(whole, for_relaxation);
    run->budget = &part;
    const berth_status status = berth__allocate_relax(run, error);
    run->budget = whole;
    return status;
}

berth_status berth__allocate_begin(berth__allocate_run *run, bool *fits, berth_error *error) {
    *fits = true;
    if (!open_bound(run->problem, &run->bound) || !berth__placement_open(&run->best, run->problem))
        return berth__fail_memory(error);
    *fits = place_pinned(run->problem, &run->best);
    if (!*fits)
        return BERTH_OK;
    if ((run->budget != NULL && run->budget->deadline_s < HUGE_VAL) || run->problem->is_partial)
        serve(run);
    return run->budget != NULL ? relax(run, error) : berth__allocate_relax(run, error);
}

static berth_status allocate(berth__allocate_run *run, allocator find, berth_allocation **out, berth_error *error) {
    bool fits = true;
    berth_status status = berth__allocate_begin(run, &fits, error);
    if (!status && fits)
        status = find(run, error);
    if (!status && fits)
        berth__allocate_settle_prices(run, berth__placement_starved(&run->best));
    return status ? status : berth__allocate_result(run, !fits, out, error);
}

berth_status berth_allocate(const berth_goodput_instance *instance, const berth_allocate_options *options,
                            berth_allocation **out, berth_error *error) {
    berth_allocate_options defaults;
    berth__allocate_problem problem = {0};
    *out = NULL;
    berth__error_clear(error);
    berth_allocate_options_init(&defaults);
    if (options == NULL)
        options = &defaults;
    const berth__budget budget = berth__budget_start(options->time_limit_s, &options->hooks);
    berth__allocate_run run = {.problem = &problem, .budget = &budget};
    berth_status status = berth__allocate_problem_open(&problem, instance, options, &budget, error);
    if (!status)
        status = allocate(&run, allocator_of(options->allocator), out, error);
    berth__placement_close(&run.best);
    berth__allocate_problem_close(&problem);
    return status;
}
