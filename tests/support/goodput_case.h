/* Small random clusters with adaptive jobs, their optima by dynamic programming over what is free on each node, and an
 * obvious check of an allocation: all from the public header alone. */
#ifndef BERTH_TESTS_GOODPUT_CASE_H
#define BERTH_TESTS_GOODPUT_CASE_H

#include <berth_goodput.h>

#include "base/pcg.h"

enum { GOODPUT_NODES = 3, GOODPUT_JOBS = 5, GOODPUT_TYPES = 2, GOODPUT_OPTIONS = 8 };

typedef struct goodput_case {
    berth_goodput_instance instance;
    uint32_t gpus[GOODPUT_NODES];
    size_t type[GOODPUT_NODES];
    berth_goodput_job jobs[GOODPUT_JOBS];
    berth_goodput_profile profiles[GOODPUT_JOBS][GOODPUT_TYPES];
    berth_goodput_option options[GOODPUT_JOBS][GOODPUT_OPTIONS];
    berth_node_gpus current[GOODPUT_JOBS][GOODPUT_NODES];
} goodput_case;

/* 1 to 3 nodes of 0 to 4 GPUs, 1 to 5 jobs, either rules, all sorts of p, jobs that hold GPUs (now and then more than
 * there are), pinned ones, minima and maxima, one or two types, profiles, typed profiles and bare options. Pointers go
 * into `c`. */
void goodput_case_draw(goodput_case *c, berth__pcg *stream);

/* v_j of a job that holds held[n] GPUs of each node; NAN: it may not. With none at all 0. */
double goodput_value(const berth_goodput_instance *instance, berth_batch_mode mode, size_t job, const uint32_t *held);
/* F of values; starved[j] counts. */
double goodput_mean(const berth_goodput_instance *instance, const double *values, const bool *starved);

/* The greatest F, and with starve_last the least number without GPUs first (*starved). NAN: infeasible. At most
 * GOODPUT_NODES nodes of at most 4 GPUs. */
double goodput_case_optimum(const berth_goodput_instance *instance, bool starve_last, size_t *starved);

/* Asserts that the nodes, figures, F and bound (none where time ran out early) of an allocation are what they should
 * be. */
void goodput_expect_sound(const berth_goodput_instance *instance, const berth_allocation *allocation);

#endif
