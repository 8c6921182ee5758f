#define _POSIX_C_SOURCE 200809L
#include "base/numeric.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

bool berth__c_locale_enter(berth__c_locale *scope) {
    *scope = (berth__c_locale){0};
    locale_t ours = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    if (ours == (locale_t)0) {
        return false;
    }
    scope->ours = ours;
    scope->previous = uselocale(ours);
    return true;
}

void berth__c_locale_leave(berth__c_locale *scope) {
    if (scope->ours != NULL) {
        uselocale((locale_t)scope->previous);
        freelocale((locale_t)scope->ours);
        scope->ours = NULL;
    }
}

void berth__number_text(double value, char text[BERTH__NUMBER_ROOM]) {
    /* Most numbers of a file are small integers; "%.15g" would print them the same way. Minus zero loses its sign, as
     * it does in JSON readers that take "-0" for an integer. */
    if (fabs(value) < 1e15 && value == floor(value)) {
        snprintf(text, BERTH__NUMBER_ROOM, "%.0f", value == 0 ? 0.0 : value);
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, BERTH__NUMBER_ROOM, "%.*g", digits, value);
        if (strtod(text, NULL) == value) {
            return;
        }
    }
}
