// Runs of equal keys in a sorted array.
#pragma once

#include <cstdint>
#include <vector>

namespace karat {

struct Runs {
    std::vector<uint64_t> keys;
    std::vector<int64_t> rows;    // rows of the run; weighted: those of weight > 0
    std::vector<double> sums;     // Σw, weighted only
    std::vector<double> squares;  // Σw²
};

// Each key and how often it occurs; std::invalid_argument when the keys descend somewhere.
Runs run_lengths(const uint64_t* sorted, int64_t n);

// Keys from pack_pairs_rows, sorted; the row is in the low `row_bits` bits. Weights are added in
// the order of the rows. Rejected("range") when a row is not below n; "negative_weight" or
// "bad_weight" with its row for a weight that is one.
Runs weighted_runs(const uint64_t* sorted, int64_t n, int row_bits, const double* weights);

}  // namespace karat
