/* Collecting what a check finds. */
#ifndef BERTH_AUDIT_REPORT_H
#define BERTH_AUDIT_REPORT_H

#include "base/error.h"

#include <berth_io.h>

/* Rule, name in the report. The order is that of rule_names. */
#define BERTH__AUDIT_RULE_TABLE(X)                                                                                     \
    X(IDENTITY, "identity")       /* the result is of this instance (note); what a run of trainings says of itself */  \
    X(PLACEMENT, "placement")     /* counts, machine indices, duplicates, empty placements, order of slots */          \
    X(HORIZON, "horizon")         /* slots within the horizon */                                                       \
    X(ARRIVAL, "arrival")         /* no slot before arrival */                                                         \
    X(ELIGIBILITY, "eligibility") /* allow / avoid */                                                                  \
    X(MAX_WORKERS, "max-workers")                                                                                      \
    X(PS_RATIO, "ps-ratio")           /* gamma S >= W; all-reduce: S = 0 */                                            \
    X(LOCALITY, "locality")           /* as claimed */                                                                 \
    X(PROGRESS, "progress")           /* samples of a slot; enough of them for a completed job */                      \
    X(COMPLETION, "completion")       /* completion slot, delay */                                                     \
    X(PROMISED_SLOT, "promised-slot") /* completion no later than promised */                                          \
    X(ESTIMATION, "estimation")       /* factors on speed and work; early and late jobs */                             \
    X(OUTCOME, "outcome")                                                                                              \
    X(JOB_UTILITY, "job-utility")                                                                                      \
    X(CAPACITY, "capacity")                                                                                            \
    X(QUOTA, "quota")                                                                                                  \
    X(UTILITY, "utility") /* the run's total */                                                                        \
    X(SUMMARY, "summary")                                                                                              \
    X(FINITE, "finite") /* no infinity or NAN where a number is due */                                                 \
    X(PRICE_BOUNDS, "price-bounds")                                                                                    \
    X(PRICE_ORACLE, "price-oracle")                                                                                    \
    X(PRICE_PAID, "price-paid")                                                                                        \
    X(PAYOFF, "payoff")                                                                                                \
    X(CERTIFICATE, "certificate-classes")                                                                              \
    X(DUAL, "dual")                                                                                                    \
    X(ARRIVAL_DUAL, "arrival-dual")                                                                                    \
    X(BOUNDS, "bounds")                                                                                                \
    X(ROUNDING, "rounding") /* counts and gaps that fit together */                                                    \
    X(CLOSED_FORM, "closed-form")                                                                                      \
    /* of solutions of general problems; they share identity, outcome and finite */                                    \
    X(VARIABLE_BOUNDS, "variable-bounds")                                                                              \
    X(INTEGRALITY, "integrality")                                                                                      \
    X(ROW, "row")                                                                                                      \
    X(COST, "cost")                                                                                                    \
    X(FORM, "packing-covering")   /* whether it is of that form, and why not */                                        \
    X(ROW_FACTORS, "row-factors") /* cover_min, pack_max */                                                            \
    X(MULTIPLIERS, "multipliers") /* signs, and bounds of rows that are there */                                       \
    X(BOUND, "bound")             /* follows from the multipliers */                                                   \
    X(NODE_BOUND, "node-bound")                                                                                        \
    X(RATIO, "ratio")                                                                                                  \
    X(RAY, "ray") /* proves that there is no point */                                                                  \
    X(RELAXATION, "relaxation")                                                                                        \
    X(PROMISE, "promise")                                                                                              \
    /* of cohorts; they share identity, eligibility, outcome, finite, bound and ratio */                               \
    X(REQUEST, "request") /* resolved to counts as claimed */                                                          \
    X(CLIENT, "client")   /* indices, no client twice, nobody idle */                                                  \
    X(HOLDING, "holding") /* no more samples than the client holds */                                                  \
    X(CLIENT_CAP, "client-cap")                                                                                        \
    X(COVER, "cover") /* as many samples as requested */                                                               \
    X(BUDGET, "budget")                                                                                                \
    X(DURATION, "duration")                                                                                            \
    X(DEADLINE, "deadline")                                                                                            \
    X(PRICES, "prices") /* whole, and small enough for exact sums */                                                   \
    X(MISSING, "missing")                                                                                              \
    /* of allocations; they share identity, placement, capacity, outcome, finite, bound, ratio and prices */           \
    X(SHARING, "sharing") /* at most one job of several nodes a node */                                                \
    X(PINNED, "pinned")                                                                                                \
    X(KEPT, "kept")                                                                                                    \
    X(REPLICAS, "replicas")           /* at least and at most so many */                                               \
    X(CONFIGURATION, "configuration") /* among those of the rules */                                                   \
    X(BATCH, "batch")                 /* m and s in bounds, and the best of the mode */                                \
    X(GOODPUT, "goodput")                                                                                              \
    X(SPEEDUP, "speedup")                                                                                              \
    X(FITNESS, "fitness")                                                                                              \
    X(STARVED, "starved") /* how many, and no fewer are possible */                                                    \
    X(SEARCH_BOUND, "search-bound")                                                                                    \
    /* of simulated trainings; they share placement, arrival, progress, completion, capacity, summary, replicas,       \
     * batch, sharing */                                                                                               \
    X(ROUND, "round") /* GPUs change at the end of rounds only */                                                      \
    X(RESTARTS, "restarts")                                                                                            \
    X(ATTAINED, "attained")                                                                                            \
    X(FAIRNESS, "fairness")

typedef enum berth__audit_rule {
#define BERTH__AUDIT_RULE_ENUM(name, text) BERTH__RULE_##name,
    BERTH__AUDIT_RULE_TABLE(BERTH__AUDIT_RULE_ENUM)
#undef BERTH__AUDIT_RULE_ENUM
        BERTH__RULES
} berth__audit_rule;

/* Where a rule was looked at. Parts that do not apply: NULL, slot -1. */
typedef struct berth__audit_place {
    const char *job;
    int slot;
    const char *machine;
    const char *resource;
} berth__audit_place;

#define BERTH__NOWHERE ((berth__audit_place){NULL, -1, NULL, NULL})

typedef struct berth__audit_report berth__audit_report;

berth__audit_report *berth__audit_report_new(void);
/* Counts one evaluation of a rule. */
void berth__audit_count(berth__audit_report *report, berth__audit_rule rule);
/* Of a rule's violations the first 1000 are listed, all are counted. slack: NAN if not a number matter. */
void berth__audit_violation(berth__audit_report *report, berth__audit_rule rule, const berth__audit_place *place,
                            double slack, const char *format, ...) BERTH__PRINTF(5, 6);
void berth__audit_note(berth__audit_report *report, berth__audit_rule rule, const berth__audit_place *place,
                       const char *format, ...) BERTH__PRINTF(4, 5);
/* The same with the place in words, "" for none. */
void berth__audit_violation_at(berth__audit_report *report, berth__audit_rule rule, const char *where, double slack,
                               const char *format, ...) BERTH__PRINTF(5, 6);
void berth__audit_note_at(berth__audit_report *report, berth__audit_rule rule, const char *where, const char *format,
                          ...) BERTH__PRINTF(4, 5);
size_t berth__audit_violations(const berth__audit_report *report, berth__audit_rule rule);
/* The ratio of the report is `ratio`, NAN where it has no meaning. */
void berth__audit_set_figures(berth__audit_report *report, double utility, double dual, double ratio);

/* The finished report, which owns everything; NULL if memory ran out on the way (then `report` is freed). */
berth_report *berth__audit_report_finish(berth__audit_report *report);
void berth__audit_report_free(berth__audit_report *report);

#endif
