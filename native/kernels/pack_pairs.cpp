#include "kernels/pack_pairs.hpp"

#include <algorithm>
#include <stdexcept>

#include "kernels/lanes.hpp"
#include "kernels/rejected.hpp"

namespace karat {
namespace {

// The first row outside of [0, k), or -1.
int64_t first_outside(const int32_t* codes, int64_t n, int64_t k) {
    for (int64_t first = 0; first < n; first += kBlock) {
        const int64_t last = std::min(n, first + kBlock);
        // Unsigned: a negative code is larger than any k.
        uint32_t most = 0;
        for (int64_t i = first; i < last; ++i)
            most = std::max(most, static_cast<uint32_t>(codes[i]));
        if (most < k) continue;
        for (int64_t i = first; i < last; ++i)
            if (static_cast<uint32_t>(codes[i]) >= k) return i;
    }
    return -1;
}

void check(const int32_t* truth, const int32_t* pred, int64_t n, int64_t k) {
    if (k < 1 || k > int64_t{1} << 31) throw std::invalid_argument("k must be between 1 and 2^31");
    int64_t row = first_outside(truth, n, k);
    if (row >= 0) throw Rejected("range", Argument::truth, row);
    row = first_outside(pred, n, k);
    if (row >= 0) throw Rejected("range", Argument::pred, row);
}

uint64_t pair_of(int32_t truth, int32_t pred, int64_t k) {
    return static_cast<uint64_t>(truth) * static_cast<uint64_t>(k) + static_cast<uint64_t>(pred);
}

}  // namespace

void pack_pairs(const int32_t* truth, const int32_t* pred, int64_t n, int64_t k, uint64_t* keys) {
    check(truth, pred, n, k);
    for (int64_t i = 0; i < n; ++i) keys[i] = pair_of(truth[i], pred[i], k);
}

int row_bits(int64_t n) {
    int bits = 0;
    while (bits < 63 && (n - 1) >> bits > 0) ++bits;
    return bits;
}

void pack_pairs_rows(const int32_t* truth, const int32_t* pred, int64_t n, int64_t k,
                     uint64_t* keys) {
    check(truth, pred, n, k);
    const int bits = row_bits(n);
    // The largest key is k² − 1.
    if (bits > 0 && (static_cast<uint64_t>(k) * static_cast<uint64_t>(k) - 1) >> (64 - bits) != 0)
        throw std::invalid_argument("k² pairs of n rows need more than 64 bits");
    for (int64_t i = 0; i < n; ++i)
        keys[i] = pair_of(truth[i], pred[i], k) << bits | static_cast<uint64_t>(i);
}

}  // namespace karat
