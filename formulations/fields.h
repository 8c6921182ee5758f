/* Checks that clusters and jobs share: one value at a time, refused with E_INPUT and a JSON pointer. */
#ifndef BERTH_FORMULATIONS_FIELDS_H
#define BERTH_FORMULATIONS_FIELDS_H

#include <berth.h>

enum { BERTH__WHERE_SIZE = sizeof(((berth_error *)0)->where) };

/* BERTH__AMOUNT: 0 or within 1e-100 .. 1e100, so that shares, prices and sums of them stay within what doubles hold. */
typedef enum berth__range { BERTH__POSITIVE, BERTH__NON_NEGATIVE, BERTH__FINITE, BERTH__AMOUNT } berth__range;

/* `where` starts with "/", and is the error's place. */
berth_status berth__check_number(const char *where, double value, berth__range expected, berth_error *error);
/* Refuses NULL and "". */
berth_status berth__check_name(const char *where, const char *name, berth_error *error);
/* Writes prefix and name as one JSON pointer; "~" and "/" of the name are escaped (RFC 6901). What does not fit is cut
 * off. */
void berth__point_at(char where[BERTH__WHERE_SIZE], const char *prefix, const char *name);

#endif
