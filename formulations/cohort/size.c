/* How many participants when nothing is known of their data (Lai et al., OSDI 2021, section 5.1), and a uniform sample.
 */
#include <berth_cohort.h>

#include <math.h>

#include "base/error.h"
#include "base/pcg.h"

void berth_cohort_size_options_init(berth_cohort_size_options *options) {
    *options = (berth_cohort_size_options){.struct_size = sizeof *options, .confidence = 0.95, .overcommit = 1};
}

static berth_status check_options(const berth_cohort_size_options *o, berth_error *error) {
    if (o->struct_size != sizeof *o) {
        return berth__fail(error, BERTH_E_ARGUMENT, "options",
                           "not initialised: call berth_cohort_size_options_init first");
    }
    if (!(o->deviation > 0 && isfinite(o->deviation))) {
        return berth__fail(error, BERTH_E_ARGUMENT, "deviation", "deviation is %g; expected a number > 0",
                           o->deviation);
    }
    if (!(o->range >= 0 && isfinite(o->range))) {
        return berth__fail(error, BERTH_E_ARGUMENT, "range", "range is %g; expected a number >= 0", o->range);
    }
    if (o->clients < 1) {
        return berth__fail(error, BERTH_E_ARGUMENT, "clients", "clients is 0; expected a number >= 1");
    }
    if (!(o->confidence > 0 && o->confidence < 1)) {
        return berth__fail(error, BERTH_E_ARGUMENT, "confidence", "confidence is %g; expected a number in (0, 1)",
                           o->confidence);
    }
    if (!(o->overcommit >= 1 && isfinite(o->overcommit))) {
        return berth__fail(error, BERTH_E_ARGUMENT, "overcommit", "overcommit is %g; expected a number >= 1",
                           o->overcommit);
    }
    return BERTH_OK;
}

berth_status berth_cohort_size(const berth_cohort_size_options *o, size_t *participants, double *exact,
                               berth_error *error) {
    berth__error_clear(error);
    if (o == NULL || participants == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, NULL, "options and participants must not be NULL");
    }
    *participants = 0;
    berth_status status = check_options(o, error);
    if (status != BERTH_OK) {
        return status;
    }
    double clients = (double)o->clients;
    /* log1p: 1 - confidence loses digits when confidence is small */
    double log_inverse = -log1p(-o->confidence) + (o->categories > 0 ? log(2 * (double)o->categories) : 0);
    double ratio = o->deviation / o->range; /* infinite if all clients are alike: one participant tells */
    double n = (clients + 1) / (1 + 2 * clients * ratio * ratio / log_inverse) * o->overcommit;
    double whole = ceil(n);
    *participants = whole < clients ? (whole > 1 ? (size_t)whole : 1) : o->clients;
    if (exact != NULL) {
        *exact = n;
    }
    return BERTH_OK;
}

berth_status berth_cohort_sample(size_t clients, size_t n, uint64_t seed, size_t *sample, berth_error *error) {
    berth__error_clear(error);
    if (n > clients || (n > 0 && sample == NULL)) {
        return berth__fail(error, BERTH_E_ARGUMENT, "n", "a sample of %zu out of %zu clients", n, clients);
    }
    const uint64_t key[] = {seed, clients};
    berth__pcg stream = berth__pcg_key(2, key);
    size_t chosen = 0;
    /* Knuth, The Art of Computer Programming, volume 2, algorithm 3.4.2S. */
    for (size_t k = 0; chosen < n; k++) {
        if ((size_t)berth__pcg_integer(&stream, 0, (int64_t)(clients - k) - 1) < n - chosen) {
            sample[chosen++] = k;
        }
    }
    return BERTH_OK;
}
