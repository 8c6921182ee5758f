/* General problems as files: which format it is, and the way to its reader or writer. */
#include <berth_io.h>

#include "base/numeric.h"
#include "formats/bytes.h"
#include "formats/problem_formats.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const format_names[] = {"auto", "json",      "mps",         "mps-free", "lp",
                                           "gmpl", "orlib-scp", "orlib-mknap", NULL};

const char *const *berth_problem_format_names(void) {
    return format_names;
}

void berth_problem_read_options_init(berth_problem_read_options *options) {
    *options = (berth_problem_read_options){.struct_size = sizeof *options, .number = 1};
    berth_hooks_init(&options->hooks);
}

bool berth__problem_fail_line(const berth__problem_source *source, berth__problem_builder *builder, berth_status status,
                              long line, const char *format, ...) {
    char message[400];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    if (builder->status == BERTH_OK) {
        builder->status = berth__fail_at(builder->error, status, source->where, line, 0, "%s", message);
    }
    return false;
}

bool berth__problem_name_after_file(const berth__problem_source *source, berth__problem_builder *builder,
                                    size_t number) {
    const char *path = source->where == NULL || strcmp(source->where, "-") == 0 ? "" : source->where;
    const char *slash = strrchr(path, '/');
    const char *base = slash == NULL ? path : slash + 1;
    char name[256];
    int length = snprintf(name, sizeof name - 24, "%.*s", (int)strcspn(base, "."), base);
    length = length < (int)sizeof name - 24 ? length : (int)sizeof name - 25;
    if (number > 0) {
        snprintf(name + length, 24, "-%zu", number);
    }
    return berth__problem_name(builder, name);
}

/* ---- which format ---- */

static bool ends_with(const char *path, size_t length, const char *ending) {
    size_t n = strlen(ending);
    for (size_t k = 0; k < n; k++) {
        if (length < n || tolower((unsigned char)path[length - n + k]) != ending[k]) {
            return false;
        }
    }
    return true;
}

/* AUTO: the name does not tell. */
static berth_problem_format format_by_name(const char *path) {
    static const struct {
        const char *ending;
        berth_problem_format format;
    } table[] = {{".json", BERTH_PROBLEM_JSON}, {".mps", BERTH_PROBLEM_MPS},   {".lp", BERTH_PROBLEM_LP},
                 {".mod", BERTH_PROBLEM_GMPL},  {".gmpl", BERTH_PROBLEM_GMPL}, {".mathprog", BERTH_PROBLEM_GMPL}};
    size_t length = strlen(path);
    length -= ends_with(path, length, ".gz") ? strlen(".gz") : 0;
    for (size_t k = 0; k < sizeof table / sizeof table[0]; k++) {
        if (ends_with(path, length, table[k].ending)) {
            return table[k].format;
        }
    }
    return BERTH_PROBLEM_AUTO;
}

/* The word at `text`, in lower case, cut to fit. */
static void first_word(const char *text, char word[16]) {
    size_t n = 0;
    while (n < 15 && (isalnum((unsigned char)text[n]) || text[n] == '.')) {
        word[n] = (char)tolower((unsigned char)text[n]);
        n++;
    }
    word[n] = '\0';
}

static bool is_one_of(const char *word, const char *const *list, size_t n) {
    for (size_t k = 0; k < n; k++) {
        if (strcmp(word, list[k]) == 0) {
            return true;
        }
    }
    return false;
}
#define IS_ONE_OF(word, list) is_one_of((word), (list), sizeof(list) / sizeof((list)[0]))

/* By the first line that says something. */
static berth_problem_format format_by_line(const char *line) {
    static const char *const mps[] = {"name", "rows", "objsense"};
    static const char *const senses[] = {"minimize", "minimise", "minimum", "min",
                                         "maximize", "maximise", "maximum", "max"};
    static const char *const gmpl[] = {"set", "param", "var", "table", "s.t.", "subject"};
    char word[16];
    first_word(line, word);
    const char *rest = line + strlen(word);
    if (*line == '{') {
        return BERTH_PROBLEM_JSON;
    }
    if (*line == '\\') {
        return BERTH_PROBLEM_LP;
    }
    if (isdigit((unsigned char)*line)) {
        return BERTH_PROBLEM_ORLIB_SCP; /* or a knapsack: see read_numbers */
    }
    if (*line == '#' || strncmp(line, "/*", 2) == 0 || (IS_ONE_OF(word, gmpl) && (*rest == ' ' || *rest == '\t'))) {
        return BERTH_PROBLEM_GMPL;
    }
    if (IS_ONE_OF(word, mps) && *rest != ':' && *rest != '=') {
        return BERTH_PROBLEM_MPS;
    }
    /* "min:" begins a pseudo-Boolean problem, or one of lp_solve. */
    return IS_ONE_OF(word, senses) && *rest != ':' ? BERTH_PROBLEM_LP : BERTH_PROBLEM_AUTO;
}

/* AUTO: none that is known. */
static berth_problem_format format_by_content(const char *text) {
    for (const char *line = text; *line != '\0';) {
        line += strspn(line, " \t\r\n");
        if (*line != '*') { /* an MPS comment, or one of others */
            return *line == '\0' ? BERTH_PROBLEM_AUTO : format_by_line(line);
        }
        line += strcspn(line, "\n");
    }
    return BERTH_PROBLEM_AUTO;
}

static berth_status fail_unknown(const berth__problem_source *source, berth_error *error) {
    bool is_opb = strstr(source->text, "#variable=") != NULL || strncmp(source->text, "min:", 4) == 0 ||
                  strncmp(source->text, "max:", 4) == 0;
    return berth__fail(error, is_opb ? BERTH_E_UNSUPPORTED : BERTH_E_INPUT, NULL,
                       "%s; understood are berth-mpc-1 (JSON), MPS, CPLEX LP, GMPL, and the OR-Library's texts of set "
                       "covering and multidimensional knapsack problems",
                       is_opb ? "this looks like a pseudo-Boolean problem (OPB) or one of lp_solve, which is not "
                                "supported"
                              : "this is no problem in a format known by its name or its first lines");
}

/* ---- reading ---- */

static bool read_format(const berth__problem_source *source, berth_problem_format format,
                        berth__problem_builder *builder) {
    switch (format) {
    case BERTH_PROBLEM_JSON:
        return berth__problem_read_json(source, builder);
    case BERTH_PROBLEM_ORLIB_SCP:
        return berth__problem_read_scp(source, builder);
    case BERTH_PROBLEM_ORLIB_MKNAP:
        return berth__problem_read_mknap(source, builder);
    case BERTH_PROBLEM_MPS:
    case BERTH_PROBLEM_MPS_FREE:
    case BERTH_PROBLEM_LP:
    case BERTH_PROBLEM_GMPL:
        return berth__problem_read_foreign(source, format, builder);
    case BERTH_PROBLEM_AUTO:
        break;
    }
    builder->status = berth__fail(builder->error, BERTH_E_ARGUMENT, "format", "there is no format %d", (int)format);
    return false;
}

static berth_status build(const berth__problem_source *source, berth_problem_format format, berth_problem **out,
                          berth_error *error) {
    berth__problem_builder builder;
    berth__problem_begin(&builder, error);
    if (builder.status == BERTH_OK && read_format(source, format, &builder)) {
        berth__problem_finish(&builder, out);
    }
    berth_status status = builder.status;
    berth__problem_clear(&builder);
    return status;
}

static bool is_cut_off(const berth_error *error) {
    return strncmp(error->message, "the text ends", strlen("the text ends")) == 0;
}

/* Both of the OR-Library's texts begin with a number; a text that is neither is of the kind in which something is
 * wrong rather than missing, else of the one that got farther. */
static berth_status read_numbers(const berth__problem_source *source, berth_problem **out, berth_error *error) {
    berth_error scp = {0}, mknap = {0};
    if (source->options->number > 1) { /* only knapsacks come in numbers */
        return build(source, BERTH_PROBLEM_ORLIB_MKNAP, out, error);
    }
    berth_status status = build(source, BERTH_PROBLEM_ORLIB_SCP, out, &scp);
    if (status == BERTH_E_INPUT) {
        status = build(source, BERTH_PROBLEM_ORLIB_MKNAP, out, &mknap);
    }
    bool is_mknap = is_cut_off(&scp) != is_cut_off(&mknap) ? is_cut_off(&scp) : mknap.line > scp.line;
    const berth_error *failure = is_mknap ? &mknap : &scp;
    if (status == BERTH_OK || mknap.status != BERTH_E_INPUT) {
        return status == BERTH_OK ? status : berth__fail(error, status, NULL, "%s", berth_status_text(status));
    }
    return berth__fail_at(error, BERTH_E_INPUT, failure->where, failure->line, 0,
                          "%.300s (as an OR-Library %s problem; as a %s it is wrong from line %ld on)",
                          failure->message, is_mknap ? "multidimensional knapsack" : "set covering",
                          is_mknap ? "set covering" : "multidimensional knapsack", is_mknap ? scp.line : mknap.line);
}

static berth_status check_options(const berth_problem_read_options *options, berth_error *error) {
    if (options->struct_size != sizeof *options || options->hooks.struct_size != sizeof options->hooks) {
        return berth__fail(error, BERTH_E_ARGUMENT, "options",
                           "not initialised: call berth_problem_read_options_init first");
    }
    if (options->number < 1) {
        return berth__fail(error, BERTH_E_ARGUMENT, "number", "must be at least 1, is %d", options->number);
    }
    return BERTH_OK;
}

/* `path` tells the format if nothing else does; NULL: it does not. */
static berth_status read_text(const char *text, size_t length, const char *path,
                              const berth_problem_read_options *options, berth_problem **out, berth_error *error) {
    berth__c_locale locale;
    berth__problem_source source = {.where = path, .options = options};
    berth_status status = berth__text_check(&text, &length, path, error);
    if (status != BERTH_OK) {
        return status;
    }
    if (!berth__c_locale_enter(&locale)) {
        return berth__fail_memory(error);
    }
    source.text = text;
    source.length = length;
    berth_problem_format format = options->format;
    bool guessed = format == BERTH_PROBLEM_AUTO;
    if (guessed && path != NULL) {
        format = format_by_name(path);
    }
    if (format == BERTH_PROBLEM_AUTO) {
        format = format_by_content(text);
    }
    status = format == BERTH_PROBLEM_AUTO                   ? fail_unknown(&source, error)
             : format == BERTH_PROBLEM_ORLIB_SCP && guessed ? read_numbers(&source, out, error)
                                                            : build(&source, format, out, error);
    berth__c_locale_leave(&locale);
    return status;
}

berth_status berth_problem_read(const char *path, const berth_problem_read_options *options, berth_problem **out,
                                berth_error *error) {
    berth_problem_read_options defaults;
    char *bytes = NULL;
    size_t length = 0;
    *out = NULL;
    berth__error_clear(error);
    if (path == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "path", "must not be NULL");
    }
    berth_problem_read_options_init(&defaults);
    options = options != NULL ? options : &defaults;
    berth_status status = check_options(options, error);
    if (status == BERTH_OK) {
        status = berth__bytes_read(path, BERTH__MAX_INPUT, &bytes, &length, error);
    }
    if (status == BERTH_OK) {
        status = read_text(bytes, length, path, options, out, error);
    }
    berth__free(bytes);
    return status;
}

berth_status berth_problem_parse(const char *text, size_t length, const berth_problem_read_options *options,
                                 berth_problem **out, berth_error *error) {
    berth_problem_read_options defaults;
    *out = NULL;
    berth__error_clear(error);
    if (text == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "text", "must not be NULL");
    }
    berth_problem_read_options_init(&defaults);
    options = options != NULL ? options : &defaults;
    berth_status status = check_options(options, error);
    if (status != BERTH_OK) {
        return status;
    }
    /* The readers look for the end of the text. */
    char *copy = berth__calloc(length + 1, 1);
    if (copy == NULL) {
        return berth__fail_memory(error);
    }
    memcpy(copy, text, length);
    status = read_text(copy, length, NULL, options, out, error);
    berth__free(copy);
    return status;
}

/* ---- writing ---- */

static berth_status write_text(const berth_problem *problem, berth_problem_format format, bool may_be_free, char **text,
                               size_t *length, berth_error *error) {
    berth_status status = BERTH_OK;
    switch (format) {
    case BERTH_PROBLEM_JSON:
        return berth__problem_write_json(problem, text, length, error);
    case BERTH_PROBLEM_MPS:
        status = berth__problem_write_mps(problem, false, text, length, error);
        return status == BERTH_E_UNSUPPORTED && may_be_free
                   ? berth__problem_write_mps(problem, true, text, length, error)
                   : status;
    case BERTH_PROBLEM_MPS_FREE:
        return berth__problem_write_mps(problem, true, text, length, error);
    case BERTH_PROBLEM_LP:
        return berth__problem_write_lp(problem, text, length, error);
    case BERTH_PROBLEM_GMPL:
    case BERTH_PROBLEM_ORLIB_SCP:
    case BERTH_PROBLEM_ORLIB_MKNAP:
        return berth__fail(error, BERTH_E_UNSUPPORTED, "format",
                           "problems are not written as %s; known: json, mps, mps-free, lp", format_names[format]);
    case BERTH_PROBLEM_AUTO:
        break;
    }
    return berth__fail(error, BERTH_E_ARGUMENT, "format",
                       "which format to write is not known by the name of the file; "
                       "known: json, mps, mps-free, lp");
}

berth_status berth_problem_write(const berth_problem *problem, berth_problem_format format, const char *path,
                                 berth_error *error) {
    berth__c_locale locale;
    berth_problem *copy = NULL;
    char *text = NULL;
    size_t length = 0;
    berth__error_clear(error);
    if (path == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "path", "must not be NULL");
    }
    bool guessed = format == BERTH_PROBLEM_AUTO;
    berth_status status = berth__problem_copy(problem, &copy, error);
    if (status != BERTH_OK) {
        return status;
    }
    if (!berth__c_locale_enter(&locale)) {
        berth_problem_free(copy);
        return berth__fail_memory(error);
    }
    /* A file called .mps is fixed if it can be: readers try both. */
    status = write_text(copy, guessed ? format_by_name(path) : format, guessed, &text, &length, error);
    berth__c_locale_leave(&locale);
    berth_problem_free(copy);
    if (status == BERTH_OK) {
        berth__error_clear(error);
        status = berth__bytes_write(path, text, length, error);
    }
    berth__free(text);
    return status;
}
