/* Certificates that are files of their own. */
#define _POSIX_C_SOURCE 200809L

#include "cli/cli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int cli_read_certificate(const char *verb, const char *certificate, const char *result, const berth_instance *instance,
                         berth_run *run, bool quiet) {
    berth_error error = {0};
    int code = CLI_DONE;
    char *beside = NULL;
    const char *path = certificate;
    if (path == NULL && run->certificate == NULL && !isnan(run->bounds.dual) && strcmp(result, "-") != 0) {
        beside = cli_certificate_beside(result);
        if (beside == NULL) {
            return cli_fail(verb, CLI_INTERNAL, "out of memory");
        }
        path = access(beside, F_OK) == 0 ? beside : NULL;
    }
    if (path != NULL && path == beside && cli_is_no_file(beside)) {
        code = cli_fail(verb, CLI_BAD_INPUT,
                        "%s: cannot read: it is not a regular file; --certificate FILE names another", beside);
    } else if (path != NULL && berth_run_read_certificate(run, instance, path, &error) != BERTH_OK) {
        code = cli_fail_status(verb, CLI_READING, path, &error);
    } else if (path != NULL && path == beside && !quiet) {
        cli_note(verb, "the certificate is that of '%s'", path);
    }
    free(beside);
    return code;
}
