// Counting of two columns of labels: the entry points.
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/column.hpp"
#include "kernels/sums.hpp"
#include "kernels/threads.hpp"
#include "tally.hpp"

namespace karat {

// Weights of the rows, or none when data is null. Stride in bytes.
struct Weights {
    const double* data = nullptr;
    int64_t stride = 0;
};

struct Options {
    bool cells = true;  // whether the tally has a confusion matrix
    int n_threads = 1;
    Poll poll = nullptr;
};

// Counts integers whose classes are the values that occur. The range of values is found block
// by block while counting. Nothing when it is too wide for a table: more than 2048 values or
// than the square root of max(65536, 8n) with cells; more than max(65536, n) values or 2^26
// without. Throws Rejected for a bad weight. Both columns have n >= 1 rows.
std::optional<Tally> count_discovered(const Column& truth, const Column& pred, Weights weights,
                                      const Options& options);

// How many rows have the same label in both columns, as a tally of two classes that stand for no
// labels: every row is truly of the first, and predicted as it where its labels agree. It has the
// rows and the hits of the tally of the labels, and nothing else of it. Nothing when columns of
// different kinds hold a value beyond int64, or a true label is -100. Both columns have n >= 1 rows.
std::optional<Tally> count_agreement(const Column& truth, const Column& pred, int n_threads,
                                     Poll poll);

// Codes and what they mean: class = code - base, or lut[code - base] for int32[n_lut] with -1 for
// a value that is no class.
struct Codes {
    Column column;
    int64_t base = 0;
    const int32_t* lut = nullptr;
    int64_t n_lut = 0;
};

// Counts codes of k given classes. Throws Rejected for the first row, of the truth, else of the
// predictions, else of the weights, that is bad: "range", "outside", "negative_weight",
// "bad_weight"; std::invalid_argument when k or an entry of a lut cannot be.
Tally count_declared(const Codes& truth, const Codes& pred, int64_t k, Weights weights,
                     const Options& options);

// What becomes of a table of entries.
struct Finish {
    Window window;
    bool discovered;  // classes that do not occur are left out
    bool cells;       // whether the tally keeps the matrix
};
template <class Count>  // uint32_t or int64_t
Tally finish_cells(const Count* rows, Finish how);
Tally finish_cells(const WeightedEntry* rows, Finish how);
template <class Count>
Tally finish_marginals(const Count* rows, Finish how);
Tally finish_marginals(const WeightedEntry* rows, Finish how);

}  // namespace karat
