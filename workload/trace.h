/* Traces, whatever their format: jobs and machines as recorded, before anything is synthesised.
 *
 *   traces/<kind>.c   turn rows of files into trace jobs, and lists of nodes into machines; nothing else
 *   trace_rows        reading rows by the names or places of columns; what is wrong with a row, in words
 *   trace_tasks       rows that are parts of jobs (parameter servers, workers) put together
 *   trace_machines    the cluster: given by options or by a trace's list
 *   trace_select      duplicates, virtual cluster, sample, window
 *   synthesis         trace job -> berth_job: all rules on what a trace lacks
 *   import            the whole way, and the instance's source */
#ifndef BERTH_WORKLOAD_TRACE_H
#define BERTH_WORKLOAD_TRACE_H

#include <berth_io.h>

#include "base/alloc.h"
#include "workload/trace_machines.h"

enum {
    BERTH__NO_SKIP = BERTH_N_SKIPS, /* a berth_import_skip, or this */
    BERTH__SERVERS_UNKNOWN = -1
};

typedef struct berth__trace_job {
    /* strings live in the trace */
    const char *id;        /* NULL: the trace has none */
    const char *tenant;    /* virtual cluster, queue or organisation; NULL: none */
    const char *model;     /* name of the trained model; NULL: not recorded */
    const char *gpu_types; /* those it may use, '|' between them; NULL: any */
    double submit_s;       /* of the trace's clock (seconds of civil_time.h where it has dates) */
    double duration_s;     /* > 0 at full width; NAN if samples are recorded instead */
    int workers;           /* at full width, >= 1 */
    /* of one worker; NAN: not recorded */
    double gpus, cpus, memory_gb;
    /* Recorded parameter servers. 0: the trace records all that the job held, and it has none.
     * BERTH__SERVERS_UNKNOWN: of the job only GPUs are recorded. */
    int servers;
    double server_gpus, server_cpus, server_memory_gb; /* of one server, if servers > 0; NAN: not recorded */
    double batch;                                      /* of one worker; NAN: not recorded */
    double step_s;                                     /* computation of one batch; NAN: not recorded */
    double samples;                                    /* of the whole job; NAN: from the duration */
    uint64_t content; /* hash of the row: draws are keyed by it, never by the row's place */
    long line;
    int n_rows;       /* of the file, that it was made of */
    int skip;         /* BERTH__NO_SKIP, or why it is none */
    int arrival_slot; /* by the selection */
} berth__trace_job;

/* A job of which nothing is known. */
berth__trace_job berth__trace_job_blank(void);

enum { BERTH__TRACE_FILES = 4 };

typedef struct berth__trace {
    char *texts[BERTH__TRACE_FILES]; /* the files, which the strings of the jobs point into */
    size_t n_texts;
    berth__arena *arena; /* other strings; made by the first berth__trace_strings */
    berth__trace_job *jobs;
    size_t n, capacity;
    berth__machines machines; /* n_groups 0: no list was given */
} berth__trace;

void berth__trace_clear(berth__trace *trace);
/* The arena; NULL: out of memory. */
berth__arena *berth__trace_strings(berth__trace *trace);
/* Takes over the text of a file, to be freed with the trace. */
void berth__trace_keep_text(berth__trace *trace, char *text);
/* Appends a job; false: out of memory. */
bool berth__trace_add(berth__trace *trace, const berth__trace_job *job);

/* What a kind's reader works on. */
typedef struct berth__trace_reader {
    const char *const *paths;
    size_t n_paths;
    bool skip_bad;
    berth__trace *trace;
    berth_import_report *report; /* rows, malformed and first_bad are the reader's to fill */
    berth_error *error;
} berth__trace_reader;

typedef struct berth__trace_kind {
    const char *name;
    const char *files; /* "PODS [NODES]" */
    const char *about;
    const char *format;        /* "CSV in the format of ...": whose, and under which licence the public trace is */
    const char *recorded;      /* "Arrival, duration and number of GPUs are the file's" */
    const char *width_text;    /* what max_workers is, for the source; NULL: "GPUs" */
    const char *samples_text;  /* what samples are; NULL: by duration, GPUs and speed */
    const char *instance_name; /* when none is given */
    size_t min_files, max_files;
    bool civil;              /* times are dates */
    bool equal_is_duplicate; /* rows equal in every field are one job (else jobs without names may be alike) */
    berth_status (*read)(berth__trace_reader *reader);
} berth__trace_kind;

/* NULL: no such kind. */
const berth__trace_kind *berth__trace_kind_find(const char *name);

/* Counts a malformed row; without skip_bad fails with E_INPUT at that line of `path`. */
berth_status berth__trace_bad_row(berth__trace_reader *reader, const char *path, long line, const char *problem,
                                  const char *text);

#endif
