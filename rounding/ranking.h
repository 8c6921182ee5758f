/* Variables in order of a rank, all at once or from a heap whose ranks fall while it is used. */
#ifndef BERTH_ROUNDING_RANKING_H
#define BERTH_ROUNDING_RANKING_H

#include <stdbool.h>
#include <stddef.h>

typedef struct berth__ranked {
    double rank;
    int var;
} berth__ranked;

/* Highest rank first; of equal ranks the lower variable. */
void berth__rank_sort(berth__ranked *order, size_t n);

/* Makes a heap of n entries, that order's first on top. O(n). */
void berth__rank_heap(berth__ranked *heap, int n);
/* After the top was given a lower rank or another entry: moves it to its place. O(log n). */
void berth__rank_sift(berth__ranked *heap, int n);

#endif
