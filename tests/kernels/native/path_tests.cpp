// Hulls of paths and points that draw them, against their definitions.
#include <algorithm>
#include <cmath>

#include "check.hpp"
#include "kernels/paths.hpp"

namespace karat_tests {

namespace {

// A path of counts that never falls: every step adds something.
void climb(Random& random, int64_t most, Exact<double>& x, Exact<double>& y) {
    for (int64_t i = 1; i < x.size(); ++i) {
        const int64_t dx = below(random, most), dy = below(random, most);
        x[i] = x[i - 1] + static_cast<double>(dx);
        y[i] = y[i - 1] + static_cast<double>(dx + dy > 0 ? dy : 1);
    }
}

int64_t turn(const Exact<double>& x, const Exact<double>& y, int64_t a, int64_t b, int64_t c) {
    const auto whole = [](double value) { return static_cast<int64_t>(value); };
    return whole(x[b] - x[a]) * whole(y[c] - y[b]) - whole(y[b] - y[a]) * whole(x[c] - x[b]);
}

}  // namespace

void test_paths(Random& random) {
    check_same(karat::upper_hull(nullptr, nullptr, 0).size(), size_t{0}, "hull of nothing");
    for (const int64_t n : {1, 2, 3, 50, 2000})
        for (const int64_t most : {2, 5, 1000}) {
            Exact<double> x(n), y(n);
            x[0] = y[0] = 0;
            climb(random, most, x, y);
            const std::vector<int64_t> hull = karat::upper_hull(x.data(), y.data(), n);
            check_same(hull.front(), int64_t{0}, "first corner");
            check_same(hull.back(), n - 1, "last corner");
            for (size_t k = 0; k + 1 < hull.size(); ++k) {
                if (k > 0)
                    check_same(turn(x, y, hull[k - 1], hull[k], hull[k + 1]) < 0, true,
                               "a corner turns right");
                for (int64_t i = hull[k] + 1; i < hull[k + 1]; ++i)
                    check_same(turn(x, y, hull[k], i, hull[k + 1]) >= 0, true,
                               "no point above an edge");
            }
            if (n < 2) continue;
            Exact<double> rows(4 * n);
            for (int64_t i = 0; i < n; ++i) {
                rows[i] = rows[2 * n + i] = x[i];
                rows[n + i] = y[i];
                rows[3 * n + i] = static_cast<double>(below(random, 9));
            }
            const Exact<int32_t> first(std::vector<int32_t>{static_cast<int32_t>(n / 2)});
            for (const int64_t limit : {3, 10, 4000}) {
                const std::vector<int64_t> found =
                    karat::furthest_points({rows.data(), 2, n}, limit, first.data(), 1);
                check_same(static_cast<int64_t>(found.size()) <= limit, true, "no more points");
                check_same(std::is_sorted(found.begin(), found.end()), true, "ascending");
                check_same(std::count(found.begin(), found.end(), n / 2), std::ptrdiff_t{1},
                           "the point to be taken in any case");
            }
        }
}

}  // namespace karat_tests
