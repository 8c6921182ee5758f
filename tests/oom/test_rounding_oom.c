/* Memory that runs out at any allocation of repair, local search, dependent and derandomised rounding, greedy and the
 * choice of a scale: E_MEMORY, nothing leaked (under a sanitizer), and after a search x as it was. Needs a library
 * built with BERTH_TESTING_ALLOC. */
#include "tests/support/check.h"
#include "tests/support/packcover_case.h"

#include "base/alloc.h"
#include "rounding/dependent.h"
#include "rounding/derandomized.h"
#include "rounding/greedy.h"
#include "rounding/instance_scale.h"
#include "rounding/local_search.h"
#include "rounding/repair.h"

#ifdef BERTH_TESTING_ALLOC

static packcover_case *shared; /* x0 + 2 x1 >= 4, x0 + x1 <= 4, costs 5 and 1 */

static int make_shared(void **state) {
    (void)state;
    shared = packcover_case_new(2);
    packcover_case_cover(shared, 4);
    packcover_case_entry(shared, 0, 1);
    packcover_case_entry(shared, 1, 2);
    packcover_case_pack(shared, 4);
    packcover_case_entry(shared, 0, 1);
    packcover_case_entry(shared, 1, 1);
    shared->cost[0] = 5;
    return 0;
}
static int free_shared(void **state) {
    (void)state;
    packcover_case_free(shared);
    return 0;
}

static berth_status try_repair(void) {
    double x[] = {6, 1};
    bool feasible = true;
    berth_status status = berth__repair(&shared->view, NULL, NULL, x, &feasible);
    assert_true(feasible == (status == BERTH_OK));
    return status;
}

static berth_status try_search(void) {
    double x[] = {4, 0};
    bool feasible;
    berth__search_options options = {.seed = 1, .max_steps = 1000};
    berth_status status = berth__local_search(&shared->view, NULL, NULL, &options, x, &feasible, NULL);
    assert_true(feasible);
    assert_close(x[0], status == BERTH_OK ? 0 : 4, 0);
    return status;
}

static berth_status try_maximisation(void) {
    double x[] = {0, 2};
    shared->view.maximize = true;
    bool feasible;
    berth_status status = berth__repair(&shared->view, NULL, NULL, x, &feasible);
    assert_true(status != BERTH_OK || x[0] >= 2);
    shared->view.maximize = false;
    return status;
}

static berth_status try_dependent(void) {
    double out[2];
    berth__pcg stream = berth__pcg_seed(1, 1);
    return berth__round_dependent(2, (double[]){0.5, 0.5}, (int[]){0, 0}, 1, &stream, out);
}

static berth_status try_derandomized(void) {
    double out[2];
    berth__derandomized r;
    return berth__round_derandomized(&shared->view, (double[]){0.3, 1.85}, NULL, BERTH_FAVOUR_COVER, NULL, out, &r);
}

static berth_status try_greedy(void) {
    double x[2];
    berth__greedy r;
    return berth__round_greedy(&shared->view, NULL, NULL, x, &r);
}

static berth_status try_scale(void) {
    berth__scale_choice choice = {.favour = BERTH_FAVOUR_PACKING, .delta = 0.5};
    berth__guarantee g;
    return berth__choose_scale_exact(&shared->view, (double[]){0.3, 1.85}, NULL, &choice, BERTH__TAIL_INDEPENDENT, NULL,
                                     &g);
}

/* Fails the first allocation, then the second, ... until the work is done. Returns how many there were. */
static unsigned long sweep(berth_status (*work)(void)) {
    for (unsigned long at = 1; at < 1000; at++) {
        berth__alloc_fail_at(at);
        berth_status status = work();
        unsigned long used = berth__alloc_count();
        berth__alloc_fail_at(0);
        if (status == BERTH_OK) {
            assert_true(used < at);
            return used;
        }
        assert_int_equal(status, BERTH_E_MEMORY);
    }
    fail_msg("still out of memory");
    return 0;
}

static void rounding_survives_a_lack_of_memory(void **state) {
    (void)state;
    assert_true(sweep(try_repair) >= 6);
    assert_true(sweep(try_search) >= 10);
    assert_true(sweep(try_maximisation) >= 8);
    assert_true(sweep(try_dependent) >= 1);
    assert_true(sweep(try_derandomized) >= 14);
    assert_true(sweep(try_greedy) >= 6);
    assert_true(sweep(try_scale) >= 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(rounding_survives_a_lack_of_memory, make_shared, free_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void) {
    puts("skipped: built without BERTH_TESTING_ALLOC");
    return 0;
}

#endif
