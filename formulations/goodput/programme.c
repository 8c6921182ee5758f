/* The gap G between the bound and the sum at hand leaves little open. At prices as of the bound, with what an option is
 * worth less than the best of its job, and what the pieces that a node is cut into earn less than it could,
 *
 *     sum of any allocation <= bound - what all its options and nodes are worth less,
 *
 * so that one that is better than what is at hand has no option and no node that loses more than G (fixing by reduced
 * costs). What remains goes into an integer programme: a column for each option of a job and each way to make it up of
 * pieces, and one for each way to cut nodes of a kind; jobs with one column are settled. It knows no nodes by name, so
 * what it comes to is a bound, and its solution need not find a place. */
#include "formulations/goodput/programme.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "formulations/goodput/pieces.h"
#include "solver/solve.h"

enum { MOST_COLUMNS = 20000, SEARCH_NODES = 500 };
/* Of the sum: what prices may err by. */
static const double rounding = 1e-9;
/* Of F: what the solver may err by and still say that nothing is better. */
static const double same = 1e-9;

/* A column of a job. */
typedef struct choice_column {
    uint32_t option, n; /* pieces of it */
    size_t job, first;  /* sizes of the pieces, from there on */
} choice_column;

typedef struct programme {
    berth__allocate_run *run;
    const berth__allocate_problem *problem;
    const berth__pieces *pieces; /* NULL: types */
    double gap;                  /* G */
    choice_column *choices;      /* by job */
    size_t n_choices, choices_room;
    size_t *start;   /* [n_jobs + 1] into choices */
    uint32_t *sizes; /* of all pieces */
    size_t n_sizes, sizes_room;
    uint32_t path[BERTH__MOST_NODES]; /* sizes so far */
    int *row;                         /* [n_types * 2 n_sizes] of local pieces, then spread ones; [n_types] */
    double *used;                     /* likewise, by jobs that are settled */
    int starve_row;
    double unit; /* of costs */
    double base; /* what settled jobs change of the sum at hand */
    size_t settled_starved;
    berth__model *model;
    bool too_many, out_of_memory;
    berth__arena *arena;
} programme;

/* ---- what is left of options ---- */

static void add_choice(programme *s, size_t job, size_t option, size_t n) {
    if (s->n_choices == MOST_COLUMNS) {
        s->too_many = true;
        return;
    }
    if ((s->n_choices == s->choices_room &&
         !berth__grow((void **)&s->choices, &s->choices_room, s->n_choices, sizeof *s->choices)) ||
        (s->n_sizes + n > s->sizes_room &&
         !berth__grow((void **)&s->sizes, &s->sizes_room, s->n_sizes + n, sizeof *s->sizes))) {
        s->out_of_memory = true;
        return;
    }
    s->choices[s->n_choices++] = (choice_column){(uint32_t)option, (uint32_t)n, job, s->n_sizes};
    if (n > 0)
        memcpy(s->sizes + s->n_sizes, s->path, n * sizeof *s->sizes);
    s->n_sizes += n;
}

static double spread_price(const programme *s, size_t type, uint32_t gpus) {
    return s->pieces->spread[type * s->pieces->n_sizes + gpus - 1];
}

/* All ways to make up `rest` GPUs of pieces no larger than the last, for at most `cost` in all. */
static void compose(programme *s, size_t job, size_t option, uint32_t rest, size_t n, double cost) {
    const berth__allocate_option *o = &s->problem->jobs[job].options[option];
    if (s->too_many || s->out_of_memory)
        return;
    if (rest == 0) {
        if (n >= o->least)
            add_choice(s, job, option, n);
        return;
    }
    const uint32_t largest = n > 0 ? s->path[n - 1] : s->problem->largest[o->type];
    for (uint32_t size = largest < rest ? largest : rest; n < o->most && size > 0; size--) {
        const double left = cost - spread_price(s, o->type, size);
        if (left < 0)
            continue;
        if ((uint64_t)size * (o->most - n) < rest)
            break; /* pieces do not grow */
        s->path[n] = size;
        compose(s, job, option, rest - size, n + 1, left);
    }
}

static void add_option(programme *s, size_t job, size_t option, double slack) {
    const berth__allocate_option *o = &s->problem->jobs[job].options[option];
    if (s->pieces == NULL) {
        add_choice(s, job, option, 0);
    } else if (o->gpus == 0 || o->keep || o->most == 1) {
        add_choice(s, job, option, berth__pieces_of(s->pieces, job, o, s->path));
    } else {
        compose(s, job, option, o->gpus, 0, berth__pieces_cost(s->pieces, job, o) + slack);
    }
}

static void list_choices(programme *s) {
    for (size_t j = 0; j < s->problem->n_jobs; j++) {
        const berth__allocate_job *of = &s->problem->jobs[j];
        double best = -(double)INFINITY;
        s->start[j + 1] = s->start[j];
        for (size_t k = 0; !of->pinned && k < of->n_options; k++) {
            best = fmax(best, of->options[k].weight - berth__allocate_cost(s->run, j, &of->options[k]));
        }
        for (size_t k = 0; !of->pinned && k < of->n_options && !s->too_many && !s->out_of_memory; k++) {
            const double worth = of->options[k].weight - berth__allocate_cost(s->run, j, &of->options[k]);
            if (best - worth <= s->gap)
                add_option(s, j, k, s->gap - (best - worth));
        }
        s->start[j + 1] = s->n_choices;
    }
}

/* ---- rows ---- */

static size_t n_rows_of(const programme *s) {
    return s->problem->n_types * (s->pieces != NULL ? 2 * s->pieces->n_sizes : 1);
}

static size_t piece_row(const programme *s, size_t type, bool spread, uint32_t gpus) {
    return (2 * type + spread) * s->pieces->n_sizes + gpus - 1;
}

static double now_weight(const programme *s, size_t job) {
    return berth__placement_option(&s->run->best, job)->weight;
}

/* Calls for each row and amount that a column takes. */
static void visit_rows(const programme *s, const choice_column *c,
                       berth_status (*visit)(void *user, size_t row, double amount), void *user, berth_status *status) {
    const berth__allocate_option *o = &s->problem->jobs[c->job].options[c->option];
    if (s->pieces == NULL && o->gpus > 0)
        *status = visit(user, o->type, o->gpus);
    for (size_t k = 0; k < c->n && !*status;) { /* sizes alike stand together, but for keeps */
        size_t same_size = 0;
        const uint32_t size = s->sizes[c->first + k];
        bool seen = false;
        for (size_t i = 0; i < c->n; i++) {
            same_size += s->sizes[c->first + i] == size;
            seen = seen || (i < k && s->sizes[c->first + i] == size);
        }
        if (!seen)
            *status = visit(user, piece_row(s, o->type, c->n > 1, size), (double)same_size);
        k++;
    }
}

static berth_status use(void *user, size_t row, double amount) {
    ((programme *)user)->used[row] += amount;
    return BERTH_OK;
}

/* Jobs with one column, and pinned ones where types are rows. */
static void settle_jobs(programme *s) {
    berth_status status = BERTH_OK;
    for (size_t j = 0; j < s->problem->n_jobs; j++) {
        const berth__allocate_job *of = &s->problem->jobs[j];
        if (of->pinned && s->pieces == NULL)
            s->used[of->current_type] += of->current_gpus;
        for (size_t k = s->start[j]; k < s->start[j + 1]; k++) {
            const berth__allocate_option *o = &of->options[s->choices[k].option];
            s->unit = fmax(s->unit, fabs(o->weight - now_weight(s, j)));
            if (s->start[j + 1] - s->start[j] > 1)
                continue;
            visit_rows(s, &s->choices[k], use, s, &status);
            s->base += o->weight - now_weight(s, j);
            s->settled_starved += o->gpus == 0;
        }
    }
    s->unit = s->unit > 0 ? s->unit : 1;
}

static berth_status add_rows(programme *s, berth_error *error) {
    const berth__allocate_problem *p = s->problem;
    berth_status status = BERTH_OK;
    for (size_t row = 0; !status && row < n_rows_of(s); row++) {
        const double capacity = s->pieces == NULL ? (double)p->capacity[row] : 0;
        status = berth__model_add_row(s->model, NULL, -(double)INFINITY, capacity - s->used[row], &s->row[row], error);
    }
    const double starved =
        p->options->starve_last ? (double)berth__placement_starved(&s->run->best) : (double)p->n_jobs;
    if (!status)
        status = berth__model_add_row(s->model, NULL, -(double)INFINITY, starved - (double)s->settled_starved,
                                      &s->starve_row, error);
    return status;
}

/* ---- columns of jobs ---- */

typedef struct filling {
    programme *of;
    int column;
    berth_error *error;
} filling;

static berth_status fill(void *user, size_t row, double amount) {
    const filling *f = user;
    return berth__model_add_entry(f->of->model, f->of->row[row], f->column, amount, f->error);
}

static berth_status add_jobs(programme *s, berth_error *error) {
    berth_status status = BERTH_OK;
    for (size_t j = 0; !status && j < s->problem->n_jobs; j++) {
        int row = 0;
        if (s->start[j + 1] - s->start[j] < 2)
            continue;
        status = berth__model_add_row(s->model, NULL, 1, 1, &row, error);
        for (size_t k = s->start[j]; !status && k < s->start[j + 1]; k++) {
            const berth__allocate_option *o = &s->problem->jobs[j].options[s->choices[k].option];
            filling f = {s, 0, error};
            status = berth__model_add_col(s->model, NULL, (o->weight - now_weight(s, j)) / s->unit, 0, 1, true,
                                          &f.column, error);
            if (!status)
                status = berth__model_add_entry(s->model, row, f.column, 1, error);
            if (!status && o->gpus == 0)
                status = berth__model_add_entry(s->model, s->starve_row, f.column, 1, error);
            if (!status)
                visit_rows(s, &s->choices[k], fill, &f, &status);
        }
    }
    return status;
}

/* ---- columns of nodes ---- */

/* Nodes of a type of which pinned jobs leave as many GPUs. */
typedef struct kind {
    programme *of;
    size_t type;
    uint32_t gpus, spread;
    int row;
    double n_nodes, worth;
    uint32_t *counts; /* [n_sizes] local pieces of each size */
    berth_status status;
    berth_error *error;
} kind;

static void add_pattern(kind *k) {
    programme *s = k->of;
    int column = 0;
    k->status = berth__model_add_col(s->model, NULL, 0, 0, k->n_nodes, true, &column, k->error);
    if (!k->status)
        k->status = berth__model_add_entry(s->model, k->row, column, 1, k->error);
    if (!k->status && k->spread > 0)
        k->status =
            berth__model_add_entry(s->model, s->row[piece_row(s, k->type, true, k->spread)], column, -1, k->error);
    for (uint32_t size = 1; !k->status && size <= k->gpus; size++) {
        if (k->counts[size - 1] > 0)
            k->status = berth__model_add_entry(s->model, s->row[piece_row(s, k->type, false, size)], column,
                                               -(double)k->counts[size - 1], k->error);
    }
}

/* Every way to cut what is left into local pieces of at most a size that earns enough. */
static void cut(kind *k, uint32_t rest, uint32_t size, double earned) {
    const berth__pieces *q = k->of->pieces;
    if (k->status)
        return;
    if (rest == 0) {
        if (k->worth - earned <= k->of->gap)
            add_pattern(k);
        return;
    }
    for (; size > 0; size--) {
        if (size > rest)
            continue;
        k->counts[size - 1]++;
        cut(k, rest - size, size, earned + q->local[k->type * q->n_sizes + size - 1]);
        k->counts[size - 1]--;
    }
}

static size_t nodes_of_kind(const programme *s, size_t type, uint32_t gpus) {
    size_t n = 0;
    for (size_t k = s->problem->node_start[type]; k < s->problem->node_start[type + 1]; k++) {
        n += s->pieces->left[s->problem->nodes_of[k]] == gpus;
    }
    return n;
}

static berth_status add_kind(programme *s, size_t type, uint32_t gpus, berth_error *error) {
    const size_t n = nodes_of_kind(s, type, gpus);
    kind k = {.of = s, .type = type, .gpus = gpus, .n_nodes = (double)n, .error = error};
    if (n == 0)
        return BERTH_OK;
    k.worth = berth__pieces_worth(s->pieces, type, gpus);
    k.counts = BERTH__ARENA_ARRAY(s->arena, uint32_t, s->pieces->n_sizes);
    if (k.counts == NULL)
        return berth__fail_memory(error);
    k.status = berth__model_add_row(s->model, NULL, -(double)INFINITY, (double)n, &k.row, error);
    for (k.spread = 0; k.spread <= (s->pieces->reach[type] > 0 ? gpus : 0); k.spread++) {
        cut(&k, gpus - k.spread, gpus - k.spread, k.spread > 0 ? spread_price(s, type, k.spread) : 0);
    }
    return k.status;
}

static berth_status add_nodes(programme *s, berth_error *error) {
    berth_status status = BERTH_OK;
    for (size_t t = 0; s->pieces != NULL && t < s->problem->n_types; t++) {
        for (uint32_t gpus = 1; !status && gpus <= s->problem->largest[t]; gpus++) {
            status = add_kind(s, t, gpus, error);
        }
    }
    return status;
}

/* ---- solution ---- */

static void take_solution(programme *s, const double *x) {
    berth__allocate_bound *b = &s->run->bound;
    size_t column = 0;
    for (size_t j = 0; j < s->problem->n_jobs; j++) {
        const bool settled = s->start[j + 1] - s->start[j] < 2;
        for (size_t k = s->start[j]; k < s->start[j + 1]; k++) {
            if (settled || x[column] > 0.5)
                b->wanted[j] = s->choices[k].option;
            column += !settled;
        }
        b->split[j] = false;
    }
}

static void take(programme *s, const berth__lp_result *result, bool *better) {
    berth__allocate_run *run = s->run;
    const double sum = berth__placement_sum(&run->best);
    if (!isfinite(result->bound) || result->outcome == BERTH_NUMERIC)
        return;
    const double most = fmax(sum, sum + s->base + s->unit * result->bound);
    const double found = berth__allocate_fitness(s->problem, sum);
    run->bound.search = fmax(berth__allocate_fitness(s->problem, most), found);
    const bool fewest = !s->problem->options->starve_last || berth__placement_starved(&run->best) <= run->bound.starved;
    if (fewest && run->bound.search <= found * (1 + same))
        run->is_optimal = true;
    *better = !run->is_optimal && result->has_primal && s->base + s->unit * result->objective > rounding * fabs(sum);
    if (*better)
        take_solution(s, result->x);
}

static berth_status solve(programme *s, bool *better, berth_error *error) {
    const berth__lp_result *result = NULL;
    berth__lp *lp = NULL;
    berth__lp_options options;
    berth__lp_options_init(&options);
    options.budget = s->run->budget;
    options.most_nodes = SEARCH_NODES;
    berth_status status = berth__lp_open(s->model, s->problem->options->backends, "auto", &lp, error);
    if (!status)
        status = berth__lp_solve(lp, &options, &result, error);
    if (!status)
        take(s, result, better);
    berth__lp_close(lp);
    return status;
}

static berth_status build_and_solve(programme *s, bool *better, berth_error *error) {
    settle_jobs(s);
    berth_status status = berth__model_new(&s->model, error);
    if (status)
        return status;
    s->model->maximize = true;
    status = add_rows(s, error);
    if (!status)
        status = add_jobs(s, error);
    if (!status)
        status = add_nodes(s, error);
    if (!status)
        status = berth__model_finish(s->model, error);
    if (!status)
        status = solve(s, better, error);
    berth__model_free(s->model);
    return status;
}

static bool open_programme(programme *s, berth__allocate_run *run) {
    const double sum = berth__placement_sum(&run->best);
    const double bound = berth__allocate_bound_sum(run, berth__placement_starved(&run->best));
    *s = (programme){.run = run, .problem = run->problem, .pieces = run->bound.pieces, .arena = berth__arena_new()};
    s->gap = fmax(bound - sum, 0) + rounding * fabs(sum);
    if (s->arena == NULL)
        return false;
    s->start = BERTH__ARENA_ARRAY(s->arena, size_t, s->problem->n_jobs + 1);
    s->row = BERTH__ARENA_ARRAY(s->arena, int, n_rows_of(s));
    s->used = BERTH__ARENA_ARRAY(s->arena, double, n_rows_of(s));
    return s->start != NULL && s->row != NULL && s->used != NULL;
}

berth_status berth__allocate_programme(berth__allocate_run *run, bool *better, berth_error *error) {
    programme s = {0};
    berth_status status = BERTH_OK;
    *better = false;
    if (run->problem->n_jobs == 0 ||
        berth__backend_find(run->problem->options->backends, NULL, BERTH__BACKEND_MIP) == NULL)
        return BERTH_OK;
    bool complete = open_programme(&s, run);
    if (complete && isfinite(s.gap)) {
        list_choices(&s);
        complete = !s.out_of_memory;
        if (complete && !s.too_many)
            status = build_and_solve(&s, better, error);
    }
    berth__free(s.choices);
    berth__free(s.sizes);
    berth__arena_free(s.arena);
    return complete ? status : berth__fail_memory(error);
}
