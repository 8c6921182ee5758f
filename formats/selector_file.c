/* Snapshots of selectors as files. */
#include <berth_cohort.h>

#include "base/alloc.h"
#include "base/atomic_file.h"
#include "base/error.h"
#include "formats/bytes.h"

berth_status berth_selector_write(const berth_selector *selector, const char *path, berth_error *error) {
    size_t length = 0;
    if (path == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "path", "path must not be NULL");
    }
    berth_status status = berth_selector_snapshot(selector, NULL, 0, &length, error);
    if (status != BERTH_OK) {
        return status;
    }
    unsigned char *bytes = BERTH__NEW_ARRAY(unsigned char, length);
    if (bytes == NULL) {
        return berth__fail_memory(error);
    }
    status = berth_selector_snapshot(selector, bytes, length, &length, error);
    status = status == BERTH_OK ? berth__write_file(path, bytes, length, error) : status;
    berth__free(bytes);
    return status;
}

berth_status berth_selector_read(const char *path, berth_selector **out, berth_error *error) {
    char *bytes = NULL;
    size_t length = 0;
    if (out != NULL) {
        *out = NULL;
    }
    berth__error_clear(error);
    if (path == NULL || out == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "path", "path and out must not be NULL");
    }
    berth_status status = berth__bytes_read(path, BERTH__MAX_INPUT, &bytes, &length, error);
    status = status == BERTH_OK ? berth_selector_restore(bytes, length, out, error) : status;
    berth__free(bytes);
    return status;
}
