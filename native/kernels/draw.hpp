// Exact draws of counts and of positive numbers: by inversion where the mean is small, by rejection
// from a transformed hat where it is not.
#pragma once

#include <cstdint>

#include "kernels/random.hpp"

namespace karat {

// Poisson with one rate, prepared once: inversion below 10, else PTRS of Hörmann (1993), The
// transformed rejection method for generating Poisson random variables. 0 <= rate <= 2^52.
class Poisson {
public:
    explicit Poisson(double rate);
    double draw(Draws& draws) const;

private:
    double rate_, a_ = 0, b_ = 0, log_inverse_alpha_ = 0, squeeze_ = 0;  // small rate: a_ = e^-rate
};

// Binomial of n trials: inversion where n·min(p, 1 − p) < 10 (Kachitvichyanukul, Schmeiser 1988,
// Binomial random variate generation), else BTRS of Hörmann (1993), The generation of binomial
// random variates. 0 <= p <= 1, n >= 0.
int64_t draw_binomial(int64_t n, double p, Draws& draws);

// Gamma of one shape > 0 and scale 1: Marsaglia, Tsang (2000). A simple method for generating gamma
// variables. Shapes below 1 take a power of a uniform besides.
double draw_gamma(double shape, Draws& draws);

}  // namespace karat
