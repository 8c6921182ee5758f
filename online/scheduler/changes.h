/* What became of jobs in events that did not name them, until it is asked for. */
#ifndef BERTH_ONLINE_SCHEDULER_CHANGES_H
#define BERTH_ONLINE_SCHEDULER_CHANGES_H

#include "online/scheduler/live.h"

typedef struct berth__change {
    uint64_t number;
    berth_change_kind kind;
    int slot, promised, completion; /* public numbers; completion of MOVED and DELAYED: as it is when asked for */
    berth__job *job;                /* of a job that has ended: owned; else NULL, and the job is live, or was ended by
                                       its owner and need not be told of */
    char reason[160];
} berth__change;

typedef struct berth__change_log {
    size_t n, room;
    berth__change *changes;
} berth__change_log;

/* Room for so many more; false: out of memory. */
bool berth__changes_reserve(berth__change_log *log, size_t more);
/* There is room. reason NULL: "". */
berth__change *berth__changes_add(berth__change_log *log, uint64_t number, berth_change_kind kind, int slot,
                                  const char *reason);
/* MOVED, unless that is in the log already. */
void berth__changes_add_move(berth__change_log *log, uint64_t number, int slot);
/* Those of one event, from `first` on, by number; of a job in the order they were added. */
void berth__changes_order(berth__change_log *log, size_t first);
void berth__changes_free(berth__change_log *log);

#endif
