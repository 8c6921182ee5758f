/* Times of traces: seconds of a proleptic Gregorian calendar without zones, daylight saving or leap seconds. Most
 * traces name no zone. (One kept in local time is an hour off across a change of its clocks, and nothing in it says
 * where.) */
#ifndef BERTH_WORKLOAD_CIVIL_TIME_H
#define BERTH_WORKLOAD_CIVIL_TIME_H

#include <stdbool.h>
#include <stdint.h>

/* "YYYY-MM-DD", or that and " HH:MM:SS" (a "T" may stand for the space), years 1 to 9999. *out: seconds since
 * 0001-01-01 00:00:00. `needs_clock`: the time of day must be there. False: not such a text. */
bool berth__civil_time(const char *text, bool needs_clock, int64_t *out);
/* The same, where the time of day may end in "Z" or an offset like "+08:00": *out is then UTC. */
bool berth__civil_time_zoned(const char *text, int64_t *out);

enum { BERTH__CIVIL_ROOM = 32 };
/* "YYYY-MM-DD HH:MM:SS" of such seconds. */
void berth__civil_text(int64_t seconds, char text[BERTH__CIVIL_ROOM]);

#endif
