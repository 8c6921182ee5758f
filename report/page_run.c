/* The page of one or several runs of an instance. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/numeric.h"
#include "report/names.h"
#include "report/page.h"

enum { MOST_JOBS = 5000 }; /* rows of a table */

typedef struct run_subject {
    berth_plot plot;
    const berth_instance *instance;
    const berth_run *run;
} run_subject;

static berth_status make_script(const void *subject, const berth_plot_options *options, berth_plot_script **out,
                                berth_error *error) {
    const run_subject *s = subject;
    return berth_plot_run(s->plot, s->instance, s->run, options, out, error);
}

/* ---- the instance ---- */

static void add_instance(berth__page *page, const berth_instance *instance) {
    char length[32];
    berth__text_add(&page->text, "<header>\n<h1>");
    berth__page_name(page, instance->name);
    berth__text_add(&page->text, "</h1>\n<p>%zu job%s on %zu machine%s over %d slot%s of %s.</p>\n</header>\n<main>\n",
                    instance->n_jobs, instance->n_jobs == 1 ? "" : "s", instance->n_machines,
                    instance->n_machines == 1 ? "" : "s", instance->horizon_slots,
                    instance->horizon_slots == 1 ? "" : "s", berth__slot_length(length, instance->slot_seconds));
}

static void add_machines(berth__page *page, const berth_instance *instance) {
    berth__text_add(&page->text, "<section>\n<h2>Machines</h2>\n");
    berth__page_fold_begin(page, instance->n_groups, "%zu group%s of machines", instance->n_groups,
                           instance->n_groups == 1 ? "" : "s");
    berth__page_table_begin(page, "Machines and what each of a group has");
    berth__page_head(page);
    berth__page_row_begin(page);
    berth__page_column(page, "group");
    berth__page_number_column(page, "machines");
    for (size_t r = 0; r < instance->n_resources; r++) {
        berth__page_number_column(page, instance->resources[r]);
    }
    berth__page_row_end(page);
    berth__page_body(page);
    for (size_t g = 0; g < instance->n_groups; g++) {
        berth__page_row_begin(page);
        berth__page_heading(page, instance->groups[g].name);
        berth__page_number(page, (double)instance->groups[g].count);
        for (size_t r = 0; r < instance->n_resources; r++) {
            berth__page_number(page, instance->groups[g].capacity[r]);
        }
        berth__page_row_end(page);
    }
    berth__page_table_end(page);
    berth__page_fold_end(page);
    if (instance->source[0] != '\0') {
        berth__text_add(&page->text, "<p class=\"note\">");
        berth__page_name(page, instance->source);
        berth__text_add(&page->text, "</p>\n");
    }
    berth__text_add(&page->text, "</section>\n");
}

/* ---- all runs side by side ---- */

typedef struct figure {
    const char *label;
    double (*of)(const berth_run *run);
} figure;

/* A result that somebody else wrote may claim nothing of the sort. */
static double claimed(const berth_run *run, double value) {
    return run->summary.utilisation != NULL ? value : (double)NAN;
}
static double utility_of(const berth_run *run) {
    return run->utility;
}
static double bound_of(const berth_run *run) {
    return run->bounds.best;
}
static double ratio_of(const berth_run *run) {
    return run->bounds.void_because == NULL ? run->bounds.ratio : (double)NAN;
}
static double admitted_of(const berth_run *run) {
    return claimed(run, (double)run->summary.admitted);
}
static double completed_of(const berth_run *run) {
    return claimed(run, (double)run->summary.completed);
}
static double mean_delay_of(const berth_run *run) {
    return run->summary.mean_delay_slots;
}
static double median_delay_of(const berth_run *run) {
    return run->summary.median_delay_slots;
}
static double makespan_of(const berth_run *run) {
    return claimed(run, run->summary.makespan_slots);
}
static double noise_of(const berth_run *run) {
    return run->noise;
}

static const figure figures[] = {{"utility", utility_of},
                                 {"bound: no schedule can earn more", bound_of},
                                 {"bound / utility", ratio_of},
                                 {"jobs admitted", admitted_of},
                                 {"jobs completed", completed_of},
                                 {"mean delay, slots", mean_delay_of},
                                 {"median delay, slots", median_delay_of},
                                 {"makespan, slots", makespan_of},
                                 {"noise (sigma)", noise_of}};

static void add_solvers(berth__page *page, size_t n, const berth_run *const *runs) {
    berth__page_row_begin(page);
    berth__page_heading(page, "solver");
    for (size_t k = 0; k < n; k++) {
        berth__text_add(&page->text, "<td class=\"number\">");
        berth__page_name(page, runs[k]->solver != NULL ? runs[k]->solver : "-");
        berth__text_add(&page->text, "</td>");
    }
    berth__page_row_end(page);
}

static void add_utilisation_rows(berth__page *page, const berth_instance *instance, size_t n,
                                 const berth_run *const *runs) {
    for (size_t r = 0; r < instance->n_resources; r++) {
        berth__text_add(&page->text, "<tr><th scope=\"row\">utilisation of ");
        berth__page_name(page, instance->resources[r]);
        berth__text_add(&page->text, ", %%</th>");
        for (size_t k = 0; k < n; k++) {
            const double *all = runs[k]->summary.utilisation;
            berth__page_number(page, all != NULL ? 100 * all[r] : (double)NAN);
        }
        berth__page_row_end(page);
    }
}

static void add_summary(berth__page *page, const berth_instance *instance, size_t n, const berth_run *const *runs) {
    berth__text_add(&page->text, "<section>\n<h2>%s</h2>\n", n == 1 ? "The run" : "The runs side by side");
    berth__page_table_begin(page, "Figures of the runs");
    berth__page_head(page);
    berth__page_row_begin(page);
    berth__page_column(page, "policy");
    for (size_t k = 0; k < n; k++) {
        char seed[48];
        snprintf(seed, sizeof seed, ", seed %" PRIu64, runs[k]->seed);
        berth__text_add(&page->text, "<th scope=\"col\" class=\"number\">");
        berth__page_name(page, runs[k]->policy);
        berth__text_add(&page->text, "%s</th>", seed);
    }
    berth__page_row_end(page);
    berth__page_body(page);
    add_solvers(page, n, runs);
    for (size_t f = 0; f < sizeof figures / sizeof *figures; f++) {
        berth__page_row_begin(page);
        berth__page_heading(page, figures[f].label);
        for (size_t k = 0; k < n; k++) {
            berth__page_number(page, figures[f].of(runs[k]));
        }
        berth__page_row_end(page);
    }
    add_utilisation_rows(page, instance, n, runs);
    berth__page_table_end(page);
    berth__text_add(&page->text, "</section>\n");
}

/* ---- one run ---- */

static const char *const outcomes[] = {
#define TEXT(name, value, text) [value] = text,
    BERTH_JOB_OUTCOME_TABLE(TEXT)
#undef TEXT
};

static void add_slot(berth__page *page, int slot) {
    berth__page_number(page, slot >= 0 ? slot : (double)NAN);
}

static void add_job(berth__page *page, const berth_job *job, const berth_run_job *result) {
    berth__page_row_begin(page);
    berth__page_heading(page, job->id);
    berth__page_cell(page, job->tenant != NULL ? job->tenant : "-");
    add_slot(page, job->arrival_slot);
    berth__page_cell(page, outcomes[result->outcome]);
    add_slot(page, result->promised_slot);
    add_slot(page, result->completion_slot);
    add_slot(page, result->delay_slots);
    berth__page_number(page, result->utility);
    berth__page_number(page, result->price_paid);
    berth__page_cell(page, result->reason != NULL ? result->reason : "-");
    berth__page_row_end(page);
}

static void add_jobs(berth__page *page, const berth_instance *instance, const berth_run *run) {
    static const struct {
        const char *name;
        bool is_text;
    } columns[] = {{"job", true},           {"tenant", true},          {"arrival, slot", false},
                   {"outcome", true},       {"promised, slot", false}, {"done, slot", false},
                   {"delay, slots", false}, {"utility", false},        {"price paid", false},
                   {"reason", true}};
    const size_t n = run->n_jobs < MOST_JOBS ? run->n_jobs : MOST_JOBS;
    if (n < run->n_jobs) {
        berth__page_fold_begin(page, n, "Jobs: the first %zu of %zu", n, run->n_jobs);
    } else {
        berth__page_fold_begin(page, n, "Jobs: all %zu", n);
    }
    berth__page_table_begin(page, "What became of each job");
    berth__page_head(page);
    berth__page_row_begin(page);
    for (size_t k = 0; k < sizeof columns / sizeof *columns; k++) {
        (columns[k].is_text ? berth__page_column : berth__page_number_column)(page, columns[k].name);
    }
    berth__page_row_end(page);
    berth__page_body(page);
    for (size_t k = 0; k < n; k++) {
        add_job(page, &instance->jobs[k], &run->jobs[k]);
    }
    berth__page_table_end(page);
    berth__page_fold_end(page);
}

static void add_remarks(berth__page *page, const berth_run *run) {
    if (run->stopped) {
        berth__text_add(&page->text, "<p>The run was stopped early: some jobs may be undecided.</p>\n");
    }
    if (run->bounds.void_because != NULL) {
        berth__text_add(&page->text, "<p>The bound is void: ");
        berth__page_name(page, run->bounds.void_because);
        berth__text_add(&page->text, ".</p>\n");
    }
    if (run->estimation != NULL) {
        const berth_estimation_summary *e = run->estimation;
        berth__text_add(&page->text,
                        "<p>Estimation errors: %zu jobs early, %zu late, %zu unfinished; %zu promises kept, %zu "
                        "broken.</p>\n",
                        e->early, e->late, e->unfinished, e->promises_kept, e->promises_broken);
    }
}

static void add_run(berth__page *page, const berth_instance *instance, const berth_run *run, size_t number) {
    run_subject subject = {.instance = instance, .run = run};
    berth__text_add(&page->text, "<section id=\"run%zu\">\n<h2>", number + 1);
    berth__page_name(page, run->policy);
    berth__text_add(&page->text, ", seed %" PRIu64 "</h2>\n", run->seed);
    add_remarks(page, run);
    for (int plot = BERTH_PLOT_GANTT; plot <= BERTH_PLOT_PRICES; plot++) {
        subject.plot = (berth_plot)plot;
        if (plot == BERTH_PLOT_PRICES && (run->certificate == NULL || run->certificate->n_classes == 0)) {
            berth__text_add(&page->text, "<p class=\"note\">No prices: the result carries no certificate.</p>\n");
        } else {
            berth__page_figure(page, make_script, &subject, BERTH_METRIC_UTILITY);
        }
    }
    add_jobs(page, instance, run);
    berth__text_add(&page->text, "</section>\n");
}

static void add_contents(berth__page *page, size_t n, const berth_run *const *runs) {
    if (n < 2) {
        return;
    }
    berth__text_add(&page->text, "<nav aria-label=\"Runs\">\n<ul>\n");
    for (size_t k = 0; k < n; k++) {
        berth__text_add(&page->text, "<li><a href=\"#run%zu\">", k + 1);
        berth__page_name(page, runs[k]->policy);
        berth__text_add(&page->text, ", seed %" PRIu64 "</a></li>\n", runs[k]->seed);
    }
    berth__text_add(&page->text, "</ul>\n</nav>\n");
}

/* ---- the whole ---- */

static berth_status check_runs(const berth_instance *instance, size_t n, const berth_run *const *runs,
                               const berth_renderer *renderer, const char *path, berth_error *error) {
    if (instance == NULL || n == 0 || runs == NULL || renderer == NULL || renderer->draw == NULL || path == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, NULL, "instance, runs, renderer and path must not be NULL");
    }
    for (size_t k = 0; k < n; k++) {
        if (runs[k] == NULL || runs[k]->instance_crc32 != instance->crc32 || runs[k]->n_jobs != instance->n_jobs) {
            return berth__fail(error, BERTH_E_MISMATCH, NULL, "run %zu is not one of this instance", k + 1);
        }
    }
    return BERTH_OK;
}

berth_status berth_run_page_write(const berth_instance *instance, size_t n_runs, const berth_run *const *runs,
                                  const berth_renderer *renderer, const char *path, berth_error *error) {
    berth__error_clear(error);
    berth_status status = check_runs(instance, n_runs, runs, renderer, path, error);
    berth__c_locale locale;
    if (status != BERTH_OK) {
        return status;
    }
    if (!berth__c_locale_enter(&locale)) {
        return berth__fail_memory(error);
    }
    berth__page page = {.renderer = renderer, .error = error};
    berth__page_begin(&page, "berth run", instance->name);
    add_instance(&page, instance);
    add_contents(&page, n_runs, runs);
    add_summary(&page, instance, n_runs, runs);
    for (size_t k = 0; k < n_runs && page.status == BERTH_OK; k++) {
        add_run(&page, instance, runs[k], k);
    }
    add_machines(&page, instance);
    status = berth__page_finish(&page, path);
    berth__c_locale_leave(&locale);
    return status;
}
