/* berth cohort train: a log of events fed to a training selector. */
#ifndef BERTH_CLI_COHORT_TRAIN_H
#define BERTH_CLI_COHORT_TRAIN_H

#include <berth_cohort.h>

#include "cli/cli.h"

typedef struct cli_train_settings {
    berth_selector_options options;
    const char *restore, *snapshot; /* files; NULL: none */
} cli_train_settings;

#define CLI_TRAIN_REAL(settings, field, member, text, most, about)                                                     \
    {                                                                                                                  \
        .name = (text), .argument = "X", .kind = CLI_REAL, .offset = offsetof(settings, field.options.member),         \
        .min = 0, .max = (most), .help = "train: " about                                                               \
    }
#define CLI_TRAIN_COUNT(settings, field, member, text, about)                                                          \
    {                                                                                                                  \
        .name = (text), .argument = "N", .kind = CLI_COUNT, .offset = offsetof(settings, field.options.member),        \
        .min = 0, .max = 1e15, .help = "train: " about                                                                 \
    }
#define CLI_TRAIN_FILE(settings, field, member, text, about)                                                           \
    {                                                                                                                  \
        .name = (text), .argument = "FILE", .kind = CLI_TEXT, .offset = offsetof(settings, field.member),              \
        .expected = "a file's name", .help = "train: " about                                                           \
    }
/* Rows of a verb's table whose settings have cli_train_settings `field`. */
#define CLI_TRAIN_OPTIONS(settings, field)                                                                             \
    CLI_TRAIN_REAL(settings, field, exploration, "exploration", 1,                                                     \
                   "share of a round's participants that have never reported, at first"),                              \
        CLI_TRAIN_REAL(settings, field, exploration_decay, "exploration-decay", 1, "factor on it after each round"),   \
        CLI_TRAIN_REAL(settings, field, exploration_min, "exploration-min", 1, "it stays at that"),                    \
        CLI_TRAIN_REAL(settings, field, alpha, "alpha", 1000,                                                          \
                       "exponent of the penalty on clients slower than preferred"),                                    \
        CLI_TRAIN_REAL(settings, field, clip, "clip", 1, "quantile of utilities beyond which they do not count"),      \
        CLI_TRAIN_REAL(settings, field, cut_off, "cut-off", 1,                                                         \
                       "share of the last needed weight that makes a client one to draw from"),                        \
        CLI_TRAIN_COUNT(settings, field, blacklist_rounds, "blacklist-rounds",                                         \
                        "a client selected so often is no candidate any more; 0: never"),                              \
        CLI_TRAIN_REAL(settings, field, fairness, "fairness", 1,                                                       \
                       "share of a weight that goes to the seldom selected"),                                          \
        CLI_TRAIN_REAL(settings, field, percentile, "percentile", 100, "of durations: the preferred one, at first"),   \
        CLI_TRAIN_REAL(settings, field, pacer_delta, "pacer-delta", 100, "percentile points that it moves by"),        \
        CLI_TRAIN_COUNT(settings, field, pacer_step, "pacer-step", "rounds until it may move; 0: it never does"),      \
        CLI_TRAIN_FILE(settings, field, restore, "restore",                                                            \
                       "the selector goes on from this snapshot, whose options hold"),                                 \
        CLI_TRAIN_FILE(settings, field, snapshot, "snapshot", "write the selector there after the log")

/* The name of an option of CLI_TRAIN_OPTIONS that a snapshot holds and the command line gives, or NULL. */
const char *cli_train_option_given(const cli_verb *verb, const cli_words *words);
/* Returns an exit code. */
int cli_cohort_train(const cli_train_settings *settings, const cli_common *common, const char *path);

#endif
