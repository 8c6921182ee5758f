#include "report/gantt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

/* What a job holds in a slot on a machine, or, once gathered, in a cell: a row and a bin. */
typedef struct piece {
    size_t row, job, order;
    int bin, workers, ps;
    double share;
    double low; /* in the row; < 0: not placed yet */
    size_t bar; /* that draws it; BERTH__OTHERS: none yet */
} piece;

typedef struct layout {
    const berth_instance *instance;
    double least_share;
    double *capacity; /* [n_rows][n_resources] of a slot */
    piece *pieces;
    size_t n_pieces;
    berth__gantt *out;
    size_t bars_capacity;
} layout;

/* ---- what there is ---- */

static int by_cell(const void *a, const void *b) {
    const piece *x = a, *y = b;
    if (x->row != y->row) {
        return x->row < y->row ? -1 : 1;
    }
    if (x->bin != y->bin) {
        return x->bin < y->bin ? -1 : 1;
    }
    if (x->job != y->job) {
        return x->job < y->job ? -1 : 1;
    }
    return x->order < y->order ? -1 : 1;
}

static bool is_shown(const berth_instance *instance, const berth_slot_plan *plan, const berth_placement *p) {
    return plan->slot >= 0 && plan->slot < instance->horizon_slots && p->machine >= 0 &&
           (size_t)p->machine < instance->n_machines;
}

/* Counts the placements, or (pieces not NULL) takes them down. */
static size_t take_placements(const layout *l, const berth_run *run, piece *pieces) {
    size_t n = 0;
    for (size_t job = 0; job < run->n_jobs; job++) {
        for (size_t s = 0; s < run->jobs[job].n_slots; s++) {
            const berth_slot_plan *plan = &run->jobs[job].slots[s];
            for (size_t k = 0; k < plan->n_placements; k++) {
                const berth_placement *p = &plan->placements[k];
                if (is_shown(l->instance, plan, p) && pieces != NULL) {
                    pieces[n] = (piece){.row = (size_t)p->machine / l->out->machines_per_row,
                                        .job = job,
                                        .order = n,
                                        .bin = plan->slot / l->out->slots_per_bin,
                                        .workers = p->workers,
                                        .ps = p->ps,
                                        .low = -1,
                                        .bar = BERTH__OTHERS};
                }
                n += is_shown(l->instance, plan, p);
            }
        }
    }
    return n;
}

static void add_capacities(const layout *l) {
    const size_t n = l->instance->n_resources;
    for (size_t i = 0; i < l->instance->n_machines; i++) {
        for (size_t r = 0; r < n; r++) {
            l->capacity[i / l->out->machines_per_row * n + r] += l->instance->capacity[i * n + r];
        }
    }
}

static int slots_of_bin(const layout *l, int bin) {
    int left = l->instance->horizon_slots - bin * l->out->slots_per_bin;
    return left < l->out->slots_per_bin ? left : l->out->slots_per_bin;
}

static double share_of(const layout *l, const piece *p, double workers, double ps) {
    const berth_job *job = &l->instance->jobs[p->job];
    double share = 0;
    for (size_t r = 0; r < l->instance->n_resources; r++) {
        double amount = workers * job->worker[r] + (job->ps != NULL ? ps * job->ps[r] : 0);
        double capacity = l->capacity[p->row * l->instance->n_resources + r] * slots_of_bin(l, p->bin);
        share = capacity > 0 ? fmax(share, amount / capacity) : share;
    }
    return share;
}

/* One piece for each job of a cell. */
static void gather(layout *l) {
    size_t to = 0;
    for (size_t from = 0; from < l->n_pieces;) {
        piece whole = l->pieces[from];
        double workers = 0, ps = 0;
        for (; from < l->n_pieces && l->pieces[from].row == whole.row && l->pieces[from].bin == whole.bin &&
               l->pieces[from].job == whole.job;
             from++) {
            workers += l->pieces[from].workers;
            ps += l->pieces[from].ps;
        }
        whole.share = share_of(l, &whole, workers, ps);
        if (whole.share > 0) {
            l->pieces[to++] = whole;
        }
    }
    l->n_pieces = to;
}

/* ---- a cell: pieces first .. end - 1 ---- */

/* Scales down to 1 and lumps small ones into a last piece. Returns the cell's new end. */
static size_t lump(layout *l, size_t first, size_t end) {
    double sum = 0, small = 0;
    size_t to = first;
    for (size_t k = first; k < end; k++) {
        sum += l->pieces[k].share;
    }
    const double scale = sum > 1 ? 1 / sum : 1;
    for (size_t k = first; k < end; k++) {
        l->pieces[k].share *= scale;
        if (l->pieces[k].share < l->least_share) {
            small += l->pieces[k].share;
        } else {
            l->pieces[to++] = l->pieces[k];
        }
    }
    if (to < end) {
        l->pieces[to] = l->pieces[to > first ? to - 1 : first];
        l->pieces[to].job = BERTH__OTHERS;
        l->pieces[to++].share = small;
    }
    return to;
}

/* Is low .. low + share free of the pieces that are placed? */
static bool is_free(const piece *pieces, size_t first, size_t end, double low, double share) {
    const double slack = 1e-9;
    for (size_t k = first; k < end; k++) {
        if (pieces[k].low >= 0 && low < pieces[k].low + pieces[k].share - slack &&
            pieces[k].low < low + share - slack) {
            return false;
        }
    }
    return low + share <= 1 + slack;
}

/* The lowest place beside those that are placed, on the ground or on top of one; < 0: none. */
static double lowest_place(const piece *pieces, size_t first, size_t end, double share) {
    double best = is_free(pieces, first, end, 0, share) ? 0 : -1;
    for (size_t k = first; k < end; k++) {
        double low = pieces[k].low + pieces[k].share;
        if (pieces[k].low >= 0 && (best < 0 || low < best) && is_free(pieces, first, end, low, share)) {
            best = low;
        }
    }
    return best;
}

static void stack(piece *pieces, size_t first, size_t end) {
    double low = 0;
    for (size_t k = first; k < end; k++) {
        pieces[k].low = low;
        low += pieces[k].share;
    }
}

/* Jobs that were in the row's last bin (pieces before .. before_end - 1) stay where they were if they fit there. */
static void place(piece *pieces, size_t first, size_t end, size_t before, size_t before_end) {
    for (size_t k = first; k < end; k++) {
        for (size_t b = before; b < before_end; b++) {
            if (pieces[b].job == pieces[k].job && is_free(pieces, first, end, pieces[b].low, pieces[k].share)) {
                pieces[k].low = pieces[b].low;
                break;
            }
        }
    }
    for (size_t k = first; k < end; k++) {
        double low = pieces[k].low >= 0 ? pieces[k].low : lowest_place(pieces, first, end, pieces[k].share);
        if (low < 0) {
            stack(pieces, first, end);
            return;
        }
        pieces[k].low = low;
    }
}

/* The bar of the last bin that goes on with this piece, or BERTH__OTHERS. */
static size_t bar_before(const layout *l, const piece *p, size_t before, size_t before_end) {
    const double same = 1e-6;
    for (size_t b = before; b < before_end; b++) {
        const piece *q = &l->pieces[b];
        if (q->job == p->job && fabs(q->low - p->low) < same && fabs(q->share - p->share) < same) {
            return q->bar;
        }
    }
    return BERTH__OTHERS;
}

static bool draw_cell(layout *l, size_t first, size_t end, size_t before, size_t before_end) {
    berth__gantt *g = l->out;
    for (size_t k = first; k < end; k++) {
        piece *p = &l->pieces[k];
        const int from = p->bin * g->slots_per_bin, to = from + slots_of_bin(l, p->bin);
        p->bar = bar_before(l, p, before, before_end);
        if (p->bar != BERTH__OTHERS) {
            g->bars[p->bar].to = to;
            continue;
        }
        if (!berth__grow((void **)&g->bars, &l->bars_capacity, g->n_bars, sizeof *g->bars)) {
            return false;
        }
        p->bar = g->n_bars;
        g->bars[g->n_bars++] = (berth__bar){
            .row = p->row, .job = p->job, .from = from, .to = to, .low = p->low, .high = fmin(1, p->low + p->share)};
    }
    return true;
}

/* Cell after cell; the gathered pieces move to the front, as lumping leaves gaps. */
static bool draw_all(layout *l) {
    size_t before = 0, before_end = 0;
    for (size_t first = 0, end; first < l->n_pieces; first = end) {
        const piece head = l->pieces[first];
        for (end = first; end < l->n_pieces && l->pieces[end].row == head.row && l->pieces[end].bin == head.bin;) {
            end++;
        }
        const bool goes_on =
            before_end > before && l->pieces[before].row == head.row && l->pieces[before].bin == head.bin - 1;
        before = goes_on ? before : before_end;
        size_t last = lump(l, first, end);
        place(l->pieces, first, last, before, before_end);
        if (!draw_cell(l, first, last, before, before_end)) {
            return false;
        }
        before = first;
        before_end = last;
    }
    return true;
}

/* ---- the whole ---- */

void berth__gantt_free(berth__gantt *gantt) {
    if (gantt != NULL) {
        berth__free(gantt->bars);
        *gantt = (berth__gantt){0};
    }
}

static size_t at_most(size_t n, size_t most) {
    return n == 0 ? 1 : (n - 1) / most + 1;
}

berth_status berth__gantt_layout(const berth_instance *instance, const berth_run *run, size_t most_rows,
                                 size_t most_bins, double least_share, berth__gantt *out, berth_error *error) {
    *out = (berth__gantt){.machines_per_row = at_most(instance->n_machines, most_rows),
                          .slots_per_bin = (int)at_most((size_t)instance->horizon_slots, most_bins)};
    out->n_rows = at_most(instance->n_machines, out->machines_per_row);
    layout l = {.instance = instance, .least_share = least_share, .out = out};
    l.n_pieces = take_placements(&l, run, NULL);
    l.capacity = BERTH__NEW_ARRAY(double, out->n_rows * instance->n_resources);
    l.pieces = BERTH__NEW_ARRAY(piece, l.n_pieces);
    bool done = l.capacity != NULL && l.pieces != NULL;
    if (done) {
        add_capacities(&l);
        take_placements(&l, run, l.pieces);
        qsort(l.pieces, l.n_pieces, sizeof *l.pieces, by_cell);
        gather(&l);
        done = draw_all(&l);
    }
    berth__free(l.capacity);
    berth__free(l.pieces);
    if (!done) {
        berth__gantt_free(out);
        return berth__fail_memory(error);
    }
    return BERTH_OK;
}
