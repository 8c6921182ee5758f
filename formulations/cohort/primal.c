/* Cohorts: greedy choices at the learned prices within deadlines that close in on the bound, then ruin and recreate.
 * For a set of clients flows say exactly how fast it is, whatever the choice made of it. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/pcg.h"
#include "formulations/cohort/flow.h"
#include "formulations/cohort/greedy.h"
#include "formulations/cohort/run.h"

enum {
    CLOSING_IN = 5,
    CLOSING_IN_MANY = 2,
    MOST_DOUBLINGS = 40,
    ROUNDS = 300,
    LEAST_ROUNDS = 10,
    MORE_FOR_FEWEST = 3,
    SOON_SEARCHED = 16
};

/* Rounds times entries. */
static const double improvement = 6e6;

/* Few enough to choose from for choices to be made again and again. */
static bool is_few(const berth__cohort_run *run) {
    return run->pool.n_clients <= BERTH__COHORT_FEW_CLIENTS;
}

/* ---- what a set of clients can do ---- */

static void keep(berth__cohort_run *run, const berth__cohort_view *some, const berth__cohort_flow *flow,
                 double duration_s) {
    size_t m = 0;
    for (size_t k = 0; k < some->n_clients; k++) {
        uint32_t room = berth__cohort_room(&some->clients[k], some->cap, duration_s);
        if (flow->left[k] < room) { /* it has something to do */
            run->chosen[m++] = some->clients[k].id;
        }
    }
    run->n_chosen = m;
    run->duration_s = duration_s;
}

/* The least duration of the clients of `some` within the request's deadline, if that is better than the best. */
static bool judge(berth__cohort_run *run, const berth__cohort_view *some, berth__cohort_flow *flow) {
    double refuted;
    if (run->objective == BERTH_COHORT_PARTICIPANTS) {
        bool met = berth__cohort_flow_solve(flow, run->deadline_s) <= 0;
        if (met && (run->n_chosen == 0 || some->n_clients <= run->n_chosen)) { /* others as small lead elsewhere */
            keep(run, some, flow, run->deadline_s);
        }
        return met;
    }
    double fastest = berth__cohort_flow_fastest(flow, fmax(run->refuted_s, 0), run->limit, &refuted);
    bool met = fastest <= run->deadline_s && isfinite(fastest);
    if (met && (run->n_chosen == 0 || fastest < run->duration_s)) {
        keep(run, some, flow, fastest);
    }
    return met;
}

bool berth__cohort_offer(berth__cohort_run *run, const berth__cohort_view *of, const uint32_t *chosen, size_t n) {
    berth__cohort_view some = {0};
    berth__cohort_flow flow = {0};
    bool met = false;
    if (berth__cohort_view_of(of != NULL ? of : run->view, chosen, n, &some)) {
        for (size_t k = 0; of != NULL && k < n; k++) {
            some.clients[k].id = of->clients[chosen[k]].id;
        }
        if (berth__cohort_flow_open(&some, &flow)) {
            met = judge(run, &some, &flow);
        } else {
            run->out_of_memory = true;
        }
    } else {
        run->out_of_memory = true;
    }
    berth__cohort_flow_close(&flow);
    berth__cohort_view_free(&some);
    return met;
}

/* ---- fastest cohorts ---- */

/* Within deadline_s, from the first n_kept that greedy->chosen holds. True: that is met. */
static bool attempt(berth__cohort_run *run, berth__cohort_greedy *greedy, const double *share, double deadline_s,
                    size_t n_kept) {
    double before = run->duration_s;
    bool met = berth__cohort_greedy_choose(greedy, share, deadline_s, run->budget, run->budget, n_kept);
    /* what a greedy choice assigns may fall short where a flow does not */
    bool worth_it = met || (is_few(run) && greedy->n_chosen > 0);
    if (worth_it) {
        berth__cohort_offer(run, &run->pool, greedy->chosen, greedy->n_chosen);
    }
    return met || (run->duration_s < before && run->duration_s <= deadline_s);
}

/* Deadlines above the bound until the greedy choice succeeds at one. */
static void first_success(berth__cohort_run *run, berth__cohort_greedy *greedy) {
    double last = fmin(run->deadline_s, berth__cohort_longest_duration(&run->pool)), margin = 0.01;
    for (int k = 0; k < MOST_DOUBLINGS && !berth__cohort_run_stopped(run); k++) {
        double deadline = fmin(run->bound_s * (1 + margin), last);
        if (attempt(run, greedy, run->share, deadline, 0) || deadline >= last) {
            break;
        }
        margin *= 2;
    }
}

static void close_in(berth__cohort_run *run, berth__cohort_greedy *greedy) {
    double low = run->bound_s;
    int steps = is_few(run) ? CLOSING_IN : CLOSING_IN_MANY;
    for (int k = 0; k < steps && run->bound_s < run->duration_s && !berth__cohort_run_stopped(run); k++) {
        double high = run->duration_s, middle = low + 0.5 * (high - low);
        if (high - low < 1e-3 * high || !attempt(run, greedy, run->share, middle, 0)) {
            low = middle;
        }
    }
}

/* ---- ruin and recreate ---- */

static const uint32_t OUTSIDE = UINT32_MAX; /* of the pool */

/* Puts a random part of the best cohort's clients first in greedy->chosen; returns how many. `position`: in the pool,
 * of clients of the view. */
static size_t keep_some(const berth__cohort_run *run, berth__cohort_greedy *greedy, const uint32_t *position,
                        double part, berth__pcg *stream) {
    size_t m = 0;
    for (size_t k = 0; k < run->n_chosen; k++) {
        if (berth__pcg_uniform(stream) < part && position[run->chosen[k]] != OUTSIDE) {
            greedy->chosen[m++] = position[run->chosen[k]];
        }
    }
    return m;
}

static void vary_shares(const berth__cohort_run *run, berth__pcg *stream, double *share) {
    double strength = 0.7 * berth__pcg_uniform(stream);
    for (size_t c = 0; c < run->view->n_categories; c++) {
        share[c] = run->share[c] * exp(strength * (2 * berth__pcg_uniform(stream) - 1));
    }
}

bool berth__cohort_is_best(const berth__cohort_run *run) {
    return run->objective == BERTH_COHORT_DURATION ? run->duration_s <= run->bound_s : run->n_chosen <= run->least;
}

/* Of many clients or without patience, cohorts this near to their bound are left as they are: the rest of the time
 * would go there. */
static bool pays(const berth__cohort_run *run) {
    static const double near = 1.01;
    bool is_near = run->objective == BERTH_COHORT_DURATION ? run->duration_s <= near * run->bound_s
                                                           : (double)run->n_chosen <= near * (double)run->least;
    return (run->view->n_clients <= BERTH__COHORT_FEW_CLIENTS && run->patience >= 1) || !is_near;
}

typedef bool try_again(berth__cohort_run *run, berth__cohort_greedy *greedy, const double *share, size_t n_kept,
                       double ambition);

static bool try_faster(berth__cohort_run *run, berth__cohort_greedy *greedy, const double *share, size_t n_kept,
                       double ambition) {
    double deadline = run->duration_s - ambition * (run->duration_s - run->bound_s);
    return attempt(run, greedy, share, fmin(deadline, nextafter(run->duration_s, 0)), n_kept);
}

static bool try_smaller(berth__cohort_run *run, berth__cohort_greedy *greedy, const double *share, size_t n_kept,
                        double ambition) {
    size_t before = run->n_chosen, budget = ambition > 0 ? before - 1 : before;
    berth__cohort_greedy_choose(greedy, share, run->deadline_s, budget, budget > 0 ? budget : 1, n_kept);
    return berth__cohort_offer(run, &run->pool, greedy->chosen, greedy->n_chosen) && run->n_chosen < before;
}

/* So many that they take about as long as the rest. */
static int rounds_of(const berth__cohort_run *run) {
    double entries = (double)run->pool.clients[run->pool.n_clients].first;
    double rounds = fmax(LEAST_ROUNDS, fmin(ROUNDS, improvement / (entries + 1)));
    double factor = run->objective == BERTH_COHORT_PARTICIPANTS ? MORE_FOR_FEWEST : 1;
    return (int)ceil(factor * rounds * run->patience * fmin(run->options->effort, 1e4));
}

static void repeat(berth__cohort_run *run, berth__cohort_greedy *greedy, try_again *again) {
    static const double parts[] = {0.99, 0.9, 0.75, 0.5, 0.97, 0.99, 0}, ambitions[] = {0.5, 0.1, 0};
    const uint64_t key[] = {run->view->n_clients, run->view->n_categories, run->budget};
    berth__pcg stream = berth__pcg_key(3, key);
    double *share = BERTH__NEW_ARRAY(double, run->view->n_categories);
    uint32_t *position = BERTH__NEW_ARRAY(uint32_t, run->view->n_clients);
    run->out_of_memory = run->out_of_memory || share == NULL || position == NULL;
    for (size_t n = 0; !run->out_of_memory && n < run->view->n_clients; n++) {
        position[n] = OUTSIDE;
    }
    for (uint32_t k = 0; !run->out_of_memory && k < run->pool.n_clients; k++) {
        position[run->pool.clients[k].id] = k;
    }
    const double few = 5; /* clients that go at least, on average */
    int rounds = rounds_of(run), turn = 0;
    for (int k = 0; k < rounds && !berth__cohort_is_best(run) && !berth__cohort_run_stopped(run); k++) {
        if (run->options->hooks.progress != NULL) {
            run->options->hooks.progress(run->options->hooks.user, k, rounds);
        }
        double ambition = ambitions[turn % 3], part = fmin(parts[k % 7], 1 - few / (double)run->n_chosen);
        vary_shares(run, &stream, share);
        size_t n_kept = keep_some(run, greedy, position, part, &stream);
        turn += !again(run, greedy, share, n_kept, ambition);
    }
    berth__free(share);
    berth__free(position);
}

/* ---- entry points ---- */

/* Passes for each adjustment of prices during a choice. Where many clients give
 * little each, the needs are met evenly without. */
static int iterations_of(const berth__cohort_run *run) {
    return is_few(run) || run->objective == BERTH_COHORT_PARTICIPANTS ? 2 : 0;
}

static void offer_all(berth__cohort_run *run) {
    uint32_t *all = BERTH__NEW_ARRAY(uint32_t, run->pool.n_clients);
    run->out_of_memory = run->out_of_memory || all == NULL;
    for (uint32_t n = 0; all != NULL && n < run->pool.n_clients; n++) {
        all[n] = n;
    }
    if (all != NULL) {
        berth__cohort_offer(run, &run->pool, all, run->pool.n_clients);
    }
    berth__free(all);
}

void berth__cohort_find_fast(berth__cohort_run *run) {
    berth__cohort_greedy greedy = {0};
    if (!berth__cohort_greedy_open(&run->pool, &run->space, iterations_of(run), &greedy)) {
        run->out_of_memory = true;
    } else if (!berth__cohort_is_best(run)) {
        first_success(run, &greedy);
        if (run->n_chosen > 0) {
            close_in(run, &greedy);
        }
    }
    berth__cohort_greedy_close(&greedy);
    if (run->n_chosen == 0 && run->pool.n_clients < run->view->n_clients && !berth__cohort_run_stopped(run) &&
        berth__cohort_pool_all(run, NULL) == BERTH_OK) {
        berth__cohort_find_fast(run); /* the pool was too small */
    }
}

void berth__cohort_find_small(berth__cohort_run *run) {
    berth__cohort_greedy greedy = {0};
    size_t all = run->pool.n_clients, expected = run->least > 0 && run->least < all ? run->least : all;
    if (!berth__cohort_greedy_open(&run->pool, &run->space, iterations_of(run), &greedy)) {
        run->out_of_memory = true;
    } else if (berth__cohort_greedy_choose(&greedy, run->share, run->deadline_s, all, expected > 0 ? expected : 1, 0) ||
               all <= BERTH__COHORT_FEW_CLIENTS) {
        berth__cohort_offer(run, &run->pool, greedy.chosen, greedy.n_chosen);
    }
    berth__cohort_greedy_close(&greedy);
    if (run->n_chosen == 0 && all < run->view->n_clients && !berth__cohort_run_stopped(run) &&
        berth__cohort_pool_all(run, NULL) == BERTH_OK) {
        berth__cohort_find_small(run); /* the pool was too small */
    } else if (run->n_chosen == 0 && all == run->view->n_clients) {
        offer_all(run); /* choices fell short one after another where a flow does not */
    }
}

void berth__cohort_improve(berth__cohort_run *run) {
    berth__cohort_greedy greedy = {0};
    bool searched_soon = run->view->n_clients <= SOON_SEARCHED; /* complete.c is done sooner */
    if (run->n_chosen == 0 || run->pool.n_clients == 0 || searched_soon || !is_few(run) || !pays(run) ||
        berth__cohort_is_best(run) || berth__cohort_run_stopped(run)) {
        return;
    }
    if (!berth__cohort_greedy_open(&run->pool, &run->space, iterations_of(run), &greedy)) {
        run->out_of_memory = true;
    } else {
        repeat(run, &greedy, run->objective == BERTH_COHORT_DURATION ? try_faster : try_smaller);
    }
    berth__cohort_greedy_close(&greedy);
}
