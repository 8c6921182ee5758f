/* The schedule programme over convex slot costs against its slow twin, and the hulls that it works on against brute
 * force. Seeds are fixed: no false failures. */
#include "online/convex_schedule.h"

#include "base/pcg.h"
#include "tests/support/check.h"

enum { MAX_NEEDED = 40, MAX_OFFERS = 10, MAX_SLOTS = 8, CASES = 20000 };

typedef struct slot {
    int n;
    berth__offer offers[MAX_OFFERS]; /* pruned */
} slot;

static int pick(berth__pcg *g, int low, int high) {
    return (int)berth__pcg_integer(g, low, high);
}

static double random_cost(berth__pcg *g, int kind) {
    switch (kind) {
    case 0: /* ties, points on one line, something for nothing */
        return pick(g, 0, 6);
    case 1:
        return berth__pcg_uniform(g);
    case 2: /* twelve orders of magnitude */
        return pow(10, -12 * berth__pcg_uniform(g));
    default:
        return 1e9 + berth__pcg_uniform(g);
    }
}

/* kind: of costs; many: offers close to what the slot may hold, or at most one. */
static void draw_slot(berth__pcg *g, int needed, int kind, bool many, slot *s) {
    int n = many ? pick(g, 0, MAX_OFFERS) : pick(g, 0, 1);
    for (int i = 0; i < n; i++) {
        int quanta = pick(g, 0, 5) == 0 ? needed : pick(g, 1, needed);
        s->offers[i] = (berth__offer){.quanta = quanta, .cost = random_cost(g, kind), .index = i};
    }
    s->n = berth__offers_prune(s->offers, n);
}

/* ---- the hull ---- */

/* Least cost of x quanta by mixing any two of the offers and nothing; INFINITY beyond the largest offer. */
static double mixed_cost(const slot *s, int x) {
    double best = (double)INFINITY;
    for (int i = -1; i < s->n; i++) {
        for (int j = i; j < s->n; j++) {
            int from = i < 0 ? 0 : s->offers[i].quanta, to = j < 0 ? 0 : s->offers[j].quanta;
            if (from > x || to < x) {
                continue;
            }
            double low = i < 0 ? 0 : s->offers[i].cost, high = j < 0 ? 0 : s->offers[j].cost;
            double share = to > from ? (double)(x - from) / (to - from) : 0;
            best = fmin(best, (1 - share) * low + share * high);
        }
    }
    return best;
}

static bool is_offered(const slot *s, int quanta) {
    for (int i = 0; i < s->n; i++) {
        if (s->offers[i].quanta == quanta) {
            return true;
        }
    }
    return false;
}

static void expect_equal(double got, double expected, const char *what, int number) {
    if (!(got == expected || fabs(got - expected) <= 1e-12 * fabs(expected))) {
        fail_msg("case %d: %s %.17g, not %.17g", number, what, got, expected);
    }
}

static void test_hull_is_the_lower_hull(void **state) {
    (void)state;
    berth__pcg g = berth__pcg_seed(31, 1);
    long joined = 0;
    for (int number = 0; number < 4 * CASES; number++) {
        int needed = pick(&g, 1, MAX_NEEDED);
        slot s;
        draw_slot(&g, needed, number % 4, number % 9 > 0, &s);
        berth__increment hull[MAX_OFFERS];
        int n = berth__offers_hull(s.offers, s.n, hull);
        assert_true(n >= 0 && n <= s.n && (n > 0) == (s.n > 0));
        int quanta = 0;
        double cost = 0;
        for (int i = 0; i < n; i++) {
            assert_true(hull[i].count > 0 && hull[i].price >= 0);
            assert_true(i == 0 || hull[i].price >= hull[i - 1].price);
            for (int step = 1; step <= hull[i].count; step++) {
                expect_equal(cost + hull[i].price * step, mixed_cost(&s, quanta + step), "hull", number);
            }
            quanta += hull[i].count;
            cost += hull[i].price * hull[i].count;
            assert_true(is_offered(&s, quanta));
        }
        assert_true(quanta == (s.n > 0 ? s.offers[s.n - 1].quanta : 0));
        joined += s.n - n;
    }
    assert_true(joined > CASES); /* what lies above the hull is met, and left out */
}

/* ---- the programme ---- */

/* The hull at every amount of progress, as offers. */
static int expand(const slot *s, berth__offer *out) {
    int most = s->n > 0 ? s->offers[s->n - 1].quanta : 0;
    for (int x = 1; x <= most; x++) {
        out[x - 1] = (berth__offer){.quanta = x, .cost = mixed_cost(s, x), .index = x};
    }
    return most;
}

typedef struct twins {
    berth__arena *arena;
    berth__convex_schedule *convex;
    berth__schedule *expanded, *original;
} twins;

static void open_twins(int needed, twins *t) {
    berth_error error;
    *t = (twins){.arena = berth__arena_new(), .expanded = berth__schedule_new(), .original = berth__schedule_new()};
    assert_true(t->arena != NULL && t->expanded != NULL && t->original != NULL);
    t->convex = berth__convex_schedule_new(t->arena, needed, MAX_OFFERS);
    assert_non_null(t->convex);
    assert_ok(berth__schedule_start(t->expanded, needed, MAX_SLOTS, false, &error), error);
    assert_ok(berth__schedule_start(t->original, needed, MAX_SLOTS, false, &error), error);
}

static void close_twins(twins *t) {
    berth__arena_free(t->arena);
    berth__schedule_free(t->expanded);
    berth__schedule_free(t->original);
}

/* Adds the slot to all three. Returns 0: nothing completes yet, 1: the relaxation loses nothing, 2: it does. */
static int add_slot(twins *t, const slot *s, int number) {
    berth__offer all[MAX_NEEDED];
    double convex = berth__convex_schedule_add_slot(t->convex, s->offers, s->n);
    double expanded = berth__schedule_add_slot(t->expanded, all, expand(s, all));
    double original = berth__schedule_add_slot(t->original, s->offers, s->n);
    expect_equal(convex, expanded, "least price", number);
    if (!(convex <= original * (1 + 1e-12))) {
        fail_msg("case %d: %.17g is above the price over the offers themselves, %.17g", number, convex, original);
    }
    assert_true((convex < (double)INFINITY) == (original < (double)INFINITY));
    return convex < (double)INFINITY ? 1 + (convex < original * (1 - 1e-9)) : 0;
}

static void test_equals_the_quadratic_programme(void **state) {
    (void)state;
    berth__pcg g = berth__pcg_seed(31, 2);
    int met[3] = {0};
    for (int number = 0; number < CASES; number++) {
        int needed = number % 7 == 0 ? pick(&g, 1, 3) : pick(&g, 1, MAX_NEEDED), n_slots = pick(&g, 1, MAX_SLOTS);
        int kind = pick(&g, 0, 4);
        twins t;
        open_twins(needed, &t);
        slot s;
        for (int k = 0; k < n_slots; k++) {
            if (k == 0 || pick(&g, 0, 4) > 0) { /* else the same slot again */
                draw_slot(&g, needed, kind < 4 ? kind : pick(&g, 0, 3), number % 5 > 0, &s);
            }
            met[add_slot(&t, &s, number)]++;
        }
        close_twins(&t);
    }
    assert_true(met[0] > CASES / 4 && met[1] > CASES / 4 && met[2] > CASES / 4);
}

/* Slots that add to each other one quantum at a time, and one that offers everything. */
static void test_by_hand(void **state) {
    (void)state;
    static const berth__offer two[] = {{2, 6, 0}, {4, 8, 1}}, all[] = {{5, 9, 0}}, gift[] = {{1, 0, 0}, {3, 5, 1}};
    berth__increment hull[2];
    assert_int_equal(berth__offers_hull(two, 2, hull), 1); /* two quanta alone cost more than half of four */
    assert_true(hull[0].count == 4 && hull[0].price == 2);
    assert_int_equal(berth__offers_hull(gift, 2, hull), 2);
    assert_true(hull[0].count == 1 && hull[0].price == 0 && hull[1].count == 2 && hull[1].price == 2.5);
    assert_int_equal(berth__offers_hull(all, 0, hull), 0);

    berth__arena *arena = berth__arena_new();
    assert_non_null(arena);
    berth__convex_schedule *s = berth__convex_schedule_new(arena, 5, 2);
    assert_non_null(s);
    assert_true(berth__convex_schedule_add_slot(s, all, 0) == (double)INFINITY);
    assert_true(berth__convex_schedule_add_slot(s, two, 2) == (double)INFINITY); /* four of five */
    assert_close(berth__convex_schedule_add_slot(s, all, 1), 9, 1e-15);          /* 1.8 each */
    assert_close(berth__convex_schedule_add_slot(s, gift, 2), 7.2, 1e-15);       /* the first for nothing */
    assert_close(berth__convex_schedule_add_slot(s, gift, 2), 5.4, 1e-15);
    assert_close(berth__convex_schedule_add_slot(s, all, 0), 5.4, 1e-15); /* a slot without offers */
    berth__arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hull_is_the_lower_hull),
        cmocka_unit_test(test_equals_the_quadratic_programme),
        cmocka_unit_test(test_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
