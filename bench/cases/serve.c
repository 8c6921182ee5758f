/* berth serve under load: a server in a process of its own, clients that each submit a job, cancel it and go on, one
 * event of each under way. With a state directory, every batch of events is on the disk before it is answered. The
 * reference is as many submissions and cancellations by calls of the library. */
#define _XOPEN_SOURCE 700
#include "base/alloc.h"
#include "base/budget.h"
#include "base/sort.h"
#include "bench/cases/cases.h"
#include "bench/cases/loaded_cluster.h"

#include <berth_io.h>

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_CLIENTS = 64, EVENTS = 1920, REPLY_ROOM = 1 << 14 };

/* One worker for two slots, on the least of 16 machines. */
#define JOB_FIELDS                                                                                                     \
    "\"epochs\": 1, \"samples\": 7200, \"batch\": 4, \"max_workers\": 1, \"sample_seconds\": 1, \"gradient_mb\": 0, "  \
    "\"bandwidth_internal_mb_s\": 1, \"bandwidth_external_mb_s\": 1, \"worker\": {\"gpu\": 1}, \"ps\": null, "         \
    "\"utility\": {\"kind\": \"constant\", \"value\": 10}"
static const char instance_text[] =
    "{\"format\": \"berth-jobs-1\", \"name\": \"serve\", \"slot_seconds\": 3600, \"horizon_slots\": 24, "
    "\"resources\": [\"gpu\"], \"machines\": [{\"name\": \"m\", \"count\": 16, \"capacity\": {\"gpu\": 8}}], "
    "\"jobs\": [{\"id\": \"sample\", \"arrival_slot\": 0, " JOB_FIELDS "}]}";

typedef struct serve_size {
    int clients;
    bool kept;
} serve_size;

typedef struct serve_client {
    int fd;
    int left; /* events still to send */
    bool cancels;
    double sent_s;
    size_t length;
    char reply[REPLY_ROOM];
} serve_client;

typedef struct serve_state {
    const serve_size *size;
    berth_instance *instance;
    berth_backends *backends;
    berth_serve_options options;
    char folder[32], socket[64], kept[64];
    int stop;     /* write end */
    pid_t server; /* 0: none */
    serve_client *clients;
    double *latency_s; /* [EVENTS] of the last run */
    size_t n_latencies;
    double elapsed_s;
    berth_scheduler *reference;
} serve_state;

/* ---- the server ---- */

static void serve_until_stopped(const serve_state *state) {
    berth_error error = {0};
    signal(SIGPIPE, SIG_IGN);
    berth_status status = berth_serve(state->instance, &state->options, &error);
    if (status != BERTH_OK) {
        fprintf(stderr, "serve: %s\n", error.message);
    }
    _exit(status == BERTH_OK ? 0 : 1);
}

static bool start_server(serve_state *state) {
    int ends[2];
    if (pipe(ends) != 0) {
        return false;
    }
    state->options.stop = ends[0];
    state->stop = ends[1];
    state->server = fork();
    if (state->server == 0) {
        close(ends[1]);
        serve_until_stopped(state);
    }
    close(ends[0]);
    return state->server > 0;
}

static bool connect_client(const serve_state *state, serve_client *client) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", state->socket);
    client->fd = socket(AF_UNIX, SOCK_STREAM, 0);
    for (int tries = 0; client->fd >= 0; tries++) {
        if (connect(client->fd, (const struct sockaddr *)&address, sizeof address) == 0) {
            return true;
        }
        if (tries == 500) {
            break;
        }
        poll(NULL, 0, 10);
    }
    return false;
}

/* ---- the load ---- */

static bool send_next(serve_client *client, int number) {
    char line[512];
    int n = client->cancels ? snprintf(line, sizeof line, "{\"event\": \"cancel\", \"job\": \"c%d\"}\n", number)
                            : snprintf(line, sizeof line,
                                       "{\"event\": \"submit\", \"job\": {\"id\": \"c%d\", " JOB_FIELDS "}}\n", number);
    client->sent_s = berth__now_s();
    client->length = 0;
    client->cancels = !client->cancels;
    client->left--;
    return send(client->fd, line, (size_t)n, MSG_NOSIGNAL) == n;
}

/* Takes in what has come; true once the reply is whole, and right. */
static bool take_reply(serve_client *client, bool *failed) {
    ssize_t n = recv(client->fd, client->reply + client->length, REPLY_ROOM - client->length - 1, 0);
    if (n <= 0) {
        *failed = true;
        return false;
    }
    client->length += (size_t)n;
    client->reply[client->length] = '\0';
    bool whole = client->reply[client->length - 1] == '\n';
    *failed = *failed || (whole && strstr(client->reply, "\"error\"") != NULL) ||
              (!whole && client->length == REPLY_ROOM - 1);
    return whole && !*failed;
}

static bool run(void *data, bench_clock *clock) {
    (void)clock;
    serve_state *state = data;
    struct pollfd polls[MOST_CLIENTS];
    int n = state->size->clients, busy = n;
    bool failed = false;
    double begin = berth__now_s();
    state->n_latencies = 0;
    for (int c = 0; c < n; c++) {
        state->clients[c].left = EVENTS / n / 2 * 2;
        failed = failed || !send_next(&state->clients[c], c);
        polls[c] = (struct pollfd){.fd = state->clients[c].fd, .events = POLLIN};
    }
    while (busy > 0 && !failed) {
        failed = poll(polls, (nfds_t)n, 10000) <= 0 && errno != EINTR;
        for (int c = 0; c < n && !failed; c++) {
            serve_client *client = &state->clients[c];
            if (polls[c].revents == 0 || !take_reply(client, &failed)) {
                continue;
            }
            state->latency_s[state->n_latencies++] = berth__now_s() - client->sent_s;
            if (client->left > 0) {
                failed = !send_next(client, c);
            } else {
                polls[c].fd = -1;
                busy--;
            }
        }
    }
    state->elapsed_s = berth__now_s() - begin;
    return !failed;
}

/* ---- by calls ---- */

static bench_verdict setup_reference(void *data, char *note) {
    serve_state *state = data;
    berth_cluster cluster;
    berth_price_bounds bounds;
    berth_error error = {0};
    berth_instance_cluster(state->instance, &cluster);
    berth_status status =
        berth_instance_price_bounds(state->instance, state->options.scheduler.policy, &bounds, &error);
    if (status == BERTH_OK) {
        status = berth_scheduler_new(&cluster, &bounds, &state->options.scheduler, &state->reference, &error);
    }
    berth_price_bounds_clear(&bounds);
    snprintf(note, BENCH_NOTE, "%.150s", error.message);
    return status == BERTH_OK ? BENCH_DONE : BENCH_FAILED;
}

static bool run_reference(void *data, bench_clock *clock) {
    (void)clock;
    serve_state *state = data;
    for (int k = 0; k < EVENTS / 2; k++) {
        berth_decision *decision = NULL;
        if (berth_submit(state->reference, &state->instance->jobs[0], &decision, NULL) != BERTH_OK) {
            return false;
        }
        bool cancelled = berth_cancel(state->reference, decision->number, NULL) == BERTH_OK;
        berth_decision_free(decision);
        if (!cancelled) {
            return false;
        }
    }
    return true;
}

/* ---- the case ---- */

static void teardown(void *data) {
    serve_state *state = data;
    char command[96];
    for (int c = 0; c < state->size->clients && state->clients != NULL; c++) {
        if (state->clients[c].fd >= 0) {
            close(state->clients[c].fd);
        }
    }
    if (state->server > 0) {
        int status;
        close(state->stop);
        waitpid(state->server, &status, 0);
    }
    if (state->folder[0] != '\0') {
        snprintf(command, sizeof command, "rm -rf '%s'", state->folder);
        if (system(command) != 0) {
            fprintf(stderr, "cannot remove %s\n", state->folder);
        }
    }
    berth_scheduler_free(state->reference);
    berth_instance_free(state->instance);
    berth_backends_free(state->backends);
    berth__free(state->clients);
    berth__free(state->latency_s);
    berth__free(state);
}

static bool make_folder(serve_state *state) {
    snprintf(state->folder, sizeof state->folder, "/tmp/berth-bench-XXXXXX");
    if (mkdtemp(state->folder) == NULL) {
        state->folder[0] = '\0';
        return false;
    }
    snprintf(state->socket, sizeof state->socket, "%s/socket", state->folder);
    snprintf(state->kept, sizeof state->kept, "%s/state", state->folder);
    return true;
}

static bool open_all(serve_state *state) {
    bool open = state->clients != NULL && state->latency_s != NULL && make_folder(state) &&
                berth_instance_parse(instance_text, sizeof instance_text - 1, &state->instance, NULL) == BERTH_OK &&
                bench_backends_new(&state->backends) == BERTH_OK;
    berth_serve_options_init(&state->options);
    state->options.scheduler.policy = "pdors-ci";
    state->options.scheduler.backends = state->backends;
    state->options.socket = state->socket;
    state->options.state = state->size->kept ? state->kept : NULL;
    open = open && start_server(state);
    for (int c = 0; c < state->size->clients && open; c++) {
        open = connect_client(state, &state->clients[c]);
    }
    return open;
}

static bench_verdict setup(const bench_case *c, const bench_settings *settings, void **out, char *note) {
    serve_state *state = berth__calloc(1, sizeof *state);
    if (state == NULL) {
        snprintf(note, BENCH_NOTE, "out of memory");
        return BENCH_FAILED;
    }
    (void)settings; /* decisions are too small to share */
    state->size = c->size;
    state->clients = BERTH__NEW_ARRAY(serve_client, (size_t)state->size->clients);
    state->latency_s = BERTH__NEW_ARRAY(double, EVENTS);
    for (int k = 0; k < state->size->clients && state->clients != NULL; k++) {
        state->clients[k].fd = -1;
    }
    if (!open_all(state)) {
        snprintf(note, BENCH_NOTE, "cannot start a server in %s", state->folder);
        teardown(state);
        return BENCH_FAILED;
    }
    *out = state;
    return BENCH_DONE;
}

static void quality(void *data, bench_figures *out) {
    serve_state *state = data;
    berth__sort(state->latency_s, state->n_latencies);
    bench_add_figure(out, "events_per_s", "1", (double)state->n_latencies / state->elapsed_s);
    bench_add_figure(out, "latency_p50", "s", berth__quantile(state->latency_s, state->n_latencies, 0.5));
    bench_add_figure(out, "latency_p99", "s", berth__quantile(state->latency_s, state->n_latencies, 0.99));
}

#define SIZE(...)                                                                                                      \
    &(const serve_size) {                                                                                              \
        __VA_ARGS__                                                                                                    \
    }

static const bench_case cases[] = {
    {"serve/memory/c1", "1 client, no state; 1,920 events", SIZE(1, false), NULL, NULL, 0, true, false},
    {"serve/memory/c8", "8 clients", SIZE(8, false), NULL, NULL, 0, true, false},
    {"serve/memory/c64", "64 clients", SIZE(64, false), NULL, NULL, 0, true, false},
    {"serve/state/c1", "1 client, journal and snapshots in /tmp", SIZE(1, true), NULL, NULL, 0, true, false},
    {"serve/state/c8", "8 clients", SIZE(8, true), NULL, NULL, 0, true, false},
    {"serve/state/c64", "64 clients", SIZE(64, true), NULL, NULL, 0, true, false},
};

const bench_family bench_serve = {
    .about = "serve: submissions and cancellations by clients of a server; reference: by calls of the library",
    .n_cases = sizeof cases / sizeof *cases,
    .cases = cases,
    .setup = setup,
    .run = run,
    .setup_reference = setup_reference,
    .run_reference = run_reference,
    .quality = quality,
    .teardown = teardown,
};
