// Of each row, what of the other side it stands above or below, and how it moves areas: one side is a class, its
// own, the other side all others.
#pragma once

#include <array>
#include <cstdint>

#include "kernels/pack_scores.hpp"
#include "kernels/rank_shares.hpp"

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

// What of the rows is added up, in m sets: own_gains and rest_gains are [m, k], lifts [m, 2].
struct InfluenceGains {
    const double* own = nullptr;
    const double* rest = nullptr;
    const double* lifts = nullptr;  // of the area under steps, and of that under straight lines
    int64_t m = 0;
};

// Adds to out[row, s], for each set s: at a row of the own class, Σ over the classes c of own[s, c] ·
// weight of the rows of c below it; at a row of class c, rest[s, c] · weight of the own rows above it,
// ties counting half; and at each row its lifts times those of the set, see rank_shares.hpp.
//
// std::invalid_argument unless the words name rows.
//
// `lifts` are those of the words; null where no set has a gain of them.
void add_influences(const PackedScores& packed, const InfluenceGains& gains, ShareLifts* lifts, double* out);
bool has_lifts(const InfluenceGains& gains);

}  // namespace karat
