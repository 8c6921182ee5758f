#include "online/schedule_column.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/tolerance.h"

#include <math.h>
#include <string.h>

/* The classes a job may use, and the split of a slot's workers and servers over them. */
typedef struct split {
    const berth__class_view *view;
    const berth__job *job;
    const berth_backends *backends;
    int n;                           /* classes */
    int *class;                      /* [n] */
    double *price_worker, *price_ps; /* [n] in the slot in hand */
    double *workers, *ps;            /* [n] */
} split;

static double class_capacity(const berth__class_view *view, int k, int r) {
    size_t at = (size_t)view->machine[k] * (size_t)view->cluster->n_resources + (size_t)r;
    return view->count[k] * view->cluster->capacity[at];
}

static void price_classes(split *s, int slot) {
    size_t R = (size_t)s->view->cluster->n_resources;
    for (int i = 0; i < s->n; i++) {
        const double *price = s->view->prices + ((size_t)slot * (size_t)s->view->n_classes + (size_t)s->class[i]) * R;
        s->price_worker[i] = s->price_ps[i] = 0;
        for (size_t r = 0; r < R; r++) {
            s->price_worker[i] += price[r] * s->job->worker[r];
            s->price_ps[i] += price[r] * s->job->ps[r];
        }
    }
}

static bool has_room(const split *s, int i, double workers, double ps) {
    bool fits = true;
    for (int r = 0; r < s->view->cluster->n_resources && fits; r++) {
        double load = workers * s->job->worker[r] + ps * s->job->ps[r];
        fits = load <= class_capacity(s->view, s->class[i], r) * (1 + 2 * BERTH__FEASIBILITY);
    }
    return fits;
}

/* A class that is the cheapest both for workers and for servers and has room for all; -1: none. */
static int one_for_all(const split *s, double workers, double ps) {
    for (int i = 0; i < s->n; i++) {
        bool cheapest = true;
        for (int j = 0; j < s->n && cheapest; j++) {
            cheapest = s->price_worker[i] <= s->price_worker[j] && (ps == 0 || s->price_ps[i] <= s->price_ps[j]);
        }
        if (cheapest && has_room(s, i, workers, ps)) {
            return i;
        }
    }
    return -1;
}

/* min sum pw w + ps s  s.t.  sum w >= W, sum s >= S, and what a class has of each resource. Columns: w, then s. */
static berth_status split_model(const split *s, double workers, double ps, berth__model **out, berth_error *error) {
    int n = s->n, R = s->view->cluster->n_resources;
    berth_status status = berth__model_new(out, error);
    for (int j = 0; j < 2 * n && status == BERTH_OK; j++) {
        double price = j < n ? s->price_worker[j] : s->price_ps[j - n];
        status = berth__model_add_col(*out, NULL, price, 0, j < n ? workers : ps, false, NULL, error);
    }
    for (int kind = 0; kind < 2 && status == BERTH_OK; kind++) {
        status = berth__model_add_row(*out, NULL, kind == 0 ? workers : ps, (double)INFINITY, NULL, error);
        for (int i = 0; i < n && status == BERTH_OK; i++) {
            status = berth__model_add_entry(*out, kind, kind * n + i, 1, error);
        }
    }
    for (int i = 0; i < n && status == BERTH_OK; i++) {
        for (int r = 0; r < R && status == BERTH_OK; r++) {
            double capacity = class_capacity(s->view, s->class[i], r), unit = capacity > 0 ? capacity : 1;
            int row = 0;
            double most = capacity > 0 ? 1 + 2 * BERTH__FEASIBILITY : 0;
            status = berth__model_add_row(*out, NULL, -(double)INFINITY, most, &row, error);
            if (status == BERTH_OK) {
                status = berth__model_add_entry(*out, row, i, s->job->worker[r] / unit, error);
            }
            if (status == BERTH_OK) {
                status = berth__model_add_entry(*out, row, n + i, s->job->ps[r] / unit, error);
            }
        }
    }
    return status == BERTH_OK ? berth__model_finish(*out, error) : status;
}

static berth_status split_by_lp(split *s, double workers, double ps, bool *made, berth_error *error) {
    berth__model *model = NULL;
    berth__lp *lp = NULL;
    const berth__lp_result *result = NULL;
    berth__lp_options options;
    berth__lp_options_init(&options);
    options.presolve = false;
    berth_status status = split_model(s, workers, ps, &model, error);
    if (status == BERTH_OK) {
        status = berth__lp_open(model, s->backends, NULL, &lp, error);
    }
    if (status == BERTH_OK) {
        status = berth__lp_solve(lp, &options, &result, error);
    }
    *made = status == BERTH_OK && result->outcome == BERTH_OPTIMAL;
    for (int i = 0; i < s->n && *made; i++) {
        s->workers[i] = result->x[i];
        s->ps[i] = result->x[s->n + i];
    }
    berth__lp_close(lp);
    berth__model_free(model);
    return status;
}

static berth_status split_over_classes(split *s, int slot, double workers, double ps, bool *made, berth_error *error) {
    price_classes(s, slot);
    for (int i = 0; i < s->n; i++) {
        s->workers[i] = s->ps[i] = 0;
    }
    int all = s->n == 1 ? 0 : one_for_all(s, workers, ps);
    if (all < 0) {
        return split_by_lp(s, workers, ps, made, error);
    }
    s->workers[all] = workers;
    s->ps[all] = ps;
    return BERTH_OK;
}

static void add_usage(const split *s, int k, double workers, double ps, double *held) {
    int R = s->view->cluster->n_resources;
    for (int r = 0; r < R; r++) {
        double capacity = class_capacity(s->view, k, r);
        double load = workers * s->job->worker[r] + ps * s->job->ps[r];
        held[k * R + r] += capacity > 0 ? load / capacity : 0;
    }
}

/* held[n_classes][n_resources] of one slot. */
static berth_status add_step(split *s, const berth__bound_step *step, const int *class_of, double *held, bool *made,
                             berth_error *error) {
    const berth__bound_corner *c = step->corner;
    if (c->machine >= 0) {
        add_usage(s, class_of[c->machine], step->share * c->workers, step->share * c->ps, held);
        return BERTH_OK;
    }
    berth_status status = split_over_classes(s, c->slot, c->workers, c->ps, made, error);
    for (int i = 0; i < s->n && status == BERTH_OK && *made; i++) {
        add_usage(s, s->class[i], step -> share * s -> workers[i], step -> share * s -> ps[i], held);
    }
    return status;
}

static bool split_init(split *s, berth__arena *arena, const berth__class_view *view, const berth__job *job,
                       const berth_backends *backends) {
    size_t K = (size_t)view->n_classes;
    *s = (split){.view = view,
                 .job = job,
                 .backends = backends,
                 .class = BERTH__ARENA_ARRAY(arena, int, K),
                 .price_worker = BERTH__ARENA_ARRAY(arena, double, K),
                 .price_ps = BERTH__ARENA_ARRAY(arena, double, K),
                 .workers = BERTH__ARENA_ARRAY(arena, double, K),
                 .ps = BERTH__ARENA_ARRAY(arena, double, K)};
    if (s->class == NULL || s->price_worker == NULL || s->price_ps == NULL || s->workers == NULL || s->ps == NULL) {
        return false;
    }
    for (int k = 0; k < view->n_classes; k++) {
        if (job->eligible == NULL || job->eligible[view->machine[k]]) {
            s->class[s->n++] = k;
        }
    }
    return true;
}

/* Moves a slot's usage into the column and clears it. False: out of memory. */
static bool append_slot(berth__schedule_column *c, size_t *room, int slot, size_t n_held, double *held) {
    for (size_t i = 0; i < n_held; i++) {
        if (held[i] > 0) {
            if (c->n == *room) {
                size_t grown = 2 * *room + 16;
                int *row = berth__realloc(c->row, grown, sizeof *row);
                c->row = row == NULL ? c->row : row;
                double *value = row == NULL ? NULL : berth__realloc(c->value, grown, sizeof *value);
                if (value == NULL) {
                    return false;
                }
                c->value = value;
                *room = grown;
            }
            c->row[c->n] = slot * (int)n_held + (int)i;
            c->value[c->n++] = held[i];
            held[i] = 0;
        }
    }
    return true;
}

berth_status berth__schedule_column_new(const berth__class_view *view, const berth__job *job, int job_index,
                                        int last_slot, const int *class_of, const berth__bound_trace *trace,
                                        const berth_backends *backends, berth__schedule_column *out, bool *made,
                                        berth_error *error) {
    *out = (berth__schedule_column){.job = job_index,
                                    .utility = berth__utility_at(&job->utility, last_slot - job->arrival)};
    *made = true;
    size_t n_held = (size_t)view->n_classes * (size_t)view->cluster->n_resources, n_steps = 0, room = 0;
    split s;
    berth__arena *arena = berth__arena_new();
    berth__bound_step *steps = arena == NULL ? NULL : BERTH__ARENA_ARRAY(arena, berth__bound_step, trace->n + 1);
    double *held = arena == NULL ? NULL : BERTH__ARENA_ARRAY(arena, double, n_held);
    berth_status status = BERTH_OK;
    if (steps == NULL || held == NULL || !split_init(&s, arena, view, job, backends)) {
        status = berth__fail_memory(error);
        goto done;
    }
    status = berth__bound_trace_steps(trace, last_slot, steps, &n_steps, error);
    for (size_t i = 0; i < n_steps && status == BERTH_OK && *made; i++) {
        status = add_step(&s, &steps[i], class_of, held, made, error);
        int slot = steps[i].corner->slot;
        bool last = i + 1 == n_steps || steps[i + 1].corner->slot != slot;
        if (status == BERTH_OK && *made && last && !append_slot(out, &room, slot, n_held, held)) {
            status = berth__fail_memory(error);
        }
    }
done:
    berth__arena_free(arena);
    if (status != BERTH_OK || !*made) {
        berth__schedule_column_clear(out);
        *made = false;
    }
    return status;
}

void berth__schedule_column_clear(berth__schedule_column *column) {
    berth__free(column->row);
    berth__free(column->value);
    *column = (berth__schedule_column){0};
}
