// Reads a block of one column as class indices, each of them checked.
#pragma once

#include <cstdint>

#include "kernels/column.hpp"
#include "kernels/lanes.hpp"
#include "kernels/rejected.hpp"

namespace karat {

// The values [base, base + width).
struct Window {
    int64_t base = 0;
    uint32_t width = 0;
};

// Copies rows of any stride and kind. False when an unsigned value is beyond int64, whose maximum
// then stands for it.
bool gather_integers(const Column& column, int64_t first, int64_t n, int64_t* out);

// Smallest and largest value of rows [first, first + n); n >= 1. Values beyond int64 count as its
// maximum.
void span_of(const Column& column, int64_t first, int64_t n, int64_t* low, int64_t* high);

class Reader {
public:
    Reader() = default;

    // Class of a row: value - window.base or, with a lookup table int32[width], lut[that].
    // Every entry of lut is -1 or a class, checked by the caller.
    Reader(const Column& column, Window window, const int32_t* lut);

    // Classes of rows [first, first + n), n <= kBlock. Returns the largest offset, or
    // kOutside when a row is outside of the window or of the table: then out is not to be used.
    static constexpr uint32_t kOutside = 0xffffffffu;
    uint32_t read(int64_t first, int64_t n, uint32_t* out) const;

    // Throws Rejected for the first bad row of the column, if there is one.
    void reject_first(Argument argument) const;

    // The memory from row `first` on, or `none` when rows are not read where they lie.
    Ahead::Stream stream(int64_t first, Ahead::Stream none) const;

private:
    Column column_;
    Window window_;
    const int32_t* lut_ = nullptr;
    bool is_direct_ = false;  // the vector kernel can read the column where it lies
};

}  // namespace karat
