#include "kernels/rank_rungs.hpp"

#include <limits>

#include "kernels/choose_isa.hpp"
#include "kernels/large_pages.hpp"
#include "kernels/read_words.hpp"

namespace karat {
namespace {

// What stands at or above each rung that ends in a stretch; entry 0 is the last rung before it.
struct Cumulated {
    alignas(64) double own[kBlock + 1];
    alignas(64) double all[kBlock + 1];
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

// Calls use(cumulated) for each stretch.
template <class Reader, class Use>
void count_up(const Reader& reader, const RankTask& task, const Use& use) {
    const uint64_t last_slot = static_cast<uint64_t>(task.k - 1);
    const int64_t n = task.n();
    Cumulated found;
    int64_t own = 0;
    each_stretch(n, [&](int64_t first, int64_t last) {
        found.restart();
        // What the loop changes is kept out of memory.
        int64_t m = 1, till_here = own;
        for (int64_t i = last - 1; i >= first; --i) {
            till_here += reader.slot(i) == last_slot;
            found.own[m] = static_cast<double>(till_here);
            found.all[m] = static_cast<double>(n - i);
            m += i == 0 || !reader.same(i - 1, i);
        }
        own = till_here;
        found.n = m - 1;
        use(found);
    });
}

template <class Use>
void weigh_up(const RowReader& reader, const RankTask& task, const Use& use) {
    const uint64_t last_slot = static_cast<uint64_t>(task.k - 1);
    Cumulated found;
    LongSum own, all;
    each_stretch(task.n(), [&](int64_t first, int64_t last) {
        found.restart();
        int64_t m = 1;
        double weights[kBlock];
        reader.weights(first, last - first, weights);
        LongSum own_here = own, all_here = all;
        for (int64_t i = last - 1; i >= first; --i) {
            const double weight = weights[i - first];
            own_here.part += only_if(reader.slot(i) == last_slot, weight);
            all_here.part += weight;
            found.own[m] = own_here.value();
            found.all[m] = all_here.value();
            // Where no weight stands there is no share.
            m += (i == 0 || !reader.same(i - 1, i)) && all_here.value() > 0;
        }
        own_here.close();
        all_here.close();
        own = own_here;
        all = all_here;
        found.n = m - 1;
        use(found);
    });
}

// The sums over the rungs of own weight × share: the share of the rung, and of the one before.
struct ShareSums {
    double here = 0, before = 0, own = 0;
};

ShareSums share_sums(const PackedScores& packed) {
    ShareSums sums;
    const auto add = [&](Cumulated& found) {
        double stretch[2];
        lanes().ladder.shares(found.own, found.all, found.n, found.share, stretch);
        sums.here += stretch[0];
        sums.before += stretch[1];
        sums.own = found.own[found.n];
    };
    if (packed.task.weights != nullptr) {
        weigh_up(RowReader(packed), packed.task, add);
    } else {
        with_reader(packed, [&](const auto& reader) { count_up(reader, packed.task, add); });
    }
    return sums;
}

template <class Reader>
int64_t count_rungs(const Reader& reader, int64_t n) {
    int64_t rungs = n > 0;
    for (int64_t i = 1; i < n; ++i) rungs += !reader.same(i - 1, i);
    return rungs;
}

template <class Reader>
void count_rungs_of(const Reader& reader, const RankTask& task, int64_t limit, Rungs& rungs) {
    const uint64_t last_slot = static_cast<uint64_t>(task.k - 1);
    rungs.counts = uninitialised<int64_t>(2 * limit);
    int64_t* to = rungs.counts.get();
    int64_t last = rungs.last, rung = 0;
    for (; last > 0 && rung < limit; ++rung) {
        int64_t first = last, own = 0;
        do {
            reader.fetch_scores(first - 1);
            own += reader.slot(--first) == last_slot;
        } while (first > 0 && reader.same(first - 1, first));
        to[2 * rung] = last - first - own;
        to[2 * rung + 1] = own;
        rungs.scores[rung] = reader.score(first);
        last = first;
    }
    rungs.u = rung;
    rungs.last = last;
}

void weigh_rungs_of(const RowReader& reader, const RankTask& task, int64_t limit, Rungs& rungs) {
    const uint64_t last_slot = static_cast<uint64_t>(task.k - 1);
    rungs.weights = uninitialised<double>(2 * limit);
    rungs.squares = uninitialised<double>(2 * limit);
    double sums[2] = {}, squares[2] = {};
    for (int64_t last = rungs.last; last > 0 && rungs.u < limit;) {
        const int64_t first = last > kBlock ? last - kBlock : 0;
        double weights[kBlock];
        reader.weights(first, last - first, weights);
        for (int64_t i = last - 1; i >= first && rungs.u < limit; --i) {
            const double weight = weights[i - first];
            const bool is_own = reader.slot(i) == last_slot;
            sums[is_own] += weight;
            squares[is_own] += weight * weight;
            if (i > 0 && reader.same(i - 1, i)) continue;
            if (sums[0] + sums[1] > 0) {
                rungs.scores[rungs.u] = reader.score(i);
                for (const int side : {0, 1}) {
                    rungs.weights[2 * rungs.u + side] = sums[side];
                    rungs.squares[2 * rungs.u + side] = squares[side];
                }
                ++rungs.u;
            }
            rungs.last = i;
            sums[0] = sums[1] = squares[0] = squares[1] = 0;
        }
        last = first;
    }
}

}  // namespace

Rungs rungs_of(const PackedScores& packed, int64_t last, int64_t limit) {
    Rungs rungs;
    rungs.last = last;
    with_reader(packed, [&](const auto& reader) {
        // No more memory than is filled.
        if (limit >= last) limit = count_rungs(reader, last);
        rungs.scores = uninitialised<double>(limit);
        if (packed.task.weights == nullptr) count_rungs_of(reader, packed.task, limit, rungs);
    });
    if (packed.task.weights != nullptr)
        weigh_rungs_of(RowReader(packed), packed.task, limit, rungs);
    return rungs;
}

double step_area(const PackedScores& packed) { return share_sums(packed).here; }

double trapezoid_area(const PackedScores& packed) {
    const ShareSums sums = share_sums(packed);
    return sums.own > 0 ? (sums.here + sums.before) / 2 / sums.own
                        : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace karat
