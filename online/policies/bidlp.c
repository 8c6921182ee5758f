/* Policy `bidlp`: see online/bidlp/bidlp.h. */
#include "online/configuration_offers.h"

const berth__policy berth__policy_bidlp = {
    .name = "bidlp",
    .about =
        "bid prices from a rolling LP over sampled futures, a slot's arrivals together, local search under promises",
    .solver = berth__solver_fast,
    .price_floor = 1e-4,
    .search_gap = 1e-4,
    .parallel_machines = 2000,
    .by_touched = true,
    .batches = true,
    .offer = berth__configuration_offer,
    .falls_with = berth__configuration_falls_with,
    .place = berth__configuration_place,
};
