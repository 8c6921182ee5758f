#include "formulations/cohort/learn.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"

static const double least_share = 1e-9;

/* What part of a need the cover lacks; < 0: it is more. Samples may have no need of a category. */
static double lack_of(const berth__cohort_view *view, const double *cover, size_t c) {
    return view->need[c] > 0 ? 1 - cover[c] / view->need[c] : 0;
}

static void reprice(const berth__cohort_view *view, const double *cover, double rate, double *share) {
    double largest = 1, sum = 0;
    for (size_t c = 0; c < view->n_categories; c++) {
        largest = fmax(largest, fabs(lack_of(view, cover, c)));
    }
    for (size_t c = 0; c < view->n_categories; c++) {
        share[c] *= exp(rate * lack_of(view, cover, c) / largest);
        sum += share[c];
    }
    for (size_t c = 0; c < view->n_categories; c++) {
        share[c] = fmax(share[c] / sum, least_share);
    }
}

/* What the clients of `top` give together: those above the threshold, and of those at it as many as were taken, the
 * last one in part. */
static void cover_of(const berth__cohort_view *view, const berth__cohort_top *top, double deadline_s, double last_part,
                     berth__cohort_space *space) {
    size_t above = 0;
    memset(space->cover, 0, view->n_categories * sizeof *space->cover);
    for (size_t n = 0; n < view->n_clients; n++) {
        if (space->value[n] > top->threshold) {
            berth__cohort_add_cover(view, n, deadline_s, 1, space->cover);
            above++;
        }
    }
    for (size_t n = 0; n < view->n_clients && above < top->count && top->threshold > 0; n++) {
        if (space->value[n] >= top->threshold && space->value[n] <= top->threshold) {
            above++;
            berth__cohort_add_cover(view, n, deadline_s, above == top->count ? last_part : 1, space->cover);
        }
    }
}

static double rate_at(const berth__cohort_rate *rate, int iteration) {
    return rate->rate / sqrt(1 + iteration / 10.0);
}

double berth__cohort_learn_deadline(const berth__cohort_view *view, size_t budget, double from_s, double enough_s,
                                    const berth__cohort_rate *rate, double *share, berth__cohort_space *space,
                                    const berth__budget *limit) {
    static const double least_step = 2e-4, most_step = 0.5;
    double deadline = from_s, best = -1, step = rate->step;
    double *now = BERTH__NEW_ARRAY(double, view->n_categories);
    if (now == NULL) {
        return (double)NAN;
    }
    memcpy(now, share, view->n_categories * sizeof *now);
    for (int i = 0; i < rate->iterations && best < enough_s && !berth__budget_spent(limit); i++) {
        berth__cohort_prices(view, now, space->price);
        berth__cohort_values(view, space->price, deadline, space->value);
        berth__cohort_top top =
            berth__cohort_top_values(space->value, view->n_clients, budget, (double)INFINITY, space);
        bool refuted = top.sum < berth__cohort_worth(view, space->price);
        if (refuted && deadline > best) {
            step = best < 0 ? rate->step : step;
            best = deadline;
            memcpy(share, now, view->n_categories * sizeof *now);
        }
        cover_of(view, &top, deadline, 1, space);
        reprice(view, space->cover, rate_at(rate, i), now);
        if (refuted) {
            deadline *= 1 + step;
            step = fmin(step * 1.6, most_step);
        } else if (best < 0) { /* begun too high */
            deadline *= 1 - step;
            step = fmin(step * 1.3, 0.1);
        } else {
            step = fmax(step * 0.6, least_step);
            deadline = fmax(best * (1 + step), deadline * (1 - step));
        }
    }
    berth__free(now);
    return best;
}

double berth__cohort_learn_participants(const berth__cohort_view *view, double deadline_s,
                                        const berth__cohort_rate *rate, double *share, berth__cohort_space *space,
                                        const berth__budget *limit) {
    double best = -1;
    double *now = BERTH__NEW_ARRAY(double, view->n_categories);
    if (now == NULL) {
        return (double)NAN;
    }
    memcpy(now, share, view->n_categories * sizeof *now);
    for (int i = 0; i < rate->iterations && !berth__budget_spent(limit); i++) {
        berth__cohort_prices(view, now, space->price);
        double worth = berth__cohort_worth(view, space->price);
        berth__cohort_values(view, space->price, deadline_s, space->value);
        berth__cohort_top top = berth__cohort_top_values(space->value, view->n_clients, view->n_clients, worth, space);
        double over = top.reached && top.threshold > 0 ? (top.sum - worth) / top.threshold : 0;
        double participants = top.reached ? (double)top.count - over : (double)INFINITY;
        if (participants > best) {
            best = participants;
            memcpy(share, now, view->n_categories * sizeof *now);
        }
        if (!top.reached) {
            break;
        }
        cover_of(view, &top, deadline_s, 1 - over, space);
        reprice(view, space->cover, rate_at(rate, i), now);
    }
    berth__free(now);
    return best;
}
