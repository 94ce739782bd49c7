// karat._native: table_variances, covariance, square_by_class, add_by_class, logistic_moments, logistic_squares.
#include <nanobind/stl/optional.h>

#include <optional>
#include <stdexcept>

#include "bind/arrays.hpp"
#include "bind/tables.hpp"
#include "kernels/add_by_class.hpp"
#include "kernels/covariance.hpp"
#include "kernels/logistic_line.hpp"
#include "kernels/square_by_class.hpp"
#include "kernels/table_variance.hpp"

namespace karat {
namespace {

using Column = In<double, 1>;
using Index = In<int32_t, 1>;

void check_index(const Index& index, int64_t m, int64_t k) {
    if (static_cast<int64_t>(index.shape(0)) != m)
        throw std::invalid_argument("rows and cols do not match the cells");
    for (int64_t at = 0; at < m; ++at)
        if (index.data()[at] < 0 || index.data()[at] >= k)
            throw std::invalid_argument("a cell lies outside the classes");
}

nb::object variances_of(Column weights, In<double, 3> slopes, std::optional<Column> squares,
                        std::optional<Index> rows, std::optional<Index> cols,
                        std::optional<In<double, 2>> listed, bool is_by_true) {
    WeighedCells cells;
    cells.m = static_cast<int64_t>(weights.shape(0));
    cells.k = static_cast<int64_t>(slopes.shape(2));
    const auto d = static_cast<int64_t>(slopes.shape(0));
    if (slopes.shape(1) != 3) throw std::invalid_argument("slopes is not float64[d, 3, k]");
    if (squares && squares->shape(0) != weights.shape(0))
        throw std::invalid_argument("squares do not match the cells");
    if (listed && (static_cast<int64_t>(listed->shape(0)) != d ||
                   listed->shape(1) != weights.shape(0)))
        throw std::invalid_argument("listed is not float64[d, m]");
    if (rows.has_value() != cols.has_value())
        throw std::invalid_argument("rows and cols come together");
    if (!rows && (cells.k > cells.m || cells.m != cells.k * cells.k))
        throw std::invalid_argument("not all k by k cells were given");
    if (rows) {
        check_index(*rows, cells.m, cells.k);
        check_index(*cols, cells.m, cells.k);
        cells.rows = rows->data();
        cells.cols = cols->data();
    }
    cells.weights = weights.data();
    cells.squares = squares ? squares->data() : nullptr;
    auto out = std::make_unique<double[]>(static_cast<size_t>(d));
    {
        const Unlocked unlocked(d * cells.m);
        table_variances(cells, slopes.data(), listed ? listed->data() : nullptr, d, is_by_true,
                        out.get());
    }
    return owned(std::move(out), d);
}

nb::object squares_of_classes(In<double, 2> values, Index codes, std::optional<Column> squares,
                              In<double, 2> offsets) {
    const auto n = static_cast<int64_t>(values.shape(0)), width = static_cast<int64_t>(values.shape(1));
    const auto m = static_cast<int64_t>(offsets.shape(0)), k = static_cast<int64_t>(offsets.shape(1));
    if (m > width) throw std::invalid_argument("there are more offsets than values of a row");
    if (static_cast<int64_t>(codes.shape(0)) != n || (squares && static_cast<int64_t>(squares->shape(0)) != n))
        throw std::invalid_argument("codes or squares do not match the values");
    auto out = std::make_unique<double[]>(static_cast<size_t>(m * k));
    {
        const Unlocked unlocked(n * m);
        if (square_by_class(values.data(), width, codes.data(), squares ? squares->data() : nullptr,
                            offsets.data(), n, m, k, out.get()) > 0)
            throw std::invalid_argument("a code is no class");
    }
    return owned(std::move(out), m, k);
}

nb::object covariance_of(In<double, 2> phi, std::optional<Column> weights, std::optional<Column> squares,
                         double total) {
    const auto d = static_cast<int64_t>(phi.shape(0)), n = static_cast<int64_t>(phi.shape(1));
    if ((weights && static_cast<int64_t>(weights->shape(0)) != n) ||
        (squares && static_cast<int64_t>(squares->shape(0)) != n))
        throw std::invalid_argument("weights or squares do not match phi");
    auto out = std::make_unique<double[]>(static_cast<size_t>(d * d));
    {
        const Unlocked unlocked(d * n);
        covariance(phi.data(), weights ? weights->data() : nullptr, squares ? squares->data() : nullptr,
                   total, d, n, out.get());
    }
    return owned(std::move(out), d, d);
}

template <class Number>
nb::object sums_of_classes(In<Number, 2> values, In<int64_t, 1> codes, int64_t k) {
    const auto r = static_cast<int64_t>(values.shape(0)), m = static_cast<int64_t>(values.shape(1));
    if (static_cast<int64_t>(codes.shape(0)) != m) throw std::invalid_argument("codes do not match the values");
    if (k < 0) throw std::invalid_argument("there are fewer than no classes");
    for (int64_t i = 0; i < m; ++i)
        if (codes.data()[i] < 0 || codes.data()[i] >= k) throw std::invalid_argument("a code is no class");
    auto out = std::make_unique<Number[]>(static_cast<size_t>(r * k));
    {
        const Unlocked unlocked(r * m);
        add_by_class(values.data(), codes.data(), r, m, k, out.get());
    }
    return owned(std::move(out), r, k);
}

int64_t check_levels(const Column& x, const Column& left, const Column& right) {
    if (left.shape(0) != x.shape(0) || right.shape(0) != x.shape(0))
        throw std::invalid_argument("what the score levels hold does not match them");
    return static_cast<int64_t>(x.shape(0));
}

nb::tuple moments_of(Column x, Column misses, Column hits, double height, double slope, double centre) {
    const int64_t n = check_levels(x, misses, hits);
    LogisticMoments found{};
    {
        const Unlocked unlocked(n);
        found = logistic_moments(x.data(), misses.data(), hits.data(), n, {height, slope, centre});
    }
    return nb::make_tuple(found.likelihood, found.higher, found.steeper, found.weight, found.away, found.square);
}

double squares_of_line(Column x, Column rest, Column own, double a, double b, double gain, double turn,
                       double centre) {
    const int64_t n = check_levels(x, rest, own);
    const Unlocked unlocked(n);
    return logistic_squares(x.data(), rest.data(), own.data(), n, {a, b, 0.0}, gain, turn, centre);
}

}  // namespace

void bind_variance(nb::module_& m) {
    m.def("logistic_moments", moments_of, nb::arg("x").noconvert(), nb::arg("misses").noconvert(),
          nb::arg("hits").noconvert(), nb::arg("height"), nb::arg("slope"), nb::arg("centre"));
    m.def("logistic_squares", squares_of_line, nb::arg("x").noconvert(), nb::arg("rest").noconvert(),
          nb::arg("own").noconvert(), nb::arg("a"), nb::arg("b"), nb::arg("gain"), nb::arg("turn"), nb::arg("centre"));
    m.def("add_by_class", sums_of_classes<int64_t>, nb::arg("values").noconvert(), nb::arg("codes").noconvert(),
          nb::arg("k"));
    m.def("add_by_class", sums_of_classes<double>, nb::arg("values").noconvert(), nb::arg("codes").noconvert(),
          nb::arg("k"));
    m.def("covariance", covariance_of, nb::arg("phi").noconvert(), nb::arg("weights").noconvert().none(),
          nb::arg("squares").noconvert().none(), nb::arg("total"));
    m.def("square_by_class", squares_of_classes, nb::arg("values").noconvert(),
          nb::arg("codes").noconvert(), nb::arg("squares").noconvert().none(),
          nb::arg("offsets").noconvert());
    using namespace nanobind::literals;
    m.def("table_variances", &variances_of, "weights"_a, "slopes"_a, "squares"_a = nb::none(),
          "rows"_a = nb::none(), "cols"_a = nb::none(), "listed"_a = nb::none(),
          "is_by_true"_a = false);
}

}  // namespace karat
