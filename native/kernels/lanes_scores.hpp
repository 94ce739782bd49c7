// The vector kernels of a block of scores: rows lie in the lanes.
#pragma once

#include <cstdint>

namespace karat {

// Rows handled by one operation, whatever the width of the vectors: so a sum over rows is made in
// the same order, and has the same bits, on every instruction set.
constexpr int64_t kGroup = 8;

// Scores as columns: score j of row r at x[j * stride + r].
struct Columns {
    double* x;
    int64_t stride;
};

// A block of scores. `rows` is a multiple of kGroup; rows beyond the data repeat its last row.
struct ScoreBlock {
    Columns scores;
    const double* truth;  // true class of each row
    const double* own;    // score of the true class
    int64_t rows, k;
};

// The largest score of each row and the first column that holds it.
struct ScoreBest {
    double* top;
    double* column;
};

// n rows of k items that lie side by side; `step` items from row to row.
template <class T>
struct RowsOf {
    const T* data;
    int64_t step, n, k;
};

// What a row loses; null where it is not wanted.
struct SoftLosses {
    double* negative_log;
    double* squared_error;
    double* confidence;
};

// Kernels write one number for each row of the block.
struct ScoreLanes {
    // Whether every value is in [0, 1], and those of a row sum to 1 within the tolerance.
    bool (*are_probabilities)(const Columns& scores, int64_t rows, int64_t k, double tolerance);
    // Whether every value is finite; the best of finite rows.
    bool (*are_scores)(const Columns& scores, int64_t rows, int64_t k, const ScoreBest& best);
    // The same while rows become columns.
    bool (*turn_probabilities)(const RowsOf<double>& from, int64_t rows, double tolerance,
                               const Columns& to);
    bool (*turn_float_probabilities)(const RowsOf<float>& from, int64_t rows, double tolerance,
                                     const Columns& to);
    bool (*turn_scores)(const RowsOf<double>& from, int64_t rows, const ScoreBest& best,
                        const Columns& to);
    bool (*turn_float_scores)(const RowsOf<float>& from, int64_t rows, const ScoreBest& best,
                              const Columns& to);

    // Columns with a larger score than the true class, or an equal one further left.
    void (*ranks)(const ScoreBlock& block, double* rank);

    // max(0, 1 - (own - largest other))
    void (*margins)(const ScoreBlock& block, double* loss);

    // With probabilities p: -log p[own]
    void (*negative_logs)(const ScoreBlock& block, double* loss);
    // Σ (p[j] - [j is true])²
    void (*squared_errors)(const ScoreBlock& block, double* loss);
    // (-log p[own] - Σ over the others of log(1 - p[j])) / k
    void (*binary_negative_logs)(const ScoreBlock& block, double* loss);

    // The first two with p = softmax of the scores, and max p. There -inf stands in the place of
    // the best column of each row, whose score best.top holds.
    void (*softmax)(const ScoreBlock& block, const ScoreBest& best, const SoftLosses& losses);
    // The third with p[j] = 1 / (1 + exp(-score j)).
    void (*sigmoid)(const ScoreBlock& block, double* loss);

    // out = {Σwℓ, Σw²ℓ, Σw²ℓ²}; w may be null for ones. Rows of weight 0 count for nothing,
    // also when their loss is infinite.
    void (*add_losses)(const double* loss, const double* w, int64_t rows, double out[3]);
};

}  // namespace karat
