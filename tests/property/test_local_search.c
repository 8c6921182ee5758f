/* Weighting local search against enumeration, on thousands of small random instances of every kind, and its kept state
 * against sums from scratch. Every assertion holds always, whatever is drawn, except the rates of success, which fixed
 * seeds make constant. */
#include "tests/support/check.h"
#include "tests/support/packcover_brute.h"
#include "tests/support/packcover_case.h"

#include "base/pcg.h"
#include "base/tolerance.h"
#include "rounding/local_search.h"
#include "rounding/search_state.h"

#include <stdlib.h>
#include <string.h>

enum { INSTANCES = 3000 };

static const packcover_shape tiny = {.most_vars = 6, .most_cover = 4, .most_pack = 4, .most_units = 3};

static void draw_point(const berth__packcover *p, double *x, berth__pcg *stream) {
    for (int j = 0; j < p->n_vars; j++) {
        x[j] = (double)berth__pcg_integer(stream, 0, 3);
    }
}

/* ---- against enumeration ---- */

typedef struct tally {
    int solvable, found, optimal;
} tally;

static void search_one(uint64_t seed, tally *count) {
    berth__pcg stream = berth__pcg_key(2, (uint64_t[]){31, seed});
    packcover_case *c = packcover_random(&tiny, &stream);
    const berth__packcover *p = &c->view;
    bool skip[PACKCOVER_MOST_VARS];
    for (int j = 0; j < p->n_vars; j++) {
        skip[j] = berth__pcg_integer(&stream, 0, 9) == 0;
    }
    double x[PACKCOVER_MOST_VARS], start[PACKCOVER_MOST_VARS], again[PACKCOVER_MOST_VARS];
    draw_point(p, x, &stream);
    for (int j = 0; j < p->n_vars; j++) {
        x[j] = skip[j] ? 0 : x[j];
    }
    memcpy(start, x, sizeof start);
    memcpy(again, x, sizeof again);
    berth__search_options options = {.seed = seed, .max_steps = 2000};
    bool feasible, feasible_again;
    berth__search_report report;
    assert_int_equal(berth__local_search(p, skip, NULL, &options, x, &feasible, &report), BERTH_OK);
    assert_int_equal(berth__local_search(p, skip, NULL, &options, again, &feasible_again, NULL), BERTH_OK);
    assert_memory_equal(x, again, (size_t)p->n_vars * sizeof *x);

    double best = packcover_brute(p, skip, NULL), slack = 1e-9 * fmax(1, fabs(best));
    berth__violation before = berth__packcover_measure(p, start), after = berth__packcover_measure(p, x);
    assert_true(feasible == after.feasible && feasible == feasible_again);
    assert_true(feasible || memcmp(x, start, (size_t)p->n_vars * sizeof *x) == 0);
    assert_true(!before.feasible || (feasible && !berth__packcover_better(p, before.cost, after.cost)));
    assert_true(!feasible || !isnan(best));
    assert_true(!feasible || (p->maximize ? after.cost <= best + slack : after.cost >= best - slack));
    assert_true(!report.optimal || fabs(after.cost - best) <= slack);
    for (int j = 0; j < p->n_vars; j++) {
        assert_true(!skip[j] || x[j] <= 0);
    }
    count->solvable += !isnan(best);
    count->found += feasible;
    count->optimal += feasible && fabs(after.cost - best) <= slack;
    packcover_case_free(c);
}

static void search_against_enumeration(void **state) {
    (void)state;
    tally count = {0};
    for (uint64_t seed = 0; seed < INSTANCES; seed++) {
        search_one(seed, &count);
    }
    print_message("%d solvable, %d found feasible, %d optimal\n", count.solvable, count.found, count.optimal);
    assert_true(count.solvable > INSTANCES / 2);
    assert_true(count.found > 0.99 * count.solvable);
    assert_true(count.optimal > 0.97 * count.solvable);
}

/* Multipliers drawn at random prove some bound; what they fix must not lose the optimum, and what is called optimal
 * must be. */
static void reduced_costs_lose_nothing(void **state) {
    (void)state;
    int fixed = 0, proved = 0;
    tally count = {0};
    for (uint64_t seed = 0; seed < INSTANCES; seed++) {
        berth__pcg stream = berth__pcg_key(2, (uint64_t[]){32, seed});
        packcover_case *c = packcover_random(&tiny, &stream);
        const berth__packcover *p = &c->view;
        double x[PACKCOVER_MOST_VARS], reduced[PACKCOVER_MOST_VARS], bound = 0;
        draw_point(p, x, &stream);
        memcpy(reduced, p->cost, (size_t)p->n_vars * sizeof *reduced);
        for (int i = 0; i < p->n_cover + p->n_pack; i++) {
            bool positive = (i < p->n_cover) != p->maximize;
            double y = (positive ? 1 : -1) * berth__pcg_uniform(&stream) * (double)berth__pcg_integer(&stream, 0, 2);
            bound += y * p->rhs[i];
            for (size_t k = p->row_start[i]; k < p->row_start[i + 1]; k++) {
                reduced[p->col[k]] -= y * p->value[k];
            }
        }
        for (int j = 0; j < p->n_vars; j++) {
            bool counts = p->maximize ? reduced[j] > 0 : reduced[j] < 0;
            bound += counts ? reduced[j] * p->upper[j] : 0;
        }
        berth__search_options options = {.seed = seed, .max_steps = 2000, .reduced_cost = reduced, .bound = bound};
        berth__search_report report;
        bool feasible;
        assert_int_equal(berth__local_search(p, NULL, NULL, &options, x, &feasible, &report), BERTH_OK);
        double best = packcover_brute(p, NULL, NULL), slack = 1e-9 * fmax(1, fabs(best));
        berth__violation after = berth__packcover_measure(p, x);
        assert_true(feasible == after.feasible && (!feasible || !isnan(best)));
        assert_true(!report.optimal || fabs(after.cost - best) <= slack);
        fixed += report.n_fixed;
        proved += report.optimal;
        count.solvable += !isnan(best);
        count.optimal += feasible && fabs(after.cost - best) <= slack;
        packcover_case_free(c);
    }
    print_message("%d solvable, %d optimal, %d proved, %d variables fixed\n", count.solvable, count.optimal, proved,
                  fixed);
    assert_true(count.optimal > 0.97 * count.solvable);
    assert_true(fixed > INSTANCES / 10 && proved > INSTANCES / 20);
}

/* Some variables continuous: integers stay integers, bounds are kept, nothing is claimed wrongly; with every variable
 * continuous as good as integer. */
static void search_with_continuous_variables(void **state) {
    (void)state;
    int found = 0, as_good = 0;
    for (uint64_t seed = 0; seed < INSTANCES; seed++) {
        berth__pcg stream = berth__pcg_key(2, (uint64_t[]){33, seed});
        packcover_case *c = packcover_random(&tiny, &stream);
        const berth__packcover *p = &c->view;
        double x[PACKCOVER_MOST_VARS], best = packcover_brute(p, NULL, NULL);
        draw_point(p, x, &stream);
        for (int j = 0; j < p->n_vars; j++) {
            c->is_integer[j] = berth__pcg_integer(&stream, 0, 1) == 0;
        }
        berth__search_options options = {.seed = seed, .max_steps = 2000};
        bool feasible;
        assert_int_equal(berth__local_search(p, NULL, NULL, &options, x, &feasible, NULL), BERTH_OK);
        berth__violation after = berth__packcover_measure(p, x);
        assert_true(feasible == after.feasible);
        for (int j = 0; j < p->n_vars && feasible; j++) {
            assert_true(x[j] >= 0 && x[j] <= p->upper[j] * (1 + BERTH__FEASIBILITY));
            assert_true(!c->is_integer[j] || fabs(x[j] - round(x[j])) <= 0);
        }
        double slack = 1e-3 * fmax(1, fabs(best));
        found += feasible && !isnan(best);
        as_good += feasible && !isnan(best) && (p->maximize ? after.cost >= best - slack : after.cost <= best + slack);
        packcover_case_free(c);
    }
    print_message("%d found feasible, %d of them no worse than the best integer point\n", found, as_good);
    assert_true(found > INSTANCES / 2);
    assert_true(as_good > 0.9 * found);
}

/* ---- the kept state ---- */

static void assert_member(const berth__index_set *set, int i, bool member) {
    int at = set->place[i];
    assert_true((at >= 0) == member);
    assert_true(!member || (at < set->n && set->item[at] == i));
}

/* Everything that moves keep up to date, from x alone. */
static void assert_state(const berth__search_state *s) {
    const berth__packcover *p = s->p;
    double cost = 0;
    for (int j = 0; j < p->n_vars; j++) {
        cost += s->cost_of[j] * s->a.x[j];
        assert_true(s->a.x[j] >= s->bottom[j]);
        bool better = s->cost_of[j] > 0 ? s->a.x[j] > s->bottom[j] : s->cost_of[j] < 0 && s->a.x[j] < s->top[j];
        assert_member(&s->improving, j, better && s->bottom[j] < s->top[j]);
    }
    assert_close(s->cost, cost, 1e-9 * (1 + fabs(cost)));
    for (int i = 0; i < s->n_rows; i++) {
        int filler = i < p->n_cover ? s->filler[i].var : -1;
        double sum = 0, whole = 0;
        size_t n = 0;
        for (size_t k = p->row_start[i]; k < p->row_start[i + 1]; k++) {
            whole += p->value[k] * s->a.x[p->col[k]];
            sum += p->col[k] == filler ? 0 : p->value[k] * s->a.x[p->col[k]];
            n += p->value[k] > 0 && s->bottom[p->col[k]] < s->top[p->col[k]];
        }
        assert_close(s->a.row[i], sum, 1e-9 * (1 + sum));
        double lack = i < p->n_cover ? p->rhs[i] - whole : whole - p->rhs[i];
        if (fabs(lack - 0.5 * BERTH__FEASIBILITY * p->rhs[i]) > 1e-11 * (1 + whole)) { /* else: rounding decides */
            assert_member(&s->broken, i, lack > 0.5 * BERTH__FEASIBILITY * p->rhs[i]);
        }
        assert_true(n == s->row_start[i + 1] - s->row_start[i]);
        for (size_t at = 0; at < n; at++) {
            size_t k = s->row_start[i] + at;
            assert_true((s->a.x[s->var[k]] > 0) == (at < (size_t)s->n_positive[i]));
            assert_true(s->entry_of[s->column_of[k]] == k && s->a.columns.row[s->column_of[k]] == i);
        }
    }
}

static void kept_state_equals_recomputation(void **state) {
    (void)state;
    const packcover_shape shape = {.most_vars = 10, .most_cover = 6, .most_pack = 6, .most_units = 5};
    int fillers = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        berth__pcg stream = berth__pcg_key(2, (uint64_t[]){34, seed});
        packcover_case *c = packcover_random(&shape, &stream);
        const berth__packcover *p = &c->view;
        double x[PACKCOVER_MOST_VARS], copy[PACKCOVER_MOST_VARS];
        draw_point(p, x, &stream);
        berth__search_state s;
        assert_int_equal(berth__search_open(&s, p, NULL, x), BERTH_OK);
        assert_state(&s);
        for (int i = 0; i < p->n_cover; i++) {
            fillers += s.filler[i].var >= 0;
        }
        for (int step = 0; step < 60; step++) {
            int j = (int)berth__pcg_integer(&stream, 0, p->n_vars - 1);
            if (s.bottom[j] < s.top[j]) {
                berth__search_move(&s, j, (double)berth__pcg_integer(&stream, -3, 3));
            }
            if (step % 20 == 10) {
                berth__search_save(&s);
                memcpy(copy, x, sizeof copy);
            }
            if (step == 30 && s.bottom[j] < s.top[j]) {
                berth__search_narrow(&s, j, fmin(1, s.top[j]), fmin(1, s.top[j]));
                berth__search_rebuild(&s);
            }
            assert_state(&s);
        }
        assert_memory_equal(s.saved, copy, (size_t)p->n_vars * sizeof *copy);
        berth__search_return(&s);
        assert_state(&s);
        for (int j = 0; j < p->n_vars; j++) { /* fillers follow rows, which ranges may keep from returning */
            assert_true(s.bottom[j] >= s.top[j] || fabs(x[j] - copy[j]) <= 0);
        }
        berth__search_resum(&s);
        assert_state(&s);
        berth__search_close(&s);
        packcover_case_free(c);
    }
    assert_true(fillers > 20);
}

/* ---- size and budget ---- */

/* A cover of n_rows by n columns of `height` rows each, costs 1 to 9. */
static packcover_case *random_cover(int n_rows, int n, int height, uint64_t seed) {
    berth__pcg stream = berth__pcg_key(2, (uint64_t[]){35, seed});
    packcover_case *c = packcover_case_new(n);
    int degree = n * height / n_rows;
    for (int j = 0; j < n; j++) {
        c->cost[j] = (double)berth__pcg_integer(&stream, 1, 9);
        c->upper[j] = 1;
    }
    for (int i = 0; i < n_rows; i++) { /* columns spread evenly, each row from another start */
        packcover_case_cover(c, 1);
        int stride = n / degree, from = (int)berth__pcg_integer(&stream, 0, stride - 1);
        for (int at = 0; at < degree; at++) {
            packcover_case_entry(c, from + at * stride, 1);
        }
    }
    return c;
}

/* Covers each row that is still open by its first column. */
static void cover_in_order(const berth__packcover *p, double *x) {
    for (int i = 0; i < p->n_cover; i++) {
        bool covered = false;
        for (size_t k = p->row_start[i]; k < p->row_start[i + 1]; k++) {
            covered = covered || x[p->col[k]] > 0;
        }
        if (!covered) {
            x[p->col[p->row_start[i]]] = 1;
        }
    }
}

/* Entries touched per step, opening aside. */
static double work_per_step(int scale) {
    enum { STEPS = 20000 };
    packcover_case *c = random_cover(100 * scale, 500 * scale, 5, 1);
    const berth__packcover *p = &c->view;
    uint64_t work[2];
    for (int longer = 0; longer < 2; longer++) {
        double *x = calloc((size_t)p->n_vars, sizeof *x);
        assert_non_null(x);
        cover_in_order(p, x);
        berth__search_options options = {.seed = 1, .max_steps = longer ? STEPS : 0};
        berth__search_report report;
        bool feasible;
        assert_int_equal(berth__local_search(p, NULL, NULL, &options, x, &feasible, &report), BERTH_OK);
        assert_true(feasible);
        assert_int_equal(report.steps, options.max_steps);
        work[longer] = report.work;
        free(x);
    }
    packcover_case_free(c);
    return (double)(work[1] - work[0]) / STEPS;
}

/* Eight times the rows and columns, each of the same length: a step costs no more. */
static void steps_do_not_grow_with_the_problem(void **state) {
    (void)state;
    double small = work_per_step(8), large = work_per_step(64);
    print_message("entries per step: %.0f, 8 times as large: %.0f\n", small, large);
    assert_true(large < 1.2 * small);
}

/* Larger than enumeration can do, with an exact cover planted among many that are not. */
static void cover_of_known_size(void **state) {
    (void)state;
    enum { SIDE = 12 }; /* SIDE columns of SIDE rows cover all; 20 * SIDE others hold as many, drawn */
    berth__pcg stream = berth__pcg_key(1, (uint64_t[]){36});
    packcover_case *c = packcover_case_new(21 * SIDE);
    bool in[21 * SIDE][SIDE * SIDE] = {{false}};
    for (int j = 0; j < 21 * SIDE; j++) {
        c->upper[j] = 1;
        for (int row = 0; row < SIDE * SIDE; row++) {
            in[j][row] = j < SIDE ? row / SIDE == j : berth__pcg_integer(&stream, 0, SIDE * SIDE - 1) < SIDE - 2;
        }
    }
    for (int row = 0; row < SIDE * SIDE; row++) {
        packcover_case_cover(c, 1);
        for (int j = 0; j < 21 * SIDE; j++) {
            if (in[j][row]) {
                packcover_case_entry(c, j, 1);
            }
        }
    }
    double x[21 * SIDE] = {0};
    berth__search_options options = {.seed = 1, .max_steps = 100000};
    bool feasible;
    assert_int_equal(berth__local_search(&c->view, NULL, NULL, &options, x, &feasible, NULL), BERTH_OK);
    assert_true(feasible);
    assert_close(berth__packcover_measure(&c->view, x).cost, SIDE, 0);
    packcover_case_free(c);
}

typedef struct patience {
    int polls, limit;
} patience;

static bool impatient(void *user) {
    patience *p = user;
    return ++p->polls > p->limit;
}

/* A spent budget ends the search at the next look; what was found by then comes back. */
static void budgets_are_kept(void **state) {
    (void)state;
    packcover_case *c = random_cover(200, 1000, 5, 2);
    const berth__packcover *p = &c->view;
    double cost[2];
    for (int limit = 0; limit < 2; limit++) {
        patience allowed = {.limit = 5 * limit};
        berth_hooks hooks;
        berth_hooks_init(&hooks);
        hooks.cancel = impatient;
        hooks.user = &allowed;
        berth__budget budget = berth__budget_start(HUGE_VAL, &hooks);
        berth__search_options options = {.seed = 1, .max_steps = UINT64_MAX};
        berth__search_report report;
        double x[1000];
        for (int j = 0; j < p->n_vars; j++) {
            x[j] = 1;
        }
        bool feasible;
        assert_int_equal(berth__local_search(p, NULL, &budget, &options, x, &feasible, &report), BERTH_OK);
        assert_int_equal(allowed.polls, 5 * limit + 1);
        assert_true(feasible && report.steps < 100000);
        cost[limit] = berth__packcover_measure(p, x).cost;
    }
    assert_true(cost[1] < cost[0]);
    packcover_case_free(c);
}

/* ---- fixed cases ---- */

/* max 10 x0 + 6 x1 + 6 x2, weights 7, 5, 5 <= 10: the greedy x0 has to go for x1 and x2. */
static void leaves_the_greedy_choice(void **state) {
    (void)state;
    packcover_case *c = packcover_case_new(3);
    c->view.maximize = true;
    packcover_case_pack(c, 10);
    for (int j = 0; j < 3; j++) {
        c->cost[j] = j == 0 ? 10 : 6;
        c->upper[j] = 1;
        packcover_case_entry(c, j, j == 0 ? 7 : 5);
    }
    double x[] = {1, 0, 0};
    bool feasible;
    berth__search_options options = {.seed = 1, .max_steps = 1000};
    assert_int_equal(berth__local_search(&c->view, NULL, NULL, &options, x, &feasible, NULL), BERTH_OK);
    assert_true(feasible);
    assert_close(berth__packcover_measure(&c->view, x).cost, 12, 0);
    packcover_case_free(c);
}

/* 2 x0 + 3 x1 + 7 x2 = 31 as two rows, least x0 + x1 + x2. */
static void equalities_hold(void **state) {
    (void)state;
    packcover_case *c = packcover_case_new(3);
    static const double value[] = {2, 3, 7};
    packcover_case_cover(c, 31);
    for (int j = 0; j < 3; j++) {
        packcover_case_entry(c, j, value[j]);
    }
    packcover_case_pack(c, 31);
    for (int j = 0; j < 3; j++) {
        packcover_case_entry(c, j, value[j]);
    }
    double x[] = {0, 0, 0};
    bool feasible;
    berth__search_options options = {.seed = 1, .max_steps = 5000};
    assert_int_equal(berth__local_search(&c->view, NULL, NULL, &options, x, &feasible, NULL), BERTH_OK);
    assert_true(feasible);
    assert_close(x[0] + x[1] + x[2], 5, 0); /* 7 * 4 + 3 */
    packcover_case_free(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(search_against_enumeration),
        cmocka_unit_test(reduced_costs_lose_nothing),
        cmocka_unit_test(search_with_continuous_variables),
        cmocka_unit_test(kept_state_equals_recomputation),
        cmocka_unit_test(steps_do_not_grow_with_the_problem),
        cmocka_unit_test(cover_of_known_size),
        cmocka_unit_test(budgets_are_kept),
        cmocka_unit_test(leaves_the_greedy_choice),
        cmocka_unit_test(equalities_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
