#include "rounding/dependent.h"

#include "base/alloc.h"
#include "base/tolerance.h"

#include <math.h>

/* The one variable of a group whose fraction is still open; var = -1: none. */
typedef struct pending {
    int var;
    double fraction;
} pending;

static double settle(double fraction, berth__pcg *stream) {
    if (fraction <= BERTH__INTEGRALITY) {
        return 0;
    }
    if (fraction >= 1 - BERTH__INTEGRALITY) {
        return 1;
    }
    return berth__pcg_uniform(stream) < fraction ? 1 : 0;
}

/* Moves the open fraction a and a new one b, both in (0, 1), along (1, -1) to one of the two ends, with the
 * probabilities that keep both means: one of them becomes 0 or 1, the other holds the rest. No fraction is snapped
 * here, else the group's sum would drift. */
static void pair(pending *open, int var, double b, berth__pcg *stream, double *out) {
    double a = open->fraction, sum = a + b;
    bool up = sum >= 1; /* one becomes 1, or else one becomes 0 */
    double rest = up ? sum - 1 : sum;
    /* The probability that it is the new variable that keeps the rest. */
    double keeps_new = up ? (1 - b) / (2 - sum) : b / sum;
    bool keep_new = berth__pcg_uniform(stream) < keeps_new;
    int done = keep_new ? open->var : var;
    out[done] += up ? 1 : 0;
    open->var = rest > 0 ? (keep_new ? var : open->var) : -1;
    open->fraction = rest;
}

berth_status berth__round_dependent(int n_vars, const double *x, const int *group, int n_groups, berth__pcg *stream,
                                    double *out) {
    pending *open = BERTH__NEW_ARRAY(pending, (size_t)n_groups);
    if (open == NULL) {
        return BERTH_E_MEMORY;
    }
    for (int g = 0; g < n_groups; g++) {
        open[g].var = -1;
    }
    for (int j = 0; j < n_vars; j++) {
        double value = fmax(0, x[j]);
        out[j] = floor(value);
        double fraction = value - out[j];
        if (group[j] < 0) {
            out[j] += settle(fraction, stream);
        } else if (fraction > 0 && open[group[j]].var >= 0) {
            pair(&open[group[j]], j, fraction, stream, out);
        } else if (fraction > 0) {
            open[group[j]] = (pending){.var = j, .fraction = fraction};
        }
    }
    for (int g = 0; g < n_groups; g++) {
        if (open[g].var >= 0) {
            out[open[g].var] += settle(open[g].fraction, stream);
        }
    }
    berth__free(open);
    return BERTH_OK;
}
