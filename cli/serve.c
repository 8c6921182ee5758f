/* berth serve: a scheduler that is told events and asked questions, a JSON object a line. */
#define _XOPEN_SOURCE 700

#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MOST_POLICIES = 32 };

typedef struct serve_settings {
    cli_common common;
    berth_serve_options serve;
    int policy;
    int favour, effort;
    const char *scale;
    const char *restart_delay;
    size_t snapshot_events, snapshot_bytes;
} serve_settings;

/* Those that decide at arrival. */
static const char *const *policies(void) {
    static const char *names[MOST_POLICIES];
    size_t n = 0;
    for (const char *const *name = berth_policy_names(); *name != NULL && n + 1 < MOST_POLICIES; name++) {
        if (berth_policy_promises(*name)) {
            names[n++] = *name;
        }
    }
    return names;
}

static void set_defaults(void *memory) {
    serve_settings *settings = memory;
    berth_options *o = &settings->serve.scheduler;
    berth_serve_options_init(&settings->serve);
    while (strcmp(policies()[settings->policy], o->policy) != 0) {
        settings->policy++;
    }
    settings->favour = (int)o->favour;
    settings->effort = (int)o->effort;
    settings->scale = cli_scale_default;
    settings->restart_delay = cli_restart_names()[0];
    settings->snapshot_events = (size_t)settings->serve.snapshot_events;
    settings->snapshot_bytes = (size_t)settings->serve.snapshot_bytes;
    settings->common.seed = o->seed;
    settings->common.threads = o->threads;
    settings->common.time_limit_s = o->time_limit_s;
}

#define AT(field) offsetof(serve_settings, field)
static const cli_option options[] = {
    {.name = "socket",
     .argument = "PATH",
     .kind = CLI_TEXT,
     .offset = AT(serve.socket),
     .expected = "a path",
     .help = "listen at a Unix socket, for any number of clients, instead of standard input and output; only its "
             "owner can connect"},
    {.name = "state",
     .argument = "DIR",
     .kind = CLI_TEXT,
     .offset = AT(serve.state),
     .expected = "a folder's name",
     .help = "keep a journal and snapshots in DIR, so that a crash loses nothing that was answered, and go on from "
             "there at the next start"},
    {.name = "snapshot-every",
     .argument = "N",
     .kind = CLI_COUNT,
     .offset = AT(snapshot_events),
     .min = 1,
     .max = 1e15,
     .help = "events between two snapshots"},
    {.name = "snapshot-bytes",
     .argument = "N",
     .kind = CLI_COUNT,
     .offset = AT(snapshot_bytes),
     .min = 1,
     .max = 1e9,
     .help = "a snapshot also once the journal has so many bytes"},
    {.name = "shadow",
     .kind = CLI_FLAG,
     .offset = AT(serve.shadow),
     .help = "decide beside the real scheduler: replies are marked, events 'observed' tell what the real one made of a "
             "job, and 'status' compares"},
    {.name = "rolling",
     .kind = CLI_FLAG,
     .offset = AT(serve.scheduler.rolling),
     .help = "the horizon is always the instance's horizon_slots from the present slot on: no end of time"},
    {.name = "policy",
     .argument = "NAME",
     .kind = CLI_CHOICE,
     .offset = AT(policy),
     .list = policies,
     .about = berth_policy_about,
     .help = "who decides"},
    CLI_SOLVER_OPTION(serve_settings, serve.scheduler),
    CLI_LEVELS_OPTION(serve_settings, serve.scheduler),
    CLI_EFFORT_OPTION(serve_settings),
    CLI_RESTART_OPTION(serve_settings),
    CLI_ROUNDING_OPTIONS(serve_settings, serve.scheduler, " (pdors)"),
    {.name = "keys",
     .argument = "N",
     .kind = CLI_COUNT,
     .offset = AT(serve.keys),
     .max = 10000000,
     .help = "keys of events that are remembered with their replies"},
    {.name = "max-line",
     .argument = "BYTES",
     .kind = CLI_COUNT,
     .offset = AT(serve.max_line),
     .min = 64,
     .max = 1e9,
     .help = "longest line that is read"},
    {.name = "max-queue",
     .argument = "N",
     .kind = CLI_COUNT,
     .offset = AT(serve.max_queue),
     .min = 1,
     .max = 1000000,
     .help = "most events answered together, after one write of the journal"},
    {.name = "max-clients",
     .argument = "N",
     .kind = CLI_COUNT,
     .offset = AT(serve.max_clients),
     .min = 1,
     .max = 100000,
     .help = "most clients at a time"},
};

/* ---- the end ---- */

static int stop_pipe[2] = {-1, -1};

static void on_signal(int number) {
    int before = errno;
    (void)number;
    (void)!write(stop_pipe[1], "x", 1);
    errno = before;
}

/* SIGINT and SIGTERM end the server in order; the second one kills. A signal that our caller had ignored stays so. */
static int catch_signals(void) {
    static const int numbers[] = {SIGINT, SIGTERM};
    if (pipe(stop_pipe) != 0) {
        return cli_fail("serve", CLI_INTERNAL, "cannot make a pipe: %s", strerror(errno));
    }
    (void)fcntl(stop_pipe[0], F_SETFD, FD_CLOEXEC);
    (void)fcntl(stop_pipe[1], F_SETFD, FD_CLOEXEC);
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
        struct sigaction action;
        if (sigaction(numbers[k], NULL, &action) == 0 && action.sa_handler != SIG_IGN) {
            memset(&action, 0, sizeof action);
            action.sa_handler = on_signal;
            action.sa_flags = SA_RESTART | (int)SA_RESETHAND;
            sigemptyset(&action.sa_mask);
            sigaction(numbers[k], &action, NULL);
        }
    }
    /* Clients that have left and files that may not grow are errors of a call. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    return CLI_DONE;
}

/* ---- the verb ---- */

static void print_log(void *user, berth_log_level level, const char *message) {
    const serve_settings *settings = user;
    if (level == BERTH_LOG_WARNING) {
        cli_warn("serve", "%s", message);
    } else if (level == BERTH_LOG_INFO && !settings->common.quiet) {
        cli_fail("serve", CLI_DONE, "%s", message);
    }
}

static int serve_instance(serve_settings *settings, const char *input, const berth_instance *instance) {
    berth_error error = {0};
    int code = catch_signals();
    if (code != CLI_DONE) {
        return code;
    }
    settings->serve.stop = stop_pipe[0];
    settings->serve.scheduler.hooks.user = settings;
    settings->serve.scheduler.hooks.log = print_log;
    berth_status status = berth_serve(instance, &settings->serve, &error);
    if (status == BERTH_OK) {
        return CLI_DONE;
    }
    bool of_instance = status == BERTH_E_INPUT && error.where[0] == '/' && settings->serve.state == NULL;
    const char *subject = status == BERTH_E_IO && error.where[0] != '\0' ? error.where : of_instance ? input : NULL;
    return cli_fail_status("serve", CLI_WORKING, subject, &error);
}

static int check_settings(serve_settings *settings, const char *input) {
    berth_options *o = &settings->serve.scheduler;
    if (strcmp(input, "-") == 0 && settings->serve.socket == NULL) {
        return cli_usage("serve",
                         "the instance cannot come from standard input, which events do; give --socket or a file");
    }
    if (settings->serve.state != NULL && o->time_limit_s < (double)INFINITY) {
        return cli_usage("serve",
                         "--time-limit: decisions that depend on the clock cannot be repeated after a crash: not "
                         "with --state");
    }
    int code = cli_read_scale("serve", "--scale", settings->scale, &o->scale_rule, &o->scale);
    if (code == CLI_DONE) {
        code = cli_read_restart_delay("serve", "--restart-delay", settings->restart_delay, &o->restart_delay_s);
    }
    return code == CLI_DONE ? cli_check_policy_solver("serve", o->policy, o) : code;
}

static int serve_verb(int argc, char **argv) {
    serve_settings settings = {0};
    cli_words words;
    berth_error error = {0};
    berth_backends *backends = NULL;
    berth_instance *instance = NULL;
    int code;
    if (!cli_parse(&cli_verb_serve, argc, argv, &settings, &words, &code)) {
        return code;
    }
    if (cli_backends_new(&backends, &error) != BERTH_OK) {
        return cli_fail_status("serve", CLI_WORKING, NULL, &error);
    }
    berth_options *o = &settings.serve.scheduler;
    o->backends = backends;
    o->policy = policies()[settings.policy];
    o->favour = (berth_favour)settings.favour;
    o->effort = (berth_effort)settings.effort;
    o->seed = settings.common.seed;
    o->threads = settings.common.threads;
    o->time_limit_s = settings.common.time_limit_s;
    settings.serve.snapshot_events = settings.snapshot_events;
    settings.serve.snapshot_bytes = settings.snapshot_bytes;
    code = check_settings(&settings, words.word[0]);
    if (code == CLI_DONE && berth_instance_read(words.word[0], &instance, &error) != BERTH_OK) {
        code = cli_fail_status("serve", CLI_READING, words.word[0], &error);
    }
    if (code == CLI_DONE) {
        code = serve_instance(&settings, words.word[0], instance);
    }
    berth_instance_free(instance);
    berth_backends_free(backends);
    return code;
}

const cli_verb cli_verb_serve = {
    .name = "serve",
    .arguments = "[options] INSTANCE",
    .summary = "Schedules a cluster: an event a line in, a decision a line out",
    .details =
        "The cluster is the instance's; its jobs only lead to price bounds, where the policy takes them and the\n"
        "instance gives none. A line is a JSON object like {\"event\":\"submit\",\"job\":{...}}, the job as in\n"
        "instances, and is answered by a line. Events: submit, gang, propose, commit, abandon, what-if, explain,\n"
        "advance, finish, cancel, left, add-machine, drain, fail, resize, return, status, hello, snapshot, shutdown,\n"
        "and observed with --shadow. See docs/serve.md, 'berth schema berth-events-1' and 'berth schema\n"
        "berth-replies-1'.\n\n"
        "SIGTERM, SIGINT, end of input and the event shutdown end it in order: what was received is answered. With\n"
        "--state, an event is answered once it is on the disk, and a state is of its instance and options only.",
    .examples = "  berth serve instance.json < events.jsonl > replies.jsonl\n"
                "  berth serve --socket /run/berth.sock --state /var/lib/berth --rolling instance.json\n"
                "  echo '{\"event\":\"status\",\"machines\":true}' | berth serve instance.json | python3 -m json.tool",
    .min_words = 1,
    .max_words = 1,
    .common = CLI_OPT_SEED | CLI_OPT_THREADS | CLI_OPT_TIME_LIMIT | CLI_OPT_QUIET,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .settings_size = sizeof(serve_settings),
    .defaults = set_defaults,
    .run = serve_verb,
};
