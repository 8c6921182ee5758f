/* A service without sockets: what is repeated, what a restart brings back, what a full disk refuses, what a shadow
 * compares. Runs from the top folder. */
#define _POSIX_C_SOURCE 200809L
#include "tests/support/check.h"
#include "tests/support/own_folder.h"
#include "tests/support/schema_check.h"
#include "tests/support/serve_script.h"

#include "base/alloc.h"
#include "base/bytes.h"
#include "service/service.h"

#include <berth_io.h>

#include <dirent.h>
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static berth_instance *instance;
static char state_path[320];

static int set_up(void **state) {
    berth_error error = {0};
    return make_folder(state) != 0 || berth_instance_read("instances/quickstart.json", &instance, &error) != BERTH_OK
               ? -1
               : 0;
}

static int tear_down(void **state) {
    berth_instance_free(instance);
    return remove_folder(state);
}

static void empty_folder(void) {
    snprintf(state_path, sizeof state_path, "%s", path_of("."));
    DIR *listing = opendir(state_path);
    assert_non_null(listing);
    for (struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
        unlink(path_of(entry->d_name));
    }
    closedir(listing);
}

static const char *policy = "pdors-ci";

static berth_serve_options options_of(bool kept) {
    berth_serve_options options;
    berth_serve_options_init(&options);
    options.scheduler.policy = policy;
    options.scheduler.effort = BERTH_EFFORT_LOW;
    options.scheduler.threads = 1;
    options.state = kept ? state_path : NULL;
    return options;
}

static berth__service *open_service(const berth_serve_options *options) {
    berth_error error = {0};
    berth__service *service = NULL;
    assert_ok(berth__service_new(instance, options, &service, &error), error);
    return service;
}

/* The replies to n lines; free each. */
static void ask(berth__service *service, size_t n, const char *const *lines, char **replies) {
    berth_error error = {0};
    berth__request requests[64];
    assert_true(n <= 64);
    for (size_t k = 0; k < n; k++) {
        requests[k] = (berth__request){.line = lines[k], .length = strlen(lines[k])};
    }
    assert_ok(berth__service_answer(service, n, requests, &error), error);
    for (size_t k = 0; k < n; k++) {
        size_t length = strlen(requests[k].reply);
        assert_true(requests[k].reply[length - 1] == '\n' &&
                    strchr(requests[k].reply, '\n') == requests[k].reply + length - 1);
        replies[k] = requests[k].reply;
    }
    berth__service_tidy(service);
}

/* The same for one line, in a static buffer. */
static const char *ask_one(berth__service *service, const char *line) {
    static char text[1 << 17];
    char *reply;
    ask(service, 1, &line, &reply);
    snprintf(text, sizeof text, "%s", reply);
    berth__free(reply);
    return text;
}

static void expect(berth__service *service, const char *line, const char *part) {
    const char *reply = ask_one(service, line);
    if (strstr(reply, part) == NULL) {
        fail_msg("%s: no %s in %.2000s", line, part, reply);
    }
}

/* ---- an undisturbed service ---- */

enum { SCRIPT = 150 };

/* Replies to a script by a service that keeps nothing; berth__free each. */
static void undisturbed(const serve_script *script, bool rolling, char **replies) {
    berth_serve_options options = options_of(false);
    options.scheduler.rolling = rolling;
    berth__service *service = open_service(&options);
    for (size_t k = 0; k < script->n; k++) {
        const char *line = script->lines[k];
        ask(service, 1, &line, &replies[k]);
    }
    berth__service_free(service);
}

static void free_replies(size_t n, char **replies) {
    for (size_t k = 0; k < n; k++) {
        berth__free(replies[k]);
        replies[k] = NULL;
    }
}

static void test_script(void **state) {
    (void)state;
    static const char *const wanted[] = {"\"event\": \"submit\"",
                                         "\"admitted\": true",
                                         "\"admitted\": false",
                                         "\"change\": \"moved\"",
                                         "\"change\": \"completed\"",
                                         "\"change\": \"lost\"",
                                         "\"error\"",
                                         "\"state\": \"down\"",
                                         "\"decisions\"",
                                         "\"event\": \"commit\"",
                                         "\"event\": \"left\"",
                                         "\"event\": \"return\""};
    serve_script script = serve_script_new(SCRIPT, 1);
    char *replies[SCRIPT], problem[256];
    size_t found[sizeof wanted / sizeof wanted[0]] = {0};
    undisturbed(&script, false, replies);
    for (size_t k = 0; k < script.n; k++) {
        for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
            found[i] += strstr(replies[k], wanted[i]) != NULL;
        }
        put_file("line", script.lines[k]);
        if (!schema_check_file(berth_schema("berth-events-1"), path_of("line"), problem, sizeof problem)) {
            fail_msg("%s: %s", script.lines[k], problem);
        }
        put_file("line", replies[k]);
        if (!schema_check_file(berth_schema("berth-replies-1"), path_of("line"), problem, sizeof problem)) {
            fail_msg("%s: %s", replies[k], problem);
        }
    }
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        if (found[i] == 0) {
            fail_msg("the script leads to no %s", wanted[i]);
        }
    }
    free_replies(script.n, replies);
    serve_script_free(&script);
}

/* Lines in batches have the replies that they have one by one, but for what tells a batch. */
static void test_batches(void **state) {
    (void)state;
    serve_script script = serve_script_new(SCRIPT, 1);
    char *one[SCRIPT], *many[SCRIPT];
    undisturbed(&script, false, one);
    for (int kept = 0; kept < 2; kept++) {
        empty_folder();
        const berth_serve_options options = options_of(kept);
        berth__service *service = open_service(&options);
        size_t size = 1;
        for (size_t at = 0; at < script.n; at += size, size = size % 17 + 1) {
            size = at + size <= script.n ? size : script.n - at;
            ask(service, size, (const char *const *)script.lines + at, many + at);
        }
        for (size_t k = 0; k < script.n; k++) {
            assert_string_equal(one[k], many[k]);
        }
        free_replies(script.n, many);
        berth__service_free(service);
    }
    free_replies(script.n, one);
    serve_script_free(&script);
}

/* ---- restarts ---- */

/* The service is dropped as a crash would drop it, after every few events, and its state directory is opened again;
 * some events are sent twice. Snapshots are taken at several rates. */
static void restart(size_t n, bool rolling) {
    static const uint64_t rates[] = {1, 7, 1000000};
    serve_script script = serve_script_new(n, 2);
    char *expected[SCRIPT], *reply;
    undisturbed(&script, rolling, expected);
    for (size_t r = 0; r < sizeof rates / sizeof rates[0]; r++) {
        empty_folder();
        berth_serve_options options = options_of(true);
        options.snapshot_events = rates[r];
        options.scheduler.rolling = rolling;
        berth__service *service = open_service(&options);
        for (size_t k = 0; k < script.n; k++) {
            const char *line = script.lines[k];
            ask(service, 1, &line, &reply);
            assert_string_equal(reply, expected[k]);
            berth__free(reply);
            if (k % 4 == r) {
                berth__service_free(service);
                service = open_service(&options);
            }
            if (k % 3 == 0) {
                ask(service, 1, &line, &reply);
                assert_non_null(strstr(reply, "\"repeated\": true"));
                assert_string_equal(serve_reply_body(reply), expected[k]);
                berth__free(reply);
            }
        }
        berth_error error = {0};
        assert_ok(berth__service_close(service, &error), error);
        berth__service_free(service);
    }
    free_replies(script.n, expected);
    serve_script_free(&script);
}

static void test_restarts(void **state) {
    (void)state;
    restart(SCRIPT, false);
    restart(SCRIPT / 2, true);
}

/* The same under the default policy, whose state is more. */
static void test_restarts_of_bidlp(void **state) {
    (void)state;
    policy = "bidlp";
    restart(SCRIPT / 3, false);
    policy = "pdors-ci";
}

/* A reply that was given is not taken back: another one in the journal is an error at start. */
static void test_replay_must_agree(void **state) {
    (void)state;
    berth_error error = {0};
    berth__service *service;
    empty_folder();
    const berth_serve_options options = options_of(true);
    service = open_service(&options);
    expect(service, "{\"event\":\"advance\",\"slot\":1}", "\"now\": 1");
    berth__service_free(service);
    /* The line is another now, and all checksums but that of the reply are right: as another version might decide. */
    char name[64];
    snprintf(name, sizeof name, "journal-%020d", 0);
    FILE *file = fopen(path_of(name), "r+b");
    assert_non_null(file);
    unsigned char bytes[512];
    size_t n = fread(bytes, 1, sizeof bytes, file), at = 0;
    while (at < n && memcmp(bytes + at, "\"slot\":1", 8) != 0) {
        at++;
    }
    assert_true(at < n);
    bytes[at + 7] = '2';
    size_t length = bytes[28] + 256u * bytes[29];
    uint32_t crc32 = berth__crc32(bytes + 28, 20 + length);
    for (int k = 0; k < 4; k++) {
        bytes[24 + k] = (unsigned char)(crc32 >> (8 * k));
    }
    rewind(file);
    assert_int_equal(fwrite(bytes, 1, n, file), n);
    fclose(file);
    assert_int_equal(berth__service_new(instance, &options, &service, &error), BERTH_E_MISMATCH);
    assert_non_null(strstr(error.message, "event 1 of the journal is not answered as it was"));
    assert_null(service);
}

static void test_identity(void **state) {
    (void)state;
    berth_error error = {0};
    berth__service *service;
    empty_folder();
    berth_serve_options options = options_of(true);
    service = open_service(&options);
    expect(service, "{\"event\":\"advance\",\"slot\":1}", "\"now\": 1");
    berth__service_free(service);
    options.scheduler.seed = 9;
    assert_int_equal(berth__service_new(instance, &options, &service, &error), BERTH_E_MISMATCH);
    assert_non_null(strstr(error.message, "\"seed 1\" there, \"seed 9\" here"));
    options = options_of(true);
    options.scheduler.policy = "pdors";
    assert_int_equal(berth__service_new(instance, &options, &service, &error), BERTH_E_MISMATCH);
    options = options_of(true);
    options.scheduler.time_limit_s = 1;
    assert_int_equal(berth__service_new(instance, &options, &service, &error), BERTH_E_ARGUMENT);
    assert_string_equal(error.where, "time_limit_s");
    options = options_of(true);
    options.max_queue = 0;
    assert_int_equal(berth__service_new(instance, &options, &service, &error), BERTH_E_ARGUMENT);
    assert_string_equal(error.where, "max_queue");
    options = options_of(true);
    options.scheduler.threads = 2; /* decides nothing */
    service = open_service(&options);
    berth__service_free(service);
}

/* ---- what is annulled ---- */

static bool cancelling;
static bool cancel(void *user) {
    (void)user;
    return cancelling;
}

/* The submission of a job of the instance, at a slot (-1: now), with key "s". */
static void write_submission(char *line, size_t room, int slot) {
    json_t *root = json_load_file("instances/quickstart.json", 0, NULL);
    json_t *job = json_array_get(json_object_get(root, "jobs"), 1);
    if (slot >= 0) {
        json_object_set_new(job, "arrival_slot", json_integer(slot));
    } else {
        json_object_del(job, "arrival_slot");
    }
    char *text = json_dumps(job, JSON_COMPACT);
    snprintf(line, room, "{\"event\":\"submit\",\"key\":\"s\",\"job\":%s}", text);
    free(text);
    json_decref(root);
}

/* An event that was interrupted has not happened: not now, not in a replay of the journal, and its key is free. */
static void test_annulled(void **state) {
    (void)state;
    static const char first[] = "{\"event\":\"advance\",\"slot\":1,\"key\":\"t\"}";
    char submit[4096], *reply;
    const char *line = submit;
    write_submission(submit, sizeof submit, -1);
    berth_serve_options options = options_of(true);
    options.scheduler.hooks.cancel = cancel;
    for (int again = 0; again < 2; again++) { /* annulled as the last of the journal, and amid it */
        empty_folder();
        berth__service *service = open_service(&options);
        cancelling = true;
        expect(service, submit, "\"sequence\": 1, \"now\": 0, \"error\": { \"status\": \"BERTH_E_CANCELLED\"");
        cancelling = false;
        if (again == 1) {
            expect(service, first, "\"sequence\": 2, \"now\": 1");
        }
        berth__service_free(service);
        service = open_service(&options);
        expect(service, "{\"event\":\"status\"}", "\"submitted\": 0");
        expect(service, "{\"event\":\"hello\"}", again == 1 ? "\"sequence\": 2, \"now\": 1" : "\"sequence\": 1, ");
        ask(service, 1, &line, &reply);
        assert_non_null(strstr(reply, "\"admitted\": true"));
        assert_null(strstr(reply, "repeated"));
        berth__service_free(service);
        service = open_service(&options);
        char *second;
        ask(service, 1, &line, &second);
        assert_non_null(strstr(second, "repeated"));
        assert_string_equal(serve_reply_body(second), reply);
        expect(service, "{\"event\":\"status\"}", "\"submitted\": 1");
        berth__service_free(service);
        berth__free(reply);
        berth__free(second);
    }
}

/* If time has moved before a submission is interrupted, either it goes back, or the server stops, tells nobody, and
 * carries the event out when it starts again. */
static void test_interrupted_after_time_moved(void **state) {
    (void)state;
    berth_error error = {0};
    char submit[4096];
    write_submission(submit, sizeof submit, 3);
    empty_folder();
    berth_serve_options options = options_of(true);
    options.scheduler.hooks.cancel = cancel;
    berth__service *service = open_service(&options);
    berth__request request = {.line = submit, .length = strlen(submit)};
    cancelling = true;
    berth_status status = berth__service_answer(service, 1, &request, &error);
    cancelling = false;
    if (status == BERTH_OK) {
        assert_non_null(strstr(request.reply, "\"now\": 0, \"error\""));
        berth__free(request.reply);
    } else {
        assert_int_equal(status, BERTH_E_CANCELLED);
        assert_null(request.reply);
    }
    berth__service_free(service);
    service = open_service(&options);
    expect(service, "{\"event\":\"hello\"}", status == BERTH_OK ? "\"now\": 0" : "\"now\": 3");
    expect(service, submit, status == BERTH_OK ? "\"now\": 3, \"decision\"" : "\"repeated\": true");
    berth__service_free(service);
}

/* ---- keys ---- */

static void test_keys(void **state) {
    (void)state;
    berth_serve_options options = options_of(false);
    options.keys = 2;
    berth__service *service = open_service(&options);
    expect(service, "{\"event\":\"advance\",\"slot\":1,\"key\":\"a\"}", "\"now\": 1");
    expect(service, "{\"event\":\"advance\",\"slot\":2,\"key\":\"b\",\"tag\":1}", "{ \"tag\": 1, \"event\"");
    expect(service, "{\"event\":\"advance\",\"slot\":1,\"key\":\"a\",\"tag\":2}", "{ \"tag\": 2, \"repeated\": true, ");
    expect(service, "{\"event\":\"advance\",\"slot\":1,\"key\":\"a\"}", "\"now\": 1");
    expect(service, "{\"event\":\"advance\",\"slot\":3,\"key\":\"a\"}", "the key is that of another event");
    expect(service, "{\"event\":\"hello\"}", "\"now\": 2");
    /* An error is a reply, too. */
    expect(service, "{\"event\":\"advance\",\"slot\":0,\"key\":\"c\"}", "\"error\"");
    expect(service, "{\"event\":\"advance\",\"slot\":0,\"key\":\"c\"}", "\"repeated\": true");
    /* "a" is forgotten; what its event says has passed. */
    expect(service, "{\"event\":\"advance\",\"slot\":1,\"key\":\"a\"}", "\"error\"");
    /* Twice in a batch. */
    static const char *const twice[] = {"{\"event\":\"advance\",\"slot\":5,\"key\":\"d\"}",
                                        "{\"event\":\"advance\",\"slot\":5,\"key\":\"d\"}",
                                        "{\"event\":\"advance\",\"slot\":6,\"key\":\"d\"}"};
    char *replies[3];
    ask(service, 3, twice, replies);
    assert_null(strstr(replies[0], "repeated"));
    assert_non_null(strstr(replies[1], "repeated"));
    assert_string_equal(serve_reply_body(replies[1]), replies[0]);
    assert_non_null(strstr(replies[2], "/key"));
    free_replies(3, replies);
    berth__service_free(service);
}

/* ---- no room ---- */

static void test_full_disk(void **state) {
    (void)state;
    struct stat about;
    struct rlimit before, tight;
    char name[64];
    empty_folder();
    const berth_serve_options options = options_of(true);
    berth__service *service = open_service(&options);
    expect(service, "{\"event\":\"advance\",\"slot\":1}", "\"sequence\": 1, \"now\": 1");
    snprintf(name, sizeof name, "journal-%020d", 0);
    assert_int_equal(stat(path_of(name), &about), 0);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    tight = before;
    tight.rlim_cur = (rlim_t)about.st_size + 20;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
    static const char *const lines[] = {"{\"event\":\"advance\",\"slot\":2,\"key\":\"a\"}", "{\"event\":\"hello\"}",
                                        "{\"event\":\"advance\",\"slot\":2,\"key\":\"a\"}",
                                        "{\"event\":\"advance\",\"slot\":3}", "{\"event\":\"snapshot\"}"};
    char *replies[5];
    ask(service, 5, lines, replies);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, handler);
    for (int k = 0; k < 5; k++) {
        if (k != 1) {
            assert_non_null(strstr(replies[k], "BERTH_E_IO"));
        }
        assert_non_null(strstr(replies[k], "\"sequence\": 1, \"now\": 1"));
    }
    assert_non_null(strstr(replies[0], "nothing has changed"));
    free_replies(5, replies);
    expect(service, lines[0], "{ \"event\": \"advance\", \"sequence\": 2, \"now\": 2,");
    expect(service, lines[4], "{ \"event\": \"snapshot\", \"sequence\": 2, \"now\": 2 }");
    expect(service, lines[3], "\"sequence\": 3, \"now\": 3");
    berth__service_free(service);
    service = open_service(&options);
    expect(service, "{\"event\":\"hello\"}", "\"sequence\": 3, \"now\": 3");
    expect(service, lines[2], "\"repeated\": true");
    berth__service_free(service);
}

/* ---- beside the real scheduler ---- */

static double number_at(const char *reply, const char *object, const char *key) {
    json_t *root = json_loads(reply, 0, NULL);
    json_t *at = object != NULL ? json_object_get(root, object) : root;
    json_t *value = json_object_get(at, key);
    double number = json_is_number(value) ? json_number_value(value) : (double)NAN;
    json_decref(root);
    return number;
}

#define SHADOW_JOB(id)                                                                                                 \
    "{\"event\":\"submit\",\"job\":{\"id\":\"" id "\",\"arrival_slot\":0,\"epochs\":1,\"samples\":7200,\"batch\":4,"   \
    "\"sample_seconds\":1,\"gradient_mb\":0,\"bandwidth_internal_mb_s\":1,\"bandwidth_external_mb_s\":1,"              \
    "\"worker\":{\"gpu\":1},\"ps\":null,\"max_workers\":1,"                                                            \
    "\"utility\":{\"kind\":\"steps\",\"table\":[[0,100],[2,60],[5,10]]}}}"

static void test_shadow(void **state) {
    (void)state;
    empty_folder();
    berth_serve_options options = options_of(true);
    options.shadow = true;
    berth__service *service = open_service(&options);
    for (int again = 0; again < 2; again++) {
        if (again == 0) {
            expect(service, SHADOW_JOB("a"), "\"shadow\": true");
            expect(service, SHADOW_JOB("b"), "\"admitted\": true");
            expect(service, SHADOW_JOB("c"), "\"admitted\": true");
            expect(service, SHADOW_JOB("a"), "/job/id");
        }
        /* Open jobs survive both ways of going on. */
        berth_error error = {0};
        if (again == 1) {
            assert_ok(berth__service_close(service, &error), error);
        }
        berth__service_free(service);
        service = open_service(&options);
        assert_close(number_at(ask_one(service, "{\"event\":\"status\"}"), "comparison", "open"), 3, 0);
    }
    expect(service, "{\"event\":\"observed\",\"job\":\"nobody\",\"rejected\":true}",
           "no job \\\"nobody\\\" is waiting");
    const char *reply = ask_one(service, "{\"event\":\"observed\",\"job\":\"a\",\"completion_slot\":1}");
    assert_close(number_at(reply, NULL, "utility_planned"), 100, 0);
    assert_close(number_at(reply, NULL, "utility_observed"), 60, 0);
    reply = ask_one(service, "{\"event\":\"observed\",\"job\":\"b\",\"rejected\":true}");
    assert_close(number_at(reply, "comparison", "utility_observed"), 60, 0);
    assert_close(number_at(reply, "comparison", "gain"), 140, 0);
    expect(service, "{\"event\":\"cancel\",\"job\":\"c\"}", "\"number\": 2");
    reply = ask_one(service, "{\"event\":\"status\"}");
    assert_close(number_at(reply, "comparison", "open"), 0, 0);
    assert_close(number_at(reply, "comparison", "completed"), 1, 0);
    assert_close(number_at(reply, "comparison", "rejected"), 1, 0);
    berth__service_free(service);
    options = options_of(false);
    service = open_service(&options);
    expect(service, "{\"event\":\"observed\",\"job\":\"a\",\"rejected\":true}", "only a server with --shadow");
    berth__service_free(service);
}

/* ---- what capacity is worth ---- */

static void test_slots_of_a_value(void **state) {
    (void)state;
    berth_serve_options options = options_of(false);
    berth__service *service = open_service(&options);
    char line[100], now[30];
    const int horizon = instance->horizon_slots;
    expect(service, "{\"event\":\"status\",\"value\":{\"first\":3,\"end\":4}}",
           "\"value\": { \"first\": 3, \"end\": 4, \"machines\": [");
    expect(service, "{\"event\":\"status\",\"value\":{\"first\":5,\"end\":3}}",
           "first is 5, end is 3; expected first < end");
    expect(service, "{\"event\":\"status\",\"value\":{\"first\":3,\"end\":3}}", "\"where\": \"/value\"");
    snprintf(line, sizeof line, "{\"event\":\"status\",\"value\":{\"first\":%d}}", horizon);
    expect(service, line, "expected first < end");
    snprintf(line, sizeof line, "{\"event\":\"advance\",\"slot\":%d}", horizon - 1);
    snprintf(now, sizeof now, "\"now\": %d,", horizon - 1);
    expect(service, line, now);
    expect(service, "{\"event\":\"status\",\"value\":{\"end\":1}}", "expected first < end");
    expect(service, "{\"event\":\"status\",\"value\":{}}", "\"worth\"");
    berth__service_free(service);
}

/* ---- price bounds ---- */

static void test_price_bounds(void **state) {
    (void)state;
    berth_error error = {0};
    berth__service *service;
    berth_price_bounds bounds;
    berth_instance empty = *instance;
    empty.n_jobs = 0;
    berth_serve_options options = options_of(false);
    assert_int_equal(berth__service_new(&empty, &options, &service, &error), BERTH_E_INPUT);
    assert_string_equal(error.where, "/prices");
    options.scheduler.policy = "bidlp";
    assert_ok(berth__service_new(&empty, &options, &service, &error), error);
    berth__service_free(service);
    /* What the file gives is per unit, and the bounds are per share. */
    const double upper[] = {3, 2, 1}, lower[] = {0.5, 0.25, 0.125};
    empty.price_upper = upper;
    empty.price_lower = lower;
    assert_ok(berth_instance_price_bounds(&empty, "pdors-ci", &bounds, &error), error);
    assert_close(bounds.upper[0], 3 * 64, 1e-12);
    assert_close(bounds.lower[2], 0.125 * 4096, 1e-12);
    berth_price_bounds_clear(&bounds);
    options.scheduler.policy = "pdors-ci";
    assert_ok(berth__service_new(&empty, &options, &service, &error), error);
    berth__service_free(service);
    assert_int_equal(berth_instance_price_bounds(&empty, "none", &bounds, &error), BERTH_E_ARGUMENT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_script),
        cmocka_unit_test(test_batches),
        cmocka_unit_test(test_restarts),
        cmocka_unit_test(test_restarts_of_bidlp),
        cmocka_unit_test(test_identity),
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_annulled),
        cmocka_unit_test(test_interrupted_after_time_moved),
        cmocka_unit_test(test_replay_must_agree),
        cmocka_unit_test(test_shadow),
        cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_slots_of_a_value),
        cmocka_unit_test(test_price_bounds),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
