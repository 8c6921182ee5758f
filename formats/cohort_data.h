/* Data that own what they point to. */
#ifndef BERTH_FORMATS_COHORT_DATA_H
#define BERTH_FORMATS_COHORT_DATA_H

#include <berth_cohort.h>

#include "base/alloc.h"
#include "formats/growing_names.h"

/* Data with the arrays of `view`, which live in `arena`; takes the arena over unless it fails. */
berth_status berth__cohort_data_adopt(const berth_cohort_data *view, berth__arena *arena, berth_cohort_data **out,
                                      berth_error *error);
/* The same with names that are lists of their own, taken over as well. */
berth_status berth__cohort_data_adopt_names(const berth_cohort_data *view, berth__arena *arena,
                                            const berth__growing_names *clients, const berth__growing_names *categories,
                                            berth_cohort_data **out, berth_error *error);

#endif
