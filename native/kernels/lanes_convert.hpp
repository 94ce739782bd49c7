// Conversions between integer lanes of different width, and what else takes an instruction of its
// own, for lanes_source.hpp only.
//
// Why intrinsics here and nowhere else: from vector extensions alone compilers build these of up to
// ten instructions, or lane by lane, where the processor has one.

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace {

// Lanes of 32 bits from the next kLanes32 items.
template <class T>
inline U32 widened(const T* x) {
    return __builtin_convertvector(load<typename Vector<T, kLanes32>::type>(x), U32);
}

#if KARAT_LANE_BYTES == 64
inline U32 widened(const uint8_t* x) {
    return reinterpret_cast<U32>(
        _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(x))));
}
inline U32 widened(const int8_t* x) {
    return reinterpret_cast<U32>(
        _mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(x))));
}
inline U32 widened(const uint16_t* x) {
    return reinterpret_cast<U32>(
        _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(x))));
}
inline U32 widened(const int16_t* x) {
    return reinterpret_cast<U32>(
        _mm512_cvtepi16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(x))));
}
// The low byte of each lane.
inline void store_bytes(uint8_t* out, U32 v) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out),
                     _mm512_cvtepi32_epi8(reinterpret_cast<__m512i>(v)));
}
#elif KARAT_LANE_BYTES == 32
inline U32 widened(const uint8_t* x) {
    return reinterpret_cast<U32>(
        _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(x))));
}
inline U32 widened(const int8_t* x) {
    return reinterpret_cast<U32>(
        _mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(x))));
}
inline U32 widened(const uint16_t* x) {
    return reinterpret_cast<U32>(
        _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(x))));
}
inline U32 widened(const int16_t* x) {
    return reinterpret_cast<U32>(
        _mm256_cvtepi16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(x))));
}
#endif

// Eight lanes that are all ones or zero, as bits.
using Eight32 = Vector<uint32_t, 8>::type;
using Eight64 = Vector<uint64_t, 8>::type;
#if KARAT_LANE_BYTES == 64
inline uint32_t lane_bits(Eight32 v) {
    return _mm256_movepi32_mask(reinterpret_cast<__m256i>(v));
}
inline uint32_t lane_bits(Eight64 v) {
    return _mm512_movepi64_mask(reinterpret_cast<__m512i>(v));
}
#elif KARAT_LANE_BYTES == 32
inline uint32_t lane_bits(Eight32 v) {
    return uint32_t(_mm256_movemask_ps(reinterpret_cast<__m256>(v)));
}
inline uint32_t lane_bits(Eight64 v) {
    __m256d halves[2];
    __builtin_memcpy(halves, &v, sizeof v);
    return uint32_t(_mm256_movemask_pd(halves[0]) | _mm256_movemask_pd(halves[1]) << 4);
}
#else
template <class V>
inline uint32_t lane_bits(V v) {
    uint32_t bits = 0;
    for (int lane = 0; lane < 8; ++lane) bits |= uint32_t(v[lane] & 1) << lane;
    return bits;
}
#endif

#if KARAT_LANE_BYTES != 64
inline void store_bytes(uint8_t* out, U32 v) {
    using Half = typename Vector<uint16_t, kLanes32>::type;
    using Quarter = typename Vector<uint8_t, kLanes32>::type;
    store(out, __builtin_convertvector(__builtin_convertvector(v, Half), Quarter));
}
#endif

// table[low four bits of each lane]
inline U64 entries_of(const uint64_t (&table)[16], U64 at) {
#if KARAT_LANE_BYTES == 64
    return reinterpret_cast<U64>(_mm512_permutex2var_epi64(
        _mm512_load_si512(table), reinterpret_cast<__m512i>(at), _mm512_load_si512(table + 8)));
#elif KARAT_LANE_BYTES == 32
    return reinterpret_cast<U64>(
        _mm256_i64gather_epi64(reinterpret_cast<const long long*>(table),
                               reinterpret_cast<__m256i>(at & uint64_t{15}), 8));
#else
    U64 found;
    for (int i = 0; i < kLanes64; ++i) found[i] = table[at[i] & 15];
    return found;
#endif
}

// sum + 0·x: sum, or NaN where x is NaN or infinite. It rounds nothing, however it is fused.
inline F64 plus_nothing(F64 sum, F64 x) {
#if KARAT_LANE_BYTES == 64
    return _mm512_fmadd_pd(x, _mm512_setzero_pd(), sum);
#elif KARAT_LANE_BYTES == 32
    return _mm256_fmadd_pd(x, _mm256_setzero_pd(), sum);
#else
    return sum + 0.0 * x;
#endif
}

// The low halves of lanes of 64 bits, times a number of 32.
inline U64 product(U64 a, uint32_t number) {
    const U64 all = U64{} + number;
#if KARAT_LANE_BYTES == 64
    return reinterpret_cast<U64>(
        _mm512_mul_epu32(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(all)));
#elif KARAT_LANE_BYTES == 32
    return reinterpret_cast<U64>(
        _mm256_mul_epu32(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(all)));
#elif defined(__SSE2__)
    return reinterpret_cast<U64>(
        _mm_mul_epu32(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(all)));
#else
    return (a & 0xffffffffULL) * all;
#endif
}

}  // namespace
