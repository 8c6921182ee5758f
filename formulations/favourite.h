/* One machine under multipliers: its points, and the one it likes best.
 *
 *     X_h = { integer (w, s) that fit machine h, 0 <= w <= W, 0 <= s <= S }, without (W, S) if the job must spread
 *     phi_h(lam, mu) = max over X_h of (lam - pw_h) w + (mu - ps_h) s
 *
 * The job spreads over two machines or more exactly if no machine holds (W, S). */
#ifndef BERTH_FORMULATIONS_FAVOURITE_H
#define BERTH_FORMULATIONS_FAVOURITE_H

#include "formulations/slot.h"

/* All borrowed. */
typedef struct berth__priced {
    const berth__slot_problem *p;
    int W, S;
    bool must_spread;
    double lam, mu;
    double *value; /* [W + 1] scratch */
    int *top;      /* [W + 1] scratch */
} berth__priced;

typedef struct berth__gains {
    double w, s;        /* lam - pw, mu - ps; -INFINITY for servers if there are to be none */
    int most_w, most_s; /* that fit alone */
} berth__gains;

typedef struct berth__favourite {
    int w, s;
    double phi;  /* never less than it is; a trifle more where gains are negligible */
    double tied; /* what the favourite is short of phi: of points that tie, but for rounding errors, it is the smallest,
                    lest thousands of equal machines rush in for nothing */
    double key;  /* lower bound on phi less the gain of any other point; INFINITY: there is none */
} berth__favourite;

const double *berth__free_of(const berth__priced *m, int machine);
bool berth__holds_any(const berth__priced *m, int machine); /* a worker or a server fits */
berth__gains berth__gains_of(const berth__priced *m, int machine);
/* Most servers, up to `limit`, in a point with w <= most_w workers. To be called with rising w and what it returned for
 * the one before, most_s at first. */
int berth__servers_beside(const berth__priced *m, int machine, int w, int limit);
/* Whether anything fits is looked at only where a unit gains: where none does, `key` may be finite all the same. O(R)
 * for these, else O((most_w + log most_s) R). */
berth__favourite berth__favourite_of(const berth__priced *m, int machine);

#endif
