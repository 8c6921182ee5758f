/* The methods of berth_solve for packing-and-covering problems with integers; their mathematics is in rounding/. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/pcg.h"
#include "formulations/general/general.h"
#include "rounding/dependent.h"
#include "rounding/derandomized.h"
#include "rounding/greedy.h"
#include "rounding/independent.h"
#include "rounding/instance_scale.h"
#include "rounding/local_search.h"
#include "rounding/repair.h"

/* ---- Shared ---- */

static double finite_or_nan(double value) {
    return isfinite(value) ? value : (double)NAN;
}

/* A sum of tails, each at its best exponent, is confirmed by whoever finds exponents about as good. */
static const double tail_margin = 1e-4;

static void set_promise(berth__general *g, const berth__guarantee *guarantee) {
    g->promise = (berth_promise){
        .holds = guarantee->holds,
        .scale = guarantee->scale,
        .cost_factor = finite_or_nan(guarantee->cost_factor),
        .cover_factor = finite_or_nan(guarantee->cover_factor),
        .pack_factor = finite_or_nan(guarantee->pack_factor),
        .probability = guarantee->probability < 1 ? fmax(0, 1 - (1 - guarantee->probability) * (1 + tail_margin))
                                                  : guarantee->probability,
        .why_not = guarantee->why_not,
    };
}

static berth__scale_choice scale_choice(const berth__general *g) {
    const berth_solve_options *o = g->options;
    return (berth__scale_choice){.rule = o->scale_rule,
                                 .favour = g->split->view.maximize ? BERTH_FAVOUR_PACKING : o->favour,
                                 .delta = o->delta,
                                 .given = o->scale};
}

enum { STREAM_ROUND = 1 };

static berth__pcg stream_of(const berth__general *g) {
    uint64_t key[] = {g->options->seed, STREAM_ROUND};
    return berth__pcg_key(2, key);
}

/* Offers g->candidate and, if asked for and needed, what alteration makes of it. */
static berth_status offer_candidate(berth__general *g, const char *by, bool repair, berth_error *error) {
    bool feasible = berth__general_offer_view(g, g->candidate, by);
    if (feasible || !repair) {
        return BERTH_OK;
    }
    if (berth__repair(&g->split->view, NULL, &g->budget, g->candidate, &feasible) != BERTH_OK) {
        return berth__fail_memory(error);
    }
    berth__general_offer_view(g, g->candidate, "alteration");
    return BERTH_OK;
}

/* After a method's integers: the best continuous values for them. */
static berth_status complete(berth__general *g, berth_error *error) {
    return g->found_by == NULL ? BERTH_OK : berth__general_complete(g, g->x, g->found_by, error);
}

/* ---- Greedy ---- */

static berth_status offer_greedy(berth__general *g, berth_error *error) {
    berth__greedy result;
    if (berth__round_greedy(&g->split->view, NULL, &g->budget, g->candidate, &result) != BERTH_OK) {
        return berth__fail_memory(error);
    }
    return offer_candidate(g, "greedy", false, error);
}

static berth_status run_greedy(berth__general *g, berth_error *error) {
    g->promise.why_not = "a greedy construction promises nothing of this kind";
    g->stopped = false; /* as the relaxation may have been, which only bounds */
    berth_status status = offer_greedy(g, error);
    if (status == BERTH_OK && g->options->repair && !g->feasible) {
        status = offer_candidate(g, "greedy", true, error);
    }
    return status == BERTH_OK ? complete(g, error) : status;
}

/* ---- Randomised ---- */

static berth_status draw(berth__general *g, double scale, bool repair, berth_error *error) {
    berth__pcg stream = stream_of(g);
    berth__trials_result result =
        berth__round_trials(&g->split->view, g->view_relaxation, scale, NULL, g->options->trials, false, NULL,
                            &g->budget, &stream, g->candidate, g->work);
    g->draws += result.draws;
    return offer_candidate(g, "rounding", repair, error);
}

static berth_status run_randomized(berth__general *g, berth_error *error) {
    berth__scale_choice choice = scale_choice(g);
    berth__guarantee guarantee = berth__choose_scale(&g->split->view, g->view_relaxation, NULL, &choice);
    set_promise(g, &guarantee);
    berth_status status = draw(g, guarantee.scale, g->options->repair, error);
    return status == BERTH_OK ? complete(g, error) : status;
}

static berth_status run_randomized_exact(berth__general *g, berth_error *error) {
    berth__scale_choice choice = scale_choice(g);
    berth__guarantee guarantee;
    if (berth__choose_scale_exact(&g->split->view, g->view_relaxation, NULL, &choice, BERTH__TAIL_INDEPENDENT,
                                  &g->budget, &guarantee) != BERTH_OK) {
        return berth__fail_memory(error);
    }
    set_promise(g, &guarantee);
    berth_status status = draw(g, guarantee.scale, g->options->repair, error);
    return status == BERTH_OK ? complete(g, error) : status;
}

/* ---- Dependent ---- */

/* Scaled, and lowered to what a variable may take. */
static void scale_relaxation(const berth__general *g, double scale, double *out) {
    for (int j = 0; j < g->split->view.n_vars; j++) {
        out[j] = fmin(scale * g->view_relaxation[j], g->split->view.upper[j]);
    }
}

static berth_status draw_dependent(berth__general *g, double scale, berth_error *error) {
    const berth__packcover *view = &g->split->view;
    berth__pcg stream = stream_of(g);
    berth__violation best;
    bool kept = false;
    for (int k = 0; k < g->options->trials && !berth__budget_spent(&g->budget); k++) {
        scale_relaxation(g, scale, g->work);
        if (berth__round_dependent(view->n_vars, g->work, berth__mpc_groups(g->split->mpc), g->n_groups, &stream,
                                   g->model_x) != BERTH_OK) {
            return berth__fail_memory(error);
        }
        for (int j = 0; j < view->n_vars; j++) { /* continuous variables are not rounded */
            g->work[j] = berth__packcover_integer(view, j) ? g->model_x[j] : g->work[j];
        }
        berth__violation measured = berth__packcover_measure(view, g->work);
        if (!kept || berth__violation_better(view, &measured, &best)) {
            memcpy(g->candidate, g->work, (size_t)view->n_vars * sizeof *g->work);
            best = measured;
            kept = true;
        }
        g->draws++;
    }
    return kept ? offer_candidate(g, "rounding", g->options->repair, error) : BERTH_OK;
}

static berth_status run_dependent(berth__general *g, berth_error *error) {
    if (g->n_groups == 0) {
        return berth__fail(error, BERTH_E_ARGUMENT, "groups",
                           "dependent rounding needs groups of variables, and there are none");
    }
    /* Scaling would undo what groups are for: sums that stay as the relaxation has them. */
    berth__scale_choice choice = scale_choice(g);
    if (choice.rule == BERTH_SCALE_AUTO) {
        choice.rule = BERTH_SCALE_GIVEN;
        choice.given = 1;
    }
    berth__guarantee guarantee;
    if (berth__choose_scale_exact(&g->split->view, g->view_relaxation, NULL, &choice, BERTH__TAIL_MOMENTS, &g->budget,
                                  &guarantee) != BERTH_OK) {
        return berth__fail_memory(error);
    }
    set_promise(g, &guarantee);
    berth_status status = draw_dependent(g, guarantee.scale, error);
    return status == BERTH_OK ? complete(g, error) : status;
}

/* ---- Derandomised ---- */

static berth_status offer_derandomized(berth__general *g, bool repair, berth_error *error) {
    berth__derandomized result;
    berth__scale_choice choice = scale_choice(g);
    if (berth__round_derandomized(&g->split->view, g->view_relaxation, NULL, choice.favour, &g->budget, g->candidate,
                                  &result) != BERTH_OK) {
        return berth__fail_memory(error);
    }
    set_promise(g, &result.guarantee);
    return offer_candidate(g, "derandomised rounding", repair, error);
}

static berth_status run_derandomized(berth__general *g, berth_error *error) {
    berth_status status = offer_derandomized(g, g->options->repair, error);
    return status == BERTH_OK ? complete(g, error) : status;
}

/* ---- Exact ---- */

static berth_status run_exact(berth__general *g, berth_error *error) {
    g->promise.why_not = "branch and bound does not round";
    return berth__general_branch(g, &g->budget, error);
}

/* ---- Auto ---- */

/* Steps of a search that small problems come to the end of, before branch and bound. */
static uint64_t first_steps(const berth__general *g) {
    uint64_t size =
        (uint64_t)g->split->view.n_vars + (uint64_t)g->split->view.n_cover + (uint64_t)g->split->view.n_pack;
    uint64_t steps = 500 * size;
    return steps < 1000 ? 1000 : steps < 1000000 ? steps : 1000000;
}

/* Of the last search, which is to fill the time. */
static const uint64_t last_steps = 100000000;

/* The limit, or an earlier time that leaves the other steps their share of what remains. */
static berth__budget share_of_time(const berth__general *g, double share) {
    berth__budget part = g->budget;
    double now = berth__now_s();
    part.deadline_s = now + share * (g->budget.deadline_s - now);
    return part;
}

/* The search knows what the relaxation does: in the view's costs, from lower bounds on. */
static berth_status search(berth__general *g, uint64_t steps, const berth__budget *budget, berth_error *error) {
    berth__search_options options = {.seed = g->options->seed, .max_steps = steps, .bound = (double)NAN};
    berth__search_report report;
    bool feasible;
    if (g->has_multipliers && !isnan(g->bound)) {
        for (int j = 0; j < g->split->view.n_vars; j++) {
            g->work[j] = g->split->sign * g->reduced_cost[j];
        }
        options.reduced_cost = g->work;
        options.bound = g->split->sign * (g->bound - g->split->offset);
    }
    berth__split_to_view(g->split, g->x, g->candidate);
    if (berth__local_search(&g->split->view, NULL, budget, &options, g->candidate, &feasible, &report) != BERTH_OK) {
        return berth__fail_memory(error);
    }
    berth__general_offer_view(g, g->candidate, "local search");
    return BERTH_OK;
}

static bool is_done(const berth__general *g) {
    return berth__general_good_enough(g) || berth__budget_spent(&g->budget);
}

typedef berth_status step(berth__general *g, berth_error *error);

static berth_status auto_derandomized(berth__general *g, berth_error *error) {
    return g->has_relaxation ? offer_derandomized(g, true, error) : BERTH_OK;
}

static berth_status auto_draws(berth__general *g, berth_error *error) {
    return g->has_relaxation ? draw(g, 1, true, error) : BERTH_OK;
}

static berth_status auto_search(berth__general *g, berth_error *error) {
    berth__budget part = share_of_time(g, 0.3);
    berth_status status = search(g, first_steps(g), &part, error);
    return status == BERTH_OK ? complete(g, error) : status;
}

static berth_status auto_branch(berth__general *g, berth_error *error) {
    if (berth__backend_find(g->options->backends, "auto", BERTH__BACKEND_MIP) == NULL) {
        return BERTH_OK;
    }
    berth__budget part = share_of_time(g, 0.6);
    berth_status status = berth__general_branch(g, &part, error);
    g->stopped = false; /* to be stopped here is as planned */
    return status;
}

/* Without a limit there is none to fill. */
static berth_status auto_search_on(berth__general *g, berth_error *error) {
    uint64_t steps = isinf(g->budget.deadline_s) ? 10 * first_steps(g) : last_steps;
    berth_status status = search(g, steps, &g->budget, error);
    return status == BERTH_OK ? complete(g, error) : status;
}

static berth_status run_auto(berth__general *g, berth_error *error) {
    static step *const steps[] = {offer_greedy, auto_derandomized, auto_draws,
                                  auto_search,  auto_branch,       auto_search_on};
    berth_status status = BERTH_OK;
    for (size_t k = 0; k < sizeof steps / sizeof *steps && status == BERTH_OK; k++) {
        if (g->solved || is_done(g)) {
            break;
        }
        status = steps[k](g, error);
    }
    g->stopped = !g->feasible && !g->solved && berth__budget_spent(&g->budget);
    return status;
}

/* ---- The table ---- */

/* Name, about, function, whether it needs the relaxation's point, whether it takes that point if it is whole. */
#define METHODS(X)                                                                                                     \
    X("auto", "bound, greedy, derandomised rounding, alteration, local search, branch and bound: the best of all",     \
      run_auto, false, true)                                                                                           \
    X("randomized", "independent rounding, with the closed-form promise", run_randomized, true, false)                 \
    X("randomized-exact", "independent rounding, with a promise computed for this very problem", run_randomized_exact, \
      true, false)                                                                                                     \
    X("derandomized", "conditional probabilities: certain where its estimator starts below 1", run_derandomized, true, \
      false)                                                                                                           \
    X("dependent", "rounding that keeps the sum of each group of variables", run_dependent, true, false)               \
    X("greedy", "a classical baseline: least cost per unit of need, or most profit per room", run_greedy, false,       \
      false)                                                                                                           \
    X("exact", "branch and bound by GLPK", run_exact, false, true)

#define METHOD_ROW(name, about, run, needs_relaxation, takes_whole)                                                    \
    {(name), (about), (run), (needs_relaxation), (takes_whole)},
#define METHOD_NAME(name, about, run, needs_relaxation, takes_whole) (name),

static const berth__method methods[] = {METHODS(METHOD_ROW)};
static const char *const method_names[] = {METHODS(METHOD_NAME) NULL};

const berth__method *berth__method_find(const char *name) {
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        if (strcmp(methods[k].name, name) == 0) {
            return &methods[k];
        }
    }
    return NULL;
}

berth_status berth__method_run(const berth__method *method, berth__general *g, berth_error *error) {
    if (method->needs_relaxation && !g->has_relaxation) {
        g->promise.why_not = "there is no point of the relaxation to round";
        return offer_greedy(g, error);
    }
    return method->run(g, error);
}

const char *const *berth_method_names(void) {
    return method_names;
}

const char *berth_method_about(const char *name) {
    const berth__method *method = name == NULL ? NULL : berth__method_find(name);
    return method == NULL ? NULL : method->about;
}
