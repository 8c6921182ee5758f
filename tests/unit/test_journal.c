/* The journal and the state directory: cut off at every byte, damaged at every byte, full disks, generations. */
#define _POSIX_C_SOURCE 200809L
#include "tests/support/check.h"
#include "tests/support/own_folder.h"

#include "base/alloc.h"
#include "service/record.h"
#include "service/store.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char identity[] = "policy bidlp\nseed 1\n";

/* ---- segments ---- */

enum { BATCHES = 4, MOST_RECORDS = 2 * BATCHES };

typedef struct written {
    berth__writer bytes;
    size_t n, ends[MOST_RECORDS];  /* of records */
    uint32_t events[MOST_RECORDS]; /* in the records up to this one */
    size_t last_results;           /* where the last RESULTS begin */
} written;

static void put_record(written *w, const berth__writer *record, uint32_t events) {
    berth__put_raw(&w->bytes, record->bytes, record->n);
    w->events[w->n] = (w->n > 0 ? w->events[w->n - 1] : 0) + events;
    w->ends[w->n++] = w->bytes.n;
}

static void make_batch(berth__writer *to, uint64_t first, uint32_t n) {
    char line[64];
    to->n = 0;
    size_t begin = berth__record_begin(to, BERTH__RECORD_EVENTS, first, n);
    for (uint32_t k = 0; k < n; k++) {
        int length =
            snprintf(line, sizeof line, "{\"event\":\"advance\",\"slot\":%llu}", (unsigned long long)(first + k));
        berth__record_event(to, line, (size_t)length);
    }
    berth__record_close(to, begin);
}

static void make_results(berth__writer *to, uint64_t first, uint32_t n) {
    to->n = 0;
    size_t begin = berth__record_begin(to, BERTH__RECORD_RESULTS, first, n);
    for (uint32_t k = 0; k < n; k++) {
        berth__record_result(to, (uint32_t)(1000 + first + k), (first + k) % 3 == 0);
    }
    berth__record_close(to, begin);
}

/* Batches of 1, 2, 3, ... events after event `base`, each with its results, but the last if not `all_answered`. */
static written write_segment(uint64_t base, bool all_answered) {
    written w = {0};
    berth__writer record = {0};
    uint64_t next = base + 1;
    berth__segment_header(&w.bytes, base, 77);
    for (uint32_t k = 0; k < BATCHES; k++) {
        make_batch(&record, next, k + 1);
        put_record(&w, &record, k + 1);
        if (k + 1 < BATCHES || all_answered) {
            w.last_results = w.bytes.n;
            make_results(&record, next, k + 1);
            put_record(&w, &record, 0);
        }
        next += k + 1;
    }
    berth__free(record.bytes);
    assert_false(w.bytes.failed);
    return w;
}

/* Reads all there is; returns how many events, checked to be those written. */
static berth_status read_segment(const unsigned char *bytes, size_t length, size_t *sound, uint32_t *events,
                                 berth_error *error) {
    berth__segment segment;
    berth__record record;
    berth_status status = berth__segment_open(bytes, length, "journal", &segment, error);
    *events = 0;
    while (status == BERTH_OK) {
        status = berth__segment_next(&segment, &record, error);
        if (status != BERTH_OK || record.kind == BERTH__RECORD_END) {
            break;
        }
        size_t offset = 0, n = 0;
        for (uint32_t k = 0; record.kind == BERTH__RECORD_EVENTS && k < record.count; k++) {
            char expected[64];
            const char *line = berth__record_line(&record, &offset, &n);
            snprintf(expected, sizeof expected, "{\"event\":\"advance\",\"slot\":%llu}",
                     (unsigned long long)(segment.base + ++*events));
            assert_int_equal(n, strlen(expected));
            assert_memory_equal(line, expected, n);
        }
    }
    *sound = status == BERTH_OK ? segment.at : 0;
    return status;
}

/* However long the file is, what was written whole is read, and the rest is known to be cut off. */
static void test_cut_off_at_every_byte(void **state) {
    (void)state;
    for (int answered = 0; answered < 2; answered++) {
        written w = write_segment(40, answered);
        for (size_t length = 0; length <= w.bytes.n; length++) {
            berth_error error = {0};
            size_t sound, whole = BERTH__SEGMENT_HEADER;
            uint32_t events, expected = 0;
            unsigned char *bytes = berth__calloc(length > 0 ? length : 1, 1); /* exactly so long, for sanitizers */
            memcpy(bytes, w.bytes.bytes, length);
            for (size_t k = 0; k < w.n && w.ends[k] <= length; k++) {
                whole = w.ends[k];
                expected = w.events[k];
            }
            berth_status status = read_segment(bytes, length, &sound, &events, &error);
            berth__free(bytes);
            if (length < BERTH__SEGMENT_HEADER) {
                assert_int_equal(status, BERTH_E_INPUT);
                continue;
            }
            assert_ok(status, error);
            assert_int_equal(sound, whole);
            assert_int_equal(events, expected);
        }
        berth__free(w.bytes.bytes);
    }
}

/* A wrong byte before the last results is damage, with its record's offset; behind them it ends what was acknowledged.
 */
static void test_damage_at_every_byte(void **state) {
    (void)state;
    for (int answered = 0; answered < 2; answered++) {
        written w = write_segment(0, answered);
        for (size_t at = 0; at < w.bytes.n; at++) {
            for (unsigned flip = 1; flip < 256; flip = flip * 3 + 1) {
                berth_error error = {0};
                size_t sound, k = 0;
                uint32_t events;
                char offset[40];
                w.bytes.bytes[at] ^= (unsigned char)flip;
                berth_status status = read_segment(w.bytes.bytes, w.bytes.n, &sound, &events, &error);
                w.bytes.bytes[at] ^= (unsigned char)flip;
                while (at >= BERTH__SEGMENT_HEADER && w.ends[k] <= at) {
                    k++;
                }
                size_t begin = at < BERTH__SEGMENT_HEADER ? 0 : k > 0 ? w.ends[k - 1] : BERTH__SEGMENT_HEADER;
                if (begin < w.last_results) {
                    snprintf(offset, sizeof offset, "at offset %zu:", begin);
                    assert_int_equal(status, BERTH_E_INPUT);
                    assert_string_equal(error.where, "journal");
                    assert_true(begin == 0 || strstr(error.message, offset) != NULL);
                } else {
                    assert_ok(status, error);
                    assert_int_equal(sound, begin);
                    assert_int_equal(events, k > 0 ? w.events[k - 1] : 0);
                }
            }
        }
        berth__free(w.bytes.bytes);
    }
}

/* ---- the directory ---- */

static void empty_folder(void) {
    DIR *listing = opendir(path_of("."));
    assert_non_null(listing);
    for (struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
        unlink(path_of(entry->d_name));
    }
    closedir(listing);
}

static size_t count_files(const char *prefix) {
    size_t n = 0;
    DIR *listing = opendir(path_of("."));
    assert_non_null(listing);
    for (struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
        n += strncmp(entry->d_name, prefix, strlen(prefix)) == 0;
    }
    closedir(listing);
    return n;
}

static const char *numbered(const char *prefix, unsigned number) {
    char name[64];
    snprintf(name, sizeof name, "%s-%020u", prefix, number);
    return path_of(name);
}

typedef struct seen {
    uint64_t first, last;
    size_t n, answered, annulled;
} seen;

static berth_status see(void *user, const berth__kept_event *event, berth_error *error) {
    seen *s = user;
    (void)error;
    assert_true(s->n == 0 || event->sequence == s->last + 1);
    s->first = s->n == 0 ? event->sequence : s->first;
    s->last = event->sequence;
    s->n++;
    s->answered += event->answered;
    s->annulled += event->annulled;
    assert_true(!event->answered || event->reply_crc32 == 1000 + event->sequence);
    return BERTH_OK;
}

static int n_warnings;
static char warning[1024];
static void count_warning(void *user, berth_log_level level, const char *message) {
    (void)user;
    n_warnings += level == BERTH_LOG_WARNING;
    snprintf(warning, sizeof warning, "%s", message);
}

static berth_hooks hooks_of_test(void) {
    berth_hooks hooks;
    berth_hooks_init(&hooks);
    hooks.log = count_warning;
    return hooks;
}

static berth__store *open_store(const berth_hooks *hooks, seen *replayed) {
    berth_error error = {0};
    berth__store *store = NULL;
    *replayed = (seen){0};
    assert_ok(berth__store_open(path_of("."), identity, hooks, &store, &error), error);
    assert_ok(berth__store_replay(store, see, replayed, &error), error);
    size_t length;
    uint64_t sequence;
    if (berth__store_state(store, &length, &sequence) != NULL) {
        assert_ok(berth__store_start(store, &error), error);
    }
    return store;
}

static berth_status append_batch(berth__store *store, uint64_t first, uint32_t n, bool results, berth_error *error) {
    berth__writer record = {0};
    make_batch(&record, first, n);
    berth_status status = berth__store_append(store, &record, true, error);
    if (status == BERTH_OK && results) {
        make_results(&record, first, n);
        status = berth__store_append(store, &record, false, error);
    }
    berth__free(record.bytes);
    return status;
}

static void keep(berth__store *store, uint64_t sequence) {
    berth_error error = {0};
    berth__writer bytes = {0};
    berth__put_u64(&bytes, sequence);
    assert_ok(berth__store_keep(store, sequence, &bytes, &error), error);
    berth__free(bytes.bytes);
}

static void expect_state(const berth__store *store, uint64_t expected) {
    size_t length;
    uint64_t sequence;
    const unsigned char *bytes = berth__store_state(store, &length, &sequence);
    assert_non_null(bytes);
    assert_int_equal(length, 8);
    berth__byte_reader reader = {.bytes = bytes, .left = length};
    assert_int_equal(berth__take_u64(&reader), expected);
    assert_int_equal(sequence, expected);
}

static void test_generations(void **state) {
    (void)state;
    berth_error error = {0};
    berth_hooks hooks = hooks_of_test();
    seen replayed;
    empty_folder();
    berth__store *store = open_store(&hooks, &replayed);
    size_t length;
    uint64_t sequence;
    assert_null(berth__store_state(store, &length, &sequence));
    assert_int_equal(replayed.n, 0);
    keep(store, 0);
    assert_ok(append_batch(store, 1, 3, true, &error), error);
    assert_ok(append_batch(store, 4, 1, false, &error), error);
    berth__store_free(store);
    for (int again = 0; again < 2; again++) { /* reading changes nothing */
        store = open_store(&hooks, &replayed);
        assert_true(replayed.n == 4 && replayed.first == 1 && replayed.answered == 3 && replayed.annulled == 1);
        assert_int_equal(berth__store_sequence(store), 4);
        berth__store_free(store);
    }
    store = open_store(&hooks, &replayed);
    for (uint64_t k = 1; k <= 5; k++) {
        keep(store, 4 * k);
        assert_ok(append_batch(store, 4 * k + 1, 4, true, &error), error);
        assert_int_equal(count_files("snapshot-"), 2);
        assert_int_equal(count_files("journal-"), 2);
    }
    berth__store_free(store);
    assert_int_equal(n_warnings, 0);

    /* The newest snapshot is damaged: the one before and both journals lead to the same. */
    int fd = open(numbered("snapshot", 20), O_RDWR);
    assert_true(fd >= 0 && pwrite(fd, "x", 1, 12) == 1 && close(fd) == 0);
    assert_ok(berth__store_open(path_of("."), identity, &hooks, &store, &error), error);
    expect_state(store, 16);
    assert_int_equal(n_warnings, 1);
    assert_non_null(strstr(warning, "snapshot-00000000000000000020: damaged"));
    replayed = (seen){0};
    assert_ok(berth__store_replay(store, see, &replayed, &error), error);
    assert_true(replayed.n == 8 && replayed.first == 17 && replayed.last == 24);
    berth__store_free(store);

    /* The only one left is. */
    fd = open(numbered("snapshot", 16), O_RDWR);
    assert_true(fd >= 0 && pwrite(fd, "x", 1, 12) == 1 && close(fd) == 0);
    assert_int_equal(berth__store_open(path_of("."), identity, &hooks, &store, &error), BERTH_E_INPUT);
    assert_null(store);
    n_warnings = 0;
}

static void test_a_journal_is_missing(void **state) {
    (void)state;
    berth_error error = {0};
    seen replayed;
    empty_folder();
    berth__store *store = open_store(NULL, &replayed);
    keep(store, 0);
    assert_ok(append_batch(store, 1, 2, true, &error), error);
    keep(store, 2);
    assert_ok(append_batch(store, 3, 2, true, &error), error);
    berth__store_free(store);
    assert_int_equal(unlink(numbered("snapshot", 2)), 0);
    assert_int_equal(unlink(numbered("journal", 0)), 0);
    assert_ok(berth__store_open(path_of("."), identity, NULL, &store, &error), error);
    replayed = (seen){0};
    assert_int_equal(berth__store_replay(store, see, &replayed, &error), BERTH_E_INPUT);
    assert_non_null(strstr(error.message, "event 1 is missing"));
    berth__store_free(store);
    /* A crash came between the snapshot and its journal. */
    empty_folder();
    store = open_store(NULL, &replayed);
    keep(store, 0);
    assert_ok(append_batch(store, 1, 2, true, &error), error);
    keep(store, 2);
    berth__store_free(store);
    assert_int_equal(unlink(numbered("journal", 2)), 0);
    store = open_store(NULL, &replayed);
    assert_int_equal(replayed.n, 0);
    assert_ok(append_batch(store, 3, 2, true, &error), error);
    berth__store_free(store);
    store = open_store(NULL, &replayed);
    assert_true(replayed.n == 2 && replayed.first == 3);
    berth__store_free(store);
}

/* What a crash cuts off is dropped, told of, and the journal goes on from there. */
static void test_cut_off_journals_go_on(void **state) {
    (void)state;
    berth_error error = {0};
    berth_hooks hooks = hooks_of_test();
    seen replayed;
    struct stat about;
    empty_folder();
    berth__store *store = open_store(&hooks, &replayed);
    keep(store, 0);
    assert_ok(append_batch(store, 1, 2, true, &error), error);
    assert_int_equal(stat(numbered("journal", 0), &about), 0);
    off_t whole = about.st_size;
    assert_ok(append_batch(store, 3, 2, false, &error), error);
    assert_int_equal(stat(numbered("journal", 0), &about), 0);
    berth__store_free(store);
    n_warnings = 0;
    assert_int_equal(truncate(numbered("journal", 0), about.st_size - 1), 0);
    store = open_store(&hooks, &replayed);
    assert_int_equal(replayed.n, 2);
    assert_int_equal(n_warnings, 1);
    assert_non_null(strstr(warning, "were cut off by a crash"));
    assert_int_equal(stat(numbered("journal", 0), &about), 0);
    assert_int_equal(about.st_size, whole);
    assert_ok(append_batch(store, 3, 5, true, &error), error);
    berth__store_free(store);
    store = open_store(&hooks, &replayed);
    assert_int_equal(replayed.n, 7);
    assert_int_equal(n_warnings, 1);
    berth__store_free(store);
}

/* No room: nothing is appended, and once there is, all goes on. */
static void test_full_disk(void **state) {
    (void)state;
    berth_error error = {0};
    seen replayed;
    struct stat about;
    struct rlimit before, tight;
    empty_folder();
    berth__store *store = open_store(NULL, &replayed);
    keep(store, 0);
    assert_ok(append_batch(store, 1, 2, true, &error), error);
    assert_int_equal(stat(numbered("journal", 0), &about), 0);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    tight = before;
    tight.rlim_cur = (rlim_t)about.st_size + 30; /* a part of the record fits */
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
    berth_status status = append_batch(store, 3, 2, true, &error);
    struct stat after;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, handler);
    assert_int_equal(status, BERTH_E_IO);
    assert_non_null(strstr(error.message, "nothing has changed"));
    assert_false(berth__store_broken(store));
    assert_int_equal(stat(numbered("journal", 0), &after), 0);
    assert_int_equal(after.st_size, about.st_size);
    assert_ok(append_batch(store, 3, 1, true, &error), error);
    berth__store_free(store);
    store = open_store(NULL, &replayed);
    assert_int_equal(replayed.n, 3);
    berth__store_free(store);
}

static void test_whose_directory(void **state) {
    (void)state;
    berth_error error = {0};
    seen replayed;
    berth__store *store, *other = NULL;
    empty_folder();
    store = open_store(NULL, &replayed);
    keep(store, 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        berth_status status = berth__store_open(path_of("."), identity, NULL, &other, &error);
        _exit(status == BERTH_E_IO && strstr(error.message, "in use by another server, process") != NULL ? 0 : 1);
    }
    int code;
    assert_int_equal(waitpid(child, &code, 0), child);
    assert_int_equal(code, 0);
    for (int k = 0; k < 2; k++) { /* nor in this process; that it was tried leaves the lock as it is */
        assert_int_equal(berth__store_open(path_of("."), identity, NULL, &other, &error), BERTH_E_IO);
        assert_non_null(strstr(error.message, "in use by another server"));
    }
    berth__store_free(store);
    assert_int_equal(berth__store_open(path_of("."), "policy bidlp\nseed 2\n", NULL, &store, &error), BERTH_E_MISMATCH);
    assert_non_null(strstr(error.message, "\"seed 1\" there, \"seed 2\" here"));
    put_file("plain", "");
    assert_int_equal(berth__store_open(path_of("plain"), identity, NULL, &store, &error), BERTH_E_IO);
    assert_int_equal(berth__store_open(path_of("no/such"), identity, NULL, &store, &error), BERTH_E_IO);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cut_off_at_every_byte),
        cmocka_unit_test(test_damage_at_every_byte),
        cmocka_unit_test(test_generations),
        cmocka_unit_test(test_a_journal_is_missing),
        cmocka_unit_test(test_cut_off_journals_go_on),
        cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_whose_directory),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
