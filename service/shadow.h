/* A scheduler beside the real one: what its plans would earn against what was observed. */
#ifndef BERTH_SERVICE_SHADOW_H
#define BERTH_SERVICE_SHADOW_H

#include "base/bytes.h"

/* A job whose fate in the real system is not known yet. */
typedef struct berth__shadow_job {
    char *id;
    uint64_t number;
    int arrival;
    berth_utility utility; /* owns its steps */
    double planned;        /* utility by the plan as it stands */
} berth__shadow_job;

/* A zeroed one is empty. */
typedef struct berth__shadow {
    size_t n, capacity;
    berth__shadow_job *jobs;
    /* Of the jobs observed: */
    uint64_t completed, rejected;
    double utility_planned, utility_observed;
} berth__shadow;

/* What a job that was observed is worth. */
typedef struct berth__shadow_outcome {
    double planned, observed;
} berth__shadow_outcome;

void berth__shadow_free(berth__shadow *shadow);
/* NULL: none of that id. */
berth__shadow_job *berth__shadow_find(const berth__shadow *shadow, const char *id);
/* Takes in a job whose number and plan are not known yet, the last of the list. False: out of memory. */
bool berth__shadow_add(berth__shadow *shadow, const berth_job *job, int arrival);
/* Forgets the last n, whose submission failed. */
void berth__shadow_take_back(berth__shadow *shadow, size_t n);
/* What was decided on a job that was taken in. */
void berth__shadow_decided(berth__shadow_job *job, const berth_decision *decision);
/* Goes on with the plans that have changed. */
void berth__shadow_changed(berth__shadow *shadow, const berth_changes *changes);
/* The real system completed a job in a slot, or rejected it (slot -1). */
berth__shadow_outcome berth__shadow_observe(berth__shadow *shadow, berth__shadow_job *job, int slot);
/* It was called off: it counts for neither. */
void berth__shadow_forget(berth__shadow *shadow, uint64_t number);

void berth__shadow_write(const berth__shadow *shadow, berth__writer *to);
/* Into an empty one. */
void berth__shadow_read(berth__shadow *shadow, berth__byte_reader *from, berth__arena *scratch);

#endif
