#include "rounding/activity.h"

#include "base/alloc.h"
#include "base/tolerance.h"
#include "rounding/ranking.h"

#include <math.h>
#include <string.h>

berth_status berth__activity_open(berth__activity *a, const berth__packcover *p, const bool *skip, double *x) {
    *a = (berth__activity){.p = p, .skip = skip, .x = x};
    a->row = BERTH__NEW_ARRAY(double, (size_t)p->n_cover + (size_t)p->n_pack);
    if (a->row == NULL || berth__packcover_columns_open(&a->columns, p) != BERTH_OK) {
        berth__activity_close(a);
        return BERTH_E_MEMORY;
    }
    for (int j = 0; j < p->n_vars; j++) {
        x[j] = skip != NULL && skip[j] ? 0 : fmax(0, fmin(x[j], berth__packcover_top(p, j)));
    }
    berth__activity_set(a, x);
    return BERTH_OK;
}

void berth__activity_close(berth__activity *a) {
    berth__free(a->row);
    berth__packcover_columns_close(&a->columns);
    *a = (berth__activity){.p = NULL};
}

void berth__activity_set(berth__activity *a, const double *x) {
    const berth__packcover *p = a->p;
    if (x != a->x) {
        memcpy(a->x, x, (size_t)p->n_vars * sizeof *x);
    }
    for (int i = 0; i < p->n_cover + p->n_pack; i++) {
        a->row[i] = 0;
        for (size_t k = p->row_start[i]; k < p->row_start[i + 1]; k++) {
            a->row[i] += p->value[k] * a->x[p->col[k]];
        }
    }
}

void berth__activity_move(berth__activity *a, int j, double by) {
    /* x + (top - x) can exceed top by rounding. */
    a->x[j] = fmax(0, fmin(a->x[j] + by, berth__packcover_top(a->p, j)));
    for (size_t k = a->columns.start[j]; k < a->columns.start[j + 1]; k++) {
        a->row[a->columns.row[k]] += by * a->columns.value[k];
    }
}

double berth__activity_lack(const berth__activity *a, int i) {
    double rhs = a->p->rhs[i];
    double lack = i < a->p->n_cover ? rhs - a->row[i] : a->row[i] - rhs;
    return lack > BERTH__HALF_FEASIBILITY * rhs ? lack : 0;
}

double berth__activity_room(const berth__activity *a, int j) {
    if (a->skip != NULL && a->skip[j]) {
        return 0;
    }
    double room = berth__packcover_top(a->p, j) - a->x[j];
    for (size_t k = a->columns.start[j]; k < a->columns.start[j + 1]; k++) {
        int i = a->columns.row[k];
        if (i >= a->p->n_cover) {
            room = fmin(room, (a->p->rhs[i] * (1 + BERTH__HALF_FEASIBILITY) - a->row[i]) / a->columns.value[k]);
        }
    }
    room = fmax(0, room);
    return berth__packcover_integer(a->p, j) ? floor(room) : room;
}

double berth__activity_spare(const berth__activity *a, int j) {
    double spare = a->x[j];
    for (size_t k = a->columns.start[j]; k < a->columns.start[j + 1]; k++) {
        int i = a->columns.row[k];
        if (i < a->p->n_cover && a->p->rhs[i] > 0) {
            spare = fmin(spare, (a->row[i] - a->p->rhs[i] * (1 - BERTH__HALF_FEASIBILITY)) / a->columns.value[k]);
        }
    }
    spare = fmax(0, spare);
    return berth__packcover_integer(a->p, j) ? floor(spare) : spare;
}

double berth__activity_units(const berth__activity *a, int j, double amount, double value) {
    double move = amount / value;
    if (!berth__packcover_integer(a->p, j)) {
        return move;
    }
    double whole = round(move);
    return whole >= 1 && fabs(move - whole) <= BERTH__INTEGRALITY ? whole : ceil(move);
}

double berth__activity_share(const berth__activity *a, int j) {
    double share = 0;
    for (size_t k = a->columns.start[j]; k < a->columns.start[j + 1]; k++) {
        int i = a->columns.row[k];
        share += i >= a->p->n_cover ? a->columns.value[k] / a->p->rhs[i] : 0; /* INFINITY if the right side is 0 */
    }
    return share;
}

/* All variables, highest rank first; NULL: out of memory. The caller frees it. */
static berth__ranked *rank_variables(const berth__activity *a, double (*rank)(const berth__activity *a, int j)) {
    size_t n = (size_t)a->p->n_vars;
    berth__ranked *order = BERTH__NEW_ARRAY(berth__ranked, n);
    for (size_t j = 0; j < n && order != NULL; j++) {
        order[j] = (berth__ranked){.rank = rank(a, (int)j), .var = (int)j};
    }
    if (order != NULL) {
        berth__rank_sort(order, n);
    }
    return order;
}

static double cost_of(const berth__activity *a, int j) {
    return a->p->cost[j];
}

berth_status berth__activity_drop(berth__activity *a) {
    berth__ranked *order = rank_variables(a, cost_of);
    if (order == NULL) {
        return BERTH_E_MEMORY;
    }
    for (int at = 0; at < a->p->n_vars; at++) {
        int j = order[at].var;
        bool earns = a->p->maximize && a->p->cost[j] > 0;
        double spare = earns ? 0 : berth__activity_spare(a, j);
        if (spare > 0) {
            berth__activity_move(a, j, -spare);
        }
    }
    berth__free(order);
    return BERTH_OK;
}

static double profit_per_share(const berth__activity *a, int j) {
    double share = berth__activity_share(a, j);
    return a->p->cost[j] > 0 ? a->p->cost[j] / share : 0;
}

berth_status berth__activity_fill(berth__activity *a) {
    if (!a->p->maximize) {
        return BERTH_OK;
    }
    berth__ranked *order = rank_variables(a, profit_per_share);
    if (order == NULL) {
        return BERTH_E_MEMORY;
    }
    for (int at = 0; at < a->p->n_vars && order[at].rank > 0; at++) {
        double room = berth__activity_room(a, order[at].var);
        if (room > 0 && room < HUGE_VAL) {
            berth__activity_move(a, order[at].var, room);
        }
    }
    berth__free(order);
    return BERTH_OK;
}
