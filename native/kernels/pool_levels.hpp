// Isotonic regression: score levels in blocks whose shares of the own class fall.
#pragma once

#include <cstdint>
#include <vector>

namespace karat {

// Blocks of neighbouring score levels, best first; rest and own class by turns.
template <class Number>
struct PooledLevels {
    std::vector<int64_t> lengths;  // [m], score levels of each
    std::vector<Number> sums;      // [m, 2]
};

// The blocks of u neighbours, best first. Each stands for so many score levels as `lengths` says; null: for one.
//
// A block whose share is not above that of the next is pooled with it, and so on back (Ayer et al. 1955, An empirical
// distribution function for sampling with incomplete information). Counts are compared exactly.
template <class Number>
PooledLevels<Number> pool_levels(const Number* counts, const int64_t* lengths, int64_t u);

}  // namespace karat
