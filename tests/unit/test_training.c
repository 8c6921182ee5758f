/* Simulated trainings: small cases by hand, what policies do, files and what is wrong with them. */
#define _POSIX_C_SOURCE 200809L
#include <berth_goodput.h>

#include "base/alloc.h"
#include "formulations/goodput/training.h"
#include "tests/support/check.h"
#include "tests/support/own_folder.h"
#include "tests/support/training_case.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the model ---- */

static void step_times_are_interpolated(void **state) {
    (void)state;
    training_case c;
    berth__measured measured;
    berth_error error;
    training_case_plain(&c);
    training_application *m = &c.measured[0];
    /* placements 1, 12 and, of two nodes, any of 4; times by m = 1, 4, 16 */
    m->placements[1].nodes = 2;
    m->placements[1].replicas = 3;
    m->gpus[1][0] = 1;
    m->gpus[1][1] = 2;
    m->placements[2] = m->placements[3];
    m->placements[2].nodes = 2;
    m->placements[2].replicas = 5;
    m->placements[2].gpus = NULL;
    c.applications[0].n_placements = 3;
    for (size_t s = 0; s < 3; s++) {
        m->step_s[0][s] = 1 + (double)s;
        m->step_s[1][s] = 10;
        m->step_s[3][s] = 20;
    }
    assert_ok(berth__measured_init(&measured, &c.applications[0], &error), error);
    const uint32_t one[] = {1}, turned[] = {2, 1}, other[] = {2, 2}, four[] = {4}, three[] = {1, 1, 1};
    assert_close(berth__measured_time(&measured, 1, one, 1).step_s, 1, 0);
    assert_close(berth__measured_time(&measured, 1, one, 2).step_s, 1 + 1. / 3, 1e-15);
    assert_close(berth__measured_time(&measured, 1, one, 10).step_s, 2.5, 1e-15);
    assert_close(berth__measured_time(&measured, 1, one, 32).step_s, 6, 1e-15); /* in proportion beyond 16 */
    assert_close(berth__measured_time(&measured, 1, four, 1).step_s, 1, 0);     /* the end of its row */
    assert_close(berth__measured_time(&measured, 2, turned, 4).step_s, 10, 0);
    assert_close(berth__measured_time(&measured, 2, other, 4).step_s, 15, 1e-15); /* between 3 and 5 replicas */
    assert_close(berth__measured_time(&measured, 3, three, 4).step_s, 10, 0);     /* beyond two nodes */
    assert_close(berth__at_speed((berth__step_time){3, 1}, 2).step_s, 2, 0);
    berth__measured_clear(&measured);
}

static void batches_are_split(void **state) {
    (void)state;
    const berth_application app = {.m0 = 8, .max_batch = 100, .min_local = 1, .max_local = 10, .accumulation = true};
    static const struct {
        double batch;
        uint32_t replicas, local, accumulation;
    } cases[] = {
        {8, 1, 8, 0},  {9, 1, 5, 1},                                  /* one replica beyond m0 accumulates */
        {30, 2, 8, 1}, {40, 4, 10, 0}, {41, 4, 6, 1}, {100, 3, 8, 3}, /* 9 x 12 would be above 100 */
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        uint32_t local, accumulation;
        berth__split_batch(&app, cases[k].batch, cases[k].replicas, &local, &accumulation);
        assert_int_equal(local, cases[k].local);
        assert_int_equal(accumulation, cases[k].accumulation);
    }
}

static void noise_is_interpolated(void **state) {
    (void)state;
    training_case c;
    berth__measured measured;
    berth_error error;
    training_case_plain(&c);
    training_application *m = &c.measured[0];
    c.applications[0].n_trainings = 2;
    m->trainings[1] = (berth_measured_training){12, m->progress[1], m->iterations[1], m->sqr[1], m->var[1]};
    for (size_t e = 0; e < 2; e++) {
        m->progress[1][e] = 40.0 * (double)(e + 1);
        m->iterations[1][e] = 20.0 * (double)(e + 1);
        m->sqr[1][e] = 3;
        m->var[1][e] = 8;
    }
    assert_ok(berth__measured_init(&measured, &c.applications[0], &error), error);
    double sqr, var;
    berth__measured_noise(&measured, 6, 0, &sqr, &var);
    assert_close(sqr, 1.5, 1e-15);
    assert_close(var, 2, 1e-15);
    berth__measured_noise(&measured, 64, 1, &sqr, &var);
    assert_close(sqr, 3, 0);
    assert_close(berth__measured_iterations(&measured, 8, 1), 70, 1e-15);
    assert_close(measured.target[1], 40, 0); /* the least of both */
    assert_close(measured.target[2], 80, 0);
    assert_close(berth__gain(1, 3, 4), 4 / 1.75, 1e-15);
    berth__measured_clear(&measured);
}

/* ---- runs ---- */

static void done_with(const training_case *c, berth_goodput_run *run) {
    training_case_violations(&c->workload, run, true);
    berth_goodput_run_free(run);
}

/* Two epochs of 50 s, from 60 + 30 s on. */
static void one_job_by_hand(void **state) {
    (void)state;
    training_case c;
    training_case_plain(&c);
    training_case_add(&c, 5, 2, 4);
    berth_goodput_run *run = training_case_run(&c.workload, BERTH_GOODPUT_TIRESIAS);
    const berth_trained_job *job = &run->jobs[0];
    assert_close(job->start_s, 60, 0);
    assert_close(job->completion_s, 190, 1e-12);
    assert_int_equal(job->restarts, 0);
    assert_close(job->attained_gpu_s, 260, 1e-12);
    assert_int_equal(job->n_spans, 1);
    assert_int_equal(job->spans[0].local, 2);
    assert_close(job->alone_s, 130, 1e-12); /* 100 s of training and a restart */
    assert_close(job->fairness, 185. / 130, 1e-12);
    assert_close(run->mean_s, 185, 1e-12);
    assert_close(run->makespan_s, 190, 1e-12);
    assert_int_equal(run->rounds, 4);
    assert_close(run->utilisation, 260. / (4 * 240), 1e-12);
    done_with(&c, run);
}

/* 50 / 3 s an epoch, rounded to 17 by ticks of a second. */
static void epochs_end_on_ticks(void **state) {
    (void)state;
    for (int tick = 0; tick < 2; tick++) {
        training_case c;
        training_case_plain(&c);
        for (size_t s = 0; s < TRAINING_SIZES; s++)
            c.measured[0].step_s[0][s] = 1. / 3;
        c.workload.tick_s = tick;
        training_case_add(&c, 0, 1, 4);
        berth_goodput_run *run = training_case_run(&c.workload, BERTH_GOODPUT_TIRESIAS);
        assert_close(run->jobs[0].completion_s, 90 + (tick ? 34 : 100. / 3), 1e-12);
        done_with(&c, run);
    }
}

/* The first is demoted at 600 GPU seconds (demote_gpu_s of the case) as soon as others want its GPUs. */
static void tiresias_demotes_and_skips(void **state) {
    (void)state;
    training_case c;
    training_case_plain(&c);
    c.measured[0].progress[0][1] = 1000;
    training_case_add(&c, 0, 3, 4);  /* at 0 + 60 */
    training_case_add(&c, 70, 3, 4); /* does not fit beside it */
    training_case_add(&c, 80, 1, 4); /* does */
    berth_goodput_run *run = training_case_run(&c.workload, BERTH_GOODPUT_TIRESIAS);
    assert_close(run->jobs[2].start_s, 120, 0);
    /* 3 GPUs x 240 s >= 600 at 300 s, 3 x 180 is not */
    assert_close(run->jobs[1].start_s, 300, 0);
    assert_int_equal(run->jobs[0].spans[1].n_nodes, 0);
    assert_close(run->jobs[0].spans[1].at_s, 300, 0);
    assert_int_equal(run->jobs[0].restarts, 1);
    done_with(&c, run);
}

/* Of two equal jobs the one that speeds up gets the GPUs. */
static void optimus_gives_where_time_is_saved(void **state) {
    (void)state;
    training_case c;
    training_case_plain(&c);
    c.workload.n_applications = 2;
    c.applications[1] = c.applications[0];
    c.applications[1].name = "y";
    c.measured[1] = c.measured[0];
    c.applications[1].placements = c.measured[1].placements;
    for (size_t k = 0; k < 4; k++) {
        for (size_t s = 0; s < TRAINING_SIZES; s++)
            c.measured[1].step_s[k][s] = k < 3 ? 4 - (double)k : 2; /* 4, 3, 2, 2 */
        c.measured[1].placements[k].step_s = c.measured[1].step_s[k];
    }
    training_case_add(&c, 0, 4, 8);
    training_case_add(&c, 0, 1, 8);
    c.jobs[1].application = 1;
    berth_goodput_run *run = training_case_run(&c.workload, BERTH_GOODPUT_OPTIMUS);
    assert_int_equal(run->jobs[0].spans[0].nodes[0].gpus, 1);
    assert_int_equal(run->jobs[1].spans[0].nodes[0].gpus, 3);
    done_with(&c, run);
}

/* The slowest GPU sets the pace. */
static void speeds_divide_the_gradient(void **state) {
    (void)state;
    training_case c;
    training_case_plain(&c);
    c.speed[0] = 2; /* 0.25 + 0.75 / 2 */
    training_case_add(&c, 0, 1, 4);
    berth_goodput_run *run = training_case_run(&c.workload, BERTH_GOODPUT_TIRESIAS);
    assert_close(run->jobs[0].completion_s, 90 + 62, 1.01); /* 2 x 31.25, on ticks */
    done_with(&c, run);
}

static void what_cannot_run_ends_the_run(void **state) {
    (void)state;
    training_case c;
    training_case_plain(&c);
    training_case_add(&c, 0, 5, 8);
    training_case_add(&c, 5000, 1, 4);
    berth_goodput_run *run = training_case_run(&c.workload, BERTH_GOODPUT_TIRESIAS);
    assert_int_equal(run->completed, 1);
    assert_true(isnan(run->jobs[0].completion_s));
    done_with(&c, run);
}

/* ---- what is wrong ---- */

static void expect_refused(const training_case *c, const char *where) {
    berth_error error;
    berth_goodput_run *run = NULL;
    berth_goodput_run_options options;
    berth_goodput_run_options_init(&options);
    options.policy = BERTH_GOODPUT_OPTIMUS;
    assert_int_equal(berth_goodput_simulate(&c->workload, &options, &run, &error), BERTH_E_ARGUMENT);
    assert_string_equal(error.where, where);
    assert_null(run);
}

static void wrong_workloads_are_refused(void **state) {
    (void)state;
    training_case c;
#define REFUSED(change, where)                                                                                         \
    do {                                                                                                               \
        training_case_plain(&c);                                                                                       \
        training_case_add(&c, 0, 1, 4);                                                                                \
        change;                                                                                                        \
        expect_refused(&c, where);                                                                                     \
    } while (0)
    REFUSED(c.workload.round_s = 0, "/round_s");
    REFUSED(c.workload.tick_s = 7, "/round_s");
    REFUSED(c.workload.restart_s = (double)NAN, "/restart_s");
    REFUSED(c.gpus[0] = 0, "/nodes/0/gpus");
    REFUSED(c.type[0] = 1, "/nodes/0/gpu_type");
    REFUSED(c.speed[0] = 0, "/gpu_types");
    REFUSED(c.jobs[0].submit_s = -1, "/jobs/0/submit_s");
    REFUSED(c.jobs[0].application = 1, "/jobs/0/application");
    REFUSED(c.jobs[0].batch = 3, "/jobs/0/batch");
    REFUSED(c.jobs[0].replicas = 9, "/jobs/0/replicas");
    REFUSED(c.applications[0].max_local = 0, "/applications/x/max_local");
    REFUSED(c.applications[0].epochs = 0, "/applications/x/epochs");
    REFUSED(c.measured[0].gpus[1][0] = 3, "/applications/x/placements/1/replicas");
    REFUSED(c.measured[0].local[2][1] = 1, "/applications/x/placements/2/local");
    REFUSED(c.measured[0].step_s[2][1] = 0, "/applications/x/placements/2/step_s");
    REFUSED(c.measured[0].sync_s[2][1] = 1, "/applications/x/placements/2/sync_s");
    REFUSED(c.measured[0].trainings[0].batch = 5, "/applications/x/trainings/0/batch");
    REFUSED(c.measured[0].progress[0][1] = 50, "/applications/x/trainings/0/progress");
    REFUSED(c.measured[0].sqr[0][1] = 0, "/applications/x/trainings/0/grad_var");
#undef REFUSED
}

/* ---- files ---- */

static void files_read_back(void **state) {
    (void)state;
    training_case c;
    berth_error error;
    berth_goodput_workload *read = NULL, *again = NULL;
    berth_goodput_run *back = NULL;
    training_case_plain(&c);
    training_case_add(&c, 0, 3, 4);
    training_case_add(&c, 70.5, 3, 4);
    c.speed[0] = 1.5;
    assert_ok(berth_goodput_workload_write(&c.workload, path_of("w.json"), &error), error);
    expect_schema("berth-goodput-jobs-1", "w.json");
    assert_ok(berth_goodput_workload_read(path_of("w.json"), &read, &error), error);
    assert_ok(berth_goodput_workload_write(read, path_of("w2.json.gz"), &error), error);
    assert_ok(berth_goodput_workload_read(path_of("w2.json.gz"), &again, &error), error);
    assert_int_equal(read->crc32, again->crc32);
    berth_goodput_run *run = training_case_run(read, BERTH_GOODPUT_TIRESIAS);
    assert_ok(berth_goodput_run_write(run, read, path_of("r.json"), &error), error);
    expect_schema("berth-goodput-run-1", "r.json");
    assert_ok(berth_goodput_run_read(path_of("r.json"), again, &back, &error), error);
    training_case_violations(again, back, true);
    assert_ok(berth_goodput_run_write(back, again, path_of("r2.json"), &error), error);
    char *first = get_file("r.json"), *second = get_file("r2.json");
    assert_string_equal(first, second);
    berth__free(first);
    berth__free(second);
    berth_goodput_run_free(run);
    berth_goodput_run_free(back);
    /* the same jobs on another cluster are another workload */
    back = NULL;
    c.gpus[0] = 3;
    assert_ok(berth_goodput_workload_write(&c.workload, path_of("w.json"), &error), error);
    berth_goodput_workload_free(read);
    assert_ok(berth_goodput_workload_read(path_of("w.json"), &read, &error), error);
    assert_int_equal(berth_goodput_run_read(path_of("r.json"), read, &back, &error), BERTH_E_MISMATCH);
    assert_string_equal(error.where, "/workload_crc32");
    berth_goodput_workload_free(read);
    berth_goodput_workload_free(again);
}

/* A whole small workload, with holes for what is to be wrong. */
#define WORKLOAD(NODES, PLACEMENT, TRAINING, JOB)                                                                      \
    "{\"format\": \"berth-goodput-jobs-1\", \"name\": \"n\", \"nodes\": [" NODES "],\n\"applications\": {\"x\": "      \
    "{\"m0\": 4, \"max_batch\": 8, \"min_local\": 1, \"max_local\": 8,\n\"placements\": [" PLACEMENT                   \
    "],\n\"trainings\": [" TRAINING "]}},\n\"jobs\": [" JOB "]}\n"
#define NODE      "{\"name\": \"a\", \"gpus\": 2}"
#define PLACEMENT "{\"gpus\": [1], \"local\": [4], \"step_s\": [1], \"sync_s\": [0]}"
#define TRAINING  "{\"batch\": 4, \"progress\": [1], \"iterations\": [1], \"grad_sqr\": [1], \"grad_var\": [1]}"
#define JOB       "{\"id\": \"j\", \"submit_s\": 0, \"application\": \"x\"}"

static void wrong_files_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *text, *where;
    } cases[] = {
        {"{\"format\": \"berth-jobs-1\"}", "/format"},
        {WORKLOAD("{\"name\": \"a\"}", PLACEMENT, TRAINING, JOB), "/nodes/0/gpus"},
        {WORKLOAD(NODE "," NODE, PLACEMENT, TRAINING, JOB), "/nodes"},
        {WORKLOAD("{\"name\": \"a\", \"gpus\": 1, \"count\": 0}", PLACEMENT, TRAINING, JOB), "/nodes/0/count"},
        {WORKLOAD("{\"name\": \"a\", \"gpus\": 1, \"gpu_type\": \"q\"}", PLACEMENT, TRAINING, JOB),
         "/nodes/0/gpu_type"},
        {WORKLOAD(NODE, "{\"gpus\": [1], \"local\": [4], \"step_s\": [1, 2], \"sync_s\": [0]}", TRAINING, JOB),
         "/applications/x/placements/0/step_s"},
        {WORKLOAD(NODE, "{\"local\": [4], \"step_s\": [1], \"sync_s\": [0]}", TRAINING, JOB),
         "/applications/x/placements/0/nodes"},
        {WORKLOAD(NODE, "{\"gpus\": [0], \"local\": [4], \"step_s\": [1], \"sync_s\": [0]}", TRAINING, JOB),
         "/applications/x/placements/0/gpus/0"},
        {WORKLOAD(NODE, PLACEMENT, "{\"batch\": 4}", JOB), "/applications/x/trainings/0/progress"},
        {WORKLOAD(NODE, PLACEMENT, "", JOB), "/applications/x/trainings"},
        {WORKLOAD("", PLACEMENT, TRAINING, JOB), "/nodes"},
        {WORKLOAD(NODE, PLACEMENT, TRAINING, JOB "," JOB), "/jobs"},
        {WORKLOAD(NODE, PLACEMENT, TRAINING, "{\"id\": \"j\", \"submit_s\": 0, \"application\": \"y\"}"),
         "/jobs/0/application"},
        {WORKLOAD(NODE, PLACEMENT, TRAINING,
                  "{\"id\": \"j\", \"submit_s\": 0, \"application\": \"x\", \"replicas\": 1.5}"),
         "/jobs/0/replicas"},
        {WORKLOAD(NODE, PLACEMENT, TRAINING, "{\"id\": \"j\", \"submit_s\": 0, \"application\": \"x\", \"batch\": 9}"),
         "/jobs/0/batch"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        berth_error error;
        berth_goodput_workload *read = NULL;
        put_file("bad.json", cases[k].text);
        if (berth_goodput_workload_read(path_of("bad.json"), &read, &error) != BERTH_E_INPUT ||
            strcmp(error.where, cases[k].where) != 0)
            fail_msg("case %zu: %s at %s: %s", k, berth_status_name(error.status), error.where, error.message);
        assert_null(read);
    }
    berth_error error;
    berth_goodput_workload *read = NULL;
    put_file("good.json", WORKLOAD(NODE, PLACEMENT, TRAINING, JOB));
    assert_ok(berth_goodput_workload_read(path_of("good.json"), &read, &error), error);
    berth_goodput_workload_free(read);
}

static void wrong_runs_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *from, *to, *where;
    } cases[] = {
        {"\"restarts\": 0", "\"restarts\": -1", "/summary/restarts"},
        {"\"nodes\": [\"a\"]", "\"nodes\": [\"b\"]", "/jobs/0/spans/0/nodes/0"},
        {"\"gpus\": [3]", "\"gpus\": [3, 1]", "/jobs/0/spans/0/gpus"},
        {"\"gpus\": [3]", "\"gpus\": [0]", "/jobs/0/spans/0/gpus/0"},
        {"\"local\": 2", "\"local\": 0", "/jobs/0/spans/0/local"},
        {"\"id\": \"j0\"", "\"id\": \"j9\"", "/jobs/0/id"},
        {"\"workload\": \"case\"", "\"workload\": \"other\"", "/workload"},
        {"\"nodes\": [\"a\"], ", "", "/jobs/0/spans/0/nodes"},
        {"\"rounds\"", "\"round\"", "/round"},
    };
    training_case c;
    berth_error error;
    training_case_plain(&c);
    training_case_add(&c, 0, 3, 4);
    berth_goodput_run *run = training_case_run(&c.workload, BERTH_GOODPUT_TIRESIAS);
    assert_ok(berth_goodput_run_write(run, &c.workload, path_of("run.json"), &error), error);
    char *text = get_file("run.json");
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char changed[8192];
        berth_goodput_run *read = NULL;
        const char *at = strstr(text, cases[k].from);
        assert_non_null(at);
        snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - text), text, cases[k].to, at + strlen(cases[k].from));
        put_file("bad.json", changed);
        const berth_status status = berth_goodput_run_read(path_of("bad.json"), &c.workload, &read, &error);
        if (status == BERTH_OK || strcmp(error.where, cases[k].where) != 0)
            fail_msg("case %zu: %s at %s: %s", k, berth_status_name(status), error.where, error.message);
    }
    berth__free(text);
    berth_goodput_run_free(run);
}

/* ---- import ---- */

static void put_application(const char *folder) {
    char name[64];
    mkdir(path_of("apps"), 0777);
    mkdir(path_of(folder), 0777);
    snprintf(name, sizeof name, "%s/placements.csv", folder);
    put_file(name, "placement,local_bsz,step_time,sync_time\n1,4,2,0.5\n1,2,1,0.25\n21,2,3,1\n");
    snprintf(name, sizeof name, "%s/scalability.csv", folder);
    put_file(name, "num_nodes,num_replicas,local_bsz,step_time,sync_time\n4,8,2,5,1\n");
    snprintf(name, sizeof name, "%s/validation-4.csv", folder);
    put_file(name, "progress,iteration,metric,grad_sqr,grad_var\n5,5,0,1,2\n10,10,0,1,2\n");
    snprintf(name, sizeof name, "%s/validation-16.csv", folder);
    put_file(name, "progress,iteration,metric,grad_sqr,grad_var\n6,2,0,1,2\n11,4,0,1,2\n12,5,0,1,2\n");
}

static void remove_applications(void) {
    static const char *const folders[] = {"apps/ncf", "apps/other"};
    static const char *const files[] = {"placements.csv", "scalability.csv", "validation-4.csv", "validation-16.csv"};
    for (size_t k = 0; k < sizeof folders / sizeof *folders; k++) {
        for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
            char name[64];
            snprintf(name, sizeof name, "%s/%s", folders[k], files[i]);
            unlink(path_of(name));
        }
        rmdir(path_of(folders[k]));
    }
    rmdir(path_of("apps"));
}

static void traces_are_imported(void **state) {
    (void)state;
    berth_error error;
    berth_goodput_workload *w = NULL, *again = NULL;
    char folder[512];
    put_application("apps/ncf");
    put_file("trace.v1.csv", "time,application,num_replicas,batch_size\n7,ncf,1,16\n9.5,ncf,2,4\n");
    snprintf(folder, sizeof folder, "%s", path_of("apps"));
    assert_int_equal(berth_goodput_import(path_of("trace.v1.csv"), folder, 2, 4, &w, &error), BERTH_E_INPUT);
    assert_string_equal(error.where, "/applications/ncf/batch"); /* ncf's 32768 is more than 16 */
    put_application("apps/other");
    put_file("trace.v1.csv", "name,time,application,num_replicas,batch_size\np,7,other,1,16\nq,9.5,other,2,4\n");
    assert_ok(berth_goodput_import(path_of("trace.v1.csv"), folder, 2, 4, &w, &error), error);
    assert_string_equal(w->name, "trace");
    assert_string_equal(w->jobs[1].id, "q");
    assert_close(w->jobs[1].submit_s, 9.5, 0);
    const berth_application *app = &w->applications[0];
    assert_int_equal(app->n_placements, 3);
    assert_int_equal(app->epochs, 2);
    assert_close(app->m0, 4, 0);
    assert_close(app->max_batch, 16, 0);
    assert_close(app->min_local, 2, 0);
    assert_close(app->max_local, 4, 0);
    assert_int_equal(app->placements[0].local[0], 2); /* sorted */
    assert_int_equal(app->placements[1].nodes, 2);
    assert_int_equal(app->placements[1].replicas, 3);
    assert_null(app->placements[2].gpus);
    /* the measurements again, out of the workload */
    assert_ok(berth_goodput_workload_write(w, path_of("w.json"), &error), error);
    snprintf(folder, sizeof folder, "%s", path_of("w.json"));
    assert_ok(berth_goodput_import(path_of("trace.v1.csv"), folder, 2, 4, &again, &error), error);
    assert_int_equal(w->crc32, again->crc32);
    berth_goodput_workload_free(w);
    berth_goodput_workload_free(again);
    remove_applications();
}

static void wrong_traces_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *text;
        long line;
    } cases[] = {
        {"", 1},
        {"name,time,application,batch_size\n", 1},
        {"name,time,application,num_replicas,batch_size\n", 1},
        {"name,time,application,num_replicas,batch_size\nj,x,other,1,4\n", 2},
        {"name,time,application,num_replicas,batch_size\nj,0,other,1\n", 2},
        {"name,time,application,num_replicas,batch_size\nj,0,other,0,4\n", 2},
        {"name,time,application,num_replicas,batch_size\nj,0,../other,1,4\n", 0},
    };
    char folder[512];
    put_application("apps/other");
    snprintf(folder, sizeof folder, "%s", path_of("apps"));
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        berth_error error;
        berth_goodput_workload *w = NULL;
        put_file("bad.csv", cases[k].text);
        const berth_status status = berth_goodput_import(path_of("bad.csv"), folder, 2, 4, &w, &error);
        if (status != BERTH_E_INPUT || error.line != cases[k].line)
            fail_msg("case %zu: %s in line %ld: %s", k, berth_status_name(status), error.line, error.message);
        assert_null(w);
    }
    remove_applications();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(step_times_are_interpolated),
        cmocka_unit_test(batches_are_split),
        cmocka_unit_test(noise_is_interpolated),
        cmocka_unit_test(one_job_by_hand),
        cmocka_unit_test(epochs_end_on_ticks),
        cmocka_unit_test(tiresias_demotes_and_skips),
        cmocka_unit_test(optimus_gives_where_time_is_saved),
        cmocka_unit_test(speeds_divide_the_gradient),
        cmocka_unit_test(what_cannot_run_ends_the_run),
        cmocka_unit_test(wrong_workloads_are_refused),
        cmocka_unit_test(files_read_back),
        cmocka_unit_test(wrong_files_are_refused),
        cmocka_unit_test(wrong_runs_are_refused),
        cmocka_unit_test(traces_are_imported),
        cmocka_unit_test(wrong_traces_are_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
