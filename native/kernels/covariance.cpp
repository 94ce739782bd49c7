#include "kernels/covariance.hpp"

#include <algorithm>
#include <vector>

#include "kernels/running_sums.hpp"

namespace karat {

void covariance(const double* phi, const double* weights, const double* squares, double total, int64_t d,
                int64_t n, double* out) {
    // So many numbers are added up by themselves: little of a long sum is lost, and what is read again
    // for the next product lies in the cache.
    constexpr int64_t kStretch = 1024;
    std::vector<double> means(static_cast<size_t>(d));
    for (int64_t a = 0; a < d; ++a) {
        const double* const row = phi + a * n;
        double whole = 0;
        for (int64_t first = 0; first < n; first += kStretch) {
            const double* const at = row + first;
            const int64_t size = std::min(kStretch, n - first);
            whole += weights == nullptr
                         ? sum(size, [&](int64_t i) { return at[i]; })
                         : sum(size, [&](int64_t i) { return at[i] * weights[first + i]; });
        }
        means[a] = whole / total;
    }
    std::fill(out, out + d * d, 0.0);
    std::vector<double> centred(static_cast<size_t>(d * kStretch)), times(static_cast<size_t>(kStretch));
    for (int64_t first = 0; first < n; first += kStretch) {
        const int64_t size = std::min(kStretch, n - first);
        for (int64_t a = 0; a < d; ++a) {
            const double* const from = phi + a * n + first;
            double* const to = centred.data() + a * kStretch;
            for (int64_t i = 0; i < size; ++i) to[i] = from[i] - means[a];
        }
        for (int64_t a = 0; a < d; ++a) {
            const double* left = centred.data() + a * kStretch;
            if (squares != nullptr) {
                for (int64_t i = 0; i < size; ++i) times[i] = left[i] * squares[first + i];
                left = times.data();
            }
            for (int64_t b = a; b < d; ++b) {
                const double* const right = centred.data() + b * kStretch;
                out[a * d + b] += sum(size, [&](int64_t i) { return left[i] * right[i]; });
            }
        }
    }
    for (int64_t a = 0; a < d; ++a)
        for (int64_t b = a; b < d; ++b) {
            out[a * d + b] /= total * total;
            out[b * d + a] = out[a * d + b];
        }
}

}  // namespace karat
