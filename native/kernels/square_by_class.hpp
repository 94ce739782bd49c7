// Sums of squares of what rows were given, by their class.
#pragma once

#include <cstdint>

namespace karat {

// out[m, k], for each of m sets: Σ squares[i] · (values[i, s] + offsets[s, c])² over the rows i of class c.
//
// values [n, width], of which the first m numbers of a row are read; codes [n] in [0, k); squares [n], Σw² of
// each row, or null where it is 1. Rows whose square is 0 count for nothing, whatever they were given. Returns
// how many codes are out of range: 0, or the sums mean nothing.
int64_t square_by_class(const double* values, int64_t width, const int32_t* codes, const double* squares,
                        const double* offsets, int64_t n, int64_t m, int64_t k, double* out);

}  // namespace karat
