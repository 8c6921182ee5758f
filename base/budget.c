#define _POSIX_C_SOURCE 200809L
#include "base/budget.h"

#include <math.h>
#include <time.h>

double berth__now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

berth__budget berth__budget_start(double time_limit_s, const berth_hooks *hooks) {
    bool limited = time_limit_s < HUGE_VAL; /* false for NAN too */
    return (berth__budget){.deadline_s = limited ? berth__now_s() + time_limit_s : HUGE_VAL, .hooks = hooks};
}

berth__budget berth__budget_part(const berth__budget *budget, double part) {
    if (budget == NULL || !(budget->deadline_s < HUGE_VAL)) {
        return budget == NULL ? (berth__budget){.deadline_s = HUGE_VAL} : *budget;
    }
    const double now_s = berth__now_s(), left_s = budget->deadline_s - now_s;
    return (berth__budget){.deadline_s = left_s > 0 ? now_s + part * left_s : budget->deadline_s,
                           .hooks = budget->hooks};
}

bool berth__budget_spent(const berth__budget *budget) {
    if (budget == NULL) {
        return false;
    }
    if (budget->hooks != NULL && budget->hooks->cancel != NULL && budget->hooks->cancel(budget->hooks->user)) {
        return true;
    }
    return budget->deadline_s < HUGE_VAL && berth__now_s() >= budget->deadline_s;
}
