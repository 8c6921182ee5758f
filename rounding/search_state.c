#include "rounding/search_state.h"

#include "base/alloc.h"
#include "base/tolerance.h"

#include <math.h>
#include <string.h>

/* ---- sets ----------------------------------------------------------------------------------------------- */

static bool open_set(berth__index_set *set, int size) {
    set->item = BERTH__NEW_ARRAY(int, (size_t)size);
    set->place = BERTH__NEW_ARRAY(int, (size_t)size);
    for (int i = 0; i < size && set->place != NULL; i++) {
        set->place[i] = -1;
    }
    return set->item != NULL && set->place != NULL;
}

static void close_set(berth__index_set *set) {
    berth__free(set->item);
    berth__free(set->place);
}

static void put(berth__index_set *set, int i, bool member) {
    int at = set->place[i];
    if (member == (at >= 0)) {
        return;
    }
    if (member) {
        set->place[i] = set->n;
        set->item[set->n++] = i;
    } else {
        int last = set->item[--set->n];
        set->item[at] = last;
        set->place[last] = at;
        set->place[i] = -1;
    }
}

/* ---- rows ----------------------------------------------------------------------------------------------- */

double berth__search_fill(const berth__search_state *s, int i, double sum) {
    const berth__filler *f = i < s->p->n_cover ? &s->filler[i] : NULL;
    double lack = f != NULL && f->var >= 0 ? s->p->rhs[i] - sum : 0;
    return lack > BERTH__HALF_FEASIBILITY * s->p->rhs[i]
               ? fmin(f->top, berth__activity_units(&s->a, f->var, lack, f->value))
               : 0;
}

double berth__search_lack(const berth__search_state *s, int i, double sum) {
    double rhs = s->p->rhs[i], lack = sum - rhs;
    if (i < s->p->n_cover) {
        double fill = s->filler[i].var >= 0 ? berth__search_fill(s, i, sum) : 0;
        lack = rhs - sum - (fill > 0 ? fill * s->filler[i].value : 0);
    }
    return lack > BERTH__HALF_FEASIBILITY * rhs ? lack : 0;
}

/* Gives row i a new sum, and what follows from it. */
static void set_row(berth__search_state *s, int i, double sum) {
    s->a.row[i] = sum;
    const berth__filler *f = i < s->p->n_cover && s->filler[i].var >= 0 ? &s->filler[i] : NULL;
    if (f != NULL) {
        double fill = berth__search_fill(s, i, sum);
        s->cost += f->cost * (fill - s->a.x[f->var]);
        s->a.x[f->var] = fill;
        put(&s->filled, i, fill > 0 && f->cost > 0);
        put(&s->dirty, f->var, true);
    }
    put(&s->broken, i, berth__search_lack(s, i, sum) > 0);
}

static void swap_entries(berth__search_state *s, size_t a, size_t b) {
    int var = s->var[a];
    double value = s->value[a];
    size_t column = s->column_of[a];
    s->var[a] = s->var[b];
    s->value[a] = s->value[b];
    s->column_of[a] = s->column_of[b];
    s->var[b] = var;
    s->value[b] = value;
    s->column_of[b] = column;
    s->entry_of[s->column_of[a]] = a;
    s->entry_of[s->column_of[b]] = b;
}

/* Moves j, whose value turned (from) 0, among the entries of its rows. */
static void turn(berth__search_state *s, int j, bool positive) {
    for (size_t k = s->a.columns.start[j]; k < s->a.columns.start[j + 1]; k++) {
        int i = s->a.columns.row[k];
        size_t border = s->row_start[i] + (size_t)s->n_positive[i] - (positive ? 0 : 1);
        swap_entries(s, s->entry_of[k], border);
        s->n_positive[i] += positive ? 1 : -1;
    }
}

static void place_variable(berth__search_state *s, int j) {
    double cost = s->cost_of[j], x = s->a.x[j];
    put(&s->improving, j, (cost > 0 && x > s->bottom[j]) || (cost < 0 && x < s->top[j]));
    put(&s->dirty, j, true);
}

void berth__search_move(berth__search_state *s, int j, double by) {
    double was = s->a.x[j], now = fmax(s->bottom[j], fmin(was + by, s->top[j]));
    now = now < BERTH__INTEGRALITY ? 0 : now;
    s->a.x[j] = now;
    s->cost += s->cost_of[j] * (now - was);
    s->moved[j] = ++s->n_moves;
    size_t first = s->a.columns.start[j], last = s->a.columns.start[j + 1];
    for (size_t k = first; k < last; k++) {
        int i = s->a.columns.row[k];
        s->changed[i] = s->n_moves;
        set_row(s, i, s->a.row[i] + s->a.columns.value[k] * (now - was));
    }
    if ((was > 0) != (now > 0)) {
        turn(s, j, now > 0);
    }
    place_variable(s, j);
    s->work += 2 * (last - first) + 1;
}

void berth__search_narrow(berth__search_state *s, int j, double bottom, double top) {
    s->bottom[j] = bottom;
    s->top[j] = top;
    if (s->a.x[j] < bottom || s->a.x[j] > top) {
        berth__search_move(s, j, 0);
    } else {
        place_variable(s, j);
    }
}

void berth__search_resum(berth__search_state *s) {
    const double *x = s->a.x;
    double *row = s->a.row;
    memset(row, 0, (size_t)s->n_rows * sizeof *row);
    for (int i = 0; i < s->p->n_cover; i++) {
        if (s->filler[i].var >= 0) { /* counted by set_row */
            s->a.x[s->filler[i].var] = 0;
        }
    }
    s->cost = 0;
    for (int j = 0; j < s->p->n_vars; j++) {
        s->cost += s->cost_of[j] * x[j];
        for (size_t k = s->a.columns.start[j]; k < s->a.columns.start[j + 1] && x[j] > 0; k++) {
            row[s->a.columns.row[k]] += s->a.columns.value[k] * x[j];
        }
    }
    for (int i = 0; i < s->n_rows; i++) {
        set_row(s, i, row[i]);
    }
    s->work += s->a.columns.start[s->p->n_vars] + (uint64_t)s->n_rows;
}

void berth__search_save(berth__search_state *s) {
    for (int at = 0; at < s->dirty.n; at++) {
        int j = s->dirty.item[at];
        s->saved[j] = s->a.x[j];
        s->dirty.place[j] = -1;
    }
    s->work += (uint64_t)s->dirty.n;
    s->dirty.n = 0;
    s->saved_cost = s->cost;
}

/* Moving puts nothing into `dirty` but fillers, which follow the rows. */
void berth__search_return(berth__search_state *s) {
    int n = s->dirty.n;
    for (int at = 0; at < n; at++) {
        int j = s->dirty.item[at];
        if (s->bottom[j] < s->top[j] && fabs(s->saved[j] - s->a.x[j]) > 0) {
            berth__search_move(s, j, s->saved[j] - s->a.x[j]);
        }
    }
}

/* ---- opening ---------------------------------------------------------------------------------------------- */

static void find_top(berth__search_state *s, const bool *skip) {
    const berth__packcover *p = s->p;
    for (int j = 0; j < p->n_vars; j++) {
        double top = berth__packcover_top(p, j);
        for (size_t k = s->a.columns.start[j]; k < s->a.columns.start[j + 1]; k++) {
            int i = s->a.columns.row[k];
            top = i < p->n_cover ? top : fmin(top, p->rhs[i] * (1 + BERTH__HALF_FEASIBILITY) / s->a.columns.value[k]);
        }
        top = berth__packcover_integer(p, j) ? floor(top) : top;
        s->top[j] = skip != NULL && skip[j] ? 0 : top;
        s->cost_of[j] = p->maximize ? -p->cost[j] : p->cost[j];
    }
}

static void find_fillers(berth__search_state *s) {
    const berth__packcover *p = s->p;
    for (int i = 0; i < p->n_cover; i++) {
        s->filler[i].var = -1;
    }
    for (int j = 0; j < p->n_vars && !p->maximize; j++) {
        size_t k = s->a.columns.start[j];
        if (s->a.columns.start[j + 1] != k + 1 || s->a.columns.row[k] >= p->n_cover || !(s->top[j] > 0) ||
            s->cost_of[j] < 0) {
            continue;
        }
        berth__filler *f = &s->filler[s->a.columns.row[k]];
        if (f->var < 0 || s->cost_of[j] / s->a.columns.value[k] < f->cost / f->value) {
            *f = (berth__filler){.var = j, .value = s->a.columns.value[k], .top = s->top[j], .cost = s->cost_of[j]};
        }
    }
    for (int i = 0; i < p->n_cover; i++) {
        if (s->filler[i].var >= 0) {
            s->top[s->filler[i].var] = 0;
        }
    }
}

/* entry_of and column_of of entries that are left out stay unused. */
void berth__search_rebuild(berth__search_state *s) {
    int n = s->p->n_vars;
    const size_t *start = s->a.columns.start;
    memset(s->row_start, 0, ((size_t)s->n_rows + 1) * sizeof *s->row_start);
    memset(s->n_positive, 0, (size_t)s->n_rows * sizeof *s->n_positive);
    for (int j = 0; j < n; j++) {
        for (size_t k = start[j]; k < start[j + 1] && s->bottom[j] < s->top[j]; k++) {
            s->row_start[s->a.columns.row[k] + 1]++;
        }
    }
    for (int i = 0; i < s->n_rows; i++) {
        s->row_start[i + 1] += s->row_start[i];
    }
    for (int j = 0; j < n; j++) {
        for (size_t k = start[j]; k < start[j + 1] && s->bottom[j] < s->top[j]; k++) {
            int i = s->a.columns.row[k];
            size_t at = s->row_start[i] + (size_t)s->n_positive[i]++;
            s->var[at] = j;
            s->value[at] = s->a.columns.value[k];
            s->column_of[at] = k;
            s->entry_of[k] = at;
        }
    }
    memset(s->n_positive, 0, (size_t)s->n_rows * sizeof *s->n_positive);
    for (int j = 0; j < n; j++) {
        if (s->bottom[j] < s->top[j] && s->a.x[j] > 0) {
            turn(s, j, true);
        }
    }
    s->work += 3 * start[n];
}

static bool allocate(berth__search_state *s) {
    size_t n = (size_t)s->p->n_vars, n_rows = (size_t)s->n_rows, n_entries = s->a.columns.start[n];
    s->cost_of = BERTH__NEW_ARRAY(double, n);
    s->bottom = BERTH__NEW_ARRAY(double, n);
    s->top = BERTH__NEW_ARRAY(double, n);
    s->filler = BERTH__NEW_ARRAY(berth__filler, (size_t)s->p->n_cover);
    s->row_start = BERTH__NEW_ARRAY(size_t, n_rows + 1);
    s->var = BERTH__NEW_ARRAY(int, n_entries);
    s->value = BERTH__NEW_ARRAY(double, n_entries);
    s->n_positive = BERTH__NEW_ARRAY(int, n_rows);
    s->entry_of = BERTH__NEW_ARRAY(size_t, n_entries);
    s->column_of = BERTH__NEW_ARRAY(size_t, n_entries);
    s->moved = BERTH__NEW_ARRAY(uint64_t, n);
    s->changed = BERTH__NEW_ARRAY(uint64_t, n_rows);
    s->saved = BERTH__NEW_ARRAY(double, n);
    bool sets = open_set(&s->broken, s->n_rows) && open_set(&s->filled, s->n_rows) &&
                open_set(&s->improving, s->p->n_vars) && open_set(&s->dirty, s->p->n_vars);
    return sets && s->cost_of != NULL && s->bottom != NULL && s->top != NULL && s->filler != NULL &&
           s->row_start != NULL && s->var != NULL && s->value != NULL && s->n_positive != NULL && s->entry_of != NULL &&
           s->column_of != NULL && s->moved != NULL && s->changed != NULL && s->saved != NULL;
}

berth_status berth__search_open(berth__search_state *s, const berth__packcover *p, const bool *skip, double *x) {
    *s = (berth__search_state){.p = p, .n_rows = p->n_cover + p->n_pack, .saved_cost = HUGE_VAL};
    berth_status status = berth__activity_open(&s->a, p, skip, x);
    if (status != BERTH_OK || !allocate(s)) {
        berth__search_close(s);
        return BERTH_E_MEMORY;
    }
    find_top(s, skip);
    find_fillers(s);
    for (int j = 0; j < p->n_vars; j++) {
        x[j] = fmin(berth__packcover_integer(p, j) ? round(x[j]) : x[j], s->top[j]);
        place_variable(s, j);
    }
    berth__search_rebuild(s);
    berth__search_resum(s);
    return BERTH_OK;
}

void berth__search_close(berth__search_state *s) {
    berth__activity_close(&s->a);
    berth__free(s->cost_of);
    berth__free(s->bottom);
    berth__free(s->top);
    berth__free(s->filler);
    berth__free(s->row_start);
    berth__free(s->var);
    berth__free(s->value);
    berth__free(s->n_positive);
    berth__free(s->entry_of);
    berth__free(s->column_of);
    berth__free(s->moved);
    berth__free(s->changed);
    berth__free(s->saved);
    close_set(&s->broken);
    close_set(&s->filled);
    close_set(&s->improving);
    close_set(&s->dirty);
    *s = (berth__search_state){.p = NULL};
}
