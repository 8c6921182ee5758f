// The one file that sees the packaged PCG library.
#include "base/pcg.h"

#include <cstring>
#include <pcg_random.hpp>

namespace {

static_assert(sizeof(pcg64) == sizeof(berth__pcg), "pcg64 is two 128-bit words");
static_assert(__is_trivially_copyable(pcg64), "pcg64 is copied as bytes");

pcg64 load(const berth__pcg *stream) {
    pcg64 engine;
    std::memcpy(static_cast<void *>(&engine), stream, sizeof engine);
    return engine;
}

berth__pcg store(const pcg64 &engine) {
    berth__pcg stream;
    std::memcpy(&stream, static_cast<const void *>(&engine), sizeof stream);
    return stream;
}

// SplitMix64's finaliser (Steele, Lea, Flood 2014; constants of Stafford's mix 13).
uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

} // namespace

extern "C" {

berth__pcg berth__pcg_seed(uint64_t seed, uint64_t sequence) {
    return store(pcg64(seed, sequence));
}

berth__pcg berth__pcg_key(int n, const uint64_t *key) {
    uint64_t a = 0x9E3779B97F4A7C15u + static_cast<uint64_t>(n), b = 0xD1B54A32D192ED03u;
    for (int i = 0; i < n; i++) {
        a = mix(a ^ key[i]) + 0x9E3779B97F4A7C15u;
        b = mix(b + key[i]) ^ (a >> 1);
    }
    return berth__pcg_seed(a, b);
}

uint64_t berth__pcg_next(berth__pcg *stream) {
    pcg64 engine = load(stream);
    uint64_t draw = engine();
    *stream = store(engine);
    return draw;
}

double berth__pcg_uniform(berth__pcg *stream) {
    return static_cast<double>(berth__pcg_next(stream) >> 11) * 0x1p-53;
}

int64_t berth__pcg_integer(berth__pcg *stream, int64_t low, int64_t high) {
    uint64_t span = static_cast<uint64_t>(high) - static_cast<uint64_t>(low) + 1;
    if (span == 0) { // the full range of 64 bits
        return static_cast<int64_t>(berth__pcg_next(stream));
    }
    uint64_t reject_below = (0 - span) % span; // 2^64 mod span
    uint64_t draw;
    do {
        draw = berth__pcg_next(stream);
    } while (draw < reject_below);
    return static_cast<int64_t>(static_cast<uint64_t>(low) + draw % span);
}
}
