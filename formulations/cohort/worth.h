/* What clients are worth at given prices, and what follows: the bound of weak duality.
 *
 * At prices pi >= 0, within deadline T, client n's samples are worth at most
 *     V_n(pi, T) = its u_n(T) dearest samples.
 * A cohort of k clients that meets the needs is worth pi.p at least, so if the k largest V_n sum to less, there is
 * none.
 *
 * Prices are whole numbers with pi.p <= 2^52: every sum of samples' prices up to pi.p is exact in doubles, in any
 * order, and a sum beyond it cannot round to below it. */
#ifndef BERTH_FORMULATIONS_COHORT_WORTH_H
#define BERTH_FORMULATIONS_COHORT_WORTH_H

#include "formulations/cohort/view.h"

#define BERTH__COHORT_PRICE_SUM 4503599627370496.0 /* 2^52 */

/* Work space of one thread for views of up to n_clients clients. */
typedef struct berth__cohort_space {
    double *value;   /* [n_clients] V_n */
    double *scratch; /* [n_clients] */
    double *price;   /* [n_categories] */
    double *cover;   /* [n_categories] */
    double *bucket_sum;
    uint32_t *bucket_count;
} berth__cohort_space;

/* False: out of memory. Free in any case. */
bool berth__cohort_space_init(berth__cohort_space *space, size_t n_clients, size_t n_categories);
void berth__cohort_space_free(berth__cohort_space *space);

/* Whole prices whose worth of the needs is in the given shares (>= 0, not all 0). price: [n_categories]. */
void berth__cohort_prices(const berth__cohort_view *view, const double *share, double *price);
/* pi.p, exact for prices as above. */
double berth__cohort_worth(const berth__cohort_view *view, const double *price);

/* V_n of all clients into value: [n_clients]. Sorts each client's entries by falling price. O(entries) once they are
 * nearly sorted. */
void berth__cohort_values(const berth__cohort_view *view, const double *price, double deadline_s, double *value);
/* By falling price. */
void berth__cohort_sort_entries(const berth__cohort_view *view, size_t client, const double *price);
/* Adds `weight` times what client n gives at the prices of the last pass to cover: [n_categories]. */
void berth__cohort_add_cover(const berth__cohort_view *view, size_t client, double deadline_s, double weight,
                             double *cover);

typedef struct berth__cohort_top {
    size_t count;     /* values taken */
    double sum;       /* of them */
    double threshold; /* the least of them; 0: there were none */
    bool reached;     /* sum >= target */
} berth__cohort_top;
/* The largest of n whole values >= 0: until their sum is `target` (INFINITY: never), but no more than `most`. Zeros are
 * not taken. Expected O(n). */
berth__cohort_top berth__cohort_top_values(const double *value, size_t n, size_t most, double target,
                                           berth__cohort_space *space);

/* Do the prices prove that no `budget` clients meet the needs within the deadline? */
bool berth__cohort_refutes(const berth__cohort_view *view, const double *price, double deadline_s, size_t budget,
                           berth__cohort_space *space);

/* The deadline up to which the prices refute `budget` clients: *refuted_s is refuted and the returned next duration of
 * any client is not (INFINITY: every deadline is refuted). `from_s` is refuted, or 0 is returned as *refuted_s < 0 if
 * nothing is. At most `passes` passes: when they are spent, what is returned is the next duration after *refuted_s all
 * the same. */
double berth__cohort_root(const berth__cohort_view *view, const double *price, size_t budget, double from_s, int passes,
                          berth__cohort_space *space, double *refuted_s);

#endif
