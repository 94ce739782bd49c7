// e^x of many doubles, in vector registers that every processor has.
//
// Why not std::exp: one call for each number takes most of the time of a softmax, and its last bit
// differs between C libraries. This one gives the same bits everywhere.
#pragma once

#include <cstdint>
#include <cstring>

namespace karat {

typedef double F64x2 __attribute__((vector_size(16)));
typedef uint64_t U64x2 __attribute__((vector_size(16)));

// (e^r − 1 − r) / r² for |r| up to log(2)/2: the Chebyshev fit of degree 10, with which e^r is off
// by less than 4e-19.
constexpr double kExponentialFit[11] = {
    0x1.0000000000000p-1,  0x1.5555555555557p-3,  0x1.5555555555556p-5,  0x1.11111111100dcp-7,
    0x1.6c16c16c162d4p-10, 0x1.a01a01abe7fe1p-13, 0x1.a01a01a6d889cp-16, 0x1.71de0231960ebp-19,
    0x1.27e4db646b17ep-22, 0x1.af4de97ca4194p-26, 0x1.1f730349868cep-29};

// For x at most 709, within one unit of the last place; 0 below -708, where e^x leaves the normal
// numbers.
inline F64x2 exponential(F64x2 x) {
    // x = n log 2 + r; n times the upper part of log 2 is exact.
    constexpr double kPerLog2 = 0x1.71547652b82fep+0;
    constexpr double kLog2Upper = 0x1.62e42fee00000p-1, kLog2Lower = 0x1.a39ef35793c76p-33;
    // Added to a small number, it leaves that number rounded in the lowest bits.
    constexpr double kRounder = 0x1.8p52;
    const F64x2 shifted = x * kPerLog2 + kRounder, n = shifted - kRounder;
    const F64x2 r = (x - n * kLog2Upper) - n * kLog2Lower, r2 = r * r, r4 = r2 * r2;
    const double* c = kExponentialFit;
    const F64x2 low = (c[0] + r * c[1]) + r2 * (c[2] + r * c[3]);
    const F64x2 high = (c[4] + r * c[5]) + r2 * (c[6] + r * c[7]);
    const F64x2 top = (c[8] + r * c[9]) + r2 * c[10];
    const F64x2 fraction = 1.0 + (r + r2 * (low + r4 * (high + r4 * top)));
    U64x2 bits, exponent;
    std::memcpy(&bits, &fraction, sizeof bits);
    std::memcpy(&exponent, &shifted, sizeof exponent);
    // n goes to the exponent field; a true comparison is all ones.
    bits = (bits + (exponent << 52)) & reinterpret_cast<U64x2>(x >= -708.0);
    F64x2 result;
    std::memcpy(&result, &bits, sizeof result);
    return result;
}

// x[i] becomes e^x[i].
inline void exponentials(double* x, int64_t n) {
    int64_t i = 0;
    for (; i + 2 <= n; i += 2) {
        F64x2 pair;
        std::memcpy(&pair, x + i, sizeof pair);
        pair = exponential(pair);
        std::memcpy(x + i, &pair, sizeof pair);
    }
    if (i < n) x[i] = exponential(F64x2{x[i], 0.0})[0];
}

}  // namespace karat
