/* Prices and what they prove. Few clients: the exact optimum without a budget by flows, then prices learned on all of
 * them. Many: prices are learned on a sample, then on the clients that at these prices are near enough to be chosen,
 * and what they refute is decided by passes over all clients. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/pcg.h"
#include "formulations/cohort/flow.h"
#include "formulations/cohort/learn.h"
#include "formulations/cohort/relaxation.h"
#include "formulations/cohort/run.h"

enum { SAMPLE = 10000, SAMPLE_PER_CATEGORY = 100, MOST_FLOW_ENTRIES = 1000000, EXACT_PASSES = 300 };

/* Clients stay in the pool if they are worth this much of the last one that is chosen, at a deadline slightly below.
 * Without a deadline worths differ more, few are chosen, and prices from a sample are rougher. */
static const double pool_worth = 0.7, pool_worth_of_few = 0.3, pool_deadline = 0.96;

bool berth__cohort_run_open(berth__cohort_run *run, const berth__cohort_problem *problem,
                            const berth_cohort_options *options, const berth__budget *limit) {
    const berth__cohort_view *view = &problem->view;
    *run = (berth__cohort_run){.view = view,
                               .objective = problem->request->objective,
                               .options = options,
                               .patience = 1,
                               .budget = problem->budget,
                               .deadline_s = problem->request->deadline_s,
                               .limit = limit,
                               .refuted_s = -1,
                               .search_bound_s = (double)NAN,
                               .duration_s = (double)INFINITY};
    run->share = BERTH__NEW_ARRAY(double, view->n_categories);
    run->price = BERTH__NEW_ARRAY(double, view->n_categories);
    run->chosen = BERTH__NEW_ARRAY(uint32_t, view->n_clients);
    if (!berth__cohort_space_init(&run->space, view->n_clients, view->n_categories) || run->share == NULL ||
        run->price == NULL || run->chosen == NULL) {
        return false;
    }
    for (size_t c = 0; c < view->n_categories; c++) {
        run->share[c] = 1 / (double)view->n_categories;
    }
    return true;
}

void berth__cohort_run_close(berth__cohort_run *run) {
    berth__cohort_space_free(&run->space);
    berth__cohort_view_free(&run->pool);
    berth__free(run->share);
    berth__free(run->price);
    berth__free(run->chosen);
}

bool berth__cohort_run_stopped(const berth__cohort_run *run) {
    return run->out_of_memory || berth__budget_spent(run->limit);
}

static berth_status status_of(const berth__cohort_run *run, berth_error *error) {
    return run->out_of_memory ? berth__fail_memory(error) : BERTH_OK;
}

static berth__cohort_rate rate_of(const berth__cohort_run *run, int iterations, double rate, double step) {
    return (berth__cohort_rate){.iterations = (int)ceil(iterations * run->patience * fmin(run->options->effort, 1e4)),
                                .rate = rate,
                                .step = step};
}

/* ---- the certificate ---- */

/* Keeps prices that refute `refuted_s`, where `next_s` is the next duration, if they prove more than those kept. */
static void certify(berth__cohort_run *run, const double *price, double refuted_s, double next_s) {
    if (refuted_s > run->refuted_s) {
        memcpy(run->price, price, run->view->n_categories * sizeof *price);
        run->refuted_s = refuted_s;
        run->bound_s = fmax(run->bound_s, next_s);
    }
}

void berth__cohort_certify_cut(berth__cohort_run *run, const bool *in_cut, double refuted_s) {
    for (size_t c = 0; c < run->view->n_categories; c++) {
        run->space.price[c] = in_cut[c] ? 1 : 0;
    }
    certify(run, run->space.price, refuted_s, berth__cohort_next_duration(run->view, refuted_s));
}

void berth__cohort_certify_shares(berth__cohort_run *run, double from_s) {
    const bool few = run->view->n_clients <= BERTH__COHORT_FEW_CLIENTS;
    double *price = run->space.price, refuted, next;
    berth__cohort_prices(run->view, run->share, price);
    for (int k = 0; k < 60; k++) {
        next = berth__cohort_root(run->view, price, run->budget, from_s, few ? EXACT_PASSES : 2, &run->space, &refuted);
        if (refuted >= 0) {
            certify(run, price, refuted, next);
            return;
        }
        from_s *= 1 - 5e-4 * (1 << (k < 10 ? k : 10));
    }
}

/* Within 0 nobody processes a sample, at any prices. */
static void certify_nothing(berth__cohort_run *run) {
    berth__cohort_prices(run->view, run->share, run->price);
    run->refuted_s = 0;
    run->bound_s = berth__cohort_next_duration(run->view, 0);
}

/* ---- without a budget ---- */

/* The optimum for any number of participants: a bound for all budgets, and a cohort if it has few enough. */
static void solve_without_budget(berth__cohort_run *run) {
    const berth__cohort_view *view = run->view;
    berth__cohort_flow flow = {0};
    double refuted = -1, fastest = (double)NAN;
    size_t m = 0;
    if (!berth__cohort_flow_open(view, &flow)) {
        run->out_of_memory = true;
    } else {
        fastest = berth__cohort_flow_fastest(&flow, 0, run->limit, &refuted);
        if (refuted >= 0) {
            berth__cohort_certify_cut(run, flow.in_cut, refuted);
        }
    }
    for (uint32_t n = 0; fastest <= run->deadline_s && n < view->n_clients; n++) {
        if (flow.left[n] < berth__cohort_room(&view->clients[n], view->cap, fastest)) {
            run->chosen[m++] = n;
        }
    }
    if (m > 0 && m <= run->budget) {
        run->n_chosen = m;
        run->duration_s = fastest;
    }
    berth__cohort_flow_close(&flow);
}

/* ---- learning ---- */

/* Needs of a sample by what its clients hold; 0 for categories that none of them does. False: out of memory. */
static bool scale_needs(const berth__cohort_view *view, const berth__cohort_view *sample, double *need) {
    const berth__cohort_view *views[] = {view, sample};
    double *supply = BERTH__NEW_ARRAY(double, 2 * view->n_categories);
    for (size_t k = 0; supply != NULL && k < 2; k++) {
        for (size_t e = 0; e < views[k]->clients[views[k]->n_clients].first; e++) {
            supply[k * view->n_categories + views[k]->entries[e].category] += views[k]->entries[e].count;
        }
    }
    for (size_t c = 0; supply != NULL && c < view->n_categories; c++) {
        need[c] = view->need[c] * supply[view->n_categories + c] / supply[c];
    }
    berth__free(supply);
    return supply != NULL;
}

/* The more categories there are, the more clients it takes to see what each is worth. */
static double sample_size(const berth__cohort_view *view) {
    return fmax(SAMPLE, (double)SAMPLE_PER_CATEGORY * (double)view->n_categories);
}

/* Is a sample not much less than all? */
static bool is_sampled_whole(const berth__cohort_view *view) {
    return 1.5 * sample_size(view) >= (double)view->n_clients;
}

/* A sample of the clients with needs to match. False: out of memory. */
static bool draw_sample(const berth__cohort_view *view, berth__cohort_view *sample, double *need) {
    const uint64_t key[] = {view->n_clients, view->n_categories};
    const double size = sample_size(view);
    berth__pcg stream = berth__pcg_key(2, key);
    uint32_t *drawn = BERTH__NEW_ARRAY(uint32_t, view->n_clients);
    size_t m = 0;
    for (uint32_t n = 0; drawn != NULL && n < view->n_clients; n++) {
        if (berth__pcg_uniform(&stream) * (double)view->n_clients < size) {
            drawn[m++] = n;
        }
    }
    bool complete = drawn != NULL && berth__cohort_view_of(view, drawn, m, sample);
    sample->need = need;
    berth__free(drawn);
    return complete && scale_needs(view, sample, need);
}

static size_t sampled_budget(const berth__cohort_run *run, const berth__cohort_view *sample) {
    double part = (double)run->budget * (double)sample->n_clients / (double)run->view->n_clients;
    return part > 1 ? (size_t)(part + 0.5) : 1;
}

/* Where prices alone begin to refute nothing: what learning starts below. */
static double start_of(berth__cohort_run *run, const berth__cohort_view *view, size_t budget) {
    double refuted;
    berth__cohort_prices(view, run->share, run->space.price);
    double next = berth__cohort_root(view, run->space.price, budget, 0, 40, &run->space, &refuted);
    return refuted > 0 ? refuted : next;
}

/* The pool: clients worth the given part of the last one chosen at the shares' prices, a little before the deadline. */
static void fill_pool(berth__cohort_run *run, double deadline_s, size_t budget, double worth) {
    const berth__cohort_view *view = run->view;
    uint32_t *stay = BERTH__NEW_ARRAY(uint32_t, view->n_clients);
    size_t m = 0;
    berth__cohort_view_free(&run->pool);
    if (stay != NULL) {
        berth__cohort_prices(view, run->share, run->space.price);
        berth__cohort_values(view, run->space.price, deadline_s, run->space.value);
        berth__cohort_top top =
            berth__cohort_top_values(run->space.value, view->n_clients, budget, (double)INFINITY, &run->space);
        for (uint32_t n = 0; n < view->n_clients; n++) {
            if (run->space.value[n] > 0 && run->space.value[n] >= worth * top.threshold) {
                stay[m++] = n;
            }
        }
    }
    run->out_of_memory = stay == NULL || !berth__cohort_view_of(view, stay, m, &run->pool);
    berth__free(stay);
}

berth_status berth__cohort_pool_all(berth__cohort_run *run, berth_error *error) {
    uint32_t *all = BERTH__NEW_ARRAY(uint32_t, run->view->n_clients);
    berth__cohort_view_free(&run->pool);
    for (uint32_t n = 0; all != NULL && n < run->view->n_clients; n++) {
        all[n] = n;
    }
    run->out_of_memory = all == NULL || !berth__cohort_view_of(run->view, all, run->view->n_clients, &run->pool);
    berth__free(all);
    return status_of(run, error);
}

/* Shares from a sample into run->share; returns about the deadline that they refute. */
static double learn_from_sample(berth__cohort_run *run) {
    berth__cohort_view sample = {0};
    double *need = BERTH__NEW_ARRAY(double, run->view->n_categories), deadline = -1;
    if (need == NULL || !draw_sample(run->view, &sample, need)) {
        run->out_of_memory = true;
    } else {
        size_t budget = sampled_budget(run, &sample);
        berth__cohort_rate rate = rate_of(run, 250, 1, 0.1);
        deadline = berth__cohort_learn_deadline(&sample, budget, start_of(run, &sample, budget), (double)INFINITY,
                                                &rate, run->share, &run->space, run->limit);
        run->out_of_memory = isnan(deadline);
    }
    berth__cohort_view_free(&sample);
    berth__free(need);
    return deadline;
}

/* The same from all. */
static double learn_from_all(berth__cohort_run *run) {
    berth__cohort_rate rate = rate_of(run, 250, 1, 0.1);
    double start = start_of(run, run->view, run->budget);
    double deadline = berth__cohort_learn_deadline(run->view, run->budget, start, (double)INFINITY, &rate, run->share,
                                                   &run->space, run->limit);
    run->out_of_memory = isnan(deadline);
    return deadline;
}

static void learn_many(berth__cohort_run *run) {
    double about = is_sampled_whole(run->view) ? learn_from_all(run) : learn_from_sample(run);
    if (run->out_of_memory) {
        return;
    }
    fill_pool(run, pool_deadline * about, run->budget, pool_worth);
    if (run->out_of_memory || run->pool.n_clients == 0) {
        return;
    }
    berth__cohort_rate rate = rate_of(run, 60, 0.3, 0.01);
    double refuted = berth__cohort_learn_deadline(&run->pool, run->budget, pool_deadline * about, (double)INFINITY,
                                                  &rate, run->share, &run->space, run->limit);
    run->out_of_memory = isnan(refuted);
    berth__cohort_certify_shares(run, refuted > 0 ? refuted : pool_deadline * about);
}

static void learn_few(berth__cohort_run *run) {
    berth__cohort_pool_all(run, NULL);
    if (run->out_of_memory) {
        return;
    }
    double start = fmax(run->refuted_s, start_of(run, &run->pool, run->budget));
    berth__cohort_rate rate = rate_of(run, 400, 1, 0.1);
    double refuted = berth__cohort_learn_deadline(&run->pool, run->budget, start, run->duration_s, &rate, run->share,
                                                  &run->space, run->limit);
    run->out_of_memory = isnan(refuted);
    if (refuted > 0) {
        berth__cohort_certify_shares(run, refuted);
    }
    if (!run->out_of_memory && isfinite(run->bound_s) && 2 * run->budget < run->view->n_clients) {
        fill_pool(run, run->bound_s, run->budget, pool_worth);
    }
}

berth_status berth__cohort_bound_duration(berth__cohort_run *run, berth_error *error) {
    const berth__cohort_view *view = run->view;
    bool few = view->n_clients <= BERTH__COHORT_FEW_CLIENTS;
    certify_nothing(run);
    if (run->budget == view->n_clients || view->clients[view->n_clients].first <= MOST_FLOW_ENTRIES) {
        solve_without_budget(run);
    }
    bool done = run->n_chosen > 0 && run->duration_s <= run->bound_s;
    if (done || berth__cohort_run_stopped(run)) {
        return status_of(run, error);
    }
    if (strcmp(run->options->solver, "auto") != 0) {
        return berth__cohort_relax_duration(run, error);
    }
    if (few) {
        learn_few(run);
    } else {
        learn_many(run);
    }
    return status_of(run, error);
}

/* ---- participants ---- */

void berth__cohort_certify_participants(berth__cohort_run *run) {
    const berth__cohort_view *view = run->view;
    berth__cohort_prices(view, run->share, run->space.price);
    berth__cohort_values(view, run->space.price, run->deadline_s, run->space.value);
    double worth = berth__cohort_worth(view, run->space.price);
    berth__cohort_top top =
        berth__cohort_top_values(run->space.value, view->n_clients, view->n_clients, worth, &run->space);
    size_t least = top.reached ? top.count : view->n_clients + 1;
    if (least > run->least) {
        run->least = least;
        memcpy(run->price, run->space.price, view->n_categories * sizeof *run->price);
        run->refuted_s = run->deadline_s;
    }
}

static void learn_participants_from_all(berth__cohort_run *run) {
    berth__cohort_rate rate = rate_of(run, 250, 1, 0);
    run->out_of_memory =
        isnan(berth__cohort_learn_participants(run->view, run->deadline_s, &rate, run->share, &run->space, run->limit));
}

static void learn_participants_from_sample(berth__cohort_run *run) {
    berth__cohort_view sample = {0};
    double *need = BERTH__NEW_ARRAY(double, run->view->n_categories);
    if (need == NULL || !draw_sample(run->view, &sample, need)) {
        run->out_of_memory = true;
    } else {
        berth__cohort_rate rate = rate_of(run, 250, 1, 0);
        run->out_of_memory = isnan(
            berth__cohort_learn_participants(&sample, run->deadline_s, &rate, run->share, &run->space, run->limit));
    }
    berth__cohort_view_free(&sample);
    berth__free(need);
}

berth_status berth__cohort_bound_participants(berth__cohort_run *run, berth_error *error) {
    if (strcmp(run->options->solver, "auto") != 0) {
        return berth__cohort_relax_participants(run, error);
    }
    if (run->view->n_clients > BERTH__COHORT_FEW_CLIENTS) {
        if (is_sampled_whole(run->view)) {
            learn_participants_from_all(run);
        } else {
            learn_participants_from_sample(run);
        }
        if (!run->out_of_memory) {
            berth__cohort_certify_participants(run);
            fill_pool(run, run->deadline_s, run->least, pool_worth_of_few);
        }
    } else {
        berth__cohort_pool_all(run, NULL);
    }
    if (!run->out_of_memory && run->pool.n_clients > 0) {
        berth__cohort_rate rate = rate_of(run, run->view->n_clients > BERTH__COHORT_FEW_CLIENTS ? 60 : 400, 0.5, 0);
        run->out_of_memory = isnan(
            berth__cohort_learn_participants(&run->pool, run->deadline_s, &rate, run->share, &run->space, run->limit));
        berth__cohort_certify_participants(run);
    }
    if (!run->out_of_memory && run->view->n_clients <= BERTH__COHORT_FEW_CLIENTS &&
        2 * run->least < run->view->n_clients) {
        fill_pool(run, run->deadline_s, run->least, pool_worth_of_few);
    }
    return status_of(run, error);
}
