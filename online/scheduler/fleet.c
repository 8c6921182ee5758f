#include "online/scheduler/fleet.h"

#include "base/error.h"

#include <string.h>

static char **copy_texts(size_t n, const char *const *from, size_t room) {
    char **copy = BERTH__NEW_ARRAY(char *, room);
    for (size_t i = 0; i < n && copy != NULL; i++) {
        copy[i] = berth__strdup(from[i]);
        if (copy[i] == NULL) {
            while (i > 0) {
                berth__free(copy[--i]);
            }
            berth__free(copy);
            return NULL;
        }
    }
    return copy;
}

static double *copy_numbers(size_t n, const double *from, size_t room) {
    double *copy = BERTH__NEW_ARRAY(double, room);
    if (copy != NULL && n > 0) {
        memcpy(copy, from, n * sizeof *copy);
    }
    return copy;
}

bool berth__fleet_init(berth__fleet *fleet, const berth_cluster *cluster) {
    size_t R = cluster->n_resources, H = cluster->n_machines, Q = cluster->n_quotas;
    *fleet = (berth__fleet){.slot_seconds = cluster->slot_seconds,
                            .horizon = cluster->horizon_slots,
                            .n_resources = R,
                            .n_machines = H,
                            .n_quotas = Q,
                            .resources = copy_texts(R, cluster->resources, R),
                            .total = BERTH__NEW_ARRAY(double, R),
                            .tenants = BERTH__NEW_ARRAY(char *, Q),
                            .quota = BERTH__NEW_ARRAY(double, Q *R),
                            .machines = copy_texts(H, cluster->machines, H),
                            .capacity = copy_numbers(H * R, cluster->capacity, H * R),
                            .state = BERTH__NEW_ARRAY(berth_machine_state, H)};
    bool good = fleet->resources != NULL && fleet->total != NULL && fleet->tenants != NULL && fleet->quota != NULL &&
                fleet->machines != NULL && fleet->capacity != NULL && fleet->state != NULL;
    for (size_t q = 0; q < Q && good; q++) {
        fleet->tenants[q] = berth__strdup(cluster->quotas[q].tenant);
        memcpy(fleet->quota + q * R, cluster->quotas[q].amount, R * sizeof(double));
        good = fleet->tenants[q] != NULL;
    }
    for (size_t i = 0; i < H * R && good; i++) {
        fleet->total[i % R] += cluster->capacity[i];
    }
    return good;
}

bool berth__fleet_copy(berth__fleet *fleet, const berth__fleet *from, const char *name, const double *capacity) {
    size_t R = from->n_resources, H = from->n_machines, more = name != NULL, Q = from->n_quotas;
    *fleet = *from;
    fleet->resources = copy_texts(R, (const char *const *)from->resources, R);
    fleet->total = copy_numbers(R, from->total, R);
    fleet->tenants = copy_texts(Q, (const char *const *)from->tenants, Q);
    fleet->quota = copy_numbers(Q * R, from->quota, Q * R);
    fleet->machines = copy_texts(H, (const char *const *)from->machines, H + more);
    fleet->capacity = copy_numbers(H * R, from->capacity, (H + more) * R);
    fleet->state = BERTH__NEW_ARRAY(berth_machine_state, H + more);
    bool good = fleet->resources != NULL && fleet->total != NULL && fleet->tenants != NULL && fleet->quota != NULL &&
                fleet->machines != NULL && fleet->capacity != NULL && fleet->state != NULL;
    if (good) {
        memcpy(fleet->state, from->state, H * sizeof *fleet->state);
    }
    if (good && name != NULL) {
        fleet->machines[H] = berth__strdup(name);
        memcpy(fleet->capacity + H * R, capacity, R * sizeof(double));
        for (size_t r = 0; r < R; r++) {
            fleet->total[r] = fleet->total[r] > 0 ? fleet->total[r] : capacity[r];
        }
        good = fleet->machines[H] != NULL;
        fleet->n_machines++;
    }
    return good;
}

static void free_texts(size_t n, char **texts) {
    for (size_t i = 0; i < n && texts != NULL; i++) {
        berth__free(texts[i]);
    }
    berth__free(texts);
}

void berth__fleet_clear(berth__fleet *fleet) {
    free_texts(fleet->n_resources, fleet->resources);
    free_texts(fleet->n_quotas, fleet->tenants);
    free_texts(fleet->n_machines, fleet->machines);
    berth__free(fleet->total);
    berth__free(fleet->quota);
    berth__free(fleet->capacity);
    berth__free(fleet->state);
    *fleet = (berth__fleet){0};
}

berth_status berth__fleet_cluster(const berth__fleet *fleet, berth__cluster **out, berth_error *error) {
    *out = NULL;
    size_t R = fleet->n_resources, H = fleet->n_machines;
    double *capacity = BERTH__NEW_ARRAY(double, H *R);
    bool *closed = BERTH__NEW_ARRAY(bool, H);
    berth_quota *quotas = BERTH__NEW_ARRAY(berth_quota, fleet->n_quotas);
    berth_status status = BERTH_OK;
    if (capacity == NULL || closed == NULL || quotas == NULL) {
        status = berth__fail_memory(error);
        goto done;
    }
    for (size_t h = 0; h < H; h++) {
        closed[h] = fleet->state[h] != BERTH_MACHINE_UP;
        if (fleet->state[h] != BERTH_MACHINE_DOWN) {
            memcpy(capacity + h * R, fleet->capacity + h * R, R * sizeof *capacity);
        }
    }
    for (size_t q = 0; q < fleet->n_quotas; q++) {
        quotas[q] = (berth_quota){.tenant = fleet->tenants[q], .amount = fleet->quota + q * R};
    }
    berth_cluster spec;
    berth_cluster_init(&spec);
    spec.slot_seconds = fleet->slot_seconds;
    spec.horizon_slots = fleet->horizon;
    spec.n_resources = R;
    spec.resources = (const char *const *)fleet->resources;
    spec.n_machines = H;
    spec.machines = (const char *const *)fleet->machines;
    spec.capacity = capacity;
    spec.n_quotas = fleet->n_quotas;
    spec.quotas = quotas;
    status = berth__cluster_new_within(&spec, fleet->total, closed, out, error);
done:
    berth__free(capacity);
    berth__free(closed);
    berth__free(quotas);
    return status;
}

int berth__fleet_find(const berth__fleet *fleet, const char *name) {
    for (size_t h = 0; h < fleet->n_machines; h++) {
        if (strcmp(fleet->machines[h], name) == 0) {
            return (int)h;
        }
    }
    return -1;
}
