#include "service/buffer.h"

#include "base/alloc.h"

#include <string.h>

void berth__buffer_free(berth__buffer *b) {
    berth__free(b->bytes);
    *b = (berth__buffer){0};
}

unsigned char *berth__buffer_reserve(berth__buffer *b, size_t n) {
    if (b->capacity - b->length < n || b->bytes == NULL) {
        size_t wanted = b->capacity + b->capacity / 2;
        wanted = wanted > b->length + n ? wanted : b->length + n + 64;
        unsigned char *grown = berth__realloc(b->bytes, wanted, 1);
        if (grown == NULL) {
            return NULL;
        }
        b->bytes = grown;
        b->capacity = wanted;
    }
    return b->bytes + b->length;
}

bool berth__buffer_put(berth__buffer *b, const void *bytes, size_t n) {
    unsigned char *to = berth__buffer_reserve(b, n);
    if (to != NULL) {
        memcpy(to, bytes, n);
        b->length += n;
    }
    return to != NULL;
}

void berth__buffer_drop(berth__buffer *b, size_t n) {
    b->length -= n;
    if (n > 0 && b->length > 0) {
        memmove(b->bytes, b->bytes + n, b->length);
    }
}
