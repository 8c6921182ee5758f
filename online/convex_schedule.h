/* The schedule programme over convex slot costs, for bounds: O(offers) a slot.
 *
 * Replacing a slot's offers by their lower convex hull (with "nothing for nothing") only lowers costs. Over convex
 * costs the least price of n quanta is the sum of the n cheapest increments of all slots: within a slot increments
 * rise, so the cheapest ones always form valid prefixes. The min-plus convolution is a merge of sorted increments. Its
 * slow, obvious twin is the quadratic programme of schedule.h over the same hulls. */
#ifndef BERTH_ONLINE_CONVEX_SCHEDULE_H
#define BERTH_ONLINE_CONVEX_SCHEDULE_H

#include "base/alloc.h"
#include "online/schedule.h"

/* `count` quanta at `price` each. */
typedef struct berth__increment {
    double price;
    int count;
} berth__increment;

/* The lower hull of pruned offers as increments of rising price. out: [n]; returns their number (<= n). O(n). */
int berth__offers_hull(const berth__offer *offers, int n, berth__increment *out);

typedef struct berth__convex_schedule berth__convex_schedule;

/* From the arena. most_offers: most offers of a slot. NULL: out of memory. */
berth__convex_schedule *berth__convex_schedule_new(berth__arena *arena, int needed, int most_offers);
/* The next slot's offers, pruned; returns a lower bound on the price of `needed` quanta so far, INFINITY if there are
 * not so many. */
double berth__convex_schedule_add_slot(berth__convex_schedule *schedule, const berth__offer *offers, int n);

#endif
