/* Linear programme over nodes, columns as they are needed:
 *
 *     max sum_jc w_jc x_jc   s.t.  sum_c x_jc = 1 for each job,
 *                                  pieces of a size that options take <= those that nodes are cut into,
 *                                  nodes cut <= nodes, for each type and number of GPUs that pinned jobs leave,
 *                                  jobs without GPUs <= starved,
 *                                  x >= 0, nodes cut into each pattern >= 0
 *
 * (after Gilmore and Gomory, "A linear programming approach to the cutting-stock problem", Operations Research 9,
 * 1961). Prices of pieces say which pattern is best, by dynamic programming, and which pieces an option takes. It
 * starts from the relaxation over types: pieces that are lacking can be bought, at prices that rise until none is. */
#include "formulations/goodput/patterns.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "formulations/goodput/implicit.h"
#include "formulations/goodput/pieces.h"

enum { BLOCK = 64 /* jobs priced at a time */, MOST_ROWS = 200, RAISES = 8 };
/* Of the sum of weights: what the bound may be above the least that it could be. */
static const double precision = 1e-7;
/* And what it may be above the bound over types, if what it wants is to be taken. */
static const double enough = 1e-6;

/* Nodes of a type of which pinned jobs leave as many GPUs. */
typedef struct kind {
    size_t type, n_nodes;
    uint32_t gpus;
} kind;

typedef struct entry {
    uint32_t row;
    float amount; /* whole */
} entry;

typedef struct column {
    double weight;
    size_t entry, n_entries;
    uint32_t option; /* of its job */
} column;

/* Rows: for each type its local sizes, then its spread ones, if any; jobs without GPUs; kinds of nodes. Columns: pieces
 * of a row that are bought (and more jobs without GPUs), by row; then those of the pool. */
typedef struct patterns {
    const berth__allocate_run *run;
    const berth__allocate_problem *problem;
    berth__pieces *pieces;
    berth__implicit simplex;
    size_t *local_row, *spread_row; /* [n_types] of one GPU; SIZE_MAX: there are none */
    size_t starve_row;              /* the first that is not of pieces */
    kind *kinds;                    /* [n_kinds] rows from starve_row + 1 on */
    size_t n_kinds;
    double *buy; /* [starve_row + 1] price of a piece that is lacking */
    column *pool;
    size_t n_pool, pool_room;
    entry *entries;
    size_t n_entries, entries_room;
    uint32_t *local; /* [n_sizes] scratch */
    size_t at;       /* job where pricing goes on */
    bool out_of_memory;
    berth__arena *arena;
} patterns;

/* ---- columns ---- */

static bool is_bought(const patterns *s, size_t col) {
    return col <= s->starve_row;
}

static const column *in_pool(const patterns *s, size_t col) {
    return &s->pool[col - s->starve_row - 1];
}

static void add_column(const void *user, size_t col, double sign, double *out) {
    const patterns *s = user;
    if (is_bought(s, col)) {
        out[col] -= sign;
        return;
    }
    const column *c = in_pool(s, col);
    for (size_t k = c->entry; k < c->entry + c->n_entries; k++) {
        out[s->entries[k].row] += sign * (double)s->entries[k].amount;
    }
}

static double weight_of(const void *user, size_t col) {
    const patterns *s = user;
    return is_bought(s, col) ? -s->buy[col] : in_pool(s, col)->weight;
}

/* A column without entries; SIZE_MAX: out of memory. */
static size_t new_column(patterns *s, double weight, size_t option) {
    if (s->n_pool == s->pool_room && !berth__grow((void **)&s->pool, &s->pool_room, s->n_pool, sizeof *s->pool)) {
        s->out_of_memory = true;
        return SIZE_MAX;
    }
    s->pool[s->n_pool] = (column){weight, s->n_entries, 0, (uint32_t)option};
    return s->starve_row + 1 + s->n_pool++;
}

/* To the last column. */
static void add_entry(patterns *s, size_t row, double amount) {
    if (s->n_entries == s->entries_room &&
        !berth__grow((void **)&s->entries, &s->entries_room, s->n_entries, sizeof *s->entries)) {
        s->out_of_memory = true;
        return;
    }
    s->entries[s->n_entries++] = (entry){(uint32_t)row, (float)amount};
    s->pool[s->n_pool - 1].n_entries++;
}

static size_t option_column(patterns *s, size_t job, size_t option) {
    uint32_t sizes[BERTH__MOST_NODES];
    const berth__allocate_job *of = &s->problem->jobs[job];
    const berth__allocate_option *o = &of->options[option];
    const size_t col = new_column(s, o->weight, option);
    if (col == SIZE_MAX || of->pinned)
        return col;
    if (o->gpus == 0)
        add_entry(s, s->starve_row, 1);
    const size_t n = berth__pieces_of(s->pieces, job, o, sizes);
    const size_t row = n > 1 ? s->spread_row[o->type] : s->local_row[o->type];
    for (size_t k = 0; k < n; k++) {
        add_entry(s, row + sizes[k] - 1, 1);
    }
    return col;
}

static size_t pattern_column(patterns *s, size_t number) {
    const kind *of = &s->kinds[number];
    const size_t col = new_column(s, 0, 0);
    if (col == SIZE_MAX)
        return col;
    const uint32_t spread = berth__pieces_pattern(s->pieces, of->type, of->gpus, s->local);
    add_entry(s, s->starve_row + 1 + number, 1);
    if (spread > 0)
        add_entry(s, s->spread_row[of->type] + spread - 1, -1);
    for (size_t k = 0; k < of->gpus; k++) {
        if (s->local[k] > 0)
            add_entry(s, s->local_row[of->type] + k, -(double)s->local[k]);
    }
    return col;
}

/* ---- pricing ---- */

static void take_prices(patterns *s, const double *price) {
    berth__pieces *q = s->pieces;
    for (size_t t = 0; t < s->problem->n_types; t++) {
        bool changed = false;
        for (size_t k = 0; k < s->problem->largest[t]; k++) {
            double *local = &q->local[t * q->n_sizes + k], *spread = &q->spread[t * q->n_sizes + k];
            const double to_local = price[s->local_row[t] + k];
            const double to_spread = s->spread_row[t] != SIZE_MAX ? price[s->spread_row[t] + k] : 0;
            changed = changed || *local < to_local || *local > to_local || *spread < to_spread || *spread > to_spread;
            *local = to_local;
            *spread = to_spread;
        }
        if (changed)
            berth__pieces_update(q, t);
    }
    q->starve_price = price[s->starve_row];
}

static bool choose_pattern(patterns *s, const double *price, double tolerance, size_t *col) {
    double best = tolerance;
    size_t of = SIZE_MAX;
    for (size_t k = 0; k < s->n_kinds; k++) {
        const double worth = berth__pieces_worth(s->pieces, s->kinds[k].type, s->kinds[k].gpus);
        const double gain = worth - price[s->starve_row + 1 + k];
        if (gain > best) {
            best = gain;
            of = k;
        }
    }
    if (of != SIZE_MAX)
        *col = pattern_column(s, of);
    return of != SIZE_MAX && *col != SIZE_MAX;
}

static bool choose_bought(const patterns *s, const double *price, double tolerance, size_t *col) {
    double best = tolerance;
    for (size_t row = 0; row <= s->starve_row; row++) {
        if (price[row] - s->buy[row] > best) {
            best = price[row] - s->buy[row];
            *col = row;
        }
    }
    return best > tolerance;
}

static double cost_of(const patterns *s, size_t col, const double *price) {
    const column *c = in_pool(s, col);
    double cost = 0;
    for (size_t k = c->entry; k < c->entry + c->n_entries; k++) {
        cost += price[s->entries[k].row] * (double)s->entries[k].amount;
    }
    return cost;
}

static bool choose_option(patterns *s, const double *price, double tolerance, size_t *col, size_t *job) {
    const size_t n_jobs = s->problem->n_jobs;
    size_t option = 0;
    double best = tolerance;
    for (size_t seen = 0; seen < n_jobs && best <= tolerance;) {
        for (size_t k = 0; k < BLOCK && seen < n_jobs; k++, seen++) {
            const size_t j = s->at, key = s->simplex.key[j];
            const berth__allocate_job *of = &s->problem->jobs[j];
            const double now = in_pool(s, key)->weight - cost_of(s, key, price);
            s->at = j + 1 < n_jobs ? j + 1 : 0;
            for (size_t i = 0; !of->pinned && i < of->n_options; i++) {
                const double gain = of->options[i].weight - now - berth__pieces_cost(s->pieces, j, &of->options[i]);
                if (gain > best) {
                    best = gain;
                    option = i;
                    *job = j;
                }
            }
        }
    }
    if (best > tolerance)
        *col = option_column(s, *job, option);
    return best > tolerance && *col != SIZE_MAX;
}

static bool choose(void *user, const double *price, bool changed, double tolerance, size_t *col, size_t *set) {
    patterns *s = user;
    if (s->out_of_memory)
        return false;
    if (changed)
        take_prices(s, price);
    return (changed && (choose_pattern(s, price, tolerance, col) || choose_bought(s, price, tolerance, col))) ||
           choose_option(s, price, tolerance, col, set);
}

/* ---- start ---- */

/* Numbers of nodes by type and GPUs left, none of which is 0. */
static bool set_kinds(patterns *s) {
    const berth__allocate_problem *p = s->problem;
    size_t *count = BERTH__NEW_ARRAY(size_t, s->pieces->n_sizes + 1);
    if (count == NULL)
        return false;
    s->kinds = BERTH__ARENA_ARRAY(s->arena, kind, p->n_types * s->pieces->n_sizes);
    for (size_t t = 0; s->kinds != NULL && t < p->n_types; t++) {
        memset(count, 0, (s->pieces->n_sizes + 1) * sizeof *count);
        for (size_t k = p->node_start[t]; k < p->node_start[t + 1]; k++) {
            count[s->pieces->left[p->nodes_of[k]]]++;
        }
        for (uint32_t r = 1; r <= p->largest[t]; r++) {
            if (count[r] > 0)
                s->kinds[s->n_kinds++] = (kind){t, count[r], r};
        }
    }
    berth__free(count);
    return s->kinds != NULL;
}

static size_t set_rows(patterns *s) {
    size_t row = 0;
    for (size_t t = 0; t < s->problem->n_types; t++) {
        const size_t n = s->problem->largest[t];
        s->local_row[t] = row;
        row += n;
        s->spread_row[t] = s->pieces->reach[t] > 0 ? row : SIZE_MAX;
        row += s->pieces->reach[t] > 0 ? n : 0;
    }
    s->starve_row = row;
    return row + 1 + s->n_kinds;
}

/* A few times what a GPU costs, by types. */
static void set_purchase(patterns *s) {
    const berth__allocate_problem *p = s->problem;
    const berth__allocate_bound *b = &s->run->bound;
    double unit = fabs(b->starve_price), sum = 0;
    for (size_t t = 0; t < p->n_types; t++) {
        unit = fmax(unit, b->price[t]);
    }
    for (size_t j = 0; j < p->n_jobs; j++) {
        sum += fabs(p->jobs[j].options[b->wanted[j]].weight);
    }
    unit = fmax(unit, 0.01 * sum / (double)p->n_jobs);
    s->buy[s->starve_row] = 4 * unit;
    for (size_t t = 0; t < p->n_types; t++) {
        for (size_t k = 0; k < p->largest[t]; k++) {
            s->buy[s->local_row[t] + k] = 4 * unit * (double)(k + 1);
            if (s->spread_row[t] != SIZE_MAX)
                s->buy[s->spread_row[t] + k] = 4 * unit * (double)(k + 1);
        }
    }
}

/* Prices of types for pieces, so that options on several nodes take large ones. */
static void price_as_types(patterns *s) {
    berth__pieces *q = s->pieces;
    for (size_t t = 0; t < s->problem->n_types; t++) {
        for (size_t k = 0; k < q->n_sizes; k++) {
            q->local[t * q->n_sizes + k] = q->spread[t * q->n_sizes + k] = (double)(k + 1);
        }
        berth__pieces_update(q, t);
    }
}

/* Keys as they are wanted; what they take is bought. */
static void start(patterns *s, size_t starved) {
    berth__implicit *b = &s->simplex;
    b->precision = precision / (double)(s->problem->n_jobs + 1);
    b->capacity[s->starve_row] = (double)starved;
    for (size_t k = 0; k < s->n_kinds; k++) {
        b->capacity[s->starve_row + 1 + k] = (double)s->kinds[k].n_nodes;
    }
    price_as_types(s);
    for (size_t j = 0; j < s->problem->n_jobs && !s->out_of_memory; j++) {
        b->key[j] = option_column(s, j, s->run->bound.wanted[j]);
    }
    if (s->out_of_memory)
        return;
    memset(b->x, 0, b->n_rows * sizeof *b->x);
    for (size_t j = 0; j < s->problem->n_jobs; j++) {
        add_column(s, b->key[j], 1, b->x);
    }
    for (size_t row = 0; row <= s->starve_row; row++) {
        if (b->x[row] > b->capacity[row])
            berth__implicit_start_with(b, row, row);
    }
}

static bool open_patterns(patterns *s, const berth__allocate_run *run) {
    const berth__allocate_problem *p = run->problem;
    *s = (patterns){.run = run, .problem = p, .arena = berth__arena_new()};
    if (s->arena == NULL)
        return false;
    s->pieces = berth__pieces_new(p, p->arena);
    s->local_row = BERTH__ARENA_ARRAY(s->arena, size_t, p->n_types);
    s->spread_row = BERTH__ARENA_ARRAY(s->arena, size_t, p->n_types);
    if (s->pieces == NULL || s->local_row == NULL || s->spread_row == NULL || !set_kinds(s))
        return false;
    const size_t n_rows = set_rows(s);
    s->buy = BERTH__ARENA_ARRAY(s->arena, double, s->starve_row + 1);
    s->local = BERTH__ARENA_ARRAY(s->arena, uint32_t, s->pieces->n_sizes);
    const berth__implicit_columns columns = {s, add_column, weight_of, choose};
    return s->buy != NULL && s->local != NULL &&
           berth__implicit_open(&s->simplex, s->arena, n_rows, p->n_jobs, columns);
}

static void close_patterns(patterns *s) {
    berth__free(s->pool);
    berth__free(s->entries);
    berth__arena_free(s->arena);
}

/* ---- solution ---- */

/* Raises prices of what is still bought. False: nothing is. */
static bool raise(patterns *s) {
    const berth__implicit *b = &s->simplex;
    bool raised = false;
    for (size_t i = 0; i < b->n_rows; i++) {
        if (is_bought(s, b->extra[i]) && b->x[i] > 1e-7) {
            s->buy[b->extra[i]] *= 8;
            raised = true;
        }
    }
    return raised;
}

/* Any prices >= 0 prove a bound; those that do not fall with size prove no less. */
static void settle(patterns *s) {
    berth__pieces *q = s->pieces;
    take_prices(s, s->simplex.price);
    for (size_t t = 0; t < s->problem->n_types; t++) {
        double *local = q->local + t * q->n_sizes, *spread = q->spread + t * q->n_sizes;
        for (size_t k = 0; k < q->n_sizes; k++) {
            local[k] = fmax(k < s->problem->largest[t] ? local[k] : 0, k > 0 ? local[k - 1] : 0);
            spread[k] = fmax(k < s->problem->largest[t] ? spread[k] : 0, k > 0 ? spread[k - 1] : 0);
        }
        berth__pieces_update(q, t);
    }
    q->starve_price = s->problem->options->starve_last ? fmax(q->starve_price, 0) : 0;
    berth__pieces_settle(q);
}

static void take_choices(const patterns *s, berth__allocate_bound *bound) {
    const berth__implicit *b = &s->simplex;
    for (size_t j = 0; j < b->n_sets; j++) {
        double most = berth__implicit_key_value(b, j);
        bound->wanted[j] = in_pool(s, b->key[j])->option;
        bound->split[j] = most < 1 - 1e-6;
        for (size_t i = 0; bound->split[j] && i < b->n_rows; i++) {
            if (b->set[i] == j && b->x[i] > most) {
                most = b->x[i];
                bound->wanted[j] = in_pool(s, b->extra[i])->option;
            }
        }
    }
}

/* Rows that there would be, about. */
static size_t rows_of(const berth__allocate_problem *p) {
    size_t rows = 1;
    for (size_t t = 0; t < p->n_types; t++) {
        rows += 3 * (size_t)p->largest[t];
    }
    return rows;
}

berth_status berth__allocate_relax_nodes(berth__allocate_run *run, size_t starved, berth_error *error) {
    const berth__allocate_problem *p = run->problem;
    patterns s = {0};
    if (p->n_jobs == 0 || p->total == 0 || rows_of(p) > MOST_ROWS)
        return BERTH_OK;
    bool complete = open_patterns(&s, run);
    if (complete) {
        set_purchase(&s);
        start(&s, p->options->starve_last ? starved : p->n_jobs);
    }
    for (int k = 0; complete && !s.out_of_memory && k < RAISES; k++) {
        berth__implicit_run(&s.simplex, run->budget);
        if (!s.simplex.is_optimal || !raise(&s))
            break;
    }
    complete = complete && !s.out_of_memory;
    if (complete) {
        settle(&s);
        const double by_types = berth__allocate_bound_sum(run, starved);
        run->bound.pieces = s.pieces;
        const double by_nodes = berth__allocate_bound_sum(run, starved);
        if (by_nodes < by_types || (s.simplex.is_optimal && by_nodes <= by_types + enough * fabs(by_types)))
            take_choices(&s, &run->bound);
        else
            run->bound.pieces = NULL;
    }
    close_patterns(&s);
    return complete ? BERTH_OK : berth__fail_memory(error);
}
