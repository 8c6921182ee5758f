/* Runs of an instance in which true speed and work are given, not drawn: for cases worked out by hand, and to look at
 * the ledger afterwards. */
#ifndef BERTH_TESTS_TRUE_RUN_H
#define BERTH_TESTS_TRUE_RUN_H

#include <berth_io.h>

#include "online/decider.h"

typedef struct true_run {
    berth__decider *decider;
    berth_run *run;
    void *jobs, *backends; /* private */
} true_run;

/* truth: [n_jobs], borrowed; jobs in the order of arrival. options->backends is set. Prices are next to nothing. */
true_run true_run_new(const berth_instance *instance, berth_options *options, const berth_truth *truth);
void true_run_free(true_run *run, const berth_instance *instance);

/* What the scheduler's ledger holds is what the jobs of the record hold, in every slot, on every machine. */
void true_run_expect_ledger(const true_run *run, const berth_instance *instance);

#endif
