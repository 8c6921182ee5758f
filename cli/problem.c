/* Reading general problems, for the verbs that do. */
#include "cli/cli.h"

#include <string.h>

int cli_spare_problem(const char *verb, const char *output, const char *path,
                      const berth_problem_read_options *options) {
    if (cli_same_file(output, path)) {
        return cli_usage(verb, "-o would replace the problem '%s'", path);
    }
    if (cli_same_file(output, options->data)) {
        return cli_usage(verb, "-o would replace the data '%s'", options->data);
    }
    return CLI_DONE;
}

int cli_read_problem(const char *verb, const char *path, const berth_problem_read_options *options,
                     berth_problem **out) {
    berth_error error = {0};
    if (berth_problem_read(path, options, out, &error) == BERTH_OK) {
        return CLI_DONE;
    }
    bool of_data = options->data != NULL && strcmp(error.where, options->data) == 0;
    return cli_fail_status(verb, CLI_READING, of_data ? options->data : path, &error);
}
