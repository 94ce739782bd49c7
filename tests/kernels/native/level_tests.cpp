// Score levels of two tables as one, against a map.
#include <algorithm>
#include <functional>
#include <map>
#include <stdexcept>

#include "check.hpp"
#include "kernels/join_levels.hpp"

namespace karat_tests {

using karat::Join;

namespace {

struct Table {
    std::vector<double> low, sums;
    std::vector<int64_t> counts;
};

// Scores on a grid from 1 on.
Table table_of(Random& random, int64_t n, int64_t k, double step) {
    std::map<double, int, std::greater<double>> scores;
    for (int64_t i = 0; i < n; ++i) scores[step * static_cast<double>(below(random, 2 * n))] = 0;
    Table table;
    for (const auto& [score, unused] : scores) {
        table.low.push_back(1 + score);
        table.sums.push_back(static_cast<double>(below(random, 100)));
        for (int64_t c = 0; c < k; ++c) table.counts.push_back(below(random, 100));
    }
    return table;
}

}  // namespace

void test_levels(Random& random) {
    for (const int64_t n : {0, 1, 5, 400})
        for (const int64_t k : {1, 2, 7}) {
            const double step = 1.0 / 1024;  // of [1, 2]: ten digits
            const Table one = table_of(random, n, k, step), two = table_of(random, n + 3, k, step);
            const int64_t u = one.low.size(), v = two.low.size();
            const Exact<double> left(one.low), right(two.low), cuts(std::vector<double>{});
            Exact<uint8_t> taken(u + v);
            const int64_t m =
                karat::take_levels({left.data(), u}, {right.data(), v}, {0, cuts.data(), 0},
                                  taken.data());
            std::map<double, std::vector<int64_t>, std::greater<double>> wanted;
            for (const Table* table : {&one, &two})
                for (size_t i = 0; i < table->low.size(); ++i) {
                    auto& row = wanted[table->low[i]];
                    row.resize(k);
                    for (int64_t c = 0; c < k; ++c) row[c] += table->counts[i * k + c];
                }
            check_same(m, static_cast<int64_t>(wanted.size()), "number of levels");
            Exact<int64_t> counts(m * k);
            const Exact<int64_t> of_left(one.counts), of_right(two.counts);
            karat::join_levels(taken.data(), m, of_left.data(), u, of_right.data(), v, k, Join::add,
                              counts.data());
            Exact<double> low(m), high(m);
            karat::join_levels(taken.data(), m, left.data(), u, right.data(), v, 1, Join::lowest,
                              low.data());
            karat::join_levels(taken.data(), m, left.data(), u, right.data(), v, 1, Join::highest,
                              high.data());
            int64_t r = 0;
            for (const auto& [score, row] : wanted) {
                check_same(low[r], score, "lowest score");
                check_same(high[r], score, "highest score");
                for (int64_t c = 0; c < k; ++c) check_same(counts[r * k + c], row[c], "counts");
                ++r;
            }
            check_refused(
                [&] {
                    karat::join_levels(taken.data(), m, left.data(), u + 1, right.data(), v, 1,
                                      Join::add, low.data());
                },
                "levels of another table were taken");
            if (u < 2) continue;
            Exact<double> rising(one.low);
            std::reverse(rising.data(), rising.data() + u);
            check_refused(
                [&] {
                    karat::take_levels({rising.data(), u}, {right.data(), v}, {0, cuts.data(), 0},
                                      taken.data());
                },
                "scores that rise were taken");
        }
    // Two digits kept: quarters of [1, 2]; a cut divides one of them, and stands alone.
    const Exact<double> left(std::vector<double>{1.75, 1.3, 1.0}), cuts(std::vector<double>{1.3});
    const Exact<double> right(std::vector<double>{1.9, 1.6, 1.4, 1.2, -1.1});
    Exact<uint8_t> taken(8);
    const int64_t n = karat::take_levels({left.data(), 3}, {right.data(), 5}, {50, cuts.data(), 1},
                                        taken.data());
    const std::vector<uint8_t> wanted{3, 2, 2, 1, 3, 2};
    check_same(std::vector<uint8_t>(taken.data(), taken.data() + n), wanted, "buckets");
    taken[0] = 0;
    Exact<double> out(n);
    check_refused(
        [&] {
            karat::join_levels(taken.data(), 1, left.data(), 0, right.data(), 0, 1, Join::add,
                              out.data());
        },
        "a level of neither table was taken");
}

}  // namespace karat_tests
