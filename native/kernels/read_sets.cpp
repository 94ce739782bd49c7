#include "kernels/read_sets.hpp"

#include <algorithm>
#include <cstring>

namespace karat {
namespace {

constexpr int64_t kWord = 64;  // cells whose marks are the bits of one word
constexpr int64_t kTileWords = 16384;
constexpr int64_t kTaskCells = int64_t{1} << 18;
constexpr int64_t kCellsForThreads = 1000000;

// Cells of one type by their bits. 1 is kOne, whose bit kShift 0 does not have; 0 may have the
// sign of kSign; with another sign, more than kInfinite is NaN.
template <class Bits_, Bits_ one, int shift, Bits_ sign, Bits_ infinite>
struct Cells {
    using Bits = Bits_;
    static constexpr Bits kOne = one, kUnsigned = static_cast<Bits>(~sign), kInfinite = infinite;
    static constexpr int kShift = shift;

    static Bits at(const char* place) {
        Bits bits;
        std::memcpy(&bits, place, sizeof bits);
        return bits;
    }
    static Bits mark(Bits cell) { return static_cast<Bits>(cell >> kShift & 1); }
    // Bits that neither 0 nor 1 has: 0 when it is one of them.
    static Bits strange(Bits cell) {
        const Bits all = static_cast<Bits>(0 - mark(cell));
        return static_cast<Bits>((cell & (all | kUnsigned)) ^ (all & kOne));
    }
    static bool is_nan(Bits cell) { return (cell & kUnsigned) > kInfinite; }
};

template <class Bits>
using Whole = Cells<Bits, 1, 0, 0, static_cast<Bits>(~Bits{0})>;
using Half = Cells<uint16_t, 0x3c00, 10, 0x8000, 0x7c00>;
using Single = Cells<uint32_t, 0x3f800000, 23, 0x80000000, 0x7f800000>;
using Double = Cells<uint64_t, 0x3ff0000000000000, 52, 0x8000000000000000, 0x7ff0000000000000>;

// What a stretch of rows holds.
struct Part {
    std::vector<int32_t> items;
    int64_t size = 0;
    std::vector<int64_t> unknown_rows;
    std::vector<int32_t> unknown_items;
    int64_t n_others = 0, row = -1, column = -1;

    int32_t* room(int64_t n) {
        const auto wanted = static_cast<size_t>(size + n);
        if (wanted > items.size()) items.resize(std::max(wanted, 2 * items.size()));
        return items.data() + size;
    }
};

// Eight bytes of 0 and 1 as bits, the first one lowest.
uint64_t packed(const uint8_t* bytes) {
    uint64_t eight = 0;
    for (int i = 0; i < 8; ++i) eight |= uint64_t{bytes[i]} << (8 * i);
    return eight * 0x0102040810204080 >> 56;
}

template <class Cell>
uint64_t marks_beside(const char* at, int64_t n, typename Cell::Bits* strange) {
    uint8_t bytes[kWord];
    typename Cell::Bits found = 0;
    const auto read = [&](int64_t j) {
        const auto cell = Cell::at(at + j * static_cast<int64_t>(sizeof(typename Cell::Bits)));
        bytes[j] = static_cast<uint8_t>(Cell::mark(cell));
        found |= Cell::strange(cell);
    };
    if (n == kWord) {
        for (int64_t j = 0; j < kWord; ++j) read(j);
    } else {
        for (int64_t j = 0; j < n; ++j) read(j);
        std::fill(bytes + n, bytes + kWord, uint8_t{0});
    }
    *strange |= found;
    uint64_t marks = 0;
    for (int64_t j = 0; j < kWord; j += 8) marks |= packed(bytes + j) << j;
    return marks;
}

// Marks of up to 64 rows in up to 64 columns, column by column.
template <class Cell>
void marks_below(const Indicator& matrix, const char* corner, int64_t n_rows, int64_t n_columns,
                 uint64_t* marks, typename Cell::Bits* strange) {
    using Bits = typename Cell::Bits;
    Bits found = 0;
    std::fill(marks, marks + n_rows, uint64_t{0});
    for (int64_t j = 0; j < n_columns; ++j, corner += matrix.column_stride) {
        const auto read = [&](int64_t r, int64_t stride) {
            const Bits cell = Cell::at(corner + r * stride);
            marks[r] |= static_cast<uint64_t>(Cell::mark(cell)) << j;
            found |= Cell::strange(cell);
        };
        if (matrix.row_stride == static_cast<int64_t>(sizeof(Bits)))
            for (int64_t r = 0; r < n_rows; ++r) read(r, sizeof(Bits));
        else
            for (int64_t r = 0; r < n_rows; ++r) read(r, matrix.row_stride);
    }
    *strange |= found;
}

// Cell by cell, where some of a row are neither 0 nor 1.
template <class Cell>
void read_row(const Indicator& matrix, int64_t row, Part& part) {
    const char* at = matrix.data + row * matrix.row_stride;
    for (int64_t j = 0; j < matrix.k; ++j, at += matrix.column_stride) {
        const auto cell = Cell::at(at);
        if (Cell::strange(cell) == 0) {
            if (Cell::mark(cell) == 0) continue;
            *part.room(1) = static_cast<int32_t>(j);
            ++part.size;
        } else if (Cell::is_nan(cell)) {
            part.unknown_rows.push_back(row);
            part.unknown_items.push_back(static_cast<int32_t>(j));
        } else if (part.n_others++ == 0) {
            part.row = row;
            part.column = j;
        }
    }
}

template <class Cell>
void read_rows(const Indicator& matrix, int64_t first, int64_t last, int64_t* sizes, Part& part) {
    using Bits = typename Cell::Bits;
    const int64_t n_words = (matrix.k + kWord - 1) / kWord;
    const int64_t tile = std::clamp<int64_t>(kTileWords / std::max<int64_t>(n_words, 1), 1, kWord);
    const bool is_beside = matrix.column_stride == static_cast<int64_t>(sizeof(Bits));
    std::vector<uint64_t> marks(static_cast<size_t>(tile * n_words));
    uint64_t below[kWord];
    for (int64_t row = first; row < last; row += tile) {
        const int64_t n_rows = std::min(tile, last - row);
        Bits strange = 0;
        const char* corner = matrix.data + row * matrix.row_stride;
        if (is_beside) {
            for (int64_t r = 0; r < n_rows; ++r, corner += matrix.row_stride)
                for (int64_t w = 0; w < n_words; ++w)
                    marks[r * n_words + w] = marks_beside<Cell>(corner + w * kWord * matrix.column_stride,
                                                                std::min(kWord, matrix.k - w * kWord), &strange);
        } else {
            for (int64_t w = 0; w < n_words; ++w) {
                marks_below<Cell>(matrix, corner + w * kWord * matrix.column_stride, n_rows,
                                  std::min(kWord, matrix.k - w * kWord), below, &strange);
                for (int64_t r = 0; r < n_rows; ++r) marks[r * n_words + w] = below[r];
            }
        }
        for (int64_t r = 0; r < n_rows; ++r) {
            const int64_t before = part.size;
            if (strange != 0) {
                read_row<Cell>(matrix, row + r, part);
            } else {
                for (int64_t w = 0; w < n_words; ++w) {
                    uint64_t left = marks[r * n_words + w];
                    if (left == 0) continue;
                    int32_t *const start = part.room(kWord), *to = start;
                    for (; left != 0; left &= left - 1)
                        *to++ = static_cast<int32_t>(w * kWord + __builtin_ctzll(left));
                    part.size += to - start;
                }
            }
            sizes[row + r] = part.size - before;
        }
    }
}

using ReadRows = void (*)(const Indicator&, int64_t, int64_t, int64_t*, Part&);
constexpr ReadRows kReadRows[] = {read_rows<Whole<uint8_t>>,  read_rows<Whole<uint16_t>>,
                                  read_rows<Whole<uint32_t>>, read_rows<Whole<uint64_t>>,
                                  read_rows<Half>,            read_rows<Single>,
                                  read_rows<Double>};

}  // namespace

ReadSets read_sets(const Indicator& matrix, int n_threads, Poll poll) {
    ReadSets found;
    const int64_t n = matrix.n;
    // First of all: of a broadcast row there may be more than any memory holds.
    found.ones.starts.resize(static_cast<size_t>(n) + 1);
    int64_t* const starts = found.ones.starts.data();
    if (matrix.k == 0) return found;
    const int64_t rows_of_task = std::max<int64_t>(kTaskCells / matrix.k / kWord, 1) * kWord;
    const int64_t n_tasks = (n + rows_of_task - 1) / rows_of_task;
    std::vector<Part> parts(static_cast<size_t>(n_tasks));
    const auto read = [&](int, int64_t task) {
        const int64_t first = task * rows_of_task;
        kReadRows[static_cast<int>(matrix.kind)](matrix, first, std::min(n, first + rows_of_task),
                                                 starts + 1, parts[task]);
    };
    const bool is_long = n > kCellsForThreads / matrix.k;
    parallel(is_long ? thread_limit(n_threads) : 1, n_tasks, read, poll);
    for (int64_t i = 0; i < n; ++i) starts[i + 1] += starts[i];
    found.ones.items.reserve(static_cast<size_t>(starts[n]));
    for (const Part& part : parts) {
        found.ones.items.insert(found.ones.items.end(), part.items.begin(), part.items.begin() + part.size);
        if (found.n_others == 0) {
            found.row = part.row;
            found.column = part.column;
        }
        found.n_others += part.n_others;
        if (part.unknown_rows.empty()) continue;
        found.unknown.starts.resize(static_cast<size_t>(n) + 1);
        for (const int64_t row : part.unknown_rows) ++found.unknown.starts[row + 1];
        found.unknown.items.insert(found.unknown.items.end(), part.unknown_items.begin(), part.unknown_items.end());
    }
    for (size_t i = 1; i < found.unknown.starts.size(); ++i) found.unknown.starts[i] += found.unknown.starts[i - 1];
    return found;
}

}  // namespace karat
