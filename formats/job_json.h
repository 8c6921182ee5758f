/* Jobs and amounts of resources as JSON: what instances and events share. */
#ifndef BERTH_FORMATS_JOB_JSON_H
#define BERTH_FORMATS_JOB_JSON_H

#include "formats/json_read.h"

#include <berth_io.h>

/* Of an instance, the functions below look at resources and horizon only. What they return lives in the reader's arena;
 * NULL or false on failure. */

/* An object {resource: number}; resources that are absent are `initial`. */
double *berth__read_amounts(berth__reader *reader, const berth_instance *instance, const berth__node *node,
                            double initial);
/* The same for a machine's capacity: each is 0 or from 1e-100 to 1e100. */
double *berth__read_capacity(berth__reader *reader, const berth_instance *instance, const berth__node *node);
/* Where the amount of a resource stands. */
berth__node berth__amount_node(const berth_instance *instance, const berth__node *amounts, size_t resource);

/* A job, checked, with max_workers resolved. arrival: OPTIONAL leaves arrival_slot at -1 where the job has none. */
bool berth__read_job(berth__reader *reader, const berth__node *node, const berth_instance *instance,
                     berth__presence arrival, berth_job *job);

#endif
