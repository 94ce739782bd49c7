// The result of counting: what every kernel that counts fills and every formula reads.
#pragma once

#include <cstdint>
#include <vector>

namespace karat {

// Class counts of n rows. Matrices are row-major, true × predicted.
// Invariant: every vector that applies has k or k·k elements, every other one is empty.
struct Tally {
    int64_t k = 0;
    int64_t n_rows = 0;  // rows read, of any weight
    bool weighted = false;
    bool has_cells = false;
    bool discovered = false;      // the classes were found in the data; else the caller listed them
    std::vector<int64_t> labels;  // int64[k] discovered values, ascending
    std::vector<int64_t> counts;  // int64[k, k], unweighted with cells
    std::vector<double> sums;     // float64[k, k] Σw, weighted with cells
    std::vector<double> squares;  // float64[k, k] Σw²
    std::vector<int64_t> tp, fp, fn;  // int64[k] rows; weighted: rows with weight > 0
    // float64[k], weighted only. False positives and negatives are summed from off-diagonal
    // parts: total − tp would cancel, and an exact zero would be lost.
    std::vector<double> tp_w, fp_w, fn_w;
    std::vector<double> tp_w2, fp_w2, fn_w2;
};

}  // namespace karat
