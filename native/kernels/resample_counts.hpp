// Rows of a table drawn again with replacement: multinomial counts.
#pragma once

#include <cstdint>

#include "kernels/random.hpp"
#include "kernels/threads.hpp"

namespace karat {

// int64[count, m], replicates first, first + 1, …: as many rows as counts[m] has, each
// from a cell with the chance that the cell has. Exact: a binomial for each cell of what is left.
//
// Throws std::invalid_argument for a negative count, or counts of more than 2^52 rows.
void resample_counts(const int64_t* counts, int64_t m, uint64_t seed, uint32_t stream,
                     int64_t first, int64_t count, int64_t* out, int n_threads, Poll poll);

// int32[n]: how often each of n items comes when n are drawn with replacement. 0 <= n <= 2^31 − 1.
void resample_items(const Source& source, int64_t n, int32_t* counts);

}  // namespace karat
