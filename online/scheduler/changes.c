#include "online/scheduler/changes.h"

#include "base/error.h"
#include "online/scheduler/scheduler.h"

#include <stdio.h>
#include <string.h>

bool berth__changes_reserve(berth__change_log *log, size_t more) {
    size_t wanted = log->n + more;
    while (log->room < wanted) {
        if (!berth__grow((void **)&log->changes, &log->room, log->room, sizeof *log->changes)) {
            return false;
        }
    }
    return true;
}

berth__change *berth__changes_add(berth__change_log *log, uint64_t number, berth_change_kind kind, int slot,
                                  const char *reason) {
    berth__change *change = &log->changes[log->n++];
    *change = (berth__change){.number = number, .kind = kind, .slot = slot, .promised = -1, .completion = -1};
    snprintf(change->reason, sizeof change->reason, "%s", reason == NULL ? "" : reason);
    return change;
}

void berth__changes_add_move(berth__change_log *log, uint64_t number, int slot) {
    for (size_t i = log->n; i-- > 0;) {
        if (log->changes[i].number == number && log->changes[i].kind == BERTH_CHANGE_MOVED) {
            log->changes[i].slot = slot;
            return;
        }
    }
    berth__changes_add(log, number, BERTH_CHANGE_MOVED, slot, NULL);
}

/* By insertion: what an event tells is in few runs that are in order already. */
void berth__changes_order(berth__change_log *log, size_t first) {
    for (size_t i = first; i < log->n; i++) {
        berth__change change = log->changes[i];
        size_t at = i;
        while (at > first && log->changes[at - 1].number > change.number) {
            at--;
        }
        memmove(&log->changes[at + 1], &log->changes[at], (i - at) * sizeof change);
        log->changes[at] = change;
    }
}

static void forget(berth__change_log *log) {
    for (size_t i = 0; i < log->n; i++) {
        berth__job_free(log->changes[i].job);
    }
    log->n = 0;
}

void berth__changes_free(berth__change_log *log) {
    forget(log);
    berth__free(log->changes);
    *log = (berth__change_log){0};
}

/* ---- telling ---- */

/* The job of a change that does not have it itself: live, or ended by a later one. */
static const char *id_of(const berth_scheduler *s, const berth__change *change) {
    if (change->job != NULL) {
        return change->job->id;
    }
    const berth__live *live = berth__live_find(&s->live, change->number);
    if (live != NULL) {
        return live->job->id;
    }
    for (size_t i = 0; i < s->changes.n; i++) {
        const berth__change *other = &s->changes.changes[i];
        if (other->number == change->number && other->job != NULL) {
            return other->job->id;
        }
    }
    return NULL;
}

static bool tell(const berth_scheduler *s, const berth__change *change, const char *id, berth__arena *arena,
                 berth_change *out) {
    *out = (berth_change){.number = change->number,
                          .id = berth__arena_strdup(arena, id),
                          .kind = change->kind,
                          .slot = change->slot,
                          .promised_slot = change->promised,
                          .completion_slot = change->completion};
    snprintf(out->reason, sizeof out->reason, "%s", change->reason);
    const berth__live *live = change->job == NULL ? berth__live_find(&s->live, change->number) : NULL;
    if (live != NULL) {
        out->promised_slot = live->promised;
        out->completion_slot = berth__live_completion(s, live);
    }
    return out->id != NULL;
}

berth_status berth_take_changes(berth_scheduler *s, berth_changes *out, berth_error *error) {
    if (out == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "out", "out must not be NULL");
    }
    *out = (berth_changes){0};
    if (s == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "scheduler", "scheduler must not be NULL");
    }
    if (s->changes.n == 0) {
        return BERTH_OK;
    }
    berth__arena *arena = berth__arena_new();
    out->changes = arena == NULL ? NULL : BERTH__ARENA_ARRAY(arena, berth_change, s->changes.n);
    bool good = out->changes != NULL;
    for (size_t i = 0; i < s->changes.n && good; i++) {
        const char *id = id_of(s, &s->changes.changes[i]);
        if (id != NULL) {
            good = tell(s, &s->changes.changes[i], id, arena, &out->changes[out->n++]);
        }
    }
    if (!good) {
        berth__arena_free(arena);
        *out = (berth_changes){0};
        return berth__fail_memory(error);
    }
    out->memory = arena;
    forget(&s->changes);
    return BERTH_OK;
}

void berth_changes_clear(berth_changes *changes) {
    if (changes != NULL) {
        berth__arena_free(changes->memory);
        *changes = (berth_changes){0};
    }
}

const char *berth_change_kind_name(berth_change_kind kind) {
    static const char *const names[] = {[BERTH_CHANGE_MOVED] = "moved",
                                        [BERTH_CHANGE_DELAYED] = "delayed",
                                        [BERTH_CHANGE_COMPLETED] = "completed",
                                        [BERTH_CHANGE_LOST] = "lost",
                                        [BERTH_CHANGE_LAPSED] = "lapsed"};
    return (int)kind >= 0 && (size_t)kind < sizeof names / sizeof *names ? names[kind] : NULL;
}
