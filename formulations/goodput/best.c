/* The best m and s for given replicas, without trying all of them.
 *
 * Write L = m (s + 1) for the samples of a replica in a step, M = K L, v and q for grad_var and grad_sqr. Then
 *
 *     goodput = (v + q) h(L) / T,  h(L) = M / (v + q M / m0),  T = s A + |A, S|,  A = alpha_c + beta_c m
 *
 * where S is T_sync and |A, S| = (A^gamma + S^gamma)^(1 / gamma) a norm. Now let m and s be real.
 *
 * 1. For given L, T does not fall when s rises: with u = 1 / (s + 1), T = alpha_c (1 / u - 1) + beta_c L (1 - u) +
 *    |alpha_c + beta_c L u, S|, and as the norm's derivative by its first argument is at most 1, dT/du <= 0.
 * 2. So of all (m, s) with m <= m1 and s >= s1 and the same L, the best has s = s1 while L <= m1 (s1 + 1), and m = m1
 *    beyond: call this the path of (s1, m1).
 * 3. On a path T is convex in L: a convex norm of an affine function plus an affine one, then affine, with a slope at
 *    the joint that rises: from (s1 + n) beta_c / (s1 + 1), n <= 1, to alpha_c / m1 + beta_c. h is concave, >= 0 and
 * not falling. So h / T is quasiconcave on a path: it rises, then falls. Its maximum over whole L is found by the sign
 * of its derivative, and bounds every (m, s) with m <= m1, s >= s1.
 * 4. With s given, or with m given, (m, s) is on a path too: the best of them is found in the same way, at multiples of
 *    s + 1, or of m.
 * 5. The norm is not below its tangent anywhere, T neither. With a tangent for the norm all of 3 holds still, and a
 *    bound takes no powers.
 *
 * Exact mode takes s = 0, 1, .. in turn, the best m for each, until the bound of what is left is not above the best so
 * far. Mostly the maximum on the path of s = 0 is at s = 0 itself, and that is all. It could take many steps only if
 * accumulation cost next to nothing; once (s + 1)^2 is above all L, m is below s + 1 and it takes m in descending order
 * instead, with the best s for each.
 *
 * Grid mode starts where the last search ended and goes to both sides until the bound says that nothing better can
 * come: L does not fall from a point of the grid to the next. */
#include "formulations/goodput/best.h"

#include <math.h>

/* Rounding errors of a bound, relatively. */
static const double slack = 1e-13;

void berth__batch_search_start(berth__batch_search *search, const berth_goodput_profile *profile,
                               berth_batch_mode mode) {
    const double larger = fmax(profile->grad_var, profile->grad_sqr);
    *search = (berth__batch_search){.profile = profile, .mode = mode, .square = 1};
    if (larger > 0) {
        search->variance = profile->grad_var / larger;
        search->square = profile->grad_sqr / larger;
    }
}

/* K replicas of a job. */
typedef struct team {
    const berth_goodput_profile *profile;
    uint32_t replicas;
    bool spread;
    double sync;             /* S */
    double variance, square; /* v, and q K / m0 */
    double gain;             /* (v + q) K */
} team;

static team team_of(const berth__batch_search *search, bool spread, uint32_t replicas) {
    const berth_goodput_profile *p = search->profile;
    return (team){.profile = p,
                  .replicas = replicas,
                  .spread = spread,
                  .sync = berth__goodput_sync(p, spread, replicas),
                  .variance = search->variance,
                  .square = search->square * replicas / p->m0,
                  .gain = (search->variance + search->square) * replicas};
}

/* Of (s1, m1), as above. */
typedef struct path {
    double steps, local;
} path;

/* The tangent of |A, S| at some A: slope A + rest. */
typedef struct tangent {
    double slope, rest;
} tangent;

/* What a path is like at L. */
typedef struct outlook {
    double goodput; /* by the tangent: not below the true one */
    double time;    /* T */
    double slope;   /* of T, to the right */
    bool rising;    /* goodput, to the right */
} outlook;

static double gradient_at(const team *t, double local) {
    return t->profile->alpha_c + t->profile->beta_c * local;
}

static outlook look(const team *t, path along, double load, tangent norm) {
    const bool on_steps = load < along.local * (along.steps + 1);
    const double gradient = gradient_at(t, on_steps ? load / (along.steps + 1) : along.local);
    const double steps = on_steps ? along.steps : load / along.local - 1;
    const double noise = t->variance + t->square * load;
    outlook o;
    o.time = (steps + norm.slope) * gradient + norm.rest;
    o.slope = on_steps ? t->profile->beta_c * ((steps + norm.slope) / (steps + 1)) : gradient / along.local;
    o.goodput = t->gain * load / (noise * o.time);
    o.rising = t->variance * o.time > o.slope * load * noise;
    return o;
}

static tangent tangent_at(const team *t, double gradient) {
    const double gamma = t->profile->gamma, large = fmax(gradient, t->sync), small = fmin(gradient, t->sync);
    const double part = small > 0 ? pow(small / large, gamma) : 0, norm = large * pow(1 + part, 1 / gamma);
    const double slope = (gradient < t->sync ? part : 1) / (1 + part) * (norm / gradient);
    return (tangent){slope, fmax(norm - slope * gradient, 0)};
}

/* With the tangent at L itself: the true goodput there. */
static outlook look_closely(const team *t, path along, double load) {
    const double local = fmin(load / (along.steps + 1), along.local);
    return look(t, along, load, tangent_at(t, gradient_at(t, local)));
}

/* Where goodput was largest if T were its tangent: v a / (q b) = L^2 for T = a + b L. */
static double guess(const team *t, double load, const outlook *o) {
    return sqrt(t->variance * fmax(o->time - o->slope * load, 0) / (t->square * o->slope));
}

/* The whole k in [first, last] with the largest goodput at L = k unit. The guesses converge as Newton's do; where they
 * do not, halving does. */
static double best_on(const team *t, path along, double unit, double first, double last, double start,
                      double *goodput) {
    double next = floor(start);
    for (int round = 1; last - first > 1; round++) {
        const double k = next > first && next < last ? next : next <= first ? first + 1 : last - 1;
        const outlook o = look_closely(t, along, k * unit);
        *(o.rising ? &first : &last) = k;
        const double there = guess(t, k * unit, &o) / unit;
        next = round % 4 == 0 || isnan(there) ? floor((first + last) / 2) : floor(there);
    }
    const double low = look_closely(t, along, first * unit).goodput;
    const double high = last > first ? look_closely(t, along, last * unit).goodput : 0;
    *goodput = fmax(low, high);
    return high > low ? last : first;
}

static void consider(const team *t, double local, double steps, berth_goodput_point *best) {
    const berth_goodput_point point =
        berth__goodput_at(t->profile, t->spread, t->replicas, (uint32_t)local, (uint32_t)steps);
    if (point.goodput > best->goodput) {
        *best = point;
    }
}

/* ---- exact ---- */

/* The points with at least `steps` and L in [least, most], for small m: in descending order. */
static void descend(const team *t, double steps, double least, double most, berth_goodput_point *best) {
    const berth_goodput_profile *p = t->profile;
    double bound;
    const double all = fmax(least, p->min_local * (steps + 1));
    for (double m = fmin(p->max_local, floor(most / (steps + 1))); m >= p->min_local && all <= most; m--) {
        const path along = {steps, m};
        const double top = best_on(t, along, 1, all, most, most, &bound);
        if (bound <= best->goodput * (1 + slack)) {
            return;
        }
        const double first = fmax(steps + 1, ceil(least / m)), last = floor(most / m);
        if (first <= last) {
            consider(t, m, best_on(t, along, m, first, last, top / m, &bound) - 1, best);
        }
    }
}

/* The points with at least `steps`: s in ascending order. */
static void ascend(const team *t, double steps, double least, double most, double *hint, berth_goodput_point *best) {
    const berth_goodput_profile *p = t->profile;
    double bound;
    for (double s = steps; p->min_local * (s + 1) <= most; s++) {
        if ((s + 1) * (s + 1) > most) {
            descend(t, s, least, most, best);
            return;
        }
        const path along = {s, p->max_local};
        const double top = best_on(t, along, 1, fmax(least, p->min_local * (s + 1)), most, *hint, &bound);
        *hint = top;
        if (bound <= best->goodput * (1 + slack)) {
            return;
        }
        const double first = fmax(p->min_local, ceil(least / (s + 1)));
        const double last = fmin(p->max_local, floor(most / (s + 1)));
        if (s == 0 && top <= last) {
            consider(t, top, 0, best);
            return;
        }
        if (first <= last) {
            consider(t, best_on(t, along, s + 1, first, last, top / (s + 1), &bound), s, best);
        }
    }
}

static berth_goodput_point best_of_integers(berth__batch_search *search, bool spread, uint32_t replicas) {
    const berth_goodput_profile *p = search->profile;
    const team t = team_of(search, spread, replicas);
    const double least = ceil(p->m0 / replicas), most = floor(p->max_batch / replicas);
    berth_goodput_point best = {0};
    double bound, *hint = &search->hint[spread];
    if (!p->accumulation) {
        const double first = fmax(p->min_local, least), last = fmin(p->max_local, most);
        if (first <= last) {
            *hint = best_on(&t, (path){0, p->max_local}, 1, first, last, *hint, &bound);
            consider(&t, *hint, 0, &best);
        }
    } else if (replicas == 1) {
        if (p->m0 >= p->min_local && p->m0 <= p->max_local) {
            consider(&t, p->m0, 0, &best);
        }
        ascend(&t, 1, least, most, hint, &best);
    } else {
        ascend(&t, 0, least, most, hint, &best);
    }
    return best;
}

/* ---- grid ---- */

/* The tolerance before rounding up that is theirs. */
static const double tiny = 1e-8;

/* Exactly as theirs. */
static double grid_batch(const berth__batch_search *search, int k) {
    const double last = search->profile->max_batch;
    return k < BERTH__GRID_POINTS - 1 ? search->first * pow(last / search->first, k / (double)(BERTH__GRID_POINTS - 1))
                                      : last;
}

/* The same by multiplication: off by rounding errors, a hundredth of `doubt` at most. */
static const double doubt = 1e-12;

static void set_grid(berth__batch_search *search, double first) {
    const double ratio = pow(search->profile->max_batch / first, 1 / (double)(BERTH__GRID_POINTS - 1));
    search->first = first;
    search->batch[0] = first;
    for (int k = 1; k < BERTH__GRID_POINTS; k++) {
        search->batch[k] = search->batch[k - 1] * ratio;
    }
}

/* ceil(value - tiny); *sure false if doubt about the value leaves doubt about that. */
static double round_up(double value, bool *sure) {
    const double less = value - tiny, up = ceil(less), margin = value * doubt;
    *sure = *sure && up - less > margin && less + 1 - up > margin;
    return up;
}

/* m and s of a batch; false: out of bounds. A single replica that may accumulate does so beyond m0: it has no variance
 * to measure otherwise. */
static bool grid_split(const berth_goodput_profile *p, uint32_t replicas, double batch, double *local, double *steps,
                       bool *sure) {
    const double load = batch / replicas;
    *steps = p->accumulation ? round_up(load / p->max_local, sure) - 1 : 0;
    *steps = *steps > 0 ? *steps : 0;
    if (replicas == 1 && p->accumulation && load > p->m0 + tiny && *steps < 1) {
        *steps = 1;
    }
    *local = round_up(load / (*steps + 1), sure);
    return *local >= p->min_local && *local <= p->max_local;
}

static bool grid_point(const berth__batch_search *search, uint32_t replicas, int k, double *local, double *steps) {
    bool sure = true;
    const bool within = grid_split(search->profile, replicas, search->batch[k], local, steps, &sure);
    return sure ? within : grid_split(search->profile, replicas, grid_batch(search, k), local, steps, &sure);
}

/* The best point of the grid so far. */
typedef struct grid_best {
    berth_goodput_point point;
    int at;
    tangent norm; /* there */
} grid_best;

/* Takes over point k of the grid if it is better, or as good and before. */
static void grid_take(const team *t, int k, double local, double steps, grid_best *best) {
    const berth_goodput_point point =
        berth__goodput_at(t->profile, t->spread, t->replicas, (uint32_t)local, (uint32_t)steps);
    if (point.goodput > best->point.goodput ||
        (point.goodput > 0 && point.goodput == best->point.goodput && k < best->at)) {
        *best = (grid_best){point, k, tangent_at(t, gradient_at(t, local))};
    }
}

/* Points beside the start, in one direction. To the right s does not fall, to the left there may be any. */
static void grid_walk(const berth__batch_search *search, const team *t, int direction, int start, grid_best *best) {
    double local, steps, last_local = best->point.local, last_steps = best->point.accumulation;
    for (int k = start + direction; k >= 0 && k < BERTH__GRID_POINTS; k += direction) {
        if (!grid_point(search, t->replicas, k, &local, &steps) || (local == last_local && steps == last_steps)) {
            continue;
        }
        last_local = local;
        last_steps = steps;
        const double load = local * (steps + 1), enough = best->point.goodput * (1 - slack);
        const outlook here = look(t, (path){steps, t->profile->max_local}, load, best->norm);
        if (here.goodput >= enough) {
            grid_take(t, k, local, steps, best);
            continue;
        }
        const outlook beyond =
            direction > 0 || steps == 0 ? here : look(t, (path){0, t->profile->max_local}, load, best->norm);
        if (beyond.goodput < enough && beyond.rising == (direction < 0)) {
            return;
        }
    }
}

static berth_goodput_point best_of_grid(berth__batch_search *search, bool spread, uint32_t replicas) {
    const berth_goodput_profile *p = search->profile;
    const team t = team_of(search, spread, replicas);
    const double first = fmax(p->m0, p->min_local * replicas);
    grid_best best = {.at = 0};
    double local, steps;
    if (first > p->max_batch) {
        return best.point;
    }
    if (search->first != first) {
        set_grid(search, first);
    }
    const int start = (int)search->hint[spread];
    if (replicas > 1 && grid_point(search, replicas, start, &local, &steps)) {
        grid_take(&t, start, local, steps, &best);
        grid_walk(search, &t, 1, start, &best);
        grid_walk(search, &t, -1, start, &best);
    } else {
        for (int k = 0; k < BERTH__GRID_POINTS; k++) {
            if (grid_point(search, replicas, k, &local, &steps)) {
                grid_take(&t, k, local, steps, &best);
            }
        }
    }
    search->hint[spread] = best.at;
    return best.point;
}

berth_goodput_point berth__batch_search_best(berth__batch_search *search, bool spread, uint32_t replicas) {
    return search->mode == BERTH_BATCH_GRID ? best_of_grid(search, spread, replicas)
                                            : best_of_integers(search, spread, replicas);
}
