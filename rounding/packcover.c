#include "rounding/packcover.h"

#include "base/alloc.h"
#include "base/tolerance.h"

#include <math.h>
#include <string.h>

bool berth__packcover_integer(const berth__packcover *p, int j) {
    return p->is_integer == NULL || p->is_integer[j];
}

double berth__packcover_top(const berth__packcover *p, int j) {
    double upper = p->upper[j];
    return berth__packcover_integer(p, j) ? floor(upper + BERTH__INTEGRALITY) : upper;
}

/* Least right side per coefficient over the rows [first, last) and the variables that rounding moves. */
static double width(const berth__packcover *p, const bool *skip, int first, int last, bool zero_is_vacuous) {
    double least = HUGE_VAL;
    for (int i = first; i < last; i++) {
        if (zero_is_vacuous && p->rhs[i] <= 0) {
            continue;
        }
        for (size_t k = p->row_start[i]; k < p->row_start[i + 1]; k++) {
            int j = p->col[k];
            bool moves = (skip == NULL || !skip[j]) && berth__packcover_integer(p, j);
            if (moves && p->value[k] > 0) {
                least = fmin(least, p->rhs[i] / p->value[k]);
            }
        }
    }
    return least;
}

double berth__width_cover(const berth__packcover *p, const bool *skip) {
    return width(p, skip, 0, p->n_cover, true);
}

double berth__width_packing(const berth__packcover *p, const bool *skip) {
    return width(p, skip, p->n_cover, p->n_cover + p->n_pack, false);
}

static double row_activity(const berth__packcover *p, int i, const double *x) {
    double sum = 0;
    for (size_t k = p->row_start[i]; k < p->row_start[i + 1]; k++) {
        sum += p->value[k] * x[p->col[k]];
    }
    return sum;
}

static bool within_bounds(const berth__packcover *p, int j, double value) {
    if (!(value >= 0 && value <= p->upper[j] + BERTH__FEASIBILITY * fmax(1, p->upper[j]))) {
        return false;
    }
    return !berth__packcover_integer(p, j) || fabs(value - round(value)) <= BERTH__INTEGRALITY;
}

berth__violation berth__packcover_measure(const berth__packcover *p, const double *x) {
    berth__violation v = {.cover_min = HUGE_VAL, .worst_cover = -1, .worst_pack = -1, .feasible = true};
    for (int j = 0; j < p->n_vars; j++) {
        v.cost += p->cost[j] * x[j];
        v.feasible = v.feasible && within_bounds(p, j, x[j]);
    }
    for (int i = 0; i < p->n_cover; i++) {
        double part = p->rhs[i] > 0 ? row_activity(p, i, x) / p->rhs[i] : HUGE_VAL;
        if (part < v.cover_min) {
            v.cover_min = part;
            v.worst_cover = i;
        }
    }
    for (int i = 0; i < p->n_pack; i++) {
        double load = row_activity(p, p->n_cover + i, x), room = p->rhs[p->n_cover + i];
        double part = load > 0 ? (room > 0 ? load / room : HUGE_VAL) : 0;
        if (part > v.pack_max) {
            v.pack_max = part;
            v.worst_pack = i;
        }
    }
    v.feasible = v.feasible && v.cover_min >= 1 - BERTH__FEASIBILITY && v.pack_max <= 1 + BERTH__FEASIBILITY;
    return v;
}

double berth__violation_size(const berth__violation *violation) {
    return fmax(0, fmax(1 - violation->cover_min, violation->pack_max - 1));
}

bool berth__violation_better(const berth__packcover *p, const berth__violation *a, const berth__violation *b) {
    if (a->feasible != b->feasible) {
        return a->feasible;
    }
    double size_a = a->feasible ? 0 : berth__violation_size(a), size_b = b->feasible ? 0 : berth__violation_size(b);
    return size_a < size_b || (size_a <= size_b && berth__packcover_better(p, a->cost, b->cost));
}

/* ---- columns --------------------------------------------------------------------------------------- */

/* Counting sort by column. */
static void fill_columns(berth__packcover_columns *columns, const berth__packcover *p) {
    int n_rows = p->n_cover + p->n_pack;
    for (size_t k = 0; k < p->row_start[n_rows]; k++) {
        columns->start[p->col[k] + 1] += p->value[k] > 0;
    }
    for (int j = 0; j < p->n_vars; j++) {
        columns->start[j + 1] += columns->start[j];
    }
    for (int i = 0; i < n_rows; i++) {
        for (size_t k = p->row_start[i]; k < p->row_start[i + 1]; k++) {
            if (p->value[k] > 0) { /* start[j] runs up to the start of j + 1 ... */
                size_t at = columns->start[p->col[k]]++;
                columns->row[at] = i;
                columns->value[at] = p->value[k];
            }
        }
    }
    /* ... and is put back here. */
    memmove(columns->start + 1, columns->start, (size_t)p->n_vars * sizeof *columns->start);
    columns->start[0] = 0;
}

berth_status berth__packcover_columns_open(berth__packcover_columns *columns, const berth__packcover *p) {
    size_t n_entries = p->row_start[p->n_cover + p->n_pack];
    columns->start = BERTH__NEW_ARRAY(size_t, (size_t)p->n_vars + 1);
    columns->row = BERTH__NEW_ARRAY(int, n_entries);
    columns->value = BERTH__NEW_ARRAY(double, n_entries);
    if (columns->start == NULL || columns->row == NULL || columns->value == NULL) {
        berth__packcover_columns_close(columns);
        return BERTH_E_MEMORY;
    }
    fill_columns(columns, p);
    return BERTH_OK;
}

void berth__packcover_columns_close(berth__packcover_columns *columns) {
    berth__free(columns->start);
    berth__free(columns->row);
    berth__free(columns->value);
    *columns = (berth__packcover_columns){.start = NULL};
}
