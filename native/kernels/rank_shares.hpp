// How each row moves the area under the share of the own class: own weight among all at or above a
// score.
#pragma once

#include <array>
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

// Of each score level, best first, less `common`, which is added to each. Words name rows.
struct LevelLifts {
    std::vector<Lifts> levels;
    Lifts common;
};
LevelLifts lifts_of(const PackedScores& packed, bool is_straight);

// Σw²·lift² over the rest, and over the own rows.
std::array<double, 2> lift_squares(const PackedScores& packed, bool is_straight);

}  // namespace karat
