#include "service/keys.h"

#include <string.h>

static uint32_t hash_of(const char *key) {
    return berth__crc32(key, strlen(key));
}

bool berth__keys_init(berth__keys *keys, size_t most) {
    *keys = (berth__keys){.most = most};
    keys->answers = BERTH__NEW_ARRAY(berth__answer, most);
    keys->hashes = BERTH__NEW_ARRAY(uint32_t, most);
    if (keys->answers == NULL || keys->hashes == NULL) {
        berth__keys_free(keys);
        return false;
    }
    return true;
}

static void clear_answer(berth__answer *answer) {
    berth__free(answer->key);
    berth__free(answer->body);
    *answer = (berth__answer){0};
}

void berth__keys_free(berth__keys *keys) {
    for (size_t k = 0; k < keys->n; k++) {
        clear_answer(&keys->answers[k]);
    }
    berth__free(keys->answers);
    berth__free(keys->hashes);
    *keys = (berth__keys){0};
}

const berth__answer *berth__keys_find(const berth__keys *keys, const char *key) {
    uint32_t hash = hash_of(key);
    for (size_t k = 0; k < keys->n; k++) {
        if (keys->hashes[k] == hash && strcmp(keys->answers[k].key, key) == 0) {
            return &keys->answers[k];
        }
    }
    return NULL;
}

bool berth__keys_add(berth__keys *keys, const char *key, uint32_t fingerprint, const char *body) {
    if (keys->most == 0) {
        return true;
    }
    berth__answer answer = {.key = berth__strdup(key), .fingerprint = fingerprint, .body = berth__strdup(body)};
    if (answer.key == NULL || answer.body == NULL) {
        clear_answer(&answer);
        return false;
    }
    size_t at = keys->n;
    if (keys->n == keys->most) {
        at = keys->oldest;
        keys->oldest = (keys->oldest + 1) % keys->most;
        clear_answer(&keys->answers[at]);
    } else {
        keys->n++;
    }
    keys->answers[at] = answer;
    keys->hashes[at] = hash_of(key);
    return true;
}

void berth__keys_write(const berth__keys *keys, berth__writer *to) {
    berth__put_count(to, keys->n);
    for (size_t k = 0; k < keys->n; k++) {
        const berth__answer *answer = &keys->answers[(keys->oldest + k) % keys->n];
        berth__put_text(to, answer->key);
        berth__put_u32(to, answer->fingerprint);
        berth__put_text(to, answer->body);
    }
}

void berth__keys_read(berth__keys *keys, berth__byte_reader *from, berth__arena *scratch) {
    size_t n = berth__take_count(from, SIZE_MAX, 12, "keys");
    for (size_t k = 0; k < n && berth__byte_reader_good(from); k++) {
        berth__byte_reader_enter(from, "keys", k);
        const char *key = berth__take_text(from, scratch, false, "the key");
        uint32_t fingerprint = berth__take_u32(from);
        const char *body = berth__take_text(from, scratch, false, "the reply");
        if (berth__byte_reader_good(from) && !berth__keys_add(keys, key, fingerprint, body)) {
            berth__refuse_memory(from);
        }
    }
}
