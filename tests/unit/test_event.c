/* Events as the server reads them: what is right and what is wrong, in agreement with the schema. */
#include "tests/support/check.h"
#include "tests/support/own_folder.h"
#include "tests/support/schema_check.h"

#include "formats/event_json.h"

#include <string.h>

#define JOB                                                                                                            \
    "{\"id\":\"a\",\"epochs\":1,\"samples\":100,\"batch\":4,\"sample_seconds\":1,\"gradient_mb\":0,"                   \
    "\"bandwidth_internal_mb_s\":1,\"bandwidth_external_mb_s\":1,\"worker\":{\"gpu\":1},\"ps\":null,"                  \
    "\"utility\":{\"kind\":\"constant\",\"value\":5}}"

static const char *const resources[] = {"gpu", "cpu"};
static const berth_instance instance = {.n_resources = 2, .resources = resources, .horizon_slots = 10};

static bool schema_accepts(const char *line) {
    char problem[256];
    put_file("event", line);
    return schema_check_file(berth_schema("berth-events-1"), path_of("event"), problem, sizeof problem);
}

static berth__event *read_event(const char *line) {
    berth__event *event = berth__event_read(line, strlen(line), &instance);
    assert_non_null(event);
    return event;
}

static void test_right_events(void **state) {
    (void)state;
    static const struct {
        const char *line;
        berth__event_kind kind;
        bool changes;
    } cases[] = {
        {"{\"event\":\"submit\",\"job\":" JOB "}", BERTH__EVENT_SUBMIT, true},
        {"{\"event\":\"submit\",\"jobs\":[" JOB "," JOB "],\"slot\":3}", BERTH__EVENT_SUBMIT, true},
        {"{\"event\":\"submit\",\"jobs\":[]}", BERTH__EVENT_SUBMIT, true},
        {"{\"event\":\"gang\",\"jobs\":[" JOB "],\"tag\":\"t\",\"key\":\"k\"}", BERTH__EVENT_GANG, true},
        {"{\"event\":\"propose\",\"job\":" JOB "}", BERTH__EVENT_PROPOSE, true},
        {"{\"event\":\"propose\",\"jobs\":[" JOB "]}", BERTH__EVENT_PROPOSE, true},
        {"{\"event\":\"commit\",\"job\":3}", BERTH__EVENT_COMMIT, true},
        {"{\"event\":\"abandon\",\"job\":\"a\"}", BERTH__EVENT_ABANDON, true},
        {"{\"event\":\"what-if\",\"job\":" JOB "}", BERTH__EVENT_WHAT_IF, false},
        {"{\"event\":\"explain\",\"job\":" JOB "}", BERTH__EVENT_EXPLAIN, false},
        {"{\"event\":\"advance\",\"slot\":0}", BERTH__EVENT_ADVANCE, true},
        {"{\"event\":\"finish\",\"job\":\"a\",\"x_mine\":[1]}", BERTH__EVENT_FINISH, true},
        {"{\"event\":\"cancel\",\"job\":0,\"tag\":-7}", BERTH__EVENT_CANCEL, true},
        {"{\"event\":\"left\",\"job\":\"a\",\"samples\":0.5}", BERTH__EVENT_LEFT, true},
        {"{\"event\":\"add-machine\",\"machine\":\"m\",\"capacity\":{\"gpu\":4}}", BERTH__EVENT_ADD_MACHINE, true},
        {"{\"event\":\"drain\",\"machine\":\"m\"}", BERTH__EVENT_DRAIN, true},
        {"{\"event\":\"fail\",\"machine\":\"m\"}", BERTH__EVENT_FAIL, true},
        {"{\"event\":\"resize\",\"machine\":\"m\",\"capacity\":{}}", BERTH__EVENT_RESIZE, true},
        {"{\"event\":\"return\",\"machine\":\"m\"}", BERTH__EVENT_RETURN, true},
        {"{\"event\":\"observed\",\"job\":\"a\",\"completion_slot\":4}", BERTH__EVENT_OBSERVED, true},
        {"{\"event\":\"observed\",\"job\":\"a\",\"rejected\":true}", BERTH__EVENT_OBSERVED, true},
        {"{\"event\":\"status\",\"job\":\"a\",\"machine\":\"m\",\"jobs\":true,\"machines\":false,\"value\":{\"end\":9}"
         "}",
         BERTH__EVENT_STATUS, false},
        {"{\"event\":\"hello\",\"protocol\":\"berth-events-1\"}", BERTH__EVENT_HELLO, false},
        {"  {\"event\":\"snapshot\"}\r", BERTH__EVENT_SNAPSHOT, false},
        {"{\"event\":\"shutdown\"}", BERTH__EVENT_SHUTDOWN, false},
    };
    bool seen[BERTH__N_EVENTS] = {false};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        berth__event *event = read_event(cases[k].line);
        if (event->error.status != BERTH_OK || event->kind != cases[k].kind) {
            fail_msg("%s: %s: %s", cases[k].line, event->error.where, event->error.message);
        }
        assert_int_equal(berth__event_changes(event->kind), cases[k].changes);
        assert_string_equal(berth__event_name(event->kind), event->name);
        seen[event->kind] = true;
        berth__event_free(event);
        if (!schema_accepts(cases[k].line)) {
            fail_msg("the schema refuses %s", cases[k].line);
        }
    }
    for (int kind = 0; kind < BERTH__N_EVENTS; kind++) {
        assert_true(seen[kind]);
    }
}

static void test_wrong_events(void **state) {
    (void)state;
    static char long_key[400];
    snprintf(long_key, sizeof long_key, "{\"event\":\"advance\",\"slot\":1,\"key\":\"%0201d\"}", 0);
    const struct {
        const char *line, *where, *message;
        bool beyond_schema; /* it cannot say that */
    } cases[] = {
        {"", "", "empty", false},
        {"hello", "", "expected an event", false},
        {"[1]", "", "expected an event", false},
        {"{\"event\":", "", "", false},
        {"{\"event\":\"hello\"} {}", "", "end of file", false},
        {"{\"event\":\"hello\",\"event\":\"hello\"}", "", "duplicate", false},
        {"{}", "/event", "missing", false},
        {"{\"event\":1}", "/event", "expected a string, found 1", false},
        {"{\"event\":\"submitt\"}", "/event", "did you mean \"submit\"", false},
        {"{\"event\":\"explode\"}", "/event", "no event", false},
        {"{\"event\":\"hello\",\"protocol\":\"berth-events-2\"}", "/protocol", "speaks \"berth-events-1\"", false},
        {"{\"event\":\"hello\",\"tag\":1.5}", "/tag", "expected a string or an integer", false},
        {"{\"event\":\"advance\",\"slot\":1,\"key\":\"\"}", "/key", "must not be empty", false},
        {long_key, "/key", "201 bytes; the limit is 200", true},
        {"{\"event\":\"advance\",\"slto\":1}", "/slto", "did you mean \"slot\"", false},
        {"{\"event\":\"advance\",\"job\":1,\"slot\":1}", "/job", "unknown field", false},
        {"{\"event\":\"advance\"}", "/slot", "missing", false},
        {"{\"event\":\"advance\",\"slot\":-1}", "/slot", "must not be negative", false},
        {"{\"event\":\"advance\",\"slot\":1.5}", "/slot", "expected an integer", false},
        {"{\"event\":\"submit\"}", "/job", "missing (or \"jobs\"", false},
        {"{\"event\":\"submit\",\"job\":" JOB ",\"jobs\":[]}", "/jobs", "give one of them", false},
        {"{\"event\":\"submit\",\"job\":\"a\"}", "/job", "expected an object", false},
        {"{\"event\":\"submit\",\"job\":{\"id\":\"a\"}}", "/job/", "missing", false},
        {"{\"event\":\"submit\",\"jobs\":[" JOB ",{\"id\":\"\"}]}", "/jobs/1/id", "must not be empty", false},
        {"{\"event\":\"gang\",\"jobs\":[]}", "/jobs", "at least one", false},
        {"{\"event\":\"propose\",\"jobs\":[]}", "/jobs", "at least one", false},
        {"{\"event\":\"commit\",\"job\":-1}", "/job", "must not be negative", false},
        {"{\"event\":\"commit\",\"job\":1.5}", "/job", "expected the id", false},
        {"{\"event\":\"commit\",\"job\":\"\"}", "/job", "must not be empty", false},
        {"{\"event\":\"left\",\"job\":1,\"samples\":0}", "/samples", "must be positive", false},
        {"{\"event\":\"resize\",\"machine\":\"m\",\"capacity\":{\"gpus\":1}}", "/capacity/gpus", "did you mean \"gpu\"",
         true},
        {"{\"event\":\"resize\",\"machine\":\"m\",\"capacity\":{\"gpu\":-1}}", "/capacity/gpu", "expected 0 or", false},
        {"{\"event\":\"drain\",\"machine\":3}", "/machine", "expected a string", false},
        {"{\"event\":\"observed\",\"job\":\"a\"}", "/completion_slot", "either", false},
        {"{\"event\":\"observed\",\"job\":\"a\",\"completion_slot\":1,\"rejected\":true}", "/completion_slot", "either",
         false},
        {"{\"event\":\"status\",\"value\":{\"last\":3}}", "/value/last", "unknown field", false},
        {"{\"event\":\"status\",\"value\":{\"end\":-3}}", "/value/end", "must not be negative", false},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        berth__event *event = read_event(cases[k].line);
        if (event->error.status == BERTH_OK ||
            strncmp(event->error.where, cases[k].where, strlen(cases[k].where)) != 0 ||
            strstr(event->error.message, cases[k].message) == NULL) {
            fail_msg("%s: %s at \"%s\": %s", cases[k].line, berth_status_name(event->error.status), event->error.where,
                     event->error.message);
        }
        berth__event_free(event);
        if (schema_accepts(cases[k].line) != cases[k].beyond_schema) {
            fail_msg("the schema has another opinion of %s", cases[k].line);
        }
    }
}

static void test_fields(void **state) {
    (void)state;
    berth__event *event = read_event("{\"event\":\"submit\",\"jobs\":[" JOB "],\"tag\":\"x\\\"y\",\"key\":\"k1\"}");
    assert_int_equal(event->error.status, BERTH_OK);
    assert_string_equal(event->tag, "\"x\\\"y\"");
    assert_string_equal(event->key, "k1");
    assert_true(event->list && event->n_jobs == 1 && event->slot == -1 && event->jobs[0].arrival_slot == -1);
    assert_true(event->jobs[0].max_workers == 4 && event->jobs[0].worker[0] == 1 && event->jobs[0].worker[1] == 0);
    uint32_t fingerprint = event->fingerprint;
    berth__event_free(event);
    /* The fingerprint is of the event, not of how it is written or whose it is. */
    event = read_event("{\"tag\":4, \"key\":\"k1\", \"jobs\":[" JOB "], \"event\":\"submit\"}");
    assert_int_equal(event->fingerprint, fingerprint);
    berth__event_free(event);
    event = read_event("{\"key\":\"k1\", \"jobs\":[" JOB "], \"event\":\"gang\"}");
    assert_int_not_equal(event->fingerprint, fingerprint);
    berth__event_free(event);
    /* An event that is wrong is answered with its tag. */
    event = read_event("{\"event\":\"advance\",\"tag\":12}");
    assert_int_not_equal(event->error.status, BERTH_OK);
    assert_string_equal(event->tag, "12");
    berth__event_free(event);
    event = read_event("{\"event\":\"left\",\"job\":9007199254740993,\"samples\":1e3}");
    assert_true(event->has_job && event->job_id == NULL && event->job_number == 9007199254740993u);
    assert_close(event->samples, 1000, 0);
    berth__event_free(event);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_right_events), cmocka_unit_test(test_wrong_events),
                                       cmocka_unit_test(test_fields)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
