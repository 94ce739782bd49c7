// Scores of two classes against each other: what separates their rows is a difference.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/pack_scores.hpp"

namespace karat {

// Rows by class: those of class c are rows[starts[c]] to rows[starts[c + 1] - 1], in their order.
struct ClassRows {
    std::vector<int64_t> rows;
    std::vector<int64_t> starts;  // [k + 1]
};

// Rejected "range" for the first class that is not in [0, k).
ClassRows group_rows(const int32_t* codes, int64_t n, int64_t k);

// out[m] = score of column i minus score of column j in float64, for the rows of class i and then
// those of class j. A difference beyond the range of float64 counts as its largest number.
void pair_scores(const Scores& scores, const ClassRows& classes, int64_t i, int64_t j, double* out);

// out[n, k] = Σ over columns l of cost[c, l]·score[l], added in the order of the columns.
// Rejected "infinite" for the first item that is beyond the range of float64.
void weigh_scores(const Scores& scores, const double* cost, double* out);

}  // namespace karat
