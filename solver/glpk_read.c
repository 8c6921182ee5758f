/* GLPK's readers behind the backend contract.
 *
 * Notes on GLPK (5.0)
 *   - Readers say what is wrong by printing "FILE:LINE: text", in pieces; the last such line that is no warning is the
 *     error. Some slips end in a failed assertion instead, which is caught but tells no line, and whose open file is
 *     lost to the process.
 *   - Numbers below DBL_MIN are read as 0; MPS drops coefficients below 1e-12 unless told otherwise.
 *   - GMPL keeps the objective as a row too; here it is none. MPS drops all rows of kind N, the objective's and others,
 *     and takes the right side of the objective as the constant itself, of which others take the negative.
 *   - An integer column of an MPS file that has no bounds is binary, as in CPLEX.
 *   - The translator of GMPL recurses for each operator of an expression and each level of a parameter that is
 *     defined by itself. It gets a thread with a large stack: a chain of 100,000 operators, or a recursion half a
 *     million deep, passes; a much deeper recursion of the model's own overflows the stack all the same.
 *   - GMPL leaves out variables that no row and no objective names, cuts long names ("...") and makes bounds equal that
 *     are within 1e-9. */
#define _POSIX_C_SOURCE 200809L
#include "solver/glpk_read.h"

#include <glpk.h>

#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solver/glpk_guard.h"

/* What GMPL's translator may take. */
enum { MOST_MEBIBYTES = 4096 };

typedef struct glpk_reading {
    const berth__read_source *source;
    const berth__read_sink *sink;
    locale_t locale; /* of the caller's thread */
    berth__glpk_guarded guarded;
    char message[BERTH__GLPK_MESSAGE];
    bool good;
    char line[640]; /* what GLPK prints, up to the end of the line */
    size_t length;
    const char *error_path; /* of the last error told: one of the source's */
    long error_line;
    char error_text[400];
} glpk_reading;

/* ---- what GLPK says ---- */

/* Splits "FILE:LINE: text"; NULL: it is no such line. */
static const char *located(const char *line, const char *path, long *number) {
    size_t length = path == NULL ? 0 : strlen(path);
    if (length == 0 || strncmp(line, path, length) != 0 || line[length] != ':') {
        return NULL;
    }
    char *end;
    *number = strtol(line + length + 1, &end, 10);
    return end > line + length + 1 && strncmp(end, ": ", 2) == 0 ? end + 2 : NULL;
}

static void take_line(glpk_reading *r) {
    static const char warning[] = "warning: ";
    long number = 0;
    const char *path = r->source->path, *text = located(r->line, path, &number);
    if (text == NULL) {
        path = r->source->data_path;
        text = located(r->line, path, &number);
    }
    if (text == NULL) {
        return;
    }
    if (strncmp(text, warning, sizeof warning - 1) == 0) {
        r->sink->warning(r->sink->user, path, number, text + sizeof warning - 1);
        return;
    }
    r->error_path = path;
    r->error_line = number;
    snprintf(r->error_text, sizeof r->error_text, "%s", text);
}

static void listen(void *user, const char *piece) {
    glpk_reading *r = user;
    for (; *piece != '\0'; piece++) {
        if (*piece == '\n') {
            r->line[r->length] = '\0';
            take_line(r);
            r->length = 0;
        } else if (r->length + 1 < sizeof r->line) {
            r->line[r->length++] = *piece;
        }
    }
}

/* ---- the model ---- */

static double lower_of(int type, double lower) {
    return type == GLP_FR || type == GLP_UP ? -(double)INFINITY : lower;
}

static double upper_of(int type, double lower, double upper) {
    return type == GLP_FR || type == GLP_LO ? (double)INFINITY : type == GLP_FX ? lower : upper;
}

/* The row that is the objective, 0: none. Only GMPL leaves it among the rows. */
static int objective_row(const glpk_reading *r, glp_prob *problem) {
    const char *objective = r->source->syntax == BERTH__SYNTAX_GMPL ? glp_get_obj_name(problem) : NULL;
    for (int i = 1; i <= glp_get_num_rows(problem) && objective != NULL; i++) {
        const char *name = glp_get_row_name(problem, i);
        if (glp_get_row_type(problem, i) == GLP_FR && name != NULL && strcmp(name, objective) == 0) {
            return i;
        }
    }
    return 0;
}

static bool pass_columns(const berth__read_sink *sink, glp_prob *problem) {
    for (int j = 1; j <= glp_get_num_cols(problem); j++) {
        int type = glp_get_col_type(problem, j);
        double lower = glp_get_col_lb(problem, j), upper = glp_get_col_ub(problem, j);
        if (!sink->column(sink->user, glp_get_col_name(problem, j), glp_get_obj_coef(problem, j), lower_of(type, lower),
                          upper_of(type, lower, upper), glp_get_col_kind(problem, j) != GLP_CV)) {
            return false;
        }
    }
    return true;
}

static bool pass_row(const berth__read_sink *sink, glp_prob *problem, int i, int *columns, double *values) {
    int type = glp_get_row_type(problem, i);
    double lower = glp_get_row_lb(problem, i), upper = glp_get_row_ub(problem, i);
    if (!sink->row(sink->user, glp_get_row_name(problem, i), lower_of(type, lower), upper_of(type, lower, upper))) {
        return false;
    }
    int n = glp_get_mat_row(problem, i, columns, values);
    for (int k = n; k >= 1; k--) { /* GLPK lists them backwards */
        if (!sink->entry(sink->user, columns[k] - 1, values[k])) {
            return false;
        }
    }
    return true;
}

static void pass_model(glpk_reading *r, glp_prob *problem) {
    const berth__read_sink *sink = r->sink;
    const char *name = glp_get_prob_name(problem);
    int objective = objective_row(r, problem);
    int *columns = glp_alloc(1 + glp_get_num_cols(problem), sizeof *columns);
    double *values = glp_alloc(1 + glp_get_num_cols(problem), sizeof *values);
    bool more = sink->begin(sink->user, name != NULL ? name : "", glp_get_obj_dir(problem) == GLP_MAX,
                            glp_get_obj_coef(problem, 0)) &&
                pass_columns(sink, problem);
    for (int i = 1; i <= glp_get_num_rows(problem) && more; i++) {
        more = i == objective || pass_row(sink, problem, i, columns, values);
    }
    glp_free(columns);
    glp_free(values);
}

/* ---- reading ---- */

static bool read_gmpl(const glpk_reading *r, glp_prob *problem) {
    const berth__read_source *source = r->source;
    glp_mem_limit(MOST_MEBIBYTES); /* of this thread's environment; sets may be enormous */
    glp_tran *translator = glp_mpl_alloc_wksp();
    bool good = glp_mpl_read_model(translator, source->path, source->data_path != NULL) == 0 &&
                (source->data_path == NULL || glp_mpl_read_data(translator, source->data_path) == 0) &&
                glp_mpl_generate(translator, NULL) == 0;
    if (good) {
        glp_mpl_build_prob(translator, problem);
    }
    glp_mpl_free_wksp(translator);
    return good;
}

static bool read_mps(const glpk_reading *r, glp_prob *problem) {
    glp_mpscp parameters;
    glp_init_mpscp(&parameters);
    parameters.tol_mps = 0;
    parameters.blank = (unsigned char)r->source->blank;
    int form = r->source->syntax == BERTH__SYNTAX_MPS_FIXED ? GLP_MPS_DECK : GLP_MPS_FILE;
    return glp_read_mps(problem, form, &parameters, r->source->path) == 0;
}

static void read_and_pass(void *user) {
    glpk_reading *r = user;
    glp_prob *problem = glp_create_prob();
    switch (r->source->syntax) {
    case BERTH__SYNTAX_MPS_FIXED:
    case BERTH__SYNTAX_MPS_FREE:
        r->good = read_mps(r, problem);
        break;
    case BERTH__SYNTAX_LP:
        r->good = glp_read_lp(problem, NULL, r->source->path) == 0;
        break;
    case BERTH__SYNTAX_GMPL:
        r->good = read_gmpl(r, problem);
        break;
    }
    if (r->good) {
        pass_model(r, problem);
    }
    glp_delete_prob(problem);
}

static berth_status fail(berth_error *error, berth_status status, const char *where, long line, const char *message) {
    if (error != NULL) {
        memset(error, 0, sizeof *error);
        error->status = status;
        error->line = line;
        snprintf(error->where, sizeof error->where, "%s", where);
        snprintf(error->message, sizeof error->message, "%s", message);
    }
    return status;
}

static void *read_on_thread(void *user) {
    glpk_reading *r = user;
    uselocale(r->locale);
    r->guarded = berth__glpk_guard(read_and_pass, r, listen, r->message);
    return NULL;
}

/* On a thread whose stack is as large as can be had. False: none can be had. */
static bool read_with_large_stack(glpk_reading *r) {
    static const size_t mebibyte = (size_t)1 << 20, most = 1024, least = 64;
    pthread_attr_t attributes;
    bool done = false;
    if (pthread_attr_init(&attributes) != 0) {
        return false;
    }
    for (size_t size = most; size >= least && !done; size /= 2) {
        pthread_t thread;
        done = pthread_attr_setstacksize(&attributes, size * mebibyte) == 0 &&
               pthread_create(&thread, &attributes, read_on_thread, r) == 0;
        if (done) {
            pthread_join(thread, NULL);
        }
    }
    pthread_attr_destroy(&attributes);
    return done;
}

berth_status berth__glpk_read(const berth__read_source *source, const berth__read_sink *sink, berth_error *error) {
    glpk_reading r = {.source = source, .sink = sink, .locale = uselocale((locale_t)0)};
    char text[BERTH__GLPK_MESSAGE + 80];
    if (source->syntax != BERTH__SYNTAX_GMPL) {
        r.guarded = berth__glpk_guard(read_and_pass, &r, listen, r.message);
    } else if (!read_with_large_stack(&r)) {
        r.guarded = BERTH__GLPK_NO_MEMORY;
    }
    if (r.guarded == BERTH__GLPK_NO_MEMORY) {
        return fail(error, BERTH_E_MEMORY, "glpk", 0, "out of memory");
    }
    if (r.guarded == BERTH__GLPK_DIED) {
        r.message[strcspn(r.message, "\n")] = '\0';
        if (strstr(r.message, "memory") != NULL) {
            return fail(error, BERTH_E_MEMORY, "glpk", 0,
                        source->syntax == BERTH__SYNTAX_GMPL ? "out of memory: the model needs more than there is, or "
                                                               "more than 4 GiB"
                                                             : "out of memory");
        }
        snprintf(text, sizeof text, "GLPK's reader gave up without saying where (%s)", r.message);
        return fail(error, BERTH_E_INPUT, source->path, 0, text);
    }
    if (r.good) {
        return BERTH_OK;
    }
    if (r.error_path == NULL) {
        return fail(error, BERTH_E_INPUT, source->path, 0, "GLPK's reader refused it without saying why");
    }
    return fail(error, BERTH_E_INPUT, r.error_path, r.error_line, r.error_text);
}
