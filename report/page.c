#include "report/page.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "formats/bytes.h"
#include "report/names.h"

enum { WIDE = 900, NARROW = 360, MOST_SVG = 150000, FOLD = 20 };

static const char style[] =
    ":root{color-scheme:light dark;--ground:#ffffff;--text:#1b1f24;--muted:#57606a;--line:#d8dee4;--surface:#f0f2f5;"
    "--accent:#0a5a9c}\n"
    "@media (prefers-color-scheme:dark){:root{--ground:#14181d;--text:#e6edf3;--muted:#9aa4af;--line:#343b43;"
    "--surface:#20262d;--accent:#79b8ff}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0;background:var(--ground);color:var(--text);font:1rem/1.5 system-ui,sans-serif;"
    "overflow-wrap:anywhere}\n"
    "header,main,footer{max-width:66rem;margin:0 auto;padding:0 clamp(.75rem,3vw,2rem)}\n"
    "header{padding-top:1.5rem}footer{padding-bottom:2rem;color:var(--muted);font-size:.875rem}\n"
    "h1{font-size:1.6rem;line-height:1.25;margin:0 0 .25rem}\n"
    "h2{font-size:1.25rem;margin:2.5rem 0 .75rem;padding-top:.75rem;border-top:1px solid var(--line)}\n"
    "h3{font-size:1rem;margin:1.75rem 0 .5rem}\n"
    "p{margin:.5rem 0}.note{color:var(--muted);font-size:.875rem}\n"
    "nav ul{display:flex;flex-wrap:wrap;gap:.25rem 1rem;padding:0;margin:.75rem 0;list-style:none}\n"
    "a{color:var(--accent)}\n"
    ".scroll{overflow-x:auto;margin:.5rem 0 1rem;border:1px solid var(--line);border-radius:.375rem;max-width:100%;"
    "width:fit-content}\n"
    ".scroll:focus-visible,summary:focus-visible{outline:2px solid var(--accent);outline-offset:2px}\n"
    "table{border-collapse:collapse;width:max-content;max-width:61.5rem;font-size:.875rem;font-variant-numeric:tabular-"
    "nums;overflow-"
    "wrap:normal}\n"
    "th,td{padding:.3rem .75rem;text-align:left;vertical-align:top;border-top:1px solid var(--line)}\n"
    "thead th{background:var(--surface);border-top:0;vertical-align:bottom}\n"
    "tbody th{font-weight:500;background:var(--ground);position:sticky;left:0}\n"
    "thead th:first-child{position:sticky;left:0}\n"
    "th,td.text{max-width:22rem;overflow-wrap:anywhere}thead "
    "th{overflow-wrap:break-word}td.text{min-width:6.5rem}tbody "
    "th{min-width:5.5rem}td.text:last-child{min-width:14rem}\n"
    ".number{text-align:right}td.number{white-space:nowrap}\n"
    "summary{cursor:pointer;padding:.25rem 0;color:var(--accent)}\n"
    "figure{margin:.5rem 0 1.5rem}figure img{display:block;width:100%;height:auto}\n"
    "figcaption{color:var(--muted);font-size:.875rem;margin-top:.25rem}\n"
    ".narrow{display:none}\n"
    "@media (max-width:560px){.narrow{display:inline}.wide{display:none}th,td{padding:.3rem .5rem}"
    "th,td.text{max-width:11rem}td.text:last-child{max-width:20rem}}\n"
    "@media print{.scroll{overflow:visible}}\n";

static const char *escape_of(char c) {
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

void berth__page_name(berth__page *page, const char *name) {
    while (*name != '\0') {
        bool printable;
        const size_t length = berth_next_character(name, &printable, NULL);
        const char *escape = printable ? escape_of(*name) : "?";
        berth__text_put(&page->text, escape != NULL ? escape : name, escape != NULL ? strlen(escape) : length);
        name += length;
    }
}

/* ---- the whole ---- */

void berth__page_begin(berth__page *page, const char *kind, const char *title) {
    berth__text_add(&page->text, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                                 "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
                                 "<meta name=\"color-scheme\" content=\"light dark\"/>\n"
                                 "<meta http-equiv=\"Content-Security-Policy\" "
                                 "content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'\"/>\n<title>");
    berth__page_name(page, kind);
    if (title != NULL) {
        berth__text_add(&page->text, ": ");
        berth__page_name(page, title);
    }
    berth__text_add(&page->text, "</title>\n<style>\n");
    berth__text_put(&page->text, style, sizeof style - 1);
    berth__text_add(&page->text, "</style>\n</head>\n<body>\n");
}

berth_status berth__page_finish(berth__page *page, const char *path) {
    char *bytes = NULL;
    size_t length = 0;
    berth__text_add(&page->text,
                    "</main>\n<footer><p>Written by berth %s, pictures drawn by gnuplot.</p></footer>\n</body>\n"
                    "</html>\n",
                    berth_version());
    if (page->status != BERTH_OK) {
        berth__text_clear(&page->text);
        return page->status;
    }
    berth_status status = berth__text_finish(&page->text, &bytes, &length, page->error);
    if (status == BERTH_OK) {
        status = berth__bytes_write(path, bytes, length, page->error);
    }
    berth__free(bytes);
    return status;
}

/* ---- tables ---- */

void berth__page_table_begin(berth__page *page, const char *label) {
    berth__text_add(&page->text, "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"");
    berth__page_name(page, label);
    berth__text_add(&page->text, "\">\n<table>\n");
}

void berth__page_head(berth__page *page) {
    berth__text_add(&page->text, "<thead>\n");
}

void berth__page_body(berth__page *page) {
    berth__text_add(&page->text, "</thead>\n<tbody>\n");
}

void berth__page_table_end(berth__page *page) {
    berth__text_add(&page->text, "</tbody>\n</table>\n</div>\n");
}

void berth__page_row_begin(berth__page *page) {
    berth__text_add(&page->text, "<tr>");
}

void berth__page_row_end(berth__page *page) {
    berth__text_add(&page->text, "</tr>\n");
}

static void add_cell(berth__page *page, const char *open, const char *name, const char *close) {
    berth__text_add(&page->text, "%s", open);
    berth__page_name(page, name);
    berth__text_add(&page->text, "%s", close);
}

void berth__page_column(berth__page *page, const char *name) {
    add_cell(page, "<th scope=\"col\">", name, "</th>");
}

void berth__page_number_column(berth__page *page, const char *name) {
    add_cell(page, "<th scope=\"col\" class=\"number\">", name, "</th>");
}

void berth__page_heading(berth__page *page, const char *name) {
    add_cell(page, "<th scope=\"row\">", name, "</th>");
}

void berth__page_cell(berth__page *page, const char *name) {
    add_cell(page, "<td class=\"text\">", name, "</td>");
}

void berth__page_number(berth__page *page, double value) {
    if (isnan(value)) {
        berth__text_add(&page->text, "<td class=\"number\">-</td>");
    } else {
        berth__text_add(&page->text, "<td class=\"number\">%.6g</td>", value);
    }
}

void berth__page_estimate(berth__page *page, const berth_estimate *e, bool sign) {
    if (e->n == 0) {
        berth__page_number(page, (double)NAN);
    } else if (isnan(e->half_width)) {
        berth__text_add(&page->text, sign ? "<td class=\"number\">%+.6g</td>" : "<td class=\"number\">%.6g</td>",
                        e->mean);
    } else {
        char width[32];
        snprintf(width, sizeof width, e->half_width < 1000 ? "%.3g" : "%.0f", e->half_width);
        berth__text_add(&page->text,
                        sign ? "<td class=\"number\">%+.6g &#177; %s</td>" : "<td class=\"number\">%.6g &#177; %s</td>",
                        e->mean, width);
    }
}

void berth__page_fold_begin(berth__page *page, size_t rows, const char *format, ...) {
    char words[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    berth__text_add(&page->text, rows <= FOLD ? "<details open=\"open\">\n<summary>" : "<details>\n<summary>");
    berth__page_name(page, words);
    berth__text_add(&page->text, "</summary>\n");
}

void berth__page_fold_end(berth__page *page) {
    berth__text_add(&page->text, "</details>\n");
}

/* ---- pictures ---- */

static void add_base64(berth__text *out, const unsigned char *bytes, size_t n) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t k = 0; k < n; k += 3) {
        const size_t left = n - k;
        const unsigned group = (unsigned)bytes[k] << 16 | (left > 1 ? (unsigned)bytes[k + 1] << 8 : 0) |
                               (left > 2 ? (unsigned)bytes[k + 2] : 0);
        char text[4] = {digits[group >> 18], digits[group >> 12 & 63], digits[group >> 6 & 63], digits[group & 63]};
        for (size_t absent = left; absent < 3; absent++) {
            text[absent + 1] = '=';
        }
        berth__text_put(out, text, 4);
    }
}

typedef struct picture {
    berth_plot_script *script;
    const void *bytes;
    size_t length;
    berth_picture_format format;
} picture;

static berth_status draw(const berth__page *page, berth__make_script *make, const void *subject,
                         const berth_plot_options *options, picture *out) {
    berth_status status = make(subject, options, &out->script, page->error);
    out->format = options->format;
    return status == BERTH_OK
               ? page->renderer->draw(page->renderer->user, out->script, &out->bytes, &out->length, page->error)
               : status;
}

/* SVG, or PNG for fine screens if the SVG would be large. */
static berth_status draw_small(const berth__page *page, berth__make_script *make, const void *subject,
                               berth_plot_options options, picture *out) {
    berth_status status = draw(page, make, subject, &options, out);
    if (status == BERTH_OK && out->length > MOST_SVG) {
        berth_plot_script_free(out->script);
        *out = (picture){0};
        options.format = BERTH_PICTURE_PNG;
        options.scale = 1.5;
        status = draw(page, make, subject, &options, out);
    }
    return status;
}

static void add_picture(berth__page *page, const picture *p, const char *attribute) {
    berth__text_add(&page->text, " width=\"%d\" height=\"%d\" %s=\"data:image/%s;base64,", p->script->width,
                    p->script->height, attribute, p->format == BERTH_PICTURE_SVG ? "svg+xml" : "png");
    add_base64(&page->text, p->bytes, p->length);
    berth__text_add(&page->text, "\"");
}

/* The captions of the narrow and the wide picture, which may take together different numbers of slots. */
static void add_caption(berth__page *page, const char *narrow, const char *wide) {
    const bool same = strcmp(narrow, wide) == 0;
    berth__text_add(&page->text, "<figcaption>%s", same ? "" : "<span class=\"wide\">");
    berth__page_name(page, wide);
    if (!same) {
        berth__text_add(&page->text, "</span><span class=\"narrow\">");
        berth__page_name(page, narrow);
        berth__text_add(&page->text, "</span>");
    }
    berth__text_add(&page->text, "</figcaption>\n");
}

enum { NARROW_DARK, NARROW_LIGHT, WIDE_DARK, WIDE_LIGHT, VARIANTS };

static void add_variant(berth__page *page, int variant, const picture *p) {
    static const char *const media[] = {"(max-width:560px) and (prefers-color-scheme:dark)", "(max-width:560px)",
                                        "(prefers-color-scheme:dark)"};
    if (variant < WIDE_LIGHT) {
        berth__text_add(&page->text, "<source media=\"%s\"", media[variant]);
        add_picture(page, p, "srcset");
    } else {
        berth__text_add(&page->text, "<img alt=\"");
        berth__page_name(page, p->script->heading);
        berth__text_add(&page->text, "\"");
        add_picture(page, p, "src");
    }
    berth__text_add(&page->text, "/>\n");
}

void berth__page_figure(berth__page *page, berth__make_script *make, const void *subject, berth_metric metric) {
    char *narrow = NULL;
    for (int variant = 0; variant < VARIANTS && page->status == BERTH_OK; variant++) {
        berth_plot_options options;
        picture p = {0};
        berth_plot_options_init(&options);
        options.bare = true;
        options.metric = metric;
        options.width = variant <= NARROW_LIGHT ? NARROW : WIDE;
        options.theme = variant % 2 == 0 ? BERTH_THEME_DARK : BERTH_THEME_LIGHT;
        page->status = draw_small(page, make, subject, options, &p);
        if (page->status == BERTH_OK && variant == 0) {
            narrow = berth__strdup(p.script->caption);
            page->status = narrow != NULL ? BERTH_OK : berth__fail_memory(page->error);
            berth__text_add(&page->text, "<h3>");
            berth__page_name(page, p.script->heading);
            berth__text_add(&page->text, "</h3>\n<figure>\n<picture>\n");
        }
        if (page->status == BERTH_OK) {
            add_variant(page, variant, &p);
        }
        if (page->status == BERTH_OK && variant == WIDE_LIGHT) {
            berth__text_add(&page->text, "</picture>\n");
            add_caption(page, narrow, p.script->caption);
            berth__text_add(&page->text, "</figure>\n");
        }
        berth_plot_script_free(p.script);
    }
    berth__free(narrow);
}

/* ---- any file ---- */

berth_status berth_bytes_write(const char *path, const void *bytes, size_t length, berth_error *error) {
    berth__error_clear(error);
    if (path == NULL || bytes == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, path == NULL ? "path" : "bytes", "must not be NULL");
    }
    return berth__bytes_write(path, bytes, length, error);
}
