#include "bench/cases/draw.h"

#include <math.h>

typedef struct kind {
    int capacity[3]; /* of the makes */
    int worker_low, worker_high, ps_low, ps_high;
    double worth;
} kind;

static const kind kinds[] = {
    {{4, 8, 8}, 1, 4, 0, 0, 1.0},
    {{48, 64, 96}, 1, 10, 1, 10, 0.05},
    {{192, 256, 512}, 2, 32, 2, 32, 0.01},
    {{100, 200, 400}, 5, 10, 5, 10, 0.02},
};

static const kind *kind_of(int resource) {
    return resource < 4 ? &kinds[resource] : &kinds[1 + (resource - 1) % 3];
}

double bench_draw_capacity(berth__pcg *stream, int resource) {
    return kind_of(resource)->capacity[berth__pcg_integer(stream, 0, 2)];
}

double bench_draw_worker(berth__pcg *stream, int resource) {
    const kind *k = kind_of(resource);
    return (double)berth__pcg_integer(stream, k->worker_low, k->worker_high);
}

double bench_draw_ps(berth__pcg *stream, int resource, int n_resources) {
    const kind *k = kind_of(resource);
    double drawn = (double)berth__pcg_integer(stream, k->ps_low, k->ps_high);
    return n_resources == 1 ? 1 : drawn;
}

double bench_draw_utilisation(berth__pcg *stream, double level) {
    return fmin(1, fmax(0, level + 0.25 * (berth__pcg_uniform(stream) - 0.5)));
}

double bench_unit_worth(int resource) {
    return kind_of(resource)->worth;
}
