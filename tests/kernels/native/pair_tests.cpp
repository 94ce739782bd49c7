// Keys of pairs and runs of keys, against a map.
#include <algorithm>
#include <map>
#include <stdexcept>

#include "check.hpp"
#include "kernels/pack_pairs.hpp"
#include "kernels/run_lengths.hpp"

namespace karat_tests {

using karat::Argument;

void test_pairs(Random& random) {
    for (const int64_t n : {0, 1, 100, 5000})
        for (const int64_t k : {1, 3, 100000}) {
            Exact<int32_t> truth(n), pred(n);
            Exact<double> weights(n);
            std::map<uint64_t, int64_t> rows, positive;
            std::map<uint64_t, double> sums;
            for (int64_t i = 0; i < n; ++i) {
                truth[i] = static_cast<int32_t>(k - 1 - below(random, std::min<int64_t>(k, 9)));
                pred[i] = static_cast<int32_t>(below(random, std::min<int64_t>(k, 9)));
                weights[i] = static_cast<double>(below(random, 4));
                const uint64_t key = static_cast<uint64_t>(truth[i]) * k + pred[i];
                rows[key] += 1;
                positive[key] += weights[i] > 0;
                sums[key] += weights[i];
            }
            Exact<uint64_t> keys(n);
            karat::pack_pairs(truth.data(), pred.data(), n, k, keys.data());
            std::sort(keys.data(), keys.data() + n);
            const karat::Runs runs = karat::run_lengths(keys.data(), n);
            check_same(std::map<uint64_t, int64_t>(rows).size(), runs.keys.size(),
                       "number of runs");
            for (size_t i = 0; i < runs.keys.size(); ++i)
                check_same(runs.rows[i], rows[runs.keys[i]], "rows of a run");

            karat::pack_pairs_rows(truth.data(), pred.data(), n, k, keys.data());
            std::sort(keys.data(), keys.data() + n);
            const karat::Runs weighted =
                karat::weighted_runs(keys.data(), n, karat::row_bits(n), weights.data());
            check_same(weighted.keys, runs.keys, "keys of the runs");
            for (size_t i = 0; i < runs.keys.size(); ++i) {
                check_same(weighted.rows[i], positive[runs.keys[i]], "positive rows of a run");
                check_same(weighted.sums[i], sums[runs.keys[i]], "weight of a run");
            }
            if (n == 0) continue;
            pred[n - 1] = static_cast<int32_t>(k);
            check_rejected([&] { karat::pack_pairs(truth.data(), pred.data(), n, k, keys.data()); },
                           "range", Argument::pred, n - 1);
            if (n == 1) continue;
            keys[n - 1] |= (uint64_t{1} << karat::row_bits(n)) - 1;
            if (((uint64_t{1} << karat::row_bits(n)) - 1) >= static_cast<uint64_t>(n))
                check_rejected(
                    [&] {
                        karat::weighted_runs(keys.data(), n, karat::row_bits(n), weights.data());
                    },
                    "range", Argument::truth, n - 1);
        }
}

}  // namespace karat_tests
