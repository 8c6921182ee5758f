#include "base/alloc.h"
#include "solver/solve.h"

#include <string.h>

struct berth_backends {
    const berth_backend **items;
    size_t n, capacity;
};

/* In order of preference, NULL-terminated. */
static const berth_backend *const built_in[] = {
#ifdef BERTH_WITH_CLP
    &berth__clp_backend,
#endif
    &berth__first_order_backend,
    NULL,
};

berth_status berth_backends_new(berth_backends **out) {
    if (out == NULL) {
        return BERTH_E_ARGUMENT;
    }
    *out = NULL;
    berth_backends *set = BERTH__NEW_ARRAY(berth_backends, 1);
    if (set == NULL) {
        return BERTH_E_MEMORY;
    }
    for (size_t i = 0; built_in[i] != NULL; i++) {
        berth_status status = berth_add_backend(set, built_in[i]);
        if (status != BERTH_OK) {
            berth_backends_free(set);
            return status;
        }
    }
    *out = set;
    return BERTH_OK;
}

void berth_backends_free(berth_backends *set) {
    if (set != NULL) {
        berth__free(set->items);
        berth__free(set);
    }
}

berth_status berth_add_backend(berth_backends *set, const berth_backend *backend) {
    if (set == NULL || backend == NULL) {
        return BERTH_E_ARGUMENT;
    }
    for (size_t i = 0; i < set->n; i++) {
        if (strcmp(set->items[i]->name, backend->name) == 0) {
            return BERTH_E_ARGUMENT;
        }
    }
    if (set->n == set->capacity) {
        size_t capacity = set->capacity == 0 ? 4 : 2 * set->capacity;
        const berth_backend **grown = berth__realloc(set->items, capacity, sizeof *grown);
        if (grown == NULL) {
            return BERTH_E_MEMORY;
        }
        set->items = grown;
        set->capacity = capacity;
    }
    set->items[set->n++] = backend;
    return BERTH_OK;
}

size_t berth_backends_count(const berth_backends *set) {
    return set == NULL ? 0 : set->n;
}

const char *berth_backends_name(const berth_backends *set, size_t index) {
    return index < berth_backends_count(set) ? set->items[index]->name : NULL;
}

const char *berth_backends_version(const berth_backends *set, size_t index) {
    return index < berth_backends_count(set) ? set->items[index]->version() : NULL;
}

bool berth_backends_exact(const berth_backends *set, size_t index) {
    return index < berth_backends_count(set) && (set->items[index]->abilities & BERTH__BACKEND_LP) != 0;
}

const berth_backend *berth__backend_at(const berth_backends *set, size_t index) {
    if (set != NULL) {
        return index < set->n ? set->items[index] : NULL;
    }
    return index < sizeof built_in / sizeof *built_in ? built_in[index] : NULL;
}

const berth_backend *berth__backend_find(const berth_backends *set, const char *name, unsigned abilities) {
    bool any = name == NULL || strcmp(name, "auto") == 0;
    const berth_backend *backend;
    for (size_t i = 0; (backend = berth__backend_at(set, i)) != NULL; i++) {
        if ((backend->abilities & abilities) == abilities && (any || strcmp(backend->name, name) == 0)) {
            return backend;
        }
    }
    return NULL;
}

const berth_backend *berth__backend_other(const berth_backends *set, const berth_backend *used, unsigned abilities) {
    const berth_backend *backend;
    for (size_t i = 0; (backend = berth__backend_at(set, i)) != NULL; i++) {
        if ((backend->abilities & abilities) == abilities && backend != used) {
            return backend;
        }
    }
    return NULL;
}
