// How well a line through log-odds fits what came true, and how the score levels move it.
#pragma once

#include <cstdint>

#include "kernels/lanes_logistic.hpp"

namespace karat {

// Of n score levels at x, with the weight of what did not and of what did come true. The sums have one order on every
// machine, and no moment is subtracted from another.
LogisticMoments logistic_moments(const double* x, const double* misses, const double* hits, int64_t n,
                                 const LogisticLine& line);

// See lanes_logistic.hpp.
double logistic_squares(const double* x, const double* rest, const double* own, int64_t n, const LogisticLine& line,
                        double gain, double turn, double about);

}  // namespace karat
