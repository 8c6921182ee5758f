#include "formulations/general/groups.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "formulations/general/problem.h"

typedef struct prefix {
    const char *text;
    size_t length;
    size_t var;
} prefix;

static int by_text_then_var(const void *left, const void *right) {
    const prefix *a = left, *b = right;
    size_t common = a->length < b->length ? a->length : b->length;
    int order = memcmp(a->text, b->text, common);
    if (order == 0) {
        order = (a->length > b->length) - (a->length < b->length);
    }
    return order != 0 ? order : (a->var > b->var) - (a->var < b->var);
}

static bool same_text(const prefix *a, const prefix *b) {
    return a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}

static int by_number(const void *left, const void *right) {
    const int *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/* Every variable gets the number of the first variable of its group, and then groups are numbered in that order. */
static int number_groups(prefix *prefixes, size_t n, int *firsts, int *group) {
    int n_groups = 0;
    qsort(prefixes, n, sizeof *prefixes, by_text_then_var);
    for (size_t k = 0; k < n; k++) {
        bool again = k > 0 && same_text(&prefixes[k], &prefixes[k - 1]);
        group[prefixes[k].var] = again ? group[prefixes[k - 1].var] : (int)prefixes[k].var;
        if (!again) {
            firsts[n_groups++] = (int)prefixes[k].var;
        }
    }
    qsort(firsts, (size_t)n_groups, sizeof *firsts, by_number);
    for (size_t k = 0; k < n; k++) {
        int *at = &group[prefixes[k].var];
        const int *found = bsearch(at, firsts, (size_t)n_groups, sizeof *firsts, by_number);
        *at = (int)(found - firsts);
    }
    return n_groups;
}

static berth_status groups_by_prefix(const berth_problem *problem, const char *separators, int **group, int *n_groups,
                                     berth_error *error) {
    size_t n = problem->n_vars, n_prefixes = 0;
    prefix *prefixes = BERTH__NEW_ARRAY(prefix, n);
    int *firsts = BERTH__NEW_ARRAY(int, n), *numbers = BERTH__NEW_ARRAY(int, n);
    if (prefixes == NULL || firsts == NULL || numbers == NULL) {
        berth__free(prefixes);
        berth__free(firsts);
        berth__free(numbers);
        return berth__fail_memory(error);
    }
    for (size_t j = 0; j < n; j++) {
        const char *name = problem->var_names == NULL ? NULL : problem->var_names[j];
        const char *end = name == NULL ? NULL : strpbrk(name, separators);
        numbers[j] = -1;
        if (end != NULL) {
            prefixes[n_prefixes++] = (prefix){.text = name, .length = (size_t)(end - name), .var = j};
        }
    }
    *n_groups = number_groups(prefixes, n_prefixes, firsts, numbers);
    *group = numbers;
    berth__free(prefixes);
    berth__free(firsts);
    return BERTH_OK;
}

berth_status berth__problem_groups(const berth_problem *problem, const char *separators, int **group, int *n_groups,
                                   berth_error *error) {
    *group = NULL;
    *n_groups = 0;
    if (separators != NULL) {
        return groups_by_prefix(problem, separators, group, n_groups, error);
    }
    if (problem->group == NULL || problem->n_groups == 0) {
        return BERTH_OK;
    }
    *group = BERTH__NEW_ARRAY(int, problem->n_vars);
    if (*group == NULL) {
        return berth__fail_memory(error);
    }
    memcpy(*group, problem->group, problem->n_vars * sizeof **group);
    *n_groups = (int)problem->n_groups;
    return BERTH_OK;
}
