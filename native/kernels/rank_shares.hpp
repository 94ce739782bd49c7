// How each row moves the area under the share of the own class: own weight among all at or above a
// score.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "kernels/pack_scores.hpp"

namespace karat {

// All of these read sorted and settled words.
//
// With p own weight on a score level, P and N own and all weight at or above it, and s = P/N: the area is
// F/W, where F = Σ p·s, or with straight lines between the score levels Σ p·(s + s of the score level before)/2
// (s = 1 where nothing stands above), and W the own weight. What a small weight on a row adds to
// the area, times W, is the lift of the row. For a row on score level q that is a of the own class, else 0,
//
//     lift = a·(x + Σ c/N − F/W) − Σ c·s/N,
//
// summed over score level q and all below it: steps have x = s and c = p; straight lines have x = (s + s of
// the score level before)/2 and c = (p + p of the score level below)/2.

// The lifts of the rows of a score level.
struct Lifts {
    double of_rest = 0, of_own = 0;
};

// The lifts of every score level, the lowest first. Words name rows.
//
// A walk from the best one on notes where it stands from time to time. From there the lifts of some thousand score
// levels are made when they are asked for: no memory holds all of them.
class LiftsUpwards {
public:
    virtual ~LiftsUpwards() = default;

    // At most as often as there are score levels.
    Lifts next() {
        if (left_ == 0) make_stretch();
        const Lifts& level = stretch_[--left_];
        return {level.of_rest + common_.of_rest, level.of_own + common_.of_own};
    }

protected:
    virtual void make_stretch() = 0;

    std::vector<Lifts> stretch_;  // best first, less `common_`
    size_t left_ = 0;             // of them
    Lifts common_;
};
std::unique_ptr<LiftsUpwards> lifts_upwards(const PackedScores& packed, bool is_straight);

// Σw²·lift² over the rest, and over the own rows.
std::array<double, 2> lift_squares(const PackedScores& packed, bool is_straight);

}  // namespace karat
