/* The whole placement problem as one integer programme, slot by slot: the exact optimum of tiny instances.
 * spec: Yu et al. 2022, section III, with a binary for locality in each slot.
 *
 *     max sum_i sum_tc u_i(tc - a_i) x_i,tc
 *     s.t.  sum_tc x_i,tc <= 1                                                               one completion slot
 *           sum_h b_iht + e_it <= sum_{tc >= t} x_i,tc                                       one locality, none after
 * tc w_iht <= room_ih b_iht,  s_iht <= S_i b_iht,  gamma_i s_iht >= w_iht             internal on machine h sum_h W_iht
 * <= F_i e_it, sum_h S_iht <= S_i e_it, gamma_i sum_h S_iht >= sum_h W_iht         external o_iht <= W_iht + S_iht,
 * sum_h o_iht >= 2 e_it          on two machines at least, where external is faster sum_t v_i,int w + v_i,ext W >= V_i
 * sum_tc x_i,tc sum_i alpha_i (w + W) + beta_i (s + S) <= C_h           for all t, h, r; likewise for the jobs of a
 * quota
 *
 * w, s, W, S whole, the others binary; S_i = ceil(F_i / gamma_i). A job completes by tc rather than in it, which comes
 * to the same, as utility never increases. Where internal is the faster, an external placement on one machine only
 * understates its progress. Tolerances are those of the model (base/tolerance.h). */
#ifndef BERTH_FORMULATIONS_TIME_INDEXED_H
#define BERTH_FORMULATIONS_TIME_INDEXED_H

#include "formulations/placement.h"
#include "solver/model.h"

/* Number of the programme's variables, without building it; may exceed what could be built. */
double berth__time_indexed_size(const berth__cluster *cluster, size_t n_jobs, berth__job *const *jobs);

/* A finished model, berth__time_indexed_size() columns. */
berth_status berth__time_indexed_model(const berth__cluster *cluster, size_t n_jobs, berth__job *const *jobs,
                                       berth__model **out, berth_error *error);

#endif
