/* Comparing policies: plans the runs, does them on several threads, adds them up. */
#include <berth_io.h>

#include <math.h>
#include <omp.h>
#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/budget.h"
#include "base/error.h"
#include "report/compare_run.h"
#include "report/statistics.h"

enum { MOST_SEEDS = 100000, DEFAULT_SEEDS = 5 };

static const char *const metric_names[] = {
#define NAME(metric, name, text) name,
    BERTH_METRIC_TABLE(NAME)
#undef NAME
};
static const char *const metric_texts[] = {
#define TEXT(metric, name, text) text,
    BERTH_METRIC_TABLE(TEXT)
#undef TEXT
};

static bool is_metric(berth_metric metric) {
    return (int)metric >= 0 && metric < BERTH_N_METRICS;
}

const char *berth_metric_name(berth_metric metric) {
    return is_metric(metric) ? metric_names[metric] : NULL;
}

const char *berth_metric_text(berth_metric metric) {
    return is_metric(metric) ? metric_texts[metric] : NULL;
}

void berth_compare_options_init(berth_compare_options *options) {
    if (options != NULL) {
        *options = (berth_compare_options){
            .struct_size = sizeof *options, .seeds = DEFAULT_SEEDS, .bound_time_s = (double)INFINITY};
        berth_options_init(&options->run);
        options->first_seed = options->run.seed;
        options->run.bound = BERTH_BOUND_LP;
    }
}

/* ---- what is asked for ---- */

static const berth_options *options_of(const berth_compare_options *o, size_t policy) {
    return o->variants != NULL && o->variants[policy] != NULL ? o->variants[policy] : &o->run;
}

static const char *policy_of(const berth_compare_options *o, size_t policy) {
    const berth_options *options = options_of(o, policy);
    return options != &o->run ? options->policy : o->policies[policy];
}

static berth_status check_policies(const berth_compare_options *o, berth_error *error) {
    if (o->n_policies == 0 || o->policies == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "policies", "expected at least one policy");
    }
    for (size_t i = 0; i < o->n_policies; i++) {
        const char *policy = o->policies[i] != NULL ? policy_of(o, i) : NULL;
        if (policy == NULL || berth_policy_about(policy) == NULL) {
            return berth__fail(error, BERTH_E_ARGUMENT, "policies", "there is no policy '%s'",
                               policy != NULL ? policy : "");
        }
        if (options_of(o, i)->noise > 0 && o->run.bound != BERTH_BOUND_NONE) {
            return berth__fail(error, BERTH_E_ARGUMENT, "noise",
                               "with noise no bound holds for every seed: ask for none");
        }
        for (size_t j = 0; j < i; j++) {
            if (strcmp(o->policies[i], o->policies[j]) == 0) {
                return berth__fail(error, BERTH_E_ARGUMENT, "policies", "'%s' is there twice", o->policies[i]);
            }
        }
    }
    return BERTH_OK;
}

static size_t seeds_of(const berth_compare_options *o, size_t n_instances) {
    return o->pool ? n_instances : o->seeds;
}

static berth_status check_options(const berth_compare_options *o, size_t n_instances, berth_error *error) {
    if (o->struct_size != sizeof *o) {
        return berth__fail(error, BERTH_E_ARGUMENT, "struct_size", "call berth_compare_options_init first");
    }
    const size_t seeds = seeds_of(o, n_instances);
    if (seeds < 1 || seeds > MOST_SEEDS) {
        return berth__fail(error, BERTH_E_ARGUMENT, "seeds", "expected 1 to %d", MOST_SEEDS);
    }
    if (o->first_seed > UINT64_MAX - (seeds - 1)) {
        return berth__fail(error, BERTH_E_ARGUMENT, "seeds", "the last seed would be beyond 64 bits");
    }
    if (o->jobs < 0) {
        return berth__fail(error, BERTH_E_ARGUMENT, "jobs", "expected 0 or more");
    }
    if (!(o->bound_time_s >= 0)) {
        return berth__fail(error, BERTH_E_ARGUMENT, "bound_time_s", "expected 0 or more seconds");
    }
    if ((int)o->run.bound < BERTH_BOUND_NONE || o->run.bound > BERTH_BOUND_LP) {
        return berth__fail(error, BERTH_E_ARGUMENT, "bound", "expected none, dual or lp");
    }
    return check_policies(o, error);
}

/* ---- the result ---- */

/* What is written while the comparison is made. */
typedef struct comparing {
    berth_comparison *result;
    size_t n_instances; /* as given */
    const berth_instance *const *instances;
    const berth_compare_options *options;
    berth__budget budget;
    int jobs;
    double *instance_bounds; /* [n_instances] */
    double *bounds, *values;
    berth_estimate *estimates, *differences;
} comparing;

static const char *const bound_names[] = {"none", "dual", "lp"};

/* "a and 9 more" */
static const char *pool_name(berth__arena *arena, size_t n_instances, const berth_instance *const *instances) {
    const char *first = instances[0]->name;
    return n_instances == 1 ? berth__arena_strdup(arena, first)
                            : berth__arena_printf(arena, "%s and %zu more", first, n_instances - 1);
}

static uint32_t pool_crc32(size_t n_instances, const berth_instance *const *instances) {
    uint32_t sum = 0;
    for (size_t i = 0; i < n_instances; i++) {
        sum = (sum << 1 | sum >> 31) ^ instances[i]->crc32;
    }
    return sum;
}

static bool name_all(berth_comparison *c, size_t n_instances, const berth_instance *const *instances,
                     const berth_compare_options *options) {
    berth__arena *arena = c->memory;
    const char **names = BERTH__ARENA_ARRAY(arena, const char *, c->n_instances);
    const char **policies = BERTH__ARENA_ARRAY(arena, const char *, c->n_policies);
    uint32_t *crc32 = BERTH__ARENA_ARRAY(arena, uint32_t, c->n_instances);
    if (names == NULL || policies == NULL || crc32 == NULL) {
        return false;
    }
    for (size_t i = 0; i < c->n_instances; i++) {
        names[i] =
            c->pooled ? pool_name(arena, n_instances, instances) : berth__arena_strdup(arena, instances[i]->name);
        crc32[i] = c->pooled ? pool_crc32(n_instances, instances) : instances[i]->crc32;
        if (names[i] == NULL) {
            return false;
        }
    }
    for (size_t p = 0; p < c->n_policies; p++) {
        policies[p] = berth__arena_strdup(arena, options->policies[p]);
        if (policies[p] == NULL) {
            return false;
        }
    }
    c->instances = names;
    c->policies = policies;
    c->crc32 = crc32;
    c->bound = bound_names[options->run.bound];
    return true;
}

static berth_comparison *new_comparison(size_t n_instances, const berth_instance *const *instances,
                                        const berth_compare_options *options) {
    berth__arena *arena = berth__arena_new();
    berth_comparison *c = arena != NULL ? BERTH__ARENA_ARRAY(arena, berth_comparison, 1) : NULL;
    if (c == NULL) {
        berth__arena_free(arena);
        return NULL;
    }
    c->memory = arena;
    c->pooled = options->pool;
    c->n_instances = options->pool ? 1 : n_instances;
    c->n_policies = options->n_policies;
    c->n_seeds = seeds_of(options, n_instances);
    c->first_seed = options->first_seed;
    if (!name_all(c, n_instances, instances, options)) {
        berth__arena_free(arena);
        return NULL;
    }
    return c;
}

void berth_comparison_free(berth_comparison *comparison) {
    if (comparison != NULL) {
        berth__arena_free(comparison->memory);
    }
}

/* ---- the runs ---- */

/* Each on all threads: there are few, and one can take as long as many runs. */
static berth_status find_bounds(comparing *c, berth_error *error) {
    for (size_t i = 0; i < c->n_instances; i++) {
        const berth__compare_task task = {.instance = c->instances[i],
                                          .options = c->options,
                                          .run = &c->options->run,
                                          .budget = &c->budget,
                                          .threads = c->jobs};
        berth_status status = c->options->run.bound == BERTH_BOUND_NONE
                                  ? BERTH_OK
                                  : berth__compare_task_run(&task, &c->instance_bounds[i], error);
        if (status != BERTH_OK) {
            c->bounds[0] = c->result->pooled ? (double)NAN : c->bounds[0];
            return status;
        }
        if (!c->result->pooled) {
            c->bounds[i] = c->instance_bounds[i];
        } else {
            c->bounds[0] += c->instance_bounds[i] / (double)c->n_instances;
        }
    }
    return BERTH_OK;
}

/* Which of the instances given the run is of, as numbered by its place in the values. */
static size_t instance_of(const comparing *c, size_t number) {
    const berth_comparison *r = c->result;
    return r->pooled ? number % r->n_seeds : number / r->n_seeds / r->n_policies;
}

static berth_status do_run(const comparing *c, size_t number, berth_error *error) {
    const berth_comparison *r = c->result;
    const size_t policy = number / r->n_seeds % r->n_policies;
    const berth__compare_task task = {.instance = c->instances[instance_of(c, number)],
                                      .options = c->options,
                                      .budget = &c->budget,
                                      .policy = policy_of(c->options, policy),
                                      .run = options_of(c->options, policy),
                                      .seed = r->first_seed + number % r->n_seeds,
                                      .threads = 1};
    return berth__compare_task_run(&task, c->values + number * BERTH_N_METRICS, error);
}

/* The place among the values of the run that is begun as the number `turn`: seed by seed, so that what is done when the
 * work is stopped is of all policies. */
static size_t place_of(const comparing *c, size_t turn) {
    const berth_comparison *r = c->result;
    const size_t rows = r->n_instances * r->n_policies;
    return turn % rows * r->n_seeds + turn / rows;
}

/* Runs are begun in order and none after a failure, so that of several the first is the same however many threads
 * there are. E_CANCELLED: nothing else went wrong. */
static berth_status do_runs(const comparing *c, berth_error *error) {
    const berth_hooks *hooks = &c->options->run.hooks;
    const size_t n = c->result->n_instances * c->result->n_policies * c->result->n_seeds;
    atomic_size_t next = 0, done = 0;
    atomic_bool failed = false;
    size_t failed_at = n;
    berth_status status = BERTH_OK;
#pragma omp parallel num_threads(c->jobs) default(none)                                                                \
    shared(c, hooks, n, next, done, failed, failed_at, status, error)
    for (;;) {
        size_t turn = atomic_load(&failed) ? n : atomic_fetch_add(&next, 1);
        berth_error own = {0};
        if (turn >= n) {
            break;
        }
        berth_status result = do_run(c, place_of(c, turn), &own);
        if (result != BERTH_OK) {
            atomic_store(&failed, true);
#pragma omp critical(berth_compare_failure)
            if (status == BERTH_OK ||
                (result != BERTH_E_CANCELLED && (status == BERTH_E_CANCELLED || turn < failed_at))) {
                failed_at = turn;
                status = result;
                if (error != NULL) {
                    *error = own;
                }
            }
        }
        double so_far = (double)(atomic_fetch_add(&done, 1) + 1);
        if (omp_get_thread_num() == 0 && hooks->progress != NULL) {
            hooks->progress(hooks->user, so_far, (double)n);
        }
    }
    return status;
}

/* ---- adding up ---- */

static void relate_to_bounds(comparing *c) {
    const berth_comparison *r = c->result;
    for (size_t k = 0; k < r->n_instances * r->n_policies * r->n_seeds; k++) {
        double *values = c->values + k * BERTH_N_METRICS, bound = c->instance_bounds[instance_of(c, k)];
        values[BERTH_METRIC_OF_BOUND] = bound > 0 ? values[BERTH_METRIC_UTILITY] / bound : (double)NAN;
    }
}

static void add_up(comparing *c) {
    berth_comparison *result = c->result;
    const berth_comparison *r = c->result;
    const size_t one = r->n_seeds * BERTH_N_METRICS;
    for (size_t k = 0; k < r->n_instances * r->n_policies * r->n_seeds; k++) {
        result->n_done += isnan(r->values[k * BERTH_N_METRICS + BERTH_METRIC_UTILITY]) ? 0 : 1;
    }
    for (size_t row = 0; row < r->n_instances * r->n_policies; row++) {
        const double *values = c->values + row * one, *base = c->values + (row - row % r->n_policies) * one;
        for (size_t m = 0; m < BERTH_N_METRICS; m++) {
            c->estimates[row * BERTH_N_METRICS + m] = berth__estimate(r->n_seeds, values + m, BERTH_N_METRICS);
            c->differences[row * BERTH_N_METRICS + m] =
                berth__paired_difference(r->n_seeds, values + m, base + m, BERTH_N_METRICS);
        }
    }
}

static bool make_room(comparing *c) {
    berth_comparison *r = c->result;
    berth__arena *arena = r->memory;
    const size_t rows = r->n_instances * r->n_policies, n_values = rows * r->n_seeds * BERTH_N_METRICS;
    c->bounds = BERTH__ARENA_ARRAY(arena, double, r->n_instances);
    c->instance_bounds = BERTH__ARENA_ARRAY(arena, double, c->n_instances);
    c->values = BERTH__ARENA_ARRAY(arena, double, n_values);
    c->estimates = BERTH__ARENA_ARRAY(arena, berth_estimate, rows * BERTH_N_METRICS);
    c->differences = BERTH__ARENA_ARRAY(arena, berth_estimate, rows * BERTH_N_METRICS);
    if (c->bounds == NULL || c->instance_bounds == NULL || c->values == NULL || c->estimates == NULL ||
        c->differences == NULL) {
        return false;
    }
    for (size_t k = 0; k < n_values; k++) {
        c->values[k] = (double)NAN;
    }
    for (size_t i = 0; i < c->n_instances; i++) {
        c->instance_bounds[i] = (double)NAN;
    }
    for (size_t i = 0; i < r->n_instances; i++) {
        c->bounds[i] = r->pooled ? 0 : (double)NAN;
    }
    r->bounds = c->bounds;
    r->values = c->values;
    r->estimates = c->estimates;
    r->differences = c->differences;
    return true;
}

static berth_status compare_all(comparing *c, berth_error *error) {
    if (!make_room(c)) {
        return berth__fail_memory(error);
    }
    berth_status status = c->options->state != NULL ? berth__compare_state_open(c->options->state, error) : BERTH_OK;
    if (status == BERTH_OK) {
        status = find_bounds(c, error);
    }
    if (status == BERTH_OK) {
        status = do_runs(c, error);
    }
    if (status == BERTH_E_CANCELLED) {
        c->result->stopped = true;
        berth__error_clear(error);
        status = BERTH_OK;
    }
    if (status == BERTH_OK) {
        relate_to_bounds(c);
        add_up(c);
    }
    return status;
}

berth_status berth_compare(size_t n_instances, const berth_instance *const *instances,
                           const berth_compare_options *options, berth_comparison **out, berth_error *error) {
    berth__error_clear(error);
    if (out == NULL || n_instances == 0 || instances == NULL || options == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, NULL, "out, instances and options must not be NULL");
    }
    *out = NULL;
    berth_status status = check_options(options, n_instances, error);
    if (status != BERTH_OK) {
        return status;
    }
    comparing c = {.result = new_comparison(n_instances, instances, options),
                   .n_instances = n_instances,
                   .instances = instances,
                   .options = options,
                   .budget = berth__budget_start(options->run.time_limit_s, &options->run.hooks),
                   .jobs = options->jobs > 0 ? options->jobs : omp_get_num_procs()};
    status = c.result != NULL ? compare_all(&c, error) : berth__fail_memory(error);
    if (status == BERTH_OK) {
        *out = c.result;
    } else {
        berth_comparison_free(c.result);
    }
    return status;
}
