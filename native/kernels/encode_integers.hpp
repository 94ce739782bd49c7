// Integers as codes 0, 1, 2 … of their sorted values.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/column.hpp"

namespace karat {

// Writes codes[i], the rank of row i among the distinct values, and returns these, ascending.
// A table while the range of values allows, by several threads if it is short; else a hash. Throws
// Rejected("range") for the first unsigned value beyond int64, std::length_error for more than
// 2^31 - 1 distinct values.
std::vector<int64_t> encode_integers(const Column& column, int32_t* codes, int n_threads = 1);

}  // namespace karat
