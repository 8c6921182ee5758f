/* The front with backends that lie: a false claim is found out, and the second opinion asked for. Sets of
 * backends. */
#include "base/alloc.h"
#include "solver/solve.h"
#include "tests/support/backends.h"
#include "tests/support/check.h"

#include <string.h>

#define INF (double)INFINITY

static berth_error error;

static const berth__lp_options plain = {.scaling = true, .integers = true};

/* ---- Backends that lie ---- */

typedef struct liar {
    const berth__model *model;
} liar;

static const char *liar_version(void) {
    return "0";
}

static berth_status liar_open(const berth__model *model, void **state, berth_error *e) {
    (void)e;
    liar *l = BERTH__NEW_ARRAY(liar, 1);
    if (l == NULL) {
        return BERTH_E_MEMORY;
    }
    l->model = model;
    *state = l;
    return BERTH_OK;
}

static void liar_close(void *state) {
    berth__free(state);
}

static berth_status liar_set_row_bounds(void *state, int row, double lower, double upper) {
    (void)state, (void)row, (void)lower, (void)upper;
    return BERTH_OK;
}

/* "Optimal" with everything at the given value. */
static void claim_optimal(const berth__model *model, berth__lp_result *result, double value) {
    result->outcome = BERTH_OPTIMAL;
    result->has_primal = result->has_dual = true;
    result->objective = result->bound = value;
    for (int j = 0; j < model->n_cols; j++) {
        result->x[j] = value;
    }
    for (int i = 0; i < model->n_rows; i++) {
        result->row_dual[i] = value;
    }
}

#define LIAR(name_, body)                                                                                              \
    static berth_status name_##_solve(void *state, const berth__lp_options *options, bool warm,                        \
                                      berth__lp_result *result, berth_error *e) {                                      \
        const berth__model *model = ((liar *)state)->model;                                                            \
        (void)options, (void)warm, (void)e, (void)model, (void)result;                                                 \
        body;                                                                                                          \
        return BERTH_OK;                                                                                               \
    }                                                                                                                  \
    static const berth_backend name_ = {.name = #name_,                                                                \
                                        .version = liar_version,                                                       \
                                        .abilities = BERTH__BACKEND_LP | BERTH__BACKEND_MIP,                           \
                                        .open = liar_open,                                                             \
                                        .set_row_bounds = liar_set_row_bounds,                                         \
                                        .solve = name_##_solve,                                                        \
                                        .close = liar_close}

LIAR(liar_zero, claim_optimal(model, result, 0));
LIAR(liar_feasible, claim_optimal(model, result, 5));
LIAR(liar_nan, claim_optimal(model, result, (double)NAN));
LIAR(liar_infeasible, result->outcome = BERTH_INFEASIBLE);
LIAR(liar_ray, {
    claim_optimal(model, result, 0);
    result->outcome = BERTH_INFEASIBLE;
    result->has_ray = true;
    result->ray[0] = 1;
});
LIAR(liar_unbounded, result->outcome = BERTH_UNBOUNDED);
LIAR(liar_numeric, result->outcome = BERTH_NUMERIC);
LIAR(liar_error, return BERTH_E_BACKEND);

static const berth_backend *const liars[] = {&liar_zero, &liar_feasible,  &liar_nan,     &liar_infeasible,
                                             &liar_ray,  &liar_unbounded, &liar_numeric, &liar_error};
enum { N_LIARS = sizeof liars / sizeof *liars };

/* min 2 x + 3 y, x + y >= 4, both in [0, 10]: 8. */
static berth__model *honest_model(bool integers) {
    berth__model *model = NULL;
    assert_ok(berth__model_new(&model, &error), error);
    assert_ok(berth__model_add_col(model, "x", 2, 0, 10, integers, NULL, &error), error);
    assert_ok(berth__model_add_col(model, "y", 3, 0, 10, integers, NULL, &error), error);
    assert_ok(berth__model_add_row(model, "cover", 4, INF, NULL, &error), error);
    assert_ok(berth__model_add_entry(model, 0, 0, 1, &error), error);
    assert_ok(berth__model_add_entry(model, 0, 1, 1, &error), error);
    assert_ok(berth__model_finish(model, &error), error);
    return model;
}

static void liars_are_found_out(void **state) {
    (void)state;
    for (size_t k = 0; k < N_LIARS; k++) {
        berth__model *model = honest_model(false);
        berth_backends *set = all_backends();
        assert_int_equal(berth_add_backend(set, liars[k]), BERTH_OK);
        berth__lp *lp = NULL;
        const berth__lp_result *result = NULL;
        assert_ok(berth__lp_open(model, set, liars[k]->name, &lp, &error), error);
        assert_int_equal(berth__lp_second_opinions(lp), 0);
        for (int again = 1; again <= 2; again++) {
            assert_ok(berth__lp_solve(lp, &plain, &result, &error), error);
            assert_int_equal(result->outcome, BERTH_OPTIMAL);
            assert_close(result->objective, 8, 1e-9);
            assert_close(result->bound, 8, 1e-9);
            assert_close(result->x[0], 4, 1e-9);
            assert_int_equal(berth__lp_second_opinions(lp), again);
        }
        /* Truly infeasible: what is right is confirmed, what is wrong is corrected. */
        assert_ok(berth__lp_set_row_bounds(lp, 0, 21, INF, &error), error);
        assert_ok(berth__lp_solve(lp, &plain, &result, &error), error);
        assert_int_equal(result->outcome, BERTH_INFEASIBLE);
        berth__lp_close(lp);
        berth_backends_free(set);
        berth__model_free(model);
    }
}

/* Integer models with a liar as the only integer backend: NUMERIC, unless it repeats a claim that nothing
 * disproves (the columns bound the cost of this one). */
static void a_lone_liar(void **state) {
    (void)state;
    for (size_t k = 0; k < N_LIARS; k++) {
        berth__model *model = honest_model(true);
        berth_backends *set = NULL;
        assert_int_equal(berth_backends_new(&set), BERTH_OK);
        assert_int_equal(berth_add_backend(set, liars[k]), BERTH_OK);
        berth__lp *lp = NULL;
        const berth__lp_result *result = NULL;
        assert_ok(berth__lp_open(model, set, liars[k]->name, &lp, &error), error);
        assert_ok(berth__lp_solve(lp, &plain, &result, &error), error);
        bool unproven = liars[k] == &liar_infeasible || liars[k] == &liar_ray;
        if (unproven) {
            assert_int_equal(result->outcome, BERTH_INFEASIBLE);
            assert_false(result->has_ray);
        } else {
            assert_int_equal(result->outcome, BERTH_NUMERIC);
        }
        assert_false(result->has_primal);
        assert_int_equal(berth__lp_second_opinions(lp), 1);
        berth__lp_close(lp);
        berth_backends_free(set);
        berth__model_free(model);
    }
}

/* ---- Sets of backends ---- */

static void an_unfinished_model_is_refused(void **state) {
    (void)state;
    berth__model *model = NULL;
    berth__lp *lp = NULL;
    berth_backends *set = all_backends();
    assert_ok(berth__model_new(&model, &error), error);
    assert_int_equal(berth__lp_open(model, set, NULL, &lp, &error), BERTH_E_ARGUMENT);
    assert_null(lp);
    berth__model_free(model);
    berth_backends_free(set);
}

static void sets_of_backends(void **state) {
    (void)state;
    berth_backends *set = NULL;
    assert_int_equal(berth_backends_new(&set), BERTH_OK);
    size_t n = berth_backends_count(set);
    for (size_t k = 0; k < N_LIARS; k++) {
        assert_int_equal(berth_add_backend(set, liars[k]), BERTH_OK);
    }
    assert_int_equal(berth_add_backend(set, liars[0]), BERTH_E_ARGUMENT);
    assert_int_equal(berth_add_backend(set, NULL), BERTH_E_ARGUMENT);
    assert_int_equal(berth_backends_count(set), n + N_LIARS);
    assert_string_equal(berth_backends_name(set, n), "liar_zero");
    assert_string_equal(berth_backends_version(set, n), "0");
    assert_null(berth_backends_name(set, n + N_LIARS));
    assert_null(berth_backends_version(set, n + N_LIARS));
    assert_ptr_equal(berth__backend_find(set, "liar_nan", BERTH__BACKEND_LP), &liar_nan);
    assert_null(berth__backend_find(set, "no such", BERTH__BACKEND_LP));
    assert_ptr_equal(berth__backend_find(set, NULL, BERTH__BACKEND_MIP), &liar_zero);
    assert_ptr_equal(berth__backend_other(set, &liar_zero, BERTH__BACKEND_MIP), &liar_feasible);
    assert_ptr_equal(berth__backend_find(set, "auto", BERTH__BACKEND_LP),
                     berth__backend_find(set, NULL, BERTH__BACKEND_LP));
    assert_null(berth__backend_find(set, "first-order", BERTH__BACKEND_LP));
    assert_non_null(berth__backend_find(set, "first-order", BERTH__BACKEND_APPROXIMATE));
    berth_backends_free(set);
    berth_backends_free(NULL);
    assert_int_equal(berth_backends_count(NULL), 0);
    assert_null(berth__backend_find(NULL, NULL, BERTH__BACKEND_MIP));
#ifdef BERTH_WITH_CLP
    const berth_backend *clp = berth__backend_find(NULL, NULL, BERTH__BACKEND_LP);
    assert_string_equal(clp->name, "clp");
    assert_null(berth__backend_other(NULL, clp, BERTH__BACKEND_LP));
#else
    berth__model *model = honest_model(false);
    berth__lp *lp = NULL;
    assert_int_equal(berth__lp_open(model, NULL, NULL, &lp, &error), BERTH_E_BACKEND);
    assert_null(lp);
    berth__model_free(model);
#endif
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(liars_are_found_out),
        cmocka_unit_test(a_lone_liar),
        cmocka_unit_test(an_unfinished_model_is_refused),
        cmocka_unit_test(sets_of_backends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
