/* Importers of simulators' traces: gavel, shockwave, tiresias, muri, pollux. Every quirk of the formats, by files made
 * for it. */
#include "tests/support/check.h"
#include "tests/support/import_case.h"
#include "tests/support/own_folder.h"

#include <stdlib.h>
#include <string.h>

#include "base/pcg.h"
#include "workload/model_sizes.h"

static double sample_seconds(const berth_job *job, double bandwidth) {
    return job->sample_seconds + job->workers_per_ps * 2 * job->gradient_mb / (job->batch * bandwidth);
}

/* Seconds that the job takes at full width, at the locality that 8 GPUs a machine give. */
static double full_width_s(const berth_job *job) {
    double bandwidth = job->max_workers <= 8 ? job->bandwidth_internal_mb_s : job->bandwidth_external_mb_s;
    return job->samples * sample_seconds(job, bandwidth) / job->max_workers;
}

/* ---- gavel ---- */

#define LONG(type, steps, gpus, arrival)                                                                               \
    type "\tcd %s/x && python3 a.py --data_dir=%s/y --n 3 \tdir\t--num_steps\t1\t" steps "\t" gpus                     \
         "\t1\t-1.000000\t" arrival "\n"
#define SHORT(type, steps, gpus, arrival) type "\tpython3 \"a.py\" -n\t-n\t1\t" steps "\t" arrival "\t" gpus "\n"

static void test_gavel(void **state) {
    (void)state;
    berth_import_options options = import_defaults();
    berth_import_report report;
    options.slots = 1000;
    static const char rows[] = LONG("ResNet-50 (batch size 64)", "87900", "2", "0") LONG("A3C", "7176", "1", "0")
        LONG("ResNet-50 (batch size 64)", "87900", "2", "0") LONG("LM (batch size 80)", "23120", "12", "250.5")
            LONG("LM (batch size 80)", "0", "12", "250.5") LONG("LM (batch size 80)", "100", "0", "250.5");
    berth_instance *instance = import_text("gavel", rows, NULL, &options, &report);
    assert_int_equal(report.rows, 6);
    assert_int_equal(report.jobs, 4); /* rows that are alike are jobs of their own: traces have no ids */
    assert_int_equal(report.skipped[BERTH_SKIP_NO_DURATION], 1);
    assert_int_equal(report.skipped[BERTH_SKIP_NO_GPUS], 1);
    assert_int_equal(report.synthesised[BERTH_MADE_MODEL], 0);
    assert_int_equal(report.synthesised[BERTH_MADE_BATCH], 1); /* A3C's */
    const berth_job *alike[2] = {NULL, NULL}, *lm = NULL, *a3c = NULL;
    for (size_t i = 0; i < 4; i++) {
        const berth_job *job = &instance->jobs[i];
        if (job->max_workers == 2) {
            alike[alike[0] != NULL] = job;
        } else if (job->max_workers == 1) {
            a3c = job;
        } else {
            lm = job;
        }
    }
    assert_true(alike[1] != NULL && lm != NULL && a3c != NULL);
    assert_close(alike[0]->batch, 64, 0);
    assert_close(alike[0]->gradient_mb, 102.4, 1e-12);
    assert_close(alike[0]->sample_seconds, 1 / 4.395 / 64, 1e-12);
    assert_true(alike[0]->utility.theta[0] != alike[1]->utility.theta[0] || alike[0]->ps[1] != alike[1]->ps[1]);
    assert_close(full_width_s(alike[0]), 87900 / 7.922, 1e-3);
    assert_close(full_width_s(a3c), 1000, 1e-3);
    /* 12 GPUs: half as many again as the 8 that were measured. */
    assert_close(full_width_s(lm), 23120 / (231.2 * 1.5), 1e-2);
    assert_int_equal(lm->arrival_slot, 3);
    assert_true(import_run(instance) >= 3);
    berth_instance_free(instance);
    import_refused("gavel", LONG("Unheard-of (batch size 8)", "10", "1", "0"), NULL, &options, BERTH_E_INPUT, 1,
                   "job_type is not one with a known throughput");
    import_refused("gavel", "a\tb\tc\n", NULL, &options, BERTH_E_INPUT, 1, "3 fields; expected 7 or 10 fields");
    import_refused("gavel", LONG("A3C", "10", "1", "0") SHORT("A3C", "10", "1", "0"), NULL, &options, BERTH_E_INPUT, 2,
                   "wrong number of fields: 7 instead of 10");
    import_refused("gavel", LONG("A3C", "ten", "1", "0"), NULL, &options, BERTH_E_INPUT, 1,
                   "total_steps is not a number");
}

static void test_gavel_short(void **state) {
    (void)state;
    berth_import_options options = import_defaults();
    berth_import_report report;
    options.slots = 1000;
    berth_instance *instance =
        import_text("gavel",
                    SHORT("Transformer (batch size 128)", "5446", "1", "0.000000") /* arrival before GPUs */
                    SHORT("Recommendation (batch size 8192)", "28420", "8", "1511.000000"),
                    NULL, &options, &report);
    assert_int_equal(report.jobs, 2);
    assert_int_equal(instance->jobs[1].max_workers, 8);
    assert_int_equal(instance->jobs[1].arrival_slot, 16);
    assert_close(full_width_s(&instance->jobs[0]), 1000, 1e-3);
    assert_close(full_width_s(&instance->jobs[1]), 1250, 1e-2);
    assert_int_equal(import_run(instance), 2);
    berth_instance_free(instance);
}

static void test_gavel_throughputs(void **state) {
    (void)state;
    static const char rates[] = "{\"k80\": {}, \"v100\": {"
                                "\"('Own', 1)\": {\"null\": 2.0, \"('Own', 1)\": [1.0, 1.0]},"
                                "\"('Own', 4)\": {\"null\": 6.0},"
                                "\"('Own', 8)\": {\"null\": 0.0},"
                                "\"('Large', 1)\": {\"null\": 0.0},"
                                "\"(\\\"O'wn\\\", 2)\": {\"null\": 5}}}";
    berth_import_options options = import_defaults();
    berth_import_report report;
    options.slots = 1000;
    berth_instance *instance = import_text("gavel",
                                           SHORT("Own", "200", "1", "0") SHORT("Own", "600", "8", "1")
                                               SHORT("Large", "10", "1", "2") SHORT("O'wn", "50", "2", "3"),
                                           rates, &options, &report);
    assert_int_equal(report.jobs, 3);
    assert_int_equal(report.skipped[BERTH_SKIP_NO_DURATION], 1); /* it fits nowhere */
    assert_close(full_width_s(&instance->jobs[0]), 100, 1e-2);
    assert_close(full_width_s(&instance->jobs[1]), 50, 1e-2);
    assert_close(full_width_s(&instance->jobs[2]), 10, 1e-1);
    assert_close(instance->jobs[0].sample_seconds * instance->jobs[0].batch, 0.5, 1e-12);
    berth_instance_free(instance);
    static const char *const bad[][2] = {
        {"{}", "v100"},
        {"[]", "one JSON object"},
        {"{\"v100\": []}", "/v100"},
        {"{\"v100\": {\"Own\": {}}}", "/v100/Own"},
        {"{\"v100\": {\"('Own', 0)\": {\"null\": 1}}}", "key"},
        {"{\"v100\": {\"('Own', 1) \": {\"null\": 1}}}", "key"},
        {"{\"v100\": {\"('Own')\": {\"null\": 1}}}", "key"},
        {"{\"v100\": {\"('\": {\"null\": 1}}}", "key"},
        {"{\"v100\": {\"('Own', 1)\": {}}}", "null"},
        {"{\"v100\": {\"('Own', 1)\": {\"null\": -1}}}", "at least 0"},
        {"{\"v100\": {\"('Own', 1)\": {\"null\": \"1\"}}}", "null"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        put_file("trace", SHORT("Own", "200", "1", "0"));
        put_file("second", bad[k][0]);
        const char *const paths[] = {path_of("trace"), path_of("second")};
        berth_error error;
        assert_int_equal(berth_import("gavel", paths, 2, &options, &instance, NULL, &error), BERTH_E_INPUT);
        assert_true(strstr(error.message, bad[k][1]) != NULL || strstr(error.where, bad[k][1]) != NULL);
    }
    import_refused("gavel", SHORT("A3C", "200", "1", "0"), rates, &options, BERTH_E_INPUT, 1, "known throughput");
}

static void test_shockwave(void **state) {
    (void)state;
#define SHOCKWAVE(type, gpus, duration, arrival)                                                                       \
    type "\tpython3 main.py\tdir\t--steps\t1\t134583\t" gpus "\tgns\t1\t-1.000000\t" duration "\t" arrival "\n"
    berth_import_options options = import_defaults();
    berth_import_report report;
    berth_instance *instance = import_text("shockwave",
                                           SHOCKWAVE("LM (batch size 10)", "1", "1418", "0")
                                               SHOCKWAVE("ResNet-18 (batch size 32)", "4", "338", "55")
                                                   SHOCKWAVE("Unheard-of", "16", "338.5", "64"),
                                           NULL, &options, &report);
    assert_int_equal(report.jobs, 3);
    assert_int_equal(report.synthesised[BERTH_MADE_MODEL], 1);
    for (size_t i = 0; i < 3; i++) {
        static const double durations[] = {1418, 338, 338.5};
        assert_close(full_width_s(&instance->jobs[i]), durations[i], 2e-2);
    }
    assert_int_equal(import_run(instance), 3);
    berth_instance_free(instance);
    import_refused("shockwave", LONG("A3C", "10", "1", "0"), NULL, &options, BERTH_E_INPUT, 1,
                   "10 fields; expected 12 fields");
}

/* ---- tiresias, muri ---- */

static void test_tiresias(void **state) {
    (void)state;
    berth_import_options options = import_defaults();
    berth_import_report report;
    berth_instance *instance = import_text("tiresias",
                                           "job_id,num_gpu,submit_time,iterations,model_name,duration,interval\r\n"
                                           "0,1,0,606,vgg19,164,30\r\n"
                                           "1,8,30,133,inception4,447,23\r\n"
                                           "2,2,53,157,Unheard-of,126,26",
                                           "num_switch,num_node_p_switch,num_gpu_p_node,num_cpu_p_node,mem_p_node\n"
                                           "2,16,4,128,254",
                                           &options, &report);
    assert_int_equal(instance->n_machines, 32);
    assert_close(instance->capacity[0], 4, 0);
    assert_close(instance->capacity[1], 128, 0);
    assert_close(instance->capacity[2], 254, 0);
    assert_int_equal(report.synthesised[BERTH_MADE_MODEL], 1);
    const berth_job *vgg = import_job(instance, "0"), *wide = import_job(instance, "1");
    assert_close(vgg->gradient_mb, 4 * 143.7, 1e-12);
    assert_close(vgg->bandwidth_external_mb_s, 233, 0); /* that of the measured model of 553.4 MB */
    /* Eight GPUs are two machines here. */
    assert_close(wide->samples, round(447 * 8 / sample_seconds(wide, wide->bandwidth_external_mb_s)), 1e-12);
    assert_int_equal(import_run(instance), 3);
    berth_instance_free(instance);
    import_refused("tiresias",
                   "job_id,num_gpu,submit_time,iterations,model_name,duration,interval\n0,1,0,606,vgg19,164,30",
                   "num_switch,num_node_p_switch,num_gpu_p_node,num_cpu_p_node,mem_p_node\n0,16,4,128,254", &options,
                   BERTH_E_INPUT, 0, "no machine has a GPU");
    import_refused("tiresias", "duration\r\n121\r\n122", NULL, &options, BERTH_E_INPUT, 1, "no column job_id");
}

static void test_muri(void **state) {
    (void)state;
    static const char rows[] =
        "job_id,num_gpu,submit_time,iterations,model_name,batch_size,duration,interval,iteration_time,resource_time_0,"
        "resource_time_1,resource_time_2,priority\r\n"
        "0,1,10800000000,5853661,dqn,128,500500,46122000,490,446,8,0,1\r\n" /* beyond 2^32 */
        "1,8,10800250000,8787693,gpt2,4,600000,201694000,0,435,8,0.5,0\r\n" /* no time of an iteration */
        "2,8,4294967296000,20901556,vgg16,16,4472933000,197456000,214,82,75,66,0\r\n"
        "3,4,10800250001,8787693,own,4,600000,201694000,200,435,8,0.5,0\r\n";
    berth_import_options options = import_defaults();
    berth_import_report report;
    berth_instance *instance = import_text("muri", rows, NULL, &options, &report);
    assert_int_equal(report.jobs, 3);
    assert_int_equal(report.skipped[BERTH_SKIP_OUTSIDE_WINDOW], 1);
    assert_string_equal(report.first_time, "10800000 s");
    assert_string_equal(report.last_time, "4294967296 s");
    const berth_job *dqn = import_job(instance, "0"), *gpt2 = import_job(instance, "1");
    assert_close(dqn->batch, 128, 0);
    assert_close(dqn->sample_seconds, 0.49 / 128, 1e-15);
    assert_close(full_width_s(dqn), 500.5, 1e-2);
    assert_int_equal(gpt2->arrival_slot, 3);
    assert_true(gpt2->sample_seconds > 0);
    assert_int_equal(report.synthesised[BERTH_MADE_MODEL], 1);
    assert_int_equal(import_run(instance), 3);
    berth_instance_free(instance);
}

/* ---- pollux ---- */

static void test_pollux(void **state) {
    (void)state;
    berth_import_options options = import_defaults();
    berth_import_report report;
    options.slots = 4000;
    berth_instance *instance = import_text("pollux",
                                           "name,time,application,num_replicas,batch_size\n"
                                           "cifar10-0,107,cifar10,6,2048\n"
                                           "ncf-1,135,ncf,1,32768\n"
                                           "bert-2,150,bert,4,10\n"
                                           "bert-3,150,bert,4,1000\n"
                                           "bert-4,160,bert,2,34\n"
                                           "bert-5,160,bert,0,34\n",
                                           NULL, &options, &report);
    assert_int_equal(report.jobs, 5);
    assert_int_equal(report.skipped[BERTH_SKIP_NO_GPUS], 1);
    assert_int_equal(report.synthesised[BERTH_MADE_BATCH] + report.synthesised[BERTH_MADE_MODEL], 0);
    const berth_job *cifar = import_job(instance, "cifar10-0");
    assert_close(cifar->samples, 3178 * 2048, 0);
    assert_close(cifar->batch, 342, 0); /* 2048 / 6, a whole number of samples */
    assert_close(cifar->sample_seconds, (.01775 + .0006643 * 342) / 342, 1e-15);
    assert_close(cifar->gradient_mb, 44.8, 1e-12);
    assert_close(import_job(instance, "bert-2")->samples, 12 * 14774, 0);
    assert_close(import_job(instance, "bert-3")->samples, 384 * 480, 0);
    double between = import_job(instance, "bert-4")->samples; /* 34 is half-way from 24 to 48, in ratios */
    assert_close(between, (24 * 7427 + 48 * 3732) / 2.0, 1e-3);
    assert_true(import_run(instance) >= 4);
    berth_instance_free(instance);
    /* Sia's: another order, times with decimals, no names. */
    instance = import_text("pollux", "time,num_replicas,batch_size,application\n12.75,2,320,deepspeech2\n", NULL,
                           &options, &report);
    assert_string_equal(report.first_time, "12.75 s");
    assert_string_equal(instance->jobs[0].id, "j1");
    assert_close(instance->jobs[0].batch, 160, 0);
    berth_instance_free(instance);
    import_refused("pollux", "time,application,num_replicas,batch_size\n1,gpt,1,8\n", NULL, &options, BERTH_E_INPUT, 2,
                   "application is not bert, cifar10");
    import_refused("pollux", "time,application,num_replicas,batch_size\n1,bert,1,0\n", NULL, &options, BERTH_E_INPUT, 2,
                   "batch_size is not a number");
}

static void test_model_sizes(void **state) {
    (void)state;
    assert_close(berth__model_size_mb("ResNet-50 (batch size 64)"), 102.4, 1e-12);
    assert_close(berth__model_size_mb("resnet50"), 102.4, 1e-12);
    assert_close(berth__model_size_mb("VGG_16"), 553.6, 1e-12);
    static const char *const unknown[] = {"", "(batch size 64)", "resnet", "resnet500",
                                          "a name that is longer than any model has, by far"};
    for (size_t k = 0; k < sizeof unknown / sizeof unknown[0]; k++) {
        assert_true(isnan(berth__model_size_mb(unknown[k])));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gavel),     cmocka_unit_test(test_gavel_short), cmocka_unit_test(test_gavel_throughputs),
        cmocka_unit_test(test_shockwave), cmocka_unit_test(test_tiresias),    cmocka_unit_test(test_muri),
        cmocka_unit_test(test_pollux),    cmocka_unit_test(test_model_sizes),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
