/* Finish-time fairness of a run. After Mahajan et al., "Themis: Fair and Efficient GPU Cluster Scheduling", NSDI 2020.
 *
 *     rho_i = T_i / A_i,   T_i = slots from arrival to completion, both counted,
 *                          A_i = max(1, ceil(V / rate)): those that the job would need alone on 1/n_i of the cluster
 *
 * n_i: the mean, over the slots of T_i, of how many admitted jobs are there (arrived and neither complete nor, where
 * left unfinished, past the horizon), the job itself among them. At or below 1, the job did no worse than with a fixed
 * share of its own.
 *
 * 1/n of the cluster is that part of what the machines on which the job may run have together of each resource, without
 * regard to how it lies on machines. On it run w workers with w / gamma servers, w not rounded, at most max_workers;
 * all on one machine, or as many as the widest machine takes there and none elsewhere, or across machines:
 *
 *     rate = max(min(w, widest) v_int, w v_ext)
 *
 * Under noise, V and v are the true ones. Not here: quotas, and time lost to restarts, which a share of its own would
 * know too; Themis's auctions. */
#ifndef BERTH_REPORT_FAIRNESS_H
#define BERTH_REPORT_FAIRNESS_H

#include <berth_io.h>

/* What rho is, for those who read it in a table: two sentences. */
extern const char berth__rho_text[];

/* rho: [n_jobs], NAN of jobs that did not complete. O(jobs (machines resources) + horizon). */
berth_status berth__finish_time_fairness(const berth_instance *instance, const berth_run *run, double *rho,
                                         berth_error *error);

#endif
