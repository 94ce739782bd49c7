// Paths of points in the plane: their hull, and the points that draw them best.
#pragma once

#include <cstdint>
#include <vector>

namespace karat {

// Places of the corners of the upper convex hull of a path that never falls in x or in y, both
// ends included. The sign of every turn is exact; points on an edge are no corners. n >= 1.
std::vector<int64_t> upper_hull(const double* x, const double* y, int64_t n);

// The same n points drawn in several planes: rows x, y, x, y, … of contiguous doubles.
struct Paths {
    const double* rows;
    int64_t n_planes;
    int64_t n;

    const double* x(int64_t plane) const { return rows + 2 * plane * n; }
    const double* y(int64_t plane) const { return rows + (2 * plane + 1) * n; }
};

// Places, ascending, of the ends, of `first`, and of the points that matter most: at most `limit`
// (n >= 2, limit >= 2). A point matters as much as it is far, in the plane where it is furthest,
// from the line between its neighbours among those taken before, and never more than the point
// that was taken before it in that gap. Points on the lines drawn are never taken.
std::vector<int64_t> furthest_points(const Paths& paths, int64_t limit, const int32_t* first,
                                     int64_t n_first);

}  // namespace karat
