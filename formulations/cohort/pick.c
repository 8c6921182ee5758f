/* berth_cohort_pick: the order of steps, and why there is no cohort if there is none. */
#include "formulations/cohort/pick.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "formulations/cohort/columns.h"
#include "formulations/cohort/flow.h"
#include "formulations/cohort/search.h"
#include "solver/solve.h"

void berth_cohort_options_init(berth_cohort_options *options) {
    *options = (berth_cohort_options){
        .struct_size = sizeof *options, .solver = "auto", .time_limit_s = (double)INFINITY, .effort = 1};
    berth_hooks_init(&options->hooks);
}

const char *berth_cohort_reason_name(berth_cohort_reason reason) {
    switch (reason) {
#define REASON_NAME(name, value, text)                                                                                 \
    case BERTH_COHORT_##name:                                                                                          \
        return text;
        BERTH_COHORT_REASON_TABLE(REASON_NAME)
#undef REASON_NAME
    }
    return "unknown";
}

static berth_status check_options(const berth_cohort_options *o, berth_error *error) {
    if (o->struct_size != sizeof *o) {
        return berth__fail(error, BERTH_E_ARGUMENT, "options", "not initialised: call berth_cohort_options_init first");
    }
    if (!(o->time_limit_s >= 0)) {
        return berth__fail(error, BERTH_E_ARGUMENT, "time_limit_s", "time_limit_s is %g; expected a number >= 0",
                           o->time_limit_s);
    }
    if (!(o->effort > 0 && isfinite(o->effort))) {
        return berth__fail(error, BERTH_E_ARGUMENT, "effort", "effort is %g; expected a number > 0", o->effort);
    }
    if (o->solver == NULL ||
        (strcmp(o->solver, "auto") != 0 && berth__backend_find(o->backends, o->solver, BERTH__BACKEND_LP) == NULL)) {
        return berth__fail(error, BERTH_E_BACKEND, "solver", "no LP solver '%s'; expected auto or a backend's name",
                           o->solver == NULL ? "" : o->solver);
    }
    return BERTH_OK;
}

/* Is it not known that the fewest participants are within a category each, and one, of the relaxation? */
static bool is_far(const berth__cohort_run *run) {
    return run->objective == BERTH_COHORT_PARTICIPANTS && run->n_chosen > run->least + run->view->n_categories &&
           berth__cohort_columns_possible(run);
}

/* Bound, cohort, complete search. */
static berth_status solve(berth__cohort_run *run, berth_error *error) {
    bool duration = run->objective == BERTH_COHORT_DURATION;
    berth_status status =
        duration ? berth__cohort_bound_duration(run, error) : berth__cohort_bound_participants(run, error);
    if (status != BERTH_OK) {
        return status;
    }
    if (run->pool.n_clients > 0) { /* else the bound came with the optimum, or time is up */
        if (duration) {
            berth__cohort_find_fast(run);
        } else {
            berth__cohort_find_small(run);
        }
        bool rounds = run->view->n_clients > BERTH__COHORT_SEARCHABLE && berth__cohort_is_relaxed_soon(run);
        if ((rounds || is_far(run)) && !berth__cohort_is_best(run) && !berth__cohort_run_stopped(run)) {
            status = berth__cohort_round(run, error);
        }
        berth__cohort_improve(run);
    }
    berth__cohort_complete(run);
    return status == BERTH_OK && run->out_of_memory ? berth__fail_memory(error) : status;
}

/* ---- fewer that are as fast ---- */

/* Fewest participants within the duration found and the slack: from those found, by their prices where there are many.
 */
static berth_status find_fewer(berth__cohort_pick *pick, berth__cohort_run *run, double slack, berth__cohort_run *fewer,
                               berth_error *error) {
    if (!berth__cohort_run_open(fewer, &pick->problem, pick->options, &pick->limit)) {
        return berth__fail_memory(error);
    }
    static const double patience = 0.5; /* the objective was another one */
    fewer->objective = BERTH_COHORT_PARTICIPANTS;
    fewer->patience = patience;
    fewer->deadline_s = fmin(run->deadline_s, run->duration_s * (1 + slack));
    memcpy(fewer->share, run->share, run->view->n_categories * sizeof *fewer->share);
    berth__cohort_offer(fewer, NULL, run->chosen, run->n_chosen);
    if (run->view->n_clients <= BERTH__COHORT_FEW_CLIENTS) {
        return solve(fewer, error);
    }
    fewer->pool = run->pool;
    run->pool = (berth__cohort_view){0};
    if (fewer->pool.n_clients > 0) {
        berth__cohort_find_small(fewer);
    }
    return fewer->out_of_memory ? berth__fail_memory(error) : BERTH_OK;
}

static berth_status trim(berth__cohort_pick *pick, berth__cohort_run *run, double slack, berth_error *error) {
    berth__cohort_run fewer = {0};
    berth_status status = find_fewer(pick, run, slack, &fewer, error);
    if (status == BERTH_OK && fewer.n_chosen > 0 && fewer.n_chosen < run->n_chosen) {
        run->n_chosen = 0;
        run->duration_s = (double)INFINITY;
        berth__cohort_offer(run, NULL, fewer.chosen, fewer.n_chosen);
        status = run->out_of_memory ? berth__fail_memory(error) : BERTH_OK;
        if (run->n_chosen == 0) { /* time was up before it was known how fast they are */
            memcpy(run->chosen, fewer.chosen, fewer.n_chosen * sizeof *run->chosen);
            run->n_chosen = fewer.n_chosen;
            run->duration_s = fewer.deadline_s;
        }
    }
    if (run->pool.n_clients == 0) {
        run->pool = fewer.pool;
        fewer.pool = (berth__cohort_view){0};
    }
    berth__cohort_run_close(&fewer);
    return status;
}

/* ---- why not ---- */

static void short_supply(berth__cohort_pick *pick) {
    const berth__cohort_problem *p = &pick->problem;
    pick->reason = BERTH_COHORT_SUPPLY;
    pick->outcome = BERTH_INFEASIBLE;
    memcpy(pick->missing, p->missing, p->data->n_categories * sizeof *pick->missing);
    for (size_t c = 0; c < p->data->n_categories; c++) {
        pick->prices[c] = p->missing[c] > 0; /* these categories prove it */
    }
    pick->certificate_deadline_s = (double)INFINITY;
}

static void set_missing(berth__cohort_pick *pick, const double *lacking) {
    for (size_t c = 0; c < pick->problem.view.n_categories; c++) {
        pick->missing[pick->problem.category[c]] = (uint64_t)lacking[c];
    }
}

static void set_prices(berth__cohort_pick *pick, const double *price, double deadline_s) {
    for (size_t c = 0; c < pick->problem.view.n_categories; c++) {
        pick->prices[pick->problem.category[c]] = price[c];
    }
    pick->certificate_deadline_s = deadline_s;
}

/* All clients together: do they meet the needs within the deadline? If not, what is missing, and the cut that proves
 * it. */
static berth_status check_all(berth__cohort_pick *pick, double deadline_s, berth_cohort_reason reason,
                              berth_error *error) {
    berth__cohort_flow flow = {0};
    berth_status status = BERTH_OK;
    if (!berth__cohort_flow_open(&pick->problem.view, &flow)) {
        status = berth__fail_memory(error);
    } else if (berth__cohort_flow_solve(&flow, deadline_s) > 0) {
        pick->reason = reason;
        pick->outcome = BERTH_INFEASIBLE;
        set_missing(pick, flow.lacking);
        for (size_t c = 0; c < pick->problem.view.n_categories; c++) {
            flow.lacking[c] = flow.in_cut[c] ? 1 : 0;
        }
        set_prices(pick, flow.lacking, deadline_s);
    }
    berth__cohort_flow_close(&flow);
    return status;
}

/* What the best clients by worth lack when there is no cohort: an attempt that shows how far it is. */
static berth_status set_missing_of_attempt(berth__cohort_pick *pick, berth__cohort_run *run, berth_error *error) {
    const berth__cohort_view *view = run->view;
    berth__cohort_greedy greedy = {0};
    berth__cohort_view some = {0};
    berth__cohort_flow flow = {0};
    berth_status status = BERTH_OK;
    if (!berth__cohort_greedy_open(view, &run->space, 1, &greedy)) {
        status = berth__fail_memory(error);
    } else {
        berth__cohort_greedy_choose(&greedy, run->share, run->deadline_s, run->budget, run->budget, 0);
        if (!berth__cohort_view_of(view, greedy.chosen, greedy.n_chosen, &some) ||
            !berth__cohort_flow_open(&some, &flow)) {
            status = berth__fail_memory(error);
        } else {
            berth__cohort_flow_solve(&flow, run->deadline_s);
            set_missing(pick, flow.lacking);
        }
    }
    berth__cohort_flow_close(&flow);
    berth__cohort_view_free(&some);
    berth__cohort_greedy_close(&greedy);
    return status;
}

/* Another run, for what would do: without the deadline, or without the budget for fewest participants. */
static berth_status solve_other(const berth__cohort_pick *pick, berth_cohort_objective objective, double deadline_s,
                                size_t budget, berth__cohort_run *run, berth_error *error) {
    if (!berth__cohort_run_open(run, &pick->problem, pick->options, &pick->limit)) {
        return berth__fail_memory(error);
    }
    run->objective = objective;
    run->deadline_s = deadline_s;
    run->budget = budget;
    return solve(run, error);
}

static berth_status find_enough_deadline(berth__cohort_pick *pick, berth_error *error) {
    berth__cohort_run run = {0};
    berth_status status = BERTH_OK;
    if (isfinite(pick->problem.request->deadline_s)) {
        status = solve_other(pick, BERTH_COHORT_DURATION, (double)INFINITY, pick->problem.budget, &run, error);
        if (run.n_chosen > 0) {
            pick->enough_deadline_s = run.duration_s;
        }
    }
    berth__cohort_run_close(&run);
    return status;
}

/* Few participants where a fast choice of them failed: may be as few as the budget allows, and then a beginning. */
static berth_status find_enough_budget(berth__cohort_pick *pick, berth__cohort_run *run, berth_error *error) {
    berth__cohort_run other = {0};
    if (run->objective == BERTH_COHORT_PARTICIPANTS) {
        pick->enough_budget = run->n_chosen;
        return BERTH_OK;
    }
    berth_status status = solve_other(pick, BERTH_COHORT_PARTICIPANTS, pick->problem.request->deadline_s,
                                      pick->problem.view.n_clients, &other, error);
    pick->enough_budget = other.n_chosen;
    if (status == BERTH_OK && other.n_chosen > 0 && other.n_chosen <= run->budget) {
        berth__cohort_offer(run, NULL, other.chosen, other.n_chosen);
        if (run->pool.n_clients > 0) {
            berth__cohort_find_fast(run);
        }
        status = run->out_of_memory ? berth__fail_memory(error) : BERTH_OK;
    }
    berth__cohort_run_close(&other);
    return status;
}

/* No cohort within budget and deadline was found; is it proved that there is none? */
static berth_status explain(berth__cohort_pick *pick, berth__cohort_run *run, berth_error *error) {
    bool duration = run->objective == BERTH_COHORT_DURATION;
    bool certified = duration ? run->refuted_s >= 0 && (run->bound_s > run->deadline_s || isinf(run->bound_s))
                              : run->least > run->budget;
    bool searched = duration ? run->search_bound_s > run->deadline_s || isinf(run->search_bound_s)
                             : run->search_least > run->budget;
    pick->reason = BERTH_COHORT_BUDGET;
    pick->outcome = certified || searched ? BERTH_INFEASIBLE : BERTH_LIMIT;
    if (certified) {
        set_prices(pick, run->price, fmin(run->deadline_s, run->refuted_s));
    }
    berth_status status = set_missing_of_attempt(pick, run, error);
    return status == BERTH_OK ? find_enough_deadline(pick, error) : status;
}

/* ---- the steps ---- */

static void take_run(berth__cohort_pick *pick, const berth__cohort_run *run) {
    bool duration = run->objective == BERTH_COHORT_DURATION;
    bool proved = duration ? run->duration_s <= fmax(run->bound_s, run->search_bound_s)
                           : run->n_chosen <= run->least || run->n_chosen <= run->search_least;
    pick->outcome = proved ? BERTH_OPTIMAL : BERTH_FEASIBLE;
    if (duration) {
        pick->bound_s = run->bound_s;
        pick->search_bound_s = run->search_bound_s;
    } else {
        pick->participants_bound = run->least;
        pick->search_participants = run->search_least;
    }
    if (run->refuted_s >= 0) {
        set_prices(pick, run->price, run->refuted_s);
    }
}

static bool is_within(const berth__cohort_run *run) {
    return run->n_chosen > 0 && run->n_chosen <= run->budget;
}

static berth_status solve_and_judge(berth__cohort_pick *pick, berth__cohort_run *run, berth_error *error) {
    const berth_cohort_request *request = pick->problem.request;
    if (!berth__cohort_run_open(run, &pick->problem, pick->options, &pick->limit)) {
        return berth__fail_memory(error);
    }
    berth_status status = solve(run, error);
    if (status != BERTH_OK) {
        return status;
    }
    if (!is_within(run)) {
        status = find_enough_budget(pick, run, error);
    }
    if (status == BERTH_OK && is_within(run) && run->objective == BERTH_COHORT_DURATION &&
        !berth__cohort_run_stopped(run)) {
        /* without slack first: fewer participants are sometimes faster, too */
        status = trim(pick, run, 0, error);
        if (status == BERTH_OK && request->slack > 0 && !berth__cohort_run_stopped(run)) {
            status = trim(pick, run, request->slack, error);
        }
    }
    pick->stopped = berth__budget_spent(&pick->limit);
    if (status != BERTH_OK) {
        return status;
    }
    if (is_within(run)) {
        pick->enough_budget = 0;
        take_run(pick, run);
        return berth__cohort_result_participants(
            pick, run->chosen, run->n_chosen,
            request->objective == BERTH_COHORT_DURATION ? run->duration_s : run->deadline_s, error);
    }
    return explain(pick, run, error);
}

static berth_status pick_steps(berth__cohort_pick *pick, berth_error *error) {
    const berth__cohort_problem *p = &pick->problem;
    const berth_cohort_request *request = p->request;
    if (p->is_short && request->client_cap == 0) {
        short_supply(pick);
        return BERTH_OK;
    }
    if (p->view.n_categories == 0) { /* nothing is asked for */
        pick->outcome = BERTH_OPTIMAL;
        return BERTH_OK;
    }
    berth_status status = BERTH_OK;
    if (request->client_cap > 0) {
        status = check_all(pick, (double)INFINITY, BERTH_COHORT_SUPPLY, error);
    }
    if (status == BERTH_OK && pick->outcome != BERTH_INFEASIBLE && isfinite(request->deadline_s)) {
        status = check_all(pick, request->deadline_s, BERTH_COHORT_DEADLINE, error);
        if (status == BERTH_OK && pick->outcome == BERTH_INFEASIBLE) {
            return find_enough_deadline(pick, error);
        }
    }
    if (status != BERTH_OK || pick->outcome == BERTH_INFEASIBLE) {
        return status;
    }
    berth__cohort_run run = {0};
    status = solve_and_judge(pick, &run, error);
    berth__cohort_run_close(&run);
    return status;
}

berth_status berth_cohort_pick(const berth_cohort_data *data, const berth_cohort_request *request,
                               const berth_cohort_options *options, berth_cohort **out, berth_error *error) {
    if (out != NULL) {
        *out = NULL;
    }
    berth__error_clear(error);
    if (data == NULL || request == NULL || out == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, NULL, "data, request and out must not be NULL");
    }
    berth_cohort_options defaults;
    berth_cohort_options_init(&defaults);
    berth__cohort_pick pick = {.options = options != NULL ? options : &defaults, .outcome = BERTH_LIMIT};
    berth_status status = check_options(pick.options, error);
    if (status != BERTH_OK) {
        return status;
    }
    pick.limit = berth__budget_start(pick.options->time_limit_s, &pick.options->hooks);
    status = berth__cohort_problem_open(&pick.problem, data, request, error);
    status = status == BERTH_OK ? berth__cohort_result_open(&pick, error) : status;
    status = status == BERTH_OK ? pick_steps(&pick, error) : status;
    status = status == BERTH_OK ? berth__cohort_result_finish(&pick, out, error) : status;
    berth__cohort_result_close(&pick);
    berth__cohort_problem_close(&pick.problem);
    return status;
}
