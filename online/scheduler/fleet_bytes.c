#include "online/scheduler/fleet.h"

#include "formulations/theta.h"

#include <float.h>
#include <limits.h>
#include <math.h>

/* Amounts of berth__cluster_new: 0, or in this range. */
static const double least_amount = 1e-100, most_amount = 1e100;

static void put_texts(berth__writer *to, size_t n, char *const *texts) {
    for (size_t i = 0; i < n; i++) {
        berth__put_text(to, texts[i]);
    }
}

void berth__fleet_put(berth__writer *to, const berth__fleet *fleet) {
    size_t R = fleet->n_resources, H = fleet->n_machines, Q = fleet->n_quotas;
    berth__put_real(to, fleet->slot_seconds);
    berth__put_int(to, fleet->horizon);
    berth__put_count(to, R);
    put_texts(to, R, fleet->resources);
    berth__put_reals(to, fleet->total, R);
    berth__put_count(to, H);
    for (size_t h = 0; h < H; h++) {
        berth__put_text(to, fleet->machines[h]);
        berth__put_u8(to, (unsigned)fleet->state[h]);
        berth__put_reals(to, fleet->capacity + h * R, R);
    }
    berth__put_count(to, Q);
    for (size_t q = 0; q < Q; q++) {
        berth__put_text(to, fleet->tenants[q]);
        berth__put_reals(to, fleet->quota + q * R, R);
    }
}

/* ---- reading ---- */

/* What is read, before a fleet is made of it. All the arena's. */
typedef struct draft {
    berth__arena *arena;
    berth_cluster spec;
    double *total;
    berth_machine_state *state;
} draft;

static double take_amount(berth__byte_reader *from, double most, const char *name) {
    double amount = berth__take_number(from, 0, most, name);
    if (berth__byte_reader_good(from) && amount > 0 && amount < least_amount) {
        berth__refuse(from, "%s is %g; expected 0 or at least %g", name, amount, least_amount);
    }
    return amount;
}

static void take_resources(berth__byte_reader *from, draft *d) {
    size_t n = berth__take_count(from, BERTH__THETA_MAX_RESOURCES, 12, "the resources");
    const char **names = BERTH__ARENA_ARRAY(d->arena, const char *, n);
    d->total = BERTH__ARENA_ARRAY(d->arena, double, n);
    if (names == NULL || d->total == NULL) {
        berth__refuse_memory(from);
    }
    for (size_t r = 0; r < n && berth__byte_reader_good(from); r++) {
        names[r] = berth__take_text(from, d->arena, false, "a resource's name");
    }
    for (size_t r = 0; r < n && berth__byte_reader_good(from); r++) {
        d->total[r] = take_amount(from, DBL_MAX, "the total of a resource");
    }
    d->spec.n_resources = n;
    d->spec.resources = names;
}

static void take_machine(berth__byte_reader *from, draft *d, size_t h, const char **name, double *capacity) {
    size_t R = d->spec.n_resources;
    berth__byte_reader_enter(from, "machines", h);
    *name = berth__take_text(from, d->arena, false, "the machine's name");
    unsigned state = berth__take_u8(from);
    if (state > BERTH_MACHINE_DOWN) {
        berth__refuse(from, "the machine's state is %u; expected 0 to %d", state, (int)BERTH_MACHINE_DOWN);
    }
    d->state[h] = (berth_machine_state)state;
    for (size_t r = 0; r < R && berth__byte_reader_good(from); r++) {
        capacity[r] = take_amount(from, most_amount, "the machine's capacity");
        if (capacity[r] > 0 && d->total[r] == 0) {
            berth__refuse(from, "the machine has %g of resource %zu, of which the total is 0", capacity[r], r);
        }
    }
}

static void take_machines(berth__byte_reader *from, draft *d) {
    size_t R = d->spec.n_resources;
    size_t n = berth__take_count(from, INT_MAX / 4, 5 + 8 * R, "the machines");
    const char **names = BERTH__ARENA_ARRAY(d->arena, const char *, n);
    double *capacity = BERTH__ARENA_ARRAY(d->arena, double, n *R);
    d->state = BERTH__ARENA_ARRAY(d->arena, berth_machine_state, n);
    if (names == NULL || capacity == NULL || d->state == NULL) {
        berth__refuse_memory(from);
    }
    for (size_t h = 0; h < n && berth__byte_reader_good(from); h++) {
        take_machine(from, d, h, &names[h], capacity + h * R);
    }
    d->spec.n_machines = n;
    d->spec.machines = names;
    d->spec.capacity = capacity;
}

static void take_quotas(berth__byte_reader *from, draft *d) {
    size_t R = d->spec.n_resources;
    berth__byte_reader_enter(from, "quotas", BERTH__NO_INDEX);
    size_t n = berth__take_count(from, INT_MAX, 4 + 8 * R, "the quotas");
    berth_quota *quotas = BERTH__ARENA_ARRAY(d->arena, berth_quota, n);
    double *amount = BERTH__ARENA_ARRAY(d->arena, double, n *R);
    if (quotas == NULL || amount == NULL) {
        berth__refuse_memory(from);
    }
    for (size_t q = 0; q < n && berth__byte_reader_good(from); q++) {
        quotas[q] = (berth_quota){.tenant = berth__take_text(from, d->arena, false, "the tenant of a quota"),
                                  .amount = amount + q * R};
        for (size_t r = 0; r < R; r++) {
            amount[q * R + r] = berth__take_real(from); /* INFINITY: none */
        }
    }
    d->spec.n_quotas = n;
    d->spec.quotas = quotas;
}

static bool make(berth__byte_reader *from, const draft *d, berth__fleet *fleet) {
    if (!berth__fleet_init(fleet, &d->spec)) {
        return berth__refuse_memory(from);
    }
    for (size_t r = 0; r < fleet->n_resources; r++) {
        fleet->total[r] = d->total[r];
    }
    for (size_t h = 0; h < fleet->n_machines; h++) {
        fleet->state[h] = d->state[h];
    }
    return true;
}

bool berth__fleet_take(berth__byte_reader *from, berth__fleet *fleet) {
    *fleet = (berth__fleet){0};
    draft d = {.arena = berth__arena_new()};
    if (d.arena == NULL) {
        return berth__refuse_memory(from);
    }
    berth_cluster_init(&d.spec);
    berth__byte_reader_enter(from, "cluster", BERTH__NO_INDEX);
    d.spec.slot_seconds = berth__take_number(from, DBL_MIN, DBL_MAX, "slot_seconds");
    d.spec.horizon_slots = berth__take_int(from, 1, INT_MAX, "the horizon");
    if (berth__byte_reader_good(from) && (size_t)d.spec.horizon_slots > from->left / 8) { /* every slot is there */
        berth__refuse(from, "the horizon is %d slots, and %zu bytes are left", d.spec.horizon_slots, from->left);
    }
    take_resources(from, &d);
    if (berth__byte_reader_good(from)) {
        take_machines(from, &d);
    }
    if (berth__byte_reader_good(from)) {
        take_quotas(from, &d);
    }
    bool good = berth__byte_reader_good(from) && make(from, &d, fleet);
    berth__arena_free(d.arena);
    return good;
}
