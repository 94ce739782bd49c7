#include "kernels/pair_scores.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "kernels/rejected.hpp"

namespace karat {
namespace {

template <class Float>
void subtract(const Scores& scores, const int64_t* rows, int64_t n, int64_t i, int64_t j,
              double* out) {
    constexpr double kMost = std::numeric_limits<double>::max();
    constexpr int64_t kAhead = 16;
    const char* left = scores.data + i * scores.column_stride;
    const char* right = scores.data + j * scores.column_stride;
    for (int64_t m = 0; m < n; ++m) {
        // Rows of a class lie far apart: the processor does not guess where.
        const int64_t soon = rows[std::min(m + kAhead, n - 1)] * scores.row_stride;
        __builtin_prefetch(left + soon);
        __builtin_prefetch(right + soon);
        const int64_t at = rows[m] * scores.row_stride;
        const double difference = static_cast<double>(*reinterpret_cast<const Float*>(left + at)) -
                                  static_cast<double>(*reinterpret_cast<const Float*>(right + at));
        // Written so that NaN stays NaN.
        out[m] = difference > kMost ? kMost : difference < -kMost ? -kMost : difference;
    }
}

}  // namespace

ClassRows group_rows(const int32_t* codes, int64_t n, int64_t k) {
    if (k < 1 || k > int64_t{1} << 31) throw std::invalid_argument("k must be between 1 and 2^31");
    ClassRows classes;
    classes.starts.assign(static_cast<size_t>(k) + 1, 0);
    for (int64_t row = 0; row < n; ++row) {
        if (codes[row] < 0 || codes[row] >= k) throw Rejected("range", Argument::truth, row);
        ++classes.starts[codes[row] + 1];
    }
    for (int64_t c = 0; c < k; ++c) classes.starts[c + 1] += classes.starts[c];
    std::vector<int64_t> next(classes.starts.begin(), classes.starts.end() - 1);
    classes.rows.resize(static_cast<size_t>(n));
    for (int64_t row = 0; row < n; ++row) {
        const int32_t code = codes[row];
        if (code < 0 || code >= k || next[code] >= classes.starts[code + 1])
            throw std::runtime_error("the classes changed while they were read");
        classes.rows[next[code]++] = row;
    }
    return classes;
}

void pair_scores(const Scores& scores, const ClassRows& classes, int64_t i, int64_t j,
                 double* out) {
    const auto kernel = scores.is_double ? subtract<double> : subtract<float>;
    for (const int64_t c : {i, j}) {
        const int64_t first = classes.starts[c], n = classes.starts[c + 1] - first;
        kernel(scores, classes.rows.data() + first, n, i, j, out);
        out += n;
    }
}

void weigh_scores(const Scores& scores, const double* cost, double* out) {
    const int64_t k = scores.width;
    std::vector<double> row(static_cast<size_t>(k));
    for (int64_t r = 0; r < scores.n_rows; ++r, out += k) {
        for (int64_t l = 0; l < k; ++l) row[l] = scores.value(r * k + l);
        for (int64_t c = 0; c < k; ++c) {
            double sum = 0;
            for (int64_t l = 0; l < k; ++l) sum += cost[c * k + l] * row[l];
            if (!std::isfinite(sum)) throw Rejected("infinite", Argument::pred, r * k + c);
            out[c] = sum;
        }
    }
}

}  // namespace karat
