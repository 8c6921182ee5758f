#include "formulations/goodput/choice.h"

#include <stdlib.h>

/* ---- hulls ---- */

/* Appends a point of larger amount to the hull hull[from .. n), which it may bring down to what is above the lines to
 * it. */
static size_t add_to_hull(berth__choice_point *hull, size_t from, size_t n, berth__choice_point point) {
    if (n > from && hull[n - 1].weight >= point.weight)
        return n;
    if (n > from && hull[n - 1].amount >= point.amount)
        n--;
    while (n >= from + 2) {
        const berth__choice_point *a = &hull[n - 2], *b = &hull[n - 1];
        if ((b->weight - a->weight) * (point.amount - a->amount) > (point.weight - a->weight) * (b->amount - a->amount))
            break;
        n--;
    }
    hull[n++] = point;
    return n;
}

static berth__choice_point point_of(const berth__allocate_job *job, size_t option) {
    const berth__allocate_option *o = &job->options[option];
    return (berth__choice_point){o->type, (uint32_t)option, o->gpus, o->weight};
}

/* Where keep goes among the options of its type: before the first of no fewer GPUs. */
static bool keep_is_next(const berth__allocate_job *job, bool kept, uint32_t type, uint32_t gpus) {
    const berth__allocate_option *keep = &job->options[job->keep];
    return !kept && job->keep < job->n_options && (keep->type < type || (keep->type == type && keep->gpus <= gpus));
}

static size_t add_job(const berth__choice *c, const berth__allocate_job *job, bool count_none, bool without_none,
                      berth__choice_point *points) {
    size_t n = 0, from = 0;
    const bool may_none = job->options[0].gpus == 0;
    berth__choice_point none = {0, 0, 0, job->options[0].weight};
    if (may_none && count_none) {
        none.row = (uint32_t)(c->n_rows - 1);
        none.amount = 1;
    }
    const bool has_none = may_none && !(without_none && job->n_options > 1);
    if (has_none)
        points[n++] = none;
    const bool joins = has_none && !count_none && c->n_rows == 1; /* then it is on the only hull */
    from = joins ? 0 : n;
    bool kept = false;
    uint32_t row = UINT32_MAX;
    for (size_t k = job->first; k <= job->n_options; k++) {
        berth__choice_point point;
        const bool end = k == job->n_options;
        if (keep_is_next(job, kept, end ? UINT32_MAX : job->options[k].type, end ? 0 : job->options[k].gpus)) {
            kept = true;
            point = point_of(job, job->keep);
            k--;
        } else if (end) {
            break;
        } else {
            point = point_of(job, k);
        }
        if (point.row != row && !joins)
            from = n;
        row = point.row;
        n = add_to_hull(points, from, n, point);
    }
    return n;
}

bool berth__choice_open(berth__choice *c, const berth__allocate_problem *problem, bool count_none, bool without_none) {
    size_t room = 0;
    *c = (berth__choice){.n_jobs = problem->n_jobs, .n_rows = problem->n_types + count_none};
    c->arena = berth__arena_new();
    if (c->arena == NULL)
        return false;
    for (size_t j = 0; j < c->n_jobs; j++) {
        room += problem->jobs[j].n_options;
    }
    c->start = BERTH__ARENA_ARRAY(c->arena, size_t, c->n_jobs + 1);
    c->points = BERTH__ARENA_ARRAY(c->arena, berth__choice_point, room);
    c->capacity = BERTH__ARENA_ARRAY(c->arena, double, c->n_rows);
    c->price = BERTH__ARENA_ARRAY(c->arena, double, c->n_rows);
    c->key = BERTH__ARENA_ARRAY(c->arena, size_t, c->n_jobs);
    c->split = BERTH__ARENA_ARRAY(c->arena, bool, c->n_jobs);
    if (!c->start || !c->points || !c->capacity || !c->price || !c->key || !c->split)
        return false;
    for (size_t t = 0; t < problem->n_types; t++) {
        c->capacity[t] = (double)problem->capacity[t];
    }
    if (count_none)
        c->capacity[problem->n_types] = (double)c->n_jobs;
    for (size_t j = 0; j < c->n_jobs; j++) {
        c->key[j] = c->start[j];
        c->start[j + 1] =
            c->start[j] + add_job(c, &problem->jobs[j], count_none, without_none, c->points + c->start[j]);
    }
    return true;
}

void berth__choice_close(berth__choice *c) {
    berth__arena_free(c->arena);
    *c = (berth__choice){0};
}

/* ---- one row ---- */

/* From one point of a hull to the next. */
typedef struct step {
    double slope, amount;
    size_t job, point;
} step;

static int by_slope(const void *a, const void *b) {
    const step *x = a, *y = b;
    if (x->slope != y->slope)
        return x->slope > y->slope ? -1 : 1;
    return x->point < y->point ? -1 : x->point > y->point;
}

bool berth__choice_sweep(berth__choice *c) {
    double room = c->capacity[0];
    size_t n = 0;
    step *steps = BERTH__NEW_ARRAY(step, c->start[c->n_jobs]);
    if (steps == NULL)
        return false;
    for (size_t j = 0; j < c->n_jobs; j++) {
        c->key[j] = c->start[j];
        c->split[j] = false;
        room -= c->points[c->start[j]].amount;
        for (size_t k = c->start[j] + 1; k < c->start[j + 1]; k++) {
            const double amount = c->points[k].amount - c->points[k - 1].amount;
            steps[n++] = (step){(c->points[k].weight - c->points[k - 1].weight) / amount, amount, j, k};
        }
    }
    if (n > 0)
        qsort(steps, n, sizeof *steps, by_slope);
    c->price[0] = 0;
    c->is_optimal = room >= 0;
    for (size_t k = 0; k < n; k++) {
        if (steps[k].amount > room) {
            c->price[0] = steps[k].slope;
            c->split[steps[k].job] = room > 0;
            break;
        }
        room -= steps[k].amount;
        c->key[steps[k].job] = steps[k].point;
    }
    berth__free(steps);
    return true;
}
