/* Rows of a trace's file by column: found by the header's names, or by their place where the file has no header.
 *
 * The getters check as they read. The first that fails leaves its words in row->problem ("duration is not a number from
 * 0 to 1e12: \"x\""), later ones do nothing of consequence, so that a run of getters needs one look at the end, which
 * the loop takes: such a row is malformed. */
#ifndef BERTH_WORKLOAD_TRACE_ROWS_H
#define BERTH_WORKLOAD_TRACE_ROWS_H

#include "formats/csv.h"
#include "workload/trace.h"

enum { BERTH__ROW_COLUMNS = 24 };

typedef struct berth__column {
    const char *name;
    const char *other; /* another name for it; NULL: none */
    bool optional;     /* the header may lack it: then its fields are empty */
} berth__column;

typedef enum berth__header {
    BERTH__HEADER,       /* columns by the names in the first line, in any order; others are ignored */
    BERTH__NO_HEADER,    /* columns by place; a row has exactly n_columns fields */
    BERTH__HEADER_BESIDE /* in the first line, if its first field is the name of a column; else in a file NAME.header
                          * beside NAME.csv, if there is one; else columns by place */
} berth__header;

typedef struct berth__layout {
    char separator;
    berth__header header;
    size_t n_columns;
    const berth__column *columns;
} berth__layout;

typedef struct berth__row {
    const berth__layout *layout;
    long line;
    const char *begin;                     /* how the line begins */
    const char *field[BERTH__ROW_COLUMNS]; /* [n_columns]; "" where the file has no such column */
    bool has_column[BERTH__ROW_COLUMNS];   /* does the file have it? */
    uint64_t content;                      /* hash of all fields, others than those of the layout too */
    char problem[256];                     /* "": none so far */
} berth__row;

/* Makes a job of a row: *job is blank but for content and line. Sets job->skip if the row is none. */
typedef void berth__row_job(void *user, berth__row *row, berth__trace_job *job);
/* Takes a row of a second file. False: out of memory. */
typedef bool berth__row_take(void *user, berth__row *row);

/* Reads all rows of a file, a job a row, into the trace. With several layouts (without header), that with as many
 * columns as the first row has fields; `expected` tells them ("7 or 10 fields"). */
berth_status berth__trace_read_jobs(berth__trace_reader *reader, const char *path, size_t n_layouts,
                                    const berth__layout *layouts, const char *expected, berth__row_job *job,
                                    void *user);
/* Reads the rows of a file that are parts of jobs: as berth__trace_read_jobs, but what becomes of a row is `take`'s
 * affair. */
berth_status berth__trace_read_parts(berth__trace_reader *reader, const char *path, const berth__layout *layout,
                                     berth__row_take *take, void *user);
/* Reads a second file, each row of which must be right and is not counted. */
berth_status berth__trace_read_list(berth__trace_reader *reader, const char *path, const berth__layout *layout,
                                    berth__row_take *take, void *user);
/* The same for a list of nodes, which becomes the trace's machines; `user` of `take` is the berth__node_list. */
berth_status berth__trace_read_nodes(berth__trace_reader *reader, const char *path, const berth__layout *layout,
                                     bool has_memory, berth__row_take *take);

const char *berth__row_text(const berth__row *row, size_t column);
bool berth__row_has(const berth__row *row, size_t column); /* there, and not empty */
/* Below 1e-12 it is 0. */
double berth__row_number(berth__row *row, size_t column, double low, double high);
/* `missing` if the field is empty. */
double berth__row_number_or(berth__row *row, size_t column, double low, double high, double missing);
/* Whole, in [0, high]; "8.0" is. */
int berth__row_whole(berth__row *row, size_t column, int high);
/* A date with time of day, in which `zoned` allows a zone. */
double berth__row_date(berth__row *row, size_t column, bool zoned);
/* GPU types with "|" between them, not more than a job can name; NULL if the field is empty. */
const char *berth__row_gpu_types(berth__row *row, size_t column);
/* The row is wrong in another way. */
void berth__row_fail(berth__row *row, size_t column, const char *expected);

/* FNV-1a, for chains of texts; start from BERTH__HASH_START. */
#define BERTH__HASH_START UINT64_C(0xcbf29ce484222325)
uint64_t berth__hash_text(uint64_t hash, const char *text);

#endif
