/* Solutions of general problems as files, berth-solution-1. Runs from the top folder. */
#define _POSIX_C_SOURCE 200809L
#include "tests/support/check.h"

#include <berth_io.h>

#include "base/alloc.h"
#include "tests/support/own_folder.h"
#include "tests/support/schema_check.h"

#include <string.h>
#include <unistd.h>

#define ABSENT  ((double)NAN)
#define ENDLESS ((double)INFINITY)

static bool fits_schema(const char *name, char problem[256]) {
    return schema_check_file(berth_schema("berth-solution-1"), path_of(name), problem, 256);
}

/* ---- a full solution, there and back ---- */

static const double cost[] = {3, 2, 1.5}, row_lower[] = {7, -ENDLESS}, row_upper[] = {ENDLESS, 9},
                    value[] = {2, 1, 1, 1, 2};
static const size_t row_start[] = {0, 3, 5};
static const int var_of[] = {0, 1, 2, 0, 1};
static const char *const var_names[] = {"x", "y\"\xc3\xa4", "z"}, *const row_names[] = {"need", "room"};
static const double x[] = {3, 0, 0.1 + 0.2}, relaxation[] = {3.5, 0, 0}, multipliers[] = {1.5, 0}, ray[] = {0, -1e-300};
static const char *const version_names[] = {"berth", "clp"}, *const version_numbers[] = {"0.1.0", "1.17.6"};

static berth_problem make_problem(void) {
    return (berth_problem){.struct_size = sizeof(berth_problem),
                           .name = "small",
                           .n_vars = 3,
                           .n_rows = 2,
                           .var_names = var_names,
                           .cost = cost,
                           .row_names = row_names,
                           .row_lower = row_lower,
                           .row_upper = row_upper,
                           .row_start = row_start,
                           .var_of = var_of,
                           .value = value,
                           .crc32 = 0xdeadbeef};
}

static berth_solution make_solution(void) {
    return (berth_solution){.problem = "small",
                            .problem_crc32 = 0xdeadbeef,
                            .packing_covering = true,
                            .method = "randomized",
                            .found_by = "rounding",
                            .lp = "clp",
                            .outcome = BERTH_APPROXIMATE,
                            .cost = 10.25,
                            .bound = 10.5,
                            .proof = BERTH_PROOF_TOLERANCE,
                            .node_bound = ABSENT,
                            .ratio = 1.01,
                            .cover_min = 0.97,
                            .pack_max = 1.0 / 3,
                            .promise = {true, 1.57, 4.5, 1, 7.25, 0.9, NULL},
                            .seed = UINT64_MAX,
                            .trials = 16,
                            .delta = 0.1,
                            .favour = "cover",
                            .scale = "1.57",
                            .repair = true,
                            .gap = 1e-4,
                            .lp_gap = 1e-3,
                            .n_vars = 3,
                            .n_rows = 2,
                            .x = x,
                            .relaxation = relaxation,
                            .multipliers = multipliers,
                            .ray = ray,
                            .n_versions = 2,
                            .version_names = version_names,
                            .version_numbers = version_numbers};
}

static void assert_text(const char *a, const char *b) {
    assert_int_equal(a == NULL, b == NULL);
    if (a != NULL) {
        assert_string_equal(a, b);
    }
}

static void assert_number(double a, double b) {
    assert_true(a == b || (isnan(a) && isnan(b)));
}

static void assert_numbers(const double *a, const double *b, size_t n) {
    assert_int_equal(a == NULL, b == NULL);
    for (size_t k = 0; a != NULL && k < n; k++) {
        assert_number(a[k], b[k]);
    }
}

static void assert_same(const berth_solution *a, const berth_solution *b) {
    assert_text(a->problem, b->problem);
    assert_text(a->why_not, b->why_not);
    assert_text(a->method, b->method);
    assert_text(a->found_by, b->found_by);
    assert_text(a->lp, b->lp);
    assert_text(a->favour, b->favour);
    assert_text(a->scale, b->scale);
    assert_text(a->promise.why_not, b->promise.why_not);
    assert_true(a->problem_crc32 == b->problem_crc32 && a->seed == b->seed && a->trials == b->trials);
    assert_true(a->packing_covering == b->packing_covering && a->repair == b->repair);
    assert_true(a->outcome == b->outcome && a->proof == b->proof && a->promise.holds == b->promise.holds);
    const double of_a[] = {a->cost,
                           a->bound,
                           a->node_bound,
                           a->ratio,
                           a->cover_min,
                           a->pack_max,
                           a->delta,
                           a->gap,
                           a->lp_gap,
                           a->promise.scale,
                           a->promise.cost_factor,
                           a->promise.cover_factor,
                           a->promise.pack_factor,
                           a->promise.probability};
    const double of_b[] = {b->cost,
                           b->bound,
                           b->node_bound,
                           b->ratio,
                           b->cover_min,
                           b->pack_max,
                           b->delta,
                           b->gap,
                           b->lp_gap,
                           b->promise.scale,
                           b->promise.cost_factor,
                           b->promise.cover_factor,
                           b->promise.pack_factor,
                           b->promise.probability};
    assert_numbers(of_a, of_b, sizeof of_a / sizeof of_a[0]);
    assert_true(a->n_vars == b->n_vars && a->n_rows == b->n_rows && a->n_versions == b->n_versions);
    assert_numbers(a->x, b->x, a->n_vars);
    assert_numbers(a->relaxation, b->relaxation, a->n_vars);
    assert_numbers(a->multipliers, b->multipliers, a->n_rows);
    assert_numbers(a->ray, b->ray, a->n_rows);
    for (size_t k = 0; k < a->n_versions; k++) {
        assert_text(a->version_names[k], b->version_names[k]);
        assert_text(a->version_numbers[k], b->version_numbers[k]);
    }
}

static void there_and_back(const berth_problem *problem, const berth_solution *s) {
    berth_error error = {0};
    berth_solution *back = NULL;
    assert_ok(berth_solution_write(s, problem, path_of("one"), &error), error);
    expect_schema("berth-solution-1", "one");
    assert_ok(berth_solution_read(path_of("one"), problem, &back, &error), error);
    assert_same(s, back);
    assert_ok(berth_solution_write(back, problem, path_of("two"), &error), error);
    char *first = get_file("one"), *second = get_file("two");
    assert_string_equal(first, second);
    berth__free(first);
    berth__free(second);
    berth_solution_free(back);
}

static void test_there_and_back(void **state) {
    (void)state;
    berth_problem problem = make_problem();
    berth_solution s = make_solution();
    there_and_back(&problem, &s);
    s.seed = 3;
    s.problem_crc32 = 0;
    s.packing_covering = false;
    s.why_not = "a cost is negative";
    s.promise = (berth_promise){false, ABSENT, ABSENT, ABSENT, ABSENT, ABSENT, "nothing is promised"};
    s.found_by = s.lp = NULL;
    s.outcome = BERTH_INFEASIBLE;
    s.proof = BERTH_PROOF_NONE;
    s.cost = s.bound = s.ratio = s.cover_min = s.pack_max = ABSENT;
    s.x = s.relaxation = s.multipliers = NULL;
    s.n_versions = 0;
    there_and_back(&problem, &s);
    s.ray = NULL;
    s.outcome = BERTH_LIMIT;
    s.proof = BERTH_PROOF_EXACT;
    s.bound = 3;
    s.node_bound = 1e300;
    problem.var_names = NULL;
    problem.row_names = NULL;
    s.x = x;
    s.multipliers = multipliers;
    there_and_back(&problem, &s);
    char *text = get_file("one");
    assert_non_null(strstr(text, "\"variables\": { \"x0\": 3, \"x2\": 0.30000000000000004 }"));
    assert_non_null(strstr(text, "\"multipliers\": { \"r0\": 1.5 }"));
    berth__free(text);
}

static void test_layout(void **state) {
    (void)state;
    berth_error error = {0};
    berth_problem problem = make_problem();
    berth_solution s = make_solution();
    assert_ok(berth_solution_write(&s, &problem, path_of("one"), &error), error);
    char *text = get_file("one");
    assert_string_equal(
        text, "{\n"
              "  \"format\": \"berth-solution-1\",\n"
              "  \"problem\": \"small\",\n"
              "  \"problem_crc32\": \"deadbeef\",\n"
              "  \"method\": \"randomized\",\n"
              "  \"outcome\": \"APPROXIMATE\",\n"
              "  \"found_by\": \"rounding\",\n"
              "  \"lp\": \"clp\",\n"
              "  \"packing_covering\": true,\n"
              "  \"why_not\": null,\n"
              "  \"cost\": 10.25,\n"
              "  \"bound\": 10.5,\n"
              "  \"proof\": \"tolerance\",\n"
              "  \"node_bound\": null,\n"
              "  \"ratio\": 1.01,\n"
              "  \"cover_min\": 0.97,\n"
              "  \"pack_max\": 0.3333333333333333,\n"
              "  \"guarantee\": {\n"
              "    \"holds\": true,\n"
              "    \"scale\": 1.57,\n"
              "    \"cost_factor\": 4.5,\n"
              "    \"cover_factor\": 1,\n"
              "    \"pack_factor\": 7.25,\n"
              "    \"probability\": 0.9,\n"
              "    \"why_not\": null\n"
              "  },\n"
              "  \"seed\": \"18446744073709551615\",\n"
              "  \"trials\": 16,\n"
              "  \"options\": { \"delta\": 0.1, \"favour\": \"cover\", \"scale\": \"1.57\", \"repair\": true, \"gap\": "
              "0.0001, \"lp_gap\": 0.001 },\n"
              "  \"variables\": { \"x\": 3, \"z\": 0.30000000000000004 },\n"
              "  \"relaxation\": { \"x\": 3.5 },\n"
              "  \"multipliers\": { \"need\": 1.5 },\n"
              "  \"ray\": { \"room\": -1e-300 },\n"
              "  \"versions\": { \"berth\": \"0.1.0\", \"clp\": \"1.17.6\" }\n"
              "}\n");
    berth__free(text);
}

/* ---- anybody's solution ---- */

static void test_external(void **state) {
    (void)state;
    static const char *const texts[] = {
        "{\"format\":\"berth-solution-1\",\"method\":\"external\",\"variables\":{\"x\":4}}",
        ("\xef\xbb\xbf{\"format\":\"berth-solution-1\",\"method\":\"external\",\"variables\":{\"x\":4.0,\"z\":0},"
         "\"x_note\":[1],\"outcome\":null,\"cost\":null,\"guarantee\":null,\"seed\":null,\"problem\":null,\"options\":{"
         "}"
         "}"),
        ("{\"format\":\"berth-solution-1\",\"method\":\"external\",\"variables\":{\"x\":4},\"problem\":\"small\","
         "\"problem_crc32\":\"DEADBEEF\",\"cost\":12,\"outcome\":\"FEASIBLE\"}")};
    berth_problem problem = make_problem();
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        berth_error error = {0};
        berth_solution *s = NULL;
        berth_report *report = NULL;
        put_file("one", texts[k]);
        if (k != 1) { /* jansson itself takes no byte order mark */
            expect_schema("berth-solution-1", "one");
        }
        assert_ok(berth_solution_read(path_of("one"), &problem, &s, &error), error);
        assert_true(s->x[0] == 4 && s->x[1] == 0 && s->x[2] == 0 && s->outcome == BERTH_FEASIBLE);
        assert_true(isnan(s->bound) && s->multipliers == NULL && !s->promise.holds && s->proof == BERTH_PROOF_NONE);
        assert_ok(berth_check_solution(&problem, s, NULL, &report, &error), error);
        assert_int_equal(report->n_violations, 0);
        assert_true(report->utility == 12);
        berth_report_free(report);
        berth_solution_free(s);
    }
}

/* ---- malformed ---- */

#define HEAD "{\"format\":\"berth-solution-1\",\"method\":\"external\",\"variables\":{\"x\":1}"
/* All that a solution of another method must have, but for what follows. */
#define OURS "{\"format\":\"berth-solution-1\",\"method\":\"greedy\",\"variables\":null,\"problem_crc32\":\"deadbeef\""

static void test_malformed(void **state) {
    (void)state;
    static const struct {
        const char *text, *where, *message;
        berth_status status;
        bool beyond_schema;
    } cases[] = {
        {"[]", NULL, "must hold one JSON object", BERTH_E_INPUT, false},
        {"{", NULL, "", BERTH_E_INPUT, false},
        {HEAD "} x", NULL, "", BERTH_E_INPUT, false},
        {HEAD ",\"cost\":NaN}", NULL, "", BERTH_E_INPUT, false},
        {HEAD ",\"cost\":1e999}", NULL, "out of range", BERTH_E_INPUT, false},
        {HEAD ",\"cost\":1,\"cost\":1}", NULL, "", BERTH_E_INPUT, false},
        {"{\"method\":\"external\",\"variables\":{}}", "/format", "missing", BERTH_E_INPUT, false},
        {"{\"format\":\"berth-run-1\",\"method\":\"external\",\"variables\":{}}", "/format", "berth-run-1",
         BERTH_E_INPUT, false},
        {"{\"format\":\"berth-solution-1\",\"variables\":{}}", "/method", "missing", BERTH_E_INPUT, false},
        {"{\"format\":\"berth-solution-1\",\"method\":\"\",\"variables\":{}}", "/method", "empty", BERTH_E_INPUT,
         false},
        {"{\"format\":\"berth-solution-1\",\"method\":\"external\"}", "/variables", "missing", BERTH_E_INPUT, false},
        {"{\"format\":\"berth-solution-1\",\"method\":\"external\",\"variables\":[1]}", "/variables",
         "expected an object, found a list", BERTH_E_INPUT, false},
        {"{\"format\":\"berth-solution-1\",\"method\":\"external\",\"variables\":{\"w\":1}}", "/variables/w",
         "the problem has no variable of this name", BERTH_E_INPUT, true},
        {"{\"format\":\"berth-solution-1\",\"method\":\"external\",\"variables\":{\"need\":1}}", "/variables/need",
         "the problem has no variable of this name", BERTH_E_INPUT, true},
        {"{\"format\":\"berth-solution-1\",\"method\":\"external\",\"variables\":{\"x\":null}}", "/variables/x",
         "expected a number, found null", BERTH_E_INPUT, false},
        {"{\"format\":\"berth-solution-1\",\"method\":\"external\",\"variables\":{\"x\":\"1\"}}", "/variables/x",
         "expected a number", BERTH_E_INPUT, false},
        {"{\"format\":\"berth-solution-1\",\"method\":\"external\",\"variables\":{\"x_\":1}}", "/variables/x_",
         "the problem has no variable", BERTH_E_INPUT, true},
        {HEAD ",\"bond\":1}", "/bond", "did you mean \"bound\"", BERTH_E_INPUT, false},
        {HEAD ",\"outcome\":\"feasible\"}", "/outcome", "unknown outcome", BERTH_E_INPUT, false},
        {HEAD ",\"outcome\":1}", "/outcome", "expected a string", BERTH_E_INPUT, false},
        {HEAD ",\"proof\":\"sure\"}", "/proof", "expected \"none\"", BERTH_E_INPUT, false},
        {HEAD ",\"cost\":\"1\"}", "/cost", "expected a number", BERTH_E_INPUT, false},
        {HEAD ",\"cover_min\":true}", "/cover_min", "expected a number", BERTH_E_INPUT, false},
        {HEAD ",\"packing_covering\":1}", "/packing_covering", "expected true or false", BERTH_E_INPUT, false},
        {HEAD ",\"guarantee\":{}}", "/guarantee/holds", "missing", BERTH_E_INPUT, false},
        {HEAD ",\"guarantee\":{\"holds\":true,\"probable\":1}}", "/guarantee/probable", "unknown field", BERTH_E_INPUT,
         false},
        {HEAD ",\"guarantee\":{\"holds\":true,\"scale\":\"1\"}}", "/guarantee/scale", "expected a number",
         BERTH_E_INPUT, false},
        {HEAD ",\"guarantee\":true}", "/guarantee", "expected an object", BERTH_E_INPUT, false},
        {HEAD ",\"seed\":-1}", "/seed", "64-bit", BERTH_E_INPUT, false},
        {HEAD ",\"seed\":\"x\"}", "/seed", "64-bit", BERTH_E_INPUT, false},
        {HEAD ",\"seed\":\"18446744073709551616\"}", "/seed", "64-bit", BERTH_E_INPUT, true},
        {HEAD ",\"seed\":1.5}", "/seed", "expected an integer", BERTH_E_INPUT, false},
        {HEAD ",\"trials\":3000000000}", "/trials", "out of range", BERTH_E_INPUT, true},
        {HEAD ",\"options\":{\"seed\":1}}", "/options/seed", "unknown field", BERTH_E_INPUT, false},
        {HEAD ",\"options\":{\"repair\":\"yes\"}}", "/options/repair", "expected true or false", BERTH_E_INPUT, false},
        {HEAD ",\"relaxation\":{\"y\":1}}", "/relaxation/y", "no variable", BERTH_E_INPUT, true},
        {HEAD ",\"multipliers\":{\"x\":1}}", "/multipliers/x", "the problem has no row of this name", BERTH_E_INPUT,
         true},
        {HEAD ",\"multipliers\":[1,2]}", "/multipliers", "expected an object", BERTH_E_INPUT, false},
        {HEAD ",\"ray\":{\"need\":{}}}", "/ray/need", "expected a number", BERTH_E_INPUT, false},
        {HEAD ",\"versions\":{\"berth\":1}}", "/versions/berth", "expected a string", BERTH_E_INPUT, false},
        {HEAD ",\"problem\":\"other\"}", "/problem", "not of \"small\"", BERTH_E_MISMATCH, true},
        {HEAD ",\"problem_crc32\":\"deadbeee\"}", "/problem_crc32", "another state", BERTH_E_MISMATCH, true},
        {HEAD ",\"problem_crc32\":\"beef\"}", "/problem_crc32", "eight hexadecimal digits", BERTH_E_INPUT, false},
        {HEAD ",\"problem_crc32\":7}", "/problem_crc32", "expected a string", BERTH_E_INPUT, false},
        {OURS ",\"outcome\":\"LIMIT\",\"packing_covering\":true,\"seed\":1}", "/problem", "missing", BERTH_E_INPUT,
         false},
        {OURS ",\"problem\":\"small\",\"packing_covering\":true,\"seed\":1}", "/outcome", "missing", BERTH_E_INPUT,
         false},
        {OURS ",\"problem\":\"small\",\"outcome\":\"LIMIT\",\"seed\":1}", "/packing_covering", "missing", BERTH_E_INPUT,
         false},
        {OURS ",\"problem\":\"small\",\"outcome\":\"LIMIT\",\"packing_covering\":true}", "/seed", "missing",
         BERTH_E_INPUT, false},
        {OURS ",\"problem\":\"small\",\"outcome\":null,\"packing_covering\":true,\"seed\":1}", "/outcome",
         "expected a string", BERTH_E_INPUT, false},
    };
    berth_problem problem = make_problem();
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        berth_error error = {0};
        berth_solution *s = NULL;
        char wrong[256];
        put_file("one", cases[k].text);
        berth_status status = berth_solution_read(path_of("one"), &problem, &s, &error);
        assert_null(s);
        const char *where = cases[k].where == NULL ? path_of("one") : cases[k].where;
        if (status != cases[k].status || strstr(error.message, cases[k].message) == NULL ||
            strcmp(error.where, where) != 0) {
            fail_msg("%s: %s at %s: %s", cases[k].text, berth_status_name(status), error.where, error.message);
        }
        if (fits_schema("one", wrong) != cases[k].beyond_schema) {
            fail_msg("the schema %s %s", cases[k].beyond_schema ? "refuses" : "accepts", cases[k].text);
        }
    }
}

static void test_arguments(void **state) {
    (void)state;
    berth_error error = {0};
    berth_problem problem = make_problem();
    berth_solution s = make_solution(), *out = NULL;
    assert_int_equal(berth_solution_read(NULL, &problem, &out, &error), BERTH_E_ARGUMENT);
    assert_string_equal(error.where, "path");
    assert_int_equal(berth_solution_read("x", NULL, &out, &error), BERTH_E_ARGUMENT);
    assert_string_equal(error.where, "problem");
    assert_int_equal(berth_solution_read("x", &problem, NULL, &error), BERTH_E_ARGUMENT);
    assert_int_equal(berth_solution_read(path_of("missing"), &problem, &out, &error), BERTH_E_IO);
    assert_int_equal(berth_solution_write(NULL, &problem, "x", &error), BERTH_E_ARGUMENT);
    assert_string_equal(error.where, "solution");
    assert_int_equal(berth_solution_write(&s, NULL, "x", &error), BERTH_E_ARGUMENT);
    assert_int_equal(berth_solution_write(&s, &problem, NULL, &error), BERTH_E_ARGUMENT);
    s.n_vars = 2;
    assert_int_equal(berth_solution_write(&s, &problem, path_of("one"), &error), BERTH_E_MISMATCH);
    s = make_solution();
    s.bound = ENDLESS;
    assert_int_equal(berth_solution_write(&s, &problem, path_of("missing"), &error), BERTH_E_ARGUMENT);
    assert_string_equal(error.where, "bound");
    assert_int_not_equal(access(path_of("missing"), F_OK), 0);
    berth_solution_free(NULL);
}

/* Names are found in constant time: with a linear search this would take minutes. */
static void test_many_variables(void **state) {
    (void)state;
    enum { MANY = 200000 };
    double *values = BERTH__NEW_ARRAY(double, MANY), *costs = BERTH__NEW_ARRAY(double, MANY);
    assert_non_null(values);
    assert_non_null(costs);
    for (int j = 0; j < MANY; j++) {
        values[j] = j % 3;
    }
    berth_problem problem = make_problem();
    problem.n_vars = MANY;
    problem.var_names = NULL;
    problem.cost = costs;
    berth_solution s = make_solution();
    s.n_vars = MANY;
    s.x = values;
    s.relaxation = NULL;
    there_and_back(&problem, &s);
    berth__free(values);
    berth__free(costs);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_there_and_back), cmocka_unit_test(test_layout),    cmocka_unit_test(test_external),
        cmocka_unit_test(test_malformed),      cmocka_unit_test(test_arguments), cmocka_unit_test(test_many_variables),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
