/* Defaults and ranges of berth_options. */
#include "online/policy.h"

#include "base/error.h"

#include <math.h>

void berth_options_init(berth_options *options) {
    *options = (berth_options){
        .struct_size = sizeof *options,
        .policy = "bidlp",
        .solver = "auto",
        .seed = 1,
        .time_limit_s = HUGE_VAL,
        .levels = 200,
        .delta = 0.1,
        .favour = BERTH_FAVOUR_COVER,
        .scale_rule = BERTH_SCALE_AUTO,
        .scale = 1,
        .trials = 16,
        .dorm_fairness = 0.1,
        .dorm_adjust = 0.1,
        .bound = BERTH_BOUND_DUAL,
        .bound_gap = 0.005,
        .effort = BERTH_EFFORT_MEDIUM,
    };
    berth_hooks_init(&options->hooks);
}

berth_status berth__check_options(const berth_options *o, berth_error *error) {
    if (o->struct_size != sizeof *o || o->hooks.struct_size != sizeof o->hooks) {
        return berth__fail(error, BERTH_E_ARGUMENT, "options", "not initialised: call berth_options_init first");
    }
    if (o->policy == NULL || berth_policy_about(o->policy) == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "policy", "unknown policy \"%s\"; expected one of: %s",
                           o->policy == NULL ? "" : o->policy, berth__policy_names());
    }
    if (o->levels < 1 || o->levels > 10000) {
        return berth__fail(error, BERTH_E_ARGUMENT, "levels", "levels is %d; expected 1 to 10000", o->levels);
    }
    if (!(o->delta > 0 && o->delta < 1)) {
        return berth__fail(error, BERTH_E_ARGUMENT, "delta", "delta is %g; expected a number in (0, 1)", o->delta);
    }
    if (o->scale_rule == BERTH_SCALE_GIVEN && !(o->scale > 0 && o->scale < HUGE_VAL)) {
        return berth__fail(error, BERTH_E_ARGUMENT, "scale", "scale is %g; expected a number > 0", o->scale);
    }
    if ((o->favour != BERTH_FAVOUR_COVER && o->favour != BERTH_FAVOUR_PACKING) ||
        (o->scale_rule != BERTH_SCALE_AUTO && o->scale_rule != BERTH_SCALE_PAPER &&
         o->scale_rule != BERTH_SCALE_GIVEN)) {
        return berth__fail(error, BERTH_E_ARGUMENT, "favour",
                           "favour and scale_rule are %d and %d; expected the names' values", (int)o->favour,
                           (int)o->scale_rule);
    }
    if ((int)o->bound < BERTH_BOUND_NONE || o->bound > BERTH_BOUND_EXACT) {
        return berth__fail(error, BERTH_E_ARGUMENT, "bound", "bound is %d; expected the names' values", (int)o->bound);
    }
    if ((int)o->effort < BERTH_EFFORT_LOW || o->effort > BERTH_EFFORT_HIGH) {
        return berth__fail(error, BERTH_E_ARGUMENT, "effort", "effort is %d; expected the names' values",
                           (int)o->effort);
    }
    if (!(o->bound_gap >= 0 && o->bound_gap < 1)) {
        return berth__fail(error, BERTH_E_ARGUMENT, "bound_gap", "bound_gap is %g; expected a number in [0, 1)",
                           o->bound_gap);
    }
    if (o->trials < 1 || o->trials > 1000000) {
        return berth__fail(error, BERTH_E_ARGUMENT, "trials", "trials is %d; expected 1 to 1000000", o->trials);
    }
    if (o->fifo_workers < 0 || o->fifo_workers > 1000000) {
        return berth__fail(error, BERTH_E_ARGUMENT, "fifo_workers", "fifo_workers is %d; expected 0 to 1000000",
                           o->fifo_workers);
    }
    if (!(o->dorm_fairness >= 0 && o->dorm_fairness <= 1)) {
        return berth__fail(error, BERTH_E_ARGUMENT, "dorm_fairness", "dorm_fairness is %g; expected a number in [0, 1]",
                           o->dorm_fairness);
    }
    if (!(o->dorm_adjust >= 0 && o->dorm_adjust <= 1)) {
        return berth__fail(error, BERTH_E_ARGUMENT, "dorm_adjust", "dorm_adjust is %g; expected a number in [0, 1]",
                           o->dorm_adjust);
    }
    if (o->threads < 0 || o->threads > 4096) {
        return berth__fail(error, BERTH_E_ARGUMENT, "threads", "threads is %d; expected 0 to 4096", o->threads);
    }
    if (!(o->time_limit_s >= 0)) {
        return berth__fail(error, BERTH_E_ARGUMENT, "time_limit_s", "time limit is %g s; expected a number >= 0",
                           o->time_limit_s);
    }
    if (!(o->restart_delay_s >= 0 && o->restart_delay_s < HUGE_VAL)) {
        return berth__fail(error, BERTH_E_ARGUMENT, "restart_delay_s", "restart delay is %g s; expected a number >= 0",
                           o->restart_delay_s);
    }
    if (!(o->noise >= 0 && o->noise <= 2)) {
        return berth__fail(error, BERTH_E_ARGUMENT, "noise", "noise is %g; expected a number in [0, 2]", o->noise);
    }
    return BERTH_OK;
}
