#include "formulations/goodput/pieces.h"

#include <math.h>

static void set_left(berth__pieces *q) {
    const berth__allocate_problem *p = q->problem;
    for (size_t n = 0; n < p->n_nodes; n++) {
        q->left[n] = p->gpus[n];
    }
    for (size_t j = 0; j < p->n_jobs; j++) {
        const berth_goodput_job *given = &p->instance->jobs[j];
        for (size_t k = 0; p->jobs[j].pinned && k < given->n_current; k++) {
            q->left[given->current[k].node] -= given->current[k].gpus;
        }
    }
}

static void set_reach(berth__pieces *q) {
    const berth__allocate_problem *p = q->problem;
    for (size_t j = 0; j < p->n_jobs; j++) {
        for (size_t k = 0; !p->jobs[j].pinned && k < p->jobs[j].n_options; k++) {
            const berth__allocate_option *o = &p->jobs[j].options[k];
            const uint32_t gpus = o->keep ? 1 : o->gpus; /* what it keeps is known by its pieces */
            const uint16_t most = o->keep ? 2 : o->most;
            if (o->gpus == 0 || o->most < 2)
                continue;
            q->reach[o->type] = gpus > q->reach[o->type] ? gpus : q->reach[o->type];
            q->most[o->type] = most > q->most[o->type] ? most : q->most[o->type];
        }
    }
}

berth__pieces *berth__pieces_new(const berth__allocate_problem *p, berth__arena *arena) {
    berth__pieces *q = BERTH__ARENA_ARRAY(arena, berth__pieces, 1);
    if (q == NULL)
        return NULL;
    q->problem = p;
    for (size_t t = 0; t < p->n_types; t++) {
        q->n_sizes = p->largest[t] > q->n_sizes ? p->largest[t] : q->n_sizes;
    }
    q->local = BERTH__ARENA_ARRAY(arena, double, p->n_types * q->n_sizes);
    q->spread = BERTH__ARENA_ARRAY(arena, double, p->n_types * q->n_sizes);
    q->worth = BERTH__ARENA_ARRAY(arena, double, p->n_types *(q->n_sizes + 1));
    q->left = BERTH__ARENA_ARRAY(arena, uint32_t, p->n_nodes);
    q->reach = BERTH__ARENA_ARRAY(arena, uint32_t, p->n_types);
    q->most = BERTH__ARENA_ARRAY(arena, uint16_t, p->n_types);
    q->least_of = BERTH__ARENA_ARRAY(arena, double *, p->n_types);
    if (!q->local || !q->spread || !q->worth || !q->left || !q->reach || !q->most || !q->least_of)
        return NULL;
    set_left(q);
    set_reach(q);
    for (size_t t = 0; t < p->n_types; t++) {
        q->least_of[t] = BERTH__ARENA_ARRAY(arena, double, (BERTH__MOST_NODES + 1) * ((size_t)q->reach[t] + 1));
        if (q->least_of[t] == NULL)
            return NULL;
    }
    return q;
}

/* ---- costs ---- */

static double least_cost(const berth__pieces *q, size_t type, size_t n, uint32_t gpus) {
    return q->least_of[type][n * ((size_t)q->reach[type] + 1) + gpus];
}

/* By the number of pieces: the last of k GPUs, the others at the least cost of what remains. */
static void set_costs(berth__pieces *q, size_t type) {
    const size_t width = (size_t)q->reach[type] + 1;
    const uint32_t largest = q->problem->largest[type];
    const double *price = q->spread + type * q->n_sizes;
    double *least = q->least_of[type];
    for (size_t k = 0; k < width; k++) {
        least[k] = (double)INFINITY;
        least[width + k] = k >= 1 && k <= largest ? price[k - 1] : (double)INFINITY;
    }
    for (size_t n = 2; n <= q->most[type]; n++) {
        const double *fewer = least + (n - 1) * width;
        for (size_t k = 0; k < width; k++) {
            double best = (double)INFINITY;
            for (size_t last = 1; last <= largest && last < k; last++) {
                const double cost = fewer[k - last] + price[last - 1];
                best = cost < best ? cost : best;
            }
            least[n * width + k] = best;
            least[k] = best < least[k] ? best : least[k];
        }
    }
}

static double cost_of_keep(const berth__pieces *q, size_t job, const berth__allocate_option *o) {
    const berth_goodput_job *given = &q->problem->instance->jobs[job];
    const double *price = (given->n_current > 1 ? q->spread : q->local) + o->type * q->n_sizes;
    double cost = 0;
    for (size_t k = 0; k < given->n_current; k++) {
        cost += price[given->current[k].gpus - 1];
    }
    return cost;
}

double berth__pieces_cost(const berth__pieces *q, size_t job, const berth__allocate_option *o) {
    if (o->gpus == 0)
        return q->starve_price;
    if (o->keep)
        return cost_of_keep(q, job, o);
    if (o->most == 1)
        return q->local[o->type * q->n_sizes + o->gpus - 1];
    if (o->least == 2 && o->most == q->most[o->type])
        return least_cost(q, o->type, 0, o->gpus);
    double best = (double)INFINITY;
    for (size_t n = o->least; n <= o->most; n++) {
        best = fmin(best, least_cost(q, o->type, n, o->gpus));
    }
    return best;
}

size_t berth__pieces_of(const berth__pieces *q, size_t job, const berth__allocate_option *o,
                        uint32_t sizes[BERTH__MOST_NODES]) {
    const berth_goodput_job *given = &q->problem->instance->jobs[job];
    for (size_t k = 0; o->keep && k < given->n_current; k++) {
        sizes[k] = given->current[k].gpus;
    }
    if (o->keep)
        return given->n_current;
    sizes[0] = o->gpus;
    if (o->most < 2)
        return o->gpus > 0 ? 1 : 0;
    size_t n = o->least;
    for (size_t more = n + 1; more <= o->most; more++) {
        n = least_cost(q, o->type, more, o->gpus) < least_cost(q, o->type, n, o->gpus) ? more : n;
    }
    const double *price = q->spread + o->type * q->n_sizes;
    uint32_t rest = o->gpus;
    for (size_t k = n; k > 1; k--) { /* the largest of those that lead to the least cost */
        uint32_t best = 0;
        double least = (double)INFINITY;
        for (uint32_t last = q->problem->largest[o->type]; last > 0; last--) {
            const double cost =
                last < rest ? least_cost(q, o->type, k - 1, rest - last) + price[last - 1] : (double)INFINITY;
            if (cost < least) {
                least = cost;
                best = last;
            }
        }
        sizes[n - k] = best;
        rest -= best;
    }
    sizes[n - 1] = rest;
    return n;
}

/* ---- nodes ---- */

static void set_worth(berth__pieces *q, size_t type) {
    double *worth = q->worth + type * (q->n_sizes + 1);
    const double *price = q->local + type * q->n_sizes;
    for (uint32_t r = 1; r <= q->problem->largest[type]; r++) {
        worth[r] = worth[r - 1];
        for (uint32_t k = 1; k <= r; k++) {
            worth[r] = fmax(worth[r], price[k - 1] + worth[r - k]);
        }
    }
}

double berth__pieces_worth(const berth__pieces *q, size_t type, uint32_t gpus) {
    const double *worth = q->worth + type * (q->n_sizes + 1), *price = q->spread + type * q->n_sizes;
    double best = worth[gpus];
    for (uint32_t k = 1; q->reach[type] > 0 && k <= gpus; k++) {
        best = fmax(best, price[k - 1] + worth[gpus - k]);
    }
    return best;
}

uint32_t berth__pieces_pattern(const berth__pieces *q, size_t type, uint32_t gpus, uint32_t *local) {
    const double *worth = q->worth + type * (q->n_sizes + 1);
    const double *of_local = q->local + type * q->n_sizes, *of_spread = q->spread + type * q->n_sizes;
    uint32_t spread = 0;
    double best = worth[gpus];
    for (size_t k = 0; k < q->n_sizes; k++) {
        local[k] = 0;
    }
    for (uint32_t k = 1; q->reach[type] > 0 && k <= gpus; k++) {
        if (of_spread[k - 1] + worth[gpus - k] > best) {
            best = of_spread[k - 1] + worth[gpus - k];
            spread = k;
        }
    }
    for (uint32_t rest = gpus - spread; rest > 0;) {
        uint32_t taken = 0; /* the same sums as above, so that one is equal; none: a GPU is left over */
        for (uint32_t k = rest; k > 0 && taken == 0; k--) {
            taken = of_local[k - 1] + worth[rest - k] >= worth[rest] ? k : 0;
        }
        if (taken > 0)
            local[taken - 1]++;
        rest -= taken > 0 ? taken : 1;
    }
    return spread;
}

void berth__pieces_update(berth__pieces *q, size_t type) {
    set_worth(q, type);
    set_costs(q, type);
}

/* ---- bound ---- */

void berth__pieces_settle(berth__pieces *q) {
    const berth__allocate_problem *p = q->problem;
    q->base = q->terms = 0;
    for (size_t k = 0; k < p->n_true_nodes; k++) {
        const size_t node = p->nodes_of[k];
        q->base += berth__pieces_worth(q, p->type[node], q->left[node]);
    }
    q->terms = q->base;
    for (size_t j = 0; j < p->n_jobs; j++) {
        const berth__allocate_job *job = &p->jobs[j];
        double best = job->pinned ? job->options[0].weight : -(double)INFINITY, cost = 0;
        for (size_t k = 0; !job->pinned && k < job->n_options; k++) {
            const double costs = berth__pieces_cost(q, j, &job->options[k]), worth = job->options[k].weight - costs;
            cost = worth > best ? costs : cost;
            best = fmax(best, worth);
        }
        q->base += best;
        q->terms += fabs(best) + cost;
    }
}
