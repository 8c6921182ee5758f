/* Reading MPS, CPLEX LP and GMPL by way of a backend: the text is made ready, put where the backend can open it, and
 * what comes back goes into the builder. Reading cannot be interrupted. */
#include "formats/problem_formats.h"

#include "formats/bytes.h"
#include "formats/problem_text.h"
#include "formats/text_file.h"
#include "solver/solve.h"

#include <stdio.h>
#include <string.h>

enum { MOST_WARNINGS = 10000 }; /* characters */

typedef struct foreign {
    const berth__problem_source *source;
    berth__problem_builder *builder;
    berth_problem_format format;
    const berth_backend *backend;
    const char *where; /* of the model, for messages */
    berth__prepared prepared;
    berth__text_file model, data;
    char *name; /* longest name so far, with blanks put back; [name_room] */
    size_t name_room;
    berth__text warnings; /* lines */
    bool skips_row;       /* the next row is the placeholder */
    bool in_skipped;
} foreign;

/* ---- the sink ---- */

static bool is_mps(const foreign *f) {
    return f->format == BERTH_PROBLEM_MPS || f->format == BERTH_PROBLEM_MPS_FREE;
}

/* The name with the blanks that stood in it. NULL: out of memory. */
static const char *with_blanks(foreign *f, const char *name) {
    char blank = f->prepared.blank;
    if (name == NULL || blank == '\0' || strchr(name, blank) == NULL) {
        return name;
    }
    size_t length = strlen(name) + 1;
    if (length > f->name_room) {
        char *grown = berth__realloc(f->name, length, 1);
        if (grown == NULL) {
            berth__problem_memory(f->builder);
            return NULL;
        }
        f->name = grown;
        f->name_room = length;
    }
    memcpy(f->name, name, length);
    for (char *at = f->name; (at = strchr(at, blank)) != NULL;) {
        *at = ' ';
    }
    return f->name;
}

static bool begin(void *user, const char *name, bool maximize, double constant) {
    foreign *f = user;
    const berth__prepared *prepared = &f->prepared;
    f->skips_row = prepared->no_rows;
    f->builder->maximize = is_mps(f) ? prepared->maximize : maximize;
    /* The negative of the objective's right side, which GLPK takes for the constant itself. */
    f->builder->offset = is_mps(f) ? -constant : constant + prepared->offset;
    /* GMPL has no name but the file's, which is the builder's by now. */
    return f->format == BERTH_PROBLEM_GMPL ||
           berth__problem_name(f->builder, prepared->name != NULL ? prepared->name : name);
}

/* Bounds of 1e30 and more are none in the files of solvers. */
static double bound(const foreign *f, double value) {
    bool infinite = f->format != BERTH_PROBLEM_GMPL && fabs(value) >= BERTH__FILE_INFINITY;
    return infinite ? copysign((double)INFINITY, value) : value;
}

static bool column(void *user, const char *name, double cost, double lower, double upper, bool is_integer) {
    foreign *f = user;
    if (f->prepared.has_placeholder && strcmp(name, BERTH__PLACEHOLDER) == 0) {
        return true;
    }
    const char *whole = with_blanks(f, name);
    return f->builder->status == BERTH_OK &&
           berth__problem_add_var(f->builder, whole, cost, bound(f, lower), bound(f, upper), is_integer, -1);
}

static bool row(void *user, const char *name, double lower, double upper) {
    foreign *f = user;
    f->in_skipped = f->skips_row;
    f->skips_row = false;
    if (f->in_skipped) {
        return true;
    }
    const char *whole = with_blanks(f, name);
    return f->builder->status == BERTH_OK &&
           berth__problem_add_row(f->builder, whole, bound(f, lower), bound(f, upper));
}

static bool entry(void *user, int index, double value) {
    foreign *f = user;
    /* The placeholder is the first column, if there is one, and has no entries but in the placeholder's row. */
    return f->in_skipped ||
           berth__problem_add_entry(f->builder, (size_t)index - (f->prepared.has_placeholder ? 1 : 0), value);
}

/* Where an error or warning is: the file of the model or that of the data. */
static const char *original(const foreign *f, const char *path) {
    bool is_data = f->data.fd >= 0 && strcmp(path, f->data.path) == 0;
    return is_data ? f->source->options->data : f->where;
}

static void warning(void *user, const char *path, long line, const char *text) {
    foreign *f = user;
    static const char *const idle[] = {
        "missing final end of line", "in fixed MPS format record", "missing RHS vector",    "missing RANGES vector",
        "missing BOUNDS vector",     "missing model name",         "keyword 'end' missing", "final NL missing"};
    for (size_t k = 0; k < sizeof idle / sizeof idle[0]; k++) {
        if (strncmp(text, idle[k], strlen(idle[k])) == 0) {
            return;
        }
    }
    if (f->warnings.length < MOST_WARNINGS) {
        berth__text_add(&f->warnings, "%.300s:%ld: %.500s\n", original(f, path), line, text);
    }
}

/* The reader may have been on another thread; hooks are called from the caller's. */
static void log_warnings(foreign *f) {
    char *line = f->warnings.bytes;
    while (line != NULL && *line != '\0') {
        size_t length = strcspn(line, "\n");
        berth__log(&f->source->options->hooks, BERTH_LOG_WARNING, "%.*s", (int)length, line);
        line += length + (line[length] == '\n');
    }
    berth__text_clear(&f->warnings);
}

/* ---- errors ---- */

/* GLPK's words where they say little to somebody who does not know it. */
static const char *in_our_words(const char *text) {
    static const struct {
        const char *theirs, *ours;
    } table[] = {
        {"invalid indicator record", "unknown section"},
        {"missing NAME indicator record", "expected the section NAME"},
        {"missing ROWS indicator record", "expected the section ROWS"},
        {"missing COLUMNS indicator record", "expected the section COLUMNS"},
        {"'minimize' or 'maximize' keyword missing", "expected Minimize or Maximize"},
        {"constraints section missing", "expected Subject To"},
        {"character '[' not recognized", "quadratic terms are not supported"},
    };
    for (size_t k = 0; k < sizeof table / sizeof table[0]; k++) {
        if (strcmp(text, table[k].theirs) == 0) {
            return table[k].ours;
        }
    }
    return text;
}

static berth_status tell(foreign *f, const berth_error *failure, const char *more) {
    berth_error *error = f->builder->error;
    const char *where = original(f, failure->where);
    if (failure->status != BERTH_E_INPUT) {
        return berth__fail(error, failure->status, failure->where, "%s", failure->message);
    }
    /* A file's name goes with a line of it. */
    const char *place = failure->line > 0 || where != f->where ? where : "";
    return berth__fail_at(error, BERTH_E_INPUT, place, failure->line, 0, "%s%s", in_our_words(failure->message), more);
}

/* ---- reading ---- */

static berth_status run(foreign *f, berth__syntax syntax, berth_error *failure) {
    berth__read_source source = {.syntax = syntax,
                                 .path = f->model.path,
                                 .data_path = f->data.fd >= 0 ? f->data.path : NULL,
                                 .blank = f->prepared.blank};
    berth__read_sink sink = {
        .user = f, .begin = begin, .column = column, .row = row, .entry = entry, .warning = warning};
    berth__text_clear(&f->warnings);
    return f->backend->read(&source, &sink, failure);
}

/* Fixed first, as free MPS cannot have blanks in names; a file that neither reader takes is of the kind that got
 * farther. */
static berth_status read_mps(foreign *f) {
    berth_error fixed = {0}, other = {0};
    char more[80] = "";
    if (f->format == BERTH_PROBLEM_MPS && run(f, BERTH__SYNTAX_MPS_FIXED, &fixed) == BERTH_OK) {
        return BERTH_OK;
    }
    f->prepared.blank = '\0';
    if (run(f, BERTH__SYNTAX_MPS_FREE, &other) == BERTH_OK) {
        return BERTH_OK;
    }
    if (f->format == BERTH_PROBLEM_MPS_FREE) {
        return tell(f, &other, more);
    }
    bool is_fixed = fixed.line > other.line;
    if (fixed.line != other.line) {
        snprintf(more, sizeof more, " (as %s MPS; as %s MPS it is wrong from line %ld on)", is_fixed ? "fixed" : "free",
                 is_fixed ? "free" : "fixed", is_fixed ? other.line : fixed.line);
    }
    return tell(f, is_fixed ? &fixed : &other, more);
}

static berth_status read_other(foreign *f) {
    berth_error failure = {0};
    berth__syntax syntax = f->format == BERTH_PROBLEM_LP ? BERTH__SYNTAX_LP : BERTH__SYNTAX_GMPL;
    return run(f, syntax, &failure) == BERTH_OK ? BERTH_OK : tell(f, &failure, "");
}

static berth_status open_data(foreign *f) {
    const char *path = f->source->options->data;
    char *bytes = NULL;
    size_t length = 0;
    if (path == NULL) {
        return BERTH_OK;
    }
    berth_status status = berth__bytes_read(path, BERTH__MAX_INPUT, &bytes, &length, f->builder->error);
    const char *text = bytes;
    if (status == BERTH_OK) {
        status = berth__text_check(&text, &length, path, f->builder->error);
    }
    if (status == BERTH_OK) {
        status = berth__text_file_open(text, length, &f->data, f->builder->error);
    }
    berth__free(bytes);
    return status;
}

static bool prepare(foreign *f) {
    return is_mps(f)                       ? berth__prepare_mps(f->source, f->builder, &f->prepared)
           : f->format == BERTH_PROBLEM_LP ? berth__prepare_lp(f->source, f->builder, &f->prepared)
                                           : berth__prepare_gmpl(f->source, f->builder, &f->prepared);
}

static berth_status read_all(foreign *f) {
    if (!prepare(f)) {
        return f->builder->status;
    }
    if (f->format == BERTH_PROBLEM_GMPL && !berth__problem_name_after_file(f->source, f->builder, 0)) {
        return f->builder->status;
    }
    berth_status status = berth__text_file_open(f->prepared.text, f->prepared.length, &f->model, f->builder->error);
    if (status == BERTH_OK && f->format == BERTH_PROBLEM_GMPL) {
        status = open_data(f);
    }
    if (status == BERTH_OK) {
        status = is_mps(f) ? read_mps(f) : read_other(f);
    }
    return status;
}

bool berth__problem_read_foreign(const berth__problem_source *source, berth_problem_format format,
                                 berth__problem_builder *builder) {
    if (builder->status != BERTH_OK) {
        return false;
    }
    foreign f = {.source = source,
                 .builder = builder,
                 .format = format,
                 .backend = berth__backend_find(source->options->backends, NULL, BERTH__BACKEND_READ),
                 .where = source->where != NULL ? source->where : "",
                 .model = {.fd = -1},
                 .data = {.fd = -1}};
    if (f.backend == NULL) {
        builder->status = berth__fail(builder->error, BERTH_E_BACKEND, NULL,
                                      "GLPK, whose readers take %s files, is not among the solvers here; JSON and "
                                      "OR-Library texts need none",
                                      is_mps(&f)                   ? "MPS"
                                      : format == BERTH_PROBLEM_LP ? "LP"
                                                                   : "GMPL");
        return false;
    }
    berth_status status = read_all(&f);
    if (builder->status == BERTH_OK) {
        builder->status = status;
    }
    log_warnings(&f);
    berth__text_file_close(&f.model);
    berth__text_file_close(&f.data);
    berth__free(f.prepared.text);
    berth__free(f.prepared.name);
    berth__free(f.name);
    return builder->status == BERTH_OK;
}
