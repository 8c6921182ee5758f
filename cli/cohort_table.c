#include "cli/cohort_table.h"

#include <math.h>
#include <stdio.h>

enum { NAME_WIDTH = 24, MOST_MISSING = 10 };

/* A client's or category's name, or its number where names is NULL. */
static void print_name(const char *const *names, size_t index, int width) {
    char number[32];
    snprintf(number, sizeof number, "%zu", index);
    cli_print_text(names != NULL ? names[index] : number, width);
}

static void print_request(const berth_cohort_data *data, const berth_cohort_request *request,
                          const berth_cohort *cohort) {
    double samples = 0;
    size_t categories = 0;
    for (size_t c = 0; c < cohort->n_categories; c++) {
        samples += (double)cohort->requests[c];
        categories += cohort->requests[c] > 0;
    }
    cli_row("clients", "%zu, holding %zu categories", data->n_clients, data->n_categories);
    if (request->choose_eligible) {
        cli_row("eligible", "%zu", request->n_eligible);
    }
    cli_row("request", "%s%.0f samples of %zu categories", request->exact ? "exactly " : "", samples, categories);
    if (request->budget > 0) {
        cli_row("budget", "%zu participants", request->budget);
    }
    if (isfinite(request->deadline_s)) {
        cli_row("deadline", "%.6g s", request->deadline_s);
    }
}

static void print_bounds(const berth_cohort *cohort) {
    if (cohort->objective == BERTH_COHORT_PARTICIPANTS) {
        cli_row("bound", "%zu participants: no cohort is smaller, by the prices", cohort->participants_bound);
        if (cohort->search_participants > cohort->participants_bound) {
            cli_row("complete search", "%zu participants, without proof", cohort->search_participants);
        }
        cli_row("participants / bound", "%.6g", cohort->ratio);
        return;
    }
    if (!isnan(cohort->bound_s)) {
        cli_row("bound", "%.6g s: no cohort is done sooner, by the prices", cohort->bound_s);
    }
    if (cohort->search_bound_s > cohort->bound_s) {
        cli_row("complete search", "%.6g s, without proof", cohort->search_bound_s);
    }
    if (!isnan(cohort->ratio)) {
        cli_row("duration / bound", "%.6g", cohort->ratio);
    }
}

static void print_participants(const berth_cohort_data *data, const berth_cohort *cohort, size_t most) {
    size_t n = cohort->n_participants;
    putchar('\n');
    for (size_t k = 0; k < n && k < most; k++) {
        const berth_cohort_participant *p = &cohort->participants[k];
        double samples = 0;
        for (size_t e = 0; e < p->n_entries; e++) {
            samples += p->samples[e];
        }
        fputs("  ", stdout);
        print_name(data->clients, p->client, NAME_WIDTH);
        printf(" %8.0f samples", samples);
        if (!isnan(p->duration_s)) {
            printf(" %12.6g s", p->duration_s);
        }
        putchar('\n');
    }
    if (n > most) {
        printf("  ... %zu more (--participants shows all)\n", n - most);
    }
}

static void print_missing(const berth_cohort_data *data, const berth_cohort *cohort) {
    size_t more = 0, listed = 0;
    for (size_t c = 0; c < cohort->n_categories; c++) {
        if (cohort->missing[c] == 0) {
            continue;
        }
        if (listed++ >= MOST_MISSING) {
            more++;
            continue;
        }
        fputs("missing               ", stdout);
        print_name(data->categories, c, 0);
        printf(": %llu of %llu samples\n", (unsigned long long)cohort->missing[c],
               (unsigned long long)cohort->requests[c]);
    }
    if (more > 0) {
        cli_row("missing", "... of %zu more categories", more);
    }
}

static void print_why_not(const berth_cohort_data *data, const berth_cohort *cohort) {
    static const char *const reasons[] = {
        [BERTH_COHORT_NONE] = "unknown",
        [BERTH_COHORT_SUPPLY] = "supply: eligible clients together have too few samples to give",
        [BERTH_COHORT_DEADLINE] = "deadline: all eligible clients together are too slow",
        [BERTH_COHORT_BUDGET] = "budget: too few participants are allowed"};
    cli_row("reason", "%s", reasons[cohort->reason]);
    print_missing(data, cohort);
    if (!isnan(cohort->enough_deadline_s)) {
        cli_row("would do", "a deadline of %.6g s", cohort->enough_deadline_s);
    }
    if (cohort->enough_budget > 0) {
        cli_row("would do", "a budget of %zu participants", cohort->enough_budget);
    }
}

void cli_print_cohort(const berth_cohort_data *data, const berth_cohort_request *request, const berth_cohort *cohort,
                      double seconds, size_t most) {
    char time[32];
    bool exists = cohort->outcome == BERTH_OPTIMAL || cohort->outcome == BERTH_FEASIBLE;
    print_request(data, request, cohort);
    cli_row("outcome", "%s", berth_outcome_name(cohort->outcome));
    if (exists) {
        cli_row("participants", "%zu", cohort->n_participants);
        if (!isnan(cohort->duration_s)) {
            cli_row("duration", "%.6g s", cohort->duration_s);
        }
        print_bounds(cohort);
    } else {
        print_why_not(data, cohort);
    }
    cli_row("time", "%s", cli_duration(time, seconds));
    if (cohort->n_participants > 0) {
        print_participants(data, cohort, most);
    }
}
