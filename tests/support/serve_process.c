#define _GNU_SOURCE /* prlimit */
#include "tests/support/serve_process.h"

#include "tests/support/check.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_ARGUMENTS = 40, NOBODY = 65534, PATIENCE_MS = 60000 };

static void nap(long milliseconds) {
    struct timespec pause = {.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000};
    nanosleep(&pause, NULL);
}

static void open_client(serve_client *client, int in, int out) {
    *client = (serve_client){.in = in, .out = out, .text = malloc(SERVE_ROOM), .line = malloc(SERVE_ROOM)};
    assert_non_null(client->text);
    assert_non_null(client->line);
}

static void become(const serve_setting *setting, const char *errors) {
    const char *arguments[MOST_ARGUMENTS] = {getenv("BERTH_PROGRAM"), "serve"};
    int fd = open(errors, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    for (int k = 0; setting->arguments[k] != NULL; k++) {
        arguments[2 + k] = setting->arguments[k];
    }
    if (setting->most_bytes > 0) {
        struct rlimit limit;
        getrlimit(RLIMIT_FSIZE, &limit);
        limit.rlim_cur = (rlim_t)setting->most_bytes;
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    if (setting->nobody && geteuid() == 0 && (setgroups(0, NULL) != 0 || setgid(NOBODY) != 0 || setuid(NOBODY) != 0)) {
        _exit(126);
    }
    if (fd >= 0 && dup2(fd, STDERR_FILENO) >= 0) {
        union {
            const char **borrowed;
            char *const *vector;
        } list = {.borrowed = arguments};
        execv(arguments[0], list.vector);
    }
    _exit(127);
}

void serve_start(serve_process *process, const serve_setting *setting, const char *errors) {
    int to[2], from[2];
    assert_int_equal(pipe2(to, O_CLOEXEC), 0);
    assert_int_equal(pipe2(from, O_CLOEXEC), 0);
    signal(SIGPIPE, SIG_IGN);
    snprintf(process->errors, sizeof process->errors, "%s", errors);
    process->pid = fork();
    assert_true(process->pid >= 0);
    if (process->pid == 0) {
        signal(SIGPIPE, SIG_DFL);
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* none outlives a test that fails */
        dup2(to[0], STDIN_FILENO);
        dup2(from[1], STDOUT_FILENO);
        become(setting, errors);
    }
    close(to[0]);
    close(from[1]);
    open_client(&process->standard, from[0], to[1]);
}

int serve_wait(serve_process *process) {
    int status;
    serve_disconnect(&process->standard);
    assert_int_equal(waitpid(process->pid, &status, 0), process->pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void serve_lift_limit(const serve_process *process) {
    struct rlimit limit;
    assert_int_equal(prlimit(process->pid, RLIMIT_FSIZE, NULL, &limit), 0);
    limit.rlim_cur = limit.rlim_max;
    assert_int_equal(prlimit(process->pid, RLIMIT_FSIZE, &limit, NULL), 0);
}

void serve_connect(serve_client *client, const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    assert_true(strlen(path) < sizeof address.sun_path);
    strcpy(address.sun_path, path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    for (int tries = 0; connect(fd, (struct sockaddr *)&address, sizeof address) != 0; tries++) {
        if (tries == 1000) {
            fail_msg("nobody listens at %s: %s", path, strerror(errno));
        }
        nap(10);
    }
    open_client(client, fd, fd);
}

void serve_disconnect(serve_client *client) {
    if (client->in >= 0) {
        close(client->in);
    }
    if (client->out >= 0 && client->out != client->in) {
        close(client->out);
    }
    free(client->text);
    free(client->line);
    *client = (serve_client){.in = -1, .out = -1};
}

static bool send_all(const serve_client *client, const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t n = write(client->out, bytes, length);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return false;
        }
        bytes += n;
        length -= (size_t)n;
    }
    return true;
}

bool serve_send(const serve_client *client, const char *line) {
    size_t length = strlen(line);
    char *whole = malloc(length + 2);
    assert_non_null(whole);
    memcpy(whole, line, length);
    whole[length] = '\n';
    bool sent = send_all(client, whole, length + 1);
    free(whole);
    return sent;
}

const char *serve_receive(serve_client *client) {
    for (;;) {
        char *line_break = memchr(client->text, '\n', client->length);
        if (line_break != NULL) {
            size_t n = (size_t)(line_break - client->text);
            memcpy(client->line, client->text, n);
            client->line[n] = '\0';
            client->length -= n + 1;
            memmove(client->text, line_break + 1, client->length);
            return client->line;
        }
        struct pollfd ready = {.fd = client->in, .events = POLLIN};
        if (poll(&ready, 1, PATIENCE_MS) == 0) {
            fail_msg("no reply within a minute");
        }
        assert_true(client->length < SERVE_ROOM);
        ssize_t n = read(client->in, client->text + client->length, SERVE_ROOM - client->length);
        if (n <= 0 && !(n < 0 && errno == EINTR)) {
            return NULL;
        }
        client->length += n > 0 ? (size_t)n : 0;
    }
}

const char *serve_ask(serve_client *client, const char *line) {
    assert_true(serve_send(client, line));
    const char *reply = serve_receive(client);
    if (reply == NULL) {
        fail_msg("no reply to %s", line);
    }
    return reply;
}
