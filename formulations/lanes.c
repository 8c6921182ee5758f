#include "formulations/lanes.h"

#include "base/tolerance.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* Compiled twice: lanes_avx2.c defines these and includes this file. WIDTH: how many of a block's lanes a vector holds;
 * passes treat the parts of blocks one after another. */
#ifndef TARGET
#define LANES(name) berth__lanes_##name##_plain
#define TARGET
#define WIDTH                 2
#define ALL(x)                ((lanes){(x), (x)})
#define GATHER(values, k)     ((lanes){(values)[(k)[0]], (values)[(k)[1]]})
#define SUM(v)                ((v)[0] + (v)[1])
#define SELECT(mask, yes, no) ((lanes)(((lane_mask)(mask) & (lane_mask)(yes)) | (~(lane_mask)(mask) & (lane_mask)(no))))
#if defined(__SSE2__)
#include <emmintrin.h>
#define BITS(mask) _mm_movemask_pd((__m128d)(lane_mask)(mask))
#else
#define BITS(mask) ((int)(((mask)[0] & 1) | ((mask)[1] & 2)))
#endif
#define PLAIN
#endif

/* Vectors of the compiler's, so that the plain build uses what every processor of the kind has. Macros rather than
 * functions take them: not every calling convention can pass them. */
typedef double lanes __attribute__((vector_size(WIDTH * 8), aligned(8), may_alias));
typedef long long lane_mask __attribute__((vector_size(WIDTH * 8)));

#define LOAD(p)        (*(const lanes *)(p))
#define STORE(p, v)    (*(lanes *)(p) = (v))
#define LEAST(x, y)    SELECT((x) < (y), x, y)
#define GREATEST(x, y) SELECT((x) > (y), x, y)

/* Sets w and s to what the groups of a block choose at (a, b), duals less prices: the end of the last edge with
 * slope < a / b. Slopes decide, not values, so that an edge of almost no length cannot hide the ones behind it. */
#define CHOOSE(block, n_edges, a, b, w, s)                                                                             \
    do {                                                                                                               \
        const double *edge_ = (block) + BERTH__BLOCK_HEAD;                                                             \
        (w) = ALL(0.0);                                                                                                \
        (s) = LOAD((block) + BERTH__BLOCK_THIRD);                                                                      \
        for (int e_ = 0; e_ < (n_edges); e_++, edge_ += BERTH__BLOCK_EDGE) {                                           \
            lane_mask beyond_ = (lane_mask)((a) > LOAD(edge_) * (b));                                                  \
            (w) = SELECT(beyond_, LOAD(edge_ + BERTH__LANES), w);                                                      \
            (s) = SELECT(beyond_, LOAD(edge_ + BERTH__BLOCK_THIRD), s);                                                \
        }                                                                                                              \
        (w) = (lanes)((lane_mask)(w) & (lane_mask)((a) > ALL(0.0)));                                                   \
        (s) = (lanes)((lane_mask)(s) & (lane_mask)((b) > ALL(0.0)));                                                   \
    } while (0)

TARGET static void add_best(const berth__block *blocks, int n_blocks, const double *data, double lam, double mu,
                            double price_scale, berth__column *total) {
    lanes sum_w = ALL(0.0), sum_s = ALL(0.0), sum_cost = ALL(0.0);
    lanes lams = ALL(lam), mus = ALL(mu), scale = ALL(price_scale);
    for (int k = 0; k < n_blocks; k++) {
        const double *block = data + blocks[k].at;
        lanes pw = LOAD(block), ps = LOAD(block + BERTH__LANES);
        lanes a = lams - scale * pw, b = mus - scale * ps, w, s;
        CHOOSE(block, blocks[k].n_edges, a, b, w, s);
        sum_w += w;
        sum_s += s;
        sum_cost += pw * w + ps * s;
    }
    total->w += SUM(sum_w);
    total->s += SUM(sum_s);
    total->cost += SUM(sum_cost);
}

TARGET berth__column LANES(best)(const berth__block *blocks, int n_blocks, const double *data, double lam, double mu,
                                 double price_scale) {
    berth__column total = {0.0, 0.0, 0.0};
    for (int part = 0; part < BERTH__LANES; part += WIDTH) {
        add_best(blocks, n_blocks, data + part, lam, mu, price_scale, &total);
    }
    return total;
}

/* Workers chosen grow with lam and fall with mu, servers the other way round, rounding included: every step is
 * monotone. So two corners of the box tell. */
TARGET static void fold_part(const berth__block *blocks, int n_blocks, const double *data, const berth__dual_box *box,
                             int part, unsigned char *moving, berth__column *fixed) {
    lanes sum_w = ALL(0.0), sum_s = ALL(0.0), sum_cost = ALL(0.0);
    lanes lam_low = ALL(box->lam_low), lam_high = ALL(box->lam_high);
    lanes mu_low = ALL(box->mu_low), mu_high = ALL(box->mu_high);
    for (int k = 0; k < n_blocks; k++) {
        const double *block = data + blocks[k].at + part;
        lanes pw = LOAD(block), ps = LOAD(block + BERTH__LANES);
        lanes a = lam_low - pw, b = mu_high - ps, w, s, other_w, other_s;
        CHOOSE(block, blocks[k].n_edges, a, b, w, s);
        a = lam_high - pw;
        b = mu_low - ps;
        CHOOSE(block, blocks[k].n_edges, a, b, other_w, other_s);
        lane_mask same = (lane_mask)(w == other_w) & (lane_mask)(s == other_s), other = ~same;
        w = (lanes)((lane_mask)w & same);
        s = (lanes)((lane_mask)s & same);
        sum_w += w;
        sum_s += s;
        sum_cost += pw * w + ps * s;
        moving[k] = (unsigned char)(moving[k] | BITS(other) << part);
    }
    fixed->w += SUM(sum_w);
    fixed->s += SUM(sum_s);
    fixed->cost += SUM(sum_cost);
}

TARGET int LANES(fold)(const berth__block *blocks, int n_blocks, const double *data, const berth__dual_box *box,
                       unsigned char *moving, berth__column *fixed) {
    *fixed = (berth__column){0.0, 0.0, 0.0};
    memset(moving, 0, (size_t)n_blocks);
    for (int part = 0; part < BERTH__LANES; part += WIDTH) {
        fold_part(blocks, n_blocks, data, box, part, moving, fixed);
    }
    int n_moving = 0;
    for (int k = 0; k < n_blocks; k++) {
        int bits = moving[k];
        n_moving += (bits & 1) + (bits >> 1 & 1) + (bits >> 2 & 1) + (bits >> 3);
    }
    return n_moving;
}

/* The ends of a block's edges, all lines of them: [line][lane]. */
typedef struct edge_ends {
    double w[BERTH__POLYGON_RESOURCES + 1][BERTH__LANES], s[BERTH__POLYGON_RESOURCES + 1][BERTH__LANES];
} edge_ends;

/* Edge e ends where one of the lines behind it is below all up to e: at the least over f > e of the greatest over g <=
 * e of the crossing of g and f. `height` holds all lines' heights at w = 0. Returns bits of the edges that have a
 * length. */
TARGET static unsigned long long find_ends(const berth__lines *lines, const lanes *height, const lanes *width,
                                           double *top, int part, edge_ends *ends) {
    lanes crossing[BERTH__POLYGON_RESOURCES + 1];
    lanes w = ALL(0.0), s = height[0];
    unsigned long long used = 0;
    for (int f = 0; f < lines->n; f++) {
        crossing[f] = ALL(0.0);
        s = LEAST(height[f], s);
    }
    lanes dust = s * ALL(1e-15);
    STORE(top, s);
    for (int e = 0; e < lines->n; e++) {
        lanes end = *width;
        for (int f = e + 1; f < lines->n; f++) {
            lanes meets = (height[f] - height[e]) * ALL(lines->per_slope[e][f]);
            crossing[f] = GREATEST(meets, crossing[f]);
            end = LEAST(crossing[f], end);
        }
        lanes below = s;
        for (int f = 0; f < lines->n; f++) {
            lanes line = height[f] - ALL(lines->slope[f]) * end;
            below = LEAST(line, below);
        }
        /* The lowest line meets the axis at the width but for rounding. */
        below = SELECT(below > dust, below, ALL(0.0));
        lane_mask moves = (lane_mask)(end > w) | (lane_mask)(below < s);
        used |= (unsigned long long)(BITS(moves) != 0) << e;
        w = GREATEST(end, w);
        s = below;
        STORE(ends->w[e] + part, w);
        STORE(ends->s[e] + part, s);
    }
    return used;
}

/* Part of a block: prices, top and the ends of edges. k: its groups, count: of each. */
TARGET static unsigned long long build_part(const berth__lines *lines, const berth__lane_groups *groups,
                                            const size_t *k, const double *count, int part, double *block,
                                            edge_ends *ends) {
    size_t from[WIDTH];
    for (int i = 0; i < WIDTH; i++) {
        from[i] = k[part + i] * groups->group_stride;
    }
    lanes counts = LOAD(count + part), height[BERTH__POLYGON_RESOURCES + 1];
    lane_mask any = (lane_mask)(counts > ALL(0.0));
    lanes width = (lanes)((lane_mask)ALL(groups->w_limit) & any);
    for (int i = 0; i < lines->n_widths; i++) {
        const double *capacity = groups->capacity + (size_t)lines->width_resource[i] * groups->resource_stride;
        lanes room = GATHER(capacity, from);
        room = GREATEST(room, ALL(0.0)) * counts * ALL(lines->per_worker[i]);
        width = LEAST(room, width);
    }
    height[0] = (lanes)((lane_mask)ALL(groups->s_limit) & any);
    for (int e = 1; e < lines->n; e++) {
        const double *capacity = groups->capacity + (size_t)lines->resource[e] * groups->resource_stride;
        lanes room = GATHER(capacity, from);
        room = GREATEST(room, ALL(0.0)) * counts * ALL(lines->per_server[e]);
        height[e] = LEAST(room, ALL(1e300)); /* differences stay numbers */
    }
    lanes pw = GATHER(groups->price_worker, k + part), ps = GATHER(groups->price_ps, k + part);
    STORE(block + part, pw);
    STORE(block + BERTH__LANES + part, ps);
    return find_ends(lines, height, &width, block + BERTH__BLOCK_THIRD + part, part, ends);
}

TARGET size_t LANES(build)(const berth__lines *lines, const berth__lane_groups *groups, const int *list, int n,
                           berth__block *blocks, double *data) {
    size_t at = blocks[0].at;
    edge_ends ends;
    for (int first = 0; first < n; first += BERTH__LANES) {
        size_t k[BERTH__LANES];
        double count[BERTH__LANES], *block = data + at;
        for (int i = 0; i < BERTH__LANES; i++) {
            int member = first + i < n ? first + i : first; /* empty lanes: none of the first group */
            k[i] = (size_t)(list != NULL ? list[member] : member);
            count[i] = first + i >= n ? 0.0 : groups->count != NULL ? groups->count[k[i]] : 1.0;
        }
        unsigned long long used = 0;
        for (int part = 0; part < BERTH__LANES; part += WIDTH) {
            used |= build_part(lines, groups, k, count, part, block, &ends);
        }
        double *edge = block + BERTH__BLOCK_HEAD;
        for (int e = 0; e < lines->n; e++) {
            if ((used >> e & 1) == 0) {
                continue; /* no length in any lane */
            }
            for (int part = 0; part < BERTH__LANES; part += WIDTH) {
                STORE(edge + part, ALL(lines->slope[e]));
                STORE(edge + BERTH__LANES + part, LOAD(ends.w[e] + part));
                STORE(edge + BERTH__BLOCK_THIRD + part, LOAD(ends.s[e] + part));
            }
            edge += BERTH__BLOCK_EDGE;
        }
        blocks[first / BERTH__LANES] =
            (berth__block){at, (int)((edge - block - BERTH__BLOCK_HEAD) / BERTH__BLOCK_EDGE)};
        at = (size_t)(edge - data);
    }
    return at;
}

TARGET int LANES(cheap)(const double *first, const double *second, int n, double first_limit, double second_limit,
                        int *list) {
    int found = 0, k = 0;
    lanes limit = ALL(first_limit), other_limit = ALL(second_limit);
    for (; k + WIDTH <= n; k += WIDTH) {
        lane_mask cheap = (lane_mask)(LOAD(first + k) < limit) | (lane_mask)(LOAD(second + k) < other_limit);
        int bits = BITS(cheap);
        for (int i = 0; bits != 0; i++, bits >>= 1) {
            list[found] = k + i;
            found += bits & 1;
        }
    }
    for (; k < n; k++) {
        if (first[k] < first_limit || second[k] < second_limit) {
            list[found++] = k;
        }
    }
    return found;
}

TARGET bool LANES(in_range)(const double *values, size_t n) {
    size_t k = 0;
    lane_mask bad = (lane_mask)ALL(0.0);
    for (; k + WIDTH <= n; k += WIDTH) {
        lanes v = LOAD(values + k);
        bad |= ~((lane_mask)(v >= ALL(0.0)) & (lane_mask)(v < ALL((double)INFINITY)));
    }
    bool all = BITS(bad) == 0;
    for (; k < n; k++) {
        all = all && values[k] >= 0.0 && values[k] < (double)INFINITY;
    }
    return all;
}

/* Rounded down, for 0 <= x < 2^51. */
#define FLOOR(x, out)                                                                                                  \
    do {                                                                                                               \
        lanes near_ = ((x) + ALL(0x1p52)) - ALL(0x1p52);                                                               \
        (out) = near_ - SELECT(near_ > (x), ALL(1.0), ALL(0.0));                                                       \
    } while (0)

/* What berth__fits says of `workers` and berth__ps_needed of them, by the same operations. bound: what each resource
 * can hold. */
TARGET static void fits(const berth__lane_rooms *q, const lanes *bound, const lanes *workers, lane_mask *ok) {
    lanes w = *workers, exact = w / ALL(q->workers_per_ps) * ALL(1.0 - BERTH__FEASIBILITY), s;
    exact = LEAST(exact, ALL((double)INT_MAX));
    FLOOR(exact, s);
    s += SELECT(s < exact, ALL(1.0), ALL(0.0));
    lane_mask good = (lane_mask)(w >= ALL(0.0)), any_w = (lane_mask)(w > ALL(0.0)), any_s = (lane_mask)(s > ALL(0.0));
    for (int r = 0; r < q->n_resources; r++) {
        lanes load = (lanes)((lane_mask)(ALL(q->worker[r]) * w) & any_w);
        load += (lanes)((lane_mask)(ALL(q->ps[r]) * s) & any_s);
        good &= (lane_mask)(load <= bound[r]);
    }
    *ok = good;
}

/* W / gamma <= S <= W / gamma + 1 brackets the answer; fitting is monotone in the number of workers. */
TARGET void LANES(rooms)(const berth__lane_rooms *q, int n, int *room) {
    for (int first = 0; first < n; first += WIDTH) {
        size_t from[WIDTH];
        lanes bound[BERTH__POLYGON_RESOURCES], low = ALL((double)q->limit), high = low;
        for (int i = 0; i < WIDTH; i++) {
            from[i] = (size_t)(first + i < n ? first + i : n - 1) * q->machine_stride;
        }
        for (int r = 0; r < q->n_resources; r++) {
            const double *free = q->free + (size_t)r * q->resource_stride;
            lanes amount = GATHER(free, from);
            amount = GREATEST(amount, ALL(0.0));
            bound[r] = amount * ALL(1.0 + BERTH__FEASIBILITY);
            lanes most = amount * ALL(q->per_unit[r]), least = (amount - ALL(q->ps[r])) * ALL(q->per_unit[r]);
            high = LEAST(most, high);
            low = LEAST(least, low);
        }
        high *= ALL(1.0 + 4.0 * BERTH__FEASIBILITY);
        FLOOR(high, high);
        high += ALL(1.0);
        high = LEAST(high, ALL((double)q->limit));
        low = GREATEST(low, ALL(0.0));
        FLOOR(low, low);
        low = LEAST(low, high);
        lane_mask ok;
        fits(q, bound, &low, &ok);
        low = (lanes)((lane_mask)low & ok);
        lane_mask open = (lane_mask)(low < high);
        while (BITS(open) != 0) {
            lanes middle = (high - low + ALL(1.0)) * ALL(0.5);
            FLOOR(middle, middle);
            middle += low;
            fits(q, bound, &middle, &ok);
            low = SELECT(ok, middle, low);
            high = SELECT(ok, high, middle - ALL(1.0));
            open = (lane_mask)(low < high);
        }
        for (int i = 0; i < WIDTH && first + i < n; i++) {
            room[first + i] = (int)low[i];
        }
    }
}

#ifdef PLAIN

/* 1 / x of numbers whose inverse would overflow: as good as never in the way. */
static double inverse_of(double x) {
    return fmin(1.0 / x, 1e300);
}

void berth__lines_init(berth__lines *lines, int n_resources, const double *worker, const double *ps) {
    lines->n = 1;
    lines->resource[0] = -1;
    lines->slope[0] = lines->per_server[0] = 0.0;
    lines->n_widths = 0;
    for (int r = 0; r < n_resources; r++) {
        if (worker[r] > 0.0) {
            lines->width_resource[lines->n_widths] = r;
            lines->per_worker[lines->n_widths++] = inverse_of(worker[r]);
        }
        bool endless = isinf(worker[r]) || isinf(ps[r]); /* no room for one of the kind */
        double slope = endless ? 0.0 : ps[r] > 0.0 ? worker[r] / ps[r] : (double)INFINITY;
        if (!(ps[r] > 0.0) || !isfinite(slope)) {
            continue; /* servers cost nothing here (or next to nothing): only the width is limited */
        }
        int at = lines->n++;
        for (; at > 1 && lines->slope[at - 1] > slope; at--) {
            lines->slope[at] = lines->slope[at - 1];
            lines->resource[at] = lines->resource[at - 1];
            lines->per_server[at] = lines->per_server[at - 1];
        }
        lines->slope[at] = slope;
        lines->resource[at] = r;
        lines->per_server[at] = inverse_of(ps[r]);
    }
    for (int e = 0; e < lines->n; e++) {
        for (int f = e + 1; f < lines->n; f++) {
            lines->per_slope[e][f] = inverse_of(lines->slope[f] - lines->slope[e]);
        }
    }
}

#endif
