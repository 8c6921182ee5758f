/* Ledgers as bytes (base/bytes.h). What is held, and the order of machines in a slot, are sums and orders that
 * depend on all that was booked and released: they are kept as they are, and so are prices. */
#ifndef BERTH_ONLINE_LEDGER_BYTES_H
#define BERTH_ONLINE_LEDGER_BYTES_H

#include "base/bytes.h"
#include "online/ledger.h"

/* But for bids. */
void berth__ledger_put(berth__writer *to, const berth__ledger *ledger);
/* Into a ledger of the same cluster and prices (bids are set) in which all that is held from slot `now` on is booked:
 * by its machines, their holders and, but for rounding, their amounts it has to be what is read. On failure the ledger
 * is only to be freed. */
bool berth__ledger_take(berth__byte_reader *from, berth__ledger *ledger, int now);

#endif
