/* A metric of a comparison by policy: horizontal bars with intervals, a panel for each instance. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "report/canvas.h"
#include "report/fairness.h"

enum { BAR = 26, NAME = 16, LONGEST_NAME = 48, AROUND_PANEL = 74, AROUND = 100, LEAST_BAR = 14, MOST_HEIGHT = 900 };

typedef struct bars {
    berth__canvas *canvas;
    const berth_comparison *comparison;
    berth_metric metric;
    size_t n_panels;
    double left, right; /* room for the policies' names, for the values */
    bool above;         /* long names stand above their bars */
} bars;

static const berth_estimate *estimate_of(const bars *b, size_t instance, size_t policy) {
    return &b->comparison
                ->estimates[(instance * b->comparison->n_policies + policy) * BERTH_N_METRICS + (size_t)b->metric];
}

static bool has_values(const bars *b) {
    for (size_t i = 0; i < b->comparison->n_instances; i++) {
        for (size_t p = 0; p < b->comparison->n_policies; p++) {
            if (estimate_of(b, i, p)->n > 0) {
                return true;
            }
        }
    }
    return false;
}

static bool shows_bound(const bars *b, size_t instance) {
    return b->metric == BERTH_METRIC_UTILITY && isfinite(b->comparison->bounds[instance]);
}

static void number_text(double value, int digits, char text[32]) {
    if (fabs(value) >= pow(10, digits - 1) && fabs(value) < 1e7) {
        snprintf(text, 32, "%.0f", value);
    } else {
        snprintf(text, 32, "%.*g", digits, value);
    }
}

/* "23.1 ± 0.4" */
static void value_text(const berth_estimate *e, char text[72]) {
    char mean[32], half[32];
    number_text(e->mean, 4, mean);
    number_text(e->half_width, 2, half);
    if (e->n == 0) {
        snprintf(text, 72, "none");
    } else if (isnan(e->half_width)) {
        snprintf(text, 72, "%s", mean);
    } else {
        snprintf(text, 72, "%s \xc2\xb1 %s", mean, half);
    }
}

static void add_texts(bars *b) {
    const berth_comparison *c = b->comparison;
    berth__text_add(&b->canvas->heading, "Policies: %s", berth_metric_text(b->metric));
    berth__text_add(&b->canvas->caption, "Mean over %zu %s%s%s.", c->n_seeds, c->pooled ? "instance" : "seed",
                    c->n_seeds == 1 ? "" : "s",
                    c->n_seeds == 1 ? "" : ", with the interval that holds the true mean with 95 % confidence");
    if (c->stopped) {
        berth__text_add(&b->canvas->caption, " Stopped early: %zu of %zu runs.", c->n_done,
                        c->n_instances * c->n_policies * c->n_seeds);
    }
    if (b->metric == BERTH_METRIC_UTILITY && strcmp(c->bound, "none") != 0) {
        berth__text_add(&b->canvas->caption, " Dashed line: the %s bound, more than which no schedule can earn.",
                        strcmp(c->bound, "lp") == 0 ? "LP" : "dual");
    }
    if (b->metric == BERTH_METRIC_MEAN_FAIRNESS || b->metric == BERTH_METRIC_WORST_FAIRNESS) {
        berth__text_add(&b->canvas->caption, " %s", berth__rho_text);
    }
    if (c->n_instances > b->n_panels) {
        berth__text_add(&b->canvas->caption, " The first %zu of %zu instances.", b->n_panels, c->n_instances);
    }
}

/* The axis gets two thirds of the width at least where names are long: variants of a policy are named by their options.
 */
static void measure_margins(bars *b) {
    const double most = 0.3;
    char text[BERTH__NAME_ROOM];
    for (size_t k = 0; k < b->n_panels * b->comparison->n_policies; k++) {
        const size_t policy = k % b->comparison->n_policies;
        berth__clean_name(text, b->comparison->policies[policy], LONGEST_NAME);
        b->left = fmax(b->left, berth__text_width(text, BERTH__FONT));
        value_text(estimate_of(b, k / b->comparison->n_policies, policy), text);
        b->right = fmax(b->right, berth__text_width(text, BERTH__FONT));
    }
    b->above = b->left > most * b->canvas->width;
    b->left = b->above ? 0 : b->left;
}

/* Bars reach from 0 to the mean; the axis holds all intervals and the bound. */
static double axis_end(const bars *b, size_t instance) {
    const double largest = 1e300;
    double end = shows_bound(b, instance) ? b->comparison->bounds[instance] : 0;
    for (size_t p = 0; p < b->comparison->n_policies; p++) {
        const berth_estimate *e = estimate_of(b, instance, p);
        if (e->n > 0) {
            end = fmax(end, e->mean + (e->half_width > 0 ? e->half_width : 0));
        }
    }
    return end > 0 ? fmin(1.04 * end, largest) : 1;
}

/* Of a row that is 1 high, counted from its middle. */
static double middle_of_bar(const bars *b) {
    return b->above ? 0.2 : 0;
}

static void add_rows(bars *b, size_t panel) {
    berth__canvas *k = b->canvas;
    const double step = (k->bottom - k->top) / (double)b->comparison->n_policies;
    const double middle = middle_of_bar(b);
    char name[BERTH__NAME_ROOM], value[72];
    for (size_t p = 0; p < b->comparison->n_policies; p++) {
        const double y = k->top + step * ((double)p + 0.5);
        berth__clean_name(name, b->comparison->policies[p], LONGEST_NAME);
        if (b->above) {
            berth__canvas_text(k, k->left + 2, y - 0.28 * step, BERTH__LEFT, BERTH__FONT, k->colours->text, name);
        } else {
            berth__canvas_text(k, k->left - 8, y, BERTH__RIGHT, BERTH__FONT, k->colours->text, name);
        }
        value_text(estimate_of(b, panel, p), value);
        berth__canvas_text(k, k->right + 8, y + middle * step, BERTH__LEFT, BERTH__FONT, k->colours->text, value);
    }
    berth__text_add(&k->script, "$bars%zu << EOD\n", panel);
    for (size_t p = 0; p < b->comparison->n_policies; p++) {
        const berth_estimate *e = estimate_of(b, panel, p);
        if (e->n > 0) {
            double half = e->half_width > 0 ? e->half_width : 0;
            berth__text_add(&k->script, "%g %.9g %.9g %.9g\n", (double)p + middle, e->mean, e->mean - half,
                            e->mean + half);
        }
    }
    berth__text_add(&k->script, "EOD\n");
}

static void add_bound(bars *b, size_t panel) {
    berth__canvas *k = b->canvas;
    if (shows_bound(b, panel)) {
        berth__text_add(
            &k->script,
            "set arrow from first %.9g, graph 0 to first %.9g, graph 1 nohead back dt (6,4) lw 1.5 lc rgb '%s'\n",
            b->comparison->bounds[panel], b->comparison->bounds[panel], k->colours->text);
    }
}

static void add_panel(bars *b, size_t panel, double top, double bottom) {
    berth__canvas *k = b->canvas;
    char name[BERTH__NAME_ROOM];
    const double half = b->above ? 0.22 : 0.32; /* of a bar's height, in rows */
    bool any = false;
    berth__canvas_frame(k, 12 + b->left + 8, top, k->width - 12 - b->right - 8, bottom);
    berth__canvas_text(k, 12, top - 14, BERTH__LEFT, BERTH__FONT, k->colours->text,
                       berth__clean_name(name, b->comparison->instances[panel], k->width < 600 ? 40 : 60));
    berth__canvas_axis(k, 'x', 0, axis_end(b, panel), false);
    berth__text_add(&k->script, "set yrange [%g:-0.5]\n", (double)b->comparison->n_policies - 0.5);
    add_bound(b, panel);
    add_rows(b, panel);
    for (size_t p = 0; p < b->comparison->n_policies; p++) {
        any = any || estimate_of(b, panel, p)->n > 0;
    }
    if (panel + 1 == b->n_panels) {
        berth__canvas_text(k, (k->left + k->right) / 2, bottom + 40, BERTH__CENTRE, BERTH__FONT, k->colours->text,
                           berth_metric_text(b->metric));
    }
    if (any) {
        berth__text_add(
            &k->script,
            "plot $bars%zu using ($2/2):1:(0):2:($1-%g):($1+%g) with boxxyerror fs solid noborder fc rgb '%s', "
            "\\\n  '' using 2:1:3:4 with xerrorbars pt 7 ps 0.3 lw 1.6 lc rgb '%s'\n",
            panel, half, half, k->colours->bar, k->colours->text);
    } else {
        berth__text_add(&k->script, "plot NaN\n");
    }
    berth__text_add(&k->script, "unset label\nunset arrow\n");
}

/* As many as fit; without a given height, as high as they need. */
static void choose_panels(bars *b) {
    berth__canvas *k = b->canvas;
    const berth_comparison *c = b->comparison;
    b->n_panels = c->n_instances; /* values of all: a little room too much, if anything */
    measure_margins(b);
    const int names = b->above ? NAME : 0, n = (int)c->n_policies;
    const int each = AROUND_PANEL + (BAR + names) * n, least = AROUND_PANEL + (LEAST_BAR + names) * n;
    const int fit = k->height != 0 ? (k->height - AROUND) / least : (MOST_HEIGHT - AROUND) / each;
    b->n_panels = fit < 1 ? 1 : (size_t)fit < c->n_instances ? (size_t)fit : c->n_instances;
    if (k->height == 0) {
        k->height = AROUND + each * (int)b->n_panels;
    }
}

berth_status berth__plot_policies(berth__canvas *canvas, const berth_comparison *comparison, berth_error *error) {
    bars b = {.canvas = canvas, .comparison = comparison, .metric = canvas->options->metric};
    if (!has_values(&b)) {
        return berth__fail(error, BERTH_E_INPUT, NULL, "the comparison has no value of the metric %s",
                           berth_metric_name(b.metric));
    }
    choose_panels(&b);
    add_texts(&b);
    berth__canvas_begin(canvas);
    berth__text_add(&canvas->script,
                    "set border 1\nunset ytics\nset grid x back lt 1 lw 1 lc rgb '%s'\nset multiplot\n",
                    canvas->colours->grid);
    const double top = canvas->bottom_of_text, bottom = canvas->height - berth__caption_height(canvas) - 30;
    const double step = (bottom - top) / (double)b.n_panels;
    for (size_t panel = 0; panel < b.n_panels; panel++) {
        add_panel(&b, panel, top + step * (double)panel + 28, top + step * (double)(panel + 1) - 34);
    }
    berth__text_add(&canvas->script, "unset multiplot\n");
    return BERTH_OK;
}
