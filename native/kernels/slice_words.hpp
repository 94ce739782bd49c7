// Words in slices by score, so that several threads may sort them: one slice each.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/pack_scores.hpp"

namespace karat {

// Makes the words of surveyed scores, unless they are there. Slice s is the words starts[s] to
// starts[s + 1], all of them below those of slice s + 1; the order inside of a slice is not fixed. One
// slice where threads do not pay, or the words were there.
//
// The scores are read twice: how many words fall where is counted, then each is written to its
// place. Throws std::runtime_error when they change meanwhile.
std::vector<int64_t> slice_words(PackedScores& packed, int n_threads, Poll poll);

}  // namespace karat
