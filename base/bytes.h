/* Numbers and texts as bytes that are the same on every machine: little-endian, doubles as their IEEE 754 bits. */
#ifndef BERTH_BASE_BYTES_H
#define BERTH_BASE_BYTES_H

#include <berth.h>

#include "base/alloc.h"

/* ---- writing ---- */

/* Zero before first use. Once memory has run out nothing more is written. */
typedef struct berth__writer {
    unsigned char *bytes; /* [room], n of them written; berth__free it */
    size_t n, room;
    bool failed;
} berth__writer;

void berth__put_raw(berth__writer *to, const void *bytes, size_t n);
void berth__put_u8(berth__writer *to, unsigned value);
void berth__put_u32(berth__writer *to, uint32_t value);
void berth__put_u64(berth__writer *to, uint64_t value);
void berth__put_int(berth__writer *to, int value); /* 4 bytes, two's complement */
void berth__put_real(berth__writer *to, double value);
void berth__put_reals(berth__writer *to, const double *values, size_t n);
void berth__put_bool(berth__writer *to, bool value);
/* 8 bytes. */
void berth__put_count(berth__writer *to, size_t n);
/* Its length, 4 bytes, and itself; NULL is told from "". */
void berth__put_text(berth__writer *to, const char *text);

/* Over what was written `at`. */
void berth__set_u64(berth__writer *to, size_t at, uint64_t value);

/* CRC-32 as of zlib. */
uint32_t berth__crc32(const void *bytes, size_t n);

/* ---- reading ---- */

/* Reads what others wrote: nothing is believed. The first thing that is wrong fills the error, and from then on every
 * read gives 0, NULL or false, so that a reader of many things may ask once, at the end. */
typedef struct berth__byte_reader {
    const unsigned char *bytes; /* what is left */
    size_t left;
    berth_status status;
    berth_error *error;
    const char *part; /* where errors are: "/part/index" */
    size_t index;     /* BERTH__NO_INDEX: "/part" */
} berth__byte_reader;

#define BERTH__NO_INDEX SIZE_MAX

static inline bool berth__byte_reader_good(const berth__byte_reader *from) {
    return from->status == BERTH_OK;
}
/* What is read from now on is this part. */
void berth__byte_reader_enter(berth__byte_reader *from, const char *part, size_t index);
/* E_INPUT with a message, unless something is wrong already. Returns false. */
bool berth__refuse(berth__byte_reader *from, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;
/* Likewise E_MEMORY. */
bool berth__refuse_memory(berth__byte_reader *from);
/* The status of a call in between becomes the reader's, its error's place goes behind the part. A bad argument or an
 * input that is refused is the file's fault. */
bool berth__byte_reader_adopt(berth__byte_reader *from, berth_status status);

unsigned berth__take_u8(berth__byte_reader *from);
uint32_t berth__take_u32(berth__byte_reader *from);
uint64_t berth__take_u64(berth__byte_reader *from);
double berth__take_real(berth__byte_reader *from); /* any bits */
/* In [low, high], or refused by name. */
int berth__take_int(berth__byte_reader *from, int low, int high, const char *name);
bool berth__take_bool(berth__byte_reader *from, const char *name);
/* Finite and in [low, high]. */
double berth__take_number(berth__byte_reader *from, double low, double high, const char *name);
void berth__take_numbers(berth__byte_reader *from, double *to, size_t n, double low, double high, const char *name);
/* A number of things that take at least so many bytes each; more than there can be are refused, so that room for them
 * may be asked for. */
size_t berth__take_count(berth__byte_reader *from, size_t most, size_t least_bytes, const char *name);
/* A text without NUL inside, ended by one, the arena's; may_lack: NULL may have been written. */
const char *berth__take_text(berth__byte_reader *from, berth__arena *arena, bool may_lack, const char *name);

#endif
