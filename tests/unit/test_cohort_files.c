/* Counts, profiles, requests and cohorts in files: both forms of counts, what is written reads back, bad files named
 * by line or field. */
#include <berth_cohort.h>

#include "tests/support/check.h"
#include "tests/support/cohort_case.h"
#include "tests/support/own_folder.h"

#include <stdlib.h>
#include <string.h>

static void expect_bad_file(const char *counts, const char *profiles, const char *in, long line, const char *part) {
    berth_error error = {0};
    berth_cohort_data *data = (berth_cohort_data *)&error;
    berth_cohort_read_options options;
    berth_cohort_read_options_init(&options);
    put_file("counts.csv", counts);
    put_file("profiles.csv", profiles != NULL ? profiles : "");
    options.profiles = profiles != NULL ? path_of("profiles.csv") : NULL;
    berth_status status = berth_cohort_data_read(path_of("counts.csv"), &options, &data, &error);
    if (status != BERTH_E_INPUT || strstr(error.where, in) == NULL || error.line != line ||
        strstr(error.message, part) == NULL) {
        fail_msg("%s: %s line %ld: %s; expected %s line %ld: %s", berth_status_name(status), error.where, error.line,
                 error.message, in, line, part);
    }
    assert_null(data);
}

static void bad_counts_are_named_by_line(void **state) {
    (void)state;
    const char *in = "counts.csv";
    expect_bad_file("", NULL, in, 1, "empty");
    expect_bad_file("\n\n", NULL, in, 1, "empty");
    expect_bad_file("name,a\n", NULL, in, 1, "header");
    expect_bad_file("client\n", NULL, in, 1, "header");
    expect_bad_file("client;a;b\nx;1;2\n", NULL, in, 1, "separated by semicolons");
    expect_bad_file("client,a,a\n", NULL, in, 1, "there already: 'a'");
    expect_bad_file("client,a,b\nx,1\n", NULL, in, 2, "2 fields; the header has 3");
    expect_bad_file("client,a,b\nx,1,2\n\ny,1,-2\n", NULL, in, 4, "'-2'");
    expect_bad_file("client,a,b\nx,1,2.5\n", NULL, in, 2, "'2.5'");
    expect_bad_file("client,a,b\nx,1,\n", NULL, in, 2, "''");
    expect_bad_file("client,a,b\nx,1,4294967296\n", NULL, in, 2, "'4294967296'");
    expect_bad_file("client,a,b\nx,1,99999999999999999999999999\n", NULL, in, 2, "'999");
    expect_bad_file("client,a,b\nx,1,2\nx,1,2\n", NULL, in, 3, "there already: 'x'");
    expect_bad_file("client,category,count\nx,a,1\nx,a,2\n", NULL, in, 3, "'x' has category 'a' already");
    expect_bad_file("client,category,count\nx,a\n", NULL, in, 2, "2 fields");
    expect_bad_file("client,a,b\ny,1,1\nx,4294967295,1\n", NULL, in, 3, "'x' has more than 4294967295 samples");
    expect_bad_file("client,category,count\nx,a,one\n", NULL, in, 2, "'one'");
    expect_bad_file("client,a\n\"x,1\n", NULL, in, 2, "quote");
    expect_bad_file("client,a\n\xff,1\n", NULL, in, 2, "UTF-8");
}

static void bad_profiles_are_named_by_line(void **state) {
    (void)state;
    const char *in = "profiles.csv", *counts = "client,a,b\nx,1,2\ny,0,0\n";
    expect_bad_file(counts, "", in, 1, "header");
    expect_bad_file(counts, "client,ms,kbps\n", in, 1, "header");
    expect_bad_file(counts, "client\tms_per_sample\tbandwidth_kbps\n", in, 1, "separated by tabs");
    expect_bad_file(counts, "client,ms_per_sample,bandwidth_kbps\nx,0,5\n", in, 2, "'0'");
    expect_bad_file(counts, "client,ms_per_sample,bandwidth_kbps\nx,1e16,5\n", in, 2, "(1e-9 to 1e15): '1e16'");
    expect_bad_file(counts, "client,ms_per_sample,bandwidth_kbps\nx,5,1e-10\n", in, 2, "(1e-9 to 1e15): '1e-10'");
    expect_bad_file(counts, "client,ms_per_sample,bandwidth_kbps\nx,5,-1\n", in, 2, "'-1'");
    expect_bad_file(counts, "client,ms_per_sample,bandwidth_kbps\nx,5,inf\n", in, 2, "'inf'");
    expect_bad_file(counts, "client,ms_per_sample,bandwidth_kbps\nx,5,0x1\n", in, 2, "'0x1'");
    expect_bad_file(counts, "client,ms_per_sample,bandwidth_kbps\nx,5\n", in, 2, "2 fields");
    expect_bad_file(counts, "client,ms_per_sample,bandwidth_kbps\nx,5,5\nx,5,5\n", in, 3, "already");
    expect_bad_file(counts, "client,ms_per_sample,bandwidth_kbps\nz,5,5\n", in, 0, "'x' has no profile");
}

static berth_cohort_data *read_counts(const char *counts, const berth_cohort_read_options *options) {
    berth_error error;
    berth_cohort_data *data = NULL;
    put_file("counts.csv", counts);
    assert_ok(berth_cohort_data_read(path_of("counts.csv"), options, &data, &error), error);
    return data;
}

static void both_forms_are_read_alike(void **state) {
    (void)state;
    berth_cohort_read_options options;
    berth_cohort_read_options_init(&options);
    options.default_ms_per_sample = 10;
    options.default_bandwidth_kbps = 1000;
    static const char *const texts[] = {
        "client_id,\"a, \"\"b\"\"\",c\r\nx,1,0\r\ny,2,3\r\n",
        "\xEF\xBB\xBF"
        "client,category,count\ny,c, 3\t\nx,\"a, \"\"b\"\"\",1\nx,c,0\ny,\"a, \"\"b\"\"\",2",
    };
    for (size_t k = 0; k < 2; k++) {
        berth_cohort_data *data = read_counts(texts[k], &options);
        assert_int_equal(data->n_clients, 2);
        assert_int_equal(data->n_categories, 2);
        assert_int_equal(data->row_start[2], 3);
        size_t y = strcmp(data->clients[0], "y") == 0 ? 0 : 1, c = strcmp(data->categories[0], "c") == 0 ? 0 : 1;
        assert_string_equal(data->categories[1 - c], "a, \"b\"");
        for (size_t e = data->row_start[y]; e < data->row_start[y + 1]; e++) {
            assert_int_equal(data->count[e], data->category[e] == c ? 3 : 2);
        }
        assert_close(data->ms_per_sample[0], 10, 0);
        berth_cohort_data_free(data);
    }
}

static void long_lines_and_many_names_are_read(void **state) {
    (void)state;
    enum { CATEGORIES = 60000 };
    char *text = malloc(CATEGORIES * 10 + 100);
    assert_non_null(text);
    size_t at = (size_t)sprintf(text, "client");
    for (int k = 0; k < CATEGORIES; k++) {
        at += (size_t)sprintf(text + at, ",c%d", k);
    }
    at += (size_t)sprintf(text + at, "\nx");
    for (int k = 0; k < CATEGORIES; k++) {
        at += (size_t)sprintf(text + at, ",%d", k % 7 == 0);
    }
    berth_cohort_data *data = read_counts(text, NULL);
    assert_int_equal(data->n_categories, CATEGORIES);
    assert_int_equal(data->row_start[1], (CATEGORIES + 6) / 7);
    assert_string_equal(data->categories[CATEGORIES - 1], "c59999");
    berth_cohort_data_free(data);
    free(text);
}

static void expect_bad_request(const berth_cohort_data *data, const char *text, const char *where, const char *part) {
    berth_error error = {0};
    berth_cohort_request *request = (berth_cohort_request *)&error;
    put_file("request.json", text);
    berth_status status = berth_cohort_request_read(path_of("request.json"), data, &request, &error);
    if (status != BERTH_E_INPUT || strcmp(error.where, where) != 0 || strstr(error.message, part) == NULL) {
        fail_msg("%s: %s at %s: %s", text, berth_status_name(status), error.where, error.message);
    }
    assert_null(request);
}

#define REQUEST(rest) "{\"format\": \"berth-cohort-request-1\", " rest "}"

static void bad_request_files_are_named(void **state) {
    (void)state;
    berth_cohort_data *data = read_counts("client,apples,pears\nx,1,2\n", NULL);
    expect_bad_request(data, REQUEST("\"requests\": {\"aples\": 1}"), "/requests/aples", "apples");
    expect_bad_request(data, REQUEST("\"requests\": {\"apples\": -1}"), "/requests/apples", ">= 0");
    expect_bad_request(data, REQUEST("\"requests\": {\"apples\": 1.5}"), "/requests/apples", "integer");
    expect_bad_request(data, REQUEST("\"requests\": {}, \"all\": [\"apples\"]"), "", "one of");
    expect_bad_request(data, REQUEST("\"budget\": 1"), "", "one of");
    expect_bad_request(data, REQUEST("\"all\": []"), "/all", "at least");
    expect_bad_request(data, REQUEST("\"all\": [\"plums\"]"), "/all/0", "plums");
    expect_bad_request(data, REQUEST("\"representative\": 0"), "/representative", ">= 1");
    expect_bad_request(data, REQUEST("\"representative\": 1, \"budget\": 0"), "/budget", ">= 1");
    expect_bad_request(data, REQUEST("\"representative\": 1, \"eligible\": [\"y\"]"), "/eligible/0", "'y'");
    expect_bad_request(data, REQUEST("\"representative\": 1, \"match\": \"about\""), "/match", "exact");
    expect_bad_request(data, REQUEST("\"representative\": 1, \"objective\": \"cost\""), "/objective", "duration");
    expect_bad_request(data, REQUEST("\"representative\": 1, \"deadline_s\": -1"), "/deadline_s", ">= 0");
    expect_bad_request(data, REQUEST("\"representative\": 1, \"model_kbit\": -1"), "/model_kbit", "from 0 to 1e15");
    expect_bad_request(data, REQUEST("\"representative\": 1, \"model_kbit\": 1e16"), "/model_kbit", "from 0 to 1e15");
    expect_bad_request(data, REQUEST("\"requests\": {\"apples\": 1125899906842624, \"pears\": 1}"), "/requests",
                       "at most 2^50");
    expect_bad_request(data, REQUEST("\"representative\": 1125899906842625"), "/representative", "at most 2^50");
    expect_bad_request(data, REQUEST("\"representative\": 1, \"slack\": -0.1"), "/slack", ">= 0");
    expect_bad_request(data, REQUEST("\"representative\": 1, \"slack\": \"much\""), "/slack", "number");
    expect_bad_request(data, REQUEST("\"representative\": 1, \"slack\": null"), "/slack", "number");
    expect_bad_request(data, REQUEST("\"representative\": 1, \"buget\": 1"), "/buget", "budget");
    berth_cohort_data_free(data);
}

/* What is written reads back as it was. */
static void files_round_trip(void **state) {
    (void)state;
    berth_error error;
    berth_generate_cohort_options options;
    berth_cohort_data *data = NULL, *data2 = NULL;
    berth_cohort_request *request = NULL, *request2 = NULL;
    berth_cohort *cohort = NULL, *cohort2 = NULL;
    berth_cohort_read_options read;
    berth_generate_cohort_options_init(&options);
    options.clients = 200;
    assert_ok(berth_generate_cohort(&options, &data, &request, &error), error);
    request->budget = 30;
    request->deadline_s = 100;
    request->slack = 0.125;
    assert_ok(berth_cohort_data_write(data, path_of("d.csv.gz"), path_of("p.csv"), &error), error);
    berth_cohort_read_options_init(&read);
    read.profiles = path_of("p.csv");
    assert_ok(berth_cohort_data_read(path_of("d.csv.gz"), &read, &data2, &error), error);
    assert_int_equal(data2->n_clients, data->n_clients);
    assert_memory_equal(data2->row_start, data->row_start, (data->n_clients + 1) * sizeof *data->row_start);
    assert_memory_equal(data2->count, data->count, data->row_start[200] * sizeof *data->count);
    assert_memory_equal(data2->ms_per_sample, data->ms_per_sample, 200 * sizeof(double));

    assert_ok(berth_cohort_request_write(request, data, path_of("r.json"), &error), error);
    assert_ok(berth_cohort_request_read(path_of("r.json"), data2, &request2, &error), error);
    assert_int_equal(request2->budget, 30);
    assert_close(request2->slack, 0.125, 0);
    assert_ok(berth_cohort_pick(data, request, NULL, &cohort, &error), error);
    assert_ok(berth_cohort_write(cohort, data, path_of("c.json"), &error), error);
    assert_ok(berth_cohort_read(path_of("c.json"), data2, &cohort2, &error), error);
    cohort_expect_sound(data2, request2, cohort2, "read back");
    assert_ok(berth_cohort_write(cohort2, data2, path_of("c2.json"), &error), error);
    char *first = get_file("c.json"), *second = get_file("c2.json");
    /* numbers of categories differ with the order in which a long file names them */
    assert_int_equal(strlen(first), strlen(second));
    free(first);
    free(second);
    expect_schema("berth-cohort-request-1", "r.json");
    expect_schema("berth-cohort-1", "c.json");
    berth_cohort_free(cohort);
    berth_cohort_free(cohort2);
    berth_cohort_request_free(request);
    berth_cohort_request_free(request2);
    berth_cohort_data_free(data);
    berth_cohort_data_free(data2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_counts_are_named_by_line), cmocka_unit_test(bad_profiles_are_named_by_line),
        cmocka_unit_test(both_forms_are_read_alike),    cmocka_unit_test(long_lines_and_many_names_are_read),
        cmocka_unit_test(bad_request_files_are_named),  cmocka_unit_test(files_round_trip),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
