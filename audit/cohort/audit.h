/* Checking a cohort: what its files share. Sees base and public headers alone, and recomputes from the raw arrays. */
#ifndef BERTH_AUDIT_COHORT_AUDIT_H
#define BERTH_AUDIT_COHORT_AUDIT_H

#include <berth_cohort.h>

#include "audit/report.h"
#include "base/budget.h"

__extension__ typedef unsigned __int128 berth__wide; /* sums of prices, exact */

typedef struct berth__cohort_audit {
    const berth_cohort_data *data;
    const berth_cohort_request *request;
    const berth_cohort *cohort;
    berth__audit_report *report;
    bool external;      /* anybody's: claims nothing that it does not state */
    uint64_t *requests; /* [n_categories] resolved here */
    uint64_t *supply;   /* [n_categories] of eligible clients */
    bool *eligible;     /* [n_clients] */
    double duration_s;  /* recomputed; NAN: no profiles, or no cohort */
    double bound;       /* recomputed from the prices: seconds or participants; NAN: none */
} berth__cohort_audit;

/* Names for messages. */
const char *berth__cohort_audit_client(const berth__cohort_audit *a, size_t client, char buffer[32]);
const char *berth__cohort_audit_category(const berth__cohort_audit *a, size_t category, char buffer[32]);

/* request.c: what is asked for. False: out of memory. */
bool berth__cohort_audit_request(berth__cohort_audit *a);
/* members.c: participants, one by one and together. False: out of memory. */
bool berth__cohort_audit_members(berth__cohort_audit *a);
/* bound.c: what the prices prove, and what is claimed of it. False: out of memory. */
bool berth__cohort_audit_bound(berth__cohort_audit *a);

/* Seconds that client n takes for k samples: by the very expression that defines the model. */
static inline double berth__cohort_audit_duration(const berth__cohort_audit *a, size_t n, uint64_t k) {
    double transfer = a->request->model_kbit / a->data->bandwidth_kbps[n];
    return transfer + a->data->ms_per_sample[n] / 1000 * (double)k;
}

#endif
