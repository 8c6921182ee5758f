#include "formulations/master.h"

#include <math.h>

enum { SURPLUS_W, SURPLUS_S, SHORTAGE_W, SHORTAGE_S, N_SLACKS };

enum {
    MAX_PIVOTS = 200,
    BLAND_AFTER = 60 /* pivots by lowest index from then on, which cannot cycle */
};

/* Reduced costs below GAP of the value, or ROUNDING of the terms they are made of, are 0. */
#define GAP      1e-12
#define ROUNDING 1e-15
/* Smaller steps do not pivot; determinants smaller than their terms by this are 0. */
#define PIVOT    1e-12
#define SINGULAR 1e-11

static double level(double value, double target, double scale) {
    double difference = (value - target) * scale;
    return fabs(difference) <= BERTH__LEVEL ? 0.0 : difference;
}

bool berth__master_add(berth__master *m, const berth__column *point) {
    if (m->n == BERTH__MASTER_COLUMNS) {
        return false;
    }
    m->columns[m->n] =
        (berth__master_column){level(point->w, m->W, m->scale_w), level(point->s, m->S, m->scale_s), 1.0, point->cost};
    m->points[m->n++] = *point;
    return true;
}

void berth__master_start(berth__master *m, double W, double S, const berth__dual_box *box) {
    double size_w = W > 0.0 ? W : 1.0, size_s = S > 0.0 ? S : 1.0, never = (double)INFINITY;
    m->W = W;
    m->S = S;
    m->scale_w = 1.0 / size_w;
    m->scale_s = 1.0 / size_s;
    m->columns[SURPLUS_W] = (berth__master_column){-1.0, 0.0, 0.0, box != NULL ? -box->lam_low * size_w : 0.0};
    m->columns[SURPLUS_S] = (berth__master_column){0.0, -1.0, 0.0, box != NULL ? -box->mu_low * size_s : 0.0};
    m->columns[SHORTAGE_W] = (berth__master_column){1.0, 0.0, 0.0, box != NULL ? box->lam_high * size_w : never};
    m->columns[SHORTAGE_S] = (berth__master_column){0.0, 1.0, 0.0, box != NULL ? box->mu_high * size_s : never};
    m->n = N_SLACKS;
}

void berth__master_base(berth__master *m) {
    berth__master_column *point = &m->columns[m->n - 1];
    if (m->columns[SHORTAGE_W].cost == (double)INFINITY) {
        point->dw = fmax(point->dw, 0.0);
        point->ds = fmax(point->ds, 0.0);
    }
    m->basis[0] = point->dw >= 0.0 ? SURPLUS_W : SHORTAGE_W;
    m->basis[1] = point->ds >= 0.0 ? SURPLUS_S : SHORTAGE_S;
    m->basis[2] = m->n - 1;
}

/* Inverse of the basis by cofactors, duals and value; false if it is singular but for rounding. */
static bool factorise(berth__master *m) {
    const berth__master_column *a = &m->columns[m->basis[0]], *b = &m->columns[m->basis[1]],
                               *c = &m->columns[m->basis[2]];
    double bc_plus = b->ds * c->one, bc_minus = c->ds * b->one;
    double ca_plus = c->ds * a->one, ca_minus = a->ds * c->one;
    double ab_plus = a->ds * b->one, ab_minus = b->ds * a->one;
    double bc = bc_plus - bc_minus, ca = ca_plus - ca_minus, ab = ab_plus - ab_minus;
    double determinant = a->dw * bc + b->dw * ca + c->dw * ab;
    double size = fabs(a->dw) * (fabs(bc_plus) + fabs(bc_minus)) + fabs(b->dw) * (fabs(ca_plus) + fabs(ca_minus)) +
                  fabs(c->dw) * (fabs(ab_plus) + fabs(ab_minus));
    if (!(fabs(determinant) > SINGULAR * size)) {
        return false;
    }
    double by = 1.0 / determinant;
    double(*inverse)[3] = m->inverse;
    inverse[0][0] = bc * by;
    inverse[1][0] = ca * by;
    inverse[2][0] = ab * by;
    inverse[0][1] = (c->dw * b->one - b->dw * c->one) * by;
    inverse[1][1] = (a->dw * c->one - c->dw * a->one) * by;
    inverse[2][1] = (b->dw * a->one - a->dw * b->one) * by;
    inverse[0][2] = (b->dw * c->ds - c->dw * b->ds) * by;
    inverse[1][2] = (c->dw * a->ds - a->dw * c->ds) * by;
    inverse[2][2] = (a->dw * b->ds - b->dw * a->ds) * by;
    m->lam = a->cost * inverse[0][0] + b->cost * inverse[1][0] + c->cost * inverse[2][0];
    m->mu = a->cost * inverse[0][1] + b->cost * inverse[1][1] + c->cost * inverse[2][1];
    m->value = a->cost * inverse[0][2] + b->cost * inverse[1][2] + c->cost * inverse[2][2];
    return true;
}

/* The column that enters, -1 if the basis is optimal. */
static int entering(const berth__master *m, bool lowest_index) {
    int best = -1;
    double best_cost = 0.0;
    for (int j = 0; j < m->n; j++) {
        const berth__master_column *c = &m->columns[j];
        double lam_part = m->lam * c->dw, mu_part = m->mu * c->ds, value = m->value * c->one;
        double reduced = c->cost - lam_part - mu_part - value;
        if (!(reduced < best_cost) || j == m->basis[0] || j == m->basis[1] || j == m->basis[2]) {
            continue;
        }
        if (reduced < -GAP * fabs(m->value) - ROUNDING * (fabs(c->cost) + fabs(lam_part) + fabs(mu_part))) {
            best = j;
            best_cost = reduced;
            if (lowest_index) {
                break;
            }
        }
    }
    return best;
}

/* The basis position that leaves for column j, -1 if none can. */
static int leaving(const berth__master *m, int j, bool lowest_index) {
    const berth__master_column *c = &m->columns[j];
    int best = -1;
    double best_ratio = (double)INFINITY, best_step = 0.0;
    for (int i = 0; i < 3; i++) {
        const double *row = m->inverse[i];
        double step = row[0] * c->dw + row[1] * c->ds + row[2] * c->one;
        if (step <= PIVOT) {
            continue;
        }
        double ratio = fmax(row[2], 0.0) / step;
        bool tie = best >= 0 && fabs(ratio - best_ratio) <= 1e-14;
        bool better = lowest_index ? best >= 0 && m->basis[i] < m->basis[best] : step > best_step;
        if (tie ? better : ratio < best_ratio) {
            best = i;
            best_ratio = ratio;
            best_step = step;
        }
    }
    return best;
}

bool berth__master_optimise(berth__master *m) {
    if (!factorise(m)) {
        return false;
    }
    for (int pivot = 0; pivot < MAX_PIVOTS; pivot++) {
        bool lowest_index = pivot >= BLAND_AFTER;
        int j = entering(m, lowest_index);
        if (j < 0) {
            return true;
        }
        int i = leaving(m, j, lowest_index);
        if (i >= 0) {
            int left = m->basis[i];
            m->basis[i] = j;
            if (factorise(m)) {
                continue;
            }
            m->basis[i] = left;
        }
        m->columns[j].cost = (double)INFINITY; /* unusable for want of precision */
    }
    return false;
}
