/* The state of policy bidlp, shared by the files of this folder. */
#ifndef BERTH_ONLINE_BIDLP_STATE_H
#define BERTH_ONLINE_BIDLP_STATE_H

#include "base/pcg.h"
#include "online/bidlp/bidlp.h"
#include "online/class_prices.h"

enum {
    BERTH__MOST_CLASSES = 64,      /* more than this are not told apart by eligibility */
    BERTH__BIDLP_MEMORY = 4096,    /* jobs that futures are drawn from: the last so many */
    BERTH__BIDLP_MOST_PAST = 4096, /* slots that arrivals are counted in, before the ledger's first */
};

/* What effort buys. */
typedef struct berth__bidlp_effort {
    int futures;         /* sampled */
    int most_sampled;    /* jobs of a future; each stands for several where more are expected */
    int passes;          /* over the jobs of a future */
    double pricing_work; /* at most in them, as berth__demand_scratch counts */
    int rounds;          /* of local search in a slot, at most */
    double work;         /* of planning in it, at most, as berth__plan_stats counts */
} berth__bidlp_effort;

/* A job that was submitted. */
typedef struct berth__seen {
    const berth__job *job;
    bool own;
} berth__seen;

/* All whose shape or meaning depends on the classes of machines. */
typedef struct berth__bidlp_shape {
    berth__class_view view; /* of the cluster's classes; its prices are the bids */
    berth__ledger *ledger;
    double *future_prices; /* [futures][horizon][n_classes][n_resources] the last found, to start from */
    double *bids;          /* [horizon][n_classes][n_resources] */
    size_t n_profiles, profile_room;
    berth__job_profile *profiles; /* [n_profiles] of the jobs seen */
    berth__arena *memory;         /* of what they hold, all of the same size */
    struct berth__bidlp_spare {
        struct berth__bidlp_spare *next;
    } * spare; /* what those held that are forgotten */
} berth__bidlp_shape;

/* What it takes to undo the call in hand. */
typedef struct berth__bidlp_undo_log {
    int slot, n_classes;
    size_t n_seen, n_tenures;
    int *class_of;  /* [n_machines] */
    double *tie;    /* [n_resources] */
    bool idle;      /* nothing but the slot has changed, or will */
    bool reclassed; /* `shape` is as it was before; else what follows is */
    berth__bidlp_shape shape;
    berth__ledger_copy ledger; /* taken last: unless it is, nothing has changed that it, prices and bids are for */
    double *prices, *bids;     /* NULL: they stay */
    berth__arena *memory;      /* of these two, used again from call to call */
} berth__bidlp_undo_log;

struct berth__bidlp {
    berth__bidlp_setting set;
    berth__bidlp_effort effort;
    int base;                /* slots that time has moved the ledger's first on by; all others count from it */
    int past;                /* of these, in which arrivals are remembered */
    int slot;                /* in hand */
    bool steady;             /* the search takes what gains something, not what loses nothing */
    double *tie, *least_bid; /* [n_resources] */
    int *arrived;            /* [past + horizon] jobs by slot of arrival, as far as seen */
    berth__bidlp_shape shape;

    size_t n_seen, seen_room;
    berth__seen *seen;

    size_t n_tenures, tenure_room;
    berth__tenure **tenures; /* by number, but for those of the call in hand */
    size_t n_active, active_room;
    berth__tenure **active; /* those with slots to come, and those of the call in hand */
    berth__tenure *spare;   /* those that ended or came to nothing, for the next */

    berth__bidlp_undo_log undo;
};

size_t berth__bidlp_rows(const berth__bidlp *b); /* horizon * n_classes * n_resources */
/* For what is gone before the function that took it returns: the first workspace's. */
berth__arena *berth__bidlp_scratch(const berth__bidlp *b);

/* An empty shape of the cluster's classes. On failure, too, to be cleared. */
berth_status berth__bidlp_shape_init(const berth__bidlp *b, berth__bidlp_shape *s, berth_error *error);
void berth__bidlp_shape_clear(berth__bidlp_shape *s);
/* Profiles of the jobs seen that have none, and of those from `from` on forgotten. To forget one only sets its memory
 * free. */
berth_status berth__bidlp_profile_seen(const berth__bidlp *b, berth__bidlp_shape *s, berth_error *error);
void berth__bidlp_forget_profiles(berth__bidlp_shape *s, size_t from);
void berth__bidlp_spare_profile(berth__bidlp_shape *s, size_t i);
/* Splits classes by the eligibility of the last n jobs seen. Returns their number; class_of: [n_machines]; number: work
 * space for twice as many as there are and BERTH__MOST_CLASSES. */
int berth__bidlp_split_classes(const berth__bidlp *b, size_t n, int *class_of, int *number);
void berth__bidlp_set_classes(berth__cluster *cluster, int n_classes, const int *class_of);
/* Everything by other classes, prices taken over; the old shape is kept to undo that. On failure all is as it was. */
berth_status berth__bidlp_reclass(berth__bidlp *b, int n_classes, const int *class_of, berth_error *error);

/* Prices A, the last n of b->seen, and sampled futures, and sets the ledger's prices. n = 0: they stay. */
berth_status berth__bidlp_find_bids(berth__bidlp *b, size_t n, const berth__budget *budget, berth_error *error);

/* A plan for the rest of a job from the slot in hand on, by last_slot, into a plan of all its slots; nothing is booked.
 * plan NULL: it has none. found->n_slots 0: there is no such plan. */
berth_status berth__bidlp_replan(berth__bidlp *b, const berth__job *job, uint64_t number, const berth__plan *plan,
                                 int last_slot, bool bounded, const berth__budget *budget, berth__plan *found,
                                 berth_error *error);
/* Index of the first slot of a plan that is still to come. */
size_t berth__bidlp_to_come(const berth__bidlp *b, const berth__plan *plan);
/* Utility, and cost of what is to come at the bids. */
double berth__bidlp_utility(const berth__job *job, const berth__plan *plan);
double berth__bidlp_cost(const berth__bidlp *b, const berth__job *job, const berth__plan *plan);

/* NULL: out of memory. Whatever is in it. */
berth__tenure *berth__bidlp_tenure_new(berth__bidlp *b);
/* Frees its plans. */
void berth__bidlp_tenure_end(berth__bidlp *b, berth__tenure *tenure);
/* Books a tenure's plan, as far as it is to come, or takes it back. */
berth_status berth__bidlp_book(berth__bidlp *b, berth__tenure *tenure, berth_error *error);
void berth__bidlp_unbook(berth__bidlp *b, berth__tenure *tenure);
/* Gives a tenure another plan, which it owns then; the one it had before the call is kept. Not booked before, nor
 * after. */
void berth__bidlp_set_plan(berth__tenure *tenure, berth__plan *plan);
/* An admission, with its plan, which it owns then; not booked. NULL: out of memory. */
berth__tenure *berth__bidlp_admit(berth__bidlp *b, const berth__job *job, uint64_t number, berth__plan *plan);

/* Work that the search may do in the slot in hand with n arrivals. Without any, only that slot's capacity has become
 * cheaper, and where arrivals are rare there are many such slots. */
double berth__bidlp_search_work(const berth__bidlp *b, size_t n);
/* Local search. admitted: [n] tenure of each of the batch's jobs, NULL where rejected; hopeless ones are not tried. */
berth_status berth__bidlp_search(berth__bidlp *b, size_t n, const berth__bidlp_verdict *verdict, uint64_t number,
                                 berth__tenure **admitted, const berth__budget *budget, berth_error *error);

#endif
