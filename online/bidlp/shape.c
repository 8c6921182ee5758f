/* What depends on the classes of machines, and how classes are split where jobs' eligibility does. */
#include "online/bidlp/state.h"

#include "base/error.h"
#include "online/replan.h"

#include <math.h>
#include <string.h>

size_t berth__bidlp_rows(const berth__bidlp *b) {
    const berth__cluster *cluster = b->set.cluster;
    return (size_t)cluster->horizon * (size_t)cluster->n_classes * (size_t)cluster->n_resources;
}

void berth__bidlp_spare_profile(berth__bidlp_shape *s, size_t i) {
    struct berth__bidlp_spare *spare = s->profiles[i].memory;
    spare->next = s->spare;
    s->spare = spare;
}

void berth__bidlp_forget_profiles(berth__bidlp_shape *s, size_t from) {
    while (s->n_profiles > from) {
        berth__bidlp_spare_profile(s, --s->n_profiles);
    }
}

void berth__bidlp_shape_clear(berth__bidlp_shape *s) {
    berth__free(s->profiles);
    berth__arena_free(s->memory);
    berth__class_view_clear(&s->view);
    berth__ledger_free(s->ledger);
    berth__free(s->future_prices);
    berth__free(s->bids);
    *s = (berth__bidlp_shape){0};
}

berth_status berth__bidlp_shape_init(const berth__bidlp *b, berth__bidlp_shape *s, berth_error *error) {
    const berth__cluster *cluster = b->set.cluster;
    size_t rows = berth__bidlp_rows(b), futures = (size_t)b->effort.futures;
    *s = (berth__bidlp_shape){.future_prices = berth__calloc(futures, rows * sizeof(double)),
                              .bids = BERTH__NEW_ARRAY(double, rows),
                              .memory = berth__arena_new()};
    if (s->future_prices == NULL || s->bids == NULL || s->memory == NULL) {
        return berth__fail_memory(error);
    }
    berth_status status =
        berth__class_view_new(cluster, cluster->n_classes, cluster->class_of, s->bids, &s->view, error);
    return status == BERTH_OK ? berth__ledger_new(cluster, NULL, &s->ledger, error) : status;
}

/* NULL: out of memory. */
static void *profile_memory(berth__bidlp_shape *s) {
    struct berth__bidlp_spare *spare = s->spare;
    if (spare == NULL) {
        return berth__arena_alloc(s->memory, 1, berth__job_profile_size(&s->view));
    }
    s->spare = spare->next;
    return spare;
}

berth_status berth__bidlp_profile_seen(const berth__bidlp *b, berth__bidlp_shape *s, berth_error *error) {
    while (s->n_profiles < b->n_seen) {
        bool room = berth__grow((void **)&s->profiles, &s->profile_room, s->n_profiles, sizeof *s->profiles);
        void *memory = room ? profile_memory(s) : NULL;
        if (memory == NULL) {
            return berth__fail_memory(error);
        }
        const berth__job *job = b->seen[s->n_profiles].job;
        berth__job_profile *profile = &s->profiles[s->n_profiles++];
        berth__job_profile_init(profile, memory, &s->view, job);
        profile->work =
            job->work / fmin(job->worker_slots, 1); /* a plan holds a worker for a slot, however short it is */
    }
    return BERTH_OK;
}

/* ---- classes ---- */

int berth__bidlp_split_classes(const berth__bidlp *b, size_t n, int *class_of, int *number) {
    const berth__cluster *cluster = b->set.cluster;
    int n_classes = cluster->n_classes;
    memcpy(class_of, cluster->class_of, (size_t)cluster->n_machines * sizeof *class_of);
    for (size_t i = b->n_seen - n; i < b->n_seen; i++) {
        const bool *eligible = b->seen[i].job->eligible;
        if (eligible == NULL || 2 * n_classes > BERTH__MOST_CLASSES) {
            continue;
        }
        int fresh = 0;
        for (int k = 0; k < 2 * n_classes; k++) {
            number[k] = -1;
        }
        for (int h = 0; h < cluster->n_machines; h++) {
            int *at = &number[2 * class_of[h] + (eligible[h] ? 1 : 0)];
            *at = *at < 0 ? fresh++ : *at;
            class_of[h] = *at;
        }
        n_classes = fresh;
    }
    return n_classes;
}

static berth_status book_all(const berth__bidlp *b, berth__ledger *ledger, berth_error *error) {
    berth_status status = BERTH_OK;
    for (size_t i = 0; i < b->n_tenures && status == BERTH_OK; i++) {
        const berth__tenure *tenure = b->tenures[i];
        size_t from = berth__plan_to_come(&tenure->plan, 0); /* no slots before those that the ledger has */
        status =
            berth__ledger_adopt(ledger, tenure->job, tenure->plan.n_slots - from, tenure->plan.slots + from, error);
    }
    return status;
}

void berth__bidlp_set_classes(berth__cluster *cluster, int n_classes, const int *class_of) {
    memcpy(cluster->class_of, class_of, (size_t)cluster->n_machines * sizeof *class_of);
    cluster->n_classes = n_classes;
}

berth_status berth__bidlp_reclass(berth__bidlp *b, int n_classes, const int *class_of, berth_error *error) {
    berth__cluster *cluster = b->set.cluster;
    size_t R = (size_t)cluster->n_resources, T = (size_t)cluster->horizon, K = (size_t)n_classes;
    const berth__bidlp_undo_log *undo = &b->undo;
    berth__bidlp_shape fresh;
    berth__bidlp_set_classes(cluster, n_classes, class_of);
    berth_status status = berth__bidlp_shape_init(b, &fresh, error);
    if (status == BERTH_OK) {
        status = book_all(b, fresh.ledger, error);
    }
    if (status == BERTH_OK) {
        status = berth__bidlp_profile_seen(b, &fresh, error);
    }
    if (status != BERTH_OK) {
        berth__bidlp_shape_clear(&fresh);
        berth__bidlp_set_classes(cluster, undo->n_classes, undo->class_of);
        return status;
    }
    for (size_t f = 0; f <= (size_t)b->effort.futures; f++) { /* the last are the bids */
        bool bids = f == (size_t)b->effort.futures;
        const double *from = bids ? b->shape.bids : b->shape.future_prices + f * T * (size_t)undo->n_classes * R;
        double *to = bids ? fresh.bids : fresh.future_prices + f * T * K * R;
        for (size_t row = 0; row < T * K; row++) {
            size_t k = (size_t)undo->class_of[fresh.view.machine[row % K]];
            memcpy(to + row * R, from + (row / K * (size_t)undo->n_classes + k) * R, R * sizeof *to);
        }
    }
    b->undo.shape = b->shape;
    b->undo.reclassed = true;
    b->shape = fresh;
    berth__ledger_set_bids(b->shape.ledger, 0, b->set.cluster->horizon, b->shape.bids, b->tie);
    return BERTH_OK;
}
