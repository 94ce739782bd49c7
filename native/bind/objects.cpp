// karat._native: encode_objects, codes of arbitrary Python objects by a dict.
#include <array>
#include <string>

#include "bind/arrays.hpp"
#include "kernels/rejected.hpp"

namespace karat {
namespace {

// The items of a list, a tuple or a 1-D object array, one at a time. Callbacks may change the
// sequence, so that length and pointer are looked at again for every item.
class Items {
public:
    explicit Items(nb::handle sequence) : sequence_(sequence.ptr()) {
        if (PyList_Check(sequence_) || PyTuple_Check(sequence_)) return;
        if (PyObject_GetBuffer(sequence_, &view_, PyBUF_FORMAT | PyBUF_STRIDES) != 0) {
            PyErr_Clear();
            throw nb::type_error("sequence must be a list, a tuple or an array of objects");
        }
        if (view_.ndim != 1 || view_.format == nullptr || std::string(view_.format) != "O") {
            PyBuffer_Release(&view_);
            throw nb::type_error("sequence must be a 1-D array of objects");
        }
    }
    Items(const Items&) = delete;
    Items& operator=(const Items&) = delete;
    ~Items() { PyBuffer_Release(&view_); }

    Py_ssize_t size() const {
        if (view_.obj != nullptr) return view_.shape[0];
        return PyList_Check(sequence_) ? PyList_Size(sequence_) : PyTuple_Size(sequence_);
    }

    nb::object at(Py_ssize_t i) const {
        PyObject* item;
        if (view_.obj != nullptr) {
            item =
                *reinterpret_cast<PyObject**>(static_cast<char*>(view_.buf) + i * view_.strides[0]);
            // NumPy reads a null pointer as None.
            if (item == nullptr) item = Py_None;
        } else {
            item = PyList_Check(sequence_) ? PyList_GetItem(sequence_, i)
                                           : PyTuple_GetItem(sequence_, i);
            if (item == nullptr) throw nb::python_error();
        }
        return nb::borrow(item);
    }

private:
    PyObject* sequence_;
    Py_buffer view_{};
};

// Codes of the objects seen lately, by identity: columns of objects repeat a few of them. An entry
// holds a reference, so that its address cannot become another object's.
class Recent {
public:
    struct Entry {
        nb::object item;
        int32_t code = 0;
    };
    Entry& entry(PyObject* item) {
        const uintptr_t address = reinterpret_cast<uintptr_t>(item) >> 4;
        return entries_[(address ^ address >> 8) % entries_.size()];
    }

private:
    std::array<Entry, 256> entries_;
};

int32_t as_code(PyObject* value) {
    const long code = PyLong_AsLong(value);
    if (code == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
    if (code < INT32_MIN || code > INT32_MAX) throw nb::value_error("a code must fit int32");
    return static_cast<int32_t>(code);
}

int32_t look_up(nb::handle item, nb::dict table, nb::callable on_new, int64_t row) {
    PyObject* found = PyDict_GetItemWithError(table.ptr(), item.ptr());
    if (found != nullptr) return as_code(found);
    if (PyErr_Occurred() != nullptr) {
        nb::python_error error;
        // Only a failing hash means that the item cannot be a label; an __eq__ may fail as well.
        if (error.matches(PyExc_TypeError) && PyObject_Hash(item.ptr()) == -1) {
            PyErr_Clear();
            throw Rejected("unhashable", Argument::truth, row);
        }
        throw error;
    }
    const nb::object code = on_new(item, row);
    return as_code(code.ptr());
}

nb::object encode_objects(nb::handle sequence, nb::dict table, nb::callable on_new) {
    constexpr Py_ssize_t kRowsForSignals = 1 << 16;
    const Items items(sequence);
    const Py_ssize_t n = items.size();
    std::unique_ptr<int32_t[]> codes = uninitialised<int32_t>(n);
    Recent recent;
    for (Py_ssize_t row = 0; row < n; ++row) {
        if (row % kRowsForSignals == 0 && PyErr_CheckSignals() != 0) throw nb::python_error();
        if (items.size() != n)
            throw nb::value_error("sequence changed its length while it was read");
        nb::object item = items.at(row);
        Recent::Entry& entry = recent.entry(item.ptr());
        if (entry.item.ptr() != item.ptr()) {
            const int32_t code = look_up(item, table, on_new, row);
            entry.code = code;
            entry.item = std::move(item);
        }
        codes[row] = entry.code;
    }
    return owned(std::move(codes), n);
}

}  // namespace

void bind_objects(nb::module_& m) {
    m.def("encode_objects", encode_objects, nb::arg("sequence"), nb::arg("table"),
          nb::arg("on_new"));
}

}  // namespace karat
