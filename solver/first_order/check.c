#include "solver/first_order/check.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "solver/verify.h"

/* Right sides are aimed at with this margin and held to with ten times that: sums of the model's numbers are off by
 * less, and BERTH__FEASIBILITY is far more. */
#define AIM 1e-12

static bool point_init(berth__fo_point *point, int n_cols) {
    *point = (berth__fo_point){.x = BERTH__NEW_ARRAY(double, (size_t)n_cols), .cost = (double)INFINITY};
    return point->x != NULL;
}

bool berth__fo_check_init(const berth__fo_form *form, berth__team *team, double slack, berth__fo_check *out) {
    size_t n = (size_t)form->n_cols, m = (size_t)form->n_rows;
    *out = (berth__fo_check){.form = form, .team = team, .slack = slack, .lower = -(double)INFINITY};
    bool points = point_init(&out->exact, form->n_cols);
    points = point_init(&out->within, form->n_cols) && points;
    out->y = BERTH__NEW_ARRAY(double, m);
    out->ray = BERTH__NEW_ARRAY(double, m);
    out->x = BERTH__NEW_ARRAY(double, n);
    out->product = BERTH__NEW_ARRAY(double, n);
    out->score = BERTH__NEW_ARRAY(double, n);
    out->activity = BERTH__NEW_ARRAY(double, m);
    out->factor = BERTH__NEW_ARRAY(double, m);
    out->signed_y = BERTH__NEW_ARRAY(double, m);
    out->kinks = BERTH__NEW_ARRAY(berth__kink, n);
    return points && out->y != NULL && out->ray != NULL && out->x != NULL && out->product != NULL &&
           out->score != NULL && out->activity != NULL && out->factor != NULL && out->signed_y != NULL &&
           out->kinks != NULL;
}

void berth__fo_check_clear(berth__fo_check *check) {
    berth__free(check->exact.x);
    berth__free(check->within.x);
    berth__free(check->y);
    berth__free(check->ray);
    berth__free(check->x);
    berth__free(check->product);
    berth__free(check->score);
    berth__free(check->activity);
    berth__free(check->factor);
    berth__free(check->signed_y);
    berth__free(check->kinks);
    *check = (berth__fo_check){0};
}

/* ---- Products with the model's own numbers ---- */

static void multiply_columns_part(void *user, int part, int parts) {
    berth__fo_check *check = user;
    const berth__model *model = check->form->model;
    int end = berth__team_begin(model->n_cols, part + 1, parts);
    for (int j = berth__team_begin(model->n_cols, part, parts); j < end; j++) {
        double sum = 0;
        for (size_t e = model->col_start[j]; e < model->col_start[j + 1]; e++) {
            sum += model->value[e] * check->signed_y[model->row_of[e]];
        }
        check->product[j] = sum;
    }
}

/* product = K'y. */
static void multiply_columns(berth__fo_check *check, const double *y) {
    for (int i = 0; i < check->form->n_rows; i++) {
        check->signed_y[i] = check->form->sign[i] * y[i];
    }
    berth__team_run_items(check->team, multiply_columns_part, check, check->form->n_cols);
}

static void multiply_rows_part(void *user, int part, int parts) {
    berth__fo_check *check = user;
    const berth__model *model = check->form->model;
    int end = berth__team_begin(model->n_rows, part + 1, parts);
    for (int i = berth__team_begin(model->n_rows, part, parts); i < end; i++) {
        double sum = 0;
        for (size_t e = model->row_start[i]; e < model->row_start[i + 1]; e++) {
            sum += model->row_value[e] * check->x[model->col_of[e]];
        }
        check->activity[i] = check->form->sign[i] * sum;
    }
}

/* activity = K x. */
static void multiply_rows(berth__fo_check *check) {
    berth__team_run_items(check->team, multiply_rows_part, check, check->form->n_rows);
}

/* Adds `step` to a column, activities too. */
static void move_column(berth__fo_check *check, int j, double step) {
    const berth__model *model = check->form->model;
    check->x[j] += step;
    for (size_t e = model->col_start[j]; e < model->col_start[j + 1]; e++) {
        check->activity[model->row_of[e]] += fabs(model->value[e]) * step;
    }
}

/* ---- Lower bound ---- */

static double rhs_product(const berth__fo_form *form, const double *y) {
    double sum = 0;
    for (int i = 0; i < form->n_rows; i++) {
        if (y[i] != 0) {
            sum += y[i] * (y[i] > 0 ? form->cover[i] : form->packing[i]);
        }
    }
    return sum;
}

/* f(t) = t q + sum_j box_j min(0, c_j - t g_j) */
static double bound_at(const berth__fo_check *check, double q, double t) {
    const berth__fo_form *form = check->form;
    double sum = t * q;
    for (int j = 0; j < form->n_cols; j++) {
        double reduced = form->cost[j] - t * check->product[j];
        sum += reduced < 0 ? form->box[j] * reduced : 0;
    }
    return sum;
}

/* Where f is largest, by its kinks at c_j / g_j. INFINITY: f grows beyond all limits. */
static double best_scale(berth__fo_check *check, double q) {
    const berth__fo_form *form = check->form;
    double slope = q;
    size_t n = 0;
    for (int j = 0; j < form->n_cols; j++) {
        double c = form->cost[j], weight = form->box[j] * check->product[j];
        if (weight == 0) {
            continue;
        }
        bool falls = c < 0 || (c == 0 && weight > 0); /* below 0 from t = 0 on */
        slope -= falls ? weight : 0;
        if (c * weight > 0) {
            check->kinks[n++] = (berth__kink){c / check->product[j], fabs(weight)};
        }
    }
    return berth__concave_peak(slope, check->kinks, n);
}

/* ---- Infeasibility ---- */

/* The row that gives column j's implied bound as a packing row, -1 if none does. */
static int tightest_packing_row(const berth__fo_form *form, int j, double *coefficient) {
    const berth__model *model = form->model;
    double least = form->box[j] * (1 + 1e-9);
    int tightest = -1;
    for (size_t e = model->col_start[j]; e < model->col_start[j + 1]; e++) {
        int i = model->row_of[e];
        double value = fabs(model->value[e]);
        if (form->sign[i] != 0 && form->packing[i] <= least * value) {
            least = form->packing[i] / value;
            tightest = i;
            *coefficient = value;
        }
    }
    return tightest;
}

/* Makes (K'y)_j <= 0 for a column whose box is narrower than its own bound, at no loss: y . rhs - sum_j box_j (K'y)_j+
 * does not fall. With the packing row that bounds it, its multiplier takes the column's excess over; otherwise the box
 * is that at which the column satisfies all its cover rows alone, whose multipliers shrink together. No (K'y)_k of
 * another column grows. */
static void absorb(const berth__fo_form *form, int j, double *y) {
    const berth__model *model = form->model;
    double above = 0, below = 0, coefficient = 1;
    for (size_t e = model->col_start[j]; e < model->col_start[j + 1]; e++) {
        double term = fabs(form->sign[model->row_of[e]] * model->value[e]) * y[model->row_of[e]];
        above += fmax(0, term);
        below -= fmin(0, term);
    }
    if (above <= below || form->box[j] >= form->upper[j]) {
        return;
    }
    int row = tightest_packing_row(form, j, &coefficient);
    if (row >= 0) {
        y[row] -= (above - below) / coefficient;
        return;
    }
    for (size_t e = model->col_start[j]; e < model->col_start[j + 1]; e++) {
        int i = model->row_of[e];
        y[i] = y[i] > 0 ? y[i] * (below / above) : y[i];
    }
}

/* Turns the multipliers, if f(t) grows beyond all limits, into a Farkas certificate for the columns' own bounds. */
static void seek_ray(berth__fo_check *check, const double *y, double q) {
    const berth__fo_form *form = check->form;
    double excess = q;
    for (int j = 0; j < form->n_cols; j++) {
        excess -= form->box[j] * fmax(0, check->product[j]);
    }
    if (!(excess > 0)) {
        return;
    }
    memcpy(check->factor, y, (size_t)form->n_rows * sizeof(double));
    for (int j = 0; j < form->n_cols; j++) {
        absorb(form, j, check->factor);
    }
    for (int i = 0; i < form->n_rows; i++) {
        check->ray[i] = form->sign[i] * check->factor[i];
    }
    check->infeasible = berth__verify_farkas(form->model, check->ray);
}

static double raise_lower_bound(berth__fo_check *check, const double *y) {
    const berth__fo_form *form = check->form;
    multiply_columns(check, y);
    double q = rhs_product(form, y), t = best_scale(check, q);
    if (isinf(t)) {
        seek_ray(check, y, q);
        return 1;
    }
    double bound = bound_at(check, q, t);
    if (bound > check->lower) {
        check->lower = bound;
        for (int i = 0; i < form->n_rows; i++) {
            check->y[i] = t * y[i];
        }
    }
    return t;
}

/* ---- Repair ---- */

/* What packing rows may hold. */
static double limit_of(const berth__fo_form *form, int i, double slack) {
    return form->packing[i] * (1 + slack - AIM);
}

static double target_of(const berth__fo_form *form, int i) {
    return form->cover[i] * (1 + AIM);
}

static void clip_to_box(berth__fo_check *check, const double *x) {
    for (int j = 0; j < check->form->n_cols; j++) {
        check->x[j] = fmin(fmax(0, x[j]), check->form->box[j]);
    }
}

/* Multiplies each column by the least factor of its rows. */
static void scale_columns_part(void *user, int part, int parts) {
    berth__fo_check *check = user;
    const berth__model *model = check->form->model;
    int end = berth__team_begin(model->n_cols, part + 1, parts);
    for (int j = berth__team_begin(model->n_cols, part, parts); j < end; j++) {
        double least = 1;
        for (size_t e = model->col_start[j]; check->x[j] > 0 && e < model->col_start[j + 1]; e++) {
            least = fmin(least, check->factor[model->row_of[e]]);
        }
        check->x[j] *= least;
    }
}

/* Scales every column by its worst packing row. */
static void scale_down(berth__fo_check *check, double slack) {
    const berth__fo_form *form = check->form;
    bool any = false;
    for (int i = 0; i < form->n_rows; i++) {
        double limit = limit_of(form, i, slack);
        bool exceeds = check->activity[i] > limit;
        check->factor[i] = exceeds ? limit / check->activity[i] * (1 - AIM) : 1;
        any = any || exceeds;
    }
    if (any) {
        berth__team_run_items(check->team, scale_columns_part, check, form->n_cols);
        multiply_rows(check);
    }
}

/* How far column j may rise. */
static double room_of(const berth__fo_check *check, int j, double slack) {
    const berth__fo_form *form = check->form;
    const berth__model *model = form->model;
    double room = form->box[j] - check->x[j];
    for (size_t e = model->col_start[j]; form->has_packing && e < model->col_start[j + 1]; e++) {
        int i = model->row_of[e];
        if (form->sign[i] != 0 && !isinf(form->packing[i])) {
            room = fmin(room, (limit_of(form, i, slack) - check->activity[i]) / fabs(model->value[e]));
        }
    }
    return room;
}

/* Raises the cheapest columns of a violated cover row until it holds or none has room. */
static void raise_row(berth__fo_check *check, int i, double slack) {
    const berth__model *model = check->form->model;
    enum { MOST_COLUMNS = 50 };
    double missing = target_of(check->form, i) - check->activity[i];
    for (int tries = 0; tries < MOST_COLUMNS && missing > 0; tries++) {
        double cheapest = (double)INFINITY, coefficient = 1;
        int best = -1;
        for (size_t e = model->row_start[i]; e < model->row_start[i + 1]; e++) {
            double value = fabs(model->row_value[e]), price = check->score[model->col_of[e]] / value;
            if (price < cheapest) {
                cheapest = price;
                best = model->col_of[e];
                coefficient = value;
            }
        }
        if (best < 0) {
            return;
        }
        double step = missing / coefficient, room = room_of(check, best, slack);
        if (room <= step) {
            step = room;
            check->score[best] = (double)INFINITY;
        }
        if (step > 0) {
            move_column(check, best, step);
        }
        missing = target_of(check->form, i) - check->activity[i];
    }
}

static void raise_covers(berth__fo_check *check, double scale, double slack) {
    const berth__fo_form *form = check->form;
    for (int j = 0; j < form->n_cols; j++) {
        double reduced = form->cost[j] - scale * check->product[j];
        bool full = check->x[j] >= form->box[j];
        check->score[j] = full ? (double)INFINITY : fmax(0, reduced) + 1e-3 * fabs(form->cost[j]);
    }
    for (int i = 0; i < form->n_rows; i++) {
        if (form->sign[i] != 0 && form->cover[i] > 0) {
            raise_row(check, i, slack);
        }
    }
}

/* In three rounds by reduced cost, the dearest columns first: each is lowered as far as its cover rows allow. */
static void trim(berth__fo_check *check, double scale) {
    const berth__fo_form *form = check->form;
    const berth__model *model = form->model;
    for (int round = 0; round < 3; round++) {
        for (int j = 0; j < form->n_cols; j++) {
            if (!(check->x[j] > 0 && form->cost[j] > 0)) {
                continue;
            }
            double reduced = form->cost[j] - scale * check->product[j];
            int turn = reduced > 0.1 * form->cost[j] ? 0 : reduced > 0 ? 1 : 2;
            double excess = turn == round ? check->x[j] : 0;
            for (size_t e = model->col_start[j]; excess > 0 && e < model->col_start[j + 1]; e++) {
                int i = model->row_of[e];
                if (form->cover[i] > 0 && form->sign[i] != 0) {
                    excess = fmin(excess, (check->activity[i] - target_of(form, i)) / fabs(model->value[e]));
                }
            }
            if (excess > 0) {
                move_column(check, j, -excess);
                check->x[j] = fmax(0, check->x[j]);
            }
        }
    }
}

/* The same upwards, for profits, the best first. */
static void augment(berth__fo_check *check, double scale, double slack) {
    const berth__fo_form *form = check->form;
    for (int round = 0; round < 3; round++) {
        for (int j = 0; j < form->n_cols; j++) {
            if (!(form->cost[j] < 0)) {
                continue;
            }
            double reduced = form->cost[j] - scale * check->product[j], near = -1e-3 * form->cost[j];
            int turn = reduced < -near ? 0 : reduced < near ? 1 : 2;
            double room = turn == round ? room_of(check, j, slack) : 0;
            if (room > 0) {
                move_column(check, j, room);
            }
        }
    }
}

/* Whether check->x satisfies all rows, from its activities as they are summed anew. */
static bool holds(berth__fo_check *check, double slack) {
    const berth__fo_form *form = check->form;
    multiply_rows(check);
    for (int i = 0; i < form->n_rows; i++) {
        double activity = check->activity[i];
        if (form->sign[i] != 0 && (activity < form->cover[i] * (1 - 10 * AIM) ||
                                   activity > form->packing[i] * (1 + slack) + 10 * AIM * form->packing[i])) {
            return false;
        }
    }
    return true;
}

static double cost_of(const berth__fo_check *check) {
    double cost = 0;
    for (int j = 0; j < check->form->n_cols; j++) {
        cost += check->form->cost[j] * check->x[j];
    }
    return cost;
}

/* False: the repaired point still misses a row. */
static bool repair(berth__fo_check *check, const double *x, double scale, double slack, berth__fo_point *best) {
    const berth__fo_form *form = check->form;
    clip_to_box(check, x);
    multiply_rows(check);
    if (form->has_packing) {
        scale_down(check, slack);
    }
    if (form->has_cover) {
        raise_covers(check, scale, slack);
        trim(check, scale);
    }
    augment(check, scale, slack);
    if (!holds(check, slack)) {
        return false;
    }
    double cost = cost_of(check);
    if (cost < best->cost) {
        best->cost = cost;
        memcpy(best->x, check->x, (size_t)form->n_cols * sizeof(double));
    }
    return true;
}

void berth__fo_check_pair(berth__fo_check *check, const double *x, const double *y) {
    double scale = raise_lower_bound(check, y);
    if (check->infeasible) {
        return;
    }
    bool mixed = check->form->has_cover && check->form->has_packing;
    check->repaired = repair(check, x, scale, 0, &check->exact);
    if (!check->repaired && mixed) {
        repair(check, x, scale, check->slack, &check->within);
    }
}

double berth__fo_check_gap(const berth__fo_check *check) {
    return berth__fo_gap(check->form, check->lower, check->exact.cost);
}

double berth__fo_check_gap_within(const berth__fo_check *check) {
    return berth__fo_gap(check->form, check->lower, fmin(check->exact.cost, check->within.cost));
}
