// How the rows of a block come from the caller's memory into that of the block, and are checked.
#include <algorithm>
#include <limits>

#include "kernels/choose_isa.hpp"
#include "kernels/read_scores_block.hpp"

namespace karat {
namespace {

template <class T>
T item(const char* at) {
    return *reinterpret_cast<const T*>(at);
}

}  // namespace

bool ScoreReader::load(int64_t first, int64_t n, int64_t last) {
    const int32_t* codes = truth_ + first;
    if (!load_truth(codes, n) || !load_columns(first, n, last)) return false;
    if (is_weighted() && !load_weights(first, n)) return false;
    for (int64_t row = 0; row < n; ++row)
        own_[row] = columns_.x[codes[row] * columns_.stride + row];
    // The rows beyond repeat the last one.
    std::fill(own_ + n, own_ + rows_, own_[n - 1]);
    return true;
}

bool ScoreReader::load_truth(const int32_t* codes, int64_t n) {
    uint32_t most = 0;
    for (int64_t row = 0; row < n; ++row) {
        // A negative code becomes a large one.
        most = std::max(most, static_cast<uint32_t>(codes[row]));
        code_[row] = static_cast<double>(codes[row]);
    }
    std::fill(code_ + n, code_ + rows_, code_[n - 1]);
    return static_cast<int64_t>(most) < values_.k;
}

bool ScoreReader::load_weights(int64_t first, int64_t n) {
    bool good = true;
    for (int64_t row = 0; row < n; ++row) {
        weight_[row] = item<double>(reinterpret_cast<const char*>(weights_.data) +
                                    (first + row) * weights_.stride);
        good &= weight_[row] >= 0 && weight_[row] <= std::numeric_limits<double>::max();
    }
    std::fill(weight_ + n, weight_ + rows_, 0.0);
    return good;
}

bool ScoreReader::has_rows_side_by_side() const {
    const int64_t item = values_.item_bytes();
    return !values_.is_single && values_.column_step == item && values_.row_step % item == 0;
}

bool ScoreReader::load_columns(int64_t first, int64_t n, int64_t last) {
    const ScoreLanes& kernels = lanes().scores;
    const int64_t k = values_.k;
    columns_ = {x_, copied_rows_};
    if (has_rows_side_by_side()) {
        const char* from = values_.data + first * values_.row_step;
        return values_.is_float32 ? turn_columns<float>(from, n) : turn_columns<double>(from, n);
    }
    if (first >= copied_ + copied_n_) copy_columns(first, std::min(copied_rows_, last - first));
    columns_.x += first - copied_;
    for (int64_t j = 0; j < k; ++j) {
        double* column = columns_.x + j * columns_.stride;
        std::fill(column + n, column + rows_, column[n - 1]);
    }
    if (!options_.is_prob) return kernels.are_scores(columns_, rows_, k, {top_, best_});
    // p and 1 − p are rows by themselves, whatever the rounding of the second makes of their sum.
    const double any = std::numeric_limits<double>::infinity();
    const double tolerance = values_.is_single ? any : options_.tolerance;
    return kernels.are_probabilities(columns_, rows_, k, tolerance);
}

// Rows whose values lie side by side.
template <class T>
bool ScoreReader::turn_columns(const char* from, int64_t n) {
    const ScoreLanes& kernels = lanes().scores;
    const RowsOf<T> rows{reinterpret_cast<const T*>(from), values_.row_step / int64_t{sizeof(T)}, n,
                         values_.k};
    const ScoreBest best{top_, best_};
    const double tolerance = options_.tolerance;
    if constexpr (sizeof(T) == 8)
        return options_.is_prob ? kernels.turn_probabilities(rows, rows_, tolerance, columns_)
                                : kernels.turn_scores(rows, rows_, best, columns_);
    else
        return options_.is_prob ? kernels.turn_float_probabilities(rows, rows_, tolerance, columns_)
                                : kernels.turn_float_scores(rows, rows_, best, columns_);
}

void ScoreReader::copy_columns(int64_t first, int64_t n) {
    const char* from = values_.data + first * values_.row_step;
    values_.is_float32 ? copy_columns_of<float>(from, n) : copy_columns_of<double>(from, n);
    copied_ = first;
    copied_n_ = n;
}

template <class T>
void ScoreReader::copy_columns_of(const char* from, int64_t n) {
    const int64_t row_step = values_.row_step;
    if (values_.is_single) {
        for (int64_t row = 0; row < n; ++row) {
            // 1 − p of a small 32-bit p has no digits of p left in 32 bits.
            const double value = static_cast<double>(item<T>(from + row * row_step));
            x_[row] = options_.is_prob ? 1.0 - value : 0.0;
            x_[copied_rows_ + row] = value;
        }
        return;
    }
    constexpr int64_t kLine = 64;
    for (int64_t j = 0; j < values_.k; ++j) {
        const char* column = from + j * values_.column_step;
        double* out = x_ + j * copied_rows_;
        // Apart, so that values side by side are copied as vectors. Those of the next rows are
        // asked for: many columns are more streams than the processor foresees.
        if (row_step == sizeof(T)) {
            for (int64_t row = 0; row < n; ++row)
                out[row] = static_cast<double>(reinterpret_cast<const T*>(column)[row]);
            for (int64_t at = n * row_step; at < 2 * n * row_step; at += kLine)
                __builtin_prefetch(column + at, 0, 2);
        } else {
            for (int64_t row = 0; row < n; ++row)
                out[row] = static_cast<double>(item<T>(column + row * row_step));
        }
    }
}

}  // namespace karat
