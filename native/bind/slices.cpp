// karat._native: SliceGrid, shuffle_rows.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/tables.hpp"
#include "kernels/random.hpp"
#include "kernels/shuffle.hpp"
#include "kernels/sum_slices.hpp"

namespace karat {
namespace {

constexpr int64_t kMost = int64_t{1} << 31;
constexpr int64_t kMostItemsOut = int64_t{1} << 56;

using Numbers = In<double, 1>;

SliceValues slice_values(const In<double, 2>& values) {
    return {values.data(), nullptr, static_cast<int64_t>(values.shape(0))};
}

SliceValues slice_values(const In<uint8_t, 2>& values) {
    const uint8_t* const bits = values.data();
    uint8_t all = 0;
    for (size_t i = 0; i < values.size(); ++i) all |= bits[i];
    if (all > 1) throw std::invalid_argument("bytes of values are 0 or 1");
    return {nullptr, bits, static_cast<int64_t>(values.shape(0))};
}

// A grid, and the arrays that it reads.
class HeldGrid {
public:
    HeldGrid(In<int32_t, 2> codes, std::vector<int64_t> n_parts, In<int64_t, 2> spans,
             std::vector<int64_t> span_starts, std::vector<std::vector<int>> crosses)
        : codes_(std::move(codes)), spans_(std::move(spans)) {
        if (codes_.shape(0) != n_parts.size()) throw std::invalid_argument("codes do not match n_parts");
        if (spans_.shape(1) != 2) throw std::invalid_argument("spans is not int64[s, 2]");
        if (span_starts.empty() || span_starts.back() != static_cast<int64_t>(spans_.shape(0)))
            throw std::invalid_argument("span_starts do not match the spans");
        grid_.n = static_cast<int64_t>(codes_.shape(1));
        grid_.codes = codes_.data();
        grid_.n_parts = std::move(n_parts);
        grid_.spans = spans_.data();
        grid_.span_starts = std::move(span_starts);
        grid_.crosses = std::move(crosses);
        grid_.validate();
    }

    template <class T>
    nb::object sums(In<T, 2> values, int n_threads) const {
        const SliceValues rows = checked(values);
        const int64_t slices = n_slices();
        if (slices > 0 && rows.b > kMostItemsOut / slices)
            throw std::invalid_argument("the sums are too large for any memory");
        auto out = uninitialised<double>(rows.b * slices);
        {
            const Unlocked unlocked(rows.b * grid_.n);
            sum_slices(grid_, rows, out.get(), n_threads, poll_signals);
        }
        return owned(std::move(out), rows.b, slices);
    }

    template <class T>
    nb::object largest(In<T, 2> values, Numbers part, Numbers inverse, std::optional<Numbers> n_rows,
                       double variance, int n_threads) const {
        const SliceValues rows = checked(values);
        const auto slices = static_cast<size_t>(n_slices());
        if (part.shape(0) != slices || inverse.shape(0) != slices || (n_rows && n_rows->shape(0) != slices))
            throw std::invalid_argument("part, inverse and n_rows are not of every slice");
        if (n_rows && rows.bits != nullptr) throw std::invalid_argument("values beside n_rows are not float64");
        const SliceErrors errors{part.data(), inverse.data(), n_rows ? n_rows->data() : nullptr, variance};
        auto out = uninitialised<double>(rows.b);
        {
            const Unlocked unlocked(rows.b * grid_.n);
            largest_of_slices(grid_, rows, errors, out.get(), n_threads, poll_signals);
        }
        return owned(std::move(out), rows.b);
    }

private:
    template <class T>
    SliceValues checked(const In<T, 2>& values) const {
        if (static_cast<int64_t>(values.shape(1)) != grid_.n)
            throw std::invalid_argument("values are not of every row");
        if (static_cast<int64_t>(values.shape(0)) > kMost)
            throw std::invalid_argument("there are more than 2^31 replicates");
        return slice_values(values);
    }
    int64_t n_slices() const { return grid_.slice_starts().back(); }

    In<int32_t, 2> codes_;
    In<int64_t, 2> spans_;
    SliceGrid grid_;
};

template <class T>
nb::object rows_shuffled(In<T, 1> values, uint64_t seed, uint32_t stream, int64_t first, int64_t count,
                         int n_threads) {
    const auto n = static_cast<int64_t>(values.shape(0));
    if (n >= kMost) throw std::invalid_argument("there are 2^31 values or more");
    if (first < 0 || first > kMost || count < 0 || count > kMost)
        throw std::invalid_argument("the first replicate or their number is not in 0 to 2^31");
    if (stream >= kMostStreams) throw std::invalid_argument("stream is not below 2^24");
    if (n > 0 && count > kMostItemsOut / n) throw std::invalid_argument("the replicates are too large for any memory");
    auto out = uninitialised<T>(count * n);
    {
        const Unlocked unlocked;
        shuffle_items(values.data(), n, sizeof(T), seed, stream, first, n == 0 ? 0 : count, out.get(), n_threads,
                      poll_signals);
    }
    return owned(std::move(out), count, n);
}

}  // namespace

void bind_slices(nb::module_& m) {
    using nb::arg;
    auto grid = nb::class_<HeldGrid>(m, "SliceGrid")
                    .def(nb::init<In<int32_t, 2>, std::vector<int64_t>, In<int64_t, 2>, std::vector<int64_t>,
                                  std::vector<std::vector<int>>>(),
                         arg("codes").noconvert(), arg("n_parts"), arg("spans").noconvert(), arg("span_starts"),
                         arg("crosses"));
    const auto define = [&](auto kind) {
        using T = decltype(kind);
        grid.def("sums", &HeldGrid::sums<T>, arg("values").noconvert(), arg("n_threads"));
        grid.def("largest", &HeldGrid::largest<T>, arg("values").noconvert(), arg("part").noconvert(),
                 arg("inverse").noconvert(), arg("n_rows").noconvert().none(), arg("variance"), arg("n_threads"));
        m.def("shuffle_rows", rows_shuffled<T>, arg("values").noconvert(), arg("seed"), arg("stream"), arg("first"),
              arg("count"), arg("n_threads"));
    };
    define(double{});
    define(uint8_t{});
}

}  // namespace karat
