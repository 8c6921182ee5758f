/* berth_check_solution on small problems solved by hand: clean as they are, and each corruption is found under its
 * rule's name. */
#include "tests/support/check.h"

#include <float.h>
#include <string.h>

#include <berth_io.h>

#include "tests/support/small_solutions.h"

/* math.h has them as floats */
#define ABSENT  ((double)NAN)
#define ENDLESS ((double)INFINITY)

static berth_report *check(const small_solution *w) {
    berth_error error = {0};
    berth_report *report = NULL;
    assert_ok(berth_check_solution(&w->problem, &w->solution, NULL, &report, &error), error);
    return report;
}

static void expect_clean(const small_solution *w, const char *what) {
    berth_report *report = check(w);
    if (report->n_violations > 0) {
        for (size_t k = 0; k < report->n_findings; k++) {
            if (report->findings[k].violated) {
                fail_msg("%s: %s at %s: %s", what, report->findings[k].rule, report->findings[k].where,
                         report->findings[k].message);
            }
        }
    }
    berth_report_free(report);
}

/* The first finding of a rule, NULL: none. */
static const berth_finding *find(const berth_report *report, const char *rule, bool violated) {
    for (size_t k = 0; k < report->n_findings; k++) {
        if (report->findings[k].violated == violated && strcmp(report->findings[k].rule, rule) == 0) {
            return &report->findings[k];
        }
    }
    return NULL;
}

static void expect(const small_solution *w, const char *what, const char *rule, bool violated) {
    berth_report *report = check(w);
    if (find(report, rule, violated) == NULL) {
        fail_msg("%s: no %s of rule %s", what, violated ? "violation" : "note", rule);
    }
    if (!violated && report->n_violations > 0) {
        fail_msg("%s: %zu violations", what, report->n_violations);
    }
    berth_report_free(report);
}

static void test_clean(void **state) {
    (void)state;
    small_solution w;
    solution_of_covering(&w);
    expect_clean(&w, "covering");
    berth_report *report = check(&w);
    assert_true(report->utility == 12 && report->dual == 12 && report->ratio == 1);
    assert_true(report->n_rules >= 10);
    berth_report_free(report);
    solution_of_packing(&w);
    expect_clean(&w, "packing");
    report = check(&w);
    assert_true(report->utility == 13 && report->dual == 13 && report->ratio == 1);
    berth_report_free(report);
    solution_of_infeasible(&w);
    expect_clean(&w, "infeasible");
    report = check(&w);
    assert_true(isnan(report->utility) && isnan(report->dual) && isnan(report->ratio));
    berth_report_free(report);
}

/* ---- corruptions ---- */

typedef void change(small_solution *w);

#define CHANGE(name, ...)                                                                                              \
    static void name(small_solution *w) {                                                                              \
        berth_solution *s = &w->solution;                                                                              \
        (void)s;                                                                                                       \
        __VA_ARGS__                                                                                                    \
    }

CHANGE(x_not_a_number, w->x[0] = ABSENT;)
CHANGE(x_infinite, w->x[2] = ENDLESS;)
CHANGE(x_too_small, w->x[1] = 0;)
CHANGE(x_too_large, w->x[0] = 5;)
CHANGE(x_fractional, w->x[0] = 3.5;)
CHANGE(x_nearly_integral, w->x[0] = 3 + 1e-12;)
CHANGE(x_huge, w->x[2] = 1e300;)
CHANGE(row_missed, w->x[0] = 2;)
CHANGE(row_missed_by_little, w->row_lower[0] = 7.0001;)
CHANGE(negated_row_missed, w->x[0] = 0; w->row_lower[0] = -ENDLESS;)
CHANGE(range_exceeded, w->x[2] = 8;)
CHANGE(cost_better, s->cost = 11.9;)
CHANGE(cost_slightly_off, s->cost = 12.0001;)
CHANGE(cost_infinite, s->cost = ENDLESS;)
CHANGE(cost_absent, s->cost = ABSENT;)
CHANGE(form_denied, s->packing_covering = false; s->why_not = "a row is mixed";)
CHANGE(form_and_reason, s->why_not = "a row is mixed";)
CHANGE(form_claimed, w->cost[1] = -2;)
CHANGE(form_claimed_mixed, w->value[0] = -2;)
CHANGE(form_claimed_endless, w->lower[0] = -ENDLESS;)
CHANGE(form_without_reason, w->cost[1] = -2; s->packing_covering = false;)
CHANGE(cover_min_off, s->cover_min = 1.01;)
CHANGE(cover_min_absent, s->cover_min = ABSENT;)
CHANGE(pack_max_off, s->pack_max = 0.4;)
CHANGE(pack_max_absent, s->pack_max = ABSENT;)
CHANGE(bound_an_ulp_better, s->bound = nextafter(12, 13);)
CHANGE(bound_better, s->bound = 12.5; s->outcome = BERTH_FEASIBLE;)
CHANGE(bound_infinite, s->bound = ENDLESS;)
CHANGE(multiplier_not_a_number, w->multipliers[1] = ABSENT;)
CHANGE(multiplier_infinite, w->multipliers[0] = ENDLESS;)
CHANGE(multiplier_of_missing_bound, w->multipliers[1] = 0.5;)
CHANGE(multiplier_smaller, w->multipliers[0] = 1.25;)
CHANGE(multiplier_larger, w->multipliers[0] = 1.75;)
CHANGE(multipliers_absent, s->multipliers = NULL;)
CHANGE(refuted_without_proof, s->proof = BERTH_PROOF_NONE; w->multipliers[0] = 1.25;)
CHANGE(proof_without_bound, s->bound = ABSENT;)
CHANGE(proof_unknown, s->proof = (berth_proof)17;)
CHANGE(node_bound_beyond, s->node_bound = 12.1;)
CHANGE(ratio_off, s->ratio = 1.01;)
CHANGE(ratio_absent, s->ratio = ABSENT;)
CHANGE(bound_too_weak, s->bound = 11; s->ratio = 12.0 / 11;)
CHANGE(no_point, s->x = NULL; s->found_by = NULL; s->cost = s->ratio = s->cover_min = s->pack_max = ABSENT;)
CHANGE(unbounded, no_point(w); s->outcome = BERTH_UNBOUNDED; s->bound = ABSENT; s->proof = BERTH_PROOF_NONE;)
CHANGE(found_by_nobody, s->found_by = NULL;)
CHANGE(outcome_infeasible, s->outcome = BERTH_INFEASIBLE;)
CHANGE(outcome_unbounded, s->outcome = BERTH_UNBOUNDED;)
CHANGE(outcome_unknown, s->outcome = (berth_outcome)99;)
CHANGE(ray_beside_point, w->ray[0] = 1; s->ray = w->ray;)
CHANGE(relaxation_misses, w->relaxation[0] = 2.9;)
CHANGE(relaxation_outside, w->relaxation[2] = -0.1;)
CHANGE(relaxation_not_a_number, w->relaxation[2] = ABSENT;)
CHANGE(promise_without_reason, s->promise.why_not = NULL;)
CHANGE(promise_with_reason, s->promise.holds = true; s->promise.probability = 1;)
CHANGE(promise_of_chance, s->promise.holds = true; s->promise.why_not = NULL; s->promise.probability = 0.9;)
CHANGE(promise_of_lower_cost, s->promise = ((berth_promise){true, 1, 0.99, ABSENT, ABSENT, 1, NULL});)
CHANGE(promise_of_more_cover, s->promise = ((berth_promise){true, 1, 1, 1.01, ABSENT, 1, NULL});)
CHANGE(promise_of_less_pack, s->promise = ((berth_promise){true, 1, 1, ABSENT, 0.4, 1, NULL});)
CHANGE(promise_beyond_certain, s->promise = ((berth_promise){true, 1, 1, 1, 1, 1.5, NULL});)
CHANGE(approximate_beyond, s->outcome = BERTH_APPROXIMATE; w->x[0] = 2; s->cost = 9; s->ratio = ABSENT;
       s->cover_min = 0.9; s->pack_max = 2.0 / 7;)

static void test_corruptions(void **state) {
    (void)state;
    static const struct {
        const char *name;
        change *apply;
        const char *rule;
    } corruptions[] = {
#define CORRUPTION(name, rule) {#name, name, rule}
        CORRUPTION(x_not_a_number, "finite"),
        CORRUPTION(x_infinite, "finite"),
        CORRUPTION(x_too_small, "variable-bounds"),
        CORRUPTION(x_too_large, "variable-bounds"),
        CORRUPTION(x_fractional, "integrality"),
        CORRUPTION(x_nearly_integral, "integrality"),
        CORRUPTION(x_huge, "row"),
        CORRUPTION(row_missed, "row"),
        CORRUPTION(row_missed_by_little, "row"),
        CORRUPTION(negated_row_missed, "row"),
        CORRUPTION(range_exceeded, "row"),
        CORRUPTION(cost_better, "cost"),
        CORRUPTION(cost_slightly_off, "cost"),
        CORRUPTION(cost_infinite, "cost"),
        CORRUPTION(cost_absent, "cost"),
        CORRUPTION(form_denied, "packing-covering"),
        CORRUPTION(form_and_reason, "packing-covering"),
        CORRUPTION(form_claimed, "packing-covering"),
        CORRUPTION(form_claimed_mixed, "packing-covering"),
        CORRUPTION(form_claimed_endless, "packing-covering"),
        CORRUPTION(form_without_reason, "packing-covering"),
        CORRUPTION(cover_min_off, "row-factors"),
        CORRUPTION(cover_min_absent, "row-factors"),
        CORRUPTION(pack_max_off, "row-factors"),
        CORRUPTION(pack_max_absent, "row-factors"),
        CORRUPTION(bound_an_ulp_better, "bound"),
        CORRUPTION(bound_better, "bound"),
        CORRUPTION(bound_infinite, "finite"),
        CORRUPTION(multiplier_not_a_number, "multipliers"),
        CORRUPTION(multiplier_infinite, "multipliers"),
        CORRUPTION(multiplier_of_missing_bound, "multipliers"),
        CORRUPTION(multiplier_smaller, "bound"),
        CORRUPTION(multiplier_larger, "bound"),
        CORRUPTION(multipliers_absent, "bound"),
        CORRUPTION(refuted_without_proof, "bound"),
        CORRUPTION(unbounded, "outcome"),
        CORRUPTION(proof_without_bound, "bound"),
        CORRUPTION(proof_unknown, "bound"),
        CORRUPTION(node_bound_beyond, "node-bound"),
        CORRUPTION(ratio_off, "ratio"),
        CORRUPTION(ratio_absent, "ratio"),
        CORRUPTION(bound_too_weak, "outcome"),
        CORRUPTION(no_point, "outcome"),
        CORRUPTION(found_by_nobody, "outcome"),
        CORRUPTION(outcome_infeasible, "outcome"),
        CORRUPTION(outcome_unbounded, "outcome"),
        CORRUPTION(outcome_unknown, "outcome"),
        CORRUPTION(ray_beside_point, "ray"),
        CORRUPTION(ray_beside_point, "outcome"),
        CORRUPTION(relaxation_misses, "relaxation"),
        CORRUPTION(relaxation_outside, "relaxation"),
        CORRUPTION(relaxation_not_a_number, "relaxation"),
        CORRUPTION(promise_without_reason, "promise"),
        CORRUPTION(promise_with_reason, "promise"),
        CORRUPTION(promise_of_chance, "promise"),
        CORRUPTION(promise_of_lower_cost, "promise"),
        CORRUPTION(promise_of_more_cover, "promise"),
        CORRUPTION(promise_of_less_pack, "promise"),
        CORRUPTION(promise_beyond_certain, "promise"),
        CORRUPTION(approximate_beyond, "row"),
#undef CORRUPTION
    };
    for (size_t k = 0; k < sizeof corruptions / sizeof corruptions[0]; k++) {
        small_solution w;
        solution_of_covering(&w);
        corruptions[k].apply(&w);
        expect(&w, corruptions[k].name, corruptions[k].rule, true);
    }
}

CHANGE(max_bound_an_ulp_better, s->bound = nextafter(13, 12);)
CHANGE(max_bound_better, s->bound = 12.5; s->outcome = BERTH_FEASIBLE;)
CHANGE(max_multiplier_smaller, w->multipliers[0] = 0.5;)
CHANGE(max_multiplier_negative, w->multipliers[0] = -1;)
CHANGE(max_row_exceeded, w->x[2] = 2; s->cost = 16;)
CHANGE(max_node_bound_beyond, s->node_bound = 12;)
CHANGE(max_cover_min, s->cover_min = 1;)
CHANGE(max_ratio, s->ratio = 13.0 / 12;)
CHANGE(max_promise, s->promise = ((berth_promise){true, 1, 1, 1, 0.99, 1, NULL});)

static void test_corruptions_of_a_maximisation(void **state) {
    (void)state;
    static const struct {
        change *apply;
        const char *rule;
    } corruptions[] = {
        {max_bound_an_ulp_better, "bound"},       {max_bound_better, "bound"}, {max_multiplier_smaller, "bound"},
        {max_multiplier_negative, "multipliers"}, {max_row_exceeded, "row"},   {max_node_bound_beyond, "node-bound"},
        {max_cover_min, "row-factors"},           {max_ratio, "ratio"},        {max_promise, "promise"}};
    for (size_t k = 0; k < sizeof corruptions / sizeof corruptions[0]; k++) {
        small_solution w;
        char name[16];
        snprintf(name, sizeof name, "number %zu", k);
        solution_of_packing(&w);
        corruptions[k].apply(&w);
        expect(&w, name, corruptions[k].rule, true);
    }
}

CHANGE(ray_zero, w->ray[0] = 0;)
CHANGE(ray_wrong_side, w->ray[0] = -0.5;)
CHANGE(ray_not_enough, w->upper[2] = 3;)
CHANGE(ray_not_a_number, w->ray[1] = ABSENT;)
CHANGE(ray_with_too_much, w->ray[1] = 1;)
CHANGE(ray_of_an_optimum, s->outcome = BERTH_LIMIT;)

static void test_rays(void **state) {
    (void)state;
    static const struct {
        change *apply;
        const char *rule;
    } corruptions[] = {{ray_zero, "ray"},         {ray_wrong_side, "ray"},    {ray_not_enough, "ray"},
                       {ray_not_a_number, "ray"}, {ray_with_too_much, "ray"}, {ray_of_an_optimum, "outcome"}};
    for (size_t k = 0; k < sizeof corruptions / sizeof corruptions[0]; k++) {
        small_solution w;
        char name[16];
        snprintf(name, sizeof name, "number %zu", k);
        solution_of_infeasible(&w);
        corruptions[k].apply(&w);
        expect(&w, name, corruptions[k].rule, true);
    }
    small_solution w;
    solution_of_infeasible(&w);
    w.solution.ray = NULL;
    expect(&w, "no ray", "outcome", false);
    solution_of_infeasible(&w); /* fractional bounds of integers count as what integers can take */
    w.upper[0] = 1.9;
    w.upper[1] = w.upper[2] = 2.4;
    expect_clean(&w, "integers");
    w.is_integer[0] = false;
    expect(&w, "not all integers", "ray", true);
}

/* ---- what is right, though not plainly ---- */

CHANGE(weaker_bound, s->bound = 11.5; s->outcome = BERTH_FEASIBLE; s->ratio = 12 / 11.5;)
CHANGE(weaker_within_gap, s->bound = 11.5; s->gap = 0.05; s->ratio = 12 / 11.5;)
CHANGE(tolerance_is_exact, s->proof = BERTH_PROOF_TOLERANCE;)
CHANGE(approximate, s->outcome = BERTH_APPROXIMATE; w->x[0] = 2; s->cost = 9; s->ratio = ABSENT; s->cover_min = 2.0 / 3;
       s->pack_max = 2.0 / 7;)
CHANGE(stopped_with_nothing, no_point(w); s->outcome = BERTH_LIMIT;)
CHANGE(certain_promise, s->promise = ((berth_promise){true, 1, 1, 1, 0.5, 1, NULL});)
CHANGE(small_promise, s->promise = ((berth_promise){true, ABSENT, 3, 0.1, 7, 1, NULL});)
CHANGE(external_minimum, s->method = "external"; s->outcome = BERTH_FEASIBLE; s->proof = BERTH_PROOF_NONE;
       s->multipliers = NULL; s->relaxation = NULL; s->found_by = NULL; s->problem_crc32 = 0;
       s->favour = s->scale = NULL; s->packing_covering = false; s->promise.why_not = NULL;
       s->cost = s->bound = s->ratio = s->cover_min = s->pack_max = s->delta = s->gap = ABSENT;)
/* A row of 0 on its right side; a cover row that always holds. */
CHANGE(vacuous_cover, w->row_lower[3] = -5;)
CHANGE(lp_precision, w->row_lower[0] = 7 + 1e-8; s->proof = BERTH_PROOF_NONE;)

static void test_variants(void **state) {
    (void)state;
    static const struct {
        const char *name;
        change *apply;
    } variants[] = {
#define VARIANT(name) {#name, name}
        VARIANT(weaker_bound),  VARIANT(weaker_within_gap),    VARIANT(tolerance_is_exact),
        VARIANT(approximate),   VARIANT(stopped_with_nothing), VARIANT(certain_promise),
        VARIANT(small_promise), VARIANT(external_minimum),     VARIANT(vacuous_cover),
        VARIANT(lp_precision),
#undef VARIANT
    };
    for (size_t k = 0; k < sizeof variants / sizeof variants[0]; k++) {
        small_solution w;
        solution_of_covering(&w);
        variants[k].apply(&w);
        expect_clean(&w, variants[k].name);
    }
}

CHANGE(bound_without_proof, s->proof = BERTH_PROOF_NONE; s->multipliers = NULL;)
CHANGE(optimal_by_nodes, s->bound = 11; s->node_bound = 12; s->ratio = 12.0 / 11;)
CHANGE(stopped_short, s->outcome = BERTH_LIMIT; w->x[0] = 2; s->cost = 9; s->ratio = ABSENT; s->cover_min = 2.0 / 3;
       s->pack_max = 2.0 / 7;)
CHANGE(no_checksum, s->problem_crc32 = 0;)
CHANGE(numeric, no_point(w); s->outcome = BERTH_NUMERIC;)

static void test_notes(void **state) {
    (void)state;
    static const struct {
        change *apply;
        const char *rule;
    } notes[] = {
        {bound_without_proof, "bound"}, {bound_without_proof, "outcome"}, {optimal_by_nodes, "node-bound"},
        {optimal_by_nodes, "outcome"},  {stopped_short, "row"},           {no_checksum, "identity"},
        {numeric, "outcome"},           {external_minimum, "identity"},   {external_minimum, "packing-covering"},
        {lp_precision, "row"}};
    for (size_t k = 0; k < sizeof notes / sizeof notes[0]; k++) {
        small_solution w;
        char name[16];
        snprintf(name, sizeof name, "number %zu", k);
        solution_of_covering(&w);
        notes[k].apply(&w);
        expect(&w, name, notes[k].rule, false);
    }
}

/* ---- bounds that need more than the box ---- */

/* Is this bound confirmed as `proof`, and what is an ulp better refused? */
static void expect_best_bound(small_solution *w, const char *what, berth_proof proof, double bound) {
    double better = w->problem.maximize ? -ENDLESS : ENDLESS;
    w->solution.outcome = BERTH_FEASIBLE;
    w->solution.proof = proof;
    w->solution.bound = bound;
    double worst = w->problem.maximize ? bound : w->solution.cost,
           best = w->problem.maximize ? w->solution.cost : bound;
    w->solution.ratio = best > 0 ? fmax(1, worst / best) : ABSENT;
    expect_clean(w, what);
    w->solution.bound = nextafter(bound, better);
    expect(w, what, "bound", true);
    w->solution.bound = bound;
}

static void test_implied_bounds(void **state) {
    (void)state;
    small_solution w;
    /* A multiplier too large by an ulp leaves z, which has no upper bound, with a negative reduced cost; what x + z can
     * need, 7 - 1, bounds it in some optimum, and so does the range for all points. */
    solution_of_covering(&w);
    w.multipliers[0] = nextafter(1.5, 2);
    w.row_upper[3] = ENDLESS;
    w.solution.outcome = BERTH_FEASIBLE;
    w.solution.pack_max = 3.0 / 7;
    w.solution.bound = 12 - 1e-14;
    expect_clean(&w, "dominance");
    w.row_upper[3] = 8;
    expect_clean(&w, "range");
    w.solution.bound = 12.00000000000001;
    expect(&w, "better", "bound", true);
    /* Without either nothing is proved. */
    solution_of_covering(&w);
    w.multipliers[0] = nextafter(1.5, 2);
    w.cost[2] = -1.5;
    w.value[2] = -1; /* z lowers the first row */
    w.row_upper[1] = w.row_upper[2] = w.row_upper[3] = ENDLESS;
    w.upper[0] = w.upper[1] = ENDLESS;
    w.solution.bound = ABSENT;
    w.solution.proof = BERTH_PROOF_NONE;
    berth_report *report = check(&w);
    assert_true(isnan(report->dual));
    berth_report_free(report);
}

static void test_steps_of_costs(void **state) {
    (void)state;
    small_solution w;
    /* min 6x + 9y + 15z >= 16: the next multiple of 3, and the offset on top. */
    small_solution_begin(&w, 1);
    small_solution_row(&w, 0, 16, (double[]){6, 9, 15}, ENDLESS);
    memcpy(w.cost, (double[]){6, 9, 15}, sizeof w.cost);
    memcpy(w.x, (double[]){3, 0, 0}, sizeof w.x);
    w.multipliers[0] = 1;
    w.problem.offset = 0.5;
    w.solution.multipliers = w.multipliers;
    w.solution.cost = 18.5;
    w.solution.cover_min = 18.0 / 16;
    expect_best_bound(&w, "multiples of 3", BERTH_PROOF_EXACT, 18.5);
    w.problem.maximize = true;
    w.row_lower[0] = -ENDLESS;
    w.row_upper[0] = 17;
    memcpy(w.x, (double[]){1, 1, 0}, sizeof w.x);
    w.solution.cost = 15.5;
    w.solution.cover_min = ABSENT;
    w.solution.pack_max = 15.0 / 17;
    expect_best_bound(&w, "multiples of 3, max", BERTH_PROOF_EXACT, 15.5);
    w.is_integer[1] = false;
    expect_best_bound(&w, "a continuous variable", BERTH_PROOF_EXACT, 17.5);
    w.is_integer[1] = true;
    w.cost[1] = 9.5;
    w.multipliers[0] = 9.5 / 9;
    w.solution.bound = ABSENT;
    w.solution.proof = BERTH_PROOF_NONE;
    berth_report *report = check(&w);
    assert_true(report->dual > 17.9 && report->dual < 18.5); /* 17 * 9.5 / 9 + 0.5, not raised */
    berth_report_free(report);
}

/* The tolerance of TOLERANCE, and no more. */
static void test_tolerance(void **state) {
    (void)state;
    small_solution w;
    small_solution_begin(&w, 1);
    small_solution_row(&w, 0, 0, (double[]){1, -1, 0}, ENDLESS); /* x >= y, both free upwards */
    memcpy(w.cost, (double[]){1, -1, 1}, sizeof w.cost);
    w.solution.packing_covering = false;
    w.solution.why_not = "mixed";
    w.solution.multipliers = w.multipliers;
    w.solution.cost = w.solution.bound = 0;
    w.solution.ratio = 1;
    w.solution.outcome = BERTH_OPTIMAL;
    w.is_integer[0] = w.is_integer[1] = w.is_integer[2] = false;
    w.multipliers[0] = 1;
    w.solution.proof = BERTH_PROOF_EXACT;
    expect_clean(&w, "exact");
    w.multipliers[0] = 1 - 1e-10; /* y has a reduced cost of -1e-10 */
    expect(&w, "not exact", "multipliers", true);
    w.solution.proof = BERTH_PROOF_TOLERANCE;
    expect(&w, "tolerance", "bound", false);
    w.multipliers[0] = 1 - 1e-8;
    expect(&w, "beyond", "multipliers", true);
}

/* ---- arguments ---- */

static void expect_status(const small_solution *w, berth_status expected) {
    berth_error error = {0};
    berth_report *report = NULL;
    assert_int_equal(berth_check_solution(&w->problem, &w->solution, NULL, &report, &error), expected);
    assert_null(report);
    assert_true(error.message[0] != '\0');
}

CHANGE(other_checksum, s->problem_crc32 = 78;)
CHANGE(other_size, s->n_vars = 2;)
CHANGE(other_rows, s->n_rows = 3;)
CHANGE(cost_of_nothing, w->cost[1] = ABSENT;)
CHANGE(crossed_bounds, w->lower[1] = 7;)
CHANGE(bound_of_nothing, w->upper[1] = ABSENT;)
CHANGE(crossed_row, w->row_upper[0] = 6;)
CHANGE(infinite_value, w->value[3] = ENDLESS;)
CHANGE(variable_beyond, w->var_of[3] = 3;)
CHANGE(variable_before, w->var_of[3] = -1;)
CHANGE(variable_twice, w->var_of[1] = 0;)
CHANGE(row_backwards, w->row_start[1] = 9;)
CHANGE(offset_of_nothing, w->problem.offset = ABSENT;)
CHANGE(no_values, w->problem.value = NULL;)

static void test_refusals(void **state) {
    (void)state;
    static const struct {
        change *apply;
        berth_status status;
    } refusals[] = {
        {other_checksum, BERTH_E_MISMATCH},    {other_size, BERTH_E_MISMATCH},     {other_rows, BERTH_E_MISMATCH},
        {cost_of_nothing, BERTH_E_ARGUMENT},   {crossed_bounds, BERTH_E_ARGUMENT}, {bound_of_nothing, BERTH_E_ARGUMENT},
        {crossed_row, BERTH_E_ARGUMENT},       {infinite_value, BERTH_E_ARGUMENT}, {variable_beyond, BERTH_E_ARGUMENT},
        {variable_before, BERTH_E_ARGUMENT},   {variable_twice, BERTH_E_ARGUMENT}, {row_backwards, BERTH_E_ARGUMENT},
        {offset_of_nothing, BERTH_E_ARGUMENT}, {no_values, BERTH_E_ARGUMENT}};
    for (size_t k = 0; k < sizeof refusals / sizeof refusals[0]; k++) {
        small_solution w;
        solution_of_covering(&w);
        refusals[k].apply(&w);
        expect_status(&w, refusals[k].status);
    }
    small_solution w;
    solution_of_covering(&w);
    assert_int_equal(berth_check_solution(NULL, &w.solution, NULL, NULL, NULL), BERTH_E_ARGUMENT);
    w.problem.crc32 = 0; /* not computed: nothing to compare */
    expect_clean(&w, "no checksum");
}

static bool always(void *user) {
    (void)user;
    return true;
}

static void test_cancellation(void **state) {
    (void)state;
    small_solution w;
    berth_error error = {0};
    berth_report *report = NULL;
    berth_hooks hooks = {.struct_size = sizeof hooks, .cancel = always};
    solution_of_covering(&w);
    assert_int_equal(berth_check_solution(&w.problem, &w.solution, &hooks, &report, &error), BERTH_E_CANCELLED);
    assert_null(report);
}

static void expect_at(const small_solution *w, const char *rule, const char *where, double slack) {
    berth_report *report = check(w);
    const berth_finding *finding = find(report, rule, true);
    assert_non_null(finding);
    if (finding != NULL) {
        assert_string_equal(finding->where, where);
        assert_true(finding->slack == slack);
    }
    berth_report_free(report);
}

/* Names that are not given are made from numbers. */
static void test_names(void **state) {
    (void)state;
    small_solution w;
    solution_of_covering(&w);
    w.x[0] = 5;
    expect_at(&w, "variable-bounds", "variable x", -1);
    w.x[0] = 2;
    expect_at(&w, "row", "row need", -2);
    w.problem.var_names = NULL;
    w.problem.row_names = NULL;
    expect_at(&w, "row", "row r0", -2);
    w.x[0] = 5;
    expect_at(&w, "variable-bounds", "variable x0", -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clean),
        cmocka_unit_test(test_corruptions),
        cmocka_unit_test(test_corruptions_of_a_maximisation),
        cmocka_unit_test(test_rays),
        cmocka_unit_test(test_variants),
        cmocka_unit_test(test_notes),
        cmocka_unit_test(test_implied_bounds),
        cmocka_unit_test(test_steps_of_costs),
        cmocka_unit_test(test_tolerance),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_cancellation),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
