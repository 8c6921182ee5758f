/* Deciders as bytes (base/bytes.h). */
#ifndef BERTH_ONLINE_DECIDER_BYTES_H
#define BERTH_ONLINE_DECIDER_BYTES_H

#include "base/bytes.h"
#include "online/decider.h"

/* Options that shape decisions. */
void berth__options_put(berth__writer *to, const berth_options *options);
/* options: the others, which were checked, and stay; texts are the arena's. */
bool berth__options_take(berth__byte_reader *from, berth__arena *arena, berth_options *options);

/* Prices, and what policy bidlp has learned; not what is held. */
void berth__decider_put(berth__writer *to, const berth__decider *decider);
/* Into a decider that was opened, whose slots count from `base`, the present one being `now`. Then live jobs are to be
 * adopted, and what is held is read. */
bool berth__decider_take(berth__byte_reader *from, berth__decider *decider, int base, int now);
/* As berth__ledger_take. */
bool berth__decider_take_held(berth__byte_reader *from, berth__decider *decider, int now);

#endif
