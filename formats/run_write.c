/* Writing results of runs, berth-run-1. */
#include "formats/run_json.h"

#include "base/error.h"
#include "formats/result_json.h"

#include <math.h>
#include <string.h>

static void write_options(berth__json_writer *w, const berth_run *run) {
    berth__json_object(w, "options");
    berth__json_string(w, "solver", run->solver);
    berth__json_integer(w, "levels", run->levels);
    berth__json_number(w, "delta", run->delta);
    berth__json_string(w, "favour", run->favour);
    berth__json_string(w, "scale", run->scale);
    berth__json_integer(w, "trials", run->trials);
    berth__json_bool(w, "repair", run->repair);
    berth__json_number(w, "restart_delay_s", run->restart_delay_s);
    if (run->noise > 0) {
        berth__json_number(w, "noise", run->noise);
    }
    if (strcmp(run->policy, "bidlp") == 0) {
        berth__json_string(w, "effort", berth_effort_name(run->effort));
    }
    if (run->fifo_workers > 0) {
        berth__json_integer(w, "fifo_workers", run->fifo_workers);
    }
    if (!isnan(run->dorm_fairness)) {
        berth__json_number(w, "dorm_fairness", run->dorm_fairness);
    }
    if (!isnan(run->dorm_adjust)) {
        berth__json_number(w, "dorm_adjust", run->dorm_adjust);
    }
    berth__json_close(w);
}

static void write_prices(berth__json_writer *w, const berth_run *run, const berth_instance *instance) {
    if (run->price_upper == NULL || run->price_lower == NULL) {
        berth__json_null(w, "prices");
        return;
    }
    berth__json_object(w, "prices");
    berth__json_amounts(w, "upper", instance->n_resources, instance->resources, run->price_upper,
                        berth__json_skip_zero);
    berth__json_amounts(w, "lower", instance->n_resources, instance->resources, run->price_lower,
                        berth__json_skip_zero);
    berth__json_number(w, "floor", run->price_floor);
    berth__json_bool(w, "floored", run->price_floored);
    berth__json_bool(w, "oracle", run->price_oracle);
    berth__json_number(w, "closed_form_ratio", run->closed_form_ratio);
    berth__json_string(w, "closed_form_why_not", run->closed_form_why_not);
    berth__json_close(w);
}

static void write_bounds(berth__json_writer *w, const berth_run_bounds *bounds) {
    berth__json_object(w, "bounds");
    berth__json_number(w, "dual", bounds->dual);
    berth__json_number(w, "arrival_dual", bounds->arrival_dual);
    berth__json_number(w, "lp", bounds->lp);
    berth__json_number(w, "exact", bounds->exact);
    berth__json_number(w, "best", bounds->best);
    berth__json_number(w, "ratio", bounds->ratio);
    berth__json_string(w, "void_because", bounds->void_because);
    berth__json_close(w);
}

static void write_rounding(berth__json_writer *w, const berth_rounding_summary *rounding) {
    if (rounding == NULL) {
        berth__json_null(w, "rounding");
        return;
    }
    berth__json_object(w, "rounding");
    berth__json_number(w, "problems", rounding->problems);
    berth__json_number(w, "solved", rounding->solved);
    berth__json_number(w, "repaired", rounding->repaired);
    berth__json_number(w, "draws", rounding->draws);
    berth__json_number(w, "guarantee_held", rounding->guarantee_held);
    berth__json_string(w, "why_not", rounding->why_not);
    berth__json_object(w, "promise");
    berth__json_number(w, "scale", rounding->promise.scale);
    berth__json_number(w, "cost_factor", rounding->promise.cost_factor);
    berth__json_number(w, "cover_factor", rounding->promise.cover_factor);
    berth__json_number(w, "pack_factor", rounding->promise.pack_factor);
    berth__json_number(w, "probability", rounding->promise.probability);
    berth__json_close(w);
    berth__json_close(w);
}

static void write_placement_summary(berth__json_writer *w, const berth_placement_summary *placement) {
    if (placement == NULL) {
        berth__json_null(w, "placement");
        return;
    }
    berth__json_object(w, "placement");
    berth__json_number(w, "slots", placement->slots);
    berth__json_number(w, "proved", placement->proved);
    berth__json_number(w, "worst_gap", placement->worst_gap);
    berth__json_number(w, "mean_gap", placement->mean_gap);
    berth__json_close(w);
}

/* Only of runs with noise. */
static void write_estimation(berth__json_writer *w, const berth_estimation_summary *estimation) {
    if (estimation == NULL) {
        return;
    }
    berth__json_object(w, "estimation");
    berth__json_integer(w, "early", (long long)estimation->early);
    berth__json_integer(w, "late", (long long)estimation->late);
    berth__json_integer(w, "unfinished", (long long)estimation->unfinished);
    berth__json_integer(w, "promises_kept", (long long)estimation->promises_kept);
    berth__json_integer(w, "promises_broken", (long long)estimation->promises_broken);
    berth__json_number(w, "mean_overrun_slots", estimation->mean_overrun_slots);
    berth__json_number(w, "worst_overrun_slots", estimation->worst_overrun_slots);
    berth__json_close(w);
}

static void write_slot(berth__json_writer *w, const berth_instance *instance, const berth_slot_plan *slot) {
    berth__json_object(w, NULL);
    berth__json_integer(w, "slot", slot->slot);
    berth__json_string(w, "locality", slot->locality == BERTH_INTERNAL ? "internal" : "external");
    berth__json_number(w, "samples", slot->samples);
    berth__json_list(w, "placements");
    for (size_t k = 0; k < slot->n_placements; k++) {
        berth__json_object(w, NULL);
        berth__json_string(w, "machine", instance->machines[slot->placements[k].machine]);
        berth__json_integer(w, "workers", slot->placements[k].workers);
        berth__json_integer(w, "ps", slot->placements[k].ps);
        berth__json_close(w);
    }
    berth__json_close(w);
    berth__json_close(w);
}

/* -1 stands for "none". */
static void write_slot_number(berth__json_writer *w, const char *key, int slot) {
    if (slot == -1) {
        berth__json_null(w, key);
    } else {
        berth__json_integer(w, key, slot);
    }
}

static void write_job(berth__json_writer *w, const berth_instance *instance, const berth_run_job *job,
                      const berth_truth *truth) {
    static const char *const outcomes[] = {
#define OUTCOME_TEXT(name, value, text) [BERTH_JOB_##name] = (text),
        BERTH_JOB_OUTCOME_TABLE(OUTCOME_TEXT)
#undef OUTCOME_TEXT
    };
    berth__json_object(w, NULL);
    berth__json_string(w, "id", job->id);
    berth__json_bool(w, "admitted", job->admitted);
    berth__json_string(w, "outcome", outcomes[job->outcome]);
    berth__json_string(w, "reason", job->reason != NULL && job->reason[0] != '\0' ? job->reason : NULL);
    write_slot_number(w, "promised_slot", job->promised_slot);
    write_slot_number(w, "completion_slot", job->completion_slot);
    write_slot_number(w, "delay_slots", job->delay_slots);
    berth__json_number(w, "utility", job->utility);
    berth__json_number(w, "payoff", job->payoff);
    berth__json_number(w, "payoff_bound", job->payoff_bound);
    berth__json_number(w, "price_paid", job->price_paid);
    if (truth != NULL) {
        berth__json_number(w, "speed_factor", truth->speed);
        berth__json_number(w, "work_factor", truth->work);
    }
    berth__json_list(w, "slots");
    for (size_t k = 0; k < job->n_slots; k++) {
        write_slot(w, instance, &job->slots[k]);
    }
    berth__json_close(w);
    berth__json_close(w);
}

static void write_summary(berth__json_writer *w, const berth_instance *instance, const berth_run_summary *summary) {
    berth__json_object(w, "summary");
    berth__json_integer(w, "jobs", (long long)summary->jobs);
    berth__json_integer(w, "admitted", (long long)summary->admitted);
    berth__json_integer(w, "completed", (long long)summary->completed);
    berth__json_number(w, "utility", summary->utility);
    berth__json_number(w, "mean_delay_slots", summary->mean_delay_slots);
    berth__json_number(w, "median_delay_slots", summary->median_delay_slots);
    berth__json_integer(w, "makespan_slots", summary->makespan_slots);
    berth__json_amounts(w, "utilisation", instance->n_resources, instance->resources, summary->utilisation, NULL);
    berth__json_close(w);
}

static void write_certificate(berth__json_writer *w, const berth_run *run, const berth_instance *instance,
                              bool elsewhere) {
    if (run->certificate == NULL) {
        berth__json_null(w, "certificate");
        return;
    }
    berth__json_object(w, "certificate");
    if (elsewhere) {
        berth__json_integer(w, "numbers", (long long)berth__certificate_numbers(run->certificate, instance));
    } else {
        berth__write_certificate(w, run->certificate, instance);
    }
    berth__json_close(w);
}

static void write_run(berth__json_writer *w, const berth_run *run, const berth_instance *instance, bool elsewhere) {
    berth__json_object(w, NULL);
    berth__json_string(w, "format", "berth-run-1");
    berth__write_instance_of(w, run->instance, run->instance_crc32);
    berth__json_string(w, "policy", run->policy);
    berth__json_uint64(w, "seed", run->seed);
    berth__json_bool(w, "stopped", run->stopped);
    write_options(w, run);
    write_prices(w, run, instance);
    berth__json_number(w, "utility", run->utility);
    write_bounds(w, &run->bounds);
    write_rounding(w, run->rounding);
    write_placement_summary(w, run->placement);
    write_estimation(w, run->estimation);
    write_certificate(w, run, instance, elsewhere);
    berth__json_list(w, "jobs");
    for (size_t k = 0; k < run->n_jobs; k++) {
        write_job(w, instance, &run->jobs[k], run->truth == NULL ? NULL : &run->truth[k]);
    }
    berth__json_close(w);
    if (run->summary.utilisation != NULL) {
        write_summary(w, instance, &run->summary);
    } else {
        berth__json_null(w, "summary");
    }
    berth__write_versions(w, run->n_versions, run->version_names, run->version_numbers);
    berth__json_close(w);
}

berth_status berth_run_write(const berth_run *run, const berth_instance *instance, const char *path,
                             const char *certificate_path, berth_error *error) {
    berth__error_clear(error);
    if (run == NULL || instance == NULL || path == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT,
                           run == NULL        ? "run"
                           : instance == NULL ? "instance"
                                              : "path",
                           "must not be NULL");
    }
    size_t numbers = run->certificate == NULL ? 0 : berth__certificate_numbers(run->certificate, instance);
    bool elsewhere = run->certificate != NULL && certificate_path != NULL;
    if (certificate_path == NULL && numbers > BERTH__MAX_INLINE_CERTIFICATE) {
        return berth__fail(error, BERTH_E_ARGUMENT, "certificate_path",
                           "the certificate has %zu numbers, more than %d: it needs a file of its own", numbers,
                           BERTH__MAX_INLINE_CERTIFICATE);
    }
    if (elsewhere) {
        /* First, so that no result stands without the certificate that it speaks of. */
        berth_status status = berth__write_certificate_file(run->certificate, instance, certificate_path, error);
        if (status != BERTH_OK) {
            return status;
        }
    }
    berth__json_writer w;
    berth__json_begin(&w);
    write_run(&w, run, instance, elsewhere);
    return berth__json_finish_file(&w, path, error);
}
