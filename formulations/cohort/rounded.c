/* Bounds and cohorts by the relaxation of columns.h, solved to its end and rounded up: where it is small, since nothing
 * else comes as near, and where nothing else shows that fewest participants are within a category each of the bound. */
#include <math.h>

#include "base/error.h"
#include "formulations/cohort/columns.h"
#include "formulations/cohort/greedy.h"

enum { MOST_CATEGORIES = 200, MOST_REFUTED = 20, CLOSING_IN = 8 };

/* Participants by which value and bound may differ, and as a part of the duration what is not worth another try. */
static const double gap_least = 1e-3, gap_closing = 0.1, near = 5e-4;

bool berth__cohort_is_relaxed_soon(const berth__cohort_run *run) {
    return run->view->n_clients <= BERTH__COHORT_FEW_CLIENTS && run->view->n_categories <= MOST_CATEGORIES &&
           berth__cohort_columns_possible(run);
}

/* What the prices prove becomes the certificate if that is more. */
static void certify(berth__cohort_run *run, double deadline_s) {
    if (run->objective == BERTH_COHORT_PARTICIPANTS) {
        berth__cohort_certify_participants(run);
    } else {
        berth__cohort_certify_shares(run, deadline_s);
    }
}

/* Those taken as a whole, and others by greedy choice in place of those taken in part: often fewer than all of them. */
static void offer_completed(berth__cohort_run *run, const berth__cohort_columns *columns, size_t budget) {
    berth__cohort_greedy greedy = {0};
    if (!berth__cohort_greedy_open(run->view, &run->space, 2, &greedy)) {
        run->out_of_memory = true;
    } else {
        size_t kept = 0;
        for (size_t k = 0; k < columns->n_support; k++) {
            if (columns->taken[columns->support[k]] >= 1 - 1e-6) {
                greedy.chosen[kept++] = columns->support[k];
            }
        }
        if (kept <= budget) {
            berth__cohort_greedy_choose(&greedy, run->share, columns->deadline_s, budget, budget, kept);
            berth__cohort_offer(run, NULL, greedy.chosen, greedy.n_chosen);
        }
    }
    berth__cohort_greedy_close(&greedy);
}

static void offer_rounded(berth__cohort_run *run, const berth__cohort_columns *columns, size_t budget) {
    if (!isfinite(columns->value)) {
        return;
    }
    if (columns->n_support <= budget) {
        berth__cohort_offer(run, NULL, columns->support, columns->n_support);
    } else {
        offer_completed(run, columns, budget);
    }
}

static berth_status round_small(berth__cohort_run *run, berth__cohort_columns *columns, berth_error *error) {
    double enough = run->n_chosen > 0 ? (double)run->n_chosen - 1 : (double)INFINITY;
    berth_status status = berth__cohort_columns_solve(columns, run->deadline_s, gap_least, 0, enough, error);
    if (status == BERTH_OK) {
        certify(run, run->deadline_s);
        offer_rounded(run, columns, run->view->n_clients);
    }
    return status;
}

/* Raises the bound to the deadline at which the budget begins to suffice in parts of clients. */
static berth_status raise_bound(berth__cohort_run *run, berth__cohort_columns *columns, berth_error *error) {
    const double budget = (double)run->budget;
    berth_status status = BERTH_OK;
    for (int k = 0; k < MOST_REFUTED && run->bound_s < run->duration_s && !berth__cohort_run_stopped(run); k++) {
        double before = run->bound_s;
        status = berth__cohort_columns_solve(columns, before, gap_least, budget, budget, error);
        if (status != BERTH_OK || columns->least <= budget) {
            break;
        }
        certify(run, before);
        if (!(run->bound_s > before)) {
            break;
        }
    }
    return status;
}

static berth_status round_fast(berth__cohort_run *run, berth__cohort_columns *columns, berth_error *error) {
    const double budget = (double)run->budget;
    berth_status status = raise_bound(run, columns, error);
    double low = run->bound_s;
    for (int k = 0; status == BERTH_OK && k < CLOSING_IN && !berth__cohort_run_stopped(run); k++) {
        double high = run->duration_s, deadline = k == 0 ? low : low + 0.5 * (high - low);
        if (high - low <= near * high) {
            break;
        }
        status = berth__cohort_columns_solve(columns, deadline, gap_closing, 0, budget, error);
        if (status == BERTH_OK) {
            certify(run, deadline);
            offer_rounded(run, columns, run->budget);
        }
        low = run->duration_s <= deadline ? low : deadline;
    }
    return status;
}

berth_status berth__cohort_round(berth__cohort_run *run, berth_error *error) {
    berth__cohort_columns columns;
    berth_status status = berth__cohort_columns_open(run, &columns) ? BERTH_OK : berth__fail_memory(error);
    if (status == BERTH_OK) {
        status = run->objective == BERTH_COHORT_DURATION ? round_fast(run, &columns, error)
                                                         : round_small(run, &columns, error);
    }
    berth__cohort_columns_close(&columns);
    return status == BERTH_OK && run->out_of_memory ? berth__fail_memory(error) : status;
}
