/* Our allocator: the relaxation rounded and placed, bettered by moves of one and two jobs, then complete search where
 * that is small or asked for. */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "formulations/goodput/allocate.h"
#include "formulations/goodput/complete.h"
#include "formulations/goodput/moves.h"

/* Within this of the bound nothing more is tried. */
static const double close_enough = 1e-9;
/* And within this no neighbourhoods, unless proof is asked for. */
static const double good_enough = 1e-3;

/* ---- rounding ---- */

/* A job and what the relaxation chose for it: keeps first, then several nodes, then many GPUs. */
typedef struct wanted {
    int rank;
    uint32_t gpus;
    size_t job;
} wanted;

static int by_rank(const void *a, const void *b) {
    const wanted *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->gpus != y->gpus)
        return x->gpus > y->gpus ? -1 : 1;
    return x->job < y->job ? -1 : x->job > y->job;
}

/* Places what was chosen whole; what is split or finds no room is left to the moves. */
static bool place_wanted(const berth__allocate_run *run, berth__placement *placement) {
    const berth__allocate_problem *p = run->problem;
    size_t n = 0;
    wanted *list = BERTH__NEW_ARRAY(wanted, p->n_jobs);
    if (list == NULL)
        return false;
    for (size_t j = 0; j < p->n_jobs; j++) {
        const berth__allocate_option *o = &p->jobs[j].options[run->bound.wanted[j]];
        if (o->gpus == 0 || p->jobs[j].pinned || run->bound.split[j])
            continue;
        list[n++] = (wanted){o->keep ? 0 : o->most > 1 ? 1 : 2, o->gpus, j};
    }
    if (n > 0)
        qsort(list, n, sizeof *list, by_rank);
    for (size_t k = 0; k < n; k++) {
        const size_t j = list[k].job;
        berth__placement_choose(placement, j, &p->jobs[j].options[run->bound.wanted[j]]);
    }
    berth__free(list);
    return true;
}

/* What each job has, as far as it is there. */
static void place_current(const berth__allocate_problem *p, berth__placement *placement) {
    for (size_t j = 0; j < p->n_jobs; j++) {
        const berth__allocate_job *job = &p->jobs[j];
        if (!job->pinned && job->keep < job->n_options)
            berth__placement_choose(placement, j, &job->options[job->keep]);
    }
}

/* ---- the whole ---- */

/* Is the gap at most so much, and are fewest starved? */
static bool is_within(const berth__allocate_run *run, double gap) {
    const berth__allocate_problem *p = run->problem;
    const size_t starved = berth__placement_starved(&run->best);
    if (run->is_optimal)
        return true;
    if (p->options->starve_last && starved > run->bound.starved)
        return false;
    const double found = berth__allocate_fitness(p, berth__placement_sum(&run->best));
    const double bound = berth__allocate_fitness(p, berth__allocate_bound_sum(run, starved));
    return bound <= found * (1 + gap);
}

static bool is_proved(const berth__allocate_run *run) {
    return is_within(run, close_enough);
}

static bool is_good(const berth__allocate_run *run) {
    return is_within(run, good_enough);
}

/* From the relaxation, and from what is there: two ways up. */
static bool climb(berth__allocate_run *run) {
    const berth__allocate_problem *p = run->problem;
    berth__placement start = {0}, work = {0};
    berth__moves moves = {0};
    bool complete = berth__placement_open(&start, p) && berth__placement_open(&work, p);
    if (complete) {
        berth__placement_copy(&start, &run->best); /* pinned jobs */
        berth__placement_copy(&work, &start);
        complete = berth__moves_open(&moves, run) && place_wanted(run, &work);
    }
    if (complete) {
        berth__moves_climb(&moves, &work);
        berth__allocate_offer(run, &work);
    }
    if (complete && !is_proved(run) && !berth__budget_spent(run->budget)) {
        berth__placement_copy(&work, &start);
        place_current(p, &work);
        berth__moves_climb(&moves, &work);
        berth__allocate_offer(run, &work);
    }
    berth__moves_close(&moves);
    berth__placement_close(&work);
    berth__placement_close(&start);
    return complete;
}

berth_status berth__allocate_berth(berth__allocate_run *run, berth_error *error) {
    berth_status status = BERTH_OK;
    if (!climb(run))
        return berth__fail_memory(error);
    if (!is_proved(run) && !berth__budget_spent(run->budget))
        status = berth__allocate_complete(run, error);
    const bool prove = run->problem->options->prove;
    if (!status && !berth__budget_spent(run->budget))
        status = berth__allocate_neighbourhoods(run, prove ? is_proved : is_good, error);
    return status;
}
