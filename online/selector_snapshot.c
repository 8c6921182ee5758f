/* A selector as bytes: "BERTHSEL", version, length and checksum (FNV-1a, 64 bits) of what
 * follows. All numbers are little-endian, doubles as their IEEE 754 bits. */
#include "online/selector.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

enum { VERSION = 1, MAGIC_LENGTH = 8, HEADER_LENGTH = 32, CLIENT_LENGTH = 48 };
static const char magic[MAGIC_LENGTH + 1] = "BERTHSEL";
#define NO_ID UINT64_MAX

static uint64_t checksum(const unsigned char *bytes, size_t length) {
    uint64_t sum = UINT64_C(14695981039346656037);
    for (size_t k = 0; k < length; k++) {
        sum = (sum ^ bytes[k]) * UINT64_C(1099511628211);
    }
    return sum;
}

/* ---- writing ---------------------------------------------------------------------------------------------------- */

typedef struct sink {
    unsigned char *bytes; /* NULL: only counted */
    size_t length;
} sink;

static void put_bytes(sink *to, const void *bytes, size_t n) {
    if (to->bytes != NULL && n > 0) {
        memcpy(to->bytes + to->length, bytes, n);
    }
    to->length += n;
}

static void put_u64(sink *to, uint64_t value) {
    unsigned char bytes[8];
    for (int k = 0; k < 8; k++) {
        bytes[k] = (unsigned char)(value >> (8 * k));
    }
    put_bytes(to, bytes, sizeof bytes);
}

static void put_real(sink *to, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_u64(to, isnan(value) ? UINT64_C(0x7ff8000000000000) : bits);
}

static void put_state(sink *to, const berth_selector *s) {
    const berth_selector_options *o = &s->options;
    const double reals[] = {o->exploration, o->exploration_decay, o->exploration_min, o->alpha,      o->clip,
                            o->cut_off,     o->overcommit,        o->fairness,        o->percentile, o->pacer_delta,
                            s->exploration, s->percentile,        s->utility[0],      s->utility[1]};
    put_u64(to, o->seed);
    put_u64(to, o->blacklist_rounds);
    put_u64(to, o->pacer_step);
    put_u64(to, s->round);
    for (size_t k = 0; k < sizeof reals / sizeof *reals; k++) {
        put_real(to, reals[k]);
    }
    put_u64(to, s->n_clients);
    for (size_t k = 0; k < s->n_clients; k++) {
        const berth__selector_client *c = &s->clients[k];
        put_real(to, c->declared_s);
        put_real(to, c->utility);
        put_real(to, c->duration_s);
        put_u64(to, c->last_round);
        put_u64(to, c->selections);
        put_u64(to, c->id != NULL ? strlen(c->id) : NO_ID);
        put_bytes(to, c->id, c->id != NULL ? strlen(c->id) : 0);
    }
}

berth_status berth_selector_snapshot(const berth_selector *s, void *bytes, size_t capacity, size_t *length,
                                     berth_error *error) {
    berth__error_clear(error);
    if (s == NULL || length == NULL || (bytes == NULL && capacity > 0)) {
        return berth__fail(error, BERTH_E_ARGUMENT, NULL, "selector, length and bytes must not be NULL");
    }
    sink counted = {.bytes = NULL};
    put_state(&counted, s);
    *length = HEADER_LENGTH + counted.length;
    if (capacity < *length) {
        return BERTH_OK;
    }
    sink payload = {.bytes = (unsigned char *)bytes + HEADER_LENGTH}, header = {.bytes = bytes};
    put_state(&payload, s);
    put_bytes(&header, magic, MAGIC_LENGTH);
    put_u64(&header, VERSION);
    put_u64(&header, payload.length);
    put_u64(&header, checksum(payload.bytes, payload.length));
    return BERTH_OK;
}

/* ---- reading ---------------------------------------------------------------------------------------------------- */

typedef struct source {
    const unsigned char *bytes;
    size_t left;
    bool short_of; /* bytes were wanted that are not there */
} source;

static uint64_t take_u64(source *from) {
    uint64_t value = 0;
    if (from->left < 8) {
        from->short_of = true;
        return 0;
    }
    for (int k = 0; k < 8; k++) {
        value |= (uint64_t)from->bytes[k] << (8 * k);
    }
    from->bytes += 8;
    from->left -= 8;
    return value;
}

static double take_real(source *from) {
    uint64_t bits = take_u64(from);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static bool is_amount(double value) {
    return value >= 0 && isfinite(value);
}

/* The checksum is right, so whoever wrote this meant it; is it what a selector can be? */
static bool is_client(const berth_selector *s, const berth__selector_client *c) {
    bool reported = c->last_round > 0;
    return berth__selector_is_duration(c->declared_s) && c->selections <= s->round &&
           c->last_round <= (s->round > 0 ? s->round : 1) &&
           (reported ? is_amount(c->utility) && is_amount(c->duration_s) && c->duration_s > 0
                     : isnan(c->utility) && isnan(c->duration_s));
}

static bool take_options(source *from, berth_selector *s, berth_error *error) {
    berth_selector_options *o = &s->options;
    double *const reals[] = {&o->exploration, &o->exploration_decay, &o->exploration_min, &o->alpha,
                             &o->clip,        &o->cut_off,           &o->overcommit,      &o->fairness,
                             &o->percentile,  &o->pacer_delta,       &s->exploration,     &s->percentile,
                             &s->utility[0],  &s->utility[1]};
    o->seed = take_u64(from);
    uint64_t blacklist_rounds = take_u64(from), pacer_step = take_u64(from);
    o->blacklist_rounds = (size_t)blacklist_rounds;
    o->pacer_step = (size_t)pacer_step;
    s->round = take_u64(from);
    for (size_t k = 0; k < sizeof reals / sizeof *reals; k++) {
        *reals[k] = take_real(from);
    }
    return !from->short_of && o->blacklist_rounds == blacklist_rounds && o->pacer_step == pacer_step &&
           s->round < SIZE_MAX && berth__selector_check_options(o, error) == BERTH_OK && s->exploration >= 0 &&
           s->exploration <= 1 && s->percentile >= 0 && s->percentile <= 100 && is_amount(s->utility[0]) &&
           is_amount(s->utility[1]);
}

/* E_INPUT without a message: the caller has it. */
static berth_status take_client(source *from, berth_selector *s, berth__selector_client *c) {
    c->declared_s = take_real(from);
    c->utility = take_real(from);
    c->duration_s = take_real(from);
    c->last_round = take_u64(from);
    c->selections = take_u64(from);
    uint64_t id_length = take_u64(from);
    if (from->short_of || (id_length != NO_ID && id_length > from->left) || !is_client(s, c)) {
        return BERTH_E_INPUT;
    }
    if (id_length == NO_ID) {
        return BERTH_OK;
    }
    size_t n = (size_t)id_length;
    if (n > 0 && memchr(from->bytes, '\0', n) != NULL) {
        return BERTH_E_INPUT;
    }
    c->id = berth__arena_strndup(s->arena, (const char *)from->bytes, n);
    from->bytes += n;
    from->left -= n;
    return c->id != NULL ? BERTH_OK : BERTH_E_MEMORY;
}

static berth_status take_clients(source *from, berth_selector *s) {
    uint64_t n = take_u64(from);
    if (from->short_of || n > from->left / CLIENT_LENGTH) {
        return BERTH_E_INPUT;
    }
    s->clients = BERTH__NEW_ARRAY(berth__selector_client, (size_t)n);
    if (s->clients == NULL) {
        return BERTH_E_MEMORY;
    }
    s->n_clients = s->capacity = (size_t)n;
    for (size_t k = 0; k < s->n_clients; k++) {
        berth_status status = take_client(from, s, &s->clients[k]);
        if (status != BERTH_OK) {
            return status;
        }
    }
    return from->left == 0 ? BERTH_OK : BERTH_E_INPUT;
}

static berth_status fail_damaged(berth_error *error, const char *how) {
    return berth__fail(error, BERTH_E_INPUT, "snapshot", "%s", how);
}

static berth_status check_header(const unsigned char *bytes, size_t length, berth_error *error) {
    source from = {.bytes = bytes + MAGIC_LENGTH, .left = length - MAGIC_LENGTH};
    uint64_t version = take_u64(&from);
    if (version != VERSION && !from.short_of) {
        return berth__fail(error, BERTH_E_UNSUPPORTED, "snapshot",
                           "a selector's snapshot of version %llu; this berth reads version %d",
                           (unsigned long long)version, VERSION);
    }
    uint64_t payload = take_u64(&from), sum = take_u64(&from);
    if (from.short_of || payload > from.left) {
        return fail_damaged(error, "the snapshot is cut short");
    }
    if (payload < from.left) {
        return fail_damaged(error, "there is something behind the snapshot");
    }
    return checksum(from.bytes, from.left) == sum
               ? BERTH_OK
               : fail_damaged(error, "the checksum is wrong: the snapshot is damaged");
}

berth_status berth_selector_restore(const void *bytes, size_t length, berth_selector **out, berth_error *error) {
    berth_selector *s = NULL;
    berth__error_clear(error);
    if (out == NULL || bytes == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, NULL, "bytes and out must not be NULL");
    }
    *out = NULL;
    if (length < MAGIC_LENGTH || memcmp(bytes, magic, MAGIC_LENGTH) != 0) {
        return fail_damaged(error, "no snapshot of a selector");
    }
    berth_status status = check_header(bytes, length, error);
    status = status == BERTH_OK ? berth_selector_new(NULL, &s, error) : status;
    if (status != BERTH_OK) {
        return status;
    }
    source from = {.bytes = (const unsigned char *)bytes + HEADER_LENGTH, .left = length - HEADER_LENGTH};
    status = take_options(&from, s, NULL) ? take_clients(&from, s) : BERTH_E_INPUT;
    if (status != BERTH_OK) {
        berth_selector_free(s);
        return status == BERTH_E_MEMORY ? berth__fail_memory(error)
                                        : fail_damaged(error, "the snapshot holds what no selector can be");
    }
    *out = s;
    return BERTH_OK;
}
