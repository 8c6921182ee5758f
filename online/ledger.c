#include "online/ledger.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/tolerance.h"

#include <math.h>
#include <string.h>

/* ---- making ---- */

static const double *capacity_of(const berth__ledger *ledger, int machine) {
    return ledger->cluster->capacity + (size_t)machine * (size_t)ledger->cluster->n_resources;
}

static size_t place_at(const berth__ledger *ledger, int slot, int machine) {
    return (size_t)slot * (size_t)ledger->cluster->n_machines + (size_t)machine;
}

/* How many numbers of prices and of tenants a slot has. */
static size_t slot_prices(const berth__cluster *cluster) {
    return (size_t)cluster->n_classes * (size_t)cluster->n_resources;
}

static size_t slot_tenants(const berth__cluster *cluster) {
    return (size_t)cluster->n_quotas * (size_t)cluster->n_resources;
}

/* Where the prices of a class in a slot begin. */
static size_t class_at(const berth__ledger *ledger, int slot, int k) {
    size_t row = (size_t)slot * (size_t)ledger->cluster->n_classes + (size_t)k;
    return row * (size_t)ledger->cluster->n_resources;
}

static double price_of(const berth__ledger *ledger, int slot, int k, int r, double used, double capacity) {
    if (!(capacity > 0)) {
        return 0;
    }
    double x = used / capacity;
    return ledger->prices != NULL ? berth__price_at(ledger->prices, r, x)
                                  : ledger->bid[class_at(ledger, slot, k) + (size_t)r] + ledger->tie[r] * (1 - x / 2);
}

/* Bids differ by slot, what follows from usage does not. */
static double *idle_row(const berth__ledger *ledger, int slot, int k) {
    return ledger->idle_price + class_at(ledger, ledger->prices == NULL ? slot : 0, k);
}

const double *berth__ledger_idle_price(const berth__ledger *ledger, int slot, int machine_class) {
    return idle_row(ledger, slot, machine_class);
}

static void price_idle(berth__ledger *ledger, int slot) {
    int R = ledger->cluster->n_resources;
    for (int k = 0; k < ledger->cluster->n_classes; k++) {
        const double *capacity = capacity_of(ledger, ledger->first_of_class[k]);
        double *row = idle_row(ledger, slot, k);
        for (int r = 0; r < R; r++) {
            row[r] = price_of(ledger, slot, k, r, 0, capacity[r]);
        }
    }
}

static void describe_classes(berth__ledger *ledger) {
    const berth__cluster *cluster = ledger->cluster;
    for (int h = cluster->n_machines - 1; h >= 0; h--) {
        ledger->first_of_class[cluster->class_of[h]] = h;
    }
    price_idle(ledger, 0);
}

/* A slot in which nothing is held. */
static void empty_slot(const berth__ledger *ledger, berth__slot_ledger *slot) {
    const berth__cluster *cluster = ledger->cluster;
    slot->n_touched = 0;
    memset(slot->idle, 0, (size_t)cluster->n_classes * sizeof *slot->idle);
    memcpy(slot->idle_from, ledger->first_of_class, (size_t)cluster->n_classes * sizeof *slot->idle_from);
    for (int h = 0; h < cluster->n_machines; h++) {
        slot->idle[cluster->class_of[h]]++;
    }
}

static bool make_slots(berth__ledger *ledger) {
    const berth__cluster *cluster = ledger->cluster;
    for (int t = 0; t < cluster->horizon; t++) {
        ledger->slots[t].idle = BERTH__NEW_ARRAY(int, (size_t)cluster->n_classes);
        ledger->slots[t].idle_from = BERTH__NEW_ARRAY(int, (size_t)cluster->n_classes);
        if (ledger->slots[t].idle == NULL || ledger->slots[t].idle_from == NULL) {
            return false;
        }
        empty_slot(ledger, &ledger->slots[t]);
    }
    return true;
}

berth_status berth__ledger_new(const berth__cluster *cluster, const berth__prices *prices, berth__ledger **out,
                               berth_error *error) {
    *out = NULL;
    size_t T = (size_t)cluster->horizon, H = (size_t)cluster->n_machines, R = (size_t)cluster->n_resources;
    size_t K = (size_t)cluster->n_classes;
    berth__ledger *ledger = berth__calloc(1, sizeof *ledger);
    if (ledger == NULL) {
        return berth__fail_memory(error);
    }
    ledger->cluster = cluster;
    ledger->prices = prices;
    ledger->slots = BERTH__NEW_ARRAY(berth__slot_ledger, T);
    ledger->place = berth__calloc(T, H * sizeof *ledger->place);
    ledger->first_of_class = BERTH__NEW_ARRAY(int, K);
    ledger->idle_price = berth__calloc(prices == NULL ? T : 1, K * R * sizeof *ledger->idle_price);
    ledger->bid = prices == NULL ? berth__calloc(T, K * R * sizeof *ledger->bid) : NULL;
    ledger->tie = prices == NULL ? BERTH__NEW_ARRAY(double, R) : NULL;
    ledger->tenant_used = berth__calloc(T, (size_t)cluster->n_quotas * R * sizeof *ledger->tenant_used);
    if (ledger->slots == NULL || ledger->place == NULL || ledger->first_of_class == NULL ||
        ledger->idle_price == NULL || ledger->tenant_used == NULL ||
        (prices == NULL && (ledger->bid == NULL || ledger->tie == NULL))) {
        berth__ledger_free(ledger);
        return berth__fail_memory(error);
    }
    describe_classes(ledger);
    if (!make_slots(ledger)) {
        berth__ledger_free(ledger);
        return berth__fail_memory(error);
    }
    *out = ledger;
    return BERTH_OK;
}

void berth__ledger_free(berth__ledger *ledger) {
    if (ledger == NULL) {
        return;
    }
    for (int t = 0; ledger->slots != NULL && t < ledger->cluster->horizon; t++) {
        berth__free(ledger->slots[t].machine);
        berth__free(ledger->slots[t].holders);
        berth__free(ledger->slots[t].used);
        berth__free(ledger->slots[t].price);
        berth__free(ledger->slots[t].idle);
        berth__free(ledger->slots[t].idle_from);
    }
    berth__free(ledger->slots);
    berth__free(ledger->place);
    berth__free(ledger->first_of_class);
    berth__free(ledger->idle_price);
    berth__free(ledger->bid);
    berth__free(ledger->tie);
    berth__free(ledger->tenant_used);
    berth__free(ledger);
}

void berth__ledger_set_bids(berth__ledger *ledger, int first, int end, const double *bid, const double *tie) {
    const berth__cluster *cluster = ledger->cluster;
    size_t R = (size_t)cluster->n_resources, from = class_at(ledger, first, 0);
    memcpy(ledger->bid + from, bid + from, (class_at(ledger, end, 0) - from) * sizeof *bid);
    memcpy(ledger->tie, tie, R * sizeof *tie);
    for (int t = first; t < end; t++) {
        price_idle(ledger, t);
        berth__slot_ledger *s = &ledger->slots[t];
        for (int n = 0; n < s->n_touched; n++) {
            const double *capacity = capacity_of(ledger, s->machine[n]);
            for (size_t r = 0; r < R; r++) {
                size_t at = r * (size_t)s->room + (size_t)n;
                s->price[at] = price_of(ledger, t, cluster->class_of[s->machine[n]], (int)r, s->used[at], capacity[r]);
            }
        }
    }
}

/* ---- reading ---- */

double berth__ledger_used(const berth__ledger *ledger, int slot, int machine, int resource) {
    const berth__slot_ledger *s = &ledger->slots[slot];
    int place = ledger->place[place_at(ledger, slot, machine)];
    return place == 0 ? 0 : s->used[(size_t)resource * (size_t)s->room + (size_t)(place - 1)];
}

double berth__ledger_price(const berth__ledger *ledger, int slot, int machine, int resource) {
    const berth__slot_ledger *s = &ledger->slots[slot];
    int place = ledger->place[place_at(ledger, slot, machine)];
    return place == 0 ? idle_row(ledger, slot, ledger->cluster->class_of[machine])[resource]
                      : s->price[(size_t)resource * (size_t)s->room + (size_t)(place - 1)];
}

static bool may_use(const berth__job *job, int machine) {
    return job->eligible == NULL || job->eligible[machine];
}

int berth__ledger_idle(const berth__ledger *ledger, int slot, const berth__job *job, int machine_class) {
    int idle = ledger->slots[slot].idle[machine_class];
    if (job->eligible == NULL || idle == 0) {
        return idle;
    }
    idle = 0;
    for (int h = 0; h < ledger->cluster->n_machines; h++) {
        idle += ledger->cluster->class_of[h] == machine_class && job->eligible[h] &&
                ledger->place[place_at(ledger, slot, h)] == 0;
    }
    return idle;
}

void berth__ledger_free_capacity(const berth__ledger *ledger, int slot, const berth__job *job, double *free) {
    const berth__slot_ledger *s = &ledger->slots[slot];
    size_t H = (size_t)ledger->cluster->n_machines, R = (size_t)ledger->cluster->n_resources;
    memcpy(free, ledger->cluster->capacity, H * R * sizeof *free);
    for (int k = 0; k < s->n_touched; k++) {
        double *row = free + (size_t)s->machine[k] * R;
        for (size_t r = 0; r < R; r++) {
            row[r] = fmax(0, row[r] - s->used[r * (size_t)s->room + (size_t)k]);
        }
    }
    for (size_t h = 0; job->eligible != NULL && h < H; h++) {
        if (!job->eligible[h]) {
            memset(free + h * R, 0, R * sizeof *free);
        }
    }
}

/* What a unit costs at the prices of resources, `stride` apart. 0 * INFINITY never arises. */
static double unit_price(const double *price, size_t stride, const double *demand, int R) {
    double sum = 0;
    for (int r = 0; r < R; r++) {
        double p = price[(size_t)r * stride];
        sum += p > 0 && demand[r] < HUGE_VAL ? p * demand[r] : 0;
    }
    return sum;
}

void berth__ledger_unit_prices(const berth__ledger *ledger, int slot, const berth__job *job, double *worker,
                               double *ps) {
    const berth__cluster *cluster = ledger->cluster;
    const berth__slot_ledger *s = &ledger->slots[slot];
    int R = cluster->n_resources;
    const int *place = ledger->place + place_at(ledger, slot, 0);
    for (int h = 0; h < cluster->n_machines; h++) {
        bool idle = place[h] == 0;
        const double *price = idle ? idle_row(ledger, slot, cluster->class_of[h]) : s->price + place[h] - 1;
        size_t stride = idle ? 1 : (size_t)s->room;
        worker[h] = unit_price(price, stride, job->worker, R);
        ps[h] = unit_price(price, stride, job->ps, R);
    }
}

static bool within(double load, double limit) {
    return load <= limit * (1 + BERTH__FEASIBILITY);
}

/* What w workers and s servers hold of resource r; 0 servers hold nothing even of an infinite demand. */
static double holding(const berth__job *job, int r, int w, int s) {
    return (w > 0 ? w * job->worker[r] : 0) + (s > 0 ? s * job->ps[r] : 0);
}

static double *tenant_row(const berth__ledger *ledger, int slot, const berth__job *job) {
    size_t row = (size_t)slot * (size_t)ledger->cluster->n_quotas + (size_t)job->quota;
    return ledger->tenant_used + row * (size_t)ledger->cluster->n_resources;
}

int berth__ledger_quota_room(const berth__ledger *ledger, int slot, const berth__job *job, int limit) {
    if (job->quota < 0) {
        return limit;
    }
    int R = ledger->cluster->n_resources;
    const double *quota = ledger->cluster->quota + (size_t)job->quota * (size_t)R;
    const double *used = tenant_row(ledger, slot, job);
    int low = 0, high = limit; /* room is monotone in the number of workers */
    while (low < high) {
        int middle = high - (high - low) / 2, s = berth__ps_needed(job, middle);
        bool fits = true;
        for (int r = 0; r < R && fits; r++) {
            fits = within(used[r] + holding(job, r, middle, s), quota[r]);
        }
        low = fits ? middle : low;
        high = fits ? high : middle - 1;
    }
    return low;
}

double berth__ledger_plan_price(const berth__ledger *ledger, const berth__job *job, size_t n_slots,
                                const berth_slot_plan *slots) {
    double total = 0;
    for (size_t k = 0; k < n_slots; k++) {
        for (size_t i = 0; i < slots[k].n_placements; i++) {
            const berth_placement *place = &slots[k].placements[i];
            for (int r = 0; r < ledger->cluster->n_resources; r++) {
                double price = berth__ledger_price(ledger, slots[k].slot, place->machine, r);
                total += price > 0 ? price * holding(job, r, place->workers, place->ps) : 0;
            }
        }
    }
    return total;
}

/* ---- booking ---- */

static bool slot_fits(const berth__ledger *ledger, const berth__job *job, const berth_slot_plan *plan) {
    int workers = 0;
    for (size_t i = 0; i < plan->n_placements; i++) {
        const berth_placement *place = &plan->placements[i];
        const double *capacity = capacity_of(ledger, place->machine);
        workers += place->workers;
        if (!may_use(job, place->machine) &&
            (ledger->cluster->closed == NULL || !ledger->cluster->closed[place->machine])) {
            return false; /* on a closed machine it may stay */
        }
        for (int r = 0; r < ledger->cluster->n_resources; r++) {
            double used = berth__ledger_used(ledger, plan->slot, place->machine, r);
            if (!within(used + holding(job, r, place->workers, place->ps), capacity[r])) {
                return false;
            }
        }
    }
    return berth__ledger_quota_room(ledger, plan->slot, job, workers) >= workers;
}

static double *wider_rows(const double *rows, int R, int n, int room, int wider) {
    double *fresh = berth__calloc((size_t)R, (size_t)wider * sizeof *fresh);
    for (int r = 0; fresh != NULL && r < R && n > 0; r++) {
        memcpy(fresh + (size_t)r * (size_t)wider, rows + (size_t)r * (size_t)room, (size_t)n * sizeof *fresh);
    }
    return fresh;
}

/* Room for `more` further touched machines; on failure the slot stays as it is. */
static bool reserve(const berth__ledger *ledger, berth__slot_ledger *s, size_t more) {
    int R = ledger->cluster->n_resources, wanted = s->n_touched + (int)more;
    if (wanted <= s->room) {
        return true;
    }
    int wider = 2 * s->room > wanted ? 2 * s->room : wanted + 7;
    int *machine = berth__realloc(s->machine, (size_t)wider, sizeof *machine);
    s->machine = machine == NULL ? s->machine : machine;
    int *holders = berth__realloc(s->holders, (size_t)wider, sizeof *holders);
    s->holders = holders == NULL ? s->holders : holders;
    double *used = wider_rows(s->used, R, s->n_touched, s->room, wider);
    double *price = wider_rows(s->price, R, s->n_touched, s->room, wider);
    if (machine == NULL || holders == NULL || used == NULL || price == NULL) {
        berth__free(used);
        berth__free(price);
        return false;
    }
    berth__free(s->used);
    berth__free(s->price);
    s->used = used;
    s->price = price;
    s->room = wider;
    return true;
}

static int touch(berth__ledger *ledger, int slot, int machine) {
    berth__slot_ledger *s = &ledger->slots[slot];
    int *place = &ledger->place[place_at(ledger, slot, machine)];
    if (*place == 0) {
        s->machine[s->n_touched] = machine;
        s->holders[s->n_touched] = 0;
        for (int r = 0; r < ledger->cluster->n_resources; r++) {
            s->used[(size_t)r * (size_t)s->room + (size_t)s->n_touched] = 0;
        }
        *place = ++s->n_touched;
        int k = ledger->cluster->class_of[machine];
        s->idle[k]--;
        int *lowest = &s->idle_from[k];
        while (*lowest < ledger->cluster->n_machines &&
               (ledger->cluster->class_of[*lowest] != k || ledger->place[place_at(ledger, slot, *lowest)] != 0)) {
            (*lowest)++; /* n_machines steps in all, over a slot's life, but for releases */
        }
    }
    return *place - 1;
}

/* A machine that nobody holds any more is idle again, without what rounding left in its sums; the last takes its place.
 */
static void leave(berth__ledger *ledger, int slot, int k) {
    berth__slot_ledger *s = &ledger->slots[slot];
    int machine = s->machine[k], last = --s->n_touched, class = ledger->cluster->class_of[machine];
    for (int r = 0; r < ledger->cluster->n_resources; r++) {
        size_t row = (size_t)r * (size_t)s->room;
        s->used[row + (size_t)k] = s->used[row + (size_t)last];
        s->price[row + (size_t)k] = s->price[row + (size_t)last];
    }
    s->machine[k] = s->machine[last];
    s->holders[k] = s->holders[last];
    ledger->place[place_at(ledger, slot, s->machine[k])] = k + 1;
    ledger->place[place_at(ledger, slot, machine)] = 0;
    s->idle[class]++;
    s->idle_from[class] = machine < s->idle_from[class] ? machine : s->idle_from[class];
}

/* sign: 1 books, -1 takes back. */
static void book(berth__ledger *ledger, const berth__job *job, const berth_slot_plan *plan, int sign) {
    berth__slot_ledger *s = &ledger->slots[plan->slot];
    double *tenant = job->quota >= 0 ? tenant_row(ledger, plan->slot, job) : NULL;
    for (size_t i = 0; i < plan->n_placements; i++) {
        const berth_placement *place = &plan->placements[i];
        const double *capacity = capacity_of(ledger, place->machine);
        int k = touch(ledger, plan->slot, place->machine);
        s->holders[k] += sign;
        for (int r = 0; r < ledger->cluster->n_resources; r++) {
            size_t at = (size_t)r * (size_t)s->room + (size_t)k;
            double amount = sign * holding(job, r, place->workers, place->ps);
            s->used[at] = fmax(0, s->used[at] + amount);
            s->price[at] =
                price_of(ledger, plan->slot, ledger->cluster->class_of[place->machine], r, s->used[at], capacity[r]);
            if (tenant != NULL) {
                tenant[r] = fmax(0, tenant[r] + amount);
            }
        }
        if (s->holders[k] == 0) {
            leave(ledger, plan->slot, k);
        }
    }
}

bool berth__ledger_fits(const berth__ledger *ledger, const berth__job *job, size_t n_slots,
                        const berth_slot_plan *slots) {
    bool fits = true;
    for (size_t k = 0; k < n_slots && fits; k++) {
        fits = slot_fits(ledger, job, &slots[k]);
    }
    return fits;
}

void berth__ledger_release(berth__ledger *ledger, const berth__job *job, size_t n_slots, const berth_slot_plan *slots) {
    for (size_t k = 0; k < n_slots; k++) {
        book(ledger, job, &slots[k], -1);
    }
}

static berth_status commit(berth__ledger *ledger, const berth__job *job, size_t n_slots, const berth_slot_plan *slots,
                           bool checked, berth_error *error) {
    for (size_t k = 0; k < n_slots; k++) {
        if (checked && !slot_fits(ledger, job, &slots[k])) {
            return berth__fail(error, BERTH_E_INTERNAL, NULL, "the plan of job \"%s\" does not fit in slot %d", job->id,
                               slots[k].slot);
        }
        if (!reserve(ledger, &ledger->slots[slots[k].slot], slots[k].n_placements)) {
            return berth__fail_memory(error);
        }
    }
    for (size_t k = 0; k < n_slots; k++) {
        book(ledger, job, &slots[k], 1);
    }
    return BERTH_OK;
}

berth_status berth__ledger_commit(berth__ledger *ledger, const berth__job *job, size_t n_slots,
                                  const berth_slot_plan *slots, berth_error *error) {
    return commit(ledger, job, n_slots, slots, true, error);
}

berth_status berth__ledger_adopt(berth__ledger *ledger, const berth__job *job, size_t n_slots,
                                 const berth_slot_plan *slots, berth_error *error) {
    return commit(ledger, job, n_slots, slots, false, error);
}

/* ---- time ---- */

/* The rows behind the first n of `rows` move to the front. */
static void drop_rows(void *rows, size_t n, size_t n_rows, size_t row_size) {
    if (rows != NULL && n < n_rows && n > 0) {
        memmove(rows, (char *)rows + n * row_size, (n_rows - n) * row_size);
    }
}

void berth__shift_prices(double *rows, size_t n, size_t n_rows, size_t row) {
    const double *last = rows + (n_rows - 1) * row;
    drop_rows(rows, n, n_rows, row * sizeof *rows);
    for (size_t t = n < n_rows ? n_rows - n : 0; t + 1 < n_rows; t++) {
        memcpy(rows + t * row, last, row * sizeof *rows);
    }
}

void berth__ledger_shift(berth__ledger *ledger, int slots) {
    const berth__cluster *cluster = ledger->cluster;
    size_t T = (size_t)cluster->horizon, H = (size_t)cluster->n_machines, n = (size_t)slots < T ? (size_t)slots : T;
    size_t prices = slot_prices(cluster), tenants = slot_tenants(cluster);
    drop_rows(ledger->place, n, T, H * sizeof *ledger->place);
    memset(ledger->place + (T - n) * H, 0, n * H * sizeof *ledger->place);
    drop_rows(ledger->tenant_used, n, T, tenants * sizeof(double));
    memset(ledger->tenant_used + (T - n) * tenants, 0, n * tenants * sizeof(double));
    for (size_t t = 0; t < T; t++) { /* slots change places: each keeps its arrays */
        if (t + n < T) {
            berth__slot_ledger swap = ledger->slots[t];
            ledger->slots[t] = ledger->slots[t + n];
            ledger->slots[t + n] = swap;
        }
    }
    for (size_t t = T - n; t < T; t++) {
        empty_slot(ledger, &ledger->slots[t]);
    }
    if (ledger->prices == NULL) {
        berth__shift_prices(ledger->idle_price, n, T, prices);
        berth__shift_prices(ledger->bid, n, T, prices);
    }
}

/* ---- going back ---- */

static void copy_rows(double *to, size_t to_room, const double *from, size_t from_room, int R, int n) {
    for (size_t r = 0; r < (size_t)R && n > 0; r++) {
        memcpy(to + r * to_room, from + r * from_room, (size_t)n * sizeof *to);
    }
}

/* The numbers of a slot; `to` has room for them. */
static void copy_slot(const berth__cluster *cluster, const berth__slot_ledger *from, berth__slot_ledger *to) {
    size_t n = (size_t)from->n_touched, K = (size_t)cluster->n_classes;
    to->n_touched = from->n_touched;
    if (n > 0) {
        memcpy(to->machine, from->machine, n * sizeof *to->machine);
        memcpy(to->holders, from->holders, n * sizeof *to->holders);
    }
    copy_rows(to->used, (size_t)to->room, from->used, (size_t)from->room, cluster->n_resources, from->n_touched);
    copy_rows(to->price, (size_t)to->room, from->price, (size_t)from->room, cluster->n_resources, from->n_touched);
    memcpy(to->idle, from->idle, K * sizeof *to->idle);
    memcpy(to->idle_from, from->idle_from, K * sizeof *to->idle_from);
}

static bool make_slot_copy(berth__arena *arena, const berth__cluster *cluster, const berth__slot_ledger *from,
                           berth__slot_ledger *to) {
    size_t n = (size_t)from->n_touched, R = (size_t)cluster->n_resources, K = (size_t)cluster->n_classes;
    *to = (berth__slot_ledger){.room = from->n_touched,
                               .machine = BERTH__ARENA_ARRAY(arena, int, n),
                               .holders = BERTH__ARENA_ARRAY(arena, int, n),
                               .used = BERTH__ARENA_ARRAY(arena, double, n *R),
                               .price = BERTH__ARENA_ARRAY(arena, double, n *R),
                               .idle = BERTH__ARENA_ARRAY(arena, int, K),
                               .idle_from = BERTH__ARENA_ARRAY(arena, int, K)};
    if (to->machine == NULL || to->holders == NULL || to->used == NULL || to->price == NULL || to->idle == NULL ||
        to->idle_from == NULL) {
        return false;
    }
    copy_slot(cluster, from, to);
    return true;
}

/* n numbers; from NULL: none. */
static bool copy_numbers(berth__arena *arena, const double *from, size_t n, double **out) {
    *out = NULL;
    if (from == NULL || n == 0) {
        return true;
    }
    *out = BERTH__ARENA_ARRAY(arena, double, n);
    if (*out == NULL) {
        return false;
    }
    memcpy(*out, from, n * sizeof **out);
    return true;
}

static void put_numbers(double *to, const double *from, size_t n) {
    if (from != NULL) {
        memcpy(to, from, n * sizeof *to);
    }
}

static bool fill_copy(const berth__ledger *ledger, berth__ledger_copy *c) {
    const berth__cluster *cluster = ledger->cluster;
    size_t first = (size_t)c->first, n = (size_t)cluster->horizon - first;
    size_t prices = slot_prices(cluster), tenants = slot_tenants(cluster);
    c->slots = BERTH__ARENA_ARRAY(c->arena, berth__slot_ledger, n);
    bool made = c->slots != NULL;
    for (size_t t = 0; t < n && made; t++) {
        made = make_slot_copy(c->arena, cluster, &ledger->slots[first + t], &c->slots[t]);
    }
    if (ledger->prices == NULL) { /* else prices follow from usage */
        made = made && copy_numbers(c->arena, ledger->idle_price + first * prices, n * prices, &c->idle_price) &&
               copy_numbers(c->arena, ledger->bid + first * prices, n * prices, &c->bid) &&
               copy_numbers(c->arena, ledger->tie, (size_t)cluster->n_resources, &c->tie);
    }
    return made && copy_numbers(c->arena, ledger->tenant_used + first * tenants, n * tenants, &c->tenant_used);
}

berth_status berth__ledger_save(const berth__ledger *ledger, int first, berth__ledger_copy *out, berth_error *error) {
    berth__ledger_copy_drop(out);
    out->first = first;
    if (out->arena == NULL) {
        out->arena = berth__arena_new();
    }
    out->taken = out->arena != NULL && fill_copy(ledger, out);
    if (!out->taken) {
        berth__ledger_copy_clear(out);
        return berth__fail_memory(error);
    }
    return BERTH_OK;
}

void berth__ledger_restore(berth__ledger *ledger, const berth__ledger_copy *copy) {
    const berth__cluster *cluster = ledger->cluster;
    size_t first = (size_t)copy->first, n = (size_t)cluster->horizon - first;
    size_t prices = slot_prices(cluster), tenants = slot_tenants(cluster);
    for (int t = copy->first; t < cluster->horizon; t++) {
        berth__slot_ledger *s = &ledger->slots[t];
        for (int k = 0; k < s->n_touched; k++) {
            ledger->place[place_at(ledger, t, s->machine[k])] = 0;
        }
        copy_slot(cluster, &copy->slots[t - copy->first], s); /* rooms never shrink */
        for (int k = 0; k < s->n_touched; k++) {
            ledger->place[place_at(ledger, t, s->machine[k])] = k + 1;
        }
    }
    put_numbers(ledger->idle_price + first * prices, copy->idle_price, n * prices);
    put_numbers(ledger->bid == NULL ? NULL : ledger->bid + first * prices, copy->bid, n * prices);
    put_numbers(ledger->tie, copy->tie, (size_t)cluster->n_resources);
    put_numbers(ledger->tenant_used + first * tenants, copy->tenant_used, n * tenants);
}

void berth__ledger_copy_drop(berth__ledger_copy *copy) {
    if (copy->arena != NULL) {
        berth__arena_reset(copy->arena);
    }
    *copy = (berth__ledger_copy){.arena = copy->arena};
}

void berth__ledger_copy_clear(berth__ledger_copy *copy) {
    berth__arena_free(copy->arena);
    *copy = (berth__ledger_copy){0};
}
