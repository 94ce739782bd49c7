// Weights of items, rows or clusters, in replicates: how often each is there.
#pragma once

#include <cstdint>

#include "kernels/draw_totals.hpp"
#include "kernels/random.hpp"
#include "kernels/threads.hpp"

namespace karat {

// Poisson(1) counts int32[n], four items to a place: whoever draws a part draws the same.
// 0 <= n <= 2^32.
void draw_poisson_items(const Source& source, int64_t n, int32_t* out);

// Weights float64[n] of the exponential distribution with mean 1, two items to a place.
void draw_exponential_items(const Source& source, int64_t n, double* out);

// What lies in the cells of a table, by cluster: entry e is weights[e] (1 when null) in cell
// cells[e], from cluster ids[e].
struct ClusterEntries {
    const int32_t* ids = nullptr;
    const int32_t* cells = nullptr;
    const double* weights = nullptr;
    int64_t n_entries = 0, n_clusters = 0, m = 0;

    // Throws std::invalid_argument for an id or a cell that there is not, and for a weight that is
    // negative or not finite.
    void validate() const;
};

// [count, m], replicates first, first + 1, …: the cells of whole clusters, as many as there are, drawn with replacement.
void resample_clusters(const ClusterEntries& entries, uint64_t seed, uint32_t stream,
                       int64_t first, int64_t count, int64_t* out, int n_threads, Poll poll);

// The same in weights; with Law::gamma every cluster counts by an exponential weight, and these
// sum up to the number of clusters.
void weigh_clusters(const ClusterEntries& entries, Law law, uint64_t seed, uint32_t stream,
                    int64_t first, int64_t count, double* out, int n_threads, Poll poll);

}  // namespace karat
