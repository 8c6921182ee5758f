/* What one thread needs to plan, kept from job to job so that planning does not allocate it anew. */
#ifndef BERTH_ONLINE_WORKSPACE_H
#define BERTH_ONLINE_WORKSPACE_H

#include "formulations/completion.h"
#include "formulations/theta.h"
#include "online/schedule.h"
#include "online/slot_groups.h"

typedef struct berth__workspace {
    berth__theta *theta;
    berth__completion *completion;
    berth__slot_groups groups; /* of the slot in hand */
    int *group_room;           /* [groups.room] workers that one machine of a group holds with their servers */
    berth__arena *arena;       /* of groups and group_room */
    berth__schedule *schedule;
    berth__arena *offers;  /* offers of the job in hand */
    berth__arena *scratch; /* whoever takes from it goes back to where it was */
    berth__arena *plans;   /* a pool of plans' arenas */
} berth__workspace;

/* Room for so many groups. False: out of memory. */
bool berth__workspace_reserve(berth__workspace *workspace, int most_groups, int n_resources);

/* n of them, one a thread; NULL: out of memory. */
berth__workspace *berth__workspaces_new(int n);
void berth__workspaces_free(berth__workspace *workspaces, int n);

#endif
