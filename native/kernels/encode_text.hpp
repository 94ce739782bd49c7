// Columns of text as codes: fixed-width UCS-4 and bytes (NumPy), offsets and views (Arrow).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/text_table.hpp"

namespace karat {

// Which rows are null: bit (offset + i) of bits is 0. No bits: none.
struct Validity {
    const uint8_t* bits = nullptr;
    int64_t n_bytes = 0;
    int64_t offset = 0;

    // Whether there are bits for rows [0, n).
    bool covers(int64_t n) const {
        return bits == nullptr || (offset >= 0 && n <= n_bytes * 8 && offset <= n_bytes * 8 - n);
    }
    bool is_null(int64_t i) const {
        return bits != nullptr && ((bits[(offset + i) >> 3] >> ((offset + i) & 7)) & 1) == 0;
    }
};

// One row is `width` code points, its trailing zeros no part of the text. row_stride in bytes.
// Throws Rejected("range") for a row with a code point beyond 0x10FFFF.
void encode_ucs4(TextTable& table, const char* rows, int64_t n, int64_t width, int64_t row_stride,
                 int32_t* codes);

// The same for rows of bytes.
void encode_bytes(TextTable& table, const char* rows, int64_t n, int64_t width, int64_t row_stride,
                  int32_t* codes);

// Row i is data[offsets[i], offsets[i + 1]); a null row gets -1. Throws Rejected("range") for the
// first row whose offsets descend or leave the data.
template <class Offset>
void encode_utf8(TextTable& table, const Offset* offsets, int64_t n, const char* data,
                 int64_t n_data, Validity validity, int32_t* codes);

// Arrow string views: int32 length, then 12 bytes of text, or 4 of prefix, int32 buffer, int32
// offset. Throws Rejected("range") for the first row that leaves its buffer.
using Bytes = std::pair<const char*, int64_t>;
void encode_views(TextTable& table, const char* views, int64_t n, const std::vector<Bytes>& buffers,
                  Validity validity, int32_t* codes);

}  // namespace karat
