#include "service/buffer.h"

#include "base/alloc.h"

#include <string.h>

void berth__buffer_free(berth__buffer *b) {
    berth__free(b->bytes);
    *b = (berth__buffer){0};
}

void berth__buffer_clear(berth__buffer *b) {
    b->length = 0;
    b->failed = false;
}

unsigned char *berth__buffer_reserve(berth__buffer *b, size_t n) {
    if (b->failed) {
        return NULL;
    }
    if (b->capacity - b->length < n || b->bytes == NULL) {
        size_t wanted = b->capacity + b->capacity / 2;
        wanted = wanted - b->length >= n && wanted > b->capacity ? wanted : b->length + n + 64;
        unsigned char *grown = n > SIZE_MAX / 4 ? NULL : berth__realloc(b->bytes, wanted, 1);
        if (grown == NULL) {
            b->failed = true;
            return NULL;
        }
        b->bytes = grown;
        b->capacity = wanted;
    }
    return b->bytes + b->length;
}

void berth__buffer_put(berth__buffer *b, const void *bytes, size_t n) {
    unsigned char *to = berth__buffer_reserve(b, n);
    if (to != NULL && n > 0) {
        memcpy(to, bytes, n);
        b->length += n;
    }
}

void berth__put_u32_at(unsigned char *to, uint32_t value) {
    for (int k = 0; k < 4; k++) {
        to[k] = (unsigned char)(value >> (8 * k));
    }
}

uint32_t berth__u32_at(const unsigned char *from) {
    return (uint32_t)from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

uint64_t berth__u64_at(const unsigned char *from) {
    return (uint64_t)berth__u32_at(from) | (uint64_t)berth__u32_at(from + 4) << 32;
}

void berth__buffer_put_u32(berth__buffer *b, uint32_t value) {
    unsigned char bytes[4];
    berth__put_u32_at(bytes, value);
    berth__buffer_put(b, bytes, sizeof bytes);
}

void berth__buffer_put_u64(berth__buffer *b, uint64_t value) {
    berth__buffer_put_u32(b, (uint32_t)value);
    berth__buffer_put_u32(b, (uint32_t)(value >> 32));
}

void berth__buffer_put_real(berth__buffer *b, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    berth__buffer_put_u64(b, bits);
}

void berth__buffer_put_blob(berth__buffer *b, const void *bytes, size_t n) {
    berth__buffer_put_u64(b, n);
    berth__buffer_put(b, bytes, n);
}

void berth__buffer_put_text(berth__buffer *b, const char *text) {
    berth__buffer_put_blob(b, text, strlen(text));
}

void berth__buffer_drop(berth__buffer *b, size_t n) {
    b->length -= n;
    if (b->length > 0) {
        memmove(b->bytes, b->bytes + n, b->length);
    }
}

/* ---- reading ---- */

/* NULL, and nothing more to be had, if there are fewer than n. */
static const unsigned char *take(berth__source *s, size_t n) {
    if (s->failed || s->left < n) {
        s->failed = true;
        return NULL;
    }
    const unsigned char *at = s->bytes;
    s->bytes += n;
    s->left -= n;
    return at;
}

uint32_t berth__source_u32(berth__source *s) {
    const unsigned char *at = take(s, 4);
    return at == NULL ? 0 : berth__u32_at(at);
}

uint64_t berth__source_u64(berth__source *s) {
    const unsigned char *at = take(s, 8);
    return at == NULL ? 0 : berth__u64_at(at);
}

double berth__source_real(berth__source *s) {
    uint64_t bits = berth__source_u64(s);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

const unsigned char *berth__source_blob(berth__source *s, size_t *n) {
    uint64_t length = berth__source_u64(s);
    s->failed = s->failed || length > s->left;
    *n = s->failed ? 0 : (size_t)length;
    return take(s, *n);
}

char *berth__source_text(berth__source *s) {
    size_t n = 0;
    const unsigned char *bytes = berth__source_blob(s, &n);
    char *text = bytes == NULL ? NULL : berth__calloc(n + 1, 1);
    if (text != NULL) {
        memcpy(text, bytes, n);
    }
    return text;
}
