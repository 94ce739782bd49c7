// Walks over rungs, best first, with what stands on each.
#pragma once

#include <cstdint>

#include "kernels/read_words.hpp"

namespace karat {

// The words first to last - 1; Σw and Σw² of the rest and of the own class.
struct RungSums {
    int64_t first = 0, last = 0;
    double weight[2] = {}, square[2] = {};
};

// Calls use(rung) for each rung, best first, until it says false.
template <class Use>
void count_each_rung(const PackedScores& packed, const Use& use) {
    const uint64_t own = static_cast<uint64_t>(packed.task.k - 1);
    with_reader(packed, [&](const auto& reader) {
        for (int64_t last = packed.task.n(); last > 0;) {
            int64_t first = last, mine = 0;
            do {
                mine += reader.slot(--first) == own;
            } while (first > 0 && reader.same(first - 1, first));
            RungSums rung{first, last};
            rung.weight[1] = rung.square[1] = static_cast<double>(mine);
            rung.weight[0] = rung.square[0] = static_cast<double>(last - first - mine);
            if (!use(rung)) return;
            last = first;
        }
    });
}

template <class Use>
void weigh_each_rung(const PackedScores& packed, const Use& use) {
    const uint64_t own = static_cast<uint64_t>(packed.task.k - 1);
    const RowReader reader(packed);
    RungSums rung{packed.task.n(), packed.task.n()};
    for (int64_t last = packed.task.n(); last > 0;) {
        const int64_t first = last > kBlock ? last - kBlock : 0;
        double weights[kBlock];
        reader.weights(first, last - first, weights);
        for (int64_t i = last - 1; i >= first; --i) {
            const double weight = weights[i - first];
            const bool is_own = reader.slot(i) == own;
            rung.weight[is_own] += weight;
            rung.square[is_own] += weight * weight;
            if (i > 0 && reader.same(i - 1, i)) continue;
            rung.first = i;
            if (!use(rung)) return;
            rung = {i, i};
        }
        last = first;
    }
}

template <class Use>
void each_rung(const PackedScores& packed, const Use& use) {
    packed.task.weights != nullptr ? weigh_each_rung(packed, use) : count_each_rung(packed, use);
}

}  // namespace karat
