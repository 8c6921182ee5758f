#include <math.h>
#include <string.h>

#include "audit/run/audit.h"
#include "base/alloc.h"
#include "base/numeric.h"

/* Is the result of this very instance? A result made by hand may leave the checksum out. */
static berth_status check_identity(const berth__audit *audit, berth_error *error) {
    const berth_instance *instance = audit->instance;
    const berth_run *run = audit->run;
    if (run->instance_crc32 != instance->crc32 && !(audit->external && run->instance_crc32 == 0)) {
        return berth__fail(error, BERTH_E_MISMATCH, "/instance_crc32",
                           "the result is of instance \"%s\" with checksum %08x; this is \"%s\" with %08x",
                           run->instance == NULL ? "" : run->instance, (unsigned)run->instance_crc32,
                           instance->name == NULL ? "" : instance->name, (unsigned)instance->crc32);
    }
    if (run->n_jobs != instance->n_jobs || run->n_resources != instance->n_resources) {
        return berth__fail(error, BERTH_E_MISMATCH, "/jobs",
                           "the result has %zu job%s and %zu resource%s; the instance has %zu and %zu", run->n_jobs,
                           berth__audit_plural((double)run->n_jobs), run->n_resources,
                           berth__audit_plural((double)run->n_resources), instance->n_jobs, instance->n_resources);
    }
    for (size_t job = 0; job < run->n_jobs; job++) {
        if (run->jobs[job].id == NULL || strcmp(run->jobs[job].id, instance->jobs[job].id) != 0) {
            return berth__fail(error, BERTH_E_MISMATCH, "/jobs", "job %zu is \"%s\"; in the instance it is \"%s\"", job,
                               run->jobs[job].id == NULL ? "" : run->jobs[job].id, instance->jobs[job].id);
        }
    }
    return BERTH_OK;
}

static bool run_steps_in_c_locale(berth__audit *audit) {
    if (audit->external && audit->run->instance_crc32 == 0) {
        berth__audit_note(audit->report, BERTH__RULE_IDENTITY, &BERTH__NOWHERE,
                          "the result names no checksum; jobs agree by number and name");
    }
    for (size_t job = 0; job < audit->instance->n_jobs; job++) {
        berth__audit_derive_job(audit->instance, job, &audit->jobs[job]);
    }
    berth__audit_truth(audit);
    berth__audit_price_bounds(audit);
    bool complete = berth__audit_schedules(audit) && berth__audit_ledger(audit) && berth__audit_figures(audit);
    if (complete) {
        berth__audit_payoffs(audit);
        berth__audit_estimation(audit);
        berth__audit_promises(audit);
        complete = berth__audit_dual(audit);
    }
    if (complete) {
        berth__audit_bounds(audit);
    }
    berth__audit_set_figures(audit->report, audit->utility, audit->dual,
                             audit->utility > 0 ? audit->dual / audit->utility : (double)NAN);
    return complete;
}

static bool run_steps(berth__audit *audit) {
    berth__c_locale locale;
    if (!berth__c_locale_enter(&locale)) {
        return false;
    }
    bool complete = run_steps_in_c_locale(audit);
    berth__c_locale_leave(&locale);
    return complete;
}

berth_status berth_check(const berth_instance *instance, const berth_run *run, const berth_hooks *hooks,
                         berth_report **out, berth_error *error) {
    if (out != NULL) {
        *out = NULL;
    }
    if (instance == NULL || run == NULL || out == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, NULL, "instance, run and out must not be NULL");
    }
    const char *policy = run->policy == NULL ? "" : run->policy;
    berth__audit audit = {.instance = instance, .run = run, .hooks = hooks, .policy = policy};
    audit.external = strcmp(policy, "external") == 0;
    audit.primal_dual = strncmp(policy, "pdors", strlen("pdors")) == 0 || strcmp(policy, "oasis") == 0;
    audit.promises = audit.primal_dual || strcmp(policy, "bidlp") == 0;
    berth_status status = check_identity(&audit, error);
    if (status != BERTH_OK) {
        return status;
    }
    audit.report = berth__audit_report_new();
    audit.jobs = BERTH__NEW_ARRAY(berth__audit_job, instance->n_jobs);
    audit.facts = BERTH__NEW_ARRAY(berth__audit_facts, instance->n_jobs);
    audit.used = BERTH__NEW_ARRAY(double, instance->n_resources);
    bool complete =
        audit.report != NULL && audit.jobs != NULL && audit.facts != NULL && audit.used != NULL && run_steps(&audit);
    if (complete) {
        *out = berth__audit_report_finish(audit.report);
    } else {
        berth__audit_report_free(audit.report);
    }
    berth__free(audit.jobs);
    berth__free(audit.facts);
    berth__free(audit.used);
    return *out != NULL ? BERTH_OK : berth__fail_memory(error);
}
