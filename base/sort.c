#include "base/sort.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void berth__sort(double *values, size_t n) {
    if (n > 1) {
        qsort(values, n, sizeof *values, by_value);
    }
}

double berth__quantile(const double *ascending, size_t n, double q) {
    if (n == 0) {
        return (double)NAN;
    }
    double at = q * (double)(n - 1);
    size_t low = (size_t)at;
    if (low + 1 >= n) {
        return ascending[n - 1];
    }
    double part = at - (double)low;
    return ascending[low] + part * (ascending[low + 1] - ascending[low]);
}

/* ---- records ---- */

typedef int (*comparison)(const void *, const void *);

/* Runs that are sorted by insertion before any are merged. */
enum { RUN = 8 };

static inline void insert_records(char *records, size_t n, size_t size, comparison compare, char *held) {
    for (size_t i = 1; i < n; i++) {
        size_t at = i;
        while (at > 0 && compare(records + (at - 1) * size, records + i * size) > 0) {
            at--;
        }
        if (at < i) {
            memcpy(held, records + i * size, size);
            memmove(records + (at + 1) * size, records + at * size, (i - at) * size);
            memcpy(records + at * size, held, size);
        }
    }
}

/* from[0, middle) and from[middle, n), sorted, into `to`. */
static inline void merge_records(const char *from, size_t middle, size_t n, size_t size, comparison compare, char *to) {
    size_t left = 0, right = middle;
    for (; left < middle && right < n; to += size) {
        bool first = compare(from + left * size, from + right * size) <= 0;
        memcpy(to, from + (first ? left : right) * size, size);
        left += first;
        right += !first;
    }
    memcpy(to, from + left * size, (middle - left) * size);
    memcpy(to + (middle - left) * size, from + right * size, (n - right) * size);
}

/* Inlined for the sizes that are common, so that a record is moved at once. */
static inline void sort_records(char *records, size_t n, size_t size, comparison compare, char *scratch) {
    char *from = records, *to = scratch;
    for (size_t at = 0; at < n; at += RUN) {
        insert_records(records + at * size, n - at < RUN ? n - at : RUN, size, compare, scratch);
    }
    for (size_t width = RUN; width < n; width *= 2) {
        for (size_t at = 0; at < n; at += 2 * width) {
            size_t left = n - at < 2 * width ? n - at : 2 * width;
            merge_records(from + at * size, left < width ? left : width, left, size, compare, to + at * size);
        }
        char *swap = from;
        from = to;
        to = swap;
    }
    if (from != records) {
        memcpy(records, from, n * size);
    }
}

void berth__sort_records(void *records, size_t n, size_t size, comparison compare, void *scratch) {
    switch (size) {
    case 8:
        sort_records(records, n, 8, compare, scratch);
        break;
    case 16:
        sort_records(records, n, 16, compare, scratch);
        break;
    default:
        sort_records(records, n, size, compare, scratch);
    }
}
