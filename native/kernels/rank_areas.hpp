// How often rows of the own class stand above rows of the others.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/pack_scores.hpp"
#include "kernels/rank_borders.hpp"

namespace karat {

// All of these read sorted and settled words.

// For each class c: over pairs (row of own, row of c) the sum of 2·[s > s'] + [s = s']; 0 at own.
// Exact while 2·(rows of own)·(rows of c) < 2^63, else std::overflow_error.
std::vector<int64_t> count_areas(const PackedScores& packed, int n_threads = 1,
                                 Poll poll = nullptr);

// For each slot of words without rows: the same as if in every score level the own rows stood above the
// others; and where they stand together. What the slot of own has means nothing.
struct OrderedAreas {
    std::vector<uint64_t> areas;
    std::vector<Border> borders;
    int64_t n_tied = 0;  // words of those score levels
};
// Nothing where more than most_tied words stand together.
std::optional<OrderedAreas> count_as_ordered(const PackedScores& packed, int64_t most_tied,
                                             int n_threads, Poll poll);

// Numbers of slots as those of classes; 0 for own.
std::vector<int64_t> areas_of_classes(const PackedScores& packed,
                                      const std::vector<uint64_t>& slots);

// Throws that std::overflow_error.
void check_pairs(const PackedScores& packed);

// The same of w·w'·(2·[s > s'] + [s = s']), added in the order of the words.
std::vector<double> weigh_areas(const PackedScores& packed);

// Rows, or weights, of each class.
std::vector<int64_t> count_classes(const PackedScores& packed);
std::vector<double> weigh_classes(const PackedScores& packed);

}  // namespace karat
