/* The brute-force oracle against hand-computed cases and against branch and bound on the time-indexed programme. */
#include "base/pcg.h"
#include "solver/solve.h"
#include "tests/support/backends.h"
#include "tests/support/brute_force.h"
#include "tests/support/check.h"

#include <string.h>

enum { MACHINES = 3, JOBS = 3, RESOURCES = 2, SLOTS = 4 };
static const long NODES = 50 * 1000 * 1000;

/* An instance built in place. */
typedef struct sample {
    berth_instance in;
    const char *machines[MACHINES], *resources[RESOURCES];
    double capacity[MACHINES * RESOURCES], worker[JOBS][RESOURCES], ps[JOBS][RESOURCES], amount[RESOURCES];
    double prices[SLOTS * MACHINES * RESOURCES], room[SLOTS * MACHINES * RESOURCES];
    berth_job jobs[JOBS];
    berth_quota quota;
    const char *glob[1];
} sample;

static const char *const machine_names[MACHINES] = {"a-0", "b-0", "b-1"};
static const char *const resource_names[RESOURCES] = {"gpu", "cpu"};
static const char *const job_names[JOBS] = {"one", "two", "three"};

static void sample_init(sample *s, int n_machines, int n_resources, int n_jobs, int slots, double slot_seconds) {
    memset(s, 0, sizeof *s);
    memcpy(s->machines, machine_names, sizeof s->machines);
    memcpy(s->resources, resource_names, sizeof s->resources);
    s->in.slot_seconds = slot_seconds;
    s->in.horizon_slots = slots;
    s->in.n_machines = (size_t)n_machines;
    s->in.n_resources = (size_t)n_resources;
    s->in.n_jobs = (size_t)n_jobs;
    s->in.machines = s->machines;
    s->in.resources = s->resources;
    s->in.capacity = s->capacity;
    s->in.jobs = s->jobs;
    s->in.quotas = &s->quota;
    s->quota = (berth_quota){.tenant = "lab", .amount = s->amount};
    for (int i = 0; i < n_jobs; i++) {
        s->jobs[i] = (berth_job){.struct_size = sizeof(berth_job),
                                 .id = job_names[i],
                                 .epochs = 1,
                                 .batch = 1,
                                 .worker = s->worker[i],
                                 .ps = s->ps[i]};
    }
}

static double optimum(const sample *s) {
    bool complete;
    double value = brute_force_optimum(&s->in, NODES, &complete);
    assert_true(complete);
    return value;
}

/* ---- by hand ---- */

/* Workers of one gpu, 10 samples a slot each, 40 samples to do, at most 2 workers; u(d) = 10 - d. */
static void init_two_gpus(sample *s, int n_jobs, int slots) {
    sample_init(s, 1, 1, n_jobs, slots, 10);
    s->capacity[0] = 2;
    for (int i = 0; i < n_jobs; i++) {
        s->worker[i][0] = 1;
        s->jobs[i].samples = 40;
        s->jobs[i].max_workers = 2;
        s->jobs[i].sample_seconds = 1;
        s->jobs[i].bandwidth_internal_mb_s = s->jobs[i].bandwidth_external_mb_s = 1;
        s->jobs[i].all_reduce = true;
        s->jobs[i].ps = NULL;
        s->jobs[i].utility = (berth_utility){.kind = BERTH_UTILITY_LINEAR, .value = 10, .deadline_slots = 10};
    }
}

static void jobs_wait_for_each_other(void **state) {
    (void)state;
    sample s;
    init_two_gpus(&s, 1, 3);
    assert_close(optimum(&s), 9, 1e-12); /* slots 0, 1 */
    init_two_gpus(&s, 2, 3);
    assert_close(optimum(&s), 9, 1e-12);
    init_two_gpus(&s, 2, 4);
    assert_close(optimum(&s), 9 + 7, 1e-12); /* one after the other; side by side 7 + 7 */
    s.jobs[1].arrival_slot = 2;
    assert_close(optimum(&s), 9 + 9, 1e-12);
    s.jobs[1].arrival_slot = 3;
    assert_close(optimum(&s), 9, 1e-12);
    init_two_gpus(&s, 2, 4);
    s.jobs[0].samples = s.jobs[1].samples = 40 * (1 + 1e-10); /* within the tolerance */
    assert_close(optimum(&s), 9 + 7, 1e-12);
    s.jobs[0].samples = s.jobs[1].samples = 40 * (1 + 1e-8);
    assert_close(optimum(&s), 8, 1e-12);
}

static void quotas_bind(void **state) {
    (void)state;
    sample s;
    init_two_gpus(&s, 2, 4);
    s.in.n_quotas = 1;
    s.amount[0] = 1;
    assert_close(optimum(&s), 9 + 7, 1e-12); /* of another tenant */
    s.jobs[0].tenant = s.jobs[1].tenant = "lab";
    assert_close(optimum(&s), 7, 1e-12); /* one gpu in all: four slots for one job */
    s.jobs[1].tenant = NULL;
    assert_close(optimum(&s), 7 + 7, 1e-12);
}

static void utilities_by_kind(void **state) {
    (void)state;
    static const berth_step steps[] = {{0, 8}, {1, 5}, {2, 1}};
    static const berth_utility cases[] = {
        {.kind = BERTH_UTILITY_CONSTANT, .value = 3},
        {.kind = BERTH_UTILITY_DEADLINE, .value = 3, .deadline_slots = 1},
        {.kind = BERTH_UTILITY_DEADLINE, .value = 3, .deadline_slots = 0.5},
        {.kind = BERTH_UTILITY_SIGMOID, .theta = {6, 2, 1}},
        {.kind = BERTH_UTILITY_STEPS, .n_steps = 3, .steps = steps},
        {.kind = BERTH_UTILITY_STEPS, .n_steps = 1, .steps = steps},
    };
    static const double expected[] = {3, 3, 0, 3, 5, 0}; /* at delay 1 */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sample s;
        init_two_gpus(&s, 1, 3);
        s.jobs[0].utility = cases[i];
        assert_close(optimum(&s), expected[i], 1e-12);
    }
}

/* Workers and servers of one unit each, gamma 2; 6 samples a slot per worker internally, 4 externally (or the other way
 * round), machines of `first` and `second` units. */
static void init_servers(sample *s, double first, double second, double work, bool internal_faster) {
    static const berth_step steps[] = {{0, 5}, {1, 3}};
    sample_init(s, 2, 1, 1, 2, 6);
    s->capacity[0] = first;
    s->capacity[1] = second;
    s->worker[0][0] = s->ps[0][0] = 1;
    s->jobs[0].samples = work;
    s->jobs[0].max_workers = 3;
    s->jobs[0].sample_seconds = 0.5;
    s->jobs[0].gradient_mb = 1;
    s->jobs[0].workers_per_ps = 2;
    s->jobs[0].bandwidth_internal_mb_s = internal_faster ? 8 : 4;
    s->jobs[0].bandwidth_external_mb_s = internal_faster ? 4 : 8;
    s->jobs[0].utility = (berth_utility){.kind = BERTH_UTILITY_STEPS, .n_steps = 2, .steps = steps};
}

static double with_servers(double first, double second, double work, bool internal_faster) {
    sample s;
    init_servers(&s, first, second, work, internal_faster);
    return optimum(&s);
}

static void locality_by_placement(void **state) {
    (void)state;
    assert_close(with_servers(2, 2, 6, true), 5, 1e-12);  /* a worker and a server on one machine */
    assert_close(with_servers(2, 2, 8, true), 5, 1e-12);  /* two workers, one server, spread */
    assert_close(with_servers(2, 2, 9, true), 3, 1e-12);  /* three would need two servers */
    assert_close(with_servers(2, 2, 16, true), 3, 1e-12); /* spread in both slots */
    assert_close(with_servers(2, 2, 17, true), 0, 1e-12);
    assert_close(with_servers(3, 0, 12, true), 5, 1e-12); /* all three on the first */
    /* slower internally: fits on one machine, but is better apart */
    assert_close(with_servers(4, 1, 12, false), 5, 1e-12);
    assert_close(with_servers(4, 0, 12, false), 3, 1e-12);
    assert_close(with_servers(4, 0, 16, false), 3, 1e-12);
    assert_close(with_servers(4, 0, 17, false), 0, 1e-12);
}

static void eligibility(void **state) {
    (void)state;
    static const char *const globs[] = {"b*", "[!a]-?", "a-0", "?-1"};
    static const double allowed[] = {0, 0, 3, 0}, avoided[] = {3, 3, 0, 5};
    for (int i = 0; i < 4; i++) {
        sample s;
        init_servers(&s, 4, 1, 12, false);
        s.glob[0] = globs[i];
        s.jobs[0].allow = s.glob;
        s.jobs[0].n_allow = 1;
        assert_close(optimum(&s), allowed[i], 1e-12);
        s.jobs[0].n_allow = 0;
        s.jobs[0].avoid = s.glob;
        s.jobs[0].n_avoid = 1;
        assert_close(optimum(&s), avoided[i], 1e-12);
    }
}

static void knows_its_limits(void **state) {
    (void)state;
    sample s;
    bool complete = true;
    init_two_gpus(&s, 2, 4);
    brute_force_optimum(&s.in, 3, &complete);
    assert_false(complete);
    s.jobs[0].max_workers = BRUTE_WORKERS + 1;
    assert_true(isnan(brute_force_optimum(&s.in, NODES, &complete)));
    assert_false(complete);
    assert_true(isnan(brute_force_schedule_cost(&s.in, 0, 3, s.prices, NULL)));
}

static void cheapest_schedules(void **state) {
    (void)state;
    sample s;
    init_two_gpus(&s, 1, 4);
    const double prices[] = {1, 3, 2, 0.5}, room[] = {1, 2, 2, 2};
    memcpy(s.prices, prices, sizeof prices);
    assert_true(brute_force_schedule_cost(&s.in, 0, 0, s.prices, NULL) == (double)INFINITY);
    assert_close(brute_force_schedule_cost(&s.in, 0, 1, s.prices, NULL), 2 * 1 + 2 * 3, 1e-12);
    assert_close(brute_force_schedule_cost(&s.in, 0, 2, s.prices, NULL), 2 * 1 + 2 * 2, 1e-12);
    assert_close(brute_force_schedule_cost(&s.in, 0, 3, s.prices, NULL), 2 * 1 + 2 * 0.5, 1e-12);
    assert_true(brute_force_schedule_cost(&s.in, 0, 1, s.prices, room) == (double)INFINITY);
    assert_close(brute_force_schedule_cost(&s.in, 0, 2, s.prices, room), 1 + 2 * 2 + 3, 1e-12);
    s.jobs[0].arrival_slot = 1;
    assert_close(brute_force_schedule_cost(&s.in, 0, 9, s.prices, room), 2 * 2 + 2 * 0.5, 1e-12);
}

/* ---- random instances ---- */

static double whole(berth__pcg *stream, int low, int high) {
    return (double)berth__pcg_integer(stream, low, high);
}

static bool chance(berth__pcg *stream, double p) {
    return berth__pcg_uniform(stream) < p;
}

static void draw_job(berth__pcg *g, sample *s, int i, int slots, int most_workers) {
    berth_job *job = &s->jobs[i];
    for (size_t r = 0; r < s->in.n_resources; r++) {
        s->worker[i][r] = whole(g, r == 0, 3);
        s->ps[i][r] = whole(g, 0, 2);
    }
    job->arrival_slot = (int)whole(g, 0, slots - 1);
    job->max_workers = (int)whole(g, 1, most_workers);
    job->sample_seconds = whole(g, 1, 4) / 4;
    job->gradient_mb = whole(g, 0, 4);
    job->batch = whole(g, 1, 4);
    job->workers_per_ps = chance(g, 0.7) ? whole(g, 1, 3) : whole(g, 5, 30) / 10;
    job->bandwidth_internal_mb_s = whole(g, 2, 12);
    job->bandwidth_external_mb_s = whole(g, 2, 12);
    job->all_reduce = chance(g, 0.25);
    if (job->all_reduce) {
        job->ps = NULL;
    }
    double gamma = job->all_reduce ? 1 : job->workers_per_ps;
    double speed = 1 / (job->sample_seconds + gamma * 2 * job->gradient_mb / (job->batch * 4));
    job->samples = s->in.slot_seconds * speed * whole(g, 1, 3 + most_workers) * (chance(g, 0.5) ? 1 : 0.9);
    job->tenant = chance(g, 0.5) ? "lab" : NULL;
    job->utility = (berth_utility){.kind = BERTH_UTILITY_LINEAR, .value = whole(g, 1, 20), .deadline_slots = 6};
    if (chance(g, 0.15)) {
        job->avoid = s->glob;
        job->n_avoid = 1;
    }
}

static void draw(berth__pcg *g, sample *s, int most_machines, int most_jobs, int most_slots, int most_workers) {
    int machines = (int)whole(g, 1, most_machines), jobs = (int)whole(g, 1, most_jobs);
    int slots = (int)whole(g, 1, most_slots);
    sample_init(s, machines, (int)whole(g, 1, RESOURCES), jobs, slots, 8);
    s->glob[0] = "b*";
    for (size_t i = 0; i < s->in.n_machines * s->in.n_resources; i++) {
        s->capacity[i] = whole(g, 0, 7);
    }
    for (int i = 0; i < jobs; i++) {
        draw_job(g, s, i, slots, most_workers);
    }
    s->in.n_quotas = chance(g, 0.3);
    for (size_t r = 0; r < s->in.n_resources; r++) {
        s->amount[r] = chance(g, 0.3) ? (double)INFINITY : whole(g, 2, 8);
    }
    size_t stride = s->in.n_machines * s->in.n_resources;
    for (size_t i = 0; i < SLOTS * stride; i++) {
        s->prices[i] = whole(g, 0, 9) / 4;
        s->room[i] = s->capacity[i % stride] - (chance(g, 0.5) ? whole(g, 0, (int)s->capacity[i % stride]) : 0);
    }
}

/* ---- the time-indexed programme ---- */

/* Columns of a job in a slot. Internal ones by machine; `away` marks machines used externally. */
typedef struct slot_columns {
    int w_in[MACHINES], s_in[MACHINES], is_in[MACHINES], w_out[MACHINES], s_out[MACHINES], away[MACHINES], is_out, done;
} slot_columns;

typedef struct programme {
    const sample *s;
    berth__model *model;
    berth_error error;
    slot_columns at[JOBS][SLOTS];
} programme;

static int new_row(programme *p, double lower, double upper) {
    int row;
    assert_ok(berth__model_add_row(p->model, NULL, lower, upper, &row, &p->error), p->error);
    return row;
}

static void put(programme *p, int row, int col, double value) {
    assert_ok(berth__model_add_entry(p->model, row, col, value, &p->error), p->error);
}

static int new_col(programme *p, double cost, double upper) {
    int col;
    assert_ok(berth__model_add_col(p->model, NULL, cost, 0, upper, true, &col, &p->error), p->error);
    return col;
}

/* x <= most * y */
static void link(programme *p, int x, int y, double most) {
    int row = new_row(p, -(double)INFINITY, 0);
    put(p, row, x, 1);
    put(p, row, y, -most);
}

static double price_of(const sample *s, int slot, size_t h, const double *demand) {
    double price = 0;
    for (size_t r = 0; r < s->in.n_resources && demand != NULL; r++) {
        price += s->prices[((size_t)slot * s->in.n_machines + h) * s->in.n_resources + r] * demand[r];
    }
    return price;
}

static bool may_use(const berth_job *job, size_t h) {
    return job->n_avoid == 0 || machine_names[h][0] != 'b';
}

/* Workers, servers and locality of one job in one slot. */
static void add_slot(programme *p, int i, int slot, bool priced) {
    const sample *s = p->s;
    const berth_job *job = &s->jobs[i];
    slot_columns *c = &p->at[i][slot];
    bool present = slot >= job->arrival_slot;
    double w_most = job->max_workers, s_most = job->all_reduce ? 0 : 2 + ceil(w_most / job->workers_per_ps);
    c->is_out = new_col(p, 0, present);
    int one_mode = new_row(p, -(double)INFINITY, 1), apart = new_row(p, 0, (double)INFINITY);
    int width = new_row(p, -(double)INFINITY, w_most), served_out = new_row(p, 0, (double)INFINITY);
    put(p, one_mode, c->is_out, 1);
    put(p, apart, c->is_out, -2);
    for (size_t h = 0; h < s->in.n_machines; h++) {
        bool here = present && may_use(job, h);
        double pw = priced ? price_of(s, slot, h, job->worker) : 0, ps = priced ? price_of(s, slot, h, job->ps) : 0;
        c->is_in[h] = new_col(p, 0, here);
        c->away[h] = new_col(p, 0, here);
        c->w_in[h] = new_col(p, pw, here * w_most);
        c->w_out[h] = new_col(p, pw, here * w_most);
        c->s_in[h] = new_col(p, ps, here * s_most);
        c->s_out[h] = new_col(p, ps, here * s_most);
        put(p, one_mode, c->is_in[h], 1);
        put(p, apart, c->away[h], 1);
        put(p, width, c->w_in[h], 1);
        put(p, width, c->w_out[h], 1);
        link(p, c->w_in[h], c->is_in[h], w_most);
        link(p, c->s_in[h], c->is_in[h], s_most);
        link(p, c->w_out[h], c->is_out, w_most);
        link(p, c->s_out[h], c->is_out, s_most);
        int used = new_row(p, 0, (double)INFINITY);
        put(p, used, c->w_out[h], 1);
        put(p, used, c->s_out[h], 1);
        put(p, used, c->away[h], -1);
        if (!job->all_reduce) {
            int served_in = new_row(p, 0, (double)INFINITY);
            put(p, served_in, c->s_in[h], job->workers_per_ps);
            put(p, served_in, c->w_in[h], -1);
            put(p, served_out, c->s_out[h], job->workers_per_ps);
            put(p, served_out, c->w_out[h], -1);
        }
    }
}

static double progress_of_worker(const sample *s, const berth_job *job, double bandwidth) {
    double gamma = job->all_reduce ? 1 : job->workers_per_ps;
    return s->in.slot_seconds / (job->sample_seconds + gamma * 2 * job->gradient_mb / (job->batch * bandwidth));
}

/* done[t] = 1 if the job is complete by the end of slot t, for one t at most. */
static void add_completion(programme *p, int i, int only_slot) {
    const sample *s = p->s;
    const berth_job *job = &s->jobs[i];
    int at_most_once = new_row(p, only_slot >= 0, 1);
    for (int t = job->arrival_slot; t < s->in.horizon_slots; t++) {
        double utility = fmax(0, job->utility.value * (1 - (t - job->arrival_slot) / job->utility.deadline_slots));
        p->at[i][t].done = new_col(p, only_slot >= 0 ? 0 : utility, only_slot < 0 || t == only_slot);
        put(p, at_most_once, p->at[i][t].done, 1);
        int enough = new_row(p, 0, (double)INFINITY);
        put(p, enough, p->at[i][t].done, -job->epochs * job->samples * (1 - 1e-9));
        for (int u = job->arrival_slot; u <= t; u++) {
            for (size_t h = 0; h < s->in.n_machines; h++) {
                put(p, enough, p->at[i][u].w_in[h], progress_of_worker(s, job, job->bandwidth_internal_mb_s));
                put(p, enough, p->at[i][u].w_out[h], progress_of_worker(s, job, job->bandwidth_external_mb_s));
            }
        }
    }
}

static void put_demand(programme *p, int row, int i, int slot, size_t h, size_t r) {
    const slot_columns *c = &p->at[i][slot];
    put(p, row, c->w_in[h], p->s->worker[i][r]);
    put(p, row, c->w_out[h], p->s->worker[i][r]);
    put(p, row, c->s_in[h], p->s->ps[i][r]);
    put(p, row, c->s_out[h], p->s->ps[i][r]);
}

/* Capacities and quotas of jobs first .. end-1. */
static void add_capacities(programme *p, int slot, int first, int end, const double *capacity) {
    const berth_instance *in = &p->s->in;
    for (size_t r = 0; r < in->n_resources; r++) {
        for (size_t h = 0; h < in->n_machines; h++) {
            int row = new_row(p, -(double)INFINITY, capacity[h * in->n_resources + r]);
            for (int i = first; i < end; i++) {
                put_demand(p, row, i, slot, h, r);
            }
        }
        int quota = new_row(p, -(double)INFINITY, in->n_quotas > 0 ? p->s->amount[r] : (double)INFINITY);
        for (int i = first; i < end; i++) {
            for (size_t h = 0; h < in->n_machines && in->jobs[i].tenant != NULL; h++) {
                put_demand(p, quota, i, slot, h, r);
            }
        }
    }
}

/* -INFINITY: infeasible. NAN: no verdict. */
static double solve(programme *p, const berth_backends *set) {
    berth__lp *lp;
    berth__lp_options options;
    const berth__lp_result *result;
    berth__budget budget = berth__budget_start(20, NULL);
    berth__lp_options_init(&options);
    options.budget = &budget;
    assert_ok(berth__model_finish(p->model, &p->error), p->error);
    assert_ok(berth__lp_open(p->model, set, "glpk", &lp, &p->error), p->error);
    assert_ok(berth__lp_solve(lp, &options, &result, &p->error), p->error);
    double value = result->outcome == BERTH_OPTIMAL      ? result->objective
                   : result->outcome == BERTH_INFEASIBLE ? -(double)INFINITY
                                                         : (double)NAN;
    berth__lp_close(lp);
    berth__model_free(p->model);
    return value;
}

static double programme_optimum(const sample *s, const berth_backends *set) {
    programme p = {.s = s};
    assert_ok(berth__model_new(&p.model, &p.error), p.error);
    p.model->maximize = true;
    for (int i = 0; i < (int)s->in.n_jobs; i++) {
        for (int t = 0; t < s->in.horizon_slots; t++) {
            add_slot(&p, i, t, false);
        }
        add_completion(&p, i, -1);
    }
    for (int t = 0; t < s->in.horizon_slots; t++) {
        add_capacities(&p, t, 0, (int)s->in.n_jobs, s->capacity);
    }
    return solve(&p, set);
}

/* Of the first job, complete by the last slot, on s->room. */
static double programme_cost(const sample *s, const berth_backends *set) {
    programme p = {.s = s};
    assert_ok(berth__model_new(&p.model, &p.error), p.error);
    for (int t = 0; t < s->in.horizon_slots; t++) {
        add_slot(&p, 0, t, true);
    }
    add_completion(&p, 0, s->in.horizon_slots - 1);
    for (int t = 0; t < s->in.horizon_slots; t++) {
        add_capacities(&p, t, 0, 1, s->room + (size_t)t * s->in.n_machines * s->in.n_resources);
    }
    return solve(&p, set);
}

static void equals_branch_and_bound(void **state) {
#ifndef BERTH_WITH_GLPK
    skip();
#endif
    const berth_backends *set = *state;
    int positive = 0, affordable = 0, unproved = 0;
    for (uint64_t i = 0; i < 400; i++) {
        uint64_t key[] = {77, i};
        berth__pcg stream = berth__pcg_key(2, key);
        sample s;
        draw(&stream, &s, 2, i % 4 == 0 ? 3 : 2, 3, 3);
        double found = optimum(&s), proved = programme_optimum(&s, set);
        if (!isnan(proved) && fabs(found - proved) > 1e-6 * fmax(1, found)) {
            fail_msg("instance %d: brute force %.12g, branch and bound %.12g", (int)i, found, proved);
        }
        positive += found > 0;
        double cost = brute_force_schedule_cost(&s.in, 0, s.in.horizon_slots - 1, s.prices, s.room);
        double least = programme_cost(&s, set);
        bool same = cost < (double)INFINITY ? fabs(cost - least) <= 1e-6 * fmax(1, cost) : least == -(double)INFINITY;
        if (!isnan(least) && !same) {
            fail_msg("instance %d: cheapest schedule %.12g, branch and bound %.12g", (int)i, cost, least);
        }
        affordable += cost < (double)INFINITY;
        unproved += isnan(proved) || isnan(least);
    }
    assert_true(positive > 100 && affordable > 50 && affordable < 350 && unproved < 8);
}

/* At the sizes it is meant for it ends. */
static void ends_soon(void **state) {
    (void)state;
    for (uint64_t i = 0; i < 300; i++) {
        uint64_t key[] = {78, i};
        berth__pcg stream = berth__pcg_key(2, key);
        sample s;
        draw(&stream, &s, MACHINES, JOBS, SLOTS, 4);
        optimum(&s);
    }
}

static int set_up(void **state) {
    *state = all_backends();
    return 0;
}

static int tear_down(void **state) {
    berth_backends_free(*state);
    return 0;
}

/* j2 alone in slot 0, worth 7, then j1 by slot 2: better than both by slot 1, where j1 is ahead and more is earned at
 * the time (tiny instance 1912). */
static void test_late_completion_may_earn_more(void **state) {
    (void)state;
    berth_error error;
    berth_instance *instance = NULL;
    bool complete = false;
    assert_ok(berth_generate_tiny(1912, &instance, &error), error);
    assert_close(brute_force_optimum(instance, 1000000, &complete), 7 + 13 / (1 + exp(-0.25)), 1e-12);
    assert_true(complete);
    berth_instance_free(instance);
}

/* By completion slot; and the sum of all workers. */
typedef struct tally {
    int completed[SLOTS], workers;
    double utility;
} tally;

static void count_schedule(void *user, const brute_schedule *schedule) {
    tally *t = user;
    t->completed[schedule->completion_slot]++;
    t->utility += schedule->utility;
    for (int slot = 0; slot < SLOTS; slot++) {
        for (int h = 0; h < MACHINES; h++) {
            t->workers += schedule->workers[slot][h];
        }
    }
}

static void lists_schedules(void **state) {
    (void)state;
    sample s;
    tally t = {{0}, 0, 0};
    init_two_gpus(&s, 1, 3); /* 2 2 -, 2 - 2, - 2 2, 2 1 1, 1 2 1, 1 1 2 */
    assert_true(brute_force_schedules(&s.in, 0, 6, count_schedule, &t));
    assert_true(t.completed[1] == 1 && t.completed[2] == 5 && t.workers == 6 * 4);
    assert_close(t.utility, 9 + 5 * 8, 1e-12);
    assert_false(brute_force_schedules(&s.in, 0, 5, count_schedule, &t));

    sample_init(&s, 2, 1, 1, 2, 10); /* two machines of a gpu: 11 -, - 11, and one of two in each slot */
    t = (tally){{0}, 0, 0};
    s.capacity[0] = s.capacity[1] = 1;
    s.worker[0][0] = 1;
    s.jobs[0] = (berth_job){.struct_size = sizeof(berth_job),
                            .epochs = 1,
                            .samples = 20,
                            .batch = 1,
                            .max_workers = 2,
                            .sample_seconds = 1,
                            .bandwidth_internal_mb_s = 1,
                            .bandwidth_external_mb_s = 1,
                            .all_reduce = true,
                            .worker = s.worker[0],
                            .utility = {.kind = BERTH_UTILITY_CONSTANT, .value = 1}};
    assert_true(brute_force_schedules(&s.in, 0, 100, count_schedule, &t));
    assert_true(t.completed[0] == 1 && t.completed[1] == 5 && t.workers == 6 * 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_wait_for_each_other),
        cmocka_unit_test(quotas_bind),
        cmocka_unit_test(utilities_by_kind),
        cmocka_unit_test(locality_by_placement),
        cmocka_unit_test(eligibility),
        cmocka_unit_test(knows_its_limits),
        cmocka_unit_test(cheapest_schedules),
        cmocka_unit_test(test_late_completion_may_earn_more),
        cmocka_unit_test(ends_soon),
        cmocka_unit_test(lists_schedules),
        cmocka_unit_test_setup_teardown(equals_branch_and_bound, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
