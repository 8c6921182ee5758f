#include "formats/reply_json.h"

#include <math.h>

static void write_number(berth__json_writer *w, const char *key, double value) {
    berth__json_number(w, key, isfinite(value) ? value : (double)NAN);
}

static void write_slot_number(berth__json_writer *w, const char *key, int slot) {
    if (slot < 0) {
        berth__json_null(w, key);
    } else {
        berth__json_integer(w, key, slot);
    }
}

const char *berth__reply_machine_name(const berth_scheduler *scheduler, int machine) {
    berth_machine_info info;
    return berth_machine(scheduler, machine, &info) == BERTH_OK ? info.name : NULL;
}

/* ---- decisions ---- */

static void write_slot(berth__json_writer *w, const berth_scheduler *scheduler, const berth_slot_plan *slot) {
    berth__json_object(w, NULL);
    berth__json_integer(w, "slot", slot->slot);
    berth__json_string(w, "locality", slot->locality == BERTH_INTERNAL ? "internal" : "external");
    write_number(w, "samples", slot->samples);
    berth__json_list(w, "placements");
    for (size_t k = 0; k < slot->n_placements; k++) {
        berth__json_object(w, NULL);
        berth__json_string(w, "machine", berth__reply_machine_name(scheduler, slot->placements[k].machine));
        berth__json_integer(w, "workers", slot->placements[k].workers);
        berth__json_integer(w, "ps", slot->placements[k].ps);
        berth__json_close(w);
    }
    berth__json_close(w);
    berth__json_close(w);
}

void berth__reply_slots(berth__json_writer *w, const berth_scheduler *scheduler, const berth_decision *plan,
                        int first) {
    berth__json_list(w, "slots");
    for (size_t k = 0; k < plan->n_slots; k++) {
        if (plan->slots[k].slot >= first) {
            write_slot(w, scheduler, &plan->slots[k]);
        }
    }
    berth__json_close(w);
}

void berth__reply_decision(berth__json_writer *w, const char *key, const berth_scheduler *scheduler, const char *id,
                           const berth_decision *decision) {
    berth__json_object(w, key);
    berth__json_string(w, "id", id);
    berth__json_uint64(w, "number", decision->number);
    berth__json_bool(w, "admitted", decision->admitted);
    berth__json_string(w, "reason", decision->reason);
    write_slot_number(w, "promised_slot", decision->promised_slot);
    write_slot_number(w, "completion_slot", decision->completion_slot);
    write_number(w, "utility", decision->utility);
    write_number(w, "payoff", decision->payoff);
    write_number(w, "payoff_bound", decision->payoff_bound);
    write_number(w, "price_paid", decision->price_paid);
    berth__reply_slots(w, scheduler, decision, 0);
    berth__json_close(w);
}

/* ---- changes ---- */

static void write_change(berth__json_writer *w, berth_scheduler *scheduler, const berth_change *change) {
    berth_decision *plan = NULL;
    berth__json_object(w, NULL);
    berth__json_string(w, "change", berth_change_kind_name(change->kind));
    berth__json_string(w, "id", change->id);
    berth__json_uint64(w, "number", change->number);
    berth__json_integer(w, "slot", change->slot);
    write_slot_number(w, "promised_slot", change->promised_slot);
    write_slot_number(w, "completion_slot", change->completion_slot);
    berth__json_string(w, "reason", change->reason[0] != '\0' ? change->reason : NULL);
    bool replanned = change->kind == BERTH_CHANGE_MOVED || change->kind == BERTH_CHANGE_DELAYED;
    /* A job that has ended since has no plan any more. */
    if (replanned && berth_present_plan(scheduler, change->number, &plan, NULL) == BERTH_OK) {
        berth__reply_slots(w, scheduler, plan, berth_now(scheduler));
        berth_decision_free(plan);
    }
    berth__json_close(w);
}

void berth__reply_changes(berth__json_writer *w, berth_scheduler *scheduler, const berth_changes *changes) {
    berth__json_list(w, "changes");
    for (size_t k = 0; k < changes->n; k++) {
        write_change(w, scheduler, &changes->changes[k]);
    }
    berth__json_close(w);
}

void berth__reply_error(berth__json_writer *w, const berth_error *error) {
    berth__json_object(w, "error");
    berth__json_string(w, "status", berth_status_name(error->status));
    berth__json_string(w, "where", error->where);
    if (error->column > 0) {
        berth__json_integer(w, "column", error->column);
    }
    berth__json_string(w, "message", error->message[0] != '\0' ? error->message : berth_status_text(error->status));
    berth__json_close(w);
}

/* ---- what there is ---- */

void berth__reply_job(berth__json_writer *w, const char *key, const berth_job_info *job) {
    berth__json_object(w, key);
    berth__json_string(w, "id", job->id);
    berth__json_uint64(w, "number", job->number);
    berth__json_uint64(w, "gang", job->gang);
    berth__json_string(w, "state", berth_job_state_name(job->state));
    berth__json_integer(w, "arrival_slot", job->arrival_slot);
    write_slot_number(w, "promised_slot", job->promised_slot);
    write_slot_number(w, "completion_slot", job->completion_slot);
    write_number(w, "samples", job->samples);
    write_number(w, "samples_left", job->samples_left);
    berth__json_close(w);
}

void berth__reply_machine(berth__json_writer *w, const char *key, const berth_machine_info *machine,
                          const berth_instance *instance) {
    berth__json_object(w, key);
    berth__json_string(w, "machine", machine->name);
    berth__json_string(w, "state", berth_machine_state_name(machine->state));
    berth__json_amounts(w, "capacity", instance->n_resources, instance->resources, machine->capacity,
                        berth__json_skip_zero);
    berth__json_integer(w, "held_until", machine->held_until);
    berth__json_close(w);
}

void berth__reply_statistics(berth__json_writer *w, const berth_statistics *s) {
    const struct {
        const char *key;
        uint64_t value;
    } counts[] = {
        {"submitted", s->submitted},
        {"admitted", s->admitted},
        {"rejected", s->rejected},
        {"proposed", s->proposed},
        {"abandoned", s->abandoned},
        {"lapsed", s->lapsed},
        {"completed", s->completed},
        {"finished", s->finished},
        {"cancelled", s->cancelled},
        {"lost", s->lost},
        {"moved", s->moved},
        {"delayed", s->delayed},
        {"live", s->live},
        {"machines_up", s->machines_up},
        {"machines_draining", s->machines_draining},
        {"machines_down", s->machines_down},
    };
    berth__json_object(w, "statistics");
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
        berth__json_uint64(w, counts[k].key, counts[k].value);
    }
    write_number(w, "utility", s->utility);
    write_number(w, "utility_planned", s->utility_planned);
    berth__json_close(w);
}

void berth__reply_value(berth__json_writer *w, const berth_scheduler *scheduler, int machine, int first, int end,
                        const berth_instance *instance) {
    berth__json_object(w, NULL);
    berth__json_string(w, "machine", berth__reply_machine_name(scheduler, machine));
    berth__json_object(w, "worth");
    for (size_t r = 0; r < instance->n_resources; r++) {
        write_number(w, instance->resources[r], berth_capacity_value(scheduler, first, end, machine, (int)r));
    }
    berth__json_close(w);
    berth__json_close(w);
}

/* ---- explanations ---- */

static const char *verdict_name(berth_machine_verdict verdict) {
    switch (verdict) {
    case BERTH_VERDICT_FREE:
        return "free";
    case BERTH_VERDICT_FORBIDDEN:
        return "forbidden";
    case BERTH_VERDICT_CLOSED:
        return "closed";
    case BERTH_VERDICT_TOO_SMALL:
        return "too-small";
    case BERTH_VERDICT_FULL:
        break;
    }
    return "full";
}

static void write_least_change(berth__json_writer *w, const char *key, const berth_least_change *change) {
    if (!change->found) {
        berth__json_null(w, key);
        return;
    }
    berth__json_object(w, key);
    write_number(w, "value", change->value);
    write_slot_number(w, "completion_slot", change->completion_slot);
    berth__json_close(w);
}

static void write_machine_reason(berth__json_writer *w, const berth_scheduler *scheduler,
                                 const berth_machine_reason *reason, const berth_instance *instance) {
    berth__json_object(w, NULL);
    berth__json_string(w, "machine", berth__reply_machine_name(scheduler, reason->machine));
    berth__json_string(w, "verdict", verdict_name(reason->verdict));
    if (reason->resource >= 0) {
        berth__json_string(w, "resource", instance->resources[reason->resource]);
        write_number(w, "needed", reason->needed);
        write_number(w, "most", reason->most);
    }
    if (reason->verdict == BERTH_VERDICT_FREE) {
        berth__json_integer(w, "free_slots", reason->free_slots);
        write_number(w, "price", reason->price);
    }
    berth__json_close(w);
}

void berth__reply_explanation(berth__json_writer *w, const berth_scheduler *scheduler,
                              const berth_explanation *explanation, const berth_instance *instance) {
    berth__json_object(w, "explanation");
    berth__json_bool(w, "admitted", explanation->admitted);
    berth__json_string(w, "reason", explanation->reason);
    write_number(w, "payoff", explanation->payoff);
    write_number(w, "payoff_bound", explanation->payoff_bound);
    berth__json_object(w, "least_change");
    write_least_change(w, "later_slots", &explanation->later_slots);
    write_least_change(w, "utility_factor", &explanation->utility_factor);
    write_least_change(w, "max_workers", &explanation->max_workers);
    berth__json_close(w);
    berth__json_integer(w, "dry_runs", explanation->dry_runs);
    berth__json_list(w, "machines");
    for (size_t k = 0; k < explanation->n_machines; k++) {
        write_machine_reason(w, scheduler, &explanation->machines[k], instance);
    }
    berth__json_close(w);
    berth__json_close(w);
}
