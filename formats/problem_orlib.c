/* Reading the texts of the OR-Library (Beasley, "OR-Library: distributing test problems by electronic mail", Journal of
 * the Operational Research Society 41(11), 1990): numbers separated by blanks and line ends, which mean nothing.
 *
 *   set covering (scp*): m rows, n columns; n costs; for each row the number of columns that cover it, and these, from
 *     1. Becomes: least cost of columns x1 .. xn in {0, 1} such that each row r1 .. rm has one.
 *   multidimensional knapsack (mknap*): K problems, each: n items, m constraints, the best known value (0: none); n
 *     profits; m times n weights; m capacities. Becomes: greatest profit of items in {0, 1} within the capacities. */
#include "formats/problem_formats.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct scanner {
    const berth__problem_source *source;
    berth__problem_builder *builder;
    const char *at, *end;
    long line;
} scanner;

static scanner scan(const berth__problem_source *source, berth__problem_builder *builder) {
    return (scanner){
        .source = source, .builder = builder, .at = source->text, .end = source->text + source->length, .line = 1};
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v';
}

/* To the next word; false: there is none. */
static bool next_word(scanner *s) {
    while (s->at < s->end && is_blank(*s->at)) {
        s->line += *s->at == '\n';
        s->at++;
    }
    return s->at < s->end;
}

static size_t word_length(const scanner *s) {
    size_t n = 0;
    while (s->at + n < s->end && !is_blank(s->at[n])) {
        n++;
    }
    return n;
}

static int shown(size_t length) {
    return length < 40 ? (int)length : 40;
}

/* `what` for messages: "the cost of column", 1 + `index`; index SIZE_MAX: `what` alone. */
static bool wrong_word(scanner *s, const char *what, size_t index, const char *expected) {
    char which[32] = "";
    if (index != SIZE_MAX) {
        snprintf(which, sizeof which, " %zu", index + 1);
    }
    if (s->at == s->end) {
        return berth__problem_fail_line(s->source, s->builder, BERTH_E_INPUT, s->line,
                                        "the text ends where %s%s is expected", what, which);
    }
    return berth__problem_fail_line(s->source, s->builder, BERTH_E_INPUT, s->line, "%s%s is \"%.*s\"; expected %s",
                                    what, which, shown(word_length(s)), s->at, expected);
}

/* The next word as a non-negative finite number. */
static bool next_number(scanner *s, const char *what, size_t index, double *out) {
    char *end;
    if (!next_word(s)) {
        return wrong_word(s, what, index, "a number");
    }
    size_t length = word_length(s);
    /* strtod would take hexadecimal, "inf" and "nan". */
    if (strspn(s->at, "0123456789+-.eE") < length) {
        return wrong_word(s, what, index, "a number");
    }
    double value = strtod(s->at, &end);
    if (end != s->at + length || !isfinite(value) || value < 0) {
        return wrong_word(s, what, index, "a finite number from 0 on");
    }
    *out = value + 0; /* not -0 */
    s->at = end;
    return true;
}

/* The next word as an integer in [low, high]. */
static bool next_count(scanner *s, const char *what, size_t index, size_t low, size_t high, size_t *out) {
    char expected[80];
    size_t value = 0;
    bool good = next_word(s);
    size_t length = word_length(s);
    for (size_t k = 0; k < length && good; k++) {
        good = s->at[k] >= '0' && s->at[k] <= '9' && value <= high / 10;
        value = 10 * value + (size_t)(s->at[k] - '0');
    }
    if (!good || value < low || value > high) {
        snprintf(expected, sizeof expected, "an integer from %zu to %zu", low, high);
        return wrong_word(s, what, index, expected);
    }
    *out = value;
    s->at += length;
    return true;
}

static bool at_end(scanner *s) {
    return next_word(s) ? berth__problem_fail_line(s->source, s->builder, BERTH_E_INPUT, s->line,
                                                   "\"%.*s\" after the end of the data", shown(word_length(s)), s->at)
                        : true;
}

/* Every number takes two bytes at least, so a text of that length cannot hold more: refused before they are made. */
static bool fits(scanner *s, size_t n, size_t m, bool is_matrix) {
    size_t room = s->source->length / 2 + 1;
    if (n <= room && m <= room && (!is_matrix || m == 0 || n <= room / m)) {
        return true;
    }
    return berth__problem_fail_line(s->source, s->builder, BERTH_E_INPUT, s->line,
                                    "%zu times %zu numbers cannot be in a text of %zu bytes", n, m, s->source->length);
}

/* ---- set covering ---- */

static bool read_cover_row(scanner *s, size_t row, size_t n) {
    size_t count = 0;
    if (!next_count(s, "the number of columns of row", row, 0, n, &count) ||
        !berth__problem_add_row(s->builder, NULL, 1, (double)INFINITY)) {
        return false;
    }
    for (size_t k = 0; k < count; k++) {
        size_t column = 0;
        if (!next_count(s, "a column of row", row, 1, n, &column)) {
            return false;
        }
        if (s->builder->vars[column - 1].last_in == s->builder->n_rows) {
            return berth__problem_fail_line(s->source, s->builder, BERTH_E_INPUT, s->line,
                                            "column %zu is there twice in row %zu", column, row + 1);
        }
        if (!berth__problem_add_entry(s->builder, column - 1, 1)) {
            return false;
        }
    }
    return true;
}

bool berth__problem_read_scp(const berth__problem_source *source, berth__problem_builder *builder) {
    scanner s = scan(source, builder);
    size_t m = 0, n = 0;
    if (!next_count(&s, "the number of rows", SIZE_MAX, 1, INT_MAX - 1, &m) ||
        !next_count(&s, "the number of columns", SIZE_MAX, 1, INT_MAX - 1, &n) || !fits(&s, n, m, false) ||
        !berth__problem_name_after_file(source, builder, 0)) {
        return false;
    }
    for (size_t j = 0; j < n; j++) {
        double cost = 0;
        if (!next_number(&s, "the cost of column", j, &cost) ||
            !berth__problem_add_var(builder, NULL, cost, 0, 1, true, -1)) {
            return false;
        }
    }
    for (size_t i = 0; i < m; i++) {
        if (!read_cover_row(&s, i, n)) {
            return false;
        }
    }
    return at_end(&s);
}

/* ---- multidimensional knapsack ---- */

static bool read_knapsack_rows(scanner *s, size_t n, size_t m) {
    double value = 0;
    for (size_t i = 0; i < m; i++) {
        if (!berth__problem_add_row(s->builder, NULL, -(double)INFINITY, (double)INFINITY)) {
            return false;
        }
        for (size_t j = 0; j < n; j++) {
            if (!next_number(s, "a weight of constraint", i, &value) ||
                !berth__problem_add_entry(s->builder, j, value)) {
                return false;
            }
        }
    }
    for (size_t i = 0; i < m; i++) {
        if (!next_number(s, "the capacity of constraint", i, &s->builder->rows[i].upper)) {
            return false;
        }
    }
    return true;
}

/* One problem of the file; `keep`: it is the one. The others are only checked. */
static bool read_knapsack(scanner *s, bool keep) {
    size_t n = 0, m = 0;
    double value = 0;
    if (!next_count(s, "the number of variables", SIZE_MAX, 1, INT_MAX - 1, &n) ||
        !next_count(s, "the number of constraints", SIZE_MAX, 1, INT_MAX - 1, &m) || !fits(s, n, m, true) ||
        !next_number(s, "the best known value", SIZE_MAX, &value)) {
        return false;
    }
    for (size_t j = 0; j < n; j++) {
        if (!next_number(s, "the profit of variable", j, &value) ||
            (keep && !berth__problem_add_var(s->builder, NULL, value, 0, 1, true, -1))) {
            return false;
        }
    }
    if (keep) {
        return read_knapsack_rows(s, n, m);
    }
    for (size_t k = 0; k < m * n + m; k++) {
        if (!next_number(s, k < m * n ? "a weight of constraint" : "the capacity of constraint",
                         k < m * n ? k / n : k - m * n, &value)) {
            return false;
        }
    }
    return true;
}

bool berth__problem_read_mknap(const berth__problem_source *source, berth__problem_builder *builder) {
    scanner s = scan(source, builder);
    size_t n_problems = 0, number = (size_t)source->options->number;
    if (!next_count(&s, "the number of problems", SIZE_MAX, 1, INT_MAX - 1, &n_problems) ||
        !fits(&s, n_problems, 1, false)) {
        return false;
    }
    if (number > n_problems) {
        return berth__problem_fail_line(source, builder, BERTH_E_INPUT, s.line,
                                        "the file holds %zu problem%s; number %zu was asked for", n_problems,
                                        n_problems == 1 ? "" : "s", number);
    }
    builder->maximize = true;
    if (!berth__problem_name_after_file(source, builder, n_problems > 1 ? number : 0)) {
        return false;
    }
    for (size_t k = 1; k <= n_problems; k++) {
        if (!read_knapsack(&s, k == number)) {
            return false;
        }
    }
    return at_end(&s);
}
