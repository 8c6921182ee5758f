/* What a job would buy at prices by (slot, class), fast and roughly: the pricing step of class_prices.h.
 *
 * A slot's offers are two corners at most, the widest internal placement and the widest external one, with whole
 * parameter servers; costs between are linear. Of the lower hull over all slots the cheapest progress is taken, so that
 * the cost of completing by a slot is exact for these corners. A few hundred nanoseconds a slot; the twin with all
 * corners, and bounds that are proved, is bound.h. */
#ifndef BERTH_ONLINE_CLASS_DEMAND_H
#define BERTH_ONLINE_CLASS_DEMAND_H

#include "online/bound.h"

/* What does not depend on prices. Owned by the caller's arena. */
typedef struct berth__job_profile {
    const berth__job *job;    /* borrowed */
    int n;                    /* classes it may use */
    int *class;               /* [n] */
    int *room, *servers;      /* [n] most workers on one machine of the class with their servers, and these; 0: none */
    bool *holds_worker;       /* [n] a worker fits on a machine of the class */
    bool *holds_server;       /* [n] likewise */
    int width, width_servers; /* most workers in a slot, over machines, and their servers */
    double work;              /* samples to buy: the job's; more if it is to be priced as more */
    double *utility;          /* [horizon] by delay */
    void *memory;             /* of all these */
} berth__job_profile;

/* Bytes that a profile over the view's classes takes; the same for all jobs, and room for a pointer at least. */
size_t berth__job_profile_size(const berth__class_view *view);
/* memory: so many bytes, aligned for anything; borrowed. O(classes log F + horizon). */
void berth__job_profile_init(berth__job_profile *profile, void *memory, const berth__class_view *view,
                             const berth__job *job);

/* Workers and servers of a slot, each in one class. */
typedef struct berth__demand_corner {
    double progress, cost;
    int workers, servers, class_worker, class_server;
} berth__demand_corner;

/* A part of what lies between a corner and the one before it. */
typedef struct berth__demand_piece {
    double rate;            /* cost of a sample */
    double progress, whole; /* samples bought, of those that there are */
    int slot, corner;       /* corner 0 or 1 of the slot */
} berth__demand_piece;

/* Scratch of one thread, and the last answer. */
typedef struct berth__demand_scratch {
    berth__demand_corner *corner; /* [horizon][2] */
    int *n_corners;               /* [horizon] */
    berth__demand_piece *bought;  /* [2 horizon + 2] a heap: the dearest first */
    int first_slot, last_slot;    /* of the best completion; last_slot -1: there is none */
    double work;                  /* classes priced in slots so far: a measure of time that does not depend on it */
} berth__demand_scratch;

bool berth__demand_scratch_init(berth__demand_scratch *scratch, berth__arena *arena, int horizon);

/* The largest utility - cost of completing the job if it arrives in slot `arrival`, at the view's prices; -INFINITY if
 * it cannot complete. O(horizon (classes n_resources + log horizon)), less where a later completion cannot win. */
double berth__class_demand(const berth__class_view *view, const berth__job_profile *profile, int arrival,
                           berth__demand_scratch *scratch, double *utility);
/* Adds `weight` times what that answer buys to held[horizon][n_classes][n_resources], shares. */
void berth__class_demand_add(const berth__class_view *view, const berth__job_profile *profile,
                             berth__demand_scratch *scratch, double weight, double *held);

#endif
