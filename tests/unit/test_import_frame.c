/* What all importers share: windows, samples, loads, machines, names, counts, streams. */
#include "tests/support/check.h"
#include "tests/support/import_case.h"
#include "tests/support/own_folder.h"

#include <stdlib.h>
#include <string.h>

#include "base/pcg.h"
#include "workload/civil_time.h"

#define TIRESIAS "job_id,num_gpu,submit_time,iterations,model_name,duration,interval\n"

/* n jobs, one every `step` seconds. */
static char *many(size_t n, int step) {
    char *text = malloc(64 * (n + 2));
    assert_non_null(text);
    size_t at = (size_t)sprintf(text, TIRESIAS);
    for (size_t i = 0; i < n; i++) {
        at += (size_t)sprintf(text + at, "%zu,1,%zu,10,vgg16,150,0\n", i, i * (size_t)step);
    }
    return text;
}

static void test_kinds(void **state) {
    (void)state;
    size_t n = 0;
    for (const char *const *kind = berth_trace_kinds(); *kind != NULL; kind++, n++) {
        assert_non_null(berth_trace_files(*kind));
        assert_non_null(berth_trace_about(*kind));
    }
    assert_int_equal(n, 13);
    assert_null(berth_trace_files("philly"));
    assert_null(berth_trace_about(NULL));
    assert_string_equal(berth_import_skip_text(BERTH_SKIP_NO_GPUS), "without GPUs");
    assert_string_equal(berth_import_made_text(BERTH_MADE_UTILITY), "utility");
    berth_import_options options = import_defaults();
    import_refused("philly", TIRESIAS, NULL, &options, BERTH_E_ARGUMENT, 0, "no kind of trace \"philly\"");
    import_refused("dlrm", TIRESIAS, TIRESIAS, &options, BERTH_E_ARGUMENT, 0, "dlrm takes FILE");
    berth_instance *instance;
    berth_error error;
    const char *const streams[] = {"-", "-"};
    assert_int_equal(berth_import("openb", streams, 2, &options, &instance, NULL, &error), BERTH_E_ARGUMENT);
    assert_non_null(strstr(error.message, "standard input"));
    assert_int_equal(berth_import("openb", NULL, 2, &options, &instance, NULL, &error), BERTH_E_ARGUMENT);
    assert_int_equal(berth_import("openb", streams, 0, &options, &instance, NULL, &error), BERTH_E_ARGUMENT);
}

static void test_windows(void **state) {
    (void)state;
    char *text = many(100, 50);
    berth_import_options options = import_defaults();
    berth_import_report report;
    /* [1000, 2000): jobs 20 to 39, and a horizon of ten slots. Job 39 arrives in slot ceil(950 / 100) = 10: outside. */
    options.from = "1000";
    options.to = "2000s";
    options.slots = 0;
    berth_instance *instance = import_text("tiresias", text, NULL, &options, &report);
    assert_int_equal(instance->horizon_slots, 10);
    assert_int_equal(report.jobs, 19);
    assert_string_equal(instance->jobs[0].id, "20");
    assert_int_equal(import_job(instance, "23")->arrival_slot, 2);
    assert_non_null(strstr(instance->source, "10 slots of 100 s from 1000, jobs submitted before 2000s, "));
    berth_instance_free(instance);
    /* With slots of its own the horizon is longer than the window. */
    options.slots = 60;
    instance = import_text("tiresias", text, NULL, &options, &report);
    assert_int_equal(instance->horizon_slots, 60);
    assert_int_equal(report.jobs, 20);
    assert_int_equal(report.skipped[BERTH_SKIP_OUTSIDE_WINDOW], 80);
    assert_int_equal(report.first_line[BERTH_SKIP_OUTSIDE_WINDOW], 2);
    assert_int_equal(import_run(instance), 20);
    berth_instance_free(instance);
    /* Without a begin: from the first job. */
    options.from = NULL;
    options.to = "0.5h";
    options.slots = 0;
    instance = import_text("tiresias", text, NULL, &options, &report);
    assert_int_equal(instance->horizon_slots, 18);
    assert_string_equal(report.first_time, "0 s");
    assert_string_equal(report.last_time, "4950 s");
    berth_instance_free(instance);
    free(text);
}

static void test_bad_windows(void **state) {
    (void)state;
    char *text = many(10, 50);
    berth_import_options options = import_defaults();
    options.slots = 0;
    import_refused("tiresias", text, NULL, &options, BERTH_E_ARGUMENT, 0, "slots");
    static const char *const times[] = {"", "x", "10x", "1e3q", "2017-10-09", "1e300", "d"};
    for (size_t k = 0; k < sizeof times / sizeof times[0]; k++) {
        options = import_defaults();
        options.from = times[k];
        import_refused("tiresias", text, NULL, &options, BERTH_E_ARGUMENT, 0, "from");
        options.from = NULL;
        options.to = times[k];
        import_refused("tiresias", text, NULL, &options, BERTH_E_ARGUMENT, 0, "to");
    }
    options.from = "100";
    options.to = "100";
    import_refused("tiresias", text, NULL, &options, BERTH_E_ARGUMENT, 0, "not after the begin");
    options = import_defaults();
    options.slots = 0;
    options.slot_seconds = 1e-3;
    options.to = "1d";
    import_refused("tiresias", text, NULL, &options, BERTH_E_ARGUMENT, 0, "the window has");
    free(text);
}

/* Of 2000 jobs at 0.3: mean 600, standard deviation 20.5; 5 of those, so below 1e-6. */
static void test_samples(void **state) {
    (void)state;
    char *text = many(2000, 1);
    berth_import_options options = import_defaults();
    berth_import_report report;
    options.sample = 0.3;
    berth_instance *instance = import_text("tiresias", text, NULL, &options, &report);
    assert_in_range(report.jobs, 498, 702);
    assert_int_equal(report.skipped[BERTH_SKIP_NOT_SAMPLED], 2000 - report.jobs);
    /* A larger sample has the smaller one in it, and jobs are the same in both; another seed takes others. */
    options.sample = 0.5;
    berth_instance *larger = import_text("tiresias", text, NULL, &options, &report);
    for (size_t i = 0; i < instance->n_jobs; i++) {
        const berth_job *job = import_job(larger, instance->jobs[i].id);
        assert_close(job->samples, instance->jobs[i].samples, 0);
        assert_close(job->utility.theta[0], instance->jobs[i].utility.theta[0], 0);
    }
    options.sample = 0.3;
    options.seed = 2;
    berth_instance *other = import_text("tiresias", text, NULL, &options, &report);
    assert_true(other->crc32 != instance->crc32);
    berth_instance_free(instance);
    berth_instance_free(larger);
    berth_instance_free(other);
    static const double bad[] = {0, -1, 1.5, (double)NAN};
    for (size_t k = 0; k < 4; k++) {
        options.sample = bad[k];
        import_refused("tiresias", text, NULL, &options, BERTH_E_ARGUMENT, 0, "sample");
    }
    free(text);
}

static void test_scaled_load(void **state) {
    (void)state;
    char *text = many(200, 50);
    berth_import_options options = import_defaults();
    berth_import_report plain, doubled;
    berth_instance *as_it_is = import_text("tiresias", text, NULL, &options, &plain);
    options.scale_load = 2;
    berth_instance *instance = import_text("tiresias", text, NULL, &options, &doubled);
    /* 48 slots of 100 s hold jobs until 4700 s, at twice the load until 9400 s. */
    assert_int_equal(plain.jobs, 95);
    assert_int_equal(doubled.jobs, 189);
    for (size_t i = 0; i < instance->n_jobs; i++) {
        assert_int_equal(instance->jobs[i].arrival_slot, ((int)i * 50 / 2 + 99) / 100);
    }
    assert_non_null(strstr(instance->source, "arrivals 2 times as fast, "));
    berth_instance_free(as_it_is);
    berth_instance_free(instance);
    options.scale_load = 0;
    import_refused("tiresias", text, NULL, &options, BERTH_E_ARGUMENT, 0, "scale_load");
    free(text);
}

/* Some files repeat an id. */
static void test_repeated_ids(void **state) {
    (void)state;
    berth_import_options options = import_defaults();
    berth_import_report report;
    berth_instance *instance = import_text("tiresias",
                                           TIRESIAS "10,1,0,10,vgg16,150,0\n"
                                                    "10,1,1,10,vgg16,150,0\n"
                                                    "10#2,1,2,10,vgg16,150,0\n"
                                                    ",1,3,10,vgg16,150,0\n"
                                                    "10,1,4,10,vgg16,150,0\n"
                                                    "10,1,0,10,vgg16,150,0", /* the first again */
                                           NULL, &options, &report);
    static const char *const ids[] = {"10", "10#2", "10#2#2", "j4", "10#3"};
    assert_int_equal(instance->n_jobs, 5);
    assert_int_equal(report.skipped[BERTH_SKIP_DUPLICATE], 1);
    assert_int_equal(report.first_line[BERTH_SKIP_DUPLICATE], 7);
    for (size_t i = 0; i < 5; i++) {
        assert_string_equal(instance->jobs[i].id, ids[i]);
    }
    berth_instance_free(instance);
}

static void test_many_repeated_ids(void **state) {
    (void)state;
    enum { N = 20000 };
    char *text = malloc(64 * N);
    assert_non_null(text);
    size_t at = (size_t)sprintf(text, TIRESIAS);
    for (int i = 0; i < N; i++) {
        at += (size_t)sprintf(text + at, "a,1,%d,10,vgg16,150,0\n", i / 10 % 3);
    }
    berth_import_options options = import_defaults();
    berth_import_report report;
    berth_instance *instance = import_text("tiresias", text, NULL, &options, &report);
    assert_int_equal(instance->n_jobs, 3); /* all others are equal in every field */
    berth_instance_free(instance);
    at = (size_t)sprintf(text, TIRESIAS);
    for (int i = 0; i < N; i++) {
        at += (size_t)sprintf(text + at, "a,1,%d,10,vgg16,%d,0\n", i / 10 % 3, 1 + i);
    }
    instance = import_text("tiresias", text, NULL, &options, &report);
    assert_int_equal(instance->n_jobs, N);
    assert_string_equal(instance->jobs[N - 1].id, "a#20000");
    berth_instance_free(instance);
    free(text);
}

/* ---- machines ---- */

static const char nodes[] = "sn,cpu_milli,memory_mib,gpu,model\n"
                            "a,96000,393216,8,G2\n"
                            "b,32000,262144,0,\n"
                            "c,96000,393216,8,G2\n"
                            "d,64000,262144,2,T4\n"
                            "e,128000,786432,8,G2\n"
                            "f,96000,393216,8,\"G 2|x\"\n";
static const char pods[] = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,"
                           "deletion_time,scheduled_time\n"
                           "p0,12000,16384,1,1000,,LS,Running,0,500,10\n"
                           "p1,6000,12288,1,460,G2|T4,LS,Running,10,900,10\n"
                           "p2,8000,12288,0,0,T4,BE,Running,20,900,30\n"
                           "p3,8000,12288,2,1000,T4,BE,Running,20,900,30\n";

static void test_list_of_machines(void **state) {
    (void)state;
    berth_import_options options = import_defaults();
    berth_import_report report;
    berth_instance *instance = import_text("openb", pods, nodes, &options, &report);
    static const char *const names[] = {"cpu.1", "G_2_x.1", "G2.1", "G2.2-0", "G2.2-1", "T4.1"};
    assert_int_equal(instance->n_machines, 6);
    for (size_t h = 0; h < 6; h++) {
        assert_string_equal(instance->machines[h], names[h]);
    }
    const double *big = &instance->capacity[2 * 3], *cpu = instance->capacity;
    assert_close(big[0], 8, 0);
    assert_close(big[1], 128, 0);
    assert_close(big[2], 768, 0);
    assert_close(cpu[0], 0, 0);
    assert_close(cpu[1], 32, 0);
    const berth_job *job = import_job(instance, "p1");
    assert_true(import_allows(job, "G2.1") && import_allows(job, "G2.2-1") && import_allows(job, "T4.1"));
    assert_true(!import_allows(job, "cpu.1") && !import_allows(job, "G_2_x.1"));
    assert_int_equal(import_job(instance, "p0")->n_allow, 0);
    assert_int_equal(import_job(instance, "p2")->n_allow, 0); /* without GPUs, whatever its types */
    assert_true(!import_allows(import_job(instance, "p3"), "G2.1"));
    assert_non_null(strstr(instance->source, "6 machines of the trace's list"));
    assert_int_equal(import_run(instance), 4);
    berth_instance_free(instance);
    /* Without a list there are no types to allow. */
    instance = import_text("openb", pods, NULL, &options, &report);
    assert_int_equal(import_job(instance, "p1")->n_allow, 0);
    assert_string_equal(instance->machines[0], "node-0");
    assert_int_equal(instance->n_machines, 8);
    berth_instance_free(instance);
}

/* As many types as a job can name, and one more. */
static void test_many_types(void **state) {
    (void)state;
    char types[512] = "T0", row[1024];
    for (int k = 1; k < 33; k++) {
        berth_import_options options = import_defaults();
        snprintf(types + strlen(types), sizeof types - strlen(types), "|T%d", k);
        snprintf(row, sizeof row, "%sp,6000,12288,1,460,%s,LS,Running,10,900,10\n", pods, types);
        if (k < 32) {
            berth_import_report report;
            berth_instance *instance = import_text("openb", row, nodes, &options, &report);
            assert_int_equal(import_job(instance, "p")->n_allow, k + 1);
            berth_instance_free(instance);
        } else {
            import_refused("openb", row, nodes, &options, BERTH_E_INPUT, 6,
                           "gpu_spec is not a list of at most 32 GPU types");
        }
    }
}

static void test_fewer_machines(void **state) {
    (void)state;
    char text[8192];
    size_t at = (size_t)sprintf(text, "sn,cpu_milli,memory_mib,gpu,model\n");
    for (int i = 0; i < 90; i++) {
        at += (size_t)sprintf(text + at, "n%d,%d000,393216,%d,%s\n", i, i % 3 == 0 ? 96 : 64, i % 3 == 0 ? 8 : 2,
                              i % 3 == 0 ? "G2" : "T4");
    }
    berth_import_options options = import_defaults();
    berth_import_report report;
    for (size_t n = 1; n <= 95; n += n < 5 ? 1 : 5) {
        options.machines = n;
        berth_instance *instance = import_text("openb", pods, text, &options, &report);
        assert_int_equal(instance->n_machines, n < 90 ? n : 90);
        size_t large = 0;
        for (size_t h = 0; h < instance->n_machines; h++) {
            large += instance->capacity[3 * h] == 8;
        }
        assert_true(fabs((double)large - (double)instance->n_machines / 3) < 1);
        berth_instance_free(instance);
    }
    options.machine = "gpu=8";
    import_refused("openb", pods, text, &options, BERTH_E_ARGUMENT, 0, "come from the trace's list");
    options.machine = NULL;
    options.machines = 1;
    import_refused("openb", pods, nodes, &(berth_import_options){0}, BERTH_E_ARGUMENT, 0, "options");
    import_refused("openb", pods, "sn,cpu_milli,memory_mib,gpu,model\nb,32000,262144,0,\n", &options, BERTH_E_INPUT, 0,
                   "no machine has a GPU");
    import_refused("openb", pods,
                   "sn,cpu_milli,memory_mib,gpu,model\na,1,1,0,\nb,1,1,0,\nc,1,1,0,\nd,96000,393216,8,G2\n", &options,
                   BERTH_E_ARGUMENT, 0, "too few");
    /* Lists must be right, also with skip_bad. */
    options.skip_bad = true;
    import_refused("openb", pods, "sn,cpu_milli,memory_mib,gpu,model\na,1,1,0,\nb,1,1,eight,\n", &options,
                   BERTH_E_INPUT, 3, "gpu is not a whole number");
}

/* ---- what is told ---- */

static void test_first_bad_rows(void **state) {
    (void)state;
    char text[4096];
    size_t at = (size_t)sprintf(text, "\xEF\xBB\xBF" TIRESIAS "0,1,0,10,vgg16,150,0\r\n");
    for (int i = 0; i < 20; i++) {
        at += (size_t)sprintf(text + at, "%d,%s,0,10,\xc3\xa4\x01%0100d,150,0\r\n", i, i % 2 ? "1" : "one", i);
    }
    berth_import_options options = import_defaults();
    berth_import_report report;
    import_refused("tiresias", text, NULL, &options, BERTH_E_INPUT, 3,
                   "num_gpu is not a whole number from 0 to 1000000: \"one\"");
    options.skip_bad = true;
    berth_instance *instance = import_text("tiresias", text, NULL, &options, &report);
    assert_int_equal(report.skipped[BERTH_SKIP_MALFORMED], 10);
    assert_int_equal(report.n_first_bad, 8);
    assert_int_equal(report.first_bad[7].line, 17);
    assert_int_equal(strncmp(report.first_bad[0].text, "0,one,0,10,\xc3\xa4?000", 17), 0);
    assert_int_equal(report.jobs, 11);
    berth_instance_free(instance);
}

static void test_civil_text(void **state) {
    (void)state;
    static const char *const times[] = {"0001-01-01 00:00:00", "1600-12-31 23:59:59", "1970-01-01 00:00:00",
                                        "2000-02-29 12:34:56", "2016-12-31 23:59:59", "2017-03-01 00:00:01",
                                        "9999-12-31 23:59:59"};
    char text[BERTH__CIVIL_ROOM];
    int64_t seconds, other;
    for (size_t k = 0; k < sizeof times / sizeof times[0]; k++) {
        assert_true(berth__civil_time(times[k], true, &seconds));
        berth__civil_text(seconds, text);
        assert_string_equal(text, times[k]);
    }
    assert_true(berth__civil_time("9999-12-31", false, &seconds));
    berth__pcg stream = berth__pcg_key(1, (uint64_t[]){1});
    for (int k = 0; k < 20000; k++) {
        int64_t t = berth__pcg_integer(&stream, 0, seconds);
        berth__civil_text(t, text);
        assert_true(berth__civil_time(text, true, &other) && other == t);
    }
    assert_true(berth__civil_time_zoned("2023-03-01 00:18:22+08:00", &seconds));
    assert_true(berth__civil_time("2023-02-28 16:18:22", true, &other) && other == seconds);
    assert_true(berth__civil_time_zoned("2023-02-28T11:48:22-0430", &seconds) && other == seconds);
    assert_true(berth__civil_time_zoned("2023-02-28 16:18:22Z", &seconds) && other == seconds);
    assert_true(berth__civil_time_zoned("2023-02-28 16:18:22", &seconds) && other == seconds);
    static const char *const bad[] = {"2023-02-28 16:18:22 UTC",
                                      "2023-02-28 16:18:22+8:00",
                                      "2023-02-28 16:18:22+08:60",
                                      "2023-02-28 16:18:22+",
                                      "2023-02-28",
                                      "2023-02-30 16:18:22+08:00",
                                      "2023-02-28 16:18:22+24:00"};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        assert_false(berth__civil_time_zoned(bad[k], &seconds));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_windows),
        cmocka_unit_test(test_bad_windows),
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_scaled_load),
        cmocka_unit_test(test_repeated_ids),
        cmocka_unit_test(test_many_repeated_ids),
        cmocka_unit_test(test_list_of_machines),
        cmocka_unit_test(test_many_types),
        cmocka_unit_test(test_fewer_machines),
        cmocka_unit_test(test_first_bad_rows),
        cmocka_unit_test(test_civil_text),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
