// karat._native: beta_quantiles, follow_curve, combine_classes.
#include <stdexcept>

#include "bind/arrays.hpp"
#include "bind/tables.hpp"
#include "kernels/beta_quantile.hpp"
#include "kernels/combine_classes.hpp"
#include "kernels/follow_curve.hpp"

namespace karat {
namespace {

using Column = In<double, 1>;
using Rows = In<double, 2>;

nb::tuple followed(Rows sides, Rows limits, Rows counted, double a, double b, double c,
                   double missing, double total) {
    const auto k = static_cast<int64_t>(sides.shape(1));
    if (sides.shape(0) != 2) throw std::invalid_argument("sides is not float64[2, k]");
    if (limits.shape(0) != 2 || limits.shape(1) != sides.shape(1))
        throw std::invalid_argument("limits is not float64[2, k]");
    if (counted.shape(0) != 2 || counted.shape(1) != 4)
        throw std::invalid_argument("counted is not float64[2, 4]");
    auto found = std::make_unique<double[]>(4 * sides.shape(1));
    auto partials = std::make_unique<double[]>(4 * sides.shape(1));
    follow_curve({a, b, c, missing, counted.data()}, sides.data(), limits.data(), k, total,
                 found.get(), partials.get());
    return nb::make_tuple(owned(std::move(found), 4, k), owned(std::move(partials), k, 4));
}

nb::tuple combined(Column value, Column low, Column high, Column variance, Column slopes) {
    const size_t k = value.shape(0);
    for (const Column* one : {&low, &high, &variance, &slopes})
        if (one->shape(0) != k) throw std::invalid_argument("the arrays differ in classes");
    auto factors = std::make_unique<double[]>(3 * k);
    const ClassNumbers classes{static_cast<int64_t>(k), value.data(), low.data(), high.data(),
                               variance.data()};
    const StillClasses still = combine_classes(classes, slopes.data(), factors.get());
    return nb::make_tuple(owned(std::move(factors), 3, classes.k), still.below, still.above,
                          still.n);
}

nb::object quantiles(Column a, Column b, double p) {
    const size_t n = a.shape(0);
    if (b.shape(0) != n) throw std::invalid_argument("a and b differ in length");
    auto found = std::make_unique<double[]>(n);
    {
        const Unlocked unlocked;
        for (size_t i = 0; i < n; ++i) found[i] = beta_quantile(a(i), b(i), p);
    }
    return owned(std::move(found), n);
}

}  // namespace

void bind_limits(nb::module_& m) {
    using namespace nanobind::literals;
    m.def("beta_quantiles", &quantiles, "a"_a, "b"_a, "p"_a);
    m.def("follow_curve", &followed, "sides"_a, "limits"_a, "counted"_a, "a"_a, "b"_a, "c"_a,
          "missing"_a, "total"_a);
    m.def("combine_classes", &combined, "value"_a, "low"_a, "high"_a, "variance"_a, "slopes"_a);
}

}  // namespace karat
