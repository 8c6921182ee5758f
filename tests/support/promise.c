#include "tests/support/promise.h"

#include "base/alloc.h"
#include "base/tolerance.h"
#include "tests/support/check.h"

#include <string.h>

bool promise_kept(const berth__packcover *p, const double *out, const berth__guarantee *g, double lp) {
    berth__violation v = berth__packcover_measure(p, out);
    bool cost = p->maximize ? v.cost >= g->cost_factor * lp * (1 - 1e-9) : v.cost <= g->cost_factor * lp * (1 + 1e-9);
    return cost && v.cover_min >= g->cover_factor * (1 - 1e-9) && v.pack_max <= g->pack_factor * (1 + 1e-9);
}

double promise_failure(const berth__packcover *p, const double *x, const bool *skip, const berth__guarantee *g,
                       double lp) {
    enum { MOST = 20 };
    size_t n_vars = (size_t)p->n_vars;
    double *base = BERTH__NEW_ARRAY(double, n_vars), *out = BERTH__NEW_ARRAY(double, n_vars);
    assert_true(base != NULL && out != NULL);
    double chance[MOST], failure = 0;
    int random[MOST], n = 0;
    for (int j = 0; j < p->n_vars; j++) {
        double value = skip != NULL && skip[j] ? 0 : fmax(0, fmin(g->scale * x[j], berth__packcover_top(p, j)));
        base[j] = value;
        if (berth__packcover_integer(p, j) && fabs(value - round(value)) <= BERTH__INTEGRALITY) {
            base[j] = round(value);
        } else if (berth__packcover_integer(p, j)) {
            assert_true(n < MOST);
            base[j] = floor(value);
            chance[n] = value - base[j];
            random[n++] = j;
        }
    }
    for (unsigned set = 0; set < 1U << n; set++) {
        double probability = 1;
        memcpy(out, base, n_vars * sizeof *out);
        for (int k = 0; k < n; k++) {
            bool up = (set >> k & 1U) != 0;
            out[random[k]] += up ? 1 : 0;
            probability *= up ? chance[k] : 1 - chance[k];
        }
        failure += promise_kept(p, out, g, lp) ? 0 : probability;
    }
    berth__free(base);
    berth__free(out);
    return failure;
}

static bool count_down(void *user) {
    spent_budget *b = user;
    return ++b->polls > b->after;
}

void spent_budget_start(spent_budget *b, long after) {
    *b = (spent_budget){.after = after};
    berth_hooks_init(&b->hooks);
    b->hooks.cancel = count_down;
    b->hooks.user = b;
    b->budget = berth__budget_start(HUGE_VAL, &b->hooks);
}
