/* Memory that runs out at any allocation of deciding, running, checking, generating, importing and writing: E_MEMORY,
 * nothing leaked (under a sanitizer), nothing half made, no file left behind. The LP solvers' own allocations are not
 * part of it. Runs from the top folder, in a library built with BERTH_TESTING_ALLOC. */
#define _POSIX_C_SOURCE 200809L
#include "tests/support/backends.h"
#include "tests/support/check.h"
#include "tests/support/oom_sweep.h"

#include <berth_io.h>

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- what is shared ---- */

/* Two machines of one GPU and a job that needs both, so that something is rounded; one of a tenant with a quota; one
 * kept from a machine. */
static const char instance_text[] =
    "{\"format\":\"berth-jobs-1\",\"name\":\"oom\",\"slot_seconds\":10,\"horizon_slots\":3,\"resources\":[\"gpu\"],"
    "\"machines\":[{\"name\":\"m\",\"count\":2,\"capacity\":{\"gpu\":1.5}}],\"quotas\":{\"t\":{\"gpu\":1}},"
    "\"jobs\":[{\"id\":\"wide\",\"arrival_slot\":0,\"epochs\":1,\"samples\":20,\"batch\":4,\"max_workers\":2,"
    "\"sample_seconds\":1,\"gradient_mb\":0,\"bandwidth_internal_mb_s\":1,\"bandwidth_external_mb_s\":1,"
    "\"worker\":{\"gpu\":1},\"ps\":null,\"utility\":{\"kind\":\"steps\",\"table\":[[0,9],[2,5]]}},"
    "{\"id\":\"small\",\"tenant\":\"t\",\"arrival_slot\":1,\"epochs\":1,\"samples\":5,\"batch\":1,"
    "\"sample_seconds\":1,\"gradient_mb\":0,\"workers_per_ps\":1,\"bandwidth_internal_mb_s\":1,"
    "\"bandwidth_external_mb_s\":1,\"worker\":{\"gpu\":0.5},\"ps\":{\"gpu\":0.1},\"avoid\":[\"m-0\"],"
    "\"utility\":{\"kind\":\"constant\",\"value\":3}}]}";

/* Of the present round of the tests. */
static const char *policy;

static bool rounds_at_random(void) {
    return strcmp(policy, "pdors") == 0;
}

typedef struct world {
    berth_instance *instance;
    berth_cluster cluster;
    berth_options options;
    berth_backends *backends;
    berth_scheduler *scheduler;
    berth_run *run;
    berth_report *report;
    char folder[32], path[64], certificate[64];
} world;

static world *world_new(void) {
    static const char template[] = "/tmp/berth-oom-XXXXXX";
    world *w = test_calloc(1, sizeof *w);
    berth_error error;
    assert_ok(berth_instance_parse(instance_text, strlen(instance_text), &w->instance, &error), error);
    berth_instance_cluster(w->instance, &w->cluster);
    berth_options_init(&w->options);
    w->options.policy = policy;
    w->backends = all_backends();
    w->options.backends = w->backends;
    w->options.threads = 1;
#ifdef BERTH_WITH_GLPK
    w->options.bound = BERTH_BOUND_EXACT; /* includes the others */
#else
    w->options.bound = BERTH_BOUND_LP;
#endif
    memcpy(w->folder, template, sizeof template);
    assert_non_null(mkdtemp(w->folder));
    snprintf(w->path, sizeof w->path, "%s/out.json", w->folder);
    snprintf(w->certificate, sizeof w->certificate, "%s/certificate.json", w->folder);
    return w;
}

static void world_free(world *w) {
    berth_report_free(w->report);
    berth_run_free(w->run);
    berth_scheduler_free(w->scheduler);
    berth_backends_free(w->backends);
    berth_instance_free(w->instance);
    remove(w->path);
    remove(w->certificate);
    assert_int_equal(rmdir(w->folder), 0); /* fails if anything else is in it */
    test_free(w);
}

static void make_run(world *w) {
    berth_error error;
    assert_ok(berth_run_online(w->instance, &w->options, &w->run, NULL, &error), error);
    assert_int_equal(w->run->summary.admitted, strcmp(policy, "oasis") == 0 ? 1 : 2); /* its groups are smaller */
    assert_true(!rounds_at_random() || w->run->rounding->problems > 0);
}

static void open_scheduler(world *w) {
    static double upper[] = {30}, lower[] = {0.01};
    berth_price_bounds bounds = {.struct_size = sizeof bounds, .n_resources = 1, .upper = upper, .lower = lower};
    berth_error error;
    assert_ok(berth_scheduler_new(&w->cluster, &bounds, &w->options, &w->scheduler, &error), error);
}

/* A complete file's folder is synchronised if memory allows. */
enum { SYNCS = 1 };

static int files_in(const char *folder) {
    int n = 0;
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (const struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        n += entry->d_name[0] != '.' || strlen(entry->d_name) > 2;
    }
    closedir(dir);
    return n;
}

/* ---- runs ---- */

static berth_status try_run(void *user, berth_error *error) {
    world *w = user;
    berth_run *run = NULL;
    berth_timings timings;
    berth_status status = berth_run_online(w->instance, &w->options, &run, &timings, error);
    assert_true((run != NULL) == (status == BERTH_OK));
    assert_true((timings.decision_us != NULL) == (status == BERTH_OK));
    berth_timings_clear(&timings);
    berth_run_free(run);
    return status;
}

static void test_run(void **state) {
    (void)state;
    world *w = world_new();
    make_run(w);
    assert_true(oom_sweep("run", try_run, w, 0) > 100);
    w->options.repair = true;
    assert_true(oom_sweep("run with repair", try_run, w, 0) > 100);
    w->options.backends = NULL;
    w->options.bound = BERTH_BOUND_LP;
#ifdef BERTH_WITH_CLP
    if (strcmp(policy, "dorm") != 0) { /* none of them solves its integer programmes */
        assert_true(oom_sweep("run on the built-in solvers", try_run, w, 0) > 100);
    }
#endif
    world_free(w);
}

/* Each draw fails, so that repair has something to do. */
static void test_run_that_repairs(void **state) {
    (void)state;
    world *w = world_new();
    w->options.repair = true;
    w->options.trials = 1;
    w->options.scale_rule = BERTH_SCALE_GIVEN;
    w->options.scale = 1e-9;
    make_run(w);
    assert_true(!rounds_at_random() || w->run->rounding->repaired > 0);
    assert_true(oom_sweep("run that repairs", try_run, w, 0) > 100);
    world_free(w);
}

#ifdef BERTH_WITH_GLPK
static void test_run_on_glpk(void **state) {
    (void)state;
    if (strncmp(policy, "pdors", 5) != 0) {
        skip(); /* works without a solver */
    }
    world *w = world_new();
    w->options.solver = "glpk";
    make_run(w);
    assert_true(oom_sweep("run on glpk", try_run, w, 0) > 100);
    world_free(w);
}
#endif

static berth_status try_write_run(void *user, berth_error *error) {
    world *w = user;
    remove(w->path);
    berth_status status = berth_run_write(w->run, w->instance, w->path, NULL, error);
    assert_int_equal(files_in(w->folder), status == BERTH_OK);
    return status;
}

/* Two files: the first may be complete when the second is not. */
static berth_status try_write_run_apart(void *user, berth_error *error) {
    world *w = user;
    remove(w->path);
    remove(w->certificate);
    berth_status status = berth_run_write(w->run, w->instance, w->path, w->certificate, error);
    assert_true(status == BERTH_OK ? files_in(w->folder) == 2 : files_in(w->folder) <= 1);
    return status;
}

static void test_writing_a_run(void **state) {
    (void)state;
    world *w = world_new();
    make_run(w);
    assert_true(oom_sweep("write run", try_write_run, w, SYNCS) > 2);
    assert_true(oom_sweep("write run and certificate", try_write_run_apart, w, 2 * SYNCS) > 2);
    world_free(w);
}

/* ---- checking ---- */

static berth_status try_check(void *user, berth_error *error) {
    world *w = user;
    berth_report *report = NULL;
    berth_status status = berth_check(w->instance, w->run, NULL, &report, error);
    assert_true((report != NULL) == (status == BERTH_OK));
    berth_report_free(report);
    return status;
}

static berth_status try_write_report(void *user, berth_error *error) {
    world *w = user;
    remove(w->path);
    berth_status status = berth_report_write(w->report, w->path, error);
    assert_int_equal(files_in(w->folder), status == BERTH_OK);
    return status;
}

static void test_check(void **state) {
    (void)state;
    world *w = world_new();
    make_run(w);
    assert_true(oom_sweep("check", try_check, w, 0) > 20);
    w->run->bounds.dual = w->run->utility / 2; /* findings take memory too */
    w->run->bounds.ratio = 7;
    berth_error error;
    assert_ok(berth_check(w->instance, w->run, NULL, &w->report, &error), error);
    assert_true(w->report->n_violations >= 2);
    assert_true(oom_sweep("check with findings", try_check, w, 0) > 20);
    assert_true(oom_sweep("write report", try_write_report, w, SYNCS) > 2);
    world_free(w);
}

/* A job early, one late. */
static void test_run_with_noise(void **state) {
    (void)state;
    world *w = world_new();
    w->options.noise = 1;
    w->options.seed = 3;
    make_run(w);
    assert_true(w->run->estimation->early + w->run->estimation->late + w->run->estimation->unfinished > 0);
    assert_true(oom_sweep("run with noise", try_run, w, 0) > 50);
    assert_true(oom_sweep("write run with noise", try_write_run, w, SYNCS) > 2);
    assert_true(oom_sweep("check run with noise", try_check, w, 0) > 5);
    world_free(w);
}

/* ---- the scheduler ---- */

static berth_status try_scheduler(void *user, berth_error *error) {
    world *w = user;
    double upper[] = {30}, lower[] = {0.01};
    berth_price_bounds bounds = {.struct_size = sizeof bounds, .n_resources = 1, .upper = upper, .lower = lower};
    berth_scheduler *s = NULL;
    berth_status status = berth_scheduler_new(&w->cluster, &bounds, &w->options, &s, error);
    assert_true((s != NULL) == (status == BERTH_OK));
    berth_scheduler_free(s);
    return status;
}

/* A failed decision commits nothing and counts for nothing. */
static berth_status try_submit(void *user, berth_error *error) {
    world *w = user;
    berth_decision *d = NULL;
    berth_status status = berth_submit(w->scheduler, &w->instance->jobs[0], &d, error);
    assert_true((d != NULL) == (status == BERTH_OK));
    assert_true((berth_used(w->scheduler, 0, 0, 0) > 0) == (status == BERTH_OK));
    berth_decision_free(d);
    return status;
}

static berth_status try_what_if(void *user, berth_error *error) {
    world *w = user;
    berth_decision *d = NULL;
    berth_status status = berth_what_if(w->scheduler, &w->instance->jobs[1], &d, error);
    assert_true((d != NULL) == (status == BERTH_OK));
    berth_decision_free(d);
    return status;
}

static berth_status try_explain(void *user, berth_error *error) {
    world *w = user;
    berth_job cheap = w->instance->jobs[1];
    cheap.utility = (berth_utility){.kind = BERTH_UTILITY_LINEAR, .value = 1e-6, .deadline_slots = 9};
    berth_explanation *e = NULL;
    berth_status status = berth_explain(w->scheduler, &cheap, &e, error);
    assert_true((e != NULL) == (status == BERTH_OK));
    assert_true(e == NULL || (!e->admitted && e->utility_factor.found));
    berth_explanation_free(e);
    return status;
}

static void test_scheduler(void **state) {
    (void)state;
    if (!berth_policy_promises(policy)) {
        skip();
    }
    world *w = world_new();
    assert_true(oom_sweep("new scheduler", try_scheduler, w, 0) > 10);
    w->options.backends = NULL;
#ifdef BERTH_WITH_CLP
    assert_true(oom_sweep("new scheduler on the built-in solvers", try_scheduler, w, 0) > 10);
#endif
    w->options.backends = w->backends;
    open_scheduler(w);
    /* Few: memory got in one attempt is there in the next. Runs have schedulers of their own each time. */
    assert_true(oom_sweep("what if", try_what_if, w, 0) > 3);
    if (strcmp(policy, "pdors-ci") == 0) { /* the same under all, but for dry runs */
        assert_true(oom_sweep("explain", try_explain, w, 0) > 50);
    }
    assert_true(oom_sweep("submit", try_submit, w, 0) > 3);
    world_free(w);
}

static berth_status try_price_bounds(void *user, berth_error *error) {
    world *w = user;
    berth_price_bounds bounds;
    berth_status status =
        berth_price_bounds_compute(&w->cluster, w->instance->jobs, w->instance->n_jobs, 0, &bounds, error);
    assert_true((bounds.upper != NULL && bounds.lower != NULL) == (status == BERTH_OK));
    berth_price_bounds_clear(&bounds);
    return status;
}

static void test_price_bounds(void **state) {
    (void)state;
    world *w = world_new();
    assert_true(oom_sweep("price bounds", try_price_bounds, w, 0) > 10);
    world_free(w);
}

/* ---- instances from elsewhere ---- */

static berth_status take_instance(berth_status status, berth_instance *instance) {
    assert_true((instance != NULL) == (status == BERTH_OK));
    berth_instance_free(instance);
    return status;
}

static berth_status try_generate_pdors(void *user, berth_error *error) {
    berth_instance *instance = NULL;
    berth_status status = berth_generate_pdors(user, &instance, error);
    return take_instance(status, instance);
}

static berth_status try_generate_tiny(void *user, berth_error *error) {
    berth_instance *instance = NULL;
    berth_status status = berth_generate_tiny(*(const uint64_t *)user, &instance, error);
    return take_instance(status, instance);
}

static void test_generating(void **state) {
    (void)state;
    berth_generate_pdors_options options;
    berth_generate_pdors_options_init(&options);
    options.machines = 2;
    options.jobs = 2;
    options.slots = 4;
    options.heterogeneous = true;
    assert_true(oom_sweep("generate pdors", try_generate_pdors, &options, 0) > 5);
    for (uint64_t seed = 1; seed <= 5; seed++) {
        assert_true(oom_sweep("generate tiny", try_generate_tiny, &seed, 0) > 5);
    }
}

static berth_status try_import(void *user, berth_error *error) {
    berth_instance *instance = NULL;
    berth_import_report counts;
    berth_status status = berth_import("philly-csv", (const char *const[]){"instances/philly/philly-sample.csv"}, 1,
                                       user, &instance, &counts, error);
    return take_instance(status, instance);
}

static void test_importing(void **state) {
    (void)state;
    berth_import_options options;
    berth_import_options_init(&options);
    options.slots = 48;
    options.machines = 2;
    options.max_jobs = 3;
    options.utility = "pdors";
    assert_true(oom_sweep("import", try_import, &options, 0) > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_run),
        cmocka_unit_test(test_run_that_repairs),
#ifdef BERTH_WITH_GLPK
        cmocka_unit_test(test_run_on_glpk),
#endif
        cmocka_unit_test(test_writing_a_run),
        cmocka_unit_test(test_check),
        cmocka_unit_test(test_run_with_noise),
        cmocka_unit_test(test_scheduler),
        cmocka_unit_test(test_price_bounds),
        cmocka_unit_test(test_generating),
        cmocka_unit_test(test_importing),
    };
    int failed = 0;
    for (size_t i = 0; berth_policy_names()[i] != NULL; i++) {
        policy = berth_policy_names()[i];
        if (has_solver_of(policy)) {
            failed += cmocka_run_group_tests_name(policy, tests, NULL, NULL);
        }
    }
    return failed;
}
