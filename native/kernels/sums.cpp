#include "kernels/sums.hpp"

#include <algorithm>

namespace karat {
namespace {

// Where the runs of entries of a table lie in the table of a wider window: calls
// run(from, to, length) for each run.
template <class Run>
void each_run(Layout layout, Window from, Window to, const Run& run) {
    const int64_t shift = from.base - to.base, width = from.width, wide = to.width;
    if (layout == Layout::cells) {
        for (int64_t row = 0; row < width; ++row)
            run(row * width, (row + shift) * wide + shift, width);
    } else {
        run(0, 2 * shift, 2 * width);
        run(2 * width, 2 * wide + 2 * shift, 2 * width);
    }
}

template <class T>
void move_to(std::vector<T>& table, Layout layout, Window from, Window to) {
    if (table.empty()) return;
    std::vector<T> wide(static_cast<size_t>(table_size(layout, to.width)));
    each_run(layout, from, to, [&](int64_t at, int64_t goal, int64_t length) {
        std::copy_n(table.begin() + at, length, wide.begin() + goal);
    });
    table = std::move(wide);
}

template <class T>
void add_to(std::vector<T>& table, const std::vector<T>& other, Layout layout, Window from,
            Window to) {
    if (other.empty()) return;
    each_run(layout, from, to, [&](int64_t at, int64_t goal, int64_t length) {
        for (int64_t i = 0; i < length; ++i) merge(table[goal + i], other[at + i]);
    });
}

}  // namespace

void Sums::widen(Layout layout, Window to) {
    if (to.base == window.base && to.width == window.width) return;
    move_to(rows, layout, window, to);
    move_to(weighted, layout, window, to);
    window = to;
}

void Sums::add(Layout layout, const Sums& other) {
    if (other.is_empty()) return;
    if (is_empty()) {
        *this = other;
        return;
    }
    widen(layout, hull(window, other.window));
    add_to(rows, other.rows, layout, other.window, window);
    add_to(weighted, other.weighted, layout, other.window, window);
}

Window hull(Window a, Window b) {
    if (a.width == 0) return b;
    if (b.width == 0) return a;
    const int64_t base = std::min(a.base, b.base);
    const int64_t last = std::max(a.base + (a.width - 1), b.base + (b.width - 1));
    return {base, static_cast<uint32_t>(last - base + 1)};
}

}  // namespace karat
