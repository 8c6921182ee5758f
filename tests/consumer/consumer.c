/* A program outside the tree: built through pkg-config against an installed berth, as C and as C++. */
#include <berth.h>
#include <berth_io.h>

#include <stdio.h>

static const char instance_text[] =
    "{\"format\": \"berth-jobs-1\", \"name\": \"consumer\", \"slot_seconds\": 600, \"horizon_slots\": 4,"
    " \"resources\": [\"gpu\"], \"machines\": [{\"name\": \"m\", \"count\": 2, \"capacity\": {\"gpu\": 4}}],"
    " \"jobs\": [{\"id\": \"j\", \"arrival_slot\": 0, \"epochs\": 1, \"samples\": 1000, \"batch\": 8, \"max_workers\": "
    "4,"
    " \"sample_seconds\": 0.01, \"gradient_mb\": 1, \"bandwidth_internal_mb_s\": 1000, \"bandwidth_external_mb_s\": "
    "100,"
    " \"workers_per_ps\": 1, \"worker\": {\"gpu\": 1}, \"ps\": null, \"utility\": {\"kind\": \"constant\", \"value\": "
    "5}}]}";

static berth_status decide(const berth_instance *instance, const berth_options *options, berth_error *error) {
    berth_run *run = NULL;
    berth_status status = berth_run_online(instance, options, &run, NULL, error);
    if (status == BERTH_OK) {
        printf("berth %s: %d of %d jobs completed, utility %g\n", berth_version(), (int)run->summary.completed,
               (int)run->summary.jobs, run->utility);
        status = run->summary.completed == 1 ? BERTH_OK : BERTH_E_INTERNAL;
    }
    berth_run_free(run);
    return status;
}

int main(void) {
    berth_error error;
    berth_options options;
    berth_backends *backends = NULL;
    berth_instance *instance = NULL;
    error.message[0] = '\0';
    berth_options_init(&options);
    berth_status status = berth_backends_new(&backends);
#ifdef CONSUMER_GLPK
    if (status == BERTH_OK) {
        status = berth_add_backend(backends, berth_glpk_backend());
        options.solver = "glpk";
    }
#endif
    options.backends = backends;
    if (status == BERTH_OK) {
        status = berth_instance_parse(instance_text, sizeof instance_text - 1, &instance, &error);
    }
    if (status == BERTH_OK) {
        status = decide(instance, &options, &error);
    }
    if (status != BERTH_OK) {
        fprintf(stderr, "consumer: %s %s\n", berth_status_text(status), error.message);
    }
    berth_instance_free(instance);
    berth_backends_free(backends);
    return status == BERTH_OK ? 0 : 1;
}
