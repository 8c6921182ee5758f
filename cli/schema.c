/* berth schema: the JSON Schemas of the file formats. */
#include "cli/cli.h"

#include <stdio.h>

static int schema(int argc, char **argv) {
    cli_common settings = {0};
    cli_words words;
    int code;
    if (!cli_parse(&cli_verb_schema, argc, argv, &settings, &words, &code)) {
        return code;
    }
    if (words.n == 0) {
        for (const char *const *name = berth_schema_names(); *name != NULL; name++) {
            puts(*name);
        }
        return cli_finish_output("schema", CLI_DONE);
    }
    const char *text = berth_schema(words.word[0]);
    if (text == NULL) {
        return cli_unknown("schema", "format", words.word[0], berth_schema_names());
    }
    puts(text);
    return cli_finish_output("schema", CLI_DONE);
}

const cli_verb cli_verb_schema = {
    .name = "schema",
    .arguments = "[FORMAT]",
    .summary = "Prints the JSON Schema of a file format, or the formats' names",
    .details = "",
    .examples = "  berth schema\n  berth schema berth-jobs-1 > berth-jobs-1.schema.json",
    .max_words = 1,
    .settings_size = sizeof(cli_common),
    .run = schema,
};
