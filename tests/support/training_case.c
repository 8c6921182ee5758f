#include "tests/support/training_case.h"

#include "tests/support/check.h"

#include <string.h>

static const char *const node_names[] = {"a", "b", "c", "d"}, *const type_names[] = {"slow", "fast"};
static const char *const job_names[] = {"j0", "j1", "j2", "j3", "j4", "j5", "j6", "j7"};
static const char *const application_names[] = {"x", "y"};

static void begin(training_case *c, size_t n_nodes, size_t n_types, size_t n_applications) {
    memset(c, 0, sizeof *c);
    berth_goodput_workload *w = &c->workload;
    berth_goodput_workload_init(w);
    w->name = "case";
    w->n_nodes = n_nodes;
    w->gpus = c->gpus;
    w->gpu_type = c->type;
    w->n_types = n_types;
    w->speed = c->speed;
    w->node_names = node_names;
    w->type_names = type_names;
    w->n_applications = n_applications;
    w->applications = c->applications;
    w->jobs = c->jobs;
    c->speed[0] = c->speed[1] = 1;
}

static void begin_application(training_case *c, size_t index, size_t n_placements, size_t n_trainings, size_t epochs) {
    training_application *m = &c->measured[index];
    c->applications[index] = (berth_application){.name = application_names[index],
                                                 .accumulation = true,
                                                 .epochs = epochs,
                                                 .n_placements = n_placements,
                                                 .placements = m->placements,
                                                 .n_trainings = n_trainings,
                                                 .trainings = m->trainings};
    for (size_t k = 0; k < n_placements; k++)
        m->placements[k] = (berth_measured_placement){.gpus = m->gpus[k],
                                                      .n = TRAINING_SIZES,
                                                      .local = m->local[k],
                                                      .step_s = m->step_s[k],
                                                      .sync_s = m->sync_s[k]};
    for (size_t k = 0; k < n_trainings; k++)
        m->trainings[k] = (berth_measured_training){0, m->progress[k], m->iterations[k], m->sqr[k], m->var[k]};
}

void training_case_plain(training_case *c) {
    begin(c, 1, 1, 1);
    c->gpus[0] = 4;
    begin_application(c, 0, 4, 1, 2);
    berth_application *app = &c->applications[0];
    app->m0 = 4;
    app->max_batch = app->max_local = 64;
    app->min_local = 1;
    training_application *m = &c->measured[0];
    for (uint32_t k = 0; k < 4; k++) {
        m->gpus[k][0] = m->placements[k].replicas = k + 1;
        m->placements[k].nodes = 1;
        for (uint32_t s = 0; s < TRAINING_SIZES; s++) {
            m->local[k][s] = 1u << (2 * s);
            m->step_s[k][s] = 1;
            m->sync_s[k][s] = 0.25;
        }
    }
    m->trainings[0].batch = 4;
    for (size_t e = 0; e < 2; e++) {
        m->progress[0][e] = m->iterations[0][e] = 50.0 * (double)(e + 1);
        m->sqr[0][e] = 1;
    }
}

void training_case_add(training_case *c, double submit_s, uint32_t replicas, double batch) {
    const size_t k = c->workload.n_jobs++;
    assert_true(k < TRAINING_JOBS);
    c->jobs[k] = (berth_training_job){job_names[k], submit_s, 0, replicas, batch};
}

/* ---- drawn ---- */

static uint32_t draw(berth__pcg *stream, uint32_t low, uint32_t high) {
    return (uint32_t)berth__pcg_integer(stream, low, high);
}

static void draw_application(training_case *c, size_t index, berth__pcg *stream) {
    const size_t n = draw(stream, 1, TRAINING_PLACEMENTS), trainings = draw(stream, 1, 2);
    begin_application(c, index, n, trainings, draw(stream, 1, TRAINING_EPOCHS));
    berth_application *app = &c->applications[index];
    training_application *m = &c->measured[index];
    app->m0 = draw(stream, 4, 8);
    app->max_batch = app->m0 * draw(stream, 2, 8);
    app->min_local = draw(stream, 1, 2);
    app->max_local = draw(stream, 4, 16);
    app->accumulation = draw(stream, 0, 3) > 0;
    app->max_replicas = draw(stream, 0, 3) == 0 ? draw(stream, 1, 3) : 0;
    for (size_t k = 0; k < n; k++) {
        berth_measured_placement *p = &m->placements[k];
        p->nodes = draw(stream, 1, TRAINING_NODES);
        for (uint32_t i = 0; i < p->nodes; i++)
            p->replicas += m->gpus[k][i] = draw(stream, 1, 3);
        p->gpus = draw(stream, 0, 3) > 0 ? m->gpus[k] : NULL;
        for (uint32_t s = 0; s < TRAINING_SIZES; s++) {
            m->local[k][s] = (s > 0 ? m->local[k][s - 1] : 0) + draw(stream, 1, 6);
            m->step_s[k][s] = 0.2 + berth__pcg_uniform(stream) + 0.1 * m->local[k][s];
            m->sync_s[k][s] = 0.1 * berth__pcg_uniform(stream);
        }
    }
    for (size_t t = 0; t < trainings; t++) {
        m->trainings[t].batch = t == 0 ? app->m0 : app->max_batch;
        for (size_t e = 0; e < app->epochs; e++) {
            m->progress[t][e] = (e > 0 ? m->progress[t][e - 1] : 0) + 10 + 300 * berth__pcg_uniform(stream);
            m->iterations[t][e] = m->progress[t][e] / (double)(t + 1);
            m->sqr[t][e] = berth__pcg_uniform(stream) + 1e-3;
            m->var[t][e] = 3 * berth__pcg_uniform(stream);
        }
    }
}

void training_case_draw(training_case *c, berth__pcg *stream) {
    const size_t n_types = draw(stream, 1, 2);
    begin(c, draw(stream, 1, TRAINING_NODES), n_types, draw(stream, 1, 2));
    berth_goodput_workload *w = &c->workload;
    c->speed[1] = 2;
    w->restart_s = draw(stream, 0, 40);
    w->tick_s = draw(stream, 0, 1);
    w->round_s = draw(stream, 0, 1) ? 60 : 30;
    for (size_t k = 0; k < w->n_nodes; k++) {
        c->gpus[k] = draw(stream, 1, 4);
        c->type[k] = draw(stream, 0, (uint32_t)n_types - 1);
    }
    for (size_t k = 0; k < w->n_applications; k++)
        draw_application(c, k, stream);
    w->n_jobs = draw(stream, 1, TRAINING_JOBS);
    for (size_t k = 0; k < w->n_jobs; k++) {
        const size_t a = draw(stream, 0, (uint32_t)w->n_applications - 1);
        const berth_application *app = &c->applications[a];
        c->jobs[k] = (berth_training_job){job_names[k], draw(stream, 0, 900), a, draw(stream, 1, 4),
                                          draw(stream, (uint32_t)app->m0, (uint32_t)app->max_batch)};
    }
}

/* ---- run and check ---- */

berth_goodput_run *training_case_run(const berth_goodput_workload *workload, berth_goodput_policy policy) {
    berth_error error;
    berth_goodput_run *run = NULL;
    berth_goodput_run_options options;
    berth_goodput_run_options_init(&options);
    options.policy = policy;
    options.demote_gpu_s = 600;
    options.horizon_s = 1e6;
    assert_ok(berth_goodput_simulate(workload, &options, &run, &error), error);
    return run;
}

size_t training_case_violations(const berth_goodput_workload *workload, const berth_goodput_run *run,
                                bool expect_none) {
    berth_error error;
    berth_report *report = NULL;
    assert_ok(berth_check_goodput_run(workload, run, NULL, &report, &error), error);
    if (expect_none && report->n_violations > 0) {
        const berth_finding *finding = report->findings;
        while (!finding->violated)
            finding++;
        fail_msg("%s, %s: %s", finding->rule, finding->where, finding->message);
    }
    const size_t n = report->n_violations;
    berth_report_free(report);
    return n;
}
