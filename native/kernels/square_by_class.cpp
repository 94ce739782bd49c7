#include "kernels/square_by_class.hpp"

#include <algorithm>
#include <vector>

namespace karat {

int64_t square_by_class(const double* values, int64_t width, const int32_t* codes, const double* squares,
                        const double* offsets, int64_t n, int64_t m, int64_t k, double* out) {
    // So many rows are added up by themselves, so that little of a long sum is lost.
    constexpr int64_t kStretch = 32768;
    // By class first: what a row reads and adds to lies side by side.
    std::vector<double> of_class(static_cast<size_t>(m * k)), part(static_cast<size_t>(m * k)),
        whole(static_cast<size_t>(m * k));
    for (int64_t s = 0; s < m; ++s)
        for (int64_t c = 0; c < k; ++c) of_class[c * m + s] = offsets[s * k + c];
    int64_t n_wrong = 0;
    for (int64_t first = 0; first < n; first += kStretch) {
        const int64_t last = std::min(n, first + kStretch);
        std::fill(part.begin(), part.end(), 0.0);
        for (int64_t i = first; i < last; ++i) {
            const int64_t c = codes[i];
            if (c < 0 || c >= k) {
                ++n_wrong;
                continue;
            }
            const double square = squares == nullptr ? 1.0 : squares[i];
            if (!(square > 0)) continue;
            const double *const given = values + i * width, *const offset = of_class.data() + c * m;
            double* const to = part.data() + c * m;
            for (int64_t s = 0; s < m; ++s) {
                const double x = given[s] + offset[s];
                to[s] += square * (x * x);
            }
        }
        for (size_t at = 0; at < whole.size(); ++at) whole[at] += part[at];
    }
    for (int64_t s = 0; s < m; ++s)
        for (int64_t c = 0; c < k; ++c) out[s * k + c] = whole[c * m + s];
    return n_wrong;
}

}  // namespace karat
