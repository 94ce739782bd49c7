#include "kernels/beta_quantile.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace karat {
namespace {

constexpr double kTwoPi = 6.283185307179586;
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kTiny = 1e-300;
constexpr double kShort = 0.01;  // with such a side, 1 − x of less than half a bit is far less
constexpr int kMostSteps = 200;
// The terms of the fraction grow with the root of a side, up to more than any machine adds: where
// both sides are beyond the first of these, or one is beyond the second, it is not asked.
constexpr double kNormalSides = 1e9, kMostSide = 1e15, kRatio = 1e6;

// ln Γ(n + 1) less Stirling's n·ln n − n + ½·ln(2πn).
double stirling_error(double n) {
    double error = 0.0;
    for (; n <= 16.0; ++n) error += (n + 0.5) * std::log1p(1.0 / n) - 1.0;
    const double n2 = n * n;
    return error + (1.0 / 12 - (1.0 / 360 - (1.0 / 1260 - (1.0 / 1680 - 1.0 / 1188 / n2) / n2) / n2) /
                                   n2) / n;
}

// x·ln(x ÷ m) + m − x, also where x is close to m; off: x − m.
double deviance(double x, double m, double off) {
    const double v = off / (x + m);
    if (std::abs(v) >= 0.1) return x * std::log(x / m) - off;
    double sum = off * v, term = 2.0 * x * v;
    for (int j = 3; j < 200; j += 2) {
        term *= v * v;
        const double next = sum + term / j;
        if (next == sum) break;
        sum = next;
    }
    return sum;
}

// x^a · (1 − x)^b ÷ B(a, b), from both x and y = 1 − x.
double factor(double a, double b, double x, double y) {
    // What a is above its expectation, b is below; from the smaller share it has more digits.
    const double n = a + b, off = x < y ? std::fma(-n, x, a) : -std::fma(-n, y, b);
    const double logarithm = stirling_error(n) - stirling_error(a) - stirling_error(b) -
                             deviance(a, n * x, off) - deviance(b, n * y, -off);
    return std::exp(logarithm) * std::sqrt(a * b / (kTwoPi * n));
}

// The continued fraction by Lentz's method.
double fraction(double a, double b, double x) {
    double c = 1.0, d = 1.0 - (a + b) * x / (a + 1.0);
    d = 1.0 / (std::abs(d) < kTiny ? kTiny : d);
    double h = d;
    const double most = 100.0 + 20.0 * std::sqrt(std::max(a, b));
    for (double m = 1.0; m < most; ++m) {
        const double even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 + even * d;
        c = 1.0 + even / c;
        d = 1.0 / (std::abs(d) < kTiny ? kTiny : d);
        if (std::abs(c) < kTiny) c = kTiny;
        h *= d * c;
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 + odd * d;
        c = 1.0 + odd / c;
        d = 1.0 / (std::abs(d) < kTiny ? kTiny : d);
        if (std::abs(c) < kTiny) c = kTiny;
        h *= d * c;
        if (std::abs(d * c - 1.0) <= kEpsilon) break;
    }
    return h;
}

// The normal quantile to three digits (Abramowitz, Stegun 1964, 26.2.22).
double rough_normal(double p) {
    const double t = std::sqrt(-2.0 * std::log(std::min(p, 1.0 - p)));
    const double z = (2.30753 + t * 0.27061) / (1.0 + t * (0.99229 + t * 0.04481)) - t;
    return p < 0.5 ? z : -z;
}

// To all digits, by Halley's steps on the tail beyond it.
double normal(double p) {
    const double tail = std::min(p, 1.0 - p);
    double z = std::abs(rough_normal(p));
    for (int step = 0; step < 3; ++step) {
        const double density = std::exp(-0.5 * z * z) / std::sqrt(kTwoPi);
        const double off = (0.5 * std::erfc(z * std::sqrt(0.5)) - tail) / density;
        if (std::isfinite(off)) z += off / (1.0 - 0.5 * off * z);
    }
    return p < 0.5 ? -z : z;
}

// Of two large sides: Cornish and Fisher's expansion (1938).
double expanded(double a, double b, double p) {
    const double n = a + b, share = a / n, rest = b / n, rows = share * rest * n;
    const double z = normal(p), skew = 2.0 * (rest - share) / std::sqrt(rows);
    const double excess = 6.0 * ((share - rest) * (share - rest) - share * rest) / rows;
    const double bent = z + skew * (z * z - 1.0) / 6.0 + excess * z * (z * z - 3.0) / 24.0 -
                        skew * skew * z * (2.0 * z * z - 5.0) / 36.0;
    return std::min(share + bent * std::sqrt(share * rest / (n + 1.0)), 1.0);
}

// Of one side beyond any number of rows: −ln of what the other side leaves, times
// large + (small − 1) ÷ 2, hardly depends on the large one (Wise 1950).
double few_of_many(double a, double b, double p) {
    const double small = std::min(a, b), large = kRatio * std::max(small, 1.0);
    const double factor = (large + 0.5 * (small - 1.0)) / (std::max(a, b) + 0.5 * (small - 1.0));
    if (a < b) return -std::expm1(std::log1p(-beta_quantile(a, large, p)) * factor);
    return std::exp(std::log(beta_quantile(large, b, p)) * factor);
}

// A point to start from: normal for large a and b, else by the powers at both ends.
double start(double a, double b, double p) {
    if (a >= 1.0 && b >= 1.0) {
        const double z = -rough_normal(p);
        const double l = (z * z - 3.0) / 6.0;
        const double h = 2.0 / (1.0 / (2.0 * a - 1.0) + 1.0 / (2.0 * b - 1.0));
        const double w = z * std::sqrt(l + h) / h -
                         (1.0 / (2.0 * b - 1.0) - 1.0 / (2.0 * a - 1.0)) *
                             (l + 5.0 / 6.0 - 2.0 / (3.0 * h));
        return a / (a + b * std::exp(2.0 * w));
    }
    const double t = std::exp(a * std::log(a / (a + b))) / a;
    const double u = std::exp(b * std::log(b / (a + b))) / b;
    return p < t / (t + u) ? std::pow(a * (t + u) * p, 1.0 / a)
                           : 1.0 - std::pow(b * (t + u) * (1.0 - p), 1.0 / b);
}

}  // namespace

double beta_quantile(double a, double b, double p) {
    const bool is_finite = std::isfinite(a) && std::isfinite(b);
    if (!(a > 0.0 && b > 0.0 && is_finite && p >= 0.0 && p <= 1.0))
        return std::numeric_limits<double>::quiet_NaN();
    if (p == 0.0 || p == 1.0) return p;
    // No number tells what is beside the mean.
    if (!std::isfinite(a + b)) return 0.5 * a / (0.5 * a + 0.5 * b);
    // All lies at both ends.
    if (std::min(a, b) < kTiny) return p * (a + b) < b ? 0.0 : 1.0;
    if (std::min(a, b) > kNormalSides) return expanded(a, b, p);
    if (std::max(a, b) > kMostSide) return few_of_many(a, b, p);
    double low = 0.0, high = 1.0, x = start(a, b, p);
    if (x == 0.0 || (x == 1.0 && b < kShort)) return x;  // next to the end
    if (!(x > low && x < high)) x = a / (a + b);
    for (int step = 0; step < kMostSteps; ++step) {
        const double y = 1.0 - x, here = factor(a, b, x, y);
        const bool is_left = x < (a + 1.0) / (a + b + 2.0);
        const double off = is_left ? here * fraction(a, b, x) / a - p
                                   : (1.0 - p) - here * fraction(b, a, y) / b;
        if (off == 0.0) return x;
        (off < 0.0 ? low : high) = x;
        // The density is here ÷ (x·y).
        const double newton = off / here * x * y;
        const double bend = newton * ((a - 1.0) / x - (b - 1.0) / y);
        double next = x - newton / (1.0 - 0.5 * std::min(1.0, bend));
        if (std::abs(next - x) <= 2.0 * kEpsilon * x) return std::min(next, 1.0);
        if (!(next > low && next < high)) next = low > 0.0 ? 0.5 * (low + high) : 0.5 * x;
        if (next == x || next == 0.0) return next;
        x = next;
    }
    return x;
}

}  // namespace karat
