// How often rows of the own class stand above rows of the others.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/pack_scores.hpp"

namespace karat {

// All of these read sorted and settled words.

// For each class c: over pairs (row of own, row of c) the sum of 2·[s > s'] + [s = s']; 0 at own.
// Exact while 2·(rows of own)·(rows of c) < 2^63, else std::overflow_error.
std::vector<int64_t> count_areas(const PackedScores& packed);

// Throws that std::overflow_error.
void check_pairs(const PackedScores& packed);

// The same of w·w'·(2·[s > s'] + [s = s']), added in the order of the words.
std::vector<double> weigh_areas(const PackedScores& packed);

// Rows, or weights, of each class.
std::vector<int64_t> count_classes(const PackedScores& packed);
std::vector<double> weigh_classes(const PackedScores& packed);

}  // namespace karat
