#include "rounding/bounds.h"

#include "base/tolerance.h"

#include <math.h>

/* ---- roots --------------------------------------------------------------------------------------- */

/* Left side minus q of an equation that is convex in y with its minimum -q at y = 0; also its slope. */
typedef double (*excess_fn)(double y, double q, double *slope);

/* G = e^y: G - 1 - ln G = q. */
static double scale_excess(double y, double q, double *slope) {
    *slope = expm1(y);
    return *slope - y - q;
}

/* t = 1 + y: t ln t - t + 1 = q. */
static double tail_excess(double y, double q, double *slope) {
    *slope = log1p(y);
    return (1 + y) * *slope - y - q;
}

/* Newton from a point y beyond the root, seen from 0. By convexity every iterate stays beyond it and moves
 * towards 0; the first that does not has met the rounding error, which is the end. */
static double newton(excess_fn excess, double q, double y) {
    for (;;) {
        double slope, over = excess(y, q, &slope);
        double next = y - over / slope;
        if (!(over > 0) || !(fabs(next) < fabs(y)) || next * y <= 0) {
            return y;
        }
        y = next;
    }
}

static double log_share(double n, double delta) {
    return log(3 * n / delta);
}

/* The starts are bounds on the roots: -ln G <= q + sqrt(2q) since -ln(1 - a) >= a + a^2/2 ... */
double berth__root_lower(double n, double delta, double width) {
    double q = log_share(n, delta) / width;
    return q == HUGE_VAL ? 0 : exp(newton(scale_excess, q, -(q + sqrt(2 * q))));
}

/* ... and G <= 1 + q + sqrt(q^2 + 2q), the closed form of the weaker bound exp(-e^2 mu / 2). */
double berth__root_upper(double n, double delta, double width) {
    double q = log_share(n, delta) / width;
    return q == HUGE_VAL ? HUGE_VAL : exp(newton(scale_excess, q, log1p(q + sqrt(q * q + 2 * q))));
}

/* t ln t - t + 1 >= (1 - t)^2 / 2 gives a start for q < 1/2. Else, with r = 1 - q, t = r^2 / 4 will do:
 * t (1 - ln t) <= r there. */
double berth__tail_lower(double n, double delta, double mean) {
    double q = log_share(n, delta) / mean;
    if (!(q < 1 - 1e-7)) { /* no root, or one below 1e-8 that 1 + y cannot hold: 0 promises less */
        return 0;
    }
    double rest = 1 - q;
    return 1 + newton(tail_excess, q, q < 0.5 ? -sqrt(2 * q) : rest * rest / 4 - 1);
}

/* Bernstein: t ln t - t + 1 >= e^2 / (2 + 2e/3), t = 1 + e. */
double berth__tail_upper(double n, double delta, double mean) {
    double q = log_share(n, delta) / mean;
    return q == HUGE_VAL ? HUGE_VAL : 1 + newton(tail_excess, q, q / 3 + sqrt(q * q / 9 + 2 * q));
}

/* The smaller root of G^2 - (2 + 2k) G + 1 = 0 as one over the larger: no cancellation. */
double berth__paper_packing(double n, double delta, double width) {
    double k = 1.5 * log_share(n, delta) / width;
    return 1 / (1 + k + sqrt(k * k + 2 * k));
}

double berth__paper_cover(double n, double delta, double width) {
    double k = log_share(n, delta) / width;
    return 1 + k + sqrt(k * k + 2 * k);
}

/* ---- choice and promise --------------------------------------------------------------------------- */

typedef struct rows {
    int n_cover, n_pack; /* that can fail; the profit is among the cover rows */
    double width_cover, width_pack;
    bool has_cost, has_profit;
} rows;

static double relaxed_cost(const berth__packcover *p, const double *x, const bool *skip) {
    double sum = 0;
    for (int j = 0; j < p->n_vars; j++) {
        sum += skip != NULL && skip[j] ? 0 : p->cost[j] * x[j];
    }
    return sum;
}

/* Least right side per profit of the variables that rounding moves. */
static double width_profit(const berth__packcover *p, const bool *skip, double profit) {
    double least = HUGE_VAL;
    for (int j = 0; j < p->n_vars; j++) {
        if (!(skip != NULL && skip[j]) && berth__packcover_integer(p, j) && p->cost[j] > 0) {
            least = fmin(least, profit / p->cost[j]);
        }
    }
    return least;
}

static rows count_rows(const berth__packcover *p, const double *x, const bool *skip) {
    rows r = {
        .n_pack = p->n_pack, .width_cover = berth__width_cover(p, skip), .width_pack = berth__width_packing(p, skip)};
    for (int i = 0; i < p->n_cover; i++) {
        r.n_cover += p->rhs[i] > 0;
    }
    double cost = relaxed_cost(p, x, skip);
    r.has_cost = cost > 0 && !p->maximize;
    r.has_profit = cost > 0 && p->maximize;
    if (r.has_profit) {
        r.n_cover++;
        r.width_cover = fmin(r.width_cover, width_profit(p, skip, cost));
    }
    return r;
}

static bool point_holds(const berth__packcover *p, const double *x, const bool *skip) {
    for (int i = 0; i < p->n_cover + p->n_pack; i++) {
        double sum = 0, rhs = p->rhs[i];
        for (size_t k = p->row_start[i]; k < p->row_start[i + 1]; k++) {
            int j = p->col[k];
            sum += skip != NULL && skip[j] ? 0 : p->value[k] * x[j];
        }
        double short_by = i < p->n_cover ? rhs - sum : sum - rhs;
        if (!(short_by <= BERTH__LP_FEASIBILITY * rhs)) {
            return false;
        }
    }
    return true;
}

static bool is_clipped(const berth__packcover *p, const double *x, const bool *skip, double scale) {
    for (int j = 0; j < p->n_vars; j++) {
        double top = berth__packcover_top(p, j);
        if ((skip == NULL || !skip[j]) && scale * x[j] > top + BERTH__INTEGRALITY * fmax(1, top)) {
            return true;
        }
    }
    return false;
}

static double choose(const berth__scale_choice *choice, const rows *r) {
    bool paper = choice->rule == BERTH_SCALE_PAPER;
    if (choice->rule == BERTH_SCALE_GIVEN) {
        return choice->given;
    }
    if (choice->favour == BERTH_FAVOUR_PACKING) {
        if (r->n_pack == 0 || r->width_pack <= 0) {
            return 1;
        }
        return (paper ? berth__paper_packing : berth__root_lower)(r->n_pack, choice->delta, r->width_pack);
    }
    if (r->n_cover == 0) {
        return 1;
    }
    return (paper ? berth__paper_cover : berth__root_upper)(r->n_cover, choice->delta, r->width_cover);
}

/* Factor of the kind of row that is not favoured, by the paper's bounds; *e is its relative deviation. */
static double paper_cover_factor(double scale, const rows *r, double delta) {
    double e = sqrt(2 * log_share(r->n_cover, delta) / (scale * r->width_cover));
    return scale * fmax(0, 1 - e);
}
static double paper_pack_factor(double scale, const rows *r, double delta, double *e) {
    *e = sqrt(3 * log_share(r->n_pack, delta) / (scale * r->width_pack));
    return scale * (1 + *e);
}

/* Fills both row factors; NULL, or why the promise does not hold. */
static const char *promise_rows(const berth__scale_choice *choice, const rows *r, berth__guarantee *g) {
    double scale = g->scale, delta = choice->delta, e;
    bool paper = choice->rule == BERTH_SCALE_PAPER, given = choice->rule == BERTH_SCALE_GIVEN;
    const char *why_not = NULL;
    g->cover_factor = 1;
    if (r->n_cover > 0 && (given || choice->favour == BERTH_FAVOUR_PACKING)) {
        g->cover_factor = paper ? paper_cover_factor(scale, r, delta)
                                : scale * berth__tail_lower(r->n_cover, delta, scale * r->width_cover);
    }
    g->pack_factor = 1;
    if (r->n_pack == 0) {
        return NULL;
    }
    if (!given && choice->favour == BERTH_FAVOUR_PACKING) {
        why_not = paper && scale < 0.5 ? "the closed form for packing rows is valid for G >= 1/2 only" : NULL;
    } else if (paper) {
        g->pack_factor = paper_pack_factor(scale, r, delta, &e);
        why_not = e > 1 ? "the closed form for packing rows is valid for a relative excess of at most 1 only" : NULL;
    } else {
        g->pack_factor = scale * berth__tail_upper(r->n_pack, delta, scale * r->width_pack);
    }
    return why_not;
}

const char *berth__scale_refused(const berth__scale_choice *choice) {
    if (!(choice->delta > 0 && choice->delta < 1)) {
        return "delta must lie between 0 and 1";
    }
    if (choice->rule == BERTH_SCALE_GIVEN && !(choice->given > 0 && choice->given < HUGE_VAL)) {
        return "the given scale must be positive";
    }
    return NULL;
}

const char *berth__scale_rule_text(berth_scale_rule rule, double given, char text[BERTH__NUMBER_ROOM]) {
    switch (rule) {
    case BERTH_SCALE_PAPER:
        return "paper";
    case BERTH_SCALE_GIVEN:
        berth__number_text(given, text);
        return text;
    case BERTH_SCALE_AUTO:
        break;
    }
    return "auto";
}

berth__guarantee berth__choose_scale(const berth__packcover *p, const double *x, const bool *skip,
                                     const berth__scale_choice *choice) {
    berth__guarantee g = {.scale = 1, .cost_factor = HUGE_VAL, .pack_factor = HUGE_VAL};
    g.why_not = berth__scale_refused(choice);
    if (g.why_not != NULL) {
        return g;
    }
    rows r = count_rows(p, x, skip);
    g.scale = choose(choice, &r);
    g.why_not = promise_rows(choice, &r, &g);
    g.cost_factor = r.has_cost ? 3 * g.scale / choice->delta : r.has_profit ? g.cover_factor : 1;
    if (r.width_pack <= 0) {
        g.pack_factor = HUGE_VAL;
        g.why_not = "a packing row has right side 0: its variables must be fixed first";
    } else if (!point_holds(p, x, skip)) {
        g.why_not = "the fractional solution breaks a row";
    } else if (r.n_cover > 0 && is_clipped(p, x, skip, g.scale)) {
        g.why_not = "a scaled value exceeds its upper bound and is clipped";
    }
    g.holds = g.why_not == NULL;
    int n_events = r.has_cost + (r.n_cover > 0) + (r.n_pack > 0);
    g.probability = g.holds ? 1 - n_events * choice->delta / 3 : 0;
    return g;
}
