// Sampling variances of metrics from their slopes, against plain loops over all cells.
#include <cmath>
#include <limits>

#include "check.hpp"
#include "kernels/table_variance.hpp"

namespace karat_tests {
namespace {

double number(Random& random) { return static_cast<double>(below(random, 2001) - 1000) / 97.0; }

struct Case {
    int64_t k, d;
    bool is_listed, is_weighed, is_by_true, has_own;
};

void check_case(Random& random, const Case& given) {
    const int64_t k = given.k, d = given.d;
    std::vector<int32_t> rows, cols;
    for (int64_t at = 0; at < k * k; ++at)
        if (!given.is_listed || below(random, 3) > 0) {
            rows.push_back(static_cast<int32_t>(at / k));
            cols.push_back(static_cast<int32_t>(at % k));
        }
    const auto m = static_cast<int64_t>(rows.size());
    Exact<int32_t> exact_rows(rows), exact_cols(cols);
    Exact<double> weights(m), squares(m), slopes(d * 3 * k), own(d * m), found(d);
    double total = 0;
    for (int64_t at = 0; at < m; ++at) {
        weights[at] = static_cast<double>(below(random, 50));
        squares[at] = weights[at] * (1.0 + static_cast<double>(below(random, 9)) / 4.0);
        total += weights[at];
    }
    for (int64_t at = 0; at < d * 3 * k; ++at) slopes[at] = number(random);
    for (int64_t at = 0; at < d * m; ++at) own[at] = number(random);
    karat::WeighedCells cells;
    cells.k = k;
    cells.m = m;
    cells.weights = weights.data();
    cells.squares = given.is_weighed ? squares.data() : nullptr;
    cells.rows = given.is_listed ? exact_rows.data() : nullptr;
    cells.cols = given.is_listed ? exact_cols.data() : nullptr;
    karat::table_variances(cells, slopes.data(), given.has_own ? own.data() : nullptr, d,
                           given.is_by_true, found.data());
    for (int64_t a = 0; a < d; ++a) {
        const auto slope = [&](int64_t at) {
            const double* s = slopes.data() + a * 3 * k;
            const int32_t i = rows[at], j = cols[at];
            return s[i] + s[k + j] + (i == j ? s[2 * k + i] : 0.0) +
                   (given.has_own ? own[a * m + at] : 0.0);
        };
        double expected = 0;
        for (int64_t at = 0; at < m; ++at) {
            double mean = 0, weight = 0;
            for (int64_t other = 0; other < m; ++other)
                if (!given.is_by_true || rows[other] == rows[at]) {
                    mean += weights[other] * slope(other);
                    weight += weights[other];
                }
            const double phi = slope(at) - (weight > 0 ? mean / weight : 0.0);
            expected += phi * phi * (given.is_weighed ? squares[at] : weights[at]);
        }
        expected /= total * total;
        const bool is_near = std::fabs(found[a] - expected) <= 1e-12 * (1e-3 + expected);
        check_same(is_near || (std::isnan(found[a]) && std::isnan(expected)), true, "a variance");
    }
}

}  // namespace

void test_variances(Random& random) {
    for (const int64_t k : {1, 2, 3, 11})
        for (int bits = 0; bits < 16; ++bits)
            check_case(random, {k, 1 + below(random, 4), (bits & 1) != 0, (bits & 2) != 0,
                                (bits & 4) != 0, (bits & 8) != 0});

    const std::vector<double> counts{3, 0, 0, 5};
    karat::WeighedCells cells;
    cells.k = 2;
    cells.m = 4;
    Exact<double> weights(counts), found(3);
    cells.weights = weights.data();
    // An infinite slope of an empty cell; the same slope everywhere; a rounding error of none.
    Exact<double> slopes(std::vector<double>{0, 0, 0, 0, 0, 0, 2, 2, 1, 1, 0, 0,
                                             -1, -1, 0, 0, 1 + 4e-16, 1});
    Exact<double> own(12);
    for (int64_t at = 0; at < 12; ++at) own[at] = 0;
    own[1] = std::numeric_limits<double>::infinity();
    karat::table_variances(cells, slopes.data(), own.data(), 3, false, found.data());
    check_same(std::isnan(found[0]), true, "a variance of an infinite slope");
    check_same(found[1], 0.0, "a variance of what does not vary");
    check_same(found[2], 0.0, "a variance of a rounding error");
    karat::table_variances(cells, nullptr, nullptr, 0, true, nullptr);
}

}  // namespace karat_tests
