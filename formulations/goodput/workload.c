#include "formulations/goodput/workload.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"
#include "formulations/goodput/training.h"

static const double most_samples = 1e9, most_seconds = 1e12;
enum { MOST_GPUS_A_NODE = 1024, MOST_TYPES = 64 };
enum { MOST_NODES = 65536, MOST_EPOCHS = 1000000 };

void berth_goodput_workload_init(berth_goodput_workload *workload) {
    *workload = (berth_goodput_workload){
        .struct_size = sizeof *workload, .n_types = 1, .round_s = 60, .restart_s = 30, .tick_s = 1};
}

/* What is being checked, and how to say that it is wrong. */
typedef struct checker {
    berth_status status; /* to fail with */
    berth_status found;
    berth_error *error;
    char at[160]; /* the object that is looked at */
} checker;

static void BERTH__PRINTF(2, 3) enter(checker *c, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(c->at, sizeof c->at, format, args);
    va_end(args);
}

/* Fails at a member, if nothing failed yet. */
static void BERTH__PRINTF(3, 4) fail(checker *c, const char *member, const char *format, ...) {
    char where[200], message[200];
    va_list args;
    if (c->found != BERTH_OK)
        return;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    snprintf(where, sizeof where, "%s/%s", c->at, member);
    c->found = berth__fail(c->error, c->status, where, "%s", message);
}

static void real(checker *c, const char *member, double value, double least, double most) {
    if (!(value >= least && value <= most))
        fail(c, member, "is %g; expected a number in [%g, %g]", value, least, most);
}

static void positive(checker *c, const char *member, double value, double most) {
    if (!(value > 0 && value <= most))
        fail(c, member, "is %g; expected a number above 0, at most %g", value, most);
}

static void whole(checker *c, const char *member, double value, double least, double most) {
    if (!(value >= least && value <= most && value == floor(value)))
        fail(c, member, "is %.15g; expected a whole number in [%.15g, %.15g]", value, least, most);
}

static void ascending(checker *c, const char *member, const double *values, size_t n) {
    for (size_t k = 0; k < n; k++)
        if (!(values[k] > (k > 0 ? values[k - 1] : 0) && values[k] <= 1e15)) {
            fail(c, member, "number %zu is %g; expected numbers above 0, each above the one before", k, values[k]);
            return;
        }
}

/* ---- applications ---- */

static void check_placement(checker *c, const berth_measured_placement *p) {
    whole(c, "nodes", p->nodes, 1, MOST_NODES);
    whole(c, "replicas", p->replicas, p->nodes, most_samples);
    uint64_t sum = 0;
    for (uint32_t k = 0; p->gpus && c->found == BERTH_OK && k < p->nodes; k++) {
        if (p->gpus[k] < 1)
            fail(c, "gpus", "a node has none; expected at least one on each");
        sum += p->gpus[k];
    }
    if (p->gpus && sum != p->replicas)
        fail(c, "replicas", "is %u; the nodes have %llu", p->replicas, (unsigned long long)sum);
    if (p->n < 1)
        fail(c, "local", "is empty; expected at least one measurement");
    for (size_t k = 0; k < p->n && c->found == BERTH_OK; k++) {
        if (p->local[k] <= (k > 0 ? p->local[k - 1] : 0))
            fail(c, "local", "number %zu is %u; expected sizes above 0, each above the one before", k, p->local[k]);
        positive(c, "step_s", p->step_s[k], most_seconds);
        if (!(p->sync_s[k] >= 0 && p->sync_s[k] < p->step_s[k]))
            fail(c, "sync_s", "number %zu is %g; expected a number from 0 to below step_s, %g", k, p->sync_s[k],
                 p->step_s[k]);
    }
}

static void check_training(checker *c, const berth_application *app, const berth_measured_training *t) {
    ascending(c, "progress", t->progress, app->epochs);
    ascending(c, "iterations", t->iterations, app->epochs);
    for (size_t e = 0; e < app->epochs && c->found == BERTH_OK; e++) {
        real(c, "grad_sqr", t->grad_sqr[e], 0, 1e100);
        real(c, "grad_var", t->grad_var[e], 0, 1e100);
        if (t->grad_sqr[e] + t->grad_var[e] <= 0)
            fail(c, "grad_var", "number %zu is 0, and so is grad_sqr; expected one of them above 0", e);
    }
}

static void check_batches(checker *c, const berth_application *app) {
    whole(c, "m0", app->m0, 1, most_samples);
    whole(c, "max_batch", app->max_batch, app->m0, most_samples);
    whole(c, "min_local", app->min_local, 1, app->max_batch);
    whole(c, "max_local", app->max_local, app->min_local, most_samples);
    if (app->batch != 0)
        whole(c, "batch", app->batch, app->m0, app->max_batch);
}

static void check_application(checker *c, const berth_application *app, size_t index) {
    enter(c, "/applications/%zu", index);
    if (!app->name || !app->name[0]) {
        fail(c, "name", "missing");
        return;
    }
    enter(c, "/applications/%.60s", app->name);
    check_batches(c, app);
    if (app->n_placements < 1)
        fail(c, "placements", "is empty; expected at least one measured placement");
    if (app->n_trainings < 1 || app->n_trainings > BERTH__MOST_TRAININGS)
        fail(c, "trainings", "has %zu; expected 1 to %d measured trainings", app->n_trainings, BERTH__MOST_TRAININGS);
    whole(c, "epochs", (double)app->epochs, 1, MOST_EPOCHS);
    for (size_t k = 0; k < app->n_placements && c->found == BERTH_OK; k++) {
        enter(c, "/applications/%.60s/placements/%zu", app->name, k);
        check_placement(c, &app->placements[k]);
    }
    for (size_t k = 0; k < app->n_trainings && c->found == BERTH_OK; k++) {
        enter(c, "/applications/%.60s/trainings/%zu", app->name, k);
        const double before = k > 0 ? app->trainings[k - 1].batch + 1 : app->m0;
        whole(c, "batch", app->trainings[k].batch, before, k > 0 ? most_samples : app->m0);
        check_training(c, app, &app->trainings[k]);
    }
}

/* ---- cluster and jobs ---- */

static void check_cluster(checker *c, const berth_goodput_workload *w) {
    enter(c, "%s", "");
    positive(c, "round_s", w->round_s, most_seconds);
    real(c, "restart_s", w->restart_s, 0, most_seconds);
    real(c, "tick_s", w->tick_s, 0, w->round_s);
    const double ticks = w->tick_s > 0 ? w->round_s / w->tick_s : 0;
    if (fabs(ticks - nearbyint(ticks)) > 1e-9 * ticks)
        fail(c, "round_s", "is %g; expected a multiple of tick_s, %g", w->round_s, w->tick_s);
    whole(c, "nodes", (double)w->n_nodes, 1, MOST_NODES);
    if (w->n_types < 1 || w->n_types > MOST_TYPES)
        fail(c, "gpu_types", "has %zu; expected 1 to %d kinds of GPU", w->n_types, MOST_TYPES);
    for (size_t k = 0; w->speed && k < w->n_types && c->found == BERTH_OK; k++)
        positive(c, "gpu_types", w->speed[k], 1e6);
    for (size_t k = 0; k < w->n_nodes && c->found == BERTH_OK; k++) {
        enter(c, "/nodes/%zu", k);
        whole(c, "gpus", w->gpus[k], 1, MOST_GPUS_A_NODE);
        if (w->gpu_type && w->gpu_type[k] >= w->n_types)
            fail(c, "gpu_type", "is %zu; there are %zu", w->gpu_type[k], w->n_types);
    }
}

static void check_job(checker *c, const berth_goodput_workload *w, size_t index) {
    const berth_training_job *job = &w->jobs[index];
    enter(c, "/jobs/%zu", index);
    if (!job->id || !job->id[0])
        fail(c, "id", "missing");
    real(c, "submit_s", job->submit_s, 0, most_seconds);
    if (job->application >= w->n_applications) {
        fail(c, "application", "is %zu; there are %zu", job->application, w->n_applications);
        return;
    }
    const berth_application *app = &w->applications[job->application];
    whole(c, "batch", job->batch, app->m0, app->max_batch);
    whole(c, "replicas", job->replicas, 1, job->batch);
}

berth_status berth__goodput_check_workload(const berth_goodput_workload *workload, berth_status status,
                                           berth_error *error) {
    checker c = {.status = status, .error = error};
    if (workload->struct_size != sizeof *workload)
        return berth__fail(error, status, "workload", "not initialised: call berth_goodput_workload_init first");
    check_cluster(&c, workload);
    for (size_t k = 0; k < workload->n_applications && c.found == BERTH_OK; k++)
        check_application(&c, &workload->applications[k], k);
    for (size_t k = 0; k < workload->n_jobs && c.found == BERTH_OK; k++)
        check_job(&c, workload, k);
    return c.found;
}

uint64_t berth__workload_gpus(const berth_goodput_workload *workload) {
    uint64_t sum = 0;
    for (size_t k = 0; k < workload->n_nodes; k++)
        sum += workload->gpus[k];
    return sum;
}

uint32_t berth__workload_largest_node(const berth_goodput_workload *workload) {
    uint32_t most = 1;
    for (size_t k = 0; k < workload->n_nodes; k++)
        most = workload->gpus[k] > most ? workload->gpus[k] : most;
    return most;
}

double berth__workload_speed(const berth_goodput_workload *workload, size_t node) {
    return workload->speed ? workload->speed[workload->gpu_type ? workload->gpu_type[node] : 0] : 1;
}
