// Which row of scores is bad: a slow second look, for the message.
#include <cmath>

#include "kernels/read_scores.hpp"
#include "kernels/rejected.hpp"

namespace karat {
namespace {

template <class T>
T item(const char* at) {
    return *reinterpret_cast<const T*>(at);
}

// What is wrong with one value, or null.
const char* problem_of(double value, bool is_prob) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return "infinite";
    if (is_prob && value < 0) return "below_zero";
    if (is_prob && value > 1) return "above_one";
    return nullptr;
}

template <class T>
void reject_values(const ScoreMatrix& values, const ScoreOptions& options) {
    const int64_t columns = values.is_single ? 1 : values.k;
    for (int64_t row = 0; row < values.n; ++row) {
        double sum = 0;
        for (int64_t column = 0; column < columns; ++column) {
            const double value = static_cast<double>(
                item<T>(values.data + row * values.row_step + column * values.column_step));
            if (const char* kind = problem_of(value, options.is_prob))
                throw Rejected(kind, Argument::pred, row, values.is_single ? kWholeRow : column);
            sum += value;
        }
        // Added in the order of the kernel, so that both say the same of every row.
        if (options.is_prob && !values.is_single && !(std::fabs(sum - 1) <= options.tolerance))
            throw Rejected("row_sum", Argument::pred, row, kWholeRow);
    }
}

}  // namespace

void reject_scores(const ScoreMatrix& values, const int32_t* truth, Weights weights,
                   const ScoreOptions& options) {
    for (int64_t row = 0; row < values.n; ++row)
        if (truth[row] < 0 || truth[row] >= values.k)
            throw Rejected("range", Argument::truth, row, kWholeRow);
    values.is_float32 ? reject_values<float>(values, options)
                      : reject_values<double>(values, options);
    for (int64_t row = 0; weights.data != nullptr && row < values.n; ++row) {
        const double weight =
            item<double>(reinterpret_cast<const char*>(weights.data) + row * weights.stride);
        if (!std::isfinite(weight)) throw Rejected("bad_weight", Argument::weights, row, kWholeRow);
        if (weight < 0) throw Rejected("negative_weight", Argument::weights, row, kWholeRow);
    }
}

}  // namespace karat
