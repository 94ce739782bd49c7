// Words of 32 or 64 bits in their order.
#pragma once

#include <cstdint>

#include "kernels/threads.hpp"

namespace karat {

// Sorts n words where they lie, of which none has a bit from `n_bits` on. They are read more than once: nobody may write to them meanwhile.
//
// Needs memory for n more words; where there is none it takes longer. When it throws Interrupted
// the words are all there, in no order.
void sort_words(uint32_t* words, int64_t n, int n_bits, int n_threads, Poll poll);
void sort_words(uint64_t* words, int64_t n, int n_bits, int n_threads, Poll poll);

}  // namespace karat
