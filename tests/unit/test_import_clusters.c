/* Importers of clusters' logs: openb, spot, helios, acme, philly-json, pai, dlrm. Every quirk of the formats, by files
 * made for it. */
#define _POSIX_C_SOURCE 200809L
#include "tests/support/check.h"
#include "tests/support/import_case.h"
#include "tests/support/own_folder.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- openb ---- */

#define PODS                                                                                                           \
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\n"

static void test_openb(void **state) {
    (void)state;
    berth_import_options options = import_defaults();
    berth_import_report report;
    options.skip_bad = true;
    berth_instance *instance = import_text("openb",
                                           PODS "p0,12000,16384,1,460,,LS,Running,0,1500,100\n"
                                                "p1,6000,12288,4,1000,V100M16|V100M32,BE,Succeeded,50,950,51\n"
                                                "p2,4000,0,1,1000,,LS,Failed,60,160,60\n"         /* no memory */
                                                "p3,8000,8192,0,0,,Burstable,Running,70,270,70\n" /* cores only */
                                                "p4,8000,8192,1,1000,,LS,Pending,80,2000,\n"
                                                "p5,8000,8192,1,1000,,LS,Running,80,80,80\n"
                                                "p6,0,0,0,0,,LS,Running,80,90,80\n"
                                                "p7,8000,8192,1,1001,,LS,Running,80,90,80\n"
                                                "p8,8000,8192,1,1000,,LS,Running,80,90,95\n"
                                                "p0,12000,16384,1,460,,LS,Running,0,1500,100\n",
                                           NULL, &options, &report);
    assert_int_equal(report.rows, 10);
    assert_int_equal(report.jobs, 4);
    assert_int_equal(report.skipped[BERTH_SKIP_NO_DURATION], 2);
    assert_int_equal(report.skipped[BERTH_SKIP_NO_GPUS], 1);
    assert_int_equal(report.skipped[BERTH_SKIP_DUPLICATE], 1);
    assert_int_equal(report.skipped[BERTH_SKIP_MALFORMED], 2);
    assert_non_null(strstr(report.first_bad[0].problem, "gpu_milli is not a number from 0 to 1000: \"1001\""));
    assert_non_null(strstr(report.first_bad[1].problem, "deletion_time is not at or after scheduled_time"));
    assert_int_equal(report.synthesised[BERTH_MADE_DEMANDS], 0);
    assert_int_equal(report.synthesised[BERTH_MADE_SERVERS], 0);
    assert_int_equal(report.synthesised[BERTH_MADE_MODEL], 4);
    const berth_job *shared = import_job(instance, "p0"), *large = import_job(instance, "p1");
    assert_close(shared->worker[0], 0.46, 0);
    assert_close(shared->worker[1], 12, 0);
    assert_close(shared->worker[2], 16, 0);
    assert_int_equal(shared->max_workers, 1);
    assert_true(shared->all_reduce);
    double speed =
        1 / (shared->sample_seconds + 2 * shared->gradient_mb / shared->batch / shared->bandwidth_internal_mb_s);
    assert_close(shared->samples, round(1400 * speed), 1e-12);
    assert_close(large->worker[0], 4, 0);
    assert_close(import_job(instance, "p2")->worker[2], 0, 0);
    assert_close(import_job(instance, "p3")->worker[0], 0, 0);
    assert_int_equal(large->arrival_slot, 1);
    assert_int_equal(import_run(instance), 4);
    berth_instance_free(instance);
    /* Machines without cores leave a pod without GPUs nothing to ask for. */
    options.machine = "gpu=8";
    instance = import_text("openb",
                           PODS "p0,12000,16384,1,460,,LS,Running,0,1500,100\np3,8000,8192,0,0,,LS,Running,70,270,70\n",
                           NULL, &options, &report);
    assert_int_equal(report.skipped[BERTH_SKIP_NO_GPUS], 1);
    berth_instance_free(instance);
    import_refused("openb", "name,cpu_milli,memory_mib,num_gpu,gpu_milli\np0,12000,16384,1,460\n", NULL, &options,
                   BERTH_E_INPUT, 1, "no column creation_time");
}

/* ---- spot ---- */

static void test_spot(void **state) {
    (void)state;
    static const char jobs[] =
        "job_name,organization,gpu_model,cpu_request,gpu_request,worker_num,submit_time,duration,"
        "job_type\n"
        "1,13,A10,20,1,1,0,300,HP\n"
        "2,57,A100-SXM4-80GB,15,1,6,50,400,Spot\n"
        "3,57,A100-SXM4-80GB,15,8,2,60,400,Spot\n"
        "4,57,,15,1,6,,400,Spot\n"
        "5,57,A10,15,0,6,70,400,Spot\n"
        "6,57,A10,15,1,6,70,0,Spot\n";
    static const char nodes[] = "gpu_model,gpu_capacity_num,cpu_num,node_name\n"
                                "A100-SXM4-80GB,8,192,0\nA10,1,128,2\nA10,1,128,3\nA100-SXM4-80GB,8,192,4\n";
    berth_import_options options = import_defaults();
    berth_import_report report;
    berth_instance *instance = import_text("spot", jobs, nodes, &options, &report);
    assert_int_equal(report.jobs, 3);
    assert_int_equal(report.skipped[BERTH_SKIP_NO_TIME], 1);
    assert_int_equal(report.skipped[BERTH_SKIP_NO_GPUS], 1);
    assert_int_equal(report.skipped[BERTH_SKIP_NO_DURATION], 1);
    assert_int_equal(instance->n_resources, 2); /* no memory is recorded */
    const berth_job *a10 = import_job(instance, "1"), *six = import_job(instance, "2"),
                    *wide = import_job(instance, "3");
    assert_true(import_allows(a10, "A10.1-0") && !import_allows(a10, "A100-SXM4-80GB.1-0"));
    assert_int_equal(six->max_workers, 6);
    assert_string_equal(six->tenant, "57");
    assert_close(wide->worker[0], 8, 0);
    assert_close(wide->worker[1], 15, 0);
    /* Six workers of one GPU fit a machine, two of eight do not. */
    double internal = six->sample_seconds + 2 * six->gradient_mb / six->batch / six->bandwidth_internal_mb_s;
    double external = wide->sample_seconds + 2 * wide->gradient_mb / wide->batch / wide->bandwidth_external_mb_s;
    assert_close(six->samples, round(400 * 6 / internal), 1e-12);
    assert_close(wide->samples, round(400 * 2 / external), 1e-12);
    assert_int_equal(import_run(instance), 3);
    berth_instance_free(instance);
    import_refused("spot", nodes, NULL, &options, BERTH_E_INPUT, 1, "no column job_name");
    import_refused("spot", "job_name,cpu_request,gpu_request,worker_num,duration\n1,1,1,1,1\n", NULL, &options,
                   BERTH_E_INPUT, 1, "no column submit_time");
}

/* ---- helios, acme ---- */

static void test_helios(void **state) {
    (void)state;
    static const char log[] =
        "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,"
        "queue\r\n"
        "1,u1,vcA,1,4,1,COMPLETED,2020-06-09 18:41:01,2020-06-09 18:41:01,2020-06-09 18:51:01,600,0\r\n"
        "2,u1,vcB,16,64,2,FAILED,2020-06-09 18:41:27,2020-06-09 18:41:27,2020-06-09 18:45:36,249,0\r\n"
        "3,u2,vcA,0,8,1,COMPLETED,2020-06-09 18:41:28,2020-06-09 18:41:28,2020-06-09 18:42:28,60,0\r\n"
        "4,u2,vcA,2,,1,CANCELLED,2020-06-09 18:41:30,2020-06-09 18:41:30,2020-06-09 18:42:28,58,0\r\n"
        "5,u2,vcA,2,2,1,CANCELLED,2020-06-09 18:41:30,None,None,0,0\r\n"
        "6,u2,vcA,2,2,1,CANCELLED,2020-06-09 18:41:30+08:00,None,None,5,0";
    berth_import_options options = import_defaults();
    berth_import_report report;
    import_refused("helios", log, NULL, &options, BERTH_E_INPUT, 7, "submit_time is not YYYY-MM-DD HH:MM:SS: ");
    options.skip_bad = true;
    berth_instance *instance = import_text("helios", log, NULL, &options, &report);
    assert_int_equal(report.jobs, 3);
    assert_int_equal(report.skipped[BERTH_SKIP_NO_GPUS], 1);
    assert_int_equal(report.skipped[BERTH_SKIP_NO_DURATION], 1);
    assert_string_equal(report.first_time, "2020-06-09 18:41:01");
    assert_close(import_job(instance, "1")->worker[1], 4, 0);
    const berth_job *wide = import_job(instance, "2");
    assert_int_equal(wide->max_workers, 16);
    assert_close(wide->worker[0], 1, 0);
    assert_close(wide->worker[1], 4, 0);
    assert_true(wide->all_reduce);
    assert_string_equal(wide->tenant, "vcB");
    assert_int_equal(wide->arrival_slot, 1);
    assert_true(import_job(instance, "4")->worker[1] >= 2); /* synthesised: a quarter of 8 cores at least */
    assert_int_equal(import_run(instance), 3);
    berth_instance_free(instance);
    options.cluster = "vcB";
    instance = import_text("helios", log, NULL, &options, &report);
    assert_int_equal(report.skipped[BERTH_SKIP_OTHER_CLUSTER], 2);
    berth_instance_free(instance);
}

static void test_acme(void **state) {
    (void)state;
    static const char seren[] = "job_id,user,node_num,gpu_num,cpu_num,type,state,submit_time,start_time,end_time,"
                                "duration,queue,gpu_time\n"
                                "1,u1,1,8,128,Other,FAILED,2023-03-01 00:18:22+08:00,2023-03-01 00:18:54+08:00,"
                                "2023-03-01 00:20:51+08:00,117,32,936.0\n"
                                "2,u1,1,8,128,Other,COMPLETED,2023-02-28 16:19:00+00:00,2023-03-01 00:24:11+08:00,"
                                "2023-03-01 01:09:04+08:00,269,13,2152.0\n";
    berth_import_options options = import_defaults();
    berth_import_report report;
    options.machine = "gpu=8,cpu=128,memory_gb=1024";
    berth_instance *instance = import_text("acme", seren, NULL, &options, &report);
    assert_string_equal(report.first_time, "2023-02-28 16:18:22");
    assert_string_equal(report.last_time, "2023-02-28 16:19:00");
    assert_int_equal(import_job(instance, "2")->arrival_slot, 1);
    assert_close(import_job(instance, "1")->worker[1], 16, 0);
    assert_int_equal(report.synthesised[BERTH_MADE_DEMANDS], 2);
    assert_int_equal(import_run(instance), 2);
    berth_instance_free(instance);
    static const char kalos[] =
        "job_id,user,node_num,gpu_num,cpu_num,mem_per_pod_GB,shared_mem_per_pod,type,state,"
        "submit_time,start_time,end_time,fail_time,stop_time,duration,queue,gpu_time\n"
        "a,uf,8,64,960,1000,100.0,Other,FAILED,2023-05-17 11:00:58+00:00,2023-05-17 11:01:08+00:00,"
        "2023-05-17 11:01:16+00:00,2023-05-17 11:01:16+00:00,,18,10.0,1152.0\n"
        "b,uf,8,64.0,960,,100.0,Other,FAILED,2023-05-17 11:00:58+00:00,,,,,18,10.0,1152.0\n";
    instance = import_text("acme", kalos, NULL, &options, &report);
    assert_close(import_job(instance, "a")->worker[2], 125, 0);
    assert_int_equal(import_job(instance, "a")->max_workers, 64);
    assert_int_equal(report.synthesised[BERTH_MADE_DEMANDS], 1);
    assert_int_equal(import_run(instance), 2);
    berth_instance_free(instance);
}

/* ---- philly-json ---- */

#define ATTEMPT(start, end, detail) "{\"start_time\": " start ", \"end_time\": " end ", \"detail\": [" detail "]}"
#define GPUS8                                                                                                          \
    "{\"ip\": \"m4\", \"gpus\": [\"gpu0\", \"gpu1\", \"gpu2\", \"gpu3\", \"gpu4\", \"gpu5\", \"gpu6\", \"gpu7\"]}"
#define GPUS2 "{\"ip\": \"m5\", \"gpus\": [\"gpu0\", \"gpu1\"]}"
#define JOB(id, submitted, attempts)                                                                                   \
    "{\"status\": \"Pass\", \"vc\": \"ee\", \"jobid\": \"" id "\", \"attempts\": [" attempts "],\n"                    \
    " \"submitted_time\": " submitted ", \"user\": \"u\"}"
#define T(clock) "\"2017-10-07 " clock "\""

static const char philly_log[] = "\xEF\xBB\xBF[\n" JOB(
    "two-attempts", T("01:00:00"),
    ATTEMPT(T("01:12:09"), T("01:13:23"), GPUS8) "," ATTEMPT(T("01:20:00"), T("01:21:00"), GPUS2)) ",\n" /* 2 */
    JOB("spread", T("01:01:00"), ATTEMPT(T("01:12:00"), T("01:13:00"), GPUS8 "," GPUS2)) ",\n"           /* 4 */
    JOB("second-counts", T("01:02:00"),
        ATTEMPT("null", "null", "") "," ATTEMPT(T("01:20:00"), T("01:21:00"), GPUS2)) ",\n" /* 6 */
    JOB("never", T("01:03:00"), "") ",\n"                                                   /* 8 */
    JOB("no-end", T("01:03:00"), ATTEMPT(T("01:20:00"), "\"None\"", GPUS2)) ",\n"           /* 10 */
    JOB("no-time", "\"None\"", ATTEMPT(T("01:20:00"), T("01:21:00"), GPUS2)) ",\n"          /* 12 */
    JOB("spread", T("01:01:00"),
        ATTEMPT(T("01:12:00"), T("01:13:00"), GPUS8 "," GPUS2)) ",\n"                                           /* 14 */
                                                                "{\"jobid\": \"bare\", \"attempts\": null},\n"; /* 16 */

static void test_philly_json(void **state) {
    (void)state;
    char text[8192];
    berth_import_options options = import_defaults();
    berth_import_report report;
    snprintf(text, sizeof text, "%s%s\n]\n", philly_log,
             JOB("odd", T("01:61:00"), ATTEMPT(T("01:20:00"), T("01:21:00"), GPUS2)));
    import_refused("philly-json", text, NULL, &options, BERTH_E_INPUT, 17, "/submitted_time: expected YYYY-MM-DD");
    options.skip_bad = true;
    berth_instance *instance = import_text("philly-json", text, NULL, &options, &report);
    assert_int_equal(report.rows, 9);
    assert_int_equal(report.jobs, 3);
    assert_int_equal(report.skipped[BERTH_SKIP_NO_GPUS], 2);
    assert_int_equal(report.skipped[BERTH_SKIP_NO_DURATION], 1);
    assert_int_equal(report.first_line[BERTH_SKIP_NO_DURATION], 10);
    assert_int_equal(report.skipped[BERTH_SKIP_NO_TIME], 1);
    assert_int_equal(report.skipped[BERTH_SKIP_DUPLICATE], 1);
    assert_int_equal(report.skipped[BERTH_SKIP_MALFORMED], 1);
    assert_string_equal(report.first_bad[0].text, "odd");
    assert_int_equal(import_job(instance, "two-attempts")->max_workers, 8);
    assert_int_equal(import_job(instance, "spread")->max_workers, 10);
    assert_int_equal(import_job(instance, "second-counts")->max_workers, 2);
    assert_string_equal(import_job(instance, "spread")->tenant, "ee");
    const berth_job *job = import_job(instance, "two-attempts");
    double sample_s =
        job->sample_seconds + job->workers_per_ps * 2 * job->gradient_mb / job->batch / job->bandwidth_internal_mb_s;
    assert_close(job->samples, round((74 + 60) * 8 / sample_s), 1e-12);
    assert_int_equal(import_run(instance), 3);
    berth_instance_free(instance);
    static const struct {
        const char *text;
        long line;
        const char *message;
    } bad[] = {
        {"{}", 1, "expected a JSON array"},           {"[\n{\"jobid\": \"a\"}\n{}]", 3, "expected ',' or ']'"},
        {"[\n{\"jobid\": }]", 2, "unexpected token"}, {"[\n\n{\"jobid\": \"a\",\n\"jobid\": \"a\"}]", 4, "duplicate"},
        {"[] x", 1, "nothing after the array"},       {"[\n", 2, ""},
        {"[]", 0, "no job is left of 0 rows"}};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        import_refused("philly-json", bad[k].text, NULL, &options, BERTH_E_INPUT, bad[k].line, bad[k].message);
    }
    options.skip_bad = false;
    static const struct {
        const char *element, *message;
    } wrong[] = {{"[]", "object"},
                 {"{}", "jobid"},
                 {"{\"jobid\": 7}", "/jobid"},
                 {"{\"jobid\": \"a\", \"attempts\": {}}", "/attempts"},
                 {"{\"jobid\": \"a\", \"attempts\": [[]]}", "/attempts/0"},
                 {"{\"jobid\": \"a\", \"attempts\": [{\"detail\": [{\"ip\": \"m\"}]}]}", "/attempts/0/detail/0"},
                 {"{\"jobid\": \"a\", \"attempts\": [{\"start_time\": \"2017-10-07 01:00:00\", \"end_time\": "
                  "\"2017-10-07 00:00:00\"}]}",
                  "is before start_time"}};
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        snprintf(text, sizeof text, "[\n%s]", wrong[k].element);
        import_refused("philly-json", text, NULL, &options, BERTH_E_INPUT, 2, wrong[k].message);
    }
}

/* ---- pai ---- */

static const char pai_tasks[] = "j1,ps,2,Terminated,100,700,300,8,,CPU\n"
                                "j2,tensorflow,1,Terminated,150,600,600,29.3,50,MISC\n" /* half a GPU */
                                "j1,worker,5,Terminated,110,800,600,16,100,T4\n"
                                "j1,chief,1,Terminated,105,650,800,12,100,T4\n"
                                "j1,evaluator,1,Terminated,90,2000,100,1,,CPU\n"
                                "j3,worker,2,Waiting,,,600,16,100,T4\n"
                                "j4,worker,2,Running,120,,600,16,100,T4\n"
                                "j5,worker,2,Terminated,130,230,,,25,\n"
                                "j6,ps,2,Terminated,130,230,100,1,,CPU\n";

static void expect_pai(const berth_instance *instance, const berth_import_report *report) {
    assert_int_equal(report->rows, 9);
    assert_int_equal(report->jobs, 3);
    assert_int_equal(report->imported, 6);
    assert_int_equal(report->skipped[BERTH_SKIP_NO_TIME], 1);
    assert_int_equal(report->skipped[BERTH_SKIP_NO_DURATION], 1);
    assert_int_equal(report->skipped[BERTH_SKIP_NO_GPUS], 1);
    const berth_job *j1 = import_job(instance, "j1"), *j2 = import_job(instance, "j2"),
                    *j5 = import_job(instance, "j5");
    assert_int_equal(j1->max_workers, 6);
    assert_close(j1->workers_per_ps, 3, 1e-12);
    assert_true(ceil(6 / j1->workers_per_ps) == 2);
    assert_close(j1->worker[0], 1, 0);
    assert_close(j1->worker[1], 8, 0); /* the chief's */
    assert_close(j1->worker[2], 16, 0);
    assert_close(j1->ps[0], 0, 0);
    assert_close(j1->ps[1], 3, 0);
    assert_close(j1->ps[2], 8, 0);
    assert_close(j2->worker[0], 0.5, 0);
    assert_true(j2->all_reduce && j5->all_reduce);
    assert_close(j5->worker[0], 0.25, 0);
    assert_true(j5->worker[1] > 0); /* synthesised */
    double j1_sample_s =
        j1->sample_seconds + j1->workers_per_ps * 2 * j1->gradient_mb / j1->batch / j1->bandwidth_internal_mb_s;
    assert_close(j1->samples, round(700 * 6 / j1_sample_s), 1e-12); /* the evaluator's time counts for nothing */
}

static void test_pai(void **state) {
    (void)state;
    berth_import_options options = import_defaults();
    berth_import_report report;
    berth_instance *instance = import_text("pai", pai_tasks, NULL, &options, &report);
    expect_pai(instance, &report);
    assert_null(import_job(instance, "j1")->tenant);
    assert_int_equal(import_run(instance), 3);
    berth_instance_free(instance);
    /* A header in the file, columns in another order. */
    char text[4096];
    snprintf(text, sizeof text,
             "job_name,task_name,inst_num,status,start_time,end_time,plan_cpu,plan_mem,plan_gpu,gpu_type\n%s",
             pai_tasks);
    instance = import_text("pai", text, "j2,i,user 2,Terminated,150,600\nj1,i,user 1,Terminated,90,800\nj9,i,u,,,\n",
                           &options, &report);
    expect_pai(instance, &report);
    assert_string_equal(import_job(instance, "j1")->tenant, "user 1");
    assert_null(import_job(instance, "j5")->tenant);
    berth_instance_free(instance);
    import_refused("pai", "j1,ps,2,Terminated,100,700,300,8,\n", NULL, &options, BERTH_E_INPUT, 1,
                   "fewer fields than the header: 9 instead of 10");
    import_refused("pai", "j1,ps,some,Terminated,100,700,300,8,,\n", NULL, &options, BERTH_E_INPUT, 1,
                   "inst_num is not a whole number");
    import_refused("pai", pai_tasks, "j2,i\n", &options, BERTH_E_INPUT, 1, "fewer fields");
}

/* The largest and least that rows may hold make valid instances. */
static void test_extremes(void **state) {
    (void)state;
    berth_import_options options = import_defaults();
    berth_import_report report;
    berth_instance *instance =
        import_text("pai",
                    "a,ps,1000000,T,0,1e12,1e9,1e9,1e9,\na,worker,1000000,T,0,1e12,1e9,1e9,1e9,\n"
                    "a,worker,1000000,T,0,1e12,1e9,1e9,1e9,\n"
                    "b,worker,1,T,0,9,1e-300,1e-300,1e-300,\n" /* nothing */
                    "c,ps,1,T,0,9,0,0,0,\nc,w,1,T,0,1e-9,0,0,1,\n"
                    "d,w,1,T,0,1e-300,0,0,1,\n",
                    NULL, &options, &report);
    assert_int_equal(report.jobs, 2);
    assert_int_equal(report.skipped[BERTH_SKIP_NO_GPUS], 1);
    assert_int_equal(report.skipped[BERTH_SKIP_NO_DURATION], 1);
    assert_int_equal(import_job(instance, "a")->max_workers, 2000000);
    import_run(instance);
    berth_instance_free(instance);
}

/* Columns named by a file beside the table; machines with types. */
static void test_pai_files(void **state) {
    (void)state;
    berth_import_options options = import_defaults();
    berth_import_report report;
    put_file("tasks.csv", "T4,100,ps,j1,8,,2,700,300,S\nT4,100,worker,j1,8,100,4,700,300,S\n");
    put_file("tasks.header",
             "gpu_type,start_time,task_name,job_name,plan_mem,plan_gpu,inst_num,end_time,plan_cpu,status\n");
    put_file("jobs.csv", "j1,i,u1,S,1,2\n");
    put_file("machines.csv", "m1,T4,96,512,2\nm2,P100,64,512,8\nm3,CPU,96,512,0\nm4,T4,96,512,2\nm5,T4,96,512,2\n");
    const char *const paths[] = {path_of("tasks.csv"), path_of("jobs.csv"), path_of("machines.csv")};
    berth_instance *instance = import_files("pai", paths, 3, &options, &report);
    const berth_job *job = import_job(instance, "j1");
    assert_int_equal(job->max_workers, 4);
    assert_close(job->workers_per_ps, 2, 1e-12);
    assert_string_equal(job->tenant, "u1");
    assert_int_equal(instance->n_machines, 5);
    assert_true(import_allows(job, "T4.1-2") && !import_allows(job, "P100.1"));
    assert_int_equal(import_run(instance), 1);
    berth_instance_free(instance);
    put_file("tasks.header", "gpu_type,start_time\n");
    berth_error error;
    assert_int_equal(berth_import("pai", paths, 1, &options, &instance, &report, &error), BERTH_E_INPUT);
    assert_non_null(strstr(error.where, "tasks.header"));
    assert_non_null(strstr(error.message, "no column job_name"));
    /* Nobody named that file: a pipe of its name is not waited for. */
    const char *beside = path_of("tasks.header"), *const table[] = {path_of("tasks.csv")};
    assert_int_equal(unlink(beside), 0);
    assert_int_equal(mkfifo(beside, 0600), 0);
    assert_int_equal(berth_import("pai", table, 1, &options, &instance, &report, &error), BERTH_E_IO);
    assert_non_null(strstr(error.where, "tasks.header"));
    assert_non_null(strstr(error.message, "it is not a regular file"));
}

/* ---- dlrm ---- */

static void test_dlrm(void **state) {
    (void)state;
    static const char rows[] =
        "instance_sn,role,app_name,cpu_request,cpu_limit,gpu_request,gpu_limit,rdma_request,rdma_limit,memory_request,"
        "memory_limit,disk_request,disk_limit,max_instance_per_node,creation_time,scheduled_time,deletion_time\n"
        "i0,HN,app_0,12,12,1,1,25,25,120.0,120.0,640.0,800.0,8,,,\n" /* there throughout: 0 to 1800 */
        "i1,CN,app_0,64,64,0,0,25,25,32,32,640.0,800.0,-1,200.0,201.0,900.0\n"
        "i2,HN,app_1,10,12,1,1,25,25,100,120.0,640.0,800.0,8,300.0,305.0,\n" /* to the end */
        "i3,HN,app_0,16,16,1,1,25,25,60.0,60.0,640.0,800.0,8,500.0,501.0,1800.0\n"
        "i4,CN,app_1,8,8,0,0,25,25,32,32,640.0,800.0,-1,,,1000\n" /* from the begin */
        "i5,CN,app_1,8,8,0,0,25,25,32,32,640.0,800.0,-1,400,400,1000\n"
        "i6,CN,app_2,8,8,0,0,25,25,32,32,640.0,800.0,-1,400,400,1000\n"; /* no worker */
    berth_import_options options = import_defaults();
    berth_import_report report;
    options.machine = "gpu=8,cpu=128,memory_gb=1024";
    berth_instance *instance = import_text("dlrm", rows, NULL, &options, &report);
    assert_int_equal(report.jobs, 2);
    assert_int_equal(report.imported, 6);
    assert_int_equal(report.skipped[BERTH_SKIP_NO_GPUS], 1);
    const berth_job *a = import_job(instance, "app_0"), *b = import_job(instance, "app_1");
    assert_int_equal(a->max_workers, 2);
    assert_close(a->workers_per_ps, 2, 1e-12);
    assert_close(a->worker[1], 16, 0);
    assert_close(a->worker[2], 120, 0);
    assert_close(a->ps[1], 64, 0);
    assert_close(a->ps[0], 0, 0);
    assert_int_equal(b->max_workers, 1);
    assert_close(b->workers_per_ps, 0.5, 1e-12);
    double sample_s =
        b->sample_seconds + b->workers_per_ps * 2 * b->gradient_mb / b->batch / b->bandwidth_internal_mb_s;
    assert_close(b->samples, round(1800 / sample_s), 1e-12);
    assert_int_equal(import_run(instance), 2);
    berth_instance_free(instance);
    import_refused("dlrm",
                   "role,app_name,cpu_request,gpu_request,memory_request,creation_time,deletion_time\nXN,a,1,1,1,,\n",
                   NULL, &options, BERTH_E_INPUT, 2, "role is not CN or HN: \"XN\"");
}

/* Recorded servers must be enough for the workers, whatever the quotient is in floating point. */
static void test_recorded_servers_do(void **state) {
    (void)state;
    berth_import_options options = import_defaults();
    options.machines = 1;
    options.machine = "gpu=200,cpu=1000,memory_gb=1000";
    for (int workers = 1; workers <= 40; workers++) {
        char text[8192];
        size_t at = 0;
        for (int servers = 1; servers <= 40; servers++) {
            at += (size_t)snprintf(text + at, sizeof text - at, "j%d,ps,%d,T,0,50,1,1,,\nj%d,worker,%d,T,0,50,1,1,1,\n",
                                   servers, servers, servers, workers);
        }
        berth_import_report report;
        berth_instance *instance = import_text("pai", text, NULL, &options, &report);
        for (int servers = 1; servers <= 40; servers++) {
            char id[16];
            snprintf(id, sizeof id, "j%d", servers);
            const berth_job *job = import_job(instance, id);
            assert_true(servers * job->workers_per_ps >= workers);
            assert_close(job->workers_per_ps, (double)workers / servers, 1e-14);
        }
        berth_instance_free(instance);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_openb),       cmocka_unit_test(test_spot),
        cmocka_unit_test(test_helios),      cmocka_unit_test(test_acme),
        cmocka_unit_test(test_philly_json), cmocka_unit_test(test_pai),
        cmocka_unit_test(test_pai_files),   cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_dlrm),        cmocka_unit_test(test_recorded_servers_do),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
