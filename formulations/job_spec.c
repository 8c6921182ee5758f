/* A job's public description as an object of its own. */
#include "formulations/placement.h"

#include <string.h>

#include "base/alloc.h"

/* NULL stays NULL. False: out of memory. */
static bool copy_text(berth__arena *arena, const char *from, const char **to) {
    *to = from == NULL ? NULL : berth__arena_strdup(arena, from);
    return from == NULL || *to != NULL;
}

static bool copy_amounts(berth__arena *arena, size_t n, const double *from, const double **to) {
    double *copy = from == NULL ? NULL : BERTH__ARENA_ARRAY(arena, double, n);
    if (copy != NULL) {
        memcpy(copy, from, n * sizeof *copy);
    }
    *to = copy;
    return from == NULL || copy != NULL;
}

static bool copy_globs(berth__arena *arena, size_t n, const char *const *from, const char *const **to) {
    const char **copy = n == 0 ? NULL : BERTH__ARENA_ARRAY(arena, const char *, n);
    bool good = n == 0 || copy != NULL;
    for (size_t i = 0; i < n && good; i++) {
        good = copy_text(arena, from[i], &copy[i]);
    }
    *to = copy;
    return good;
}

static bool copy_steps(berth__arena *arena, berth_utility *utility) {
    size_t n = utility->kind == BERTH_UTILITY_STEPS ? utility->n_steps : 0;
    berth_step *copy = n == 0 ? NULL : BERTH__ARENA_ARRAY(arena, berth_step, n);
    if (copy != NULL) {
        memcpy(copy, utility->steps, n * sizeof *copy);
    }
    utility->n_steps = n;
    utility->steps = copy;
    return n == 0 || copy != NULL;
}

berth_job *berth__job_spec_copy(berth__arena *arena, size_t n_resources, const berth_job *spec) {
    berth_job *copy = BERTH__ARENA_ARRAY(arena, berth_job, 1);
    if (copy == NULL) {
        return NULL;
    }
    *copy = *spec;
    bool good = copy_text(arena, spec->id, &copy->id) && copy_text(arena, spec->tenant, &copy->tenant) &&
                copy_amounts(arena, n_resources, spec->worker, &copy->worker) &&
                copy_amounts(arena, n_resources, spec->all_reduce ? NULL : spec->ps, &copy->ps) &&
                copy_globs(arena, spec->n_allow, spec->allow, &copy->allow) &&
                copy_globs(arena, spec->n_avoid, spec->avoid, &copy->avoid) && copy_steps(arena, &copy->utility);
    return good ? copy : NULL;
}
