/* Spans of GPUs: each within the workload, all together within the nodes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "audit/training/audit.h"
#include "base/alloc.h"

enum { MOST_NODES = 16, MOST_REPLICAS = 64 };

static void violate(berth__training_audit *a, berth__audit_rule rule, size_t job, double slack, const char *text) {
    const berth__audit_place place = {.job = a->workload->jobs[job].id, .slot = -1};
    berth__audit_violation(a->report, rule, &place, slack, "%s", text);
}

static bool is_end_of_round(const berth__training_audit *a, double at_s) {
    const double rounds = at_s / a->workload->round_s;
    return fabs(rounds - nearbyint(rounds)) <= 1e-9 * fmax(rounds, 1);
}

static bool is_within(const berth__training_audit *a, const berth_goodput_span *span) {
    for (size_t k = 0; k < span->n_nodes; k++) {
        if (span->nodes[k].node >= a->workload->n_nodes || span->nodes[k].gpus < 1)
            return false;
        for (size_t i = 0; i < k; i++)
            if (span->nodes[i].node == span->nodes[k].node)
                return false;
    }
    return true;
}

static uint64_t gpus_of(const berth_goodput_span *span) {
    uint64_t sum = 0;
    for (size_t k = 0; k < span->n_nodes; k++)
        sum += span->nodes[k].gpus;
    return sum;
}

static void check_batch(berth__training_audit *a, size_t job, const berth_goodput_span *span, bool first) {
    const berth_application *app = &a->workload->applications[a->workload->jobs[job].application];
    const uint64_t gpus = gpus_of(span);
    const double batch = (double)gpus * span->local * ((double)span->accumulation + 1);
    berth__audit_count(a->report, BERTH__RULE_BATCH);
    if (span->local < 1 || span->local > app->max_local || batch > app->max_batch)
        violate(a, BERTH__RULE_BATCH, job, app->max_batch - batch, "the batch is beyond what the application allows");
    if (span->accumulation > 0 && !app->accumulation)
        violate(a, BERTH__RULE_BATCH, job, (double)NAN, "accumulates, which the application does not allow");
    if (!berth__training_audit_batch(a, job, span, gpus, first))
        violate(a, BERTH__RULE_BATCH, job, (double)NAN, "m and s are none that the policy chooses among");
}

/* Pollux, Sia and hesrpt let a job have twice the most that it has had. */
static double most_chosen(const berth_application *app, uint64_t most_had) {
    const double grown = fmax(2 * (double)most_had, 1), batched = fmax(floor(app->max_batch / app->min_local), 1);
    return fmin(fmin(grown, MOST_REPLICAS), batched);
}

static bool is_of_one_type(const berth_goodput_workload *w, const berth_goodput_span *span) {
    bool one = true;
    for (size_t k = 1; w->gpu_type && k < span->n_nodes; k++)
        one = one && w->gpu_type[span->nodes[k].node] == w->gpu_type[span->nodes[0].node];
    return one;
}

static void check_replicas(berth__training_audit *a, size_t job, const berth_goodput_span *span, uint64_t most_had) {
    const berth_training_job *asked = &a->workload->jobs[job];
    const berth_application *app = &a->workload->applications[asked->application];
    const uint64_t gpus = gpus_of(span);
    berth__audit_count(a->report, BERTH__RULE_REPLICAS);
    if (a->external)
        return;
    if (a->run->batches == NULL && !isnan(a->run->demote_gpu_s)) {
        if (gpus != asked->replicas)
            violate(a, BERTH__RULE_REPLICAS, job, (double)asked->replicas - (double)gpus,
                    "not as many replicas as the job asks for");
    } else if (app->max_replicas > 0 && gpus > app->max_replicas) {
        violate(a, BERTH__RULE_REPLICAS, job, (double)app->max_replicas - (double)gpus,
                "more replicas than the application allows");
    }
    if (!a->choosy)
        return;
    const double most = most_chosen(app, most_had);
    if ((double)gpus > most)
        violate(a, BERTH__RULE_REPLICAS, job, most - (double)gpus,
                "more replicas than twice those that it has had, 64, or max_batch / min_local");
    if (span->n_nodes > MOST_NODES)
        violate(a, BERTH__RULE_REPLICAS, job, (double)MOST_NODES - (double)span->n_nodes, "on more than 16 nodes");
    if (!is_of_one_type(a->workload, span))
        violate(a, BERTH__RULE_REPLICAS, job, (double)NAN, "on GPUs of several types");
}

/* False: the spans cannot be followed. */
static bool check_job(berth__training_audit *a, size_t index) {
    const berth_trained_job *job = &a->run->jobs[index];
    const double submit = a->workload->jobs[index].submit_s;
    double before = 0;
    uint64_t most = 0;
    for (size_t k = 0; k < job->n_spans; k++) {
        const berth_goodput_span *span = &job->spans[k];
        berth__audit_count(a->report, BERTH__RULE_PLACEMENT);
        if (!(span->at_s >= before) || span->at_s > a->run->end_s || !is_within(a, span) ||
            (k == 0 && !span->placed && span->n_nodes > 0)) {
            violate(a, BERTH__RULE_PLACEMENT, index, (double)NAN,
                    "a span is out of order, beyond the end, or on nodes that are not there or there twice");
            return false;
        }
        before = span->at_s;
        if (span->placed || span->n_nodes == 0) {
            berth__audit_count(a->report, BERTH__RULE_ROUND);
            berth__audit_count(a->report, BERTH__RULE_ARRIVAL);
            if (!is_end_of_round(a, span->at_s))
                violate(a, BERTH__RULE_ROUND, index, (double)NAN, "GPUs change within a round");
            if (span->at_s < submit)
                violate(a, BERTH__RULE_ARRIVAL, index, span->at_s - submit, "GPUs before it was submitted");
        }
        if (span->n_nodes > 0) {
            check_batch(a, index, span, most == 0);
            check_replicas(a, index, span, most);
            most = gpus_of(span) > most ? gpus_of(span) : most;
        }
    }
    return true;
}

/* ---- together ---- */

/* A job takes GPUs of a node (amount > 0), or gives them back. */
typedef struct event {
    double at_s;
    size_t node;
    double amount;
    int spread; /* jobs of several nodes that come or go */
} event;

/* Those that give back first. */
static int compare(const void *left, const void *right) {
    const event *a = left, *b = right;
    if (a->node != b->node)
        return a->node < b->node ? -1 : 1;
    if (a->at_s != b->at_s)
        return a->at_s < b->at_s ? -1 : 1;
    return (a->amount > b->amount) - (a->amount < b->amount);
}

static size_t add(event *events, const berth_goodput_span *span, double at_s, int sign) {
    for (size_t k = 0; k < span->n_nodes; k++)
        events[k] =
            (event){at_s, span->nodes[k].node, sign * (double)span->nodes[k].gpus, span->n_nodes > 1 ? sign : 0};
    return span->n_nodes;
}

/* From its beginning to the next placement of the job. */
static size_t add_job(berth__training_audit *a, size_t index, event *events) {
    const berth_trained_job *job = &a->run->jobs[index];
    size_t n = 0;
    for (size_t k = 0; k < job->n_spans; k++) {
        if (!job->spans[k].placed)
            continue;
        size_t next = k + 1;
        while (next < job->n_spans && !job->spans[next].placed && job->spans[next].n_nodes > 0)
            next++;
        double end = next < job->n_spans ? job->spans[next].at_s : (double)INFINITY;
        if (!isnan(job->completion_s))
            end = fmin(end, job->completion_s);
        n += add(events + n, &job->spans[k], job->spans[k].at_s, 1);
        n += add(events + n, &job->spans[k], fmax(end, job->spans[k].at_s), -1);
    }
    return n;
}

static void sweep(berth__training_audit *a, const event *events, size_t n) {
    double used = 0;
    int spread = 0;
    for (size_t k = 0; k < n; k++) {
        if (k == 0 || events[k].node != events[k - 1].node) {
            used = 0;
            spread = 0;
        }
        used += events[k].amount;
        spread += events[k].spread;
        if (k + 1 < n && events[k + 1].node == events[k].node && events[k + 1].at_s == events[k].at_s)
            continue;
        char where[120];
        snprintf(where, sizeof where, "node %.60s, %g s", a->workload->node_names[events[k].node], events[k].at_s);
        berth__audit_count(a->report, BERTH__RULE_CAPACITY);
        if (used > a->workload->gpus[events[k].node])
            berth__audit_violation_at(a->report, BERTH__RULE_CAPACITY, where, a->workload->gpus[events[k].node] - used,
                                      "%g GPUs in use, the node has %u", used, a->workload->gpus[events[k].node]);
        if (!a->choosy)
            continue;
        berth__audit_count(a->report, BERTH__RULE_SHARING);
        if (spread > 1)
            berth__audit_violation_at(a->report, BERTH__RULE_SHARING, where, 1 - spread,
                                      "%d jobs of several nodes; at most one may be there", spread);
    }
}

bool berth__training_audit_spans(berth__training_audit *a) {
    size_t room = 0, n = 0;
    for (size_t k = 0; k < a->run->n_jobs; k++) {
        if (!check_job(a, k)) {
            a->attained[k] = (double)NAN;
            continue;
        }
        for (size_t s = 0; s < a->run->jobs[k].n_spans; s++)
            room += 2 * a->run->jobs[k].spans[s].n_nodes;
    }
    event *events = BERTH__NEW_ARRAY(event, room);
    if (!events)
        return false;
    for (size_t k = 0; k < a->run->n_jobs; k++)
        if (!isnan(a->attained[k]))
            n += add_job(a, k, events + n);
    qsort(events, n, sizeof *events, compare);
    sweep(a, events, n);
    berth__free(events);
    return true;
}
