#include "service/record.h"

#include "base/bytes.h"
#include "base/error.h"

#include <string.h>

static const char magic[] = "BERTHJN1";
enum { MAGIC = sizeof magic - 1, CHECKED = 20 }; /* CHECKED: bytes of the segment's header before its checksum */
enum { LENGTH_AT = 4, KIND_AT = 8, FIRST_AT = 12, COUNT_AT = 20 }; /* in a record */

/* ---- writing ---- */

void berth__segment_header(berth__writer *to, uint64_t base, uint32_t identity) {
    size_t begin = to->n;
    berth__put_raw(to, magic, MAGIC);
    berth__put_u64(to, base);
    berth__put_u32(to, identity);
    if (!to->failed) {
        berth__put_u32(to, berth__crc32(to->bytes + begin, CHECKED));
    }
}

size_t berth__record_begin(berth__writer *to, berth__record_kind kind, uint64_t first, uint32_t count) {
    size_t begin = to->n;
    berth__put_u64(to, 0); /* checksum and length, filled in by berth__record_close */
    berth__put_u32(to, (uint32_t)kind);
    berth__put_u64(to, first);
    berth__put_u32(to, count);
    return begin;
}

void berth__record_event(berth__writer *to, const char *line, size_t length) {
    berth__put_u32(to, (uint32_t)length);
    berth__put_raw(to, line, length);
}

void berth__record_result(berth__writer *to, uint32_t reply_crc32, bool annulled) {
    berth__put_u32(to, reply_crc32);
    berth__put_bool(to, annulled);
}

/* Of a record with so long a payload. */
static uint32_t checksum(const unsigned char *record, size_t length) {
    return berth__crc32(record + LENGTH_AT, BERTH__RECORD_HEADER - LENGTH_AT + length);
}

void berth__record_close(berth__writer *to, size_t begin) {
    if (!to->failed) {
        uint64_t length = to->n - begin - BERTH__RECORD_HEADER;
        berth__set_u64(to, begin, length << 32);
        berth__set_u64(to, begin, length << 32 | checksum(to->bytes + begin, (size_t)length));
    }
}

/* ---- reading ---- */

static uint32_t u32_at(const unsigned char *from) {
    return (uint32_t)from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

static uint64_t u64_at(const unsigned char *from) {
    return (uint64_t)u32_at(from) | (uint64_t)u32_at(from + 4) << 32;
}

berth_status berth__segment_open(const unsigned char *bytes, size_t length, const char *path, berth__segment *out,
                                 berth_error *error) {
    if (length < BERTH__SEGMENT_HEADER || memcmp(bytes, magic, MAGIC) != 0) {
        return berth__fail(error, BERTH_E_INPUT, path, "this is no journal of berth serve");
    }
    if (u32_at(bytes + CHECKED) != berth__crc32(bytes, CHECKED)) {
        return berth__fail(error, BERTH_E_INPUT, path, "damaged at offset 0: the checksum of the header is wrong");
    }
    uint64_t base = u64_at(bytes + MAGIC);
    *out = (berth__segment){.bytes = bytes,
                            .length = length,
                            .path = path,
                            .base = base,
                            .identity = u32_at(bytes + MAGIC + 8),
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
    size_t length = u32_at(bytes + LENGTH_AT);
    uint32_t kind = u32_at(bytes + KIND_AT), count = u32_at(bytes + COUNT_AT);
    if ((kind != BERTH__RECORD_EVENTS && kind != BERTH__RECORD_RESULTS) || count == 0 ||
        length > s->length - at - BERTH__RECORD_HEADER) {
        return false;
    }
    *out = (berth__record){.kind = (berth__record_kind)kind,
                           .first = u64_at(bytes + FIRST_AT),
                           .count = count,
                           .payload = bytes + BERTH__RECORD_HEADER,
                           .length = length};
    bool sized = kind == BERTH__RECORD_RESULTS ? length == (size_t)count * BERTH__RESULT_BYTES : lines_fit(out);
    return sized && u32_at(bytes) == checksum(bytes, length);
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
    *length = u32_at(at);
    if (*length > record->length - *offset - 4) {
        return NULL;
    }
    *offset += 4 + *length;
    return (const char *)at + 4;
}

berth__result berth__record_result_at(const berth__record *record, uint32_t index) {
    const unsigned char *at = record->payload + (size_t)index * BERTH__RESULT_BYTES;
    return (berth__result){.reply_crc32 = u32_at(at), .annulled = at[4] != 0};
}
