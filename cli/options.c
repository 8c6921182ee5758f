#include "cli/cli.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OPTIONS = 48, FIRST_VALUE = 256 };

static const cli_option common_options[] = {
    {.name = "output",
     .letter = 'o',
     .argument = "FILE",
     .kind = CLI_TEXT,
     .offset = offsetof(cli_common, output),
     .expected = "a file's name, or - for standard output",
     .common = CLI_OPT_OUTPUT,
     .help = "write to FILE (JSON, but for convert), whole or not at all"},
    {.name = "json",
     .kind = CLI_FLAG,
     .offset = offsetof(cli_common, json),
     .common = CLI_OPT_JSON,
     .help = "JSON on standard output instead of text (with -o: to the file only)"},
    {.name = "seed",
     .argument = "N",
     .kind = CLI_SEED,
     .offset = offsetof(cli_common, seed),
     .common = CLI_OPT_SEED,
     .help = "seed of everything random"},
    {.name = "threads",
     .argument = "N",
     .kind = CLI_INT,
     .offset = offsetof(cli_common, threads),
     .max = 1024,
     .common = CLI_OPT_THREADS,
     .help = "threads, 0: all processors; no influence on the result"},
    {.name = "time-limit",
     .argument = "SECONDS",
     .kind = CLI_REAL,
     .offset = offsetof(cli_common, time_limit_s),
     .max = 1e9,
     .open = true,
     .common = CLI_OPT_TIME_LIMIT,
     .help = "stop after that time with what there is (exit 4)"},
    {.name = "quiet",
     .letter = 'q',
     .kind = CLI_FLAG,
     .offset = offsetof(cli_common, quiet),
     .common = CLI_OPT_QUIET,
     .help = "no warnings, counts or progress bar on standard error"},
};
enum { N_COMMON = sizeof common_options / sizeof *common_options };

/* The options of a verb: its own first, then the common ones it takes. */
typedef struct option_set {
    size_t n;
    const cli_option *option[MOST_OPTIONS];
} option_set;

static option_set options_of(const cli_verb *verb) {
    option_set set = {0};
    for (size_t i = 0; i < verb->n_options && set.n < MOST_OPTIONS; i++) {
        set.option[set.n++] = &verb->options[i];
    }
    for (size_t i = 0; i < N_COMMON && set.n < MOST_OPTIONS; i++) {
        if ((common_options[i].common & verb->common) != 0) {
            set.option[set.n++] = &common_options[i];
        }
    }
    return set;
}

/* ---- values --------------------------------------------------------------------------------------------------- */

bool cli_parse_real(const char *text, double *out) {
    char *end;
    /* strtod would skip leading blanks and take hexadecimal, "inf" and "nan". */
    if (text[0] == '\0' || text[strspn(text, "0123456789+-.eE")] != '\0') {
        return false;
    }
    *out = strtod(text, &end);
    return *end == '\0' && isfinite(*out);
}

static bool parse_unsigned(const char *text, uint64_t *out) {
    char *end;
    if (text[0] < '0' || text[0] > '9') {
        return false;
    }
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    *out = value;
    return *end == '\0' && errno == 0 && value <= UINT64_MAX;
}

static bool parse_choice(const char *text, const char *const *choices, int *out) {
    for (int i = 0; choices[i] != NULL; i++) {
        if (strcmp(text, choices[i]) == 0) {
            *out = i;
            return true;
        }
    }
    return false;
}

static const char *const *choices_of(const cli_option *option) {
    return option->choices != NULL ? option->choices : option->list();
}

/* What the option takes, in words. */
static void describe(const cli_option *option, char *out, size_t size) {
    switch (option->kind) {
    case CLI_INT:
    case CLI_COUNT:
        snprintf(out, size, "an integer from %.0f to %.0f", option->min, option->max);
        break;
    case CLI_SEED:
        snprintf(out, size, "an integer from 0 to %llu", (unsigned long long)UINT64_MAX);
        break;
    case CLI_REAL:
        snprintf(out, size, option->open ? "a number above %g and below %g" : "a number from %g to %g", option->min,
                 option->max);
        break;
    case CLI_CHOICE: {
        size_t used = 0;
        out[0] = '\0';
        for (const char *const *choice = choices_of(option); *choice != NULL && used < size; choice++) {
            const char *between = used == 0 ? "" : choice[1] == NULL ? " or " : ", ";
            used += (size_t)snprintf(out + used, size - used, "%s%s", between, *choice);
        }
        break;
    }
    case CLI_TEXT:
        snprintf(out, size, "%s", option->expected);
        break;
    case CLI_FLAG:
    case CLI_FLAG_OFF:
        snprintf(out, size, "no value");
        break;
    }
}

static bool in_range(const cli_option *option, double value) {
    return option->open ? value > option->min && value < option->max : value >= option->min && value <= option->max;
}

/* Parses and stores one value; false: not what the option takes. */
static bool store(const cli_option *option, const char *text, void *settings) {
    void *target = (char *)settings + option->offset;
    uint64_t whole = 0;
    double real = 0;
    switch (option->kind) {
    case CLI_FLAG:
    case CLI_FLAG_OFF:
        *(bool *)target = option->kind == CLI_FLAG;
        return true;
    case CLI_TEXT:
        *(const char **)target = text;
        return text[0] != '\0';
    case CLI_SEED:
        return parse_unsigned(text, (uint64_t *)target);
    case CLI_INT:
    case CLI_COUNT:
        if (!parse_unsigned(text, &whole) || !in_range(option, (double)whole)) {
            return false;
        }
        if (option->kind == CLI_INT) {
            *(int *)target = (int)whole;
        } else {
            *(size_t *)target = (size_t)whole;
        }
        return true;
    case CLI_REAL:
        if (!cli_parse_real(text, &real) || !in_range(option, real)) {
            return false;
        }
        *(double *)target = real;
        return true;
    case CLI_CHOICE:
        return parse_choice(text, choices_of(option), (int *)target);
    }
    return false;
}

/* ---- the command line ------------------------------------------------------------------------------------------- */

static int fail_unknown(const cli_verb *verb, const option_set *set, const char *argument) {
    const char *names[MOST_OPTIONS + 1] = {0};
    char name[64];
    for (size_t i = 0; i < set->n; i++) {
        names[i] = set->option[i]->name;
    }
    snprintf(name, sizeof name, "%.*s", (int)strcspn(argument + 2, "="), argument + 2);
    const char *nearest = cli_nearest(name, names);
    if (nearest != NULL) {
        return cli_usage(verb->name, "no option '--%s'; did you mean '--%s'?", name, nearest);
    }
    return cli_usage(verb->name, "no option '--%s'", name);
}

/* Finds the option that getopt_long's answer stands for. */
static size_t index_of(const option_set *set, int answer) {
    size_t i = answer >= FIRST_VALUE ? (size_t)(answer - FIRST_VALUE) : 0;
    if (answer < FIRST_VALUE) {
        while (set->option[i]->letter != answer) {
            i++;
        }
    }
    return i;
}

/* getopt_long has refused argv[optind - 1], or the option that optopt stands for. */
static int fail_option(const cli_verb *verb, const option_set *set, bool lacks_value, const char *argument) {
    if (lacks_value) {
        char expected[256];
        const cli_option *option = set->option[index_of(set, optopt)];
        describe(option, expected, sizeof expected);
        return cli_usage(verb->name, "--%s: expected %s, got nothing", option->name, expected);
    }
    if (optopt >= FIRST_VALUE) {
        return cli_usage(verb->name, "--%s takes no value", set->option[optopt - FIRST_VALUE]->name);
    }
    return optopt != 0 ? cli_usage(verb->name, "no option '-%c'", optopt) : fail_unknown(verb, set, argument);
}

static int count_error(const cli_verb *verb, int n, char **word) {
    if (n > verb->max_words) {
        return cli_usage(verb->name, "unexpected argument '%s'; usage: berth %s %s", word[verb->max_words], verb->name,
                         verb->arguments);
    }
    return cli_usage(verb->name, "missing argument; usage: berth %s %s", verb->name, verb->arguments);
}

/* Our table in getopt_long's terms; --help is every verb's. */
static void to_getopt(const option_set *set, struct option *longs, char *letters) {
    *letters++ = ':';
    *letters++ = 'h';
    for (size_t i = 0; i < set->n; i++) {
        const cli_option *option = set->option[i];
        longs[i].name = option->name;
        longs[i].has_arg = option->argument != NULL ? required_argument : no_argument;
        longs[i].val = FIRST_VALUE + (int)i;
        if (option->letter != 0) {
            *letters++ = option->letter;
            if (option->argument != NULL) {
                *letters++ = ':';
            }
        }
    }
    *letters = '\0';
    longs[set->n].name = "help";
    longs[set->n].val = 'h';
}

static int fail_value(const cli_verb *verb, const cli_option *option, const char *value) {
    static const char *const none[] = {NULL};
    char expected[256];
    const char *nearest = cli_nearest(value, option->kind == CLI_CHOICE ? choices_of(option) : none);
    describe(option, expected, sizeof expected);
    return cli_usage(verb->name, "--%s: expected %s, got '%s'%s%s%s", option->name, expected, value,
                     nearest != NULL ? "; did you mean '" : "", nearest != NULL ? nearest : "",
                     nearest != NULL ? "'?" : "");
}

bool cli_parse(const cli_verb *verb, int argc, char **argv, void *settings, cli_words *words, int *code) {
    option_set set = options_of(verb);
    struct option longs[MOST_OPTIONS + 2] = {{0}};
    char letters[3 * MOST_OPTIONS];
    int answer;
    to_getopt(&set, longs, letters);
    if (verb->defaults != NULL) {
        verb->defaults(settings);
    }
    words->given = 0;
    opterr = 0;
    while ((answer = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
        if (answer == 'h') {
            cli_print_verb_help(verb);
            *code = cli_finish_output(verb->name, CLI_DONE);
            return false;
        }
        if (answer == '?' || answer == ':') {
            *code = fail_option(verb, &set, answer == ':', argv[optind - 1]);
            return false;
        }
        size_t i = index_of(&set, answer);
        const cli_option *option = set.option[i];
        if (!store(option, optarg, settings)) {
            *code = fail_value(verb, option, optarg);
            return false;
        }
        words->given |= i < verb->n_options ? UINT64_C(1) << i : 0;
    }
    words->n = argc - optind;
    words->word = argv + optind;
    if (words->n < verb->min_words || words->n > verb->max_words) {
        *code = count_error(verb, words->n, words->word);
        return false;
    }
    /* Before hours of work, not after them. */
    *code = (verb->common & CLI_OPT_OUTPUT) != 0 ? cli_check_output(verb->name, ((const cli_common *)settings)->output)
                                                 : CLI_DONE;
    return *code == CLI_DONE;
}

bool cli_given(const cli_verb *verb, const cli_words *words, const char *name) {
    for (size_t i = 0; i < verb->n_options; i++) {
        if (strcmp(verb->options[i].name, name) == 0) {
            return (words->given >> i & 1) != 0;
        }
    }
    return false;
}

int cli_set(const cli_verb *verb, const char *where, const char *name, const char *value, void *settings) {
    char expected[256];
    for (size_t i = 0; i < verb->n_options; i++) {
        const cli_option *option = &verb->options[i];
        if (strcmp(option->name, name) != 0) {
            continue;
        }
        if ((option->argument != NULL) == (value != NULL) && store(option, value, settings)) {
            return CLI_DONE;
        }
        describe(option, expected, sizeof expected);
        return cli_usage(verb->name, "%s: %s: expected %s, got %s%s%s", where, name, expected,
                         value != NULL ? "'" : "nothing", value != NULL ? value : "", value != NULL ? "'" : "");
    }
    return cli_usage(verb->name, "%s: no option '%s'", where, name);
}

/* Does an option go by that name? A field may carry its unit. */
static bool goes_by(const char *name, const char *field) {
    size_t same = 0;
    while (name[same] != '\0' && (name[same] == field[same] || (name[same] == '-' && field[same] == '_'))) {
        same++;
    }
    return name[same] == '\0' && (field[same] == '\0' || strcmp(field + same, "_s") == 0);
}

const char *cli_option_of(const cli_verb *verb, const char *field) {
    for (size_t i = 0; i < verb->n_options; i++) {
        const cli_option *option = &verb->options[i];
        if (goes_by(option->name, field) ||
            (option->field != NULL && goes_by(option->field, field + (field[0] == '/')))) {
            return option->name;
        }
    }
    return NULL;
}

/* ---- help ------------------------------------------------------------------------------------------------------- */

/* The option's value in settings that hold the defaults. False: it has none to speak of, like a number outside the
 * option's range, which stands for "not given". */
static bool default_text(const cli_option *option, const void *settings, char *out, size_t size) {
    const void *value = (const char *)settings + option->offset;
    double number = 0;
    switch (option->kind) {
    case CLI_FLAG:
    case CLI_FLAG_OFF:
        return false;
    case CLI_TEXT: {
        const char *text = *(const char *const *)value;
        snprintf(out, size, "%s", text != NULL ? text : "");
        return text != NULL;
    }
    case CLI_CHOICE:
        snprintf(out, size, "%s", choices_of(option)[*(const int *)value]);
        return true;
    case CLI_SEED:
        snprintf(out, size, "%llu", (unsigned long long)*(const uint64_t *)value);
        return true;
    case CLI_INT:
        number = *(const int *)value;
        break;
    case CLI_COUNT:
        number = (double)*(const size_t *)value;
        break;
    case CLI_REAL:
        number = *(const double *)value;
        break;
    }
    snprintf(out, size, "%.10g", number);
    return in_range(option, number);
}

/* What help says of an option: its text, its choices, its default. */
static void help_text(const cli_option *option, const void *settings, char *out, size_t size) {
    char usual[128];
    char choices[256] = "";
    bool has_default = default_text(option, settings, usual, sizeof usual);
    if (option->kind == CLI_CHOICE) {
        describe(option, choices, sizeof choices);
    }
    snprintf(out, size, "%s%s%s%s%s%s", option->help, choices[0] != '\0' ? ": " : "", choices,
             has_default ? " (default " : "", has_default ? usual : "", has_default ? ")" : "");
}

/* Breaks a text into lines between words. */
static void print_wrapped(const char *text, int indent) {
    enum { LINE = 100 };
    int column = indent;
    for (const char *word = text; *word != '\0';) {
        int length = (int)strcspn(word, " ");
        if (column + length > LINE && column > indent) {
            printf("\n%*s", indent, "");
            column = indent;
        }
        column += printf("%s%.*s", column > indent ? " " : "", length, word);
        word += length + (word[length] == ' ');
    }
    putchar('\n');
}

static void print_option(const cli_option *option, const void *settings) {
    static const char *const no_choices[] = {NULL};
    char letter[5] = "    ";
    char left[64];
    char text[768];
    if (option->letter != 0) {
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    }
    snprintf(left, sizeof left, "%s--%s%s%s", letter, option->name, option->argument != NULL ? " " : "",
             option->argument != NULL ? option->argument : "");
    help_text(option, settings, text, sizeof text);
    int indent = printf("  %-28s ", left);
    print_wrapped(text, indent);
    for (const char *const *choice = option->about != NULL ? choices_of(option) : no_choices; *choice != NULL;
         choice++) {
        printf("%*s", indent + 2, "");
        snprintf(text, sizeof text, "%s: %s", *choice, option->about(*choice));
        print_wrapped(text, indent + 2);
    }
}

void cli_print_options(const cli_verb *verb) {
    option_set set = options_of(verb);
    void *settings = calloc(1, verb->settings_size);
    if (settings == NULL) {
        return;
    }
    if (verb->defaults != NULL) {
        verb->defaults(settings);
    }
    for (size_t i = 0; i < set.n; i++) {
        print_option(set.option[i], settings);
    }
    printf("  %-28s %s\n", "-h, --help", "this text");
    free(settings);
}
