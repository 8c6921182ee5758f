#include "online/schedule.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/tolerance.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* Most quanta of a job, and most of them times the slots it is scheduled over (2 bytes each). */
enum { MAX_QUANTA = 60000, MAX_CELLS = 100000000 };

/* ---- quanta ---- */

static double slower(const berth__job *job) {
    return fmin(job->slot_samples[BERTH_INTERNAL], job->slot_samples[BERTH_EXTERNAL]);
}

/* Quanta that the work takes, at least 1; more than MAX_QUANTA counts as one more. */
static int count_quanta(double work, double size) {
    double needed = ceil(work / size - BERTH__QUANTUM);
    return needed < 1 ? 1 : needed > MAX_QUANTA ? MAX_QUANTA + 1 : (int)needed;
}

/* Most progress in a slot. */
static double widest(const berth__job *job) {
    return fmax(job->max_workers * job->slot_samples[BERTH_EXTERNAL],
                job->widest_internal * job->slot_samples[BERTH_INTERNAL]);
}

bool berth__quanta_of(const berth__job *job, int levels, int n_slots, berth__quanta *out) {
    double speed = slower(job);
    double size = fmax(speed / 4, job->work / levels);
    size = fmin(size, job->max_workers * speed / 8);
    size = widest(job) / floor(widest(job) / size * (1 + BERTH__QUANTUM));
    int most = n_slots > 0 && MAX_CELLS / n_slots < MAX_QUANTA ? MAX_CELLS / n_slots : MAX_QUANTA;
    /* Too many for the programme: whole parts of a full slot at the faster speed, which lose nothing there. */
    double full = job->max_workers * fmax(job->slot_samples[BERTH_INTERNAL], job->slot_samples[BERTH_EXTERNAL]);
    for (int parts = 8; parts >= 1 && count_quanta(job->work, size) > most; parts--) {
        size = full / parts;
    }
    *out = (berth__quanta){.size = size, .needed = count_quanta(job->work, size)};
    return out->needed <= most;
}

void berth__quanta_relax(berth__quanta *quanta, const berth__job *job) {
    quanta->needed = count_quanta(job->work * (1 - BERTH__PROGRESS), quanta->size);
}

static int clip(double quanta, int needed) {
    return quanta >= needed ? needed : quanta > 0 ? (int)quanta : 0;
}

int berth__quanta_down(const berth__quanta *q, const berth__job *job, int workers, berth_locality locality) {
    return clip(floor(workers * job->slot_samples[locality] / q->size + BERTH__QUANTUM), q->needed);
}

int berth__quanta_up(const berth__quanta *q, const berth__job *job, int workers, berth_locality locality) {
    /* What a verifier would still accept as progress must count, hence the wider tolerance. */
    double exact = workers * job->slot_samples[locality] / q->size;
    return clip(ceil(exact - BERTH__QUANTUM * fmax(1, exact)), q->needed);
}

int berth__quanta_workers(const berth__quanta *q, const berth__job *job, int quanta, berth_locality locality) {
    double workers = ceil(quanta * q->size / job->slot_samples[locality] - BERTH__QUANTUM);
    if (!(workers < INT_MAX)) {
        return INT_MAX;
    }
    int w = workers < 1 ? 1 : (int)workers;
    while (w < INT_MAX && berth__quanta_down(q, job, w, locality) < quanta) {
        w++; /* at most once: the two roundings may disagree in the last place */
    }
    return w;
}

/* ---- offers ---- */

static bool before(const berth__offer *x, const berth__offer *y) {
    if (x->quanta != y->quanta) {
        return x->quanta < y->quanta;
    }
    return x->cost != y->cost ? x->cost < y->cost : x->index < y->index;
}

/* By Shell's method: in place, and next to nothing where offers are all but sorted, as they mostly are. */
static void sort_offers(berth__offer *offers, int n) {
    static const int gaps[] = {14405, 6402, 2845, 1264, 562, 250, 111, 49, 22, 9, 4, 1};
    for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++) {
        for (int i = gaps[g]; i < n; i++) {
            berth__offer held = offers[i];
            int at = i;
            while (at >= gaps[g] && before(&held, &offers[at - gaps[g]])) {
                offers[at] = offers[at - gaps[g]];
                at -= gaps[g];
            }
            offers[at] = held;
        }
    }
}

int berth__offers_prune(berth__offer *offers, int n) {
    bool sorted = true;
    for (int i = 1; i < n && sorted; i++) {
        sorted = !before(&offers[i], &offers[i - 1]);
    }
    if (!sorted) {
        sort_offers(offers, n);
    }
    int kept = n; /* fills from the end: an offer survives if it is cheaper than all with more progress */
    for (int i = n - 1; i >= 0; i--) {
        if (offers[i].quanta <= 0 || !(offers[i].cost < HUGE_VAL)) {
            continue;
        }
        bool same = kept < n && offers[kept].quanta == offers[i].quanta;
        if (same && offers[i].cost <= offers[kept].cost) {
            offers[kept] = offers[i];
        } else if (kept == n || offers[i].cost < offers[kept].cost) {
            offers[--kept] = offers[i];
        }
    }
    memmove(offers, offers + kept, (size_t)(n - kept) * sizeof *offers);
    return n - kept;
}

/* ---- the programme ---- */

struct berth__schedule {
    int needed, n_slots;
    double *theta, *next; /* [needed + 1] */
    uint16_t *choice;     /* [max_slots][needed + 1] 1 + number of the offer within its slot, 0: none; or NULL */
    int **index;          /* [max_slots] the caller's indices of a slot's offers */
    int **quanta;         /* and their progress */
    berth__arena *arena;  /* of all these */
};

berth__schedule *berth__schedule_new(void) {
    berth__schedule *s = berth__calloc(1, sizeof *s);
    if (s != NULL && (s->arena = berth__arena_new()) == NULL) {
        berth__free(s);
        s = NULL;
    }
    return s;
}

void berth__schedule_free(berth__schedule *s) {
    if (s != NULL) {
        berth__arena_free(s->arena);
        berth__free(s);
    }
}

berth_status berth__schedule_start(berth__schedule *s, int needed, int max_slots, bool trace, berth_error *error) {
    berth__arena *arena = s->arena;
    size_t width = (size_t)needed + 1, n_slots = (size_t)max_slots;
    berth__arena_reset(arena);
    *s = (berth__schedule){.needed = needed,
                           .arena = arena,
                           .theta = BERTH__ARENA_ARRAY(arena, double, width),
                           .next = BERTH__ARENA_ARRAY(arena, double, width)};
    bool complete = s->theta != NULL && s->next != NULL;
    if (trace && complete) {
        s->choice = berth__arena_alloc(arena, n_slots, width * sizeof *s->choice); /* cleared slot by slot */
        s->index = BERTH__ARENA_ARRAY(arena, int *, n_slots);
        s->quanta = BERTH__ARENA_ARRAY(arena, int *, n_slots);
        complete = s->choice != NULL && s->index != NULL && s->quanta != NULL;
    }
    if (!complete) {
        return berth__fail_memory(error);
    }
    for (int v = 1; v <= needed; v++) {
        s->theta[v] = HUGE_VAL;
    }
    return BERTH_OK;
}

/* next[v] = min(next[v], theta[max(0, v - k)] + cost); theta[0] is 0. */
static void relax(double *restrict next, const double *restrict theta, int needed, int k, double cost) {
    for (int v = 1; v <= k; v++) {
        next[v] = cost < next[v] ? cost : next[v];
    }
    for (int v = k + 1; v <= needed; v++) {
        double candidate = theta[v - k] + cost;
        next[v] = candidate < next[v] ? candidate : next[v];
    }
}

static void relax_traced(double *restrict next, uint16_t *restrict choice, const double *restrict theta, int needed,
                         int k, double cost, uint16_t number) {
    for (int v = 1; v <= needed; v++) {
        double candidate = theta[v > k ? v - k : 0] + cost;
        bool better = candidate < next[v];
        next[v] = better ? candidate : next[v];
        choice[v] = better ? number : choice[v];
    }
}

double berth__schedule_add_slot(berth__schedule *s, const berth__offer *offers, int n) {
    int t = s->n_slots++;
    memcpy(s->next, s->theta, ((size_t)s->needed + 1) * sizeof *s->theta);
    if (s->choice == NULL) {
        for (int i = 0; i < n; i++) {
            relax(s->next, s->theta, s->needed, offers[i].quanta, offers[i].cost);
        }
    } else {
        uint16_t *choice = s->choice + (size_t)t * ((size_t)s->needed + 1);
        memset(choice, 0, ((size_t)s->needed + 1) * sizeof *choice);
        s->index[t] = BERTH__ARENA_ARRAY(s->arena, int, (size_t)n);
        s->quanta[t] = BERTH__ARENA_ARRAY(s->arena, int, (size_t)n);
        if (s->index[t] == NULL || s->quanta[t] == NULL) {
            return (double)NAN;
        }
        for (int i = 0; i < n; i++) {
            s->index[t][i] = offers[i].index;
            s->quanta[t][i] = offers[i].quanta;
            relax_traced(s->next, choice, s->theta, s->needed, offers[i].quanta, offers[i].cost, (uint16_t)(i + 1));
        }
    }
    double *swap = s->theta;
    s->theta = s->next;
    s->next = swap;
    return s->theta[s->needed];
}

void berth__schedule_trace(const berth__schedule *s, int last, int *index) {
    int left = s->needed;
    for (int t = last; t >= 0; t--) {
        index[t] = -1;
        if (left == 0) {
            continue;
        }
        uint16_t number = s->choice[(size_t)t * ((size_t)s->needed + 1) + (size_t)left];
        if (number > 0) {
            index[t] = s->index[t][number - 1];
            left -= s->quanta[t][number - 1];
            left = left < 0 ? 0 : left;
        }
    }
}
