/* berth check: recomputes everything a result claims. */
#include "cli/cli.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct check_settings {
    cli_common common;
    const char *certificate;
} check_settings;

static const cli_option options[] = {
    {"certificate", 0, "FILE", CLI_TEXT, offsetof(check_settings, certificate), 0, 0, false, NULL, 0,
     "certificate that the run wrote to a file of its own"},
};

enum { LINE_LENGTH = 100 };

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
    putchar('\n');
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

static void print_report(const berth_report *report) {
    char number[32];
    if (report->n_violations == 0) {
        puts("all constraints hold");
    } else {
        printf("%zu violated\n", report->n_violations);
    }
    for (size_t i = 0; i < report->n_findings; i++) {
        print_finding(&report->findings[i]);
    }
    print_rules(report);
    cli_row("utility", "%s", cli_number(number, report->utility));
    cli_row("dual bound", "%s", cli_number(number, report->dual));
    cli_row("ratio", "%s", cli_number(number, report->ratio));
}

static int write_report(const check_settings *settings, const berth_report *report, int code) {
    berth_error error = {0};
    const char *path = settings->common.output != NULL ? settings->common.output : settings->common.json ? "-" : NULL;
    bool json_on_stdout = path != NULL && strcmp(path, "-") == 0;
    if (path != NULL && berth_report_write(report, path, &error) != BERTH_OK) {
        return cli_fail_status("check", CLI_WRITING, path, &error);
    }
    if (!json_on_stdout && !settings->common.json) {
        print_report(report);
    }
    return cli_finish_output("check", code);
}

/* Everything read: judges and tells. */
static int judge(const check_settings *settings, const berth_instance *instance, const berth_run *run) {
    berth_error error = {0};
    berth_report *report = NULL;
    cli_hooks state;
    berth_hooks hooks;
    cli_hooks_start(&state, settings->common.quiet, &hooks);
    cli_catch_signals();
    berth_status status = berth_check(instance, run, &hooks, &report, &error);
    cli_hooks_stop(&state);
    if (status != BERTH_OK) {
        return cli_fail_status("check", CLI_WORKING, NULL, &error);
    }
    int code = write_report(settings, report, report->n_violations == 0 ? CLI_DONE : CLI_FAILED);
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
    } else if (settings.certificate != NULL &&
               berth_run_read_certificate(run, instance, settings.certificate, &error) != BERTH_OK) {
        code = cli_fail_status("check", CLI_READING, settings.certificate, &error);
    } else {
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
    .run = check,
};
