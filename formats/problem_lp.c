/* CPLEX LP texts made ready for GLPK's reader, which
 *   - knows keywords in the first column only, and takes any word there for the keyword that it is the beginning of
 *     ("b" for "bounds"): keywords are moved there and all else one column on;
 *   - has no constants in the objective, no objective and no constraints without terms: the first are taken out, the
 *     others get a placeholder;
 *   - takes the keyword of a section that it lacks (semi-continuous, sos) for a variable: refused here by name.
 * Everything keeps its line. */
#define _POSIX_C_SOURCE 200809L
#include "formats/problem_formats.h"

#include "formats/problem_text.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef enum lp_section {
    SECTION_NONE,
    SECTION_OBJECTIVE,
    SECTION_ROWS,
    SECTION_OTHER, /* bounds, general, integer, binary */
    SECTION_FOREIGN,
    SECTION_END
} lp_section;

typedef struct lp_keyword {
    const char *word, *second; /* second: the word that must follow; NULL: none */
    lp_section section;
    const char *canonical; /* as GLPK has it; FOREIGN: for messages */
} lp_keyword;

static const lp_keyword keywords[] = {
    {"minimize", NULL, SECTION_OBJECTIVE, "minimize"},
    {"minimise", NULL, SECTION_OBJECTIVE, "minimize"},
    {"minimum", NULL, SECTION_OBJECTIVE, "minimize"},
    {"min", NULL, SECTION_OBJECTIVE, "minimize"},
    {"maximize", NULL, SECTION_OBJECTIVE, "maximize"},
    {"maximise", NULL, SECTION_OBJECTIVE, "maximize"},
    {"maximum", NULL, SECTION_OBJECTIVE, "maximize"},
    {"max", NULL, SECTION_OBJECTIVE, "maximize"},
    {"subject", "to", SECTION_ROWS, "subject to"},
    {"such", "that", SECTION_ROWS, "subject to"},
    {"st", NULL, SECTION_ROWS, "subject to"},
    {"st.", NULL, SECTION_ROWS, "subject to"},
    {"s.t.", NULL, SECTION_ROWS, "subject to"},
    {"bounds", NULL, SECTION_OTHER, "bounds"},
    {"bound", NULL, SECTION_OTHER, "bounds"},
    {"general", "constraints", SECTION_FOREIGN, "general constraints"},
    {"general", NULL, SECTION_OTHER, "general"},
    {"generals", NULL, SECTION_OTHER, "general"},
    {"gen", NULL, SECTION_OTHER, "general"},
    {"integer", NULL, SECTION_OTHER, "integer"},
    {"integers", NULL, SECTION_OTHER, "integer"},
    {"int", NULL, SECTION_OTHER, "integer"},
    {"binary", NULL, SECTION_OTHER, "binary"},
    {"binaries", NULL, SECTION_OTHER, "binary"},
    {"bin", NULL, SECTION_OTHER, "binary"},
    {"semi-continuous", NULL, SECTION_FOREIGN, "semi-continuous variables"},
    {"semis", NULL, SECTION_FOREIGN, "semi-continuous variables"},
    {"semi", NULL, SECTION_FOREIGN, "semi-continuous variables"},
    {"sos", NULL, SECTION_FOREIGN, "special ordered sets"},
    {"sos1", NULL, SECTION_FOREIGN, "special ordered sets"},
    {"sos2", NULL, SECTION_FOREIGN, "special ordered sets"},
    {"lazy", "constraints", SECTION_FOREIGN, "lazy constraints"},
    {"user", "cuts", SECTION_FOREIGN, "user cuts"},
    {"pwlobj", NULL, SECTION_FOREIGN, "piecewise linear objectives"},
    {"end", NULL, SECTION_END, "end"},
};

typedef struct lp_preparer {
    const berth__problem_source *source;
    berth__problem_builder *builder;
    berth__prepared *out;
    berth__text text;
    lp_section section;
    const char *foreign; /* the section that must be empty */
    long line;
    /* objective */
    size_t n_terms, n_constants;
    char first_term[256];
    bool has_number, has_sign; /* read last, and not yet known to be a coefficient */
    size_t sign_at, number_at, number_length;
    bool is_negative;
    double number;
    /* rows */
    bool any_row;
    size_t rows_at; /* end of the line with the keyword */
} lp_preparer;

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

static size_t skip_blanks(const char *text, size_t length, size_t at) {
    while (at < length && is_blank(text[at])) {
        at++;
    }
    return at;
}

/* Length of the keyword's word at `at`, 0 if it is another one. */
static size_t matches(const char *text, size_t length, size_t at, const char *word) {
    size_t n = strlen(word);
    if (length - at < n || strncasecmp(text + at, word, n) != 0) {
        return 0;
    }
    return at + n == length || is_blank(text[at + n]) || strchr("<>=:+", text[at + n]) != NULL ? n : 0;
}

/* The keyword that a line begins with, NULL: none; *at is moved behind it. Before an operator it is a name. */
static const lp_keyword *keyword_of(const char *text, size_t length, size_t *at) {
    for (size_t k = 0; k < sizeof keywords / sizeof keywords[0]; k++) {
        size_t n = matches(text, length, *at, keywords[k].word), end = *at + n;
        if (n > 0 && keywords[k].second != NULL) {
            end = skip_blanks(text, length, end);
            n = matches(text, length, end, keywords[k].second);
            end += n;
        }
        size_t next = skip_blanks(text, length, end);
        if (n > 0 && (next == length || strchr("<>=:", text[next]) == NULL)) {
            *at = end;
            return &keywords[k];
        }
    }
    return NULL;
}

/* ---- objective ---- */

/* What was read last is a constant: out of the text with it. */
static void take_constant(lp_preparer *p) {
    if (!p->has_number) {
        return;
    }
    if (!p->has_sign && p->n_terms + p->n_constants > 0) { /* "x 5": GLPK will not like it */
        p->has_number = false;
        return;
    }
    p->n_constants++;
    p->out->offset += p->has_sign && p->is_negative ? -p->number : p->number;
    memset(p->text.bytes + p->number_at, ' ', p->number_length);
    if (p->has_sign) {
        p->text.bytes[p->sign_at] = ' ';
    }
    p->has_number = p->has_sign = false;
}

static bool is_name_character(char c) {
    return isalnum((unsigned char)c) || (c != '\0' && strchr("!\"#$%&()/,.;?@_`'{}|~", c) != NULL);
}

/* Length of the number at `text`, 0: none. A sign belongs to an exponent only. */
static size_t number_length(const char *text, size_t length) {
    size_t n = 0, digits = 0;
    for (; n < length && (isdigit((unsigned char)text[n]) || text[n] == '.'); n++) {
        digits += text[n] != '.';
    }
    if (digits > 0 && n < length && (text[n] == 'e' || text[n] == 'E')) {
        size_t exponent = n + 1;
        exponent += exponent < length && (text[exponent] == '+' || text[exponent] == '-');
        size_t first = exponent;
        while (exponent < length && isdigit((unsigned char)text[exponent])) {
            exponent++;
        }
        n = exponent > first ? exponent : n;
    }
    return digits > 0 ? n : 0;
}

static void take_name(lp_preparer *p, const char *text, size_t n, char next) {
    p->has_number = p->has_sign = false;
    if (next == ':') { /* the objective's own */
        return;
    }
    if (p->n_terms++ == 0 && n < sizeof p->first_term) {
        memcpy(p->first_term, text, n);
        p->first_term[n] = '\0';
    }
}

/* Looks through text of the objective that was added to the output from `at` on. */
static void scan_objective(lp_preparer *p, size_t at) {
    while (p->text.status == BERTH_OK && at < p->text.length) {
        const char *c = p->text.bytes + at;
        size_t left = p->text.length - at, n = number_length(c, left);
        if (n > 0) {
            p->has_sign &= !p->has_number; /* "3 4 x": GLPK will not like it */
            p->n_constants += p->has_number;
            p->has_number = true;
            p->number_at = at;
            p->number_length = n;
            p->number = strtod(c, NULL);
        } else if (is_name_character(*c)) {
            while (n < left && is_name_character(c[n])) {
                n++;
            }
            take_name(p, c, n, c[skip_blanks(c, left, n)]);
        } else {
            n = 1;
            if (*c == '+' || *c == '-') {
                take_constant(p);
                p->has_sign = true;
                p->is_negative = *c == '-';
                p->sign_at = at;
            } else if (!is_blank(*c) && *c != '\n') {
                p->has_number = p->has_sign = false; /* GLPK will not like it */
            }
        }
        at += n;
    }
}

/* Puts text before the line end that closes the output. */
static void append_to_line(lp_preparer *p, const char *more, const char *name, const char *rest) {
    if (p->text.length > 0) {
        p->text.length--;
    }
    berth__text_add(&p->text, "%s%s%s\n", more, name, rest);
}

static void end_objective(lp_preparer *p) {
    take_constant(p);
    if (p->n_terms == 0 && p->text.status == BERTH_OK) {
        append_to_line(p, " 0 ", BERTH__PLACEHOLDER, "");
        p->out->has_placeholder = true;
        memcpy(p->first_term, BERTH__PLACEHOLDER, sizeof BERTH__PLACEHOLDER);
    }
}

/* ---- rows ---- */

/* The one line of the section is that of the keyword. */
static void end_rows(lp_preparer *p) {
    if (!p->any_row && p->rows_at == p->text.length && p->text.status == BERTH_OK) {
        append_to_line(p, " " BERTH__PLACEHOLDER ": 0 ", p->first_term, " >= 0");
        p->out->no_rows = true;
    }
}

/* 1 <= x + y <= 2, with or without a name before it. */
static bool is_between(const char *text, size_t length, size_t at) {
    size_t name = at;
    while (name < length && is_name_character(text[name])) {
        name++;
    }
    name = skip_blanks(text, length, name);
    if (name < length && text[name] == ':') {
        at = skip_blanks(text, length, name + 1);
    }
    if (at < length && (text[at] == '+' || text[at] == '-')) {
        at = skip_blanks(text, length, at + 1);
    }
    size_t n = number_length(text + at, length - at);
    at = skip_blanks(text, length, at + n);
    return n > 0 && at < length && (text[at] == '<' || text[at] == '>' || text[at] == '=');
}

/* ---- lines ---- */

/* Before a new section begins, or at the end. */
static void end_section(lp_preparer *p) {
    if (p->section == SECTION_OBJECTIVE) {
        end_objective(p);
    } else if (p->section == SECTION_ROWS) {
        end_rows(p);
    }
}

static void begin_section(lp_preparer *p, const lp_keyword *keyword) {
    end_section(p);
    p->section = keyword->section;
    p->foreign = keyword->canonical;
    if (p->section != SECTION_FOREIGN) {
        berth__text_add(&p->text, "%s", keyword->canonical);
    }
}

static bool prepare_line(lp_preparer *p, const char *text, size_t length) {
    size_t at = skip_blanks(text, length, 0);
    const lp_keyword *keyword = p->section == SECTION_END ? NULL : keyword_of(text, length, &at);
    if (keyword != NULL) {
        begin_section(p, keyword);
        at = skip_blanks(text, length, at);
    }
    if (at < length && p->section == SECTION_FOREIGN) {
        return berth__problem_fail_line(p->source, p->builder, BERTH_E_UNSUPPORTED, p->line, "%s are not supported",
                                        p->foreign);
    }
    if (at < length && p->section == SECTION_ROWS && is_between(text, length, at)) {
        return berth__problem_fail_line(p->source, p->builder, BERTH_E_UNSUPPORTED, p->line,
                                        "a row between two sides is not supported; write it as two rows");
    }
    size_t start = p->text.length;
    berth__text_put(&p->text, " ", 1);
    berth__text_put(&p->text, text + at, length - at);
    berth__text_put(&p->text, "\n", 1);
    p->any_row |= p->section == SECTION_ROWS && at < length;
    if (p->section == SECTION_OBJECTIVE) {
        scan_objective(p, start);
    }
    if (p->section == SECTION_ROWS && !p->any_row) {
        p->rows_at = p->text.length;
    }
    return true;
}

/* "\ Problem name: NAME", as CPLEX and others put it in a comment. */
static bool take_problem_name(lp_preparer *p, const char *comment, size_t length) {
    static const char title[] = "problem name:";
    size_t at = skip_blanks(comment, length, 1);
    if (p->out->name != NULL || length - at < sizeof title || strncasecmp(comment + at, title, sizeof title - 1) != 0) {
        return true;
    }
    at = skip_blanks(comment, length, at + sizeof title - 1);
    while (length > at && is_blank(comment[length - 1])) {
        length--;
    }
    p->out->name = berth__calloc(length - at + 1, 1);
    if (p->out->name == NULL) {
        return berth__problem_memory(p->builder);
    }
    memcpy(p->out->name, comment + at, length - at);
    return true;
}

static bool prepare_lines(lp_preparer *p) {
    const char *text = p->source->text, *end = text + p->source->length;
    for (p->line = 1; text < end; p->line++) {
        size_t length = strcspn(text, "\n");
        const char *comment = memchr(text, '\\', length);
        size_t used = comment == NULL ? length : (size_t)(comment - text);
        if ((comment != NULL && !take_problem_name(p, comment, length - used)) || !prepare_line(p, text, used)) {
            return false;
        }
        text += length + (text[length] == '\n');
    }
    end_section(p);
    if (!isfinite(p->out->offset)) {
        return berth__problem_fail_line(p->source, p->builder, BERTH_E_INPUT, 1,
                                        "the constant of the objective is out of range");
    }
    return true;
}

bool berth__prepare_lp(const berth__problem_source *source, berth__problem_builder *builder, berth__prepared *out) {
    lp_preparer p = {.source = source, .builder = builder, .out = out};
    bool good = prepare_lines(&p);
    if ((out->has_placeholder || out->no_rows) && strstr(source->text, BERTH__PLACEHOLDER) != NULL) {
        good = berth__problem_fail_line(source, builder, BERTH_E_UNSUPPORTED, 1, "the name %s is berth's own",
                                        BERTH__PLACEHOLDER);
    }
    if (good) {
        builder->status = berth__text_finish(&p.text, &out->text, &out->length, builder->error);
    }
    berth__text_clear(&p.text);
    return builder->status == BERTH_OK;
}
