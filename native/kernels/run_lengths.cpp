#include "kernels/run_lengths.hpp"

#include <cmath>
#include <stdexcept>

#include "kernels/rejected.hpp"

namespace karat {

Runs run_lengths(const uint64_t* sorted, int64_t n) {
    Runs runs;
    for (int64_t i = 0; i < n;) {
        const uint64_t key = sorted[i];
        int64_t end = i + 1;
        while (end < n && sorted[end] == key) ++end;
        if (end < n && sorted[end] < key) throw std::invalid_argument("the keys are not sorted");
        runs.keys.push_back(key);
        runs.rows.push_back(end - i);
        i = end;
    }
    return runs;
}

Runs weighted_runs(const uint64_t* sorted, int64_t n, int row_bits, const double* weights) {
    if (row_bits < 0 || row_bits > 63)
        throw std::invalid_argument("row_bits must be between 0 and 63");
    for (int64_t i = 0; i < n; ++i) {
        if (!std::isfinite(weights[i])) throw Rejected("bad_weight", Argument::weights, i);
        if (weights[i] < 0) throw Rejected("negative_weight", Argument::weights, i);
    }
    const uint64_t mask = (uint64_t{1} << row_bits) - 1;
    Runs runs;
    for (int64_t i = 0; i < n; ++i) {
        const uint64_t key = sorted[i] >> row_bits, row = sorted[i] & mask;
        if (row >= static_cast<uint64_t>(n)) throw Rejected("range", Argument::truth, i);
        if (i > 0 && sorted[i] < sorted[i - 1])
            throw std::invalid_argument("the keys are not sorted");
        if (runs.keys.empty() || runs.keys.back() != key) {
            runs.keys.push_back(key);
            runs.rows.push_back(0);
            runs.sums.push_back(0);
            runs.squares.push_back(0);
        }
        const double weight = weights[row];
        runs.rows.back() += weight > 0;
        runs.sums.back() += weight;
        runs.squares.back() += weight * weight;
    }
    return runs;
}

}  // namespace karat
