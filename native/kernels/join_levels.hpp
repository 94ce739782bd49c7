// Two tables of scores read as one: which score levels come from which, and what they hold together.
#pragma once

#include <cstdint>

namespace karat {

// The score levels of one table: lowest scores, best score level first, no two in one bucket.
struct LevelScores {
    const double* low;
    int64_t n;
};

// Scores are of one bucket where the leading digits agree, all of them or all but `dropped`, and
// no cut, ascending, lies at one of them or between them.
struct Buckets {
    int dropped;
    const double* cuts;
    int64_t n_cuts;
};

enum Taken : uint8_t { kOfLeft = 1, kOfRight = 2, kOfBoth = 3 };

// Writes for each score level of both where it comes from, best first; `taken` has room for left.n +
// right.n. Returns their number; std::invalid_argument when scores do not descend.
int64_t take_levels(const LevelScores& left, const LevelScores& right, const Buckets& buckets,
                   uint8_t* taken);

enum class Join { add, lowest, highest };

// Writes the rows, `width` items each, of the score levels that `taken` names. std::invalid_argument when
// left or right has more or fewer rows than these.
template <class T>
void join_levels(const uint8_t* taken, int64_t n, const T* left, int64_t n_left, const T* right,
                int64_t n_right, int64_t width, Join join, T* out);

}  // namespace karat
