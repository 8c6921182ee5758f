/* Totals and summary. */
#include <math.h>

#include "audit/run/audit.h"
#include "base/alloc.h"
#include "base/sort.h"
#include "base/tolerance.h"

void berth__audit_figure(berth__audit *audit, berth__audit_rule rule, const char *name, double claimed, double due) {
    berth__audit_count(audit->report, rule);
    if (isnan(claimed) && isnan(due)) {
        return;
    }
    if (isnan(claimed) && audit->external) {
        berth__audit_note(audit->report, rule, &BERTH__NOWHERE, "%s is not given; it is %.9g", name, due);
    } else if (isnan(claimed)) {
        berth__audit_violation(audit->report, rule, &BERTH__NOWHERE, (double)NAN, "%s is not given; it is %.9g", name,
                               due);
    } else if (isnan(due)) {
        berth__audit_violation(audit->report, rule, &BERTH__NOWHERE, (double)NAN,
                               "%s is claimed to be %.9g, but there is none", name, claimed);
    } else if (!berth__audit_agree(claimed, due, 0)) {
        berth__audit_violation(audit->report, rule, &BERTH__NOWHERE, -fabs(claimed - due),
                               "%s is claimed to be %.9g; it is %.9g", name, claimed, due);
    }
}

static void check_utilisation(berth__audit *audit) {
    const berth_instance *instance = audit->instance;
    const double *claimed = audit->run->summary.utilisation;
    if (claimed == NULL) {
        berth__audit_note(audit->report, BERTH__RULE_SUMMARY, &BERTH__NOWHERE, "utilisation is not given");
        return;
    }
    for (size_t r = 0; r < instance->n_resources; r++) {
        double capacity = 0;
        for (size_t h = 0; h < instance->n_machines; h++) {
            capacity += instance->capacity[h * instance->n_resources + r];
        }
        double due = capacity > 0 ? audit->used[r] / (capacity * instance->horizon_slots) : (double)NAN;
        berth__audit_place place = {NULL, -1, NULL, instance->resources[r]};
        berth__audit_count(audit->report, BERTH__RULE_SUMMARY);
        /* A resource without capacity may be given as unused. */
        bool absent = isnan(due) && (isnan(claimed[r]) || claimed[r] == 0);
        if (!absent && !berth__audit_agree(claimed[r], due, 1e-6)) {
            berth__audit_violation(audit->report, BERTH__RULE_SUMMARY, &place, -fabs(claimed[r] - due),
                                   "utilisation is claimed to be %.9g; it is %.9g", claimed[r], due);
        }
    }
}

static bool check_summary(berth__audit *audit) {
    const berth_run *run = audit->run;
    const berth_run_summary *summary = &run->summary;
    if (summary->utilisation == NULL && isnan(summary->utility)) {
        berth__audit_note(audit->report, BERTH__RULE_SUMMARY, &BERTH__NOWHERE, "no summary is given");
        return true;
    }
    double *delays = BERTH__NEW_ARRAY(double, run->n_jobs);
    if (delays == NULL) {
        return false;
    }
    size_t admitted = 0, completed = 0;
    double sum = 0;
    for (size_t job = 0; job < run->n_jobs; job++) {
        const berth_run_job *claim = &run->jobs[job];
        admitted += claim->admitted;
        if (claim->outcome == BERTH_JOB_COMPLETED) {
            delays[completed] = audit->facts[job].last_slot - audit->jobs[job].spec->arrival_slot;
            sum += delays[completed++];
        }
    }
    berth__sort(delays, completed);
    double mean = completed > 0 ? sum / (double)completed : (double)NAN;
    berth__audit_figure(audit, BERTH__RULE_SUMMARY, "the number of jobs", (double)summary->jobs, (double)run->n_jobs);
    berth__audit_figure(audit, BERTH__RULE_SUMMARY, "the number of admitted jobs", (double)summary->admitted,
                        (double)admitted);
    berth__audit_figure(audit, BERTH__RULE_SUMMARY, "the number of completed jobs", (double)summary->completed,
                        (double)completed);
    berth__audit_figure(audit, BERTH__RULE_SUMMARY, "the utility", summary->utility, audit->utility);
    berth__audit_figure(audit, BERTH__RULE_SUMMARY, "the mean delay", summary->mean_delay_slots, mean);
    berth__audit_figure(audit, BERTH__RULE_SUMMARY, "the median delay", summary->median_delay_slots,
                        berth__quantile(delays, completed, 0.5));
    berth__audit_figure(audit, BERTH__RULE_SUMMARY, "the makespan", summary->makespan_slots, audit->makespan);
    check_utilisation(audit);
    berth__free(delays);
    return true;
}

static void check_not_infinite(berth__audit *audit, const char *job, const char *name, double value) {
    berth__audit_count(audit->report, BERTH__RULE_FINITE);
    if (isinf(value)) {
        berth__audit_place place = {job, -1, NULL, NULL};
        berth__audit_violation(audit->report, BERTH__RULE_FINITE, &place, (double)NAN, "%s is infinite", name);
    }
}

/* Figures that may be absent (NAN), but never infinite. The others are compared with what they should be. */
static void check_infinities(berth__audit *audit) {
    const berth_run *run = audit->run;
    for (size_t job = 0; job < run->n_jobs; job++) {
        const berth_run_job *claim = &run->jobs[job];
        check_not_infinite(audit, claim->id, "payoff", claim->payoff);
        check_not_infinite(audit, claim->id, "payoff_bound", claim->payoff_bound);
        check_not_infinite(audit, claim->id, "price_paid", claim->price_paid);
    }
    check_not_infinite(audit, NULL, "dual", run->bounds.dual);
    check_not_infinite(audit, NULL, "arrival_dual", run->bounds.arrival_dual);
    check_not_infinite(audit, NULL, "lp", run->bounds.lp);
    check_not_infinite(audit, NULL, "exact", run->bounds.exact);
    check_not_infinite(audit, NULL, "best", run->bounds.best);
    check_not_infinite(audit, NULL, "closed_form_ratio", run->closed_form_ratio);
}

bool berth__audit_figures(berth__audit *audit) {
    berth__audit_figure(audit, BERTH__RULE_UTILITY, "the utility", audit->run->utility, audit->utility);
    check_infinities(audit);
    return check_summary(audit);
}
