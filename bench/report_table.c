#include "bench/report.h"
#include "bench/stats.h"

#include <math.h>
#include <string.h>

enum { CELL = 40 };

/* Of three significant digits. */
static int decimals_of(double value) {
    return fabs(value) < 9.995 ? 2 : fabs(value) < 99.95 ? 1 : 0;
}

/* Three significant digits and a prefix: "8.50 us". */
static const char *scaled(char cell[CELL], double value, const char *unit) {
    static const struct {
        double size;
        const char *prefix;
    } prefixes[] = {{1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}, {1e-3, "m"}, {1e-6, "u"}, {1e-9, "n"}};
    if (!isfinite(value)) {
        snprintf(cell, CELL, "-");
        return cell;
    }
    size_t i = 0;
    while (i + 1 < sizeof prefixes / sizeof *prefixes && fabs(value) < prefixes[i].size * 0.9995) {
        i++;
    }
    double shown = value / prefixes[i].size;
    const char *prefix = value == 0 ? "" : prefixes[i].prefix, *blank = *prefix != '\0' || *unit != '\0' ? " " : "";
    snprintf(cell, CELL, "%.*f%s%s%s", decimals_of(shown), shown, blank, prefix, unit);
    return cell;
}

void bench_table_head(FILE *out, const bench_plan *plan) {
    fprintf(
        out,
        "Medians of up to %d repeats, %.3g s a case; quartiles behind. ratio: reference / time, measured in turns.\n"
        "*: the reference did a part of the work, its time is scaled up.\n"
        "cpu: processor time, which other work on the machine touches less.\n"
        "memory: by how much the process grew at its peak, without the reference (in setup alone).\n"
        "%d thread%s.\n\n",
        plan->repeats, plan->budget_s, plan->settings.threads, plan->settings.threads == 1 ? "" : "s");
    fprintf(out, "%-34s %10s %21s %11s %8s %17s %18s %4s\n", "case", "time", "quartiles", "reference", "ratio",
            "quartiles", "memory (setup)", "n");
}

static void print_figures(FILE *out, const bench_record *record) {
    const bench_result *result = &record->result;
    char cell[CELL];
    size_t n = (size_t)result->n;
    fprintf(out, "    cpu %s", scaled(cell, bench_summarise(result->run_cpu_s, n).median, "s"));
    if (result->has_reference) {
        double ratio = bench_ratio_of(result->reference_cpu_s, result->run_cpu_s, n).value;
        fprintf(out, ", cpu ratio %.*f", decimals_of(ratio), ratio);
    }
    if (isfinite(result->instructions)) {
        fprintf(out, ", instructions %s", scaled(cell, result->instructions, ""));
    }
    for (int i = 0; i < result->figures.n; i++) {
        const bench_figure *figure = &result->figures.at[i];
        bool bare = strcmp(figure->unit, "1") == 0;
        if (bare) {
            snprintf(cell, sizeof cell, "%.4g", figure->value);
        } else {
            scaled(cell, figure->value, strcmp(figure->unit, "operation") == 0 ? "" : figure->unit);
        }
        fprintf(out, ", %s %s", figure->name, isnan(figure->value) ? "-" : cell);
    }
    if (result->reference_note[0] != '\0') {
        fprintf(out, ", no reference: %s", result->reference_note);
    }
    fputc('\n', out);
}

static const char *shown(char cell[CELL], double value, const char *unit) {
    if (isnan(value)) {
        return "-";
    }
    if (strcmp(unit, "1") != 0) {
        return scaled(cell, value, strcmp(unit, "operation") == 0 ? "" : unit);
    }
    int decimals = value == rint(value) ? 0 : fabs(value) < 10 ? 4 : 1;
    snprintf(cell, CELL, "%.*f", decimals, value);
    return cell;
}

static void print_comparison(FILE *out, const bench_comparison *c) {
    char cell[CELL];
    for (int k = 0; k < c->n_columns; k++) {
        fprintf(out, "%*s", k == 0 ? 36 : 13, c->column[k].name);
    }
    fputs(c->n_columns > 0 ? "\n" : "", out);
    for (int i = 0; i < c->n_items; i++) {
        const bench_item *item = &c->item[i];
        fprintf(out, "    %-12s", item->name);
        if (item->note[0] != '\0') {
            fprintf(out, " skipped: %s", item->note);
        }
        for (int k = 0; k < c->n_columns && item->note[0] == '\0'; k++) {
            fprintf(out, "%*s", k == 0 ? 20 : 13, shown(cell, item->value[k], c->column[k].unit));
        }
        fputc('\n', out);
    }
}

void bench_table_row(FILE *out, const bench_record *record) {
    const bench_result *result = &record->result;
    if (result->verdict != BENCH_DONE) {
        fprintf(out, "%-34s %s: %s\n", record->about->name, result->verdict == BENCH_SKIPPED ? "skipped" : "FAILED",
                result->note);
        return;
    }
    char median[CELL], q1[CELL], q3[CELL], range[3 * CELL], other[CELL], reference[2 * CELL] = "-";
    char ratio[CELL] = "-", ratios[2 * CELL] = "-", peak[CELL], setup[CELL], memory[3 * CELL];
    size_t n = (size_t)result->n;
    bench_summary run = bench_summarise(result->run_s, n);
    snprintf(range, sizeof range, "%s .. %s", scaled(q1, run.q1, "s"), scaled(q3, run.q3, "s"));
    snprintf(memory, sizeof memory, "%s (%s)", scaled(peak, result->run_bytes, "B"),
             scaled(setup, result->setup_bytes, "B"));
    if (result->has_reference) {
        bench_ratio speedup = bench_ratio_of(result->reference_s, result->run_s, n);
        scaled(other, bench_summarise(result->reference_s, n).median, "s");
        snprintf(reference, sizeof reference, "%s%s", other, result->extrapolated ? "*" : "");
        snprintf(ratio, sizeof ratio, "%.*f", decimals_of(speedup.value), speedup.value);
        snprintf(ratios, sizeof ratios, "%.*f .. %.*f", decimals_of(speedup.q1), speedup.q1, decimals_of(speedup.q3),
                 speedup.q3);
    }
    fprintf(out, "%-34s %10s %21s %11s %8s %17s %18s %4d\n", record->about->name, scaled(median, run.median, "s"),
            range, reference, ratio, ratios, memory, result->n);
    print_figures(out, record);
    print_comparison(out, &result->comparison);
    fflush(out);
}

/* ---- comparisons ---- */

static bool compares(const bench_record *record) {
    return record->result.verdict == BENCH_DONE && record->result.comparison.n_items > 0;
}

static const bench_item *find_item(const bench_comparison *comparison, const char *name) {
    for (int i = 0; i < comparison->n_items; i++) {
        if (strcmp(comparison->item[i].name, name) == 0) {
            return &comparison->item[i];
        }
    }
    return NULL;
}

/* Items of the first case of the family; all have the same. */
static void print_family(FILE *out, const bench_record *records, size_t n, size_t first) {
    const bench_comparison *head = &records[first].result.comparison;
    char cell[CELL];
    fprintf(out, "\n%-34s", head->column[0].name);
    for (int i = 0; i < head->n_items; i++) {
        fprintf(out, " %9s", head->item[i].name);
    }
    fputc('\n', out);
    for (size_t r = first; r < n; r++) {
        if (records[r].family != records[first].family || !compares(&records[r])) {
            continue;
        }
        fprintf(out, "%-34s", records[r].about->name);
        for (int i = 0; i < head->n_items; i++) {
            const bench_item *item = find_item(&records[r].result.comparison, head->item[i].name);
            double value = item == NULL ? (double)NAN : item->value[0];
            fprintf(out, " %9s", shown(cell, value, head->column[0].unit));
        }
        fputc('\n', out);
    }
}

void bench_table_comparisons(FILE *out, const bench_record *records, size_t n) {
    for (size_t i = 0; i < n; i++) {
        bool first = compares(&records[i]);
        for (size_t j = 0; first && j < i; j++) {
            first = records[j].family != records[i].family || !compares(&records[j]);
        }
        if (first) {
            print_family(out, records, n, i);
        }
    }
}

/* ---- growth ---- */

typedef struct growth_table {
    FILE *out;
    const bench_record *records;
    size_t n;
    bool begun;
} growth_table;

static void print_series(const char *series, void *user) {
    growth_table *table = user;
    bench_growth growth[BENCH_MOST_MEASURES];
    size_t n = bench_growth_of(table->records, table->n, series, growth, sizeof growth / sizeof *growth);
    if (n > 0 && !table->begun) {
        fprintf(table->out, "\n%-26s %-9s %-18s %9s %9s  points\n", "growth", "axis", "measure", "exponent",
                "last two");
        table->begun = true;
    }
    for (size_t i = 0; i < n; i++) {
        const bench_growth *g = &growth[i];
        fprintf(table->out, "%-26s %-9s %-18s %9.2f %9.2f ", g->series, g->axis, g->measure, g->exponent, g->last);
        for (size_t k = 0; k < g->n; k++) {
            char cell[CELL];
            fprintf(table->out, " %g: %s%s", g->x[k], scaled(cell, g->y[k], strcmp(g->unit, "s") == 0 ? "s" : ""),
                    k + 1 < g->n ? "," : "\n");
        }
    }
}

void bench_table_growth(FILE *out, const bench_record *records, size_t n) {
    growth_table table = {.out = out, .records = records, .n = n};
    bench_each_series(records, n, print_series, &table);
}
