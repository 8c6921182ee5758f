/* Characters of texts from files. */
#include <berth_io.h>

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

size_t berth_next_character(const char *text, bool *printable, uint32_t *code) {
    size_t left = 1;
    while (left < 4 && text[left] != '\0') {
        left++;
    }
    const size_t length = berth__utf8_length(text, left);
    const uint32_t found = length > 0 ? code_point(text, length) : 0xfffd;
    *printable = length > 0 && is_printable(found);
    if (code != NULL) {
        *code = found;
    }
    return length > 0 ? length : 1;
}
