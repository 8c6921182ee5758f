/* A pick under way: the bound, the candidates, the best cohort so far. Steps in the order of pick.c. */
#ifndef BERTH_FORMULATIONS_COHORT_RUN_H
#define BERTH_FORMULATIONS_COHORT_RUN_H

#include "base/budget.h"
#include "formulations/cohort/problem.h"
#include "formulations/cohort/worth.h"

/* Up to so many, all are looked at again and again. */
enum { BERTH__COHORT_FEW_CLIENTS = 20000 };

typedef struct berth__cohort_run {
    const berth__cohort_view *view;
    berth_cohort_objective objective;
    const berth_cohort_options *options;
    size_t budget;     /* most participants, <= view->n_clients */
    double deadline_s; /* of the request */
    double patience;   /* factor on the effort */
    const berth__budget *limit;
    berth__cohort_space space;
    /* prices, learned */
    double *share; /* [n_categories] */
    /* the certificate */
    double *price;         /* [n_categories] */
    double refuted_s;      /* `price` refutes `budget` participants within it; < 0: no certificate */
    double bound_s;        /* the next duration; duration objective */
    size_t least;          /* `price` refutes fewer within deadline_s; participants objective; 0: none */
    double search_bound_s; /* by complete search; NAN: none */
    size_t search_least;   /* 0: none */
    /* clients worth choosing from */
    berth__cohort_view pool; /* ids: positions in view */
    /* the best cohort */
    uint32_t *chosen; /* [view->n_clients] positions in view */
    size_t n_chosen;  /* 0: none */
    double duration_s;
    bool out_of_memory;
} berth__cohort_run;

/* False: out of memory. Close in any case. */
bool berth__cohort_run_open(berth__cohort_run *run, const berth__cohort_problem *problem,
                            const berth_cohort_options *options, const berth__budget *limit);
void berth__cohort_run_close(berth__cohort_run *run);
bool berth__cohort_run_stopped(const berth__cohort_run *run);

/* bound.c: prices, the certificate, the pool. E_BACKEND and others from an LP backend. */
berth_status berth__cohort_bound_duration(berth__cohort_run *run, berth_error *error);
berth_status berth__cohort_bound_participants(berth__cohort_run *run, berth_error *error);
/* Steps of these: all clients become the pool; the shares' prices are certified over all clients, from a deadline that
 * they may refute; the least number of participants that they do not refute by the request's deadline. */
berth_status berth__cohort_pool_all(berth__cohort_run *run, berth_error *error);
void berth__cohort_certify_shares(berth__cohort_run *run, double from_s);
void berth__cohort_certify_participants(berth__cohort_run *run);
/* Makes 1 of the categories `in_cut` (of the view) the certificate, at a deadline that it refutes. */
void berth__cohort_certify_cut(berth__cohort_run *run, const bool *in_cut, double refuted_s);

/* primal.c: cohorts, better and better. */
void berth__cohort_find_fast(berth__cohort_run *run);
void berth__cohort_find_small(berth__cohort_run *run);
void berth__cohort_improve(berth__cohort_run *run);
/* Does the best cohort reach the certificate's bound? */
bool berth__cohort_is_best(const berth__cohort_run *run);
/* Tries the n clients `chosen` of `of`, whose ids are positions in run->view (NULL: chosen are such). Kept if they meet
 * the needs within the deadline and better the best. True: they meet the needs. */
bool berth__cohort_offer(berth__cohort_run *run, const berth__cohort_view *of, const uint32_t *chosen, size_t n);

/* rounded.c: the same by a relaxation that an LP backend solves; whether that is soon done. */
bool berth__cohort_is_relaxed_soon(const berth__cohort_run *run);
berth_status berth__cohort_round(berth__cohort_run *run, berth_error *error);

/* complete.c: to the end, where there are few clients. */
void berth__cohort_complete(berth__cohort_run *run);

#endif
