/* Running one case in a process of its own. */
#ifndef BERTH_BENCH_MEASURE_H
#define BERTH_BENCH_MEASURE_H

#include "bench/case.h"

enum { BENCH_MOST_REPEATS = 200 };

typedef struct bench_plan {
    bench_settings settings;
    int repeats;     /* 1 .. BENCH_MOST_REPEATS */
    double budget_s; /* of a case: fewer repeats once it is spent, but 3, or 1 if they take over a second */
} bench_plan;

/* No pointers: it crosses a pipe. */
typedef struct bench_result {
    bench_verdict verdict;
    char note[BENCH_NOTE];           /* why it was skipped or failed */
    char reference_note[BENCH_NOTE]; /* why there is no reference, or "" */
    int n;                           /* samples; of the reference just as many, if has_reference */
    bool has_reference;
    bool extrapolated; /* the reference did a part of the work, and its time was scaled up */
    int calls;         /* of run in one sample, its mean taken */
    int reference_calls;
    /* Run and reference were sampled in turns. Processor time is blind to what else the machine does. */
    double run_s[BENCH_MOST_REPEATS], run_cpu_s[BENCH_MOST_REPEATS];
    double reference_s[BENCH_MOST_REPEATS], reference_cpu_s[BENCH_MOST_REPEATS];
    double setup_bytes;  /* by which the peak memory of the process grew in setup */
    double run_bytes;    /* and in the first run too, before the reference was set up */
    double instructions; /* of one run; NAN: not counted */
    bench_figures figures;
    bench_comparison comparison;
} bench_result;

void bench_measure(const bench_family *family, const bench_case *c, const bench_plan *plan, bench_result *out);

/* Instructions that one run takes, counted by callgrind: the program at `self` is started again under valgrind as
 * `self --counted-run NAME`, which must call bench_counted_process. NAN and a note on failure. */
double bench_count_instructions(const char *self, const bench_case *c, const bench_settings *settings, char *note);
/* The other end of it: sets the case up, runs it once to warm up and once under the count. */
bench_verdict bench_counted_process(const bench_family *family, const bench_case *c, const bench_settings *settings,
                                    char *note);

/* True if a program of that name is on the PATH. */
bool bench_find_program(const char *name);

#endif
