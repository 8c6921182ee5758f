#include "online/exact_bound.h"

#include "base/error.h"
#include "formulations/time_indexed.h"
#include "solver/solve.h"

#include <math.h>

/* Most variables of the programme. */
enum { MOST_VARIABLES = 5000 };

berth_status berth__exact_check(const berth__cluster *cluster, size_t n_jobs, berth__job *const *jobs,
                                const berth_backends *backends, berth_error *error) {
    double size = berth__time_indexed_size(cluster, n_jobs, jobs);
    if (size > MOST_VARIABLES) {
        return berth__fail(error, BERTH_E_UNSUPPORTED, "bound",
                           "the exact bound is for tiny instances: this one takes %.0f integer variables, and at most "
                           "%d are allowed; the LP bound has no such limit",
                           size, MOST_VARIABLES);
    }
    if (berth__backend_find(backends, NULL, BERTH__BACKEND_MIP) == NULL) {
        return berth__fail(error, BERTH_E_BACKEND, "bound", "the exact bound needs a solver for integers, like glpk");
    }
    return BERTH_OK;
}

berth_status berth__exact_optimum(const berth__cluster *cluster, size_t n_jobs, berth__job *const *jobs,
                                  const berth_backends *backends, const berth__budget *budget, double *optimum,
                                  berth_error *error) {
    berth__model *model = NULL;
    berth__lp *lp = NULL;
    const berth__lp_result *result = NULL;
    berth__lp_options options;
    berth__lp_options_init(&options);
    options.integers = options.cuts = true;
    options.budget = budget;
    *optimum = (double)NAN;
    berth_status status = berth__time_indexed_model(cluster, n_jobs, jobs, &model, error);
    if (status == BERTH_OK && model->n_cols == 0) {
        *optimum = 0;
        goto done;
    }
    if (status == BERTH_OK) {
        status = berth__lp_open(model, backends, NULL, &lp, error);
    }
    if (status == BERTH_OK) {
        status = berth__lp_solve(lp, &options, &result, error);
    }
    if (status == BERTH_OK && result->outcome == BERTH_OPTIMAL) {
        *optimum = fmax(0, result->objective);
    } else if (status == BERTH_OK && result->outcome == BERTH_NUMERIC) {
        status =
            berth__fail(error, BERTH_E_NUMERIC, "bound", "no solver's optimum of the exact bound could be verified");
    }
done:
    berth__lp_close(lp);
    berth__model_free(model);
    return status;
}
