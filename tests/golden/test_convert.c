/* berth convert as its users meet it. BERTH_PROGRAM names the program; runs from the top folder. */
#define _XOPEN_SOURCE 700

#include "tests/support/check.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char scratch[] = "/tmp/berth-convert-XXXXXX";
static char text[1 << 16];

/* Runs a command; $B is the program, $S is the scratch folder, $P that of the problems. Its output is in `text`. */
static int run(const char *command) {
    char line[2048];
    snprintf(line, sizeof line, "B=$BERTH_PROGRAM; P=instances/problems; S=%s; { %s; } 2>&1", scratch, command);
    FILE *pipe = popen(line, "r");
    assert_non_null(pipe);
    size_t n = fread(text, 1, sizeof text - 1, pipe);
    text[n] = '\0';
    int status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void expect(const char *command, int code, const char *part) {
    int got = run(command);
    if (got != code || strstr(text, part) == NULL) {
        fail_msg("%s: exit %d, expected %d; \"%s\" expected in:\n%.2000s", command, got, code, part, text);
    }
}

static void test_conversions(void **state) {
    (void)state;
    expect("\"$B\" convert $P/tiny.json --to json | cmp - $P/tiny.json", 0, "");
    expect("\"$B\" convert $P/tiny.json -o $S/tiny.lp && cat $S/tiny.lp", 0, " need: + 2 x >= 5");
    expect("\"$B\" convert $P/tiny.json -o $S/tiny.lp", 0, "warning: the format has no groups");
    expect("\"$B\" convert $P/tiny.json -q -o $S/tiny.lp | wc -c", 0, "0");
    expect("\"$B\" convert $P/tiny.json -o $S/tiny.mps && cat $S/tiny.mps", 0, "NAME          tiny");
    expect("\"$B\" convert - --to lp < $P/cover.txt", 0, " r4: + x1 + x5 >= 1");
    expect("gzip -c $P/cover.txt | \"$B\" convert - --from orlib-scp --to json", 0, "\"name\": \"r4\"");
    expect("\"$B\" convert $P/knapsacks.txt --number 2 --to lp", 0, " r2: + x1 + 5 x2 + 2 x3 + x4 <= 7");
    expect("\"$B\" convert $P/placement.json --to lp --rename", 0, " r1: + x1 + x2 + x3 + x6 >= 6");
}

static void test_conversions_by_glpk(void **state) {
    (void)state;
#ifndef BERTH_WITH_GLPK
    expect("\"$B\" convert $P/sections.lp --to json", 5, "GLPK, whose readers take LP files");
#else
    expect("\"$B\" convert $P/tiny.json -o $S/t.lp && \"$B\" convert $S/t.lp -o $S/t.mps && \"$B\" convert $S/t.mps "
           "--to lp | cmp - $S/t.lp",
           0, "");
    expect("\"$B\" convert $P/shop.mod --data $P/shop.dat --to json", 0, "\"buy[eggs]\"");
    expect("\"$B\" convert $P/odd-sections.mps --to lp", 3, "'job one': LP holds names of");
    expect("\"$B\" convert $P/odd-sections.mps --to lp", 3, "(--rename gives all new ones)");
    expect("\"$B\" convert $P/odd-sections.mps --to mps --rename", 0, " UP BND       x2");
    expect("\"$B\" convert $P/sections.lp --to json", 3, "berth-mpc-1");
    expect("\"$B\" convert $P/bad/no-data.mod --to json", 3, "no-data.mod:3: no value for I");
    expect("\"$B\" convert $P/bad/latin-1.mps --to json", 3, "latin-1.mps:1:16: byte 0xe4");
    expect("\"$B\" convert $P/bad/bound-crossed.lp --to json", 3, "bound-crossed.lp: x: the lower bound, 5");
    expect("\"$B\" convert $P/bad/check.mod --to json", 3, "check.mod:5: check failed");
#endif
}

static void test_wrong_command_lines(void **state) {
    (void)state;
    expect("\"$B\" convert $P/tiny.json", 2, "-o FILE or --to FORMAT");
    expect("\"$B\" convert $P/tiny.json -o $S/tiny.what", 2, "not known by the name of the file");
    expect("\"$B\" convert $P/tiny.json --to gmpl", 2, "--to: expected auto, json, mps, mps-free or lp");
    expect("\"$B\" convert $P/tiny.json --from nothing --to lp", 2, "--from: expected auto, json,");
    expect("\"$B\" convert", 2, "missing argument");
    expect("cp $P/tiny.json $S/same.json && \"$B\" convert $S/same.json -o $S/same.json", 2, "would replace");
    expect("\"$B\" convert $P/knapsacks.txt --number 0 --to lp", 2, "--number");
    expect("\"$B\" convert $P/nothing.json --to lp", 3, "cannot open");
    expect("\"$B\" convert $P/bad/cost-negative.json --to lp", 3,
           "cost-negative.json: /variables/0/cost: a cost must not");
    expect("\"$B\" convert $P/bad/words.txt --to lp", 3, "words.txt: this is no problem in a format known");
    expect("\"$B\" help convert", 0, "--rename");
    expect("\"$B\" convert $P/tiny.json -o /no/such/folder/x.lp", 5, "cannot write");
}

static int set_up(void **state) {
    (void)state;
    return getenv("BERTH_PROGRAM") != NULL && mkdtemp(scratch) != NULL ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    return run("rm -r $S");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conversions),
        cmocka_unit_test(test_conversions_by_glpk),
        cmocka_unit_test(test_wrong_command_lines),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
