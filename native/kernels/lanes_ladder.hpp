// The vector kernels that make sortable words of scores.
#pragma once

#include <cstdint>

#include "kernels/score_keys.hpp"

namespace karat {

struct LadderLanes {
    // Of n >= 1 contiguous values, float32 and float64.
    void (*span[2])(const void* x, int64_t n, FloatSpan* span);

    // Slots of n classes: `own` becomes `last`, what is above it one less, so that rows of the own
    // class stand above equal rows of others. Returns the largest class, negative ones as unsigned.
    uint32_t (*slots)(const int32_t* codes, int64_t n, uint32_t own, uint32_t last, uint32_t* out);

    // Words of n scores, of which the first is row `first`, in uint32 or uint64 as the layout says:
    // pack[is_double][is_wide]. `out` may be the memory of x when the items have one size.
    void (*pack[2][2])(const void* x, const uint32_t* slots, int64_t n, int64_t first,
                       const KeyLayout& layout, void* out);

    // share[i] = own[i] / all[i] for i from 1 to n, and with the increase d[i] = own[i] - own[i -
    // 1] sums = {Σ d[i]·share[i], Σ d[i]·share[i - 1]}. The same bits on every instruction set.
    void (*shares)(const double* own, const double* all, int64_t n, double* share, double sums[2]);
};

}  // namespace karat
