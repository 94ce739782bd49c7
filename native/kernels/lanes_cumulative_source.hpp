// Sortable words of scores, for lanes_source.hpp only.

namespace {

using karat::FloatSpan;
using karat::KeyLayout;

template <int kBytes>
struct FloatLanes;
template <>
struct FloatLanes<4> {
    using Int = int32_t;
    using Word = uint32_t;
    using Ints = Vector<int32_t, kLanes32>::type;
    using Words = U32;
    static constexpr int n = kLanes32;
    static constexpr Int most = 0x7fffffff;
};
template <>
struct FloatLanes<8> {
    using Int = int64_t;
    using Word = uint64_t;
    using Ints = Vector<int64_t, kLanes64>::type;
    using Words = U64;
    static constexpr int n = kLanes64;
    static constexpr Int most = 0x7fffffffffffffff;
};

// Calls body(i, vectors of items i to i + lanes) for all n items; the last ones come in a vector
// that `pad` fills up. Returns nothing read beyond the end.
template <class L, class Body>
inline void each_vector(const void* x, int64_t n, typename L::Int pad, const Body& body) {
    using Int = typename L::Int;
    const Int* in = static_cast<const Int*>(x);
    int64_t i = 0;
    for (; i + L::n <= n; i += L::n) body(i, L::n, load<typename L::Ints>(in + i));
    if (i == n) return;
    Int rest[L::n];
    for (int j = 0; j < L::n; ++j) rest[j] = i + j < n ? in[i + j] : pad;
    body(i, int(n - i), load<typename L::Ints>(rest));
}

template <int kBytes>
void float_span(const void* x, int64_t n, FloatSpan* span) {
    using L = FloatLanes<kBytes>;
    using Int = typename L::Int;
    using Ints = typename L::Ints;
    Int first;
    __builtin_memcpy(&first, x, sizeof first);
    const Int ordered_first = first < 0 ? first ^ L::most : first;
    Ints least = Ints{} + ordered_first, most = least, small = Ints{} + L::most, bits = {};
    each_vector<L>(x, n, first, [&](int64_t, int, Ints b) {
        const Ints ordered = b ^ ((b < 0) & L::most);
        least = smaller(least, ordered);
        most = larger(most, ordered);
        // Zero wraps around to the largest number.
        small = smaller(small, ((b & L::most) - 1) & L::most);
        bits |= b;
    });
    span->least = smallest<Int, L::n>(least);
    span->most = largest<Int, L::n>(most);
    span->small = smallest<Int, L::n>(small);
    span->bits = static_cast<typename L::Word>(all_bits<Int, L::n>(bits));
}

uint32_t class_slots(const int32_t* codes, int64_t n, uint32_t own, uint32_t last, uint32_t* out) {
    U32 top = {};
    each_vector<FloatLanes<4>>(codes, n, 0, [&](int64_t i, int count, FloatLanes<4>::Ints v) {
        const U32 code = reinterpret_cast<U32>(v);
        top = larger(top, code);
        // A true comparison is all ones: −1.
        const U32 below = code + reinterpret_cast<U32>(code > own);
        const U32 slots = code == own ? U32{} + last : below;
        if (count == kLanes32) {
            store(out + i, slots);
        } else {
            __builtin_memcpy(out + i, &slots, sizeof(uint32_t) * unsigned(count));
        }
    });
    return largest<uint32_t, kLanes32>(top);
}

// Words from keys that were cut: the key above, the slot and the row below.
template <class Words, class Word>
inline Words words_of(Words key, Words slots, Word first, const KeyLayout& layout) {
    const Words words =
        (key << Word(layout.below())) | (slots << Word(layout.row_bits));
    if constexpr (sizeof(Word) == 4) {
        return words;  // which have no room for rows
    } else {
        if (!layout.has_rows) return words;
        Words rows;
        for (int lane = 0; lane < int(sizeof(Words) / sizeof(Word)); ++lane)
            rows[lane] = first + Word(lane);
        return words | rows;
    }
}

template <int kBytes, class Word>
void pack_scores(const void* x, const uint32_t* slots, int64_t n, int64_t first,
                 const KeyLayout& layout, void* out) {
    using L = FloatLanes<kBytes>;
    using Int = typename L::Int;
    using Ints = typename L::Ints;
    // As many words as there are scores in a vector; the compiler divides what is too wide.
    using Words = typename Vector<Word, L::n>::type;
    using Unsigned = typename L::Words;
    const Int floor = Int(layout.floor), zeros = Int(layout.zeros);
    const typename L::Word lowest = typename L::Word(layout.lowest);
    const typename L::Word drop = typename L::Word(layout.drop);
    Word* to = static_cast<Word*>(out);
    each_vector<L>(x, n, 0, [&](int64_t i, int count, Ints b) {
        const Ints negative = b < 0;
        const Ints steps = larger((b & L::most) >> zeros, Ints{} + floor) - floor;
        // Unsigned: the distance between scores of both signs may need the sign bit.
        const Unsigned place = reinterpret_cast<Unsigned>((steps ^ negative) - negative);
        const Words key = __builtin_convertvector((place - lowest) >> drop, Words);
        uint32_t here[L::n] = {};
        if (count == L::n) {
            __builtin_memcpy(here, slots + i, sizeof here);
        } else {
            __builtin_memcpy(here, slots + i, sizeof(uint32_t) * unsigned(count));
        }
        const Words slot =
            __builtin_convertvector(load<typename Vector<uint32_t, L::n>::type>(here), Words);
        const Words words = words_of<Words, Word>(key, slot, Word(first + i), layout);
        if (count == L::n) {
            store(to + i, words);
        } else {
            __builtin_memcpy(to + i, &words, sizeof(Word) * unsigned(count));
        }
    });
}

// Eight sums side by side whatever the width of a vector, then added in a fixed order.
void shares(const double* own, const double* all, int64_t n, double* share, double sums[2]) {
    constexpr int kParts = 8 / kLanes64;
    int64_t i = 1;
    for (; i + kLanes64 <= n + 1; i += kLanes64) store(share + i, load<F64>(own + i) / load<F64>(all + i));
    for (; i <= n; ++i) share[i] = own[i] / all[i];
    // In a walk of its own: what was stored just now would be waited for.
    F64 here[kParts] = {}, before[kParts] = {};
    for (i = 1; i + 8 <= n + 1; i += 8) {
#pragma GCC unroll 4
        for (int part = 0; part < kParts; ++part) {
            const int64_t at = i + part * kLanes64;
            const F64 increase = load<F64>(own + at) - load<F64>(own + at - 1);
            here[part] += increase * load<F64>(share + at);
            before[part] += increase * load<F64>(share + at - 1);
        }
    }
    double lanes[2][8];
    __builtin_memcpy(lanes[0], here, sizeof here);
    __builtin_memcpy(lanes[1], before, sizeof before);
    for (int lane = 0; i <= n; ++i, ++lane) {
        lanes[0][lane] += (own[i] - own[i - 1]) * share[i];
        lanes[1][lane] += (own[i] - own[i - 1]) * share[i - 1];
    }
    for (int which = 0; which < 2; ++which) {
        const double* x = lanes[which];
        sums[which] = ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7]));
    }
}

template <class Word>
int64_t places(const void* from, int64_t n, int class_bits, uint32_t last, uint64_t sums[2],
               int32_t* borders) {
    constexpr int lanes = KARAT_LANE_BYTES / int(sizeof(Word));
    using V = typename Vector<Word, lanes>::type;
    const Word* words = static_cast<const Word*>(from);
    const Word mask = Word((Word(1) << class_bits) - 1), own = Word(last);
    V place = {}, count = {}, sum = {};
    for (int lane = 0; lane < lanes; ++lane) place[lane] = Word(lane + 1);
    int64_t n_borders = 0, i = 1;
    for (; i + lanes <= n; i += lanes) {
        const V here = load<V>(words + i), change = here ^ load<V>(words + i - 1);
        const V is_own = reinterpret_cast<V>((here & mask) == own);
        count -= is_own;
        sum += place & is_own;
        place += Word(lanes);
        // The slot alone differs.
        const V is_border = is_own & reinterpret_cast<V>(change - 1 < mask);
        if (all_bits<Word, lanes>(is_border) == 0) continue;
        for (int lane = 0; lane < lanes; ++lane)
            if (is_border[lane] != 0) borders[n_borders++] = int32_t(i + lane);
    }
    sums[0] = n > 0 && (words[0] & mask) == own;
    sums[1] = 0;
    for (int lane = 0; lane < lanes; ++lane) {
        sums[0] += count[lane];
        sums[1] += sum[lane];
    }
    for (; i < n; ++i) {
        const bool is_own = (words[i] & mask) == own;
        sums[0] += is_own;
        sums[1] += is_own ? uint64_t(i) : 0;
        if (is_own && Word((words[i] ^ words[i - 1]) - 1) < mask)
            borders[n_borders++] = int32_t(i);
    }
    return n_borders;
}

template <class Word>
int64_t count_equal(const void* from, int64_t n, uint64_t value) {
    constexpr int lanes = KARAT_LANE_BYTES / int(sizeof(Word));
    // No lane of 32 bits overflows within a stretch.
    constexpr int64_t kStretch = int64_t{lanes} << 30;
    using V = typename Vector<Word, lanes>::type;
    const Word* words = static_cast<const Word*>(from);
    int64_t i = 0, sum = 0;
    while (i + lanes <= n) {
        V counts = {};
        for (const int64_t end = n < i + kStretch ? n : i + kStretch; i + lanes <= end; i += lanes)
            counts -= reinterpret_cast<V>(load<V>(words + i) == Word(value));
        for (int lane = 0; lane < lanes; ++lane) sum += int64_t(counts[lane]);
    }
    for (; i < n; ++i) sum += words[i] == Word(value);
    return sum;
}

// How many of the first bits of a byte are set, from the top one down.
struct BitsFromTop {
    alignas(64) int32_t till[256][8] = {};

    constexpr BitsFromTop() {
        for (int byte = 0; byte < 256; ++byte) {
            int32_t sum = 0;
            for (int bit = 0; bit < 8; ++bit) till[byte][bit] = sum += byte >> (7 - bit) & 1;
        }
    }
};
constexpr BitsFromTop kBitsFromTop;

template <class Word>
int64_t count_up(const void* from, int64_t n, bool is_end, int row_bits, int class_bits, uint32_t last,
                 int64_t* own_above, int64_t rows, double* of_own, double* of_all) {
    // Eight words at a time on every instruction set; the compiler divides what is too wide.
    using V = typename Vector<Word, 8>::type;
    using Ints = Vector<int32_t, 8>::type;
    using Doubles = Vector<double, 8>::type;
    const Word* words = static_cast<const Word*>(from);
    const int below_key = row_bits + class_bits;
    const Word mask = Word((Word(1) << class_bits) - 1), rest = Word((Word(1) << below_key) - 1);
    const Doubles places = {1, 2, 3, 4, 5, 6, 7, 8};
    int64_t i = n, m = 0, own = *own_above;
    const auto pass = [&](int64_t at) {
        own += (words[at] >> row_bits & mask) == Word(last);
        ++rows;
        of_own[m] = double(own);
        of_all[m] = double(rows);
        m += (at == 0 && is_end) || (words[at] ^ words[at - 1]) >> below_key != 0;
    };
    while (i > 8) {
        const V here = load<V>(words + i - 8), below = load<V>(words + i - 9);
        const auto ties = lane_bits(reinterpret_cast<V>((here ^ below) <= rest));
        const int32_t* till = kBitsFromTop.till[lane_bits(reinterpret_cast<V>((here >> row_bits & mask) ==
                                                                              Word(last)))];
        const Doubles few = __builtin_convertvector(load<Ints>(till), Doubles);
        store(of_own + m, few + double(own));
        store(of_all + m, places + double(rows));
        if (ties != 0) {
            // Those that end no score level are written over.
            double *const to_own = of_own + m, *const to_all = of_all + m;
            int64_t kept = 0;
            for (int word = 0; word < 8; ++word) {
                to_own[kept] = to_own[word];
                to_all[kept] = to_all[word];
                kept += ~ties >> (7 - word) & 1;
            }
            m += kept - 8;
        }
        own += till[7];
        rows += 8;
        m += 8;
        i -= 8;
    }
    while (i > 0) pass(--i);
    *own_above = own;
    return m;
}

constexpr karat::CumulativeLanes kCumulativeLanes = {
    {float_span<4>, float_span<8>},
    class_slots,
    {{pack_scores<4, uint32_t>, pack_scores<4, uint64_t>},
     {pack_scores<8, uint32_t>, pack_scores<8, uint64_t>}},
    shares,
    {places<uint32_t>, places<uint64_t>},
    {count_equal<uint32_t>, count_equal<uint64_t>},
    {count_up<uint32_t>, count_up<uint64_t>},
};

}  // namespace
