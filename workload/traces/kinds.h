/* The kinds of traces; what their files are like is told at the top of each one's source. */
#ifndef BERTH_WORKLOAD_TRACES_KINDS_H
#define BERTH_WORKLOAD_TRACES_KINDS_H

#include "workload/trace.h"

extern const berth__trace_kind berth__trace_philly_csv;
extern const berth__trace_kind berth__trace_philly_json;
extern const berth__trace_kind berth__trace_openb;
extern const berth__trace_kind berth__trace_pai;
extern const berth__trace_kind berth__trace_dlrm;
extern const berth__trace_kind berth__trace_spot;
extern const berth__trace_kind berth__trace_helios;
extern const berth__trace_kind berth__trace_acme;
extern const berth__trace_kind berth__trace_gavel;
extern const berth__trace_kind berth__trace_shockwave;
extern const berth__trace_kind berth__trace_tiresias;
extern const berth__trace_kind berth__trace_muri;
extern const berth__trace_kind berth__trace_pollux;

#endif
