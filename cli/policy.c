/* Options of verbs that run policies. --restart-delay takes seconds, or the name of a delay that somebody measured or
 * assumed. */
#include "cli/cli.h"

#include <string.h>

const char *const cli_effort_names[] = {"low", "medium", "high", NULL};

/* Name, seconds, source. Pollux: the delay after each change of an allocation in the simulator of Qiao et al., OSDI
 * 2021 (github.com/petuum/adaptdl, branch osdi21-artifact, simulator/simulator.py, rescale_time), the same under
 * Optimus and Tiresias. Sia: those by model in the simulator of Jayaram Subramanya et al., SOSP 2023
 * (github.com/siasosp23/artifacts, sia-simulator/applications.py, rescale_time). */
#define PRESET_TABLE(X)                                                                                                \
    X("none", 0, "0 s, the default")                                                                                   \
    X("pollux", 30, "30 s, for every job in the simulations of Pollux (Qiao et al., OSDI 2021)")                       \
    X("sia-ncf", 15, "15 s, NeuMF in those of Sia (Jayaram Subramanya et al., SOSP 2023)")                             \
    X("sia-deepspeech2", 25, "25 s, DeepSpeech2, likewise")                                                            \
    X("sia-cifar10", 50, "50 s, ResNet18 on CIFAR-10, likewise")                                                       \
    X("sia-yolov3", 80, "80 s, YOLOv3, likewise")                                                                      \
    X("sia-bert", 120, "120 s, BERT, likewise")                                                                        \
    X("sia-imagenet", 250, "250 s, ResNet50 on ImageNet, likewise")

#define PRESET_NAME(name, seconds, about)  name,
#define PRESET_VALUE(name, seconds, about) {seconds, about},

static const char *const names[] = {PRESET_TABLE(PRESET_NAME) NULL};
static const struct {
    double seconds;
    const char *about;
} presets[] = {PRESET_TABLE(PRESET_VALUE)};

#define MOST_SECONDS 1e9

const char *const *cli_restart_names(void) {
    return names;
}

static size_t number_of(const char *name) {
    size_t i = 0;
    while (names[i] != NULL && strcmp(names[i], name) != 0) {
        i++;
    }
    return i;
}

const char *cli_restart_about(const char *name) {
    size_t i = number_of(name);
    return names[i] == NULL ? NULL : presets[i].about;
}

int cli_read_restart_delay(const char *verb, const char *where, const char *text, double *seconds) {
    size_t i = number_of(text);
    if (names[i] != NULL) {
        *seconds = presets[i].seconds;
        return CLI_DONE;
    }
    if (cli_parse_real(text, seconds) && *seconds >= 0 && *seconds <= MOST_SECONDS) {
        return CLI_DONE;
    }
    const char *nearest = cli_nearest(text, names);
    return cli_usage(verb, "%s: expected seconds from 0 to %g or a name that 'berth help %s' lists, got '%s'%s%s%s",
                     where, MOST_SECONDS, verb, text, nearest != NULL ? "; did you mean '" : "",
                     nearest != NULL ? nearest : "", nearest != NULL ? "'?" : "");
}

/* ---- which options a policy heeds ---- */

/* Those that only one of them does. */
static const struct {
    const char *option, *policy;
} heeded[] = {{"fifo-workers", "fifo"}, {"effort", "bidlp"},       {"delta", "pdors"},
              {"favour", "pdors"},      {"scale", "pdors"},        {"trials", "pdors"},
              {"repair", "pdors"},      {"dorm-fairness", "dorm"}, {"dorm-adjust", "dorm"}};

/* Levels are of the programmes that plan schedules, which those that promise completion slots have. */
static const char of_planners[] = "levels";

const char *cli_heeding_policies(const char *option) {
    for (size_t i = 0; i < sizeof heeded / sizeof *heeded; i++) {
        if (strcmp(heeded[i].option, option) == 0) {
            return heeded[i].policy;
        }
    }
    return strcmp(option, of_planners) == 0 ? "policies that promise completion slots" : "";
}

bool cli_policy_heeds(const char *policy, const char *option) {
    if (strcmp(option, of_planners) == 0) {
        return berth_policy_promises(policy);
    }
    const char *only = cli_heeding_policies(option);
    return only[0] == '\0' || strcmp(only, policy) == 0;
}

void cli_warn_of_idle_options(const cli_verb *verb, const cli_words *words, size_t n, const char *const *policies) {
    for (size_t i = 0; i < sizeof heeded / sizeof *heeded; i++) {
        bool idle = cli_given(verb, words, heeded[i].option);
        for (size_t p = 0; p < n && idle; p++) {
            idle = strcmp(heeded[i].policy, policies[p]) != 0;
        }
        if (idle) {
            cli_warn(verb->name, "--%s has no effect here: it is for %s", heeded[i].option, heeded[i].policy);
        }
    }
}

int cli_check_policy_solver(const char *verb, const char *policy, const berth_options *options) {
    static const char own[] = "fast";
    if (strcmp(options->solver, own) == 0) {
        if (strcmp(policy, "pdors-ci") == 0 || strcmp(policy, "bidlp") == 0) {
            return CLI_DONE;
        }
        return cli_usage(verb, "--solver %s is that of --policy pdors-ci and bidlp, not of %s", own, policy);
    }
    return cli_check_solver(verb, "solver", options->solver, options->backends, true, ", fast");
}
