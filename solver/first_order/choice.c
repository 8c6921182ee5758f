/* Processor seconds of cold Clp 1.17.6 (dual simplex) and of the first-order solver to 0.1 % with one thread, on random
 * instances (bench/cases/first_order_instance.h; the span is over the six families, cover is typical):
 *
 *     rows x columns x entries       Clp            first-order
 *     500 x 5,000 x 30,000           0.06 - 0.55    0.01 - 0.03
 *     1,000 x 10,000 x 60,000        0.6 - 4.1      0.03 - 0.05
 *     200 x 20,000 x 100,000         0.07 - 0.49    0.04 - 0.13
 *     2,000 x 20,000 x 60,000        0.06 - 4.4     0.03 - 0.13
 *     2,000 x 20,000 x 200,000       11 - 29        0.1 - 0.2
 *     10,000 x 100,000 x 10^6        none in 190    0.4 - 1
 *     intervals, 4,000 x 20,000 x 200,000    0.05   0.13      (columns of some 10 consecutive ones)
 *     network, 4,000 x 40,000 x 80,000       1.2    0.07      (columns of two ones)
 *
 * Simplex grows with the cube of the rows and little with the columns. What it gives is exact, and a basis to start
 * from again: where the relaxation is the answer, simplex is left only where it takes minutes; where it is rounded, or
 * only bounds, where it takes seconds. Intervals and networks are easy for it: columns of one run of
 * equal entries, or of two entries at most, do not count. */
#include "solver/first_order/choice.h"

#include "solver/first_order/form.h"

enum { LEAST_ROWS = 4000, LEAST_ENTRIES = 300000, LEAST_ROWS_ROUNDED = 1500, LEAST_ENTRIES_ROUNDED = 100000 };

/* Half the columns at least are neither network nor interval columns. */
static const double least_share = 0.5;

/* At most two entries, or equal ones in consecutive rows. */
static bool is_simple(const berth__model *model, int col) {
    size_t begin = model->col_start[col], end = model->col_start[col + 1];
    for (size_t e = begin + 1; e < end && end - begin > 2; e++) {
        if (model->row_of[e] != model->row_of[e - 1] + 1 || model->value[e] != model->value[begin]) {
            return false;
        }
    }
    return true;
}

bool berth__first_order_suits(const berth__model *model) {
    bool rounded = model->n_integer > 0;
    int least_rows = rounded ? LEAST_ROWS_ROUNDED : LEAST_ROWS;
    size_t least_entries = rounded ? LEAST_ENTRIES_ROUNDED : LEAST_ENTRIES;
    if (model->n_rows < least_rows || model->n_entries < least_entries || berth__fo_refusal(model) != NULL) {
        return false;
    }
    double others = 0;
    for (int j = 0; j < model->n_cols; j++) {
        others += !is_simple(model, j);
    }
    return others >= least_share * (double)model->n_cols;
}
