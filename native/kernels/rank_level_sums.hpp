// A walk over score levels by weight, best first.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "kernels/read_words.hpp"

namespace karat {

// The words first to last - 1; Σw and Σw² of the rest and of the own class.
struct LevelSums {
    int64_t first = 0, last = 0;
    double weight[2] = {}, square[2] = {};
};

// Calls use(score level) for each score level of the words begin to end - 1, best first: these are all words of some
// score levels, whose rows have weights. A use that returns false ends the walk.
template <class Use>
void weigh_each_level(const RowReader& reader, const RankTask& task, int64_t begin, int64_t end, const Use& use) {
    const uint64_t own = static_cast<uint64_t>(task.k - 1);
    LevelSums level{end, end};
    for (int64_t last = end; last > begin;) {
        const int64_t first = std::max(last - kBlock, begin);
        double weights[kBlock];
        reader.weights(first, last - first, weights);
        for (int64_t i = last - 1; i >= first; --i) {
            const double weight = weights[i - first];
            const bool is_own = reader.slot(i) == own;
            level.weight[is_own] += weight;
            level.square[is_own] += weight * weight;
            if (i > begin && reader.same(i - 1, i)) continue;
            level.first = i;
            if constexpr (std::is_same_v<decltype(use(level)), bool>) {
                if (!use(level)) return;
            } else {
                use(level);
            }
            level = {i, i};
        }
        last = first;
    }
}

}  // namespace karat
