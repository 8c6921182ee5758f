/* Rows of the Philly trace as CSV: reading, and sorting out which are jobs of a window.
 *
 * Columns, found by the header's names (others are ignored, any order):
 *   timestamp                  "YYYY-MM-DD HH:MM:SS" of submission, no time zone
 *   duration or duration(s)    seconds, >= 0
 *   num_gpus                   whole, >= 0
 *   cluster                    virtual cluster; may be missing unless one is asked for
 *
 * A row is left out for the first of these reasons that holds: malformed; duplicate (equal in every field to an
 * earlier row); zero_gpus; zero_duration; other_cluster; outside_window; over_max_jobs. */
#ifndef BERTH_WORKLOAD_PHILLY_ROWS_H
#define BERTH_WORKLOAD_PHILLY_ROWS_H

#include <berth_io.h>

typedef struct berth__philly_row {
    int64_t time_s;        /* civil_time.h */
    const char *timestamp; /* as in the file */
    double duration_s;
    int gpus;
    const char *cluster; /* "" if there is no such column */
    uint64_t content;    /* hash of all fields: what is synthesised is keyed by it, never by the row's place */
    long line;
    int arrival_slot;
} berth__philly_row;

typedef struct berth__philly_rows {
    char *text; /* the file, which the strings of the rows point into */
    size_t n;
    berth__philly_row *rows;
    size_t capacity;
} berth__philly_rows;

/* Reads the file, dropping malformed rows if options->skip_bad, else failing at the first (E_INPUT with line and
 * reason). Clear *out also after a failure. Needs the C locale. */
berth_status berth__philly_rows_read(const char *path, const berth_import_philly_options *options,
                                     berth__philly_rows *out, berth_import_counts *counts, berth_error *error);
/* Leaves the jobs of the window, in order of time (equal times: of content, so that the order of the file does not
 * matter), with arrival_slot = ceil((time - from) / slot_seconds) < slots; `from_s` NULL: the earliest time among the
 * rows that are left but for the window. With max_jobs the first so many. Counts what it drops, and `imported`.
 * E_INPUT if nothing is left. */
berth_status berth__philly_rows_select(berth__philly_rows *rows, const berth_import_philly_options *options,
                                       const int64_t *from_s, berth_import_counts *counts, berth_error *error);
void berth__philly_rows_clear(berth__philly_rows *rows);

#endif
