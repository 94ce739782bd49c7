// Poisson counts of small whole rates, each from one word of 32 bits.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/lanes.hpp"

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
    // Whether draw_places is the faster of both: it looks at every count.
    bool is_short() const { return until_.size() <= 32; }
    // Of kPlaceWords words at once, each count times its factor.
    void draw_places(const Lanes& lanes, const uint32_t* words, const double* factors, double* out) const {
        const auto n = static_cast<int64_t>(until_.size());
        lanes.random.count_below(words, {until_.data(), n, n_usual_, least_}, factors, out);
    }

private:
    int32_t least_ = 0;            // the smallest count that some word gives
    int64_t n_usual_ = 1;          // of `until_`, up to which nearly all words are
    uint16_t guide_[256];
    std::vector<uint32_t> until_;  // the last word of each count; 2^32 − 1 at the end
};

}  // namespace karat
