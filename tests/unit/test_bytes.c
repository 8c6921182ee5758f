/* Numbers and texts as bytes: written byte for byte as said, read back the same, refused by what is wrong. */
#include "tests/support/check.h"

#include "base/bytes.h"

#include <float.h>
#include <limits.h>
#include <string.h>

static berth__byte_reader reader_of(const berth__writer *w, berth_error *error) {
    return (berth__byte_reader){.bytes = w->bytes, .left = w->n, .error = error, .part = "part", .index = 7};
}

static void test_layout(void **state) {
    (void)state;
    static const unsigned char expected[] = {0xff, 0x04, 0x03, 0x02, 0x01, 0xfe, 0xff, 0xff, 0xff, 0, 0,   0,
                                             0,    0,    0,    0xf0, 0x3f, 1,    2,    0,    0,    0, 'a', 'b',
                                             0xff, 0xff, 0xff, 0xff, 3,    0,    0,    0,    0,    0, 0,   0};
    berth__writer w = {0};
    berth__put_u8(&w, 0xff);
    berth__put_u32(&w, 0x01020304);
    berth__put_int(&w, -2);
    berth__put_real(&w, 1);
    berth__put_bool(&w, true);
    berth__put_text(&w, "ab");
    berth__put_text(&w, NULL);
    berth__put_count(&w, 9);
    berth__set_u64(&w, w.n - 8, 3);
    assert_false(w.failed);
    assert_int_equal(w.n, sizeof expected);
    assert_memory_equal(w.bytes, expected, sizeof expected);
    berth__free(w.bytes);
    assert_int_equal(berth__crc32("123456789", 9), 0xcbf43926);
}

static void test_round_trip(void **state) {
    (void)state;
    static const double reals[] = {0, -0.0, 1e-310, DBL_MAX, 0.1, -(double)INFINITY};
    static const int integers[] = {0, 1, -1, INT_MAX, INT_MIN};
    berth__writer w = {0};
    for (int round = 0; round < 100; round++) { /* grows several times */
        berth__put_reals(&w, reals, 6);
        for (int i = 0; i < 5; i++) {
            berth__put_int(&w, integers[i]);
        }
        berth__put_u64(&w, UINT64_MAX - 1);
        berth__put_text(&w, "");
    }
    berth_error error = {0};
    berth__arena *arena = berth__arena_new();
    berth__byte_reader r = reader_of(&w, &error);
    for (int round = 0; round < 100; round++) {
        for (int i = 0; i < 6; i++) {
            double value = berth__take_real(&r);
            assert_memory_equal(&value, &reals[i], sizeof value);
        }
        for (int i = 0; i < 5; i++) {
            assert_int_equal(berth__take_int(&r, INT_MIN, INT_MAX, "i"), integers[i]);
        }
        assert_true(berth__take_u64(&r) == UINT64_MAX - 1);
        assert_string_equal(berth__take_text(&r, arena, true, "text"), "");
    }
    assert_true(berth__byte_reader_good(&r) && r.left == 0);
    berth__arena_free(arena);
    berth__free(w.bytes);
}

static void expect_refused(const berth__byte_reader *r, const berth_error *error, const char *message) {
    assert_int_equal(r->status, BERTH_E_INPUT);
    assert_int_equal(error->status, BERTH_E_INPUT);
    assert_string_equal(error->where, "/part/7");
    if (strstr(error->message, message) == NULL) {
        fail_msg("\"%s\"; expected \"%s\"", error->message, message);
    }
}

static void test_refusals(void **state) {
    (void)state;
    berth_error error;
    berth__arena *arena = berth__arena_new();
    berth__writer w = {0};
    berth__put_int(&w, 5);
    berth__put_u32(&w, 0);
    berth__byte_reader r = reader_of(&w, &error);
    assert_int_equal(berth__take_int(&r, 0, 4, "it"), 0);
    expect_refused(&r, &error, "it is 5; expected 0 to 4");
    assert_int_equal(berth__take_u32(&r), 0); /* and nothing is read any more */
    assert_int_equal(r.left, 4);
    expect_refused(&r, &error, "it is 5; expected 0 to 4");
    r = reader_of(&w, &error);
    assert_int_equal(berth__take_count(&r, 100, 1, "things"), 0); /* 5 of them, and 4 bytes less */
    expect_refused(&r, &error, "things are 5, and 0 bytes are left");
    r = reader_of(&w, &error);
    assert_null(berth__take_text(&r, arena, false, "name"));
    expect_refused(&r, &error, "name has 5 bytes, and 4 are left");
    r = reader_of(&w, &error);
    assert_false(berth__take_bool(&r, "flag"));
    expect_refused(&r, &error, "flag is 5; expected 0 or 1");
    w.bytes[0] = 2;
    r = reader_of(&w, &error);
    assert_null(berth__take_text(&r, arena, false, "name"));
    expect_refused(&r, &error, "name has a NUL inside");
    memset(w.bytes, 0xff, 8);
    r = reader_of(&w, &error);
    assert_null(berth__take_text(&r, arena, true, "name"));
    assert_true(berth__byte_reader_good(&r));
    assert_true(berth__take_u64(&r) == 0);
    expect_refused(&r, &error, "ends too early");
    r = reader_of(&w, &error);
    assert_true(berth__take_number(&r, -DBL_MAX, DBL_MAX, "number") == 0);
    expect_refused(&r, &error, "number is");
    r = reader_of(&w, &error);
    assert_int_equal(berth__take_count(&r, SIZE_MAX, 1, "things"), 0);
    expect_refused(&r, &error, "things are 18446744073709551615");
    berth__arena_free(arena);
    berth__free(w.bytes);
}

static void test_failures_in_between(void **state) {
    (void)state;
    berth_error error = {.status = BERTH_E_ARGUMENT, .where = "levels", .message = "levels is 0"};
    berth__writer w = {0};
    berth__byte_reader r = reader_of(&w, &error);
    assert_false(berth__byte_reader_adopt(&r, BERTH_E_ARGUMENT));
    assert_int_equal(r.status, BERTH_E_INPUT);
    assert_string_equal(error.where, "/part/7/levels");
    error = (berth_error){.status = BERTH_E_MEMORY};
    r = reader_of(&w, &error);
    berth__byte_reader_enter(&r, "whole", BERTH__NO_INDEX);
    assert_true(berth__byte_reader_adopt(&r, BERTH_OK));
    assert_false(berth__byte_reader_adopt(&r, BERTH_E_MEMORY));
    assert_false(berth__refuse(&r, "later"));
    assert_int_equal(r.status, BERTH_E_MEMORY);
    r = reader_of(&w, NULL); /* errors are optional */
    assert_false(berth__byte_reader_adopt(&r, BERTH_E_INPUT));
    assert_int_equal(r.status, BERTH_E_INPUT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layout),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_failures_in_between),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
