/* Reports on what was measured: table, JSON lines, plots. */
#ifndef BERTH_BENCH_REPORT_H
#define BERTH_BENCH_REPORT_H

#include "bench/measure.h"

#include <stdio.h>

typedef struct bench_record {
    const bench_family *family;
    const bench_case *about;
    bench_result result;
} bench_record;

/* ---- growth: how a measure of a series' cases grows along its axis ---- */

enum { BENCH_MOST_POINTS = 16, BENCH_MOST_MEASURES = BENCH_MOST_FIGURES + 3 };

typedef struct bench_growth {
    const char *series, *axis;
    char measure[40]; /* "time", "cpu time", "instructions", or a figure's name */
    char unit[16];
    size_t n;
    double x[BENCH_MOST_POINTS], y[BENCH_MOST_POINTS];
    double exponent; /* of all points */
    double last;     /* between the last two */
} bench_growth;

/* One growth for every measure of the series that at least two cases have (0 of it is none); of up to `room`. Returns
 * how many. */
size_t bench_growth_of(const bench_record *records, size_t n, const char *series, bench_growth *out, size_t room);
/* Calls `visit` once for every series, in the order of their first cases. */
void bench_each_series(const bench_record *records, size_t n, void (*visit)(const char *series, void *user),
                       void *user);

/* ---- table ---- */

void bench_table_head(FILE *out, const bench_plan *plan);
void bench_table_row(FILE *out, const bench_record *record);
void bench_table_growth(FILE *out, const bench_record *records, size_t n);
/* What cases compare, by the first column: a line a case, a column an item; a table for every family. */
void bench_table_comparisons(FILE *out, const bench_record *records, size_t n);

/* ---- JSON lines: the first tells the program and the machine, each other one is a measurement ---- */

void bench_json_head(FILE *out, const bench_plan *plan);
void bench_json_record(FILE *out, const bench_record *record);
void bench_json_growth(FILE *out, const bench_record *records, size_t n);

/* ---- plots: an SVG file for every series, by gnuplot ---- */

/* False, with a message on standard error, if one cannot be made. */
bool bench_plot(const char *folder, const bench_record *records, size_t n);

#endif
