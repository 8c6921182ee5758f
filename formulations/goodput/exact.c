#include "formulations/goodput/exact.h"

#include "base/error.h"
#include "solver/solve.h"

berth_status berth__allocate_exact(berth__allocate_run *run, berth_error *error) {
    const berth_allocate_options *options = run->problem->options;
    if (berth__backend_find(options->backends, NULL, BERTH__BACKEND_MIP) == NULL)
        return berth__fail(error, BERTH_E_BACKEND, "prove", "there is no MIP backend");
    return BERTH_OK;
}
