// karat._native: encode_objects, codes of arbitrary Python objects by a dict.
#include <nanobind/stl/optional.h>

#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "bind/arrays.hpp"
#include "kernels/rejected.hpp"
#include "kernels/text_table.hpp"

namespace karat {
namespace {

// The items of a list, a tuple or a 1-D object array, one at a time. Callbacks may change the
// sequence: then its length has to be looked at again, and no pointer is kept.
class Items {
public:
    explicit Items(nb::handle sequence)
        : sequence_(sequence.ptr()), is_list_(PyList_Check(sequence_)) {
        if (is_list_ || PyTuple_Check(sequence_)) return;
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
        return is_list_ ? PyList_Size(sequence_) : PyTuple_Size(sequence_);
    }

    // A borrowed reference.
    PyObject* at(Py_ssize_t i) const {
        if (view_.obj != nullptr) {
            PyObject* item =
                *reinterpret_cast<PyObject**>(static_cast<char*>(view_.buf) + i * view_.strides[0]);
            // NumPy reads a null pointer as None.
            return item == nullptr ? Py_None : item;
        }
        PyObject* item = is_list_ ? PyList_GetItem(sequence_, i) : PyTuple_GetItem(sequence_, i);
        if (item == nullptr) throw nb::python_error();
        return item;
    }

private:
    PyObject* sequence_;
    bool is_list_;
    Py_buffer view_{};
};

// Codes of the objects looked up lately, by identity: columns of objects repeat a few of them. An
// entry holds a reference, so that its address cannot become another object's.
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

// Codes of the short texts and numbers looked up lately, by value: those of a file are objects of
// their own in every row. A dict finds equal ones equal, in three times the time.
class RecentValues {
public:
    struct Entry {
        ShortText value;
        int64_t kind = kFree;  // length of a text
        int32_t code = 0;
    };

    // Where the code of the item is, or would be kept; null when it has none.
    // Why the types themselves: a class that derives from them may compare as it likes.
    Entry* entry(PyObject* item, bool* is_found) {
        Entry key;
        if (PyUnicode_CheckExact(item) ? !read_text(item, key)
            : PyLong_CheckExact(item)  ? !read_integer(item, key)
                                       : !PyFloat_CheckExact(item) || !read_float(item, key))
            return nullptr;
        Entry& entry = entries_[(key.value.low * 0x9e3779b97f4a7c15u +
                                 key.value.high * 0xd6e8feb86659fd93u) >>
                                kShift];
        *is_found = entry.value.low == key.value.low && entry.value.high == key.value.high &&
                    entry.kind == key.kind;
        if (!*is_found) entry = key;
        return &entry;
    }

private:
    static constexpr int kShift = 56;
    static constexpr int64_t kFree = -1, kInteger = -2, kFloat = -3;

    bool read_text(PyObject* item, Entry& key) {
        constexpr Py_ssize_t kMost = 16;
        const Py_ssize_t n_points = PyUnicode_GetLength(item);
        if (n_points > kMost || !is_ascii_) return false;
        Py_ssize_t n_bytes = 0;
        const char* bytes = PyUnicode_AsUTF8AndSize(item, &n_bytes);
        // Of other texts Python would keep the UTF-8 in each object, for ever.
        is_ascii_ = bytes != nullptr && n_bytes == n_points;
        if (bytes == nullptr) PyErr_Clear();
        if (!is_ascii_) return false;
        key.kind = n_bytes;
        key.value = TextTable::prefix(bytes, n_bytes);
        return true;
    }
    static bool read_integer(PyObject* item, Entry& key) {
        int overflow = 0;
        key.kind = kInteger;
        key.value.low = static_cast<uint64_t>(PyLong_AsLongLongAndOverflow(item, &overflow));
        return overflow == 0;
    }
    static bool read_float(PyObject* item, Entry& key) {
        const double x = PyFloat_AsDouble(item);
        key.kind = kFloat;
        std::memcpy(&key.value.low, &x, sizeof x);
        return x == x;  // a dict finds NaN by identity
    }

    bool is_ascii_ = true;
    std::array<Entry, size_t{1} << (64 - kShift)> entries_;
};

// How many items have each type.
class Types {
public:
    void add(PyObject* item) {
        PyTypeObject* type = Py_TYPE(item);
        if (type != last_) {
            last_ = type;
            std::pair<nb::object, int64_t>& found = counts_[type];
            if (!found.first.is_valid()) found.first = nb::borrow(reinterpret_cast<PyObject*>(type));
            count_ = &found.second;
        }
        ++*count_;
    }
    void store(nb::dict into) const {
        for (const auto& [type, found] : counts_) into[found.first] = found.second;
    }

private:
    PyTypeObject* last_ = nullptr;
    int64_t* count_ = nullptr;
    std::unordered_map<PyTypeObject*, std::pair<nb::object, int64_t>> counts_;
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

nb::object encode_objects(nb::handle sequence, nb::dict table, nb::callable on_new,
                          std::optional<nb::dict> types) {
    constexpr Py_ssize_t kRowsForSignals = 1 << 16;
    // Objects of a column lie anywhere: their first bytes are asked for so many rows before.
    constexpr Py_ssize_t kAhead = 16;
    constexpr int kTextFrom = 48;
    const Items items(sequence);
    const Py_ssize_t n = items.size();
    std::unique_ptr<int32_t[]> codes = uninitialised<int32_t>(n);
    Recent recent;
    RecentValues values;
    Types counted;
    bool may_have_changed = false;  // Python code has run
    const auto check_size = [&] {
        if (may_have_changed && items.size() != n)
            throw nb::value_error("sequence changed its length while it was read");
    };
    for (Py_ssize_t row = 0; row < n; ++row) {
        if (row % kRowsForSignals == 0) {
            if (PyErr_CheckSignals() != 0) throw nb::python_error();
            may_have_changed = true;
        }
        check_size();
        may_have_changed = false;
        if (row + kAhead < n) {
            const char* later = reinterpret_cast<const char*>(items.at(row + kAhead));
            __builtin_prefetch(later);
            __builtin_prefetch(later + kTextFrom);
        }
        PyObject* item = items.at(row);
        counted.add(item);
        Recent::Entry& same = recent.entry(item);
        if (same.item.ptr() == item) {
            codes[row] = same.code;
            continue;
        }
        bool is_found = false;
        RecentValues::Entry* equal = values.entry(item, &is_found);
        if (is_found) {
            codes[row] = equal->code;
            continue;
        }
        nb::object kept = nb::borrow(item);
        may_have_changed = true;
        codes[row] = look_up(kept, table, on_new, row);
        if (equal != nullptr) equal->code = codes[row];
        same.code = codes[row];
        same.item = std::move(kept);
    }
    check_size();
    if (types) counted.store(*types);
    return owned(std::move(codes), n);
}

}  // namespace

void bind_objects(nb::module_& m) {
    m.def("encode_objects", encode_objects, nb::arg("sequence"), nb::arg("table"),
          nb::arg("on_new"), nb::arg("types").none() = nb::none());
}

}  // namespace karat
