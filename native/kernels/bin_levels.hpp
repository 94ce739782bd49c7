// Score levels put into bins: what each bin holds.
#pragma once

#include <cstdint>

namespace karat {

// u score levels, scores descending; rest and own class by turns: rows, or Σw and Σw².
struct CountedLevels {
    const double* scores;                 // [u]
    const int64_t* counts = nullptr;      // [u, 2], or
    const double* weights = nullptr;      // [u, 2] and
    const double* squares = nullptr;      // [u, 2]; or null where each row weighs 1
    int64_t u = 0;
};

// What each bin holds, in rows of n_bins, y = 1 of the own class: Σw, Σw·p, Σw·y, Σw²·p(1 − p), Σw²·(y − p)², Σw².
constexpr int64_t kBinSums = 6;

// Adds to sums[6, n_bins] what the score levels hold. Bin i holds the scores above ends[i − 1], up to ends[i], itself
// included where `is_right`; the last one all others. ends [n_bins − 1] ascend. Returns how many score levels are
// not below the one before: 0, or the sums mean nothing.
int64_t bin_levels(const CountedLevels& levels, const double* ends, int64_t n_bins, bool is_right,
                   double* sums);

}  // namespace karat
