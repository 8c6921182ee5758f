/* The public result of a pick. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "formulations/cohort/flow.h"
#include "formulations/cohort/pick.h"

berth_status berth__cohort_result_open(berth__cohort_pick *pick, berth_error *error) {
    size_t n = pick->problem.data->n_categories;
    pick->bound_s = pick->search_bound_s = pick->enough_deadline_s = pick->certificate_deadline_s = (double)NAN;
    pick->arena = berth__arena_new();
    if (pick->arena != NULL) {
        pick->prices = BERTH__ARENA_ARRAY(pick->arena, double, n);
        pick->missing = BERTH__ARENA_ARRAY(pick->arena, uint64_t, n);
    }
    return pick->arena == NULL || pick->prices == NULL || pick->missing == NULL ? berth__fail_memory(error) : BERTH_OK;
}

void berth__cohort_result_close(berth__cohort_pick *pick) {
    berth__arena_free(pick->arena);
    pick->arena = NULL;
}

/* ---- participants ---- */

static void sort_ids(uint32_t *id, size_t n) {
    for (size_t start = n / 2, end = n; end > 1;) { /* heap sort */
        if (start > 0) {
            start--;
        } else {
            end--;
            uint32_t last = id[end];
            id[end] = id[0];
            id[0] = last;
        }
        for (size_t i = start, child; (child = 2 * i + 1) < end; i = child) {
            child += child + 1 < end && id[child + 1] > id[child];
            if (id[i] >= id[child]) {
                break;
            }
            uint32_t moved = id[i];
            id[i] = id[child];
            id[child] = moved;
        }
    }
}

/* Entries with a sample to process, by ascending category of the data. False: out of memory. */
static bool fill_participant(berth__cohort_pick *pick, const berth__cohort_flow *flow, size_t k,
                             berth_cohort_participant *out) {
    const berth__cohort_client *client = &flow->view->clients[k];
    size_t length = client[1].first - client->first, m = 0;
    uint32_t *category = BERTH__ARENA_ARRAY(pick->arena, uint32_t, length);
    uint32_t *samples = BERTH__ARENA_ARRAY(pick->arena, uint32_t, length), total = 0;
    if (category == NULL || samples == NULL) {
        return false;
    }
    for (size_t e = client->first; e < client[1].first; e++) {
        if (flow->given[e] > 0) {
            uint32_t c = (uint32_t)pick->problem.category[flow->view->entries[e].category];
            size_t at = m++;
            for (; at > 0 && category[at - 1] > c; at--) {
                category[at] = category[at - 1];
                samples[at] = samples[at - 1];
            }
            category[at] = c;
            samples[at] = flow->given[e];
            total += flow->given[e];
        }
    }
    bool timed = pick->problem.data->ms_per_sample != NULL;
    *out = (berth_cohort_participant){.client = pick->problem.view.clients[client->id].id,
                                      .duration_s = timed ? berth__cohort_duration(client, total) : (double)NAN,
                                      .n_entries = m,
                                      .category = category,
                                      .samples = samples};
    return true;
}

static bool fill_participants(berth__cohort_pick *pick, const berth__cohort_flow *flow) {
    pick->duration_s = 0;
    pick->participants = BERTH__ARENA_ARRAY(pick->arena, berth_cohort_participant, flow->view->n_clients);
    for (size_t k = 0; pick->participants != NULL && k < flow->view->n_clients; k++) {
        berth_cohort_participant *participant = &pick->participants[pick->n_participants];
        if (!fill_participant(pick, flow, k, participant)) {
            return false;
        }
        if (participant->n_entries > 0) {
            pick->n_participants++;
            pick->duration_s = isnan(participant->duration_s) ? participant->duration_s
                                                              : fmax(pick->duration_s, participant->duration_s);
        }
    }
    return pick->participants != NULL;
}

berth_status berth__cohort_result_participants(berth__cohort_pick *pick, uint32_t *chosen, size_t n, double deadline_s,
                                               berth_error *error) {
    berth__cohort_view some = {0};
    berth__cohort_flow flow = {0};
    bool met = true;
    sort_ids(chosen, n);
    bool complete =
        berth__cohort_view_of(&pick->problem.view, chosen, n, &some) && berth__cohort_flow_open(&some, &flow);
    if (complete) {
        met = berth__cohort_flow_solve(&flow, deadline_s) <= 0;
        complete = fill_participants(pick, &flow);
    }
    berth__cohort_flow_close(&flow);
    berth__cohort_view_free(&some);
    if (!met) {
        return berth__fail(error, BERTH_E_INTERNAL, NULL, "the cohort does not meet the request");
    }
    return complete ? BERTH_OK : berth__fail_memory(error);
}

/* ---- the whole ---- */

static double ratio_of(const berth__cohort_pick *pick) {
    if (pick->problem.request->objective == BERTH_COHORT_DURATION) {
        return pick->n_participants > 0 && pick->bound_s > 0 ? pick->duration_s / pick->bound_s : (double)NAN;
    }
    return pick->n_participants > 0 && pick->participants_bound > 0
               ? (double)pick->n_participants / (double)pick->participants_bound
               : (double)NAN;
}

berth_status berth__cohort_result_finish(berth__cohort_pick *pick, berth_cohort **out, berth_error *error) {
    const berth__cohort_problem *p = &pick->problem;
    bool exists = pick->outcome == BERTH_OPTIMAL || pick->outcome == BERTH_FEASIBLE;
    berth_cohort *cohort = BERTH__ARENA_ARRAY(pick->arena, berth_cohort, 1);
    uint64_t *requests = BERTH__ARENA_ARRAY(pick->arena, uint64_t, p->data->n_categories);
    char *solver = berth__arena_strdup(pick->arena, pick->options->solver);
    if (cohort == NULL || requests == NULL || solver == NULL) {
        return berth__fail_memory(error);
    }
    memcpy(requests, p->requests, p->data->n_categories * sizeof *requests);
    *cohort = (berth_cohort){.outcome = pick->outcome,
                             .objective = p->request->objective,
                             .n_clients = p->data->n_clients,
                             .n_categories = p->data->n_categories,
                             .requests = requests,
                             .n_participants = pick->n_participants,
                             .participants = pick->participants,
                             .duration_s = exists ? pick->duration_s : (double)NAN,
                             .bound_s = pick->bound_s,
                             .search_bound_s = pick->search_bound_s,
                             .participants_bound = pick->participants_bound,
                             .search_participants = pick->search_participants,
                             .ratio = ratio_of(pick),
                             .prices = isnan(pick->certificate_deadline_s) ? NULL : pick->prices,
                             .certificate_deadline_s = pick->certificate_deadline_s,
                             .reason = pick->reason,
                             .missing = pick->missing,
                             .enough_deadline_s = pick->enough_deadline_s,
                             .enough_budget = pick->enough_budget,
                             .stopped = pick->stopped,
                             .solver = solver,
                             .memory = pick->arena};
    pick->arena = NULL;
    *out = cohort;
    return BERTH_OK;
}

void berth_cohort_free(berth_cohort *cohort) {
    if (cohort != NULL) {
        berth__arena_free(cohort->memory);
    }
}
