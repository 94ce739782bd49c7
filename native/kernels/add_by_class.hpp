// Sums of the cells of many tables by one of their classes.
#pragma once

#include <cstdint>

namespace karat {

// out[r, k] += values[r, m], each number to the class codes[m] of its cell, in [0, k), in the order of the cells.
template <class Number>
void add_by_class(const Number* values, const int64_t* codes, int64_t r, int64_t m, int64_t k, Number* out);

extern template void add_by_class(const int64_t*, const int64_t*, int64_t, int64_t, int64_t, int64_t*);
extern template void add_by_class(const double*, const int64_t*, int64_t, int64_t, int64_t, double*);

}  // namespace karat
