// The vector kernels: one table of function pointers for each instruction set.
#pragma once

#include <cstdint>

#include "kernels/column.hpp"
#include "kernels/lanes_cumulative.hpp"
#include "kernels/lanes_lines.hpp"
#include "kernels/lanes_logistic.hpp"
#include "kernels/lanes_places.hpp"
#include "kernels/lanes_random.hpp"
#include "kernels/lanes_scores.hpp"

namespace karat {

// Rows handled at a time, so that every intermediate stays in the first-level cache.
constexpr int64_t kBlock = 2048;

// An entry of a weighted table.
struct WeightedEntry {
    double weight, square;  // Σw, Σw²
    double positive;        // rows of weight above 0
    double rows;
};
constexpr int kEntryShift = 2;  // log2 of its doubles

// Memory that will be read soon. A kernel that works in the cache asks for a little of each stream
// with every 8 rows it counts; long columns are counted twice as fast so.
struct Ahead {
    struct Stream {
        const char* at;
        int64_t step;  // bytes of 8 rows

        void fetch() {
            __builtin_prefetch(at, 0, 2);
            at += step;
        }
    };
    Stream truth, pred, weights;

    // No stream: `here` is in the cache.
    explicit Ahead(const void* here)
        : truth{static_cast<const char*>(here), 0}, pred(truth), weights(truth) {}
};

// Every kernel takes contiguous arrays of n rows.
struct Lanes {
    const char* name;

    // Smallest and largest value; n >= 1. Unsigned values beyond int64 count as its maximum.
    void (*span[kKinds])(const void* x, int64_t n, int64_t* low, int64_t* high);

    // out[i] = x[i] - base in the lanes of the kind. Returns the largest, UINT32_MAX if one
    // does not fit; so `result < width` proves that every row lies in [base, base + width),
    // when that interval lies in lane_domain(kind).
    uint32_t (*offsets[kKinds])(const void* x, int64_t n, int64_t base, uint32_t* out);

    // How many of n >= 0 pairs of items are the same bits, for items of 1, 2, 4 and 8 bytes.
    int64_t (*equal[4])(const void* x, const void* y, int64_t n);

    // out[i] = (truth[i] * width + pred[i]) << shift
    void (*cell_index)(const uint32_t* truth, const uint32_t* pred, int64_t n, uint32_t width,
                       int shift, uint32_t* out);

    // With hit = (truth[i] == pred[i]): by_truth[i] = (2 * truth[i] + hit) << shift,
    // by_pred[i] = (2 * width + 2 * pred[i] + hit) << shift
    void (*marginal_index)(const uint32_t* truth, const uint32_t* pred, int64_t n, uint32_t width,
                           int shift, uint32_t* by_truth, uint32_t* by_pred);

    // For offsets 0 and 1: out = {Σ truth, Σ pred, Σ truth & pred}; n < 2^32.
    void (*pair_sums)(const uint32_t* truth, const uint32_t* pred, int64_t n, uint32_t out[3]);

    // Adds row i of weight w[i] to entry index[i] / 4 + i % copies of the table, in the order of i;
    // an index counts doubles, and the caller has made sure that it lies in the table. copies is 1
    // or 4. Each row counts as positive. Returns the smallest weight that is a number: not above 0,
    // some weight is 0 or negative; NaN and infinity show in the sums.
    double (*add_weighted)(const uint32_t* index, const double* w, int64_t n, int copies,
                           WeightedEntry* table, Ahead ahead);

    // out[i] = low byte of x[i]. Returns the bitwise or of all x: below 128 it is ASCII.
    uint32_t (*narrow)(const uint32_t* x, int64_t n, uint8_t* out);

    ScoreLanes scores;
    CumulativeLanes cumulative;
    LineLanes lines;
    LogisticLanes logistic;
    PlaceLanes places;
    RandomLanes random;
};

extern const Lanes lanes_baseline;
extern const Lanes lanes_avx2;
extern const Lanes lanes_avx512;

}  // namespace karat
