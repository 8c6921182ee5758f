/* Local search under promises: take out, put beside, plan anew. */
#include "online/bidlp/state.h"

#include "base/alloc.h"
#include "base/error.h"

#include <math.h>
#include <string.h>

/* What is left of the prices of the slot in hand: what is not used now is lost. */
static const double perishing = 1e-6;
/* So often the jobs taken out all hold something in one slot, so that they can trade it. */
static const double related = 0.7;
/* So often jobs without a promise are not planned after the others, but all in random order. */
static const double mixed = 0.5;
/* A slot without arrivals gets this part of the work; none where that is less than the second number of all. */
static const double quiet_part = 0.125, least_quiet_part = 0.01;
/* Where moving is not for free, what it has to gain, in parts of what the jobs of a move are worth. */
static const double worth_moving = 1e-3;
enum { MOST_REMOVED = 6, MOST_ADDED = 2, SEARCH_STREAM = 0x73656172 };

typedef struct search {
    berth__bidlp *b;
    const berth__budget *budget;
    size_t n; /* of the batch */
    const berth__bidlp_verdict *verdict;
    uint64_t number;
    berth__tenure **admitted;
    berth__pcg stream;
    berth__tenure **pool; /* [n_pool] jobs that may be taken out */
    size_t n_pool;
    size_t *rejected; /* [n_rejected] jobs of the batch that may be put in */
    size_t n_rejected;
} search;

/* A job of a move: one that was taken out, or one that is put in. */
typedef struct mover {
    berth__tenure *tenure; /* NULL: put in */
    size_t index;          /* of the batch, if put in */
    const berth__job *job;
    uint64_t number;
    bool held;        /* had a plan, to be booked again if nothing comes of the move */
    bool put_in;      /* was admitted by the move */
    berth__plan plan; /* the new one; n_slots 0: left out */
} mover;

static double value_of(const search *s, const berth__job *job, const berth__plan *plan) {
    return berth__bidlp_utility(job, plan) - berth__bidlp_cost(s->b, job, plan);
}

static const berth__job *job_of(const search *s, size_t index) {
    return s->b->seen[s->b->n_seen - s->n + index].job;
}

static void list_pool(search *s) {
    s->n_pool = s->n_rejected = 0;
    for (size_t i = 0; i < s->b->n_active; i++) {
        s->pool[s->n_pool++] = s->b->active[i];
    }
    for (size_t i = 0; i < s->n; i++) {
        if (s->admitted[i] == NULL && s->verdict[i].hopeless == 0 && !s->verdict[i].too_long) {
            s->rejected[s->n_rejected++] = i;
        }
    }
}

static size_t draw(search *s, size_t n) {
    return (size_t)berth__pcg_integer(&s->stream, 0, (int64_t)n - 1);
}

static bool holds_in(const berth__tenure *tenure, int slot) {
    const berth__plan *plan = &tenure->plan;
    for (size_t k = plan->n_slots; k-- > 0 && plan->slots[k].slot >= slot;) {
        if (plan->slots[k].slot == slot) {
            return true;
        }
    }
    return false;
}

/* Moves the jobs of the pool that hold something in a slot to its front; returns how many. */
static size_t gather(search *s, int slot) {
    size_t n = 0;
    for (size_t i = 0; i < s->n_pool; i++) {
        if (holds_in(s->pool[i], slot)) {
            berth__tenure *tenure = s->pool[i];
            s->pool[i] = s->pool[n];
            s->pool[n++] = tenure;
        }
    }
    return n;
}

/* Chooses the movers: those taken out first. */
static size_t choose(search *s, mover *out) {
    size_t n_in = s->n_rejected == 0 ? 0 : draw(s, MOST_ADDED + 1), n = 0, n_pool = s->n_pool;
    n_in = n_in < s->n_rejected ? n_in : s->n_rejected;
    if (n_pool > 0 && berth__pcg_uniform(&s->stream) < related) {
        int slot = s->b->slot;
        if (n_in > 0) {
            slot += (int)draw(s, 4);
        } else {
            const berth__plan *plan = &s->pool[draw(s, n_pool)]->plan;
            size_t from = berth__bidlp_to_come(s->b, plan);
            slot = plan->n_slots > from ? plan->slots[from + draw(s, plan->n_slots - from)].slot : slot;
        }
        n_pool = gather(s, slot);
    }
    size_t n_out = n_pool == 0 ? 0 : 1 + draw(s, MOST_REMOVED);
    n_out = n_out < n_pool ? n_out : n_pool;
    for (size_t i = 0; i < n_out; i++) { /* a partial shuffle: without repetition */
        size_t at = i + draw(s, n_pool - i);
        berth__tenure *tenure = s->pool[at];
        s->pool[at] = s->pool[i];
        s->pool[i] = tenure;
        out[n++] = (mover){.tenure = tenure, .job = tenure->job, .number = tenure->number};
    }
    for (size_t i = 0; i < n_in; i++) {
        size_t at = i + draw(s, s->n_rejected - i), index = s->rejected[at];
        s->rejected[at] = s->rejected[i];
        s->rejected[i] = index;
        out[n++] = (mover){.index = index, .job = job_of(s, index), .number = s->number + index};
    }
    return n;
}

static void shuffle(search *s, mover *movers, size_t first, size_t n) {
    for (size_t i = first; i + 1 < n; i++) {
        size_t at = i + draw(s, n - i);
        mover swap = movers[at];
        movers[at] = movers[i];
        movers[i] = swap;
    }
}

/* Announced jobs first, in the order drawn, then the others in random order; or all in random order. */
static void order(search *s, mover *movers, size_t n) {
    size_t announced = 0;
    bool mix = berth__pcg_uniform(&s->stream) < mixed;
    for (size_t i = 0; i < n && !mix; i++) {
        if (movers[i].tenure != NULL && movers[i].tenure->announced) {
            mover swap = movers[announced];
            movers[announced++] = movers[i];
            movers[i] = swap;
        }
    }
    shuffle(s, movers, announced, n);
}

/* Plans a mover and books the plan. *fails: an announced job has none. */
static berth_status place(search *s, mover *m, bool *fails, double *value, berth_error *error) {
    berth__bidlp *b = s->b;
    int last = m->tenure != NULL ? m->tenure->promised : b->set.cluster->horizon - 1;
    bool announced = m->tenure != NULL && m->tenure->announced;
    berth_status status = berth__bidlp_replan(b, m->job, m->number, m->tenure != NULL ? &m->tenure->plan : NULL, last,
                                              false, s->budget, &m->plan, error);
    if (status != BERTH_OK) {
        return status;
    }
    double gained = m->plan.n_slots > 0 ? value_of(s, m->job, &m->plan) : 0;
    if (m->plan.n_slots > 0 && !announced && !(gained > 0)) {
        berth__plan_clear(&m->plan);
    }
    *fails = announced && m->plan.n_slots == 0;
    if (m->plan.n_slots > 0) {
        *value += gained;
        size_t from = berth__bidlp_to_come(b, &m->plan);
        status = berth__ledger_commit(b->shape.ledger, m->job, m->plan.n_slots - from, m->plan.slots + from, error);
        if (status != BERTH_OK) {
            berth__plan_clear(&m->plan);
        }
    }
    return status;
}

static void take_back(const berth__bidlp *b, mover *m) {
    if (m->plan.n_slots > 0) {
        size_t from = berth__bidlp_to_come(b, &m->plan);
        berth__ledger_release(b->shape.ledger, m->job, m->plan.n_slots - from, m->plan.slots + from);
        berth__plan_clear(&m->plan);
    }
}

/* The new plans are booked already. */
static berth_status accept(search *s, mover *movers, size_t n, berth_error *error) {
    for (size_t i = 0; i < n; i++) {
        mover *m = &movers[i];
        if (m->tenure == NULL && m->plan.n_slots == 0) {
            continue;
        }
        if (m->tenure == NULL) {
            m->tenure = berth__bidlp_admit(s->b, m->job, m->number, &m->plan);
            if (m->tenure == NULL) {
                return berth__fail_memory(error);
            }
            s->admitted[m->index] = m->tenure;
            m->put_in = true;
            m->tenure->booked = true;
        } else {
            m->tenure->booked = m->plan.n_slots > 0;
            berth__bidlp_set_plan(m->tenure, &m->plan);
        }
    }
    return BERTH_OK;
}

/* Most that the movers from `first` on can add: they complete by their promise at no cost. */
static double best_case(const search *s, const mover *movers, size_t first, size_t n) {
    double sum = 0;
    for (size_t i = first; i < n; i++) {
        int delay = s->b->slot - movers[i].job->arrival;
        sum += berth__utility_at(&movers[i].job->utility, delay);
    }
    return sum;
}

static berth_status try_move(search *s, mover *movers, size_t n, bool *moved, berth_error *error) {
    berth__bidlp *b = s->b;
    double before = 0, after = 0;
    for (size_t i = 0; i < n; i++) {
        if (movers[i].tenure != NULL && movers[i].tenure->booked) {
            before += value_of(s, movers[i].job, &movers[i].tenure->plan);
            berth__bidlp_unbook(b, movers[i].tenure);
            movers[i].held = true;
        }
    }
    bool fails = false;
    berth_status status = BERTH_OK;
    for (size_t i = 0; i < n && status == BERTH_OK && !fails; i++) {
        fails = after + best_case(s, movers, i, n) < before;
        if (!fails) {
            status = place(s, &movers[i], &fails, &after, error);
        }
    }
    *moved = status == BERTH_OK && !fails && after >= before + (b->steady ? worth_moving : -1e-12) * fabs(before);
    if (*moved) {
        status = accept(s, movers, n, error);
        for (size_t i = 0; i < n; i++) {
            berth__plan_clear(&movers[i].plan); /* those that were not taken over */
        }
        return status;
    }
    for (size_t i = 0; i < n; i++) {
        take_back(b, &movers[i]);
    }
    for (size_t i = 0; i < n; i++) {
        if (movers[i].held) {
            berth_status again = berth__bidlp_book(b, movers[i].tenure, status == BERTH_OK ? error : NULL);
            status = status == BERTH_OK ? again : status;
        }
    }
    return status;
}

/* Jobs of the batch that lost their plan in the end are rejected. */
static void drop_unplanned(search *s) {
    for (size_t i = 0; i < s->n; i++) {
        if (s->admitted[i] != NULL && s->admitted[i]->plan.n_slots == 0) {
            s->admitted[i] = NULL;
        }
    }
}

/* One round. alone: one job, so that slots that have become cheap are taken. */
static berth_status try_round(search *s, berth__tenure *alone, berth_error *error) {
    mover movers[MOST_REMOVED + MOST_ADDED] = {{0}};
    size_t n = 1;
    if (alone != NULL) {
        movers[0] = (mover){.tenure = alone, .job = alone->job, .number = alone->number};
    } else {
        n = choose(s, movers);
        order(s, movers, n);
    }
    bool moved = false, put_in = false;
    berth_status status = n == 0 ? BERTH_OK : try_move(s, movers, n, &moved, error);
    for (size_t i = 0; i < n && moved; i++) {
        put_in = put_in || movers[i].put_in;
    }
    if (put_in) {
        list_pool(s);
    }
    return status;
}

/* Does it hold all it can use in the slot in hand? */
static bool runs_at_full_width(const berth__bidlp *b, const berth__tenure *tenure) {
    size_t k = berth__bidlp_to_come(b, &tenure->plan);
    if (k == tenure->plan.n_slots || tenure->plan.slots[k].slot > b->slot) {
        return false;
    }
    int workers = 0;
    for (size_t i = 0; i < tenure->plan.slots[k].n_placements; i++) {
        workers += tenure->plan.slots[k].placements[i].workers;
    }
    return workers >= tenure->job->max_workers;
}

/* Everyone alone once, in an order that starts elsewhere in each slot, in case work runs out; then rounds at random. */
static berth_status run(search *s, berth_error *error) {
    const berth__bidlp *b = s->b;
    double most = berth__bidlp_search_work(b, s->n), begun = b->set.stats->work; /* differences are exact: integers */
    size_t singles = b->n_active, first = singles > 0 ? draw(s, singles) : 0;
    berth_status status = BERTH_OK;
    for (size_t i = 0; i < singles && status == BERTH_OK && b->set.stats->work - begun < most; i++) {
        berth__tenure *alone = b->active[(first + i) % singles];
        status = runs_at_full_width(b, alone) ? BERTH_OK : try_round(s, alone, error);
    }
    for (int round = 0; round < b->effort.rounds && status == BERTH_OK && b->set.stats->work - begun < most; round++) {
        if (s->n_pool + s->n_rejected < 2) {
            return BERTH_OK; /* alone it has been tried */
        }
        status = try_round(s, NULL, error);
    }
    return status;
}

double berth__bidlp_search_work(const berth__bidlp *b, size_t n) {
    if (n > 0) {
        return b->effort.work;
    }
    double part = quiet_part * fmin(1, (double)b->n_seen / (b->past + b->slot + 1));
    return part < least_quiet_part ? 0 : part * b->effort.work;
}

/* The bids of the slot in hand, and the ledger's prices. */
static void set_slot_bids(berth__bidlp *b, const double *row, double factor) {
    const berth__cluster *cluster = b->set.cluster;
    size_t n = (size_t)cluster->n_classes * (size_t)cluster->n_resources;
    double *bids = b->shape.bids + (size_t)b->slot * n;
    for (size_t i = 0; i < n; i++) {
        bids[i] = factor * row[i];
    }
    berth__ledger_set_bids(b->shape.ledger, b->slot, b->slot + 1, b->shape.bids, b->tie);
}

berth_status berth__bidlp_search(berth__bidlp *b, size_t n, const berth__bidlp_verdict *verdict, uint64_t number,
                                 berth__tenure **admitted, const berth__budget *budget, berth_error *error) {
    const uint64_t key[] = {SEARCH_STREAM, b->set.options->seed, (uint64_t)(b->base + b->slot), number};
    size_t n_row = (size_t)b->set.cluster->n_classes * (size_t)b->set.cluster->n_resources;
    berth__arena *scratch = berth__bidlp_scratch(b);
    berth__arena_mark before = berth__arena_here(scratch);
    double *row = BERTH__ARENA_ARRAY(scratch, double, n_row);
    search s = {.b = b,
                .budget = budget,
                .n = n,
                .verdict = verdict,
                .number = number,
                .admitted = admitted,
                .stream = berth__pcg_key(4, key),
                .pool = BERTH__ARENA_ARRAY(scratch, berth__tenure *, b->n_active + n),
                .rejected = BERTH__ARENA_ARRAY(scratch, size_t, n)};
    berth_status status = BERTH_OK;
    if (row == NULL || s.pool == NULL || s.rejected == NULL) {
        status = berth__fail_memory(error);
    } else {
        memcpy(row, b->shape.bids + (size_t)b->slot * n_row, n_row * sizeof *row);
        set_slot_bids(b, row, perishing);
        list_pool(&s);
        status = run(&s, error);
        set_slot_bids(b, row, 1);
    }
    if (status == BERTH_OK) {
        drop_unplanned(&s);
    }
    berth__arena_back(scratch, before);
    return status;
}
