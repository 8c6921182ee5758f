/* Parameters from measurements: known ones come back, real ones fit at least as well as the stored fit of Pollux's
 * authors, what data cannot tell is said; wrong measurements and files. Runs from the top folder.
 *
 * Noise comes from a fixed seed: a pass today is a pass for ever. */
#include <berth_goodput.h>

#include "base/pcg.h"
#include "tests/support/check.h"
#include "tests/support/own_folder.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 2000 };

static const char *const applications[] = {"bert", "cifar10", "deepspeech2", "imagenet", "ncf", "yolov3"};
enum { APPLICATIONS = sizeof applications / sizeof *applications };

/* ---- the model, once more ---- */

static double gradient_of(const berth_goodput_profile *p, const berth_measurement *m) {
    return p->alpha_c + p->beta_c * m->local;
}

static double step_of(const berth_goodput_profile *p, const berth_measurement *m) {
    const double more = fmax((double)m->replicas - 2, 1e-8), gradient = gradient_of(p, m);
    const double sync = m->nodes > 1      ? p->alpha_n + p->beta_n * more
                        : m->replicas > 1 ? p->alpha_r + p->beta_r * more
                                          : 1e-8;
    return pow(pow(gradient, p->gamma) + pow(sync, p->gamma), 1 / p->gamma);
}

static double square(double x) {
    return x * x;
}

static double objective_of(const berth_goodput_profile *p, const berth_measurement *all, size_t n) {
    double steps = 0, gradients = 0;
    for (size_t k = 0; k < n; k++) {
        steps += square(log(step_of(p, &all[k]) / all[k].step_s)) / (double)n;
        gradients += square(log(gradient_of(p, &all[k]) / (all[k].step_s - all[k].sync_s))) / (double)n;
    }
    return sqrt(steps) + sqrt(gradients) + 1e-3 * square(p->gamma - 1) +
           1e-2 * (square(p->beta_n / p->alpha_n) + square(p->beta_r / p->alpha_r));
}

static berth_goodput_profile profile_of(const char *application) {
    berth_goodput_profile profile;
    berth_error error;
    char path[128];
    snprintf(path, sizeof path, "instances/pollux/profiles/%s.json", application);
    assert_ok(berth_goodput_profile_read(path, &profile, &error), error);
    return profile;
}

static berth_measurement *measurements_of(const char *application, size_t *n) {
    berth_measurement *all;
    berth_error error;
    char path[128];
    snprintf(path, sizeof path, "instances/pollux/measurements/%s.csv.gz", application);
    assert_ok(berth_measurements_read(path, &all, n, &error), error);
    return all;
}

static berth_goodput_fit *fit_of(const berth_measurement *all, size_t n) {
    berth_goodput_fit *fit = NULL;
    berth_error error;
    assert_ok(berth_goodput_fit_new(all, n, NULL, &fit, &error), error);
    return fit;
}

/* Every shape up to 4 nodes of 4 replicas that `keep` keeps, with four batches, as the profile has it, times noise. */
typedef bool keep_shape(uint32_t nodes, uint32_t replicas);

static bool keep_all(uint32_t nodes, uint32_t replicas) {
    return nodes > 0 && replicas > 0;
}

static size_t synthesise(const berth_goodput_profile *p, keep_shape *keep, double noise, berth__pcg *stream,
                         berth_measurement all[MOST]) {
    size_t n = 0;
    for (uint32_t nodes = 1; nodes <= 4; nodes++) {
        for (uint32_t replicas = nodes; replicas <= 4 * nodes; replicas++) {
            for (int b = 0; keep(nodes, replicas) && b < 4; b++) {
                const double local = p->min_local + (p->max_local - p->min_local) * b / 3;
                berth_measurement *m = &all[n++];
                *m = (berth_measurement){nodes, replicas, (uint32_t)local, 1, 0};
                const double gradient = gradient_of(p, m) * exp(noise * (2 * berth__pcg_uniform(stream) - 1) * sqrt(3));
                m->step_s = step_of(p, m) * exp(noise * (2 * berth__pcg_uniform(stream) - 1) * sqrt(3));
                m->step_s = fmax(m->step_s, gradient);
                m->sync_s = m->step_s - gradient;
            }
        }
    }
    return n;
}

/* ---- what comes back ---- */

static void expect_near(const berth_goodput_fit *fit, const berth_goodput_profile *p, double tolerance) {
    const double found[] = {fit->alpha_c, fit->beta_c, fit->alpha_n, fit->beta_n,
                            fit->alpha_r, fit->beta_r, fit->gamma};
    const double true_[] = {p->alpha_c, p->beta_c, p->alpha_n, p->beta_n, p->alpha_r, p->beta_r, p->gamma};
    for (int k = 0; k < 7; k++) {
        if (!(fabs(found[k] / true_[k] - 1) <= tolerance)) {
            fail_msg("parameter %d is %.9g; made with %.9g", k, found[k], true_[k]);
        }
    }
}

/* Random jobs in which every parameter matters. */
static berth_goodput_profile draw_job(berth__pcg *s) {
    berth_goodput_profile p;
    berth_goodput_profile_init(&p);
    const double scale = pow(10, -3 + 3 * berth__pcg_uniform(s));
    p.min_local = 8;
    p.max_local = 128;
    p.alpha_c = scale * (0.2 + berth__pcg_uniform(s));
    p.beta_c = scale * (0.2 + berth__pcg_uniform(s)) / 32;
    p.alpha_n = scale * (1 + 4 * berth__pcg_uniform(s));
    p.beta_n = p.alpha_n * (0.05 + 0.1 * berth__pcg_uniform(s));
    p.alpha_r = scale * (0.5 + berth__pcg_uniform(s));
    p.beta_r = p.alpha_r * (0.05 + 0.1 * berth__pcg_uniform(s));
    p.gamma = 1.2 + 2 * berth__pcg_uniform(s);
    return p;
}

static void known_parameters_come_back(void **state) {
    (void)state;
    static berth_measurement all[MOST];
    berth__pcg stream = berth__pcg_seed(1, 0);
    for (int k = 0; k < 30; k++) {
        const berth_goodput_profile p = draw_job(&stream);
        const size_t n = synthesise(&p, keep_all, 0, &stream, all);
        berth_goodput_fit *fit = fit_of(all, n);
        expect_near(fit, &p, 1e-4);
        assert_true(fit->objective <= objective_of(&p, all, n) + 1e-9);
        assert_true(fit->step_error < 1e-5 && fit->warnings == 0);
        berth_goodput_fit_free(fit);
    }
}

/* With 5 % of noise on each time, step times (without noise) come back within 10 % everywhere, and 3 % on average. */
static void noise_is_averaged_out(void **state) {
    (void)state;
    static berth_measurement all[MOST];
    berth__pcg stream = berth__pcg_seed(2, 0);
    for (int k = 0; k < 30; k++) {
        const berth_goodput_profile p = draw_job(&stream);
        const size_t n = synthesise(&p, keep_all, 0.05, &stream, all);
        berth_goodput_fit *fit = fit_of(all, n);
        double sum = 0;
        for (size_t i = 0; i < n; i++) {
            const double off = fabs(fit->fitted[i] / step_of(&p, &all[i]) - 1);
            assert_true(off < 0.1);
            sum += off;
        }
        assert_true(sum < 0.03 * (double)n);
        assert_true(fit->objective <= objective_of(&p, all, n) + 1e-9);
        assert_true((fit->warnings & ~(unsigned)BERTH_FIT_AT_BOUND) == 0);
        berth_goodput_fit_free(fit);
    }
}

static void real_measurements_fit_as_well_as_theirs(void **state) {
    (void)state;
    for (int k = 0; k < APPLICATIONS; k++) {
        size_t n;
        const berth_goodput_profile p = profile_of(applications[k]);
        berth_measurement *all = measurements_of(applications[k], &n);
        berth_goodput_fit *fit = fit_of(all, n), *again = fit_of(all, n);
        berth_goodput_profile q = p;
        q.alpha_c = fit->alpha_c;
        q.beta_c = fit->beta_c;
        q.alpha_n = fit->alpha_n;
        q.beta_n = fit->beta_n;
        q.alpha_r = fit->alpha_r;
        q.beta_r = fit->beta_r;
        q.gamma = fit->gamma;
        assert_true(fit->objective <= objective_of(&p, all, n) + 1e-8);
        assert_close(fit->objective, objective_of(&q, all, n), 1e-12);
        assert_close(fit->fitted[fit->worst], step_of(&q, &all[fit->worst]), 1e-12);
        assert_close(fabs(fit->fitted[fit->worst] / all[fit->worst].step_s - 1), fit->worst_error, 1e-12);
        assert_memory_equal(&fit->alpha_c, &again->alpha_c, 7 * sizeof(double));
        assert_memory_equal(fit->fitted, again->fitted, n * sizeof(double));
        berth_goodput_fit_free(fit);
        berth_goodput_fit_free(again);
        berth_measurements_free(all);
    }
}

/* ---- what data cannot tell ---- */

static bool keep_single(uint32_t nodes, uint32_t replicas) {
    return nodes == 1 && replicas == 1;
}
static bool keep_node(uint32_t nodes, uint32_t replicas) {
    return nodes == 1 && replicas > 0;
}
static bool keep_pairs(uint32_t nodes, uint32_t replicas) {
    return nodes <= 2 && replicas <= 2;
}
static bool keep_spread(uint32_t nodes, uint32_t replicas) {
    return nodes > 1 && replicas > 0;
}

static void what_is_not_told_is_pinned(void **state) {
    (void)state;
    static const struct {
        keep_shape *keep;
        unsigned warnings;
        int pinned[4]; /* alpha_n, beta_n, alpha_r, beta_r */
    } cases[] = {
        {keep_single, BERTH_FIT_NO_LOCAL | BERTH_FIT_NO_SPREAD, {1, 1, 1, 1}},
        {keep_node, BERTH_FIT_NO_SPREAD, {1, 1, 0, 0}},
        {keep_spread, BERTH_FIT_NO_SINGLE | BERTH_FIT_NO_LOCAL, {0, 0, 1, 1}},
        {keep_pairs, BERTH_FIT_FEW_LOCAL | BERTH_FIT_FEW_SPREAD, {0, 1, 0, 1}},
    };
    static berth_measurement all[MOST];
    berth__pcg stream = berth__pcg_seed(3, 0);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const berth_goodput_profile p = draw_job(&stream);
        const size_t n = synthesise(&p, cases[k].keep, 0, &stream, all);
        berth_goodput_fit *fit = fit_of(all, n);
        const double found[] = {fit->alpha_n, fit->beta_n, fit->alpha_r, fit->beta_r};
        const double made[] = {p.alpha_n, p.beta_n, p.alpha_r, p.beta_r};
        assert_int_equal(fit->warnings, cases[k].warnings);
        assert_close(fit->alpha_c / p.alpha_c, 1, 1e-4);
        assert_close(fit->beta_c / p.beta_c, 1, 1e-4);
        for (int i = 0; i < 4; i++) {
            if (cases[k].pinned[i]) {
                assert_true(found[i] == 1e-8);
            } else {
                assert_close(found[i] / made[i], 1, 1e-3);
            }
        }
        assert_true(cases[k].keep != keep_single || fit->gamma == 1);
        berth_goodput_fit_free(fit);
    }
}

static void one_batch_is_proportional(void **state) {
    (void)state;
    const berth_measurement one = {1, 1, 10, 5, 0};
    berth_goodput_fit *fit = fit_of(&one, 1);
    assert_int_equal(fit->warnings, BERTH_FIT_NO_LOCAL | BERTH_FIT_NO_SPREAD | BERTH_FIT_ONE_LOCAL);
    assert_true(fit->alpha_c == 1e-8);
    assert_close(fit->beta_c, 0.5, 1e-6);
    assert_close(fit->fitted[0], 5, 1e-6);
    berth_goodput_fit_free(fit);
}

static void what_does_not_fit_is_said(void **state) {
    (void)state;
    berth_measurement all[] = {{1, 1, 10, 1, 0}, {1, 1, 10, 100, 0}, {1, 1, 20, 1, 0}, {1, 1, 20, 100, 0}};
    berth_goodput_fit *fit = fit_of(all, 4);
    assert_true((fit->warnings & BERTH_FIT_POOR) != 0);
    assert_true(isfinite(fit->objective) && fit->worst_error > 1);
    berth_goodput_fit_free(fit);
}

/* Times of any size, few or contradictory: a finite fit, never worse than its first start could be. */
static void any_measurements_have_a_fit(void **state) {
    (void)state;
    berth__pcg s = berth__pcg_seed(4, 0);
    for (int k = 0; k < 300; k++) {
        berth_measurement all[6];
        const size_t n = 1 + (size_t)berth__pcg_integer(&s, 0, 5);
        for (size_t i = 0; i < n; i++) {
            const uint32_t nodes = 1 + (uint32_t)berth__pcg_integer(&s, 0, 2);
            all[i] = (berth_measurement){nodes, nodes + (uint32_t)berth__pcg_integer(&s, 0, 3), 1, 1, 0};
            all[i].local = (uint32_t)pow(10, 9 * berth__pcg_uniform(&s));
            all[i].step_s = pow(10, -11 + 22 * berth__pcg_uniform(&s));
            all[i].sync_s =
                all[i].step_s * fmin(berth__pcg_uniform(&s), 0.999999) * (double)berth__pcg_integer(&s, 0, 1);
        }
        berth_goodput_fit *fit = fit_of(all, n);
        const double found[] = {fit->alpha_c, fit->beta_c, fit->alpha_n, fit->beta_n, fit->alpha_r, fit->beta_r};
        assert_true(isfinite(fit->objective) && isfinite(fit->step_error) && isfinite(fit->worst_error));
        assert_true(fit->gamma >= 1 && fit->gamma <= 10 && fit->worst < n);
        for (int i = 0; i < 6; i++) {
            assert_true(found[i] >= 1e-8 * (1 - 1e-12) && found[i] <= 1e12 * (1 + 1e-12));
        }
        berth_goodput_fit_free(fit);
    }
}

/* ---- wrong measurements ---- */

static bool always(void *user) {
    return user == NULL;
}

static void wrong_measurements_are_named(void **state) {
    (void)state;
    static const struct {
        berth_measurement wrong;
        const char *where;
    } cases[] = {
        {{0, 1, 1, 1, 0}, "/1/nodes"},
        {{2, 1, 1, 1, 0}, "/1/replicas"},
        {{1, 1, 0, 1, 0}, "/1/local"},
        {{1, 1, UINT32_MAX, 1, 0}, "/1/local"},
        {{1, 1, 1, 0, 0}, "/1/step_s"},
        {{1, 1, 1, -1, 0}, "/1/step_s"},
        {{1, 1, 1, (double)NAN, 0}, "/1/step_s"},
        {{1, 1, 1, (double)INFINITY, 0}, "/1/step_s"},
        {{1, 1, 1, 1, 1}, "/1/sync_s"},
        {{1, 1, 1, 1, -1}, "/1/sync_s"},
        {{1, 1, 1, 1, (double)NAN}, "/1/sync_s"},
    };
    berth_goodput_fit *fit = NULL;
    berth_error error;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const berth_measurement all[] = {{1, 1, 1, 1, 0}, cases[k].wrong};
        assert_int_equal(berth_goodput_fit_new(all, 2, NULL, &fit, &error), BERTH_E_ARGUMENT);
        assert_null(fit);
        assert_string_equal(error.where, cases[k].where);
    }
    const berth_measurement good = {1, 1, 1, 1, 0};
    berth_hooks hooks;
    berth_hooks_init(&hooks);
    hooks.cancel = always;
    assert_int_equal(berth_goodput_fit_new(&good, 1, &hooks, &fit, &error), BERTH_E_CANCELLED);
    assert_null(fit);
    assert_int_equal(berth_goodput_fit_new(NULL, 1, NULL, &fit, &error), BERTH_E_ARGUMENT);
    assert_int_equal(berth_goodput_fit_new(&good, 0, NULL, &fit, &error), BERTH_E_ARGUMENT);
    assert_int_equal(berth_goodput_fit_new(&good, 1, NULL, NULL, &error), BERTH_E_ARGUMENT);
    berth_goodput_fit_free(NULL);
}

static void columns_come_in_any_order(void **state) {
    (void)state;
    berth_measurement *all;
    size_t n;
    berth_error error;
    put_file("m.csv",
             "step_time,x,num_nodes,sync_time,local_bsz,num_replicas\n1.5,\"a,b\",2,0.5,32,3\n\n2e0,,1,0,8.0,1");
    assert_ok(berth_measurements_read(path_of("m.csv"), &all, &n, &error), error);
    assert_int_equal(n, 2);
    assert_true(all[0].nodes == 2 && all[0].replicas == 3 && all[0].local == 32 && all[0].step_s == 1.5 &&
                all[0].sync_s == 0.5);
    assert_true(all[1].nodes == 1 && all[1].replicas == 1 && all[1].local == 8 && all[1].step_s == 2);
    berth_measurements_free(all);
}

/* In the header as in the rows, before as behind. */
static void blanks_around_fields_do_not_count(void **state) {
    (void)state;
    berth_measurement *all;
    size_t n;
    berth_error error;
    put_file("m.csv", "num_nodes, num_replicas ,local_bsz\t,step_time,sync_time \n 2, 3 ,32\t,\t1.5 , 0.5\n"
                      "\" 1\",1 , 8,2e0,0 \n");
    assert_ok(berth_measurements_read(path_of("m.csv"), &all, &n, &error), error);
    assert_int_equal(n, 2);
    assert_true(all[0].nodes == 2 && all[0].replicas == 3 && all[0].local == 32 && all[0].step_s == 1.5 &&
                all[0].sync_s == 0.5);
    assert_true(all[1].nodes == 1 && all[1].replicas == 1 && all[1].local == 8 && all[1].step_s == 2);
    berth_measurements_free(all);
}

static void wrong_files_are_told_by_line(void **state) {
    (void)state;
#define HEADER "num_nodes,num_replicas,local_bsz,step_time,sync_time\n"
    static const struct {
        const char *text;
        long line;
        const char *part;
    } cases[] = {
        {"", 1, "empty"},
        {"num_nodes,num_replicas,local_bsz,step_time\n1,1,1,1\n", 1, "sync_time nowhere"},
        {"num_nodes,num_nodes,num_replicas,local_bsz,step_time,sync_time\n", 1, "num_nodes twice"},
        {"num_nodes,num_replicas,local_bsz,step_time,sync_time,step_time,step_time\n", 1, "step_time 3 times"},
        {"num_nodes;num_replicas;local_bsz;step_time;sync_time\n1;1;4;1;0\n", 1, "separated by semicolons"},
        {"num_nodes\tnum_replicas\tlocal_bsz\tstep_time\tsync_time\n", 1, "separated by tabs"},
        {HEADER, 1, "no measurements"},
        {HEADER "1,1,4,1\n", 2, "4 fields; the header has 5"},
        {HEADER "1,1,4,1,0\n\n1,1,4,1,0,0\n", 4, "6 fields"},
        {HEADER "0,1,4,1,0\n", 2, "num_nodes is '0'"},
        {HEADER "1,1.5,4,1,0\n", 2, "num_replicas is '1.5'"},
        {HEADER "2,1,4,1,0\n", 2, "at least one replica a node"},
        {HEADER "1,1,x,1,0\n", 2, "local_bsz is 'x'"},
        {HEADER "1,1,4,,0\n", 2, "step_time is ''"},
        {HEADER "1,1,4,nan,0\n", 2, "step_time is 'nan'"},
        {HEADER "1,1,4,inf,0\n", 2, "step_time is 'inf'"},
        {HEADER "1,1,4,0x1p2,0\n", 2, "step_time is '0x1p2'"},
        {HEADER "1,1,4,1s,0\n", 2, "step_time is '1s'"},
        {HEADER "1,1,4,1 0,0\n", 2, "step_time is '1 0'"},
        {HEADER "1,1,4, ,0\n", 2, "step_time is ' '"},
        {HEADER "1,1,4,0,0\n", 2, "step_time is '0'"},
        {HEADER "1,1,4,1,1\n", 2, "less than step_time"},
        {HEADER "1,1,4,1,-0.5\n", 2, "sync_time is '-0.5'"},
        {HEADER "1,1,4,1,0\n1,1,4,\"1,0\n", 3, ""},
    };
#undef HEADER
    berth_measurement *all;
    size_t n;
    berth_error error;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        put_file("bad.csv", cases[k].text);
        assert_int_equal(berth_measurements_read(path_of("bad.csv"), &all, &n, &error), BERTH_E_INPUT);
        assert_null(all);
        if (error.line != cases[k].line || strstr(error.message, cases[k].part) == NULL) {
            fail_msg("case %zu: line %ld, %s", k, error.line, error.message);
        }
    }
    assert_int_equal(berth_measurements_read(path_of("none.csv"), &all, &n, &error), BERTH_E_IO);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_parameters_come_back),
        cmocka_unit_test(noise_is_averaged_out),
        cmocka_unit_test(real_measurements_fit_as_well_as_theirs),
        cmocka_unit_test(what_is_not_told_is_pinned),
        cmocka_unit_test(one_batch_is_proportional),
        cmocka_unit_test(what_does_not_fit_is_said),
        cmocka_unit_test(any_measurements_have_a_fit),
        cmocka_unit_test(wrong_measurements_are_named),
        cmocka_unit_test(columns_come_in_any_order),
        cmocka_unit_test(blanks_around_fields_do_not_count),
        cmocka_unit_test(wrong_files_are_told_by_line),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
