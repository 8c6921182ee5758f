#include "tests/support/rich_instance.h"

#include "base/pcg.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MACHINES = 6, JOBS = 24, RESOURCES = 3, KINDS = 2, STEPS = 3, QUOTAS = 2 };

struct rich_instance {
    berth_instance instance;
    char job_names[JOBS][8];
    berth_machine_group groups[MACHINES];
    int group_of[MACHINES];
    double capacity[MACHINES * RESOURCES], quota[QUOTAS * RESOURCES], worker[JOBS][RESOURCES], ps[JOBS][RESOURCES];
    berth_quota quotas[QUOTAS];
    berth_step steps[JOBS][STEPS];
    berth_job jobs[JOBS];
};

static const char *const resource_names[RESOURCES] = {"gpu", "cpu", "memory"};
static const char *const machine_names[MACHINES] = {"a0", "a1", "b0", "b1", "c0", "c1"};
static const char *const tenant_names[QUOTAS] = {"red", "blue"};
static const char *const globs[] = {"a*", "*0", "[bc]*", "a1", "*", "b0"};

static int draw(berth__pcg *g, int low, int high) {
    return (int)berth__pcg_integer(g, low, high);
}

static bool one_in(berth__pcg *g, int n) {
    return draw(g, 1, n) == 1;
}

static void draw_machines(rich_instance *w, berth__pcg *g) {
    berth_instance *in = &w->instance;
    double kinds[KINDS][RESOURCES];
    for (int k = 0; k < KINDS; k++) {
        for (int r = 0; r < RESOURCES; r++) {
            kinds[k][r] = r > 0 && one_in(g, 8) ? 0 : 2 + 5 * berth__pcg_uniform(g);
        }
    }
    in->n_machines = in->n_groups = (size_t)draw(g, 2, MACHINES);
    for (size_t h = 0; h < in->n_machines; h++) {
        const double *kind = kinds[one_in(g, 3)];
        for (size_t r = 0; r < in->n_resources; r++) {
            w->capacity[h * in->n_resources + r] = kind[r];
        }
        w->group_of[h] = (int)h;
        w->groups[h] =
            (berth_machine_group){.name = machine_names[h], .count = 1, .capacity = w->capacity + h * in->n_resources};
    }
    in->n_quotas = one_in(g, 2) ? QUOTAS : 0;
    for (size_t q = 0; q < in->n_quotas; q++) {
        for (size_t r = 0; r < in->n_resources; r++) {
            w->quota[q * in->n_resources + r] = one_in(g, 2) ? (double)INFINITY : 2 + 6 * berth__pcg_uniform(g);
        }
        w->quotas[q] = (berth_quota){.tenant = tenant_names[q], .amount = w->quota + q * in->n_resources};
    }
}

static void draw_utility(rich_instance *w, berth__pcg *g, int i) {
    double value = 1 + 20 * berth__pcg_uniform(g) * berth__pcg_uniform(g);
    berth_utility *u = &w->jobs[i].utility;
    *u = (berth_utility){.kind = (berth_utility_kind)draw(g, BERTH_UTILITY_SIGMOID, BERTH_UTILITY_STEPS),
                         .theta = {value, 0.2 + 2 * berth__pcg_uniform(g), draw(g, 0, 6)},
                         .value = value,
                         .deadline_slots = draw(g, 1, 8),
                         .n_steps = STEPS,
                         .steps = w->steps[i]};
    for (int s = 0; s < STEPS; s++) {
        w->steps[i][s] = (berth_step){.delay_slots = 2 * s + draw(g, 0, 1), .value = value / (1 + s)};
    }
}

static void draw_job(rich_instance *w, berth__pcg *g, int i, int arrival) {
    berth_job *job = &w->jobs[i];
    snprintf(w->job_names[i], sizeof w->job_names[i], "j%d", i);
    berth_job_init(job);
    job->id = w->job_names[i];
    job->arrival_slot = arrival;
    job->tenant = one_in(g, 2) ? tenant_names[draw(g, 0, QUOTAS - 1)] : NULL;
    job->all_reduce = one_in(g, 3);
    job->epochs = 1;
    job->batch = 4;
    job->sample_seconds = 1;
    job->gradient_mb = 1;
    job->workers_per_ps = draw(g, 1, 3);
    job->bandwidth_internal_mb_s = 0.5 + berth__pcg_uniform(g);
    job->bandwidth_external_mb_s = 0.5 + berth__pcg_uniform(g); /* either may be the faster */
    job->max_workers = draw(g, 1, 6);
    job->samples = 10 * (0.3 + 8 * berth__pcg_uniform(g) * berth__pcg_uniform(g));
    for (size_t r = 0; r < w->instance.n_resources; r++) {
        w->worker[i][r] = one_in(g, 4) ? 0 : 0.2 + 1.3 * berth__pcg_uniform(g);
        w->ps[i][r] = one_in(g, 3) ? 0 : berth__pcg_uniform(g);
    }
    w->worker[i][0] = w->worker[i][0] > 0 ? w->worker[i][0] : 1;
    job->worker = w->worker[i];
    job->ps = job->all_reduce ? NULL : w->ps[i];
    job->n_allow = one_in(g, 4) ? 1 : 0;
    job->allow = &globs[draw(g, 0, 4)];
    job->n_avoid = one_in(g, 4) ? 1 : 0;
    job->avoid = &globs[draw(g, 0, 1) == 0 ? 3 : 5];
    draw_utility(w, g, i);
}

rich_instance *rich_instance_new(uint64_t seed, int slots, int jobs) {
    rich_instance *w = calloc(1, sizeof *w);
    if (w == NULL || jobs > JOBS) {
        abort();
    }
    berth__pcg g = berth__pcg_seed(0x72696368, seed);
    w->instance = (berth_instance){.name = "rich",
                                   .source = "",
                                   .slot_seconds = 10,
                                   .horizon_slots = slots,
                                   .n_resources = (size_t)draw(&g, 1, RESOURCES),
                                   .resources = resource_names,
                                   .groups = w->groups,
                                   .machines = machine_names,
                                   .machine_group = w->group_of,
                                   .capacity = w->capacity,
                                   .quotas = w->quotas,
                                   .n_jobs = (size_t)jobs,
                                   .jobs = w->jobs,
                                   .price_floor = (double)NAN};
    draw_machines(w, &g);
    bool bursts = one_in(&g, 2);
    for (int i = 0; i < jobs; i++) {
        int even = i * slots / jobs;
        draw_job(w, &g, i, bursts ? even - even % 3 : even);
    }
    return w;
}

void rich_instance_free(rich_instance *w) {
    free(w);
}

const berth_instance *rich_instance_of(const rich_instance *w) {
    return &w->instance;
}
