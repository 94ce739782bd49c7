// Rows in which two columns of one width have the same bits, for lanes_source.hpp only.

namespace {

// Equal rows are counted in lanes as wide as an item, which are emptied before they could overflow.
template <class T>
int64_t equal_rows(const void* x, const void* y, int64_t n) {
    constexpr int lanes = KARAT_LANE_BYTES / int(sizeof(T));
    constexpr int kStreams = 4;
    constexpr int64_t kStep = kStreams * lanes;
    constexpr int64_t kSteps = sizeof(T) == 1 ? 63 : 16383;  // kStreams * kSteps fits in T
    using V = typename Vector<T, lanes>::type;
    const T *a = static_cast<const T*>(x), *b = static_cast<const T*>(y);
    int64_t equal = 0, i = 0;
    while (i + kStep <= n) {
        V found[kStreams] = {};
        for (int64_t step = 0; step < kSteps && i + kStep <= n; ++step, i += kStep)
#pragma GCC unroll 4
            for (int s = 0; s < kStreams; ++s)
                // A true comparison is all ones: −1.
                found[s] -= reinterpret_cast<V>(load<V>(a + i + s * lanes) ==
                                                load<V>(b + i + s * lanes));
        T each[lanes];
        store(each, (found[0] + found[1]) + (found[2] + found[3]));
        for (int lane = 0; lane < lanes; ++lane) equal += static_cast<int64_t>(each[lane]);
    }
    for (; i < n; ++i) equal += a[i] == b[i];
    return equal;
}

}  // namespace
