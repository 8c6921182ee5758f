/* Cohort problems of a few clients, written out by hand. */
#ifndef BERTH_TESTS_COHORT_HAND_H
#define BERTH_TESTS_COHORT_HAND_H

#include <berth_cohort.h>

enum { HAND_MOST_CLIENTS = 8, HAND_MOST_CATEGORIES = 6 };

/* A problem that grows by a client with a dense row of counts at a time. */
typedef struct hand {
    berth_cohort_data data;
    berth_cohort_request request;
    size_t row_start[HAND_MOST_CLIENTS + 1];
    uint32_t category[HAND_MOST_CLIENTS * HAND_MOST_CATEGORIES], count[HAND_MOST_CLIENTS * HAND_MOST_CATEGORIES];
    double ms[HAND_MOST_CLIENTS], kbps[HAND_MOST_CLIENTS];
    uint64_t requests[HAND_MOST_CATEGORIES];
} hand;

/* No clients, nothing asked for, 1000 kbit to transfer. The arrays of `h` stay its own: not to be copied. */
void hand_init(hand *h, size_t categories);
/* counts: [categories] */
void hand_client(hand *h, double ms, double kbps, const uint32_t *counts);
/* A cohort that the checker has nothing against; free it. */
berth_cohort *hand_pick(const hand *h);
/* Asserts that the fastest cohort is found, and proved to be the fastest. */
void hand_expect_duration(const hand *h, double duration_s, size_t participants);

#endif
