// karat._native: upper_hull, furthest_points.
#include "kernels/paths.hpp"

#include "bind/arrays.hpp"

namespace karat {
namespace {

nb::object hull_of(nb::handle x, nb::handle y) {
    const Input of_x(x, "x", 1), of_y(y, "y", 1);
    check_length("x", of_x.length(), "y", of_y.length());
    const double* xs = of_x.doubles(true);
    const double* ys = of_y.doubles(true);
    std::vector<int64_t> places;
    {
        const Unlocked unlocked(of_x.length());
        places = upper_hull(xs, ys, of_x.length());
    }
    return owned(std::move(places));
}

nb::object furthest_of(nb::handle paths, int64_t limit, nb::handle first) {
    const Input rows(paths, "paths", 2), of_first(first, "first", 1);
    const int64_t n = rows.width();
    const double* data = rows.doubles(false);
    const int32_t* places = of_first.int32s();
    if (rows.length() % 2 != 0 || rows.column_stride() != 8 || rows.stride() != 8 * n)
        throw nb::value_error("paths must be a contiguous array [2 · planes, n]");
    if (n < 2 || limit < 2) throw nb::value_error("there must be two points, and room for them");
    for (int64_t i = 0; i < of_first.length(); ++i)
        if (places[i] < 0 || places[i] >= n) throw nb::index_error("first must name points");
    std::vector<int64_t> found;
    {
        const Unlocked unlocked(n);
        found = furthest_points({data, rows.length() / 2, n}, limit, places, of_first.length());
    }
    return owned(std::move(found));
}

}  // namespace

void bind_paths(nb::module_& m) {
    m.def("upper_hull", hull_of, nb::arg("x"), nb::arg("y"));
    m.def("furthest_points", furthest_of, nb::arg("paths"), nb::arg("limit"), nb::arg("first"));
}

}  // namespace karat
