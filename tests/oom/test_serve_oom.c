/* Memory that runs out at any allocation of a server with a state directory: it says so, in replies or by stopping,
 * what it has acknowledged is there at the next start, and what it has not is nowhere. jansson's and the LP solvers'
 * own allocations are not part of it. In a library built with BERTH_TESTING_ALLOC. */
#define _XOPEN_SOURCE 700
#include "tests/support/check.h"

#include "base/alloc.h"
#include "service/service.h"

#include <berth_io.h>

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BATCHES = 4, MOST_LINES = 3, MOST = 100000 };

#define FIELDS                                                                                                         \
    "\"epochs\":1,\"samples\":20,\"batch\":4,\"max_workers\":2,\"sample_seconds\":1,\"gradient_mb\":0,"                \
    "\"bandwidth_internal_mb_s\":1,\"bandwidth_external_mb_s\":1,\"worker\":{\"gpu\":1},\"ps\":null,"                  \
    "\"utility\":{\"kind\":\"steps\",\"table\":[[0,9],[2,5]]}"
static const char instance_text[] =
    "{\"format\":\"berth-jobs-1\",\"name\":\"oom\",\"slot_seconds\":10,\"horizon_slots\":6,\"resources\":[\"gpu\"],"
    "\"machines\":[{\"name\":\"m\",\"count\":2,\"capacity\":{\"gpu\":1.5}}],"
    "\"jobs\":[{\"id\":\"wide\",\"arrival_slot\":0," FIELDS "}]}";

static const char *const batches[BATCHES][MOST_LINES] = {
    {"{\"event\":\"submit\",\"key\":\"a\",\"job\":{\"id\":\"a\"," FIELDS "}}", "{\"event\":\"status\",\"jobs\":true}"},
    {"{\"event\":\"gang\",\"key\":\"b\",\"tag\":1,\"jobs\":[{\"id\":\"b\"," FIELDS "}]}",
     "{\"event\":\"fail\",\"key\":\"c\",\"machine\":\"m-0\"}", "{\"event\":\"fial\"}"},
    {"{\"event\":\"snapshot\"}"},
    {"{\"event\":\"advance\",\"key\":\"d\",\"slot\":1}", "{\"event\":\"explain\",\"job\":{\"id\":\"e\"," FIELDS "}}",
     "{\"event\":\"observed\",\"key\":\"e\",\"job\":\"a\",\"completion_slot\":3}"},
};

static char folder[32];
static berth_instance *instance;
static char *replies[BATCHES][MOST_LINES]; /* of the last attempt; NULL: none */

#ifdef BERTH_TESTING_ALLOC

static int set_up(void **state) {
    berth_error error = {0};
    (void)state;
    /* Where synchronising takes no time, if there is such a place. */
    snprintf(folder, sizeof folder, "%s/berth-oom-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    return mkdtemp(folder) != NULL &&
                   berth_instance_parse(instance_text, sizeof instance_text - 1, &instance, &error) == BERTH_OK
               ? 0
               : -1;
}

static void empty_folder(void) {
    char path[300];
    DIR *listing = opendir(folder);
    assert_non_null(listing);
    for (struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        unlink(path);
    }
    closedir(listing);
}

static int tear_down(void **state) {
    (void)state;
    empty_folder();
    berth_instance_free(instance);
    return rmdir(folder);
}

static void forget_replies(void) {
    for (int b = 0; b < BATCHES; b++) {
        for (int k = 0; k < MOST_LINES; k++) {
            berth__free(replies[b][k]);
            replies[b][k] = NULL;
        }
    }
}

static berth_serve_options options_of(void) {
    berth_serve_options options;
    berth_serve_options_init(&options);
    options.scheduler.policy = "pdors-ci";
    options.scheduler.threads = 1;
    options.state = folder;
    options.shadow = true;
    return options;
}

static berth_status ask(berth__service *service, int b, berth_error *error) {
    berth__request requests[MOST_LINES];
    size_t n = 0;
    for (; n < MOST_LINES && batches[b][n] != NULL; n++) {
        requests[n] = (berth__request){.line = batches[b][n], .length = strlen(batches[b][n])};
    }
    berth_status status = berth__service_answer(service, n, requests, error);
    for (size_t k = 0; k < n; k++) {
        assert_true((status == BERTH_OK) == (requests[k].reply != NULL));
        replies[b][k] = requests[k].reply;
    }
    return status;
}

/* Starts, answers, stops, starts again from what it kept. */
static berth_status attempt(const berth_serve_options *options, berth_error *error) {
    berth__service *service = NULL;
    berth_status status = berth__service_new(instance, options, &service, error);
    for (int b = 0; b < BATCHES && status == BERTH_OK; b++) {
        status = ask(service, b, error);
    }
    berth__service_free(service); /* as a crash would */
    service = NULL;
    if (status == BERTH_OK) {
        status = berth__service_new(instance, options, &service, error);
    }
    if (status == BERTH_OK) {
        status = berth__service_close(service, error);
    }
    berth__service_free(service);
    return status;
}

/* With memory again: whatever had a reply is known under its key, and has it still. */
static void expect_acknowledged(const berth_serve_options *options, unsigned long at) {
    static const char mark[] = "\"repeated\": true, ";
    berth_error error = {0};
    berth__service *service = NULL;
    assert_ok(berth__service_new(instance, options, &service, &error), error);
    for (int b = 0; b < BATCHES; b++) {
        for (int k = 0; k < MOST_LINES; k++) {
            const char *line = batches[b][k], *before = replies[b][k];
            if (before == NULL || strstr(line, "\"key\"") == NULL) {
                continue;
            }
            assert_null(strstr(before, "BERTH_E_MEMORY")); /* the reply needs memory, too */
            berth__request request = {.line = line, .length = strlen(line)};
            assert_ok(berth__service_answer(service, 1, &request, &error), error);
            char *found = strstr(request.reply, mark);
            if (found == NULL) {
                fail_msg("allocation %lu: %s is not known any more: %s", at, line, request.reply);
            }
            memmove(found, found + strlen(mark), strlen(found + strlen(mark)) + 1);
            assert_string_equal(request.reply, before);
            berth__free(request.reply);
        }
    }
    berth__service_free(service);
}

static void test_serving(void **state) {
    (void)state;
    const berth_serve_options options = options_of();
    unsigned long unnoticed = 0;
    for (unsigned long at = 1; at < MOST; at++) {
        berth_error error = {0};
        empty_folder();
        berth__alloc_fail_at(at);
        berth_status status = attempt(&options, &error);
        unsigned long asked = berth__alloc_count();
        berth__alloc_fail_at(0);
        if (status != BERTH_OK && (status != BERTH_E_MEMORY || error.status != BERTH_E_MEMORY)) {
            fail_msg("allocation %lu: %s at %s: %s", at, berth_status_name(status), error.where, error.message);
        }
        unnoticed += status == BERTH_OK && asked >= at;
        expect_acknowledged(&options, at);
        forget_replies();
        if (status == BERTH_OK && asked < at) {
            print_message("%lu allocations, %lu of them to spare\n", asked, unnoticed);
            assert_true(asked > 300);
            assert_true(unnoticed < 10); /* results of a batch, folders to be synchronised */
            return;
        }
    }
    fail_msg("still out of memory");
}

#else

static int set_up(void **state) {
    (void)state;
    return -1;
}

static int tear_down(void **state) {
    (void)state;
    return 0;
}

static void test_serving(void **state) {
    (void)state;
    (void)batches;
    (void)instance_text;
    (void)folder;
    (void)instance;
    (void)replies;
    fail_msg("built without BERTH_TESTING_ALLOC");
}

#endif

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_serving)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
