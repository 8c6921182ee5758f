/* Machines that come, go and change. */
#include "online/scheduler/scheduler.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static berth_status check_machine(const berth_scheduler *s, int machine, berth_error *error) {
    if (s == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "scheduler", "scheduler must not be NULL");
    }
    if (machine < 0 || (size_t)machine >= s->fleet.n_machines) {
        return berth__fail(error, BERTH_E_ARGUMENT, "machine", "machine is %d; expected 0 to %zu", machine,
                           s->fleet.n_machines - 1);
    }
    return BERTH_OK;
}

static berth_status check_capacity(const berth_scheduler *s, const double *capacity, berth_error *error) {
    if (capacity == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "capacity", "capacity must not be NULL");
    }
    for (size_t r = 0; r < s->fleet.n_resources; r++) {
        if (!(capacity[r] == 0 || (capacity[r] >= 1e-100 && capacity[r] <= 1e100))) {
            return berth__fail(error, BERTH_E_ARGUMENT, "capacity",
                               "capacity of %s is %g; expected 0 or a number from 1e-100 to 1e100",
                               s->fleet.resources[r], capacity[r]);
        }
    }
    return BERTH_OK;
}

/* With a fleet that is the scheduler's already, or cleared here. */
static berth_status replace(berth_scheduler *s, berth__fleet *fleet, bool made, berth__replacement *with,
                            berth_error *error) {
    with->fleet = fleet;
    berth_status status = made ? berth__scheduler_replace(s, with, error) : berth__fail_memory(error);
    berth__fleet_clear(fleet);
    return status;
}

static berth_status set_state(berth_scheduler *s, int machine, berth_machine_state state, berth__replacement *with,
                              berth_error *error) {
    if (s->fleet.state[machine] == state) {
        return BERTH_OK;
    }
    berth__fleet fleet;
    bool made = berth__fleet_copy(&fleet, &s->fleet, NULL, NULL);
    if (made) {
        fleet.state[machine] = state;
    }
    return replace(s, &fleet, made, with, error);
}

berth_status berth_add_machine(berth_scheduler *s, const char *name, const double *capacity, int *machine,
                               berth_error *error) {
    if (machine != NULL) {
        *machine = -1;
    }
    if (s == NULL || name == NULL || name[0] == '\0') {
        return berth__fail(error, BERTH_E_ARGUMENT, "name", "scheduler must not be NULL, nor name NULL or empty");
    }
    int same = berth__fleet_find(&s->fleet, name);
    if (same >= 0) {
        return berth__fail(error, BERTH_E_ARGUMENT, "name", "\"%s\" is the name of machine %d", name, same);
    }
    berth_status status = check_capacity(s, capacity, error);
    if (status != BERTH_OK) {
        return status;
    }
    int added = (int)s->fleet.n_machines;
    berth__fleet fleet;
    bool made = berth__fleet_copy(&fleet, &s->fleet, name, capacity);
    berth__replacement with = {.gone = -1, .cause = ""};
    status = replace(s, &fleet, made, &with, error);
    if (status == BERTH_OK && machine != NULL) {
        *machine = added;
    }
    return status;
}

berth_status berth_drain_machine(berth_scheduler *s, int machine, berth_error *error) {
    berth_status status = check_machine(s, machine, error);
    if (status == BERTH_OK && s->fleet.state[machine] == BERTH_MACHINE_UP) {
        berth__replacement with = {.gone = -1, .cause = ""};
        status = set_state(s, machine, BERTH_MACHINE_DRAINING, &with, error);
    }
    return status;
}

berth_status berth_fail_machine(berth_scheduler *s, int machine, berth_error *error) {
    berth_status status = check_machine(s, machine, error);
    if (status == BERTH_OK) {
        char cause[96];
        snprintf(cause, sizeof cause, "machine %.60s failed", s->fleet.machines[machine]);
        berth__replacement with = {.gone = machine, .cause = cause};
        status = set_state(s, machine, BERTH_MACHINE_DOWN, &with, error);
    }
    return status;
}

berth_status berth_return_machine(berth_scheduler *s, int machine, berth_error *error) {
    berth_status status = check_machine(s, machine, error);
    if (status == BERTH_OK) {
        berth__replacement with = {.gone = -1, .cause = ""};
        status = set_state(s, machine, BERTH_MACHINE_UP, &with, error);
    }
    return status;
}

berth_status berth_resize_machine(berth_scheduler *s, int machine, const double *capacity, berth_error *error) {
    berth_status status = check_machine(s, machine, error);
    if (status == BERTH_OK) {
        status = check_capacity(s, capacity, error);
    }
    if (status != BERTH_OK) {
        return status;
    }
    size_t R = s->fleet.n_resources;
    char cause[96];
    snprintf(cause, sizeof cause, "machine %.60s was resized", s->fleet.machines[machine]);
    berth__fleet fleet;
    bool made = berth__fleet_copy(&fleet, &s->fleet, NULL, NULL);
    for (size_t r = 0; r < R && made; r++) {
        fleet.capacity[(size_t)machine * R + r] = capacity[r];
        fleet.total[r] = fleet.total[r] > 0 ? fleet.total[r] : capacity[r];
    }
    berth__replacement with = {.gone = -1, .refit = true, .cause = cause};
    return replace(s, &fleet, made, &with, error);
}
