#include "kernels/sort_short.hpp"

#include <algorithm>
#include <cstring>

#include "kernels/choose_isa.hpp"

namespace karat {
namespace {

constexpr int64_t kFewest = 32;    // fewer are inserted one by one
constexpr int kMostDigitBits = 10;  // 2^10 places to write to: as many lines as a first cache holds
// Bits looked at beyond those that would number the words: so few are left equal by chance.
constexpr int kSpareBits = 7;
constexpr int64_t kFreeMoves = 32;
constexpr int kMostValues = 8, kSampled = 32;
constexpr int64_t kFewestSampled = 8 * kSampled;

template <class Word>
void insert_all(Word* words, int64_t n) {
    for (int64_t i = 1; i < n; ++i) {
        const Word word = words[i];
        int64_t at = i;
        for (; at > 0 && words[at - 1] > word; --at) words[at] = words[at - 1];
        words[at] = word;
    }
}

// From numbers of words to the places of the first ones; then the words of each digit keep their order.
template <class Word>
void move_by(Digit digit, uint32_t* counts, const Word* from, Word* to, int64_t n) {
    uint32_t next = 0;
    for (uint32_t i = 0; i < digit.size(); ++i) {
        const uint32_t here = counts[i];
        counts[i] = next;
        next += here;
    }
    for (int64_t i = 0; i < n; ++i) {
        const Word word = from[i];
        to[counts[digit.of(word)]++] = word;
    }
}

// Whether some of n words is below the one before.
template <class Word>
bool falls(const Word* words, int64_t n) {
    Word some = 0;  // as wide as what is compared
    for (int64_t i = 0; i < n; ++i) some |= words[i] < words[i - 1];
    return some != 0;
}

template <class Word>
void copy_words(const Word* from, Word* to, int64_t n) {
    if (from != to) std::memcpy(to, from, static_cast<size_t>(n) * sizeof(Word));
}

}  // namespace

template <class Word>
Word varying_bits(const Word* words, int64_t n) {
    Word all = words[0], some = words[0];
    for (int64_t i = 0; i < n; ++i) {
        all &= words[i];
        some |= words[i];
    }
    return all ^ some;
}

template <class Word>
bool write_few_values(const Word* from, Word* to, int64_t n) {
    Word values[kMostValues];
    int64_t counts[kMostValues];
    int n_values = 0;
    if (n < kFewestSampled) return false;
    for (int64_t i = 0; i < kSampled; ++i) {
        const Word word = from[n / kSampled * i];
        if (std::find(values, values + n_values, word) != values + n_values) continue;
        if (n_values == kMostValues) return false;
        values[n_values++] = word;
    }
    insert_all(values, n_values);
    const auto count_equal = lanes().cumulative.count_equal[sizeof(Word) == 8];
    int64_t counted = 0;
    for (int value = 0; value < n_values; ++value) {
        counts[value] = count_equal(from, n, values[value]);
        counted += counts[value];
    }
    if (counted != n) return false;
    for (int value = 0; value < n_values; ++value) to = std::fill_n(to, counts[value], values[value]);
    return true;
}

template <class Word>
bool settle_few(Word* words, int64_t n, int64_t free) {
    constexpr int64_t kTogether = 32;
    int64_t moves = 0;
    for (int64_t first = 1, last; first < n; first = last) {
        last = std::min(n, first + kTogether);
        if (last - first == kTogether && !falls(words + first, kTogether)) continue;
        for (int64_t i = first; i < last; ++i) {
            const Word word = words[i];
            if (word >= words[i - 1]) continue;
            const int64_t most = free + i / 4;
            int64_t at = i;
            do {
                words[at] = words[at - 1];
                --at;
                ++moves;
            } while (at > 0 && words[at - 1] > word && moves <= most);
            words[at] = word;
            if (moves > most) return false;
        }
    }
    return true;
}

template <class Word>
void sort_short(const Word* from, Word* to, Word* room, int64_t n, Word varying) {
    if (n <= kFewest) {
        copy_words(from, to, n);
        return insert_all(to, n);
    }
    if (write_few_values(from, to, n)) return;
    if (varying == 0) return copy_words(from, to, n);
    const int low = __builtin_ctzll(varying), high = top_bit(varying) + 1;
    const int enough = top_bit(static_cast<uint64_t>(n)) + 1;
    uint32_t counts[2][1 << kMostDigitBits];
    if (high - low <= std::min(enough, kMostDigitBits)) {
        // The digit is all that there is to say of a word.
        const Digit digit{low, high - low};
        std::fill_n(counts[0], digit.size(), 0);
        for (int64_t i = 0; i < n; ++i) ++counts[0][digit.of(from[i])];
        const Word rest = digit.rest(from[0]);
        for (uint32_t i = 0; i < digit.size(); ++i)
            to = std::fill_n(to, counts[0][i], static_cast<Word>(rest | Word{i} << low));
        return;
    }
    const int width = std::min(kMostDigitBits,
                               (std::min(high - low, enough + kSpareBits) + 1) / 2);
    const Digit upper{high - width, width};
    const int lowest = std::max(low, upper.shift - width);
    const Digit lower{lowest, upper.shift - lowest};
    std::fill_n(counts[0], lower.size(), 0);
    std::fill_n(counts[1], upper.size(), 0);
    for (int64_t i = 0; i < n; ++i) {
        ++counts[0][lower.of(from[i])];
        ++counts[1][upper.of(from[i])];
    }
    move_by(lower, counts[0], from, room, n);
    move_by(upper, counts[1], room, to, n);
    if (lowest == low || settle_few(to, n, kFreeMoves)) return;
    // Many agree in both digits.
    for (int64_t first = 0, last; first < n; first = last) {
        for (last = first + 1; last < n && (to[last] ^ to[first]) >> lowest == 0;) ++last;
        Word* here = to + first;
        if (last - first > 1)
            sort_short(here, here, room, last - first, varying_bits(here, last - first));
    }
}

template uint32_t varying_bits(const uint32_t*, int64_t);
template uint64_t varying_bits(const uint64_t*, int64_t);
template bool write_few_values(const uint32_t*, uint32_t*, int64_t);
template bool write_few_values(const uint64_t*, uint64_t*, int64_t);
template bool settle_few(uint32_t*, int64_t, int64_t);
template bool settle_few(uint64_t*, int64_t, int64_t);
template void sort_short(const uint32_t*, uint32_t*, uint32_t*, int64_t, uint32_t);
template void sort_short(const uint64_t*, uint64_t*, uint64_t*, int64_t, uint64_t);

}  // namespace karat
