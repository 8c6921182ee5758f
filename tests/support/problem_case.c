#include "tests/support/problem_case.h"

#include "formats/problem_build.h"
#include "formulations/general/defaults.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WHY = 160 };

/* ---- random problems ---- */

static long upto(berth__pcg *s, long high) {
    return (long)berth__pcg_integer(s, 0, high);
}

/* A number > 0 of a random kind. */
static double positive(berth__pcg *s, problem_kind kind) {
    switch (kind.short_numbers ? upto(s, 1) : upto(s, 5)) {
    case 0:
        return (double)(1 + upto(s, 9));
    case 1:
        return (double)(1 + upto(s, 999)) / 8;
    case 2:
        return (double)(1 + upto(s, 99)) / 10;
    case 3:
        return 1e-300 * (1 + berth__pcg_uniform(s));
    case 4:
        return ldexp(1 + berth__pcg_uniform(s), (int)upto(s, 120) - 60);
    default:
        return 1 / (double)(1 + upto(s, 999));
    }
}

static double number(berth__pcg *s, problem_kind kind) {
    double value = positive(s, kind);
    return kind.packing_covering || upto(s, 1) == 0 ? value : -value;
}

static void random_name(berth__pcg *s, problem_kind kind, char letter, size_t index, char out[64]) {
    static const char *const odd[] = {"a b",      "end",  "1x", "e9",   "x:y", "\xC3\xA9t\xC3\xA9",       "$x",
                                      "'MARKER'", "free", "<=", "x\ty", "-",   "long-long-long-long-name"};
    static const char marks[] = "!\"#$%&()/,.;?@_`'{}|~";
    if (kind.odd_names && upto(s, 3) == 0) {
        snprintf(out, 64, "%s%c%zu", odd[upto(s, sizeof odd / sizeof odd[0] - 1)], letter, index);
    } else if (kind.short_names || upto(s, 1) == 0) {
        snprintf(out, 64, "%c%zu", letter, index);
    } else {
        snprintf(out, 64, "%c%c%ld%c%zu", letter, marks[upto(s, sizeof marks - 2)], upto(s, 99),
                 marks[upto(s, sizeof marks - 2)], index);
    }
}

static void add_var(berth__pcg *s, problem_kind kind, berth__problem_builder *b, size_t index) {
    char name[64];
    double cost = upto(s, 2) == 0 ? 0 : number(s, kind), lower = 0, upper = (double)INFINITY;
    if (upto(s, 2) == 0) {
        upper = positive(s, kind);
    }
    if (!kind.packing_covering && upto(s, 2) == 0) {
        lower = upto(s, 1) == 0 ? -(double)INFINITY : -positive(s, kind);
    }
    if (!kind.packing_covering && upto(s, 5) == 0 && isfinite(upper)) {
        lower = upto(s, 1) == 0 ? upper : upper / 2;
    }
    random_name(s, kind, 'v', index, name);
    int group = kind.packing_covering && b->n_groups > 0 ? (int)upto(s, (long)b->n_groups) - 1 : -1;
    berth__problem_add_var(b, name, cost, lower, upper, upto(s, 1) == 0, group);
}

/* Infinite sides: -1 lower only, 1 upper only, 0 none or both. */
static void add_row(berth__pcg *s, problem_kind kind, berth__problem_builder *b, size_t index, bool cover) {
    char name[64];
    double lower = -(double)INFINITY, upper = (double)INFINITY, side = upto(s, 3) == 0 ? 0 : number(s, kind);
    long what = kind.packing_covering ? (cover ? 0 : 1) : upto(s, kind.ranges ? 4 : 3);
    if (what == 0 || what == 2 || what == 4) {
        lower = side;
    }
    if (what == 1 || what == 2) {
        upper = side;
    }
    if (what == 4) {
        upper = side + positive(s, kind);
    }
    random_name(s, kind, 'c', index, name);
    berth__problem_add_row(b, name, lower, upper);
    for (size_t j = 0; j < b->n_vars; j++) {
        if (upto(s, 1) == 0) {
            berth__problem_add_entry(b, j, number(s, kind));
        }
    }
}

berth_problem *problem_random(berth__pcg *s, problem_kind kind) {
    berth_error error = {0};
    berth__problem_builder b;
    berth_problem *problem = NULL;
    berth__problem_begin(&b, &error);
    size_t n_vars = (size_t)upto(s, 8), n_rows = n_vars == 0 ? 0 : (size_t)upto(s, 8);
    size_t n_groups = kind.packing_covering ? (size_t)upto(s, 3) : 0;
    size_t n_cover = (size_t)upto(s, (long)n_rows);
    b.maximize = upto(s, 1) == 0;
    b.offset = upto(s, 2) != 0 ? 0 : upto(s, 1) == 0 ? positive(s, kind) : -positive(s, kind);
    berth__problem_name(&b, upto(s, 2) == 0 ? "" : "a random problem");
    /* Groups in the order in which variables name them, as a reader numbers them. */
    for (size_t j = 0; j < n_vars; j++) {
        if (b.n_groups < n_groups && upto(s, 1) == 0) {
            char name[64];
            random_name(s, kind, 'g', b.n_groups, name);
            berth__problem_add_group(&b, name);
            random_name(s, kind, 'v', j, name);
            berth__problem_add_var(&b, name, positive(s, kind), 0, (double)INFINITY, true, (int)b.n_groups - 1);
        } else {
            add_var(s, kind, &b, j);
        }
    }
    for (size_t i = 0; i < n_rows; i++) {
        add_row(s, kind, &b, i, i < n_cover);
    }
    if (berth__problem_finish(&b, &problem) != BERTH_OK) {
        fprintf(stderr, "no random problem: %s: %s\n", error.where, error.message);
        abort();
    }
    berth__problem_clear(&b);
    return problem;
}

/* ---- comparing ---- */

static bool differ(char *why, const char *what, const char *where) {
    snprintf(why, WHY, "%s of \"%.60s\"", what, where);
    return false;
}

static bool same_bits(double a, double b) {
    return memcmp(&a, &b, sizeof a) == 0;
}

static bool same_vars(const berth_problem *a, const berth_problem *b, problem_leeway leeway, char *why) {
    double sign = leeway.negated ? -1 : 1;
    if (a->n_vars != b->n_vars) {
        return differ(why, "the number of variables", "");
    }
    for (size_t j = 0; j < a->n_vars; j++) {
        const char *name = a->var_names[j];
        int group_a = leeway.no_groups ? -1 : berth__var_group(a, j), group_b = berth__var_group(b, j);
        if (!leeway.any_name && strcmp(name, b->var_names[j]) != 0) {
            return differ(why, "the name", name);
        }
        if (!same_bits(sign * a->cost[j] + 0, b->cost[j])) {
            return differ(why, "the cost", name);
        }
        if (!same_bits(a->lower[j], b->lower[j]) || !same_bits(a->upper[j], b->upper[j])) {
            return differ(why, "the bounds", name);
        }
        if (a->is_integer[j] != b->is_integer[j]) {
            return differ(why, "the kind", name);
        }
        if ((group_a < 0) != (group_b < 0) ||
            (group_a >= 0 && strcmp(a->group_names[group_a], b->group_names[group_b]) != 0)) {
            return differ(why, "the group", name);
        }
    }
    return true;
}

static bool same_entries(const berth_problem *a, size_t i, const berth_problem *b, size_t k, char *why) {
    size_t n = a->row_start[i + 1] - a->row_start[i];
    if (b->row_start[k + 1] - b->row_start[k] != n) {
        return differ(why, "the number of entries", a->row_names[i]);
    }
    for (size_t e = 0; e < n; e++) {
        size_t at = a->row_start[i] + e, other = b->row_start[k] + e;
        if (a->var_of[at] != b->var_of[other] || !same_bits(a->value[at], b->value[other])) {
            return differ(why, "an entry", a->row_names[i]);
        }
    }
    return true;
}

static bool is_half(const char *name, const char *whole, const char *suffix) {
    size_t n = strlen(whole);
    return strncmp(name, whole, n) == 0 && strncmp(name + n, suffix, strlen(suffix)) == 0;
}

/* The row i of a is the row or the two rows of b from *k on. */
static bool same_row(const berth_problem *a, size_t i, const berth_problem *b, size_t *k, problem_leeway leeway,
                     char *why) {
    const char *name = a->row_names[i];
    double lower = a->row_lower[i], upper = a->row_upper[i];
    if (*k >= b->n_rows) {
        return differ(why, "too few rows: none", name);
    }
    bool split = leeway.split && isfinite(lower) && isfinite(upper) && lower < upper && isinf(b->row_upper[*k]);
    if (split) {
        if (*k + 1 >= b->n_rows || !is_half(b->row_names[*k], name, ".lo") ||
            !is_half(b->row_names[*k + 1], name, ".up") || !same_bits(b->row_lower[*k], lower) ||
            !same_bits(b->row_upper[*k + 1], upper) || isfinite(b->row_lower[*k + 1]) ||
            !same_entries(a, i, b, *k + 1, why)) {
            return differ(why, "the halves", name);
        }
    } else if (!leeway.any_name && strcmp(name, b->row_names[*k]) != 0) {
        return differ(why, "the name", name);
    } else if (!same_bits(lower, b->row_lower[*k]) || !same_bits(upper, b->row_upper[*k])) {
        return differ(why, "the sides", name);
    }
    if (!same_entries(a, i, b, *k, why)) {
        return false;
    }
    *k += split ? 2 : 1;
    return true;
}

bool problem_same(const berth_problem *a, const berth_problem *b, problem_leeway leeway, char *why) {
    size_t k = 0;
    if (!leeway.any_name && strcmp(a->name, b->name) != 0) {
        return differ(why, "the name", a->name);
    }
    if (b->maximize != (a->maximize && !leeway.negated) ||
        !same_bits(leeway.negated ? 0 - a->offset : a->offset, b->offset)) {
        return differ(why, "the sense or constant", a->name);
    }
    if (!same_vars(a, b, leeway, why)) {
        return false;
    }
    for (size_t i = 0; i < a->n_rows; i++) {
        if (!same_row(a, i, b, &k, leeway, why)) {
            return false;
        }
    }
    return k == b->n_rows || differ(why, "the number of rows", a->name);
}
