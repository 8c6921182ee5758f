#include "online/ledger_bytes.h"

#include "base/tolerance.h"

#include <float.h>
#include <limits.h>
#include <math.h>

static size_t numbers_of_idle(const berth__ledger *ledger) {
    const berth__cluster *cluster = ledger->cluster;
    size_t slots = ledger->prices == NULL ? (size_t)cluster->horizon : 1;
    return slots * (size_t)cluster->n_classes * (size_t)cluster->n_resources;
}

static size_t numbers_of_tenants(const berth__cluster *cluster) {
    return (size_t)cluster->n_quotas * (size_t)cluster->n_resources;
}

/* ---- writing ---- */

static void put_slot(berth__writer *to, const berth__cluster *cluster, const berth__slot_ledger *slot) {
    size_t n = (size_t)slot->n_touched, room = (size_t)slot->room;
    berth__put_count(to, n);
    for (size_t k = 0; k < n; k++) {
        berth__put_int(to, slot->machine[k]);
        berth__put_int(to, slot->holders[k]);
        for (size_t r = 0; r < (size_t)cluster->n_resources; r++) {
            berth__put_real(to, slot->used[r * room + k]);
            berth__put_real(to, slot->price[r * room + k]);
        }
    }
}

void berth__ledger_put(berth__writer *to, const berth__ledger *ledger) {
    const berth__cluster *cluster = ledger->cluster;
    size_t tenants = numbers_of_tenants(cluster);
    berth__put_reals(to, ledger->idle_price, numbers_of_idle(ledger));
    for (size_t t = 0; t < (size_t)cluster->horizon; t++) {
        put_slot(to, cluster, &ledger->slots[t]);
        berth__put_reals(to, ledger->tenant_used + t * tenants, tenants);
    }
}

/* ---- reading ---- */

static bool about(double value, double expected, double scale) {
    return isfinite(expected) &&
           fabs(value - expected) <= BERTH__FIGURE * fmax(scale, fmax(fabs(value), fabs(expected)));
}

static bool make_slot(size_t n, size_t R, berth__slot_ledger *out) {
    *out = (berth__slot_ledger){.room = (int)n,
                                .machine = BERTH__NEW_ARRAY(int, n),
                                .holders = BERTH__NEW_ARRAY(int, n),
                                .used = BERTH__NEW_ARRAY(double, n *R),
                                .price = BERTH__NEW_ARRAY(double, n *R)};
    return out->machine != NULL && out->holders != NULL && out->used != NULL && out->price != NULL;
}

static void free_slot(berth__slot_ledger *slot) {
    berth__free(slot->machine);
    berth__free(slot->holders);
    berth__free(slot->used);
    berth__free(slot->price);
}

static void take_machine(berth__byte_reader *from, const berth__cluster *cluster, berth__slot_ledger *slot) {
    size_t k = (size_t)slot->n_touched, R = (size_t)cluster->n_resources, room = (size_t)slot->room;
    slot->machine[k] = berth__take_int(from, 0, cluster->n_machines - 1, "a machine in use");
    slot->holders[k] = berth__take_int(from, 1, INT_MAX, "the holders of a machine");
    const double *capacity = cluster->capacity + (size_t)slot->machine[k] * R;
    for (size_t r = 0; r < R; r++) {
        slot->used[r * room + k] =
            berth__take_number(from, 0, capacity[r] * (1 + BERTH__FIGURE), "what is used of a machine");
        slot->price[r * room + k] = berth__take_number(from, 0, DBL_MAX, "the price on a machine");
    }
    slot->n_touched++;
}

/* Is the last machine of `slot` as the plans of live jobs make it, and its price what follows? */
static bool follows(berth__byte_reader *from, const berth__ledger *ledger, int t, const berth__slot_ledger *slot) {
    const berth__cluster *cluster = ledger->cluster;
    const berth__slot_ledger *booked = &ledger->slots[t];
    size_t k = (size_t)slot->n_touched - 1, R = (size_t)cluster->n_resources;
    int machine = slot->machine[k];
    int at = ledger->place[(size_t)t * (size_t)cluster->n_machines + (size_t)machine] - 1;
    if (at < 0 || booked->holders[at] != slot->holders[k]) {
        return berth__refuse(from, "machine %d is held %d times; live jobs hold it %d times", machine, slot->holders[k],
                             at < 0 ? 0 : booked->holders[at]);
    }
    for (size_t r = 0; r < R; r++) {
        double used = slot->used[r * (size_t)slot->room + k], price = slot->price[r * (size_t)slot->room + k];
        size_t here = r * (size_t)booked->room + (size_t)at;
        if (!about(used, booked->used[here], cluster->capacity[(size_t)machine * R + r])) {
            return berth__refuse(from, "of resource %zu of machine %d %g is used; live jobs hold %g", r, machine, used,
                                 booked->used[here]);
        }
        if (!about(price, booked->price[here], 0)) {
            return berth__refuse(from, "resource %zu of machine %d has the price %g; %g follows from its use", r,
                                 machine, price, booked->price[here]);
        }
    }
    return true;
}

/* place: [n_machines] of the slot. */
static void count_idle(const berth__cluster *cluster, const int *place, berth__slot_ledger *slot) {
    for (int k = 0; k < cluster->n_classes; k++) {
        slot->idle[k] = 0;
        slot->idle_from[k] = cluster->n_machines;
    }
    for (int h = cluster->n_machines - 1; h >= 0; h--) {
        if (place[h] == 0) {
            slot->idle[cluster->class_of[h]]++;
            slot->idle_from[cluster->class_of[h]] = h;
        }
    }
}

/* The slot's machines become these, in their order; the arrays change owners. */
static bool set_slot(berth__byte_reader *from, berth__ledger *ledger, int t, berth__slot_ledger *fresh) {
    const berth__cluster *cluster = ledger->cluster;
    berth__slot_ledger *slot = &ledger->slots[t];
    int *place = ledger->place + (size_t)t * (size_t)cluster->n_machines;
    for (int k = 0; k < slot->n_touched; k++) {
        place[slot->machine[k]] = 0;
    }
    berth__slot_ledger old = *slot;
    fresh->idle = old.idle;
    fresh->idle_from = old.idle_from;
    *slot = *fresh;
    *fresh = old;
    for (int k = 0; k < slot->n_touched; k++) {
        if (place[slot->machine[k]] != 0) {
            return berth__refuse(from, "machine %d is there twice", slot->machine[k]);
        }
        place[slot->machine[k]] = k + 1;
    }
    count_idle(cluster, place, slot);
    return true;
}

static bool take_slot(berth__byte_reader *from, berth__ledger *ledger, int t, int now) {
    size_t R = (size_t)ledger->cluster->n_resources, booked = (size_t)ledger->slots[t].n_touched;
    size_t n = berth__take_count(from, (size_t)ledger->cluster->n_machines, 8 + 16 * R, "the machines in use");
    if (berth__byte_reader_good(from) && t >= now && n != booked) {
        return berth__refuse(from, "%zu machines are in use; by the plans of live jobs %zu are", n, booked);
    }
    berth__slot_ledger fresh;
    if (!make_slot(n, R, &fresh)) {
        berth__refuse_memory(from);
    }
    for (size_t k = 0; k < n && berth__byte_reader_good(from); k++) {
        take_machine(from, ledger->cluster, &fresh);
        if (berth__byte_reader_good(from) && t >= now) {
            follows(from, ledger, t, &fresh);
        }
    }
    bool good = berth__byte_reader_good(from) && set_slot(from, ledger, t, &fresh);
    free_slot(&fresh);
    return good;
}

static void take_tenants(berth__byte_reader *from, berth__ledger *ledger, int t, int now) {
    size_t n = numbers_of_tenants(ledger->cluster);
    double *used = ledger->tenant_used + (size_t)t * n;
    for (size_t i = 0; i < n && berth__byte_reader_good(from); i++) {
        double held = used[i];
        used[i] = berth__take_number(from, 0, DBL_MAX, "what a tenant uses");
        if (berth__byte_reader_good(from) && t >= now && !about(used[i], held, 1)) {
            berth__refuse(from, "a tenant uses %g of a resource; its live jobs hold %g", used[i], held);
        }
    }
}

/* Those of slots that are over may be older than the ledger's. */
static void take_idle_prices(berth__byte_reader *from, berth__ledger *ledger, int now) {
    size_t n = numbers_of_idle(ledger), per_slot = n / (size_t)(ledger->prices == NULL ? ledger->cluster->horizon : 1);
    size_t first = ledger->prices == NULL ? (size_t)now * per_slot : 0;
    for (size_t i = 0; i < n && berth__byte_reader_good(from); i++) {
        double expected = ledger->idle_price[i];
        ledger->idle_price[i] = berth__take_number(from, 0, DBL_MAX, "the price of an idle machine");
        if (berth__byte_reader_good(from) && i >= first && !about(ledger->idle_price[i], expected, 0)) {
            berth__refuse(from, "an idle machine has the price %g; expected %g", ledger->idle_price[i], expected);
        }
    }
}

bool berth__ledger_take(berth__byte_reader *from, berth__ledger *ledger, int now) {
    berth__byte_reader_enter(from, "prices", BERTH__NO_INDEX);
    take_idle_prices(from, ledger, now);
    for (int t = 0; t < ledger->cluster->horizon && berth__byte_reader_good(from); t++) {
        berth__byte_reader_enter(from, "slots", (size_t)t);
        if (take_slot(from, ledger, t, now)) {
            take_tenants(from, ledger, t, now);
        }
    }
    return berth__byte_reader_good(from);
}
