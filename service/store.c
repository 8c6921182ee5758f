#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE /* flock */
#include "service/store.h"

#include "base/alloc.h"
#include "base/atomic_file.h"
#include "base/error.h"
#include "formats/bytes.h"
#include "service/record.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char magic[] = "BERTHST1";
enum { MAGIC = sizeof magic - 1, TAIL = 4, DIGITS = 20, NAME_ROOM = 48 };
static const char snapshot_prefix[] = "snapshot-", journal_prefix[] = "journal-";

struct berth__store {
    char *path, *identity;
    uint32_t identity_crc32;
    const berth_hooks *hooks;
    int lock, fd; /* fd: the journal that is appended to; -1: none */
    char *file;   /* the newest sound snapshot, NULL: none */
    const unsigned char *state;
    size_t state_length;
    uint64_t base; /* of that snapshot, then of the last that was kept */
    uint64_t sequence;
    char *journal;     /* path of the one that is appended to; NULL: none yet */
    uint64_t end, cut; /* where it ends; from where on replay found it cut off (0: it is whole) */
    bool broken;
};

/* ---- files of the directory ---- */

typedef struct numbers {
    size_t n, capacity;
    uint64_t *at; /* ascending */
} numbers;

static int by_number(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static bool numbered(const char *name, const char *prefix, uint64_t *number) {
    size_t n = strlen(prefix);
    if (strncmp(name, prefix, n) != 0 || strlen(name + n) != DIGITS || strspn(name + n, "0123456789") != DIGITS) {
        return false;
    }
    *number = strtoull(name + n, NULL, 10);
    return true;
}

static berth_status add_number(numbers *list, uint64_t number, berth_error *error) {
    void *at = list->at;
    if (!berth__grow(&at, &list->capacity, list->n, sizeof *list->at)) {
        return berth__fail_memory(error);
    }
    list->at = at;
    list->at[list->n++] = number;
    return BERTH_OK;
}

/* Numbers of the files with a prefix. Files that a crash left half-written are removed. */
static berth_status list_files(const berth__store *s, const char *prefix, numbers *out, berth_error *error) {
    *out = (numbers){0};
    DIR *folder = opendir(s->path);
    if (folder == NULL) {
        return berth__fail(error, BERTH_E_IO, s->path, "cannot list: %s", strerror(errno));
    }
    berth_status status = BERTH_OK;
    for (struct dirent *entry; status == BERTH_OK && (entry = readdir(folder)) != NULL;) {
        uint64_t number;
        if (numbered(entry->d_name, prefix, &number)) {
            status = add_number(out, number, error);
        } else if (strncmp(entry->d_name, prefix, strlen(prefix)) == 0 && strstr(entry->d_name, ".tmp-") != NULL) {
            (void)unlinkat(dirfd(folder), entry->d_name, 0);
        }
    }
    closedir(folder);
    if (status == BERTH_OK && out->n > 0) {
        qsort(out->at, out->n, sizeof *out->at, by_number);
    } else if (status != BERTH_OK) {
        berth__free(out->at);
        *out = (numbers){0};
    }
    return status;
}

/* Path of a file by number; berth__free it. */
static char *path_of(const berth__store *s, const char *prefix, uint64_t number) {
    size_t room = strlen(s->path) + NAME_ROOM;
    char *path = berth__calloc(room, 1);
    if (path != NULL) {
        snprintf(path, room, "%s/%s%0*" PRIu64, s->path, prefix, DIGITS, number);
    }
    return path;
}

static berth_status read_file(const berth__store *s, const char *prefix, uint64_t number, char **path, char **bytes,
                              size_t *length, berth_error *error) {
    *bytes = NULL;
    *path = path_of(s, prefix, number);
    return *path == NULL ? berth__fail_memory(error) : berth__bytes_read(*path, SIZE_MAX / 2, bytes, length, error);
}

/* ---- opening ---- */

/* Of two servers in one process, too, which fcntl's locks are not; these tell who holds it. */
static berth_status lock_directory(berth__store *s, berth_error *error) {
    char *path = berth__calloc(strlen(s->path) + NAME_ROOM, 1);
    if (path == NULL) {
        return berth__fail_memory(error);
    }
    snprintf(path, strlen(s->path) + NAME_ROOM, "%s/lock", s->path);
    s->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    berth__free(path);
    if (s->lock < 0 || access(s->path, W_OK | X_OK) != 0) {
        return berth__fail(error, BERTH_E_IO, s->path, "cannot write in the state directory: %s", strerror(errno));
    }
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (flock(s->lock, LOCK_EX | LOCK_NB) == 0 && fcntl(s->lock, F_SETLK, &whole) == 0) {
        return BERTH_OK;
    }
    if (errno != EACCES && errno != EAGAIN) {
        return berth__fail(error, BERTH_E_IO, s->path, "cannot lock the state directory: %s", strerror(errno));
    }
    struct flock holder = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(s->lock, F_GETLK, &holder) == 0 && holder.l_type != F_UNLCK) {
        return berth__fail(error, BERTH_E_IO, s->path, "the state directory is in use by another server, process %ld",
                           (long)holder.l_pid);
    }
    return berth__fail(error, BERTH_E_IO, s->path, "the state directory is in use by another server");
}

static berth_status make_directory(const char *path, berth_error *error) {
    struct stat about;
    if (mkdir(path, 0700) != 0 && errno != EEXIST) {
        return berth__fail(error, BERTH_E_IO, path, "cannot make the state directory: %s", strerror(errno));
    }
    if (stat(path, &about) != 0 || !S_ISDIR(about.st_mode)) {
        return berth__fail(error, BERTH_E_IO, path, "the state directory is not a directory");
    }
    return BERTH_OK;
}

/* Says which line of two identities differs first. */
static berth_status mismatch(const char *path, const char *theirs, const char *ours, berth_error *error) {
    while (*theirs != '\0' && *ours != '\0') {
        size_t a = strcspn(theirs, "\n"), b = strcspn(ours, "\n");
        if (a != b || strncmp(theirs, ours, a) != 0) {
            return berth__fail(error, BERTH_E_MISMATCH, path,
                               "the state directory is of another server: \"%.*s\" there, \"%.*s\" here", (int)a,
                               theirs, (int)b, ours);
        }
        theirs += a + (theirs[a] == '\n');
        ours += b + (ours[b] == '\n');
    }
    return berth__fail(error, BERTH_E_MISMATCH, path, "the state directory is of another version of berth");
}

/* The parts of a snapshot's bytes. E_INPUT: damaged; E_MISMATCH. */
static berth_status open_snapshot(berth__store *s, const char *path, const unsigned char *bytes, size_t length,
                                  uint64_t number, berth_error *error) {
    bool whole = length >= MAGIC + TAIL && memcmp(bytes, magic, MAGIC) == 0;
    berth__byte_reader reader = {.bytes = whole ? bytes + length - TAIL : bytes, .left = whole ? TAIL : 0};
    if (!whole || berth__take_u32(&reader) != berth__crc32(bytes, length - TAIL)) {
        return berth__fail(error, BERTH_E_INPUT, path, "damaged: the checksum is wrong");
    }
    berth__arena *arena = berth__arena_new();
    if (arena == NULL) {
        return berth__fail_memory(error);
    }
    reader = (berth__byte_reader){
        .bytes = bytes + MAGIC, .left = length - MAGIC - TAIL, .part = "", .index = BERTH__NO_INDEX};
    uint64_t sequence = berth__take_u64(&reader);
    const char *identity = berth__take_text(&reader, arena, false, "identity");
    berth_status status = reader.status;
    if (status == BERTH_E_MEMORY) {
        status = berth__fail_memory(error);
    } else if (status != BERTH_OK || sequence != number) {
        status = berth__fail(error, BERTH_E_INPUT, path, "damaged: it is not what its name says");
    } else if (strcmp(identity, s->identity) != 0) {
        status = mismatch(s->path, identity, s->identity, error);
    } else {
        s->state = reader.bytes;
        s->state_length = reader.left;
        s->base = s->sequence = sequence;
    }
    berth__arena_free(arena);
    return status;
}

static berth_status read_snapshot(berth__store *s, uint64_t number, berth_error *error) {
    char *path, *bytes;
    size_t length = 0;
    berth_status status = read_file(s, snapshot_prefix, number, &path, &bytes, &length, error);
    if (status == BERTH_OK) {
        status = open_snapshot(s, path, (const unsigned char *)bytes, length, number, error);
    }
    if (status == BERTH_OK) {
        s->file = bytes;
    } else {
        berth__free(bytes);
    }
    berth__free(path);
    return status;
}

/* The newest that is sound; none in a new directory. */
static berth_status find_snapshot(berth__store *s, berth_error *error) {
    numbers snapshots, journals = {0};
    berth_status status = list_files(s, snapshot_prefix, &snapshots, error);
    for (size_t k = snapshots.n; k-- > 0 && status == BERTH_OK && s->file == NULL;) {
        berth_error why = {0};
        status = read_snapshot(s, snapshots.at[k], &why);
        if (status == BERTH_E_INPUT && k > 0) {
            berth__log(s->hooks, BERTH_LOG_WARNING, "%s: %s; the snapshot before it is taken", why.where, why.message);
            status = BERTH_OK;
        } else if (status != BERTH_OK && error != NULL) {
            *error = why;
        }
    }
    if (status == BERTH_OK && s->file == NULL) {
        status = list_files(s, journal_prefix, &journals, error);
        if (status == BERTH_OK && journals.n > 0) {
            status = berth__fail(error, BERTH_E_INPUT, s->path, "there are journals and no snapshot that they follow");
        }
    }
    berth__free(snapshots.at);
    berth__free(journals.at);
    return status;
}

berth_status berth__store_open(const char *path, const char *identity, const berth_hooks *hooks, berth__store **out,
                               berth_error *error) {
    *out = NULL;
    berth__store *s = berth__calloc(1, sizeof *s);
    if (s == NULL) {
        return berth__fail_memory(error);
    }
    s->lock = s->fd = -1;
    s->hooks = hooks;
    s->path = berth__strdup(path);
    s->identity = berth__strdup(identity);
    s->identity_crc32 = berth__crc32(identity, strlen(identity));
    berth_status status = s->path == NULL || s->identity == NULL ? berth__fail_memory(error) : BERTH_OK;
    if (status == BERTH_OK) {
        status = make_directory(path, error);
    }
    if (status == BERTH_OK) {
        status = lock_directory(s, error);
    }
    if (status == BERTH_OK) {
        status = find_snapshot(s, error);
    }
    if (status != BERTH_OK) {
        berth__store_free(s);
        return status;
    }
    *out = s;
    return BERTH_OK;
}

void berth__store_free(berth__store *s) {
    if (s != NULL) {
        if (s->fd >= 0) {
            close(s->fd);
        }
        if (s->lock >= 0) {
            close(s->lock); /* and unlocks */
        }
        berth__free(s->file);
        berth__free(s->journal);
        berth__free(s->identity);
        berth__free(s->path);
        berth__free(s);
    }
}

const unsigned char *berth__store_state(const berth__store *s, size_t *length, uint64_t *sequence) {
    *length = s->state_length;
    *sequence = s->base;
    return s->state;
}

/* ---- replaying ---- */

typedef struct replaying {
    berth__store *store;
    berth_status (*visit)(void *user, const berth__kept_event *event, berth_error *error);
    void *user;
} replaying;

/* The events of a batch that come after the snapshot. results: of it, or a record that is none. */
static berth_status replay_batch(const replaying *r, const berth__record *events, const berth__record *results,
                                 berth_error *error) {
    berth_status status = BERTH_OK;
    size_t offset = 0;
    bool answered = results->kind == BERTH__RECORD_RESULTS;
    for (uint32_t k = 0; k < events->count && status == BERTH_OK; k++) {
        berth__kept_event event = {.sequence = events->first + k, .answered = answered};
        event.line = berth__record_line(events, &offset, &event.length);
        if (answered) {
            berth__result result = berth__record_result_at(results, k);
            event.reply_crc32 = result.reply_crc32;
            event.annulled = result.annulled;
        }
        if (event.sequence > r->store->sequence) {
            status = r->visit(r->user, &event, error);
            r->store->sequence = event.sequence;
        }
    }
    return status;
}

static berth_status replay_records(const replaying *r, berth__segment *segment, berth_error *error) {
    berth__record record, ahead;
    berth_status status = berth__segment_next(segment, &record, error);
    while (status == BERTH_OK && record.kind != BERTH__RECORD_END) {
        status = berth__segment_next(segment, &ahead, error);
        if (status == BERTH_OK && record.kind == BERTH__RECORD_EVENTS) {
            status = replay_batch(r, &record, &ahead, error);
        }
        record = ahead;
    }
    return status;
}

/* last: only the last journal may have been cut off. */
static berth_status replay_journal(const replaying *r, uint64_t base, bool last, berth_error *error) {
    berth__store *s = r->store;
    char *path, *bytes;
    size_t length = 0;
    berth__segment segment;
    berth_status status = read_file(s, journal_prefix, base, &path, &bytes, &length, error);
    if (status == BERTH_OK) {
        status = berth__segment_open((const unsigned char *)bytes, length, path, &segment, error);
    }
    if (status == BERTH_OK && (segment.base != base || segment.identity != s->identity_crc32)) {
        status = berth__fail(error, BERTH_E_MISMATCH, path, "the journal is of another server");
    }
    if (status == BERTH_OK && base > s->sequence) {
        status =
            berth__fail(error, BERTH_E_INPUT, path, "the journal with event %" PRIu64 " is missing", s->sequence + 1);
    }
    if (status == BERTH_OK) {
        status = replay_records(r, &segment, error);
    }
    if (status == BERTH_OK && segment.at < length && !last) {
        status = berth__fail(error, BERTH_E_INPUT, path, "damaged at offset %zu: a later journal goes on from here",
                             segment.at);
    } else if (status == BERTH_OK) {
        /* One that ends before the snapshot does is not gone on with. */
        s->end = segment.next == s->sequence + 1 ? segment.at : 0;
        s->cut = s->end > 0 && segment.at < length ? segment.at : 0;
        if (s->cut > 0) {
            berth__log(
                s->hooks, BERTH_LOG_WARNING,
                "%s: the last %zu bytes, from offset %zu on, were cut off by a crash and are dropped: nobody was "
                "told of them",
                path, length - segment.at, segment.at);
        }
        berth__free(s->journal);
        s->journal = path;
        path = NULL;
    }
    berth__free(bytes);
    berth__free(path);
    return status;
}

berth_status berth__store_replay(berth__store *s,
                                 berth_status (*visit)(void *user, const berth__kept_event *event, berth_error *error),
                                 void *user, berth_error *error) {
    const replaying r = {.store = s, .visit = visit, .user = user};
    numbers journals;
    berth_status status = list_files(s, journal_prefix, &journals, error);
    size_t k = 0;
    while (k + 1 < journals.n && journals.at[k + 1] <= s->base) { /* the snapshot has all of these */
        k++;
    }
    for (; k < journals.n && status == BERTH_OK; k++) {
        status = replay_journal(&r, journals.at[k], k + 1 == journals.n, error);
    }
    berth__free(journals.at);
    return status;
}

/* ---- writing ---- */

/* A new, empty journal in the place of the one that is appended to. */
static berth_status new_journal(berth__store *s, uint64_t base, berth_error *error) {
    berth__writer header = {0};
    berth__segment_header(&header, base, s->identity_crc32);
    char *path = path_of(s, journal_prefix, base);
    berth_status status = path == NULL || header.failed ? berth__fail_memory(error)
                                                        : berth__write_file(path, header.bytes, header.n, error);
    int fd = status == BERTH_OK ? open(path, O_WRONLY | O_CLOEXEC) : -1;
    if (status == BERTH_OK && fd < 0) {
        status = berth__fail(error, BERTH_E_IO, path, "cannot open: %s", strerror(errno));
    }
    if (status == BERTH_OK) {
        if (s->fd >= 0) {
            close(s->fd);
        }
        berth__free(s->journal);
        s->journal = path;
        s->fd = fd;
        s->end = header.n;
        s->broken = false;
        path = NULL;
    }
    berth__free(header.bytes);
    berth__free(path);
    return status;
}

berth_status berth__store_start(berth__store *s, berth_error *error) {
    berth__free(s->file);
    s->file = NULL;
    s->state = NULL;
    if (s->journal == NULL || s->end <= BERTH__SEGMENT_HEADER) {
        return new_journal(s, s->sequence, error);
    }
    s->fd = open(s->journal, O_WRONLY | O_CLOEXEC);
    if (s->fd < 0) {
        return berth__fail(error, BERTH_E_IO, s->journal, "cannot open: %s", strerror(errno));
    }
    if (s->cut > 0 && (ftruncate(s->fd, (off_t)s->cut) != 0 || fsync(s->fd) != 0)) {
        return berth__fail(error, BERTH_E_IO, s->journal, "cannot cut off what a crash left: %s", strerror(errno));
    }
    return BERTH_OK;
}

uint64_t berth__store_sequence(const berth__store *s) {
    return s->sequence;
}

bool berth__store_broken(const berth__store *s) {
    return s->broken;
}

uint64_t berth__store_journal_bytes(const berth__store *s) {
    return s->end - BERTH__SEGMENT_HEADER;
}

/* The journal is brought back to what it was before a record that could not be appended. */
static berth_status take_back(berth__store *s, int code, berth_error *error) {
    s->broken = ftruncate(s->fd, (off_t)s->end) != 0 || fdatasync(s->fd) != 0;
    return berth__fail(error, BERTH_E_IO, s->journal, "the journal cannot be written: %s; nothing has changed",
                       strerror(code));
}

berth_status berth__store_append(berth__store *s, const berth__writer *record, bool sync, berth_error *error) {
    if (record->failed) {
        return berth__fail_memory(error);
    }
    if (s->broken) {
        return berth__fail(error, BERTH_E_IO, s->journal,
                           "the journal could not be written before, and no snapshot has been kept since");
    }
    for (size_t done = 0; done < record->n;) {
        ssize_t n = pwrite(s->fd, record->bytes + done, record->n - done, (off_t)(s->end + done));
        if (n < 0 && errno != EINTR) {
            return take_back(s, errno, error);
        }
        done += n > 0 ? (size_t)n : 0;
    }
    if (sync && fdatasync(s->fd) != 0) {
        berth_status status = take_back(s, errno, error);
        s->broken = true; /* what the system has dropped of a file after that is not known */
        return status;
    }
    s->end += record->n;
    return BERTH_OK;
}

/* ---- generations ---- */

static void remove_file(const berth__store *s, const char *prefix, uint64_t number) {
    char *path = path_of(s, prefix, number);
    if (path != NULL) {
        (void)unlink(path);
    }
    berth__free(path);
}

/* All but the two newest snapshots, and the journals before the older of these. What cannot be removed, stays. */
static void forget(const berth__store *s) {
    numbers snapshots, journals;
    if (list_files(s, snapshot_prefix, &snapshots, NULL) == BERTH_OK && snapshots.n > 2) {
        for (size_t k = 0; k + 2 < snapshots.n; k++) {
            remove_file(s, snapshot_prefix, snapshots.at[k]);
        }
        uint64_t oldest = snapshots.at[snapshots.n - 2];
        if (list_files(s, journal_prefix, &journals, NULL) == BERTH_OK) {
            for (size_t k = 0; k + 1 < journals.n && journals.at[k + 1] <= oldest; k++) {
                remove_file(s, journal_prefix, journals.at[k]);
            }
        }
        berth__free(journals.at);
    }
    berth__free(snapshots.at);
}

berth_status berth__store_keep(berth__store *s, uint64_t sequence, const berth__writer *state, berth_error *error) {
    berth__writer bytes = {0};
    berth__put_raw(&bytes, magic, MAGIC);
    berth__put_u64(&bytes, sequence);
    berth__put_text(&bytes, s->identity);
    berth__put_raw(&bytes, state->bytes, state->n);
    if (!bytes.failed) {
        berth__put_u32(&bytes, berth__crc32(bytes.bytes, bytes.n));
    }
    char *path = path_of(s, snapshot_prefix, sequence);
    berth_status status = path == NULL || bytes.failed || state->failed
                              ? berth__fail_memory(error)
                              : berth__write_file(path, bytes.bytes, bytes.n, error);
    berth__free(bytes.bytes);
    berth__free(path);
    if (status == BERTH_OK) {
        status = new_journal(s, sequence, error);
    }
    if (status == BERTH_OK) {
        s->base = s->sequence = sequence;
        forget(s);
    }
    return status;
}
