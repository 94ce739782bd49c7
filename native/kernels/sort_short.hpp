// Words that lie in the cache of a core, in their order.
#pragma once

#include <cstdint>

namespace karat {

// The most words that `sort_short` is for: more do not fit beside their copy.
constexpr int64_t kMostShort = 32768;

// A digit of words: `width` bits from `shift` on. Loops take copies: what they write might else be it.
struct Digit {
    int shift = 0, width = 0;

    uint32_t size() const { return uint32_t{1} << width; }
    template <class Word>
    uint32_t of(Word word) const {
        return static_cast<uint32_t>(word >> shift) & (size() - 1);
    }
    // A word without the digit and what is below.
    template <class Word>
    Word rest(Word word) const {
        return word & ~(static_cast<Word>(size() - 1) << shift);
    }
};

// The bits in which some of n >= 1 words differ. Of uint32 and uint64, as all of these.
template <class Word>
Word varying_bits(const Word* words, int64_t n);

// The number of the highest bit that is set, of some.
inline int top_bit(uint64_t bits) { return 63 - __builtin_clzll(bits); }

// Writes the words to `to`, which may be `from`, in their order and returns true, where they have a
// handful of values: of scores with few digits. Each value is counted for itself, which vectors do
// well and tables of counts do badly.
template <class Word>
bool write_few_values(const Word* from, Word* to, int64_t n);

// Puts words that are out of order where they belong, and stops when that took more than free + n / 4
// moves by the time n words were read. Whether all are in order now.
template <class Word>
bool settle_few(Word* words, int64_t n, int64_t free);

// The words from `from` to `to` in their order, both of n and maybe the same; `room` for n others.
// They differ in no bits but `varying`; the fewer there are, the better. The words in `from` are read
// twice: nobody may write to them meanwhile.
template <class Word>
void sort_short(const Word* from, Word* to, Word* room, int64_t n, Word varying);

}  // namespace karat
