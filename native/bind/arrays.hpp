// NumPy arrays in and out, through the buffer protocol.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

#include "bind/unlocked.hpp"
#include "kernels/column.hpp"
#include "kernels/large_pages.hpp"
#include "kernels/read_sets.hpp"
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
    // Integers of any width, booleans or floats.
    CellKind cell_kind() const;
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
    const int64_t* int64s() const;
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

// An array over memory that lives as long as its owner.
nb::object array_over(void* data, nb::dlpack::dtype kind, std::initializer_list<int64_t> shape,
                      nb::handle owner);

template <class T>
nb::object view(nb::handle owner, T* data, int64_t n) {
    return array_over(data, nb::dtype<T>(), {n}, owner);
}

template <class T>
nb::object view(nb::handle owner, std::vector<T>& values) {
    return view(owner, values.data(), static_cast<int64_t>(values.size()));
}

// Memory for an array to own, and what frees it.
using Memory = std::unique_ptr<void, void (*)(void*) noexcept>;

// Of what `new` made, an array or one object.
template <class Held>
Memory held(typename std::unique_ptr<Held>::pointer memory) {
    using Pointer = typename std::unique_ptr<Held>::pointer;
    return Memory(memory, [](void* p) noexcept {
        std::default_delete<Held>()(static_cast<Pointer>(p));
    });
}

// A new array that owns the memory in which its items are.
nb::object array_with(Memory memory, void* data, nb::dlpack::dtype kind,
                      std::initializer_list<int64_t> shape);

// [n] or [n, ...].
template <class T, class... Lengths>
nb::object owned(std::unique_ptr<T[]> items, int64_t n, Lengths... lengths) {
    T* data = items.release();
    return array_with(held<T[]>(data), data, nb::dtype<T>(), {n, static_cast<int64_t>(lengths)...});
}

template <class T>
nb::object owned(Paged<T> items, int64_t n) {
    auto kept = std::make_unique<Paged<T>>(std::move(items));
    T* data = kept->get();
    return array_with(held<Paged<T>>(kept.release()), data, nb::dtype<T>(), {n});
}

template <class T>
nb::object owned(std::vector<T> values) {
    auto kept = std::make_unique<std::vector<T>>(std::move(values));
    T* data = kept->data();
    const int64_t n = static_cast<int64_t>(kept->size());
    return array_with(held<std::vector<T>>(kept.release()), data, nb::dtype<T>(), {n});
}

// For kernels: takes the GIL and looks for Ctrl-C.
bool poll_signals();

// The same where there is enough work that somebody may lose patience.
inline Poll poll_for(int64_t n) {
    constexpr int64_t kItemsForPoll = int64_t{1} << 24;
    return n < kItemsForPoll ? nullptr : poll_signals;
}

#ifdef KARAT_FUZZ
// Of fuzz/native.
void bind_control(nb::module_& m);
void bind_coverage(nb::module_& m);
#endif
void bind_count(nb::module_& m);
void bind_encode(nb::module_& m);
void bind_cumulative(nb::module_& m);
void bind_limits(nb::module_& m);
void bind_objectives(nb::module_& m);
void bind_objects(nb::module_& m);
void bind_pairs(nb::module_& m);
void bind_paths(nb::module_& m);
void bind_program(nb::module_& m);
void bind_resampling(nb::module_& m);
void bind_levels(nb::module_& m);
void bind_score_pairs(nb::module_& m);
void bind_scores(nb::module_& m);
void bind_sets(nb::module_& m);
void bind_slices(nb::module_& m);
void bind_variance(nb::module_& m);

}  // namespace karat
