#include "tests/support/import_case.h"

#include "tests/support/check.h"
#include "tests/support/checked_run.h"
#include "tests/support/own_folder.h"

#include <string.h>

#include "base/alloc.h"
#include "formats/instance_json.h"
#include "formulations/placement.h"

berth_import_options import_defaults(void) {
    berth_import_options options;
    berth_import_options_init(&options);
    options.slot_seconds = 100;
    return options;
}

void import_adds_up(const berth_import_report *report, bool finished) {
    size_t skipped = 0;
    for (int k = 0; k < BERTH_N_SKIPS; k++) {
        skipped += report->skipped[k];
        assert_true((report->skipped[k] > 0) == (report->first_line[k] > 0));
    }
    if (finished) {
        assert_int_equal(report->rows, report->imported + skipped);
        assert_true(report->jobs <= report->imported);
    }
    assert_true(report->n_first_bad <= report->skipped[BERTH_SKIP_MALFORMED]);
    for (size_t i = 0; i < report->n_first_bad; i++) {
        assert_true(report->first_bad[i].line > 0 && report->first_bad[i].problem[0] != '\0');
    }
    for (int k = 0; k < BERTH_N_MADE; k++) {
        assert_true(report->synthesised[k] <= report->jobs);
    }
}

void import_sound(const berth_instance *instance) {
    berth_error error;
    for (size_t i = 0; i < instance->n_jobs; i++) {
        assert_ok(berth__job_validate(&instance->jobs[i], instance->n_resources, instance->resources,
                                      instance->horizon_slots, &error),
                  error);
    }
    char *text = NULL;
    size_t length = 0;
    berth_instance *again = NULL;
    assert_ok(berth__instance_text(instance, &text, &length, &error), error);
    assert_ok(berth_instance_parse(text, length, &again, &error), error);
    assert_int_equal(again->crc32, instance->crc32);
    berth__free(text);
    berth_instance_free(again);
}

berth_instance *import_files(const char *kind, const char *const *paths, size_t n_paths,
                             const berth_import_options *options, berth_import_report *report) {
    berth_instance *instance = NULL;
    berth_error error;
    assert_ok(berth_import(kind, paths, n_paths, options, &instance, report, &error), error);
    assert_non_null(instance);
    import_adds_up(report, true);
    assert_int_equal(report->jobs, instance->n_jobs);
    import_sound(instance);
    return instance;
}

berth_instance *import_text(const char *kind, const char *text, const char *second, const berth_import_options *options,
                            berth_import_report *report) {
    put_file("trace", text);
    if (second != NULL) {
        put_file("second", second);
    }
    const char *const paths[] = {path_of("trace"), path_of("second")};
    return import_files(kind, paths, second == NULL ? 1 : 2, options, report);
}

void import_refused(const char *kind, const char *text, const char *second, const berth_import_options *options,
                    berth_status status, long line, const char *message) {
    put_file("trace", text);
    if (second != NULL) {
        put_file("second", second);
    }
    const char *const paths[] = {path_of("trace"), path_of("second")};
    berth_instance *instance = (berth_instance *)(uintptr_t)16;
    berth_import_report report;
    berth_error error = {.line = -1};
    assert_int_equal(berth_import(kind, paths, second == NULL ? 1 : 2, options, &instance, &report, &error), status);
    assert_null(instance);
    import_adds_up(&report, false);
    if (strstr(error.message, message) == NULL && strstr(error.where, message) == NULL) {
        fail_msg("expected \"%s\", got %s:%ld: %s", message, error.where, error.line, error.message);
    }
    assert_int_equal(error.line, line);
}

size_t import_run(const berth_instance *instance) {
    berth_options options;
    berth_backends *set = NULL;
    double dual = 0;
    checked_run_options("pdors-ci", &options, &set);
    berth_run *run = audited_run(instance, &options, 1, instance->name, &dual);
    assert_true(run->utility <= dual * (1 + 1e-9));
    size_t completed = run->summary.completed;
    berth_run_free(run);
    berth_backends_free(set);
    return completed;
}

const berth_job *import_job(const berth_instance *instance, const char *id) {
    for (size_t i = 0; i < instance->n_jobs; i++) {
        if (strcmp(instance->jobs[i].id, id) == 0) {
            return &instance->jobs[i];
        }
    }
    fail_msg("no job %s", id);
    return NULL;
}

bool import_allows(const berth_job *job, const char *machine) {
    return job->n_allow == 0 || berth__glob_any(job->n_allow, job->allow, machine);
}
