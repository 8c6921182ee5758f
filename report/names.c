#include "report/names.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "formats/bytes.h"

static uint32_t code_point(const char *text, size_t length) {
    static const unsigned char masks[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    uint32_t code = (unsigned char)text[0] & masks[length];
    for (size_t k = 1; k < length; k++) {
        code = code << 6 | ((unsigned char)text[k] & 0x3f);
    }
    return code;
}

/* Controls, also those of C1 and of writing direction; line and paragraph separators; what XML may not hold. */
static bool is_printable(uint32_t code) {
    return code >= 0x20 && !(code >= 0x7f && code < 0xa0) && !(code >= 0x200e && code <= 0x200f) &&
           !(code >= 0x2028 && code <= 0x202e) && !(code >= 0x2066 && code <= 0x2069) && code != 0xfeff &&
           (code & 0xfffe) != 0xfffe;
}

size_t berth__next_character(const char *text, bool *printable) {
    size_t left = 1;
    while (left < 4 && text[left] != '\0') {
        left++;
    }
    const size_t length = berth__utf8_length(text, left);
    *printable = length > 0 && is_printable(code_point(text, length));
    return length > 0 ? length : 1;
}

const char *berth__clean_name(char buffer[BERTH__NAME_ROOM], const char *name, size_t most) {
    size_t used = 0, last = 0;
    for (size_t n = 0; *name != '\0'; n++) {
        bool printable;
        size_t length = berth__next_character(name, &printable);
        if (n == most) { /* the last one that fits gives way to the ellipsis */
            memcpy(buffer + last, "\xe2\x80\xa6", 4);
            return buffer;
        }
        last = used;
        memcpy(buffer + used, printable ? name : "?", printable ? length : 1);
        used += printable ? length : 1;
        name += length;
    }
    buffer[used] = '\0';
    return buffer;
}

size_t berth__columns(const char *text) {
    size_t columns = 0;
    for (size_t left = strlen(text); left > 0;) {
        size_t length = berth__utf8_length(text, left);
        columns += length > 0 && code_point(text, length) >= 0x1100 && code_point(text, length) != 0x2026 ? 2 : 1;
        text += length > 0 ? length : 1;
        left -= length > 0 ? length : 1;
    }
    return columns;
}

double berth__text_width(const char *text, double font) {
    return 0.62 * font * (double)berth__columns(text);
}

const char *berth__slot_length(char buffer[32], double slot_seconds) {
    static const struct {
        double seconds;
        const char *unit;
    } units[] = {{86400, "d"}, {3600, "h"}, {60, "min"}, {1, "s"}};
    size_t k = 0;
    while (k < 3 && fmod(slot_seconds, units[k].seconds) != 0) {
        k++;
    }
    snprintf(buffer, 32, "%.6g %s", slot_seconds / units[k].seconds, units[k].unit);
    return buffer;
}
