/* Allocators that others use, on the same problem, for comparison with berth's own (allocate.h).
 *
 * All begin with run->best, which holds the pinned jobs, and offer what they find; its F and bound are computed like
 * those of any other. Where their own rules know no GPU types, types are tried by how many GPUs are free; where they
 * know no limits on nodes, ours hold: what does not fit is tried smaller or left out. */
#ifndef BERTH_FORMULATIONS_GOODPUT_BASELINES_H
#define BERTH_FORMULATIONS_GOODPUT_BASELINES_H

#include "formulations/goodput/allocate.h"

/* Pollux's evolutionary search (Qiao et al., OSDI 2021, section 4.2, and its artifact): NSGA-II, see genetic.c. Time
 * and memory: O(jobs x nodes) for each member of the population; E_UNSUPPORTED above 2^27 numbers. */
berth_status berth__allocate_genetic(berth__allocate_run *run, berth_error *error);
/* Optimus (Peng et al., EuroSys 2018): one GPU each, then one more where that saves most of the remaining time. */
berth_status berth__allocate_optimus(berth__allocate_run *run, berth_error *error);
/* Tiresias (Gu et al., NSDI 2019): jobs below 16 GPU hours of attained service first, then first come first served. */
berth_status berth__allocate_tiresias(berth__allocate_run *run, berth_error *error);
/* Gavel (Narayanan et al., OSDI 2020): the largest sum of normalised throughputs over shares of time, by LP. */
berth_status berth__allocate_gavel(berth__allocate_run *run, berth_error *error);
/* Sia (Jayaram Subramanya et al., SOSP 2023): options by an integer programme, then largest first. */
berth_status berth__allocate_sia(berth__allocate_run *run, berth_error *error);

/* GPUs that a job asks for. */
uint32_t berth__baseline_request(const berth__allocate_problem *problem, size_t job);
/* Goodput on k GPUs of one type on as few nodes as hold them, the best type; 0: the job cannot run so. */
double berth__baseline_goodput(const berth__allocate_problem *problem, size_t job, uint32_t gpus);
/* Gives a job that holds nothing what it has now. */
bool berth__baseline_keep(berth__placement *placement, size_t job);
/* Gives a job that holds nothing k GPUs, freest node first. False: nothing was done. */
bool berth__baseline_place(berth__placement *placement, size_t job, uint32_t gpus);
bool berth__baseline_place_on(berth__placement *placement, size_t job, size_t type, uint32_t gpus);
/* A copy of run->best. E_MEMORY; close in any case. */
berth_status berth__baseline_open(const berth__allocate_run *run, berth__placement *placement, berth_error *error);

#endif
