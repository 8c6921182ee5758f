/* berth_check_cohort: what it must notice of false claims. */
#include <berth_cohort.h>

#include "tests/support/check.h"
#include "tests/support/cohort_hand.h"

#include <string.h>

static void expect_violation(const hand *h, const berth_cohort *cohort, const char *rule) {
    berth_error error;
    berth_report *report = NULL;
    bool found = false;
    assert_ok(berth_check_cohort(&h->data, &h->request, cohort, NULL, &report, &error), error);
    for (size_t k = 0; k < report->n_findings; k++) {
        found = found || (report->findings[k].violated && strcmp(report->findings[k].rule, rule) == 0);
    }
    if (!found) {
        fail_msg("no violation of %s", rule);
    }
    berth_report_free(report);
}

/* A cohort of two clients and two categories, all of it ours to falsify. */
typedef struct falsified {
    berth_cohort cohort;
    berth_cohort_participant participants[3];
    uint32_t category[3][2], samples[3][2];
    double prices[2];
    uint64_t requests[2], missing[2];
} falsified;

static void falsify(const berth_cohort *from, falsified *f) {
    memset(f, 0, sizeof *f);
    f->cohort = *from;
    for (size_t k = 0; k < from->n_participants; k++) {
        f->participants[k] = from->participants[k];
        for (size_t e = 0; e < from->participants[k].n_entries; e++) {
            f->category[k][e] = from->participants[k].category[e];
            f->samples[k][e] = from->participants[k].samples[e];
        }
        f->participants[k].category = f->category[k];
        f->participants[k].samples = f->samples[k];
    }
    memcpy(f->prices, from->prices, sizeof f->prices);
    memcpy(f->requests, from->requests, sizeof f->requests);
    memcpy(f->missing, from->missing, sizeof f->missing);
    f->cohort.participants = f->participants;
    f->cohort.prices = f->prices;
    f->cohort.requests = f->requests;
    f->cohort.missing = f->missing;
}

static void false_claims_are_noticed(void **state) {
    (void)state;
    hand h;
    falsified f;
    hand_init(&h, 2);
    hand_client(&h, 100, 1000, (uint32_t[]){10, 4});
    hand_client(&h, 100, 1000, (uint32_t[]){10, 4});
    hand_client(&h, 100, 100, (uint32_t[]){10, 4});
    h.requests[0] = 12;
    h.requests[1] = 4;
    h.request.budget = 2;
    h.request.exact = true;
    berth_cohort *cohort = hand_pick(&h);
    assert_int_equal(cohort->n_participants, 2);
    falsify(cohort, &f);
    hand_expect_duration(&h, 1.8, 2);
    f.samples[0][0]++;
    expect_violation(&h, &f.cohort, "cover");
    expect_violation(&h, &f.cohort, "duration");
    falsify(cohort, &f);
    f.samples[0][0] = 11;
    expect_violation(&h, &f.cohort, "holding");
    falsify(cohort, &f);
    f.participants[1].client = 0;
    expect_violation(&h, &f.cohort, "client");
    falsify(cohort, &f);
    f.participants[2] = f.participants[0];
    f.participants[2].client = 2;
    f.cohort.n_participants = 3;
    expect_violation(&h, &f.cohort, "budget");
    falsify(cohort, &f);
    f.cohort.duration_s *= 0.99;
    expect_violation(&h, &f.cohort, "duration");
    falsify(cohort, &f);
    f.cohort.bound_s *= 1.01;
    expect_violation(&h, &f.cohort, "bound");
    falsify(cohort, &f);
    f.cohort.certificate_deadline_s = f.cohort.bound_s;
    expect_violation(&h, &f.cohort, "bound");
    falsify(cohort, &f);
    f.prices[0] = 0.5;
    expect_violation(&h, &f.cohort, "prices");
    falsify(cohort, &f);
    f.prices[0] = f.prices[1] = 0x1p53;
    expect_violation(&h, &f.cohort, "prices");
    falsify(cohort, &f);
    f.cohort.prices = NULL;
    expect_violation(&h, &f.cohort, "bound");
    falsify(cohort, &f);
    f.cohort.ratio = 1.5;
    expect_violation(&h, &f.cohort, "ratio");
    falsify(cohort, &f);
    f.requests[1] = 3;
    expect_violation(&h, &f.cohort, "request");
    h.request.client_cap = 7;
    expect_violation(&h, &f.cohort, "client-cap");
    h.request.client_cap = 0;
    h.request.deadline_s = 1.7;
    expect_violation(&h, &f.cohort, "deadline");
    h.request.deadline_s = (double)INFINITY;
    h.request.choose_eligible = true;
    h.request.n_eligible = 1;
    h.request.eligible = (size_t[]){2};
    expect_violation(&h, &f.cohort, "eligibility");
    berth_cohort_free(cohort);
}

static void false_claims_of_infeasibility_are_noticed(void **state) {
    (void)state;
    hand h;
    falsified f;
    hand_init(&h, 2);
    hand_client(&h, 100, 1000, (uint32_t[]){10, 4});
    hand_client(&h, 100, 1000, (uint32_t[]){10, 4});
    h.requests[0] = 12;
    h.requests[1] = 9;
    berth_cohort *cohort = hand_pick(&h);
    falsify(cohort, &f);
    f.missing[1] = 2;
    expect_violation(&h, &f.cohort, "missing");
    h.requests[1] = 8;
    expect_violation(&h, &f.cohort, "outcome");
    berth_cohort_free(cohort);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(false_claims_are_noticed),
        cmocka_unit_test(false_claims_of_infeasibility_are_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
