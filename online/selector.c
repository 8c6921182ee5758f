/* Clients of a selector: they register, report, and can be looked at. */
#include "online/selector.h"

#include <math.h>

#include "base/error.h"

void berth_selector_options_init(berth_selector_options *options) {
    *options = (berth_selector_options){.struct_size = sizeof *options,
                                        .seed = 1,
                                        .exploration = 0.9,
                                        .exploration_decay = 0.98,
                                        .exploration_min = 0.2,
                                        .alpha = 2,
                                        .clip = 0.95,
                                        .cut_off = 0.95,
                                        .overcommit = 1.3,
                                        .blacklist_rounds = 10,
                                        .fairness = 0,
                                        .percentile = 30,
                                        .pacer_delta = 5,
                                        .pacer_step = 20};
}

berth_status berth__selector_check_options(const berth_selector_options *o, berth_error *error) {
    const struct {
        const char *name;
        double value, min, max;
    } numbers[] = {{"exploration", o->exploration, 0, 1},
                   {"exploration_decay", o->exploration_decay, 0, 1},
                   {"exploration_min", o->exploration_min, 0, 1},
                   {"alpha", o->alpha, 0, 1000},
                   {"clip", o->clip, 0, 1},
                   {"cut_off", o->cut_off, 0, 1},
                   {"overcommit", o->overcommit, 1, 1e6},
                   {"fairness", o->fairness, 0, 1},
                   {"percentile", o->percentile, 0, 100},
                   {"pacer_delta", o->pacer_delta, 0, 100}};
    if (o->struct_size != sizeof *o) {
        return berth__fail(error, BERTH_E_ARGUMENT, "options",
                           "not initialised: call berth_selector_options_init first");
    }
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        if (!(numbers[k].value >= numbers[k].min && numbers[k].value <= numbers[k].max)) {
            return berth__fail(error, BERTH_E_ARGUMENT, numbers[k].name, "%s is %g; expected a number from %g to %g",
                               numbers[k].name, numbers[k].value, numbers[k].min, numbers[k].max);
        }
    }
    return BERTH_OK;
}

berth_status berth_selector_new(const berth_selector_options *options, berth_selector **out, berth_error *error) {
    berth_selector_options defaults;
    berth__error_clear(error);
    if (out == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "out", "out must not be NULL");
    }
    *out = NULL;
    berth_selector_options_init(&defaults);
    options = options != NULL ? options : &defaults;
    berth_status status = berth__selector_check_options(options, error);
    if (status != BERTH_OK) {
        return status;
    }
    berth_selector *s = BERTH__NEW_ARRAY(berth_selector, 1);
    berth__arena *arena = berth__arena_new();
    if (s == NULL || arena == NULL) {
        berth__free(s);
        berth__arena_free(arena);
        return berth__fail_memory(error);
    }
    *s = (berth_selector){
        .options = *options, .arena = arena, .exploration = options->exploration, .percentile = options->percentile};
    *out = s;
    return BERTH_OK;
}

void berth_selector_free(berth_selector *selector) {
    if (selector != NULL) {
        berth__free(selector->clients);
        berth__arena_free(selector->arena);
        berth__free(selector);
    }
}

/* ---- events ----------------------------------------------------------------------------------------------------- */

bool berth__selector_is_duration(double declared_s) {
    return isnan(declared_s) || (declared_s > 0 && isfinite(declared_s));
}

static berth_status check_declared(double declared_s, berth_error *error) {
    return berth__selector_is_duration(declared_s)
               ? BERTH_OK
               : berth__fail(error, BERTH_E_ARGUMENT, "declared_s",
                             "declared_s is %g; expected a number > 0, or NAN for unknown", declared_s);
}

static berth_status check_client(const berth_selector *s, size_t client, berth_error *error) {
    return s != NULL && client < s->n_clients
               ? BERTH_OK
               : berth__fail(error, BERTH_E_ARGUMENT, "client", "there is no client %zu; %zu have registered", client,
                             s != NULL ? s->n_clients : 0);
}

berth_status berth_selector_register(berth_selector *s, const char *id, double declared_s, size_t *client,
                                     berth_error *error) {
    berth__error_clear(error);
    if (s == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "selector", "selector must not be NULL");
    }
    berth_status status = check_declared(declared_s, error);
    if (status != BERTH_OK) {
        return status;
    }
    void *list = s->clients;
    bool grown = berth__grow(&list, &s->capacity, s->n_clients, sizeof *s->clients);
    s->clients = list;
    const char *copy = grown && id != NULL ? berth__arena_strdup(s->arena, id) : NULL;
    if (!grown || (id != NULL && copy == NULL)) {
        return berth__fail_memory(error);
    }
    s->clients[s->n_clients] = (berth__selector_client){
        .id = copy, .declared_s = declared_s, .utility = (double)NAN, .duration_s = (double)NAN};
    if (client != NULL) {
        *client = s->n_clients;
    }
    s->n_clients++;
    return BERTH_OK;
}

berth_status berth_selector_declare(berth_selector *s, size_t client, double declared_s, berth_error *error) {
    berth__error_clear(error);
    berth_status status = check_client(s, client, error);
    status = status == BERTH_OK ? check_declared(declared_s, error) : status;
    if (status == BERTH_OK) {
        s->clients[client].declared_s = declared_s;
    }
    return status;
}

static berth_status check_result(const berth_selector_result *r, berth_error *error) {
    if (r == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "result", "result must not be NULL");
    }
    if (!(r->mean_squared_loss >= 0 && isfinite(r->mean_squared_loss))) {
        return berth__fail(error, BERTH_E_ARGUMENT, "mean_squared_loss",
                           "mean_squared_loss is %g; expected a number >= 0", r->mean_squared_loss);
    }
    if (!(r->duration_s > 0 && isfinite(r->duration_s))) {
        return berth__fail(error, BERTH_E_ARGUMENT, "duration_s", "duration_s is %g; expected a number > 0",
                           r->duration_s);
    }
    return BERTH_OK;
}

berth_status berth_selector_report(berth_selector *s, size_t client, const berth_selector_result *result,
                                   berth_error *error) {
    berth__error_clear(error);
    berth_status status = check_client(s, client, error);
    status = status == BERTH_OK ? check_result(result, error) : status;
    if (status != BERTH_OK) {
        return status;
    }
    berth__selector_client *c = &s->clients[client];
    c->utility = (double)result->samples * sqrt(result->mean_squared_loss);
    c->duration_s = result->duration_s;
    c->last_round = s->round > 0 ? s->round : 1;
    s->utility[0] += c->utility;
    return BERTH_OK;
}

/* ---- what there is ---------------------------------------------------------------------------------------------- */

void berth_selector_present(const berth_selector *s, berth_selector_state *out) {
    *out = (berth_selector_state){.round = (size_t)s->round,
                                  .n_clients = s->n_clients,
                                  .exploration = s->exploration,
                                  .percentile = s->percentile,
                                  .utility = {s->utility[0], s->utility[1]}};
    for (size_t k = 0; k < s->n_clients; k++) {
        out->n_reported += s->clients[k].last_round > 0;
        out->n_blacklisted += berth__selector_is_blacklisted(s, &s->clients[k]);
    }
}

berth_status berth_selector_present_client(const berth_selector *s, size_t client, berth_selector_client *out,
                                           berth_error *error) {
    berth__error_clear(error);
    berth_status status = check_client(s, client, error);
    if (status != BERTH_OK) {
        return status;
    }
    const berth__selector_client *c = &s->clients[client];
    *out = (berth_selector_client){.id = c->id,
                                   .declared_s = c->declared_s,
                                   .utility = c->utility,
                                   .duration_s = c->duration_s,
                                   .last_round = (size_t)c->last_round,
                                   .selections = (size_t)c->selections,
                                   .blacklisted = berth__selector_is_blacklisted(s, c)};
    return BERTH_OK;
}
