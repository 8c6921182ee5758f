#include "audit/solution/review.h"

#include <string.h>

#include "base/alloc.h"
#include "base/numeric.h"

/* Is it a solution of this very problem? Checksums that are 0 were not computed. */
static berth_status check_identity(const berth__review *r, berth_error *error) {
    const berth_problem *p = r->problem;
    const berth_solution *s = r->solution;
    if (s->problem_crc32 != 0 && p->crc32 != 0 && s->problem_crc32 != p->crc32) {
        return berth__fail(error, BERTH_E_MISMATCH, "/problem_crc32",
                           "the solution is of problem \"%s\" with checksum %08x; this is \"%s\" with %08x",
                           s->problem == NULL ? "" : s->problem, (unsigned)s->problem_crc32,
                           p->name == NULL ? "" : p->name, (unsigned)p->crc32);
    }
    if (s->n_vars != p->n_vars || s->n_rows != p->n_rows) {
        return berth__fail(error, BERTH_E_MISMATCH, "/variables",
                           "the solution has %zu variables and %zu rows; the problem has %zu and %zu", s->n_vars,
                           s->n_rows, p->n_vars, p->n_rows);
    }
    return BERTH_OK;
}

/* False: out of memory. */
static bool run_steps(berth__review *r) {
    if (r->solution->problem_crc32 == 0 || r->problem->crc32 == 0) {
        berth__audit_note_at(r->report, BERTH__RULE_IDENTITY, "",
                             "there is no checksum to compare; the numbers of variables and rows agree");
    }
    if (!berth__review_prepare(r)) {
        return false;
    }
    berth__review_form(r);
    berth__review_point(r);
    berth__review_relaxation(r);
    if (!berth__review_bounds(r) || !berth__review_ray(r)) {
        return false;
    }
    berth__review_outcome(r);
    return berth__review_promise(r);
}

static bool run_steps_in_c_locale(berth__review *r) {
    berth__c_locale locale;
    if (!berth__c_locale_enter(&locale)) {
        return false;
    }
    bool complete = run_steps(r);
    berth__c_locale_leave(&locale);
    return complete;
}

static double ratio_of(const berth__review *r) {
    double ratio = r->problem->maximize ? r->bound / r->cost : r->cost / r->bound;
    return r->cost > 0 && r->bound > 0 && isfinite(ratio) ? ratio : (double)NAN;
}

berth_status berth_check_solution(const berth_problem *problem, const berth_solution *solution,
                                  const berth_hooks *hooks, berth_report **out, berth_error *error) {
    if (out != NULL) {
        *out = NULL;
    }
    berth__error_clear(error);
    if (problem == NULL || solution == NULL || out == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, NULL, "problem, solution and out must not be NULL");
    }
    berth__budget budget = berth__budget_start((double)INFINITY, hooks);
    const char *method = solution->method == NULL ? "" : solution->method;
    berth__review review = {.problem = problem, .solution = solution, .budget = &budget, .bound = (double)NAN};
    review.external = strcmp(method, "external") == 0;
    berth_status status = berth__review_validate(problem, error);
    status = status == BERTH_OK ? check_identity(&review, error) : status;
    if (status != BERTH_OK) {
        return status;
    }
    review.report = berth__audit_report_new();
    bool complete = review.report != NULL && run_steps_in_c_locale(&review);
    if (complete && berth__budget_spent(&budget)) {
        status = berth__fail(error, BERTH_E_CANCELLED, NULL, "the check was cancelled");
        berth__audit_report_free(review.report);
    } else if (complete) {
        berth__audit_set_figures(review.report, review.cost, review.bound, ratio_of(&review));
        *out = berth__audit_report_finish(review.report);
    } else {
        berth__audit_report_free(review.report);
    }
    berth__review_free(&review);
    return *out != NULL || status != BERTH_OK ? status : berth__fail_memory(error);
}
