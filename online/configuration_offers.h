/* Offers priced by the configuration bound, and placed, on demand, from its multipliers: what berth__policy calls
 * offer, falls_with and place. Nothing is drawn at random, so nothing is tried again. */
#ifndef BERTH_ONLINE_CONFIGURATION_OFFERS_H
#define BERTH_ONLINE_CONFIGURATION_OFFERS_H

#include "online/policy.h"

/* options.solver that means the fast slot solver; compared by address. */
extern const char berth__solver_fast[];

berth_status berth__configuration_offer(const berth__offer_context *context, berth__workspace *workspace, int slot,
                                        berth__slot_offers *out, berth_error *error);
bool berth__configuration_falls_with(const berth__slot_offers *offers, int failed, int other, bool all);
berth_status berth__configuration_place(const berth__offer_context *context, berth__workspace *workspace, int slot,
                                        const berth__slot_offers *offers, int index, berth__arena *arena,
                                        berth_slot_plan *out, berth__placement_stats *stats, bool *placed,
                                        berth_error *error);

#endif
