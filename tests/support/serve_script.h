/* A long conversation with berth serve, the same for the same seed. */
#ifndef BERTH_TESTS_SERVE_SCRIPT_H
#define BERTH_TESTS_SERVE_SCRIPT_H

#include <stddef.h>
#include <stdint.h>

typedef struct serve_script {
    size_t n;
    char **lines; /* without line breaks; free with serve_script_free */
} serve_script;

/* n events that change something, with keys "k0", "k1", ..., over the quickstart instance (from the top folder): jobs
 * come, alone, together and as proposals, end early and are called off, time goes on, machines fail and come back. One
 * in ten names a job or a machine that is not there. */
serve_script serve_script_new(size_t n, uint64_t seed);
void serve_script_free(serve_script *script);

/* The reply but for what depends on when it is asked: "repeated". In a static buffer. */
const char *serve_reply_body(const char *reply);

#endif
