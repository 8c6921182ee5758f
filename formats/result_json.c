#include "formats/result_json.h"

#include <errno.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void berth__write_crc32(berth__json_writer *w, const char *key, uint32_t crc32) {
    char digits[16];
    snprintf(digits, sizeof digits, "%08lx", (unsigned long)crc32);
    berth__json_string(w, key, digits);
}

bool berth__read_crc32(berth__reader *r, const berth__node *object, const char *key, berth__presence presence,
                       uint32_t *out) {
    const char *digits = NULL;
    if (!berth__read_string(r, object, key, presence, &digits)) {
        return false;
    }
    if (strlen(digits) != 8 || strspn(digits, "0123456789abcdefABCDEF") != 8) {
        return berth__member_fail(r, object, key, BERTH_E_INPUT, "expected eight hexadecimal digits");
    }
    *out = (uint32_t)strtoul(digits, NULL, 16);
    return true;
}

bool berth__read_uint64(berth__reader *r, const berth__node *object, const char *key, berth__presence presence,
                        uint64_t *out) {
    berth__node node;
    long long value = 0;
    if (!berth__node_member(r, object, key, presence, &node)) {
        return r->status == BERTH_OK;
    }
    const char *digits = json_string_value(node.value);
    if (digits != NULL) {
        errno = 0;
        *out = strtoull(digits, NULL, 10);
        bool good = digits[0] != '\0' && digits[strspn(digits, "0123456789")] == '\0' && errno == 0;
        return good ? true : berth__node_fail(r, &node, BERTH_E_INPUT, "expected a 64-bit number >= 0");
    }
    if (!berth__node_integer(r, &node, &value)) {
        return false;
    }
    *out = (uint64_t)value;
    return value >= 0 ? true : berth__node_fail(r, &node, BERTH_E_INPUT, "expected a 64-bit number >= 0");
}

bool berth__read_seed(berth__reader *r, const berth__node *root, berth__presence presence, uint64_t *out) {
    return berth__read_uint64(r, root, "seed", presence, out);
}

static bool is_scale(const char *text) {
    char *end;
    const double number = strtod(text, &end);
    return strcmp(text, "auto") == 0 || strcmp(text, "paper") == 0 ||
           (end != text && *end == '\0' && number > 0 && number <= DBL_MAX);
}

bool berth__read_rounding(berth__reader *r, const berth__node *options, const char **favour, const char **scale) {
    static const char *const sides[] = {"cover", "packing"};
    size_t side = 2;
    if (!berth__read_word(r, options, "favour", BERTH__NULLABLE, sides, 2, &side)) {
        return false;
    }
    *favour = side < 2 ? sides[side] : NULL;
    return !berth__read_text(r, options, "scale", BERTH__NULLABLE, scale)
               ? r->status == BERTH_OK
               : is_scale(*scale) ||
                     berth__member_fail(r, options, "scale", BERTH_E_INPUT,
                                        "unknown word '%.40s'; expected auto, paper or a number above 0", *scale);
}

void berth__write_versions(berth__json_writer *w, size_t n, const char *const *names, const char *const *numbers) {
    berth__json_object(w, "versions");
    for (size_t k = 0; k < n; k++) {
        berth__json_string(w, names[k], numbers[k]);
    }
    berth__json_close(w);
}

bool berth__read_versions(berth__reader *r, const berth__node *root, size_t *n, const char *const **names,
                          const char *const **numbers) {
    berth__node node;
    if (!berth__node_member(r, root, "versions", BERTH__NULLABLE, &node) || !berth__node_is_object(r, &node)) {
        return r->status == BERTH_OK;
    }
    size_t size = json_object_size(node.value), k = 0;
    const char **own_names = BERTH__ARENA_ARRAY(r->arena, const char *, size);
    const char **own_numbers = BERTH__ARENA_ARRAY(r->arena, const char *, size);
    if (own_names == NULL || own_numbers == NULL) {
        return berth__reader_memory(r);
    }
    for (void *at = json_object_iter(node.value); at != NULL; at = json_object_iter_next(node.value, at), k++) {
        own_names[k] = berth__arena_strdup(r->arena, json_object_iter_key(at));
        if (own_names[k] == NULL) {
            return berth__reader_memory(r);
        }
        if (!berth__read_text(r, &node, own_names[k], BERTH__REQUIRED, &own_numbers[k])) {
            return false;
        }
    }
    *names = own_names;
    *numbers = own_numbers;
    *n = size;
    return true;
}
