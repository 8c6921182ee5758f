#include "online/schedule_master.h"

#include "base/alloc.h"
#include "base/error.h"

#include <math.h>
#include <string.h>

/* A column is dropped after so many masters in which it was at 0 and of no use. */
enum { MOST_IDLE = 12 };

/* Weights are at most 1 by the jobs' rows. A bound on the columns that never binds keeps the dual simplex, which starts
 * from no duals, off false bounds of its own, and the duals in the rows. */
enum { SLACK_UPPER = 2 };

berth_status berth__schedule_master_init(berth__schedule_master *m, size_t n_rows, size_t n_jobs, berth_error *error) {
    *m = (berth__schedule_master){.n_rows = n_rows,
                                  .n_jobs = n_jobs,
                                  .value = -HUGE_VAL,
                                  .row_dual = BERTH__NEW_ARRAY(double, n_rows),
                                  .job_dual = BERTH__NEW_ARRAY(double, n_jobs),
                                  .model_row = BERTH__NEW_ARRAY(int, n_rows + n_jobs)};
    if (m->row_dual == NULL || m->job_dual == NULL || m->model_row == NULL) {
        berth__schedule_master_clear(m);
        return berth__fail_memory(error);
    }
    return BERTH_OK;
}

void berth__schedule_master_clear(berth__schedule_master *m) {
    for (size_t c = 0; c < m->n; c++) {
        berth__schedule_column_clear(&m->column[c]);
    }
    berth__free(m->column);
    berth__free(m->row_dual);
    berth__free(m->job_dual);
    berth__free(m->model_row);
    *m = (berth__schedule_master){0};
}

double berth__schedule_master_gain(const berth__schedule_master *m, const berth__schedule_column *c) {
    double gain = c->utility - m->job_dual[c->job];
    for (size_t k = 0; k < c->n; k++) {
        gain -= c->value[k] * m->row_dual[c->row[k]];
    }
    return gain;
}

bool berth__schedule_master_has(const berth__schedule_master *m, const berth__schedule_column *column) {
    for (size_t c = 0; c < m->n; c++) {
        const berth__schedule_column *other = &m->column[c];
        if (other->job == column->job && other->utility == column->utility && other->n == column->n &&
            (column->n == 0 || (memcmp(other->row, column->row, column->n * sizeof *column->row) == 0 &&
                                memcmp(other->value, column->value, column->n * sizeof *column->value) == 0))) {
            return true;
        }
    }
    return false;
}

bool berth__schedule_master_add(berth__schedule_master *m, const berth__schedule_column *column) {
    if (!berth__grow((void **)&m->column, &m->room, m->n, sizeof *m->column)) {
        return false;
    }
    m->column[m->n++] = *column;
    return true;
}

/* Rows without entries are left out. */
static berth_status add_rows(berth__schedule_master *m, berth__model *model, berth_error *error) {
    for (size_t r = 0; r < m->n_rows + m->n_jobs; r++) {
        m->model_row[r] = -1;
    }
    for (size_t c = 0; c < m->n; c++) {
        const berth__schedule_column *column = &m->column[c];
        m->model_row[m->n_rows + (size_t)column->job] = 0;
        for (size_t k = 0; k < column->n; k++) {
            m->model_row[column->row[k]] = 0;
        }
    }
    berth_status status = BERTH_OK;
    for (size_t r = 0; r < m->n_rows + m->n_jobs && status == BERTH_OK; r++) {
        if (m->model_row[r] == 0) {
            status = berth__model_add_row(model, NULL, -(double)INFINITY, 1, &m->model_row[r], error);
        }
    }
    return status;
}

static berth_status build(berth__schedule_master *m, berth__model **out, berth_error *error) {
    berth_status status = berth__model_new(out, error);
    if (status != BERTH_OK) {
        return status;
    }
    (*out)->maximize = true;
    status = add_rows(m, *out, error);
    for (size_t c = 0; c < m->n && status == BERTH_OK; c++) {
        const berth__schedule_column *column = &m->column[c];
        int col = 0;
        status = berth__model_add_col(*out, NULL, column->utility, 0, SLACK_UPPER, false, &col, error);
        if (status == BERTH_OK) {
            int row = m->model_row[m->n_rows + (size_t)column->job];
            status = berth__model_add_entry(*out, row, col, 1, error);
        }
        for (size_t k = 0; k < column->n && status == BERTH_OK; k++) {
            status = berth__model_add_entry(*out, m->model_row[column->row[k]], col, column->value[k], error);
        }
    }
    return status == BERTH_OK ? berth__model_finish(*out, error) : status;
}

static double dual_of(const berth__schedule_master *m, const berth__lp_result *result, size_t row) {
    return m->model_row[row] < 0 ? 0 : fmax(0, result->row_dual[m->model_row[row]]);
}

static void take_duals(berth__schedule_master *m, const berth__lp_result *result) {
    for (size_t r = 0; r < m->n_rows; r++) {
        m->row_dual[r] = dual_of(m, result, r);
    }
    for (size_t i = 0; i < m->n_jobs; i++) {
        m->job_dual[i] = dual_of(m, result, m->n_rows + i);
    }
}

static void drop_idle(berth__schedule_master *m, const double *x) {
    size_t kept = 0;
    for (size_t c = 0; c < m->n; c++) {
        berth__schedule_column *column = &m->column[c];
        bool of_use = x[c] > 0 || berth__schedule_master_gain(m, column) > -1e-9 * column->utility;
        column->idle = of_use ? 0 : column->idle + 1;
        if (column->idle > MOST_IDLE) {
            berth__schedule_column_clear(column);
        } else {
            m->column[kept++] = *column;
        }
    }
    m->n = kept;
}

berth_status berth__schedule_master_solve(berth__schedule_master *m, const berth_backends *backends,
                                          const berth__budget *budget, bool *solved, berth_error *error) {
    berth__model *model = NULL;
    berth__lp *lp = NULL;
    const berth__lp_result *result = NULL;
    berth__lp_options options;
    berth__lp_options_init(&options);
    options.budget = budget;
    berth_status status = build(m, &model, error);
    if (status == BERTH_OK) {
        status = berth__lp_open(model, backends, NULL, &lp, error);
    }
    if (status == BERTH_OK) {
        status = berth__lp_solve(lp, &options, &result, error);
    }
    *solved = status == BERTH_OK && result->outcome == BERTH_OPTIMAL && result->has_primal && result->has_dual;
    if (*solved) {
        m->value = result->objective;
        take_duals(m, result);
        drop_idle(m, result->x);
    }
    berth__lp_close(lp);
    berth__model_free(model);
    return status;
}
