/* Writing what the checker found, berth-report-1. */
#include <berth_io.h>

#include "base/error.h"
#include "formats/json_write.h"

#include <math.h>

static void write_finding(berth__json_writer *w, const berth_finding *finding) {
    berth__json_object(w, NULL);
    berth__json_bool(w, "violated", finding->violated);
    berth__json_string(w, "rule", finding->rule);
    berth__json_string(w, "where", finding->where);
    berth__json_string(w, "message", finding->message);
    berth__json_number(w, "slack", isinf(finding->slack) ? (double)NAN : finding->slack);
    berth__json_close(w);
}

berth_status berth_report_write(const berth_report *report, const char *path, berth_error *error) {
    berth__error_clear(error);
    if (report == NULL || path == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, report == NULL ? "report" : "path", "must not be NULL");
    }
    berth__json_writer w;
    berth__json_begin(&w);
    berth__json_object(&w, NULL);
    berth__json_string(&w, "format", "berth-report-1");
    berth__json_bool(&w, "ok", report->n_violations == 0);
    berth__json_integer(&w, "violations", (long long)report->n_violations);
    berth__json_number(&w, "utility", report->utility);
    berth__json_number(&w, "dual", report->dual);
    berth__json_number(&w, "ratio", report->ratio);
    berth__json_object(&w, "rules");
    for (size_t k = 0; k < report->n_rules; k++) {
        berth__json_integer(&w, report->rule_names[k], (long long)report->rule_counts[k]);
    }
    berth__json_close(&w);
    berth__json_list(&w, "findings");
    for (size_t k = 0; k < report->n_findings; k++) {
        write_finding(&w, &report->findings[k]);
    }
    berth__json_close(&w);
    berth__json_close(&w);
    return berth__json_finish_file(&w, path, error);
}
