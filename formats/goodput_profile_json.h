/* Members of a goodput profile in a JSON object.
 *
 * A profile file has them all beside each other; a job of an instance has the seven of time in an object of their own
 * and the others beside it. So the two groups are read and written apart. */
#ifndef BERTH_FORMATS_GOODPUT_PROFILE_JSON_H
#define BERTH_FORMATS_GOODPUT_PROFILE_JSON_H

#include <berth_goodput.h>

#include "formats/json_read.h"
#include "formats/json_write.h"

/* For tables of known fields. */
#define BERTH__GOODPUT_TIME_FIELDS  "alpha_c", "beta_c", "alpha_n", "beta_n", "alpha_r", "beta_r", "gamma"
#define BERTH__GOODPUT_BATCH_FIELDS "m0", "max_batch", "min_local", "max_local", "accumulation", "grad_sqr", "grad_var"

/* All are required but accumulation, which is true if absent. The profile must be initialised. False: recorded in the
 * reader. */
bool berth__read_goodput_times(berth__reader *reader, const berth__node *object, berth_goodput_profile *profile);
bool berth__read_goodput_batches(berth__reader *reader, const berth__node *object, berth_goodput_profile *profile);
/* Are the values of a profile that has been read from these two objects (or one, twice) good? E_INPUT at the member. */
bool berth__check_goodput_profile(berth__reader *reader, const berth__node *times, const berth__node *batches,
                                  const berth_goodput_profile *profile);

void berth__write_goodput_times(berth__json_writer *writer, const berth_goodput_profile *profile);
void berth__write_goodput_batches(berth__json_writer *writer, const berth_goodput_profile *profile);

#endif
