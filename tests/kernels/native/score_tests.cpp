// The pass over scores, for every layout and type, against plain loops.
#include <algorithm>
#include <cmath>

#include "check.hpp"
#include "kernels/read_scores.hpp"

namespace karat_tests {
namespace {

using karat::ScoreMatrix;
using karat::ScoreOptions;
using karat::ScoreSums;

constexpr int64_t kSizes[] = {1, 2, 3, 7, 8, 9, 10, 16, 33, 130};
constexpr int64_t kLengths[] = {1, 5, 8, 9, 63, 257, 513};

// A matrix in memory of exactly its size: rows or columns side by side, with gaps, backwards.
template <class T>
struct Matrix {
    Matrix(Random& random, int64_t n, int64_t k, bool is_prob)
        : by_rows(below(random, 2) == 0),
          gap(1 + below(random, 2)),
          sign(below(random, 3) == 0 ? -1 : 1),
          memory(((by_rows ? (n - 1) * k : n - 1) + (by_rows ? k - 1 : (k - 1) * n)) * gap + 1) {
        made.n = n;
        made.k = k;
        made.is_float32 = sizeof(T) == 4;
        const int64_t item = sizeof(T);
        made.row_step = sign * item * gap * (by_rows ? k : 1);
        made.column_step = item * gap * (by_rows ? 1 : n);
        const char* first = reinterpret_cast<const char*>(memory.data());
        made.data = sign > 0 ? first : first - (n - 1) * made.row_step;
        for (int64_t i = 0; i < memory.size(); ++i) memory[i] = T(0);
        for (int64_t row = 0; row < n; ++row) fill(random, row, is_prob);
    }
    T& at(int64_t row, int64_t column) {
        return *reinterpret_cast<T*>(const_cast<char*>(made.data) + row * made.row_step +
                                     column * made.column_step);
    }
    void fill(Random& random, int64_t row, bool is_prob) {
        // Eighths are exact, and tie.
        for (int64_t left = 8; is_prob && left > 0; --left)
            at(row, below(random, made.k)) += T(0.125);
        for (int64_t j = 0; !is_prob && j < made.k; ++j)
            at(row, j) = T(static_cast<double>(below(random, 2000)) / 100 - 10);
    }

    bool by_rows;
    int64_t gap, sign;
    Exact<T> memory;
    ScoreMatrix made;
};

bool is_close(double actual, double expected) {
    if (std::isinf(expected)) return actual == expected;
    return std::fabs(actual - expected) <= 1e-11 * std::max(1.0, std::fabs(expected));
}

template <class T>
void check_losses(Matrix<T>& matrix, const Exact<int32_t>& truth, const double* weights,
                  bool is_prob, const ScoreSums& sums) {
    double expected[karat::kLosses] = {};
    std::vector<double> ranks(matrix.made.k);
    for (int64_t row = 0; row < matrix.made.n; ++row) {
        const double w = weights == nullptr ? 1 : weights[row];
        const int64_t own = truth[row], k = matrix.made.k;
        double top = -INFINITY, other = -INFINITY, sum = 0, squared_error = 0, binary = 0;
        int64_t place = 0;
        for (int64_t j = 0; j < k; ++j) {
            const double x = matrix.at(row, j), mine = matrix.at(row, own);
            top = std::max(top, x);
            if (j != own) other = std::max(other, x);
            place += x > mine || (x == mine && j < own);
            if (is_prob) binary -= std::log(j == own ? x : 1 - x);
            if (!is_prob) binary += std::log1p(std::exp(j == own ? -x : x));
        }
        for (int64_t j = 0; j < k; ++j) sum += is_prob ? 0 : std::exp(matrix.at(row, j) - top);
        double p_own = 0;
        for (int64_t j = 0; j < k; ++j) {
            const double x = matrix.at(row, j), p = is_prob ? x : std::exp(x - top) / sum;
            squared_error += (p - (j == own)) * (p - (j == own));
            if (j == own) p_own = p;
        }
        const double margin = std::max(0.0, 1 - (matrix.at(row, own) - other));
        if (w == 0) continue;
        expected[karat::kNegativeLog] -= w * std::log(p_own);
        expected[karat::kSquaredError] += w * squared_error;
        expected[karat::kMargin] += w * margin;
        expected[karat::kBinaryNegativeLog] += w * binary / static_cast<double>(k);
        ranks[place] += w;
    }
    for (int i = 0; i < karat::kLosses; ++i)
        check_same(is_close(sums.w_loss[i], expected[i]), true, "loss " + std::to_string(i));
    for (int64_t place = 0; place < matrix.made.k; ++place)
        check_same(weights == nullptr ? static_cast<double>(sums.ranks[place])
                                      : sums.ranks_w[place],
                   ranks[place], "place");
}

template <class T>
void test_sums(Random& random, int64_t n, int64_t k, bool is_prob) {
    Matrix<T> matrix(random, n, k, is_prob);
    Exact<int32_t> truth(n);
    Exact<double> weights(n);
    for (int64_t i = 0; i < n; ++i) {
        truth[i] = static_cast<int32_t>(below(random, k));
        weights[i] = static_cast<double>(below(random, 5)) / 4;
    }
    const ScoreOptions options{is_prob, 1e-3, karat::kWantAll, 10, 2, nullptr};
    for (const bool is_weighted : {false, true}) {
        const double* data = is_weighted ? weights.data() : nullptr;
        const ScoreSums sums = karat::read_scores(matrix.made, truth.data(), {data, 8}, options);
        check_losses(matrix, truth, data, is_prob, sums);
    }
    const int64_t row = below(random, n), column = below(random, k);
    const T kept = matrix.at(row, column);
    matrix.at(row, column) = T(NAN);
    const auto read = [&] { karat::read_scores(matrix.made, truth.data(), {}, options); };
    check_rejected(read, "nan", karat::Argument::pred, row);
    matrix.at(row, column) = kept;
    truth[row] = static_cast<int32_t>(k);
    check_rejected(read, "range", karat::Argument::truth, row);
}

void test_single(Random& random) {
    for (const int64_t n : kLengths) {
        Exact<float> scores(2 * n - 1);
        Exact<int32_t> truth(n);
        int64_t n_positive = 0;
        for (int64_t i = 0; i < n; ++i) {
            scores[2 * i] = static_cast<float>(below(random, 9)) / 8;
            truth[i] = static_cast<int32_t>(below(random, 2));
            n_positive += truth[i];
        }
        ScoreMatrix matrix{reinterpret_cast<const char*>(scores.data()), n, 2, 8, 0, true, true};
        const ScoreSums sums = karat::read_scores(matrix, truth.data(), {},
                                                  {true, 0, karat::kWantAll, 3, 1, nullptr});
        check_same(sums.truth[1], n_positive, "rows of the second class");
    }
}

void test_long(Random& random) {
    for (const int64_t k : {2, 40}) {
        Matrix<double> matrix(random, 400000 / k, k, true);
        const Exact<int32_t> truth(std::vector<int32_t>(400000 / k, 1));
        ScoreOptions options{true, 1e-3, karat::kWantAll, 15, 1, nullptr};
        const ScoreSums one = karat::read_scores(matrix.made, truth.data(), {}, options);
        options.n_threads = 4;
        const ScoreSums four = karat::read_scores(matrix.made, truth.data(), {}, options);
        check_same(one.w_loss, four.w_loss, "losses with threads");
        check_same(one.bin_confidence, four.bin_confidence, "bins with threads");
        check_losses(matrix, truth, nullptr, true, four);
    }
}

}  // namespace

void test_scores(Random& random) {
    for (const int64_t n : kLengths)
        for (const int64_t k : kSizes)
            for (const bool is_prob : {true, false}) {
                test_sums<double>(random, n, k, is_prob);
                test_sums<float>(random, n, k, is_prob);
            }
    test_single(random);
    test_long(random);
}

}  // namespace karat_tests
