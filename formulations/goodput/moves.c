#include "formulations/goodput/moves.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_weight(const void *a, const void *b) {
    const berth__ranked *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    if (x->gpus != y->gpus)
        return x->gpus < y->gpus ? -1 : 1;
    return x->option < y->option ? -1 : x->option > y->option;
}

/* Of nodes in moves of two, about. */
static const double most_visits = 1e8;

enum { POLL = 256 };

/* Jobs without GPUs come last with starve_last, whatever they weigh. */
static void rank(const berth__moves *m, size_t job) {
    const berth__allocate_problem *p = m->run->problem;
    const size_t n = p->jobs[job].n_options;
    for (size_t k = 0; k < n; k++) {
        const berth__allocate_option *o = &p->jobs[job].options[k];
        const bool last = o->gpus == 0 && p->options->starve_last;
        m->list[k] = (berth__ranked){last ? -(double)INFINITY : o->weight, o->gpus, (uint32_t)k};
    }
    qsort(m->list, n, sizeof *m->list, by_weight);
    for (size_t k = 0; k < n; k++) {
        m->ranked[m->start[job] + k] = m->list[k].option;
    }
    m->is_ranked[job] = true;
}

bool berth__moves_open(berth__moves *m, const berth__allocate_run *run) {
    const berth__allocate_problem *p = run->problem;
    const long tries = 4000 + 4 * (long)p->n_jobs, most = (long)(most_visits / (double)(p->n_nodes + 1));
    *m = (berth__moves){.run = run, .tries = tries < most ? tries : most, .arena = berth__arena_new()};
    if (m->arena == NULL)
        return false;
    m->start = BERTH__ARENA_ARRAY(m->arena, size_t, p->n_jobs + 1);
    m->regretted = BERTH__ARENA_ARRAY(m->arena, berth__regretted, p->n_jobs);
    if (m->start == NULL || m->regretted == NULL)
        return false;
    size_t most_options = 0;
    for (size_t j = 0; j < p->n_jobs; j++) {
        m->start[j + 1] = m->start[j] + p->jobs[j].n_options;
        most_options = p->jobs[j].n_options > most_options ? p->jobs[j].n_options : most_options;
    }
    m->ranked = BERTH__ARENA_ARRAY(m->arena, uint32_t, m->start[p->n_jobs]);
    m->is_ranked = BERTH__ARENA_ARRAY(m->arena, bool, p->n_jobs);
    m->list = BERTH__ARENA_ARRAY(m->arena, berth__ranked, most_options);
    return m->ranked != NULL && m->is_ranked != NULL && m->list != NULL;
}

void berth__moves_close(berth__moves *m) {
    berth__arena_free(m->arena);
    *m = (berth__moves){0};
}

/* ---- one job ---- */

static const berth__allocate_option *option_at(const berth__moves *m, size_t job, size_t place) {
    if (!m->is_ranked[job])
        rank(m, job);
    return &m->run->problem->jobs[job].options[m->ranked[m->start[job] + place]];
}

/* What a job is worth: starvation counted apart. */
typedef struct worth {
    double weight;
    size_t starved;
} worth;

static worth worth_of(const berth__placement *p, size_t job) {
    const berth__allocate_option *o = berth__placement_option(p, job);
    const bool counts = p->problem->options->starve_last && p->holding[job].n == 0;
    return (worth){o != NULL ? o->weight : p->problem->none_weight, counts};
}

static bool is_better(worth a, worth b) {
    return a.starved != b.starved ? a.starved < b.starved : a.weight > b.weight + 1e-13 * fabs(b.weight);
}

static worth plus(worth a, worth b) {
    return (worth){a.weight + b.weight, a.starved + b.starved};
}

/* GPUs that are free in all, by type: what cannot fit is not looked for. */
static bool has_room(const berth__placement *p, const berth__allocate_option *o) {
    return p->type_free[o->type] >= o->gpus;
}

/* The best option for a job that holds nothing. */
static void choose_best(const berth__moves *m, berth__placement *p, size_t job) {
    const berth__allocate_job *of = &p->problem->jobs[job];
    for (size_t k = 0; k < of->n_options; k++) {
        const berth__allocate_option *o = option_at(m, job, k);
        if (has_room(p, o) && berth__placement_choose(p, job, o))
            return;
    }
}

/* What a job held, to give it back. */
typedef struct held {
    size_t n;
    berth_node_gpus nodes[BERTH__MOST_NODES];
} held;

static held take(berth__placement *p, size_t job) {
    held was;
    was.n = p->holding[job].n;
    memcpy(was.nodes, p->holding[job].nodes, was.n * sizeof *was.nodes);
    berth__placement_take(p, job);
    return was;
}

static void restore(berth__placement *p, size_t job, const held *was) {
    berth__placement_take(p, job);
    berth__placement_put(p, job, was->nodes, was->n);
}

/* To the best option that fits where the job's own GPUs are free. */
static bool move_one(const berth__moves *m, berth__placement *p, size_t job) {
    const worth before = worth_of(p, job);
    const held was = take(p, job);
    choose_best(m, p, job);
    if (is_better(worth_of(p, job), before))
        return true;
    restore(p, job, &was);
    return false;
}

static bool move_each(const berth__moves *m, berth__placement *p) {
    bool moved = false;
    for (size_t j = 0; j < p->problem->n_jobs && !berth__budget_spent(m->run->budget); j++) {
        if (p->problem->jobs[j].n_options > 1 && move_one(m, p, j))
            moved = true;
    }
    return moved;
}

/* ---- two jobs ---- */

/* Options for the first of two: those that fit and are better than its own, the best first, or, where it has none, of
 * each type that of fewest GPUs. */
static const berth__allocate_option *next_for(const berth__moves *m, const berth__placement *p, size_t job, worth own,
                                              size_t *k) {
    const berth__allocate_job *of = &p->problem->jobs[job];
    while (own.starved && of->first + *k < of->n_options) {
        const berth__allocate_option *o = &of->options[of->first + *k];
        const bool is_first = *k == 0 || o[-1].type != o->type;
        ++*k;
        if (is_first && has_room(p, o))
            return o;
    }
    while (!own.starved && *k < of->n_options) {
        const berth__allocate_option *o = option_at(m, job, (*k)++);
        const worth would = {o->weight, p->problem->options->starve_last && o->gpus == 0};
        if (!is_better(would, own))
            break;
        if (has_room(p, o))
            return o;
    }
    return NULL;
}

/* The first to a few better options in turn, the second to the best that is left. */
static bool move_two(berth__moves *m, berth__placement *p, size_t first, size_t second) {
    enum { FEW = 3 };
    const worth own = worth_of(p, first), before = plus(own, worth_of(p, second));
    const held a = take(p, first), b = take(p, second);
    const berth__allocate_option *o;
    size_t k = 0;
    for (int placed = 0; placed < FEW && (o = next_for(m, p, first, own, &k)) != NULL;) {
        if (!berth__placement_choose(p, first, o))
            continue;
        placed++;
        choose_best(m, p, second);
        m->tries--;
        if (is_better(plus(worth_of(p, first), worth_of(p, second)), before))
            return true;
        berth__placement_take(p, first);
        berth__placement_take(p, second);
    }
    restore(p, first, &a);
    restore(p, second, &b);
    m->tries--;
    return false;
}

/* How far a job is from what the prices would give it. */
static double regret(const berth__moves *m, const berth__placement *p, size_t job) {
    const berth__allocate_job *of = &p->problem->jobs[job];
    const berth__allocate_option *now = berth__placement_option(p, job);
    if (now == NULL || of->pinned)
        return 0;
    double best = -(double)INFINITY;
    for (size_t k = 0; k < of->n_options; k++) {
        best = fmax(best, of->options[k].weight - berth__allocate_cost(m->run, job, &of->options[k]));
    }
    return best - (now->weight - berth__allocate_cost(m->run, job, now));
}

static int by_regret(const void *a, const void *b) {
    const berth__regretted *x = a, *y = b;
    if (x->regret != y->regret)
        return x->regret > y->regret ? -1 : 1;
    return x->job < y->job ? -1 : x->job > y->job;
}

/* Those that the prices treat worst, with all others. */
static bool move_pairs(berth__moves *m, berth__placement *p) {
    const size_t n = p->problem->n_jobs;
    bool moved = false;
    berth__regretted *list = m->regretted;
    for (size_t j = 0; j < n; j++) {
        if (j % POLL == 0 && berth__budget_spent(m->run->budget))
            return false;
        const bool starved = p->problem->options->starve_last && p->holding[j].n == 0;
        list[j] = (berth__regretted){starved ? (double)INFINITY : regret(m, p, j), j};
    }
    qsort(list, n, sizeof *list, by_regret);
    for (size_t k = 0; k < n && m->tries > 0; k++) {
        const size_t first = list[k].job;
        if (p->problem->jobs[first].n_options < 2)
            continue;
        for (size_t i = 0; i < n && m->tries > 0; i++) {
            const size_t second = list[n - 1 - i].job;
            if (berth__budget_spent(m->run->budget))
                return false;
            if (second != first && p->problem->jobs[second].n_options > 1 && move_two(m, p, first, second)) {
                moved = true;
                break;
            }
        }
    }
    return moved;
}

/* ---- jobs without GPUs ---- */

/* The starved first on as few GPUs as it can, the second on the best that is left; what both weigh then, or -INFINITY
 * where one of them is without. `stay`: leave them so. */
static double share(berth__moves *m, berth__placement *p, size_t first, size_t second, bool stay) {
    const worth own = worth_of(p, first);
    const held b = take(p, second);
    const berth__allocate_option *o;
    double best = -(double)INFINITY;
    for (size_t k = 0; (o = next_for(m, p, first, own, &k)) != NULL;) {
        if (!berth__placement_choose(p, first, o))
            continue;
        choose_best(m, p, second);
        m->tries--;
        const worth both = plus(worth_of(p, first), worth_of(p, second));
        if (both.starved == 0)
            best = fmax(best, both.weight);
        if (stay && both.starved == 0)
            return best;
        berth__placement_take(p, first);
        berth__placement_take(p, second);
    }
    restore(p, second, &b);
    return best;
}

/* What a starved job on as few GPUs as it can and another, on what that leaves of its own, would gain together, as far
 * as numbers of GPUs tell; -INFINITY: nothing to share. O(options). */
static double hope(const berth__placement *p, size_t first, size_t second) {
    const berth__allocate_job *one = &p->problem->jobs[first], *two = &p->problem->jobs[second];
    const berth__allocate_option *now = berth__placement_option(p, second);
    const berth__allocate_option *least = NULL;
    double best = -(double)INFINITY;
    if (now == NULL || now->gpus < 2)
        return best;
    for (size_t k = one->first; k < one->n_options && least == NULL; k++) {
        if (one->options[k].type == now->type)
            least = &one->options[k];
    }
    const uint64_t room = now->gpus + p->type_free[now->type];
    for (size_t k = two->first; least != NULL && k < two->n_options; k++) {
        const berth__allocate_option *o = &two->options[k];
        if (o->type == now->type && (uint64_t)o->gpus + least->gpus <= room)
            best = fmax(best, o->weight);
    }
    return best + (least != NULL ? least->weight : 0) - now->weight;
}

/* Each job without GPUs takes some from the one that loses least, among those of whom most is hoped. */
static bool feed(berth__moves *m, berth__placement *p) {
    enum { MOST_TRIED = 16 };
    const size_t n = p->problem->n_jobs;
    bool moved = false;
    for (size_t j = 0; j < n && m->tries > 0; j++) {
        double best = -(double)INFINITY;
        size_t from = SIZE_MAX, n_others = 0;
        if (p->holding[j].n > 0 || p->problem->jobs[j].n_options < 2)
            continue;
        if (berth__budget_spent(m->run->budget))
            return false;
        for (size_t i = 0; i < n; i++) {
            const double gain = p->problem->jobs[i].n_options < 2 ? -(double)INFINITY : hope(p, j, i);
            if (isfinite(gain))
                m->regretted[n_others++] = (berth__regretted){gain, i};
        }
        if (n_others > 0)
            qsort(m->regretted, n_others, sizeof *m->regretted, by_regret);
        for (size_t k = 0, found = 0; k < n_others && found < MOST_TRIED && m->tries > 0; k++) {
            if (berth__budget_spent(m->run->budget))
                return false;
            const size_t i = m->regretted[k].job;
            const double gain = share(m, p, j, i, false) - worth_of(p, i).weight;
            if (isfinite(gain))
                found++;
            if (gain > best) {
                best = gain;
                from = i;
            }
        }
        if (from != SIZE_MAX && isfinite(share(m, p, j, from, true)))
            moved = true;
    }
    return moved;
}

void berth__moves_climb(berth__moves *m, berth__placement *p) {
    const long tries = m->tries;
    if (p->problem->options->starve_last)
        feed(m, p);
    m->tries = tries;
    do {
        while (move_each(m, p)) {
        }
    } while (m->tries > 0 && p->problem->n_jobs > 1 && move_pairs(m, p));
}
