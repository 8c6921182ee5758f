/* Texts of the longer schemas. */
#ifndef BERTH_FORMATS_SCHEMA_H
#define BERTH_FORMATS_SCHEMA_H

extern const char berth__jobs_schema[];
extern const char berth__run_schema[];
extern const char berth__certificate_schema[];
extern const char berth__solution_schema[];
extern const char berth__mpc_schema[];
extern const char berth__cohort_request_schema[];
extern const char berth__cohort_schema[];
extern const char berth__comparison_schema[];
extern const char berth__goodput_profile_schema[];
extern const char berth__goodput_schema[];
extern const char berth__allocation_schema[];
extern const char berth__goodput_jobs_schema[];
extern const char berth__goodput_run_schema[];
extern const char berth__events_schema[];
extern const char berth__replies_schema[];

#endif
