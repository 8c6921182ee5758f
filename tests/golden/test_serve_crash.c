/* berth serve killed at random moments under load: what it acknowledged is never lost, and every decision is that of a
 * server that nobody disturbed. BERTH_CRASH_KILLS is how often it is killed (12; make crash: 200). The moments are
 * random by the clock, what must hold is not. Runs from the top folder. */
#define _XOPEN_SOURCE 700
#include "tests/support/check.h"
#include "tests/support/program.h"
#include "tests/support/serve_process.h"
#include "tests/support/serve_script.h"

#include "base/pcg.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { EVENTS = 240, MOST_UNDER_WAY = 24 };

static char folder[] = "/tmp/berth-crash-XXXXXX";
static char state_path[64], errors_path[64];
static serve_script script;
static char *expected[EVENTS]; /* replies of a server that is not disturbed and keeps nothing */

static void start(serve_process *server, const char *state_directory, const char *rate, long most_bytes) {
    const char *const arguments[] = {"--policy",
                                     "pdors-ci",
                                     "--threads",
                                     "1",
                                     "-q",
                                     "instances/quickstart.json",
                                     state_directory != NULL ? "--state" : NULL,
                                     state_directory,
                                     "--snapshot-every",
                                     rate,
                                     NULL};
    const serve_setting setting = {.arguments = arguments, .most_bytes = most_bytes};
    serve_start(server, &setting, errors_path);
}

static int set_up(void **state) {
    serve_process server;
    if (mkdtemp(folder) == NULL || program_set_up(state) != 0) {
        return -1;
    }
    snprintf(state_path, sizeof state_path, "%s/state", folder);
    snprintf(errors_path, sizeof errors_path, "%s/errors", folder);
    script = serve_script_new(EVENTS, 5);
    start(&server, NULL, NULL, 0);
    for (size_t k = 0; k < EVENTS; k++) {
        expected[k] = strdup(serve_ask(&server.standard, script.lines[k]));
    }
    return serve_wait(&server);
}

static int tear_down(void **state) {
    char command[128];
    for (size_t k = 0; k < EVENTS; k++) {
        free(expected[k]);
    }
    serve_script_free(&script);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return program_run(command) == 0 ? program_tear_down(state) : -1;
}

static void forget_state(void) {
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", state_path);
    assert_int_equal(program_run(command), 0);
}

static void nap(double seconds) {
    struct timespec pause = {.tv_sec = (time_t)seconds, .tv_nsec = (long)(1e9 * (seconds - floor(seconds)))};
    nanosleep(&pause, NULL);
}

/* Sends events from *next on, some at a time, and compares replies, until the server dies or has answered all. After so
 * many replies it is killed (0: it is not), while others are under way. */
static void converse(serve_process *server, size_t *next, size_t deadly) {
    size_t sent = *next, first = *next;
    while (*next < EVENTS) {
        while (sent < EVENTS && sent < *next + MOST_UNDER_WAY) {
            if (!serve_send(&server->standard, script.lines[sent])) {
                break;
            }
            sent++;
        }
        const char *reply = serve_receive(&server->standard);
        if (reply == NULL) {
            return;
        }
        if (strcmp(serve_reply_body(reply), expected[*next]) != 0) {
            fail_msg("event %zu, %s:\n%s\nis not what an undisturbed server says:\n%s", *next, script.lines[*next],
                     reply, expected[*next]);
        }
        ++*next;
        if (*next - first == deadly) {
            assert_int_equal(kill(server->pid, SIGKILL), 0);
        }
    }
}

/* The newest journal of the state directory. */
static bool newest_journal(char *path, size_t room) {
    char newest[64] = "";
    DIR *listing = opendir(state_path);
    if (listing == NULL) {
        return false;
    }
    for (struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
        if (strncmp(entry->d_name, "journal-", 8) == 0 && strlen(entry->d_name) == 28 &&
            strcmp(entry->d_name, newest) > 0) {
            snprintf(newest, sizeof newest, "%.28s", entry->d_name);
        }
    }
    closedir(listing);
    snprintf(path, room, "%s/%s", state_path, newest);
    return newest[0] != '\0';
}

/* As if the power had gone while a batch was written: the first bytes of one, or zeros where it should be. */
static void tear_last_record(berth__pcg *random) {
    static const unsigned char begun[40] = {200, 0, 0, 0, 1, 0, 0, 0, 77};
    static const unsigned char zeros[40];
    char path[160];
    if (!newest_journal(path, sizeof path)) {
        return;
    }
    int fd = open(path, O_WRONLY | O_APPEND);
    assert_true(fd >= 0);
    size_t n = (size_t)berth__pcg_integer(random, 1, (int64_t)sizeof begun);
    const unsigned char *bytes = berth__pcg_uniform(random) < 0.5 ? begun : zeros;
    assert_int_equal(write(fd, bytes, n), (ssize_t)n);
    close(fd);
}

static int wanted_kills(void) {
    const char *text = getenv("BERTH_CRASH_KILLS");
    return text != NULL ? atoi(text) : 12;
}

/* A child that kills the server after a while. */
static pid_t kill_later(pid_t pid, double seconds) {
    pid_t killer = fork();
    assert_true(killer >= 0);
    if (killer == 0) {
        nap(seconds);
        kill(pid, SIGKILL);
        _exit(0);
    }
    return killer;
}

static void test_kills(void **state) {
    (void)state;
    static const char *const rates[] = {"5", "40", "1000000"};
    const uint64_t key[] = {17, 4};
    berth__pcg random = berth__pcg_key(2, key);
    int kills = 0, at_work = 0, rounds = 0, wanted = wanted_kills();
    double whole_s = 1; /* what all events take, as far as is known */
    while (kills < wanted) {
        forget_state();
        for (size_t next = 0; next < EVENTS;) {
            serve_process server;
            struct timespec begin, end;
            size_t before = next;
            bool last = kills >= wanted, counted = berth__pcg_uniform(&random) < 0.5;
            size_t deadly = !last && counted ? (size_t)berth__pcg_integer(&random, 1, 60) : 0;
            clock_gettime(CLOCK_MONOTONIC, &begin);
            start(&server, state_path, rates[rounds % 3], 0);
            pid_t killer = last || counted ? 0 : kill_later(server.pid, whole_s * 0.4 * berth__pcg_uniform(&random));
            converse(&server, &next, deadly);
            clock_gettime(CLOCK_MONOTONIC, &end);
            double took_s = (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
            if (killer > 0) {
                kill(killer, SIGKILL); /* it may have all answered */
                int status;
                waitpid(killer, &status, 0);
            }
            if (before == 0 && next == EVENTS) {
                whole_s = took_s;
            }
            int code = serve_wait(&server);
            if (code == 128 + SIGKILL) {
                kills++;
                at_work += next > before && next < EVENTS;
                if (berth__pcg_uniform(&random) < 0.5) {
                    tear_last_record(&random);
                }
            } else if (code != 0) {
                char command[128];
                snprintf(command, sizeof command, "cat %s", errors_path);
                program_run(command);
                fail_msg("exit %d: %s", code, program_text());
            }
            whole_s = next == EVENTS || next > before ? whole_s : whole_s * 1.1; /* it needs time to come up */
        }
        rounds++;
    }
    /* Once more, undisturbed, from what is there: all of it is known. */
    serve_process server;
    size_t next = EVENTS - MOST_UNDER_WAY;
    start(&server, state_path, rates[(rounds - 1) % 3], 0);
    converse(&server, &next, 0);
    assert_int_equal(next, EVENTS);
    assert_int_equal(serve_wait(&server), 0);
    print_message("%d kills, %d of them between two replies, in %d rounds\n", kills, at_work, rounds);
}

/* A disk that is full refuses events, whatever is read is answered, and once there is room all goes on; also after a
 * kill in between. */
static void test_full_disk(void **state) {
    (void)state;
    serve_process server;
    for (int killed = 0; killed < 2; killed++) {
        size_t next = 0, refused = 0;
        forget_state();
        start(&server, state_path, "1000000", 20000);
        while (next < EVENTS && refused < 3) {
            const char *reply = serve_ask(&server.standard, script.lines[next]);
            if (strstr(reply, "BERTH_E_IO") != NULL) {
                assert_non_null(strstr(reply, "the journal cannot be written: File too large; nothing has changed"));
                refused++;
            } else {
                assert_int_equal(refused, 0);
                assert_string_equal(reply, expected[next]);
                next++;
            }
        }
        assert_true(refused == 3 && next > 10);
        assert_non_null(strstr(serve_ask(&server.standard, "{\"event\":\"status\"}"), "\"statistics\""));
        if (killed == 0) {
            serve_lift_limit(&server);
        } else {
            assert_int_equal(kill(server.pid, SIGKILL), 0);
            assert_int_equal(serve_wait(&server), 128 + SIGKILL);
            start(&server, state_path, "1000000", 0);
        }
        converse(&server, &next, 0);
        assert_int_equal(next, EVENTS);
        assert_int_equal(serve_wait(&server), 0);
    }
}

/* The same on a file system that is full, where we may make one. */
static void test_full_file_system(void **state) {
    (void)state;
    char command[512];
    serve_process server;
    size_t next = 0, refused = 0;
    forget_state();
    snprintf(command, sizeof command, "mkdir %s && mount -t tmpfs -o size=4m,mode=700 tmpfs %s", state_path,
             state_path);
    if (geteuid() != 0 || program_run(command) != 0) {
        skip();
    }
    snprintf(command, sizeof command, "head -c 4120000 /dev/zero >%s/ballast", state_path);
    assert_int_equal(program_run(command), 0);
    start(&server, state_path, "1000000", 0);
    while (next < EVENTS && refused == 0) {
        const char *reply = serve_ask(&server.standard, script.lines[next]);
        refused += strstr(reply, "No space left on device; nothing has changed") != NULL;
        if (refused == 0) {
            assert_string_equal(reply, expected[next]);
            next++;
        }
    }
    assert_int_equal(refused, 1);
    snprintf(command, sizeof command, "rm %s/ballast", state_path);
    assert_int_equal(program_run(command), 0);
    converse(&server, &next, 0);
    assert_int_equal(next, EVENTS);
    int code = serve_wait(&server);
    snprintf(command, sizeof command, "umount %s", state_path);
    assert_int_equal(program_run(command), 0);
    assert_int_equal(code, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kills), cmocka_unit_test(test_full_disk),
                                       cmocka_unit_test(test_full_file_system)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
