#include "tests/support/cohort_hand.h"

#include "tests/support/check.h"
#include "tests/support/cohort_case.h"

#include <string.h>

void hand_init(hand *h, size_t categories) {
    memset(h, 0, sizeof *h);
    berth_cohort_data_init(&h->data);
    berth_cohort_request_init(&h->request);
    h->data.n_categories = categories;
    h->data.row_start = h->row_start;
    h->data.category = h->category;
    h->data.count = h->count;
    h->data.ms_per_sample = h->ms;
    h->data.bandwidth_kbps = h->kbps;
    h->request.requests = h->requests;
    h->request.model_kbit = 1000;
}

void hand_client(hand *h, double ms, double kbps, const uint32_t *counts) {
    size_t n = h->data.n_clients++, at = h->row_start[n];
    for (uint32_t c = 0; c < h->data.n_categories; c++) {
        h->category[at] = c;
        h->count[at++] = counts[c];
    }
    h->row_start[n + 1] = at;
    h->ms[n] = ms;
    h->kbps[n] = kbps;
}

berth_cohort *hand_pick(const hand *h) {
    berth_error error = {0};
    berth_cohort *cohort = NULL;
    assert_ok(berth_cohort_pick(&h->data, &h->request, NULL, &cohort, &error), error);
    cohort_expect_sound(&h->data, &h->request, cohort, "by hand");
    return cohort;
}

void hand_expect_duration(const hand *h, double duration_s, size_t participants) {
    berth_cohort *cohort = hand_pick(h);
    assert_int_equal(cohort->outcome, BERTH_OPTIMAL);
    assert_close(cohort->duration_s, duration_s, 1e-12);
    assert_int_equal(cohort->n_participants, participants);
    berth_cohort_free(cohort);
}
