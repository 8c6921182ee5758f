#include "workload/civil_time.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Takes `width` digits and then, if that is not NUL, the character `after`; false if they are not there. */
static bool take_digits(const char **text, int width, char after, int *out) {
    int value = 0;
    for (int i = 0; i < width; i++) {
        char c = *(*text);
        if (c < '0' || c > '9') {
            return false;
        }
        value = value * 10 + (c - '0');
        ++*text;
    }
    if (after != '\0') {
        if (**text != after) {
            return false;
        }
        ++*text;
    }
    *out = value;
    return true;
}

static bool is_leap(int year) {
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static int days_in_month(int year, int month) {
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return days[month - 1] + (month == 2 && is_leap(year));
}

/* Days since 0001-01-01. */
static int64_t day_number(int year, int month, int day) {
    int64_t before = year - 1;
    int64_t days = 365 * before + before / 4 - before / 100 + before / 400 + day - 1;
    for (int m = 1; m < month; m++) {
        days += days_in_month(year, m);
    }
    return days;
}

bool berth__civil_time(const char *text, bool needs_clock, int64_t *out) {
    int year, month, day, hour = 0, minute = 0, second = 0;
    if (!take_digits(&text, 4, '-', &year) || !take_digits(&text, 2, '-', &month) ||
        !take_digits(&text, 2, '\0', &day)) {
        return false;
    }
    if (*text != '\0' || needs_clock) {
        if (*text != ' ' && *text != 'T') {
            return false;
        }
        text++;
        if (!take_digits(&text, 2, ':', &hour) || !take_digits(&text, 2, ':', &minute) ||
            !take_digits(&text, 2, '\0', &second) || *text != '\0') {
            return false;
        }
    }
    if (year < 1 || month < 1 || month > 12 || day < 1 || day > days_in_month(year, month) || hour > 23 ||
        minute > 59 || second > 59) {
        return false;
    }
    *out = ((day_number(year, month, day) * 24 + hour) * 60 + minute) * 60 + second;
    return true;
}

/* "+08:00" or "-0800" in seconds. */
static bool parse_offset(const char *text, int64_t *out) {
    int sign = *text == '-' ? -1 : 1, hours, minutes;
    if (*text != '+' && *text != '-') {
        return false;
    }
    text++;
    if (!take_digits(&text, 2, '\0', &hours)) {
        return false;
    }
    text += *text == ':';
    if (!take_digits(&text, 2, '\0', &minutes) || *text != '\0' || hours > 23 || minutes > 59) {
        return false;
    }
    *out = (int64_t)sign * (hours * 60 + minutes) * 60;
    return true;
}

bool berth__civil_time_zoned(const char *text, int64_t *out) {
    enum { PLAIN = 19 }; /* "YYYY-MM-DD HH:MM:SS" */
    char plain[PLAIN + 1];
    int64_t offset = 0;
    if (strlen(text) <= PLAIN) {
        return berth__civil_time(text, true, out);
    }
    memcpy(plain, text, PLAIN);
    plain[PLAIN] = '\0';
    if (strcmp(text + PLAIN, "Z") != 0 && !parse_offset(text + PLAIN, &offset)) {
        return false;
    }
    if (!berth__civil_time(plain, true, out)) {
        return false;
    }
    *out -= offset;
    return true;
}

void berth__civil_text(int64_t seconds, char text[BERTH__CIVIL_ROOM]) {
    int64_t days = seconds / 86400;
    int64_t clock = seconds % 86400;
    if (clock < 0) {
        clock += 86400;
        days--;
    }
    /* 400 years have 146097 days; the estimate is at most one year late or early. */
    int year = (int)(days * 400 / 146097) + 1;
    year -= day_number(year, 1, 1) > days;
    year += day_number(year + 1, 1, 1) <= days;
    int month = 1;
    while (month < 12 && day_number(year, month + 1, 1) <= days) {
        month++;
    }
    int day = (int)(days - day_number(year, month, 1)) + 1;
    snprintf(text, BERTH__CIVIL_ROOM, "%04d-%02d-%02d %02d:%02d:%02d", year, month, day, (int)(clock / 3600),
             (int)(clock / 60 % 60), (int)(clock % 60));
}
