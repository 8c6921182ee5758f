/* Files of general problems: formats told apart, options, what writers make of what their format lacks, and what
 * readers leave alone. Runs from the top folder. */
#define _POSIX_C_SOURCE 200809L
#include "tests/support/backends.h"
#include "tests/support/check.h"

#include <berth_io.h>

#include "formats/problem_build.h"
#include "tests/support/problem_case.h"

#include <dirent.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#define FOLDER "instances/problems/"

static berth_backends *backends;
static char scratch[] = "/tmp/berth-problem-XXXXXX";

#ifdef BERTH_WITH_GLPK
#define NEEDS_GLPK() ((void)0)
#else
#define NEEDS_GLPK() skip()
#endif

static berth_problem_read_options options_of(berth_problem_format format) {
    berth_problem_read_options options;
    berth_problem_read_options_init(&options);
    options.backends = backends;
    options.format = format;
    return options;
}

static berth_problem *parse_as(const char *text, berth_problem_format format) {
    berth_problem_read_options options = options_of(format);
    berth_error error = {0};
    berth_problem *problem = NULL;
    assert_ok(berth_problem_parse(text, strlen(text), &options, &problem, &error), error);
    return problem;
}

/* Status of a text that must be refused, with part of the message. */
static void refuse(const char *text, berth_problem_format format, berth_status status, const char *message) {
    berth_problem_read_options options = options_of(format);
    berth_error error = {0};
    berth_problem *problem = NULL;
    assert_int_equal(berth_problem_parse(text, strlen(text), &options, &problem, &error), status);
    assert_null(problem);
    if (strstr(error.message, message) == NULL) {
        fail_msg("no \"%s\" in: %s", message, error.message);
    }
}

static const char *in_scratch(const char *name) {
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", scratch, name);
    return path;
}

static char *file_text(const char *path) {
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, 1 << 16);
    assert_non_null(file);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 16) - 1, file) > 0);
    fclose(file);
    return text;
}

static void check_written(const berth_problem *problem, berth_problem_format format, const char *expected) {
    berth_error error = {0};
    const char *path = in_scratch("written");
    assert_ok(berth_problem_write(problem, format, path, &error), error);
    char *text = file_text(path);
    assert_string_equal(text, expected);
    free(text);
    unlink(path);
}

static void check_unwritten(const berth_problem *problem, berth_problem_format format, berth_status status,
                            const char *where, const char *message) {
    berth_error error = {0};
    const char *path = in_scratch("unwritten");
    assert_int_equal(berth_problem_write(problem, format, path, &error), status);
    assert_string_equal(error.where, where);
    if (strstr(error.message, message) == NULL) {
        fail_msg("no \"%s\" in: %s", message, error.message);
    }
    assert_int_not_equal(access(path, F_OK), 0);
}

/* ---- which format ---- */

static void test_formats_are_told_apart(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t n_vars, n_rows;
        bool foreign;
    } cases[] = {
        {" \n{ \"format\": \"berth-mpc-1\", \"sense\": \"min\", \"variables\": [{ \"name\": \"x\", \"cost\": 1 }] }", 1,
         0, false},
        {"1 1\n5\n1 1\n", 1, 1, false},
        {"\n\n1\n2 1 0\n3 4\n1 1\n5\n", 2, 1, false},
        {"* a comment\n\nNAME\nROWS\n N  c\n G  r\nCOLUMNS\n    x         c                    1   r                   "
         " 1\nENDATA\n",
         1, 1, true},
        {"OBJSENSE MAX\nNAME\nROWS\n N  c\n G  r\nCOLUMNS\n    x         c                    1   r                    "
         "1\nENDATA\n",
         1, 1, true},
        {"\\ a comment\nmin x\nst\nx >= 1\nend\n", 1, 1, true},
        {"  MAXIMIZE\n obj: x + y\nsubject to\n c: x - y <= 1\nend\n", 2, 1, true},
        {"# a comment\nvar x >= 0; minimize o: x; s.t. c: x >= 2; s.t. d: x <= 5; end;", 1, 2, true},
        {"/* a comment */ var x >= 0; minimize o: x; s.t. c: x >= 2; end;", 1, 1, true},
        {"param p := 2;\nvar x >= 0; minimize o: x; s.t. c: p * x >= 2; end;", 1, 1, true},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
#ifndef BERTH_WITH_GLPK
        if (cases[k].foreign) {
            refuse(cases[k].text, BERTH_PROBLEM_AUTO, BERTH_E_BACKEND, "GLPK, whose readers take");
            continue;
        }
#endif
        berth_problem *problem = parse_as(cases[k].text, BERTH_PROBLEM_AUTO);
        assert_int_equal(problem->n_vars, cases[k].n_vars);
        assert_int_equal(problem->n_rows, cases[k].n_rows);
        berth_problem_free(problem);
    }
    refuse("maxim: x;", BERTH_PROBLEM_AUTO, BERTH_E_INPUT, "understood are");
    refuse("* only a comment\n", BERTH_PROBLEM_AUTO, BERTH_E_INPUT, "understood are");
    refuse("min: 3 x1 ;\n", BERTH_PROBLEM_AUTO, BERTH_E_UNSUPPORTED, "pseudo-Boolean");
    refuse("", BERTH_PROBLEM_AUTO, BERTH_E_INPUT, "empty");
}

static void test_names_of_formats(void **state) {
    (void)state;
    static const char *const expected[] = {"auto", "json", "mps", "mps-free", "lp", "gmpl", "orlib-scp", "orlib-mknap"};
    const char *const *names = berth_problem_format_names();
    for (size_t k = 0; k < 8; k++) {
        assert_string_equal(names[k], expected[k]);
    }
    assert_null(names[8]);
}

/* The same problem with a byte order mark, CRLF line ends, no final line end, compressed. */
static void check_dressed(const char *file, berth_problem_format format) {
    berth_problem_read_options options = options_of(format);
    berth_error error = {0};
    char path[128], *text, dressed[1 << 14];
    berth_problem *plain = NULL, *other = NULL;
    snprintf(path, sizeof path, FOLDER "%s", file);
    assert_ok(berth_problem_read(path, &options, &plain, &error), error);
    text = file_text(path);
    size_t n = (size_t)snprintf(dressed, sizeof dressed, "\xEF\xBB\xBF");
    size_t length = strlen(text) - (text[strlen(text) - 1] == '\n');
    for (size_t k = 0; k < length; k++) {
        assert_true(n + 2 < sizeof dressed);
        if (text[k] == '\n') {
            dressed[n++] = '\r';
        }
        dressed[n++] = text[k];
    }
    snprintf(path, sizeof path, "%s/dressed.gz", scratch);
    gzFile out = gzopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(gzwrite(out, dressed, (unsigned)n), n);
    gzclose(out);
    assert_ok(berth_problem_read(path, &options, &other, &error), error);
    char why[160];
    if (!problem_same(plain, other, (problem_leeway){.any_name = true}, why)) {
        fail_msg("%s: %s", file, why);
    }
    assert_string_equal(plain->var_names[0], other->var_names[0]);
    unlink(path);
    free(text);
    berth_problem_free(plain);
    berth_problem_free(other);
}

static void test_byte_order_marks_line_ends_and_compression(void **state) {
    (void)state;
    check_dressed("placement.json", BERTH_PROBLEM_AUTO);
    check_dressed("cover.txt", BERTH_PROBLEM_AUTO);
    check_dressed("knapsacks.txt", BERTH_PROBLEM_ORLIB_MKNAP);
#ifdef BERTH_WITH_GLPK
    check_dressed("odd-sections.mps", BERTH_PROBLEM_AUTO);
    check_dressed("sections.lp", BERTH_PROBLEM_AUTO);
    check_dressed("diet.mod", BERTH_PROBLEM_GMPL);
#endif
}

/* ---- options ---- */

static void test_options(void **state) {
    (void)state;
    berth_problem_read_options options = options_of(BERTH_PROBLEM_AUTO);
    berth_error error = {0};
    berth_problem *problem = NULL;
    options.number = 2;
    assert_ok(berth_problem_read(FOLDER "knapsacks.txt", &options, &problem, &error), error);
    assert_int_equal(problem->n_vars, 4);
    assert_string_equal(problem->name, "knapsacks-2");
    berth_problem_free(problem);
    options.number = 3;
    assert_int_equal(berth_problem_read(FOLDER "knapsacks.txt", &options, &problem, &error), BERTH_E_INPUT);
    assert_non_null(strstr(error.message, "number 3 was asked for"));
    options.number = 0;
    assert_int_equal(berth_problem_read(FOLDER "knapsacks.txt", &options, &problem, &error), BERTH_E_ARGUMENT);
    options.struct_size = 1;
    assert_int_equal(berth_problem_read(FOLDER "tiny.json", &options, &problem, &error), BERTH_E_ARGUMENT);
    assert_int_equal(berth_problem_read(NULL, NULL, &problem, &error), BERTH_E_ARGUMENT);
    assert_int_equal(berth_problem_parse(NULL, 0, NULL, &problem, &error), BERTH_E_ARGUMENT);
    assert_int_equal(berth_problem_read("/no/such/file", NULL, &problem, &error), BERTH_E_IO);
    assert_int_equal(berth_problem_read("instances", NULL, &problem, &error), BERTH_E_IO);
    assert_null(problem);
    assert_ok(berth_problem_read(FOLDER "tiny.json", NULL, &problem, &error), error);
    assert_ok(berth_problem_write(problem, BERTH_PROBLEM_JSON, "/dev/null", NULL), error);
    berth_problem_free(problem);
    berth_problem_free(NULL);
}

static void test_without_readers_of_foreign_formats(void **state) {
    (void)state;
    berth_error error = {0};
    berth_problem *problem = NULL;
    static const char *const files[] = {"odd-sections.mps", "sections.lp", "diet.mod"};
    static const char *const kinds[] = {"MPS", "LP", "GMPL"};
    for (size_t k = 0; k < 3; k++) {
        char path[128];
        snprintf(path, sizeof path, FOLDER "%s", files[k]);
        assert_int_equal(berth_problem_read(path, NULL, &problem, &error), BERTH_E_BACKEND);
        assert_null(problem);
        assert_non_null(strstr(error.message, kinds[k]));
    }
}

/* ---- GMPL ---- */

static size_t open_files(void) {
    DIR *folder = opendir("/proc/self/fd");
    size_t n = 0;
    while (folder != NULL && readdir(folder) != NULL) {
        n++;
    }
    if (folder != NULL) {
        closedir(folder);
    }
    return n;
}

static void test_gmpl_writes_nothing(void **state) {
    (void)state;
    NEEDS_GLPK();
    char model[2048], path[64];
    snprintf(path, sizeof path, "%s/evil", scratch);
    snprintf(model, sizeof model,
             "set I := 1..2; var x{i in I} >= 0; minimize o: sum{i in I} i * x[i] + 1;\n"
             "s.t. c: x[1] + x[2] >= 3;\n"
             "printf \"%%s\" , \"a;b\" > \"%s\"; # printf here; too\n"
             "printf{i in I} '%%2000d\\n', i >> \"%s\";\n"
             "for {i in I} { printf \"a\" > \"%s\"; for {j in I: j > i} { display x[j]; } }\n"
             "for {i in I} for {j in I} printf \"b\" > \"%s\";\n"
             "display o; /* solve; */ solve;\n"
             "table t{i in I} OUT \"CSV\" \"%s\": i, x[i];\n"
             "printf \"done\" > \"%s\";\nend;\n",
             path, path, path, path, path, path);
    size_t before = open_files();
    berth_problem *problem = parse_as(model, BERTH_PROBLEM_GMPL);
    assert_int_equal(problem->n_vars, 2);
    assert_int_equal(problem->n_rows, 1);
    assert_close(problem->offset, 1, 0);
    assert_string_equal(problem->var_names[1], "x[2]");
    assert_int_equal(open_files(), before);
    assert_int_not_equal(access(path, F_OK), 0);
    berth_problem_free(problem);
}

static void test_gmpl_data(void **state) {
    (void)state;
    NEEDS_GLPK();
    berth_problem_read_options options = options_of(BERTH_PROBLEM_AUTO);
    berth_error error = {0};
    berth_problem *problem = NULL;
    options.data = FOLDER "shop.dat";
    assert_ok(berth_problem_read(FOLDER "shop.mod", &options, &problem, &error), error);
    assert_int_equal(problem->n_vars, 2);
    assert_string_equal(problem->name, "shop");
    berth_problem_free(problem);
    /* A mistake in the data is told as of that file. */
    FILE *file = fopen(in_scratch("wrong.dat"), "w");
    assert_non_null(file);
    fputs("data;\nset FOOD := rice;\nparam nonsense := 1;\nend;\n", file);
    fclose(file);
    char path[128];
    snprintf(path, sizeof path, "%s", in_scratch("wrong.dat"));
    options.data = path;
    assert_int_equal(berth_problem_read(FOLDER "shop.mod", &options, &problem, &error), BERTH_E_INPUT);
    assert_string_equal(error.where, path);
    assert_int_equal(error.line, 3);
    options.data = "/no/such/file";
    assert_int_equal(berth_problem_read(FOLDER "shop.mod", &options, &problem, &error), BERTH_E_IO);
    unlink(path);
}

/* An expression of many operators, and a parameter defined by itself, that a thread's usual stack would not hold. */
static void test_gmpl_recursion(void **state) {
    (void)state;
    NEEDS_GLPK();
    static const char begin[] = "param a := 0", end[] = ";\nvar x >= a; minimize o: x; end;\n";
    const size_t n = 40000;
    char *model = calloc(1, 2 * n + 200);
    assert_non_null(model);
    strcpy(model, begin);
    for (size_t k = 0; k < n; k++) {
        memcpy(model + sizeof begin - 1 + 2 * k, "+1", 2);
    }
    strcat(model, end);
    berth_problem *problem = parse_as(model, BERTH_PROBLEM_GMPL);
    assert_close(problem->lower[0], 40000, 0);
    berth_problem_free(problem);
    free(model);
    problem = parse_as("param f{i in 0..30000} := if i = 0 then 0 else f[i - 1] + 2; var x >= f[30000];\n"
                       "minimize o: x; end;\n",
                       BERTH_PROBLEM_GMPL);
    assert_close(problem->lower[0], 60000, 0);
    berth_problem_free(problem);
}

/* ---- MPS and LP ---- */

static const char mps_head[] = "NAME\nROWS\n N  c\n G  r\n L  s\nCOLUMNS\n"
                               "    x         c                    1   r                    1\n"
                               "    x         s                    2\n"
                               "    M         'MARKER'                 'INTORG'\n"
                               "    y         c                    1   s                    1\n"
                               "    z         r                    1\n"
                               "    M         'MARKER'                 'INTEND'\n"
                               "RHS\n";

static void test_mps_conventions(void **state) {
    (void)state;
    NEEDS_GLPK();
    char text[2048];
    snprintf(text, sizeof text, "%s%s", mps_head,
             "    RHS       c                    7   r                -1e30\n"
             "    RHS       s                    4\n"
             "RANGES\n    RNG       s                    3\n"
             "BOUNDS\n UP BND       x                 1e30\n PL BND       z\nENDATA\n");
    berth_problem *problem = parse_as(text, BERTH_PROBLEM_AUTO);
    assert_close(problem->offset, -7, 0); /* the negative of the right side */
    assert_true(isinf(problem->upper[0]) && !problem->is_integer[0]);
    assert_true(problem->upper[1] == 1 && problem->is_integer[1]); /* an integer without bounds is binary */
    assert_true(isinf(problem->upper[2]) && problem->is_integer[2]);
    assert_true(isinf(problem->row_lower[0]) && isinf(problem->row_upper[0])); /* >= -1e30 */
    assert_close(problem->row_lower[1], 1, 0);
    assert_close(problem->row_upper[1], 4, 0);
    assert_string_equal(problem->name, "");
    berth_problem_free(problem);
}

static void test_lp_conventions(void **state) {
    (void)state;
    NEEDS_GLPK();
    berth_problem *problem =
        parse_as("Maximise\n - 2 + 3 b - 4.5 + e1\nst\nb + e1 <= 4\nc2: b >= -1e30\nbounds\nb >= -1e31\n"
                 "e1 <= 9\nbin\ne1\nend\n",
                 BERTH_PROBLEM_LP);
    assert_true(problem->maximize && problem->n_vars == 2 && problem->n_rows == 2);
    assert_close(problem->offset, -6.5, 0);
    assert_string_equal(problem->var_names[0], "b");
    assert_true(problem->lower[0] == -(double)INFINITY && isinf(problem->row_lower[1]));
    assert_true(problem->is_integer[1] && problem->upper[1] == 9);
    berth_problem_free(problem);
    /* No objective, no rows. */
    problem = parse_as("min\nobj:\nsubject to\nc: 2 q + p >= 1\nend\n", BERTH_PROBLEM_LP);
    assert_true(problem->n_vars == 2 && problem->cost[0] == 0 && problem->n_rows == 1);
    assert_string_equal(problem->var_names[0], "q");
    assert_close(problem->value[0], 2, 0);
    berth_problem_free(problem);
    problem = parse_as("min\n 5\nst\nbounds\n1 <= q <= 2\nend\n", BERTH_PROBLEM_LP);
    assert_true(problem->n_vars == 1 && problem->n_rows == 0 && problem->offset == 5 && problem->upper[0] == 2);
    berth_problem_free(problem);
}

static void keep_warning(void *user, berth_log_level level, const char *message) {
    assert_int_equal(level, BERTH_LOG_WARNING);
    snprintf(user, 256, "%s", message);
}

static void test_warnings_reach_the_hook(void **state) {
    (void)state;
    NEEDS_GLPK();
    char text[2048], told[256] = "";
    berth_problem_read_options options = options_of(BERTH_PROBLEM_MPS_FREE);
    berth_error error = {0};
    berth_problem *problem = NULL;
    options.hooks.log = keep_warning;
    options.hooks.user = told;
    snprintf(text, sizeof text, "%s    RHS r 1\nENDATA\n", mps_head);
    char *s = strstr(text, "L  s");
    *s = 'N';
    strcpy(strstr(text, "    RHS r 1"), "    RHS s 1\nENDATA\n");
    assert_ok(berth_problem_parse(text, strlen(text), &options, &problem, &error), error);
    assert_non_null(strstr(told, ":14: non-zero right-hand side for free row 's' ignored"));
    berth_problem_free(problem);
}

/* Numbers are the same whatever decimal point the process has set. */
static void test_locale(void **state) {
    (void)state;
    if (setlocale(LC_NUMERIC, "de_DE.UTF-8") == NULL && setlocale(LC_NUMERIC, "fr_FR.UTF-8") == NULL) {
        skip();
    }
    berth_error error = {0};
    berth_problem *problem =
        parse_as("{\"format\": \"berth-mpc-1\", \"sense\": \"min\", \"variables\": [{\"name\": \"x\", "
                 "\"cost\": 1.5}]}",
                 BERTH_PROBLEM_JSON);
    assert_close(problem->cost[0], 1.5, 0);
    assert_ok(berth_problem_write(problem, BERTH_PROBLEM_LP, in_scratch("locale.lp"), &error), error);
    char *text = file_text(in_scratch("locale.lp"));
    assert_non_null(strstr(text, "1.5 x"));
    free(text);
    berth_problem_free(problem);
#ifdef BERTH_WITH_GLPK
    problem = parse_as("var x >= 0.25; minimize o: 1.5 * x; end;\n", BERTH_PROBLEM_GMPL);
    assert_close(problem->lower[0], 0.25, 0);
    assert_close(problem->cost[0], 1.5, 0);
    berth_problem_free(problem);
#endif
    unlink(in_scratch("locale.lp"));
    setlocale(LC_NUMERIC, "C");
}

/* ---- writing ---- */

/* max 1 + 2 a + 3 b: -a - b >= -4 (a packing row), 1 <= a + b <= 3, a = 2, b in [0.5, 7]. */
typedef struct sample {
    berth_problem problem;
    double cost[2], lower[2], upper[2], row_lower[3], row_upper[3], value[5];
    size_t row_start[4];
    int var_of[5];
    bool is_integer[2];
    const char *var_names[2], *row_names[3];
} sample;

static void make_sample(sample *s) {
    *s = (sample){.cost = {2, 3},
                  .lower = {0, 0.5},
                  .upper = {(double)INFINITY, 7},
                  .row_lower = {-4, 1, 2},
                  .row_upper = {(double)INFINITY, 3, 2},
                  .value = {-1, -1, 1, 1, 1},
                  .row_start = {0, 2, 4, 5},
                  .var_of = {1, 0, 0, 1, 0},
                  .is_integer = {true, false},
                  .var_names = {"a", "b"},
                  .row_names = {"room", "range", "exact"}};
    berth_problem *p = &s->problem;
    berth_problem_init(p);
    p->name = "sample";
    p->maximize = true;
    p->offset = 1;
    p->n_vars = 2;
    p->n_rows = 3;
    p->var_names = s->var_names;
    p->cost = s->cost;
    p->lower = s->lower;
    p->upper = s->upper;
    p->is_integer = s->is_integer;
    p->row_names = s->row_names;
    p->row_lower = s->row_lower;
    p->row_upper = s->row_upper;
    p->row_start = s->row_start;
    p->var_of = s->var_of;
    p->value = s->value;
}

static void test_written_texts(void **state) {
    (void)state;
    sample s;
    make_sample(&s);
    check_written(
        &s.problem, BERTH_PROBLEM_JSON,
        "{\n  \"format\": \"berth-mpc-1\",\n  \"name\": \"sample\",\n  \"sense\": \"max\",\n  \"offset\": 1,\n"
        "  \"variables\": [{ \"name\": \"a\", \"cost\": 2 }, { \"name\": \"b\", \"cost\": 3, \"upper\": 7, "
        "\"integer\": false }],\n"
        "  \"cover\": [\n"
        "    { \"name\": \"range.lo\", \"at_least\": 1, \"terms\": { \"a\": 1, \"b\": 1 } },\n"
        "    { \"name\": \"exact.lo\", \"at_least\": 2, \"terms\": { \"a\": 1 } },\n"
        "    { \"name\": \"b.lo\", \"at_least\": 0.5, \"terms\": { \"b\": 1 } }\n  ],\n"
        "  \"pack\": [\n"
        "    { \"name\": \"room\", \"at_most\": 4, \"terms\": { \"a\": 1, \"b\": 1 } },\n"
        "    { \"name\": \"range.up\", \"at_most\": 3, \"terms\": { \"a\": 1, \"b\": 1 } },\n"
        "    { \"name\": \"exact.up\", \"at_most\": 2, \"terms\": { \"a\": 1 } }\n  ]\n}\n");
    check_written(&s.problem, BERTH_PROBLEM_LP,
                  "\\ Problem name: sample\nMaximize\n obj: + 2 a + 3 b + 1\nSubject To\n room: - a - b >= -4\n"
                  " range.lo: + a + b >= 1\n range.up: + a + b <= 3\n exact: + a = 2\nBounds\n 0.5 <= b <= 7\n"
                  "General\n a\nEnd\n");
    check_written(
        &s.problem, BERTH_PROBLEM_MPS,
        "* maximisation written as minimisation: all costs are negated\nNAME          sample\nROWS\n N  obj\n"
        " G  room\n G  range\n E  exact\nCOLUMNS\n"
        "    M0000001  'MARKER'                 'INTORG'\n"
        "    a         obj                 -2\n    a         room                -1\n"
        "    a         range                1\n    a         exact                1\n"
        "    M0000002  'MARKER'                 'INTEND'\n"
        "    b         obj                 -3\n    b         room                -1\n"
        "    b         range                1\nRHS\n"
        "    RHS       obj                  1\n    RHS       room                -4\n"
        "    RHS       range                1\n    RHS       exact                2\nRANGES\n"
        "    RNG       range                2\nBOUNDS\n PL BND       a\n LO BND       b                  0.5\n"
        " UP BND       b                    7\nENDATA\n");
}

static void test_defaults_of_a_problem(void **state) {
    (void)state;
    berth_problem problem;
    static const double cost[] = {1, 0}, row_lower[] = {1}, row_upper[] = {(double)INFINITY}, value[] = {1};
    static const size_t row_start[] = {0, 1};
    static const int var_of[] = {1};
    berth_problem_init(&problem);
    problem.n_vars = 2;
    problem.cost = cost;
    problem.n_rows = 1;
    problem.row_lower = row_lower;
    problem.row_upper = row_upper;
    problem.row_start = row_start;
    problem.var_of = var_of;
    problem.value = value;
    check_written(&problem, BERTH_PROBLEM_LP, "Minimize\n obj: + x0\nSubject To\n r0: + x1 >= 1\nBounds\nEnd\n");
}

/* What a file is called decides, and a .mps that fixed columns cannot hold is free. */
static void test_format_by_name(void **state) {
    (void)state;
    sample s;
    berth_error error = {0};
    make_sample(&s);
    s.var_names[0] = "a_name_longer_than_eight";
    assert_ok(berth_problem_write(&s.problem, BERTH_PROBLEM_AUTO, in_scratch("long.mps"), &error), error);
    assert_int_equal(error.status, BERTH_OK);
    char *text = file_text(in_scratch("long.mps"));
    assert_non_null(strstr(text, "    a_name_longer_than_eight  obj"));
    free(text);
    unlink(in_scratch("long.mps"));
    check_unwritten(&s.problem, BERTH_PROBLEM_AUTO, BERTH_E_ARGUMENT, "format", "not known by the name");
    check_unwritten(&s.problem, BERTH_PROBLEM_GMPL, BERTH_E_UNSUPPORTED, "format", "not written as gmpl");
    check_unwritten(&s.problem, BERTH_PROBLEM_MPS, BERTH_E_UNSUPPORTED, s.var_names[0], "mps-free");
}

static void test_what_formats_cannot_hold(void **state) {
    (void)state;
    sample s;
    make_sample(&s);
    s.var_names[0] = "a b";
    check_unwritten(&s.problem, BERTH_PROBLEM_MPS_FREE, BERTH_E_UNSUPPORTED, "a b", "blank");
    check_unwritten(&s.problem, BERTH_PROBLEM_LP, BERTH_E_UNSUPPORTED, "a b", "letters");
    s.var_names[0] = "End";
    check_unwritten(&s.problem, BERTH_PROBLEM_LP, BERTH_E_UNSUPPORTED, "End", "meaning of its own");
    s.var_names[0] = "e3";
    check_unwritten(&s.problem, BERTH_PROBLEM_LP, BERTH_E_UNSUPPORTED, "e3", "exponent");
    s.var_names[0] = "a";
    s.value[2] = 1.0 / 3;
    check_unwritten(&s.problem, BERTH_PROBLEM_MPS, BERTH_E_UNSUPPORTED, "range", "0.3333333333333333 is longer");
    s.value[2] = 1;
    s.upper[1] = 1e31;
    check_unwritten(&s.problem, BERTH_PROBLEM_MPS_FREE, BERTH_E_UNSUPPORTED, "b", "1e30");
    check_unwritten(&s.problem, BERTH_PROBLEM_LP, BERTH_E_UNSUPPORTED, "b", "1e30");
    s.upper[1] = 7;
    s.value[3] = -1;
    check_unwritten(&s.problem, BERTH_PROBLEM_JSON, BERTH_E_UNSUPPORTED, "range", "both signs");
    s.value[3] = 1;
    s.cost[0] = -2;
    check_unwritten(&s.problem, BERTH_PROBLEM_JSON, BERTH_E_UNSUPPORTED, "a", "negative costs");
    s.cost[0] = 2;
    s.lower[1] = -1;
    check_unwritten(&s.problem, BERTH_PROBLEM_JSON, BERTH_E_UNSUPPORTED, "b", "below 0");
}

static void test_wrong_problems_are_not_written(void **state) {
    (void)state;
    sample s;
    make_sample(&s);
    s.var_of[3] = 0;
    check_unwritten(&s.problem, BERTH_PROBLEM_LP, BERTH_E_ARGUMENT, "range", "twice");
    s.var_of[3] = 2;
    check_unwritten(&s.problem, BERTH_PROBLEM_LP, BERTH_E_ARGUMENT, "var_of", "no variable");
    s.var_of[3] = 1;
    s.value[0] = (double)NAN;
    check_unwritten(&s.problem, BERTH_PROBLEM_LP, BERTH_E_ARGUMENT, "room", "not finite");
    s.value[0] = -1;
    s.row_start[1] = 5;
    check_unwritten(&s.problem, BERTH_PROBLEM_LP, BERTH_E_ARGUMENT, "row_start", "ascending");
    s.row_start[1] = 2;
    s.lower[1] = 8;
    check_unwritten(&s.problem, BERTH_PROBLEM_LP, BERTH_E_ARGUMENT, "b", "above the upper one");
    s.lower[1] = 0;
    s.row_names[2] = "room";
    check_unwritten(&s.problem, BERTH_PROBLEM_LP, BERTH_E_ARGUMENT, "room", "two rows");
    s.row_names[2] = "";
    check_unwritten(&s.problem, BERTH_PROBLEM_LP, BERTH_E_ARGUMENT, "", "empty name");
    s.row_names[2] = "\xC3";
    check_unwritten(&s.problem, BERTH_PROBLEM_JSON, BERTH_E_ARGUMENT, "\xC3", "UTF-8");
    s.problem.struct_size = 0;
    check_unwritten(&s.problem, BERTH_PROBLEM_JSON, BERTH_E_ARGUMENT, "problem", "berth_problem_init");
}

static int set_up(void **state) {
    (void)state;
    backends = all_backends();
    return mkdtemp(scratch) != NULL ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    berth_backends_free(backends);
    return rmdir(scratch);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formats_are_told_apart),
        cmocka_unit_test(test_names_of_formats),
        cmocka_unit_test(test_byte_order_marks_line_ends_and_compression),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_without_readers_of_foreign_formats),
        cmocka_unit_test(test_gmpl_writes_nothing),
        cmocka_unit_test(test_gmpl_data),
        cmocka_unit_test(test_gmpl_recursion),
        cmocka_unit_test(test_mps_conventions),
        cmocka_unit_test(test_lp_conventions),
        cmocka_unit_test(test_warnings_reach_the_hook),
        cmocka_unit_test(test_locale),
        cmocka_unit_test(test_written_texts),
        cmocka_unit_test(test_defaults_of_a_problem),
        cmocka_unit_test(test_format_by_name),
        cmocka_unit_test(test_what_formats_cannot_hold),
        cmocka_unit_test(test_wrong_problems_are_not_written),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
