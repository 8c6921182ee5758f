/* cmocka plus what it lacks: assertions on doubles (cmocka 1.1.5 casts to float) and on statuses. */
#ifndef BERTH_TESTS_CHECK_H
#define BERTH_TESTS_CHECK_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <berth.h>

/* |a - b| <= tol * max(1, |a|, |b|); equal infinities pass, NAN never does. */
#define assert_close(a, b, tol)                                                                                        \
    do {                                                                                                               \
        double a_ = (a), b_ = (b), tol_ = (tol);                                                                       \
        double size_ = fmax(1.0, fmax(fabs(a_), fabs(b_)));                                                            \
        if (!(a_ == b_ || fabs(a_ - b_) <= tol_ * size_)) {                                                            \
            fail_msg("%s = %.17g, %s = %.17g", #a, a_, #b, b_);                                                        \
        }                                                                                                              \
    } while (0)

/* a <= b + tol * max(1, |a|, |b|). */
#define assert_at_most(a, b, tol)                                                                                      \
    do {                                                                                                               \
        double a_ = (a), b_ = (b), tol_ = (tol);                                                                       \
        double size_ = fmax(1.0, fmax(fabs(a_), fabs(b_)));                                                            \
        if (!(a_ <= b_ || a_ - b_ <= tol_ * size_)) {                                                                  \
            fail_msg("%s = %.17g > %s = %.17g", #a, a_, #b, b_);                                                       \
        }                                                                                                              \
    } while (0)

/* The call succeeds; prints the error otherwise. `error` is a berth_error object. */
#define assert_ok(call, error)                                                                                         \
    do {                                                                                                               \
        berth_status status_ = (call);                                                                                 \
        if (status_ != BERTH_OK) {                                                                                     \
            fail_msg("%s: %s at %s: %s", #call, berth_status_name(status_), (error).where, (error).message);           \
        }                                                                                                              \
    } while (0)

#endif
