/* The formats of general problems: what their files share. */
#ifndef BERTH_FORMATS_PROBLEM_FORMATS_H
#define BERTH_FORMATS_PROBLEM_FORMATS_H

#include <berth_io.h>

#include "base/error.h"
#include "formats/problem_build.h"
#include "solver/backend.h"

/* One text to be read: checked to be UTF-8 without NUL, NUL-terminated. */
typedef struct berth__problem_source {
    const char *text;
    size_t length;
    const char *where; /* the file's name for errors; NULL: none */
    const berth_problem_read_options *options;
} berth__problem_source;

/* All readers fill the builder and say whether that went well; it has the failure. Numbers are read in the C locale,
 * which the caller has entered. */
bool berth__problem_read_json(const berth__problem_source *source, berth__problem_builder *builder);
bool berth__problem_read_scp(const berth__problem_source *source, berth__problem_builder *builder);
bool berth__problem_read_mknap(const berth__problem_source *source, berth__problem_builder *builder);
/* MPS, LP and GMPL: by a backend that can read. Fixed MPS falls back on free MPS. */
bool berth__problem_read_foreign(const berth__problem_source *source, berth_problem_format format,
                                 berth__problem_builder *builder);

/* Fails at a line of the source. Returns false. */
bool berth__problem_fail_line(const berth__problem_source *source, berth__problem_builder *builder, berth_status status,
                              long line, const char *format, ...) BERTH__PRINTF(5, 6);

/* Names the problem as the file without folder and extension, with "-NUMBER" unless that is 0. */
bool berth__problem_name_after_file(const berth__problem_source *source, berth__problem_builder *builder,
                                    size_t number);

/* ---- texts made ready for GLPK's readers, which lack some of what the formats have ---- */

/* What was taken out of a text before GLPK sees it. Lines keep their numbers. */
typedef struct berth__prepared {
    char *text; /* berth__free it */
    size_t length;
    char *name;           /* berth__free it; NULL: as the backend says */
    char blank;           /* fixed MPS: stands for blanks within names; 0: none needed, or none to be had */
    bool maximize;        /* MPS: OBJSENSE said so */
    double offset;        /* LP: constants of the objective */
    bool has_placeholder; /* LP: the first column is BERTH__PLACEHOLDER and means nothing */
    bool no_rows;         /* LP: the one row is a placeholder too */
} berth__prepared;

#define BERTH__PLACEHOLDER "berth_placeholder"

bool berth__prepare_mps(const berth__problem_source *source, berth__problem_builder *builder, berth__prepared *out);
bool berth__prepare_lp(const berth__problem_source *source, berth__problem_builder *builder, berth__prepared *out);
bool berth__prepare_gmpl(const berth__problem_source *source, berth__problem_builder *builder, berth__prepared *out);

/* ---- writers: the whole text into *out (berth__free it), in the C locale ---- */

berth_status berth__problem_write_json(const berth_problem *problem, char **out, size_t *length, berth_error *error);
berth_status berth__problem_write_mps(const berth_problem *problem, bool is_free, char **out, size_t *length,
                                      berth_error *error);
berth_status berth__problem_write_lp(const berth_problem *problem, char **out, size_t *length, berth_error *error);

#endif
