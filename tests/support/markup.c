#include "tests/support/markup.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "formats/bytes.h"

enum { DEEPEST = 64, LONGEST = 48, MOST_ATTRIBUTES = 32 };

typedef struct scan {
    const char *at, *end;
    char open[DEEPEST][LONGEST];
    size_t depth, roots;
    const char *why;
} scan;

static bool fail(scan *s, const char *why) {
    s->why = s->why == NULL ? why : s->why;
    return false;
}

static bool is_name(char c) {
    return isalnum((unsigned char)c) || c == '-' || c == '_' || c == ':' || c == '.';
}

static bool take_name(scan *s, char name[LONGEST]) {
    size_t n = 0;
    while (s->at < s->end && is_name(*s->at) && n < LONGEST - 1) {
        name[n++] = *s->at++;
    }
    name[n] = '\0';
    return n > 0 || fail(s, "a name is missing");
}

static void skip_blanks(scan *s) {
    while (s->at < s->end && isspace((unsigned char)*s->at)) {
        s->at++;
    }
}

static bool take_character(scan *s) {
    static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;", "&#39;", "&#177;"};
    const size_t left = (size_t)(s->end - s->at), length = berth__utf8_length(s->at, left < 4 ? left : 4);
    if (length == 0) {
        return fail(s, "no UTF-8");
    }
    if (*s->at == '&') {
        for (size_t k = 0; k < sizeof entities / sizeof *entities; k++) {
            if (strncmp(s->at, entities[k], strlen(entities[k])) == 0) {
                s->at += strlen(entities[k]);
                return true;
            }
        }
        return fail(s, "an unknown entity");
    }
    if (((unsigned char)*s->at < 0x20 && !isspace((unsigned char)*s->at)) || *s->at == 0x7f) {
        return fail(s, "a control character");
    }
    s->at += length;
    return true;
}

static bool take_attribute(scan *s, char names[MOST_ATTRIBUTES][LONGEST], size_t *n) {
    if (*n == MOST_ATTRIBUTES || !take_name(s, names[*n])) {
        return fail(s, "too many attributes");
    }
    for (size_t k = 0; k < *n; k++) {
        if (strcmp(names[k], names[*n]) == 0) {
            return fail(s, "an attribute twice");
        }
    }
    ++*n;
    skip_blanks(s);
    if (s->at == s->end || *s->at++ != '=') {
        return fail(s, "an attribute without value");
    }
    skip_blanks(s);
    const char quote = s->at < s->end ? *s->at : '\0';
    if (quote != '"' && quote != '\'') {
        return fail(s, "a value without quotes");
    }
    for (s->at++; s->at < s->end && *s->at != quote;) {
        if (*s->at == '<' || !take_character(s)) {
            return fail(s, "< in a value");
        }
    }
    return s->at++ < s->end || fail(s, "a value that does not end");
}

static bool take_end(scan *s) {
    char name[LONGEST];
    s->at += 2;
    if (!take_name(s, name)) {
        return false;
    }
    skip_blanks(s);
    if (s->depth == 0 || strcmp(s->open[s->depth - 1], name) != 0) {
        return fail(s, "an element is closed that is not open");
    }
    s->depth--;
    return (s->at < s->end && *s->at++ == '>') || fail(s, "a tag that does not end");
}

static bool take_element(scan *s) {
    char name[LONGEST], names[MOST_ATTRIBUTES][LONGEST];
    size_t n = 0;
    s->at++;
    if (!take_name(s, name)) {
        return false;
    }
    for (skip_blanks(s); s->at < s->end && *s->at != '>' && *s->at != '/'; skip_blanks(s)) {
        if (!take_attribute(s, names, &n)) {
            return false;
        }
    }
    s->roots += s->depth == 0;
    const bool empty = s->at < s->end && *s->at == '/';
    s->at += empty;
    if (s->at == s->end || *s->at++ != '>') {
        return fail(s, "a tag that does not end");
    }
    if (!empty) {
        if (s->depth == DEEPEST) {
            return fail(s, "too deep");
        }
        strcpy(s->open[s->depth++], name);
    }
    return true;
}

/* A declaration or a comment. */
static bool skip_to(scan *s, const char *closer) {
    const char *found = strstr(s->at, closer);
    if (found == NULL || found >= s->end) {
        return fail(s, "a comment that does not end");
    }
    s->at = found + strlen(closer);
    return true;
}

static bool starts(const scan *s, const char *text) {
    return strncmp(s->at, text, strlen(text)) == 0;
}

bool markup_is_well_formed(const char *text, size_t length, char *problem, size_t size) {
    scan s = {.at = text, .end = text + length};
    bool good = strlen(text) == length || fail(&s, "a NUL");
    while (good && s.at < s.end) {
        if (*s.at != '<') {
            good = (s.depth > 0 || isspace((unsigned char)*s.at) || fail(&s, "text outside")) && take_character(&s);
        } else {
            good = starts(&s, "<!--") ? skip_to(&s, "-->")
                   : starts(&s, "<?") ? skip_to(&s, "?>")
                   : starts(&s, "<!") ? skip_to(&s, ">")
                   : starts(&s, "</") ? take_end(&s)
                                      : take_element(&s);
        }
    }
    good = good && ((s.depth == 0 && s.roots == 1) || fail(&s, "not one element at the top, or not closed"));
    if (!good) {
        snprintf(problem, size, "%s at byte %zu, before \"%.40s\"", s.why, (size_t)(s.at - text), s.at);
    }
    return good;
}

size_t markup_count(const char *text, const char *element) {
    char start[LONGEST];
    size_t n = 0;
    snprintf(start, sizeof start, "<%s", element);
    for (const char *at = strstr(text, start); at != NULL; at = strstr(at + 1, start)) {
        n += !is_name(at[strlen(start)]);
    }
    return n;
}
