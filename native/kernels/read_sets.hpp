// A matrix of 0 and 1, read as a set of columns for each row.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/threads.hpp"

namespace karat {

// What a cell is: whole numbers by their width, of any sign, and booleans; floats.
enum class CellKind : uint8_t { whole8, whole16, whole32, whole64, float16, float32, float64 };

// A matrix [n, k] as it lies in the caller's memory; strides in bytes, of any sign.
struct Indicator {
    const char* data;
    int64_t n, k;
    int64_t row_stride, column_stride;
    CellKind kind;
};

// Columns of each row, ascending: those of row i are items[starts[i]] to items[starts[i + 1] - 1].
struct SetLists {
    std::vector<int64_t> starts;
    std::vector<int32_t> items;
};

struct ReadSets {
    SetLists ones;
    SetLists unknown;  // cells that are NaN; no starts where there are none
    int64_t n_others = 0;         // cells that are neither 0, nor 1, nor NaN
    int64_t row = -1, column = -1;  // the first of them
};

// The same for any number of threads. k is below 2^31.
ReadSets read_sets(const Indicator& matrix, int n_threads, Poll poll);

}  // namespace karat
