// Which labels of two sets of each row are in both.
#pragma once

#include "kernels/merge_sets.hpp"

namespace karat {

// Whether each item of one is among those of the same row of the other, a byte for each.
// std::invalid_argument for starts and items that are no sets of labels below k.
void match_sets(const SetsView& left, const SetsView& right, int64_t k, bool* in_right, bool* in_left);

}  // namespace karat
