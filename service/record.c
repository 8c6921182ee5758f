#include "service/record.h"

#include "base/bytes.h"
#include "base/error.h"

#include <string.h>

static const char magic[] = "BERTHJN1";
enum { MAGIC = sizeof magic - 1, CHECKED = 20 }; /* CHECKED: bytes of the segment's header before its checksum */
enum { LENGTH_AT = 4, KIND_AT = 8, FIRST_AT = 12, COUNT_AT = 20 }; /* in a record */

/* ---- writing ---- */

void berth__segment_header(berth__buffer *to, uint64_t base, uint32_t identity) {
    size_t begin = to->length;
    berth__buffer_put(to, magic, MAGIC);
    berth__buffer_put_u64(to, base);
    berth__buffer_put_u32(to, identity);
    if (!to->failed) {
        berth__buffer_put_u32(to, berth__crc32(to->bytes + begin, CHECKED));
    }
}

size_t berth__record_begin(berth__buffer *to, berth__record_kind kind, uint64_t first) {
    size_t begin = to->length;
    berth__buffer_put_u32(to, 0); /* filled in by berth__record_close */
    berth__buffer_put_u32(to, 0);
    berth__buffer_put_u32(to, (uint32_t)kind);
    berth__buffer_put_u64(to, first);
    berth__buffer_put_u32(to, 0);
    return begin;
}

void berth__record_event(berth__buffer *to, const char *line, size_t length) {
    berth__buffer_put_u32(to, (uint32_t)length);
    berth__buffer_put(to, line, length);
}

void berth__record_result(berth__buffer *to, uint32_t reply_crc32, bool annulled) {
    unsigned char flag = annulled;
    berth__buffer_put_u32(to, reply_crc32);
    berth__buffer_put(to, &flag, 1);
}

/* Of a record with so long a payload. */
static uint32_t checksum(const unsigned char *record, size_t length) {
    return berth__crc32(record + LENGTH_AT, BERTH__RECORD_HEADER - LENGTH_AT + length);
}

void berth__record_close(berth__buffer *to, size_t begin, uint32_t count) {
    if (!to->failed) {
        unsigned char *record = to->bytes + begin;
        size_t length = to->length - begin - BERTH__RECORD_HEADER;
        berth__put_u32_at(record + LENGTH_AT, (uint32_t)length);
        berth__put_u32_at(record + COUNT_AT, count);
        berth__put_u32_at(record, checksum(record, length));
    }
}

/* ---- reading ---- */

berth_status berth__segment_open(const unsigned char *bytes, size_t length, const char *path, berth__segment *out,
                                 berth_error *error) {
    if (length < BERTH__SEGMENT_HEADER || memcmp(bytes, magic, MAGIC) != 0) {
        return berth__fail(error, BERTH_E_INPUT, path, "this is no journal of berth serve");
    }
    if (berth__u32_at(bytes + CHECKED) != berth__crc32(bytes, CHECKED)) {
        return berth__fail(error, BERTH_E_INPUT, path, "damaged at offset 0: the checksum of the header is wrong");
    }
    uint64_t base = berth__u64_at(bytes + MAGIC);
    *out = (berth__segment){.bytes = bytes,
                            .length = length,
                            .path = path,
                            .base = base,
                            .identity = berth__u32_at(bytes + MAGIC + 8),
                            .at = BERTH__SEGMENT_HEADER,
                            .next = base + 1,
                            .answered = true};
    return BERTH_OK;
}

/* Do the events of a payload fill it? */
static bool lines_fit(const berth__record *record) {
    size_t offset = 0, length;
    for (uint32_t k = 0; k < record->count; k++) {
        if (berth__record_line(record, &offset, &length) == NULL) {
            return false;
        }
    }
    return offset == record->length;
}

/* A whole record at an offset, whatever its number. */
static bool record_at(const berth__segment *s, size_t at, berth__record *out) {
    if (s->length - at < BERTH__RECORD_HEADER) {
        return false;
    }
    const unsigned char *bytes = s->bytes + at;
    size_t length = berth__u32_at(bytes + LENGTH_AT);
    uint32_t kind = berth__u32_at(bytes + KIND_AT), count = berth__u32_at(bytes + COUNT_AT);
    if ((kind != BERTH__RECORD_EVENTS && kind != BERTH__RECORD_RESULTS) || count == 0 ||
        length > s->length - at - BERTH__RECORD_HEADER) {
        return false;
    }
    *out = (berth__record){.kind = (berth__record_kind)kind,
                           .first = berth__u64_at(bytes + FIRST_AT),
                           .count = count,
                           .payload = bytes + BERTH__RECORD_HEADER,
                           .length = length};
    bool sized = kind == BERTH__RECORD_RESULTS ? length == (size_t)count * BERTH__RESULT_BYTES : lines_fit(out);
    return sized && berth__u32_at(bytes) == checksum(bytes, length);
}

/* Anywhere behind an offset. */
static bool results_follow(const berth__segment *s, size_t at) {
    berth__record record;
    for (size_t k = at + 1; k < s->length; k++) {
        if (record_at(s, k, &record) && record.kind == BERTH__RECORD_RESULTS) {
            return true;
        }
    }
    return false;
}

static berth_status damaged(const berth__segment *s, const char *what, berth_error *error) {
    return berth__fail(error, BERTH_E_INPUT, s->path, "damaged at offset %zu: %s", s->at, what);
}

berth_status berth__segment_next(berth__segment *s, berth__record *out, berth_error *error) {
    *out = (berth__record){.kind = BERTH__RECORD_END};
    if (s->at == s->length) {
        return BERTH_OK;
    }
    berth__record found;
    if (!record_at(s, s->at, &found)) {
        return results_follow(s, s->at) ? damaged(s, "a record is not what was written", error) : BERTH_OK;
    }
    if (found.kind == BERTH__RECORD_EVENTS) {
        if (found.first != s->next) {
            return damaged(s, "events are missing or stand there twice", error);
        }
        s->next += found.count;
        s->batch = found.count;
        s->answered = false;
    } else {
        if (s->answered || found.first != s->next - s->batch || found.count != s->batch) {
            return damaged(s, "results of other events than those before them", error);
        }
        s->answered = true;
    }
    s->at += BERTH__RECORD_HEADER + found.length;
    *out = found;
    return BERTH_OK;
}

const char *berth__record_line(const berth__record *record, size_t *offset, size_t *length) {
    if (record->length - *offset < 4) {
        return NULL;
    }
    const unsigned char *at = record->payload + *offset;
    *length = berth__u32_at(at);
    if (*length > record->length - *offset - 4) {
        return NULL;
    }
    *offset += 4 + *length;
    return (const char *)at + 4;
}
