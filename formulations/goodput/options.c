/* The problem of allocate.h: what each job can get, and what it weighs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "formulations/goodput/allocate.h"
#include "formulations/goodput/best.h"
#include "formulations/goodput/instance.h"
#include "formulations/goodput/model.h"

/* Pollux adds it to v, and takes it as the least for p = 0. */
static const double least_value = 1e-3;
/* |p ln v| at most, so that sums of weights stay doubles. */
static const double most_exponent = 600;

/* Of the time there is, until when all options are listed, and those of fewest GPUs after. */
static const double for_everything = 0.5, for_least = 0.7;

/* ---- weights ---- */

double berth__allocate_weight(const berth__allocate_problem *problem, double value, bool starved) {
    const berth_goodput_instance *i = problem->instance;
    if (i->rules == BERTH_RULES_SIA)
        return starved || value <= 0 ? -i->lambda_none : -pow(value, i->p);
    if (i->p == 0)
        return log(fmax(value, least_value));
    const double weight = pow(value + least_value, i->p);
    return i->p > 0 ? weight : -weight;
}

double berth__allocate_fitness(const berth__allocate_problem *problem, double sum) {
    const double p = problem->instance->p, n = (double)problem->n_jobs;
    if (n == 0)
        return (double)NAN;
    if (p == 0)
        return exp(sum / n);
    const double mean = p > 0 ? sum / n : -sum / n;
    return mean > 0 ? pow(mean, 1 / p) : p > 0 ? 0 : (double)INFINITY;
}

static bool in_range(const berth__allocate_problem *problem, double value) {
    const bool sia = problem->instance->rules == BERTH_RULES_SIA;
    const double x = sia ? value : value + least_value;
    return x <= 0 || fabs(problem->instance->p * log(x)) <= most_exponent;
}

/* ---- the cluster ---- */

typedef struct sized_node {
    size_t type, node;
    uint32_t gpus;
} sized_node;

static int by_type_and_size(const void *a, const void *b) {
    const sized_node *x = a, *y = b;
    if (x->type != y->type)
        return x->type < y->type ? -1 : 1;
    if (x->gpus != y->gpus)
        return x->gpus > y->gpus ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

static bool set_cluster(berth__allocate_problem *p) {
    const berth_goodput_instance *i = p->instance;
    size_t *type = BERTH__ARENA_ARRAY(p->arena, size_t, p->n_nodes);
    uint64_t *capacity = BERTH__ARENA_ARRAY(p->arena, uint64_t, p->n_types);
    uint32_t *largest = BERTH__ARENA_ARRAY(p->arena, uint32_t, p->n_types);
    size_t *start = BERTH__ARENA_ARRAY(p->arena, size_t, p->n_types + 1);
    size_t *nodes_of = BERTH__ARENA_ARRAY(p->arena, size_t, p->n_nodes);
    sized_node *sorted = BERTH__ARENA_ARRAY(p->arena, sized_node, p->n_nodes);
    if (!type || !capacity || !largest || !start || !nodes_of || !sorted)
        return false;
    for (size_t n = 0; n < p->n_nodes; n++) {
        type[n] = i->gpu_type != NULL ? i->gpu_type[n] : 0;
        if (i->gpus[n] == 0)
            continue;
        sorted[p->n_true_nodes++] = (sized_node){type[n], n, i->gpus[n]};
        capacity[type[n]] += i->gpus[n];
        p->total += i->gpus[n];
        start[type[n] + 1]++;
    }
    if (p->n_true_nodes > 0)
        qsort(sorted, p->n_true_nodes, sizeof *sorted, by_type_and_size);
    for (size_t k = 0; k < p->n_true_nodes; k++) {
        nodes_of[k] = sorted[k].node;
    }
    for (size_t t = 0; t < p->n_types; t++) {
        largest[t] = start[t + 1] > 0 ? sorted[start[t]].gpus : 0;
        start[t + 1] += start[t];
    }
    p->type = type;
    p->capacity = capacity;
    p->largest = largest;
    p->node_start = start;
    p->nodes_of = nodes_of;
    return true;
}

/* GPUs of the n largest nodes of a type; 0: it has fewer. */
static uint64_t gpus_of_largest(const berth__allocate_problem *p, size_t type, size_t n) {
    uint64_t sum = 0;
    if (p->node_start[type + 1] - p->node_start[type] < n)
        return 0;
    for (size_t k = p->node_start[type]; k < p->node_start[type] + n; k++) {
        sum += p->gpus[p->nodes_of[k]];
    }
    return sum;
}

static void set_fair_share(berth__allocate_problem *p) {
    if (p->n_jobs == 0)
        return;
    const uint64_t gpus = (p->total + p->n_jobs - 1) / p->n_jobs;
    p->fair_gpus = gpus < 1 ? 1 : gpus > INT32_MAX ? INT32_MAX : (uint32_t)gpus;
    p->fair_spread = p->instance->fair == BERTH_FAIR_SPREAD && p->n_true_nodes > p->n_jobs;
}

/* ---- one job ---- */

/* Options as they are found; grows. */
typedef struct option_list {
    berth__allocate_option *options;
    size_t n, room;
    bool out_of_memory;
} option_list;

static void add(option_list *list, berth__allocate_option option) {
    if (list->n == list->room && !berth__grow((void **)&list->options, &list->room, list->n, sizeof *list->options)) {
        list->out_of_memory = true;
        return;
    }
    list->options[list->n++] = option;
}

static const berth_goodput_profile *profile_on(const berth_goodput_job *job, size_t type) {
    if (job->profile != NULL)
        return job->profile;
    return berth__goodput_runs_on(&job->typed[type]) ? &job->typed[type] : NULL;
}

static uint32_t most_of_profile(const berth_goodput_profile *profile) {
    return (uint32_t)fmin(floor(profile->max_batch / profile->min_local), INT32_MAX);
}

static uint32_t default_most(const berth_goodput_instance *instance, const berth_goodput_job *job) {
    uint32_t most = 0;
    for (size_t t = 0; t < instance->n_types; t++) {
        const berth_goodput_profile *profile = profile_on(job, t);
        const uint32_t can = profile != NULL ? most_of_profile(profile) : 0;
        most = can > most ? can : most;
    }
    return most < 64 ? most : 64;
}

static double goodput_of(const berth__allocate_problem *p, const berth_goodput_profile *profile, uint32_t gpus) {
    return berth__goodput_best(profile, p->options->mode, p->fair_spread && gpus > 1, gpus).goodput;
}

/* Of the fair share, else of the most GPUs below that the job can run on, else of the fewest above; 0: of none. */
static double fair_goodput(const berth__allocate_problem *p, const berth__allocate_job *job,
                           const berth_goodput_profile *profile) {
    const uint32_t can = most_of_profile(profile);
    const uint32_t most = job->most_gpus > job->current_gpus ? job->most_gpus : job->current_gpus;
    double goodput = 0;
    for (uint32_t k = p->fair_gpus < can ? p->fair_gpus : can; k >= 1 && goodput <= 0; k--) {
        goodput = goodput_of(p, profile, k);
    }
    for (uint32_t k = p->fair_gpus + 1; k <= can && k <= most && goodput <= 0; k++) {
        goodput = goodput_of(p, profile, k);
    }
    return goodput;
}

/* 1 / (goodput of the fair share R'). */
static double pollux_unit(const berth__allocate_problem *p, const berth__allocate_job *of,
                          const berth_goodput_job *job) {
    double fair = 0;
    for (size_t t = 0; t < p->n_types; t++) {
        const berth_goodput_profile *profile = profile_on(job, t);
        if (profile != NULL && (t == 0 || job->profile == NULL))
            fair = fmax(fair, fair_goodput(p, of, profile));
    }
    return fair > 0 ? (double)p->n_true_nodes / ((double)p->total * fair) : 0;
}

/* Up to so many GPUs on one node and on several, with goodput as value. */
static void add_pollux(const berth__allocate_problem *p, const berth__allocate_job *job,
                       const berth_goodput_profile *profile, size_t type, uint32_t most_gpus, option_list *list) {
    const size_t nodes = p->node_start[type + 1] - p->node_start[type];
    const uint16_t most = (uint16_t)(nodes < BERTH__MOST_NODES ? nodes : BERTH__MOST_NODES);
    const uint64_t room = gpus_of_largest(p, type, most);
    berth__batch_search search;
    berth__batch_search_start(&search, profile, p->options->mode);
    const uint32_t can = most_of_profile(profile), last = can < most_gpus ? can : most_gpus;
    for (uint32_t k = job->least_gpus; k <= last && k <= room; k++) {
        if (k <= p->largest[type]) {
            add(list, (berth__allocate_option){.type = (uint32_t)type,
                                               .gpus = k,
                                               .least = 1,
                                               .most = 1,
                                               .value = berth__batch_search_best(&search, false, k).goodput});
        }
        if (k >= 2 && most >= 2) {
            add(list, (berth__allocate_option){.type = (uint32_t)type,
                                               .gpus = k,
                                               .least = 2,
                                               .most = most,
                                               .value = berth__batch_search_best(&search, true, k).goodput});
        }
    }
}

/* Powers of two within a node, then whole nodes. */
static void add_sia(const berth__allocate_problem *p, const berth__allocate_job *job,
                    const berth_goodput_profile *profile, size_t type, option_list *list) {
    const uint32_t node = p->largest[type];
    berth__batch_search search;
    berth__batch_search_start(&search, profile, p->options->mode);
    uint32_t whole = 0;
    for (size_t k = p->node_start[type]; k < p->node_start[type + 1] && p->gpus[p->nodes_of[k]] == node; k++) {
        whole++;
    }
    for (uint32_t k = 1; k <= node; k = k < node && 2 * k > node ? node : 2 * k) {
        if (k >= job->least_gpus && k <= job->most_gpus) {
            add(list, (berth__allocate_option){.type = (uint32_t)type,
                                               .gpus = k,
                                               .least = 1,
                                               .most = 1,
                                               .value = berth__batch_search_best(&search, false, k).goodput});
        }
    }
    for (uint16_t n = 2; n <= whole && n <= BERTH__MOST_NODES; n++) {
        const uint32_t k = n * node;
        if (k >= job->least_gpus && k <= job->most_gpus) {
            add(list, (berth__allocate_option){.type = (uint32_t)type,
                                               .gpus = k,
                                               .least = n,
                                               .most = n,
                                               .value = berth__batch_search_best(&search, true, k).goodput});
        }
    }
}

static int by_shape(const void *a, const void *b) {
    const berth__allocate_option *x = a, *y = b;
    if (x->type != y->type)
        return x->type < y->type ? -1 : 1;
    if (x->gpus != y->gpus)
        return x->gpus < y->gpus ? -1 : 1;
    return x->least < y->least ? -1 : x->least > y->least;
}

static void add_bare(const berth__allocate_problem *p, const berth__allocate_job *job, const berth_goodput_job *given,
                     option_list *list) {
    const size_t from = list->n;
    for (size_t k = 0; k < given->n_options; k++) {
        const berth_goodput_option *o = &given->options[k];
        if (o->gpus < job->least_gpus || o->gpus > job->most_gpus ||
            o->gpus > gpus_of_largest(p, o->gpu_type, o->nodes))
            continue;
        add(list, (berth__allocate_option){.type = (uint32_t)o->gpu_type,
                                           .gpus = o->gpus,
                                           .least = (uint16_t)o->nodes,
                                           .most = (uint16_t)o->nodes,
                                           .value = o->value});
    }
    if (list->n > from)
        qsort(list->options + from, list->n - from, sizeof *list->options, by_shape);
}

/* Goodput or value of what the job has; 0: it cannot run so. */
static double current_goodput(const berth__allocate_problem *p, const berth_goodput_job *given,
                              const berth__allocate_job *job) {
    if (given->n_options == 0) {
        const berth_goodput_profile *profile = profile_on(given, job->current_type);
        if (profile == NULL)
            return 0;
        return berth__goodput_best(profile, p->options->mode, given->n_current > 1, job->current_gpus).goodput;
    }
    for (size_t k = 0; k < given->n_options; k++) {
        const berth_goodput_option *o = &given->options[k];
        if (o->gpu_type == job->current_type && o->nodes == given->n_current && o->gpus == job->current_gpus)
            return o->value;
    }
    return 0;
}

static bool may_keep(const berth_goodput_job *given, const berth__allocate_job *job, double goodput) {
    return job->pinned || (given->n_current > 0 && given->n_current <= BERTH__MOST_NODES && goodput > 0 &&
                           job->current_gpus >= job->least_gpus && job->current_gpus <= job->most_gpus);
}

/* Sia: the least goodput of all configurations is 1, those that the job cannot grow to or change to are left out. */
static void apply_sia(const berth_goodput_job *given, berth__allocate_job *job, option_list *list, size_t from) {
    double least = (double)INFINITY;
    uint32_t most = job->current_gpus > 0 ? 2 * job->current_gpus : 1;
    most = most > job->least_gpus ? most : job->least_gpus;
    for (size_t k = from; k < list->n; k++) {
        if (list->options[k].value > 0)
            least = fmin(least, list->options[k].value);
    }
    if (given->n_options == 0)
        job->unit = isfinite(least) ? 1 / least : 1;
    size_t n = from;
    for (size_t k = from; k < list->n; k++) {
        if (job->factor > 0 && (given->n_options > 0 || list->options[k].gpus <= most))
            list->options[n++] = list->options[k];
    }
    list->n = n;
}

static double factor_of(const berth_goodput_instance *instance, const berth_goodput_job *given) {
    const double after = given->age_s + instance->restart_s;
    if (after <= 0 || (instance->rules == BERTH_RULES_SIA && given->n_current == 0))
        return 1;
    return fmax(given->age_s - instance->restart_s * given->restarts, 0) / after;
}

static void set_limits(const berth__allocate_problem *p, const berth_goodput_job *given, berth__allocate_job *job) {
    job->pinned = given->pinned && given->n_current > 0;
    job->least_gpus = given->min_replicas > 1 ? given->min_replicas : 1;
    job->most_gpus = given->max_replicas;
    if (job->most_gpus == 0)
        job->most_gpus = given->n_options > 0 ? UINT32_MAX : default_most(p->instance, given);
    for (size_t k = 0; k < given->n_current; k++) {
        job->current_gpus += given->current[k].gpus;
        job->current_type = (uint32_t)p->type[given->current[k].node];
    }
    job->factor = factor_of(p->instance, given);
    job->unit = 1;
}

/* How much of what a job can have there is time for. */
typedef enum depth {
    EVERYTHING,
    LEAST_GPUS,  /* of each type, of rules that have many */
    WHAT_IT_HAS, /* and what it takes to value that */
} depth;

static void find_options(const berth__allocate_problem *p, const berth_goodput_job *given, berth__allocate_job *job,
                         depth how, option_list *list) {
    const bool sia = p->instance->rules == BERTH_RULES_SIA;
    const size_t from = list->n;
    if (how == WHAT_IT_HAS && given->n_current == 0)
        return;
    if (given->n_options > 0)
        add_bare(p, job, given, list);
    for (size_t t = 0; given->n_options == 0 && t < p->n_types; t++) {
        const berth_goodput_profile *profile = profile_on(given, t);
        if (profile != NULL && sia)
            add_sia(p, job, profile, t, list);
        else if (profile != NULL && how != WHAT_IT_HAS)
            add_pollux(p, job, profile, t, how == EVERYTHING ? job->most_gpus : job->least_gpus, list);
    }
    if (sia)
        apply_sia(given, job, list, from);
    else if (given->n_options == 0)
        job->unit = pollux_unit(p, job, given);
    size_t n = from;
    for (size_t k = from; k < list->n; k++) {
        if (list->options[k].value > 0) {
            list->options[n] = list->options[k];
            list->options[n++].value *= job->unit * job->factor;
        }
    }
    list->n = n;
}

/* False: out of memory. */
static bool set_job(berth__allocate_problem *p, size_t j, depth how, option_list *list) {
    const berth_goodput_job *given = &p->instance->jobs[j];
    berth__allocate_job *job = &p->jobs[j];
    list->n = 0;
    set_limits(p, given, job);
    add(list, (berth__allocate_option){0});
    add(list, (berth__allocate_option){0}); /* room for keep */
    if (!list->out_of_memory)
        find_options(p, given, job, how, list);
    if (list->out_of_memory)
        return false;
    const double goodput = given->n_current > 0 ? current_goodput(p, given, job) : 0;
    const bool keep = may_keep(given, job, goodput);
    const uint16_t n_current = (uint16_t)(given->n_current < UINT16_MAX ? given->n_current : UINT16_MAX);
    const berth__allocate_option kept = {.type = job->current_type,
                                         .gpus = job->current_gpus,
                                         .least = n_current,
                                         .most = n_current,
                                         .keep = true,
                                         .value = goodput * job->unit};
    const size_t n_others = job->pinned ? 0 : list->n - 2;
    berth__allocate_option *options = BERTH__ARENA_ARRAY(p->arena, berth__allocate_option, n_others + 2);
    if (options == NULL)
        return false;
    size_t n = job->pinned ? 0 : 1;
    job->keep = n;
    if (keep)
        options[n++] = kept;
    job->first = n;
    memcpy(options + n, list->options + 2, n_others * sizeof *options);
    job->n_options = n + n_others;
    if (!keep)
        job->keep = job->n_options;
    job->options = options;
    for (size_t k = 0; k < job->n_options; k++) {
        options[k].weight = berth__allocate_weight(p, options[k].value, options[k].gpus == 0);
    }
    return true;
}

static berth_status set_jobs(berth__allocate_problem *p, const berth__budget *budget, berth_error *error) {
    const berth__budget ends[] = {[EVERYTHING] = berth__budget_part(budget, for_everything),
                                  [LEAST_GPUS] = berth__budget_part(budget, for_least)};
    option_list list = {0};
    berth_status status = BERTH_OK;
    depth how = EVERYTHING;
    p->jobs = BERTH__ARENA_ARRAY(p->arena, berth__allocate_job, p->n_jobs);
    if (p->jobs == NULL)
        return berth__fail_memory(error);
    p->none_weight = berth__allocate_weight(p, 0, true);
    for (size_t j = 0; !status && j < p->n_jobs; j++) {
        while (how != WHAT_IT_HAS && berth__budget_spent(&ends[how])) {
            how++;
        }
        p->is_partial = p->is_partial || how != EVERYTHING;
        if (!set_job(p, j, how, &list))
            status = berth__fail_memory(error);
        for (size_t k = 0; !status && k < p->jobs[j].n_options; k++) {
            if (!in_range(p, p->jobs[j].options[k].value))
                status = berth__fail(error, BERTH_E_UNSUPPORTED, "/p",
                                     "values of %g to the power %g leave the range of a double",
                                     p->jobs[j].options[k].value, p->instance->p);
        }
    }
    berth__free(list.options);
    return status;
}

/* ---- the whole ---- */

berth_status berth__allocate_problem_open(berth__allocate_problem *p, const berth_goodput_instance *instance,
                                          const berth_allocate_options *options, const berth__budget *budget,
                                          berth_error *error) {
    *p = (berth__allocate_problem){.instance = instance, .options = options};
    berth_status status = berth__allocate_check_options(options, error);
    if (!status)
        status = berth__goodput_check_instance(instance, error);
    if (status)
        return status;
    p->n_nodes = instance->n_nodes;
    p->n_types = instance->n_types;
    p->n_jobs = instance->n_jobs;
    p->gpus = instance->gpus;
    p->arena = berth__arena_new();
    if (p->arena == NULL || !set_cluster(p))
        return berth__fail_memory(error);
    set_fair_share(p);
    return set_jobs(p, budget, error);
}

void berth__allocate_problem_close(berth__allocate_problem *p) {
    berth__arena_free(p->arena);
    *p = (berth__allocate_problem){0};
}

/* Of options sorted by type, GPUs and nodes, the first that is not before (type, gpus). */
static size_t first_of(const berth__allocate_job *job, size_t type, uint32_t gpus) {
    size_t low = job->first, high = job->n_options;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const berth__allocate_option *o = &job->options[middle];
        if (o->type < type || (o->type == type && o->gpus < gpus))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const berth__allocate_option *berth__allocate_find(const berth__allocate_problem *problem, size_t job, size_t type,
                                                   size_t n, uint32_t gpus) {
    const berth__allocate_job *of = &problem->jobs[job];
    for (size_t k = first_of(of, type, gpus); k < of->n_options; k++) {
        const berth__allocate_option *o = &of->options[k];
        if (o->type != type || o->gpus != gpus)
            break;
        if (n >= o->least && n <= o->most)
            return o;
    }
    return NULL;
}
