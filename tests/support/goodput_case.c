#include "tests/support/goodput_case.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/check.h"

/* ---- drawing ---- */

static int64_t integer(berth__pcg *stream, int64_t low, int64_t high) {
    return berth__pcg_integer(stream, low, high);
}
static bool chance(berth__pcg *stream, double p) {
    return berth__pcg_uniform(stream) < p;
}
static double between(berth__pcg *stream, double low, double high) {
    return low * pow(high / low, berth__pcg_uniform(stream));
}

static berth_goodput_profile draw_profile(berth__pcg *stream) {
    berth_goodput_profile p;
    berth_goodput_profile_init(&p);
    p.alpha_c = between(stream, 0.01, 0.3);
    p.beta_c = between(stream, 0.0005, 0.02);
    p.alpha_n = between(stream, 0.02, 0.6);
    p.beta_n = between(stream, 0.0001, 0.01);
    p.alpha_r = between(stream, 0.01, 0.2);
    p.beta_r = between(stream, 0.0001, 0.01);
    p.gamma = 1 + 4 * berth__pcg_uniform(stream);
    p.m0 = (double)integer(stream, 8, 128);
    p.max_batch = p.m0 * (double)integer(stream, 1, 32);
    p.min_local = (double)integer(stream, 1, 32);
    p.max_local = p.min_local + (double)integer(stream, 10, 500);
    p.accumulation = chance(stream, 0.7);
    p.grad_sqr = between(stream, 0.001, 1);
    p.grad_var = between(stream, 0.01, 20);
    return p;
}

static void draw_options(goodput_case *c, size_t j, berth__pcg *stream) {
    berth_goodput_job *job = &c->jobs[j];
    job->options = c->options[j];
    while (job->n_options < (size_t)integer(stream, 1, GOODPUT_OPTIONS)) {
        berth_goodput_option o = {.gpu_type = (size_t)integer(stream, 0, (int64_t)c->instance.n_types - 1),
                                  .nodes = (uint32_t)integer(stream, 1, 3),
                                  .value = between(stream, 0.02, 5)};
        o.gpus = o.nodes + (uint32_t)integer(stream, 0, 4);
        bool twice = false;
        for (size_t k = 0; k < job->n_options; k++) {
            const berth_goodput_option *other = &c->options[j][k];
            twice = twice || (other->gpu_type == o.gpu_type && other->nodes == o.nodes && other->gpus == o.gpus);
        }
        if (!twice)
            c->options[j][job->n_options++] = o;
    }
}

static void draw_current(goodput_case *c, size_t j, uint32_t *left, bool greedy, berth__pcg *stream) {
    berth_goodput_job *job = &c->jobs[j];
    const size_t type = (size_t)integer(stream, 0, (int64_t)c->instance.n_types - 1);
    job->current = c->current[j];
    for (size_t n = 0; n < c->instance.n_nodes; n++) {
        const uint32_t most = greedy ? c->gpus[n] : left[n];
        if (c->type[n] != type || most == 0 || chance(stream, 0.5))
            continue;
        const uint32_t gpus = (uint32_t)integer(stream, 1, most);
        left[n] -= gpus < left[n] ? gpus : left[n];
        c->current[j][job->n_current++] = (berth_node_gpus){n, gpus};
    }
    job->pinned = chance(stream, 0.15);
}

static void draw_job(goodput_case *c, size_t j, uint32_t *left, berth__pcg *stream) {
    berth_goodput_job *job = &c->jobs[j];
    berth_goodput_job_init(job);
    job->age_s = chance(stream, 0.1) ? 0 : between(stream, 10, 5000);
    job->restarts = (uint32_t)integer(stream, 0, 3);
    if (chance(stream, 0.2))
        job->min_replicas = (uint32_t)integer(stream, 1, 3);
    if (chance(stream, 0.4))
        job->max_replicas = (uint32_t)integer(stream, job->min_replicas > 1 ? job->min_replicas : 1, 8);
    const double kind = berth__pcg_uniform(stream);
    for (size_t t = 0; t < GOODPUT_TYPES; t++) {
        c->profiles[j][t] = draw_profile(stream);
    }
    if (kind < 0.6)
        job->profile = &c->profiles[j][0];
    else if (kind < 0.8)
        job->typed = c->profiles[j];
    else
        draw_options(c, j, stream);
    if (job->typed != NULL && c->instance.n_types > 1 && chance(stream, 0.3))
        c->profiles[j][0].alpha_c = c->profiles[j][0].beta_c = 0;
    if (chance(stream, 0.5))
        draw_current(c, j, left, chance(stream, 0.1), stream);
}

void goodput_case_draw(goodput_case *c, berth__pcg *stream) {
    static const double powers[] = {-1, -1, -1, 1, 0, -0.5, -2, 2, -20, 50};
    memset(c, 0, sizeof *c);
    berth_goodput_instance *i = &c->instance;
    berth_goodput_instance_init(i);
    i->n_types = chance(stream, 0.3) ? 2 : 1;
    i->n_nodes = (size_t)integer(stream, 1, GOODPUT_NODES);
    i->n_jobs = (size_t)integer(stream, 1, GOODPUT_JOBS);
    i->gpus = c->gpus;
    i->gpu_type = c->type;
    i->jobs = c->jobs;
    i->rules = chance(stream, 0.25) ? BERTH_RULES_SIA : BERTH_RULES_POLLUX;
    i->p = i->rules == BERTH_RULES_SIA ? -0.5 : powers[integer(stream, 0, 9)];
    i->fair = chance(stream, 0.3) ? BERTH_FAIR_SPREAD : BERTH_FAIR_NODE;
    i->restart_s = chance(stream, 0.2) ? 0 : 30;
    const bool alike = chance(stream, 0.5);
    for (size_t n = 0; n < i->n_nodes; n++) {
        c->gpus[n] = alike && n > 0 ? c->gpus[0] : (uint32_t)integer(stream, chance(stream, 0.1) ? 0 : 1, 4);
        c->type[n] = (size_t)integer(stream, 0, (int64_t)i->n_types - 1);
    }
    uint32_t left[GOODPUT_NODES];
    memcpy(left, c->gpus, sizeof left);
    for (size_t j = 0; j < i->n_jobs; j++) {
        draw_job(c, j, left, stream);
    }
}

/* ---- what the header says ---- */

typedef struct shape {
    uint32_t nodes, gpus;
    size_t type;
    bool mixed, current;
} shape;

static size_t type_of(const berth_goodput_instance *i, size_t node) {
    return i->gpu_type ? i->gpu_type[node] : 0;
}

static shape shape_of(const berth_goodput_instance *i, size_t job, const uint32_t *held) {
    shape s = {.current = true};
    const berth_goodput_job *given = &i->jobs[job];
    size_t k = 0;
    for (size_t n = 0; n < i->n_nodes; n++) {
        const bool has = k < given->n_current && given->current[k].node == n;
        if (held[n] != (has ? given->current[k].gpus : 0))
            s.current = false;
        k += has;
        if (held[n] == 0)
            continue;
        s.mixed = s.mixed || (s.nodes > 0 && type_of(i, n) != s.type);
        s.type = type_of(i, n);
        s.nodes++;
        s.gpus += held[n];
    }
    return s;
}

static double goodput_of(const berth_goodput_instance *i, berth_batch_mode mode, size_t job, size_t type,
                         uint32_t nodes, uint32_t gpus) {
    const berth_goodput_job *given = &i->jobs[job];
    for (size_t k = 0; k < given->n_options; k++) {
        const berth_goodput_option *o = &given->options[k];
        if (o->gpu_type == type && o->nodes == nodes && o->gpus == gpus)
            return o->value;
    }
    if (given->n_options > 0)
        return 0;
    const berth_goodput_profile *profile = given->profile ? given->profile : &given->typed[type];
    if (profile->alpha_c == 0 && profile->beta_c == 0)
        return 0;
    berth_goodput_point point;
    berth_error error;
    assert_ok(berth_goodput_best(profile, mode, nodes, gpus, &point, &error), error);
    return point.goodput;
}

static uint32_t most_replicas(const berth_goodput_instance *i, size_t job) {
    const berth_goodput_job *given = &i->jobs[job];
    double most = 0;
    if (given->max_replicas > 0)
        return given->max_replicas;
    if (given->n_options > 0)
        return UINT32_MAX;
    for (size_t t = 0; t < i->n_types; t++) {
        const berth_goodput_profile *p = given->profile ? given->profile : &given->typed[t];
        if (p->alpha_c + p->beta_c > 0)
            most = fmax(most, floor(p->max_batch / p->min_local));
    }
    return (uint32_t)fmin(most, 64);
}

static void total_of(const berth_goodput_instance *i, double *nodes, double *gpus) {
    *nodes = *gpus = 0;
    for (size_t n = 0; n < i->n_nodes; n++) {
        *nodes += i->gpus[n] > 0;
        *gpus += i->gpus[n];
    }
}

/* What a goodput is divided by. */
static double fair(const berth_goodput_instance *i, berth_batch_mode mode, size_t job) {
    double nodes, gpus, best = 0;
    total_of(i, &nodes, &gpus);
    const uint32_t share = (uint32_t)fmax(1, ceil(gpus / (double)i->n_jobs));
    const uint32_t on = i->fair == BERTH_FAIR_SPREAD && nodes > (double)i->n_jobs ? 2 : 1;
    for (size_t t = 0; t < i->n_types; t++) {
        double goodput = 0;
        for (uint32_t k = share; k > 0 && goodput <= 0; k--) {
            goodput = goodput_of(i, mode, job, t, k > 1 ? on : 1, k);
        }
        for (uint32_t k = share + 1; k <= 64 && goodput <= 0; k++) {
            goodput = goodput_of(i, mode, job, t, on, k);
        }
        best = fmax(best, goodput);
    }
    return best * gpus / nodes;
}

/* Is it a configuration of Sia's on this cluster? */
static bool is_configuration(const berth_goodput_instance *i, size_t type, uint32_t nodes, uint32_t gpus) {
    uint32_t largest = 0, whole = 0;
    for (size_t n = 0; n < i->n_nodes; n++) {
        largest = type_of(i, n) == type && i->gpus[n] > largest ? i->gpus[n] : largest;
    }
    for (size_t n = 0; n < i->n_nodes; n++) {
        whole += type_of(i, n) == type && i->gpus[n] == largest;
    }
    if (nodes == 1)
        return gpus <= largest && ((gpus & (gpus - 1)) == 0 || gpus == largest);
    return nodes <= whole && gpus == nodes * largest;
}

static double sia_least(const berth_goodput_instance *i, berth_batch_mode mode, size_t job) {
    const uint32_t least = i->jobs[job].min_replicas, most = most_replicas(i, job);
    double lowest = (double)INFINITY;
    for (size_t t = 0; t < i->n_types; t++) {
        for (uint32_t n = 1; n <= i->n_nodes; n++) {
            for (uint32_t k = n; k <= 64 && k <= most; k++) {
                const double goodput =
                    k >= least && is_configuration(i, t, n, k) ? goodput_of(i, mode, job, t, n, k) : 0;
                lowest = goodput > 0 ? fmin(lowest, goodput) : lowest;
            }
        }
    }
    return isfinite(lowest) ? lowest : 1;
}

static double restart_factor(const berth_goodput_instance *i, const berth_goodput_job *given) {
    if (given->age_s + i->restart_s <= 0)
        return 1;
    return fmax(given->age_s - i->restart_s * given->restarts, 0) / (given->age_s + i->restart_s);
}

static bool may_change_to(const berth_goodput_instance *i, size_t job, shape s, double factor) {
    const berth_goodput_job *given = &i->jobs[job];
    uint32_t had = 0;
    for (size_t k = 0; k < given->n_current; k++) {
        had += given->current[k].gpus;
    }
    if (i->rules != BERTH_RULES_SIA)
        return true;
    if (factor <= 0)
        return false;
    if (given->n_options > 0)
        return true;
    const uint32_t grown = had > 0 ? 2 * had : 1, least = given->min_replicas;
    return is_configuration(i, s.type, s.nodes, s.gpus) && s.gpus <= (grown > least ? grown : least);
}

double goodput_value(const berth_goodput_instance *i, berth_batch_mode mode, size_t job, const uint32_t *held) {
    const berth_goodput_job *given = &i->jobs[job];
    const shape s = shape_of(i, job, held);
    const bool pinned = given->pinned && given->n_current > 0;
    if (pinned && !s.current)
        return (double)NAN;
    if (s.gpus == 0)
        return 0;
    if (!pinned && (s.mixed || s.nodes > 16 || s.gpus < given->min_replicas || s.gpus > most_replicas(i, job)))
        return (double)NAN;
    const double goodput = goodput_of(i, mode, job, s.type, s.nodes, s.gpus);
    if (goodput <= 0 && !pinned)
        return (double)NAN;
    double value = goodput;
    if (given->n_options == 0 && goodput > 0)
        value /= i->rules == BERTH_RULES_SIA ? sia_least(i, mode, job) : fair(i, mode, job);
    if (s.current)
        return value;
    const bool sia = i->rules == BERTH_RULES_SIA;
    const double factor = sia && given->n_current == 0 ? 1 : restart_factor(i, given);
    return may_change_to(i, job, s, factor) ? value * factor : (double)NAN;
}

static double term(const berth_goodput_instance *i, double value, bool starved) {
    if (i->rules == BERTH_RULES_SIA)
        return starved || value <= 0 ? i->lambda_none : pow(value, i->p);
    return i->p == 0 ? log(fmax(value, 1e-3)) : pow(value + 1e-3, i->p);
}

static double mean_of(const berth_goodput_instance *i, double sum) {
    const double mean = sum / (double)i->n_jobs;
    return i->p == 0 ? exp(mean) : pow(mean, 1 / i->p);
}

double goodput_mean(const berth_goodput_instance *i, const double *values, const bool *starved) {
    double sum = 0;
    for (size_t j = 0; j < i->n_jobs; j++) {
        sum += term(i, values[j], starved[j]);
    }
    return mean_of(i, sum);
}

/* ---- the optimum ---- */

enum { FREE = 5, STATES = FREE * FREE * FREE * 8, VECTORS = FREE * FREE * FREE };

/* State: what is free of each node, and which have a job of several nodes. */
typedef struct best_of {
    bool there;
    size_t starved;
    double sum; /* of terms, negated where less is better */
} best_of;

static bool is_better(best_of a, best_of b, bool starve_last) {
    if (!b.there)
        return true;
    if (starve_last && a.starved != b.starved)
        return a.starved < b.starved;
    return a.sum > b.sum;
}

static bool next_state(int state, const uint32_t *held, int *next) {
    int flags = state % 8, free = state / 8, used = 0, scale = 1, left = 0;
    for (int n = 0; n < GOODPUT_NODES; n++) {
        used += held[n] > 0 ? 1 : 0;
    }
    for (int n = 0; n < GOODPUT_NODES; n++, free /= FREE, scale *= FREE) {
        if ((uint32_t)(free % FREE) < held[n] || (held[n] > 0 && used > 1 && (flags >> n & 1)))
            return false;
        left += (free % FREE - (int)held[n]) * scale;
        if (held[n] > 0 && used > 1)
            flags |= 1 << n;
    }
    *next = left * 8 + flags;
    return true;
}

static void add_job(const berth_goodput_instance *i, size_t job, bool starve_last, const best_of *before,
                    best_of *after) {
    const double sign = i->rules == BERTH_RULES_SIA || i->p < 0 ? -1 : 1;
    for (int v = 0; v < VECTORS; v++) {
        uint32_t held[GOODPUT_NODES] = {(uint32_t)(v % FREE), (uint32_t)(v / FREE % FREE), (uint32_t)(v / FREE / FREE)};
        bool fits = true;
        for (size_t n = 0; n < GOODPUT_NODES; n++) {
            fits = fits && held[n] <= (n < i->n_nodes ? i->gpus[n] : 0);
        }
        const double value = fits ? goodput_value(i, BERTH_BATCH_GRID, job, held) : (double)NAN;
        if (isnan(value))
            continue;
        for (int state = 0; state < STATES; state++) {
            int next;
            if (!before[state].there || !next_state(state, held, &next))
                continue;
            best_of sum = before[state];
            sum.starved += v == 0 ? 1 : 0;
            sum.sum += sign * term(i, value, v == 0);
            if (is_better(sum, after[next], starve_last))
                after[next] = sum;
        }
    }
}

double goodput_case_optimum(const berth_goodput_instance *i, bool starve_last, size_t *starved) {
    static best_of table[GOODPUT_JOBS + 1][STATES];
    memset(table, 0, sizeof table);
    int full = 0;
    for (size_t n = GOODPUT_NODES; n-- > 0;) {
        full = full * FREE + (int)(n < i->n_nodes ? i->gpus[n] : 0);
    }
    table[0][full * 8].there = true;
    for (size_t j = 0; j < i->n_jobs; j++) {
        add_job(i, j, starve_last, table[j], table[j + 1]);
    }
    best_of best = {0};
    for (int state = 0; state < STATES; state++) {
        if (table[i->n_jobs][state].there && is_better(table[i->n_jobs][state], best, starve_last))
            best = table[i->n_jobs][state];
    }
    *starved = best.starved;
    return best.there ? mean_of(i, fabs(best.sum) * (i->p == 0 && best.sum < 0 ? -1 : 1)) : (double)NAN;
}

/* ---- checks ---- */

static void expect_nodes(const berth_goodput_instance *i, const berth_allocation *a) {
    uint32_t *used = calloc(i->n_nodes + 1, sizeof *used);
    int *spread = calloc(i->n_nodes + 1, sizeof *spread);
    assert_true(used != NULL && spread != NULL);
    for (size_t j = 0; j < a->n_jobs; j++) {
        for (size_t k = 0; k < a->jobs[j].n_nodes; k++) {
            const berth_node_gpus *held = &a->jobs[j].nodes[k];
            assert_true(held->node < i->n_nodes && held->gpus > 0);
            assert_true(k == 0 || held->node > held[-1].node);
            used[held->node] += held->gpus;
            spread[held->node] += a->jobs[j].n_nodes > 1;
        }
    }
    for (size_t n = 0; n < i->n_nodes; n++) {
        assert_true(used[n] <= i->gpus[n]);
        assert_true(spread[n] <= 1);
    }
    free(used);
    free(spread);
}

void goodput_expect_sound(const berth_goodput_instance *i, const berth_allocation *a) {
    assert_int_equal(a->n_jobs, i->n_jobs);
    if (a->outcome == BERTH_INFEASIBLE || i->n_jobs == 0)
        return;
    double *values = calloc(i->n_jobs, sizeof *values);
    bool *starved = calloc(i->n_jobs, sizeof *starved);
    uint32_t *held = calloc(i->n_nodes + 1, sizeof *held);
    size_t n_starved = 0;
    assert_true(values != NULL && starved != NULL && held != NULL);
    expect_nodes(i, a);
    for (size_t j = 0; j < i->n_jobs; j++) {
        memset(held, 0, i->n_nodes * sizeof *held);
        for (size_t k = 0; k < a->jobs[j].n_nodes; k++) {
            held[a->jobs[j].nodes[k].node] = a->jobs[j].nodes[k].gpus;
        }
        values[j] = goodput_value(i, a->mode, j, held);
        assert_true(values[j] >= 0);
        starved[j] = a->jobs[j].n_nodes == 0;
        n_starved += starved[j];
        assert_close(values[j], a->jobs[j].speedup, 1e-9);
    }
    const double mean = goodput_mean(i, values, starved);
    assert_true(fabs(mean - a->fitness) <= 1e-9 * mean);
    assert_int_equal(n_starved, a->starved);
    assert_true(a->starved_bound <= a->starved);
    assert_true(isnan(a->bound) ? a->outcome == BERTH_LIMIT && a->prices == NULL : a->bound >= a->fitness);
    free(values);
    free(starved);
    free(held);
}
