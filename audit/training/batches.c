/* Which m and s a policy may have chosen, by the rules of section 5 of berth_goodput.h. Which of those that are left to
 * Pollux, Sia and hesrpt is best goes by profiles fitted on the way: that is not judged here. */
#include <math.h>
#include <string.h>

#include "audit/training/audit.h"

enum { POINTS = 50 };

/* Before rounding up. */
static const double tiny = 1e-8;

typedef struct choice {
    const berth_application *app;
    double replicas, local, steps; /* K, m, s + 1 */
} choice;

/* M shared out: as few passes as max_local allows, two at least on one replica beyond m0. */
static bool is_split(const choice *c, double batch) {
    const berth_application *app = c->app;
    const double each = ceil(batch / c->replicas - tiny);
    double steps = 1;
    if (app->accumulation) {
        steps = ceil(each / app->max_local - tiny);
        steps = fmax(steps, c->replicas == 1 && batch > app->m0 ? 2 : 1);
    }
    const double local = fmin(ceil(each / steps - tiny), floor(app->max_batch / (c->replicas * steps)));
    return c->steps == steps && c->local == fmax(fmin(local, app->max_local), 1);
}

/* What a job begins with, and has where no batch would do. */
static bool is_least(const choice *c) {
    const berth_application *app = c->app;
    return is_split(c, fmin(fmax(app->m0, app->min_local * c->replicas), app->max_batch));
}

/* One of 50 batches in geometric progression, rounded up to whole m and s, but not beyond max_batch. */
static bool is_on_grid(const choice *c) {
    const berth_application *app = c->app;
    const double least = fmax(app->m0, app->min_local * c->replicas);
    bool found = false;
    for (int k = 0; k < POINTS && least <= app->max_batch && !found; k++) {
        const double each = least * pow(app->max_batch / least, (double)k / (POINTS - 1)) / c->replicas;
        double steps = 1;
        if (app->accumulation) {
            steps = ceil(each / app->max_local - tiny);
            steps = fmax(steps, c->replicas == 1 && each > app->m0 + tiny ? 2 : 1);
        }
        const double local = ceil(each / steps - tiny);
        found = c->steps == steps && local >= app->min_local && local <= app->max_local &&
                c->local == fmin(local, floor(app->max_batch / (c->replicas * steps)));
    }
    return found;
}

static bool is_in_bounds(const choice *c) {
    const berth_application *app = c->app;
    return c->local >= app->min_local && c->replicas * c->local * c->steps >= app->m0 &&
           (c->replicas > 1 || c->steps > 1 || !app->accumulation || c->local <= app->m0);
}

static bool is_exact(const berth_goodput_run *run) {
    return run->batches && strcmp(run->batches, "exact") == 0;
}

bool berth__training_audit_batch(const berth__training_audit *a, size_t job, const berth_goodput_span *span,
                                 uint64_t gpus, bool first) {
    const berth_training_job *asked = &a->workload->jobs[job];
    const berth_application *app = &a->workload->applications[asked->application];
    const choice c = {app, (double)gpus, span->local, span->accumulation + 1.0};
    if (a->external)
        return true;
    if (!a->choosy)
        return is_split(&c, asked->batch);
    if (app->batch > 0)
        return is_split(&c, app->batch);
    if (is_least(&c))
        return true;
    return !first && (is_exact(a->run) ? is_in_bounds(&c) : is_on_grid(&c));
}
