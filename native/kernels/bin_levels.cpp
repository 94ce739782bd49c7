#include "kernels/bin_levels.hpp"

#include <algorithm>

namespace karat {
namespace {

// So many score levels are added up by themselves, so that little of a long sum is lost.
constexpr int64_t kStretch = 512;

template <class Number>
void add_stretch(const double* scores, const Number* counts, const double* squares, int64_t n,
                 int64_t n_bins, double* sums) {
    double found[kBinSums] = {};
    for (int64_t i = 0; i < n; ++i) {
        const double p = scores[i], q = 1.0 - p;
        const double rest = static_cast<double>(counts[2 * i]), own = static_cast<double>(counts[2 * i + 1]);
        const double rest2 = squares == nullptr ? rest : squares[2 * i];
        const double own2 = squares == nullptr ? own : squares[2 * i + 1];
        found[0] += rest + own;
        found[1] += (rest + own) * p;
        found[2] += own;
        found[3] += (rest2 + own2) * (p * q);
        found[4] += rest2 * (p * p) + own2 * (q * q);
        found[5] += rest2 + own2;
    }
    for (int64_t j = 0; j < kBinSums; ++j) sums[j * n_bins] += found[j];
}

template <class Number>
void add_levels(const CountedLevels& levels, const Number* counts, const double* ends, int64_t n_bins,
                bool is_right, double* sums) {
    // From the lowest score on, as bins ascend; scores descend.
    int64_t last = levels.u;
    for (int64_t bin = 0; bin < n_bins && last > 0; ++bin) {
        int64_t first = 0;
        if (bin + 1 < n_bins) {
            const double end = ends[bin];
            first = std::partition_point(levels.scores, levels.scores + last,
                                         [&](double p) { return is_right ? p > end : p >= end; }) -
                    levels.scores;
        }
        for (; last > first; last -= std::min(kStretch, last - first)) {
            const int64_t from = std::max(first, last - kStretch);
            add_stretch(levels.scores + from, counts + 2 * from,
                        levels.squares == nullptr ? nullptr : levels.squares + 2 * from, last - from,
                        n_bins, sums + bin);
        }
    }
}

}  // namespace

int64_t bin_levels(const CountedLevels& levels, const double* ends, int64_t n_bins, bool is_right,
                   double* sums) {
    int64_t n_wrong = 0;
    for (int64_t i = 1; i < levels.u; ++i) n_wrong += !(levels.scores[i] < levels.scores[i - 1]);
    if (n_wrong > 0) return n_wrong;
    levels.counts != nullptr ? add_levels(levels, levels.counts, ends, n_bins, is_right, sums)
                             : add_levels(levels, levels.weights, ends, n_bins, is_right, sums);
    return 0;
}

}  // namespace karat
