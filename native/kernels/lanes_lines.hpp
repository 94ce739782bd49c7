// The vector kernels that add lines of the cache to the cells of a table.
#pragma once

#include <cstdint>

namespace karat {

constexpr int kLineBytes = 64;

struct LineLanes {
    // table[cells[i]] += lines[i] for n rows of `width` lines, of doubles.
    void (*add_doubles)(const uint32_t* cells, const double* lines, int64_t n, int width, double* table);
    // The same of lines of 32 numbers of 16 bits, modulo 2^16; width is 1.
    void (*add_counts)(const uint32_t* cells, const uint16_t* lines, int64_t n, uint16_t* table);
};

}  // namespace karat
