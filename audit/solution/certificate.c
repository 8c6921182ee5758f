/* What multipliers prove, in exact arithmetic. For every y and every x with row_lower <= A x <= row_upper in the box,
 *
 *     c x  >=  sum_i (y_i > 0 ? y_i row_lower_i : y_i row_upper_i)  +  sum_j min over the box of (c - A' y)_j x_j,
 *
 * a bound on the optimum (Lagrange) and, with c = 0, a proof that there is no x if the right side is > 0 (Farkas).
 * The right side is computed without any rounding: reduced costs are exact, and so is their product with a bound. */
#include <math.h>
#include <string.h>

#include "audit/solution/review.h"
#include "base/tolerance.h"

enum { POLL_EVERY = 4096 };

static void name_missing(char *missing, const char *name) {
    if (missing != NULL && missing[0] == '\0') {
        memcpy(missing, name, strlen(name) + 1);
    }
}

/* total += sum_i y_i b_i. */
static bool add_rows(const berth__review *r, const berth__proof_data *data, berth__exact *total, double *scale,
                     char *missing) {
    const berth_problem *p = r->problem;
    char room[BERTH__PLACE_ROOM];
    bool complete = true;
    for (size_t i = 0; i < p->n_rows; i++) {
        double y = data->sign * data->multipliers[i];
        if (y == 0) {
            continue;
        }
        double bound = y > 0 ? p->row_lower[i] : p->row_upper[i];
        if (isinf(bound)) {
            name_missing(missing, berth__place_row(p, i, room));
            complete = false;
            continue;
        }
        berth__exact_add_product(total, y, bound);
        *scale = fmax(*scale, berth__term_size(y, bound));
    }
    return complete;
}

/* (c - A' y)_j exactly; *scale: its largest term. */
static void reduced_cost(const berth__review *r, const berth__proof_data *data, size_t j, berth__exact *sum,
                         double *scale) {
    double cost = data->cost == NULL ? 0 : data->sign * data->cost[j];
    berth__exact_clear(sum);
    berth__exact_add(sum, cost);
    *scale = fabs(cost);
    for (size_t k = r->col_start[j]; k < r->col_start[j + 1]; k++) {
        double y = data->sign * data->multipliers[r->row_of[k]];
        if (y != 0) {
            berth__exact_add_product(sum, -r->col_value[k], y);
            *scale = fmax(*scale, berth__term_size(r->col_value[k], y));
        }
    }
}

bool berth__prove(const berth__review *r, const berth__proof_data *data, const double *lower, const double *upper,
                  berth__exact *total, double *scale, char missing[BERTH__PLACE_ROOM]) {
    char room[BERTH__PLACE_ROOM];
    berth__exact reduced = {.low = 0};
    berth__exact_clear(total);
    *scale = 0;
    if (missing != NULL) {
        missing[0] = '\0';
    }
    bool complete = add_rows(r, data, total, scale, missing);
    for (size_t j = 0; j < r->problem->n_vars; j++) {
        if (j % POLL_EVERY == 0 && berth__budget_spent(r->budget)) {
            return false;
        }
        double terms;
        reduced_cost(r, data, j, &reduced, &terms);
        int sign = berth__exact_sign(&reduced);
        double bound = sign > 0 ? lower[j] : sign < 0 ? upper[j] : 0;
        if (isinf(bound)) {
            bool noise = fabs(berth__exact_value(&reduced)) <= BERTH__FEASIBILITY * terms;
            if (!data->tolerant || !noise) {
                name_missing(missing, berth__place_var(r->problem, j, room));
                complete = false;
            }
        } else if (bound != 0) {
            berth__exact_add_scaled(total, &reduced, bound);
            *scale = fmax(*scale, berth__term_size(berth__exact_value(&reduced), bound));
        }
    }
    return complete;
}
