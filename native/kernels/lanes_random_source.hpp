// Random numbers of many counters at once, for lanes_source.hpp only.

#include "kernels/lanes_random.hpp"

namespace {

using I32 = Vector<int32_t, kLanes32>::type;

// Each number in the low half of a lane; what the high halves hold is never read.
struct Counters {
    U64 a, b, c, d;

    void turn(uint64_t k0, uint64_t k1) {
        const U64 p0 = product(a, 0xD2511F53), p1 = product(c, 0xCD9E8D57);
        a = (p1 >> 32) ^ b ^ k0;
        b = p1;
        c = (p0 >> 32) ^ d ^ k1;
        d = p0;
    }
    void save(uint32_t* out) const {
        const U64 ab = (a & 0xffffffffULL) | b << 32, cd = (c & 0xffffffffULL) | d << 32;
        store(out, KARAT_SHUFFLE(ab, cd, U64, KARAT_ZIP_LOW));
        store(out + kLanes32, KARAT_SHUFFLE(ab, cd, U64, KARAT_ZIP_HIGH));
    }
};

void random_words(const uint32_t counter[4], uint64_t key, const uint32_t steps[2], uint32_t* out) {
    U64 lane = {};
#pragma GCC unroll 8
    for (int i = 0; i < kLanes64; ++i) lane[i] = static_cast<uint64_t>(i);
    // Of one vector each round waits for the last: the processor has those of another to do.
    constexpr int kTogether = 2;
    for (int first = 0; first < karat::kPlaces; first += kTogether * kLanes64) {
        Counters some[kTogether];
#pragma GCC unroll 2
        for (int i = 0; i < kTogether; ++i) {
            const U64 place = lane + static_cast<uint64_t>(first + i * kLanes64);
            some[i] = {product(place, steps[0]) + counter[0], product(place, steps[1]) + counter[1],
                       U64{} + counter[2], U64{} + counter[3]};
        }
        uint32_t k0 = static_cast<uint32_t>(key), k1 = static_cast<uint32_t>(key >> 32);
#pragma GCC unroll 10
        for (int round = 0; round < 10; ++round) {
#pragma GCC unroll 2
            for (int i = 0; i < kTogether; ++i) some[i].turn(k0, k1);
            k0 += 0x9E3779B9;
            k1 += 0xBB67AE85;
        }
#pragma GCC unroll 2
        for (int i = 0; i < kTogether; ++i) some[i].save(out + 4 * (first + i * kLanes64));
    }
}

void count_below(const uint32_t* words, const karat::CountSteps& steps, const double* factors, double* out) {
    using Counts = Vector<int32_t, kLanes64>::type;
    constexpr int kVectors = karat::kPlaceWords / kLanes32;
    constexpr uint32_t kSign = 0x80000000u;
    I32 word[kVectors], counts[kVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
        word[v] = reinterpret_cast<I32>(load<U32>(words + v * kLanes32) ^ kSign);
        counts[v] = I32{} + steps.least;
    }
    // A true comparison is all ones: −1.
    I32 above = {};
    const auto count = [&](int64_t first, int64_t last) {
        for (int64_t j = first; j < last; ++j) {
            const auto until = static_cast<int32_t>(steps.until[j] ^ kSign);
            above = I32{};
#pragma GCC unroll 4
            for (int v = 0; v < kVectors; ++v) {
                const I32 is_above = word[v] > until;
                counts[v] -= is_above;
                above |= is_above;
            }
        }
    };
    count(0, steps.n_usual);
    if (all_bits<uint32_t, kLanes32>(reinterpret_cast<U32>(above)) != 0) count(steps.n_usual, steps.n);
    for (int v = 0; v < kVectors; ++v) {
        Counts halves[2];
        __builtin_memcpy(halves, &counts[v], sizeof halves);
        for (int half = 0; half < 2; ++half) {
            const int at = v * kLanes32 + half * kLanes64;
            store(out + at, __builtin_convertvector(halves[half], F64) * load<F64>(factors + at));
        }
    }
}

constexpr karat::RandomLanes kRandomLanes = {random_words, count_below};

}  // namespace
