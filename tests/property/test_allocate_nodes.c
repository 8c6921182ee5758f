/* Relaxations. Over nodes of random small clusters: against the linear programme written out, with a column for every
 * way to cut every node and for every way to make up every option. Over types: against LP backends, at any power. */
#include <math.h>

#include "formulations/goodput/bound.h"
#include "formulations/goodput/patterns.h"
#include "formulations/goodput/pieces.h"
#include "solver/solve.h"
#include "tests/support/backends.h"
#include "tests/support/check.h"
#include "tests/support/goodput_case.h"

enum { CASES = 600, SIZES = 4, PIECES = 16 };

typedef struct twin {
    const berth__allocate_problem *problem;
    berth__model *model;
    int piece_row[GOODPUT_TYPES][2][SIZES + 1]; /* local, spread; of k GPUs */
    int starve_row;
    uint32_t left[GOODPUT_NODES];
    double base; /* what pinned jobs weigh, and others without GPUs: columns count from there */
} twin;

static int add_row(twin *t, double lower, double upper) {
    int row = 0;
    berth_error error;
    assert_ok(berth__model_add_row(t->model, NULL, lower, upper, &row, &error), error);
    return row;
}

static int add_column(twin *t, double weight) {
    int col = 0;
    berth_error error;
    assert_ok(berth__model_add_col(t->model, NULL, weight, 0, 1, false, &col, &error), error);
    return col;
}

static void add_entry(twin *t, int row, int col, double value) {
    berth_error error;
    if (value < 0 || value > 0)
        assert_ok(berth__model_add_entry(t->model, row, col, value, &error), error);
}

/* ---- nodes ---- */

/* Every number of local pieces of sizes from k on, of what is left, besides one spread piece. */
static void add_patterns(twin *t, size_t type, int row, uint32_t rest, uint32_t k, int counts[SIZES + 1],
                         uint32_t spread) {
    if (k <= rest) {
        for (counts[k] = 0; (uint32_t)counts[k] * k <= rest; counts[k]++) {
            add_patterns(t, type, row, rest - (uint32_t)counts[k] * k, k + 1, counts, spread);
        }
        counts[k] = 0;
        return;
    }
    const int col = add_column(t, 0);
    add_entry(t, row, col, 1);
    for (int size = 1; size <= SIZES; size++) {
        add_entry(t, t->piece_row[type][0][size], col, -(double)counts[size]);
    }
    if (spread > 0)
        add_entry(t, t->piece_row[type][1][spread], col, -1);
}

static void add_nodes(twin *t) {
    for (size_t n = 0; n < t->problem->n_nodes; n++) {
        const int row = add_row(t, -(double)INFINITY, 1);
        for (uint32_t spread = 0; spread <= t->left[n]; spread++) {
            int counts[SIZES + 1] = {0};
            add_patterns(t, t->problem->type[n], row, t->left[n] - spread, 1, counts, spread);
        }
    }
}

/* ---- jobs ---- */

static void add_choice(twin *t, int row, size_t job, const berth__allocate_option *o, const uint32_t *sizes, size_t n) {
    const int col = add_column(t, o->weight - t->problem->jobs[job].options[0].weight);
    int counts[SIZES + 1] = {0};
    add_entry(t, row, col, 1);
    if (o->gpus == 0)
        add_entry(t, t->starve_row, col, 1);
    for (size_t k = 0; k < n; k++) {
        counts[sizes[k]]++;
    }
    for (int size = 1; size <= SIZES; size++) {
        add_entry(t, t->piece_row[o->type][n > 1][size], col, counts[size]);
    }
}

/* Pieces that do not grow, of `rest` GPUs. */
static void add_compositions(twin *t, int row, size_t job, const berth__allocate_option *o, uint32_t rest,
                             uint32_t largest, uint32_t *sizes, size_t n) {
    if (rest == 0 && n >= o->least)
        add_choice(t, row, job, o, sizes, n);
    for (uint32_t size = 1; n < o->most && size <= largest && size <= rest; size++) {
        sizes[n] = size;
        add_compositions(t, row, job, o, rest - size, size, sizes, n + 1);
    }
}

static void add_job(twin *t, size_t job) {
    const berth__allocate_job *of = &t->problem->jobs[job];
    const berth_goodput_job *given = &t->problem->instance->jobs[job];
    const int row = add_row(t, 1, 1);
    for (size_t k = 0; k < of->n_options; k++) {
        const berth__allocate_option *o = &of->options[k];
        uint32_t sizes[PIECES] = {0};
        if (o->keep) {
            for (size_t n = 0; n < given->n_current; n++) {
                sizes[n] = given->current[n].gpus;
            }
            add_choice(t, row, job, o, sizes, given->n_current);
        } else if (o->gpus == 0) {
            add_choice(t, row, job, o, sizes, 0);
        } else {
            add_compositions(t, row, job, o, o->gpus, t->problem->largest[o->type], sizes, 0);
        }
    }
}

/* ---- the whole ---- */

static void set_left(twin *t) {
    const berth__allocate_problem *p = t->problem;
    for (size_t n = 0; n < p->n_nodes; n++) {
        t->left[n] = p->gpus[n];
    }
    for (size_t j = 0; j < p->n_jobs; j++) {
        const berth_goodput_job *given = &p->instance->jobs[j];
        for (size_t k = 0; p->jobs[j].pinned && k < given->n_current; k++) {
            t->left[given->current[k].node] -= given->current[k].gpus;
        }
        t->base += p->jobs[j].options[0].weight;
    }
}

/* NAN: so few cannot be starved. */
static double optimum_of(const berth__allocate_problem *problem, size_t starved) {
    twin t = {.problem = problem};
    berth_error error;
    berth__lp *lp = NULL;
    const berth__lp_result *result = NULL;
    berth__lp_options options;
    berth__lp_options_init(&options);
    assert_ok(berth__model_new(&t.model, &error), error);
    t.model->maximize = true;
    set_left(&t);
    for (size_t type = 0; type < problem->n_types; type++) {
        for (int size = 1; size <= SIZES; size++) {
            t.piece_row[type][0][size] = add_row(&t, -(double)INFINITY, 0);
            t.piece_row[type][1][size] = add_row(&t, -(double)INFINITY, 0);
        }
    }
    t.starve_row = add_row(&t, -(double)INFINITY, (double)starved);
    add_nodes(&t);
    for (size_t j = 0; j < problem->n_jobs; j++) {
        if (!problem->jobs[j].pinned)
            add_job(&t, j);
    }
    assert_ok(berth__model_finish(t.model, &error), error);
    berth_backends *backends = all_backends();
    assert_ok(berth__lp_open(t.model, backends, "auto", &lp, &error), error);
    assert_ok(berth__lp_solve(lp, &options, &result, &error), error);
    if (result->outcome != BERTH_OPTIMAL && result->outcome != BERTH_INFEASIBLE)
        fail_msg("%s, %d rows", berth_outcome_name(result->outcome), t.model->n_rows);
    const double objective = result->outcome == BERTH_OPTIMAL ? result->objective + t.base : (double)NAN;
    berth__lp_close(lp);
    berth__model_free(t.model);
    berth_backends_free(backends);
    return objective;
}

/* Are pinned jobs within what there is? */
static bool pinned_fit(const goodput_case *c) {
    uint32_t held[GOODPUT_NODES] = {0};
    for (size_t j = 0; j < c->instance.n_jobs; j++) {
        const berth_goodput_job *given = &c->jobs[j];
        for (size_t k = 0; given->pinned && k < given->n_current; k++) {
            held[given->current[k].node] += given->current[k].gpus;
        }
    }
    for (size_t n = 0; n < c->instance.n_nodes; n++) {
        if (held[n] > c->gpus[n])
            return false;
    }
    return true;
}

/* With the bound over types. */
static berth__allocate_run relaxed(const berth__allocate_problem *problem) {
    berth_error error;
    berth__allocate_run run = {.problem = problem};
    run.bound.price = BERTH__ARENA_ARRAY(problem->arena, double, problem->n_types);
    run.bound.serve_price = BERTH__ARENA_ARRAY(problem->arena, double, problem->n_types);
    run.bound.wanted = BERTH__ARENA_ARRAY(problem->arena, size_t, problem->n_jobs);
    run.bound.split = BERTH__ARENA_ARRAY(problem->arena, bool, problem->n_jobs);
    assert_ok(berth__allocate_relax(&run, &error), error);
    return run;
}

typedef struct tally {
    int compared, tighter, infeasible;
} tally;

static void compare(const goodput_case *c, int number, tally *sum) {
    berth_allocate_options options;
    berth__allocate_problem problem;
    berth_error error;
    berth_allocate_options_init(&options);
    options.starve_last = number % 2 == 0;
    const berth_status status = berth__allocate_problem_open(&problem, &c->instance, &options, NULL, &error);
    assert_ok(status, error);
    berth__allocate_run run = relaxed(&problem);
    const size_t starved = number % 4 == 0 ? run.bound.starved : problem.n_jobs;
    const double by_types = berth__allocate_bound_sum(&run, starved);
    assert_ok(berth__allocate_relax_nodes(&run, starved, &error), error);
    const double found = berth__allocate_bound_sum(&run, starved), due = optimum_of(&problem, starved);
    const double margin = 1e-6 * (1 + fabs(due));
    if (isnan(due)) {
        sum->infeasible++;
        berth__allocate_problem_close(&problem);
        return;
    }
    if (!(found >= due - margin) || !(found <= due + margin || (run.bound.pieces == NULL && found <= by_types)))
        fail_msg("case %d: %.12g; expected %.12g (types %.12g)", number, found, due, by_types);
    assert_true(found <= by_types + margin);
    sum->compared++;
    sum->tighter += due < by_types - 1e-4 * (1 + fabs(due));
    if (due < by_types - margin && run.bound.pieces == NULL)
        fail_msg("case %d: %.12g by nodes, but not found below %.12g", number, due, by_types);
    berth__allocate_problem_close(&problem);
}

static void test_random(void **state) {
    (void)state;
    tally sum = {0};
    berth__pcg stream = berth__pcg_seed(77, 1);
    for (int k = 0; k < CASES; k++) {
        goodput_case c;
        goodput_case_draw(&c, &stream);
        if (fabs(c.instance.p) > 2 || !pinned_fit(&c))
            continue; /* p of 20 and more is beyond an LP backend's precision */
        compare(&c, k, &sum);
    }
    print_message("%d compared, %d of them below the bound over types, %d cannot be\n", sum.compared, sum.tighter,
                  sum.infeasible);
    assert_true(sum.compared > CASES / 2 && sum.tighter > CASES / 20 &&
                sum.infeasible > 0); /* the same each time: the seed is fixed */
}

/* 2,048 GPUs of four types, of which one suits jobs of two and of three GPUs, but has nodes of four: the bound over
 * types is 1.5 to 2.4 % above what nodes allow. */
static void test_large(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        berth_generate_goodput_options options;
        berth_goodput_instance *instance = NULL;
        berth_allocation *allocation = NULL;
        berth_report *report = NULL;
        berth_error error;
        berth_generate_goodput_options_init(&options);
        options.seed = seed;
        options.nodes = 512;
        options.jobs = 1280;
        options.types = 4;
        assert_ok(berth_generate_goodput(&options, &instance, &error), error);
        assert_ok(berth_allocate(instance, NULL, &allocation, &error), error);
        assert_true(allocation->ratio < 1.001);
        assert_non_null(allocation->local_prices);
        assert_ok(berth_check_allocation(instance, allocation, NULL, &report, &error), error);
        assert_int_equal(report->n_violations, 0);
        berth_report_free(report);
        berth_allocation_free(allocation);
        berth_goodput_instance_free(instance);
    }
}

/* F of the bound over types, for the fewest starved that there can be. */
static double bound_over_types(const berth_goodput_instance *instance, const berth_backends *set, const char *solver,
                               bool starve_last) {
    berth_allocate_options options;
    berth__allocate_problem problem;
    berth_error error;
    berth_allocate_options_init(&options);
    options.backends = set;
    options.solver = solver;
    options.starve_last = starve_last;
    assert_ok(berth__allocate_problem_open(&problem, instance, &options, NULL, &error), error);
    berth__allocate_run run = relaxed(&problem);
    berth__allocate_settle_prices(&run, run.bound.starved);
    const double bound = berth__allocate_fitness(&problem, berth__allocate_bound_sum(&run, run.bound.starved));
    berth__allocate_problem_close(&problem);
    return bound;
}

/* Weights from 1 to 1e150 and more are the backends' to get right: clusters with GPUs for all, and with too few. */
static void test_powers(void **state) {
    (void)state;
    static const double powers[] = {-50, -20, -10, -6, -4, -3, -1, 0, 1, 4, 20};
    berth_backends *set = all_backends();
    for (uint64_t seed = 1; seed <= 6; seed++) {
        berth_generate_goodput_options options;
        berth_goodput_instance *instance = NULL;
        berth_error error;
        berth_generate_goodput_options_init(&options);
        options.seed = seed;
        options.nodes = 6;
        options.types = 1 + seed % 3;
        options.jobs = seed % 2 == 0 ? 12 : 30;
        options.pinned = 0.1;
        assert_ok(berth_generate_goodput(&options, &instance, &error), error);
        for (size_t k = 0; k < sizeof powers / sizeof *powers; k++) {
            instance->p = powers[k];
            const double ours = bound_over_types(instance, set, "auto", seed < 5);
            for (size_t b = 0; b < berth_backends_count(set); b++) {
                if (!berth_backends_exact(set, b))
                    continue;
                const double theirs = bound_over_types(instance, set, berth_backends_name(set, b), seed < 5);
                if (!(fabs(theirs / ours - 1) <= 1e-6 || (isinf(theirs) && isinf(ours))))
                    fail_msg("seed %d, p %g, %s: %.12g; expected %.12g", (int)seed, powers[k],
                             berth_backends_name(set, b), theirs, ours);
            }
        }
        berth_goodput_instance_free(instance);
    }
    berth_backends_free(set);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_powers),
                                       cmocka_unit_test(test_large)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
