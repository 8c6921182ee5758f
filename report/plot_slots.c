/* What goes over the slots of a run: utilisation of resources, prices of classes of machines. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "report/canvas.h"

enum { BELOW = 58, BIN = 2, LEAST_PANEL = 96, USUAL_PANEL = 180, USUAL_HEIGHT = 420, LEFT = 66, RIGHT = 20 };
enum { MOST_SERIES = 32, MOST_CLASSES = 8 };

/* Slots that are taken together, so that each has some pixels. */
static int slots_per_point(const berth__canvas *canvas, int horizon) {
    const int most = (canvas->width - LEFT - RIGHT) / BIN;
    return (horizon - 1) / most + 1;
}

/* "x mean" for each point, then the end of the last one, so that steps show it. values: [horizon], `stride` apart. */
static void add_series(berth__canvas *canvas, const char *name, size_t number, int horizon, const double *values,
                       size_t stride) {
    const int per_point = slots_per_point(canvas, horizon);
    double mean = 0;
    berth__text_add(&canvas->script, "$%s%zu << EOD\n", name, number);
    for (int from = 0; from < horizon; from += per_point) {
        const int to = from + per_point < horizon ? from + per_point : horizon;
        double sum = 0;
        for (int slot = from; slot < to; slot++) {
            sum += values[(size_t)slot * stride];
        }
        mean = sum / (to - from);
        berth__text_add(&canvas->script, "%d %.9g\n", from, mean);
    }
    berth__text_add(&canvas->script, "%d %.9g\nEOD\n", horizon, mean);
}

static void add_means_note(berth__canvas *canvas, int horizon) {
    const int per_point = slots_per_point(canvas, horizon);
    if (per_point > 1) {
        berth__text_add(&canvas->caption, " Means over %d slots each.", per_point);
    }
}

static void add_heading(berth__canvas *canvas, const char *what, const berth_instance *instance, const berth_run *run) {
    char name[BERTH__NAME_ROOM], policy[BERTH__NAME_ROOM];
    berth__text_add(&canvas->heading, "%s: %s under %s", what, berth__clean_name(name, instance->name, 40),
                    berth__clean_name(policy, run->policy, 40));
}

static void add_grid(berth__canvas *canvas) {
    berth__text_add(&canvas->script, "set grid y back lt 1 lw 1 lc rgb '%s'\n", canvas->colours->grid);
}

/* ---- utilisation ---- */

/* used: [horizon][n_resources], in percent of what the cluster has. */
static void add_usage(const berth_instance *instance, const berth_run *run, double *used) {
    const size_t n = instance->n_resources;
    for (size_t job = 0; job < run->n_jobs; job++) {
        const berth_job *j = &instance->jobs[job];
        for (size_t s = 0; s < run->jobs[job].n_slots; s++) {
            const berth_slot_plan *plan = &run->jobs[job].slots[s];
            double workers = 0, ps = 0;
            if (plan->slot < 0 || plan->slot >= instance->horizon_slots) {
                continue;
            }
            for (size_t k = 0; k < plan->n_placements; k++) {
                workers += plan->placements[k].workers;
                ps += plan->placements[k].ps;
            }
            for (size_t r = 0; r < n; r++) {
                used[(size_t)plan->slot * n + r] += workers * j->worker[r] + (j->ps != NULL ? ps * j->ps[r] : 0);
            }
        }
    }
}

static void to_percent(const berth_instance *instance, double *used) {
    const size_t n = instance->n_resources;
    for (size_t r = 0; r < n; r++) {
        double capacity = 0;
        for (size_t i = 0; i < instance->n_machines; i++) {
            capacity += instance->capacity[i * n + r];
        }
        for (size_t slot = 0; slot < (size_t)instance->horizon_slots; slot++) {
            used[slot * n + r] = capacity > 0 ? 100 * used[slot * n + r] / capacity : 0;
        }
    }
}

static void write_utilisation(berth__canvas *c, const berth_instance *instance, const berth_run *run,
                              const double *used) {
    const size_t n = instance->n_resources < MOST_SERIES ? instance->n_resources : MOST_SERIES;
    char names[MOST_SERIES][BERTH__NAME_ROOM];
    const char *entries[MOST_SERIES];
    double top = 100;
    for (size_t k = 0; k < (size_t)instance->horizon_slots * instance->n_resources; k++) {
        top = fmax(top, used[k]);
    }
    for (size_t r = 0; r < n; r++) {
        entries[r] = berth__clean_name(names[r], instance->resources[r], 24);
    }
    add_heading(c, "Utilisation", instance, run);
    berth__text_add(&c->caption,
                    "What admitted jobs hold of each resource in a slot, in parts of what all machines have.");
    add_means_note(c, instance->horizon_slots);
    berth__canvas_begin(c);
    berth__canvas_legend(c, n, entries);
    berth__canvas_frame(c, LEFT, c->bottom_of_text + 4, c->width - RIGHT, c->height - berth__caption_height(c) - BELOW);
    berth__canvas_axis(c, 'x', 0, instance->horizon_slots, true);
    berth__canvas_axis(c, 'y', 0, top, false);
    berth__canvas_slot_label(c, instance->slot_seconds);
    berth__canvas_text_up(c, 16, (c->top + c->bottom) / 2, "capacity in use, %");
    add_grid(c);
    for (size_t r = 0; r < n; r++) {
        add_series(c, "used", r, instance->horizon_slots, used + r, instance->n_resources);
    }
    for (size_t r = 0; r < n; r++) {
        berth__text_add(&c->script, "%s$used%zu using 1:2 with steps ", r == 0 ? "plot " : ", \\\n  ", r);
        berth__canvas_line_style(c, r);
    }
    berth__text_add(&c->script, "\n");
}

berth_status berth__plot_utilisation(berth__canvas *canvas, const berth_instance *instance, const berth_run *run,
                                     berth_error *error) {
    double *used = BERTH__NEW_ARRAY(double, (size_t)instance->horizon_slots * instance->n_resources);
    if (used == NULL) {
        return berth__fail_memory(error);
    }
    canvas->height = canvas->height != 0 ? canvas->height : USUAL_HEIGHT;
    add_usage(instance, run, used);
    to_percent(instance, used);
    write_utilisation(canvas, instance, run, used);
    berth__free(used);
    return BERTH_OK;
}

/* ---- prices ---- */

typedef struct price_chart {
    berth__canvas *canvas;
    const berth_instance *instance;
    const berth_certificate *certificate;
    size_t n_panels, panels[MOST_SERIES]; /* resources */
    size_t n_free;                        /* resources that cost nothing to speak of */
    bool all_free;
    size_t n_lines, lines[MOST_CLASSES]; /* classes of machines */
    size_t n_in_class[MOST_CLASSES], first_in_class[MOST_CLASSES];
} price_chart;

static const double *price_of(const price_chart *c, size_t slot, size_t class, size_t resource) {
    return c->certificate->prices + (slot * c->certificate->n_classes + class) * c->instance->n_resources + resource;
}

/* Puts `index` of weight `weight` into a list that keeps the heaviest, earlier ones first among equals. */
static void keep_heaviest(size_t *n, size_t most, size_t *list, double *weights, size_t index, double weight) {
    size_t at = *n;
    if (*n == most) {
        if (!(weight > weights[most - 1])) {
            return;
        }
        at--;
    } else {
        ++*n;
    }
    for (; at > 0 && weight > weights[at - 1]; at--) {
        list[at] = list[at - 1];
        weights[at] = weights[at - 1];
    }
    list[at] = index;
    weights[at] = weight;
}

/* The classes of most machines. */
static bool choose_classes(price_chart *c) {
    const size_t n = c->certificate->n_classes;
    size_t *count = BERTH__NEW_ARRAY(size_t, n), *first = BERTH__NEW_ARRAY(size_t, n);
    double weights[MOST_CLASSES];
    if (count != NULL && first != NULL) {
        for (size_t i = c->instance->n_machines; i-- > 0;) {
            const size_t class = (size_t)c->certificate->class_of_machine[i];
            count[class]++;
            first[class] = i;
        }
        for (size_t class = 0; class < n; class ++) {
            keep_heaviest(&c->n_lines, MOST_CLASSES, c->lines, weights, class, (double)count[class]);
        }
        for (size_t k = 0; k < c->n_lines; k++) {
            c->n_in_class[k] = count[c->lines[k]];
            c->first_in_class[k] = first[c->lines[k]];
        }
    }
    const bool done = count != NULL && first != NULL;
    berth__free(count);
    berth__free(first);
    return done;
}

/* What the cluster has of a resource, at its prices. */
static double worth_of(const price_chart *c, size_t resource) {
    double worth = 0;
    for (size_t i = 0; i < c->instance->n_machines; i++) {
        const size_t class = (size_t)c->certificate->class_of_machine[i];
        const double capacity = c->instance->capacity[i * c->instance->n_resources + resource];
        for (size_t slot = 0; slot < (size_t)c->instance->horizon_slots; slot++) {
            worth += *price_of(c, slot, class, resource) * capacity;
        }
    }
    return worth;
}

/* The resources whose capacity is worth most, as many as have room; free ones only if all are. */
static void choose_resources(price_chart *c, size_t most) {
    const double nothing = 1e-9;
    double weights[MOST_SERIES] = {0};
    for (size_t r = 0; r < c->instance->n_resources; r++) {
        keep_heaviest(&c->n_panels, MOST_SERIES, c->panels, weights, r, worth_of(c, r));
    }
    c->all_free = !(weights[0] > 0);
    while (c->n_panels > 1 && weights[c->n_panels - 1] <= nothing * weights[0]) {
        c->n_panels--;
        c->n_free++;
    }
    c->n_panels = c->n_panels < most ? c->n_panels : most;
}

static void add_price_caption(price_chart *c) {
    berth__text *text = &c->canvas->caption;
    berth__text_add(text, "Prices of the run's certificate, from which its bound follows: what one more unit of the "
                          "resource in that slot would be worth at most.");
    if (c->certificate->n_classes > 1) {
        berth__text_add(text, " A line for each class of equal machines");
        if (c->certificate->n_classes > c->n_lines) {
            berth__text_add(text, ", the %zu largest of %zu", c->n_lines, c->certificate->n_classes);
        }
        berth__text_add(text, ".");
    }
    if (c->n_free > 0 || c->all_free) {
        berth__text_add(text, c->all_free ? " All resources are free: there is enough of each for all jobs."
                                          : " The other resources cost nothing to speak of.");
    }
    if (c->instance->n_resources > c->n_panels + c->n_free) {
        berth__text_add(text, " Shown are the %zu of %zu resources whose capacity is worth most.", c->n_panels,
                        c->instance->n_resources);
    }
    add_means_note(c->canvas, c->instance->horizon_slots);
}

static void add_price_legend(price_chart *c) {
    char names[MOST_CLASSES][BERTH__NAME_ROOM + 40], clean[BERTH__NAME_ROOM];
    const char *entries[MOST_CLASSES];
    for (size_t k = 0; k < c->n_lines; k++) {
        berth__clean_name(clean, c->instance->machines[c->first_in_class[k]], 20);
        snprintf(names[k], sizeof names[k], c->n_in_class[k] == 1 ? "%s" : "%s and %zu like it", clean,
                 c->n_in_class[k] - 1);
        entries[k] = names[k];
    }
    berth__canvas_legend(c->canvas, c->n_lines, entries);
}

static void add_panel(price_chart *c, size_t panel, double top, double bottom) {
    berth__canvas *k = c->canvas;
    const size_t r = c->panels[panel], horizon = (size_t)c->instance->horizon_slots;
    char unit[BERTH__NAME_ROOM], label[BERTH__NAME_ROOM + 40];
    double most = 0;
    for (size_t slot = 0; slot < horizon; slot++) {
        for (size_t line = 0; line < c->n_lines; line++) {
            most = fmax(most, *price_of(c, slot, c->lines[line], r));
        }
    }
    for (size_t line = 0; line < c->n_lines; line++) {
        char name[32];
        snprintf(name, sizeof name, "price%zu_", panel);
        add_series(k, name, line, (int)horizon, price_of(c, 0, c->lines[line], r),
                   c->certificate->n_classes * c->instance->n_resources);
    }
    berth__canvas_frame(k, LEFT + 4, top, k->width - RIGHT, bottom);
    berth__canvas_axis(k, 'x', 0, (double)horizon, true);
    berth__canvas_axis(k, 'y', 0, most > 0 ? 1.05 * most : 1, false);
    snprintf(label, sizeof label, "utility per %s and slot", berth__clean_name(unit, c->instance->resources[r], 24));
    berth__canvas_text(k, k->left, top - 11, BERTH__LEFT, BERTH__SMALL_FONT + 1, k->colours->text, label);
    if (panel + 1 == c->n_panels) {
        berth__text_add(&k->script, "set format x '%%g'\n");
        berth__canvas_slot_label(k, c->instance->slot_seconds);
    }
    for (size_t line = 0; line < c->n_lines; line++) {
        berth__text_add(&k->script, "%s$price%zu_%zu using 1:2 with steps ", line == 0 ? "plot " : ", \\\n  ", panel,
                        line);
        berth__canvas_line_style(k, line);
    }
    berth__text_add(&k->script, "\nunset label\nunset arrow\n");
}

static void write_prices(price_chart *c, const berth_run *run) {
    berth__canvas *k = c->canvas;
    add_heading(k, "Prices", c->instance, run);
    add_price_caption(c);
    berth__canvas_begin(k);
    add_price_legend(c);
    const double top = k->bottom_of_text, bottom = k->height - berth__caption_height(k) - BELOW + 10;
    const double each = (bottom - top) / (double)c->n_panels;
    add_grid(k);
    berth__text_add(&k->script, "set format x ''\nset multiplot\n");
    for (size_t panel = 0; panel < c->n_panels; panel++) {
        add_panel(c, panel, top + each * (double)panel + 26, top + each * (double)(panel + 1) - 10);
    }
    berth__text_add(&k->script, "unset multiplot\n");
}

berth_status berth__plot_prices(berth__canvas *canvas, const berth_instance *instance, const berth_run *run,
                                berth_error *error) {
    price_chart c = {.canvas = canvas, .instance = instance, .certificate = run->certificate};
    if (c.certificate == NULL || c.certificate->n_classes == 0) {
        return berth__fail(
            error, BERTH_E_INPUT, NULL,
            "the result carries no certificate, so there are no prices to draw: run with --bound dual or "
            "--bound lp, without --noise");
    }
    enum { AROUND = 130, MOST_PANELS = 6 };
    const int room = (canvas->height - AROUND) / LEAST_PANEL;
    choose_resources(&c, canvas->height == 0 ? MOST_PANELS : room > 1 ? (size_t)room : 1);
    canvas->height = canvas->height != 0 ? canvas->height : AROUND + USUAL_PANEL * (int)c.n_panels;
    if (!choose_classes(&c)) {
        return berth__fail_memory(error);
    }
    write_prices(&c, run);
    return BERTH_OK;
}
