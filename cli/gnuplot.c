/* environ, pipe2: GNU. */
#define _GNU_SOURCE

#include "cli/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { READING = 0, WRITING = 1, WAIT_MS = 200 };

static berth_status fail(berth_error *error, berth_status status, const char *format, ...) CLI_PRINTF(3, 4);

static berth_status fail(berth_error *error, berth_status status, const char *format, ...) {
    va_list arguments;
    *error = (berth_error){.status = status};
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return status;
}

/* ---- the child --------------------------------------------------------------------------------------------------- */

/* gnuplot at work: what it still has to get, what it has given. Pipes by descriptor, -1: closed. */
typedef struct work {
    pid_t child;
    int in, out, err;
    const char *script;
    size_t left;
    cli_gnuplot *to;
    char said[512]; /* on standard error, from the beginning */
    size_t n_said;
    bool was_interrupted; /* before: what there is by then is to be drawn */
} work;

static void shut(int *fd) {
    if (*fd >= 0) {
        close(*fd);
    }
    *fd = -1;
}

/* The child's ends become its standard files; SIGPIPE, which is ignored here meanwhile, is as usual there. */
static int spawn_with(const int pipes[3][2], char *const *arguments, pid_t *child) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t usual;
    int problem = posix_spawn_file_actions_init(&actions);
    if (problem != 0) {
        return problem;
    }
    if ((problem = posix_spawnattr_init(&attributes)) == 0) {
        sigemptyset(&usual);
        sigaddset(&usual, SIGPIPE);
        posix_spawnattr_setsigdefault(&attributes, &usual);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
        for (int fd = 0; fd < 3 && problem == 0; fd++) {
            problem = posix_spawn_file_actions_adddup2(&actions, pipes[fd][fd == 0 ? READING : WRITING], fd);
        }
        if (problem == 0) {
            problem = posix_spawnp(child, arguments[0], &actions, &attributes, arguments, environ);
        }
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return problem;
}

static berth_status start(work *w, berth_error *error) {
    char name[] = "gnuplot", no_settings[] = "-d", from_input[] = "-";
    char *const arguments[] = {name, no_settings, from_input, NULL};
    int pipes[3][2] = {{-1, -1}, {-1, -1}, {-1, -1}};
    int problem = 0;
    for (int fd = 0; fd < 3 && problem == 0; fd++) {
        problem = pipe2(pipes[fd], O_CLOEXEC) == 0 ? 0 : errno;
    }
    problem = problem == 0 ? spawn_with((const int(*)[2])pipes, arguments, &w->child) : problem;
    shut(&pipes[0][READING]);
    shut(&pipes[1][WRITING]);
    shut(&pipes[2][WRITING]);
    w->in = pipes[0][WRITING];
    w->out = pipes[1][READING];
    w->err = pipes[2][READING];
    if (problem == 0) {
        fcntl(w->in, F_SETFL, O_NONBLOCK);
        return BERTH_OK;
    }
    shut(&w->in);
    shut(&w->out);
    shut(&w->err);
    return problem == ENOENT ? fail(error, BERTH_E_IO, "gnuplot is not installed (Debian package: gnuplot-nox)")
                             : fail(error, BERTH_E_IO, "cannot start gnuplot: %s", strerror(problem));
}

/* ---- talking to it ------------------------------------------------------------------------------------------------
 */

/* As much of the script as the pipe takes; one that is closed at the other end takes no more. */
static void give(work *w) {
    ssize_t n = write(w->in, w->script, w->left);
    if (n >= 0) {
        w->script += n;
        w->left -= (size_t)n;
    } else if (errno != EINTR && errno != EAGAIN) {
        w->left = 0;
    }
    if (w->left == 0) {
        shut(&w->in);
    }
}

static bool take_picture(work *w) {
    enum { STEP = 65536 };
    cli_gnuplot *to = w->to;
    if (to->capacity - to->length < STEP) {
        const size_t wanted = 2 * to->capacity + STEP;
        char *grown = realloc(to->picture, wanted);
        if (grown == NULL) {
            return false;
        }
        to->picture = grown;
        to->capacity = wanted;
    }
    ssize_t n = read(w->out, to->picture + to->length, to->capacity - to->length);
    if (n > 0) {
        to->length += (size_t)n;
    } else if (n == 0 || errno != EINTR) {
        shut(&w->out);
    }
    return true;
}

/* The first of what it complains about; the rest is read too, so that it does not wait for us. */
static void take_words(work *w) {
    char bytes[4096];
    ssize_t n = read(w->err, bytes, sizeof bytes);
    if (n > 0) {
        const size_t room = sizeof w->said - 1 - w->n_said, taken = (size_t)n < room ? (size_t)n : room;
        memcpy(w->said + w->n_said, bytes, taken);
        w->n_said += taken;
        w->said[w->n_said] = '\0';
    } else if (n == 0 || errno != EINTR) {
        shut(&w->err);
    }
}

/* Until it has closed its ends. poll skips descriptors below 0. */
static berth_status talk(work *w, berth_error *error) {
    while (w->out >= 0 || w->err >= 0) {
        struct pollfd files[] = {
            {.fd = w->in, .events = POLLOUT}, {.fd = w->out, .events = POLLIN}, {.fd = w->err, .events = POLLIN}};
        if (cli_interrupted() && !w->was_interrupted) {
            return fail(error, BERTH_E_CANCELLED, "stopped by a signal");
        }
        if (poll(files, 3, WAIT_MS) < 0 && errno != EINTR) {
            return fail(error, BERTH_E_IO, "cannot wait for gnuplot: %s", strerror(errno));
        }
        if (files[0].revents != 0) {
            give(w);
        }
        if (files[1].revents != 0 && !take_picture(w)) {
            return fail(error, BERTH_E_MEMORY, "out of memory");
        }
        if (files[2].revents != 0) {
            take_words(w);
        }
    }
    return BERTH_OK;
}

/* The line of gnuplot's complaint that says what is wrong: the last of the first ones. */
static const char *complaint(work *w) {
    char *last = w->said;
    for (char *line = strtok(w->said, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        line += strspn(line, " \t");
        last = *line != '\0' ? line : last;
    }
    return last;
}

static berth_status judge(work *w, int outcome, berth_error *error) {
    if (WIFSIGNALED(outcome)) {
        return fail(error, BERTH_E_IO, "gnuplot was killed by signal %d", WTERMSIG(outcome));
    }
    if (WEXITSTATUS(outcome) == 127 && w->n_said == 0) { /* how an older C library says so */
        return fail(error, BERTH_E_IO, "gnuplot is not installed (Debian package: gnuplot-nox)");
    }
    if (WEXITSTATUS(outcome) != 0) {
        return fail(error, BERTH_E_IO, "gnuplot failed (exit %d)%s%s", WEXITSTATUS(outcome), w->n_said > 0 ? ": " : "",
                    complaint(w));
    }
    if (w->to->length == 0) {
        return fail(error, BERTH_E_IO, "gnuplot gave no picture%s%s", w->n_said > 0 ? ": " : "", complaint(w));
    }
    return BERTH_OK;
}

static berth_status run_script(cli_gnuplot *gnuplot, const char *script, size_t length, berth_error *error) {
    work w = {.script = script, .left = length, .to = gnuplot, .was_interrupted = cli_interrupted()};
    struct sigaction ignore, before;
    int outcome = 0;
    gnuplot->length = 0;
    memset(&ignore, 0, sizeof ignore);
    ignore.sa_handler = SIG_IGN;
    sigemptyset(&ignore.sa_mask);
    sigaction(SIGPIPE, &ignore, &before);
    berth_status status = start(&w, error);
    if (status == BERTH_OK) {
        status = talk(&w, error);
        if (status != BERTH_OK) {
            kill(w.child, SIGKILL);
        }
        shut(&w.in);
        shut(&w.out);
        shut(&w.err);
        while (waitpid(w.child, &outcome, 0) < 0 && errno == EINTR) {
        }
        status = status == BERTH_OK ? judge(&w, outcome, error) : status;
    }
    sigaction(SIGPIPE, &before, NULL);
    return status;
}

/* ---- what it gave --- */

static bool begins_with(const cli_gnuplot *g, const char *start, size_t n) {
    return g->length >= n && memcmp(g->picture, start, n) == 0;
}

/* Text with `end` at its end, white space apart. */
static bool ends_with(const cli_gnuplot *g, const char *end) {
    size_t length = g->length;
    const size_t n = strlen(end);
    while (length > 0 && strchr(" \t\r\n", g->picture[length - 1]) != NULL && g->picture[length - 1] != '\0') {
        length--;
    }
    return length >= n && memcmp(g->picture + length - n, end, n) == 0;
}

/* From the first to the last of what a file of that format must have: a picture that is whole, as far as that goes
 * without drawing it. */
static bool is_whole(const cli_gnuplot *g, berth_picture_format format) {
    static const char png[] = "\x89PNG\r\n\x1a\n", png_end[] = "\0\0\0\0IEND\xae\x42\x60\x82";
    if (format == BERTH_PICTURE_SVG) {
        return (begins_with(g, "<?xml", 5) || begins_with(g, "<svg", 4)) && ends_with(g, "</svg>");
    }
    return begins_with(g, png, sizeof png - 1) && g->length >= sizeof png_end - 1 &&
           memcmp(g->picture + g->length - (sizeof png_end - 1), png_end, sizeof png_end - 1) == 0;
}

/* ---- for others ---------------------------------------------------------------------------------------------------
 */

static berth_status draw(void *user, const berth_plot_script *script, const void **picture, size_t *length,
                         berth_error *error) {
    cli_gnuplot *gnuplot = user;
    berth_error own;
    berth_status status = run_script(gnuplot, script->text, script->length, error != NULL ? error : &own);
    if (status == BERTH_OK && !is_whole(gnuplot, script->format)) {
        status = fail(error != NULL ? error : &own, BERTH_E_IO, "what gnuplot gave is no %s: is it another program?",
                      script->format == BERTH_PICTURE_SVG ? "SVG" : "PNG");
    }
    *picture = gnuplot->picture;
    *length = gnuplot->length;
    return status;
}

berth_renderer cli_gnuplot_renderer(cli_gnuplot *gnuplot) {
    *gnuplot = (cli_gnuplot){0};
    return (berth_renderer){.user = gnuplot, .draw = draw};
}

void cli_gnuplot_free(cli_gnuplot *gnuplot) {
    free(gnuplot->picture);
    *gnuplot = (cli_gnuplot){0};
}

int cli_gnuplot_check(const char *verb) {
    static const char script[] = "set print '-'\nprint GPVAL_VERSION\n";
    cli_gnuplot gnuplot = {0};
    berth_error error;
    berth_status status = run_script(&gnuplot, script, sizeof script - 1, &error);
    if (status == BERTH_OK && (gnuplot.picture[0] < '0' || gnuplot.picture[0] > '9')) {
        status = fail(&error, BERTH_E_IO, "gnuplot does not say its version: is it another program?");
    }
    cli_gnuplot_free(&gnuplot);
    return status == BERTH_OK ? CLI_DONE : cli_fail_status(verb, CLI_WORKING, NULL, &error);
}
