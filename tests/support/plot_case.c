#include "tests/support/plot_case.h"

#include "tests/support/check.h"

#include <string.h>

#include "base/alloc.h"
#include "formats/json_write.h"

const char hostile_name[] = "</script><img src=x onerror='hostile()'>\"`touch hostile`\\' \n EOD\n\t\" . system('touch "
                            "hostile') # $(x) %s%n _^{}@~ &amp; \xe2\x80\xae \xc3\xa4\xe6\xbc\xa2";

/* Names must differ. */
static void name_with(char name[256], size_t number) {
    snprintf(name, 256, "%zu%s", number, hostile_name);
}

static void write_amounts(berth__json_writer *w, const char *key, double first, double second) {
    char name[256];
    berth__json_object(w, key);
    name_with(name, 0);
    berth__json_number(w, name, first);
    name_with(name, 1);
    berth__json_number(w, name, second);
    berth__json_close(w);
}

static void write_job(berth__json_writer *w, size_t number) {
    static const char *const names[] = {"epochs",
                                        "samples",
                                        "batch",
                                        "max_workers",
                                        "sample_seconds",
                                        "gradient_mb",
                                        "workers_per_ps",
                                        "bandwidth_internal_mb_s",
                                        "bandwidth_external_mb_s"};
    static const double values[] = {1, 400, 8, 4, 1, 10, 2, 100, 100};
    char name[256];
    berth__json_object(w, NULL);
    name_with(name, number);
    berth__json_string(w, "id", name);
    berth__json_string(w, "tenant", hostile_name);
    berth__json_integer(w, "arrival_slot", (long long)number);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        berth__json_number(w, names[k], values[k]);
    }
    write_amounts(w, "worker", 1, 2);
    write_amounts(w, "ps", 0, 1);
    berth__json_object(w, "utility");
    berth__json_string(w, "kind", "constant");
    berth__json_number(w, "value", 10);
    berth__json_close(w);
    berth__json_close(w);
}

berth_instance *hostile_instance(void) {
    berth_error error = {0};
    berth_instance *instance = NULL;
    berth__json_writer w;
    char name[256], *text = NULL;
    size_t length = 0;
    berth__json_begin(&w);
    berth__json_object(&w, NULL);
    berth__json_string(&w, "format", "berth-jobs-1");
    berth__json_string(&w, "name", hostile_name);
    berth__json_string(&w, "source", hostile_name);
    berth__json_integer(&w, "slot_seconds", 60);
    berth__json_integer(&w, "horizon_slots", 12);
    berth__json_list(&w, "resources");
    for (size_t r = 0; r < 2; r++) {
        name_with(name, r);
        berth__json_string(&w, NULL, name);
    }
    berth__json_close(&w);
    berth__json_list(&w, "machines");
    berth__json_object(&w, NULL);
    berth__json_string(&w, "name", hostile_name);
    berth__json_integer(&w, "count", 3);
    write_amounts(&w, "capacity", 4, 9);
    berth__json_close(&w);
    berth__json_close(&w);
    berth__json_list(&w, "jobs");
    for (size_t job = 0; job < 5; job++) {
        write_job(&w, job);
    }
    berth__json_close(&w);
    berth__json_close(&w);
    assert_ok(berth__json_finish(&w, &text, &length, &error), error);
    assert_ok(berth_instance_parse(text, length, &instance, &error), error);
    berth__free(text);
    return instance;
}

berth_instance *plain_instance(size_t machines, size_t jobs, int slots, uint64_t seed) {
    berth_error error = {0};
    berth_instance *instance = NULL;
    berth_generate_pdors_options options;
    berth_generate_pdors_options_init(&options);
    options.machines = machines;
    options.jobs = jobs;
    options.slots = slots;
    options.seed = seed;
    options.heterogeneous = machines > 2;
    assert_ok(berth_generate_pdors(&options, &instance, &error), error);
    return instance;
}

berth_run *run_of(const berth_instance *instance, const char *policy, berth_bound bound) {
    berth_error error = {0};
    berth_run *run = NULL;
    berth_options options;
    berth_options_init(&options);
    options.policy = policy;
    options.bound = bound;
    options.threads = 1;
    assert_ok(berth_run_online(instance, &options, &run, NULL, &error), error);
    return run;
}

static berth_status draw(void *user, const berth_plot_script *script, const void **picture, size_t *length,
                         berth_error *error) {
    fake_renderer *fake = user;
    assert_true(script->length == strlen(script->text));
    *picture = fake->picture;
    *length = fake->length;
    if (++fake->calls == fake->fail_at) {
        *error = (berth_error){.status = BERTH_E_IO, .message = "cannot draw"};
        return BERTH_E_IO;
    }
    return BERTH_OK;
}

berth_renderer renderer_of(fake_renderer *fake) {
    return (berth_renderer){.user = fake, .draw = draw};
}
