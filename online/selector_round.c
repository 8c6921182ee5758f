/* Selecting a round: pacer, weights, draws. */
#include "online/selector.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/pcg.h"
#include "base/sort.h"

/* A pacer's stall and leap (the released program's). */
#define STALL 0.1
#define LEAP  5.0

typedef struct entry {
    size_t client;
    double weight;
    double key, uniform; /* of the draw */
} entry;

typedef struct pool {
    entry *entries;
    size_t n;
} pool;

/* A round in the making; nothing of it is in the selector before it is complete. */
typedef struct draft {
    const berth_selector *selector;
    uint64_t round;
    double percentile, preferred_s;
    bool moves_window; /* the pacer begins to count anew */
    bool *is_available;
    size_t n_available, n_blacklisted;
    pool pools[BERTH_CHOICE_RECALL + 1];   /* candidates that have reported, those that have not; blacklisted */
    size_t taken[BERTH_CHOICE_RECALL + 1]; /* of each, the first */
    double *numbers;                       /* [clients] to sort in */
} draft;

/* ---- pacer ------------------------------------------------------------------------------------------------------ */

static void pace(draft *d) {
    const berth_selector *s = d->selector;
    const berth_selector_options *o = &s->options;
    d->percentile = s->percentile;
    d->moves_window = o->pacer_step > 0 && s->round > 0 && s->round % o->pacer_step == 0;
    if (!d->moves_window || s->round / o->pacer_step < 2) {
        return;
    }
    double change = fabs(s->utility[0] - s->utility[1]);
    if (change <= STALL * s->utility[1]) {
        d->percentile = fmin(100, s->percentile + o->pacer_delta);
    } else if (change >= LEAP * s->utility[1]) {
        d->percentile = fmax(0, s->percentile - o->pacer_delta);
    }
}

static void find_preferred_duration(draft *d) {
    const berth_selector *s = d->selector;
    size_t n = 0;
    for (size_t k = 0; k < s->n_clients; k++) {
        const berth__selector_client *c = &s->clients[k];
        double duration = isnan(c->duration_s) ? c->declared_s : c->duration_s;
        if (!isnan(duration)) {
            d->numbers[n++] = duration;
        }
    }
    d->preferred_s = (double)INFINITY;
    if (n > 0 && d->percentile < 100) {
        berth__sort(d->numbers, n);
        d->preferred_s = berth__quantile(d->numbers, n, d->percentile / 100);
    }
}

/* ---- weights ---------------------------------------------------------------------------------------------------- */

typedef struct extremes {
    double utility_min, utility_clip;
    double selections_min, selections_max;
} extremes;

static extremes find_extremes(const draft *d, const pool *reported) {
    const berth_selector *s = d->selector;
    extremes e = {.selections_min = (double)INFINITY};
    for (size_t k = 0; k < reported->n; k++) {
        const berth__selector_client *c = &s->clients[reported->entries[k].client];
        d->numbers[k] = c->utility;
        e.selections_min = fmin(e.selections_min, (double)c->selections);
        e.selections_max = fmax(e.selections_max, (double)c->selections);
    }
    berth__sort(d->numbers, reported->n);
    e.utility_min = d->numbers[0];
    e.utility_clip = berth__quantile(d->numbers, reported->n, s->options.clip);
    return e;
}

static double scaled(double value, double range) {
    return range > 0 ? value / range : 0;
}

static double weight_of(const draft *d, const extremes *e, const berth__selector_client *c) {
    const berth_selector_options *o = &d->selector->options;
    double utility = scaled(fmin(c->utility, e->utility_clip) - e->utility_min, e->utility_clip - e->utility_min);
    double score = utility + sqrt(0.1 * log((double)d->round) / (double)c->last_round);
    if (c->duration_s > d->preferred_s) {
        score *= pow(d->preferred_s / c->duration_s, o->alpha);
    }
    double fairness = scaled(e->selections_max - (double)c->selections, e->selections_max - e->selections_min);
    return (1 - o->fairness) * score + o->fairness * fairness;
}

static void weigh_reported(const draft *d, const pool *p) {
    if (p->n == 0) {
        return;
    }
    extremes e = find_extremes(d, p);
    for (size_t k = 0; k < p->n; k++) {
        p->entries[k].weight = weight_of(d, &e, &d->selector->clients[p->entries[k].client]);
    }
}

/* Speeds are relative to the fastest, so that no duration is too short. */
static void weigh_unseen(const draft *d, const pool *p) {
    const berth__selector_client *clients = d->selector->clients;
    double fastest = (double)INFINITY, sum = 0;
    size_t known = 0;
    for (size_t k = 0; k < p->n; k++) {
        fastest = fmin(fastest, clients[p->entries[k].client].declared_s); /* fmin passes over NAN */
    }
    for (size_t k = 0; k < p->n; k++) {
        double declared = clients[p->entries[k].client].declared_s;
        p->entries[k].weight = isnan(declared) ? (double)NAN : fastest / declared;
        sum += isnan(declared) ? 0 : p->entries[k].weight;
        known += isnan(declared) ? 0 : 1;
    }
    for (size_t k = 0; k < p->n; k++) {
        if (isnan(p->entries[k].weight)) {
            p->entries[k].weight = known > 0 ? sum / (double)known : 1;
        }
    }
}

/* ---- draws ------------------------------------------------------------------------------------------------------ */

static int by_key(const void *a, const void *b) {
    const entry *x = a, *y = b;
    if (x->key != y->key) {
        return x->key < y->key ? -1 : 1;
    }
    if (x->uniform != y->uniform) {
        return x->uniform < y->uniform ? -1 : 1;
    }
    return x->client < y->client ? -1 : x->client > y->client;
}

static int by_client(const void *a, const void *b) {
    const berth_choice *x = a, *y = b;
    return x->client < y->client ? -1 : x->client > y->client;
}

static double uniform_of(const draft *d, size_t client) {
    const uint64_t key[] = {d->selector->options.seed, d->round, client};
    berth__pcg stream = berth__pcg_key(3, key);
    return berth__pcg_uniform(&stream);
}

/* Successive draws in proportion to weight take the clients in the order of independent exponential variables of these
 * rates (Efraimidis and Spirakis, "Weighted random sampling with a reservoir", 2006). Weight 0: last, in any order. */
static void order_by_draw(const draft *d, const pool *p) {
    for (size_t k = 0; k < p->n; k++) {
        entry *e = &p->entries[k];
        e->uniform = uniform_of(d, e->client);
        e->key = e->weight > 0 ? -log1p(-e->uniform) / e->weight : (double)INFINITY;
    }
    qsort(p->entries, p->n, sizeof *p->entries, by_key);
}

/* Leaves the entries whose weight is at least cut_off times the take-th largest. */
static void cut_off(const draft *d, pool *p, size_t take) {
    size_t kept = 0;
    for (size_t k = 0; k < p->n; k++) {
        d->numbers[k] = p->entries[k].weight;
    }
    berth__sort(d->numbers, p->n);
    double least = d->selector->options.cut_off * d->numbers[p->n - take];
    for (size_t k = 0; k < p->n; k++) {
        if (p->entries[k].weight >= least) {
            p->entries[kept++] = p->entries[k];
        }
    }
    p->n = kept;
}

/* Blacklisted clients by how seldom they were selected. */
static void order_by_selections(const draft *d, const pool *p) {
    for (size_t k = 0; k < p->n; k++) {
        entry *e = &p->entries[k];
        e->weight = (double)NAN;
        e->key = (double)d->selector->clients[e->client].selections;
        e->uniform = uniform_of(d, e->client);
    }
    qsort(p->entries, p->n, sizeof *p->entries, by_key);
}

/* ---- the round -------------------------------------------------------------------------------------------------- */

/* How many of each kind, at most n. */
static void share_out(draft *d, size_t n) {
    const pool *p = d->pools;
    size_t candidates = p[BERTH_CHOICE_EXPLOIT].n + p[BERTH_CHOICE_EXPLORE].n;
    size_t m = n < candidates ? n : candidates;
    /* 10 (1 - 0.9) is 1 */
    size_t exploited = (size_t)floor((double)m * (1 - d->selector->exploration) * (1 + 1e-12));
    exploited = exploited < p[BERTH_CHOICE_EXPLOIT].n ? exploited : p[BERTH_CHOICE_EXPLOIT].n;
    size_t explored = m - exploited < p[BERTH_CHOICE_EXPLORE].n ? m - exploited : p[BERTH_CHOICE_EXPLORE].n;
    d->taken[BERTH_CHOICE_EXPLORE] = explored;
    d->taken[BERTH_CHOICE_EXPLOIT] = m - explored;
    d->taken[BERTH_CHOICE_RECALL] = n - m;
}

static void draw_all(draft *d, size_t participants) {
    pool *exploit = &d->pools[BERTH_CHOICE_EXPLOIT], *explore = &d->pools[BERTH_CHOICE_EXPLORE];
    /* 1.3 * 10 is 13 */
    double wanted = ceil((double)participants * d->selector->options.overcommit * (1 - 1e-12));
    share_out(d, wanted < (double)d->n_available ? (size_t)wanted : d->n_available);
    weigh_reported(d, exploit);
    weigh_unseen(d, explore);
    if (d->taken[BERTH_CHOICE_EXPLOIT] > 0) {
        cut_off(d, exploit, d->taken[BERTH_CHOICE_EXPLOIT]);
        order_by_draw(d, exploit);
    }
    order_by_draw(d, explore);
    order_by_selections(d, &d->pools[BERTH_CHOICE_RECALL]);
}

static void fill_pools(draft *d) {
    const berth_selector *s = d->selector;
    for (size_t k = 0; k < s->n_clients; k++) {
        const berth__selector_client *c = &s->clients[k];
        berth_choice_kind kind = berth__selector_is_blacklisted(s, c) ? BERTH_CHOICE_RECALL
                                 : c->last_round > 0                  ? BERTH_CHOICE_EXPLOIT
                                                                      : BERTH_CHOICE_EXPLORE;
        if (d->is_available[k]) {
            pool *p = &d->pools[kind];
            p->entries[p->n++].client = k;
            d->n_available++;
            d->n_blacklisted += kind == BERTH_CHOICE_RECALL;
        }
    }
}

static berth_status mark_available(draft *d, const size_t *available, size_t n, berth_error *error) {
    char where[48];
    for (size_t k = 0; k < d->selector->n_clients; k++) {
        d->is_available[k] = available == NULL;
    }
    for (size_t k = 0; available != NULL && k < n; k++) {
        if (available[k] >= d->selector->n_clients) {
            snprintf(where, sizeof where, "available[%zu]", k);
            return berth__fail(error, BERTH_E_ARGUMENT, where, "there is no client %zu; %zu have registered",
                               available[k], d->selector->n_clients);
        }
        d->is_available[available[k]] = true;
    }
    return BERTH_OK;
}

/* The selection in an arena of its own; NULL: out of memory. */
static berth_selection *make_selection(const draft *d) {
    berth__arena *arena = berth__arena_new();
    size_t n = d->taken[0] + d->taken[1] + d->taken[2], at = 0;
    berth_selection *selection = arena != NULL ? BERTH__ARENA_ARRAY(arena, berth_selection, 1) : NULL;
    berth_choice *choices = selection != NULL ? BERTH__ARENA_ARRAY(arena, berth_choice, n) : NULL;
    if (choices == NULL) {
        berth__arena_free(arena);
        return NULL;
    }
    for (int kind = 0; kind <= BERTH_CHOICE_RECALL; kind++) {
        for (size_t k = 0; k < d->taken[kind]; k++) {
            const entry *e = &d->pools[kind].entries[k];
            choices[at++] = (berth_choice){.client = e->client, .kind = (berth_choice_kind)kind, .weight = e->weight};
        }
    }
    qsort(choices, n, sizeof *choices, by_client);
    *selection = (berth_selection){.round = (size_t)d->round,
                                   .n = n,
                                   .choices = choices,
                                   .n_exploited = d->taken[BERTH_CHOICE_EXPLOIT],
                                   .n_explored = d->taken[BERTH_CHOICE_EXPLORE],
                                   .n_recalled = d->taken[BERTH_CHOICE_RECALL],
                                   .n_available = d->n_available,
                                   .n_blacklisted = d->n_blacklisted,
                                   .exploration = d->selector->exploration,
                                   .percentile = d->percentile,
                                   .preferred_duration_s = d->preferred_s,
                                   .memory = arena};
    return selection;
}

static void commit(berth_selector *s, const draft *d, const berth_selection *selection) {
    for (size_t k = 0; k < selection->n; k++) {
        s->clients[selection->choices[k].client].selections++;
    }
    if (d->moves_window) {
        s->utility[1] = s->utility[0];
        s->utility[0] = 0;
    }
    s->percentile = d->percentile;
    s->exploration = fmax(s->exploration * s->options.exploration_decay, s->options.exploration_min);
    s->round = d->round;
}

berth_status berth_selector_select(berth_selector *s, size_t participants, const size_t *available, size_t n_available,
                                   berth_selection **out, berth_error *error) {
    berth__error_clear(error);
    if (s == NULL || out == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, NULL, "selector and out must not be NULL");
    }
    *out = NULL;
    if (participants < 1) {
        return berth__fail(error, BERTH_E_ARGUMENT, "participants", "participants is 0; expected a number >= 1");
    }
    draft d = {.selector = s, .round = s->round + 1};
    berth_status status = BERTH_OK;
    d.is_available = BERTH__NEW_ARRAY(bool, s->n_clients);
    d.numbers = BERTH__NEW_ARRAY(double, s->n_clients);
    bool complete = d.is_available != NULL && d.numbers != NULL;
    for (int kind = 0; kind <= BERTH_CHOICE_RECALL; kind++) {
        d.pools[kind].entries = BERTH__NEW_ARRAY(entry, s->n_clients);
        complete = complete && d.pools[kind].entries != NULL;
    }
    status = complete ? mark_available(&d, available, n_available, error) : berth__fail_memory(error);
    if (status == BERTH_OK) {
        pace(&d);
        find_preferred_duration(&d);
        fill_pools(&d);
        draw_all(&d, participants);
        *out = make_selection(&d);
        status = *out != NULL ? BERTH_OK : berth__fail_memory(error);
    }
    if (status == BERTH_OK) {
        commit(s, &d, *out);
    }
    for (int kind = 0; kind <= BERTH_CHOICE_RECALL; kind++) {
        berth__free(d.pools[kind].entries);
    }
    berth__free(d.numbers);
    berth__free(d.is_available);
    return status;
}

void berth_selection_free(berth_selection *selection) {
    if (selection != NULL) {
        berth__arena_free(selection->memory);
    }
}
