#include "report/names.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <berth_io.h>

const char *berth__clean_name(char buffer[BERTH__NAME_ROOM], const char *name, size_t most) {
    size_t used = 0, last = 0;
    for (size_t n = 0; *name != '\0'; n++) {
        bool printable;
        size_t length = berth_next_character(name, &printable, NULL);
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
    while (*text != '\0') {
        bool printable;
        uint32_t code;
        text += berth_next_character(text, &printable, &code);
        columns += code >= 0x1100 && code != 0x2026 && code != 0xfffd ? 2 : 1;
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
