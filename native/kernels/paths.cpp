#include "kernels/paths.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>

namespace karat {
namespace {

// a·d − b·c of numbers of at least 0, with the right sign.
double turn(double a, double b, double c, double d) {
    const double left = a * d, right = b * c, difference = left - right;
    if (std::abs(difference) > 1e-15 * (left + right)) return difference;
    // Kahan: the error of one product is added back; 0 exactly where both are equal.
    return std::fma(a, d, -right) + std::fma(-b, c, right);
}

// Squared distance from the line between two points, seen from the first.
struct Line {
    Line(double xa, double ya, double xb, double yb) : x(xa), y(ya), dx(xb - xa), dy(yb - ya) {
        const double length = dx * dx + dy * dy;
        inverse = length > 0 ? 1.0 / length : 0.0;
    }
    double squared_distance(double px, double py) const {
        const double ux = px - x, uy = py - y;
        const double part = std::min(std::max((ux * dx + uy * dy) * inverse, 0.0), 1.0);
        const double ex = ux - part * dx, ey = uy - part * dy;
        return ex * ex + ey * ey;
    }

    double x, y, dx, dy, inverse;
};

// What lies between two points that are taken, and the point that would be taken next.
struct Gap {
    double importance;
    int64_t order, a, b, best;

    // Less: taken later. Among equals the gap that was made first, so that no point is taken
    // before the one whose line it is far from.
    bool operator<(const Gap& other) const {
        return importance != other.importance ? importance < other.importance : order > other.order;
    }
};

Gap gap_between(const Paths& paths, int64_t a, int64_t b, double cap, int64_t order,
                std::vector<double>& far) {
    far.assign(static_cast<size_t>(b - a), 0.0);
    for (int64_t plane = 0; plane < paths.n_planes; ++plane) {
        const double* x = paths.x(plane);
        const double* y = paths.y(plane);
        const Line line(x[a], y[a], x[b], y[b]);
        for (int64_t i = a + 1; i < b; ++i) {
            const double found = line.squared_distance(x[i], y[i]);
            if (found > far[i - a]) far[i - a] = found;
        }
    }
    const auto best = std::max_element(far.begin(), far.end());
    return {std::min(*best, cap), order, a, b, a + (best - far.begin())};
}

}  // namespace

std::vector<int64_t> upper_hull(const double* x, const double* y, int64_t n) {
    std::vector<int64_t> corners;
    for (int64_t i = 0; i < n; ++i) {
        while (corners.size() > 1) {
            const int64_t a = corners[corners.size() - 2], b = corners.back();
            // Left of or on the line: the corner before is none.
            if (turn(x[b] - x[a], x[i] - x[b], y[b] - y[a], y[i] - y[b]) < 0) break;
            corners.pop_back();
        }
        corners.push_back(i);
    }
    return corners;
}

std::vector<int64_t> furthest_points(const Paths& paths, int64_t limit, const int32_t* first,
                                     int64_t n_first) {
    std::vector<int64_t> taken(first, first + n_first);
    taken.push_back(0);
    taken.push_back(paths.n - 1);
    std::sort(taken.begin(), taken.end());
    taken.erase(std::unique(taken.begin(), taken.end()), taken.end());
    std::priority_queue<Gap> gaps;
    std::vector<double> far;
    int64_t order = 0;
    const double any = std::numeric_limits<double>::infinity();
    for (size_t i = 1; i < taken.size(); ++i)
        gaps.push(gap_between(paths, taken[i - 1], taken[i], any, order++, far));
    while (static_cast<int64_t>(taken.size()) < limit && gaps.top().importance > 0) {
        const Gap gap = gaps.top();
        gaps.pop();
        taken.push_back(gap.best);
        gaps.push(gap_between(paths, gap.a, gap.best, gap.importance, order++, far));
        gaps.push(gap_between(paths, gap.best, gap.b, gap.importance, order++, far));
    }
    std::sort(taken.begin(), taken.end());
    return taken;
}

}  // namespace karat
