#include "kernels/combine_classes.hpp"

#include <cmath>
#include <utility>

namespace karat {
namespace {

// How far away a limit is; NaN stays.
double distance(double from, double to) {
    const double found = to - from;
    return found < 0 ? 0.0 : found;
}

}  // namespace

StillClasses combine_classes(const ClassNumbers& classes, const double* slopes, double* factors) {
    const int64_t k = classes.k;
    StillClasses still;
    for (int64_t i = 0; i < k; ++i) {
        const double slope = slopes[i], value = classes.value[i], variance = classes.variance[i];
        double below = 0, above = 0;
        if (std::isfinite(value)) {
            below = distance(classes.low[i], value);
            above = distance(value, classes.high[i]);
        }
        // What falls as a class rises is lowest where the class is highest.
        if (!(slope >= 0)) std::swap(below, above);
        below *= slope;
        above *= slope;
        if (variance > 0) {
            const double error = std::sqrt(variance);
            below /= error;
            above /= error;
        } else {
            still.below += below * below;
            still.above += above * above;
            below = above = 0;
        }
        if (variance <= 0) ++still.n;
        factors[i] = below;
        factors[k + i] = above;
        factors[2 * k + i] = slope;
    }
    return still;
}

}  // namespace karat
