/* One slot's cluster partitioned among jobs: the integer programme of policy `dorm`.
 * spec: Sun, Wen, Duong and Yan, "Towards Distributed Machine Learning in Shared Clusters: A Dynamically-Partitioned
 * Approach", SMARTCOMP 2017 (arXiv 1704.06738): utilisation at its best while the fairness loss and the number of
 * adjusted jobs are bounded.
 *
 *     max  sum_r (1/m) sum_i alpha_i^r W_i + beta_i^r S_i                                                          (1)
 *     s.t. W_i = sum_h w_ih,  S_i = sum_h s_ih                                                                     (2)
 *          sum_i alpha_i^r w_ih + beta_i^r s_ih <= C_h^r                       for all h, r                        (3)
 *          sum_{i of q} alpha_i^r W_i + beta_i^r S_i <= Q_q^r                  for all quotas q, r                 (4)
 *          W_i / gamma_i <= S_i < W_i / gamma_i + 1                            as many servers as needed, no more  (5)
 *          l_i >= alpha_i^r W_i + beta_i^r S_i - f_i                           for all r                           (6)
 *          l_i >= f_i - alpha_i^r W_i - beta_i^r S_i - f_i (1 - z_i^r),  sum_r z_i^r = 1                           (7)
 *          sum_i l_i <= L                                                                                          (8)
 *          w_ih = p_ih and s_ih = q_ih unless a_i = 1                          for i in B, all h                   (9)
 *          W_i <= N_i if a_i = 1;  W_i <= N_i for i not in B                                                      (10)
 *          sum_{i in B} a_i <= A                                                                                  (11)
 *          w, s, W, S whole, a, z binary, l >= 0
 *
 * symbol        field
 * alpha, beta   job->worker, job->ps (shares of the cluster's total, so that C and Q are shares and (1) is a mean of
 *               utilisations), m: resources that the cluster has
 * N_i           most_workers
 * f_i           fair_share
 * B; p, q       jobs with `w`; their placement in the slot before: w, s
 * L, A          most_loss, most_adjusted
 *
 * l_i is how far the dominant share, max_r alpha W + beta S, is from the fair one. It has to reach f_i - l_i in one
 * resource only: z chooses which, among those in which the job's share can be dominant, mostly one, and then without z.
 * The other aim, BERTH__PARTITION_FAIREST, is  min sum_i l_i  without (8).
 *
 * Strictness in (5) is a margin of 9/10 of the least distance that a number of workers in question has to the next
 * server, at least 1e-6: a number nearer than that cannot be had. Progress is not in the programme, nor locality. */
#ifndef BERTH_FORMULATIONS_PARTITION_H
#define BERTH_FORMULATIONS_PARTITION_H

#include "formulations/placement.h"
#include "solver/model.h"

typedef struct berth__partition_job {
    const berth__job *job;
    int most_workers;  /* that it can use; a job in its old placement may have more */
    double fair_share; /* dominant */
    const int *w, *s;  /* [n_machines] its placement in the slot before; NULL: it had none */
    bool stays;        /* there, by order: a_i = 0 */
} berth__partition_job;

typedef struct berth__partition {
    const berth__cluster *cluster;
    size_t n_jobs;
    const berth__partition_job *jobs;
    double most_loss;
    int most_adjusted;
} berth__partition;

/* What an allocation comes to. */
typedef struct berth__partition_figures {
    double utilisation; /* (1) */
    double loss;        /* sum of |dominant share - fair share| */
    int adjusted;       /* jobs that are not where they were */
} berth__partition_figures;

/* w, s: [n_jobs][n_machines]. */
void berth__partition_measure(const berth__partition *partition, const int *w, const int *s,
                              berth__partition_figures *out);

typedef enum berth__partition_aim {
    BERTH__PARTITION_FULLEST, /* (1) */
    BERTH__PARTITION_FAIREST  /* min sum_i l_i, without (8) */
} berth__partition_aim;

typedef struct berth__partition_programme berth__partition_programme;

/* Borrows the partition until it is freed. */
berth_status berth__partition_programme_new(const berth__partition *partition, berth__partition_aim aim,
                                            berth__partition_programme **out, berth_error *error);
void berth__partition_programme_free(berth__partition_programme *programme);
/* Finished, and the programme's. */
berth__model *berth__partition_model(berth__partition_programme *programme);
/* Number of columns, without building it: more than a few thousand are not solved in reasonable time. */
double berth__partition_size(const berth__partition *partition);
/* An allocation as a point of the model, x: [n_cols], and back, by nearest integers. */
void berth__partition_point(const berth__partition_programme *programme, const int *w, const int *s, double *x);
void berth__partition_allocation(const berth__partition_programme *programme, const double *x, int *w, int *s);

#endif
