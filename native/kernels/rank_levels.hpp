// The score levels of cumulative counts: distinct scores, best first, with what stands on each.
#pragma once

#include <cstdint>
#include <memory>

#include "kernels/pack_scores.hpp"

namespace karat {

// u score levels; rest and own class by turns.
struct ScoreLevels {
    int64_t u = 0;
    int64_t last = 0;                   // words before this one are on later score levels
    std::unique_ptr<double[]> scores;   // [u], descending
    std::unique_ptr<int64_t[]> counts;  // [u, 2] rows, unweighted
    std::unique_ptr<double[]> weights;  // [u, 2] Σw; score levels of weight 0 are left out
    std::unique_ptr<double[]> squares;  // [u, 2] Σw²
};

// All of these read sorted and settled words.
//
// At most `limit` score levels of the first `last` words; 0 <= last <= n, where a score level ends, limit >= 1.
ScoreLevels levels_of(const PackedScores& packed, int64_t last, int64_t limit);

// What each threshold calls positive, of rows without weights. Entry 0 is a threshold above every score.
struct ThresholdPoints {
    int64_t n = 0;                      // entries: one more than score levels
    std::unique_ptr<double[]> thresholds, tps, fps;
    std::unique_ptr<int64_t[]> counts;  // [n - 1, 2] rows of the rest and own on each score level, where wanted
};
ThresholdPoints threshold_points(const PackedScores& packed, bool wants_counts);

// Some thresholds of rows without weights, the next lower ones.
struct ThresholdSteps {
    int64_t n = 0;          // score levels
    int64_t last = 0;       // words before this one are on later score levels
    int64_t own = 0;        // rows of the own class at or above the last one
    std::unique_ptr<double[]> thresholds, tps, fps;  // [n]
};
// At most `limit` of the first `last` words; 0 <= last <= n, where a score level ends, above which stand `own` rows of
// the own class; limit >= 1.
ThresholdSteps threshold_steps(const PackedScores& packed, int64_t last, int64_t own, int64_t limit);

// With the share of the own class among all rows at or above a score level: the sum over the score levels of own
// weight × share.
double step_area(const PackedScores& packed, int n_threads = 1, Poll poll = nullptr);

// The area under the share, by the part of the own weight at or above, with straight lines between
// the score levels; the share is 1 where nothing stands above. NaN without own weight.
double trapezoid_area(const PackedScores& packed, int n_threads = 1, Poll poll = nullptr);

}  // namespace karat
