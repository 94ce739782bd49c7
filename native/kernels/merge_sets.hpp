// Two sets of labels of one row, walked over together.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>

namespace karat {

// Sets of n rows: the m labels of all of them, those of row i from starts[i] to starts[i + 1] - 1.
struct SetsView {
    const int64_t* starts;
    const int32_t* items;
    int64_t n, m;
};

struct SetRow {
    int64_t first, last;
};

// Where the labels of a row are; std::invalid_argument where starts do not name them.
inline SetRow row_of(const SetsView& sets, int64_t row) {
    const SetRow found{sets.starts[row], sets.starts[row + 1]};
    if (found.first < 0 || found.last < found.first || found.last > sets.m)
        throw std::invalid_argument("starts do not ascend from 0 to the number of items");
    return found;
}

// std::invalid_argument unless the sets of all rows are all of the items.
inline void check_ends(const SetsView& sets) {
    if (sets.starts[0] != 0 || sets.starts[sets.n] != sets.m)
        throw std::invalid_argument("starts do not ascend from 0 to the number of items");
}

// The labels of one row as they come. Each is read once, checked and then used: somebody else may
// write to the items meanwhile.
class Ascending {
public:
    explicit Ascending(int64_t k) : k_(k) {}
    // The label; std::invalid_argument unless it is below k and above the one before it.
    int64_t next(int64_t label) {
        if (label <= before_ || label >= k_) throw std::invalid_argument("the labels of a row do not ascend below k");
        return before_ = label;
    }

private:
    int64_t k_, before_ = -1;
};

enum Side : int64_t { kInBoth, kInRight, kInLeft };

// Calls visit(side, label, i, j) for each label of either set, ascending; i and j are where it is in
// the items of left and right, or what comes after it there. Errors as of row_of and Ascending.
template <class Visit>
void merge_sets(const SetsView& left, const SetsView& right, int64_t row, int64_t k, const Visit& visit) {
    const SetRow a = row_of(left, row), b = row_of(right, row);
    int64_t i = a.first, j = b.first;
    Ascending labels(k);
    while (i < a.last && j < b.last) {
        const int64_t x = left.items[i], y = right.items[j];
        visit(static_cast<Side>((y < x) * kInRight + (x < y) * kInLeft), labels.next(std::min(x, y)), i, j);
        i += x <= y;
        j += y <= x;
    }
    for (; i < a.last; ++i) visit(kInLeft, labels.next(left.items[i]), i, j);
    for (; j < b.last; ++j) visit(kInRight, labels.next(right.items[j]), i, j);
}

}  // namespace karat
