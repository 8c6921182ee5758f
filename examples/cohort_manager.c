/* The client manager of a federated-learning server, with berth deciding who trains and who tests.
 *
 * A server such as Flower's or FedScale's asks its client manager the same few things: here is a new client; who
 * trains in the next round; this is what a client reported; on whom shall the model be tested. Below, struct manager
 * has a function for each. The clients are simulated: 300 of them, with 8 categories of samples, devices and links of
 * very different speed. Everything that berth sees is plain arrays and numbers.
 *
 *     cc cohort_manager.c $(pkg-config --cflags --libs berth) -lm
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <berth_cohort.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { CLIENTS = 300, CATEGORIES = 8, PER_CLIENT = 3, ROUNDS = 30, PARTICIPANTS = 10 };

/* ---- the manager --------------------------------------------------------------------------------------------- */

typedef struct manager {
    berth_selector *selector; /* who trains */
    /* What clients hold: row n has categories category[row_start[n]] .. category[row_start[n + 1] - 1], with so many
     * samples each. A server in Python has the same three arrays as a scipy.sparse.csr_matrix: indptr, indices, data.
     */
    size_t n_clients, row_start[CLIENTS + 1];
    uint32_t category[CLIENTS * PER_CLIENT], count[CLIENTS * PER_CLIENT];
    double ms_per_sample[CLIENTS], bandwidth_kbps[CLIENTS];
} manager;

static void stop_on(berth_status status, const berth_error *error) {
    if (status != BERTH_OK) {
        fprintf(stderr, "%s: %s\n", error->where, error->message);
        exit(1);
    }
}

/* A client's number is the same for the selector and in the arrays: both count from 0 as clients come. */
static void register_client(manager *m, size_t n, const uint32_t *category, const uint32_t *count, double ms,
                            double kbps) {
    berth_error error;
    size_t client, begin = m->row_start[m->n_clients];
    char id[32];
    double samples = 0;
    for (size_t k = 0; k < n; k++) {
        m->category[begin + k] = category[k];
        m->count[begin + k] = count[k];
        samples += count[k];
    }
    m->ms_per_sample[m->n_clients] = ms;
    m->bandwidth_kbps[m->n_clients] = kbps;
    m->row_start[m->n_clients + 1] = begin + n;
    snprintf(id, sizeof id, "device-%zu", m->n_clients);
    double declared_s = ms / 1000 * samples + 65536 / kbps;
    stop_on(berth_selector_register(m->selector, id, declared_s, &client, &error), &error);
    m->n_clients++;
}

/* Who trains, of those that are online? The caller frees it. */
static berth_selection *select_participants(manager *m, size_t n_online, const size_t *online) {
    berth_error error;
    berth_selection *selection;
    stop_on(berth_selector_select(m->selector, PARTICIPANTS, online, n_online, &selection, &error), &error);
    return selection;
}

static void register_feedback(manager *m, size_t client, uint64_t samples, double mean_squared_loss,
                              double duration_s) {
    berth_error error;
    berth_selector_result result = {samples, mean_squared_loss, duration_s};
    stop_on(berth_selector_report(m->selector, client, &result, &error), &error);
}

/* On whom is the model tested, with `samples` that are like those of all clients? The caller frees it. */
static berth_cohort *select_testers(const manager *m, uint64_t samples, size_t budget) {
    berth_error error;
    berth_cohort *cohort;
    berth_cohort_data data;
    berth_cohort_request request;
    berth_cohort_data_init(&data);
    data.n_clients = m->n_clients;
    data.n_categories = CATEGORIES;
    data.row_start = m->row_start;
    data.category = m->category;
    data.count = m->count;
    data.ms_per_sample = m->ms_per_sample;
    data.bandwidth_kbps = m->bandwidth_kbps;
    berth_cohort_request_init(&request);
    request.representative = samples;
    request.budget = budget;
    stop_on(berth_cohort_pick(&data, &request, NULL, &cohort, &error), &error);
    return cohort;
}

/* The server goes down and comes up again: all that was learned of the clients is in these bytes. */
static void restart(manager *m) {
    berth_error error;
    size_t length;
    stop_on(berth_selector_snapshot(m->selector, NULL, 0, &length, &error), &error);
    void *bytes = malloc(length);
    if (bytes == NULL) {
        exit(1);
    }
    stop_on(berth_selector_snapshot(m->selector, bytes, length, &length, &error), &error);
    berth_selector_free(m->selector);
    stop_on(berth_selector_restore(bytes, length, &m->selector, &error), &error);
    free(bytes);
}

/* ---- the world it manages ------------------------------------------------------------------------------------ */

/* A number of [0, 1) that looks random (Weyl's sequence). */
static double noise(size_t a, size_t b) {
    double x = 0.5 + (double)(a + 1) * 0.7548776662466927 + (double)(b + 1) * 0.5698402909980532;
    return x - floor(x);
}

static void let_clients_register(manager *m) {
    for (size_t n = 0; n < CLIENTS; n++) {
        uint32_t category[PER_CLIENT], count[PER_CLIENT];
        for (size_t k = 0; k < PER_CLIENT; k++) {
            category[k] = (uint32_t)(k == 0 ? n % 3 : k == 1 ? 3 + n % 2 : 5 + n % 3); /* ascending */
            count[k] = (uint32_t)(5 + 60 * noise(n, k) * noise(n, k + 7));
        }
        double ms = 20 * pow(10, noise(n, 20)), kbps = 2000 * pow(10, noise(n, 21));
        register_client(m, PER_CLIENT, category, count, ms, kbps);
    }
}

/* A round on a client's own device: it trains on what it holds; its loss falls as the model learns. */
static double train_on(manager *m, size_t client, size_t round) {
    double samples = 0;
    for (size_t e = m->row_start[client]; e < m->row_start[client + 1]; e++) {
        samples += m->count[e];
    }
    double loss = (1 + noise(client, 30)) * exp(-0.05 * (double)round);
    double duration_s = m->ms_per_sample[client] / 1000 * samples + 65536 / m->bandwidth_kbps[client];
    register_feedback(m, client, (uint64_t)samples, loss * loss, duration_s);
    return duration_s;
}

static void train(manager *m) {
    for (size_t round = 1; round <= ROUNDS; round++) {
        size_t online[CLIENTS], n_online = 0;
        for (size_t n = 0; n < CLIENTS; n++) {
            if (noise(n, 40 + round) < 0.5) {
                online[n_online++] = n;
            }
        }
        berth_selection *s = select_participants(m, n_online, online);
        double slowest = 0;
        for (size_t k = 0; k < s->n; k++) {
            slowest = fmax(slowest, train_on(m, s->choices[k].client, round));
        }
        if (round % 10 == 0) {
            printf("round %zu: %zu of %zu clients online train, %zu of them for the first time; slowest %.1f s\n",
                   round, s->n, s->n_available, s->n_explored, slowest);
            restart(m);
        }
        berth_selection_free(s);
    }
}

static void test(const manager *m) {
    berth_cohort *cohort = select_testers(m, 1000, 40);
    double samples = 0;
    for (size_t k = 0; k < cohort->n_participants; k++) {
        for (size_t e = 0; e < cohort->participants[k].n_entries; e++) {
            samples += cohort->participants[k].samples[e];
        }
    }
    printf("test: %zu clients process %.0f samples in %.2f s; no other clients do it in less than %.2f s\n",
           cohort->n_participants, samples, cohort->duration_s, cohort->bound_s);
    berth_cohort_free(cohort);
}

int main(void) {
    static manager m;
    berth_error error;
    berth_selector_options options;
    berth_selector_options_init(&options);
    options.seed = 7;
    stop_on(berth_selector_new(&options, &m.selector, &error), &error);
    let_clients_register(&m);
    train(&m);
    test(&m);
    berth_selector_free(m.selector);
    return 0;
}
