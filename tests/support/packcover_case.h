/* Small packing-and-covering instances for tests, built row by row. Allocation failures end the test. */
#ifndef BERTH_TESTS_PACKCOVER_CASE_H
#define BERTH_TESTS_PACKCOVER_CASE_H

#include "rounding/packcover.h"

typedef struct packcover_case {
    berth__packcover view; /* valid after every call; arrays owned here */
    double *cost, *upper, *rhs, *value;
    bool *is_integer;
    size_t *row_start;
    int *col;
    size_t row_capacity, start_capacity, col_capacity, value_capacity;
} packcover_case;

/* n_vars integer variables with cost 1 and no upper bound. */
packcover_case *packcover_case_new(int n_vars);
void packcover_case_free(packcover_case *c);

/* An empty row; all cover rows come before all packing rows. */
void packcover_case_cover(packcover_case *c, double rhs);
void packcover_case_pack(packcover_case *c, double rhs);
/* An entry of the last row. */
void packcover_case_entry(packcover_case *c, int col, double value);

#endif
