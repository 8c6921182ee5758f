#include "workload/synthesis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "workload/model_sizes.h"
#include "workload/models.h"
#include "workload/utility_mix.h"

static const char *const utility_rules[] = {
    [BERTH__UTILITY_PDORS] = "pdors",   [BERTH__UTILITY_SIGMOID] = "sigmoid",   [BERTH__UTILITY_CONSTANT] = "constant",
    [BERTH__UTILITY_LINEAR] = "linear", [BERTH__UTILITY_DEADLINE] = "deadline",
};

berth_status berth__utility_rule_parse(const char *name, berth__utility_rule *out, berth_error *error) {
    *out = BERTH__UTILITY_PDORS;
    if (name == NULL) {
        return BERTH_OK;
    }
    for (size_t i = 0; i < sizeof utility_rules / sizeof utility_rules[0]; i++) {
        if (strcmp(name, utility_rules[i]) == 0) {
            *out = (berth__utility_rule)i;
            return BERTH_OK;
        }
    }
    return berth__fail(error, BERTH_E_ARGUMENT, "utility",
                       "\"%.80s\" is not one of pdors, sigmoid, constant, linear, deadline", name);
}

const char *berth__utility_rule_text(berth__utility_rule rule) {
    static const char *const texts[] = {
        [BERTH__UTILITY_PDORS] = "pdors (sigmoid: 10 % insensitive to delay, 55 % sensitive, 35 % critical)",
        [BERTH__UTILITY_SIGMOID] = "sigmoid (all sensitive to delay)",
        [BERTH__UTILITY_CONSTANT] = "constant",
        [BERTH__UTILITY_LINEAR] = "linear (0 after 2 to 5 times the slots that the job takes at full width)",
        [BERTH__UTILITY_DEADLINE] = "deadline (2 to 5 times the slots that the job takes at full width)",
    };
    return texts[rule];
}

static double round_down(double amount) {
    return amount >= 1 ? floor(amount) : floor(amount * 100) / 100;
}

/* A third each: low, middle, high. */
static double one_of(berth__pcg *stream, double low, double middle, double high) {
    double values[] = {low, middle, high};
    return values[berth__pcg_integer(stream, 0, 2)];
}

/* ---- demands ---- */

static double first_known(double recorded, double synthesised) {
    return isnan(recorded) ? synthesised : recorded;
}

/* The recorded demand of resource r, of a worker or a server; NAN: not recorded. */
static double recorded_demand(const berth__machines *machines, size_t r, double gpus, double cpus, double memory_gb) {
    return (int)r == machines->gpu      ? gpus
           : (int)r == machines->cpu    ? cpus
           : (int)r == machines->memory ? memory_gb
                                        : (double)NAN;
}

static double worker_recorded(const berth__machines *machines, size_t r, const berth__trace_job *from) {
    return recorded_demand(machines, r, from->gpus, from->cpus, from->memory_gb);
}

static double server_recorded(const berth__machines *machines, size_t r, const berth__trace_job *from) {
    return recorded_demand(machines, r, from->server_gpus, from->server_cpus, from->server_memory_gb);
}

/* Draws for every resource but gpu, whether recorded or not, so that the draws that follow do not depend on it. */
static void draw_demands(const berth__machines *machines, berth__pcg *stream, const berth__trace_job *from,
                         const berth_job *job, berth__synthesis_room *room, bool *made) {
    const double *reference = machines->groups[machines->reference].amounts;
    const double workers = floor(reference[machines->gpu]);
    const double servers = ceil(workers / fmax(job->workers_per_ps, 1 / workers));
    for (size_t r = 0; r < machines->n_resources; r++) {
        if ((int)r == machines->gpu) {
            room->worker[r] = from->gpus;
            room->ps[r] = from->server_gpus;
            continue;
        }
        const double per_gpu = round_down(reference[r] / workers * one_of(stream, .25, .375, .5));
        const double share = one_of(stream, .125, .25, .5);
        const double recorded = worker_recorded(machines, r, from);
        room->worker[r] = first_known(recorded, from->gpus == 1 ? per_gpu : round_down(per_gpu * from->gpus));
        const double rest = fmax(0, reference[r] - workers * per_gpu);
        room->ps[r] = first_known(server_recorded(machines, r, from), round_down(rest / servers * share));
        *made = *made || isnan(recorded);
    }
}

/* Do all workers and recorded servers fit one machine that the job may use, as far as demands are recorded? */
static bool fits_one_machine(const berth__machines *machines, const berth__trace_job *from) {
    for (size_t g = 0; g < machines->n_groups; g++) {
        bool fits = berth__machines_allowed(machines, g, from->gpu_types);
        for (size_t r = 0; fits && r < machines->n_resources; r++) {
            double worker = worker_recorded(machines, r, from), server = server_recorded(machines, r, from);
            double all = isnan(worker) ? 0 : worker * from->workers;
            all += from->servers > 0 && !isnan(server) ? server * from->servers : 0;
            fits = all <= machines->groups[g].amounts[r];
        }
        if (fits) {
            return true;
        }
    }
    return false;
}

static void allow_types(const berth__machines *machines, const char *gpu_types, berth_job *job,
                        berth__synthesis_room *room) {
    if (!machines->typed || gpu_types == NULL) {
        return;
    }
    for (const char *type = gpu_types; job->n_allow < BERTH__MOST_GPU_TYPES; type++) {
        size_t length = strcspn(type, "|");
        char name[BERTH__GPU_TYPE];
        berth__gpu_type_name(type, length, name);
        char *pattern = room->patterns[job->n_allow];
        snprintf(pattern, sizeof room->patterns[0], "%s.*", name);
        room->allow[job->n_allow++] = pattern;
        type += length;
        if (*type == '\0') {
            break;
        }
    }
    job->allow = room->allow;
}

/* ---- utility ---- */

static berth_utility draw_utility(const berth__synthesis *s, berth__pcg *stream, double duration_s) {
    double own = fmax(1, ceil(duration_s / s->slot_seconds));
    double k = berth__draw_hundredths(stream, 1, 4);
    /* k has two decimals, and so have its multiples by whole numbers */
    double half_value_slots = fmin(round(k * own * 100) / 100, s->horizon_slots);
    double deadline_slots = fmin(round((1 + k) * own * 100) / 100, s->horizon_slots);
    berth_utility utility = {.kind = BERTH_UTILITY_CONSTANT};
    switch (s->utility) {
    case BERTH__UTILITY_PDORS:
        return berth__draw_sigmoid(stream, berth__draw_sensitivity(stream, berth__usual_mix), half_value_slots);
    case BERTH__UTILITY_SIGMOID:
        return berth__draw_sigmoid(stream, BERTH__SENSITIVE, half_value_slots);
    case BERTH__UTILITY_LINEAR:
        utility.kind = BERTH_UTILITY_LINEAR;
        utility.deadline_slots = deadline_slots;
        break;
    case BERTH__UTILITY_DEADLINE:
        utility.kind = BERTH_UTILITY_DEADLINE;
        utility.deadline_slots = deadline_slots;
        break;
    case BERTH__UTILITY_CONSTANT:
        break;
    }
    utility.value = berth__draw_hundredths(stream, 1, 100);
    return utility;
}

/* ---- model ---- */

static const berth__model *nearest_model(double gradient_mb) {
    const berth__model *nearest = &berth__models[0];
    for (size_t i = 1; i < BERTH__N_MODELS; i++) {
        const berth__model *model = &berth__models[i];
        if (fabs(log(model->gradient_mb / gradient_mb)) < fabs(log(nearest->gradient_mb / gradient_mb))) {
            nearest = model;
        }
    }
    return nearest;
}

static void apply_model(const berth__trace_job *from, const berth__model *drawn, berth_job *job, bool *made) {
    const double size_mb = from->model == NULL ? (double)NAN : berth__model_size_mb(from->model);
    *made = isnan(size_mb);
    berth__model_apply(isnan(size_mb) ? drawn : nearest_model(size_mb), 1, job);
    job->gradient_mb = first_known(size_mb, job->gradient_mb);
    if (!isnan(from->step_s)) {
        job->sample_seconds = from->step_s / job->batch;
    }
}

/* ---- servers ---- */

static void set_servers(const berth__trace_job *from, double drawn, berth_job *job, bool *made) {
    job->all_reduce = from->servers == 0;
    *made = from->servers == BERTH__SERVERS_UNKNOWN;
    job->workers_per_ps = drawn;
    if (from->servers > 0) {
        job->workers_per_ps = (double)from->workers / from->servers;
        /* 5 / 3 three times is less than 5 in floating point: the recorded servers must do. */
        while (from->servers * job->workers_per_ps < from->workers) {
            job->workers_per_ps = nextafter(job->workers_per_ps, (double)INFINITY);
        }
    }
}

void berth__synthesise_job(const berth__synthesis *s, berth__pcg *stream, const berth__trace_job *from, berth_job *job,
                           berth__synthesis_room *room, bool made[BERTH_N_MADE]) {
    const berth__model *drawn = &berth__models[berth__pcg_integer(stream, 0, BERTH__N_MODELS - 1)];
    job->batch = first_known(from->batch, one_of(stream, 32, 64, 128));
    made[BERTH_MADE_BATCH] = isnan(from->batch);
    set_servers(from, one_of(stream, 1, 2, 4), job, &made[BERTH_MADE_SERVERS]);
    job->max_workers = from->workers;
    apply_model(from, drawn, job, &made[BERTH_MADE_MODEL]);
    double sample_s = berth__sample_time_s(job, fits_one_machine(s->machines, from) ? BERTH_INTERNAL : BERTH_EXTERNAL);
    double duration_s = isnan(from->samples) ? from->duration_s : from->samples * sample_s / from->workers;
    job->epochs = 1;
    job->samples = fmax(1, isnan(from->samples) ? round(duration_s * from->workers / sample_s) : from->samples);
    job->utility = draw_utility(s, stream, duration_s);
    made[BERTH_MADE_UTILITY] = true;
    made[BERTH_MADE_DEMANDS] = false;
    draw_demands(s->machines, stream, from, job, room, &made[BERTH_MADE_DEMANDS]);
    allow_types(s->machines, from->gpu_types, job, room);
    job->worker = room->worker;
    job->ps = job->all_reduce ? NULL : room->ps;
}
