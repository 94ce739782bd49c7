// Areas from words of half the size: keys without their last bits, and a second look at the few rows
// that these leave in doubt.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/pack_scores.hpp"

namespace karat {

// Whether surveyed scores, whose words would have 64 bits, are likely to differ in the first bits of
// their keys, and to be out of order.
bool prefixes_pay(const PackedScores& surveyed);

// The same rows with words uint32 whose keys are cut, still to be made.
PackedScores cut_keys(const PackedScores& surveyed);

// The same numbers as `count_areas` of whole words, from sorted `cut` ones. Nothing when too many rows
// are in doubt. Reads the scores again: std::runtime_error when they changed meanwhile.
std::optional<std::vector<int64_t>> count_cut_areas(const PackedScores& surveyed,
                                                    const PackedScores& cut, int n_threads,
                                                    Poll poll);

}  // namespace karat
