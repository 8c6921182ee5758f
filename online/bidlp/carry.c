/* What happens to the state between calls: jobs that end, time that passes, machines that come and go. */
#include "online/bidlp/state.h"

#include "base/error.h"
#include "online/replan.h"

#include <math.h>
#include <string.h>

/* ---- jobs ---- */

/* Index of the first tenure whose number is not below this one. */
static size_t find_tenure(const berth__bidlp *b, uint64_t number) {
    size_t low = 0, high = b->n_tenures;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        low = b->tenures[middle]->number < number ? middle + 1 : low;
        high = b->tenures[middle]->number < number ? high : middle;
    }
    return low;
}

const berth__tenure *berth__bidlp_tenure(const berth__bidlp *b, uint64_t number) {
    size_t at = find_tenure(b, number);
    return at < b->n_tenures && b->tenures[at]->number == number ? b->tenures[at] : NULL;
}

void berth__bidlp_remove(berth__bidlp *b, uint64_t number, int slot) {
    size_t at = find_tenure(b, number);
    berth__tenure *tenure = b->tenures[at];
    size_t kept = berth__plan_to_come(&tenure->plan, slot);
    berth__ledger_release(b->shape.ledger, tenure->job, tenure->plan.n_slots - kept, tenure->plan.slots + kept);
    berth__bidlp_tenure_end(b, tenure);
    b->n_tenures--;
    memmove(b->tenures + at, b->tenures + at + 1, (b->n_tenures - at) * sizeof(berth__tenure *));
    b->n_active = 0; /* listed anew by the next call */
}

berth_status berth__bidlp_adopt(berth__bidlp *b, uint64_t number, const berth__job *job, int promised, int now,
                                berth__plan *plan, berth_error *error) {
    size_t from = berth__plan_to_come(plan, now);
    if (!berth__grow((void **)&b->tenures, &b->tenure_room, b->n_tenures, sizeof(berth__tenure *))) {
        return berth__fail_memory(error);
    }
    berth__tenure *tenure = berth__bidlp_tenure_new(b);
    if (tenure == NULL) {
        return berth__fail_memory(error);
    }
    berth_status status = berth__ledger_adopt(b->shape.ledger, job, plan->n_slots - from, plan->slots + from, error);
    if (status != BERTH_OK) {
        *tenure = (berth__tenure){.number = number};
        berth__bidlp_tenure_end(b, tenure);
        return status;
    }
    *tenure = (berth__tenure){.number = number,
                              .job = job,
                              .promised = promised,
                              .announced = true,
                              .plan = *plan,
                              .booked = true,
                              .before = {.payoff_bound = (double)NAN}};
    *plan = (berth__plan){.payoff_bound = (double)NAN};
    size_t at = find_tenure(b, number);
    memmove(b->tenures + at + 1, b->tenures + at, (b->n_tenures - at) * sizeof(berth__tenure *));
    b->tenures[at] = tenure;
    b->n_tenures++;
    return BERTH_OK;
}

void berth__bidlp_set_job(berth__bidlp *b, uint64_t number, const berth__job *job) {
    b->tenures[find_tenure(b, number)]->job = job;
}

/* ---- time ---- */

/* Of the jobs seen, those that futures are no longer drawn from, once they are as many as those that are. */
static void forget_seen(berth__bidlp *b) {
    if (b->n_seen < 2 * (size_t)BERTH__BIDLP_MEMORY) {
        return;
    }
    size_t n = b->n_seen - BERTH__BIDLP_MEMORY;
    for (size_t i = 0; i < n; i++) {
        berth__job_free((berth__job *)(uintptr_t)b->seen[i].job);
        berth__bidlp_spare_profile(&b->shape, i);
    }
    b->n_seen -= n;
    b->shape.n_profiles -= n;
    memmove(b->seen, b->seen + n, b->n_seen * sizeof *b->seen);
    memmove(b->shape.profiles, b->shape.profiles + n, b->shape.n_profiles * sizeof *b->shape.profiles);
    int first = b->seen[0].job->arrival; /* of slots before it not all are known */
    b->past = first < 0 ? (-first < b->past ? -first : b->past) : 0;
}

void berth__bidlp_shift(berth__bidlp *b, int slots) {
    size_t rows = berth__bidlp_rows(b), T = (size_t)b->set.cluster->horizon, n = (size_t)slots;
    for (int f = 0; f < b->effort.futures; f++) {
        berth__shift_prices(b->shape.future_prices + (size_t)f * rows, n, T, rows / T);
    }
    berth__shift_prices(b->shape.bids, n, T, rows / T);
    berth__ledger_shift(b->shape.ledger, slots);
    for (size_t i = 0; i < b->n_seen; i++) {
        ((berth__job *)(uintptr_t)b->seen[i].job)->arrival -= slots;
    }
    for (size_t i = 0; i < b->n_tenures; i++) {
        berth__tenure *tenure = b->tenures[i];
        tenure->promised -= slots;
        for (size_t k = 0; k < tenure->plan.n_slots; k++) {
            tenure->plan.slots[k].slot -= slots;
        }
    }
    b->slot = b->slot > slots ? b->slot - slots : 0;
    b->base += slots;
    b->past = b->past < BERTH__BIDLP_MOST_PAST - slots ? b->past + slots : BERTH__BIDLP_MOST_PAST;
    forget_seen(b);
}

/* ---- other machines ---- */

static berth_status renew_seen(const berth__bidlp *old, berth__bidlp *b, berth_error *error) {
    b->seen = BERTH__NEW_ARRAY(berth__seen, old->n_seen);
    if (b->seen == NULL) {
        return berth__fail_memory(error);
    }
    b->seen_room = old->n_seen;
    berth_status status = BERTH_OK;
    for (size_t i = 0; i < old->n_seen && status == BERTH_OK; i++) {
        berth__job *job = NULL;
        status = berth__job_renew(b->set.cluster, old->seen[i].job, &job, error);
        if (status == BERTH_OK) {
            b->seen[b->n_seen++] = (berth__seen){.job = job, .own = true};
        }
    }
    return status;
}

static berth_status reshape(berth__bidlp *b, berth_error *error) {
    berth__cluster *cluster = b->set.cluster;
    int *class_of = BERTH__NEW_ARRAY(int, (size_t)cluster->n_machines);
    int *number = BERTH__NEW_ARRAY(int, 2 * (size_t)cluster->n_classes + 2 * (size_t)BERTH__MOST_CLASSES);
    berth_status status = class_of == NULL || number == NULL ? berth__fail_memory(error) : BERTH_OK;
    if (status == BERTH_OK) {
        berth__bidlp_set_classes(cluster, berth__bidlp_split_classes(b, b->n_seen, class_of, number), class_of);
        berth__bidlp_shape_clear(&b->shape);
        status = berth__bidlp_shape_init(b, &b->shape, error);
    }
    if (status == BERTH_OK) {
        status = berth__bidlp_profile_seen(b, &b->shape, error);
    }
    berth__free(class_of);
    berth__free(number);
    return status;
}

/* The machine of the old cluster whose prices a machine of the new one starts with: itself, as it was if it has any
 * capacity, else the most alike. */
static int most_alike(const berth__cluster *old, const berth__cluster *cluster, int machine) {
    size_t R = (size_t)cluster->n_resources;
    const double *wanted = cluster->capacity + (size_t)machine * R;
    int best = 0;
    double least = HUGE_VAL;
    for (int h = 0; h < old->n_machines; h++) {
        const double *has = old->capacity + (size_t)h * R;
        double distance = h == machine ? -1e-12 : 0;
        for (size_t r = 0; r < R; r++) {
            distance += fabs(has[r] - wanted[r]);
        }
        if (distance < least) {
            least = distance;
            best = h;
        }
    }
    return best;
}

/* [horizon][classes][n_resources] of the new classes from those of the old ones. */
static void map_prices(const berth__bidlp *old, const berth__bidlp *b, const int *like, const double *from,
                       double *to) {
    size_t T = (size_t)b->set.cluster->horizon, R = (size_t)b->set.cluster->n_resources;
    size_t K = (size_t)b->set.cluster->n_classes, old_K = (size_t)old->set.cluster->n_classes;
    for (size_t row = 0; row < T * K; row++) {
        size_t k = (size_t)old->set.cluster->class_of[like[row % K]];
        memcpy(to + row * R, from + (row / K * old_K + k) * R, R * sizeof *to);
    }
}

static berth_status take_prices(const berth__bidlp *old, berth__bidlp *b, berth_error *error) {
    const berth__cluster *cluster = b->set.cluster;
    int *like = BERTH__NEW_ARRAY(int, (size_t)cluster->n_classes);
    if (like == NULL) {
        return berth__fail_memory(error);
    }
    for (int k = 0; k < cluster->n_classes; k++) {
        like[k] = most_alike(old->set.cluster, cluster, b->shape.view.machine[k]);
    }
    for (size_t f = 0; f < (size_t)b->effort.futures; f++) {
        map_prices(old, b, like, old->shape.future_prices + f * berth__bidlp_rows(old),
                   b->shape.future_prices + f * berth__bidlp_rows(b));
    }
    map_prices(old, b, like, old->shape.bids, b->shape.bids);
    berth__free(like);
    berth__ledger_set_bids(b->shape.ledger, 0, cluster->horizon, b->shape.bids, b->tie);
    return BERTH_OK;
}

berth_status berth__bidlp_renew(const berth__bidlp *old, const berth__bidlp_setting *setting, berth__bidlp **out,
                                berth_error *error) {
    berth_status status = berth__bidlp_new(setting, out, error);
    if (status != BERTH_OK) {
        return status;
    }
    berth__bidlp *b = *out;
    size_t R = (size_t)setting->cluster->n_resources;
    b->base = old->base;
    b->past = old->past;
    b->slot = old->slot;
    memcpy(b->tie, old->tie, R * sizeof *b->tie);
    memcpy(b->least_bid, old->least_bid, R * sizeof *b->least_bid);
    status = renew_seen(old, b, error);
    if (status == BERTH_OK) {
        status = reshape(b, error);
    }
    if (status == BERTH_OK) {
        status = take_prices(old, b, error);
    }
    if (status != BERTH_OK) {
        berth__bidlp_free(b);
        *out = NULL;
    }
    return status;
}
