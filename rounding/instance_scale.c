#include "rounding/instance_scale.h"

#include "rounding/scaled_rows.h"

#include <math.h>
#include <string.h>

typedef struct scan {
    berth__scaled_rows rows;
    const berth__scale_choice *choice;
    berth__guarantee closed;         /* what bounds.h says */
    double allowed;                  /* D */
    double at_worst[BERTH__N_KINDS]; /* factors that the promise must reach */
    bool found;
    double scale, factor[BERTH__N_KINDS]; /* the best so far */
} scan;

/* Of the kinds that are not favoured, the factor at which nothing fails. */
static void start_factors(scan *s) {
    const berth__guarantee *g = &s->closed;
    bool given = s->choice->rule == BERTH_SCALE_GIVEN, cover = s->choice->favour == BERTH_FAVOUR_COVER;
    s->at_worst[BERTH__KIND_COVER] = !given && cover ? 1 : 0;
    s->at_worst[BERTH__KIND_PACK] = !given && !cover ? 1 : HUGE_VAL;
    s->at_worst[BERTH__KIND_COST] = !s->rows.p->maximize ? HUGE_VAL : !given && cover ? 1 : 0;
    s->allowed = s->choice->delta;
    if (g->holds) {
        s->at_worst[BERTH__KIND_COVER] = g->cover_factor;
        s->at_worst[BERTH__KIND_PACK] = g->pack_factor;
        s->at_worst[BERTH__KIND_COST] = g->cost_factor;
        s->allowed = 1 - g->probability;
    }
}

static bool fits(scan *s, double scale, const double factor[BERTH__N_KINDS]) {
    if (s->rows.scale < scale || s->rows.scale > scale) {
        berth__scaled_rows_at(&s->rows, scale);
    }
    return berth__scaled_failures(&s->rows, factor, s->allowed) <= s->allowed;
}

/* What the kind may fail with if it gets `share` of what is left of D while the other factors stay. */
static double allowance(scan *s, berth__row_kind kind, double share) {
    double others = 0, own = berth__scaled_failure(&s->rows, kind, s->factor[kind], s->allowed);
    for (int k = 0; k < BERTH__N_KINDS; k++) {
        if (k != (int)kind) {
            others += berth__scaled_failure(&s->rows, (berth__row_kind)k, s->factor[k], s->allowed);
        }
    }
    return own + share * (s->allowed - others - own);
}

static void improve(scan *s, berth__row_kind kind, double share) {
    double limit = allowance(s, kind, share);
    s->factor[kind] = berth__scaled_best_factor(&s->rows, kind, s->factor[kind], limit);
}

static void keep(scan *s, double scale, const double factor[BERTH__N_KINDS]) {
    s->found = true;
    s->scale = scale;
    memcpy(s->factor, factor, sizeof s->factor);
}

/* The smallest of the scales that fits. */
static void first_that_fits(scan *s, int n, const double *scales, const double factor[BERTH__N_KINDS]) {
    for (int k = 0; k < n && !s->found; k++) {
        if (fits(s, scales[k], factor)) {
            keep(s, scales[k], factor);
        }
    }
}

/* The one with the best factor of a kind, which is one of those that are better when larger. A scale is looked into
 * only if it beats the best so far by a little. */
static void best_that_fits(scan *s, int n, const double *scales, const double factor[BERTH__N_KINDS],
                           berth__row_kind kind) {
    double wanted[BERTH__N_KINDS];
    memcpy(wanted, factor, sizeof wanted);
    for (int k = n - 1; k >= 0; k--) {
        if (fits(s, scales[k], wanted)) {
            keep(s, scales[k], factor);
            improve(s, kind, 1);
            wanted[kind] = s->factor[kind] * (1 + 1e-3);
        }
    }
}

/* Both kinds at factor 1, anywhere between the packing root and the cover root. */
static void scan_for_both(scan *s, int n, const double *scales) {
    double wanted[BERTH__N_KINDS] = {1, 1, s->at_worst[BERTH__KIND_COST]};
    if (s->rows.p->maximize) {
        best_that_fits(s, n, scales, wanted, BERTH__KIND_COST);
    } else {
        first_that_fits(s, n, scales, wanted);
    }
}

static void scan_for_favoured(scan *s, int n, const double *scales) {
    if (s->choice->favour == BERTH_FAVOUR_COVER) {
        first_that_fits(s, n, scales, s->at_worst);
    } else {
        best_that_fits(s, n, scales, s->at_worst, s->rows.p->maximize ? BERTH__KIND_COST : BERTH__KIND_COVER);
    }
}

static double cover_root(const scan *s) {
    const berth__packcover *p = s->rows.p;
    double width = berth__width_cover(p, s->rows.skip);
    return p->n_cover > 0 && width > 0 ? berth__root_upper(p->n_cover, s->choice->delta, width) : 1;
}

static berth_status choose(scan *s) {
    enum { MOST_SCALE = 16 };
    double root = s->closed.scale, scales[BERTH__MOST_SCALES];
    if (s->choice->rule != BERTH_SCALE_AUTO) {
        first_that_fits(s, 1, &root, s->at_worst);
        return BERTH_OK;
    }
    int n =
        berth__scaled_candidates(&s->rows, fmin(1, root), fmax(fmax(1, root), fmin(MOST_SCALE, cover_root(s))), scales);
    if (n >= 0) {
        scan_for_both(s, n, scales);
    }
    if (n >= 0 && !s->found) {
        bool cover = s->choice->favour == BERTH_FAVOUR_COVER;
        double far = s->closed.holds ? root : cover ? 4 * root : root / 16; /* no promise to be kept: look further */
        n = berth__scaled_candidates(&s->rows, fmin(1, far), fmax(1, far), scales);
        if (n >= 0) {
            scan_for_favoured(s, n, scales);
        }
    }
    return n < 0 ? BERTH_E_MEMORY : BERTH_OK;
}

/* Up to factor 1 if that leaves something for the others, else by half of what is left. */
static void improve_rows(scan *s, berth__row_kind kind) {
    double most = allowance(s, kind, 0.9);
    if (berth__scaled_failure(&s->rows, kind, 1, most) <= most) {
        s->factor[kind] = 1;
    } else {
        improve(s, kind, berth__scaled_has(&s->rows, BERTH__KIND_COST) ? 0.5 : 1);
    }
}

/* Gives away what is left of D, and says what is promised. */
static void promise(scan *s, berth__guarantee *out) {
    bool cover = s->choice->favour == BERTH_FAVOUR_COVER;
    berth__scaled_rows_at(&s->rows, s->scale);
    improve_rows(s, cover ? BERTH__KIND_COVER : BERTH__KIND_PACK);
    improve_rows(s, cover ? BERTH__KIND_PACK : BERTH__KIND_COVER);
    improve(s, BERTH__KIND_COST, 1);
    double sum = berth__scaled_failures(&s->rows, s->factor, s->allowed);
    if (!(s->factor[BERTH__KIND_PACK] < HUGE_VAL)) { /* out keeps what bounds.h says of it */
        return;
    }
    *out = (berth__guarantee){.holds = true,
                              .scale = s->scale,
                              .cost_factor = s->rows.lp > 0 ? s->factor[BERTH__KIND_COST] : 1,
                              .cover_factor = s->factor[BERTH__KIND_COVER],
                              .pack_factor = s->factor[BERTH__KIND_PACK],
                              .probability = 1 - fmin(sum, s->allowed)}; /* less: the budget ran out on the sum */
}

berth_status berth__choose_scale_exact(const berth__packcover *p, const double *x, const bool *skip,
                                       const berth__scale_choice *choice, berth__tail_use use,
                                       const berth__budget *budget, berth__guarantee *out) {
    *out = berth__choose_scale(p, x, skip, choice);
    if (berth__scale_refused(choice) != NULL) {
        return BERTH_OK;
    }
    scan s = {.choice = choice, .closed = *out};
    berth_status status = berth__scaled_rows_open(&s.rows, p, x, skip, use, budget);
    if (status != BERTH_OK) {
        return status;
    }
    start_factors(&s);
    status = choose(&s);
    if (status == BERTH_OK && s.found) {
        promise(&s, out);
    } else if (!out->holds) {
        out->why_not = "no scale tried brings the sum of the bounds down to delta";
    }
    berth__scaled_rows_close(&s.rows);
    return status;
}
