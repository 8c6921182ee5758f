/* The Lagrangian bound against its value in far higher precision: never above, and close. Implied bounds against
 * optima, and the best multiple of the multipliers against trying many. */
#include "base/pcg.h"
#include "solver/solve.h"
#include "solver/structural.h"
#include "tests/support/backends.h"
#include "tests/support/check.h"

#define INF (double)INFINITY

/* 113 bits: products of doubles are exact, sums of some hundred terms to 2^-105 of their magnitude. Elsewhere long
 * double has as many. */
#ifdef __SIZEOF_FLOAT128__
typedef __float128 wide;
#else
typedef long double wide;
#endif

static berth_error error;

enum { MOST = 12 };

/* ---- random models ---- */

typedef enum kind { COVER, MIXED, PACKING, GENERAL, N_KINDS } kind;

static double number(berth__pcg *stream) {
    switch (berth__pcg_integer(stream, 0, 3)) {
    case 0:
        return (double)berth__pcg_integer(stream, 1, 5);
    case 1:
        return (double)berth__pcg_integer(stream, 1, 99) / 10;
    case 2:
        return 0.01 + berth__pcg_uniform(stream);
    default:
        return exp(20 * berth__pcg_uniform(stream) - 10);
    }
}

static double maybe(berth__pcg *stream, double share, double value, double otherwise) {
    return berth__pcg_uniform(stream) < share ? value : otherwise;
}

static void add_columns(berth__model *model, berth__pcg *stream, kind k, int n) {
    for (int j = 0; j < n; j++) {
        double lower = maybe(stream, 0.3, k == GENERAL ? number(stream) - 3 : number(stream), 0);
        double upper = maybe(stream, 0.4, lower + number(stream), INF);
        double cost = maybe(stream, 0.9, number(stream), 0);
        if (k == GENERAL) {
            lower = maybe(stream, 0.2, -INF, lower);
            cost = maybe(stream, 0.4, -cost, cost);
        }
        assert_ok(berth__model_add_col(model, NULL, cost, lower, upper, false, NULL, &error), error);
    }
}

static void add_rows(berth__model *model, berth__pcg *stream, kind k, int n, int m) {
    for (int i = 0; i < m; i++) {
        bool cover = k == COVER || (k != PACKING && berth__pcg_integer(stream, 0, 1));
        bool negated = berth__pcg_integer(stream, 0, 3) == 0;
        double right = number(stream) * n, range = maybe(stream, 0.2, number(stream), INF);
        double lower = cover ? right : right - range, upper = cover ? right + range : right;
        double sign = negated ? -1 : 1;
        assert_ok(berth__model_add_row(model, NULL, negated ? -upper : lower, negated ? -lower : upper, NULL, &error),
                  error);
        for (int j = 0; j < n; j++) {
            double value = sign * number(stream);
            if (k == GENERAL) {
                value = maybe(stream, 0.3, -value, value);
            }
            if (berth__pcg_uniform(stream) < 0.6) {
                assert_ok(berth__model_add_entry(model, i, j, value, &error), error);
            }
        }
    }
}

static berth__model *random_model(berth__pcg *stream, kind k) {
    berth__model *model = NULL;
    assert_ok(berth__model_new(&model, &error), error);
    int n = (int)berth__pcg_integer(stream, 1, MOST), m = (int)berth__pcg_integer(stream, 1, MOST);
    model->maximize = k == PACKING || (k == GENERAL && berth__pcg_integer(stream, 0, 1));
    model->offset = maybe(stream, 0.3, number(stream), 0);
    add_columns(model, stream, k, n);
    add_rows(model, stream, k, n, m);
    assert_ok(berth__model_finish(model, &error), error);
    return model;
}

/* ---- the bound in wide arithmetic, from the header's definitions in the plainest form ---- */

static wide magnitude(wide value) {
    return value < 0 ? -value : value;
}

/* The other columns' least (greatest) sum in the row, over the column bounds; infinite: `*finite` is false. */
static wide rest(const berth__model *model, int row, int col, bool least, bool *finite, wide *size) {
    wide sum = 0;
    *finite = true;
    for (size_t e = model->row_start[row]; e < model->row_start[row + 1]; e++) {
        int j = model->col_of[e];
        double bound = (model->row_value[e] > 0) == least ? model->col_lower[j] : model->col_upper[j];
        if (j == col) {
            continue;
        }
        *finite = *finite && isfinite(bound);
        wide term = isfinite(bound) ? (wide)model->row_value[e] * (wide)bound : 0;
        sum += term;
        *size += magnitude(term);
    }
    return sum;
}

static bool structured(const berth__model *model) {
    for (int j = 0; j < model->n_cols; j++) {
        if (isinf(model->col_lower[j])) {
            return false;
        }
    }
    for (int i = 0; i < model->n_rows; i++) {
        for (size_t e = model->row_start[i]; e < model->row_start[i + 1]; e++) {
            if ((model->row_value[e] > 0) != (model->row_value[model->row_start[i]] > 0)) {
                return false;
            }
        }
    }
    return true;
}

typedef struct wide_bounds {
    wide lower, upper;
    bool has_lower, has_upper;
    wide size; /* of what they were computed from */
} wide_bounds;

static void lower_upper(wide_bounds *b, wide value) {
    if (!b->has_upper || value < b->upper) {
        b->upper = value;
        b->has_upper = true;
    }
}

static void raise_lower(wide_bounds *b, wide value) {
    if (!b->has_lower || value > b->lower) {
        b->lower = value;
        b->has_lower = true;
    }
}

static wide_bounds implied_of(const berth__model *model, int col) {
    wide_bounds b = {0};
    bool rule_b = structured(model) && (model->maximize ? -model->cost[col] : model->cost[col]) >= 0;
    if (isfinite(model->col_lower[col])) {
        raise_lower(&b, (wide)model->col_lower[col]);
    }
    if (isfinite(model->col_upper[col])) {
        lower_upper(&b, (wide)model->col_upper[col]);
    }
    wide alone = rule_b ? (wide)model->col_lower[col] : 0;
    for (size_t e = model->col_start[col]; e < model->col_start[col + 1]; e++) {
        int i = model->row_of[e];
        wide a = (wide)model->value[e];
        bool least_finite, greatest_finite;
        wide own = 0, size = 0;
        own += isfinite(model->col_lower[col]) ? magnitude((wide)model->col_lower[col]) : 0;
        own += isfinite(model->col_upper[col]) ? magnitude((wide)model->col_upper[col]) : 0;
        wide least = rest(model, i, col, true, &least_finite, &size);
        wide greatest = rest(model, i, col, false, &greatest_finite, &size);
        size += isfinite(model->row_lower[i]) ? magnitude((wide)model->row_lower[i]) : 0;
        size += isfinite(model->row_upper[i]) ? magnitude((wide)model->row_upper[i]) : 0;
        b.size += size / magnitude(a) + own;
        wide from_upper = ((wide)model->row_upper[i] - least) / a,
             from_lower = ((wide)model->row_lower[i] - greatest) / a;
        if (isfinite(model->row_upper[i]) && least_finite) {
            if (a > 0) {
                lower_upper(&b, from_upper);
            } else {
                raise_lower(&b, from_upper);
            }
        }
        if (isfinite(model->row_lower[i]) && greatest_finite) {
            if (a > 0) {
                raise_lower(&b, from_lower);
            } else {
                lower_upper(&b, from_lower);
            }
        }
        if (a > 0 && isfinite(model->row_lower[i]) && rule_b) {
            wide enough = least_finite ? ((wide)model->row_lower[i] - least) / a : (wide)INF;
            alone = enough > alone ? enough : alone;
        } else if (a < 0 && isfinite(model->row_upper[i]) && rule_b) {
            wide enough = greatest_finite ? ((wide)model->row_upper[i] - greatest) / a : (wide)INF;
            alone = enough > alone ? enough : alone;
        }
    }
    if (rule_b && alone < (wide)INF) {
        lower_upper(&b, alone);
    }
    if (b.has_lower && b.has_upper && b.upper < b.lower) {
        b.upper = b.lower;
    }
    return b;
}

/* L(y) of the minimisation; *exists false: -infinity. *size: of the terms, reduced costs' own terms times the box. */
static wide wide_bound(const berth__model *model, const double *y, bool *exists, wide *size) {
    wide sense = model->maximize ? -1 : 1, sum = sense * (wide)model->offset;
    *size = magnitude(sum);
    *exists = true;
    for (int i = 0; i < model->n_rows; i++) {
        wide dual = sense * (wide)y[i];
        double bound = dual > 0 ? model->row_lower[i] : model->row_upper[i];
        wide term = isfinite(bound) ? dual * (wide)bound : 0;
        sum += term;
        *size += magnitude(term);
    }
    for (int j = 0; j < model->n_cols; j++) {
        wide reduced = sense * (wide)model->cost[j], terms = magnitude(reduced);
        for (size_t e = model->col_start[j]; e < model->col_start[j + 1]; e++) {
            int i = model->row_of[e];
            wide dual = sense * (wide)y[i];
            if (isfinite(dual > 0 ? model->row_lower[i] : model->row_upper[i])) {
                wide term = (wide)model->value[e] * dual;
                reduced -= term;
                terms += magnitude(term);
            }
        }
        wide_bounds b = implied_of(model, j);
        *size += terms * (b.size + (b.has_lower ? magnitude(b.lower) : 0) + (b.has_upper ? magnitude(b.upper) : 0));
        if (reduced > 0) {
            *exists = *exists && b.has_lower;
            sum += b.has_lower ? reduced * b.lower : 0;
        } else if (reduced < 0) {
            *exists = *exists && b.has_upper;
            sum += b.has_upper ? reduced * b.upper : 0;
        }
    }
    return sum;
}

/* Multipliers: random, or such as make the first column's reduced cost 0 but for rounding. */
static void draw_duals(const berth__model *model, berth__pcg *stream, double *y) {
    for (int i = 0; i < model->n_rows; i++) {
        double size = number(stream) / model->n_cols;
        y[i] = maybe(stream, 0.3, 0, maybe(stream, 0.4, -size, size));
    }
    if (berth__pcg_integer(stream, 0, 1) && model->col_start[1] > 0) {
        double product = 0;
        for (size_t e = 1; e < model->col_start[1]; e++) {
            product += model->value[e] * y[model->row_of[e]];
        }
        y[model->row_of[0]] = (model->cost[0] - product) / model->value[0];
    }
}

static void never_above_and_close(void **state) {
    (void)state;
    berth__pcg stream = berth__pcg_seed(21, 5);
    int n_exact = 0, n_tolerance = 0, n_none = 0;
    for (int trial = 0; trial < 12000; trial++) {
        berth__model *model = random_model(&stream, (kind)(trial % N_KINDS));
        double y[MOST], bound;
        berth_proof proof;
        bool exists;
        wide size;
        draw_duals(model, &stream, y);
        wide exact = wide_bound(model, y, &exists, &size);
        assert_ok(berth__certified_bound(model, y, &bound, &proof, &error), error);
        wide claimed = model->maximize ? -(wide)bound : (wide)bound;
        if (proof == BERTH_PROOF_EXACT) {
            assert_true(exists);
            assert_true(claimed <= exact);
            assert_true(exact - claimed <= (wide)1e-13 * size);
            n_exact++;
        } else if (proof == BERTH_PROOF_TOLERANCE) {
            assert_true(isfinite(bound));
            n_tolerance++;
        } else {
            assert_true(bound == (model->maximize ? INF : -INF));
            assert_false(exists);
            n_none++;
        }
        berth__model_free(model);
    }
    print_message("%d exact, %d within tolerance, %d none\n", n_exact, n_tolerance, n_none);
    assert_true(n_exact > 6000 && n_tolerance > 10 && n_none > 100);
}

/* The implied bounds as such: outward of the exact ones, and close. */
static void implied_bounds_are_rounded_outward(void **state) {
    (void)state;
    berth__pcg stream = berth__pcg_seed(22, 5);
    long narrowed = 0;
    for (int trial = 0; trial < 4000; trial++) {
        berth__model *model = random_model(&stream, (kind)(trial % N_KINDS));
        berth__implied implied;
        assert_ok(berth__implied_new(model, &implied, &error), error);
        for (int j = 0; j < model->n_cols; j++) {
            wide_bounds b = implied_of(model, j);
            assert_true(b.has_lower == (bool)isfinite(implied.lower[j]));
            assert_true(b.has_upper == (bool)isfinite(implied.upper[j]));
            assert_true(!b.has_lower || (wide)implied.lower[j] <= b.lower);
            assert_true(!b.has_upper || (wide)implied.upper[j] >= b.upper);
            narrowed += implied.upper[j] < model->col_upper[j];
        }
        berth__implied_clear(&implied);
        berth__model_free(model);
    }
    assert_true(narrowed > 5000);
}

/* With the optimum's own multipliers: a bound, close to the optimum, although rounding leaves reduced costs a little
 * below 0 on columns without an upper bound. */
static void bounds_optima(void **state) {
    (void)state;
    berth__pcg stream = berth__pcg_seed(23, 5);
    berth_backends *set = all_backends();
    int n_exact = 0, n = 0;
    for (int trial = 0; trial < 2000; trial++) {
        berth__model *model = random_model(&stream, (kind)(trial % N_KINDS));
        berth__lp *lp;
        berth__lp_options options;
        const berth__lp_result *result;
        berth__lp_options_init(&options);
        assert_ok(berth__lp_open(model, set, "auto", &lp, &error), error);
        assert_ok(berth__lp_solve(lp, &options, &result, &error), error);
        if (result->outcome == BERTH_OPTIMAL) {
            double bound, size = fabs(model->offset), sign = model->maximize ? -1 : 1;
            berth_proof proof;
            for (int j = 0; j < model->n_cols; j++) {
                size += fabs(model->cost[j] * result->x[j]);
            }
            assert_ok(berth__certified_bound(model, result->row_dual, &bound, &proof, &error), error);
            if (proof != BERTH_PROOF_NONE) {
                assert_true(sign * (result->objective - bound) >= -1e-7 * size - 1e-9);
            }
            n++;
            n_exact += proof == BERTH_PROOF_EXACT && sign * (result->objective - bound) <= 1e-7 * size + 1e-9;
        }
        berth__lp_close(lp);
        berth__model_free(model);
    }
    print_message("%d optima, %d of them bounded exactly and within 1e-7\n", n, n_exact);
    assert_true(n > 400 && n_exact * 10 > n * 8);
    berth_backends_free(set);
}

/* ---- by hand ---- */

static void peaks(void **state) {
    (void)state;
    const struct {
        double slope;
        size_t n;
        berth__kink kinks[4];
        double peak;
    } cases[] = {
        {-1, 1, {{1, 1}}, 0},
        {0, 1, {{1, 1}}, 0},
        {1, 0, {{0, 0}}, INF},
        {3, 3, {{5, 1}, {2, 1}, {4, 1}}, 5},
        {2, 3, {{5, 1}, {2, 1}, {4, 1}}, 4},
        {2.5, 4, {{2, 1}, {2, 1}, {2, 1}, {1, 0.25}}, 2},
        {4, 3, {{5, 1}, {2, 1}, {4, 1}}, INF},
        {9, 2, {{5, INF}, {2, 1}}, 5},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        berth__kink kinks[4];
        for (size_t i = 0; i < cases[k].n; i++) {
            kinks[i] = cases[k].kinks[i];
        }
        assert_true(berth__concave_peak(cases[k].slope, kinks, cases[k].n) == cases[k].peak);
    }
}

/* The peak against sorting, whole numbers so that sums are exact. */
static void peaks_by_sorting(void **state) {
    (void)state;
    berth__pcg stream = berth__pcg_seed(25, 5);
    for (int trial = 0; trial < 3000; trial++) {
        enum { N = 60 };
        berth__kink kinks[N];
        size_t n = (size_t)berth__pcg_integer(&stream, 1, N);
        double slope = (double)berth__pcg_integer(&stream, 1, 150), least = INF;
        for (size_t k = 0; k < n; k++) {
            kinks[k] =
                (berth__kink){(double)berth__pcg_integer(&stream, 1, 40), (double)berth__pcg_integer(&stream, 1, 6)};
        }
        for (size_t k = 0; k < n; k++) {
            double dropped = 0;
            for (size_t i = 0; i < n; i++) {
                dropped += kinks[i].at <= kinks[k].at ? kinks[i].drop : 0;
            }
            if (slope - dropped <= 0) {
                least = fmin(least, kinks[k].at);
            }
        }
        assert_true(berth__concave_peak(slope, kinks, n) == least);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(peaks),
        cmocka_unit_test(peaks_by_sorting),
        cmocka_unit_test(implied_bounds_are_rounded_outward),
        cmocka_unit_test(never_above_and_close),
        cmocka_unit_test(bounds_optima),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
