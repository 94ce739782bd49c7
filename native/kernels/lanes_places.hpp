// The vector kernels that add to rows which lie anywhere in memory.
#pragma once

#include <cstdint>

namespace karat {

// Rows still to be placed, at most one block, and what of them is added to sets of numbers side by side.
struct PlacedRows {
    static constexpr int kAhead = 32;

    int64_t n = 0;
    int64_t at[2048 + kAhead];  // the first number of each row in `out`; kAhead more places to prefetch
    uint32_t slot[2048];
    double stand[2048], lifts[2][2048];
    int32_t extra[2048];

    const double* gains = nullptr;                // [slots, width], times `stand`
    const double* lift_gains[2] = {};             // [width], times each of `lifts`; null: none
    const double* extras = nullptr;               // [any, width], added at `extra`; null: none
};

struct PlaceLanes {
    // out[at[i] + s] += gains[slot[i], s]·stand[i] + lift_gains[0][s]·lifts[0][i] + lift_gains[1][s]·lifts[1][i] +
    // extras[extra[i], s], added in this order, for each row i and s < 1, 2, 4 or 8.
    void (*place[4])(const PlacedRows& rows, double* out);
};

}  // namespace karat
