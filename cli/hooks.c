/* Clocks, signals and terminals are POSIX. */
#define _POSIX_C_SOURCE 200809L

#include "cli/cli.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A hundred warnings of one kind help less than a few. */
enum { MOST_WARNINGS = 5 };

/* Read by worker threads and written by the handler: lock-free, so both are allowed. */
static atomic_int interrupted;

static void on_signal(int number) {
    (void)number;
    atomic_store(&interrupted, 1);
}

/* A signal that our caller had ignored (nohup, a job in the background) stays ignored. */
static void catch_signal(int number) {
    struct sigaction action;
    if (sigaction(number, NULL, &action) != 0 || action.sa_handler == SIG_IGN) {
        return;
    }
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    /* The second signal finds the default action: it kills. */
    action.sa_flags = SA_RESTART | (int)SA_RESETHAND;
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

void cli_catch_signals(void) {
    catch_signal(SIGINT);
    catch_signal(SIGTERM);
}

bool cli_interrupted(void) {
    return atomic_load(&interrupted) != 0;
}

static bool cancel(void *user) {
    (void)user;
    return cli_interrupted();
}

static void wipe_bar(cli_hooks *state) {
    if (state->bar_shown) {
        fputs("\r\033[K", stderr);
        state->bar_shown = false;
    }
}

static void print_log(void *user, berth_log_level level, const char *message) {
    cli_hooks *state = user;
    if (level != BERTH_LOG_WARNING || state->quiet) {
        return;
    }
    if (++state->n_warnings <= MOST_WARNINGS) {
        wipe_bar(state);
        cli_warn(state->verb, "%s", message);
    }
}

static double now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void draw_bar(void *user, double done, double total) {
    static const char marks[] = "########################################";
    enum { WIDTH = sizeof marks - 1 };
    cli_hooks *state = user;
    double now = now_s();
    if (!state->bar || !(total > 0) || now < state->bar_next_s) {
        return;
    }
    double part = done < total ? done / total : 1;
    int filled = (int)(part * WIDTH);
    fprintf(stderr, "\r[%.*s%*s] %3.0f%%", filled, marks, WIDTH - filled, "", 100 * part);
    state->bar_shown = true;
    state->bar_next_s = now + 0.1;
}

void cli_hooks_start(cli_hooks *state, const char *verb, bool quiet, berth_hooks *out) {
    const char *terminal = getenv("TERM");
    memset(state, 0, sizeof *state);
    state->verb = verb;
    state->quiet = quiet;
    state->bar = !quiet && isatty(STDERR_FILENO) && terminal != NULL && strcmp(terminal, "dumb") != 0;
    /* Work that is over in a moment needs no bar. */
    state->bar_next_s = now_s() + 0.5;
    berth_hooks_init(out);
    out->user = state;
    out->log = print_log;
    out->cancel = cancel;
    out->progress = draw_bar;
}

void cli_hooks_stop(cli_hooks *state) {
    wipe_bar(state);
    if (state->n_warnings > MOST_WARNINGS) {
        cli_warn(state->verb, "%lu more of these", state->n_warnings - MOST_WARNINGS);
    }
}
