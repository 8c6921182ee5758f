#include "base/bytes.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <zlib.h>

#include "base/error.h"

/* ---- writing ---- */

static bool has_room(berth__writer *to, size_t more) {
    if (to->failed || to->room - to->n >= more) {
        return !to->failed;
    }
    size_t wanted = to->room < 1024 ? 1024 : 2 * to->room;
    while (wanted - to->n < more && wanted <= SIZE_MAX / 2) {
        wanted *= 2;
    }
    unsigned char *bytes = wanted - to->n < more ? NULL : berth__realloc(to->bytes, wanted, 1);
    if (bytes == NULL) {
        to->failed = true;
        return false;
    }
    to->bytes = bytes;
    to->room = wanted;
    return true;
}

void berth__put_raw(berth__writer *to, const void *bytes, size_t n) {
    if (n > 0 && has_room(to, n)) {
        memcpy(to->bytes + to->n, bytes, n);
        to->n += n;
    }
}

/* The low bytes of a number, the lowest first. */
static void split(uint64_t value, size_t n, unsigned char *bytes) {
    for (size_t k = 0; k < n; k++) {
        bytes[k] = (unsigned char)(value >> (8 * k));
    }
}

static void put_low(berth__writer *to, uint64_t value, size_t n) {
    if (has_room(to, n)) {
        split(value, n, to->bytes + to->n);
        to->n += n;
    }
}

void berth__set_u64(berth__writer *to, size_t at, uint64_t value) {
    if (!to->failed) {
        split(value, 8, to->bytes + at);
    }
}

void berth__put_u8(berth__writer *to, unsigned value) {
    put_low(to, value, 1);
}

void berth__put_u32(berth__writer *to, uint32_t value) {
    put_low(to, value, 4);
}

void berth__put_u64(berth__writer *to, uint64_t value) {
    put_low(to, value, 8);
}

void berth__put_int(berth__writer *to, int value) {
    berth__put_u32(to, (uint32_t)value);
}

void berth__put_real(berth__writer *to, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    berth__put_u64(to, bits);
}

void berth__put_reals(berth__writer *to, const double *values, size_t n) {
    for (size_t i = 0; i < n; i++) {
        berth__put_real(to, values[i]);
    }
}

void berth__put_bool(berth__writer *to, bool value) {
    berth__put_u8(to, value);
}

void berth__put_count(berth__writer *to, size_t n) {
    berth__put_u64(to, n);
}

#define NO_TEXT UINT32_MAX

void berth__put_text(berth__writer *to, const char *text) {
    size_t length = text == NULL ? 0 : strlen(text);
    if (length >= NO_TEXT) {
        to->failed = true;
        return;
    }
    berth__put_u32(to, text == NULL ? NO_TEXT : (uint32_t)length);
    berth__put_raw(to, text, length);
}

uint32_t berth__crc32(const void *bytes, size_t n) {
    return (uint32_t)crc32_z(crc32_z(0, NULL, 0), bytes, n);
}

/* ---- what is wrong ---- */

void berth__byte_reader_enter(berth__byte_reader *from, const char *part, size_t index) {
    from->part = part;
    from->index = index;
}

static void place_of(const berth__byte_reader *from, char *text, size_t size) {
    if (from->index == BERTH__NO_INDEX) {
        snprintf(text, size, "/%s", from->part);
    } else {
        snprintf(text, size, "/%s/%zu", from->part, from->index);
    }
}

bool berth__refuse(berth__byte_reader *from, const char *format, ...) {
    if (from->status == BERTH_OK) {
        char where[64], message[256];
        va_list args;
        va_start(args, format);
        vsnprintf(message, sizeof message, format, args);
        va_end(args);
        place_of(from, where, sizeof where);
        from->status = berth__fail(from->error, BERTH_E_INPUT, where, "%s", message);
    }
    return false;
}

bool berth__refuse_memory(berth__byte_reader *from) {
    if (from->status == BERTH_OK) {
        from->status = berth__fail_memory(from->error);
    }
    return false;
}

bool berth__byte_reader_adopt(berth__byte_reader *from, berth_status status) {
    if (status == BERTH_OK || from->status != BERTH_OK) {
        return from->status == BERTH_OK;
    }
    if (status == BERTH_E_ARGUMENT || status == BERTH_E_INPUT) {
        char where[64];
        status = BERTH_E_INPUT;
        place_of(from, where, sizeof where - 1);
        if (from->error != NULL) {
            size_t n = strlen(where);
            where[n] = '/';
            where[from->error->where[0] == '/' ? n : n + 1] = '\0';
            berth__error_prefix(from->error, where);
            from->error->status = status;
        }
    }
    from->status = status;
    return false;
}

/* ---- reading ---- */

static uint64_t take_low(berth__byte_reader *from, size_t n) {
    uint64_t value = 0;
    if (from->left < n) {
        berth__refuse(from, "ends too early");
    }
    if (from->status != BERTH_OK) {
        return 0;
    }
    for (size_t k = 0; k < n; k++) {
        value |= (uint64_t)from->bytes[k] << (8 * k);
    }
    from->bytes += n;
    from->left -= n;
    return value;
}

unsigned berth__take_u8(berth__byte_reader *from) {
    return (unsigned)take_low(from, 1);
}

uint32_t berth__take_u32(berth__byte_reader *from) {
    return (uint32_t)take_low(from, 4);
}

uint64_t berth__take_u64(berth__byte_reader *from) {
    return take_low(from, 8);
}

double berth__take_real(berth__byte_reader *from) {
    uint64_t bits = take_low(from, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

int berth__take_int(berth__byte_reader *from, int low, int high, const char *name) {
    uint32_t bits = berth__take_u32(from);
    int64_t value = bits <= INT32_MAX ? (int64_t)bits : (int64_t)bits - INT64_C(0x100000000);
    if (from->status == BERTH_OK && (value < low || value > high)) {
        berth__refuse(from, "%s is %lld; expected %d to %d", name, (long long)value, low, high);
    }
    return from->status == BERTH_OK ? (int)value : 0;
}

bool berth__take_bool(berth__byte_reader *from, const char *name) {
    unsigned value = berth__take_u8(from);
    if (value > 1) {
        berth__refuse(from, "%s is %u; expected 0 or 1", name, value);
    }
    return from->status == BERTH_OK && value == 1;
}

double berth__take_number(berth__byte_reader *from, double low, double high, const char *name) {
    double value = berth__take_real(from);
    if (from->status == BERTH_OK && !(isfinite(value) && value >= low && value <= high)) {
        berth__refuse(from, "%s is %g; expected a finite number from %g to %g", name, value, low, high);
    }
    return from->status == BERTH_OK ? value : 0;
}

void berth__take_numbers(berth__byte_reader *from, double *to, size_t n, double low, double high, const char *name) {
    for (size_t i = 0; i < n && from->status == BERTH_OK; i++) {
        to[i] = berth__take_number(from, low, high, name);
    }
}

size_t berth__take_count(berth__byte_reader *from, size_t most, size_t least_bytes, const char *name) {
    uint64_t n = berth__take_u64(from);
    if (from->status == BERTH_OK && (n > most || n > from->left / least_bytes)) {
        berth__refuse(from, "%s are %llu, and %zu bytes are left; expected at most %zu, of %zu bytes or more each",
                      name, (unsigned long long)n, from->left, most, least_bytes);
    }
    return from->status == BERTH_OK ? (size_t)n : 0;
}

const char *berth__take_text(berth__byte_reader *from, berth__arena *arena, bool may_lack, const char *name) {
    uint32_t length = berth__take_u32(from);
    if (from->status != BERTH_OK || (length == NO_TEXT && may_lack)) {
        return NULL;
    }
    if (length > from->left) {
        berth__refuse(from, "%s has %lu bytes, and %zu are left", name, (unsigned long)length, from->left);
        return NULL;
    }
    if (length > 0 && memchr(from->bytes, '\0', length) != NULL) {
        berth__refuse(from, "%s has a NUL inside", name);
        return NULL;
    }
    const char *text = berth__arena_strndup(arena, (const char *)from->bytes, length);
    if (text == NULL) {
        berth__refuse_memory(from);
        return NULL;
    }
    from->bytes += length;
    from->left -= length;
    return text;
}
