/* Writing gnuplot scripts: where things are in pixels from the top left, what colours there are, how names get in.
 *
 * Names come from files. They stand between single quotes, where gnuplot interprets nothing (no backquotes, no
 * backslashes, no @), with quotes doubled and whatever is not a printable character replaced; they are labels, never
 * tics (whose texts gnuplot takes for printf formats, and cuts). Terminals are told `noenhanced`: _ ^ { } & ~ are
 * themselves. */
#ifndef BERTH_REPORT_CANVAS_H
#define BERTH_REPORT_CANVAS_H

#include <berth_io.h>

#include "formats/problem_text.h"
#include "report/names.h"

/* Colours as "#rrggbb". */
typedef struct berth__colours {
    const char *ground, *text, *muted, *grid, *surface, *bar;
    const char *lines[6];
} berth__colours;

const berth__colours *berth__colours_of(berth_theme theme);

typedef struct berth__canvas {
    berth__text script, heading, caption;
    const berth_plot_options *options;
    const berth__colours *colours;
    int width, height;
    double left, top, right, bottom; /* of the present frame */
    int bottom_of_text;              /* where heading and legend end */
} berth__canvas;

enum { BERTH__FONT = 13, BERTH__SMALL_FONT = 11 }; /* pixels */

/* ---- the script ---- */

typedef enum berth__align { BERTH__LEFT, BERTH__CENTRE, BERTH__RIGHT } berth__align;

/* The terminal, the heading (canvas->heading, unless bare), space for the caption (unless bare), colours of axes.
 * Heading and caption must be complete, width and height known. */
void berth__canvas_begin(berth__canvas *canvas);
/* Height that the caption takes below everything else, at the canvas's width; 0: none, also where it would take more
 * than two fifths of the picture. */
int berth__caption_height(const berth__canvas *canvas);
void berth__canvas_text(berth__canvas *canvas, double x, double y, berth__align align, double font, const char *colour,
                        const char *text);
/* As berth__canvas_text, from bottom to top. */
void berth__canvas_text_up(berth__canvas *canvas, double x, double y, const char *text);
/* The axes of the next plot. */
void berth__canvas_frame(berth__canvas *canvas, double left, double top, double right, double bottom);
/* A range with tics at round numbers, as many as the frame has room for; the axis is 'x' or 'y'. */
void berth__canvas_axis(berth__canvas *canvas, char axis, double from, double to, bool whole);
/* "slot (of 2 h)" below the frame. */
void berth__canvas_slot_label(berth__canvas *canvas, double slot_seconds);

/* A legend above the frame: entries side by side, in as many lines as it takes. Sample of entry k: the line of that
 * number, or (k < 0) a box. */
void berth__canvas_legend(berth__canvas *canvas, size_t n, const char *const *names);
/* "dt 2 lc rgb '#...'": what tells line k from the others, with and without colour. */
void berth__canvas_line_style(berth__canvas *canvas, size_t k);

/* The finished script. berth__canvas_clear the canvas in any case. */
berth_status berth__canvas_finish(berth__canvas *canvas, berth_plot_script **out, berth_error *error);
void berth__canvas_clear(berth__canvas *canvas);

/* ---- the plots ---- */

berth_status berth__plot_gantt(berth__canvas *canvas, const berth_instance *instance, const berth_run *run,
                               berth_error *error);
berth_status berth__plot_utilisation(berth__canvas *canvas, const berth_instance *instance, const berth_run *run,
                                     berth_error *error);
berth_status berth__plot_prices(berth__canvas *canvas, const berth_instance *instance, const berth_run *run,
                                berth_error *error);
berth_status berth__plot_policies(berth__canvas *canvas, const berth_comparison *comparison, berth_error *error);

#endif
