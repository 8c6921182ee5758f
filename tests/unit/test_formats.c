/* The files of formats/: bytes, numbers, names, the JSON writer, instances. Malformed instances: see
 * tests/golden/test_bad_instances.c. Runs from the top folder. */
#define _POSIX_C_SOURCE 200809L
#include "tests/support/check.h"

#include <berth_io.h>

#include "base/alloc.h"
#include "base/numeric.h"
#include "base/pcg.h"
#include "formats/bytes.h"
#include "formats/instance_json.h"
#include "formats/json_write.h"
#include "formats/lines.h"
#include "formats/names.h"
#include "formulations/placement.h"

#include <glob.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

static char folder[] = "/tmp/berth-formats-XXXXXX";
static char path_text[128];

/* A path in the test's own folder; valid until the next call. */
static const char *path_of(const char *name) {
    snprintf(path_text, sizeof path_text, "%s/%s", folder, name);
    return path_text;
}

static int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) == NULL ? -1 : 0;
}

static int remove_folder(void **state) {
    (void)state;
    static const char *const names[] = {"in", "out", "in.gz", "out.gz"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        unlink(path_of(names[k]));
    }
    return rmdir(folder);
}

static void put_file(const char *name, const void *bytes, size_t length) {
    FILE *file = fopen(path_of(name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

/* ---- numbers ---- */

static void expect_number(double value, const char *expected) {
    char text[BERTH__NUMBER_ROOM];
    berth__number_text(value, text);
    assert_string_equal(text, expected);
}

static void test_numbers_are_short(void **state) {
    (void)state;
    expect_number(0, "0");
    expect_number(-0.0, "0");
    expect_number(0.1, "0.1");
    expect_number(1.0 / 3, "0.3333333333333333");
    expect_number(0.1 + 0.2, "0.30000000000000004");
    expect_number(-12, "-12");
    expect_number(999999999999999, "999999999999999");
    expect_number(1e15, "1e+15");
    expect_number(1e-12, "1e-12");
    expect_number(5e-324, "4.94065645841247e-324");
    expect_number(1.7976931348623157e308, "1.7976931348623157e+308");
}

static void test_numbers_read_back(void **state) {
    (void)state;
    berth__pcg stream = berth__pcg_seed(7, 1);
    for (int k = 0; k < 100000; k++) {
        uint64_t bits = berth__pcg_next(&stream);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) {
            continue;
        }
        char text[BERTH__NUMBER_ROOM];
        berth__number_text(value, text);
        double back = strtod(text, NULL);
        assert_memory_equal(&back, &value, sizeof value);
    }
}

/* A host program's decimal comma changes nothing. Skipped where no such locale is installed. */
static void test_comma_locale(void **state) {
    (void)state;
    static const char *const locales[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
    bool found = false;
    for (size_t k = 0; k < sizeof locales / sizeof locales[0] && !found; k++) {
        found = setlocale(LC_NUMERIC, locales[k]) != NULL;
    }
    if (!found) {
        skip();
    }
    char comma[8];
    snprintf(comma, sizeof comma, "%.1f", 0.5);
    assert_string_equal(comma, "0,5");
    berth_error error = {0};
    berth_instance *instance = NULL;
    berth_status status = berth_instance_read("instances/odd/plain.json", &instance, &error);
    char *text = NULL;
    size_t length = 0;
    if (status == BERTH_OK) {
        status = berth__instance_text(instance, &text, &length, &error);
    }
    snprintf(comma, sizeof comma, "%.1f", 0.5); /* the host's locale is as it was */
    setlocale(LC_NUMERIC, "C");
    assert_int_equal(status, BERTH_OK);
    assert_string_equal(comma, "0,5");
    assert_close(instance->jobs[0].batch, 64.5, 0);
    assert_non_null(strstr(text, "\"batch\": 64.5"));
    berth__free(text);
    berth_instance_free(instance);
}

/* ---- names ---- */

static void test_names(void **state) {
    (void)state;
    berth__names names = {0};
    char key[1000][8];
    assert_true(berth__names_init(&names, 1000));
    for (size_t k = 0; k < 1000; k++) {
        snprintf(key[k], sizeof key[k], "m-%zu", k);
        assert_int_equal(berth__names_add(&names, key[k], k), BERTH__NO_NAME);
    }
    assert_int_equal(berth__names_add(&names, "m-17", 5), 17);
    assert_int_equal(berth__names_find(&names, "m-999"), 999);
    assert_int_equal(berth__names_find(&names, "m-1000"), BERTH__NO_NAME);
    berth__names_free(&names);
}

static void test_nearest_name(void **state) {
    (void)state;
    static const char *const known[] = {"epochs", "samples", "batch", "ps"};
    assert_string_equal(berth__nearest_name("epoch", known, 4), "epochs");
    assert_string_equal(berth__nearest_name("smaples", known, 4), "samples");
    assert_string_equal(berth__nearest_name("bathc", known, 4), "batch");
    assert_null(berth__nearest_name("colour", known, 4));
    assert_null(berth__nearest_name("pt", known, 4));
    static const char *const resources[] = {"gpu", "memory_gb"};
    assert_null(berth__nearest_name("cpu", resources, 2));
    assert_string_equal(berth__nearest_name("gpus", resources, 2), "gpu");
    assert_string_equal(berth__nearest_name("memory_mb", resources, 2), "memory_gb");
    assert_null(berth__nearest_name("memory", resources, 2));
    assert_null(berth__nearest_name("", known, 0));
    assert_null(berth__nearest_name("a-word-that-is-longer-than-any-name-of-a-field", known, 4));
}

/* ---- bytes ---- */

static void expect_bytes(const char *name, size_t limit, berth_status expected, const char *part) {
    berth_error error = {0};
    char *bytes = NULL;
    size_t length = 0;
    berth_status status = berth__bytes_read(name, limit, &bytes, &length, &error);
    assert_int_equal(status, expected);
    if (status == BERTH_OK) {
        assert_string_equal(bytes, part);
        assert_int_equal(length, strlen(part));
    } else {
        assert_null(bytes);
        assert_non_null(strstr(error.message, part));
    }
    berth__free(bytes);
}

static void test_bytes(void **state) {
    (void)state;
    put_file("in", "twelve bytes", 12);
    expect_bytes(path_of("in"), 12, BERTH_OK, "twelve bytes");
    expect_bytes(path_of("in"), 11, BERTH_E_IO, "more than 11 bytes");
    expect_bytes(path_of("absent"), 12, BERTH_E_IO, "No such file");
    expect_bytes(folder, 12, BERTH_E_IO, "directory");
    expect_bytes(NULL, 12, BERTH_E_ARGUMENT, "no path");
    put_file("in", "", 0);
    expect_bytes(path_of("in"), 12, BERTH_OK, "");
}

/* A small file that unpacks to a large one is held to the limit too. */
static void test_compressed_bytes(void **state) {
    (void)state;
    static char zeros[1 << 20];
    gzFile file = gzopen(path_of("in.gz"), "wb9");
    for (int k = 0; k < 8; k++) {
        assert_int_equal(gzwrite(file, zeros, sizeof zeros), sizeof zeros);
    }
    assert_int_equal(gzclose(file), Z_OK);
    berth_error error = {0};
    char *bytes = NULL;
    size_t length = 0;
    assert_ok(berth__bytes_read(path_of("in.gz"), 8u << 20, &bytes, &length, &error), error);
    assert_int_equal(length, 8u << 20);
    berth__free(bytes);
    assert_int_equal(berth__bytes_read(path_of("in.gz"), (8u << 20) - 1, &bytes, &length, &error), BERTH_E_IO);
}

/* A member of gzip with this text, or as many bytes of its beginning, at the end of the file. */
static void append_member(const char *text, size_t cut) {
    char packed[200];
    FILE *out = fopen(path_of("in.gz"), "ab");
    assert_int_equal(berth__bytes_write(path_of("out.gz"), text, strlen(text), NULL), BERTH_OK);
    FILE *in = fopen(path_of("out.gz"), "rb");
    assert_true(out != NULL && in != NULL);
    size_t n = fread(packed, 1, sizeof packed, in);
    n = cut > 0 && cut < n ? cut : n;
    assert_int_equal(fwrite(packed, 1, n, out), n);
    assert_int_equal(fclose(in), 0);
    assert_int_equal(fclose(out), 0);
}

static void append_plain(const char *bytes, size_t n) {
    FILE *out = fopen(path_of("in.gz"), "ab");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, n, out), n);
    assert_int_equal(fclose(out), 0);
}

/* The lines of in.gz, until they end or cannot be read. */
static size_t count_lines(berth_status expected) {
    berth__lines lines;
    berth_error error;
    char *line = NULL;
    size_t n = 0;
    berth_status status = berth__lines_open(&lines, path_of("in.gz"), &error);
    while (status == BERTH_OK && (status = berth__lines_next(&lines, &line, &error)) == BERTH_OK && line != NULL) {
        n++;
    }
    assert_int_equal(status, expected);
    berth__lines_close(&lines);
    berth__lines_close(&lines); /* harmless */
    return n;
}

/* Members follow one another; what is not one of them is not passed over. */
static void test_members(void **state) {
    (void)state;
    static const char zeros[512];
    put_file("in.gz", "", 0);
    append_member("a\nb\n", 0);
    append_member("c\n", 0);
    expect_bytes(path_of("in.gz"), 100, BERTH_OK, "a\nb\nc\n");
    assert_int_equal(count_lines(BERTH_OK), 3);
    append_plain(zeros, sizeof zeros); /* as tapes do */
    expect_bytes(path_of("in.gz"), 100, BERTH_OK, "a\nb\nc\n");
    append_member("d\n", 0);
    assert_int_equal(count_lines(BERTH_OK), 4);
    append_plain("e", 1);
    expect_bytes(path_of("in.gz"), 100, BERTH_E_IO, "something follows that is not gzip");
    count_lines(BERTH_E_IO);
    put_file("in.gz", "", 0);
    append_member("a\n", 0);
    append_member("b\n", 12);
    expect_bytes(path_of("in.gz"), 100, BERTH_E_IO, "truncated");
    put_file("in.gz", "", 0);
    append_member("a\n", 0);
    append_plain("\x1f", 1);
    expect_bytes(path_of("in.gz"), 100, BERTH_E_IO, "something follows that is not gzip");
    put_file("in.gz", "\x1f", 1);
    expect_bytes(path_of("in.gz"), 100, BERTH_OK, "\x1f");
}

static void test_standard_input(void **state) {
    (void)state;
    int ends[2], saved = dup(STDIN_FILENO);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "from a pipe", 11), 11);
    close(ends[1]);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    expect_bytes("-", 100, BERTH_OK, "from a pipe");
    dup2(saved, STDIN_FILENO);
    close(saved);
}

static void test_utf8(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t length;
    } cases[] = {{"a", 1},
                 {"\xC3\xA9", 2},
                 {"\xE2\x82\xAC", 3},
                 {"\xF0\x9F\x98\x80", 4},
                 {"\xF4\x8F\xBF\xBF", 4},
                 {"\xF4\x90\x80\x80", 0},
                 {"\xED\xA0\x80", 0},
                 {"\xC0\x80", 0},
                 {"\xE0\x9F\xBF", 0},
                 {"\xF0\x8F\xBF\xBF", 0},
                 {"\x80", 0},
                 {"\xC3", 0},
                 {"\xE2\x82", 0},
                 {"\xC3(", 0},
                 {"\xFF", 0}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        assert_int_equal(berth__utf8_length(cases[k].text, strlen(cases[k].text)), cases[k].length);
    }
}

/* ---- writer ---- */

static void expect_json(berth__json_writer *writer, const char *expected) {
    berth_error error = {0};
    char *text = NULL;
    size_t length = 0;
    assert_ok(berth__json_finish(writer, &text, &length, &error), error);
    assert_string_equal(text, expected);
    assert_int_equal(length, strlen(expected));
    berth__free(text);
}

static void test_writer_values(void **state) {
    (void)state;
    static const char *const names[] = {"gpu", "cpu", "disk"};
    const double amounts[] = {1.5, 0, (double)NAN};
    berth__json_writer w;
    berth__json_begin(&w);
    berth__json_object(&w, NULL);
    berth__json_string(&w, "s", "a\"\\\n\x01\xC3\xA9/\xE2\x82");
    berth__json_number(&w, "n", (double)NAN);
    berth__json_bool(&w, "b", false);
    berth__json_null(&w, "z");
    berth__json_integer(&w, "i", -9000000000000000000);
    berth__json_uint64(&w, "u", INT64_MAX);
    berth__json_close(&w);
    expect_json(&w, "{\n  \"s\": \"a\\\"\\\\\\n\\u0001\xC3\xA9/\\ufffd\\ufffd\",\n  \"n\": null,\n  \"b\": false,\n"
                    "  \"z\": null,\n  \"i\": -9000000000000000000,\n  \"u\": 9223372036854775807\n}\n");
    berth__json_begin(&w);
    berth__json_list(&w, NULL);
    berth__json_uint64(&w, NULL, UINT64_MAX);
    berth__json_amounts(&w, NULL, 3, names, amounts, NULL);
    berth__json_amounts(&w, NULL, 3, names, amounts, berth__json_skip_zero);
    berth__json_object(&w, NULL);
    berth__json_close(&w);
    berth__json_close(&w);
    expect_json(&w, "[\"18446744073709551615\", { \"gpu\": 1.5, \"cpu\": 0, \"disk\": null }, "
                    "{ \"gpu\": 1.5, \"disk\": null }, {}]\n");
}

static void test_writer_breaks_long_lines(void **state) {
    (void)state;
    static const char *const words[] = {"a word of some length that fills the line more and more",
                                        "another word of some length that fills it for good"};
    berth__json_writer w;
    berth__json_begin(&w);
    berth__json_object(&w, NULL);
    berth__json_strings(&w, "short", 1, words);
    berth__json_object(&w, "outer");
    berth__json_strings(&w, "long", 2, words);
    berth__json_list(&w, "empty");
    berth__json_close(&w);
    berth__json_close(&w);
    berth__json_close(&w);
    expect_json(&w,
                "{\n  \"short\": [\"a word of some length that fills the line more and more\"],\n  \"outer\": {\n"
                "    \"long\": [\n      \"a word of some length that fills the line more and more\",\n"
                "      \"another word of some length that fills it for good\"\n    ],\n    \"empty\": []\n  }\n}\n");
}

static void test_writer_failures(void **state) {
    (void)state;
    berth__json_writer w;
    berth_error error = {0};
    char *text = NULL;
    size_t length = 0;
    berth__json_begin(&w);
    berth__json_object(&w, NULL);
    berth__json_number(&w, "ratio", (double)INFINITY);
    berth__json_close(&w);
    assert_int_equal(berth__json_finish(&w, &text, &length, &error), BERTH_E_ARGUMENT);
    assert_null(text);
    assert_string_equal(error.where, "ratio");
    berth__json_begin(&w);
    for (int k = 0; k < 20; k++) {
        berth__json_list(&w, NULL);
    }
    assert_int_equal(berth__json_finish(&w, &text, &length, &error), BERTH_E_INTERNAL);
}

/* ---- instances ---- */

static berth_instance *read_instance(const char *path) {
    berth_error error = {0};
    berth_instance *instance = NULL;
    assert_ok(berth_instance_read(path, &instance, &error), error);
    return instance;
}

static char *text_of(const berth_instance *instance) {
    berth_error error = {0};
    char *text = NULL;
    size_t length = 0;
    assert_ok(berth__instance_text(instance, &text, &length, &error), error);
    assert_int_equal(strlen(text), length);
    return text;
}

/* Every spelling of the instance reads as the canonical one. */
static void test_odd_spellings(void **state) {
    (void)state;
    char *plain = NULL;
    size_t length = 0;
    berth_error error = {0};
    assert_ok(berth__bytes_read("instances/odd/plain.json", BERTH__MAX_INPUT, &plain, &length, &error), error);
    glob_t files = {0};
    assert_int_equal(glob("instances/odd/*.*", 0, NULL, &files), 0);
    assert_true(files.gl_pathc >= 6);
    for (size_t k = 0; k < files.gl_pathc; k++) {
        berth_instance *instance = read_instance(files.gl_pathv[k]);
        char *text = text_of(instance);
        assert_string_equal(text, plain);
        assert_int_equal(instance->crc32, crc32(0, (const unsigned char *)plain, (unsigned)length));
        berth__free(text);
        berth_instance_free(instance);
    }
    globfree(&files);
    berth__free(plain);
}

/* Reading what was written gives the same text, and a cluster that the scheduler takes. */
static void test_shipped_instances(void **state) {
    (void)state;
    static const char *const patterns[] = {"instances/*.json", "instances/tiny/*.json"};
    glob_t files = {0};
    for (size_t k = 0; k < sizeof patterns / sizeof patterns[0]; k++) {
        glob(patterns[k], k > 0 ? GLOB_APPEND : 0, NULL, &files);
    }
    assert_true(files.gl_pathc > 0);
    for (size_t k = 0; k < files.gl_pathc; k++) {
        berth_error error = {0};
        berth_instance *instance = read_instance(files.gl_pathv[k]), *again = NULL;
        assert_ok(berth_instance_write(instance, path_of("out"), &error), error);
        again = read_instance(path_of("out"));
        char *first = text_of(instance), *second = text_of(again);
        assert_string_equal(first, second);
        assert_int_equal(instance->crc32, again->crc32);
        berth_cluster view;
        berth__cluster *cluster = NULL;
        berth_instance_cluster(instance, &view);
        assert_ok(berth__cluster_new(&view, &cluster, &error), error);
        berth__cluster_free(cluster);
        berth__free(first);
        berth__free(second);
        berth_instance_free(instance);
        berth_instance_free(again);
    }
    globfree(&files);
}

static void test_fields(void **state) {
    (void)state;
    berth_instance *instance = read_instance("instances/odd/plain.json");
    assert_string_equal(instance->name, "odd");
    assert_int_equal(instance->n_groups, 2);
    assert_int_equal(instance->n_machines, 9);
    assert_string_equal(instance->machines[0], "a100-0");
    assert_string_equal(instance->machines[7], "a100-7");
    assert_string_equal(instance->machines[8], "z");
    assert_int_equal(instance->machine_group[8], 1);
    assert_close(instance->capacity[7 * 3 + 1], 96, 0);
    assert_close(instance->capacity[8 * 3 + 1], 0.1, 0);
    assert_close(instance->capacity[8 * 3], 0, 0);
    assert_int_equal(instance->n_quotas, 2);
    assert_string_equal(instance->quotas[0].tenant, "t");
    assert_close(instance->quotas[0].amount[0], 3, 0);
    assert_true(isinf(instance->quotas[0].amount[1]));
    assert_close(instance->price_upper[0], 40, 0);
    assert_true(isnan(instance->price_upper[1]));
    assert_close(instance->price_floor, 1e-12, 0);
    const berth_job *job = &instance->jobs[1];
    assert_string_equal(job->id, "j/2 ~");
    assert_true(job->all_reduce);
    assert_null(job->ps);
    assert_int_equal(job->n_allow, 1);
    assert_int_equal(job->utility.kind, BERTH_UTILITY_STEPS);
    assert_close(job->utility.steps[1].value, 2.25, 0);
    berth_instance_free(instance);
}

#define TOP                                                                                                            \
    "{\"format\":\"berth-jobs-1\",\"name\":\"n\",\"slot_seconds\":60,\"horizon_slots\":10,\"resources\":[\"gpu\"],"    \
    "\"machines\":[{\"name\":\"m\",\"capacity\":{\"gpu\":2}}],\"jobs\":["
#define JOB(id, epochs, more)                                                                                          \
    "{\"id\":\"" id "\",\"arrival_slot\":0,\"epochs\":" epochs                                                         \
    ",\"samples\":100,\"sample_seconds\":1,\"gradient_mb\":1,"                                                         \
    "\"bandwidth_internal_mb_s\":100,\"bandwidth_external_mb_s\":100,\"ps\":null," more "}"
#define GPUS(n)  "\"worker\":{\"gpu\":" n "},"
#define WORTH(v) "\"utility\":{\"kind\":\"constant\",\"value\":" v "}"

static berth_instance *parse(const char *text) {
    berth_error error = {0};
    berth_instance *instance = NULL;
    assert_ok(berth_instance_parse(text, strlen(text), &instance, &error), error);
    return instance;
}

static void test_default_width(void **state) {
    (void)state;
    berth_instance *instance = parse(TOP JOB("a", "1", GPUS("1") "\"batch\":7.9," WORTH("1")) "," JOB(
        "b", "1",
        GPUS("1") "\"batch\":1e12," WORTH("1")) "," JOB("c", "1",
                                                        GPUS("1") "\"batch\":0.5,\"max_workers\":3," WORTH("1")) "]}");
    assert_int_equal(instance->jobs[0].max_workers, 7);
    assert_int_equal(instance->jobs[1].max_workers, 2147483647);
    assert_int_equal(instance->jobs[2].max_workers, 3);
    assert_string_equal(instance->source, "");
    assert_null(instance->price_upper);
    assert_true(isnan(instance->price_floor));
    berth_instance_free(instance);
}

typedef struct warnings {
    int n;
    char all[8192];
} warnings;

static void collect(void *user, berth_log_level level, const char *message) {
    warnings *w = user;
    assert_int_equal(level, BERTH_LOG_WARNING);
    w->n++;
    strncat(w->all, message, sizeof w->all - strlen(w->all) - 2);
    strcat(w->all, "\n");
}

static void test_warnings(void **state) {
    (void)state;
    static const char text[] = TOP JOB("fine", "1", GPUS("1") "\"batch\":4," WORTH("1")) "," JOB(
        "big", "1",
        GPUS("3") "\"batch\":4," WORTH(
            "1")) "," JOB("shut", "1",
                          GPUS("1") "\"batch\":4,\"avoid\":[\"*\"]," WORTH(
                              "1")) "," JOB("slow", "1000",
                                            GPUS("1") "\"batch\":4," WORTH(
                                                "1")) "," JOB("void", "1", GPUS("1") "\"batch\":4," WORTH("0")) "]}";
    berth_instance *instance = parse(text);
    warnings w = {0};
    berth_hooks hooks;
    berth_hooks_init(&hooks);
    hooks.user = &w;
    hooks.log = collect;
    berth_instance_warnings(instance, &hooks);
    assert_int_equal(w.n, 4);
    assert_non_null(strstr(w.all, "/jobs/1: job \"big\" will be rejected: one worker is larger"));
    assert_non_null(strstr(w.all, "/jobs/2: job \"shut\" will be rejected: allow and avoid"));
    assert_non_null(strstr(w.all, "/jobs/3: job \"slow\" will be rejected: it cannot finish"));
    assert_non_null(strstr(w.all, "/jobs/4: job \"void\" will be rejected: its utility is 0"));
    berth_instance_warnings(instance, NULL);
    berth_instance_free(instance);
}

static void test_arguments(void **state) {
    (void)state;
    berth_error error = {0};
    berth_instance *instance = NULL;
    assert_int_equal(berth_instance_read(NULL, &instance, &error), BERTH_E_ARGUMENT);
    assert_int_equal(berth_instance_parse(NULL, 0, &instance, &error), BERTH_E_ARGUMENT);
    assert_int_equal(berth_instance_parse("{", 1, &instance, NULL), BERTH_E_INPUT);
    assert_int_equal(berth_instance_parse("{}", 2, &instance, NULL), BERTH_E_INPUT);
    assert_null(instance);
    assert_int_equal(berth_instance_read("/no/such/file", &instance, &error), BERTH_E_IO);
    assert_string_equal(error.where, "/no/such/file");
    instance = read_instance("instances/odd/plain.json");
    assert_int_equal(berth_instance_write(instance, NULL, &error), BERTH_E_ARGUMENT);
    assert_int_equal(berth_instance_write(instance, "/no/such/folder/file", &error), BERTH_E_IO);
    berth_instance_free(instance);
    berth_instance_free(NULL);
}

/* Ten thousand machines of one group: names and capacities are expanded, the text stays short. */
static void test_many_machines(void **state) {
    (void)state;
    berth_instance *instance = parse(
        "{\"format\":\"berth-jobs-1\",\"name\":\"n\",\"slot_seconds\":60,\"horizon_slots\":10,\"resources\":[\"gpu\"],"
        "\"machines\":[{\"name\":\"m\",\"count\":10000,\"capacity\":{\"gpu\":2}}],\"jobs\":[]}");
    assert_int_equal(instance->n_machines, 10000);
    assert_string_equal(instance->machines[9999], "m-9999");
    char *text = text_of(instance);
    assert_true(strlen(text) < 300);
    berth__free(text);
    berth_instance_free(instance);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_are_short), cmocka_unit_test(test_numbers_read_back),
        cmocka_unit_test(test_comma_locale),      cmocka_unit_test(test_names),
        cmocka_unit_test(test_nearest_name),      cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_compressed_bytes),  cmocka_unit_test(test_members),
        cmocka_unit_test(test_standard_input),    cmocka_unit_test(test_utf8),
        cmocka_unit_test(test_writer_values),     cmocka_unit_test(test_writer_breaks_long_lines),
        cmocka_unit_test(test_writer_failures),   cmocka_unit_test(test_odd_spellings),
        cmocka_unit_test(test_shipped_instances), cmocka_unit_test(test_fields),
        cmocka_unit_test(test_default_width),     cmocka_unit_test(test_warnings),
        cmocka_unit_test(test_arguments),         cmocka_unit_test(test_many_machines),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
