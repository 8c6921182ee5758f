/* Fewest participants are within C + 1 of the relaxation, C the number of categories: always, not only where greedy
 * choices do well. The relaxation is bounded by the certificate's prices, which the checker adds up again, and on small
 * problems solved by an LP backend on a programme of the test's own. Little effort, so that greedy choices are poor.
 * And slack: fewer participants than the fastest have, never later than it allows. */
#include "base/pcg.h"
#include "tests/support/backends.h"
#include "tests/support/check.h"
#include "tests/support/cohort_case.h"
#include "tests/support/sanitized.h"

#include <stdlib.h>
#include <string.h>

enum { SMALL = SANITIZED ? 9 : 45, TRIES = SANITIZED ? 10 : 30 };

static berth_backends *backends;

static int open_backends(void **state) {
    (void)state;
    backends = all_backends();
    return 0;
}

static int close_backends(void **state) {
    (void)state;
    berth_backends_free(backends);
    return 0;
}

static berth__pcg stream_of(uint64_t seed) {
    return berth__pcg_key(1, &seed);
}

/* ---- problems ---- */

typedef struct large {
    berth_cohort_data data;
    berth_cohort_request request;
    size_t *row_start;
    uint32_t *category, *count;
    double *ms, *kbps;
    uint64_t *requests;
} large;

/* Clients of one speed, who hold nothing so far. */
static void large_init(large *l, size_t clients, size_t categories) {
    memset(l, 0, sizeof *l);
    l->row_start = calloc(clients + 1, sizeof *l->row_start);
    l->category = calloc(clients * categories, sizeof *l->category);
    l->count = calloc(clients * categories, sizeof *l->count);
    l->ms = calloc(clients, sizeof *l->ms);
    l->kbps = calloc(clients, sizeof *l->kbps);
    l->requests = calloc(categories, sizeof *l->requests);
    assert_true(l->row_start && l->category && l->count && l->ms && l->kbps && l->requests);
    berth_cohort_data_init(&l->data);
    berth_cohort_request_init(&l->request);
    for (size_t n = 0; n < clients; n++) {
        l->ms[n] = 10;
        l->kbps[n] = 1000;
    }
    l->data.n_categories = categories;
    l->data.row_start = l->row_start;
    l->data.category = l->category;
    l->data.count = l->count;
    l->data.ms_per_sample = l->ms;
    l->data.bandwidth_kbps = l->kbps;
    l->request.requests = l->requests;
    l->request.model_kbit = 1000;
    l->request.objective = BERTH_COHORT_PARTICIPANTS;
}

static void large_free(large *l) {
    free(l->row_start);
    free(l->category);
    free(l->count);
    free(l->ms);
    free(l->kbps);
    free(l->requests);
}

/* Of the client being made: n_clients counts it when it is complete. */
static void hold(large *l, size_t category, uint32_t count) {
    size_t *end = &l->row_start[l->data.n_clients + 1];
    *end = *end < l->row_start[l->data.n_clients] ? l->row_start[l->data.n_clients] : *end;
    l->category[*end] = (uint32_t)category;
    l->count[(*end)++] = count;
}

static void end_client(large *l) {
    size_t n = l->data.n_clients++;
    l->row_start[n + 1] = l->row_start[n + 1] < l->row_start[n] ? l->row_start[n] : l->row_start[n + 1];
}

static void ask_for(large *l, double part) {
    for (size_t e = 0; e < l->row_start[l->data.n_clients]; e++) {
        l->requests[l->category[e]] += l->count[e];
    }
    for (size_t c = 0; c < l->data.n_categories; c++) {
        l->requests[c] = (uint64_t)ceil((double)l->requests[c] * part);
    }
}

/* What relaxations are worst at: categories are the points other than 0 of a space of 0s and 1s, a client holds those
 * whose product with its own point is odd. Two clients suffice in parts, `bits` are needed as a whole. */
static void draw_parities(large *l, size_t clients, berth__pcg *stream) {
    uint32_t bits = (uint32_t)berth__pcg_integer(stream, 2, 5), points = 1u << bits;
    large_init(l, clients, points - 1);
    for (size_t n = 0; n < clients; n++) {
        uint32_t own = n < points - 1 ? (uint32_t)n + 1 : (uint32_t)berth__pcg_integer(stream, 1, points - 1);
        for (uint32_t point = 1; point < points; point++) {
            uint32_t product = own & point, odd = 0;
            for (; product > 0; product &= product - 1) {
                odd ^= 1;
            }
            if (odd) {
                hold(l, point - 1, 1);
            }
        }
        end_client(l);
    }
    for (size_t c = 0; c < l->data.n_categories; c++) {
        l->requests[c] = 1;
    }
}

/* Ties everywhere: all hold pairs of neighbours, as much of each. */
static void draw_rings(large *l, size_t clients, berth__pcg *stream) {
    size_t categories = (size_t)berth__pcg_integer(stream, 3, 25) | 1;
    large_init(l, clients, categories);
    for (size_t n = 0; n < clients; n++) {
        hold(l, n % categories, 3);
        hold(l, (n + 1) % categories, 3);
        end_client(l);
    }
    ask_for(l, 0.3);
    for (size_t c = 0; c < categories; c++) {
        l->requests[c] |= 1; /* clients give 6 */
    }
}

/* A few hold nearly all of one category, many a little of several, fast and slow, within a deadline or a cap. */
static void draw_tails(large *l, size_t clients, berth__pcg *stream) {
    size_t categories = (size_t)berth__pcg_integer(stream, 1, 30);
    large_init(l, clients, categories);
    for (size_t n = 0; n < clients; n++) {
        double popular = berth__pcg_uniform(stream);
        for (size_t c = 0; c < categories; c++) {
            if (berth__pcg_uniform(stream) * (double)(c + 1) < popular) {
                double count = 1 / (0.001 + berth__pcg_uniform(stream));
                hold(l, c, (uint32_t)ceil(count));
            }
        }
        end_client(l);
        l->ms[n] = 1 + 100 * berth__pcg_uniform(stream);
        l->kbps[n] = 200 + 5000 * berth__pcg_uniform(stream);
    }
    ask_for(l, 0.01 + 0.1 * berth__pcg_uniform(stream));
    if (berth__pcg_uniform(stream) < 0.7) {
        l->request.deadline_s = 5;
    } else {
        l->request.client_cap = 40;
    }
}

static void draw(large *l, int kind, size_t clients, berth__pcg *stream) {
    static void (*const kinds[])(large * l, size_t clients, berth__pcg * stream) = {draw_parities, draw_rings,
                                                                                    draw_tails};
    kinds[kind % 3](l, clients, stream);
}

/* ---- what must hold ---- */

static berth_cohort *pick(const berth_cohort_data *data, const berth_cohort_request *request, double effort) {
    berth_error error = {0};
    berth_cohort *cohort = NULL;
    berth_cohort_options options;
    berth_cohort_options_init(&options);
    options.effort = effort;
    options.backends = backends;
    assert_ok(berth_cohort_pick(data, request, &options, &cohort, &error), error);
    cohort_expect_sound(data, request, cohort, "fewest");
    return cohort;
}

static bool exists(const berth_cohort *cohort) {
    return cohort->outcome == BERTH_OPTIMAL || cohort->outcome == BERTH_FEASIBLE;
}

/* Returns whether the problem has a solution at all. */
static bool expect_near(const large *l, double relaxed, int kind) {
    berth_cohort *cohort = pick(&l->data, &l->request, 0.02);
    bool found = exists(cohort);
    if (!found) {
        assert_int_equal(cohort->outcome, BERTH_INFEASIBLE);
    }
    double bound = isnan(relaxed) ? (double)cohort->participants_bound : relaxed;
    if (found && (double)cohort->n_participants > bound + (double)l->data.n_categories + 1 + 1e-6) {
        fail_msg("kind %d, %zu clients: %zu participants, bound %g, %zu categories", kind % 3, l->data.n_clients,
                 cohort->n_participants, bound, l->data.n_categories);
    }
    if (!isnan(relaxed)) {
        assert_int_equal(found, isfinite(relaxed));
    }
    if (found && !isnan(relaxed)) { /* what is claimed may be the next whole number */
        assert_at_most((double)cohort->participants_bound, ceil(relaxed - 1e-6), 1e-9);
    }
    berth_cohort_free(cohort);
    return found;
}

static void small_ones_are_near_the_relaxation_of_a_backend(void **state) {
    (void)state;
    berth__pcg stream = stream_of(81);
    int found = 0;
    for (int k = 0; k < SMALL; k++) {
        large l;
        draw(&l, k, (size_t)berth__pcg_integer(&stream, 31, 120), &stream);
        found += expect_near(&l, cohort_optimum(&l.data, &l.request, backends, false), k);
        large_free(&l);
    }
    assert_true(found > SMALL / 2);
}

static void large_ones_are_near_what_prices_prove(void **state) {
    (void)state;
    berth__pcg stream = stream_of(82);
    int found = 0;
    for (int k = 0; k < TRIES; k++) {
        large l;
        bool many = k >= TRIES - 3; /* more than 20,000: another way is taken */
        double clients = many ? (SANITIZED ? 5000 : 24000) : 100 * pow(10, 1.3 * berth__pcg_uniform(&stream));
        draw(&l, k, (size_t)clients, &stream);
        found += expect_near(&l, (double)NAN, k);
        large_free(&l);
    }
    assert_true(found > TRIES / 2);
}

/* Fewer, or as many, the more slack there is; within it; the bound stays that of the fastest. */
static void slack_is_kept(void **state) {
    (void)state;
    static const double slack[] = {0, 0.01, 0.1, 1};
    berth_generate_cohort_options options;
    int fewer = 0, cases = SANITIZED ? 4 : 20;
    berth_generate_cohort_options_init(&options);
    for (int k = 0; k < cases; k++) {
        berth_error error;
        berth_cohort_data *data = NULL;
        berth_cohort_request *request = NULL;
        options.seed = (uint64_t)k;
        options.clients = k == 0 ? 21000 : 40 * (size_t)k; /* above 20,000 another way is taken */
        options.categories = 5;
        assert_ok(berth_generate_cohort(&options, &data, &request, &error), error);
        size_t most = request->budget;
        double fastest = 0;
        for (size_t s = 0; s < sizeof slack / sizeof *slack; s++) {
            request->slack = slack[s];
            berth_cohort *cohort = pick(data, request, 0.05);
            assert_true(exists(cohort));
            fastest = s == 0 ? cohort->duration_s : fastest;
            assert_at_most(cohort->duration_s, fastest * (1 + slack[s]), 1e-12);
            assert_at_most(cohort->bound_s, fastest, 1e-12);
            assert_true(cohort->n_participants <= request->budget);
            fewer += s > 1 && cohort->n_participants < most;
            most = cohort->n_participants;
            berth_cohort_free(cohort);
        }
        berth_cohort_request_free(request);
        berth_cohort_data_free(data);
    }
    assert_true(fewer >= cases); /* of two each */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_ones_are_near_the_relaxation_of_a_backend),
        cmocka_unit_test(large_ones_are_near_what_prices_prove),
        cmocka_unit_test(slack_is_kept),
    };
    return cmocka_run_group_tests(tests, open_backends, close_backends);
}
