#include "solver/first_order/run.h"

#include <math.h>

#include "base/alloc.h"

/* Checks of the estimate come after this many passes, and then every 5 %; the full check at least every eighth time. */
enum { FIRST_CHECK = 16, FULL_EVERY = 8 };
static const double check_growth = 0.05;
/* Room that is left in packing rows once a repair had too little of it, in units of the precision. */
static const double room_left = 0.25;
/* Gaps expected to be this many times the precision are worth a full check. */
static const double close_enough = 1.2;

typedef struct fo_run {
    berth__fo_check *check;
    berth__pdhg *iteration;
    double gap;
    double most_cost; /* of any point in the box */
    double *x, *y;    /* [n_cols], [n_rows]: the pair that is checked, then y in the model's terms */
    long next_check;
    long tightened;  /* pass at which packing rows were tightened for more room; 0: not yet, -1: never again */
    double estimate; /* the last estimated gap */
    double share;    /* of it that was left when last checked fully; at most 1 */
    long patience;   /* pass from which on a point within the slack will do; 0: none is good enough yet */
    berth__fo_counts counts;
} fo_run;

static bool run_init(fo_run *run, berth__fo_check *check, double gap) {
    const berth__fo_form *form = check->form;
    *run = (fo_run){.check = check, .gap = gap, .next_check = FIRST_CHECK, .share = 1};
    run->x = BERTH__NEW_ARRAY(double, (size_t)form->n_cols);
    run->y = BERTH__NEW_ARRAY(double, (size_t)form->n_rows);
    run->iteration = berth__pdhg_new(form, check->team);
    for (int j = 0; j < form->n_cols; j++) {
        run->most_cost += fmax(0, form->cost[j]) * form->box[j];
    }
    return run->x != NULL && run->y != NULL && run->iteration != NULL;
}

static void run_clear(fo_run *run) {
    berth__free(run->x);
    berth__free(run->y);
    berth__pdhg_free(run->iteration);
}

/* Replaces the lower bound by what is proved for its multipliers. */
static void certify(fo_run *run) {
    const berth__fo_form *form = run->check->form;
    double bound;
    berth_proof proof;
    berth__fo_model_dual(form, run->check->y, run->y);
    berth__lagrangian_bound(form->model, &form->implied, run->y, &bound, &proof);
    run->check->lower = form->sense * (bound - form->model->offset) - form->constant;
}

/* Where the repair finds no point whose rows all hold, the iteration should leave it more room; where that does not
 * help, there may be no point with as much, and the iteration would never settle. */
static void adapt_room(fo_run *run, long passes) {
    if (run->check->repaired || run->tightened < 0) {
        return;
    }
    if (run->tightened == 0) {
        run->tightened = passes;
        berth__pdhg_tighten(run->iteration, room_left * run->gap);
    } else if (passes > 4 * run->tightened + 1000) {
        run->tightened = -1;
        berth__pdhg_tighten(run->iteration, 0);
    }
}

/* A full check finds a smaller gap than the estimate says: by the repair and the best multiple of y. By how much
 * depends on the instance and hardly on the pass. */
static void note_share(fo_run *run) {
    double gap = berth__fo_check_gap(run->check);
    gap = isinf(gap) ? berth__fo_check_gap_within(run->check) : gap;
    run->share = run->estimate > 0 ? fmin(fmax(gap / run->estimate, 0.01), 1) : 1;
}

/* True if the run is over. */
static bool check_fully(fo_run *run, berth_outcome *outcome) {
    berth__fo_check *check = run->check;
    double began_s = berth__now_s();
    run->counts.checks++;
    berth__pdhg_pair(run->iteration, run->x, run->y);
    berth__fo_check_pair(check, run->x, run->y);
    if (berth__fo_check_gap_within(check) <= run->gap) {
        certify(run);
    }
    run->counts.check_s += berth__now_s() - began_s;
    note_share(run);
    if (check->infeasible) {
        *outcome = BERTH_INFEASIBLE;
        return true;
    }
    *outcome = BERTH_APPROXIMATE;
    if (berth__fo_check_gap(check) <= run->gap) {
        return true;
    }
    long passes = berth__pdhg_count(run->iteration).passes;
    adapt_room(run, passes);
    if (!(berth__fo_check_gap_within(check) <= run->gap)) {
        return false;
    }
    run->patience = run->patience > 0 ? run->patience : 2 * passes;
    return passes >= run->patience || run->tightened < 0;
}

static bool worth_a_check(fo_run *run, long n_estimates) {
    double dual, primal;
    berth__pdhg_estimate(run->iteration, &dual, &primal);
    run->estimate = fabs(primal - dual) / fmax(fmin(fabs(primal), fabs(dual)), run->check->form->cost_floor);
    return run->share * run->estimate < close_enough * run->gap || dual > run->most_cost ||
           n_estimates % FULL_EVERY == 0;
}

static void iterate(fo_run *run, const berth__budget *budget, berth_outcome *outcome) {
    long n_estimates = 0;
    for (long passes = 1; passes <= BERTH__FO_MOST_PASSES && !berth__budget_spent(budget); passes++) {
        bool measure = passes >= run->next_check;
        berth__pdhg_pass(run->iteration, measure);
        if (measure) {
            run->next_check = passes + (long)fmax(FIRST_CHECK, check_growth * (double)passes);
            if (worth_a_check(run, ++n_estimates) && check_fully(run, outcome)) {
                return;
            }
        }
    }
    check_fully(run, outcome);
    *outcome = *outcome == BERTH_INFEASIBLE                         ? BERTH_INFEASIBLE
               : berth__fo_check_gap_within(run->check) <= run->gap ? BERTH_APPROXIMATE
                                                                    : BERTH_LIMIT;
}

berth_status berth__fo_run(berth__fo_check *check, double gap, const berth__budget *budget, berth_outcome *outcome,
                           berth__fo_counts *counts) {
    double began_s = berth__now_s();
    fo_run run;
    bool good = run_init(&run, check, gap);
    if (good) {
        run.counts.setup_s = berth__now_s() - began_s;
        *outcome = BERTH_LIMIT;
        iterate(&run, budget, outcome);
        run.counts.iteration = berth__pdhg_count(run.iteration);
        run.counts.total_s = berth__now_s() - began_s;
        if (counts != NULL) {
            *counts = run.counts;
        }
    }
    run_clear(&run);
    return good ? BERTH_OK : BERTH_E_MEMORY;
}
