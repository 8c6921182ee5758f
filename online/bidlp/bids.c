/* Bid prices: sampled futures, a class LP for each, their mean. */
#include "online/bidlp/state.h"

#include "base/alloc.h"
#include "base/error.h"

#include <math.h>
#include <omp.h>
#include <string.h>

/* Bids are this much above the mean over futures: a job that is turned away may be made up for by the next, a promise
 * is for good. */
static const double kappa = 1.1;
/* Nothing is bid for less than this part of what capacity is worth on average to the jobs seen: a job of next to no
 * value, promised, gets in the way of one that no future foresaw. */
static const double least_part = 0.02;
/* Of the largest value that a share of a resource has to any job: breaks ties between equal machines. */
static const double tie_part = 1e-6;
/* Slots without arrivals that are counted as seen before the first: a busy first slot is no rate yet. */
enum { PRIOR_SLOTS = 1 };
/* The LP of a future is good enough once so near. */
static const double lp_gap = 2e-3;

enum { FUTURE_STREAM = 0x62696473 }; /* keys the random streams */

/* What is free in the classes from the slot in hand on: [horizon][n_classes][n_resources]. */
static void find_free(const berth__bidlp *b, double *free) {
    const berth__cluster *cluster = b->set.cluster;
    size_t R = (size_t)cluster->n_resources, K = (size_t)cluster->n_classes;
    for (size_t t = (size_t)b->slot; t < (size_t)cluster->horizon; t++) {
        double *row = free + t * K * R;
        for (size_t k = 0; k < K; k++) {
            const double *capacity = cluster->capacity + (size_t)b->shape.view.machine[k] * R;
            for (size_t r = 0; r < R; r++) {
                row[k * R + r] = b->shape.view.count[k] * capacity[r];
            }
        }
        const berth__slot_ledger *slot = &b->shape.ledger->slots[t];
        for (size_t n = 0; n < (size_t)slot->n_touched; n++) {
            size_t k = (size_t)cluster->class_of[slot->machine[n]];
            for (size_t r = 0; r < R; r++) {
                row[k * R + r] = fmax(0, row[k * R + r] - slot->used[r * (size_t)slot->room + n]);
            }
        }
    }
}

/* Arrivals a slot: the mean of as many slots as were seen, drawn from these with repetition. Where arrivals are steady
 * futures agree about it; after one burst some expect the next at once, and some none. */
static double draw_rate(const berth__bidlp *b, berth__pcg *stream) {
    int seen = b->past + b->slot + 1, slots = seen + PRIOR_SLOTS;
    double sum = 0;
    for (int i = 0; i < slots; i++) {
        int64_t at = berth__pcg_integer(stream, 0, slots - 1);
        sum += at < seen ? b->arrived[at] : 0;
    }
    return sum / slots;
}

static void count_arrivals(berth__bidlp *b) {
    memset(b->arrived, 0, (size_t)(b->past + b->set.cluster->horizon) * sizeof *b->arrived);
    for (size_t i = 0; i < b->n_seen; i++) {
        int slot = b->past + b->seen[i].job->arrival;
        if (slot >= 0) {
            b->arrived[slot]++;
        }
    }
}

/* Arrivals after the slot in hand, drawn from the jobs seen. Returns how many. */
static size_t sample_future(const berth__bidlp *b, int future, berth__demand_item *items) {
    int left = b->set.cluster->horizon - 1 - b->slot;
    const uint64_t key[] = {FUTURE_STREAM, b->set.options->seed, (uint64_t)(b->base + b->slot), (uint64_t)future};
    berth__pcg stream = berth__pcg_key(4, key);
    double rate = draw_rate(b, &stream);
    double drawn = fmin(rate, (double)b->effort.most_sampled / fmax(1, left));
    int64_t first = b->n_seen > BERTH__BIDLP_MEMORY ? (int64_t)(b->n_seen - BERTH__BIDLP_MEMORY) : 0;
    size_t n = 0;
    for (int t = b->slot + 1; t <= b->slot + left && rate > 0; t++) {
        int arrivals = (int)floor(drawn + berth__pcg_uniform(&stream));
        for (int i = 0; i < arrivals; i++) {
            int64_t at = berth__pcg_integer(&stream, first, (int64_t)b->n_seen - 1);
            items[n++] = (berth__demand_item){.profile = &b->shape.profiles[at], .arrival = t, .weight = rate / drawn};
        }
    }
    return n;
}

static size_t most_items(const berth__bidlp *b, size_t n) {
    return n + (size_t)b->effort.most_sampled + (size_t)b->set.cluster->horizon;
}

/* Every other future is priced without the arrivals in hand: where alike jobs compete with each other alone, the price
 * is all that they are worth, and none would be admitted. Which of them gets the room is settled by who pays most. */
static double weight_of_arrivals(int future) {
    return future % 2 == 0 ? 1 : 0;
}

static berth_status price_future(berth__bidlp *b, size_t n, int future, const double *free, berth__arena *scratch,
                                 const berth__budget *budget, berth_error *error) {
    berth__arena_mark before = berth__arena_here(scratch);
    berth__demand_item *items = BERTH__ARENA_ARRAY(scratch, berth__demand_item, most_items(b, n));
    if (items == NULL) {
        return berth__fail_memory(error);
    }
    for (size_t i = 0; i < n; i++) {
        items[i] = (berth__demand_item){
            .profile = &b->shape.profiles[b->n_seen - n + i], .arrival = b->slot, .weight = weight_of_arrivals(future)};
    }
    const berth__class_prices_problem problem = {.view = &b->shape.view,
                                                 .first = b->slot,
                                                 .capacity = free,
                                                 .n_items = n + sample_future(b, future, items + n),
                                                 .items = items,
                                                 .passes = b->effort.passes,
                                                 .work = b->effort.pricing_work,
                                                 .gap = lp_gap,
                                                 .budget = budget,
                                                 .scratch = scratch};
    berth__class_prices_result result;
    berth_status status = berth__class_prices_find(
        &problem, b->shape.future_prices + (size_t)future * berth__bidlp_rows(b), &result, error);
    berth__arena_back(scratch, before);
    return status;
}

static berth_status price_together(berth__bidlp *b, size_t n, const double *free, const berth__budget *budget,
                                   berth_error *error) {
    berth_status status = BERTH_OK;
#pragma omp parallel for schedule(dynamic, 1) num_threads(b->set.options->threads)
    for (int f = 0; f < b->effort.futures; f++) {
        berth_error failure;
        berth__error_clear(&failure);
        berth_status got =
            price_future(b, n, f, free, b->set.workspaces[omp_get_thread_num()].scratch, budget, &failure);
        if (got != BERTH_OK) {
#pragma omp critical(berth_bids_failure)
            if (status == BERTH_OK) {
                status = berth__fail(error, got, failure.where, "%s", failure.message);
            }
        }
    }
    return status;
}

/* One by one where there is nothing to share: even one thread is given memory for a parallel region. */
static berth_status price_futures(berth__bidlp *b, size_t n, const double *free, const berth__budget *budget,
                                  berth_error *error) {
    if (b->set.options->threads > 1 && b->effort.futures > 1) {
        return price_together(b, n, free, budget, error);
    }
    berth_status status = BERTH_OK;
    for (int f = 0; f < b->effort.futures && status == BERTH_OK; f++) {
        status = price_future(b, n, f, free, berth__bidlp_scratch(b), budget, error);
    }
    return status;
}

/* least_part of the value of the jobs seen by what they demand, in equal parts for each resource. However short it is,
 * a job holds a worker for a slot: of less, a price would follow that exceeds all that its plan can earn. */
static void find_least_bid(berth__bidlp *b) {
    int R = b->set.cluster->n_resources;
    double value = 0;
    memset(b->least_bid, 0, (size_t)R * sizeof *b->least_bid);
    for (size_t i = b->n_seen > BERTH__BIDLP_MEMORY ? b->n_seen - BERTH__BIDLP_MEMORY : 0; i < b->n_seen; i++) {
        const berth__job *job = b->seen[i].job;
        if (berth__job_hopeless(b->set.cluster, job) == 0) {
            value += b->shape.profiles[i].utility[job->fastest_slots - 1];
            for (int r = 0; r < R; r++) {
                double server = isinf(job->workers_per_ps) ? 0 : job->ps[r] / job->workers_per_ps;
                b->least_bid[r] += fmax(job->worker_slots, 1) * (job->worker[r] + server);
            }
        }
    }
    for (int r = 0; r < R; r++) {
        b->least_bid[r] = b->least_bid[r] > 0 ? least_part * value / b->least_bid[r] / R : 0;
    }
}

static void average(berth__bidlp *b) {
    size_t rows = berth__bidlp_rows(b), per_slot = rows / (size_t)b->set.cluster->horizon;
    size_t R = (size_t)b->set.cluster->n_resources;
    for (size_t row = (size_t)b->slot * per_slot; row < rows; row++) {
        double sum = 0;
        for (int f = 0; f < b->effort.futures; f++) {
            sum += b->shape.future_prices[(size_t)f * rows + row];
        }
        b->shape.bids[row] = fmax(kappa * sum / b->effort.futures, b->least_bid[row % R]);
    }
}

static void raise_tie(berth__bidlp *b, const berth__job *job) {
    double most = berth__utility_at(&job->utility, job->fastest_slots - 1);
    for (int r = 0; r < b->set.cluster->n_resources; r++) {
        double demand = job->worker[r] + job->ps[r];
        if (demand > 0 && demand < HUGE_VAL) {
            b->tie[r] = fmax(b->tie[r], tie_part * most / demand);
        }
    }
}

berth_status berth__bidlp_find_bids(berth__bidlp *b, size_t n, const berth__budget *budget, berth_error *error) {
    if (n == 0) {
        return BERTH_OK; /* nothing new is known */
    }
    berth__arena *scratch = berth__bidlp_scratch(b);
    berth__arena_mark before = berth__arena_here(scratch);
    double *free = BERTH__ARENA_ARRAY(scratch, double, berth__bidlp_rows(b));
    if (free == NULL) {
        return berth__fail_memory(error);
    }
    find_free(b, free);
    count_arrivals(b);
    berth_status status = price_futures(b, n, free, budget, error);
    berth__arena_back(scratch, before);
    if (status == BERTH_OK) {
        find_least_bid(b);
        average(b);
        for (size_t i = b->n_seen - n; i < b->n_seen; i++) {
            raise_tie(b, b->seen[i].job);
        }
        berth__ledger_set_bids(b->shape.ledger, b->slot, b->set.cluster->horizon, b->shape.bids, b->tie);
    }
    return status;
}
