/* The solvers in this program, and options that name one. */
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

berth_status cli_backends_new(berth_backends **out, berth_error *error) {
    berth_status status = berth_backends_new(out);
#ifdef BERTH_WITH_GLPK
    if (status == BERTH_OK) {
        status = berth_add_backend(*out, berth_glpk_backend());
    }
#endif
    if (status != BERTH_OK) {
        berth_backends_free(*out);
        *out = NULL;
        *error = (berth_error){.status = status};
    }
    return status;
}

int cli_check_solver(const char *verb, const char *option, const char *solver, const berth_backends *set, bool exact,
                     const char *others) {
    char names[256] = "";
    if (strcmp(solver, "auto") == 0) {
        return CLI_DONE;
    }
    for (size_t i = 0; i < berth_backends_count(set); i++) {
        const char *name = berth_backends_name(set, i);
        if (exact && !berth_backends_exact(set, i)) {
            continue;
        }
        if (strcmp(solver, name) == 0) {
            return CLI_DONE;
        }
        snprintf(names + strlen(names), sizeof names - strlen(names), ", %s", name);
    }
    return cli_usage(verb, "--%s: expected one of auto%s%s, got '%s'", option, others, names, solver);
}
