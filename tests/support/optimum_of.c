#include "tests/support/optimum_of.h"

#include "solver/solve.h"
#include "tests/support/backends.h"
#include "tests/support/check.h"

double optimum_of(berth__model *model) {
    berth__lp *lp = NULL;
    const berth__lp_result *result = NULL;
    berth__lp_options options;
    berth_error error;
    berth_backends *set = all_backends();
    berth__lp_options_init(&options);
    assert_ok(berth__model_finish(model, &error), error);
    assert_ok(berth__lp_open(model, set, NULL, &lp, &error), error);
    assert_ok(berth__lp_solve(lp, &options, &result, &error), error);
    double value = result->outcome == BERTH_OPTIMAL ? result->objective : (double)NAN;
    berth__lp_close(lp);
    berth_backends_free(set);
    return value;
}
