/* Applications whose goodput has been measured. */
#ifndef BERTH_WORKLOAD_GOODPUT_MODELS_H
#define BERTH_WORKLOAD_GOODPUT_MODELS_H

#include <berth_goodput.h>

enum { BERTH__N_GOODPUT_MODELS = 6, BERTH__GOODPUT_PHASES = 3 };

typedef struct berth__goodput_model {
    const char *name;
    berth_goodput_profile profile;          /* at the first phase */
    double noise[BERTH__GOODPUT_PHASES][2]; /* grad_sqr, grad_var: early, in the middle, at the end of training */
} berth__goodput_model;

extern const berth__goodput_model berth__goodput_models[BERTH__N_GOODPUT_MODELS];

#endif
