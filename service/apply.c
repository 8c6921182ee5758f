#include "service/apply.h"

#include "base/alloc.h"
#include "base/error.h"
#include "formats/names.h"
#include "formats/reply_json.h"

#include <stdio.h>
#include <string.h>

/* Does what an event says. Where it fails, nothing has happened and nothing was written; else the reply's own fields
 * are, after begin(). */
typedef berth_status (*doing)(const berth__world *world, const berth__event *event, berth__json_writer *w,
                              berth_error *error);

/* What every reply begins with. */
static void begin(const berth__world *world, const berth__event *event, berth__json_writer *w) {
    berth__json_begin_line(w);
    berth__json_object(w, NULL);
    berth__json_string(w, "event", event->name);
    if (world->shadow != NULL) {
        berth__json_bool(w, "shadow", true);
    }
    berth__json_uint64(w, "sequence", world->sequence);
    berth__json_integer(w, "now", berth_now(world->scheduler));
}

/* ---- jobs ---- */

/* The slot of a list of jobs: the one given, else that of the first that has one, else the present one. */
static int slot_of(const berth__world *world, const berth__event *event) {
    int slot = event->slot;
    for (size_t k = 0; k < event->n_jobs && slot < 0; k++) {
        slot = event->jobs[k].arrival_slot;
    }
    return slot >= 0 ? slot : berth_now(world->scheduler);
}

/* Those of the event, with arrival slots; berth__free them. They borrow from the event. */
static berth_job *copy_jobs(const berth__world *world, const berth__event *event) {
    berth_job *jobs = BERTH__NEW_ARRAY(berth_job, event->n_jobs);
    int slot = slot_of(world, event);
    for (size_t k = 0; jobs != NULL && k < event->n_jobs; k++) {
        jobs[k] = event->jobs[k];
        jobs[k].arrival_slot = jobs[k].arrival_slot >= 0 ? jobs[k].arrival_slot : slot;
    }
    return jobs;
}

/* The scheduler names fields of an only job; the event has them below "job" or in its list. */
static berth_status below_job(const berth__event *event, berth_status status, berth_error *error) {
    if (status != BERTH_OK && error->where[0] == '/' && strncmp(error->where, "/jobs/", 6) != 0) {
        berth__error_prefix(error, event->list ? "/jobs/0" : "/job");
    }
    return status;
}

static berth_status shadow_add(const berth__world *world, const berth__event *event, const berth_job *jobs,
                               berth_error *error) {
    char where[40];
    for (size_t k = 0; k < event->n_jobs && world->shadow != NULL; k++) {
        bool twice = berth__shadow_find(world->shadow, jobs[k].id) != NULL;
        if (!twice && berth__shadow_add(world->shadow, &jobs[k], jobs[k].arrival_slot)) {
            continue;
        }
        berth__shadow_take_back(world->shadow, k);
        snprintf(where, sizeof where, event->list ? "/jobs/%zu/id" : "/job/id", k);
        return twice ? berth__fail(error, BERTH_E_ARGUMENT, where,
                                   "a job \"%.60s\" was submitted before and has not been observed yet", jobs[k].id)
                     : berth__fail_memory(error);
    }
    return BERTH_OK;
}

static void shadow_decide(const berth__world *world, const berth__event *event, berth_status status,
                          berth_decision *const *decisions) {
    if (world->shadow == NULL) {
        return;
    }
    if (status != BERTH_OK) {
        berth__shadow_take_back(world->shadow, event->n_jobs);
        return;
    }
    size_t first = world->shadow->n - event->n_jobs;
    for (size_t k = 0; k < event->n_jobs; k++) {
        berth__shadow_decided(&world->shadow->jobs[first + k], decisions[k]);
    }
}

static berth_status decide(const berth__world *world, const berth__event *event, const berth_job *jobs,
                           berth_decision **decisions, berth_error *error) {
    berth_scheduler *scheduler = world->scheduler;
    int slot = slot_of(world, event);
    if (event->kind == BERTH__EVENT_PROPOSE) {
        slot = event->list ? slot : jobs[0].arrival_slot;
        return berth_propose(scheduler, slot, event->n_jobs, jobs, decisions, error);
    }
    if (event->kind == BERTH__EVENT_GANG) {
        return berth_submit_gang(scheduler, slot, event->n_jobs, jobs, decisions, error);
    }
    return event->list ? berth_submit_batch(scheduler, slot, event->n_jobs, jobs, decisions, error)
                       : berth_submit(scheduler, &jobs[0], &decisions[0], error);
}

static berth_status submit(const berth__world *world, const berth__event *event, berth__json_writer *w,
                           berth_error *error) {
    berth_job *jobs = copy_jobs(world, event);
    berth_decision **decisions = BERTH__NEW_ARRAY(berth_decision *, event->n_jobs);
    berth_status status =
        jobs == NULL || decisions == NULL ? berth__fail_memory(error) : shadow_add(world, event, jobs, error);
    if (status == BERTH_OK) {
        status = below_job(event, decide(world, event, jobs, decisions, error), error);
        shadow_decide(world, event, status, decisions);
    }
    if (status == BERTH_OK) {
        begin(world, event, w);
        if (event->list) {
            berth__json_list(w, "decisions");
        }
        for (size_t k = 0; k < event->n_jobs; k++) {
            berth__reply_decision(w, event->list ? NULL : "decision", world->scheduler, jobs[k].id, decisions[k]);
        }
        if (event->list) {
            berth__json_close(w);
        }
    }
    for (size_t k = 0; k < event->n_jobs && decisions != NULL; k++) {
        berth_decision_free(decisions[k]);
    }
    berth__free(decisions);
    berth__free(jobs);
    return status;
}

/* A copy of the one job of a question, with an arrival slot. */
static berth_job job_asked(const berth__world *world, const berth__event *event) {
    berth_job job = event->jobs[0];
    job.arrival_slot = job.arrival_slot >= 0 ? job.arrival_slot : berth_now(world->scheduler);
    return job;
}

static berth_status what_if(const berth__world *world, const berth__event *event, berth__json_writer *w,
                            berth_error *error) {
    berth_job job = job_asked(world, event);
    berth_decision *decision = NULL;
    berth_status status = below_job(event, berth_what_if(world->scheduler, &job, &decision, error), error);
    if (status == BERTH_OK) {
        begin(world, event, w);
        berth__reply_decision(w, "decision", world->scheduler, job.id, decision);
        berth_decision_free(decision);
    }
    return status;
}

static berth_status explain(const berth__world *world, const berth__event *event, berth__json_writer *w,
                            berth_error *error) {
    berth_job job = job_asked(world, event);
    berth_explanation *explanation = NULL;
    berth_status status = below_job(event, berth_explain(world->scheduler, &job, &explanation, error), error);
    if (status == BERTH_OK) {
        begin(world, event, w);
        berth__json_string(w, "id", job.id);
        berth__reply_explanation(w, world->scheduler, explanation, world->instance);
        berth_explanation_free(explanation);
    }
    return status;
}

static berth_status find_job(const berth__world *world, const berth__event *event, uint64_t *number,
                             berth_error *error) {
    *number = event->job_number;
    if (event->job_id == NULL || berth_find_job(world->scheduler, event->job_id, number)) {
        return BERTH_OK;
    }
    return berth__fail(error, BERTH_E_ARGUMENT, "/job", "no live job has the id \"%.60s\"", event->job_id);
}

static berth_status change_job(const berth__world *world, const berth__event *event, uint64_t number,
                               berth_error *error) {
    switch ((int)event->kind) {
    case BERTH__EVENT_COMMIT:
        return berth_commit(world->scheduler, number, error);
    case BERTH__EVENT_ABANDON:
        return berth_abandon(world->scheduler, number, error);
    case BERTH__EVENT_FINISH:
        return berth_finish(world->scheduler, number, error);
    case BERTH__EVENT_CANCEL:
        return berth_cancel(world->scheduler, number, error);
    default:
        return berth_report_left(world->scheduler, number, event->samples, error);
    }
}

/* The scheduler names an argument; the event's field has that name but for one, whom the event is about. */
static berth_status at_field(berth_status status, const char *ours, const char *theirs, berth_error *error) {
    if (status != BERTH_OK && (error->where[0] == '\0' || strcmp(error->where, theirs) == 0)) {
        snprintf(error->where, sizeof error->where, "/%s", ours);
    } else if (status != BERTH_OK && error->where[0] != '/') {
        berth__error_prefix(error, "/");
    }
    return status;
}

static berth_status act_on_job(const berth__world *world, const berth__event *event, berth__json_writer *w,
                               berth_error *error) {
    uint64_t number = 0;
    berth_status status = find_job(world, event, &number, error);
    if (status == BERTH_OK) {
        status = at_field(change_job(world, event, number, error), "job", "number", error);
    }
    if (status == BERTH_OK) {
        bool off = event->kind == BERTH__EVENT_CANCEL || event->kind == BERTH__EVENT_ABANDON;
        if (off && world->shadow != NULL) {
            berth__shadow_forget(world->shadow, number);
        }
        begin(world, event, w);
        berth__json_uint64(w, "number", number);
    }
    return status;
}

static berth_status advance(const berth__world *world, const berth__event *event, berth__json_writer *w,
                            berth_error *error) {
    berth_status status = at_field(berth_advance(world->scheduler, event->slot, error), "slot", "slot", error);
    if (status == BERTH_OK) {
        begin(world, event, w);
    }
    return status;
}

/* ---- machines ---- */

static berth_status find_machine(const berth__world *world, const char *name, int *machine, berth_error *error) {
    size_t n = berth_machine_count(world->scheduler);
    *machine = berth_find_machine(world->scheduler, name);
    if (*machine >= 0) {
        return BERTH_OK;
    }
    const char **names = BERTH__NEW_ARRAY(const char *, n);
    for (size_t k = 0; k < n && names != NULL; k++) {
        names[k] = berth__reply_machine_name(world->scheduler, (int)k);
    }
    const char *nearest = names != NULL ? berth__nearest_name(name, names, n) : NULL;
    berth__free(names);
    return nearest != NULL ? berth__fail(error, BERTH_E_ARGUMENT, "/machine",
                                         "no machine \"%.60s\"; did you mean \"%s\"?", name, nearest)
                           : berth__fail(error, BERTH_E_ARGUMENT, "/machine", "no machine \"%.60s\"", name);
}

static berth_status change_machine(const berth__world *world, const berth__event *event, int *machine,
                                   berth_error *error) {
    if (event->kind == BERTH__EVENT_ADD_MACHINE) {
        return berth_add_machine(world->scheduler, event->machine, event->capacity, machine, error);
    }
    berth_status status = find_machine(world, event->machine, machine, error);
    if (status != BERTH_OK) {
        return status;
    }
    switch ((int)event->kind) {
    case BERTH__EVENT_DRAIN:
        return berth_drain_machine(world->scheduler, *machine, error);
    case BERTH__EVENT_FAIL:
        return berth_fail_machine(world->scheduler, *machine, error);
    case BERTH__EVENT_RESIZE:
        return berth_resize_machine(world->scheduler, *machine, event->capacity, error);
    default:
        return berth_return_machine(world->scheduler, *machine, error);
    }
}

static berth_status write_machine(const berth__world *world, const char *key, int machine, berth__json_writer *w) {
    berth_machine_info info;
    berth_status status = berth_machine(world->scheduler, machine, &info);
    if (status == BERTH_OK) {
        berth__reply_machine(w, key, &info, world->instance);
    }
    return status;
}

static berth_status act_on_machine(const berth__world *world, const berth__event *event, berth__json_writer *w,
                                   berth_error *error) {
    int machine = -1;
    berth_status status = at_field(change_machine(world, event, &machine, error), "machine", "name", error);
    if (status == BERTH_OK) {
        begin(world, event, w);
        write_machine(world, "machine", machine, w);
    }
    return status;
}

/* ---- questions ---- */

static berth_status live_job(const berth__world *world, uint64_t number, berth_job_info *out, berth_error *error) {
    for (size_t k = 0, n = berth_live_count(world->scheduler); k < n; k++) {
        if (berth_live_job(world->scheduler, k, out) == BERTH_OK && out->number == number) {
            return BERTH_OK;
        }
    }
    return berth__fail(error, BERTH_E_ARGUMENT, "/job", "no live job has the number %llu", (unsigned long long)number);
}

static void write_live(const berth__world *world, berth__json_writer *w) {
    berth_job_info info;
    berth__json_list(w, "jobs");
    for (size_t k = 0, n = berth_live_count(world->scheduler); k < n; k++) {
        if (berth_live_job(world->scheduler, k, &info) == BERTH_OK) {
            berth__reply_job(w, NULL, &info);
        }
    }
    berth__json_close(w);
}

static void slots_of_value(const berth__world *world, const berth__event *event, int *first, int *end) {
    *first = event->first >= 0 ? event->first : berth_now(world->scheduler);
    *end = event->end >= 0 ? event->end : berth_horizon(world->scheduler);
}

static berth_status check_value(const berth__world *world, const berth__event *event, berth_error *error) {
    int first, end;
    slots_of_value(world, event, &first, &end);
    return first < end ? BERTH_OK
                       : berth__fail(error, BERTH_E_INPUT, "/value", "first is %d, end is %d; expected first < end",
                                     first, end);
}

static void write_value(const berth__world *world, const berth__event *event, int machine, berth__json_writer *w) {
    int first, end;
    slots_of_value(world, event, &first, &end);
    size_t from = machine >= 0 ? (size_t)machine : 0;
    size_t to = machine >= 0 ? from + 1 : berth_machine_count(world->scheduler);
    berth__json_object(w, "value");
    berth__json_integer(w, "first", first);
    berth__json_integer(w, "end", end);
    berth__json_list(w, "machines");
    for (size_t k = from; k < to; k++) {
        berth__reply_value(w, world->scheduler, (int)k, first, end, world->instance);
    }
    berth__json_close(w);
    berth__json_close(w);
}

static void write_shadow(const berth__shadow *shadow, berth__json_writer *w) {
    berth__json_object(w, "comparison");
    berth__json_uint64(w, "open", shadow->n);
    berth__json_uint64(w, "completed", shadow->completed);
    berth__json_uint64(w, "rejected", shadow->rejected);
    berth__json_number(w, "utility_planned", shadow->utility_planned);
    berth__json_number(w, "utility_observed", shadow->utility_observed);
    berth__json_number(w, "gain", shadow->utility_planned - shadow->utility_observed);
    berth__json_close(w);
}

static void write_plan(const berth__world *world, const berth_job_info *info, berth_decision *plan,
                       berth__json_writer *w) {
    berth__reply_job(w, "job", info);
    if (plan != NULL) {
        berth__reply_slots(w, world->scheduler, plan, 0);
        berth_decision_free(plan);
    }
}

static berth_status answer_status(const berth__world *world, const berth__event *event, berth__json_writer *w,
                                  berth_error *error) {
    uint64_t number;
    int machine = -1;
    berth_job_info info = {0};
    berth_decision *plan = NULL;
    berth_statistics statistics = {.struct_size = sizeof statistics};
    berth_status status = berth_scheduler_statistics(world->scheduler, &statistics);
    if (status != BERTH_OK) {
        return berth__fail(error, status, NULL, "%s", berth_status_text(status));
    }
    if (event->has_job) {
        status = find_job(world, event, &number, error);
        status = status == BERTH_OK ? live_job(world, number, &info, error) : status;
        status = status == BERTH_OK ? berth_present_plan(world->scheduler, number, &plan, error) : status;
    }
    if (status == BERTH_OK && event->machine != NULL) {
        status = find_machine(world, event->machine, &machine, error);
    }
    if (status == BERTH_OK && event->want_value) {
        status = check_value(world, event, error);
    }
    if (status != BERTH_OK) {
        berth_decision_free(plan);
        return status;
    }
    begin(world, event, w);
    berth__json_integer(w, "horizon", berth_horizon(world->scheduler));
    berth__reply_statistics(w, &statistics);
    if (world->shadow != NULL) {
        write_shadow(world->shadow, w);
    }
    if (event->has_job) {
        write_plan(world, &info, plan, w);
    }
    if (event->want_jobs) {
        write_live(world, w);
    }
    if (machine >= 0) {
        write_machine(world, "machine", machine, w);
    }
    if (event->want_machines) {
        berth__json_list(w, "machines");
        for (size_t k = 0, n = berth_machine_count(world->scheduler); k < n; k++) {
            write_machine(world, NULL, (int)k, w);
        }
        berth__json_close(w);
    }
    if (event->want_value) {
        write_value(world, event, machine, w);
    }
    return status;
}

static berth_status hello(const berth__world *world, const berth__event *event, berth__json_writer *w,
                          berth_error *error) {
    char crc32[16];
    (void)error;
    snprintf(crc32, sizeof crc32, "%08x", (unsigned)world->instance->crc32);
    begin(world, event, w);
    berth__json_string(w, "protocol", BERTH__PROTOCOL);
    berth__json_string(w, "replies", BERTH__REPLIES);
    berth__json_string(w, "version", berth_version());
    berth__json_string(w, "policy", world->policy);
    berth__json_string(w, "instance", world->instance->name);
    berth__json_string(w, "instance_crc32", crc32);
    berth__json_number(w, "slot_seconds", world->instance->slot_seconds);
    berth__json_integer(w, "horizon", berth_horizon(world->scheduler));
    berth__json_bool(w, "rolling", world->rolling);
    berth__json_bool(w, "state", world->kept);
    berth__json_strings(w, "resources", world->instance->n_resources, world->instance->resources);
    return BERTH_OK;
}

/* ---- shadow ---- */

static berth_status observe(const berth__world *world, const berth__event *event, berth__json_writer *w,
                            berth_error *error) {
    if (world->shadow == NULL) {
        return berth__fail(error, BERTH_E_UNSUPPORTED, "/event", "only a server with --shadow compares");
    }
    berth__shadow_job *job = NULL;
    if (event->job_id == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "/job", "what is observed goes by the job's id");
    }
    job = berth__shadow_find(world->shadow, event->job_id);
    if (job == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "/job", "no job \"%.60s\" is waiting to be observed",
                           event->job_id);
    }
    berth__shadow_outcome outcome = berth__shadow_observe(world->shadow, job, event->completion_slot);
    begin(world, event, w);
    berth__json_string(w, "id", event->job_id);
    berth__json_number(w, "utility_planned", outcome.planned);
    berth__json_number(w, "utility_observed", outcome.observed);
    write_shadow(world->shadow, w);
    return BERTH_OK;
}

/* ---- all of them ---- */

static const doing doings[BERTH__N_EVENTS] = {
    [BERTH__EVENT_SUBMIT] = submit,         [BERTH__EVENT_GANG] = submit,
    [BERTH__EVENT_PROPOSE] = submit,        [BERTH__EVENT_COMMIT] = act_on_job,
    [BERTH__EVENT_ABANDON] = act_on_job,    [BERTH__EVENT_WHAT_IF] = what_if,
    [BERTH__EVENT_EXPLAIN] = explain,       [BERTH__EVENT_ADVANCE] = advance,
    [BERTH__EVENT_FINISH] = act_on_job,     [BERTH__EVENT_CANCEL] = act_on_job,
    [BERTH__EVENT_LEFT] = act_on_job,       [BERTH__EVENT_ADD_MACHINE] = act_on_machine,
    [BERTH__EVENT_DRAIN] = act_on_machine,  [BERTH__EVENT_FAIL] = act_on_machine,
    [BERTH__EVENT_RESIZE] = act_on_machine, [BERTH__EVENT_RETURN] = act_on_machine,
    [BERTH__EVENT_OBSERVED] = observe,      [BERTH__EVENT_STATUS] = answer_status,
    [BERTH__EVENT_HELLO] = hello,
};

/* What became of other jobs. */
static berth_status tell_changes(const berth__world *world, berth__json_writer *w, berth_error *error) {
    berth_changes changes = {0};
    berth_status status = berth_take_changes(world->scheduler, &changes, error);
    if (status == BERTH_OK) {
        if (world->shadow != NULL) {
            berth__shadow_changed(world->shadow, &changes);
        }
        berth__reply_changes(w, world->scheduler, &changes);
    }
    berth_changes_clear(&changes);
    return status;
}

static berth_status finish(berth__json_writer *w, berth_status status, char **body, berth_error *error) {
    size_t length = 0;
    berth_error other = {0};
    berth__json_close(w);
    berth_status written = berth__json_finish(w, body, &length, status == BERTH_OK ? error : &other);
    if (status != BERTH_OK) {
        berth__free(*body);
        *body = NULL;
        return status;
    }
    return written;
}

berth_status berth__apply_nothing(const berth__world *world, const berth__event *event, const berth_error *why,
                                  char **body, berth_error *error) {
    berth__json_writer w;
    begin(world, event, &w);
    if (why != NULL) {
        berth__reply_error(&w, why);
    }
    return finish(&w, BERTH_OK, body, error);
}

berth_status berth__apply(const berth__world *world, const berth__event *event, char **body, berth_status *outcome,
                          berth_error *error) {
    berth__json_writer w;
    berth_error why = event->error;
    *body = NULL;
    *outcome = why.status != BERTH_OK ? why.status : doings[event->kind](world, event, &w, &why);
    if (*outcome != BERTH_OK) {
        begin(world, event, &w);
        berth__reply_error(&w, &why);
    }
    berth_status status = BERTH_OK;
    if (event->error.status == BERTH_OK && berth__event_changes(event->kind)) {
        status = tell_changes(world, &w, error);
    }
    return finish(&w, status, body, error);
}
