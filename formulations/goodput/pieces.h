/* Prices of pieces: what GPUs cost together on one node.
 *
 * A job takes pieces of nodes: one of k GPUs if it is on one node, else one of several for each node. At a price for
 * each size, local[k] and spread[k], a node of r GPUs can earn at most
 *
 *     worth(r) = max { sum of prices of pieces that r has room for, at most one of them spread },
 *
 * and an option costs at least
 *
 *     cost = local[k] on one node;  min { sum_i spread[k_i] : sum_i k_i = k, least <= number of pieces <= most } else,
 *
 * so that with w_jc what option c adds to the sum, no allocation that starves at most S jobs has a sum above
 *
 *     sum_nodes worth(GPUs that pinned jobs leave) + sum_pinned w + starve_price S
 *         + sum_others max_c (w_jc - cost_c, or - starve_price without GPUs).
 *
 * With local[k] = spread[k] = k times a price of the type it is the bound of choice.h. It is lower where sizes do not
 * fill nodes: of nodes of four, those with a piece of three have one left that may not be worth the price. */
#ifndef BERTH_FORMULATIONS_GOODPUT_PIECES_H
#define BERTH_FORMULATIONS_GOODPUT_PIECES_H

#include "formulations/goodput/allocate.h"

typedef struct berth__pieces {
    const berth__allocate_problem *problem;
    size_t n_sizes;         /* GPUs of the largest node; prices of k GPUs are at [type * n_sizes + k - 1] */
    double *local, *spread; /* [n_types * n_sizes] those beyond a type's largest node are never asked for */
    double starve_price;
    double base;       /* the bound but for starve_price S */
    double terms;      /* sum of the sizes of what that is the sum of */
    uint32_t *left;    /* [n_nodes] GPUs that pinned jobs leave */
    uint32_t *reach;   /* [n_types] GPUs of the largest option on several nodes; 0: there is none */
    uint16_t *most;    /* [n_types] nodes of such */
    double **least_of; /* [n_types][(MOST_NODES + 1) * (reach + 1)] cost of k GPUs in n pieces at [n * (reach + 1) + k];
                        * for n = 0 in any number from 2 to most */
    double *worth;     /* [n_types * (n_sizes + 1)] of r GPUs, without a spread piece; see berth__pieces_worth */
} berth__pieces;

/* All prices 0. NULL: out of memory. All memory is the arena's. */
berth__pieces *berth__pieces_new(const berth__allocate_problem *problem, berth__arena *arena);
/* To be called when prices of a type have changed, before what follows. */
void berth__pieces_update(berth__pieces *pieces, size_t type);
double berth__pieces_cost(const berth__pieces *pieces, size_t job, const berth__allocate_option *option);
/* Pieces of an option at the least cost, larger ones first; their number. */
size_t berth__pieces_of(const berth__pieces *pieces, size_t job, const berth__allocate_option *option,
                        uint32_t sizes[BERTH__MOST_NODES]);
double berth__pieces_worth(const berth__pieces *pieces, size_t type, uint32_t gpus);
/* What earns that: how many local pieces of each size, [n_sizes], and the size of the spread one, 0 for none. */
uint32_t berth__pieces_pattern(const berth__pieces *pieces, size_t type, uint32_t gpus, uint32_t *local);
/* Sets base. O(options). */
void berth__pieces_settle(berth__pieces *pieces);

#endif
