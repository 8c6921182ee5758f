#include "formulations/slot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/tolerance.h"
#include "formulations/mpc.h"
#include "rounding/independent.h"
#include "rounding/repair.h"

/* Costs of an LP span at most this factor: a solver's tolerance on them is absolute, and exponential prices may span
 * more. The second is for the last resort, where being solved at all is what counts. */
#define COST_RANGE  1e10
#define ROUGH_RANGE 1e5
/* Where all columns at once are too much for the solver, it gets those up to a price, which grows by this factor. */
#define PRICE_STEP 100
/* A machine with room for at least one worker or one server. A column of -1: not one such unit fits. */
typedef struct kept_machine {
    int machine;
    int worker_col, ps_col;
} kept_machine;

typedef struct overfull_machine {
    double overload;
    int kept;
} overfull_machine;

/* The LP over some of the columns, in their order. Rows: workers, servers (unless all-reduce), capacities, F. */
typedef struct relaxation {
    int n_cols, n_workers;
    int *col;    /* [n_cols] column of the slot problem */
    double unit; /* price that counts as 1 */
    berth__mpc *mpc;
    berth__model *model;
    berth__lp *lp; /* NULL: no column for workers, or none for servers */
} relaxation;

/* Columns: workers of the kept machines, then servers. */
struct berth__slot_lp {
    berth__slot_problem problem;
    berth__arena *arena;
    const berth_backends *set;
    const char *backend;
    kept_machine *kept;
    int n_kept, n_worker_cols, n_cols;
    bool needs_ps, must_spread;
    double *price, *most; /* [n_cols] price and most units that fit */
    int *dearest;         /* [n_cols] worker columns by falling price, then server columns likewise */
    relaxation all;
    /* the last solution */
    int workers, ps;
    double value;
    double *x;       /* [2 n_machines] */
    double *columns; /* [n_cols] the same by columns */
    /* scratch of rounding */
    double *draw, *work;        /* [n_cols] */
    double *no_upper;           /* [n_cols] INFINITY */
    overfull_machine *overfull; /* [n_kept] */
};

/* ---- what fits ---- */

static double room_of(double free) {
    return fmax(free, 0) * (1 + BERTH__FEASIBILITY);
}

/* A demand may be infinite, a count 0. */
static double load_of(double demand, double count) {
    return count > 0 ? demand * count : 0;
}

int berth__fit_count(const double *free, const double *demand, int n_resources, int limit) {
    int count = limit < 0 ? 0 : limit;
    for (int r = 0; r < n_resources; r++) {
        double room = room_of(free[r]);
        if (load_of(demand[r], count) <= room) {
            continue;
        }
        count = (int)fmin(count, floor(room / demand[r]));
        /* The quotient is rounded: settle with the product that berth__fits forms. */
        while (load_of(demand[r], count) > room) {
            count--;
        }
        while (count < limit && load_of(demand[r], count + 1) <= room) {
            count++;
        }
    }
    return count;
}

static bool fits(const double *free, const berth__job *job, int n_resources, double w, double s) {
    for (int r = 0; r < n_resources; r++) {
        if (!(load_of(job->worker[r], w) + load_of(job->ps[r], s) <= room_of(free[r]))) {
            return false;
        }
    }
    return true;
}

bool berth__fits(const double *free, const berth__job *job, int n_resources, int w, int s) {
    return fits(free, job, n_resources, w, s);
}

static const double *free_of(const berth__slot_problem *p, int machine) {
    return p->free + (size_t)machine * (size_t)p->n_resources;
}

static bool eligible(const berth__slot_problem *p, int machine) {
    return p->job->eligible == NULL || p->job->eligible[machine];
}

/* ---- internal case ---- */

bool berth__slot_internal(const berth__slot_problem *p, int workers, int *machine, double *cost) {
    int ps = berth__ps_needed(p->job, workers);
    *machine = -1;
    *cost = (double)INFINITY;
    if (workers < 1 || workers > p->job->max_workers) {
        return false;
    }
    for (int h = 0; h < p->n_machines; h++) {
        if (!eligible(p, h) || !fits(free_of(p, h), p->job, p->n_resources, workers, ps)) {
            continue;
        }
        double price = workers * p->price_worker[h] + load_of(p->price_ps[h], ps);
        if (price < *cost) {
            *cost = price;
            *machine = h;
        }
    }
    return *machine >= 0;
}

/* ---- external case: building the LP ---- */

/* Numbers the columns. A variable of which not one unit fits gets none, and so is 0. */
static bool keep_machines(berth__slot_lp *lp) {
    const berth__slot_problem *p = &lp->problem;
    lp->kept = BERTH__ARENA_ARRAY(lp->arena, kept_machine, (size_t)p->n_machines);
    if (lp->kept == NULL) {
        return false;
    }
    for (int h = 0; h < p->n_machines; h++) {
        bool worker = eligible(p, h) && fits(free_of(p, h), p->job, p->n_resources, 1, 0);
        bool ps = lp->needs_ps && eligible(p, h) && fits(free_of(p, h), p->job, p->n_resources, 0, 1);
        if (worker || ps) {
            lp->kept[lp->n_kept++] = (kept_machine){h, worker ? lp->n_worker_cols++ : -1, ps ? 0 : -1};
        }
    }
    lp->n_cols = lp->n_worker_cols;
    for (int k = 0; k < lp->n_kept; k++) {
        if (lp->kept[k].ps_col == 0) {
            lp->kept[k].ps_col = lp->n_cols++;
        }
    }
    return true;
}

static bool make_arrays(berth__slot_lp *lp) {
    size_t n = (size_t)lp->n_cols;
    lp->price = BERTH__ARENA_ARRAY(lp->arena, double, n);
    lp->most = BERTH__ARENA_ARRAY(lp->arena, double, n);
    lp->dearest = BERTH__ARENA_ARRAY(lp->arena, int, n);
    lp->x = BERTH__ARENA_ARRAY(lp->arena, double, 2 * (size_t)lp->problem.n_machines);
    lp->columns = BERTH__ARENA_ARRAY(lp->arena, double, n);
    lp->draw = BERTH__ARENA_ARRAY(lp->arena, double, n);
    lp->work = BERTH__ARENA_ARRAY(lp->arena, double, n);
    lp->no_upper = BERTH__ARENA_ARRAY(lp->arena, double, n);
    lp->overfull = BERTH__ARENA_ARRAY(lp->arena, overfull_machine, (size_t)lp->n_kept);
    return lp->price != NULL && lp->most != NULL && lp->dearest != NULL && lp->x != NULL && lp->columns != NULL &&
           lp->draw != NULL && lp->work != NULL && lp->no_upper != NULL && lp->overfull != NULL;
}

typedef struct priced_column {
    double price;
    int col;
} priced_column;

static int by_falling_price(const void *left, const void *right) {
    const priced_column *a = left, *b = right;
    if (a->price != b->price) {
        return a->price > b->price ? -1 : 1;
    }
    return (a->col < b->col) - (a->col > b->col);
}

static void describe_columns(berth__slot_lp *lp) {
    const berth__slot_problem *p = &lp->problem;
    const berth__job *job = p->job;
    for (int j = 0; j < lp->n_cols; j++) {
        lp->no_upper[j] = (double)INFINITY;
    }
    int most_ps = berth__ps_needed(job, job->max_workers);
    for (int k = 0; k < lp->n_kept; k++) {
        const kept_machine *m = &lp->kept[k];
        const double *free = free_of(p, m->machine);
        if (m->worker_col >= 0) {
            lp->price[m->worker_col] = p->price_worker[m->machine];
            lp->most[m->worker_col] = berth__fit_count(free, job->worker, p->n_resources, job->max_workers);
        }
        if (m->ps_col >= 0) {
            lp->price[m->ps_col] = p->price_ps[m->machine];
            lp->most[m->ps_col] = berth__fit_count(free, job->ps, p->n_resources, most_ps);
        }
    }
}

static bool order_columns(berth__slot_lp *lp) {
    priced_column *order = BERTH__ARENA_ARRAY(lp->arena, priced_column, (size_t)lp->n_cols);
    if (order == NULL) {
        return false;
    }
    for (int j = 0; j < lp->n_cols; j++) {
        order[j] = (priced_column){lp->price[j], j};
    }
    size_t n_workers = (size_t)lp->n_worker_cols;
    qsort(order, n_workers, sizeof *order, by_falling_price);
    qsort(order + n_workers, (size_t)lp->n_cols - n_workers, sizeof *order, by_falling_price);
    for (int j = 0; j < lp->n_cols; j++) {
        lp->dearest[j] = order[j].col;
    }
    return true;
}

static double highest_price(const berth__slot_lp *lp) {
    double highest = 0;
    for (int j = 0; j < lp->n_cols; j++) {
        highest = fmax(highest, lp->price[j]);
    }
    return highest;
}

/* Takes the columns up to a price; place[j] is where column j went, -1: nowhere. The least positive price counts as 1,
 * or the highest as `range` if that is more. */
static void choose_columns(relaxation *out, const berth__slot_lp *lp, double limit, double range, int *place) {
    double least = (double)INFINITY, highest = 0;
    for (int j = 0; j < lp->n_cols; j++) {
        place[j] = lp->price[j] <= limit ? out->n_cols : -1;
        if (place[j] < 0) {
            continue;
        }
        out->col[out->n_cols++] = j;
        out->n_workers += j < lp->n_worker_cols;
        highest = fmax(highest, lp->price[j]);
        if (lp->price[j] > 0) {
            least = fmin(least, lp->price[j]);
        }
    }
    out->unit = highest > 0 ? fmax(least, highest / range) : 1;
}

/* The packing rows of a machine, for what its columns demand; divided by the largest coefficient, because shares of
 * a large cluster are as small as a solver's tolerance. */
static berth_status add_capacities(berth__mpc *mpc, const berth__slot_problem *p, int machine, int worker, int ps,
                                   berth_error *error) {
    berth_status status = BERTH_OK;
    for (int r = 0; r < p->n_resources && status == BERTH_OK; r++) {
        double alpha = worker >= 0 ? p->job->worker[r] : 0;
        double beta = ps >= 0 ? p->job->ps[r] : 0;
        double scale = fmax(alpha, beta);
        int vars[2], n = 0;
        double values[2];
        if (alpha > 0) {
            vars[n] = worker;
            values[n++] = alpha / scale;
        }
        if (beta > 0) {
            vars[n] = ps;
            values[n++] = beta / scale;
        }
        if (n > 0) {
            double room = fmax(free_of(p, machine)[r], 0) / scale;
            status = berth__mpc_add_pack(mpc, NULL, room, n, vars, values, error);
        }
    }
    return status;
}

static berth_status add_rows(const relaxation *out, const berth__slot_lp *lp, const int *place, berth_error *error) {
    size_t n = (size_t)out->n_cols;
    int *all = BERTH__NEW_ARRAY(int, n);
    double *ones = BERTH__NEW_ARRAY(double, n);
    berth_status status = BERTH_OK;
    if (all == NULL || ones == NULL) {
        status = berth__fail_memory(error);
        goto done;
    }
    for (int j = 0; j < out->n_cols; j++) {
        all[j] = j;
        ones[j] = 1;
    }
    status = berth__mpc_add_cover(out->mpc, "workers", 0, out->n_workers, all, ones, error);
    if (status == BERTH_OK && lp->needs_ps) {
        status = berth__mpc_add_cover(out->mpc, "servers", 0, out->n_cols - out->n_workers, all + out->n_workers, ones,
                                      error);
    }
    for (int k = 0; k < lp->n_kept && status == BERTH_OK; k++) {
        const kept_machine *m = &lp->kept[k];
        int worker = m->worker_col < 0 ? -1 : place[m->worker_col], ps = m->ps_col < 0 ? -1 : place[m->ps_col];
        status = add_capacities(out->mpc, &lp->problem, m->machine, worker, ps, error);
    }
    if (status == BERTH_OK) {
        status = berth__mpc_add_pack(out->mpc, "width", lp->problem.job->max_workers, out->n_workers, all, ones, error);
    }
done:
    berth__free(all);
    berth__free(ones);
    return status;
}

static berth_status fill_relaxation(relaxation *out, const berth__slot_lp *lp, const int *place, berth_error *error) {
    berth_status status = berth__mpc_new(false, &out->mpc, error);
    for (int j = 0; j < out->n_cols && status == BERTH_OK; j++) {
        int col = out->col[j];
        /* One more than fits never binds, and lets a dual solution with rounding error in it still prove a bound. */
        status = berth__mpc_add_var(out->mpc, NULL, lp->price[col] / out->unit, lp->most[col] + 1, true,
                                    col < lp->n_worker_cols ? 0 : 1, NULL, error);
    }
    if (status == BERTH_OK) {
        status = add_rows(out, lp, place, error);
    }
    if (status == BERTH_OK) {
        status = berth__mpc_model(out->mpc, &out->model, error);
    }
    return status == BERTH_OK ? berth__lp_open(out->model, lp->set, lp->backend, &out->lp, error) : status;
}

/* The caller closes *out, also after a failure. */
static berth_status relaxation_open(relaxation *out, const berth__slot_lp *lp, double limit, double range,
                                    berth_error *error) {
    *out = (relaxation){.col = BERTH__NEW_ARRAY(int, (size_t)lp->n_cols)};
    int *place = BERTH__NEW_ARRAY(int, (size_t)lp->n_cols);
    berth_status status = BERTH_OK;
    if (out->col == NULL || place == NULL) {
        status = berth__fail_memory(error);
        goto done;
    }
    choose_columns(out, lp, limit, range, place);
    if (out->n_workers > 0 && (out->n_cols > out->n_workers || !lp->needs_ps)) {
        status = fill_relaxation(out, lp, place, error);
    }
done:
    berth__free(place);
    return status;
}

static void relaxation_close(relaxation *r) {
    berth__lp_close(r->lp);
    berth__model_free(r->model);
    berth__mpc_free(r->mpc);
    berth__free(r->col);
}

static berth_status build(berth__slot_lp *lp, const char *backend, berth_error *error) {
    lp->arena = berth__arena_new();
    if (lp->arena == NULL || !keep_machines(lp) || !make_arrays(lp)) {
        return berth__fail_memory(error);
    }
    describe_columns(lp);
    lp->backend = backend == NULL ? NULL : berth__arena_strdup(lp->arena, backend);
    if (!order_columns(lp) || (backend != NULL && lp->backend == NULL)) {
        return berth__fail_memory(error);
    }
    return relaxation_open(&lp->all, lp, highest_price(lp), COST_RANGE, error);
}

berth_status berth__slot_lp_new(const berth__slot_problem *p, const berth_backends *set, const char *backend,
                                berth__slot_lp **out, berth_error *error) {
    *out = NULL;
    berth__slot_lp *lp = BERTH__NEW_ARRAY(berth__slot_lp, 1);
    if (lp == NULL) {
        return berth__fail_memory(error);
    }
    lp->problem = *p;
    lp->set = set;
    lp->value = (double)INFINITY;
    lp->needs_ps = berth__ps_needed(p->job, 1) > 0;
    lp->must_spread = p->job->slot_samples[BERTH_INTERNAL] < p->job->slot_samples[BERTH_EXTERNAL];
    berth_status status = build(lp, backend, error);
    if (status == BERTH_OK) {
        *out = lp;
    } else {
        berth__slot_lp_free(lp);
    }
    return status;
}

void berth__slot_lp_free(berth__slot_lp *lp) {
    if (lp == NULL) {
        return;
    }
    relaxation_close(&lp->all);
    berth__arena_free(lp->arena);
    berth__free(lp);
}

/* ---- external case: solving ---- */

static berth_status set_cover(const relaxation *r, int row, int rhs, berth_error *error) {
    berth_status status = berth__mpc_set_rhs(r->mpc, row, rhs, error);
    return status == BERTH_OK ? berth__lp_set_row_bounds(r->lp, row, rhs, (double)INFINITY, error) : status;
}

/* The outcome is one of OPTIMAL, INFEASIBLE, or anything else for trouble. */
static berth_status ask(const relaxation *r, const berth__slot_lp *lp, const berth__budget *budget,
                        const berth__lp_result **result, berth_error *error) {
    berth_status status = set_cover(r, 0, lp->workers, error);
    if (status == BERTH_OK && lp->needs_ps) {
        status = set_cover(r, 1, lp->ps, error);
    }
    if (status != BERTH_OK) {
        return status;
    }
    berth__lp_options options;
    berth__lp_options_init(&options);
    options.integers = false;
    options.budget = budget;
    status = berth__lp_solve(r->lp, &options, result, error);
    if (status == BERTH_OK && (*result)->outcome == BERTH_LIMIT) {
        return berth__fail(error, BERTH_E_CANCELLED, NULL, "stopped while solving a slot problem");
    }
    return status;
}

static void read_solution(berth__slot_lp *lp, const relaxation *r, const double *x) {
    memset(lp->columns, 0, (size_t)lp->n_cols * sizeof *lp->columns);
    lp->value = 0;
    for (int j = 0; j < r->n_cols; j++) {
        lp->columns[r->col[j]] = fmax(x[j], 0);
        lp->value += lp->price[r->col[j]] * fmax(x[j], 0);
    }
    for (int k = 0; k < lp->n_kept; k++) {
        const kept_machine *m = &lp->kept[k];
        if (m->worker_col >= 0) {
            lp->x[m->machine] = lp->columns[m->worker_col];
        }
        if (m->ps_col >= 0) {
            lp->x[lp->problem.n_machines + m->machine] = lp->columns[m->ps_col];
        }
    }
}

/* True if no column above the limit could better the solution: duals of packing rows only add to a reduced cost, so
 * a price above the dual of its cover row is too high. */
static bool prices_out(const berth__slot_lp *lp, const relaxation *r, const berth__lp_result *result, double limit) {
    double highest = fmax(result->row_dual[0], lp->needs_ps ? result->row_dual[1] : 0);
    return highest * r->unit <= limit;
}

/* Solves over the columns up to a price, and reports whether that settles the problem. */
static berth_status solve_up_to(berth__slot_lp *lp, double limit, double range, bool is_last,
                                const berth__budget *budget, bool *settled, berth_error *error) {
    relaxation r;
    const berth__lp_result *result = NULL;
    berth_status status = relaxation_open(&r, lp, limit, range, error);
    if (status == BERTH_OK && r.lp != NULL) {
        status = ask(&r, lp, budget, &result, error);
    }
    if (status == BERTH_OK && result != NULL && result->outcome == BERTH_OPTIMAL &&
        (is_last || prices_out(lp, &r, result, limit))) {
        read_solution(lp, &r, result->x);
        *settled = true;
    }
    *settled = *settled || (is_last && result != NULL && result->outcome == BERTH_INFEASIBLE);
    relaxation_close(&r);
    return status;
}

/* Prices span too much for the solver: columns enter from the cheap end until no dearer one is of use, in the end all
 * of them with costs that are roughened at the cheap end. */
static berth_status solve_in_steps(berth__slot_lp *lp, const berth__budget *budget, berth_error *error) {
    double highest = highest_price(lp);
    bool settled = false;
    berth_status status = BERTH_OK;
    for (double limit = highest / COST_RANGE; limit < highest && !settled && status == BERTH_OK; limit *= PRICE_STEP) {
        status = solve_up_to(lp, limit, COST_RANGE, false, budget, &settled, error);
    }
    if (status == BERTH_OK && !settled) {
        status = solve_up_to(lp, highest, ROUGH_RANGE, true, budget, &settled, error);
    }
    if (status == BERTH_OK && !settled) {
        status = berth__fail(error, BERTH_E_NUMERIC, NULL, "the relaxation of a slot problem could not be solved");
    }
    return status;
}

/* Leaves the value at INFINITY if the LP is infeasible. */
static berth_status solve(berth__slot_lp *lp, const berth__budget *budget, berth_error *error) {
    const berth__lp_result *result = NULL;
    berth_status status = ask(&lp->all, lp, budget, &result, error);
    if (status != BERTH_OK || result->outcome == BERTH_INFEASIBLE) {
        return status;
    }
    if (result->outcome != BERTH_OPTIMAL) {
        return solve_in_steps(lp, budget, error);
    }
    read_solution(lp, &lp->all, result->x);
    return BERTH_OK;
}

berth_status berth__slot_lp_solve(berth__slot_lp *lp, int workers, const berth__budget *budget, double *value,
                                  const double **x, berth_error *error) {
    *value = (double)INFINITY;
    *x = lp->x;
    lp->value = (double)INFINITY;
    memset(lp->x, 0, 2 * (size_t)lp->problem.n_machines * sizeof *lp->x);
    if (workers < 1) {
        return berth__fail(error, BERTH_E_ARGUMENT, "workers", "workers is %d; expected a number >= 1", workers);
    }
    lp->workers = workers;
    lp->ps = berth__ps_needed(lp->problem.job, workers);
    if (lp->all.lp == NULL || workers > lp->problem.job->max_workers) {
        return BERTH_OK;
    }
    berth_status status = solve(lp, budget, error);
    *value = lp->value;
    return status;
}

/* ---- rounding ---- */

static double count_in(const double *x, int col) {
    return col < 0 ? 0 : x[col];
}

static bool machine_fits(const berth__slot_lp *lp, const kept_machine *m, double w, double s) {
    return fits(free_of(&lp->problem, m->machine), lp->problem.job, lp->problem.n_resources, w, s);
}

/* Largest load / room of a machine and its resource; above 1 exactly where the machine does not fit. */
static double overload(const berth__slot_lp *lp, const kept_machine *m, const double *x, int *resource) {
    const berth__job *job = lp->problem.job;
    const double *free = free_of(&lp->problem, m->machine);
    double worst = 0;
    *resource = 0;
    for (int r = 0; r < lp->problem.n_resources; r++) {
        double load = load_of(job->worker[r], count_in(x, m->worker_col)) + load_of(job->ps[r], count_in(x, m->ps_col));
        double room = room_of(free[r]);
        /* Compared as berth__fits does: a quotient may round to 1. */
        double ratio = load <= room ? 0 : fmax(load / room, 1 + BERTH__FEASIBILITY);
        if (ratio > worst) {
            worst = ratio;
            *resource = r;
        }
    }
    return worst;
}

/* Lowers x[col] by what its overfull resource needs, at most by the excess. False if that is nothing. */
static bool lower(double *x, int col, double demand, double too_much, double *excess) {
    if (col < 0 || demand <= 0) {
        return false;
    }
    double n = fmin(fmax(ceil(too_much / demand), 1), fmin(x[col], *excess));
    if (n < 1) {
        return false;
    }
    x[col] -= n;
    *excess -= n;
    return true;
}

/* Takes excess units off an overfull machine until it fits or none helps; the kind that relieves more goes first,
 * then the dearer one. */
static void relieve(const berth__slot_lp *lp, const kept_machine *m, double *x, double *excess_w, double *excess_s) {
    const berth__job *job = lp->problem.job;
    int r;
    while (overload(lp, m, x, &r) > 0) {
        double alpha = job->worker[r], beta = job->ps[r];
        double load = load_of(alpha, count_in(x, m->worker_col)) + load_of(beta, count_in(x, m->ps_col));
        double too_much = load - room_of(free_of(&lp->problem, m->machine)[r]);
        bool worker_first =
            alpha != beta ? alpha > beta : lp->problem.price_worker[m->machine] >= lp->problem.price_ps[m->machine];
        bool lowered = worker_first ? lower(x, m->worker_col, alpha, too_much, excess_w)
                                    : lower(x, m->ps_col, beta, too_much, excess_s);
        if (!lowered) {
            lowered = worker_first ? lower(x, m->ps_col, beta, too_much, excess_s)
                                   : lower(x, m->worker_col, alpha, too_much, excess_w);
        }
        if (!lowered) {
            return;
        }
    }
}

static int by_falling_overload(const void *left, const void *right) {
    const overfull_machine *a = left, *b = right;
    if (a->overload != b->overload) {
        return a->overload > b->overload ? -1 : 1;
    }
    return (a->kept > b->kept) - (a->kept < b->kept);
}

static void relieve_overfull(const berth__slot_lp *lp, double *x, double *excess_w, double *excess_s) {
    size_t n = 0;
    for (int k = 0; k < lp->n_kept; k++) {
        int resource;
        double load = overload(lp, &lp->kept[k], x, &resource);
        if (load > 0) {
            lp->overfull[n++] = (overfull_machine){load, k};
        }
    }
    qsort(lp->overfull, n, sizeof *lp->overfull, by_falling_overload);
    for (size_t i = 0; i < n && (*excess_w > 0 || *excess_s > 0); i++) {
        relieve(lp, &lp->kept[lp->overfull[i].kept], x, excess_w, excess_s);
    }
}

static void drop_dearest(const int *dearest, int n, double *x, double excess) {
    for (int i = 0; i < n && excess > 0; i++) {
        double dropped = fmin(x[dearest[i]], excess);
        x[dearest[i]] -= dropped;
        excess -= dropped;
    }
}

static double sum(const double *x, int from, int to) {
    double total = 0;
    for (int j = from; j < to; j++) {
        total += x[j];
    }
    return total;
}

/* berth__after_draw.adjust: at most W workers and S servers stay. O(n_machines n_resources), and a sort of the
 * overfull machines. */
static void drop_excess(void *user, double *x) {
    berth__slot_lp *lp = user;
    double excess_w = fmax(sum(x, 0, lp->n_worker_cols) - lp->workers, 0);
    double excess_s = fmax(sum(x, lp->n_worker_cols, lp->n_cols) - lp->ps, 0);
    if (excess_w > 0 || excess_s > 0) {
        relieve_overfull(lp, x, &excess_w, &excess_s);
    }
    drop_dearest(lp->dearest, lp->n_worker_cols, x, excess_w);
    drop_dearest(lp->dearest + lp->n_worker_cols, lp->n_cols - lp->n_worker_cols, x, excess_s);
}

/* The kept machine that holds everything, or -1. */
static int sole_machine(const berth__slot_lp *lp, const double *x) {
    int sole = -1;
    for (int k = 0; k < lp->n_kept; k++) {
        if (count_in(x, lp->kept[k].worker_col) + count_in(x, lp->kept[k].ps_col) > 0) {
            if (sole >= 0) {
                return -1;
            }
            sole = k;
        }
    }
    return sole;
}

/* berth__after_draw.accept: every constraint again, on the counts themselves. */
static bool acceptable(void *user, const double *x) {
    const berth__slot_lp *lp = user;
    double workers = sum(x, 0, lp->n_worker_cols), ps = sum(x, lp->n_worker_cols, lp->n_cols);
    if (workers < lp->workers || workers > lp->problem.job->max_workers || ps < lp->ps) {
        return false;
    }
    for (int k = 0; k < lp->n_kept; k++) {
        const kept_machine *m = &lp->kept[k];
        if (!machine_fits(lp, m, count_in(x, m->worker_col), count_in(x, m->ps_col))) {
            return false;
        }
    }
    return !lp->must_spread || sole_machine(lp, x) < 0;
}

/* The cheapest move of one unit of a kind from column `from` to another machine with room for it. */
static void seek_move(const berth__slot_lp *lp, const double *x, int from, double w, double s, int *best_from,
                      int *best_to, double *best_cost) {
    if (from < 0 || x[from] < 1) {
        return;
    }
    for (int k = 0; k < lp->n_kept; k++) {
        int to = w > 0 ? lp->kept[k].worker_col : lp->kept[k].ps_col;
        if (to < 0 || to == from || !machine_fits(lp, &lp->kept[k], w, s)) {
            continue;
        }
        double cost = lp->price[to] - lp->price[from];
        if (cost < *best_cost) {
            *best_cost = cost;
            *best_from = from;
            *best_to = to;
        }
    }
}

/* A job that is slower on one machine must not sit on one: moves one worker or one server off it. */
static void spread(const berth__slot_lp *lp, double *x) {
    int sole = sole_machine(lp, x);
    if (!lp->must_spread || sole < 0) {
        return;
    }
    int from = -1, to = -1;
    double cost = (double)INFINITY;
    seek_move(lp, x, lp->kept[sole].worker_col, 1, 0, &from, &to, &cost);
    seek_move(lp, x, lp->kept[sole].ps_col, 0, 1, &from, &to, &cost);
    if (from >= 0) {
        x[from] -= 1;
        x[to] += 1;
    }
}

static berth_status mend(berth__slot_lp *lp, const berth__packcover *view, bool *feasible, berth_error *error) {
    berth_status status = berth__repair(view, NULL, NULL, lp->draw, feasible);
    if (status != BERTH_OK) {
        return berth__fail(error, status, NULL, "cannot repair a rounding: %s", berth_status_text(status));
    }
    drop_excess(lp, lp->draw);
    spread(lp, lp->draw);
    *feasible = acceptable(lp, lp->draw);
    return BERTH_OK;
}

static void write_placement(const berth__slot_lp *lp, int *w, int *s, double *cost) {
    *cost = 0;
    for (int k = 0; k < lp->n_kept; k++) {
        const kept_machine *m = &lp->kept[k];
        w[m->machine] = (int)count_in(lp->draw, m->worker_col);
        s[m->machine] = (int)count_in(lp->draw, m->ps_col);
    }
    for (int j = 0; j < lp->n_cols; j++) {
        *cost += load_of(lp->price[j], lp->draw[j]);
    }
}

berth_status berth__slot_lp_round(berth__slot_lp *lp, const berth__scale_choice *choice, int trials, bool repair,
                                  berth__pcg *stream, int *w, int *s, berth__slot_rounding *out, berth_error *error) {
    size_t n = (size_t)lp->problem.n_machines;
    if (trials < 1) {
        return berth__fail(error, BERTH_E_ARGUMENT, "trials", "trials is %d; expected a number >= 1", trials);
    }
    memset(w, 0, n * sizeof *w);
    memset(s, 0, n * sizeof *s);
    *out = (berth__slot_rounding){.cost = (double)INFINITY, .guarantee = {.why_not = "the relaxation is infeasible"}};
    if (!isfinite(lp->value)) {
        return BERTH_OK;
    }
    berth__packcover view = berth__mpc_view(lp->all.mpc);
    view.upper = lp->no_upper; /* the formulation has none */
    out->guarantee = berth__choose_scale(&view, lp->columns, NULL, choice);
    if (lp->must_spread && lp->workers + (double)lp->ps < 2) {
        return BERTH_OK;
    }
    const berth__after_draw after = {drop_excess, acceptable, lp};
    berth__trials_result result = berth__round_trials(&view, lp->columns, out->guarantee.scale, NULL, trials, true,
                                                      &after, stream, lp->draw, lp->work);
    out->draws = result.draws;
    out->feasible = result.feasible;
    berth_status status = BERTH_OK;
    if (!out->feasible && repair) {
        status = mend(lp, &view, &out->feasible, error);
    }
    if (status == BERTH_OK && out->feasible) {
        write_placement(lp, w, s, &out->cost);
    }
    return status;
}
