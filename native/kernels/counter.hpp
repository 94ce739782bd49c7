// Counts rows into tables that stay in the cache.
#pragma once

#include <cstdint>

#include "kernels/scratch.hpp"
#include "kernels/sums.hpp"

namespace karat {

// One thread's tables for one window, uint32 counts or WeightedEntry sums, in several interleaved
// copies, so that consecutive rows of one class go to different copies and do not wait for each
// other's addition (one table is 2.3 times slower when 99 % of the rows are in one of 10 classes).
//
// Use: open, then for each block prepare and add, then flush or one of the folded tables.
class Counter {
public:
    Counter(Layout layout, bool weighted, Scratch& scratch)
        : layout_(layout), weighted_(weighted), scratch_(scratch) {}

    // Starts empty tables. With few rows expected there are fewer copies to clear and fold.
    void open(Window window, int64_t expected_rows);
    Window window() const { return window_; }

    // Takes the n classes in scratch.truth and scratch.pred, all below window().width and none
    // above `most`. Returns false when nothing is left for add() to do.
    bool prepare(int64_t n, uint32_t most);

    // Counts the n rows that were prepared.
    void add(int64_t n, const Ahead& ahead);

    // The same when weighted. Returns false for a negative weight, after which the sums are not to
    // be used.
    bool add_weighted(int64_t n, const double* weights, const Ahead& ahead);

    // Moves everything into `sums` and leaves the tables empty.
    void flush(Sums& sums);

    // Never flushed: folds the copies into one and returns it. Only open() may follow.
    const uint32_t* folded_rows();
    const WeightedEntry* folded_weights();
    bool was_flushed() const { return was_flushed_; }

private:
    void clear();
    void add_two_classes(int64_t n);
    double add_weighted_stream(const uint32_t* index, int64_t n, const double* weights,
                               const Ahead& ahead);
    void add_stream(const uint32_t* index, int64_t n, const Ahead& ahead);
    template <class Entry>
    const Entry* fold(Entry* entries) const;

    Layout layout_;
    bool weighted_;
    bool was_flushed_ = false;
    Scratch& scratch_;
    Window window_;
    int64_t size_ = 0;               // entries of one table
    int64_t since_clear_ = 0;        // rows
    int shift_ = 0;                  // log2 of the number of copies
    uint32_t* counts_ = nullptr;     // unweighted
    WeightedEntry* sums_ = nullptr;  // weighted
};

}  // namespace karat
