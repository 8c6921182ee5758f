/* Imports of small traces, of which everything is asserted that must hold of any. Files are those of own_folder.h. */
#ifndef BERTH_TESTS_IMPORT_CASE_H
#define BERTH_TESTS_IMPORT_CASE_H

#include <berth_io.h>

/* Options with slots of 100 s. */
berth_import_options import_defaults(void);

/* The file "trace" with that text, and "second" if that is not NULL, imported. Asserts that the report adds up, that
 * all jobs are valid, and that the instance is read back as it was written. */
berth_instance *import_text(const char *kind, const char *text, const char *second, const berth_import_options *options,
                            berth_import_report *report);
/* The same of files by path. */
berth_instance *import_files(const char *kind, const char *const *paths, size_t n_paths,
                             const berth_import_options *options, berth_import_report *report);
/* Refused with that status and line, `message` being in the error's place or text. */
void import_refused(const char *kind, const char *text, const char *second, const berth_import_options *options,
                    berth_status status, long line, const char *message);
/* What must hold of a report, whether the import came to an end or not. */
void import_adds_up(const berth_import_report *report, bool finished);
/* All jobs are valid, and the instance is read back as it was written. */
void import_sound(const berth_instance *instance);

/* Runs the instance under pdors-ci and audits the result; returns how many jobs completed. */
size_t import_run(const berth_instance *instance);

/* The job of that id; fails if there is none. */
const berth_job *import_job(const berth_instance *instance, const char *id);
/* May the job use the machine of that name? */
bool import_allows(const berth_job *job, const char *machine);

#endif
