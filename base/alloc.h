/* Overflow-checked allocation and an arena for objects that are freed as a whole. */
#ifndef BERTH_BASE_ALLOC_H
#define BERTH_BASE_ALLOC_H

#include <stdbool.h>
#include <stddef.h>

/* n * size zeroed bytes; NULL on overflow or exhaustion. n = 0 gives a valid pointer. */
void *berth__calloc(size_t n, size_t size);
/* Like realloc to n * size bytes, old block kept on failure. */
void *berth__realloc(void *block, size_t n, size_t size);
void berth__free(void *block);
char *berth__strdup(const char *text);

#define BERTH__NEW_ARRAY(type, n) ((type *)berth__calloc((n), sizeof(type)))

/* Grows *array (of `size`-byte elements) so that *capacity > count; doubling. */
bool berth__grow(void **array, size_t *capacity, size_t count, size_t size);

/* An arena: allocations live until it is freed or goes back to before them. What going back sets free stays with the
 * arena and is used again: whoever goes back to the start and then asks for no more than before allocates nothing. Not
 * thread-safe. */
typedef struct berth__arena berth__arena;
berth__arena *berth__arena_new(void);
void berth__arena_free(berth__arena *arena);
/* n * size zeroed bytes; NULL on overflow or exhaustion. n = 0 gives a valid pointer. */
void *berth__arena_calloc(berth__arena *arena, size_t n, size_t size);
/* The same, but whatever is there. */
void *berth__arena_alloc(berth__arena *arena, size_t n, size_t size);
char *berth__arena_strdup(berth__arena *arena, const char *text);
char *berth__arena_strndup(berth__arena *arena, const char *text, size_t length);
/* A formatted string. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
char *
berth__arena_printf(berth__arena *arena, const char *format, ...);

#define BERTH__ARENA_ARRAY(arena, type, n) ((type *)berth__arena_calloc((arena), (n), sizeof(type)))

/* How far an arena is used. Marks nest: going back to one forgets those taken after it. */
typedef struct berth__arena_mark {
    void *chunk, *behind;
    size_t used;
} berth__arena_mark;
berth__arena_mark berth__arena_here(const berth__arena *arena);
void berth__arena_back(berth__arena *arena, berth__arena_mark mark);
/* Back to the start. */
void berth__arena_reset(berth__arena *arena);

/* A pool of arenas that are not in use, NULL if there are none. */
berth__arena *berth__arena_from(berth__arena **pool); /* a new one if the pool is empty; NULL: out of memory */
/* Resets it; pool NULL: frees it. arena NULL: nothing to do. */
void berth__arena_give(berth__arena **pool, berth__arena *arena);
void berth__arena_pool_free(berth__arena **pool);

#ifdef BERTH_TESTING_ALLOC
/* Out-of-memory sweeps: the allocation numbered `fail_at` (from 1) and all later ones fail; 0 = never. */
void berth__alloc_fail_at(unsigned long fail_at);
unsigned long berth__alloc_count(void);
#endif

#endif
