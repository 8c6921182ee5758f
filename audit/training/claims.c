/* What a run says of itself: its policy, what goes with that, and how it ended. */
#include <math.h>
#include <string.h>

#include "audit/training/audit.h"

static const double default_horizon_s = 1e8;
static const double most_power = 64;

static const char *const policies[] = {
#define NAME(name, value, text) text,
    BERTH_GOODPUT_POLICY_TABLE(NAME)
#undef NAME
};
static const char *const allocators[] = {
#define NAME(name, value, text) text,
    BERTH_ALLOCATOR_TABLE(NAME)
#undef NAME
};
static const char *const batches[] = {"grid", "exact"};
#define LENGTH(table) (sizeof(table) / sizeof *(table))

static bool is_among(const char *word, const char *const *words, size_t n) {
    for (size_t k = 0; word && k < n; k++)
        if (strcmp(word, words[k]) == 0)
            return true;
    return false;
}

static void refuse(const berth__training_audit *a, const char *field, const char *claimed, const char *expected) {
    berth__audit_violation_at(a->report, BERTH__RULE_IDENTITY, field, (double)NAN, "is %.60s; expected %s",
                              claimed ? claimed : "missing", expected);
}

/* ---- who decided, and how ---- */

static void check_words(const berth__training_audit *a) {
    const berth_goodput_run *run = a->run;
    if (!is_among(run->policy, policies, LENGTH(policies)))
        refuse(a, "policy", run->policy, "one that there is");
    if (a->choosy ? !is_among(run->allocator, allocators, LENGTH(allocators)) : run->allocator != NULL)
        refuse(a, "allocator", run->allocator, a->choosy ? "one that there is" : "none under this policy");
    if (a->choosy ? !is_among(run->batches, batches, LENGTH(batches)) : run->batches != NULL)
        refuse(a, "batches", run->batches, a->choosy ? "grid or exact" : "none under this policy");
}

static void check_parameters(const berth__training_audit *a, const char *policy) {
    const double p = a->run->p, demote = a->run->demote_gpu_s;
    const bool too_large = p > most_power || (p >= 0 && strcmp(policy, "sia") == 0);
    if (!isnan(p) && (!a->choosy || p < -most_power || too_large))
        berth__audit_violation_at(a->report, BERTH__RULE_IDENTITY, "p", (double)NAN,
                                  "is %g, no power of a mean that %s takes", p, policy);
    if (strcmp(policy, "tiresias") == 0 ? !(demote > 0) : !isnan(demote))
        berth__audit_violation_at(a->report, BERTH__RULE_IDENTITY, "demote_gpu_s", (double)NAN, "is %g; expected %s",
                                  demote,
                                  isnan(demote) ? "a number above 0" : "none but under tiresias, and that above 0");
}

/* ---- how it ended ---- */

/* Has the job nothing left to wait for? */
static bool is_given_up(const berth__training_audit *a, size_t index) {
    const berth_trained_job *job = &a->run->jobs[index];
    const bool holds = job->n_spans > 0 && job->spans[job->n_spans - 1].n_nodes > 0;
    return !holds && a->workload->jobs[index].submit_s <= a->run->end_s;
}

/* Stopped, or until all jobs are done, none of those left holds GPUs and no more come, or time is over. */
static void check_end(const berth__training_audit *a) {
    const berth_goodput_run *run = a->run;
    const double horizon = isnan(run->horizon_s) ? default_horizon_s : run->horizon_s;
    double last = 0;
    size_t undone = 0;
    bool given_up = true;
    for (size_t k = 0; k < run->n_jobs; k++) {
        const bool done = !isnan(a->done_s[k]);
        undone += !done;
        given_up = given_up && (done || is_given_up(a, k));
        last = done ? fmax(last, a->done_s[k]) : last;
    }
    if (undone == 0 && run->stopped)
        berth__audit_violation_at(a->report, BERTH__RULE_IDENTITY, "stopped", (double)NAN,
                                  "is true, but all jobs are done");
    if (undone > 0 && !run->stopped && !given_up && run->end_s < horizon)
        berth__audit_violation_at(a->report, BERTH__RULE_IDENTITY, "stopped", run->end_s - horizon,
                                  "is false, but %zu jobs are not done at %g s, before the horizon of %g s", undone,
                                  run->end_s, horizon);
    const double slack = 1e-9 * fmax(last, 1);
    if (undone == 0 && !(last <= run->end_s + slack && last >= run->end_s - a->workload->round_s - slack))
        berth__audit_violation_at(a->report, BERTH__RULE_IDENTITY, "rounds", (double)NAN,
                                  "are %zu, the last of them to %g s; the last job is done at %g s", run->rounds,
                                  run->end_s, last);
}

/* ---- all of it ---- */

void berth__training_audit_claims(berth__training_audit *a) {
    berth__audit_count(a->report, BERTH__RULE_IDENTITY);
    if (a->run->workload_crc32 != a->workload->crc32)
        berth__audit_note_at(a->report, BERTH__RULE_IDENTITY, "", "made from another state of the workload");
    if (a->run->stopped)
        berth__audit_note_at(a->report, BERTH__RULE_IDENTITY, "", "stopped before all jobs were done");
    if (a->external)
        return;
    check_words(a);
    check_parameters(a, a->run->policy);
    check_end(a);
}
