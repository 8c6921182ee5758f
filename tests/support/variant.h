/* Altered copies of instances: another unit of a resource, given prices, stretched utilities. */
#ifndef BERTH_TESTS_VARIANT_H
#define BERTH_TESTS_VARIANT_H

#include <berth_io.h>

/* Borrows from `instance` what is not altered; free with variant_free before the instance. */
typedef struct variant variant;
variant *variant_new(const berth_instance *instance);
void variant_free(variant *v);
const berth_instance *variant_instance(const variant *v);

/* All amounts of a resource (capacities, demands, quotas, prices) in another unit. */
void variant_scale(variant *v, size_t resource, double factor);
/* Prices for every resource, in utility per share of the cluster's total. */
void variant_prices(variant *v, double upper, double lower);
/* Globs of the only machines that a job may use, in place of those it has; they must outlive the variant. */
void variant_allow(variant *v, size_t job, size_t n, const char *const *globs);
/* Jobs whose relaxed schedules are mixtures of integer ones: no servers, one speed at both localities, work of whole
 * worker-slots, workers of whole or half units of a resource. (The instance's capacities must be whole.) */
void variant_whole(variant *v);

#endif
