#include "bench/cases/theta_instance.h"

#include "base/alloc.h"
#include "base/pcg.h"
#include "bench/cases/draw.h"

#include <math.h>

/* The widest job, and the share of what fits beyond which instances say little about others. */
#define MOST_WORKERS 200.0
#define MOST_SHARE   0.9

typedef struct arrays {
    double *count, *capacity, *price_worker, *price_ps, *worker, *ps;
} arrays;

/* Jobs and machines have streams of their own, so that sizes differ in what they add only. */
static berth__pcg stream_of(theta_kind kind, uint64_t what, uint64_t number) {
    const uint64_t key[] = {(uint64_t)(kind == THETA_WHOLE ? THETA_REALISTIC : kind), what, number};
    return berth__pcg_key(3, key);
}

enum { JOB = 1, MACHINE = 2 };

/* Returns the workers of one parameter server. */
static double draw_job(theta_kind kind, int R, arrays *a) {
    berth__pcg job = stream_of(kind, JOB, 0), *stream = &job;
    double workers_per_ps = (double)berth__pcg_integer(stream, 1, 10);
    for (int r = 0; r < R; r++) {
        a->worker[r] = kind == THETA_DEGENERATE ? (double)berth__pcg_integer(stream, r == 0 ? 1 : 0, 2)
                                                : bench_draw_worker(stream, r);
        a->ps[r] = kind == THETA_DEGENERATE ? (double)berth__pcg_integer(stream, 0, 2) : bench_draw_ps(stream, r, R);
    }
    return workers_per_ps;
}

static void draw_machine(theta_kind kind, int R, size_t h, arrays *a) {
    berth__pcg machine = stream_of(kind, MACHINE, h), *stream = &machine;
    double level = berth__pcg_uniform(stream);
    double tied = (double)berth__pcg_integer(stream, 0, 2) / 3;
    for (int r = 0; r < R; r++) {
        double capacity = bench_draw_capacity(stream, r);
        double used = kind == THETA_TIED ? tied : bench_draw_utilisation(stream, level);
        double price = bench_unit_worth(r) * 0.05 * pow(40, used), left = floor(capacity * (1 - used));
        if (kind == THETA_DEGENERATE) {
            left = (double)berth__pcg_integer(stream, 0, 6);
            price = (double)berth__pcg_integer(stream, 0, 2);
        }
        a->capacity[h * (size_t)R + (size_t)r] = left;
        a->price_worker[h] += price * a->worker[r];
        a->price_ps[h] += price * a->ps[r];
    }
    a->count[h] = 1;
}

/* Most workers that fit with their parameter servers, by bisection; 0 if out of memory. */
static double most_workers(const theta_instance *instance) {
    berth__theta_problem relaxed = instance->problem;
    relaxed.kind = BERTH__THETA_FRACTIONAL;
    double low = 0, high = MOST_WORKERS / MOST_SHARE;
    berth__theta *theta = berth__theta_new();
    for (int i = 0; theta != NULL && i < 40; i++) {
        double W = i == 0 ? high : 0.5 * (low + high), S = W / instance->workers_per_ps, cost;
        bool fits = berth__theta_solve(theta, &relaxed, 1, &W, &S, &cost, NULL, NULL) == BERTH_OK && isfinite(cost);
        low = fits ? W : low;
        high = fits ? high : W;
        if (low >= high) {
            break;
        }
    }
    berth__theta_free(theta);
    return low;
}

theta_instance *theta_instance_new(theta_kind kind, int n_machines, int n_resources, size_t n_values) {
    berth__arena *arena = berth__arena_new();
    if (arena == NULL) {
        return NULL;
    }
    size_t H = (size_t)n_machines, R = (size_t)n_resources;
    theta_instance *instance = BERTH__ARENA_ARRAY(arena, theta_instance, 1);
    arrays a = {.count = BERTH__ARENA_ARRAY(arena, double, H),
                .capacity = BERTH__ARENA_ARRAY(arena, double, H *R),
                .price_worker = BERTH__ARENA_ARRAY(arena, double, H),
                .price_ps = BERTH__ARENA_ARRAY(arena, double, H),
                .worker = BERTH__ARENA_ARRAY(arena, double, R),
                .ps = BERTH__ARENA_ARRAY(arena, double, R)};
    double *W = BERTH__ARENA_ARRAY(arena, double, n_values), *S = BERTH__ARENA_ARRAY(arena, double, n_values);
    if (instance == NULL || a.count == NULL || a.capacity == NULL || a.price_worker == NULL || a.price_ps == NULL ||
        a.worker == NULL || a.ps == NULL || W == NULL || S == NULL) {
        berth__arena_free(arena);
        return NULL;
    }
    *instance = (theta_instance){.problem = {.n_groups = n_machines,
                                             .n_resources = n_resources,
                                             .count = a.count,
                                             .capacity = a.capacity,
                                             .price_worker = a.price_worker,
                                             .price_ps = a.price_ps,
                                             .kind = kind == THETA_WHOLE ? BERTH__THETA_HULL : BERTH__THETA_FRACTIONAL,
                                             .worker = a.worker,
                                             .ps = a.ps},
                                 .workers_per_ps = draw_job(kind, n_resources, &a),
                                 .n = n_values,
                                 .W = W,
                                 .S = S,
                                 .memory = arena};
    for (size_t h = 0; h < H; h++) {
        draw_machine(kind, n_resources, h, &a);
    }
    double top = fmin(MOST_WORKERS, MOST_SHARE * most_workers(instance));
    if (!(top > 0)) {
        berth__arena_free(arena);
        return NULL;
    }
    for (size_t i = 0; i < n_values; i++) {
        W[i] = top * (double)(i + 1) / (double)n_values;
        W[i] = kind == THETA_WHOLE ? ceil(W[i]) : W[i];
        S[i] = W[i] / instance->workers_per_ps;
        S[i] = kind == THETA_WHOLE ? ceil(S[i]) : S[i];
    }
    return instance;
}

void theta_instance_free(theta_instance *instance) {
    if (instance != NULL) {
        berth__arena_free(instance->memory);
    }
}
