/* A scheduler as bytes, and back (base/bytes.h):
 *
 *     "BERTHSCH"  version, 4 bytes  length of all, 8 bytes  ...  CRC-32 of all before it, 4 bytes
 *
 * These are where they are in every version. Between them: options, cluster and machines, the clock, counters, what the
 * policy goes by (prices; or bids, prices of futures, and all jobs seen that futures are drawn from), live jobs with
 * their plans, what is held in each slot, changes not told yet.
 *
 * What is read is checked, all of it, as if someone had written it to do harm; and what is there twice, like the plans
 * of live jobs and what is held, has to agree. */
#include "online/scheduler/scheduler.h"

#include "base/error.h"
#include "base/numeric.h"
#include "formulations/job_bytes.h"
#include "online/decider_bytes.h"
#include "online/decision.h"
#include "online/ledger_bytes.h"
#include "online/plan_bytes.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { VERSION = 1, MAGIC_BYTES = 8, HEAD_BYTES = 20, CHECKSUM_BYTES = 4 };
static const char magic[MAGIC_BYTES + 1] = "BERTHSCH";
/* What a live job and a change take at least. */
enum { LIVE_BYTES = 58 + BERTH__LEAST_JOB_BYTES, CHANGE_BYTES = 29 };

/* ---- writing ---- */

enum { N_COUNTERS = 12 };

static void list_counters(berth_statistics *c, uint64_t *out[N_COUNTERS]) {
    uint64_t *const all[N_COUNTERS] = {&c->submitted, &c->admitted, &c->rejected,  &c->proposed,
                                       &c->abandoned, &c->lapsed,   &c->completed, &c->finished,
                                       &c->cancelled, &c->lost,     &c->moved,     &c->delayed};
    memcpy(out, all, sizeof all);
}

static void put_counts(berth__writer *to, berth_statistics counts) {
    uint64_t *counters[N_COUNTERS];
    list_counters(&counts, counters);
    for (int i = 0; i < N_COUNTERS; i++) {
        berth__put_u64(to, *counters[i]);
    }
    berth__put_real(to, counts.utility);
}

static void put_live(berth__writer *to, const berth_scheduler *s, const berth__live *live) {
    size_t n_slots;
    const berth_slot_plan *slots = berth__live_plan(s, live, &n_slots);
    berth__put_u64(to, live->number);
    berth__put_u64(to, live->gang);
    berth__put_bool(to, live->proposed);
    berth__put_int(to, live->promised);
    berth__put_u64(to, live->fingerprint);
    berth__job_put(to, s->fleet.n_resources, live->job);
    berth__plan_put(to, n_slots, slots);
}

static void put_change(berth__writer *to, const berth__change *change) {
    berth__put_u64(to, change->number);
    berth__put_u8(to, (unsigned)change->kind);
    berth__put_int(to, change->slot);
    berth__put_int(to, change->promised);
    berth__put_int(to, change->completion);
    berth__put_text(to, change->job == NULL ? NULL : change->job->id);
    berth__put_text(to, change->reason);
}

static void put_scheduler(berth__writer *to, const berth_scheduler *s) {
    berth__options_put(to, &s->decider->options);
    berth__fleet_put(to, &s->fleet);
    berth__put_int(to, s->now);
    put_counts(to, s->counts);
    berth__decider_put(to, s->decider);
    berth__put_count(to, s->live.n);
    for (size_t i = 0; i < s->live.n; i++) {
        put_live(to, s, s->live.jobs[i]);
    }
    berth__ledger_put(to, berth__decider_ledger(s->decider));
    berth__put_count(to, s->changes.n);
    for (size_t i = 0; i < s->changes.n; i++) {
        put_change(to, &s->changes.changes[i]);
    }
}

berth_status berth_snapshot(const berth_scheduler *s, unsigned char **bytes, size_t *n_bytes, berth_error *error) {
    if (bytes != NULL) {
        *bytes = NULL;
    }
    if (s == NULL || bytes == NULL || n_bytes == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, NULL, "scheduler, bytes and n_bytes must not be NULL");
    }
    *n_bytes = 0;
    berth__writer to = {0};
    berth__put_raw(&to, magic, MAGIC_BYTES);
    berth__put_u32(&to, VERSION);
    berth__put_u64(&to, 0);
    put_scheduler(&to, s);
    berth__set_u64(&to, MAGIC_BYTES + 4, to.n + CHECKSUM_BYTES);
    berth__put_u32(&to, to.failed ? 0 : berth__crc32(to.bytes, to.n));
    if (to.failed) {
        berth__free(to.bytes);
        return berth__fail_memory(error);
    }
    *bytes = to.bytes;
    *n_bytes = to.n;
    return BERTH_OK;
}

void berth_snapshot_free(unsigned char *bytes) {
    berth__free(bytes);
}

/* ---- reading ---- */

static void take_clock(berth__byte_reader *from, berth_scheduler *s, bool rolling) {
    berth__byte_reader_enter(from, "clock", BERTH__NO_INDEX);
    s->now = berth__take_int(from, 0, rolling ? INT_MAX - s->fleet.horizon : s->fleet.horizon - 1, "the present slot");
    s->base = rolling ? s->now : 0;
}

static void take_counts(berth__byte_reader *from, berth_statistics *counts) {
    uint64_t *counters[N_COUNTERS];
    berth__byte_reader_enter(from, "counters", BERTH__NO_INDEX);
    list_counters(counts, counters);
    for (int i = 0; i < N_COUNTERS; i++) {
        *counters[i] = berth__take_u64(from);
    }
    counts->utility = berth__take_number(from, 0, DBL_MAX, "the utility so far");
}

static bool open_decider(berth__byte_reader *from, berth_scheduler *s, const berth_options *options) {
    berth__cluster *cluster = NULL;
    berth__byte_reader_enter(from, "cluster", BERTH__NO_INDEX);
    if (!berth__byte_reader_adopt(from, berth__fleet_cluster(&s->fleet, &cluster, from->error))) {
        return false;
    }
    berth__byte_reader_enter(from, "options", BERTH__NO_INDEX);
    bool good = berth__byte_reader_adopt(from, berth__decider_open(options, cluster, &s->decider, from->error));
    if (good) {
        s->decider->steady = true;
    }
    if (!good) {
        berth__cluster_free(cluster);
    }
    return good;
}

/* A live job's number and gang, behind those of the one before it. */
static bool check_numbers(berth__byte_reader *from, const berth_scheduler *s, const berth__live *live) {
    const berth__live *last = s->live.n == 0 ? NULL : s->live.jobs[s->live.n - 1];
    if (live->number >= s->decider->n_submitted || live->gang > live->number ||
        (last != NULL && (live->number <= last->number || live->gang < last->gang))) {
        return berth__refuse(from, "the job has number %llu, of gang %llu; expected rising ones, below %llu",
                             (unsigned long long)live->number, (unsigned long long)live->gang,
                             (unsigned long long)s->decider->n_submitted);
    }
    if (last != NULL && live->gang == last->gang && live->proposed != last->proposed) {
        return berth__refuse(from, "of the gang %llu some are proposed and some are not",
                             (unsigned long long)live->gang);
    }
    if (berth__live_find_id(&s->live, live->job->id) != NULL) {
        return berth__refuse(from, "\"%s\" is the id of two live jobs", live->job->id);
    }
    return true;
}

/* A live job is done by its promise, and not before now. */
static bool check_end(berth__byte_reader *from, const berth_scheduler *s, const berth__live *live,
                      const berth__plan *plan) {
    int end = plan->slots[plan->n_slots - 1].slot + s->base;
    return (end >= s->now && end <= live->promised) ||
           berth__refuse(from, "the plan ends in slot %d; promised is %d, and %d is the present one", end,
                         live->promised, s->now);
}

/* Its plan, which is booked. */
static bool take_plan(berth__byte_reader *from, berth_scheduler *s, berth__live *live) {
    berth__plan plan;
    bool good = berth__plan_take(from, s->decider->cluster, live->job, &plan) && check_end(from, s, live, &plan);
    if (good && s->decider->bidlp == NULL) {
        live->slots = berth__plan_block(plan.n_slots, plan.slots);
        live->n_slots = plan.n_slots;
        good = live->slots != NULL || berth__refuse_memory(from);
    }
    int promised = live->promised - s->base;
    good = good && berth__byte_reader_adopt(from, berth__decider_adopt(s->decider, live->number, live->job, promised,
                                                                       berth__now(s), &plan, from->error));
    berth__plan_clear(&plan);
    return good;
}

static bool take_live(berth__byte_reader *from, berth_scheduler *s) {
    int end = s->base + s->fleet.horizon;
    uint64_t number = berth__take_u64(from), gang = berth__take_u64(from);
    bool proposed = berth__take_bool(from, "proposed");
    int promised = berth__take_int(from, 0, end - 1, "the promised slot");
    uint64_t fingerprint = berth__take_u64(from);
    berth__job *job =
        berth__byte_reader_good(from) ? berth__job_take(from, s->decider->cluster, -s->base, berth__now(s)) : NULL;
    if (job == NULL) {
        return false;
    }
    berth__live *live = berth__live_new(number, job);
    if (live == NULL) {
        berth__job_free(job);
        return berth__refuse_memory(from);
    }
    live->gang = gang;
    live->proposed = proposed;
    live->promised = promised;
    live->fingerprint = fingerprint;
    bool good = check_numbers(from, s, live) && take_plan(from, s, live);
    if (good) {
        berth__live_add(&s->live, live);
    } else {
        berth__live_free(live);
    }
    return good;
}

static bool take_lives(berth__byte_reader *from, berth_scheduler *s) {
    berth__byte_reader_enter(from, "live", BERTH__NO_INDEX);
    size_t n = berth__take_count(from, SIZE_MAX, LIVE_BYTES, "the live jobs");
    if (berth__byte_reader_good(from) && !berth__live_reserve(&s->live, n)) {
        berth__refuse_memory(from);
    }
    for (size_t i = 0; i < n && berth__byte_reader_good(from); i++) {
        berth__byte_reader_enter(from, "live", i);
        take_live(from, s);
    }
    return berth__byte_reader_good(from);
}

/* A job of which only the id is known, and asked for; the arena's. */
static berth__job *named_job(berth__arena *arena, const char *id) {
    berth__job *job = BERTH__ARENA_ARRAY(arena, berth__job, 1);
    if (job != NULL) {
        job->id = id;
        job->memory = arena;
    }
    return job;
}

static bool take_change(berth__byte_reader *from, const berth_scheduler *s, berth__arena *arena, berth__change *out) {
    out->number = berth__take_u64(from);
    unsigned kind = berth__take_u8(from);
    out->slot = berth__take_int(from, 0, s->now, "the slot of the change");
    out->promised = berth__take_int(from, -1, INT_MAX, "the promised slot");
    out->completion = berth__take_int(from, -1, INT_MAX, "the completion slot");
    const char *id = berth__take_text(from, arena, true, "the id of the job");
    const char *reason = berth__take_text(from, arena, false, "the reason");
    if (berth__byte_reader_good(from) && (kind > BERTH_CHANGE_LAPSED || out->number >= s->decider->n_submitted)) {
        berth__refuse(from, "the change is of kind %u and job %llu; expected kinds 0 to %d and jobs below %llu", kind,
                      (unsigned long long)out->number, (int)BERTH_CHANGE_LAPSED,
                      (unsigned long long)s->decider->n_submitted);
    }
    if (berth__byte_reader_good(from) && strlen(reason) >= sizeof out->reason) {
        berth__refuse(from, "the reason has %zu bytes; expected at most %zu", strlen(reason), sizeof out->reason - 1);
    }
    if (!berth__byte_reader_good(from)) {
        return false;
    }
    out->kind = (berth_change_kind)kind;
    snprintf(out->reason, sizeof out->reason, "%s", reason);
    out->job = id == NULL ? NULL : named_job(arena, id);
    return id == NULL || out->job != NULL || berth__refuse_memory(from);
}

static bool take_changes(berth__byte_reader *from, berth_scheduler *s) {
    berth__byte_reader_enter(from, "changes", BERTH__NO_INDEX);
    size_t n = berth__take_count(from, SIZE_MAX, CHANGE_BYTES, "the changes");
    if (berth__byte_reader_good(from) && !berth__changes_reserve(&s->changes, n)) {
        berth__refuse_memory(from);
    }
    for (size_t i = 0; i < n && berth__byte_reader_good(from); i++) {
        berth__byte_reader_enter(from, "changes", i);
        berth__arena *arena = berth__arena_new();
        if (arena == NULL) {
            return berth__refuse_memory(from);
        }
        berth__change *change = &s->changes.changes[s->changes.n];
        *change = (berth__change){0};
        bool good = take_change(from, s, arena, change);
        if (!good || change->job == NULL) {
            berth__arena_free(arena); /* else it is the job's */
        }
        s->changes.n += good;
    }
    return berth__byte_reader_good(from);
}

static bool take_scheduler(berth__byte_reader *from, const berth_options *given, berth_scheduler *s) {
    berth__arena *arena = berth__arena_new();
    if (arena == NULL) {
        return berth__refuse_memory(from);
    }
    berth_options options = *given;
    bool good = berth__options_take(from, arena, &options) && berth__fleet_take(from, &s->fleet);
    if (good) {
        take_clock(from, s, options.rolling);
        take_counts(from, &s->counts);
    }
    good = good && berth__byte_reader_good(from) && open_decider(from, s, &options) &&
           berth__decider_take(from, s->decider, s->base, berth__now(s)) && take_lives(from, s) &&
           berth__decider_take_held(from, s->decider, berth__now(s)) && take_changes(from, s);
    if (good && from->left > 0) {
        berth__byte_reader_enter(from, "snapshot", BERTH__NO_INDEX);
        good = berth__refuse(from, "%zu bytes are left over", from->left);
    }
    berth__arena_free(arena);
    return good;
}

/* Magic, length and checksum, then the version: what is damaged is not said to be of a later one. The reader is then at
 * what is between. */
static berth_status open_envelope(const unsigned char *bytes, size_t n_bytes, berth__byte_reader *out,
                                  berth_error *error) {
    static const char where[] = "snapshot";
    if (n_bytes < MAGIC_BYTES || memcmp(bytes, magic, MAGIC_BYTES) != 0) {
        return berth__fail(error, BERTH_E_INPUT, where, "no snapshot of a scheduler: it does not begin with %s", magic);
    }
    berth__byte_reader from = {
        .bytes = bytes + MAGIC_BYTES, .left = n_bytes - MAGIC_BYTES, .part = where, .index = BERTH__NO_INDEX};
    uint32_t version = berth__take_u32(&from);
    uint64_t length = berth__take_u64(&from);
    if (!berth__byte_reader_good(&from) || n_bytes < HEAD_BYTES + CHECKSUM_BYTES || n_bytes < length) {
        return berth__fail(error, BERTH_E_INPUT, where, "the snapshot is cut short: it has %zu bytes", n_bytes);
    }
    if (n_bytes > length) {
        return berth__fail(error, BERTH_E_INPUT, where, "the snapshot has %zu bytes; expected %llu", n_bytes,
                           (unsigned long long)length);
    }
    berth__byte_reader tail = {.bytes = bytes + n_bytes - CHECKSUM_BYTES, .left = CHECKSUM_BYTES};
    if (berth__take_u32(&tail) != berth__crc32(bytes, n_bytes - CHECKSUM_BYTES)) {
        return berth__fail(error, BERTH_E_INPUT, where, "the snapshot is damaged: its checksum is wrong");
    }
    if (version > VERSION) {
        return berth__fail(error, BERTH_E_UNSUPPORTED, where,
                           "the snapshot is of version %lu, from a later berth; this one reads version %d",
                           (unsigned long)version, VERSION);
    }
    if (version < 1) {
        return berth__fail(error, BERTH_E_INPUT, where, "the snapshot is of version %lu; expected %d",
                           (unsigned long)version, VERSION);
    }
    *out = (berth__byte_reader){.bytes = from.bytes, .left = from.left - CHECKSUM_BYTES, .error = error};
    return BERTH_OK;
}

/* Those that the caller gives, and defaults for the rest. */
static berth_status take_given(const berth_options *given, berth_options *out, berth_error *error) {
    berth_options_init(out);
    if (given == NULL) {
        return BERTH_OK;
    }
    if (given->struct_size != sizeof *given) {
        return berth__fail(error, BERTH_E_ARGUMENT, "options", "not initialised: call berth_options_init first");
    }
    out->backends = given->backends;
    out->hooks = given->hooks;
    out->threads = given->threads;
    out->time_limit_s = given->time_limit_s;
    return berth__check_options(out, error);
}

berth_status berth_restore(const unsigned char *bytes, size_t n_bytes, const berth_options *options,
                           berth_scheduler **out, berth_error *error) {
    if (out != NULL) {
        *out = NULL;
    }
    if (out == NULL || (bytes == NULL && n_bytes > 0)) {
        return berth__fail(error, BERTH_E_ARGUMENT, NULL, "out and bytes must not be NULL");
    }
    berth_options given;
    berth__byte_reader from;
    berth__c_locale locale;
    if (!berth__c_locale_enter(&locale)) {
        return berth__fail_memory(error);
    }
    berth_status status = take_given(options, &given, error);
    if (status == BERTH_OK) {
        status = open_envelope(bytes, n_bytes, &from, error);
    }
    berth_scheduler *s = status == BERTH_OK ? berth__calloc(1, sizeof *s) : NULL;
    if (status == BERTH_OK && s == NULL) {
        status = berth__fail_memory(error);
    }
    if (status == BERTH_OK && !take_scheduler(&from, &given, s)) {
        status = from.status;
        berth_scheduler_free(s);
        s = NULL;
    }
    berth__c_locale_leave(&locale);
    *out = s;
    return status;
}
