#include "bench/cases/first_order_instance.h"

#include <math.h>

#include "base/alloc.h"
#include "base/pcg.h"

const char *const first_order_family_name[FIRST_ORDER_FAMILIES] = {"cover",     "packing", "mixed",
                                                                   "set-cover", "budget",  "k-cover"};

#define INF (double)INFINITY

typedef struct drawing {
    first_order_family family;
    int n_cols, n_rows;
    int n_drawn; /* rows that columns draw from; a budget row is beyond them */
    double mean; /* entries of a column there */
    berth__pcg stream;
    int *marked;      /* [n_rows] column that has an entry there, + 1 */
    int *length;      /* [n_rows] entries */
    double *at_point; /* [n_rows] activity of a random point */
    berth__model *model;
} drawing;

static double uniform(drawing *d, double low, double high) {
    return low + (high - low) * berth__pcg_uniform(&d->stream);
}

static int draw_length(drawing *d) {
    double length;
    if (d->family == FIRST_ORDER_SET_COVER) {
        length = pow(1 - uniform(d, 0, 1), -1 / 1.25) * d->mean * 0.2;
        length = floor(fmin(length, d->n_drawn / 10.0) + uniform(d, 0, 1));
    } else {
        length = floor(d->mean * uniform(d, 0.5, 1.5) + uniform(d, 0, 1));
    }
    return (int)fmin(fmax(length, 1), d->n_drawn);
}

static double draw_cost(drawing *d, int length) {
    switch (d->family) {
    case FIRST_ORDER_SET_COVER:
        return pow(length, 0.85) * uniform(d, 0.5, 1.5);
    case FIRST_ORDER_BUDGET:
        return uniform(d, 0.2, 1.2);
    case FIRST_ORDER_COVER:
    case FIRST_ORDER_PACKING:
    case FIRST_ORDER_MIXED:
    case FIRST_ORDER_K_COVER:
    case FIRST_ORDER_FAMILIES:
        break;
    }
    return uniform(d, 0.2, 1.2) * length;
}

static bool is_zero_one(first_order_family family) {
    return family == FIRST_ORDER_SET_COVER || family == FIRST_ORDER_K_COVER;
}

static bool add_entry(drawing *d, int row, int col, double value, double at_point) {
    d->length[row]++;
    d->at_point[row] += value * at_point;
    return berth__model_add_entry(d->model, row, col, value, NULL) == BERTH_OK;
}

static bool add_column(drawing *d, int col) {
    int length = draw_length(d);
    double upper = d->family == FIRST_ORDER_K_COVER ? 1 : INF;
    double at_point = uniform(d, 0, 1) < 0.3 ? uniform(d, 0, 1) : 0;
    bool good = berth__model_add_col(d->model, NULL, draw_cost(d, length), 0, upper, false, NULL, NULL) == BERTH_OK;
    for (int k = 0; good && k < length; k++) {
        int row;
        do {
            row = (int)berth__pcg_integer(&d->stream, 0, d->n_drawn - 1);
        } while (d->marked[row] == col + 1);
        d->marked[row] = col + 1;
        good = add_entry(d, row, col, is_zero_one(d->family) ? 1 : uniform(d, 0.1, 1), at_point);
    }
    if (good && d->family == FIRST_ORDER_BUDGET) {
        good = add_entry(d, d->n_rows - 1, col, uniform(d, 0.1, 1), at_point);
    }
    return good;
}

static void bounds_of(drawing *d, int row, double *lower, double *upper) {
    double right = uniform(d, 0.5, 1.5);
    *lower = -INF;
    *upper = INF;
    switch (d->family) {
    case FIRST_ORDER_COVER:
        *lower = right;
        break;
    case FIRST_ORDER_PACKING:
        *upper = right;
        return;
    case FIRST_ORDER_MIXED:
        if (row < d->n_rows / 2) {
            *lower = 0.95 * d->at_point[row];
        } else {
            *upper = 1.05 * d->at_point[row] + 1e-3;
        }
        break;
    case FIRST_ORDER_SET_COVER:
        *lower = 1;
        break;
    case FIRST_ORDER_BUDGET:
        if (row < d->n_rows - 1) {
            *lower = 0.95 * d->at_point[row];
        } else {
            *upper = 0.45 * d->at_point[row];
        }
        break;
    case FIRST_ORDER_K_COVER:
    case FIRST_ORDER_FAMILIES:
        *lower = fmin(floor(2 * right), d->length[row]);
        break;
    }
    if (d->length[row] == 0 && *lower > 0) {
        *lower = 0;
    }
}

/* A cover row over the first columns that asks for more than one more packing row over the same lets them have. */
static bool contradict(drawing *d) {
    int n = d->n_cols < 5 ? d->n_cols : 5;
    bool good = berth__model_add_row(d->model, NULL, 2, INF, NULL, NULL) == BERTH_OK &&
                berth__model_add_row(d->model, NULL, -INF, 1, NULL, NULL) == BERTH_OK;
    for (int j = 0; good && j < n; j++) {
        double value = uniform(d, 0.5, 1.5);
        good = berth__model_add_entry(d->model, d->n_rows, j, value * uniform(d, 1, 1.5), NULL) == BERTH_OK &&
               berth__model_add_entry(d->model, d->n_rows + 1, j, value, NULL) == BERTH_OK;
    }
    return good;
}

static bool draw(drawing *d, bool infeasible) {
    bool good =
        d->marked != NULL && d->length != NULL && d->at_point != NULL && berth__model_new(&d->model, NULL) == BERTH_OK;
    if (!good) {
        return false;
    }
    d->model->maximize = d->family == FIRST_ORDER_PACKING;
    for (int j = 0; good && j < d->n_cols; j++) {
        good = add_column(d, j);
    }
    for (int i = 0; good && i < d->n_rows; i++) {
        double lower, upper;
        bounds_of(d, i, &lower, &upper);
        good = berth__model_add_row(d->model, NULL, lower, upper, NULL, NULL) == BERTH_OK;
    }
    good = good && (!infeasible || contradict(d));
    return good && berth__model_finish(d->model, NULL) == BERTH_OK;
}

berth__model *first_order_instance(first_order_family family, int n_cols, int n_rows, size_t n_entries, uint64_t seed,
                                   bool infeasible) {
    bool budget = family == FIRST_ORDER_BUDGET;
    drawing d = {.family = family,
                 .n_cols = n_cols,
                 .n_rows = n_rows,
                 .n_drawn = budget ? n_rows - 1 : n_rows,
                 .mean = (double)n_entries / n_cols - budget,
                 .stream = berth__pcg_key(2, (const uint64_t[]){seed, family}),
                 .marked = BERTH__NEW_ARRAY(int, (size_t)n_rows),
                 .length = BERTH__NEW_ARRAY(int, (size_t)n_rows),
                 .at_point = BERTH__NEW_ARRAY(double, (size_t)n_rows)};
    bool good = draw(&d, infeasible);
    berth__free(d.marked);
    berth__free(d.length);
    berth__free(d.at_point);
    if (!good) {
        berth__model_free(d.model);
        return NULL;
    }
    return d.model;
}
