/* Right solutions with one number or flag changed at a time: each change is found, or it is on the list of what is not
 * judged. */
#include "tests/support/check.h"

#include <string.h>

#include <berth_io.h>

#include "tests/support/small_solutions.h"

#define ABSENT  ((double)NAN)
#define ENDLESS ((double)INFINITY)

/* A number of a solution, and why some of its changes may go unnoticed (NULL: none may). */
typedef struct field {
    const char *name;
    double *at;
    const char *why_free;
} field;

enum { MOST_FIELDS = 40 };

static size_t list_fields(small_solution *w, field fields[MOST_FIELDS]) {
    static const char any_proves[] = "any multipliers that prove the bound will do";
    static const char input[] = "an input", no_promise[] = "nothing is promised", not_rounded[] = "nothing was rounded";
    static const char word[] = "branch and bound's word, as long as it is consistent";
    berth_solution *s = &w->solution;
    const field singles[] = {{"cost", &s->cost, NULL},
                             {"bound", &s->bound, NULL},
                             {"node_bound", &s->node_bound, word},
                             {"ratio", &s->ratio, NULL},
                             {"cover_min", &s->cover_min, NULL},
                             {"pack_max", &s->pack_max, NULL},
                             {"scale", &s->promise.scale, no_promise},
                             {"cost_factor", &s->promise.cost_factor, no_promise},
                             {"cover_factor", &s->promise.cover_factor, no_promise},
                             {"pack_factor", &s->promise.pack_factor, no_promise},
                             {"probability", &s->promise.probability, no_promise},
                             {"delta", &s->delta, input},
                             {"gap", &s->gap, input},
                             {"lp_gap", &s->lp_gap, input}};
    size_t n = sizeof singles / sizeof singles[0];
    memcpy(fields, singles, sizeof singles);
    for (size_t j = 0; j < SMALL_VARS; j++) {
        fields[n++] = (field){"x", &w->x[j], NULL};
        if (s->relaxation != NULL) {
            fields[n++] = (field){"relaxation", &w->relaxation[j], not_rounded};
        }
    }
    for (size_t i = 0; i < w->problem.n_rows && s->multipliers != NULL; i++) {
        /* Where costs come in steps the bound is raised to the next one. */
        bool exact = w->multipliers[i] != 0 && !w->is_integer[SMALL_VARS - 1];
        fields[n++] = (field){"multipliers", &w->multipliers[i], exact ? NULL : any_proves};
    }
    for (size_t i = 0; i < w->problem.n_rows && s->ray != NULL; i++) {
        fields[n++] = (field){"ray", &w->ray[i], any_proves};
    }
    return n;
}

static bool is_noticed(const small_solution *w) {
    berth_report *report = NULL;
    berth_error error = {0};
    if (berth_check_solution(&w->problem, &w->solution, NULL, &report, &error) != BERTH_OK) {
        return true;
    }
    bool noticed = report->n_violations > 0;
    berth_report_free(report);
    return noticed;
}

typedef struct tally {
    int changes, noticed, unnoticed;
} tally;

static void try_numbers(small_solution *w, tally *t) {
    field fields[MOST_FIELDS];
    size_t n = list_fields(w, fields);
    for (size_t f = 0; f < n; f++) {
        double from = *fields[f].at;
        double to[] = {from * (1 + 1e-5), from * (1 - 1e-5), 10 * from + 1, -from, from - 1, 0, 1e300, -1e300,
                       ENDLESS,           -ENDLESS,          ABSENT,        5e-324};
        for (size_t k = 0; k < sizeof to / sizeof to[0]; k++) {
            if (to[k] == from || (isnan(to[k]) && isnan(from))) {
                continue;
            }
            *fields[f].at = to[k];
            t->changes++;
            bool tiny = fabs(to[k] - from) < 1e-300; /* no error beyond rounding */
            if (is_noticed(w)) {
                t->noticed++;
            } else if (fields[f].why_free == NULL && !tiny) {
                print_error("%s from %.17g to %.17g is not noticed\n", fields[f].name, from, to[k]);
                t->unnoticed++;
            }
            *fields[f].at = from;
        }
    }
}

static void try_enumerators(small_solution *w, tally *t) {
    berth_solution *s = &w->solution;
    berth_solution right = *s;
    for (int k = -1; k < 9; k++) {
        s->outcome = (berth_outcome)k;
        bool claims_less = k == BERTH_LIMIT || k == BERTH_NUMERIC || k == BERTH_FEASIBLE || k == BERTH_APPROXIMATE;
        bool noticed = s->outcome == right.outcome || (claims_less && s->x != NULL && s->ray == NULL) || is_noticed(w);
        t->unnoticed += !noticed;
        t->changes++;
        if (!noticed) {
            print_error("outcome %d is not noticed\n", k);
        }
    }
    *s = right;
    for (int k = -1; k < 5; k++) {
        s->proof = (berth_proof)k;
        bool known = k >= BERTH_PROOF_NONE && k <= BERTH_PROOF_EXACT && !isnan(s->bound);
        bool noticed = s->proof == right.proof || known || is_noticed(w);
        t->unnoticed += !noticed;
        t->changes++;
        if (!noticed) {
            print_error("proof %d is not noticed\n", k);
        }
    }
    *s = right;
    s->packing_covering = !s->packing_covering;
    assert_true(is_noticed(w));
    *s = right;
    s->promise.holds = !s->promise.holds;
    assert_true(is_noticed(w));
    *s = right;
    t->changes += 2;
}

static void survey(void (*make)(small_solution *w), int least_noticed) {
    small_solution w;
    tally t = {0};
    make(&w);
    assert_false(is_noticed(&w));
    try_numbers(&w, &t);
    try_enumerators(&w, &t);
    assert_false(is_noticed(&w));
    assert_int_equal(t.unnoticed, 0);
    if (t.noticed < least_noticed) {
        fail_msg("%d of %d changes are noticed", t.noticed, t.changes);
    }
}

static void test_covering(void **state) {
    (void)state;
    survey(solution_of_covering, 110);
}

static void test_packing(void **state) {
    (void)state;
    survey(solution_of_packing, 110);
}

/* Without a point x is not looked at. */
static void infeasible_without_x(small_solution *w) {
    solution_of_infeasible(w);
    memset(w->x, 0, sizeof w->x);
}

static void test_infeasible(void **state) {
    (void)state;
    small_solution w;
    infeasible_without_x(&w);
    assert_false(is_noticed(&w));
    tally t = {0};
    try_enumerators(&w, &t);
    assert_int_equal(t.unnoticed, 0);
    const double from = w.ray[0], to[] = {0, -from, ENDLESS, ABSENT};
    for (size_t k = 0; k < sizeof to / sizeof to[0]; k++) {
        w.ray[0] = to[k];
        assert_true(is_noticed(&w));
    }
    w.ray[0] = 1e300;
    assert_false(is_noticed(&w)); /* any multiple is as good */
    w.ray[0] = 5e-324;
    assert_false(is_noticed(&w));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_covering), cmocka_unit_test(test_packing),
                                       cmocka_unit_test(test_infeasible)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
