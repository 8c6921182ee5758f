/* Dual prices of a run, inside a result or as berth-certificate-1. */
#include "formats/run_json.h"

#include "base/numeric.h"
#include "formats/result_json.h"

#include <string.h>

/* ---- which instance ---- */

void berth__write_instance_of(berth__json_writer *w, const char *name, uint32_t crc32) {
    berth__json_string(w, "instance", name);
    berth__write_crc32(w, "instance_crc32", crc32);
}

bool berth__read_instance_of(berth__reader *r, const berth__node *root, const berth_instance *instance,
                             berth__presence crc32_presence, const char **name, uint32_t *crc32) {
    if (!berth__read_string(r, root, "instance", BERTH__REQUIRED, name)) {
        return false;
    }
    if (strcmp(*name, instance->name) != 0) {
        return berth__member_fail(r, root, "instance", BERTH_E_MISMATCH,
                                  "this belongs to instance \"%.60s\", not to \"%.60s\"", *name, instance->name);
    }
    *crc32 = instance->crc32;
    if (!berth__read_crc32(r, root, "instance_crc32", crc32_presence, crc32)) {
        return r->status == BERTH_OK;
    }
    if (*crc32 != instance->crc32) {
        return berth__member_fail(r, root, "instance_crc32", BERTH_E_MISMATCH,
                                  "made from another state of instance \"%.60s\": its crc32 was %08lx and is %08lx now",
                                  *name, (unsigned long)*crc32, (unsigned long)instance->crc32);
    }
    return true;
}

/* ---- writing ---- */

size_t berth__certificate_numbers(const berth_certificate *certificate, const berth_instance *instance) {
    return (size_t)instance->horizon_slots * certificate->n_classes * instance->n_resources;
}

static void write_classes(berth__json_writer *w, const berth_certificate *certificate, const berth_instance *instance,
                          const size_t *first, const size_t *next) {
    berth__json_list(w, "classes");
    for (size_t c = 0; c < certificate->n_classes; c++) {
        berth__json_list(w, NULL);
        for (size_t h = first[c]; h < instance->n_machines; h = next[h]) {
            berth__json_string(w, NULL, instance->machines[h]);
        }
        berth__json_close(w);
    }
    berth__json_close(w);
}

void berth__write_certificate(berth__json_writer *w, const berth_certificate *certificate,
                              const berth_instance *instance) {
    size_t n_classes = certificate->n_classes, n_machines = instance->n_machines;
    /* The machines of each class as chains, so that writing is linear also with as many classes as machines. */
    size_t *first = BERTH__NEW_ARRAY(size_t, n_classes);
    size_t *next = BERTH__NEW_ARRAY(size_t, n_machines);
    if (first == NULL || next == NULL) {
        w->status = w->status == BERTH_OK ? BERTH_E_MEMORY : w->status;
        goto done;
    }
    for (size_t c = 0; c < n_classes; c++) {
        first[c] = n_machines;
    }
    for (size_t h = n_machines; h-- > 0;) {
        size_t c = (size_t)certificate->class_of_machine[h];
        next[h] = first[c];
        first[c] = h;
    }
    write_classes(w, certificate, instance, first, next);
    const double *prices = certificate->prices;
    berth__json_list(w, "prices");
    for (int slot = 0; slot < instance->horizon_slots; slot++) {
        berth__json_list(w, NULL);
        for (size_t c = 0; c < n_classes; c++, prices += instance->n_resources) {
            berth__json_amounts(w, NULL, instance->n_resources, instance->resources, prices, berth__json_skip_zero);
        }
        berth__json_close(w);
    }
    berth__json_close(w);
done:
    berth__free(first);
    berth__free(next);
}

berth_status berth__write_certificate_file(const berth_certificate *certificate, const berth_instance *instance,
                                           const char *path, berth_error *error) {
    berth__json_writer w;
    berth__json_begin(&w);
    berth__json_object(&w, NULL);
    berth__json_string(&w, "format", "berth-certificate-1");
    berth__write_instance_of(&w, instance->name, instance->crc32);
    berth__write_certificate(&w, certificate, instance);
    berth__json_close(&w);
    return berth__json_finish_file(&w, path, error);
}

/* ---- reading ---- */

bool berth__machine_names(const berth_instance *instance, berth__names *out) {
    if (!berth__names_init(out, instance->n_machines)) {
        return false;
    }
    for (size_t h = 0; h < instance->n_machines; h++) {
        berth__names_add(out, instance->machines[h], h);
    }
    return true;
}

static bool read_class(berth__reader *r, const berth__node *list, const berth__names *machines, int *class_of) {
    size_t n = 0;
    if (!berth__node_array(r, list, &n)) {
        return false;
    }
    for (size_t k = 0; k < n; k++) {
        berth__node item = berth__node_element(list, k);
        const char *name = json_string_value(item.value);
        size_t machine = name == NULL ? BERTH__NO_NAME : berth__names_find(machines, name);
        if (machine == BERTH__NO_NAME) {
            return berth__node_fail(r, &item, BERTH_E_INPUT, "expected the name of a machine of the instance");
        }
        if (class_of[machine] >= 0) {
            return berth__node_fail(r, &item, BERTH_E_INPUT, "machine \"%.60s\" is in two classes", name);
        }
        class_of[machine] = (int)list->index;
    }
    return true;
}

static const int *read_classes(berth__reader *r, const berth__node *list, const berth_instance *instance,
                               const berth__names *machines, size_t n_classes) {
    int *class_of = BERTH__ARENA_ARRAY(r->arena, int, instance->n_machines);
    if (class_of == NULL) {
        berth__reader_memory(r);
        return NULL;
    }
    for (size_t h = 0; h < instance->n_machines; h++) {
        class_of[h] = -1;
    }
    for (size_t c = 0; c < n_classes; c++) {
        berth__node item = berth__node_element(list, c);
        if (!read_class(r, &item, machines, class_of)) {
            return NULL;
        }
    }
    for (size_t h = 0; h < instance->n_machines; h++) {
        if (class_of[h] < 0) {
            berth__node_fail(r, list, BERTH_E_INPUT, "machine \"%.60s\" is in no class", instance->machines[h]);
            return NULL;
        }
    }
    return class_of;
}

static bool is_list_of(berth__reader *r, const berth__node *node, size_t expected, const char *what) {
    size_t n = 0;
    if (!berth__node_array(r, node, &n)) {
        return false;
    }
    return n == expected
               ? true
               : berth__node_fail(r, node, BERTH_E_INPUT, "expected as many elements as there are %s, %zu; found %zu",
                                  what, expected, n);
}

static const double *read_prices(berth__reader *r, const berth__node *list, const berth_instance *instance,
                                 size_t n_classes) {
    size_t horizon = (size_t)instance->horizon_slots, n_resources = instance->n_resources;
    if (!is_list_of(r, list, horizon, "slots")) {
        return NULL;
    }
    /* Before there is room for the prices: the file's own size bounds what its claims can make us allocate. */
    for (size_t slot = 0; slot < horizon; slot++) {
        berth__node row = berth__node_element(list, slot);
        if (!is_list_of(r, &row, n_classes, "classes")) {
            return NULL;
        }
    }
    double *prices = BERTH__ARENA_ARRAY(r->arena, double, horizon *n_classes *n_resources);
    if (prices == NULL) {
        berth__reader_memory(r);
        return NULL;
    }
    for (size_t at = 0; at < horizon * n_classes; at++) {
        berth__node row = berth__node_element(list, at / n_classes), item = berth__node_element(&row, at % n_classes);
        if (!berth__node_amounts(r, &item, "resource", n_resources, instance->resources, false,
                                 prices + at * n_resources)) {
            return NULL;
        }
    }
    return prices;
}

bool berth__read_certificate(berth__reader *r, const berth__node *object, const berth_instance *instance,
                             const berth__names *machines, berth_certificate **out) {
    berth__node classes, prices;
    size_t n_classes = 0;
    if (!berth__node_member(r, object, "classes", BERTH__REQUIRED, &classes) ||
        !berth__node_array(r, &classes, &n_classes) ||
        !berth__node_member(r, object, "prices", BERTH__REQUIRED, &prices)) {
        return false;
    }
    berth_certificate *certificate = BERTH__ARENA_ARRAY(r->arena, berth_certificate, 1);
    if (certificate == NULL) {
        return berth__reader_memory(r);
    }
    certificate->n_classes = n_classes;
    certificate->class_of_machine = read_classes(r, &classes, instance, machines, n_classes);
    certificate->prices = r->status != BERTH_OK ? NULL : read_prices(r, &prices, instance, n_classes);
    *out = certificate;
    return r->status == BERTH_OK;
}

static bool read_certificate_root(berth__reader *r, const berth__node *root, const berth_instance *instance,
                                  berth_certificate **out) {
    static const char *const fields[] = {"format", "instance", "instance_crc32", "classes", "prices"};
    const char *name = NULL;
    uint32_t crc32 = 0;
    berth__names machines = {0};
    if (!berth__read_format(r, root, "berth-certificate-1") || !BERTH__ONLY_FIELDS(r, root, fields) ||
        !berth__read_instance_of(r, root, instance, BERTH__REQUIRED, &name, &crc32)) {
        return false;
    }
    bool read = berth__machine_names(instance, &machines) ? berth__read_certificate(r, root, instance, &machines, out)
                                                          : berth__reader_memory(r);
    berth__names_free(&machines);
    return read;
}

berth_status berth_run_read_certificate(berth_run *run, const berth_instance *instance, const char *path,
                                        berth_error *error) {
    berth__error_clear(error);
    if (run == NULL || instance == NULL || path == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT,
                           run == NULL        ? "run"
                           : instance == NULL ? "instance"
                                              : "path",
                           "must not be NULL");
    }
    berth__c_locale locale;
    json_t *document = NULL;
    if (!berth__c_locale_enter(&locale)) {
        return berth__fail_memory(error);
    }
    berth__reader r = {.arena = run->memory, .error = error};
    r.status = berth__json_read_file(path, &document, error);
    if (r.status == BERTH_OK) {
        berth__node root = berth__node_root(document);
        berth_certificate *certificate = NULL;
        if (read_certificate_root(&r, &root, instance, &certificate)) {
            run->certificate = certificate;
        }
    }
    json_decref(document);
    berth__c_locale_leave(&locale);
    return r.status;
}
