#include "kernels/draw.hpp"

#include <cmath>

namespace karat {
namespace {

constexpr double kInversionBelow = 10.0;

// What Stirling's formula lacks: log k! − ½·log 2π − (k + ½)·log(k + 1) + (k + 1).
double stirling_rest(double k) {
    static constexpr double of_small[] = {
        0.08106146679532726, 0.04134069595540929, 0.02767792568499834, 0.02079067210376509,
        0.01664469118982119, 0.01387612882307075, 0.01189670994589177, 0.01041126526197209,
        0.009255462182712733, 0.008330563433362871};
    if (k < 10) return of_small[static_cast<int>(k)];
    const double above = k + 1.0, square = above * above;
    return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / above;
}

// Hörmann's hat: the candidate for u, and how far u is from the ends of (−½, ½).
struct Candidate {
    double us, k;
    Candidate(double u, double a, double b, double c)
        : us(0.5 - std::fabs(u)), k(std::floor((2.0 * a / us + b) * u + c)) {}
};

int64_t invert_binomial(int64_t n, double p, Draws& draws) {
    const double q = 1.0 - p, odds = p / q, a = (static_cast<double>(n) + 1.0) * odds;
    const double start = std::exp(static_cast<double>(n) * std::log1p(-p));
    for (;;) {
        double u = draws.uniform(), term = start;
        for (int64_t k = 0; k <= n; ++k) {
            if (u <= term) return k;
            u -= term;
            term *= a / static_cast<double>(k + 1) - odds;
        }
        // The terms sum up to 1 but for rounding: another number.
    }
}

int64_t reject_binomial(int64_t trials, double p, Draws& draws) {
    const double n = static_cast<double>(trials), q = 1.0 - p, spread = std::sqrt(n * p * q);
    const double b = 1.15 + 2.53 * spread, a = -0.0873 + 0.0248 * b + 0.01 * p;
    const double c = n * p + 0.5, squeeze = 0.92 - 4.2 / b, alpha = (2.83 + 5.1 / b) * spread;
    const double m = std::floor((n + 1.0) * p), odds = p / q, nm = n - m + 1.0;
    const double h = (m + 0.5) * std::log((m + 1.0) / (odds * nm)) + stirling_rest(m) +
                     stirling_rest(n - m);
    for (;;) {
        const double u = draws.uniform() - 0.5;
        double v = draws.uniform();
        const Candidate found(u, a, b, c);
        const double k = found.k;
        if (k < 0 || k > n) continue;
        if (found.us >= 0.07 && v <= squeeze) return static_cast<int64_t>(k);
        v = std::log(v * alpha / (a / (found.us * found.us) + b));
        const double nk = n - k + 1.0;
        // Logarithms of ratios near 1: large n loses nothing.
        if (v <= h + (n + 1.0) * std::log(nm / nk) + (k + 0.5) * std::log(nk * odds / (k + 1.0)) -
                     stirling_rest(k) - stirling_rest(n - k))
            return static_cast<int64_t>(k);
    }
}

}  // namespace

Poisson::Poisson(double rate) : rate_(rate) {
    if (rate < kInversionBelow) {
        a_ = std::exp(-rate);
        return;
    }
    b_ = 0.931 + 2.53 * std::sqrt(rate);
    a_ = -0.059 + 0.02483 * b_;
    log_inverse_alpha_ = std::log(1.1239 + 1.1328 / (b_ - 3.4));
    squeeze_ = 0.9277 - 3.6224 / (b_ - 2.0);
}

double Poisson::draw(Draws& draws) const {
    if (rate_ < kInversionBelow) {
        double u = draws.uniform(), term = a_, k = 0;
        // Beyond the last step of u lies rounding alone.
        while (u > term && (k < rate_ || term > 0x1p-60)) {
            u -= term;
            k += 1.0;
            term *= rate_ / k;
        }
        return k;
    }
    for (;;) {
        const double u = draws.uniform() - 0.5, v = draws.uniform();
        const Candidate found(u, a_, b_, rate_ + 0.43);
        const double k = found.k;
        if (found.us >= 0.07 && v <= squeeze_) return k;
        if (k < 0 || (found.us < 0.013 && v > found.us)) continue;
        constexpr double kHalfLogTwoPi = 0.9189385332046727;
        const double log_chance = k * std::log(rate_ / (k + 1.0)) + (k + 1.0 - rate_) -
                                  0.5 * std::log(k + 1.0) - kHalfLogTwoPi - stirling_rest(k);
        if (std::log(v) + log_inverse_alpha_ - std::log(a_ / (found.us * found.us) + b_) <=
            log_chance)
            return k;
    }
}

int64_t draw_binomial(int64_t n, double p, Draws& draws) {
    if (n <= 0 || p <= 0) return 0;
    if (p >= 1) return n;
    if (p > 0.5) return n - draw_binomial(n, 1.0 - p, draws);
    return static_cast<double>(n) * p < kInversionBelow ? invert_binomial(n, p, draws)
                                                        : reject_binomial(n, p, draws);
}

double draw_gamma(double shape, Draws& draws) {
    double boost = 1.0;
    if (shape < 1.0) {
        boost = std::pow(draws.uniform(), 1.0 / shape);
        shape += 1.0;
    }
    const double d = shape - 1.0 / 3, c = 1.0 / std::sqrt(9.0 * d);
    for (;;) {
        // One of the two numbers of Box, Muller (1958), and what accepts it, of four words.
        constexpr double kTwoPi = 6.283185307179586;
        const Words words = draws.words();
        const double radius = std::sqrt(-2.0 * std::log(uniform_of(words[0], words[1])));
        const double x = radius * std::cos(kTwoPi * uniform_of(words[2])), root = 1.0 + c * x;
        if (root <= 0) continue;
        const double v = root * root * root, u = uniform_of(words[3]);
        if (u < 1.0 - 0.0331 * x * x * x * x ||
            std::log(u) < 0.5 * x * x + d * (1.0 - v + std::log(v)))
            return boost * d * v;
    }
}

}  // namespace karat
