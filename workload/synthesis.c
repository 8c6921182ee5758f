#include "workload/synthesis.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
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

const char *berth__synthesis_text(void) {
    return "model (one of eight measured, each as likely), batch (32, 64, 128), workers per parameter server (1, 2, "
           "4), demands other "
           "than GPUs (shares of a machine's resources per GPU) and utility; max_workers = GPUs, epochs = 1, samples = "
           "duration x GPUs x speed of a worker (internal if the GPUs fit one machine, else external)";
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

static void draw_demands(const berth__machine_spec *machine, berth__pcg *stream, const berth_job *job, double *worker,
                         double *ps) {
    int gpu = berth__machine_spec_find(machine, "gpu");
    double workers = floor(machine->amounts[gpu]);
    double servers = ceil(workers / job->workers_per_ps);
    for (size_t r = 0; r < machine->n; r++) {
        if ((int)r == gpu) {
            worker[r] = 1;
            ps[r] = 0;
            continue;
        }
        worker[r] = round_down(machine->amounts[r] / workers * one_of(stream, .25, .375, .5));
        double rest = machine->amounts[r] - workers * worker[r];
        ps[r] = round_down(rest / servers * one_of(stream, .125, .25, .5));
    }
}

static berth_utility draw_utility(const berth__synthesis *s, berth__pcg *stream, double duration_s) {
    double own = fmax(1, ceil(duration_s / s->slot_seconds));
    double k = berth__draw_hundredths(stream, 1, 4);
    /* k has two decimals, and so have its multiples by whole numbers */
    double half_value_slots = fmin(round(k * own * 100) / 100, s->horizon_slots);
    double deadline_slots = fmin(round((1 + k) * own * 100) / 100, s->horizon_slots);
    berth_utility utility = {.kind = BERTH_UTILITY_CONSTANT};
    switch (s->utility) {
    case BERTH__UTILITY_PDORS:
        return berth__draw_sigmoid(stream, berth__draw_sensitivity(stream), half_value_slots);
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

void berth__synthesise_job(const berth__synthesis *s, berth__pcg *stream, int gpus, double duration_s, berth_job *job,
                           double *worker, double *ps) {
    const berth__model *model = &berth__models[berth__pcg_integer(stream, 0, BERTH__N_MODELS - 1)];
    job->batch = one_of(stream, 32, 64, 128);
    job->workers_per_ps = one_of(stream, 1, 2, 4);
    job->max_workers = gpus;
    berth__model_apply(model, 1, job);
    bool fits = gpus <= s->machine->amounts[berth__machine_spec_find(s->machine, "gpu")];
    double sample_s = berth__sample_time_s(job, fits ? BERTH_INTERNAL : BERTH_EXTERNAL);
    job->epochs = 1;
    job->samples = fmax(1, round(duration_s * gpus / sample_s));
    job->utility = draw_utility(s, stream, duration_s);
    draw_demands(s->machine, stream, job, worker, ps);
    job->worker = worker;
    job->ps = ps;
}
