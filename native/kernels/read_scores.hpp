// One pass over a matrix of scores or probabilities: what each row loses, summed.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/count.hpp"
#include "kernels/threads.hpp"

namespace karat {

// Scores of n rows and k classes, of float32 or float64, as they lie in the caller's memory.
struct ScoreMatrix {
    const char* data = nullptr;
    int64_t n = 0, k = 0;
    int64_t row_step = 0, column_step = 0;  // bytes, of any sign
    bool is_float32 = false;
    // There is one column, of the second of two classes: a probability p stands for {1 - p, p},
    // in the arithmetic of its type, any other score s for {0, s}.
    bool is_single = false;

    int64_t item_bytes() const { return is_float32 ? 4 : 8; }
};

// The losses, in the order of ScoreSums; the formulas are those of ScoreLanes.
enum Loss { kNegativeLog, kSquaredError, kMargin, kBinaryNegativeLog, kLosses };

// Bits of `wanted`: 1 << loss for each loss, and these.
constexpr int kWantRanks = 16, kWantPredicted = 32, kWantBins = 64;
// Also the losses and ranks of each row.
constexpr int kWantRows = 128;
constexpr int kWantAll = 127;

struct ScoreOptions {
    bool is_prob = true;
    double tolerance = 0;  // of the sum of a row of probabilities
    int wanted = 0;
    int64_t n_bins = 0;
    int n_threads = 1;
    Poll poll = nullptr;
    double clip = 0;  // kNegativeLog counts a probability as the nearest number of [clip, 1 - clip]
};

// The result. Vectors that were not wanted are empty, losses that were not wanted NaN.
// Invariant: of `ranks` and `ranks_w`, and of `truth` and `truth_w`, the second holds weights
// and the first rows; only the one that applies is filled.
struct ScoreSums {
    int64_t k = 0, n_rows = 0;
    bool weighted = false;
    double weight = 0, weight2 = 0;  // Σw, Σw²
    // Σwℓ, Σw²ℓ, Σw²ℓ² of each loss
    std::array<double, kLosses> w_loss, w2_loss, w2_loss2;
    // [k] by the place of the true class: columns with a larger score, or an equal one further left
    std::vector<int64_t> ranks;
    std::vector<double> ranks_w;
    // [k] by the true class
    std::vector<int64_t> truth;
    std::vector<double> truth_w;
    // [n] the first column that holds the largest score
    std::unique_ptr<int32_t[]> predicted;
    // [n] of each loss, and the place of the true class: what was wanted, where rows were
    std::array<std::unique_ptr<double[]>, kLosses + 1> of_rows;
    // [n_bins] by the largest probability, where bin i is (i / n_bins, (i + 1) / n_bins]: Σw,
    // Σw·confidence, Σw where the prediction is right, Σw²
    std::vector<double> bin_weight, bin_confidence, bin_correct, bin_weight2;
};

// Reads every value once. Rows are added in an order that depends on n and k alone: the result has
// the same bits for every number of threads and every instruction set.
//
// Throws Rejected with the first bad row of the truth ("range"), else of the values ("nan",
// "infinite"; of probabilities "below_zero", "above_one", "row_sum") and its first bad column,
// else of the weights ("bad_weight", "negative_weight"). A column of -1 means the whole row.
ScoreSums read_scores(const ScoreMatrix& values, const int32_t* truth, Weights weights,
                      const ScoreOptions& options);

// The first bad row is thrown; returns if there is none.
void reject_scores(const ScoreMatrix& values, const int32_t* truth, Weights weights,
                   const ScoreOptions& options);

}  // namespace karat
