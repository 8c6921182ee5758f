#include "formulations/cohort/search.h"

#include <string.h>

#include "base/alloc.h"

enum { MOST_CUTS = 200, POLL = 256 };

typedef struct search {
    berth__cohort_view view; /* clients by falling value; a copy, which passes may sort */
    size_t budget;
    double deadline_s;
    size_t n_prices, most_prices;
    double *worth;  /* [most_prices] of the needs */
    double *value;  /* [most_prices][n_clients] V */
    double *best;   /* [most_prices][n_clients + 1][budget + 1] of the clients from here on, so many */
    double *gained; /* [most_prices] of those chosen, kept up to date */
    uint32_t *chosen;
    size_t n_chosen;
    long nodes;
    const berth__budget *limit;
    bool out_of_memory;
} search;

static double *best_at(const search *s, size_t price, size_t from) {
    return s->best + (price * (s->view.n_clients + 1) + from) * (s->budget + 1);
}

/* Adds prices to the pool; `gained` is recomputed. */
static void add_prices(search *s, const double *price) {
    size_t j = s->n_prices++, n = s->view.n_clients;
    double *value = s->value + j * n;
    s->worth[j] = berth__cohort_worth(&s->view, price);
    berth__cohort_values(&s->view, price, s->deadline_s, value);
    memset(best_at(s, j, n), 0, (s->budget + 1) * sizeof(double));
    for (size_t i = n; i-- > 0;) {
        const double *after = best_at(s, j, i + 1);
        double *here = best_at(s, j, i);
        here[0] = 0;
        for (size_t b = 1; b <= s->budget; b++) {
            double with = after[b - 1] + value[i];
            here[b] = with > after[b] ? with : after[b];
        }
    }
    s->gained[j] = 0;
    for (size_t k = 0; k < s->n_chosen; k++) {
        s->gained[j] += value[s->chosen[k]];
    }
}

/* Do all prices still allow it, with the clients from `from` on? */
static bool is_open(const search *s, size_t from) {
    for (size_t j = 0; j < s->n_prices; j++) {
        if (s->gained[j] + best_at(s, j, from)[s->budget - s->n_chosen] < s->worth[j]) {
            return false;
        }
    }
    return true;
}

static bool is_worth_all(const search *s) {
    for (size_t j = 0; j < s->n_prices; j++) {
        if (s->gained[j] < s->worth[j]) {
            return false;
        }
    }
    return true;
}

/* Do those chosen meet the needs? If not, the pool learns why. */
static bool meets(search *s) {
    berth__cohort_view some;
    berth__cohort_flow flow = {0};
    bool met = false;
    if (!berth__cohort_view_of(&s->view, s->chosen, s->n_chosen, &some) || !berth__cohort_flow_open(&some, &flow)) {
        s->out_of_memory = true;
    } else if (berth__cohort_flow_solve(&flow, s->deadline_s) <= 0) {
        met = true;
    } else if (s->n_prices < s->most_prices) {
        for (size_t c = 0; c < s->view.n_categories; c++) {
            flow.lacking[c] = flow.in_cut[c] ? 1 : 0;
        }
        add_prices(s, flow.lacking);
    }
    berth__cohort_flow_close(&flow);
    berth__cohort_view_free(&some);
    return met;
}

static void choose(search *s, size_t client, int sign) {
    for (size_t j = 0; j < s->n_prices; j++) {
        s->gained[j] += sign * s->value[j * s->view.n_clients + client];
    }
}

/* Clients from `from` on are undecided. True: those chosen meet the needs. */
static bool visit(search *s, size_t from) {
    if (--s->nodes < 0 || s->out_of_memory || (s->nodes % POLL == 0 && berth__budget_spent(s->limit))) {
        s->nodes = s->nodes < 0 ? s->nodes : -1;
        return false;
    }
    if (!is_open(s, from)) {
        return false;
    }
    if (is_worth_all(s) && meets(s)) {
        return true;
    }
    if (from == s->view.n_clients || s->n_chosen == s->budget || !is_open(s, from)) {
        return false;
    }
    s->chosen[s->n_chosen++] = (uint32_t)from;
    choose(s, from, 1);
    if (visit(s, from + 1)) {
        return true;
    }
    choose(s, from, -1);
    s->n_chosen--;
    return visit(s, from + 1);
}

/* Clients that can do anything within the deadline, the most valuable first. */
static size_t order_clients(const berth__cohort_view *view, const double *value, uint32_t *order) {
    size_t m = 0;
    for (uint32_t n = 0; n < view->n_clients; n++) {
        if (value[n] > 0) {
            size_t at = m++;
            for (; at > 0 && value[order[at - 1]] < value[n]; at--) {
                order[at] = order[at - 1];
            }
            order[at] = n;
        }
    }
    return m;
}

static bool open_search(search *s, const berth__cohort_view *view, const double *share, double *price,
                        uint32_t *order) {
    double value[BERTH__COHORT_SEARCHABLE];
    berth__cohort_prices(view, share, price);
    berth__cohort_values(view, price, s->deadline_s, value);
    size_t n = order_clients(view, value, order);
    if (!berth__cohort_view_of(view, order, n, &s->view)) {
        return false;
    }
    s->budget = s->budget < n ? s->budget : n;
    s->most_prices = view->n_categories + 1 + MOST_CUTS;
    s->worth = BERTH__NEW_ARRAY(double, s->most_prices);
    s->gained = BERTH__NEW_ARRAY(double, s->most_prices);
    s->value = BERTH__NEW_ARRAY(double, s->most_prices *n);
    s->best = BERTH__NEW_ARRAY(double, s->most_prices *(n + 1) * (s->budget + 1));
    s->chosen = BERTH__NEW_ARRAY(uint32_t, n);
    if (s->worth == NULL || s->gained == NULL || s->value == NULL || s->best == NULL || s->chosen == NULL) {
        return false;
    }
    add_prices(s, price);
    for (size_t c = 0; c < view->n_categories; c++) {
        memset(price, 0, view->n_categories * sizeof *price);
        price[c] = 1;
        add_prices(s, price);
    }
    return true;
}

berth__cohort_answer berth__cohort_search(const berth__cohort_view *view, const double *share, double deadline_s,
                                          size_t budget, const berth__budget *limit, long *nodes, uint32_t *chosen,
                                          size_t *n_chosen) {
    search s = {.budget = budget, .deadline_s = deadline_s, .nodes = *nodes, .limit = limit};
    uint32_t order[BERTH__COHORT_SEARCHABLE];
    double *price = BERTH__NEW_ARRAY(double, view->n_categories);
    bool ready =
        price != NULL && view->n_clients <= BERTH__COHORT_SEARCHABLE && open_search(&s, view, share, price, order);
    bool found = ready && visit(&s, 0);
    berth__cohort_answer answer = !ready || s.out_of_memory ? BERTH__COHORT_MEMORY
                                  : found                   ? BERTH__COHORT_YES
                                  : s.nodes < 0             ? BERTH__COHORT_UNKNOWN
                                                            : BERTH__COHORT_NO;
    for (size_t k = 0; answer == BERTH__COHORT_YES && k < s.n_chosen; k++) {
        chosen[k] = order[s.chosen[k]];
    }
    *n_chosen = s.n_chosen;
    *nodes = s.nodes;
    berth__cohort_view_free(&s.view);
    berth__free(s.worth);
    berth__free(s.gained);
    berth__free(s.value);
    berth__free(s.best);
    berth__free(s.chosen);
    berth__free(price);
    return answer;
}
