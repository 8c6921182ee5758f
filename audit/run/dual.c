/* The dual bound at the certificate's prices, re-evaluated (spec: Yu et al. 2022, section IV, dual programme):
 *
 *     B(p) = sum_i max(0, lambda_i) + sum_{t,c,r} n_c C_c^r p_c^r[t]
 *     lambda_i = max over completion slots tc of  u_i(tc - a_i) - Theta_i(tc)
 *     Theta_i(tc) = least price of V_i samples in slots a_i..tc
 *
 * All of it is rounded so that lambda_i is an upper bound over every integer schedule: full capacities, a slot's price
 * for W workers and S = ceil(W / gamma) servers is the smaller of one machine's (internal speed) and the fractional
 * one over all machines (external speed, region.h), a slot's progress is rounded up to quanta. Quotas are ignored. */
#include <math.h>
#include <string.h>

#include "audit/run/audit.h"
#include "audit/run/region.h"
#include "base/alloc.h"
#include "base/budget.h"
#include "base/tolerance.h"

enum { DEFAULT_LEVELS = 200, MOST_QUANTA = 100000, MOST_REFINEMENT = 4 };

/* Progress in quanta is rounded up save for this part, so that exact multiples stay what they are; what a job needs is
 * lowered by as much. */
#define SNAP 1e-10

/* A number of workers worth considering in a slot: the least one that makes `quanta`. */
typedef struct width {
    double workers, servers;
    size_t quanta;
} width;

typedef struct offer {
    size_t quanta;
    double cost;
} offer;

typedef struct pricer {
    berth__audit *audit;
    const berth_certificate *certificate;
    size_t n_classes, n_resources;
    size_t *first; /* [n_classes] a machine of the class; n_machines: the class is empty */
    double *size;  /* [n_classes] number of machines */
    berth__audit_region *region;
    /* of the job at hand: the classes where it may run */
    size_t n_groups;
    size_t *class_of;                /* [n_groups] */
    double *count, *capacity;        /* [n_groups], [n_groups][n_resources] */
    double *most_internal;           /* [n_groups] largest W with room for it and its servers on one machine */
    double *price_worker, *price_ps; /* [n_groups] in the slot at hand */
    width *widths[2];                /* by locality */
    size_t n_widths[2];
    double *theta, *next, *cheapest; /* [needed + 1] */
    offer *offers;                   /* [needed] */
    size_t n_offers, room;           /* room of all arrays over quanta */
} pricer;

/* ---- classes ---- */

static bool same_capacity(const berth_instance *instance, size_t a, size_t b) {
    bool same = true;
    for (size_t r = 0; r < instance->n_resources; r++) {
        same = same &&
               instance->capacity[a * instance->n_resources + r] == instance->capacity[b * instance->n_resources + r];
    }
    return same;
}

/* Finds a machine of each class, counts them, and sees whether a class's machines are alike. */
static void check_classes(pricer *p) {
    const berth_instance *instance = p->audit->instance;
    berth__audit_report *report = p->audit->report;
    for (size_t c = 0; c < p->n_classes; c++) {
        p->first[c] = instance->n_machines;
    }
    for (size_t h = 0; h < instance->n_machines; h++) {
        int c = p->certificate->class_of_machine[h];
        berth__audit_place place = {NULL, -1, instance->machines[h], NULL};
        berth__audit_count(report, BERTH__RULE_CERTIFICATE);
        if (c < 0 || (size_t)c >= p->n_classes) {
            berth__audit_violation(report, BERTH__RULE_CERTIFICATE, &place, (double)NAN, "the machine is in no class");
            continue;
        }
        size_t first = p->first[c];
        p->size[c]++;
        if (first == instance->n_machines) {
            p->first[c] = h;
        } else if (!same_capacity(instance, first, h)) {
            berth__audit_violation(report, BERTH__RULE_CERTIFICATE, &place, (double)NAN,
                                   "the machine is in a class with %s, whose capacity differs",
                                   instance->machines[first]);
        }
    }
}

static void check_class_eligibility(pricer *p) {
    const berth_instance *instance = p->audit->instance;
    for (size_t i = 0; i < instance->n_jobs; i++) {
        const berth_job *job = &instance->jobs[i];
        if (job->n_allow == 0 && job->n_avoid == 0) {
            continue;
        }
        for (size_t h = 0; h < instance->n_machines; h++) {
            size_t first = p->first[p->certificate->class_of_machine[h]];
            if (first != h && berth__audit_eligible(job, instance->machines[first]) !=
                                  berth__audit_eligible(job, instance->machines[h])) {
                berth__audit_place place = {job->id, -1, instance->machines[h], NULL};
                berth__audit_violation(p->audit->report, BERTH__RULE_CERTIFICATE, &place, (double)NAN,
                                       "the machine is in a class with %s, but the job may use only one of them",
                                       instance->machines[first]);
            }
        }
    }
}

static const double *prices_at(const pricer *p, int slot, size_t class_index) {
    return p->certificate->prices + ((size_t)slot * p->n_classes + class_index) * p->n_resources;
}

static void check_prices(pricer *p) {
    const berth_instance *instance = p->audit->instance;
    for (int slot = 0; slot < instance->horizon_slots; slot++) {
        for (size_t c = 0; c < p->n_classes; c++) {
            const double *price = prices_at(p, slot, c);
            for (size_t r = 0; r < p->n_resources; r++) {
                berth__audit_count(p->audit->report, BERTH__RULE_CERTIFICATE);
                if (!(price[r] >= 0 && price[r] < (double)INFINITY)) {
                    const char *machine = p->first[c] < instance->n_machines ? instance->machines[p->first[c]] : NULL;
                    berth__audit_place place = {NULL, slot, machine, instance->resources[r]};
                    berth__audit_violation(p->audit->report, BERTH__RULE_CERTIFICATE, &place, price[r],
                                           "the price %.9g of class %zu; expected a finite number >= 0", price[r], c);
                }
            }
        }
    }
}

/* ---- one job ---- */

/* The largest W that, with its servers, has room on one machine of the given capacity. */
static double most_on_one(const berth__audit_job *job, size_t R, const double *capacity) {
    double low = 0, high = job->max_workers + 1; /* low fits, high does not */
    while (high - low > 1) {
        double middle = floor((low + high) / 2), servers = berth__audit_servers(job, middle);
        bool fits = true;
        for (size_t r = 0; r < R && fits; r++) {
            fits = berth__audit_within(berth__audit_load(job->spec, r, middle, servers), capacity[r]);
        }
        *(fits ? &low : &high) = middle;
    }
    return low;
}

static void gather_groups(pricer *p, const berth__audit_job *job) {
    const berth_instance *instance = p->audit->instance;
    size_t R = p->n_resources;
    p->n_groups = 0;
    for (size_t c = 0; c < p->n_classes; c++) {
        if (p->size[c] == 0 || !berth__audit_eligible(job->spec, instance->machines[p->first[c]])) {
            continue;
        }
        size_t k = p->n_groups++;
        p->class_of[k] = c;
        p->count[k] = p->size[c];
        memcpy(p->capacity + k * R, instance->capacity + p->first[c] * R, R * sizeof *p->capacity);
        p->most_internal[k] = most_on_one(job, R, p->capacity + k * R);
    }
    berth__audit_region_shape(p->region, p->n_groups, p->count, p->capacity, job->spec->worker,
                              job->spec->all_reduce ? NULL : job->spec->ps);
}

static bool ensure_room(pricer *p, size_t needed) {
    if (needed <= p->room) {
        return true;
    }
    double **arrays[] = {&p->theta, &p->next, &p->cheapest};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        double *grown = berth__realloc(*arrays[i], needed + 1, sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        *arrays[i] = grown;
    }
    for (int loc = 0; loc < 2; loc++) {
        width *grown = berth__realloc(p->widths[loc], needed, sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        p->widths[loc] = grown;
    }
    offer *grown = berth__realloc(p->offers, needed, sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    p->offers = grown;
    p->room = needed;
    return true;
}

static double quanta_of(double workers, double rate, double needed) {
    return fmin(needed, ceil(workers * rate * (1 - SNAP)));
}

/* The least W for each number of quanta that one slot can make. */
static void gather_widths(pricer *p, const berth__audit_job *job, berth_locality loc, double quantum, size_t needed) {
    double rate = job->slot_samples[loc] / quantum, most = job->max_workers;
    size_t n = 0;
    for (double w = 1; w <= most;) {
        double quanta = quanta_of(w, rate, (double)needed);
        p->widths[loc][n++] = (width){w, job->spec->all_reduce ? 0 : berth__audit_servers(job, w), (size_t)quanta};
        if (quanta >= (double)needed) {
            break;
        }
        double next = fmax(w + 1, floor(quanta / rate));
        while (next <= most && quanta_of(next, rate, (double)needed) <= quanta) {
            next++; /* few steps: progress passes quanta/rate within one worker */
        }
        w = next;
    }
    p->n_widths[loc] = n;
}

static double internal_cost(const pricer *p, const width *w) {
    double least = (double)INFINITY;
    for (size_t k = 0; k < p->n_groups; k++) {
        if (w->workers <= p->most_internal[k]) {
            least = fmin(least, w->workers * p->price_worker[k] + w->servers * p->price_ps[k]);
        }
    }
    return least;
}

static void price_groups(pricer *p, const berth__audit_job *job, int slot) {
    for (size_t k = 0; k < p->n_groups; k++) {
        const double *price = prices_at(p, slot, p->class_of[k]);
        p->price_worker[k] = p->price_ps[k] = 0;
        for (size_t r = 0; r < p->n_resources; r++) {
            p->price_worker[k] += price[r] * job->spec->worker[r];
            p->price_ps[k] += price[r] * berth__audit_ps_demand(job->spec, r);
        }
    }
    berth__audit_region_price(p->region, p->price_worker, p->price_ps);
}

/* A group that is cheapest for workers and for servers; n_groups: there is none. */
static size_t cheapest_group(const pricer *p) {
    size_t best = 0;
    for (size_t k = 1; k < p->n_groups; k++) {
        bool cheaper = p->price_worker[k] < p->price_worker[best] ||
                       (p->price_worker[k] == p->price_worker[best] && p->price_ps[k] < p->price_ps[best]);
        best = cheaper ? k : best;
    }
    for (size_t k = 0; k < p->n_groups; k++) {
        if (p->price_ps[k] < p->price_ps[best]) {
            return p->n_groups;
        }
    }
    return best;
}

/* Has that group alone room for it all? */
static bool group_holds(const pricer *p, const berth__audit_job *job, size_t k, const width *w) {
    bool fits = true;
    for (size_t r = 0; r < p->n_resources && fits; r++) {
        fits = berth__audit_within(berth__audit_load(job->spec, r, w->workers, w->servers),
                                   p->count[k] * p->capacity[k * p->n_resources + r]);
    }
    return fits;
}

/* The slot's offers, none of them beaten by another, none dearer than `worth`. */
static void gather_offers(pricer *p, const berth__audit_job *job, int slot, size_t needed, double worth) {
    for (size_t v = 0; v <= needed; v++) {
        p->cheapest[v] = (double)INFINITY;
    }
    price_groups(p, job, slot);
    for (size_t i = 0; i < p->n_widths[BERTH_INTERNAL]; i++) {
        const width *w = &p->widths[BERTH_INTERNAL][i];
        p->cheapest[w->quanta] = fmin(p->cheapest[w->quanta], internal_cost(p, w));
    }
    size_t best = cheapest_group(p);
    for (size_t i = 0; i < p->n_widths[BERTH_EXTERNAL]; i++) {
        const width *w = &p->widths[BERTH_EXTERNAL][i];
        if (!berth__audit_region_holds(p->region, w->workers, w->servers)) {
            break; /* nor does it hold more */
        }
        bool simple = best < p->n_groups && group_holds(p, job, best, w);
        double cost = simple ? w->workers * p->price_worker[best] + w->servers * p->price_ps[best]
                             : berth__audit_region_cost(p->region, w->workers, w->servers);
        p->cheapest[w->quanta] = fmin(p->cheapest[w->quanta], cost);
        if (cost >= worth) {
            break; /* costs grow with W */
        }
    }
    p->n_offers = 0;
    double least = worth;
    for (size_t v = needed; v > 0; v--) {
        if (p->cheapest[v] < least) {
            least = p->cheapest[v];
            p->offers[p->n_offers++] = (offer){v, least};
        }
    }
}

/* theta[v]: least price of v quanta so far; one slot more. */
static void advance(pricer *p, size_t needed) {
    memcpy(p->next, p->theta, (needed + 1) * sizeof *p->theta);
    for (size_t i = 0; i < p->n_offers; i++) {
        size_t k = p->offers[i].quanta;
        double cost = p->offers[i].cost;
        for (size_t v = 1; v <= k; v++) {
            p->next[v] = fmin(p->next[v], cost);
        }
        for (size_t v = k + 1; v <= needed; v++) {
            double with = p->theta[v - k] + cost;
            p->next[v] = with < p->next[v] ? with : p->next[v];
        }
    }
    double *swapped = p->theta;
    p->theta = p->next;
    p->next = swapped;
}

/* Most progress in a slot, on all machines or on one of a group. */
static double most_progress(const pricer *p, const berth__audit_job *job) {
    double most = job->max_workers * job->slot_samples[BERTH_EXTERNAL];
    for (size_t k = 0; k < p->n_groups; k++) {
        most = fmax(most, fmin(p->most_internal[k], job->max_workers) * job->slot_samples[BERTH_INTERNAL]);
    }
    return most;
}

/* The quantum is a quarter of a worker-slot at the slower speed, enlarged until the job has at most `levels` of them,
 * but no more than an eighth of a slot at full width, of which it is a whole part. Any other is valid too:
 * `refinement` divides it. */
static double choose_quantum(const pricer *p, const berth__audit_job *job, int levels, int refinement) {
    double slower = fmin(job->slot_samples[BERTH_INTERNAL], job->slot_samples[BERTH_EXTERNAL]);
    double quantum = fmax(slower / 4, job->work / levels);
    quantum = fmin(quantum, job->max_workers * slower / 8);
    quantum = most_progress(p, job) / floor(most_progress(p, job) / quantum * (1 + SNAP)) / refinement;
    return fmax(quantum, job->work / MOST_QUANTA);
}

/* max(0, lambda_i). False: out of memory. */
static bool bound_payoff(pricer *p, size_t job_index, int refinement, double *payoff) {
    const berth__audit_job *job = &p->audit->jobs[job_index];
    const berth_instance *instance = p->audit->instance;
    int levels = p->audit->run->levels > 0 ? p->audit->run->levels : DEFAULT_LEVELS;
    *payoff = 0;
    if (!berth__audit_can_gain(instance, job)) {
        return true;
    }
    gather_groups(p, job);
    double quantum = choose_quantum(p, job, levels, refinement);
    double needed_exactly = fmax(1, ceil(job->work / quantum * (1 - BERTH__PROGRESS - SNAP)));
    size_t needed = (size_t)fmin(needed_exactly, MOST_QUANTA);
    if (!ensure_room(p, needed)) {
        return false;
    }
    gather_widths(p, job, BERTH_INTERNAL, quantum, needed);
    gather_widths(p, job, BERTH_EXTERNAL, quantum, needed);
    p->theta[0] = 0;
    for (size_t v = 1; v <= needed; v++) {
        p->theta[v] = (double)INFINITY;
    }
    double least_delay = berth__audit_least_delay(job);
    for (int slot = job->spec->arrival_slot; p->n_groups > 0 && slot < instance->horizon_slots; slot++) {
        double worth = berth__audit_utility(&job->spec->utility, slot - job->spec->arrival_slot);
        if (!(worth > *payoff)) {
            break; /* later completions are worth no more, and prices are not negative */
        }
        gather_offers(p, job, slot, needed, worth);
        advance(p, needed);
        /* Rounded up, progress may seem complete before any schedule can be. */
        if (slot - job->spec->arrival_slot >= least_delay) {
            *payoff = fmax(*payoff, worth - p->theta[needed]);
        }
    }
    return true;
}

/* ---- the bound ---- */

static double value_of_capacity(const pricer *p) {
    const berth_instance *instance = p->audit->instance;
    double sum = 0;
    for (int slot = 0; slot < instance->horizon_slots; slot++) {
        for (size_t c = 0; c < p->n_classes; c++) {
            const double *price = prices_at(p, slot, c);
            for (size_t r = 0; r < p->n_resources && p->size[c] > 0; r++) {
                sum += p->size[c] * instance->capacity[p->first[c] * p->n_resources + r] * price[r];
            }
        }
    }
    return sum;
}

typedef enum progress_of { DONE, CANCELLED, NO_MEMORY } progress_of;

/* payoffs[i] = the smaller of what it was and the bound at this refinement. */
static progress_of bound_payoffs(pricer *p, int refinement, double *payoffs) {
    berth__budget budget = berth__budget_start((double)INFINITY, p->audit->hooks);
    const berth_hooks *hooks = p->audit->hooks;
    size_t n = p->audit->instance->n_jobs;
    for (size_t i = 0; i < n; i++) {
        double payoff;
        if (berth__budget_spent(&budget)) {
            return CANCELLED;
        }
        if (!bound_payoff(p, i, refinement, &payoff)) {
            return NO_MEMORY;
        }
        payoffs[i] = fmin(payoffs[i], payoff);
        if (hooks != NULL && hooks->progress != NULL) {
            hooks->progress(hooks->user, (double)(i + 1), (double)n);
        }
    }
    return DONE;
}

/* The least that the certificate shall confirm; NAN: nothing. */
static double least_claim(const berth_run_bounds *bounds) {
    double best = bounds->best == bounds->exact ? (double)NAN : bounds->best;
    return fmin(fmin(bounds->dual, bounds->lp), best); /* fmin passes over NAN */
}

/* Coarse quanta weaken the bound, so that a claim which is not confirmed is given finer ones. */
static bool evaluate(pricer *p) {
    berth__audit *audit = p->audit;
    size_t n = audit->instance->n_jobs;
    double least = least_claim(&audit->run->bounds);
    double *payoffs = BERTH__NEW_ARRAY(double, n);
    progress_of progress = payoffs == NULL ? NO_MEMORY : DONE;
    for (size_t i = 0; payoffs != NULL && i < n; i++) {
        payoffs[i] = (double)INFINITY;
    }
    for (int refinement = 1; progress == DONE && refinement <= MOST_REFINEMENT; refinement *= 2) {
        progress = bound_payoffs(p, refinement, payoffs);
        double sum = value_of_capacity(p);
        for (size_t i = 0; i < n; i++) {
            sum += payoffs[i];
        }
        audit->dual = sum;
        if (!(least < sum * (1 - BERTH__FIGURE))) {
            break;
        }
    }
    if (progress == DONE) {
        berth__audit_count(audit->report, BERTH__RULE_DUAL);
        audit->dual_state = BERTH__DUAL_CONFIRMED;
    } else if (progress == CANCELLED) {
        audit->dual = (double)NAN;
        audit->dual_state = BERTH__DUAL_CANCELLED;
        berth__audit_note(audit->report, BERTH__RULE_DUAL, &BERTH__NOWHERE, "cancelled before it was re-evaluated");
    }
    berth__free(payoffs);
    return progress != NO_MEMORY;
}

static void pricer_clear(pricer *p) {
    berth__audit_region_free(p->region);
    berth__free(p->first);
    berth__free(p->size);
    berth__free(p->class_of);
    berth__free(p->count);
    berth__free(p->capacity);
    berth__free(p->most_internal);
    berth__free(p->price_worker);
    berth__free(p->price_ps);
    berth__free(p->widths[0]);
    berth__free(p->widths[1]);
    berth__free(p->theta);
    berth__free(p->next);
    berth__free(p->cheapest);
    berth__free(p->offers);
}

static bool pricer_init(pricer *p, berth__audit *audit) {
    size_t n = audit->run->certificate->n_classes, R = audit->instance->n_resources;
    *p = (pricer){.audit = audit, .certificate = audit->run->certificate, .n_classes = n, .n_resources = R};
    p->region = berth__audit_region_new(n, R);
    p->first = BERTH__NEW_ARRAY(size_t, n);
    p->size = BERTH__NEW_ARRAY(double, n);
    p->class_of = BERTH__NEW_ARRAY(size_t, n);
    p->count = BERTH__NEW_ARRAY(double, n);
    p->capacity = BERTH__NEW_ARRAY(double, n *R);
    p->most_internal = BERTH__NEW_ARRAY(double, n);
    p->price_worker = BERTH__NEW_ARRAY(double, n);
    p->price_ps = BERTH__NEW_ARRAY(double, n);
    return p->region != NULL && p->first != NULL && p->size != NULL && p->class_of != NULL && p->count != NULL &&
           p->capacity != NULL && p->most_internal != NULL && p->price_worker != NULL && p->price_ps != NULL;
}

bool berth__audit_dual(berth__audit *audit) {
    const berth_certificate *certificate = audit->run->certificate;
    bool absent = certificate == NULL || certificate->class_of_machine == NULL || certificate->prices == NULL;
    audit->dual = (double)NAN;
    audit->dual_state = absent ? BERTH__DUAL_ABSENT : BERTH__DUAL_FAULTY;
    if (audit->run->bounds.void_because != NULL) {
        audit->dual_state = BERTH__DUAL_VOID;
    }
    if (audit->dual_state != BERTH__DUAL_FAULTY) {
        return true;
    }
    pricer p;
    bool complete = pricer_init(&p, audit);
    if (complete) {
        check_classes(&p);
        check_prices(&p);
        if (berth__audit_violations(audit->report, BERTH__RULE_CERTIFICATE) == 0) {
            check_class_eligibility(&p);
        }
        if (berth__audit_violations(audit->report, BERTH__RULE_CERTIFICATE) == 0) {
            complete = evaluate(&p);
        } else {
            berth__audit_note(audit->report, BERTH__RULE_DUAL, &BERTH__NOWHERE,
                              "not re-evaluated: the certificate is faulty");
        }
    }
    pricer_clear(&p);
    return complete;
}
