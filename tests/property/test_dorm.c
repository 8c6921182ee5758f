/* Policy dorm and its integer programme (formulations/partition.h): against enumeration of all allocations of tiny
 * slots, and its bounds in every slot of larger runs, recomputed from the instance and the result. All seeds are fixed:
 * no false failures. */
#include "base/pcg.h"
#include "formulations/partition.h"
#include "online/slot_room.h"
#include "solver/solve.h"
#include "tests/support/backends.h"
#include "tests/support/check.h"
#include "tests/support/checked_run.h"

#include <berth_io.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef BERTH_WITH_GLPK

enum {
    TINY_MACHINES = 3,
    PROGRAMMES = 1500,
    SMALL_RUNS = 800,
    RUNS = 40,
    MOST_HOLDINGS = 4000,
    MOST_COMBINATIONS = 400000
};

/* The policy's own: it stops that near to the optimum. */
#define GAP 1e-3

/* ---- every allocation of a slot ---- */

typedef struct holdings {
    int *w, *s;     /* [n][n_machines] */
    double *shares; /* [n] dominant */
    bool *adjusted; /* [n] */
    size_t n;
} holdings;

typedef struct enumeration {
    const berth__partition *partition;
    holdings *of; /* [n_jobs] */
    double *used; /* [n_machines][n_resources] */
    double *tenants;
    double best;  /* utilisation within both bounds; -1: none */
    double least; /* loss within the bound on adjustments */
} enumeration;

static int needed(const berth__job *job, int workers) {
    return workers == 0 || isinf(job->workers_per_ps) ? 0 : (int)ceil(workers / job->workers_per_ps * (1 - 1e-9));
}

static bool fits_alone(const berth__cluster *cluster, const berth__job *job, int h, int w, int s) {
    if (job->eligible != NULL && !job->eligible[h]) {
        return w == 0 && s == 0;
    }
    for (int r = 0; r < cluster->n_resources; r++) {
        double held = (w > 0 ? w * job->worker[r] : 0) + (s > 0 ? s * job->ps[r] : 0);
        if (!(held <= cluster->capacity[h * cluster->n_resources + r] * (1 + 1e-10))) {
            return false;
        }
    }
    return true;
}

/* The job's own part of the rules: eligibility, servers, width. */
static void add_holding(const berth__partition *partition, size_t i, const int *w, const int *s, holdings *out) {
    const berth__partition_job *job = &partition->jobs[i];
    const berth__cluster *cluster = partition->cluster;
    size_t H = (size_t)cluster->n_machines;
    int workers = 0, servers = 0;
    for (size_t h = 0; h < H; h++) {
        workers += w[h];
        servers += s[h];
    }
    bool same = job->w != NULL && memcmp(w, job->w, H * sizeof *w) == 0 && memcmp(s, job->s, H * sizeof *s) == 0;
    if (servers != needed(job->job, workers) || (workers > job->most_workers && !same)) {
        return;
    }
    double share = 0;
    for (int r = 0; r < cluster->n_resources; r++) {
        share = fmax(share,
                     (workers > 0 ? workers * job->job->worker[r] : 0) + (servers > 0 ? servers * job->job->ps[r] : 0));
    }
    assert_true(out->n < MOST_HOLDINGS);
    memcpy(out->w + out->n * H, w, H * sizeof *w);
    memcpy(out->s + out->n * H, s, H * sizeof *s);
    out->shares[out->n] = share;
    out->adjusted[out->n++] = job->w != NULL && !same;
}

static void list_from(const berth__partition *partition, size_t i, int h, int most, int *w, int *s, holdings *out) {
    if (h == partition->cluster->n_machines) {
        add_holding(partition, i, w, s, out);
        return;
    }
    int most_servers = needed(partition->jobs[i].job, most);
    for (w[h] = 0; w[h] <= most; w[h]++) {
        for (s[h] = 0; s[h] <= most_servers; s[h]++) {
            if (fits_alone(partition->cluster, partition->jobs[i].job, h, w[h], s[h])) {
                list_from(partition, i, h + 1, most, w, s, out);
            }
        }
    }
}

static void list_holdings(const berth__partition *partition, size_t i, holdings *out) {
    size_t H = (size_t)partition->cluster->n_machines;
    *out = (holdings){.w = calloc(MOST_HOLDINGS * H, sizeof(int)),
                      .s = calloc(MOST_HOLDINGS * H, sizeof(int)),
                      .shares = calloc(MOST_HOLDINGS, sizeof(double)),
                      .adjusted = calloc(MOST_HOLDINGS, sizeof(bool))};
    int w[TINY_MACHINES] = {0}, s[TINY_MACHINES] = {0}, most = partition->jobs[i].most_workers;
    assert_true(H <= TINY_MACHINES && out->w != NULL && out->s != NULL && out->shares != NULL);
    for (size_t h = 0, had = 0; h < H && partition->jobs[i].w != NULL; h++) {
        had += (size_t)partition->jobs[i].w[h];
        most = (int)had > most ? (int)had : most;
    }
    list_from(partition, i, 0, most, w, s, out);
}

/* Takes a holding into account, or gives it back (sign -1). */
static void use(enumeration *e, size_t i, size_t k, int sign) {
    const berth__cluster *cluster = e->partition->cluster;
    const berth__job *job = e->partition->jobs[i].job;
    int R = cluster->n_resources;
    for (int h = 0; h < cluster->n_machines; h++) {
        int w = e->of[i].w[k * (size_t)cluster->n_machines + (size_t)h];
        int s = e->of[i].s[k * (size_t)cluster->n_machines + (size_t)h];
        for (int r = 0; r < R; r++) {
            double held = (w > 0 ? w * job->worker[r] : 0) + (s > 0 ? s * job->ps[r] : 0);
            e->used[h * R + r] += sign * held;
            if (job->quota >= 0) {
                e->tenants[job->quota * R + r] += sign * held;
            }
        }
    }
}

static bool all_fit(const enumeration *e) {
    const berth__cluster *cluster = e->partition->cluster;
    for (int k = 0; k < cluster->n_machines * cluster->n_resources; k++) {
        if (e->used[k] > cluster->capacity[k] * (1 + 1e-10) + 1e-12) {
            return false;
        }
    }
    for (int k = 0; k < cluster->n_quotas * cluster->n_resources; k++) {
        if (e->tenants[k] > cluster->quota[k] * (1 + 1e-10) + 1e-12) {
            return false;
        }
    }
    return true;
}

static double utilisation(const enumeration *e) {
    const berth__cluster *cluster = e->partition->cluster;
    double sum = 0;
    int present = 0;
    for (int k = 0; k < cluster->n_machines * cluster->n_resources; k++) {
        sum += e->used[k];
    }
    for (int r = 0; r < cluster->n_resources; r++) {
        present += cluster->total[r] > 0;
    }
    return sum / present;
}

static void combine(enumeration *e, size_t i, double loss, int adjusted) {
    if (adjusted > e->partition->most_adjusted || !all_fit(e)) {
        return;
    }
    if (i == e->partition->n_jobs) {
        e->least = fmin(e->least, loss);
        e->best = loss <= e->partition->most_loss + 1e-9 ? fmax(e->best, utilisation(e)) : e->best;
        return;
    }
    for (size_t k = 0; k < e->of[i].n; k++) {
        use(e, i, k, 1);
        combine(e, i + 1, loss + fabs(e->of[i].shares[k] - e->partition->jobs[i].fair_share),
                adjusted + e->of[i].adjusted[k]);
        use(e, i, k, -1);
    }
}

/* The best utilisation within both bounds, -1 if there is none, and the least loss within that on adjustments. False:
 * too many allocations. */
static bool enumerate(const berth__partition *partition, double *best, double *least) {
    const berth__cluster *cluster = partition->cluster;
    size_t R = (size_t)cluster->n_resources;
    enumeration e = {.partition = partition,
                     .of = calloc(partition->n_jobs + 1, sizeof *e.of),
                     .used = calloc((size_t)cluster->n_machines * R + 1, sizeof *e.used),
                     .tenants = calloc((size_t)cluster->n_quotas * R + 1, sizeof *e.tenants),
                     .best = -1,
                     .least = HUGE_VAL};
    assert_true(e.of != NULL && e.used != NULL && e.tenants != NULL);
    double combinations = 1;
    for (size_t i = 0; i < partition->n_jobs; i++) {
        list_holdings(partition, i, &e.of[i]);
        combinations *= (double)e.of[i].n;
    }
    bool few = combinations <= MOST_COMBINATIONS;
    if (few) {
        combine(&e, 0, 0, 0);
    }
    for (size_t i = 0; i < partition->n_jobs; i++) {
        free(e.of[i].w);
        free(e.of[i].s);
        free(e.of[i].shares);
        free(e.of[i].adjusted);
    }
    free(e.of);
    free(e.used);
    free(e.tenants);
    *best = e.best;
    *least = e.least;
    return few;
}

/* ---- jobs and cluster of an instance ---- */

typedef struct world {
    berth_instance *instance;
    berth__cluster *cluster;
    berth__job **jobs; /* [n_jobs] */
    berth_backends *backends;
} world;

static void world_open(world *w, berth_instance *instance) {
    berth_error error;
    berth_cluster cluster;
    *w = (world){.instance = instance, .backends = all_backends()};
    berth_instance_cluster(instance, &cluster);
    assert_ok(berth__cluster_new(&cluster, &w->cluster, &error), error);
    w->jobs = calloc(instance->n_jobs + 1, sizeof *w->jobs);
    assert_non_null(w->jobs);
    for (size_t i = 0; i < instance->n_jobs; i++) {
        assert_ok(berth__job_new(w->cluster, &instance->jobs[i], &w->jobs[i], &error), error);
    }
}

static void world_close(world *w) {
    for (size_t i = 0; i < w->instance->n_jobs; i++) {
        berth__job_free(w->jobs[i]);
    }
    free(w->jobs);
    berth__cluster_free(w->cluster);
    berth_backends_free(w->backends);
    berth_instance_free(w->instance);
}

static berth_instance *tiny(uint64_t seed) {
    berth_error error;
    berth_instance *instance = NULL;
    assert_ok(berth_generate_tiny(seed, &instance, &error), error);
    return instance;
}

/* Two machines and more all-reduce jobs than they hold, of unlike demands: whom to adjust matters. */
static berth_instance *crowded(uint64_t seed) {
    static const char *const arrivals[] = {"0", "0", "0", "1", "1", "2"};
    berth_error error;
    berth_instance *instance = NULL;
    berth__pcg stream = berth__pcg_key(1, &seed);
    char text[4096];
    int n = snprintf(text, sizeof text,
                     "{\"format\":\"berth-jobs-1\",\"name\":\"crowded\",\"slot_seconds\":10,\"horizon_slots\":4,"
                     "\"resources\":[\"gpu\",\"cpu\"],\"machines\":["
                     "{\"name\":\"a\",\"capacity\":{\"gpu\":4,\"cpu\":6}},"
                     "{\"name\":\"b\",\"capacity\":{\"gpu\":3,\"cpu\":6}}],\"jobs\":[");
    for (size_t i = 0; i < sizeof arrivals / sizeof *arrivals; i++) {
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "%s{\"id\":\"j%zu\",\"arrival_slot\":%s,\"epochs\":%d,\"samples\":10,\"batch\":8,"
                      "\"max_workers\":2,\"sample_seconds\":1,\"gradient_mb\":0,\"ps\":null,"
                      "\"bandwidth_internal_mb_s\":1,\"bandwidth_external_mb_s\":1,"
                      "\"worker\":{\"gpu\":%d,\"cpu\":%d},\"utility\":{\"kind\":\"constant\",\"value\":1}}",
                      i > 0 ? "," : "", i, arrivals[i], (int)berth__pcg_integer(&stream, 2, 8),
                      (int)berth__pcg_integer(&stream, 1, 3), (int)berth__pcg_integer(&stream, 0, 3));
    }
    n += snprintf(text + n, sizeof text - (size_t)n, "]}");
    assert_ok(berth_instance_parse(text, (size_t)n, &instance, &error), error);
    return instance;
}

/* ---- the programme ---- */

/* A slot with all jobs of a tiny instance: random placements before, fair shares and bounds. */
static void draw_partition(const world *w, uint64_t seed, berth__partition *partition, int *counts) {
    size_t n = w->instance->n_jobs, H = (size_t)w->cluster->n_machines;
    berth__pcg stream = berth__pcg_key(1, &seed);
    berth__partition_job *jobs = calloc(n + 1, sizeof *jobs);
    berth__slot_room room;
    berth__holding held;
    assert_true(jobs != NULL && berth__room_init(&room, w->cluster) && berth__holding_init(&held, w->cluster));
    int n_before = 0;
    for (size_t i = 0; i < n; i++) {
        int *before = counts + 2 * i * H, wanted = (int)berth__pcg_integer(&stream, 0, 3);
        jobs[i] = (berth__partition_job){.job = w->jobs[i],
                                         .most_workers = (int)berth__pcg_integer(&stream, 1, 3),
                                         .fair_share = 0.05 * (double)berth__pcg_integer(&stream, 0, 12)};
        berth__holding_empty(&held, w->cluster);
        for (int k = 0; k < wanted && berth__room_add(&room, w->jobs[i], &held, 1); k++) {
        }
        if (held.workers > 0) {
            memcpy(before, held.w, H * sizeof *before);
            memcpy(before + H, held.s, H * sizeof *before);
            jobs[i].w = before;
            jobs[i].s = before + H;
            n_before++;
        }
    }
    *partition = (berth__partition){.cluster = w->cluster,
                                    .n_jobs = n,
                                    .jobs = jobs,
                                    .most_loss = 0.1001 * (double)berth__pcg_integer(&stream, 0, 12),
                                    .most_adjusted = (int)berth__pcg_integer(&stream, 0, n_before)};
    berth__holding_free(&held);
    berth__room_free(&room);
}

/* Solved to the end; the figures of the allocation found. False: infeasible. */
static bool solve(const world *w, const berth__partition *partition, berth__partition_aim aim,
                  berth__partition_figures *out) {
    berth_error error;
    berth__partition_programme *programme = NULL;
    berth__lp *lp = NULL;
    const berth__lp_result *result = NULL;
    berth__lp_options options;
    berth__lp_options_init(&options);
    assert_ok(berth__partition_programme_new(partition, aim, &programme, &error), error);
    berth__model *model = berth__partition_model(programme);
    assert_ok(berth__lp_open(model, w->backends, "glpk", &lp, &error), error);
    assert_ok(berth__lp_solve(lp, &options, &result, &error), error);
    bool found = result->outcome == BERTH_OPTIMAL;
    assert_true(found || result->outcome == BERTH_INFEASIBLE);
    if (found) {
        size_t n = partition->n_jobs * (size_t)partition->cluster->n_machines;
        int *counts = calloc(2 * n + 1, sizeof *counts);
        double *point = calloc((size_t)model->n_cols + 1, sizeof *point);
        assert_true(counts != NULL && point != NULL);
        berth__partition_allocation(programme, result->x, counts, counts + n);
        berth__partition_measure(partition, counts, counts + n, out);
        /* What is read from the solution is a point of the programme again, of the same value. */
        berth__partition_point(programme, counts, counts + n, point);
        double value = 0;
        for (int j = 0; j < model->n_cols; j++) {
            value += model->cost[j] * point[j];
            assert_true(point[j] >= model->col_lower[j] - 1e-9 && point[j] <= model->col_upper[j] + 1e-9);
        }
        for (int i = 0; i < model->n_rows; i++) {
            double sum = 0;
            for (size_t k = model->row_start[i]; k < model->row_start[i + 1]; k++) {
                sum += model->row_value[k] * point[model->col_of[k]];
            }
            assert_true(sum >= model->row_lower[i] - 1e-7 && sum <= model->row_upper[i] + 1e-7);
        }
        assert_close(value, aim == BERTH__PARTITION_FULLEST ? out->utilisation : value, 1e-7);
        free(counts);
        free(point);
    }
    berth__lp_close(lp);
    berth__partition_programme_free(programme);
    return found;
}

static void test_programme_finds_the_optimum(void **state) {
    (void)state;
    size_t solved = 0, infeasible = 0, skipped = 0, adjusted = 0;
    for (uint64_t seed = 1; seed <= PROGRAMMES; seed++) {
        world w;
        world_open(&w, tiny(seed));
        berth__partition partition;
        int *counts = calloc(2 * w.instance->n_jobs * (size_t)w.cluster->n_machines + 1, sizeof *counts);
        assert_non_null(counts);
        draw_partition(&w, seed, &partition, counts);
        double best = 0, least = 0;
        if (!enumerate(&partition, &best, &least)) {
            skipped++;
        } else {
            berth__partition_figures full = {0}, fair = {0};
            bool found = solve(&w, &partition, BERTH__PARTITION_FULLEST, &full);
            if (found != (best >= 0) || (found && fabs(full.utilisation - best) > 1e-7)) {
                fail_msg("seed %lu: utilisation %.12g, best %.12g", (unsigned long)seed, found ? full.utilisation : -1,
                         best);
            }
            assert_true(!found ||
                        (full.loss <= partition.most_loss + 1e-7 && full.adjusted <= partition.most_adjusted));
            assert_true(solve(&w, &partition, BERTH__PARTITION_FAIREST, &fair)); /* to stay is always allowed */
            assert_true(fabs(fair.loss - least) <= 1e-7 && fair.adjusted <= partition.most_adjusted);
            solved += found;
            infeasible += !found;
            adjusted += found && full.adjusted > 0;
        }
        free((void *)(uintptr_t)partition.jobs);
        free(counts);
        world_close(&w);
    }
    print_message("programmes: %zu solved, %zu adjust, %zu infeasible, %zu too large to enumerate\n", solved, adjusted,
                  infeasible, skipped);
    assert_true(solved > PROGRAMMES / 3 && infeasible > PROGRAMMES / 20 && skipped < PROGRAMMES / 3 &&
                adjusted > PROGRAMMES / 20);
}

/* ---- slots of a run ---- */

/* One slot of a run as the policy saw it. */
typedef struct slot_problem {
    berth__partition partition;
    berth__partition_job *jobs; /* [n_jobs] those active, by arrival */
    int *w, *s;                 /* [n_jobs][n_machines] what the run gave them */
    int *counts;                /* [n_jobs][2][n_machines] memory of jobs' w and s */
    size_t n_running;
} slot_problem;

static const berth_slot_plan *plan_in(const berth_run_job *job, int slot) {
    for (size_t k = 0; k < job->n_slots; k++) {
        if (job->slots[k].slot == slot) {
            return &job->slots[k];
        }
    }
    return NULL;
}

static void read_counts(const berth_slot_plan *plan, int *w, int *s) {
    for (size_t k = 0; plan != NULL && k < plan->n_placements; k++) {
        w[plan->placements[k].machine] = plan->placements[k].workers;
        s[plan->placements[k].machine] = plan->placements[k].ps;
    }
}

static int useful(const berth__job *job, double remaining, berth_locality locality) {
    double n = ceil(remaining / job->slot_samples[locality] * (1 - 0.25e-9));
    return n < 1 ? 1 : n < job->max_workers ? (int)n : job->max_workers;
}

/* Progressive filling by least dominant share, without a heap. */
static void find_fair_shares(const world *w, slot_problem *p, const double *remaining) {
    size_t n = p->partition.n_jobs;
    berth__slot_room room;
    berth__holding *held = calloc(n + 1, sizeof *held);
    bool *out = calloc(n + 1, sizeof *out);
    assert_true(held != NULL && out != NULL && berth__room_init(&room, w->cluster));
    for (size_t i = 0; i < n; i++) {
        assert_true(berth__holding_init(&held[i], w->cluster));
    }
    for (;;) {
        size_t next = n;
        for (size_t i = 0; i < n; i++) {
            if (!out[i] && (next == n || p->jobs[i].fair_share < p->jobs[next].fair_share)) {
                next = i;
            }
        }
        if (next == n) {
            break;
        }
        const berth__job *job = p->jobs[next].job;
        double made = held[next].workers * job->slot_samples[held[next].machines > 1];
        bool wants = held[next].workers < job->max_workers && made < remaining[next] * (1 - 0.25e-9);
        out[next] = !wants || !berth__room_add(&room, job, &held[next], useful(job, remaining[next], BERTH_EXTERNAL));
        p->jobs[next].fair_share =
            berth__dominant_share(w->cluster, job, held[next].workers, needed(job, held[next].workers));
    }
    for (size_t i = 0; i < n; i++) {
        berth__holding_free(&held[i]);
    }
    free(held);
    free(out);
    berth__room_free(&room);
}

static bool is_active(const world *w, const berth_run_job *job, size_t i, int slot) {
    return job->admitted && w->instance->jobs[i].arrival_slot <= slot &&
           (job->outcome != BERTH_JOB_COMPLETED || job->completion_slot >= slot);
}

static void problem_of_slot(const world *w, const berth_run *run, int slot, const berth_options *options,
                            slot_problem *p) {
    size_t n = 0, H = (size_t)w->cluster->n_machines;
    double *remaining = calloc(run->n_jobs + 1, sizeof *remaining);
    *p = (slot_problem){.jobs = calloc(run->n_jobs + 1, sizeof *p->jobs),
                        .w = calloc(run->n_jobs * H + 1, sizeof *p->w),
                        .s = calloc(run->n_jobs * H + 1, sizeof *p->s),
                        .counts = calloc(2 * run->n_jobs * H + 1, sizeof *p->counts)};
    assert_true(remaining != NULL && p->jobs != NULL && p->w != NULL && p->s != NULL && p->counts != NULL);
    for (int arrival = 0; arrival <= slot; arrival++) {
        for (size_t i = 0; i < run->n_jobs; i++) {
            const berth_run_job *job = &run->jobs[i];
            if (w->instance->jobs[i].arrival_slot != arrival || !is_active(w, job, i, slot)) {
                continue;
            }
            double done = 0;
            for (size_t k = 0; k < job->n_slots && job->slots[k].slot < slot; k++) {
                done += job->slots[k].samples;
            }
            remaining[n] = w->jobs[i]->work - done;
            int internal = useful(w->jobs[i], remaining[n], BERTH_INTERNAL);
            int external = useful(w->jobs[i], remaining[n], BERTH_EXTERNAL);
            p->jobs[n] =
                (berth__partition_job){.job = w->jobs[i], .most_workers = internal > external ? internal : external};
            const berth_slot_plan *before = plan_in(job, slot - 1);
            if (before != NULL) {
                int *was = p->counts + 2 * n * H;
                read_counts(before, was, was + H);
                p->jobs[n].w = was;
                p->jobs[n].s = was + H;
                p->n_running++;
            }
            read_counts(plan_in(job, slot), p->w + n * H, p->s + n * H);
            n++;
        }
    }
    int present = 0;
    for (int r = 0; r < w->cluster->n_resources; r++) {
        present += w->cluster->total[r] > 0;
    }
    p->partition = (berth__partition){.cluster = w->cluster,
                                      .n_jobs = n,
                                      .jobs = p->jobs,
                                      .most_loss = options->dorm_fairness * 2 * present,
                                      .most_adjusted = (int)ceil(options->dorm_adjust * (double)p->n_running - 1e-9)};
    find_fair_shares(w, p, remaining);
    free(remaining);
}

static void problem_free(slot_problem *p) {
    free(p->jobs);
    free(p->w);
    free(p->s);
    free(p->counts);
}

static berth_run *run_of(const world *w, uint64_t seed, double fairness, double adjust, double restart_delay_s,
                         berth_options *options) {
    double dual = 0;
    berth_options_init(options);
    options->policy = "dorm";
    options->backends = w->backends;
    options->threads = 1;
    options->bound = BERTH_BOUND_NONE;
    options->dorm_fairness = fairness;
    options->dorm_adjust = adjust;
    options->restart_delay_s = restart_delay_s;
    berth_run *run = audited_run(w->instance, options, seed, "dorm", &dual);
    assert_string_equal(run->solver, "glpk");
    assert_true(run->dorm_fairness == fairness && run->dorm_adjust == adjust);
    return run;
}

/* No allocation within the bounds is fuller; where there is none, the loss is the least that adjustments allow. */
static void test_slots_of_small_runs(void **state) {
    (void)state;
    static const double thetas[][2] = {{0.1, 0.1}, {0.02, 0.5}, {0, 0.5}, {0, 1}, {0, 0.1}, {0.05, 0}, {1, 1}};
    size_t compared = 0, raised = 0, adjusting = 0;
    for (uint64_t seed = 1; seed <= SMALL_RUNS; seed++) {
        world w;
        berth_options options;
        world_open(&w, seed % 4 == 0 ? crowded(seed) : tiny(seed));
        const double *theta = thetas[seed % (sizeof thetas / sizeof *thetas)];
        berth_run *run = run_of(&w, seed, theta[0], theta[1], 0, &options);
        for (int slot = 0; slot < w.cluster->horizon; slot++) {
            slot_problem p;
            double best = -1, least = 0;
            problem_of_slot(&w, run, slot, &options, &p);
            if (p.partition.n_jobs > 0 && enumerate(&p.partition, &best, &least)) {
                berth__partition_figures figures;
                berth__partition_measure(&p.partition, p.w, p.s, &figures);
                assert_true(figures.adjusted <= p.partition.most_adjusted);
                if (best < 0) { /* the next best bound */
                    p.partition.most_loss = least + 1e-7;
                    enumerate(&p.partition, &best, &least);
                    raised++;
                }
                if (!(figures.loss <= p.partition.most_loss + 1e-7) ||
                    !(figures.utilisation >= best * (1 - GAP) - 1e-9)) {
                    fail_msg("seed %lu, slot %d: loss %.9g of %.9g, utilisation %.9g of %.9g", (unsigned long)seed,
                             slot, figures.loss, p.partition.most_loss, figures.utilisation, best);
                }
                compared++;
                adjusting += figures.adjusted > 0;
            }
            problem_free(&p);
        }
        berth_run_free(run);
        world_close(&w);
    }
    print_message("slots: %zu compared, in %zu of them the loss is raised, in %zu jobs are adjusted\n", compared,
                  raised, adjusting);
    assert_true(compared > SMALL_RUNS && raised > 0 && adjusting > 0);
}

static berth_instance *generated(uint64_t seed) {
    berth_error error;
    berth_instance *instance = NULL;
    berth_generate_pdors_options options;
    berth_generate_pdors_options_init(&options);
    options.seed = seed;
    options.machines = 1 + seed % 3;
    options.load = 0.5 * (double)(1 + seed % 6);
    options.slots = 6;
    options.heterogeneous = seed % 2 == 0;
    assert_ok(berth_generate_pdors(&options, &instance, &error), error);
    return instance;
}

/* Adjustments are within their bound in every slot; the loss too where all jobs may be adjusted, as the fair allocation
 * is then one of those to choose from. Never less full than what everybody's staying, or the fair allocation, gives. */
static void test_bounds_hold_in_larger_runs(void **state) {
    (void)state;
    size_t slots = 0, fair_slots = 0;
    for (uint64_t seed = 1; seed <= RUNS; seed++) {
        world w;
        berth_options options;
        world_open(&w, generated(seed));
        double adjust = seed % 2 == 0 ? 1 : 0.1;
        berth_run *run = run_of(&w, seed, 0.02 * (double)(seed % 6), adjust, 0, &options);
        for (int slot = 0; slot < w.cluster->horizon; slot++) {
            slot_problem p;
            berth__partition_figures figures;
            problem_of_slot(&w, run, slot, &options, &p);
            berth__partition_measure(&p.partition, p.w, p.s, &figures);
            assert_true(figures.adjusted <= p.partition.most_adjusted);
            bool within = figures.loss <= p.partition.most_loss * (1 + 1e-9) + 1e-9;
            if (adjust == 1 && !within) {
                fail_msg("seed %lu, slot %d: loss %.9g, bound %.9g", (unsigned long)seed, slot, figures.loss,
                         p.partition.most_loss);
            }
            slots += p.partition.n_jobs > 0;
            fair_slots += p.partition.n_jobs > 0 && within;
            problem_free(&p);
        }
        berth_run_free(run);
        world_close(&w);
    }
    print_message("slots: %zu, the loss is within its bound in %zu\n", slots, fair_slots);
    assert_true(slots > 3 * RUNS && fair_slots > slots / 2);
}

#endif

/* Without a solver of integer programmes the policy says so. */
static void test_needs_a_solver(void **state) {
    (void)state;
    berth_error error;
    berth_instance *instance = NULL;
    berth_run *run = NULL;
    berth_options options;
    berth_options_init(&options);
    options.policy = "dorm"; /* and the built-in backends */
    assert_ok(berth_generate_tiny(1, &instance, &error), error);
    assert_int_equal(berth_run_online(instance, &options, &run, NULL, &error), BERTH_E_BACKEND);
    assert_null(run);
    assert_non_null(strstr(error.message, "\"dorm\""));
    assert_non_null(strstr(error.message, "glpk"));
    options.solver = "first-order";
    assert_int_equal(berth_run_online(instance, &options, &run, NULL, &error), BERTH_E_BACKEND);
    assert_non_null(strstr(error.message, "\"first-order\""));
    options.solver = "auto";
    options.dorm_fairness = 1.5;
    assert_int_equal(berth_run_online(instance, &options, &run, NULL, &error), BERTH_E_ARGUMENT);
    assert_string_equal(error.where, "dorm_fairness");
    options.dorm_fairness = 1;
    options.dorm_adjust = (double)NAN;
    assert_int_equal(berth_run_online(instance, &options, &run, NULL, &error), BERTH_E_ARGUMENT);
    assert_string_equal(error.where, "dorm_adjust");
    berth_instance_free(instance);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_needs_a_solver),
#ifdef BERTH_WITH_GLPK
        cmocka_unit_test(test_programme_finds_the_optimum),
        cmocka_unit_test(test_slots_of_small_runs),
        cmocka_unit_test(test_bounds_hold_in_larger_runs),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
