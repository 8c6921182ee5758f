#include "formats/problem_names.h"

#include "formulations/general/defaults.h"

bool berth__unique_names_init(berth__unique_names *names, const berth_problem *problem) {
    *names = (berth__unique_names){.arena = berth__arena_new()};
    if (names->arena == NULL || !berth__names_init(&names->taken, 4 * problem->n_rows + problem->n_vars + 1)) {
        return false;
    }
    for (size_t i = 0; i < problem->n_rows; i++) {
        char buffer[BERTH__NAME_ROOM];
        const char *name = berth__row_name(problem, i, buffer);
        name = name == buffer ? berth__arena_strdup(names->arena, name) : name;
        if (name == NULL) {
            return false;
        }
        berth__names_add(&names->taken, name, i);
    }
    return true;
}

void berth__unique_names_free(berth__unique_names *names) {
    berth__arena_free(names->arena);
    berth__names_free(&names->taken);
}

const char *berth__unique_name(berth__unique_names *names, const char *name, const char *suffix) {
    const char *made = berth__arena_printf(names->arena, "%s%s", name, suffix);
    while (made != NULL && berth__names_find(&names->taken, made) != BERTH__NO_NAME) {
        made = berth__arena_printf(names->arena, "%s_", made);
    }
    if (made != NULL) {
        berth__names_add(&names->taken, made, 0);
    }
    return made;
}
