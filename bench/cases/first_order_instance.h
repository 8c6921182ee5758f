/* Random packing and covering LPs of the families that the first-order solver is measured and tested on. */
#ifndef BERTH_BENCH_CASES_FIRST_ORDER_INSTANCE_H
#define BERTH_BENCH_CASES_FIRST_ORDER_INSTANCE_H

#include <stdint.h>

#include "solver/model.h"

typedef enum first_order_family {
    FIRST_ORDER_COVER = 0, /* coefficients in [0.1, 1], right sides in [0.5, 1.5], costs by the column's length */
    FIRST_ORDER_PACKING,   /* the same as a maximisation */
    FIRST_ORDER_MIXED,     /* half cover, half packing rows, around a random point: 5 % of room */
    FIRST_ORDER_SET_COVER, /* 0-1, the columns' lengths by a power law, costs by length^0.85 */
    FIRST_ORDER_BUDGET,    /* cover, and a packing row over all columns that binds */
    FIRST_ORDER_K_COVER,   /* cover rows with right sides 1 to 3, 0-1 coefficients, columns <= 1 */
    FIRST_ORDER_FAMILIES
} first_order_family;

extern const char *const first_order_family_name[FIRST_ORDER_FAMILIES];

/* About n_entries entries, no two alike in place. NULL: out of memory. `infeasible`: contradictory (a cover row asks
 * for more than packing rows or column bounds allow). Free with berth__model_free. */
berth__model *first_order_instance(first_order_family family, int n_cols, int n_rows, size_t n_entries, uint64_t seed,
                                   bool infeasible);

#endif
