/* Pages of HTML that are one file: text that is safe whatever names hold, tables, pictures within the page.
 *
 * What is written is XML as well: every element closed, every attribute quoted. Colours, widths and dark mode are a
 * style sheet's matter; a policy in the page's head forbids scripts, fonts, frames and every request, so that even a
 * slip here could not do harm. */
#ifndef BERTH_REPORT_PAGE_H
#define BERTH_REPORT_PAGE_H

#include <berth_io.h>

#include "formats/problem_text.h"

typedef struct berth__page {
    berth__text text;
    const berth_renderer *renderer;
    berth_status status; /* first failure of a picture; of the text, text.status */
    berth_error *error;
} berth__page;

/* `title` is a name; NULL: `kind` alone. Enters main. */
void berth__page_begin(berth__page *page, const char *kind, const char *title);
/* Closes all and writes the file, or gives the first failure. The page is empty again. */
berth_status berth__page_finish(berth__page *page, const char *path);

/* A name, escaped. Markup of ours and numbers go to page->text as they are. */
void berth__page_name(berth__page *page, const char *name);

/* ---- tables ---- */

/* In a box that scrolls sideways by itself; `label` tells what it is (a name). */
void berth__page_table_begin(berth__page *page, const char *label);
void berth__page_table_end(berth__page *page);
void berth__page_row_begin(berth__page *page);
void berth__page_row_end(berth__page *page);
/* Cells: headings of columns of texts and of numbers, and of a row; a text, a number ("-": NAN). */
void berth__page_column(berth__page *page, const char *name);
void berth__page_number_column(berth__page *page, const char *name);
void berth__page_heading(berth__page *page, const char *name);
void berth__page_cell(berth__page *page, const char *name);
void berth__page_number(berth__page *page, double value);
/* Mean and half width; `sign`: of a difference. */
void berth__page_estimate(berth__page *page, const berth_estimate *estimate, bool sign);
/* Head and body, to which rows belong. */
void berth__page_head(berth__page *page);
void berth__page_body(berth__page *page);

/* What can be folded away: open if it has at most twenty rows. */
void berth__page_fold_begin(berth__page *page, size_t rows, const char *format, ...) BERTH__PRINTF(3, 4);
void berth__page_fold_end(berth__page *page);

/* ---- pictures ---- */

/* Makes a script; errors as berth_plot_run's. */
typedef berth_status berth__make_script(const void *subject, const berth_plot_options *options, berth_plot_script **out,
                                        berth_error *error);
/* A figure for wide and narrow screens, light and dark, with heading and caption as text. As SVG, or as PNG where that
 * would be large. */
void berth__page_figure(berth__page *page, berth__make_script *make, const void *subject, berth_metric metric);

#endif
