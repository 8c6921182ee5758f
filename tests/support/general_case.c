#include "tests/support/general_case.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "tests/support/check.h"

static void *owned(void *block) {
    assert_non_null(block);
    return block;
}

static bool one_in(int n, berth__pcg *stream) {
    return stream != NULL && berth__pcg_integer(stream, 1, n) == 1;
}

static void fill_vars(general_case *c, const berth__packcover *view, berth__pcg *stream) {
    berth_problem *p = &c->problem;
    double *cost = owned(BERTH__NEW_ARRAY(double, p->n_vars)), *lower = owned(BERTH__NEW_ARRAY(double, p->n_vars)),
           *upper = owned(BERTH__NEW_ARRAY(double, p->n_vars));
    bool *is_integer = owned(BERTH__NEW_ARRAY(bool, p->n_vars));
    c->shift = owned(BERTH__NEW_ARRAY(double, p->n_vars));
    bool turned = one_in(3, stream);
    c->sign = turned ? -1 : 1;
    p->maximize = view->maximize != turned;
    p->offset = one_in(3, stream) ? (double)berth__pcg_integer(stream, -50, 50) / 4 : 0;
    c->offset = p->offset;
    for (size_t j = 0; j < p->n_vars; j++) {
        is_integer[j] = view->is_integer == NULL || view->is_integer[j];
        cost[j] = c->sign * view->cost[j];
        c->shift[j] = one_in(4, stream) ? (double)berth__pcg_integer(stream, -3, 3) : 0;
        lower[j] = c->shift[j];
        upper[j] = c->shift[j] + view->upper[j];
        c->offset += cost[j] * c->shift[j];
    }
    p->cost = cost;
    p->lower = lower;
    p->upper = upper;
    p->is_integer = is_integer;
}

static bool same_entries(const berth__packcover *view, int a, int b) {
    size_t n = view->row_start[a + 1] - view->row_start[a];
    if (n != view->row_start[b + 1] - view->row_start[b]) {
        return false;
    }
    return n == 0 ||
           (memcmp(view->col + view->row_start[a], view->col + view->row_start[b], n * sizeof *view->col) == 0 &&
            memcmp(view->value + view->row_start[a], view->value + view->row_start[b], n * sizeof *view->value) == 0);
}

/* The packing row that makes a range with a cover row, or -1. */
static int partner(const berth__packcover *view, int cover, const bool *used) {
    for (int i = view->n_cover; i < view->n_cover + view->n_pack; i++) {
        if (!used[i] && view->rhs[i] >= view->rhs[cover] && same_entries(view, cover, i)) {
            return i;
        }
    }
    return -1;
}

static void fill_rows(general_case *c, const berth__packcover *view, berth__pcg *stream) {
    berth_problem *p = &c->problem;
    size_t most = (size_t)view->n_cover + (size_t)view->n_pack + 1, n_entries = view->row_start[most - 1];
    double *row_lower = owned(BERTH__NEW_ARRAY(double, most)), *row_upper = owned(BERTH__NEW_ARRAY(double, most)),
           *value = owned(BERTH__NEW_ARRAY(double, n_entries));
    size_t *start = owned(BERTH__NEW_ARRAY(size_t, most + 1)), n = 0;
    int *var_of = owned(BERTH__NEW_ARRAY(int, n_entries));
    bool *used = owned(BERTH__NEW_ARRAY(bool, most));
    for (int i = 0; i < view->n_cover + view->n_pack; i++) {
        if (used[i]) {
            continue;
        }
        bool cover = i < view->n_cover;
        double low = cover ? view->rhs[i] : -(double)INFINITY, high = cover ? (double)INFINITY : view->rhs[i];
        int with = cover && stream != NULL ? partner(view, i, used) : -1;
        if (with >= 0) {
            used[with] = true;
            high = view->rhs[with];
        }
        double sign = one_in(3, stream) ? -1 : 1, shift = 0;
        size_t end = start[n];
        for (size_t k = view->row_start[i]; k < view->row_start[i + 1]; k++) {
            var_of[end] = view->col[k];
            value[end++] = sign * view->value[k];
            shift += view->value[k] * c->shift[view->col[k]];
        }
        low += shift;
        high += shift;
        row_lower[n] = sign > 0 ? low : -high;
        row_upper[n++] = sign > 0 ? high : -low;
        start[n] = end;
    }
    if (one_in(4, stream)) { /* says nothing */
        row_lower[n] = -(double)INFINITY;
        row_upper[n++] = (double)INFINITY;
        start[n] = start[n - 1];
    }
    berth__free(used);
    p->n_rows = n;
    p->row_lower = row_lower;
    p->row_upper = row_upper;
    p->row_start = start;
    p->var_of = var_of;
    p->value = value;
}

general_case *general_case_new(const berth__packcover *view, berth__pcg *stream) {
    general_case *c = owned(BERTH__NEW_ARRAY(general_case, 1));
    berth_problem_init(&c->problem);
    c->problem.n_vars = (size_t)view->n_vars;
    fill_vars(c, view, stream);
    fill_rows(c, view, stream);
    return c;
}

static void free_const(const void *block) {
    void *mine;
    memcpy(&mine, &block, sizeof mine);
    berth__free(mine);
}

void general_case_free(general_case *c) {
    if (c == NULL) {
        return;
    }
    free_const(c->problem.cost);
    free_const(c->problem.lower);
    free_const(c->problem.upper);
    free_const(c->problem.is_integer);
    free_const(c->problem.row_lower);
    free_const(c->problem.row_upper);
    free_const(c->problem.row_start);
    free_const(c->problem.var_of);
    free_const(c->problem.value);
    berth__free(c->shift);
    berth__free(c);
}
