// The vector kernels of logistic regression by one number.
#pragma once

#include <cstdint>

namespace karat {

// The line t = height + slope·(x − centre).
struct LogisticLine {
    double height, slope, centre;
};

// What a line makes of score levels at x: the logarithm of the likelihood; with σ(t) = 1/(1 + exp −t) and missing =
// hits·σ(−t) − misses·σ(t), Σ missing and Σ missing·(x − centre); with spread = (hits + misses)·σ(t)·σ(−t), its sum, its
// mean x less the centre, and Σ spread·(x less that mean)².
struct LogisticMoments {
    double likelihood, higher, steeper, weight, away, square;
};

struct LogisticLanes {
    // Of n <= 2048 score levels.
    void (*moments)(const double* x, const double* misses, const double* hits, int64_t n, const LogisticLine& line,
                    LogisticMoments* out);

    // Σ rest·(σ(t)·s)² + own·(σ(−t)·s)² with s = gain + turn·(x − about), of n <= 2048 score levels; what weighs nothing
    // counts for nothing.
    double (*squares)(const double* x, const double* rest, const double* own, int64_t n, const LogisticLine& line,
                      double gain, double turn, double about);
};

}  // namespace karat
