/* Pollux's evolutionary search: NSGA-II (Deb et al., IEEE TEC 2002) over matrices of GPUs, jobs by nodes, with two
 * objectives: F, and the mean share of ideal speedup that the GPUs of busy nodes give. A population of 100 goes through
 * 100 generations from what is held now:
 *
 *   selection  of two at random the one that dominates, else the less crowded one
 *   crossover  at one point of the list of jobs, for 9 of 10 pairs
 *   mutation   each job: to what it holds now (1 of 10); each tenth of its nodes to 0 (1 of 10). Each node with free
 *              GPUs: one job on average, and one of the jobs that are on it, to a random number from what it has there
 *              to all
 *   repair     in the order of jobs (pinned, then by attained service, then by age): one job of several nodes a node,
 * at most max_replicas and 16 nodes (in random order of nodes), capacity of nodes, min_replicas or nothing
 *
 * Ours: a job whose GPUs are of several types keeps those of the type it has most of. */
#include "formulations/goodput/baselines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/pcg.h"
#include "formulations/goodput/pareto.h"

enum { POPULATION = 100, GENERATIONS = 100, MOST_ROUNDS = 100, MOST_IDLE = 5, POOL = 2 * POPULATION };
static const double crossover_probability = 0.9, mutation_probability = 0.1;
static const size_t most_numbers = (size_t)1 << 27;

typedef struct individual {
    uint16_t *gpus; /* [n_jobs][n_nodes] in order of rows */
    uint64_t hash;
    double sum, utility;
} individual;

typedef struct search {
    const berth__allocate_problem *problem;
    size_t n_jobs, n_nodes;
    size_t *job;           /* [n_jobs] of a row */
    uint16_t *base;        /* [n_jobs][n_nodes] what is held now */
    uint16_t *memory;      /* of the pool */
    individual pool[POOL]; /* the first ones are the population */
    berth__pareto_point points[POOL];
    size_t n_population;
    int64_t *free;     /* [n_nodes] */
    size_t *shuffle;   /* [n_nodes] */
    uint32_t *by_type; /* [n_types] */
    berth__pcg rng;
} search;

static uint16_t *row_of(const search *s, uint16_t *gpus, size_t row) {
    return gpus + row * s->n_nodes;
}

/* ---- order of jobs ---- */

typedef struct rank_key {
    bool pinned;
    double attained, age;
    size_t job;
} rank_key;

static int by_rank(const void *a, const void *b) {
    const rank_key *x = a, *y = b;
    if (x->pinned != y->pinned) {
        return x->pinned ? -1 : 1;
    }
    if (x->attained < y->attained || x->attained > y->attained) {
        return x->attained < y->attained ? -1 : 1;
    }
    if (x->age < y->age || x->age > y->age) {
        return x->age > y->age ? -1 : 1;
    }
    return (x->job > y->job) - (x->job < y->job);
}

static bool order_jobs(search *s) {
    rank_key *keys = BERTH__NEW_ARRAY(rank_key, s->n_jobs);
    for (size_t job = 0; keys != NULL && job < s->n_jobs; job++) {
        const berth_goodput_job *given = &s->problem->instance->jobs[job];
        keys[job] = (rank_key){
            .pinned = s->problem->jobs[job].pinned, .attained = given->attained_gpu_s, .age = given->age_s, .job = job};
    }
    if (keys == NULL) {
        return false;
    }
    qsort(keys, s->n_jobs, sizeof *keys, by_rank);
    for (size_t row = 0; row < s->n_jobs; row++) {
        s->job[row] = keys[row].job;
    }
    berth__free(keys);
    return true;
}

static void fill_base(search *s) {
    for (size_t row = 0; row < s->n_jobs; row++) {
        const berth_goodput_job *given = &s->problem->instance->jobs[s->job[row]];
        for (size_t k = 0; k < given->n_current; k++) {
            const uint32_t gpus = given->current[k].gpus;
            row_of(s, s->base, row)[given->current[k].node] = gpus < UINT16_MAX ? (uint16_t)gpus : UINT16_MAX;
        }
    }
}

/* ---- worth ---- */

static bool is_base(const search *s, const uint16_t *gpus, size_t row) {
    return memcmp(gpus, row_of(s, s->base, row), s->n_nodes * sizeof *gpus) == 0;
}

/* The option that a row is; NULL: the job cannot run so. */
static const berth__allocate_option *option_of(const search *s, const uint16_t *gpus, size_t row) {
    const berth__allocate_job *job = &s->problem->jobs[s->job[row]];
    size_t n = 0, type = 0;
    uint32_t sum = 0;
    for (size_t node = 0; node < s->n_nodes; node++) {
        if (gpus[node] > 0) {
            n++;
            sum += gpus[node];
            type = s->problem->type[node];
        }
    }
    if (job->pinned || n == 0) {
        return &job->options[0];
    }
    if (job->keep < job->n_options && is_base(s, gpus, row)) {
        return &job->options[job->keep];
    }
    return berth__allocate_find(s->problem, s->job[row], type, n, sum);
}

/* GPUs that nobody has, negative where too many are given. */
static void count_free(search *s, uint16_t *gpus) {
    for (size_t node = 0; node < s->n_nodes; node++) {
        s->free[node] = s->problem->gpus[node];
    }
    for (size_t row = 0; row < s->n_jobs; row++) {
        const uint16_t *own = row_of(s, gpus, row);
        for (size_t node = 0; node < s->n_nodes; node++) {
            s->free[node] -= own[node];
        }
    }
}

static uint64_t hash_of(const uint16_t *gpus, size_t n) {
    uint64_t hash = 14695981039346656037u;
    for (size_t k = 0; k < n; k++) {
        hash = (hash ^ gpus[k]) * 1099511628211u;
    }
    return hash;
}

static void evaluate(search *s, individual *x) {
    const berth__allocate_problem *problem = s->problem;
    double speedups = 0, busy = 0;
    x->sum = 0;
    for (size_t row = 0; row < s->n_jobs; row++) {
        const berth__allocate_job *job = &problem->jobs[s->job[row]];
        const berth__allocate_option *option = option_of(s, row_of(s, x->gpus, row), row);
        x->sum += option != NULL ? option->weight : problem->none_weight;
        if (option != NULL && option->keep) {
            speedups += option->value;
        } else if (option != NULL && job->factor > 0) {
            speedups += option->value / job->factor;
        }
    }
    count_free(s, x->gpus);
    for (size_t node = 0; node < s->n_nodes; node++) {
        busy += s->free[node] < problem->gpus[node] ? problem->gpus[node] : 0;
    }
    x->utility = busy > 0 ? speedups / busy : 0;
    x->hash = hash_of(x->gpus, s->n_jobs * s->n_nodes);
}

/* ---- repair ---- */

static size_t count_nodes(const search *s, const uint16_t *gpus) {
    size_t n = 0;
    for (size_t node = 0; node < s->n_nodes; node++) {
        n += gpus[node] > 0;
    }
    return n;
}

static void keep_one_spread(search *s, uint16_t *gpus) {
    memset(s->free, 0, s->n_nodes * sizeof *s->free);
    for (size_t row = 0; row < s->n_jobs; row++) {
        uint16_t *own = row_of(s, gpus, row);
        if (count_nodes(s, own) < 2) {
            continue;
        }
        for (size_t node = 0; node < s->n_nodes; node++) {
            if (own[node] > 0 && s->free[node]++ > 0) {
                own[node] = 0;
            }
        }
    }
}

static void keep_one_type(search *s, uint16_t *own) {
    const berth__allocate_problem *problem = s->problem;
    size_t best = 0;
    if (problem->n_types == 1) {
        return;
    }
    memset(s->by_type, 0, problem->n_types * sizeof *s->by_type);
    for (size_t node = 0; node < s->n_nodes; node++) {
        s->by_type[problem->type[node]] += own[node];
    }
    for (size_t type = 1; type < problem->n_types; type++) {
        best = s->by_type[type] > s->by_type[best] ? type : best;
    }
    for (size_t node = 0; node < s->n_nodes; node++) {
        own[node] = problem->type[node] == best ? own[node] : 0;
    }
}

/* At most so many GPUs on at most 16 nodes, in random order of nodes. */
static void keep_most(search *s, uint16_t *own, uint32_t most) {
    uint32_t left = most;
    size_t n = 0, nodes = 0;
    for (size_t node = 0; node < s->n_nodes; node++) {
        if (own[node] > 0) {
            s->shuffle[n++] = node;
        }
    }
    for (size_t k = 0; k < n; k++) {
        const size_t other = k + (size_t)berth__pcg_integer(&s->rng, 0, (int64_t)(n - k) - 1);
        const size_t node = s->shuffle[other];
        s->shuffle[other] = s->shuffle[k];
        const uint16_t kept = nodes >= BERTH__MOST_NODES ? 0 : left < own[node] ? (uint16_t)left : own[node];
        own[node] = kept;
        nodes += kept > 0;
        left -= kept;
    }
}

static void keep_capacity(search *s, uint16_t *gpus) {
    for (size_t node = 0; node < s->n_nodes; node++) {
        s->free[node] = s->problem->gpus[node];
    }
    for (size_t row = 0; row < s->n_jobs; row++) {
        uint16_t *own = row_of(s, gpus, row);
        uint32_t sum = 0;
        for (size_t node = 0; node < s->n_nodes; node++) {
            if (own[node] > s->free[node]) {
                own[node] = (uint16_t)s->free[node];
            }
            s->free[node] -= own[node];
            sum += own[node];
        }
        if (sum < s->problem->jobs[s->job[row]].least_gpus && !s->problem->jobs[s->job[row]].pinned) {
            memset(own, 0, s->n_nodes * sizeof *own);
        }
    }
}

static void repair(search *s, uint16_t *gpus) {
    for (size_t row = 0; row < s->n_jobs; row++) {
        if (s->problem->jobs[s->job[row]].pinned) {
            memcpy(row_of(s, gpus, row), row_of(s, s->base, row), s->n_nodes * sizeof *gpus);
        }
    }
    keep_one_spread(s, gpus);
    for (size_t row = 0; row < s->n_jobs; row++) {
        const berth__allocate_job *job = &s->problem->jobs[s->job[row]];
        if (!job->pinned) {
            keep_one_type(s, row_of(s, gpus, row));
            keep_most(s, row_of(s, gpus, row), job->most_gpus);
        }
    }
    keep_capacity(s, gpus);
}

/* ---- variation ---- */

static void cross(search *s, const individual *a, const individual *b, uint16_t *first, uint16_t *second) {
    const size_t n = s->n_jobs * s->n_nodes;
    size_t point = 0;
    if (berth__pcg_uniform(&s->rng) < crossover_probability) {
        point = s->n_nodes * (size_t)berth__pcg_integer(&s->rng, 0, (int64_t)s->n_jobs - 1);
    }
    memcpy(first, b->gpus, point * sizeof *first);
    memcpy(first + point, a->gpus + point, (n - point) * sizeof *first);
    memcpy(second, a->gpus, point * sizeof *second);
    memcpy(second + point, b->gpus + point, (n - point) * sizeof *second);
}

static void forget(search *s, uint16_t *gpus) {
    for (size_t row = 0; row < s->n_jobs; row++) {
        uint16_t *own = row_of(s, gpus, row);
        if (berth__pcg_uniform(&s->rng) < mutation_probability) {
            memcpy(own, row_of(s, s->base, row), s->n_nodes * sizeof *own);
        }
        if (berth__pcg_uniform(&s->rng) < mutation_probability) {
            for (size_t node = 0; node < s->n_nodes; node++) {
                own[node] = berth__pcg_uniform(&s->rng) < mutation_probability ? 0 : own[node];
            }
        }
    }
}

/* On each node with free GPUs one job on average, and one of those that are on it. */
static void increase(search *s, uint16_t *gpus) {
    count_free(s, gpus);
    memset(s->shuffle, 0, s->n_nodes * sizeof *s->shuffle); /* jobs on a node */
    for (size_t row = 0; row < s->n_jobs; row++) {
        const uint16_t *own = row_of(s, gpus, row);
        for (size_t node = 0; node < s->n_nodes; node++) {
            s->shuffle[node] += own[node] > 0;
        }
    }
    for (size_t row = 0; row < s->n_jobs; row++) {
        uint16_t *own = row_of(s, gpus, row);
        for (size_t node = 0; node < s->n_nodes; node++) {
            if (s->free[node] <= 0) {
                continue;
            }
            const double any = 1.0 / (double)s->n_jobs, one = own[node] > 0 ? 1.0 / (double)s->shuffle[node] : 0;
            if (berth__pcg_uniform(&s->rng) < any + one - any * one && own[node] < s->problem->gpus[node]) {
                own[node] = (uint16_t)berth__pcg_integer(&s->rng, own[node], s->problem->gpus[node]);
            }
        }
    }
}

static void mutate(search *s, uint16_t *gpus) {
    forget(s, gpus);
    increase(s, gpus);
}

/* ---- selection ---- */

static const individual *choose_parent(search *s) {
    const int64_t last = (int64_t)s->n_population - 1;
    const size_t a = (size_t)berth__pcg_integer(&s->rng, 0, last), b = (size_t)berth__pcg_integer(&s->rng, 0, last);
    const berth__pareto_point *x = &s->points[a], *y = &s->points[b];
    if (berth__pareto_dominates(x, y) || berth__pareto_dominates(y, x)) {
        return &s->pool[berth__pareto_dominates(x, y) ? a : b];
    }
    return &s->pool[y->crowding > x->crowding ? b : a];
}

static bool is_new(const search *s, const individual *x, size_t n) {
    for (size_t k = 0; k < n; k++) {
        if (s->pool[k].hash == x->hash &&
            memcmp(s->pool[k].gpus, x->gpus, s->n_jobs * s->n_nodes * sizeof *x->gpus) == 0) {
            return false;
        }
    }
    return true;
}

/* Repairs and evaluates the child at `at`; the number of individuals then. */
static size_t admit(search *s, size_t at) {
    individual *child = &s->pool[at];
    mutate(s, child->gpus);
    repair(s, child->gpus);
    evaluate(s, child);
    return is_new(s, child, at) ? at + 1 : at;
}

/* Children after the population, all different; the number of individuals then. */
static size_t breed(search *s, const berth__budget *budget) {
    size_t n = s->n_population;
    int idle = 0; /* rounds that made nothing new: of few jobs on few nodes there are not so many states */
    for (int round = 0; round < MOST_ROUNDS && idle < MOST_IDLE && n < s->n_population + POPULATION; round++) {
        const size_t before = n, pairs = (s->n_population + POPULATION - n + 1) / 2;
        for (size_t k = 0; k < pairs && n + 2 <= POOL && !berth__budget_spent(budget); k++) {
            const individual *a = choose_parent(s), *b = choose_parent(s);
            cross(s, a, b, s->pool[n].gpus, s->pool[n + 1].gpus);
            uint16_t *second = s->pool[n + 1].gpus;
            size_t after = admit(s, n);
            if (after == n) { /* the second child moves up */
                s->pool[n + 1].gpus = s->pool[n].gpus;
                s->pool[n].gpus = second;
            }
            n = admit(s, after);
        }
        idle = n > before ? 0 : idle + 1;
    }
    return n;
}

/* The best of n individuals become the population, in order. */
static void survive(search *s, size_t n) {
    individual next[POOL];
    for (size_t k = 0; k < n; k++) {
        s->points[k] = (berth__pareto_point){.objective = {s->pool[k].sum, s->pool[k].utility}, .index = k};
    }
    berth__pareto_sort(s->points, n);
    for (size_t k = 0; k < n; k++) {
        next[k] = s->pool[s->points[k].index];
    }
    memcpy(s->pool, next, n * sizeof *next);
    s->n_population = n < POPULATION ? n : POPULATION;
}

/* ---- the whole ---- */

static berth_status open_search(search *s, const berth__allocate_problem *problem, berth_error *error) {
    const size_t n = problem->n_jobs, m = problem->n_nodes;
    s->problem = problem;
    s->n_jobs = n;
    s->n_nodes = m;
    if (m > most_numbers / POOL / n) {
        return berth__fail(error, BERTH_E_UNSUPPORTED, "allocator",
                           "genetic keeps jobs x nodes numbers for each member of its population: %zu x %zu are too "
                           "many",
                           n, m);
    }
    const uint64_t key[] = {problem->options->seed, 0x67656e65746963u};
    s->rng = berth__pcg_key(2, key);
    s->job = BERTH__NEW_ARRAY(size_t, n);
    s->base = BERTH__NEW_ARRAY(uint16_t, n * m);
    s->memory = BERTH__NEW_ARRAY(uint16_t, POOL * n * m);
    s->free = BERTH__NEW_ARRAY(int64_t, m);
    s->shuffle = BERTH__NEW_ARRAY(size_t, m);
    s->by_type = BERTH__NEW_ARRAY(uint32_t, problem->n_types);
    if (s->job == NULL || s->base == NULL || s->memory == NULL || s->free == NULL || s->shuffle == NULL ||
        s->by_type == NULL || !order_jobs(s)) {
        return berth__fail_memory(error);
    }
    for (size_t k = 0; k < POOL; k++) {
        s->pool[k].gpus = s->memory + k * n * m;
    }
    fill_base(s);
    return BERTH_OK;
}

static void close_search(search *s) {
    if (s != NULL) {
        berth__free(s->job);
        berth__free(s->base);
        berth__free(s->memory);
        berth__free(s->free);
        berth__free(s->shuffle);
        berth__free(s->by_type);
        berth__free(s);
    }
}

static void evolve(search *s, const berth__budget *budget) {
    memcpy(s->pool[0].gpus, s->base, s->n_jobs * s->n_nodes * sizeof *s->base);
    repair(s, s->pool[0].gpus);
    evaluate(s, &s->pool[0]);
    survive(s, 1);
    for (int generation = 0; generation < GENERATIONS && !berth__budget_spent(budget); generation++) {
        survive(s, breed(s, budget));
    }
}

/* The individual of the largest F as a placement. */
static void offer(search *s, berth__allocate_run *run, berth__placement *placement) {
    const individual *best = &s->pool[0];
    for (size_t k = 1; k < s->n_population; k++) {
        best = s->pool[k].sum > best->sum ? &s->pool[k] : best;
    }
    for (size_t row = 0; row < s->n_jobs; row++) {
        const uint16_t *own = row_of(s, best->gpus, row);
        const berth__allocate_option *option = option_of(s, own, row);
        berth_node_gpus nodes[BERTH__MOST_NODES];
        size_t n = 0;
        if (s->problem->jobs[s->job[row]].pinned || option == NULL || option->gpus == 0) {
            continue;
        }
        if (option->keep) {
            berth__placement_choose(placement, s->job[row], option);
            continue;
        }
        for (size_t node = 0; node < s->n_nodes && n < BERTH__MOST_NODES; node++) {
            if (own[node] > 0) {
                nodes[n++] = (berth_node_gpus){.node = node, .gpus = own[node]};
            }
        }
        if (berth__placement_fits(placement, nodes, n)) {
            berth__placement_put(placement, s->job[row], nodes, n);
        }
    }
    berth__allocate_offer(run, placement);
}

berth_status berth__allocate_genetic(berth__allocate_run *run, berth_error *error) {
    berth__placement placement = {0};
    if (run->problem->n_jobs == 0) {
        return BERTH_OK;
    }
    search *s = berth__calloc(1, sizeof *s);
    berth_status status = s != NULL ? open_search(s, run->problem, error) : berth__fail_memory(error);
    if (status == BERTH_OK) {
        status = berth__baseline_open(run, &placement, error);
    }
    if (status == BERTH_OK) {
        evolve(s, run->budget);
        offer(s, run, &placement);
    }
    berth__placement_close(&placement);
    close_search(s);
    return status;
}
