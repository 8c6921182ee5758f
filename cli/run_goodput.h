/* berth run of a workload of measured trainings, and what its policies share with those of slots. */
#ifndef BERTH_CLI_RUN_GOODPUT_H
#define BERTH_CLI_RUN_GOODPUT_H

#include "cli/cli.h"

#include <berth_goodput.h>

/* Values of the options of CLI_GOODPUT_OPTIONS. */
typedef struct cli_goodput_settings {
    int allocator, batches;
    double power; /* NAN: the policy's own */
} cli_goodput_settings;

extern const char *const cli_batch_names[]; /* as berth_batch_mode */
const char *const *cli_allocator_names(void);

#define CLI_GOODPUT_OPTIONS(settings, member)                                                                          \
    {.name = "allocator",                                                                                              \
     .argument = "NAME",                                                                                               \
     .kind = CLI_CHOICE,                                                                                               \
     .offset = offsetof(settings, member.allocator),                                                                   \
     .list = cli_allocator_names,                                                                                      \
     .help = "how pollux, sia and hesrpt allocate"},                                                                   \
        {.name = "batches",                                                                                            \
         .argument = "HOW",                                                                                            \
         .kind = CLI_CHOICE,                                                                                           \
         .offset = offsetof(settings, member.batches),                                                                 \
         .choices = cli_batch_names,                                                                                   \
         .help = "how pollux, sia and hesrpt choose batches: among 50 as Pollux does, or among all"},                  \
    {                                                                                                                  \
        .name = "power", .field = "p", .argument = "P", .kind = CLI_REAL, .offset = offsetof(settings, member.power),  \
        .min = -64, .max = 64,                                                                                         \
        .help = "power of the mean that pollux, sia and hesrpt maximise (default -1 and -0.5, of hesrpt 0)"            \
    }

void cli_goodput_defaults(cli_goodput_settings *settings);

/* All policies, those of slots first; NULL-terminated. */
const char *const *cli_run_policies(void);
const char *cli_run_policy_about(const char *name);
bool cli_is_slot_policy(const char *name);

bool cli_is_goodput_workload(const char *path);
/* CLI_DONE, or CLI_USAGE with a message: an option is for workloads of measured trainings only. */
int cli_check_slot_options(const cli_words *words);
/* policy NULL: pollux. Returns an exit code. */
int cli_run_goodput(const cli_common *common, const cli_goodput_settings *settings, const char *policy,
                    const cli_words *words);

#endif
