/* base/: streams, allocation, files, errors, budgets, order statistics. */
#define _POSIX_C_SOURCE 200809L
#include "tests/support/check.h"

#include "base/alloc.h"
#include "base/atomic_file.h"
#include "base/budget.h"
#include "base/error.h"
#include "base/pcg.h"
#include "base/sort.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- streams ---- */

/* The first six outputs that the PCG library's own check program prints for pcg64(42, 54). */
static void pcg_reference_draws(void **state) {
    (void)state;
    static const uint64_t published[] = {0x86b1da1d72062b68, 0x1304aa46c9853d39, 0xa3670e9e0dd50358,
                                         0xf9090e529a7dae00, 0xc85b9fd837996f2c, 0x606121f8e3919196};
    berth__pcg stream = berth__pcg_seed(42, 54);
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        uint64_t draw = berth__pcg_next(&stream);
        if (draw != published[i]) {
            fail_msg("draw %zu is %llx", i, (unsigned long long)draw);
        }
    }
}

/* 16 equal cells. The limit is the chi-square quantile (15 degrees) for a false alarm of 1e-6; the seed is fixed. */
static void pcg_uniform_is_uniform(void **state) {
    (void)state;
    enum { DRAWS = 400000, CELLS = 16 };
    berth__pcg stream = berth__pcg_seed(7, 1);
    double count[CELLS] = {0}, sum = 0, chi = 0;
    for (int i = 0; i < DRAWS; i++) {
        double u = berth__pcg_uniform(&stream);
        assert_true(u >= 0 && u < 1);
        count[(int)(u * CELLS)]++;
        sum += u;
    }
    for (int c = 0; c < CELLS; c++) {
        double expected = (double)DRAWS / CELLS;
        chi += (count[c] - expected) * (count[c] - expected) / expected;
    }
    assert_true(chi < 56.50);
    /* 5 standard deviations of a mean of uniforms: false alarm 6e-7. */
    assert_true(fabs(sum / DRAWS - 0.5) < 5 / sqrt(12.0 * DRAWS));
}

static double chi_square_of_integers(berth__pcg *stream, int64_t low, int64_t high, int draws, int cells) {
    double count[16] = {0}, chi = 0, expected = (double)draws / cells;
    uint64_t cell_width = ((uint64_t)high - (uint64_t)low) / (uint64_t)cells + 1;
    for (int i = 0; i < draws; i++) {
        int64_t draw = berth__pcg_integer(stream, low, high);
        assert_true(draw >= low && draw <= high);
        count[((uint64_t)draw - (uint64_t)low) / cell_width]++;
    }
    for (int c = 0; c < cells; c++) {
        chi += (count[c] - expected) * (count[c] - expected) / expected;
    }
    return chi;
}

/* Limits: chi-square quantiles for a false alarm of 1e-6 each (9 and 2 degrees). The second range, 3 * 2^62 numbers
 * wide, is where a plain remainder would put half of the draws, not a third, into its first third. */
static void pcg_integers_are_unbiased(void **state) {
    (void)state;
    berth__pcg stream = berth__pcg_seed(8, 2);
    assert_true(chi_square_of_integers(&stream, -3, 6, 100000, 10) < 44.82);
    int64_t half = (int64_t)3 << 61;
    assert_true(chi_square_of_integers(&stream, -half, half - 1, 30000, 3) < 27.64);
    assert_int_equal(berth__pcg_integer(&stream, 5, 5), 5);
    bool negative = false, positive = false;
    for (int i = 0; i < 64; i++) { /* the full range; false alarm 2^-63 */
        int64_t draw = berth__pcg_integer(&stream, INT64_MIN, INT64_MAX);
        negative = negative || draw < 0;
        positive = positive || draw > 0;
    }
    assert_true(negative && positive);
}

static int compare_words(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* First draws of 8000 keys are distinct (a chance collision: 2e-12), order and length of a key matter. */
static void pcg_keyed_streams_differ(void **state) {
    (void)state;
    enum { SIDE = 20, KEYS = SIDE * SIDE * SIDE };
    uint64_t *first = BERTH__NEW_ARRAY(uint64_t, KEYS);
    assert_non_null(first);
    size_t n = 0;
    for (uint64_t a = 0; a < SIDE; a++) {
        for (uint64_t b = 0; b < SIDE; b++) {
            for (uint64_t c = 0; c < SIDE; c++) {
                berth__pcg stream = berth__pcg_key(3, (uint64_t[]){a, b, c});
                first[n++] = berth__pcg_next(&stream);
            }
        }
    }
    qsort(first, n, sizeof *first, compare_words);
    for (size_t i = 1; i < n; i++) {
        assert_true(first[i] != first[i - 1]);
    }
    berth__free(first);

    berth__pcg one = berth__pcg_key(2, (uint64_t[]){1, 2}), same = berth__pcg_key(2, (uint64_t[]){1, 2});
    berth__pcg shorter = berth__pcg_key(1, (uint64_t[]){1}), longer = berth__pcg_key(3, (uint64_t[]){1, 2, 0});
    uint64_t draw = berth__pcg_next(&one);
    assert_true(draw == berth__pcg_next(&same));
    assert_true(draw != berth__pcg_next(&shorter) && draw != berth__pcg_next(&longer));
    berth__pcg fork = one; /* a copy goes on alike and leaves the original alone */
    uint64_t forked = berth__pcg_next(&fork);
    assert_true(forked == berth__pcg_next(&one));
}

/* ---- allocation ---- */

static void allocation_checks_overflow(void **state) {
    (void)state;
    assert_null(berth__calloc(SIZE_MAX, 2));
    assert_null(berth__calloc((size_t)PTRDIFF_MAX / 8 + 1, 8));
    void *none = berth__calloc(0, 8);
    assert_non_null(none);
    berth__free(none);
    int *block = BERTH__NEW_ARRAY(int, 3);
    assert_non_null(block);
    assert_int_equal(block[0] + block[1] + block[2], 0);
    block[2] = 7;
    assert_null(berth__realloc(block, SIZE_MAX / 2, 4));
    assert_int_equal(block[2], 7);
    int *larger = berth__realloc(block, 1000, sizeof *block);
    assert_non_null(larger);
    assert_int_equal(larger[2], 7);
    berth__free(larger);
    berth__free(NULL);
    char *copy = berth__strdup("slot");
    assert_string_equal(copy, "slot");
    berth__free(copy);
}

static void growing_keeps_content(void **state) {
    (void)state;
    void *array = NULL;
    size_t capacity = 0;
    for (size_t count = 0; count < 1000; count++) {
        assert_true(berth__grow(&array, &capacity, count, sizeof(size_t)));
        assert_true(capacity > count);
        ((size_t *)array)[count] = count;
    }
    for (size_t i = 0; i < 1000; i++) {
        assert_true(((size_t *)array)[i] == i);
    }
    void *before = array;
    size_t old_capacity = capacity;
    assert_false(berth__grow(&array, &capacity, (size_t)PTRDIFF_MAX, sizeof(size_t)));
    assert_ptr_equal(array, before);
    assert_true(capacity == old_capacity);
    berth__free(array);
}

/* Blocks taken at random, filled, and given back to nested marks: always zeroed, apart, and as filled until gone. */
static void arena_goes_back(void **state) {
    (void)state;
    enum { DEPTH = 12, BLOCKS = 40 };
    berth__pcg g = berth__pcg_seed(53, 1);
    berth__arena *arena = berth__arena_new();
    assert_non_null(arena);
    unsigned char *block[DEPTH * BLOCKS];
    size_t size[DEPTH * BLOCKS], n = 0, n_at[DEPTH], reused = 0;
    berth__arena_mark mark[DEPTH];
    int depth = 0;
    for (int step = 0; step < 4000; step++) {
        if (depth < DEPTH && berth__pcg_uniform(&g) < 0.5) {
            mark[depth] = berth__arena_here(arena);
            n_at[depth++] = n;
            for (size_t more = (size_t)berth__pcg_integer(&g, 0, BLOCKS); more > 0; more--) {
                size_t most = berth__pcg_uniform(&g) < 0.1 ? 60000 : 900;
                size[n] = (size_t)berth__pcg_integer(&g, 0, (int64_t)most);
                bool clear = berth__pcg_uniform(&g) < 0.7;
                block[n] = clear ? berth__arena_calloc(arena, size[n], 1) : berth__arena_alloc(arena, size[n], 1);
                assert_true(block[n] != NULL && (uintptr_t)block[n] % 16 == 0);
                for (size_t i = 0; i < size[n]; i++) {
                    assert_true(!clear || block[n][i] == 0);
                    reused += block[n][i] != 0;
                }
                memset(block[n], (int)(n % 255) + 1, size[n]);
                n++;
            }
        } else if (depth > 0) {
            depth -= (int)berth__pcg_integer(&g, 1, depth < 3 ? depth : 3);
            for (size_t b = 0; b < n; b++) { /* nobody has written into another's */
                assert_true(size[b] == 0 || (block[b][0] == b % 255 + 1 && block[b][size[b] - 1] == b % 255 + 1));
            }
            berth__arena_back(arena, mark[depth]);
            n = n_at[depth];
        }
    }
    assert_true(reused > 1000);
    berth__arena_free(arena);
}

static void arenas_of_a_pool_come_back(void **state) {
    (void)state;
    berth__arena *pool = NULL, *first = berth__arena_from(&pool), *second = berth__arena_from(&pool);
    assert_true(first != NULL && second != NULL && first != second);
    memset(berth__arena_calloc(first, 100, 1), 1, 100);
    berth__arena_give(&pool, first);
    berth__arena_give(&pool, second);
    berth__arena_give(&pool, NULL);
    berth__arena_give(NULL, berth__arena_new());
    assert_ptr_equal(berth__arena_from(&pool), second);
    assert_ptr_equal(berth__arena_from(&pool), first);
    assert_null(pool);
    const char *block = berth__arena_calloc(first, 100, 1);
    assert_true(block[0] == 0 && memcmp(block, block + 1, 99) == 0);
    berth__arena_give(&pool, first);
    berth__arena_give(&pool, second);
    berth__arena_pool_free(&pool);
    assert_null(pool);
}

static void arena_blocks_are_zeroed_aligned_apart(void **state) {
    (void)state;
    enum { BLOCKS = 500 };
    berth__arena *arena = berth__arena_new();
    assert_non_null(arena);
    unsigned char *block[BLOCKS];
    size_t size[BLOCKS];
    for (size_t i = 0; i < BLOCKS; i++) {
        size[i] = i % 50 == 49 ? 100000 : 1 + 37 * i % 300; /* some larger than a chunk */
        block[i] = berth__arena_calloc(arena, size[i], 1);
        assert_non_null(block[i]);
        assert_true((uintptr_t)block[i] % 16 == 0);
        for (size_t k = 0; k < size[i]; k++) {
            assert_int_equal(block[i][k], 0);
        }
        memset(block[i], (int)(i % 251) + 1, size[i]);
    }
    for (size_t i = 0; i < BLOCKS; i++) { /* nobody wrote into another's block */
        assert_int_equal(block[i][0], i % 251 + 1);
        assert_int_equal(block[i][size[i] - 1], i % 251 + 1);
    }
    assert_null(berth__arena_calloc(arena, SIZE_MAX, 2));
    assert_null(berth__arena_calloc(arena, SIZE_MAX / 2, 1));
    assert_non_null(BERTH__ARENA_ARRAY(arena, double, 0));
    assert_string_equal(berth__arena_strdup(arena, "worker"), "worker");
    assert_string_equal(berth__arena_strndup(arena, "worker", 4), "work");
    char *text = berth__arena_printf(arena, "/jobs/%d/%s", 12, "epochs");
    assert_string_equal(text, "/jobs/12/epochs");
    berth__arena_free(arena);
    berth__arena_free(NULL);
}

/* ---- files ---- */

typedef struct folder {
    char path[64];
    char file[96];
} folder;

static int make_folder(void **state) {
    folder *f = calloc(1, sizeof *f);
    if (f == NULL) {
        return -1;
    }
    snprintf(f->path, sizeof f->path, "/tmp/berth-base-XXXXXX");
    *state = f;
    if (mkdtemp(f->path) == NULL) {
        return -1;
    }
    snprintf(f->file, sizeof f->file, "%s/out.json", f->path);
    return 0;
}

static int count_entries(const char *path) {
    int n = 0;
    DIR *dir = opendir(path);
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        n += entry->d_name[0] != '.';
    }
    closedir(dir);
    return n;
}

static int remove_folder(void **state) {
    folder *f = *state;
    unlink(f->file);
    int failed = rmdir(f->path);
    free(f);
    return failed;
}

static void assert_content(const char *path, const char *expected) {
    char text[64] = "";
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t n = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    assert_true(n == strlen(expected));
    assert_string_equal(text, expected);
}

static void file_appears_whole(void **state) {
    folder *f = *state;
    berth_error error;
    assert_ok(berth__write_file(f->file, "one", 3, &error), error);
    assert_content(f->file, "one");
    assert_ok(berth__write_file(f->file, "second", 6, &error), error);
    assert_content(f->file, "second");
    assert_ok(berth__write_file(f->file, "", 0, NULL), error);
    assert_content(f->file, "");
    assert_int_equal(count_entries(f->path), 1);
}

static void file_keeps_its_mode(void **state) {
    folder *f = *state;
    berth_error error;
    assert_ok(berth__write_file(f->file, "a", 1, &error), error);
    static const mode_t modes[] = {0640, 0444, 0755};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        assert_int_equal(chmod(f->file, modes[i]), 0);
        assert_ok(berth__write_file(f->file, "bc", 2, &error), error);
        struct stat now;
        assert_int_equal(stat(f->file, &now), 0);
        assert_int_equal(now.st_mode & 07777, modes[i]);
    }
    assert_int_equal(count_entries(f->path), 1);
}

/* A new file gets what the process's mask leaves of 0666. */
static void new_file_follows_the_mask(void **state) {
    folder *f = *state;
    berth_error error;
    mode_t before = umask(027);
    berth_status status = berth__write_file(f->file, "a", 1, &error);
    umask(before);
    assert_ok(status, error);
    struct stat now;
    assert_int_equal(stat(f->file, &now), 0);
    assert_int_equal(now.st_mode & 07777, 0640);
}

static void assert_io_failure(const char *path, const char *expected) {
    berth_error error;
    memset(&error, 0x5a, sizeof error);
    assert_int_equal(berth__write_file(path, "a", 1, &error), BERTH_E_IO);
    assert_int_equal(error.status, BERTH_E_IO);
    assert_string_equal(error.where, path);
    if (strstr(error.message, expected) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", error.message, expected);
    }
    assert_int_equal(berth__write_file(path, "a", 1, NULL), BERTH_E_IO);
}

static void bad_targets_are_refused(void **state) {
    folder *f = *state;
    char missing[128];
    snprintf(missing, sizeof missing, "%s/none/out.json", f->path);
    assert_io_failure(f->path, "directory");
    assert_io_failure(missing, "No such file");
    assert_io_failure("/dev/full", "space");
    assert_int_equal(count_entries(f->path), 0);
    berth_error error;
    assert_int_equal(berth__write_file(NULL, "a", 1, &error), BERTH_E_ARGUMENT);
    assert_ok(berth__write_file("/dev/null", "a", 1, &error), error);
}

/* A limit on file sizes makes the write fail half-way: the old file stays, the new one does not. */
static void failed_write_leaves_nothing(void **state) {
    folder *f = *state;
    berth_error error;
    assert_ok(berth__write_file(f->file, "old", 3, &error), error);
    struct rlimit before, small;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = (struct rlimit){.rlim_cur = 16, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    char bytes[100] = "";
    berth_status status = berth__write_file(f->file, bytes, sizeof bytes, &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, handler);
    assert_int_equal(status, BERTH_E_IO);
    assert_non_null(strstr(error.message, "large"));
    assert_content(f->file, "old");
    assert_int_equal(count_entries(f->path), 1);
}

/* Root may write anywhere, so it becomes nobody for a moment. */
static void read_only_folder_is_refused(void **state) {
    folder *f = *state;
    enum { NOBODY = 65534 };
    bool was_root = geteuid() == 0;
    if (chmod(f->path, 0555) != 0 || (was_root && seteuid(NOBODY) != 0)) {
        skip();
    }
    berth_error error;
    berth_status status = berth__write_file(f->file, "a", 1, &error);
    if (was_root) {
        assert_int_equal(seteuid(0), 0);
    }
    chmod(f->path, 0755);
    assert_int_equal(status, BERTH_E_IO);
    assert_non_null(strstr(error.message, "Permission"));
    assert_int_equal(count_entries(f->path), 0);
}

static void dash_is_standard_output(void **state) {
    folder *f = *state;
    fflush(stdout);
    int kept = dup(STDOUT_FILENO), file = open(f->file, O_WRONLY | O_CREAT, 0600);
    assert_true(kept >= 0 && file >= 0);
    dup2(file, STDOUT_FILENO);
    berth_status status = berth__write_file("-", "through", 7, NULL);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    close(file);
    assert_int_equal(status, BERTH_OK);
    assert_content(f->file, "through");
}

/* ---- errors ---- */

static void errors_are_truncated_to_fit(void **state) {
    (void)state;
    char longer[2000];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    berth_error error;
    assert_int_equal(berth__fail(&error, BERTH_E_INPUT, longer, "%s", longer), BERTH_E_INPUT);
    assert_true(strlen(error.where) == sizeof error.where - 1);
    assert_true(strlen(error.message) == sizeof error.message - 1);
    berth__error_prefix(&error, "/jobs/3");
    assert_true(strlen(error.where) == sizeof error.where - 1);
    assert_int_equal(strncmp(error.where, "/jobs/3xxx", 10), 0);
    berth__error_prefix(&error, longer);
    assert_true(strlen(error.where) == sizeof error.where - 1);
}

static void errors_say_where(void **state) {
    (void)state;
    berth_error error;
    assert_int_equal(berth__fail_at(&error, BERTH_E_INPUT, "a.json", 3, 14, "%d is negative", -2), BERTH_E_INPUT);
    assert_int_equal(error.line, 3);
    assert_int_equal(error.column, 14);
    assert_string_equal(error.message, "-2 is negative");
    /* The error's own texts may be arguments. */
    berth__fail(&error, BERTH_E_IO, error.where, "again: %s", error.message);
    assert_string_equal(error.where, "a.json");
    assert_string_equal(error.message, "again: -2 is negative");
    assert_int_equal(error.line, 0);
    berth__error_prefix(&error, "dir/");
    assert_string_equal(error.where, "dir/a.json");
    berth__error_clear(&error);
    assert_int_equal(error.status, BERTH_OK);
    assert_string_equal(error.where, "");
    assert_int_equal(berth__fail_memory(&error), BERTH_E_MEMORY);
    assert_string_equal(error.message, "out of memory");
    assert_int_equal(berth__fail(NULL, BERTH_E_IO, NULL, "x"), BERTH_E_IO);
    berth__error_prefix(NULL, "x");
    berth__error_clear(NULL);
}

static void statuses_have_names(void **state) {
    (void)state;
    assert_string_equal(berth_status_name(BERTH_OK), "BERTH_OK");
    assert_string_equal(berth_status_name(BERTH_E_MISMATCH), "BERTH_E_MISMATCH");
    assert_string_equal(berth_status_name((berth_status)-99), "BERTH_E_UNKNOWN");
    assert_string_equal(berth_status_text(BERTH_OK), "success");
    assert_string_equal(berth_status_text((berth_status)5), "unknown status");
    assert_string_equal(berth_outcome_name(BERTH_LIMIT), "LIMIT");
    assert_string_equal(berth_outcome_name((berth_outcome)70), "UNKNOWN");
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", BERTH_VERSION_MAJOR, BERTH_VERSION_MINOR, BERTH_VERSION_PATCH);
    assert_string_equal(berth_version(), version);
}

/* ---- hooks and budgets ---- */

typedef struct heard {
    int n;
    berth_log_level level;
    char text[1200];
    bool cancel;
} heard;

static void listen(void *user, berth_log_level level, const char *message) {
    heard *h = user;
    h->n++;
    h->level = level;
    snprintf(h->text, sizeof h->text, "%s", message);
}
static bool wants_cancel(void *user) {
    return ((heard *)user)->cancel;
}

static void log_reaches_the_hook(void **state) {
    (void)state;
    heard h = {.n = 0};
    berth_hooks hooks;
    berth_hooks_init(&hooks);
    assert_true(hooks.struct_size == sizeof hooks && hooks.log == NULL && hooks.cancel == NULL);
    berth__log(&hooks, BERTH_LOG_INFO, "nobody");
    berth__log(NULL, BERTH_LOG_INFO, "nobody");
    hooks.user = &h;
    hooks.log = listen;
    berth__log(&hooks, BERTH_LOG_WARNING, "slot %d", 4);
    assert_int_equal(h.n, 1);
    assert_int_equal(h.level, BERTH_LOG_WARNING);
    assert_string_equal(h.text, "slot 4");
}

static void budgets_end(void **state) {
    (void)state;
    assert_false(berth__budget_spent(NULL));
    heard h = {.n = 0};
    berth_hooks hooks;
    berth_hooks_init(&hooks);
    hooks.user = &h;
    hooks.cancel = wants_cancel;
    berth__budget open = berth__budget_start(HUGE_VAL, &hooks), unclear = berth__budget_start(nan(""), NULL);
    assert_false(berth__budget_spent(&open));
    assert_false(berth__budget_spent(&unclear));
    h.cancel = true;
    assert_true(berth__budget_spent(&open));
    berth__budget gone = berth__budget_start(0, NULL), past = berth__budget_start(-5, NULL);
    assert_true(berth__budget_spent(&gone) && berth__budget_spent(&past));
    berth__budget hour = berth__budget_start(3600, NULL);
    assert_false(berth__budget_spent(&hour));
    berth__budget some = berth__budget_part(&hour, 0.5), none = berth__budget_part(&hour, 0);
    assert_true(berth__budget_spent(&none) && !berth__budget_spent(&some));
    assert_true(some.deadline_s < hour.deadline_s - 1000 && some.deadline_s > hour.deadline_s - 2000);
    some = berth__budget_part(&gone, 0.5);
    assert_true(berth__budget_spent(&some));
    some = berth__budget_part(&open, 0);
    assert_true(berth__budget_spent(&some)); /* by its hooks, which go along */
    h.cancel = false;
    assert_false(berth__budget_spent(&some));
    some = berth__budget_part(NULL, 0);
    assert_false(berth__budget_spent(&some));
    double before = berth__now_s();
    assert_true(berth__now_s() >= before);
}

/* ---- order statistics ---- */

/* Records of 2, 4 and 6 ints: a key of few values, then the record's number, which tells equal ones apart. */
static int by_key(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static void sorting_records_is_stable(void **state) {
    (void)state;
    enum { MOST = 300, INTS = 6 };
    berth__pcg g = berth__pcg_seed(53, 2);
    for (int round = 0; round < 600; round++) {
        size_t ints = 2 + 2 * (size_t)(round % 3), n = (size_t)berth__pcg_integer(&g, 0, round < 300 ? 20 : MOST);
        int records[MOST * INTS], scratch[MOST * INTS], keys = (int)berth__pcg_integer(&g, 1, 50);
        bool seen[MOST] = {false};
        for (size_t i = 0; i < n * ints; i++) {
            bool first = i % ints == 0;
            records[i] = first ? (int)berth__pcg_integer(&g, 0, keys) : (int)(i / ints);
        }
        int key_of[MOST];
        for (size_t i = 0; i < n; i++) {
            key_of[i] = records[i * ints];
        }
        berth__sort_records(records, n, ints * sizeof *records, by_key, scratch);
        for (size_t i = 0; i < n; i++) {
            const int *at = records + i * ints, *last = i == 0 ? at : at - ints;
            assert_true(!seen[at[1]] && at[0] == key_of[at[1]] && at[ints - 1] == at[1]);
            assert_true(i == 0 || last[0] < at[0] || (last[0] == at[0] && last[1] < at[1]));
            seen[at[1]] = true;
        }
    }
}

static void sorting_and_quantiles(void **state) {
    (void)state;
    double values[] = {3, -1, 2.5, 3, 0, -HUGE_VAL};
    berth__sort(values, 6);
    static const double sorted[] = {-HUGE_VAL, -1, 0, 2.5, 3, 3};
    for (int i = 0; i < 6; i++) {
        assert_close(values[i], sorted[i], 0);
    }
    static const double five[] = {1, 2, 4, 8, 16};
    assert_close(berth__quantile(five, 5, 0), 1, 0);
    assert_close(berth__quantile(five, 5, 1), 16, 0);
    assert_close(berth__quantile(five, 5, 0.5), 4, 0);
    assert_close(berth__quantile(five, 5, 0.3), 2.4, 1e-15);
    assert_close(berth__quantile(five, 1, 0.7), 1, 0);
    assert_true(isnan(berth__quantile(five, 0, 0.5)));
    berth__sort(NULL, 0);
}

#define FILE_TEST(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pcg_reference_draws),
        cmocka_unit_test(pcg_uniform_is_uniform),
        cmocka_unit_test(pcg_integers_are_unbiased),
        cmocka_unit_test(pcg_keyed_streams_differ),
        cmocka_unit_test(allocation_checks_overflow),
        cmocka_unit_test(growing_keeps_content),
        cmocka_unit_test(arena_blocks_are_zeroed_aligned_apart),
        cmocka_unit_test(arena_goes_back),
        cmocka_unit_test(arenas_of_a_pool_come_back),
        FILE_TEST(file_appears_whole),
        FILE_TEST(file_keeps_its_mode),
        FILE_TEST(new_file_follows_the_mask),
        FILE_TEST(bad_targets_are_refused),
        FILE_TEST(failed_write_leaves_nothing),
        FILE_TEST(read_only_folder_is_refused),
        FILE_TEST(dash_is_standard_output),
        cmocka_unit_test(errors_are_truncated_to_fit),
        cmocka_unit_test(errors_say_where),
        cmocka_unit_test(statuses_have_names),
        cmocka_unit_test(log_reaches_the_hook),
        cmocka_unit_test(budgets_end),
        cmocka_unit_test(sorting_and_quantiles),
        cmocka_unit_test(sorting_records_is_stable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
