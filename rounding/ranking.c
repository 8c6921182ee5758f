#include "rounding/ranking.h"

#include <stdlib.h>

static bool comes_first(const berth__ranked *a, const berth__ranked *b) {
    return a->rank > b->rank || (a->rank >= b->rank && a->var < b->var);
}

static int by_rank(const void *left, const void *right) {
    const berth__ranked *a = left, *b = right;
    return comes_first(b, a) - comes_first(a, b);
}

void berth__rank_sort(berth__ranked *order, size_t n) {
    qsort(order, n, sizeof *order, by_rank);
}

static void sift_down(berth__ranked *heap, int n, int at) {
    berth__ranked moved = heap[at];
    for (int child = 2 * at + 1; child < n; child = 2 * at + 1) {
        child += child + 1 < n && comes_first(&heap[child + 1], &heap[child]);
        if (!comes_first(&heap[child], &moved)) {
            break;
        }
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moved;
}

void berth__rank_heap(berth__ranked *heap, int n) {
    for (int at = n / 2; at-- > 0;) {
        sift_down(heap, n, at);
    }
}

void berth__rank_sift(berth__ranked *heap, int n) {
    if (n > 0) {
        sift_down(heap, n, 0);
    }
}
