// How each row moves the area under the share of the own class: own weight among all at or above a
// score.
#pragma once

#include <array>

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

// Adds gain · lift to out[row]. std::invalid_argument unless the words name rows.
void add_lifts(const PackedScores& packed, bool is_straight, double gain, double* out);

// Σw²·lift² over the rest, and over the own rows.
std::array<double, 2> lift_squares(const PackedScores& packed, bool is_straight);

}  // namespace karat
