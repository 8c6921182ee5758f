/* Clients of a service: one on a pair of descriptors, or many on a Unix socket, in one loop around poll. What clients
 * have sent by the time that the service is free makes its next batch. */
#define _XOPEN_SOURCE 700
#include "base/alloc.h"
#include "base/error.h"
#include "service/buffer.h"
#include "service/service.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum {
    READ_ROOM = 1 << 16,   /* bytes taken from a client at a time */
    MOST_UNREAD = 1 << 20, /* bytes of replies with which a client is not read from */
    LAST_SECONDS = 5,      /* for clients to read their last replies */
    PAUSE_MS = 1000        /* without accepting, if descriptors have run out */
};

typedef struct client {
    int in, out;
    bool socket;
    berth__buffer input, output;
    size_t taken;    /* bytes of input that the batch has */
    size_t searched; /* bytes of input behind them without a line break */
    bool skipping;   /* in a line that is too long */
    bool ended;      /* no more input will come */
    bool gone;       /* nobody is there any more */
} client;

/* A line of the batch. */
typedef struct entry {
    client *from;
    bool too_long;
} entry;

typedef struct server {
    berth__service *service;
    const berth_serve_options *options;
    int listener;
    struct stat socket; /* of our socket's file */
    size_t n_clients, clients_capacity;
    client **clients;
    size_t turn; /* whose lines are taken first */
    size_t polls_capacity;
    struct pollfd *polls; /* stop, listener, then input and output of each client */
    size_t n_entries, n_requests;
    entry *entries;           /* [max_queue] */
    berth__request *requests; /* [max_queue] */
    bool ending, paused;
    time_t deadline; /* of the ending */
} server;

/* ---- clients ---- */

static void free_client(client *c) {
    if (c->socket) {
        close(c->in);
    }
    berth__buffer_free(&c->input);
    berth__buffer_free(&c->output);
    berth__free(c);
}

/* On failure the descriptors stay the caller's. */
static berth_status add_client(server *s, int in, int out, bool socket, berth_error *error) {
    void *clients = s->clients;
    client *c = berth__calloc(1, sizeof *c);
    if (c == NULL || !berth__grow(&clients, &s->clients_capacity, s->n_clients, sizeof *s->clients)) {
        berth__free(c);
        return berth__fail_memory(error);
    }
    *c = (client){.in = in, .out = out, .socket = socket};
    s->clients = clients;
    s->clients[s->n_clients++] = c;
    return BERTH_OK;
}

static size_t unread(const client *c) {
    return c->output.length;
}

static bool has_line(const client *c) {
    return c->input.length > c->searched || (c->ended && c->input.length > 0);
}

/* Writes what the client takes without making us wait. A reader that has left is no error, but replies that a full disk
 * does not take are, when there is nobody else to tell. */
static berth_status write_some(client *c, berth_error *error) {
    size_t done = 0;
    while (done < c->output.length && !c->gone) {
        ssize_t n;
        if (c->socket) {
            n = send(c->out, c->output.bytes + done, c->output.length - done, MSG_NOSIGNAL | MSG_DONTWAIT);
        } else {
            struct pollfd ready = {.fd = c->out, .events = POLLOUT};
            size_t left = c->output.length - done;
            if (poll(&ready, 1, 0) <= 0) {
                break;
            }
            n = write(c->out, c->output.bytes + done, left < PIPE_BUF ? left : PIPE_BUF);
        }
        if (n < 0 && errno != EINTR) {
            c->gone = errno != EAGAIN && errno != EWOULDBLOCK;
            if (c->gone && !c->socket && errno != EPIPE) {
                return berth__fail(error, BERTH_E_IO, "output", "cannot write replies: %s", strerror(errno));
            }
            break;
        }
        done += n > 0 ? (size_t)n : 0;
    }
    berth__buffer_drop(&c->output, done);
    return BERTH_OK;
}

static berth_status read_some(client *c, berth_error *error) {
    unsigned char *to = berth__buffer_reserve(&c->input, READ_ROOM);
    if (to == NULL) {
        return berth__fail_memory(error);
    }
    ssize_t n = c->socket ? recv(c->in, to, READ_ROOM, MSG_DONTWAIT) : read(c->in, to, READ_ROOM);
    if (n > 0) {
        c->input.length += (size_t)n;
    } else if (n == 0 || (errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK)) {
        c->ended = true;
        if (n < 0 && !c->socket) {
            return berth__fail(error, BERTH_E_IO, "input", "cannot read events: %s", strerror(errno));
        }
    }
    return BERTH_OK;
}

/* Those that have left, or have ended and read all replies. */
static void remove_clients(server *s) {
    size_t kept = 0;
    for (size_t k = 0; k < s->n_clients; k++) {
        client *c = s->clients[k];
        if (c->gone || (c->ended && !has_line(c) && unread(c) == 0)) {
            free_client(c);
            s->paused = false;
        } else {
            s->clients[kept++] = c;
        }
    }
    s->n_clients = kept;
}

/* ---- the socket ---- */

static berth_status socket_fails(const server *s, const char *what, berth_error *error) {
    return berth__fail(error, BERTH_E_IO, s->options->socket, "cannot %s: %s", what, strerror(errno));
}

/* A socket's file that nobody listens at any more is removed. */
static berth_status clear_path(const server *s, const struct sockaddr_un *address, berth_error *error) {
    struct stat about;
    if (lstat(s->options->socket, &about) != 0) {
        return errno == ENOENT ? BERTH_OK : socket_fails(s, "listen", error);
    }
    if (!S_ISSOCK(about.st_mode)) {
        return berth__fail(error, BERTH_E_IO, s->options->socket, "cannot listen: there is a file that is no socket");
    }
    int probe = socket(AF_UNIX, SOCK_STREAM, 0);
    if (probe < 0) {
        return socket_fails(s, "listen", error);
    }
    bool alive = connect(probe, (const struct sockaddr *)address, sizeof *address) == 0;
    bool stale = !alive && errno == ECONNREFUSED;
    berth_status status = BERTH_OK;
    if (alive) {
        status = berth__fail(error, BERTH_E_IO, s->options->socket, "another server listens there");
    } else if (!stale || unlink(s->options->socket) != 0) {
        status = socket_fails(s, "listen", error);
    }
    close(probe);
    return status;
}

static void set_flags(int fd) {
    (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
    (void)fcntl(fd, F_SETFL, O_NONBLOCK);
}

static berth_status listen_at(server *s, berth_error *error) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(s->options->socket);
    if (length == 0 || length >= sizeof address.sun_path) {
        return berth__fail(error, BERTH_E_ARGUMENT, "socket", "the path has %zu bytes; expected 1 to %zu", length,
                           sizeof address.sun_path - 1);
    }
    memcpy(address.sun_path, s->options->socket, length);
    berth_status status = clear_path(s, &address, error);
    if (status != BERTH_OK) {
        return status;
    }
    s->listener = socket(AF_UNIX, SOCK_STREAM, 0);
    if (s->listener < 0) {
        return socket_fails(s, "make a socket", error);
    }
    set_flags(s->listener);
    if (bind(s->listener, (const struct sockaddr *)&address, sizeof address) != 0) {
        return socket_fails(s, "listen", error);
    }
    /* Until listen nobody can connect, so nobody does while the permissions are wider. */
    if (chmod(s->options->socket, 0600) != 0 || stat(s->options->socket, &s->socket) != 0 ||
        listen(s->listener, 128) != 0) {
        status = socket_fails(s, "listen", error);
        (void)unlink(s->options->socket);
        return status;
    }
    berth__log(&s->options->scheduler.hooks, BERTH_LOG_INFO, "listening at %s", s->options->socket);
    return BERTH_OK;
}

static void stop_listening(server *s) {
    struct stat about;
    if (s->listener >= 0) {
        close(s->listener);
        s->listener = -1;
        /* Not one that somebody has put in its place. */
        if (stat(s->options->socket, &about) == 0 && about.st_dev == s->socket.st_dev &&
            about.st_ino == s->socket.st_ino) {
            (void)unlink(s->options->socket);
        }
    }
}

static void turn_away(const server *s, int fd) {
    berth_error why;
    berth__fail(&why, BERTH_E_IO, "", "there are %zu clients already; come back later", s->n_clients);
    char *reply = berth__service_refuse(s->service, &why);
    if (reply != NULL) {
        (void)send(fd, reply, strlen(reply), MSG_NOSIGNAL | MSG_DONTWAIT);
    }
    berth__free(reply);
    close(fd);
}

static berth_status accept_clients(server *s, berth_error *error) {
    for (;;) {
        int fd = accept(s->listener, NULL, NULL);
        if (fd < 0) {
            /* Others mean that this one has left already. */
            s->paused = errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
            if (errno != EINTR && errno != ECONNABORTED) {
                return BERTH_OK;
            }
            continue;
        }
        set_flags(fd);
        if (s->n_clients >= s->options->max_clients) {
            turn_away(s, fd);
            continue;
        }
        berth_status status = add_client(s, fd, fd, true, error);
        if (status != BERTH_OK) {
            close(fd);
            return status;
        }
    }
}

/* ---- batches ---- */

/* The next line of a client into the batch. False: it has no whole one. */
static bool take_line(server *s, client *c) {
    const unsigned char *from = c->input.bytes + c->taken;
    size_t left = c->input.length - c->taken;
    const unsigned char *line_break = left > 0 ? memchr(from, '\n', left) : NULL;
    size_t length = line_break != NULL ? (size_t)(line_break - from) : left;
    bool whole = line_break != NULL || (c->ended && left > 0);
    bool too_long = length > s->options->max_line && !c->skipping;
    if (!whole && !too_long && !c->skipping) {
        c->searched = c->input.length;
        return false;
    }
    bool skipped = c->skipping;
    c->taken += line_break != NULL ? length + 1 : left;
    c->skipping = !whole;
    c->searched = c->taken;
    size_t blank = 0;
    while (blank < length && (from[blank] == ' ' || from[blank] == '\t' || from[blank] == '\r')) {
        blank++;
    }
    if (skipped || (blank == length && !too_long)) {
        return whole;
    }
    s->entries[s->n_entries++] = (entry){.from = c, .too_long = too_long};
    if (!too_long) {
        s->requests[s->n_requests++] = (berth__request){.line = (const char *)from, .length = length};
    }
    return true;
}

/* A line of each client in turn, as long as there is room in the batch. */
static void collect(server *s) {
    s->n_entries = s->n_requests = 0;
    bool more = true;
    while (more && s->n_entries < s->options->max_queue) {
        more = false;
        for (size_t k = 0; k < s->n_clients && s->n_entries < s->options->max_queue; k++) {
            client *c = s->clients[(s->turn + k) % s->n_clients];
            bool asks = !c->gone && (unread(c) < MOST_UNREAD || s->ending) && has_line(c);
            more = (asks && take_line(s, c)) || more;
        }
        s->turn++;
    }
}

/* Replies in the order of the lines. */
static berth_status hand_out(server *s, berth_error *error) {
    size_t next = 0;
    berth_status status = BERTH_OK;
    for (size_t k = 0; k < s->n_entries && status == BERTH_OK; k++) {
        entry *e = &s->entries[k];
        berth_error why;
        berth__fail(&why, BERTH_E_INPUT, "", "a line of more than %zu bytes", s->options->max_line);
        char *reply = e->too_long ? berth__service_refuse(s->service, &why) : s->requests[next].reply;
        bool put = reply != NULL && berth__buffer_put(&e->from->output, reply, strlen(reply));
        status = put ? BERTH_OK : berth__fail_memory(error);
        if (e->too_long) {
            berth__free(reply);
        } else {
            next++;
        }
    }
    for (size_t k = 0; k < s->n_requests; k++) {
        berth__free(s->requests[k].reply);
    }
    return status;
}

static berth_status answer_batch(server *s, berth_error *error) {
    collect(s);
    berth_status status =
        s->n_requests > 0 ? berth__service_answer(s->service, s->n_requests, s->requests, error) : BERTH_OK;
    if (status == BERTH_OK) {
        status = hand_out(s, error);
    }
    for (size_t k = 0; k < s->n_clients && status == BERTH_OK; k++) {
        client *c = s->clients[k];
        berth__buffer_drop(&c->input, c->taken);
        c->searched -= c->taken;
        c->taken = 0;
        status = write_some(c, error);
    }
    if (status == BERTH_OK && s->n_requests > 0) {
        berth__service_tidy(s->service);
    }
    return status;
}

/* ---- the loop ---- */

static bool wants_input(const server *s, const client *c) {
    return !s->ending && !c->ended && !c->gone && !has_line(c) && unread(c) < MOST_UNREAD;
}

/* There are lines that can be answered now. */
static bool has_work(const server *s) {
    for (size_t k = 0; k < s->n_clients; k++) {
        const client *c = s->clients[k];
        if (!c->gone && has_line(c) && (unread(c) < MOST_UNREAD || s->ending)) {
            return true;
        }
    }
    return false;
}

static berth_status prepare_polls(server *s, berth_error *error) {
    size_t n = 2 + 2 * s->n_clients;
    if (n > s->polls_capacity) {
        struct pollfd *grown = berth__realloc(s->polls, n, sizeof *grown);
        if (grown == NULL) {
            return berth__fail_memory(error);
        }
        s->polls = grown;
        s->polls_capacity = n;
    }
    bool accepts = !s->ending && !s->paused;
    s->polls[0] = (struct pollfd){.fd = s->ending ? -1 : s->options->stop, .events = POLLIN};
    s->polls[1] = (struct pollfd){.fd = accepts ? s->listener : -1, .events = POLLIN};
    for (size_t k = 0; k < s->n_clients; k++) {
        const client *c = s->clients[k];
        s->polls[2 + 2 * k] = (struct pollfd){.fd = wants_input(s, c) ? c->in : -1, .events = POLLIN};
        s->polls[3 + 2 * k] = (struct pollfd){.fd = unread(c) > 0 ? c->out : -1, .events = POLLOUT};
    }
    return BERTH_OK;
}

static time_t seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

static void begin_ending(server *s) {
    if (!s->ending) {
        s->ending = true;
        s->deadline = seconds_now() + LAST_SECONDS;
    }
}

/* Waits until there is something to do, and does what concerns descriptors. */
static berth_status wait_and_move(server *s, berth_error *error) {
    berth_status status = prepare_polls(s, error);
    if (status != BERTH_OK) {
        return status;
    }
    size_t n = s->n_clients; /* new ones are not in the list */
    int timeout = has_work(s) ? 0 : s->ending || s->paused ? PAUSE_MS : -1;
    if (poll(s->polls, (nfds_t)(2 + 2 * n), timeout) < 0) {
        return errno == EINTR ? BERTH_OK : berth__fail(error, BERTH_E_IO, "poll", "cannot wait: %s", strerror(errno));
    }
    s->paused = false;
    if (s->polls[0].revents != 0) {
        begin_ending(s);
    }
    if (s->polls[1].revents != 0) {
        status = accept_clients(s, error);
    }
    for (size_t k = 0; k < n && status == BERTH_OK; k++) {
        client *c = s->clients[k];
        if (s->polls[2 + 2 * k].revents != 0) {
            status = read_some(c, error);
        }
        if (s->polls[3 + 2 * k].revents != 0 && status == BERTH_OK) {
            status = write_some(c, error);
        }
    }
    return status;
}

/* All that was received is answered, and the answers are gone, or nobody takes them. */
static bool is_over(const server *s) {
    if (!s->ending || has_work(s)) {
        return false;
    }
    for (size_t k = 0; k < s->n_clients; k++) {
        if (!s->clients[k]->gone && unread(s->clients[k]) > 0 && seconds_now() < s->deadline) {
            return false;
        }
    }
    return true;
}

static berth_status serve(server *s, berth_error *error) {
    berth_status status = BERTH_OK;
    while (status == BERTH_OK && !is_over(s)) {
        status = wait_and_move(s, error);
        if (status == BERTH_OK) {
            status = answer_batch(s, error);
        }
        if (berth__service_stopping(s->service)) {
            begin_ending(s);
        }
        remove_clients(s);
        if (s->options->socket == NULL && s->n_clients == 0) {
            begin_ending(s);
        }
    }
    return status;
}

/* ---- from outside ---- */

void berth_serve_options_init(berth_serve_options *options) {
    *options = (berth_serve_options){
        .struct_size = sizeof *options,
        .input = STDIN_FILENO,
        .output = STDOUT_FILENO,
        .stop = -1,
        .snapshot_events = 10000,
        .snapshot_bytes = 64 << 20,
        .keys = 1000,
        .max_line = 1 << 20,
        .max_queue = 1000,
        .max_clients = 256,
    };
    berth_options_init(&options->scheduler);
}

static berth_status open_server(server *s, berth_error *error) {
    s->entries = BERTH__NEW_ARRAY(entry, s->options->max_queue);
    s->requests = BERTH__NEW_ARRAY(berth__request, s->options->max_queue);
    if (s->entries == NULL || s->requests == NULL) {
        return berth__fail_memory(error);
    }
    return s->options->socket != NULL ? listen_at(s, error)
                                      : add_client(s, s->options->input, s->options->output, false, error);
}

static void close_server(server *s) {
    stop_listening(s);
    for (size_t k = 0; k < s->n_clients; k++) {
        free_client(s->clients[k]);
    }
    berth__service_free(s->service);
    berth__free(s->clients);
    berth__free(s->polls);
    berth__free(s->entries);
    berth__free(s->requests);
}

berth_status berth_serve(const berth_instance *instance, const berth_serve_options *options, berth_error *error) {
    berth__error_clear(error);
    if (instance == NULL || options == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, instance == NULL ? "instance" : "options", "must not be NULL");
    }
    berth_serve_options own = *options;
    own.scheduler.hooks.cancel = NULL; /* an event is carried out in full */
    own.scheduler.hooks.progress = NULL;
    server s = {.options = &own, .listener = -1};
    berth_status status = berth__service_new(instance, &own, &s.service, error);
    if (status == BERTH_OK) {
        status = open_server(&s, error);
    }
    if (status == BERTH_OK) {
        status = serve(&s, error);
    }
    if (status == BERTH_OK) {
        status = berth__service_close(s.service, error);
    }
    close_server(&s);
    return status;
}
