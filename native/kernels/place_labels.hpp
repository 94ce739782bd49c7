// Where the true labels of a row stand among the scores of its labels.
#pragma once

#include <cstdint>

#include "kernels/merge_sets.hpp"
#include "kernels/threads.hpp"

namespace karat {

// Scores of k labels of each row, `item` bytes each (4 or 8), contiguous within a row.
struct ScoreMatrix {
    const char* bytes;
    int64_t n, k, stride, item;
};

// Scores of the labels that a row lists, one for each item of its set.
struct ScoreLists {
    SetsView sets;
    const double* values;
    int64_t k;
};

// For each item of the true sets, int32[m] each:
//   above        labels of the row that score more,
//   tied         labels that score the same, itself among them; 0 where the row does not list it,
//   above_true   those of `above` that are true,
//   tied_true    those of `tied` that are true,
//   before       those of `tied` that come before it in the order of the labels,
// and for each row how many labels have a score.
struct LabelPlaces {
    int32_t *above, *tied, *above_true, *tied_true, *before;
    int32_t* n_ranked;
};

// Labels of `unknown` (may be null) stand nowhere; of `above`, where a label is not listed, are all
// that are. The same for any number of threads. std::invalid_argument for starts and items that are no sets
// of labels below k.
void place_labels(const ScoreMatrix& scores, const SetsView& truth, const SetsView* unknown,
                  const LabelPlaces& places, int n_threads, Poll poll);
void place_listed(const ScoreLists& scores, const SetsView& truth, const SetsView* unknown,
                  const LabelPlaces& places, int n_threads, Poll poll);

}  // namespace karat
