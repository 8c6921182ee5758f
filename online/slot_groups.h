/* The machines of a slot as a job sees them: touched ones by themselves, a class's idle ones as one group.
 *
 * Only the cheap ones need to be looked at closely: with limits, groups whose worker and server both cost at least as
 * much are left out. At multipliers (lam, mu) within the limits such a group would choose to hold nothing, so a
 * relaxation over the others is exact; the caller checks its multipliers and, if they exceed the limits, fills again
 * with wider ones. */
#ifndef BERTH_ONLINE_SLOT_GROUPS_H
#define BERTH_ONLINE_SLOT_GROUPS_H

#include "base/alloc.h"
#include "online/ledger.h"

typedef struct berth__price_limits {
    double worker, ps; /* INFINITY: all */
} berth__price_limits;

typedef struct berth__slot_groups {
    int n_groups, room;
    int n_touched;        /* the first so many groups are touched machines, the others idle ones of a class */
    bool left_out;        /* some group was dearer than the limits */
    int *machine;         /* [room] a member: its capacity stands for all; of an idle group, the lowest of the class */
    double *count;        /* members, > 0 */
    double *price_worker; /* price of one of the job's workers */
    double *price_ps;
    double *capacity; /* [n_resources][room] of one member: the full one, or what is free */
} berth__slot_groups;

/* Room for so many groups. False: out of memory. */
bool berth__slot_groups_room(berth__arena *arena, int most_groups, int n_resources, berth__slot_groups *out);
/* Most groups of any slot from `first` on. */
int berth__slot_groups_most(const berth__ledger *ledger, int first);

typedef enum berth__capacity_kind { BERTH__FULL_CAPACITY, BERTH__FREE_CAPACITY } berth__capacity_kind;

/* The groups of a slot that the job may use, within the limits. O((touched machines + classes) n_resources). */
void berth__slot_groups_fill(const berth__ledger *ledger, const berth__job *job, int slot, berth__capacity_kind kind,
                             berth__price_limits limits, berth__slot_groups *out);

/* The same for prices by class, [n_classes][n_resources]: class k has count[k] machines like machine[k]. */
void berth__slot_groups_of_classes(const berth__cluster *cluster, const berth__job *job, int n_classes,
                                   const int *machine, const double *count, const double *prices,
                                   berth__slot_groups *out);

#endif
