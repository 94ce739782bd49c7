// Counts gathered so far, in the window of classes seen so far.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/lanes.hpp"
#include "kernels/read_block.hpp"

namespace karat {

// What is counted. With cells a table has width² entries, row-major true × predicted; without,
// 4·width: entry 2t + hit for the true class t, then 2·width + 2p + hit for the predicted class p.
enum class Layout { cells, marginals };

inline int64_t table_size(Layout layout, int64_t width) {
    return layout == Layout::cells ? width * width : 4 * width;
}

// Largest window for which the tables have uint32 indices and memory in reason.
constexpr int64_t kMostCellClasses = 8192;
constexpr int64_t kMostMarginalClasses = int64_t{1} << 26;

struct Sums {
    Window window;
    std::vector<int64_t> rows;            // unweighted: rows of each entry
    std::vector<WeightedEntry> weighted;  // weighted: sums over the rows of each entry

    bool is_empty() const { return window.width == 0; }

    // Makes room for the window `to`, which contains the present one.
    void widen(Layout layout, Window to);

    // Adds what `other` holds, entry by entry.
    void add(Layout layout, const Sums& other);
};

inline void merge(int64_t& into, int64_t rows) { into += rows; }
inline void merge(uint32_t& into, uint32_t rows) { into += rows; }
inline void merge(WeightedEntry& into, const WeightedEntry& entry) {
    into.weight += entry.weight;
    into.square += entry.square;
    into.positive += entry.positive;
    into.rows += entry.rows;
}

// The smallest window that contains both; either may be empty.
Window hull(Window a, Window b);

}  // namespace karat
