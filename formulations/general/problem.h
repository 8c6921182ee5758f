/* General problems as callers give them: checked, and turned into solver models. */
#ifndef BERTH_FORMULATIONS_GENERAL_PROBLEM_H
#define BERTH_FORMULATIONS_GENERAL_PROBLEM_H

#include "solver/model.h"

/* What a caller filled by hand may get wrong and no later step finds: sizes, missing arrays, starts out of order,
 * groups out of range. Values, indices and duplicates are berth__problem_model's to refuse. O(n_vars + n_rows). */
berth_status berth__problem_check(const berth_problem *problem, berth_error *error);

/* A finished model: column j is variable j, row i is row i. An integer variable's bounds are rounded inward, and its
 * upper bound lowered to the whole units that fit into each row that limits it alone (such a bound is valid for every
 * integer point, and the relaxation is the tighter for it). fixed: [n_vars], integer variables are fixed at these
 * values; NULL: none are. O(entries). */
berth_status berth__problem_model(const berth_problem *problem, const double *fixed, berth__model **out,
                                  berth_error *error);

#endif
