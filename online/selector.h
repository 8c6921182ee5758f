/* The state behind berth_selector: guided participant selection for training (Lai et al., OSDI 2021, section 4). The
 * model and the symbols are in berth_cohort.h.
 *
 * Not implemented: noise on reported utilities (section 7.2.3), blacklists of a bounded length. */
#ifndef BERTH_ONLINE_SELECTOR_H
#define BERTH_ONLINE_SELECTOR_H

#include <berth_cohort.h>

#include "base/alloc.h"

typedef struct berth__selector_client {
    const char *id; /* NULL: none; in the arena */
    double declared_s;
    double utility, duration_s; /* NAN: never reported */
    uint64_t last_round;        /* 0: never reported */
    uint64_t selections;
} berth__selector_client;

struct berth_selector {
    berth_selector_options options;
    berth__arena *arena;
    size_t n_clients, capacity;
    berth__selector_client *clients;
    uint64_t round;     /* selected so far */
    double exploration; /* of the next round */
    double percentile;
    double utility[2]; /* reported during the present pacer_step rounds, and during those before */
};

/* Is every option within its range? E_ARGUMENT names the first that is not. */
berth_status berth__selector_check_options(const berth_selector_options *options, berth_error *error);
/* > 0 and finite, or NAN. */
bool berth__selector_is_duration(double declared_s);

static inline bool berth__selector_is_blacklisted(const berth_selector *s, const berth__selector_client *client) {
    return s->options.blacklist_rounds > 0 && client->selections >= s->options.blacklist_rounds;
}

#endif
