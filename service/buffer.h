/* What a client has sent or is to be sent. */
#ifndef BERTH_SERVICE_BUFFER_H
#define BERTH_SERVICE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

/* A zeroed one is empty. */
typedef struct berth__buffer {
    unsigned char *bytes;
    size_t length, capacity;
} berth__buffer;

void berth__buffer_free(berth__buffer *buffer);
/* Room for n more bytes, NULL if there is none; they count once length is raised. */
unsigned char *berth__buffer_reserve(berth__buffer *buffer, size_t n);
/* False: out of memory, nothing was added. */
bool berth__buffer_put(berth__buffer *buffer, const void *bytes, size_t n);
/* Takes away the first n bytes. */
void berth__buffer_drop(berth__buffer *buffer, size_t n);

#endif
