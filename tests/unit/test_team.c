/* Every part of every piece of work is done once, whoever does it, before the piece returns. */
#include "solver/first_order/team.h"
#include "tests/support/check.h"

#include <stdatomic.h>

enum { MOST_PARTS = 37 };

typedef struct tally {
    atomic_int done[MOST_PARTS];
    int parts; /* plain: what the caller writes is seen by the work */
} tally;

static void count(void *user, int part, int parts) {
    tally *t = user;
    atomic_fetch_add(&t->done[part], parts == t->parts ? 1 : 1000);
}

static void every_part_once(void **state) {
    (void)state;
    for (int threads = 1; threads <= 8; threads++) {
        berth__team *team = berth__team_new(threads);
        assert_non_null(team);
        for (int piece = 0; piece < 2000; piece++) {
            tally t = {.parts = piece % (MOST_PARTS + 1)};
            berth__team_run(team, count, &t, t.parts);
            for (int k = 0; k < MOST_PARTS; k++) {
                assert_int_equal(t.done[k], k < t.parts);
            }
        }
        berth__team_free(team);
    }
    berth__team_free(NULL);
}

typedef struct items {
    int n;
    double value[5000];
} items;

static void square(void *user, int part, int parts) {
    items *i = user;
    for (int k = berth__team_begin(i->n, part, parts); k < berth__team_begin(i->n, part + 1, parts); k++) {
        i->value[k] *= k;
    }
}

/* What the work writes is seen by the caller. */
static void items_of_any_number(void **state) {
    (void)state;
    berth__team *team = berth__team_new(3);
    for (int n = 0; n <= 5000; n += n < 5 ? 1 : 333) {
        items i = {.n = n};
        for (int k = 0; k < 5000; k++) {
            i.value[k] = k;
        }
        berth__team_run_items(team, square, &i, n);
        for (int k = 0; k < 5000; k++) {
            assert_true(i.value[k] == (k < n ? (double)k * k : k));
        }
    }
    berth__team_free(team);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_part_once),
        cmocka_unit_test(items_of_any_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
