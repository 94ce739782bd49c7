// Permutations of rows.
#pragma once

#include <cstdint>

#include "kernels/threads.hpp"

namespace karat {

// out[count, n]: items of `item` bytes, 1 or 8, in random orders that are independent and all equally probable.
//
// Replicate first + i is the same however the work is divided. 0 <= n < 2^31.
//
// Items are first dealt to parts at random, and each part is shuffled within the cache: Rao (1961), Generation of
// random permutations of given number of elements using random sampling numbers, Sankhya A 23; Sandelius (1962).
void shuffle_items(const void* items, int64_t n, int item, uint64_t seed, uint32_t stream, int64_t first,
                   int64_t count, void* out, int n_threads, Poll poll);

}  // namespace karat
