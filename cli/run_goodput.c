#include "cli/run_goodput.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const cli_batch_names[] = {"grid", "exact", NULL};

const char *const *cli_allocator_names(void) {
    static const char *const names[] = {
#define NAME(name, value, text) text,
        BERTH_ALLOCATOR_TABLE(NAME)
#undef NAME
            NULL};
    return names;
}

void cli_goodput_defaults(cli_goodput_settings *settings) {
    settings->power = (double)NAN;
}

/* ---- names ---- */

enum { MOST_POLICIES = 64 };

static bool is_among(const char *name, const char *const *names) {
    while (*names != NULL && strcmp(*names, name) != 0) {
        names++;
    }
    return *names != NULL;
}

bool cli_is_slot_policy(const char *name) {
    return is_among(name, berth_policy_names());
}

const char *const *cli_run_policies(void) {
    static const char *all[MOST_POLICIES + 1];
    size_t n = 0;
    for (const char *const *name = berth_policy_names(); *name != NULL && n < MOST_POLICIES; name++) {
        all[n++] = *name;
    }
    for (const char *const *name = berth_goodput_policy_names(); *name != NULL && n < MOST_POLICIES; name++) {
        if (!cli_is_slot_policy(*name)) {
            all[n++] = *name;
        }
    }
    all[n] = NULL;
    return all;
}

const char *cli_run_policy_about(const char *name) {
    static const char *const about[] = {
        [BERTH_GOODPUT_POLLUX] = "of measured trainings: goodput, by profiles fitted on the way (Qiao et al., 2021)",
        [BERTH_GOODPUT_SIA] =
            "of measured trainings: goodput on several kinds of GPU (Jayaram Subramanya et al., 2023)",
        [BERTH_GOODPUT_TIRESIAS] = "of measured trainings: two queues by attained service (Gu et al., 2019)",
        [BERTH_GOODPUT_HESRPT] =
            "of measured trainings: as pollux, but what is left of each job weighs (Berg et al., 2020)",
    };
    if (cli_is_slot_policy(name)) {
        return berth_policy_about(name);
    }
    for (size_t k = 0; k < sizeof about / sizeof *about; k++) {
        if (about[k] != NULL && strcmp(berth_goodput_policy_name((berth_goodput_policy)k), name) == 0) {
            return about[k];
        }
    }
    return NULL;
}

bool cli_is_goodput_workload(const char *path) {
    char format[BERTH_FORMAT_ROOM];
    berth_file_format(path, format);
    return strcmp(format, "berth-goodput-jobs-1") == 0;
}

/* ---- the table ---- */

static void time_row(const char *label, double seconds) {
    char text[32];
    if (isnan(seconds)) {
        cli_row(label, "-");
    } else {
        cli_row(label, "%s s (%.2f h)", cli_number(text, seconds), seconds / 3600);
    }
}

static size_t gpus_of(const berth_goodput_workload *workload) {
    size_t gpus = 0;
    for (size_t k = 0; k < workload->n_nodes; k++) {
        gpus += workload->gpus[k];
    }
    return gpus;
}

static void print_run(const berth_goodput_workload *workload, const berth_goodput_run *run) {
    const size_t gpus = gpus_of(workload);
    printf("%-22s", "workload");
    cli_print_text(workload->name, 0);
    putchar('\n');
    cli_row("cluster", "%zu nodes, %zu GPUs", workload->n_nodes, gpus);
    cli_row("policy", "%s%s%s", run->policy, run->allocator != NULL ? ", allocator " : "",
            run->allocator != NULL ? run->allocator : "");
    cli_row("rounds", "%zu of %g s", run->rounds, workload->round_s);
    cli_row("completed", "%zu of %zu jobs", run->completed, run->n_jobs);
    time_row("average completion", run->mean_s);
    time_row("median", run->median_s);
    time_row("99th percentile", run->p99_s);
    time_row("makespan", run->makespan_s);
    if (run->completed > 0) {
        cli_row("finish-time fairness", "mean %.3f, worst %.3f; %.0f %% of the jobs above 1", run->mean_fairness,
                run->worst_fairness, run->unfair * 100);
    }
    cli_row("restarts", "%llu", (unsigned long long)run->restarts);
    cli_row("GPUs in use", "%.1f %%", run->utilisation * 100);
}

/* ---- the run ---- */

/* Says of the first job that was not done why. */
static void warn_of_undone(const berth_goodput_workload *workload, const berth_goodput_run *run) {
    const size_t n = run->n_jobs - run->completed, gpus = gpus_of(workload);
    const char *those = n == 1 ? "job was" : "jobs were";
    size_t first = 0;
    while (!isnan(run->jobs[first].completion_s)) {
        first++;
    }
    const berth_training_job *job = &workload->jobs[first];
    if (run->end_s >= run->horizon_s) {
        cli_warn("run", "%zu %s not done after %g s, when the run ends", n, those, run->horizon_s);
    } else if (run->allocator == NULL && job->replicas > gpus) {
        cli_warn("run", "%zu %s never done: '%.80s' asks for %u GPUs, and there are %zu", n, those, job->id,
                 job->replicas, gpus);
    } else {
        cli_warn("run", "%zu %s never done: '%.80s' gets no GPUs, as it can make no use of any that %s may give it", n,
                 those, job->id, run->policy);
    }
}

static int write_all(const cli_common *common, const berth_goodput_workload *workload, const berth_goodput_run *run) {
    berth_error error = {0};
    const char *path = cli_json_path(common);
    if (path != NULL && berth_goodput_run_write(run, workload, path, &error) != BERTH_OK) {
        return cli_fail_status("run", CLI_WRITING, path, &error);
    }
    if (cli_prints_table(common)) {
        print_run(workload, run);
    }
    int code = cli_finish_output("run", CLI_DONE);
    if (code == CLI_DONE && run->stopped) {
        code = cli_fail("run", CLI_LIMIT, "stopped by %s before all jobs were done",
                        cli_interrupted() ? "a signal" : "the time limit");
    } else if (code == CLI_DONE && run->completed < run->n_jobs) {
        warn_of_undone(workload, run);
    }
    return code;
}

/* ---- the command line ---- */

/* Of policies that choose GPUs and batches by goodput. */
static const char *const choices[] = {"allocator", "batches", "power", NULL};

/* Options of runs in slots say nothing here. */
static int check_given(const cli_words *words) {
    for (size_t k = 0; k < cli_verb_run.n_options; k++) {
        const char *name = cli_verb_run.options[k].name;
        if (strcmp(name, "policy") != 0 && !is_among(name, choices) && cli_given(&cli_verb_run, words, name)) {
            return cli_usage("run", "--%s is not for workloads of measured trainings", name);
        }
    }
    return CLI_DONE;
}

/* CLI_DONE, or CLI_USAGE: a choice is given that somebody else has. */
static int check_choices(const cli_words *words, const char *whose) {
    for (const char *const *name = choices; *name != NULL; name++) {
        if (cli_given(&cli_verb_run, words, *name)) {
            return cli_usage("run", "--%s is for %s", *name, whose);
        }
    }
    return CLI_DONE;
}

int cli_check_slot_options(const cli_words *words) {
    return check_choices(words, "workloads of measured trainings (berth-goodput-jobs-1)");
}

static int check_command(const cli_common *common, const char *policy, const cli_words *words, int *index) {
    int code = check_given(words);
    if (code != CLI_DONE) {
        return code;
    }
    if (cli_same_file(common->output, words->word[0])) {
        return cli_usage("run", "-o would replace the workload '%s'", words->word[0]);
    }
    *index = 0;
    const char *const *names = berth_goodput_policy_names();
    while (policy != NULL && names[*index] != NULL && strcmp(names[*index], policy) != 0) {
        (*index)++;
    }
    if (names[*index] == NULL) {
        return cli_usage(
            "run", "--policy %s does not know measured trainings; expected pollux, sia, tiresias, optimus or hesrpt",
            policy);
    }
    const bool chooses = *index != BERTH_GOODPUT_TIRESIAS && *index != BERTH_GOODPUT_OPTIMUS;
    code = chooses ? CLI_DONE : check_choices(words, "the policies pollux, sia and hesrpt");
    return code == CLI_DONE ? cli_check_output("run", common->output) : code;
}

static int simulate(const cli_common *common, const berth_goodput_run_options *settings,
                    const berth_goodput_workload *workload, const char *path) {
    berth_error error = {0};
    berth_goodput_run *run = NULL;
    berth_goodput_run_options options = *settings;
    cli_hooks state;
    cli_hooks_start(&state, "run", common->quiet, &options.hooks);
    cli_catch_signals();
    const berth_status status = berth_goodput_simulate(workload, &options, &run, &error);
    cli_hooks_stop(&state);
    const int code =
        status == BERTH_OK ? write_all(common, workload, run) : cli_fail_status("run", CLI_JUDGING, path, &error);
    berth_goodput_run_free(run);
    return code;
}

int cli_run_goodput(const cli_common *common, const cli_goodput_settings *settings, const char *policy,
                    const cli_words *words) {
    berth_error error = {0};
    berth_backends *backends = NULL;
    berth_goodput_workload *workload = NULL;
    berth_goodput_run_options options;
    int index = 0, code = check_command(common, policy, words, &index);
    if (code != CLI_DONE) {
        return code;
    }
    if (cli_backends_new(&backends, &error) != BERTH_OK) {
        return cli_fail_status("run", CLI_WORKING, NULL, &error);
    }
    berth_goodput_run_options_init(&options);
    options.policy = (berth_goodput_policy)index;
    options.allocator = (berth_allocator)settings->allocator;
    options.mode = (berth_batch_mode)settings->batches;
    options.p = settings->power;
    options.seed = common->seed;
    options.time_limit_s = common->time_limit_s;
    options.backends = backends;
    if (berth_goodput_workload_read(words->word[0], &workload, &error) == BERTH_OK) {
        code = simulate(common, &options, workload, words->word[0]);
    } else {
        code = cli_fail_status("run", CLI_READING, words->word[0], &error);
    }
    berth_goodput_workload_free(workload);
    berth_backends_free(backends);
    return code;
}
