// Equal numbers as groups, in the order in which they are first met.
#pragma once

#include <cstdint>
#include <vector>

namespace karat {

// Numbers of [0, n_keys): writes the group of each of n to `groups`, and returns where each group
// is first met. A table of all numbers serves while it has at most eight places for each of the n;
// else a hash table. std::invalid_argument for a number outside.
std::vector<int64_t> group_keys(const int64_t* keys, int64_t n, int64_t n_keys, int64_t* groups);

}  // namespace karat
