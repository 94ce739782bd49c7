// Eight doubles as one value on every instruction set, for lanes_source.hpp only.
//
// No fused multiply-add and no operation between lanes: what a lane holds has the same bits
// whatever the width of the vectors.

namespace {

#define KARAT_INLINE inline __attribute__((always_inline))

constexpr int kParts = 8 / kLanes64;
using Flags = decltype(F64{} < F64{});

struct Wide {
    F64 part[kParts];
};
struct WideFlags {
    Flags part[kParts];
};

// A value made of operation(i) for each part i.
template <class W, class Operation>
KARAT_INLINE W each(const Operation& operation) {
    if constexpr (kParts == 1) {
        return {{operation(0)}};
    } else if constexpr (kParts == 2) {
        return {{operation(0), operation(1)}};
    } else {
        return {{operation(0), operation(1), operation(2), operation(3)}};
    }
}

KARAT_INLINE Wide all_of(double x) {
    return each<Wide>([&](int) { return F64{} + x; });
}
KARAT_INLINE Wide wide_at(const double* from) {
    return each<Wide>([&](int i) { return load<F64>(from + i * kLanes64); });
}
KARAT_INLINE void store_wide(double* to, const Wide& x) { __builtin_memcpy(to, &x, sizeof x); }

KARAT_INLINE Wide operator+(const Wide& a, const Wide& b) {
    return each<Wide>([&](int i) { return a.part[i] + b.part[i]; });
}
KARAT_INLINE Wide operator-(const Wide& a, const Wide& b) {
    return each<Wide>([&](int i) { return a.part[i] - b.part[i]; });
}
KARAT_INLINE Wide operator*(const Wide& a, const Wide& b) {
    return each<Wide>([&](int i) { return a.part[i] * b.part[i]; });
}
KARAT_INLINE Wide operator/(const Wide& a, const Wide& b) {
    return each<Wide>([&](int i) { return a.part[i] / b.part[i]; });
}
KARAT_INLINE WideFlags operator==(const Wide& a, const Wide& b) {
    return each<WideFlags>([&](int i) { return a.part[i] == b.part[i]; });
}
KARAT_INLINE WideFlags operator>(const Wide& a, const Wide& b) {
    return each<WideFlags>([&](int i) { return a.part[i] > b.part[i]; });
}
KARAT_INLINE WideFlags operator<=(const Wide& a, const Wide& b) {
    return each<WideFlags>([&](int i) { return a.part[i] <= b.part[i]; });
}
KARAT_INLINE WideFlags operator&(const WideFlags& a, const WideFlags& b) {
    return each<WideFlags>([&](int i) { return a.part[i] & b.part[i]; });
}
KARAT_INLINE WideFlags operator|(const WideFlags& a, const WideFlags& b) {
    return each<WideFlags>([&](int i) { return a.part[i] | b.part[i]; });
}
KARAT_INLINE Wide choose(const WideFlags& flags, const Wide& yes, const Wide& no) {
    return each<Wide>([&](int i) { return flags.part[i] ? yes.part[i] : no.part[i]; });
}
KARAT_INLINE Wide larger(const Wide& a, const Wide& b) {
    return each<Wide>([&](int i) { return a.part[i] > b.part[i] ? a.part[i] : b.part[i]; });
}
KARAT_INLINE Wide smaller(const Wide& a, const Wide& b) {
    return each<Wide>([&](int i) { return a.part[i] < b.part[i] ? a.part[i] : b.part[i]; });
}
KARAT_INLINE Wide magnitude(const Wide& x) {
    return each<Wide>([&](int i) {
        return reinterpret_cast<F64>(reinterpret_cast<U64>(x.part[i]) & 0x7fffffffffffffffULL);
    });
}

KARAT_INLINE bool all_true(const Flags& flags) {
    int64_t lanes[kLanes64], all = -1;
    __builtin_memcpy(lanes, &flags, sizeof flags);
    for (const int64_t lane : lanes) all &= lane;
    return all != 0;
}

// The lanes, added as ((0 + 4) + (2 + 6)) + ((1 + 5) + (3 + 7)).
KARAT_INLINE double total(const Wide& x) {
    double lane[8];
    __builtin_memcpy(lane, &x, sizeof x);
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) +
           ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

// n · kLogTwoHigh is exact for whole numbers below 2^20; both together are log 2.
constexpr double kLogTwoHigh = 0x1.62e42feep-1, kLogTwoLow = 0x1.a39ef35793c76p-33;

// Exponentials are made of so many vectors side by side: each is a chain of steps that wait for one
// another.
constexpr int kChains = 4, kTogether = kChains / kParts;

// Of 2^(j/16): the fraction bits, less the j that stands before them (below).
alignas(64) constexpr uint64_t kRoots[16] = {
    0x0000000000000000, 0xffffb5586cf9890f, 0xffff72b83c7d517b, 0xffff387a6e756238,
    0xffff06fe0a31b715, 0xfffedea64c123422, 0xfffebfdad5362a27, 0xfffeab07dd485429,
    0xfffea09e667f3bcd, 0xfffea11473eb0187, 0xfffeace5422aa0db, 0xfffec49182a3f090,
    0xfffee89f995ad3ad, 0xffff199bdd85529c, 0xffff5818dcfba487, 0xffffa4afa2a490da};

// x = exp(x) for x <= 0, within (2 + |x|) 2e-16 of itself: as much as the rounding of x itself.
// x / log 2 = n + j/16 + f, exp x = 2^n 2^(j/16) (1 + f log 2 + f² g(f)), with g by interpolation
// in the five Chebyshev nodes of |f| <= 1/32, within 3e-17. Why a table: without one, g takes ten
// nodes.
KARAT_INLINE void exponentials(F64 (&x)[kChains]) {
    constexpr double kLogTwo = 0x1.62e42fefa39efp-1, kPerLogTwo = 0x1.71547652b82fep0;
    constexpr double kSeries[] = {0.24022650695910072, 0.05550410866027587, 0.009618129107234622,
                                  0.0013333744338239965, 0.00015403691716082854};
    // Added to a small double, it leaves the nearest sixteenth in the low bits, here with the bias
    // of exponents. The four lowest bits are j; 48 places up, the others are an exponent field.
    constexpr double kRound = 0x1.8p48 + 1023;
    // Below this, exp x is near the end of the normal numbers and counts as 0.
    constexpr double kLeast = -708;
#define KARAT_CHAINS _Pragma("GCC unroll 4") for (int i = 0; i < kChains; ++i)
    F64 f[kChains], g[kChains], power[kChains];
    KARAT_CHAINS f[i] = x[i] * kPerLogTwo;
    KARAT_CHAINS power[i] = f[i] + kRound;
    KARAT_CHAINS f[i] = f[i] - (power[i] - kRound);
    KARAT_CHAINS g[i] = kSeries[4] * f[i] + kSeries[3];
    KARAT_CHAINS g[i] = g[i] * f[i] + kSeries[2];
    KARAT_CHAINS g[i] = g[i] * f[i] + kSeries[1];
    KARAT_CHAINS g[i] = g[i] * f[i] + kSeries[0];
    KARAT_CHAINS g[i] = (g[i] * f[i] + kLogTwo) * f[i];
    KARAT_CHAINS {
        const U64 bits = reinterpret_cast<U64>(power[i]);
        power[i] = reinterpret_cast<F64>((bits << 48) + entries_of(kRoots, bits));
    }
    // Far below, and at -inf, the steps above gave anything.
    KARAT_CHAINS x[i] = x[i] < kLeast ? F64{} : power[i] + power[i] * g[i];
#undef KARAT_CHAINS
}

// log(x) for 0 <= x < inf, within 3e-16 of itself. `excess` is x - 1 with more digits than x has
// near 1, so that log(1 + tiny) keeps them.
// x = 2^n (1 + f), log(1 + f) = f - (f²/2 - s (f²/2 + R(s²))), s = f / (2 + f)
// (Ref: W. J. Cody, W. Waite, Software Manual for the Elementary Functions, 1980; the arrangement
// of fdlibm), with R by interpolation in the seven Chebyshev nodes, within 5e-18.
KARAT_INLINE Wide logarithm(const Wide& given, const Wide& excess) {
    constexpr double kSeries[] = {0.666666666666667,   0.39999999999899505, 0.28571428625975487,
                                  0.2222221113479508,  0.18182889125261723, 0.15331721600556042,
                                  0.14616449685043406};
    constexpr uint64_t kOne = 0x3ff0000000000000, kRootHalf = 0x3fe6a09e667f3bcd;
    constexpr double kLeastNormal = 0x1p-1022;
    return each<Wide>([&](int i) {
        const F64 x = given.part[i];
        const F64 normal = x < kLeastNormal ? x * 0x1p54 : x;
        const U64 bits = reinterpret_cast<U64>(normal) + (kOne - kRootHalf);
        // The exponent field below the bits of 2^52.
        const F64 field = reinterpret_cast<F64>((bits >> 52) | 0x4330000000000000ULL);
        const F64 n = (field - (0x1p52 + 1023)) - (x < kLeastNormal ? F64{} + 54.0 : F64{});
        const F64 m = reinterpret_cast<F64>((bits & 0x000fffffffffffffULL) + kRootHalf);
        const F64 f = n == 0.0 ? excess.part[i] : m - 1.0;
        const F64 s = f / (2.0 + f), z = s * s, half = 0.5 * (f * f);
        const F64 z2 = z * z, z4 = z2 * z2;
        const F64 series = ((kSeries[0] + kSeries[1] * z) + (kSeries[2] + kSeries[3] * z) * z2) +
                           ((kSeries[4] + kSeries[5] * z) + kSeries[6] * z2) * z4;
        const F64 low = s * (half + series * z) + n * kLogTwoLow;
        const F64 sum = n * kLogTwoHigh - ((half - low) - f);
        return x == 0.0 ? F64{} - __builtin_inf() : sum;
    });
}

}  // namespace
