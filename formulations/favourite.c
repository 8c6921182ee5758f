#include "formulations/favourite.h"

#include <math.h>

/* Gains below this share of the multiplier count as none, and gains as near as ties. */
#define TIE 1e-11

const double *berth__free_of(const berth__priced *m, int machine) {
    return m->p->free + (size_t)machine * (size_t)m->p->n_resources;
}

static bool fits(const berth__priced *m, int machine, int w, int s) {
    return berth__fits(berth__free_of(m, machine), m->p->job, m->p->n_resources, w, s);
}

bool berth__holds_any(const berth__priced *m, int machine) {
    return fits(m, machine, 1, 0) || (m->S > 0 && fits(m, machine, 0, 1));
}

/* A price may be NAN where its unit does not fit. */
static berth__gains units(const berth__priced *m, int machine) {
    return (berth__gains){.w = m->lam - m->p->price_worker[machine],
                          .s = m->S > 0 ? m->mu - m->p->price_ps[machine] : -(double)INFINITY};
}

static void find_most(const berth__priced *m, int machine, berth__gains *out) {
    const double *free = berth__free_of(m, machine);
    int limit = m->must_spread && m->S == 0 ? m->W - 1 : m->W;
    out->most_w = berth__fit_count(free, m->p->job->worker, m->p->n_resources, limit);
    out->most_s = m->S > 0 ? berth__fit_count(free, m->p->job->ps, m->p->n_resources, m->S) : 0;
}

berth__gains berth__gains_of(const berth__priced *m, int machine) {
    berth__gains out = units(m, machine);
    find_most(m, machine, &out);
    return out;
}

int berth__servers_beside(const berth__priced *m, int machine, int w, int limit) {
    if (m->must_spread && w == m->W && limit == m->S) {
        limit--;
    }
    if (limit <= 0 || fits(m, machine, w, limit)) {
        return limit;
    }
    int low = 0, high = limit; /* low fits, high does not */
    for (int step = 1; high - low > 1;) {
        /* It is mostly just below the limit: gallop down, then halve. */
        int middle = step > 0 && high - step > low ? high - step : low + (high - low) / 2;
        if (fits(m, machine, w, middle)) {
            low = middle;
            step = 0;
        } else {
            high = middle;
            step = step < high ? 2 * step : 0;
        }
    }
    return low;
}

/* The staircase of the machine and the best gain on each step; returns the largest. Both units gain. */
static double climb(const berth__priced *m, int machine, const berth__gains *gains) {
    double best = 0;
    int top = gains->most_s;
    for (int w = 0; w <= gains->most_w; w++) {
        top = berth__servers_beside(m, machine, w, top);
        m->top[w] = top;
        m->value[w] = gains->w * w + gains->s * top;
        best = fmax(best, m->value[w]);
    }
    return best;
}

static berth__favourite both_gain(const berth__priced *m, int machine, const berth__gains *gains) {
    berth__favourite out = {.w = -1, .phi = climb(m, machine, gains), .key = (double)INFINITY};
    for (int w = 0; w <= gains->most_w; w++) {
        if (out.w < 0 && m->value[w] >= out.phi - TIE * (m->lam * w + m->mu * m->top[w])) {
            out.w = w;
            out.s = m->top[w];
            out.tied = out.phi - m->value[w];
        } else {
            out.key = fmin(out.key, out.phi - m->value[w]);
        }
    }
    if (out.s > 0) {
        out.key = fmin(out.key, gains->s);
    }
    return out;
}

/* What one unit loses by joining: nothing if it gains a little, INFINITY if it cannot. */
static double loss(double gain, bool can) {
    return can ? fmax(-gain, 0) : (double)INFINITY;
}

static double most_gain(double gain, int count) {
    return count > 0 && gain > 0 ? gain * count : 0;
}

berth__favourite berth__favourite_of(const berth__priced *m, int machine) {
    berth__favourite out = {.key = (double)INFINITY};
    if (m->p->job->eligible != NULL && !m->p->job->eligible[machine]) {
        return out;
    }
    berth__gains gains = units(m, machine);
    bool wants_w = gains.w > TIE * m->lam, wants_s = gains.s > TIE * m->mu;
    if (!wants_w && !wants_s) {
        out.key = fmin(loss(gains.w, !isnan(gains.w)), loss(gains.s, !isnan(gains.s)));
        out.phi = out.tied = most_gain(gains.w, m->W) + most_gain(gains.s, m->S);
        return out;
    }
    find_most(m, machine, &gains);
    wants_w = wants_w && gains.most_w > 0;
    wants_s = wants_s && gains.most_s > 0;
    if (wants_w && wants_s) {
        return both_gain(m, machine, &gains);
    }
    out.w = wants_w ? gains.most_w : 0;
    out.s = wants_s ? gains.most_s : 0;
    out.key = fmin(wants_w ? gains.w : loss(gains.w, gains.most_w > 0), //
                   wants_s ? gains.s : loss(gains.s, gains.most_s > 0));
    out.tied = (wants_w ? 0 : most_gain(gains.w, gains.most_w)) + (wants_s ? 0 : most_gain(gains.s, gains.most_s));
    out.phi = out.tied + most_gain(gains.w, out.w) + most_gain(gains.s, out.s);
    return out;
}
