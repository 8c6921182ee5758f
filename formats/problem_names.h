/* Names for rows that a format needs and a problem does not have. */
#ifndef BERTH_FORMATS_PROBLEM_NAMES_H
#define BERTH_FORMATS_PROBLEM_NAMES_H

#include <berth.h>

#include "base/alloc.h"
#include "formats/names.h"

typedef struct berth__unique_names {
    berth__arena *arena;
    berth__names taken; /* the problem's row names and those made */
} berth__unique_names;

/* False: out of memory. Free in any case. */
bool berth__unique_names_init(berth__unique_names *names, const berth_problem *problem);
void berth__unique_names_free(berth__unique_names *names);
/* name + suffix, with underscores added until no row has it; remembered as taken. At most three per row and one per
 * variable. NULL: out of memory. */
const char *berth__unique_name(berth__unique_names *names, const char *name, const char *suffix);

#endif
