// The rows of one segment, block after block, and what they add up to.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/lanes_scores.hpp"
#include "kernels/read_scores.hpp"
#include "kernels/scratch.hpp"

namespace karat {

// Rows of a block: few enough that its columns stay in the first-level cache.
int64_t score_block_rows(int64_t k);

// What a bin adds up.
struct BinEntry {
    double weight, confidence, correct, square;
};

// Sums of consecutive rows. Tables have one entry a class, or a bin.
template <class Count>  // int64_t rows, or double weights
struct ScoreTables {
    std::vector<Count> ranks, truth;
};

struct SegmentSums {
    double weight = 0, weight2 = 0;
    double loss[kLosses][3] = {};  // Σwℓ, Σw²ℓ, Σw²ℓ²
    ScoreTables<int64_t> rows;
    ScoreTables<double> weights;
    std::vector<BinEntry> bins;

    void add(const SegmentSums& other);
};

// [n] of each loss and of the ranks, or null.
using RowLosses = std::array<double*, kLosses + 1>;

// Reads rows of a matrix into sums. One a task: it owns the memory of a block.
class ScoreReader {
public:
    ScoreReader(const ScoreMatrix& values, const int32_t* truth, Weights weights,
                const ScoreOptions& options, int32_t* predicted, const RowLosses& of_rows);

    // Adds the rows [first, last); false when one of them may be bad.
    bool read(int64_t first, int64_t last, SegmentSums& sums);

private:
    bool wants(int bit) const { return (options_.wanted & bit) != 0; }
    bool is_weighted() const { return weights_.data != nullptr; }

    // Of rows before `last`, which may be read ahead.
    bool load(int64_t first, int64_t n, int64_t last);
    bool load_truth(const int32_t* codes, int64_t n);
    bool load_columns(int64_t first, int64_t n, int64_t last);
    template <class T>
    bool turn_columns(const char* from, int64_t n);
    bool has_rows_side_by_side() const;
    void copy_columns(int64_t first, int64_t n);
    template <class T>
    void copy_columns_of(const char* from, int64_t n);
    bool load_weights(int64_t first, int64_t n);
    void add_losses(int64_t first, int64_t n, SegmentSums& sums);
    void find_losses(const ScoreBlock& block);
    void find_soft_losses(const ScoreBlock& block);
    void add_loss(Loss loss, double* of_rows, int64_t first, int64_t n, SegmentSums& sums);
    void add_tables(int64_t first, int64_t n, SegmentSums& sums);
    template <class Count>
    void count(int64_t first, int64_t n, ScoreTables<Count>& tables);
    // The bin (edge i, edge i + 1] of a confidence.
    int64_t bin_of(double confidence) const;
    void add_bins(int64_t n, SegmentSums& sums);

    ScoreMatrix values_;
    const int32_t* truth_;
    Weights weights_;
    ScoreOptions options_;
    int32_t* predicted_;
    RowLosses of_rows_;

    std::vector<double> edges_;  // of the bins: i / n_bins, rounded
    Buffer memory_;
    double* x_;             // float64[k, copied_rows_]
    int64_t copied_rows_;   // read at a time: one block, or several
    int64_t copied_ = 0;    // the first row that lies there
    int64_t copied_n_ = 0;  // and how many
    Columns columns_;       // of the block being read
    // float64[rows]
    double *code_, *own_, *weight_, *top_, *best_, *negative_log_, *squared_error_, *confidence_, *rank_;
    int64_t rows_ = 0;  // of the block being read, a multiple of kGroup
};

}  // namespace karat
