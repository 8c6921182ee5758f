/* The exact end of an integer placement: which machines leave their favourite point, and for which other one, so that
 * the sums hit their target at least cost. A multiple-choice knapsack in the plane:
 *
 *     min  sum_k sum_j cost_kj x_kj
 *     s.t. sum_kj dw_kj x_kj = target_w,   sum_kj ds_kj x_kj = target_s
 *          sum_j x_kj <= copies_k,   x integer >= 0
 *
 * Every option also has a regret >= 0 (its reduced cost: cost - lam dw - mu ds). Of two solutions the one of less cost
 * has less regret, by as much; so a partial one whose regret is that of a known solution leads nowhere, and that keeps
 * the dynamic programme over (sum dw, sum ds) small where the multipliers are good. */
#ifndef BERTH_FORMULATIONS_DEVIATION_H
#define BERTH_FORMULATIONS_DEVIATION_H

#include <berth.h>

typedef struct berth__deviation_option {
    int dw, ds;
    int group;
    double cost, regret; /* any sign; regret >= 0 but for rounding error */
} berth__deviation_option;

typedef struct berth__deviation_group {
    int copies;
    int begin, end; /* its options */
} berth__deviation_group;

typedef struct berth__deviation_problem {
    int n_groups, n_options;
    const berth__deviation_group *groups;
    const berth__deviation_option *options;
    int64_t target_w, target_s;
    double limit; /* only solutions of less regret are sought; may be INFINITY */
    double slack; /* a solution is good enough if none has less regret by more than this */
    double noise; /* error of a regret */
    /* A solution of regret up to `good` will do once *work has fallen to `patience`. */
    double good;
    int64_t patience;
} berth__deviation_problem;

typedef struct berth__deviation_result {
    bool found;
    bool complete; /* nothing was given up: the solution is the best, and if there is none, none has regret < limit */
    bool cut;      /* some partial solution was dropped for its regret */
    double cost, regret;
    int n_moves;
    const int *moves; /* options taken, one for each copy that leaves; borrowed until the next call */
} berth__deviation_result;

typedef struct berth__deviation berth__deviation; /* workspace, reused; one thread at a time */
berth__deviation *berth__deviation_new(void);     /* NULL: out of memory */
void berth__deviation_free(berth__deviation *d);

/* *work: steps that may still be made; falls by those made. If it runs out, or the sums range too widely, the best
 * solution so far is returned as incomplete. At most O(states * options) plus one term for each further copy that pays.
 * Deterministic: of equal solutions the first in the order of groups and options. E_MEMORY. */
berth_status berth__deviation_solve(berth__deviation *d, const berth__deviation_problem *p, int64_t *work,
                                    berth__deviation_result *out);

#endif
