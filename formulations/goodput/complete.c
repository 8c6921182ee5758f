/* Depth first: job by job, option by option in the order of reduced weights, on each choice of nodes that is not like
 * another. The prices bound what the jobs to come can add on what is free. */
#include "formulations/goodput/complete.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/pcg.h"

enum { FEW_JOBS = 16, FEW_NODES = 16, MOST_JOBS = 64, MOST_NODES = 64, POLL = 256 };
static const long few_steps = 200000, most_steps = 3000000, neighbourhood_steps = 2000, total_steps = 200000;
/* Of the sum; far below what F is told apart by. */
static const double tolerance = 1e-12;

typedef struct branch {
    double reduced; /* weight at the prices */
    uint32_t option;
} branch;

/* A job and what its second choice costs: the dearest first. */
typedef struct placed_job {
    double gap;
    size_t job;
} placed_job;

typedef struct search {
    berth__allocate_run *run;
    const berth__allocate_problem *problem;
    berth__placement work;
    berth__placement best;
    bool is_better;        /* best is better than what was there before */
    size_t n;              /* jobs to choose for; the others stay as they are in work */
    size_t *order;         /* [n] of n_jobs */
    placed_job *ranking;   /* [n_jobs] scratch */
    size_t *start;         /* [n_jobs + 1] into branches, by job */
    branch *branches;      /* best reduced weight first */
    bool *is_ranked;       /* [n_jobs] done when first needed */
    double *rest;          /* [n_jobs + 1] what the jobs from a place in order on have at best, at the prices */
    double *rest_served;   /* [n_jobs + 1] likewise of serve_price */
    size_t *current_of;    /* [n_nodes] jobs to come that may keep something there, or must */
    double sum;            /* of the jobs so far */
    size_t starved;        /* of them */
    size_t all_starved;    /* in run->best */
    size_t others_starved; /* of those that stay */
    double best_sum;
    size_t best_starved;
    long steps;
    bool stopped;
    berth__arena *arena;
} search;

static double reduced(const search *s, const berth__allocate_option *o) {
    const berth__allocate_bound *b = &s->run->bound;
    return o->weight - (o->gpus > 0 ? b->price[o->type] * o->gpus : b->starve_price);
}

static int by_reduced(const void *a, const void *b) {
    const branch *x = a, *y = b;
    if (x->reduced != y->reduced)
        return x->reduced > y->reduced ? -1 : 1;
    return x->option < y->option ? -1 : x->option > y->option;
}

static int by_gap(const void *a, const void *b) {
    const placed_job *x = a, *y = b;
    if (x->gap != y->gap)
        return x->gap > y->gap ? -1 : 1;
    return x->job < y->job ? -1 : x->job > y->job;
}

static double served_at_best(const search *s, size_t job) {
    const berth__allocate_job *of = &s->problem->jobs[job];
    double best = of->options[0].gpus == 0 ? 0 : -(double)INFINITY;
    for (size_t k = 0; k < of->n_options; k++) {
        if (of->options[k].gpus > 0)
            best = fmax(best, 1 - s->run->bound.serve_price[of->options[k].type] * of->options[k].gpus);
    }
    return best;
}

static void rank_branches(search *s, size_t job) {
    const berth__allocate_job *of = &s->problem->jobs[job];
    branch *branches = s->branches + s->start[job];
    for (size_t k = 0; k < of->n_options; k++) {
        branches[k] = (branch){reduced(s, &of->options[k]), (uint32_t)k};
    }
    qsort(branches, of->n_options, sizeof *branches, by_reduced);
    s->is_ranked[job] = true;
}

/* The jobs in `order`, the dearest second choice first, and what they have at best. */
static void set_order(search *s) {
    const size_t n = s->n;
    for (size_t k = 0; k < n; k++) {
        const size_t j = s->order[k];
        const branch *of = s->branches + s->start[j];
        if (!s->is_ranked[j])
            rank_branches(s, j);
        s->ranking[k] = (placed_job){s->start[j + 1] - s->start[j] > 1 ? of[0].reduced - of[1].reduced : 0, j};
    }
    if (n > 0)
        qsort(s->ranking, n, sizeof *s->ranking, by_gap);
    s->rest[n] = s->rest_served[n] = 0;
    for (size_t k = n; k-- > 0;) {
        const size_t j = s->ranking[k].job;
        s->order[k] = j;
        s->rest[k] = s->rest[k + 1] + s->branches[s->start[j]].reduced;
        s->rest_served[k] = s->rest_served[k + 1] + served_at_best(s, j);
    }
}

static void count_current(search *s, size_t job, bool add) {
    const berth__allocate_job *of = &s->problem->jobs[job];
    const berth_goodput_job *given = &s->problem->instance->jobs[job];
    for (size_t k = 0; of->keep < of->n_options && k < given->n_current; k++) {
        s->current_of[given->current[k].node] += add ? 1 : SIZE_MAX;
    }
}

static bool open_search(search *s, berth__allocate_run *run) {
    const berth__allocate_problem *p = run->problem;
    *s = (search){.run = run, .problem = p, .arena = berth__arena_new()};
    if (s->arena == NULL)
        return false;
    s->order = BERTH__ARENA_ARRAY(s->arena, size_t, p->n_jobs);
    s->start = BERTH__ARENA_ARRAY(s->arena, size_t, p->n_jobs + 1);
    s->rest = BERTH__ARENA_ARRAY(s->arena, double, p->n_jobs + 1);
    s->rest_served = BERTH__ARENA_ARRAY(s->arena, double, p->n_jobs + 1);
    s->current_of = BERTH__ARENA_ARRAY(s->arena, size_t, p->n_nodes);
    s->ranking = BERTH__ARENA_ARRAY(s->arena, placed_job, p->n_jobs);
    s->is_ranked = BERTH__ARENA_ARRAY(s->arena, bool, p->n_jobs);
    if (!s->ranking || !s->is_ranked || !s->order || !s->start || !s->rest || !s->rest_served || !s->current_of)
        return false;
    for (size_t j = 0; j < p->n_jobs; j++) {
        s->start[j + 1] = s->start[j] + p->jobs[j].n_options;
    }
    s->branches = BERTH__ARENA_ARRAY(s->arena, branch, s->start[p->n_jobs]);
    if (s->branches == NULL)
        return false;
    return berth__placement_open(&s->work, p) && berth__placement_open(&s->best, p);
}

static void close_search(search *s) {
    berth__placement_close(&s->work);
    berth__placement_close(&s->best);
    berth__arena_free(s->arena);
}

/* ---- bounds ---- */

static bool may_starve_fewer(const search *s, size_t at) {
    if (!s->problem->options->starve_last || s->others_starved + s->best_starved <= s->run->bound.starved)
        return false;
    double served = s->rest_served[at];
    for (size_t t = 0; t < s->problem->n_types; t++) {
        served += s->run->bound.serve_price[t] * (double)s->work.type_free[t];
    }
    const double more = (double)(s->n - at) - floor(served + 1e-9);
    return (double)s->starved + fmax(more, 0) < (double)s->best_starved;
}

/* Can the jobs from `at` on make it better than the best? `gain`: besides, of the job at hand. */
static bool is_promising(const search *s, size_t at, double gain) {
    const berth__allocate_bound *b = &s->run->bound;
    if (s->problem->options->starve_last && s->starved > s->best_starved)
        return false;
    double bound = s->sum + gain + s->rest[at];
    if (b->starve_price > 0)
        bound += b->starve_price * ((double)s->best_starved - (double)s->starved);
    for (size_t t = 0; t < s->problem->n_types; t++) {
        bound += b->price[t] * (double)s->work.type_free[t];
    }
    return bound > s->best_sum + tolerance * fabs(s->best_sum) || may_starve_fewer(s, at);
}

/* ---- search ---- */

static void descend(search *s, size_t at);

static void take_best(search *s) {
    const bool fewer = s->problem->options->starve_last && s->starved < s->best_starved;
    const bool more = s->problem->options->starve_last && s->starved > s->best_starved;
    if (more || (!fewer && !(s->sum > s->best_sum)))
        return;
    berth__placement_copy(&s->best, &s->work);
    s->is_better = true;
    s->best_sum = s->sum;
    s->best_starved = s->starved;
}

static bool is_spent(search *s) {
    s->steps--;
    if (s->steps <= 0 || (s->steps % POLL == 0 && berth__budget_spent(s->run->budget)))
        s->stopped = true;
    return s->stopped;
}

/* The job's nodes are put. */
static void go_on(search *s, size_t at, const berth__allocate_option *option) {
    const double sum = s->sum;
    const size_t starved = s->starved;
    s->sum += option->weight;
    s->starved += option->gpus == 0;
    if (!is_spent(s) && is_promising(s, at + 1, 0))
        descend(s, at + 1);
    s->sum = sum;
    s->starved = starved;
}

static bool alike(const search *s, size_t a, size_t b) {
    return s->work.free[a] == s->work.free[b] && (s->work.spread[a] == SIZE_MAX) == (s->work.spread[b] == SIZE_MAX) &&
           s->current_of[a] == 0 && s->current_of[b] == 0;
}

/* Nodes of a type, from the k-th on, for what is left of an option on several. */
typedef struct partial {
    const berth__allocate_option *option;
    size_t at, n;
    uint32_t rest;
    berth_node_gpus nodes[BERTH__MOST_NODES];
} partial;

/* GPUs at most on the k-th node, so that of nodes alike the earlier ones have no fewer. */
static uint32_t most_on(const search *s, const partial *part, size_t k) {
    const berth__allocate_problem *p = s->problem;
    const size_t node = p->nodes_of[k], type = part->option->type;
    uint32_t most = s->work.free[node] < part->rest ? s->work.free[node] : part->rest;
    for (size_t i = k; i-- > p->node_start[type];) {
        if (!alike(s, p->nodes_of[i], node))
            continue;
        uint32_t had = 0;
        for (size_t n = 0; n < part->n; n++) {
            had = part->nodes[n].node == p->nodes_of[i] ? part->nodes[n].gpus : had;
        }
        return had < most ? had : most;
    }
    return most;
}

static int by_node(const void *a, const void *b) {
    const berth_node_gpus *x = a, *y = b;
    return x->node < y->node ? -1 : x->node > y->node;
}

static void put_and_go_on(search *s, const partial *part) {
    const size_t job = s->order[part->at];
    partial sorted = *part;
    qsort(sorted.nodes, sorted.n, sizeof *sorted.nodes, by_node);
    berth__placement_put(&s->work, job, sorted.nodes, sorted.n);
    go_on(s, part->at, part->option);
    berth__placement_take(&s->work, job);
}

static void spread_over(search *s, partial *part, size_t k) {
    const berth__allocate_problem *p = s->problem;
    if (part->rest == 0) {
        if (part->n >= part->option->least)
            put_and_go_on(s, part);
        return;
    }
    if (k == p->node_start[part->option->type + 1] || part->n == part->option->most || is_spent(s))
        return;
    const size_t node = p->nodes_of[k];
    uint32_t most = s->work.spread[node] == SIZE_MAX ? most_on(s, part, k) : 0;
    for (; most > 0 && !s->stopped; most--) {
        part->nodes[part->n++] = (berth_node_gpus){node, most};
        part->rest -= most;
        spread_over(s, part, k + 1);
        part->rest += most;
        part->n--;
    }
    if (!s->stopped)
        spread_over(s, part, k + 1);
}

static void put_on_one(search *s, size_t at, const berth__allocate_option *option) {
    const berth__allocate_problem *p = s->problem;
    const size_t job = s->order[at], first = p->node_start[option->type];
    for (size_t k = first; k < p->node_start[option->type + 1] && !s->stopped; k++) {
        const size_t node = p->nodes_of[k];
        bool seen = s->work.free[node] < option->gpus;
        for (size_t i = first; !seen && i < k; i++) {
            seen = alike(s, p->nodes_of[i], node);
        }
        if (seen)
            continue;
        berth__placement_put(&s->work, job, &(berth_node_gpus){node, option->gpus}, 1);
        go_on(s, at, option);
        berth__placement_take(&s->work, job);
    }
}

static void branch_on(search *s, size_t at, const berth__allocate_option *option) {
    const size_t job = s->order[at];
    if (option->gpus == 0 || option->keep) {
        if (option->gpus == 0 || berth__placement_choose(&s->work, job, option)) {
            go_on(s, at, option);
            berth__placement_take(&s->work, job);
        }
    } else if (option->most == 1) {
        put_on_one(s, at, option);
    } else if (s->work.type_free[option->type] >= option->gpus) {
        partial part = {.option = option, .at = at, .rest = option->gpus};
        spread_over(s, &part, s->problem->node_start[option->type]);
    }
}

static void descend(search *s, size_t at) {
    const berth__allocate_problem *p = s->problem;
    if (at == s->n) {
        take_best(s);
        return;
    }
    const size_t job = s->order[at];
    count_current(s, job, false);
    for (size_t k = s->start[job]; k < s->start[job + 1] && !s->stopped; k++) {
        if (!is_promising(s, at + 1, s->branches[k].reduced))
            break; /* the others are no better */
        branch_on(s, at, &p->jobs[job].options[s->branches[k].option]);
    }
    count_current(s, job, true);
}

/* The best for the n jobs in order, which hold nothing in work, better than a sum and a number of starved of theirs. */
static void run_search(search *s, double sum, size_t starved, long steps) {
    s->best_sum = sum;
    s->best_starved = starved;
    s->sum = 0;
    s->starved = 0;
    s->steps = steps;
    s->stopped = s->is_better = false;
    set_order(s);
    for (size_t k = 0; k < s->n; k++) {
        count_current(s, s->order[k], true);
    }
    descend(s, 0);
    for (size_t k = 0; k < s->n; k++) {
        count_current(s, s->order[k], false);
    }
}

berth_status berth__allocate_complete(berth__allocate_run *run, berth_error *error) {
    const berth__allocate_problem *p = run->problem;
    search s = {0};
    const bool prove = p->options->prove;
    if (p->n_jobs > (prove ? MOST_JOBS : FEW_JOBS) || p->n_true_nodes > (prove ? MOST_NODES : FEW_NODES))
        return BERTH_OK;
    if (!open_search(&s, run)) {
        close_search(&s);
        return berth__fail_memory(error);
    }
    run->node_level = true;
    for (s.n = 0; s.n < p->n_jobs; s.n++) {
        s.order[s.n] = s.n;
    }
    run_search(&s, berth__placement_sum(&run->best), berth__placement_starved(&run->best),
               prove ? most_steps : few_steps);
    if (s.is_better)
        berth__allocate_offer(run, &s.best);
    run->is_optimal = !s.stopped;
    close_search(&s);
    return BERTH_OK;
}

/* ---- some jobs at a time ---- */

/* Jobs of a neighbourhood: one, those on its nodes, and others at random. */
static void draw_jobs(search *s, size_t seed_job, size_t n, berth__pcg *stream) {
    const berth__allocate_problem *p = s->problem;
    const int64_t last = (int64_t)p->n_jobs - 1;
    const berth__holding *of = &s->work.holding[seed_job];
    s->n = 0;
    s->order[s->n++] = seed_job;
    for (int tries = 0; tries < 64 && s->n < n; tries++) {
        const size_t j = (size_t)berth__pcg_integer(stream, 0, last);
        const berth__holding *other = &s->work.holding[j];
        bool is_near = tries >= 40, is_in = p->jobs[j].n_options < 2;
        for (size_t a = 0; !is_near && a < of->n; a++) {
            for (size_t b = 0; b < other->n; b++) {
                is_near = is_near || of->nodes[a].node == other->nodes[b].node;
            }
        }
        for (size_t k = 0; k < s->n; k++) {
            is_in = is_in || s->order[k] == j;
        }
        if (is_near && !is_in)
            s->order[s->n++] = j;
    }
}

/* Frees the jobs of a neighbourhood and finds their best. work is a copy of run->best, before and after. True: better.
 */
static bool better_some(search *s, long steps) {
    berth__allocate_run *run = s->run;
    double sum = 0;
    size_t starved = 0;
    for (size_t k = 0; k < s->n; k++) {
        const size_t j = s->order[k];
        sum += berth__placement_option(&s->work, j)->weight;
        starved += s->work.holding[j].n == 0 ? 1 : 0;
    }
    for (size_t k = 0; k < s->n; k++) {
        berth__placement_take(&s->work, s->order[k]);
    }
    s->others_starved = s->all_starved - starved;
    run_search(s, sum, starved, steps);
    const bool better = s->is_better && berth__allocate_offer(run, &s->best);
    for (size_t k = 0; k < s->n; k++) {
        const berth__holding *holding = &run->best.holding[s->order[k]];
        berth__placement_put(&s->work, s->order[k], holding->nodes, holding->n);
    }
    if (better)
        s->all_starved = berth__placement_starved(&run->best);
    return better;
}

berth_status berth__allocate_neighbourhoods(berth__allocate_run *run, bool (*is_enough)(const berth__allocate_run *),
                                            berth_error *error) {
    enum { LEAST = 3, MOST = 6 };
    const berth__allocate_problem *p = run->problem;
    search s = {0};
    berth__pcg stream = berth__pcg_seed(p->options->seed, 0);
    long left = p->options->prove ? 10 * total_steps : total_steps;
    if (p->n_jobs < LEAST)
        return BERTH_OK;
    if (!open_search(&s, run)) {
        close_search(&s);
        return berth__fail_memory(error);
    }
    berth__placement_copy(&s.work, &run->best);
    s.all_starved = berth__placement_starved(&run->best);
    bool enough = is_enough(run);
    while (left > 0 && !enough && !berth__budget_spent(run->budget)) {
        const size_t job = (size_t)berth__pcg_integer(&stream, 0, (int64_t)p->n_jobs - 1);
        left -= 100; /* of drawing */
        if (p->jobs[job].n_options < 2)
            continue;
        draw_jobs(&s, job, (size_t)berth__pcg_integer(&stream, LEAST, MOST), &stream);
        if (better_some(&s, neighbourhood_steps))
            enough = is_enough(run);
        left -= neighbourhood_steps - s.steps;
    }
    close_search(&s);
    return BERTH_OK;
}
