/* Decimal numbers in fields of traces and options. */
#ifndef BERTH_FORMATS_DECIMAL_H
#define BERTH_FORMATS_DECIMAL_H

#include <stdbool.h>

/* The whole text as a finite decimal number ("66.0", "1e3", "-2"; no blanks, no hexadecimal, no "inf"). Needs the C
 * locale (berth__c_locale_enter). */
bool berth__decimal(const char *text, double *out);

#endif
