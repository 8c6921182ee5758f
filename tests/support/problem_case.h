/* Random general problems, and what it means that two are the same. */
#ifndef BERTH_TESTS_PROBLEM_CASE_H
#define BERTH_TESTS_PROBLEM_CASE_H

#include <berth_io.h>

#include "base/pcg.h"

typedef struct problem_kind {
    bool packing_covering; /* all that berth-mpc-1 can hold: rows of one sign, costs >= 0, lower bounds 0, groups */
    bool short_names;      /* at most 8 letters and digits, for fixed MPS */
    bool short_numbers;    /* at most 12 characters */
    bool odd_names;        /* also what other formats cannot hold */
    bool ranges;           /* rows with two different sides */
} problem_kind;

/* A problem of 0 to about 8 variables and rows; free with berth_problem_free. Dies if out of memory. */
berth_problem *problem_random(berth__pcg *stream, problem_kind kind);

/* True if b is a, bit for bit, but for what is allowed: `negated`, b minimises the negative of what a maximises;
 * `split`, a row of a with two different sides may be two rows of b, called .lo and .up. `no_groups`: b has none. `why`
 * (at least 160 bytes) says what differs. */
typedef struct problem_leeway {
    bool negated, split, any_name, no_groups;
} problem_leeway;
bool problem_same(const berth_problem *a, const berth_problem *b, problem_leeway leeway, char *why);

#endif
