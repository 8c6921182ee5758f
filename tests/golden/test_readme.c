/* The README's transcripts are what the program prints, but for times. BERTH_PROGRAM names the program;
 * runs from the top folder. */
#define _XOPEN_SOURCE 700

#include "tests/support/check.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { MOST_TEXT = 1 << 17, MOST_LINES = 2000 };

typedef struct text {
    char bytes[MOST_TEXT];
    char *lines[MOST_LINES];
    size_t n_lines;
} text;

static text readme, printed;

/* Splits, drops trailing blanks of each line and empty lines at the end. */
static void split(text *t) {
    t->n_lines = 0;
    for (char *line = t->bytes; line != NULL && *line != '\0';) {
        char *end = strchr(line, '\n');
        char *next = end == NULL ? NULL : end + 1;
        end = end == NULL ? line + strlen(line) : end;
        while (end > line && (end[-1] == ' ' || end[-1] == '\r')) {
            end--;
        }
        *end = '\0';
        assert_true(t->n_lines < MOST_LINES);
        t->lines[t->n_lines++] = line;
        line = next;
    }
    while (t->n_lines > 0 && t->lines[t->n_lines - 1][0] == '\0') {
        t->n_lines--;
    }
}

static void read_stream(FILE *file, text *out) {
    size_t n = fread(out->bytes, 1, sizeof out->bytes - 1, file);
    assert_true(n < sizeof out->bytes - 1);
    out->bytes[n] = '\0';
    split(out);
}

static bool is_time(const char *line) {
    return strncmp(line, "decision time", strlen("decision time")) == 0 || strncmp(line, "time ", strlen("time ")) == 0;
}

/* README lines from below "    $ build/berth COMMAND" to the next command or the end of the indented block, without
 * their indentation; lines[0] is NULL if the command is not there. Returns how many. */
static size_t transcript_of(const char *command, const char **lines) {
    enum { INDENT = 4 };
    size_t n = 0;
    bool inside = false;
    for (size_t i = 0; i < readme.n_lines; i++) {
        const char *line = readme.lines[i];
        bool indented = strncmp(line, "    ", INDENT) == 0;
        if (inside && ((!indented && line[0] != '\0') || strncmp(line, "    $ ", INDENT + 2) == 0)) {
            break;
        }
        if (inside) {
            lines[n++] = indented ? line + INDENT : "";
        }
        inside = inside || (indented && strncmp(line + INDENT, "$ build/berth ", 14) == 0 &&
                            strcmp(line + INDENT + 14, command) == 0);
    }
    while (n > 0 && lines[n - 1][0] == '\0') {
        n--;
    }
    return n;
}

static void run_program(const char *command) {
    char line[4096];
    snprintf(line, sizeof line, "\"$BERTH_PROGRAM\" %s", command);
    FILE *pipe = popen(line, "r");
    assert_non_null(pipe);
    read_stream(pipe, &printed);
    int status = pclose(pipe);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        fail_msg("berth %s: status %d", command, status);
    }
}

/* `shown` is the command as in the README, `run` the one to run. */
static void compare(const char *shown, const char *run) {
#ifndef BERTH_WITH_CLP
    skip();
#endif
    static const char *lines[MOST_LINES];
    size_t n = transcript_of(shown, lines), differing = 0;
    if (n == 0) {
        fail_msg("README.md shows no output of \"build/berth %s\"", shown);
    }
    run_program(run);
    for (size_t i = 0; i < n || i < printed.n_lines; i++) {
        const char *told = i < n ? lines[i] : "(nothing)", *said = i < printed.n_lines ? printed.lines[i] : "(nothing)";
        bool both_times = is_time(told) && is_time(said) && strncmp(told, said, 4) == 0;
        if (!both_times && strcmp(told, said) != 0) {
            print_error("berth %s, line %zu\n  README:  %s\n  program: %s\n", shown, i + 1, told, said);
            differing++;
        }
    }
    if (differing > 0) {
        fail_msg("%zu lines differ", differing);
    }
}

static char result[] = "/tmp/berth-readme-XXXXXX";

static int set_up(void **state) {
    (void)state;
    if (getenv("BERTH_PROGRAM") == NULL) {
        fprintf(stderr, "BERTH_PROGRAM must name the program\n");
        return -1;
    }
    FILE *file = fopen("README.md", "rb");
    if (file == NULL) {
        fprintf(stderr, "no README.md here\n");
        return -1;
    }
    read_stream(file, &readme);
    fclose(file);
    int made = mkstemp(result);
    return made < 0 ? -1 : fclose(fdopen(made, "wb"));
}

static int tear_down(void **state) {
    (void)state;
    return remove(result);
}

static void test_run(void **state) {
    (void)state;
    char command[200];
    snprintf(command, sizeof command, "run instances/quickstart.json -o %s", result);
    compare("run instances/quickstart.json -o build/quickstart-result.json", command);
}

static void test_check(void **state) {
    (void)state;
    char command[200];
    snprintf(command, sizeof command, "run instances/quickstart.json -o %s", result);
    run_program(command);
    snprintf(command, sizeof command, "check instances/quickstart.json %s", result);
    compare("check instances/quickstart.json build/quickstart-result.json", command);
}

/* The multipliers and draws are those of Clp; LP files are read by GLPK. */
static void test_solve(void **state) {
    (void)state;
#ifndef BERTH_WITH_GLPK
    skip();
#endif
    char command[300];
    static const char problem[] = "instances/problems/optima/unicost-1.lp.gz";
    snprintf(command, sizeof command, "solve %s -o %s", problem, result);
    compare("solve instances/problems/optima/unicost-1.lp.gz -o build/unicost.json", command);
    run_program(command);
    snprintf(command, sizeof command, "check %s %s", problem, result);
    compare("check instances/problems/optima/unicost-1.lp.gz build/unicost.json", command);
}

static void test_compare(void **state) {
    (void)state;
    static const char command[] =
        "compare instances/quickstart.json --policies bidlp:effort=low,pdors,fifo,drf --seeds 5 --no-times";
    compare(command, command);
}

#define SPEECH "instances/cohort/speech.csv.gz"
#define ASKED  "--profiles instances/cohort/speech.profiles.csv.gz --request instances/cohort/speech-fast.json"

static void test_cohort(void **state) {
    (void)state;
    char command[300];
    snprintf(command, sizeof command, "cohort pick " SPEECH " " ASKED " -o %s", result);
    compare("cohort pick " SPEECH " " ASKED " -o build/cohort.json", command);
    run_program(command);
    snprintf(command, sizeof command, "check " SPEECH " %s " ASKED, result);
    compare("check " SPEECH " build/cohort.json " ASKED, command);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_run),   cmocka_unit_test(test_check),  cmocka_unit_test(test_compare),
        cmocka_unit_test(test_solve), cmocka_unit_test(test_cohort),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
