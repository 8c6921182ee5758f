/* What berth check prints of a report. */
#include "cli/check.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LINE_LENGTH = 100, MOST_NOTES = 40 };

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

/* The figures of a result in which something is wrong prove nothing. */
static void print_figures(const cli_claims *claims, const berth_report *report) {
    char a[32];
    char b[32];
    if (report->n_violations > 0) {
        cli_row(claims->value_label, "%s recomputed, %s claimed", cli_number(a, report->utility),
                cli_number(b, claims->value));
        return;
    }
    cli_row(claims->value_label, "%s", cli_number(a, report->utility));
    if (!isnan(report->dual)) {
        cli_row(claims->bound_label, "%s", cli_number(a, report->dual));
        if (!claims->approximate) {
            cli_row(claims->ratio_label, "%s", cli_number(a, report->ratio));
        }
    }
}

void cli_print_report(const cli_claims *claims, const berth_report *report) {
    if (report->n_violations == 0) {
        puts(claims->verdict);
    } else {
        printf("%zu violation%s\n", report->n_violations, report->n_violations == 1 ? "" : "s");
    }
    print_violations(report);
    print_notes(report);
    print_rules(report);
    print_figures(claims, report);
}

int cli_judge(const cli_check_settings *settings, cli_judge_function *judge, cli_say_function *say,
              const void *subject) {
    berth_error error = {0};
    berth_report *report = NULL;
    cli_hooks state;
    berth_hooks hooks;
    cli_hooks_start(&state, "check", settings->common.quiet, &hooks);
    cli_catch_signals();
    berth_status status = judge(subject, &hooks, &report, &error);
    cli_hooks_stop(&state);
    if (status != BERTH_OK) {
        return cli_fail_status("check", CLI_WORKING, NULL, &error);
    }
    const char *path = cli_json_path(&settings->common);
    if (path != NULL && berth_report_write(report, path, &error) != BERTH_OK) {
        berth_report_free(report);
        return cli_fail_status("check", CLI_WRITING, path, &error);
    }
    if (cli_prints_table(&settings->common)) {
        cli_claims claims = {0};
        say(subject, report, &claims);
        cli_print_report(&claims, report);
    }
    const int code = cli_finish_output("check", report->n_violations == 0 ? CLI_DONE : CLI_FAILED);
    berth_report_free(report);
    return code;
}
