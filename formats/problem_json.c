/* Reading and writing berth-mpc-1, mixed packing-and-covering programmes in berth's own JSON. */
#include "formats/json_read.h"
#include "formats/json_write.h"
#include "formats/problem_formats.h"
#include "formats/problem_names.h"
#include "formulations/general/defaults.h"

#include <math.h>
#include <string.h>

/* ---- reading ---- */

typedef struct mpc_reader {
    berth__reader base; /* its arena is the problem's */
    berth__problem_builder *builder;
    berth__names vars, rows, groups;
} mpc_reader;

static bool node_amount(mpc_reader *r, const berth__node *node, const char *what, double *out) {
    if (!berth__node_number(&r->base, node, out)) {
        return false;
    }
    return *out >= 0 ? true
                     : berth__node_fail(&r->base, node, BERTH_E_INPUT, "%s must not be negative, is %.17g", what, *out);
}

static bool read_sense(mpc_reader *r, const berth__node *root) {
    const char *sense = NULL;
    if (!berth__read_text(&r->base, root, "sense", BERTH__REQUIRED, &sense)) {
        return false;
    }
    r->builder->maximize = strcmp(sense, "max") == 0;
    return r->builder->maximize || strcmp(sense, "min") == 0
               ? true
               : berth__member_fail(&r->base, root, "sense", BERTH_E_INPUT, "is \"%.60s\"; expected \"min\" or \"max\"",
                                    sense);
}

/* The number of the variable's group, -1 if it has none. */
static bool read_group(mpc_reader *r, const berth__node *node, int *out) {
    const char *name = NULL;
    *out = -1;
    if (!berth__read_string(&r->base, node, "group", BERTH__NULLABLE, &name)) {
        return r->base.status == BERTH_OK;
    }
    size_t next = r->builder->n_groups, found = berth__names_add(&r->groups, name, next);
    *out = (int)(found == BERTH__NO_NAME ? next : found);
    return found != BERTH__NO_NAME || berth__problem_add_group(r->builder, name);
}

static bool read_var(mpc_reader *r, const berth__node *node) {
    static const char *const fields[] = {"name", "cost", "upper", "integer", "group"};
    berth__node cost_node, upper_node;
    const char *name = NULL;
    double cost = 0, upper = (double)INFINITY;
    bool is_integer = true;
    int group;
    if (!BERTH__ONLY_FIELDS(&r->base, node, fields) ||
        !berth__read_string(&r->base, node, "name", BERTH__REQUIRED, &name) ||
        !berth__node_member(&r->base, node, "cost", BERTH__REQUIRED, &cost_node) ||
        !node_amount(r, &cost_node, "a cost", &cost)) {
        return false;
    }
    if (berth__node_member(&r->base, node, "upper", BERTH__NULLABLE, &upper_node)) {
        node_amount(r, &upper_node, "an upper bound", &upper);
    }
    berth__read_bool(&r->base, node, "integer", BERTH__OPTIONAL, &is_integer);
    if (r->base.status != BERTH_OK || !read_group(r, node, &group)) {
        return false;
    }
    size_t other = berth__names_add(&r->vars, name, r->builder->n_vars);
    if (other != BERTH__NO_NAME) {
        return berth__member_fail(&r->base, node, "name", BERTH_E_INPUT,
                                  "a second variable \"%.60s\"; the first is /variables/%zu", name, other);
    }
    return berth__problem_add_var(r->builder, name, cost, 0, upper, is_integer, group);
}

static bool read_terms(mpc_reader *r, const berth__node *row) {
    berth__node terms;
    if (!berth__node_member(&r->base, row, "terms", BERTH__REQUIRED, &terms) ||
        !berth__node_is_object(&r->base, &terms)) {
        return false;
    }
    for (void *at = json_object_iter(terms.value); at != NULL; at = json_object_iter_next(terms.value, at)) {
        berth__node term = {.value = json_object_iter_value(at), .parent = &terms, .key = json_object_iter_key(at)};
        double value = 0;
        size_t var = berth__names_find(&r->vars, term.key);
        if (var == BERTH__NO_NAME) {
            return berth__node_fail(&r->base, &term, BERTH_E_INPUT, "there is no variable \"%.60s\"", term.key);
        }
        if (!node_amount(r, &term, "a coefficient", &value) || !berth__problem_add_entry(r->builder, var, value)) {
            return false;
        }
    }
    return true;
}

static bool read_row(mpc_reader *r, const berth__node *node, bool is_cover) {
    static const char *const cover_fields[] = {"name", "at_least", "terms"};
    static const char *const pack_fields[] = {"name", "at_most", "terms"};
    const char *const *fields = is_cover ? cover_fields : pack_fields;
    berth__node side_node;
    const char *name = NULL;
    double side = 0;
    if (!berth__only_fields(&r->base, node, fields, 3) ||
        !berth__read_string(&r->base, node, "name", BERTH__REQUIRED, &name) ||
        !berth__node_member(&r->base, node, fields[1], BERTH__REQUIRED, &side_node) ||
        !node_amount(r, &side_node, "a right side", &side)) {
        return false;
    }
    if (berth__names_add(&r->rows, name, r->builder->n_rows) != BERTH__NO_NAME) {
        return berth__member_fail(&r->base, node, "name", BERTH_E_INPUT, "a second row \"%.60s\"", name);
    }
    return berth__problem_add_row(r->builder, name, is_cover ? side : -(double)INFINITY,
                                  is_cover ? (double)INFINITY : side) &&
           read_terms(r, node);
}

/* A list of which each element is read by itself; absent: empty. */
static size_t list_length(const berth__node *root, const char *key) {
    return json_array_size(json_object_get(root->value, key));
}

static bool read_rows(mpc_reader *r, const berth__node *root, const char *key, bool is_cover) {
    berth__node list;
    size_t n = 0;
    if (!berth__node_member(&r->base, root, key, BERTH__OPTIONAL, &list) || !berth__node_array(&r->base, &list, &n)) {
        return r->base.status == BERTH_OK;
    }
    for (size_t k = 0; k < n; k++) {
        berth__node item = berth__node_element(&list, k);
        if (!read_row(r, &item, is_cover)) {
            return false;
        }
    }
    return true;
}

static bool read_vars(mpc_reader *r, const berth__node *root) {
    berth__node list;
    size_t n = 0;
    if (!berth__node_member(&r->base, root, "variables", BERTH__REQUIRED, &list) ||
        !berth__node_array(&r->base, &list, &n)) {
        return false;
    }
    for (size_t k = 0; k < n; k++) {
        berth__node item = berth__node_element(&list, k);
        if (!read_var(r, &item)) {
            return false;
        }
    }
    return true;
}

static bool read_root(mpc_reader *r, const berth__node *root) {
    static const char *const fields[] = {"format", "name", "sense", "offset", "variables", "cover", "pack"};
    const char *name = "";
    if (!berth__read_format(&r->base, root, "berth-mpc-1") || !BERTH__ONLY_FIELDS(&r->base, root, fields)) {
        return false;
    }
    berth__read_text(&r->base, root, "name", BERTH__OPTIONAL, &name);
    berth__read_number(&r->base, root, "offset", BERTH__OPTIONAL, &r->builder->offset);
    size_t n_vars = list_length(root, "variables"), n_rows = list_length(root, "cover") + list_length(root, "pack");
    if (r->base.status == BERTH_OK && (!berth__names_init(&r->vars, n_vars) || !berth__names_init(&r->groups, n_vars) ||
                                       !berth__names_init(&r->rows, n_rows))) {
        berth__reader_memory(&r->base);
    }
    return r->base.status == BERTH_OK && berth__problem_name(r->builder, name) && read_sense(r, root) &&
           read_vars(r, root) && read_rows(r, root, "cover", true) && read_rows(r, root, "pack", false);
}

bool berth__problem_read_json(const berth__problem_source *source, berth__problem_builder *builder) {
    json_t *document = NULL;
    if (builder->status != BERTH_OK) {
        return false;
    }
    builder->status = berth__json_parse(source->text, source->length, source->where, &document, builder->error);
    if (builder->status != BERTH_OK) {
        return false;
    }
    mpc_reader r = {.base = {.arena = builder->arena, .error = builder->error}, .builder = builder};
    berth__node root = berth__node_root(document);
    read_root(&r, &root);
    berth__names_free(&r.vars);
    berth__names_free(&r.rows);
    berth__names_free(&r.groups);
    json_decref(document);
    if (builder->status == BERTH_OK) {
        builder->status = r.base.status;
    }
    return builder->status == BERTH_OK;
}

/* ---- writing ---- */

/* A row as the format has it: a . x >= lower and a . x <= upper with a >= 0, either side or both. */
typedef struct mpc_row {
    const char *name;
    double sign; /* a = sign * the problem's coefficients */
    bool cover, pack;
    double at_least, at_most;
} mpc_row;

static berth_status fail_row(berth_error *error, const char *name, const char *why) {
    return berth__fail(error, BERTH_E_UNSUPPORTED, name, "berth-mpc-1 has packing and covering rows only; this row %s",
                       why);
}

/* All coefficients >= 0: 1, all <= 0: -1 (none: the sign that suits the sides), else 0. */
static double sign_of(const berth_problem *problem, size_t row) {
    bool positive = false, negative = false;
    for (size_t e = problem->row_start[row]; e < problem->row_start[row + 1]; e++) {
        positive |= problem->value[e] > 0;
        negative |= problem->value[e] < 0;
    }
    return positive && negative ? 0 : negative ? -1 : 1;
}

static berth_status as_mpc_row(const berth_problem *problem, size_t row, const char *name, mpc_row *out,
                               berth_error *error) {
    double sign = sign_of(problem, row);
    double lower = sign < 0 ? -problem->row_upper[row] : problem->row_lower[row];
    double upper = sign < 0 ? -problem->row_lower[row] : problem->row_upper[row];
    *out = (mpc_row){.name = name, .sign = sign, .at_least = lower, .at_most = upper};
    if (sign == 0) {
        return fail_row(error, name, "has coefficients of both signs");
    }
    out->pack = upper < (double)INFINITY;
    /* A lower bound of 0 or less says nothing beside an upper one, as no term is negative. */
    out->cover = lower > 0 || (lower == 0 && !out->pack);
    if (out->pack && upper < 0) {
        return fail_row(error, name, "has a right side of the wrong sign");
    }
    if (!out->pack && !out->cover) {
        return fail_row(error, name, isinf(lower) ? "has no bound" : "has a right side of the wrong sign");
    }
    return BERTH_OK;
}

static berth_status check_vars(const berth_problem *problem, berth_error *error) {
    char buffer[BERTH__NAME_ROOM];
    for (size_t j = 0; j < problem->n_vars; j++) {
        const char *name = berth__var_name(problem, j, buffer);
        double lower = berth__var_lower(problem, j);
        if (problem->cost[j] < 0) {
            return berth__fail(error, BERTH_E_UNSUPPORTED, name,
                               "berth-mpc-1 has no negative costs; this variable's is %.17g", problem->cost[j]);
        }
        if (lower < 0) {
            return berth__fail(error, BERTH_E_UNSUPPORTED, name,
                               "berth-mpc-1 has no variables below 0; this one's lower bound is %g", lower);
        }
    }
    return BERTH_OK;
}

static void write_vars(berth__json_writer *w, const berth_problem *problem) {
    char buffer[BERTH__NAME_ROOM];
    berth__json_list(w, "variables");
    for (size_t j = 0; j < problem->n_vars; j++) {
        berth__json_object(w, NULL);
        berth__json_string(w, "name", berth__var_name(problem, j, buffer));
        berth__json_number(w, "cost", problem->cost[j]);
        if (berth__var_upper(problem, j) < (double)INFINITY) {
            berth__json_number(w, "upper", berth__var_upper(problem, j));
        }
        if (!berth__var_is_integer(problem, j)) {
            berth__json_bool(w, "integer", false);
        }
        if (berth__var_group(problem, j) >= 0) {
            berth__json_string(w, "group", berth__group_name(problem, (size_t)berth__var_group(problem, j), buffer));
        }
        berth__json_close(w);
    }
    berth__json_close(w);
}

static void write_terms(berth__json_writer *w, const berth_problem *problem, size_t row, double sign) {
    char buffer[BERTH__NAME_ROOM];
    berth__json_object(w, "terms");
    for (size_t e = problem->row_start[row]; e < problem->row_start[row + 1]; e++) {
        if (problem->value[e] != 0) {
            berth__json_number(w, berth__var_name(problem, (size_t)problem->var_of[e], buffer),
                               sign * problem->value[e]);
        }
    }
    berth__json_close(w);
}

static berth_status write_row(berth__json_writer *w, const berth_problem *problem, size_t row,
                              berth__unique_names *unique, bool is_cover, berth_error *error) {
    char buffer[BERTH__NAME_ROOM];
    mpc_row mpc;
    const char *name = berth__row_name(problem, row, buffer);
    berth_status status = as_mpc_row(problem, row, name, &mpc, error);
    if (status != BERTH_OK || !(is_cover ? mpc.cover : mpc.pack)) {
        return status;
    }
    if (mpc.cover && mpc.pack) {
        name = berth__unique_name(unique, name, is_cover ? ".lo" : ".up");
        if (name == NULL) {
            return berth__fail_memory(error);
        }
    }
    berth__json_object(w, NULL);
    berth__json_string(w, "name", name);
    berth__json_number(w, is_cover ? "at_least" : "at_most", is_cover ? mpc.at_least : mpc.at_most);
    write_terms(w, problem, row, mpc.sign);
    berth__json_close(w);
    return BERTH_OK;
}

/* A variable's positive lower bound is a covering row. */
static berth_status write_lower_bound(berth__json_writer *w, const berth_problem *problem, size_t var,
                                      berth__unique_names *unique, berth_error *error) {
    char buffer[BERTH__NAME_ROOM];
    const char *var_name = berth__var_name(problem, var, buffer);
    const char *name = berth__unique_name(unique, var_name, ".lo");
    if (name == NULL) {
        return berth__fail_memory(error);
    }
    berth__json_object(w, NULL);
    berth__json_string(w, "name", name);
    berth__json_number(w, "at_least", berth__var_lower(problem, var));
    berth__json_object(w, "terms");
    berth__json_number(w, var_name, 1);
    berth__json_close(w);
    berth__json_close(w);
    return BERTH_OK;
}

static berth_status write_rows(berth__json_writer *w, const berth_problem *problem, berth__unique_names *unique,
                               berth_error *error) {
    berth_status status = BERTH_OK;
    berth__json_list(w, "cover");
    for (size_t i = 0; i < problem->n_rows && status == BERTH_OK; i++) {
        status = write_row(w, problem, i, unique, true, error);
    }
    for (size_t j = 0; j < problem->n_vars && status == BERTH_OK; j++) {
        if (berth__var_lower(problem, j) > 0) {
            status = write_lower_bound(w, problem, j, unique, error);
        }
    }
    berth__json_close(w);
    berth__json_list(w, "pack");
    for (size_t i = 0; i < problem->n_rows && status == BERTH_OK; i++) {
        status = write_row(w, problem, i, unique, false, error);
    }
    berth__json_close(w);
    return status;
}

berth_status berth__problem_write_json(const berth_problem *problem, char **out, size_t *length, berth_error *error) {
    berth__json_writer w;
    berth__unique_names unique = {0};
    *out = NULL;
    berth_status status = check_vars(problem, error);
    if (status != BERTH_OK) {
        return status;
    }
    if (!berth__unique_names_init(&unique, problem)) {
        berth__unique_names_free(&unique);
        return berth__fail_memory(error);
    }
    berth__json_begin(&w);
    berth__json_object(&w, NULL);
    berth__json_string(&w, "format", "berth-mpc-1");
    berth__json_string(&w, "name", problem->name != NULL ? problem->name : "");
    berth__json_string(&w, "sense", problem->maximize ? "max" : "min");
    if (problem->offset != 0) {
        berth__json_number(&w, "offset", problem->offset);
    }
    write_vars(&w, problem);
    status = write_rows(&w, problem, &unique, error);
    berth__json_close(&w);
    /* The writer has a text to let go of also when the rows were refused. */
    berth_status finished = berth__json_finish(&w, out, length, status == BERTH_OK ? error : NULL);
    berth__unique_names_free(&unique);
    if (status != BERTH_OK) {
        berth__free(*out);
        *out = NULL;
        return status;
    }
    return finished;
}
