/* What any writer of general problems writes, the reader of its format reads as the same problem, bit for bit; what it
 * refuses, it refuses by name. */
#define _POSIX_C_SOURCE 200809L
#include "tests/support/backends.h"
#include "tests/support/check.h"

#include <berth_io.h>

#include "base/alloc.h"
#include "base/numeric.h"
#include "formats/problem_formats.h"
#include "tests/support/problem_case.h"

#include <stdlib.h>
#include <string.h>

static berth_backends *backends;

static bool can_read_foreign(void) {
#ifdef BERTH_WITH_GLPK
    return true;
#else
    return false;
#endif
}

static berth_status write_text(const berth_problem *problem, berth_problem_format format, char **text, size_t *length,
                               berth_error *error) {
    berth__c_locale locale;
    berth_status status;
    assert_true(berth__c_locale_enter(&locale));
    switch ((int)format) {
    case BERTH_PROBLEM_JSON:
        status = berth__problem_write_json(problem, text, length, error);
        break;
    case BERTH_PROBLEM_LP:
        status = berth__problem_write_lp(problem, text, length, error);
        break;
    default:
        status = berth__problem_write_mps(problem, format == BERTH_PROBLEM_MPS_FREE, text, length, error);
        break;
    }
    berth__c_locale_leave(&locale);
    return status;
}

/* Reads the text; frees it. `format` AUTO must recognise it. */
static berth_problem *read_text(char *text, size_t length, berth_problem_format format) {
    berth_problem_read_options options;
    berth_error error = {0};
    berth_problem *problem = NULL;
    berth_problem_read_options_init(&options);
    options.format = format;
    options.backends = backends;
    if (berth_problem_parse(text, length, &options, &problem, &error) != BERTH_OK) {
        fail_msg("line %ld, %s: %s\n%s", error.line, error.where, error.message, text);
    }
    return problem;
}

static void check_lines(const char *text, size_t longest) {
    for (const char *line = text; *line != '\0'; line += strcspn(line, "\n") + 1) {
        assert_true(strcspn(line, "\n") <= longest);
    }
}

typedef struct trip {
    bool normalises; /* what comes back need not look the same, only be written as the same bytes */
    size_t written, refused;
} trip;

/* One problem there and back. */
static void go(const berth_problem *problem, berth_problem_format format, berth_problem_format as, trip *count) {
    berth_error error = {0};
    char *text = NULL, why[160];
    size_t length = 0;
    berth_status status = write_text(problem, format, &text, &length, &error);
    if (status != BERTH_OK) {
        assert_int_equal(status, BERTH_E_UNSUPPORTED);
        assert_null(text);
        assert_true(error.message[0] != '\0');
        count->refused++;
        return;
    }
    count->written++;
    bool is_mps = format == BERTH_PROBLEM_MPS || format == BERTH_PROBLEM_MPS_FREE;
    problem_leeway leeway = {.negated = is_mps && problem->maximize,
                             .split = format != BERTH_PROBLEM_JSON,
                             .no_groups = format != BERTH_PROBLEM_JSON};
    berth_problem *back = read_text(text, length, as);
    if (!count->normalises && !problem_same(problem, back, leeway, why)) {
        fail_msg("%s differs\n%s", why, text);
    }
    assert_true(back->crc32 != 0 && back->crc32 == berth__problem_crc32(back));
    if (!count->normalises && !leeway.negated && back->n_rows == problem->n_rows &&
        (!leeway.no_groups || problem->n_groups == 0)) {
        assert_int_equal(back->crc32, problem->crc32);
    }
    check_lines(text, format == BERTH_PROBLEM_LP ? 255 : 10000);
    /* What was read is written as the same bytes, a maximisation apart, of which MPS no longer knows. */
    char *again = NULL;
    size_t again_length = 0;
    assert_ok(write_text(back, format, &again, &again_length, &error), error);
    if (!leeway.negated) {
        assert_string_equal(again, text);
    }
    berth__free(again);
    berth__free(text);
    berth_problem_free(back);
}

static void run(uint64_t seed, problem_kind kind, berth_problem_format format, berth_problem_format as, trip *count) {
    enum { TRIPS = 3000 };
    count->written = count->refused = 0;
    if (format != BERTH_PROBLEM_JSON && !can_read_foreign()) {
        skip();
    }
    for (uint64_t k = 0; k < TRIPS; k++) {
        uint64_t key[] = {seed, k};
        berth__pcg stream = berth__pcg_key(2, key);
        berth_problem *problem = problem_random(&stream, kind);
        go(problem, format, as, count);
        berth_problem_free(problem);
    }
}

static void test_json(void **state) {
    (void)state;
    trip count = {0};
    run(1, (problem_kind){.packing_covering = true, .odd_names = true}, BERTH_PROBLEM_JSON, BERTH_PROBLEM_AUTO, &count);
    assert_int_equal(count.refused, 0);
    /* Other problems become packing and covering rows if they can. */
    count.normalises = true;
    run(2, (problem_kind){.ranges = true}, BERTH_PROBLEM_JSON, BERTH_PROBLEM_JSON, &count);
    assert_true(count.written > 100 && count.refused > 100);
}

static void test_free_mps(void **state) {
    (void)state;
    trip count = {0};
    run(3, (problem_kind){.ranges = true}, BERTH_PROBLEM_MPS_FREE, BERTH_PROBLEM_MPS_FREE, &count);
    assert_int_equal(count.refused, 0);
    /* The reader that tries fixed columns first, by content. */
    run(4, (problem_kind){.ranges = true, .odd_names = true}, BERTH_PROBLEM_MPS_FREE, BERTH_PROBLEM_AUTO, &count);
    assert_true(count.written > 500 && count.refused > 500);
}

static void test_fixed_mps(void **state) {
    (void)state;
    trip count = {0};
    run(5, (problem_kind){.short_names = true, .short_numbers = true, .ranges = true}, BERTH_PROBLEM_MPS,
        BERTH_PROBLEM_MPS, &count);
    assert_int_equal(count.refused, 0);
    run(6, (problem_kind){.odd_names = true}, BERTH_PROBLEM_MPS, BERTH_PROBLEM_AUTO, &count);
    assert_true(count.refused > 500);
}

static void test_lp(void **state) {
    (void)state;
    trip count = {0};
    run(7, (problem_kind){.ranges = true}, BERTH_PROBLEM_LP, BERTH_PROBLEM_LP, &count);
    assert_int_equal(count.refused, 0);
    run(8, (problem_kind){.ranges = true, .odd_names = true}, BERTH_PROBLEM_LP, BERTH_PROBLEM_AUTO, &count);
    assert_true(count.written > 500 && count.refused > 500);
    run(9, (problem_kind){.packing_covering = true}, BERTH_PROBLEM_LP, BERTH_PROBLEM_AUTO, &count);
    assert_true(count.written > 500);
}

static int set_up(void **state) {
    (void)state;
    backends = all_backends();
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    berth_backends_free(backends);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_free_mps),
        cmocka_unit_test(test_fixed_mps),
        cmocka_unit_test(test_lp),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
