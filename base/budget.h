/* Monotonic clock, deadlines and cancellation, in one object that long work polls. */
#ifndef BERTH_BASE_BUDGET_H
#define BERTH_BASE_BUDGET_H

#include <berth.h>

/* Seconds of a monotonic clock with an arbitrary origin. */
double berth__now_s(void);

typedef struct berth__budget {
    double deadline_s; /* in berth__now_s time; INFINITY: none */
    const berth_hooks *hooks;
} berth__budget;

/* time_limit_s from now; INFINITY (or NAN) means none. `hooks` may be NULL and is borrowed. */
berth__budget berth__budget_start(double time_limit_s, const berth_hooks *hooks);
/* A budget of the same that ends when that part, in [0, 1], of the time left is over; NULL: none ends. */
berth__budget berth__budget_part(const berth__budget *budget, double part);
/* True once the deadline passed or the cancel hook said so. NULL budget: never. Thread-safe. */
bool berth__budget_spent(const berth__budget *budget);

#endif
