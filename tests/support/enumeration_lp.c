#include "tests/support/enumeration_lp.h"

#include "solver/model.h"
#include "tests/support/brute_force.h"
#include "tests/support/check.h"
#include "tests/support/optimum_of.h"

#include <stdlib.h>

typedef struct enumeration {
    const berth_instance *in;
    berth__model *model;
    int n_classes;
    const int *class_of; /* NULL: every machine its own */
    double *held;        /* [horizon][n_classes][n_resources] of a schedule */
    size_t n_held;
    int job_row;
    const berth_job *job;
    long n_columns;
} enumeration;

static size_t held_at(const enumeration *e, size_t t, size_t h, size_t r) {
    size_t k = e->class_of == NULL ? h : (size_t)e->class_of[h];
    return (t * (size_t)e->n_classes + k) * e->in->n_resources + r;
}

static void add_schedule(void *user, const brute_schedule *schedule) {
    enumeration *e = user;
    int column = 0;
    e->n_columns++;
    assert_int_equal(berth__model_add_col(e->model, NULL, schedule->utility, 0, (double)INFINITY, false, &column, NULL),
                     BERTH_OK);
    assert_int_equal(berth__model_add_entry(e->model, e->job_row, column, 1, NULL), BERTH_OK);
    for (size_t t = 0; t < (size_t)e->in->horizon_slots; t++) {
        for (size_t h = 0; h < e->in->n_machines; h++) {
            for (size_t r = 0; r < e->in->n_resources; r++) {
                double ps = e->job->ps == NULL ? 0 : e->job->ps[r];
                e->held[held_at(e, t, h, r)] +=
                    schedule->workers[t][h] * e->job->worker[r] + schedule->servers[t][h] * ps;
            }
        }
    }
    for (size_t row = 0; row < e->n_held; row++) {
        if (e->held[row] > 0) {
            assert_int_equal(berth__model_add_entry(e->model, (int)row, column, e->held[row], NULL), BERTH_OK);
            e->held[row] = 0;
        }
    }
}

static void add_capacities(enumeration *e) {
    for (size_t t = 0; t < (size_t)e->in->horizon_slots; t++) {
        for (size_t h = 0; h < e->in->n_machines; h++) {
            for (size_t r = 0; r < e->in->n_resources; r++) {
                e->held[held_at(e, t, h, r)] += e->in->capacity[h * e->in->n_resources + r];
            }
        }
    }
    for (size_t row = 0; row < e->n_held; row++) {
        assert_int_equal(berth__model_add_row(e->model, NULL, -(double)INFINITY, e->held[row], NULL, NULL), BERTH_OK);
        e->held[row] = 0;
    }
}

double enumeration_lp(const berth_instance *instance, int n_classes, const int *class_of, long most_columns,
                      long *n_columns) {
    enumeration e = {.in = instance, .class_of = class_of};
    e.n_classes = class_of == NULL ? (int)instance->n_machines : n_classes;
    e.n_held = (size_t)instance->horizon_slots * (size_t)e.n_classes * instance->n_resources;
    e.held = calloc(e.n_held, sizeof *e.held);
    assert_non_null(e.held);
    assert_int_equal(berth__model_new(&e.model, NULL), BERTH_OK);
    e.model->maximize = true;
    add_capacities(&e);
    bool complete = true;
    for (size_t i = 0; i < instance->n_jobs && complete; i++) {
        e.job = &instance->jobs[i];
        assert_int_equal(berth__model_add_row(e.model, NULL, -(double)INFINITY, 1, &e.job_row, NULL), BERTH_OK);
        complete = brute_force_schedules(instance, i, most_columns - e.n_columns, add_schedule, &e);
    }
    double value = complete ? optimum_of(e.model) : (double)NAN;
    if (n_columns != NULL) {
        *n_columns = e.n_columns;
    }
    berth__model_free(e.model);
    free(e.held);
    return value;
}
