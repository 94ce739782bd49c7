#include "kernels/follow_curve.hpp"

#include <algorithm>

namespace karat {

void follow_curve(const ShareCurve& curve, const double* sides, const double* limits, int64_t k,
                  double total, double* found, double* partials) {
    const auto at = [&](double p) { return (p * curve.a + curve.b) / (1 + curve.c * p); };
    double *value = found, *low = found + k, *high = found + 2 * k, *variance = found + 3 * k;
    for (int64_t i = 0; i < k; ++i) {
        const double hits = sides[i], n = hits + sides[k + i];
        double* partial = partials + 4 * i;
        if (!(n > 0)) {
            value[i] = curve.missing;
            low[i] = at(0);
            high[i] = at(1);
            variance[i] = 0;
            std::fill(partial, partial + 4, 0.0);
            continue;
        }
        const double p = hits / n, other = 1 - p, bend = 1 + curve.c * p;
        const double slope = (curve.a - curve.b * curve.c) / (bend * bend), scale = total / n * slope;
        value[i] = at(p);
        low[i] = at(std::min(limits[i], p));
        high[i] = at(std::max(limits[k + i], p));
        variance[i] = p * other / n * (slope * slope);
        for (int64_t cell = 0; cell < 4; ++cell)
            partial[cell] = scale * (other * curve.counted[cell] - p * curve.counted[4 + cell]);
    }
}

}  // namespace karat
