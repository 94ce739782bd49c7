// Replicates of cumulative counts of scores whose score levels are held in memory.
#pragma once

#include <cstdint>

#include "kernels/bin_levels.hpp"
#include "kernels/draw_totals.hpp"
#include "kernels/threads.hpp"

namespace karat {

// For replicates first, first + 1, …: over pairs of a row of the own class and one of the rest, Σ 2·[above] +
// [equal] by weight; and the weight of both.
//
// Item 2i of `totals` is the rest of score level i, item 2i + 1 its own class, best score level first.
// `within[i]` in [0, 1]: of the pairs inside of score level i, the chance that own stands above the rest;
// ½ for rows that tie. Score levels that stand for several neighbours keep the chance that was observed.
//
// Every row inside of a score level counting as it did, an area differs from that of the single rows by at
// most the pairs inside of score levels.
void replicate_areas(const Totals& totals, const double* within, uint64_t seed, uint32_t stream,
                     int64_t first, int64_t count, double* areas, double* weights, int n_threads,
                     Poll poll);

// Where the score levels of some replicates go; u = totals.size() / 2.
struct CumulativeRoom {
    double* scores;    // [count, u]
    int64_t* counts;   // [count, u, 2]; or
    double* weights;   // [count, u, 2] and
    double* squares;   // [count, u, 2], Σw²
    int64_t* lengths;  // [count]: score levels that something stands on, at the start of each row
};

// Replicates first to first + count − 1 of the cumulative counts. With counts the law is Law::poisson of rows
// that weigh 1. Squares of Law::gamma are what they are on average for such a weight.
void replicate_levels(const Totals& totals, const double* scores, Law law, uint64_t seed,
                     uint32_t stream, int64_t first, int64_t count, const CumulativeRoom& room,
                     int n_threads, Poll poll);

// Replicates first to first + count − 1 put into bins, see bin_levels.hpp: float64[count, 6, n_bins] in
// `sums`. `bins[i]` is the bin of score level i, whose score is p. Of counts Σw² is Σw.
void replicate_bins(const Totals& totals, const double* scores, const int32_t* bins, int64_t n_bins,
                    bool is_counted, Law law, uint64_t seed, uint32_t stream, int64_t first,
                    int64_t count, double* sums, int n_threads, Poll poll);

}  // namespace karat
