/* Goodput against the values of Pollux's authors' code; wrong arguments; profile files. Runs from the top folder. */
#include <berth_goodput.h>

#include "base/alloc.h"
#include "tests/support/check.h"
#include "tests/support/own_folder.h"

#include <stdlib.h>
#include <string.h>

static berth_goodput_profile profile_of(const char *application) {
    berth_goodput_profile profile;
    berth_error error;
    char path[128];
    snprintf(path, sizeof path, "instances/pollux/profiles/%s.json", application);
    assert_ok(berth_goodput_profile_read(path, &profile, &error), error);
    return profile;
}

/* ---- reference values ---- */

static void check_relative(double found, double expected, int line, const char *what) {
    if (!(fabs(found - expected) <= 1e-9 * fabs(expected))) {
        fail_msg("case %d: %s is %.17g, theirs %.17g", line, what, found, expected);
    }
}

static void the_grid_is_theirs(void **state) {
    (void)state;
    FILE *file = fopen("instances/pollux/goodput-cases.csv", "r");
    char line[512], application[32], accumulation[8];
    int n = 0;
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    while (fgets(line, sizeof line, file) != NULL) {
        double sqr, var, goodput, batch, throughput, efficiency, speedup;
        unsigned nodes, replicas, local, steps;
        assert_int_equal(sscanf(line, "%31[^,],%lf,%lf,%7[^,],%u,%u,%lf,%u,%u,%lf,%lf,%lf,%lf", application, &sqr, &var,
                                accumulation, &nodes, &replicas, &goodput, &local, &steps, &batch, &throughput,
                                &efficiency, &speedup),
                         13);
        berth_goodput_profile p = profile_of(application);
        berth_goodput_point point, single, same;
        berth_error error;
        p.grad_sqr = sqr;
        p.grad_var = var;
        p.accumulation = strcmp(accumulation, "true") == 0;
        assert_ok(berth_goodput_best(&p, BERTH_BATCH_GRID, nodes, replicas, &point, &error), error);
        assert_ok(berth_goodput_best(&p, BERTH_BATCH_GRID, 1, 1, &single, &error), error);
        n++;
        check_relative(point.goodput, goodput, n, "goodput");
        check_relative(point.throughput, throughput, n, "throughput");
        check_relative(point.efficiency, efficiency, n, "efficiency");
        check_relative(point.goodput / single.goodput, speedup, n, "speedup");
        assert_true(point.local == local && point.accumulation == steps && point.batch == batch);
        assert_ok(berth_goodput_at(&p, nodes, replicas, local, steps, &same, &error), error);
        assert_memory_equal(&same, &point, sizeof same);
        assert_ok(berth_goodput_best(&p, BERTH_BATCH_EXACT, nodes, replicas, &same, &error), error);
        assert_true(point.batch > p.max_batch || same.goodput >= point.goodput * (1 - 1e-12));
    }
    fclose(file);
    assert_int_equal(n, 60);
}

/* By hand: gamma 1, so that T = A + S; 2 replicas of 3 samples, twice. */
static void one_by_hand(void **state) {
    (void)state;
    berth_goodput_profile p;
    berth_goodput_point point;
    berth_error error;
    berth_goodput_profile_init(&p);
    p.alpha_c = 1;
    p.beta_c = 2;
    p.alpha_n = 5;
    p.m0 = 4;
    p.max_batch = 100;
    p.max_local = 10;
    p.grad_sqr = 1;
    p.grad_var = 3;
    assert_ok(berth_goodput_at(&p, 2, 2, 3, 1, &point, &error), error);
    assert_close(point.batch, 12, 0);
    assert_close(point.step_s, 7 + 7 + 5, 1e-15);
    assert_close(point.efficiency, 4.0 / (3.0 / 3 + 1) / 3, 1e-15);
    assert_close(point.goodput, 12.0 / 19 * 2 / 3, 1e-15);
}

/* ---- arguments ---- */

static void expect_argument(berth_status status, const berth_error *error, const char *where) {
    assert_int_equal(status, BERTH_E_ARGUMENT);
    assert_string_equal(error->where, where);
}

static void wrong_profiles_are_named(void **state) {
    (void)state;
    static const struct {
        const char *field;
        size_t offset;
        double values[4];
    } wrong[] = {
#define WRONG(field, ...)                                                                                              \
    {                                                                                                                  \
#field, offsetof(berth_goodput_profile, field), {                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
        WRONG(alpha_c, -1, 2e12, -(double)INFINITY, (double)INFINITY),
        WRONG(beta_c, -1, 2e12, -1e-300, (double)INFINITY),
        WRONG(alpha_n, -1, 2e12, -(double)INFINITY, (double)INFINITY),
        WRONG(beta_n, -1, 2e12, -(double)INFINITY, (double)INFINITY),
        WRONG(alpha_r, -1, 2e12, -(double)INFINITY, (double)INFINITY),
        WRONG(beta_r, -1, 2e12, -(double)INFINITY, (double)INFINITY),
        WRONG(gamma, 0.99, 10.01, 0, (double)INFINITY),
        WRONG(m0, 0, 1.5, -3, 2e9),
        WRONG(max_batch, 11, 400.5, 0, (double)INFINITY),
        WRONG(min_local, 0, 1.5, -1, (double)INFINITY),
        WRONG(max_local, 3, 12.5, 0, (double)INFINITY),
        WRONG(grad_sqr, -1, (double)INFINITY, -(double)INFINITY, -1e-9),
        WRONG(grad_var, -1, (double)INFINITY, -(double)INFINITY, -1e-9),
#undef WRONG
    };
    berth_goodput_point point, table[2];
    berth_error error;
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        for (int v = 0; v < 5; v++) {
            berth_goodput_profile p = profile_of("bert");
            const double value = v < 4 ? wrong[k].values[v] : (double)NAN;
            memcpy((char *)&p + wrong[k].offset, &value, sizeof value);
            expect_argument(berth_goodput_best(&p, BERTH_BATCH_GRID, 1, 1, &point, &error), &error, wrong[k].field);
            assert_true(point.goodput == 0);
            expect_argument(berth_goodput_table(&p, BERTH_BATCH_GRID, 2, table, NULL, &error), &error, wrong[k].field);
            expect_argument(berth_goodput_profile_write(&p, path_of("no.json"), &error), &error, wrong[k].field);
        }
    }
    berth_goodput_profile nothing = profile_of("bert");
    nothing.alpha_c = nothing.beta_c = 0;
    expect_argument(berth_goodput_best(&nothing, BERTH_BATCH_GRID, 1, 1, &point, &error), &error, "beta_c");
    nothing = (berth_goodput_profile){0};
    expect_argument(berth_goodput_best(&nothing, BERTH_BATCH_GRID, 1, 1, &point, &error), &error, "profile");
}

static void wrong_shapes_are_named(void **state) {
    (void)state;
    berth_goodput_profile p = profile_of("bert");
    berth_goodput_point point;
    berth_error error;
    expect_argument(berth_goodput_best(&p, BERTH_BATCH_GRID, 0, 1, &point, &error), &error, "nodes");
    expect_argument(berth_goodput_best(&p, BERTH_BATCH_EXACT, 3, 2, &point, &error), &error, "replicas");
    expect_argument(berth_goodput_at(&p, 1, 1, 3, 0, &point, &error), &error, "local");
    expect_argument(berth_goodput_at(&p, 1, 1, 13, 0, &point, &error), &error, "local");
    p.accumulation = false;
    expect_argument(berth_goodput_at(&p, 1, 1, 12, 1, &point, &error), &error, "accumulation");
    assert_ok(berth_goodput_best(&p, BERTH_BATCH_GRID, 1, 97, &point, &error), error);
    assert_true(point.goodput == 0 && point.local == 0);
}

/* ---- files ---- */

static void profiles_survive_files(void **state) {
    (void)state;
    static const char *const applications[] = {"bert", "cifar10", "deepspeech2", "imagenet", "ncf", "yolov3"};
    for (size_t k = 0; k < sizeof applications / sizeof *applications; k++) {
        const berth_goodput_profile p = profile_of(applications[k]);
        berth_goodput_profile again;
        berth_error error;
        char shipped[128];
        assert_ok(berth_goodput_profile_write(&p, path_of("p.json"), &error), error);
        assert_ok(berth_goodput_profile_read(path_of("p.json"), &again, &error), error);
        assert_true(again.gamma == p.gamma && again.grad_var == p.grad_var && again.accumulation == p.accumulation);
        expect_schema("berth-profile-1", "p.json");
        snprintf(shipped, sizeof shipped, "cmp -s instances/pollux/profiles/%s.json '%s'", applications[k],
                 path_of("p.json"));
        assert_int_equal(system(shipped), 0);
    }
}

static void wrong_files_are_refused(void **state) {
    (void)state;
    static const char good[] =
        "{\"format\": \"berth-profile-1\", \"alpha_c\": 1, \"beta_c\": 1, \"alpha_n\": 1, \"beta_n\": 1, \"alpha_r\": "
        "1, "
        "\"beta_r\": 1, \"gamma\": 2, \"m0\": 8, \"max_batch\": 64, \"min_local\": 2, \"max_local\": 16, \"grad_sqr\": "
        "1, \"grad_var\": 5, \"x_note\": [1]}";
    static const struct {
        const char *from, *to, *where;
    } edits[] = {
        {"\"m0\": 8, ", "", "/m0"},
        {"\"gamma\": 2", "\"gamma\": 0.5", "/gamma"},
        {"\"gamma\": 2", "\"gamma\": \"2\"", "/gamma"},
        {"\"max_batch\": 64", "\"max_batch\": 7", "/max_batch"},
        {"\"max_local\": 16", "\"max_local\": 1", "/max_local"},
        {"\"min_local\": 2", "\"min_local\": 2.5", "/min_local"},
        {"\"grad_var\": 5", "\"grad_var\": null", "/grad_var"},
        {"\"grad_var\": 5", "\"grad_var\": -5", "/grad_var"},
        {"\"x_note\"", "\"accumulation\"", "/accumulation"},
        {"\"x_note\"", "\"note\"", "/note"},
        {"berth-profile-1", "berth-profile-2", "/format"},
        {"\"alpha_c\": 1, \"beta_c\": 1", "\"alpha_c\": 0, \"beta_c\": 0", "/beta_c"},
    };
    berth_goodput_profile p;
    berth_error error;
    put_file("good.json", good);
    assert_ok(berth_goodput_profile_read(path_of("good.json"), &p, &error), error);
    assert_true(p.accumulation && p.max_local == 16 && p.struct_size == sizeof p);
    for (size_t k = 0; k < sizeof edits / sizeof *edits; k++) {
        char text[sizeof good + 64];
        const char *at = strstr(good, edits[k].from);
        assert_non_null(at);
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - good), good, edits[k].to, at + strlen(edits[k].from));
        put_file("bad.json", text);
        assert_int_equal(berth_goodput_profile_read(path_of("bad.json"), &p, &error), BERTH_E_INPUT);
        assert_string_equal(error.where, edits[k].where);
    }
    assert_int_equal(berth_goodput_profile_read(path_of("none.json"), &p, &error), BERTH_E_IO);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_grid_is_theirs),       cmocka_unit_test(one_by_hand),
        cmocka_unit_test(wrong_profiles_are_named), cmocka_unit_test(wrong_shapes_are_named),
        cmocka_unit_test(profiles_survive_files),   cmocka_unit_test(wrong_files_are_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
