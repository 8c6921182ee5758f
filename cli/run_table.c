#include "cli/run_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A label and a text that came from a file. */
static void text_row(const char *label, const char *text) {
    printf("%-22s", label);
    cli_print_text(text, 0);
    putchar('\n');
}

static void print_setting(const berth_instance *instance, const berth_run *run) {
    char number[32];
    text_row("instance", instance->name);
    cli_row("machines", "%zu", instance->n_machines);
    cli_row("slots", "%d of %s s", instance->horizon_slots, cli_number(number, instance->slot_seconds));
    cli_row("jobs", "%zu", run->summary.jobs);
    cli_row("policy", "%s, solver %s, seed %llu", run->policy, run->solver, (unsigned long long)run->seed);
    if (!berth_policy_promises(run->policy)) {
        cli_row("promises", "none: jobs may be left unfinished, and then earn nothing");
    }
    if (run->stopped) {
        size_t undecided = 0;
        for (size_t job = 0; job < run->n_jobs; job++) {
            undecided += run->jobs[job].outcome == BERTH_JOB_UNDECIDED;
        }
        cli_row("stopped early", "%zu jobs undecided", undecided);
    }
}

static void print_quality(const berth_run *run) {
    char a[32];
    char b[32];
    const berth_run_bounds *bounds = &run->bounds;
    cli_row("admitted", "%zu", run->summary.admitted);
    cli_row("completed", "%zu", run->summary.completed);
    cli_row("utility", "%s", cli_number(a, run->utility));
    if (isnan(bounds->dual)) {
        cli_row("dual bound", "-");
    } else {
        cli_row("dual bound", "%s: no schedule can earn more", cli_number(a, bounds->dual));
    }
    if (!isnan(bounds->lp)) {
        cli_row("LP bound", "%s: likewise, from the best prices found", cli_number(a, bounds->lp));
    }
    if (!isnan(bounds->exact)) {
        cli_row("exact optimum", "%s, on the solver's word", cli_number(a, bounds->exact));
    }
    if (bounds->void_because != NULL) {
        text_row("bound / utility", bounds->void_because);
    } else {
        cli_row("bound / utility", "%s", cli_number(a, bounds->ratio));
    }
    if (run->summary.completed == 0) {
        cli_row("delay", "-");
    } else {
        cli_row("delay", "mean %s, median %s slots", cli_number(a, run->summary.mean_delay_slots),
                cli_number(b, run->summary.median_delay_slots));
    }
    cli_row("makespan", "%d slots", run->summary.makespan_slots);
}

static void print_estimation(const berth_run *run) {
    const berth_estimation_summary *e = run->estimation;
    char a[32];
    char b[32];
    if (e == NULL) {
        return;
    }
    cli_row("estimation error", "sigma %s: %zu early, %zu late, %zu unfinished", cli_number(a, run->noise), e->early,
            e->late, e->unfinished);
    if (e->late > 0) {
        cli_row("", "late by %s slots on average, %s at worst", cli_number(a, e->mean_overrun_slots),
                cli_number(b, e->worst_overrun_slots));
    }
    if (e->promises_kept + e->promises_broken > 0) {
        cli_row("", "promises: %zu kept, %zu broken", e->promises_kept, e->promises_broken);
    }
}

static void print_utilisation(const berth_instance *instance, const berth_run *run) {
    printf("%-22s", "utilisation");
    for (size_t r = 0; r < instance->n_resources; r++) {
        double share = run->summary.utilisation[r];
        fputs(r == 0 ? "" : ", ", stdout);
        cli_print_text(instance->resources[r], 0);
        if (isnan(share)) {
            fputs(" -", stdout);
        } else {
            printf(" %.1f%%", 100 * share);
        }
    }
    putchar('\n');
}

static void print_prices(const berth_run *run) {
    char number[32];
    if (run->price_upper == NULL) {
        return;
    }
    cli_row("prices", run->price_oracle ? "from the instance's own jobs (an oracle: it knows those to come)" : "given");
    if (run->price_floored) {
        cli_row("", "lower prices raised to %s of the upper", cli_number(number, run->price_floor));
    }
    if (run->closed_form_why_not != NULL) {
        text_row("closed-form ratio", run->closed_form_why_not);
    } else if (!isnan(run->closed_form_ratio)) {
        cli_row("closed-form ratio", "%s", cli_number(number, run->closed_form_ratio));
    }
}

/* The worst promise of a single draw, before excess is dropped. */
static void print_promise(const berth_rounding_promise *promise) {
    if (!isnan(promise->probability)) {
        char cover[32];
        char pack[32];
        char cost[32];
        cli_row("", "each draw, with probability %.4g: cover >= %s, packing <= %s, cost <= %s times the LP",
                promise->probability, cli_number(cover, promise->cover_factor), cli_number(pack, promise->pack_factor),
                cli_number(cost, promise->cost_factor));
    }
}

static void print_rounding(const berth_run *run) {
    const berth_rounding_summary *rounding = run->rounding;
    if (rounding == NULL) {
        return;
    }
    if (!(rounding->problems > 0)) {
        cli_row("rounding", "there was nothing to round");
        return;
    }
    printf("%-22s%.0f problems, %.0f solved by a draw", "rounding", rounding->problems, rounding->solved);
    if (rounding->repaired > 0) {
        printf(", %.0f mended by repair", rounding->repaired);
    }
    printf(", %.0f draws\n", rounding->draws);
    printf("%-22s", "rounding guarantee");
    if (rounding->guarantee_held >= rounding->problems) {
        fputs("premise held for all", stdout);
    } else {
        printf("premise held for %.0f", rounding->guarantee_held);
    }
    if (rounding->why_not != NULL) {
        fputs("; first exception: ", stdout);
        cli_print_text(rounding->why_not, 0);
    }
    putchar('\n');
    print_promise(&rounding->promise);
}

/* Three significant digits of a share; rounding errors are 0. */
static const char *percent(char buffer[32], double share) {
    snprintf(buffer, 32, "%.3g", share < 1e-12 ? 0 : 100 * share);
    return buffer;
}

static void print_placement(const berth_placement_summary *placement) {
    char mean[32];
    char worst[32];
    if (!(placement->slots > 0)) {
        cli_row("placement", "configuration rounding: no slot across machines");
        return;
    }
    cli_row("placement", "configuration rounding: %.0f slots across machines, %.0f proved cheapest", placement->slots,
            placement->proved);
    cli_row("", "cost over the bound: mean %s%%, worst %s%%", percent(mean, placement->mean_gap),
            percent(worst, placement->worst_gap));
}

static void print_timings(const berth_timings *timings) {
    const struct {
        const char *name;
        double seconds;
    } phases[] = {
        {"relaxation", timings->relaxation_s}, {"rounding", timings->rounding_s},
        {"schedule", timings->schedule_s},     {"payoff bound", timings->payoff_bound_s},
        {"dual bound", timings->dual_bound_s},
    };
    char a[32];
    char b[32];
    char c[32];
    if (!isnan(timings->p50_us)) {
        cli_row("decision time", "p50 %s, p99 %s, max %s", cli_duration(a, 1e-6 * timings->p50_us),
                cli_duration(b, 1e-6 * timings->p99_us), cli_duration(c, 1e-6 * timings->max_us));
    }
    printf("%-22stotal %s", "time", cli_duration(a, timings->total_s));
    for (size_t i = 0; i < sizeof phases / sizeof *phases; i++) {
        printf("%s%s %s", i == 0 ? "; added up over all threads: " : ", ", phases[i].name,
               cli_duration(a, phases[i].seconds));
    }
    putchar('\n');
}

/* A job's text columns are as wide as their widest entry, within reason. */
static int id_width(const berth_run *run, size_t n) {
    size_t width = 3;
    for (size_t job = 0; job < n; job++) {
        size_t length = strlen(run->jobs[job].id);
        width = length > width ? length : width;
    }
    return width < 32 ? (int)width : 32;
}

/* May the job table show utilities and prices with four decimals? Beside prices of full machines those of idle ones
 * are next to nothing and look it then. Not if that would hide everything or break the columns. */
static bool fixed_point_fits(const berth_run *run, size_t n) {
    double largest = 0;
    for (size_t job = 0; job < n; job++) {
        const berth_run_job *j = &run->jobs[job];
        largest = fmax(largest, fmax(fabs(j->utility), fmax(fabs(j->price_paid), fabs(j->payoff_bound))));
    }
    return largest <= 0 || (largest >= 0.1 && largest < 1e6);
}

static void print_money(bool fixed, double value) {
    if (isnan(value)) {
        printf("  %12s", "-");
    } else {
        printf(fixed ? "  %12.4f" : "  %12.4g", value);
    }
}

/* "-" for a slot that is not there. */
static const char *slot_text(char *buffer, size_t size, int slot) {
    snprintf(buffer, size, slot < 0 ? "-" : "%d", slot);
    return buffer;
}

/* Which columns have anything to say. */
typedef struct job_columns {
    int width;
    bool fixed, promised, priced;
} job_columns;

static job_columns choose_columns(const berth_run *run, size_t n) {
    job_columns columns = {.width = id_width(run, n), .fixed = fixed_point_fits(run, n)};
    for (size_t job = 0; job < n; job++) {
        const berth_run_job *j = &run->jobs[job];
        bool moved = j->admitted && j->promised_slot >= 0 && j->promised_slot != j->completion_slot;
        columns.promised = columns.promised || moved || strcmp(run->policy, "bidlp") == 0;
        columns.priced = columns.priced || j->price_paid > 0 || !isnan(j->payoff_bound);
    }
    return columns;
}

static void print_job(const berth_run_job *job, int arrival_slot, const job_columns *columns) {
    char text[3][32];
    printf("  ");
    cli_print_text(job->id, columns->width);
    printf(" %7d  ", arrival_slot);
    static const char *const outcomes[] = {
#define OUTCOME_TEXT(name, value, words) [value] = words,
        BERTH_JOB_OUTCOME_TABLE(OUTCOME_TEXT)
#undef OUTCOME_TEXT
    };
    printf("%-10s ", outcomes[job->outcome]);
    if (columns->promised) {
        printf("%8s ", slot_text(text[2], sizeof text[2], job->promised_slot));
    }
    printf("%5s %5s", slot_text(text[0], sizeof text[0], job->completion_slot),
           slot_text(text[1], sizeof text[1], job->delay_slots));
    print_money(columns->fixed, job->utility);
    if (columns->priced) {
        print_money(columns->fixed, job->price_paid);
        print_money(columns->fixed, job->payoff_bound);
    }
    fputs("  ", stdout);
    cli_print_text(job->reason, 0);
    putchar('\n');
}

static void print_jobs(const berth_instance *instance, const berth_run *run, size_t most_jobs) {
    size_t shown = run->n_jobs < most_jobs ? run->n_jobs : most_jobs;
    job_columns columns = choose_columns(run, shown);
    if (shown == 0) {
        return;
    }
    printf("\n  %-*s arrival  %-10s %s%5s %5s  %12s%s  reason\n", columns.width, "job", "outcome",
           columns.promised ? "promised " : "", "done", "delay", "utility",
           columns.priced ? "    price paid  payoff bound" : "");
    for (size_t job = 0; job < shown; job++) {
        print_job(&run->jobs[job], instance->jobs[job].arrival_slot, &columns);
    }
    if (shown < run->n_jobs) {
        printf("  ... %zu more (--jobs shows all)\n", run->n_jobs - shown);
    }
    printf("  %sdone: slot of completion; delay: slots from arrival to completion%s\n",
           columns.promised ? "promised: at admission, to complete no later; " : "",
           columns.priced
               ? "; price paid: of all that the job occupies, at\n  the prices it met; payoff bound: no plan "
                 "at those prices could have had a larger utility - price"
               : "");
}

void cli_print_run(const berth_instance *instance, const berth_run *run, const berth_timings *timings,
                   size_t most_jobs) {
    print_setting(instance, run);
    print_quality(run);
    print_estimation(run);
    print_utilisation(instance, run);
    print_prices(run);
    if (run->placement != NULL) {
        print_placement(run->placement);
    } else {
        print_rounding(run);
    }
    print_timings(timings);
    print_jobs(instance, run, most_jobs);
}
