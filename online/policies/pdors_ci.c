/* Policy `pdors-ci`: the prices and the admission of pdors, with configuration rounding in place of randomised
 * rounding. */
#include "online/configuration_offers.h"

const berth__policy berth__policy_pdors_ci = {
    .name = "pdors-ci",
    .about = "primal-dual admission at exponential prices, configuration rounding",
    .solver = berth__solver_fast,
    .price_floor = 1e-4,
    .search_gap = 1e-4,
    .parallel_machines = 2000,
    .by_touched = true,
    .offer = berth__configuration_offer,
    .falls_with = berth__configuration_falls_with,
    .place = berth__configuration_place,
};
