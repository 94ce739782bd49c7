// karat._native: take_levels, join_levels.
#include "bind/arrays.hpp"
#include "kernels/join_levels.hpp"

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

}  // namespace

void bind_levels(nb::module_& m) {
    m.def("take_levels", taken_of, nb::arg("left"), nb::arg("right"), nb::arg("dropped"),
          nb::arg("cuts"));
    m.def("join_levels", joined_of, nb::arg("taken"), nb::arg("left"), nb::arg("right"),
          nb::arg("join"));
}

}  // namespace karat
