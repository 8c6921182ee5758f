/* Traces -> instances: the way from files to a berth_instance. Implements berth_import of <berth_io.h>.
 *
 * Everything synthesised of a job is drawn from a stream of its own, keyed by the seed and the row's content: neither
 * another window nor another order of rows changes a job. Jobs have the trace's ids where it has some (a repeated one
 * becomes "id#2"), else j1, j2, .. in order of time.
 *
 * The instance's source names the files (without folders; "standard input"), the format's origin, what was selected and
 * synthesised and how, and how many rows were left out for which reason. It does not say that the rows are the public
 * trace's: any file may have this format. */
#ifndef BERTH_WORKLOAD_IMPORT_H
#define BERTH_WORKLOAD_IMPORT_H

#include "workload/synthesis.h"
#include "workload/trace.h"
#include "workload/trace_select.h"

/* The options, parsed. */
typedef struct berth__import_request {
    const berth__trace_kind *kind;
    const char *const *paths;
    size_t n_paths;
    const berth_import_options *options;
    berth__machine_spec spec;
    bool has_list; /* machines come from the trace's list */
    berth__utility_rule utility;
    berth__window window;
} berth__import_request;

/* The text of the instance's source (berth__free it); NULL: out of memory. `made`: what was synthesised of some job. */
char *berth__import_source(const berth__import_request *request, const berth__machines *machines,
                           const berth_import_report *report);

#endif
