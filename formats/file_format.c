/* What kind of JSON file is this? */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <berth_io.h>

#include "base/alloc.h"
#include "base/numeric.h"
#include "formats/bytes.h"
#include "formats/json_read.h"

/* Canonical files begin with their format: `{ "format": "berth-..."`. False: this one does not. */
static bool format_at_start(const char *text, size_t length, char format[BERTH_FORMAT_ROOM]) {
    char start[128], key[16];
    int end = 0;
    size_t n = length < sizeof start - 1 ? length : sizeof start - 1;
    memcpy(start, text, n);
    start[n] = '\0';
    if (sscanf(start, " { \"%15[a-z]\" : \"%31[a-z0-9-]\"%n", key, format, &end) == 2 && end > 0 &&
        strcmp(key, "format") == 0) {
        return true;
    }
    format[0] = '\0';
    return false;
}

static void format_of_json(const char *text, size_t length, char format[BERTH_FORMAT_ROOM]) {
    berth__c_locale locale;
    json_t *root = NULL;
    if (!berth__c_locale_enter(&locale)) {
        return;
    }
    if (berth__json_parse(text, length, NULL, &root, NULL) == BERTH_OK) {
        const char *value = json_string_value(json_object_get(root, "format"));
        snprintf(format, BERTH_FORMAT_ROOM, "%s", value == NULL ? "" : value);
        json_decref(root);
    }
    berth__c_locale_leave(&locale);
}

void berth_file_format(const char *path, char format[BERTH_FORMAT_ROOM]) {
    struct stat about;
    char *bytes = NULL;
    size_t length = 0;
    format[0] = '\0';
    if (path == NULL || strcmp(path, "-") == 0 || stat(path, &about) != 0 || !S_ISREG(about.st_mode) ||
        berth__bytes_read(path, BERTH__MAX_INPUT, &bytes, &length, NULL) != BERTH_OK) {
        return;
    }
    const char *text = bytes;
    if (berth__text_check(&text, &length, NULL, NULL) == BERTH_OK && text[strspn(text, " \t\r\n")] == '{' &&
        !format_at_start(text, length, format)) {
        format_of_json(text, length, format);
    }
    berth__free(bytes);
}
