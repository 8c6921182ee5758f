#include "formulations/polygons.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>

#if BERTH__LANES_AVX2
#define LANES(polygons, name, ...)                                                                                     \
    ((polygons)->wide ? berth__lanes_##name##_avx2(__VA_ARGS__) : berth__lanes_##name##_plain(__VA_ARGS__))
#else
#define LANES(polygons, name, ...) (berth__lanes_##name##_plain(__VA_ARGS__))
#endif

bool berth__polygons_wide(void) {
#if BERTH__LANES_AVX2
    return berth__lanes_have_avx2();
#else
    return false;
#endif
}

void berth__polygons_release(berth__polygons *polygons) {
    berth__free(polygons->blocks);
    berth__free(polygons->moving);
    berth__free(polygons->data);
    for (int i = 0; i < BERTH__LANES; i++) {
        berth__hull_release(&polygons->hulls[i]);
    }
}

/* Room for that many in all. */
static bool reserve(berth__polygons *polygons, size_t n_blocks, size_t n_data) {
    if (n_blocks > polygons->block_room) {
        size_t room = n_blocks + n_blocks / 2 + 16;
        berth__block *blocks = berth__realloc(polygons->blocks, room, sizeof *blocks);
        if (blocks == NULL) {
            return false;
        }
        polygons->blocks = blocks;
        unsigned char *moving = berth__realloc(polygons->moving, room, 1);
        if (moving == NULL) {
            return false;
        }
        polygons->moving = moving;
        polygons->block_room = room;
    }
    if (n_data > polygons->data_room) {
        size_t room = n_data + n_data / 2;
        double *data = berth__realloc(polygons->data, room, sizeof *data);
        if (data == NULL) {
            return false;
        }
        polygons->data = data;
        polygons->data_room = room;
    }
    return true;
}

/* ---- building ---- */

static size_t group_stride(const berth__theta_problem *p) {
    return p->stride == 0 ? (size_t)p->n_resources : 1;
}

static size_t resource_stride(const berth__theta_problem *p) {
    return p->stride == 0 ? 1 : p->stride;
}

static bool build_fractional(berth__polygons *polygons, const berth__theta_problem *p, const int *list, int n,
                             double w_limit, double s_limit) {
    berth__lines lines;
    berth__lines_init(&lines, p->n_resources, p->worker, p->ps);
    int n_blocks = (n + BERTH__LANES - 1) / BERTH__LANES;
    if (!reserve(polygons, (size_t)n_blocks,
                 (size_t)n_blocks * (size_t)(BERTH__BLOCK_HEAD + lines.n * BERTH__BLOCK_EDGE))) {
        return false;
    }
    berth__lane_groups groups = {.count = p->count,
                                 .capacity = p->capacity,
                                 .price_worker = p->price_worker,
                                 .price_ps = p->price_ps,
                                 .group_stride = group_stride(p),
                                 .resource_stride = resource_stride(p),
                                 .w_limit = w_limit,
                                 .s_limit = s_limit};
    polygons->n_blocks = n_blocks;
    if (n > 0) {
        polygons->blocks[0] = (berth__block){0, 0};
        polygons->n_data = LANES(polygons, build, &lines, &groups, list, n, polygons->blocks, polygons->data);
    }
    return true;
}

static void put_hull(const berth__hull *hull, double price_worker, double price_ps, double count, int n_edges,
                     double *lane) {
    lane[0] = price_worker;
    lane[BERTH__LANES] = price_ps;
    lane[BERTH__BLOCK_THIRD] = count * hull->top;
    double w = 0.0, s = hull->top;
    double *edge = lane + BERTH__BLOCK_HEAD;
    for (int e = 0; e < n_edges; e++, edge += BERTH__BLOCK_EDGE) {
        edge[0] = (double)INFINITY;
        if (e < hull->n) {
            edge[0] = (s - hull->ends[e].s) / (hull->ends[e].w - w);
            w = hull->ends[e].w;
            s = hull->ends[e].s;
        }
        edge[BERTH__LANES] = count * w;
        edge[BERTH__BLOCK_THIRD] = count * s;
    }
}

static bool build_hulls(berth__polygons *polygons, const berth__theta_problem *p, const int *list, int n,
                        double w_limit, double s_limit) {
    int w_most = (int)ceil(w_limit), s_most = (int)ceil(s_limit);
    static const berth__hull nothing = {0};
    for (int first = 0; first < n; first += BERTH__LANES) {
        const berth__hull *hulls[BERTH__LANES] = {&nothing, &nothing, &nothing, &nothing};
        int n_edges = 0, members = n - first < BERTH__LANES ? n - first : BERTH__LANES;
        for (int i = 0; i < members; i++) {
            size_t k = (size_t)(list != NULL ? list[first + i] : first + i);
            if (!berth__hull_build(&polygons->hulls[i], p->capacity + k * group_stride(p), resource_stride(p),
                                   p->worker, p->ps, p->n_resources, w_most, s_most)) {
                return false;
            }
            hulls[i] = &polygons->hulls[i];
            n_edges = hulls[i]->n > n_edges ? hulls[i]->n : n_edges;
        }
        size_t size = (size_t)BERTH__BLOCK_HEAD + (size_t)n_edges * (size_t)BERTH__BLOCK_EDGE;
        if (!reserve(polygons, (size_t)polygons->n_blocks + 1, polygons->n_data + size)) {
            return false;
        }
        for (int i = 0; i < BERTH__LANES; i++) {
            int member = i < members ? first + i : first;
            size_t k = (size_t)(list != NULL ? list[member] : member);
            double count = p->count != NULL ? p->count[k] : 1.0;
            put_hull(hulls[i], p->price_worker[k], p->price_ps[k], count, n_edges,
                     polygons->data + polygons->n_data + i);
        }
        polygons->blocks[polygons->n_blocks++] = (berth__block){polygons->n_data, n_edges};
        polygons->n_data += size;
    }
    return true;
}

bool berth__polygons_build(berth__polygons *polygons, const berth__theta_problem *p, const int *list, int n,
                           double w_limit, double s_limit) {
    polygons->n_blocks = 0;
    polygons->n_data = 0;
    return p->kind == BERTH__THETA_HULL ? build_hulls(polygons, p, list, n, w_limit, s_limit)
                                        : build_fractional(polygons, p, list, n, w_limit, s_limit);
}

/* ---- passes ---- */

berth__column berth__polygons_best(const berth__polygons *polygons, const berth__polygon_set *set, double lam,
                                   double mu, double price_scale) {
    berth__column sum = LANES(polygons, best, polygons->blocks + set->first, set->end - set->first, polygons->data, lam,
                              mu, price_scale);
    return (berth__column){set->fixed.w + sum.w, set->fixed.s + sum.s, set->fixed.cost + sum.cost};
}

/* Room for the moving lanes of the blocks first .. end-1, should each new block be as long as the longest. */
static bool reserve_fold(berth__polygons *polygons, const berth__polygon_set *set, int n_moving) {
    int longest = 0;
    for (int b = set->first; b < set->end; b++) {
        longest = polygons->blocks[b].n_edges > longest ? polygons->blocks[b].n_edges : longest;
    }
    size_t n_new = (size_t)(n_moving + BERTH__LANES - 1) / BERTH__LANES;
    return reserve(polygons, (size_t)polygons->n_blocks + n_new,
                   polygons->n_data + n_new * (size_t)(BERTH__BLOCK_HEAD + longest * BERTH__BLOCK_EDGE));
}

typedef struct lane_at {
    const double *values; /* of the block, at the lane */
    int n_edges;
} lane_at;

static void copy_lanes(const lane_at *from, int n, int n_edges, double *block) {
    for (int i = 0; i < BERTH__LANES; i++) {
        const double *source = from[i < n ? i : 0].values;
        double *target = block + i;
        size_t own = i < n ? (size_t)from[i].n_edges : 0;
        size_t n_own = BERTH__BLOCK_HEAD + own * BERTH__BLOCK_EDGE;
        size_t n_all = BERTH__BLOCK_HEAD + (size_t)n_edges * BERTH__BLOCK_EDGE;
        for (size_t at = 0; at < n_own; at += BERTH__LANES) {
            target[at] = source[at];
        }
        if (i >= n) { /* an empty lane */
            target[0] = target[BERTH__LANES] = target[BERTH__BLOCK_THIRD] = 0.0;
        }
        double w = own > 0 ? target[n_own - BERTH__BLOCK_THIRD] : 0.0, s = target[n_own - BERTH__LANES];
        for (size_t at = n_own; at < n_all; at += BERTH__BLOCK_EDGE) {
            target[at] = (double)INFINITY;
            target[at + BERTH__LANES] = w;
            target[at + BERTH__BLOCK_THIRD] = s;
        }
    }
}

static void append_lanes(berth__polygons *polygons, const lane_at *from, int n) {
    int n_edges = 0;
    for (int i = 0; i < n; i++) {
        n_edges = from[i].n_edges > n_edges ? from[i].n_edges : n_edges;
    }
    copy_lanes(from, n, n_edges, polygons->data + polygons->n_data);
    polygons->blocks[polygons->n_blocks++] = (berth__block){polygons->n_data, n_edges};
    polygons->n_data += (size_t)(BERTH__BLOCK_HEAD + n_edges * BERTH__BLOCK_EDGE);
}

bool berth__polygons_fold(berth__polygons *polygons, const berth__polygon_set *set, const berth__dual_box *box,
                          berth__polygon_set *out) {
    berth__column fixed;
    int n = set->end - set->first;
    int n_moving =
        LANES(polygons, fold, polygons->blocks + set->first, n, polygons->data, box, polygons->moving, &fixed);
    if (4 * n_moving > 3 * n * BERTH__LANES || !reserve_fold(polygons, set, n_moving)) {
        return false;
    }
    lane_at pending[BERTH__LANES];
    int n_pending = 0;
    out->first = polygons->n_blocks;
    for (int b = 0; b < n; b++) {
        const berth__block *block = &polygons->blocks[set->first + b];
        int bits = polygons->moving[b];
        for (int i = 0; bits != 0; i++, bits >>= 1) {
            if ((bits & 1) == 0) {
                continue;
            }
            pending[n_pending++] = (lane_at){polygons->data + block->at + i, block->n_edges};
            if (n_pending == BERTH__LANES) {
                append_lanes(polygons, pending, n_pending);
                n_pending = 0;
            }
        }
    }
    if (n_pending > 0) {
        append_lanes(polygons, pending, n_pending);
    }
    out->end = polygons->n_blocks;
    out->fixed = (berth__column){set->fixed.w + fixed.w, set->fixed.s + fixed.s, set->fixed.cost + fixed.cost};
    return true;
}

int berth__polygons_cheap(const berth__polygons *polygons, const double *first, const double *second, int n,
                          double first_limit, double second_limit, int *list) {
    return LANES(polygons, cheap, first, second, n, first_limit, second_limit, list);
}

bool berth__polygons_in_range(const berth__polygons *polygons, const double *values, size_t n) {
    return LANES(polygons, in_range, values, n);
}
