// Finite floats as integer keys in the same order, and how a key lies in a word.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>

namespace karat {

// A float as an integer in its order; see FloatSpan.
template <class Float, class Int>
int64_t ordered_of(Float score) {
    Int bits;
    std::memcpy(&bits, &score, sizeof bits);
    return bits < 0 ? bits ^ std::numeric_limits<Int>::max() : bits;
}

// The float of such an integer.
template <class Float, class Int>
Float value_of(Int ordered) {
    const Int bits = ordered < 0 ? ordered ^ std::numeric_limits<Int>::max() : ordered;
    Float score;
    std::memcpy(&score, &bits, sizeof score);
    return score;
}

// What the values of a column have in common.
//
// A float is read as an integer in its order: its bits, and those of a negative one with all
// but the sign inverted. −0.0 becomes −1, right below 0.0.
struct FloatSpan {
    int64_t least, most;  // of those integers
    int64_t small;        // least magnitude − 1 of a value that is not zero; without one, all ones
    uint64_t bits;        // the bits that some value has

    // Of no values.
    static constexpr FloatSpan none() { return {INT64_MAX, INT64_MIN, INT64_MAX, 0}; }
};

// The key of a score is its distance from the smallest one, counted in steps.
//
// The steps are those between neighbouring floats, except that none is counted where no score can
// lie: between zero and the smallest magnitude, and in trailing bits that no score has. So keys
// of 64-bit scores seldom need 64 bits, and those of scores that were 32-bit once need about 30.
// −0.0 and 0.0 have one key.
//
// A word holds, from the top: key >> drop, the class slot, the row (if has_rows).
struct KeyLayout {
    bool is_double = false;  // the scores are float64, else float32
    bool is_wide = false;    // the words are uint64, else uint32
    bool has_rows = false;
    int zeros = 0;  // trailing zero bits of every score
    int drop = 0;   // low bits of the key that found no room; 0 without rows
    int row_bits = 0;
    int class_bits = 0;
    int key_bits = 0;  // that hold every key
    int64_t floor = 0;   // magnitude >> zeros from which on steps are counted
    int64_t lowest = 0;  // steps from zero to the smallest score

    // Bits of a word below the key.
    int below() const { return row_bits + class_bits; }
    // Bits that hold every word.
    int word_bits() const { return key_bits - drop + below(); }

    uint64_t key_of(double score) const;
    uint64_t key_of(float score) const;
    double score_of(uint64_t key) const;
};

inline double KeyLayout::score_of(uint64_t key) const {
    const int64_t steps = static_cast<int64_t>(static_cast<uint64_t>(lowest) + key);
    // Of a word that somebody altered it is some number, without a shift beyond the sign.
    const uint64_t above = steps < 0 ? -static_cast<uint64_t>(steps) : static_cast<uint64_t>(steps);
    const uint64_t magnitude = above == 0 ? 0 : (above + static_cast<uint64_t>(floor)) << zeros;
    double score;
    if (is_double) {
        std::memcpy(&score, &magnitude, sizeof score);
    } else {
        const int32_t bits = static_cast<int32_t>(magnitude);
        float narrow;
        std::memcpy(&narrow, &bits, sizeof narrow);
        score = static_cast<double>(narrow);
    }
    return steps < 0 ? -score : score;
}

// Bits that hold every number up to `most`.
int bits_of(uint64_t most);

// Where the words of n scores find room. Rows are wanted when each has a weight; they are there
// too when key and class need more than 64 bits. std::invalid_argument when n and k are too large.
KeyLayout choose_layout(const FloatSpan& span, bool is_double, int64_t n, int64_t k,
                        bool wants_rows);

// Whether all values of the span are finite.
bool is_finite(const FloatSpan& span, bool is_double);

}  // namespace karat
