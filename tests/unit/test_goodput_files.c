/* Files of allocation: what is written reads back, what is wrong is told by its place. */
#include <berth_goodput.h>

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tests/support/check.h"
#include "tests/support/own_folder.h"

/* ---- instances ---- */

#define TIMES                                                                                                          \
    "{\"alpha_c\": 0.1, \"beta_c\": 0.01, \"alpha_n\": 0.2, \"beta_n\": 0.01, \"alpha_r\": 0.1, \"beta_r\": 0.01, "    \
    "\"gamma\": 1.5}"
#define BATCHES "\"m0\": 16, \"max_batch\": 256, \"min_local\": 2, \"max_local\": 32, \"grad_sqr\": 1, \"grad_var\": 20"
#define PROFILE                                                                                                        \
    "{\"alpha_c\": 0.1, \"beta_c\": 0.01, \"alpha_n\": 0.2, \"beta_n\": 0.01, \"alpha_r\": 0.1, \"beta_r\": 0.01, "    \
    "\"gamma\": 1.5, " BATCHES "}"

static const char plain[] =
    "{\"format\": \"berth-goodput-1\", \"name\": \"plain\", \"nodes\": [{\"name\": \"n\", \"count\": 3, \"gpus\": 4}, "
    "{\"name\": \"big\", \"gpus\": 8}], \"jobs\": [{\"id\": \"a\", \"age_s\": 60, \"restarts\": 1, \"current\": "
    "{\"n-2\": 1, \"n-0\": 2}, \"min_replicas\": 1, \"max_replicas\": 8, \"profile\": " TIMES ", " BATCHES
    "}, {\"id\": \"b\", \"options\": [{\"nodes\": 1, \"gpus\": 2, \"value\": 3.5}]}]}";

static const char typed[] =
    "{\"format\": \"berth-goodput-1\", \"rules\": \"sia\", \"gpu_types\": [\"v\", \"k\"], \"nodes\": [{\"name\": "
    "\"x\", "
    "\"gpus\": 4, \"gpu_type\": \"k\"}, {\"name\": \"y\", \"gpus\": 2, \"gpu_type\": \"v\"}], \"jobs\": [{\"id\": "
    "\"a\", \"profiles\": {\"v\": " PROFILE "}}, {\"id\": \"b\", \"options\": [{\"gpu_type\": \"k\", \"nodes\": 1, "
    "\"gpus\": 2, \"value\": 3.5}]}]}";

static berth_goodput_instance *parse(const char *text) {
    berth_error error;
    berth_goodput_instance *instance = NULL;
    assert_ok(berth_goodput_instance_parse(text, strlen(text), &instance, &error), error);
    return instance;
}

static void fields_are_where_they_belong(void **state) {
    (void)state;
    berth_goodput_instance *i = parse(plain);
    assert_int_equal(i->n_nodes, 4);
    assert_string_equal(i->node_names[2], "n-2");
    assert_string_equal(i->node_names[3], "big");
    assert_int_equal(i->gpus[2], 4);
    assert_int_equal(i->gpus[3], 8);
    assert_int_equal(i->n_types, 1);
    assert_null(i->type_names);
    assert_close(i->p, -1, 0);
    assert_close(i->restart_s, 30, 0);
    assert_int_equal(i->n_jobs, 2);
    const berth_goodput_job *a = &i->jobs[0], *b = &i->jobs[1];
    assert_int_equal(a->n_current, 2); /* by ascending node, not as the file has them */
    assert_int_equal(a->current[0].node, 0);
    assert_int_equal(a->current[0].gpus, 2);
    assert_int_equal(a->current[1].node, 2);
    assert_int_equal(a->restarts, 1);
    assert_int_equal(a->max_replicas, 8);
    assert_close(a->profile->gamma, 1.5, 0);
    assert_close(a->profile->max_batch, 256, 0);
    assert_true(a->profile->accumulation);
    assert_null(b->profile);
    assert_int_equal(b->n_options, 1);
    assert_close(b->options[0].value, 3.5, 0);
    berth_goodput_instance_free(i);
    i = parse(typed);
    assert_int_equal(i->rules, BERTH_RULES_SIA);
    assert_close(i->p, -0.5, 0);
    assert_int_equal(i->n_types, 2);
    assert_int_equal(i->gpu_type[0], 1);
    assert_int_equal(i->gpu_type[1], 0);
    assert_close(i->jobs[0].typed[0].gamma, 1.5, 0);
    assert_true(i->jobs[0].typed[1].alpha_c + i->jobs[0].typed[1].beta_c <= 0);
    assert_int_equal(i->jobs[1].options[0].gpu_type, 1);
    berth_goodput_instance_free(i);
}

/* Written, read and written again: the same bytes and checksum. */
static void expect_round_trip(const berth_goodput_instance *instance) {
    berth_error error;
    berth_goodput_instance *again = NULL;
    assert_ok(berth_goodput_instance_write(instance, path_of("1.json"), &error), error);
    expect_schema("berth-goodput-1", "1.json");
    assert_ok(berth_goodput_instance_read(path_of("1.json"), &again, &error), error);
    assert_true(again->crc32 == instance->crc32);
    assert_ok(berth_goodput_instance_write(again, path_of("2.json"), &error), error);
    char *first = get_file("1.json"), *second = get_file("2.json");
    assert_string_equal(first, second);
    berth__free(first);
    berth__free(second);
    berth_goodput_instance_free(again);
}

static void instances_read_back(void **state) {
    (void)state;
    berth_goodput_instance *instance = parse(plain);
    expect_round_trip(instance);
    berth_goodput_instance_free(instance);
    instance = parse(typed);
    expect_round_trip(instance);
    berth_goodput_instance_free(instance);
    for (uint64_t seed = 1; seed <= 30; seed++) {
        berth_error error;
        berth_generate_goodput_options options;
        berth_generate_goodput_options_init(&options);
        options.seed = seed;
        options.nodes = 1 + seed % 13;
        options.gpus = 1 + (uint32_t)(seed % 9);
        options.types = 1 + seed % (options.nodes < 4 ? options.nodes : 4);
        options.jobs = seed % 3 == 0 ? 0 : seed;
        options.pinned = 0.3;
        assert_ok(berth_generate_goodput(&options, &instance, &error), error);
        expect_round_trip(instance);
        berth_goodput_instance_free(instance);
    }
}

/* Groups "name-0", "name-1", ... come together again, whatever they were in the file. */
static void equal_nodes_are_written_as_a_group(void **state) {
    (void)state;
    berth_error error;
    berth_goodput_instance *instance =
        parse("{\"format\": \"berth-goodput-1\", \"nodes\": [{\"name\": \"a-0\", \"gpus\": 4}, {\"name\": \"a-1\", "
              "\"gpus\": 4}, {\"name\": \"a-2\", \"gpus\": 2}, {\"name\": \"b-0\", \"gpus\": 2}, {\"name\": \"-0\", "
              "\"gpus\": 2}, {\"name\": \"-1\", \"gpus\": 2}], \"jobs\": []}");
    expect_round_trip(instance);
    assert_ok(berth_goodput_instance_write(instance, path_of("g.json"), &error), error);
    char *text = get_file("g.json");
    assert_non_null(strstr(text, "{ \"name\": \"a\", \"count\": 2, \"gpus\": 4 }"));
    assert_non_null(strstr(text, "{ \"name\": \"a-2\", \"gpus\": 2 }"));
    assert_non_null(strstr(text, "{ \"name\": \"b-0\", \"gpus\": 2 }"));
    assert_non_null(strstr(text, "{ \"name\": \"-0\", \"gpus\": 2 }"));
    berth__free(text);
    berth_goodput_instance_free(instance);
}

/* An instance that a program made, without names. */
static void names_are_made_where_there_are_none(void **state) {
    (void)state;
    berth_error error;
    berth_goodput_profile profile;
    berth_goodput_instance made, *read = NULL;
    berth_goodput_job job;
    const uint32_t gpus[] = {4, 4, 2};
    const size_t type[] = {1, 1, 0};
    const berth_node_gpus current[] = {{.node = 0, .gpus = 3}};
    berth_goodput_profile_init(&profile);
    profile.alpha_c = 1;
    berth_goodput_job_init(&job);
    job.profile = &profile;
    job.n_current = 1;
    job.current = current;
    job.pinned = true;
    berth_goodput_instance_init(&made);
    made.n_nodes = 3;
    made.gpus = gpus;
    made.gpu_type = type;
    made.n_types = 2;
    made.n_jobs = 1;
    made.jobs = &job;
    assert_ok(berth_goodput_instance_write(&made, path_of("m.json"), &error), error);
    assert_ok(berth_goodput_instance_read(path_of("m.json"), &read, &error), error);
    assert_string_equal(read->node_names[1], "node-1");
    assert_string_equal(read->type_names[1], "type-1");
    assert_string_equal(read->jobs[0].id, "job-0");
    assert_int_equal(read->gpu_type[2], 0);
    assert_int_equal(read->jobs[0].current[0].gpus, 3);
    assert_true(read->jobs[0].pinned);
    berth_goodput_instance_free(read);
}

/* `from` in a good text becomes `to`; the error is at `where` and says `part`. */
typedef struct damage {
    const char *from, *to, *where, *part;
} damage;

static void expect_refused(const char *text, const damage *d) {
    char broken[4096];
    berth_error error = {0};
    berth_goodput_instance *instance = NULL;
    const char *at = strstr(text, d->from);
    assert_non_null(at);
    snprintf(broken, sizeof broken, "%.*s%s%s", (int)(at - text), text, d->to, at + strlen(d->from));
    const berth_status status = berth_goodput_instance_parse(broken, strlen(broken), &instance, &error);
    if (status != BERTH_E_INPUT || instance != NULL || strcmp(error.where, d->where) != 0 ||
        strstr(error.message, d->part) == NULL) {
        fail_msg("%s -> %s: status %d at \"%s\": %s", d->from, d->to, (int)status, error.where, error.message);
    }
}

static void wrong_instances_are_refused(void **state) {
    (void)state;
    static const damage of_plain[] = {
        {"berth-goodput-1", "berth-goodput-2", "/format", "berth-goodput-2"},
        {"\"nodes\": [{\"name\"", "\"nodes\": [{\"names\"", "/nodes/0/names", "did you mean \"name\""},
        {"\"name\": \"plain\"", "\"names\": \"plain\"", "/names", "did you mean \"name\""},
        {"\"name\": \"plain\"", "\"p\": 65", "/p", "from -64 to 64"},
        {"\"name\": \"plain\"", "\"fair\": \"fare\"", "/fair", "node, spread"},
        {"\"name\": \"plain\"", "\"rules\": \"gavel\"", "/rules", "pollux, sia"},
        {"\"name\": \"plain\"", "\"rules\": \"sia\", \"p\": 0", "/p", "must be negative"},
        {"\"name\": \"plain\"", "\"restart_s\": -1", "/restart_s", "from 0"},
        {"\"name\": \"plain\"", "\"gpu_types\": []", "/gpu_types", "at least one"},
        {"\"name\": \"plain\"", "\"gpu_types\": [\"t\", \"t\"]", "/gpu_types/1", "named twice"},
        {"\"name\": \"plain\"", "\"gpu_types\": [\"t\"]", "/nodes/0/gpu_type", "missing"},
        {"\"count\": 3", "\"count\": 0", "/nodes/0/count", "from 1"},
        {"\"count\": 3", "\"count\": 1000001", "/nodes/0/count", "from 1"},
        {"\"gpus\": 4}", "\"gpus\": -1}", "/nodes/0/gpus", "from 0 to 65536"},
        {"\"gpus\": 4}", "\"gpus\": 4, \"gpu_type\": \"t\"}", "/nodes/1/gpu_type", "missing"},
        {"\"gpus\": 8}", "\"gpus\": 8, \"gpu_type\": \"t\"}", "/nodes/1/gpu_type", "have no type"},
        {"\"name\": \"big\"", "\"name\": \"n-1\"", "/nodes/1/name", "second node"},
        {"\"id\": \"b\"", "\"id\": \"a\"", "/jobs/1/id", "the first is /jobs/0"},
        {"\"id\": \"b\", ", "", "/jobs/1/id", "missing"},
        {"\"id\": \"b\"", "\"id\": \"\"", "/jobs/1/id", "empty"},
        {"\"age_s\": 60", "\"age_s\": -60", "/jobs/0/age_s", "from 0"},
        {"\"age_s\": 60", "\"ages_s\": 60", "/jobs/0/ages_s", "did you mean \"age_s\""},
        {"\"restarts\": 1", "\"restarts\": 1.5", "/jobs/0/restarts", "expected an integer"},
        {"\"n-2\": 1", "\"n-3\": 1", "/jobs/0/current/n-3", "no node 'n-3'"},
        {"\"n-2\": 1", "\"n-2\": 0", "/jobs/0/current/n-2", "from 1"},
        {"\"n-2\": 1", "\"n-2\": 5", "/jobs/0/current/n-2", "has 4"},
        {"\"min_replicas\": 1", "\"min_replicas\": 9", "/jobs/0/max_replicas", "below min_replicas"},
        {"\"max_replicas\": 8", "\"max_replicas\": 5000", "/jobs/0/max_replicas", "from 0 to 4096"},
        {"\"gamma\": 1.5", "\"gamma\": 11", "/jobs/0/profile/gamma", "[1, 10]"},
        {"\"gamma\": 1.5", "\"gamma\": 1.5, \"gammas\": 2", "/jobs/0/profile/gammas", "did you mean \"gamma\""},
        {"\"alpha_c\": 0.1", "\"alpha_c\": \"x\"", "/jobs/0/profile/alpha_c", "expected a number"},
        {"\"max_batch\": 256", "\"max_batch\": 8", "/jobs/0/max_batch", "16"},
        {"\"grad_var\": 20", "\"grad_var\": -20", "/jobs/0/grad_var", "-20"},
        {", \"grad_var\": 20", "", "/jobs/0/grad_var", "missing"},
        {"\"options\": [", "\"optionen\": [", "/jobs/1", "one of profile, profiles and options"},
        {"\"options\": [", "\"profile\": " TIMES ", \"options\": [", "/jobs/1", "one of profile"},
        {"\"options\": [", "\"m0\": 1, \"options\": [", "/jobs/1/m0", "unknown field"},
        {"{\"nodes\": 1, \"gpus\": 2, \"value\": 3.5}", "", "/jobs/1/options", "from 1 to"},
        {"\"nodes\": 1, \"gpus\": 2", "\"nodes\": 3, \"gpus\": 2", "/jobs/1/options/0/gpus", "2 GPUs on 3 nodes"},
        {"\"nodes\": 1, \"gpus\": 2", "\"nodes\": 17, \"gpus\": 20", "/jobs/1/options/0/nodes", "from 1 to 16"},
        {"\"value\": 3.5", "\"value\": 0", "/jobs/1/options/0/value", "from 1e-09"},
        {"\"value\": 3.5}", "\"value\": 3.5}, {\"nodes\": 1, \"gpus\": 2, \"value\": 4}", "/jobs/1/options/1",
         "as option 0"},
        {"{\"nodes\": 1", "{\"gpu_type\": \"t\", \"nodes\": 1", "/jobs/1/options/0/gpu_type", "no GPU types"},
    };
    static const damage of_typed[] = {
        {"\"gpu_type\": \"k\"}", "\"gpu_type\": \"m\"}", "/nodes/0/gpu_type", "not one of gpu_types"},
        {"{\"v\": {", "{\"w\": {", "/jobs/0/profiles/w", "no GPU type 'w'"},
        {"\"max_local\": 32", "\"max_local\": 1", "/jobs/0/profiles/v/max_local", "1"},
        {"{\"gpu_type\": \"k\", \"nodes\"", "{\"nodes\"", "/jobs/1/options/0/gpu_type", "missing"},
        {"{\"gpu_type\": \"k\", \"nodes\"", "{\"gpu_type\": \"m\", \"nodes\"", "/jobs/1/options/0/gpu_type",
         "no GPU type 'm'"},
        {"\"id\": \"b\"", "\"id\": \"b\", \"current\": {\"x\": 1, \"y\": 1}", "/jobs/1/current", "two types"},
        {"\"rules\": \"sia\"", "\"rules\": \"sia\", \"lambda_none\": 0", "/lambda_none", "from 1e-09"},
    };
    for (size_t k = 0; k < sizeof of_plain / sizeof *of_plain; k++) {
        expect_refused(plain, &of_plain[k]);
    }
    for (size_t k = 0; k < sizeof of_typed / sizeof *of_typed; k++) {
        expect_refused(typed, &of_typed[k]);
    }
}

/* Thousands of nodes and jobs: by tables of names, not by search (with which this would take minutes). */
static void large_instances_are_read_at_once(void **state) {
    (void)state;
    berth_error error;
    berth_goodput_instance *instance = NULL, *read = NULL;
    berth_generate_goodput_options options;
    berth_generate_goodput_options_init(&options);
    options.nodes = 1500;
    options.types = 3;
    options.warm = 1;
    assert_ok(berth_generate_goodput(&options, &instance, &error), error);
    assert_int_equal(instance->n_jobs, 3750);
    assert_ok(berth_goodput_instance_write(instance, path_of("l.json"), &error), error);
    assert_ok(berth_goodput_instance_read(path_of("l.json"), &read, &error), error);
    assert_true(read->crc32 == instance->crc32);
    berth_goodput_instance_free(read);
    berth_goodput_instance_free(instance);
}

/* ---- what is generated ---- */

static void generated_instances_hold_what_they_promise(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        berth_error error;
        berth_goodput_instance *i = NULL;
        berth_generate_goodput_options options;
        uint32_t used[64] = {0};
        int spread[64] = {0};
        berth_generate_goodput_options_init(&options);
        options.seed = seed;
        options.nodes = 4 + seed % 60;
        options.types = 1 + seed % 4;
        options.warm = 0.8;
        options.pinned = 0.5;
        assert_ok(berth_generate_goodput(&options, &i, &error), error);
        size_t warm = 0, pinned = 0;
        for (size_t j = 0; j < i->n_jobs; j++) {
            const berth_goodput_job *job = &i->jobs[j];
            uint32_t held = 0;
            for (size_t k = 0; k < job->n_current; k++) {
                used[job->current[k].node] += job->current[k].gpus;
                spread[job->current[k].node] += job->n_current > 1;
                held += job->current[k].gpus;
            }
            assert_true(held <= job->max_replicas && job->n_current <= 16);
            warm += held > 0;
            pinned += job->pinned;
        }
        for (size_t n = 0; n < i->n_nodes; n++) {
            assert_true(used[n] <= i->gpus[n] && spread[n] <= 1);
        }
        assert_true(warm > 0 && pinned <= warm);
        berth_goodput_instance_free(i);
    }
}

static void generator_options_are_checked(void **state) {
    (void)state;
    berth_error error;
    berth_goodput_instance *instance = NULL;
    berth_generate_goodput_options options;
    berth_generate_goodput_options_init(&options);
    options.types = 9;
    assert_int_equal(berth_generate_goodput(&options, &instance, &error), BERTH_E_ARGUMENT);
    assert_string_equal(error.where, "types");
    options.types = 1;
    options.warm = (double)NAN;
    assert_int_equal(berth_generate_goodput(&options, &instance, &error), BERTH_E_ARGUMENT);
    assert_string_equal(error.where, "warm");
    assert_null(instance);
}

/* ---- allocations ---- */

static void allocations_read_back(void **state) {
    (void)state;
    berth_error error;
    berth_goodput_instance *instance = parse(typed);
    const berth_node_gpus nodes[] = {{.node = 1, .gpus = 2}};
    const berth_allocated_job jobs[] = {
        {.n_nodes = 1, .nodes = nodes, .replicas = 2, .local = 7, .accumulation = 1, .goodput = 3.25, .speedup = 1.5},
        {.kept = false}};
    const double prices[] = {0.5, 0}, serve[] = {0.25, 1};
    const double local[] = {0.5, 1, 0, 0, 0.25, 0.5, 1.5, 2}, spread[] = {0, 0.5, 0, 0, 0.125, 1, 1, 1};
    const berth_allocation made = {.outcome = BERTH_FEASIBLE,
                                   .n_jobs = 2,
                                   .jobs = jobs,
                                   .fitness = 0.3,
                                   .bound = 0.4,
                                   .search_bound = (double)NAN,
                                   .ratio = 0.4 / 0.3,
                                   .starved = 1,
                                   .prices = prices,
                                   .serve_prices = serve,
                                   .starve_price = 2,
                                   .n_types = 2,
                                   .allocator = BERTH_ALLOCATOR_GAVEL_MAXSUM,
                                   .mode = BERTH_BATCH_EXACT,
                                   .p = -0.5,
                                   .seed = UINT64_MAX,
                                   .starve_last = true,
                                   .n_sizes = 4,
                                   .local_prices = local,
                                   .spread_prices = spread};
    berth_allocation *read = NULL;
    assert_ok(berth_allocation_write(&made, instance, path_of("a.json"), &error), error);
    expect_schema("berth-allocation-1", "a.json");
    assert_ok(berth_allocation_read(path_of("a.json"), instance, &read, &error), error);
    assert_int_equal(read->allocator, BERTH_ALLOCATOR_GAVEL_MAXSUM);
    assert_int_equal(read->mode, BERTH_BATCH_EXACT);
    assert_true(read->seed == UINT64_MAX && read->starve_last && !read->stopped);
    assert_close(read->ratio, 0.4 / 0.3, 0);
    assert_true(isnan(read->search_bound));
    assert_close(read->serve_prices[1], 1, 0);
    assert_close(read->starve_price, 2, 0);
    assert_int_equal(read->n_sizes, 4);
    assert_memory_equal(read->local_prices, local, sizeof local);
    assert_memory_equal(read->spread_prices, spread, sizeof spread);
    assert_int_equal(read->jobs[0].nodes[0].node, 1);
    assert_int_equal(read->jobs[0].local, 7);
    assert_int_equal(read->jobs[1].n_nodes, 0);
    assert_ok(berth_allocation_write(read, instance, path_of("b.json"), &error), error);
    char *first = get_file("a.json"), *second = get_file("b.json");
    assert_string_equal(first, second);
    berth__free(first);
    berth__free(second);
    berth_allocation_free(read);
    berth_goodput_instance_free(instance);
}

#define ALLOCATION                                                                                                     \
    "{\"format\": \"berth-allocation-1\", \"allocator\": \"berth\", \"mode\": \"grid\", \"p\": -1, \"seed\": 1, "      \
    "\"outcome\": \"FEASIBLE\", \"starved\": 1, \"starved_bound\": 0, \"jobs\": [{\"id\": \"b\", \"nodes\": {}, "      \
    "\"replicas\": 0, \"m\": 0, \"s\": 0, \"kept\": false}, {\"id\": \"a\", \"nodes\": {\"big\": 2}, \"replicas\": "   \
    "2, "                                                                                                              \
    "\"m\": 8, \"s\": 0, \"kept\": false}]}"

static void wrong_allocations_are_refused(void **state) {
    (void)state;
    static const damage bad[] = {
        {"\"allocator\": \"berth\"", "\"allocator\": \"best\"", "/allocator", "expected one of berth, genetic"},
        {"\"mode\": \"grid\"", "\"mode\": 1", "/mode", "a string"},
        {"\"p\": -1, ", "", "/p", "missing"},
        {"FEASIBLE", "GOOD", "/outcome", "OPTIMAL"},
        {"\"starved\": 1", "\"starved\": -1", "/starved", "negative"},
        {"\"id\": \"b\"", "\"id\": \"c\"", "/jobs/0/id", "no job 'c'"},
        {"\"id\": \"b\"", "\"id\": \"a\"", "/jobs/1/id", "twice"},
        {"{\"big\": 2}", "{\"small\": 2}", "/jobs/1/nodes/small", "no node"},
        {"{\"big\": 2}", "{\"big\": 0}", "/jobs/1/nodes/big", "from 1"},
        {"\"seed\": 1", "\"seed\": 1, \"prices\": {\"t\": 1}", "/prices/t", "no GPU type"},
        {"\"seed\": 1", "\"seed\": 1, \"prices\": {\"type-0\": null}", "/prices/type-0", "a number"},
        {"\"seed\": 1", "\"seed\": 1, \"piece_prices\": {\"t\": 1}", "/piece_prices/t", "no GPU type"},
        {"\"seed\": 1", "\"seed\": 1, \"piece_prices\": {\"type-0\": 1}", "/piece_prices/type-0", "an object"},
        {"\"seed\": 1", "\"seed\": 1, \"piece_prices\": {\"type-0\": {\"local\": [1, 2]}}",
         "/piece_prices/type-0/local", "up to the type's largest node's, 8"},
        {"\"seed\": 1", "\"seed\": 1, \"piece_prices\": {\"type-0\": {\"local\": [1, 2, 3, 4, 5, 6, 7, 8]}}",
         "/piece_prices/type-0/spread", "missing"},
        {"\"seed\": 1", "\"seed\": 1, \"piece_prices\": {\"type-0\": {\"local\": [1, 2, 3, 4, 5, 6, 7, true]}}",
         "/piece_prices/type-0/local/7", "a number"},
        {"\"seed\": 1", "\"seed\": 1, \"instance\": \"other\"", "/instance", "not to \"plain\""},
        {"\"seed\": 1", "\"seed\": 1, \"instance_crc32\": \"00000001\"", "/instance_crc32", "another state"},
        {"\"s\": 0, \"kept\": false}]", "\"s\": 0, \"kept\": false}, {}]", "/jobs", "3 jobs"},
    };
    berth_error error;
    berth_allocation *allocation = NULL;
    berth_goodput_instance *instance = parse(plain);
    put_file("good.json", ALLOCATION);
    assert_ok(berth_allocation_read(path_of("good.json"), instance, &allocation, &error), error);
    assert_int_equal(allocation->jobs[0].replicas, 2); /* jobs in the instance's order */
    assert_true(isnan(allocation->fitness) && allocation->prices == NULL);
    berth_allocation_free(allocation);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        char broken[4096];
        const char *at = strstr(ALLOCATION, bad[k].from);
        assert_non_null(at);
        snprintf(broken, sizeof broken, "%.*s%s%s", (int)(at - ALLOCATION), ALLOCATION, bad[k].to,
                 at + strlen(bad[k].from));
        put_file("bad.json", broken);
        const berth_status status = berth_allocation_read(path_of("bad.json"), instance, &allocation, &error);
        if ((status != BERTH_E_INPUT && status != BERTH_E_MISMATCH) || allocation != NULL ||
            strcmp(error.where, bad[k].where) != 0 || strstr(error.message, bad[k].part) == NULL) {
            fail_msg("%s: status %d at \"%s\": %s", bad[k].to, (int)status, error.where, error.message);
        }
    }
    berth_goodput_instance_free(instance);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_are_where_they_belong),
        cmocka_unit_test(instances_read_back),
        cmocka_unit_test(equal_nodes_are_written_as_a_group),
        cmocka_unit_test(names_are_made_where_there_are_none),
        cmocka_unit_test(wrong_instances_are_refused),
        cmocka_unit_test(large_instances_are_read_at_once),
        cmocka_unit_test(generated_instances_hold_what_they_promise),
        cmocka_unit_test(generator_options_are_checked),
        cmocka_unit_test(allocations_read_back),
        cmocka_unit_test(wrong_allocations_are_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
