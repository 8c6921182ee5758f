/* Fairness of each job, and what the run says of all. */
#include <math.h>

#include "audit/training/audit.h"
#include "base/alloc.h"
#include "base/sort.h"

bool berth__audit_same(double a, double b) {
    if (isnan(a) || isnan(b))
        return isnan(a) && isnan(b);
    return a == b || fabs(a - b) <= 1e-7 * fmax(fabs(a), fabs(b)) + 1e-9;
}

static void figure(berth__training_audit *a, const char *name, double claimed, double found) {
    berth__audit_count(a->report, BERTH__RULE_SUMMARY);
    if (!berth__audit_same(claimed, found))
        berth__audit_violation_at(a->report, BERTH__RULE_SUMMARY, name, claimed - found, "%g as claimed, %g recomputed",
                                  claimed, found);
}

/* Jobs in the system, on average over [from, to]. */
static double company(const berth__training_audit *a, double from, double to) {
    double area = 0;
    for (size_t k = 0; k < a->run->n_jobs; k++) {
        const double begin = fmax(a->workload->jobs[k].submit_s, from);
        const double end = isnan(a->done_s[k]) ? to : fmin(a->done_s[k], to);
        area += end > begin ? end - begin : 0;
    }
    return to > from ? fmax(area / (to - from), 1) : 1;
}

/* alone[application][k - 1] on k GPUs, computed when needed; 0: not yet. */
static double alone_s(const berth__training_audit *a, double *memo, size_t room, size_t index, uint64_t total) {
    const berth_training_job *job = &a->workload->jobs[index];
    const double end = isnan(a->done_s[index]) ? fmax(a->run->end_s, job->submit_s) : a->done_s[index];
    const double share = (double)total / company(a, job->submit_s, end);
    const size_t gpus = share < 1 ? 1 : share < (double)room ? (size_t)share : room;
    double *known = &memo[job->application * room + gpus - 1];
    if (*known == 0)
        *known = berth__audit_alone(a->workload, &a->workload->applications[job->application], gpus);
    return *known / (share < 1 ? share : 1) + a->workload->restart_s;
}

static void check_fairness(berth__training_audit *a, size_t index, double alone) {
    const berth_trained_job *job = &a->run->jobs[index];
    const berth__audit_place place = {.job = a->workload->jobs[index].id, .slot = -1};
    const double fairness = (a->done_s[index] - a->workload->jobs[index].submit_s) / alone;
    berth__audit_count(a->report, BERTH__RULE_FAIRNESS);
    if (!berth__audit_same(job->alone_s, alone) || !berth__audit_same(job->fairness, fairness))
        berth__audit_violation(a->report, BERTH__RULE_FAIRNESS, &place, job->fairness - fairness,
                               "%g of %g s alone as claimed, %g of %g s recomputed", job->fairness, job->alone_s,
                               fairness, alone);
}

/* Fairness over jobs that are done. Some are as fast as alone, but for rounding: these may count as unfair or not. */
typedef struct fairnesses {
    double sum, worst;
    size_t above, even; /* 1 */
} fairnesses;

static void add_fairness(fairnesses *f, double fairness) {
    const bool even = fabs(fairness - 1) <= 1e-9;
    f->sum += fairness;
    f->worst = fmax(f->worst, fairness);
    f->even += even;
    f->above += !even && fairness > 1;
}

static void check_totals(berth__training_audit *a, const double *times, size_t n, double sum, const fairnesses *f,
                         uint64_t total) {
    const berth_goodput_run *run = a->run;
    const double count = n > 0 ? (double)n : (double)NAN;
    double last = (double)NAN, gpu_s = 0, restarts = 0;
    for (size_t k = 0; k < run->n_jobs; k++) {
        last = fmax(last, a->done_s[k]);
        gpu_s += a->attained[k];
        restarts += run->jobs[k].restarts;
    }
    figure(a, "completed", (double)run->completed, (double)n);
    figure(a, "mean_s", run->mean_s, sum / count);
    figure(a, "median_s", run->median_s, berth__quantile(times, n, 0.5));
    figure(a, "p99_s", run->p99_s, berth__quantile(times, n, 0.99));
    figure(a, "makespan_s", run->makespan_s, last);
    figure(a, "mean_fairness", run->mean_fairness, f->sum / count);
    figure(a, "worst_fairness", run->worst_fairness, f->worst);
    const double above = fmax((double)f->above, fmin(nearbyint(run->unfair * count), (double)(f->above + f->even)));
    figure(a, "unfair", run->unfair, above / count);
    figure(a, "restarts", (double)run->restarts, restarts);
    figure(a, "gpu_s", run->gpu_s, gpu_s);
    figure(a, "utilisation", run->utilisation, run->end_s > 0 ? gpu_s / ((double)total * run->end_s) : 0);
    figure(a, "end_s", run->end_s, (double)run->rounds * a->workload->round_s);
    berth__audit_set_figures(a->report, sum / count, (double)NAN, (double)NAN);
}

bool berth__training_audit_summary(berth__training_audit *a) {
    const size_t n_jobs = a->run->n_jobs;
    uint64_t total = 0;
    for (size_t k = 0; k < a->workload->n_nodes; k++)
        total += a->workload->gpus[k];
    const size_t room = total < 1024 ? (size_t)total : 1024;
    double *times = BERTH__NEW_ARRAY(double, n_jobs);
    double *memo = BERTH__NEW_ARRAY(double, a->workload->n_applications *room);
    double sum = 0;
    fairnesses f = {.worst = (double)NAN};
    size_t n = 0;
    const bool good = times && memo;
    for (size_t k = 0; k < n_jobs && good; k++) {
        const double alone = alone_s(a, memo, room, k, total);
        check_fairness(a, k, alone);
        if (isnan(a->done_s[k]))
            continue;
        times[n] = a->done_s[k] - a->workload->jobs[k].submit_s;
        sum += times[n];
        add_fairness(&f, times[n] / alone);
        n++;
    }
    if (good) {
        berth__sort(times, n);
        check_totals(a, times, n, sum, &f, total);
    }
    berth__free(times);
    berth__free(memo);
    return good;
}
