/* Solutions of general problems as JSON, berth-solution-1. What has no meaning without the problem (unknown variables
 * and rows) is an error here; what is only untrue is left to the checker. A solution of method "external" is
 * anybody's: it needs variables only, and claims nothing that it does not state. */
#include <berth_io.h>

#include "formats/result_json.h"
#include "formulations/general/defaults.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A proof's name by its number. */
static const char *const proof_names[] = {
    [BERTH_PROOF_NONE] = "none", [BERTH_PROOF_TOLERANCE] = "tolerance", [BERTH_PROOF_EXACT] = "exact"};

static const char *name_of_problem(const berth_problem *problem) {
    return problem->name == NULL ? "" : problem->name;
}

typedef const char *name_of(const berth_problem *problem, size_t number, char buffer[BERTH__NAME_ROOM]);

/* Names of all variables or rows, those that had to be made in the arena. NULL: out of memory. */
static const char *const *names_of(berth__arena *arena, const berth_problem *problem, name_of *name, size_t n) {
    char buffer[BERTH__NAME_ROOM];
    const char **all = BERTH__ARENA_ARRAY(arena, const char *, n);
    for (size_t k = 0; all != NULL && k < n; k++) {
        all[k] = name(problem, k, buffer);
        all[k] = all[k] == buffer ? berth__arena_strdup(arena, buffer) : all[k];
        if (all[k] == NULL) {
            return NULL;
        }
    }
    return all;
}

/* ---- reading ---- */

/* What the numbers of an object are keyed by. */
typedef struct name_index {
    const char *what; /* "variable" */
    size_t n;
    const char *const *names;
    berth__names table;
} name_index;

typedef struct context {
    const berth_problem *problem;
    berth__arena *arena; /* of the names; not the solution's */
    name_index vars, rows;
    bool external; /* anybody's solution: what only berth knows may be missing */
} context;

static berth__presence unless_external(const context *c) {
    return c->external ? BERTH__NULLABLE : BERTH__REQUIRED;
}

static bool make_index(berth__reader *r, context *c, name_index *out, const char *what, name_of *name, size_t n) {
    *out = (name_index){.what = what, .n = n, .names = names_of(c->arena, c->problem, name, n)};
    if (out->names == NULL || !berth__names_init(&out->table, n)) {
        return berth__reader_memory(r);
    }
    for (size_t k = 0; k < n; k++) {
        berth__names_add(&out->table, out->names[k], k);
    }
    return true;
}

/* An object {name: number}: absent ones are 0. */
static bool read_values(berth__reader *r, const berth__node *node, const name_index *by, const double **out) {
    if (!berth__node_is_object(r, node)) {
        return false;
    }
    double *values = BERTH__ARENA_ARRAY(r->arena, double, by->n);
    if (values == NULL) {
        return berth__reader_memory(r);
    }
    for (void *at = json_object_iter(node->value); at != NULL; at = json_object_iter_next(node->value, at)) {
        const char *key = json_object_iter_key(at);
        berth__node value = {.value = json_object_iter_value(at), .parent = node, .key = key};
        size_t k = berth__names_find(&by->table, key);
        if (k == BERTH__NO_NAME) {
            return berth__node_fail(r, &value, BERTH_E_INPUT, "the problem has no %s of this name", by->what);
        }
        if (!berth__node_number(r, &value, &values[k])) {
            return false;
        }
    }
    *out = values;
    return true;
}

static bool read_member_values(berth__reader *r, const berth__node *root, const char *key, const name_index *by,
                               const double **out) {
    berth__node node;
    return berth__node_member(r, root, key, BERTH__NULLABLE, &node) ? read_values(r, &node, by, out)
                                                                    : r->status == BERTH_OK;
}

/* Null if there is no point, but never left out. */
static bool read_point(berth__reader *r, const berth__node *root, const context *c, berth_solution *s) {
    berth__node node;
    if (!berth__node_member(r, root, "variables", BERTH__REQUIRED, &node)) {
        return false;
    }
    return json_is_null(node.value) ? true : read_values(r, &node, &c->vars, &s->x);
}

static bool read_identity(berth__reader *r, const berth__node *root, const context *c, berth_solution *s) {
    const berth_problem *problem = c->problem;
    if (berth__read_text(r, root, "problem", unless_external(c), &s->problem) &&
        strcmp(s->problem, name_of_problem(problem)) != 0) {
        return berth__member_fail(r, root, "problem", BERTH_E_MISMATCH,
                                  "this is a solution of problem \"%.60s\", not of \"%.60s\"", s->problem,
                                  name_of_problem(problem));
    }
    if (berth__read_crc32(r, root, "problem_crc32", BERTH__NULLABLE, &s->problem_crc32) && problem->crc32 != 0 &&
        s->problem_crc32 != problem->crc32) {
        return berth__member_fail(r, root, "problem_crc32", BERTH_E_MISMATCH,
                                  "made from another state of problem \"%.60s\": its crc32 was %08lx and is %08lx now",
                                  name_of_problem(problem), (unsigned long)s->problem_crc32,
                                  (unsigned long)problem->crc32);
    }
    return r->status == BERTH_OK;
}

static bool read_outcome(berth__reader *r, const berth__node *root, const context *c, berth_solution *s) {
    static const berth_outcome outcomes[] = {
#define OUTCOME_NUMBER(name, value, text) BERTH_##name,
        BERTH_OUTCOME_TABLE(OUTCOME_NUMBER)
#undef OUTCOME_NUMBER
    };
    const char *name = NULL;
    s->outcome = s->x != NULL ? BERTH_FEASIBLE : BERTH_NUMERIC;
    if (!berth__read_text(r, root, "outcome", unless_external(c), &name)) {
        return r->status == BERTH_OK;
    }
    for (size_t k = 0; k < sizeof outcomes / sizeof outcomes[0]; k++) {
        if (strcmp(berth_outcome_name(outcomes[k]), name) == 0) {
            s->outcome = outcomes[k];
            return true;
        }
    }
    return berth__member_fail(
        r, root, "outcome", BERTH_E_INPUT,
        "unknown outcome \"%.60s\"; known: OPTIMAL, FEASIBLE, APPROXIMATE, INFEASIBLE, UNBOUNDED, "
        "LIMIT, NUMERIC",
        name);
}

static bool read_proof(berth__reader *r, const berth__node *root, berth_solution *s) {
    const char *name = NULL;
    if (!berth__read_text(r, root, "proof", BERTH__NULLABLE, &name)) {
        return r->status == BERTH_OK;
    }
    for (size_t k = 0; k < sizeof proof_names / sizeof proof_names[0]; k++) {
        if (strcmp(proof_names[k], name) == 0) {
            s->proof = (berth_proof)k;
            return true;
        }
    }
    return berth__member_fail(r, root, "proof", BERTH_E_INPUT,
                              "expected \"none\", \"tolerance\" or \"exact\", found \"%.60s\"", name);
}

static bool read_guarantee(berth__reader *r, const berth__node *root, berth_promise *promise) {
    static const char *const fields[] = {"holds",       "scale",       "cost_factor", "cover_factor",
                                         "pack_factor", "probability", "why_not"};
    const double none = (double)NAN;
    berth__node node;
    *promise = (berth_promise){false, none, none, none, none, none, NULL};
    if (!berth__node_member(r, root, "guarantee", BERTH__NULLABLE, &node) || !BERTH__ONLY_FIELDS(r, &node, fields)) {
        return r->status == BERTH_OK;
    }
    berth__read_bool(r, &node, "holds", BERTH__REQUIRED, &promise->holds);
    berth__read_number(r, &node, "scale", BERTH__NULLABLE, &promise->scale);
    berth__read_number(r, &node, "cost_factor", BERTH__NULLABLE, &promise->cost_factor);
    berth__read_number(r, &node, "cover_factor", BERTH__NULLABLE, &promise->cover_factor);
    berth__read_number(r, &node, "pack_factor", BERTH__NULLABLE, &promise->pack_factor);
    berth__read_number(r, &node, "probability", BERTH__NULLABLE, &promise->probability);
    berth__read_text(r, &node, "why_not", BERTH__NULLABLE, &promise->why_not);
    return r->status == BERTH_OK;
}

static bool read_options(berth__reader *r, const berth__node *root, berth_solution *s) {
    static const char *const fields[] = {"delta", "favour", "scale", "repair", "gap", "lp_gap"};
    berth__node node;
    s->delta = s->gap = s->lp_gap = (double)NAN;
    if (!berth__node_member(r, root, "options", BERTH__NULLABLE, &node) || !BERTH__ONLY_FIELDS(r, &node, fields)) {
        return r->status == BERTH_OK;
    }
    berth__read_number(r, &node, "delta", BERTH__NULLABLE, &s->delta);
    berth__read_rounding(r, &node, &s->favour, &s->scale);
    berth__read_bool(r, &node, "repair", BERTH__NULLABLE, &s->repair);
    berth__read_number(r, &node, "gap", BERTH__NULLABLE, &s->gap);
    berth__read_number(r, &node, "lp_gap", BERTH__NULLABLE, &s->lp_gap);
    return r->status == BERTH_OK;
}

static bool read_figures(berth__reader *r, const berth__node *root, berth_solution *s) {
    s->cost = s->bound = s->node_bound = s->ratio = s->cover_min = s->pack_max = (double)NAN;
    berth__read_number(r, root, "cost", BERTH__NULLABLE, &s->cost);
    berth__read_number(r, root, "bound", BERTH__NULLABLE, &s->bound);
    berth__read_number(r, root, "node_bound", BERTH__NULLABLE, &s->node_bound);
    berth__read_number(r, root, "ratio", BERTH__NULLABLE, &s->ratio);
    berth__read_number(r, root, "cover_min", BERTH__NULLABLE, &s->cover_min);
    berth__read_number(r, root, "pack_max", BERTH__NULLABLE, &s->pack_max);
    return r->status == BERTH_OK;
}

static bool read_root(berth__reader *r, const berth__node *root, context *c, berth_solution *s) {
    static const char *const fields[] = {
        "format",           "problem",     "problem_crc32", "method",  "outcome", "found_by",   "lp",
        "packing_covering", "why_not",     "cost",          "bound",   "proof",   "node_bound", "ratio",
        "cover_min",        "pack_max",    "guarantee",     "seed",    "trials",  "options",    "variables",
        "relaxation",       "multipliers", "ray",           "versions"};
    if (!berth__read_format(r, root, "berth-solution-1") || !BERTH__ONLY_FIELDS(r, root, fields) ||
        !berth__read_string(r, root, "method", BERTH__REQUIRED, &s->method)) {
        return false;
    }
    c->external = strcmp(s->method, "external") == 0;
    if (!read_identity(r, root, c, s) || !read_point(r, root, c, s) || !read_outcome(r, root, c, s)) {
        return false;
    }
    berth__read_string(r, root, "found_by", BERTH__NULLABLE, &s->found_by);
    berth__read_string(r, root, "lp", BERTH__NULLABLE, &s->lp);
    berth__read_bool(r, root, "packing_covering", unless_external(c), &s->packing_covering);
    berth__read_text(r, root, "why_not", BERTH__NULLABLE, &s->why_not);
    berth__read_seed(r, root, unless_external(c), &s->seed);
    berth__read_int(r, root, "trials", BERTH__NULLABLE, &s->trials);
    return r->status == BERTH_OK && read_figures(r, root, s) && read_proof(r, root, s) &&
           read_guarantee(r, root, &s->promise) && read_options(r, root, s) &&
           read_member_values(r, root, "relaxation", &c->vars, &s->relaxation) &&
           read_member_values(r, root, "multipliers", &c->rows, &s->multipliers) &&
           read_member_values(r, root, "ray", &c->rows, &s->ray) &&
           berth__read_versions(r, root, &s->n_versions, &s->version_names, &s->version_numbers);
}

static berth_status solution_from(json_t *document, const berth_problem *problem, berth_solution **out,
                                  berth_error *error) {
    berth__reader r = {.arena = berth__arena_new(), .error = error};
    context c = {.problem = problem, .arena = berth__arena_new()};
    berth_solution *s = r.arena == NULL || c.arena == NULL ? NULL : BERTH__ARENA_ARRAY(r.arena, berth_solution, 1);
    if (s == NULL) {
        berth__reader_memory(&r);
        goto done;
    }
    s->n_vars = problem->n_vars;
    s->n_rows = problem->n_rows;
    s->memory = r.arena;
    berth__node root = berth__node_root(document);
    if (make_index(&r, &c, &c.vars, "variable", berth__var_name, problem->n_vars) &&
        make_index(&r, &c, &c.rows, "row", berth__row_name, problem->n_rows) && read_root(&r, &root, &c, s)) {
        *out = s;
    }
done:
    berth__names_free(&c.vars.table);
    berth__names_free(&c.rows.table);
    berth__arena_free(c.arena);
    if (r.status != BERTH_OK) {
        berth__arena_free(r.arena);
    }
    return r.status;
}

/* The first of the arguments that is NULL, for an error; NULL: none is. */
static const char *missing_argument(const char *path, const berth_problem *problem, const void *other,
                                    const char *name_of_other) {
    return other == NULL ? name_of_other : problem == NULL ? "problem" : path == NULL ? "path" : NULL;
}

berth_status berth_solution_read(const char *path, const berth_problem *problem, berth_solution **out,
                                 berth_error *error) {
    berth__error_clear(error);
    const char *missing = missing_argument(path, problem, out, "out");
    if (out != NULL) {
        *out = NULL;
    }
    if (missing != NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, missing, "must not be NULL");
    }
    berth__c_locale locale;
    json_t *document = NULL;
    if (!berth__c_locale_enter(&locale)) {
        return berth__fail_memory(error);
    }
    berth_status status = berth__json_read_file(path, &document, error);
    if (status == BERTH_OK) {
        status = solution_from(document, problem, out, error);
    }
    json_decref(document);
    berth__c_locale_leave(&locale);
    return status;
}

/* ---- writing ---- */

static void write_guarantee(berth__json_writer *w, const berth_promise *promise) {
    berth__json_object(w, "guarantee");
    berth__json_bool(w, "holds", promise->holds);
    berth__json_number(w, "scale", promise->scale);
    berth__json_number(w, "cost_factor", promise->cost_factor);
    berth__json_number(w, "cover_factor", promise->cover_factor);
    berth__json_number(w, "pack_factor", promise->pack_factor);
    berth__json_number(w, "probability", promise->probability);
    berth__json_string(w, "why_not", promise->why_not);
    berth__json_close(w);
}

static void write_options(berth__json_writer *w, const berth_solution *s) {
    berth__json_object(w, "options");
    berth__json_number(w, "delta", s->delta);
    berth__json_string(w, "favour", s->favour);
    berth__json_string(w, "scale", s->scale);
    berth__json_bool(w, "repair", s->repair);
    berth__json_number(w, "gap", s->gap);
    berth__json_number(w, "lp_gap", s->lp_gap);
    berth__json_close(w);
}

static void write_head(berth__json_writer *w, const berth_solution *s) {
    berth__json_string(w, "format", "berth-solution-1");
    berth__json_string(w, "problem", s->problem);
    if (s->problem_crc32 != 0) {
        berth__write_crc32(w, "problem_crc32", s->problem_crc32);
    } else {
        berth__json_null(w, "problem_crc32");
    }
    berth__json_string(w, "method", s->method);
    berth__json_string(w, "outcome", berth_outcome_name(s->outcome));
    berth__json_string(w, "found_by", s->found_by);
    berth__json_string(w, "lp", s->lp);
    berth__json_bool(w, "packing_covering", s->packing_covering);
    berth__json_string(w, "why_not", s->why_not);
}

static void write_figures(berth__json_writer *w, const berth_solution *s) {
    size_t proof = (size_t)s->proof;
    berth__json_number(w, "cost", s->cost);
    berth__json_number(w, "bound", s->bound);
    berth__json_string(w, "proof", proof < sizeof proof_names / sizeof proof_names[0] ? proof_names[proof] : NULL);
    berth__json_number(w, "node_bound", s->node_bound);
    berth__json_number(w, "ratio", s->ratio);
    berth__json_number(w, "cover_min", s->cover_min);
    berth__json_number(w, "pack_max", s->pack_max);
}

static void write_values(berth__json_writer *w, const char *key, const char *const *names, const double *values,
                         size_t n) {
    if (values == NULL) {
        berth__json_null(w, key);
    } else {
        berth__json_amounts(w, key, n, names, values, berth__json_skip_zero);
    }
}

static void write_solution(berth__json_writer *w, const berth_solution *s, const char *const *vars,
                           const char *const *rows) {
    berth__json_object(w, NULL);
    write_head(w, s);
    write_figures(w, s);
    write_guarantee(w, &s->promise);
    berth__json_uint64(w, "seed", s->seed);
    berth__json_integer(w, "trials", s->trials);
    write_options(w, s);
    write_values(w, "variables", vars, s->x, s->n_vars);
    write_values(w, "relaxation", vars, s->relaxation, s->n_vars);
    write_values(w, "multipliers", rows, s->multipliers, s->n_rows);
    write_values(w, "ray", rows, s->ray, s->n_rows);
    berth__write_versions(w, s->n_versions, s->version_names, s->version_numbers);
    berth__json_close(w);
}

berth_status berth_solution_write(const berth_solution *solution, const berth_problem *problem, const char *path,
                                  berth_error *error) {
    berth__error_clear(error);
    const char *missing = missing_argument(path, problem, solution, "solution");
    if (missing != NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, missing, "must not be NULL");
    }
    if (solution->n_vars != problem->n_vars || solution->n_rows != problem->n_rows) {
        return berth__fail(error, BERTH_E_MISMATCH, "solution", "it is of a problem of another size");
    }
    berth__arena *arena = berth__arena_new();
    const char *const *vars = arena == NULL ? NULL : names_of(arena, problem, berth__var_name, problem->n_vars);
    const char *const *rows = vars == NULL ? NULL : names_of(arena, problem, berth__row_name, problem->n_rows);
    berth_status status = BERTH_E_MEMORY;
    if (rows != NULL) {
        berth__json_writer w;
        berth__json_begin(&w);
        write_solution(&w, solution, vars, rows);
        status = berth__json_finish_file(&w, path, error);
    } else {
        berth__fail_memory(error);
    }
    berth__arena_free(arena);
    return status;
}
