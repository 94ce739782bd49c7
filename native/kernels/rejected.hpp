// What kernels throw about data that cannot be counted.
#pragma once

#include <cstdint>
#include <exception>

namespace karat {

enum class Argument { truth = 0, pred = 1, weights = 2 };

// One row of an argument is bad. `kind` is a word with static storage; the binding makes
// karat._native.Rejected from it.
struct Rejected : std::exception {
    Rejected(const char* kind_, Argument argument_, int64_t row_)
        : kind(kind_), argument(argument_), row(row_) {}
    // Of a pass over a matrix: the column too, or kWholeRow.
    Rejected(const char* kind_, Argument argument_, int64_t row_, int64_t column_)
        : kind(kind_), argument(argument_), row(row_), of_matrix(true), column(column_) {}
    const char* what() const noexcept override { return kind; }

    const char* kind;
    Argument argument;
    int64_t row;
    bool of_matrix = false;
    int64_t column = 0;
};
constexpr int64_t kWholeRow = -1;

// The caller asked to stop (Ctrl-C); the error is already set on its side.
struct Interrupted : std::exception {};

}  // namespace karat
