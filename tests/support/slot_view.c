#include "tests/support/slot_view.h"

#include "tests/support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- a job by the public model ---- */

static int servers_for(const berth_job *job, int workers) {
    return job->all_reduce ? 0 : (int)ceil(workers / job->workers_per_ps * (1 - 1e-9));
}

static double worker_samples(const berth_instance *instance, size_t job, bool external) {
    const berth_job *j = &instance->jobs[job];
    double bandwidth = external ? j->bandwidth_external_mb_s : j->bandwidth_internal_mb_s;
    double served = j->all_reduce ? 1 : j->workers_per_ps;
    return instance->slot_seconds / (j->sample_seconds + served * 2 * j->gradient_mb / (j->batch * bandwidth));
}

static double load(const berth_job *job, size_t r, int w, int s) {
    return w * job->worker[r] + (job->all_reduce ? 0 : s * job->ps[r]);
}

static double total(const berth_instance *instance, size_t r) {
    double sum = 0;
    for (size_t h = 0; h < instance->n_machines; h++) {
        sum += instance->capacity[h * instance->n_resources + r];
    }
    return sum;
}

static double share_of(const berth_instance *instance, size_t job, int w, int s) {
    double share = 0;
    for (size_t r = 0; r < instance->n_resources; r++) {
        double amount = load(&instance->jobs[job], r, w, s);
        share = amount > 0 ? fmax(share, amount / total(instance, r)) : share;
    }
    return share;
}

/* ---- a run ---- */

size_t *slot_view_by_arrival(const berth_instance *instance) {
    size_t *order = calloc(instance->n_jobs, sizeof *order), n = 0;
    assert_non_null(order);
    for (int slot = 0; slot < instance->horizon_slots; slot++) {
        for (size_t i = 0; i < instance->n_jobs; i++) {
            if (instance->jobs[i].arrival_slot == slot) {
                order[n++] = i;
            }
        }
    }
    return order;
}

int slot_view_workers(const berth_slot_plan *plan) {
    int workers = 0;
    for (size_t i = 0; i < plan->n_placements; i++) {
        workers += plan->placements[i].workers;
    }
    return workers;
}

static int servers_of(const berth_slot_plan *plan) {
    int servers = 0;
    for (size_t i = 0; i < plan->n_placements; i++) {
        servers += plan->placements[i].ps;
    }
    return servers;
}

bool slot_view_moved(const berth_run_job *job, size_t k) {
    const berth_slot_plan *now = &job->slots[k];
    if (k == 0) {
        return false;
    }
    const berth_slot_plan *then = &job->slots[k - 1];
    if (then->slot != now->slot - 1 || then->n_placements != now->n_placements) {
        return true;
    }
    for (size_t i = 0; i < now->n_placements; i++) { /* both by increasing machine */
        const berth_placement *a = &then->placements[i], *b = &now->placements[i];
        if (a->machine != b->machine || a->workers != b->workers || a->ps != b->ps) {
            return true;
        }
    }
    return false;
}

double slot_view_full_progress(const berth_instance *instance, size_t job, const berth_slot_plan *plan) {
    return slot_view_workers(plan) * worker_samples(instance, job, plan->n_placements > 1);
}

/* ---- a slot ---- */

static void hold(slot_view *view, size_t job, size_t machine, int w, int s) {
    size_t M = view->instance->n_machines, R = view->instance->n_resources;
    view->w[job * M + machine] += w;
    view->s[job * M + machine] += s;
    view->workers[job] += w;
    view->servers[job] += s;
    for (size_t r = 0; r < R; r++) {
        view->used[machine * R + r] += load(&view->instance->jobs[job], r, w, s);
    }
}

slot_view *slot_view_new(const berth_instance *instance, const berth_run *run, int slot) {
    size_t n = instance->n_jobs, M = instance->n_machines;
    slot_view *view = calloc(1, sizeof *view);
    assert_non_null(view);
    *view = (slot_view){.instance = instance,
                        .run = run,
                        .slot = slot,
                        .w = calloc(n * M + 1, sizeof *view->w),
                        .s = calloc(n * M + 1, sizeof *view->s),
                        .workers = calloc(n + 1, sizeof *view->workers),
                        .servers = calloc(n + 1, sizeof *view->servers),
                        .there = calloc(n + 1, sizeof *view->there),
                        .remaining = calloc(n + 1, sizeof *view->remaining),
                        .used = calloc(M * instance->n_resources + 1, sizeof *view->used)};
    assert_true(view->w != NULL && view->s != NULL && view->workers != NULL && view->servers != NULL &&
                view->there != NULL && view->remaining != NULL && view->used != NULL);
    for (size_t i = 0; i < n; i++) {
        const berth_run_job *job = &run->jobs[i];
        view->remaining[i] = instance->jobs[i].epochs * instance->jobs[i].samples;
        view->there[i] = job->admitted && instance->jobs[i].arrival_slot <= slot &&
                         (job->outcome != BERTH_JOB_COMPLETED || job->completion_slot >= slot);
        for (size_t k = 0; k < job->n_slots; k++) {
            const berth_slot_plan *plan = &job->slots[k];
            view->remaining[i] -= plan->slot < slot ? plan->samples : 0;
            for (size_t p = 0; plan->slot == slot && p < plan->n_placements; p++) {
                hold(view, i, (size_t)plan->placements[p].machine, plan->placements[p].workers, plan->placements[p].ps);
            }
        }
    }
    return view;
}

void slot_view_free(slot_view *view) {
    free(view->w);
    free(view->s);
    free(view->workers);
    free(view->servers);
    free(view->there);
    free(view->remaining);
    free(view->used);
    free(view);
}

static size_t machines_of(const slot_view *view, size_t job) {
    size_t M = view->instance->n_machines, n = 0;
    for (size_t h = 0; h < M; h++) {
        n += view->w[job * M + h] > 0 || view->s[job * M + h] > 0;
    }
    return n;
}

static double progress(const slot_view *view, size_t job, int workers, bool external) {
    return fmin(view->remaining[job], workers * worker_samples(view->instance, job, external));
}

bool slot_view_wants(const slot_view *view, size_t job) {
    const berth_job *j = &view->instance->jobs[job];
    double most = j->max_workers > 0 ? j->max_workers : floor(j->batch);
    return view->there[job] && view->workers[job] < most &&
           progress(view, job, view->workers[job], machines_of(view, job) > 1) < view->remaining[job] * (1 - 1e-9);
}

void slot_view_remove(slot_view *view, size_t job) {
    size_t M = view->instance->n_machines;
    for (size_t h = 0; h < M; h++) {
        hold(view, job, h, -view->w[job * M + h], -view->s[job * M + h]);
    }
}

void slot_view_take_one(slot_view *view, size_t job) {
    hold(view, job, 0, -1, servers_for(&view->instance->jobs[job], view->workers[job] - 1) - view->servers[job]);
}

void slot_view_put_one(slot_view *view, size_t job) {
    hold(view, job, 0, 1, servers_for(&view->instance->jobs[job], view->workers[job] + 1) - view->servers[job]);
}

static bool fits_on(const slot_view *view, size_t job, size_t machine, int w, int s) {
    size_t R = view->instance->n_resources;
    for (size_t r = 0; r < R; r++) {
        double held = view->used[machine * R + r] + load(&view->instance->jobs[job], r, w, s);
        if (!(held <= view->instance->capacity[machine * R + r] * (1 + 1e-10))) {
            return false;
        }
    }
    return true;
}

/* Over every pair of machines for a worker and its server; `gain`: only pairs that add progress. */
static bool fits_one_more(const slot_view *view, size_t job, bool gain) {
    size_t M = view->instance->n_machines;
    int n = view->workers[job], server = servers_for(&view->instance->jobs[job], n + 1) > view->servers[job];
    double now = progress(view, job, n, machines_of(view, job) > 1);
    for (size_t a = 0; a < M; a++) {
        for (size_t b = 0; b < (server ? M : 1); b++) {
            size_t machine = server ? b : a;
            bool fits = a == machine ? fits_on(view, job, a, 1, server)
                                     : fits_on(view, job, a, 1, 0) && fits_on(view, job, b, 0, 1);
            size_t elsewhere = 0;
            for (size_t h = 0; h < M; h++) {
                elsewhere += (view->w[job * M + h] > 0 || view->s[job * M + h] > 0) && h != a && h != machine;
            }
            bool external = elsewhere > 0 || a != machine;
            if (fits && (!gain || progress(view, job, n + 1, external) > now * (1 + 1e-9))) {
                return true;
            }
        }
    }
    return false;
}

bool slot_view_fits_one_more(const slot_view *view, size_t job) {
    return fits_one_more(view, job, false);
}

bool slot_view_gains_by_one_more(const slot_view *view, size_t job) {
    return fits_one_more(view, job, true);
}

bool slot_view_fits(const slot_view *view, size_t job, int workers) {
    return fits_on(view, job, 0, workers, servers_for(&view->instance->jobs[job], workers));
}

double slot_view_share(const slot_view *view, size_t job, int workers) {
    return share_of(view->instance, job, workers, servers_for(&view->instance->jobs[job], workers));
}

double slot_view_remaining_time(const slot_view *view, size_t job) {
    return view->there[job] ? view->remaining[job] / fmin(worker_samples(view->instance, job, false),
                                                          worker_samples(view->instance, job, true))
                            : 0;
}

bool slot_view_arrives_before(const slot_view *view, size_t job, size_t other) {
    int a = view->instance->jobs[job].arrival_slot, b = view->instance->jobs[other].arrival_slot;
    return a != b ? a < b : job < other;
}

/* Before the view's slot. */
static double service(const slot_view *view, size_t job) {
    double sum = 0;
    const berth_run_job *record = &view->run->jobs[job];
    for (size_t k = 0; k < record->n_slots && record->slots[k].slot < view->slot; k++) {
        sum += share_of(view->instance, job, slot_view_workers(&record->slots[k]), servers_of(&record->slots[k]));
    }
    return sum;
}

int slot_view_las_queue(const slot_view *view, size_t job) {
    double sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < view->run->n_jobs; i++) {
        if (view->run->jobs[i].outcome == BERTH_JOB_COMPLETED && view->run->jobs[i].completion_slot < view->slot) {
            sum += service(view, i);
            n++;
        }
    }
    return n > 0 && service(view, job) >= sum / (double)n;
}

double slot_view_optimus_gain(const slot_view *view, size_t job, int n) {
    const berth_job *j = &view->instance->jobs[job];
    double alone = view->remaining[job] / worker_samples(view->instance, job, true);
    return (alone / n - alone / (n + 1)) / share_of(view->instance, job, 1, servers_for(j, n + 1) - servers_for(j, n));
}
