/* A cohort and its certificate, berth-cohort-1. One with the solver "external" is anybody's: participants are all it
 * needs. */
#include <berth_cohort.h>

#include <math.h>

#include "formats/cohort_names.h"
#include "formats/result_json.h"
#include "formulations/cohort/problem.h"

static const char format_name[] = "berth-cohort-1";

/* ---- writing ---- */

static double finite_or_null(double value) {
    return isfinite(value) ? value : (double)NAN;
}

static void write_counts(berth__json_writer *w, const char *key, const berth_cohort_data *data,
                         const uint64_t *counts) {
    char name[32];
    berth__json_object(w, key);
    for (size_t c = 0; counts != NULL && c < data->n_categories; c++) {
        if (counts[c] > 0) {
            berth__json_integer(w, berth__cohort_category_name(data, c, name), (long long)counts[c]);
        }
    }
    berth__json_close(w);
}

static void write_certificate(berth__json_writer *w, const berth_cohort *cohort, const berth_cohort_data *data) {
    char name[32];
    if (cohort->prices == NULL) {
        berth__json_null(w, "certificate");
        return;
    }
    berth__json_object(w, "certificate");
    berth__json_number(w, "deadline", finite_or_null(cohort->certificate_deadline_s));
    berth__json_object(w, "prices");
    for (size_t c = 0; c < data->n_categories; c++) {
        if (cohort->prices[c] > 0) {
            berth__json_integer(w, berth__cohort_category_name(data, c, name), (long long)cohort->prices[c]);
        }
    }
    berth__json_close(w);
    berth__json_close(w);
}

static void write_participant(berth__json_writer *w, const berth_cohort_participant *p, const berth_cohort_data *data) {
    char name[32];
    berth__json_object(w, NULL);
    berth__json_string(w, "client", berth__cohort_client_name(data, p->client, name));
    berth__json_number(w, "duration_s", p->duration_s);
    berth__json_object(w, "samples");
    for (size_t k = 0; k < p->n_entries; k++) {
        berth__json_integer(w, berth__cohort_category_name(data, p->category[k], name), p->samples[k]);
    }
    berth__json_close(w);
    berth__json_close(w);
}

static void write_size(berth__json_writer *w, const char *key, size_t value) {
    if (value > 0) {
        berth__json_integer(w, key, (long long)value);
    } else {
        berth__json_null(w, key);
    }
}

static void write_cohort(berth__json_writer *w, const berth_cohort *cohort, const berth_cohort_data *data) {
    static const char *const names[] = {"berth"};
    const char *const numbers[] = {berth_version()};
    berth__json_object(w, NULL);
    berth__json_string(w, "format", format_name);
    berth__json_string(w, "solver", cohort->solver);
    berth__json_string(w, "objective", berth__cohort_objectives[cohort->objective]);
    berth__json_string(w, "outcome", berth_outcome_name(cohort->outcome));
    berth__json_bool(w, "stopped", cohort->stopped);
    write_counts(w, "requests", data, cohort->requests);
    berth__json_number(w, "duration_s", finite_or_null(cohort->duration_s));
    berth__json_number(w, "bound_s", finite_or_null(cohort->bound_s));
    berth__json_number(w, "search_bound_s", finite_or_null(cohort->search_bound_s));
    write_size(w, "participants_bound", cohort->participants_bound);
    write_size(w, "search_participants", cohort->search_participants);
    berth__json_number(w, "ratio", cohort->ratio);
    berth__json_string(w, "reason", berth_cohort_reason_name(cohort->reason));
    write_counts(w, "missing", data, cohort->missing);
    berth__json_number(w, "enough_deadline_s", finite_or_null(cohort->enough_deadline_s));
    write_size(w, "enough_budget", cohort->enough_budget);
    write_certificate(w, cohort, data);
    berth__json_list(w, "participants");
    for (size_t k = 0; k < cohort->n_participants; k++) {
        write_participant(w, &cohort->participants[k], data);
    }
    berth__json_close(w);
    berth__write_versions(w, 1, names, numbers);
    berth__json_close(w);
}

berth_status berth_cohort_write(const berth_cohort *cohort, const berth_cohort_data *data, const char *path,
                                berth_error *error) {
    berth__json_writer w;
    berth__error_clear(error);
    if (cohort == NULL || data == NULL || path == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, NULL, "cohort, data and path must not be NULL");
    }
    berth__json_begin(&w);
    write_cohort(&w, cohort, data);
    return berth__json_finish_file(&w, path, error);
}

/* ---- reading ---- */

static bool read_samples(berth__reader *r, const berth__node *node, const berth__cohort_names *names,
                         berth_cohort_participant *out) {
    if (!berth__node_is_object(r, node)) {
        return false;
    }
    size_t n = json_object_size(node->value), m = 0;
    uint32_t *category = BERTH__ARENA_ARRAY(r->arena, uint32_t, n),
             *samples = BERTH__ARENA_ARRAY(r->arena, uint32_t, n);
    if (category == NULL || samples == NULL) {
        return berth__reader_memory(r);
    }
    for (void *at = json_object_iter(node->value); at != NULL; at = json_object_iter_next(node->value, at)) {
        berth__node value = {.value = json_object_iter_value(at), .parent = node, .key = json_object_iter_key(at)};
        long long number;
        size_t c;
        if (!berth__cohort_find_category(r, &value, names, value.key, &c) || !berth__node_integer(r, &value, &number)) {
            return false;
        }
        if (number < 1 || number > UINT32_MAX) {
            return berth__node_fail(r, &value, BERTH_E_INPUT, "expected a number of samples from 1 to 4294967295");
        }
        size_t k = m++;
        for (; k > 0 && category[k - 1] > c; k--) {
            category[k] = category[k - 1];
            samples[k] = samples[k - 1];
        }
        category[k] = (uint32_t)c;
        samples[k] = (uint32_t)number;
    }
    out->category = category;
    out->samples = samples;
    out->n_entries = n;
    return true;
}

static bool read_participants(berth__reader *r, const berth__node *root, const berth__cohort_names *names,
                              berth_cohort *cohort) {
    static const char *const known[] = {"client", "duration_s", "samples"};
    berth__node list, samples;
    size_t n;
    if (!berth__node_member(r, root, "participants", BERTH__REQUIRED, &list) || !berth__node_array(r, &list, &n)) {
        return false;
    }
    berth_cohort_participant *all = BERTH__ARENA_ARRAY(r->arena, berth_cohort_participant, n);
    if (all == NULL) {
        return berth__reader_memory(r);
    }
    for (size_t k = 0; k < n; k++) {
        berth__node node = berth__node_element(&list, k);
        const char *client = NULL;
        all[k].duration_s = (double)NAN;
        if (!berth__node_is_object(r, &node) || !BERTH__ONLY_FIELDS(r, &node, known) ||
            !berth__read_text(r, &node, "client", BERTH__REQUIRED, &client) ||
            !berth__cohort_find_client(r, &node, names, client, &all[k].client) ||
            !berth__node_member(r, &node, "samples", BERTH__REQUIRED, &samples) ||
            !read_samples(r, &samples, names, &all[k])) {
            return false;
        }
        if (!berth__read_number(r, &node, "duration_s", BERTH__NULLABLE, &all[k].duration_s) && r->status != BERTH_OK) {
            return false;
        }
    }
    cohort->participants = all;
    cohort->n_participants = n;
    return true;
}

static bool read_certificate(berth__reader *r, const berth__node *root, const berth__cohort_names *names,
                             berth_cohort *cohort) {
    static const char *const known[] = {"deadline", "prices"};
    berth__node node, prices;
    if (!berth__node_member(r, root, "certificate", BERTH__NULLABLE, &node)) {
        return r->status == BERTH_OK;
    }
    uint64_t *whole = BERTH__ARENA_ARRAY(r->arena, uint64_t, names->data->n_categories);
    double *values = BERTH__ARENA_ARRAY(r->arena, double, names->data->n_categories);
    if (whole == NULL || values == NULL) {
        return berth__reader_memory(r);
    }
    cohort->certificate_deadline_s = (double)INFINITY;
    if (!berth__node_is_object(r, &node) || !BERTH__ONLY_FIELDS(r, &node, known) ||
        !(berth__read_number(r, &node, "deadline", BERTH__NULLABLE, &cohort->certificate_deadline_s) ||
          r->status == BERTH_OK) ||
        !berth__node_member(r, &node, "prices", BERTH__REQUIRED, &prices) ||
        !berth__cohort_read_counts(r, &prices, names, whole)) {
        return false;
    }
    for (size_t c = 0; c < names->data->n_categories; c++) {
        values[c] = (double)whole[c];
        if (whole[c] > (uint64_t)1 << 53) {
            return berth__node_fail(r, &prices, BERTH_E_INPUT, "a price is above 2^53");
        }
    }
    cohort->prices = values;
    return true;
}

static bool read_words(berth__reader *r, const berth__node *root, berth_cohort *cohort) {
    static const char *const outcomes[] = {
#define OUTCOME_TEXT(name, value, text) #name,
        BERTH_OUTCOME_TABLE(OUTCOME_TEXT)
#undef OUTCOME_TEXT
    };
    static const char *const reasons[] = {
#define REASON_TEXT(name, value, text) text,
        BERTH_COHORT_REASON_TABLE(REASON_TEXT)
#undef REASON_TEXT
    };
    size_t outcome = BERTH_FEASIBLE, reason = 0, objective = 0;
    cohort->solver = "external";
    bool good = (berth__read_string(r, root, "solver", BERTH__OPTIONAL, &cohort->solver) || r->status == BERTH_OK) &&
                (berth__read_bool(r, root, "stopped", BERTH__NULLABLE, &cohort->stopped) || r->status == BERTH_OK) &&
                berth__cohort_read_word(r, root, "outcome", outcomes, sizeof outcomes / sizeof *outcomes, &outcome) &&
                berth__cohort_read_word(r, root, "reason", reasons, sizeof reasons / sizeof *reasons, &reason) &&
                berth__cohort_read_word(r, root, "objective", berth__cohort_objectives, 2, &objective);
    cohort->outcome = (berth_outcome)outcome;
    cohort->reason = (berth_cohort_reason)reason;
    cohort->objective = (berth_cohort_objective)objective;
    return good;
}

static bool read_figures(berth__reader *r, const berth__node *root, berth_cohort *cohort) {
    const struct {
        const char *key;
        double *to;
    } numbers[] = {{"duration_s", &cohort->duration_s},
                   {"bound_s", &cohort->bound_s},
                   {"search_bound_s", &cohort->search_bound_s},
                   {"ratio", &cohort->ratio},
                   {"enough_deadline_s", &cohort->enough_deadline_s}};
    const struct {
        const char *key;
        size_t *to;
    } sizes[] = {{"participants_bound", &cohort->participants_bound},
                 {"search_participants", &cohort->search_participants},
                 {"enough_budget", &cohort->enough_budget}};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        *numbers[k].to = (double)NAN;
        if (!berth__read_number(r, root, numbers[k].key, BERTH__NULLABLE, numbers[k].to) && r->status != BERTH_OK) {
            return false;
        }
    }
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        if (!berth__read_size(r, root, sizes[k].key, BERTH__NULLABLE, sizes[k].to) && r->status != BERTH_OK) {
            return false;
        }
    }
    return true;
}

static bool read_counts(berth__reader *r, const berth__node *root, const char *key, const berth__cohort_names *names,
                        const uint64_t **out) {
    berth__node node;
    if (!berth__node_member(r, root, key, BERTH__NULLABLE, &node)) {
        return r->status == BERTH_OK;
    }
    uint64_t *counts = BERTH__ARENA_ARRAY(r->arena, uint64_t, names->data->n_categories);
    *out = counts;
    return counts != NULL ? berth__cohort_read_counts(r, &node, names, counts) : berth__reader_memory(r);
}

static bool read_cohort(berth__reader *r, const berth__node *root, const berth__cohort_names *names, void *object) {
    berth_cohort *cohort = object;
    static const char *const known[] = {"format",
                                        "solver",
                                        "objective",
                                        "outcome",
                                        "stopped",
                                        "requests",
                                        "duration_s",
                                        "bound_s",
                                        "search_bound_s",
                                        "participants_bound",
                                        "search_participants",
                                        "ratio",
                                        "reason",
                                        "missing",
                                        "enough_deadline_s",
                                        "enough_budget",
                                        "certificate",
                                        "participants",
                                        "versions"};
    cohort->n_clients = names->data->n_clients;
    cohort->n_categories = names->data->n_categories;
    cohort->certificate_deadline_s = (double)NAN;
    return berth__read_format(r, root, format_name) && BERTH__ONLY_FIELDS(r, root, known) &&
           read_words(r, root, cohort) && read_figures(r, root, cohort) &&
           read_counts(r, root, "requests", names, &cohort->requests) &&
           read_counts(r, root, "missing", names, &cohort->missing) && read_certificate(r, root, names, cohort) &&
           read_participants(r, root, names, cohort);
}

berth_status berth_cohort_read(const char *path, const berth_cohort_data *data, berth_cohort **out,
                               berth_error *error) {
    void *object;
    berth__arena *arena = NULL;
    berth__error_clear(error);
    if (out == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "out", "out must not be NULL");
    }
    berth_status status =
        berth__cohort_read_file(path, data, sizeof(berth_cohort), read_cohort, &object, &arena, error);
    *out = object;
    if (status == BERTH_OK) {
        (*out)->memory = arena;
    }
    return status;
}
