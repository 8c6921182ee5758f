/* Policy `dorm`: in each slot the allocation of best utilisation among those whose fairness loss and number of adjusted
 * jobs are bounded. Sun, Wen, Duong and Yan, "Towards Distributed Machine Learning in Shared Clusters: A
 * Dynamically-Partitioned Approach", SMARTCOMP 2017 (arXiv 1704.06738). The integer programme is that of
 * formulations/partition.h, with
 *
 *     L = theta1 * 2 m            a job's fair share is what policy `drf` would give it in this slot, to the whole
 *                                 worker; the shares of m resources add up to m at most, in either allocation
 *     A = ceil(theta2 * |B|)      B: jobs that ran in the slot before and are not done
 *
 * theta1 = options.dorm_fairness, theta2 = options.dorm_adjust: parts of what loss and adjustments could be at most.
 * A is rounded up, so that a small cluster can adjust at all, and L is not, so that a small theta1 means something.
 * A job that starts or resumes is not adjusted; one that is paused is. Ours: where no allocation keeps both bounds, L
 * is raised to the least loss that A allows.
 *
 * The solver starts from what heuristics find (fill towards the fair shares around the jobs that stay, then use up what
 * the loss leaves), first with the jobs that stay there held fast, then with all. It stops within GAP of the optimum or
 * after nodes that come to MOST_WORK columns, with the best found so far; beyond MOST_COLUMNS variables the heuristics
 * alone decide. Either is counted in state->search. */
#include "base/error.h"
#include "formulations/partition.h"
#include "online/slot_policy.h"
#include "solver/solve.h"

#include <math.h>
#include <string.h>

#define GAP           1e-3
#define LOSS_SLACK    1e-9 /* of a bound on the loss, relative */
#define ADJUST_MARGIN 1e-9 /* theta2 |B| this little above a whole number is that number */
enum { MOST_WORK = 50000, LEAST_NODES = 20, MOST_COLUMNS = 4000 };

typedef struct allocation {
    int *w, *s; /* [n_active][n_machines] */
    berth__partition_figures figures;
} allocation;

/* The slot's problem. */
typedef struct division {
    berth__slot_state *state;
    berth__partition_job *jobs; /* [n_active] */
    berth__partition partition;
    bool *moves; /* [n_active] by the heuristic at work: the job is placed anew */
    bool *out;   /* [n_active] scratch: no more room for it */
    allocation best, trial;
    bool found; /* there is a best */
} division;

static double share(const berth__slot_state *state, const berth__slot_job *job) {
    return berth__dominant_share(state->cluster, job->job, job->now.workers, job->now.servers);
}

static bool ran(const berth__slot_job *job) {
    return job->previous.workers > 0;
}

static bool admit(const berth__slot_state *state, berth__slot_job *job) {
    bool fits = berth__room_add(state->room, job->job, &job->now, 1);
    berth__room_put_all(state->room, job->job, &job->now, true);
    berth__holding_empty(&job->now, state->cluster);
    return fits;
}

/* ---- allocations ---- */

static bool allocation_init(allocation *a, const berth__slot_state *state) {
    size_t H = (size_t)state->cluster->n_machines;
    a->w = berth__calloc(state->n_active, H * sizeof *a->w);
    a->s = berth__calloc(state->n_active, H * sizeof *a->s);
    return a->w != NULL && a->s != NULL;
}

static void allocation_clear(allocation *a) {
    berth__free(a->w);
    berth__free(a->s);
}

static void clear_slot(berth__slot_state *state) {
    for (size_t i = 0; i < state->n_active; i++) {
        berth__holding_empty(&state->active[i]->now, state->cluster);
    }
    berth__room_empty(state->room);
}

static bool within_loss(const division *d, const allocation *a) {
    return a->figures.loss <= d->partition.most_loss * (1 + LOSS_SLACK);
}

/* Keeps the trial if it is allowed and better than the best: within the bound on the loss, then fuller or, where none
 * is within, fairer. */
static void consider_trial(division *d) {
    const berth__partition_figures *new = &d->trial.figures, *old = &d->best.figures;
    if (new->adjusted > d->partition.most_adjusted) {
        return;
    }
    bool new_within = within_loss(d, &d->trial), old_within = d->found && within_loss(d, &d->best);
    bool better =
        !d->found || (new_within && !old_within) ||
        (new_within == old_within && (new_within ? new->utilisation > old->utilisation : new->loss < old->loss));
    if (better) {
        allocation swap = d->best;
        d->best = d->trial;
        d->trial = swap;
        d->found = true;
    }
}

/* What the jobs hold now, as a trial; the slot is empty after. */
static void consider_slot(division *d) {
    size_t H = (size_t)d->state->cluster->n_machines;
    for (size_t i = 0; i < d->state->n_active; i++) {
        memcpy(d->trial.w + i * H, d->state->active[i]->now.w, H * sizeof *d->trial.w);
        memcpy(d->trial.s + i * H, d->state->active[i]->now.s, H * sizeof *d->trial.s);
    }
    berth__partition_measure(&d->partition, d->trial.w, d->trial.s, &d->trial.figures);
    consider_trial(d);
    clear_slot(d->state);
}

/* Makes the jobs hold an allocation. False, leaving the slot empty: it does not fit, or not with just the servers that
 * it needs. */
static bool place(division *d, const allocation *a) {
    berth__slot_state *state = d->state;
    int H = state->cluster->n_machines;
    bool fits = true;
    for (size_t i = 0; i < state->n_active && fits; i++) {
        berth__slot_job *job = state->active[i];
        const int *w = a->w + i * (size_t)H, *s = a->s + i * (size_t)H;
        for (int h = 0; h < H && fits; h++) {
            if (w[h] > 0 || s[h] > 0) {
                fits = berth__room_fits(state->room, job->job, h, w[h], s[h]);
                berth__room_put(state->room, job->job, &job->now, h, w[h], s[h]);
            }
        }
        fits = fits && job->now.servers == berth__ps_needed(job->job, job->now.workers);
    }
    if (!fits) {
        clear_slot(state);
    }
    return fits;
}

/* ---- heuristics ---- */

static double loss_of(const division *d, size_t i, int workers) {
    const berth__job *job = d->jobs[i].job;
    double held = berth__dominant_share(d->state->cluster, job, workers, berth__ps_needed(job, workers));
    return fabs(held - d->jobs[i].fair_share);
}

static bool add_worker(division *d, size_t i) {
    berth__slot_job *job = d->state->active[i];
    int wanted = berth__useful_workers(job->job, job->speed, job->remaining, BERTH_EXTERNAL);
    return berth__room_add(d->state->room, job->job, &job->now, wanted);
}

static bool may_grow(const division *d, size_t i) {
    return d->moves[i] && !d->out[i] && berth__slot_job_wants(d->state->active[i]);
}

/* A worker at a time for the job that has the least of its fair share, as long as that brings it nearer. */
static void fill_towards_fair(division *d) {
    size_t n = d->state->n_active;
    memset(d->out, 0, n * sizeof *d->out);
    for (;;) {
        size_t next = n;
        double least = HUGE_VAL;
        for (size_t i = 0; i < n; i++) {
            int workers = d->state->active[i]->now.workers;
            double fair = d->jobs[i].fair_share, part = share(d->state, d->state->active[i]) / fair;
            if (may_grow(d, i) && fair > 0 && part < least && loss_of(d, i, workers + 1) < loss_of(d, i, workers)) {
                least = part;
                next = i;
            }
        }
        if (next == n) {
            return;
        }
        d->out[next] = !add_worker(d, next);
    }
}

/* state->order: jobs by decreasing utilisation per dominant share, ties by arrival. */
static void sort_by_use(division *d) {
    berth__slot_state *state = d->state;
    for (size_t i = 0; i < state->n_active; i++) {
        const berth__job *job = d->jobs[i].job;
        double use = 0, largest = berth__dominant_share(state->cluster, job, 1, berth__ps_needed(job, 1));
        for (int r = 0; r < state->cluster->n_resources; r++) {
            use += berth__load(job, r, 1, berth__ps_needed(job, 1));
        }
        state->key[i] = largest < HUGE_VAL ? -use / largest : 0;
    }
    berth__slot_sort(state);
}

/* Workers beyond their fair shares, at most `excess` of shares in all, for the jobs that use the cluster best. */
static void favour_full_use(division *d, double excess) {
    size_t n = d->state->n_active;
    memset(d->out, 0, n * sizeof *d->out);
    for (size_t k = 0; k < n; k++) {
        size_t i = d->state->order[k];
        const berth__job *job = d->jobs[i].job;
        while (may_grow(d, i)) {
            int workers = d->state->active[i]->now.workers + 1;
            double fair = d->jobs[i].fair_share, now = fmax(fair, share(d->state, d->state->active[i]));
            double then = berth__dominant_share(d->state->cluster, job, workers, berth__ps_needed(job, workers));
            double more = fmax(fair, then) - now;
            d->out[i] = more > excess || !add_worker(d, i);
            excess -= d->out[i] ? 0 : more;
        }
    }
}

/* A worker for each in turn, by use, as long as the loss allows. */
static void use_up_loss(division *d) {
    size_t n = d->state->n_active;
    double loss = 0;
    memset(d->out, 0, n * sizeof *d->out);
    for (size_t i = 0; i < n; i++) {
        loss += loss_of(d, i, d->state->active[i]->now.workers);
    }
    for (bool grown = true; grown;) {
        grown = false;
        for (size_t k = 0; k < n; k++) {
            size_t i = d->state->order[k];
            int workers = d->state->active[i]->now.workers;
            double then = may_grow(d, i) ? loss - loss_of(d, i, workers) + loss_of(d, i, workers + 1) : HUGE_VAL;
            if (then <= d->partition.most_loss) {
                bool added = add_worker(d, i);
                d->out[i] = !added;
                loss = added ? then : loss;
                grown = grown || added;
            }
        }
    }
}

/* `excess` as of favour_full_use. */
static void fill_around_those_that_stay(division *d, double excess) {
    for (size_t i = 0; i < d->state->n_active; i++) {
        berth__slot_job *job = d->state->active[i];
        if (!d->moves[i]) {
            berth__holding_copy(&job->now, &job->previous, d->state->cluster);
            berth__room_put_all(d->state->room, job->job, &job->now, false);
        }
    }
    favour_full_use(d, excess);
    fill_towards_fair(d);
    use_up_loss(d);
    consider_slot(d);
}

/* What one job has beyond its fair share others mostly lack: the loss is twice that. */
static void try_all_excesses(division *d) {
    static const double parts[] = {0, 0.125, 0.25, 0.375, 0.5};
    sort_by_use(d);
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        fill_around_those_that_stay(d, parts[k] * d->partition.most_loss);
    }
}

/* As many running jobs as may be adjusted, those farthest from their fair shares first. */
static void move_the_unfairest(division *d) {
    berth__slot_state *state = d->state;
    for (size_t i = 0; i < state->n_active; i++) {
        state->key[i] = ran(state->active[i]) ? -loss_of(d, i, state->active[i]->previous.workers) : 0;
    }
    berth__slot_sort(state);
    int left = d->partition.most_adjusted;
    for (size_t k = 0; k < state->n_active && left > 0; k++) {
        if (ran(state->active[state->order[k]])) {
            d->moves[state->order[k]] = true;
            left--;
        }
    }
}

/* There is a best after: that in which nobody moves is allowed. */
static void start(division *d) {
    consider_slot(d); /* the fair allocation, which set_up left there */
    for (size_t i = 0; i < d->state->n_active; i++) {
        d->moves[i] = !ran(d->state->active[i]);
    }
    try_all_excesses(d);
    move_the_unfairest(d);
    try_all_excesses(d);
}

/* ---- the programme ---- */

static void take_solution(division *d, const berth__partition_programme *programme, const double *x) {
    berth__partition_allocation(programme, x, d->trial.w, d->trial.s);
    if (place(d, &d->trial)) {
        berth__partition_measure(&d->partition, d->trial.w, d->trial.s, &d->trial.figures);
        clear_slot(d->state);
        consider_trial(d);
    }
}

/* Improves the best towards an aim, from it if it is a point of the programme. */
static berth_status improve(division *d, berth__partition_aim aim, berth_outcome *outcome, berth_error *error) {
    berth__partition_programme *programme = NULL;
    berth__lp *lp = NULL;
    const berth__lp_result *result = NULL;
    double *x = NULL;
    berth__lp_options options;
    berth__lp_options_init(&options);
    options.mip_gap = GAP;
    options.budget = d->state->budget;
    *outcome = BERTH_LIMIT;
    berth_status status = berth__partition_programme_new(&d->partition, aim, &programme, error);
    if (status != BERTH_OK) {
        return status;
    }
    berth__model *model = berth__partition_model(programme);
    options.most_nodes = LEAST_NODES + MOST_WORK / (1 + model->n_cols);
    if (aim == BERTH__PARTITION_FAIREST || within_loss(d, &d->best)) {
        x = BERTH__NEW_ARRAY(double, (size_t)model->n_cols);
        status = x == NULL ? berth__fail_memory(error) : BERTH_OK;
        if (status == BERTH_OK) {
            berth__partition_point(programme, d->best.w, d->best.s, x);
        }
        options.incumbent = x;
    }
    if (status == BERTH_OK) {
        status = berth__lp_open(model, d->state->options->backends, d->state->options->solver, &lp, error);
    }
    if (status == BERTH_OK) {
        status = berth__lp_solve(lp, &options, &result, error);
    }
    if (status == BERTH_OK) {
        *outcome = result->outcome;
        if (result->outcome == BERTH_OPTIMAL || result->outcome == BERTH_FEASIBLE) {
            take_solution(d, programme, result->x);
        }
    }
    berth__lp_close(lp);
    berth__free(x);
    berth__partition_programme_free(programme);
    if (status == BERTH_OK && berth__budget_spent(d->state->budget)) {
        return berth__fail(error, BERTH_E_CANCELLED, NULL, "out of time");
    }
    return status;
}

/* Improves the best with the jobs that stay in it staying: a smaller programme, and so better searched. */
static berth_status improve_those_that_move(division *d, berth_error *error) {
    size_t H = (size_t)d->state->cluster->n_machines;
    berth_outcome outcome;
    for (size_t i = 0; i < d->state->n_active; i++) {
        const berth__partition_job *job = &d->jobs[i];
        d->jobs[i].stays = job->w != NULL && memcmp(job->w, d->best.w + i * H, H * sizeof *job->w) == 0 &&
                           memcmp(job->s, d->best.s + i * H, H * sizeof *job->s) == 0;
    }
    berth_status status = improve(d, BERTH__PARTITION_FULLEST, &outcome, error);
    for (size_t i = 0; i < d->state->n_active; i++) {
        d->jobs[i].stays = false;
    }
    return status;
}

/* Where no allocation is found within the bounds, the bound on the loss gives way. */
static berth_status raise_loss(division *d, bool *proved, berth_error *error) {
    berth_outcome outcome;
    berth_status status = improve(d, BERTH__PARTITION_FAIREST, &outcome, error);
    *proved = *proved && outcome == BERTH_OPTIMAL;
    if (status == BERTH_OK) {
        d->partition.most_loss = fmax(d->partition.most_loss, d->best.figures.loss);
        status = improve(d, BERTH__PARTITION_FULLEST, &outcome, error);
        *proved = *proved && outcome == BERTH_OPTIMAL;
    }
    d->state->search.raised++;
    return status;
}

static berth_status divide(division *d, berth_error *error) {
    berth_outcome outcome = BERTH_LIMIT;
    berth_status status = BERTH_OK;
    bool proved = false;
    if (berth__partition_size(&d->partition) <= MOST_COLUMNS) {
        if (within_loss(d, &d->best)) {
            status = improve_those_that_move(d, error);
        }
        status = status != BERTH_OK ? status : improve(d, BERTH__PARTITION_FULLEST, &outcome, error);
        proved = outcome == BERTH_OPTIMAL || outcome == BERTH_INFEASIBLE;
        if (status == BERTH_OK && !within_loss(d, &d->best)) {
            status = raise_loss(d, &proved, error);
        }
    } else {
        d->state->search.raised += !within_loss(d, &d->best);
    }
    d->state->search.slots++;
    d->state->search.unproved += !proved;
    return status;
}

/* ---- a slot ---- */

static bool allocate(division *d) {
    size_t n = d->state->n_active;
    d->jobs = BERTH__NEW_ARRAY(berth__partition_job, n);
    d->moves = BERTH__NEW_ARRAY(bool, n);
    d->out = BERTH__NEW_ARRAY(bool, n);
    bool complete = allocation_init(&d->best, d->state);
    return allocation_init(&d->trial, d->state) && complete && d->jobs != NULL && d->moves != NULL && d->out != NULL;
}

static void release(division *d) {
    berth__free(d->jobs);
    berth__free(d->moves);
    berth__free(d->out);
    allocation_clear(&d->best);
    allocation_clear(&d->trial);
}

/* Fair shares and bounds; the fair allocation stays in the slot. */
static void set_up(division *d) {
    berth__slot_state *state = d->state;
    int n_running = 0, n_present = 0;
    berth__slot_fill_by_key(state, share);
    for (size_t i = 0; i < state->n_active; i++) {
        const berth__slot_job *job = state->active[i];
        int internal = berth__useful_workers(job->job, job->speed, job->remaining, BERTH_INTERNAL);
        int external = berth__useful_workers(job->job, job->speed, job->remaining, BERTH_EXTERNAL);
        d->jobs[i] = (berth__partition_job){.job = job->job,
                                            .most_workers = internal > external ? internal : external,
                                            .fair_share = share(state, job),
                                            .w = ran(job) ? job->previous.w : NULL,
                                            .s = ran(job) ? job->previous.s : NULL};
        n_running += ran(job);
    }
    for (int r = 0; r < state->cluster->n_resources; r++) {
        n_present += state->cluster->total[r] > 0;
    }
    d->partition =
        (berth__partition){.cluster = state->cluster,
                           .n_jobs = state->n_active,
                           .jobs = d->jobs,
                           .most_loss = state->options->dorm_fairness * 2 * n_present,
                           .most_adjusted = (int)ceil(state->options->dorm_adjust * n_running - ADJUST_MARGIN)};
}

static berth_status fill(berth__slot_state *state, berth_error *error) {
    division d = {.state = state};
    if (state->n_active == 0) {
        return BERTH_OK;
    }
    berth_status status = allocate(&d) ? BERTH_OK : berth__fail_memory(error);
    if (status == BERTH_OK) {
        set_up(&d);
        start(&d);
        status = divide(&d, error);
    }
    if (status == BERTH_OK && !place(&d, &d.best)) {
        status = berth__fail(error, BERTH_E_INTERNAL, NULL, "slot %d: the allocation found does not fit", state->slot);
    }
    release(&d);
    return status;
}

const berth__slot_policy berth__policy_dorm = {
    .name = "dorm",
    .about = "most utilisation in each slot with bounded fairness loss and number of adjusted jobs, by an integer "
             "programme (glpk); promises nothing",
    .solver = NULL, /* any that solves integer programmes */
    .admit = admit,
    .fill = fill,
};
