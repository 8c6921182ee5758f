#include "base/alloc.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef BERTH_TESTING_ALLOC
#include <stdatomic.h>
static atomic_ulong n_allocations;
static atomic_ulong first_failure;

void berth__alloc_fail_at(unsigned long fail_at) {
    atomic_store(&n_allocations, 0);
    atomic_store(&first_failure, fail_at);
}
unsigned long berth__alloc_count(void) {
    return atomic_load(&n_allocations);
}

static bool may_allocate(void) {
    unsigned long number = atomic_fetch_add(&n_allocations, 1) + 1;
    unsigned long limit = atomic_load(&first_failure);
    return limit == 0 || number < limit;
}
#else
static bool may_allocate(void) {
    return true;
}
#endif

void *berth__calloc(size_t n, size_t size) {
    if (size != 0 && n > PTRDIFF_MAX / size) {
        return NULL;
    }
    if (!may_allocate()) {
        return NULL;
    }
    return calloc(n * size > 0 ? n * size : 1, 1);
}

void *berth__realloc(void *block, size_t n, size_t size) {
    if (size != 0 && n > PTRDIFF_MAX / size) {
        return NULL;
    }
    if (!may_allocate()) {
        return NULL;
    }
    return realloc(block, n == 0 || size == 0 ? 1 : n * size);
}

void berth__free(void *block) {
    free(block);
}

char *berth__strdup(const char *text) {
    size_t n = strlen(text) + 1;
    char *copy = berth__calloc(n, 1);
    if (copy != NULL) {
        memcpy(copy, text, n);
    }
    return copy;
}

bool berth__grow(void **array, size_t *capacity, size_t count, size_t size) {
    if (count < *capacity) {
        return true;
    }
    size_t wanted = *capacity < 8 ? 16 : *capacity * 2;
    if (wanted <= count) {
        wanted = count + 1;
    }
    void *grown = berth__realloc(*array, wanted, size);
    if (grown == NULL) {
        return false;
    }
    *array = grown;
    *capacity = wanted;
    return true;
}

/* ---- arena ---- */

enum { ARENA_ALIGN = 16, ARENA_CHUNK = 16 * 1024 };

typedef struct chunk {
    struct chunk *next;
    size_t used, size;
} chunk;

#define CHUNK_HEADER ((sizeof(chunk) + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN)

struct berth__arena {
    chunk *first;
};

berth__arena *berth__arena_new(void) {
    return berth__calloc(1, sizeof(berth__arena));
}

void berth__arena_free(berth__arena *arena) {
    if (arena == NULL) {
        return;
    }
    for (chunk *c = arena->first; c != NULL;) {
        chunk *next = c->next;
        berth__free(c);
        c = next;
    }
    berth__free(arena);
}

void *berth__arena_calloc(berth__arena *arena, size_t n, size_t size) {
    if (size != 0 && n > (size_t)PTRDIFF_MAX / 2 / size) {
        return NULL;
    }
    size_t bytes = n * size;
    bytes = bytes == 0 ? ARENA_ALIGN : (bytes + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
    chunk *c = arena->first;
    if (c == NULL || c->size - c->used < bytes) {
        size_t body = bytes > ARENA_CHUNK ? bytes : ARENA_CHUNK;
        chunk *fresh = berth__calloc(1, CHUNK_HEADER + body);
        if (fresh == NULL) {
            return NULL;
        }
        fresh->size = body;
        /* A large block goes behind the current chunk, whose rest stays in use. */
        if (c != NULL && bytes > ARENA_CHUNK) {
            fresh->next = c->next;
            c->next = fresh;
        } else {
            fresh->next = c;
            arena->first = fresh;
        }
        c = fresh;
    }
    void *block = (char *)c + CHUNK_HEADER + c->used;
    c->used += bytes;
    return block;
}

char *berth__arena_strndup(berth__arena *arena, const char *text, size_t length) {
    char *copy = berth__arena_calloc(arena, length + 1, 1);
    if (copy != NULL) {
        memcpy(copy, text, length);
    }
    return copy;
}

char *berth__arena_strdup(berth__arena *arena, const char *text) {
    return berth__arena_strndup(arena, text, strlen(text));
}

char *berth__arena_printf(berth__arena *arena, const char *format, ...) {
    va_list args;
    va_start(args, format);
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = length < 0 ? NULL : berth__arena_calloc(arena, (size_t)length + 1, 1);
    if (text != NULL) {
        vsnprintf(text, (size_t)length + 1, format, again);
    }
    va_end(again);
    return text;
}
