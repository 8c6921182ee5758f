#include "report/canvas.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

enum { MARGIN = 12, HEADING_LINE = 26, CAPTION_LINE = 15, LEGEND_LINE = 20, SAMPLE = 26 };

static const berth__colours themes[] = {
    [BERTH_THEME_LIGHT] = {.ground = "#ffffff",
                           .text = "#1b1f24",
                           .muted = "#57606a",
                           .grid = "#d8dee4",
                           .surface = "#f0f2f5",
                           .bar = "#3b7fb5",
                           .lines = {"#0072b2", "#d55e00", "#00755a", "#a8327d", "#7a5c00", "#3d3d3d"}},
    [BERTH_THEME_DARK] = {.ground = "#14181d",
                          .text = "#e6edf3",
                          .muted = "#9aa4af",
                          .grid = "#343b43",
                          .surface = "#20262d",
                          .bar = "#4f94cd",
                          .lines = {"#56b4e9", "#f0a35e", "#4fd1a5", "#e79cc8", "#f0e442", "#d0d0d0"}},
};

const berth__colours *berth__colours_of(berth_theme theme) {
    return &themes[theme];
}

/* ---- text ---- */

/* In single quotes, within which gnuplot looks for nothing but their end. It takes a quote at the beginning for one
 * that is doubled, so a typographic one stands for each; its SVG terminal lets references to characters pass, whole or
 * not, so none is left. */
static void put_quoted(berth__text *out, const char *text, size_t length) {
    berth__text_put(out, "'", 1);
    for (size_t k = 0; k < length; k++) {
        const bool is_reference = text[k] == '&' && k + 1 < length && text[k + 1] == '#';
        if (text[k] == '\'') {
            berth__text_add(out, "\u2019");
        } else {
            berth__text_put(out, is_reference ? "& " : text + k, is_reference ? 2 : 1);
        }
    }
    berth__text_put(out, "'", 1);
}

/* A size in pixels as the terminal takes it: pngcairo's are points, three quarters of a pixel. */
static double font_size(const berth__canvas *c, double pixels) {
    return pixels * c->options->scale * (c->options->format == BERTH_PICTURE_PNG ? 0.75 : 1);
}

static void put_label(berth__canvas *c, double x, double y, berth__align align, double font, const char *colour,
                      const char *text, size_t length, const char *turn) {
    static const char *const words[] = {"left", "center", "right"};
    berth__text_add(&c->script, "set label ");
    put_quoted(&c->script, text, length);
    berth__text_add(&c->script, " at screen %.6f, screen %.6f %s%s noenhanced front font ',%g' textcolor rgb '%s'\n",
                    x / c->width, 1 - y / c->height, words[align], turn, font_size(c, font), colour);
}

void berth__canvas_text(berth__canvas *c, double x, double y, berth__align align, double font, const char *colour,
                        const char *text) {
    put_label(c, x, y, align, font, colour, text, strlen(text), "");
}

void berth__canvas_text_up(berth__canvas *c, double x, double y, const char *text) {
    put_label(c, x, y, BERTH__CENTRE, BERTH__FONT, c->colours->text, text, strlen(text), " rotate by 90");
}

/* Bytes of the first line of `text` when it is broken between words at so many columns; a longer word stands alone. */
static size_t line_of(const char *text, size_t columns) {
    size_t end = 0;
    for (size_t at = 0, used = 0; text[at] != '\0';) {
        size_t word = strcspn(text + at, " ");
        char buffer[BERTH__NAME_ROOM];
        snprintf(buffer, sizeof buffer, "%.*s", (int)word, text + at);
        used += berth__columns(buffer) + (end > 0);
        if (end > 0 && used > columns) {
            break;
        }
        at += word;
        end = at;
        at += text[at] == ' ';
    }
    return end;
}

static size_t caption_columns(const berth__canvas *c) {
    return (size_t)((c->width - 2 * MARGIN) / (0.56 * BERTH__SMALL_FONT));
}

/* Lines of the text; drawn from `y` on if `draw`. */
static size_t wrap(berth__canvas *c, const char *text, size_t columns, double y, double step, double font,
                   const char *colour, bool draw) {
    size_t lines = 0;
    while (text != NULL && *text != '\0') {
        size_t length = line_of(text, columns);
        if (draw) {
            put_label(c, MARGIN, y + step * (double)lines, BERTH__LEFT, font, colour, text, length, "");
        }
        text += length + (text[length] == ' ');
        lines++;
    }
    return lines;
}

int berth__caption_height(const berth__canvas *c) {
    const double most = 0.4;
    berth__canvas copy = *c;
    const int height = c->options->bare
                           ? 0
                           : CAPTION_LINE * (int)wrap(&copy, c->caption.bytes, caption_columns(c), 0, 0, 0, "", false);
    return height <= most * c->height ? height : 0;
}

/* ---- the page ---- */

void berth__canvas_begin(berth__canvas *c) {
    const berth_plot_options *o = c->options;
    const bool svg = o->format == BERTH_PICTURE_SVG;
    const int room = berth__caption_height(c);
    berth__text_add(&c->script, "# %s, by berth %s; writes the picture to standard output\n", svg ? "SVG" : "PNG",
                    berth_version());
    berth__text_add(&c->script,
                    "set terminal %s size %.0f,%.0f noenhanced font '%s,%g' background rgb '%s' linewidth %g\n",
                    svg ? "svg" : "pngcairo", c->width * o->scale, c->height * o->scale, svg ? "sans-serif" : "sans",
                    font_size(c, BERTH__FONT), c->colours->ground, o->scale);
    berth__text_add(&c->script,
                    "set encoding utf8\nset decimalsign '.'\nunset key\nset border 3 lc rgb '%s'\n"
                    "set xtics nomirror out scale 0.5 textcolor rgb '%s'\n"
                    "set ytics nomirror out scale 0.5 textcolor rgb '%s'\n"
                    "set format x '%%g'\nset format y '%%g'\n",
                    c->colours->muted, c->colours->text, c->colours->text);
    c->bottom_of_text = MARGIN;
    if (!o->bare) {
        const double font = BERTH__FONT + 2;
        const size_t columns = (size_t)((c->width - 2 * MARGIN) / (0.55 * font));
        size_t lines = wrap(c, c->heading.bytes, columns, MARGIN + 8, HEADING_LINE - 6, font, c->colours->text, true);
        c->bottom_of_text += (int)lines * (HEADING_LINE - 6) + 6;
        wrap(c, c->caption.bytes, caption_columns(c), c->height - room, CAPTION_LINE, BERTH__SMALL_FONT,
             c->colours->muted, room > 0);
    }
}

void berth__canvas_frame(berth__canvas *c, double left, double top, double right, double bottom) {
    c->left = left;
    c->top = top;
    c->right = right;
    c->bottom = bottom;
    berth__text_add(&c->script,
                    "set lmargin at screen %.6f\nset rmargin at screen %.6f\n"
                    "set tmargin at screen %.6f\nset bmargin at screen %.6f\n",
                    left / c->width, right / c->width, 1 - top / c->height, 1 - bottom / c->height);
}

/* 1, 2 or 5 times a power of ten, at least `least`. */
static double round_step(double least) {
    double power = pow(10, floor(log10(least)));
    for (int k = 0; k < 3; k++) {
        double step = (double[]){1, 2, 5}[k] * power;
        if (step >= least * (1 - 1e-9)) {
            return step;
        }
    }
    return 10 * power;
}

void berth__canvas_axis(berth__canvas *c, char axis, double from, double to, bool whole) {
    const double pixels = axis == 'x' ? c->right - c->left : c->bottom - c->top;
    const double most = fmax(2, pixels / (axis == 'x' ? 64 : 28));
    double step = round_step(fmax((to - from) / most, 1e-300));
    step = whole && step < 1 ? 1 : step;
    berth__text_add(&c->script, "set %crange [%.9g:%.9g]\nset %ctics %.9g,%.9g\n", axis, from, to, axis, from, step);
}

void berth__canvas_slot_label(berth__canvas *c, double slot_seconds) {
    char length[32], label[64];
    snprintf(label, sizeof label, "slot (one slot = %s)", berth__slot_length(length, slot_seconds));
    berth__canvas_text(c, (c->left + c->right) / 2, c->bottom + 40, BERTH__CENTRE, BERTH__FONT, c->colours->text,
                       label);
}

/* ---- legend ---- */

void berth__canvas_line_style(berth__canvas *c, size_t k) {
    static const char *const dashes[] = {"solid", "(12,4)", "(4,3)", "(14,4,3,4)", "(2,4)"};
    enum { COLOURS = 6, DASHES = 5 };
    berth__text_add(&c->script, "dt %s lw 2 lc rgb '%s'", dashes[(k + k / COLOURS / DASHES) % DASHES],
                    c->colours->lines[k % COLOURS]);
}

void berth__canvas_legend(berth__canvas *c, size_t n, const char *const *names) {
    double x = MARGIN, y = c->bottom_of_text + 8;
    for (size_t k = 0; k < n; k++) {
        const double width = SAMPLE + 6 + berth__text_width(names[k], BERTH__FONT) + 18;
        if (x > MARGIN && x + width > c->width - MARGIN) {
            x = MARGIN;
            y += LEGEND_LINE;
        }
        berth__text_add(&c->script, "set arrow from screen %.6f, screen %.6f to screen %.6f, screen %.6f nohead front ",
                        x / c->width, 1 - y / c->height, (x + SAMPLE) / c->width, 1 - y / c->height);
        berth__canvas_line_style(c, k);
        berth__text_add(&c->script, "\n");
        berth__canvas_text(c, x + SAMPLE + 6, y, BERTH__LEFT, BERTH__FONT, c->colours->text, names[k]);
        x += width;
    }
    c->bottom_of_text = (int)y + LEGEND_LINE;
}

/* ---- the end ---- */

void berth__canvas_clear(berth__canvas *c) {
    berth__text_clear(&c->script);
    berth__text_clear(&c->heading);
    berth__text_clear(&c->caption);
}

/* A text of the canvas into the arena. */
static berth_status move(berth__text *text, berth__arena *arena, const char **out, size_t *length, berth_error *error) {
    char *bytes = NULL;
    berth_status status = berth__text_finish(text, &bytes, length, error);
    if (status == BERTH_OK) {
        *out = berth__arena_strndup(arena, bytes, *length);
        status = *out != NULL ? BERTH_OK : berth__fail_memory(error);
    }
    berth__free(bytes);
    return status;
}

static berth_plot_script *new_script(const berth__canvas *c) {
    berth__arena *arena = berth__arena_new();
    berth_plot_script *script = arena != NULL ? BERTH__ARENA_ARRAY(arena, berth_plot_script, 1) : NULL;
    if (script == NULL) {
        berth__arena_free(arena);
        return NULL;
    }
    script->width = c->width;
    script->height = c->height;
    script->format = c->options->format;
    script->memory = arena;
    return script;
}

berth_status berth__canvas_finish(berth__canvas *c, berth_plot_script **out, berth_error *error) {
    berth_plot_script *script = new_script(c);
    size_t length = 0;
    if (script == NULL) {
        return berth__fail_memory(error);
    }
    berth_status status = move(&c->script, script->memory, &script->text, &script->length, error);
    if (status == BERTH_OK) {
        status = move(&c->heading, script->memory, &script->heading, &length, error);
    }
    if (status == BERTH_OK) {
        status = move(&c->caption, script->memory, &script->caption, &length, error);
    }
    if (status != BERTH_OK) {
        berth_plot_script_free(script);
        return status;
    }
    *out = script;
    return BERTH_OK;
}
