// Sums of values over the slices of rows: ranges of the parts of columns, and crosses of columns.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/threads.hpp"

namespace karat {

// Columns of parts, and the slices that they make.
//
// A slice of a column is a run of its parts, `spans`; a cross of columns has a slice for each choice of one span
// of each, those of its last column fastest. Slices are numbered cross after cross.
struct SliceGrid {
    int64_t n = 0;                     // rows
    const int32_t* codes = nullptr;    // [columns, n]: the part of each row, or n_parts where it is in none
    std::vector<int64_t> n_parts;      // of each column
    const int64_t* spans = nullptr;    // [spans, 2]: first part and end, those of a column after the other
    std::vector<int64_t> span_starts;  // [columns + 1]
    std::vector<std::vector<int>> crosses;

    // Throws std::invalid_argument for codes, spans or crosses that do not go together.
    void validate() const;
    int64_t n_spans(int column) const { return span_starts[column + 1] - span_starts[column]; }
    // Slices before each cross, and of all.
    std::vector<int64_t> slice_starts() const;
};

// Values of b replicates, [b, n]: doubles, or bytes that are 0 or 1.
struct SliceValues {
    const double* doubles = nullptr;
    const uint8_t* bits = nullptr;
    int64_t b = 0;
};

// out[b, slices]: sums of values.
void sum_slices(const SliceGrid& grid, const SliceValues& values, double* out, int n_threads, Poll poll);

// Sums in standard errors: (sum − part × sum of all values) × inverse of the standard error; 0 where `inverse` is 0.
//
// With n_rows the variance of a slice is Welch's of its values and the others, where that is larger: `variance` is
// that of all values.
struct SliceErrors {
    const double* part = nullptr;     // [slices], rows of a slice ÷ all rows
    const double* inverse = nullptr;  // [slices]
    const double* n_rows = nullptr;   // [slices], or null
    double variance = 0.0;
};

// out[b]: the largest over all slices, at least 0.
void largest_of_slices(const SliceGrid& grid, const SliceValues& values, const SliceErrors& errors, double* out,
                       int n_threads, Poll poll);

}  // namespace karat
