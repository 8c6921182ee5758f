/* Writing where a run's time went, berth-timings-1. Apart from the result, which is the same in every run. */
#include <berth_io.h>

#include "base/error.h"
#include "formats/run_json.h"

#include <math.h>

/* Beyond a ten-thousandth of a microsecond no clock means what it says. */
static void write_us(berth__json_writer *w, const char *key, double us) {
    berth__json_number(w, key, round(us * 1e4) / 1e4);
}

static void write_s(berth__json_writer *w, const char *key, double seconds) {
    berth__json_number(w, key, round(seconds * 1e10) / 1e10);
}

berth_status berth_timings_write(const berth_timings *timings, const berth_instance *instance, const char *path,
                                 berth_error *error) {
    berth__error_clear(error);
    if (timings == NULL || instance == NULL || path == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT,
                           timings == NULL    ? "timings"
                           : instance == NULL ? "instance"
                                              : "path",
                           "must not be NULL");
    }
    if (timings->n_jobs != instance->n_jobs) {
        return berth__fail(error, BERTH_E_MISMATCH, "timings", "timings of %zu job%s, but the instance has %zu",
                           timings->n_jobs, timings->n_jobs == 1 ? "" : "s", instance->n_jobs);
    }
    berth__json_writer w;
    berth__json_begin(&w);
    berth__json_object(&w, NULL);
    berth__json_string(&w, "format", "berth-timings-1");
    berth__write_instance_of(&w, instance->name, instance->crc32);
    write_us(&w, "p50_us", timings->p50_us);
    write_us(&w, "p99_us", timings->p99_us);
    write_us(&w, "max_us", timings->max_us);
    write_s(&w, "total_s", timings->total_s);
    berth__json_object(&w, "phases");
    write_s(&w, "relaxation_s", timings->relaxation_s);
    write_s(&w, "rounding_s", timings->rounding_s);
    write_s(&w, "schedule_s", timings->schedule_s);
    write_s(&w, "payoff_bound_s", timings->payoff_bound_s);
    write_s(&w, "dual_bound_s", timings->dual_bound_s);
    berth__json_close(&w);
    berth__json_list(&w, "decisions");
    for (size_t k = 0; k < timings->n_jobs; k++) {
        berth__json_object(&w, NULL);
        berth__json_string(&w, "id", instance->jobs[k].id);
        write_us(&w, "us", timings->decision_us[k]);
        berth__json_close(&w);
    }
    berth__json_close(&w);
    berth__json_close(&w);
    return berth__json_finish_file(&w, path, error);
}
