/* berth convert as its users meet it. */
#include "tests/support/check.h"
#include "tests/support/program.h"

static void test_conversions(void **state) {
    (void)state;
    program_expect("\"$B\" convert $P/tiny.json --to json | cmp - $P/tiny.json", 0, "");
    program_expect("\"$B\" convert $P/tiny.json -o $S/tiny.lp && cat $S/tiny.lp", 0, " need: + 2 x >= 5");
    program_expect("\"$B\" convert $P/tiny.json -o $S/tiny.lp", 0, "warning: the format has no groups");
    program_expect("\"$B\" convert $P/tiny.json -q -o $S/tiny.lp | wc -c", 0, "0");
    program_expect("\"$B\" convert $P/tiny.json -o $S/tiny.mps && cat $S/tiny.mps", 0, "NAME          tiny");
    program_expect("\"$B\" convert - --to lp < $P/cover.txt", 0, " r4: + x1 + x5 >= 1");
    program_expect("gzip -c $P/cover.txt | \"$B\" convert - --from orlib-scp --to json", 0, "\"name\": \"r4\"");
    program_expect("\"$B\" convert $P/knapsacks.txt --number 2 --to lp", 0, " r2: + x1 + 5 x2 + 2 x3 + x4 <= 7");
    program_expect("\"$B\" convert $P/placement.json --to lp --rename", 0, " r1: + x1 + x2 + x3 + x6 >= 6");
}

static void test_conversions_by_glpk(void **state) {
    (void)state;
#ifndef BERTH_WITH_GLPK
    program_expect("\"$B\" convert $P/sections.lp --to json", 5, "GLPK, whose readers take LP files");
#else
    program_expect(
        "\"$B\" convert $P/tiny.json -o $S/t.lp && \"$B\" convert $S/t.lp -o $S/t.mps && \"$B\" convert $S/t.mps "
        "--to lp | cmp - $S/t.lp",
        0, "");
    program_expect("\"$B\" convert $P/shop.mod --data $P/shop.dat --to json", 0, "\"buy[eggs]\"");
    program_expect("\"$B\" convert $P/odd-sections.mps --to lp", 3, "'job one': LP holds names of");
    program_expect("\"$B\" convert $P/odd-sections.mps --to lp", 3, "(--rename gives all new ones)");
    program_expect("\"$B\" convert $P/odd-sections.mps --to mps --rename", 0, " UP BND       x2");
    program_expect("\"$B\" convert $P/sections.lp --to json", 3, "berth-mpc-1");
    program_expect("\"$B\" convert $P/bad/no-data.mod --to json", 3, "no-data.mod:3: no value for I");
    program_expect("\"$B\" convert $P/bad/latin-1.mps --to json", 3, "latin-1.mps:1:16: byte 0xe4");
    program_expect("\"$B\" convert $P/bad/bound-crossed.lp --to json", 3, "bound-crossed.lp: x: the lower bound, 5");
    program_expect("\"$B\" convert $P/bad/check.mod --to json", 3, "check.mod:5: check failed");
#endif
}

static void test_wrong_command_lines(void **state) {
    (void)state;
    program_expect("\"$B\" convert $P/tiny.json", 2, "-o FILE or --to FORMAT");
    program_expect("\"$B\" convert $P/tiny.json -o $S/tiny.what", 2, "not known by the name of the file");
    program_expect("\"$B\" convert $P/tiny.json --to gmpl", 2, "--to: expected auto, json, mps, mps-free or lp");
    program_expect("\"$B\" convert $P/tiny.json --from nothing --to lp", 2, "--from: expected auto, json,");
    program_expect("\"$B\" convert", 2, "missing argument");
    program_expect("cp $P/tiny.json $S/same.json && \"$B\" convert $S/same.json -o $S/same.json", 2, "would replace");
    program_expect("cp $P/shop.dat $S/s.dat && \"$B\" convert $P/shop.mod --data $S/s.dat -o $S/s.dat --to lp", 2,
                   "would replace");
    program_expect("\"$B\" convert $P/knapsacks.txt --number 0 --to lp", 2, "--number");
    program_expect("\"$B\" convert $P/nothing.json --to lp", 3, "cannot open");
    program_expect("\"$B\" convert $P/bad/cost-negative.json --to lp", 3,
                   "cost-negative.json: /variables/0/cost: a cost must not");
    program_expect("\"$B\" convert $P/bad/words.txt --to lp", 3, "words.txt: this is no problem in a format known");
    program_expect("\"$B\" help convert", 0, "--rename");
    program_expect("\"$B\" convert $P/tiny.json -o /no/such/folder/x.lp", 5, "cannot write");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conversions),
        cmocka_unit_test(test_conversions_by_glpk),
        cmocka_unit_test(test_wrong_command_lines),
    };
    return cmocka_run_group_tests(tests, program_set_up, program_tear_down);
}
