/* Numbers as text, whatever locale the host program has set. */
#ifndef BERTH_BASE_NUMERIC_H
#define BERTH_BASE_NUMERIC_H

#include <berth.h>

/* Between enter and leave the calling thread reads and writes numbers as in the C locale; the process's
 * locale and other threads are not touched. False: out of memory, nothing to leave. */
typedef struct berth__c_locale {
    void *ours; /* locale_t, of POSIX; NULL: not entered */
    void *previous;
} berth__c_locale;
bool berth__c_locale_enter(berth__c_locale *scope);
void berth__c_locale_leave(berth__c_locale *scope);

enum { BERTH__NUMBER_ROOM = 32 };
/* The shortest of %.15g, %.16g, %.17g that reads back as `value`, which is finite. Needs the C locale. */
void berth__number_text(double value, char text[BERTH__NUMBER_ROOM]);

#endif
