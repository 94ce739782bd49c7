// The one source of the vector kernels; each lanes_<isa>.cpp compiles it for one
// instruction set, with KARAT_LANE_BYTES the width of its vectors.
//
// Invariant: everything here is in an anonymous namespace and works on raw pointers, and
// no std:: template is used. The linker keeps one copy of a weak symbol: if this unit
// emitted, say, a std::max compiled for AVX-512, every processor could be given that copy.

#include "kernels/lanes.hpp"

namespace {

using karat::Ahead;
using karat::WeightedEntry;

template <class T, int N>
struct Vector {
    typedef T type __attribute__((vector_size(N * sizeof(T))));
};

constexpr int kLanes32 = KARAT_LANE_BYTES / 4;
constexpr int kLanes64 = KARAT_LANE_BYTES / 8;
using U32 = Vector<uint32_t, kLanes32>::type;
using U64 = Vector<uint64_t, kLanes64>::type;
using F64 = Vector<double, kLanes64>::type;

#if defined(__clang__) || __GNUC__ >= 12
#define KARAT_SHUFFLE(a, b, Mask, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define KARAT_SHUFFLE(a, b, Mask, ...) __builtin_shuffle(a, b, Mask{__VA_ARGS__})
#endif

// Shuffles need constant indices: the even elements of two vectors of 32-bit lanes, and the
// halves of two vectors of doubles, interleaved.
#if KARAT_LANE_BYTES == 16
#define KARAT_EVENS 0, 2, 4, 6
#define KARAT_ZIP_LOW 0, 2
#define KARAT_ZIP_HIGH 1, 3
#elif KARAT_LANE_BYTES == 32
#define KARAT_EVENS 0, 2, 4, 6, 8, 10, 12, 14
#define KARAT_ZIP_LOW 0, 4, 1, 5
#define KARAT_ZIP_HIGH 2, 6, 3, 7
#else
#define KARAT_EVENS 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
#define KARAT_ZIP_LOW 0, 8, 1, 9, 2, 10, 3, 11
#define KARAT_ZIP_HIGH 4, 12, 5, 13, 6, 14, 7, 15
#endif

template <class V>
inline V load(const void* from) {
    V v;
    __builtin_memcpy(&v, from, sizeof v);
    return v;
}

template <class V>
inline void store(void* to, V v) {
    __builtin_memcpy(to, &v, sizeof v);
}

}  // namespace

#include "kernels/lanes_convert.hpp"

namespace {

template <class V>
inline V larger(V a, V b) {
    return a > b ? a : b;
}

template <class V>
inline V smaller(V a, V b) {
    return a < b ? a : b;
}

// All lanes by one operation, halving the vector.
template <class T, int N, class Operation>
inline T folded(typename Vector<T, N>::type v, Operation operation) {
    if constexpr (N == 1) {
        return v[0];
    } else {
        typename Vector<T, N / 2>::type halves[2];
        __builtin_memcpy(halves, &v, sizeof v);
        return folded<T, N / 2>(operation(halves[0], halves[1]), operation);
    }
}

template <class T, int N>
inline T largest(typename Vector<T, N>::type v) {
    return folded<T, N>(v, [](auto a, auto b) { return larger(a, b); });
}

template <class T, int N>
inline T smallest(typename Vector<T, N>::type v) {
    return folded<T, N>(v, [](auto a, auto b) { return smaller(a, b); });
}

template <class T, int N>
inline T all_bits(typename Vector<T, N>::type v) {
    return folded<T, N>(v, [](auto a, auto b) { return a | b; });
}

template <class T, int N>
inline T total(typename Vector<T, N>::type v) {
    return folded<T, N>(v, [](auto a, auto b) { return a + b; });
}

constexpr int64_t kMaxInt64 = 0x7fffffffffffffff;

template <class T>
inline int64_t saturated(T value) {
    if (sizeof(T) == 8 && T(-1) > T(0) &&
        static_cast<uint64_t>(value) > static_cast<uint64_t>(kMaxInt64))
        return kMaxInt64;
    return static_cast<int64_t>(value);
}

template <class T>
void span(const void* x, int64_t n, int64_t* low, int64_t* high) {
    constexpr int lanes = KARAT_LANE_BYTES / int(sizeof(T));
    using V = typename Vector<T, lanes>::type;
    const T* in = static_cast<const T*>(x);
    T least = in[0], most = in[0];
    int64_t i = 0;
    if (n >= lanes) {
        V least_v = load<V>(in), most_v = least_v;
        for (i = lanes; i + lanes <= n; i += lanes) {
            const V v = load<V>(in + i);
            least_v = smaller(least_v, v);
            most_v = larger(most_v, v);
        }
        least = smallest<T, lanes>(least_v);
        most = largest<T, lanes>(most_v);
    }
    for (; i < n; ++i) {
        least = smaller(least, in[i]);
        most = larger(most, in[i]);
    }
    *low = saturated(least);
    *high = saturated(most);
}

template <class T>
uint32_t offsets_in_32(const void* x, int64_t n, int64_t base, uint32_t* out) {
    const T* in = static_cast<const T*>(x);
    const uint32_t origin = static_cast<uint32_t>(base);
    U32 top_v = {};
    int64_t i = 0;
    for (; i + kLanes32 <= n; i += kLanes32) {
        const U32 v = widened(in + i) - origin;
        store(out + i, v);
        top_v = larger(top_v, v);
    }
    uint32_t top = largest<uint32_t, kLanes32>(top_v);
    for (; i < n; ++i) {
        out[i] = static_cast<uint32_t>(in[i]) - origin;
        top = larger(top, out[i]);
    }
    return top;
}

uint32_t offsets_in_64(const void* x, int64_t n, int64_t base, uint32_t* out) {
    const uint64_t* in = static_cast<const uint64_t*>(x);
    const uint64_t origin = static_cast<uint64_t>(base);
    U32 top_v = {};
    U64 seen_v = {};
    int64_t i = 0;
    for (; i + kLanes32 <= n; i += kLanes32) {
        const U64 a = load<U64>(in + i) - origin;
        const U64 b = load<U64>(in + i + kLanes64) - origin;
        seen_v |= a | b;
        const U32 v =
            KARAT_SHUFFLE(reinterpret_cast<U32>(a), reinterpret_cast<U32>(b), U32, KARAT_EVENS);
        store(out + i, v);
        top_v = larger(top_v, v);
    }
    uint64_t seen = all_bits<uint64_t, kLanes64>(seen_v);
    uint32_t top = largest<uint32_t, kLanes32>(top_v);
    for (; i < n; ++i) {
        const uint64_t offset = in[i] - origin;
        seen |= offset;
        out[i] = static_cast<uint32_t>(offset);
        top = larger(top, out[i]);
    }
    // Some high bit: that row lies 2^32 or more from the base.
    return seen >> 32 ? 0xffffffffu : top;
}

void cell_index(const uint32_t* truth, const uint32_t* pred, int64_t n, uint32_t width, int shift,
                uint32_t* out) {
    int64_t i = 0;
    for (; i + kLanes32 <= n; i += kLanes32)
        store(out + i, (load<U32>(truth + i) * width + load<U32>(pred + i)) << uint32_t(shift));
    for (; i < n; ++i) out[i] = (truth[i] * width + pred[i]) << shift;
}

void marginal_index(const uint32_t* truth, const uint32_t* pred, int64_t n, uint32_t width,
                    int shift, uint32_t* by_truth, uint32_t* by_pred) {
    int64_t i = 0;
    for (; i + kLanes32 <= n; i += kLanes32) {
        const U32 t = load<U32>(truth + i), p = load<U32>(pred + i);
        // A true comparison is all ones: −1.
        const U32 hit = -reinterpret_cast<U32>(t == p);
        store(by_truth + i, ((t << 1u) + hit) << uint32_t(shift));
        store(by_pred + i, (((p + width) << 1u) + hit) << uint32_t(shift));
    }
    for (; i < n; ++i) {
        const uint32_t t = truth[i], p = pred[i], hit = t == p;
        by_truth[i] = (2 * t + hit) << shift;
        by_pred[i] = (2 * (p + width) + hit) << shift;
    }
}

void pair_sums(const uint32_t* truth, const uint32_t* pred, int64_t n, uint32_t out[3]) {
    U32 true_v = {}, pred_v = {}, both_v = {};
    int64_t i = 0;
    for (; i + kLanes32 <= n; i += kLanes32) {
        const U32 t = load<U32>(truth + i), p = load<U32>(pred + i);
        true_v += t;
        pred_v += p;
        both_v += t & p;
    }
    out[0] = total<uint32_t, kLanes32>(true_v);
    out[1] = total<uint32_t, kLanes32>(pred_v);
    out[2] = total<uint32_t, kLanes32>(both_v);
    for (; i < n; ++i) {
        out[0] += truth[i];
        out[1] += pred[i];
        out[2] += truth[i] & pred[i];
    }
}

// entry += {w, w², 1, 1} for kLanes64 weights and their squares; entry(lane) says which entry.
template <class EntryOf>
inline void add_rows(F64 w, F64 square, const EntryOf& entry) {
    const F64 low = KARAT_SHUFFLE(w, square, U64, KARAT_ZIP_LOW);
    const F64 high = KARAT_SHUFFLE(w, square, U64, KARAT_ZIP_HIGH);
#if KARAT_LANE_BYTES == 16
    using Pair = F64;
    for (int lane = 0; lane < 2; ++lane) {
        double* at = entry(lane);
        store(at, load<Pair>(at) + (lane == 0 ? low : high));
        store(at + 2, load<Pair>(at + 2) + 1.0);
    }
#elif KARAT_LANE_BYTES == 32
    const F64 ones = F64{} + 1.0;
    const F64 rows[4] = {
        KARAT_SHUFFLE(low, ones, U64, 0, 1, 6, 7), KARAT_SHUFFLE(low, ones, U64, 2, 3, 6, 7),
        KARAT_SHUFFLE(high, ones, U64, 0, 1, 6, 7), KARAT_SHUFFLE(high, ones, U64, 2, 3, 6, 7)};
#pragma GCC unroll 4
    for (int lane = 0; lane < 4; ++lane) store(entry(lane), load<F64>(entry(lane)) + rows[lane]);
#else
    using Row = Vector<double, 4>::type;
    const F64 ones = F64{} + 1.0;
    // Two rows a vector.
    const F64 rows[4] = {KARAT_SHUFFLE(low, ones, U64, 0, 1, 8, 9, 2, 3, 10, 11),
                         KARAT_SHUFFLE(low, ones, U64, 4, 5, 8, 9, 6, 7, 10, 11),
                         KARAT_SHUFFLE(high, ones, U64, 0, 1, 8, 9, 2, 3, 10, 11),
                         KARAT_SHUFFLE(high, ones, U64, 4, 5, 8, 9, 6, 7, 10, 11)};
#pragma GCC unroll 4
    for (int two = 0; two < 4; ++two) {
        Row halves[2];
        __builtin_memcpy(halves, &rows[two], sizeof halves);
        store(entry(2 * two), load<Row>(entry(2 * two)) + halves[0]);
        store(entry(2 * two + 1), load<Row>(entry(2 * two + 1)) + halves[1]);
    }
#endif
}

template <int kCopies>
double add_to_copies(const uint32_t* index, const double* w, int64_t n, WeightedEntry* table,
                     Ahead ahead) {
    double* base = reinterpret_cast<double*>(table);
    constexpr int kStep = 8;
    double least = __builtin_inf();
    F64 least_v = F64{} + least;
    int64_t i = 0;
    for (; i + kStep <= n; i += kStep) {
        ahead.truth.fetch();
        ahead.pred.fetch();
        ahead.weights.fetch();
#pragma GCC unroll 4
        for (int first = 0; first < kStep; first += kLanes64) {
            const F64 v = load<F64>(w + i + first);
            // False for NaN.
            least_v = v < least_v ? v : least_v;
            add_rows(v, v * v, [&](int lane) {
                return base + index[i + first + lane] + 4 * ((first + lane) % kCopies);
            });
        }
    }
    least = smallest<double, kLanes64>(least_v);
    for (int j = 0; i < n; ++i, ++j) {
        least = smaller(w[i], least);
        double* entry = base + index[i] + 4 * (j % kCopies);
        entry[0] += w[i];
        entry[1] += w[i] * w[i];
        entry[2] += 1.0;
        entry[3] += 1.0;
    }
    return least;
}

double add_weighted(const uint32_t* index, const double* w, int64_t n, int copies,
                    WeightedEntry* table, Ahead ahead) {
    return copies == 4 ? add_to_copies<4>(index, w, n, table, ahead)
                       : add_to_copies<1>(index, w, n, table, ahead);
}

uint32_t narrow(const uint32_t* x, int64_t n, uint8_t* out) {
    U32 seen_v = {};
    int64_t i = 0;
    for (; i + kLanes32 <= n; i += kLanes32) {
        const U32 v = load<U32>(x + i);
        seen_v |= v;
        store_bytes(out + i, v);
    }
    uint32_t seen = all_bits<uint32_t, kLanes32>(seen_v);
    for (; i < n; ++i) {
        seen |= x[i];
        out[i] = static_cast<uint8_t>(x[i]);
    }
    return seen;
}

}  // namespace

#include "kernels/lanes_wide.hpp"
// These need the names above.
#include "kernels/lanes_columns.hpp"
#include "kernels/lanes_equal.hpp"
#include "kernels/lanes_cumulative_source.hpp"
#include "kernels/lanes_lines_source.hpp"
#include "kernels/lanes_logistic_source.hpp"
#include "kernels/lanes_losses.hpp"
#include "kernels/lanes_places_source.hpp"
#include "kernels/lanes_random_source.hpp"

namespace karat {

// In the order of Kind.
const Lanes KARAT_LANES = {
    KARAT_LANES_NAME,
    {span<uint8_t>, span<int8_t>, span<uint16_t>, span<int16_t>, span<uint32_t>, span<int32_t>,
     span<uint64_t>, span<int64_t>},
    {offsets_in_32<uint8_t>, offsets_in_32<int8_t>, offsets_in_32<uint16_t>, offsets_in_32<int16_t>,
     offsets_in_32<uint32_t>, offsets_in_32<int32_t>, offsets_in_64, offsets_in_64},
    {equal_rows<uint8_t>, equal_rows<uint16_t>, equal_rows<uint32_t>, equal_rows<uint64_t>},
    cell_index,
    marginal_index,
    pair_sums,
    add_weighted,
    narrow,
    {are_probabilities, are_scores, turn_probabilities<double>, turn_probabilities<float>,
     turn_scores<double>, turn_scores<float>, ranks, margins, negative_logs, squared_errors,
     binary_negative_logs, softmax, sigmoid, add_losses},
    kCumulativeLanes,
    kLineLanes,
    kLogisticLanes,
    kPlaceLanes,
    kRandomLanes,
};

}  // namespace karat
