/* Keys of events and the replies they had, so that an event that is sent again is not carried out again. */
#ifndef BERTH_SERVICE_KEYS_H
#define BERTH_SERVICE_KEYS_H

#include "base/bytes.h"

typedef struct berth__answer {
    char *key;
    uint32_t fingerprint; /* of the event */
    char *body;           /* the reply but for what is the client's own */
} berth__answer;

typedef struct berth__keys {
    size_t most, n, oldest; /* a ring */
    berth__answer *answers; /* [most] */
    uint32_t *hashes;       /* [most] */
} berth__keys;

/* Keeps the last `most` keys. False: out of memory. Free also a zeroed one. */
bool berth__keys_init(berth__keys *keys, size_t most);
void berth__keys_free(berth__keys *keys);
/* NULL: not there. O(most), of numbers. */
const berth__answer *berth__keys_find(const berth__keys *keys, const char *key);
/* Copies; forgets the oldest one if there is no room. False: out of memory, nothing has changed. */
bool berth__keys_add(berth__keys *keys, const char *key, uint32_t fingerprint, const char *body);

void berth__keys_write(const berth__keys *keys, berth__writer *to);
/* Adds those that were written. */
void berth__keys_read(berth__keys *keys, berth__byte_reader *from, berth__arena *scratch);

#endif
