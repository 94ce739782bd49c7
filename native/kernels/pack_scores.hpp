// Scores and classes of rows as words that sort by score.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/large_pages.hpp"
#include "kernels/score_keys.hpp"
#include "kernels/threads.hpp"

namespace karat {

// float32 or float64 [n_rows, width] of any strides; a single column has width 1. Its items are
// counted row by row.
struct Scores {
    const char* data = nullptr;
    int64_t n_rows = 0, width = 1;
    int64_t row_stride = 0, column_stride = 0;  // bytes
    bool is_double = true;

    int64_t n() const { return n_rows * width; }
    int64_t item_bytes() const { return is_double ? 8 : 4; }
    bool is_contiguous() const;
    const char* at(int64_t item) const {
        return data + (width == 1 ? item * row_stride
                                  : item / width * row_stride + item % width * column_stride);
    }
    double value(int64_t item) const {
        return is_double ? *reinterpret_cast<const double*>(at(item))
                         : static_cast<double>(*reinterpret_cast<const float*>(at(item)));
    }
};

// What is ordered: rows of classes by one column. Pooled: every item of a matrix of k columns, of
// two classes: 1 where the column is the class of its row, else 0.
struct RankTask {
    Scores scores;
    const int32_t* codes = nullptr;   // int32[n_rows]
    const double* weights = nullptr;  // float64[n_rows], or null
    int64_t k = 0, own = 0;           // pooled: 2 and 1
    bool is_pooled = false;
    bool wants_rows = false;  // words name rows, as they always do with weights

    int64_t n() const { return scores.n(); }
    int64_t row_of(int64_t item) const { return item / scores.width; }
    int64_t class_of(int64_t item) const {
        const int64_t code = codes[row_of(item)];
        return is_pooled ? code == item % scores.width : code;
    }
    // Slots put the own class last; see CumulativeLanes.
    int64_t class_of_slot(int64_t slot) const {
        return slot == k - 1 ? own : slot < own ? slot : slot + 1;
    }
};

// One word an item, to be sorted in place.
struct PackedScores {
    RankTask task;
    KeyLayout layout;
    bool has_words = false;
    bool is_shown = false;  // the words, to somebody who may write to them meanwhile
    Paged<uint32_t> narrow;  // one of the two
    Paged<uint64_t> wide;
};

// Makes words of items some at a time.
class WordBlocks {
public:
    // `scores`: those of the task side by side, or null where these lie so. All is kept by reference.
    WordBlocks(const RankTask& task, const KeyLayout& layout, const char* scores = nullptr);

    // The words of n <= kBlock items from `first` on, uint32 or uint64 as the layout says.
    // std::runtime_error when a class is out of range: it was not when the rows were surveyed.
    void make(int64_t first, int64_t n, void* out) const;
    // The same as if every class had slot 0.
    void make_keys(int64_t first, int64_t n, void* out) const;

private:
    // False when some class is out of range.
    bool read_slots(int64_t first, int64_t n, uint32_t* slots) const;
    void pack(const uint32_t* slots, int64_t first, int64_t n, void* out) const;

    const RankTask& task_;
    const KeyLayout& layout_;
    const char* scores_;
};

// Looks at every row and chooses the layout. Words are made only of scores that do not lie side by
// side; those of others are made later, and till then the arrays must not change.
//
// Throws Rejected: "range" for the first class that is not in [0, k) (pooled: [0, width)), else
// "nan" or "infinite" for the first such item, else "bad_weight" or "negative_weight".
// std::invalid_argument for an impossible k or own.
PackedScores survey_scores(const RankTask& task, int n_threads, Poll poll);

// Makes the words, in the order of the items, unless they are there.
void pack_words(PackedScores& packed, int n_threads, Poll poll);

// Both at once.
PackedScores pack_scores(const RankTask& task, int n_threads, Poll poll);

// Rejected "nan" or "infinite" for the first item of a matrix that is not finite.
void check_scores(const Scores& scores);

// Rejected "bad_weight" or "negative_weight" for the first of n weights that is one.
void check_weights(const double* weights, int64_t n);

// Makes the words, unless they are there, and sorts them: where keys were cut, `settle` comes next.
// When it throws Interrupted they are all there, in no order.
void sort_packed(PackedScores& packed, int n_threads, Poll poll);

// Puts sorted words into the final order where their keys were cut: those that look equal are
// ordered by their scores. Nothing to do for most data.
void settle(PackedScores& packed);

}  // namespace karat
