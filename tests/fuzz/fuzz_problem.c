/* Any bytes as a problem file: read or refused with a message, never more; what is read can be written or is refused
 * with a message. The first byte tells the format. */

#include <berth_io.h>

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void write_all(const berth_problem *problem) {
    static const berth_problem_format formats[] = {BERTH_PROBLEM_JSON, BERTH_PROBLEM_MPS, BERTH_PROBLEM_MPS_FREE,
                                                   BERTH_PROBLEM_LP};
    for (size_t k = 0; k < sizeof formats / sizeof formats[0]; k++) {
        berth_error error;
        berth_status status = berth_problem_write(problem, formats[k], "/dev/null", &error);
        if (status != BERTH_OK && (status != BERTH_E_UNSUPPORTED || error.message[0] == '\0')) {
            abort();
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    berth_backends *backends = NULL;
    berth_problem_read_options options;
    berth_problem *problem = NULL;
    berth_error error;
    if (length == 0 || berth_backends_new(&backends) != BERTH_OK) {
        return 0;
    }
#ifdef BERTH_WITH_GLPK
    if (berth_add_backend(backends, berth_glpk_backend()) != BERTH_OK) {
        abort();
    }
#endif
    berth_problem_read_options_init(&options);
    options.backends = backends;
    /* Letters, so that inputs can be read: a for auto, b for the next, ... */
    options.format = (berth_problem_format)((unsigned)(bytes[0] - 'a') % (BERTH_PROBLEM_ORLIB_MKNAP + 1));
    berth_status status = berth_problem_parse((const char *)bytes + 1, length - 1, &options, &problem, &error);
    if ((status == BERTH_OK) != (problem != NULL)) {
        abort();
    }
    if (status == BERTH_OK) {
        write_all(problem);
    } else if (status == BERTH_E_INTERNAL || error.message[0] == '\0') {
        abort();
    }
    berth_problem_free(problem);
    berth_backends_free(backends);
    return 0;
}
