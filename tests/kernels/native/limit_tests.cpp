// Metrics along curves of shares, and classes combined, against the definitions.
#include <cmath>
#include <limits>

#include "check.hpp"
#include "kernels/combine_classes.hpp"
#include "kernels/follow_curve.hpp"

namespace karat_tests {
namespace {

constexpr double kStep = 1e-6;

bool is_near(double actual, double expected, double within = 1e-12) {
    return std::fabs(actual - expected) <= within * (1 + std::fabs(expected));
}

double unit(Random& random) { return static_cast<double>(below(random, 1001)) / 1000.0; }

void check_curve(Random& random, int64_t k) {
    // Hits are tp; misses are fp and fn.
    Exact<double> counted(std::vector<double>{0, 0, 0, 1, 0, 1, 1, 0});
    const karat::ShareCurve curve{2, 0.25, 1, -3, counted.data()};
    const double total = 1000;
    Exact<double> sides(2 * k), limits(2 * k), found(4 * k), partials(4 * k);
    for (int64_t i = 0; i < 2 * k; ++i) {
        sides[i] = static_cast<double>(below(random, 3) * below(random, 90));
        limits[i] = unit(random);
    }
    karat::follow_curve(curve, sides.data(), limits.data(), k, total, found.data(),
                        partials.data());
    const auto at = [](double p) { return (2 * p + 0.25) / (1 + p); };
    for (int64_t i = 0; i < k; ++i) {
        const double hits = sides[i], misses = sides[k + i], n = hits + misses;
        const double p = n > 0 ? hits / n : 0.5;
        check_same(found[i], n > 0 ? at(p) : -3.0, "a value on a curve");
        const double low = n > 0 ? std::fmin(limits[i], p) : 0;
        const double high = n > 0 ? std::fmax(limits[k + i], p) : 1;
        check_same(is_near(found[k + i], at(low)), true, "a lower limit on a curve");
        check_same(is_near(found[2 * k + i], at(high)), true, "an upper limit on a curve");
        double variance = 0;
        for (int64_t cell = 0; cell < 4; ++cell) {
            double slope = 0;
            if (n > 0) {
                const double h = hits + kStep * counted[cell], m = misses + kStep * counted[4 + cell];
                slope = (at(h / (h + m)) - at(p)) / kStep * total;
            }
            check_same(is_near(partials[4 * i + cell], slope, 1e-3), true, "a slope on a curve");
        }
        if (n > 0) {
            const double hit = partials[4 * i + 3], miss = partials[4 * i + 1];
            variance = (hits * hit * hit + misses * miss * miss) / (total * total);
        }
        check_same(is_near(found[3 * k + i], variance), true, "a variance on a curve");
    }
}

}  // namespace

void test_limits(Random& random) {
    for (const int64_t k : {0, 1, 2, 40}) check_curve(random, k);

    // A class that rises, one that falls, one that does not vary, one without a value; a limit on
    // the wrong side, and a variance that is no number.
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    Exact<double> value(std::vector<double>{0.5, 0.5, 0.5, kNone, 0.5, 0.5});
    Exact<double> low(std::vector<double>{0.25, 0.25, 0.25, 0, 0.75, 0.25});
    Exact<double> high(std::vector<double>{1, 1, 1, 1, 1, 1});
    Exact<double> variance(std::vector<double>{4, 4, 0, 4, 4, kNone});
    Exact<double> slopes(std::vector<double>{2, -2, 3, 1, 1, 1}), factors(18);
    const karat::ClassNumbers classes{6, value.data(), low.data(), high.data(), variance.data()};
    const karat::StillClasses still =
        karat::combine_classes(classes, slopes.data(), factors.data());
    const std::vector<double> expected{0.25, -0.5, 0, 0, 0, 0, 0.5, -0.25, 0,
                                       0,    0.25, 0, 2, -2, 3, 1,   1,     1};
    for (int64_t at = 0; at < 18; ++at) check_same(factors[at], expected[at], "a factor");
    check_same(still.below, 0.75 * 0.75 + 0.25 * 0.25, "the distance below of what is still");
    check_same(still.above, 1.5 * 1.5 + 0.5 * 0.5, "the distance above of what is still");
    check_same(still.n, int64_t{1}, "how many are still");
    karat::combine_classes({}, nullptr, nullptr);
}

}  // namespace karat_tests
