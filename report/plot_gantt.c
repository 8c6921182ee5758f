/* The Gantt chart of a run. */
#include <math.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/error.h"
#include "report/canvas.h"
#include "report/gantt.h"

enum { FILLS = 7, PATTERNS = 3, CLASSES = FILLS * PATTERNS, MOST_LABELS = 4000 };
enum { ROW_NAME = BERTH__NAME_ROOM + 32 };
/* AROUND: about what text takes above and below, which is known only once the caption is. */
enum {
    LEAST_ROW = 14,
    USUAL_ROW = 52,
    LEAST_HEIGHT = 230,
    MOST_HEIGHT = 780,
    BELOW = 52,
    AROUND = 140,
    BIN = 4,
    LEAST_BAR = 2
};

/* After Okabe and Ito: apart for every kind of colour vision, and neighbours in the list also by their lightness. */
static const struct {
    const char *fill, *ink, *hatching; /* with its transparency */
} fills[FILLS] = {{"#0072b2", "#ffffff", "#80ffffff"}, {"#f0e442", "#000000", "#a0000000"},
                  {"#d55e00", "#000000", "#a0000000"}, {"#56b4e9", "#000000", "#a0000000"},
                  {"#cc79a7", "#000000", "#a0000000"}, {"#009e73", "#000000", "#a0000000"},
                  {"#e69f00", "#000000", "#a0000000"}};
static const int hatches[PATTERNS] = {0, 4, 5}; /* gnuplot's numbers of patterns; the first is plain */
static const char others_fill[] = "#8c959f";

typedef struct chart {
    berth__canvas *canvas;
    const berth_instance *instance;
    const berth_run *run;
    berth__gantt gantt;
    size_t *class_of_job; /* [n_jobs] */
    size_t n_drawn;       /* jobs that have bars */
    bool lumped;
} chart;

/* ---- what it says ---- */

static void add_heading(chart *c) {
    char name[BERTH__NAME_ROOM], policy[BERTH__NAME_ROOM];
    berth__text_add(&c->canvas->heading, "Jobs on machines: %s under %s",
                    berth__clean_name(name, c->instance->name, 40), berth__clean_name(policy, c->run->policy, 40));
}

static void add_caption(chart *c) {
    berth__text *text = &c->canvas->caption;
    const berth__gantt *g = &c->gantt;
    if (g->machines_per_row == 1) {
        berth__text_add(text, "A row is a machine");
    } else {
        berth__text_add(text,
                        "A row is %zu machines in the order of the instance, taken together (%zu machines in %zu rows)",
                        g->machines_per_row, c->instance->n_machines, g->n_rows);
    }
    if (g->slots_per_bin > 1) {
        berth__text_add(text, ", and %d slots are taken together", g->slots_per_bin);
    }
    berth__text_add(
        text,
        "; a bar's height is the largest share of a resource there that the job holds, so grey ground is free "
        "room. Colours and hatching tell jobs apart and come again after %d jobs; bars carry the job's name "
        "where it fits.",
        CLASSES);
    if (c->lumped) {
        berth__text_add(text, " Shares too small to draw stand together in plain grey.");
    }
    berth__text_add(text, " %zu of %zu jobs ran.", c->n_drawn, c->run->n_jobs);
}

/* ---- what is drawn ---- */

static double row_height(const chart *c) {
    return (c->canvas->bottom - c->canvas->top) / (double)c->gantt.n_rows;
}

/* Position in rows from the top; a little room between rows. */
static double y_of(size_t row, double in_row) {
    return (double)row + 0.95 - 0.9 * in_row;
}

static void row_name(const chart *c, size_t row, char name[ROW_NAME], size_t most) {
    const size_t first = row * c->gantt.machines_per_row, n = c->instance->n_machines;
    const size_t last = first + c->gantt.machines_per_row > n ? n - 1 : first + c->gantt.machines_per_row - 1;
    char clean[BERTH__NAME_ROOM];
    if (last > first) {
        snprintf(name, ROW_NAME, "%s +%zu", berth__clean_name(clean, c->instance->machines[first], most - 4),
                 last - first);
    } else {
        berth__clean_name(name, c->instance->machines[first], most);
    }
}

static size_t most_name(const chart *c) {
    return c->canvas->width < 600 ? 12 : 24;
}

static double names_width(const chart *c) {
    double width = 0;
    char name[ROW_NAME];
    for (size_t row = 0; row < c->gantt.n_rows; row++) {
        row_name(c, row, name, most_name(c));
        width = fmax(width, berth__text_width(name, BERTH__SMALL_FONT + 1));
    }
    return width;
}

static void add_rows(chart *c) {
    berth__canvas *k = c->canvas;
    char name[ROW_NAME];
    for (size_t row = 0; row < c->gantt.n_rows; row++) {
        row_name(c, row, name, most_name(c));
        berth__canvas_text(k, k->left - 8, k->top + row_height(c) * ((double)row + 0.5), BERTH__RIGHT,
                           BERTH__SMALL_FONT + 1, k->colours->text, name);
    }
    berth__text_add(&k->script, "$rows << EOD\n");
    for (size_t row = 0; row < c->gantt.n_rows; row++) {
        berth__text_add(&k->script, "0 %d %.6g %.6g\n", c->instance->horizon_slots, y_of(row, 1), y_of(row, 0));
    }
    berth__text_add(&k->script, "EOD\n");
}

/* The job's name where its bar has room for it. */
static bool add_label(chart *c, const berth__bar *bar) {
    berth__canvas *k = c->canvas;
    const double slot = (k->right - k->left) / c->instance->horizon_slots;
    const double width = slot * (bar->to - bar->from), height = 0.9 * row_height(c) * (bar->high - bar->low);
    char name[BERTH__NAME_ROOM];
    if (bar->job == BERTH__OTHERS || height < BERTH__SMALL_FONT + 2) {
        return false;
    }
    berth__clean_name(name, c->instance->jobs[bar->job].id, 40);
    if (berth__text_width(name, BERTH__SMALL_FONT) + 4 > width) {
        return false;
    }
    berth__canvas_text(k, k->left + slot * 0.5 * (bar->from + bar->to),
                       k->top + row_height(c) * 0.5 * (y_of(bar->row, bar->low) + y_of(bar->row, bar->high)),
                       BERTH__CENTRE, BERTH__SMALL_FONT, fills[c->class_of_job[bar->job] % FILLS].ink, name);
    return true;
}

static size_t class_of(const chart *c, const berth__bar *bar) {
    return bar->job == BERTH__OTHERS ? CLASSES : c->class_of_job[bar->job];
}

/* A data block for each class that has bars; the bars' names. */
static void add_bars(chart *c, bool present[CLASSES + 1]) {
    berth__text *out = &c->canvas->script;
    size_t labels = 0;
    for (size_t class = 0; class <= CLASSES; class ++) {
        present[class] = false;
        for (size_t k = 0; k < c->gantt.n_bars; k++) {
            const berth__bar *bar = &c->gantt.bars[k];
            if (class_of(c, bar) != class) {
                continue;
            }
            if (!present[class]) {
                berth__text_add(out, "$jobs%zu << EOD\n", class);
            }
            present[class] = true;
            berth__text_add(out, "%d %d %.6g %.6g\n", bar->from, bar->to, y_of(bar->row, bar->high),
                            y_of(bar->row, bar->low));
        }
        if (present[class]) {
            berth__text_add(out, "EOD\n");
        }
    }
    for (size_t k = 0; k < c->gantt.n_bars && labels < MOST_LABELS; k++) {
        labels += add_label(c, &c->gantt.bars[k]);
    }
}

#define BOXES "using (($1+$2)/2):(($3+$4)/2):1:2:3:4 with boxxyerror"

static void add_plot(const chart *c, const bool present[CLASSES + 1]) {
    const berth__canvas *k = c->canvas;
    berth__text *out = &c->canvas->script;
    berth__text_add(out, "plot $rows " BOXES " fs solid noborder fc rgb '%s'", k->colours->surface);
    for (size_t class = 0; class < CLASSES; class ++) {
        if (!present[class]) {
            continue;
        }
        berth__text_add(out, ", \\\n  $jobs%zu " BOXES " fs solid border lc rgb '%s' lw 0.6 fc rgb '%s'", class,
                        k->colours->ground, fills[class % FILLS].fill);
        if (class >= FILLS) {
            berth__text_add(out, ", \\\n  '' " BOXES " fs transparent pattern %d noborder fc rgb '%s'",
                            hatches[class / FILLS], fills[class % FILLS].hatching);
        }
    }
    if (present[CLASSES]) {
        berth__text_add(out, ", \\\n  $jobs%d " BOXES " fs solid noborder fc rgb '%s'", CLASSES, others_fill);
    }
    berth__text_add(out, "\n");
}

/* ---- the whole ---- */

static bool classify(chart *c) {
    c->class_of_job = BERTH__NEW_ARRAY(size_t, c->run->n_jobs);
    bool *drawn = BERTH__NEW_ARRAY(bool, c->run->n_jobs);
    const bool done = c->class_of_job != NULL && drawn != NULL;
    for (size_t k = 0; done && k < c->gantt.n_bars; k++) {
        if (c->gantt.bars[k].job == BERTH__OTHERS) {
            c->lumped = true;
        } else {
            drawn[c->gantt.bars[k].job] = true;
        }
    }
    /* Small ones that are drawn nowhere ran all the same. */
    for (size_t job = 0, next = 0; done && job < c->run->n_jobs; job++) {
        c->class_of_job[job] = next % CLASSES;
        next += drawn[job];
        c->n_drawn += c->run->jobs[job].n_slots > 0;
    }
    berth__free(drawn);
    return done;
}

static void write_chart(chart *c) {
    berth__canvas *k = c->canvas;
    bool present[CLASSES + 1];
    add_heading(c);
    add_caption(c);
    berth__canvas_begin(k);
    berth__canvas_frame(k, 16 + names_width(c) + 8, k->bottom_of_text + 8, k->width - 20,
                        k->height - berth__caption_height(k) - BELOW - 6);
    berth__text_add(&k->script, "set yrange [%zu:0]\nset border 1\nunset ytics\n", c->gantt.n_rows);
    berth__canvas_axis(k, 'x', 0, c->instance->horizon_slots, true);
    berth__canvas_slot_label(k, c->instance->slot_seconds);
    add_rows(c);
    add_bars(c, present);
    add_plot(c, present);
}

berth_status berth__plot_gantt(berth__canvas *canvas, const berth_instance *instance, const berth_run *run,
                               berth_error *error) {
    chart c = {.canvas = canvas, .instance = instance, .run = run};
    const double usual = LEAST_HEIGHT - USUAL_ROW + USUAL_ROW * (double)instance->n_machines;
    if (canvas->height == 0) {
        canvas->height = (int)fmin(fmax(usual, LEAST_HEIGHT), MOST_HEIGHT);
    }
    const double pixels = fmax(canvas->height - AROUND, LEAST_ROW);
    const size_t rows = (size_t)(pixels / LEAST_ROW), bins = (size_t)canvas->width / BIN;
    const double row = pixels / fmin((double)rows, (double)instance->n_machines);
    berth_status status = berth__gantt_layout(instance, run, rows, bins, LEAST_BAR / row, &c.gantt, error);
    if (status == BERTH_OK) {
        if (classify(&c)) {
            write_chart(&c);
        } else {
            status = berth__fail_memory(error);
        }
    }
    berth__free(c.class_of_job);
    berth__gantt_free(&c.gantt);
    return status;
}
