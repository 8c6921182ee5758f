/* Bounds of variables that follow from the rows, all quotients rounded outwards.
 *
 * Write each bound of a row as  a x <= b  or  a x >= b  and let m_j be the least value of the row's other terms in the
 * box.
 *   (a)  From a x <= b:  a_j x_j <= b - m_j, and of integers only whole values count.
 *   (b)  Dominance, for a variable whose decrease costs nothing (cost >= 0 in terms of a minimisation): it hurts only
 *        rows a x >= b with a_j > 0, and such a row holds whatever the others are once  a_j x_j >= b - m_j.  So no
 *        point needs x_j above the greatest (b - m_j) / a_j of these rows; above it, x_j can be lowered, one variable
 *        after the other, and the point stays feasible, costs no more, and stays in the box. In a covering problem
 *        this is max_i a_i / A_ij. The lowered point need not be whole: this is about the relaxation over the box,
 * whose optimum bounds that of the integers. So nothing may be rounded to whole values after it. */
#include <math.h>

#include "audit/solution/review.h"
#include "base/alloc.h"

enum { POLL_EVERY = 1024 };

/* n / a for a > 0, rounded up or down; n finite. */
static double quotient(double n, double a, bool up) {
    double q = n / a;
    if (!isfinite(q)) {
        return up ? (double)INFINITY : -(double)INFINITY;
    }
    berth__exact rest = {.low = 0}; /* n - q a */
    berth__exact_add(&rest, n);
    berth__exact_add_product(&rest, -q, a);
    int sign = berth__exact_sign(&rest);
    if (up && sign > 0) {
        return nextafter(q, (double)INFINITY);
    }
    return !up && sign < 0 ? nextafter(q, -(double)INFINITY) : q;
}

typedef struct tightening {
    const berth__review *review;
    const double *low;     /* [n_vars] the box */
    double *lower, *upper; /* the same; lower is NULL where it stays as it is */
    double *need;          /* [n_vars] greatest value that a row can ask for: only this is wanted; NULL: (a) is */
    bool whole;            /* of integers only whole values count */
    bool changed;
} tightening;

/* The least of a x_j over the box; may be -INFINITY. */
static double least_at(const tightening *t, double a, size_t j) {
    return a > 0 ? t->low[j] : t->upper[j];
}

static void lower_to(tightening *t, size_t j, double upper) {
    upper = t->whole && berth__problem_integer(t->review->problem, j) ? floor(upper) : upper;
    if (upper < t->upper[j] && upper > -(double)INFINITY) {
        t->upper[j] = upper;
        t->changed = true;
    }
}

static void raise_to(tightening *t, size_t j, double lower) {
    lower = t->whole && berth__problem_integer(t->review->problem, j) ? ceil(lower) : lower;
    if (lower > t->low[j] && lower < (double)INFINITY) {
        t->lower[j] = lower;
        t->changed = true;
    }
}

/* What one entry a_j = a > 0 or < 0 says; others: the sum of the least values of the other terms. */
static void use_entry(tightening *t, size_t j, double a, berth__exact *others, double at_most, double at_least) {
    berth__exact room = {.low = 0};
    if (isfinite(at_most)) {
        berth__exact_copy(&room, others);
        berth__exact_negate(&room);
        berth__exact_add(&room, at_most);
        double most = berth__exact_up(&room); /* a x_j <= most */
        if (isfinite(most) && a > 0) {
            lower_to(t, j, quotient(most, a, true));
        } else if (isfinite(most)) {
            raise_to(t, j, quotient(-most, -a, false));
        }
    }
    if (t->need != NULL && isfinite(at_least) && a > 0) {
        berth__exact_copy(&room, others);
        berth__exact_negate(&room);
        berth__exact_add(&room, at_least);
        double need = berth__exact_up(&room);
        t->need[j] = fmax(t->need[j], isfinite(need) ? quotient(need, a, true) : need);
    }
}

/* at_least <= sign (A x)_i <= at_most. */
static void use_row(tightening *t, size_t i, double sign, double at_least, double at_most) {
    const berth_problem *p = t->review->problem;
    berth__exact sum = {.low = 0}, others = {.low = 0};
    size_t n_infinite = 0;
    if (isinf(at_most) && (isinf(at_least) || t->need == NULL)) {
        return;
    }
    for (size_t k = p->row_start[i]; k < p->row_start[i + 1]; k++) {
        double a = sign * p->value[k], least = a != 0 ? least_at(t, a, (size_t)p->var_of[k]) : 0;
        if (isinf(least)) {
            n_infinite++;
        } else {
            berth__exact_add_product(&sum, a, least);
        }
    }
    for (size_t k = p->row_start[i]; k < p->row_start[i + 1]; k++) {
        size_t j = (size_t)p->var_of[k];
        double a = sign * p->value[k], least = a != 0 ? least_at(t, a, j) : 0;
        if (a == 0) {
            continue;
        }
        if (n_infinite > (isinf(least) ? 1 : 0)) { /* the others can be anything */
            if (t->need != NULL && isfinite(at_least) && a > 0) {
                t->need[j] = (double)INFINITY;
            }
            continue;
        }
        berth__exact_copy(&others, &sum);
        if (isfinite(least)) {
            berth__exact_add_product(&others, -a, least);
        }
        use_entry(t, j, a, &others, at_most, at_least);
    }
}

/* All rows. False: the budget is spent. */
static bool use_rows(tightening *t) {
    const berth_problem *p = t->review->problem;
    for (size_t i = 0; i < p->n_rows; i++) {
        if (i % POLL_EVERY == 0 && berth__budget_spent(t->review->budget)) {
            return false;
        }
        bool dominance = t->need != NULL;
        use_row(t, i, 1, p->row_lower[i], dominance ? (double)INFINITY : p->row_upper[i]);
        use_row(t, i, -1, -p->row_upper[i], dominance ? (double)INFINITY : -p->row_lower[i]);
    }
    return true;
}

bool berth__tighten(const berth__review *r, bool whole, double *lower, double *upper) {
    tightening t = {.review = r, .low = lower, .lower = lower, .upper = upper, .whole = whole};
    return use_rows(&t) && t.changed;
}

bool berth__dominate(const berth__review *r, const berth__proof_data *data, const double *lower, double *upper) {
    size_t n = r->problem->n_vars;
    tightening t = {.review = r, .low = lower, .upper = upper, .need = BERTH__NEW_ARRAY(double, n)};
    if (t.need == NULL) {
        return false;
    }
    for (size_t j = 0; j < n; j++) {
        t.need[j] = -(double)INFINITY;
    }
    if (use_rows(&t)) {
        for (size_t j = 0; j < n; j++) {
            double cost = data->cost == NULL ? 0 : data->sign * data->cost[j];
            if (cost >= 0 && isfinite(lower[j])) {
                upper[j] = fmin(upper[j], fmax(t.need[j], lower[j]));
            }
        }
    }
    berth__free(t.need);
    return true;
}
