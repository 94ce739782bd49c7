// Hands out rows of scores, labels or targets, and weights to many threads, each row checked.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "kernels/objectives.hpp"
#include "kernels/read_block.hpp"

namespace karat {

// A row as for_each_row() gives it; its scores may be overwritten.
template <class Real>
struct CheckedRow {
    int64_t place;
    Real* scores;         // k
    int64_t label;        // without targets
    const Real* targets;  // k, or null
    double weight;
};

// Throws Rejected for the first bad row of scores, then of labels or targets, then of weights.
void reject_first(const LabelledRows& rows);

// Rows read together: a line of a matrix in column order holds several of them.
constexpr int64_t kTileRows = 16;
// Scores for one task of a thread; less than two tasks are not worth a second thread.
constexpr int64_t kTaskScores = 1 << 16;

// Copies rows [first, first + n) into a tile of k items a row. False when one is not finite.
template <class From, class Real>
bool read_tile(const ScoreRows& scores, int64_t first, int64_t n, Real* tile) {
    Real poison = 0;
    for (int64_t j = 0; j < scores.k; ++j) {
        const char* at = scores.data + first * scores.row_stride + j * scores.column_stride;
        for (int64_t i = 0; i < n; ++i, at += scores.row_stride) {
            From value;
            std::memcpy(&value, at, sizeof value);
            tile[i * scores.k + j] = static_cast<Real>(value);
            // 0 for every number, NaN for NaN and infinity.
            poison += static_cast<Real>(value) * 0;
        }
    }
    return poison == 0;
}

// The same of a matrix of either type.
template <class Real>
bool read_tile_of(const ScoreRows& scores, int64_t first, int64_t n, Real* tile) {
    return scores.is_single ? read_tile<float>(scores, first, n, tile)
                            : read_tile<double>(scores, first, n, tile);
}

// Calls row(CheckedRow) once for each row, if all are good.
template <class Real, class Row>
void for_each_row(const LabelledRows& rows, const Row& row) {
    const ScoreRows& scores = rows.scores;
    const int64_t n = scores.n, k = scores.k;
    const int64_t tiles = std::max<int64_t>(1, kTaskScores / k / kTileRows);
    const int64_t task_rows = tiles * kTileRows, n_tasks = (n + task_rows - 1) / task_rows;
    const bool is_long = n_tasks > 1;
    const int n_slots =
        is_long ? static_cast<int>(std::min<int64_t>(n_tasks, thread_limit(rows.n_threads))) : 1;
    std::vector<std::vector<Real>> buffers(n_slots);
    std::atomic<bool> is_bad{false};
    const bool has_targets = rows.targets.data != nullptr;
    const int64_t tile_size = kTileRows * k;

    // The truth of a tile: its targets, or where there are none its labels.
    const auto read_truth = [&](int64_t first, int64_t count, Real* targets, int64_t* labels) {
        if (!has_targets) return gather_integers(rows.labels, first, count, labels);
        std::fill(labels, labels + count, 0);
        return read_tile_of(rows.targets, first, count, targets) &&
               std::all_of(targets, targets + count * k, is_target<Real>);
    };
    const auto do_tile = [&](Real* tile, int64_t first, int64_t count) {
        int64_t labels[kTileRows];
        Real* targets = has_targets ? tile + tile_size : nullptr;
        bool is_good = read_tile_of(scores, first, count, tile);
        is_good = read_truth(first, count, targets, labels) && is_good;
        for (int64_t i = 0; i < count; ++i) {
            is_good = is_good && labels[i] >= 0 && labels[i] < k;
            // Weights are finite: infinity is not below itself.
            if (rows.weights != nullptr)
                is_good =
                    is_good && rows.weights[first + i] >= 0 && rows.weights[first + i] < HUGE_VAL;
        }
        if (!is_good) return false;
        for (int64_t i = 0; i < count; ++i)
            row(CheckedRow<Real>{first + i, tile + i * k, labels[i],
                                 has_targets ? targets + i * k : nullptr,
                                 rows.weights == nullptr ? 1.0 : rows.weights[first + i]});
        return true;
    };
    const auto do_task = [&](int slot, int64_t task) {
        std::vector<Real>& buffer = buffers[slot];
        if (buffer.empty()) buffer.resize(static_cast<size_t>(tile_size * (has_targets ? 2 : 1)));
        const int64_t last = std::min(n, (task + 1) * task_rows);
        for (int64_t first = task * task_rows; first < last; first += kTileRows) {
            if (is_bad.load(std::memory_order_relaxed)) return;
            if (!do_tile(buffer.data(), first, std::min(kTileRows, last - first))) is_bad = true;
        }
    };
    parallel(n_slots, n_tasks, do_task, is_long ? rows.poll : nullptr);
    if (!is_bad) return;
    reject_first(rows);
    // Only when someone wrote to the arrays meanwhile.
    throw std::runtime_error("the arrays changed while they were read");
}

}  // namespace karat
