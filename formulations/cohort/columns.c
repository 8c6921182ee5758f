#include "formulations/cohort/columns.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "solver/solve.h"

enum { MOST_ROUNDS = 400, LEAST_BATCH = 300 };

/* Columns to begin with: clients worth this part of the last one taken. */
static const double begin_worth = 0.9;
/* Dearer than any sample a column gives, by this factor. */
static const double missing_factor = 10;
/* Worths are kept as whole numbers of these parts of a participant where the largest are looked for. */
static const double resolution = 0x1p40, negligible = 1e-9;

bool berth__cohort_columns_possible(const berth__cohort_run *run) {
    return berth__backend_find(run->options->backends, "auto", BERTH__BACKEND_LP) != NULL;
}

bool berth__cohort_columns_open(berth__cohort_run *run, berth__cohort_columns *columns) {
    size_t n = run->view->n_clients, m = run->view->n_categories;
    *columns = (berth__cohort_columns){.run = run,
                                       .row = BERTH__NEW_ARRAY(int, n),
                                       .best = BERTH__NEW_ARRAY(double, n),
                                       .taken = BERTH__NEW_ARRAY(double, n),
                                       .missing_cost = BERTH__NEW_ARRAY(double, m),
                                       .dual = BERTH__NEW_ARRAY(double, m),
                                       .proof = BERTH__NEW_ARRAY(double, m),
                                       .support = BERTH__NEW_ARRAY(uint32_t, n),
                                       .value = (double)INFINITY};
    return columns->row != NULL && columns->best != NULL && columns->taken != NULL && columns->missing_cost != NULL &&
           columns->dual != NULL && columns->proof != NULL && columns->support != NULL &&
           berth__grow((void **)&columns->column, &columns->most, 0, sizeof *columns->column);
}

void berth__cohort_columns_close(berth__cohort_columns *columns) {
    berth__free(columns->column);
    berth__free(columns->amount);
    berth__free(columns->row);
    berth__free(columns->best);
    berth__free(columns->taken);
    berth__free(columns->missing_cost);
    berth__free(columns->dual);
    berth__free(columns->proof);
    berth__free(columns->support);
    *columns = (berth__cohort_columns){0};
}

/* ---- columns ---- */

/* What client n gives at the prices of the last pass. False: out of memory. */
static bool add_column(berth__cohort_columns *columns, uint32_t n) {
    const berth__cohort_view *view = columns->run->view;
    const berth__cohort_client *client = &view->clients[n];
    uint32_t room = berth__cohort_room(client, view->cap, columns->deadline_s);
    for (size_t e = client->first; room > 0 && e < client[1].first; e++) {
        if (!berth__grow((void **)&columns->amount, &columns->most_amounts, columns->n_amounts,
                         sizeof *columns->amount)) {
            return false;
        }
        berth__cohort_entry amount = view->entries[e];
        amount.count = amount.count < room ? amount.count : room;
        columns->amount[columns->n_amounts++] = amount;
        room -= amount.count;
    }
    columns->column[columns->n++].client = n;
    if (!berth__grow((void **)&columns->column, &columns->most, columns->n, sizeof *columns->column)) {
        return false;
    }
    columns->column[columns->n].first = columns->n_amounts;
    return true;
}

/* Columns of the clients whose space.value is largest, `most` at most (more, where they tie). */
static bool add_columns(berth__cohort_columns *columns, size_t most, size_t *added) {
    const berth__cohort_view *view = columns->run->view;
    double *value = columns->run->space.value;
    berth__cohort_top top =
        berth__cohort_top_values(value, view->n_clients, most, (double)INFINITY, &columns->run->space);
    *added = 0;
    for (uint32_t n = 0; n < view->n_clients && *added < top.count; n++) {
        if (value[n] > 0 && value[n] >= top.threshold) {
            (*added)++;
            if (!add_column(columns, n)) {
                return false;
            }
        }
    }
    return true;
}

/* ---- prices ---- */

/* A pass over all clients at the shares' prices: V into space.value, and what they prove. Returns a participant's worth
 * at which they prove most. */
static double pass(berth__cohort_columns *columns, double *least) {
    berth__cohort_run *run = columns->run;
    const berth__cohort_view *view = run->view;
    berth__cohort_prices(view, run->share, run->space.price);
    double worth = berth__cohort_worth(view, run->space.price);
    berth__cohort_values(view, run->space.price, columns->deadline_s, run->space.value);
    berth__cohort_top top =
        berth__cohort_top_values(run->space.value, view->n_clients, view->n_clients, worth, &run->space);
    *least = top.reached ? (double)top.count - (top.sum - worth) / top.threshold : (double)INFINITY;
    return top.threshold;
}

/* The prices of the last pass are the best so far: in units of a participant's worth. */
static void keep_proof(berth__cohort_columns *columns, double unit) {
    for (size_t c = 0; c < columns->run->view->n_categories; c++) {
        columns->proof[c] = columns->run->space.price[c] * columns->run->view->need[c] / unit;
    }
}

static bool begin(berth__cohort_columns *columns) {
    berth__cohort_run *run = columns->run;
    const berth__cohort_view *view = run->view;
    size_t added;
    double unit = pass(columns, &columns->least);
    for (size_t n = 0; n < view->n_clients; n++) {
        run->space.value[n] = run->space.value[n] >= begin_worth * unit ? run->space.value[n] : 0;
    }
    keep_proof(columns, unit);
    for (size_t c = 0; c < view->n_categories; c++) {
        columns->missing_cost[c] = missing_factor * fmax(columns->proof[c], 1);
    }
    return add_columns(columns, view->n_clients, &added);
}

/* ---- the programme ---- */

static berth_status build_rows(berth__cohort_columns *columns, berth__model *model, berth_error *error) {
    const berth__cohort_view *view = columns->run->view;
    berth_status status = BERTH_OK;
    for (size_t c = 0; status == BERTH_OK && c < view->n_categories; c++) {
        status = berth__model_add_row(model, NULL, 1, (double)INFINITY, NULL, error);
    }
    memset(columns->row, 0, view->n_clients * sizeof *columns->row);
    for (size_t k = 0; k < columns->n; k++) {
        columns->row[columns->column[k].client]++;
    }
    for (size_t n = 0; status == BERTH_OK && n < view->n_clients; n++) {
        int row = -1; /* a single column has its own bound */
        if (columns->row[n] > 1) {
            status = berth__model_add_row(model, NULL, -(double)INFINITY, 1, &row, error);
        }
        columns->row[n] = row;
    }
    return status;
}

static berth_status build_column(const berth__cohort_columns *columns, size_t k, berth__model *model,
                                 berth_error *error) {
    const berth__cohort_column *column = &columns->column[k];
    int col, row = columns->row[column->client];
    berth_status status = berth__model_add_col(model, NULL, 1, 0, 1, false, &col, error);
    for (size_t i = column->first; status == BERTH_OK && i < column[1].first; i++) {
        uint32_t c = columns->amount[i].category;
        double part = (double)columns->amount[i].count / columns->run->view->need[c];
        status = berth__model_add_entry(model, (int)c, col, part, error);
    }
    return status == BERTH_OK && row >= 0 ? berth__model_add_entry(model, row, col, 1, error) : status;
}

static berth_status build(berth__cohort_columns *columns, berth__model **model, berth_error *error) {
    const berth__cohort_view *view = columns->run->view;
    berth_status status = berth__model_new(model, error);
    status = status == BERTH_OK ? build_rows(columns, *model, error) : status;
    for (size_t k = 0; status == BERTH_OK && k < columns->n; k++) {
        status = build_column(columns, k, *model, error);
    }
    for (size_t c = 0; status == BERTH_OK && columns->may_miss && c < view->n_categories; c++) {
        int col;
        status = berth__model_add_col(*model, NULL, columns->missing_cost[c], 0, 1, false, &col, error);
        status = status == BERTH_OK ? berth__model_add_entry(*model, (int)c, col, 1, error) : status;
    }
    return status == BERTH_OK ? berth__model_finish(*model, error) : status;
}

/* Prices, support and value by the programme's solution. */
static void take(berth__cohort_columns *columns, const berth__lp_result *result) {
    const berth__cohort_view *view = columns->run->view;
    columns->is_missing = false;
    for (size_t c = 0; c < view->n_categories; c++) {
        columns->dual[c] = fmax(result->row_dual[c], 0);
        columns->is_missing = columns->is_missing || (columns->may_miss && result->x[columns->n + c] > negligible);
    }
    columns->may_miss = columns->is_missing; /* from here on costs are all alike, and figures exact */
    columns->value = columns->is_missing ? (double)INFINITY : result->objective;
    memset(columns->taken, 0, view->n_clients * sizeof *columns->taken);
    for (size_t k = 0; k < columns->n; k++) {
        columns->taken[columns->column[k].client] += result->x[k];
    }
    columns->n_support = 0;
    for (uint32_t n = 0; n < view->n_clients; n++) {
        if (columns->taken[n] > negligible) {
            columns->support[columns->n_support++] = n;
        }
    }
}

static berth_status solve_once(berth__cohort_columns *columns, bool *solved, berth_error *error) {
    berth__model *model = NULL;
    berth__lp *lp = NULL;
    const berth__lp_result *result = NULL;
    berth__lp_options options;
    berth__lp_options_init(&options);
    options.integers = false;
    options.budget = columns->run->limit;
    berth_status status = build(columns, &model, error);
    status = status == BERTH_OK ? berth__lp_open(model, columns->run->options->backends, "auto", &lp, error) : status;
    status = status == BERTH_OK ? berth__lp_solve(lp, &options, &result, error) : status;
    *solved = status == BERTH_OK && result->outcome == BERTH_OPTIMAL && result->has_dual;
    if (*solved) {
        take(columns, result);
    }
    berth__lp_close(lp);
    berth__model_free(model);
    return status;
}

/* With what is missing at a price, if need be; where its costs are too much for the backend, without. */
static berth_status solve_columns(berth__cohort_columns *columns, bool *solved, berth_error *error) {
    berth_status status = solve_once(columns, solved, error);
    if (status == BERTH_OK && !*solved && columns->may_miss && !berth__budget_spent(columns->run->limit)) {
        columns->may_miss = false;
        status = solve_once(columns, solved, error);
    }
    return status;
}

/* ---- pricing ---- */

/* Replaces space.value by how much a column at the prices would better what a client has, at `unit` a participant. */
static void find_gains(berth__cohort_columns *columns, double unit) {
    const berth__cohort_view *view = columns->run->view;
    const double *price = columns->run->space.price;
    double *value = columns->run->space.value;
    for (size_t n = 0; n < view->n_clients; n++) {
        columns->best[n] = unit;
    }
    for (size_t k = 0; k < columns->n; k++) {
        double worth = 0;
        for (size_t i = columns->column[k].first; i < columns->column[k + 1].first; i++) {
            worth += price[columns->amount[i].category] * (double)columns->amount[i].count;
        }
        double *best = &columns->best[columns->column[k].client];
        *best = fmax(*best, worth);
    }
    for (size_t n = 0; n < view->n_clients; n++) {
        double gain = (value[n] - columns->best[n]) / unit;
        value[n] = gain > negligible ? floor(gain * resolution) : 0;
    }
}

/* Prices between those of the programme and, to the part `steady`, those that have proved most: the former jump about
 * while columns are few (Wentges 1997). Adds what they find missing. False: out of memory. */
static bool price_at(berth__cohort_columns *columns, double steady, size_t *added) {
    berth__cohort_run *run = columns->run;
    const size_t m = run->view->n_categories;
    double sum = 0, least;
    for (size_t c = 0; c < m; c++) {
        run->share[c] = steady * columns->proof[c] + (1 - steady) * columns->dual[c];
        sum += run->share[c];
    }
    *added = 0;
    if (!(sum > 0)) {
        return true;
    }
    double unit = pass(columns, &least);
    if (least > columns->least) {
        columns->least = least;
        keep_proof(columns, unit);
    }
    find_gains(columns, berth__cohort_worth(run->view, run->space.price) / sum);
    return add_columns(columns, columns->n / 3 > LEAST_BATCH ? columns->n / 3 : LEAST_BATCH, added);
}

/* False: the columns are all that matter, or there is no memory. */
static bool find_columns(berth__cohort_columns *columns, berth_status *status, berth_error *error) {
    static const double steady[] = {0.5, 0};
    size_t added = 0;
    for (int k = 0; k < 2 && added == 0; k++) {
        if (!price_at(columns, steady[k], &added)) {
            *status = berth__fail_memory(error);
            return false;
        }
    }
    for (size_t c = 0; added == 0 && c < columns->run->view->n_categories; c++) {
        columns->missing_cost[c] *= missing_factor;
    }
    return added > 0 || columns->is_missing;
}

berth_status berth__cohort_columns_solve(berth__cohort_columns *columns, double deadline_s, double gap, double met,
                                         double refuted, berth_error *error) {
    berth__cohort_run *run = columns->run;
    berth_status status = BERTH_OK;
    bool solved = true, goes_on = true;
    columns->deadline_s = deadline_s;
    columns->n = columns->n_amounts = columns->column[0].first = 0;
    columns->value = (double)INFINITY;
    columns->may_miss = true;
    if (!begin(columns)) {
        return berth__fail_memory(error);
    }
    for (int round = 0; round < MOST_ROUNDS && goes_on && isfinite(columns->least); round++) {
        status = solve_columns(columns, &solved, error);
        if (status != BERTH_OK || !solved || columns->value <= met || berth__budget_spent(run->limit)) {
            break;
        }
        goes_on = find_columns(columns, &status, error);
        goes_on = goes_on && columns->value - columns->least > gap && columns->least <= refuted;
    }
    memcpy(run->share, columns->proof, run->view->n_categories * sizeof *run->share);
    return status;
}
