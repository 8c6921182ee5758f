#include "formats/names.h"

#include "base/alloc.h"

#include <string.h>

bool berth__names_init(berth__names *names, size_t n) {
    size_t entries = 16;
    while (entries / 2 < n) {
        entries *= 2;
    }
    names->mask = entries - 1;
    names->keys = BERTH__NEW_ARRAY(const char *, entries);
    names->indices = BERTH__NEW_ARRAY(size_t, entries);
    if (names->keys == NULL || names->indices == NULL) {
        berth__names_free(names);
        return false;
    }
    return true;
}

void berth__names_free(berth__names *names) {
    berth__free(names->keys);
    berth__free(names->indices);
    *names = (berth__names){0};
}

/* FNV-1a, 64 bits; the upper half is folded in because the table takes the low bits. */
static size_t hash_of(const char *key) {
    uint64_t hash = 14695981039346656037u;
    for (; *key != '\0'; key++) {
        hash = (hash ^ (unsigned char)*key) * 1099511628211u;
    }
    return (size_t)(hash ^ (hash >> 32));
}

static size_t entry_of(const berth__names *names, const char *key) {
    size_t entry = hash_of(key) & names->mask;
    while (names->keys[entry] != NULL && strcmp(names->keys[entry], key) != 0) {
        entry = (entry + 1) & names->mask;
    }
    return entry;
}

size_t berth__names_add(berth__names *names, const char *key, size_t index) {
    size_t entry = entry_of(names, key);
    if (names->keys[entry] != NULL) {
        return names->indices[entry];
    }
    names->keys[entry] = key;
    names->indices[entry] = index;
    return BERTH__NO_NAME;
}

size_t berth__names_find(const berth__names *names, const char *key) {
    size_t entry = entry_of(names, key);
    return names->keys[entry] == NULL ? BERTH__NO_NAME : names->indices[entry];
}

enum { LONGEST_WORD = 40 };

/* Insertions, deletions, substitutions and swaps of neighbours that turn a into b. */
static size_t edit_distance(const char *a, size_t n_a, const char *b, size_t n_b) {
    size_t before[LONGEST_WORD + 1], last[LONGEST_WORD + 1], row[LONGEST_WORD + 1];
    for (size_t j = 0; j <= n_b; j++) {
        last[j] = before[j] = j;
    }
    for (size_t i = 1; i <= n_a; i++) {
        row[0] = i;
        for (size_t j = 1; j <= n_b; j++) {
            size_t best = last[j - 1] + (a[i - 1] != b[j - 1]);
            best = last[j] + 1 < best ? last[j] + 1 : best;
            best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
            bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            row[j] = swapped && before[j - 2] + 1 < best ? before[j - 2] + 1 : best;
        }
        memcpy(before, last, sizeof last);
        memcpy(last, row, (n_b + 1) * sizeof *row);
    }
    return last[n_b];
}

const char *berth__nearest_name(const char *word, const char *const *known, size_t n_known) {
    size_t length = strlen(word);
    const char *nearest = NULL;
    /* Farther than this is another word: one letter changes "cpu" into "gpu". */
    size_t least = length <= 3 ? 0 : length <= 6 ? 1 : 2;
    for (size_t k = 0; k < n_known && length <= LONGEST_WORD; k++) {
        size_t n = strlen(known[k]);
        size_t distance = n <= LONGEST_WORD ? edit_distance(word, length, known[k], n) : LONGEST_WORD;
        if (distance < least || (distance == least && nearest == NULL)) {
            least = distance;
            nearest = known[k];
        }
    }
    return nearest;
}
