/* What prices of pieces say: see berth_allocation. Written anew from there: tables by number of pieces and GPUs. */
#include <math.h>

#include "audit/goodput/audit.h"
#include "base/alloc.h"

/* Of a type. */
typedef struct table {
    const double *local, *spread; /* of k GPUs at k - 1 */
    size_t largest, reach, most;  /* GPUs of the largest node; of a job; nodes of a job */
    double *least; /* [(most + 1) (reach + 1)] cost of k GPUs in n spread pieces at [n (reach + 1) + k] */
    double *full;  /* [largest + 1] the most that local pieces earn on so many GPUs */
} table;

struct berth__goodput_audit_pieces {
    const berth__goodput_audit *audit;
    size_t n_types;
    table *types; /* [n_types] */
    double worth; /* of all nodes */
};

/* ---- tables ---- */

static bool open_table(const berth__goodput_audit *a, size_t type, table *t) {
    const berth__goodput_audit_type *of = &a->types[type];
    t->local = a->allocation->local_prices + type * a->allocation->n_sizes;
    t->spread = a->allocation->spread_prices + type * a->allocation->n_sizes;
    t->largest = of->top[0];
    t->reach = of->reach;
    t->most = of->n_nodes < BERTH__AUDIT_JOB_NODES ? of->n_nodes : BERTH__AUDIT_JOB_NODES;
    t->least = BERTH__NEW_ARRAY(double, (t->most + 1) * (t->reach + 1));
    t->full = BERTH__NEW_ARRAY(double, t->largest + 1);
    return t->least != NULL && t->full != NULL;
}

static void fill_least(const berth__goodput_audit *a, table *t) {
    const size_t width = t->reach + 1;
    for (size_t n = 0; n <= t->most && !berth__budget_spent(a->budget); n++) {
        for (size_t gpus = 0; gpus <= t->reach; gpus++) {
            double least = n == 0 && gpus == 0 ? 0 : (double)INFINITY;
            for (size_t piece = 1; n > 0 && piece <= t->largest && piece <= gpus; piece++) {
                least = fmin(least, t->spread[piece - 1] + t->least[(n - 1) * width + gpus - piece]);
            }
            t->least[n * width + gpus] = least;
        }
    }
}

static void fill_full(table *t) {
    for (size_t gpus = 1; gpus <= t->largest; gpus++) {
        t->full[gpus] = t->full[gpus - 1]; /* one is left over */
        for (size_t piece = 1; piece <= gpus; piece++) {
            t->full[gpus] = fmax(t->full[gpus], t->full[gpus - piece] + t->local[piece - 1]);
        }
    }
}

static double worth_of(const table *t, size_t gpus) {
    double worth = t->full[gpus];
    for (size_t piece = 1; piece <= gpus; piece++) {
        worth = fmax(worth, t->spread[piece - 1] + t->full[gpus - piece]);
    }
    return worth;
}

/* ---- nodes ---- */

/* False: out of memory. */
static bool add_nodes(berth__goodput_audit_pieces *pieces) {
    const berth_goodput_instance *instance = pieces->audit->instance;
    uint64_t *held = BERTH__NEW_ARRAY(uint64_t, instance->n_nodes); /* by pinned jobs */
    if (held == NULL) {
        return false;
    }
    for (size_t job = 0; job < instance->n_jobs; job++) {
        const berth_goodput_job *given = &instance->jobs[job];
        for (size_t k = 0; pieces->audit->jobs[job].is_pinned && k < given->n_current; k++) {
            held[given->current[k].node] += given->current[k].gpus;
        }
    }
    for (size_t node = 0; node < instance->n_nodes; node++) {
        const uint64_t gpus = instance->gpus[node];
        const size_t type = berth__goodput_audit_type_of(instance, node);
        pieces->worth += gpus > held[node] ? worth_of(&pieces->types[type], (size_t)(gpus - held[node])) : 0;
    }
    berth__free(held);
    return true;
}

double berth__goodput_audit_pieces_worth(const berth__goodput_audit_pieces *pieces) {
    return pieces->worth;
}

/* ---- options ---- */

static double cost_of_kept(const berth__goodput_audit_pieces *pieces, size_t job, const table *t) {
    const berth_goodput_job *given = &pieces->audit->instance->jobs[job];
    const double *price = given->n_current > 1 ? t->spread : t->local;
    double cost = 0;
    for (size_t k = 0; k < given->n_current; k++) {
        const uint32_t gpus = given->current[k].gpus;
        cost += gpus >= 1 && gpus <= t->largest ? price[gpus - 1] : 0;
    }
    return cost;
}

double berth__goodput_audit_pieces_cost(const berth__goodput_audit_pieces *pieces, size_t job,
                                        const berth__goodput_audit_option *o) {
    const table *t = &pieces->types[o->type];
    if (o->keep) {
        return cost_of_kept(pieces, job, t);
    }
    if (o->n == 1) {
        return t->local[o->gpus - 1];
    }
    const bool any =
        pieces->audit->instance->jobs[job].n_options == 0 && pieces->audit->instance->rules != BERTH_RULES_SIA;
    const size_t last = any ? t->most : o->n;
    double least = (double)INFINITY;
    for (size_t n = o->n; n <= last && n <= t->most && o->gpus <= t->reach; n++) {
        least = fmin(least, t->least[n * (t->reach + 1) + o->gpus]);
    }
    return least;
}

/* ---- the whole ---- */

void berth__goodput_audit_pieces_free(berth__goodput_audit_pieces *pieces) {
    if (pieces == NULL) {
        return;
    }
    for (size_t type = 0; pieces->types != NULL && type < pieces->n_types; type++) {
        berth__free(pieces->types[type].least);
        berth__free(pieces->types[type].full);
    }
    berth__free(pieces->types);
    berth__free(pieces);
}

berth__goodput_audit_pieces *berth__goodput_audit_pieces_new(const berth__goodput_audit *a) {
    berth__goodput_audit_pieces *pieces = BERTH__NEW_ARRAY(berth__goodput_audit_pieces, 1);
    if (pieces == NULL) {
        return NULL;
    }
    pieces->audit = a;
    pieces->n_types = a->instance->n_types;
    pieces->types = BERTH__NEW_ARRAY(table, pieces->n_types);
    bool complete = pieces->types != NULL;
    for (size_t type = 0; complete && type < pieces->n_types; type++) {
        complete = open_table(a, type, &pieces->types[type]);
        if (complete) {
            fill_least(a, &pieces->types[type]);
            fill_full(&pieces->types[type]);
        }
    }
    if (!complete || !add_nodes(pieces)) {
        berth__goodput_audit_pieces_free(pieces);
        return NULL;
    }
    return pieces;
}
