/* Whether "auto" should take the first-order solver for a model's relaxation. */
#ifndef BERTH_SOLVER_FIRST_ORDER_CHOICE_H
#define BERTH_SOLVER_FIRST_ORDER_CHOICE_H

#include "solver/model.h"

/* True if the model is one that the first-order solver takes and simplex would need many seconds for, by its size and
 * structure; the rule and the measurements behind it are in choice.c. O(n_entries). */
bool berth__first_order_suits(const berth__model *model);

#endif
