/* Measured trainings: how long a step takes, how noisy gradients are, where epochs end (the rules of section 5 of
 * berth_goodput.h). */
#ifndef BERTH_FORMULATIONS_GOODPUT_TRAINING_H
#define BERTH_FORMULATIONS_GOODPUT_TRAINING_H

#include <berth_goodput.h>

enum { BERTH__MOST_TRAININGS = 64 };

/* Placements of so many nodes and replicas. */
typedef struct berth__measured_cell {
    uint32_t nodes, replicas;
    size_t first, n; /* in order */
} berth__measured_cell;

/* An application, for looking up. It borrows. */
typedef struct berth__measured {
    const berth_application *application;
    size_t n_cells;
    berth__measured_cell *cells; /* [n_cells] by nodes, then replicas */
    size_t *order;               /* [n_placements] */
    double *target;              /* [epochs + 1] progress where each epoch begins, and where the last ends */
} berth__measured;

typedef struct berth__step_time {
    double step_s, sync_s; /* T, T_sync */
} berth__step_time;

/* Of a checked application. E_MEMORY. */
berth_status berth__measured_init(berth__measured *measured, const berth_application *application, berth_error *error);
void berth__measured_clear(berth__measured *measured);

/* On gpus[0..nodes) in the order of the ring, all >= 1, at speed 1. */
berth__step_time berth__measured_time(const berth__measured *measured, size_t nodes, const uint32_t *gpus,
                                      uint32_t local);
/* On full nodes of `most` GPUs and one with what is left. */
berth__step_time berth__measured_time_packed(const berth__measured *measured, uint32_t most, uint32_t replicas,
                                             uint32_t local);

/* With the gradient `speed` times as fast. */
berth__step_time berth__at_speed(berth__step_time time, double speed);

/* Noise during an epoch < epochs. */
void berth__measured_noise(const berth__measured *measured, double batch, size_t epoch, double *grad_sqr,
                           double *grad_var);
/* Iterations that a training at this batch has made at the end of an epoch. */
double berth__measured_iterations(const berth__measured *measured, double batch, size_t epoch);

/* Steps at m0 that one at `scale` times m0 is worth. */
double berth__gain(double grad_sqr, double grad_var, double scale);

/* m and s that come to `batch` on K replicas, or to what of it fits: s as small as max_local allows, at least 1 on a
 * single replica beyond m0. */
void berth__split_batch(const berth_application *application, double batch, uint32_t replicas, uint32_t *local,
                        uint32_t *accumulation);

/* times[k - 1]: seconds that a whole training takes on at most k = 1 .. n GPUs of full nodes of `most`, in each epoch
 * at the best of the measured batches; INFINITY if none can run. */
void berth__times_alone(const berth__measured *measured, uint32_t most, size_t n, double *times);

#endif
