/* Any rows of capacity: choice.h as columns of the simplex method with implicit rows. */
#include <math.h>
#include <string.h>

#include "formulations/goodput/choice.h"
#include "formulations/goodput/implicit.h"

enum { BLOCK = 64 /* jobs priced at a time */ };

struct berth__choice_basis {
    berth__implicit simplex; /* a column is a point */
    const berth__choice *choice;
    size_t at; /* job where pricing goes on */
};

static void add_point(const void *user, size_t point, double sign, double *out) {
    const berth__choice_point *p = &((const struct berth__choice_basis *)user)->choice->points[point];
    out[p->row] += sign * p->amount;
}

static double weight_of(const void *user, size_t point) {
    return ((const struct berth__choice_basis *)user)->choice->points[point].weight;
}

static double worth(const berth__choice_point *p, const double *price) {
    return p->weight - price[p->row] * p->amount;
}

/* The best of the next block of jobs that has one. */
static bool choose(void *user, const double *price, bool changed, double tolerance, size_t *col, size_t *job) {
    struct berth__choice_basis *b = user;
    const berth__choice *c = b->choice;
    double best = tolerance;
    (void)changed;
    for (size_t seen = 0; seen < c->n_jobs && best <= tolerance;) {
        for (size_t k = 0; k < BLOCK && seen < c->n_jobs; k++, seen++) {
            const size_t j = b->at;
            const double now = worth(&c->points[c->key[j]], price);
            b->at = j + 1 < c->n_jobs ? j + 1 : 0;
            for (size_t p = c->start[j]; p < c->start[j + 1]; p++) {
                const double gain = worth(&c->points[p], price) - now;
                if (gain > best) {
                    best = gain;
                    *col = p;
                    *job = j;
                }
            }
        }
    }
    return best > tolerance;
}

/* False: out of memory. */
static bool open_basis(berth__choice *choice) {
    struct berth__choice_basis *b = BERTH__ARENA_ARRAY(choice->arena, struct berth__choice_basis, 1);
    if (b == NULL)
        return false;
    *b = (struct berth__choice_basis){.choice = choice};
    const berth__implicit_columns columns = {b, add_point, weight_of, choose};
    if (!berth__implicit_open(&b->simplex, choice->arena, choice->n_rows, choice->n_jobs, columns))
        return false;
    b->simplex.capacity = choice->capacity;
    b->simplex.key = choice->key;
    choice->basis = b;
    return true;
}

bool berth__choice_simplex(berth__choice *choice, const berth__budget *budget) {
    if (choice->basis == NULL && !open_basis(choice))
        return false;
    berth__implicit *b = &choice->basis->simplex;
    berth__implicit_run(b, budget);
    choice->pivots = b->pivots;
    choice->is_optimal = b->is_optimal;
    for (size_t r = 0; r < b->n_rows; r++) {
        choice->price[r] = fmax(b->price[r], 0);
    }
    memset(choice->split, 0, choice->n_jobs * sizeof *choice->split);
    for (size_t i = 0; i < b->n_rows; i++) {
        if (b->set[i] != SIZE_MAX && b->x[i] > 1e-9)
            choice->split[b->set[i]] = true;
    }
    return true;
}
