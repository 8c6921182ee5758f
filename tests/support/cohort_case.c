#include "tests/support/cohort_case.h"

#include "solver/solve.h"
#include "tests/support/check.h"

#include <string.h>

static bool chance(berth__pcg *stream, double probability) {
    return berth__pcg_uniform(stream) < probability;
}

static void draw_data(cohort_case *c, berth__pcg *stream) {
    size_t n = (size_t)berth__pcg_integer(stream, 2, COHORT_MOST_CLIENTS);
    size_t m = (size_t)berth__pcg_integer(stream, 1, COHORT_MOST_CATEGORIES), entries = 0;
    for (size_t k = 0; k < n; k++) {
        for (size_t i = 0; i < m; i++) {
            if (chance(stream, 0.6)) {
                c->category[entries] = (uint32_t)i;
                c->count[entries++] = (uint32_t)berth__pcg_integer(stream, 0, 6);
            }
        }
        c->row_start[k + 1] = entries;
        c->ms[k] = (double)berth__pcg_integer(stream, 1, 30) * 50;
        c->kbps[k] = (double)berth__pcg_integer(stream, 1, 20) * 1000;
    }
    berth_cohort_data_init(&c->data);
    c->data.n_clients = n;
    c->data.n_categories = m;
    c->data.row_start = c->row_start;
    c->data.category = c->category;
    c->data.count = c->count;
    c->data.ms_per_sample = c->ms;
    c->data.bandwidth_kbps = c->kbps;
}

void cohort_case_draw(cohort_case *c, berth_cohort_objective objective, berth__pcg *stream) {
    memset(c, 0, sizeof *c);
    draw_data(c, stream);
    for (size_t e = 0; e < c->row_start[c->data.n_clients]; e++) {
        c->requests[c->category[e]] += c->count[e];
    }
    for (size_t i = 0; i < c->data.n_categories; i++) {
        double share = chance(stream, 0.03) ? 1.2 : 0.7 * berth__pcg_uniform(stream);
        c->requests[i] = (uint64_t)((double)c->requests[i] * share + (chance(stream, 0.02) ? 2 : 0));
    }
    berth_cohort_request *q = &c->request;
    berth_cohort_request_init(q);
    q->requests = c->requests;
    q->objective = objective;
    q->model_kbit = chance(stream, 0.1) ? 0 : 8000;
    q->budget = chance(stream, 0.8) ? (size_t)berth__pcg_integer(stream, 1, (int64_t)c->data.n_clients) : 0;
    q->client_cap = chance(stream, 0.2) ? (uint64_t)berth__pcg_integer(stream, 2, 8) : 0;
    q->deadline_s = chance(stream, 0.3) ? (double)berth__pcg_integer(stream, 2, 12) : (double)INFINITY;
    q->exact = chance(stream, 0.5);
    q->eligible = c->eligible;
    q->choose_eligible = chance(stream, 0.2);
    for (size_t n = 0; q->choose_eligible && n < c->data.n_clients; n++) {
        if (chance(stream, 0.8)) {
            c->eligible[q->n_eligible++] = n;
        }
    }
}

/* ---- the optimum ---- */

typedef struct problem {
    const berth_cohort_data *data;
    const berth_cohort_request *request;
} problem;

static bool is_eligible(const problem *c, size_t n) {
    for (size_t k = 0; k < c->request->n_eligible; k++) {
        if (c->request->eligible[k] == n) {
            return true;
        }
    }
    return !c->request->choose_eligible;
}

/* Columns: T, then y of the clients, then x of the entries. */
static void add_columns(const problem *c, bool duration, bool integers, berth__model *model) {
    size_t n = c->data->n_clients;
    berth__model_add_col(model, NULL, duration, 0, c->request->deadline_s, false, NULL, NULL);
    for (size_t k = 0; k < n; k++) {
        berth__model_add_col(model, NULL, !duration, 0, is_eligible(c, k), integers, NULL, NULL);
    }
    for (size_t e = 0; e < c->data->row_start[n]; e++) {
        berth__model_add_col(model, NULL, 0, 0, c->data->count[e], integers, NULL, NULL);
    }
}

/* Most samples of client k, as far as that does not depend on the objective. */
static double room(const problem *c, size_t k) {
    double cap = c->request->client_cap > 0 ? (double)c->request->client_cap : (double)INFINITY;
    if (c->request->objective == BERTH_COHORT_PARTICIPANTS && isfinite(c->request->deadline_s)) {
        double time_s = c->request->deadline_s - c->request->model_kbit / c->data->bandwidth_kbps[k];
        cap = fmin(cap, fmax(0, floor(time_s / (c->data->ms_per_sample[k] / 1000) + 1e-9)));
    }
    return cap;
}

static void add_client_rows(const problem *c, size_t k, berth__model *model) {
    int n = (int)c->data->n_clients, y = 1 + (int)k, row;
    double cap = room(c, k);
    for (size_t e = c->data->row_start[k]; e < c->data->row_start[k + 1]; e++) { /* x <= min(d, p) y */
        double most = fmin(c->data->count[e], (double)c->request->requests[c->data->category[e]]);
        berth__model_add_row(model, NULL, -(double)INFINITY, 0, &row, NULL);
        berth__model_add_entry(model, row, 1 + n + (int)e, 1, NULL);
        berth__model_add_entry(model, row, y, -most, NULL);
    }
    berth__model_add_row(model, NULL, -(double)INFINITY, isfinite(cap) ? 0 : cap, &row, NULL); /* sum x <= cap y */
    if (isfinite(cap)) {
        berth__model_add_entry(model, row, y, -cap, NULL);
    }
    for (size_t e = c->data->row_start[k]; e < c->data->row_start[k + 1]; e++) {
        berth__model_add_entry(model, row, 1 + n + (int)e, 1, NULL);
    }
    berth__model_add_row(model, NULL, -(double)INFINITY, 0, &row, NULL); /* duration <= T */
    for (size_t e = c->data->row_start[k]; e < c->data->row_start[k + 1]; e++) {
        berth__model_add_entry(model, row, 1 + n + (int)e, c->data->ms_per_sample[k] / 1000, NULL);
    }
    berth__model_add_entry(model, row, y, c->request->model_kbit / c->data->bandwidth_kbps[k], NULL);
    berth__model_add_entry(model, row, 0, -1, NULL);
}

static void add_common_rows(const problem *c, berth__model *model) {
    size_t n = c->data->n_clients;
    double budget = c->request->budget > 0 ? (double)c->request->budget : (double)n;
    int row;
    berth__model_add_row(model, NULL, -(double)INFINITY, budget, &row, NULL);
    for (size_t k = 0; k < n; k++) {
        berth__model_add_entry(model, row, 1 + (int)k, 1, NULL);
    }
    for (size_t i = 0; i < c->data->n_categories; i++) {
        berth__model_add_row(model, NULL, (double)c->request->requests[i], (double)INFINITY, &row, NULL);
        for (size_t e = 0; e < c->data->row_start[n]; e++) {
            if (c->data->category[e] == i) {
                berth__model_add_entry(model, row, 1 + (int)n + (int)e, 1, NULL);
            }
        }
    }
}

double cohort_optimum(const berth_cohort_data *data, const berth_cohort_request *request, const berth_backends *set,
                      bool integers) {
    const problem *c = &(problem){data, request};
    berth_error error = {0};
    berth__model *model = NULL;
    berth__lp *lp = NULL;
    const berth__lp_result *result = NULL;
    berth__lp_options options;
    assert_ok(berth__model_new(&model, &error), error);
    add_columns(c, c->request->objective == BERTH_COHORT_DURATION, integers, model);
    for (size_t k = 0; k < c->data->n_clients; k++) {
        add_client_rows(c, k, model);
    }
    add_common_rows(c, model);
    assert_ok(berth__model_finish(model, &error), error);
    assert_ok(berth__lp_open(model, set, integers ? "glpk" : "auto", &lp, &error), error);
    berth__lp_options_init(&options);
    options.integers = integers;
    assert_ok(berth__lp_solve(lp, &options, &result, &error), error);
    assert_true(result->outcome == BERTH_OPTIMAL || result->outcome == BERTH_INFEASIBLE);
    double optimum = result->outcome == BERTH_OPTIMAL ? result->objective : (double)INFINITY;
    berth__lp_close(lp);
    berth__model_free(model);
    return optimum;
}

double cohort_case_optimum(const cohort_case *c, const berth_backends *set, bool integers) {
    return cohort_optimum(&c->data, &c->request, set, integers);
}

void cohort_expect_sound(const berth_cohort_data *data, const berth_cohort_request *request, const berth_cohort *cohort,
                         const char *what) {
    berth_error error;
    berth_report *report = NULL;
    assert_ok(berth_check_cohort(data, request, cohort, NULL, &report, &error), error);
    for (size_t k = 0; k < report->n_findings; k++) {
        const berth_finding *finding = &report->findings[k];
        if (finding->violated) {
            fail_msg("%s: %s at %s: %s", what, finding->rule, finding->where, finding->message);
        }
    }
    berth_report_free(report);
}
