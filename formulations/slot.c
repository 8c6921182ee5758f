#include "formulations/slot.h"

#include <math.h>

#include "formulations/slot_lp.h"

/* ---- what fits ---- */

int berth__fit_count(const double *free, const double *demand, int n_resources, int limit) {
    int count = limit < 0 ? 0 : limit;
    for (int r = 0; r < n_resources; r++) {
        double room = berth__slot_room(free[r]);
        if (berth__slot_load(demand[r], count) <= room) {
            continue;
        }
        count = (int)fmin(count, floor(room / demand[r]));
        /* The quotient is rounded: settle with the product that berth__fits forms. */
        while (berth__slot_load(demand[r], count) > room) {
            count--;
        }
        while (count < limit && berth__slot_load(demand[r], count + 1) <= room) {
            count++;
        }
    }
    return count;
}

static bool fits(const double *free, const berth__job *job, int n_resources, double w, double s) {
    for (int r = 0; r < n_resources; r++) {
        if (!(berth__slot_load(job->worker[r], w) + berth__slot_load(job->ps[r], s) <= berth__slot_room(free[r]))) {
            return false;
        }
    }
    return true;
}

bool berth__fits(const double *free, const berth__job *job, int n_resources, int w, int s) {
    return fits(free, job, n_resources, w, s);
}

bool berth__slot_fits(const berth__slot_problem *p, int machine, double w, double s) {
    return fits(p->free + (size_t)machine * (size_t)p->n_resources, p->job, p->n_resources, w, s);
}

bool berth__slot_eligible(const berth__slot_problem *p, int machine) {
    return p->job->eligible == NULL || p->job->eligible[machine];
}

/* ---- internal case ---- */

bool berth__slot_internal(const berth__slot_problem *p, int workers, int *machine, double *cost) {
    int ps = berth__ps_needed(p->job, workers);
    *machine = -1;
    *cost = (double)INFINITY;
    if (workers < 1 || workers > p->job->max_workers) {
        return false;
    }
    for (int h = 0; h < p->n_machines; h++) {
        double price = workers * p->price_worker[h] + berth__slot_load(p->price_ps[h], ps);
        if (price < *cost && berth__slot_eligible(p, h) && berth__slot_fits(p, h, workers, ps)) {
            *cost = price;
            *machine = h;
        }
    }
    return *machine >= 0;
}
