#include "formats/growing_names.h"

/* A table with room for twice as many. */
static bool enlarge(berth__growing_names *names) {
    berth__names larger = {0};
    size_t room = names->table_room > 0 ? 2 * names->table_room : 64;
    if (!berth__names_init(&larger, room)) {
        return false;
    }
    for (size_t k = 0; k < names->n; k++) {
        berth__names_add(&larger, names->names[k], k);
    }
    berth__names_free(&names->table);
    names->table = larger;
    names->table_room = room;
    return true;
}

bool berth__growing_names_add(berth__growing_names *names, const char *name, size_t *number, bool *is_new) {
    *number = names->n > 0 ? berth__names_find(&names->table, name) : BERTH__NO_NAME;
    *is_new = *number == BERTH__NO_NAME;
    if (!*is_new) {
        return true;
    }
    if (names->arena == NULL && (names->arena = berth__arena_new()) == NULL) {
        return false;
    }
    void *list = names->names;
    bool grown = berth__grow(&list, &names->capacity, names->n, sizeof *names->names);
    names->names = list;
    char *copy = grown ? berth__arena_strdup(names->arena, name) : NULL;
    if (copy == NULL || (names->n == names->table_room && !enlarge(names))) {
        return false;
    }
    names->names[names->n] = copy;
    berth__names_add(&names->table, copy, names->n);
    *number = names->n++;
    return true;
}

size_t berth__growing_names_find(const berth__growing_names *names, const char *name) {
    return names->n > 0 ? berth__names_find(&names->table, name) : BERTH__NO_NAME;
}

void berth__growing_names_free(berth__growing_names *names) {
    berth__names_free(&names->table);
    berth__free(names->names);
    berth__arena_free(names->arena);
    *names = (berth__growing_names){0};
}
