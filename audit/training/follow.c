/* Each job's training along its spans: when epochs end, when it is done, what it had. */
#include <math.h>

#include "audit/training/audit.h"

typedef struct walk {
    const berth_application *app;
    const berth_trained_job *job;
    size_t next; /* span */
    const berth_goodput_span *span;
    double now, progress, wait_s;
    size_t epoch;
    double gpu_s;
    uint32_t placements;
    bool strayed; /* a batch changed where it may not */
} walk;

static double gpus_of(const berth_goodput_span *span) {
    double sum = 0;
    for (size_t k = 0; span && k < span->n_nodes; k++)
        sum += span->nodes[k].gpus;
    return sum;
}

static double end_of_epoch(const berth_application *app, size_t epoch) {
    double least = (double)INFINITY;
    for (size_t t = 0; t < app->n_trainings; t++)
        least = fmin(least, app->trainings[t].progress[epoch]);
    return least;
}

/* Times but for rounding. */
static double slack_of(const walk *w) {
    return 1e-9 * fmax(w->now, 1);
}

static bool comes_now(const walk *w) {
    return w->next < w->job->n_spans && w->job->spans[w->next].at_s <= w->now + slack_of(w);
}

/* Another batch on the same GPUs, if it begins just now. */
static void take_batch(walk *w) {
    if (comes_now(w) && !w->job->spans[w->next].placed && w->job->spans[w->next].n_nodes > 0) {
        w->strayed = w->strayed || w->job->spans[w->next].at_s < w->now - slack_of(w);
        w->span = &w->job->spans[w->next++];
    }
}

/* Other GPUs, at the end of a round. Another batch just then is of the next, which may begin with the end of an epoch.
 */
static void take_placement(const berth__training_audit *a, walk *w) {
    if (!comes_now(w) || (!w->job->spans[w->next].placed && w->job->spans[w->next].n_nodes > 0))
        return;
    w->strayed = w->strayed || w->job->spans[w->next].at_s < w->now - slack_of(w);
    w->span = &w->job->spans[w->next++];
    if (w->span->placed) {
        w->wait_s = a->workload->restart_s;
        w->placements++;
    }
}

/* To the end of a round. Returns when the job is done, NAN: not in it. */
static double walk_round(const berth__training_audit *a, walk *w, double until) {
    const double gpus = gpus_of(w->span), waited = fmin(w->wait_s, until - w->now);
    w->wait_s -= waited;
    w->now += waited;
    w->gpu_s += waited * gpus;
    if (w->now >= until && a->external) /* the policies choose batches where there was progress */
        take_batch(w);
    while (w->now < until) {
        const double rate = berth__audit_rate(a->workload, w->app, w->span->n_nodes, w->span->nodes, w->span->local,
                                              w->span->accumulation, w->epoch);
        const double target = end_of_epoch(w->app, w->epoch);
        double seconds = until - w->now;
        if (w->progress + rate * seconds >= target) {
            double needed = (target - w->progress) / rate;
            if (a->workload->tick_s > 0)
                needed = nearbyint(needed / a->workload->tick_s) * a->workload->tick_s;
            seconds = fmin(needed, seconds);
            w->progress = target;
            w->epoch++;
        } else {
            w->progress += rate * seconds;
        }
        w->gpu_s += seconds * gpus;
        w->now = seconds == until - w->now ? until : w->now + seconds;
        if (w->epoch == w->app->epochs)
            return w->now;
        take_batch(w);
    }
    return (double)NAN;
}

static double walk_job(const berth__training_audit *a, walk *w) {
    const double round = a->workload->round_s;
    double count = w->job->n_spans > 0 ? nearbyint(w->job->spans[0].at_s / round) : (double)a->run->rounds;
    w->now = count * round;
    take_placement(a, w);
    for (; count < (double)a->run->rounds && !berth__budget_spent(a->budget); count++) {
        w->now = count * round;
        if (w->span && w->span->n_nodes > 0) {
            const double done = walk_round(a, w, (count + 1) * round);
            if (!isnan(done))
                return done;
        }
        w->now = (count + 1) * round;
        take_placement(a, w);
    }
    return (double)NAN;
}

static void compare(berth__training_audit *a, size_t index, const walk *w) {
    const berth_trained_job *job = w->job;
    const berth__audit_place place = {.job = a->workload->jobs[index].id, .slot = -1};
    const double start = job->n_spans > 0 ? job->spans[0].at_s : (double)NAN;
    berth__audit_count(a->report, BERTH__RULE_PROGRESS);
    if (w->strayed || w->next < job->n_spans)
        berth__audit_violation(a->report, BERTH__RULE_PROGRESS, &place, (double)NAN,
                               "a batch changes where no epoch and no round ends, or after the job is done");
    berth__audit_count(a->report, BERTH__RULE_COMPLETION);
    if (!berth__audit_same(job->completion_s, a->done_s[index]))
        berth__audit_violation(a->report, BERTH__RULE_COMPLETION, &place, job->completion_s - a->done_s[index],
                               "done at %g s as claimed, at %g s by its progress", job->completion_s, a->done_s[index]);
    if (!berth__audit_same(job->start_s, start))
        berth__audit_violation(a->report, BERTH__RULE_COMPLETION, &place, (double)NAN,
                               "starts at %g s as claimed, at %g s by its spans", job->start_s, start);
    berth__audit_count(a->report, BERTH__RULE_RESTARTS);
    if (job->restarts != (w->placements > 0 ? w->placements - 1 : 0))
        berth__audit_violation(a->report, BERTH__RULE_RESTARTS, &place, (double)NAN,
                               "%u restarts as claimed, %u placements", job->restarts, w->placements);
    berth__audit_count(a->report, BERTH__RULE_ATTAINED);
    if (!berth__audit_same(job->attained_gpu_s, w->gpu_s))
        berth__audit_violation(a->report, BERTH__RULE_ATTAINED, &place, job->attained_gpu_s - w->gpu_s,
                               "%g GPU seconds as claimed, %g by its spans", job->attained_gpu_s, w->gpu_s);
}

void berth__training_audit_follow(berth__training_audit *a) {
    for (size_t k = 0; k < a->run->n_jobs && !berth__budget_spent(a->budget); k++) {
        a->done_s[k] = (double)NAN;
        if (isnan(a->attained[k]))
            continue;
        walk w = {.app = &a->workload->applications[a->workload->jobs[k].application], .job = &a->run->jobs[k]};
        a->done_s[k] = walk_job(a, &w);
        a->attained[k] = w.gpu_s;
        compare(a, k, &w);
    }
}
