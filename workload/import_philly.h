/* CSV in the format of the public Philly trace -> instance. Implements berth_import_philly_csv of <berth_io.h>.
 *
 * Rows: philly_rows.h. What the trace lacks: synthesis.h, by a random stream of each row's own, keyed by the seed and
 * the row's content: neither another window nor another order of rows changes a job. Jobs are named j1, j2, .. in
 * order of time; a job's tenant is its virtual cluster. All machines are alike.
 *
 * The instance's source names the file (without folders; "standard input"), the format's origin, what was selected and
 * synthesised and how, and how many rows were left out for which reason. It does not say that the rows are the public
 * trace's: any file may have this format. */
#ifndef BERTH_WORKLOAD_IMPORT_PHILLY_H
#define BERTH_WORKLOAD_IMPORT_PHILLY_H

#include <berth_io.h>

#endif
