#include "solver/first_order/pdhg.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "solver/first_order/scale.h"

/* Chunks of a large model, and how much work (entries + columns) is worth one. */
enum { MOST_CHUNKS = 8, LEAST_WORK = 20000 };

/* Rounds of the power iteration for the norm, at most, and how close is close enough. */
enum { NORM_ROUNDS = 40 };
static const double norm_precision = 1.02;

/* Step lengths eta in units of 1 / ||K||: the one to begin with, where no theorem but trying says that it converges,
 * and the one that it shrinks to, epoch by epoch, where it does not: the step grew instead of shrinking. */
static const double step_at_first = 1.6, step_at_last = 0.998, step_shrinks = 0.75;
static const double settles = 0.9, diverges = 2; /* r over r0 */

/* Limits of the primal weight: infeasible models drive it away. */
static const double most_weight = 1e8;

typedef struct column_sums {
    double moved;    /* ||x+ - x||^2 */
    double dual;     /* sum of box_j min(0, r_j) */
    double entries;  /* gathered */
    double apart[5]; /* of the next chunk's cache line */
} column_sums;

typedef struct row_sums {
    double moved;    /* ||y+ - y||^2 */
    double cross;    /* (y+ - y) . K (x+ - x) */
    double farthest; /* max |y - y before|, of the gathered one */
    double apart[5];
} row_sums;

/* All that a pass reads of a column but its entries, in one cache line. Scaled. */
typedef struct column {
    double x, x0, plus; /* iterate, the one at the restart, x+ */
    double cost, box;
    size_t begin; /* of its entries */
    int n_entries;
    float inverse_norm; /* 1 / ||K_j||_1, rounded down; INFINITY: no entries */
    double apart;
} column;

typedef struct entry {
    int row;
    float value; /* row_scale |A_ij| col_scale */
} entry;

/* How a pass mixes: z <- ahead (2 z+ - z) + back z0, with step lengths. */
typedef struct pass_steps {
    double tau, sigma, ahead, back;
} pass_steps;

struct berth__pdhg {
    const berth__fo_form *form;
    berth__team *team;
    int n_cols, n_rows, chunks;
    int *col_begin, *row_begin;    /* [chunks + 1] */
    double *row_scale, *col_scale; /* [n_rows], [n_cols] */
    double unit_x, unit_y;         /* scaled x = unit_x x / col_scale, scaled y = unit_y y / row_scale */
    column *columns;               /* [n_cols] within columns_block */
    void *columns_block;
    entry *entries;                            /* [n_entries] by column */
    double *wake;                              /* [n_cols] the way at which a column is read again */
    double *cover, *packing, *packing_given;   /* [n_rows] */
    double *y, *y0, *y_plus;                   /* [n_rows] */
    double *product, *product0, *product_plus; /* [n_rows] K x, K x0, K x+ */
    float *y_gathered;                         /* [n_rows] */
    double *partial;                           /* [chunks][n_rows] accumulators, 0 between passes */
    column_sums *of_columns;                   /* [chunks] */
    row_sums *of_rows;                         /* [chunks] */
    double norm, eta, omega, way;              /* way: how far y has moved, see pdhg.h */
    double first_step, last_step;              /* r0, r of the pass before */
    double dual_at_y;                          /* the last pass's dual objective */
    double entries_read;
    pass_steps steps; /* of this pass */
    long passes, since_restart, restarts;
};

#if defined(__GNUC__)
#define FETCH(address) __builtin_prefetch(address)
#else
#define FETCH(address) ((void)(address))
#endif

/* ---- Setting up ---- */

/* Room for n columns from a cache line's start. */
static bool allocate_columns(berth__pdhg *p, size_t n) {
    p->columns_block = BERTH__NEW_ARRAY(column, n + 1);
    if (p->columns_block != NULL) {
        size_t off = (uintptr_t)p->columns_block % sizeof(column);
        p->columns = (column *)(void *)((char *)p->columns_block + (sizeof(column) - off) % sizeof(column));
    }
    return p->columns_block != NULL;
}

static bool allocate(berth__pdhg *p) {
    size_t n = (size_t)p->n_cols, m = (size_t)p->n_rows, chunks = (size_t)p->chunks;
    double **by_row[] = {&p->row_scale, &p->cover,  &p->packing, &p->packing_given, &p->y,
                         &p->y0,        &p->y_plus, &p->product, &p->product0,      &p->product_plus};
    bool good = allocate_columns(p, n);
    for (size_t k = 0; k < sizeof by_row / sizeof *by_row; k++) {
        *by_row[k] = BERTH__NEW_ARRAY(double, m);
        good = good && *by_row[k] != NULL;
    }
    p->col_scale = BERTH__NEW_ARRAY(double, n);
    p->wake = BERTH__NEW_ARRAY(double, n);
    p->col_begin = BERTH__NEW_ARRAY(int, chunks + 1);
    p->row_begin = BERTH__NEW_ARRAY(int, chunks + 1);
    p->entries = BERTH__NEW_ARRAY(entry, p->form->model->n_entries);
    p->y_gathered = BERTH__NEW_ARRAY(float, m);
    p->partial = berth__calloc(chunks, m * sizeof(double));
    p->of_columns = BERTH__NEW_ARRAY(column_sums, chunks);
    p->of_rows = BERTH__NEW_ARRAY(row_sums, chunks);
    return good && p->col_scale != NULL && p->wake != NULL && p->col_begin != NULL && p->row_begin != NULL &&
           p->entries != NULL && p->y_gathered != NULL && p->partial != NULL && p->of_columns != NULL &&
           p->of_rows != NULL;
}

void berth__pdhg_free(berth__pdhg *p) {
    if (p == NULL) {
        return;
    }
    void *const blocks[] = {p->row_scale, p->cover,      p->packing,   p->packing_given, p->y,
                            p->y0,        p->y_plus,     p->product,   p->product0,      p->product_plus,
                            p->col_scale, p->wake,       p->col_begin, p->row_begin,     p->entries,
                            p->partial,   p->of_columns, p->of_rows,   p->y_gathered,    p->columns_block};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) {
        berth__free(blocks[k]);
    }
    berth__free(p);
}

/* Columns to chunks of about equal work, rows to blocks of equal size. */
static void split(berth__pdhg *p) {
    double all = (double)p->form->model->n_entries + 2 * (double)p->n_cols;
    int j = 0;
    for (int k = 1; k <= p->chunks; k++) {
        while (j < p->n_cols && (double)p->form->model->col_start[j] + 2 * (double)j < all * k / p->chunks) {
            j++;
        }
        p->col_begin[k] = k == p->chunks ? p->n_cols : j;
        p->row_begin[k] = (int)((long)p->n_rows * k / p->chunks);
    }
}

static void scale_column(berth__pdhg *p, int j) {
    const berth__model *model = p->form->model;
    column *col = &p->columns[j];
    double norm = 0;
    col->begin = model->col_start[j];
    col->n_entries = (int)(model->col_start[j + 1] - col->begin);
    for (size_t e = col->begin; e < model->col_start[j + 1]; e++) {
        int row = model->row_of[e];
        float value = (float)(fabs(model->value[e]) * p->row_scale[row] * p->col_scale[j]);
        p->entries[e] = (entry){row, value};
        norm += (double)value;
    }
    col->inverse_norm = norm > 0 ? (float)((1 - 1e-6) / norm) : (float)INFINITY;
}

static void scale_columns_part(void *user, int part, int parts) {
    berth__pdhg *p = user;
    int end = berth__team_begin(p->n_cols, part + 1, parts);
    for (int j = berth__team_begin(p->n_cols, part, parts); j < end; j++) {
        scale_column(p, j);
    }
}

static double norm_of(const double *values, int n) {
    double sum = 0;
    for (int k = 0; k < n; k++) {
        sum += isinf(values[k]) ? 0 : values[k] * values[k];
    }
    return sum > 0 ? sqrt(sum) : 0;
}

static void scale_costs(berth__pdhg *p) {
    const berth__fo_form *form = p->form;
    double squares = 0;
    for (int j = 0; j < p->n_cols; j++) {
        double cost = form->cost[j] * p->col_scale[j];
        squares += cost * cost;
    }
    p->unit_y = squares > 0 ? 1 / sqrt(squares) : 1;
    for (int j = 0; j < p->n_cols; j++) {
        bool is_fixed = !(form->box[j] > 0);
        p->columns[j].box = is_fixed ? 0 : form->box[j] / p->col_scale[j] * p->unit_x;
        p->columns[j].cost = is_fixed ? 1 : form->cost[j] * p->col_scale[j] * p->unit_y; /* 1: so that it sleeps */
    }
}

static void scale_right_sides(berth__pdhg *p) {
    const berth__fo_form *form = p->form;
    for (int i = 0; i < p->n_rows; i++) {
        bool binds = form->sign[i] != 0;
        p->cover[i] = binds ? form->cover[i] * p->row_scale[i] : -(double)INFINITY;
        p->packing[i] = binds ? form->packing[i] * p->row_scale[i] : (double)INFINITY;
    }
    double norm = hypot(norm_of(p->cover, p->n_rows), norm_of(p->packing, p->n_rows));
    p->unit_x = norm > 0 ? 1 / norm : 1;
    for (int i = 0; i < p->n_rows; i++) {
        p->cover[i] *= p->unit_x;
        p->packing[i] *= p->unit_x;
        p->packing_given[i] = p->packing[i];
    }
}

/* ---- Passes over the matrix ---- */

/* w -> K K' w of one chunk of columns, to its accumulator; w is where y is at other times. */
static void square_chunk(void *user, int chunk, int chunks) {
    (void)chunks;
    berth__pdhg *p = user;
    const double *w = p->y;
    double *sum = p->partial + (size_t)chunk * (size_t)p->n_rows;
    for (int j = p->col_begin[chunk]; j < p->col_begin[chunk + 1]; j++) {
        const entry *entries = p->entries + p->columns[j].begin;
        double g = 0;
        for (int e = 0; e < p->columns[j].n_entries; e++) {
            g += (double)entries[e].value * w[entries[e].row];
        }
        for (int e = 0; g != 0 && e < p->columns[j].n_entries; e++) {
            sum[entries[e].row] += (double)entries[e].value * g;
        }
    }
}

/* Rows first .. first + n - 1 of K x+: the accumulators' sum, chunk by chunk; leaves them 0. */
static void collect_rows(berth__pdhg *p, int first, int n) {
    double *restrict sum = p->product_plus + first;
    memset(sum, 0, (size_t)n * sizeof(double));
    for (int k = 0; k < p->chunks; k++) {
        double *restrict part = p->partial + (size_t)k * (size_t)p->n_rows + first;
        for (int i = 0; i < n; i++) {
            sum[i] += part[i];
            part[i] = 0;
        }
    }
}

/* An upper bound on ||K||, from the power iteration on K K', which is >= 0: for every w > 0 its largest eigenvalue is
 * at most max_i (K K' w)_i / w_i (Collatz and Wielandt). Rows without entries have no part in it. */
static double norm_bound(berth__pdhg *p) {
    double *w = p->y, least = (double)INFINITY;
    for (int i = 0; i < p->n_rows; i++) {
        w[i] = 1;
    }
    for (int round = 0; round < NORM_ROUNDS; round++) {
        berth__team_run(p->team, square_chunk, p, p->chunks);
        double bound = 0, largest = 0, before = 0, after = 0;
        const double *image = p->product_plus;
        collect_rows(p, 0, p->n_rows);
        for (int i = 0; i < p->n_rows; i++) {
            bound = fmax(bound, image[i] / w[i]);
            largest = fmax(largest, image[i]);
            before += w[i] * w[i];
            after += image[i] * image[i];
        }
        least = fmin(least, bound);
        if (!(largest > 0) || least * sqrt(before) <= norm_precision * sqrt(after)) {
            break;
        }
        for (int i = 0; i < p->n_rows; i++) {
            w[i] = fmax(image[i] / largest, 1e-12);
        }
    }
    return least > 0 ? sqrt(least) * (1 + 1e-6) : 1;
}

static pass_steps steps_of(const berth__pdhg *p) {
    double k = (double)p->since_restart;
    return (pass_steps){p->eta / p->omega, p->eta * p->omega, (k + 1) / (k + 2), 1 / (k + 2)};
}

/* What one column does to the sums of its chunk. */
static inline void pass_column(column *col, const entry *restrict entries, const float *restrict y,
                               double *restrict sum, pass_steps s, double way, double *wake, column_sums *sums) {
    int n_entries = col->n_entries;
    double g = 0, x = col->x, x0 = col->x0;
    if (x != 0) {
        for (int e = 0; e < n_entries; e++) {
            FETCH(&sum[entries[e].row]);
            g += (double)(entries[e].value * y[entries[e].row]);
        }
    } else {
        for (int e = 0; e < n_entries; e++) {
            g += (double)(entries[e].value * y[entries[e].row]);
        }
    }
    double reduced = col->cost - g, plus = x - s.tau * reduced;
    plus = plus < 0 ? 0 : plus > col->box ? col->box : plus;
    double step = plus - x;
    sums->moved += step * step;
    sums->dual += reduced < 0 ? col->box * reduced : 0;
    sums->entries += n_entries;
    if (plus != 0) {
        for (int e = 0; e < n_entries; e++) {
            sum[entries[e].row] += (double)entries[e].value * plus;
        }
    } else if (reduced > 0 && x == 0 && x0 == 0) {
        *wake = way + reduced * (double)col->inverse_norm;
    }
    col->plus = plus;
    col->x = s.ahead * (x + 2 * step) + s.back * x0;
}

/* Goes over the columns that are awake, a batch at a time, so that their data can be fetched ahead. */
static void pass_columns(void *user, int chunk, int chunks) {
    (void)chunks;
    berth__pdhg *p = user;
    pass_steps s = p->steps;
    enum { BATCH = 256, COLUMN_AHEAD = 24, ENTRIES_AHEAD = 12 };
    int awake[BATCH + COLUMN_AHEAD];
    double *sum = p->partial + (size_t)chunk * (size_t)p->n_rows, *wake = p->wake, way = p->way;
    int j = p->col_begin[chunk], end = p->col_begin[chunk + 1];
    column_sums sums = {0};
    while (j < end) {
        int n = 0;
        for (; j < end && n < BATCH; j++) {
            awake[n] = j;
            n += !(wake[j] > way);
        }
        for (int k = 0; k < COLUMN_AHEAD && n > 0; k++) {
            awake[n + k] = awake[n - 1];
            FETCH(&p->columns[awake[k]]);
        }
        for (int k = 0; k < n; k++) {
            column *col = &p->columns[awake[k]];
            FETCH(&p->columns[awake[k + COLUMN_AHEAD]]);
            const char *later = (const char *)(p->entries + p->columns[awake[k + ENTRIES_AHEAD]].begin);
            FETCH(later);
            FETCH(later + 64);
            pass_column(col, p->entries + col->begin, p->y_gathered, sum, s, way, &wake[awake[k]], &sums);
        }
    }
    p->of_columns[chunk] = sums;
}

static void pass_rows(void *user, int block, int blocks) {
    (void)blocks;
    berth__pdhg *p = user;
    pass_steps s = p->steps;
    enum { STRIP = 512 }; /* rows that stay in the nearest cache */
    double moved = 0, cross = 0, farthest = 0;
    int end = p->row_begin[block + 1];
    for (int i = p->row_begin[block]; i < end; i++) {
        if ((i - p->row_begin[block]) % STRIP == 0) {
            collect_rows(p, i, end - i < STRIP ? end - i : STRIP);
        }
        double plus = p->product_plus[i], before = p->product[i], y = p->y[i];
        double free_step = y - s.sigma * (2 * plus - before);
        double from_cover = free_step + s.sigma * p->cover[i], from_packing = free_step + s.sigma * p->packing[i];
        double y_plus = from_cover > 0 ? from_cover : from_packing < 0 ? from_packing : 0;
        double step = y_plus - y, product_step = plus - before;
        moved += step * step;
        cross += step * product_step;
        double next = s.ahead * (y + 2 * step) + s.back * p->y0[i];
        float gathered = (float)next;
        double far = fabs((double)gathered - (double)p->y_gathered[i]);
        farthest = far > farthest ? far : farthest;
        p->y_plus[i] = y_plus;
        p->y[i] = next;
        p->y_gathered[i] = gathered;
        p->product[i] = s.ahead * (before + 2 * product_step) + s.back * p->product0[i];
    }
    p->of_rows[block] = (row_sums){.moved = moved, .cross = cross, .farthest = farthest};
}

/* y . rhs at the y that the next pass gathers. */
static double rhs_product(const berth__pdhg *p, const double *y) {
    double sum = 0;
    for (int i = 0; i < p->n_rows; i++) {
        if (y[i] != 0) {
            double rhs = y[i] > 0 ? p->cover[i] : p->packing[i];
            sum += isinf(rhs) ? 0 : y[i] * rhs; /* between restarts y may be on the wrong side */
        }
    }
    return sum;
}

/* ---- Restarts ---- */

static double distance(const double *a, const double *b, int n) {
    double sum = 0;
    for (int k = 0; k < n; k++) {
        sum += (a[k] - b[k]) * (a[k] - b[k]);
    }
    return sqrt(sum);
}

/* ||x+ - x0|| */
static double way_of_columns(const berth__pdhg *p) {
    double sum = 0;
    for (int j = 0; j < p->n_cols; j++) {
        double d = p->columns[j].plus - p->columns[j].x0;
        sum += d * d;
    }
    return sqrt(sum);
}

static void update_weight(berth__pdhg *p) {
    const double theta = 0.7;
    double dx = way_of_columns(p), dy = distance(p->y_plus, p->y0, p->n_rows);
    if (dx > 1e-14 && dy > 1e-14) {
        double weight = exp(theta * log(dy / dx) + (1 - theta) * log(p->omega));
        p->omega = fmin(fmax(weight, 1 / most_weight), most_weight);
    }
}

static void restart(berth__pdhg *p) {
    size_t m = (size_t)p->n_rows * sizeof(double);
    update_weight(p);
    for (int j = 0; j < p->n_cols; j++) {
        p->columns[j].x = p->columns[j].x0 = p->columns[j].plus;
    }
    memcpy(p->y, p->y_plus, m);
    memcpy(p->y0, p->y_plus, m);
    memcpy(p->product, p->product_plus, m);
    memcpy(p->product0, p->product_plus, m);
    double farthest = 0;
    for (int i = 0; i < p->n_rows; i++) {
        float gathered = (float)p->y[i];
        farthest = fmax(farthest, fabs((double)gathered - (double)p->y_gathered[i]));
        p->y_gathered[i] = gathered;
    }
    p->way += farthest;
    p->since_restart = 0;
    p->restarts++;
}

static bool is_time_to_restart(const berth__pdhg *p, double step) {
    double k = (double)p->since_restart;
    if (p->since_restart <= 1) {
        return false;
    }
    return step <= 0.2 * p->first_step || (step <= 0.8 * p->first_step && step > p->last_step) ||
           (k >= 0.36 * (double)p->passes && k > 8) || step > diverges * p->first_step;
}

void berth__pdhg_pass(berth__pdhg *p, bool measure) {
    pass_steps s = p->steps = steps_of(p);
    p->dual_at_y = measure ? rhs_product(p, p->y) : 0;
    berth__team_run(p->team, pass_columns, p, p->chunks);
    berth__team_run(p->team, pass_rows, p, p->chunks);
    double dx = 0, dy = 0, cross = 0, farthest = 0;
    for (int k = 0; k < p->chunks; k++) {
        dx += p->of_columns[k].moved;
        p->dual_at_y += p->of_columns[k].dual;
        p->entries_read += p->of_columns[k].entries;
        dy += p->of_rows[k].moved;
        cross += p->of_rows[k].cross;
        farthest = fmax(farthest, p->of_rows[k].farthest);
    }
    p->way += farthest;
    double step = sqrt(fmax(0, dx / s.tau + dy / s.sigma - 2 * cross));
    p->passes++;
    p->since_restart++;
    if (p->since_restart == 1) {
        p->first_step = step;
    }
    bool now = is_time_to_restart(p, step);
    p->last_step = step;
    if (now) {
        if (step > settles * p->first_step) {
            p->eta = fmax(step_shrinks * p->eta, step_at_last / p->norm);
        }
        restart(p);
    }
}

/* ---- From outside ---- */

berth__pdhg *berth__pdhg_new(const berth__fo_form *form, berth__team *team) {
    const berth__model *model = form->model;
    berth__pdhg *p = BERTH__NEW_ARRAY(berth__pdhg, 1);
    if (p == NULL) {
        return NULL;
    }
    size_t chunks = (model->n_entries + (size_t)model->n_cols) / LEAST_WORK;
    p->form = form;
    p->n_cols = form->n_cols;
    p->n_rows = form->n_rows;
    p->chunks = chunks < 1 ? 1 : chunks > MOST_CHUNKS ? MOST_CHUNKS : (int)chunks;
    p->team = team;
    if (!allocate(p)) {
        berth__pdhg_free(p);
        return NULL;
    }
    split(p);
    berth__fo_scale(form, team, p->row_scale, p->col_scale, p->y);
    berth__team_run_items(team, scale_columns_part, p, p->n_cols);
    scale_right_sides(p);
    scale_costs(p);
    p->norm = norm_bound(p);
    memset(p->y, 0, (size_t)p->n_rows * sizeof(double));
    memset(p->product_plus, 0, (size_t)p->n_rows * sizeof(double));
    p->eta = step_at_first / p->norm;
    p->omega = 0.3;
    return p;
}

void berth__pdhg_estimate(const berth__pdhg *p, double *dual, double *primal) {
    double cost = 0, unit = p->unit_x * p->unit_y;
    for (int j = 0; j < p->n_cols; j++) {
        cost += p->columns[j].cost * p->columns[j].plus;
    }
    for (int i = 0; i < p->n_rows; i++) {
        double y = p->y_plus[i], product = p->product_plus[i];
        if (y > 0) {
            cost += y * fmax(0, p->cover[i] - product);
        } else if (y < 0) {
            cost += y * fmin(0, p->packing[i] - product);
        }
    }
    *dual = p->dual_at_y / unit;
    *primal = cost / unit;
}

void berth__pdhg_pair(const berth__pdhg *p, double *x, double *y) {
    for (int j = 0; x != NULL && j < p->n_cols; j++) {
        x[j] = p->columns[j].plus * p->col_scale[j] / p->unit_x;
    }
    for (int i = 0; y != NULL && i < p->n_rows; i++) {
        y[i] = p->y_plus[i] * p->row_scale[i] / p->unit_y;
    }
}

void berth__pdhg_tighten(berth__pdhg *p, double margin) {
    for (int i = 0; i < p->n_rows; i++) {
        bool is_range = p->cover[i] > 0;
        p->packing[i] = is_range ? p->packing_given[i] : p->packing_given[i] / (1 + margin);
    }
}

berth__pdhg_counts berth__pdhg_count(const berth__pdhg *p) {
    return (berth__pdhg_counts){.passes = p->passes,
                                .restarts = p->restarts,
                                .entries = p->entries_read,
                                .norm = p->norm,
                                .omega = p->omega,
                                .chunks = p->chunks};
}
