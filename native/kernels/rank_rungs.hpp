// The rungs of a ladder: distinct scores, best first, with what stands on each.
#pragma once

#include <cstdint>
#include <memory>

#include "kernels/pack_scores.hpp"

namespace karat {

// u rungs; rest and own class by turns.
struct Rungs {
    int64_t u = 0;
    int64_t last = 0;                   // words before this one are on later rungs
    std::unique_ptr<double[]> scores;   // [u], descending
    std::unique_ptr<int64_t[]> counts;  // [u, 2] rows, unweighted
    std::unique_ptr<double[]> weights;  // [u, 2] Σw; rungs of weight 0 are left out
    std::unique_ptr<double[]> squares;  // [u, 2] Σw²
};

// All of these read sorted and settled words.
//
// At most `limit` rungs of the first `last` words; 0 <= last <= n, where a rung ends, limit >= 1.
Rungs rungs_of(const PackedScores& packed, int64_t last, int64_t limit);

// With the share of the own class among all rows at or above a rung: the sum over the rungs of own
// weight × share.
double step_area(const PackedScores& packed, int n_threads = 1, Poll poll = nullptr);

// The area under the share, by the part of the own weight at or above, with straight lines between
// the rungs; the share is 1 where nothing stands above. NaN without own weight.
double trapezoid_area(const PackedScores& packed, int n_threads = 1, Poll poll = nullptr);

}  // namespace karat
