#include "bench/report.h"
#include "bench/stats.h"

#include <math.h>
#include <string.h>

/* What one measure of a case is; NAN: it has none. */
static double measure_of(const bench_record *record, const char *measure) {
    const bench_result *result = &record->result;
    if (result->verdict != BENCH_DONE) {
        return (double)NAN;
    }
    if (strcmp(measure, "time") == 0) {
        return bench_summarise(result->run_s, (size_t)result->n).median;
    }
    if (strcmp(measure, "cpu time") == 0) {
        return bench_summarise(result->run_cpu_s, (size_t)result->n).median;
    }
    if (strcmp(measure, "instructions") == 0) {
        return result->instructions;
    }
    for (int i = 0; i < result->figures.n; i++) {
        const bench_figure *figure = &result->figures.at[i];
        if (strcmp(figure->name, measure) == 0 && strcmp(figure->unit, "operation") == 0) {
            return figure->value;
        }
    }
    return (double)NAN;
}

static bool in_series(const bench_record *record, const char *series) {
    return record->about->series != NULL && strcmp(record->about->series, series) == 0;
}

/* Points by increasing x: cases stand in that order. */
static bool collect(const bench_record *records, size_t n, const char *series, const char *measure, const char *unit,
                    bench_growth *out) {
    *out = (bench_growth){.series = series};
    memcpy(out->measure, measure, strlen(measure) + 1);
    memcpy(out->unit, unit, strlen(unit) + 1);
    for (size_t i = 0; i < n; i++) {
        double y = in_series(&records[i], series) ? measure_of(&records[i], measure) : (double)NAN;
        if (y > 0 && isfinite(y) && out->n < BENCH_MOST_POINTS) {
            out->axis = records[i].about->axis;
            out->x[out->n] = records[i].about->x;
            out->y[out->n++] = y;
        }
    }
    out->exponent = bench_exponent(out->x, out->y, out->n);
    if (isnan(out->exponent)) {
        return false;
    }
    out->last = bench_exponent(out->x + out->n - 2, out->y + out->n - 2, 2);
    return true;
}

size_t bench_growth_of(const bench_record *records, size_t n, const char *series, bench_growth *out, size_t room) {
    size_t found = 0;
    found += found < room && collect(records, n, series, "time", "s", &out[found]);
    found += found < room && collect(records, n, series, "cpu time", "s", &out[found]);
    found += found < room && collect(records, n, series, "instructions", "instruction", &out[found]);
    const bench_figures *figures = NULL; /* of the first case: all of a family have the same */
    for (size_t i = 0; i < n && figures == NULL; i++) {
        if (in_series(&records[i], series) && records[i].result.verdict == BENCH_DONE) {
            figures = &records[i].result.figures;
        }
    }
    for (int i = 0; figures != NULL && i < figures->n && found < room; i++) {
        found += strcmp(figures->at[i].unit, "operation") == 0 &&
                 collect(records, n, series, figures->at[i].name, "operation", &out[found]);
    }
    return found;
}

void bench_each_series(const bench_record *records, size_t n, void (*visit)(const char *series, void *user),
                       void *user) {
    for (size_t i = 0; i < n; i++) {
        const char *series = records[i].about->series;
        bool first = series != NULL;
        for (size_t j = 0; first && j < i; j++) {
            first = !in_series(&records[j], series);
        }
        if (first) {
            visit(series, user);
        }
    }
}
