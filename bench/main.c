/* berth-bench: times the library's hot paths against references measured in the same run. */
#define _POSIX_C_SOURCE 200809L

#include "bench/cases/cases.h"
#include "bench/report.h"

#include "base/alloc.h"

#include <errno.h>
#include <fnmatch.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DONE = 0, CASE_FAILED = 1, USAGE = 2, INTERNAL = 5 }; /* exit codes */

static const char usage[] =
    "usage: berth-bench [options]\n"
    "\n"
    "Times the library's hot paths. Nothing is asserted about times: exit 0 whatever they are.\n"
    "\n"
    "  --list              the cases, and what they are\n"
    "  --case NAME[,NAME]  only these: globs, or the part before the first /\n"
    "  --quick             small cases only, few repeats\n"
    "  --repeats N         at most N samples of a case (1 to 200; default 25, quick 9)\n"
    "  --seconds S         of sampling a case, after its first runs (default 10, quick 0.3)\n"
    "  --threads N         threads of the code measured (default 1)\n"
    "  --problems DIR      folder of the solve cases, with an optima.csv (default instances/problems/optima)\n"
    "  --instructions      also count the instructions of small cases, with valgrind if it is installed\n"
    "  --json FILE         JSON lines, one a measurement; - is standard output (the table: standard error)\n"
    "  --plot DIR          an SVG for every growth table, with gnuplot if it is installed\n"
    "  --help              this text\n"
    "\n"
    "Exit: 0 done, 1 a case failed to run, 2 usage, 5 internal (memory, files).\n";

typedef struct options {
    bench_plan plan;
    bool help, list, instructions;
    const char *cases, *json, *plot, *counted_run;
} options;

/* ---- options ---- */

static int complain(const char *option, const char *text) {
    fprintf(stderr, "berth-bench: --%s: bad value \"%s\"\n", option, text);
    return USAGE;
}

static bool parse_int(const char *text, int low, int high, int *out) {
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    *out = (int)value;
    return end != text && *end == '\0' && errno == 0 && value >= low && value <= high;
}

static bool parse_seconds(const char *text, double *out) {
    char *end;
    *out = strtod(text, &end);
    return end != text && *end == '\0' && *out >= 0 && isfinite(*out);
}

enum { LIST = 256, CASE, QUICK, REPEATS, SECONDS, THREADS, PROBLEMS, INSTRUCTIONS, JSON, PLOT, HELP, COUNTED_RUN };

static const struct option known[] = {
    {"list", no_argument, NULL, LIST},
    {"case", required_argument, NULL, CASE},
    {"quick", no_argument, NULL, QUICK},
    {"repeats", required_argument, NULL, REPEATS},
    {"seconds", required_argument, NULL, SECONDS},
    {"threads", required_argument, NULL, THREADS},
    {"problems", required_argument, NULL, PROBLEMS},
    {"instructions", no_argument, NULL, INSTRUCTIONS},
    {"json", required_argument, NULL, JSON},
    {"plot", required_argument, NULL, PLOT},
    {"help", no_argument, NULL, HELP},
    {"counted-run", required_argument, NULL, COUNTED_RUN}, /* what --instructions calls, see measure.h */
    {NULL, 0, NULL, 0},
};

/* False if the value is bad. */
static bool take(int option, const char *value, options *o) {
    switch (option) {
    case LIST:
        o->list = true;
        return true;
    case CASE:
        o->cases = value;
        return true;
    case QUICK:
        o->plan.settings.quick = true;
        return true;
    case REPEATS:
        return parse_int(value, 1, BENCH_MOST_REPEATS, &o->plan.repeats);
    case SECONDS:
        return parse_seconds(value, &o->plan.budget_s);
    case THREADS:
        return parse_int(value, 1, 1024, &o->plan.settings.threads);
    case PROBLEMS:
        o->plan.settings.problems = value;
        return true;
    case INSTRUCTIONS:
        o->instructions = true;
        return true;
    case JSON:
        o->json = value;
        return true;
    case PLOT:
        o->plot = value;
        return true;
    case COUNTED_RUN:
        o->counted_run = value;
        return true;
    default:
        o->help = true;
        return true;
    }
}

static int parse(int argc, char **argv, options *o) {
    *o = (options){.plan = {.settings = {.threads = 1}, .repeats = 0, .budget_s = -1}};
    for (int option, index; (option = getopt_long(argc, argv, "", known, &index)) != -1;) {
        if (option == '?') { /* getopt has said what */
            fprintf(stderr, "Try berth-bench --help.\n");
            return USAGE;
        }
        if (!take(option, optarg, o)) {
            return complain(known[index].name, optarg);
        }
    }
    if (optind < argc) {
        fprintf(stderr, "berth-bench: unexpected argument \"%s\"\n", argv[optind]);
        return USAGE;
    }
    bool quick = o->plan.settings.quick;
    o->plan.repeats = o->plan.repeats > 0 ? o->plan.repeats : quick ? 9 : 25;
    o->plan.budget_s = o->plan.budget_s >= 0 ? o->plan.budget_s : quick ? 0.3 : 10;
    return DONE;
}

/* ---- which cases ---- */

/* True if one of the patterns, apart by commas, is the name's first part or a glob that matches the whole. */
static bool chosen(const char *patterns, const char *name) {
    while (patterns != NULL && *patterns != '\0') {
        size_t length = strcspn(patterns, ",");
        char pattern[256];
        snprintf(pattern, sizeof pattern, "%.*s", (int)length, patterns);
        size_t part = strcspn(name, "/");
        if (fnmatch(pattern, name, 0) == 0 || (strlen(pattern) == part && strncmp(pattern, name, part) == 0)) {
            return true;
        }
        patterns += length + (patterns[length] == ',');
    }
    return false;
}

static bool wanted(const options *o, const bench_case *c) {
    bool is_long = strncmp(c->name, "long/", 5) == 0;
    return (o->cases == NULL ? !is_long : chosen(o->cases, c->name)) && (c->quick || !o->plan.settings.quick);
}

/* The cases to run, into records[], NULL to count them only. */
static size_t select_cases(const options *o, bench_record *records) {
    size_t n = 0;
    for (size_t f = 0; bench_families[f] != NULL; f++) {
        for (size_t i = 0; i < bench_families[f]->n_cases; i++) {
            const bench_case *c = &bench_families[f]->cases[i];
            if (wanted(o, c) && records != NULL) {
                records[n].family = bench_families[f];
                records[n].about = c;
            }
            n += wanted(o, c);
        }
    }
    return n;
}

static void list(const bench_record *records, size_t n) {
    const bench_family *family = NULL;
    for (size_t i = 0; i < n; i++) {
        if (records[i].family != family) {
            family = records[i].family;
            printf("%s%s\n", i > 0 ? "\n" : "", family->about);
        }
        const bench_case *c = records[i].about;
        printf("  %-34s %s%s%s\n", c->name, c->about, c->quick ? " [quick]" : "", c->counted ? " [counted]" : "");
    }
}

/* ---- running ---- */

static int counted_run(const options *o) {
    for (size_t f = 0; bench_families[f] != NULL; f++) {
        for (size_t i = 0; i < bench_families[f]->n_cases; i++) {
            const bench_case *c = &bench_families[f]->cases[i];
            if (strcmp(c->name, o->counted_run) == 0) {
                char note[BENCH_NOTE] = "";
                bench_settings settings = {.quick = o->plan.settings.quick, .threads = 1};
                return bench_counted_process(bench_families[f], c, &settings, note) == BENCH_DONE ? DONE : CASE_FAILED;
            }
        }
    }
    return complain("counted-run", o->counted_run);
}

/* This program's own file, for --instructions. */
static bool find_self(char *path, size_t room) {
    ssize_t n = readlink("/proc/self/exe", path, room - 1);
    if (n <= 0 || (size_t)n >= room - 1) {
        return false;
    }
    path[n] = '\0';
    return true;
}

static bool can_count(const options *o, char *self, size_t room) {
    if (!o->instructions) {
        return false;
    }
    if (!bench_find_program("valgrind") || !find_self(self, room)) {
        fprintf(stderr, "berth-bench: instructions are not counted: valgrind is not installed\n");
        return false;
    }
    return true;
}

static int measure_all(const options *o, bench_record *records, size_t n, FILE *table, FILE *json) {
    char self[4096];
    bool count = can_count(o, self, sizeof self);
    int code = DONE;
    bench_table_head(table, &o->plan);
    fflush(table);
    if (json != NULL) {
        bench_json_head(json, &o->plan);
    }
    for (size_t i = 0; i < n; i++) {
        bench_result *result = &records[i].result;
        bench_measure(records[i].family, records[i].about, &o->plan, result);
        if (count && records[i].about->counted && result->verdict == BENCH_DONE) {
            char note[BENCH_NOTE] = "";
            result->instructions = bench_count_instructions(self, records[i].about, &o->plan.settings, note);
            if (isnan(result->instructions)) {
                fprintf(stderr, "berth-bench: %s: %s\n", records[i].about->name, note);
            }
        }
        code = result->verdict == BENCH_FAILED ? CASE_FAILED : code;
        bench_table_row(table, &records[i]);
        if (json != NULL) {
            bench_json_record(json, &records[i]);
        }
    }
    bench_table_comparisons(table, records, n);
    bench_table_growth(table, records, n);
    if (json != NULL) {
        bench_json_growth(json, records, n);
    }
    return code;
}

static int run(const options *o, bench_record *records, size_t n) {
    bool json_to_stdout = o->json != NULL && strcmp(o->json, "-") == 0;
    FILE *json = json_to_stdout ? stdout : o->json != NULL ? fopen(o->json, "w") : NULL;
    if (o->json != NULL && json == NULL) {
        fprintf(stderr, "berth-bench: cannot write %s: %s\n", o->json, strerror(errno));
        return INTERNAL;
    }
    int code = measure_all(o, records, n, json_to_stdout ? stderr : stdout, json);
    if (json != NULL && !json_to_stdout && fclose(json) != 0) {
        fprintf(stderr, "berth-bench: cannot write %s: %s\n", o->json, strerror(errno));
        code = INTERNAL;
    }
    if (o->plot != NULL && !bench_plot(o->plot, records, n)) {
        code = INTERNAL;
    }
    return fflush(stdout) == 0 ? code : INTERNAL;
}

int main(int argc, char **argv) {
    options o;
    int code = parse(argc, argv, &o);
    if (code != DONE) {
        return code;
    }
    if (o.help) {
        return fputs(usage, stdout) >= 0 && fflush(stdout) == 0 ? DONE : INTERNAL;
    }
    if (o.counted_run != NULL) {
        return counted_run(&o);
    }
    size_t n = select_cases(&o, NULL);
    if (n == 0) {
        fprintf(stderr, "berth-bench: no such case: %s (see --list)\n", o.cases);
        return USAGE;
    }
    bench_record *records = BERTH__NEW_ARRAY(bench_record, n);
    if (records == NULL) {
        fprintf(stderr, "berth-bench: out of memory\n");
        return INTERNAL;
    }
    select_cases(&o, records);
    if (o.list) {
        list(records, n);
    } else {
        code = run(&o, records, n);
    }
    berth__free(records);
    return code;
}
