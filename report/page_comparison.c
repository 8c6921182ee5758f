/* The page of a comparison. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/numeric.h"
#include "report/fairness.h"
#include "report/page.h"

/* Metrics that are drawn, where there are values of them. */
static const berth_metric drawn[] = {BERTH_METRIC_UTILITY,    BERTH_METRIC_OF_BOUND,      BERTH_METRIC_COMPLETED,
                                     BERTH_METRIC_MEAN_DELAY, BERTH_METRIC_MEAN_FAIRNESS, BERTH_METRIC_UTILISATION};

static berth_status make_script(const void *subject, const berth_plot_options *options, berth_plot_script **out,
                                berth_error *error) {
    return berth_plot_comparison(subject, options, out, error);
}

static const berth_estimate *of(const berth_comparison *c, const berth_estimate *all, size_t instance, size_t policy,
                                size_t metric) {
    return &all[(instance * c->n_policies + policy) * BERTH_N_METRICS + metric];
}

/* Metrics of which there are values. */
typedef struct shown_metrics {
    bool metric[BERTH_N_METRICS];
} shown_metrics;

static shown_metrics find_shown(const berth_comparison *c, bool measured) {
    shown_metrics shown = {{false}};
    for (size_t k = 0; k < c->n_instances * c->n_policies * BERTH_N_METRICS; k++) {
        const size_t metric = k % BERTH_N_METRICS;
        shown.metric[metric] =
            shown.metric[metric] || (c->estimates[k].n > 0 && (measured || metric < BERTH_FIRST_MEASURED_METRIC));
    }
    return shown;
}

/* ---- beginning ---- */

static const char *bound_text(const berth_comparison *c) {
    return strcmp(c->bound, "lp") == 0 ? "LP bound" : "Dual bound";
}

static void add_header(berth__page *page, const berth_comparison *c, const shown_metrics *shown) {
    const size_t n = c->pooled ? c->n_seeds : c->n_instances;
    berth__text_add(&page->text, "<header>\n<h1>Comparison of policies</h1>\n<p>%zu polic%s on %zu instance%s, ",
                    c->n_policies, c->n_policies == 1 ? "y" : "ies", n, n == 1 ? "" : "s");
    if (c->n_seeds == 1) {
        berth__text_add(&page->text, "seed %" PRIu64 ".", c->first_seed);
    } else {
        berth__text_add(&page->text,
                        "seeds %" PRIu64 " to %" PRIu64
                        "%s. Means over %s; &#177;: of the mean, with 95 %% confidence.",
                        c->first_seed, c->first_seed + c->n_seeds - 1, c->pooled ? ", one for each" : "",
                        c->pooled ? "instances" : "seeds");
    }
    berth__text_add(&page->text, "</p>\n");
    if (c->stopped) {
        berth__text_add(
            &page->text,
            "<p>The comparison was stopped early: %zu of %zu runs are there, and means are over these.</p>\n",
            c->n_done, c->n_instances * c->n_policies * c->n_seeds);
    }
    if (shown->metric[BERTH_METRIC_MEAN_FAIRNESS] || shown->metric[BERTH_METRIC_WORST_FAIRNESS]) {
        berth__text_add(&page->text, "<p class=\"note\">%s Delays, too, are over completed jobs.</p>\n",
                        berth__rho_text);
    }
    berth__text_add(&page->text, "</header>\n<main>\n");
}

static void add_pictures(berth__page *page, const berth_comparison *c, const shown_metrics *shown) {
    berth__text_add(&page->text, "<section>\n<h2>Pictures</h2>\n");
    for (size_t k = 0; k < sizeof drawn / sizeof *drawn; k++) {
        if (shown->metric[drawn[k]]) {
            berth__page_figure(page, make_script, c, drawn[k]);
        }
    }
    berth__text_add(&page->text, "</section>\n");
}

static void add_policies_row(berth__page *page, const berth_comparison *c, const char *corner, size_t first) {
    berth__page_head(page);
    berth__page_row_begin(page);
    berth__page_column(page, corner);
    for (size_t p = first; p < c->n_policies; p++) {
        berth__page_number_column(page, c->policies[p]);
    }
    berth__page_row_end(page);
    berth__page_body(page);
}

/* Instances by policies, where there is more than one instance. */
static void add_overview(berth__page *page, const berth_comparison *c, const shown_metrics *shown) {
    const size_t metric = shown->metric[BERTH_METRIC_OF_BOUND] ? BERTH_METRIC_OF_BOUND : BERTH_METRIC_UTILITY;
    if (c->n_instances < 2) {
        return;
    }
    berth__text_add(&page->text, "<section>\n<h2>All instances: %s</h2>\n", berth_metric_text((berth_metric)metric));
    berth__page_table_begin(page, "Instances by policies");
    add_policies_row(page, c, "instance", 0);
    for (size_t i = 0; i < c->n_instances; i++) {
        berth__text_add(&page->text, "<tr><th scope=\"row\"><a href=\"#instance%zu\">", i + 1);
        berth__page_name(page, c->instances[i]);
        berth__text_add(&page->text, "</a></th>");
        for (size_t p = 0; p < c->n_policies; p++) {
            berth__page_estimate(page, of(c, c->estimates, i, p, metric), false);
        }
        berth__page_row_end(page);
    }
    berth__page_table_end(page);
    berth__text_add(&page->text, "</section>\n");
}

/* ---- an instance ---- */

static void add_block(berth__page *page, const berth_comparison *c, size_t instance, const shown_metrics *shown,
                      bool differences) {
    const berth_estimate *all = differences ? c->differences : c->estimates;
    const size_t first = differences ? 1 : 0;
    berth__page_table_begin(page, differences ? "Differences to the first policy" : "Metrics by policies");
    add_policies_row(page, c, "metric", first);
    for (size_t m = 0; m < BERTH_N_METRICS; m++) {
        if (!shown->metric[m]) {
            continue;
        }
        berth__page_row_begin(page);
        berth__page_heading(page, berth_metric_text((berth_metric)m));
        for (size_t p = first; p < c->n_policies; p++) {
            berth__page_estimate(page, of(c, all, instance, p, m), differences);
        }
        berth__page_row_end(page);
    }
    berth__page_table_end(page);
}

static void add_runs(berth__page *page, const berth_comparison *c, size_t instance, const shown_metrics *shown) {
    const size_t rows = c->n_policies * c->n_seeds;
    berth__page_fold_begin(page, rows, "Every run: %zu", rows);
    berth__page_table_begin(page, "Every run");
    berth__page_head(page);
    berth__page_row_begin(page);
    berth__page_column(page, "policy");
    berth__page_number_column(page, "seed");
    for (size_t m = 0; m < BERTH_N_METRICS; m++) {
        if (shown->metric[m]) {
            berth__page_number_column(page, berth_metric_text((berth_metric)m));
        }
    }
    berth__page_row_end(page);
    berth__page_body(page);
    for (size_t row = 0; row < rows; row++) {
        const double *values = c->values + (instance * rows + row) * BERTH_N_METRICS;
        berth__page_row_begin(page);
        berth__page_heading(page, c->policies[row / c->n_seeds]);
        berth__text_add(&page->text, "<td class=\"number\">%" PRIu64 "</td>", c->first_seed + row % c->n_seeds);
        for (size_t m = 0; m < BERTH_N_METRICS; m++) {
            if (shown->metric[m]) {
                berth__page_number(page, values[m]);
            }
        }
        berth__page_row_end(page);
    }
    berth__page_table_end(page);
    berth__page_fold_end(page);
}

static void add_instance(berth__page *page, const berth_comparison *c, size_t i, const shown_metrics *shown) {
    berth__text_add(&page->text, "<section id=\"instance%zu\">\n<h2>", i + 1);
    berth__page_name(page, c->instances[i]);
    berth__text_add(&page->text, "</h2>\n<p class=\"note\">Checksum of the instance: %08" PRIx32 ".", c->crc32[i]);
    if (strcmp(c->bound, "none") != 0 && isnan(c->bounds[i])) {
        berth__text_add(&page->text, " No bound was found in time.");
    } else if (strcmp(c->bound, "none") != 0) {
        berth__text_add(&page->text, " %s: %.6g%s, and no schedule can earn more.", bound_text(c), c->bounds[i],
                        c->pooled ? " in the mean" : "");
    }
    berth__text_add(&page->text, "</p>\n");
    add_block(page, c, i, shown, false);
    if (c->n_policies > 1) {
        berth__text_add(&page->text, "<h3>Differences to ");
        berth__page_name(page, c->policies[0]);
        berth__text_add(&page->text, ", seed by seed</h3>\n");
        add_block(page, c, i, shown, true);
    }
    add_runs(page, c, i, shown);
    berth__text_add(&page->text, "</section>\n");
}

berth_status berth_comparison_page_write(const berth_comparison *comparison, bool measured,
                                         const berth_renderer *renderer, const char *path, berth_error *error) {
    berth__error_clear(error);
    if (comparison == NULL || renderer == NULL || renderer->draw == NULL || path == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, NULL, "comparison, renderer and path must not be NULL");
    }
    berth__c_locale locale;
    if (!berth__c_locale_enter(&locale)) {
        return berth__fail_memory(error);
    }
    const shown_metrics shown = find_shown(comparison, measured);
    berth__page page = {.renderer = renderer, .error = error};
    berth__page_begin(&page, "berth comparison", NULL);
    add_header(&page, comparison, &shown);
    add_pictures(&page, comparison, &shown);
    add_overview(&page, comparison, &shown);
    for (size_t i = 0; i < comparison->n_instances; i++) {
        add_instance(&page, comparison, i, &shown);
    }
    berth_status status = berth__page_finish(&page, path);
    berth__c_locale_leave(&locale);
    return status;
}
