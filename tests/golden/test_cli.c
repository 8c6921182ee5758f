/* The program as its users meet it: commands run by a shell in a scratch folder, judged by exit code, output and
 * files. BERTH_PROGRAM names the program; the commands call it "$B", and the folder that the test was started in, the
 * top of the tree, "$SOURCE". */
#define _XOPEN_SOURCE 700

#include "tests/support/backends.h"
#include "tests/support/check.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_OUTPUT = 1 << 16 };

typedef struct outcome {
    int code; /* of exit; 128 + n: killed by signal n */
    char out[MOST_OUTPUT];
    char err[MOST_OUTPUT];
} outcome;

static char scratch[] = "/tmp/berth-cli-XXXXXX";
static outcome last;

/* ---- running commands ------------------------------------------------------------------------------------------- */

static void slurp(const char *path, char *out) {
    FILE *file = fopen(path, "rb");
    size_t n = file != NULL ? fread(out, 1, MOST_OUTPUT - 1, file) : 0;
    out[n] = '\0';
    if (file != NULL) {
        fclose(file);
    }
}

/* Runs a command with its outputs in `last`. */
static void sh(const char *command) {
    char line[4096];
    snprintf(line, sizeof line, "{ %s\n} >.out 2>.err", command);
    int status = system(line);
    last.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    slurp(".out", last.out);
    slurp(".err", last.err);
}

static void expect_code(const char *command, int code) {
    sh(command);
    if (last.code != code) {
        fail_msg("%s: exit %d, not %d\nstdout: %.2000s\nstderr: %.2000s", command, last.code, code, last.out, last.err);
    }
}

static void expect_in(const char *command, const char *text, const char *part) {
    if (strstr(text, part) == NULL) {
        fail_msg("%s: no \"%s\" in:\n%.2000s", command, part, text);
    }
}

typedef struct expectation {
    const char *command;
    int code;
    const char *err; /* part of standard error; NULL: standard error is empty */
    const char *out; /* part of standard output; NULL: standard output is empty */
} expectation;

static void expect(const expectation *cases, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const expectation *e = &cases[i];
        expect_code(e->command, e->code);
        if (e->err != NULL) {
            expect_in(e->command, last.err, e->err);
        } else if (last.err[0] != '\0') {
            fail_msg("%s: stderr says %.2000s", e->command, last.err);
        }
        if (e->out != NULL) {
            expect_in(e->command, last.out, e->out);
        } else if (last.out[0] != '\0') {
            fail_msg("%s: stdout says %.2000s", e->command, last.out);
        }
    }
}
#define EXPECT(cases) expect(cases, sizeof(cases) / sizeof *(cases))

static int set_up(void **state) {
    (void)state;
    char program[4096];
    char source[4096];
    const char *given = getenv("BERTH_PROGRAM");
    if (given == NULL || realpath(given, program) == NULL) {
        fprintf(stderr, "BERTH_PROGRAM must name the program\n");
        return -1;
    }
    if (getcwd(source, sizeof source) == NULL || setenv("SOURCE", source, 1) != 0 || setenv("B", program, 1) != 0 ||
        mkdtemp(scratch) == NULL || chdir(scratch) != 0) {
        return -1;
    }
    sh("\"$B\" generate pdors --machines 4 --jobs 6 --slots 12 --seed 3 -o small.json"
       " && \"$B\" run small.json -o result.json");
    if (last.code != 0) {
        fprintf(stderr, "set-up: exit %d: %s\n", last.code, last.err);
    }
    return last.code == 0 ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", scratch);
    return chdir("/") == 0 ? system(command) : -1;
}

/* ---- command lines ------------------------------------------------------------------------------------------------
 */

static void wrong_command_lines_are_explained(void **state) {
    (void)state;
    static const expectation cases[] = {
        {"\"$B\"", 2, "a verb is missing", NULL},
        {"\"$B\" rum small.json", 2, "did you mean 'run'", NULL},
        {"\"$B\" chekc a b", 2, "did you mean 'check'", NULL},
        {"\"$B\" xyzzy", 2, "no verb 'xyzzy'; there are run, compare, solve, cohort, goodput, allocate, fit, check,",
         NULL},
        {"\"$B\" help rnu", 2, "no verb 'rnu'; did you mean 'run'", NULL},
        {"\"$B\" schema foo", 2, "there are berth-jobs-1, ", NULL},
        {"\"$B\" generate cpu", 2, "there are pdors, tiny, cohort and goodput", NULL},
        {"\"$B\" schema berth-job-1", 2, "did you mean 'berth-jobs-1'", NULL},
        {"\"$B\" generate pdor", 2, "did you mean 'pdors'", NULL},
        {"\"$B\" import philly-cvs x.csv", 2, "did you mean 'philly-csv'", NULL},
        {"\"$B\" run", 2, "missing argument", NULL},
        {"\"$B\" run a.json b.json", 2, "unexpected argument 'b.json'", NULL},
        {"\"$B\" check small.json", 2, "missing argument", NULL},
        {"\"$B\" run --leveles 3 small.json", 2, "did you mean '--levels'", NULL},
        {"\"$B\" run --zzzzzz small.json", 2, "no option '--zzzzzz'", NULL},
        {"\"$B\" run -Z small.json", 2, "no option '-Z'", NULL},
        {"\"$B\" run --json=yes small.json", 2, "--json takes no value", NULL},
        {"\"$B\" run small.json --seed", 2, "--seed: expected an integer", NULL},
        {"\"$B\" run small.json -o", 2, "--output: expected a file's name, or - for standard output, got nothing",
         NULL},
        {"\"$B\" run small.json --policy", 2, "--policy: expected bidlp, pdors-ci, pdors, ", NULL},
        {"\"$B\" run small.json --certificate ''", 2, "--certificate: expected a file's name, got ''", NULL},
        {"\"$B\" import philly-csv x.csv --machine", 2, "--machine: expected capacities like", NULL},
        {"\"$B\" check --seed 1 small.json result.json", 2, "no option '--seed'", NULL},
    };
    EXPECT(cases);
}

static void values_are_parsed_strictly(void **state) {
    (void)state;
    static const expectation cases[] = {
        {"\"$B\" run --levels 3x small.json", 2, "--levels: expected an integer from 1 to", NULL},
        {"\"$B\" run --levels 0 small.json", 2, "got '0'", NULL},
        {"\"$B\" run --levels ' 3' small.json", 2, "got ' 3'", NULL},
        {"\"$B\" run --levels 99999999999999999999 small.json", 2, "--levels", NULL},
        {"\"$B\" run --trials -1 small.json", 2, "--trials", NULL},
        {"\"$B\" run --seed -1 small.json", 2, "--seed", NULL},
        {"\"$B\" run --seed 18446744073709551616 small.json", 2, "--seed", NULL},
        {"\"$B\" run --seed 1.5 small.json", 2, "--seed", NULL},
        {"\"$B\" run --delta 0 small.json", 2, "--delta: expected a number above 0 and below 1", NULL},
        {"\"$B\" run --delta 1 small.json", 2, "--delta", NULL},
        {"\"$B\" run --delta nan small.json", 2, "--delta", NULL},
        {"\"$B\" run --delta 0x1p-2 small.json", 2, "--delta", NULL},
        {"\"$B\" run --delta '' small.json", 2, "--delta", NULL},
        {"\"$B\" run --time-limit inf small.json", 2, "--time-limit", NULL},
        {"\"$B\" run --time-limit 0 small.json", 2, "--time-limit", NULL},
        {"\"$B\" run --restart-delay -1 small.json", 2,
         "--restart-delay: expected seconds from 0 to 1e+09 or a name that 'berth help run' lists, got '-1'", NULL},
        {"\"$B\" run --restart-delay 1e10 small.json", 2, "got '1e10'", NULL},
        {"\"$B\" run --restart-delay 5s small.json", 2, "got '5s'", NULL},
        {"\"$B\" run --restart-delay '' small.json", 2, "--restart-delay", NULL},
        {"\"$B\" run --restart-delay polux small.json", 2, "got 'polux'; did you mean 'pollux'?", NULL},
        {"\"$B\" run --dorm-fairness 1.1 small.json", 2, "--dorm-fairness: expected a number from 0 to 1", NULL},
        {"\"$B\" run --dorm-adjust -1 small.json", 2, "--dorm-adjust: expected a number from 0 to 1", NULL},
        {"\"$B\" run --noise -0.1 small.json", 2, "--noise: expected a number from 0 to 2", NULL},
        {"\"$B\" run --noise 2.1 small.json", 2, "--noise", NULL},
        {"\"$B\" run --noise nan small.json", 2, "--noise", NULL},
        {"\"$B\" run --noise '' small.json", 2, "--noise", NULL},
        {"\"$B\" run --threads two small.json", 2, "--threads", NULL},
        {"\"$B\" run --effort hard small.json", 2, "--effort: expected low, medium or high, got 'hard'", NULL},
        {"\"$B\" run --effort HIGH small.json", 2, "--effort: expected low, medium or high, got 'HIGH'", NULL},
        {"\"$B\" run small.json --effort", 2, "--effort: expected low, medium or high", NULL},
        {"\"$B\" run --favour both small.json", 2, "--favour: expected cover or packing, got 'both'", NULL},
        {"\"$B\" run --scale big small.json", 2, "--scale: expected auto, paper or a number above 0", NULL},
        {"\"$B\" run --scale 0 small.json", 2, "--scale", NULL},
        {"\"$B\" run --scale nan small.json", 2, "--scale", NULL},
        {"\"$B\" run --solver cplex small.json", 2, "--solver: expected one of auto, fast", NULL},
        {"\"$B\" run --policy pdors --solver fast nothere.json", 2,
         "--solver fast is that of --policy pdors-ci and bidlp, not of pdors", NULL},
        {"\"$B\" run --levels 10001 nothere.json", 2, "an integer from 1 to 10000", NULL},
        {"\"$B\" run --policy nobody nothere.json", 2, "--policy: expected bidlp, pdors-ci, pdors, ", NULL},
        {"\"$B\" run --policy bidpl nothere.json", 2, ", got 'bidpl'; did you mean 'bidlp'?", NULL},
        {"\"$B\" serve --policy pdors-c nothere.json", 2, ", got 'pdors-c'; did you mean 'pdors-ci'?", NULL},
        {"\"$B\" allocate --allocator genetics nothere.json", 2, ", got 'genetics'; did you mean 'genetic'?", NULL},
        {"\"$B\" generate pdors --load 0", 2, "--load", NULL},
        {"\"$B\" generate pdors --arrivals never", 2, "uniform, poisson or bursts", NULL},
        {"\"$B\" generate pdors --machines 0", 2, "--machines", NULL},
        {"\"$B\" generate pdors --mix 10,55", 2, "--mix: expected three percentages", NULL},
        {"\"$B\" generate pdors --mix 10,55,35,", 2, "--mix: expected three percentages", NULL},
        {"\"$B\" generate pdors --mix 10,-5,95", 2, "--mix: expected three percentages", NULL},
        {"\"$B\" generate pdors --mix 10,55,36", 2, "--mix: must be three percentages that add up to 100", NULL},
        {"\"$B\" generate cohort --mix 10,55,35", 2, "cohort does not take --mix", NULL},
    };
    EXPECT(cases);
}

static void clashing_options_are_refused(void **state) {
    (void)state;
    static const expectation cases[] = {
        {"\"$B\" run --json --jobs small.json", 2, "--jobs", NULL},
        {"\"$B\" run --no-bound --certificate c.json small.json", 2, "--no-bound", NULL},
        {"\"$B\" run --no-bound --bound lp small.json", 2, "exclude each other", NULL},
        {"\"$B\" run --bound exact \"$SOURCE\"/instances/quickstart.json", 2, "tiny instances", NULL},
        {"\"$B\" run --certificate c.json small.json", 2, "--certificate", NULL},
        {"\"$B\" run -o small.json small.json", 2, "would replace the instance", NULL},
        {"\"$B\" run -o ./small.json small.json", 2, "would replace the instance", NULL},
        {"\"$B\" run -o x.json --timings x.json small.json", 2, "name the same file", NULL},
        {"\"$B\" run --timings - small.json", 2, "--timings", NULL},
        {"\"$B\" generate pdors --jobs 3 --load 2", 2, "exclude each other", NULL},
        {"\"$B\" run small.json -o t --timings t.certificate", 2, "name the same file", NULL},
        {"cp small.json s.certificate; \"$B\" run s.certificate -o s", 2, "would replace the instance", NULL},
        {"\"$B\" generate tiny --jobs 3", 2, "tiny takes", NULL},
        {"\"$B\" check - -", 2, "only one of", NULL},
        {"\"$B\" check -o result.json small.json result.json", 2, "would replace", NULL},
    };
    EXPECT(cases);
    expect_code("\"$B\" check small.json result.json", 0); /* nothing was replaced */
}

static void help_tells_every_verb_and_option(void **state) {
    (void)state;
    static const char *const verbs[] = {"run", "check", "generate", "import", "schema", "version", "help"};
    char command[128];
    expect_code("\"$B\" help", 0);
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        snprintf(command, sizeof command, "\"$B\" help | grep -q '^  %s '", verbs[i]);
        expect_code(command, 0);
        snprintf(command, sizeof command, "\"$B\" help %s", verbs[i]);
        expect_code(command, 0);
        expect_in(command, last.out, "examples:");
        snprintf(command, sizeof command, "\"$B\" %s --help >a && \"$B\" help %s >b && cmp a b", verbs[i], verbs[i]);
        expect_code(command, 0);
    }
    static const expectation cases[] = {
        {"\"$B\" --help", 0, NULL, "exit codes"},        {"\"$B\" -h", 0, NULL, "usage: berth VERB"},
        {"\"$B\" --version", 0, NULL, "berth "},         {"\"$B\" help run", 0, NULL, "--restart-delay SECONDS"},
        {"\"$B\" run -h", 0, NULL, "-o, --output FILE"},
    };
    EXPECT(cases);
}

/* A default is told where there is one, and what help tells is what holds. */
static void help_tells_defaults_and_names(void **state) {
    (void)state;
    static const struct {
        const char *verb, *option, *text;
    } told[] = {
        {"run", "policy", "(default bidlp)"},
        {"run", "policy", "pdors-ci: primal-dual admission"},
        {"run", "policy", "pdors: primal-dual admission"},
        {"run", "solver", "fast (bidlp's and pdors-ci's own), clp or glpk"},
        {"run", "solver", "(default auto)"},
        {"run", "levels", "(default 200)"},
        {"run", "delta", "(default 0.1)"},
        {"run", "favour", "cover or packing (default cover)"},
        {"run", "scale", "(default auto)"},
        {"run", "trials", "(default 16)"},
        {"run", "bound", "none, dual, lp or exact (default dual)"},
        {"run", "bound-gap", "(default 0.005)"},
        {"run", "dorm-fairness", "(default 0.1)"},
        {"run", "dorm-adjust", "(default 0.1)"},
        {"run", "effort", "low, medium or high (default medium)"},
        {"run", "restart-delay", "that of the slot before"},
        {"run", "restart-delay", "(default none)"},
        {"run", "restart-delay", "pollux: 30 s, for every job in the simulations of Pollux"},
        {"run", "restart-delay", "sia-bert: 120 s"},
        {"run", "noise", "(default 0)"},
        {"run", "seed", "(default 1)"},
        {"run", "threads", "(default 0)"},
        {"run", "certificate", "RESULT.certificate"},
        {"check", "certificate", "RESULT.certificate"},
        {"generate", "machines", "(default 20)"},
        {"generate", "load", "(default 1)"},
        {"generate", "slots", "(default 20)"},
        {"generate", "arrivals", "uniform, poisson or bursts (default uniform)"},
        {"generate", "communication", "(default 0.1)"},
        {"import", "slot-seconds", "(default 1800)"},
        {"import", "slots", "(default 48)"},
        {"import", "machines", "(default: 8, or"},
        {"import", "machine", "(default gpu=8,cpu=64,memory_gb=512)"},
        {"import", "utility", "(default pdors)"},
        {"import", "name", "(default: the trace's)"},
    };
    char command[256];
    for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
        /* The option's lines, as one: up to the next option. */
        snprintf(command, sizeof command,
                 "\"$B\" help %s | awk '/^  .*--/ {on = /--%s / } on' | tr -s '\\n ' ' '; true", told[i].verb,
                 told[i].option);
        expect_code(command, 0);
        expect_in(command, last.out, told[i].text);
    }
    static const expectation cases[] = {
        {"\"$B\" run -q small.json --levels 200 --delta 0.1 --favour cover --scale auto --trials 16 --policy bidlp "
         "--effort medium"
         " --solver fast --restart-delay 0 --json | cmp - result.json",
         0, NULL, NULL},
        {"\"$B\" generate pdors >usual && \"$B\" generate pdors --machines 20 --load 1 --slots 20 --arrivals uniform"
         " --communication 0.1 --mix 10,55,35 -q | cmp - usual",
         0, NULL, NULL},
    };
    EXPECT(cases);
}

/* What the result says of effort and of promises, for policies that have them; the default is medium. */
static void effort_and_promises_are_told(void **state) {
    (void)state;
    static const expectation cases[] = {
        {"for e in low medium high; do \"$B\" run -q small.json --policy bidlp --effort $e --json >e-$e.json &&"
         " \"$B\" check small.json e-$e.json >/dev/null && grep -o '\"effort\": *\"[a-z]*\"' e-$e.json || exit 9; done",
         0, NULL, "\"effort\": \"low\"\n\"effort\": \"medium\"\n\"effort\": \"high\"\n"},
        {"\"$B\" run -q small.json --policy bidlp --json | cmp - e-medium.json", 0, NULL, NULL},
        {"\"$B\" run -q small.json --policy bidlp --threads 3 --json | cmp - e-medium.json", 0, NULL, NULL},
        {"grep -c '\"promised_slot\": *[0-9]' e-medium.json >n && test $(cat n) -gt 0", 0, NULL, NULL},
        {"sed 's/\"promised_slot\": *[0-9][0-9]*/\"promised_slot\": null/' e-medium.json >broken.json;"
         " \"$B\" check small.json broken.json | grep -o 'admitted without a promised slot' | sort -u",
         0, NULL, "admitted without a promised slot\n"},
        {"\"$B\" run -q small.json --policy srtf --json | grep -e '\"promised_slot\": *[0-9]' -e effort; test $? = 1",
         0, NULL, NULL},
    };
    EXPECT(cases);
}

static void every_policy_is_offered(void **state) {
    (void)state;
    char command[700];
    for (const char *const *name = berth_policy_names(); *name != NULL; name++) {
        if (!has_solver_of(*name)) {
            snprintf(command, sizeof command, "\"$B\" run -q small.json --policy %s", *name);
            expect_code(command, 5);
            expect_in(command, last.err, "needs a solver of integer programmes, like glpk");
            continue;
        }
        /* With each solver of this build, too. */
        snprintf(command, sizeof command,
                 "for s in auto %s; do"
                 " \"$B\" run -q small.json --policy %s --solver $s -o p.json >p.txt &&"
                 " \"$B\" check small.json p.json >/dev/null && grep -q '^policy  *%s, solver ' p.txt || exit 9; done",
                 strncmp(*name, "pdors", 5) == 0 ? "$(\"$B\" version | sed -n '2,$s/ .*//p' | grep -v first-order)"
                                                 : "",
                 *name, *name);
        expect_code(command, 0);
        snprintf(command, sizeof command, "\"$B\" help run | sed -n '/^  *%s: /,/^  *[a-z-]*--/p' | tr -s '\\n ' ' '",
                 *name);
        expect_code(command, 0);
        expect_in(command, last.out, berth_policy_about(*name));
    }
}

/* A name stands for its seconds: in the result, byte for byte, and in what is lost. */
static void restart_delays_have_names(void **state) {
    (void)state;
    static const struct {
        const char *name, *seconds;
    } delays[] = {{"none", "0"},         {"pollux", "30"},     {"sia-ncf", "15"},   {"sia-deepspeech2", "25"},
                  {"sia-cifar10", "50"}, {"sia-yolov3", "80"}, {"sia-bert", "120"}, {"sia-imagenet", "250"}};
    char command[300];
    for (size_t i = 0; i < sizeof delays / sizeof *delays; i++) {
        for (int promises = 0; promises < 2; promises++) {
            const char *policy = promises ? "pdors-ci" : "drf";
            snprintf(command, sizeof command,
                     "\"$B\" run -q small.json --policy %s --restart-delay %s -o named.json >table &&"
                     " \"$B\" run -q small.json --policy %s --restart-delay %s --json | cmp - named.json &&"
                     " \"$B\" check small.json named.json && grep -q '\"restart_delay_s\": %s\\(,\\|$\\)' named.json",
                     policy, delays[i].name, policy, delays[i].seconds, delays[i].seconds);
            expect_code(command, 0);
        }
        snprintf(command, sizeof command, "\"$B\" help run | grep -q '^  *%s: %s s'", delays[i].name,
                 delays[i].seconds);
        expect_code(command, 0);
    }
    expect_code("\"$B\" run -q small.json --policy drf --json | cmp -s - named.json", 1);
}

static void versions_and_schemas_are_printed(void **state) {
    (void)state;
    char expected[64];
    snprintf(expected, sizeof expected, "berth %s\n", berth_version());
    expect_code("\"$B\" version", 0);
    assert_ptr_equal(strstr(last.out, expected), last.out);
    snprintf(expected, sizeof expected, "{\"berth\": \"%s\", \"backends\": {\"", berth_version());
    expect_code("\"$B\" version --json", 0);
    assert_ptr_equal(strstr(last.out, expected), last.out);
    static const expectation cases[] = {
        {"\"$B\" schema", 0, NULL, "berth-jobs-1\n"},
        {"\"$B\" schema | grep -x berth-run-1", 0, NULL, "berth-run-1"},
        {"for f in $(\"$B\" schema); do \"$B\" schema $f | grep -q '\"\\$schema\"' || exit 9; done", 0, NULL, NULL},
    };
    EXPECT(cases);
}

/* ---- input
 * ----------------------------------------------------------------------------------------------------------- */

static void bad_input_is_located(void **state) {
    (void)state;
    static const expectation cases[] = {
        {"\"$B\" run -q nothere.json", 3, "nothere.json: ", NULL},
        {"\"$B\" run -q .", 3, "berth run: .: ", NULL},
        {"printf '{\\n  \"format\" 1}' >syntax.json; \"$B\" run -q syntax.json", 3, "syntax.json:2:", NULL},
        {"printf '{' | \"$B\" run -q -", 3, "standard input:1:", NULL},
        {": | \"$B\" run -q -", 3, "standard input", NULL},
        {"sed -E 's/\"slot_seconds\": *[0-9.]+/\"slot_seconds\": -1/' small.json >bad.json; \"$B\" run -q bad.json", 3,
         "bad.json: /slot_seconds: ", NULL},
        {"\"$B\" run -q bad.json -o kept.json", 3, "slot_seconds", NULL},
        {"test ! -e kept.json", 0, NULL, NULL},
        {"\"$B\" check small.json nothere.json", 3, "nothere.json", NULL},
        {"\"$B\" check small.json small.json", 3, "small.json: /format", NULL},
        {"\"$B\" run -q small.json <&- >/dev/null", 0, NULL, NULL},
        {"\"$B\" run -q - <&-", 3, "standard input", NULL},
    };
    EXPECT(cases);
}

static void pipes_work(void **state) {
    (void)state;
    static const expectation cases[] = {
        {"\"$B\" generate pdors --machines 4 --jobs 6 --slots 12 --seed 3 | cmp - small.json", 0, NULL, NULL},
        {"\"$B\" generate pdors --machines 3 --jobs 3 --slots 8 | \"$B\" run -q -", 0, NULL, "utility"},
        {"gzip -c small.json | \"$B\" run -q - --json | cmp - result.json", 0, NULL, NULL},
        {"\"$B\" check - result.json <small.json", 0, NULL, "all constraints hold"},
        {"\"$B\" check small.json - <result.json", 0, NULL, "all constraints hold"},
        {"\"$B\" generate tiny --seed 5 | \"$B\" run - --quiet", 0, NULL, "utility"},
        {"\"$B\" run -q -o - small.json | cmp - result.json", 0, NULL, NULL},
    };
    EXPECT(cases);
}

/* ---- results
 * ----------------------------------------------------------------------------------------------------------- */

static void the_table_has_its_rows(void **state) {
    (void)state;
    static const char *const rows[] = {"instance",        "machines",    "jobs",       "admitted",
                                       "completed",       "utility",     "dual bound", "delay",
                                       "makespan",        "utilisation", "placement",  "decision time",
                                       "bound / utility", "p50",         "p99",        "promised"};
    expect_code("\"$B\" run small.json", 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        expect_in("run", last.out, rows[i]);
    }
    static const expectation cases[] = {
        {"\"$B\" generate pdors --machines 4 --jobs 14 --slots 8 -o many.json", 0, NULL, NULL},
        {"\"$B\" run -q many.json", 0, NULL, "4 more (--jobs shows all)"},
        {"\"$B\" run -q many.json --jobs | grep -c ' more (--jobs'; true", 0, NULL, "0\n"},
        {"\"$B\" run -q small.json --no-bound | grep '^dual bound  *-$'", 0, NULL, "dual bound"},
        {"\"$B\" run -q small.json --bound none | grep '^dual bound  *-$'", 0, NULL, "dual bound"},
        {"\"$B\" run -q small.json | grep -c '^LP bound'; true", 0, NULL, "0\n"},
        {"\"$B\" generate pdors --machines 4 --slots 8 --load 3 -o loaded.json", 0, NULL, NULL},
        {"\"$B\" run loaded.json --bound lp --bound-gap 0.001 -o lp.json 2>lp.err | grep '^LP bound  *[0-9.]*: ' && "
         "! grep 'not as tight' lp.err",
         0, NULL, "likewise"},
        {"\"$B\" run -q loaded.json --bound lp --bound-gap 0.001 --threads 3 -o lp3.json >lp.txt && cmp lp.json "
         "lp3.json",
         0, NULL, NULL},
        {"\"$B\" check loaded.json lp.json", 0, NULL, "the bound is confirmed"},
        {"sed -E 's/\"lp\": *[0-9.]+/\"lp\": 1/' lp.json | \"$B\" check loaded.json -", 1, NULL,
         "lp bound 1 is claimed"},
        {"\"$B\" run -q --policy pdors \"$SOURCE\"/instances/quickstart.json | grep '^rounding guarantee  *premise "
         "held'",
         0, NULL, "held"},
        {"\"$B\" run -q --policy pdors \"$SOURCE\"/instances/quickstart.json --repair | grep '^rounding .*mended by "
         "repair'",
         0, NULL, "draws"},
        {"\"$B\" run -q small.json --policy pdors-ci | grep 'price paid  payoff bound  reason$'", 0, NULL, "job"},
        {"\"$B\" run -q small.json --policy pdors-ci | grep '^prices '", 0, NULL, "prices"},
        {"\"$B\" run -q small.json --noise 0 -o n.json >n.txt && cmp n.json result.json && grep -c '^estimation' n.txt;"
         " true",
         0, NULL, "0\n"},
        {"\"$B\" run -q loaded.json --noise 0.5 -o noisy.json >n.txt; grep '^estimation error  *sigma 0.5: [0-9]* "
         "early,"
         " [0-9]* late, [0-9]* unfinished$' n.txt && grep '^  *promises: [0-9]* kept, [0-9]* broken$' n.txt &&"
         " grep '^bound / utility  *true speed and work differ from the declared$' n.txt",
         0, NULL, "promises: "},
        {"\"$B\" run -q loaded.json --noise 0.5 --policy srtf | grep -c 'promises: '; true", 0, NULL, "0\n"},
        {"\"$B\" check loaded.json noisy.json", 0, NULL, "the bound is void"},
        {"sed -E 's/\"late\": [0-9]+/\"late\": 999/' noisy.json | \"$B\" check loaded.json -", 1, NULL,
         "the number of late jobs is claimed to be 999"},
        {"\"$B\" run loaded.json --noise 0.5 --certificate c.json -o n.json >n.txt", 0,
         "nothing to write to 'c.json': true speed and work differ", NULL},
        {"\"$B\" run -q small.json | grep -c '[0-9]e-'; true", 0, NULL, "0\n"},
        {"sed -E 's/\"slot_seconds\": *[0-9.]+/\"slot_seconds\": 1e-6/' small.json >none.json; \"$B\" run -q"
         " --policy pdors none.json >none.txt",
         0, NULL, NULL},
        {"grep '^delay  *-$' none.txt", 0, NULL, "delay"},
        {"grep '^rounding  *there was nothing to round$' none.txt", 0, NULL, "rounding"},
        {"grep -c 'guarantee' none.txt; true", 0, NULL, "0\n"},
        {"\"$B\" run -q none.json | grep '^placement  *configuration rounding: no slot across machines$'", 0, NULL,
         "placement"},
        {"\"$B\" run -q --policy pdors-ci \"$SOURCE\"/instances/quickstart.json >ci.txt; grep '^placement  .* slots "
         "across machines, "
         "[0-9]* proved cheapest$' "
         "ci.txt &&"
         " grep '^  *cost over the bound: mean [0-9.e-]*%, worst [0-9.e-]*%$' ci.txt",
         0, NULL, "worst"},
        {"grep -c '^rounding' ci.txt; true", 0, NULL, "0\n"},
        {"\"$B\" run -q small.json --policy pdors >>ci.txt; grep -o 'raised to [0-9.e-]* of the upper$' ci.txt |"
         " sed 's/0[.]0*1 /FLOOR /'",
         0, NULL, "raised to FLOOR of the upper\nraised to 1e-12 of the upper\n"},
        {"printf '%s' \"$(sed 's/\"id\": *\"/&\\\\u001b[2J/' small.json)\" | \"$B\" run -q - --jobs | tr -d '\\n' |"
         " grep -c \"$(printf '\\033')\"; true",
         0, NULL, "0\n"},
    };
    EXPECT(cases);
}

static void results_go_where_asked(void **state) {
    (void)state;
    static const expectation cases[] = {
        {"\"$B\" run -q small.json --json | cmp - result.json", 0, NULL, NULL},
        {"\"$B\" run -q small.json --json -o both.json", 0, NULL, NULL},
        {"cmp both.json result.json", 0, NULL, NULL},
        {"\"$B\" run -q small.json -o r.json --timings t.json --certificate c.json >/dev/null", 0, NULL, NULL},
        {"grep -q 'berth-timings-1' t.json && grep -q 'berth-certificate-1' c.json", 0, NULL, NULL},
        {"cmp -s r.json result.json", 1, NULL, NULL},
        {"\"$B\" check small.json r.json", 1, NULL, "there is no certificate"},
        {"\"$B\" check small.json r.json --certificate c.json", 0, NULL, "the bound is confirmed"},
        {"\"$B\" run -q small.json --no-bound -o n.json >/dev/null && \"$B\" check small.json n.json", 0, NULL,
         "no bound is claimed"},
        {"\"$B\" check small.json n.json --certificate c.json", 0, NULL, "the certificate gives one"},
        {"\"$B\" check small.json result.json --json -o report.json", 0, NULL, NULL},
        {"\"$B\" check small.json result.json --json | cmp - report.json", 0, NULL, NULL},
        {"\"$B\" check small.json result.json -o report2.json", 0, NULL, "checked "},
        {"cmp report.json report2.json", 0, NULL, NULL},
        {"echo old >r.json; \"$B\" run -q bad-name.json -o r.json; cat r.json", 0, "bad-name.json", "old\n"},
        {"ls -A | grep -c tmp-; true", 0, NULL, "0\n"},
    };
    EXPECT(cases);
}

/* Thirty thousand slots of one class and four resources: more prices than a result may hold. */
static void a_large_certificate_gets_a_file(void **state) {
    (void)state;
    static const expectation cases[] = {
        {"\"$B\" generate pdors --machines 2 --jobs 3 --slots 30000 -o wide.json", 0, NULL, NULL},
        {"\"$B\" run -q wide.json -o w.json >/dev/null", 0, "goes to 'w.json.certificate'", NULL},
        {"\"$B\" check -q wide.json w.json", 0, NULL, "the bound is confirmed"},
        {"\"$B\" check wide.json w.json", 0, "that of 'w.json.certificate'", "dual 1"},
        {"\"$B\" check wide.json - <w.json", 1, NULL, "there is no certificate"},
        /* What nobody named is not waited for. */
        {"cp w.json p.json; mkfifo p.json.certificate; timeout 20 \"$B\" check wide.json p.json", 3,
         "p.json.certificate: cannot read: it is not a regular file", NULL},
        {"timeout 20 \"$B\" run -q wide.json -o p.json >/dev/null", 5,
         "p.json.certificate: a large certificate cannot go", NULL},
        {"\"$B\" check wide.json p.json --certificate w.json.certificate", 0, NULL, "the bound is confirmed"},
        {"\"$B\" run -q wide.json -o v.json --certificate v.certificate >/dev/null", 0, NULL, NULL},
        {"cmp v.certificate w.json.certificate && cmp v.json w.json", 0, NULL, NULL},
        {"\"$B\" check wide.json v.json --certificate v.certificate", 0, NULL, "the bound is confirmed"},
        {"\"$B\" check wide.json v.json", 1, NULL, "there is no certificate"},
        {"\"$B\" run -q wide.json --json >out.json", 0, "berth run: warning: the certificate has", NULL},
        {"\"$B\" check wide.json out.json", 0, NULL, "all constraints hold; the bound is void"},
    };
    EXPECT(cases);
}

static void unwritable_output_is_an_error(void **state) {
    (void)state;
    static const expectation cases[] = {
        /* Found before anything is read. */
        {"\"$B\" run nothere.json -o no/r.json", 5, "no/r.json: cannot write: No such file", NULL},
        {"\"$B\" run nothere.json -o small.json/r.json", 5, "Not a directory", NULL},
        {"\"$B\" run nothere.json -o new/", 5, "Is a directory", NULL},
        {"\"$B\" run nothere.json --timings no/t.json", 5, "no/t.json", NULL},
        {"\"$B\" run nothere.json -o r.json --certificate no/c.json", 5, "no/c.json", NULL},
        {"\"$B\" check nothere.json nothere.json -o no/r.json", 5, "no/r.json", NULL},
        {"\"$B\" generate tiny -o no/i.json", 5, "no/i.json", NULL},
        {"\"$B\" import philly-csv nothere.csv -o no/i.json", 5, "no/i.json", NULL},
        {"\"$B\" run small.json -o no/such/folder/r.json", 5, "no/such/folder/r.json: ", NULL},
        {"mkdir -p folder; \"$B\" run small.json -o folder", 5, "folder: ", NULL},
        {"\"$B\" run small.json -o /dev/full", 5, "No space left", NULL},
        {"test -c /dev/full", 0, NULL, NULL},
        {"\"$B\" run small.json --timings no/such/t.json", 5, "no/such/t.json", NULL},
        {"\"$B\" run small.json >/dev/full", 5, "standard output: No space left", NULL},
        {"\"$B\" run small.json --json >/dev/full", 5, "standard output: ", NULL},
        {"\"$B\" check small.json result.json >/dev/full", 5, "standard output: ", NULL},
        {"\"$B\" check small.json result.json --json >/dev/full", 5, "standard output: ", NULL},
        {"\"$B\" generate tiny >/dev/full", 5, "standard output: ", NULL},
        {"\"$B\" help >/dev/full", 5, "standard output: ", NULL},
        {"\"$B\" help run >/dev/full", 5, "standard output: ", NULL},
        {"\"$B\" run --help >/dev/full", 5, "standard output: ", NULL},
        {"\"$B\" version >/dev/full", 5, "standard output: ", NULL},
        {"\"$B\" schema berth-run-1 >/dev/full", 5, "standard output: ", NULL},
        {"\"$B\" run small.json >&-", 5, "standard output: ", NULL},
        {"\"$B\" run small.json -o closed.json --json >&- 2>&-", 0, NULL, NULL},
        {"cmp closed.json result.json", 0, NULL, NULL},
    };
    EXPECT(cases);
}

/* By the time the program writes, the reader is gone: the program dies of SIGPIPE without a word, with the file
 * asked for in place. The half second is a bound on the start of `true`, and nothing fails if it is too short. */
static void a_reader_may_go_away(void **state) {
    (void)state;
    static const expectation cases[] = {
        {"{ sleep 0.5; \"$B\" run -q small.json -o piped.json; echo $? >code; } | true; cat code", 0, NULL, "141\n"},
        {"cmp piped.json result.json", 0, NULL, NULL},
    };
    EXPECT(cases);
}

static void a_seed_fixes_the_result(void **state) {
    (void)state;
    static const expectation cases[] = {
        {"\"$B\" run -q small.json --threads 1 -o one.json >/dev/null", 0, NULL, NULL},
        {"\"$B\" run -q small.json --threads 2 -o two.json >/dev/null", 0, NULL, NULL},
        {"cmp one.json two.json && cmp one.json result.json", 0, NULL, NULL},
        {"\"$B\" run -q small.json --seed 2 --json | cmp -s - result.json", 1, NULL, NULL},
        {"\"$B\" generate pdors --seed 1 | grep -o '\"epochs\": *[0-9]*' >e1", 0, NULL, NULL},
        {"\"$B\" generate pdors --seed 2 | grep -o '\"epochs\": *[0-9]*' >e2", 0, NULL, NULL},
        {"cmp -s e1 e2", 1, NULL, NULL},
    };
    EXPECT(cases);
}

/* ---- checking
 * ---------------------------------------------------------------------------------------------------------- */

/* Each changes the first occurrence of something in the result; check must not let it pass. */
static void corrupted_results_are_caught(void **state) {
    (void)state;
    static const struct {
        const char *from, *to;
    } changes[] = {
        {"\"workers\": *[0-9]+", "\"workers\": 4000"},
        {"\"ps\": *[1-9][0-9]*", "\"ps\": 0"},
        {"\"slot\": *[0-9]+", "\"slot\": 0"},
        {"\"samples\": *[0-9.e+]+", "\"samples\": 1"},
        {"\"completion_slot\": *[0-9]+", "\"completion_slot\": 11"},
        {"\"delay_slots\": *[0-9]+", "\"delay_slots\": 77"},
        {"\"utility\": *[0-9.]+", "\"utility\": 123456"},
        {"\"price_paid\": *[0-9.e+-]+", "\"price_paid\": 123456"},
        {"\"dual\": *[0-9.e+]+", "\"dual\": 0.5"},
        {"\"admitted\": *true", "\"admitted\": false"},
        {"\"makespan_slots\": *[0-9]+", "\"makespan_slots\": 99"},
        {"\"locality\": *\"internal\"", "\"locality\": \"external\""},
    };
    char command[512];
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        snprintf(command, sizeof command,
                 "sed -E '0,/%s/s//%s/' result.json >corrupt.json; cmp -s result.json corrupt.json && exit 9;"
                 " \"$B\" check small.json corrupt.json",
                 changes[i].from, changes[i].to);
        expect_code(command, 1);
        expect_in(command, last.out, "violated: ");
        expect_in(command, last.out, " recomputed, ");
        assert_null(strstr(last.out, "\ndual bound"));
        assert_null(strstr(last.out, "all constraints hold"));
    }
    static const expectation cases[] = {
        {"\"$B\" check small.json corrupt.json --json", 1, NULL, "{"},
        {"sed -E 's/\"slot_seconds\": *[0-9.]+/\"slot_seconds\": 77/' small.json >other.json", 0, NULL, NULL},
        {"\"$B\" check other.json result.json", 3, "result.json", NULL},
        {"head -c 300 result.json >cut.json; \"$B\" check small.json cut.json", 3, "cut.json:", NULL},
    };
    EXPECT(cases);
}

static void check_says_what_it_checked(void **state) {
    (void)state;
    expect_code("\"$B\" check small.json result.json", 0);
    static const char *const parts[] = {"all constraints hold", "checked ", "capacity ", "utility", "dual bound"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        expect_in("check", last.out, parts[i]);
    }
}

/* The example of instances/README.md as it stands there, then with less and with one wrong thing in it. */
static void a_schedule_from_elsewhere_is_judged(void **state) {
    (void)state;
    static const expectation cases[] = {
        {"awk '/^```json$/ {on = 1; next} /^```$/ {on = 0} on' \"$SOURCE\"/instances/README.md >mine.json", 0, NULL,
         NULL},
        {"cp \"$SOURCE\"/instances/tiny/tiny-16.json t16.json; \"$B\" check t16.json mine.json", 0, NULL,
         "all constraints hold; the bound is confirmed\n"},
        {"\"$B\" check t16.json mine.json | grep -c '^note: progress .*(and 2 more of this kind)$'", 0, NULL, "1\n"},
        {"grep -v bounds mine.json | grep -v certificate >less.json; \"$B\" check t16.json less.json", 0, NULL,
         "all constraints hold; no bound is claimed\n"},
        {"grep -v certificate mine.json >less.json; \"$B\" check t16.json less.json", 1, NULL,
         "there is no certificate"},
        {"sed 's/\"workers\": 1, \"ps\": 1/\"workers\": 5, \"ps\": 1/' mine.json >wrong.json;"
         " \"$B\" check t16.json wrong.json >wrong.txt",
         1, NULL, NULL},
        {"sed -n 2p wrong.txt | grep '^violated: '", 0, NULL, "violated"},
        {"sed '1,/^note: /d' wrong.txt | grep -c '^violated: '; true", 0, NULL, "0\n"},
    };
    EXPECT(cases);
}

/* ---- import
 * --------------------------------------------------------------------------------------------------------------- */

static void traces_are_imported(void **state) {
    (void)state;
    static const expectation cases[] = {
        {"printf '%s\\n' timestamp,duration,num_gpus,gpu_time,cluster '2017-10-09 10:00:00,3600,4,14400,a'"
         " '2017-10-09 10:20:00,7200,1,7200,b' '2017-10-09 10:30:00,600,0,0,a' >trace.csv",
         0, NULL, NULL},
        {"\"$B\" import philly-csv trace.csv --slots 48 -o trace.json", 0, "3 rows: 2 imported, 1 without GPUs", NULL},
        {"\"$B\" import philly-csv trace.csv --slots 48 --quiet | cmp - trace.json", 0, NULL, NULL},
        {"gzip -c trace.csv | \"$B\" import philly-csv - --slots 48 -q |"
         " sed 's/from standard input,/from trace.csv,/' | cmp - trace.json",
         0, NULL, NULL},
        {"\"$B\" run -q trace.json", 0, NULL, "jobs                  2\n"},
        {"\"$B\" import philly-csv trace.csv --cluster a -o a.json", 0, "1 of another cluster", NULL},
        {"\"$B\" import philly-csv trace.csv --machine gpu=none", 2, "berth import: --machine: ", NULL},
        {"\"$B\" import philly-csv trace.csv --from yesterday", 2, "berth import: --from: ", NULL},
        {"\"$B\" import philly-csv trace.csv --slots 1 --slot-seconds 60 --machine cpu=4", 2, "--machine: ", NULL},
        {"\"$B\" import philly-csv trace.csv -o trace.csv", 2, "would replace the trace", NULL},
        {"\"$B\" import openb \"$SOURCE/instances/openb/pods-day.csv\" .", 3,
         "berth import: .: cannot read: it is a directory", NULL},
        {"printf 'sn,cpu_milli,memory_mib,gpu,model\\nn,x,1,1,T4\\n' >nodes.csv; "
         "\"$B\" import openb \"$SOURCE/instances/openb/pods-day.csv\" nodes.csv",
         3, "berth import: nodes.csv:2:", NULL},
        {"echo 'bad row' >>trace.csv; \"$B\" import philly-csv trace.csv", 3, "trace.csv:5:", NULL},
        {"\"$B\" import philly-csv trace.csv --skip-bad --slots 48 -o skipped.json", 0, "1 malformed (first in line 5)",
         NULL},
        {"\"$B\" import philly-csv trace.csv --skip-bad --slots 48 --from 2018-01-01 -o far.json", 3,
         "berth import: warning: most jobs of the trace, which has them from 2017-10-09 10:00:00 to 2017-10-09 "
         "10:20:00, are outside the 48 slots of 1800 s that begin at 2018-01-01;",
         NULL},
        {"\"$B\" import philly-csv nothere.csv", 3, "nothere.csv", NULL},
        /* what is skipped is shown, what is made up is counted */
        {"\"$B\" import philly-csv trace.csv --skip-bad --slots 48 -o skipped.json", 0,
         "line 5 skipped: fewer fields than the header: 1 instead of 5; it begins: bad row", NULL},
        {"\"$B\" import philly-csv trace.csv --skip-bad --slots 48 -o skipped.json", 0,
         "synthesised: model of 2, batch of 2, parameter servers of 2, demands other than GPUs of 2, utility of 2 jobs",
         NULL},
    };
    EXPECT(cases);
}

static void windows_of_traces_are_imported(void **state) {
    (void)state;
    static const expectation cases[] = {
        {"{ echo job_id,num_gpu,submit_time,duration; for i in $(seq 0 99); do echo $i,1,$((i * 600)),500; done; }"
         " >jobs.csv; printf '%s\\n' num_switch,num_node_p_switch,num_gpu_p_node,num_cpu_p_node,mem_p_node "
         "1,16,4,40,256"
         " >cluster.csv",
         0, NULL, NULL},
        {"\"$B\" import tiresias jobs.csv cluster.csv --window 1h..3h --machines 4 -o w.json", 0,
         "100 rows: 10 imported, 90 outside the window (first in line 2)", NULL},
        {"grep -c '\"horizon_slots\": 4\\|\"count\": 4' w.json", 0, NULL, "2\n"},
        {"\"$B\" import tiresias jobs.csv cluster.csv --from 3600 --to 180m --slots 4 --machines 4 -q | sed s/180m/3h/ "
         "|"
         " sed 's/from 3600/from 1h/' | cmp - w.json",
         0, NULL, NULL},
        {"\"$B\" import tiresias jobs.csv cluster.csv --window 1h..3h --slots 9 -o w.json", 0, "100 rows: 12 imported",
         NULL},
        {"\"$B\" import tiresias jobs.csv --window 1h..3h --scale-load 2 --sample 0.5 -o w.json", 0,
         "not in the sample", NULL},
        {"\"$B\" import tiresias jobs.csv --window 1h", 2, "--window: expected two times", NULL},
        {"\"$B\" import tiresias jobs.csv --window ..1h", 2, "--window: expected two times", NULL},
        {"\"$B\" import tiresias jobs.csv --window 1h..", 2, "--window: expected two times", NULL},
        {"\"$B\" import tiresias jobs.csv --window 1h..2h --to 3h", 2, "give it or them", NULL},
        {"\"$B\" import tiresias jobs.csv --window 1h..soon", 2, "berth import: --to: \"soon\" is not a time", NULL},
        {"\"$B\" import tiresias jobs.csv --sample 2", 2, "--sample: expected", NULL},
        {"\"$B\" import tiresias jobs.csv cluster.csv --machine gpu=4", 2, "--machine: the machines come from", NULL},
        {"\"$B\" import tiresias jobs.csv cluster.csv jobs.csv", 2, "tiresias takes JOBS [CLUSTER]", NULL},
        {"\"$B\" import tiresias jobs.csv cluster.csv -o cluster.csv", 2, "would replace the trace", NULL},
        {"\"$B\" import tiresias jobs.csv jobs.csv", 3, "jobs.csv:1: header: no column num_switch", NULL},
    };
    EXPECT(cases);
}

/* ---- limits and signals
 * ------------------------------------------------------------------------------------------------- */

static void make_long_instance(void) {
    expect_code("test -e long.json || \"$B\" generate pdors --machines 60 --jobs 3000 --slots 60 --seed 9 -o long.json",
                0);
}

static void a_time_limit_ends_with_what_there_is(void **state) {
    (void)state;
    make_long_instance();
    static const expectation cases[] = {
        {"\"$B\" run -q long.json --time-limit 0.02 -o limited.json >table.txt", 4, "stopped by the time limit", NULL},
        {"grep -q '^stopped early' table.txt && grep -q undecided limited.json", 0, NULL, NULL},
        {"\"$B\" check -q long.json limited.json", 0, NULL, "all constraints hold"},
        {"\"$B\" run -q long.json --policy pdors --time-limit 0.5 -o limited.json >table.txt", 4,
         "stopped by the time limit", NULL},
        {"grep -q '^stopped early' table.txt && grep -q undecided limited.json", 0, NULL, NULL},
        {"\"$B\" check -q long.json limited.json", 0, NULL, "all constraints hold"},
    };
    EXPECT(cases);
}

static pid_t start_long_run(void) {
    pid_t child = fork();
    if (child == 0) {
        /* Whoever runs the tests may ignore the signals. */
        signal(SIGINT, SIG_DFL);
        signal(SIGTERM, SIG_DFL);
        int null = open("/dev/null", O_WRONLY);
        if (null >= 0 && dup2(null, 1) == 1 && dup2(null, 2) == 2) {
            execl(getenv("B"), "berth", "run", "long.json", "--policy", "pdors", "-o", "stopped.json", (char *)NULL);
        }
        _exit(99);
    }
    return child;
}

static void pause_s(double seconds) {
    struct timespec time = {(time_t)seconds, (long)(1e9 * fmod(seconds, 1))};
    while (nanosleep(&time, &time) != 0 && errno == EINTR) {
    }
}

/* Exit code of a long run that gets the signal after a while; 128 + n: killed. */
static int interrupt_after(double seconds, int number) {
    int status = 0;
    pid_t child = start_long_run();
    assert_true(child > 0);
    pause_s(seconds);
    kill(child, number);
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void a_signal_ends_with_what_there_is(void **state) {
    (void)state;
    static const int signals[] = {SIGINT, SIGTERM};
    make_long_instance();
    for (size_t i = 0; i < 2; i++) {
        int code = -1;
        /* A signal that comes before the run has begun kills: wait longer then. */
        for (double wait_s = 0.5; wait_s < 20 && code != 4; wait_s *= 2) {
            unlink("stopped.json");
            code = interrupt_after(wait_s, signals[i]);
            assert_true(code == 4 || code == 128 + signals[i]);
        }
        assert_int_equal(code, 4);
        expect_code("grep -q undecided stopped.json && \"$B\" check -q long.json stopped.json", 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_command_lines_are_explained),
        cmocka_unit_test(values_are_parsed_strictly),
        cmocka_unit_test(clashing_options_are_refused),
        cmocka_unit_test(help_tells_every_verb_and_option),
        cmocka_unit_test(help_tells_defaults_and_names),
        cmocka_unit_test(effort_and_promises_are_told),
        cmocka_unit_test(every_policy_is_offered),
        cmocka_unit_test(restart_delays_have_names),
        cmocka_unit_test(versions_and_schemas_are_printed),
        cmocka_unit_test(bad_input_is_located),
        cmocka_unit_test(pipes_work),
        cmocka_unit_test(the_table_has_its_rows),
        cmocka_unit_test(results_go_where_asked),
        cmocka_unit_test(a_large_certificate_gets_a_file),
        cmocka_unit_test(unwritable_output_is_an_error),
        cmocka_unit_test(a_reader_may_go_away),
        cmocka_unit_test(a_seed_fixes_the_result),
        cmocka_unit_test(corrupted_results_are_caught),
        cmocka_unit_test(check_says_what_it_checked),
        cmocka_unit_test(a_schedule_from_elsewhere_is_judged),
        cmocka_unit_test(traces_are_imported),
        cmocka_unit_test(windows_of_traces_are_imported),
        cmocka_unit_test(a_time_limit_ends_with_what_there_is),
        cmocka_unit_test(a_signal_ends_with_what_there_is),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
