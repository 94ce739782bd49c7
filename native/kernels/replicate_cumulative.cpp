#include "kernels/replicate_cumulative.hpp"

#include <algorithm>
#include <vector>

namespace karat {
namespace {

using Rooms = std::vector<std::vector<double>>;

Rooms rooms(int n_threads) { return Rooms(static_cast<size_t>(thread_limit(n_threads))); }

// Σw² of an item that was drawn: Σ e² of n exponential weights that sum up to s is 2·s²/(n + 1) on average;
// n = mean / scale.
double square_of(const Totals& totals, Law law, int64_t item, double drawn) {
    const double scale = totals.scale(item);
    return law == Law::poisson ? drawn * scale
                               : 2.0 * drawn * drawn / (totals.mean(item) / scale + 1.0);
}

// What a row of a score level adds to the sums of its bin, of its score p and q = 1 − p.
struct LevelTerms {
    double p = 0, pq = 0, pp = 0, qq = 0;
    LevelTerms() = default;
    explicit LevelTerms(double score) : p(score), pq(p * (1.0 - p)), pp(p * p), qq((1.0 - p) * (1.0 - p)) {}
};

}  // namespace

void replicate_areas(const Totals& totals, const double* within, uint64_t seed, uint32_t stream,
                     int64_t first, int64_t count, double* areas, double* weights, int n_threads,
                     Poll poll) {
    const int64_t m = totals.size();
    Rooms memory = rooms(n_threads);
    each_replicate(count, m, n_threads, [&](int slot, int64_t begin, int64_t end) {
        memory[slot].resize(static_cast<size_t>(m));
        const double* drawn = memory[slot].data();
        for (int64_t b = begin; b < end; ++b) {
            totals.draw({seed, stream, static_cast<uint32_t>(first + b)}, memory[slot].data());
            double own = 0, rest = 0, area = 0;
            for (int64_t i = 0; 2 * i < m; ++i) {
                // The rest on this score level lies below every own row seen so far.
                area += drawn[2 * i] * (2.0 * own + 2.0 * within[i] * drawn[2 * i + 1]);
                rest += drawn[2 * i];
                own += drawn[2 * i + 1];
            }
            areas[b] = area;
            weights[2 * b] = rest;
            weights[2 * b + 1] = own;
        }
    }, poll);
}

void replicate_levels(const Totals& totals, const double* scores, Law law, uint64_t seed,
                     uint32_t stream, int64_t first, int64_t count, const CumulativeRoom& room,
                     int n_threads, Poll poll) {
    const int64_t m = totals.size(), u = m / 2;
    Rooms memory = rooms(n_threads);
    each_replicate(count, m, n_threads, [&](int slot, int64_t begin, int64_t end) {
        memory[slot].resize(static_cast<size_t>(m));
        const double* drawn = memory[slot].data();
        for (int64_t b = begin; b < end; ++b) {
            totals.draw({seed, stream, static_cast<uint32_t>(first + b)}, memory[slot].data());
            int64_t length = 0;
            for (int64_t i = 0; i < u; ++i) {
                const int64_t at = b * u + length;
                room.scores[at] = scores[i];
                for (const int64_t side : {0, 1}) {
                    const double value = drawn[2 * i + side];
                    if (room.counts != nullptr) {
                        room.counts[2 * at + side] = static_cast<int64_t>(value);
                    } else {
                        room.weights[2 * at + side] = value;
                        room.squares[2 * at + side] =
                            square_of(totals, law, 2 * i + side, value);
                    }
                }
                length += drawn[2 * i] + drawn[2 * i + 1] > 0;
            }
            room.lengths[b] = length;
        }
    }, poll);
}

void replicate_bins(const Totals& totals, const double* scores, const int32_t* bins, int64_t n_bins,
                    bool is_counted, Law law, uint64_t seed, uint32_t stream, int64_t first,
                    int64_t count, double* sums, int n_threads, Poll poll) {
    const int64_t m = totals.size();
    std::vector<LevelTerms> terms(static_cast<size_t>(m / 2));
    for (size_t i = 0; i < terms.size(); ++i) terms[i] = LevelTerms(scores[i]);
    Rooms memory = rooms(n_threads);
    each_replicate(count, m, n_threads, [&](int slot, int64_t begin, int64_t end) {
        memory[slot].resize(static_cast<size_t>(m));
        const double* drawn = memory[slot].data();
        for (int64_t b = begin; b < end; ++b) {
            totals.draw({seed, stream, static_cast<uint32_t>(first + b)}, memory[slot].data());
            double* const out = sums + b * kBinSums * n_bins;
            std::fill_n(out, kBinSums * n_bins, 0.0);
            for (int64_t i = m / 2 - 1; i >= 0;) {
                const int32_t bin = bins[i];
                double found[kBinSums] = {};
                for (; i >= 0 && bins[i] == bin; --i) {
                    const LevelTerms& level = terms[i];
                    const double rest = drawn[2 * i], own = drawn[2 * i + 1];
                    const double rest2 = is_counted ? rest : square_of(totals, law, 2 * i, rest);
                    const double own2 = is_counted ? own : square_of(totals, law, 2 * i + 1, own);
                    found[0] += rest + own;
                    found[1] += (rest + own) * level.p;
                    found[2] += own;
                    found[3] += (rest2 + own2) * level.pq;
                    found[4] += rest2 * level.pp + own2 * level.qq;
                    if (!is_counted) found[5] += rest2 + own2;
                }
                if (is_counted) found[5] = found[0];
                for (int64_t j = 0; j < kBinSums; ++j) out[j * n_bins + bin] += found[j];
            }
        }
    }, poll);
}

}  // namespace karat
