#include "formulations/completion.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "formulations/deviation.h"
#include "formulations/favourite.h"

/* A solution is not improved by less than this share of the bound. */
#define SLACK 1e-10

enum {
    FIRST_FREED = 4,     /* machines freed at first */
    GROWTH = 4,          /* of the limit of regret, from pass to pass */
    MAX_PASSES = 16,     /* then all is free */
    EASY_WORK = 1 << 14, /* steps for improving a solution within BERTH__COMPLETION_GAP */
    LISTING_WORK = 16,   /* steps for the options of a group */
    HARD_WORK = 1 << 22, /* steps in all, some 10 ns each */
    MAX_OPTIONS = 1 << 20
};

/* Freed machines of equal prices and free capacity, chained by `next` from low to high index. */
typedef struct group {
    int first, last;
    size_t slot; /* in the table */
} group;

typedef struct move {
    int machine, w, s;
} move;

/* Of a pass. PROVED: the incumbent is the best there is, or there is no placement. */
typedef enum verdict { OPEN, PROVED, GIVEN_UP } verdict;

struct berth__completion {
    berth__deviation *deviation;
    double *key; /* [n_machines] of the favourites */
    double *phi; /* [n_machines] */
    int *next;   /* [n_machines] */
    int *table;  /* [table_size], a power of two: 1 + group, by hash */
    size_t machines_room, table_size;
    double *value; /* [W + 1] scratch */
    int *top;      /* [W + 1] scratch */
    size_t value_room, top_room;
    group *groups;
    berth__deviation_group *ranges; /* [n_groups] */
    berth__deviation_option *options;
    move *moves; /* from the favourites to the incumbent */
    size_t groups_room, ranges_room, options_room, moves_room;
    int n_groups, n_options, n_moves, n_freed;
    /* the running problem */
    berth__priced priced;
    int *w, *s;                /* the favourites */
    int64_t gap_w, gap_s;      /* what they lack */
    double least[FIRST_FREED]; /* smallest keys, ascending */
    double bound, noise, slack;
    bool has_incumbent;
    double tied;   /* regret of the favourites, if they are only nearly the best */
    double regret; /* of the incumbent, beyond that */
    int64_t spent; /* steps */
    /* of the last pass */
    int n_hidden; /* machines whose key is above the limit */
    bool cut;     /* some option is above the limit */
    bool too_many;
};

/* ---- workspace ---- */

berth__completion *berth__completion_new(void) {
    berth__completion *c = BERTH__NEW_ARRAY(berth__completion, 1);
    if (c != NULL && (c->deviation = berth__deviation_new()) == NULL) {
        berth__free(c);
        c = NULL;
    }
    return c;
}

void berth__completion_free(berth__completion *c) {
    if (c != NULL) {
        berth__deviation_free(c->deviation);
        berth__free(c->key);
        berth__free(c->phi);
        berth__free(c->next);
        berth__free(c->table);
        berth__free(c->value);
        berth__free(c->top);
        berth__free(c->groups);
        berth__free(c->ranges);
        berth__free(c->options);
        berth__free(c->moves);
        berth__free(c);
    }
}

static bool reserve(void **array, size_t *room, size_t n, size_t size) {
    return n <= *room || berth__grow(array, room, n - 1, size);
}

static bool reserve_machines(berth__completion *c, size_t n) {
    if (n <= c->machines_room && c->table != NULL) {
        return true;
    }
    size_t size = 16;
    while (size < 2 * n) {
        size *= 2;
    }
    double *key = BERTH__NEW_ARRAY(double, n), *phi = BERTH__NEW_ARRAY(double, n);
    int *next = BERTH__NEW_ARRAY(int, n), *table = BERTH__NEW_ARRAY(int, size);
    if (key == NULL || phi == NULL || next == NULL || table == NULL) {
        berth__free(key);
        berth__free(phi);
        berth__free(next);
        berth__free(table);
        return false;
    }
    berth__free(c->key);
    berth__free(c->phi);
    berth__free(c->next);
    berth__free(c->table);
    c->key = key;
    c->phi = phi;
    c->next = next;
    c->table = table;
    c->machines_room = n;
    c->table_size = size;
    return true;
}

static double worth(const berth__completion *c) {
    return c->priced.lam * c->priced.W + c->priced.mu * c->priced.S;
}

static void note_key(berth__completion *c, int h) {
    double *least = c->least;
    if (!(c->key[h] < least[FIRST_FREED - 1])) {
        return;
    }
    if (!berth__holds_any(&c->priced, h)) {
        c->key[h] = (double)INFINITY;
        return;
    }
    int i = FIRST_FREED - 1;
    for (; i > 0 && least[i - 1] > c->key[h]; i--) {
        least[i] = least[i - 1];
    }
    least[i] = c->key[h];
}

/* All favourites, and the bound. */
static void favour_all(berth__completion *c) {
    double sum = 0, size = worth(c);
    int n_terms = 0;
    for (int i = 0; i < FIRST_FREED; i++) {
        c->least[i] = (double)INFINITY;
    }
    c->gap_w = c->priced.W;
    c->gap_s = c->priced.S;
    c->tied = 0;
    for (int h = 0; h < c->priced.p->n_machines; h++) {
        berth__favourite favourite = berth__favourite_of(&c->priced, h);
        c->w[h] = favourite.w;
        c->s[h] = favourite.s;
        c->key[h] = favourite.key;
        c->phi[h] = favourite.phi;
        c->tied += favourite.tied;
        sum += favourite.phi;
        n_terms += favourite.phi > 0;
        c->gap_w -= favourite.w;
        c->gap_s -= favourite.s;
        note_key(c, h);
    }
    double error = DBL_EPSILON * (size + sum);
    c->bound = fmax(0, size - sum - (8 + n_terms) * error);
    c->noise = 16 * error;
    c->slack = SLACK * c->bound;
}

/* If multipliers are a trifle too high, all of thousands of equal machines rush in. Then those of least phi stay out
 * at first. */
static void shed(berth__completion *c) {
    int W = c->priced.W, S = c->priced.S;
    double all = worth(c);
    for (double least = 1e-12 * all; (c->gap_w < -W || c->gap_s < -S) && least <= all; least *= 8) {
        for (int h = 0; h < c->priced.p->n_machines; h++) {
            if (c->phi[h] > least || (c->w[h] == 0 && c->s[h] == 0)) {
                continue;
            }
            c->gap_w += c->w[h];
            c->gap_s += c->s[h];
            c->w[h] = c->s[h] = 0;
            c->tied += c->phi[h];
            c->key[h] = 0;
        }
    }
}

/* ---- freeing machines ---- */

/* Prices may be NAN. */
static uint64_t bits_of(double number) {
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static uint64_t mix(uint64_t hash, double number) {
    hash = (hash ^ bits_of(number)) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ (hash >> 29);
}

static bool identical(const berth__completion *c, int g, int h) {
    const berth__slot_problem *p = c->priced.p;
    return bits_of(p->price_worker[g]) == bits_of(p->price_worker[h]) &&
           bits_of(p->price_ps[g]) == bits_of(p->price_ps[h]) &&
           memcmp(berth__free_of(&c->priced, g), berth__free_of(&c->priced, h),
                  (size_t)p->n_resources * sizeof(double)) == 0;
}

/* Where machine h's group is in the table, or is to be. */
static size_t find_slot(const berth__completion *c, int h) {
    uint64_t hash = mix(mix(1, c->priced.p->price_worker[h]), c->priced.p->price_ps[h]);
    for (int r = 0; r < c->priced.p->n_resources; r++) {
        hash = mix(hash, berth__free_of(&c->priced, h)[r]);
    }
    size_t slot = (size_t)(hash >> 20) & (c->table_size - 1);
    while (c->table[slot] != 0 && !identical(c, c->groups[c->table[slot] - 1].first, h)) {
        slot = (slot + 1) & (c->table_size - 1);
    }
    return slot;
}

static bool free_machine(berth__completion *c, int h) {
    size_t slot = find_slot(c, h), n = (size_t)c->n_groups + 1;
    c->next[h] = -1;
    c->n_freed++;
    if (c->table[slot] != 0) {
        int k = c->table[slot] - 1;
        c->next[c->groups[k].last] = h;
        c->groups[k].last = h;
        c->ranges[k].copies++;
        return true;
    }
    if (!reserve((void **)&c->groups, &c->groups_room, n, sizeof(group)) ||
        !reserve((void **)&c->ranges, &c->ranges_room, n, sizeof(berth__deviation_group))) {
        return false;
    }
    c->table[slot] = (int)n;
    c->groups[c->n_groups] = (group){h, h, slot};
    c->ranges[c->n_groups++] = (berth__deviation_group){.copies = 1};
    return true;
}

/* Frees the machines with keys in (above, limit]. */
static bool free_up_to(berth__completion *c, double above, double limit) {
    c->n_hidden = 0;
    for (int h = 0; h < c->priced.p->n_machines; h++) {
        if (c->key[h] > limit) {
            c->n_hidden += c->key[h] < (double)INFINITY;
        } else if (c->key[h] > above && c->key[h] < (double)INFINITY && berth__holds_any(&c->priced, h) &&
                   !free_machine(c, h)) {
            return false;
        }
    }
    return true;
}

static void forget_groups(berth__completion *c) {
    for (int k = 0; k < c->n_groups; k++) {
        c->table[c->groups[k].slot] = 0;
    }
    c->n_groups = c->n_options = c->n_moves = c->n_freed = 0;
    c->has_incumbent = false;
    c->regret = (double)INFINITY;
}

/* ---- options ---- */

static bool add_option(berth__completion *c, int k, int dw, int ds, double regret) {
    int h = c->groups[k].first;
    if (c->n_options >= MAX_OPTIONS) {
        c->too_many = true;
        return true;
    }
    if (!reserve((void **)&c->options, &c->options_room, (size_t)c->n_options + 1, sizeof(*c->options))) {
        return false;
    }
    double cost = (dw != 0 ? dw * c->priced.p->price_worker[h] : 0) + (ds != 0 ? ds * c->priced.p->price_ps[h] : 0);
    c->options[c->n_options++] = (berth__deviation_option){dw, ds, k, cost, regret};
    return true;
}

/* The points of group k with w workers beside up to `top` servers whose regret is at most `limit`; `lead` is that of
 * w workers alone. *any: there are some. */
static bool list_row(berth__completion *c, int k, const berth__gains *gains, int w, int top, double lead, double limit,
                     bool *any) {
    int h = c->groups[k].first;
    bool down = gains->s > 0; /* from the best end on */
    *any = false;
    for (int i = 0; i <= top; i++) {
        int s = down ? top - i : i;
        double regret = s > 0 ? lead - gains->s * s : lead;
        if (!(regret <= limit)) {
            c->cut = true;
            return true;
        }
        *any = true;
        if ((w != c->w[h] || s != c->s[h]) && !add_option(c, k, w - c->w[h], s - c->s[h], regret)) {
            return false;
        }
        if (c->too_many) {
            return true;
        }
    }
    return true;
}

static bool list_options(berth__completion *c, int k, double limit) {
    int h = c->groups[k].first, begin = c->n_options;
    berth__gains gains = berth__gains_of(&c->priced, h);
    double held = (c->w[h] > 0 ? gains.w * c->w[h] : 0) + (c->s[h] > 0 ? gains.s * c->s[h] : 0);
    int top = gains.most_s;
    bool any = true;
    for (int w = 0; w <= gains.most_w && !c->too_many; w++) {
        top = berth__servers_beside(&c->priced, h, w, top);
        if (!list_row(c, k, &gains, w, top, w > 0 ? held - gains.w * w : held, limit, &any)) {
            return false;
        }
        if (!any && !(gains.w > 0) && !(gains.s > 0)) {
            break;
        }
    }
    c->ranges[k].begin = begin;
    c->ranges[k].end = c->n_options;
    return true;
}

/* ---- solutions ---- */

static bool add_move(berth__completion *c, int h, const berth__deviation_option *o) {
    if (!reserve((void **)&c->moves, &c->moves_room, (size_t)c->n_moves + 1, sizeof(move))) {
        return false;
    }
    c->moves[c->n_moves++] = (move){h, c->w[h] + o->dw, c->s[h] + o->ds};
    return true;
}

static int64_t distance(int64_t w, int64_t s) {
    return (w < 0 ? -w : w) + (s < 0 ? -s : s);
}

/* The option of the group listed last that comes nearer to (w, s): at the least regret a step or, in haste, by most
 * steps. NULL: none. */
static const berth__deviation_option *most_useful(const berth__completion *c, int k, int64_t w, int64_t s, bool haste) {
    const berth__deviation_option *best = NULL;
    double best_steps = 1, best_regret = 0;
    for (int j = c->ranges[k].begin; j < c->ranges[k].end; j++) {
        const berth__deviation_option *o = &c->options[j];
        double steps = (double)(distance(w, s) - distance(w - o->dw, s - o->ds)), regret = fmax(o->regret, 0);
        double fewer = best_steps - steps, dearer = regret * best_steps - best_regret * steps;
        double order = haste ? fewer : dearer, tie = haste ? dearer : fewer;
        if (steps > 0 && (best == NULL || order < 0 || (order <= 0 && tie < 0))) {
            best = o;
            best_steps = steps;
            best_regret = regret;
        }
    }
    return best;
}

/* Group after group does the most useful thing. Often a good first incumbent, sometimes none. */
static bool dive(berth__completion *c, double limit, bool haste) {
    int64_t w = c->gap_w, s = c->gap_s;
    double regret = 0;
    c->n_moves = 0;
    int64_t listed = 0;
    for (int k = 0; k < c->n_groups && (w != 0 || s != 0) && listed < HARD_WORK; k++) {
        listed += c->n_options;
        c->n_options = 0;
        c->too_many = false;
        if (!list_options(c, k, limit)) {
            return false;
        }
        for (int h = c->groups[k].first; h >= 0 && (w != 0 || s != 0); h = c->next[h]) {
            const berth__deviation_option *o = most_useful(c, k, w, s, haste);
            if (o == NULL) {
                break;
            }
            if (!add_move(c, h, o)) {
                return false;
            }
            w -= o->dw;
            s -= o->ds;
            regret += o->regret;
        }
    }
    c->has_incumbent = w == 0 && s == 0;
    if (c->has_incumbent) {
        c->regret = regret;
    }
    return true;
}

/* Takes over a solution of the programme. The copies that move are those of lowest index. */
static bool adopt(berth__completion *c, const berth__deviation_result *found) {
    c->has_incumbent = true;
    c->regret = found->regret;
    c->n_moves = 0;
    for (int i = 0; i < found->n_moves; i++) {
        const berth__deviation_option *o = &c->options[found->moves[i]];
        bool again = i > 0 && c->options[found->moves[i - 1]].group == o->group;
        int h = again ? c->next[c->moves[c->n_moves - 1].machine] : c->groups[o->group].first;
        if (!add_move(c, h, o)) {
            return false;
        }
    }
    return true;
}

static bool good_enough(const berth__completion *c) {
    return c->has_incumbent && c->regret + c->tied <= BERTH__COMPLETION_GAP * c->bound;
}

/* ---- passes ---- */

/* How much regret, beyond that of the favourites, a solution may have to be within `limit` of the bound or, as some
 * favourites may yet be left for the better, a part of it. */
static double reach_of(const berth__completion *c, double limit) {
    return limit + c->tied + 3 * c->noise;
}

static bool list_all(berth__completion *c, double reach) {
    c->n_options = 0;
    c->cut = c->too_many = false;
    for (int k = 0; k < c->n_groups && !c->too_many; k++) {
        if (!list_options(c, k, reach)) {
            return false;
        }
    }
    return true;
}

/* The programme over all options listed, which are those within `reach`. */
static berth_status solve(berth__completion *c, double reach, int64_t allowance, berth__deviation_result *found) {
    double noise = c->noise + c->tied;
    const berth__deviation_problem problem = {.n_groups = c->n_groups,
                                              .n_options = c->n_options,
                                              .groups = c->ranges,
                                              .options = c->options,
                                              .target_w = c->gap_w,
                                              .target_s = c->gap_s,
                                              .limit = fmin(reach + DBL_MIN, c->regret - c->slack + 2 * noise),
                                              .slack = c->slack,
                                              .noise = noise,
                                              .good = BERTH__COMPLETION_GAP * c->bound - c->tied,
                                              .patience = allowance + c->spent - EASY_WORK};
    int64_t left = allowance;
    berth_status status = berth__deviation_solve(c->deviation, &problem, &left, found);
    c->spent += allowance - left;
    /* A known solution, not the reach, was what cut. */
    found->cut = found->cut && problem.limit >= reach;
    if (status == BERTH_OK && found->found && found->regret < c->regret && !adopt(c, found)) {
        return BERTH_E_MEMORY;
    }
    return status;
}

/* All points of regret up to `limit`; those of keys up to `above` are free already. */
static berth_status pass(berth__completion *c, double above, double limit, verdict *out) {
    double reach = reach_of(c, limit);
    if (!free_up_to(c, above, reach) || (!c->has_incumbent && !dive(c, reach, false))) {
        return BERTH_E_MEMORY;
    }
    if (c->has_incumbent && c->regret + c->tied <= c->slack && c->noise <= c->slack) {
        *out = PROVED;
        return BERTH_OK;
    }
    c->spent += (int64_t)LISTING_WORK * c->n_groups;
    int64_t allowance = (good_enough(c) ? EASY_WORK : HARD_WORK) - c->spent;
    *out = GIVEN_UP;
    if (allowance <= 0) {
        return BERTH_OK;
    }
    if (!list_all(c, reach)) {
        return BERTH_E_MEMORY;
    }
    if (c->too_many) {
        return BERTH_OK;
    }
    berth__deviation_result found;
    berth_status status = solve(c, reach, allowance, &found);
    if (status == BERTH_OK && found.complete) {
        bool all = !c->cut && c->n_hidden == 0 && !found.cut;
        bool best = c->has_incumbent && c->regret <= limit + c->noise;
        *out = all || best ? PROVED : OPEN;
    }
    return status;
}

static double next_limit(const berth__completion *c, double limit, int n_passes) {
    if (n_passes >= MAX_PASSES) {
        return (double)INFINITY;
    }
    double next = fmax(GROWTH * limit, 1e-7 * worth(c));
    for (int i = 0; i < FIRST_FREED && !(next > 0); i++) {
        next = c->least[i];
    }
    return next > 0 ? next : (double)INFINITY;
}

/* Passes with a growing limit. *exact: see berth__completion_result. */
static berth_status deepen(berth__completion *c, bool *exact) {
    int n_keys = 0;
    while (n_keys < FIRST_FREED && c->least[n_keys] < (double)INFINITY) {
        n_keys++;
    }
    double above = -1, limit = n_keys > 0 ? c->least[n_keys - 1] : 0;
    verdict now = OPEN;
    berth_status status = BERTH_OK;
    c->spent = 0;
    for (int n_passes = 0; status == BERTH_OK && now == OPEN; n_passes++) {
        status = pass(c, above, limit, &now);
        above = reach_of(c, limit);
        limit = next_limit(c, limit, n_passes);
        if (c->has_incumbent) {
            limit = fmin(limit, fmax(c->regret, 0));
        }
    }
    *exact = status == BERTH_OK && now == PROVED;
    return status;
}

/* Any solution, where the programme had to be given up without one. */
static berth_status grasp(berth__completion *c) {
    forget_groups(c);
    if (!free_up_to(c, -1, (double)INFINITY)) {
        return BERTH_E_MEMORY;
    }
    for (int haste = 0; haste <= 1 && !c->has_incumbent; haste++) {
        if (!dive(c, (double)INFINITY, haste == 1)) {
            return BERTH_E_MEMORY;
        }
    }
    return BERTH_OK;
}

static void write_result(const berth__completion *c, berth__completion_result *out) {
    size_t n = (size_t)c->priced.p->n_machines;
    out->feasible = c->has_incumbent;
    out->bound = c->bound;
    out->n_freed = c->n_freed;
    if (!out->feasible) {
        memset(c->w, 0, n * sizeof *c->w);
        memset(c->s, 0, n * sizeof *c->s);
        return;
    }
    for (int i = 0; i < c->n_moves; i++) {
        c->w[c->moves[i].machine] = c->moves[i].w;
        c->s[c->moves[i].machine] = c->moves[i].s;
    }
    out->cost = 0;
    for (size_t h = 0; h < n; h++) {
        out->cost += c->w[h] > 0 ? c->w[h] * c->priced.p->price_worker[h] : 0;
        out->cost += c->s[h] > 0 ? c->s[h] * c->priced.p->price_ps[h] : 0;
    }
}

berth_status berth__complete(berth__completion *c, const berth__slot_problem *p, int W, double lam, double mu,
                             bool must_spread, int *w, int *s, berth__completion_result *out) {
    size_t n = (size_t)p->n_machines;
    *out = (berth__completion_result){.cost = (double)INFINITY};
    memset(w, 0, n * sizeof *w);
    memset(s, 0, n * sizeof *s);
    if (!(lam >= 0 && lam < (double)INFINITY && mu >= 0 && mu < (double)INFINITY)) {
        return BERTH_E_ARGUMENT;
    }
    if (W < 1 || W > p->job->max_workers) {
        out->exact = true;
        out->bound = (double)INFINITY;
        return BERTH_OK;
    }
    c->w = w;
    c->s = s;
    forget_groups(c);
    if (!reserve_machines(c, n) || !reserve((void **)&c->value, &c->value_room, (size_t)W + 1, sizeof(double)) ||
        !reserve((void **)&c->top, &c->top_room, (size_t)W + 1, sizeof(int))) {
        return BERTH_E_MEMORY;
    }
    c->priced = (berth__priced){.p = p,
                                .W = W,
                                .S = berth__ps_needed(p->job, W),
                                .must_spread = must_spread,
                                .lam = lam,
                                .mu = mu,
                                .value = c->value,
                                .top = c->top};
    if (!(worth(c) < (double)INFINITY)) {
        return BERTH_E_ARGUMENT;
    }
    favour_all(c);
    shed(c);
    berth_status status = deepen(c, &out->exact);
    if (status == BERTH_OK && !out->exact && !c->has_incumbent) {
        status = grasp(c);
    }
    if (status == BERTH_OK) {
        write_result(c, out);
    } else {
        memset(w, 0, n * sizeof *w);
        memset(s, 0, n * sizeof *s);
        out->exact = false;
    }
    return status;
}
