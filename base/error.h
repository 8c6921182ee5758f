/* Filling berth_error, and the log hook. */
#ifndef BERTH_BASE_ERROR_H
#define BERTH_BASE_ERROR_H

#include <berth.h>

#if defined(__GNUC__)
#define BERTH__PRINTF(at, first) __attribute__((format(printf, at, first)))
#else
#define BERTH__PRINTF(at, first)
#endif

/* Fills *error (may be NULL) and returns status, so that `return berth__fail(...)` works. `where` may be NULL. */
berth_status berth__fail(berth_error *error, berth_status status, const char *where, const char *format, ...)
    BERTH__PRINTF(4, 5);
/* As berth__fail, with line and column (0: does not apply). */
berth_status berth__fail_at(berth_error *error, berth_status status, const char *where, long line, long column,
                            const char *format, ...) BERTH__PRINTF(6, 7);
berth_status berth__fail_memory(berth_error *error);
void berth__error_clear(berth_error *error);
/* Puts `prefix` before error->where (which is NULL-safe and truncated to fit). */
void berth__error_prefix(berth_error *error, const char *prefix);
/* Of input from several files: where becomes `path`, and a pointer that was there a part of the message. Returns
 * status. */
berth_status berth__error_in_file(berth_error *error, berth_status status, const char *path);

void berth__log(const berth_hooks *hooks, berth_log_level level, const char *format, ...) BERTH__PRINTF(3, 4);

#endif
