/* What a benchmark case is. A family is a set of hooks; its cases are the sizes at which they run.
 *
 * The harness forks a child for every case, calls there
 *
 *     setup, run (once, to warm up), setup_reference, run_reference (once),
 *     then run and run_reference in turns, quality, compare, teardown
 *
 * and reports. It asserts nothing: a slow case is a figure, not a failure. */
#ifndef BERTH_BENCH_CASE_H
#define BERTH_BENCH_CASE_H

#include <stdbool.h>
#include <stddef.h>

enum { BENCH_NOTE = 200, BENCH_MOST_FIGURES = 24 };

typedef struct bench_settings {
    bool quick;
    int threads;          /* of the code measured; >= 1 */
    const char *problems; /* folder of general problems with known optima; NULL: the shipped ones */
} bench_settings;

/* ---- figures ---- */

/* A number beside the times: quality, counts. Units are words of the JSON report: "1", "s", "operation", "byte". Those
 * in "operation" take part in the growth tables. */
typedef struct bench_figure {
    char name[40];
    char unit[16];
    double value; /* NAN: not known */
} bench_figure;

typedef struct bench_figures {
    int n;
    bench_figure at[BENCH_MOST_FIGURES];
} bench_figures;

/* Names and units are cut to what fits; figures beyond the room are dropped. */
void bench_add_figure(bench_figures *figures, const char *name, const char *unit, double value);

/* ---- what a case compares: a table of its own, a line an item ---- */

enum { BENCH_MOST_ITEMS = 24, BENCH_MOST_COLUMNS = 16, BENCH_ITEM_NAME = 32 };

typedef struct bench_item {
    char name[BENCH_ITEM_NAME];
    char note[BENCH_NOTE];            /* why there are no values; "": there are */
    double value[BENCH_MOST_COLUMNS]; /* NAN: not known */
} bench_item;

/* Of several items compared in one case; the first column is what they are judged by. */
typedef struct bench_comparison {
    int n_columns, n_items;
    struct {
        char name[24];
        char unit[16]; /* as of a figure */
    } column[BENCH_MOST_COLUMNS];
    bench_item item[BENCH_MOST_ITEMS];
} bench_comparison;

/* As bench_add_figure. NULL if there is no room for another item. */
void bench_add_column(bench_comparison *comparison, const char *name, const char *unit);
bench_item *bench_add_item(bench_comparison *comparison, const char *name);

/* ---- the clock of one run ---- */

/* It goes when a hook is called. */
typedef struct bench_clock {
    double since_s, elapsed_s;         /* by the wall */
    double since_cpu_s, elapsed_cpu_s; /* of the process, all threads */
    double factor;                     /* the whole work over the part that was done */
    double share;                      /* runs in one call, for times per item */
} bench_clock;

/* For work that belongs to no run, such as bringing a solver to where a sample starts. */
void bench_clock_pause(bench_clock *clock);
void bench_clock_resume(bench_clock *clock);

/* ---- cases ---- */

typedef enum bench_verdict { BENCH_DONE = 0, BENCH_SKIPPED, BENCH_FAILED } bench_verdict;

typedef struct bench_case {
    const char *name; /* "family/size", words apart by /; "long/family/size" runs only if --case picks it */
    const char *about;
    const void *size;   /* the family's own */
    const char *series; /* cases of one series make a growth table; NULL: none */
    const char *axis;   /* what grows: "H" */
    double x;
    bool quick;   /* also with --quick */
    bool counted; /* small enough for instruction counts, some fifty times slower */
} bench_case;

typedef struct bench_family {
    const char *about;
    size_t n_cases;
    const bench_case *cases;
    bool once; /* the first run is the one sample, there is no reference: for work whose figures matter, not its time */
    /* *state is given to all other hooks. SKIPPED and FAILED leave their reason in note[BENCH_NOTE] and no state. */
    bench_verdict (*setup)(const bench_case *c, const bench_settings *settings, void **state, char *note);
    /* The work that is timed, the same each time. False: it failed. */
    bool (*run)(void *state, bench_clock *clock);
    /* Both NULL: there is no reference. SKIPPED goes on without it; the note may be empty. */
    bench_verdict (*setup_reference)(void *state, char *note);
    bool (*run_reference)(void *state, bench_clock *clock);
    void (*quality)(void *state, bench_figures *out);    /* of the last run and reference; may be NULL */
    void (*compare)(void *state, bench_comparison *out); /* likewise */
    void (*teardown)(void *state);
} bench_family;

#endif
