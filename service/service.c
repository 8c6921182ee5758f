#include "service/service.h"

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/error.h"
#include "service/apply.h"
#include "service/keys.h"
#include "service/record.h"
#include "service/store.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* MOST_BATCH: bytes of a batch but for its last line. */
enum { STATE_VERSION = 1, MOST_BATCH = 1 << 28 };

struct berth__service {
    const berth_instance *instance;
    const berth_serve_options *options;
    berth_scheduler *scheduler;
    berth__store *store; /* NULL: no state is kept */
    berth__keys keys;
    berth__shadow shadow;
    uint64_t sequence;     /* of the last event that changed anything */
    uint64_t snapshot_due; /* sequence from which on a snapshot is to be taken */
    uint64_t snapshot_at;  /* sequence of the last */
    bool snapshot_failed;  /* the last one; the next is tried when it is due by events */
    bool stopping;
};

static berth__world world_of(berth__service *s) {
    return (berth__world){.instance = s->instance,
                          .scheduler = s->scheduler,
                          .shadow = s->options->shadow ? &s->shadow : NULL,
                          .sequence = s->sequence,
                          .policy = s->options->scheduler.policy,
                          .rolling = s->options->scheduler.rolling,
                          .kept = s->store != NULL};
}

/* ---- snapshots ---- */

static berth_status write_state(const berth__service *s, berth__writer *to, berth_error *error) {
    unsigned char *bytes = NULL;
    size_t n = 0;
    berth_status status = berth_snapshot(s->scheduler, &bytes, &n, error);
    if (status == BERTH_OK) {
        berth__put_u32(to, STATE_VERSION);
        berth__keys_write(&s->keys, to);
        berth__shadow_write(&s->shadow, to);
        berth__put_raw(to, bytes, n);
    }
    berth_snapshot_free(bytes);
    return status;
}

static berth_status keep_state(berth__service *s, berth_error *error) {
    berth__writer state = {0};
    berth_status status = write_state(s, &state, error);
    if (status == BERTH_OK) {
        status = berth__store_keep(s->store, s->sequence, &state, error);
    }
    berth__free(state.bytes);
    s->snapshot_due = s->sequence + s->options->snapshot_events;
    s->snapshot_failed = status != BERTH_OK;
    if (status == BERTH_OK) {
        s->snapshot_at = s->sequence;
    }
    return status;
}

static berth_status read_state(berth__service *s, const unsigned char *bytes, size_t length, berth_error *error) {
    berth__byte_reader from = {
        .bytes = bytes, .left = length, .error = error, .part = "state", .index = BERTH__NO_INDEX};
    uint32_t version = berth__take_u32(&from);
    if (berth__byte_reader_good(&from) && version != STATE_VERSION) {
        return berth__fail(error, BERTH_E_UNSUPPORTED, s->options->state,
                           "the state is of a version of berth that writes it as number %" PRIu32
                           "; this one knows number %d",
                           version, STATE_VERSION);
    }
    berth__arena *scratch = berth__arena_new();
    if (scratch == NULL) {
        return berth__fail_memory(error);
    }
    berth__keys_read(&s->keys, &from, scratch);
    berth__byte_reader_enter(&from, "state", BERTH__NO_INDEX);
    berth__shadow_read(&s->shadow, &from, scratch);
    berth__arena_free(scratch);
    return from.status != BERTH_OK ? from.status
                                   : berth_restore(from.bytes, from.left, &s->options->scheduler, &s->scheduler, error);
}

/* ---- starting ---- */

/* All that decisions depend on, as berth__store_open wants it. */
static void write_identity(const berth__service *s, char *text, size_t room) {
    const berth_options *o = &s->options->scheduler;
    snprintf(text, room,
             "instance %.100s %08" PRIx32 "\npolicy %s\nsolver %s\nseed %" PRIu64 "\nlevels %d\ndelta %.17g\n"
             "favour %d\nscale %d %.17g\ntrials %d\nrepair %d\neffort %s\nrestart_delay_s %.17g\nrolling %d\n"
             "shadow %d\n",
             s->instance->name, s->instance->crc32, o->policy, o->solver == NULL ? "auto" : o->solver, o->seed,
             o->levels, o->delta, (int)o->favour, (int)o->scale_rule, o->scale, o->trials, o->repair,
             berth_effort_name(o->effort), o->restart_delay_s, o->rolling, s->options->shadow);
}

/* Policies with prices of their own take no bounds. */
static berth_status new_scheduler(berth__service *s, berth_error *error) {
    const berth_options *o = &s->options->scheduler;
    berth_cluster cluster;
    berth_price_bounds bounds = {0};
    berth_instance_cluster(s->instance, &cluster);
    bool priced = o->policy != NULL && strcmp(o->policy, "bidlp") != 0 && berth_policy_promises(o->policy);
    berth_status status = priced ? berth_instance_price_bounds(s->instance, o->policy, &bounds, error) : BERTH_OK;
    bool any = false;
    for (size_t r = 0; r < bounds.n_resources && status == BERTH_OK; r++) {
        any = any || bounds.upper[r] > 0;
    }
    if (status == BERTH_OK && priced && !any) {
        status =
            berth__fail(error, BERTH_E_INPUT, "/prices",
                        "policy \"%s\" needs price bounds: give \"prices\", or jobs like those expected", o->policy);
    }
    if (status == BERTH_OK) {
        status = berth_scheduler_new(&cluster, priced ? &bounds : NULL, o, &s->scheduler, error);
    }
    berth_price_bounds_clear(&bounds);
    return status;
}

/* Did it fail for a reason that another time might not have? */
static bool annuls(berth_status outcome) {
    return outcome == BERTH_E_MEMORY || outcome == BERTH_E_CANCELLED;
}

/* An event of the journal is carried out again; what its reply says must be what it said. */
static berth_status replay_event(void *user, const berth__kept_event *kept, berth_error *error) {
    berth__service *s = user;
    s->sequence = kept->sequence;
    if (kept->annulled) {
        return BERTH_OK;
    }
    char *body = NULL;
    berth_status outcome = BERTH_OK;
    berth__world world = world_of(s);
    berth__event *event = berth__event_read(kept->line, kept->length, s->instance);
    berth_status status =
        event == NULL ? berth__fail_memory(error) : berth__apply(&world, event, &body, &outcome, error);
    if (status == BERTH_OK && annuls(outcome)) {
        status = berth__fail(error, outcome, s->options->state, "event %" PRIu64 " of the journal: %s", kept->sequence,
                             berth_status_text(outcome));
    }
    if (status == BERTH_OK && kept->answered && berth__crc32(body, strlen(body)) != kept->reply_crc32) {
        status = berth__fail(error, BERTH_E_MISMATCH, s->options->state,
                             "event %" PRIu64 " of the journal is not answered as it was: the journal is of another "
                             "version of berth or another processor; end that server in order first",
                             kept->sequence);
    }
    if (status == BERTH_OK && event->key != NULL && !berth__keys_add(&s->keys, event->key, event->fingerprint, body)) {
        status = berth__fail_memory(error);
    }
    berth__free(body);
    berth__event_free(event);
    return status;
}

static berth_status open_state(berth__service *s, berth_error *error) {
    char identity[1024];
    size_t length = 0;
    const berth_hooks *hooks = &s->options->scheduler.hooks;
    write_identity(s, identity, sizeof identity);
    berth_status status = berth__store_open(s->options->state, identity, hooks, &s->store, error);
    if (status != BERTH_OK) {
        return status;
    }
    const unsigned char *bytes = berth__store_state(s->store, &length, &s->sequence);
    bool fresh = bytes == NULL;
    uint64_t kept = s->sequence;
    status = fresh ? new_scheduler(s, error) : read_state(s, bytes, length, error);
    if (status == BERTH_OK) {
        status = berth__store_replay(s->store, replay_event, s, error);
    }
    if (status == BERTH_OK && fresh) { /* a snapshot first: journals are nothing without one */
        return keep_state(s, error);
    }
    if (status == BERTH_OK) {
        status = berth__store_start(s->store, error);
    }
    s->snapshot_at = kept;
    s->snapshot_due = kept + s->options->snapshot_events;
    if (status == BERTH_OK) {
        berth__log(hooks, BERTH_LOG_INFO,
                   "%s: restored slot %d with %zu live jobs, from a snapshot after event %" PRIu64 " and %" PRIu64
                   " events since",
                   s->options->state, berth_now(s->scheduler), berth_live_count(s->scheduler), kept,
                   s->sequence - kept);
    }
    return status;
}

static berth_status check_options(const berth_serve_options *o, berth_error *error) {
    if (o->struct_size != sizeof *o) {
        return berth__fail(error, BERTH_E_ARGUMENT, "options", "not initialised: call berth_serve_options_init first");
    }
    if (o->scheduler.policy == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "policy", "must not be NULL");
    }
    if (o->state != NULL && o->scheduler.time_limit_s < HUGE_VAL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "time_limit_s",
                           "decisions that depend on the clock cannot be repeated after a crash: not with a state "
                           "directory");
    }
    const struct {
        const char *name;
        uint64_t value, least;
    } limits[] = {{"snapshot_events", o->snapshot_events, 1},
                  {"snapshot_bytes", o->snapshot_bytes, 1},
                  {"max_line", o->max_line, 1},
                  {"max_queue", o->max_queue, 1},
                  {"max_clients", o->max_clients, 1}};
    for (size_t k = 0; k < sizeof limits / sizeof limits[0]; k++) {
        if (limits[k].value < limits[k].least) {
            return berth__fail(error, BERTH_E_ARGUMENT, limits[k].name, "is %" PRIu64 "; expected %" PRIu64 " or more",
                               limits[k].value, limits[k].least);
        }
    }
    return BERTH_OK;
}

berth_status berth__service_new(const berth_instance *instance, const berth_serve_options *options,
                                berth__service **out, berth_error *error) {
    *out = NULL;
    berth_status status = check_options(options, error);
    if (status != BERTH_OK) {
        return status;
    }
    berth__service *s = berth__calloc(1, sizeof *s);
    if (s == NULL) {
        return berth__fail_memory(error);
    }
    s->instance = instance;
    s->options = options;
    status = berth__keys_init(&s->keys, options->keys) ? BERTH_OK : berth__fail_memory(error);
    if (status == BERTH_OK) {
        status = options->state != NULL ? open_state(s, error) : new_scheduler(s, error);
    }
    if (status != BERTH_OK) {
        berth__service_free(s);
        return status;
    }
    *out = s;
    return BERTH_OK;
}

void berth__service_free(berth__service *s) {
    if (s != NULL) {
        berth_scheduler_free(s->scheduler);
        berth__store_free(s->store);
        berth__keys_free(&s->keys);
        berth__shadow_free(&s->shadow);
        berth__free(s);
    }
}

/* ---- a batch ---- */

typedef struct item {
    berth__request *request;
    berth__event *event;
    bool changes;  /* it is carried out, and journalled if there is a journal */
    bool repeated; /* its key is known, or was that of an item before it */
    char *body;
} item;

typedef struct batch {
    size_t n;
    item *items;
    size_t n_changes;
    berth_error refusal; /* status not OK: the journal could not take the batch */
} batch;

static bool same_key(const item *a, const item *b) {
    return a->event->key != NULL && b->event->key != NULL && a->changes && strcmp(a->event->key, b->event->key) == 0;
}

/* An event is repeated if its key is known, or is that of an event before it. */
static void mark(berth__service *s, batch *b, size_t at) {
    item *it = &b->items[at];
    it->changes = it->event->error.status == BERTH_OK && berth__event_changes(it->event->kind);
    if (!it->changes || it->event->key == NULL || s->keys.most == 0) {
        b->n_changes += it->changes;
        return;
    }
    it->repeated = berth__keys_find(&s->keys, it->event->key) != NULL;
    for (size_t k = 0; k < at && !it->repeated; k++) {
        it->repeated = same_key(&b->items[k], it);
    }
    it->changes = !it->repeated;
    b->n_changes += it->changes;
}

/* Nothing is carried out before it is on the disk. */
static void journal_events(berth__service *s, batch *b) {
    berth__writer record = {0};
    if (s->store == NULL || b->n_changes == 0) {
        return;
    }
    if (berth__store_broken(s->store) && keep_state(s, &b->refusal) != BERTH_OK) {
        return;
    }
    size_t begin = berth__record_begin(&record, BERTH__RECORD_EVENTS, s->sequence + 1, (uint32_t)b->n_changes);
    for (size_t k = 0; k < b->n; k++) {
        if (b->items[k].changes) {
            berth__record_event(&record, b->items[k].request->line, b->items[k].request->length);
        }
    }
    berth__record_close(&record, begin);
    berth__store_append(s->store, &record, true, &b->refusal);
    berth__free(record.bytes);
}

/* The reply that an event had when it came first. */
static berth_status repeat(berth__service *s, const batch *b, item *it, berth_error *error) {
    berth__world world = world_of(s);
    berth_error why = b->refusal;
    const berth__answer *answer = berth__keys_find(&s->keys, it->event->key);
    if (answer != NULL && answer->fingerprint == it->event->fingerprint) {
        it->body = berth__strdup(answer->body);
        return it->body != NULL ? BERTH_OK : berth__fail_memory(error);
    }
    it->repeated = false;
    if (answer != NULL) {
        berth__fail(&why, BERTH_E_ARGUMENT, "/key", "the key is that of another event");
    } else if (why.status == BERTH_OK) {
        berth__fail(&why, BERTH_E_CANCELLED, "/key", "the event that had the key before has failed; try again");
    }
    return berth__apply_nothing(&world, it->event, &why, &it->body, error);
}

/* Carries out an event that is in the journal. */
static berth_status carry_out(berth__service *s, item *it, berth__writer *results, bool *annulled, berth_error *error) {
    berth_status outcome = BERTH_OK;
    int before = berth_now(s->scheduler);
    s->sequence++;
    berth__world world = world_of(s);
    berth_status status = berth__apply(&world, it->event, &it->body, &outcome, error);
    if (status != BERTH_OK) {
        return status;
    }
    if (annuls(outcome) && berth_now(s->scheduler) != before) {
        /* Of a submission in the future the first half remains, which no replay would leave. */
        return berth__fail(error, outcome, "/event",
                           "%s, when time had moved: the state is to be taken from the journal",
                           berth_status_text(outcome));
    }
    if (!annuls(outcome) && it->event->key != NULL &&
        !berth__keys_add(&s->keys, it->event->key, it->event->fingerprint, it->body)) {
        return berth__fail_memory(error);
    }
    berth__record_result(results, berth__crc32(it->body, strlen(it->body)), annuls(outcome));
    *annulled = *annulled || annuls(outcome);
    return BERTH_OK;
}

/* Is in time for the replies, or not at all; only what was annulled has to be. */
static berth_status journal_results(berth__service *s, batch *b, berth__writer *results, size_t begin, bool annulled,
                                    berth_error *error) {
    if (s->store == NULL || b->n_changes == 0 || b->refusal.status != BERTH_OK) {
        return BERTH_OK;
    }
    berth__record_close(results, begin);
    berth_status status = berth__store_append(s->store, results, annulled, error);
    return annulled ? status : BERTH_OK;
}

static berth_status answer_items(berth__service *s, batch *b, berth_error *error) {
    berth__writer results = {0};
    bool annulled = false;
    journal_events(s, b);
    size_t begin = berth__record_begin(&results, BERTH__RECORD_RESULTS, s->sequence + 1, (uint32_t)b->n_changes);
    berth_status status = BERTH_OK;
    for (size_t k = 0; k < b->n && status == BERTH_OK; k++) {
        item *it = &b->items[k];
        berth__world world = world_of(s);
        berth_status outcome;
        if (it->repeated) {
            status = repeat(s, b, it, error);
        } else if (it->changes && b->refusal.status != BERTH_OK) {
            status = berth__apply_nothing(&world, it->event, &b->refusal, &it->body, error);
        } else if (it->changes) {
            status = carry_out(s, it, &results, &annulled, error);
        } else {
            status = berth__apply(&world, it->event, &it->body, &outcome, error);
        }
    }
    if (status == BERTH_OK) {
        status = journal_results(s, b, &results, begin, annulled, error);
    }
    berth__free(results.bytes);
    return status;
}

/* ---- answering ---- */

/* The body with what is the client's own: its tag, and that it has asked before. */
static char *reply_of(const item *it) {
    const char *tag = it->event->tag, *rest = it->body + 2; /* behind "{ " */
    size_t room = strlen(it->body) + (tag != NULL ? strlen(tag) : 0) + 64;
    char *reply = berth__calloc(room, 1);
    if (reply != NULL) {
        snprintf(reply, room, "{ %s%s%s%s%s", tag != NULL ? "\"tag\": " : "", tag != NULL ? tag : "",
                 tag != NULL ? ", " : "", it->repeated ? "\"repeated\": true, " : "", rest);
    }
    return reply;
}

/* Events about the server itself, which stand alone in their batch. */
static bool is_own(const berth__event *event) {
    return event->error.status == BERTH_OK &&
           (event->kind == BERTH__EVENT_SNAPSHOT || event->kind == BERTH__EVENT_SHUTDOWN);
}

static berth_status answer_own(berth__service *s, item *it, berth_error *error) {
    berth__world world = world_of(s);
    berth_error why = {0};
    if (it->event->kind == BERTH__EVENT_SHUTDOWN) {
        s->stopping = true;
    } else if (s->store == NULL) {
        berth__fail(&why, BERTH_E_UNSUPPORTED, "/event", "only a server with --state keeps snapshots");
    } else if (s->snapshot_at < s->sequence) {
        keep_state(s, &why);
    }
    return berth__apply_nothing(&world, it->event, why.status != BERTH_OK ? &why : NULL, &it->body, error);
}

/* Items up to the next that stands alone, or that one, as far as a record holds them; returns how many. */
static size_t take_batch(berth__service *s, item *items, size_t n, batch *out) {
    *out = (batch){.items = items};
    size_t bytes = 0;
    do {
        bytes += items[out->n].request->length;
        mark(s, out, out->n++);
    } while (out->n < n && bytes < MOST_BATCH && !is_own(items[0].event) && !is_own(items[out->n].event));
    return out->n;
}

static berth_status answer_all(berth__service *s, size_t n, item *items, berth_error *error) {
    berth_status status = BERTH_OK;
    for (size_t at = 0; at < n && status == BERTH_OK;) {
        batch b;
        at += take_batch(s, items + at, n - at, &b);
        status = is_own(b.items[0].event) ? answer_own(s, &b.items[0], error) : answer_items(s, &b, error);
    }
    for (size_t k = 0; k < n && status == BERTH_OK; k++) {
        items[k].request->reply = reply_of(&items[k]);
        status = items[k].request->reply != NULL ? BERTH_OK : berth__fail_memory(error);
    }
    return status;
}

berth_status berth__service_answer(berth__service *s, size_t n, berth__request *requests, berth_error *error) {
    item *items = BERTH__NEW_ARRAY(item, n);
    berth_status status = items != NULL ? BERTH_OK : berth__fail_memory(error);
    for (size_t k = 0; k < n && status == BERTH_OK; k++) {
        requests[k].reply = NULL;
        items[k].request = &requests[k];
        items[k].event = berth__event_read(requests[k].line, requests[k].length, s->instance);
        status = items[k].event != NULL ? BERTH_OK : berth__fail_memory(error);
    }
    if (status == BERTH_OK) {
        status = answer_all(s, n, items, error);
    }
    for (size_t k = 0; k < n && items != NULL; k++) {
        berth__free(items[k].body);
        berth__event_free(items[k].event);
        if (status != BERTH_OK) {
            berth__free(requests[k].reply);
            requests[k].reply = NULL;
        }
    }
    berth__free(items);
    return status;
}

void berth__service_tidy(berth__service *s) {
    berth_error error = {0};
    if (s->store == NULL || s->sequence == s->snapshot_at) {
        return;
    }
    bool long_journal = berth__store_journal_bytes(s->store) >= s->options->snapshot_bytes;
    if (s->sequence < s->snapshot_due && (s->snapshot_failed || !long_journal)) {
        return;
    }
    if (keep_state(s, &error) != BERTH_OK) {
        berth__log(&s->options->scheduler.hooks, BERTH_LOG_WARNING, "%s: no snapshot: %s; the journal goes on",
                   s->options->state, error.message);
    }
}

bool berth__service_stopping(const berth__service *s) {
    return s->stopping;
}

berth_status berth__service_close(berth__service *s, berth_error *error) {
    const berth__shadow *shadow = &s->shadow;
    if (s->options->shadow) {
        berth__log(&s->options->scheduler.hooks, BERTH_LOG_INFO,
                   "in the shadow: %" PRIu64 " jobs completed and %" PRIu64
                   " rejected by the real scheduler, which earned %.6g; by these plans %.6g",
                   shadow->completed, shadow->rejected, shadow->utility_observed, shadow->utility_planned);
    }
    return s->store != NULL && s->snapshot_at < s->sequence ? keep_state(s, error) : BERTH_OK;
}

char *berth__service_refuse(const berth__service *s, const berth_error *why) {
    char *body = NULL;
    const berth__event none = {.name = NULL};
    const berth__world world = {.instance = s->instance, .scheduler = s->scheduler, .sequence = s->sequence};
    return berth__apply_nothing(&world, &none, why, &body, NULL) == BERTH_OK ? body : NULL;
}
