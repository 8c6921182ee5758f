/* Moves from one allocation to a better one: one job to another option, or two. */
#ifndef BERTH_FORMULATIONS_GOODPUT_MOVES_H
#define BERTH_FORMULATIONS_GOODPUT_MOVES_H

#include "formulations/goodput/allocate.h"

typedef struct berth__regretted {
    double regret;
    size_t job;
} berth__regretted;

typedef struct berth__ranked {
    double weight;
    uint32_t gpus, option;
} berth__ranked;

typedef struct berth__moves {
    const berth__allocate_run *run;
    size_t *start;               /* [n_jobs + 1] into ranked */
    uint32_t *ranked;            /* options of a job by weight, best first; of those alike the one of fewer GPUs */
    bool *is_ranked;             /* [n_jobs] done when first asked for */
    berth__ranked *list;         /* scratch */
    berth__regretted *regretted; /* [n_jobs] scratch */
    long tries;                  /* moves of two that are left */
    berth__arena *arena;
} berth__moves;

/* False: out of memory; close in any case. */
bool berth__moves_open(berth__moves *moves, const berth__allocate_run *run);
void berth__moves_close(berth__moves *moves);
/* Betters a placement until no move does, the tries or the budget are spent. */
void berth__moves_climb(berth__moves *moves, berth__placement *placement);

#endif
