// NumPy arrays in and out, through the buffer protocol.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "bind/unlocked.hpp"
#include "kernels/column.hpp"
#include "kernels/large_pages.hpp"
#include "kernels/threads.hpp"

namespace karat {

namespace nb = nanobind;

// A borrowed view of one array; released with the object, under the GIL.
//
// Why not nb::ndarray: it costs 0.1 µs more an argument, a tenth of a small call.
class Input {
public:
    // Throws TypeError unless the object has a buffer of that many dimensions, or of one to
    // most_ndim, aligned and in the byte order of this machine. `name` is for messages.
    Input(nb::handle object, const char* name, int ndim, int most_ndim = 0);
    Input(const Input&) = delete;
    Input& operator=(const Input&) = delete;
    ~Input() { PyBuffer_Release(&view_); }

    int ndim() const { return view_.ndim; }
    int64_t length() const { return view_.shape[0]; }
    int64_t width() const { return view_.shape[1]; }
    int64_t stride() const { return view_.strides[0]; }
    int64_t column_stride() const { return view_.strides[1]; }
    const char* bytes() const { return static_cast<const char*>(view_.buf); }

    // Integer items of any width, or booleans: ValueError for a byte that is neither 0 nor 1, since
    // the same truth would be two classes.
    Column integers() const;
    // Items of exactly this kind; `contiguous` refuses strides.
    const double* doubles(bool contiguous) const;
    // Contiguous rows of float64; those that may be written to.
    const double* contiguous_rows() const;
    // The same of int64.
    const int64_t* int64_rows() const;
    double* accumulators() const;
    // Bytes of an item of float32 or float64, else TypeError.
    int64_t float_bytes() const;
    const int32_t* int32s() const;
    const uint64_t* uint64s() const;
    const char* packed_bytes() const;
    // Rows of contiguous items of `item` bytes.
    const char* rows_of(int64_t item) const;
    bool is_int64() const { return kind_ == 'i' && view_.itemsize == 8; }

private:
    [[noreturn]] void fail(const char* wanted) const;
    const char* contiguous(char kind, int64_t item, const char* wanted) const;
    const void* words(char kind, const char* wanted) const;

    Py_buffer view_{};
    const char* name_;
    char kind_ = 0;  // 'i' signed, 'u' unsigned, '?' boolean, 'f' float, 0 other
};

// Throws ValueError when the lengths differ.
void check_length(const char* left, int64_t n_left, const char* right, int64_t n_right);

// A new array float or int [n] that owns the memory.
template <class T>
nb::object owned(std::unique_ptr<T[]> memory, int64_t n) {
    T* data = memory.get();
    nb::capsule owner(memory.release(), [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(data, {static_cast<size_t>(n)}, owner));
}

// A new array [n, width] that owns the memory.
template <class T>
nb::object owned(std::unique_ptr<T[]> memory, int64_t n, int64_t width) {
    T* data = memory.get();
    nb::capsule owner(memory.release(), [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<2>>(
        data, {static_cast<size_t>(n), static_cast<size_t>(width)}, owner));
}

template <class T>
nb::object owned(std::vector<T> values) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {kept->size()}, owner));
}

// For kernels: takes the GIL and looks for Ctrl-C.
bool poll_signals();

#ifdef KARAT_FUZZ
// Of fuzz/native.
void bind_control(nb::module_& m);
void bind_coverage(nb::module_& m);
#endif
void bind_count(nb::module_& m);
void bind_encode(nb::module_& m);
void bind_ladder(nb::module_& m);
void bind_limits(nb::module_& m);
void bind_objectives(nb::module_& m);
void bind_objects(nb::module_& m);
void bind_pairs(nb::module_& m);
void bind_paths(nb::module_& m);
void bind_program(nb::module_& m);
void bind_resampling(nb::module_& m);
void bind_rungs(nb::module_& m);
void bind_score_pairs(nb::module_& m);
void bind_scores(nb::module_& m);
void bind_variance(nb::module_& m);

}  // namespace karat
