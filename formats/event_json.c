#include "formats/event_json.h"

#include "base/numeric.h"
#include "formats/bytes.h"
#include "formats/job_json.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static const char *const names[BERTH__N_EVENTS] = {
#define EVENT_NAME(name, text, changes) (text),
    BERTH__EVENT_TABLE(EVENT_NAME)
#undef EVENT_NAME
};

const char *berth__event_name(berth__event_kind kind) {
    return names[kind];
}

bool berth__event_changes(berth__event_kind kind) {
    static const bool changes_state[BERTH__N_EVENTS] = {
#define EVENT_CHANGES(name, text, changes) (changes),
        BERTH__EVENT_TABLE(EVENT_CHANGES)
#undef EVENT_CHANGES
    };
    return changes_state[kind];
}

/* ---- jobs ---- */

static bool read_job(berth__reader *r, const berth__node *node, const berth_instance *instance, berth_job *job) {
    const berth_instance any_time = {
        .n_resources = instance->n_resources, .resources = instance->resources, .horizon_slots = INT_MAX};
    return berth__read_job(r, node, &any_time, BERTH__OPTIONAL, job);
}

static bool make_jobs(berth__reader *r, berth__event *event, size_t n) {
    event->n_jobs = n;
    event->jobs = BERTH__ARENA_ARRAY(r->arena, berth_job, n);
    return event->jobs != NULL ? true : berth__reader_memory(r);
}

static bool read_one_job(berth__reader *r, const berth__node *root, const berth_instance *instance,
                         berth__event *event) {
    berth__node node;
    return berth__node_member(r, root, "job", BERTH__REQUIRED, &node) && make_jobs(r, event, 1) &&
           read_job(r, &node, instance, &event->jobs[0]);
}

static bool read_job_list(berth__reader *r, const berth__node *root, const berth_instance *instance,
                          berth__event *event) {
    berth__node list;
    size_t n = 0;
    if (!berth__node_member(r, root, "jobs", BERTH__REQUIRED, &list) || !berth__node_array(r, &list, &n) ||
        !make_jobs(r, event, n)) {
        return false;
    }
    event->list = true;
    for (size_t k = 0; k < n; k++) {
        berth__node item = berth__node_element(&list, k);
        if (!read_job(r, &item, instance, &event->jobs[k])) {
            return false;
        }
    }
    return true;
}

static bool read_slot(berth__reader *r, const berth__node *node, const char *key, berth__presence presence, int *slot) {
    if (berth__read_int(r, node, key, presence, slot) && *slot < 0) {
        return berth__member_fail(r, node, key, BERTH_E_INPUT, "must not be negative, is %d", *slot);
    }
    return r->status == BERTH_OK;
}

static bool need_some(berth__reader *r, const berth__node *root, const berth__event *event) {
    return event->n_jobs > 0 ? true
                             : berth__member_fail(r, root, "jobs", BERTH_E_INPUT, "there must be at least one job");
}

/* A job, or a list of them that arrive together. */
static bool read_jobs(berth__reader *r, const berth__node *root, const berth_instance *instance, berth__event *event) {
    bool one = json_object_get(root->value, "job") != NULL, several = json_object_get(root->value, "jobs") != NULL;
    if (one == several) {
        return berth__member_fail(r, root, one ? "jobs" : "job", BERTH_E_INPUT,
                                  one ? "there is a \"job\", too: give one of them" : "missing (or \"jobs\", a list)");
    }
    return one ? read_one_job(r, root, instance, event)
               : read_job_list(r, root, instance, event) && read_slot(r, root, "slot", BERTH__OPTIONAL, &event->slot);
}

static bool read_gang(berth__reader *r, const berth__node *root, const berth_instance *instance, berth__event *event) {
    return read_job_list(r, root, instance, event) && need_some(r, root, event) &&
           read_slot(r, root, "slot", BERTH__OPTIONAL, &event->slot);
}

static bool read_proposal(berth__reader *r, const berth__node *root, const berth_instance *instance,
                          berth__event *event) {
    return read_jobs(r, root, instance, event) && need_some(r, root, event);
}

/* ---- other fields ---- */

/* The id or the number of a job. */
static bool read_reference(berth__reader *r, const berth__node *root, const berth_instance *instance,
                           berth__event *event) {
    (void)instance;
    berth__node node;
    long long number = 0;
    if (!berth__node_member(r, root, "job", BERTH__REQUIRED, &node)) {
        return false;
    }
    event->has_job = true;
    if (json_is_string(node.value)) {
        return berth__node_string(r, &node, &event->job_id);
    }
    if (!json_is_integer(node.value)) {
        return berth__node_fail(r, &node, BERTH_E_INPUT, "expected the id of a job (a string) or its number");
    }
    berth__node_integer(r, &node, &number);
    if (number < 0) {
        return berth__node_fail(r, &node, BERTH_E_INPUT, "must not be negative, is %lld", number);
    }
    event->job_number = (uint64_t)number;
    return true;
}

static bool read_left(berth__reader *r, const berth__node *root, const berth_instance *instance, berth__event *event) {
    if (!read_reference(r, root, instance, event) ||
        !berth__read_number(r, root, "samples", BERTH__REQUIRED, &event->samples)) {
        return false;
    }
    return event->samples > 0 ? true
                              : berth__member_fail(r, root, "samples", BERTH_E_INPUT,
                                                   "must be positive, is %g; a job that is done is an event \"finish\"",
                                                   event->samples);
}

static bool read_advance(berth__reader *r, const berth__node *root, const berth_instance *instance,
                         berth__event *event) {
    (void)instance;
    return read_slot(r, root, "slot", BERTH__REQUIRED, &event->slot);
}

static bool read_machine(berth__reader *r, const berth__node *root, const berth_instance *instance,
                         berth__event *event) {
    (void)instance;
    return berth__read_string(r, root, "machine", BERTH__REQUIRED, &event->machine);
}

static bool read_capacity(berth__reader *r, const berth__node *root, const berth_instance *instance,
                          berth__event *event) {
    berth__node node;
    if (!read_machine(r, root, instance, event) || !berth__node_member(r, root, "capacity", BERTH__REQUIRED, &node)) {
        return false;
    }
    event->capacity = berth__read_capacity(r, instance, &node);
    return event->capacity != NULL;
}

static bool read_observed(berth__reader *r, const berth__node *root, const berth_instance *instance,
                          berth__event *event) {
    if (!read_reference(r, root, instance, event) ||
        !read_slot(r, root, "completion_slot", BERTH__OPTIONAL, &event->completion_slot)) {
        return false;
    }
    berth__read_bool(r, root, "rejected", BERTH__OPTIONAL, &event->rejected);
    if (r->status == BERTH_OK && event->rejected == (event->completion_slot >= 0)) {
        return berth__member_fail(r, root, "completion_slot", BERTH_E_INPUT,
                                  "expected either this, the slot in which the job completed, or \"rejected\": true");
    }
    return r->status == BERTH_OK;
}

static bool read_status(berth__reader *r, const berth__node *root, const berth_instance *instance,
                        berth__event *event) {
    static const char *const fields[] = {"first", "end"};
    berth__node value;
    if (json_object_get(root->value, "job") != NULL && !read_reference(r, root, instance, event)) {
        return false;
    }
    berth__read_string(r, root, "machine", BERTH__OPTIONAL, &event->machine);
    berth__read_bool(r, root, "jobs", BERTH__OPTIONAL, &event->want_jobs);
    berth__read_bool(r, root, "machines", BERTH__OPTIONAL, &event->want_machines);
    if (!berth__node_member(r, root, "value", BERTH__OPTIONAL, &value)) {
        return r->status == BERTH_OK;
    }
    event->want_value = true;
    return BERTH__ONLY_FIELDS(r, &value, fields) && read_slot(r, &value, "first", BERTH__OPTIONAL, &event->first) &&
           read_slot(r, &value, "end", BERTH__OPTIONAL, &event->end);
}

static bool read_nothing(berth__reader *r, const berth__node *root, const berth_instance *instance,
                         berth__event *event) {
    (void)root;
    (void)instance;
    (void)event;
    return r->status == BERTH_OK;
}

/* ---- events ---- */

enum { COMMON = 4, MOST_FIELDS = 6 };

/* Fields beside those of every event, and who reads them. */
static const struct {
    const char *fields[MOST_FIELDS];
    bool (*read)(berth__reader *r, const berth__node *root, const berth_instance *instance, berth__event *event);
} readers[BERTH__N_EVENTS] = {
    [BERTH__EVENT_SUBMIT] = {{"job", "jobs", "slot"}, read_jobs},
    [BERTH__EVENT_GANG] = {{"jobs", "slot"}, read_gang},
    [BERTH__EVENT_PROPOSE] = {{"job", "jobs", "slot"}, read_proposal},
    [BERTH__EVENT_COMMIT] = {{"job"}, read_reference},
    [BERTH__EVENT_ABANDON] = {{"job"}, read_reference},
    [BERTH__EVENT_WHAT_IF] = {{"job"}, read_one_job},
    [BERTH__EVENT_EXPLAIN] = {{"job"}, read_one_job},
    [BERTH__EVENT_ADVANCE] = {{"slot"}, read_advance},
    [BERTH__EVENT_FINISH] = {{"job"}, read_reference},
    [BERTH__EVENT_CANCEL] = {{"job"}, read_reference},
    [BERTH__EVENT_LEFT] = {{"job", "samples"}, read_left},
    [BERTH__EVENT_ADD_MACHINE] = {{"machine", "capacity"}, read_capacity},
    [BERTH__EVENT_DRAIN] = {{"machine"}, read_machine},
    [BERTH__EVENT_FAIL] = {{"machine"}, read_machine},
    [BERTH__EVENT_RESIZE] = {{"machine", "capacity"}, read_capacity},
    [BERTH__EVENT_RETURN] = {{"machine"}, read_machine},
    [BERTH__EVENT_OBSERVED] = {{"job", "completion_slot", "rejected"}, read_observed},
    [BERTH__EVENT_STATUS] = {{"job", "machine", "jobs", "machines", "value"}, read_status},
    [BERTH__EVENT_HELLO] = {{NULL}, read_nothing},
    [BERTH__EVENT_SNAPSHOT] = {{NULL}, read_nothing},
    [BERTH__EVENT_SHUTDOWN] = {{NULL}, read_nothing},
};

static bool read_own_fields(berth__reader *r, const berth__node *root, const berth_instance *instance,
                            berth__event *event) {
    const char *known[COMMON + MOST_FIELDS] = {"event", "tag", "key", "protocol"};
    size_t n = COMMON;
    for (const char *const *field = readers[event->kind].fields; *field != NULL; field++) {
        known[n++] = *field;
    }
    return berth__only_fields(r, root, known, n) && readers[event->kind].read(r, root, instance, event);
}

/* Echoed in the reply, also in one that says what is wrong. */
static bool read_tag(berth__reader *r, const berth__node *root, berth__event *event) {
    berth__node node;
    if (!berth__node_member(r, root, "tag", BERTH__OPTIONAL, &node)) {
        return r->status == BERTH_OK;
    }
    if (!json_is_string(node.value) && !json_is_integer(node.value)) {
        return berth__node_fail(r, &node, BERTH_E_INPUT, "expected a string or an integer");
    }
    char *text = json_dumps(node.value, JSON_ENCODE_ANY);
    event->tag = text != NULL ? berth__arena_strdup(r->arena, text) : NULL;
    free(text);
    return event->tag != NULL ? true : berth__reader_memory(r);
}

static bool read_kind(berth__reader *r, const berth__node *root, berth__event *event) {
    if (!berth__read_string(r, root, "event", BERTH__REQUIRED, &event->name)) {
        return false;
    }
    for (int kind = 0; kind < BERTH__N_EVENTS; kind++) {
        if (strcmp(names[kind], event->name) == 0) {
            event->kind = (berth__event_kind)kind;
            return true;
        }
    }
    const char *nearest = berth__nearest_name(event->name, names, BERTH__N_EVENTS);
    return nearest != NULL ? berth__member_fail(r, root, "event", BERTH_E_INPUT,
                                                "no event \"%.60s\"; did you mean \"%s\"?", event->name, nearest)
                           : berth__member_fail(r, root, "event", BERTH_E_INPUT, "no event \"%.60s\"", event->name);
}

static bool read_protocol(berth__reader *r, const berth__node *root) {
    const char *protocol = BERTH__PROTOCOL;
    berth__read_text(r, root, "protocol", BERTH__OPTIONAL, &protocol);
    if (r->status == BERTH_OK && strcmp(protocol, BERTH__PROTOCOL) != 0) {
        return berth__member_fail(r, root, "protocol", BERTH_E_UNSUPPORTED,
                                  "the protocol is \"%.60s\"; this server speaks \"%s\"", protocol, BERTH__PROTOCOL);
    }
    return r->status == BERTH_OK;
}

static bool read_key(berth__reader *r, const berth__node *root, berth__event *event) {
    if (!berth__read_string(r, root, "key", BERTH__OPTIONAL, &event->key)) {
        return r->status == BERTH_OK;
    }
    if (strlen(event->key) > BERTH__MOST_KEY) {
        return berth__member_fail(r, root, "key", BERTH_E_INPUT, "%zu bytes; the limit is %d", strlen(event->key),
                                  BERTH__MOST_KEY);
    }
    json_object_del(root->value, "tag");
    char *text = json_dumps(root->value, JSON_COMPACT | JSON_SORT_KEYS);
    if (text == NULL) {
        return berth__reader_memory(r);
    }
    event->fingerprint = (uint32_t)crc32_z(0, (const unsigned char *)text, strlen(text));
    free(text);
    return true;
}

static void read_document(berth__reader *r, json_t *document, const berth_instance *instance, berth__event *event) {
    berth__node root = berth__node_root(document);
    if (read_tag(r, &root, event) && read_kind(r, &root, event) && read_protocol(r, &root) &&
        read_own_fields(r, &root, instance, event)) {
        read_key(r, &root, event);
    }
}

/* Parses what begins as an object. */
static berth_status parse(const char *line, size_t length, json_t **document, berth_error *error) {
    size_t blank = 0;
    while (blank < length && (line[blank] == ' ' || line[blank] == '\t' || line[blank] == '\r')) {
        blank++;
    }
    if (length > 0 && (blank >= length || line[blank] != '{')) {
        *document = NULL;
        return berth__fail_at(error, BERTH_E_INPUT, NULL, 1, (long)blank + 1, "expected an event: a JSON object");
    }
    return berth__json_parse(line, length, NULL, document, error);
}

berth__event *berth__event_read(const char *line, size_t length, const berth_instance *instance) {
    berth__c_locale locale;
    berth__arena *arena = berth__arena_new();
    berth__event *event = arena == NULL ? NULL : BERTH__ARENA_ARRAY(arena, berth__event, 1);
    if (event == NULL || !berth__c_locale_enter(&locale)) {
        berth__arena_free(arena);
        return NULL;
    }
    event->slot = event->first = event->end = event->completion_slot = -1;
    event->memory = arena;
    json_t *document = NULL;
    berth__reader r = {.arena = arena, .error = &event->error};
    r.status = parse(line, length, &document, &event->error);
    if (r.status == BERTH_OK) {
        read_document(&r, document, instance, event);
    }
    json_decref(document);
    berth__c_locale_leave(&locale);
    if (r.status == BERTH_E_MEMORY) {
        berth__arena_free(arena);
        return NULL;
    }
    return event;
}

void berth__event_free(berth__event *event) {
    if (event != NULL) {
        berth__arena_free(event->memory);
    }
}
