#include "formats/throughputs_json.h"

#include <stdlib.h>
#include <string.h>

#include "base/numeric.h"
#include "formats/json_read.h"

/* "('A', 2)" or "(\"A\", 2)" into a copy of A (NULL: out of memory) and 2; false: it is not that. */
static bool parse_key(const char *key, char **job_type, int *gpus) {
    const bool is_tuple = key[0] == '(' && (key[1] == '\'' || key[1] == '"');
    const char *end = is_tuple ? strrchr(key, key[1]) : NULL;
    if (end == NULL || end < key + 2 || strncmp(end + 1, ", ", 2) != 0) {
        return false;
    }
    char *rest = NULL;
    long n = strtol(end + 3, &rest, 10);
    if (rest == end + 3 || strcmp(rest, ")") != 0 || n < 1 || n > 1000000) {
        return false;
    }
    size_t length = (size_t)(end - (key + 2));
    *gpus = (int)n;
    *job_type = berth__calloc(length + 1, 1);
    if (*job_type != NULL) {
        memcpy(*job_type, key + 2, length);
    }
    return true;
}

static int by_type(const void *a, const void *b) {
    const berth__throughput *x = a, *y = b;
    int order = strcmp(x->job_type, y->job_type);
    return order != 0 ? order : x->gpus - y->gpus;
}

static bool read_entry(berth__reader *reader, const berth__node *entry, berth__throughput *out) {
    if (!parse_key(entry->key, &out->job_type, &out->gpus)) {
        return berth__node_fail(reader, entry, BERTH_E_INPUT,
                                "the key is not like \"('ResNet-18 (batch size 16)', 1)\"");
    }
    if (out->job_type == NULL) {
        return berth__reader_memory(reader);
    }
    if (!berth__node_is_object(reader, entry) ||
        !berth__read_number(reader, entry, "null", BERTH__REQUIRED, &out->steps_per_s)) {
        return false;
    }
    return out->steps_per_s >= 0 ||
           berth__member_fail(reader, entry, "null", BERTH_E_INPUT, "expected steps per second, at least 0");
}

static void read_entries(berth__reader *reader, const berth__node *gpu, berth__throughputs *out) {
    if (!berth__node_is_object(reader, gpu)) {
        return;
    }
    out->list = BERTH__NEW_ARRAY(berth__throughput, json_object_size(gpu->value));
    if (out->list == NULL) {
        berth__reader_memory(reader);
        return;
    }
    const char *key;
    json_t *value;
    json_object_foreach(gpu->value, key, value) {
        const berth__node entry = {.value = value, .parent = gpu, .key = key};
        out->n++;
        if (!read_entry(reader, &entry, &out->list[out->n - 1])) {
            return;
        }
    }
}

berth_status berth__throughputs_read(const char *path, const char *gpu_type, berth__throughputs *out,
                                     berth_error *error) {
    *out = (berth__throughputs){.n = 0};
    json_t *root = NULL;
    berth_status status = berth__json_read_file(path, &root, error);
    if (status != BERTH_OK) {
        return status;
    }
    berth__reader reader = {.error = error};
    const berth__node top = berth__node_root(root);
    berth__node gpu;
    if (berth__node_member(&reader, &top, gpu_type, BERTH__REQUIRED, &gpu)) {
        read_entries(&reader, &gpu, out);
    }
    json_decref(root);
    if (reader.status == BERTH_OK && out->n > 0) {
        qsort(out->list, out->n, sizeof *out->list, by_type);
    }
    return berth__error_in_file(error, reader.status, path);
}

void berth__throughputs_clear(berth__throughputs *throughputs) {
    for (size_t i = 0; i < throughputs->n; i++) {
        berth__free(throughputs->list[i].job_type);
    }
    berth__free(throughputs->list);
    *throughputs = (berth__throughputs){.n = 0};
}
