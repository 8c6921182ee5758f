#include "rounding/scale_search.h"

#include <math.h>
#include <string.h>

/* Is a factor as good as another, or better? Cover factors (and the profit's) are better when larger. */
static bool reaches(const berth__scale_search *s, berth__row_kind kind, double factor, double other) {
    bool larger = kind == BERTH__KIND_COVER || (kind == BERTH__KIND_COST && s->rows->p->maximize);
    return larger ? factor >= other : factor <= other;
}

static void go_to(berth__scale_search *s, double scale) {
    if (s->rows->scale < scale || s->rows->scale > scale) {
        berth__scaled_rows_at(s->rows, scale);
    }
}

static bool fits(berth__scale_search *s, double scale, const double factor[BERTH__N_KINDS]) {
    go_to(s, scale);
    return berth__scaled_failures(s->rows, factor, s->allowed) <= s->allowed;
}

static void keep(berth__scale_search *s, double scale, const double factor[BERTH__N_KINDS]) {
    s->found = true;
    s->scale = scale;
    memcpy(s->factor, factor, sizeof s->factor);
}

/* ---- factors at one scale ------------------------------------------------------------------------------- */

/* What the kind may fail with if it gets `share` of what is left while the other factors stay. */
static double allowance(berth__scale_search *s, berth__row_kind kind, double share) {
    double others = 0, own = berth__scaled_failure(s->rows, kind, s->factor[kind], s->allowed);
    for (int k = 0; k < BERTH__N_KINDS; k++) {
        if (k != (int)kind) {
            others += berth__scaled_failure(s->rows, (berth__row_kind)k, s->factor[k], s->allowed);
        }
    }
    return own + share * (s->allowed - others - own);
}

void berth__scale_search_improve(berth__scale_search *s, berth__row_kind kind, double share) {
    go_to(s, s->scale);
    double limit = allowance(s, kind, share);
    s->factor[kind] = berth__scaled_best_factor(s->rows, kind, s->factor[kind], limit);
}

void berth__scale_search_improve_rows(berth__scale_search *s, berth__row_kind kind, double share) {
    if (reaches(s, kind, s->factor[kind], 1)) {
        return;
    }
    go_to(s, s->scale);
    double most = allowance(s, kind, fmax(0.9, share));
    if (berth__scaled_failure(s->rows, kind, 1, most) <= most) {
        s->factor[kind] = 1;
    } else {
        berth__scale_search_improve(s, kind, share);
    }
}

double berth__scale_search_failures(berth__scale_search *s) {
    go_to(s, s->scale);
    return fmin(berth__scaled_failures(s->rows, s->factor, s->allowed), s->allowed);
}

/* ---- scales --------------------------------------------------------------------------------------------- */

/* Index of the first that fits, n if none does. */
static int first_of(berth__scale_search *s, int n, const double *scales, const double factor[BERTH__N_KINDS]) {
    for (int k = 0; k < n; k++) {
        if (fits(s, scales[k], factor)) {
            keep(s, scales[k], factor);
            return k;
        }
    }
    return n;
}

berth_status berth__scale_search_first(berth__scale_search *s, double from, double to,
                                       const double factor[BERTH__N_KINDS]) {
    double scales[BERTH__MOST_SCALES];
    int n = berth__scaled_candidates(s->rows, from, to, scales);
    int k = n < 0 ? 0 : first_of(s, n, scales, factor);
    if (k > 0 && k < n) {
        n = berth__scaled_candidates(s->rows, scales[k - 1], scales[k], scales);
        first_of(s, n, scales, factor);
    }
    return n < 0 ? BERTH_E_MEMORY : BERTH_OK;
}

/* Index of the best, -1 if none beats what is there. A scale is looked into only if it could by a little. */
static int best_of(berth__scale_search *s, int n, const double *scales, const double factor[BERTH__N_KINDS],
                   berth__row_kind kind, double share) {
    double wanted[BERTH__N_KINDS];
    bool larger = !reaches(s, kind, 0, 1);
    int best = -1;
    memcpy(wanted, factor, sizeof wanted);
    for (int k = 0; k < n; k++) {
        wanted[kind] = s->found ? s->factor[kind] * (larger ? 1 + 1e-3 : 1 - 1e-3) : factor[kind];
        if (!fits(s, scales[k], wanted)) {
            continue;
        }
        berth__scale_search before = *s;
        keep(s, scales[k], factor);
        berth__scale_search_improve(s, kind, share);
        if (before.found && reaches(s, kind, before.factor[kind], s->factor[kind])) {
            *s = before;
        } else {
            best = k;
        }
    }
    return best;
}

berth_status berth__scale_search_best(berth__scale_search *s, double from, double to,
                                      const double factor[BERTH__N_KINDS], berth__row_kind kind, double share) {
    double scales[BERTH__MOST_SCALES];
    int n = berth__scaled_candidates(s->rows, from, to, scales);
    int k = best_of(s, n, scales, factor, kind, share);
    if (k >= 0 && n > 1) {
        n = berth__scaled_candidates(s->rows, scales[k > 0 ? k - 1 : 0], scales[k < n - 1 ? k + 1 : k], scales);
        best_of(s, n, scales, factor, kind, share);
    }
    return n < 0 ? BERTH_E_MEMORY : BERTH_OK;
}
