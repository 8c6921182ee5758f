/* Packing-and-covering views as general problems, the plain way and in disguise. */
#ifndef BERTH_TESTS_GENERAL_CASE_H
#define BERTH_TESTS_GENERAL_CASE_H

#include <berth.h>

#include "base/pcg.h"
#include "rounding/packcover.h"

typedef struct general_case {
    berth_problem problem; /* arrays owned by the case */
    double offset;         /* problem's cost of a point = offset + sign * the view's cost of it */
    double sign;
    double *shift; /* [n_vars] problem x = shift + view x */
} general_case;

/* The same programme. With a stream: variables counted from other lower bounds, rows multiplied by -1, a minimisation
 * of costs written as a maximisation of their negatives and the other way round, cover and packing rows over the same
 * entries put into one range, a row without bounds, an offset. */
general_case *general_case_new(const berth__packcover *view, berth__pcg *stream);
void general_case_free(general_case *c);

#endif
