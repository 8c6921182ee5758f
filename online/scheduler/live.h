/* The jobs that a scheduler is promised to: by number, and by id. */
#ifndef BERTH_ONLINE_SCHEDULER_LIVE_H
#define BERTH_ONLINE_SCHEDULER_LIVE_H

#include "formulations/placement.h"

typedef struct berth__live {
    uint64_t number, gang;
    berth__job *job; /* owned; arrival counts from the ledger's first slot */
    bool proposed;
    int promised; /* slot, counted as the public does */
    /* Its plan, slots counted from the ledger's first one; with policy bidlp it is the tenure's instead. One block,
     * owned. */
    size_t n_slots;
    berth_slot_plan *slots;
    uint64_t fingerprint; /* of the plan that was told last */
} berth__live;

typedef struct berth__live_table {
    size_t n, room;
    berth__live **jobs; /* [n] by increasing number */
    size_t n_buckets;   /* a power of two, at least twice n; 0 at first */
    berth__live **by_id;
} berth__live_table;

/* Of slots (moved by `base`), machines and counts. */
uint64_t berth__plan_fingerprint(size_t n_slots, const berth_slot_plan *slots, int base);

/* Without a plan. NULL: out of memory; the job is then still the caller's. */
berth__live *berth__live_new(uint64_t number, berth__job *job);
void berth__live_free(berth__live *live);

/* Room for so many more; false: out of memory. */
bool berth__live_reserve(berth__live_table *table, size_t more);
/* There is room; its number is the largest so far. */
void berth__live_add(berth__live_table *table, berth__live *live);
/* NULL: there is none. O(log n); O(1) by id. */
berth__live *berth__live_find(const berth__live_table *table, uint64_t number);
berth__live *berth__live_find_id(const berth__live_table *table, const char *id);
/* Takes it out; it is the caller's then. O(n). */
void berth__live_take(berth__live_table *table, berth__live *live);
void berth__live_clear(berth__live_table *table);

#endif
