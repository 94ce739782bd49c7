// Of each row, what of the other side it stands above or below: one side is a class, its own, the
// other side all others.
#pragma once

#include <array>
#include <cstdint>

#include "kernels/pack_scores.hpp"

namespace karat {

// All of these read sorted and settled words.

// The rows of one side: own class, or all others.
struct SideSpread {
    double weight = 0, square = 0;  // Σw, Σw²
    // Σw²(V − A)²: V is the part of the weight of the other side over which a row stands right,
    // A its mean; NaN when either side has no weight.
    double spread = 0;
};

struct PlacementSpread {
    double pairs = 0;  // over pairs (own, rest) Σ w·w'·(2·[s > s'] + [s = s']); a whole number < 2^63
                       // without weights, rounded
    uint64_t counted = 0;            // the same without weights, exact
    std::array<SideSpread, 2> sides;  // rest, own
    double size = 0;                  // Σw|V − A| over the own rows
};

// A sum of 2048 squares of numbers up to this has room in 64 bits.
inline constexpr int64_t kNarrowSquares = int64_t{1} << 26;

// Sums for the variance of the area, in one walk; weighted, in another over the best rows too. From
// n_narrow rows on squares are added in 128 bits.
PlacementSpread placement_spread(const PackedScores& packed, int64_t n_narrow = kNarrowSquares);

// Adds to out[s, row], for each of m sets s: at a row of the own class, Σ over the classes c of
// own_gains[s, c] · weight of the rows of c below it; at a row of class c, rest_gains[s, c] · weight
// of the own rows above it. Ties count half. own_gains and rest_gains are [m, k], out [m, rows].
//
// std::invalid_argument unless the words name rows.
void add_placements(const PackedScores& packed, const double* own_gains, const double* rest_gains,
                    int64_t m, double* out);

}  // namespace karat
