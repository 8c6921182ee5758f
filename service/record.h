/* A segment of the journal, as bytes. It begins with a header of 24 bytes
 *
 *     "BERTHJN1"   base: u64   checksum of what the state belongs to: u32   CRC-32 of these 20 bytes: u32
 *
 * where `base` is the sequence number of the last event before its first, and goes on with records
 *
 *     CRC-32 of all that follows: u32   length of the payload: u32   kind: u32   first: u64   count: u32   payload
 *
 * that are of two kinds. EVENTS are a batch, events first .. first + count - 1 (a u32 length and the line of each),
 * on the disk before any of them is carried out. RESULTS are what came of the batch before (of each the CRC-32 of the
 * reply, and a byte that is 1 if it was annulled: it failed for want of memory or the like, and must not be carried out
 * when the journal is replayed); they are written before the batch's replies leave.
 *
 * So a reply has left only if RESULTS were written, which were so once all bytes before them were on the disk. What is
 * wrong in a segment is therefore damage if RESULTS follow anywhere, and else the end of a batch that nobody was told
 * of, cut off by a crash. */
#ifndef BERTH_SERVICE_RECORD_H
#define BERTH_SERVICE_RECORD_H

#include "base/bytes.h"

enum { BERTH__SEGMENT_HEADER = 24, BERTH__RECORD_HEADER = 24, BERTH__RESULT_BYTES = 5 };

typedef enum berth__record_kind {
    BERTH__RECORD_END = 0, /* of the reading only: there is no further one */
    BERTH__RECORD_EVENTS = 1,
    BERTH__RECORD_RESULTS = 2
} berth__record_kind;

typedef struct berth__record {
    berth__record_kind kind;
    uint64_t first;
    uint32_t count;
    const unsigned char *payload; /* borrowed from the segment */
    size_t length;
} berth__record;

void berth__segment_header(berth__writer *to, uint64_t base, uint32_t identity);
/* A record is begun, its payload, of less than 2^32 bytes, is put, and it is closed: its length and checksum are filled
 * in. Returns where it begins. */
size_t berth__record_begin(berth__writer *to, berth__record_kind kind, uint64_t first, uint32_t count);
void berth__record_event(berth__writer *to, const char *line, size_t length);
void berth__record_result(berth__writer *to, uint32_t reply_crc32, bool annulled);
void berth__record_close(berth__writer *to, size_t begin);

typedef struct berth__segment {
    const unsigned char *bytes; /* borrowed */
    size_t length;
    const char *path; /* borrowed; for errors */
    uint64_t base;
    uint32_t identity;
    size_t at;      /* of the next record; at the end: where the sound part ends */
    uint64_t next;  /* event expected next */
    uint32_t batch; /* events of the last batch */
    bool answered;  /* RESULTS of it were read */
} berth__segment;

/* E_INPUT: not a segment, or a damaged header. */
berth_status berth__segment_open(const unsigned char *bytes, size_t length, const char *path, berth__segment *out,
                                 berth_error *error);
/* The next record, BERTH__RECORD_END behind the last; then segment->at < length says that the rest was cut off.
 * E_INPUT: damage; the error names file and offset. */
berth_status berth__segment_next(berth__segment *segment, berth__record *out, berth_error *error);
typedef struct berth__result {
    uint32_t reply_crc32;
    bool annulled;
} berth__result;

/* Of the event at `index` < count in a record of RESULTS. */
berth__result berth__record_result_at(const berth__record *record, uint32_t index);
/* The line of an event in a record of EVENTS, `index` < count in turn from 0; *offset begins at 0. NULL: none. */
const char *berth__record_line(const berth__record *record, size_t *offset, size_t *length);

#endif
