#include "solver/first_order/scale.h"

#include <math.h>

enum { RUIZ_ROUNDS = 8 };

/* sum or maximum of factor[index[e]] |value[e]| over the entries begin .. end - 1 */
static double size_of(const double *value, const int *index, size_t begin, size_t end, const double *factor, bool sum) {
    double total = 0, largest = 0;
    for (size_t e = begin; e < end; e++) {
        double entry = fabs(value[e]) * factor[index[e]];
        total += entry;
        largest = entry > largest ? entry : largest;
    }
    return sum ? total : largest;
}

/* One side's factors over the square root of the size of their scaled entries, to `out`. */
typedef struct one_side {
    const double *value;
    const int *index;
    const size_t *start;
    const double *factor, *others;
    double *out;
    int n;
    bool sum;
} one_side;

static void scale_part(void *user, int part, int parts) {
    const one_side *s = user;
    int end = berth__team_begin(s->n, part + 1, parts);
    for (int k = berth__team_begin(s->n, part, parts); k < end; k++) {
        double size = s->factor[k] * size_of(s->value, s->index, s->start[k], s->start[k + 1], s->others, s->sum);
        s->out[k] = size > 0 ? s->factor[k] / sqrt(size) : s->factor[k];
    }
}

/* Both sides at once, from the factors before. */
static void round_of(const berth__fo_form *form, bool sum, berth__team *team, double *row, double *col,
                     double *new_row) {
    const berth__model *model = form->model;
    one_side rows = {model->row_value, model->col_of, model->row_start, row, col, new_row, form->n_rows, sum};
    one_side cols = {model->value, model->row_of, model->col_start, col, row, col, form->n_cols, sum};
    berth__team_run_items(team, scale_part, &rows, form->n_rows);
    berth__team_run_items(team, scale_part, &cols, form->n_cols);
    for (int i = 0; i < form->n_rows; i++) {
        row[i] = new_row[i];
    }
}

void berth__fo_scale(const berth__fo_form *form, berth__team *team, double *row, double *col, double *work) {
    for (int i = 0; i < form->n_rows; i++) {
        row[i] = form->sign[i] != 0;
    }
    for (int j = 0; j < form->n_cols; j++) {
        col[j] = form->box[j] > 0;
    }
    for (int k = 0; k < RUIZ_ROUNDS; k++) {
        round_of(form, false, team, row, col, work);
    }
    round_of(form, true, team, row, col, work);
}
