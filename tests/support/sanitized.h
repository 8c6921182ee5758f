/* Is this a build under a sanitizer, in which everything takes several times as long? */
#ifndef BERTH_TESTS_SANITIZED_H
#define BERTH_TESTS_SANITIZED_H

#if defined(__has_feature)
#define BERTH_TESTS_HAS(feature) __has_feature(feature)
#else
#define BERTH_TESTS_HAS(feature) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || BERTH_TESTS_HAS(address_sanitizer) ||             \
    BERTH_TESTS_HAS(thread_sanitizer) || BERTH_TESTS_HAS(undefined_behavior_sanitizer)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

#endif
