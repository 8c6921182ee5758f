/* The checker: recomputes from the instance and the result alone everything that a result claims.
 *
 * spec: Yu et al. 2022, section III (model) and IV (prices, dual). It shares no code with what it checks: jobs,
 * localities, globs, prices, slot costs and the schedule programme are written again here, on base/ and the public
 * headers, in the units of the file (no shares of the cluster's totals).
 *
 * Files: check.c (order of the steps), model.c (jobs), schedule.c (rules of one job), ledger.c (slot by slot: capacity,
 * quotas, prices paid), figures.c (totals, summary), prices.c (price bounds, payoffs), dual.c (B(p)) on region.c (its
 * slot costs), bounds.c (the bounds as claimed), promises.c (roundings, closed-form ratio), estimation.c (true speed
 * and work that differ from the declared), report.c.
 *
 * Not judged, as nothing in the two files says what they should be: seed, versions and texts; options, but for what
 * follows from them (delta and scale in the closed-form ratio, trials and repair in the counts of rounding,
 * restart_delay_s in progress); counts and gaps of rounding beyond their consistency; a price floor that the instance
 * does not give, but for what was raised to it; with a scale that is not a number the
 * closed-form ratio beyond the side of 1 on which the scale must be; the payoff of a rejected job as long as it is no
 * gain; with noise, a promised slot after the end of a job that is done early. Certificate prices may be any that
 * confirm the bounds; a claimed bound may be weaker than what they confirm. */
#ifndef BERTH_AUDIT_RUN_AUDIT_H
#define BERTH_AUDIT_RUN_AUDIT_H

#include "audit/report.h"

/* A job as the model sees it.
 *   V work, F max_workers, gamma workers_per_ps (INFINITY for all-reduce), v_loc slot_samples[loc] */
typedef struct berth__audit_job {
    const berth_job *spec;
    double work;            /* samples */
    double max_workers;     /* in a slot */
    double workers_per_ps;  /* INFINITY: no parameter server is needed */
    double slot_samples[2]; /* samples of one worker in one slot, by berth_locality */
    berth_truth truth;      /* over the declared speed and work, which the rest is */
} berth__audit_job;

/* What a job's placements amount to, whatever the result says about them. */
typedef struct berth__audit_facts {
    double samples;
    int last_slot;     /* last slot with a worker; -1: none */
    bool finished;     /* samples >= true work */
    int declared_slot; /* in which the declared work is done at the declared speed; -1: in none */
    double utility;
    double price_paid; /* from the replayed prices */
} berth__audit_facts;

/* What became of re-evaluating the dual bound. */
typedef enum berth__audit_dual_state {
    BERTH__DUAL_ABSENT, /* no certificate */
    BERTH__DUAL_VOID,   /* the result itself says that bounds do not apply */
    BERTH__DUAL_FAULTY, /* the certificate */
    BERTH__DUAL_CANCELLED,
    BERTH__DUAL_CONFIRMED
} berth__audit_dual_state;

typedef struct berth__audit {
    const berth_instance *instance;
    const berth_run *run;
    const berth_hooks *hooks;
    const char *policy;
    berth__audit_report *report;
    berth__audit_job *jobs;    /* [n_jobs] */
    berth__audit_facts *facts; /* [n_jobs] */
    bool external;             /* the policy promises nothing and may leave figures out */
    bool primal_dual;          /* pdors and its variants, oasis */
    bool promises;             /* these and bidlp: what is admitted completes, and no later than said */
    bool noisy;                /* true speed and work differ from the declared */
    bool priced;               /* the result's price bounds are usable */
    double utility;            /* recomputed total */
    int makespan;
    double final_value; /* of all capacity at the prices after the last decision; set if priced */
    berth__audit_dual_state dual_state;
    double dual;  /* the re-evaluated bound; NAN unless confirmed */
    double *used; /* [n_resources] resource-slots used over the run */
} berth__audit;

/* ---- model.c ---- */

void berth__audit_derive_job(const berth_instance *instance, size_t job, berth__audit_job *out);
/* u(d). */
double berth__audit_utility(const berth_utility *utility, double delay_slots);
/* ln u(d), also where the sigmoid underflows; -INFINITY where u is 0. */
double berth__audit_log_utility(const berth_utility *utility, double delay_slots);
/* dmin: delay of the earliest completion, at full width and the faster speed, in slots. */
double berth__audit_least_delay(const berth__audit_job *job);
/* False for a job that no schedule can complete for something: too late, fits nowhere, or worth nothing by then. */
bool berth__audit_can_gain(const berth_instance *instance, const berth__audit_job *job);
bool berth__audit_eligible(const berth_job *job, const char *machine);
/* Parameter servers that W workers need, as a double. */
double berth__audit_servers(const berth__audit_job *job, double workers);
/* Demand of a parameter server; 0 for all-reduce. */
double berth__audit_ps_demand(const berth_job *job, size_t resource);
/* Units of one resource that w workers and s servers hold. */
double berth__audit_load(const berth_job *job, size_t resource, double w, double s);
/* load <= limit within the feasibility tolerance. */
bool berth__audit_within(double load, double limit);
/* Figures agree: relative 1e-6, of `scale` at least. False if either is NAN. */
bool berth__audit_agree(double claimed, double recomputed, double scale);
/* Compares a figure of the run as a whole; due NAN: it should be absent. */
void berth__audit_figure(berth__audit *audit, berth__audit_rule rule, const char *name, double claimed, double due);
/* "" or "s", for messages. */
const char *berth__audit_plural(double count);

/* ---- the steps; false: out of memory ---- */

void berth__audit_truth(berth__audit *audit); /* sets audit->noisy and the jobs' truth */
bool berth__audit_schedules(berth__audit *audit);
bool berth__audit_ledger(berth__audit *audit);
bool berth__audit_figures(berth__audit *audit);
void berth__audit_price_bounds(berth__audit *audit); /* sets audit->priced */
void berth__audit_payoffs(berth__audit *audit);
bool berth__audit_dual(berth__audit *audit); /* sets audit->dual and its state */
void berth__audit_bounds(berth__audit *audit);
void berth__audit_promises(berth__audit *audit);
void berth__audit_estimation(berth__audit *audit);

#endif
