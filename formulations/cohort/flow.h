/* Is there an assignment of samples for all clients of a view within a deadline? An integral maximum flow:
 *
 *     source -> category c (p_c) -> client n (d_nc) -> sink (u_n(T))
 *
 * by Dinic's blocking flows, begun from a greedy one. Where the flow falls short, the categories that the needs left
 * over can still reach are a minimum cut: prices of 1 on these, 0 elsewhere, refute any number of clients (worth.h). */
#ifndef BERTH_FORMULATIONS_COHORT_FLOW_H
#define BERTH_FORMULATIONS_COHORT_FLOW_H

#include "base/budget.h"
#include "formulations/cohort/view.h"

typedef struct berth__cohort_flow {
    const berth__cohort_view *view; /* borrowed; its entries must not be sorted while the flow is open */
    uint32_t *given;                /* [entries] x_nc */
    uint32_t *left;                 /* [n_clients] room that is left */
    double *lacking;                /* [n_categories] needs left over */
    bool *in_cut;                   /* [n_categories] the cut of the last flow that fell short */
    /* private */
    uint32_t *held;       /* [n_clients] of the categories of the cut */
    size_t *holder_start; /* [n_categories + 1] into holder: entries by category */
    size_t *holder;
    uint32_t *client_of; /* [entries] */
    int *category_level, *client_level;
    size_t *category_arc, *client_arc;
    uint32_t *queue; /* [n_categories + n_clients] */
    size_t *order;   /* [n_categories] */
} berth__cohort_flow;

/* False: out of memory. Close in any case. */
bool berth__cohort_flow_open(const berth__cohort_view *view, berth__cohort_flow *flow);
void berth__cohort_flow_close(berth__cohort_flow *flow);
/* A maximum flow within the deadline, and what it lacks in sum: 0 if all needs are met. */
double berth__cohort_flow_solve(berth__cohort_flow *flow, double deadline_s);

/* The least deadline at which all clients of the view meet the needs: a flow, the root of its cut, and again (Newton's
 * method, finite). `from_s` is a lower bound, or 0. INFINITY: at none, then in_cut says which categories are short.
 * The flow is that of the deadline. *refuted_s: below it and refuted by the last cut, < 0 if there was none. NAN: the
 * budget was spent first. */
double berth__cohort_flow_fastest(berth__cohort_flow *flow, double from_s, const berth__budget *budget,
                                  double *refuted_s);

#endif
