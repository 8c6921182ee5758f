/* The training selector against what it states: frequencies of its draws, weights computed again, snapshots at every
 * moment. Fixed seeds: the false-alarm probabilities are those of choosing them. */
#include <berth_cohort.h>

#include "base/pcg.h"
#include "base/sort.h"
#include "tests/support/check.h"
#include "tests/support/sanitized.h"

#include <stdlib.h>
#include <string.h>

static berth_error error;

static berth_selector *new_selector(const berth_selector_options *options) {
    berth_selector *selector;
    assert_ok(berth_selector_new(options, &selector, &error), error);
    return selector;
}

static void report(berth_selector *selector, size_t client, uint64_t samples, double loss, double duration_s) {
    berth_selector_result result = {samples, loss, duration_s};
    assert_ok(berth_selector_report(selector, client, &result, &error), error);
}

/* ---- frequencies ------------------------------------------------------------------------------------------------ */

/* Chi-square below which a right distribution over 10 sets stays with probability 1 - 1e-6 (9 degrees of freedom). */
#define CHI_SQUARE_9 44.81
enum { N = 5, PAIRS = 10, DRAWS = SANITIZED ? 3000 : 20000 };

/* Probability that successive draws in proportion to weight take {a, b} of N. */
static double pair_probability(const double *w, size_t a, size_t b) {
    double sum = 0;
    for (size_t k = 0; k < N; k++) {
        sum += w[k];
    }
    return w[a] / sum * w[b] / (sum - w[a]) + w[b] / sum * w[a] / (sum - w[b]);
}

/* Chi-square of the pairs that `round` selects (by the seed) against weights. */
static double chi_square_of(void (*round)(uint64_t seed, size_t pair[2]), const double *weights) {
    double chi_square = 0;
    size_t taken[N][N] = {{0}}, cells = 0;
    for (uint64_t seed = 0; seed < DRAWS; seed++) {
        size_t pair[2];
        round(seed, pair);
        assert_true(pair[0] < pair[1] && pair[1] < N);
        taken[pair[0]][pair[1]]++;
    }
    for (size_t a = 0; a < N; a++) {
        for (size_t b = a + 1; b < N; b++) {
            double expected = DRAWS * pair_probability(weights, a, b), off = (double)taken[a][b] - expected;
            assert_true(expected > 20);
            chi_square += off * off / expected;
            cells++;
        }
    }
    assert_int_equal(cells, PAIRS);
    return chi_square;
}

static void take_pair(berth_selector *selector, size_t pair[2]) {
    berth_selection *s;
    assert_ok(berth_selector_select(selector, 2, NULL, 0, &s, &error), error);
    assert_int_equal(s->n, 2);
    pair[0] = s->choices[0].client;
    pair[1] = s->choices[1].client;
    berth_selection_free(s);
    berth_selector_free(selector);
}

static berth_selector_options pair_options(uint64_t seed) {
    berth_selector_options o;
    berth_selector_options_init(&o);
    o.seed = seed;
    o.overcommit = o.clip = 1;
    o.exploration = o.exploration_min = 0;
    o.cut_off = 0;
    o.percentile = 100;
    return o;
}

/* In the second round, utilities 0, 1, 2, 3, 4 have weights k / 4 + sqrt(0.1 ln 2). */
static void exploited_pair(uint64_t seed, size_t pair[2]) {
    berth_selector_options o = pair_options(seed);
    berth_selector *selector = new_selector(&o);
    berth_selection *first;
    assert_ok(berth_selector_select(selector, 1, NULL, 0, &first, &error), error);
    berth_selection_free(first);
    for (size_t k = 0; k < N; k++) {
        assert_ok(berth_selector_register(selector, NULL, 1, NULL, &error), error);
        report(selector, k, k, 1, 1);
    }
    take_pair(selector, pair);
}

static void explored_pair(uint64_t seed, size_t pair[2]) {
    static const double declared_s[N] = {1, 2, 4, 5, (double)NAN};
    berth_selector_options o = pair_options(seed);
    berth_selector *selector = new_selector(&o);
    for (size_t k = 0; k < N; k++) {
        assert_ok(berth_selector_register(selector, NULL, declared_s[k], NULL, &error), error);
    }
    take_pair(selector, pair);
}

static void draws_are_in_proportion_to_weights(void **state) {
    (void)state;
    double exploited[N], explored[N] = {1, 0.5, 0.25, 0.2, 1.95 / 4}, uniform[N] = {1, 1, 1, 1, 1};
    for (size_t k = 0; k < N; k++) {
        exploited[k] = (double)k / 4 + sqrt(0.1 * log(2));
    }
    assert_true(chi_square_of(exploited_pair, exploited) < CHI_SQUARE_9);
    assert_true(chi_square_of(explored_pair, explored) < CHI_SQUARE_9);
    /* and the measure tells them apart */
    assert_true(chi_square_of(exploited_pair, uniform) > CHI_SQUARE_9);
    assert_true(chi_square_of(explored_pair, exploited) > CHI_SQUARE_9);
}

/* The rounds of one selector are independent draws as well: 5 clients, all alike, one a round. */
static void rounds_are_independent(void **state) {
    (void)state;
    berth_selector_options o = pair_options(3);
    size_t after[N][N] = {{0}}, last = 0;
    double chi_square = 0;
    o.blacklist_rounds = 0;
    o.pacer_step = 0;
    berth_selector *selector = new_selector(&o);
    for (size_t k = 0; k < N; k++) {
        assert_ok(berth_selector_register(selector, NULL, (double)NAN, NULL, &error), error);
    }
    for (size_t round = 0; round <= DRAWS; round++) {
        berth_selection *s;
        assert_ok(berth_selector_select(selector, 1, NULL, 0, &s, &error), error);
        after[last][s->choices[0].client] += round > 0;
        last = s->choices[0].client;
        berth_selection_free(s);
    }
    berth_selector_free(selector);
    for (size_t a = 0; a < N; a++) {
        for (size_t b = 0; b < N; b++) {
            double expected = (double)DRAWS / (N * N), off = (double)after[a][b] - expected;
            chi_square += off * off / expected;
        }
    }
    assert_true(chi_square < 73); /* at most 24 degrees of freedom: false alarm below 1e-6 */
}

/* ---- random events ---------------------------------------------------------------------------------------------- */

enum { SEQUENCES = SANITIZED ? 60 : 400, EVENTS = 60, MOST_CLIENTS = 12 };

static size_t below(berth__pcg *stream, size_t n) {
    return (size_t)berth__pcg_integer(stream, 0, (int64_t)n - 1);
}

static berth_selector_options random_options(berth__pcg *stream) {
    berth_selector_options o;
    berth_selector_options_init(&o);
    o.seed = berth__pcg_next(stream);
    o.exploration = berth__pcg_uniform(stream);
    o.exploration_min = berth__pcg_uniform(stream) / 2;
    o.clip = berth__pcg_uniform(stream);
    o.cut_off = berth__pcg_uniform(stream);
    o.fairness = below(stream, 2) > 0 ? berth__pcg_uniform(stream) : 0;
    o.overcommit = below(stream, 2) > 0 ? 1.3 : 1;
    o.blacklist_rounds = below(stream, 12);
    o.percentile = 100 * berth__pcg_uniform(stream);
    o.pacer_step = below(stream, 4);
    return o;
}

static void expect_same(const berth_selection *a, const berth_selection *b) {
    assert_int_equal(a->n, b->n);
    assert_close(a->percentile, b->percentile, 0);
    for (size_t k = 0; k < a->n; k++) {
        assert_int_equal(a->choices[k].client, b->choices[k].client);
        assert_int_equal(a->choices[k].kind, b->choices[k].kind);
        assert_memory_equal(&a->choices[k].weight, &b->choices[k].weight, sizeof a->choices[k].weight);
    }
}

/* One event for each of n selectors that are in the same state; selections must be the same. */
static void random_event(berth__pcg *stream, size_t n, berth_selector *const *selectors) {
    berth_selector_state state;
    berth_selector_present(selectors[0], &state);
    size_t clients = state.n_clients, kind = clients == 0 ? 0 : below(stream, 8);
    double duration = below(stream, 5) > 0 ? 1 + (double)below(stream, 6) : (double)NAN;
    char id[24];
    snprintf(id, sizeof id, "c%zu", clients);
    size_t available[MOST_CLIENTS], n_available = below(stream, MOST_CLIENTS), wanted = 1 + below(stream, 4);
    size_t client = clients > 0 ? below(stream, clients) : 0;
    for (size_t k = 0; k < MOST_CLIENTS; k++) {
        available[k] = clients > 0 ? below(stream, clients) : 0;
    }
    bool all = below(stream, 2) > 0, named = below(stream, 3) > 0;
    uint64_t samples = below(stream, 4);
    berth_selection *first = NULL;
    for (size_t k = 0; k < n; k++) {
        berth_selection *s;
        if (kind < 2 && clients < MOST_CLIENTS) {
            assert_ok(berth_selector_register(selectors[k], named ? id : NULL, duration, NULL, &error), error);
        } else if (kind < 2) {
            assert_ok(berth_selector_declare(selectors[k], client, duration, &error), error);
        } else if (kind < 5) {
            report(selectors[k], client, samples, (double)(client % 3), isnan(duration) ? 9 : duration);
        } else {
            assert_ok(berth_selector_select(selectors[k], wanted, all ? NULL : available, n_available, &s, &error),
                      error);
            if (first != NULL) {
                expect_same(s, first);
                berth_selection_free(s);
            } else {
                first = s;
            }
        }
    }
    berth_selection_free(first);
}

static unsigned char *snapshot_of(const berth_selector *selector, size_t *length) {
    assert_ok(berth_selector_snapshot(selector, NULL, 0, length, &error), error);
    unsigned char *bytes = malloc(*length);
    assert_non_null(bytes);
    assert_ok(berth_selector_snapshot(selector, bytes, *length, length, &error), error);
    return bytes;
}

/* One selector lives on; the other is saved, forgotten and restored after every event. */
static void restored_selectors_go_on_alike(void **state) {
    (void)state;
    for (uint64_t sequence = 0; sequence < SEQUENCES; sequence++) {
        berth__pcg stream = berth__pcg_seed(sequence, 17);
        berth_selector_options o = random_options(&stream);
        berth_selector *both[2] = {new_selector(&o), new_selector(&o)};
        for (size_t event = 0; event < EVENTS; event++) {
            size_t length, same;
            random_event(&stream, 2, both);
            unsigned char *bytes = snapshot_of(both[1], &length), *others = snapshot_of(both[0], &same);
            assert_int_equal(length, same);
            assert_memory_equal(bytes, others, length);
            berth_selector_free(both[1]);
            assert_ok(berth_selector_restore(bytes, length, &both[1], &error), error);
            free(bytes);
            free(others);
        }
        berth_selector_free(both[0]);
        berth_selector_free(both[1]);
    }
}

/* ---- weights, computed again from what the selector shows of its clients ------------------------------------------
 */

static double twin_quantile(double *values, size_t n, double q) {
    berth__sort(values, n);
    double at = q * (double)(n - 1), low = floor(at);
    size_t k = (size_t)low;
    return k + 1 < n ? values[k] * (1 - (at - low)) + values[k + 1] * (at - low) : values[n - 1];
}

typedef struct twin {
    double weight[MOST_CLIENTS]; /* NAN: no candidate that has reported */
    double preferred_s;
    size_t n_candidates, n_reported;
} twin;

static twin weigh_again(const berth_selector *selector, const berth_selector_options *o, double percentile) {
    berth_selector_state state;
    berth_selector_client c[MOST_CLIENTS];
    double utilities[MOST_CLIENTS], durations[MOST_CLIENTS];
    double low = (double)INFINITY, least = (double)INFINITY, most = 0;
    size_t n_durations = 0;
    twin t = {.n_reported = 0};
    berth_selector_present(selector, &state);
    for (size_t k = 0; k < state.n_clients; k++) {
        assert_ok(berth_selector_present_client(selector, k, &c[k], &error), error);
        double duration = c[k].last_round > 0 ? c[k].duration_s : c[k].declared_s;
        if (!isnan(duration)) {
            durations[n_durations++] = duration;
        }
        t.n_candidates += !c[k].blacklisted;
        if (!c[k].blacklisted && c[k].last_round > 0) {
            utilities[t.n_reported++] = c[k].utility;
            low = fmin(low, c[k].utility);
            least = fmin(least, (double)c[k].selections);
            most = fmax(most, (double)c[k].selections);
        }
    }
    t.preferred_s = n_durations > 0 && percentile < 100 ? twin_quantile(durations, n_durations, percentile / 100)
                                                        : (double)INFINITY;
    double clip = t.n_reported > 0 ? twin_quantile(utilities, t.n_reported, o->clip) : 0;
    for (size_t k = 0; k < state.n_clients; k++) {
        t.weight[k] = (double)NAN;
        if (!c[k].blacklisted && c[k].last_round > 0) {
            double utility = clip > low ? (fmin(c[k].utility, clip) - low) / (clip - low) : 0;
            double stale = sqrt(0.1 * log((double)state.round + 1) / (double)c[k].last_round);
            double speed = c[k].duration_s > t.preferred_s ? pow(t.preferred_s / c[k].duration_s, o->alpha) : 1;
            double seldom = most > least ? (most - (double)c[k].selections) / (most - least) : 0;
            t.weight[k] = (1 - o->fairness) * (utility + stale) * speed + o->fairness * seldom;
        }
    }
    return t;
}

static void expect_as_stated(const berth_selection *s, const twin *t, const berth_selector_options *o, size_t wanted,
                             size_t n_clients) {
    size_t n = (size_t)ceil((double)wanted * o->overcommit - 1e-9);
    n = n < n_clients ? n : n_clients;
    size_t m = n < t->n_candidates ? n : t->n_candidates, unseen = t->n_candidates - t->n_reported;
    size_t exploited = (size_t)floor((double)m * (1 - s->exploration) + 1e-9);
    exploited = exploited < t->n_reported ? exploited : t->n_reported;
    exploited = m - exploited > unseen ? m - unseen : exploited;
    assert_int_equal(s->n, n);
    assert_int_equal(s->n_exploited, exploited);
    assert_int_equal(s->n_explored, m - exploited);
    assert_int_equal(s->n_recalled, n - m);
    double sorted[MOST_CLIENTS];
    size_t n_sorted = 0;
    for (size_t k = 0; k < n_clients; k++) {
        if (!isnan(t->weight[k])) {
            sorted[n_sorted++] = t->weight[k];
        }
    }
    berth__sort(sorted, n_sorted);
    for (size_t k = 0; k < s->n; k++) {
        const berth_choice *c = &s->choices[k];
        assert_true(k == 0 || s->choices[k - 1].client < c->client);
        assert_int_equal(c->kind == BERTH_CHOICE_EXPLOIT, !isnan(t->weight[c->client]));
        if (c->kind == BERTH_CHOICE_EXPLOIT) {
            assert_close(c->weight, t->weight[c->client], 1e-9);
            assert_true(c->weight >= o->cut_off * sorted[n_sorted - exploited] - 1e-9);
        }
    }
}

static void choices_are_as_stated(void **state) {
    (void)state;
    size_t exploited = 0, recalled = 0;
    for (uint64_t sequence = 0; sequence < SEQUENCES; sequence++) {
        berth__pcg stream = berth__pcg_seed(sequence, 23);
        berth_selector_options o = random_options(&stream);
        berth_selector *selector = new_selector(&o);
        for (size_t event = 0; event < EVENTS; event++) {
            berth_selection *s;
            berth_selector_state before;
            random_event(&stream, 1, &selector);
            if (event % 3 > 0) {
                continue;
            }
            size_t wanted = 1 + below(&stream, MOST_CLIENTS), length;
            unsigned char *bytes = snapshot_of(selector, &length);
            berth_selector *earlier;
            assert_ok(berth_selector_restore(bytes, length, &earlier, &error), error);
            berth_selector_present(selector, &before);
            assert_ok(berth_selector_select(selector, wanted, NULL, 0, &s, &error), error);
            twin t = weigh_again(earlier, &o, s->percentile);
            assert_close(s->preferred_duration_s, t.preferred_s, 1e-9);
            assert_close(s->exploration, before.exploration, 0);
            expect_as_stated(s, &t, &o, wanted, before.n_clients);
            exploited += s->n_exploited;
            recalled += s->n_recalled;
            berth_selection_free(s);
            berth_selector_free(earlier);
            free(bytes);
        }
        berth_selector_free(selector);
    }
    assert_true(exploited > 1000 && recalled > 100); /* neither path is left out */
}

/* ---- order, and broken snapshots ----------------------------------------------------------------------------------
 */

static void order_of_available_clients_does_not_matter(void **state) {
    (void)state;
    const size_t up[] = {0, 2, 3, 5, 7, 9}, mixed[] = {9, 3, 3, 0, 7, 2, 5, 0};
    berth_selection *a, *b;
    for (uint64_t seed = 0; seed < 100; seed++) {
        berth_selector_options o = pair_options(seed);
        berth_selector *both[2] = {new_selector(&o), new_selector(&o)};
        for (size_t k = 0; k < 10; k++) {
            for (size_t j = 0; j < 2; j++) {
                assert_ok(berth_selector_register(both[j], NULL, 1 + (double)k, NULL, &error), error);
                report(both[j], k, k % 4, 2, 1);
            }
        }
        assert_ok(berth_selector_select(both[0], 3, up, 6, &a, &error), error);
        assert_ok(berth_selector_select(both[1], 3, mixed, 8, &b, &error), error);
        expect_same(a, b);
        berth_selection_free(a);
        berth_selection_free(b);
        berth_selector_free(both[0]);
        berth_selector_free(both[1]);
    }
}

static void put_checksum(unsigned char *bytes, size_t length) {
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    for (size_t k = 32; k < length; k++) {
        sum = (sum ^ bytes[k]) * UINT64_C(0x100000001b3);
    }
    for (size_t k = 0; k < 8; k++) {
        bytes[24 + k] = (unsigned char)(sum >> (8 * k));
    }
}

static berth_selector *small_selector(void) {
    berth_selector *selector = new_selector(NULL);
    berth_selection *s;
    for (size_t k = 0; k < 4; k++) {
        assert_ok(berth_selector_register(selector, k % 2 ? "name" : NULL, (double)NAN, NULL, &error), error);
    }
    report(selector, 2, 10, 2, 3);
    assert_ok(berth_selector_select(selector, 2, NULL, 0, &s, &error), error);
    berth_selection_free(s);
    return selector;
}

static void broken_snapshots_are_refused(void **state) {
    (void)state;
    size_t length;
    berth_selector *selector = small_selector(), *other;
    unsigned char *bytes = snapshot_of(selector, &length), *room = malloc(length + 1);
    assert_non_null(room);
    for (size_t k = 0; k < length; k++) {
        memcpy(room, bytes, length);
        room[k] ^= 0x10;
        berth_status status = berth_selector_restore(room, length, &other, &error);
        assert_int_equal(status, k >= 8 && k < 16 ? BERTH_E_UNSUPPORTED : BERTH_E_INPUT);
        assert_null(other);
        /* cut short */
        assert_int_equal(berth_selector_restore(bytes, k, &other, &error), BERTH_E_INPUT);
        assert_null(other);
    }
    memcpy(room, bytes, length);
    room[length] = 0;
    assert_int_equal(berth_selector_restore(room, length + 1, &other, &error), BERTH_E_INPUT);
    room[8] = 2;
    assert_int_equal(berth_selector_restore(room, length, &other, &error), BERTH_E_UNSUPPORTED);
    assert_non_null(strstr(error.message, "version 2"));
    free(room);
    free(bytes);
    berth_selector_free(selector);
}

/* Bytes that a checksum vouches for are still not trusted: what is restored can select. */
static void false_snapshots_do_no_harm(void **state) {
    (void)state;
    size_t length, restored = 0, refused = 0;
    berth_selector *selector = small_selector();
    unsigned char *bytes = snapshot_of(selector, &length), *room = malloc(length);
    berth__pcg stream = berth__pcg_seed(5, 29);
    assert_non_null(room);
    for (int k = 0; k < (SANITIZED ? 2000 : 20000); k++) {
        berth_selector *other;
        berth_selection *s;
        memcpy(room, bytes, length);
        for (size_t n = 1 + below(&stream, 3); n > 0; n--) {
            room[32 + below(&stream, length - 32)] = (unsigned char)berth__pcg_next(&stream);
        }
        put_checksum(room, length);
        berth_status status = berth_selector_restore(room, length, &other, &error);
        if (status == BERTH_OK) {
            assert_ok(berth_selector_select(other, 2, NULL, 0, &s, &error), error);
            assert_in_range(s->n, 2, 4); /* overcommit may be another */
            berth_selection_free(s);
        } else {
            assert_int_equal(status, BERTH_E_INPUT);
        }
        restored += status == BERTH_OK;
        refused += status != BERTH_OK;
        berth_selector_free(other);
    }
    assert_true(restored > 100 && refused > 100);
    free(room);
    free(bytes);
    berth_selector_free(selector);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draws_are_in_proportion_to_weights),
        cmocka_unit_test(rounds_are_independent),
        cmocka_unit_test(restored_selectors_go_on_alike),
        cmocka_unit_test(choices_are_as_stated),
        cmocka_unit_test(order_of_available_clients_does_not_matter),
        cmocka_unit_test(broken_snapshots_are_refused),
        cmocka_unit_test(false_snapshots_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
