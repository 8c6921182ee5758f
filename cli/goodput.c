/* berth goodput: what a job makes of GPUs, and with which batch. */
#include "cli/cli.h"

#include <berth_goodput.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_REPLICAS = 100000 };

typedef struct goodput_settings {
    cli_common common;
    size_t nodes, replicas, local, accumulation;
    int mode;
    bool table, csv;
} goodput_settings;

static const char *const mode_names[] = {"grid", "exact", NULL};

static void set_defaults(void *memory) {
    goodput_settings *settings = memory;
    settings->nodes = settings->replicas = 1;
}

static const char *about_mode(const char *mode) {
    return mode[0] == 'g' ? "the best of 50 batch sizes, as Pollux does" : "the best of all";
}

#define AT(field) offsetof(goodput_settings, field)
static const cli_option options[] = {
    {.name = "nodes",
     .argument = "N",
     .kind = CLI_COUNT,
     .offset = AT(nodes),
     .min = 1,
     .max = MOST_REPLICAS,
     .help = "nodes that the replicas are on"},
    {.name = "replicas",
     .argument = "K",
     .kind = CLI_COUNT,
     .offset = AT(replicas),
     .min = 1,
     .max = MOST_REPLICAS,
     .help = "GPUs in all"},
    {.name = "mode",
     .argument = "HOW",
     .kind = CLI_CHOICE,
     .offset = AT(mode),
     .choices = mode_names,
     .about = about_mode,
     .help = "how batch size and accumulation are chosen"},
    {.name = "local",
     .argument = "M",
     .kind = CLI_COUNT,
     .offset = AT(local),
     .min = 1,
     .max = 1e9,
     .help = "with so many samples of a replica in a pass, not the best"},
    {.name = "accumulation",
     .argument = "S",
     .kind = CLI_COUNT,
     .offset = AT(accumulation),
     .max = 1e9,
     .help = "and with so many passes of a step beyond the first (--local)"},
    {.name = "table",
     .kind = CLI_FLAG,
     .offset = AT(table),
     .help = "all numbers of replicas up to K (64, unless given), on one node and on several"},
    {.name = "csv", .kind = CLI_FLAG, .offset = AT(csv), .help = "the table as CSV, where 2 nodes are two or more"},
};
#undef AT

/* ---- a line ---- */

/* Goodput over that of one GPU, NAN if that is none. */
static double speedup_of(const berth_goodput_point *point, double single) {
    return single > 0 ? point->goodput / single : (double)NAN;
}

static void print_json_point(const berth_goodput_point *point, double single) {
    const double speedup = speedup_of(point, single);
    printf("\"goodput\": %.17g, \"m\": %u, \"s\": %u, \"batch\": %.17g, \"throughput\": %.17g, ", point->goodput,
           point->local, point->accumulation, point->batch, point->throughput);
    printf("\"efficiency\": %.17g, \"step_s\": %.17g, \"speedup\": ", point->efficiency, point->step_s);
    if (isnan(speedup)) {
        fputs("null", stdout);
    } else {
        printf("%.17g", speedup);
    }
}

static void print_rows(const goodput_settings *settings, const berth_goodput_point *point, double single) {
    char number[32];
    cli_row("replicas", "%zu on %zu node%s", settings->replicas, settings->nodes, settings->nodes == 1 ? "" : "s");
    cli_row("goodput", "%.6g samples/s", point->goodput);
    if (point->goodput <= 0) {
        return;
    }
    cli_row("batch", "%.15g samples: %u a replica%s", point->batch, point->local,
            point->accumulation > 0 ? " and pass" : "");
    if (point->accumulation > 0) {
        cli_row("accumulation", "%u, so %u passes a step", point->accumulation, point->accumulation + 1);
    }
    cli_row("step", "%.6g s", point->step_s);
    cli_row("throughput", "%.6g samples/s", point->throughput);
    cli_row("efficiency", "%.6g", point->efficiency);
    cli_row("speedup", "%s over one GPU", cli_number(number, speedup_of(point, single)));
}

static int one(const goodput_settings *settings, const char *path, const berth_goodput_profile *profile) {
    berth_goodput_point point, single;
    berth_error error = {0};
    const berth_batch_mode mode = (berth_batch_mode)settings->mode;
    if (settings->replicas < settings->nodes) {
        return cli_usage("goodput", "--replicas is %zu and --nodes %zu: there is at least one a node",
                         settings->replicas, settings->nodes);
    }
    const uint32_t nodes = (uint32_t)settings->nodes, replicas = (uint32_t)settings->replicas;
    berth_status status = berth_goodput_best(profile, mode, 1, 1, &single, &error);
    if (status == BERTH_OK && settings->local > 0) {
        status = berth_goodput_at(profile, nodes, replicas, (uint32_t)settings->local, (uint32_t)settings->accumulation,
                                  &point, &error);
    } else if (status == BERTH_OK) {
        status = berth_goodput_best(profile, mode, nodes, replicas, &point, &error);
    }
    if (status != BERTH_OK) {
        return cli_fail_status("goodput", CLI_JUDGING, path, &error);
    }
    if (settings->common.json) {
        fputs("{ ", stdout);
        print_json_point(&point, single.goodput);
        fputs(" }\n", stdout);
    } else {
        print_rows(settings, &point, single.goodput);
    }
    const int code = cli_finish_output("goodput", CLI_DONE);
    return code == CLI_DONE && point.goodput <= 0 ? cli_fail("goodput", CLI_FAILED, "no batch fits so many replicas")
                                                  : code;
}

/* ---- the table ---- */

static void print_table_row(const goodput_settings *settings, size_t replicas, bool spread,
                            const berth_goodput_point *point, double single, bool first) {
    char speedup[32];
    if (settings->common.json) {
        printf("%s  { \"nodes\": %d, \"replicas\": %zu, ", first ? "" : ",\n", spread ? 2 : 1, replicas);
        print_json_point(point, single);
        fputs(" }", stdout);
    } else if (settings->csv) {
        printf("%d,%zu,%.17g,%u,%u,%.17g,%.17g,%.17g,%.17g,", spread ? 2 : 1, replicas, point->goodput, point->local,
               point->accumulation, point->batch, point->throughput, point->efficiency, point->step_s);
        const double ratio = speedup_of(point, single);
        printf(isnan(ratio) ? "\n" : "%.17g\n", ratio);
    } else {
        printf("  %5s  %8zu  %12.6g  %8u  %4u  %10.15g  %12.6g  %10.6f  %8s\n", spread ? ">1" : "1", replicas,
               point->goodput, point->local, point->accumulation, point->batch, point->throughput, point->efficiency,
               cli_number(speedup, speedup_of(point, single)));
    }
}

static void print_table(const goodput_settings *settings, const berth_goodput_point *local,
                        const berth_goodput_point *spread) {
    if (settings->common.json) {
        fputs("[\n", stdout);
    } else if (settings->csv) {
        fputs("nodes,replicas,goodput,m,s,batch,throughput,efficiency,step_s,speedup\n", stdout);
    } else {
        fputs("  nodes  replicas       goodput         m     s       batch    throughput  efficiency   speedup\n",
              stdout);
    }
    for (size_t k = 0; k < settings->replicas; k++) {
        print_table_row(settings, k + 1, false, &local[k], local[0].goodput, k == 0);
    }
    for (size_t k = 1; settings->nodes > 1 && k < settings->replicas; k++) {
        print_table_row(settings, k + 1, true, &spread[k], local[0].goodput, false);
    }
    fputs(settings->common.json ? "\n]\n" : "", stdout);
}

static int all(const goodput_settings *settings, const char *path, const berth_goodput_profile *profile) {
    const size_t n = settings->replicas;
    berth_error error = {0};
    berth_goodput_point *points = malloc(2 * n * sizeof *points);
    if (points == NULL) {
        return cli_fail("goodput", CLI_INTERNAL, "out of memory");
    }
    int code = CLI_DONE;
    if (berth_goodput_table(profile, (berth_batch_mode)settings->mode, (uint32_t)n, points, points + n, &error) !=
        BERTH_OK) {
        code = cli_fail_status("goodput", CLI_JUDGING, path, &error);
    } else {
        print_table(settings, points, points + n);
        code = cli_finish_output("goodput", CLI_DONE);
    }
    free(points);
    return code;
}

static int check_combination(const goodput_settings *settings, const cli_words *words) {
    const bool accumulates = cli_given(&cli_verb_goodput, words, "accumulation");
    if (settings->csv && (settings->common.json || !settings->table)) {
        return cli_usage("goodput", settings->table ? "--csv and --json exclude each other" : "--csv is for --table");
    }
    if (settings->table && (settings->local > 0 || accumulates)) {
        return cli_usage("goodput", "--%s is not for --table", settings->local > 0 ? "local" : "accumulation");
    }
    return accumulates && settings->local == 0 ? cli_usage("goodput", "--accumulation needs --local") : CLI_DONE;
}

static int goodput(int argc, char **argv) {
    goodput_settings settings = {0};
    cli_words words;
    int code;
    if (!cli_parse(&cli_verb_goodput, argc, argv, &settings, &words, &code)) {
        return code;
    }
    if ((code = check_combination(&settings, &words)) != CLI_DONE) {
        return code;
    }
    if (settings.table) {
        settings.replicas = cli_given(&cli_verb_goodput, &words, "replicas") ? settings.replicas : 64;
        settings.nodes = cli_given(&cli_verb_goodput, &words, "nodes") ? settings.nodes : 2;
    }
    berth_goodput_profile profile;
    berth_error error = {0};
    if (berth_goodput_profile_read(words.word[0], &profile, &error) != BERTH_OK) {
        return cli_fail_status("goodput", CLI_READING, words.word[0], &error);
    }
    return (settings.table ? all : one)(&settings, words.word[0], &profile);
}

const cli_verb cli_verb_goodput = {
    .name = "goodput",
    .arguments = "[options] PROFILE",
    .summary = "Tells how fast a job learns on so many GPUs, and with which batch",
    .details =
        "Goodput (Qiao et al., OSDI 2021) is throughput times statistical efficiency: samples a second, each worth as\n"
        "much as one at the batch size the job began with. PROFILE is berth-profile-1 ('berth schema\n"
        "berth-profile-1'); 'berth fit' makes one from measurements, docs/goodput.md tells what it means. m is the\n"
        "samples of a replica in a pass, s the passes of a step beyond the first. Exit 1: no batch fits so many\n"
        "replicas.",
    .examples = "  berth goodput profile.json --nodes 2 --replicas 8\n"
                "  berth goodput profile.json --replicas 4 --mode exact --json\n"
                "  berth goodput profile.json --replicas 4 --local 64 --accumulation 1\n"
                "  berth goodput profile.json --table --replicas 16\n"
                "  berth goodput profile.json --table --csv > table.csv",
    .min_words = 1,
    .max_words = 1,
    .common = CLI_OPT_JSON,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .settings_size = sizeof(goodput_settings),
    .defaults = set_defaults,
    .run = goodput,
};
