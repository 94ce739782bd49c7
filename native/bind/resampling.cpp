// karat._native: philox, resample_counts, draw_totals, resample_clusters, row_weights,
// replicate_areas, replicate_levels, replicate_bins, exchange_totals.
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "bind/arrays.hpp"
#include "bind/tables.hpp"
#include "kernels/draw_items.hpp"
#include "kernels/draw_totals.hpp"
#include "kernels/exchange_totals.hpp"
#include "kernels/replicate_cumulative.hpp"
#include "kernels/resample_counts.hpp"

namespace karat {
namespace {

template <class T>
using Column1 = In<T, 1>;
template <class T>
using Matrix = In<T, 2>;

constexpr int64_t kMostReplicates = int64_t{1} << 31;

int64_t length_of(const Column1<double>& column) { return static_cast<int64_t>(column.shape(0)); }

// Replicates with room for that many items of 8 bytes, a stream: what Python may get wrong.
void check_draw(int64_t first, int64_t count, int64_t items, uint32_t stream) {
    if (first < 0 || first > kMostReplicates || count < 0 || count > kMostReplicates)
        throw std::invalid_argument("the first replicate or their number is not in 0 to 2^31");
    if (stream >= kMostStreams) throw std::invalid_argument("stream is not below 2^24");
    if (items > 0 && count > (int64_t{1} << 59) / items)
        throw std::invalid_argument("the replicates are too large for any memory");
}

// Of nothing there may be more replicates than anybody could walk over.
int64_t to_fill(int64_t count, int64_t items) { return items == 0 ? 0 : count; }

Law law_of(bool is_gamma) { return is_gamma ? Law::gamma : Law::poisson; }

Totals totals_of(const double* sums, int64_t m, const double* squares, bool is_gamma) {
    return Totals(sums, squares, m, law_of(is_gamma));
}

// Sums [u, 2] and their squares, of the rest and of the own class.
Totals sides_of(const Matrix<double>& sums, const std::optional<Matrix<double>>& squares,
                bool is_gamma) {
    if (sums.shape(1) != 2) throw std::invalid_argument("sums is not float64[u, 2]");
    if (squares && (squares->shape(0) != sums.shape(0) || squares->shape(1) != 2))
        throw std::invalid_argument("squares do not match the sums");
    return totals_of(sums.data(), 2 * static_cast<int64_t>(sums.shape(0)),
                     squares ? squares->data() : nullptr, is_gamma);
}

nb::object counts_of(Column1<int64_t> counts, uint64_t seed, uint32_t stream, int64_t first, int64_t count,
                     int n_threads) {
    const auto m = static_cast<int64_t>(counts.shape(0));
    check_draw(first, count, m, stream);
    auto out = uninitialised<int64_t>(count * m);
    {
        const Unlocked unlocked;
        resample_counts(counts.data(), m, seed, stream, first, to_fill(count, m), out.get(),
                        n_threads, poll_signals);
    }
    return owned(std::move(out), count, m);
}

nb::object totals_drawn(Column1<double> sums, std::optional<Column1<double>> squares, bool is_gamma,
                        bool is_normed, uint64_t seed, uint32_t stream, int64_t first, int64_t count,
                        int n_threads) {
    const int64_t m = length_of(sums);
    check_draw(first, count, m, stream);
    if (squares && length_of(*squares) != m)
        throw std::invalid_argument("squares do not match the sums");
    const Totals totals =
        totals_of(sums.data(), m, squares ? squares->data() : nullptr, is_gamma);
    auto out = uninitialised<double>(count * m);
    {
        const Unlocked unlocked;
        draw_totals(totals, seed, stream, first, to_fill(count, m), is_normed, out.get(),
                    n_threads, poll_signals);
    }
    return owned(std::move(out), count, m);
}

nb::object clusters_drawn(Column1<int32_t> ids, Column1<int32_t> cells,
                          std::optional<Column1<double>> weights, int64_t n_clusters, int64_t m,
                          bool is_gamma, uint64_t seed, uint32_t stream, int64_t first, int64_t count,
                          int n_threads) {
    if (m < 0) throw std::invalid_argument("the number of cells is negative");
    check_draw(first, count, m, stream);
    ClusterEntries entries;
    entries.ids = ids.data();
    entries.cells = cells.data();
    entries.weights = weights ? weights->data() : nullptr;
    entries.n_entries = static_cast<int64_t>(ids.shape(0));
    entries.n_clusters = n_clusters;
    entries.m = m;
    if (cells.shape(0) != ids.shape(0) || (weights && weights->shape(0) != ids.shape(0)))
        throw std::invalid_argument("ids, cells and weights have different lengths");
    entries.validate();
    if (!weights && !is_gamma) {
        auto out = uninitialised<int64_t>(count * m);
        {
            const Unlocked unlocked;
            resample_clusters(entries, seed, stream, first, to_fill(count, m), out.get(),
                              n_threads, poll_signals);
        }
        return owned(std::move(out), count, m);
    }
    auto out = uninitialised<double>(count * m);
    {
        const Unlocked unlocked;
        weigh_clusters(entries, law_of(is_gamma), seed, stream, first, to_fill(count, m),
                       out.get(), n_threads, poll_signals);
    }
    return owned(std::move(out), count, m);
}

template <class T, class Draw>
nb::object rows_drawn(int64_t n, uint64_t seed, uint32_t stream, int64_t first, int64_t count,
                      int n_threads, const Draw& draw) {
    auto out = uninitialised<T>(count * n);
    {
        const Unlocked unlocked;
        each_replicate(to_fill(count, n), n, n_threads, [&](int, int64_t begin, int64_t end) {
            for (int64_t b = begin; b < end; ++b)
                draw(Source{seed, stream, static_cast<uint32_t>(first + b)}, n, out.get() + b * n);
        }, poll_signals);
    }
    return owned(std::move(out), count, n);
}

nb::object weights_of_rows(int64_t n, bool is_gamma, uint64_t seed, uint32_t stream, int64_t first,
                           int64_t count, int n_threads) {
    if (n < 0 || n > kMostItems)
        throw std::invalid_argument("n is negative or above 2^32");
    check_draw(first, count, n, stream);
    return is_gamma ? rows_drawn<double>(n, seed, stream, first, count, n_threads,
                                         draw_exponential_items)
                    : rows_drawn<int32_t>(n, seed, stream, first, count, n_threads,
                                          draw_poisson_items);
}

nb::object areas_of(Matrix<double> sums, std::optional<Matrix<double>> squares,
                    Column1<double> within, bool is_gamma, uint64_t seed, uint32_t stream,
                    int64_t first, int64_t count, int n_threads) {
    const Totals totals = sides_of(sums, squares, is_gamma);
    check_draw(first, count, totals.size(), stream);
    if (within.shape(0) != sums.shape(0))
        throw std::invalid_argument("within does not match the sums");
    auto areas = uninitialised<double>(count), weights = uninitialised<double>(2 * count);
    {
        const Unlocked unlocked;
        replicate_areas(totals, within.data(), seed, stream, first, count, areas.get(),
                        weights.get(), n_threads, poll_signals);
    }
    return nb::make_tuple(owned(std::move(areas), count),
                          owned(std::move(weights), count, 2));
}

nb::object levels_drawn(Column1<double> scores, Matrix<double> sums,
                       std::optional<Matrix<double>> squares, bool is_gamma, uint64_t seed,
                       uint32_t stream, int64_t first, int64_t count, int n_threads) {
    const Totals totals = sides_of(sums, squares, is_gamma);
    check_draw(first, count, totals.size(), stream);
    if (scores.shape(0) != sums.shape(0))
        throw std::invalid_argument("scores do not match the sums");
    const int64_t u = length_of(scores);
    const bool is_counted = !squares && !is_gamma;
    std::unique_ptr<int64_t[]> counts, lengths = uninitialised<int64_t>(count);
    std::unique_ptr<double[]> weights, drawn_squares, drawn_scores = uninitialised<double>(count * u);
    if (is_counted) {
        counts = uninitialised<int64_t>(2 * count * u);
    } else {
        weights = uninitialised<double>(2 * count * u);
        drawn_squares = uninitialised<double>(2 * count * u);
    }
    {
        const Unlocked unlocked;
        replicate_levels(totals, scores.data(), law_of(is_gamma), seed, stream, first, count,
                        {drawn_scores.get(), counts.get(), weights.get(), drawn_squares.get(),
                         lengths.get()},
                        n_threads, poll_signals);
    }
    nb::object of_scores = owned(std::move(drawn_scores), count, u);
    nb::object of_lengths = owned(std::move(lengths), count);
    if (is_counted)
        return nb::make_tuple(of_scores, owned(std::move(counts), count, u, 2), nb::none(), of_lengths);
    return nb::make_tuple(of_scores, owned(std::move(weights), count, u, 2),
                          owned(std::move(drawn_squares), count, u, 2), of_lengths);
}

nb::object bins_drawn(Column1<double> scores, Column1<int32_t> bins, int64_t n_bins, Matrix<double> sums,
                      std::optional<Matrix<double>> squares, bool is_gamma, uint64_t seed,
                      uint32_t stream, int64_t first, int64_t count, int n_threads) {
    const Totals totals = sides_of(sums, squares, is_gamma);
    if (scores.shape(0) != sums.shape(0) || bins.shape(0) != sums.shape(0))
        throw std::invalid_argument("scores and bins do not match the sums");
    if (n_bins < 1 || n_bins > kMostReplicates)
        throw std::invalid_argument("the number of bins is not in 1 to 2^31");
    const int32_t* const place = bins.data();
    if (!std::all_of(place, place + bins.shape(0), [&](int32_t i) { return i >= 0 && i < n_bins; }))
        throw std::invalid_argument("a bin is not one of n_bins");
    check_draw(first, count, kBinSums * n_bins + totals.size(), stream);
    auto found = uninitialised<double>(count * kBinSums * n_bins);
    {
        const Unlocked unlocked;
        replicate_bins(totals, scores.data(), place, n_bins, !squares && !is_gamma, law_of(is_gamma),
                       seed, stream, first, count, found.get(), n_threads, poll_signals);
    }
    return owned(std::move(found), count, kBinSums, n_bins);
}

void check_totals(const Column1<int32_t>& codes, int64_t n) {
    const int32_t* const code = codes.data();
    if (!std::all_of(code, code + codes.shape(0), [&](int32_t i) { return i >= 0 && i < n; }))
        throw std::invalid_argument("a code is no total of a class");
}

nb::object totals_exchanged(Matrix<uint8_t> bits, Matrix<int64_t> heads, Column1<int32_t> out, Column1<int32_t> into,
                            Matrix<double> totals, Column1<double> rows) {
    const auto r = static_cast<int64_t>(heads.shape(0)), k = static_cast<int64_t>(rows.shape(0));
    Exchanged cells{};
    cells.n_heads = static_cast<int64_t>(heads.shape(1));
    cells.n_bits = static_cast<int64_t>(out.shape(0)) - cells.n_heads;
    cells.out = out.data();
    cells.into = into.data();
    if (out.shape(0) != into.shape(0)) throw std::invalid_argument("out and into have different lengths");
    if (cells.n_bits < 0 || static_cast<int64_t>(bits.shape(1)) != (cells.n_bits + 7) / 8)
        throw std::invalid_argument("bits and heads do not match the cells");
    if (bits.shape(0) != heads.shape(0)) throw std::invalid_argument("bits and heads have different replicates");
    if (totals.shape(0) != 2 || totals.shape(1) != 2 * rows.shape(0))
        throw std::invalid_argument("totals is not float64[2, 2k]");
    if (r > kMostReplicates || (k > 0 && r > (int64_t{1} << 56) / k))
        throw std::invalid_argument("the replicates are too large for any memory");
    check_totals(out, 2 * k);
    check_totals(into, 2 * k);
    constexpr int64_t kFew = int64_t{1} << 31;
    bool are_few = cells.n_bits < kFew;
    for (int64_t at = 0; at < to_fill(r, cells.n_heads) && are_few; ++at) {
        int64_t n = cells.n_bits;
        for (int64_t i = 0; i < cells.n_heads && are_few; ++i) {
            const int64_t own = heads.data()[at * cells.n_heads + i];
            are_few = own >= 0 && own < kFew - n;
            n += own;
        }
    }
    auto tables = uninitialised<double>(3 * 2 * r * k);
    {
        const Unlocked unlocked(r * static_cast<int64_t>(out.shape(0)));
        exchange_totals(cells, bits.data(), heads.data(), are_few, totals.data(), rows.data(), to_fill(r, k), k,
                        tables.get());
    }
    return owned(std::move(tables), 3, 2 * r, k);
}

}  // namespace

void bind_resampling(nb::module_& m) {
    using nb::arg;
    m.def("philox", &philox, arg("counter"), arg("key"));
    m.def("resample_counts", counts_of, arg("counts").noconvert(), arg("seed"), arg("stream"),
          arg("first"), arg("count"), arg("n_threads"));
    m.def("draw_totals", totals_drawn, arg("sums").noconvert(), arg("squares").noconvert().none(),
          arg("is_gamma"), arg("is_normed"), arg("seed"), arg("stream"), arg("first"), arg("count"),
          arg("n_threads"));
    m.def("resample_clusters", clusters_drawn, arg("ids").noconvert(), arg("cells").noconvert(),
          arg("weights").noconvert().none(), arg("n_clusters"), arg("m"), arg("is_gamma"),
          arg("seed"), arg("stream"), arg("first"), arg("count"), arg("n_threads"));
    m.def("row_weights", weights_of_rows, arg("n"), arg("is_gamma"), arg("seed"), arg("stream"),
          arg("first"), arg("count"), arg("n_threads"));
    m.def("replicate_areas", areas_of, arg("sums").noconvert(), arg("squares").noconvert().none(),
          arg("within").noconvert(), arg("is_gamma"), arg("seed"), arg("stream"),
          arg("first"), arg("count"), arg("n_threads"));
    m.def("replicate_levels", levels_drawn, arg("scores").noconvert(), arg("sums").noconvert(),
          arg("squares").noconvert().none(), arg("is_gamma"), arg("seed"), arg("stream"),
          arg("first"), arg("count"), arg("n_threads"));
    m.def("replicate_bins", bins_drawn, arg("scores").noconvert(), arg("bins").noconvert(),
          arg("n_bins"), arg("sums").noconvert(), arg("squares").noconvert().none(),
          arg("is_gamma"), arg("seed"), arg("stream"), arg("first"), arg("count"),
          arg("n_threads"));
    m.def("exchange_totals", totals_exchanged, arg("bits").noconvert(), arg("heads").noconvert(),
          arg("out").noconvert(), arg("into").noconvert(), arg("totals").noconvert(), arg("rows").noconvert());
}

}  // namespace karat
