#include "kernels/match_sets.hpp"

namespace karat {

void match_sets(const SetsView& left, const SetsView& right, int64_t k, bool* in_right, bool* in_left) {
    check_ends(left);
    check_ends(right);
    for (int64_t row = 0; row < left.n; ++row)
        merge_sets(left, right, row, k, [&](Side side, int64_t, int64_t i, int64_t j) {
            if (side != kInRight) in_right[i] = side == kInBoth;
            if (side != kInLeft) in_left[j] = side == kInBoth;
        });
}

}  // namespace karat
