// karat._native: encode_integers, TextEncoder.
#include <optional>

#include "bind/arrays.hpp"
#include "bind/turns.hpp"
#include "kernels/encode_integers.hpp"
#include "kernels/encode_text.hpp"
#include "kernels/rejected.hpp"

namespace karat {
namespace {

nb::object encode_integer_array(nb::handle array, int n_threads) {
    const Input input(array, "array", 1);
    const Column column = input.integers();
    std::unique_ptr<int32_t[]> codes = uninitialised<int32_t>(column.n);
    std::vector<int64_t> values;
    {
        const Unlocked unlocked(column.n);
        values = encode_integers(column, codes.get(), n_threads);
    }
    return nb::make_tuple(owned(std::move(codes), column.n), owned(std::move(values)));
}

// One label space for texts of every storage, kept over calls.
class TextEncoder {
public:
    int64_t size() {
        const Turn turn(turns_);
        return table_.size();
    }

    nb::list labels() {
        const Turn turn(turns_);
        nb::list labels;
        for (int64_t code = 0; code < table_.size(); ++code) {
            const std::string_view text = table_.text(code);
            // NumPy's str may hold lone surrogates.
            PyObject* label = PyUnicode_DecodeUTF8(
                text.data(), static_cast<Py_ssize_t>(text.size()), "surrogatepass");
            if (label == nullptr) throw nb::python_error();
            labels.append(nb::steal(label));
        }
        return labels;
    }

    nb::object encode_rows(nb::handle array, bool is_ucs4) {
        const Input input(array, "array", 2);
        const char* rows = input.rows_of(is_ucs4 ? 4 : 1);
        return encode(input.length(), [&](int32_t* codes) {
            (is_ucs4 ? encode_ucs4 : encode_bytes)(table_, rows, input.length(), input.width(),
                                                   input.stride(), codes);
        });
    }

    nb::object encode_offsets(nb::handle offsets, nb::handle data, nb::handle valid,
                              int64_t bit_offset) {
        const Input offset_input(offsets, "offsets", 1), data_input(data, "data", 1);
        const ValidInput validity(valid, bit_offset);
        const int64_t n = offset_input.length() - 1, n_data = data_input.length();
        if (n < 0) throw nb::value_error("offsets must have at least one entry");
        validity.check(n);
        const char* bytes = data_input.packed_bytes();
        if (!offset_input.is_int64()) {
            const int32_t* at = offset_input.int32s();
            return encode(n, [&](int32_t* codes) {
                encode_utf8(table_, at, n, bytes, n_data, validity.value, codes);
            });
        }
        if (offset_input.length() > 1 && offset_input.stride() != 8)
            throw nb::type_error("offsets must be contiguous");
        const int64_t* at = reinterpret_cast<const int64_t*>(offset_input.bytes());
        return encode(n, [&](int32_t* codes) {
            encode_utf8(table_, at, n, bytes, n_data, validity.value, codes);
        });
    }

    nb::object encode_view_array(nb::handle views, nb::list buffers, nb::handle valid,
                                 int64_t bit_offset) {
        const Input input(views, "views", 2);
        const char* rows = input.rows_of(1);
        if (input.width() != 16 || (input.length() > 1 && input.stride() != 16))
            throw nb::type_error("views must be a contiguous uint8 array of 16 columns");
        const ValidInput validity(valid, bit_offset);
        validity.check(input.length());
        std::vector<std::unique_ptr<Input>> inputs;
        std::vector<Bytes> bytes;
        for (nb::handle buffer : buffers) {
            inputs.push_back(std::make_unique<Input>(buffer, "buffers", 1));
            bytes.emplace_back(inputs.back()->packed_bytes(), inputs.back()->length());
        }
        return encode(input.length(), [&](int32_t* codes) {
            encode_views(table_, rows, input.length(), bytes, validity.value, codes);
        });
    }

private:
    struct ValidInput {
        ValidInput(nb::handle valid, int64_t bit_offset) {
            if (valid.is_none()) return;
            input.emplace(valid, "valid", 1);
            value = {reinterpret_cast<const uint8_t*>(input->packed_bytes()), input->length(),
                     bit_offset};
        }
        void check(int64_t n) const {
            if (!value.covers(n)) throw nb::value_error("valid has too few bits for these rows");
        }
        std::optional<Input> input;
        Validity value;
    };

    template <class Fill>
    nb::object encode(int64_t n, const Fill& fill) {
        std::unique_ptr<int32_t[]> codes = uninitialised<int32_t>(n);
        {
            const Turn turn(turns_);
            const Unlocked unlocked(n);
            fill(codes.get());
        }
        return owned(std::move(codes), n);
    }

    TextTable table_;
    Turns turns_;  // the GIL is not held while encoding
};

}  // namespace

void bind_encode(nb::module_& m) {
    m.def("encode_integers", encode_integer_array, nb::arg("array"),
          nb::arg("n_threads") = 1);
    nb::class_<TextEncoder>(m, "TextEncoder")
        .def(nb::init<>())
        .def("__len__", &TextEncoder::size)
        .def("labels", &TextEncoder::labels)
        .def(
            "encode_ucs4",
            [](TextEncoder& self, nb::handle array) { return self.encode_rows(array, true); },
            nb::arg("array"))
        .def(
            "encode_bytes",
            [](TextEncoder& self, nb::handle array) { return self.encode_rows(array, false); },
            nb::arg("array"))
        .def("encode_utf8", &TextEncoder::encode_offsets, nb::arg("offsets"), nb::arg("data"),
             nb::arg("valid").none() = nb::none(), nb::arg("bit_offset") = 0)
        .def("encode_views", &TextEncoder::encode_view_array, nb::arg("views"), nb::arg("buffers"),
             nb::arg("valid").none() = nb::none(), nb::arg("bit_offset") = 0);
}

}  // namespace karat
