// Sums of lines of the cache, for lanes_source.hpp only.

#include "kernels/lanes_lines.hpp"

namespace {

template <class T, int kWidth>
void add_lines(const uint32_t* cells, const T* lines, int64_t n, T* table) {
    constexpr int kItems = karat::kLineBytes / int(sizeof(T));
    // The compiler divides a line that is wider than its vectors.
    using Line = typename Vector<T, kItems>::type;
    for (int64_t i = 0; i < n; ++i) {
        T* to = table + int64_t{cells[i]} * (kWidth * kItems);
        const T* from = lines + i * (kWidth * kItems);
#pragma GCC unroll 2
        for (int line = 0; line < kWidth; ++line)
            store(to + line * kItems, load<Line>(to + line * kItems) + load<Line>(from + line * kItems));
    }
}

void add_doubles(const uint32_t* cells, const double* lines, int64_t n, int width, double* table) {
    if (width == 1)
        add_lines<double, 1>(cells, lines, n, table);
    else
        add_lines<double, 2>(cells, lines, n, table);
}

constexpr karat::LineLanes kLineLanes = {add_doubles, add_lines<uint16_t, 1>};

}  // namespace
