/* The checker's dual bound: its slot costs against an enumeration of dual vertices, the bound against brute force.
 * Cases are random with fixed seeds and hold for every draw, so that nothing fails by chance. */
#include "tests/support/check.h"

#include <stdlib.h>
#include <string.h>

#include <berth_io.h>

#include "audit/run/region.h"
#include "base/pcg.h"

/* math.h has them as floats */
#define ABSENT  ((double)NAN)
#define ENDLESS ((double)INFINITY)

static double uniform(berth__pcg *stream, double low, double high) {
    return low + (high - low) * berth__pcg_uniform(stream);
}

static bool chance(berth__pcg *stream, double part) {
    return berth__pcg_uniform(stream) < part;
}

/* ---- slot costs ---- */

enum { MOST_GROUPS = 4, MOST_RESOURCES = 4, MOST_VERTICES = 24, MOST_LINES = 2 + MOST_GROUPS * 20 };

typedef struct slot_case {
    size_t n_groups, n_resources;
    double count[MOST_GROUPS], capacity[MOST_GROUPS * MOST_RESOURCES], worker[MOST_RESOURCES], ps[MOST_RESOURCES];
    double price_worker[MOST_GROUPS], price_ps[MOST_GROUPS];
    size_t n_vertices[MOST_GROUPS]; /* of each polygon, by brute force, the origin included */
    double w[MOST_GROUPS][MOST_VERTICES], s[MOST_GROUPS][MOST_VERTICES];
} slot_case;

static bool inside(const slot_case *c, size_t k, double w, double s) {
    bool in = w >= -1e-9 && s >= -1e-9;
    for (size_t r = 0; r < c->n_resources; r++) {
        double capacity = c->capacity[k * c->n_resources + r];
        in = in && c->worker[r] * w + c->ps[r] * s <= capacity + 1e-9 * (1 + capacity);
    }
    return in;
}

/* All intersections of two boundary lines that are inside. */
static void find_vertices(slot_case *c, size_t k) {
    size_t n_lines = c->n_resources + 2;
    c->n_vertices[k] = 0;
    for (size_t i = 0; i < n_lines; i++) {
        for (size_t j = 0; j < i; j++) {
            double a[2][3];
            const size_t line[2] = {i, j};
            for (int e = 0; e < 2; e++) {
                size_t r = line[e];
                bool axis = r >= c->n_resources;
                a[e][0] = axis ? (double)(r == c->n_resources) : c->worker[r];
                a[e][1] = axis ? (double)(r != c->n_resources) : c->ps[r];
                a[e][2] = axis ? 0 : c->capacity[k * c->n_resources + r];
            }
            double det = a[0][0] * a[1][1] - a[0][1] * a[1][0];
            double w = (a[0][2] * a[1][1] - a[0][1] * a[1][2]) / det;
            double s = (a[0][0] * a[1][2] - a[0][2] * a[1][0]) / det;
            if (fabs(det) > 1e-12 && inside(c, k, w, s)) {
                size_t n = c->n_vertices[k]++;
                assert_true(n < MOST_VERTICES);
                c->w[k][n] = w;
                c->s[k][n] = s;
            }
        }
    }
}

static double dual_at(const slot_case *c, double W, double S, double lam, double mu) {
    double g = lam * W + mu * S;
    for (size_t k = 0; k < c->n_groups; k++) {
        double most = 0;
        for (size_t i = 0; i < c->n_vertices[k]; i++) {
            most = fmax(most, (lam - c->price_worker[k]) * c->w[k][i] + (mu - c->price_ps[k]) * c->s[k][i]);
        }
        g -= c->count[k] * most;
    }
    return g;
}

typedef struct line {
    double a, b, c; /* a lam + b mu = c */
} line;

/* g is concave and linear between the lines where two vertices of a polygon gain the same, so its maximum is at an
 * intersection of two of them or of the axes (if there is a maximum). */
static double best_dual(const slot_case *c, double W, double S) {
    line lines[MOST_LINES * 16];
    size_t n = 0;
    lines[n++] = (line){1, 0, 0};
    lines[n++] = (line){0, 1, 0};
    for (size_t k = 0; k < c->n_groups; k++) {
        for (size_t i = 0; i < c->n_vertices[k]; i++) {
            for (size_t j = 0; j < i; j++) {
                double a = c->w[k][i] - c->w[k][j], b = c->s[k][i] - c->s[k][j];
                if (fabs(a) + fabs(b) > 1e-9) {
                    assert_true(n < sizeof lines / sizeof *lines);
                    lines[n++] = (line){a, b, a * c->price_worker[k] + b * c->price_ps[k]};
                }
            }
        }
    }
    double best = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) {
            double det = lines[i].a * lines[j].b - lines[i].b * lines[j].a;
            double scale = fabs(lines[i].a * lines[j].b) + fabs(lines[i].b * lines[j].a);
            double lam = (lines[i].c * lines[j].b - lines[i].b * lines[j].c) / det;
            double mu = (lines[i].a * lines[j].c - lines[i].c * lines[j].a) / det;
            if (fabs(det) > 1e-10 * scale && lam > -1e-12 && mu > -1e-12) {
                best = fmax(best, dual_at(c, W, S, fmax(lam, 0), fmax(mu, 0)));
            }
        }
    }
    return best;
}

/* Largest t such that t (W, S) is in the sum, from supporting lines at many angles and at the resources' normals. */
static double reach(const slot_case *c, double W, double S) {
    double least = ENDLESS;
    for (size_t i = 0; i <= 2000 + c->n_resources; i++) {
        double lam = i <= 2000 ? (double)i / 2000 : c->worker[i - 2001], mu = i <= 2000 ? 1 - lam : c->ps[i - 2001];
        double sum = 0;
        for (size_t k = 0; k < c->n_groups; k++) {
            double most = 0;
            for (size_t v = 0; v < c->n_vertices[k]; v++) {
                most = fmax(most, lam * c->w[k][v] + mu * c->s[k][v]);
            }
            sum += c->count[k] * most;
        }
        if (lam * W + mu * S > 0) {
            least = fmin(least, sum / (lam * W + mu * S));
        }
    }
    return least;
}

/* A demand or capacity: often zero, often round, so that ties and degenerate polygons come up. */
static double draw(berth__pcg *stream, double most, double zero) {
    if (chance(stream, zero)) {
        return 0;
    }
    return chance(stream, 0.5) ? (double)berth__pcg_integer(stream, 1, (int64_t)most) : uniform(stream, 0.1, most);
}

static void draw_case(berth__pcg *stream, slot_case *c) {
    c->n_groups = (size_t)berth__pcg_integer(stream, 1, MOST_GROUPS);
    c->n_resources = (size_t)berth__pcg_integer(stream, 1, MOST_RESOURCES);
    bool extreme = chance(stream, 0.3), tied = chance(stream, 0.3);
    for (size_t r = 0; r < c->n_resources; r++) {
        c->worker[r] = draw(stream, 4, 0.2);
        c->ps[r] = draw(stream, 4, 0.3);
    }
    c->worker[0] += c->worker[0] > 0 ? 0 : 1;
    c->ps[c->n_resources - 1] += c->ps[c->n_resources - 1] > 0 ? 0 : 1;
    for (size_t k = 0; k < c->n_groups; k++) {
        c->count[k] = (double)berth__pcg_integer(stream, 1, 5);
        c->price_worker[k] = c->price_ps[k] = 0;
        for (size_t r = 0; r < c->n_resources; r++) {
            double price = chance(stream, 0.1) ? 0 : extreme ? pow(10, uniform(stream, -10, 2)) : uniform(stream, 0, 2);
            price = tied ? ceil(price) : price;
            c->capacity[k * c->n_resources + r] = draw(stream, 20, 0.05);
            c->price_worker[k] += price * c->worker[r];
            c->price_ps[k] += price * c->ps[r];
        }
        find_vertices(c, k);
    }
}

static void test_slot_costs(void **state) {
    (void)state;
    berth__pcg stream = berth__pcg_seed(20, 1);
    berth__audit_region *region = berth__audit_region_new(MOST_GROUPS, MOST_RESOURCES);
    assert_non_null(region);
    size_t compared = 0, refused = 0;
    for (int trial = 0; trial < 3000; trial++) {
        slot_case c;
        draw_case(&stream, &c);
        berth__audit_region_free(region);
        region = berth__audit_region_new(c.n_groups, c.n_resources);
        assert_non_null(region);
        berth__audit_region_shape(region, c.n_groups, c.count, c.capacity, c.worker, c.ps);
        berth__audit_region_price(region, c.price_worker, c.price_ps);
        double gamma = chance(&stream, 0.5) ? (double)berth__pcg_integer(&stream, 1, 5) : uniform(&stream, 0.3, 8);
        for (int step = 0; step < 8; step++) {
            double W = (double)berth__pcg_integer(&stream, 1, step < 4 ? 8 : 60), S = ceil(W / gamma);
            double t = reach(&c, W, S);
            if (!(t >= 1)) {
                refused++;
                assert_true(t > 1 - 1e-6 || !berth__audit_region_holds(region, W, S));
                continue;
            }
            assert_true(berth__audit_region_holds(region, W, S));
            double cost = berth__audit_region_cost(region, W, S), best = best_dual(&c, W, S);
            compared++;
            assert_at_most(cost, best * (1 + 1e-8), 1e-15);
            if (!(cost >= best * (1 - 1e-6))) {
                fail_msg("trial %d, W = %g, S = %g: cost %.12g, best dual %.12g", trial, W, S, cost, best);
            }
        }
    }
    print_message("%zu compared, %zu refused\n", compared, refused);
    assert_true(compared > 5000 && refused > 500);
    berth__audit_region_free(region);
}

/* ---- the bound against brute force ---- */

enum { SLOTS = 3, MACHINES = 2, JOBS = 3, RES = 2, CELLS = SLOTS * MACHINES * RES, MOST_PLANS = 4000 };

static const char *const machine_names[MACHINES] = {"a", "b"};
static const char *const resource_names[RES] = {"gpu", "cpu"};
static const char *const job_ids[JOBS] = {"0", "1", "2"};

typedef struct plan {
    double used[CELLS]; /* [SLOTS][MACHINES][RES] */
    double utility;
} plan;

/* A tiny instance, a run that rejects everything, and prices to certify it with. */
typedef struct tiny {
    int n_machines, n_slots, n_jobs;
    double capacity[MACHINES * RES], worker[JOBS][RES], ps[JOBS][RES], prices[CELLS];
    int class_of[MACHINES];
    berth_job jobs[JOBS];
    berth_instance instance;
    berth_run_job results[JOBS];
    berth_certificate certificate;
    berth_run run;
    plan *plans[JOBS]; /* all that complete the job */
    size_t n_plans[JOBS];
} tiny;

static double utility_of(const berth_job *job, int delay) {
    return job->utility.kind == BERTH_UTILITY_CONSTANT ? job->utility.value
                                                       : fmax(0, job->utility.value * (1 - delay / 3.0));
}

/* Adds every choice of slot and of the ones after it to the plan so far. */
static void enumerate(tiny *t, int j, int slot, double samples, int last, plan *sofar) {
    const berth_job *job = &t->jobs[j];
    if (slot == t->n_slots) {
        if (samples >= job->epochs * job->samples * (1 - 1e-9)) {
            assert_true(t->n_plans[j] < MOST_PLANS);
            sofar->utility = utility_of(job, last - job->arrival_slot);
            t->plans[j][t->n_plans[j]++] = *sofar;
        }
        return;
    }
    enumerate(t, j, slot + 1, samples, last, sofar);
    if (slot < job->arrival_slot) {
        return;
    }
    int most = job->max_workers;
    for (int code = 0; code < 81; code++) { /* two workers and two servers at most on each machine */
        const int n[4] = {code % 3, code / 3 % 3, code / 9 % 3, code / 27};
        int w = n[0] + n[2], s = n[1] + n[3];
        int need = job->all_reduce ? 0 : (int)ceil(w / job->workers_per_ps);
        bool fits = w > 0 && w <= most && s == need && (t->n_machines > 1 || n[2] + n[3] == 0);
        for (int i = 0; i < t->n_machines * RES && fits; i++) {
            int m = i / RES, r = i % RES;
            double load = n[2 * m] * t->worker[j][r] + n[2 * m + 1] * t->ps[j][r];
            fits = load <= t->capacity[i] * (1 + 1e-9);
        }
        if (!fits) {
            continue;
        }
        bool internal = n[0] + n[1] == 0 || n[2] + n[3] == 0;
        double bandwidth = internal ? job->bandwidth_internal_mb_s : job->bandwidth_external_mb_s;
        double sharing = job->all_reduce ? 1 : job->workers_per_ps;
        double seconds = job->sample_seconds + sharing * 2 * job->gradient_mb / (job->batch * bandwidth);
        plan with = *sofar;
        for (int i = 0; i < t->n_machines * RES; i++) {
            int m = i / RES, r = i % RES;
            with.used[slot * MACHINES * RES + i] = n[2 * m] * t->worker[j][r] + n[2 * m + 1] * t->ps[j][r];
        }
        enumerate(t, j, slot + 1, samples + w * t->instance.slot_seconds / seconds, slot, &with);
    }
}

static double optimum(const tiny *t, int j, const double *used) {
    if (j == t->n_jobs) {
        return 0;
    }
    double best = optimum(t, j + 1, used);
    for (size_t p = 0; p < t->n_plans[j]; p++) {
        const plan *choice = &t->plans[j][p];
        double sum[CELLS];
        bool fits = true;
        for (int i = 0; i < CELLS && fits; i++) {
            double capacity = t->capacity[i % (MACHINES * RES)];
            sum[i] = used[i] + choice->used[i];
            fits = sum[i] <= capacity * (1 + 1e-9);
        }
        if (fits) {
            best = fmax(best, choice->utility + optimum(t, j + 1, sum));
        }
    }
    return best;
}

/* The bound with each job's best integer plan in place of lambda: B is at least this, and this at least the optimum. */
static double lagrangian(const tiny *t) {
    double price[CELLS] = {0}, sum = 0;
    for (int i = 0; i < t->n_slots * MACHINES * RES; i++) {
        int slot = i / (MACHINES * RES), m = i / RES % MACHINES, r = i % RES;
        if (m < t->n_machines) {
            price[i] = t->prices[(slot * (int)t->certificate.n_classes + t->class_of[m]) * RES + r];
            sum += price[i] * t->capacity[m * RES + r];
        }
    }
    for (int j = 0; j < t->n_jobs; j++) {
        double best = 0;
        for (size_t p = 0; p < t->n_plans[j]; p++) {
            double payoff = t->plans[j][p].utility;
            for (int i = 0; i < CELLS; i++) {
                payoff -= price[i] * t->plans[j][p].used[i];
            }
            best = fmax(best, payoff);
        }
        sum += best;
    }
    return sum;
}

static void draw_job(berth__pcg *stream, tiny *t, int j) {
    berth_job *job = &t->jobs[j];
    double grain = chance(stream, 0.5) ? 0.6 : 0.5;
    *job = (berth_job){.struct_size = sizeof *job, .id = job_ids[j], .epochs = 1, .batch = 2};
    job->arrival_slot = (int)berth__pcg_integer(stream, 0, 1);
    job->max_workers = (int)berth__pcg_integer(stream, 1, 2);
    job->sample_seconds = 0.1;
    job->gradient_mb = chance(stream, 0.3) ? 0 : 2;
    job->workers_per_ps = chance(stream, 0.5) ? 1 : 2;
    job->bandwidth_internal_mb_s = uniform(stream, 10, 60);
    job->bandwidth_external_mb_s = uniform(stream, 10, 60);
    job->samples = chance(stream, 0.3) ? 10 * (double)berth__pcg_integer(stream, 1, 3) : uniform(stream, 2, 30);
    job->all_reduce = chance(stream, 0.3);
    for (int r = 0; r < RES; r++) {
        t->worker[j][r] = grain * (double)berth__pcg_integer(stream, r == 0, 2);
        t->ps[j][r] = job->all_reduce ? 0 : grain * (double)berth__pcg_integer(stream, 0, 2);
    }
    job->worker = t->worker[j];
    job->ps = job->all_reduce ? NULL : t->ps[j];
    job->utility.kind = chance(stream, 0.5) ? BERTH_UTILITY_CONSTANT : BERTH_UTILITY_LINEAR;
    job->utility.value = chance(stream, 0.5) ? uniform(stream, 0, 10) : pow(10, uniform(stream, -2, 2));
    job->utility.deadline_slots = 3;
}

static void wire(tiny *t) {
    t->instance = (berth_instance){.name = "tiny",
                                   .slot_seconds = 1,
                                   .horizon_slots = t->n_slots,
                                   .n_resources = RES,
                                   .resources = resource_names,
                                   .n_machines = (size_t)t->n_machines,
                                   .machines = machine_names,
                                   .capacity = t->capacity,
                                   .n_jobs = (size_t)t->n_jobs,
                                   .jobs = t->jobs,
                                   .price_floor = ABSENT};
    for (int j = 0; j < t->n_jobs; j++) {
        t->results[j] = (berth_run_job){.id = job_ids[j],
                                        .outcome = BERTH_JOB_REJECTED,
                                        .promised_slot = -1,
                                        .completion_slot = -1,
                                        .delay_slots = -1,
                                        .payoff = ABSENT,
                                        .payoff_bound = ABSENT};
    }
    t->certificate.class_of_machine = t->class_of;
    t->certificate.prices = t->prices;
    t->run = (berth_run){.policy = "srtf",
                         .closed_form_ratio = ABSENT,
                         .bounds = {ABSENT, ABSENT, ABSENT, ABSENT, ABSENT, ABSENT, NULL},
                         .certificate = &t->certificate,
                         .n_jobs = (size_t)t->n_jobs,
                         .jobs = t->results,
                         .summary = {(size_t)t->n_jobs, 0, 0, 0, ABSENT, ABSENT, 0, NULL},
                         .n_resources = RES};
}

static void draw_tiny(berth__pcg *stream, tiny *t) {
    t->n_machines = (int)berth__pcg_integer(stream, 1, MACHINES);
    t->n_slots = (int)berth__pcg_integer(stream, 2, SLOTS);
    t->n_jobs = t->n_slots == SLOTS ? 2 : (int)berth__pcg_integer(stream, 2, JOBS);
    bool equal = chance(stream, 0.5);
    for (int i = 0; i < MACHINES * RES; i++) {
        t->capacity[i] = i >= RES && equal ? t->capacity[i - RES] : (double)berth__pcg_integer(stream, i % RES == 0, 2);
    }
    bool one_class = equal && chance(stream, 0.7);
    t->class_of[0] = 0;
    t->class_of[1] = !one_class;
    t->certificate.n_classes = (size_t)(one_class ? 1 : t->n_machines);
    double most = chance(stream, 0.3) ? 0 : pow(10, uniform(stream, -2, 1.5));
    for (int i = 0; i < CELLS; i++) {
        t->prices[i] = chance(stream, 0.3) ? 0 : uniform(stream, 0, most);
    }
    for (int j = 0; j < t->n_jobs; j++) {
        draw_job(stream, t, j);
    }
    wire(t);
    static const int levels[] = {1, 3, 200};
    t->run.levels = levels[berth__pcg_integer(stream, 0, 2)];
}

static double check_dual(const tiny *t) {
    berth_error error = {0};
    berth_report *report = NULL;
    assert_ok(berth_check(&t->instance, &t->run, NULL, &report, &error), error);
    if (report->n_violations > 0) {
        fail_msg("%s: %s", report->findings[0].rule, report->findings[0].message);
    }
    double dual = report->dual;
    berth_report_free(report);
    return dual;
}

static void test_bound_against_brute_force(void **state) {
    (void)state;
    berth__pcg stream = berth__pcg_seed(21, 2);
    tiny *t = calloc(1, sizeof *t);
    assert_non_null(t);
    for (int j = 0; j < JOBS; j++) {
        t->plans[j] = calloc(MOST_PLANS, sizeof *t->plans[j]);
        assert_non_null(t->plans[j]);
    }
    int solved = 0, tight = 0;
    for (int trial = 0; trial < 4000; trial++) {
        draw_tiny(&stream, t);
        size_t combinations = 1;
        for (int j = 0; j < t->n_jobs; j++) {
            t->n_plans[j] = 0;
            plan nothing = {.utility = 0};
            enumerate(t, j, 0, 0, -1, &nothing);
            combinations *= t->n_plans[j] + 1;
        }
        double dual = check_dual(t), least = lagrangian(t);
        tight += dual <= least * (1 + 1e-6);
        if (!(dual >= least * (1 - 1e-8))) {
            fail_msg("trial %d: bound %.12g < %.12g, its value on integer plans", trial, dual, least);
        }
        if (combinations <= 100000) {
            const double free_cells[CELLS] = {0};
            double best = optimum(t, 0, free_cells);
            solved += best > 0;
            if (!(dual >= best * (1 - 1e-9))) {
                fail_msg("trial %d: bound %.12g < optimum %.12g", trial, dual, best);
            }
        }
    }
    print_message("%d with a positive optimum; %d bounds are as if on integer plans\n", solved, tight);
    assert_true(solved > 1500 && tight > 1000);
    for (int j = 0; j < JOBS; j++) {
        free(t->plans[j]);
    }
    free(t);
}

/* Full capacities, never free ones: C = 1, two jobs of demand 0.6 and utilities 1 and 100. The optimum is 100; with the
 * first job placed and the second no longer fitting, a bound over free capacities would fall below it. */
static void test_bound_uses_full_capacities(void **state) {
    (void)state;
    tiny *t = calloc(1, sizeof *t);
    assert_non_null(t);
    t->n_machines = t->n_slots = 1;
    t->n_jobs = 2;
    t->capacity[0] = 1;
    for (int j = 0; j < 2; j++) {
        t->worker[j][0] = 0.6;
        t->jobs[j] = (berth_job){.struct_size = sizeof *t->jobs,
                                 .id = job_ids[j],
                                 .epochs = 1,
                                 .samples = 10,
                                 .batch = 1,
                                 .max_workers = 1,
                                 .sample_seconds = 0.1,
                                 .bandwidth_internal_mb_s = 1,
                                 .bandwidth_external_mb_s = 1,
                                 .all_reduce = true,
                                 .worker = t->worker[j],
                                 .utility = {.kind = BERTH_UTILITY_CONSTANT, .value = j == 0 ? 1 : 100}};
    }
    wire(t);
    t->certificate.n_classes = 1;
    berth_placement at = {0, 1, 0};
    berth_slot_plan slot = {0, BERTH_INTERNAL, 10, 1, &at};
    t->results[0] = (berth_run_job){"0", true, BERTH_JOB_COMPLETED, "", 0, 0, 0, 1, ABSENT, ABSENT, ABSENT, 1, &slot};
    t->run.utility = 1;
    t->run.summary = (berth_run_summary){2, 1, 1, 1, 0, 0, 1, NULL};
    for (double price = 0; price < 1000; price = price * 1.5 + 0.01) {
        t->prices[0] = price;
        double dual = check_dual(t);
        assert_true(dual >= 100);
        assert_close(dual, fmax(0, 100 - 0.6 * price) + fmax(0, 1 - 0.6 * price) + price, 1e-8);
    }
    free(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slot_costs),
        cmocka_unit_test(test_bound_against_brute_force),
        cmocka_unit_test(test_bound_uses_full_capacities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
