/* The problem of view.h with the deadline fixed as a linear or integer programme for any backend: the slow twin.
 *
 *     min sum_n y_n   s.t.  sum_n x_nc >= p_c (cover),   x_nc <= d_nc y_n,   sum_c x_nc <= u_n(T) y_n (packing),
 *                           0 <= x_nc <= d_nc,  0 <= y_n <= 1,  both integer if asked for
 *
 * columns: y_0 .. of the clients, then x in the order of the view's entries; rows: cover, then the entries', then the
 * clients'. At most B participants make it by T if and only if the least sum is at most B. */
#ifndef BERTH_FORMULATIONS_COHORT_MODEL_H
#define BERTH_FORMULATIONS_COHORT_MODEL_H

#include "formulations/cohort/view.h"
#include "solver/model.h"

/* Free with berth__model_free. E_UNSUPPORTED: more rows than backends number. */
berth_status berth__cohort_model(const berth__cohort_view *view, double deadline_s, bool integers, berth__model **out,
                                 berth_error *error);

#endif
