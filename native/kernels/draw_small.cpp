#include "kernels/draw_small.hpp"

#include <cmath>

namespace karat {

SmallPoisson::SmallPoisson(int rate) {
    double chance = std::exp(-static_cast<double>(rate)), sum = chance;
    for (int k = 1; sum * 0x1p32 < 1.0; ++k) {
        chance *= static_cast<double>(rate) / k;
        sum += chance;
        least_ = k;
    }
    // The rest of the last step of 2^-32 belongs to the largest count that is drawn.
    for (int k = least_; (1.0 - sum) * 0x1p32 >= 1.0 || k <= rate;) {
        until_.push_back(static_cast<uint32_t>(sum * 0x1p32) - 1);
        chance *= static_cast<double>(rate) / ++k;
        sum += chance;
    }
    until_.push_back(UINT32_MAX);
    constexpr uint32_t kNearlyAll = UINT32_MAX - (1u << 22);
    while (until_[static_cast<size_t>(n_usual_) - 1] < kNearlyAll) ++n_usual_;
    uint16_t k = 0;
    for (uint32_t first = 0; first < 256; ++first) {
        while (first << 24 > until_[k]) ++k;
        guide_[first] = k;
    }
}

}  // namespace karat
