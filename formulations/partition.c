#include "formulations/partition.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/tolerance.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* Of what (5) leaves between servers that are needed and one more. */
#define STRICT_PART  0.9
#define LEAST_MARGIN 1e-6

enum { NONE = -1 };

struct berth__partition_programme {
    const berth__partition *partition;
    berth__model *model;
    /* columns; NONE: there is none, the variable is 0 */
    int *w, *s;             /* [n_jobs][n_machines] */
    int *workers, *servers; /* [n_jobs] W, S */
    int *loss, *adjusted;   /* [n_jobs] l, a */
    int *dominant;          /* [n_jobs][n_resources] z */
    /* building, which stops at the first failure */
    berth_status status;
    berth_error *error;
    int capacity_row; /* the first of [n_machines][n_resources] */
    int quota_row;    /* the first of [n_quotas][n_resources] */
    int loss_row, adjusted_row;
    int n_present;     /* resources that the cluster has */
    bool *is_dominant; /* [n_resources] scratch */
};

/* ---- figures ---- */

static bool in_place(const berth__partition_job *job, const int *w, const int *s, size_t n_machines) {
    return memcmp(w, job->w, n_machines * sizeof *w) == 0 && memcmp(s, job->s, n_machines * sizeof *s) == 0;
}

static int total(const int *counts, int n) {
    int sum = 0;
    for (int h = 0; h < n; h++) {
        sum += counts[h];
    }
    return sum;
}

static int count_present(const berth__cluster *cluster) {
    int n = 0;
    for (int r = 0; r < cluster->n_resources; r++) {
        n += cluster->total[r] > 0;
    }
    return n;
}

void berth__partition_measure(const berth__partition *partition, const int *w, const int *s,
                              berth__partition_figures *out) {
    const berth__cluster *cluster = partition->cluster;
    size_t H = (size_t)cluster->n_machines;
    *out = (berth__partition_figures){0};
    for (size_t i = 0; i < partition->n_jobs; i++) {
        const berth__partition_job *job = &partition->jobs[i];
        int workers = total(w + i * H, (int)H), servers = total(s + i * H, (int)H);
        for (int r = 0; r < cluster->n_resources; r++) {
            out->utilisation += berth__load(job->job, r, workers, servers);
        }
        out->loss += fabs(berth__dominant_share(cluster, job->job, workers, servers) - job->fair_share);
        out->adjusted += job->w != NULL && !in_place(job, w + i * H, s + i * H, H);
    }
    int n_present = count_present(cluster);
    out->utilisation /= n_present > 0 ? n_present : 1;
}

/* ---- what fits ---- */

/* Most units of a demand on a machine, at most `limit`. */
static int room(const berth__cluster *cluster, const berth__job *job, const double *demand, int machine, int limit) {
    const double *capacity = cluster->capacity + (size_t)machine * (size_t)cluster->n_resources;
    double most = job->eligible == NULL || job->eligible[machine] ? limit : 0;
    for (int r = 0; r < cluster->n_resources; r++) {
        if (demand[r] > 0) {
            most = fmin(most, floor(capacity[r] * (1 + BERTH__HALF_FEASIBILITY) / demand[r]));
        }
    }
    return most > 0 ? (int)most : 0;
}

static int rooms(const berth__cluster *cluster, const berth__job *job, const double *demand, int limit) {
    int n = 0;
    for (int h = 0; h < cluster->n_machines && n < limit; h++) {
        n += room(cluster, job, demand, h, limit - n);
    }
    return n;
}

/* Most workers that the programme may give a job: those it can use or has, as far as they fit by themselves; none if
 * it needs a server and there is no place for one. */
static int width(const berth__partition *partition, const berth__partition_job *job) {
    const berth__cluster *cluster = partition->cluster;
    int had = job->w != NULL ? total(job->w, cluster->n_machines) : 0;
    int n = rooms(cluster, job->job, job->job->worker, had > job->most_workers ? had : job->most_workers);
    bool serves = berth__ps_needed(job->job, n) == 0 || rooms(cluster, job->job, job->job->ps, 1) > 0;
    return serves ? n : 0;
}

double berth__partition_size(const berth__partition *partition) {
    double size = 0;
    for (size_t i = 0; i < partition->n_jobs; i++) {
        const berth__partition_job *job = &partition->jobs[i];
        int n = width(partition, job), servers = berth__ps_needed(job->job, n);
        for (int h = 0; h < partition->cluster->n_machines && n > 0; h++) {
            size += (room(partition->cluster, job->job, job->job->worker, h, n) > 0) +
                    (room(partition->cluster, job->job, job->job->ps, h, servers) > 0);
        }
        size += n > 0 ? 4 : 0;
    }
    return size;
}

/* ---- building ---- */

static int add_row(berth__partition_programme *p, double lower, double upper) {
    int row = 0;
    if (p->status == BERTH_OK) {
        p->status = berth__model_add_row(p->model, NULL, lower, upper, &row, p->error);
    }
    return row;
}

static int add_col(berth__partition_programme *p, double cost, double lower, double upper, bool whole) {
    int col = 0;
    if (p->status == BERTH_OK) {
        p->status = berth__model_add_col(p->model, NULL, cost, lower, upper, whole, &col, p->error);
    }
    return col;
}

static void add_entry(berth__partition_programme *p, int row, int col, double value) {
    if (p->status == BERTH_OK && col != NONE && value != 0) {
        p->status = berth__model_add_entry(p->model, row, col, value, p->error);
    }
}

/* Rows of capacities and quotas are in parts of their right sides. */
static void add_shared_rows(berth__partition_programme *p) {
    const berth__cluster *cluster = p->partition->cluster;
    const double infinity = (double)INFINITY, full = 1 + BERTH__HALF_FEASIBILITY;
    for (int k = 0; k < cluster->n_machines * cluster->n_resources; k++) {
        int row = add_row(p, -infinity, cluster->capacity[k] > 0 ? full : 0);
        p->capacity_row = k == 0 ? row : p->capacity_row;
    }
    for (int k = 0; k < cluster->n_quotas * cluster->n_resources; k++) {
        double quota = cluster->quota[k];
        int row = add_row(p, -infinity, !(quota < HUGE_VAL) ? infinity : quota > 0 ? full : 0);
        p->quota_row = k == 0 ? row : p->quota_row;
    }
    p->adjusted_row = add_row(p, -infinity, p->partition->most_adjusted);
}

/* (3): what a worker or server on machine h takes. */
static void add_demand(berth__partition_programme *p, const double *demand, int h, int col) {
    const berth__cluster *cluster = p->partition->cluster;
    int R = cluster->n_resources;
    for (int r = 0; r < R; r++) {
        double capacity = cluster->capacity[h * R + r];
        add_entry(p, p->capacity_row + h * R + r, col, demand[r] / (capacity > 0 ? capacity : 1));
    }
}

/* (4) */
static void add_to_quotas(berth__partition_programme *p, const berth__job *job, const double *demand, int col) {
    const berth__cluster *cluster = p->partition->cluster;
    int R = cluster->n_resources;
    for (int r = 0; r < R && job->quota >= 0; r++) {
        double quota = cluster->quota[job->quota * R + r];
        if (quota < HUGE_VAL) {
            add_entry(p, p->quota_row + job->quota * R + r, col, demand[r] / (quota > 0 ? quota : 1));
        }
    }
}

/* (9) for one variable of at most `most` that was `was`. */
static void tie(berth__partition_programme *p, int col, int most, int was, int adjusted) {
    if (most > was) {
        int row = add_row(p, -(double)INFINITY, was);
        add_entry(p, row, col, 1);
        add_entry(p, row, adjusted, was - most);
    }
    if (was > 0) {
        int row = add_row(p, was, (double)INFINITY);
        add_entry(p, row, col, 1);
        add_entry(p, row, adjusted, was);
    }
}

/* Workers or servers on all machines, and their sum, at most n. */
static int add_counts(berth__partition_programme *p, size_t i, const double *demand, const int *was, int n, int *cols) {
    const berth__cluster *cluster = p->partition->cluster;
    const berth__job *job = p->partition->jobs[i].job;
    double cost = 0;
    for (int r = 0; r < cluster->n_resources; r++) {
        cost += demand[r] / p->n_present;
    }
    int sum = add_col(p, p->model->maximize ? cost : 0, 0, n, true), row = add_row(p, 0, 0);
    add_entry(p, row, sum, -1);
    add_to_quotas(p, job, demand, sum);
    bool had = was != NULL, fixed = had && p->adjusted[i] == NONE;
    for (int h = 0; h < cluster->n_machines; h++) {
        int before = had ? was[h] : 0, most = room(cluster, job, demand, h, n);
        most = most > before ? most : before;
        if (most == 0 || (fixed && before == 0)) {
            continue;
        }
        cols[h] = add_col(p, 0, fixed ? before : 0, fixed ? before : most, true);
        add_entry(p, row, cols[h], 1);
        add_demand(p, demand, h, cols[h]);
        if (had && !fixed) {
            tie(p, cols[h], most, before, p->adjusted[i]);
        }
    }
    return sum;
}

/* (5), in servers. */
static void add_server_row(berth__partition_programme *p, const berth__job *job, int n, int workers, int servers) {
    double margin = 1, per_worker = (1 - BERTH__FEASIBILITY) / job->workers_per_ps;
    for (int k = 1; k <= n; k++) {
        margin = fmin(margin, k * per_worker + 1 - berth__ps_needed(job, k));
    }
    int row = add_row(p, 0, 1 - fmax(STRICT_PART * margin, LEAST_MARGIN));
    add_entry(p, row, servers, 1);
    add_entry(p, row, workers, -per_worker);
}

/* Resources enough that one of them is dominant for every number of workers; how many. */
static int find_dominant(berth__partition_programme *p, const berth__job *job, int n) {
    const berth__cluster *cluster = p->partition->cluster;
    int found = 0;
    memset(p->is_dominant, 0, (size_t)cluster->n_resources * sizeof *p->is_dominant);
    for (int k = 1; k <= n; k++) {
        int servers = berth__ps_needed(job, k), largest = 0;
        double share = berth__dominant_share(cluster, job, k, servers);
        bool reached = false;
        for (int r = 0; r < cluster->n_resources; r++) {
            bool attains = berth__load(job, r, k, servers) >= share;
            reached = reached || (attains && p->is_dominant[r]);
            largest = attains ? r : largest;
        }
        if (!reached) {
            p->is_dominant[largest] = true;
            found++;
        }
    }
    return found;
}

/* (6) to (8) */
static void add_loss(berth__partition_programme *p, size_t i, int n) {
    const berth__partition_job *job = &p->partition->jobs[i];
    const berth__cluster *cluster = p->partition->cluster;
    const double infinity = (double)INFINITY;
    int R = cluster->n_resources, *z = p->dominant + i * (size_t)R;
    p->loss[i] = add_col(p, p->model->maximize ? 0 : 1, 0, infinity, false);
    add_entry(p, p->loss_row, p->loss[i], 1);
    int n_dominant = find_dominant(p, job->job, job->fair_share > 0 ? n : 0);
    int choice = n_dominant > 1 ? add_row(p, 1, 1) : NONE;
    for (int r = 0; r < R; r++) {
        double worker = job->job->worker[r], ps = p->servers[i] == NONE ? 0 : job->job->ps[r];
        if (worker > 0 || ps > 0) {
            int above = add_row(p, -job->fair_share, infinity);
            add_entry(p, above, p->loss[i], 1);
            add_entry(p, above, p->workers[i], -worker);
            add_entry(p, above, p->servers[i], -ps);
        }
        if (p->is_dominant[r]) {
            int below = add_row(p, n_dominant > 1 ? 0 : job->fair_share, infinity);
            add_entry(p, below, p->loss[i], 1);
            add_entry(p, below, p->workers[i], worker);
            add_entry(p, below, p->servers[i], ps);
            if (n_dominant > 1) {
                z[r] = add_col(p, 0, 0, 1, true);
                add_entry(p, below, z[r], -job->fair_share);
                add_entry(p, choice, z[r], 1);
            }
        }
    }
}

/* (10) for a job that has more than it can use: it may, where it is. */
static void add_most_workers(berth__partition_programme *p, size_t i, int n) {
    const berth__partition_job *job = &p->partition->jobs[i];
    if (job->w != NULL && p->adjusted[i] != NONE && n > job->most_workers) {
        int row = add_row(p, -(double)INFINITY, n);
        add_entry(p, row, p->workers[i], 1);
        add_entry(p, row, p->adjusted[i], n - job->most_workers);
    }
}

static void add_job(berth__partition_programme *p, size_t i) {
    const berth__partition_job *job = &p->partition->jobs[i];
    size_t H = (size_t)p->partition->cluster->n_machines;
    int n = width(p->partition, job), servers = berth__ps_needed(job->job, n);
    if (n == 0) {
        return;
    }
    if (job->w != NULL && !job->stays && p->partition->most_adjusted > 0) {
        p->adjusted[i] = add_col(p, 0, 0, 1, true);
        add_entry(p, p->adjusted_row, p->adjusted[i], 1);
    }
    p->workers[i] = add_counts(p, i, job->job->worker, job->w, n, p->w + i * H);
    if (servers > 0) {
        p->servers[i] = add_counts(p, i, job->job->ps, job->s, servers, p->s + i * H);
        add_server_row(p, job->job, n, p->workers[i], p->servers[i]);
    }
    add_most_workers(p, i, n);
    add_loss(p, i, n);
}

/* ---- life ---- */

void berth__partition_programme_free(berth__partition_programme *p) {
    if (p != NULL) {
        berth__model_free(p->model);
        berth__free(p->w);
        berth__free(p->s);
        berth__free(p->workers);
        berth__free(p->servers);
        berth__free(p->loss);
        berth__free(p->adjusted);
        berth__free(p->dominant);
        berth__free(p->is_dominant);
        berth__free(p);
    }
}

static int *no_columns(size_t n, size_t each) {
    int *columns = berth__calloc(n, each * sizeof *columns);
    for (size_t k = 0; columns != NULL && k < n * each; k++) {
        columns[k] = NONE;
    }
    return columns;
}

static berth__partition_programme *allocate(const berth__partition *partition) {
    size_t n = partition->n_jobs, H = (size_t)partition->cluster->n_machines;
    size_t R = (size_t)partition->cluster->n_resources;
    berth__partition_programme *p = BERTH__NEW_ARRAY(berth__partition_programme, 1);
    if (p == NULL) {
        return NULL;
    }
    p->partition = partition;
    p->n_present = count_present(partition->cluster);
    p->w = no_columns(n, H);
    p->s = no_columns(n, H);
    p->workers = no_columns(n, 1);
    p->servers = no_columns(n, 1);
    p->loss = no_columns(n, 1);
    p->adjusted = no_columns(n, 1);
    p->dominant = no_columns(n, R);
    p->is_dominant = BERTH__NEW_ARRAY(bool, R);
    if (p->w == NULL || p->s == NULL || p->workers == NULL || p->servers == NULL || p->loss == NULL ||
        p->adjusted == NULL || p->dominant == NULL || p->is_dominant == NULL) {
        berth__partition_programme_free(p);
        return NULL;
    }
    return p;
}

/* What jobs without columns lose for certain. */
static double unavoidable_loss(const berth__partition *partition) {
    double loss = 0;
    for (size_t i = 0; i < partition->n_jobs; i++) {
        loss += width(partition, &partition->jobs[i]) == 0 ? fabs(partition->jobs[i].fair_share) : 0;
    }
    return loss;
}

berth_status berth__partition_programme_new(const berth__partition *partition, berth__partition_aim aim,
                                            berth__partition_programme **out, berth_error *error) {
    *out = NULL;
    berth__partition_programme *p = allocate(partition);
    if (p == NULL) {
        return berth__fail_memory(error);
    }
    bool fullest = aim == BERTH__PARTITION_FULLEST;
    p->error = error;
    p->status = berth__model_new(&p->model, error);
    if (p->status == BERTH_OK) {
        p->model->maximize = fullest;
        p->loss_row = add_row(p, -(double)INFINITY,
                              fullest ? partition->most_loss - unavoidable_loss(partition) : (double)INFINITY);
        add_shared_rows(p);
    }
    for (size_t i = 0; i < partition->n_jobs && p->status == BERTH_OK; i++) {
        add_job(p, i);
    }
    if (p->status == BERTH_OK) {
        p->status = berth__model_finish(p->model, error);
    }
    if (p->status != BERTH_OK) {
        berth_status status = p->status;
        berth__partition_programme_free(p);
        return status;
    }
    *out = p;
    return BERTH_OK;
}

berth__model *berth__partition_model(berth__partition_programme *programme) {
    return programme->model;
}

/* ---- points ---- */

static void set(double *x, int col, double value) {
    if (col != NONE) {
        x[col] = value;
    }
}

/* z of the resource in which the job's share is largest. */
static void set_dominant(const berth__partition_programme *p, size_t i, int workers, int servers, double *x) {
    int R = p->partition->cluster->n_resources, best = NONE;
    const int *z = p->dominant + i * (size_t)R;
    double most = -1;
    for (int r = 0; r < R; r++) {
        double share = berth__load(p->partition->jobs[i].job, r, workers, servers);
        if (z[r] != NONE && share > most) {
            most = share;
            best = z[r];
        }
    }
    set(x, best, 1);
}

void berth__partition_point(const berth__partition_programme *p, const int *w, const int *s, double *x) {
    const berth__partition *partition = p->partition;
    size_t H = (size_t)partition->cluster->n_machines;
    memset(x, 0, (size_t)p->model->n_cols * sizeof *x);
    for (size_t i = 0; i < partition->n_jobs; i++) {
        const berth__partition_job *job = &partition->jobs[i];
        int workers = total(w + i * H, (int)H), servers = total(s + i * H, (int)H);
        for (size_t h = 0; h < H; h++) {
            set(x, p->w[i * H + h], w[i * H + h]);
            set(x, p->s[i * H + h], s[i * H + h]);
        }
        set(x, p->workers[i], workers);
        set(x, p->servers[i], servers);
        set(x, p->loss[i],
            fabs(berth__dominant_share(partition->cluster, job->job, workers, servers) - job->fair_share));
        if (p->adjusted[i] != NONE) {
            set(x, p->adjusted[i], !in_place(job, w + i * H, s + i * H, H));
        }
        set_dominant(p, i, workers, servers, x);
    }
}

static int count(const double *x, int col) {
    return col == NONE ? 0 : (int)lround(x[col]);
}

void berth__partition_allocation(const berth__partition_programme *p, const double *x, int *w, int *s) {
    size_t n = p->partition->n_jobs * (size_t)p->partition->cluster->n_machines;
    for (size_t k = 0; k < n; k++) {
        w[k] = count(x, p->w[k]);
        s[k] = count(x, p->s[k]);
    }
}
