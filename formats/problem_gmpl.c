/* GNU MathProg texts made ready for GLPK's translator, which would write to files and to the terminal, and read tables
 * from files and databases, as the model says. The statements that print (printf, display, and the for statements
 * around them) are blanked out, a table before the model is complete is refused, and so is nesting deep enough to
 * exhaust the translator's stack. Everything keeps its line. */
#include "formats/problem_formats.h"

#include <ctype.h>
#include <string.h>

enum { DEEPEST = 200, LONGEST = 200000 };

typedef struct gmpl_scanner {
    const berth__problem_source *source;
    berth__problem_builder *builder;
    char *text;
    size_t length, at;
    long line;
    bool solved; /* behind the solve statement: nothing there shapes the problem */
} gmpl_scanner;

static void step(gmpl_scanner *s) {
    s->line += s->text[s->at] == '\n';
    s->at++;
}

static char peek(const gmpl_scanner *s, size_t ahead) {
    if (s->at + ahead < s->length) {
        return s->text[s->at + ahead];
    }
    return '\0';
}

/* Over a comment or a quoted string, if one is here. */
static bool skip_special(gmpl_scanner *s) {
    char c = peek(s, 0);
    if (c == '#') {
        while (s->at < s->length && s->text[s->at] != '\n') {
            step(s);
        }
        return true;
    }
    if (c == '/' && peek(s, 1) == '*') {
        step(s);
        step(s);
        while (s->at < s->length && !(peek(s, 0) == '*' && peek(s, 1) == '/')) {
            step(s);
        }
        for (int k = 0; k < 2 && s->at < s->length; k++) {
            step(s);
        }
        return true;
    }
    if (c == '\'' || c == '"') {
        do {
            step(s);
        } while (s->at < s->length && s->text[s->at] != c && s->text[s->at] != '\n');
        if (s->at < s->length) {
            step(s);
        }
        return true;
    }
    return false;
}

static void skip_space(gmpl_scanner *s) {
    while (s->at < s->length) {
        if (isspace((unsigned char)s->text[s->at])) {
            step(s);
        } else if (!(peek(s, 0) == '#' || (peek(s, 0) == '/' && peek(s, 1) == '*')) || !skip_special(s)) {
            return;
        }
    }
}

static bool is_word_character(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* The word that begins here; `length` 0: none. */
static const char *word_at(const gmpl_scanner *s, size_t *length) {
    size_t n = 0;
    while (is_word_character(peek(s, n))) {
        n++;
    }
    *length = n;
    return s->text + s->at;
}

static bool is_word(const gmpl_scanner *s, const char *word) {
    size_t length;
    const char *found = word_at(s, &length);
    return length == strlen(word) && strncmp(found, word, length) == 0;
}

/* Counts what opens a level of the translator's recursion. */
static bool nest(gmpl_scanner *s, int *depth) {
    char c = s->text[s->at];
    if (c == '(' || c == '[' || c == '{') {
        ++*depth;
    } else if ((c == ')' || c == ']' || c == '}') && *depth > 0) {
        --*depth;
    }
    return *depth <= DEEPEST ? true
                             : berth__problem_fail_line(s->source, s->builder, BERTH_E_UNSUPPORTED, s->line,
                                                        "nested more than %d deep", DEEPEST);
}

/* Behind the semicolon that ends a statement, or, in braces, behind the one that closes them. The translator recurses
 * on operators too, so there is a limit to the words and signs of a statement. */
static bool skip_statement(gmpl_scanner *s, bool in_braces) {
    int depth = 0;
    long words = 0;
    while (s->at < s->length) {
        words += !isspace((unsigned char)s->text[s->at]);
        if (words > LONGEST) {
            return berth__problem_fail_line(s->source, s->builder, BERTH_E_UNSUPPORTED, s->line,
                                            "a statement of more than %d words and signs", LONGEST);
        }
        size_t length;
        word_at(s, &length);
        if (length > 0) {
            s->at += length;
            continue;
        }
        if (skip_special(s)) {
            continue;
        }
        char c = s->text[s->at];
        if (!nest(s, &depth)) {
            return false;
        }
        step(s);
        if (depth == 0 && (in_braces ? c == '}' : c == ';')) {
            return true;
        }
    }
    return true; /* the translator says that something is missing */
}

/* for {...} [:] { statements } or one statement. */
static bool skip_for(gmpl_scanner *s) {
    for (;;) {
        s->at += strlen("for");
        skip_space(s);
        if (peek(s, 0) == '{' && !skip_statement(s, true)) {
            return false;
        }
        skip_space(s);
        if (peek(s, 0) == ':') {
            step(s);
            skip_space(s);
        }
        if (peek(s, 0) == '{') {
            return skip_statement(s, true);
        }
        if (!is_word(s, "for")) {
            return skip_statement(s, false);
        }
    }
}

static void blank_out(gmpl_scanner *s, size_t from) {
    for (size_t k = from; k < s->at; k++) {
        s->text[k] = s->text[k] == '\n' ? '\n' : ' ';
    }
}

/* One statement; *more: there may be another. */
static bool prepare_statement(gmpl_scanner *s, bool *more) {
    skip_space(s);
    size_t start = s->at;
    bool is_for = is_word(s, "for"), is_table = is_word(s, "table");
    bool prints = is_for || is_word(s, "printf") || is_word(s, "display");
    *more = s->at < s->length && !is_word(s, "data") && !is_word(s, "end");
    if (!*more) {
        return true;
    }
    if (is_table && !s->solved) {
        return berth__problem_fail_line(s->source, s->builder, BERTH_E_UNSUPPORTED, s->line,
                                        "the table statement, which reads or writes other files, is not supported");
    }
    s->solved |= is_word(s, "solve");
    if (!(is_for ? skip_for(s) : skip_statement(s, false))) {
        return false;
    }
    if (prints || is_table) {
        blank_out(s, start);
    }
    return true;
}

bool berth__prepare_gmpl(const berth__problem_source *source, berth__problem_builder *builder, berth__prepared *out) {
    bool more = true;
    out->text = berth__calloc(source->length + 1, 1);
    if (out->text == NULL) {
        return berth__problem_memory(builder);
    }
    memcpy(out->text, source->text, source->length);
    out->length = source->length;
    gmpl_scanner s = {.source = source, .builder = builder, .text = out->text, .length = out->length, .line = 1};
    while (more) {
        if (!prepare_statement(&s, &more)) {
            return false;
        }
    }
    return true;
}
