/* Nodes and GPUs, and what each job makes of them. */
#include <math.h>
#include <stdio.h>

#include "audit/goodput/audit.h"
#include "base/alloc.h"
#include "base/tolerance.h"

static bool is_near(double claimed, double due, double tolerance) {
    return fabs(claimed - due) <= tolerance * fmax(fabs(due), 1e-12);
}

/* ---- nodes ---- */

static void check_list(const berth__goodput_audit *a, size_t job, const char *where) {
    const berth_allocated_job *has = &a->allocation->jobs[job];
    uint64_t sum = 0;
    bool good = true;
    for (size_t k = 0; k < has->n_nodes; k++) {
        good = good && has->nodes[k].gpus > 0 && (k == 0 || has->nodes[k].node > has->nodes[k - 1].node);
        sum += has->nodes[k].gpus;
    }
    berth__audit_count(a->report, BERTH__RULE_PLACEMENT);
    if (!good) {
        berth__audit_violation_at(a->report, BERTH__RULE_PLACEMENT, where, (double)NAN,
                                  "nodes are not ascending, or one gives no GPU");
    }
    if (sum != has->replicas) {
        berth__audit_violation_at(a->report, BERTH__RULE_PLACEMENT, where, (double)has->replicas - (double)sum,
                                  "claims %lu replicas; its nodes give %llu GPUs", (unsigned long)has->replicas,
                                  (unsigned long long)sum);
    }
    for (size_t k = 1; k < has->n_nodes; k++) {
        if (berth__goodput_audit_type_of(a->instance, has->nodes[k].node) !=
            berth__goodput_audit_type_of(a->instance, has->nodes[0].node)) {
            berth__audit_violation_at(a->report, BERTH__RULE_PLACEMENT, where, (double)NAN, "GPUs of two types");
            return;
        }
    }
}

static void check_capacity(const berth__goodput_audit *a, const uint64_t *used, const size_t *spread) {
    char where[160], name[32];
    for (size_t node = 0; node < a->instance->n_nodes; node++) {
        snprintf(where, sizeof where, "node %.100s", berth__goodput_audit_node(a, node, name));
        berth__audit_count(a->report, BERTH__RULE_CAPACITY);
        if (used[node] > a->instance->gpus[node]) {
            berth__audit_violation_at(a->report, BERTH__RULE_CAPACITY, where,
                                      (double)a->instance->gpus[node] - (double)used[node],
                                      "%llu GPUs are given away; it has %lu", (unsigned long long)used[node],
                                      (unsigned long)a->instance->gpus[node]);
        }
        berth__audit_count(a->report, BERTH__RULE_SHARING);
        if (spread[node] > 1) {
            berth__audit_violation_at(a->report, BERTH__RULE_SHARING, where, 1 - (double)spread[node],
                                      "%zu jobs of several nodes; at most one may be there", spread[node]);
        }
    }
}

static bool check_nodes(const berth__goodput_audit *a) {
    uint64_t *used = BERTH__NEW_ARRAY(uint64_t, a->instance->n_nodes);
    size_t *spread = BERTH__NEW_ARRAY(size_t, a->instance->n_nodes);
    const bool complete = used != NULL && spread != NULL;
    for (size_t job = 0; complete && job < a->allocation->n_jobs; job++) {
        const berth_allocated_job *has = &a->allocation->jobs[job];
        for (size_t k = 0; k < has->n_nodes; k++) {
            used[has->nodes[k].node] += has->nodes[k].gpus;
            spread[has->nodes[k].node] += has->n_nodes > 1;
        }
    }
    if (complete) {
        check_capacity(a, used, spread);
    }
    berth__free(used);
    berth__free(spread);
    return complete;
}

/* ---- limits ---- */

static void check_limits(const berth__goodput_audit *a, size_t job, bool kept, const char *where) {
    const berth_allocated_job *has = &a->allocation->jobs[job];
    const berth__goodput_audit_job *j = &a->jobs[job];
    berth__audit_count(a->report, BERTH__RULE_PINNED);
    if (j->is_pinned && !kept) {
        berth__audit_violation_at(a->report, BERTH__RULE_PINNED, where, (double)NAN,
                                  "it is pinned, but does not keep what it has");
    }
    berth__audit_count(a->report, BERTH__RULE_KEPT);
    if (has->kept != (kept && has->n_nodes > 0)) {
        berth__audit_violation_at(a->report, BERTH__RULE_KEPT, where, (double)NAN, "claims %s; %s",
                                  has->kept ? "to keep what it has" : "a change", kept ? "it keeps it" : "it does not");
    }
    if (has->n_nodes == 0 || j->is_pinned) {
        return;
    }
    berth__audit_count(a->report, BERTH__RULE_REPLICAS);
    if (has->replicas < j->least || has->replicas > j->most) {
        const double slack = has->replicas < j->least ? (double)has->replicas - (double)j->least
                                                      : (double)j->most - (double)has->replicas;
        berth__audit_violation_at(a->report, BERTH__RULE_REPLICAS, where, slack, "%lu replicas; expected %lu to %lu",
                                  (unsigned long)has->replicas, (unsigned long)j->least, (unsigned long)j->most);
    }
    berth__audit_count(a->report, BERTH__RULE_CONFIGURATION);
    if (has->n_nodes > BERTH__AUDIT_JOB_NODES) {
        berth__audit_violation_at(a->report, BERTH__RULE_CONFIGURATION, where,
                                  BERTH__AUDIT_JOB_NODES - (double)has->n_nodes, "%zu nodes; the most is %d",
                                  has->n_nodes, BERTH__AUDIT_JOB_NODES);
        return;
    }
    const size_t type = berth__goodput_audit_type_of(a->instance, has->nodes[0].node);
    const bool allowed = kept ? j->has_keep : berth__goodput_audit_allowed(a, job, type, has->n_nodes, has->replicas);
    if (!allowed) {
        berth__audit_violation_at(a->report, BERTH__RULE_CONFIGURATION, where, (double)NAN,
                                  "%lu GPUs on %zu nodes are none of the configurations that it may have",
                                  (unsigned long)has->replicas, has->n_nodes);
    }
}

/* ---- batch and goodput ---- */

static const char *batch_problem(const berth_goodput_profile *profile, const berth_allocated_job *has) {
    if (has->local < profile->min_local || has->local > profile->max_local) {
        return "m is out of the profile's bounds";
    }
    return has->accumulation > 0 && !profile->accumulation ? "s must be 0: the job does not accumulate" : NULL;
}

/* Goodput at the claimed m and s, which must be as good as any of the mode. */
static double check_batch(const berth__goodput_audit *a, const berth_goodput_profile *profile,
                          const berth_allocated_job *has, double best, const char *where) {
    berth__audit_count(a->report, BERTH__RULE_BATCH);
    if (best <= 0) { /* pinned where it cannot run */
        if (has->local != 0 || has->accumulation != 0) {
            berth__audit_violation_at(a->report, BERTH__RULE_BATCH, where, (double)NAN,
                                      "it cannot run there; m and s must be 0");
        }
        return 0;
    }
    const char *problem = batch_problem(profile, has);
    if (problem != NULL) {
        berth__audit_violation_at(a->report, BERTH__RULE_BATCH, where, (double)NAN, "m = %lu, s = %lu: %s",
                                  (unsigned long)has->local, (unsigned long)has->accumulation, problem);
        return best;
    }
    const double goodput =
        berth__goodput_audit_at(profile, has->n_nodes > 1, has->replicas, has->local, has->accumulation);
    if (!is_near(goodput, best, BERTH__FEASIBILITY)) {
        berth__audit_violation_at(a->report, BERTH__RULE_BATCH, where, goodput - best,
                                  "m = %lu, s = %lu give %.9g; the best of the mode is %.9g", (unsigned long)has->local,
                                  (unsigned long)has->accumulation, goodput, best);
    }
    return goodput;
}

static double check_worth(const berth__goodput_audit *a, size_t job, const char *where) {
    const berth_allocated_job *has = &a->allocation->jobs[job];
    const berth_goodput_job *given = &a->instance->jobs[job];
    if (has->n_nodes == 0) {
        berth__audit_count(a->report, BERTH__RULE_BATCH);
        if (has->local != 0 || has->accumulation != 0) {
            berth__audit_violation_at(a->report, BERTH__RULE_BATCH, where, (double)NAN,
                                      "it has no GPU; m and s must be 0");
        }
        return 0;
    }
    const size_t type = berth__goodput_audit_type_of(a->instance, has->nodes[0].node);
    const double best = berth__goodput_audit_goodput(a, job, type, has->n_nodes, has->replicas);
    const berth_goodput_profile *profile = berth__goodput_audit_profile(given, type);
    if (profile != NULL) {
        return check_batch(a, profile, has, best, where);
    }
    berth__audit_count(a->report, BERTH__RULE_BATCH);
    if (has->local != 0 || has->accumulation != 0) {
        berth__audit_violation_at(a->report, BERTH__RULE_BATCH, where, (double)NAN,
                                  "no profile says what m and s do; they must be 0");
    }
    return best;
}

static void check_claim(const berth__goodput_audit *a, berth__audit_rule rule, const char *where, const char *what,
                        double claimed, double due) {
    berth__audit_count(a->report, rule);
    if (!is_near(claimed, due, BERTH__FIGURE)) {
        berth__audit_violation_at(a->report, rule, where, claimed - due, "claims a %s of %.9g; it is %.9g", what,
                                  claimed, due);
    }
}

/* ---- all of it ---- */

static double check_job(const berth__goodput_audit *a, size_t job) {
    char where[160];
    const berth_allocated_job *has = &a->allocation->jobs[job];
    const bool kept = berth__goodput_audit_kept(a, job);
    berth__goodput_audit_where(a, job, where);
    check_list(a, job, where);
    check_limits(a, job, kept, where);
    const double goodput = check_worth(a, job, where);
    const double speedup = goodput * a->jobs[job].unit * (kept ? 1 : a->jobs[job].factor);
    check_claim(a, BERTH__RULE_GOODPUT, where, "goodput", has->goodput, goodput);
    check_claim(a, BERTH__RULE_SPEEDUP, where, "speedup", has->speedup, speedup);
    return berth__goodput_audit_weight(a, speedup, has->n_nodes == 0);
}

bool berth__goodput_audit_placement(berth__goodput_audit *a) {
    double sum = 0;
    for (size_t job = 0; job < a->allocation->n_jobs && !berth__budget_spent(a->budget); job++) {
        sum += check_job(a, job);
        a->starved += a->allocation->jobs[job].n_nodes == 0;
    }
    a->fitness = a->allocation->n_jobs > 0 ? berth__goodput_audit_fitness(a, sum) : (double)NAN;
    return check_nodes(a);
}
