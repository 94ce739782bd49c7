// True and predicted sets of labels, counted by label.
#pragma once

#include <cstdint>

#include "kernels/merge_sets.hpp"
#include "kernels/threads.hpp"

namespace karat {

// Sums by label, [4, k] each, 0 before: of rows that have it truly and predicted, predicted alone, truly
// alone, and in the third set. Weighted: rows of weight above 0, and Σw and Σw², else null.
struct SetSums {
    int64_t* rows;
    double* weights;
    double* squares;
};

// Adds up in the order of the rows, and writes how many labels of each row are both true and
// predicted, hits [n]. The same for any number of threads. `third` and `weights` [n] may be null.
// std::invalid_argument for starts and items that are no sets of labels below k.
void count_sets(const SetsView& truth, const SetsView& pred, const SetsView* third, const double* weights,
                int64_t k, const SetSums& sums, int64_t* hits, int n_threads, Poll poll);

}  // namespace karat
