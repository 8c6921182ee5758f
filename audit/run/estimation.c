/* Runs in which true speed and work differ from what is declared: the factors, drawn again, and what the result says
 * that came of them.
 *
 * Both factors of a job are exp(sigma z), with two independent standard normal z by Box and Muller's method from the
 * stream (tag, seed, job). Nothing follows for the prices of plans that were not carried out, nor for bounds. */
#include <math.h>

#include "audit/run/audit.h"
#include "base/pcg.h"
#include "base/tolerance.h"

enum { STREAM_TAG = 0x65737469 };

/* ---- factors ---- */

static berth_truth draw_truth(const berth_run *run, size_t job) {
    const uint64_t key[] = {STREAM_TAG, run->seed, job};
    berth__pcg stream = berth__pcg_key(3, key);
    double u = 1 - berth__pcg_uniform(&stream), v = berth__pcg_uniform(&stream);
    double length = sqrt(-2 * log(u)), turn = 2 * 3.14159265358979324 * v;
    return (berth_truth){.speed = exp(run->noise * length * cos(turn)), .work = exp(run->noise * length * sin(turn))};
}

static void check_factor(berth__audit *audit, const berth__audit_place *place, const char *name, double claimed,
                         double due) {
    berth__audit_count(audit->report, BERTH__RULE_ESTIMATION);
    if (!(claimed > 0 && isfinite(claimed))) {
        berth__audit_violation(audit->report, BERTH__RULE_ESTIMATION, place, claimed,
                               "the %s factor is %.9g; expected a number > 0", name, claimed);
    } else if (!audit->external && !berth__audit_agree(claimed, due, 0)) {
        berth__audit_violation(audit->report, BERTH__RULE_ESTIMATION, place, -fabs(claimed - due),
                               "the %s factor is claimed to be %.9g; the seed and the noise give %.9g", name, claimed,
                               due);
    }
}

/* Without noise all is as declared; anybody else's factors are taken as they are. */
void berth__audit_truth(berth__audit *audit) {
    const berth_run *run = audit->run;
    audit->noisy = run->noise != 0; /* a number that is none, too */
    if (audit->noisy && !(run->noise > 0 && run->noise <= 2)) {
        berth__audit_violation(audit->report, BERTH__RULE_ESTIMATION, &BERTH__NOWHERE, (double)NAN,
                               "noise is %.9g; expected a number in [0, 2]", run->noise);
    }
    for (size_t job = 0; job < run->n_jobs; job++) {
        const berth_truth due = audit->noisy ? draw_truth(run, job) : (berth_truth){1, 1};
        berth__audit_place place = {audit->jobs[job].spec->id, -1, NULL, NULL};
        berth_truth claimed = run->truth != NULL ? run->truth[job] : (berth_truth){1, 1};
        if (run->truth != NULL || audit->noisy) {
            check_factor(audit, &place, "speed", claimed.speed, due.speed);
            check_factor(audit, &place, "work", claimed.work, due.work);
        }
        if (!audit->noisy && !(claimed.speed == 1 && claimed.work == 1)) {
            berth__audit_violation(audit->report, BERTH__RULE_ESTIMATION, &place, (double)NAN,
                                   "factors %.9g and %.9g without noise", claimed.speed, claimed.work);
            claimed = (berth_truth){1, 1};
        }
        audit->jobs[job].truth = claimed;
    }
}

/* ---- what came of them ---- */

/* A plan made with what is declared completes at the slot where it does by that; jobs that end before leave it open. */
static void check_plan_end(berth__audit *audit, size_t job) {
    const berth_run_job *claim = &audit->run->jobs[job];
    int declared = audit->facts[job].declared_slot, last = audit->facts[job].last_slot;
    berth__audit_place place = {claim->id, -1, NULL, NULL};
    bool ended = declared >= 0;
    if (!claim->admitted || claim->promised_slot < 0) {
        return;
    }
    berth__audit_count(audit->report, BERTH__RULE_PROMISED_SLOT);
    if (ended ? declared > claim->promised_slot : last > claim->promised_slot) {
        berth__audit_violation(
            audit->report, BERTH__RULE_PROMISED_SLOT, &place, (double)claim->promised_slot - (ended ? declared : last),
            "slot %d is promised, but its plan goes on to slot %d", claim->promised_slot, ended ? declared : last);
    } else if (audit->primal_dual && ended && declared != claim->promised_slot) {
        berth__audit_violation(audit->report, BERTH__RULE_PROMISED_SLOT, &place, (double)NAN,
                               "slot %d is promised, but its plan ends in slot %d, by a policy whose plans do not "
                               "change",
                               claim->promised_slot, declared);
    }
}

static void check_counts(berth__audit *audit, const berth_estimation_summary *claimed) {
    const berth_run *run = audit->run;
    double early = 0, late = 0, unfinished = 0, kept = 0, broken = 0, sum = 0, worst = 0;
    for (size_t job = 0; job < run->n_jobs; job++) {
        const berth__audit_facts *facts = &audit->facts[job];
        const berth_run_job *claim = &run->jobs[job];
        bool completed = claim->outcome == BERTH_JOB_COMPLETED;
        bool over = completed && facts->declared_slot >= 0 && facts->declared_slot < facts->last_slot;
        unfinished += claim->outcome == BERTH_JOB_UNFINISHED;
        early += completed && facts->declared_slot < 0;
        late += over;
        sum += over ? facts->last_slot - facts->declared_slot : 0;
        worst = fmax(worst, over ? facts->last_slot - facts->declared_slot : 0);
        kept += claim->promised_slot >= 0 && completed && facts->last_slot <= claim->promised_slot;
        broken += claim->promised_slot >= 0 && !(completed && facts->last_slot <= claim->promised_slot);
    }
    const struct {
        const char *name;
        double claimed, due;
    } figures[] = {
        {"the number of early jobs", (double)claimed->early, early},
        {"the number of late jobs", (double)claimed->late, late},
        {"the number of unfinished jobs", (double)claimed->unfinished, unfinished},
        {"the number of promises kept", (double)claimed->promises_kept, kept},
        {"the number of promises broken", (double)claimed->promises_broken, broken},
        {"the mean overrun", claimed->mean_overrun_slots, late > 0 ? sum / late : (double)NAN},
        {"the worst overrun", claimed->worst_overrun_slots, late > 0 ? worst : (double)NAN},
    };
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        berth__audit_figure(audit, BERTH__RULE_ESTIMATION, figures[i].name, figures[i].claimed, figures[i].due);
    }
}

/* Prices were paid for plans that the result does not have. */
static void check_no_prices(berth__audit *audit, const berth_run_job *claim) {
    berth__audit_place place = {claim->id, -1, NULL, NULL};
    bool free = isnan(claim->price_paid) || (!claim->admitted && claim->price_paid == 0);
    berth__audit_count(audit->report, BERTH__RULE_PRICE_PAID);
    if (!free || !isnan(claim->payoff) || !isnan(claim->payoff_bound)) {
        berth__audit_violation(audit->report, BERTH__RULE_PRICE_PAID, &place, (double)NAN,
                               "a price or payoff is claimed of a plan that was not carried out as declared");
    }
}

void berth__audit_estimation(berth__audit *audit) {
    const berth_run *run = audit->run;
    if (!audit->noisy) {
        if (run->estimation != NULL) {
            berth__audit_violation(audit->report, BERTH__RULE_ESTIMATION, &BERTH__NOWHERE, (double)NAN,
                                   "early and late jobs are counted, but there is no noise");
        }
        return;
    }
    if (run->bounds.void_because == NULL) {
        berth__audit_violation(audit->report, BERTH__RULE_BOUNDS, &BERTH__NOWHERE, (double)NAN,
                               "true speed and work differ from the declared, but the bounds are not void");
    }
    for (size_t job = 0; job < run->n_jobs; job++) {
        if (!audit->external) {
            check_plan_end(audit, job);
            check_no_prices(audit, &run->jobs[job]);
        }
    }
    if (run->estimation != NULL) {
        check_counts(audit, run->estimation);
    } else if (audit->external) {
        berth__audit_note(audit->report, BERTH__RULE_ESTIMATION, &BERTH__NOWHERE, "no summary of errors is given");
    } else {
        berth__audit_violation(audit->report, BERTH__RULE_ESTIMATION, &BERTH__NOWHERE, (double)NAN,
                               "early and late jobs are not counted, but there is noise");
    }
}
