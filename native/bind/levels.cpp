// karat._native: take_levels, join_levels, bin_levels, pool_levels.
#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>

#include "bind/arrays.hpp"
#include "kernels/bin_levels.hpp"
#include "kernels/join_levels.hpp"
#include "kernels/pool_levels.hpp"

namespace karat {
namespace {

nb::object taken_of(nb::handle left, nb::handle right, int dropped, nb::handle cuts) {
    const Input of_left(left, "left", 1), of_right(right, "right", 1), ends(cuts, "cuts", 1);
    if (dropped < 0 || dropped > 62) throw nb::value_error("dropped must be between 0 and 62");
    const LevelScores one{of_left.doubles(true), of_left.length()};
    const LevelScores other{of_right.doubles(true), of_right.length()};
    const Buckets buckets{dropped, ends.doubles(true), ends.length()};
    std::unique_ptr<uint8_t[]> taken = uninitialised<uint8_t>(one.n + other.n);
    int64_t n;
    {
        const Unlocked unlocked(one.n + other.n);
        n = take_levels(one, other, buckets, taken.get());
    }
    return owned(std::move(taken), n);
}

Join join_of(int number) {
    if (number < 0 || number > 2) throw nb::value_error("join must be 0, 1 or 2");
    return static_cast<Join>(number);
}

template <class T>
nb::object joined(const Input& taken, const Input& left, const T* of_left, const Input& right,
                  const T* of_right, Join join) {
    const char* levels = taken.packed_bytes();
    const int64_t n = taken.length(), width = left.ndim() == 2 ? left.width() : 1;
    std::unique_ptr<T[]> found = uninitialised<T>(n * width);
    {
        const Unlocked unlocked(n);
        join_levels(reinterpret_cast<const uint8_t*>(levels), n, of_left, left.length(), of_right,
                   right.length(), width, join, found.get());
    }
    if (left.ndim() == 2) return owned(std::move(found), n, width);
    return owned(std::move(found), n);
}

nb::object joined_of(nb::handle taken, nb::handle left, nb::handle right, int join) {
    const Input levels(taken, "taken", 1), one(left, "left", 1, 2), other(right, "right", 1, 2);
    if (one.ndim() != other.ndim() || (one.ndim() == 2 && one.width() != other.width()))
        throw nb::value_error("left and right must have the same columns");
    const Join how = join_of(join);
    if (one.is_int64())
        return joined(levels, one, one.int64_rows(), other, other.int64_rows(), how);
    return joined(levels, one, one.contiguous_rows(), other, other.contiguous_rows(), how);
}

// Weights of the rest and the own class: [u, 2].
void check_sides(const Input& sides, int64_t u) {
    check_length("the sides", sides.length(), "the score levels", u);
    if (sides.width() != 2) throw nb::value_error("the sides must be [u, 2]");
}

nb::object bins_of(nb::handle scores, nb::handle counts, nb::handle squares, nb::handle ends, bool is_right) {
    const Input of_scores(scores, "scores", 1), of_counts(counts, "counts", 2), of_ends(ends, "ends", 1);
    CountedLevels levels{of_scores.doubles(true)};
    levels.u = of_scores.length();
    check_sides(of_counts, levels.u);
    if (of_counts.is_int64()) levels.counts = of_counts.int64_rows();
    else levels.weights = of_counts.contiguous_rows();
    std::optional<Input> of_squares;
    if (!squares.is_none()) {
        of_squares.emplace(squares, "squares", 2);
        check_sides(*of_squares, levels.u);
        levels.squares = of_squares->contiguous_rows();
    }
    const double* const borders = of_ends.doubles(true);
    const int64_t n_bins = of_ends.length() + 1;
    if (!std::is_sorted(borders, borders + of_ends.length())) throw nb::value_error("ends do not ascend");
    std::unique_ptr<double[]> sums = uninitialised<double>(kBinSums * n_bins);
    std::fill_n(sums.get(), kBinSums * n_bins, 0.0);
    {
        const Unlocked unlocked(levels.u);
        if (bin_levels(levels, borders, n_bins, is_right, sums.get()) > 0)
            throw std::invalid_argument("scores do not descend");
    }
    return owned(std::move(sums), kBinSums, n_bins);
}

// Whole numbers that pooling adds: none is negative, and int64 holds the sum of all.
void check_sums(const char* name, const int64_t* numbers, int64_t n) {
    int64_t sum = 0;
    for (int64_t i = 0; i < n; ++i)
        if (numbers[i] < 0 || __builtin_add_overflow(sum, numbers[i], &sum))
            throw nb::value_error((std::string(name) + " are negative, or beyond int64").c_str());
}

template <class Number>
nb::object pooled(const Number* counts, const int64_t* lengths, int64_t u) {
    PooledLevels<Number> found;
    {
        const Unlocked unlocked(u);
        found = pool_levels(counts, lengths, u);
    }
    const auto m = static_cast<int64_t>(found.lengths.size());
    auto sums = uninitialised<Number>(2 * m);
    std::copy(found.sums.begin(), found.sums.end(), sums.get());
    return nb::make_tuple(owned(std::move(found.lengths)), owned(std::move(sums), m, 2));
}

nb::object pooled_of(nb::handle counts, nb::handle lengths) {
    const Input of_counts(counts, "counts", 2), of_lengths(lengths, "lengths", 1);
    const int64_t u = of_counts.length();
    check_sides(of_counts, u);
    check_length("lengths", of_lengths.length(), "the score levels", u);
    const int64_t* const each = of_lengths.int64s();
    check_sums("lengths", each, u);
    if (!of_counts.is_int64()) return pooled(of_counts.contiguous_rows(), each, u);
    const int64_t* const numbers = of_counts.int64_rows();
    check_sums("counts", numbers, 2 * u);
    return pooled(numbers, each, u);
}

}  // namespace

void bind_levels(nb::module_& m) {
    m.def("take_levels", taken_of, nb::arg("left"), nb::arg("right"), nb::arg("dropped"),
          nb::arg("cuts"));
    m.def("join_levels", joined_of, nb::arg("taken"), nb::arg("left"), nb::arg("right"),
          nb::arg("join"));
    m.def("bin_levels", bins_of, nb::arg("scores"), nb::arg("counts"), nb::arg("squares").none(),
          nb::arg("ends"), nb::arg("is_right"));
    m.def("pool_levels", pooled_of, nb::arg("counts"), nb::arg("lengths"));
}

}  // namespace karat
