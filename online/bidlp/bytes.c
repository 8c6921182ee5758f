/* The state as bytes (base/bytes.h). What is not there follows from the rest: views and profiles of the jobs seen from
 * classes and jobs, arrivals from the jobs, the ledger's bids from the state's, active tenures from all. */
#include "online/bidlp/state.h"

#include "base/error.h"
#include "formulations/job_bytes.h"
#include "online/ledger_bytes.h"

#include <float.h>
#include <string.h>

/* ---- writing ---- */

void berth__bidlp_put(berth__writer *to, const berth__bidlp *b) {
    const berth__cluster *cluster = b->set.cluster;
    size_t R = (size_t)cluster->n_resources, rows = berth__bidlp_rows(b), futures = (size_t)b->effort.futures;
    berth__put_int(to, cluster->n_classes);
    for (int h = 0; h < cluster->n_machines; h++) {
        berth__put_int(to, cluster->class_of[h]);
    }
    berth__put_int(to, b->past);
    berth__put_int(to, b->slot);
    berth__put_reals(to, b->tie, R);
    berth__put_int(to, b->effort.futures);
    berth__put_reals(to, b->shape.bids, rows);
    berth__put_reals(to, b->shape.future_prices, futures * rows);
    berth__put_count(to, b->n_seen);
    for (size_t i = 0; i < b->n_seen; i++) {
        berth__job_put(to, R, b->seen[i].job);
    }
}

/* ---- reading ---- */

/* Classes are numbered by their first machines, and have one capacity. first: [n_machines] work space. */
static bool check_classes(berth__byte_reader *from, const berth__cluster *cluster, int n_classes, const int *class_of,
                          int *first) {
    size_t R = (size_t)cluster->n_resources;
    int n = 0;
    for (int h = 0; h < cluster->n_machines; h++) {
        if (class_of[h] > n) {
            return berth__refuse(from, "machine %d is of class %d, and the classes before it are %d", h, class_of[h],
                                 n);
        }
        if (class_of[h] == n) {
            first[n++] = h;
        }
        const double *here = cluster->capacity + (size_t)h * R;
        const double *there = cluster->capacity + (size_t)first[class_of[h]] * R;
        for (size_t r = 0; r < R; r++) {
            if (here[r] != there[r]) {
                return berth__refuse(from, "machines %d and %d are of one class, and of different capacity",
                                     first[class_of[h]], h);
            }
        }
    }
    return n == n_classes || berth__refuse(from, "there are %d classes; expected %d", n, n_classes);
}

static bool take_classes(berth__byte_reader *from, berth__cluster *cluster) {
    int H = cluster->n_machines;
    berth__byte_reader_enter(from, "classes", BERTH__NO_INDEX);
    int *class_of = BERTH__NEW_ARRAY(int, (size_t)H), *first = BERTH__NEW_ARRAY(int, (size_t)H);
    if (class_of == NULL || first == NULL) {
        berth__refuse_memory(from);
    }
    int n_classes = berth__take_int(from, 1, H, "the number of classes");
    for (int h = 0; h < H && berth__byte_reader_good(from); h++) {
        class_of[h] = berth__take_int(from, 0, n_classes - 1, "the class of a machine");
    }
    if (berth__byte_reader_good(from) && check_classes(from, cluster, n_classes, class_of, first)) {
        berth__bidlp_set_classes(cluster, n_classes, class_of);
    }
    berth__free(class_of);
    berth__free(first);
    return berth__byte_reader_good(from);
}

static bool take_prices(berth__byte_reader *from, berth__bidlp *b) {
    size_t rows = berth__bidlp_rows(b);
    berth__take_numbers(from, b->shape.bids, rows, 0, DBL_MAX, "a bid");
    berth__take_numbers(from, b->shape.future_prices, (size_t)b->effort.futures * rows, 0, DBL_MAX,
                        "the price of a future");
    if (berth__byte_reader_good(from)) {
        berth__ledger_set_bids(b->shape.ledger, 0, b->set.cluster->horizon, b->shape.bids, b->tie);
    }
    return berth__byte_reader_good(from);
}

static bool take_seen(berth__byte_reader *from, berth__bidlp *b) {
    int earliest = -b->base;
    size_t n = berth__take_count(from, SIZE_MAX, BERTH__LEAST_JOB_BYTES, "the jobs seen");
    b->seen = BERTH__NEW_ARRAY(berth__seen, n);
    if (b->seen == NULL) {
        return berth__refuse_memory(from);
    }
    b->seen_room = n;
    for (size_t i = 0; i < n && berth__byte_reader_good(from); i++) {
        berth__byte_reader_enter(from, "seen", i);
        berth__job *job = berth__job_take(from, b->set.cluster, earliest, b->slot);
        if (job != NULL) {
            earliest = job->arrival;
            b->seen[b->n_seen++] = (berth__seen){.job = job, .own = true};
        }
    }
    return berth__byte_reader_good(from) &&
           berth__byte_reader_adopt(from, berth__bidlp_profile_seen(b, &b->shape, from->error));
}

/* What is read before there is a state to read into. */
typedef struct head {
    int past, slot, futures;
    double *tie; /* [n_resources] */
} head;

static bool take_head(berth__byte_reader *from, size_t R, int base, int now, head *out) {
    out->tie = BERTH__NEW_ARRAY(double, R);
    if (out->tie == NULL) {
        return berth__refuse_memory(from);
    }
    int most_past = base < BERTH__BIDLP_MOST_PAST ? base : BERTH__BIDLP_MOST_PAST;
    out->past = berth__take_int(from, 0, most_past, "the slots that arrivals are remembered of");
    out->slot = berth__take_int(from, 0, now, "the slot of the last decisions");
    berth__take_numbers(from, out->tie, R, 0, DBL_MAX, "what breaks ties");
    out->futures = berth__take_int(from, 1, INT32_MAX, "the number of futures");
    return berth__byte_reader_good(from);
}

/* Prices of so many futures, and bids, have to be there before room for them is asked for. */
static bool check_size(berth__byte_reader *from, const berth__cluster *cluster, int futures) {
    size_t rows = (size_t)cluster->horizon * (size_t)cluster->n_classes * (size_t)cluster->n_resources;
    return rows <= from->left / sizeof(double) / ((size_t)futures + 1) ||
           berth__refuse(from, "prices of %d slots, %d classes and %d futures do not fit in %zu bytes",
                         cluster->horizon, cluster->n_classes, futures, from->left);
}

static bool fill(berth__byte_reader *from, berth__bidlp *b, const head *h, int base) {
    if (b->effort.futures != h->futures) {
        return berth__refuse(from, "there are %d futures; expected %d", h->futures, b->effort.futures);
    }
    b->base = base;
    b->past = h->past;
    b->slot = h->slot;
    memcpy(b->tie, h->tie, (size_t)b->set.cluster->n_resources * sizeof *b->tie);
    return take_prices(from, b) && take_seen(from, b);
}

berth__bidlp *berth__bidlp_take(berth__byte_reader *from, const berth__bidlp_setting *setting, int base, int now) {
    berth__bidlp *b = NULL;
    head h = {0};
    bool good = take_classes(from, setting->cluster);
    berth__byte_reader_enter(from, "bids", BERTH__NO_INDEX);
    good = good && take_head(from, (size_t)setting->cluster->n_resources, base, now, &h) &&
           check_size(from, setting->cluster, h.futures) &&
           berth__byte_reader_adopt(from, berth__bidlp_new(setting, &b, from->error)) && fill(from, b, &h, base);
    berth__free(h.tie);
    if (!good) {
        berth__bidlp_free(b);
        b = NULL;
    }
    return b;
}

bool berth__bidlp_take_ledger(berth__byte_reader *from, berth__bidlp *b, int now) {
    return berth__ledger_take(from, b->shape.ledger, now);
}
