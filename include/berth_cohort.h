/* berth_cohort.h - which clients of a federated-learning system to test a model on, and how many.
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * After Lai, Zhu, Madhyastha, Chowdhury, "Oort: Efficient Federated Learning via Guided Participant Selection",
 * OSDI 2021: section 5 (the testing selector) here in 1 and 2, section 4 (the training selector) in 3.
 *
 * CONTENTS
 *   1. How many participants, when nothing is known of their data
 *   2. Which participants, when it is known how many samples of each category each client holds
 *   3. Which clients train, round after round
 *   4. Files, checking, generating (like berth_io.h without an ABI promise)
 *
 * The conventions of berth.h hold. Clients and categories are indices into the caller's arrays.
 */
#ifndef BERTH_COHORT_H
#define BERTH_COHORT_H

#include <berth.h>
#include <berth_io.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- 1. How many participants ---------------------------------------------------------------- */

/* Hoeffding-Serfling, without replacement: with n participants drawn uniformly from N clients, the mean count of a
 * category over participants is within `deviation` of that over all clients, with probability `confidence` at least, if
 *
 *     n >= (N + 1) / (1 + 2 N (deviation / range)^2 / ln(1 / q))
 *
 * q = 1 - confidence for one category and one side (the mean is not too high; the paper's form), and
 * (1 - confidence) / (2 categories) for both sides and all categories at once. */
typedef struct berth_cohort_size_options {
    size_t struct_size;
    double deviation;  /* tolerated, in the unit of range; > 0 */
    double range;      /* largest minus smallest count of a category that a client can hold; >= 0 */
    size_t clients;    /* N, >= 1 */
    double confidence; /* in (0, 1); default 0.95 */
    size_t categories; /* both sides and so many categories at once; 0: one category, one side */
    double overcommit; /* >= 1: times as many are asked, as some will not answer; default 1 */
} berth_cohort_size_options;

BERTH_API void berth_cohort_size_options_init(berth_cohort_size_options *options);
/* *exact is the right side above times overcommit (may be NULL), *participants that rounded up, at most N. */
BERTH_API berth_status berth_cohort_size(const berth_cohort_size_options *options, size_t *participants, double *exact,
                                         berth_error *error);
/* n of the indices 0 .. clients - 1, uniformly without replacement, ascending. sample: [n]. O(clients). */
BERTH_API berth_status berth_cohort_sample(size_t clients, size_t n, uint64_t seed, size_t *sample, berth_error *error);

/* ---- 2. Which participants ------------------------------------------------------------------- */

/* What clients hold, as compressed rows. Borrowed during a call. */
typedef struct berth_cohort_data {
    size_t struct_size;
    size_t n_clients, n_categories;
    const size_t *row_start;       /* [n_clients + 1] into category and count */
    const uint32_t *category;      /* < n_categories, no category twice in a row */
    const uint32_t *count;         /* samples */
    const double *ms_per_sample;   /* [n_clients] > 0 where the row is not empty; NULL: durations do not matter
                                      (participants without a   deadline), both arrays then */
    const double *bandwidth_kbps;  /* [n_clients] > 0 */
    const char *const *clients;    /* [n_clients] ids, for messages and files; NULL: 0, 1, ... */
    const char *const *categories; /* [n_categories]; NULL: 0, 1, ... */
    void *memory;                  /* private */
} berth_cohort_data;

BERTH_API void berth_cohort_data_init(berth_cohort_data *data);

typedef enum berth_cohort_objective {
    BERTH_COHORT_DURATION = 0, /* the slowest participant is done soonest */
    BERTH_COHORT_PARTICIPANTS  /* fewest participants */
} berth_cohort_objective;

/* What is wanted: min T (or min participants) subject to
 *
 *     sum_n x[n][c] >= request[c],   0 <= x[n][c] <= count[n][c] integer,   sum_c x[n][c] <= client_cap,
 *     ms_per_sample[n] / 1000 * sum_c x[n][c] + model_kbit / bandwidth_kbps[n] <= T for participants,
 *     at most `budget` participants, T <= deadline_s
 *
 * A client takes part if it has a sample to process. Requests come in one of three forms. */
typedef struct berth_cohort_request {
    size_t struct_size;
    const uint64_t *requests; /* [n_categories] samples of each; NULL: another form */
    uint64_t representative; /* so many samples, shared out among categories like those of all clients together (largest
                                remainders; eligible or not); 0: another form */
    size_t n_all;            /* all samples that eligible clients hold of these categories */
    const size_t *all;
    bool exact;           /* exactly that many of each. Never harder: clients may always process fewer */
    size_t budget;        /* most participants; 0: any number */
    uint64_t client_cap;  /* most samples of a client; 0: none */
    bool choose_eligible; /* true: only the clients listed */
    size_t n_eligible;
    const size_t *eligible;
    double model_kbit; /* transferred to each participant; default 65536 */
    double deadline_s; /* default INFINITY */
    double slack;      /* objective duration: participants may take so much longer than the fastest found, relative to
                          them, where that makes them fewer; >= 0, default 0: fewest of the fastest */
    berth_cohort_objective objective;
    void *memory; /* private */
} berth_cohort_request;

BERTH_API void berth_cohort_request_init(berth_cohort_request *request);

typedef struct berth_cohort_options {
    size_t struct_size;
    const char *solver; /* where prices come from: "auto" (price iterations of our own, any size), or an LP backend that
                           solves the programme with T fixed (small sizes) */
    double time_limit_s;            /* INFINITY: none */
    double effort;                  /* factor on the work put into bound and search; > 0, default 1 */
    const berth_backends *backends; /* NULL: the built-in ones */
    berth_hooks hooks;
} berth_cohort_options;

BERTH_API void berth_cohort_options_init(berth_cohort_options *options);

typedef struct berth_cohort_participant {
    size_t client;
    double duration_s; /* NAN without profiles */
    size_t n_entries;
    const uint32_t *category; /* ascending */
    const uint32_t *samples;  /* > 0 */
} berth_cohort_participant;

/* Why there is no cohort, the first that applies. */
#define BERTH_COHORT_REASON_TABLE(X)                                                                                   \
    X(NONE, 0, "none")                                                                                                 \
    X(SUPPLY, 1, "supply")     /* eligible clients hold too little, or may not process enough (client_cap) */          \
    X(DEADLINE, 2, "deadline") /* all eligible clients together do not make it by the deadline */                      \
    X(BUDGET, 3, "budget")     /* so many participants can't, at any duration up to the deadline */

typedef enum berth_cohort_reason {
#define BERTH_COHORT_REASON_ENUM(name, value, text) BERTH_COHORT_##name = (value),
    BERTH_COHORT_REASON_TABLE(BERTH_COHORT_REASON_ENUM)
#undef BERTH_COHORT_REASON_ENUM
} berth_cohort_reason;

BERTH_API const char *berth_cohort_reason_name(berth_cohort_reason reason);

/* The certificate is a price of a sample of each category, whole numbers with sum price[c] request[c] <= 2^52, and a
 * deadline. Within that deadline, no client's samples are worth more than V[n] at these prices (its dearest first), so
 * that k participants cannot meet the request if the k largest V[n] are worth less than the request. Sums are exact.
 * For objective duration, k is the budget: the duration is above the deadline, hence bound_s, the next duration that
 * any client could have; for participants, participants_bound is the least k that is not ruled out. */
typedef struct berth_cohort {
    berth_outcome outcome; /* OPTIMAL; FEASIBLE; INFEASIBLE: proved; LIMIT: nothing found, and nothing proved */
    berth_cohort_objective objective;
    size_t n_clients, n_categories;
    const uint64_t *requests; /* [n_categories] as resolved */
    size_t n_participants;
    const berth_cohort_participant *participants; /* by ascending client */
    double duration_s;                            /* of the slowest; NAN: no cohort, or no profiles */
    double bound_s;             /* no cohort is done sooner, by the certificate; NAN: none (objective participants) */
    double search_bound_s;      /* the same by complete search: nothing proves it; NAN: none */
    size_t participants_bound;  /* no cohort is smaller, by the certificate; 0: none (objective duration) */
    size_t search_participants; /* the same by complete search; 0: none */
    double ratio;               /* duration_s / bound_s, participants / participants_bound; NAN: one is missing */
    const double *prices;       /* [n_categories]; NULL: no certificate */
    double certificate_deadline_s; /* INFINITY: without any deadline */
    /* without a cohort */
    berth_cohort_reason reason;
    const uint64_t
        *missing; /* [n_categories] that the best attempt lacked; with SUPPLY and DEADLINE the least in sum */
    double enough_deadline_s; /* a deadline that would do with the budget given; NAN: none found */
    size_t enough_budget;     /* a budget that would do by the deadline given; 0: none found */
    bool stopped;             /* by time limit or cancellation */
    const char *solver;       /* "auto" or the LP backend; "external": anybody's cohort */
    void *memory;             /* private */
} berth_cohort;

/* Picks participants and bounds how much better any others could be. That no cohort exists is an outcome.
 * E_INPUT, E_ARGUMENT: error->where names the array or field and the index. With 10^6 clients about a second. */
BERTH_API berth_status berth_cohort_pick(const berth_cohort_data *data, const berth_cohort_request *request,
                                         const berth_cohort_options *options, berth_cohort **out, berth_error *error);
BERTH_API void berth_cohort_free(berth_cohort *cohort);

/* ---- 3. Which clients train ------------------------------------------------------------------ */

/* Guided participant selection (section 4), a state that events feed: clients register, rounds are selected,
 * participants report results. With r the latest reported utility of a client, t its latest reported duration, R the
 * number of the round that is selected (from 1):
 *
 *     score = ((min(r, c) - r_min) / (c - r_min) + sqrt(0.1 ln R / last_round)) * (T / t)^alpha if t > T, else * 1
 *     weight = (1 - fairness) score + fairness (s_max - selections) / (s_max - s_min)
 *
 * r_min, s_min and s_max are extremes over the candidates that have reported; c is the `clip` quantile of their r; a
 * quotient whose denominator is 0 is 0. Candidates are the available clients that are not blacklisted. T is the
 * `percentile` of durations (reported, else declared) of all clients, INFINITY at 100 or if no duration is known.
 *
 * Of n = ceil(overcommit K) clients of a round, floor(n (1 - exploration)) are taken from those that have reported:
 * from all whose weight is at least cut_off times the weight that so many reach, one after another, each time in
 * proportion to weight among those left. The others are taken from clients that have never reported, likewise in
 * proportion to 1 / declared duration. Where either kind is too few, the other fills up. Weights that are all 0 are all
 * alike.
 *
 * Pacer: once in `pacer_step` rounds, from the second time on, the utility reported during the last pacer_step rounds
 * is compared with that of the pacer_step rounds before. A change of at most 10 % of that raises the percentile by
 * pacer_delta, one of at least five times that lowers it; it stays in [0, 100].
 *
 * Quantiles are linear between order statistics. Each draw depends on seed, round and client alone: neither the order
 * of `available` nor a restored snapshot makes a difference.
 *
 * Not as in the paper or its program: scores are scaled after clipping, so that a single outlier cannot make all others
 * look alike; there are no noisy utilities (differential privacy). */
typedef struct berth_selector berth_selector;

typedef struct berth_selector_options {
    size_t struct_size;
    uint64_t seed;            /* default 1 */
    double exploration;       /* of a round's participants at first, in [0, 1]; default 0.9 */
    double exploration_decay; /* factor after each round, in [0, 1]; default 0.98 */
    double exploration_min;   /* at least, in [0, 1]; default 0.2 */
    double alpha;             /* >= 0; default 2 */
    double clip;              /* quantile in [0, 1]; default 0.95 */
    double cut_off;           /* in [0, 1]; default 0.95 */
    double overcommit;        /* >= 1: so many times as many are selected, as some will be late; default 1.3 */
    size_t blacklist_rounds;  /* a client selected so often is no candidate any more; 0: never; default 10 */
    double fairness;          /* in [0, 1]; default 0 */
    double percentile;        /* of durations, in [0, 100], where T begins; default 30 */
    double pacer_delta;       /* percentile points >= 0; default 5 */
    size_t pacer_step;        /* rounds; 0: T stays where it is; default 20 */
} berth_selector_options;

BERTH_API void berth_selector_options_init(berth_selector_options *options);
/* A selector without clients. `options` NULL: the defaults. E_ARGUMENT names the option. */
BERTH_API berth_status berth_selector_new(const berth_selector_options *options, berth_selector **out,
                                          berth_error *error);
BERTH_API void berth_selector_free(berth_selector *selector);

/* A new client; *client (may be NULL) is its number: 0, 1, 2, ... `id` (may be NULL: none) is kept for messages, files
 * and snapshots, and is not looked at: one id twice makes two clients. `declared_s` is how long a round is expected to
 * take it, > 0, or NAN: unknown, which counts as a 1 / duration of the mean of those that are known. */
BERTH_API berth_status berth_selector_register(berth_selector *selector, const char *id, double declared_s,
                                               size_t *client, berth_error *error);
/* A client that came back with another declared duration. E_ARGUMENT: no such client. */
BERTH_API berth_status berth_selector_declare(berth_selector *selector, size_t client, double declared_s,
                                              berth_error *error);

typedef struct berth_selector_result {
    uint64_t samples;         /* |B| trained on */
    double mean_squared_loss; /* of these, >= 0: the utility is r = samples sqrt(mean_squared_loss) */
    double duration_s;        /* that the round took the client; > 0 */
} berth_selector_result;

/* What a client made of a round. last_round is the latest that was selected (1 if there was none yet). Late results,
 * several of one round, and results of clients that were not selected (earlier knowledge) count like any other: the
 * latest holds. E_ARGUMENT: no such client, or a bad number; nothing has changed then. */
BERTH_API berth_status berth_selector_report(berth_selector *selector, size_t client,
                                             const berth_selector_result *result, berth_error *error);

typedef enum berth_choice_kind {
    BERTH_CHOICE_EXPLOIT = 0, /* by weight */
    BERTH_CHOICE_EXPLORE,     /* had never reported */
    BERTH_CHOICE_RECALL       /* blacklisted, but there were too few others: those selected least often */
} berth_choice_kind;

typedef struct berth_choice {
    size_t client;
    berth_choice_kind kind;
    double weight; /* of its kind: see above; recalled: NAN */
} berth_choice;

typedef struct berth_selection {
    size_t round; /* from 1 */
    size_t n;
    const berth_choice *choices;                /* [n] by ascending client */
    size_t n_exploited, n_explored, n_recalled; /* n in sum */
    size_t n_available, n_blacklisted;          /* of these, blacklisted before the round */
    double exploration;                         /* of this round */
    double percentile, preferred_duration_s;    /* T; INFINITY */
    void *memory;                               /* private */
} berth_selection;

/* Selects the next round for which `participants` >= 1 (K) results are wanted. `available` [n_available]: the clients
 * to choose from, in any order, repeated ones counted once; NULL: all. With fewer than n clients all are selected; that
 * there are none is a round too. E_ARGUMENT, E_MEMORY: nothing has changed. O(N log N). */
BERTH_API berth_status berth_selector_select(berth_selector *selector, size_t participants, const size_t *available,
                                             size_t n_available, berth_selection **out, berth_error *error);
BERTH_API void berth_selection_free(berth_selection *selection);

typedef struct berth_selector_state {
    size_t round; /* selected so far */
    size_t n_clients, n_reported, n_blacklisted;
    double exploration, percentile; /* of the next round, the pacer apart */
    double utility[2];              /* reported during the present pacer_step rounds, and during those before */
} berth_selector_state;

typedef struct berth_selector_client {
    const char *id;             /* NULL: none. The selector's */
    double declared_s;          /* NAN: unknown */
    double utility, duration_s; /* of the latest result; NAN: none */
    size_t last_round;          /* 0: never reported */
    size_t selections;
    bool blacklisted;
} berth_selector_client;

BERTH_API void berth_selector_present(const berth_selector *selector, berth_selector_state *out);
/* E_ARGUMENT: no such client. */
BERTH_API berth_status berth_selector_present_client(const berth_selector *selector, size_t client,
                                                     berth_selector_client *out, berth_error *error);

/* Everything that a selector knows, options and ids too, as bytes that are the same on every machine: a version, a
 * checksum. *length is how many there are; they are written if `capacity` suffices (bytes may be NULL if it is 0).
 * A restored selector behaves like the one that was saved. */
BERTH_API berth_status berth_selector_snapshot(const berth_selector *selector, void *bytes, size_t capacity,
                                               size_t *length, berth_error *error);
/* E_INPUT: no snapshot, cut short or damaged. E_UNSUPPORTED: of a later version. */
BERTH_API berth_status berth_selector_restore(const void *bytes, size_t length, berth_selector **out,
                                              berth_error *error);

/* ---- 4. Files, checking, generating ---------------------------------------------------------- */

typedef struct berth_cohort_read_options {
    size_t struct_size;
    const char *profiles;          /* CSV client,ms_per_sample,bandwidth_kbps; NULL: none, data has no times */
    double default_ms_per_sample;  /* of clients without a profile; NAN: they are an error */
    double default_bandwidth_kbps; /* NAN */
    berth_hooks hooks;
} berth_cohort_read_options;

BERTH_API void berth_cohort_read_options_init(berth_cohort_read_options *options);
/* Counts as CSV, .gz or not, line by line: wide (client,<category names...>; a row per client) or long
 * (client,category,count; a row per pair, in any order). The first column may be called client_id. E_INPUT with the
 * line, error->where naming the file: not a whole number >= 0, duplicate client or pair, missing or superfluous fields,
 * more than 2^32 - 1 samples of a client, speeds beyond 1e-9 to 1e15. Profiles of unknown clients are passed over. Free
 * with berth_cohort_data_free. */
BERTH_API berth_status berth_cohort_data_read(const char *path, const berth_cohort_read_options *options,
                                              berth_cohort_data **out, berth_error *error);
/* Long CSV and, if profiles_path is not NULL, profiles; .gz by the name. */
BERTH_API berth_status berth_cohort_data_write(const berth_cohort_data *data, const char *path,
                                               const char *profiles_path, berth_error *error);
BERTH_API void berth_cohort_data_free(berth_cohort_data *data);

/* berth-cohort-request-1. Names of categories and clients must be those of the data. Free with
 * berth_cohort_request_free. */
BERTH_API berth_status berth_cohort_request_read(const char *path, const berth_cohort_data *data,
                                                 berth_cohort_request **out, berth_error *error);
BERTH_API berth_status berth_cohort_request_write(const berth_cohort_request *request, const berth_cohort_data *data,
                                                  const char *path, berth_error *error);
BERTH_API void berth_cohort_request_free(berth_cohort_request *request);

/* berth-cohort-1. */
BERTH_API berth_status berth_cohort_read(const char *path, const berth_cohort_data *data, berth_cohort **out,
                                         berth_error *error);
BERTH_API berth_status berth_cohort_write(const berth_cohort *cohort, const berth_cohort_data *data, const char *path,
                                          berth_error *error);

/* Recomputes every claim of a cohort from data, request and prices: cover, capacity, client cap, eligibility, budget,
 * durations, deadline, the certificate in exact arithmetic. In the report, utility is the objective and dual its bound.
 */
BERTH_API berth_status berth_check_cohort(const berth_cohort_data *data, const berth_cohort_request *request,
                                          const berth_cohort *cohort, const berth_hooks *hooks, berth_report **out,
                                          berth_error *error);

/* A snapshot as a file. E_IO, and as for bytes. */
BERTH_API berth_status berth_selector_write(const berth_selector *selector, const char *path, berth_error *error);
BERTH_API berth_status berth_selector_read(const char *path, berth_selector **out, berth_error *error);

/* Feeds a selector with a log, berth-selector-log-1, .gz or not, an event a line:
 *
 *     {"format": "berth-selector-log-1"}
 *     {"event": "register", "client": "a", "duration_s": 3.5}
 *     {"event": "select", "participants": 10, "available": ["a", ...]}
 *     {"event": "result", "client": "a", "samples": 32, "mean_squared_loss": 2.25, "duration_s": 4.1}
 *
 * A client that registers again declares its duration anew; without duration_s (or null) it is unknown. Without
 * `available` (or null) all clients are. The selector's own clients go by their ids, those without by their numbers.
 * `selected` is called for each selection; false ends the replay with E_CANCELLED. E_INPUT with the line: no event,
 * unknown client, bad number. The events before it have been fed then. */
typedef bool berth_selector_selected(void *user, const berth_selector *selector, const berth_selection *selection);
BERTH_API berth_status berth_selector_replay(berth_selector *selector, const char *path, const berth_hooks *hooks,
                                             berth_selector_selected *selected, void *user, berth_error *error);

/* Clients in the shape of public federated data sets: popular and rare categories, few categories a client,
 * heavy-tailed counts, and devices and links whose speeds differ by orders of magnitude. */
typedef struct berth_generate_cohort_options {
    size_t struct_size;
    uint64_t seed;
    size_t clients;       /* default 1000 */
    size_t categories;    /* default 20 */
    size_t per_client;    /* most categories of a client; default 8 */
    double median_count;  /* median samples of a category that a client holds; default 30 */
    double request_share; /* of all samples that `request` asks for; default 0.02 */
    double budget_share;  /* of clients; default 0.02 */
} berth_generate_cohort_options;

BERTH_API void berth_generate_cohort_options_init(berth_generate_cohort_options *options);
/* *request (may be NULL) asks for about request_share of the samples within the budget. */
BERTH_API berth_status berth_generate_cohort(const berth_generate_cohort_options *options, berth_cohort_data **out,
                                             berth_cohort_request **request, berth_error *error);

#ifdef __cplusplus
}
#endif

#endif /* BERTH_COHORT_H */
