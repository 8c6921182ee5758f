/* What berth_check_solution says of promises, against all outcomes of the draw by enumeration: a promise that is not
 * true is never confirmed, one that follows from a union over the rows always is. And the tails it is made of. */
#include "tests/support/check.h"

#include <string.h>

#include <berth_io.h>

#include "audit/solution/tails.h"
#include "base/pcg.h"
#include "rounding/bounds.h"

#define ABSENT  ((double)NAN)
#define ENDLESS ((double)INFINITY)

static int pick(berth__pcg *stream, int low, int high) {
    return (int)berth__pcg_integer(stream, low, high);
}

/* ---- tails ---- */

enum { MOST_TERMS = 11 };

static double by_enumeration(const berth__tail *t, double level, bool up) {
    double total = 0;
    for (unsigned outcome = 0; outcome < 1u << t->n; outcome++) {
        double chance = 1, sum = t->constant;
        for (size_t k = 0; k < t->n; k++) {
            bool one = (outcome >> k & 1) != 0;
            chance *= one ? t->terms[k].chance : 1 - t->terms[k].chance;
            sum += one ? t->terms[k].value : 0;
        }
        total += (up ? sum >= level : sum <= level) ? chance : 0;
    }
    return total;
}

/* exp(-(m / v) (t ln t - t + 1)) of the random part, which the best exponential moment is never above. */
static double by_closed_form(const berth__tail *t, double level, bool up) {
    double beyond = (level - t->constant) / t->mean;
    if (t->n == 0 || beyond <= 0 || (up ? beyond <= 1 : beyond >= 1)) {
        return 1;
    }
    return exp(-t->mean / t->largest * (beyond * log(beyond) - beyond + 1));
}

static void test_tails(void **state) {
    (void)state;
    uint64_t key[] = {21};
    berth__pcg stream = berth__pcg_key(1, key);
    double work[MOST_TERMS + 2];
    berth__tail_term terms[MOST_TERMS];
    int informative = 0;
    for (int number = 0; number < 4000; number++) {
        berth__tail t = {.terms = terms};
        berth__tail_clear(&t);
        bool equal = pick(&stream, 0, 1) == 0, above = pick(&stream, 0, 1) == 0;
        double common = pick(&stream, 1, 4) / 4.0;
        t.constant = pick(&stream, 0, 3);
        for (int k = pick(&stream, 0, MOST_TERMS); k > 0; k--) {
            double chance = pick(&stream, 0, 4) == 0 ? 1e-6 : 0.001 + 0.998 * berth__pcg_uniform(&stream);
            berth__tail_add(&t, equal ? common : pick(&stream, 1, 8) / 8.0, chance);
        }
        double limit = pick(&stream, 0, 1) == 0 ? t.constant + pick(&stream, -1, 12) * common
                                                : t.constant + t.total * berth__pcg_uniform(&stream);
        double due = by_enumeration(&t, limit, above), plain = berth__tail_plain(&t, limit, above);
        double chernoff = berth__tail_chernoff(&t, limit, above), exact = berth__tail_exact(&t, limit, above, work);
        if (!(fabs(exact - due) <= 1e-12 * due + 1e-300)) {
            fail_msg("case %d: %.17g, by enumeration %.17g", number, exact, due);
        }
        assert_true(exact >= due * (1 - 1e-13));
        assert_true(chernoff >= due * (1 - 1e-12) && plain >= due * (1 - 1e-12));
        assert_true(chernoff <= by_closed_form(&t, limit, above) * (1 + 1e-9));
        informative += chernoff > 0 && chernoff < 0.5;
    }
    assert_true(informative > 500);
}

/* Longer sums of equal values against the plain recursion. */
static void test_long_tails(void **state) {
    (void)state;
    enum { LONG = 400 };
    uint64_t key[] = {22};
    berth__pcg stream = berth__pcg_key(1, key);
    for (int number = 0; number < 60; number++) {
        berth__tail_term terms[LONG];
        double work[LONG + 2], p[LONG + 1] = {1};
        berth__tail t = {.terms = terms};
        berth__tail_clear(&t);
        int n = pick(&stream, 20, LONG);
        for (int k = 0; k < n; k++) {
            double chance = 0.01 + 0.98 * berth__pcg_uniform(&stream);
            berth__tail_add(&t, 0.3, chance);
            for (int c = k + 1; c >= 0; c--) {
                p[c] = p[c] * (1 - chance) + (c > 0 ? p[c - 1] * chance : 0);
            }
        }
        int ones = pick(&stream, 0, n - 1);
        double limit = (ones + 0.5) * 0.3, below = 0, above = 0;
        for (int c = 0; c <= n; c++) {
            below += c <= ones ? p[c] : 0;
            above += c > ones ? p[c] : 0;
        }
        assert_true(fabs(berth__tail_exact(&t, limit, false, work) - below) <= 1e-11 * below);
        assert_true(fabs(berth__tail_exact(&t, limit, true, work) - above) <= 1e-11 * above);
        assert_true(berth__tail_chernoff(&t, limit, false) >= below * (1 - 1e-11));
        assert_true(berth__tail_chernoff(&t, limit, true) >= above * (1 - 1e-11));
    }
}

/* ---- promises ---- */

enum { MOST_VARS = 8, MOST_ROWS = 4 };

/* A packing-and-covering problem in disguise: rows may be negated, lower bounds other than 0. */
typedef struct instance {
    double cost[MOST_VARS], lower[MOST_VARS], upper[MOST_VARS], row_lower[MOST_ROWS], row_upper[MOST_ROWS];
    double value[MOST_ROWS * MOST_VARS], relaxation[MOST_VARS];
    bool is_integer[MOST_VARS];
    size_t row_start[MOST_ROWS + 1];
    int var_of[MOST_ROWS * MOST_VARS];
    berth_problem problem;
    /* undisguised */
    double a[MOST_ROWS][MOST_VARS], rhs[MOST_ROWS];
    bool cover[MOST_ROWS];
    double x[MOST_VARS]; /* relaxation, from the lower bounds */
    double lp;
    int n, m;
} instance;

/* The point first, then rows that it holds. */
static void make(instance *c, berth__pcg *stream) {
    memset(c, 0, sizeof *c);
    c->n = pick(stream, 2, MOST_VARS);
    c->m = pick(stream, 1, MOST_ROWS);
    c->problem = (berth_problem){.struct_size = sizeof c->problem,
                                 .maximize = pick(stream, 0, 1) == 0,
                                 .offset = 3,
                                 .n_vars = (size_t)c->n,
                                 .n_rows = (size_t)c->m,
                                 .cost = c->cost,
                                 .lower = c->lower,
                                 .upper = c->upper,
                                 .is_integer = c->is_integer,
                                 .row_lower = c->row_lower,
                                 .row_upper = c->row_upper,
                                 .row_start = c->row_start,
                                 .var_of = c->var_of,
                                 .value = c->value};
    for (int j = 0; j < c->n; j++) {
        c->is_integer[j] = pick(stream, 0, 7) > 0;
        c->lower[j] = pick(stream, -1, 1);
        c->upper[j] = pick(stream, 0, 2) == 0 ? c->lower[j] + 3 : ENDLESS;
        c->cost[j] = pick(stream, 0, 4);
        c->x[j] = pick(stream, 0, 3) == 0 ? pick(stream, 0, 2) : 2 * berth__pcg_uniform(stream);
        c->relaxation[j] = c->lower[j] + c->x[j];
        c->lp += c->cost[j] * (c->relaxation[j] - c->lower[j]);
    }
    for (int i = 0; i < c->m; i++) {
        size_t at = c->row_start[i];
        double sum = 0, base = 0, sign = pick(stream, 0, 2) == 0 ? -1 : 1;
        bool equal = pick(stream, 0, 1) == 0;
        for (int j = 0; j < c->n; j++) {
            c->a[i][j] = pick(stream, 0, 3) == 0 ? 0 : equal ? 1 : pick(stream, 1, 4) / 2.0;
            if (c->a[i][j] > 0) {
                c->var_of[at] = j;
                c->value[at++] = sign * c->a[i][j];
                sum += c->a[i][j] * c->x[j];
                base += c->a[i][j] * c->lower[j];
            }
        }
        c->row_start[i + 1] = at;
        c->cover[i] = pick(stream, 0, 1) == 0;
        c->rhs[i] = c->cover[i] ? floor(sum * 16) / 16 : ceil(sum * 16) / 16;
        double bound = sign * (c->rhs[i] + base);
        c->row_lower[i] = c->cover[i] == (sign > 0) ? bound : -ENDLESS;
        c->row_upper[i] = c->cover[i] == (sign > 0) ? ENDLESS : bound;
    }
}

/* What x' is clipped to: the upper bound, and for an integer what a packing row has room for. */
static double top_of(const instance *c, int j) {
    double top = c->upper[j] - c->lower[j];
    for (int i = 0; i < c->m && c->is_integer[j]; i++) {
        if (!c->cover[i] && c->a[i][j] > 0) {
            top = fmin(top, floor(c->rhs[i] / c->a[i][j] + 1e-9));
        }
    }
    return top;
}

typedef struct truth {
    double any;    /* probability that anything fails */
    double in_all; /* sum of the probabilities of all that can fail */
} truth;

static truth by_all_outcomes(const instance *c, const berth_promise *p) {
    double value[MOST_VARS];
    truth t = {0, 0};
    for (int j = 0; j < c->n; j++) {
        value[j] = fmin(p->scale * c->x[j], top_of(c, j));
    }
    for (unsigned outcome = 0; outcome < 1u << c->n; outcome++) {
        double x[MOST_VARS], chance = 1, cost = 0;
        for (int j = 0; j < c->n && chance > 0; j++) {
            double part = c->is_integer[j] ? value[j] - floor(value[j]) : 0;
            bool up = (outcome >> j & 1) != 0;
            chance *= up ? part : 1 - part;
            x[j] = c->is_integer[j] ? floor(value[j]) + up : value[j];
            cost += c->cost[j] * x[j];
        }
        if (!(chance > 0)) {
            continue;
        }
        int failed = 0;
        failed += c->problem.maximize ? cost < p->cost_factor * c->lp * (1 - 1e-9)
                                      : cost > p->cost_factor * c->lp * (1 + 1e-9);
        for (int i = 0; i < c->m; i++) {
            double sum = 0;
            for (int j = 0; j < c->n; j++) {
                sum += c->a[i][j] * x[j];
            }
            failed += c->cover[i] ? sum < p->cover_factor * c->rhs[i] * (1 - 1e-9) - 1e-9
                                  : sum > p->pack_factor * c->rhs[i] * (1 + 1e-9) + 1e-9;
        }
        t.any += failed > 0 ? chance : 0;
        t.in_all += failed * chance;
    }
    return t;
}

static berth_solution solution_of(const instance *c, const char *method, const berth_promise *promise) {
    return (berth_solution){.method = method,
                            .packing_covering = true,
                            .outcome = BERTH_LIMIT,
                            .cost = ABSENT,
                            .bound = ABSENT,
                            .node_bound = ABSENT,
                            .ratio = ABSENT,
                            .cover_min = ABSENT,
                            .pack_max = ABSENT,
                            .promise = *promise,
                            .scale = "auto",
                            .n_vars = c->problem.n_vars,
                            .n_rows = c->problem.n_rows,
                            .relaxation = c->relaxation};
}

static bool is_confirmed(const instance *c, const char *method, const berth_promise *promise) {
    berth_error error = {0};
    berth_report *report = NULL;
    berth_solution s = solution_of(c, method, promise);
    assert_ok(berth_check_solution(&c->problem, &s, NULL, &report, &error), error);
    bool confirmed = report->n_violations == 0;
    for (size_t k = 0; k < report->n_findings; k++) {
        if (report->findings[k].violated && strcmp(report->findings[k].rule, "promise") != 0) {
            fail_msg("%s at %s: %s", report->findings[k].rule, report->findings[k].where, report->findings[k].message);
        }
    }
    berth_report_free(report);
    return confirmed;
}

static void test_no_untrue_promise(void **state) {
    (void)state;
    uint64_t key[] = {23};
    berth__pcg stream = berth__pcg_key(1, key);
    int confirmed = 0, refused = 0;
    for (int number = 0; number < 3000; number++) {
        instance c;
        make(&c, &stream);
        berth_promise p = {.holds = true, .scale = 0.25 * pick(&stream, 1, 8)};
        p.cost_factor = c.problem.maximize ? 0.25 * pick(&stream, 0, 4) : 0.25 * pick(&stream, 1, 20);
        p.cover_factor = 0.25 * pick(&stream, 0, 5);
        p.pack_factor = 0.25 * pick(&stream, 2, 12);
        truth t = by_all_outcomes(&c, &p);
        /* True by a union of exact tails, as the terms are few: confirmed. More than is true: not. */
        p.probability = 1 - t.in_all;
        if (p.probability > 0) {
            assert_true(is_confirmed(&c, "randomized-exact", &p));
            confirmed++;
        }
        p.probability = fmin(1, 1 - t.any * (1 - 1e-3));
        if (t.any > 1e-6 && p.probability > 0) {
            assert_false(is_confirmed(&c, "randomized-exact", &p));
            assert_false(is_confirmed(&c, "randomized", &p));
            assert_false(is_confirmed(&c, "greedy", &p));
            refused++;
        }
    }
    assert_true(confirmed > 600 && refused > 600);
}

/* The draws within a group are tied to each other: what needs independence is not confirmed. */
static void test_dependent_needs_moments(void **state) {
    (void)state;
    uint64_t key[] = {24};
    berth__pcg stream = berth__pcg_key(1, key);
    int stricter = 0;
    for (int number = 0; number < 1000; number++) {
        instance c;
        make(&c, &stream);
        berth_promise p = {.holds = true, .scale = 1};
        p.cost_factor = c.problem.maximize ? 0.5 : 2;
        p.cover_factor = 0.5;
        p.pack_factor = 2;
        p.probability = 1 - by_all_outcomes(&c, &p).in_all;
        if (p.probability > 0) {
            bool confirmed = is_confirmed(&c, "dependent", &p);
            stricter += !confirmed;
            assert_true(confirmed || p.probability < 1);
        }
    }
    assert_true(stricter > 40);
}

/* Costs of 6 and 9 go above 5 by reaching 6: Markov's bound is E / 6, and here the best there is. */
static void test_units(void **state) {
    (void)state;
    enum { MANY = 20 };
    double cost[MANY], x[MANY], mean = 0;
    bool is_integer[MANY];
    for (int j = 0; j < MANY; j++) {
        cost[j] = j % 2 == 0 ? 6 : 9;
        x[j] = 0.01;
        is_integer[j] = true;
        mean += cost[j] * x[j];
    }
    instance c = {.problem = {.struct_size = sizeof c.problem, .n_vars = MANY, .cost = cost, .is_integer = is_integer}};
    berth_promise p = {true, 1, 5 / mean, ABSENT, ABSENT, 1 - mean / 6, NULL};
    berth_report *report = NULL;
    const double probability[] = {1 - mean / 6, 1 - 0.99 * mean / 6};
    for (int k = 0; k < 2; k++) {
        p.probability = probability[k];
        berth_solution s = solution_of(&c, "randomized", &p);
        s.relaxation = x;
        assert_int_equal(berth_check_solution(&c.problem, &s, NULL, &report, NULL), BERTH_OK);
        assert_int_equal(report->n_violations, k);
        berth_report_free(report);
    }
    is_integer[0] = false; /* then it is E / 5 */
    p.probability = probability[0];
    berth_solution s = solution_of(&c, "randomized", &p);
    s.relaxation = x;
    assert_int_equal(berth_check_solution(&c.problem, &s, NULL, &report, NULL), BERTH_OK);
    assert_int_equal(report->n_violations, 1);
    berth_report_free(report);
}

/* ---- the closed forms of rounding/ ---- */

/* c in the form that rounding/ works on, the profit as first cover row for a maximisation. */
typedef struct form {
    berth__packcover view;
    double cost[MOST_VARS], upper[MOST_VARS], rhs[MOST_ROWS + 1], value[(MOST_ROWS + 1) * MOST_VARS];
    size_t row_start[MOST_ROWS + 2];
    int col[(MOST_ROWS + 1) * MOST_VARS];
} form;

static void add_row(form *f, int row, const double *a, double rhs, int n) {
    size_t at = f->row_start[row];
    for (int j = 0; j < n; j++) {
        if (a[j] > 0) {
            f->col[at] = j;
            f->value[at++] = a[j];
        }
    }
    f->rhs[row] = rhs;
    f->row_start[row + 1] = at;
}

static void make_form(form *f, const instance *c) {
    int row = 0;
    memset(f, 0, sizeof *f);
    f->view = (berth__packcover){.n_vars = c->n,
                                 .cost = f->cost,
                                 .upper = f->upper,
                                 .is_integer = c->is_integer,
                                 .row_start = f->row_start,
                                 .col = f->col,
                                 .value = f->value,
                                 .rhs = f->rhs};
    for (int j = 0; j < c->n; j++) {
        f->cost[j] = c->problem.maximize ? 0 : c->cost[j];
        f->upper[j] = top_of(c, j);
    }
    if (c->problem.maximize) {
        add_row(f, row++, c->cost, c->lp, c->n);
        f->view.n_cover++;
    }
    for (int kind = 0; kind < 2; kind++) {
        for (int i = 0; i < c->m; i++) {
            if (c->cover[i] == (kind == 0)) {
                add_row(f, row++, c->a[i], c->rhs[i], c->n);
                f->view.n_cover += kind == 0;
                f->view.n_pack += kind == 1;
            }
        }
    }
}

/* Larger numbers, so that the closed forms say something. */
static void enlarge(instance *c, double by) {
    for (int j = 0; j < c->n; j++) {
        c->x[j] *= by;
        c->relaxation[j] = c->lower[j] + c->x[j];
        c->upper[j] = ENDLESS;
    }
    c->lp *= by;
    for (int i = 0; i < c->m; i++) {
        double base = 0, sign = c->row_start[i + 1] > c->row_start[i] && c->value[c->row_start[i]] < 0 ? -1 : 1;
        for (int j = 0; j < c->n; j++) {
            base += c->a[i][j] * c->lower[j];
        }
        c->rhs[i] *= by;
        double bound = sign * (c->rhs[i] + base);
        c->row_lower[i] = isinf(c->row_lower[i]) ? -ENDLESS : bound;
        c->row_upper[i] = isinf(c->row_upper[i]) ? ENDLESS : bound;
    }
}

static void test_closed_forms(void **state) {
    (void)state;
    uint64_t key[] = {25};
    berth__pcg stream = berth__pcg_key(1, key);
    int held = 0;
    for (int number = 0; number < 3000; number++) {
        instance c;
        form f;
        make(&c, &stream);
        enlarge(&c, pick(&stream, 1, 3) == 1 ? 1 : pick(&stream, 5, 60));
        make_form(&f, &c);
        berth__scale_choice choice = {.rule = pick(&stream, 0, 3) == 0 ? BERTH_SCALE_GIVEN
                                                                       : (berth_scale_rule)pick(&stream, 0, 1),
                                      .favour = pick(&stream, 0, 1) == 0 ? BERTH_FAVOUR_COVER : BERTH_FAVOUR_PACKING,
                                      .delta = 0.05 * pick(&stream, 1, 15),
                                      .given = 1};
        berth__guarantee g = berth__choose_scale(&f.view, c.x, NULL, &choice);
        if (!g.holds) {
            continue;
        }
        held++;
        berth_promise p = {.holds = true,
                           .scale = g.scale,
                           .cost_factor = c.problem.maximize ? g.cover_factor : g.cost_factor,
                           .cover_factor = g.cover_factor,
                           .pack_factor = g.pack_factor,
                           .probability = g.probability};
        if (!is_confirmed(&c, "randomized", &p)) {
            truth t = by_all_outcomes(&c, &p);
            fail_msg("case %d: rule %d, favour %d, delta %g: G %g, %g %g %g with %g; true: %g, %g", number, choice.rule,
                     choice.favour, choice.delta, p.scale, p.cost_factor, p.cover_factor, p.pack_factor, p.probability,
                     t.any, t.in_all);
        }
        assert_true(is_confirmed(&c, "dependent", &p)); /* the closed forms do not need independence */
    }
    assert_true(held > 500);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tails),
        cmocka_unit_test(test_long_tails),
        cmocka_unit_test(test_no_untrue_promise),
        cmocka_unit_test(test_dependent_needs_moments),
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_closed_forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
