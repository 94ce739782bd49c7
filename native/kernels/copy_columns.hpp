// Columns of a matrix of scores, each side by side.
#pragma once

#include <cstdint>

#include "kernels/pack_scores.hpp"
#include "kernels/threads.hpp"

namespace karat {

// out[c, row] = item of column first + c, for `count` columns of the matrix; float32 or float64 as
// the scores are.
void copy_columns(const Scores& scores, int64_t first, int64_t count, void* out, int n_threads,
                  Poll poll);

}  // namespace karat
