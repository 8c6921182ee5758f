#include "audit/report.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/alloc.h"

enum { MOST_LISTED = 1000 }; /* findings of one rule */

static const char *const rule_texts[] = {
#define RULE_TEXT(name, text) text,
    BERTH__AUDIT_RULE_TABLE(RULE_TEXT)
#undef RULE_TEXT
};

struct berth__audit_report {
    berth_report published; /* its memory field points back here */
    berth_finding *findings;
    size_t n_findings, room;
    size_t evaluated[BERTH__RULES], violated[BERTH__RULES];
    size_t listed[2][BERTH__RULES]; /* notes, violations */
    const char *names[BERTH__RULES];
    size_t counts[BERTH__RULES];
    bool out_of_memory;
};

berth__audit_report *berth__audit_report_new(void) {
    berth__audit_report *report = berth__calloc(1, sizeof *report);
    if (report != NULL) {
        berth__audit_set_figures(report, (double)NAN, (double)NAN, (double)NAN);
    }
    return report;
}

void berth__audit_report_free(berth__audit_report *report) {
    if (report != NULL) {
        berth__free(report->findings);
        berth__free(report);
    }
}

void berth__audit_count(berth__audit_report *report, berth__audit_rule rule) {
    report->evaluated[rule]++;
}

size_t berth__audit_violations(const berth__audit_report *report, berth__audit_rule rule) {
    return report->violated[rule];
}

void berth__audit_set_figures(berth__audit_report *report, double utility, double dual, double ratio) {
    report->published.utility = utility;
    report->published.dual = dual;
    report->published.ratio = ratio;
}

/* "job j7, slot 3, machine a100-2, gpu" */
static void write_place(char *text, size_t size, const berth__audit_place *place) {
    char slot[32] = "";
    if (place->slot >= 0) {
        snprintf(slot, sizeof slot, "slot %d", place->slot);
    }
    const char *labels[] = {"job ", "", "machine ", ""};
    const char *parts[] = {place->job, slot[0] == '\0' ? NULL : slot, place->machine, place->resource};
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i] == NULL || used + 1 >= size) {
            continue;
        }
        int n = snprintf(text + used, size - used, "%s%s%s", used > 0 ? ", " : "", labels[i], parts[i]);
        used += n < 0 ? 0 : (size_t)n;
    }
}

/* Room for one more finding, or NULL if the rule's list is full or memory ran out. */
static berth_finding *add_finding(berth__audit_report *report, berth__audit_rule rule, bool violated) {
    if (report->listed[violated][rule] >= MOST_LISTED || report->out_of_memory) {
        return NULL;
    }
    if (!berth__grow((void **)&report->findings, &report->room, report->n_findings, sizeof *report->findings)) {
        report->out_of_memory = true;
        return NULL;
    }
    report->listed[violated][rule]++;
    berth_finding *finding = &report->findings[report->n_findings++];
    *finding = (berth_finding){.violated = violated, .slack = (double)NAN};
    snprintf(finding->rule, sizeof finding->rule, "%s", rule_texts[rule]);
    return finding;
}

BERTH__PRINTF(5, 0)
static void add_violation(berth__audit_report *report, berth__audit_rule rule, const char *where, double slack,
                          const char *format, va_list args) {
    report->violated[rule]++;
    report->published.n_violations++;
    berth_finding *finding = add_finding(report, rule, true);
    if (finding != NULL) {
        finding->slack = slack;
        snprintf(finding->where, sizeof finding->where, "%s", where);
        vsnprintf(finding->message, sizeof finding->message, format, args);
    }
}

BERTH__PRINTF(4, 0)
static void add_note(berth__audit_report *report, berth__audit_rule rule, const char *where, const char *format,
                     va_list args) {
    berth_finding *finding = add_finding(report, rule, false);
    if (finding != NULL) {
        snprintf(finding->where, sizeof finding->where, "%s", where);
        vsnprintf(finding->message, sizeof finding->message, format, args);
    }
}

void berth__audit_violation(berth__audit_report *report, berth__audit_rule rule, const berth__audit_place *place,
                            double slack, const char *format, ...) {
    char where[sizeof((berth_finding *)0)->where];
    write_place(where, sizeof where, place);
    va_list args;
    va_start(args, format);
    add_violation(report, rule, where, slack, format, args);
    va_end(args);
}

void berth__audit_note(berth__audit_report *report, berth__audit_rule rule, const berth__audit_place *place,
                       const char *format, ...) {
    char where[sizeof((berth_finding *)0)->where];
    write_place(where, sizeof where, place);
    va_list args;
    va_start(args, format);
    add_note(report, rule, where, format, args);
    va_end(args);
}

void berth__audit_violation_at(berth__audit_report *report, berth__audit_rule rule, const char *where, double slack,
                               const char *format, ...) {
    va_list args;
    va_start(args, format);
    add_violation(report, rule, where, slack, format, args);
    va_end(args);
}

void berth__audit_note_at(berth__audit_report *report, berth__audit_rule rule, const char *where, const char *format,
                          ...) {
    va_list args;
    va_start(args, format);
    add_note(report, rule, where, format, args);
    va_end(args);
}

berth_report *berth__audit_report_finish(berth__audit_report *report) {
    for (berth__audit_rule rule = 0; rule < BERTH__RULES; rule++) {
        if (report->violated[rule] > report->listed[true][rule]) {
            berth__audit_note(report, rule, &BERTH__NOWHERE, "violations counted but not listed: %zu",
                              report->violated[rule] - report->listed[true][rule]);
        }
    }
    if (report->out_of_memory) {
        berth__audit_report_free(report);
        return NULL;
    }
    berth_report *out = &report->published;
    for (size_t rule = 0; rule < BERTH__RULES; rule++) {
        if (report->evaluated[rule] > 0) {
            report->names[out->n_rules] = rule_texts[rule];
            report->counts[out->n_rules++] = report->evaluated[rule];
        }
    }
    out->n_findings = report->n_findings;
    out->findings = report->findings;
    out->rule_names = report->names;
    out->rule_counts = report->counts;
    out->memory = report;
    return out;
}

void berth_report_free(berth_report *report) {
    if (report != NULL) {
        berth__audit_report_free(report->memory);
    }
}
