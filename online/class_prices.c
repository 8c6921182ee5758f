#include "online/class_prices.h"

#include "base/alloc.h"
#include "base/error.h"

#include <math.h>
#include <string.h>

/* Step lengths are a part of what Polyak's rule gives; after so many passes without progress the part is less. */
static const double first_part = 1.0;
enum { PATIENCE = 6 };

typedef struct search {
    const berth__class_prices_problem *p;
    berth__class_view view;
    size_t begin, end;   /* rows of the slots that are left */
    double *unit;        /* [end] all that a class has of a resource; rows are scaled by it */
    double *trial;       /* [end] prices of the pass */
    double *held, *mean; /* [end] what is bought at them, and its average over passes */
    double mean_utility;
    double *best; /* the caller's */
    berth__demand_scratch scratch;
} search;

static bool search_init(search *s, const berth__class_prices_problem *p, double *prices) {
    size_t R = (size_t)p->view->cluster->n_resources, K = (size_t)p->view->n_classes,
           T = (size_t)p->view->cluster->horizon;
    *s = (search){
        .p = p,
        .begin = (size_t)p->first * K * R,
        .end = T * K * R,
        .unit = BERTH__ARENA_ARRAY(p->scratch, double, T *K *R),
        .trial = BERTH__ARENA_ARRAY(p->scratch, double, T *K *R),
        .held = BERTH__ARENA_ARRAY(p->scratch, double, T *K *R),
        .mean = BERTH__ARENA_ARRAY(p->scratch, double, T *K *R),
        .best = prices,
    };
    s->view = *p->view;
    s->view.prices = s->trial;
    if (s->unit == NULL || s->trial == NULL || s->held == NULL || s->mean == NULL ||
        !berth__demand_scratch_init(&s->scratch, p->scratch, p->view->cluster->horizon)) {
        return false;
    }
    for (size_t row = s->begin; row < s->end; row++) {
        size_t k = row / R % K;
        s->unit[row] = p->view->count[k] * p->view->cluster->capacity[(size_t)p->view->machine[k] * R + row % R];
        s->trial[row] = prices[row];
    }
    return true;
}

/* B at the trial prices; what is bought goes to held, its utility to *utility. */
static berth_status evaluate(search *s, double *value, double *utility, berth_error *error) {
    const berth__class_prices_problem *p = s->p;
    memset(s->held + s->begin, 0, (s->end - s->begin) * sizeof *s->held);
    *value = *utility = 0;
    for (size_t i = 0; i < p->n_items; i++) {
        const berth__demand_item *item = &p->items[i];
        double gained = 0;
        double payoff = berth__class_demand(&s->view, item->profile, item->arrival, &s->scratch, &gained);
        if (payoff > 0) {
            *value += item->weight * payoff;
            *utility += item->weight * gained;
            berth__class_demand_add(&s->view, item->profile, &s->scratch, item->weight, s->held);
        }
    }
    for (size_t row = s->begin; row < s->end; row++) {
        *value += p->capacity[row] * s->trial[row];
    }
    return berth__budget_spent(p->budget)
               ? berth__fail(error, BERTH_E_CANCELLED, NULL, "%s", berth_status_text(BERTH_E_CANCELLED))
               : BERTH_OK;
}

static void average(search *s, double weight, double utility) {
    s->mean_utility = weight * utility + (1 - weight) * s->mean_utility;
    for (size_t row = s->begin; row < s->end; row++) {
        s->mean[row] = weight * s->held[row] + (1 - weight) * s->mean[row];
    }
}

/* Utility of the average, scaled so that it fits. */
static double fitting_utility(const search *s) {
    double load = 1;
    for (size_t row = s->begin; row < s->end; row++) {
        if (s->mean[row] > 1e-9 * s->unit[row]) {
            load = fmax(load, s->mean[row] / s->p->capacity[row]);
        }
    }
    return s->mean_utility / load;
}

/* Trial prices: from the best, against the excess of the average purchases, by `part` of Polyak's step towards
 * `target`. */
static void step(search *s, double part, double value, double target) {
    double norm = 0;
    for (size_t row = s->begin; row < s->end; row++) {
        double excess = s->unit[row] > 0 ? (s->mean[row] - s->p->capacity[row]) / s->unit[row] : 0;
        norm += s->best[row] > 0 || excess > 0 ? excess * excess : 0;
    }
    double length = norm > 0 ? part * (value - target) / norm : 0;
    for (size_t row = s->begin; row < s->end; row++) {
        double excess = s->unit[row] > 0 ? (s->mean[row] - s->p->capacity[row]) / s->unit[row] : 0;
        s->trial[row] = s->unit[row] > 0 ? fmax(0, s->best[row] + length * excess / s->unit[row]) : 0;
    }
}

static berth_status descend(search *s, berth__class_prices_result *out, berth_error *error) {
    double part = first_part, utility = 0;
    int idle = 0;
    berth_status status = evaluate(s, &out->value, &utility, error);
    if (status != BERTH_OK) {
        return status;
    }
    average(s, 1, utility);
    out->passes = 1;
    while (out->passes < s->p->passes && (out->passes < BERTH__FEWEST_PASSES || s->scratch.work < s->p->work)) {
        out->fit = fmax(out->fit, fitting_utility(s));
        if (out->value - out->fit <= s->p->gap * out->value) {
            break;
        }
        double value = 0;
        step(s, part, out->value, fmax(out->fit, 0.9 * out->value));
        status = evaluate(s, &value, &utility, error);
        if (status != BERTH_OK) {
            return status;
        }
        out->passes++;
        average(s, 0.2, utility);
        if (value < out->value) {
            memcpy(s->best + s->begin, s->trial + s->begin, (s->end - s->begin) * sizeof *s->best);
            part = value < out->value * (1 - 1e-4) ? fmin(2, 1.2 * part) : part;
            out->value = value;
            idle = 0;
        } else if (++idle >= PATIENCE) {
            part *= 0.66;
            idle = 0;
        }
    }
    return BERTH_OK;
}

berth_status berth__class_prices_find(const berth__class_prices_problem *problem, double *prices,
                                      berth__class_prices_result *out, berth_error *error) {
    *out = (berth__class_prices_result){.value = (double)NAN};
    berth__arena_mark before = berth__arena_here(problem->scratch);
    search s;
    berth_status status = search_init(&s, problem, prices) ? descend(&s, out, error) : berth__fail_memory(error);
    berth__arena_back(problem->scratch, before);
    return status;
}

berth_status berth__class_prices_of_jobs(const berth__cluster *cluster, size_t n_jobs, berth__job *const *jobs,
                                         int n_classes, const int *class_of, int passes, double work,
                                         const berth__budget *budget, double *prices, berth_error *error) {
    size_t R = (size_t)cluster->n_resources, K = (size_t)n_classes, rows = (size_t)cluster->horizon * K * R;
    berth__class_view view = {0};
    berth__arena *arena = berth__arena_new();
    berth__job_profile *profiles = BERTH__NEW_ARRAY(berth__job_profile, n_jobs);
    berth__demand_item *items = BERTH__NEW_ARRAY(berth__demand_item, n_jobs);
    double *capacity = BERTH__NEW_ARRAY(double, rows);
    size_t n = 0;
    berth_status status = arena == NULL || profiles == NULL || items == NULL || capacity == NULL
                              ? berth__fail_memory(error)
                              : berth__class_view_new(cluster, n_classes, class_of, prices, &view, error);
    for (size_t i = 0; i < n_jobs && status == BERTH_OK; i++) {
        if (berth__job_hopeless(cluster, jobs[i]) != 0) {
            continue;
        }
        void *memory = berth__arena_alloc(arena, 1, berth__job_profile_size(&view));
        if (memory == NULL) {
            status = berth__fail_memory(error);
            break;
        }
        berth__job_profile_init(&profiles[n], memory, &view, jobs[i]);
        items[n] = (berth__demand_item){.profile = &profiles[n], .arrival = jobs[i]->arrival, .weight = 1};
        n++;
    }
    if (status == BERTH_OK) {
        for (size_t row = 0; row < rows; row++) {
            size_t k = row / R % K;
            capacity[row] = view.count[k] * cluster->capacity[(size_t)view.machine[k] * R + row % R];
        }
        const berth__class_prices_problem problem = {.view = &view,
                                                     .capacity = capacity,
                                                     .n_items = n,
                                                     .items = items,
                                                     .passes = passes,
                                                     .work = work,
                                                     .gap = 1e-3,
                                                     .budget = budget,
                                                     .scratch = arena};
        berth__class_prices_result result;
        status = berth__class_prices_find(&problem, prices, &result, error);
    }
    berth__class_view_clear(&view);
    berth__arena_free(arena);
    berth__free(profiles);
    berth__free(items);
    berth__free(capacity);
    return status;
}
