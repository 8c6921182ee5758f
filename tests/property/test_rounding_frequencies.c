/* What choose_scale promises against what rounding does: the frequency of each bad event over 100,000 draws per
 * setting, a tenth of that under sanitizers.
 *
 * Every event may happen with probability q = delta / 3 at most. A test fails above
 *     q + 8 sqrt(q (1 - q) / draws).
 * By Bernstein's inequality an event of exactly that probability exceeds this with probability below exp(-26.8), for
 * every q here and for the draws under sanitizers too. About 350 events are watched, nearly all of them far below their
 * bound: a false failure has probability below 1e-9, and seeds are fixed.
 *
 * The theorem asks for a fractional x with A x >= a and B x <= b and measures cost against c.x. So x is drawn first and
 * right sides are put where the rows are tight at x, which is the hardest case. */
#include "tests/support/check.h"
#include "tests/support/packcover_case.h"
#include "tests/support/sanitized.h"

#include "base/alloc.h"
#include "rounding/independent.h"

#include <string.h>

enum { DRAWS = SANITIZED ? 10000 : 100000 };

enum { MAX_VARS = 128 };

typedef struct instance {
    const char *name;
    packcover_case *c;
    double x[MAX_VARS];
    bool skip[MAX_VARS];
} instance;

/* ---- instances ---- */

static double between(berth__pcg *stream, double low, double high) {
    return low + (high - low) * berth__pcg_uniform(stream);
}

/* Puts each row's right side where x makes it tight. */
static void tighten(instance *in) {
    const berth__packcover *p = &in->c->view;
    for (int i = 0; i < p->n_cover + p->n_pack; i++) {
        in->c->rhs[i] = 0;
        for (size_t k = p->row_start[i]; k < p->row_start[i + 1]; k++) {
            in->c->rhs[i] += p->value[k] * in->x[p->col[k]];
        }
    }
}

static void random_rows(instance *in, int n_cover, int n_pack, double density, double least, berth__pcg *stream) {
    for (int i = 0; i < n_cover + n_pack; i++) {
        (i < n_cover ? packcover_case_cover : packcover_case_pack)(in->c, 0);
        for (int j = 0; j < in->c->view.n_vars; j++) {
            if (j % 8 == i % 8 || berth__pcg_uniform(stream) < density) {
                packcover_case_entry(in->c, j, between(stream, least, 1));
            }
        }
    }
    tighten(in);
}

static void draw_point(instance *in, int n_vars, double most, berth__pcg *stream) {
    in->c = packcover_case_new(n_vars);
    for (int j = 0; j < n_vars; j++) {
        in->x[j] = between(stream, 0, most);
        in->c->cost[j] = between(stream, 0.1, 5);
    }
}

static void make_sparse(instance *in, berth__pcg *stream) {
    in->name = "sparse";
    draw_point(in, 40, 1.5, stream);
    random_rows(in, 4, 8, 0.3, 0.3, stream);
}

/* Coefficients over two orders of magnitude, large whole parts. */
static void make_uneven(instance *in, berth__pcg *stream) {
    in->name = "uneven";
    draw_point(in, 24, 12, stream);
    random_rows(in, 3, 5, 0.4, 0.01, stream);
}

/* Every machine holds 2.9994 units of a demand of .3334 of it: two fit with room to spare, three do not. */
static void make_just_below(instance *in, berth__pcg *stream) {
    enum { MACHINES = 6, EACH = 8 };
    in->name = "just below";
    draw_point(in, MACHINES * EACH, 1, stream);
    for (int h = 0; h < MACHINES; h++) {
        double sum = 0;
        for (int e = 0; e < EACH; e++) {
            sum += in->x[h * EACH + e];
        }
        for (int e = 0; e < EACH; e++) {
            in->x[h * EACH + e] *= 2.9994 / sum;
        }
    }
    for (int i = 0; i < 2; i++) {
        packcover_case_cover(in->c, 0);
        for (int j = i; j < MACHINES * EACH; j += 2) {
            packcover_case_entry(in->c, j, 1);
        }
    }
    for (int h = 0; h < MACHINES; h++) {
        packcover_case_pack(in->c, 0);
        for (int e = 0; e < EACH; e++) {
            packcover_case_entry(in->c, h * EACH + e, 0.3334);
        }
    }
    tighten(in);
}

/* Groups that need 2.001 units: two are not enough, three are plenty. One packing row over all. */
static void make_just_above(instance *in, berth__pcg *stream) {
    enum { GROUPS = 3, EACH = 24 };
    in->name = "just above";
    draw_point(in, GROUPS * EACH, 1, stream);
    for (int g = 0; g < GROUPS; g++) {
        packcover_case_cover(in->c, 0);
        for (int e = 0; e < EACH; e++) {
            in->x[g * EACH + e] = 2.001 / EACH;
            packcover_case_entry(in->c, g * EACH + e, 1);
        }
    }
    packcover_case_pack(in->c, 0);
    for (int j = 0; j < GROUPS * EACH; j++) {
        packcover_case_entry(in->c, j, 1);
    }
    tighten(in);
}

/* Workers and parameter servers of one job on GPU machines: 4 GPUs each, a worker takes one; CPU and memory besides;
 * at most F workers in all. The last machine has room for neither, so its variables are fixed at 0. */
static void make_slot(instance *in, berth__pcg *stream) {
    enum { MACHINES = 16, FULL = MACHINES - 1, RESOURCES = 3 };
    static const double worker[RESOURCES] = {1, 4, 20}, ps[RESOURCES] = {0, 2, 8}, capacity[RESOURCES] = {4, 24, 120};
    in->name = "slot";
    draw_point(in, 2 * MACHINES, 1, stream);
    for (int h = 0; h < MACHINES; h++) {
        in->x[h] = h == FULL ? 0 : 4 * fmin(1, 1.3 * berth__pcg_uniform(stream)); /* GPUs are full on some */
        in->x[MACHINES + h] = h == FULL ? 0 : berth__pcg_uniform(stream);
        in->skip[h] = in->skip[MACHINES + h] = h == FULL;
    }
    for (int kind = 0; kind < 2; kind++) {
        packcover_case_cover(in->c, 0);
        for (int h = 0; h < MACHINES; h++) {
            packcover_case_entry(in->c, kind * MACHINES + h, 1);
        }
    }
    packcover_case_pack(in->c, 0);
    for (int h = 0; h < MACHINES; h++) {
        packcover_case_entry(in->c, h, 1);
    }
    tighten(in);
    for (int h = 0; h < MACHINES; h++) {
        for (int r = 0; r < RESOURCES; r++) {
            packcover_case_pack(in->c, h == FULL ? 0.5 * worker[r] : capacity[r]);
            packcover_case_entry(in->c, h, worker[r]);
            packcover_case_entry(in->c, MACHINES + h, ps[r]);
        }
    }
}

/* One row of each kind, wide enough for the paper's closed forms to be valid. */
static void make_wide(instance *in, berth__pcg *stream) {
    in->name = "wide";
    draw_point(in, 60, 1.9, stream);
    for (int i = 0; i < 2; i++) {
        (i == 0 ? packcover_case_cover : packcover_case_pack)(in->c, 0);
        for (int j = 0; j < 60; j++) {
            packcover_case_entry(in->c, j, 1);
        }
    }
    tighten(in);
}

/* ---- watching events ---- */

typedef struct counts {
    long draws, cost, cover, pack, any;
} counts;

static counts watch(const berth__packcover *p, const double *x, const bool *skip, const berth__guarantee *g, long draws,
                    berth__pcg *stream) {
    counts n = {.draws = draws};
    double *out = BERTH__NEW_ARRAY(double, (size_t)p->n_vars);
    assert_non_null(out);
    double lp = 0, slack = 1e-9;
    for (int j = 0; j < p->n_vars; j++) {
        lp += p->cost[j] * x[j];
    }
    for (long draw = 0; draw < draws; draw++) {
        berth__round_independent(p, x, g->scale, skip, stream, out);
        berth__violation v = berth__packcover_measure(p, out);
        bool cost = !p->maximize && v.cost > g->cost_factor * lp * (1 + slack);
        bool profit = p->maximize && v.cost < g->cost_factor * lp * (1 - slack); /* one of the cover rows */
        bool cover = profit || v.cover_min < g->cover_factor * (1 - slack);
        bool pack = v.pack_max > g->pack_factor * (1 + slack);
        n.cost += cost;
        n.cover += cover;
        n.pack += pack;
        n.any += cost || cover || pack;
    }
    berth__free(out);
    return n;
}

static double allowance(double probability, long draws) {
    return probability + 8 * sqrt(probability * (1 - probability) / (double)draws);
}

static double share(long events, const counts *n) {
    return (double)events / (double)n->draws;
}

static void tell(const char *name, const char *rule, double delta, const berth__guarantee *g, const counts *n) {
    char sharpness[3][16];
    long events[3] = {n->cost, n->cover, n->pack};
    for (int e = 0; e < 3; e++) {
        if (events[e] == 0) {
            snprintf(sharpness[e], sizeof sharpness[e], "none");
        } else {
            snprintf(sharpness[e], sizeof sharpness[e], "%.3g", delta / 3 / share(events[e], n));
        }
    }
    print_message(
        "%-10s %-13s delta %.2f G %6.3f cover %6.3f pack %6.3f; bound/frequency: cost %s, cover %s, pack %s\n", name,
        rule, delta, g->scale, g->cover_factor, g->pack_factor, sharpness[0], sharpness[1], sharpness[2]);
}

/* Checks one setting; false if nothing is promised. */
static bool check_promise(const instance *in, const char *rule, const berth__scale_choice *choice, berth__pcg *stream) {
    berth__guarantee g = berth__choose_scale(&in->c->view, in->x, in->skip, choice);
    if (!g.holds) {
        return false;
    }
    counts n = watch(&in->c->view, in->x, in->skip, &g, DRAWS, stream);
    tell(in->name, rule, choice->delta, &g, &n);
    double limit = allowance(choice->delta / 3, DRAWS);
    assert_true(share(n.cost, &n) <= limit);
    assert_true(share(n.cover, &n) <= limit);
    assert_true(share(n.pack, &n) <= limit);
    assert_true(share(n.any, &n) <= allowance(1 - g.probability, DRAWS));
    return true;
}

/* ---- the tests ---- */

static void (*const makers[])(instance *, berth__pcg *) = {make_sparse,     make_uneven, make_just_below,
                                                           make_just_above, make_slot,   make_wide};
enum { KINDS = sizeof makers / sizeof *makers };
static const double deltas[] = {0.06, 0.3, 0.9};
enum { DELTAS = sizeof deltas / sizeof *deltas };

static int for_all(berth_scale_rule rule, berth_favour favour, double given, const char *name, uint64_t seed,
                   int first_delta, bool maximize) {
    int held = 0;
    for (int kind = 0; kind < KINDS; kind++) {
        for (int d = first_delta; d < DELTAS; d++) {
            berth__pcg stream = berth__pcg_key(3, (uint64_t[]){seed, (uint64_t)kind, (uint64_t)d});
            instance in = {.name = NULL};
            makers[kind](&in, &stream);
            in.c->view.maximize = maximize;
            berth__scale_choice choice = {.rule = rule, .favour = favour, .delta = deltas[d], .given = given};
            held += check_promise(&in, name, &choice, &stream);
            packcover_case_free(in.c);
        }
    }
    return held;
}

static void packing_favoured(void **state) {
    (void)state;
    assert_int_equal(for_all(BERTH_SCALE_AUTO, BERTH_FAVOUR_PACKING, 1, "packing", 1, 0, false), KINDS * DELTAS);
}

static void cover_favoured(void **state) {
    (void)state;
    assert_int_equal(for_all(BERTH_SCALE_AUTO, BERTH_FAVOUR_COVER, 1, "cover", 2, 0, false), KINDS * DELTAS);
}

static void given(void **state) {
    (void)state;
    assert_int_equal(for_all(BERTH_SCALE_GIVEN, BERTH_FAVOUR_COVER, 1, "given", 3, 0, false), KINDS * DELTAS);
    assert_int_equal(for_all(BERTH_SCALE_GIVEN, BERTH_FAVOUR_COVER, 1.4, "given", 4, DELTAS - 1, false),
                     KINDS); /* the tightest factors */
}

static void maximisation(void **state) {
    (void)state;
    assert_int_equal(for_all(BERTH_SCALE_AUTO, BERTH_FAVOUR_PACKING, 1, "max packing", 8, DELTAS - 1, true), KINDS);
    assert_int_equal(for_all(BERTH_SCALE_AUTO, BERTH_FAVOUR_COVER, 1, "max cover", 9, DELTAS - 1, true), KINDS);
}

/* The closed forms where they are said to hold: the wide instance at least. */
static void paper(void **state) {
    (void)state;
    assert_true(for_all(BERTH_SCALE_PAPER, BERTH_FAVOUR_PACKING, 1, "paper packing", 5, 0, false) >= DELTAS);
    assert_true(for_all(BERTH_SCALE_PAPER, BERTH_FAVOUR_COVER, 1, "paper cover", 6, 0, false) >= DELTAS);
}

/* 401 packing rows of width just below 5, 40 variables each. The closed form's G = 0.153 fails in more than a third of
 * draws where delta / 3 = 0.167 is promised; the corrected rule keeps its word. This is also the proof that the tests
 * above would see a wrong bound. The frequency is .36 with a standard deviation of .011: that it comes out below .27 by
 * chance has a probability below 1e-12. */
static void paper_fails_on_narrow_rows(void **state) {
    (void)state;
    enum { ROWS = 401, EACH = 40, FEW = 2000 };
    packcover_case *c = packcover_case_new(ROWS * EACH);
    double *x = BERTH__NEW_ARRAY(double, ROWS *EACH);
    assert_non_null(x);
    for (int i = 0; i < ROWS; i++) {
        packcover_case_pack(c, 4.9999);
        for (int e = 0; e < EACH; e++) {
            packcover_case_entry(c, i * EACH + e, 1);
            x[i * EACH + e] = 4.9999 / EACH;
        }
    }
    double frequency[2], delta = 0.5;
    static const berth_scale_rule rules[] = {BERTH_SCALE_PAPER, BERTH_SCALE_AUTO};
    for (int r = 0; r < 2; r++) {
        berth__scale_choice choice = {.rule = rules[r], .favour = BERTH_FAVOUR_PACKING, .delta = delta};
        berth__guarantee g = berth__choose_scale(&c->view, x, NULL, &choice);
        assert_true(g.holds == (rules[r] == BERTH_SCALE_AUTO));
        assert_true(fabs(g.scale - (r == 0 ? 0.153 : 0.084)) < 1e-3);
        berth__pcg stream = berth__pcg_key(2, (uint64_t[]){7, (uint64_t)r});
        counts n = watch(&c->view, x, NULL, &g, FEW, &stream);
        tell("401 rows", r == 0 ? "paper packing" : "packing", delta, &g, &n);
        frequency[r] = share(n.pack, &n);
    }
    assert_true(frequency[0] > 0.27);
    assert_true(frequency[0] > allowance(delta / 3, FEW));
    assert_true(frequency[1] <= allowance(delta / 3, FEW));
    berth__free(x);
    packcover_case_free(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packing_favoured),
        cmocka_unit_test(cover_favoured),
        cmocka_unit_test(given),
        cmocka_unit_test(maximisation),
        cmocka_unit_test(paper),
        cmocka_unit_test(paper_fails_on_narrow_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
