/* Plots and pages: that bars say what a run holds, that scripts are scripts whatever names are in them, that pages are
 * well formed and refer to nothing. Pictures themselves are tested with the program, which has gnuplot. */
#include "tests/support/check.h"
#include "tests/support/markup.h"
#include "tests/support/own_folder.h"
#include "tests/support/plot_case.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/pcg.h"
#include "report/gantt.h"
#include "report/names.h"

/* ---- names ---- */

static void test_names(void **state) {
    (void)state;
    char name[BERTH__NAME_ROOM];
    assert_string_equal(berth__clean_name(name, "node-0", 6), "node-0");
    assert_string_equal(berth__clean_name(name, "node-10", 6), "node-\xe2\x80\xa6");
    assert_string_equal(berth__clean_name(name, "a\nb\x7f\x1b[c", 20), "a?b??[c");
    assert_string_equal(berth__clean_name(name, "\xc3\xa4\xe6\xbc\xa2\xf0\x9f\x98\x80", 20),
                        "\xc3\xa4\xe6\xbc\xa2\xf0\x9f\x98\x80");
    assert_string_equal(berth__clean_name(name, "\xc3\xa4\xe6\xbc\xa2\xf0\x9f\x98\x80", 2), "\xc3\xa4\xe2\x80\xa6");
    /* Cut off, stray, C1, a direction override, U+FFFE. */
    assert_string_equal(berth__clean_name(name, "x\xe6\xbc|\x80|\xc2\x85|\xe2\x80\xae|\xef\xbf\xbe", 20),
                        "x??|?|?|?|?");
    assert_string_equal(berth__clean_name(name, "", 5), "");
    assert_int_equal(berth__columns("ab\xc3\xa4\xe6\xbc\xa2"), 5);
    assert_string_equal(berth__slot_length(name, 7200), "2 h");
    assert_string_equal(berth__slot_length(name, 5400), "90 min");
    assert_string_equal(berth__slot_length(name, 86400), "1 d");
    assert_string_equal(berth__slot_length(name, 0.5), "0.5 s");
}

/* ---- bars ---- */

/* What a job holds of a cell: the definition, with no list of anything. */
static double share_of(const berth_instance *in, const berth_run *run, size_t job, size_t row, int bin,
                       const berth__gantt *g) {
    double largest = 0;
    for (size_t r = 0; r < in->n_resources; r++) {
        double held = 0, capacity = 0;
        for (size_t i = row * g->machines_per_row; i < in->n_machines && i / g->machines_per_row == row; i++) {
            for (int slot = 0; slot < in->horizon_slots; slot++) {
                capacity += slot / g->slots_per_bin == bin ? in->capacity[i * in->n_resources + r] : 0;
            }
        }
        for (size_t s = 0; s < run->jobs[job].n_slots; s++) {
            const berth_slot_plan *plan = &run->jobs[job].slots[s];
            for (size_t k = 0; k < plan->n_placements && plan->slot / g->slots_per_bin == bin; k++) {
                const berth_placement *p = &plan->placements[k];
                if ((size_t)p->machine / g->machines_per_row == row) {
                    held += p->workers * in->jobs[job].worker[r] + p->ps * in->jobs[job].ps[r];
                }
            }
        }
        largest = capacity > 0 && held / capacity > largest ? held / capacity : largest;
    }
    return largest;
}

/* Bars of a cell are within it, apart from each other, one for each job that is large enough, as high as its share. */
static void check_cell(const berth_instance *in, const berth_run *run, size_t row, int bin, double least,
                       const berth__gantt *g) {
    const berth__bar *inside[256];
    size_t n = 0, expected = 0;
    double sum = 0, small = 0, lumped = 0;
    for (size_t k = 0; k < g->n_bars; k++) {
        const berth__bar *bar = &g->bars[k];
        if (bar->row == row && bar->from / g->slots_per_bin <= bin && bin * g->slots_per_bin < bar->to) {
            assert_true(n < 256 && bar->low >= 0 && bar->low < bar->high && bar->high <= 1 + 1e-9);
            for (size_t other = 0; other < n; other++) {
                assert_true(bar->low >= inside[other]->high - 1e-8 || bar->high <= inside[other]->low + 1e-8);
            }
            inside[n++] = bar;
        }
    }
    for (size_t job = 0; job < run->n_jobs; job++) {
        sum += share_of(in, run, job, row, bin, g);
    }
    for (size_t job = 0; job < run->n_jobs; job++) {
        const double share = share_of(in, run, job, row, bin, g) / fmax(sum, 1);
        double found = 0;
        for (size_t k = 0; k < n; k++) {
            found += inside[k]->job == job ? inside[k]->high - inside[k]->low : 0;
        }
        if (fabs(share - least) > 1e-9) { /* on the edge either will do */
            assert_close(found, share < least ? 0 : share, 1e-6);
        }
        small += found == 0 ? share : 0;
        expected += found > 0;
    }
    for (size_t k = 0; k < n; k++) {
        lumped += inside[k]->job == BERTH__OTHERS ? inside[k]->high - inside[k]->low : 0;
    }
    assert_close(lumped, small, 1e-6);
    assert_int_equal(n, expected + (small > 0));
}

static void test_bars(void **state) {
    (void)state;
    static const char *const policies[] = {"fifo", "drf", "srtf", "pdors-ci"};
    berth__pcg random = berth__pcg_seed(3, 0);
    size_t bars = 0, grouped = 0, lumps = 0;
    for (size_t round = 0; round < 40; round++) {
        const size_t machines = (size_t)berth__pcg_integer(&random, 1, 9);
        berth_instance *in = plain_instance(machines, (size_t)berth__pcg_integer(&random, 1, 12),
                                            (int)berth__pcg_integer(&random, 1, 20), round);
        berth_run *run = run_of(in, policies[round % 4], BERTH_BOUND_NONE);
        const size_t most_rows = (size_t)berth__pcg_integer(&random, 1, 9);
        const size_t most_bins = (size_t)berth__pcg_integer(&random, 1, 20);
        const double least = round % 3 == 0 ? 0 : 0.02 * (double)berth__pcg_integer(&random, 1, 10);
        berth_error error = {0};
        berth__gantt g;
        assert_ok(berth__gantt_layout(in, run, most_rows, most_bins, least, &g, &error), error);
        assert_true(g.n_rows <= most_rows && g.n_rows * g.machines_per_row >= machines);
        assert_true((size_t)((in->horizon_slots - 1) / g.slots_per_bin + 1) <= most_bins);
        for (size_t row = 0; row < g.n_rows; row++) {
            for (int bin = 0; bin * g.slots_per_bin < in->horizon_slots; bin++) {
                check_cell(in, run, row, bin, least, &g);
            }
        }
        bars += g.n_bars;
        grouped += g.machines_per_row > 1 && g.slots_per_bin > 1;
        for (size_t k = 0; k < g.n_bars; k++) {
            lumps += g.bars[k].job == BERTH__OTHERS;
        }
        berth__gantt_free(&g);
        berth_run_free(run);
        berth_instance_free(in);
    }
    assert_true(bars > 300 && grouped > 5 && lumps > 10);
}

/* A job that stays as it is is one bar, also when another below it ends. */
static void test_bars_stay(void **state) {
    (void)state;
    berth_instance *in = plain_instance(1, 2, 6, 1);
    berth_error error = {0};
    berth_placement one[] = {{.machine = 0, .workers = 1}};
    berth_slot_plan plans[2][6];
    berth_run_job jobs[2] = {{.n_slots = 3, .slots = plans[0]}, {.n_slots = 6, .slots = plans[1]}};
    berth_run run = {.n_jobs = 2, .jobs = jobs};
    for (int slot = 0; slot < 6; slot++) {
        plans[0][slot] = plans[1][slot] = (berth_slot_plan){.slot = slot, .n_placements = 1, .placements = one};
    }
    plans[1][5].slot = 99; /* of somebody else's making */
    berth__gantt g;
    assert_ok(berth__gantt_layout(in, &run, 10, 10, 0, &g, &error), error);
    assert_int_equal(g.n_bars, 2);
    assert_true(g.bars[0].job == 0 && g.bars[0].from == 0 && g.bars[0].to == 3 && g.bars[0].low == 0);
    assert_true(g.bars[1].job == 1 && g.bars[1].from == 0 && g.bars[1].to == 5 && g.bars[1].low > 0);
    berth__gantt_free(&g);
    berth_instance_free(in);
}

/* ---- scripts ---- */

/* A line of a script without its strings: single quotes only, closed, nothing that runs a command. */
static void check_line(const char *line, size_t length) {
    char rest[4096];
    size_t n = 0;
    bool quoted = false;
    assert_true(length < sizeof rest);
    for (size_t k = 0; k < length; k++) {
        assert_true((unsigned char)line[k] >= ' ' && line[k] != 127);
        if (line[k] == '\'') {
            quoted = !quoted; /* '' closes and opens again */
        } else if (!quoted) {
            rest[n++] = line[k];
        }
    }
    rest[n] = '\0';
    assert_false(quoted);
    if (rest[0] != '#' && (strpbrk(rest, "\"`!@;{") != NULL || strstr(rest, "system") != NULL)) {
        fail_msg("not a line of ours: %.*s", (int)length, line);
    }
}

static void check_script(const berth_plot_script *script) {
    bool data = false;
    for (const char *line = script->text; *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        if (data) {
            data = strncmp(line, "EOD\n", 4) != 0;
            assert_true(!data || strspn(line, "0123456789+-.e ") == length);
        } else {
            check_line(line, length);
            data = length > 7 && line[0] == '$' && strncmp(line + length - 7, " << EOD", 7) == 0;
        }
        line += length;
        assert_true(*line++ == '\n');
    }
    assert_false(data);
    assert_true(strlen(script->text) == script->length);
}

static berth_plot_script *script_of(berth_plot plot, const berth_instance *in, const berth_run *run,
                                    const berth_plot_options *options) {
    berth_error error = {0};
    berth_plot_script *script = NULL;
    assert_ok(berth_plot_run(plot, in, run, options, &script, &error), error);
    check_script(script);
    return script;
}

static void expect_in(const berth_plot_script *script, const char *part) {
    if (strstr(script->text, part) == NULL) {
        fail_msg("\"%s\" is not in:\n%.4000s", part, script->text);
    }
}

static void test_scripts(void **state) {
    (void)state;
    berth_instance *in = plain_instance(4, 20, 12, 2);
    berth_run *run = run_of(in, "pdors-ci", BERTH_BOUND_DUAL);
    berth_plot_options options;
    berth_plot_options_init(&options);
    berth_plot_script *script = script_of(BERTH_PLOT_GANTT, in, run, &options);
    expect_in(script, "set terminal svg size 960,");
    expect_in(script, "slot (one slot = 1 h)");
    expect_in(script, in->machines[3]);
    expect_in(script, "Jobs on machines: pdors under pdors-ci");
    assert_non_null(strstr(script->caption, "A row is a machine;"));
    berth_plot_script_free(script);
    options.format = BERTH_PICTURE_PNG;
    options.theme = BERTH_THEME_DARK;
    options.width = 400;
    options.height = 300;
    options.scale = 2;
    options.bare = true;
    script = script_of(BERTH_PLOT_UTILISATION, in, run, &options);
    expect_in(script, "set terminal pngcairo size 800,600");
    expect_in(script, "capacity in use, %");
    expect_in(script, "'memory_gb'");
    expect_in(script, "#14181d");
    assert_null(strstr(script->text, "Utilisation:"));
    assert_string_equal(script->heading, "Utilisation: pdors under pdors-ci");
    assert_true(script->width == 400 && script->height == 300);
    berth_plot_script_free(script);
    script = script_of(BERTH_PLOT_PRICES, in, run, NULL);
    expect_in(script, "'utility per gpu and slot'");
    expect_in(script, "one slot = 1 h");
    berth_plot_script_free(script);
    berth_run_free(run);
    berth_instance_free(in);
}

static void test_taken_together(void **state) {
    (void)state;
    berth_instance *in = plain_instance(100, 40, 600, 2);
    berth_run *run = run_of(in, "fifo", BERTH_BOUND_NONE);
    berth_plot_script *script = script_of(BERTH_PLOT_GANTT, in, run, NULL);
    assert_non_null(strstr(script->caption, "A row is 3 machines in the order of the instance, taken together (100 "
                                            "machines in 34 rows), and 3 slots are taken together"));
    expect_in(script, "'node-0 +2'");
    berth_plot_script_free(script);
    berth_plot_options options;
    berth_plot_options_init(&options);
    options.width = 360;
    script = script_of(BERTH_PLOT_UTILISATION, in, run, &options);
    assert_non_null(strstr(script->caption, "Means over 5 slots each."));
    berth_plot_script_free(script);
    berth_run_free(run);
    berth_instance_free(in);
}

static void test_hostile_scripts(void **state) {
    (void)state;
    berth_instance *in = hostile_instance();
    berth_run *run = run_of(in, "pdors-ci", BERTH_BOUND_DUAL);
    assert_int_equal(run->summary.completed, 5);
    for (int plot = BERTH_PLOT_GANTT; plot <= BERTH_PLOT_PRICES; plot++) {
        berth_plot_script *script = script_of((berth_plot)plot, in, run, NULL);
        expect_in(script, "</script><img src=x onerror=\u2019hostile()\u2019"); /* in the heading */
        expect_in(script, "noenhanced");
        assert_null(strchr(script->heading, '\n'));
        berth_plot_script_free(script);
    }
    berth_run_free(run);
    berth_instance_free(in);
}

static void test_wrong_plots(void **state) {
    (void)state;
    berth_instance *in = plain_instance(2, 3, 8, 2), *other = plain_instance(2, 3, 8, 3);
    berth_run *run = run_of(in, "fifo", BERTH_BOUND_NONE);
    berth_plot_script *script = (berth_plot_script *)1;
    berth_plot_options options;
    berth_error error = {0};
    assert_int_equal(berth_plot_run(BERTH_PLOT_PRICES, in, run, NULL, &script, &error), BERTH_E_INPUT);
    assert_null(script);
    assert_non_null(strstr(error.message, "no certificate"));
    assert_int_equal(berth_plot_run(BERTH_PLOT_GANTT, other, run, NULL, &script, &error), BERTH_E_MISMATCH);
    assert_int_equal(berth_plot_run(BERTH_PLOT_POLICIES, in, run, NULL, &script, &error), BERTH_E_ARGUMENT);
    berth_plot_options_init(&options);
    options.width = 199;
    assert_int_equal(berth_plot_run(BERTH_PLOT_GANTT, in, run, &options, &script, &error), BERTH_E_ARGUMENT);
    assert_string_equal(error.where, "size");
    options.width = 0;
    options.scale = (double)NAN;
    assert_int_equal(berth_plot_run(BERTH_PLOT_GANTT, in, run, &options, &script, &error), BERTH_E_ARGUMENT);
    berth_run_free(run);
    berth_instance_free(other);
    berth_instance_free(in);
}

/* ---- comparisons ---- */

/* seeds = 0: the instances are pooled. */
static berth_comparison *comparison_of(size_t n, const berth_instance *const *instances, size_t seeds) {
    static const char *const policies[] = {"srtf", "fifo"};
    berth_error error = {0};
    berth_comparison *c = NULL;
    berth_compare_options options;
    berth_compare_options_init(&options);
    options.policies = policies;
    options.n_policies = 2;
    options.seeds = seeds == 0 ? options.seeds : seeds;
    options.pool = seeds == 0;
    options.first_seed = UINT64_MAX - (seeds == 0 ? n : seeds) + 1;
    options.jobs = 1;
    options.run.bound = BERTH_BOUND_DUAL;
    assert_ok(berth_compare(n, instances, &options, &c, &error), error);
    return c;
}

static void expect_same_files(const char *a, const char *b) {
    char *first = get_file(a), *second = get_file(b);
    assert_string_equal(first, second);
    berth__free(first);
    berth__free(second);
}

static void test_comparisons_read_back(void **state) {
    (void)state;
    berth_instance *a = plain_instance(2, 4, 8, 1), *b = hostile_instance();
    const berth_instance *instances[] = {a, b};
    berth_error error = {0};
    for (int measured = 0; measured < 2; measured++) {
        for (size_t seeds = 0; seeds < 4; seeds++) {
            berth_comparison *c = comparison_of(2, instances, seeds), *again = NULL;
            assert_ok(berth_comparison_write(c, BERTH_COMPARISON_JSON, measured, path_of("1"), &error), error);
            assert_ok(berth_comparison_read(path_of("1"), &again, &error), error);
            assert_ok(berth_comparison_write(again, BERTH_COMPARISON_JSON, measured, path_of("2"), &error), error);
            expect_same_files("1", "2");
            assert_ok(berth_comparison_write(c, BERTH_COMPARISON_TABLE, measured, path_of("1"), &error), error);
            assert_ok(berth_comparison_write(again, BERTH_COMPARISON_TABLE, measured, path_of("2"), &error), error);
            if (seeds != 1) { /* the first policy's differences to itself are not in the file, and not in the table */
                expect_same_files("1", "2");
            }
            const berth_estimate *time = &again->estimates[BERTH_METRIC_TIME];
            assert_true(measured ? time->n == (seeds == 0 ? 2 : seeds) : time->n == 0 && isnan(time->mean));
            assert_true(again->pooled == (seeds == 0));
            berth_comparison_free(again);
            berth_comparison_free(c);
        }
    }
    berth_instance_free(b);
    berth_instance_free(a);
}

/* One edit each, and what is said of it. */
static void test_wrong_comparisons(void **state) {
    (void)state;
    static const struct {
        const char *from, *to, *where, *message;
    } edits[] = {
        {"berth-comparison-1", "berth-comparison-2", "/format", "expected \"berth-comparison-1\""},
        {"\"bound\": \"dual\"", "\"bound\": \"best\"", "/bound", "\"none\", \"dual\" or \"lp\""},
        {"\"seeds\": 2", "\"seeds\": 1", "/instances/0/policies/0/runs", "expected 1 runs"},
        {"\"seeds\": 2", "\"seeds\": 0", "/seeds", "expected 1 to"},
        {"\"first_seed\": \"18446744073709551614\"", "\"first_seed\": -1", "/first_seed", ">= 0"},
        {"\"seed\": \"18446744073709551614\"", "\"seed\": 5", "/instances/0/policies/0/runs/0/seed", "expected"},
        {"\"policy\": \"fifo\"", "\"policy\": \"\"", "/instances/0/policies/1/policy", "empty"},
        {"\"utility\": {", "\"utilities\": {", "/instances/0/policies/0/estimates/utilities", "unknown"},
        {"\"half_width\": ", "\"half_with\": ", "/instances/0/policies/0/estimates/utility/half_with", "half_width"},
        {"\"instances\": [", "\"instances\": [], \"x_\": [", "/instances", "at least one"},
        {"\"n\": 2", "\"n\": -2", "/instances/0/policies/0/estimates/utility/n", "negative"},
    };
    berth_instance *in = plain_instance(2, 4, 8, 1);
    const berth_instance *instances[] = {in};
    berth_error error = {0};
    berth_comparison *c = comparison_of(1, instances, 2);
    assert_ok(berth_comparison_write(c, BERTH_COMPARISON_JSON, true, path_of("good"), &error), error);
    berth_comparison_free(c);
    char *good = get_file("good");
    for (size_t k = 0; k < sizeof edits / sizeof *edits; k++) {
        char *at = strstr(good, edits[k].from);
        assert_non_null(at);
        char *bad = malloc(strlen(good) + strlen(edits[k].to) + 1);
        assert_non_null(bad);
        sprintf(bad, "%.*s%s%s", (int)(at - good), good, edits[k].to, at + strlen(edits[k].from));
        put_file("bad", bad);
        free(bad);
        c = (berth_comparison *)1;
        assert_int_equal(berth_comparison_read(path_of("bad"), &c, &error), BERTH_E_INPUT);
        assert_null(c);
        if (strcmp(error.where, edits[k].where) != 0 || strstr(error.message, edits[k].message) == NULL) {
            fail_msg("edit %zu: at %s: %s", k, error.where, error.message);
        }
    }
    berth__free(good);
    berth_instance_free(in);
}

/* Files that are damaged at random: an error, or what can be written and drawn again. */
static void test_damaged_comparisons(void **state) {
    (void)state;
    berth_instance *in = plain_instance(2, 4, 8, 1);
    const berth_instance *instances[] = {in, in};
    berth_error error = {0};
    berth__pcg random = berth__pcg_seed(11, 0);
    size_t read = 0, refused = 0;
    berth_comparison *c = comparison_of(2, instances, 2);
    assert_ok(berth_comparison_write(c, BERTH_COMPARISON_JSON, false, path_of("good"), &error), error);
    berth_comparison_free(c);
    char *text = get_file("good");
    const size_t length = strlen(text);
    for (int round = 0; round < 600; round++) {
        static const char bytes[] = "0123456789-.eE\"{}[],: nulx";
        const size_t at = (size_t)berth__pcg_integer(&random, 0, (int64_t)length - 1);
        const char before = text[at];
        const bool is_digit = isdigit((unsigned char)before); /* another one may well do */
        text[at] = bytes[berth__pcg_integer(&random, 0, is_digit ? 9 : (int64_t)sizeof bytes - 2)];
        put_file("bad", text);
        text[at] = before;
        berth_plot_script *script = NULL;
        berth_status status = berth_comparison_read(path_of("bad"), &c, &error);
        assert_true(status == BERTH_OK || (status == BERTH_E_INPUT && c == NULL && error.message[0] != '\0'));
        refused += status != BERTH_OK;
        if (status == BERTH_OK && berth_plot_comparison(c, NULL, &script, &error) == BERTH_OK) {
            check_script(script);
            read++;
        }
        berth_plot_script_free(script);
        berth_comparison_free(c);
    }
    assert_true(read > 20 && refused > 50);
    berth__free(text);
    berth_instance_free(in);
}

static void test_policies(void **state) {
    (void)state;
    berth_instance *a = plain_instance(2, 4, 8, 1), *b = hostile_instance();
    const berth_instance *instances[20] = {b};
    berth_error error = {0};
    berth_plot_script *script = NULL;
    berth_plot_options options;
    for (size_t k = 1; k < 20; k++) {
        instances[k] = a;
    }
    berth_comparison *c = comparison_of(20, instances, 3);
    berth_plot_options_init(&options);
    assert_ok(berth_plot_comparison(c, &options, &script, &error), error);
    check_script(script);
    expect_in(script, "'utility'");
    expect_in(script, "'srtf'");
    expect_in(script, "xerrorbars");
    assert_non_null(strstr(script->caption, "Mean over 3 seeds"));
    assert_non_null(strstr(script->caption, "dual bound"));
    assert_non_null(strstr(script->caption, " of 20 instances"));
    berth_plot_script_free(script);
    /* Long names stand above their bars where there is little room beside them. */
    static const char *const long_names[] = {"pdors:trials=1:repair", "pdors:scale=0.5:favour=packing"};
    berth_comparison variants = *c;
    variants.policies = long_names;
    assert_ok(berth_plot_comparison(&variants, &options, &script, &error), error);
    expect_in(script, "'pdors:scale=0.5:favour=packing' at screen 0.26");
    berth_plot_script_free(script);
    options.width = 360;
    assert_ok(berth_plot_comparison(&variants, &options, &script, &error), error);
    expect_in(script, "'pdors:scale=0.5:favour=packing' at screen 0.06");
    berth_plot_script_free(script);
    options.width = 0;
    options.metric = BERTH_METRIC_P95_DELAY;
    assert_ok(berth_plot_comparison(c, &options, &script, &error), error);
    expect_in(script, "'p95 delay, slots'");
    assert_null(strstr(script->caption, "bound"));
    berth_plot_script_free(script);
    for (int m = 0; m < BERTH_FIRST_MEASURED_METRIC; m++) { /* a name that does not say what it is gets a word of it */
        options.metric = (berth_metric)m;
        assert_ok(berth_plot_comparison(c, &options, &script, &error), error);
        assert_true((strstr(script->caption, "rho, finish-time fairness") != NULL) ==
                    (m == BERTH_METRIC_MEAN_FAIRNESS || m == BERTH_METRIC_WORST_FAIRNESS));
        berth_plot_script_free(script);
    }
    options.metric = BERTH_METRIC_DECISION; /* both decide slot by slot */
    assert_int_equal(berth_plot_comparison(c, &options, &script, &error), BERTH_E_INPUT);
    assert_non_null(strstr(error.message, "decision_us"));
    options.metric = BERTH_N_METRICS;
    assert_int_equal(berth_plot_comparison(c, &options, &script, &error), BERTH_E_ARGUMENT);
    assert_string_equal(error.where, "metric");
    berth_comparison_free(c);
    berth_instance_free(b);
    berth_instance_free(a);
}

/* ---- pages ---- */

/* Well formed, without scripts, and whatever it points to is within it. Returns the text. */
static char *check_page(const char *name) {
    static const char *const pointers[] = {"src=\"", "srcset=\"", "href=\"", "url(", "action=\"", "data=\""};
    char *text = get_file(name), problem[256];
    if (!markup_is_well_formed(text, strlen(text), problem, sizeof problem)) {
        fail_msg("%s", problem);
    }
    for (size_t k = 0; k < sizeof pointers / sizeof *pointers; k++) {
        for (const char *at = strstr(text, pointers[k]); at != NULL; at = strstr(at + 1, pointers[k])) {
            const char *target = at + strlen(pointers[k]);
            if (!isalnum((unsigned char)at[-1])) {
                assert_true(strncmp(target, "data:image/", 11) == 0 || target[0] == '#');
            }
        }
    }
    assert_int_equal(markup_count(text, "script"), 0);
    assert_int_equal(markup_count(text, "link"), 0);
    assert_null(strstr(text, "http:"));
    assert_null(strstr(text, "https:"));
    assert_null(strstr(text, "@import"));
    assert_null(strstr(text, "\xe2\x80\xae"));
    assert_non_null(strstr(text, "default-src 'none'"));
    assert_int_equal(markup_count(text, "h1"), 1);
    assert_int_equal(markup_count(text, "figcaption"), markup_count(text, "img"));
    assert_int_equal(markup_count(text, "source"), 3 * markup_count(text, "img"));
    return text;
}

static size_t count(const char *text, const char *part) {
    size_t n = 0;
    for (const char *at = strstr(text, part); at != NULL; at = strstr(at + 1, part)) {
        n++;
    }
    return n;
}

static void test_run_page(void **state) {
    (void)state;
    berth_error error = {0};
    for (int hostile = 0; hostile < 2; hostile++) {
        berth_instance *in = hostile ? hostile_instance() : plain_instance(3, 8, 10, 4);
        berth_run *first = run_of(in, "pdors-ci", BERTH_BOUND_DUAL), *second = run_of(in, "srtf", BERTH_BOUND_NONE);
        const berth_run *runs[] = {first, second};
        fake_renderer fake = {.picture = "hello", .length = 5};
        const berth_renderer renderer = renderer_of(&fake);
        assert_ok(berth_run_page_write(in, 2, runs, &renderer, path_of("page"), &error), error);
        char *text = check_page("page");
        assert_int_equal(fake.calls, 5 * 4); /* the second has no prices */
        assert_int_equal(markup_count(text, "img"), 5);
        assert_int_equal(count(text, "\"data:image/svg+xml;base64,aGVsbG8=\""), 20);
        assert_non_null(strstr(text, "no certificate"));
        assert_non_null(strstr(text, "srtf, seed 1"));
        assert_int_equal(count(text, "<td class=\"text\">completed</td>"),
                         first->summary.completed + second->summary.completed);
        if (hostile) {
            assert_non_null(strstr(text, "<th scope=\"row\">4&lt;/script&gt;&lt;img src=x onerror=&#39;hostile()"));
            assert_null(strstr(text, "<img src=x"));
        }
        berth__free(text);
        berth_run_free(second);
        berth_run_free(first);
        berth_instance_free(in);
    }
}

static void test_comparison_page(void **state) {
    (void)state;
    berth_instance *a = plain_instance(2, 4, 8, 1), *b = hostile_instance();
    const berth_instance *instances[] = {a, b};
    berth_error error = {0};
    berth_comparison *c = comparison_of(2, instances, 3);
    fake_renderer fake = {.picture = "hell", .length = 4};
    const berth_renderer renderer = renderer_of(&fake);
    for (int measured = 0; measured < 2; measured++) {
        fake.calls = 0;
        assert_ok(berth_comparison_page_write(c, measured, &renderer, path_of("page"), &error), error);
        char *text = check_page("page");
        assert_int_equal(fake.calls, 4 * 6);
        assert_int_equal(count(text, ";base64,aGVsbA==\""), 24);
        assert_int_equal(markup_count(text, "table"), 1 + 2 * 3);
        assert_int_equal(count(text, "<td class=\"number\">18446744073709551615</td>"), 4); /* the last seed */
        assert_true((strstr(text, "time of a run, s") != NULL) == (measured != 0));
        assert_int_equal(count(text, "<p class=\"note\">rho, finish-time fairness: the slots from "), 1);
        for (size_t m = 0; m < BERTH_FIRST_MEASURED_METRIC; m++) {
            char heading[64];
            snprintf(heading, sizeof heading, "<th scope=\"row\">%s</th>", berth_metric_text((berth_metric)m));
            assert_int_equal(count(text, heading), 4);
        }
        berth__free(text);
    }
    berth_comparison_free(c);
    berth_instance_free(b);
    berth_instance_free(a);
}

/* Pictures that would be large as SVG are PNG; a renderer's failure is the page's, and leaves no file. */
static void test_renderers(void **state) {
    (void)state;
    berth_instance *in = plain_instance(2, 4, 8, 1);
    berth_run *run = run_of(in, "srtf", BERTH_BOUND_NONE);
    const berth_run *runs[] = {run};
    berth_error error = {0};
    char *large = calloc(1, 200000);
    assert_non_null(large);
    fake_renderer fake = {.picture = large, .length = 200000};
    const berth_renderer renderer = renderer_of(&fake);
    assert_ok(berth_run_page_write(in, 1, runs, &renderer, path_of("page"), &error), error);
    char *text = check_page("page");
    assert_int_equal(count(text, "data:image/png;base64,AAAA"), 8);
    assert_null(strstr(text, "svg+xml"));
    assert_int_equal(fake.calls, 16);
    berth__free(text);
    free(large);
    for (int at = 1; at <= 8; at++) {
        fake = (fake_renderer){.picture = "x", .length = 1, .fail_at = at};
        assert_int_equal(berth_run_page_write(in, 1, runs, &renderer, path_of("none"), &error), BERTH_E_IO);
        assert_string_equal(error.message, "cannot draw");
        FILE *file = fopen(path_of("none"), "r");
        assert_null(file);
    }
    berth_run_free(run);
    berth_instance_free(in);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_bars),
        cmocka_unit_test(test_bars_stay),
        cmocka_unit_test(test_scripts),
        cmocka_unit_test(test_taken_together),
        cmocka_unit_test(test_hostile_scripts),
        cmocka_unit_test(test_wrong_plots),
        cmocka_unit_test(test_comparisons_read_back),
        cmocka_unit_test(test_wrong_comparisons),
        cmocka_unit_test(test_damaged_comparisons),
        cmocka_unit_test(test_policies),
        cmocka_unit_test(test_run_page),
        cmocka_unit_test(test_comparison_page),
        cmocka_unit_test(test_renderers),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
