#include "audit/exact.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Bit 0 of limb 0 stands for 2^-ORIGIN. A product of two doubles is a multiple of 2^-2148, one with a third of
 * 2^(-2148 - 31 - 1074), as it is taken limb by limb. */
enum { LIMB_BITS = 32, ORIGIN = 3264, LEAST_EXPONENT = -1074, MANTISSA_BITS = 53 };

/* Each addition changes a limb by less than 2^33. */
#define MOST_PENDING ((uint32_t)1 << 29)
#define RADIX        ((int64_t)1 << LIMB_BITS)

__extension__ typedef unsigned __int128 wide;

void berth__exact_clear(berth__exact *x) {
    if (x->high > x->low) {
        memset(x->limb + x->low, 0, (size_t)(x->high - x->low) * sizeof *x->limb);
    }
    x->low = x->high = 0;
    x->pending = 0;
}

void berth__exact_copy(berth__exact *to, const berth__exact *from) {
    berth__exact_clear(to);
    if (from->high > from->low) {
        memcpy(to->limb + from->low, from->limb + from->low, (size_t)(from->high - from->low) * sizeof *to->limb);
    }
    to->low = from->low;
    to->high = from->high;
    to->pending = from->pending;
}

/* |a| = *mantissa 2^*exponent. */
static void split(double a, uint64_t *mantissa, int *exponent) {
    uint64_t bits;
    memcpy(&bits, &a, sizeof bits);
    uint64_t fraction = bits & (((uint64_t)1 << 52) - 1);
    int biased = (int)(bits >> 52 & 0x7ff);
    *mantissa = biased == 0 ? fraction : fraction | (uint64_t)1 << 52;
    *exponent = biased == 0 ? LEAST_EXPONENT : biased + LEAST_EXPONENT - 1;
}

static bool is_negative(double a) {
    return signbit(a) != 0;
}

static void cover(berth__exact *x, int low, int high) {
    if (x->low == x->high) {
        x->low = low;
        x->high = high;
    } else {
        x->low = low < x->low ? low : x->low;
        x->high = high > x->high ? high : x->high;
    }
}

/* Limbs below the top one come into [0, 2^32), the top one into (-2^32, 2^32) and, unless all are 0, off 0: its sign
 * is then the number's. */
static void carry(berth__exact *x) {
    x->pending = 0;
    for (int k = x->low; k < x->high; k++) {
        int64_t limb = x->limb[k];
        if (k + 1 == x->high && limb > -RADIX && limb < RADIX) {
            break;
        }
        int64_t low = limb & (RADIX - 1);
        x->limb[k] = low;
        if (limb != low) {
            x->high = k + 1 == x->high ? k + 2 : x->high;
            x->limb[k + 1] += (limb - low) / RADIX;
        }
    }
    while (x->high > x->low && x->limb[x->high - 1] == 0) {
        x->high--;
    }
    while (x->high > x->low && x->limb[x->low] == 0) {
        x->low++;
    }
}

/* x += m 2^exponent, m < 2^117, with the sign flipped if `negative`. */
static void add_wide(berth__exact *x, wide m, int exponent, bool negative) {
    int position = exponent + ORIGIN, first = position / LIMB_BITS, shift = position % LIMB_BITS;
    wide low = (wide)(uint64_t)m << shift, high = (wide)(uint64_t)(m >> 64) << shift;
    int64_t parts[5] = {(int64_t)(uint32_t)low, (int64_t)(uint32_t)(low >> 32),
                        (int64_t)(uint32_t)(low >> 64) + (int64_t)(uint32_t)high, (int64_t)(uint32_t)(high >> 32),
                        (int64_t)(uint32_t)(high >> 64)};
    int64_t flip = negative ? -1 : 1;
    cover(x, first, first + 5);
    for (int k = 0; k < 5; k++) {
        x->limb[first + k] += flip * parts[k];
    }
    if (++x->pending >= MOST_PENDING) {
        carry(x);
    }
}

void berth__exact_add(berth__exact *x, double a) {
    uint64_t m;
    int e;
    split(a, &m, &e);
    if (m != 0) {
        add_wide(x, m, e, is_negative(a));
    }
}

void berth__exact_add_product(berth__exact *x, double a, double b) {
    uint64_t m_a, m_b;
    int e_a, e_b;
    split(a, &m_a, &e_a);
    split(b, &m_b, &e_b);
    if (m_a != 0 && m_b != 0) {
        add_wide(x, (wide)m_a * m_b, e_a + e_b, is_negative(a) != is_negative(b));
    }
}

void berth__exact_add_scaled(berth__exact *x, berth__exact *y, double a) {
    uint64_t m;
    int e;
    split(a, &m, &e);
    carry(y);
    for (int k = y->low; k < y->high && m != 0; k++) {
        int64_t limb = y->limb[k];
        if (limb != 0) {
            uint64_t size = (uint64_t)(limb < 0 ? -limb : limb);
            add_wide(x, (wide)size * m, LIMB_BITS * k - ORIGIN + e, (limb < 0) != is_negative(a));
        }
    }
}

void berth__exact_negate(berth__exact *x) {
    for (int k = x->low; k < x->high; k++) {
        x->limb[k] = -x->limb[k];
    }
}

int berth__exact_sign(berth__exact *x) {
    carry(x);
    if (x->low == x->high) {
        return 0;
    }
    return x->limb[x->high - 1] < 0 ? -1 : 1;
}

int berth__exact_compare(const berth__exact *x, double a) {
    berth__exact difference = {.low = 0};
    berth__exact_copy(&difference, x);
    berth__exact_add(&difference, -a);
    return berth__exact_sign(&difference);
}

/* Bits [at, at + 53) of a positive number in normal form that has none above; *rest: any below. */
static uint64_t bits_from(const berth__exact *x, int at, bool *rest) {
    int first = at / LIMB_BITS, shift = at % LIMB_BITS;
    wide bits = 0;
    for (int k = 2; k >= 0; k--) {
        int index = first + k;
        bits = bits << LIMB_BITS | (index < x->high && index >= x->low ? (uint64_t)x->limb[index] : 0);
    }
    *rest = x->low < first || (bits & (((wide)1 << shift) - 1)) != 0;
    return (uint64_t)(bits >> shift);
}

/* A positive number in normal form, towards 0 or away from it. */
static double round_positive(const berth__exact *x, bool away) {
    int top = LIMB_BITS * (x->high - 1) - ORIGIN; /* exponent of the highest bit */
    for (int64_t limb = x->limb[x->high - 1]; limb > 1; limb >>= 1) {
        top++;
    }
    int least = top - MANTISSA_BITS + 1; /* exponent of the double's last bit */
    least = least > LEAST_EXPONENT ? least : LEAST_EXPONENT;
    bool rest;
    uint64_t mantissa = bits_from(x, least + ORIGIN, &rest);
    if (top > DBL_MAX_EXP - 1) {
        return away ? HUGE_VAL : DBL_MAX;
    }
    return ldexp((double)(mantissa + (away && rest)), least);
}

static double round_to(berth__exact *x, bool up) {
    int sign = berth__exact_sign(x);
    if (sign >= 0) {
        return sign == 0 ? 0 : round_positive(x, up);
    }
    berth__exact_negate(x);
    carry(x);
    double rounded = -round_positive(x, !up);
    berth__exact_negate(x);
    return rounded;
}

double berth__exact_down(berth__exact *x) {
    return round_to(x, false);
}

double berth__exact_up(berth__exact *x) {
    return round_to(x, true);
}

double berth__exact_value(berth__exact *x) {
    return round_to(x, berth__exact_sign(x) < 0);
}
