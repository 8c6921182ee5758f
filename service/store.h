/* What a server keeps in its state directory, so that a crash loses nothing that was acknowledged:
 *
 *     lock                  held while a server runs
 *     snapshot-SEQUENCE     everything after event SEQUENCE (20 digits)
 *     journal-SEQUENCE      the events after it, see service/record.h
 *
 * The two newest snapshots are kept, and the journals from the older one on: if the newest snapshot is damaged, the one
 * before and the journals lead to the same state. */
#ifndef BERTH_SERVICE_STORE_H
#define BERTH_SERVICE_STORE_H

#include "base/bytes.h"

typedef struct berth__store berth__store;

/* Opens the directory, made if it is not there, locks it and reads the newest sound snapshot. identity: lines "NAME
 * VALUE\n" of all that decisions depend on. Borrows hooks, whose log hears of what is amiss and was mended. E_IO: it
 * cannot be written, or another server has it; E_INPUT: damage; E_MISMATCH: it belongs to another identity. */
berth_status berth__store_open(const char *path, const char *identity, const berth_hooks *hooks, berth__store **out,
                               berth_error *error);
void berth__store_free(berth__store *store);

/* The state of the snapshot that was found, borrowed until berth__store_start; NULL: the directory is new. */
const unsigned char *berth__store_state(const berth__store *store, size_t *length, uint64_t *sequence);

/* An event of the journal. */
typedef struct berth__kept_event {
    uint64_t sequence;
    const char *line;
    size_t length;
    bool answered; /* its reply was computed, with this checksum */
    uint32_t reply_crc32;
    bool annulled;
} berth__kept_event;

/* Calls visit for every event after the snapshot, in order, and ends with its first failure. E_INPUT: damage. */
berth_status berth__store_replay(berth__store *store,
                                 berth_status (*visit)(void *user, const berth__kept_event *event, berth_error *error),
                                 void *user, berth_error *error);
/* After replay: events may be appended from now on. A new directory begins with berth__store_keep instead. */
berth_status berth__store_start(berth__store *store, berth_error *error);
/* Of the last event replayed, or kept. */
uint64_t berth__store_sequence(const berth__store *store);

/* Appends a record (service/record.h). sync: it is on the disk when this returns. E_IO: nothing was appended; if the
 * journal could not even be brought back to what it was, nothing more can be until a snapshot has been kept. */
berth_status berth__store_append(berth__store *store, const berth__writer *record, bool sync, berth_error *error);
bool berth__store_broken(const berth__store *store);
/* Bytes of the journal since the snapshot. */
uint64_t berth__store_journal_bytes(const berth__store *store);
/* Keeps a snapshot of the state after event `sequence`, the last appended, begins a new journal and forgets generations
 * before the last two. E_IO: it could not be; the journal goes on. */
berth_status berth__store_keep(berth__store *store, uint64_t sequence, const berth__writer *state, berth_error *error);

#endif
