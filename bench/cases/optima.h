/* Folders of problems with known optima. */
#ifndef BERTH_BENCH_CASES_OPTIMA_H
#define BERTH_BENCH_CASES_OPTIMA_H

#include <stdbool.h>
#include <stddef.h>

typedef struct bench_optimum {
    char file[128]; /* in the folder */
    int number;     /* of the problem in the file, from 1 */
    char class[24];
    double optimum;
} bench_optimum;

typedef struct bench_optima {
    size_t n;
    bench_optimum *at;
} bench_optima;

/* Reads FOLDER/optima.csv: a heading, then file,number,class,optimum and whatever follows. False with a note of
 * BENCH_NOTE bytes. */
bool bench_optima_read(const char *folder, bench_optima **out, char *note);
void bench_optima_free(bench_optima *optima);

#endif
