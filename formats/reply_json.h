/* Replies of the protocol berth-events-1: the parts of them that say what a scheduler decided or is. */
#ifndef BERTH_FORMATS_REPLY_JSON_H
#define BERTH_FORMATS_REPLY_JSON_H

#include "formats/json_write.h"

#include <berth_io.h>

/* Numbers that are not finite are null. Machines go by their names. */
void berth__reply_decision(berth__json_writer *w, const char *key, const berth_scheduler *scheduler, const char *id,
                           const berth_decision *decision);
/* Those placements of a plan that are in slots from `first` on. */
void berth__reply_slots(berth__json_writer *w, const berth_scheduler *scheduler, const berth_decision *plan, int first);
/* Jobs that another plan was made for have the rest of it, from the present slot on. */
void berth__reply_changes(berth__json_writer *w, berth_scheduler *scheduler, const berth_changes *changes);
void berth__reply_error(berth__json_writer *w, const berth_error *error);
void berth__reply_job(berth__json_writer *w, const char *key, const berth_job_info *job);
void berth__reply_machine(berth__json_writer *w, const char *key, const berth_machine_info *machine,
                          const berth_instance *instance);
void berth__reply_statistics(berth__json_writer *w, const berth_statistics *statistics);
void berth__reply_explanation(berth__json_writer *w, const berth_scheduler *scheduler,
                              const berth_explanation *explanation, const berth_instance *instance);
/* What one more unit of each resource would be worth on a machine in slots [first, end). */
void berth__reply_value(berth__json_writer *w, const berth_scheduler *scheduler, int machine, int first, int end,
                        const berth_instance *instance);
/* NULL if the machine has none. */
const char *berth__reply_machine_name(const berth_scheduler *scheduler, int machine);

#endif
