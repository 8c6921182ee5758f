/* The Philly importer: every quirk of the CSV, the counts, the window, what is synthesised, and the shipped sample. */
#define _POSIX_C_SOURCE 200809L
#include "tests/support/check.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <berth_io.h>

#include "base/alloc.h"
#include "formats/instance_json.h"
#include "formulations/placement.h"
#include "workload/civil_time.h"
#include "workload/machine_spec.h"

#define HEADER "timestamp,duration,num_gpus,gpu_time,cluster\n"

static const char sample_path[] = "instances/philly/philly-sample.csv";

static char path[64]; /* the file of the running test */

static int set_up(void **state) {
    (void)state;
    snprintf(path, sizeof path, "/tmp/berth-philly-XXXXXX");
    int file = mkstemp(path);
    return file < 0 ? -1 : close(file);
}

static int tear_down(void **state) {
    (void)state;
    return unlink(path);
}

static void put(const void *bytes, size_t length) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static berth_import_options defaults(void) {
    berth_import_options options;
    berth_import_options_init(&options);
    options.slot_seconds = 100;
    return options;
}

static berth_status import_one(const char *file, const berth_import_options *options, berth_instance **out,
                               berth_import_report *report, berth_error *error) {
    return berth_import("philly-csv", &file, 1, options, out, report, error);
}

static void assert_adds_up(const berth_import_report *counts) {
    size_t skipped = 0;
    for (int k = 0; k < BERTH_N_SKIPS; k++) {
        skipped += counts->skipped[k];
        assert_true((counts->skipped[k] > 0) == (counts->first_line[k] > 0));
    }
    assert_int_equal(counts->rows, counts->imported + skipped);
}

static berth_instance *import_file(const char *file, const berth_import_options *options, berth_import_report *counts) {
    berth_instance *instance = NULL;
    berth_error error;
    assert_ok(import_one(file, options, &instance, counts, &error), error);
    assert_non_null(instance);
    assert_adds_up(counts);
    assert_int_equal(counts->imported, instance->n_jobs);
    for (size_t i = 0; i < instance->n_jobs; i++) {
        assert_ok(berth__job_validate(&instance->jobs[i], instance->n_resources, instance->resources,
                                      instance->horizon_slots, &error),
                  error);
    }
    return instance;
}

static berth_instance *import_text(const char *text, const berth_import_options *options, berth_import_report *counts) {
    put(text, strlen(text));
    return import_file(path, options, counts);
}

static void expect_failure(const char *text, const berth_import_options *options, berth_status status, long line,
                           const char *message) {
    put(text, strlen(text));
    berth_instance *instance = (berth_instance *)(uintptr_t)16;
    berth_error error = {.line = -1};
    assert_int_equal(import_one(path, options, &instance, NULL, &error), status);
    assert_null(instance);
    assert_int_equal(error.line, line);
    if (strstr(error.message, message) == NULL && strstr(error.where, message) == NULL) {
        fail_msg("expected \"%s\", got %s: %s", message, error.where, error.message);
    }
}

static char *text_of(const berth_instance *instance) {
    char *text = NULL;
    size_t length;
    berth_error error;
    assert_ok(berth__instance_text(instance, &text, &length, &error), error);
    return text;
}

static double sample_seconds(const berth_job *job, double bandwidth) {
    return job->sample_seconds + job->workers_per_ps * 2 * job->gradient_mb / (job->batch * bandwidth);
}

/* ---- the text ---- */

static const char plain[] = HEADER "2017-10-09 07:01:55,66.0,1,66.0,11cb48\n"
                                   "2017-10-09 06:13:03,2951.0,12,35412.0,6214e9\n"
                                   "2017-10-09 07:01:55,300.5,8,2404.0,11cb48\n";

/* Every way of writing the same rows gives the same instance. */
static void test_spellings(void **state) {
    (void)state;
    static const char *const spellings[] = {
        /* the other header, no line end at the end */
        "timestamp,duration(s),num_gpus,gpu_time,cluster\n2017-10-09 07:01:55,66.0,1,66.0,11cb48\n"
        "2017-10-09 06:13:03,2951.0,12,35412.0,6214e9\n2017-10-09 07:01:55,300.5,8,2404.0,11cb48",
        /* CRLF, blank lines */
        "timestamp,duration,num_gpus,gpu_time,cluster\r\n2017-10-09 07:01:55,66.0,1,66.0,11cb48\r\n\r\n"
        "2017-10-09 06:13:03,2951.0,12,35412.0,6214e9\r\n2017-10-09 07:01:55,300.5,8,2404.0,11cb48\r\n\r\n",
        /* byte order mark */
        "\xEF\xBB\xBF" HEADER "2017-10-09 07:01:55,66.0,1,66.0,11cb48\n"
        "2017-10-09 06:13:03,2951.0,12,35412.0,6214e9\n2017-10-09 07:01:55,300.5,8,2404.0,11cb48\n\n",
        /* quotes */
        "\"timestamp\",duration,num_gpus,\"gpu_time\",cluster\n\"2017-10-09 07:01:55\",\"66.0\",1,66.0,\"11cb48\"\n"
        "2017-10-09 06:13:03,2951.0,\"12\",35412.0,6214e9\n2017-10-09 07:01:55,300.5,8,2404.0,11cb48\n",
        /* another order of rows */
        HEADER "2017-10-09 07:01:55,300.5,8,2404.0,11cb48\n2017-10-09 06:13:03,2951.0,12,35412.0,6214e9\n"
               "2017-10-09 07:01:55,66.0,1,66.0,11cb48\n",
    };
    berth_import_options options = defaults();
    berth_import_report counts;
    berth_instance *expected = import_text(plain, &options, &counts);
    char *expected_text = text_of(expected);
    assert_int_equal(counts.rows, 3);
    assert_int_equal(counts.imported, 3);
    for (size_t k = 0; k < sizeof spellings / sizeof spellings[0]; k++) {
        berth_instance *instance = import_text(spellings[k], &options, &counts);
        char *text = text_of(instance);
        assert_string_equal(text, expected_text);
        assert_int_equal(counts.rows, 3);
        berth__free(text);
        berth_instance_free(instance);
    }
    berth__free(expected_text);
    berth_instance_free(expected);
}

/* gzip of HEADER "2017-10-09 07:01:55,66.0,1,66.0,11cb48\n" */
static const unsigned char gzipped[] = {
    0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x2b, 0xc9, 0xcc, 0x4d, 0x2d, 0x2e,
    0x49, 0xcc, 0x2d, 0xd0, 0x49, 0x29, 0x2d, 0x4a, 0x2c, 0xc9, 0xcc, 0xcf, 0xd3, 0xc9, 0x2b, 0xcd,
    0x8d, 0x4f, 0x2f, 0x28, 0x2d, 0xd6, 0x01, 0x12, 0xf1, 0x25, 0x40, 0x79, 0x9d, 0xe4, 0x9c, 0xd2,
    0xe2, 0x92, 0xd4, 0x22, 0x2e, 0x23, 0x03, 0x43, 0x73, 0x5d, 0x43, 0x03, 0x5d, 0x03, 0x4b, 0x05,
    0x03, 0x73, 0x2b, 0x03, 0x43, 0x2b, 0x53, 0x53, 0x1d, 0x33, 0x33, 0x3d, 0x03, 0x1d, 0x43, 0x28,
    0x65, 0x98, 0x9c, 0x64, 0x62, 0xc1, 0x05, 0x00, 0xe9, 0x9a, 0x86, 0xd9, 0x54, 0x00, 0x00, 0x00};

static void test_gzip(void **state) {
    (void)state;
    berth_import_options options = defaults();
    berth_import_report counts;
    berth_instance *expected = import_text(HEADER "2017-10-09 07:01:55,66.0,1,66.0,11cb48\n", &options, &counts);
    put(gzipped, sizeof gzipped);
    berth_instance *instance = import_file(path, &options, &counts);
    assert_int_equal(instance->crc32, expected->crc32);
    berth_instance_free(expected);
    berth_instance_free(instance);
}

static void test_columns_by_name(void **state) {
    (void)state;
    berth_import_options options = defaults();
    berth_import_report counts;
    berth_instance *instance = import_text("cluster,x,num_gpus,timestamp,duration\n"
                                           "\"a, \"\"b\"\"\",?,4,2017-01-01T00:00:00,10\n",
                                           &options, &counts);
    assert_int_equal(instance->jobs[0].max_workers, 4);
    assert_string_equal(instance->jobs[0].tenant, "a, \"b\"");
    berth_instance_free(instance);
    instance = import_text("num_gpus,timestamp,duration\n4,2017-01-01 00:00:00,1e1\n", &options, &counts);
    assert_null(instance->jobs[0].tenant);
    berth_instance_free(instance);
}

static void test_bad_headers(void **state) {
    (void)state;
    berth_import_options options = defaults();
    options.skip_bad = true; /* about rows only */
    expect_failure("", &options, BERTH_E_INPUT, 1, "empty");
    expect_failure("\n\n", &options, BERTH_E_INPUT, 0, "expected a header");
    expect_failure("\ntimestamp,duration,cluster\n", &options, BERTH_E_INPUT, 2, "no column num_gpus");
    expect_failure("timestamp,duration,duration(s),num_gpus\n", &options, BERTH_E_INPUT, 1, "two columns of duration");
    expect_failure("timestamp,\"duration,num_gpus\n", &options, BERTH_E_INPUT, 1, "quote is not closed");
    options.cluster = "a";
    expect_failure("timestamp,duration,num_gpus\n2017-01-01 00:00:00,10,4\n", &options, BERTH_E_INPUT, 0,
                   "no job is left of 1 rows: 1 of another cluster");
    expect_failure(HEADER, &options, BERTH_E_INPUT, 0, "no job is left of 0 rows");
}

static const struct {
    const char *row, *message;
} bad_rows[] = {
    {"2017-10-09 07:01:55,66.0,1,66.0", "fewer fields"},
    {"2017-10-09 07:01:55,66.0,1,66.0,a,b", "more fields"},
    {"2017-10-09,66.0,1,66.0,a", "timestamp is not YYYY-MM-DD HH:MM:SS: \"2017-10-09\""},
    {"2017-02-29 07:01:55,66.0,1,66.0,a", "timestamp"},
    {"2017-10-09 24:01:55,66.0,1,66.0,a", "timestamp"},
    {"2017-10-09 07:01:55Z,66.0,1,66.0,a", "timestamp"},
    {"None,66.0,1,66.0,a", "timestamp"},
    {"2017-10-09 07:01:55,,1,66.0,a", "duration"},
    {"2017-10-09 07:01:55,-1,1,66.0,a", "duration"},
    {"2017-10-09 07:01:55,nan,1,66.0,a", "duration"},
    {"2017-10-09 07:01:55,1e999,1,66.0,a", "duration"},
    {"2017-10-09 07:01:55,0x10,1,66.0,a", "duration"},
    {"2017-10-09 07:01:55, 66,1,66.0,a", "duration"},
    {"2017-10-09 07:01:55,66.0,1.5,66.0,a", "num_gpus"},
    {"2017-10-09 07:01:55,66.0,-1,66.0,a", "num_gpus"},
    {"2017-10-09 07:01:55,66.0,1000001,66.0,a", "num_gpus"},
    {"2017-10-09 07:01:55,66.0,one,66.0,a", "num_gpus"},
    {"2017-10-09 07:01:55,66.0,\"1,66.0,a", "a quote is not closed"},
    {"2017-10-09 07:01:55,66.0,\"1\"0,66.0,a", "text follows a closing quote"},
};
enum { N_BAD_ROWS = sizeof bad_rows / sizeof bad_rows[0] };

static void test_malformed_rows(void **state) {
    (void)state;
    berth_import_options options = defaults();
    char text[4096] = HEADER "2017-10-09 07:01:55,66.0,1,66.0,a\n";
    for (size_t k = 0; k < N_BAD_ROWS; k++) {
        char one[512];
        snprintf(one, sizeof one, HEADER "2017-10-09 07:01:55,66.0,1,66.0,a\n\n%s\n", bad_rows[k].row);
        expect_failure(one, &options, BERTH_E_INPUT, 4, bad_rows[k].message);
        strcat(text, bad_rows[k].row);
        strcat(text, "\n");
    }
    strcat(text, "2017-10-09 07:01:56,66.0,1,66.0,a\n");
    options.skip_bad = true;
    berth_import_report counts;
    berth_instance *instance = import_text(text, &options, &counts);
    assert_int_equal(counts.rows, N_BAD_ROWS + 2);
    assert_int_equal(counts.skipped[BERTH_SKIP_MALFORMED], N_BAD_ROWS);
    assert_int_equal(counts.imported, 2);
    assert_int_equal(counts.n_first_bad, 8);
    for (long k = 0; k < 8; k++) {
        assert_int_equal(counts.first_bad[k].line, 3 + k);
    }
    berth_instance_free(instance);
}

/* ---- selection ---- */

static void test_reasons(void **state) {
    (void)state;
    static const char text[] = HEADER "2017-10-09 00:05:00,10,1,10,a\n"  /* job 3 */
                                      "2017-10-09 00:00:00,10,1,10,a\n"  /* job 1, and the window's begin */
                                      "2017-10-09 00:00:00,10,1,10,a\n"  /* duplicate */
                                      "2017-10-09 00:00:00,10,0,0,a\n"   /* no GPUs */
                                      "2017-10-09 00:00:00,10,0,0,a\n"   /* duplicate */
                                      "2017-10-09 00:00:00,0.0,1,0,a\n"  /* no duration */
                                      "2017-10-08 00:00:00,10,1,10,b\n"  /* another cluster, earlier */
                                      "2017-10-09 00:00:00,20,1,20,a\n"  /* job 2: in the same second */
                                      "2017-10-09 00:10:00,30,1,30,a\n"  /* over max_jobs */
                                      "2017-10-09 12:00:00,30,1,30,a\n"  /* outside */
                                      "2017-10-09 00:00:00,0,1,0,b\n"    /* no duration, though of another cluster */
                                      "2017-10-09 00:00:00,10,0,0,a,\n"; /* malformed */
    berth_import_options options = defaults();
    options.cluster = "a";
    options.max_jobs = 3;
    options.skip_bad = true;
    berth_import_report counts;
    berth_instance *instance = import_text(text, &options, &counts);
    assert_int_equal(counts.rows, 12);
    assert_int_equal(counts.imported, 3);
    assert_int_equal(counts.skipped[BERTH_SKIP_DUPLICATE], 2);
    assert_int_equal(counts.skipped[BERTH_SKIP_NO_GPUS], 1);
    assert_int_equal(counts.skipped[BERTH_SKIP_NO_DURATION], 2);
    assert_int_equal(counts.skipped[BERTH_SKIP_OTHER_CLUSTER], 1);
    assert_int_equal(counts.skipped[BERTH_SKIP_OUTSIDE_WINDOW], 1);
    assert_int_equal(counts.skipped[BERTH_SKIP_OVER_MAX_JOBS], 1);
    assert_int_equal(counts.skipped[BERTH_SKIP_MALFORMED], 1);
    assert_int_equal(instance->jobs[0].arrival_slot, 0);
    assert_int_equal(instance->jobs[1].arrival_slot, 0);
    assert_int_equal(instance->jobs[2].arrival_slot, 3);
    assert_string_equal(instance->jobs[2].id, "j3");
    berth_instance_free(instance);
    options.cluster = "c";
    expect_failure(text, &options, BERTH_E_INPUT, 0, "6 of another cluster");
}

static void test_arrival_slots(void **state) {
    (void)state;
    static const struct {
        const char *time;
        int slot; /* -1: outside */
    } cases[] = {
        {"2017-10-08 23:59:59", -1}, {"2017-10-09 00:00:00", 0},  {"2017-10-09 00:00:01", 1},
        {"2017-10-09 00:01:40", 1},  {"2017-10-09 00:01:41", 2},  {"2017-10-09 00:15:00", 9},
        {"2017-10-09 00:15:01", -1}, {"2017-10-09 00:16:40", -1},
    };
    berth_import_options options = defaults();
    options.from = "2017-10-09";
    options.slots = 10;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char text[256];
        snprintf(text, sizeof text, HEADER "%s,10,1,10,a\n", cases[k].time);
        if (cases[k].slot < 0) {
            expect_failure(text, &options, BERTH_E_INPUT, 0, "1 outside the window");
            continue;
        }
        berth_import_report counts;
        berth_instance *instance = import_text(text, &options, &counts);
        assert_int_equal(instance->jobs[0].arrival_slot, cases[k].slot);
        berth_instance_free(instance);
    }
}

static void test_burst_keeps_all(void **state) {
    (void)state;
    char text[4096] = HEADER;
    for (int i = 1; i <= 19; i++) {
        char row[64];
        snprintf(row, sizeof row, "2017-10-09 07:01:55,%d,1,%d,a\n", i, i);
        strcat(text, row);
    }
    berth_import_options options = defaults();
    berth_import_report counts;
    berth_instance *instance = import_text(text, &options, &counts);
    assert_int_equal(instance->n_jobs, 19);
    berth_instance_free(instance);
}

/* The draws of a row depend on its content and the seed alone. */
static void test_window_does_not_reshuffle(void **state) {
    (void)state;
    static const char row[] = "2017-10-09 07:01:55,5000,4,20000,a\n";
    char text[512];
    berth_import_options options = defaults();
    berth_import_report counts;
    snprintf(text, sizeof text, HEADER "%s", row);
    berth_instance *alone = import_text(text, &options, &counts);
    snprintf(text, sizeof text, HEADER "2017-10-09 07:00:55,50,1,50,a\n%s", row);
    berth_instance *second = import_text(text, &options, &counts);
    options.seed = 2;
    berth_instance *reseeded = import_text(text, &options, &counts);
    const berth_job *a = &alone->jobs[0], *b = &second->jobs[1], *c = &reseeded->jobs[1];
    assert_int_equal(b->arrival_slot, 1);
    assert_close(a->samples, b->samples, 0);
    assert_memory_equal(a->worker, b->worker, 3 * sizeof(double));
    assert_memory_equal(a->ps, b->ps, 3 * sizeof(double));
    assert_memory_equal(a->utility.theta, b->utility.theta, sizeof a->utility.theta);
    assert_true(a->utility.theta[0] != c->utility.theta[0]);
    berth_instance_free(alone);
    berth_instance_free(second);
    berth_instance_free(reseeded);
}

/* ---- what is synthesised ---- */

static void rows_of_gpus(char *text, size_t size, int n) {
    static const int gpus[] = {1, 2, 4, 8, 12, 16, 24};
    size_t at = (size_t)snprintf(text, size, HEADER);
    for (int i = 0; i < n; i++) {
        at += (size_t)snprintf(text + at, size - at, "2017-10-09 07:%02d:%02d,%d.5,%d,1,a\n", i / 60, i % 60,
                               40 + 7 * i, gpus[i % 7]);
    }
}

static void test_work_and_demands(void **state) {
    (void)state;
    static const struct {
        const char *spec;
        size_t n;
        double capacity[4], gpus;
    } machines[] = {
        {NULL, 3, {8, 64, 512}, 8},
        {"gpu=8,cpu=64,memory_gb=512", 3, {8, 64, 512}, 8},
        {"cpu=3,gpu=5", 2, {3, 5}, 5},
        {"gpu=1", 1, {1}, 1},
        {"gpu=2.5,memory_gb=0,cpu=7,nvme_tb=1.92", 4, {2.5, 0, 7, 1.92}, 2},
    };
    static char text[16384];
    rows_of_gpus(text, sizeof text, 200);
    for (size_t m = 0; m < sizeof machines / sizeof machines[0]; m++) {
        berth_import_options options = defaults();
        options.machine = machines[m].spec;
        options.machines = 3;
        berth_import_report counts;
        berth_instance *instance = import_text(text, &options, &counts);
        assert_int_equal(instance->n_jobs, 200);
        assert_int_equal(instance->n_machines, 3);
        assert_int_equal(instance->n_resources, machines[m].n);
        for (size_t i = 0; i < instance->n_jobs; i++) {
            const berth_job *job = &instance->jobs[i];
            bool fits = job->max_workers <= machines[m].gpus;
            double speed = 1 / sample_seconds(job, fits ? job->bandwidth_internal_mb_s : job->bandwidth_external_mb_s);
            double duration = 40.5 + 7 * (double)i; /* rows are in order of time */
            assert_close(job->samples, fmax(1, round(duration * job->max_workers * speed)), 1e-12);
            assert_close(job->epochs, 1, 0);
            double servers = ceil(machines[m].gpus / job->workers_per_ps);
            for (size_t r = 0; r < machines[m].n; r++) {
                assert_close(instance->capacity[r], machines[m].capacity[r], 0);
                double full = machines[m].gpus * job->worker[r] + servers * job->ps[r];
                assert_at_most(full, instance->capacity[r], 1e-12);
                bool is_gpu = strcmp(instance->resources[r], "gpu") == 0;
                assert_true(!is_gpu || (job->worker[r] == 1 && job->ps[r] == 0));
                assert_true(is_gpu || machines[m].capacity[r] < 1 || job->worker[r] > 0);
            }
        }
        berth_instance_free(instance);
    }
}

static void test_utilities(void **state) {
    (void)state;
    static const struct {
        const char *name;
        berth_utility_kind kind;
    } rules[] = {{NULL, BERTH_UTILITY_SIGMOID},      {"pdors", BERTH_UTILITY_SIGMOID},
                 {"sigmoid", BERTH_UTILITY_SIGMOID}, {"constant", BERTH_UTILITY_CONSTANT},
                 {"linear", BERTH_UTILITY_LINEAR},   {"deadline", BERTH_UTILITY_DEADLINE}};
    static char text[16384];
    rows_of_gpus(text, sizeof text, 200);
    for (size_t k = 0; k < sizeof rules / sizeof rules[0]; k++) {
        berth_import_options options = defaults();
        options.utility = rules[k].name;
        options.slots = 1000;
        berth_import_report counts;
        berth_instance *instance = import_text(text, &options, &counts);
        size_t insensitive = 0, critical = 0;
        for (size_t i = 0; i < instance->n_jobs; i++) {
            const berth_utility *u = &instance->jobs[i].utility;
            double own = ceil((40.5 + 7 * (double)i) / 100);
            assert_int_equal(u->kind, rules[k].kind);
            double value = u->kind == BERTH_UTILITY_SIGMOID ? u->theta[0] : u->value;
            assert_true(value >= 1 && value <= 100);
            if (u->kind == BERTH_UTILITY_SIGMOID) {
                assert_true(u->theta[2] >= own && u->theta[2] <= 4 * own);
                insensitive += u->theta[1] == 0;
                critical += u->theta[1] > 4;
            } else if (u->kind != BERTH_UTILITY_CONSTANT) {
                assert_true(u->deadline_slots >= 2 * own && u->deadline_slots <= 5 * own);
            }
        }
        /* Of 200: means 20 and 70, standard deviations 4.2 and 6.7; 4 of those, so below 2e-4 each. */
        if (k < 2) {
            assert_in_range(insensitive, 3, 37);
            assert_in_range(critical, 43, 97);
        } else {
            assert_int_equal(insensitive + critical, 0);
        }
        berth_instance_free(instance);
    }
}

static void test_delays_end_with_the_horizon(void **state) {
    (void)state;
    berth_import_options options = defaults();
    options.slots = 5;
    options.utility = "linear";
    berth_import_report counts;
    berth_instance *instance = import_text(HEADER "2017-10-09 07:01:55,4628230,1,4628230,a\n", &options, &counts);
    assert_close(instance->jobs[0].utility.deadline_slots, 5, 0);
    berth_instance_free(instance);
}

static void assert_tells(const berth_instance *instance, const char *text) {
    if (strstr(instance->source, text) == NULL) {
        fail_msg("no \"%s\" in: %s", text, instance->source);
    }
}

static const char licences[] = "CSV in the format of the Philly trace (Jeon et al., USENIX ATC 2019; "
                               "github.com/msr-fiddle/philly-traces, CC-BY-4.0; as CSV by petuum/adaptdl, Apache-2.0), "
                               "whose licence holds if the rows come from there. ";

/* Where the rows come from is told of the file only: the format alone makes nobody's CSV a public trace. */
static void test_source(void **state) {
    (void)state;
    berth_import_options options = defaults();
    options.seed = 4711;
    berth_import_report counts;
    berth_instance *instance = import_text(plain, &options, &counts);
    char begin[512];
    snprintf(begin, sizeof begin, "Imported by berth from %s, %s", path + strlen("/tmp/"), licences);
    assert_int_equal(strncmp(instance->source, begin, strlen(begin)), 0);
    assert_null(strstr(instance->source, "/tmp"));
    assert_null(strstr(instance->source, "Microsoft"));
    assert_tells(instance, "Taken: all virtual clusters, 48 slots of 100 s from 2017-10-09 06:13:03, 8 machines of "
                           "gpu=8,cpu=64,memory_gb=512; 3 rows: 3 imported. Arrival, ");
    assert_tells(instance, "Synthesised, seed 4711: model (one of eight measured");
    assert_tells(instance, "workers per parameter server");
    assert_tells(instance, "Utility by the rule pdors (sigmoid: 10 % insensitive");
    assert_string_equal(instance->name, "philly");
    berth_instance_free(instance);
}

static void test_source_tells_the_selection(void **state) {
    (void)state;
    static const char text[] = HEADER "2017-10-09 00:00:00,10,1,10,a\n"
                                      "2017-10-09 00:00:00,10,1,10,a\n"
                                      "2017-10-09 00:00:00,10,0,0,a\n"
                                      "2017-10-09 00:00:00,0.0,1,0,a\n"
                                      "2017-10-09 00:00:01,10,1,10,b\n"
                                      "2017-10-09 00:00:20,20,1,20,a\n"
                                      "2017-10-09 12:00:00,30,1,30,a\n"
                                      "2017-10-09 00:00:00,10,0,0,a,\n";
    berth_import_options options = defaults();
    options.cluster = "a";
    options.from = "2017-10-08 23:59:59";
    options.slots = 7;
    options.machines = 5;
    options.machine = "disk_tb=1.92,gpu=4";
    options.max_jobs = 1;
    options.skip_bad = true;
    static const struct {
        const char *name, *told;
    } rules[] = {{"sigmoid", "rule sigmoid (all sensitive"},
                 {"constant", "rule constant."},
                 {"linear", "rule linear (0 after"},
                 {"deadline", "rule deadline (2 to 5"}};
    for (size_t k = 0; k < sizeof rules / sizeof rules[0]; k++) {
        options.utility = rules[k].name;
        berth_import_report counts;
        berth_instance *instance = import_text(text, &options, &counts);
        assert_tells(instance, "Taken: virtual cluster a, 7 slots of 100 s from 2017-10-08 23:59:59, at most the first "
                               "1 jobs, 5 machines of disk_tb=1.92,gpu=4; 8 rows: 1 imported, 1 malformed, 1 "
                               "duplicate, 1 without GPUs, 1 without duration, 1 of another cluster, 1 outside the "
                               "window, 1 beyond that number of jobs. ");
        assert_tells(instance, rules[k].told);
        berth_instance_free(instance);
    }
}

/* Names are bytes; the longest, with the longest of all else, is still told to the end. */
static void test_source_of_odd_names(void **state) {
    (void)state;
    char longest[256], cluster[201], spec[1600] = "gpu=8";
    memset(longest, 'n', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    memset(cluster, 'c', sizeof cluster - 1);
    cluster[sizeof cluster - 1] = '\0';
    for (int r = 1; r < 16; r++) {
        snprintf(spec + strlen(spec), sizeof spec - strlen(spec), ",%060d=1.2345678901234567e-200", r);
    }
    const struct {
        const char *name, *told;
    } names[] = {{"tr\xc3\xa4ge \"1\".csv", "from tr\xc3\xa4ge \"1\".csv, "},
                 {"bad\xff\xc3-\n.csv", "from bad?\?-?.csv, "},
                 {longest, longest}};
    char text[512];
    snprintf(text, sizeof text, HEADER "2017-10-09 07:01:55,66.0,1,66.0,%s\n", cluster);
    put(text, strlen(text));
    char folder[] = "/tmp/berth-philly-XXXXXX";
    assert_non_null(mkdtemp(folder));
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        char odd[512];
        snprintf(odd, sizeof odd, "%s/%s", folder, names[k].name);
        assert_int_equal(link(path, odd), 0);
        berth_import_options options = defaults();
        options.cluster = cluster;
        options.machine = spec;
        berth_import_report counts;
        berth_instance *instance = import_file(odd, &options, &counts);
        assert_int_equal(unlink(odd), 0);
        assert_tells(instance, names[k].told);
        assert_tells(instance, "critical).");
        berth_instance_free(instance);
    }
    assert_int_equal(rmdir(folder), 0);
}

/* ---- options and parts ---- */

static void test_options(void **state) {
    (void)state;
    berth_import_options options = defaults();
    options.slot_seconds = 0;
    expect_failure(plain, &options, BERTH_E_ARGUMENT, 0, "slot_seconds");
    options = defaults();
    options.slots = 0;
    expect_failure(plain, &options, BERTH_E_ARGUMENT, 0, "slots");
    options = defaults();
    options.machines = 1000001;
    expect_failure(plain, &options, BERTH_E_ARGUMENT, 0, "machines");
    options = defaults();
    options.from = "yesterday";
    expect_failure(plain, &options, BERTH_E_ARGUMENT, 0, "from");
    options = defaults();
    options.utility = "cubic";
    expect_failure(plain, &options, BERTH_E_ARGUMENT, 0, "utility");
    options = defaults();
    options.name = "";
    expect_failure(plain, &options, BERTH_E_ARGUMENT, 0, "name");
    options = defaults();
    char long_name[300] = "";
    options.cluster = memset(long_name, 'a', sizeof long_name - 1);
    expect_failure(plain, &options, BERTH_E_ARGUMENT, 0, "cluster");
    options = defaults();
    options.struct_size = 8;
    expect_failure(plain, &options, BERTH_E_ARGUMENT, 0, "options");
    static const char *const specs[] = {"",
                                        "cpu=4",
                                        "gpu",
                                        "gpu=",
                                        "=8",
                                        "gpu=8,",
                                        "gpu=0.5",
                                        "gpu=8,gpu=8",
                                        "gpu=-8",
                                        "gpu=inf",
                                        "gpu=8 cpu",
                                        "gpu=8,cpu=x",
                                        "gpu=8,cpu=1e9999"};
    for (size_t k = 0; k < sizeof specs / sizeof specs[0]; k++) {
        options = defaults();
        options.machine = specs[k];
        expect_failure(plain, &options, BERTH_E_ARGUMENT, 0, "machine");
    }
    options = defaults();
    berth_instance *instance;
    berth_error error;
    assert_int_equal(import_one("/nonexistent/trace.csv", &options, &instance, NULL, &error), BERTH_E_IO);
    assert_int_equal(import_one(NULL, &options, &instance, NULL, &error), BERTH_E_ARGUMENT);
}

static void test_civil_time(void **state) {
    (void)state;
    int64_t a, b;
    assert_true(berth__civil_time("1970-01-01", false, &a));
    assert_true(a == INT64_C(62135596800)); /* 719162 days from 0001-01-01 to 1970-01-01 */
    assert_true(berth__civil_time("2017-11-04 12:00:00", true, &a));
    assert_true(berth__civil_time("2017-11-05T12:00:00", true, &b));
    assert_true(b - a == 86400); /* though clocks changed in the trace's time zone */
    assert_true(berth__civil_time("2000-02-29", false, &a) && berth__civil_time("2000-03-01", false, &b));
    assert_true(b - a == 86400);
    assert_true(berth__civil_time("2016-12-31 23:59:59", false, &a));
    assert_true(berth__civil_time("2017-01-01", false, &b));
    assert_true(b - a == 1);
    static const char *const bad[] = {
        "",           "1900-02-29",          "2017-13-01",  "2017-00-01", "2017-01-00",       "2017-1-1",
        "0000-01-01", "2017-01-01 00:60:00", "2017-01-01 ", "17-01-01",   "2017-01-01 00:00", "2017-01-01 00:00:60"};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        assert_false(berth__civil_time(bad[k], false, &a));
    }
    assert_false(berth__civil_time("2017-01-01", true, &a));
}

/* ---- shipped files ---- */

static void test_sample(void **state) {
    (void)state;
    berth_import_options options = defaults();
    options.slot_seconds = 3600;
    options.slots = 2000;
    berth_import_report counts;
    berth_instance *instance = import_file(sample_path, &options, &counts);
    assert_int_equal(counts.skipped[BERTH_SKIP_MALFORMED], 0);
    assert_int_equal(counts.skipped[BERTH_SKIP_DUPLICATE], 17);
    assert_int_equal(counts.rows, 556);
    char *text = text_of(instance);
    berth_instance *read = NULL;
    berth_error error;
    assert_ok(berth_instance_parse(text, strlen(text), &read, &error), error);
    assert_int_equal(read->crc32, instance->crc32);
    berth__free(text);
    berth_instance_free(read);
    berth_instance_free(instance);
}

/* As instances/README.md says. */
static void test_quickstart_is_reproducible(void **state) {
    (void)state;
    berth_import_options options;
    berth_import_options_init(&options);
    options.cluster = "ee9e8c";
    options.from = "2017-10-11";
    options.slot_seconds = 7200;
    options.slots = 48;
    options.machines = 8;
    options.machine = "gpu=8,cpu=64,memory_gb=512";
    options.seed = 1;
    options.name = "quickstart";
    berth_import_report counts;
    berth_instance *instance = import_file(sample_path, &options, &counts);
    assert_int_equal(counts.imported, 58);
    char *text = text_of(instance);
    size_t length = strlen(text);
    char *shipped = calloc(length + 2, 1);
    FILE *file = fopen("instances/quickstart.json", "rb");
    if (shipped == NULL || file == NULL) {
        fail_msg("cannot read instances/quickstart.json");
        return;
    }
    assert_int_equal(fread(shipped, 1, length + 1, file), length);
    fclose(file);
    assert_string_equal(shipped, text);
    free(shipped);
    berth__free(text);
    berth_instance_free(instance);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_spellings, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_gzip, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_columns_by_name, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_bad_headers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_malformed_rows, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_reasons, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_arrival_slots, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_burst_keeps_all, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_window_does_not_reshuffle, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_work_and_demands, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_utilities, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_delays_end_with_the_horizon, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_source, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_source_tells_the_selection, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_source_of_odd_names, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_options, set_up, tear_down),
        cmocka_unit_test(test_civil_time),
        cmocka_unit_test(test_sample),
        cmocka_unit_test(test_quickstart_is_reproducible),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
