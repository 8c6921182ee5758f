/* What is asked of a cohort, berth-cohort-request-1. */
#include <berth_cohort.h>

#include <math.h>

#include "formats/cohort_names.h"
#include "formats/json_write.h"
#include "formulations/cohort/problem.h"

static const char format_name[] = "berth-cohort-request-1";
static const char *const match_names[] = {"at_least", "exact"};

/* ---- reading ---- */

/* A whole number >= 1, or null: 0. */
static bool read_limit(berth__reader *r, const berth__node *root, const char *key, uint64_t *out) {
    berth__node node;
    long long value;
    if (!berth__node_member(r, root, key, BERTH__NULLABLE, &node)) {
        return r->status == BERTH_OK;
    }
    if (!berth__node_integer(r, &node, &value)) {
        return false;
    }
    *out = (uint64_t)value;
    return value >= 1 || berth__node_fail(r, &node, BERTH_E_INPUT, "expected a whole number >= 1, or null for none");
}

typedef bool find_name(berth__reader *reader, const berth__node *node, const berth__cohort_names *names,
                       const char *name, size_t *out);

/* A list of names as indices. */
static bool read_names(berth__reader *r, const berth__node *node, const berth__cohort_names *names, find_name *find,
                       size_t *n, const size_t **out) {
    if (!berth__node_array(r, node, n)) {
        return false;
    }
    size_t *list = BERTH__ARENA_ARRAY(r->arena, size_t, *n);
    for (size_t k = 0; list != NULL && k < *n; k++) {
        const char *name;
        berth__node element = berth__node_element(node, k);
        if (!berth__node_string(r, &element, &name) || !find(r, &element, names, name, &list[k])) {
            return false;
        }
    }
    *out = list;
    return list != NULL || berth__reader_memory(r);
}

static bool check_total(berth__reader *r, const berth__node *node, size_t n, const uint64_t *requests) {
    double sum = 0;
    for (size_t c = 0; c < n; c++) {
        sum += (double)requests[c];
    }
    return sum <= BERTH__COHORT_MOST_REQUESTED ||
           berth__node_fail(r, node, BERTH_E_INPUT, "%.15g samples are requested; expected at most 2^50", sum);
}

static bool read_requests(berth__reader *r, const berth__node *root, const berth__cohort_names *names,
                          berth_cohort_request *q) {
    static const char *const keys[] = {"requests", "representative", "all"};
    berth__node node;
    int given = 0;
    for (int k = 0; k < 3; k++) {
        given += berth__node_member(r, root, keys[k], BERTH__NULLABLE, &node);
    }
    if (r->status == BERTH_OK && given != 1) {
        return berth__node_fail(r, root, BERTH_E_INPUT, "expected one of requests, representative and all");
    }
    if (berth__node_member(r, root, keys[0], BERTH__NULLABLE, &node)) {
        uint64_t *requests = BERTH__ARENA_ARRAY(r->arena, uint64_t, names->data->n_categories);
        q->requests = requests;
        return requests == NULL ? berth__reader_memory(r)
                                : berth__cohort_read_counts(r, &node, names, requests) &&
                                      check_total(r, &node, names->data->n_categories, requests);
    }
    if (berth__node_member(r, root, keys[2], BERTH__NULLABLE, &node)) {
        return read_names(r, &node, names, berth__cohort_find_category, &q->n_all, &q->all) &&
               (q->n_all > 0 || berth__node_fail(r, &node, BERTH_E_INPUT, "expected a category at least"));
    }
    return read_limit(r, root, keys[1], &q->representative) &&
           berth__node_member(r, root, keys[1], BERTH__NULLABLE, &node) && check_total(r, &node, 1, &q->representative);
}

static bool read_eligible(berth__reader *r, const berth__node *root, const berth__cohort_names *names,
                          berth_cohort_request *q) {
    berth__node node;
    if (!berth__node_member(r, root, "eligible", BERTH__NULLABLE, &node)) {
        return r->status == BERTH_OK;
    }
    q->choose_eligible = true;
    return read_names(r, &node, names, berth__cohort_find_client, &q->n_eligible, &q->eligible);
}

static bool read_numbers(berth__reader *r, const berth__node *root, berth_cohort_request *q) {
    uint64_t budget = 0;
    bool good = read_limit(r, root, "budget", &budget) && read_limit(r, root, "client_cap", &q->client_cap) &&
                (berth__read_number(r, root, "model_kbit", BERTH__OPTIONAL, &q->model_kbit) || r->status == BERTH_OK) &&
                (berth__read_number(r, root, "deadline_s", BERTH__NULLABLE, &q->deadline_s) || r->status == BERTH_OK) &&
                (berth__read_number(r, root, "slack", BERTH__OPTIONAL, &q->slack) || r->status == BERTH_OK);
    q->budget = (size_t)budget;
    if (good && !(q->model_kbit >= 0 && q->model_kbit <= BERTH__COHORT_MOST_SPEED)) {
        return berth__member_fail(r, root, "model_kbit", BERTH_E_INPUT, "is %g; expected a number from 0 to 1e15",
                                  q->model_kbit);
    }
    if (good && !(q->slack >= 0)) {
        return berth__member_fail(r, root, "slack", BERTH_E_INPUT, "expected a number >= 0");
    }
    return good && (q->deadline_s >= 0 ||
                    berth__member_fail(r, root, "deadline_s", BERTH_E_INPUT, "expected a number >= 0, or null"));
}

static bool read_all(berth__reader *r, const berth__node *root, const berth__cohort_names *names, void *object) {
    berth_cohort_request *q = object;
    static const char *const known[] = {"format",     "requests", "representative", "all",        "match", "budget",
                                        "client_cap", "eligible", "model_kbit",     "deadline_s", "slack", "objective"};
    size_t match = 0, objective = 0;
    berth_cohort_request_init(q);
    bool good = berth__read_format(r, root, format_name) && BERTH__ONLY_FIELDS(r, root, known) &&
                read_requests(r, root, names, q) && berth__cohort_read_word(r, root, "match", match_names, 2, &match) &&
                berth__cohort_read_word(r, root, "objective", berth__cohort_objectives, 2, &objective) &&
                read_numbers(r, root, q) && read_eligible(r, root, names, q);
    q->exact = match == 1;
    q->objective = (berth_cohort_objective)objective;
    return good;
}

berth_status berth_cohort_request_read(const char *path, const berth_cohort_data *data, berth_cohort_request **out,
                                       berth_error *error) {
    void *object;
    berth__arena *arena = NULL;
    berth__error_clear(error);
    if (out == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "out", "out must not be NULL");
    }
    berth_status status =
        berth__cohort_read_file(path, data, sizeof(berth_cohort_request), read_all, &object, &arena, error);
    *out = object;
    if (status == BERTH_OK) {
        (*out)->memory = arena;
    }
    return status;
}

void berth_cohort_request_free(berth_cohort_request *request) {
    if (request != NULL) {
        berth__arena_free(request->memory);
    }
}

/* ---- writing ---- */

static void write_limit(berth__json_writer *w, const char *key, uint64_t limit) {
    if (limit > 0) {
        berth__json_integer(w, key, (long long)limit);
    } else {
        berth__json_null(w, key);
    }
}

static void write_requests(berth__json_writer *w, const berth_cohort_request *q, const berth_cohort_data *data) {
    char name[32];
    if (q->requests != NULL) {
        berth__json_object(w, "requests");
        for (size_t c = 0; c < data->n_categories; c++) {
            if (q->requests[c] > 0) {
                berth__json_integer(w, berth__cohort_category_name(data, c, name), (long long)q->requests[c]);
            }
        }
        berth__json_close(w);
    } else if (q->n_all > 0) {
        berth__json_list(w, "all");
        for (size_t k = 0; k < q->n_all; k++) {
            berth__json_string(w, NULL, berth__cohort_category_name(data, q->all[k], name));
        }
        berth__json_close(w);
    } else {
        berth__json_integer(w, "representative", (long long)q->representative);
    }
}

berth_status berth_cohort_request_write(const berth_cohort_request *q, const berth_cohort_data *data, const char *path,
                                        berth_error *error) {
    berth__json_writer w;
    char name[32];
    berth__error_clear(error);
    if (q == NULL || data == NULL || path == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, NULL, "request, data and path must not be NULL");
    }
    berth__json_begin(&w);
    berth__json_object(&w, NULL);
    berth__json_string(&w, "format", format_name);
    write_requests(&w, q, data);
    berth__json_string(&w, "match", match_names[q->exact]);
    write_limit(&w, "budget", q->budget);
    write_limit(&w, "client_cap", q->client_cap);
    if (q->choose_eligible) {
        berth__json_list(&w, "eligible");
        for (size_t k = 0; k < q->n_eligible; k++) {
            berth__json_string(&w, NULL, berth__cohort_client_name(data, q->eligible[k], name));
        }
        berth__json_close(&w);
    } else {
        berth__json_null(&w, "eligible");
    }
    berth__json_number(&w, "model_kbit", q->model_kbit);
    berth__json_number(&w, "deadline_s", isfinite(q->deadline_s) ? q->deadline_s : (double)NAN);
    berth__json_number(&w, "slack", q->slack);
    berth__json_string(&w, "objective", berth__cohort_objectives[q->objective]);
    berth__json_close(&w);
    return berth__json_finish_file(&w, path, error);
}
