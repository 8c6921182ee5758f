#include <math.h>
#include <string.h>

#include "audit/training/audit.h"
#include "base/alloc.h"

/* What would be read out of bounds. */
static berth_status check_indices(const berth_goodput_workload *w, const berth_goodput_run *run, berth_error *error) {
    if (run->n_jobs != w->n_jobs)
        return berth__fail(error, BERTH_E_MISMATCH, NULL, "the run has %zu jobs, the workload %zu", run->n_jobs,
                           w->n_jobs);
    for (size_t k = 0; k < w->n_jobs; k++)
        if (w->jobs[k].application >= w->n_applications)
            return berth__fail(error, BERTH_E_INPUT, "jobs", "job %zu names no application", k);
    if (!(w->round_s > 0) || run->rounds > 1000000000)
        return berth__fail(error, BERTH_E_INPUT, "rounds", "is %zu; expected at most 1e9, of above 0 seconds",
                           run->rounds);
    return BERTH_OK;
}

static bool is_policy(const berth_goodput_run *run, const char *name) {
    return run->policy && strcmp(run->policy, name) == 0;
}

static bool run_steps(berth__training_audit *a) {
    if (!berth__training_audit_spans(a))
        return false;
    berth__training_audit_follow(a);
    berth__training_audit_claims(a);
    return berth__training_audit_summary(a);
}

berth_status berth_check_goodput_run(const berth_goodput_workload *workload, const berth_goodput_run *run,
                                     const berth_hooks *hooks, berth_report **out, berth_error *error) {
    if (out)
        *out = NULL;
    berth__error_clear(error);
    if (!workload || !run || !out)
        return berth__fail(error, BERTH_E_ARGUMENT, NULL, "workload, run and out must not be NULL");
    berth_status status = check_indices(workload, run, error);
    if (status)
        return status;
    berth__budget budget = berth__budget_start((double)INFINITY, hooks);
    berth__training_audit a = {.workload = workload,
                               .run = run,
                               .budget = &budget,
                               .report = berth__audit_report_new(),
                               .choosy = is_policy(run, "pollux") || is_policy(run, "sia") || is_policy(run, "hesrpt"),
                               .external = !run->policy || is_policy(run, "external"),
                               .attained = BERTH__NEW_ARRAY(double, run->n_jobs),
                               .done_s = BERTH__NEW_ARRAY(double, run->n_jobs)};
    const bool complete = a.report && a.attained && a.done_s && run_steps(&a);
    if (complete && !berth__budget_spent(&budget)) {
        *out = berth__audit_report_finish(a.report);
    } else {
        status = complete ? berth__fail(error, BERTH_E_CANCELLED, NULL, "the check was cancelled") : BERTH_OK;
        berth__audit_report_free(a.report);
    }
    berth__free(a.attained);
    berth__free(a.done_s);
    return *out || status ? status : berth__fail_memory(error);
}
