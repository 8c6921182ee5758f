/* MPS texts made ready for GLPK's reader. Of what files of other tools have, it lacks the section OBJSENSE, names with
 * blanks in fixed columns, long problem names and Fortran's exponents (1.5D3); it takes no CR in free MPS and no empty
 * lines. What nobody here has, such as semi-continuous bounds and quadratic sections, is refused by name. Everything
 * keeps its line and, for fixed MPS, its column. */
#define _POSIX_C_SOURCE 200809L
#include "formats/problem_formats.h"

#include "formats/names.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

typedef enum mps_section { SECTION_NONE, SECTION_OBJSENSE, SECTION_DATA, SECTION_BOUNDS, SECTION_END } mps_section;

typedef struct mps_line {
    char *text;
    size_t length; /* without the line end */
    long number;
} mps_line;

typedef struct mps_preparer {
    const berth__problem_source *source;
    berth__problem_builder *builder;
    berth__prepared *out;
    mps_section section;
    size_t n_lines;
    berth__arena *arena; /* NULL until the first bound */
    berth__names bounded;
    unsigned char *sides; /* [n_lines] of what is in `bounded`: LOWER, UPPER */
    size_t n_bounded;
} mps_preparer;

typedef struct mps_word {
    char *text;
    size_t length;
} mps_word;

static bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

/* The words of a line, at most `most`; returns how many there are of these. */
static size_t words_of(const mps_line *line, mps_word *words, size_t most) {
    size_t n = 0, at = 0;
    while (n < most) {
        while (at < line->length && is_blank(line->text[at])) {
            at++;
        }
        if (at == line->length) {
            break;
        }
        words[n].text = line->text + at;
        while (at < line->length && !is_blank(line->text[at])) {
            at++;
        }
        words[n].length = (size_t)(line->text + at - words[n].text);
        n++;
    }
    return n;
}

static bool is_word(const mps_word *word, const char *text) {
    return word->length == strlen(text) && strncasecmp(word->text, text, word->length) == 0;
}

/* Turns the line into a comment. */
static void hide(mps_line *line) {
    if (line->length > 0) {
        line->text[0] = '*';
    }
}

/* ---- lines ---- */

static bool set_sense(mps_preparer *p, const mps_line *line, const mps_word *word) {
    berth__prepared *out = p->out;
    out->maximize = is_word(word, "MAX") || is_word(word, "MAXIMIZE") || is_word(word, "MAXIMISE");
    if (out->maximize || is_word(word, "MIN") || is_word(word, "MINIMIZE") || is_word(word, "MINIMISE")) {
        return true;
    }
    return berth__problem_fail_line(p->source, p->builder, BERTH_E_INPUT, line->number,
                                    "OBJSENSE is \"%.*s\"; expected MIN or MAX",
                                    (int)(word->length < 40 ? word->length : 40), word->text);
}

/* Keeps all after NAME for ourselves: the reader takes one field of it. */
static bool take_name(mps_preparer *p, mps_line *line) {
    berth__prepared *out = p->out;
    size_t begin = 4, end = line->length;
    while (begin < end && is_blank(line->text[begin])) {
        begin++;
    }
    while (end > begin && is_blank(line->text[end - 1])) {
        end--;
    }
    berth__free(out->name);
    out->name = berth__calloc(end - begin + 1, 1);
    if (out->name == NULL) {
        return berth__problem_memory(p->builder);
    }
    memcpy(out->name, line->text + begin, end - begin);
    memset(line->text + 4, ' ', line->length - 4);
    return true;
}

static bool begin_section(mps_preparer *p, mps_line *line) {
    static const char *const foreign[] = {"SOS",         "SOS1",      "SOS2",     "SETS",       "QSECTION", "QMATRIX",
                                          "QUADOBJ",     "QCMATRIX",  "CSECTION", "INDICATORS", "LAZYCONS", "USERCUTS",
                                          "PWLOBJ",      "OBJNAME",   "REFROW",   "BRANCH",     "GENCONS",  "SCENARIOS",
                                          "DELAYEDROWS", "MODELCUTS", "MULTIOBJ", "PIECEWISE"};
    mps_word words[2];
    size_t n = words_of(line, words, 2);
    for (size_t k = 0; k < sizeof foreign / sizeof foreign[0]; k++) {
        if (is_word(&words[0], foreign[k])) {
            return berth__problem_fail_line(p->source, p->builder, BERTH_E_UNSUPPORTED, line->number,
                                            "the section %s is not supported", foreign[k]);
        }
    }
    if (is_word(&words[0], "OBJSENSE")) {
        p->section = n > 1 ? SECTION_NONE : SECTION_OBJSENSE;
        bool good = n == 1 || set_sense(p, line, &words[1]);
        hide(line);
        return good;
    }
    p->section = is_word(&words[0], "BOUNDS")   ? SECTION_BOUNDS
                 : is_word(&words[0], "ENDATA") ? SECTION_END
                 : is_word(&words[0], "NAME")   ? SECTION_NONE
                                                : SECTION_DATA;
    return !is_word(&words[0], "NAME") || take_name(p, line);
}

/* A number with Fortran's exponent: its D becomes E. */
static void mend_exponent(mps_word *word) {
    size_t at = 0, digits = 0, letter;
    at += word->text[0] == '+' || word->text[0] == '-';
    for (; at < word->length && (isdigit((unsigned char)word->text[at]) || word->text[at] == '.'); at++) {
        digits += word->text[at] != '.';
    }
    letter = at;
    if (digits == 0 || at == word->length || (word->text[at] != 'D' && word->text[at] != 'd')) {
        return;
    }
    at++;
    at += at < word->length && (word->text[at] == '+' || word->text[at] == '-');
    size_t first = at;
    while (at < word->length && isdigit((unsigned char)word->text[at])) {
        at++;
    }
    if (at > first && at == word->length) {
        word->text[letter] = 'E';
    }
}

/* Puts the words of a marker into the columns that fixed MPS demands and few files keep to. */
static void align_marker(mps_line *line, const mps_word *words) {
    static const char origin[] = "    MARKER    'MARKER'                 'INTORG'";
    static const char end[] = "    MARKER    'MARKER'                 'INTEND'";
    const char *aligned = is_word(&words[2], "'INTORG'") ? origin : is_word(&words[2], "'INTEND'") ? end : NULL;
    if (aligned != NULL && line->length >= sizeof origin - 1) {
        memset(line->text, ' ', line->length);
        memcpy(line->text, aligned, sizeof origin - 1);
    }
}

/* GLPK dies of a bound of both sides for a column that has had one of each. The column's name is all between the set's
 * name and the number. */
static bool check_bound(mps_preparer *p, const mps_line *line, const mps_word *words, size_t n, bool has_number) {
    enum { LOWER = 1, UPPER = 2, BOTH = 3 };
    static const struct {
        const char *type;
        unsigned char sides;
    } table[] = {{"LO", LOWER}, {"LI", LOWER}, {"MI", LOWER}, {"UP", UPPER}, {"UI", UPPER},
                 {"PL", UPPER}, {"FX", BOTH},  {"FR", BOTH},  {"BV", BOTH}};
    size_t last = n - (has_number ? 2 : 1), first = last < 2 ? last : 2;
    unsigned char sides = 0;
    for (size_t k = 0; k < sizeof table / sizeof table[0]; k++) {
        sides |= is_word(&words[0], table[k].type) ? table[k].sides : 0;
    }
    if (p->arena == NULL) {
        p->arena = berth__arena_new();
        p->sides = berth__calloc(p->n_lines, 1);
        if (p->arena == NULL || p->sides == NULL || !berth__names_init(&p->bounded, p->n_lines)) {
            return berth__problem_memory(p->builder);
        }
    }
    const char *name = berth__arena_strndup(p->arena, words[first].text,
                                            (size_t)(words[last].text + words[last].length - words[first].text));
    if (name == NULL) {
        return berth__problem_memory(p->builder);
    }
    size_t found = berth__names_add(&p->bounded, name, p->n_bounded);
    found = found == BERTH__NO_NAME ? p->n_bounded++ : found;
    if (sides == BOTH && p->sides[found] == BOTH) {
        return berth__problem_fail_line(p->source, p->builder, BERTH_E_INPUT, line->number,
                                        "column '%.100s' has bounds already", name);
    }
    p->sides[found] |= sides;
    return true;
}

/* Numbers are the third word of a line of data or the last one; of bounds, the last of four. */
static bool data_line(mps_preparer *p, mps_line *line) {
    mps_word words[8];
    size_t n = words_of(line, words, 8);
    if (n == 0) {
        hide(line);
        return true;
    }
    if (p->section == SECTION_BOUNDS && (is_word(&words[0], "SC") || is_word(&words[0], "SI"))) {
        return berth__problem_fail_line(p->source, p->builder, BERTH_E_UNSUPPORTED, line->number,
                                        "semi-continuous variables (bound %.2s) are not supported", words[0].text);
    }
    if (n == 3 && p->section == SECTION_DATA && is_word(&words[1], "'MARKER'")) {
        align_marker(line, words);
        return true;
    }
    bool has_number =
        p->section == SECTION_BOUNDS
            ? n >= 4 || (n == 3 && (is_word(&words[0], "UP") || is_word(&words[0], "LO") || is_word(&words[0], "FX")))
            : n >= 2;
    if (has_number) {
        mend_exponent(&words[n - 1]);
    }
    if (p->section == SECTION_BOUNDS && n >= 2) {
        return check_bound(p, line, words, n, has_number);
    }
    if (has_number && p->section == SECTION_DATA && n > 3) {
        mend_exponent(&words[2]);
    }
    return true;
}

static bool prepare_line(mps_preparer *p, mps_line *line) {
    mps_word word;
    if (p->section == SECTION_END || line->length == 0 || line->text[0] == '*') {
        return true;
    }
    if (!is_blank(line->text[0])) {
        return begin_section(p, line);
    }
    if (p->section == SECTION_OBJSENSE) {
        bool good = words_of(line, &word, 1) == 0 || set_sense(p, line, &word);
        hide(line);
        return good;
    }
    return data_line(p, line);
}

/* ---- the whole ---- */

/* A printable character that the text does not have; 0: it has them all. */
static char unused_character(const char *text) {
    static const char candidates[] = "~^|`@!%&?;_#\\\"{}[]<>=,:()/'";
    for (const char *c = candidates; *c != '\0'; c++) {
        if (strchr(text, *c) == NULL) {
            return *c;
        }
    }
    return '\0';
}

/* Without CR at line ends; with a line end at the last line, and an asterisk in empty ones, which GLPK takes for data.
 */
static void copy_lines(const berth__problem_source *source, berth__prepared *out) {
    char *text = out->text, last = '\n';
    for (size_t k = 0; k <= source->length; k++) {
        char c = '\n';
        if (k < source->length) {
            c = source->text[k];
        }
        if ((c == '\r' && source->text[k + 1] == '\n') || (k == source->length && last == '\n')) {
            continue;
        }
        if (c == '\n' && last == '\n') {
            text[out->length++] = '*';
        }
        last = text[out->length++] = c;
    }
}

static bool prepare_lines(mps_preparer *p) {
    mps_line line = {.text = p->out->text, .number = 1};
    for (; *line.text != '\0'; line.text += line.length + 1, line.number++) {
        line.length = strcspn(line.text, "\n");
        if (!prepare_line(p, &line)) {
            return false;
        }
    }
    return true;
}

bool berth__prepare_mps(const berth__problem_source *source, berth__problem_builder *builder, berth__prepared *out) {
    mps_preparer p = {.source = source, .builder = builder, .out = out};
    for (size_t k = 0; k < source->length; k++) {
        p.n_lines += source->text[k] == '\n';
    }
    p.n_lines++;
    /* Room for a character more in each line. */
    char *text = out->text = berth__calloc(source->length + p.n_lines + 2, 1);
    if (text == NULL) {
        return berth__problem_memory(builder);
    }
    copy_lines(source, out);
    out->blank = unused_character(text);
    bool good = prepare_lines(&p);
    berth__arena_free(p.arena);
    berth__names_free(&p.bounded);
    berth__free(p.sides);
    return good;
}
