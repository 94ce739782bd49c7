#include "kernels/copy_columns.hpp"

#include <algorithm>
#include <cstring>

namespace karat {
namespace {

constexpr int64_t kTile = 32;  // rows that stay in the first-level cache
constexpr int64_t kTaskRows = 512 * kTile;
constexpr int64_t kItemsForThreads = 200000;

// Asks for rows that are copied next: far apart, they would come one after the other.
void fetch(const char* corner, const Scores& scores, int64_t count, int64_t n_rows) {
    constexpr int64_t kLine = 64;
    const int64_t step = scores.column_stride, across = (count - 1) * step;
    if (step < 0 || step > kLine || scores.row_stride < across) return;
    for (int64_t row = 0; row < n_rows; ++row, corner += scores.row_stride) {
        for (int64_t at = 0; at < across; at += kLine) __builtin_prefetch(corner + at);
        __builtin_prefetch(corner + across);
    }
}

template <class Item>
void copy_rows(const Scores& scores, int64_t first, int64_t count, int64_t from, int64_t to,
               Item* out) {
    for (int64_t row = from; row < to; row += kTile) {
        const int64_t last = std::min(to, row + kTile);
        const char* corner = scores.data + first * scores.column_stride;
        fetch(corner + last * scores.row_stride, scores, count, std::min(to - last, kTile));
        for (int64_t c = 0; c < count; ++c, corner += scores.column_stride) {
            const char* at = corner + row * scores.row_stride;
            Item* column = out + c * scores.n_rows;
            for (int64_t r = row; r < last; ++r, at += scores.row_stride)
                std::memcpy(column + r, at, sizeof(Item));
        }
    }
}

}  // namespace

void copy_columns(const Scores& scores, int64_t first, int64_t count, void* out, int n_threads,
                  Poll poll) {
    // Rows may be as many as no memory holds: of nothing each, with strides of 0.
    if (count == 0) return;
    const int64_t n = scores.n_rows;
    const auto copy = [&](int, int64_t task) {
        const int64_t from = task * kTaskRows, to = std::min(n, from + kTaskRows);
        if (scores.is_double) {
            copy_rows(scores, first, count, from, to, static_cast<uint64_t*>(out));
        } else {
            copy_rows(scores, first, count, from, to, static_cast<uint32_t*>(out));
        }
    };
    const int n_slots = n * count < kItemsForThreads ? 1 : thread_limit(n_threads);
    parallel(n_slots, (n + kTaskRows - 1) / kTaskRows, copy, poll);
}

}  // namespace karat
