#define _POSIX_C_SOURCE 200809L
#include "tests/support/serve_script.h"

#include "base/pcg.h"
#include "tests/support/check.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static const char instance_file[] = "instances/quickstart.json";

typedef struct scripting {
    berth__pcg random;
    json_t *jobs; /* of the instance */
    size_t n_named;
    int slot, horizon, n_machines;
} scripting;

static int below(scripting *s, int n) {
    return (int)(berth__pcg_uniform(&s->random) * n);
}

/* A job like one of the instance's, named anew, of a seventh of its work and at times worth little, that arrives when
 * it is told of. */
static json_t *new_job(scripting *s) {
    json_t *job = json_deep_copy(json_array_get(s->jobs, (size_t)below(s, (int)json_array_size(s->jobs))));
    char id[32];
    snprintf(id, sizeof id, "n%zu", s->n_named++);
    json_object_set_new(job, "id", json_string(id));
    json_object_set_new(job, "samples", json_real(json_number_value(json_object_get(job, "samples")) / 7));
    json_object_del(job, "arrival_slot");
    if (below(s, 6) == 0) { /* hardly worth it */
        json_object_set_new(job, "utility", json_pack("{s:s,s:f}", "kind", "constant", "value", 1e-6));
    }
    return job;
}

static json_t *some_jobs(scripting *s) {
    json_t *list = json_array();
    for (int k = 1 + below(s, 3); k > 0; k--) {
        json_array_append_new(list, new_job(s));
    }
    return list;
}

/* One of the last dozen, or nobody. */
static json_t *some_name(scripting *s) {
    char id[32] = "nobody";
    if (s->n_named > 0 && below(s, 10) > 0) {
        int back = below(s, s->n_named < 12 ? (int)s->n_named : 12);
        snprintf(id, sizeof id, "n%zu", s->n_named - 1 - (size_t)back);
    }
    return json_string(id);
}

static json_t *some_machine(scripting *s) {
    char name[32];
    snprintf(name, sizeof name, "node-%d", below(s, s->n_machines + 1));
    return json_string(name);
}

static json_t *some_capacity(scripting *s) {
    return json_pack("{s:i,s:i,s:i}", "gpu", 2 + below(s, 7), "cpu", 64, "memory_gb", 512);
}

static json_t *new_event(scripting *s) {
    int kind = below(s, 20);
    if (kind < 7) {
        return json_pack("{s:s,s:o}", "event", "submit", "job", new_job(s));
    }
    if (kind < 9) {
        return json_pack("{s:s,s:o}", "event", kind == 7 ? "submit" : "gang", "jobs", some_jobs(s));
    }
    if (kind < 11) {
        return json_pack("{s:s,s:o}", "event", "propose", "job", new_job(s));
    }
    if (kind < 13) {
        static const char *const acts[] = {"commit", "abandon", "finish", "cancel"};
        const char *act = acts[below(s, 4)];
        return json_pack("{s:s,s:o}", "event", act, "job", some_name(s));
    }
    if (kind == 13) {
        json_t *name = some_name(s);
        double samples = below(s, 3) == 0 ? 1e12 : 1e5;
        return json_pack("{s:s,s:o,s:f}", "event", "left", "job", name, "samples",
                         samples * (1 + berth__pcg_uniform(&s->random)));
    }
    if (kind < 16 && s->slot + 1 < s->horizon) {
        return json_pack("{s:s,s:i}", "event", "advance", "slot", ++s->slot);
    }
    if (kind < 18) {
        static const char *const acts[] = {"fail", "drain", "return", "return"};
        const char *act = acts[below(s, 4)];
        return json_pack("{s:s,s:o}", "event", act, "machine", some_machine(s));
    }
    if (kind == 18) {
        char name[32];
        snprintf(name, sizeof name, "more-%d", below(s, 4));
        return json_pack("{s:s,s:s,s:o}", "event", "add-machine", "machine", name, "capacity", some_capacity(s));
    }
    json_t *machine = some_machine(s);
    return json_pack("{s:s,s:o,s:o}", "event", "resize", "machine", machine, "capacity", some_capacity(s));
}

serve_script serve_script_new(size_t n, uint64_t seed) {
    serve_script script = {.n = n, .lines = calloc(n, sizeof(char *))};
    json_t *instance = json_load_file(instance_file, 0, NULL);
    const uint64_t key[] = {seed, 411};
    assert_non_null(instance);
    assert_non_null(script.lines);
    scripting s = {.random = berth__pcg_key(2, key),
                   .jobs = json_object_get(instance, "jobs"),
                   .horizon = (int)json_integer_value(json_object_get(instance, "horizon_slots")),
                   .n_machines = 8};
    for (size_t k = 0; k < n; k++) {
        char name[32];
        json_t *event = new_event(&s);
        assert_non_null(event);
        snprintf(name, sizeof name, "k%zu", k);
        json_object_set_new(event, "key", json_string(name));
        script.lines[k] = json_dumps(event, JSON_COMPACT);
        assert_non_null(script.lines[k]);
        json_decref(event);
    }
    json_decref(instance);
    return script;
}

void serve_script_free(serve_script *script) {
    for (size_t k = 0; k < script->n; k++) {
        free(script->lines[k]);
    }
    free(script->lines);
    *script = (serve_script){0};
}

const char *serve_reply_body(const char *reply) {
    static char body[1 << 18];
    static const char mark[] = "\"repeated\": true, ";
    const char *at = strstr(reply, mark);
    size_t before = at == NULL ? strlen(reply) : (size_t)(at - reply);
    snprintf(body, sizeof body, "%.*s%s", (int)before, reply, at == NULL ? "" : at + strlen(mark));
    return body;
}
