#include "tests/support/backends.h"

#include "tests/support/check.h"

#include <string.h>

berth_backends *all_backends(void) {
    berth_backends *set = NULL;
    assert_int_equal(berth_backends_new(&set), BERTH_OK);
#ifdef BERTH_WITH_GLPK
    assert_int_equal(berth_add_backend(set, berth_glpk_backend()), BERTH_OK);
#endif
    return set;
}

bool has_solver_of(const char *policy) {
#ifdef BERTH_WITH_GLPK
    (void)policy;
    return true;
#else
    return strcmp(policy, "dorm") != 0; /* solves integer programmes */
#endif
}
