// karat._native: table_variances.
#include <nanobind/stl/optional.h>

#include <optional>
#include <stdexcept>

#include "bind/arrays.hpp"
#include "bind/tables.hpp"
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

}  // namespace

void bind_variance(nb::module_& m) {
    using namespace nanobind::literals;
    m.def("table_variances", &variances_of, "weights"_a, "slopes"_a, "squares"_a = nb::none(),
          "rows"_a = nb::none(), "cols"_a = nb::none(), "listed"_a = nb::none(),
          "is_by_true"_a = false);
}

}  // namespace karat
