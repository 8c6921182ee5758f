#include "formulations/slot_lp.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* The range of costs in the last resort, where being solved at all is what counts. */
#define ROUGH_RANGE 1e5
/* Where a set is too much for the solver, it gets the units up to a price, which grows by this factor. */
#define PRICE_STEP 100
/* Defaults of the fields of these names. */
#define ROOM_TO_START    2
#define COLUMNS_TO_START 16
/* A resource of the whole cluster that falls short by this part of the need settles that nothing fits. */
#define CLEARLY_SHORT BERTH__LP_FEASIBILITY

static const double *demand_of(const berth__job *job, int kind) {
    return kind == BERTH__WORKER ? job->worker : job->ps;
}

static const double *free_of(const berth__slot_problem *p, int machine) {
    return p->free + (size_t)machine * (size_t)p->n_resources;
}

/* ---- a set ---- */

/* Copies the cheapest units of each kind, and lists their machines. */
static bool list_columns(berth__slot_set *set, berth__slot_lp *lp) {
    berth__slot_columns *c = &set->columns;
    c->n_workers = set->n[BERTH__WORKER];
    c->n_cols = c->n_workers + set->n[BERTH__SERVER];
    c->unit = BERTH__ARENA_ARRAY(set->arena, berth__slot_unit, (size_t)c->n_cols);
    c->machine = BERTH__ARENA_ARRAY(set->arena, berth__slot_machine, (size_t)c->n_cols);
    set->x = BERTH__ARENA_ARRAY(set->arena, double, (size_t)c->n_cols);
    if (c->unit == NULL || c->machine == NULL || set->x == NULL) {
        return false;
    }
    for (int j = 0; j < c->n_cols; j++) {
        int kind = j < c->n_workers ? BERTH__WORKER : BERTH__SERVER;
        c->unit[j] = lp->unit[kind][kind == BERTH__WORKER ? j : j - c->n_workers];
        int *at = &lp->listed_at[c->unit[j].machine];
        if (*at < 0) {
            *at = c->n_machines++;
            c->machine[*at] = (berth__slot_machine){c->unit[j].machine, {-1, -1}};
        }
        c->machine[*at].col[kind] = j;
    }
    for (int m = 0; m < c->n_machines; m++) {
        lp->listed_at[c->machine[m].machine] = -1;
    }
    return true;
}

/* The least positive price counts as 1, or the highest as `range` if that is more. */
static double cost_unit(const berth__slot_columns *c, double range) {
    double least = (double)INFINITY, highest = 0;
    for (int j = 0; j < c->n_cols; j++) {
        highest = fmax(highest, c->unit[j].price);
        if (c->unit[j].price > 0) {
            least = fmin(least, c->unit[j].price);
        }
    }
    return highest > 0 ? fmax(least, highest / range) : 1;
}

/* The packing rows of a machine, for what its columns demand; divided by the largest coefficient, because shares of
 * a large cluster are as small as a solver's tolerance. */
static berth_status add_capacities(berth__mpc *mpc, const berth__slot_problem *p, const berth__slot_machine *m,
                                   berth_error *error) {
    berth_status status = BERTH_OK;
    for (int r = 0; r < p->n_resources && status == BERTH_OK; r++) {
        int vars[BERTH__UNIT_KINDS], n = 0;
        double values[BERTH__UNIT_KINDS], scale = 0;
        for (int kind = 0; kind < BERTH__UNIT_KINDS; kind++) {
            double demand = m->col[kind] >= 0 ? demand_of(p->job, kind)[r] : 0;
            if (demand > 0) {
                vars[n] = m->col[kind];
                values[n++] = demand;
                scale = fmax(scale, demand);
            }
        }
        for (int k = 0; k < n; k++) {
            values[k] /= scale;
        }
        if (n > 0) {
            double room = fmax(free_of(p, m->machine)[r], 0) / scale;
            status = berth__mpc_add_pack(mpc, NULL, room, n, vars, values, error);
        }
    }
    return status;
}

static berth_status add_rows(berth__slot_set *set, const berth__slot_lp *lp, berth_error *error) {
    const berth__slot_columns *c = &set->columns;
    int *all = BERTH__ARENA_ARRAY(set->arena, int, (size_t)c->n_cols);
    double *ones = BERTH__ARENA_ARRAY(set->arena, double, (size_t)c->n_cols);
    if (all == NULL || ones == NULL) {
        return berth__fail_memory(error);
    }
    for (int j = 0; j < c->n_cols; j++) {
        all[j] = j;
        ones[j] = 1;
    }
    berth_status status = berth__mpc_add_cover(set->mpc, "workers", 0, c->n_workers, all, ones, error);
    if (status == BERTH_OK && lp->needs_ps) {
        status =
            berth__mpc_add_cover(set->mpc, "servers", 0, c->n_cols - c->n_workers, all + c->n_workers, ones, error);
    }
    for (int m = 0; m < c->n_machines && status == BERTH_OK; m++) {
        status = add_capacities(set->mpc, &lp->problem, &c->machine[m], error);
    }
    if (status == BERTH_OK) {
        status = berth__mpc_add_pack(set->mpc, "width", lp->problem.job->max_workers, c->n_workers, all, ones, error);
    }
    return status;
}

/* Most units of a kind that could be asked for. */
static int most_needed(const berth__job *job, int kind) {
    return kind == BERTH__WORKER ? job->max_workers : berth__ps_needed(job, job->max_workers);
}

static int fit_count(const berth__slot_lp *lp, int kind, int machine) {
    const berth__slot_problem *p = &lp->problem;
    return berth__fit_count(free_of(p, machine), demand_of(p->job, kind), p->n_resources, most_needed(p->job, kind));
}

static berth_status add_columns(berth__slot_set *set, const berth__slot_lp *lp, berth_error *error) {
    berth_status status = BERTH_OK;
    for (int j = 0; j < set->columns.n_cols && status == BERTH_OK; j++) {
        const berth__slot_unit *unit = &set->columns.unit[j];
        int kind = j < set->columns.n_workers ? BERTH__WORKER : BERTH__SERVER;
        /* One more than fits never binds, and lets a dual solution with rounding error in it still prove a bound. */
        double most = fit_count(lp, kind, unit->machine) + 1.0;
        status = berth__mpc_add_var(set->mpc, NULL, unit->price / set->cost_unit, most, true, kind, NULL, error);
    }
    return status;
}

static berth_status fill_set(berth__slot_set *set, const berth__slot_lp *lp, bool with_lp, berth_error *error) {
    berth_status status = berth__mpc_new(false, &set->mpc, error);
    if (status == BERTH_OK) {
        status = add_columns(set, lp, error);
    }
    if (status == BERTH_OK) {
        status = add_rows(set, lp, error);
    }
    if (status == BERTH_OK && with_lp) {
        status = berth__mpc_model(set->mpc, &set->model, error);
    }
    if (status == BERTH_OK && with_lp) {
        status = berth__lp_open(set->model, lp->backends, lp->backend, &set->lp, error);
    }
    return status;
}

berth_status berth__slot_set_open(berth__slot_set *set, berth__slot_lp *lp, const int n[BERTH__UNIT_KINDS],
                                  double range, bool with_lp, berth_error *error) {
    *set = (berth__slot_set){.n = {n[BERTH__WORKER], n[BERTH__SERVER]}, .arena = berth__arena_new()};
    berth_status status = BERTH_OK;
    if (set->arena == NULL || !list_columns(set, lp)) {
        status = berth__fail_memory(error);
    } else {
        set->cost_unit = cost_unit(&set->columns, range);
        status = fill_set(set, lp, with_lp, error);
    }
    if (status != BERTH_OK) {
        berth__slot_set_close(set);
    }
    return status;
}

void berth__slot_set_close(berth__slot_set *set) {
    berth__lp_close(set->lp);
    berth__model_free(set->model);
    berth__mpc_free(set->mpc);
    berth__arena_free(set->arena);
    *set = (berth__slot_set){.lp = NULL};
}

bool berth__slot_set_is_whole(const berth__slot_set *set, const berth__slot_lp *lp) {
    return set->n[BERTH__WORKER] == lp->n[BERTH__WORKER] && set->n[BERTH__SERVER] == lp->n[BERTH__SERVER];
}

/* ---- opening and closing ---- */

static int by_price_then_machine(const void *left, const void *right) {
    const berth__slot_unit *a = left, *b = right;
    if (a->price != b->price) {
        return a->price < b->price ? -1 : 1;
    }
    return (a->machine > b->machine) - (a->machine < b->machine);
}

/* Units that do not fit alone are left out, and so are 0. */
static void list_units(berth__slot_lp *lp) {
    const berth__slot_problem *p = &lp->problem;
    for (int h = 0; h < p->n_machines; h++) {
        lp->listed_at[h] = -1;
        if (!berth__slot_eligible(p, h)) {
            continue;
        }
        if (berth__slot_fits(p, h, 1, 0)) {
            lp->unit[BERTH__WORKER][lp->n[BERTH__WORKER]++] = (berth__slot_unit){p->price_worker[h], h};
        }
        if (lp->needs_ps && berth__slot_fits(p, h, 0, 1)) {
            lp->unit[BERTH__SERVER][lp->n[BERTH__SERVER]++] = (berth__slot_unit){p->price_ps[h], h};
        }
    }
    for (int kind = 0; kind < BERTH__UNIT_KINDS; kind++) {
        qsort(lp->unit[kind], (size_t)lp->n[kind], sizeof *lp->unit[kind], by_price_then_machine);
    }
}

static berth_status build(berth__slot_lp *lp, const char *backend, berth_error *error) {
    size_t H = (size_t)lp->problem.n_machines;
    if (berth__backend_find(lp->backends, backend, BERTH__BACKEND_LP) == NULL) {
        return berth__fail(error, BERTH_E_BACKEND, "solver", "no backend '%s' for linear programmes",
                           backend == NULL ? "auto" : backend);
    }
    lp->arena = berth__arena_new();
    if (lp->arena == NULL) {
        return berth__fail_memory(error);
    }
    lp->backend = backend == NULL ? NULL : berth__arena_strdup(lp->arena, backend);
    lp->unit[BERTH__WORKER] = BERTH__ARENA_ARRAY(lp->arena, berth__slot_unit, H);
    lp->unit[BERTH__SERVER] = BERTH__ARENA_ARRAY(lp->arena, berth__slot_unit, H);
    lp->listed_at = BERTH__ARENA_ARRAY(lp->arena, int, H);
    lp->x = BERTH__ARENA_ARRAY(lp->arena, double, 2 * H);
    if (lp->unit[BERTH__WORKER] == NULL || lp->unit[BERTH__SERVER] == NULL || lp->listed_at == NULL || lp->x == NULL ||
        (backend != NULL && lp->backend == NULL)) {
        return berth__fail_memory(error);
    }
    list_units(lp);
    return BERTH_OK;
}

berth_status berth__slot_lp_new(const berth__slot_problem *p, const berth_backends *set, const char *backend,
                                berth__slot_lp **out, berth_error *error) {
    *out = NULL;
    berth__slot_lp *lp = BERTH__NEW_ARRAY(berth__slot_lp, 1);
    if (lp == NULL) {
        return berth__fail_memory(error);
    }
    lp->problem = *p;
    lp->backends = set;
    lp->value = (double)INFINITY;
    lp->room_to_start = ROOM_TO_START;
    lp->columns_to_start = COLUMNS_TO_START;
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
    berth__slot_set_close(&lp->set);
    berth__arena_free(lp->arena);
    berth__free(lp);
}

/* ---- solving over a set ---- */

static berth_status set_cover(const berth__slot_set *set, int row, int rhs, berth_error *error) {
    berth_status status = berth__mpc_set_rhs(set->mpc, row, rhs, error);
    return status == BERTH_OK ? berth__lp_set_row_bounds(set->lp, row, rhs, (double)INFINITY, error) : status;
}

/* The outcome is one of OPTIMAL, INFEASIBLE, or anything else for trouble. */
static berth_status ask(const berth__slot_set *set, const berth__slot_lp *lp, const berth__budget *budget,
                        const berth__lp_result **result, berth_error *error) {
    berth_status status = set_cover(set, BERTH__WORKER, lp->need[BERTH__WORKER], error);
    if (status == BERTH_OK && lp->needs_ps) {
        status = set_cover(set, BERTH__SERVER, lp->need[BERTH__SERVER], error);
    }
    if (status != BERTH_OK) {
        return status;
    }
    berth__lp_options options;
    berth__lp_options_init(&options);
    options.integers = false;
    options.budget = budget;
    status = berth__lp_solve(set->lp, &options, result, error);
    if (status == BERTH_OK && (*result)->outcome == BERTH_LIMIT) {
        return berth__fail(error, BERTH_E_CANCELLED, NULL, "stopped while solving a slot problem");
    }
    return status;
}

/* Where the solution of a column belongs in lp->x. */
static double *place_of(const berth__slot_lp *lp, int col) {
    const berth__slot_columns *c = &lp->set.columns;
    return &lp->x[(col < c->n_workers ? 0 : lp->problem.n_machines) + c->unit[col].machine];
}

static double value_of(const berth__slot_set *set, const double *x) {
    double value = 0;
    for (int j = 0; j < set->columns.n_cols; j++) {
        value += set->columns.unit[j].price * fmax(x[j], 0);
    }
    return value;
}

static void read_solution(berth__slot_lp *lp, const berth__lp_result *result) {
    const double *x = result->x;
    for (int kind = 0; kind < BERTH__UNIT_KINDS; kind++) {
        bool has_row = kind == BERTH__WORKER || lp->needs_ps;
        lp->cover_dual[kind] = has_row ? fmax(0, result->row_dual[kind] * lp->set.cost_unit) : 0;
    }
    lp->value = value_of(&lp->set, x);
    for (int j = 0; j < lp->set.columns.n_cols; j++) {
        lp->set.x[j] = fmax(x[j], 0);
        *place_of(lp, j) = lp->set.x[j];
    }
}

static void forget_solution(berth__slot_lp *lp) {
    for (int j = 0; j < lp->set.columns.n_cols; j++) {
        *place_of(lp, j) = 0;
    }
    lp->value = (double)INFINITY;
}

/* What lowering the dual of a kind's cover row to the least price left out costs the dual value. */
static double loss_of(const berth__slot_lp *lp, const berth__slot_set *set, const double *row_dual, int kind) {
    if (set->n[kind] == lp->n[kind]) {
        return 0;
    }
    double excess = row_dual[kind] * set->cost_unit - lp->unit[kind][set->n[kind]].price;
    return fmax(excess, 0) * lp->need[kind];
}

/* True if the solution over the set is one over all units; else tells which kinds may improve on it. */
static bool prices_out(const berth__slot_lp *lp, const berth__slot_set *set, const berth__lp_result *result,
                       bool more[BERTH__UNIT_KINDS]) {
    double loss = 0;
    for (int kind = 0; kind < BERTH__UNIT_KINDS; kind++) {
        double part = loss_of(lp, set, result->row_dual, kind);
        more[kind] = part > 0;
        loss += part;
    }
    return loss <= BERTH__FEASIBILITY * value_of(set, result->x);
}

/* ---- the fallback ---- */

static int count_up_to(const berth__slot_lp *lp, int kind, double price) {
    int n = 0;
    while (n < lp->n[kind] && lp->unit[kind][n].price <= price) {
        n++;
    }
    return n;
}

/* Solves over the units up to a price, and reports whether that settles the problem. */
static berth_status solve_up_to(berth__slot_lp *lp, double price, double range, const berth__budget *budget,
                                bool *settled, berth_error *error) {
    int n[BERTH__UNIT_KINDS];
    bool more[BERTH__UNIT_KINDS];
    for (int kind = 0; kind < BERTH__UNIT_KINDS; kind++) {
        n[kind] = count_up_to(lp, kind, price);
    }
    if (n[BERTH__WORKER] == 0 || (lp->needs_ps && n[BERTH__SERVER] == 0)) {
        return BERTH_OK;
    }
    berth__slot_set_close(&lp->set);
    const berth__lp_result *result = NULL;
    berth_status status = berth__slot_set_open(&lp->set, lp, n, range, true, error);
    if (status == BERTH_OK) {
        status = ask(&lp->set, lp, budget, &result, error);
    }
    if (status != BERTH_OK) {
        return status;
    }
    bool whole = berth__slot_set_is_whole(&lp->set, lp);
    *settled = result->outcome == BERTH_OPTIMAL && (whole || prices_out(lp, &lp->set, result, more));
    if (*settled) {
        read_solution(lp, result);
    }
    *settled = *settled || (whole && result->outcome == BERTH_INFEASIBLE);
    return BERTH_OK;
}

/* Prices span too much for the solver: units enter from the cheap end until no dearer one is of use, in the end all
 * of them with costs that are roughened at the cheap end. */
static berth_status solve_in_steps(berth__slot_lp *lp, const berth__budget *budget, berth_error *error) {
    double highest = 0;
    for (int kind = 0; kind < BERTH__UNIT_KINDS; kind++) {
        highest = fmax(highest, lp->n[kind] > 0 ? lp->unit[kind][lp->n[kind] - 1].price : 0);
    }
    lp->makeshift = true;
    bool settled = false;
    berth_status status = BERTH_OK;
    for (double price = highest / BERTH__SLOT_COST_RANGE; price < highest && !settled && status == BERTH_OK;
         price *= PRICE_STEP) {
        status = solve_up_to(lp, price, BERTH__SLOT_COST_RANGE, budget, &settled, error);
    }
    if (status == BERTH_OK && !settled) {
        status = solve_up_to(lp, highest, ROUGH_RANGE, budget, &settled, error);
    }
    if (status == BERTH_OK && !settled) {
        status = berth__fail(error, BERTH_E_NUMERIC, NULL, "the relaxation of a slot problem could not be solved");
    }
    return status;
}

/* ---- sifting ---- */

/* How many of the cheapest machines for a kind have room for so many units of it, as far as that is possible. */
static int count_with_room(const berth__slot_lp *lp, int kind, double units) {
    int n = 0;
    for (double room = 0; n < lp->n[kind] && room < units; n++) {
        room += fit_count(lp, kind, lp->unit[kind][n].machine);
    }
    return n;
}

/* Opens the set again, larger in the kinds that `more` names. */
static berth_status grow(berth__slot_lp *lp, const bool more[BERTH__UNIT_KINDS], berth_error *error) {
    int n[BERTH__UNIT_KINDS];
    for (int kind = 0; kind < BERTH__UNIT_KINDS; kind++) {
        n[kind] = lp->set.n[kind];
        if (more[kind]) {
            double least = fmax(2.0 * n[kind], lp->columns_to_start);
            double wanted = fmax(least, count_with_room(lp, kind, fmax(lp->room_to_start, 1) * lp->need[kind]));
            n[kind] = (int)fmin(wanted, lp->n[kind]);
        }
    }
    berth__slot_set_close(&lp->set);
    lp->makeshift = false;
    return berth__slot_set_open(&lp->set, lp, n, BERTH__SLOT_COST_RANGE, true, error);
}

/* Grows the set where it is too small for the need, whatever the prices are. */
static berth_status fit_set(berth__slot_lp *lp, berth_error *error) {
    bool more[BERTH__UNIT_KINDS], any = false;
    if (lp->makeshift) {
        berth__slot_set_close(&lp->set);
    }
    for (int kind = 0; kind < BERTH__UNIT_KINDS; kind++) {
        int enough = count_with_room(lp, kind, lp->need[kind]);
        more[kind] = lp->set.n[kind] < enough;
        any = any || more[kind];
    }
    return any ? grow(lp, more, error) : BERTH_OK;
}

/* True if some resource of all machines together falls short. */
static bool cannot_hold(const berth__slot_lp *lp) {
    const berth__slot_problem *p = &lp->problem;
    for (int r = 0; r < p->n_resources; r++) {
        double needed = berth__slot_load(p->job->worker[r], lp->need[BERTH__WORKER]) +
                        berth__slot_load(p->job->ps[r], lp->need[BERTH__SERVER]);
        double room = 0;
        for (int h = 0; h < p->n_machines; h++) {
            room += berth__slot_eligible(p, h) ? fmax(free_of(p, h)[r], 0) : 0;
        }
        if (room < needed * (1 - CLEARLY_SHORT)) {
            return true;
        }
    }
    return false;
}

/* Leaves the value at INFINITY if the LP is infeasible. */
static berth_status solve(berth__slot_lp *lp, const berth__budget *budget, berth_error *error) {
    berth_status status = fit_set(lp, error);
    while (status == BERTH_OK) {
        const berth__lp_result *result = NULL;
        bool more[BERTH__UNIT_KINDS] = {true, true};
        status = ask(&lp->set, lp, budget, &result, error);
        if (status != BERTH_OK) {
            break;
        }
        if (result->outcome == BERTH_OPTIMAL && prices_out(lp, &lp->set, result, more)) {
            read_solution(lp, result);
            break;
        }
        if (result->outcome == BERTH_INFEASIBLE && (berth__slot_set_is_whole(&lp->set, lp) || cannot_hold(lp))) {
            break;
        }
        if (result->outcome != BERTH_OPTIMAL && result->outcome != BERTH_INFEASIBLE) {
            return solve_in_steps(lp, budget, error);
        }
        status = grow(lp, more, error);
    }
    return status;
}

void berth__slot_lp_duals(const berth__slot_lp *lp, double *lam, double *mu) {
    *lam = lp->cover_dual[BERTH__WORKER];
    *mu = lp->cover_dual[BERTH__SERVER];
}

berth_status berth__slot_lp_solve(berth__slot_lp *lp, int workers, const berth__budget *budget, double *value,
                                  const double **x, berth_error *error) {
    *value = (double)INFINITY;
    *x = lp->x;
    forget_solution(lp);
    if (workers < 1) {
        return berth__fail(error, BERTH_E_ARGUMENT, "workers", "workers is %d; expected a number >= 1", workers);
    }
    lp->need[BERTH__WORKER] = workers;
    lp->need[BERTH__SERVER] = berth__ps_needed(lp->problem.job, workers);
    bool possible = lp->n[BERTH__WORKER] > 0 && (!lp->needs_ps || lp->n[BERTH__SERVER] > 0);
    if (!possible || workers > lp->problem.job->max_workers) {
        return BERTH_OK;
    }
    berth_status status = solve(lp, budget, error);
    *value = lp->value;
    return status;
}
