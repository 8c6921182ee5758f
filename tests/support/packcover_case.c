#include "tests/support/packcover_case.h"

#include "base/alloc.h"
#include "tests/support/check.h"

/* Points the view at the arrays, which move as they grow. */
static void refresh(packcover_case *c) {
    c->view.cost = c->cost;
    c->view.upper = c->upper;
    c->view.is_integer = c->is_integer;
    c->view.row_start = c->row_start;
    c->view.col = c->col;
    c->view.value = c->value;
    c->view.rhs = c->rhs;
}

packcover_case *packcover_case_new(int n_vars) {
    packcover_case *c = BERTH__NEW_ARRAY(packcover_case, 1);
    assert_non_null(c);
    c->view.n_vars = n_vars;
    c->cost = BERTH__NEW_ARRAY(double, (size_t)n_vars);
    c->upper = BERTH__NEW_ARRAY(double, (size_t)n_vars);
    c->is_integer = BERTH__NEW_ARRAY(bool, (size_t)n_vars);
    c->row_start = BERTH__NEW_ARRAY(size_t, 1);
    c->start_capacity = 1;
    assert_true(c->cost != NULL && c->upper != NULL && c->is_integer != NULL && c->row_start != NULL);
    for (int j = 0; j < n_vars; j++) {
        c->cost[j] = 1;
        c->upper[j] = HUGE_VAL;
        c->is_integer[j] = true;
    }
    refresh(c);
    return c;
}

void packcover_case_free(packcover_case *c) {
    if (c == NULL) {
        return;
    }
    berth__free(c->cost);
    berth__free(c->upper);
    berth__free(c->rhs);
    berth__free(c->value);
    berth__free(c->is_integer);
    berth__free(c->row_start);
    berth__free(c->col);
    berth__free(c);
}

static void add_row(packcover_case *c, double rhs) {
    size_t n_rows = (size_t)c->view.n_cover + (size_t)c->view.n_pack;
    assert_true(berth__grow((void **)&c->rhs, &c->row_capacity, n_rows, sizeof *c->rhs));
    assert_true(berth__grow((void **)&c->row_start, &c->start_capacity, n_rows + 1, sizeof *c->row_start));
    c->rhs[n_rows] = rhs;
    c->row_start[n_rows + 1] = c->row_start[n_rows];
    refresh(c);
}

void packcover_case_cover(packcover_case *c, double rhs) {
    assert_int_equal(c->view.n_pack, 0);
    add_row(c, rhs);
    c->view.n_cover++;
}

void packcover_case_pack(packcover_case *c, double rhs) {
    add_row(c, rhs);
    c->view.n_pack++;
}

void packcover_case_entry(packcover_case *c, int col, double value) {
    size_t n_rows = (size_t)c->view.n_cover + (size_t)c->view.n_pack;
    assert_true(n_rows > 0 && col < c->view.n_vars);
    size_t at = c->row_start[n_rows]++;
    assert_true(berth__grow((void **)&c->col, &c->col_capacity, at, sizeof *c->col));
    assert_true(berth__grow((void **)&c->value, &c->value_capacity, at, sizeof *c->value));
    c->col[at] = col;
    c->value[at] = value;
    refresh(c);
}
