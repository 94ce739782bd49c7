// The vector kernels that make sortable words of scores.
#pragma once

#include <cstdint>

#include "kernels/score_keys.hpp"

namespace karat {

struct CumulativeLanes {
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

    // Of n <= 2048 sorted words without rows, and those in slot `last`, which is the last: sums =
    // {how many there are, Σ their places i}, and in `borders`, room for n, the places i > 0 where
    // they begin after others of the same score level, ascending. Returns how many. places[is_wide].
    int64_t (*places[2])(const void* words, int64_t n, int class_bits, uint32_t last,
                         uint64_t sums[2], int32_t* borders);

    // How many of n words are `value`: count_equal[is_wide].
    int64_t (*count_equal[2])(const void* words, int64_t n, uint64_t value);

    // Of n <= 2048 sorted words, with or without rows, from the last one down, above which stand `rows` rows, *own of
    // them in slot `last`: for each score level that ends among them, both numbers at or above it.
    // words[-1] is read unless `is_end`: the first word ends a score level then. Room for n + 8 numbers.
    // Adds to *own, and returns how many score levels. count_up[is_wide].
    int64_t (*count_up[2])(const void* words, int64_t n, bool is_end, int row_bits, int class_bits,
                           uint32_t last, int64_t* own, int64_t rows, double* of_own,
                           double* of_all);
};

}  // namespace karat
