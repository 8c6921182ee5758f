/* berth solve and the check of its solutions as their users meet them. */
#include "tests/support/check.h"
#include "tests/support/program.h"

#include <stdlib.h>
#include <string.h>

/* ---- what is shipped ---- */

static double number_after(const char *label) {
    const char *at = strstr(program_text(), label);
    return at == NULL ? (double)NAN : strtod(at + strlen(label), NULL);
}

/* The outcome that known.tsv gives a problem, and the solution's check. */
static void solve_known(const char *file, const char *options, const char *optimum) {
    char command[1024];
    snprintf(command, sizeof command, "\"$B\" solve \"$P/%s\" %s -q -o $S/k.json --json", file, options);
    int code = program_run(command);
    if (strcmp(optimum, "INFEASIBLE") == 0) {
        assert_int_equal(code, 1);
        assert_non_null(strstr(program_text(), "infeasible"));
    } else {
        assert_int_equal(code, 0);
    }
    snprintf(command, sizeof command, "cat $S/k.json; \"$B\" check \"$P/%s\" $S/k.json %s -q", file, options);
    if (program_run(command) != 0) {
        fail_msg("%s: %s", file, program_text());
    }
    if (strcmp(optimum, "INFEASIBLE") != 0) {
        assert_non_null(strstr(program_text(), "\"outcome\": \"OPTIMAL\""));
        assert_close(number_after("\"cost\": "), strtod(optimum, NULL), 1e-6);
    }
}

static void every_shipped_problem_is_solved(void **state) {
    (void)state;
    char line[512], file[200], data[200], rest[200], optimum[40], options[300];
    int number, n = 0;
    FILE *list = fopen("instances/problems/known.tsv", "r");
    assert_non_null(list);
    while (fgets(line, sizeof line, list) != NULL) {
        if (line[0] == '#') {
            continue;
        }
        assert_int_equal(sscanf(line, "%199[^\t]\t%d\t%199[^\t]\t%199[^\t]\t%39s", file, &number, data, rest, optimum),
                         5);
#ifndef BERTH_WITH_GLPK
        if (strstr(file, ".json") == NULL && strstr(file, ".txt") == NULL) {
            continue; /* by GLPK's readers */
        }
#endif
        bool has_data = strcmp(data, "-") != 0;
        int length = snprintf(options, sizeof options, "%s%s", has_data ? "--data $P/" : "", has_data ? data : "");
        if (number > 1) {
            snprintf(options + length, sizeof options - (size_t)length, " --number %d", number);
        }
        solve_known(file, options, optimum);
        n++;
    }
    fclose(list);
    assert_true(n >= 5);
}

static void malformed_problems_are_refused(void **state) {
    (void)state;
    program_expect(
        "for f in $P/bad/*.json $P/bad/*.txt; do \"$B\" solve $f -o $S/none.json; [ $? = 3 ] || echo \"NOT $f\"; done",
        0, "");
    assert_null(strstr(program_text(), "NOT"));
    program_expect("ls $S/none.json", 2, "");
}

/* ---- methods ---- */

static void every_method_solves_and_is_checked(void **state) {
    (void)state;
    static const char *const methods[] = {"auto",      "randomized", "randomized-exact", "derandomized",
                                          "dependent", "greedy",
#ifdef BERTH_WITH_GLPK
                                          "exact",
#endif
                                          NULL};
    for (size_t k = 0; methods[k] != NULL; k++) {
        char command[400];
        snprintf(command, sizeof command,
                 "\"$B\" solve $P/placement.json --method %s --repair -o $S/m.json && \"$B\" check $P/placement.json "
                 "$S/m.json",
                 methods[k]);
        program_expect(command, 0, "all constraints hold; the bound is confirmed");
    }
    program_expect("\"$B\" solve $P/cover.txt --method dependent", 2, "groups");
    program_expect("\"$B\" solve $P/cover.txt --method dependent --groups x", 0, "OPTIMAL");
}

static void a_seed_fixes_the_solution(void **state) {
    (void)state;
    program_expect(
        "for t in 1 3; do \"$B\" solve $P/placement.json --method randomized --seed 5 --threads $t -o $S/$t.json -q "
        ">$S/out.txt || true; done; cmp $S/1.json $S/3.json && echo same",
        0, "same");
}

static void violations_are_told(void **state) {
    (void)state;
    /* So small a scale rounds everything down. */
    const char *draw = "\"$B\" solve $P/cover.txt --method randomized --trials 1 --scale 0.001 -o $S/v.json";
    char command[400];
    program_expect(draw, 1, "hold within the printed factors only");
    snprintf(command, sizeof command, "%s --allow-violation", draw);
    program_expect(command, 0, "APPROXIMATE");
    program_expect("\"$B\" check $P/cover.txt $S/v.json", 1, "rows hold within the stated factors only");
    program_expect("\"$B\" check $P/cover.txt $S/v.json --allow-violation", 0, "the bound is confirmed");
    snprintf(command, sizeof command, "%s --repair", draw);
    program_expect(command, 0, "OPTIMAL");
}

/* ---- check ---- */

static void changed_solutions_are_caught(void **state) {
    (void)state;
    program_expect("\"$B\" solve $P/tiny.json -q -o $S/t.json && \"$B\" check $P/tiny.json $S/t.json", 0,
                   "the bound is confirmed");
    program_expect("sed 's/\"cost\": 9/\"cost\": 8/' $S/t.json > $S/c.json; \"$B\" check $P/tiny.json $S/c.json", 1,
                   "cost");
    program_expect(
        "sed 's/\"bound\": 9/\"bound\": 9.000000000001/' $S/t.json > $S/c.json; \"$B\" check $P/tiny.json $S/c.json", 1,
        "bound");
    program_expect("sed 's/\"x\": 3/\"x\": 2/' $S/t.json > $S/c.json; \"$B\" check $P/tiny.json $S/c.json", 1, "need");
    program_expect("\"$B\" check $P/cover.txt $S/t.json", 3, "problem");
    program_expect("echo '{\"format\": \"berth-solution-1\", \"method\": \"external\", \"variables\": {\"x\": 3}}' > "
                   "$S/e.json; \"$B\" "
                   "check $P/tiny.json $S/e.json",
                   0, "no bound is claimed");
    program_expect("\"$B\" check $P/tiny.json - < $S/t.json", 0, "the bound is confirmed");
    program_expect("\"$B\" check - $S/t.json < $P/tiny.json", 0, "the bound is confirmed");
}

static void wrong_command_lines(void **state) {
    (void)state;
    program_expect("\"$B\" solve", 2, "missing argument");
    program_expect("\"$B\" solve $P/tiny.json --method magic", 2, "--method");
    program_expect("\"$B\" solve $P/tiny.json --lp cplex", 2, "--lp: expected one of auto");
    program_expect("\"$B\" solve $P/tiny.json --scale 0", 2, "--scale");
    program_expect("\"$B\" solve $P/tiny.json --gap 2", 2, "--gap");
    program_expect("\"$B\" solve $P/nothing.json", 3, "cannot open");
#ifdef BERTH_WITH_GLPK
    program_expect("\"$B\" solve $P/shop.mod --data $P/nothing.dat", 3, "nothing.dat: cannot open");
#endif
    program_expect("cp $P/tiny.json $S/same.json && \"$B\" solve $S/same.json -o $S/same.json", 2, "would replace");
    program_expect("\"$B\" solve $P/tiny.json -o /no/such/folder/x.json", 5, "cannot write");
    program_expect("\"$B\" solve $P/tiny.json --json --variables", 2, "--variables");
    program_expect("\"$B\" help solve", 0, "--method");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shipped_problem_is_solved),
        cmocka_unit_test(malformed_problems_are_refused),
        cmocka_unit_test(every_method_solves_and_is_checked),
        cmocka_unit_test(a_seed_fixes_the_solution),
        cmocka_unit_test(violations_are_told),
        cmocka_unit_test(changed_solutions_are_caught),
        cmocka_unit_test(wrong_command_lines),
    };
    return cmocka_run_group_tests(tests, program_set_up, program_tear_down);
}
