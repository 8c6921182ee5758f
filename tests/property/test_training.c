/* Simulated trainings at random: the check, which has a model of its own, agrees with every run; it notices every
 * change of one; files are the same byte for byte. */
#include <berth_goodput.h>

#include "tests/support/check.h"
#include "tests/support/own_folder.h"
#include "tests/support/training_case.h"

#include "base/alloc.h"

#include <string.h>

enum { CASES = 300, CHANGED = 60 };

static const berth_goodput_policy policies[] = {BERTH_GOODPUT_TIRESIAS, BERTH_GOODPUT_OPTIMUS, BERTH_GOODPUT_POLLUX,
                                                BERTH_GOODPUT_SIA, BERTH_GOODPUT_HESRPT};
enum { N_POLICIES = sizeof policies / sizeof *policies };

static void the_check_agrees(void **state) {
    (void)state;
    berth__pcg stream = berth__pcg_seed(71, 1);
    size_t done = 0, restarts = 0;
    for (size_t k = 0; k < CASES; k++) {
        training_case c;
        training_case_draw(&c, &stream);
        berth_goodput_run *run = training_case_run(&c.workload, policies[k % N_POLICIES]);
        training_case_violations(&c.workload, run, true);
        done += run->completed;
        restarts += (size_t)run->restarts;
        berth_goodput_run_free(run);
    }
    assert_true(done > CASES && restarts > CASES); /* the cases are not empty */
}

/* Copies of a run that may be written to. */
typedef struct copy {
    berth_goodput_run run;
    berth_trained_job jobs[TRAINING_JOBS];
    berth_goodput_span spans[64];
    berth_node_gpus nodes[64];
    size_t n_spans, n_nodes;
} copy;

static bool copy_run(copy *out, const berth_goodput_run *run) {
    memset(out, 0, sizeof *out);
    out->run = *run;
    out->run.jobs = out->jobs;
    for (size_t k = 0; k < run->n_jobs; k++) {
        out->jobs[k] = run->jobs[k];
        out->jobs[k].spans = &out->spans[out->n_spans];
        for (size_t s = 0; s < run->jobs[k].n_spans; s++) {
            const berth_goodput_span *span = &run->jobs[k].spans[s];
            if (out->n_spans == 64 || out->n_nodes + span->n_nodes > 64)
                return false;
            out->spans[out->n_spans] = *span;
            out->spans[out->n_spans++].nodes = &out->nodes[out->n_nodes];
            for (size_t i = 0; i < span->n_nodes; i++)
                out->nodes[out->n_nodes++] = span->nodes[i];
        }
    }
    return true;
}

enum { CHANGES = 17 };

/* Change number `which`; false: does not apply to this run. */
static bool change(copy *c, size_t which, berth__pcg *stream) {
    berth_trained_job *job = &c->jobs[berth__pcg_integer(stream, 0, (int64_t)c->run.n_jobs - 1)];
    if (job->n_spans == 0 || isnan(job->completion_s) || isinf(job->alone_s))
        return false;
    berth_goodput_span *span = &c->spans[job->spans - c->spans]; /* its first */
    berth_node_gpus *node = &c->nodes[span->nodes - c->nodes];
    double *const figures[] = {&c->run.mean_s,        &c->run.median_s, &c->run.p99_s,       &c->run.makespan_s,
                               &c->run.mean_fairness, &c->run.gpu_s,    &c->run.utilisation, &c->run.worst_fairness};
    switch (which) {
    case 0:
        job->completion_s += 1;
        return true;
    case 1:
        job->attained_gpu_s += 1;
        return true;
    case 2:
        job->restarts++;
        return true;
    case 3:
        job->alone_s *= 1.001;
        return true;
    case 4:
        job->fairness *= 1.001;
        return true;
    case 5:
        span->at_s += 1;
        return true;
    case 6:
        node->gpus += 5;
        return true;
    case 7:
        span->local += 1000;
        return true;
    case 8:
        c->run.completed--;
        return true;
    default:
        *figures[which - 9] *= 1.001;
        return *figures[which - 9] != 0;
    }
}

static void changes_are_noticed(void **state) {
    (void)state;
    berth__pcg stream = berth__pcg_seed(72, 1);
    size_t applied[CHANGES] = {0};
    for (size_t k = 0; k < CHANGED; k++) {
        training_case c;
        copy changed;
        training_case_draw(&c, &stream);
        berth_goodput_run *run = training_case_run(&c.workload, policies[k % N_POLICIES]);
        for (size_t which = 0; which < CHANGES; which++) {
            if (!copy_run(&changed, run) || !change(&changed, which, &stream))
                continue;
            applied[which]++;
            if (training_case_violations(&c.workload, &changed.run, false) == 0)
                fail_msg("case %zu: change %zu is not noticed", k, which);
        }
        berth_goodput_run_free(run);
    }
    for (size_t which = 0; which < CHANGES; which++)
        assert_true(applied[which] > 0);
}

static void runs_are_the_same_byte_for_byte(void **state) {
    (void)state;
    berth__pcg stream = berth__pcg_seed(73, 1);
    for (size_t k = 0; k < 20; k++) {
        training_case c;
        char *texts[2];
        training_case_draw(&c, &stream);
        for (size_t i = 0; i < 2; i++) {
            berth_error error;
            berth_goodput_run *run = training_case_run(&c.workload, policies[k % N_POLICIES]);
            assert_ok(berth_goodput_run_write(run, &c.workload, path_of("run.json"), &error), error);
            texts[i] = get_file("run.json");
            berth_goodput_run_free(run);
        }
        assert_string_equal(texts[0], texts[1]);
        berth__free(texts[0]);
        berth__free(texts[1]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_check_agrees),
        cmocka_unit_test(changes_are_noticed),
        cmocka_unit_test(runs_are_the_same_byte_for_byte),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
