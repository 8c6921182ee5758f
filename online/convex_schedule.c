#include "online/convex_schedule.h"

#include <math.h>

int berth__offers_hull(const berth__offer *offers, int n, berth__increment *out) {
    int top = 0; /* increments so far; the hull's last point is the sum of their counts and prices */
    int at_quanta = 0;
    double at_cost = 0;
    for (int i = 0; i < n; i++) {
        int count = offers[i].quanta - at_quanta;
        double rise = offers[i].cost - at_cost;
        /* An increment dearer than what follows it lies above the hull: join them. */
        while (top > 0 && out[top - 1].price * count >= rise) {
            top--;
            count += out[top].count;
            rise += out[top].price * out[top].count;
        }
        out[top++] = (berth__increment){.price = rise / count, .count = count};
        at_quanta = offers[i].quanta;
        at_cost = offers[i].cost;
    }
    return top;
}

struct berth__convex_schedule {
    int needed, n;
    berth__increment *chosen, *merged; /* [needed] by rising price; counts add up to at most needed */
    berth__increment *hull;            /* [most_offers] */
};

berth__convex_schedule *berth__convex_schedule_new(berth__arena *arena, int needed, int most_offers) {
    berth__convex_schedule *s = BERTH__ARENA_ARRAY(arena, berth__convex_schedule, 1);
    if (s == NULL) {
        return NULL;
    }
    s->needed = needed;
    s->chosen = BERTH__ARENA_ARRAY(arena, berth__increment, (size_t)needed);
    s->merged = BERTH__ARENA_ARRAY(arena, berth__increment, (size_t)needed);
    s->hull = BERTH__ARENA_ARRAY(arena, berth__increment, (size_t)most_offers);
    return s->chosen != NULL && s->merged != NULL && s->hull != NULL ? s : NULL;
}

double berth__convex_schedule_add_slot(berth__convex_schedule *s, const berth__offer *offers, int n) {
    int n_hull = berth__offers_hull(offers, n, s->hull);
    int from_old = 0, from_hull = 0, merged = 0, total = 0;
    double cost = 0;
    while (total < s->needed && (from_old < s->n || from_hull < n_hull)) {
        bool old = from_hull == n_hull || (from_old < s->n && s->chosen[from_old].price <= s->hull[from_hull].price);
        berth__increment next = old ? s->chosen[from_old++] : s->hull[from_hull++];
        next.count = next.count < s->needed - total ? next.count : s->needed - total;
        total += next.count;
        cost += next.price * next.count;
        if (merged > 0 && s->merged[merged - 1].price == next.price) {
            s->merged[merged - 1].count += next.count;
        } else {
            s->merged[merged++] = next;
        }
    }
    berth__increment *swap = s->chosen;
    s->chosen = s->merged;
    s->merged = swap;
    s->n = merged;
    return total == s->needed ? cost : HUGE_VAL;
}
