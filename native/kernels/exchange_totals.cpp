#include "kernels/exchange_totals.hpp"

#include <algorithm>
#include <vector>

namespace karat {
namespace {

// Sums modulo 2^64 of one replicate; or of two, each in 32 bits, so that a cell is read once for both.
using Word = uint64_t;

Word bit_of(uint8_t byte, int64_t i) { return byte >> (7 - i) & 1; }

// Rows that each total of the first model gains; `other` is the second of two replicates, or null.
void gather(const Exchanged& cells, const uint8_t* bits, const uint8_t* other_bits, const int64_t* heads,
            const int64_t* other_heads, Word* gained) {
    const auto move = [&](int64_t i, Word n) {
        gained[cells.out[i]] -= n;
        gained[cells.into[i]] += n;
    };
    for (int64_t first = 0, byte = 0; first < cells.n_bits; first += 8, ++byte) {
        const int64_t end = std::min<int64_t>(cells.n_bits - first, 8);
        const uint8_t one = bits[byte], other = other_bits ? other_bits[byte] : uint8_t{0};
        // Without a branch: no processor predicts a coin.
        for (int64_t i = 0; i < end; ++i) move(first + i, bit_of(one, i) | bit_of(other, i) << 32);
    }
    for (int64_t i = 0; i < cells.n_heads; ++i) {
        const Word other = other_heads ? static_cast<Word>(other_heads[i]) << 32 : 0;
        move(cells.n_bits + i, static_cast<Word>(heads[i]) + other);
    }
}

// The tables of both models in replicate `at`; gained(i) is what total i of the first model gains.
template <class Gained>
void write(Gained gained, const double* totals, const double* rows, int64_t at, int64_t r, int64_t k, double* tables) {
    for (int64_t model = 0; model < 2; ++model) {
        const double sign = model ? -1.0 : 1.0;
        const double* own = totals + model * 2 * k;
        double* tp = tables + (model * r + at) * k;
        double *fp = tp + 2 * r * k, *fn = fp + 2 * r * k;
        for (int64_t i = 0; i < k; ++i) tp[i] = own[i] + sign * gained(i);
        for (int64_t i = 0; i < k; ++i) fp[i] = own[k + i] + sign * gained(k + i);
        for (int64_t i = 0; i < k; ++i) fn[i] = rows[i] - tp[i];
    }
}

}  // namespace

void exchange_totals(const Exchanged& cells, const uint8_t* bits, const int64_t* heads, bool are_few,
                     const double* totals, const double* rows, int64_t r, int64_t k, double* tables) {
    const int64_t width = (cells.n_bits + 7) / 8;
    std::vector<Word> gained(static_cast<size_t>(2 * k));
    const Word* const word = gained.data();
    for (int64_t at = 0; at < r;) {
        const bool are_two = are_few && at + 1 < r;
        std::fill(gained.begin(), gained.end(), 0);
        const uint8_t* const own_bits = bits + at * width;
        const int64_t* const own_heads = heads + at * cells.n_heads;
        gather(cells, own_bits, are_two ? own_bits + width : nullptr, own_heads,
               are_two ? own_heads + cells.n_heads : nullptr, gained.data());
        if (!are_two) {
            write([&](int64_t i) { return static_cast<double>(static_cast<int64_t>(word[i])); }, totals, rows, at++, r,
                  k, tables);
            continue;
        }
        const auto low = [&](int64_t i) { return static_cast<int32_t>(static_cast<uint32_t>(word[i])); };
        write([&](int64_t i) { return static_cast<double>(low(i)); }, totals, rows, at++, r, k, tables);
        // A negative number below has taken one from the one above.
        write([&](int64_t i) { return static_cast<double>(static_cast<int32_t>(
                  static_cast<uint32_t>((word[i] - static_cast<Word>(int64_t{low(i)})) >> 32))); },
              totals, rows, at++, r, k, tables);
    }
}

}  // namespace karat
