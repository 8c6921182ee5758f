/* The schedule programme: the cheapest way to gather enough progress over slots.
 * spec: Yu et al. 2022, Algorithm 2 (dynamic programme over slots and work).
 *
 *     Theta(t, v) = min over offers (k, c) of slot t, and (0, 0), of  c + Theta(t - 1, max(0, v - k))
 *
 * Progress is counted in quanta. One forward pass gives Theta(t, n) for every completion slot t at once.
 * Quadratic form: O(offers n) a slot. */
#ifndef BERTH_ONLINE_SCHEDULE_H
#define BERTH_ONLINE_SCHEDULE_H

#include "formulations/placement.h"

/* How a job's work is cut. The quantum is the progress of a quarter worker-slot at the slower speed, enlarged so that
 * a job has at most `levels` quanta, but never above an eighth of a slot at full width, of which it is then a whole
 * part: rounding down would otherwise reject jobs that can finish. */
typedef struct berth__quanta {
    double size; /* samples */
    int needed;  /* of them, to complete the job */
} berth__quanta;

/* For a job that is scheduled over n_slots. Where these rules would cut it too finely for the programme, the quantum is
 * the largest part (an eighth to the whole) of a full slot at the faster speed that does not. False if even that does
 * not do: the job is longer than what can be scheduled. */
bool berth__quanta_of(const berth__job *job, int levels, int n_slots, berth__quanta *out);
/* What a verifier would accept as the whole work, which is what a bound has to start from. */
void berth__quanta_relax(berth__quanta *quanta, const berth__job *job);
/* Quanta of a slot with `workers` at `locality`: rounded down for planning, up for a bound; at most `needed`. */
int berth__quanta_down(const berth__quanta *q, const berth__job *job, int workers, berth_locality locality);
int berth__quanta_up(const berth__quanta *q, const berth__job *job, int workers, berth_locality locality);
/* Least workers that give `quanta` (rounded down), at most INT_MAX. */
int berth__quanta_workers(const berth__quanta *q, const berth__job *job, int quanta, berth_locality locality);

/* A way to make `quanta` of progress in a slot. */
typedef struct berth__offer {
    int quanta;
    double cost;
    int index; /* the caller's */
} berth__offer;

/* Sorts by quanta, then cost, then index (nothing to do where callers merge sorted lists), and drops offers that
 * another one beats (no dearer, no less progress); what stays is sorted by quanta and strictly by cost. Returns the new
 * count. */
int berth__offers_prune(berth__offer *offers, int n);

typedef struct berth__schedule berth__schedule;

/* A workspace, used again from programme to programme. NULL: out of memory. */
berth__schedule *berth__schedule_new(void);
void berth__schedule_free(berth__schedule *schedule);
/* Begins a programme over at most max_slots slots; what was before is gone. trace: keep what berth__schedule_trace
 * needs (2 bytes a slot and quantum). E_MEMORY: to be started again before anything else. */
berth_status berth__schedule_start(berth__schedule *schedule, int needed, int max_slots, bool trace,
                                   berth_error *error);
/* The next slot's offers, pruned. Returns Theta(t, needed), INFINITY if not reachable yet, NAN if out of memory. */
double berth__schedule_add_slot(berth__schedule *schedule, const berth__offer *offers, int n);
/* The caller's index of the offer taken in each of slots 0..last, -1: none. */
void berth__schedule_trace(const berth__schedule *schedule, int last, int *index);

#endif
