#include "formulations/goodput/training.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"

/* Before rounding up. */
static const double tiny = 1e-8;

/* ---- cells ---- */

static int compare_cells(const void *a, const void *b) {
    const berth__measured_cell *x = a, *y = b;
    if (x->nodes != y->nodes)
        return x->nodes < y->nodes ? -1 : 1;
    if (x->replicas != y->replicas)
        return x->replicas < y->replicas ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

/* One cell a placement, sorted; then those of equal size are one. */
static void make_cells(berth__measured *measured) {
    const berth_application *app = measured->application;
    for (size_t k = 0; k < app->n_placements; k++)
        measured->cells[k] =
            (berth__measured_cell){app->placements[k].nodes, app->placements[k].replicas, .first = k, .n = 1};
    qsort(measured->cells, app->n_placements, sizeof *measured->cells, compare_cells);
    for (size_t k = 0; k < app->n_placements; k++) {
        const berth__measured_cell cell = measured->cells[k];
        measured->order[k] = cell.first;
        berth__measured_cell *last = measured->n_cells > 0 ? &measured->cells[measured->n_cells - 1] : NULL;
        if (last && last->nodes == cell.nodes && last->replicas == cell.replicas)
            last->n++;
        else
            measured->cells[measured->n_cells++] = (berth__measured_cell){cell.nodes, cell.replicas, k, 1};
    }
}

berth_status berth__measured_init(berth__measured *measured, const berth_application *application, berth_error *error) {
    *measured = (berth__measured){.application = application,
                                  .cells = BERTH__NEW_ARRAY(berth__measured_cell, application->n_placements),
                                  .order = BERTH__NEW_ARRAY(size_t, application->n_placements),
                                  .target = BERTH__NEW_ARRAY(double, application->epochs + 1)};
    if (!measured->cells || !measured->order || !measured->target) {
        berth__measured_clear(measured);
        return berth__fail_memory(error);
    }
    make_cells(measured);
    for (size_t e = 0; e < application->epochs; e++) {
        double least = (double)INFINITY;
        for (size_t k = 0; k < application->n_trainings; k++)
            least = fmin(least, application->trainings[k].progress[e]);
        measured->target[e + 1] = least;
    }
    return BERTH_OK;
}

void berth__measured_clear(berth__measured *measured) {
    berth__free(measured->cells);
    berth__free(measured->order);
    berth__free(measured->target);
    *measured = (berth__measured){0};
}

/* ---- step times ---- */

static berth__step_time between(berth__step_time a, berth__step_time b, double part) {
    return (berth__step_time){a.step_s + (b.step_s - a.step_s) * part, a.sync_s + (b.sync_s - a.sync_s) * part};
}

static berth__step_time measured_at(const berth_measured_placement *p, size_t k) {
    return (berth__step_time){p->step_s[k], p->sync_s[k]};
}

static berth__step_time time_of_placement(const berth_measured_placement *p, uint32_t local) {
    size_t k = 0;
    while (k < p->n && p->local[k] < local)
        k++;
    if (k == p->n) {
        const double longer = (double)local / p->local[p->n - 1];
        const berth__step_time last = measured_at(p, p->n - 1);
        return (berth__step_time){last.step_s * longer, last.sync_s * longer};
    }
    if (k == 0 || p->local[k] == local)
        return measured_at(p, k);
    return between(measured_at(p, k - 1), measured_at(p, k),
                   (double)(local - p->local[k - 1]) / (p->local[k] - p->local[k - 1]));
}

static const berth_measured_placement *placement_of(const berth__measured *measured, const berth__measured_cell *cell,
                                                    size_t k) {
    return &measured->application->placements[measured->order[cell->first + k]];
}

static berth__step_time mean_of_cell(const berth__measured *measured, const berth__measured_cell *cell,
                                     uint32_t local) {
    berth__step_time sum = {0};
    for (size_t k = 0; k < cell->n; k++) {
        const berth__step_time time = time_of_placement(placement_of(measured, cell, k), local);
        sum.step_s += time.step_s;
        sum.sync_s += time.sync_s;
    }
    return (berth__step_time){sum.step_s / (double)cell->n, sum.sync_s / (double)cell->n};
}

/* Is a ring the other, begun elsewhere? */
static bool is_rotation(const uint32_t *a, const uint32_t *b, size_t n) {
    for (size_t from = 0; from < n; from++) {
        size_t k = 0;
        while (k < n && a[k] == b[(from + k) % n])
            k++;
        if (k == n)
            return true;
    }
    return false;
}

/* The cells on so many nodes: [*first, *end). */
static void row_of(const berth__measured *measured, uint32_t nodes, size_t *first, size_t *end) {
    size_t k = 0;
    while (k < measured->n_cells && measured->cells[k].nodes < nodes)
        k++;
    *first = k;
    while (k < measured->n_cells && measured->cells[k].nodes == nodes)
        k++;
    *end = k;
}

/* Linear between the numbers of replicas measured on so many nodes, of which there are some. */
static berth__step_time time_in_row(const berth__measured *measured, uint32_t nodes, double replicas, uint32_t local) {
    size_t k, end;
    row_of(measured, nodes, &k, &end);
    while (k + 1 < end && measured->cells[k + 1].replicas <= replicas)
        k++;
    const berth__measured_cell *cell = &measured->cells[k];
    const berth__step_time here = mean_of_cell(measured, cell, local);
    if (k + 1 == end || replicas <= cell->replicas)
        return here;
    const double part = (replicas - cell->replicas) / (cell[1].replicas - cell->replicas);
    return between(here, mean_of_cell(measured, cell + 1, local), part);
}

static berth__step_time time_between_rows(const berth__measured *measured, uint32_t nodes, uint32_t replicas,
                                          uint32_t local) {
    const uint32_t least = measured->cells[0].nodes, most = measured->cells[measured->n_cells - 1].nodes;
    if (nodes <= least || nodes >= most)
        return time_in_row(measured, nodes <= least ? least : most, replicas, local);
    size_t k = 0;
    while (measured->cells[k].nodes <= nodes)
        k++;
    const uint32_t below = measured->cells[k - 1].nodes, above = measured->cells[k].nodes;
    const berth__step_time low = time_in_row(measured, below, (double)replicas * below / nodes, local);
    if (below == nodes)
        return low;
    const berth__step_time high = time_in_row(measured, above, (double)replicas * above / nodes, local);
    return between(low, high, (double)(nodes - below) / (above - below));
}

berth__step_time berth__measured_time(const berth__measured *measured, size_t nodes, const uint32_t *gpus,
                                      uint32_t local) {
    uint32_t replicas = 0;
    for (size_t k = 0; k < nodes; k++)
        replicas += gpus[k];
    size_t c, end;
    row_of(measured, (uint32_t)nodes, &c, &end);
    while (c < end && measured->cells[c].replicas < replicas)
        c++;
    if (c < end && measured->cells[c].replicas == replicas) {
        const berth__measured_cell *cell = &measured->cells[c];
        for (size_t k = 0; k < cell->n; k++) {
            const berth_measured_placement *p = placement_of(measured, cell, k);
            if (p->gpus && is_rotation(p->gpus, gpus, nodes))
                return time_of_placement(p, local);
        }
        return mean_of_cell(measured, cell, local);
    }
    return time_between_rows(measured, (uint32_t)nodes, replicas, local);
}

enum { MOST_RING = 64 };

berth__step_time berth__measured_time_packed(const berth__measured *measured, uint32_t most, uint32_t replicas,
                                             uint32_t local) {
    uint32_t ring[MOST_RING];
    const uint32_t nodes = (replicas + most - 1) / most;
    if (nodes > MOST_RING)
        return time_between_rows(measured, nodes, replicas, local);
    for (uint32_t k = 0; k < nodes; k++)
        ring[k] = k + 1 < nodes ? most : replicas - most * (nodes - 1);
    return berth__measured_time(measured, nodes, ring, local);
}

berth__step_time berth__at_speed(berth__step_time time, double speed) {
    time.step_s = time.sync_s + (time.step_s - time.sync_s) / speed;
    return time;
}

/* ---- noise ---- */

/* The trainings between which a batch lies, the same twice where it is one's or beyond them. */
static void bracket(const berth_application *app, double batch, size_t *low, size_t *high) {
    size_t k = 0;
    while (k + 1 < app->n_trainings && app->trainings[k].batch < batch)
        k++;
    *high = k;
    *low = k > 0 && app->trainings[k].batch > batch ? k - 1 : k;
}

static double weigh(const berth_application *app, double batch, size_t low, size_t high, double a, double b) {
    if (low == high)
        return a;
    const double from = app->trainings[low].batch, to = app->trainings[high].batch;
    return ((batch - from) * b + (to - batch) * a) / (to - from);
}

void berth__measured_noise(const berth__measured *measured, double batch, size_t epoch, double *grad_sqr,
                           double *grad_var) {
    const berth_application *app = measured->application;
    size_t low, high;
    bracket(app, batch, &low, &high);
    const berth_measured_training *a = &app->trainings[low], *b = &app->trainings[high];
    *grad_sqr = weigh(app, batch, low, high, a->grad_sqr[epoch], b->grad_sqr[epoch]);
    *grad_var = weigh(app, batch, low, high, a->grad_var[epoch], b->grad_var[epoch]);
}

double berth__measured_iterations(const berth__measured *measured, double batch, size_t epoch) {
    const berth_application *app = measured->application;
    size_t low, high;
    bracket(app, batch, &low, &high);
    return weigh(app, batch, low, high, app->trainings[low].iterations[epoch], app->trainings[high].iterations[epoch]);
}

double berth__gain(double grad_sqr, double grad_var, double scale) {
    return (grad_var + grad_sqr) / (grad_var / scale + grad_sqr);
}

/* ---- batches ---- */

void berth__split_batch(const berth_application *app, double batch, uint32_t replicas, uint32_t *local,
                        uint32_t *accumulation) {
    const double each = ceil(batch / replicas - tiny);
    double steps = app->accumulation ? ceil(each / app->max_local - tiny) - 1 : 0;
    if (app->accumulation && replicas == 1 && batch > app->m0)
        steps = fmax(steps, 1);
    const double m = fmin(ceil(each / (steps + 1) - tiny), floor(app->max_batch / (replicas * (steps + 1))));
    *local = (uint32_t)fmax(fmin(m, app->max_local), 1);
    *accumulation = (uint32_t)fmax(steps, 0);
}

/* Seconds of a step at a measured batch on exactly so many replicas; INFINITY: it cannot run so. */
static double step_alone(const berth__measured *measured, uint32_t most, uint32_t replicas, double batch) {
    const berth_application *app = measured->application;
    uint32_t local, accumulation;
    if (batch > app->max_batch || ceil(batch / replicas - tiny) < app->min_local)
        return (double)INFINITY;
    berth__split_batch(app, batch, replicas, &local, &accumulation);
    if (!app->accumulation && (double)replicas * local < batch)
        return (double)INFINITY;
    const berth__step_time time = berth__measured_time_packed(measured, most, replicas, local);
    return time.step_s + accumulation * (time.step_s - time.sync_s);
}

/* A whole training on exactly so many. */
static double time_on(const berth__measured *measured, uint32_t most, uint32_t replicas) {
    const berth_application *app = measured->application;
    double step[BERTH__MOST_TRAININGS], total = 0;
    for (size_t k = 0; k < app->n_trainings; k++)
        step[k] = step_alone(measured, most, replicas, app->trainings[k].batch);
    for (size_t e = 0; e < app->epochs; e++) {
        double best = (double)INFINITY;
        for (size_t k = 0; k < app->n_trainings; k++) {
            const berth_measured_training *t = &app->trainings[k];
            best = fmin(best, step[k] / berth__gain(t->grad_sqr[e], t->grad_var[e], t->batch / app->m0));
        }
        total += best * (measured->target[e + 1] - measured->target[e]);
    }
    return total;
}

void berth__times_alone(const berth__measured *measured, uint32_t most, size_t n, double *times) {
    const berth_application *app = measured->application;
    double limit = floor(app->max_batch / app->min_local), best = (double)INFINITY;
    if (app->max_replicas > 0)
        limit = fmin(limit, app->max_replicas);
    for (size_t k = 0; k < n; k++) {
        if ((double)k + 1 <= limit)
            best = fmin(best, time_on(measured, most, (uint32_t)k + 1));
        times[k] = best;
    }
}
