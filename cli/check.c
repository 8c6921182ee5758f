/* berth check: recomputes everything a result claims. */
#include "cli/cli.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct check_settings {
    cli_common common;
    const char *certificate;
} check_settings;

static const cli_option options[] = {
    {.name = "certificate",
     .argument = "FILE",
     .kind = CLI_TEXT,
     .offset = offsetof(check_settings, certificate),
     .expected = "a file's name",
     .help = "certificate that the run wrote to a file of its own (default: RESULT.certificate, if the result claims a "
             "bound and holds no certificate)"},
};

enum { LINE_LENGTH = 100, MOST_NOTES = 40 };

/* ---- the report -------------------------------------------------------------------------------------------------- */

static void print_finding(const berth_finding *finding) {
    printf("%s ", finding->violated ? "violated:" : "note:");
    cli_print_text(finding->rule, 0);
    if (finding->where[0] != '\0') {
        fputs(" at ", stdout);
        cli_print_text(finding->where, 0);
    }
    fputs(": ", stdout);
    cli_print_text(finding->message, 0);
    if (finding->violated && !isnan(finding->slack)) {
        printf(" (slack %.6g)", finding->slack);
    }
}

static void print_violations(const berth_report *report) {
    for (size_t i = 0; i < report->n_findings; i++) {
        if (report->findings[i].violated) {
            print_finding(&report->findings[i]);
            putchar('\n');
        }
    }
}

/* The same but for numbers? */
static bool alike(const char *a, const char *b) {
    static const char number[] = "0123456789.+-e";
    while (*a != '\0' && *b != '\0') {
        bool digits = isdigit((unsigned char)*a) && isdigit((unsigned char)*b);
        if (!digits && *a != *b) {
            return false;
        }
        a += digits ? strspn(a, number) : 1;
        b += digits ? strspn(b, number) : 1;
    }
    return *a == *b;
}

/* A note for each kind, with the first place and how many more there are of it. */
static void print_notes(const berth_report *report) {
    const berth_finding *first[MOST_NOTES];
    size_t more[MOST_NOTES] = {0};
    size_t n = 0;
    size_t others = 0;
    for (size_t i = 0; i < report->n_findings; i++) {
        const berth_finding *note = &report->findings[i];
        size_t k = 0;
        if (note->violated) {
            continue;
        }
        while (k < n && (strcmp(first[k]->rule, note->rule) != 0 || !alike(first[k]->message, note->message))) {
            k++;
        }
        if (k < n) {
            more[k]++;
        } else if (n < MOST_NOTES) {
            first[n++] = note;
        } else {
            others++;
        }
    }
    for (size_t k = 0; k < n; k++) {
        print_finding(first[k]);
        if (more[k] > 0) {
            printf(" (and %zu more of this kind)", more[k]);
        }
        putchar('\n');
    }
    if (others > 0) {
        printf("note: %zu more of other kinds\n", others);
    }
}

/* How often each rule was evaluated, in lines of readable length. */
static void print_rules(const berth_report *report) {
    int column = printf("checked              ");
    const int indent = column;
    for (size_t i = 0; i < report->n_rules; i++) {
        int length = snprintf(NULL, 0, " %s %zu,", report->rule_names[i], report->rule_counts[i]);
        if (column + length > LINE_LENGTH) {
            printf("\n%*s", indent, "");
            column = indent;
        }
        column +=
            printf(" %s %zu%s", report->rule_names[i], report->rule_counts[i], i + 1 < report->n_rules ? "," : "");
    }
    putchar('\n');
}

/* What became of the bound when nothing is violated. */
static const char *bound_verdict(const berth_run *run, const berth_report *report) {
    const berth_run_bounds *b = &run->bounds;
    const bool confirmed = !isnan(report->dual);
    if (b->void_because != NULL) {
        return "the bound is void";
    }
    if (isnan(b->dual) && isnan(b->lp) && isnan(b->exact) && isnan(b->best)) {
        return confirmed ? "no bound is claimed, but the certificate gives one" : "no bound is claimed";
    }
    return confirmed ? "the bound is confirmed" : "the bound is claimed but not confirmed";
}

/* The figures of a result in which something is wrong prove nothing. */
static void print_figures(const berth_run *run, const berth_report *report) {
    char a[32];
    char b[32];
    if (report->n_violations > 0) {
        cli_row("utility", "%s recomputed, %s claimed", cli_number(a, report->utility), cli_number(b, run->utility));
        return;
    }
    cli_row("utility", "%s", cli_number(a, report->utility));
    if (!isnan(report->dual)) {
        cli_row("dual bound", "%s", cli_number(a, report->dual));
        cli_row("bound / utility", "%s", cli_number(a, report->ratio));
    }
}

static void print_report(const berth_run *run, const berth_report *report) {
    if (report->n_violations == 0) {
        printf("all constraints hold; %s\n", bound_verdict(run, report));
    } else {
        printf("%zu violation%s\n", report->n_violations, report->n_violations == 1 ? "" : "s");
    }
    print_violations(report);
    print_notes(report);
    print_rules(report);
    print_figures(run, report);
}

static int write_report(const check_settings *settings, const berth_run *run, const berth_report *report, int code) {
    berth_error error = {0};
    const char *path = settings->common.output != NULL ? settings->common.output : settings->common.json ? "-" : NULL;
    bool json_on_stdout = path != NULL && strcmp(path, "-") == 0;
    if (path != NULL && berth_report_write(report, path, &error) != BERTH_OK) {
        return cli_fail_status("check", CLI_WRITING, path, &error);
    }
    if (!json_on_stdout && !settings->common.json) {
        print_report(run, report);
    }
    return cli_finish_output("check", code);
}

/* Everything read: judges and tells. */
static int judge(const check_settings *settings, const berth_instance *instance, const berth_run *run) {
    berth_error error = {0};
    berth_report *report = NULL;
    cli_hooks state;
    berth_hooks hooks;
    cli_hooks_start(&state, "check", settings->common.quiet, &hooks);
    cli_catch_signals();
    berth_status status = berth_check(instance, run, &hooks, &report, &error);
    cli_hooks_stop(&state);
    if (status != BERTH_OK) {
        return cli_fail_status("check", CLI_WORKING, NULL, &error);
    }
    int code = write_report(settings, run, report, report->n_violations == 0 ? CLI_DONE : CLI_FAILED);
    berth_report_free(report);
    return code;
}

static int check_combination(const check_settings *settings, char **word) {
    if (strcmp(word[0], "-") == 0 && strcmp(word[1], "-") == 0) {
        return cli_usage("check", "only one of INSTANCE and RESULT can be standard input");
    }
    for (int i = 0; i < 2; i++) {
        if (cli_same_file(settings->common.output, word[i])) {
            return cli_usage("check", "-o would replace the input '%s'", word[i]);
        }
    }
    if (cli_same_file(settings->common.output, settings->certificate)) {
        return cli_usage("check", "-o would replace the certificate '%s'", settings->certificate);
    }
    return CLI_DONE;
}

/* The certificate that the command line names, else the one beside a result that claims a bound without proof. */
static int read_certificate(const check_settings *settings, const char *result, const berth_instance *instance,
                            berth_run *run) {
    berth_error error = {0};
    int code = CLI_DONE;
    char *beside = NULL;
    const char *path = settings->certificate;
    if (path == NULL && run->certificate == NULL && !isnan(run->bounds.dual) && strcmp(result, "-") != 0) {
        beside = cli_certificate_beside(result);
        if (beside == NULL) {
            return cli_fail("check", CLI_INTERNAL, "out of memory");
        }
        path = access(beside, F_OK) == 0 ? beside : NULL;
    }
    if (path != NULL && berth_run_read_certificate(run, instance, path, &error) != BERTH_OK) {
        code = cli_fail_status("check", CLI_READING, path, &error);
    } else if (path != NULL && path == beside && !settings->common.quiet) {
        fprintf(stderr, "berth check: the certificate is that of '%s'\n", path);
    }
    free(beside);
    return code;
}

static int check(int argc, char **argv) {
    check_settings settings = {0};
    cli_words words;
    berth_error error = {0};
    berth_instance *instance = NULL;
    berth_run *run = NULL;
    int code;
    if (!cli_parse(&cli_verb_check, argc, argv, &settings, &words, &code)) {
        return code;
    }
    if ((code = check_combination(&settings, words.word)) != CLI_DONE) {
        return code;
    }
    if (berth_instance_read(words.word[0], &instance, &error) != BERTH_OK) {
        code = cli_fail_status("check", CLI_READING, words.word[0], &error);
    } else if (berth_run_read(words.word[1], instance, &run, &error) != BERTH_OK) {
        code = cli_fail_status("check", CLI_READING, words.word[1], &error);
    } else if ((code = read_certificate(&settings, words.word[1], instance, run)) == CLI_DONE) {
        code = judge(&settings, instance, run);
    }
    berth_run_free(run);
    berth_instance_free(instance);
    return code;
}

const cli_verb cli_verb_check = {
    .name = "check",
    .arguments = "[options] INSTANCE RESULT",
    .summary = "Verifies a result against its instance",
    .details = "Recomputes from the two files alone what the result claims: capacities, quotas, widths, progress,\n"
               "completions, utility, prices, and the bound from the prices in its certificate. A result with policy\n"
               "\"external\" may come from anywhere. Exit 0: everything holds; 1: something does not.",
    .examples = "  berth run instance.json -o result.json && berth check instance.json result.json\n"
                "  berth check instance.json result.json --json -o report.json",
    .min_words = 2,
    .max_words = 2,
    .common = CLI_OPT_JSON | CLI_OPT_OUTPUT | CLI_OPT_QUIET,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .settings_size = sizeof(check_settings),
    .run = check,
};
