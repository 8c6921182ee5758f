/* What the program prints for people holds no character that a terminal obeys, whatever the names in the files, the
 * names of the files and the words of the command line are; its JSON has all of them, escaped. */
#define _POSIX_C_SOURCE 200809L
#include "tests/support/check.h"
#include "tests/support/program.h"

#include <stdlib.h>
#include <string.h>

/* Escape (clears the screen), bell, delete, next line and control sequence introducer of C1 (red), right-to-left mark,
 * line separator, right-to-left override, isolate; and half a character. */
#define HOSTILE "\033[2J\a\177\302\205\302\23331m\342\200\217\342\200\250\342\200\256\342\201\246x"
#define CUT     "\342\200"
#define PRINTED "?[2J????31m????x"
#define AS_JSON "\\u001b[2J\\u0007\\u007f\\u0085\\u009b31m\\u200f\\u2028\\u202e\\u2066x"
#define FOR_SED "\\\\u001b[2J\\\\u0007\\\\u007f\\\\u0085\\\\u009b31m\\\\u200f\\\\u2028\\\\u202e\\\\u2066x"
#define GOODPUT "instances/goodput/tiny-a.json"
static int set_up(void **state) {
    if (program_set_up(state) != 0 || setenv("H", HOSTILE, 1) != 0 || setenv("J", FOR_SED, 1) != 0 ||
        setenv("CUT", CUT, 1) != 0) {
        return -1;
    }
    return program_run("\"$B\" generate pdors --machines 3 --jobs 9 --slots 12 --seed 4 -o $S/plain.json && "
                       "sed -E 's/\"(id|name)\": \"/&'\"$J\"'/' $S/plain.json > $S/i.json && "
                       "\"$B\" run $S/i.json -q -o $S/r.json > /dev/null");
}

/* Where a terminal would be told to do something, or what is no UTF-8; NULL: nowhere. Byte by byte. */
static const char *find_command(const char *text) {
    static const char *const forbidden[] = {
        "\177",         "\342\200\216", "\342\200\217", "\342\200\250", "\342\200\251", "\342\200\252", "\342\200\253",
        "\342\200\254", "\342\200\255", "\342\200\256", "\342\201\246", "\342\201\247", "\342\201\250", "\342\201\251"};
    for (const unsigned char *at = (const unsigned char *)text; *at != '\0'; at++) {
        if ((*at < 0x20 && *at != '\n') || (*at == 0xc2 && at[1] < 0xa0)) {
            return (const char *)at;
        }
        const size_t more = *at >= 0xf0 ? 3 : *at >= 0xe0 ? 2 : *at >= 0xc0 ? 1 : 0;
        for (size_t k = 1; k <= more; k++) {
            if ((at[k] & 0xc0) != 0x80) {
                return (const char *)at;
            }
        }
        if (more == 0 && *at >= 0x80 && (at == (const unsigned char *)text || at[-1] < 0x80)) {
            return (const char *)at;
        }
    }
    for (size_t k = 0; k < sizeof forbidden / sizeof *forbidden; k++) {
        if (strstr(text, forbidden[k]) != NULL) {
            return strstr(text, forbidden[k]);
        }
    }
    return NULL;
}

/* The command runs, shows the name, and nothing it prints is a command to the terminal. */
static void expect_safe(const char *command, int code, const char *part) {
    program_expect(command, code, part);
    const char *where = find_command(program_text());
    if (where != NULL) {
        fail_msg("%s: byte %02x in:\n%.2000s", command, (unsigned char)*where, program_text());
    }
}

/* The search finds what it is for. */
static void the_search_finds(void **state) {
    (void)state;
    static const char *const bad[] = {"\033",     "a\001",         "\177", "\302\205", "\302\237x", "\342\200\256",
                                      "\342\200", "x\342\201\246", "\200", "\302",     "a\r\n",     "\342\200\217"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        assert_non_null(find_command(bad[k]));
    }
    assert_null(find_command("plain\n\303\244 \302\240 \342\202\254 \360\237\232\200\n"));
}

static void runs(void **state) {
    (void)state;
    expect_safe("\"$B\" run $S/i.json --jobs", 0, PRINTED "j1");
    expect_safe("\"$B\" check $S/i.json $S/r.json", 0, "confirmed");
    expect_safe("sed 's/\"completion_slot\": [0-9][0-9]*/\"completion_slot\": 11/; s/\"utility\": "
                "[0-9][0-9.]*/\"utility\": 5/' $S/r.json > "
                "$S/false.json; \"$B\" check $S/i.json $S/false.json",
                1, "violated: ");
    expect_safe("\"$B\" compare $S/i.json --policies fifo,drf --seeds 2 --bound none", 0, PRINTED "pdors");
    expect_safe("sed 's/\"epochs\"/\"'\"$J\"'\"/' $S/i.json > $S/field.json; \"$B\" run $S/field.json", 3, PRINTED);
    expect_safe(
        "sed 's/\"kind\": \"[a-z]*\"/\"kind\": \"'\"$J\"'\"/' $S/i.json > $S/kind.json; \"$B\" run $S/kind.json", 3,
        PRINTED);
    expect_safe("cp $S/i.json \"$S/$H$CUT\"; \"$B\" check \"$S/$H$CUT\" $S/none", 3, "none");
    expect_safe("\"$B\" check $S/plain.json \"$S/$H$CUT\"", 3, PRINTED "??");
    expect_safe("\"$B\" run \"$S/none$H\"", 3, "none" PRINTED);
    expect_safe("\"$B\" run $S/i.json -o \"$S/none$H/r\"", 5, "none" PRINTED);
    expect_safe("\"$B\" run $S/i.json --\"$H\"", 2, PRINTED);
    expect_safe("\"$B\" run $S/i.json --policy \"$H\"", 2, PRINTED);
    expect_safe("\"$B\" \"$H\"", 2, PRINTED);
    expect_safe("\"$B\" run \"$H\" \"$H\n2\"", 2, PRINTED "?2");
    expect_safe("\"$B\" compare $S/i.json --policies \"fifo:$H\"", 2, PRINTED);
    expect_safe("\"$B\" help \"$H\"", 2, PRINTED);
    expect_safe("\"$B\" schema \"$H\"", 2, PRINTED);
    expect_safe("\"$B\" plot \"$H\" x", 2, PRINTED);
}

static void problems(void **state) {
    (void)state;
    expect_safe("sed -E 's/\"(x|need|room|tiny)\"/\"'\"$J\"'\\1\"/g' $P/tiny.json > $S/p.json; \"$B\" solve $S/p.json",
                0, PRINTED "x ");
    expect_safe("printf 'minimize\\n %s\\nend\\n' \"$H\" > $S/p.lp; \"$B\" solve $S/p.lp", 3, "p.lp");
    expect_safe("printf 'NAME %s\\nROWS\\n Q %s\\n' \"$H\" \"$H\" > $S/p.mps; \"$B\" solve $S/p.mps", 3, "p.mps");
}

static void cohorts(void **state) {
    (void)state;
    expect_safe("printf 'client,%sx,%sy\\n%sa,5,0\\n%sb,7,2\\n' \"$H\" \"$H\" \"$H\" \"$H\" > $S/c.csv; "
                "sed 's/10000/7/; s/: 20,/: null,/' instances/cohort/speech-few.json > $S/q.json; "
                "\"$B\" cohort pick $S/c.csv --request $S/q.json --participants",
                0, PRINTED "b");
    expect_safe("\"$B\" cohort size $S/c.csv --deviation 0.5", 0, PRINTED "a");
    expect_safe(
        "printf 'client,%sx\\n%sa,%s\\n' \"$H\" \"$H\" \"$H\" > $S/d.csv; \"$B\" cohort size $S/d.csv --deviation 1", 3,
        "d.csv:2: expected a count");
    expect_safe("\"$B\" cohort \"$H\"", 2, PRINTED);
}

static void goodputs(void **state) {
    (void)state;
    expect_safe("sed -E 's/\"(id|name)\": \"/&'\"$J\"'/g' " GOODPUT " > $S/g.json; \"$B\" allocate $S/g.json --jobs", 0,
                PRINTED);
    expect_safe("\"$B\" goodput \"$S/none$H\"", 3, PRINTED);
    expect_safe("sed 's/\"format\": \"[^\"]*\"/\"format\": \"'\"$J\"'\"/' " GOODPUT
                " > $S/f.json; \"$B\" allocate $S/f.json",
                3, PRINTED);
    expect_safe("printf 'nodes,replicas,%s\\n' \"$H\" > $S/m.csv; \"$B\" fit $S/m.csv", 3, "m.csv");
}

static void imports(void **state) {
    (void)state;
    expect_safe("printf 'job_id,num_gpus,submit_time,%s\\n' \"$H\" > $S/t.csv; \"$B\" import tiresias $S/t.csv", 3,
                "t.csv");
    expect_safe("\"$B\" import tiresias instances/philly/'../pollux/workload-3.csv'", 3, "workload-3.csv");
    expect_safe("head -3 instances/pollux/workload-3.csv > $S/w.csv; printf '%s,%s,%s,%s,%s\\n' \"$H\" \"$H\" \"$H\" "
                "\"$H\" \"$H\" "
                ">> $S/w.csv; \"$B\" import pollux $S/w.csv --skip-bad -o $S/w.json",
                0, "line 4 skipped: ");
    assert_non_null(strstr(program_text(), PRINTED));
    expect_safe("\"$B\" import \"$H\" x", 2, PRINTED);
}

/* Nothing is lost where programs read. */
static void json_keeps_them(void **state) {
    (void)state;
    static const char escaped[] = "\"id\": \"" AS_JSON "j1\"";
    program_expect("\"$B\" run $S/i.json --json -q", 0, escaped);
    assert_null(find_command(program_text()));
    program_expect("\"$B\" cohort size $S/c.csv --deviation 0.5 --json", 0, "\"" AS_JSON "a\"");
    assert_null(find_command(program_text()));
    program_expect("\"$B\" convert $S/p.json --to json", 0, "\"name\": \"" AS_JSON "x\"");
    assert_null(find_command(program_text()));
    /* What was written is read as what it was. */
    program_expect("\"$B\" run $S/i.json --json -q > $S/again.json; cmp $S/again.json $S/r.json && "
                   "\"$B\" check $S/i.json $S/again.json",
                   0, "confirmed");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_search_finds), cmocka_unit_test(runs),     cmocka_unit_test(problems),
        cmocka_unit_test(cohorts),          cmocka_unit_test(goodputs), cmocka_unit_test(imports),
        cmocka_unit_test(json_keeps_them),
    };
    return cmocka_run_group_tests(tests, set_up, program_tear_down);
}
