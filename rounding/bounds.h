/* Closed-form choices of the scale G and what they promise: Chernoff bounds with a union over rows,
 * Markov for the cost; delta/3 for each of the three events (Raghavan and Thompson 1987; Raghavan 1988;
 * Yu et al. 2022, Theorem 1 for the paper's forms).
 *
 * Rounding G x* row by row gives a constant (the floors) plus independent terms. Divided by a_i / W_a (b_i / W_b)
 * every term is in [0, 1], because W is the least right side per coefficient, and the mean is at least G W_a (at
 * most G W_b). For such a sum Z of mean mu, with h(t) = t ln t - t + 1,
 *     P(Z <= t mu), t < 1,  and  P(Z >= t mu), t > 1,  are at most  exp(-mu h(t)),
 * for every t and every mu. The union over n rows asks for mu h(t) = ln(3 n / delta).
 *
 * BERTH_SCALE_AUTO puts t = 1 / G for the favoured kind of row, where mu h(t) = W (G - 1 - ln G): its rows hold
 * (factor 1). The other kind gets the factor G t with its own root t.
 *
 * BERTH_SCALE_PAPER replaces exp(-mu h(t)) by exp(-e^2 mu / 2) below the mean (t = 1 - e) and exp(-e^2 mu / 3)
 * above it (t = 1 + e). The first is a weaker bound for every e in [0, 1], so whatever the paper says of cover
 * rows is true: favouring them, they hold (at a G that is larger than needed); favouring packing, they reach
 * G (1 - sqrt(2 ln(3m/delta) / (G W_a))), which promises nothing once the root passes 1. The second is stated for
 * e <= 1 only (it survives to e = 1.8 and is false beyond). So the paper's promise for packing rows holds when
 *   - packing is favoured: e = 1 / G - 1 <= 1, that is G >= 1/2;
 *   - cover is favoured: e = sqrt(3 ln(3r/delta) / (G W_b)) <= 1, the rows then being at most G (1 + e) b;
 * otherwise `holds` is false. BERTH_SCALE_GIVEN with the same G tells what is true of it.
 *
 * BERTH_SCALE_GIVEN: both factors G t from the roots t at means G W_a and G W_b.
 *
 * A kind without rows (cover rows with a_i = 0 do not count) has no event: factor 1, and its delta/3 adds to the
 * probability. Likewise the cost if cost.x = 0: what is rounded then costs nothing.
 *
 * A maximisation has no cost event. Its profit is one more cover row with right side LP = cost.x, and cost_factor is
 * the factor of cover rows: profit >= cost_factor LP. It makes no difference whether `maximize` says so or the caller
 * puts that row before the others, with all costs 0. */
#ifndef BERTH_ROUNDING_BOUNDS_H
#define BERTH_ROUNDING_BOUNDS_H

#include <berth.h>

#include "base/numeric.h"
#include "rounding/packcover.h"

/* The root of G - 1 - ln G = ln(3 n / delta) / width: below 1 (lower) or above 1 (upper). n >= 1, width > 0;
 * width = INFINITY gives 1. */
double berth__root_lower(double n, double delta, double width);
double berth__root_upper(double n, double delta, double width);
/* The root t of mean (t ln t - t + 1) = ln(3 n / delta): below 1 (0 if there is none or it is below 1e-8) or
 * above 1 (INFINITY for mean 0). n >= 1, mean >= 0; mean = INFINITY gives 1. */
double berth__tail_lower(double n, double delta, double mean);
double berth__tail_upper(double n, double delta, double mean);
/* The paper's closed forms: packing 1 + k - sqrt(k^2 + 2k), k = 3 ln(3 n / delta) / (2 width);
 * cover 1 + k + sqrt(k^2 + 2k), k = ln(3 n / delta) / width. */
double berth__paper_packing(double n, double delta, double width);
double berth__paper_cover(double n, double delta, double width);

/* What a randomised rounding promised for one instance. With holds = false, the factors are what the rule would
 * say and probability is 0. */
typedef struct berth__guarantee {
    bool holds;
    double scale;        /* G */
    double cost_factor;  /* cost <= cost_factor * LP, LP = cost . x; to maximise: profit >= cost_factor * LP */
    double cover_factor; /* (A x)_i >= cover_factor * a_i */
    double pack_factor;  /* (B x)_i <= pack_factor * b_i */
    double probability;  /* of all three together, at least */
    const char *why_not; /* static text; NULL if holds */
} berth__guarantee;

typedef struct berth__scale_choice {
    berth_scale_rule rule;
    berth_favour favour;
    double delta;
    double given; /* G with BERTH_SCALE_GIVEN */
} berth__scale_choice;

/* Why a choice makes no sense: delta outside (0, 1), a given G that is not positive; NULL: it does. */
const char *berth__scale_refused(const berth__scale_choice *choice);

/* What a result calls the rule: "auto", "paper" or the given number, written to `text` in the C locale. */
const char *berth__scale_rule_text(berth_scale_rule rule, double given, char text[BERTH__NUMBER_ROOM]);

/* Chooses G for `p` with LP solution x (variables in `skip` are fixed at 0), and states the promise. It does not
 * hold, and why_not says so, if: the choice is refused (then G = 1); W_b = 0 (G = 1 if packing is favoured); x with
 * skipped variables at 0 breaks a row by more than BERTH__LP_FEASIBILITY; some G x_j exceeds the largest value of
 * variable j and there are cover rows (x is clipped when rounding, which only lowers); the paper's closed form is used
 * where it is not valid. O(entries). */
berth__guarantee berth__choose_scale(const berth__packcover *p, const double *x, const bool *skip,
                                     const berth__scale_choice *choice);

#endif
