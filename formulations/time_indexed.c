#include "formulations/time_indexed.h"

#include "base/error.h"
#include "base/tolerance.h"
#include "formulations/internal_curve.h"

#include <math.h>

enum { WORKERS, SERVERS, KINDS };

/* Building stops at the first failure. */
typedef struct builder {
    const berth__cluster *cluster;
    berth__model *model;
    berth_status status;
    berth_error *error;
    int capacity_row; /* the first: [horizon][n_machines][n_resources], then [n_quotas][horizon][n_resources] */
    /* of the job in hand */
    const berth__job *job;
    int job_row; /* one completion slot */
    int progress_row;
    int most_servers;
} builder;

static int add_row(builder *b, double lower, double upper) {
    int row = 0;
    if (b->status == BERTH_OK) {
        b->status = berth__model_add_row(b->model, NULL, lower, upper, &row, b->error);
    }
    return row;
}

static int add_whole(builder *b, double cost, double upper) {
    int col = 0;
    if (b->status == BERTH_OK) {
        b->status = berth__model_add_col(b->model, NULL, cost, 0, upper, true, &col, b->error);
    }
    return col;
}

static void add_entry(builder *b, int row, int col, double value) {
    if (b->status == BERTH_OK) {
        b->status = berth__model_add_entry(b->model, row, col, value, b->error);
    }
}

static bool eligible(const berth__job *job, int machine) {
    return job->eligible == NULL || job->eligible[machine];
}

/* A job that cannot demand what a machine lacks: demands are infinite where the cluster has none. */
static bool placeable(const berth__cluster *cluster, const berth__job *job) {
    bool finite = true;
    for (int r = 0; r < cluster->n_resources; r++) {
        finite = finite && job->worker[r] < HUGE_VAL && job->ps[r] < HUGE_VAL;
    }
    return finite && job->fastest_slots <= cluster->horizon - job->arrival;
}

static int count_eligible(const berth__cluster *cluster, const berth__job *job) {
    int n = 0;
    for (int h = 0; h < cluster->n_machines; h++) {
        n += eligible(job, h);
    }
    return n;
}

static bool must_spread(const berth__job *job) {
    return job->slot_samples[BERTH_EXTERNAL] > job->slot_samples[BERTH_INTERNAL];
}

double berth__time_indexed_size(const berth__cluster *cluster, size_t n_jobs, berth__job *const *jobs) {
    double size = 0;
    for (size_t i = 0; i < n_jobs; i++) {
        if (!placeable(cluster, jobs[i])) {
            continue;
        }
        double n = count_eligible(cluster, jobs[i]), slots = cluster->horizon - jobs[i]->arrival;
        double external = n > 1 ? 1 + (must_spread(jobs[i]) ? 3 : 2) * n : 0;
        size += slots * (3 * n + external) + slots - jobs[i]->fastest_slots + 1;
    }
    return size;
}

/* ---- rows over all jobs ---- */

/* Rows are in parts of their right side. */
static void add_capacities(builder *b) {
    const berth__cluster *cluster = b->cluster;
    int first = -1;
    for (int t = 0; t < cluster->horizon; t++) {
        for (int k = 0; k < cluster->n_machines * cluster->n_resources; k++) {
            int row = add_row(b, -(double)INFINITY, cluster->capacity[k] > 0 ? 1 + BERTH__FEASIBILITY : 0);
            first = first < 0 ? row : first;
        }
    }
    b->capacity_row = first;
    for (int k = 0; k < cluster->n_quotas * cluster->horizon * cluster->n_resources; k++) {
        double quota = cluster->quota[k / (cluster->horizon * cluster->n_resources) * cluster->n_resources +
                                      k % cluster->n_resources];
        double most = !(quota < HUGE_VAL) ? (double)INFINITY : quota > 0 ? 1 + BERTH__FEASIBILITY : 0;
        add_row(b, -(double)INFINITY, most);
    }
}

/* A worker or server on machine h in slot t: what it takes of capacity and quota. */
static void add_demand(builder *b, int kind, int t, int h, int col) {
    const berth__cluster *cluster = b->cluster;
    int R = cluster->n_resources, q = b->job->quota;
    const double *demand = kind == WORKERS ? b->job->worker : b->job->ps;
    for (int r = 0; r < R; r++) {
        double capacity = cluster->capacity[h * R + r];
        if (demand[r] > 0) {
            int row = b->capacity_row + (t * cluster->n_machines + h) * R + r;
            add_entry(b, row, col, demand[r] / (capacity > 0 ? capacity : 1));
        }
        double quota = q < 0 ? HUGE_VAL : cluster->quota[q * R + r];
        if (demand[r] > 0 && quota < HUGE_VAL) {
            int first = b->capacity_row + cluster->horizon * cluster->n_machines * R;
            add_entry(b, first + (q * cluster->horizon + t) * R + r, col, demand[r] / (quota > 0 ? quota : 1));
        }
    }
}

/* ---- a job ---- */

/* gamma s - w >= 0 in units of gamma; no row for all-reduce. */
static int add_server_row(builder *b) {
    return b->job->workers_per_ps < HUGE_VAL ? add_row(b, 0, (double)INFINITY) : -1;
}

static void add_to_server_row(builder *b, int row, int kind, int col) {
    if (row >= 0) {
        add_entry(b, row, col, kind == SERVERS ? 1 : -(1 - BERTH__FEASIBILITY) / b->job->workers_per_ps);
    }
}

static void add_progress(builder *b, int col, berth_locality locality) {
    add_entry(b, b->progress_row, col, b->job->slot_samples[locality] / b->job->work);
}

static void add_internal(builder *b, int t, int h, int locality_row) {
    const berth__cluster *cluster = b->cluster;
    const double *capacity = cluster->capacity + (size_t)h * (size_t)cluster->n_resources;
    int room = berth__internal_room(capacity, 1, b->job, cluster->n_resources, b->job->max_workers);
    int most[KINDS] = {room, b->most_servers};
    int here = add_whole(b, 0, 1), servers_row = add_server_row(b);
    add_entry(b, locality_row, here, 1);
    for (int kind = 0; kind < KINDS; kind++) {
        int col = add_whole(b, 0, most[kind]), row = add_row(b, -(double)INFINITY, 0);
        add_entry(b, row, col, 1);
        add_entry(b, row, here, -most[kind]);
        add_to_server_row(b, servers_row, kind, col);
        add_demand(b, kind, t, h, col);
        if (kind == WORKERS) {
            add_progress(b, col, BERTH_INTERNAL);
        }
    }
}

/* Workers, or servers, that machine h has room for by themselves; at most `most`. */
static int alone_on(const builder *b, int h, int kind, int most) {
    const berth__cluster *cluster = b->cluster;
    const double *demand = kind == WORKERS ? b->job->worker : b->job->ps;
    double room = most;
    for (int r = 0; r < cluster->n_resources; r++) {
        double capacity = cluster->capacity[h * cluster->n_resources + r] * (1 + BERTH__FEASIBILITY);
        room = demand[r] > 0 ? fmin(room, floor(capacity / demand[r] + BERTH__FEASIBILITY)) : room;
    }
    return (int)room;
}

static void add_external(builder *b, int t, int locality_row) {
    const double infinity = (double)INFINITY;
    int most[KINDS] = {b->job->max_workers, b->most_servers};
    int external = add_whole(b, 0, 1), servers_row = add_server_row(b);
    int most_row[KINDS] = {add_row(b, -infinity, 0), add_row(b, -infinity, 0)};
    int spread_row = must_spread(b->job) ? add_row(b, 0, infinity) : -1;
    add_entry(b, locality_row, external, 1);
    for (int kind = 0; kind < KINDS; kind++) {
        add_entry(b, most_row[kind], external, -most[kind]);
    }
    if (spread_row >= 0) {
        add_entry(b, spread_row, external, -2);
    }
    for (int h = 0; h < b->cluster->n_machines; h++) {
        if (!eligible(b->job, h)) {
            continue;
        }
        int used_row = spread_row >= 0 ? add_row(b, 0, infinity) : -1;
        for (int kind = 0; kind < KINDS; kind++) {
            int col = add_whole(b, 0, alone_on(b, h, kind, most[kind]));
            add_entry(b, most_row[kind], col, 1);
            add_to_server_row(b, servers_row, kind, col);
            add_demand(b, kind, t, h, col);
            if (kind == WORKERS) {
                add_progress(b, col, BERTH_EXTERNAL);
            }
            if (used_row >= 0) {
                add_entry(b, used_row, col, 1);
            }
        }
        if (spread_row >= 0) {
            int used = add_whole(b, 0, 1);
            add_entry(b, used_row, used, -1);
            add_entry(b, spread_row, used, 1);
        }
    }
}

static void add_job(builder *b, const berth__job *job) {
    const berth__cluster *cluster = b->cluster;
    const double infinity = (double)INFINITY;
    b->job = job;
    b->most_servers = berth__ps_needed(job, job->max_workers);
    b->job_row = add_row(b, -infinity, 1);
    b->progress_row = add_row(b, 0, infinity);
    /* Rows of the slots come one after the other; completion in tc allows work in each slot up to it. */
    int slots = cluster->horizon - job->arrival, locality_row = 0;
    for (int k = 0; k < slots; k++) {
        int row = add_row(b, -infinity, 0);
        locality_row = k == 0 ? row : locality_row;
    }
    for (int k = job->fastest_slots - 1; k < slots; k++) {
        int col = add_whole(b, berth__utility_at(&job->utility, k), 1);
        add_entry(b, b->job_row, col, 1);
        add_entry(b, b->progress_row, col, -(1 - BERTH__PROGRESS));
        for (int t = 0; t <= k; t++) {
            add_entry(b, locality_row + t, col, -1);
        }
    }
    bool several = count_eligible(cluster, job) > 1;
    for (int k = 0; k < slots; k++) {
        for (int h = 0; h < cluster->n_machines; h++) {
            if (eligible(job, h)) {
                add_internal(b, job->arrival + k, h, locality_row + k);
            }
        }
        if (several) {
            add_external(b, job->arrival + k, locality_row + k);
        }
    }
}

berth_status berth__time_indexed_model(const berth__cluster *cluster, size_t n_jobs, berth__job *const *jobs,
                                       berth__model **out, berth_error *error) {
    builder b = {.cluster = cluster, .status = BERTH_OK, .error = error};
    *out = NULL;
    b.status = berth__model_new(&b.model, error);
    if (b.status == BERTH_OK) {
        b.model->maximize = true;
        add_capacities(&b);
    }
    for (size_t i = 0; i < n_jobs && b.status == BERTH_OK; i++) {
        if (placeable(cluster, jobs[i])) {
            add_job(&b, jobs[i]);
        }
    }
    if (b.status == BERTH_OK) {
        b.status = berth__model_finish(b.model, error);
    }
    if (b.status != BERTH_OK) {
        berth__model_free(b.model);
        return b.status;
    }
    *out = b.model;
    return BERTH_OK;
}
