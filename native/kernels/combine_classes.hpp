// How much the error of each class counts in the limits of what is made of them (MOVER).
#pragma once

#include <cstdint>

namespace karat {

// A number of each of k classes, its limits and its variance.
struct ClassNumbers {
    int64_t k = 0;
    const double *value = nullptr, *low = nullptr, *high = nullptr, *variance = nullptr;
};

// What the classes that do not vary in the sample add to the square of both distances: each is
// independent of all others.
struct StillClasses {
    double below = 0, above = 0;
    int64_t n = 0;  // of a variance of 0
};

// What the derivatives of the classes count below, above and in the number made of them: the slope
// of that number in theirs, times the distance to the limit that moves it, over their standard
// error. A class without a value is left out and has no limits, one that does not vary counts 0.
//
// slopes: [k]; factors: [3, k].
StillClasses combine_classes(const ClassNumbers& classes, const double* slopes, double* factors);

}  // namespace karat
