/* A slot being filled job by job: what machines and tenants hold so far, and where further workers can go.
 *
 * For policies that decide slot by slot. A worker comes with the parameter servers it needs, one for every gamma
 * workers of the job. Sums are kept as the ledger keeps them, within half its tolerance, so that what fits here fits
 * there. */
#ifndef BERTH_ONLINE_SLOT_ROOM_H
#define BERTH_ONLINE_SLOT_ROOM_H

#include "base/alloc.h"
#include "formulations/placement.h"

/* What a job holds in the slot. */
typedef struct berth__holding {
    int workers, servers, machines; /* totals; machines that hold one of them */
    int *w, *s;                     /* [n_machines] */
} berth__holding;

bool berth__holding_init(berth__holding *holding, const berth__cluster *cluster);
void berth__holding_free(berth__holding *holding);
void berth__holding_empty(berth__holding *holding, const berth__cluster *cluster);
void berth__holding_copy(berth__holding *to, const berth__holding *from, const berth__cluster *cluster);
bool berth__holding_equal(const berth__holding *a, const berth__holding *b, const berth__cluster *cluster);
static inline berth_locality berth__holding_locality(const berth__holding *holding) {
    return holding->machines > 1 ? BERTH_EXTERNAL : BERTH_INTERNAL;
}

typedef struct berth__slot_room {
    const berth__cluster *cluster; /* borrowed */
    double *used;                  /* [n_machines][n_resources] shares of the cluster's totals */
    double *tenant_used;           /* [n_quotas][n_resources] */
} berth__slot_room;

bool berth__room_init(berth__slot_room *room, const berth__cluster *cluster);
void berth__room_free(berth__slot_room *room);
void berth__room_empty(berth__slot_room *room);

/* Do w more workers and s more servers fit on a machine? Eligibility and quota included. */
bool berth__room_fits(const berth__slot_room *room, const berth__job *job, int machine, int w, int s);
/* Puts them there (takes them away where negative). */
void berth__room_put(berth__slot_room *room, const berth__job *job, berth__holding *holding, int machine, int w, int s);
/* Puts a whole holding, or takes it away. */
void berth__room_put_all(berth__slot_room *room, const berth__job *job, const berth__holding *holding, bool away);
/* Most workers of an idle job, with their servers, that fit on a machine; at most `limit`. */
int berth__room_count(const berth__slot_room *room, const berth__job *job, int machine, int limit);

/* One more worker, with the servers it needs: on a machine that the job holds already if both fit there, else
 * first fit; a job that holds nothing starts on the first machine where the most of `wanted` workers fit. False,
 * changing nothing, only if there is no room for them. O(H R); O(H^2 R) if gamma < 1. */
bool berth__room_add(berth__slot_room *room, const berth__job *job, berth__holding *holding, int wanted);

/* Workers that a job can use in a slot at `locality` when `remaining` samples are left and a worker makes
 * speed[locality]; at most max_workers. */
int berth__useful_workers(const berth__job *job, const double *speed, double remaining, berth_locality locality);

/* As many workers of an idle job as it can use: on the first machine that holds all of them, else on the one that holds
 * the most and by first fit on others, unless that one makes as much progress alone. */
void berth__room_fill(berth__slot_room *room, const berth__job *job, const double *speed, double remaining,
                      berth__holding *holding);
/* Exactly n workers of an idle job, on the first machine that holds all, else by first fit; what is found, up to n,
 * stays placed. */
void berth__room_fill_count(berth__slot_room *room, const berth__job *job, int n, berth__holding *holding);

#endif
