#include "rounding/local_search.h"

#include "base/alloc.h"
#include "base/pcg.h"
#include "base/tolerance.h"
#include "rounding/search_state.h"

#include <math.h>
#include <string.h>

enum {
    MOST_CANDIDATES = 60, /* variables looked at in a step */
    MOST_ENTRIES = 240,   /* entries of a row looked at for them */
    MOST_BUMPS = 100,     /* rows that gain weight in a step */
    EPISODE_STEPS = 2000, /* of the shortest episode */
    POLL_WORK = 20000,    /* entries between two looks at the budget */
    RESUM_PASSES = 64,    /* work between two resums, in passes over the matrix */
};

typedef struct strategy {
    bool cut_first;
    bool by_ratio;           /* candidates are ranked by gain per loss; else by weighted gain less loss */
    uint64_t tenure, spread; /* moves for which a variable may not turn back: tenure + [0, spread) */
} strategy;

static const strategy strategies[] = {
    {.cut_first = true, .by_ratio = true, .tenure = 1, .spread = 4},
    {.cut_first = false, .by_ratio = true, .tenure = 3, .spread = 10},
    {.cut_first = true, .by_ratio = false, .tenure = 1, .spread = 4},
};

typedef struct search {
    berth__search_state s;
    const berth__search_options *options;
    berth__pcg stream;
    const strategy *how;
    double *weight, *unit;         /* [n_rows] per amount of the row, and what a bump adds: 1 / mean coefficient */
    double cost_weight, cost_unit; /* likewise of the cut */
    double cut;                    /* the cost to reach: below the best by cost_step, or by `ambition` of it */
    double cost_step;              /* least difference of two costs; 0: unknown */
    double ambition;               /* share of the best cost, doubled by success and halved by each episode */
    signed char *heading;          /* [n_vars] direction of the last move */
    uint64_t *free_at;             /* [n_vars] number of moves after which a variable may turn back */
    int n_open;                    /* variables in the rows */
    uint64_t episode, episode_end; /* episodes so far, step at which the next begins */
    berth__search_report report;
} search;

/* Uniform in [0, n). n < 2^32: the bias is below n / 2^32. */
static size_t draw(search *q, size_t n) {
    return (size_t)(((berth__pcg_next(&q->stream) >> 32) * (uint64_t)n) >> 32);
}

/* ---- candidates ----------------------------------------------------------------------------------------- */

typedef struct candidate {
    int var; /* -1: none */
    double by, score, key;
} candidate;

typedef struct choice {
    candidate free, tabu; /* the best of each */
} choice;

static double shortage(const berth__packcover *p, int i, double sum) {
    double lack = i < p->n_cover ? p->rhs[i] - sum : sum - p->rhs[i];
    return lack > 0 ? lack : 0;
}

/* Weighted mending by the rows (negative: breaking), the change of the cost, and whether any row changed since the
 * last move of j. */
typedef struct effect {
    double mends, cost;
    bool fresh;
} effect;

static effect effect_of(search *q, int j, double by) {
    berth__search_state *s = &q->s;
    const berth__packcover *p = s->p;
    effect e = {.cost = s->cost_of[j] * by, .fresh = s->moved[j] == 0};
    size_t first = s->a.columns.start[j], last = s->a.columns.start[j + 1];
    for (size_t k = first; k < last; k++) {
        int i = s->a.columns.row[k];
        double sum = s->a.row[i], next = sum + by * s->a.columns.value[k];
        e.fresh = e.fresh || s->changed[i] > s->moved[j];
        if (i < p->n_cover && s->filler[i].var >= 0) {
            const berth__filler *f = &s->filler[i];
            double before = berth__search_fill(s, i, sum), after = berth__search_fill(s, i, next);
            e.cost += f->cost * (after - before);
            sum += before * f->value;
            next += after * f->value;
        }
        e.mends += q->weight[i] * (shortage(p, i, sum) - shortage(p, i, next));
    }
    s->work += last - first + 1;
    return e;
}

/* Ranks moves without the weight of the cut: what is good for rows and cost before what is good for one, that by gain
 * per loss (or least loss per gain), what is good for neither last. */
static double key_of(const search *q, const effect *e) {
    const double above_ratios = 1e12;
    double saves = -e->cost * q->cost_unit;
    if (e->mends >= 0 && saves >= 0) {
        return above_ratios + e->mends - q->cost_weight * e->cost;
    }
    if (e->mends > 0) {
        return e->mends / -saves;
    }
    return saves > 0 ? e->mends / saves : -above_ratios + e->mends;
}

static void consider(search *q, int j, double by, choice *c) {
    const berth__search_state *s = &q->s;
    by = by > 0 ? fmin(by, s->top[j] - s->a.x[j]) : fmax(by, s->bottom[j] - s->a.x[j]);
    if (!(fabs(by) > 0 && fabs(by) < HUGE_VAL)) {
        return;
    }
    effect e = effect_of(q, j, by);
    /* What was lowered is raised again only after something has changed in its rows. */
    bool turns = q->heading[j] != 0 && (q->heading[j] > 0) != (by > 0);
    bool tabu = (turns && q->free_at[j] > s->n_moves) || (by > 0 && !e.fresh);
    candidate now = {.var = j, .by = by, .score = e.mends - q->cost_weight * e.cost};
    now.key = q->how->by_ratio ? key_of(q, &e) : now.score;
    candidate *best = tabu ? &c->tabu : &c->free;
    if (best->var < 0 || now.key > best->key || (now.key >= best->key && s->moved[j] < s->moved[best->var])) {
        *best = now;
    }
}

/* Moves of j in a direction, by what makes up for `need` at `rate`, by one, by as much as breaks no row. */
static void consider_amounts(search *q, int j, double need, double rate, int direction, choice *c) {
    const berth__search_state *s = &q->s;
    double tight = berth__activity_units(&s->a, j, need, rate);
    consider(q, j, direction * tight, c);
    bool integer = berth__packcover_integer(s->p, j);
    if (integer && s->top[j] - s->bottom[j] <= 1) {
        return;
    }
    if (integer && tight > 1) {
        consider(q, j, direction, c);
    }
    double most = direction > 0 ? berth__activity_room(&s->a, j) : berth__activity_spare(&s->a, j);
    if (most > (integer ? 1 : 0)) {
        consider(q, j, direction * most, c);
    }
}

/* Moves that mend row i, which lacks `lack`. */
static void consider_row(search *q, int i, double lack, choice *c) {
    const berth__search_state *s = &q->s;
    bool cover = i < s->p->n_cover;
    size_t first = s->row_start[i], n = cover ? s->row_start[i + 1] - first : (size_t)s->n_positive[i];
    size_t at = n > 0 ? draw(q, n) : 0;
    for (size_t looked = 0, taken = 0; looked < n && looked < MOST_ENTRIES && taken < MOST_CANDIDATES; looked++) {
        int j = s->var[first + at];
        if (cover ? s->a.x[j] < s->top[j] : s->a.x[j] > s->bottom[j]) {
            consider_amounts(q, j, lack, s->value[first + at], cover ? 1 : -1, c);
            taken++;
        }
        at = at + 1 < n ? at + 1 : 0;
    }
}

/* Moves that make x cheaper: of a variable itself, or by relieving a filler. */
static void consider_cut(search *q, choice *c) {
    const berth__search_state *s = &q->s;
    size_t n = (size_t)s->improving.n, n_filled = (size_t)s->filled.n;
    if (n_filled > 0 && (n == 0 || draw(q, 2) == 0)) {
        int i = s->filled.item[draw(q, n_filled)];
        consider_row(q, i, s->p->rhs[i] - s->a.row[i], c);
        return;
    }
    size_t at = n > 0 ? draw(q, n) : 0;
    for (size_t taken = 0; taken < n && taken < MOST_CANDIDATES; taken++) {
        int j = s->improving.item[at];
        double cost = s->cost_of[j];
        consider_amounts(q, j, s->cost - q->cut, fabs(cost), cost > 0 ? -1 : 1, c);
        at = at + 1 < n ? at + 1 : 0;
    }
}

/* ---- steps ------------------------------------------------------------------------------------------------ */

static void add_weight(search *q) {
    const berth__search_state *s = &q->s;
    size_t n = (size_t)s->broken.n, at = n > MOST_BUMPS ? draw(q, n) : 0;
    for (size_t done = 0; done < n && done < MOST_BUMPS; done++) {
        int i = s->broken.item[at];
        q->weight[i] += q->unit[i];
        at = at + 1 < n ? at + 1 : 0;
    }
    q->cost_weight += s->cost > q->cut ? q->cost_unit : 0;
}

static void step(search *q) {
    berth__search_state *s = &q->s;
    choice c = {.free = {.var = -1}, .tabu = {.var = -1}};
    size_t n_broken = (size_t)s->broken.n;
    if (s->cost > q->cut && (n_broken == 0 || q->how->cut_first || draw(q, 2) == 0)) {
        consider_cut(q, &c);
    }
    if (n_broken > 0 && c.free.var < 0 && c.tabu.var < 0) {
        int i = s->broken.item[draw(q, n_broken)];
        consider_row(q, i, berth__search_lack(s, i, s->a.row[i]), &c);
    }
    const candidate *best = c.free.var >= 0 ? &c.free : &c.tabu;
    if (best->var < 0 || best->score <= 0) {
        add_weight(q);
    }
    if (best->var >= 0) {
        berth__search_move(s, best->var, best->by);
        q->heading[best->var] = best->by > 0 ? 1 : -1;
        q->free_at[best->var] = s->n_moves + q->how->tenure + draw(q, q->how->spread);
    }
}

/* ---- what the incumbent and the relaxation rule out --------------------------------------------------- */

/* How far above the bound something better may lie. */
static double room_above_bound(const search *q) {
    double best = q->s.saved_cost, bound = q->s.p->maximize ? -q->options->bound : q->options->bound;
    double tolerance = 1e-9 * fmax(1, fmax(fabs(best), fabs(bound)));
    return best - 0.999 * q->cost_step - bound + tolerance;
}

/* Reduced costs that are more than `room` keep a variable at its bound. False: nothing better is left. */
static bool narrow(search *q, double room) {
    berth__search_state *s = &q->s;
    const berth__packcover *p = s->p;
    for (int j = 0; j < p->n_vars; j++) {
        double d = p->maximize ? -q->options->reduced_cost[j] : q->options->reduced_cost[j];
        if (!berth__packcover_integer(p, j) || !(s->bottom[j] < s->top[j]) || !(fabs(d) > 0)) {
            continue;
        }
        double bottom = s->bottom[j], top = s->top[j];
        if (d > 0) {
            top = fmin(top, floor(room / d + BERTH__INTEGRALITY));
        } else if (p->upper[j] < HUGE_VAL) {
            bottom = fmax(bottom, ceil(p->upper[j] - room / -d - BERTH__INTEGRALITY));
        }
        if (bottom > top) {
            return false;
        }
        if (bottom > s->bottom[j] || top < s->top[j]) {
            berth__search_narrow(s, j, bottom, top);
            q->report.n_fixed += !(bottom < top);
        }
    }
    return true;
}

static int count_open(const berth__search_state *s) {
    int n = 0;
    for (int j = 0; j < s->p->n_vars; j++) {
        n += s->bottom[j] < s->top[j];
    }
    return n;
}

/* After a better incumbent. */
static void use_bound(search *q) {
    if (q->options->reduced_cost == NULL) {
        return;
    }
    double room = room_above_bound(q);
    if (room < 0 || !narrow(q, room)) {
        q->report.optimal = true;
        return;
    }
    int n_open = count_open(&q->s);
    if (n_open < q->n_open - q->n_open / 20) {
        berth__search_rebuild(&q->s);
        q->n_open = n_open;
    }
}

/* ---- incumbents ------------------------------------------------------------------------------------------ */

static void set_cut(search *q) {
    double best = q->s.saved_cost;
    q->cut = best - (q->cost_step > 0 ? 0.5 * q->cost_step : q->ambition * fmax(fabs(best), 1e-6));
}

/* Saves x if it is the best so far. */
static void take(search *q) {
    berth__search_state *s = &q->s;
    if (s->broken.n > 0 || !(s->cost < s->saved_cost - 1e-9 * fabs(s->cost) || s->saved_cost >= HUGE_VAL)) {
        return;
    }
    berth__search_save(s);
    q->report.improvements++;
    q->report.optimal = s->improving.n == 0 && s->filled.n == 0;
    q->ambition = fmin(2 * q->ambition, 0.01);
    use_bound(q);
    set_cut(q);
}

/* 1 1 2 1 1 2 4 1 1 2 1 1 2 4 8 ...: n from 1. Luby, Sinclair, Zuckerman 1993. */
static uint64_t luby(uint64_t n) {
    for (;;) {
        uint64_t size = 1; /* of the smallest whole block that reaches n: 2^k - 1 */
        while (size < n) {
            size = 2 * size + 1;
        }
        if (size == n) {
            return (size + 1) / 2;
        }
        n -= size / 2;
    }
}

/* Back to the incumbent (if there is one) with fresh weights and the next strategy. */
static void next_episode(search *q) {
    const berth__search_state *s = &q->s;
    uint64_t episode = q->episode++;
    q->how = &strategies[episode % (sizeof strategies / sizeof *strategies)];
    q->episode_end = q->report.steps + EPISODE_STEPS * luby(episode + 1);
    q->ambition = fmax(0.5 * q->ambition, 1e-6);
    if (!(s->saved_cost < HUGE_VAL)) {
        return;
    }
    memcpy(q->weight, q->unit, (size_t)s->n_rows * sizeof *q->weight);
    q->cost_weight = q->cost_unit;
    berth__search_return(&q->s);
    set_cut(q);
}

static void run(search *q, const berth__budget *budget) {
    berth__search_state *s = &q->s;
    uint64_t polled = 0, resummed = s->work, pass = s->a.columns.start[s->p->n_vars] + (uint64_t)s->p->n_vars + 1;
    take(q);
    for (; q->report.steps < q->options->max_steps && !q->report.optimal; q->report.steps++) {
        if (q->report.steps >= q->episode_end) {
            next_episode(q);
        }
        if (s->work - polled >= POLL_WORK) {
            if (berth__budget_spent(budget)) {
                return;
            }
            polled = s->work;
        }
        if (s->work - resummed >= RESUM_PASSES * pass) {
            berth__search_resum(s);
            resummed = s->work;
        }
        step(q);
        take(q);
    }
}

/* ---- opening ------------------------------------------------------------------------------------------------ */

/* The greatest number that whole costs are multiples of; 0: costs are not whole, or of continuous variables. */
static double find_cost_step(const berth__packcover *p) {
    double divisor = 0;
    for (int j = 0; j < p->n_vars; j++) {
        double a = p->cost[j], b = divisor;
        if (!(a > 0)) {
            continue;
        }
        if (!berth__packcover_integer(p, j) || a > 1e9 || fabs(a - round(a)) > 0) {
            return 0;
        }
        while (b > 0) {
            double rest = fmod(a, b);
            a = b;
            b = rest;
        }
        divisor = a;
    }
    return divisor;
}

static void set_weights(search *q) {
    const berth__search_state *s = &q->s;
    for (int i = 0; i < s->n_rows; i++) {
        double sum = 0;
        for (size_t k = s->row_start[i]; k < s->row_start[i + 1]; k++) {
            sum += s->value[k];
        }
        q->weight[i] = q->unit[i] = sum > 0 ? (double)(s->row_start[i + 1] - s->row_start[i]) / sum : 1;
    }
    double sum = 0;
    int n = 0;
    for (int j = 0; j < s->p->n_vars; j++) {
        sum += fabs(s->cost_of[j]);
        n += fabs(s->cost_of[j]) > 0;
    }
    q->cost_weight = q->cost_unit = n > 0 ? n / sum : 1;
}

static berth_status open_search(search *q, const berth__packcover *p, const bool *skip, double *x) {
    berth_status status = berth__search_open(&q->s, p, skip, x);
    if (status != BERTH_OK) {
        return status;
    }
    q->weight = BERTH__NEW_ARRAY(double, (size_t)q->s.n_rows);
    q->unit = BERTH__NEW_ARRAY(double, (size_t)q->s.n_rows);
    q->heading = BERTH__NEW_ARRAY(signed char, (size_t)p->n_vars);
    q->free_at = BERTH__NEW_ARRAY(uint64_t, (size_t)p->n_vars);
    if (q->weight == NULL || q->unit == NULL || q->heading == NULL || q->free_at == NULL) {
        return BERTH_E_MEMORY;
    }
    set_weights(q);
    q->n_open = count_open(&q->s);
    q->cost_step = find_cost_step(p);
    q->ambition = 0.01;
    q->cut = HUGE_VAL;
    q->stream = berth__pcg_key(2, (uint64_t[]){0x7365617263680000u, q->options->seed});
    return BERTH_OK;
}

/* Copies what was found to x if it holds, measured from scratch, and is better. */
static void give_back(search *q, double *x, berth__violation before, bool *feasible) {
    const berth__packcover *p = q->s.p;
    *feasible = before.feasible;
    if (!(q->s.saved_cost < HUGE_VAL)) {
        return;
    }
    berth__violation after = berth__packcover_measure(p, q->s.saved);
    if (after.feasible && (!before.feasible || berth__packcover_better(p, after.cost, before.cost))) {
        memcpy(x, q->s.saved, (size_t)p->n_vars * sizeof *x);
        *feasible = true;
    }
}

berth_status berth__local_search(const berth__packcover *p, const bool *skip, const berth__budget *budget,
                                 const berth__search_options *options, double *x, bool *feasible,
                                 berth__search_report *report) {
    search q = {.options = options, .how = strategies};
    berth__violation before = berth__packcover_measure(p, x);
    *feasible = before.feasible;
    double *point = BERTH__NEW_ARRAY(double, (size_t)p->n_vars);
    berth_status status = BERTH_E_MEMORY;
    if (point == NULL) {
        goto done;
    }
    memcpy(point, x, (size_t)p->n_vars * sizeof *x);
    status = open_search(&q, p, skip, point);
    if (status != BERTH_OK) {
        goto done;
    }
    run(&q, budget);
    give_back(&q, x, before, feasible);
    q.report.work = q.s.work;
    if (report != NULL) {
        *report = q.report;
    }
done:
    berth__search_close(&q.s);
    berth__free(q.weight);
    berth__free(q.unit);
    berth__free(q.heading);
    berth__free(q.free_at);
    berth__free(point);
    return status;
}
