/* Options of verbs that round. */
#include "cli/cli.h"

#include <string.h>

const char *const cli_favour_names[] = {"cover", "packing", NULL};
const char cli_scale_default[] = "auto";

int cli_read_scale(const char *verb, const char *where, const char *text, berth_scale_rule *rule, double *scale) {
    if (strcmp(text, cli_scale_default) == 0) {
        *rule = BERTH_SCALE_AUTO;
    } else if (strcmp(text, "paper") == 0) {
        *rule = BERTH_SCALE_PAPER;
    } else if (cli_parse_real(text, scale) && *scale > 0) {
        *rule = BERTH_SCALE_GIVEN;
    } else {
        return cli_usage(verb, "%s: expected auto, paper or a number above 0, got '%s'", where, text);
    }
    return CLI_DONE;
}
