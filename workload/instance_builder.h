/* Assembling a berth_instance piece by piece, for generators and importers.
 *
 * Everything is copied into one arena, which also holds the instance itself: instance->memory is that
 * berth__arena, and berth_instance_free frees it as a whole.
 *
 * The first failure (out of memory) sticks: later calls do nothing and
 * berth__builder_finish reports it, so that callers need not check every call. */
#ifndef BERTH_WORKLOAD_INSTANCE_BUILDER_H
#define BERTH_WORKLOAD_INSTANCE_BUILDER_H

#include <berth_io.h>

#include "base/alloc.h"

typedef struct berth__builder berth__builder;

/* NULL: out of memory. */
berth__builder *berth__builder_new(const char *name, double slot_seconds, int horizon_slots, size_t n_resources,
                                   const char *const *resources);
/* NULL-safe; not needed after berth__builder_finish. */
void berth__builder_free(berth__builder *builder);

void berth__builder_source(berth__builder *builder, const char *source);
/* `count` machines of `capacity` [n_resources]; named `name`, or name-0 .. if count > 1. */
void berth__builder_group(berth__builder *builder, const char *name, size_t count, const double *capacity);
/* A deep copy; max_workers 0 becomes floor(batch). `ps` is ignored for an all-reduce job. */
void berth__builder_job(berth__builder *builder, const berth_job *job);
void berth__builder_quota(berth__builder *builder, const char *tenant, const double *amount);
/* Given price bounds, utility per unit of each resource; `floor` NAN: the default. */
void berth__builder_prices(berth__builder *builder, const double *upper, const double *lower, double floor);

/* Completes the instance, its crc32 included, and frees the builder in any case. */
berth_status berth__builder_finish(berth__builder *builder, berth_instance **out, berth_error *error);

#endif
