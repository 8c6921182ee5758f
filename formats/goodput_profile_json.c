/* What is known of a job's goodput, berth-profile-1. */
#include "formats/goodput_profile_json.h"

#include <stddef.h>
#include <string.h>

#include "formulations/goodput/model.h"

static const char format_name[] = "berth-profile-1";

typedef struct member {
    const char *key;
    size_t offset;
} member;

#define MEMBER(field)                                                                                                  \
    { #field, offsetof(berth_goodput_profile, field) }
static const member times_table[] = {MEMBER(alpha_c), MEMBER(beta_c), MEMBER(alpha_n), MEMBER(beta_n),
                                     MEMBER(alpha_r), MEMBER(beta_r), MEMBER(gamma)};
static const member batches_table[] = {MEMBER(m0), MEMBER(max_batch), MEMBER(min_local), MEMBER(max_local)};
static const member noise_table[] = {MEMBER(grad_sqr), MEMBER(grad_var)};
#undef MEMBER
#define LENGTH(table) (sizeof(table) / sizeof *(table))

/* ---- reading ---- */

static bool read_members(berth__reader *reader, const berth__node *object, const member *table, size_t n,
                         berth_goodput_profile *profile) {
    bool good = true;
    for (size_t k = 0; k < n && good; k++) {
        double *value = (double *)(void *)((char *)profile + table[k].offset);
        good = berth__read_number(reader, object, table[k].key, BERTH__REQUIRED, value);
    }
    return good;
}

bool berth__read_goodput_times(berth__reader *reader, const berth__node *object, berth_goodput_profile *profile) {
    return read_members(reader, object, times_table, LENGTH(times_table), profile);
}

bool berth__read_goodput_batches(berth__reader *reader, const berth__node *object, berth_goodput_profile *profile) {
    return read_members(reader, object, batches_table, LENGTH(batches_table), profile) &&
           (berth__read_bool(reader, object, "accumulation", BERTH__OPTIONAL, &profile->accumulation) ||
            reader->status == BERTH_OK) &&
           read_members(reader, object, noise_table, LENGTH(noise_table), profile);
}

bool berth__check_goodput_profile(berth__reader *reader, const berth__node *times, const berth__node *batches,
                                  const berth_goodput_profile *profile) {
    berth_error error = {0};
    if (berth__goodput_check_profile(profile, &error) == BERTH_OK) {
        return true;
    }
    const berth__node *object = batches;
    for (size_t k = 0; k < LENGTH(times_table); k++) {
        object = strcmp(error.where, times_table[k].key) == 0 ? times : object;
    }
    return berth__member_fail(reader, object, error.where, BERTH_E_INPUT, "%s", error.message);
}

static bool read_profile(berth__reader *reader, const berth__node *root, berth_goodput_profile *profile) {
    static const char *const known[] = {"format", BERTH__GOODPUT_TIME_FIELDS, BERTH__GOODPUT_BATCH_FIELDS};
    return berth__read_format(reader, root, format_name) && BERTH__ONLY_FIELDS(reader, root, known) &&
           berth__read_goodput_times(reader, root, profile) && berth__read_goodput_batches(reader, root, profile) &&
           berth__check_goodput_profile(reader, root, root, profile);
}

berth_status berth_goodput_profile_read(const char *path, berth_goodput_profile *out, berth_error *error) {
    json_t *root = NULL;
    berth__c_locale locale;
    berth__error_clear(error);
    if (path == NULL || out == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, NULL, "path and out must not be NULL");
    }
    berth_goodput_profile_init(out);
    if (!berth__c_locale_enter(&locale)) {
        return berth__fail_memory(error);
    }
    berth__arena *arena = berth__arena_new();
    berth_status status = arena != NULL ? berth__json_read_file(path, &root, error) : berth__fail_memory(error);
    if (status == BERTH_OK) {
        berth__reader reader = {.arena = arena, .error = error};
        berth__node node = berth__node_root(root);
        read_profile(&reader, &node, out);
        status = reader.status;
    }
    json_decref(root);
    berth__arena_free(arena);
    berth__c_locale_leave(&locale);
    return status;
}

/* ---- writing ---- */

static void write_members(berth__json_writer *writer, const member *table, size_t n,
                          const berth_goodput_profile *profile) {
    for (size_t k = 0; k < n; k++) {
        berth__json_number(writer, table[k].key,
                           *(const double *)(const void *)((const char *)profile + table[k].offset));
    }
}

void berth__write_goodput_times(berth__json_writer *writer, const berth_goodput_profile *profile) {
    write_members(writer, times_table, LENGTH(times_table), profile);
}

void berth__write_goodput_batches(berth__json_writer *writer, const berth_goodput_profile *profile) {
    write_members(writer, batches_table, LENGTH(batches_table), profile);
    berth__json_bool(writer, "accumulation", profile->accumulation);
    write_members(writer, noise_table, LENGTH(noise_table), profile);
}

berth_status berth_goodput_profile_write(const berth_goodput_profile *profile, const char *path, berth_error *error) {
    berth__json_writer w;
    berth__error_clear(error);
    if (profile == NULL || path == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, NULL, "profile and path must not be NULL");
    }
    berth_status status = berth__goodput_check_profile(profile, error);
    if (status != BERTH_OK) {
        return status;
    }
    berth__json_begin(&w);
    berth__json_object(&w, NULL);
    berth__json_string(&w, "format", format_name);
    berth__write_goodput_times(&w, profile);
    berth__write_goodput_batches(&w, profile);
    berth__json_close(&w);
    return berth__json_finish_file(&w, path, error);
}
