// Pairs of classes as sortable keys: sparse cells for many classes.
#pragma once

#include <cstdint>

namespace karat {

// keys[i] = truth[i] * k + pred[i]. Throws Rejected("range") for the first row, of the truth,
// else of the predictions, that is not in [0, k); std::invalid_argument for k outside [1, 2^31].
void pack_pairs(const int32_t* truth, const int32_t* pred, int64_t n, int64_t k, uint64_t* keys);

// The same with the row behind the key: keys[i] = (truth[i] * k + pred[i]) << row_bits(n) | i, so
// that sorted keys hold the rows of a pair in their order. std::invalid_argument when 64 bits are
// too few.
void pack_pairs_rows(const int32_t* truth, const int32_t* pred, int64_t n, int64_t k,
                     uint64_t* keys);
int row_bits(int64_t n);

}  // namespace karat
