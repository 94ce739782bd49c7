#include "kernels/table_variance.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "kernels/running_sums.hpp"

namespace karat {
namespace {

// The derivative of one metric at every listed cell.
void spread_out(const WeighedCells& cells, const double* slopes, const double* listed, double* g) {
    const int64_t k = cells.k;
    const double *truth = slopes, *predicted = slopes + k, *same = slopes + 2 * k;
    if (cells.rows) {
        for (int64_t at = 0; at < cells.m; ++at) {
            const int32_t i = cells.rows[at], j = cells.cols[at];
            g[at] = truth[i] + predicted[j] + (i == j ? same[i] : 0.0);
        }
    } else {
        for (int64_t i = 0; i < k; ++i) {
            for (int64_t j = 0; j < k; ++j) g[i * k + j] = truth[i] + predicted[j];
            g[i * k + i] += same[i];
        }
    }
    if (listed)
        for (int64_t at = 0; at < cells.m; ++at) g[at] += listed[at];
}

constexpr double kDust = 1e-12;

}  // namespace

void table_variances(const WeighedCells& cells, const double* slopes, const double* listed,
                     int64_t d, bool is_by_true, double* variances) {
    const int64_t k = cells.k, m = cells.m;
    const double *w = cells.weights, *squares = cells.squares ? cells.squares : w;
    const auto row_of = [&](int64_t at) { return cells.rows ? int64_t{cells.rows[at]} : at / k; };
    const double total = sum(m, [&](int64_t at) { return w[at]; });
    std::vector<double> phi(static_cast<size_t>(m)), root(static_cast<size_t>(m)), margin, means;
    double least = 1;
    for (int64_t at = 0; at < m; ++at) {
        root[at] = std::sqrt(squares[at]) / total;
        if (w[at] > 0) least = std::min(least, root[at]);
    }
    if (is_by_true) {
        margin.assign(static_cast<size_t>(k), 0.0);
        for (int64_t at = 0; at < m; ++at) margin[row_of(at)] += w[at];
    }
    for (int64_t a = 0; a < d; ++a) {
        spread_out(cells, slopes + a * 3 * k, listed ? listed + a * m : nullptr, phi.data());
        double most = 0;
        for (int64_t at = 0; at < m; ++at) most = std::max(most, std::fabs(phi[at]));
        if (is_by_true) {
            means.assign(static_cast<size_t>(k), 0.0);
            for (int64_t at = 0; at < m; ++at) means[row_of(at)] += phi[at] * w[at];
            for (int64_t i = 0; i < k; ++i) means[i] = margin[i] > 0 ? means[i] / margin[i] : 0.0;
            for (int64_t at = 0; at < m; ++at) phi[at] -= means[row_of(at)];
        } else {
            const double mean = sum(m, [&](int64_t at) { return phi[at] * w[at]; }) / total;
            for (int64_t at = 0; at < m; ++at) phi[at] -= mean;
        }
        if (m == 0) {
            variances[a] = std::numeric_limits<double>::quiet_NaN();
            continue;
        }
        // The influence of a row of a class that weighs next to nothing has no square.
        variances[a] = sum(m, [&](int64_t at) {
            const double part = phi[at] * root[at];
            return part * part;
        });
        if (std::sqrt(variances[a]) <= kDust * (least * most)) variances[a] = 0;
    }
}

}  // namespace karat
