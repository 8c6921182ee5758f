/* berth plot: pictures of runs and comparisons, and pages with all of them. */
#include "cli/gnuplot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RUNS = 64, NAME_ENDS = 5 };

typedef struct plot_settings {
    cli_common common;
    berth_plot_options plot;
    int as, theme, metric;
    const char *size, *html, *certificate;
    bool script;
    int kind; /* berth_plot; BERTH_N_PLOTS: a page */
} plot_settings;

static const char *const format_names[] = {"auto", "svg", "png", NULL}; /* from "svg" on as berth_picture_format */
static const char *const theme_names[] = {"light", "dark", NULL};       /* as berth_theme */

static const char *const *metric_names(void) {
    static const char *const names[] = {
#define NAME(metric, name, text) name,
        BERTH_METRIC_TABLE(NAME)
#undef NAME
            NULL};
    return names;
}

static void set_defaults(void *memory) {
    plot_settings *settings = memory;
    berth_plot_options_init(&settings->plot);
    settings->metric = BERTH_METRIC_UTILITY;
}

#define AT(field) offsetof(plot_settings, field)
static const cli_option options[] = {
    {.name = "as",
     .argument = "FORMAT",
     .kind = CLI_CHOICE,
     .offset = AT(as),
     .choices = format_names,
     .help = "format of the picture; auto: by the suffix of the name after -o, SVG without"},
    {.name = "size",
     .argument = "WxH",
     .kind = CLI_TEXT,
     .offset = AT(size),
     .expected = "pixels like 960x540, each from 200 to 10000",
     .help = "pixels of the picture (default: 960 wide, and as high as the content needs)"},
    {.name = "theme",
     .argument = "NAME",
     .kind = CLI_CHOICE,
     .offset = AT(theme),
     .choices = theme_names,
     .help = "colours"},
    {.name = "metric",
     .argument = "NAME",
     .kind = CLI_CHOICE,
     .offset = AT(metric),
     .list = metric_names,
     .help = "policies: what to draw"},
    {.name = "certificate",
     .argument = "FILE",
     .kind = CLI_TEXT,
     .offset = AT(certificate),
     .expected = "a file's name",
     .help =
         "certificate that the run wrote to a file of its own (default: RESULT.certificate, if the result holds none)"},
    {.name = "script",
     .kind = CLI_FLAG,
     .offset = AT(script),
     .help = "write the gnuplot script, with its data, instead of running it"},
    {.name = "html",
     .argument = "FILE",
     .kind = CLI_TEXT,
     .offset = AT(html),
     .expected = "a file's name, or - for standard output",
     .help = "write a page with all pictures and tables of one or several runs, or of a comparison; then without KIND"},
};

/* ---- the command line ------------------------------------------------------------------------------------------- */

static bool in_picture_range(int pixels) {
    return pixels >= 200 && pixels <= 10000;
}

static int read_size(plot_settings *settings) {
    char end;
    if (settings->size != NULL &&
        (strspn(settings->size, "0123456789x") != strlen(settings->size) || strlen(settings->size) > 11 ||
         sscanf(settings->size, "%dx%d%c", &settings->plot.width, &settings->plot.height, &end) != 2 ||
         !in_picture_range(settings->plot.width) || !in_picture_range(settings->plot.height))) {
        return cli_usage("plot", "--size: expected pixels like 960x540, each from 200 to 10000, got '%s'",
                         settings->size);
    }
    return CLI_DONE;
}

static bool ends_in(const char *text, const char *end) {
    const size_t length = strlen(text), n = strlen(end);
    return length >= n && strcmp(text + length - n, end) == 0;
}

/* From the last dot of the file's name on; "" if it has none. */
static const char *suffix_of(const char *path) {
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path, *dot = strrchr(name, '.');
    return dot != NULL && dot > name ? dot : "";
}

/* A script is a script by any name. */
static int check_suffix(const plot_settings *settings) {
    const char *output = settings->common.output;
    const char *suffix = output != NULL && settings->as == 0 && !settings->script ? suffix_of(output) : "";
    if (suffix[0] == '\0' || strcmp(suffix, ".svg") == 0 || strcmp(suffix, ".png") == 0) {
        return CLI_DONE;
    }
    return cli_usage("plot", "pictures are .svg or .png, not %s; --as svg writes SVG to a file of any name", suffix);
}

static int read_format(plot_settings *settings) {
    const char *output = settings->common.output;
    if (settings->as > 0) {
        settings->plot.format = (berth_picture_format)(settings->as - 1);
    } else if (output != NULL && ends_in(output, ".png")) {
        settings->plot.format = BERTH_PICTURE_PNG;
    }
    return CLI_DONE;
}

/* With a KIND that many words follow it. */
static int count_words(const plot_settings *settings, const cli_words *words) {
    const bool is_policies = settings->kind == BERTH_PLOT_POLICIES;
    if (settings->kind < BERTH_N_PLOTS && words->n != (is_policies ? 2 : 3)) {
        return cli_usage("plot", "%s: expected %s", words->word[0],
                         is_policies ? "COMPARISON, which 'berth compare -o FILE' writes" : "INSTANCE RESULT");
    }
    return CLI_DONE;
}

static int read_kind(plot_settings *settings, const cli_words *words) {
    const char *const *names = berth_plot_names();
    settings->kind = BERTH_N_PLOTS;
    for (int k = 0; names[k] != NULL; k++) {
        if (strcmp(words->word[0], names[k]) == 0) {
            settings->kind = k;
        }
    }
    if (settings->html == NULL && settings->kind == BERTH_N_PLOTS) {
        return cli_unknown("plot", "kind of plot", words->word[0], names);
    }
    if (settings->html != NULL && settings->kind < BERTH_N_PLOTS) {
        return cli_usage("plot", "--html makes a page of all plots: without '%s'", words->word[0]);
    }
    return count_words(settings, words);
}

static const char *foreign_option(const plot_settings *settings, const cli_words *words) {
    static const char *const of_pictures[] = {"as", "size", "theme", "metric", "script", NULL};
    for (size_t k = 0; settings->html != NULL && of_pictures[k] != NULL; k++) {
        if (cli_given(&cli_verb_plot, words, of_pictures[k])) {
            return of_pictures[k];
        }
    }
    return settings->html == NULL && settings->kind != BERTH_PLOT_POLICIES && cli_given(&cli_verb_plot, words, "metric")
               ? "metric"
           : settings->kind == BERTH_PLOT_POLICIES && settings->certificate != NULL ? "certificate"
                                                                                    : NULL;
}

static int check_files(const plot_settings *settings, const cli_words *words) {
    const char *output = settings->html != NULL ? settings->html : settings->common.output;
    int inputs = 0;
    for (int k = 0; k < words->n; k++) {
        inputs += strcmp(words->word[k], "-") == 0;
        if (cli_same_file(output, words->word[k])) {
            return cli_usage("plot", "the output would replace '%s'", words->word[k]);
        }
        char *beside = cli_certificate_beside(words->word[k]);
        const bool replaces = beside != NULL && cli_same_file(output, beside);
        free(beside);
        if (replaces) {
            return cli_usage("plot", "the output would replace the certificate of '%s'", words->word[k]);
        }
    }
    if (cli_same_file(output, settings->certificate)) {
        return cli_usage("plot", "the output would replace the certificate '%s'", settings->certificate);
    }
    if (inputs > 1) {
        return cli_usage("plot", "only one file can come from standard input");
    }
    if (settings->html != NULL && settings->common.output != NULL) {
        return cli_usage("plot", "--html FILE says where the page goes: without -o");
    }
    return cli_check_output("plot", output);
}

static int read_settings(plot_settings *settings, const cli_words *words) {
    settings->plot.theme = (berth_theme)settings->theme;
    settings->plot.metric = (berth_metric)settings->metric;
    int code = read_kind(settings, words);
    if (code == CLI_DONE) {
        const char *foreign = foreign_option(settings, words);
        code = foreign != NULL ? cli_usage("plot", "--%s has no meaning here", foreign) : CLI_DONE;
    }
    if (code == CLI_DONE) {
        code = read_size(settings);
    }
    if (code == CLI_DONE) {
        code = read_format(settings);
    }
    code = code == CLI_DONE ? check_files(settings, words) : code;
    return code == CLI_DONE ? check_suffix(settings) : code;
}

/* ---- pictures --------------------------------------------------------------------------------------------------- */

/* The script or what gnuplot makes of it. */
static int write_picture(const plot_settings *settings, const berth_plot_script *script) {
    const char *path = settings->common.output != NULL ? settings->common.output : "-";
    const void *bytes = script->text;
    size_t length = script->length;
    berth_error error = {0};
    cli_gnuplot gnuplot;
    berth_renderer renderer = cli_gnuplot_renderer(&gnuplot);
    int code = CLI_DONE;
    if (!settings->script && renderer.draw(renderer.user, script, &bytes, &length, &error) != BERTH_OK) {
        code = cli_fail_status("plot", CLI_WORKING, NULL, &error);
    } else if (berth_bytes_write(path, bytes, length, &error) != BERTH_OK) {
        code = cli_fail_status("plot", CLI_WRITING, path, &error);
    }
    cli_gnuplot_free(&gnuplot);
    return code;
}

static int plot_comparison(const plot_settings *settings, const char *path) {
    berth_error error = {0};
    berth_comparison *comparison = NULL;
    berth_plot_script *script = NULL;
    int code;
    if (berth_comparison_read(path, &comparison, &error) != BERTH_OK) {
        code = cli_fail_status("plot", CLI_READING, path, &error);
    } else if (berth_plot_comparison(comparison, &settings->plot, &script, &error) != BERTH_OK) {
        code = cli_fail_status("plot", CLI_WORKING, path, &error);
    } else {
        code = write_picture(settings, script);
    }
    berth_plot_script_free(script);
    berth_comparison_free(comparison);
    return code;
}

/* An instance and results of it. */
typedef struct run_set {
    berth_instance *instance;
    size_t n;
    berth_run *runs[MOST_RUNS];
} run_set;

static void free_runs(run_set *set) {
    for (size_t k = 0; k < set->n; k++) {
        berth_run_free(set->runs[k]);
    }
    berth_instance_free(set->instance);
}

static int read_runs(const plot_settings *settings, char **word, int n_words, run_set *set) {
    berth_error error = {0};
    int code = CLI_DONE;
    if (berth_instance_read(word[0], &set->instance, &error) != BERTH_OK) {
        return cli_fail_status("plot", CLI_READING, word[0], &error);
    }
    for (int k = 1; k < n_words && code == CLI_DONE; k++) {
        if (berth_run_read(word[k], set->instance, &set->runs[set->n], &error) != BERTH_OK) {
            return cli_fail_status("plot", CLI_READING, word[k], &error);
        }
        code = cli_read_certificate("plot", settings->certificate, word[k], set->instance, set->runs[set->n++],
                                    settings->common.quiet);
    }
    return code;
}

static int plot_run(const plot_settings *settings, char **word) {
    berth_error error = {0};
    run_set set = {0};
    berth_plot_script *script = NULL;
    int code = read_runs(settings, word, 2, &set);
    if (code == CLI_DONE) {
        code = berth_plot_run((berth_plot)settings->kind, set.instance, set.runs[0], &settings->plot, &script,
                              &error) == BERTH_OK
                   ? write_picture(settings, script)
                   : cli_fail_status("plot", CLI_WORKING, word[1], &error);
    }
    berth_plot_script_free(script);
    free_runs(&set);
    return code;
}

/* ---- pages ------------------------------------------------------------------------------------------------------ */

static int told_page(const char *path, berth_status status, const berth_error *error) {
    return status == BERTH_OK ? CLI_DONE
                              : cli_fail_status("plot", error->where[0] != '\0' ? CLI_WRITING : CLI_WORKING,
                                                error->where[0] != '\0' ? path : NULL, error);
}

static int write_comparison_page(const plot_settings *settings, const char *path, const berth_renderer *renderer) {
    berth_error error = {0};
    berth_comparison *comparison = NULL;
    if (berth_comparison_read(path, &comparison, &error) != BERTH_OK) {
        return cli_fail_status("plot", CLI_READING, path, &error);
    }
    berth_status status = berth_comparison_page_write(comparison, true, renderer, settings->html, &error);
    berth_comparison_free(comparison);
    return told_page(settings->html, status, &error);
}

static int write_run_page(const plot_settings *settings, const cli_words *words, const berth_renderer *renderer) {
    berth_error error = {0};
    run_set set = {0};
    if (settings->certificate != NULL && words->n > 2) {
        return cli_usage("plot", "--certificate is of one run, and there are %d", words->n - 1);
    }
    if (words->n < 2) {
        return cli_usage("plot", "--html: expected INSTANCE RESULT... or COMPARISON");
    }
    int code = read_runs(settings, words->word, words->n, &set);
    if (code == CLI_DONE) {
        code = told_page(settings->html,
                         berth_run_page_write(set.instance, set.n, (const berth_run *const *)set.runs, renderer,
                                              settings->html, &error),
                         &error);
    }
    free_runs(&set);
    return code;
}

static int write_page(const plot_settings *settings, const cli_words *words) {
    char format[BERTH_FORMAT_ROOM];
    cli_gnuplot gnuplot;
    berth_renderer renderer = cli_gnuplot_renderer(&gnuplot);
    berth_file_format(words->word[0], format);
    /* Of a lone word that is no instance the comparison's reader says what is wrong. */
    int code = words->n == 1 && strcmp(format, "berth-jobs-1") != 0
                   ? write_comparison_page(settings, words->word[0], &renderer)
                   : write_run_page(settings, words, &renderer);
    cli_gnuplot_free(&gnuplot);
    return code;
}

static int plot(int argc, char **argv) {
    plot_settings settings = {0};
    cli_words words;
    int code;
    if (!cli_parse(&cli_verb_plot, argc, argv, &settings, &words, &code)) {
        return code;
    }
    if ((code = read_settings(&settings, &words)) != CLI_DONE) {
        return code;
    }
    cli_catch_signals();
    return settings.html != NULL                  ? write_page(&settings, &words)
           : settings.kind == BERTH_PLOT_POLICIES ? plot_comparison(&settings, words.word[1])
                                                  : plot_run(&settings, words.word + 1);
}

const cli_verb cli_verb_plot = {
    .name = "plot",
    .arguments = "[options] KIND FILE...",
    .summary = "Draws a run or a comparison (SVG, PNG), or writes a page of HTML with all there is to see",
    .details =
        "gantt INSTANCE RESULT: what runs on which machine, over slots. Many machines or slots are taken together,\n"
        "as the caption then says.\n"
        "utilisation INSTANCE RESULT: share of each resource that is in use, over slots.\n"
        "prices INSTANCE RESULT: prices of each resource in the certificate of the result, over slots.\n"
        "policies COMPARISON: a metric by policy with 95 % intervals, from what 'berth compare -o FILE' writes.\n"
        "--html FILE INSTANCE RESULT... or --html FILE COMPARISON: one file with all pictures and tables, which\n"
        "refers to no other, has no script, and adapts to narrow screens and dark mode.\n"
        "The program gnuplot draws (Debian: gnuplot-nox). Without -o the picture goes to standard output.",
    .examples = "  berth plot gantt instance.json result.json -o gantt.svg\n"
                "  berth plot policies comparison.json --metric mean_delay_slots --theme dark -o delays.png\n"
                "  berth plot prices instance.json result.json --script | gnuplot > prices.svg\n"
                "  berth plot --html run.html instance.json result.json",
    .min_words = 1,
    .max_words = MOST_RUNS + 1,
    .common = CLI_OPT_OUTPUT | CLI_OPT_QUIET,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .settings_size = sizeof(plot_settings),
    .defaults = set_defaults,
    .run = plot,
};
