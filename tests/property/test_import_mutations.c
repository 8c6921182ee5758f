/* Traces spoilt at random: whatever is in a file, an import ends with a valid instance whose report adds up, or with an
 * error that names a place; strict and skipping imports agree where nothing is malformed. */
#include "tests/support/check.h"
#include "tests/support/import_case.h"
#include "tests/support/own_folder.h"
#include "tests/support/trace_samples.h"

#include <string.h>

#include "base/pcg.h"

/* One to three changes: a byte replaced, taken out, doubled, or a part copied elsewhere. */
static void spoil(const char *from, char *to, size_t room, berth__pcg *stream) {
    static const char odd[] = "0123456789.,-+eE:|\"'#\t\n\r {}[]%\\/abNT\x01\x7f\xc3\xa4\xff";
    snprintf(to, room, "%s", from);
    for (int64_t k = berth__pcg_integer(stream, 1, 3); k > 0; k--) {
        size_t n = strlen(to);
        if (n < 2 || n + 40 > room) {
            return;
        }
        size_t at = (size_t)berth__pcg_integer(stream, 0, (int64_t)n - 1);
        size_t other = (size_t)berth__pcg_integer(stream, 0, (int64_t)n - 1);
        size_t length = (size_t)berth__pcg_integer(stream, 1, 20);
        length = other + length > n ? n - other : length;
        char part[32];
        switch (berth__pcg_integer(stream, 0, 3)) {
        case 0:
            to[at] = odd[berth__pcg_integer(stream, 0, (int64_t)sizeof odd - 2)];
            break;
        case 1:
            memmove(to + at, to + at + 1, n - at);
            break;
        case 2:
            memcpy(part, to + other, length);
            memmove(to + at + length, to + at, n - at + 1);
            memcpy(to + at, part, length);
            break;
        default:
            to[at] = '\0';
            break;
        }
    }
}

static berth_status import_both(size_t k, bool skip_bad, berth_instance **out, berth_import_report *report,
                                berth_error *error) {
    const char *const paths[] = {path_of("trace"), path_of("second")};
    berth_import_options options = import_defaults();
    options.skip_bad = skip_bad;
    options.slots = 200;
    return berth_import(trace_samples[k].kind, paths, trace_samples[k].second == NULL ? 1 : 2, &options, out, report,
                        error);
}

static void expect_told(berth_status status, const berth_error *error) {
    assert_true(status == BERTH_E_INPUT || status == BERTH_E_IO);
    assert_true(error->message[0] != '\0');
}

static size_t try_once(size_t k, berth__pcg *stream) {
    char trace[4096], second[1024];
    spoil(trace_samples[k].trace, trace, sizeof trace, stream);
    put_file("trace", trace);
    if (trace_samples[k].second != NULL) {
        spoil(trace_samples[k].second, second, sizeof second, stream);
        put_file("second", berth__pcg_integer(stream, 0, 1) == 0 ? second : trace_samples[k].second);
    }
    berth_instance *strict = NULL, *lenient = NULL;
    berth_import_report strict_report, report;
    berth_error error = {.status = BERTH_OK}, strict_error = {.status = BERTH_OK};
    berth_status strict_status = import_both(k, false, &strict, &strict_report, &strict_error);
    berth_status status = import_both(k, true, &lenient, &report, &error);
    import_adds_up(&report, status == BERTH_OK);
    if (strict_status != BERTH_OK) {
        expect_told(strict_status, &strict_error);
    }
    if (lenient != NULL) {
        import_sound(lenient);
    }
    if (status != BERTH_OK) {
        expect_told(status, &error);
        assert_true(strict_status != BERTH_OK);
    } else if (report.skipped[BERTH_SKIP_MALFORMED] == 0) {
        assert_int_equal(strict_status, BERTH_OK);
        assert_int_equal(strict->crc32, lenient->crc32);
        assert_true(lenient->n_jobs > 0);
    } else {
        assert_int_equal(strict_status, BERTH_E_INPUT);
        assert_int_equal(strict_error.line, report.first_line[BERTH_SKIP_MALFORMED]);
    }
    berth_instance_free(strict);
    berth_instance_free(lenient);
    return strict_status == BERTH_OK;
}

static void test_spoilt_traces(void **state) {
    (void)state;
    enum { TRIES = 150 };
    for (size_t k = 0; k < N_TRACE_SAMPLES; k++) {
        size_t good = 0;
        for (uint64_t seed = 0; seed < TRIES; seed++) {
            berth__pcg stream = berth__pcg_key(2, (uint64_t[]){k, seed});
            good += try_once(k, &stream);
        }
        if (good < TRIES / 50 || good > TRIES - TRIES / 50) {
            fail_msg("%s: %zu of %d spoilt traces are good: the test tells nothing", trace_samples[k].kind, good,
                     TRIES);
        }
    }
}

/* Unspoilt they import, and a run of them verifies; the order of rows changes nothing but names and ties. */
static void test_samples(void **state) {
    (void)state;
    for (size_t k = 0; k < N_TRACE_SAMPLES; k++) {
        berth_import_options options = import_defaults();
        berth_import_report report;
        options.slots = 200;
        berth_instance *instance =
            import_text(trace_samples[k].kind, trace_samples[k].trace, trace_samples[k].second, &options, &report);
        assert_int_equal(report.skipped[BERTH_SKIP_MALFORMED], 0);
        import_run(instance);
        berth_instance_free(instance);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_spoilt_traces),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
