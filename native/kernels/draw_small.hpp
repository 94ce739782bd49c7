// Poisson counts of small whole rates, each from one word of 32 bits.
#pragma once

#include <cstdint>
#include <vector>

namespace karat {

// The distribution function, and where to begin for the first 8 bits of a word: Chen, Asau (1974).
// On generating random variates from an empirical distribution. Chances are rounded to a multiple
// of 2^-32.
class SmallPoisson {
public:
    static constexpr int kMostRate = 511;

    // Always 0.
    SmallPoisson() : guide_{}, until_(1, UINT32_MAX) {}
    // A whole rate from 1 to kMostRate.
    explicit SmallPoisson(int rate);

    int32_t draw(uint32_t word) const {
        uint32_t k = guide_[word >> 24];
        while (word > until_[k]) ++k;
        return least_ + static_cast<int32_t>(k);
    }

private:
    int32_t least_ = 0;            // the smallest count that some word gives
    uint16_t guide_[256];
    std::vector<uint32_t> until_;  // the last word of each count; 2^32 − 1 at the end
};

}  // namespace karat
