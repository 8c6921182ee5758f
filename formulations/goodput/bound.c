#include "formulations/goodput/bound.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/tolerance.h"
#include "formulations/goodput/choice.h"
#include "formulations/goodput/pieces.h"

/* ---- certificates ---- */

double berth__allocate_cost(const berth__allocate_run *run, size_t job, const berth__allocate_option *option) {
    const berth__allocate_bound *b = &run->bound;
    if (b->pieces != NULL)
        return berth__pieces_cost(b->pieces, job, option);
    return option->gpus > 0 ? b->price[option->type] * option->gpus : b->starve_price;
}

/* Does what is left of terms that cancel tell F to nine digits? */
static bool is_exact(const berth__allocate_problem *p, double sum, double terms) {
    const double rounding = 1e-15, digits = 1e-9;
    const double power = p->instance->p, size = power == 0 ? (double)p->n_jobs : fmax(fabs(power), 1) * fabs(sum);
    return rounding * terms <= digits * size;
}

double berth__allocate_bound_sum(const berth__allocate_run *run, size_t starved) {
    const berth__allocate_problem *p = run->problem;
    const berth__allocate_bound *b = &run->bound;
    const double starve_price = b->pieces != NULL ? b->pieces->starve_price : b->starve_price;
    double sum = starve_price > 0 ? starve_price * (double)starved : 0, terms = sum;
    if (b->pieces != NULL) {
        sum += b->pieces->base;
        return is_exact(p, sum, terms + b->pieces->terms) ? sum : (double)INFINITY;
    }
    for (size_t t = 0; t < p->n_types; t++) {
        sum += b->price[t] * (double)p->capacity[t];
    }
    terms = sum;
    for (size_t j = 0; j < p->n_jobs; j++) {
        double best = -(double)INFINITY, cost = 0;
        for (size_t k = 0; k < p->jobs[j].n_options; k++) {
            const berth__allocate_option *o = &p->jobs[j].options[k];
            const double costs = berth__allocate_cost(run, j, o), worth = o->weight - costs;
            cost = worth > best ? costs : cost;
            best = fmax(best, worth);
        }
        sum += best;
        terms += fabs(best) + cost;
    }
    return is_exact(p, sum, terms) ? sum : (double)INFINITY;
}

double berth__allocate_serve_bound(const berth__allocate_run *run) {
    const berth__allocate_problem *p = run->problem;
    double sum = 0;
    for (size_t t = 0; t < p->n_types; t++) {
        sum += run->bound.serve_price[t] * (double)p->capacity[t];
    }
    for (size_t j = 0; j < p->n_jobs; j++) {
        double best = p->jobs[j].options[0].gpus > 0 ? -(double)INFINITY : 0;
        for (size_t k = 0; k < p->jobs[j].n_options; k++) {
            const berth__allocate_option *o = &p->jobs[j].options[k];
            if (o->gpus > 0)
                best = fmax(best, 1 - run->bound.serve_price[o->type] * o->gpus);
        }
        sum += best;
    }
    return sum;
}

static void set_starved(berth__allocate_run *run) {
    const double served =
        floor(berth__allocate_serve_bound(run) + BERTH__FEASIBILITY * (double)run->problem->n_jobs + 1e-9);
    const double starved = (double)run->problem->n_jobs - served;
    run->bound.starved = starved > 0 ? (size_t)starved : 0;
}

/* ---- by choice.h ---- */

static void take_solution(berth__allocate_run *run, const berth__choice *c) {
    berth__allocate_bound *b = &run->bound;
    const size_t n_types = run->problem->n_types;
    memcpy(b->price, c->price, n_types * sizeof *b->price);
    b->starve_price = c->n_rows > n_types ? c->price[n_types] : 0;
    for (size_t j = 0; j < c->n_jobs; j++) {
        b->wanted[j] = c->points[c->key[j]].option;
        b->split[j] = c->split[j];
    }
}

/* Does the relaxation leave a job without GPUs that has a choice? */
static bool starves(const berth__allocate_run *run, const berth__choice *c) {
    for (size_t j = 0; j < c->n_jobs; j++) {
        const berth__allocate_job *job = &run->problem->jobs[j];
        if (job->n_options > 1 && job->options[0].gpus == 0 && c->points[c->start[j]].option == 0 &&
            (c->split[j] || c->key[j] == c->start[j]))
            return true;
    }
    return false;
}

static void weigh(const berth__allocate_run *run, berth__choice *c, bool serve) {
    for (size_t j = 0; j < c->n_jobs; j++) {
        for (size_t k = c->start[j]; k < c->start[j + 1]; k++) {
            const berth__allocate_option *o = &run->problem->jobs[j].options[c->points[k].option];
            c->points[k].weight = serve ? o->gpus > 0 : o->weight;
        }
    }
}

/* Fewest starved, then the sum. */
static bool relax_in_order(berth__allocate_run *run) {
    const size_t n_types = run->problem->n_types;
    berth__choice c;
    bool complete = berth__choice_open(&c, run->problem, true, false);
    if (complete) {
        weigh(run, &c, true);
        complete = berth__choice_simplex(&c, run->budget);
    }
    if (complete && c.is_optimal) {
        memcpy(run->bound.serve_price, c.price, n_types * sizeof *c.price);
        set_starved(run);
        weigh(run, &c, false);
        c.capacity[n_types] = (double)run->bound.starved;
        complete = berth__choice_simplex(&c, run->budget);
        if (complete)
            take_solution(run, &c);
    }
    berth__choice_close(&c);
    return complete;
}

static bool relax(berth__allocate_run *run) {
    berth__choice c;
    bool complete = berth__choice_open(&c, run->problem, false, false);
    if (complete)
        complete = c.n_rows == 1 ? berth__choice_sweep(&c) : berth__choice_simplex(&c, run->budget);
    bool in_order = false;
    if (complete) {
        take_solution(run, &c);
        in_order = run->problem->options->starve_last && starves(run, &c);
    }
    berth__choice_close(&c);
    return complete && (!in_order || relax_in_order(run));
}

/* ---- by an LP backend ---- */

static berth_status relax_by_backend(berth__allocate_run *run, berth_error *error) {
    berth__allocate_bound *b = &run->bound;
    berth_status status = BERTH_OK;
    size_t starved = SIZE_MAX;
    if (run->problem->options->starve_last) {
        double none;
        status = berth__allocate_relax_by(run, true, SIZE_MAX, b->serve_price, &none, error);
        set_starved(run);
        starved = b->starved;
    }
    return status ? status : berth__allocate_relax_by(run, false, starved, b->price, &b->starve_price, error);
}

/* What prices of types prove, at best. */
static double settle_types(berth__allocate_run *run, size_t starved) {
    berth__allocate_bound *b = &run->bound;
    const double starve_price = b->starve_price, first = berth__allocate_bound_sum(run, starved);
    b->starve_price = 0;
    const double second = berth__allocate_bound_sum(run, starved);
    double none = 0; /* without any prices */
    for (size_t j = 0; j < run->problem->n_jobs; j++) {
        const berth__allocate_job *job = &run->problem->jobs[j];
        double best = job->options[0].weight;
        for (size_t k = 1; k < job->n_options; k++) {
            best = fmax(best, job->options[k].weight);
        }
        none += best;
    }
    if (first <= second && first <= none)
        b->starve_price = starve_price;
    else if (none < second)
        memset(b->price, 0, run->problem->n_types * sizeof *b->price);
    return fmin(fmin(first, second), none);
}

void berth__allocate_settle_prices(berth__allocate_run *run, size_t starved) {
    berth__pieces *pieces = run->bound.pieces;
    run->bound.pieces = NULL;
    const double by_types = settle_types(run, starved);
    run->bound.pieces = pieces;
    if (pieces != NULL && !(berth__allocate_bound_sum(run, starved) < by_types))
        run->bound.pieces = NULL;
}

berth_status berth__allocate_relax(berth__allocate_run *run, berth_error *error) {
    set_starved(run);
    berth_status status = BERTH_OK;
    if (strcmp(run->problem->options->solver, "auto") != 0)
        status = relax_by_backend(run, error);
    else if (!relax(run))
        status = berth__fail_memory(error);
    return status;
}
