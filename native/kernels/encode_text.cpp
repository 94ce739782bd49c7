#include "kernels/encode_text.hpp"

#include <algorithm>
#include <cstring>

#include "kernels/choose_isa.hpp"
#include "kernels/rejected.hpp"

namespace karat {
namespace {

// Bytes after the end of a buffer that may be read (and are ignored).
constexpr int64_t kSlack = 16;
// Text that is looked at while it is in the first-level cache.
constexpr int64_t kBlockBytes = 8192;
constexpr int64_t kPrefetchRows = 64;

uint64_t first_bytes(uint64_t word, int64_t n) {
    return n >= 8 ? word : n <= 0 ? 0 : word & ((uint64_t{1} << (8 * n)) - 1);
}

// Bytes up to the last that is not 0.
int64_t used_bytes(uint64_t word) { return word == 0 ? 0 : 8 - (__builtin_clzll(word) >> 3); }
int64_t used_bytes(ShortText text) {
    return text.high != 0 ? 8 + used_bytes(text.high) : used_bytes(text.low);
}

// Codes of the short texts met lately. A column repeats few labels, and this finds one in a third
// of the instructions that the table takes.
class RecentTexts {
public:
    // Within one array of fixed width the bytes of a text determine its length.
    static constexpr int64_t kByBytes = -1;

    explicit RecentTexts(TextTable& table) : table_(table) {}

    int32_t code_of(ShortText text, int64_t length) {
        Entry& entry =
            entries_[(text.low * 0x9e3779b97f4a7c15u + text.high * 0xd6e8feb86659fd93u) >> kShift];
        if (entry.text.low != text.low || entry.text.high != text.high || entry.length != length)
            entry = {text, length,
                     table_.code_of(text, length == kByBytes ? used_bytes(text) : length)};
        return entry.code;
    }

private:
    static constexpr int kShift = 56;
    static constexpr int64_t kFree = -2;
    struct Entry {
        ShortText text;
        int64_t length = kFree;
        int32_t code = 0;
    };
    TextTable& table_;
    Entry entries_[size_t{1} << (64 - kShift)];
};

// Rows of fixed width; kSlack bytes can be read beyond the last.
class FixedRows {
public:
    FixedRows(TextTable& table, int64_t width) : table_(table), recent_(table), width_(width) {}

    void encode(const char* rows, int64_t n, int64_t stride, int32_t* codes) {
        if (width_ > 16)
            encode_long(rows, n, stride, codes);
        else if (width_ > 8)
            encode_short<true>(rows, n, stride, codes);
        else
            encode_short<false>(rows, n, stride, codes);
    }

private:
    template <bool kHasHigh>
    void encode_short(const char* rows, int64_t n, int64_t stride, int32_t* codes) {
        const uint64_t low_mask = first_bytes(~uint64_t{0}, width_),
                       high_mask = first_bytes(~uint64_t{0}, width_ - 8);
        for (int64_t i = 0; i < n; ++i, rows += stride) {
            ShortText text;
            std::memcpy(&text.low, rows, 8);
            text.low &= low_mask;
            if (kHasHigh) {
                std::memcpy(&text.high, rows + 8, 8);
                text.high &= high_mask;
            }
            codes[i] = recent_.code_of(text, RecentTexts::kByBytes);
        }
    }

    void encode_long(const char* rows, int64_t n, int64_t stride, int32_t* codes) {
        for (int64_t i = 0; i < n; ++i, rows += stride) {
            int64_t length = width_;
            while (length > 0 && rows[length - 1] == '\0') --length;
            codes[i] = table_.code_of(rows, length);
        }
    }

    TextTable& table_;
    RecentTexts recent_;
    int64_t width_;
};

int64_t put_utf8(uint32_t point, char* out) {
    const auto tail = [&](int shift) {
        return static_cast<char>(0x80 | ((point >> shift) & 0x3f));
    };
    if (point < 0x80) {
        out[0] = static_cast<char>(point);
        return 1;
    }
    if (point < 0x800) {
        out[0] = static_cast<char>(0xc0 | (point >> 6));
        out[1] = tail(0);
        return 2;
    }
    if (point < 0x10000) {
        out[0] = static_cast<char>(0xe0 | (point >> 12));
        out[1] = tail(6);
        out[2] = tail(0);
        return 3;
    }
    out[0] = static_cast<char>(0xf0 | (point >> 18));
    out[1] = tail(12);
    out[2] = tail(6);
    out[3] = tail(0);
    return 4;
}

// A row with other than ASCII characters; `text` has room for 4·width bytes.
int32_t encode_wide_row(TextTable& table, const char* row, int64_t width, char* text,
                        int64_t index) {
    const auto point = [&](int64_t i) {
        uint32_t value;
        std::memcpy(&value, row + 4 * i, 4);
        return value;
    };
    while (width > 0 && point(width - 1) == 0) --width;
    int64_t length = 0;
    for (int64_t i = 0; i < width; ++i) {
        if (point(i) > 0x10ffff) throw Rejected("range", Argument::truth, index);
        length += put_utf8(point(i), text + length);
    }
    return table.code_of(text, length);
}

}  // namespace

void encode_ucs4(TextTable& table, const char* rows, int64_t n, int64_t width, int64_t row_stride,
                 int32_t* codes) {
    if (width == 0) {
        if (n > 0) std::fill_n(codes, n, table.code_of("", 0));
        return;
    }
    const int64_t step = std::max<int64_t>(1, kBlockBytes / width);
    const bool is_packed = row_stride == 4 * width;
    std::vector<char> ascii(static_cast<size_t>(step * width + kSlack)),
        text(static_cast<size_t>(4 * width));
    uint8_t* narrow = reinterpret_cast<uint8_t*>(ascii.data());
    FixedRows fixed(table, width);
    for (int64_t first = 0; first < n; first += step) {
        const int64_t m = std::min(step, n - first);
        const char* block = rows + first * row_stride;
        uint32_t any = 0;
        if (is_packed)
            any = lanes().narrow(reinterpret_cast<const uint32_t*>(block), m * width, narrow);
        else
            for (int64_t i = 0; i < m; ++i)
                any |= lanes().narrow(reinterpret_cast<const uint32_t*>(block + i * row_stride),
                                      width, narrow + i * width);
        if (any >= 0x80) {
            for (int64_t i = 0; i < m; ++i)
                codes[first + i] =
                    encode_wide_row(table, block + i * row_stride, width, text.data(), first + i);
            continue;
        }
        // Looking up reads only the cache: fetch the next block meanwhile.
        for (int64_t i = 0; i < m; i += kPrefetchRows) {
            const int64_t rows_here = std::min(kPrefetchRows, m - i);
            const char* later = block + (step + i) * row_stride;
            if (is_packed && first + step + i + rows_here <= n)
                for (int64_t at = 0; at < rows_here * row_stride; at += 64)
                    __builtin_prefetch(later + at, 0, 2);
            fixed.encode(ascii.data() + i * width, rows_here, width, codes + first + i);
        }
    }
}

void encode_bytes(TextTable& table, const char* rows, int64_t n, int64_t width, int64_t row_stride,
                  int32_t* codes) {
    // The last rows are copied: kSlack bytes beyond them may not be ours to read. With rows of any
    // stride every row is.
    std::vector<char> copy(static_cast<size_t>(width + kSlack));
    FixedRows fixed(table, width);
    const int64_t safe =
        row_stride >= width && width > 0 ? std::max<int64_t>(0, n - 1 - kSlack / width) : 0;
    fixed.encode(rows, safe, row_stride, codes);
    for (int64_t i = safe; i < n; ++i) {
        std::memcpy(copy.data(), rows + i * row_stride, static_cast<size_t>(width));
        fixed.encode(copy.data(), 1, width, codes + i);
    }
}

template <class Offset>
void encode_utf8(TextTable& table, const Offset* offsets, int64_t n, const char* data,
                 int64_t n_data, Validity validity, int32_t* codes) {
    RecentTexts recent(table);
    for (int64_t i = 0; i < n; ++i) {
        const int64_t begin = offsets[i], end = offsets[i + 1];
        if (begin < 0 || end < begin || end > n_data) throw Rejected("range", Argument::truth, i);
        if (validity.is_null(i)) {
            codes[i] = -1;
            continue;
        }
        const int64_t length = end - begin;
        if (length <= 16 && begin + kSlack <= n_data) {
            ShortText text;
            std::memcpy(&text, data + begin, 16);
            text.low = first_bytes(text.low, length);
            text.high = first_bytes(text.high, length - 8);
            codes[i] = recent.code_of(text, length);
        } else {
            codes[i] = table.code_of(data + begin, length);
        }
    }
}

template void encode_utf8(TextTable&, const int32_t*, int64_t, const char*, int64_t, Validity,
                          int32_t*);
template void encode_utf8(TextTable&, const int64_t*, int64_t, const char*, int64_t, Validity,
                          int32_t*);

void encode_views(TextTable& table, const char* views, int64_t n, const std::vector<Bytes>& buffers,
                  Validity validity, int32_t* codes) {
    RecentTexts recent(table);
    for (int64_t i = 0; i < n; ++i) {
        const char* view = views + 16 * i;
        if (validity.is_null(i)) {
            codes[i] = -1;
            continue;
        }
        int32_t part[4];
        std::memcpy(part, view, 16);
        const int64_t length = part[0];
        if (length < 0) throw Rejected("range", Argument::truth, i);
        if (length <= 12) {
            ShortText text;
            std::memcpy(&text.low, view + 4, 8);
            std::memcpy(&text.high, view + 12, 4);
            text.low = first_bytes(text.low, length);
            text.high = first_bytes(text.high, length - 8);
            codes[i] = recent.code_of(text, length);
            continue;
        }
        const int64_t buffer = part[2], begin = part[3];
        if (buffer < 0 || buffer >= static_cast<int64_t>(buffers.size()) || begin < 0 ||
            length > buffers[buffer].second || begin > buffers[buffer].second - length)
            throw Rejected("range", Argument::truth, i);
        codes[i] = table.code_of(buffers[buffer].first + begin, length);
    }
}

}  // namespace karat
