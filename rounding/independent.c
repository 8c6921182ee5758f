#include "rounding/independent.h"

#include "base/tolerance.h"

#include <math.h>
#include <string.h>

static double round_one(double value, double draw) {
    double nearest = round(value);
    if (fabs(value - nearest) <= BERTH__INTEGRALITY) {
        return nearest;
    }
    double floor_of = floor(value);
    return floor_of + (draw < value - floor_of ? 1 : 0);
}

void berth__round_independent(const berth__packcover *p, const double *x, double scale, const bool *skip,
                              berth__pcg *stream, double *out) {
    for (int j = 0; j < p->n_vars; j++) {
        double draw = berth__pcg_uniform(stream);
        double value = skip != NULL && skip[j] ? 0 : scale * x[j];
        if (berth__packcover_integer(p, j)) {
            value = round_one(value, draw);
        }
        out[j] = fmax(0, fmin(value, berth__packcover_top(p, j)));
    }
}

/* What a draw is worth: lower rank first, then less violation, then the better cost. */
typedef struct standing {
    enum { ACCEPTED, VIOLATED, REFUSED } rank;
    double violation, cost;
} standing;

static standing judge(const berth__violation *v, const berth__after_draw *after, const double *x) {
    standing s = {.rank = ACCEPTED, .violation = 0, .cost = v->cost};
    if (!v->feasible) {
        s.rank = VIOLATED;
        s.violation = berth__violation_size(v);
    } else if (after != NULL && after->accept != NULL && !after->accept(after->user, x)) {
        s.rank = REFUSED;
    }
    return s;
}

static bool is_better(const berth__packcover *p, const standing *a, const standing *b) {
    if (a->rank != b->rank) {
        return a->rank < b->rank;
    }
    return a->violation < b->violation ||
           (a->violation <= b->violation && berth__packcover_better(p, a->cost, b->cost));
}

enum { POLL_EVERY = 8 }; /* draws */

berth__trials_result berth__round_trials(const berth__packcover *p, const double *x, double scale, const bool *skip,
                                         int trials, bool stop_at_first, const berth__after_draw *after,
                                         const berth__budget *budget, berth__pcg *stream, double *out, double *work) {
    berth__trials_result result = {.draws = 0};
    standing best = {.rank = REFUSED};
    while (result.draws < trials && !(stop_at_first && result.feasible)) {
        if (result.draws > 0 && result.draws % POLL_EVERY == 0 && berth__budget_spent(budget)) {
            break;
        }
        berth__round_independent(p, x, scale, skip, stream, work);
        if (after != NULL && after->adjust != NULL) {
            after->adjust(after->user, work);
        }
        berth__violation v = berth__packcover_measure(p, work);
        standing now = judge(&v, after, work);
        result.n_feasible += now.rank == ACCEPTED;
        if (result.draws == 0 || is_better(p, &now, &best)) {
            best = now;
            result.best = v;
            result.feasible = now.rank == ACCEPTED;
            memcpy(out, work, (size_t)p->n_vars * sizeof *out);
        }
        result.draws++;
    }
    return result;
}
