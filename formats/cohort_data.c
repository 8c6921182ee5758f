#include "formats/cohort_data.h"

#include "base/error.h"

typedef struct owned {
    berth_cohort_data data;
    berth__arena *arena;
    berth__growing_names clients, categories;
} owned;

berth_status berth__cohort_data_adopt_names(const berth_cohort_data *view, berth__arena *arena,
                                            const berth__growing_names *clients, const berth__growing_names *categories,
                                            berth_cohort_data **out, berth_error *error) {
    owned *o = berth__calloc(1, sizeof *o);
    *out = NULL;
    if (o == NULL) {
        return berth__fail_memory(error);
    }
    *o = (owned){.data = *view, .arena = arena, .clients = *clients, .categories = *categories};
    o->data.memory = o;
    *out = &o->data;
    return BERTH_OK;
}

berth_status berth__cohort_data_adopt(const berth_cohort_data *view, berth__arena *arena, berth_cohort_data **out,
                                      berth_error *error) {
    const berth__growing_names none = {0};
    return berth__cohort_data_adopt_names(view, arena, &none, &none, out, error);
}

void berth_cohort_data_free(berth_cohort_data *data) {
    if (data != NULL) {
        owned *o = data->memory;
        berth__growing_names_free(&o->clients);
        berth__growing_names_free(&o->categories);
        berth__arena_free(o->arena);
        berth__free(o);
    }
}
