// Rows in memory become columns in lanes, for lanes_source.hpp only.

namespace {

KARAT_INLINE F64 doubles_at(const double* from) { return load<F64>(from); }
KARAT_INLINE F64 doubles_at(const float* from) {
    return __builtin_convertvector(load<typename Vector<float, kLanes64>::type>(from), F64);
}

// A square of lanes: rows become columns. Each round interleaves the first half of the rows with
// the second, and as many rounds as the width has bits transpose it.
KARAT_INLINE void transpose(F64 (&rows)[kLanes64]) {
#pragma GCC unroll 3
    for (int width = 1; width < kLanes64; width *= 2) {
        F64 made[kLanes64];
#pragma GCC unroll 4
        for (int i = 0; i < kLanes64 / 2; ++i) {
            made[2 * i] = KARAT_SHUFFLE(rows[i], rows[i + kLanes64 / 2], U64, KARAT_ZIP_LOW);
            made[2 * i + 1] = KARAT_SHUFFLE(rows[i], rows[i + kLanes64 / 2], U64, KARAT_ZIP_HIGH);
        }
        __builtin_memcpy(rows, made, sizeof made);
    }
}

// Asks for the items `ahead` items further on, too: rows of a matrix are long streams that the
// processor does not foresee, since several are read side by side.
template <class T>
KARAT_INLINE void turn_square(const T* const (&row)[kLanes64], int64_t column, int64_t ahead,
                              int64_t rows, double* x) {
    F64 square[kLanes64];
#pragma GCC unroll 8
    for (int i = 0; i < kLanes64; ++i) {
        __builtin_prefetch(row[i] + column + ahead);
        square[i] = doubles_at(row[i] + column);
    }
    transpose(square);
#pragma GCC unroll 8
    for (int i = 0; i < kLanes64; ++i) store(x + (column + i) * rows, square[i]);
}

template <class T>
void columns_of(const T* from, int64_t step, int64_t n, int64_t k, int64_t rows, double* x) {
    // Whole squares of rows, at least kAhead bytes.
    constexpr int64_t kAhead = 4096;
    const int64_t square = kLanes64 * step, bytes = square * int64_t{sizeof(T)};
    const int64_t ahead = bytes <= 0 ? 0 : square * ((kAhead + bytes - 1) / bytes);
    for (int64_t first = 0; first < rows; first += kLanes64) {
        const T* row[kLanes64];
        for (int i = 0; i < kLanes64; ++i)
            row[i] = from + (first + i < n ? first + i : n - 1) * step;
        int64_t column = 0;
        for (; column + kLanes64 <= k; column += kLanes64)
            turn_square(row, column, ahead, rows, x + first);
        if (column < k && k >= kLanes64) {
            // Some columns once more.
            turn_square(row, k - kLanes64, ahead, rows, x + first);
        } else {
            for (; column < k; ++column)
                for (int i = 0; i < kLanes64; ++i)
                    x[column * rows + first + i] = static_cast<double>(row[i][column]);
        }
    }
}

}  // namespace
