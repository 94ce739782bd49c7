#include "bind/arrays.hpp"

#include <algorithm>
#include <string>

#include "kernels/read_block.hpp"

namespace karat {
namespace {

// Class of a format character of the struct module; the width comes from the item size.
char kind_of(const char* format) {
    if (format == nullptr) return 'u';
    if (*format == '>' || *format == '!') return 0;
    if (*format == '@' || *format == '=' || *format == '<' || *format == '^') ++format;
    if (*format == '\0' || format[1] != '\0') return 0;
    switch (*format) {
        case 'b':
        case 'h':
        case 'i':
        case 'l':
        case 'q':
        case 'n': return 'i';
        case '?': return '?';
        case 'B':
        case 'H':
        case 'I':
        case 'L':
        case 'Q':
        case 'N': return 'u';
        case 'e':
        case 'f':
        case 'd': return 'f';
        default: return 0;
    }
}

}  // namespace

Input::Input(nb::handle object, const char* name, int ndim, int most_ndim) : name_(name) {
    if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_FORMAT | PyBUF_STRIDES) != 0) {
        PyErr_Clear();
        throw nb::type_error((std::string(name) + " must be a NumPy array").c_str());
    }
    kind_ = kind_of(view_.format);
    const auto wrong = [&](const std::string& what) {
        PyBuffer_Release(&view_);
        throw nb::type_error((std::string(name) + " " + what).c_str());
    };
    if (view_.ndim < ndim || view_.ndim > std::max(ndim, most_ndim))
        wrong("must have " + std::to_string(ndim) +
              (most_ndim > ndim ? " or " + std::to_string(most_ndim) : "") + " dimension(s)");
    if (kind_ == 0) wrong("has items of a kind or byte order that the kernels do not read");
    if (view_.itemsize > 1) {
        uintptr_t misplaced = reinterpret_cast<uintptr_t>(view_.buf);
        for (int axis = 0; axis < view_.ndim; ++axis)
            if (view_.shape[axis] > 1) misplaced |= static_cast<uintptr_t>(view_.strides[axis]);
        if (misplaced & static_cast<uintptr_t>(view_.itemsize - 1)) wrong("is not aligned");
    }
}

void Input::fail(const char* wanted) const {
    throw nb::type_error((std::string(name_) + " must be " + wanted).c_str());
}

Column Input::integers() const {
    int width_code;
    switch (view_.itemsize) {
        case 1: width_code = 0; break;
        case 2: width_code = 1; break;
        case 4: width_code = 2; break;
        case 8: width_code = 3; break;
        default: fail("an array of integers");
    }
    if (kind_ == 'f') fail("an array of integers");
    const Column column{view_.buf, view_.shape[0], view_.strides[0],
                        static_cast<Kind>(2 * width_code + (kind_ == 'i'))};
    if (kind_ == '?' && column.n > 0) {
        int64_t low, high;
        // Rows that are all one may be more than anybody could walk over.
        span_of(column, 0, column.stride == 0 ? 1 : column.n, &low, &high);
        if (high > 1)
            throw nb::value_error(
                (std::string(name_) + " has a boolean of another byte than 0 or 1").c_str());
    }
    return column;
}

CellKind Input::cell_kind() const {
    const bool is_float = kind_ == 'f';
    switch (view_.itemsize) {
        case 1:
            if (!is_float) return CellKind::whole8;
            break;
        case 2: return is_float ? CellKind::float16 : CellKind::whole16;
        case 4: return is_float ? CellKind::float32 : CellKind::whole32;
        case 8: return is_float ? CellKind::float64 : CellKind::whole64;
        default: break;
    }
    fail("an array of integers, booleans or floats");
}

const double* Input::doubles(bool contiguous_only) const {
    if (contiguous_only)
        return reinterpret_cast<const double*>(contiguous('f', 8, "a contiguous float64 array"));
    if (kind_ != 'f' || view_.itemsize != 8) fail("a float64 array");
    return static_cast<const double*>(view_.buf);
}

double* Input::accumulators() const {
    contiguous_rows();
    if (view_.readonly) fail("writable");
    return static_cast<double*>(view_.buf);
}

// Items of eight bytes, row after row.
const void* Input::words(char kind, const char* wanted) const {
    const int last = view_.ndim - 1;
    if (kind_ != kind || view_.itemsize != 8 ||
        (view_.shape[last] > 1 && view_.strides[last] != 8) ||
        (last == 1 && view_.shape[0] > 1 && view_.strides[0] != 8 * view_.shape[1]))
        fail(wanted);
    return view_.buf;
}

const double* Input::contiguous_rows() const {
    return static_cast<const double*>(words('f', "a contiguous float64 array"));
}

const int64_t* Input::int64_rows() const {
    return static_cast<const int64_t*>(words('i', "a contiguous int64 array"));
}

int64_t Input::float_bytes() const {
    if (kind_ != 'f' || (view_.itemsize != 4 && view_.itemsize != 8))
        fail("a float32 or float64 array");
    return view_.itemsize;
}

const char* Input::contiguous(char kind, int64_t item, const char* wanted) const {
    if (kind_ != kind || view_.itemsize != item || (view_.shape[0] > 1 && view_.strides[0] != item))
        fail(wanted);
    return bytes();
}

const int32_t* Input::int32s() const {
    return reinterpret_cast<const int32_t*>(contiguous('i', 4, "a contiguous int32 array"));
}

const int64_t* Input::int64s() const {
    return reinterpret_cast<const int64_t*>(contiguous('i', 8, "a contiguous int64 array"));
}

const uint64_t* Input::uint64s() const {
    return reinterpret_cast<const uint64_t*>(contiguous('u', 8, "a contiguous uint64 array"));
}

const char* Input::packed_bytes() const { return contiguous('u', 1, "a contiguous uint8 array"); }

const char* Input::rows_of(int64_t item) const {
    if (kind_ != 'u' || view_.itemsize != item || (view_.shape[1] > 1 && view_.strides[1] != item))
        fail(item == 4 ? "a uint32 array of contiguous rows" : "a uint8 array of contiguous rows");
    return bytes();
}

void check_length(const char* left, int64_t n_left, const char* right, int64_t n_right) {
    if (n_left == n_right) return;
    throw nb::value_error((std::string(left) + " has " + std::to_string(n_left) + " rows, " +
                           right + " has " + std::to_string(n_right))
                              .c_str());
}

nb::object array_over(void* data, nb::dlpack::dtype kind, std::initializer_list<int64_t> shape,
                      nb::handle owner) {
    const std::vector<size_t> lengths(shape.begin(), shape.end());
    return nb::cast(
        nb::ndarray<nb::numpy>(data, lengths.size(), lengths.data(), owner, nullptr, kind));
}

nb::object array_with(Memory memory, void* data, nb::dlpack::dtype kind,
                      std::initializer_list<int64_t> shape) {
    const nb::capsule owner(memory.get(), memory.get_deleter());
    memory.release();
    return array_over(data, kind, shape, owner);
}

bool poll_signals() {
    const nb::gil_scoped_acquire locked;
    return PyErr_CheckSignals() == 0;
}

}  // namespace karat
