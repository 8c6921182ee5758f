/* berth serve as its clients meet it: sockets, limits, signals, folders it cannot have. Runs from the top folder. */
#define _XOPEN_SOURCE 700
#include "tests/support/check.h"
#include "tests/support/program.h"
#include "tests/support/sanitized.h"
#include "tests/support/serve_process.h"

#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char folder[] = "/tmp/berth-serve-XXXXXX";
static const char instance[] = "instances/quickstart.json";
static char socket_path[64], state_path[64], errors_path[64];

static int set_up(void **state) {
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    snprintf(state_path, sizeof state_path, "%s/state", folder);
    snprintf(errors_path, sizeof errors_path, "%s/errors", folder);
    return program_set_up(state);
}

static int tear_down(void **state) {
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return program_run(command) == 0 ? program_tear_down(state) : -1;
}

/* For each test another, so that one that fails is the only one. */
static void new_socket(void) {
    static int n;
    snprintf(socket_path, sizeof socket_path, "%s/socket-%d", folder, n++);
}

static void start(serve_process *server, const char *const *arguments) {
    const serve_setting setting = {.arguments = arguments};
    serve_start(server, &setting, errors_path);
}

/* A server on the socket, with up to two more arguments. */
static void start_socket(serve_process *server, const char *more, const char *value) {
    const char *const arguments[] = {"--socket", socket_path, "--policy", "pdors-ci", "-q",
                                     instance,   more,        value,      NULL};
    start(server, arguments);
}

/* The server's standard error. */
static const char *errors(void) {
    static char text[1 << 14];
    FILE *file = fopen(errors_path, "rb");
    size_t n = file != NULL ? fread(text, 1, sizeof text - 1, file) : 0;
    text[n] = '\0';
    if (file != NULL) {
        fclose(file);
    }
    return text;
}

static void expect_in(const char *text, const char *part) {
    if (text == NULL || strstr(text, part) == NULL) {
        fail_msg("no %s in %.2000s", part, text == NULL ? "nothing" : text);
    }
}

/* ---- standard input and output ---- */

static void test_lines(void **state) {
    (void)state;
    static const struct {
        const char *command, *part;
    } cases[] = {
        {"printf '{\"event\":\"hello\"}\\n' | $B serve instances/quickstart.json", "\"protocol\": \"berth-events-1\""},
        {"printf '\\n  \\n{\"event\":\"hello\",\"tag\":\"no line break\"}' | $B serve instances/quickstart.json",
         "{ \"tag\": \"no line break\", \"event\": \"hello\""},
        {"printf '{\"event\":\"advance\",\"slot\":3}\\r\\n' | $B serve instances/quickstart.json", "\"now\": 3"},
        {"printf 'x\\n{\"event\":\"shutdown\"}\\n{\"event\":\"hello\",\"tag\":1}\\n' | $B serve "
         "instances/quickstart.json",
         "\"tag\": 1"},
        {"printf '{\"event\":\"advance\",\"slot\":99}\\n' | $B serve instances/quickstart.json",
         "\"where\": \"/slot\""},
        {"printf '{\"event\":\"advance\",\"slot\":99}\\n' | $B serve --rolling instances/quickstart.json",
         "\"now\": 99"},
        {"printf '\\377\\376\\n' | $B serve instances/quickstart.json", "expected an event"},
        {"printf '{\"event\":\"hello\\377\"}\\n' | $B serve instances/quickstart.json", "not valid UTF-8"},
        {"printf '{\"event\":\"hello\\000\"}\\n' | $B serve instances/quickstart.json", "NUL"},
        {"printf '{\"event\":\"snapshot\"}\\n' | $B serve instances/quickstart.json", "only a server with --state"},
        {"$B serve instances/quickstart.json </dev/null; echo done", "done"},
        {"$B serve --shadow instances/quickstart.json </dev/null",
         "berth serve: in the shadow: 0 jobs completed and 0 rejected by the real scheduler, which earned 0; by these"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        program_expect(cases[k].command, 0, cases[k].part);
    }
}

/* The page's transcript is checked with the others (docs/refresh); here the whole of one reply. */
static void test_whole_reply(void **state) {
    (void)state;
    program_expect(
        "printf '%s\\n' '{\"event\":\"submit\",\"tag\":\"t\",\"job\":{\"id\":\"j\",\"epochs\":1,\"samples\":7200,"
        "\"batch\":4,\"sample_seconds\":1,\"gradient_mb\":0,\"bandwidth_internal_mb_s\":1,"
        "\"bandwidth_external_mb_s\":1,\"worker\":{\"gpu\":1},\"ps\":null,\"max_workers\":1,"
        "\"utility\":{\"kind\":\"deadline\",\"value\":5,\"deadline_slots\":4}}}' | "
        "$B serve --policy bidlp instances/quickstart.json",
        0,
        "{ \"tag\": \"t\", \"event\": \"submit\", \"sequence\": 1, \"now\": 0, \"decision\": { \"id\": \"j\", "
        "\"number\": 0, \"admitted\": true, \"reason\": \"payoff ");
    expect_in(program_text(), "\"promised_slot\": 0, \"completion_slot\": 0, \"utility\": 5, \"payoff\": ");
    expect_in(program_text(), "\"slots\": [{ \"slot\": 0, \"locality\": \"internal\", \"samples\": 7200, "
                              "\"placements\": [{ \"machine\": \"node-");
    expect_in(program_text(), "\"workers\": 1, \"ps\": 0 }] }] }, \"changes\": [] }\n");
}

static void test_usage(void **state) {
    (void)state;
    static const struct {
        const char *command, *part;
        int code;
    } cases[] = {
        {"$B serve", "missing argument", 2},
        {"$B serve --policy srtf instances/quickstart.json", "--policy: expected ", 2},
        {"$B serve - </dev/null", "the instance cannot come from standard input", 2},
        {"$B serve --max-line 3 instances/quickstart.json", "--max-line: expected", 2},
        {"$B serve --state $S/s --time-limit 1 instances/quickstart.json", "--time-limit: decisions that depend", 2},
        {"$B serve --solver fast --policy pdors instances/quickstart.json", "--solver fast is that of", 2},
        {"$B serve instances/quickstart.json </tmp", "input: cannot read events: Is a directory", 5},
        {"printf '{\"event\":\"hello\"}\\n' | $B serve instances/quickstart.json >/dev/full",
         "output: cannot write replies: No space left on device", 5},
        {"printf '{\"event\":\"hello\"}\\n' | $B serve instances/quickstart.json 2>&1 >&-",
         "output: cannot write replies", 5},
        {"$B serve --rollin instances/quickstart.json </dev/null; $B serve --rolin x.json", "did you mean '--rolling'",
         2},
        {"$B serve instances/no-such.json", "instances/no-such.json: cannot open", 3},
        {"$B serve instances/bad/job-twice.json", "a second job", 3},
        {"sed 's/\"jobs\": \\[/\"x_jobs\": [/; s/\"slot_seconds\"/\"jobs\": [], \"slot_seconds\"/' "
         "instances/quickstart.json >$S/none.json; $B serve --policy pdors-ci $S/none.json </dev/null",
         "none.json: /prices: policy \"pdors-ci\" needs price bounds", 3},
        {"$B serve --socket $(printf '/tmp/%0200d' 0) instances/quickstart.json", "--socket: the path has 205 bytes",
         2},
        {"$B serve --socket $S/no/such/folder instances/quickstart.json", "no/such/folder: cannot listen", 5},
        {"touch $S/plain; $B serve --socket $S/plain instances/quickstart.json", "there is a file that is no socket",
         5},
        {"touch $S/plain; $B serve --state $S/plain instances/quickstart.json", "is not a directory", 5},
        {"$B serve --state $S/no/such instances/quickstart.json", "cannot make the state directory", 5},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        program_expect(cases[k].command, cases[k].code, cases[k].part);
    }
}

/* ---- sockets ---- */

enum { CLIENTS = 12, ROUNDS = 20 };

static void test_clients(void **state) {
    (void)state;
    new_socket();
    serve_process server;
    serve_client clients[CLIENTS];
    struct stat about;
    char line[128], expected[64];
    start_socket(&server, NULL, NULL);
    for (int c = 0; c < CLIENTS; c++) {
        serve_connect(&clients[c], socket_path);
    }
    assert_int_equal(stat(socket_path, &about), 0);
    assert_true(S_ISSOCK(about.st_mode) && (about.st_mode & 0777) == 0600);
    /* Several lines of each are under way; each client has its own replies in its own order. */
    for (int r = 0; r < ROUNDS; r++) {
        for (int c = 0; c < CLIENTS; c++) {
            snprintf(line, sizeof line, "{\"event\":\"hello\",\"tag\":%d}", 1000 * c + r);
            assert_true(serve_send(&clients[c], line));
        }
    }
    for (int c = CLIENTS - 1; c >= 0; c--) {
        for (int r = 0; r < ROUNDS; r++) {
            snprintf(expected, sizeof expected, "{ \"tag\": %d, ", 1000 * c + r);
            expect_in(serve_receive(&clients[c]), expected);
        }
    }
    /* What one does the others see. */
    serve_ask(&clients[0], "{\"event\":\"advance\",\"slot\":5}");
    expect_in(serve_ask(&clients[1], "{\"event\":\"hello\"}"), "\"now\": 5");
    /* Those who leave in the midst of a line or of a reply do no harm. */
    assert_true(write(clients[2].out, "{\"event\":", 9) == 9);
    assert_true(serve_send(&clients[3], "{\"event\":\"status\",\"machines\":true}"));
    serve_disconnect(&clients[2]);
    serve_disconnect(&clients[3]);
    expect_in(serve_ask(&clients[0], "{\"event\":\"shutdown\"}"), "\"event\": \"shutdown\"");
    for (int c = 0; c < CLIENTS; c++) {
        if (c != 2 && c != 3) {
            assert_null(serve_receive(&clients[c]));
            serve_disconnect(&clients[c]);
        }
    }
    assert_int_equal(serve_wait(&server), 0);
    assert_int_not_equal(access(socket_path, F_OK), 0);
}

static void test_taken_and_stale_sockets(void **state) {
    (void)state;
    new_socket();
    serve_process server, second;
    serve_client client;
    start_socket(&server, NULL, NULL);
    serve_connect(&client, socket_path);
    start_socket(&second, NULL, NULL);
    assert_int_equal(serve_wait(&second), 5);
    expect_in(errors(), "another server listens there");
    expect_in(serve_ask(&client, "{\"event\":\"hello\"}"), "\"now\": 0");
    assert_int_equal(kill(server.pid, SIGKILL), 0);
    serve_disconnect(&client);
    assert_int_equal(serve_wait(&server), 128 + SIGKILL);
    assert_int_equal(access(socket_path, F_OK), 0); /* it could not remove it */
    start_socket(&server, NULL, NULL);
    serve_connect(&client, socket_path);
    expect_in(serve_ask(&client, "{\"event\":\"shutdown\"}"), "shutdown");
    serve_disconnect(&client);
    assert_int_equal(serve_wait(&server), 0);
}

static void test_most_clients(void **state) {
    (void)state;
    new_socket();
    serve_process server;
    serve_client first, second, third;
    start_socket(&server, "--max-clients", "2");
    serve_connect(&first, socket_path);
    serve_connect(&second, socket_path);
    serve_ask(&first, "{\"event\":\"hello\"}");
    serve_ask(&second, "{\"event\":\"hello\"}");
    serve_connect(&third, socket_path);
    expect_in(serve_receive(&third), "there are 2 clients already");
    assert_null(serve_receive(&third));
    serve_disconnect(&third);
    serve_disconnect(&second);
    /* The place is free once the server has seen that. */
    const char *reply;
    do {
        serve_connect(&third, socket_path);
        assert_true(serve_send(&third, "{\"event\":\"hello\"}"));
        reply = serve_receive(&third);
        bool full = reply != NULL && strstr(reply, "clients already") != NULL;
        if (!full) {
            break;
        }
        serve_disconnect(&third);
    } while (true);
    expect_in(reply, "berth-events-1");
    serve_ask(&third, "{\"event\":\"shutdown\"}");
    serve_disconnect(&first);
    serve_disconnect(&third);
    assert_int_equal(serve_wait(&server), 0);
}

static void test_long_lines(void **state) {
    (void)state;
    new_socket();
    serve_process server;
    serve_client client;
    static char line[300000];
    start_socket(&server, "--max-line", "1000");
    serve_connect(&client, socket_path);
    for (size_t n = 900; n < sizeof line; n = n * 7 + 1) {
        memset(line, 'x', n);
        line[n] = '\0';
        assert_true(serve_send(&client, "{\"event\":\"hello\",\"tag\":1}"));
        assert_true(serve_send(&client, line));
        assert_true(serve_send(&client, "{\"event\":\"hello\",\"tag\":2}"));
        expect_in(serve_receive(&client), "\"tag\": 1");
        expect_in(serve_receive(&client), n > 1000 ? "a line of more than 1000 bytes" : "expected an event");
        expect_in(serve_receive(&client), "\"tag\": 2");
    }
    serve_ask(&client, "{\"event\":\"shutdown\"}");
    serve_disconnect(&client);
    assert_int_equal(serve_wait(&server), 0);
}

/* Memory of a process, in pages. */
static long pages_of(pid_t pid) {
    char path[64];
    long size = 0, resident = -1;
    snprintf(path, sizeof path, "/proc/%ld/statm", (long)pid);
    FILE *file = fopen(path, "r");
    if (file != NULL) {
        (void)!fscanf(file, "%ld %ld", &size, &resident);
        fclose(file);
    }
    return resident;
}

/* A client that asks and does not read is not read from, others are served, and in the end it has all its replies. */
static void test_one_does_not_read(void **state) {
    (void)state;
    new_socket();
    enum { ASKED = 20000 };
    serve_process server;
    serve_client greedy, other;
    start_socket(&server, NULL, NULL);
    serve_connect(&greedy, socket_path);
    serve_connect(&other, socket_path);
    serve_ask(&other, "{\"event\":\"hello\"}");
    long before = pages_of(server.pid);
    pid_t asking = fork();
    assert_true(asking >= 0);
    if (asking == 0) { /* it blocks once the server does not take more */
        for (int k = 0; k < ASKED; k++) {
            char line[64];
            snprintf(line, sizeof line, "{\"event\":\"status\",\"machines\":true,\"tag\":%d}", k);
            if (!serve_send(&greedy, line)) {
                _exit(1);
            }
        }
        _exit(0);
    }
    /* A second is enough for all, if the server took it. */
    for (time_t begin = time(NULL); time(NULL) < begin + 2;) {
        expect_in(serve_ask(&other, "{\"event\":\"hello\"}"), "berth-events-1");
        poll(NULL, 0, 5);
    }
    int status;
    assert_int_equal(waitpid(asking, &status, WNOHANG), 0); /* it is still waiting */
    /* All replies together are of some 30 MB. Sanitizers keep memory that was given back. */
    long page = sysconf(_SC_PAGESIZE), more = pages_of(server.pid) - before;
    assert_true(before < 0 || SANITIZED || more * page < 16l << 20);
    for (int k = 0; k < ASKED; k++) {
        char expected[64];
        snprintf(expected, sizeof expected, "{ \"tag\": %d, ", k);
        expect_in(serve_receive(&greedy), expected);
    }
    assert_int_equal(waitpid(asking, &status, 0), asking);
    assert_int_equal(status, 0);
    serve_ask(&other, "{\"event\":\"shutdown\"}");
    serve_disconnect(&greedy);
    serve_disconnect(&other);
    assert_int_equal(serve_wait(&server), 0);
}

/* ---- the end, and the next start ---- */

static void test_signals(void **state) {
    (void)state;
    new_socket();
    static const int signals[] = {SIGTERM, SIGINT};
    char slot[64];
    for (int k = 0; k < 2; k++) {
        serve_process server;
        serve_client client;
        start_socket(&server, "--state", state_path);
        serve_connect(&client, socket_path);
        snprintf(slot, sizeof slot, "\"sequence\": %d, \"now\": %d", k, k);
        expect_in(serve_ask(&client, "{\"event\":\"hello\"}"), slot);
        snprintf(slot, sizeof slot, "{\"event\":\"advance\",\"slot\":%d}", k + 1);
        serve_ask(&client, slot);
        assert_int_equal(kill(server.pid, signals[k]), 0);
        assert_null(serve_receive(&client));
        serve_disconnect(&client);
        assert_int_equal(serve_wait(&server), 0);
        assert_int_not_equal(access(socket_path, F_OK), 0);
    }
}

static void test_folder_in_use(void **state) {
    (void)state;
    serve_process server, second;
    const char *const arguments[] = {"--state", state_path, "--policy", "pdors-ci", instance, NULL};
    start(&server, arguments);
    serve_ask(&server.standard, "{\"event\":\"hello\"}");
    start(&second, arguments);
    assert_int_equal(serve_wait(&second), 5);
    expect_in(errors(), "the state directory is in use by another server, process ");
    assert_int_equal(serve_wait(&server), 0); /* end of input */
    const char *const others[] = {"--state", state_path, "--policy", "pdors-ci", "--seed", "7", instance, NULL};
    start(&server, others);
    assert_int_equal(serve_wait(&server), 3);
    expect_in(errors(), "the state directory is of another server: \"seed 1\" there, \"seed 7\" here");
}

static void test_read_only_folder(void **state) {
    (void)state;
    char path[64];
    serve_process server;
    snprintf(path, sizeof path, "%s/fixed", folder);
    assert_int_equal(mkdir(path, 0555), 0);
    assert_int_equal(chmod(folder, 0777), 0);
    const char *const arguments[] = {"--state", path, instance, NULL};
    const serve_setting setting = {.arguments = arguments, .nobody = true};
    serve_start(&server, &setting, errors_path);
    int code = serve_wait(&server);
    if (code == 126 || code == 127) { /* nobody may not come to the program */
        skip();
    }
    if (code == 3 && strstr(errors(), "quickstart.json") != NULL) { /* or to the instance */
        skip();
    }
    assert_int_equal(code, 5);
    expect_in(errors(), "cannot write in the state directory: Permission denied");
    DIR *listing = opendir(path);
    size_t n = 0;
    while (readdir(listing) != NULL) {
        n++;
    }
    closedir(listing);
    assert_int_equal(n, 2); /* . and .. */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_whole_reply),
        cmocka_unit_test(test_usage),
        cmocka_unit_test(test_clients),
        cmocka_unit_test(test_taken_and_stale_sockets),
        cmocka_unit_test(test_most_clients),
        cmocka_unit_test(test_long_lines),
        cmocka_unit_test(test_one_does_not_read),
        cmocka_unit_test(test_signals),
        cmocka_unit_test(test_folder_in_use),
        cmocka_unit_test(test_read_only_folder),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
