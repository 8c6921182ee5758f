#include "formulations/cohort/model.h"

#include <limits.h>
#include <math.h>

#include "base/error.h"

static berth_status add_columns(const berth__cohort_view *view, bool integers, berth__model *model,
                                berth_error *error) {
    berth_status status = BERTH_OK;
    for (size_t n = 0; status == BERTH_OK && n < view->n_clients; n++) {
        status = berth__model_add_col(model, NULL, 1, 0, 1, integers, NULL, error);
    }
    for (size_t e = 0; status == BERTH_OK && e < view->clients[view->n_clients].first; e++) {
        status = berth__model_add_col(model, NULL, 0, 0, view->entries[e].count, integers, NULL, error);
    }
    return status;
}

static berth_status add_rows(const berth__cohort_view *view, berth__model *model, berth_error *error) {
    size_t n_entries = view->clients[view->n_clients].first;
    berth_status status = BERTH_OK;
    for (size_t c = 0; status == BERTH_OK && c < view->n_categories; c++) {
        status = berth__model_add_row(model, NULL, view->need[c], (double)INFINITY, NULL, error);
    }
    for (size_t k = 0; status == BERTH_OK && k < n_entries + view->n_clients; k++) {
        status = berth__model_add_row(model, NULL, -(double)INFINITY, 0, NULL, error);
    }
    return status;
}

static berth_status add_client(const berth__cohort_view *view, size_t n, double deadline_s, berth__model *model,
                               berth_error *error) {
    const berth__cohort_client *client = &view->clients[n];
    int m = (int)view->n_categories, entries = (int)view->clients[view->n_clients].first;
    int y = (int)n, row = m + entries + (int)n;
    uint32_t room = berth__cohort_room(client, view->cap, deadline_s);
    berth_status status = berth__model_add_entry(model, row, y, -(double)room, error);
    for (size_t e = client->first; status == BERTH_OK && e < client[1].first; e++) {
        int x = (int)view->n_clients + (int)e;
        const int rows[] = {(int)view->entries[e].category, m + (int)e, row};
        for (int k = 0; status == BERTH_OK && k < 3; k++) {
            status = berth__model_add_entry(model, rows[k], x, 1, error);
        }
        status = status == BERTH_OK
                     ? berth__model_add_entry(model, m + (int)e, y, -(double)view->entries[e].count, error)
                     : status;
    }
    return status;
}

berth_status berth__cohort_model(const berth__cohort_view *view, double deadline_s, bool integers, berth__model **out,
                                 berth_error *error) {
    berth__model *model = NULL;
    *out = NULL;
    if (view->clients[view->n_clients].first + view->n_clients + view->n_categories > INT_MAX / 8) {
        return berth__fail(error, BERTH_E_UNSUPPORTED, "solver", "too large for an LP backend");
    }
    berth_status status = berth__model_new(&model, error);
    status = status == BERTH_OK ? add_columns(view, integers, model, error) : status;
    status = status == BERTH_OK ? add_rows(view, model, error) : status;
    for (size_t n = 0; status == BERTH_OK && n < view->n_clients; n++) {
        status = add_client(view, n, deadline_s, model, error);
    }
    status = status == BERTH_OK ? berth__model_finish(model, error) : status;
    if (status != BERTH_OK) {
        berth__model_free(model);
        return status;
    }
    *out = model;
    return BERTH_OK;
}
