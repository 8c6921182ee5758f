/* The machines as their owner sees them: names, capacities in the user's units, states; and what else of a cluster a
 * scheduler needs to make it anew. */
#ifndef BERTH_ONLINE_SCHEDULER_FLEET_H
#define BERTH_ONLINE_SCHEDULER_FLEET_H

#include "base/bytes.h"
#include "formulations/placement.h"

typedef struct berth__fleet {
    double slot_seconds;
    int horizon;
    size_t n_resources, n_machines, n_quotas;
    char **resources;
    double *total; /* [n_resources] of the first cluster: what shares are of; where it was 0, of the first machine that
                      has any */
    char **tenants;
    double *quota; /* [n_quotas][n_resources] in the user's units */
    char **machines;
    double *capacity;           /* [n_machines][n_resources] when it is up, in the user's units */
    berth_machine_state *state; /* UP, DRAINING or DOWN; those that are drained stay DRAINING */
} berth__fleet;

/* Of a cluster that has been checked. False: out of memory; to be cleared all the same. */
bool berth__fleet_init(berth__fleet *fleet, const berth_cluster *cluster);
/* Of another fleet, with one machine more if `name` is not NULL: up, with `capacity`. Likewise. */
bool berth__fleet_copy(berth__fleet *fleet, const berth__fleet *from, const char *name, const double *capacity);
void berth__fleet_clear(berth__fleet *fleet);

/* The cluster of the machines' states: those that are down have nothing, those that drain are closed. */
berth_status berth__fleet_cluster(const berth__fleet *fleet, berth__cluster **out, berth_error *error);
/* -1: there is none. O(n_machines). */
int berth__fleet_find(const berth__fleet *fleet, const char *name);

/* As bytes. A fleet that is read is to be cleared also if it is refused; the cluster of its machines' states has still
 * to be made, which checks names and amounts. */
void berth__fleet_put(berth__writer *to, const berth__fleet *fleet);
bool berth__fleet_take(berth__byte_reader *from, berth__fleet *fleet);

#endif
