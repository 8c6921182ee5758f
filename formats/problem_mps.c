/* MPS texts made ready for GLPK's reader. Of what files of other tools have, it lacks the section OBJSENSE, names with
 * blanks in fixed columns, long problem names and Fortran's exponents (1.5D3); it takes no CR in free MPS. What nobody
 * here has, such as semi-continuous bounds and quadratic sections, is refused by name. Everything keeps its line and,
 * for fixed MPS, its column. */
#define _POSIX_C_SOURCE 200809L
#include "formats/problem_formats.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

typedef enum mps_section { SECTION_NONE, SECTION_OBJSENSE, SECTION_DATA, SECTION_BOUNDS, SECTION_END } mps_section;

typedef struct mps_line {
    char *text;
    size_t length; /* without the line end */
    long number;
} mps_line;

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

static bool set_sense(const berth__problem_source *source, berth__problem_builder *builder, const mps_line *line,
                      const mps_word *word, berth__prepared *out) {
    out->maximize = is_word(word, "MAX") || is_word(word, "MAXIMIZE") || is_word(word, "MAXIMISE");
    if (out->maximize || is_word(word, "MIN") || is_word(word, "MINIMIZE") || is_word(word, "MINIMISE")) {
        return true;
    }
    return berth__problem_fail_line(source, builder, BERTH_E_INPUT, line->number,
                                    "OBJSENSE is \"%.*s\"; expected MIN or MAX",
                                    (int)(word->length < 40 ? word->length : 40), word->text);
}

/* Keeps all after NAME for ourselves: the reader takes one field of it. */
static bool take_name(mps_line *line, berth__problem_builder *builder, berth__prepared *out) {
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
        return berth__problem_memory(builder);
    }
    memcpy(out->name, line->text + begin, end - begin);
    memset(line->text + 4, ' ', line->length - 4);
    return true;
}

static bool begin_section(const berth__problem_source *source, berth__problem_builder *builder, mps_line *line,
                          mps_section *section, berth__prepared *out) {
    static const char *const foreign[] = {"SOS",         "SOS1",      "SOS2",     "SETS",       "QSECTION", "QMATRIX",
                                          "QUADOBJ",     "QCMATRIX",  "CSECTION", "INDICATORS", "LAZYCONS", "USERCUTS",
                                          "PWLOBJ",      "OBJNAME",   "REFROW",   "BRANCH",     "GENCONS",  "SCENARIOS",
                                          "DELAYEDROWS", "MODELCUTS", "MULTIOBJ", "PIECEWISE"};
    mps_word words[2];
    size_t n = words_of(line, words, 2);
    for (size_t k = 0; k < sizeof foreign / sizeof foreign[0]; k++) {
        if (is_word(&words[0], foreign[k])) {
            return berth__problem_fail_line(source, builder, BERTH_E_UNSUPPORTED, line->number,
                                            "the section %s is not supported", foreign[k]);
        }
    }
    if (is_word(&words[0], "OBJSENSE")) {
        *section = n > 1 ? SECTION_NONE : SECTION_OBJSENSE;
        bool good = n == 1 || set_sense(source, builder, line, &words[1], out);
        hide(line);
        return good;
    }
    *section = is_word(&words[0], "BOUNDS")   ? SECTION_BOUNDS
               : is_word(&words[0], "ENDATA") ? SECTION_END
               : is_word(&words[0], "NAME")   ? SECTION_NONE
                                              : SECTION_DATA;
    return !is_word(&words[0], "NAME") || take_name(line, builder, out);
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

/* Numbers are the third word of a line of data or the last one; of bounds, the last of four. */
static bool data_line(const berth__problem_source *source, berth__problem_builder *builder, mps_line *line,
                      mps_section section) {
    mps_word words[8];
    size_t n = words_of(line, words, 8);
    if (n == 0 || line->text[0] == '*') {
        return true;
    }
    if (section == SECTION_BOUNDS && (is_word(&words[0], "SC") || is_word(&words[0], "SI"))) {
        return berth__problem_fail_line(source, builder, BERTH_E_UNSUPPORTED, line->number,
                                        "semi-continuous variables (bound %.2s) are not supported", words[0].text);
    }
    bool has_number =
        section == SECTION_BOUNDS
            ? n >= 4 || (n == 3 && (is_word(&words[0], "UP") || is_word(&words[0], "LO") || is_word(&words[0], "FX")))
            : n >= 2;
    if (has_number) {
        mend_exponent(&words[n - 1]);
    }
    if (has_number && section == SECTION_DATA && n > 3) {
        mend_exponent(&words[2]);
    }
    return true;
}

static bool prepare_line(const berth__problem_source *source, berth__problem_builder *builder, mps_line *line,
                         mps_section *section, berth__prepared *out) {
    mps_word word;
    if (*section == SECTION_END || line->length == 0 || line->text[0] == '*') {
        return true;
    }
    if (!is_blank(line->text[0])) {
        return begin_section(source, builder, line, section, out);
    }
    if (*section == SECTION_OBJSENSE) {
        bool good = words_of(line, &word, 1) == 0 || set_sense(source, builder, line, &word, out);
        hide(line);
        return good;
    }
    return data_line(source, builder, line, *section);
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

bool berth__prepare_mps(const berth__problem_source *source, berth__problem_builder *builder, berth__prepared *out) {
    mps_section section = SECTION_NONE;
    char *text = out->text = berth__calloc(source->length + 2, 1);
    if (text == NULL) {
        return berth__problem_memory(builder);
    }
    for (size_t k = 0; k < source->length; k++) {
        if (source->text[k] != '\r' || source->text[k + 1] != '\n') {
            text[out->length++] = source->text[k];
        }
    }
    if (text[out->length - 1] != '\n') {
        text[out->length++] = '\n';
    }
    out->blank = unused_character(text);
    mps_line line = {.text = text, .number = 1};
    for (; *line.text != '\0'; line.text += line.length + 1, line.number++) {
        line.length = strcspn(line.text, "\n");
        if (!prepare_line(source, builder, &line, &section, out)) {
            return false;
        }
    }
    return true;
}
