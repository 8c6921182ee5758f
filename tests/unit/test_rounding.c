/* rounding/: widths and measures, scales and promises, single draws, trials. */
#include "tests/support/check.h"
#include "tests/support/packcover_case.h"

#include "base/pcg.h"
#include "rounding/bounds.h"
#include "rounding/independent.h"

#include <string.h>

/* ---- roots ---- */

static void roots_have_their_golden_values(void **state) {
    (void)state;
    assert_true(fabs(berth__root_lower(401, 0.5, 5) - 0.084) < 5e-4);
    assert_true(fabs(berth__root_lower(401, 0.5, 15) - 0.294) < 5e-4);
    assert_true(fabs(berth__root_lower(401, 0.5, 200) - 0.746) < 5e-4);
    assert_true(fabs(berth__root_upper(1, 0.5, 15) - 1.57) < 5e-3);
    assert_true(fabs(berth__paper_packing(401, 0.5, 5) - 0.153) < 5e-4);
}

/* n and delta that make ln(3 n / delta) = share. */
static double delta_for(double share) {
    return 3 / exp(share);
}

static void roots_solve_their_equations(void **state) {
    (void)state;
    for (double q = 1e-6; q < 600; q *= 1.37) {
        double low = berth__root_lower(1, delta_for(2), 2 / q), high = berth__root_upper(1, delta_for(2), 2 / q);
        assert_true(low > 0 && low < 1 && high > 1);
        assert_close(low - 1 - log(low), q, 1e-14);
        assert_close(high - 1 - log(high), q, 1e-14);
        double t = berth__tail_lower(1, delta_for(2), 2 / q), top = berth__tail_upper(1, delta_for(2), 2 / q);
        assert_close(top * log(top) - top + 1, q, 1e-14);
        assert_true(top > 1 && t < 1);
        if (q < 1) {
            assert_close(t * log(t) - t + 1, q, 1e-14);
        } else {
            assert_close(t, 0, 0);
        }
    }
}

/* Near 1 the residual says little about the root; the series of the root in a = sqrt(2q) does. */
static void roots_are_exact_near_one(void **state) {
    (void)state;
    for (double a = 1e-9; a < 3e-4; a *= 2.3) {
        double width = 2 / (a * a / 2), cube = a * a * a;
        double tolerance = 5e-16 + a * cube;
        assert_true(fabs(berth__root_lower(1, delta_for(2), width) - (1 - a + a * a / 3 - cube / 36)) < tolerance);
        assert_true(fabs(berth__root_upper(1, delta_for(2), width) - (1 + a + a * a / 3 + cube / 36)) < tolerance);
        assert_true(fabs(berth__tail_lower(1, delta_for(2), width) - (1 - a + a * a / 6 + cube / 72)) < tolerance);
        assert_true(fabs(berth__tail_upper(1, delta_for(2), width) - (1 + a + a * a / 6 - cube / 72)) < tolerance);
    }
}

static void roots_at_the_ends(void **state) {
    (void)state;
    assert_close(berth__root_lower(7, 0.1, HUGE_VAL), 1, 0);
    assert_close(berth__root_upper(7, 0.1, HUGE_VAL), 1, 0);
    assert_close(berth__tail_lower(7, 0.1, HUGE_VAL), 1, 0);
    assert_close(berth__tail_upper(7, 0.1, HUGE_VAL), 1, 0);
    assert_close(berth__tail_lower(7, 0.1, 0), 0, 0);
    assert_close(berth__tail_upper(7, 0.1, 0), HUGE_VAL, 0);
    assert_close(berth__root_lower(7, 0.1, 1e-9), 0, 0);
    assert_true(berth__tail_lower(1, 3 * exp(-1.0), 1 + 1e-6) > 0); /* q just below 1 */
    assert_close(berth__tail_lower(1, 3 * exp(-1.0), 1 + 1e-12), 0, 0);
}

/* At the root G the favoured rows hold exactly: the tail factor at mean G W is 1 / G. */
static void the_two_roots_agree(void **state) {
    (void)state;
    for (double width = 1.5; width < 5000; width *= 1.9) {
        double low = berth__root_lower(401, 0.3, width), high = berth__root_upper(40, 0.3, width);
        assert_close(low * berth__tail_upper(401, 0.3, low * width), 1, 1e-13);
        assert_close(high * berth__tail_lower(40, 0.3, high * width), 1, 1e-13);
        /* The paper's cover form rests on a weaker bound. */
        assert_true(berth__paper_cover(40, 0.3, width) > high);
        double k = 1.5 * log(3 * 401 / 0.3) / width, g = berth__paper_packing(401, 0.3, width);
        assert_close((1 - g) * (1 - g) / g, 2 * k, 1e-12);
        k = log(3 * 40 / 0.3) / width;
        g = berth__paper_cover(40, 0.3, width);
        assert_close((g - 1) * (g - 1) / g, 2 * k, 1e-12);
    }
}

/* ---- widths and measures ---- */

/* x0 + 2 x1 >= 4, x1 + x2 >= 3;  2 x0 + x1 <= 6, 3 x2 <= 9, costs 1, 2, 3. */
static packcover_case *small_case(void) {
    packcover_case *c = packcover_case_new(3);
    packcover_case_cover(c, 4);
    packcover_case_entry(c, 0, 1);
    packcover_case_entry(c, 1, 2);
    packcover_case_cover(c, 3);
    packcover_case_entry(c, 1, 1);
    packcover_case_entry(c, 2, 1);
    packcover_case_pack(c, 6);
    packcover_case_entry(c, 0, 2);
    packcover_case_entry(c, 1, 1);
    packcover_case_pack(c, 9);
    packcover_case_entry(c, 2, 3);
    c->cost[1] = 2;
    c->cost[2] = 3;
    return c;
}

static void widths_leave_out_what_cannot_fail(void **state) {
    (void)state;
    packcover_case *c = small_case();
    assert_close(berth__width_cover(&c->view, NULL), 2, 0);
    assert_close(berth__width_packing(&c->view, NULL), 3, 0);
    assert_close(berth__width_cover(&c->view, (bool[]){false, true, false}), 3, 0);
    assert_close(berth__width_packing(&c->view, (bool[]){true, false, true}), 6, 0);
    c->is_integer[0] = false;
    c->is_integer[2] = false;
    assert_close(berth__width_packing(&c->view, NULL), 6, 0);
    assert_close(berth__width_packing(&c->view, (bool[]){true, true, true}), HUGE_VAL, 0);
    c->rhs[0] = 0; /* holds anyway */
    assert_close(berth__width_cover(&c->view, NULL), 3, 0);
    c->rhs[2] = 0;
    assert_close(berth__width_packing(&c->view, NULL), 0, 0);
    packcover_case_free(c);
}

static void measuring(void **state) {
    (void)state;
    packcover_case *c = small_case();
    berth__violation v = berth__packcover_measure(&c->view, (double[]){1, 2, 1});
    assert_true(v.feasible);
    assert_close(v.cost, 8, 0);
    assert_close(v.cover_min, 1, 0);
    assert_int_equal(v.worst_cover, 1);
    assert_close(v.pack_max, 4.0 / 6, 1e-16);
    assert_int_equal(v.worst_pack, 0);
    assert_close(berth__violation_size(&v), 0, 0);

    v = berth__packcover_measure(&c->view, (double[]){0, 1, 4});
    assert_false(v.feasible);
    assert_close(v.cover_min, 0.5, 0);
    assert_close(v.pack_max, 12.0 / 9, 1e-15);
    assert_int_equal(v.worst_pack, 1);
    assert_close(berth__violation_size(&v), 0.5, 0);

    c->rhs[3] = 0; /* a row with right side 0 allows nothing */
    v = berth__packcover_measure(&c->view, (double[]){1, 2, 1});
    assert_close(v.pack_max, HUGE_VAL, 0);
    assert_true(berth__packcover_measure(&c->view, (double[]){0, 3, 0}).feasible);
    c->upper[1] = 2.5;
    assert_false(berth__packcover_measure(&c->view, (double[]){0, 3, 0}).feasible);
    assert_close(berth__packcover_top(&c->view, 1), 2, 0);
    c->upper[1] = 9;
    assert_false(berth__packcover_measure(&c->view, (double[]){0.5, 3, 0}).feasible);
    c->is_integer[0] = false;
    assert_true(berth__packcover_measure(&c->view, (double[]){0.5, 3, 0}).feasible);
    assert_false(berth__packcover_measure(&c->view, (double[]){-0.5, 3, 0}).feasible);
    assert_false(berth__packcover_measure(&c->view, (double[]){nan(""), 3, 0}).feasible);
    packcover_case_free(c);
}

static void measuring_without_rows(void **state) {
    (void)state;
    packcover_case *c = packcover_case_new(1);
    berth__violation v = berth__packcover_measure(&c->view, (double[]){2});
    assert_true(v.feasible && v.worst_cover == -1 && v.worst_pack == -1);
    assert_close(v.cover_min, HUGE_VAL, 0);
    assert_close(v.pack_max, 0, 0);
    assert_close(berth__violation_size(&v), 0, 0);
    packcover_case_free(c);
}

/* 1e-9 of the right side is let go, more is not. */
static void measuring_tolerates_decimal_fractions(void **state) {
    (void)state;
    packcover_case *c = packcover_case_new(1);
    packcover_case_cover(c, 3);
    packcover_case_entry(c, 0, 1 - 5e-10);
    packcover_case_pack(c, 3);
    packcover_case_entry(c, 0, 1 + 5e-10);
    assert_true(berth__packcover_measure(&c->view, (double[]){3}).feasible);
    c->value[1] = 1 + 2e-9;
    assert_false(berth__packcover_measure(&c->view, (double[]){3}).feasible);
    c->value[1] = 1;
    c->value[0] = 1 - 2e-9;
    assert_false(berth__packcover_measure(&c->view, (double[]){3}).feasible);
    packcover_case_free(c);
}

/* ---- promises ---- */

static const double fair_point[] = {1, 1.5, 1.5}; /* both cover rows tight */

static berth__scale_choice chosen(berth_scale_rule rule, berth_favour favour, double delta) {
    return (berth__scale_choice){.rule = rule, .favour = favour, .delta = delta, .given = 1};
}

static void corrected_rule_favours(void **state) {
    (void)state;
    packcover_case *c = small_case();
    berth__scale_choice packing = chosen(BERTH_SCALE_AUTO, BERTH_FAVOUR_PACKING, 0.3);
    berth__guarantee g = berth__choose_scale(&c->view, fair_point, NULL, &packing);
    double scale = berth__root_lower(2, 0.3, 3);
    assert_true(g.holds && g.why_not == NULL);
    assert_close(g.scale, scale, 0);
    assert_close(g.pack_factor, 1, 0);
    assert_close(g.cover_factor, scale * berth__tail_lower(2, 0.3, scale * 2), 0);
    assert_close(g.cost_factor, 10 * scale, 1e-15);
    assert_close(g.probability, 0.7, 1e-15);

    berth__scale_choice cover = chosen(BERTH_SCALE_AUTO, BERTH_FAVOUR_COVER, 0.3);
    g = berth__choose_scale(&c->view, fair_point, NULL, &cover);
    scale = berth__root_upper(2, 0.3, 2);
    assert_true(g.holds);
    assert_close(g.scale, scale, 0);
    assert_close(g.cover_factor, 1, 0);
    assert_close(g.pack_factor, scale * berth__tail_upper(2, 0.3, scale * 3), 0);
    packcover_case_free(c);
}

/* Nothing that costs, no cost event; and a maximisation is the same with its profit as one more cover row, whether the
 * view says `maximize` or has that row first and no costs. */
static void profits_are_cover_rows(void **state) {
    (void)state;
    packcover_case *c = small_case();
    double point[3]; /* a hundred times as wide, so that cover factors are not 0 */
    for (int j = 0; j < 3; j++) {
        point[j] = 100 * fair_point[j];
    }
    for (int i = 0; i < 4; i++) {
        c->rhs[i] *= 100;
    }
    berth__scale_choice packing = chosen(BERTH_SCALE_AUTO, BERTH_FAVOUR_PACKING, 0.3);
    berth__guarantee with_cost = berth__choose_scale(&c->view, point, NULL, &packing);
    double cost[] = {c->cost[0], c->cost[1], c->cost[2]}, profit = 0;
    for (int j = 0; j < 3; j++) {
        profit += cost[j] * point[j];
        c->cost[j] = 0;
    }
    berth__guarantee g = berth__choose_scale(&c->view, point, NULL, &packing);
    assert_true(g.holds && with_cost.holds);
    assert_close(g.scale, with_cost.scale, 0);
    assert_close(g.cost_factor, 1, 0);
    assert_close(g.probability, with_cost.probability + 0.1, 1e-15);

    for (int j = 0; j < 3; j++) {
        c->cost[j] = cost[j];
    }
    c->view.maximize = true;
    g = berth__choose_scale(&c->view, point, NULL, &packing);
    packcover_case *prepended = packcover_case_new(3);
    packcover_case_cover(prepended, profit);
    for (int j = 0; j < 3; j++) {
        prepended->cost[j] = 0;
        packcover_case_entry(prepended, j, cost[j]);
    }
    for (int i = 0; i < 4; i++) {
        (i < 2 ? packcover_case_cover : packcover_case_pack)(prepended, c->rhs[i]);
        for (size_t k = c->row_start[i]; k < c->row_start[i + 1]; k++) {
            packcover_case_entry(prepended, c->col[k], c->value[k]);
        }
    }
    berth__guarantee row = berth__choose_scale(&prepended->view, point, NULL, &packing);
    assert_true(g.holds && row.holds);
    assert_close(g.scale, row.scale, 0);
    assert_close(g.cover_factor, row.cover_factor, 0);
    assert_close(g.cost_factor, g.cover_factor, 0);
    assert_close(g.probability, row.probability, 0);
    assert_close(g.probability, 0.8, 1e-15);
    assert_true(g.cover_factor > 0.5 && g.cover_factor < with_cost.cover_factor); /* three rows to hold, not two */
    packcover_case_free(prepended);
    packcover_case_free(c);
}

static void given_scale_is_judged(void **state) {
    (void)state;
    packcover_case *c = small_case();
    berth__scale_choice given = chosen(BERTH_SCALE_GIVEN, BERTH_FAVOUR_COVER, 0.2);
    given.given = 1.25;
    berth__guarantee g = berth__choose_scale(&c->view, fair_point, NULL, &given);
    assert_true(g.holds);
    assert_close(g.scale, 1.25, 0);
    assert_close(g.cover_factor, 1.25 * berth__tail_lower(2, 0.2, 2.5), 0);
    assert_close(g.pack_factor, 1.25 * berth__tail_upper(2, 0.2, 3.75), 0);
    assert_close(g.cost_factor, 18.75, 1e-15);
    /* With the corrected rule's own scale, the favoured factor comes out as 1. */
    given.given = berth__root_upper(2, 0.2, 2);
    assert_close(berth__choose_scale(&c->view, fair_point, NULL, &given).cover_factor, 1, 1e-14);
    static const double bad[] = {0, -1, HUGE_VAL};
    for (int i = 0; i < 3; i++) {
        given.given = bad[i];
        g = berth__choose_scale(&c->view, fair_point, NULL, &given);
        assert_true(!g.holds && g.why_not != NULL);
        assert_close(g.scale, 1, 0);
        assert_close(g.probability, 0, 0);
    }
    packcover_case_free(c);
}

/* Scaling all right sides and x by s makes both widths s times as wide. */
static berth__guarantee paper_at(double s, berth_favour favour) {
    packcover_case *c = small_case();
    double x[3];
    for (int i = 0; i < 4; i++) {
        c->rhs[i] *= s;
    }
    for (int j = 0; j < 3; j++) {
        x[j] = s * fair_point[j];
    }
    berth__scale_choice choice = chosen(BERTH_SCALE_PAPER, favour, 0.5);
    berth__guarantee g = berth__choose_scale(&c->view, x, NULL, &choice);
    packcover_case_free(c);
    return g;
}

static void paper_rule_says_when_it_fails(void **state) {
    (void)state;
    bool held = false, failed = false;
    for (double s = 1; s < 100; s *= 1.3) {
        berth__guarantee g = paper_at(s, BERTH_FAVOUR_PACKING);
        assert_close(g.scale, berth__paper_packing(2, 0.5, 3 * s), 1e-15);
        assert_true(g.holds == (g.scale >= 0.5));
        assert_true(g.holds == (g.why_not == NULL));
        double e = sqrt(2 * log(12) / (g.scale * 2 * s));
        assert_close(g.cover_factor, e < 1 ? g.scale * (1 - e) : 0, 1e-14);
        assert_close(g.pack_factor, 1, 0);
        held = held || g.holds;
        failed = failed || !g.holds;

        g = paper_at(s, BERTH_FAVOUR_COVER);
        assert_close(g.scale, berth__paper_cover(2, 0.5, 2 * s), 1e-15);
        e = sqrt(3 * log(12) / (g.scale * 3 * s));
        assert_close(g.pack_factor, g.scale * (1 + e), 1e-14);
        assert_close(g.cover_factor, 1, 0);
        assert_true(g.holds == (e <= 1));
        if (g.holds) { /* it is true, and no sharper than what can be proved */
            assert_true(g.pack_factor >= g.scale * berth__tail_upper(2, 0.5, g.scale * 3 * s));
        }
    }
    assert_true(held && failed);
}

static void expect_refusal(const packcover_case *c, const double *x, const bool *skip, const char *reason) {
    for (int favour = 0; favour < 2; favour++) {
        berth__scale_choice choice = chosen(BERTH_SCALE_AUTO, (berth_favour)favour, 0.3);
        berth__guarantee g = berth__choose_scale(&c->view, x, skip, &choice);
        assert_false(g.holds);
        assert_close(g.probability, 0, 0);
        assert_true(g.scale > 0 && g.scale < HUGE_VAL);
        if (strstr(g.why_not, reason) == NULL) {
            fail_msg("\"%s\" does not say \"%s\"", g.why_not, reason);
        }
    }
}

static void promises_are_withheld(void **state) {
    (void)state;
    packcover_case *c = small_case();
    expect_refusal(c, (double[]){1, 1.4, 1.5}, NULL, "breaks a row");
    expect_refusal(c, (double[]){0, 2, 3.1}, NULL, "breaks a row");
    expect_refusal(c, (double[]){nan(""), 2, 3}, NULL, "breaks a row");
    expect_refusal(c, fair_point, (bool[]){true, false, false}, "breaks a row");
    c->rhs[3] = 0;
    expect_refusal(c, (double[]){1, 3, 0}, NULL, "right side 0");
    berth__scale_choice choice = chosen(BERTH_SCALE_AUTO, BERTH_FAVOUR_PACKING, 0.3);
    assert_true(berth__choose_scale(&c->view, (double[]){1, 3, 0}, (bool[]){false, false, true}, &choice).holds);
    c->rhs[3] = 9;
    static const double bad[] = {0, 1, -0.1, 3};
    for (int i = 0; i < 4; i++) {
        choice.delta = bad[i];
        berth__guarantee g = berth__choose_scale(&c->view, fair_point, NULL, &choice);
        assert_true(!g.holds && strstr(g.why_not, "delta") != NULL);
    }
    packcover_case_free(c);
}

static void clipping_voids_the_promise(void **state) {
    (void)state;
    packcover_case *c = small_case();
    berth__scale_choice cover = chosen(BERTH_SCALE_AUTO, BERTH_FAVOUR_COVER, 0.3);
    c->upper[1] = 2;
    berth__guarantee g = berth__choose_scale(&c->view, fair_point, NULL, &cover);
    assert_true(!g.holds && strstr(g.why_not, "clipped") != NULL);
    c->upper[1] = ceil(1.5 * g.scale);
    assert_true(berth__choose_scale(&c->view, fair_point, NULL, &cover).holds);
    /* An integer variable cannot use the part of its bound beyond the last integer. */
    berth__scale_choice given = chosen(BERTH_SCALE_GIVEN, BERTH_FAVOUR_COVER, 0.3);
    c->upper[1] = 1.75;
    assert_false(berth__choose_scale(&c->view, fair_point, NULL, &given).holds);
    c->is_integer[1] = false;
    assert_true(berth__choose_scale(&c->view, fair_point, NULL, &given).holds);
    packcover_case_free(c);

    /* Without cover rows clipping does no harm: it only lowers. */
    c = packcover_case_new(1);
    packcover_case_pack(c, 4);
    packcover_case_entry(c, 0, 1);
    c->upper[0] = 1.5;
    assert_true(berth__choose_scale(&c->view, (double[]){1.5}, NULL, &given).holds);
    packcover_case_free(c);
}

static void absent_kinds_have_no_event(void **state) {
    (void)state;
    packcover_case *c = packcover_case_new(1);
    packcover_case_cover(c, 4);
    packcover_case_entry(c, 0, 1);
    berth__scale_choice choice = chosen(BERTH_SCALE_AUTO, BERTH_FAVOUR_PACKING, 0.3);
    berth__guarantee g = berth__choose_scale(&c->view, (double[]){4}, NULL, &choice);
    assert_true(g.holds);
    assert_close(g.scale, 1, 0);
    assert_close(g.pack_factor, 1, 0);
    assert_close(g.cover_factor, berth__tail_lower(1, 0.3, 4), 0);
    assert_close(g.probability, 0.8, 1e-15);
    c->rhs[0] = 0; /* a cover row that always holds is no row */
    g = berth__choose_scale(&c->view, (double[]){4}, NULL, &choice);
    assert_true(g.holds);
    assert_close(g.cover_factor, 1, 0);
    assert_close(g.probability, 0.9, 1e-15);
    g = berth__choose_scale(&c->view, (double[]){0}, NULL, &choice); /* and of a point that costs nothing, no cost */
    assert_true(g.holds);
    assert_close(g.cost_factor, 1, 0);
    assert_close(g.probability, 1, 0);
    packcover_case_free(c);

    c = packcover_case_new(1);
    packcover_case_pack(c, 4);
    packcover_case_entry(c, 0, 1);
    choice.favour = BERTH_FAVOUR_COVER;
    g = berth__choose_scale(&c->view, (double[]){4}, NULL, &choice);
    assert_true(g.holds);
    assert_close(g.scale, 1, 0);
    assert_close(g.cover_factor, 1, 0);
    assert_close(g.pack_factor, berth__tail_upper(1, 0.3, 4), 0);
    assert_close(g.probability, 0.8, 1e-15);
    c->is_integer[0] = false; /* nothing is random then */
    assert_close(berth__choose_scale(&c->view, (double[]){4}, NULL, &choice).pack_factor, 1, 0);
    packcover_case_free(c);
}

/* ---- single draws ---- */

static void a_draw_uses_one_number_per_variable(void **state) {
    (void)state;
    packcover_case *c = packcover_case_new(5);
    double out[5];
    c->is_integer[1] = false;
    berth__pcg stream = berth__pcg_seed(1, 1), counted = stream;
    berth__round_independent(&c->view, (double[]){0.5, 0.5, 3, 0, 7.25}, 1.5,
                             (bool[]){false, false, false, false, true}, &stream, out);
    for (int i = 0; i < 5; i++) {
        berth__pcg_next(&counted);
    }
    uint64_t next = berth__pcg_next(&stream);
    assert_true(next == berth__pcg_next(&counted));
    assert_close(out[1], 0.75, 0);
    assert_true(out[2] >= 4 && out[2] <= 5);
    assert_close(out[3], 0, 0);
    assert_close(out[4], 0, 0);
    packcover_case_free(c);
}

static void draws_snap_and_clip(void **state) {
    (void)state;
    packcover_case *c = packcover_case_new(5);
    double out[5], x[] = {2 - 5e-10, 2 + 5e-10, 2.999, 4, -1e-12};
    berth__pcg stream = berth__pcg_seed(1, 2);
    c->upper[2] = 2.5;
    c->upper[3] = 3;
    c->is_integer[3] = false;
    for (int draw = 0; draw < 1000; draw++) {
        berth__round_independent(&c->view, x, 1, NULL, &stream, out);
        assert_close(out[0], 2, 0);
        assert_close(out[1], 2, 0);
        assert_close(out[2], 2, 0);
        assert_close(out[3], 3, 0);
        assert_close(out[4], 0, 0);
    }
    packcover_case_free(c);
}

/* Means of G x over 10^5 draws, 8 standard deviations: false alarm below 3e-12 for each of the four (Bernstein). */
static void draws_keep_the_mean(void **state) {
    (void)state;
    enum { DRAWS = 100000 };
    packcover_case *c = packcover_case_new(4);
    double x[] = {0.1, 0.75, 2.4, 0.002}, sum[4] = {0}, out[4];
    berth__pcg stream = berth__pcg_seed(3, 3);
    for (int draw = 0; draw < DRAWS; draw++) {
        berth__round_independent(&c->view, x, 1.3, NULL, &stream, out);
        for (int j = 0; j < 4; j++) {
            sum[j] += out[j];
        }
    }
    for (int j = 0; j < 4; j++) {
        double mean = 1.3 * x[j], part = mean - floor(mean);
        assert_true(fabs(sum[j] / DRAWS - mean) < 8 * sqrt(part * (1 - part) / DRAWS));
    }
    packcover_case_free(c);
}

/* ---- trials ---- */

/* x0 + x1 + x2 >= 2 at x = 1/2 each, costs 1, 2, 4. */
static packcover_case *half_case(void) {
    packcover_case *c = packcover_case_new(3);
    packcover_case_cover(c, 2);
    for (int j = 0; j < 3; j++) {
        packcover_case_entry(c, j, 1);
        c->cost[j] = 1 << j;
    }
    return c;
}
static const double halves[] = {0.5, 0.5, 0.5};

/* Among 200 draws {1, 1, 0} is missing with probability (7/8)^200 = 3e-12. */
static void trials_keep_the_cheapest(void **state) {
    (void)state;
    packcover_case *c = half_case();
    double out[3], work[3];
    berth__pcg stream = berth__pcg_seed(5, 1);
    berth__trials_result r = berth__round_trials(&c->view, halves, 1, NULL, 200, false, NULL, NULL, &stream, out, work);
    assert_true(r.feasible && r.best.feasible);
    assert_int_equal(r.draws, 200);
    assert_true(r.n_feasible > 20 && r.n_feasible < 180); /* half of them on average */
    assert_close(r.best.cost, 3, 0);
    assert_close(out[0] + out[1], 2, 0);
    packcover_case_free(c);
}

static void a_spent_budget_ends_the_draws(void **state) {
    (void)state;
    packcover_case *c = half_case();
    double out[3], work[3];
    berth__pcg stream = berth__pcg_seed(5, 1);
    berth__budget spent = berth__budget_start(0, NULL);
    berth__trials_result r =
        berth__round_trials(&c->view, halves, 1, NULL, 1000000, false, NULL, &spent, &stream, out, work);
    assert_true(r.draws >= 1 && r.draws < 100);
    berth__violation measured = berth__packcover_measure(&c->view, out);
    assert_close(measured.cost, r.best.cost, 0);
    packcover_case_free(c);
}

/* The same rows, to maximise: all draws with two or three ones hold, {1, 1, 1} earns most. */
static void trials_keep_the_most_profit(void **state) {
    (void)state;
    packcover_case *c = half_case();
    c->view.maximize = true;
    double out[3], work[3];
    berth__pcg stream = berth__pcg_seed(5, 5);
    berth__trials_result r = berth__round_trials(&c->view, halves, 1, NULL, 200, false, NULL, NULL, &stream, out, work);
    assert_true(r.feasible);
    assert_close(r.best.cost, 7, 0);
    packcover_case_pack(c, 2);
    for (int j = 0; j < 3; j++) {
        packcover_case_entry(c, j, 1);
    }
    r = berth__round_trials(&c->view, halves, 1, NULL, 200, false, NULL, NULL, &stream, out, work);
    assert_true(r.feasible);
    assert_close(r.best.cost, 6, 0);
    packcover_case_free(c);
}

static void trials_stop_at_the_first(void **state) {
    (void)state;
    packcover_case *c = half_case();
    for (uint64_t seed = 0; seed < 50; seed++) {
        double out[3], work[3], again[3];
        berth__pcg stream = berth__pcg_seed(seed, 2), replay = stream;
        berth__trials_result r =
            berth__round_trials(&c->view, halves, 1, NULL, 100, true, NULL, NULL, &stream, out, work);
        assert_true(r.feasible);
        assert_int_equal(r.n_feasible, 1);
        for (int draw = 1; draw <= r.draws; draw++) { /* only the last holds, and is what came back */
            berth__round_independent(&c->view, halves, 1, NULL, &replay, again);
            assert_true(berth__packcover_measure(&c->view, again).feasible == (draw == r.draws));
        }
        assert_memory_equal(out, again, sizeof out);
    }
    packcover_case_free(c);
}

/* A right side out of reach: the least violated draw is all ones, then repeats of it change nothing. */
static void trials_keep_the_least_violated(void **state) {
    (void)state;
    packcover_case *c = half_case();
    c->rhs[0] = 5;
    double out[3], work[3];
    berth__pcg stream = berth__pcg_seed(5, 3);
    berth__trials_result r = berth__round_trials(&c->view, halves, 1, NULL, 200, true, NULL, NULL, &stream, out, work);
    assert_true(!r.feasible && !r.best.feasible && r.n_feasible == 0);
    assert_int_equal(r.draws, 200);
    assert_close(r.best.cover_min, 0.6, 1e-15);
    assert_close(out[0] + out[1] + out[2], 3, 0);
    packcover_case_free(c);
}

typedef struct watcher {
    int adjusted, asked;
    bool all_feasible;
    const packcover_case *c;
} watcher;

static void drop_third(void *user, double *x) {
    ((watcher *)user)->adjusted++;
    x[2] = 0;
}
static bool refuse_cheap(void *user, const double *x) {
    watcher *w = user;
    w->asked++;
    w->all_feasible = w->all_feasible && berth__packcover_measure(&w->c->view, x).feasible;
    return x[2] > 0;
}

static void trials_adjust_and_ask(void **state) {
    (void)state;
    packcover_case *c = half_case();
    double out[3], work[3];
    watcher w = {.all_feasible = true, .c = c};
    berth__after_draw after = {.adjust = drop_third, .accept = NULL, .user = &w};
    berth__pcg stream = berth__pcg_seed(5, 4);
    berth__trials_result r =
        berth__round_trials(&c->view, halves, 1, NULL, 200, false, &after, NULL, &stream, out, work);
    assert_int_equal(w.adjusted, 200);
    assert_true(r.feasible);
    assert_close(out[2], 0, 0);

    after = (berth__after_draw){.adjust = NULL, .accept = refuse_cheap, .user = &w};
    r = berth__round_trials(&c->view, halves, 1, NULL, 200, false, &after, NULL, &stream, out, work);
    assert_true(r.feasible && w.all_feasible);
    assert_true(w.asked > r.n_feasible);
    assert_close(r.best.cost, 5, 0); /* the cheapest with the third */

    /* A violated draw is worth more than a refused one; if all are refused, the cheapest comes back. */
    after.adjust = drop_third;
    r = berth__round_trials(&c->view, halves, 1, NULL, 200, false, &after, NULL, &stream, out, work);
    assert_true(!r.feasible && !r.best.feasible && r.n_feasible == 0);
    assert_close(r.best.cover_min, 0.5, 0);
    c->rhs[0] = 0;
    r = berth__round_trials(&c->view, halves, 1, NULL, 200, false, &after, NULL, &stream, out, work);
    assert_true(!r.feasible && r.best.feasible);
    assert_close(r.best.cost, 0, 0);
    packcover_case_free(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roots_have_their_golden_values),
        cmocka_unit_test(roots_solve_their_equations),
        cmocka_unit_test(roots_are_exact_near_one),
        cmocka_unit_test(roots_at_the_ends),
        cmocka_unit_test(the_two_roots_agree),
        cmocka_unit_test(widths_leave_out_what_cannot_fail),
        cmocka_unit_test(measuring),
        cmocka_unit_test(measuring_without_rows),
        cmocka_unit_test(measuring_tolerates_decimal_fractions),
        cmocka_unit_test(corrected_rule_favours),
        cmocka_unit_test(profits_are_cover_rows),
        cmocka_unit_test(given_scale_is_judged),
        cmocka_unit_test(paper_rule_says_when_it_fails),
        cmocka_unit_test(promises_are_withheld),
        cmocka_unit_test(clipping_voids_the_promise),
        cmocka_unit_test(absent_kinds_have_no_event),
        cmocka_unit_test(a_draw_uses_one_number_per_variable),
        cmocka_unit_test(draws_snap_and_clip),
        cmocka_unit_test(draws_keep_the_mean),
        cmocka_unit_test(trials_keep_the_cheapest),
        cmocka_unit_test(trials_keep_the_most_profit),
        cmocka_unit_test(a_spent_budget_ends_the_draws),
        cmocka_unit_test(trials_stop_at_the_first),
        cmocka_unit_test(trials_keep_the_least_violated),
        cmocka_unit_test(trials_adjust_and_ask),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
