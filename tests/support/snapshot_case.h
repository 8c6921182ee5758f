/* Snapshots of small schedulers after random events, and how to make bytes look like one again. */
#ifndef BERTH_TESTS_SNAPSHOT_CASE_H
#define BERTH_TESTS_SNAPSHOT_CASE_H

#include "tests/support/rich_instance.h"

enum { SNAPSHOT_HEAD = 20 }; /* magic, version, length */

typedef struct snapshot_case {
    rich_instance *rich;
    const berth_instance *instance;
    unsigned char *bytes; /* [n] malloc */
    size_t n;
} snapshot_case;

/* After so many events, and more until a job is live. Policy pdors is given GLPK. The horizon rolls with even seeds. */
void snapshot_case_init(snapshot_case *c, const char *policy, uint64_t seed, int events);
void snapshot_case_clear(snapshot_case *c);

/* Length and checksum, the last 4 bytes, become right. n >= SNAPSHOT_HEAD + 4. */
void snapshot_seal(unsigned char *bytes, size_t n);

#endif
