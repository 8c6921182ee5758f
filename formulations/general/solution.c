#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/numeric.h"
#include "base/tolerance.h"
#include "formulations/general/general.h"

enum { MAX_VERSIONS = 8 };

void berth_solution_free(berth_solution *solution) {
    if (solution != NULL) {
        berth__arena_free(solution->memory);
    }
}

/* ---- Figures ---- */

/* Least cover and greatest packing ratio of the best point, NAN where there are no such rows. */
static void measure_rows(const berth__general *g, berth_solution *s) {
    if (g->split == NULL) {
        return;
    }
    berth__split_to_view(g->split, g->x, g->candidate);
    berth__violation measured = berth__packcover_measure(&g->split->view, g->candidate);
    if (isfinite(measured.cover_min)) {
        s->cover_min = measured.cover_min;
    }
    if (g->split->view.n_pack > 0 && isfinite(measured.pack_max)) {
        s->pack_max = measured.pack_max;
    }
}

static double ratio_of(const berth_solution *s, bool maximize) {
    double above = maximize ? s->bound : s->cost, below = maximize ? s->cost : s->bound;
    if (isnan(above) || isnan(below)) {
        return (double)NAN;
    }
    if (above == below) {
        return 1;
    }
    return below > BERTH__FEASIBILITY * above ? above / below : (double)NAN; /* 0 but for rounding */
}

static berth_outcome outcome_of(const berth__general *g) {
    if (g->feasible) {
        bool optimal = g->solved || berth__general_good_enough(g);
        /* An LP that the solver and its verifier call optimal is, whatever became of the proof of its bound. */
        optimal = optimal || (g->relaxed == BERTH_OPTIMAL && g->model->n_integer == 0);
        if (optimal) {
            return BERTH_OPTIMAL;
        }
        return g->stopped ? BERTH_LIMIT : BERTH_FEASIBLE;
    }
    bool settled = g->relaxed == BERTH_INFEASIBLE || g->relaxed == BERTH_UNBOUNDED;
    if (settled || g->solved) {
        return g->relaxed == BERTH_UNBOUNDED ? BERTH_UNBOUNDED : BERTH_INFEASIBLE;
    }
    if (g->stopped) {
        return BERTH_LIMIT;
    }
    return g->found_by != NULL && g->packing_covering ? BERTH_APPROXIMATE : BERTH_NUMERIC;
}

/* A point that breaks rows is a solution within factors, or none. */
static bool shows_point(const berth__general *g, berth_outcome outcome) {
    return g->feasible || (g->found_by != NULL && outcome == BERTH_APPROXIMATE);
}

/* A promise for certain is one about the point at hand: where the best point came from another step, it must keep the
 * promise by itself. */
static void settle_promise(const berth__general *g, berth_solution *s) {
    berth_promise *p = &s->promise;
    if (!p->holds || p->probability < 1) {
        return;
    }
    berth__split_to_view(g->split, g->x, g->candidate);
    double slack = BERTH__FEASIBILITY, sign = g->split->view.maximize ? -1 : 1;
    double lp = sign * berth__split_view_cost(g->split, g->view_relaxation);
    double cost = sign * berth__split_view_cost(g->split, g->candidate);
    bool kept = shows_point(g, s->outcome) && (isnan(s->cover_min) || s->cover_min >= p->cover_factor * (1 - slack)) &&
                (isnan(s->pack_max) || s->pack_max <= p->pack_factor * (1 + slack)) &&
                cost <= p->cost_factor * lp + slack * fabs(lp);
    if (!kept) {
        p->holds = false;
        p->probability = 0;
        p->why_not = "the point comes from another step, and does not keep it";
    }
}

/* ---- Building ---- */

static const char *scale_text(berth__arena *arena, const berth_solve_options *options) {
    char text[BERTH__NUMBER_ROOM];
    berth__c_locale locale;
    if (!berth__c_locale_enter(&locale)) {
        return NULL;
    }
    const char *scale = berth__scale_rule_text(options->scale_rule, options->scale, text);
    berth__c_locale_leave(&locale);
    return berth__arena_strdup(arena, scale);
}

static bool copy_text(berth__arena *arena, const char *text, const char **out) {
    *out = text == NULL ? NULL : berth__arena_strdup(arena, text);
    return text == NULL || *out != NULL;
}

static bool copy_vector(berth__arena *arena, bool there, const double *values, size_t n, const double **out) {
    *out = NULL;
    if (!there) {
        return true;
    }
    double *copy = BERTH__ARENA_ARRAY(arena, double, n);
    if (copy != NULL) {
        memcpy(copy, values, n * sizeof *values);
        *out = copy;
    }
    return copy != NULL;
}

static bool copy_versions(berth__arena *arena, const berth__general *g, berth_solution *s) {
    const char **names = BERTH__ARENA_ARRAY(arena, const char *, MAX_VERSIONS);
    const char **numbers = BERTH__ARENA_ARRAY(arena, const char *, MAX_VERSIONS);
    if (names == NULL || numbers == NULL) {
        return false;
    }
    names[0] = "berth";
    numbers[0] = berth_version();
    s->n_versions = 1;
    const berth_backend *backend;
    for (size_t k = 0; (backend = berth__backend_at(g->options->backends, k)) != NULL && s->n_versions < MAX_VERSIONS;
         k++) {
        if (strcmp(backend->name, berth__first_order_backend.name) != 0) { /* part of berth */
            names[s->n_versions] = backend->name;
            numbers[s->n_versions++] = backend->version();
        }
    }
    s->version_names = names;
    s->version_numbers = numbers;
    return true;
}

static bool copy_all(berth__arena *arena, const berth__general *g, berth_solution *s) {
    const berth_solve_options *o = g->options;
    size_t n = (size_t)g->model->n_cols, m = (size_t)g->model->n_rows;
    s->scale = scale_text(arena, o);
    return s->scale != NULL && copy_text(arena, g->problem->name == NULL ? "" : g->problem->name, &s->problem) &&
           copy_text(arena, o->method, &s->method) && copy_text(arena, g->lp, &s->lp) &&
           copy_text(arena, shows_point(g, s->outcome) ? g->found_by : NULL, &s->found_by) &&
           copy_text(arena, g->packing_covering ? NULL : g->why_not, &s->why_not) &&
           copy_text(arena, s->promise.why_not, &s->promise.why_not) &&
           copy_vector(arena, shows_point(g, s->outcome), g->x, n, &s->x) &&
           copy_vector(arena, g->has_relaxation && g->split != NULL, g->relaxation, n, &s->relaxation) &&
           copy_vector(arena, g->has_multipliers && !isnan(g->bound), g->multipliers, m, &s->multipliers) &&
           copy_vector(arena, g->has_ray, g->ray, m, &s->ray) && copy_versions(arena, g, s);
}

berth_solution *berth__general_solution(const berth__general *g) {
    const berth_solve_options *o = g->options;
    berth__arena *arena = berth__arena_new();
    berth_solution *s = arena == NULL ? NULL : BERTH__ARENA_ARRAY(arena, berth_solution, 1);
    if (s == NULL) {
        berth__arena_free(arena);
        return NULL;
    }
    *s = (berth_solution){
        .problem_crc32 = g->problem->crc32,
        .packing_covering = g->packing_covering,
        .outcome = outcome_of(g),
        .cost = (double)NAN,
        .cover_min = (double)NAN,
        .pack_max = (double)NAN,
        .bound = g->bound,
        .proof = isnan(g->bound) ? BERTH_PROOF_NONE : g->proof,
        .node_bound = g->node_bound,
        .promise = g->promise,
        .seed = o->seed,
        .trials = g->draws,
        .delta = o->delta,
        .favour =
            o->favour == BERTH_FAVOUR_PACKING || (g->split != NULL && g->split->view.maximize) ? "packing" : "cover",
        .repair = o->repair,
        .gap = o->gap,
        .lp_gap = o->lp_gap,
        .n_vars = g->problem->n_vars,
        .n_rows = g->problem->n_rows,
        .memory = arena,
    };
    if (shows_point(g, s->outcome)) {
        s->cost = g->cost;
        measure_rows(g, s);
    }
    s->ratio = g->feasible ? ratio_of(s, g->model->maximize) : (double)NAN;
    settle_promise(g, s);
    if (!copy_all(arena, g, s)) {
        berth__arena_free(arena);
        return NULL;
    }
    return s;
}
