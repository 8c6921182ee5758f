/* What roundings of a relaxation promise and what comes of it, side by side: the closed forms (rounding/bounds.h), the
 * bounds for the very instance (instance_scale.h) and derandomised rounding (derandomized.h). Timed is the choice of
 * the scale for the instance and one derandomised rounding; the reference is the closed form. */
#include "base/alloc.h"
#include "bench/cases/cases.h"
#include "bench/cases/rounding_instance.h"
#include "rounding/derandomized.h"
#include "rounding/independent.h"
#include "rounding/instance_scale.h"

#include <math.h>
#include <stdio.h>

enum { DRAWS = 10000 };

typedef struct bounds_size {
    rounding_kind kind;
    int n_vars;
    berth_favour favour;
} bounds_size;

typedef struct bounds_state {
    const bounds_size *size;
    rounding_instance *instance;
    double *out;
    berth__scale_choice choice;
    berth__guarantee closed, exact;
    berth__derandomized derandomized;
} bounds_state;

static void teardown(void *data) {
    bounds_state *state = data;
    rounding_instance_free(state->instance);
    berth__free(state->out);
    berth__free(state);
}

static bench_verdict setup(const bench_case *c, const bench_settings *settings, void **out, char *note) {
    (void)settings;
    const bounds_size *size = c->size;
    bounds_state *state = BERTH__NEW_ARRAY(bounds_state, 1);
    if (state == NULL) {
        snprintf(note, BENCH_NOTE, "out of memory");
        return BENCH_FAILED;
    }
    state->size = size;
    state->choice = (berth__scale_choice){.favour = size->favour, .delta = 0.3};
    state->instance = rounding_instance_new(size->kind, size->n_vars, 1);
    state->out = BERTH__NEW_ARRAY(double, (size_t)size->n_vars);
    if (state->instance == NULL || state->out == NULL) {
        snprintf(note, BENCH_NOTE, "out of memory, or no optimum of the relaxation");
        teardown(state);
        return BENCH_FAILED;
    }
    *out = state;
    return BENCH_DONE;
}

static bool run(void *data, bench_clock *clock) {
    (void)clock;
    bounds_state *state = data;
    const rounding_instance *in = state->instance;
    return berth__choose_scale_exact(&in->view, in->x, NULL, &state->choice, BERTH__TAIL_INDEPENDENT, NULL,
                                     &state->exact) == BERTH_OK &&
           berth__round_derandomized(&in->view, in->x, NULL, state->size->favour, NULL, state->out,
                                     &state->derandomized) == BERTH_OK;
}

static bench_verdict setup_reference(void *data, char *note) {
    (void)data;
    (void)note;
    return BENCH_DONE;
}

static bool run_reference(void *data, bench_clock *clock) {
    (void)clock;
    bounds_state *state = data;
    state->closed = berth__choose_scale(&state->instance->view, state->instance->x, NULL, &state->choice);
    return true;
}

/* Share of draws that break something that is promised. */
static double observed(bounds_state *state, const berth__guarantee *g) {
    const rounding_instance *in = state->instance;
    const double slack = 1e-9, limit = g->cost_factor * in->lp;
    berth__pcg stream = berth__pcg_seed(1, 1);
    long broken = 0;
    for (int draw = 0; draw < DRAWS; draw++) {
        berth__round_independent(&in->view, in->x, g->scale, NULL, &stream, state->out);
        berth__violation v = berth__packcover_measure(&in->view, state->out);
        bool cost = in->view.maximize ? v.cost < limit * (1 - slack) : v.cost > limit * (1 + slack);
        broken += cost || v.cover_min < g->cover_factor * (1 - slack) || v.pack_max > g->pack_factor * (1 + slack);
    }
    return (double)broken / DRAWS;
}

static void add(bench_figures *out, const char *rule, const char *what, double value) {
    char name[40];
    snprintf(name, sizeof name, "%s_%s", rule, what);
    bench_add_figure(out, name, "1", value);
}

static double if_it(bool holds, double value) {
    return holds ? value : (double)NAN;
}

static void add_promise(bench_figures *out, const char *rule, const berth__guarantee *g, double failure) {
    add(out, rule, "holds", g->holds);
    add(out, rule, "G", g->scale);
    add(out, rule, "promised", if_it(g->holds, 1 - g->probability));
    add(out, rule, "observed", failure);
    add(out, rule, "cost_factor", if_it(g->holds, g->cost_factor));
    add(out, rule, "cover_factor", if_it(g->holds, g->cover_factor));
    add(out, rule, "pack_factor", if_it(g->holds, g->pack_factor));
}

static void quality(void *data, bench_figures *out) {
    bounds_state *state = data;
    const berth__derandomized *d = &state->derandomized;
    add_promise(out, "closed", &state->closed, observed(state, &state->closed));
    add_promise(out, "instance", &state->exact, observed(state, &state->exact));
    add(out, "derandomized", "certain", d->certain);
    add(out, "derandomized", "G", d->guarantee.scale);
    add(out, "derandomized", "estimator", d->estimator);
    add(out, "derandomized", "cost_factor", if_it(d->guarantee.holds, d->guarantee.cost_factor));
    add(out, "derandomized", "cover_factor", if_it(d->guarantee.holds, d->guarantee.cover_factor));
    add(out, "derandomized", "pack_factor", if_it(d->guarantee.holds, d->guarantee.pack_factor));
    add(out, "derandomized", "cost_over_lp", d->best.cost / state->instance->lp);
}

#define CASE(name, kind, favour, about)                                                                                \
    { "rounding-bounds/" name, about, &(const bounds_size){kind, 200, favour}, NULL, NULL, 0, true, false }
#define POINT(n)                                                                                                       \
    {                                                                                                                  \
        "growth/rounding-bounds/" #n, #n " variables in some " #n "/10 rows, half full",                               \
            &(const bounds_size){ROUNDING_MIXED, n, BERTH_FAVOUR_COVER}, "rounding bounds", "variables", n, true, true \
    }

static const bench_case cases[] = {
    CASE("mixed/cover", ROUNDING_MIXED, BERTH_FAVOUR_COVER, "24 rows of 100 entries, cover favoured, delta .3"),
    CASE("mixed/packing", ROUNDING_MIXED, BERTH_FAVOUR_PACKING, "packing favoured"),
    CASE("just-below/cover", ROUNDING_JUST_BELOW, BERTH_FAVOUR_COVER, "100 machines of 2.9994 units"),
    CASE("just-below/packing", ROUNDING_JUST_BELOW, BERTH_FAVOUR_PACKING, "packing favoured"),
    CASE("slot/cover", ROUNDING_SLOT, BERTH_FAVOUR_COVER, "workers and parameter servers on 100 GPU machines"),
    CASE("slot/packing", ROUNDING_SLOT, BERTH_FAVOUR_PACKING, "packing favoured"),
    CASE("set-cover/cover", ROUNDING_SET_COVER, BERTH_FAVOUR_COVER, "100 elements, 200 sets"),
    CASE("wide/cover", ROUNDING_WIDE, BERTH_FAVOUR_COVER, "four rows that need 30 to 60 units"),
    CASE("wide/packing", ROUNDING_WIDE, BERTH_FAVOUR_PACKING, "packing favoured"),
    CASE("knapsack/packing", ROUNDING_KNAPSACK, BERTH_FAVOUR_PACKING, "profit of 200 things in five knapsacks"),
    POINT(100),
    POINT(200),
    POINT(400),
    POINT(800),
};

const bench_family bench_rounding_bounds = {
    .about = "rounding-bounds: what roundings promise by closed forms, for the very instance, and derandomised; "
             "reference: the closed form",
    .n_cases = sizeof cases / sizeof *cases,
    .cases = cases,
    .setup = setup,
    .run = run,
    .setup_reference = setup_reference,
    .run_reference = run_reference,
    .quality = quality,
    .teardown = teardown,
};
