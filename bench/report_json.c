#include "bench/report.h"
#include "bench/stats.h"

#include <berth.h>

#include <math.h>
#include <string.h>
#include <unistd.h>

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "unknown"
#endif

static void put_text(FILE *out, const char *text) {
    fputc('"', out);
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        if (c < 0x20) {
            fprintf(out, "\\u%04x", c);
        } else {
            fprintf(out, c == '"' || c == '\\' ? "\\%c" : "%c", c);
        }
    }
    fputc('"', out);
}

static void put_number(FILE *out, const char *key, double value) {
    fprintf(out, isfinite(value) ? ", \"%s\": %.9g" : ", \"%s\": null", key, value);
}

/* The processor's name as Linux tells it. */
static void read_processor(char *name, size_t room) {
    char line[512];
    FILE *file = fopen("/proc/cpuinfo", "r");
    snprintf(name, room, "unknown");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        const char *value = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && value != NULL) {
            line[strcspn(line, "\n")] = '\0';
            snprintf(name, room, "%s", value + 2);
            break;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
}

void bench_json_head(FILE *out, const bench_plan *plan) {
    char processor[256];
    read_processor(processor, sizeof processor);
    fprintf(out, "{\"format\": \"berth-bench-1\", \"version\": ");
    put_text(out, berth_version());
    fprintf(out, ", \"compiler\": ");
    put_text(out, COMPILER);
    fprintf(out, ", \"processor\": ");
    put_text(out, processor);
    fprintf(out, ", \"processors\": %ld, \"quick\": %s, \"repeats\": %d, \"threads\": %d}\n",
            sysconf(_SC_NPROCESSORS_ONLN), plan->settings.quick ? "true" : "false", plan->repeats,
            plan->settings.threads);
}

static void begin(FILE *out, const bench_record *record, const char *metric, const char *unit) {
    fprintf(out, "{\"case\": ");
    put_text(out, record->about->name);
    fprintf(out, ", \"metric\": ");
    put_text(out, metric);
    fprintf(out, ", \"unit\": ");
    put_text(out, unit);
}

static void put_value(FILE *out, const bench_record *record, const char *metric, const char *unit, double value) {
    begin(out, record, metric, unit);
    put_number(out, "value", value);
    fprintf(out, "}\n");
}

static void put_times(FILE *out, const bench_record *record, const char *metric, const double *samples, int calls,
                      bool extrapolated) {
    bench_summary s = bench_summarise(samples, (size_t)record->result.n);
    begin(out, record, metric, "s");
    put_number(out, "value", s.median);
    put_number(out, "q1", s.q1);
    put_number(out, "q3", s.q3);
    put_number(out, "mad", s.mad);
    put_number(out, "min", s.min);
    put_number(out, "max", s.max);
    fprintf(out, ", \"samples\": %zu, \"calls\": %d, \"extrapolated\": %s}\n", s.n, calls,
            extrapolated ? "true" : "false");
}

static void put_ratio(FILE *out, const bench_record *record, const char *metric, const double *reference,
                      const double *run) {
    bench_ratio ratio = bench_ratio_of(reference, run, (size_t)record->result.n);
    begin(out, record, metric, "1");
    put_number(out, "value", ratio.value);
    put_number(out, "q1", ratio.q1);
    put_number(out, "q3", ratio.q3);
    fprintf(out, "}\n");
}

/* A line for each value of each item. */
static void put_comparison(FILE *out, const bench_record *record) {
    const bench_comparison *comparison = &record->result.comparison;
    for (int i = 0; i < comparison->n_items; i++) {
        const bench_item *item = &comparison->item[i];
        if (item->note[0] != '\0') {
            fprintf(out, "{\"case\": ");
            put_text(out, record->about->name);
            fprintf(out, ", \"item\": ");
            put_text(out, item->name);
            fprintf(out, ", \"skipped\": ");
            put_text(out, item->note);
            fprintf(out, "}\n");
        }
        for (int k = 0; k < comparison->n_columns && item->note[0] == '\0'; k++) {
            begin(out, record, comparison->column[k].name, comparison->column[k].unit);
            fprintf(out, ", \"item\": ");
            put_text(out, item->name);
            put_number(out, "value", item->value[k]);
            fprintf(out, "}\n");
        }
    }
}

void bench_json_record(FILE *out, const bench_record *record) {
    const bench_result *result = &record->result;
    if (result->verdict != BENCH_DONE) {
        fprintf(out, "{\"case\": ");
        put_text(out, record->about->name);
        fprintf(out, ", \"%s\": ", result->verdict == BENCH_SKIPPED ? "skipped" : "failed");
        put_text(out, result->note);
        fprintf(out, "}\n");
        return;
    }
    put_times(out, record, "time", result->run_s, result->calls, false);
    put_times(out, record, "cpu_time", result->run_cpu_s, result->calls, false);
    if (result->has_reference) {
        put_times(out, record, "reference_time", result->reference_s, result->reference_calls, result->extrapolated);
        put_times(out, record, "reference_cpu_time", result->reference_cpu_s, result->reference_calls,
                  result->extrapolated);
        put_ratio(out, record, "speedup", result->reference_s, result->run_s);
        put_ratio(out, record, "cpu_speedup", result->reference_cpu_s, result->run_cpu_s);
    }
    put_value(out, record, "peak_memory", "byte", result->run_bytes);
    put_value(out, record, "setup_memory", "byte", result->setup_bytes);
    if (isfinite(result->instructions)) {
        put_value(out, record, "instructions", "instruction", result->instructions);
    }
    for (int i = 0; i < result->figures.n; i++) {
        const bench_figure *figure = &result->figures.at[i];
        put_value(out, record, figure->name, figure->unit, figure->value);
    }
    put_comparison(out, record);
    fflush(out);
}

/* ---- growth ---- */

typedef struct growth_lines {
    FILE *out;
    const bench_record *records;
    size_t n;
} growth_lines;

static void put_series(const char *series, void *user) {
    const growth_lines *lines = user;
    bench_growth growth[BENCH_MOST_MEASURES];
    size_t n = bench_growth_of(lines->records, lines->n, series, growth, sizeof growth / sizeof *growth);
    for (size_t i = 0; i < n; i++) {
        const bench_growth *g = &growth[i];
        fprintf(lines->out, "{\"series\": ");
        put_text(lines->out, g->series);
        fprintf(lines->out, ", \"axis\": ");
        put_text(lines->out, g->axis);
        fprintf(lines->out, ", \"metric\": ");
        put_text(lines->out, g->measure);
        fprintf(lines->out, ", \"unit\": ");
        put_text(lines->out, g->unit);
        put_number(lines->out, "exponent", g->exponent);
        put_number(lines->out, "last_exponent", g->last);
        fprintf(lines->out, ", \"points\": [");
        for (size_t k = 0; k < g->n; k++) {
            fprintf(lines->out, "%s[%g, %.9g]", k > 0 ? ", " : "", g->x[k], g->y[k]);
        }
        fprintf(lines->out, "]}\n");
    }
}

void bench_json_growth(FILE *out, const bench_record *records, size_t n) {
    growth_lines lines = {.out = out, .records = records, .n = n};
    bench_each_series(records, n, put_series, &lines);
}
