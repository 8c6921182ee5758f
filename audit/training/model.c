/* Step times, noise and the time a job takes alone, straight from the lists of measurements. */
#include <math.h>

#include "audit/training/audit.h"

/* Before rounding up. */
static const double tiny = 1e-8;

static uint32_t total(size_t n, const berth_node_gpus *ring) {
    uint32_t sum = 0;
    for (size_t k = 0; k < n; k++)
        sum += ring[k].gpus;
    return sum;
}

static bool turns_into(const berth_measured_placement *p, size_t n, const berth_node_gpus *ring) {
    if (!p->gpus || p->nodes != n)
        return false;
    for (size_t turn = 0; turn < n; turn++) {
        bool same = true;
        for (size_t k = 0; k < n; k++)
            same = same && p->gpus[(k + turn) % n] == ring[k].gpus;
        if (same)
            return true;
    }
    return false;
}

/* At m on one placement. */
static berth__audit_step read_off(const berth_measured_placement *p, uint32_t m) {
    const size_t last = p->n - 1;
    if (m <= p->local[0])
        return (berth__audit_step){p->step_s[0], p->sync_s[0]};
    if (m > p->local[last]) {
        const double factor = (double)m / p->local[last];
        return (berth__audit_step){p->step_s[last] * factor, p->sync_s[last] * factor};
    }
    size_t k = 1;
    while (p->local[k] < m)
        k++;
    const double share = ((double)m - p->local[k - 1]) / ((double)p->local[k] - p->local[k - 1]);
    return (berth__audit_step){p->step_s[k - 1] + share * (p->step_s[k] - p->step_s[k - 1]),
                               p->sync_s[k - 1] + share * (p->sync_s[k] - p->sync_s[k - 1])};
}

/* The mean over placements of n nodes and K replicas. False: there are none. */
static bool average(const berth_application *app, uint32_t nodes, uint32_t replicas, uint32_t m,
                    berth__audit_step *out) {
    size_t count = 0;
    *out = (berth__audit_step){0, 0};
    for (size_t k = 0; k < app->n_placements; k++) {
        const berth_measured_placement *p = &app->placements[k];
        if (p->nodes != nodes || p->replicas != replicas)
            continue;
        const berth__audit_step one = read_off(p, m);
        out->step_s += one.step_s;
        out->sync_s += one.sync_s;
        count++;
    }
    if (count == 0)
        return false;
    out->step_s /= (double)count;
    out->sync_s /= (double)count;
    return true;
}

static berth__audit_step mix(berth__audit_step a, berth__audit_step b, double share) {
    return (berth__audit_step){a.step_s + share * (b.step_s - a.step_s), a.sync_s + share * (b.sync_s - a.sync_s)};
}

/* On n nodes, which were measured, with a number of replicas that need not be whole. */
static berth__audit_step along_row(const berth_application *app, uint32_t nodes, double replicas, uint32_t m) {
    uint32_t below = 0, above = UINT32_MAX; /* the next measured numbers; 0 and UINT32_MAX: none */
    for (size_t k = 0; k < app->n_placements; k++) {
        const berth_measured_placement *p = &app->placements[k];
        if (p->nodes != nodes)
            continue;
        if (p->replicas <= replicas && p->replicas > below)
            below = p->replicas;
        if (p->replicas >= replicas && p->replicas < above)
            above = p->replicas;
    }
    berth__audit_step low, high;
    const bool has_low = below > 0 && average(app, nodes, below, m, &low);
    const bool has_high = above < UINT32_MAX && average(app, nodes, above, m, &high);
    if (!has_high)
        return low;
    if (!has_low || below == above)
        return high;
    return mix(low, high, (replicas - below) / ((double)above - below));
}

berth__audit_step berth__audit_step_time(const berth_application *app, size_t n, const berth_node_gpus *ring,
                                         uint32_t local) {
    const uint32_t replicas = total(n, ring);
    uint32_t below = 0, above = UINT32_MAX;
    berth__audit_step out;
    for (size_t k = 0; k < app->n_placements; k++)
        if (turns_into(&app->placements[k], n, ring))
            return read_off(&app->placements[k], local);
    if (average(app, (uint32_t)n, replicas, local, &out))
        return out;
    for (size_t k = 0; k < app->n_placements; k++) {
        const uint32_t nodes = app->placements[k].nodes;
        below = nodes <= n && nodes > below ? nodes : below;
        above = nodes >= n && nodes < above ? nodes : above;
    }
    if (below == 0 || above == UINT32_MAX || below == above)
        return along_row(app, below > 0 ? below : above, replicas, local);
    const double each = (double)replicas / (double)n;
    return mix(along_row(app, below, (double)replicas * below / (double)n, local),
               along_row(app, above, each * above, local), ((double)n - below) / ((double)above - below));
}

/* ---- noise ---- */

static double progress_of_step(const berth_application *app, double batch, size_t epoch) {
    const berth_measured_training *list = app->trainings;
    size_t k = 0;
    while (k + 1 < app->n_trainings && list[k].batch < batch)
        k++;
    double sqr = list[k].grad_sqr[epoch], var = list[k].grad_var[epoch];
    if (k > 0 && list[k].batch > batch) {
        const double wide = list[k].batch - list[k - 1].batch;
        const double up = (batch - list[k - 1].batch) / wide, down = (list[k].batch - batch) / wide;
        sqr = up * sqr + down * list[k - 1].grad_sqr[epoch];
        var = up * var + down * list[k - 1].grad_var[epoch];
    }
    return (var + sqr) / (var * app->m0 / batch + sqr);
}

double berth__audit_rate(const berth_goodput_workload *w, const berth_application *app, size_t n,
                         const berth_node_gpus *ring, uint32_t local, uint32_t accumulation, size_t epoch) {
    const berth__audit_step step = berth__audit_step_time(app, n, ring, local);
    double slowest = (double)INFINITY;
    for (size_t k = 0; k < n; k++) {
        const size_t type = w->gpu_type ? w->gpu_type[ring[k].node] : 0;
        slowest = fmin(slowest, w->speed ? w->speed[type] : 1);
    }
    const double gradient = (step.step_s - step.sync_s) / slowest;
    const double seconds = step.sync_s + gradient + accumulation * gradient;
    const double batch = (double)total(n, ring) * local * ((double)accumulation + 1);
    return progress_of_step(app, batch, epoch) / seconds;
}

/* ---- alone ---- */

enum { MOST_RING = 64 };

/* Seconds of a step of a whole batch on full nodes; INFINITY: it cannot run. */
static double packed_step(const berth_application *app, uint32_t node, uint32_t replicas, double batch) {
    const double each = ceil(batch / replicas - tiny);
    if (batch > app->max_batch || each < app->min_local)
        return (double)INFINITY;
    double more = app->accumulation ? ceil(each / app->max_local - tiny) - 1 : 0;
    if (app->accumulation && replicas == 1 && batch > app->m0 && more < 1)
        more = 1;
    double m = ceil(each / (more + 1) - tiny);
    m = fmin(fmin(m, floor(app->max_batch / (replicas * (more + 1)))), app->max_local);
    m = fmax(m, 1);
    if (!app->accumulation && replicas * m < batch)
        return (double)INFINITY;
    const uint32_t nodes = (replicas + node - 1) / node;
    berth_node_gpus ring[MOST_RING];
    if (nodes > MOST_RING)
        return (double)NAN;
    for (uint32_t k = 0; k < nodes; k++)
        ring[k] = (berth_node_gpus){k, k + 1 == nodes ? replicas - k * node : node};
    const berth__audit_step step = berth__audit_step_time(app, nodes, ring, (uint32_t)m);
    return step.step_s + more * (step.step_s - step.sync_s);
}

static double whole_training(const berth_application *app, uint32_t node, uint32_t replicas) {
    double seconds = 0, before = 0;
    double steps[64];
    for (size_t t = 0; t < app->n_trainings && t < 64; t++)
        steps[t] = packed_step(app, node, replicas, app->trainings[t].batch);
    for (size_t e = 0; e < app->epochs; e++) {
        double least = (double)INFINITY, end = (double)INFINITY;
        for (size_t t = 0; t < app->n_trainings && t < 64; t++) {
            const double gain = progress_of_step(app, app->trainings[t].batch, e);
            least = fmin(least, steps[t] / gain);
            end = fmin(end, app->trainings[t].progress[e]);
        }
        seconds += least * (end - before);
        before = end;
    }
    return seconds;
}

double berth__audit_alone(const berth_goodput_workload *w, const berth_application *app, uint64_t gpus) {
    uint32_t node = 1;
    double best = (double)INFINITY;
    for (size_t k = 0; k < w->n_nodes; k++)
        node = w->gpus[k] > node ? w->gpus[k] : node;
    for (uint32_t k = 1; k <= gpus && k <= floor(app->max_batch / app->min_local); k++)
        if (app->max_replicas == 0 || k <= app->max_replicas)
            best = fmin(best, whole_training(app, node, k));
    return best;
}
