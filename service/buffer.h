/* Bytes that grow, and reading them back. Numbers are little-endian, doubles their IEEE 754 bits. */
#ifndef BERTH_SERVICE_BUFFER_H
#define BERTH_SERVICE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A zeroed one is empty. After memory ran out (`failed`) nothing more is taken in. */
typedef struct berth__buffer {
    unsigned char *bytes;
    size_t length, capacity;
    bool failed;
} berth__buffer;

void berth__buffer_free(berth__buffer *buffer);
/* Empty again, with its memory kept. */
void berth__buffer_clear(berth__buffer *buffer);
/* Room for n more bytes, NULL if there is none; they count once length is raised. */
unsigned char *berth__buffer_reserve(berth__buffer *buffer, size_t n);
void berth__buffer_put(berth__buffer *buffer, const void *bytes, size_t n);
void berth__buffer_put_u32(berth__buffer *buffer, uint32_t value);
void berth__buffer_put_u64(berth__buffer *buffer, uint64_t value);
void berth__buffer_put_real(berth__buffer *buffer, double value);
/* With their length before them. */
void berth__buffer_put_blob(berth__buffer *buffer, const void *bytes, size_t n);
void berth__buffer_put_text(berth__buffer *buffer, const char *text);
/* Takes away the first n bytes. */
void berth__buffer_drop(berth__buffer *buffer, size_t n);

void berth__put_u32_at(unsigned char *to, uint32_t value);
uint32_t berth__u32_at(const unsigned char *from);
uint64_t berth__u64_at(const unsigned char *from);

/* What is left to read. After reading past the end (`failed`) every value is 0. */
typedef struct berth__source {
    const unsigned char *bytes;
    size_t left;
    bool failed;
} berth__source;

uint32_t berth__source_u32(berth__source *source);
uint64_t berth__source_u64(berth__source *source);
double berth__source_real(berth__source *source);
/* Borrowed from the source. */
const unsigned char *berth__source_blob(berth__source *source, size_t *n);
/* A text as a string of its own (berth__free it); NULL: past the end (then `failed`), or no memory. */
char *berth__source_text(berth__source *source);

#endif
