/* Our allocator: the relaxation rounded and placed, bettered by moves of one and two jobs, then complete search where
 * that is small or asked for. */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "formulations/goodput/allocate.h"
#include "formulations/goodput/complete.h"
#include "formulations/goodput/moves.h"
#include "formulations/goodput/patterns.h"
#include "formulations/goodput/pieces.h"
#include "formulations/goodput/programme.h"

/* Within this of the bound nothing more is tried. */
static const double close_enough = 1e-9;
/* And within this no neighbourhoods, unless proof is asked for. */
static const double good_enough = 1e-3;

enum { POLL = 64 };

/* ---- rounding ---- */

/* A job and what the relaxation chose for it: keeps first, then several nodes, then many GPUs. Where there are prices
 * of pieces, by the largest piece that it takes, one node before several. */
typedef struct wanted {
    int rank;
    uint32_t gpus;
    bool spread;
    size_t n; /* nodes; 0: as few as there are */
    size_t job;
} wanted;

static int by_rank(const void *a, const void *b) {
    const wanted *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->gpus != y->gpus)
        return x->gpus > y->gpus ? -1 : 1;
    if (x->spread != y->spread)
        return y->spread ? -1 : 1;
    return x->job < y->job ? -1 : x->job > y->job;
}

static wanted wanted_by(const berth__allocate_run *run, size_t job, const berth__allocate_option *o) {
    uint32_t sizes[BERTH__MOST_NODES];
    if (o->keep || run->bound.pieces == NULL)
        return (wanted){o->keep ? 0 : o->most > 1 ? 1 : 2, o->gpus, false, 0, job};
    const size_t n = berth__pieces_of(run->bound.pieces, job, o, sizes);
    wanted w = {1, 0, n > 1, n, job};
    for (size_t k = 0; k < n; k++) {
        w.gpus = sizes[k] > w.gpus ? sizes[k] : w.gpus;
    }
    return w;
}

static void place(berth__placement *placement, const wanted *w, const berth__allocate_option *o) {
    if (w->n < 2 || !berth__placement_place(placement, w->job, o->type, o->gpus, w->n, w->n))
        berth__placement_choose(placement, w->job, o);
}

/* The option with room that is worth most at the prices; what does not pay is left to the moves. */
static void place_best(const berth__allocate_run *run, berth__placement *placement, size_t job) {
    const berth__allocate_job *of = &run->problem->jobs[job];
    const berth__allocate_option *best = NULL;
    double most = -(double)INFINITY;
    for (size_t k = 0; k < of->n_options; k++) {
        const berth__allocate_option *o = &of->options[k];
        const double worth = o->weight - berth__allocate_cost(run, job, o);
        if (o->gpus == 0 || worth <= most || o->gpus > placement->type_free[o->type] ||
            !berth__placement_choose(placement, job, o))
            continue;
        berth__placement_take(placement, job);
        most = worth;
        best = o;
    }
    if (best != NULL)
        berth__placement_choose(placement, job, best);
}

/* Places what was chosen whole, then what is split or finds no room. */
static bool place_wanted(const berth__allocate_run *run, berth__placement *placement) {
    const berth__allocate_problem *p = run->problem;
    size_t n = 0;
    wanted *list = BERTH__NEW_ARRAY(wanted, p->n_jobs);
    if (list == NULL)
        return false;
    for (size_t j = 0; j < p->n_jobs; j++) {
        const berth__allocate_option *o = &p->jobs[j].options[run->bound.wanted[j]];
        if (o->gpus > 0 && !p->jobs[j].pinned && !run->bound.split[j])
            list[n++] = wanted_by(run, j, o);
    }
    if (n > 0)
        qsort(list, n, sizeof *list, by_rank);
    for (size_t k = 0; k < n && (k % POLL != 0 || !berth__budget_spent(run->budget)); k++) {
        place(placement, &list[k], &p->jobs[list[k].job].options[run->bound.wanted[list[k].job]]);
    }
    for (size_t j = 0; run->bound.pieces != NULL && j < p->n_jobs && !berth__budget_spent(run->budget); j++) {
        if (placement->holding[j].n == 0)
            place_best(run, placement, j);
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
    if (run->is_optimal || p->is_partial)
        return run->is_optimal && !p->is_partial;
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

/* Takes all that jobs hold, but for the pinned ones. */
static void clear(berth__placement *placement) {
    for (size_t j = 0; j < placement->problem->n_jobs; j++) {
        if (!placement->problem->jobs[j].pinned)
            berth__placement_take(placement, j);
    }
}

/* From the relaxation, and from what is there: two ways up. The second is the same whatever is wanted. */
static bool climb(berth__allocate_run *run, bool both) {
    const berth__allocate_problem *p = run->problem;
    berth__placement work = {0};
    berth__moves moves = {0};
    bool complete = berth__placement_open(&work, p);
    if (complete) {
        berth__placement_copy(&work, &run->best);
        clear(&work);
        complete = berth__moves_open(&moves, run) && place_wanted(run, &work);
    }
    if (complete) {
        berth__moves_climb(&moves, &work);
        berth__allocate_offer(run, &work);
    }
    if (complete && both && !is_proved(run) && !berth__budget_spent(run->budget)) {
        clear(&work);
        place_current(p, &work);
        berth__moves_climb(&moves, &work);
        berth__allocate_offer(run, &work);
    }
    berth__moves_close(&moves);
    berth__placement_close(&work);
    return complete;
}

/* Where the relaxation over types leaves much open, that over nodes, and up from there. */
static berth_status climb_nodes(berth__allocate_run *run, berth_error *error) {
    const berth_status status = berth__allocate_relax_nodes(run, berth__placement_starved(&run->best), error);
    if (status || run->bound.pieces == NULL)
        return status;
    run->node_level = true;
    return climb(run, false) ? BERTH_OK : berth__fail_memory(error);
}

/* What is found where starved jobs count otherwise: the relaxation then chooses other options among those that are
 * worth the same, and its allocation may be the better one here, too. */
static berth_status take_from_other_rule(berth__allocate_run *run, berth_error *error) {
    berth_allocate_options options = *run->problem->options;
    options.starve_last = !options.starve_last;
    berth__allocate_problem problem = *run->problem; /* of the same arena and jobs; not to be closed */
    problem.options = &options;
    berth__allocate_run other = {.problem = &problem, .budget = run->budget};
    berth__placement work = {0};
    bool fits = true;
    berth_status status = berth__allocate_begin(&other, &fits, error);
    if (!status && !climb(&other, true))
        status = berth__fail_memory(error);
    if (!status && !is_good(&other) && !berth__budget_spent(run->budget))
        status = climb_nodes(&other, error);
    if (!status && !berth__placement_open(&work, run->problem))
        status = berth__fail_memory(error);
    if (!status) {
        berth__placement_copy(&work, &other.best);
        berth__allocate_offer(run, &work);
    }
    berth__placement_close(&work);
    berth__placement_close(&other.best);
    return status;
}

/* What the integer programme says, and its solution if that finds a place: then once more, from there. */
static berth_status prove_by_programme(berth__allocate_run *run, berth_error *error) {
    enum { ROUNDS = 4 };
    berth_status status = BERTH_OK;
    bool better = true;
    for (int k = 0; !status && better && k < ROUNDS && !is_proved(run) && !berth__budget_spent(run->budget); k++) {
        const double before = berth__placement_sum(&run->best);
        status = berth__allocate_programme(run, &better, error);
        if (!status && better) {
            if (!climb(run, false))
                return berth__fail_memory(error);
            better = berth__placement_sum(&run->best) > before;
        }
    }
    return status;
}

berth_status berth__allocate_berth(berth__allocate_run *run, berth_error *error) {
    berth_status status = BERTH_OK;
    if (!climb(run, true))
        return berth__fail_memory(error);
    if (!is_good(run) && !berth__budget_spent(run->budget))
        status = climb_nodes(run, error);
    if (!status && !is_good(run) && !berth__budget_spent(run->budget))
        status = take_from_other_rule(run, error);
    if (!status && !is_proved(run) && !berth__budget_spent(run->budget))
        status = berth__allocate_complete(run, error);
    const bool prove = run->problem->options->prove;
    if (!status && !berth__budget_spent(run->budget))
        status = berth__allocate_neighbourhoods(run, prove ? is_proved : is_good, error);
    return status || !prove ? status : prove_by_programme(run, error);
}
