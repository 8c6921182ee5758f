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
    if (bounds->void_because != NULL) {
        text_row("bound / utility", bounds->void_because);
    } else {
        cli_row("bound / utility", "%s", cli_number(a, bounds->ratio));
    }
    cli_row("delay", "mean %s, median %s slots", cli_number(a, run->summary.mean_delay_slots),
            cli_number(b, run->summary.median_delay_slots));
    cli_row("makespan", "%d slots", run->summary.makespan_slots);
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
    cli_row("prices", "%s%s",
            run->price_oracle ? "from the instance's own jobs (an oracle: it knows those to come)" : "given",
            run->price_floored ? "; floored" : "");
    if (run->closed_form_why_not != NULL) {
        text_row("closed-form ratio", run->closed_form_why_not);
    } else if (!isnan(run->closed_form_ratio)) {
        cli_row("closed-form ratio", "%s", cli_number(number, run->closed_form_ratio));
    }
}

static void print_rounding(const berth_run *run) {
    const berth_rounding_summary *rounding = run->rounding;
    if (rounding == NULL) {
        return;
    }
    cli_row("rounding", "%.0f problems, %.0f solved by a draw, %.0f draws", rounding->problems, rounding->solved,
            rounding->draws);
    if (rounding->why_not == NULL) {
        cli_row("rounding guarantee", "held for all");
    } else {
        printf("%-22s", "rounding guarantee");
        printf("held for %.0f; first exception: ", rounding->guarantee_held);
        cli_print_text(rounding->why_not, 0);
        putchar('\n');
    }
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
    cli_row("decision time", "p50 %s, p99 %s, max %s", cli_duration(a, 1e-6 * timings->p50_us),
            cli_duration(b, 1e-6 * timings->p99_us), cli_duration(c, 1e-6 * timings->max_us));
    printf("%-22stotal %s", "time", cli_duration(a, timings->total_s));
    for (size_t i = 0; i < sizeof phases / sizeof *phases; i++) {
        printf("%s%s %s", i == 0 ? " (over threads: " : ", ", phases[i].name, cli_duration(a, phases[i].seconds));
    }
    puts(")");
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

/* "-" for a slot that is not there. */
static const char *slot_text(char *buffer, size_t size, int slot) {
    snprintf(buffer, size, slot < 0 ? "-" : "%d", slot);
    return buffer;
}

static void print_job(const berth_run_job *job, int arrival_slot, int width) {
    char text[5][32];
    printf("  ");
    cli_print_text(job->id, width);
    printf(" %7d  ", arrival_slot);
    static const char *const outcomes[] = {
#define OUTCOME_TEXT(name, value, words) [value] = words,
        BERTH_JOB_OUTCOME_TABLE(OUTCOME_TEXT)
#undef OUTCOME_TEXT
    };
    printf("%-10s %5s %5s %10s %10s %10s  ", outcomes[job->outcome],
           slot_text(text[0], sizeof text[0], job->completion_slot),
           slot_text(text[1], sizeof text[1], job->delay_slots), cli_number(text[2], job->utility),
           cli_number(text[3], job->price_paid), cli_number(text[4], job->payoff_bound));
    cli_print_text(job->reason, 0);
    putchar('\n');
}

static void print_jobs(const berth_instance *instance, const berth_run *run, size_t most_jobs) {
    size_t shown = run->n_jobs < most_jobs ? run->n_jobs : most_jobs;
    int width = id_width(run, shown);
    if (shown > 0) {
        printf("\n  %-*s arrival  %-10s %5s %5s %10s %10s %10s  reason\n", width, "job", "outcome", "done", "delay",
               "utility", "paid", "bound");
    }
    for (size_t job = 0; job < shown; job++) {
        print_job(&run->jobs[job], instance->jobs[job].arrival_slot, width);
    }
    if (shown < run->n_jobs) {
        printf("  ... %zu more (--jobs shows all)\n", run->n_jobs - shown);
    }
}

void cli_print_run(const berth_instance *instance, const berth_run *run, const berth_timings *timings,
                   size_t most_jobs) {
    print_setting(instance, run);
    print_quality(run);
    print_utilisation(instance, run);
    print_prices(run);
    print_rounding(run);
    print_timings(timings);
    print_jobs(instance, run, most_jobs);
}
