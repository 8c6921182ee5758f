/* lanes.c once more, in AVX2 instructions. */
#include "formulations/lanes.h"

#if BERTH__LANES_AVX2
#include <immintrin.h>

#define LANES(name)       berth__lanes_##name##_avx2
#define TARGET            __attribute__((target("avx2")))
#define WIDTH             4
#define ALL(x)            ((lanes){(x), (x), (x), (x)})
#define GATHER(values, k) ((lanes){(values)[(k)[0]], (values)[(k)[1]], (values)[(k)[2]], (values)[(k)[3]]})
#define SUM(v)            (((v)[0] + (v)[1]) + ((v)[2] + (v)[3]))
#define SELECT(mask, yes, no)                                                                                          \
    ((lanes)_mm256_blendv_pd((__m256d)(lanes)(no), (__m256d)(lanes)(yes), (__m256d)(lane_mask)(mask)))
#define BITS(mask) _mm256_movemask_pd((__m256d)(lane_mask)(mask))
#include "formulations/lanes.c" /* NOLINT(bugprone-suspicious-include) */

bool berth__lanes_have_avx2(void) {
    return __builtin_cpu_supports("avx2") != 0;
}
#endif
