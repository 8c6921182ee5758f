/* Simulated runs of measured trainings, berth-goodput-run-1. */
#include <berth_goodput.h>

#include <math.h>
#include <string.h>

#include "formats/goodput_names.h"
#include "formats/json_read.h"
#include "formats/json_write.h"
#include "formats/result_json.h"

static const char format_name[] = "berth-goodput-run-1";

#define TEXT(name, value, text) text,
static const char *const policies[] = {BERTH_GOODPUT_POLICY_TABLE(TEXT) "external"};
static const char *const allocators[] = {BERTH_ALLOCATOR_TABLE(TEXT)};
#undef TEXT
static const char *const batches[] = {"grid", "exact"};
#define LENGTH(table) (sizeof(table) / sizeof *(table))

/* ---- writing ---- */

static void write_span(berth__json_writer *writer, const berth_goodput_span *span, const berth_goodput_workload *w) {
    berth__json_object(writer, NULL);
    berth__json_number(writer, "at_s", span->at_s);
    if (span->placed || span->n_nodes == 0) {
        berth__json_list(writer, "nodes");
        for (size_t k = 0; k < span->n_nodes; k++)
            berth__json_string(writer, NULL, w->node_names[span->nodes[k].node]);
        berth__json_close(writer);
    }
    if (span->placed) {
        berth__json_list(writer, "gpus");
        for (size_t k = 0; k < span->n_nodes; k++)
            berth__json_integer(writer, NULL, span->nodes[k].gpus);
        berth__json_close(writer);
    }
    if (span->n_nodes > 0) {
        berth__json_integer(writer, "local", span->local);
        berth__json_integer(writer, "accumulation", span->accumulation);
    }
    berth__json_close(writer);
}

static void write_job(berth__json_writer *writer, const berth_goodput_run *run, const berth_goodput_workload *w,
                      size_t index) {
    const berth_trained_job *job = &run->jobs[index];
    berth__json_object(writer, NULL);
    berth__json_string(writer, "id", w->jobs[index].id);
    berth__json_number(writer, "start_s", job->start_s);
    berth__json_number(writer, "completion_s", job->completion_s);
    berth__json_integer(writer, "restarts", job->restarts);
    berth__json_number(writer, "attained_gpu_s", job->attained_gpu_s);
    berth__json_number(writer, "alone_s", isfinite(job->alone_s) ? job->alone_s : (double)NAN);
    berth__json_number(writer, "fairness", job->fairness);
    berth__json_list(writer, "spans");
    for (size_t k = 0; k < job->n_spans; k++)
        write_span(writer, &job->spans[k], w);
    berth__json_close(writer);
    berth__json_close(writer);
}

static void write_summary(berth__json_writer *writer, const berth_goodput_run *run) {
    berth__json_object(writer, "summary");
    berth__json_integer(writer, "completed", (long long)run->completed);
    berth__json_number(writer, "mean_s", run->mean_s);
    berth__json_number(writer, "median_s", run->median_s);
    berth__json_number(writer, "p99_s", run->p99_s);
    berth__json_number(writer, "makespan_s", run->makespan_s);
    berth__json_number(writer, "mean_fairness", run->mean_fairness);
    berth__json_number(writer, "worst_fairness", run->worst_fairness);
    berth__json_number(writer, "unfair", run->unfair);
    berth__json_integer(writer, "restarts", (long long)run->restarts);
    berth__json_number(writer, "gpu_s", run->gpu_s);
    berth__json_number(writer, "utilisation", run->utilisation);
    berth__json_close(writer);
}

static void write_run(berth__json_writer *writer, const berth_goodput_run *run, const berth_goodput_workload *w) {
    static const char *const names[] = {"berth"};
    const char *const numbers[] = {berth_version()};
    berth__json_object(writer, NULL);
    berth__json_string(writer, "format", format_name);
    berth__json_string(writer, "workload", run->workload);
    berth__write_crc32(writer, "workload_crc32", run->workload_crc32);
    berth__json_string(writer, "policy", run->policy);
    berth__json_string(writer, "allocator", run->allocator);
    berth__json_string(writer, "batches", run->batches);
    berth__json_number(writer, "p", run->p);
    berth__json_number(writer, "demote_gpu_s", run->demote_gpu_s);
    berth__json_number(writer, "horizon_s", run->horizon_s);
    berth__json_uint64(writer, "seed", run->seed);
    berth__json_bool(writer, "stopped", run->stopped);
    berth__json_integer(writer, "rounds", (long long)run->rounds);
    berth__json_number(writer, "end_s", run->end_s);
    write_summary(writer, run);
    berth__json_list(writer, "jobs");
    for (size_t k = 0; k < run->n_jobs; k++)
        write_job(writer, run, w, k);
    berth__json_close(writer);
    berth__write_versions(writer, 1, names, numbers);
    berth__json_close(writer);
}

berth_status berth_goodput_run_write(const berth_goodput_run *run, const berth_goodput_workload *workload,
                                     const char *path, berth_error *error) {
    berth__json_writer writer;
    berth__error_clear(error);
    if (!run || !workload || !path)
        return berth__fail(error, BERTH_E_ARGUMENT, NULL, "run, workload and path must not be NULL");
    if (run->n_jobs != workload->n_jobs)
        return berth__fail(error, BERTH_E_MISMATCH, NULL, "the run has %zu jobs, the workload %zu", run->n_jobs,
                           workload->n_jobs);
    berth__json_begin(&writer);
    write_run(&writer, run, workload);
    return berth__json_finish_file(&writer, path, error);
}

/* ---- reading ---- */

typedef struct context {
    const berth_goodput_workload *workload;
    berth__names nodes, jobs;
} context;

static bool done(const berth__reader *r, bool read) {
    return read || r->status == BERTH_OK;
}

static bool read_count(berth__reader *r, const berth__node *object, const char *key, long long least, uint32_t *out) {
    berth__node node;
    long long value = 0;
    if (!berth__node_member(r, object, key, BERTH__REQUIRED, &node) || !berth__node_integer(r, &node, &value))
        return false;
    if (value < least || value > UINT32_MAX)
        return berth__node_fail(r, &node, BERTH_E_INPUT, "is %lld; expected a whole number from %lld to 4294967295",
                                value, least);
    *out = (uint32_t)value;
    return true;
}

static bool read_number_or_nan(berth__reader *r, const berth__node *object, const char *key, double *out) {
    *out = (double)NAN;
    return done(r, berth__read_number(r, object, key, BERTH__NULLABLE, out));
}

/* One of some words, or NULL. */
static bool read_word(berth__reader *r, const berth__node *root, const char *key, berth__presence presence,
                      const char *const *words, size_t n, const char **out) {
    size_t index = n;
    const bool good = berth__read_word(r, root, key, presence, words, n, &index);
    *out = index < n ? words[index] : NULL;
    return good;
}

/* Names and numbers of GPUs, both as long. */
static bool read_nodes(berth__reader *r, const berth__node *span, const context *c, berth_goodput_span *out) {
    berth__node names, gpus;
    size_t n = 0;
    if (!berth__node_member(r, span, "nodes", BERTH__REQUIRED, &names) || !berth__node_array(r, &names, &out->n_nodes))
        return false;
    if (out->n_nodes == 0)
        return true;
    if (!berth__node_member(r, span, "gpus", BERTH__REQUIRED, &gpus) || !berth__node_array(r, &gpus, &n))
        return false;
    if (n != out->n_nodes)
        return berth__node_fail(r, &gpus, BERTH_E_INPUT, "has %zu numbers for %zu nodes", n, out->n_nodes);
    berth_node_gpus *nodes = BERTH__ARENA_ARRAY(r->arena, berth_node_gpus, n);
    if (!nodes)
        return berth__reader_memory(r);
    for (size_t k = 0; k < n; k++) {
        const berth__node name = berth__node_element(&names, k), count = berth__node_element(&gpus, k);
        const char *text = NULL;
        long long value = 0;
        if (!berth__node_string(r, &name, &text) || !berth__node_integer(r, &count, &value))
            return false;
        nodes[k].node = berth__names_find(&c->nodes, text);
        if (nodes[k].node == BERTH__NO_NAME)
            return berth__node_fail(r, &name, BERTH_E_INPUT, "the workload has no node \"%.60s\"", text);
        if (value < 1 || value > UINT32_MAX)
            return berth__node_fail(r, &count, BERTH_E_INPUT, "is %lld; expected a number of GPUs above 0", value);
        nodes[k].gpus = (uint32_t)value;
    }
    out->nodes = nodes;
    out->placed = true;
    return true;
}

static bool read_span(berth__reader *r, const berth__node *node, const context *c, const berth_goodput_span *before,
                      berth_goodput_span *out) {
    static const char *const known[] = {"at_s", "nodes", "gpus", "local", "accumulation"};
    if (!BERTH__ONLY_FIELDS(r, node, known) || !berth__read_number(r, node, "at_s", BERTH__REQUIRED, &out->at_s))
        return false;
    if (json_object_get(node->value, "nodes")) {
        if (!read_nodes(r, node, c, out))
            return false;
    } else if (!before || before->n_nodes == 0) {
        return berth__member_fail(r, node, "nodes", BERTH_E_INPUT, "missing, and the job has no GPUs before");
    } else {
        out->n_nodes = before->n_nodes;
        out->nodes = before->nodes;
    }
    return out->n_nodes == 0 ||
           (read_count(r, node, "local", 1, &out->local) && read_count(r, node, "accumulation", 0, &out->accumulation));
}

static bool read_job(berth__reader *r, const berth__node *node, const context *c, berth_trained_job *out) {
    berth__node list;
    if (!read_number_or_nan(r, node, "start_s", &out->start_s) ||
        !read_number_or_nan(r, node, "completion_s", &out->completion_s) ||
        !read_count(r, node, "restarts", 0, &out->restarts) ||
        !berth__read_number(r, node, "attained_gpu_s", BERTH__REQUIRED, &out->attained_gpu_s) ||
        !read_number_or_nan(r, node, "alone_s", &out->alone_s) ||
        !read_number_or_nan(r, node, "fairness", &out->fairness) ||
        !berth__node_member(r, node, "spans", BERTH__REQUIRED, &list) || !berth__node_array(r, &list, &out->n_spans))
        return false;
    if (isnan(out->alone_s))
        out->alone_s = (double)INFINITY;
    berth_goodput_span *spans = BERTH__ARENA_ARRAY(r->arena, berth_goodput_span, out->n_spans);
    if (!spans)
        return berth__reader_memory(r);
    for (size_t k = 0; k < out->n_spans; k++) {
        const berth__node item = berth__node_element(&list, k);
        if (!read_span(r, &item, c, k > 0 ? &spans[k - 1] : NULL, &spans[k]))
            return false;
    }
    out->spans = spans;
    return true;
}

/* In any order, each once. */
static bool read_jobs(berth__reader *r, const berth__node *root, const context *c, berth_goodput_run *run) {
    static const char *const known[] = {"id",      "start_s",  "completion_s", "restarts", "attained_gpu_s",
                                        "alone_s", "fairness", "spans"};
    berth__node list;
    if (!berth__node_member(r, root, "jobs", BERTH__REQUIRED, &list) || !berth__node_array(r, &list, &run->n_jobs))
        return false;
    if (run->n_jobs != c->workload->n_jobs)
        return berth__node_fail(r, &list, BERTH_E_MISMATCH, "has %zu jobs, the workload %zu", run->n_jobs,
                                c->workload->n_jobs);
    berth_trained_job *jobs = BERTH__ARENA_ARRAY(r->arena, berth_trained_job, run->n_jobs);
    bool *seen = BERTH__ARENA_ARRAY(r->arena, bool, run->n_jobs);
    if (!jobs || !seen)
        return berth__reader_memory(r);
    for (size_t k = 0; k < run->n_jobs; k++) {
        const berth__node node = berth__node_element(&list, k);
        const char *id = NULL;
        if (!BERTH__ONLY_FIELDS(r, &node, known) || !berth__read_string(r, &node, "id", BERTH__REQUIRED, &id))
            return false;
        const size_t job = berth__names_find(&c->jobs, id);
        if (job == BERTH__NO_NAME)
            return berth__member_fail(r, &node, "id", BERTH_E_INPUT, "the workload has no job \"%.60s\"", id);
        if (seen[job])
            return berth__member_fail(r, &node, "id", BERTH_E_INPUT, "job \"%.60s\" is there twice", id);
        seen[job] = true;
        if (!read_job(r, &node, c, &jobs[job]))
            return false;
    }
    run->jobs = jobs;
    return true;
}

static bool read_summary(berth__reader *r, const berth__node *root, berth_goodput_run *run) {
    static const char *const known[] = {"completed",      "mean_s", "median_s", "p99_s", "makespan_s", "mean_fairness",
                                        "worst_fairness", "unfair", "restarts", "gpu_s", "utilisation"};
    berth__node node;
    size_t restarts = 0;
    const bool good = berth__node_member(r, root, "summary", BERTH__REQUIRED, &node) &&
                      BERTH__ONLY_FIELDS(r, &node, known) &&
                      berth__read_size(r, &node, "completed", BERTH__REQUIRED, &run->completed) &&
                      read_number_or_nan(r, &node, "mean_s", &run->mean_s) &&
                      read_number_or_nan(r, &node, "median_s", &run->median_s) &&
                      read_number_or_nan(r, &node, "p99_s", &run->p99_s) &&
                      read_number_or_nan(r, &node, "makespan_s", &run->makespan_s) &&
                      read_number_or_nan(r, &node, "mean_fairness", &run->mean_fairness) &&
                      read_number_or_nan(r, &node, "worst_fairness", &run->worst_fairness) &&
                      read_number_or_nan(r, &node, "unfair", &run->unfair) &&
                      berth__read_size(r, &node, "restarts", BERTH__REQUIRED, &restarts) &&
                      berth__read_number(r, &node, "gpu_s", BERTH__REQUIRED, &run->gpu_s) &&
                      berth__read_number(r, &node, "utilisation", BERTH__REQUIRED, &run->utilisation);
    run->restarts = restarts;
    return good;
}

static bool read_identity(berth__reader *r, const berth__node *root, const berth_goodput_workload *w,
                          berth_goodput_run *run) {
    if (!berth__read_string(r, root, "workload", BERTH__REQUIRED, &run->workload) ||
        !berth__read_crc32(r, root, "workload_crc32", BERTH__REQUIRED, &run->workload_crc32))
        return false;
    if (strcmp(run->workload, w->name) != 0)
        return berth__member_fail(r, root, "workload", BERTH_E_MISMATCH,
                                  "this belongs to workload \"%.60s\", not to \"%.60s\"", run->workload, w->name);
    return run->workload_crc32 == w->crc32 ||
           berth__member_fail(r, root, "workload_crc32", BERTH_E_MISMATCH,
                              "made from another state of workload \"%.60s\": its crc32 was %08lx and is %08lx now",
                              run->workload, (unsigned long)run->workload_crc32, (unsigned long)w->crc32);
}

static bool read_run(berth__reader *r, const berth__node *root, const context *c, berth_goodput_run *run) {
    static const char *const known[] = {"format", "workload",  "workload_crc32", "policy",  "allocator", "batches",
                                        "p",      "horizon_s", "demote_gpu_s",   "seed",    "stopped",   "rounds",
                                        "end_s",  "summary",   "jobs",           "versions"};
    return berth__read_format(r, root, format_name) && BERTH__ONLY_FIELDS(r, root, known) &&
           read_identity(r, root, c->workload, run) &&
           read_word(r, root, "policy", BERTH__REQUIRED, policies, LENGTH(policies), &run->policy) &&
           read_word(r, root, "allocator", BERTH__NULLABLE, allocators, LENGTH(allocators), &run->allocator) &&
           read_word(r, root, "batches", BERTH__NULLABLE, batches, LENGTH(batches), &run->batches) &&
           read_number_or_nan(r, root, "p", &run->p) &&
           read_number_or_nan(r, root, "demote_gpu_s", &run->demote_gpu_s) &&
           read_number_or_nan(r, root, "horizon_s", &run->horizon_s) &&
           done(r, berth__read_seed(r, root, BERTH__OPTIONAL, &run->seed)) &&
           done(r, berth__read_bool(r, root, "stopped", BERTH__OPTIONAL, &run->stopped)) &&
           berth__read_size(r, root, "rounds", BERTH__REQUIRED, &run->rounds) &&
           berth__read_number(r, root, "end_s", BERTH__REQUIRED, &run->end_s) && read_summary(r, root, run) &&
           read_jobs(r, root, c, run);
}

static bool index_names(context *c) {
    const berth_goodput_workload *w = c->workload;
    if (!berth__names_init(&c->nodes, w->n_nodes) || !berth__names_init(&c->jobs, w->n_jobs))
        return false;
    for (size_t k = 0; k < w->n_nodes; k++)
        berth__names_add(&c->nodes, w->node_names[k], k);
    for (size_t k = 0; k < w->n_jobs; k++)
        berth__names_add(&c->jobs, w->jobs[k].id, k);
    return true;
}

static berth_status read_root(json_t *root, const berth_goodput_workload *workload, berth_goodput_run **out,
                              berth_error *error) {
    berth__reader r = {.arena = berth__arena_new(), .error = error};
    context c = {.workload = workload};
    const berth__node node = berth__node_root(root);
    berth_goodput_run *run = r.arena ? BERTH__ARENA_ARRAY(r.arena, berth_goodput_run, 1) : NULL;
    if (!run || !index_names(&c))
        berth__reader_memory(&r);
    else
        read_run(&r, &node, &c, run);
    berth__names_free(&c.nodes);
    berth__names_free(&c.jobs);
    if (r.status != BERTH_OK) {
        berth__arena_free(r.arena);
        return r.status;
    }
    run->memory = r.arena;
    *out = run;
    return BERTH_OK;
}

berth_status berth_goodput_run_read(const char *path, const berth_goodput_workload *workload, berth_goodput_run **out,
                                    berth_error *error) {
    json_t *root = NULL;
    berth__c_locale locale;
    berth__error_clear(error);
    if (out)
        *out = NULL;
    if (!path || !workload || !out)
        return berth__fail(error, BERTH_E_ARGUMENT, NULL, "path, workload and out must not be NULL");
    if (!berth__c_locale_enter(&locale))
        return berth__fail_memory(error);
    berth_status status = berth__json_read_file(path, &root, error);
    if (!status)
        status = read_root(root, workload, out, error);
    json_decref(root);
    berth__c_locale_leave(&locale);
    return status;
}
