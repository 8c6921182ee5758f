/* Policy `bidlp`: bid prices from a rolling LP, decisions for all arrivals of a slot together, promises, local search.
 *
 * In a slot t with arrivals A:
 *   1. bids.c: futures are sampled from the jobs seen; the schedule LP over classes of machines, at the capacity that
 * is free from t on, prices A and each future together (class_prices.h); the mean over futures, times kappa, is what a
 * unit of a resource is bid for.
 *   2. Each of A is planned by the schedule programme on integer placements at these bids, and admitted, those of the
 *      largest payoff for what they demand first, if the payoff is positive and the plan fits.
 *   3. search.c: a few jobs, admitted before or now, are taken out, some rejected ones of A are put beside them, and
 * all are planned anew, each no later than its promise; that stands if the sum of utility - cost does not fall.
 *   4. What comes out is announced. The promise is the completion slot; placements may change until they run.
 *
 * Proved: feasibility, promises, and the bound that a run reports. The futures, kappa and the search are heuristics,
 * and no worst-case ratio is claimed.
 *
 * A call either decides everything or changes nothing. */
#ifndef BERTH_ONLINE_BIDLP_BIDLP_H
#define BERTH_ONLINE_BIDLP_BIDLP_H

#include "base/bytes.h"
#include "online/planner.h"

/* An admitted job. */
typedef struct berth__tenure {
    uint64_t number;       /* of submission */
    const berth__job *job; /* the state's */
    int promised;          /* completion slot; the horizon's last until it is announced */
    bool announced;
    bool late;        /* its plan ran out before its work: where it runs then is not the search's matter */
    berth__plan plan; /* all slots, those that have run among them */
    bool booked;
    berth__plan before; /* the plan before the call in hand, if `changed` */
    bool changed;
    struct berth__tenure *next_spare;
} berth__tenure;

typedef struct berth__bidlp berth__bidlp;

/* What the state works on; borrowed, and alive as long as it. */
typedef struct berth__bidlp_setting {
    berth__cluster *cluster;     /* its classes are split where jobs' eligibility does */
    const berth__policy *policy; /* how slots are priced and placed */
    const berth_options *options;
    berth__workspace *workspaces; /* [options->threads] */
    berth__plan_stats *stats;
} berth__bidlp_setting;

berth_status berth__bidlp_new(const berth__bidlp_setting *setting, berth__bidlp **out, berth_error *error);
void berth__bidlp_free(berth__bidlp *b);

/* steady: jobs that were placed are moved only if that gains a thousandth of what they are worth; else also if it loses
 * nothing, with which the search gets further. From the next call on; false at first. */
void berth__bidlp_set_steady(berth__bidlp *b, bool steady);

/* Of one job of a batch. */
typedef struct berth__bidlp_verdict {
    int hopeless; /* as of berth__job_hopeless */
    bool too_long;
    double payoff, payoff_bound, price_paid; /* at the bids; NAN: no plan */
    const berth__tenure *tenure;             /* NULL: rejected */
} berth__bidlp_verdict;

/* Decides the arrivals of a slot, numbered from `number` on, and looks for better placements from that slot on. On
 * success berth__bidlp_keep or berth__bidlp_undo has to follow; tenures are valid until then. On failure nothing has
 * changed. Jobs have to live as long as the state, unless it is undone. E_CANCELLED if the budget was spent. */
berth_status berth__bidlp_decide(berth__bidlp *b, int slot, size_t n, berth__job *const *jobs, uint64_t number,
                                 const berth__budget *budget, berth__bidlp_verdict *out, berth_error *error);
/* own: the jobs are the state's from now on. */
void berth__bidlp_keep(berth__bidlp *b, bool own);
void berth__bidlp_undo(berth__bidlp *b);

const berth__ledger *berth__bidlp_ledger(const berth__bidlp *b);
/* An admitted job by its number; NULL: there is none. */
const berth__tenure *berth__bidlp_tenure(const berth__bidlp *b, uint64_t number);

/* For runs in which jobs take less or more than declared; between calls. The plan of a job that is done ends before
 * `slot`: what it holds from there on is free. */
void berth__bidlp_finish(berth__bidlp *b, uint64_t number, int slot);
/* One more slot, behind the plan of a job that is not done; booked, and not moved. E_INTERNAL if it does not fit. */
berth_status berth__bidlp_extend(berth__bidlp *b, uint64_t number, const berth_slot_plan *slot, berth_error *error);

/* Between calls, for schedulers: */

/* A job ends: what it holds from `slot` on is free, and it is forgotten but for futures. */
void berth__bidlp_remove(berth__bidlp *b, uint64_t number, int slot);
/* A job with a plan that is known to fit from `now` on, the slot of the calls to come: a tenure as if admitted here.
 * The plan becomes its; the job is borrowed. On failure nothing has changed. */
berth_status berth__bidlp_adopt(berth__bidlp *b, uint64_t number, const berth__job *job, int promised, int now,
                                berth__plan *plan, berth_error *error);
/* The tenure's job from now on, which describes the same work. */
void berth__bidlp_set_job(berth__bidlp *b, uint64_t number, const berth__job *job);
/* The numbers of slots fall by so many: the ledger's first is then what was slot `slots`. Jobs seen have to be the
 * state's; those of tenures are the caller's to shift. */
void berth__bidlp_shift(berth__bidlp *b, int slots);
/* The same without tenures for another cluster, of the same horizon and resources, whose machines are the old ones, in
 * other states, and perhaps more. */
berth_status berth__bidlp_renew(const berth__bidlp *old, const berth__bidlp_setting *setting, berth__bidlp **out,
                                berth_error *error);

/* The state as bytes, between calls, but for tenures and what they hold: jobs seen are all its own. */
void berth__bidlp_put(berth__writer *to, const berth__bidlp *b);
/* Of a state whose ledger's first slot is `base`, in which slot `now` is the present one; the cluster's classes become
 * those that are read. NULL: refused. Tenures are to be adopted, then the ledger read. */
berth__bidlp *berth__bidlp_take(berth__byte_reader *from, const berth__bidlp_setting *setting, int base, int now);
/* As berth__ledger_take. */
bool berth__bidlp_take_ledger(berth__byte_reader *from, berth__bidlp *b, int now);

#endif
