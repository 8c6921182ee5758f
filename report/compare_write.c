/* Writing a comparison as table, CSV and JSON. */
#include <berth_io.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/numeric.h"
#include "formats/bytes.h"
#include "formats/json_write.h"
#include "formats/problem_text.h"
#include "formats/result_json.h"

enum { LABEL = 22, LEAST_COLUMN = 24 };

static size_t n_metrics(bool measured) {
    return measured ? BERTH_N_METRICS : BERTH_FIRST_MEASURED_METRIC;
}

static const berth_estimate *of(const berth_comparison *c, const berth_estimate *all, size_t instance, size_t policy) {
    return all + (instance * c->n_policies + policy) * BERTH_N_METRICS;
}

/* ---- table ---- */

/* A name from a file, in a table of so many columns; '?' for what cannot be printed. */
static void add_name(berth__text *text, const char *name, int width) {
    int columns = 0;
    for (bool printable; *name != '\0'; columns++) {
        const size_t length = berth_next_character(name, &printable, NULL);
        berth__text_add(text, "%.*s", printable ? (int)length : 1, printable ? name : "?");
        name += length;
    }
    berth__text_add(text, "%*s", columns < width ? width - columns : 0, "");
}

static const char minus[] = "minus ";

static int label_width(const berth_comparison *c) {
    size_t heading = c->n_policies > 1 ? strlen(minus) + strlen(c->policies[0]) + 2 : 0;
    return heading > LABEL ? (int)heading : LABEL;
}

static int column_width(const berth_comparison *c) {
    size_t width = LEAST_COLUMN;
    for (size_t p = 0; p < c->n_policies; p++) {
        size_t length = strlen(c->policies[p]) + 2;
        width = length > width ? length : width;
    }
    return (int)width;
}

/* Differences have their sign. */
static void add_estimate(berth__text *text, const berth_estimate *e, bool sign, int column) {
    char words[64];
    if (e->n == 0) {
        snprintf(words, sizeof words, "-");
    } else if (isnan(e->half_width)) {
        snprintf(words, sizeof words, sign ? "%+.6g" : "%.6g", e->mean);
    } else {
        char width[32];
        snprintf(width, sizeof width, e->half_width < 1000 ? "%.3g" : "%.0f", e->half_width);
        snprintf(words, sizeof words, sign ? "%+.6g +- %s" : "%.6g +- %s", e->mean, width);
    }
    berth__text_add(text, "  %-*s", column - 2, words);
}

/* Rows are metrics, columns policies from `first` on. */
static void add_block(berth__text *text, const berth_comparison *c, const berth_estimate *all, size_t instance,
                      size_t first, bool measured) {
    const bool is_difference = first > 0;
    const int label = label_width(c), column = column_width(c);
    berth__text_add(text, "\n%s", is_difference ? minus : "");
    add_name(text, is_difference ? c->policies[0] : "", label - 2 - (is_difference ? (int)strlen(minus) : 0));
    for (size_t p = first; p < c->n_policies; p++) {
        berth__text_add(text, "  ");
        add_name(text, c->policies[p], column - 2);
    }
    for (size_t m = 0; m < n_metrics(measured); m++) {
        berth__text_add(text, "\n%-*s", label - 2, berth_metric_text((berth_metric)m));
        for (size_t p = first; p < c->n_policies; p++) {
            add_estimate(text, of(c, all, instance, p) + m, is_difference, column);
        }
    }
    berth__text_add(text, "\n");
}

static void add_heading(berth__text *text, const berth_comparison *c, size_t instance) {
    berth__text_add(text, "%-*s", LABEL, "instance");
    add_name(text, c->instances[instance], 0);
    if (strcmp(c->bound, "none") == 0) {
        berth__text_add(text, "\n");
    } else if (isnan(c->bounds[instance])) {
        berth__text_add(text, "\n%-*snone found in time\n", LABEL,
                        strcmp(c->bound, "lp") == 0 ? "LP bound" : "dual bound");
    } else {
        berth__text_add(text, "\n%-*s%.6g%s: no schedule can earn more\n", LABEL,
                        strcmp(c->bound, "lp") == 0 ? "LP bound" : "dual bound", c->bounds[instance],
                        c->pooled ? " in the mean" : "");
    }
    berth__text_add(text, "%-*s", LABEL, "seeds");
    if (c->n_seeds == 1) {
        berth__text_add(text, "%" PRIu64 "\n", c->first_seed);
    } else {
        berth__text_add(text, "%" PRIu64 " to %" PRIu64 "; +-: of the mean, with 95 %% confidence\n", c->first_seed,
                        c->first_seed + c->n_seeds - 1);
    }
}

static void add_stop(berth__text *text, const berth_comparison *c) {
    if (c->stopped) {
        berth__text_add(text, "%-*s%zu of %zu runs are there, and what follows is of these\n\n", LABEL, "stopped early",
                        c->n_done, c->n_instances * c->n_policies * c->n_seeds);
    }
}

/* Padding at the ends of lines goes. */
static void trim_lines(char *bytes, size_t *length) {
    size_t to = 0;
    for (size_t from = 0; from < *length; from++) {
        while (bytes[from] == '\n' && to > 0 && bytes[to - 1] == ' ') {
            to--;
        }
        bytes[to++] = bytes[from];
    }
    bytes[to] = '\0';
    *length = to;
}

static void add_table(berth__text *text, const berth_comparison *c, bool measured) {
    add_stop(text, c);
    for (size_t i = 0; i < c->n_instances; i++) {
        if (i > 0) {
            berth__text_add(text, "\n");
        }
        add_heading(text, c, i);
        add_block(text, c, c->estimates, i, 0, measured);
        if (c->n_policies > 1) {
            add_block(text, c, c->differences, i, 1, measured);
        }
    }
}

/* ---- CSV ---- */

static void add_field(berth__text *text, const char *name) {
    if (strpbrk(name, ",\"\r\n") == NULL) {
        berth__text_add(text, "%s", name);
        return;
    }
    berth__text_add(text, "\"");
    for (; *name != '\0'; name++) {
        berth__text_add(text, *name == '"' ? "\"\"" : "%c", *name);
    }
    berth__text_add(text, "\"");
}

static void add_number(berth__text *text, double value) {
    char digits[BERTH__NUMBER_ROOM] = "";
    if (isfinite(value)) {
        berth__number_text(value, digits);
    }
    berth__text_add(text, ",%s", digits);
}

static void add_csv(berth__text *text, const berth_comparison *c, bool measured) {
    berth__text_add(text,
                    "instance,policy,metric,seeds,mean,half_width,paired_seeds,difference,difference_half_width\n");
    for (size_t k = 0; k < c->n_instances * c->n_policies; k++) {
        size_t i = k / c->n_policies, p = k % c->n_policies;
        for (size_t m = 0; m < n_metrics(measured); m++) {
            const berth_estimate *e = of(c, c->estimates, i, p) + m, *d = of(c, c->differences, i, p) + m;
            add_field(text, c->instances[i]);
            berth__text_add(text, ",");
            add_field(text, c->policies[p]);
            berth__text_add(text, ",%s,%zu", berth_metric_name((berth_metric)m), e->n);
            add_number(text, e->mean);
            add_number(text, e->half_width);
            berth__text_add(text, ",%zu", d->n);
            add_number(text, d->mean);
            add_number(text, d->half_width);
            berth__text_add(text, "\n");
        }
    }
}

/* ---- JSON ---- */

static void write_estimates(berth__json_writer *w, const char *key, const berth_estimate *estimates, bool measured) {
    berth__json_object(w, key);
    for (size_t m = 0; m < n_metrics(measured); m++) {
        berth__json_object(w, berth_metric_name((berth_metric)m));
        berth__json_integer(w, "n", (long long)estimates[m].n);
        berth__json_number(w, "mean", estimates[m].mean);
        berth__json_number(w, "half_width", estimates[m].half_width);
        berth__json_close(w);
    }
    berth__json_close(w);
}

static void write_policy(berth__json_writer *w, const berth_comparison *c, size_t instance, size_t policy,
                         bool measured) {
    const double *values = c->values + (instance * c->n_policies + policy) * c->n_seeds * BERTH_N_METRICS;
    berth__json_object(w, NULL);
    berth__json_string(w, "policy", c->policies[policy]);
    write_estimates(w, "estimates", of(c, c->estimates, instance, policy), measured);
    if (policy > 0) {
        write_estimates(w, "differences", of(c, c->differences, instance, policy), measured);
    }
    berth__json_list(w, "runs");
    for (size_t s = 0; s < c->n_seeds; s++) {
        berth__json_object(w, NULL);
        berth__json_uint64(w, "seed", c->first_seed + s);
        for (size_t m = 0; m < n_metrics(measured); m++) {
            berth__json_number(w, berth_metric_name((berth_metric)m), values[s * BERTH_N_METRICS + m]);
        }
        berth__json_close(w);
    }
    berth__json_close(w);
    berth__json_close(w);
}

static berth_status write_json(const berth_comparison *c, bool measured, const char *path, berth_error *error) {
    berth__json_writer w;
    berth__json_begin(&w);
    berth__json_object(&w, NULL);
    berth__json_string(&w, "format", "berth-comparison-1");
    berth__json_string(&w, "version", berth_version());
    berth__json_string(&w, "bound", c->bound);
    if (c->pooled) {
        berth__json_bool(&w, "pooled", true);
    }
    if (c->stopped) {
        berth__json_bool(&w, "stopped", true);
    }
    berth__json_number(&w, "confidence", 0.95);
    berth__json_uint64(&w, "first_seed", c->first_seed);
    berth__json_integer(&w, "seeds", (long long)c->n_seeds);
    berth__json_list(&w, "instances");
    for (size_t i = 0; i < c->n_instances; i++) {
        berth__json_object(&w, NULL);
        berth__json_string(&w, "instance", c->instances[i]);
        berth__write_crc32(&w, "instance_crc32", c->crc32[i]);
        berth__json_number(&w, "bound", c->bounds[i]);
        berth__json_list(&w, "policies");
        for (size_t p = 0; p < c->n_policies; p++) {
            write_policy(&w, c, i, p, measured);
        }
        berth__json_close(&w);
        berth__json_close(&w);
    }
    berth__json_close(&w);
    berth__json_close(&w);
    return berth__json_finish_file(&w, path, error);
}

/* ---- the whole ---- */

static berth_status write_text(const berth_comparison *c, bool is_table, bool measured, const char *path,
                               berth_error *error) {
    berth__text text = {0};
    berth__c_locale locale;
    char *bytes = NULL;
    size_t length = 0;
    if (!berth__c_locale_enter(&locale)) {
        return berth__fail_memory(error);
    }
    (is_table ? add_table : add_csv)(&text, c, measured);
    berth__c_locale_leave(&locale);
    berth_status status = berth__text_finish(&text, &bytes, &length, error);
    if (status == BERTH_OK && is_table) {
        trim_lines(bytes, &length);
    }
    if (status == BERTH_OK) {
        status = berth__bytes_write(path, bytes, length, error);
    }
    berth__free(bytes);
    return status;
}

berth_status berth_comparison_write(const berth_comparison *comparison, berth_comparison_format format, bool measured,
                                    const char *path, berth_error *error) {
    berth__error_clear(error);
    if (comparison == NULL || path == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, comparison == NULL ? "comparison" : "path", "must not be NULL");
    }
    switch (format) {
    case BERTH_COMPARISON_TABLE:
    case BERTH_COMPARISON_CSV:
        return write_text(comparison, format == BERTH_COMPARISON_TABLE, measured, path, error);
    case BERTH_COMPARISON_JSON:
        return write_json(comparison, measured, path, error);
    }
    return berth__fail(error, BERTH_E_ARGUMENT, "format", "there is no such format");
}
