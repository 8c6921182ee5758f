/* Results, certificates, timings and reports as files. Runs from the top folder. */
#define _POSIX_C_SOURCE 200809L
#include "tests/support/check.h"

#include <berth_io.h>

#include "base/alloc.h"
#include "tests/support/own_folder.h"
#include "tests/support/schema_check.h"

#include <string.h>
#include <unistd.h>

/* An instance of two jobs on machines a-0, a-1, b; more classes and slots make a larger certificate. */
static berth_instance *make_instance(int horizon, int machines) {
    static const char job[] = "{\"id\":\"%s\",\"arrival_slot\":0,\"epochs\":1,\"samples\":1000,\"batch\":8,"
                              "\"sample_seconds\":1,\"gradient_mb\":1,\"workers_per_ps\":2,"
                              "\"bandwidth_internal_mb_s\":100,\"bandwidth_external_mb_s\":100,"
                              "\"worker\":{\"gpu\":1},\"ps\":{},\"utility\":{\"kind\":\"constant\",\"value\":3}}";
    char text[4096], one[512], two[512];
    snprintf(one, sizeof one, job, "one");
    snprintf(two, sizeof two, job, "two");
    snprintf(text, sizeof text,
             "{\"format\":\"berth-jobs-1\",\"name\":\"pair\",\"slot_seconds\":60,\"horizon_slots\":%d,"
             "\"resources\":[\"gpu\",\"cpu\"],\"machines\":[{\"name\":\"a\",\"count\":%d,\"capacity\":{\"gpu\":4}},"
             "{\"name\":\"b\",\"capacity\":{\"gpu\":1,\"cpu\":2}}],\"jobs\":[%s,%s]}",
             horizon, machines, one, two);
    berth_error error = {0};
    berth_instance *instance = NULL;
    assert_ok(berth_instance_parse(text, strlen(text), &instance, &error), error);
    return instance;
}

/* The text of the full result with its first `from` replaced by `to`, into file "other". */
static void put_variant(const char *from, const char *to) {
    char *text = get_file("run");
    char *at = strstr(text, from);
    assert_non_null(at);
    FILE *file = fopen(path_of("other"), "wb");
    assert_non_null(file);
    fprintf(file, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    assert_int_equal(fclose(file), 0);
    berth__free(text);
}

/* ---- a full result, there and back ---- */

static berth_placement placed[] = {{0, 3, 1}, {2, 1, 1}};
static const berth_slot_plan plans[] = {
    {.slot = 1, .locality = BERTH_EXTERNAL, .samples = 238.5, .n_placements = 2, .placements = placed},
    {.slot = 2, .locality = BERTH_INTERNAL, .samples = 180, .n_placements = 1, .placements = placed}};
static const double upper[] = {40.25, 0}, lower[] = {0.001, 0}, used[] = {0.41, (double)NAN};
static const int class_of[] = {0, 0, 1};
static const double duals[] = {0.4, 0, 0.1, 1e-9, 0, 0, 0, 0, 0.1 + 0.2, 0, 2, 3};
static berth_certificate certificate = {.n_classes = 2, .class_of_machine = class_of, .prices = duals};
static berth_rounding_summary rounding = {
    .problems = 12, .solved = 9, .repaired = 2, .draws = 40, .guarantee_held = 9, .why_not = "W is 0"};
static berth_placement_summary placement = {.slots = 7, .proved = 6, .worst_gap = 0.02, .mean_gap = 0.001};
static const char *const version_names[] = {"berth", "clp"}, *const version_numbers[] = {"0.1.0", "1.17.6"};

static berth_run make_run(const berth_instance *instance, const berth_run_job *jobs) {
    return (berth_run){
        .instance = "pair",
        .instance_crc32 = instance->crc32,
        .policy = "pdors",
        .seed = UINT64_MAX,
        .solver = "clp",
        .levels = 200,
        .delta = 0.1,
        .favour = "cover",
        .scale = "1.5",
        .trials = 16,
        .repair = true,
        .restart_delay_s = 0,
        .stopped = true,
        .price_upper = upper,
        .price_lower = lower,
        .price_floor = 0.01,
        .price_floored = true,
        .price_oracle = true,
        .closed_form_ratio = (double)NAN,
        .closed_form_why_not = "a lower price was raised",
        .utility = 3,
        .bounds = {.dual = 4.5, .arrival_dual = 9, .lp = (double)NAN, .exact = (double)NAN, .best = 4.5, .ratio = 1.5},
        .certificate = &certificate,
        .rounding = &rounding,
        .placement = &placement,
        .n_jobs = 2,
        .jobs = jobs,
        .summary = {.jobs = 2,
                    .admitted = 1,
                    .completed = 1,
                    .utility = 3,
                    .mean_delay_slots = 2,
                    .median_delay_slots = (double)NAN,
                    .makespan_slots = 3,
                    .utilisation = used},
        .n_resources = 2,
        .n_versions = 2,
        .version_names = version_names,
        .version_numbers = version_numbers};
}

static const berth_run_job two_jobs[] = {{.id = "one",
                                          .admitted = true,
                                          .outcome = BERTH_JOB_COMPLETED,
                                          .reason = "payoff 1.5 > 0",
                                          .completion_slot = 2,
                                          .delay_slots = 2,
                                          .utility = 3,
                                          .payoff = 1.5,
                                          .payoff_bound = 1.75,
                                          .price_paid = 1.5,
                                          .n_slots = 2,
                                          .slots = plans},
                                         {.id = "two",
                                          .outcome = BERTH_JOB_UNDECIDED,
                                          .completion_slot = -1,
                                          .delay_slots = -1,
                                          .utility = 0,
                                          .payoff = (double)NAN,
                                          .payoff_bound = (double)NAN,
                                          .price_paid = (double)NAN}};

static void check_run(const berth_run *run) {
    assert_string_equal(run->instance, "pair");
    assert_string_equal(run->policy, "pdors");
    assert_true(run->seed == UINT64_MAX);
    assert_string_equal(run->scale, "1.5");
    assert_int_equal(run->levels, 200);
    assert_true(run->repair && run->stopped && run->price_floored && run->price_oracle);
    assert_close(run->price_upper[0], 40.25, 0);
    assert_close(run->price_upper[1], 0, 0);
    assert_true(isnan(run->closed_form_ratio));
    assert_string_equal(run->closed_form_why_not, "a lower price was raised");
    assert_close(run->bounds.ratio, 1.5, 0);
    assert_true(isnan(run->bounds.lp));
    assert_null(run->bounds.void_because);
    assert_close(run->rounding->draws, 40, 0);
    assert_close(run->rounding->repaired, 2, 0);
    assert_close(run->price_floor, 0.01, 0);
    assert_memory_equal(run->placement, &placement, sizeof placement);
    assert_int_equal(run->certificate->n_classes, 2);
    assert_memory_equal(run->certificate->class_of_machine, class_of, sizeof class_of);
    assert_memory_equal(run->certificate->prices, duals, sizeof duals);
    assert_int_equal(run->jobs[1].outcome, BERTH_JOB_UNDECIDED);
    assert_true(isnan(run->jobs[1].payoff));
    assert_int_equal(run->jobs[1].completion_slot, -1);
    const berth_slot_plan *plan = &run->jobs[0].slots[0];
    assert_int_equal(plan->locality, BERTH_EXTERNAL);
    assert_close(plan->samples, 238.5, 0);
    assert_memory_equal(plan->placements, placed, sizeof placed);
    assert_true(isnan(run->summary.utilisation[1]) && isnan(run->summary.median_delay_slots));
    assert_int_equal(run->summary.makespan_slots, 3);
    assert_int_equal(run->n_versions, 2);
    assert_string_equal(run->version_numbers[1], "1.17.6");
}

static void test_there_and_back(void **state) {
    (void)state;
    berth_error error = {0};
    berth_instance *instance = make_instance(3, 2);
    berth_run run = make_run(instance, two_jobs), *back = NULL;
    assert_ok(berth_run_write(&run, instance, path_of("run"), NULL, &error), error);
    assert_ok(berth_run_read(path_of("run"), instance, &back, &error), error);
    check_run(back);
    expect_schema("berth-run-1", "run");
    assert_ok(berth_run_write(back, instance, path_of("again"), NULL, &error), error);
    char *first = get_file("run"), *second = get_file("again");
    assert_string_equal(first, second);
    berth__free(first);
    berth__free(second);
    berth_run_free(back);
    berth_instance_free(instance);
}

static berth_status read_other(const berth_instance *instance, berth_run **back, berth_error *error) {
    return berth_run_read(path_of("other"), instance, back, error);
}

/* Under bidlp a promise may be later than the completion, and the result says how hard it tried. */
static void test_promise_and_effort(void **state) {
    (void)state;
    berth_error error = {0};
    berth_instance *instance = make_instance(3, 2);
    berth_run_job jobs[] = {two_jobs[0], two_jobs[1]};
    jobs[0].completion_slot = 1;
    jobs[0].promised_slot = 2;
    jobs[1].promised_slot = -1;
    berth_run run = make_run(instance, jobs), *back = NULL;
    run.policy = "bidlp";
    for (int effort = BERTH_EFFORT_LOW; effort <= BERTH_EFFORT_HIGH; effort++) {
        run.effort = (berth_effort)effort;
        assert_ok(berth_run_write(&run, instance, path_of("run"), NULL, &error), error);
        expect_schema("berth-run-1", "run");
        char *text = get_file("run");
        assert_non_null(strstr(text, "\"promised_slot\": 2,"));
        assert_non_null(strstr(text, "\"promised_slot\": null,"));
        berth__free(text);
        assert_ok(berth_run_read(path_of("run"), instance, &back, &error), error);
        assert_int_equal(back->effort, effort);
        assert_int_equal(back->jobs[0].promised_slot, 2);
        assert_int_equal(back->jobs[0].completion_slot, 1);
        assert_int_equal(back->jobs[1].promised_slot, -1);
        berth_run_free(back);
    }
    static const char *const medium[] = {"", ", \"effort\": null", ", \"effort\": \"medium\""};
    for (size_t i = 0; i < sizeof medium / sizeof *medium; i++) {
        put_variant(",\n    \"effort\": \"high\"", medium[i]);
        expect_schema("berth-run-1", "other");
        assert_ok(read_other(instance, &back, &error), error);
        assert_int_equal(back->effort, BERTH_EFFORT_MEDIUM);
        berth_run_free(back);
    }
    put_variant("\"promised_slot\": 2,", ""); /* results of before there were promises */
    expect_schema("berth-run-1", "other");
    assert_ok(read_other(instance, &back, &error), error);
    assert_int_equal(back->jobs[0].promised_slot, -1);
    berth_run_free(back);
    run.policy = "pdors";
    assert_ok(berth_run_write(&run, instance, path_of("run"), NULL, &error), error);
    char *text = get_file("run");
    assert_null(strstr(text, "effort"));
    berth__free(text);
    berth_instance_free(instance);
}

static void test_malformed_promise_and_effort(void **state) {
    (void)state;
    static const struct {
        const char *from, *to, *where, *message;
    } cases[] = {
        {"\"effort\": \"high\"", "\"effort\": \"extreme\"", "/options/effort",
         "unknown effort \"extreme\"; known: low, medium, high"},
        {"\"effort\": \"high\"", "\"effort\": \"High\"", "/options/effort", "unknown effort"},
        {"\"effort\": \"high\"", "\"effort\": 2", "/options/effort", "expected a string"},
        {"\"effort\": \"high\"", "\"efort\": \"high\"", "/options/efort", "did you mean \"effort\""},
        {"\"promised_slot\": 2", "\"promised_slot\": 2.5", "/jobs/0/promised_slot", "integer"},
        {"\"promised_slot\": 2", "\"promised_slot\": \"2\"", "/jobs/0/promised_slot", "expected an integer"},
        {"\"promised_slot\": 2", "\"promised_slot\": 4e9", "/jobs/0/promised_slot", "out of range"},
        {"\"promised_slot\": 2", "\"promise_slot\": 2", "/jobs/0/promise_slot", "did you mean \"promised_slot\""},
    };
    berth_error error = {0};
    berth_instance *instance = make_instance(3, 2);
    berth_run_job jobs[] = {two_jobs[0], two_jobs[1]};
    jobs[0].promised_slot = 2;
    jobs[1].promised_slot = -1;
    berth_run run = make_run(instance, jobs), *back = NULL;
    run.policy = "bidlp";
    run.effort = BERTH_EFFORT_HIGH;
    assert_ok(berth_run_write(&run, instance, path_of("run"), NULL, &error), error);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char problem[256];
        put_variant(cases[i].from, cases[i].to);
        berth_status status = read_other(instance, &back, &error);
        if (status != BERTH_E_INPUT || back != NULL || strcmp(error.where, cases[i].where) != 0 ||
            strstr(error.message, cases[i].message) == NULL) {
            fail_msg("%s: got %s at %s: %s", cases[i].to, berth_status_name(status), error.where, error.message);
        }
        bool valid = schema_check_file(berth_schema("berth-run-1"), path_of("other"), problem, sizeof problem);
        assert_true(valid == (strstr(cases[i].to, "4e9") != NULL)); /* an integer to a schema */
    }
    berth_instance_free(instance);
}

static const berth_truth truth[] = {{1.25, 0.5}, {1, 3}};
static berth_estimation_summary estimation = {
    .early = 1, .late = 2, .unfinished = 3, .promises_kept = 4, .promises_broken = 5, .mean_overrun_slots = 1.5};

/* Of a run with noise; one without says nothing of it. */
static void test_noise(void **state) {
    (void)state;
    berth_error error = {0};
    berth_instance *instance = make_instance(3, 2);
    berth_run run = make_run(instance, two_jobs), *back = NULL;
    assert_ok(berth_run_write(&run, instance, path_of("run"), NULL, &error), error);
    char *text = get_file("run");
    assert_true(strstr(text, "noise") == NULL && strstr(text, "speed_factor") == NULL && strstr(text, "early") == NULL);
    berth__free(text);
    assert_ok(berth_run_read(path_of("run"), instance, &back, &error), error);
    assert_true(back->noise == 0 && back->truth == NULL && back->estimation == NULL);
    berth_run_free(back);

    estimation.worst_overrun_slots = (double)NAN;
    run.noise = 0.3;
    run.truth = truth;
    run.estimation = &estimation;
    assert_ok(berth_run_write(&run, instance, path_of("run"), NULL, &error), error);
    expect_schema("berth-run-1", "run");
    assert_ok(berth_run_read(path_of("run"), instance, &back, &error), error);
    assert_true(back->noise == 0.3);
    assert_memory_equal(back->truth, truth, sizeof truth);
    assert_true(isnan(back->estimation->worst_overrun_slots));
    back->estimation->worst_overrun_slots = estimation.worst_overrun_slots;
    assert_memory_equal(back->estimation, &estimation, sizeof estimation);
    berth_run_free(back);

    put_variant("\"speed_factor\": 1.25,", ""); /* 1 */
    assert_ok(berth_run_read(path_of("other"), instance, &back, &error), error);
    assert_true(back->truth[0].speed == 1 && back->truth[0].work == 0.5 && back->truth[1].work == 3);
    berth_run_free(back);
    static const struct {
        const char *from, *to, *where;
    } bad[] = {{"\"noise\": 0.3", "\"noise\": \"0.3\"", "/options/noise"},
               {"\"speed_factor\": 1.25", "\"speed_factor\": true", "/jobs/0/speed_factor"},
               {"\"work_factor\": 3", "\"work_factor\": []", "/jobs/1/work_factor"},
               {"\"late\": 2", "\"late\": -2", "/estimation/late"},
               {"\"early\": 1,", "", "/estimation/early"},
               {"\"early\": 1", "\"earlier\": 1", "/estimation/earlier"},
               {"\"mean_overrun_slots\": 1.5", "\"mean_overrun_slots\": \"1\"", "/estimation/mean_overrun_slots"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        put_variant(bad[i].from, bad[i].to);
        assert_int_equal(berth_run_read(path_of("other"), instance, &back, &error), BERTH_E_INPUT);
        assert_string_equal(error.where, bad[i].where);
        assert_null(back);
    }
    berth_instance_free(instance);
}

/* With a path of its own a small certificate goes there too. */
static void test_certificate_goes_to_its_path(void **state) {
    (void)state;
    berth_error error = {0};
    berth_instance *instance = make_instance(3, 2);
    berth_run run = make_run(instance, two_jobs), *back = NULL;
    assert_ok(berth_run_write(&run, instance, path_of("run"), path_of("certificate"), &error), error);
    expect_schema("berth-run-1", "run");
    expect_schema("berth-certificate-1", "certificate");
    char *text = get_file("run");
    assert_non_null(strstr(text, "\"certificate\": { \"numbers\": 12 }"));
    berth__free(text);
    assert_ok(berth_run_read(path_of("run"), instance, &back, &error), error);
    assert_null(back->certificate);
    assert_ok(berth_run_read_certificate(back, instance, path_of("certificate"), &error), error);
    assert_memory_equal(back->certificate->prices, duals, sizeof duals);
    berth_run_free(back);
    unlink(path_of("certificate"));
    run.certificate = NULL; /* nothing to put there */
    assert_ok(berth_run_write(&run, instance, path_of("again"), path_of("certificate"), &error), error);
    assert_int_equal(access(path_of("certificate"), F_OK), -1);
    berth_instance_free(instance);
}

/* Results of before repairs were counted. */
static void test_repaired_may_be_absent(void **state) {
    (void)state;
    berth_error error = {0};
    berth_instance *instance = make_instance(3, 2);
    berth_run run = make_run(instance, two_jobs), *back = NULL;
    assert_ok(berth_run_write(&run, instance, path_of("run"), NULL, &error), error);
    put_variant("\"repaired\": 2,", "");
    assert_ok(berth_run_read(path_of("other"), instance, &back, &error), error);
    assert_close(back->rounding->repaired, 0, 0);
    berth_run_free(back);
    berth_instance_free(instance);
}

/* Results of before there were other floors and configuration rounding: the floor was the instance's or 1e-12.
 */
static void test_floor_and_placement_may_be_absent(void **state) {
    (void)state;
    static const char summary[] =
        "\"placement\": { \"slots\": 7, \"proved\": 6, \"worst_gap\": 0.02, \"mean_gap\": 0.001 },";
    static const char *const none[] = {
        "", "\"placement\": null,",
        "\"placement\": { \"slots\": 0, \"proved\": 0, \"worst_gap\": null, \"mean_gap\": null },"};
    berth_error error = {0};
    berth_instance *instance = make_instance(3, 2);
    berth_run run = make_run(instance, two_jobs), *back = NULL;
    assert_ok(berth_run_write(&run, instance, path_of("run"), NULL, &error), error);
    put_variant("\"floor\": 0.01,", "");
    expect_schema("berth-run-1", "other");
    static const double given[] = {(double)NAN, 0.25}, due[] = {1e-12, 0.25};
    for (size_t i = 0; i < 2; i++) {
        instance->price_floor = given[i];
        assert_ok(berth_run_read(path_of("other"), instance, &back, &error), error);
        assert_close(back->price_floor, due[i], 0);
        berth_run_free(back);
    }
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        put_variant(summary, none[i]);
        expect_schema("berth-run-1", "other");
        assert_ok(berth_run_read(path_of("other"), instance, &back, &error), error);
        assert_close(back->price_floor, 0.01, 0);
        assert_true((back->placement == NULL) == (i < 2));
        assert_true(back->placement == NULL || isnan(back->placement->worst_gap + back->placement->mean_gap));
        berth_run_free(back);
    }
    berth_instance_free(instance);
}

/* More than 100,000 numbers: 2000 slots x 26 classes x 2 resources. */
static void test_large_certificate(void **state) {
    (void)state;
    enum { SLOTS = 2000, CLASSES = 26, NUMBERS = SLOTS * CLASSES * 2 };
    berth_error error = {0};
    berth_instance *instance = make_instance(SLOTS, CLASSES - 1);
    int own_class[CLASSES];
    double *prices = BERTH__NEW_ARRAY(double, NUMBERS);
    for (int h = 0; h < CLASSES; h++) {
        own_class[h] = CLASSES - 1 - h;
    }
    for (int k = 0; k < NUMBERS; k++) {
        prices[k] = k % 7 == 0 ? 0 : 1.0 / (1 + k);
    }
    berth_certificate large = {.n_classes = CLASSES, .class_of_machine = own_class, .prices = prices};
    berth_run run = make_run(instance, two_jobs), *back = NULL;
    run.certificate = &large;
    assert_int_equal(berth_run_write(&run, instance, path_of("run"), NULL, &error), BERTH_E_ARGUMENT);
    assert_string_equal(error.where, "certificate_path");
    assert_ok(berth_run_write(&run, instance, path_of("run"), path_of("certificate"), &error), error);
    expect_schema("berth-run-1", "run");
    expect_schema("berth-certificate-1", "certificate");
    assert_ok(berth_run_read(path_of("run"), instance, &back, &error), error);
    assert_null(back->certificate);
    assert_ok(berth_run_read_certificate(back, instance, path_of("certificate"), &error), error);
    assert_int_equal(back->certificate->n_classes, CLASSES);
    assert_memory_equal(back->certificate->class_of_machine, own_class, sizeof own_class);
    assert_memory_equal(back->certificate->prices, prices, NUMBERS * sizeof *prices);
    /* A result is no certificate, and another instance's certificate is refused. */
    assert_int_equal(berth_run_read_certificate(back, instance, path_of("run"), &error), BERTH_E_INPUT);
    assert_string_equal(error.where, "/format");
    berth_instance *other = make_instance(SLOTS, CLASSES);
    assert_int_equal(berth_run_read_certificate(back, other, path_of("certificate"), &error), BERTH_E_MISMATCH);
    assert_int_equal(back->certificate->n_classes, CLASSES);
    berth_instance_free(other);
    berth_run_free(back);
    berth__free(prices);
    berth_instance_free(instance);
}

/* ---- anybody's schedule ---- */

static void test_external(void **state) {
    (void)state;
    berth_error error = {0};
    berth_instance *instance = NULL;
    berth_run *run = NULL;
    assert_ok(berth_instance_read("instances/odd/plain.json", &instance, &error), error);
    assert_ok(berth_run_read("instances/odd/result/external.json", instance, &run, &error), error);
    assert_true(isnan(run->utility) && isnan(run->bounds.dual) && isnan(run->summary.utility));
    assert_true(run->instance_crc32 == instance->crc32);
    assert_null(run->price_upper);
    assert_null(run->certificate);
    assert_null(run->rounding);
    assert_null(run->summary.utilisation);
    const berth_run_job *job = &run->jobs[0]; /* in the instance's order, not the file's */
    assert_string_equal(job->id, "j1");
    assert_true(job->admitted);
    assert_int_equal(job->outcome, BERTH_JOB_COMPLETED);
    assert_int_equal(job->completion_slot, -1);
    assert_int_equal(job->slots[0].locality, BERTH_EXTERNAL);
    assert_int_equal(job->slots[0].placements[1].ps, 0);
    assert_int_equal(job->slots[1].locality, BERTH_INTERNAL);
    assert_true(isnan(job->slots[1].samples));
    assert_false(run->jobs[1].admitted);
    assert_int_equal(run->jobs[1].outcome, BERTH_JOB_REJECTED);
    /* It can be written again. */
    assert_ok(berth_run_write(run, instance, path_of("run"), NULL, &error), error);
    berth_run_free(run);
    assert_ok(berth_run_read(path_of("run"), instance, &run, &error), error);
    assert_null(run->summary.utilisation);
    expect_schema("berth-run-1", "run");
    berth_run_free(run);
    berth_instance_free(instance);
}

/* ---- malformed results ---- */

static void test_malformed(void **state) {
    (void)state;
    static const struct {
        const char *from, *to;
        berth_status status;
        const char *where, *message;
    } cases[] = {
        {"\"berth-run-1\"", "\"berth-jobs-1\"", BERTH_E_INPUT, "/format", "expected \"berth-run-1\""},
        {"\"instance\": \"pair\"", "\"instance\": \"trio\"", BERTH_E_MISMATCH, "/instance", "not to \"pair\""},
        {"\"instance_crc32\": \"", "\"x_y\": \"", BERTH_E_INPUT, "/instance_crc32", "missing"},
        {"\"instance_crc32\": \"", "\"instance_crc32\": \"0", BERTH_E_INPUT, "/instance_crc32", "eight hexadecimal"},
        {"\"pdors\"", "null", BERTH_E_INPUT, "/policy", "expected a string"},
        {"\"18446744073709551615\"", "\"18446744073709551616\"", BERTH_E_INPUT, "/seed", "64-bit"},
        {"\"18446744073709551615\"", "-1", BERTH_E_INPUT, "/seed", ">= 0"},
        {"\"18446744073709551615\"", "\"-1\"", BERTH_E_INPUT, "/seed", ">= 0"},
        {"\"18446744073709551615\"", "1.5", BERTH_E_INPUT, "/seed", "integer"},
        {"\"stopped\": true", "\"stopped\": 1", BERTH_E_INPUT, "/stopped", "true or false"},
        {"\"levels\"", "\"level\"", BERTH_E_INPUT, "/options/level", "did you mean \"levels\""},
        {"\"gpu\": 40.25", "\"tpu\": 40.25", BERTH_E_INPUT, "/prices/upper/tpu", "unknown resource"},
        {"\"utility\": 3", "\"utility\": \"3\"", BERTH_E_INPUT, "/utility", "expected a number"},
        {"\"proved\": 6", "\"x_proved\": 6", BERTH_E_INPUT, "/placement/proved", "missing"},
        {"\"proved\": 6", "\"proven\": 6", BERTH_E_INPUT, "/placement/proven", "did you mean \"proved\""},
        {"\"floor\": 0.01", "\"floor\": \"0.01\"", BERTH_E_INPUT, "/prices/floor", "expected a number"},
        {"\"dual\": 4.5", "\"dual\": true", BERTH_E_INPUT, "/bounds/dual", "expected a number, found true"},
        {"[\"a-0\", \"a-1\"]", "[\"a-0\"]", BERTH_E_INPUT, "/certificate/classes", "\"a-1\" is in no class"},
        {"[\"a-0\", \"a-1\"]", "[\"a-0\", \"a-1\", \"a-0\"]", BERTH_E_INPUT, "/certificate/classes/0/2", "two classes"},
        {"[\"a-0\", \"a-1\"]", "[\"a-0\", \"c\"]", BERTH_E_INPUT, "/certificate/classes/0/1", "name of a machine"},
        {"[{}, {}]", "[{}]", BERTH_E_INPUT, "/certificate/prices/1", "classes, 2; found 1"},
        {"[{}, {}],", "", BERTH_E_INPUT, "/certificate/prices", "slots, 3; found 2"},
        {"\"id\": \"two\"", "\"id\": \"one\"", BERTH_E_INPUT, "/jobs/1/id", "second entry"},
        {"\"id\": \"two\"", "\"id\": \"ten\"", BERTH_E_INPUT, "/jobs/1/id", "no job \"ten\""},
        {"\"undecided\"", "\"lost\"", BERTH_E_INPUT, "/jobs/1/outcome", "known: completed"},
        {"\"machine\": \"b\"", "\"machine\": \"c\"", BERTH_E_INPUT, "/jobs/0/slots/0/placements/1/machine",
         "no machine"},
        {"\"workers\": 3", "\"workers\": 3.5", BERTH_E_INPUT, "/jobs/0/slots/0/placements/0/workers", "integer"},
        {"\"workers\": 3", "\"workers\": 4e9", BERTH_E_INPUT, "/jobs/0/slots/0/placements/0/workers", "out of range"},
        {"\"ps\": 1", "\"x_ps\": 1", BERTH_E_INPUT, "/jobs/0/slots/0/placements/0/ps", "missing"},
        {"\"external\"", "\"abroad\"", BERTH_E_INPUT, "/jobs/0/slots/0/locality", "\"abroad\""},
        {"\"jobs\": 2", "\"jobs\": -2", BERTH_E_INPUT, "/summary/jobs", "not be negative"},
        {"\"clp\": \"1.17.6\"", "\"clp\": 1.17", BERTH_E_INPUT, "/versions/clp", "expected a string"},
    };
    berth_error error = {0};
    berth_instance *instance = make_instance(3, 2);
    berth_run run = make_run(instance, two_jobs), *back = NULL;
    assert_ok(berth_run_write(&run, instance, path_of("run"), NULL, &error), error);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        put_variant(cases[k].from, cases[k].to);
        berth_status status = berth_run_read(path_of("other"), instance, &back, &error);
        if (status != cases[k].status || back != NULL || strcmp(error.where, cases[k].where) != 0 ||
            strstr(error.message, cases[k].message) == NULL) {
            fail_msg("%s -> %s: got %s at %s: %s", cases[k].from, cases[k].to, berth_status_name(status), error.where,
                     error.message);
        }
        assert_int_equal(berth_run_read(path_of("other"), instance, &back, NULL), cases[k].status);
    }
    assert_int_equal(berth_run_read(path_of("absent"), instance, &back, &error), BERTH_E_IO);
    assert_int_equal(berth_run_read(NULL, instance, &back, &error), BERTH_E_ARGUMENT);
    berth_instance_free(instance);
}

static void test_missing_job(void **state) {
    (void)state;
    berth_error error = {0};
    berth_run *run = NULL;
    berth_instance *instance = make_instance(3, 2);
    put_file("other", "{\"format\":\"berth-run-1\",\"instance\":\"pair\",\"policy\":\"external\",\"jobs\":[{"
                      "\"id\":\"one\"}]}");
    assert_int_equal(berth_run_read(path_of("other"), instance, &run, &error), BERTH_E_INPUT);
    assert_string_equal(error.where, "/jobs");
    assert_non_null(strstr(error.message, "\"two\" of the instance is missing"));
    berth_instance_free(instance);
}

/* Another instance under the same name. */
static void test_crc_mismatch(void **state) {
    (void)state;
    berth_error error = {0};
    berth_run *back = NULL;
    berth_instance *instance = make_instance(3, 2), *other = make_instance(3, 3);
    berth_run run = make_run(instance, two_jobs);
    assert_ok(berth_run_write(&run, instance, path_of("run"), NULL, &error), error);
    assert_int_equal(berth_run_read(path_of("run"), other, &back, &error), BERTH_E_MISMATCH);
    assert_string_equal(error.where, "/instance_crc32");
    assert_null(back);
    berth_instance_free(instance);
    berth_instance_free(other);
}

/* What the checker is there to find must be readable. */
static void test_untrue_results_are_read(void **state) {
    (void)state;
    static const char *const changes[][2] = {{"\"workers\": 3", "\"workers\": -3"},
                                             {"\"workers\": 3", "\"workers\": 2000000000"},
                                             {"\"slot\": 1", "\"slot\": -7"},
                                             {"\"slot\": 1", "\"slot\": 100"},
                                             {"\"slot\": 1", "\"slot\": 2"},
                                             {"\"ps\": 1", "\"ps\": 0"},
                                             {"\"machine\": \"b\"", "\"machine\": \"a-0\""},
                                             {"\"samples\": 238.5", "\"samples\": -1e300"},
                                             {"\"completion_slot\": 2", "\"completion_slot\": null"},
                                             {"\"utility\": 3", "\"utility\": 300"},
                                             {"\"gpu\": 40.25", "\"gpu\": -40.25"},
                                             {"\"gpu\": 0.4", "\"gpu\": -0.4"},
                                             {"\"admitted\": 1", "\"admitted\": 2"}};
    berth_error error = {0};
    berth_instance *instance = make_instance(3, 2);
    berth_run run = make_run(instance, two_jobs), *back = NULL;
    assert_ok(berth_run_write(&run, instance, path_of("run"), NULL, &error), error);
    for (size_t k = 0; k < sizeof changes / sizeof changes[0]; k++) {
        put_variant(changes[k][0], changes[k][1]);
        assert_ok(berth_run_read(path_of("other"), instance, &back, &error), error);
        berth_run_free(back);
    }
    berth_instance_free(instance);
}

/* ---- timings and reports ---- */

static void test_timings(void **state) {
    (void)state;
    double us[] = {12.50001234567, (double)NAN};
    berth_timings timings = {
        .n_jobs = 2, .decision_us = us, .p50_us = 1.23456789, .p99_us = 12.5, .max_us = 12.5, .total_s = 0.1 + 0.2};
    berth_error error = {0};
    berth_instance *instance = make_instance(3, 2);
    assert_ok(berth_timings_write(&timings, instance, path_of("other"), &error), error);
    char *text = get_file("other");
    expect_schema("berth-timings-1", "other");
    assert_non_null(strstr(text, "[{ \"id\": \"one\", \"us\": 12.5 }, { \"id\": \"two\", \"us\": null }]"));
    assert_non_null(strstr(text, "\"p50_us\": 1.2346,"));
    assert_non_null(strstr(text, "\"total_s\": 0.3,"));
    berth__free(text);
    timings.n_jobs = 1;
    assert_int_equal(berth_timings_write(&timings, instance, path_of("other"), &error), BERTH_E_MISMATCH);
    berth_instance_free(instance);
}

static void test_report(void **state) {
    (void)state;
    static const berth_finding findings[] = {
        {.violated = true, .rule = "capacity", .where = "slot 3", .message = "9 > 8 \"gpu\"", .slack = -1},
        {.rule = "dual", .where = "", .message = "no certificate", .slack = (double)NAN}};
    static const char *const names[] = {"capacity", "dual"};
    static const size_t counts[] = {24, 0};
    berth_report report = {.n_violations = 1,
                           .n_findings = 2,
                           .findings = findings,
                           .n_rules = 2,
                           .rule_names = names,
                           .rule_counts = counts,
                           .utility = 3,
                           .dual = (double)NAN,
                           .ratio = (double)NAN};
    berth_error error = {0};
    assert_ok(berth_report_write(&report, path_of("other"), &error), error);
    char *text = get_file("other");
    assert_string_equal(
        text, "{\n  \"format\": \"berth-report-1\",\n  \"ok\": false,\n  \"violations\": 1,\n  \"utility\": 3,\n"
              "  \"dual\": null,\n  \"ratio\": null,\n  \"rules\": { \"capacity\": 24, \"dual\": 0 },\n  "
              "\"findings\": [\n"
              "    { \"violated\": true, \"rule\": \"capacity\", \"where\": \"slot 3\", \"message\": \"9 > 8 "
              "\\\"gpu\\\"\", "
              "\"slack\": -1 },\n"
              "    { \"violated\": false, \"rule\": \"dual\", \"where\": \"\", \"message\": \"no certificate\", "
              "\"slack\": null }\n  ]\n}\n");
    expect_schema("berth-report-1", "other");
    berth__free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_there_and_back),
        cmocka_unit_test(test_promise_and_effort),
        cmocka_unit_test(test_malformed_promise_and_effort),
        cmocka_unit_test(test_noise),
        cmocka_unit_test(test_certificate_goes_to_its_path),
        cmocka_unit_test(test_repaired_may_be_absent),
        cmocka_unit_test(test_floor_and_placement_may_be_absent),
        cmocka_unit_test(test_large_certificate),
        cmocka_unit_test(test_external),
        cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_missing_job),
        cmocka_unit_test(test_crc_mismatch),
        cmocka_unit_test(test_untrue_results_are_read),
        cmocka_unit_test(test_timings),
        cmocka_unit_test(test_report),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
