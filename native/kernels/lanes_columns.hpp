// Rows in memory become columns in lanes, and are looked at on the way, for lanes_source.hpp only.

namespace {

using karat::Columns;

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
                              F64 (&square)[kLanes64]) {
#pragma GCC unroll 8
    for (int i = 0; i < kLanes64; ++i) {
        __builtin_prefetch(row[i] + column + ahead);
        square[i] = doubles_at(row[i] + column);
    }
    transpose(square);
}

// Calls look.begin(), look.see(column) for each column and look.end(first) for each
// kLanes64 rows.
template <class T, class Look>
KARAT_INLINE void columns_of(const karat::RowsOf<T>& from, int64_t rows, const Columns& to,
                             Look& look) {
    // Whole squares of rows, at least kAhead bytes.
    constexpr int64_t kAhead = 8192;
    const int64_t k = from.k, square_items = kLanes64 * from.step;
    const int64_t bytes = square_items * int64_t{sizeof(T)};
    const int64_t ahead = bytes <= 0 ? 0 : square_items * ((kAhead + bytes - 1) / bytes);
    for (int64_t first = 0; first < rows; first += kLanes64) {
        const T* row[kLanes64];
        for (int i = 0; i < kLanes64; ++i)
            row[i] = from.data + (first + i < from.n ? first + i : from.n - 1) * from.step;
        look.begin();
        F64 square[kLanes64];
        int64_t column = 0;
        for (; column + kLanes64 <= k; column += kLanes64) {
            turn_square(row, column, ahead, square);
#pragma GCC unroll 8
            for (int i = 0; i < kLanes64; ++i)
                store(to.x + (column + i) * to.stride + first, square[i]);
            look.see_square(square);
        }
        if (column < k) {
            // The last columns, some of them once more.
            turn_square(row, k - kLanes64, ahead, square);
            for (int64_t i = column - (k - kLanes64); i < kLanes64; ++i) {
                store(to.x + (k - kLanes64 + i) * to.stride + first, square[i]);
                look.see(square[i]);
            }
        }
        look.end(first);
    }
}

// Rows that are shorter than a vector.
template <class T>
KARAT_INLINE void short_columns_of(const karat::RowsOf<T>& from, int64_t rows,
                                   const Columns& to) {
    for (int64_t row = 0; row < rows; ++row) {
        const T* items = from.data + (row < from.n ? row : from.n - 1) * from.step;
        for (int64_t j = 0; j < from.k; ++j)
            to.x[j * to.stride + row] = static_cast<double>(items[j]);
    }
}

// Whether values lie in [0, 1] and those of each row sum to 1. A NaN is neither smaller nor larger
// than anything, and makes the sum NaN, which is in no interval.
struct ProbabilityLook {
    double tolerance;
    F64 low, high, sum;
    Flags good;

    explicit ProbabilityLook(double tolerance_)
        : tolerance(tolerance_), low{}, high(low + 1.0), sum(low), good(low == low) {}
    KARAT_INLINE void begin() { sum = F64{}; }
    KARAT_INLINE void see(const F64& p) {
        low = p < low ? p : low;
        high = p > high ? p : high;
        sum += p;
    }
    KARAT_INLINE void see_square(const F64 (&p)[kLanes64]) {
#pragma GCC unroll 8
        for (int i = 0; i < kLanes64; ++i) see(p[i]);
    }
    KARAT_INLINE void end(int64_t) {
        const F64 off = sum - 1.0;
        good &= (off <= tolerance) & (-off <= tolerance);
    }
    bool is_good() const { return all_true(good & (low == F64{}) & (high == 1.0)); }
};

// Whether values are finite; and the first column that holds the largest of each row.
struct ScoreLook {
    karat::ScoreBest best;
    F64 zeros{}, top{}, column{}, at{};  // zeros is NaN once some value is NaN or infinite

    KARAT_INLINE void begin() {
        top = F64{} - __builtin_inf();
        column = at = F64{};
    }
    KARAT_INLINE void see(const F64& x) {
        zeros = plus_nothing(zeros, x);
        column = x > top ? at : column;
        top = x > top ? x : top;
        at += 1.0;
    }
    // The best of the square in rounds of pairs, each of which waits for the round before only.
    KARAT_INLINE void see_square(const F64 (&x)[kLanes64]) {
        F64 best_x[kLanes64], best_i[kLanes64], nothing = zeros;
#pragma GCC unroll 8
        for (int i = 0; i < kLanes64; ++i) {
            nothing = plus_nothing(nothing, x[i]);
            best_x[i] = x[i];
            best_i[i] = F64{} + double(i);
        }
        zeros = nothing;
#pragma GCC unroll 3
        for (int width = 1; width < kLanes64; width *= 2) {
#pragma GCC unroll 4
            for (int i = 0; i < kLanes64; i += 2 * width) {
                const Flags is_later = best_x[i + width] > best_x[i];
                best_i[i] = is_later ? best_i[i + width] : best_i[i];
                best_x[i] = is_later ? best_x[i + width] : best_x[i];
            }
        }
        const Flags is_later = best_x[0] > top;
        column = is_later ? at + best_i[0] : column;
        top = is_later ? best_x[0] : top;
        at += double(kLanes64);
    }
    KARAT_INLINE void end(int64_t first) {
        store(best.top + first, top);
        store(best.column + first, column);
    }
    bool is_good() const { return all_true(zeros == 0.0); }
};

// The same of columns that lie in lanes already.
template <class Look>
KARAT_INLINE bool look_at(const Columns& scores, int64_t rows, int64_t k, Look look) {
    for (int64_t first = 0; first < rows; first += kLanes64) {
        const auto at = [&](int64_t j) { return load<F64>(scores.x + j * scores.stride + first); };
        look.begin();
        int64_t j = 0;
        for (; j + kLanes64 <= k; j += kLanes64) {
            F64 square[kLanes64];
#pragma GCC unroll 8
            for (int i = 0; i < kLanes64; ++i) square[i] = at(j + i);
            look.see_square(square);
        }
        for (; j < k; ++j) look.see(at(j));
        look.end(first);
    }
    return look.is_good();
}

template <class T, class Look>
KARAT_INLINE bool turn(const karat::RowsOf<T>& from, int64_t rows, const Columns& to, Look look) {
    if (from.k < kLanes64) {
        short_columns_of(from, rows, to);
        return look_at(to, rows, from.k, look);
    }
    columns_of(from, rows, to, look);
    return look.is_good();
}

bool are_probabilities(const Columns& scores, int64_t rows, int64_t k, double tolerance) {
    return look_at(scores, rows, k, ProbabilityLook(tolerance));
}

bool are_scores(const Columns& scores, int64_t rows, int64_t k, const karat::ScoreBest& best) {
    return look_at(scores, rows, k, ScoreLook{best});
}

template <class T>
bool turn_probabilities(const karat::RowsOf<T>& from, int64_t rows, double tolerance,
                        const Columns& to) {
    return turn(from, rows, to, ProbabilityLook(tolerance));
}

template <class T>
bool turn_scores(const karat::RowsOf<T>& from, int64_t rows, const karat::ScoreBest& best,
                 const Columns& to) {
    return turn(from, rows, to, ScoreLook{best});
}

}  // namespace
