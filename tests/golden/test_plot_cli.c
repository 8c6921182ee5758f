/* berth plot as its users meet it: pictures that gnuplot draws, pages, hostile names, what is wrong. Needs gnuplot. */
#include "tests/support/check.h"
#include "tests/support/markup.h"
#include "tests/support/plot_case.h"
#include "tests/support/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "formats/bytes.h"

static int set_up(void **state) {
    if (program_set_up(state) != 0) {
        return -1;
    }
    return program_run(
        "\"$B\" generate pdors --machines 3 --jobs 9 --slots 12 --seed 4 -o $S/i.json && "
        "\"$B\" generate pdors --machines 3 --jobs 9 --slots 12 --seed 5 -o $S/other.json && "
        "\"$B\" run $S/i.json -q --policy pdors-ci -o $S/r.json > /dev/null && "
        "\"$B\" run $S/i.json -q --policy srtf --bound none -o $S/bare.json > /dev/null && "
        "\"$B\" compare $S/i.json -q --policies fifo,srtf --seeds 3 --no-times -o $S/c.json > /dev/null");
}

/* The file of the scratch folder; berth__free it. */
static char *file_of(const char *name, size_t *length) {
    char path[512];
    berth_error error = {0};
    char *text = NULL;
    program_expect("echo $S", 0, "/");
    snprintf(path, sizeof path, "%.*s/%s", (int)strcspn(program_text(), "\n"), program_text(), name);
    assert_ok(berth__bytes_read(path, BERTH__MAX_INPUT, &text, length, &error), error);
    return text;
}

static char *markup_of(const char *name) {
    size_t length;
    char problem[256], *text = file_of(name, &length);
    if (!markup_is_well_formed(text, length, problem, sizeof problem)) {
        fail_msg("%s: %s", name, problem);
    }
    return text;
}

/* The file is a PNG of that size. */
static void expect_png(const char *name, unsigned width, unsigned height) {
    static const unsigned char signature[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    size_t length;
    char *bytes = file_of(name, &length);
    const unsigned char *at = (const unsigned char *)bytes + 16;
    assert_true(length > 100);
    assert_memory_equal(bytes, signature, sizeof signature);
    assert_int_equal((unsigned)at[2] << 8 | at[3], width);
    assert_int_equal((unsigned)at[6] << 8 | at[7], height);
    berth__free(bytes);
}

static void pictures_are_drawn(void **state) {
    (void)state;
    static const struct {
        const char *kind, *files, *label;
    } kinds[] = {{"gantt", "$S/i.json $S/r.json", "slot (one slot = 1 h)"},
                 {"utilisation", "$S/i.json $S/r.json", "capacity in use, %"},
                 {"prices", "$S/i.json $S/r.json", "utility per gpu and slot"},
                 {"policies", "$S/c.json --metric mean_delay_slots", "mean delay, slots"}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        char command[512];
        snprintf(command, sizeof command,
                 "\"$B\" plot %s %s -o $S/p.svg && \"$B\" plot %s %s > $S/q.svg && cmp $S/p.svg $S/q.svg && "
                 "\"$B\" plot %s %s --size 500x640 --theme dark -o $S/p.png && "
                 "\"$B\" plot %s %s --script | gnuplot -d - > $S/q.svg && cmp $S/p.svg $S/q.svg",
                 kinds[k].kind, kinds[k].files, kinds[k].kind, kinds[k].files, kinds[k].kind, kinds[k].files,
                 kinds[k].kind, kinds[k].files);
        program_expect(command, 0, "");
        assert_string_equal(program_text(), "");
        char *svg = markup_of("p.svg");
        assert_non_null(strstr(svg, "width=\"960\""));
        assert_non_null(strstr(svg, kinds[k].label));
        assert_non_null(strstr(svg, "#ffffff"));
        berth__free(svg);
        expect_png("p.png", 500, 640);
    }
    program_expect("\"$B\" plot gantt $S/i.json $S/r.json --as png > $S/p.svg", 0, "");
    expect_png("p.svg", 960, 334);
    program_expect("gzip -k $S/r.json; \"$B\" plot gantt - $S/r.json.gz < $S/i.json | grep -c '</svg>'", 0, "1\n");
    program_expect("\"$B\" plot gantt $S/i.json $S/r.json --script", 0, "$rows << EOD\n0 12 ");
    program_expect("\"$B\" help plot", 0, "Debian: gnuplot-nox");
    program_expect("\"$B\" help", 0, "\n  plot ");
}

static void pages_are_written(void **state) {
    (void)state;
    program_expect("\"$B\" plot --html $S/run.html $S/i.json $S/r.json $S/bare.json && "
                   "\"$B\" plot --html $S/c.html $S/c.json && \"$B\" plot --html - $S/c.json | cmp - $S/c.html && "
                   "\"$B\" plot --html - - < $S/c.json | cmp - $S/c.html && "
                   "\"$B\" compare $S/i.json -q --policies fifo,srtf --seeds 3 --no-times --html $S/d.html > /dev/null "
                   "&& cmp $S/c.html $S/d.html",
                   0, "");
    char *run = markup_of("run.html"), *comparison = markup_of("c.html");
    assert_int_equal(markup_count(run, "img"), 5);
    assert_int_equal(markup_count(comparison, "img"), 6);
    assert_non_null(strstr(run, "data:image/svg+xml;base64,PD94bWw")); /* <?xml */
    assert_null(strstr(run, "http:"));
    assert_null(strstr(comparison, "http:"));
    assert_null(strstr(comparison, "time of a run"));
    berth__free(run);
    berth__free(comparison);
}

/* Names that would run commands in gnuplot's strings, or break out of markup. */
static void hostile_names_stay_names(void **state) {
    (void)state;
    berth_error error = {0};
    berth_instance *instance = hostile_instance();
    char path[512];
    program_expect("mkdir -p $S/h; echo $S/h/i.json", 0, "/");
    snprintf(path, sizeof path, "%.*s", (int)strcspn(program_text(), "\n"), program_text());
    assert_ok(berth_instance_write(instance, path, &error), error);
    berth_instance_free(instance);
    program_expect("cd $S/h && \"$B\" run i.json -q --policy pdors-ci -o r.json > /dev/null && "
                   "\"$B\" compare i.json -q --policies fifo,srtf --seeds 2 -o c.json --html c.html > /dev/null && "
                   "for k in gantt utilisation prices; do \"$B\" plot $k i.json r.json -o $k.svg || exit 9; "
                   "\"$B\" plot $k i.json r.json -o $k.png || exit 9; done; "
                   "\"$B\" plot policies c.json -o policies.svg && \"$B\" plot --html r.html i.json r.json && "
                   "ls | tr '\\n' ' '",
                   0,
                   "c.html c.json gantt.png gantt.svg i.json policies.svg prices.png prices.svg r.html r.json "
                   "utilisation.png utilisation.svg ");
    static const char *const files[] = {"h/gantt.svg",    "h/utilisation.svg", "h/prices.svg",
                                        "h/policies.svg", "h/r.html",          "h/c.html"};
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        char *text = markup_of(files[k]);
        assert_int_equal(markup_count(text, "script"), 0);
        assert_null(strstr(text, "<img src=x"));
        assert_non_null(strstr(text, "&lt;/script"));
        berth__free(text);
    }
    char *svg = markup_of("h/gantt.svg");
    assert_non_null(strstr(svg, "onerror=\u2019hostile()\u2019"));
    berth__free(svg);
    program_expect("test ! -e hostile && test ! -e $S/h/hostile", 0, "");
}

/* gnuplot takes quotes at the beginning of a string for doubled ones, and passes references to characters on. */
static void odd_names_are_drawn(void **state) {
    (void)state;
    program_expect(
        "mkdir -p $S/odd && cd $S/odd && \"$B\" generate pdors --machines 2 --jobs 4 --slots 6 -q | "
        "sed \"s/\\\"name\\\": \\\"node\\\"/\\\"name\\\": \\\"''a''b \\&#x \\&#x1;\\\"/\" > i.json && grep -q \"''a''b "
        "&#x\" i.json && "
        "\"$B\" run i.json -q --policy fifo -o r.json > /dev/null && \"$B\" plot gantt i.json r.json -o g.svg && "
        "\"$B\" plot gantt i.json r.json -o g.png",
        0, "");
    char *svg = markup_of("odd/g.svg"); /* well formed */
    assert_non_null(strstr(svg, "\u2019\u2019a\u2019\u2019b"));
    assert_null(strstr(svg, "&#"));
    berth__free(svg);
}

static void wrong_usage_is_told(void **state) {
    (void)state;
    static const struct {
        const char *words;
        int code;
        const char *message;
    } cases[] = {
        {"", 2, "missing argument"},
        {"gant $S/i.json $S/r.json", 2, "did you mean 'gantt'"},
        {"pie $S/i.json $S/r.json", 2, "there are gantt, utilisation, prices and policies"},
        {"gantt $S/i.json", 2, "gantt: expected INSTANCE RESULT"},
        {"policies $S/i.json $S/r.json", 2, "policies: expected COMPARISON"},
        {"gantt - -", 2, "only one file can come from standard input"},
        {"gantt $S/r.json $S/i.json", 3, "r.json: /format"},
        {"gantt $S/i.json $S/c.json", 3, "c.json: /format"},
        {"policies $S/r.json", 3, "expected \"berth-comparison-1\""},
        {"gantt $S/none.json $S/r.json", 3, "none.json"},
        {"gantt $S/other.json $S/r.json", 3, "r.json: /instance"},
        {"prices $S/i.json $S/bare.json", 3, "bare.json: the result carries no certificate"},
        {"prices $S/i.json $S/bare.json --certificate $S/i.json", 3, "i.json"},
        {"policies $S/c.json --metric speed", 2, "--metric: expected utility, "},
        {"policies $S/c.json --metric time_s", 3, "c.json: the comparison has no value of the metric time_s"},
        {"gantt $S/i.json $S/r.json --metric utility", 2, "--metric has no meaning here"},
        {"gantt $S/i.json $S/r.json --size 12", 2,
         "--size: expected pixels like 960x540, each from 200 to 10000, got '12'"},
        {"gantt $S/i.json $S/r.json --size 100x100", 2, "--size: expected pixels like 960x540, each from 200 to 10000"},
        {"gantt $S/i.json $S/r.json --size 0x0", 2, "--size: expected pixels like 960x540, each from 200 to 10000"},
        {"gantt $S/i.json $S/r.json --size 0x540", 2, "got '0x540'"},
        {"gantt $S/i.json $S/r.json --size 960x10001", 2, "got '960x10001'"},
        {"gantt $S/i.json $S/r.json --size 960x540x2", 2, "--size"},
        {"gantt $S/i.json $S/r.json --theme grey", 2, "--theme: expected light or dark"},
        {"gantt $S/i.json $S/r.json --as gif", 2, "--as: expected auto, svg or png"},
        {"gantt $S/i.json $S/r.json -o $S/r.json", 2, "would replace"},
        {"gantt $S/i.json $S/r.json -o $S/u.pdf", 2, "pictures are .svg or .png, not .pdf"},
        {"gantt $S/i.json $S/r.json -o $S/none/p.svg", 5, "cannot write"},
        {"gantt $S/i.json $S/r.json > /dev/full", 5, "standard output"},
        {"--html $S/p.html gantt $S/i.json $S/r.json", 2, "without 'gantt'"},
        {"--html $S/p.html $S/i.json", 2, "expected INSTANCE RESULT... or COMPARISON"},
        {"--html $S/p.html $S/none.json", 3, "none.json: cannot open"},
        {"--html $S/p.html $S", 3, "it is a directory"},
        {"--html $S/p.html $S/later.json", 3, "later.json: /format: the format is \"berth-comparison-2\""},
        {"--html $S/p.html $S/r.json", 3, "r.json: /format: the format is \"berth-run-1\""},
        {"--html $S/p.html /dev/null", 3, "the file is empty"},
        {"--html $S/p.html $S/other.json $S/r.json", 3, "r.json: /instance"},
        {"--html $S/r.json $S/i.json $S/r.json", 2, "would replace"},
        {"--html $S/p.html $S/i.json $S/r.json --theme dark", 2, "--theme has no meaning here"},
        {"--html $S/none/p.html $S/c.json", 5, "cannot write"},
    };
    program_expect("sed 's/berth-comparison-1/berth-comparison-2/' $S/c.json > $S/later.json", 0, "");
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char command[512];
        snprintf(command, sizeof command, "\"$B\" plot %s", cases[k].words);
        program_expect(command, cases[k].code, cases[k].message);
    }
    program_expect("test ! -e $S/p.html && test ! -e $S/p.svg.tmp*", 0, "");
    program_expect("\"$B\" compare $S/i.json --html -", 2, "--html: expected a file's name");
    program_expect("\"$B\" compare $S/i.json --html $S/x --csv $S/x", 2, "--csv and --html name the same file");
    program_expect("\"$B\" compare $S/i.json --html $S/i.json", 2, "--html would replace the instance");
}

/* Programs of that name that are not there, do not draw, do not read, die, wait. */
static void trouble_with_gnuplot_is_told(void **state) {
    (void)state;
    static const struct {
        const char *gnuplot;
        const char *message;
    } cases[] = {
        {"echo no idea >&2; exit 3", "gnuplot failed (exit 3): no idea"},
        {"exit 1", "gnuplot failed (exit 1)"},
        {"cat > /dev/null", "gnuplot gave no picture"},
        {"kill -9 $$", "gnuplot was killed by signal 9"},
        {"exec <&-; exec sleep 0.1", "gnuplot gave no picture"},
        {"cat > /dev/null; echo gnuplot 5.4", "what gnuplot gave is no SVG"},
        {"cat > /dev/null; echo \"<svg/>\"; exit 4", "gnuplot failed (exit 4)"},
        {"cat > /dev/null; echo \"<svg><g>\"", "what gnuplot gave is no SVG"},
        {"cat", "what gnuplot gave is no SVG"},
        {"gnuplot=$(which -a gnuplot | sed -n 2p); $gnuplot -d - | head -c 2000", "what gnuplot gave is no SVG"},
        {"yes | head -c 1000000 >&2; exit 2", "gnuplot failed (exit 2): y"},
    };
    program_expect("mkdir -p $S/empty $S/bin; PATH=$S/empty \"$B\" plot gantt $S/i.json $S/r.json", 5,
                   "berth plot: gnuplot is not installed (Debian package: gnuplot-nox)");
    program_expect("PATH=$S/empty \"$B\" plot --html $S/p.html $S/i.json $S/r.json", 5, "gnuplot is not installed");
    program_expect("PATH=$S/empty \"$B\" compare $S/i.json -q --policies fifo --seeds 2 -o $S/never --html $S/p.html",
                   5, "berth compare: gnuplot is not installed");
    program_expect("test ! -e $S/p.html && test ! -e $S/never", 0, ""); /* before the work */
    program_expect("PATH=$S/empty \"$B\" plot gantt $S/i.json $S/r.json --script", 0, "plot $rows");
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char command[768];
        snprintf(command, sizeof command,
                 "printf '#!/bin/sh\\n%%s\\n' '%s' > $S/bin/gnuplot; chmod +x $S/bin/gnuplot; "
                 "PATH=$S/bin:$PATH \"$B\" plot gantt $S/i.json $S/r.json -o $S/trouble.svg",
                 cases[k].gnuplot);
        program_expect(command, 5, cases[k].message);
    }
    program_expect("test ! -e $S/trouble.svg", 0, "");
    program_expect("printf '#!/bin/sh\ncat > /dev/null; echo \"<svg></svg>\"\n' > $S/bin/gnuplot; "
                   "PATH=$S/bin:$PATH \"$B\" plot gantt $S/i.json $S/r.json -o $S/trouble.png",
                   5, "what gnuplot gave is no PNG");
    program_expect("PATH=$S/bin:$PATH \"$B\" compare $S/i.json -q --policies fifo --html $S/p.html", 5,
                   "gnuplot does not say its version");
    program_expect("printf '#!/bin/sh\ncat > /dev/null; echo 5.4\n' > $S/bin/gnuplot; "
                   "PATH=$S/bin:$PATH \"$B\" compare $S/i.json -q --policies fifo --html $S/p.html; code=$?; "
                   "test ! -e $S/trouble.png && test ! -e $S/p.html && exit $code",
                   5, "what gnuplot gave is no SVG");
    /* A signal ends the wait, and the child. */
    program_expect("printf '#!/bin/sh\\necho $$ > %s; exec sleep 100\\n' $S/child > $S/bin/gnuplot; "
                   "PATH=$S/bin:$PATH \"$B\" plot gantt $S/i.json $S/r.json & "
                   "until test -s $S/child; do sleep 0.01; done; kill -TERM $!; wait $!; code=$?; "
                   "! kill -0 $(cat $S/child) && exit $code",
                   4, "stopped by a signal");
}

/* Several times what the pipes hold, in and out. */
static void large_scripts_do_not_block(void **state) {
    (void)state;
    program_expect("\"$B\" generate pdors --machines 24 --load 1 --slots 100 --seed 2 -o $S/l.json && "
                   "\"$B\" run $S/l.json -q --policy srtf --bound none -o $S/lr.json > /dev/null && "
                   "\"$B\" plot gantt $S/l.json $S/lr.json --size 3000x3000 --script > $S/l.gp && "
                   "\"$B\" plot gantt $S/l.json $S/lr.json --size 3000x3000 -o $S/l.svg && "
                   "gnuplot -d - < $S/l.gp | cmp - $S/l.svg && "
                   "test $(wc -c < $S/l.gp) -gt 150000 && test $(wc -c < $S/l.svg) -gt 500000",
                   0, "");
    /* One that answers before it has heard all. */
    program_expect("printf '#!/bin/sh\\necho \"<svg>\"; head -c 1000000 /dev/zero | tr \"\\\\000\" x; cat > /dev/null; "
                   "echo \"</svg>\"\\n' > $S/bin/gnuplot; "
                   "PATH=$S/bin:$PATH \"$B\" plot gantt $S/l.json $S/lr.json --size 3000x3000 | wc -c",
                   0, "1000013\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pictures_are_drawn),         cmocka_unit_test(pages_are_written),
        cmocka_unit_test(hostile_names_stay_names),   cmocka_unit_test(odd_names_are_drawn),
        cmocka_unit_test(wrong_usage_is_told),        cmocka_unit_test(trouble_with_gnuplot_is_told),
        cmocka_unit_test(large_scripts_do_not_block),
    };
    return cmocka_run_group_tests(tests, set_up, program_tear_down);
}
