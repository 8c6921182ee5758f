/* gnuplot is fed through a pipe. */
#define _POSIX_C_SOURCE 200809L

#include "bench/report.h"
#include "bench/stats.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

typedef struct plotting {
    const char *folder;
    const bench_record *records;
    size_t n;
    FILE *gnuplot;
} plotting;

static bool in_plot(const bench_record *record, const char *series, bool reference) {
    return record->about->series != NULL && strcmp(record->about->series, series) == 0 &&
           record->result.verdict == BENCH_DONE && (!reference || record->result.has_reference);
}

/* Points of one curve as inline data; how many there are. */
static size_t put_curve(const plotting *p, const char *name, const char *series, bool reference) {
    size_t points = 0;
    fprintf(p->gnuplot, "$%s << EOD\n", name);
    for (size_t i = 0; i < p->n; i++) {
        const bench_record *record = &p->records[i];
        if (in_plot(record, series, reference)) {
            const double *samples = reference ? record->result.reference_s : record->result.run_s;
            bench_summary s = bench_summarise(samples, (size_t)record->result.n);
            fprintf(p->gnuplot, "%g %.9g %.9g %.9g\n", record->about->x, s.median, s.q1, s.q3);
            points++;
        }
    }
    fprintf(p->gnuplot, "EOD\n");
    return points;
}

/* In a gnuplot string between single quotes a quote is written twice. */
static void put_quoted(FILE *out, const char *text) {
    for (; *text != '\0'; text++) {
        fprintf(out, *text == '\'' ? "''" : "%c", *text);
    }
}

static void plot_series(const char *series, void *user) {
    plotting *p = user;
    bench_growth growth;
    if (bench_growth_of(p->records, p->n, series, &growth, 1) == 0) {
        return;
    }
    put_curve(p, "run", series, false);
    size_t references = put_curve(p, "reference", series, true);
    fprintf(p->gnuplot, "set output '");
    put_quoted(p->gnuplot, p->folder);
    fputc('/', p->gnuplot);
    for (const char *c = series; *c != '\0'; c++) { /* names hold letters, digits, blanks, - and / */
        fputc(*c == ' ' || *c == '/' ? '-' : *c, p->gnuplot);
    }
    fprintf(p->gnuplot,
            ".svg'\n"
            "set title '%s: exponent %.2f'\n"
            "set xlabel '%s'\n"
            "plot $run using 1:2:3:4 with yerrorlines title 'berth'%s\n",
            series, growth.exponent, growth.axis,
            references > 0 ? ", $reference using 1:2:3:4 with yerrorlines title 'reference'" : "");
}

bool bench_plot(const char *folder, const bench_record *records, size_t n) {
    if (!bench_find_program("gnuplot")) {
        fprintf(stderr, "berth-bench: no plots: gnuplot is not installed (Debian: gnuplot-nox)\n");
        return true;
    }
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        fprintf(stderr, "berth-bench: cannot make %s: %s\n", folder, strerror(errno));
        return false;
    }
    fflush(NULL);
    plotting p = {.folder = folder, .records = records, .n = n, .gnuplot = popen("gnuplot", "w")};
    if (p.gnuplot == NULL) {
        fprintf(stderr, "berth-bench: cannot start gnuplot: %s\n", strerror(errno));
        return false;
    }
    fprintf(p.gnuplot, "set terminal svg size 720,480 background 'white'\n"
                       "set logscale xy\nset format y '%%.0s %%cs'\nset ylabel 'median time, quartiles'\n"
                       "set key left top\nset grid\n");
    bench_each_series(records, n, plot_series, &p);
    if (pclose(p.gnuplot) != 0) {
        fprintf(stderr, "berth-bench: gnuplot failed\n");
        return false;
    }
    return true;
}
