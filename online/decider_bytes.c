#include "online/decider_bytes.h"

#include "base/error.h"
#include "online/ledger_bytes.h"

#include <float.h>
#include <limits.h>
#include <math.h>

/* ---- options ---- */

void berth__options_put(berth__writer *to, const berth_options *o) {
    berth__put_text(to, o->policy);
    berth__put_text(to, o->solver);
    berth__put_u64(to, o->seed);
    berth__put_int(to, o->levels);
    berth__put_real(to, o->delta);
    berth__put_u8(to, (unsigned)o->favour);
    berth__put_u8(to, (unsigned)o->scale_rule);
    berth__put_real(to, o->scale);
    berth__put_int(to, o->trials);
    berth__put_bool(to, o->repair);
    berth__put_u8(to, (unsigned)o->effort);
    berth__put_int(to, o->fifo_workers);
    berth__put_u8(to, (unsigned)o->bound);
    berth__put_real(to, o->bound_gap);
    berth__put_real(to, o->dorm_fairness);
    berth__put_real(to, o->dorm_adjust);
    berth__put_real(to, o->restart_delay_s);
    berth__put_bool(to, o->rolling);
}

/* Their ranges are checked together with the others'. */
static void take_fields(berth__byte_reader *from, berth__arena *arena, berth_options *o) {
    o->policy = berth__take_text(from, arena, false, "the policy");
    o->solver = berth__take_text(from, arena, false, "the solver");
    o->seed = berth__take_u64(from);
    o->levels = berth__take_int(from, 1, INT_MAX, "levels");
    o->delta = berth__take_real(from);
    o->favour = (berth_favour)berth__take_u8(from);
    o->scale_rule = (berth_scale_rule)berth__take_u8(from);
    o->scale = berth__take_real(from);
    o->trials = berth__take_int(from, 1, INT_MAX, "trials");
    o->repair = berth__take_bool(from, "repair");
    o->effort = (berth_effort)berth__take_u8(from);
    o->fifo_workers = berth__take_int(from, 0, INT_MAX, "fifo_workers");
    o->bound = (berth_bound)berth__take_u8(from);
    o->bound_gap = berth__take_real(from);
    o->dorm_fairness = berth__take_real(from);
    o->dorm_adjust = berth__take_real(from);
    o->restart_delay_s = berth__take_real(from);
    o->rolling = berth__take_bool(from, "rolling");
    o->noise = 0;
}

bool berth__options_take(berth__byte_reader *from, berth__arena *arena, berth_options *options) {
    berth__byte_reader_enter(from, "options", BERTH__NO_INDEX);
    take_fields(from, arena, options);
    if (!berth__byte_reader_good(from) || !berth__byte_reader_adopt(from, berth__check_options(options, from->error))) {
        return false;
    }
    return berth__policy_find(options->policy) != NULL ||
           berth__refuse(from, "policy \"%s\" decides slot by slot, which no scheduler does", options->policy);
}

/* ---- prices ---- */

static void put_prices(berth__writer *to, const berth__prices *prices) {
    berth__put_bool(to, prices->floored);
    berth__put_reals(to, prices->log_upper, (size_t)prices->n_resources);
    berth__put_reals(to, prices->log_span, (size_t)prices->n_resources);
}

/* Logarithms of an upper price that a double holds, or of 0. */
static void take_log_upper(berth__byte_reader *from, double *to, size_t n) {
    for (size_t r = 0; r < n; r++) {
        to[r] = berth__take_real(from);
        if (berth__byte_reader_good(from) && !(to[r] <= log(DBL_MAX) && (to[r] > -1000 || to[r] == -HUGE_VAL))) {
            berth__refuse(from, "the logarithm of upper price %zu is %g; expected -inf or -1000 to %g", r, to[r],
                          log(DBL_MAX));
        }
    }
}

static berth__prices *take_prices(berth__byte_reader *from, size_t n_resources) {
    berth__prices *prices = berth__prices_blank(n_resources);
    if (prices == NULL) {
        berth__refuse_memory(from);
        return NULL;
    }
    prices->floored = berth__take_bool(from, "floored");
    take_log_upper(from, prices->log_upper, n_resources);
    berth__take_numbers(from, prices->log_span, n_resources, 0, 2000, "the logarithm of a ratio of prices");
    return prices;
}

/* ---- deciders ---- */

void berth__decider_put(berth__writer *to, const berth__decider *s) {
    berth__put_u64(to, s->n_submitted);
    berth__put_int(to, s->now);
    if (s->bidlp != NULL) {
        berth__bidlp_put(to, s->bidlp);
    } else {
        put_prices(to, s->prices);
    }
}

bool berth__decider_take(berth__byte_reader *from, berth__decider *s, int base, int now) {
    berth__byte_reader_enter(from, "prices", BERTH__NO_INDEX);
    s->n_submitted = berth__take_u64(from);
    s->now = berth__take_int(from, 0, now, "the slot of the last submission");
    if (!berth__byte_reader_good(from)) {
        return false;
    }
    if (s->policy->batches) {
        const berth__bidlp_setting setting = berth__decider_setting(s, s->cluster);
        s->bidlp = berth__bidlp_take(from, &setting, base, now);
        return s->bidlp != NULL;
    }
    s->prices = take_prices(from, (size_t)s->cluster->n_resources);
    return berth__byte_reader_good(from) &&
           berth__byte_reader_adopt(from, berth__ledger_new(s->cluster, s->prices, &s->ledger, from->error));
}

bool berth__decider_take_held(berth__byte_reader *from, berth__decider *s, int now) {
    return s->bidlp != NULL ? berth__bidlp_take_ledger(from, s->bidlp, now) : berth__ledger_take(from, s->ledger, now);
}
