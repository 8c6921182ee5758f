/* Rounding of a slot problem's relaxation. What is 0 stays 0 under any scale, so the draws are over the columns of the
 * support alone, and the promise counts the rows that can fail, which are theirs. */
#include "formulations/slot_lp.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "rounding/independent.h"
#include "rounding/repair.h"

typedef struct overfull_machine {
    double overload;
    int at; /* in the list of machines */
} overfull_machine;

/* A point of some columns of the slot problem, and the programme over these. */
typedef struct drawing {
    const berth__slot_lp *lp;
    berth__slot_columns columns;
    berth__packcover view;
    int *origin;                /* [n_cols] column of the set that a column is */
    double *x;                  /* [n_cols] the relaxation's solution */
    double *draw, *work;        /* [n_cols] */
    overfull_machine *overfull; /* [n_machines] scratch */
} drawing;

/* ---- dropping excess ---- */

static double count_in(const double *x, int col) {
    return col < 0 ? 0 : x[col];
}

static double workers_on(const berth__slot_machine *m, const double *x) {
    return count_in(x, m->col[BERTH__WORKER]);
}

static double servers_on(const berth__slot_machine *m, const double *x) {
    return count_in(x, m->col[BERTH__SERVER]);
}

static double load_on(const berth__slot_lp *lp, const berth__slot_machine *m, const double *x, int r) {
    const berth__job *job = lp->problem.job;
    return berth__slot_load(job->worker[r], workers_on(m, x)) + berth__slot_load(job->ps[r], servers_on(m, x));
}

static double room_on(const berth__slot_lp *lp, const berth__slot_machine *m, int r) {
    return berth__slot_room(lp->problem.free[(size_t)m->machine * (size_t)lp->problem.n_resources + (size_t)r]);
}

/* Largest load / room of a machine and its resource; above 1 exactly where the machine does not fit, else 0. */
static double overload(const berth__slot_lp *lp, const berth__slot_machine *m, const double *x, int *resource) {
    double worst = 0;
    *resource = 0;
    for (int r = 0; r < lp->problem.n_resources; r++) {
        double load = load_on(lp, m, x, r), room = room_on(lp, m, r);
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
static void relieve(const berth__slot_lp *lp, const berth__slot_machine *m, double *x,
                    double excess[BERTH__UNIT_KINDS]) {
    const berth__slot_problem *p = &lp->problem;
    int r;
    while (overload(lp, m, x, &r) > 0) {
        const double demand[BERTH__UNIT_KINDS] = {p->job->worker[r], p->job->ps[r]};
        double too_much = load_on(lp, m, x, r) - room_on(lp, m, r);
        bool worker_first = demand[BERTH__WORKER] != demand[BERTH__SERVER]
                                ? demand[BERTH__WORKER] > demand[BERTH__SERVER]
                                : p->price_worker[m->machine] >= p->price_ps[m->machine];
        int first = worker_first ? BERTH__WORKER : BERTH__SERVER, second = BERTH__UNIT_KINDS - 1 - first;
        if (!lower(x, m->col[first], demand[first], too_much, &excess[first]) &&
            !lower(x, m->col[second], demand[second], too_much, &excess[second])) {
            return;
        }
    }
}

static int by_falling_overload(const void *left, const void *right) {
    const overfull_machine *a = left, *b = right;
    if (a->overload != b->overload) {
        return a->overload > b->overload ? -1 : 1;
    }
    return (a->at > b->at) - (a->at < b->at);
}

static void relieve_overfull(const drawing *d, double *x, double excess[BERTH__UNIT_KINDS]) {
    size_t n = 0;
    for (int m = 0; m < d->columns.n_machines; m++) {
        int resource;
        double load = overload(d->lp, &d->columns.machine[m], x, &resource);
        if (load > 0) {
            d->overfull[n++] = (overfull_machine){load, m};
        }
    }
    qsort(d->overfull, n, sizeof *d->overfull, by_falling_overload);
    for (size_t i = 0; i < n && (excess[BERTH__WORKER] > 0 || excess[BERTH__SERVER] > 0); i++) {
        relieve(d->lp, &d->columns.machine[d->overfull[i].at], x, excess);
    }
}

/* From the dear end of columns [first, end). */
static void drop_dearest(double *x, int first, int end, double excess) {
    for (int j = end - 1; j >= first && excess > 0; j--) {
        double dropped = fmin(x[j], excess);
        x[j] -= dropped;
        excess -= dropped;
    }
}

static double sum(const double *x, int first, int end) {
    double total = 0;
    for (int j = first; j < end; j++) {
        total += x[j];
    }
    return total;
}

/* berth__after_draw.adjust: at most W workers and S servers stay. */
static void drop_excess(void *user, double *x) {
    const drawing *d = user;
    int n_workers = d->columns.n_workers, n_cols = d->columns.n_cols;
    double excess[BERTH__UNIT_KINDS] = {fmax(sum(x, 0, n_workers) - d->lp->need[BERTH__WORKER], 0),
                                        fmax(sum(x, n_workers, n_cols) - d->lp->need[BERTH__SERVER], 0)};
    if (excess[BERTH__WORKER] > 0 || excess[BERTH__SERVER] > 0) {
        relieve_overfull(d, x, excess);
    }
    drop_dearest(x, 0, n_workers, excess[BERTH__WORKER]);
    drop_dearest(x, n_workers, n_cols, excess[BERTH__SERVER]);
}

/* ---- accepting ---- */

/* The machine that holds everything, or NULL. */
static const berth__slot_machine *sole_machine(const berth__slot_columns *c, const double *x) {
    const berth__slot_machine *sole = NULL;
    for (int m = 0; m < c->n_machines; m++) {
        if (workers_on(&c->machine[m], x) + servers_on(&c->machine[m], x) > 0) {
            if (sole != NULL) {
                return NULL;
            }
            sole = &c->machine[m];
        }
    }
    return sole;
}

/* berth__after_draw.accept: every constraint again, on the counts themselves. */
static bool acceptable(void *user, const double *x) {
    const drawing *d = user;
    const berth__slot_lp *lp = d->lp;
    double workers = sum(x, 0, d->columns.n_workers), ps = sum(x, d->columns.n_workers, d->columns.n_cols);
    if (workers < lp->need[BERTH__WORKER] || workers > lp->problem.job->max_workers || ps < lp->need[BERTH__SERVER]) {
        return false;
    }
    for (int i = 0; i < d->columns.n_machines; i++) {
        const berth__slot_machine *m = &d->columns.machine[i];
        if (!berth__slot_fits(&lp->problem, m->machine, workers_on(m, x), servers_on(m, x))) {
            return false;
        }
    }
    return !lp->must_spread || sole_machine(&d->columns, x) == NULL;
}

/* ---- repair ---- */

/* The cheapest move of one unit of a kind from column `from` to another machine with room for it. */
static void seek_move(const drawing *d, const double *x, int from, int kind, int *best_from, int *best_to,
                      double *best_cost) {
    if (from < 0 || x[from] < 1) {
        return;
    }
    for (int i = 0; i < d->columns.n_machines; i++) {
        const berth__slot_machine *m = &d->columns.machine[i];
        int to = m->col[kind];
        if (to < 0 || to == from ||
            !berth__slot_fits(&d->lp->problem, m->machine, kind == BERTH__WORKER, kind == BERTH__SERVER)) {
            continue;
        }
        double cost = d->columns.unit[to].price - d->columns.unit[from].price;
        if (cost < *best_cost) {
            *best_cost = cost;
            *best_from = from;
            *best_to = to;
        }
    }
}

/* A job that is slower on one machine must not sit on one: moves one worker or one server off it. */
static void spread(const drawing *d, double *x) {
    const berth__slot_machine *sole = sole_machine(&d->columns, x);
    if (!d->lp->must_spread || sole == NULL) {
        return;
    }
    int from = -1, to = -1;
    double cost = (double)INFINITY;
    for (int kind = 0; kind < BERTH__UNIT_KINDS; kind++) {
        seek_move(d, x, sole->col[kind], kind, &from, &to, &cost);
    }
    if (from >= 0) {
        x[from] -= 1;
        x[to] += 1;
    }
}

static berth_status mend(drawing *d, bool *feasible, berth_error *error) {
    berth_status status = berth__repair(&d->view, NULL, NULL, d->draw, feasible);
    if (status != BERTH_OK) {
        return berth__fail(error, status, NULL, "cannot repair a rounding: %s", berth_status_text(status));
    }
    drop_excess(d, d->draw);
    spread(d, d->draw);
    *feasible = acceptable(d, d->draw);
    return BERTH_OK;
}

/* ---- drawing over columns ---- */

static void write_placement(const drawing *d, int *w, int *s, double *cost) {
    *cost = 0;
    for (int i = 0; i < d->columns.n_machines; i++) {
        const berth__slot_machine *m = &d->columns.machine[i];
        w[m->machine] = (int)workers_on(m, d->draw);
        s[m->machine] = (int)servers_on(m, d->draw);
    }
    for (int j = 0; j < d->columns.n_cols; j++) {
        *cost += berth__slot_load(d->columns.unit[j].price, d->draw[j]);
    }
}

/* The columns of the set where the solution is not 0, or next to it, with their machines. False if out of memory. */
static bool take_columns(drawing *d, const berth__slot_set *set, int *place, berth__arena *arena) {
    const berth__slot_columns *all = &set->columns;
    berth__slot_columns *c = &d->columns;
    for (int j = 0; j < all->n_cols; j++) {
        place[j] = set->x[j] > BERTH__INTEGRALITY ? c->n_cols++ : -1;
        c->n_workers += j < all->n_workers && place[j] >= 0;
    }
    c->unit = BERTH__ARENA_ARRAY(arena, berth__slot_unit, (size_t)c->n_cols);
    c->machine = BERTH__ARENA_ARRAY(arena, berth__slot_machine, (size_t)c->n_cols);
    d->origin = BERTH__ARENA_ARRAY(arena, int, (size_t)c->n_cols);
    d->x = BERTH__ARENA_ARRAY(arena, double, (size_t)c->n_cols);
    if (c->unit == NULL || c->machine == NULL || d->origin == NULL || d->x == NULL) {
        return false;
    }
    for (int j = 0; j < all->n_cols; j++) {
        if (place[j] >= 0) {
            c->unit[place[j]] = all->unit[j];
            d->origin[place[j]] = j;
            d->x[place[j]] = set->x[j];
        }
    }
    for (int m = 0; m < all->n_machines; m++) {
        berth__slot_machine taken = all->machine[m];
        for (int kind = 0; kind < BERTH__UNIT_KINDS; kind++) {
            taken.col[kind] = taken.col[kind] < 0 ? -1 : place[taken.col[kind]];
        }
        if (taken.col[BERTH__WORKER] >= 0 || taken.col[BERTH__SERVER] >= 0) {
            c->machine[c->n_machines++] = taken;
        }
    }
    return true;
}

/* The programme over the columns taken: cover rows stay, packing rows if they have one of these columns. */
static bool take_rows(drawing *d, const berth__packcover *all, const int *place, berth__arena *arena) {
    int n_rows = all->n_cover + all->n_pack, n = d->columns.n_cols;
    size_t n_entries = 0;
    double *cost = BERTH__ARENA_ARRAY(arena, double, (size_t)n);
    size_t *row_start = BERTH__ARENA_ARRAY(arena, size_t, (size_t)n_rows + 1);
    int *col = BERTH__ARENA_ARRAY(arena, int, all->row_start[n_rows]);
    double *value = BERTH__ARENA_ARRAY(arena, double, all->row_start[n_rows]);
    double *rhs = BERTH__ARENA_ARRAY(arena, double, (size_t)n_rows);
    if (cost == NULL || row_start == NULL || col == NULL || value == NULL || rhs == NULL) {
        return false;
    }
    for (int j = 0; j < n; j++) {
        cost[j] = all->cost[d->origin[j]];
    }
    int taken = 0;
    for (int i = 0; i < n_rows; i++) {
        for (size_t k = all->row_start[i]; k < all->row_start[i + 1]; k++) {
            if (place[all->col[k]] >= 0) {
                col[n_entries] = place[all->col[k]];
                value[n_entries++] = all->value[k];
            }
        }
        if (i < all->n_cover || n_entries > row_start[taken]) {
            rhs[taken++] = all->rhs[i];
            row_start[taken] = n_entries;
        }
    }
    d->view = (berth__packcover){.n_vars = n,
                                 .n_cover = all->n_cover,
                                 .n_pack = taken - all->n_cover,
                                 .cost = cost,
                                 .row_start = row_start,
                                 .col = col,
                                 .value = value,
                                 .rhs = rhs};
    return true;
}

/* Scratch, and that no variable has a bound: the formulation has none. False if out of memory. */
static bool finish_drawing(drawing *d, berth__arena *arena) {
    size_t n = (size_t)d->columns.n_cols;
    double *no_upper = BERTH__ARENA_ARRAY(arena, double, n);
    d->draw = BERTH__ARENA_ARRAY(arena, double, n);
    d->work = BERTH__ARENA_ARRAY(arena, double, n);
    d->overfull = BERTH__ARENA_ARRAY(arena, overfull_machine, (size_t)d->columns.n_machines);
    for (size_t j = 0; no_upper != NULL && j < n; j++) {
        no_upper[j] = (double)INFINITY;
    }
    d->view.upper = no_upper;
    return no_upper != NULL && d->draw != NULL && d->work != NULL && d->overfull != NULL;
}

static bool draw_over_support(drawing *d, const berth__slot_lp *lp, berth__arena *arena) {
    const berth__packcover all = berth__mpc_view(lp->set.mpc);
    int *place = BERTH__ARENA_ARRAY(arena, int, (size_t)lp->set.columns.n_cols);
    *d = (drawing){.lp = lp};
    return place != NULL && take_columns(d, &lp->set, place, arena) && take_rows(d, &all, place, arena) &&
           finish_drawing(d, arena);
}

/* ---- the whole ---- */

/* Mends the draw over the support with the columns of `set`, which begins with those of lp->set. */
static berth_status mend_over(const drawing *support, const berth__slot_set *set, int *w, int *s,
                              berth__slot_rounding *out, berth_error *error) {
    const berth__slot_lp *lp = support->lp;
    drawing d = {.lp = lp, .columns = set->columns, .view = berth__mpc_view(set->mpc)};
    berth__arena_mark before = berth__arena_here(lp->arena);
    berth_status status = BERTH_OK;
    if (!finish_drawing(&d, lp->arena)) {
        status = berth__fail_memory(error);
        goto done;
    }
    for (int j = 0; j < support->columns.n_cols; j++) {
        int at = support->origin[j];
        at += at < lp->set.n[BERTH__WORKER] ? 0 : set->n[BERTH__WORKER] - lp->set.n[BERTH__WORKER];
        d.draw[at] = support->draw[j];
    }
    status = mend(&d, &out->feasible, error);
    if (status == BERTH_OK && out->feasible) {
        write_placement(&d, w, s, &out->cost);
    }
done:
    berth__arena_back(lp->arena, before);
    return status;
}

/* Over the set first, and if that is too small for it, over all columns. */
static berth_status repair_draw(const drawing *support, berth__slot_lp *lp, int *w, int *s, berth__slot_rounding *out,
                                berth_error *error) {
    berth_status status = mend_over(support, &lp->set, w, s, out, error);
    if (status != BERTH_OK || out->feasible || berth__slot_set_is_whole(&lp->set, lp)) {
        return status;
    }
    berth__slot_set all;
    status = berth__slot_set_open(&all, lp, lp->n, BERTH__SLOT_COST_RANGE, false, error);
    for (int row = 0; status == BERTH_OK && row < (lp->needs_ps ? 2 : 1); row++) {
        status = berth__mpc_set_rhs(all.mpc, row, lp->need[row], error);
    }
    if (status == BERTH_OK) {
        status = mend_over(support, &all, w, s, out, error);
    }
    berth__slot_set_close(&all);
    return status;
}

berth_status berth__slot_lp_round(berth__slot_lp *lp, const berth__scale_choice *choice, int trials, bool repair,
                                  const berth__budget *budget, berth__pcg *stream, int *w, int *s,
                                  berth__slot_rounding *out, berth_error *error) {
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
    drawing d;
    berth_status status = BERTH_OK;
    berth__arena_mark before = berth__arena_here(lp->arena);
    if (!draw_over_support(&d, lp, lp->arena)) {
        status = berth__fail_memory(error);
        goto done;
    }
    out->guarantee = berth__choose_scale(&d.view, d.x, NULL, choice);
    if (lp->must_spread && lp->need[BERTH__WORKER] + (double)lp->need[BERTH__SERVER] < 2) {
        goto done;
    }
    const berth__after_draw after = {drop_excess, acceptable, &d};
    berth__trials_result result = berth__round_trials(&d.view, d.x, out->guarantee.scale, NULL, trials, false, &after,
                                                      budget, stream, d.draw, d.work);
    out->draws = result.draws;
    out->feasible = result.feasible;
    if (out->feasible) {
        write_placement(&d, w, s, &out->cost);
    } else if (repair) {
        status = repair_draw(&d, lp, w, s, out, error);
        out->repaired = out->feasible;
    }
done:
    berth__arena_back(lp->arena, before);
    return status;
}
