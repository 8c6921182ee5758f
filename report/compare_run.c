#define _POSIX_C_SOURCE 200809L
#include "report/compare_run.h"

#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/numeric.h"
#include "base/sort.h"
#include "formats/compare_run_json.h"
#include "report/fairness.h"

/* Whose run the search for an instance's bound starts from: quick, and never short of a solver. */
static const char bounding_policy[] = "fifo";

/* ---- where it is kept ---- */

berth_status berth__compare_state_open(const char *folder, berth_error *error) {
    struct stat is;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        return berth__fail(error, BERTH_E_IO, folder, "cannot make the folder: %s", strerror(errno));
    }
    if (stat(folder, &is) != 0 || !S_ISDIR(is.st_mode)) {
        return berth__fail(error, BERTH_E_IO, folder, "is not a folder");
    }
    if (access(folder, W_OK | X_OK) != 0) {
        return berth__fail(error, BERTH_E_IO, folder, "cannot write there: %s", strerror(errno));
    }
    return BERTH_OK;
}

/* All that a task's values depend on, the machine apart. NULL: out of memory. */
static char *key_of(const berth__compare_task *task, berth__arena *arena) {
    const berth_options *o = task->run;
    const berth_backends *backends = task->options->run.backends;
    char *key = berth__arena_printf(arena, "berth %s", berth_version());
    for (size_t i = 0; key != NULL && backends != NULL && i < berth_backends_count(backends); i++) {
        key = berth__arena_printf(arena, "%s, %s %s", key, berth_backends_name(backends, i),
                                  berth_backends_version(backends, i));
    }
    if (key != NULL) {
        key = berth__arena_printf(
            arena, "%s; instance %08" PRIx32 " of %zu jobs, %zu machines; levels %d, delay %.17g, noise %.17g", key,
            task->instance->crc32, task->instance->n_jobs, task->instance->n_machines, o->levels, o->restart_delay_s,
            o->noise);
    }
    if (key == NULL) {
        return NULL;
    }
    if (task->policy == NULL) {
        return berth__arena_printf(arena, "%s; bound %d, gap %.17g, seconds %.17g", key, (int)o->bound, o->bound_gap,
                                   task->options->bound_time_s);
    }
    return berth__arena_printf(
        arena,
        "%s; policy %s, seed %" PRIu64 ", solver %s, delta %.17g, favour %d, scale %d %.17g, trials %d, repair %d, "
        "effort %d, fifo %d, dorm %.17g %.17g",
        key, task->policy, task->seed, o->solver, o->delta, (int)o->favour, (int)o->scale_rule, o->scale, o->trials,
        (int)o->repair, (int)o->effort, o->fifo_workers, o->dorm_fairness, o->dorm_adjust);
}

/* FNV-1a, 64 bits: what it does not tell apart, the key in the file does. */
static uint64_t hash_of(const char *text) {
    uint64_t hash = UINT64_C(14695981039346656037);
    for (; *text != '\0'; text++) {
        hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
    }
    return hash;
}

static char *path_of(const berth__compare_task *task, const char *key, berth__arena *arena) {
    return berth__arena_printf(arena, "%s/%s-%" PRIu64 "-%016" PRIx64 ".json", task->options->state,
                               task->policy != NULL ? task->policy : "bound", task->seed, hash_of(key));
}

/* What the values of a task can be; returns how many there are. */
static size_t kinds_of(const berth__compare_task *task, berth__kept_value kinds[BERTH_N_METRICS]) {
    static const char *const names[] = {
#define NAME(metric, name, text) name,
        BERTH_METRIC_TABLE(NAME)
#undef NAME
    };
    const double jobs = (double)task->instance->n_jobs, slots = task->instance->horizon_slots;
    if (task->policy == NULL) {
        kinds[0] = (berth__kept_value){.name = "bound", .max = DBL_MAX, .nullable = true};
        return 1;
    }
    for (size_t m = 0; m < BERTH_N_METRICS; m++) {
        kinds[m] = (berth__kept_value){.name = names[m], .max = DBL_MAX, .nullable = true};
    }
    kinds[BERTH_METRIC_UTILITY].nullable = false;
    kinds[BERTH_METRIC_ADMITTED] = (berth__kept_value){"admitted", 0, jobs, true, false};
    kinds[BERTH_METRIC_COMPLETED] = (berth__kept_value){"completed", 0, jobs, true, false};
    kinds[BERTH_METRIC_MEAN_DELAY].max = kinds[BERTH_METRIC_MEDIAN_DELAY].max = slots;
    kinds[BERTH_METRIC_P95_DELAY].max = kinds[BERTH_METRIC_MAKESPAN].max = slots;
    kinds[BERTH_METRIC_UTILISATION].max = 1 + 1e-6; /* of the tolerance of capacities */
    return BERTH_N_METRICS;
}

/* ---- figures of a run ---- */

/* Mean and worst, and the 95th percentile of delays, over completed jobs. */
static berth_status measure_jobs(const berth_instance *instance, const berth_run *run, double *values,
                                 berth_error *error) {
    double *rho = BERTH__NEW_ARRAY(double, run->n_jobs), *delays = BERTH__NEW_ARRAY(double, run->n_jobs);
    size_t n = 0;
    double sum = 0, worst = 0;
    berth_status status = rho == NULL || delays == NULL ? berth__fail_memory(error)
                                                        : berth__finish_time_fairness(instance, run, rho, error);
    for (size_t job = 0; status == BERTH_OK && job < run->n_jobs; job++) {
        if (run->jobs[job].outcome == BERTH_JOB_COMPLETED) {
            delays[n++] = run->jobs[job].delay_slots;
            sum += rho[job];
            worst = fmax(worst, rho[job]);
        }
    }
    if (status == BERTH_OK && n > 0) {
        berth__sort(delays, n);
        values[BERTH_METRIC_P95_DELAY] = berth__quantile(delays, n, 0.95);
        values[BERTH_METRIC_MEAN_FAIRNESS] = sum / (double)n;
        values[BERTH_METRIC_WORST_FAIRNESS] = worst;
    }
    berth__free(rho);
    berth__free(delays);
    return status;
}

static berth_status measure(const berth_instance *instance, const berth_run *run, const berth_timings *timings,
                            double *values, berth_error *error) {
    double used = (double)NAN;
    for (size_t r = 0; r < instance->n_resources; r++) {
        used = fmax(used, run->summary.utilisation[r]);
    }
    values[BERTH_METRIC_UTILITY] = run->utility;
    values[BERTH_METRIC_ADMITTED] = (double)run->summary.admitted;
    values[BERTH_METRIC_COMPLETED] = (double)run->summary.completed;
    values[BERTH_METRIC_MEAN_DELAY] = run->summary.mean_delay_slots;
    values[BERTH_METRIC_MEDIAN_DELAY] = run->summary.median_delay_slots;
    values[BERTH_METRIC_MAKESPAN] = run->summary.makespan_slots;
    values[BERTH_METRIC_UTILISATION] = used;
    values[BERTH_METRIC_DECISION] = timings->p50_us;
    values[BERTH_METRIC_TIME] = timings->total_s;
    return measure_jobs(instance, run, values, error);
}

/* ---- the run ---- */

static berth_status stopped(berth_error *error) {
    return berth__fail(error, BERTH_E_CANCELLED, NULL, "stopped before all runs were done");
}

/* The first thing that speaks against the run. */
static berth_status check(const berth__compare_task *task, const berth_run *run, berth_error *error) {
    berth_report *report = NULL;
    berth_hooks hooks;
    berth_hooks_init(&hooks);
    hooks.user = task->options->run.hooks.user;
    hooks.cancel = task->options->run.hooks.cancel;
    berth_status status = berth_check(task->instance, run, &hooks, &report, error);
    for (size_t i = 0; status == BERTH_OK && i < report->n_findings; i++) {
        const berth_finding *finding = &report->findings[i];
        if (finding->violated) {
            status =
                berth__fail(error, BERTH_E_INTERNAL, task->policy, "a run with seed %" PRIu64 " breaks %s at %s: %s",
                            task->seed, finding->rule, finding->where, finding->message);
        }
    }
    berth_report_free(report);
    return status;
}

/* Cancellation alone for a run, which may be on another thread than the caller's; the bound may log too. */
static void set_options(const berth__compare_task *task, berth_options *o) {
    const berth_options *common = &task->options->run;
    *o = *task->run;
    o->backends = common->backends;
    o->hooks = common->hooks;
    o->bound = common->bound;
    o->bound_gap = common->bound_gap;
    o->policy = task->policy != NULL ? task->policy : bounding_policy;
    o->seed = task->seed;
    o->threads = task->threads;
    o->hooks.progress = NULL;
    o->time_limit_s = fmax(0, task->budget->deadline_s - berth__now_s());
    if (task->policy != NULL) {
        o->hooks.log = NULL;
        o->bound = BERTH_BOUND_NONE;
    } else {
        o->solver = "auto";
        o->time_limit_s = fmin(o->time_limit_s, task->options->bound_time_s);
    }
}

static berth_status run_and_check(const berth__compare_task *task, double *values, berth_error *error) {
    berth_options options;
    berth_run *run = NULL;
    berth_timings timings = {0};
    set_options(task, &options);
    berth_status status = berth_run_online(task->instance, &options, &run, &timings, error);
    /* What was cut short by the caller's limit would not be the same the next time. */
    if (status == BERTH_OK && (berth__budget_spent(task->budget) || (task->policy != NULL && run->stopped))) {
        status = stopped(error);
    }
    if (status == BERTH_OK) {
        status = check(task, run, error);
    }
    if (status == BERTH_OK && task->policy == NULL) {
        values[0] = run->bounds.best;
    } else if (status == BERTH_OK) {
        status = measure(task->instance, run, &timings, values, error);
    } else if (status == BERTH_E_CANCELLED) {
        status = stopped(error);
    } else if (status == BERTH_E_INPUT) {
        berth__error_prefix(error, task->instance->name); /* only whole runs show some of its faults */
    } else if (status == BERTH_E_BACKEND && task->policy != NULL) {
        if (error != NULL) {
            snprintf(error->where, sizeof error->where, "%s", task->policy);
        }
    }
    berth_timings_clear(&timings);
    berth_run_free(run);
    return status;
}

static berth_status run_or_read(const berth__compare_task *task, double *values, berth_error *error) {
    berth__kept_value kinds[BERTH_N_METRICS];
    const size_t n = kinds_of(task, kinds);
    berth__arena *arena = berth__arena_new();
    const char *key = arena != NULL ? key_of(task, arena) : NULL;
    const char *path = key != NULL && task->options->state != NULL ? path_of(task, key, arena) : NULL;
    bool found = false;
    berth_status status = BERTH_OK;
    if (key == NULL || (path == NULL && task->options->state != NULL)) {
        status = berth__fail_memory(error);
    } else if (path != NULL) {
        status = berth__compare_run_read(path, key, n, kinds, values, &found, error);
    }
    if (status == BERTH_OK && !found) {
        for (size_t k = 0; k < n; k++) {
            values[k] = (double)NAN;
        }
        status = run_and_check(task, values, error);
        if (status == BERTH_OK && path != NULL) {
            status = berth__compare_run_write(path, key, n, kinds, values, error);
        }
    }
    berth__arena_free(arena);
    return status;
}

berth_status berth__compare_task_run(const berth__compare_task *task, double *values, berth_error *error) {
    berth__c_locale locale; /* of the key's numbers */
    if (!berth__c_locale_enter(&locale)) {
        return berth__fail_memory(error);
    }
    berth_status status = run_or_read(task, values, error);
    berth__c_locale_leave(&locale);
    return status;
}
