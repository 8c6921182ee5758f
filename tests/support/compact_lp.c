#include "tests/support/compact_lp.h"

#include "formulations/slot.h"
#include "online/schedule.h"
#include "online/decider.h"
#include "tests/support/check.h"
#include "tests/support/optimum_of.h"

#include <stdlib.h>

typedef struct programme {
    const berth__cluster *cluster;
    berth__model *model;
    int n_classes;
    int *machine;  /* [n_classes] a member */
    double *count; /* [n_classes] */
} programme;

static int row(programme *p, double lower, double upper) {
    int index = 0;
    assert_int_equal(berth__model_add_row(p->model, NULL, lower, upper, &index, NULL), BERTH_OK);
    return index;
}

static int col(programme *p, double cost) {
    int index = 0;
    assert_int_equal(berth__model_add_col(p->model, NULL, cost, 0, (double)INFINITY, false, &index, NULL), BERTH_OK);
    return index;
}

static void entry(programme *p, int r, int c, double value) {
    assert_int_equal(berth__model_add_entry(p->model, r, c, value, NULL), BERTH_OK);
}

static int capacity_row(const programme *p, int t, int k, int r) {
    return (t * p->n_classes + k) * p->cluster->n_resources + r; /* the first rows */
}

/* y of one class's machine: W workers and S servers on one of them. */
static void add_internal(programme *p, const berth__job *job, int t, int k, int workers, int quanta, int slot_row,
                         int progress_row) {
    int R = p->cluster->n_resources, servers = berth__ps_needed(job, workers);
    const double *capacity = p->cluster->capacity + p->machine[k] * R;
    if (!berth__fits(capacity, job, R, workers, servers)) {
        return;
    }
    int y = col(p, 0);
    entry(p, slot_row, y, 1);
    entry(p, progress_row, y, quanta);
    for (int r = 0; r < R; r++) {
        entry(p, capacity_row(p, t, k, r), y, workers * job->worker[r] + servers * job->ps[r]);
    }
}

/* y of workers and servers spread over the classes that the job may use. */
static void add_external(programme *p, const berth__job *job, int t, int workers, int quanta, int slot_row,
                         int progress_row) {
    const double infinity = (double)INFINITY;
    int R = p->cluster->n_resources, y = col(p, 0);
    entry(p, slot_row, y, 1);
    entry(p, progress_row, y, quanta);
    int w_row = row(p, 0, infinity), s_row = row(p, 0, infinity);
    entry(p, w_row, y, -workers);
    entry(p, s_row, y, -berth__ps_needed(job, workers));
    for (int k = 0; k < p->n_classes; k++) {
        if (job->eligible != NULL && !job->eligible[p->machine[k]]) {
            continue;
        }
        int w = col(p, 0), s = col(p, 0);
        entry(p, w_row, w, 1);
        entry(p, s_row, s, 1);
        for (int r = 0; r < R; r++) {
            double all = p->count[k] * p->cluster->capacity[p->machine[k] * R + r];
            int inside = row(p, -infinity, 0);
            entry(p, inside, w, job->worker[r]);
            entry(p, inside, s, job->ps[r]);
            entry(p, inside, y, -all);
            entry(p, capacity_row(p, t, k, r), w, job->worker[r]);
            entry(p, capacity_row(p, t, k, r), s, job->ps[r]);
        }
    }
}

static void add_job(programme *p, const berth__job *job, int levels) {
    const double infinity = (double)INFINITY;
    int T = p->cluster->horizon;
    berth__quanta quanta;
    assert_true(berth__quanta_of(job, levels, T - job->arrival, &quanta));
    berth__quanta_relax(&quanta, job);
    int job_row = row(p, -infinity, 1);
    for (int tc = job->arrival + job->fastest_slots - 1; tc < T; tc++) {
        int x = col(p, berth__utility_at(&job->utility, tc - job->arrival)), progress_row = row(p, 0, infinity);
        entry(p, job_row, x, 1);
        entry(p, progress_row, x, -quanta.needed);
        for (int t = job->arrival; t <= tc; t++) {
            int slot_row = row(p, -infinity, 0);
            entry(p, slot_row, x, -1);
            for (int w = 1; w <= job->max_workers; w++) {
                int up = berth__quanta_up(&quanta, job, w, BERTH_INTERNAL);
                for (int k = 0; k < p->n_classes; k++) {
                    if (job->eligible == NULL || job->eligible[p->machine[k]]) {
                        add_internal(p, job, t, k, w, up, slot_row, progress_row);
                    }
                }
                add_external(p, job, t, w, berth__quanta_up(&quanta, job, w, BERTH_EXTERNAL), slot_row, progress_row);
            }
        }
    }
}

static void add_capacities(programme *p) {
    for (int t = 0; t < p->cluster->horizon; t++) {
        for (int k = 0; k < p->n_classes; k++) {
            for (int r = 0; r < p->cluster->n_resources; r++) {
                row(p, -(double)INFINITY,
                    p->count[k] * p->cluster->capacity[p->machine[k] * p->cluster->n_resources + r]);
            }
        }
    }
}

double compact_schedule_lp(const berth__cluster *cluster, size_t n_jobs, berth__job *const *jobs, int levels,
                           int n_classes, const int *class_of) {
    programme p = {.cluster = cluster, .n_classes = n_classes};
    p.machine = calloc((size_t)n_classes, sizeof *p.machine);
    p.count = calloc((size_t)n_classes, sizeof *p.count);
    assert_non_null(p.machine);
    assert_non_null(p.count);
    for (int h = 0; h < cluster->n_machines; h++) {
        p.machine[class_of[h]] = h;
        p.count[class_of[h]]++;
    }
    assert_int_equal(berth__model_new(&p.model, NULL), BERTH_OK);
    p.model->maximize = true;
    add_capacities(&p);
    for (size_t i = 0; i < n_jobs; i++) {
        if (berth__job_hopeless(cluster, jobs[i]) == 0) {
            add_job(&p, jobs[i], levels);
        }
    }
    double value = optimum_of(p.model);
    berth__model_free(p.model);
    free(p.machine);
    free(p.count);
    return value;
}
