/* Prices by (slot, class, resource) at which jobs would buy about what there is: the dual of the schedule LP over
 * classes (schedule_lp.h), near its best, in milliseconds.
 *
 *     min over p >= 0 of  B(p) = sum_i n_i max(0, payoff_i(p)) + sum C p
 *
 * over items i, each n_i jobs of a kind that arrive in a slot, at the free capacities C. Purchases are those of
 * class_demand.h, so that B is close to, but does not prove, a bound.
 *
 * Method: the volume algorithm (Barahona and Anbil, Mathematical Programming 87, 2000): subgradient steps from the best
 * prices so far, along the excess of an average of purchases. Cost of a pass: that of class_demand.h for each item. */
#ifndef BERTH_ONLINE_CLASS_PRICES_H
#define BERTH_ONLINE_CLASS_PRICES_H

#include "online/class_demand.h"

enum { BERTH__FEWEST_PASSES = 8 };

typedef struct berth__demand_item {
    const berth__job_profile *profile;
    int arrival;
    double weight; /* jobs of the kind */
} berth__demand_item;

typedef struct berth__class_prices_problem {
    const berth__class_view *view; /* its prices are not read */
    int first;                     /* slot; those before are over */
    const double *capacity;        /* [horizon][n_classes][n_resources] free shares */
    size_t n_items;
    const berth__demand_item *items;
    int passes;
    double work; /* no pass begins once so much was done, as berth__demand_scratch counts, unless it is one of the first
                    BERTH__FEWEST_PASSES */
    double gap;  /* good enough once the average of purchases, scaled to fit, is within this of B */
    const berth__budget *budget;
    berth__arena *scratch; /* goes back to where it was */
} berth__class_prices_problem;

typedef struct berth__class_prices_result {
    double value; /* B at the prices */
    double fit;   /* utility of the average of purchases, scaled to fit */
    int passes;
} berth__class_prices_result;

/* prices: [horizon][n_classes][n_resources] per share, >= 0: in, where to start; out, the best seen. E_CANCELLED if the
 * budget was spent. */
berth_status berth__class_prices_find(const berth__class_prices_problem *problem, double *prices,
                                      berth__class_prices_result *out, berth_error *error);
/* Prices for all jobs of an instance at full capacities: those of the whole schedule LP, for its bound. In and out as
 * above. */
berth_status berth__class_prices_of_jobs(const berth__cluster *cluster, size_t n_jobs, berth__job *const *jobs,
                                         int n_classes, const int *class_of, int passes, double work,
                                         const berth__budget *budget, double *prices, berth_error *error);

#endif
