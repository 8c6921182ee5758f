/* What a job is by the words of the header, worked out anew, slowly and plainly, for tests to compare with. */
#ifndef BERTH_TESTS_JOB_TWIN_H
#define BERTH_TESTS_JOB_TWIN_H

#include <berth.h>

double job_twin_utility(const berth_utility *utility, double delay);
/* Samples of a worker in a slot. */
double job_twin_progress(double slot_seconds, const berth_job *job, bool internal);
/* Least servers for so many workers, by the tolerance of ratios, 1e-9. */
int job_twin_servers(const berth_job *job, int workers);
/* By its allow and avoid lists. */
bool job_twin_allows(const berth_job *job, const char *machine);

#endif
