// How much of the own class, and of all rows, stands at or above each score level: stretch by stretch.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/choose_isa.hpp"
#include "kernels/read_words.hpp"

namespace karat {

inline constexpr int64_t kPastEnd = 8;

// What stands at or above each score level that ends in a stretch; entry 0 is the last score level before it.
struct Cumulated {
    alignas(64) double own[kBlock + 1 + kPastEnd];
    alignas(64) double all[kBlock + 1 + kPastEnd];
    alignas(64) double share[kBlock + 1];
    int64_t n = 0;

    Cumulated() { own[0] = all[0] = 0, share[0] = 1; }
    void restart() {
        own[0] = own[n];
        all[0] = all[n];
        share[0] = share[n];
        n = 0;
    }
};

// The score levels that end among the words first to last - 1, at most kBlock; `own` rows of the own class stand
// above these. Fills `found` from entry 1 on; returns own rows with those of the stretch.
template <class Reader>
int64_t count_stretch(const Reader& reader, const PackedScores& packed, int64_t first, int64_t last, int64_t own,
                      Cumulated& found) {
    const uint32_t last_slot = static_cast<uint32_t>(packed.task.k - 1);
    const int64_t n = packed.task.n(), n_words = last - first;
    const auto* const words = reader.words() + first;
    const auto count = lanes().cumulative.count_up[sizeof *words == 8];
    int64_t own_here = own;
    found.n = count(words, n_words, first == 0, packed.layout.row_bits, packed.layout.class_bits, last_slot, &own_here,
                    n - last, found.own + 1, found.all + 1);
    if (found.n == n_words || !reader.is_cut()) return own_here;
    // Some words look the same, whose scores may differ.
    int64_t m = 1;
    for (int64_t i = last - 1; i >= first; --i) {
        own += reader.slot(i) == last_slot;
        found.own[m] = static_cast<double>(own);
        found.all[m] = static_cast<double>(n - i);
        m += i == 0 || !reader.same(i - 1, i);
    }
    found.n = m - 1;
    return own;
}

// Calls use(cumulated) for each stretch.
template <class Reader, class Use>
void count_up(const Reader& reader, const PackedScores& packed, const Use& use) {
    Cumulated found;
    int64_t own = 0;
    each_stretch(packed.task.n(), [&](int64_t first, int64_t last) {
        found.restart();
        own = count_stretch(reader, packed, first, last, own, found);
        use(found);
    });
}

}  // namespace karat
