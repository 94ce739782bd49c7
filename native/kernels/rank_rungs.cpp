#include "kernels/rank_rungs.hpp"

#include <limits>
#include <type_traits>

#include "kernels/read_words.hpp"

namespace karat {
namespace {

// What stands on a rung.
struct Rung {
    double rest = 0, own = 0, rest2 = 0, own2 = 0;
};

// Calls visit(rung, index of one of its words) from the best rung on, without those of weight 0.
template <class Visit>
void each_weighed(const PackedScores& packed, const Visit& visit) {
    const uint64_t last = static_cast<uint64_t>(packed.task.k - 1);
    const bool is_weighted = packed.task.weights != nullptr;
    with_reader(packed, [&](const auto& reader) {
        each_rung(reader, packed.task.n(), [&](int64_t first, int64_t end) {
            Rung rung;
            for (int64_t i = first; i < end; ++i) {
                double weight = 1;
                if constexpr (std::is_same_v<decltype(reader), const RowReader&>)
                    if (is_weighted) weight = reader.weight(i);
                const bool is_own = reader.slot(i) == last;
                (is_own ? rung.own : rung.rest) += weight;
                (is_own ? rung.own2 : rung.rest2) += weight * weight;
            }
            if (rung.own + rung.rest > 0) visit(rung, reader.score(first));
        });
    });
}

}  // namespace

Rungs rungs_of(const PackedScores& packed) {
    Rungs rungs;
    each_weighed(packed, [&](const Rung& rung, double score) {
        rungs.scores.push_back(score);
        if (packed.task.weights == nullptr) {
            rungs.counts.push_back(static_cast<int64_t>(rung.rest));
            rungs.counts.push_back(static_cast<int64_t>(rung.own));
        } else {
            rungs.weights.push_back(rung.rest);
            rungs.weights.push_back(rung.own);
            rungs.squares.push_back(rung.rest2);
            rungs.squares.push_back(rung.own2);
        }
    });
    return rungs;
}

double step_area(const PackedScores& packed) {
    double area = 0, own = 0, rest = 0;
    each_weighed(packed, [&](const Rung& rung, double) {
        own += rung.own;
        rest += rung.rest;
        area += rung.own * (own / (own + rest));
    });
    return area;
}

double trapezoid_area(const PackedScores& packed) {
    double area = 0, own = 0, rest = 0, before = 1;
    each_weighed(packed, [&](const Rung& rung, double) {
        own += rung.own;
        rest += rung.rest;
        const double share = own / (own + rest);
        area += rung.own * (share + before) / 2;
        before = share;
    });
    return own > 0 ? area / own : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace karat
