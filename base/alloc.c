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
    size_t dirty; /* bytes that have been handed out before and are not zero any more */
} chunk;

#define CHUNK_HEADER ((sizeof(chunk) + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN)

struct berth__arena {
    chunk *first;  /* in use, the one that allocations come from first */
    chunk *spare;  /* set free by going back */
    size_t room;   /* in all chunks */
    size_t wanted; /* the next chunk is to have so much room at least */
    bool reused;
    berth__arena *next_of_pool;
};

berth__arena *berth__arena_new(void) {
    return berth__calloc(1, sizeof(berth__arena));
}

static void free_chunks(chunk *c) {
    while (c != NULL) {
        chunk *next = c->next;
        berth__free(c);
        c = next;
    }
}

void berth__arena_free(berth__arena *arena) {
    if (arena == NULL) {
        return;
    }
    free_chunks(arena->first);
    free_chunks(arena->spare);
    berth__free(arena);
}

/* A chunk in nobody's list, with room for so many bytes: a spare one if there is one. */
static chunk *take_chunk(berth__arena *arena, size_t bytes) {
    for (chunk **at = &arena->spare; *at != NULL; at = &(*at)->next) {
        if ((*at)->size >= bytes) {
            chunk *found = *at;
            *at = found->next;
            return found;
        }
    }
    size_t body = bytes > ARENA_CHUNK ? bytes : ARENA_CHUNK;
    size_t more = arena->reused ? arena->room / 2 : 0; /* few steps to whatever it takes */
    body = body > arena->wanted ? body : arena->wanted;
    body = body > more ? body : more;
    chunk *fresh = berth__calloc(1, CHUNK_HEADER + body);
    if (fresh != NULL) {
        fresh->size = body;
        arena->room += body;
        arena->wanted = 0;
    }
    return fresh;
}

/* Puts a chunk to use and returns the one to allocate from, it. Whichever has more room left once `bytes` are taken
 * from the new one comes first. */
static chunk *use_chunk(berth__arena *arena, chunk *fresh, size_t bytes) {
    chunk *c = arena->first;
    if (c != NULL && fresh->size - bytes < c->size - c->used) {
        fresh->next = c->next;
        c->next = fresh;
    } else {
        fresh->next = c;
        arena->first = fresh;
    }
    return fresh;
}

/* *dirty: how many of the bytes may be other than zero; these come first. */
static void *allocate(berth__arena *arena, size_t n, size_t size, size_t *dirty) {
    if (size != 0 && n > (size_t)PTRDIFF_MAX / 2 / size) {
        return NULL;
    }
    size_t bytes = n * size;
    bytes = bytes == 0 ? ARENA_ALIGN : (bytes + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
    chunk *c = arena->first;
    if (c == NULL || c->size - c->used < bytes) {
        chunk *fresh = take_chunk(arena, bytes);
        if (fresh == NULL) {
            return NULL;
        }
        c = use_chunk(arena, fresh, bytes);
    }
    void *block = (char *)c + CHUNK_HEADER + c->used;
    *dirty = c->dirty <= c->used ? 0 : c->dirty - c->used < bytes ? c->dirty - c->used : bytes;
    c->used += bytes;
    c->dirty = c->dirty < c->used ? c->used : c->dirty;
    return block;
}

void *berth__arena_alloc(berth__arena *arena, size_t n, size_t size) {
    size_t dirty = 0;
    return allocate(arena, n, size, &dirty);
}

void *berth__arena_calloc(berth__arena *arena, size_t n, size_t size) {
    size_t dirty = 0;
    void *block = allocate(arena, n, size, &dirty);
    if (block != NULL && dirty > 0) {
        memset(block, 0, dirty);
    }
    return block;
}

/* ---- going back ---- */

berth__arena_mark berth__arena_here(const berth__arena *arena) {
    const chunk *c = arena->first;
    return c == NULL ? (berth__arena_mark){0}
                     : (berth__arena_mark){.chunk = arena->first, .behind = c->next, .used = c->used};
}

/* Sets the chunks from *at up to `end` free. */
static void spare_chunks(berth__arena *arena, chunk **at, const chunk *end) {
    while (*at != end) {
        chunk *c = *at;
        *at = c->next;
        c->used = 0;
        c->next = arena->spare;
        arena->spare = c;
    }
}

/* When all chunks are spare: several become one, when next asked for, so that the same requests find room in any order;
 * somewhat larger, so that a slow rise seldom asks for more. */
static void join_spares(berth__arena *arena) {
    if (arena->spare == NULL || arena->spare->next == NULL) {
        return;
    }
    free_chunks(arena->spare);
    arena->spare = NULL;
    arena->wanted = arena->room + arena->room / 4;
    arena->room = 0;
}

void berth__arena_back(berth__arena *arena, berth__arena_mark mark) {
    arena->reused = true;
    spare_chunks(arena, &arena->first, mark.chunk);
    if (mark.chunk == NULL) {
        join_spares(arena);
        return;
    }
    /* larger blocks than there was room for may have gone behind the chunk in use */
    spare_chunks(arena, &arena->first->next, mark.behind);
    arena->first->used = mark.used;
}

void berth__arena_reset(berth__arena *arena) {
    berth__arena_back(arena, (berth__arena_mark){0});
}

berth__arena *berth__arena_from(berth__arena **pool) {
    berth__arena *arena = *pool;
    if (arena == NULL) {
        return berth__arena_new();
    }
    *pool = arena->next_of_pool;
    arena->next_of_pool = NULL;
    return arena;
}

void berth__arena_give(berth__arena **pool, berth__arena *arena) {
    if (pool == NULL) {
        berth__arena_free(arena);
    } else if (arena != NULL) {
        berth__arena_reset(arena);
        arena->next_of_pool = *pool;
        *pool = arena;
    }
}

void berth__arena_pool_free(berth__arena **pool) {
    while (*pool != NULL) {
        berth__arena_free(berth__arena_from(pool));
    }
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
