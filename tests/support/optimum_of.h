/* What a solver says of a linear programme. */
#ifndef BERTH_TESTS_OPTIMUM_OF_H
#define BERTH_TESTS_OPTIMUM_OF_H

#include "solver/model.h"

/* Finishes and solves the model, by a solver of this build. NAN: no optimum was found. */
double optimum_of(berth__model *model);

#endif
