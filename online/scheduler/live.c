#include "online/scheduler/live.h"

#include "base/alloc.h"

#include <string.h>

/* ---- plans ---- */

/* FNV-1a, a number at a time. */
static uint64_t mix(uint64_t hash, int number) {
    return (hash ^ (uint64_t)(int64_t)number) * 0x100000001b3U;
}

uint64_t berth__plan_fingerprint(size_t n_slots, const berth_slot_plan *slots, int base) {
    uint64_t hash = 0xcbf29ce484222325U;
    for (size_t k = 0; k < n_slots; k++) {
        hash = mix(hash, slots[k].slot + base);
        for (size_t i = 0; i < slots[k].n_placements; i++) {
            const berth_placement *place = &slots[k].placements[i];
            hash = mix(mix(mix(hash, place->machine), place->workers), place->ps);
        }
    }
    return hash;
}

/* ---- one job ---- */

berth__live *berth__live_new(uint64_t number, berth__job *job) {
    berth__live *live = berth__calloc(1, sizeof *live);
    if (live != NULL) {
        *live = (berth__live){.number = number, .gang = number, .job = job};
    }
    return live;
}

void berth__live_free(berth__live *live) {
    if (live != NULL) {
        berth__job_free(live->job);
        berth__free(live->slots);
        berth__free(live);
    }
}

/* ---- the table ---- */

static size_t bucket_of(const berth__live_table *table, const char *id) {
    uint64_t hash = 0xcbf29ce484222325U;
    for (const char *c = id; *c != '\0'; c++) {
        hash = mix(hash, (unsigned char)*c);
    }
    return (size_t)(hash ^ hash >> 32) & (table->n_buckets - 1);
}

/* Open addressing, linear: the job's own bucket or the first free one behind it. */
static size_t seat_of(const berth__live_table *table, const char *id) {
    size_t at = bucket_of(table, id);
    while (table->by_id[at] != NULL && strcmp(table->by_id[at]->job->id, id) != 0) {
        at = (at + 1) & (table->n_buckets - 1);
    }
    return at;
}

bool berth__live_reserve(berth__live_table *table, size_t more) {
    size_t wanted = table->n + more;
    while (table->room < wanted) {
        if (!berth__grow((void **)&table->jobs, &table->room, table->room, sizeof *table->jobs)) {
            return false;
        }
    }
    size_t buckets = table->n_buckets == 0 ? 16 : table->n_buckets;
    while (buckets < 2 * wanted) {
        buckets *= 2;
    }
    if (buckets == table->n_buckets) {
        return true;
    }
    berth__live **by_id = BERTH__NEW_ARRAY(berth__live *, buckets);
    if (by_id == NULL) {
        return false;
    }
    berth__free(table->by_id);
    table->by_id = by_id;
    table->n_buckets = buckets;
    for (size_t i = 0; i < table->n; i++) {
        table->by_id[seat_of(table, table->jobs[i]->job->id)] = table->jobs[i];
    }
    return true;
}

void berth__live_add(berth__live_table *table, berth__live *live) {
    table->jobs[table->n++] = live;
    table->by_id[seat_of(table, live->job->id)] = live;
}

static size_t position_of(const berth__live_table *table, uint64_t number) {
    size_t low = 0, high = table->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        bool before = table->jobs[middle]->number < number;
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    return low;
}

berth__live *berth__live_find(const berth__live_table *table, uint64_t number) {
    size_t at = position_of(table, number);
    return at < table->n && table->jobs[at]->number == number ? table->jobs[at] : NULL;
}

berth__live *berth__live_find_id(const berth__live_table *table, const char *id) {
    return table->n_buckets == 0 ? NULL : table->by_id[seat_of(table, id)];
}

void berth__live_take(berth__live_table *table, berth__live *live) {
    size_t at = position_of(table, live->number), mask = table->n_buckets - 1;
    memmove(table->jobs + at, table->jobs + at + 1, (table->n - at - 1) * sizeof *table->jobs);
    table->n--;
    /* Those behind the free seat move up, so that a search never stops too early. */
    size_t hole = seat_of(table, live->job->id);
    table->by_id[hole] = NULL;
    for (size_t next = (hole + 1) & mask; table->by_id[next] != NULL; next = (next + 1) & mask) {
        berth__live *moved = table->by_id[next];
        table->by_id[next] = NULL;
        table->by_id[seat_of(table, moved->job->id)] = moved;
    }
}

void berth__live_clear(berth__live_table *table) {
    for (size_t i = 0; i < table->n; i++) {
        berth__live_free(table->jobs[i]);
    }
    berth__free(table->jobs);
    berth__free(table->by_id);
    *table = (berth__live_table){0};
}
