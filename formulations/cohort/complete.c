#include <math.h>

#include "base/alloc.h"
#include "formulations/cohort/run.h"
#include "formulations/cohort/search.h"

enum { NODES = 20000 };

/* Searches within one deadline; a cohort found becomes the best. */
static berth__cohort_answer ask(berth__cohort_run *run, double deadline_s, size_t budget, long *nodes,
                                uint32_t *chosen) {
    size_t n = 0;
    berth__cohort_answer answer =
        berth__cohort_search(run->view, run->share, deadline_s, budget, run->limit, nodes, chosen, &n);
    if (answer == BERTH__COHORT_YES) {
        berth__cohort_offer(run, NULL, chosen, n);
    }
    run->out_of_memory = run->out_of_memory || answer == BERTH__COHORT_MEMORY;
    return answer;
}

static void complete_duration(berth__cohort_run *run, long nodes, uint32_t *chosen) {
    double low = run->bound_s, last = fmin(run->deadline_s, berth__cohort_longest_duration(run->view));
    if (run->n_chosen == 0) {
        berth__cohort_answer answer = ask(run, last, run->budget, &nodes, chosen);
        if (answer == BERTH__COHORT_NO) {
            run->search_bound_s = (double)INFINITY;
        }
        if (answer != BERTH__COHORT_YES) {
            return;
        }
    }
    while (low < run->duration_s && !run->out_of_memory) {
        /* where nothing is in between, right below the best */
        double middle = 0.5 * (low + run->duration_s);
        middle = middle < run->duration_s ? middle : low;
        berth__cohort_answer answer = ask(run, middle, run->budget, &nodes, chosen);
        if (answer == BERTH__COHORT_NO) {
            low = fmin(berth__cohort_next_duration(run->view, middle), run->duration_s);
        } else if (answer != BERTH__COHORT_YES) {
            break;
        }
    }
    run->search_bound_s = low > run->bound_s ? low : (double)NAN;
}

static void complete_participants(berth__cohort_run *run, long nodes, uint32_t *chosen) {
    size_t least = run->least > 0 ? run->least : 1;
    bool known = true;
    while (known && run->n_chosen > least && !run->out_of_memory) {
        berth__cohort_answer answer = ask(run, run->deadline_s, run->n_chosen - 1, &nodes, chosen);
        if (answer == BERTH__COHORT_NO) {
            least = run->n_chosen;
        }
        known = answer == BERTH__COHORT_YES;
    }
    run->search_least = least > run->least ? least : 0;
}

void berth__cohort_complete(berth__cohort_run *run) {
    if (run->view->n_clients > BERTH__COHORT_SEARCHABLE || berth__cohort_run_stopped(run)) {
        return;
    }
    uint32_t *chosen = BERTH__NEW_ARRAY(uint32_t, run->view->n_clients);
    long nodes = (long)(NODES * fmin(run->options->effort, 1e6));
    if (chosen == NULL) {
        run->out_of_memory = true;
    } else if (run->objective == BERTH_COHORT_DURATION) {
        complete_duration(run, nodes, chosen);
    } else {
        complete_participants(run, nodes, chosen);
    }
    berth__free(chosen);
}
