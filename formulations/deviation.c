#include "formulations/deviation.h"

#include <math.h>

#include "base/alloc.h"

enum { MAX_CELLS = 1 << 22, MAX_LABELS = 1 << 20 };

/* A partial solution: the sums reached, by taking `option` after `parent`. */
typedef struct label {
    double cost, regret;
    int w, s; /* sums from the window's corner */
    int parent, option;
} label;

/* Ranges of the two sums. */
typedef struct box {
    int64_t low_w, high_w, low_s, high_s;
} box;

struct berth__deviation {
    int *grid; /* [cells of the window] 1 + the cell's best label; all 0 between calls */
    size_t grid_room;
    label *labels; /* only added to while copies are made, so that parents stay */
    size_t n_labels, labels_room;
    int *active; /* cells that have a label */
    size_t n_active, active_room;
    int *frontier; /* labels that the next copy starts from */
    size_t n_frontier, frontier_room;
    int *moves;
    size_t moves_room;
    box *range; /* [n_groups] deviations of one copy, 0 among them */
    size_t range_room;
    /* the running problem */
    const berth__deviation_problem *p;
    box window, rest; /* rest: what copies to come can add */
    int height, target;
    double limit;
    bool cut;
};

berth__deviation *berth__deviation_new(void) {
    return BERTH__NEW_ARRAY(berth__deviation, 1);
}

void berth__deviation_free(berth__deviation *d) {
    if (d != NULL) {
        berth__free(d->grid);
        berth__free(d->labels);
        berth__free(d->active);
        berth__free(d->frontier);
        berth__free(d->moves);
        berth__free(d->range);
        berth__free(d);
    }
}

/* ---- ranges ---- */

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static void widen(box *out, int dw, int ds) {
    out->low_w = smaller(out->low_w, dw);
    out->high_w = larger(out->high_w, dw);
    out->low_s = smaller(out->low_s, ds);
    out->high_s = larger(out->high_s, ds);
}

static void add_copies(box *out, const box *one, int64_t copies) {
    out->low_w += copies * one->low_w;
    out->high_w += copies * one->high_w;
    out->low_s += copies * one->low_s;
    out->high_s += copies * one->high_s;
}

static void find_ranges(berth__deviation *d) {
    const berth__deviation_problem *p = d->p;
    d->rest = (box){0};
    for (int k = 0; k < p->n_groups; k++) {
        d->range[k] = (box){0};
        for (int j = p->groups[k].begin; j < p->groups[k].end; j++) {
            widen(&d->range[k], p->options[j].dw, p->options[j].ds);
        }
        add_copies(&d->rest, &d->range[k], p->groups[k].copies);
    }
}

/* Sums from which the copies to come can still hit the target; they get there from 0 through these only, too. */
static box hopeful(const berth__deviation *d) {
    return (box){d->p->target_w - d->rest.high_w, d->p->target_w - d->rest.low_w, d->p->target_s - d->rest.high_s,
                 d->p->target_s - d->rest.low_s};
}

static bool holds(const box *b, int64_t w, int64_t s) {
    return w >= b->low_w && w <= b->high_w && s >= b->low_s && s <= b->high_s;
}

/* `b` as offsets from the window's corner, and within the window. */
static box in_window(const berth__deviation *d, const box *b) {
    const box *window = &d->window;
    return (box){larger(b->low_w, window->low_w) - window->low_w, smaller(b->high_w, window->high_w) - window->low_w,
                 larger(b->low_s, window->low_s) - window->low_s, smaller(b->high_s, window->high_s) - window->low_s};
}

/* ---- labels ---- */

static bool reserve(void **array, size_t *room, size_t n, size_t size) {
    return n <= *room || berth__grow(array, room, n - 1, size);
}

/* The grid for the window, all 0. False: out of memory. */
static bool open_grid(berth__deviation *d, size_t cells) {
    if (cells > d->grid_room) {
        int *grid = BERTH__NEW_ARRAY(int, cells + cells / 2);
        if (grid == NULL) {
            return false;
        }
        berth__free(d->grid);
        d->grid = grid;
        d->grid_room = cells + cells / 2;
    }
    return true;
}

static void close_grid(berth__deviation *d) {
    for (size_t i = 0; i < d->n_active; i++) {
        d->grid[d->active[i]] = 0;
    }
    d->n_active = 0;
}

static bool add_label(berth__deviation *d, int cell, const label *l) {
    if (d->n_labels == d->labels_room &&
        !berth__grow((void **)&d->labels, &d->labels_room, d->n_labels, sizeof(label))) {
        return false;
    }
    if (d->grid[cell] == 0) {
        if (d->n_active == d->active_room &&
            !berth__grow((void **)&d->active, &d->active_room, d->n_active, sizeof(int))) {
            return false;
        }
        d->active[d->n_active++] = cell;
    }
    d->labels[d->n_labels++] = *l;
    d->grid[cell] = (int)d->n_labels;
    return true;
}

/* What is no better than a known solution, but for the slack, need not be looked at. */
static void note_solution(berth__deviation *d, const label *l) {
    d->limit = fmin(d->limit, l->regret - d->p->slack + 2 * d->p->noise);
}

/* Offers a label to its cell. `fresh`: first label of the running copy, which alone may be overwritten. */
static bool offer(berth__deviation *d, const label *l, size_t fresh) {
    int cell = l->w * d->height + l->s;
    int held = d->grid[cell] - 1;
    if (held >= 0 && d->labels[held].cost <= l->cost) {
        return true;
    }
    if (held >= 0 && (size_t)held >= fresh) {
        d->labels[held] = *l;
    } else if (!add_label(d, cell, l)) {
        return false;
    }
    if (cell == d->target) {
        note_solution(d, l);
    }
    return true;
}

/* One copy of group k leaves its point, from each label of the frontier. */
static bool move_copy(berth__deviation *d, int k) {
    const berth__deviation_group *group = &d->p->groups[k];
    const box hope = hopeful(d), within = in_window(d, &hope);
    size_t fresh = d->n_labels;
    for (size_t i = 0; i < d->n_frontier; i++) {
        const label from = d->labels[d->frontier[i]];
        for (int j = group->begin; j < group->end; j++) {
            const berth__deviation_option *o = &d->p->options[j];
            label to = {from.cost + o->cost, from.regret + o->regret, from.w + o->dw,
                        from.s + o->ds,      d->frontier[i],          j};
            if (!holds(&within, to.w, to.s)) {
                continue;
            }
            if (to.regret >= d->limit) {
                d->cut = true;
            } else if (!offer(d, &to, fresh)) {
                return false;
            }
        }
    }
    return true;
}

/* The frontier of a group's first copy: every cell's label; cells without hope are dropped for good. */
static bool gather(berth__deviation *d) {
    const box hope = hopeful(d), within = in_window(d, &hope);
    if (!reserve((void **)&d->frontier, &d->frontier_room, d->n_active, sizeof(int))) {
        return false;
    }
    d->n_frontier = 0;
    size_t kept = 0;
    for (size_t i = 0; i < d->n_active; i++) {
        int cell = d->active[i], held = d->grid[cell] - 1;
        if (!holds(&within, d->labels[held].w, d->labels[held].s)) {
            d->grid[cell] = 0;
            continue;
        }
        d->active[kept++] = cell;
        if (d->labels[held].regret < d->limit) {
            d->frontier[d->n_frontier++] = held;
        }
    }
    d->n_active = kept;
    return true;
}

/* The frontier of a further copy: the labels that the one before made. Older labels have had their turn. */
static bool follow(berth__deviation *d, size_t first) {
    size_t n = d->n_labels - first;
    if (!reserve((void **)&d->frontier, &d->frontier_room, n, sizeof(int))) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        d->frontier[i] = (int)(first + i);
    }
    d->n_frontier = n;
    return true;
}

/* All copies of group k. *work below 0: given up. */
static berth_status move_group(berth__deviation *d, int k, int64_t *work) {
    const berth__deviation_group *group = &d->p->groups[k];
    if (group->end == group->begin) {
        return BERTH_OK;
    }
    if (!gather(d)) {
        return BERTH_E_MEMORY;
    }
    int copies = group->copies;
    *work -= (int64_t)d->n_active;
    for (; copies > 0 && d->n_frontier > 0; copies--) {
        *work -= (int64_t)d->n_frontier * (group->end - group->begin);
        if (d->n_labels > MAX_LABELS) {
            *work = -1;
        }
        if (*work < 0) {
            return BERTH_OK;
        }
        size_t first = d->n_labels;
        add_copies(&d->rest, &d->range[k], -1);
        if (!move_copy(d, k) || !follow(d, first)) {
            return BERTH_E_MEMORY;
        }
    }
    add_copies(&d->rest, &d->range[k], -copies);
    return BERTH_OK;
}

/* ---- whole problems ---- */

/* False: the sums range too widely. */
static bool choose_window(berth__deviation *d, size_t *cells) {
    const box hope = hopeful(d), *rest = &d->rest;
    d->window = (box){larger(rest->low_w, hope.low_w), smaller(rest->high_w, hope.high_w),
                      larger(rest->low_s, hope.low_s), smaller(rest->high_s, hope.high_s)};
    int64_t width = d->window.high_w - d->window.low_w + 1, height = d->window.high_s - d->window.low_s + 1;
    if (width > MAX_CELLS || height > MAX_CELLS || width * height > MAX_CELLS) {
        return false;
    }
    d->height = (int)height;
    d->target = (int)((d->p->target_w - d->window.low_w) * height + d->p->target_s - d->window.low_s);
    *cells = (size_t)(width * height);
    return true;
}

static bool read_solution(berth__deviation *d, berth__deviation_result *out) {
    int at = d->grid[d->target] - 1;
    out->found = at >= 0;
    if (!out->found) {
        return true;
    }
    out->cost = d->labels[at].cost;
    out->regret = d->labels[at].regret;
    for (; d->labels[at].parent >= 0; at = d->labels[at].parent) {
        if (!reserve((void **)&d->moves, &d->moves_room, (size_t)out->n_moves + 1, sizeof(int))) {
            return false;
        }
        d->moves[out->n_moves++] = d->labels[at].option;
    }
    out->moves = d->moves;
    return true;
}

static berth_status search(berth__deviation *d, int64_t *work) {
    const label root = {.w = (int)-d->window.low_w, .s = (int)-d->window.low_s, .parent = -1, .option = -1};
    d->n_labels = 0;
    berth_status status = offer(d, &root, 0) ? BERTH_OK : BERTH_E_MEMORY;
    for (int k = 0; k < d->p->n_groups && status == BERTH_OK && *work >= 0; k++) {
        status = move_group(d, k, work);
        /* With regrets >= 0, nothing can be better. */
        if (d->limit <= 0) {
            break;
        }
        int held = d->grid[d->target] - 1;
        if (*work <= d->p->patience && held >= 0 && d->labels[held].regret <= d->p->good) {
            *work = -1;
        }
    }
    return status;
}

berth_status berth__deviation_solve(berth__deviation *d, const berth__deviation_problem *p, int64_t *work,
                                    berth__deviation_result *out) {
    *out = (berth__deviation_result){.cost = (double)INFINITY, .regret = (double)INFINITY};
    d->p = p;
    d->limit = p->limit;
    d->cut = false;
    if (!reserve((void **)&d->range, &d->range_room, (size_t)p->n_groups, sizeof(box))) {
        return BERTH_E_MEMORY;
    }
    find_ranges(d);
    if (!holds(&d->rest, p->target_w, p->target_s)) {
        out->complete = true;
        return BERTH_OK;
    }
    size_t cells;
    if (!choose_window(d, &cells)) {
        return BERTH_OK;
    }
    if (!open_grid(d, cells)) {
        return BERTH_E_MEMORY;
    }
    berth_status status = search(d, work);
    if (status == BERTH_OK && !read_solution(d, out)) {
        status = BERTH_E_MEMORY;
    }
    close_grid(d);
    out->complete = *work >= 0;
    out->cut = d->cut;
    return status;
}
