#include "rounding/instance_scale.h"

#include "rounding/scale_search.h"

#include <math.h>

typedef struct choosing {
    const berth__packcover *p;
    const bool *skip;
    const berth__scale_choice *choice;
    const berth__guarantee *closed;  /* what bounds.h says */
    double at_worst[BERTH__N_KINDS]; /* factors that the promise must reach */
    berth__scale_search search;
} choosing;

/* Those of bounds.h; where it promises nothing, the other kind and the cost start at what cannot fail. */
static void start(choosing *c) {
    const berth__guarantee *g = c->closed;
    bool given = c->choice->rule == BERTH_SCALE_GIVEN, cover = c->choice->favour == BERTH_FAVOUR_COVER;
    c->at_worst[BERTH__KIND_COVER] = !given && cover ? 1 : 0;
    c->at_worst[BERTH__KIND_PACK] = !given && !cover ? 1 : HUGE_VAL;
    c->at_worst[BERTH__KIND_COST] = !c->p->maximize ? HUGE_VAL : !given && cover ? 1 : 0;
    c->search.allowed = c->choice->delta;
    if (g->holds) {
        c->at_worst[BERTH__KIND_COVER] = g->cover_factor;
        c->at_worst[BERTH__KIND_PACK] = g->pack_factor;
        c->at_worst[BERTH__KIND_COST] = c->p->maximize ? g->cost_factor : fmax(g->cost_factor, 1);
        c->search.allowed = 1 - g->probability;
    }
}

static double cover_root(const choosing *c) {
    enum { MOST_SCALE = 16 };
    double width = berth__width_cover(c->p, c->skip);
    bool has_root = c->p->n_cover > 0 && width > 0;
    return has_root ? fmin(MOST_SCALE, berth__root_upper(c->p->n_cover, c->choice->delta, width)) : 1;
}

/* Both kinds at factor 1, anywhere between the packing root and the cover root. */
static berth_status search_for_both(choosing *c) {
    double wanted[BERTH__N_KINDS] = {1, 1, c->at_worst[BERTH__KIND_COST]};
    double from = fmin(1, c->closed->scale), to = fmax(fmax(1, c->closed->scale), cover_root(c));
    return c->p->maximize ? berth__scale_search_best(&c->search, from, to, wanted, BERTH__KIND_COST, 1)
                          : berth__scale_search_first(&c->search, from, to, wanted);
}

static berth_status search_for_favoured(choosing *c) {
    bool cover = c->choice->favour == BERTH_FAVOUR_COVER;
    double far = c->closed->scale;
    if (!c->closed->holds) { /* no promise to be kept: look further */
        far *= cover ? 4 : 1.0 / 16;
    }
    if (cover) {
        return berth__scale_search_first(&c->search, fmin(1, far), fmax(1, far), c->at_worst);
    }
    berth__row_kind kind = c->p->maximize ? BERTH__KIND_COST : BERTH__KIND_COVER;
    return berth__scale_search_best(&c->search, fmin(1, far), fmax(1, far), c->at_worst, kind, 1);
}

static berth_status search(choosing *c) {
    if (c->choice->rule != BERTH_SCALE_AUTO) {
        return berth__scale_search_first(&c->search, c->closed->scale, c->closed->scale, c->at_worst);
    }
    berth_status status = search_for_both(c);
    return status != BERTH_OK || c->search.found ? status : search_for_favoured(c);
}

/* Gives away what is left of D, and says what is promised. */
static void promise(choosing *c, berth__guarantee *out) {
    bool cover = c->choice->favour == BERTH_FAVOUR_COVER, has_cost = c->search.rows->lp > 0;
    berth__row_kind first = cover ? BERTH__KIND_COVER : BERTH__KIND_PACK;
    berth__row_kind second = cover ? BERTH__KIND_PACK : BERTH__KIND_COVER;
    berth__scale_search_improve_rows(&c->search, first, has_cost ? 0.5 : 1);
    berth__scale_search_improve_rows(&c->search, second, has_cost ? 0.5 : 1);
    berth__scale_search_improve(&c->search, BERTH__KIND_COST, 1);
    if (!(c->search.factor[BERTH__KIND_PACK] < HUGE_VAL)) { /* out keeps what bounds.h says of it */
        return;
    }
    *out = (berth__guarantee){.holds = true,
                              .scale = c->search.scale,
                              .cost_factor = has_cost ? c->search.factor[BERTH__KIND_COST] : 1,
                              .cover_factor = c->search.factor[BERTH__KIND_COVER],
                              .pack_factor = c->search.factor[BERTH__KIND_PACK],
                              .probability = 1 - berth__scale_search_failures(&c->search)};
}

berth_status berth__choose_scale_exact(const berth__packcover *p, const double *x, const bool *skip,
                                       const berth__scale_choice *choice, berth__tail_use use,
                                       const berth__budget *budget, berth__guarantee *out) {
    const berth__guarantee closed = berth__choose_scale(p, x, skip, choice);
    *out = closed;
    if (berth__scale_refused(choice) != NULL) {
        return BERTH_OK;
    }
    berth__scaled_rows rows;
    berth_status status = berth__scaled_rows_open(&rows, p, x, skip, use, use == BERTH__TAIL_INDEPENDENT, budget);
    if (status != BERTH_OK) {
        return status;
    }
    choosing c = {.p = p, .skip = skip, .choice = choice, .closed = &closed, .search = {.rows = &rows}};
    start(&c);
    status = search(&c);
    if (status == BERTH_OK && c.search.found) {
        promise(&c, out);
    } else if (!out->holds) {
        out->why_not = "no scale tried brings the sum of the bounds down to delta";
    }
    berth__scaled_rows_close(&rows);
    return status;
}
